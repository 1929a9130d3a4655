import dataclasses
from dataclasses import dataclass
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest

import metassay as ma
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.signature import Signature
from metassay.errors import UnknownName
from metassay.report.views import VIEWS, names_of, page
from metassay.report.views.columns import across, build, lines, optional

from .conftest import NAN, agreement, agreement_row, comparison


def texts(section):
    return [[cell.text.strip() for cell in row] for row in section.rows]


def bold(section, column):
    return [row[0].text for row in section.rows if row[column].bold]


def test_agreement_has_a_section_per_criterion_and_a_column_per_setting(agreed):
    (table,) = page(agreed).tables
    assert [column.header for column in table.columns] == [
        "metric",
        "system Kendall",
        "pairs ranked wrongly",
        "input Kendall",
    ]
    assert [section.title.split(",")[0] for section in table.sections] == ["relevance", "coherence"]
    assert texts(table.sections[0]) == [
        ["BERTScore", "0.583 [ 0.38, 0.68]", "21% [16–31%]", "0.300 [0.10, 0.40]"],
        ["ROUGE-1", "0.400 [ 0.20, 0.50]", "30% [25–40%]", "0.310 [0.11, 0.41]"],
        ["QAEval", "-0.100 [-0.30, 0.00]", "55% [50–65%]", "–"],
    ]


def test_tied_pairs_have_a_column_where_there_are_any(agreed):
    assert not any("tied" in line for line in page(agreed).tables[0].legend)
    result = agreement(
        agreement_row("a", 0.5, tied=0.2), agreement_row("b", 0.4), agreement_row("c", 0.3, level="input")
    )
    (table,) = page(result).tables
    assert [column.header for column in table.columns][2:4] == ["pairs ranked wrongly", "pairs tied"]
    assert [row[3] for row in texts(table.sections[0])] == ["20%", "0%", ""]
    assert any(line.startswith("Pairs tied: share of system pairs") for line in table.legend)


def test_the_best_of_each_column_is_bold(agreed):
    section = page(agreed).tables[0].sections[0]
    assert bold(section, 1) == ["BERTScore"]
    assert bold(section, 3) == ["ROUGE-1"]


def test_the_best_is_bold_when_all_are_negative():
    result = agreement(agreement_row("a", -0.9), agreement_row("b", -0.2), agreement_row("c", NAN, low=NAN, high=NAN))
    section = page(result).tables[0].sections[0]
    assert bold(section, 1) == ["b"]
    assert [row[0].text for row in section.rows] == ["b", "a", "c"]


def test_nothing_is_bold_when_nothing_is_defined():
    result = agreement(agreement_row("a", NAN, low=NAN, high=NAN))
    assert bold(page(result).tables[0].sections[0], 1) == []


def test_sizes_stand_in_the_title_or_in_a_column_where_they_differ(agreed):
    assert "16 systems × 100 inputs" in page(agreed).tables[0].sections[0].title
    result = agreement(agreement_row("a", 0.5), agreement_row("b", 0.4, n_inputs=90))
    (table,) = page(result).tables
    assert table.columns[-1].header == "systems × inputs"
    assert [row[-1].text for row in table.sections[0].rows] == ["16 × 100", "16 × 90"]
    assert table.sections[0].title == "relevance"


def test_undefined_units_stand_in_the_title_or_in_a_column_where_they_differ(agreed):
    assert "2 inputs undefined for input Kendall" in page(agreed).tables[0].sections[0].title
    result = agreement(
        agreement_row("a", 0.5, level="input", n_undefined=1),
        agreement_row("b", 0.4, level="input", n_undefined=7),
    )
    (table,) = page(result).tables
    assert [column.header for column in table.columns] == ["metric", "input Kendall", "undefined"]
    assert [row[2].text for row in table.sections[0].rows] == ["1", "7"]


def test_a_dash_is_explained_only_where_there_is_one(agreed):
    assert any("undefined" in line for line in page(agreed).tables[0].legend)
    # the en dash of "25–40%" is no undefined number
    assert not any("undefined" in line for line in page(agreement(agreement_row("a", 0.4))).tables[0].legend)


def test_few_metrics_are_compared_in_a_list_ordered_by_p(compared):
    ranks, listed = page(compared).tables
    assert texts(listed.sections[0])[:3] == [
        ["BERTScore", "ROUGE-1", "0.583", "0.400", "0.183", ".001", "**"],
        ["QAEval", "ROUGE-1", "0.550", "0.400", "0.150", ".040", "*"],
        ["BERTScore", "QAEval", "0.583", "0.550", "0.033", ".210", ""],
    ]
    assert len(listed.sections[0].rows) == 6
    assert any("** also after Bonferroni correction over the tests of each metric A" in line for line in listed.legend)
    assert texts(ranks.sections[0])[0] == ["BERTScore", "0.583", "1", "1"]


def test_many_metrics_are_compared_in_a_matrix(many_compared):
    _ranks, matrix = page(many_compared).tables
    assert [column.header for column in matrix.columns] == ["", "metric", "τ_b", *"1234567"]
    rows = texts(matrix.sections[0])
    assert rows[0] == ["1", "metric-0", "0.700", "", *[".001**"] * 6]
    assert rows[6] == ["7", "metric-6", "0.100", *[".999"] * 6, ""]
    assert matrix.sections[0].rows[0][4].bold


def test_a_matrix_has_the_best_metric_first_and_the_undefined_last():
    result = comparison({"a": 0.1, "b": NAN, "c": 0.5})
    (matrix,) = page(result, "matrix").tables
    assert [row[1] for row in texts(matrix.sections[0])] == ["c", "a", "b"]


def test_tests_that_cannot_succeed_are_marked(compared):
    rows = [dataclasses.replace(row, detectable=np.inf, significant_corrected=False) for row in compared.table]
    for view in ("list", "matrix"):
        (marked,) = page(dataclasses.replace(compared, table=tuple(rows)), view).tables
        text = repr(marked)
        assert "†" in text
        assert any("no difference here could be significant after correction" in line for line in marked.legend)
        assert "†" not in repr(page(compared, view).tables)


def test_views_can_be_chosen(compared):
    assert [table.title for table in page(compared, "ranks").tables] == ["Ranks (95% confidence sets)"]
    assert len(page(compared, "matrix,ranks").tables) == 2
    with pytest.raises(UnknownName, match="unknown view 'matrx'; did you mean 'matrix'"):
        page(compared, "matrx")
    assert names_of("compare") == ("list", "matrix", "ranks", "rows")


def test_a_two_sided_test_is_listed_once():
    result = comparison({"a": 0.1, "b": 0.5}, p={("a", "b"): 0.03, ("b", "a"): 0.03}, alternative="two-sided")
    (listed,) = page(result, "list").tables
    assert [row[:2] for row in texts(listed.sections[0])] == [["b", "a"]]


def test_without_correction_there_is_one_star():
    result = comparison({"a": 0.1, "b": 0.5}, correction="none")
    (listed,) = page(result, "list").tables
    assert [row[6] for row in texts(listed.sections[0])] == ["*", ""]
    assert any("not corrected" in line for line in listed.legend)


def test_ranks_are_sets(compared):
    (ranks,) = page(compared, "ranks").tables
    assert texts(ranks.sections[0]) == [
        ["BERTScore", "0.583", "1", "1"],
        ["QAEval", "0.550", "2", "1–2"],
        ["ROUGE-1", "0.400", "3", "2–3"],
    ]
    undefined = dataclasses.replace(compared.ranks[-1], estimate=NAN, rank=None, rank_low=None, rank_high=None)
    (ranks,) = page(dataclasses.replace(compared, ranks=(*compared.ranks[:2], undefined)), "ranks").tables
    assert texts(ranks.sections[0])[-1] == ["ROUGE-1", "–", "", ""]


def test_normality(normal):
    (table,) = page(normal).tables
    assert texts(table.sections[0]) == [
        ["ROUGE-1", "metric", "<.001", "*", "34%"],
        ["relevance", "human", "–", "", "4%"],
    ]


@dataclass(frozen=True, slots=True)
class FutureRow:
    system: str
    test: str
    statistic: float
    p_value: float
    n_inputs: int
    equivalent: bool
    metric: str | None


class Future(Result, study="future"):
    pass


def test_a_study_without_views_shows_every_field():
    rows = (
        FutureRow("A", "t", np.float64(2.5), 0.0001, np.int64(46), np.bool_(True), None),
        FutureRow("B", "t", NAN, 0.5, 45, False, None),
    )
    result = Future(table=rows, signature=Signature.of("future"), notes=())
    (table,) = page(result).tables
    assert table.title == "future (test: t, metric: )"
    assert [column.header for column in table.columns] == [
        "system",
        "statistic",
        "p value",
        "n inputs",
        "equivalent",
    ]
    assert texts(table.sections[0]) == [["A", "2.500", "<.001", "46", "yes"], ["B", "–", ".500", "45", "no"]]
    assert "future" in str(result)


def test_a_result_without_rows_can_be_shown():
    result = Future(table=(), signature=Signature.of("future"), notes=(Note.of("no-further-inputs"),))
    assert "one interval per system" in " ".join(str(result).split())
    for text in (result.to_markdown(), result.to_latex(), result.to_html(), result.to_json()):
        assert "future" in text
    assert result.to_csv() == ""


class Far(ma.Statistic):
    name, title, symbol, higher_is_better, range = "far-off", "mean distance", "d", False, (0.0, np.inf)

    def evaluate(self, x, z, w):
        return (w * abs(x - z)).sum(0) / w.sum(0)


def test_a_statistic_of_ones_own_is_called_by_its_name_and_small_may_be_good():
    rng = np.random.default_rng(0)
    people = rng.normal(size=(8, 12)) + rng.normal(size=(8, 1))
    metrics = {name: people + rng.normal(size=people.shape) * size for name, size in (("far", 3), ("near", 0.1))}
    scores = ma.Scores.from_arrays(metrics, {"overall": people})
    statistic = ma.register(Far())
    agreed = ma.agree(scores, statistic=statistic, interval="boot-both", resamples=20, level="system")
    (table,) = page(agreed).tables
    assert [row[0].text for row in table.sections[0].rows] == ["near", "far"]
    assert bold(table.sections[0], 1) == ["near"]
    assert table.columns[1].header == "system mean distance"
    spec = agreed.plot().spec
    assert list(dict.fromkeys(row["metric"] for row in spec["concat"][0]["data"]["values"])) == ["near", "far"]
    compared = ma.compare(scores, statistic=statistic, test="paired-boot-both", resamples=20, level="system")
    assert [c.header for c in page(compared, "list").tables[0].columns][2:4] == ["d A", "d B"]
    cells = compared.plot().spec["concat"][0]["data"]["values"]
    assert [row["metric_a"] for row in cells] == ["near", "far"]
    for result in (agreed, compared):
        shown = result.to_text() + str(result.plot().spec)
        assert "orrelation" not in shown.replace("kendall", "")
    report = ma.make_report(scores, statistic=statistic, resamples=20)
    assert report.sentences[0].startswith("near agrees best with people on overall at the system level (mean distance ")
    assert "includes 0" not in report.sentences[1]
    assert '"sort":"good"' in report.html


def test_every_view_of_every_study_is_a_function_of_its_module():
    for study, names in VIEWS.items():
        module = import_module(f"metassay.report.views.{study.replace('-', '_')}")
        for name in names:
            assert callable(getattr(module, f"{name}_", None) or getattr(module, name)), (study, name)
        default = getattr(module, "default", None)
        assert default is None or default.__doc__, study


def test_a_column_is_declared_by_heading_fields_and_form():
    rows = [
        SimpleNamespace(metric="a", share=0.25, low=0.1, high=NAN, nothing=None),
        SimpleNamespace(metric="b", share=NAN, low=NAN, high=1, nothing=None),
    ]
    specs = ["metric", "share||two", "around|share low high|two", "ends|low high|one", False, optional("|nothing|word")]
    (table,) = build("t", specs, [("all", rows)], "told", "", None)
    assert [(c.header, c.align, c.key) for c in table.columns] == [
        ("metric", "left", True),
        ("share", "right", False),
        ("around", "right", False),
        ("ends", "right", False),
    ]
    assert texts(table.sections[0]) == [["a", "0.25", "0.25 [0.10, –]", "[0.1, –]"], ["b", "–", "–", "–"]]
    assert table.legend == ("told", "– undefined: scores that do not vary, or too few of them.")
    assert build("t", specs, []) == ()


def test_a_wide_table_has_a_column_for_every_value_and_blanks_where_there_is_no_row():
    rows = [SimpleNamespace(metric=m, level=v, n=n) for m, v, n in (("a", "x", 1), ("a", "y", 2), ("b", "y", 3))]
    columns = ["metric", *across(rows, "level", lambda level: f"{level}|n|count")]
    (table,) = build("t", columns, [("", lines(rows, "metric"))])
    assert [column.header for column in table.columns] == ["metric", "x", "y"]
    assert texts(table.sections[0]) == [["a", "1", "2"], ["b", "", "3"]]


def test_many_metrics_and_criteria_fit_a_screen_and_a_half():
    random = np.random.default_rng(0)
    quality = random.normal(size=(10, 12))
    metrics = {f"metric-with-a-name-{k}": quality + random.normal(size=quality.shape) for k in range(34)}
    people = {f"criterion-{k}": np.round(quality + random.normal(size=quality.shape)) for k in range(8)}
    scores = ma.Scores.from_arrays(metrics, people)
    for verb in (ma.agree, ma.compare):
        assert 30 < len(str(verb(scores)).splitlines()) < 60
