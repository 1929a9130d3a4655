"""A study of each slice, and whether slices differ."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import metassay as ma
from metassay.cli import main
from metassay.core.column import Attribute
from metassay.core.scores import Scores
from metassay.errors import UsageError

from .conftest import noted


def _scores(n=10, m=40, half=20, spoilt=0.0, seed=0, axis="input"):
    random = np.random.default_rng(seed)
    skill = random.normal(size=(n, 1))
    z = skill + random.normal(size=(n, m))
    x = z + 0.3 * random.normal(size=(n, m))
    x[:, half:] += spoilt * random.normal(size=(n, m - half))
    codes = np.array([0] * half + [1] * (m - half) if axis == "input" else [0, 1] * (n // 2), dtype=np.int32)
    made = Scores.from_arrays({"x": x, "y": 2 * z}, {"z": z})
    return replace(made, attributes={"part": Attribute("part", axis, codes, ("good", "spoilt"))})


def test_each_slice_is_the_study_of_that_part():
    scores = _scores()
    found = ma.agree(scores, by="part", metric="x")
    assert found.labels == ("good", "spoilt")
    assert found.by == "part"
    assert found["good"] == ma.agree(scores.select(inputs=scores.inputs[:20]), metric="x")
    assert [row["slice"] for row in found.rows()] == ["good"] * 2 + ["spoilt"] * 2
    assert dict(found.signature.parts)["by"] == "part"


@pytest.mark.parametrize("axis", ["input", "system"])
def test_slices_that_do_not_differ_are_not_significant(axis):
    found = ma.agree(_scores(axis=axis), by="part", metric="x", level="global", statistic="pearson")
    (row,) = found.table
    assert row.test == "permutation"
    assert row.p_value > 0.05
    assert row.difference == pytest.approx(row.high - row.low)
    assert row.n_slices == 2


def test_a_metric_that_fails_on_a_slice_is_found():
    found = ma.agree(_scores(spoilt=3.0), by="part", level="input,system", statistic="kendall")
    by_level = {row.level: row for row in found.table if row.metric == "x"}
    assert by_level["input"].p_value < 0.01
    assert by_level["input"].lowest == "spoilt"
    assert by_level["input"].p_corrected >= by_level["input"].p_value
    compared = ma.compare(_scores(spoilt=3.0), by="part", level="input")
    (row,) = compared.table
    assert row.metric in ("x − y", "y − x")
    assert row.p_value < 0.01
    assert row.quantity == "difference"


def test_p_is_that_of_all_dealings_for_a_tiny_design():
    """With 3 + 3 inputs there are 20 dealings, so that p must be near a multiple of 1/20."""
    scores = _scores(n=6, m=6, half=3, seed=3)
    x, z = scores.matrix("x"), scores.matrix("z")

    def gap(some):
        rest = [i for i in range(6) if i not in some]
        r = [np.corrcoef(x[:, list(p)].ravel(), z[:, list(p)].ravel())[0, 1] for p in (some, rest)]
        return abs(r[0] - r[1])

    gaps = [gap(some) for some in combinations(range(6), 3)]
    exact = np.mean(np.array(gaps) >= gap((0, 1, 2)) - 1e-12)
    (row,) = ma.agree(scores, by="part", metric="x", level="global", statistic="pearson").table
    assert row.p_value == pytest.approx(exact, abs=0.04)


def test_pairs_are_dealt_on_the_cells_that_both_metrics_have():
    made = _scores(n=8, m=6, half=3, seed=5)
    random = np.random.default_rng(6)
    z = made.matrix("z")
    x, y = (z + 1.5 * random.normal(size=z.shape) for _ in range(2))
    x[random.random(x.shape) < 0.45] = np.nan
    scores = replace(made, columns=Scores.from_arrays({"x": x, "y": y}, {"z": z}).columns)
    known = ~np.isnan(x)

    def exact(cells_of_y):
        def gap(some):
            def apart(part):
                of_x, of_y = known[:, part], cells_of_y[:, part]
                r = [np.corrcoef(m[:, part][k], z[:, part][k])[0, 1] for m, k in ((x, of_x), (y, of_y))]
                return r[0] - r[1]

            return abs(apart(list(some)) - apart([i for i in range(6) if i not in some]))

        gaps = [gap(some) for some in combinations(range(6), 3)]
        return np.mean(np.array(gaps) >= gaps[0] - 1e-12), gaps[0]

    (row,) = ma.compare(scores, by="part", level="global", statistic="pearson").table
    (p, gap), (other, _) = exact(known), exact(np.ones_like(known))
    assert row.difference == pytest.approx(gap)
    assert row.p_value == pytest.approx(p, abs=0.04)
    assert abs(p - other) > 0.08


def test_clusters_are_dealt_as_one():
    scores = _scores(spoilt=1.0)
    clustered = replace(scores, clusters={name: f"doc-{at // 20}" for at, name in enumerate(scores.inputs)})
    (row,) = ma.agree(clustered, by="part", metric="x", level="global", statistic="pearson").table
    assert row.p_value == 1  # two documents can be dealt in two ways only, and both are as far apart


def test_other_studies_are_tested_by_their_intervals():
    found = ma.decisions(_scores(n=8), by="part", metric="x", resamples=200)
    assert {row.test for row in found.table} == {"intervals"}
    assert noted(found, "slices-by-intervals")
    told = ma.normality(_scores(), by="part")
    assert not told.table
    assert noted(told, "slices-untested")
    assert ma.profile(_scores(), by="part").of == "profile"


def test_numbers_groups_and_axes_make_slices():
    random = np.random.default_rng(0)
    z = random.normal(size=(2, 5, 12))
    year = np.tile(np.repeat([2020.0, 2021.0], 6), (5, 1))
    scores = Scores.from_arrays(
        {"x": z.mean(axis=0), "year": year}, {"z": z}, groups={f"system-{i}": "a" for i in (1, 2)}
    )
    found = ma.agree(scores, by="year", level="global")
    assert found.labels == ("2020", "2021")
    assert {row.metric for row in found.table} == {"x"}
    assert ma.agree(scores, by="annotator", metric="x", level="global").labels == ("1", "2")
    grouped = ma.agree(scores, by="group", metric="x", level="global")
    assert grouped.labels == ("a",)
    assert noted(grouped, "slices-missing")
    assert noted(grouped, "slices-untested")


def test_small_slices_are_left_out_with_a_reason():
    scores = _scores(n=4, m=6, half=5)
    found = ma.agree(scores, by="part", metric="x", level="within-system")
    assert found.labels == ("good",)
    assert noted(found, "slice-skipped")


def test_system_scores_belong_to_no_slice():
    scores = _scores()
    whole = {**scores.columns, "x": replace(scores["x"], system_scores=np.arange(10.0))}
    found = ma.agree(replace(scores, columns=whole), by="part", metric="x", level="system")
    assert found["good"].table == ma.agree(scores, by="part", metric="x", level="system")["good"].table
    assert noted(found, "slices-without-system-scores")


def test_bad_slices_are_one_line():
    with pytest.raises(ma.UnknownName, match="column of slices 'topic'"):
        ma.agree(_scores(), by="topic")
    many = _scores(m=60)
    texts = Attribute("text", "input", np.arange(60, dtype=np.int32), tuple(map(str, range(60))))
    with pytest.raises(ma.UsageError, match="60 different values"):
        ma.agree(replace(many, attributes={"text": texts}), by="text")


def test_a_table_of_the_study_that_is_called_differences_stays_apart(tmp_path):
    found = ma.judge(_scores(), by="part")
    assert len(found.rows("differences")) == 2
    assert [len(found.rows(name)) for name in found.tables()] == [4, 2]
    found.to_json(tmp_path / "found.json")
    assert ma.load(tmp_path / "found.json") == found


def test_json_csv_and_text_give_slices_back(tmp_path):
    found = ma.agree(_scores(), by="part", metric="x")
    found.to_json(tmp_path / "found.json")
    assert ma.load(tmp_path / "found.json") == found
    data = json.loads((tmp_path / "found.json").read_text())
    assert data["by"] == "part"
    assert data["rows"][0]["slice"] == "good"
    assert len(data["tables"]["between_slices"]) == 2
    assert found.to_csv(rows="between_slices").startswith("metric,human,level")
    assert "Differences between slices of part" in str(found)
    assert "part = good: Agreement" in found.to_markdown()
    assert found.plot().spec["title"]["text"]


def test_the_command_line_slices_by_a_column_of_numbers(tmp_path, capsys):
    lines = ["system,input,metric,score,kind,year"]
    random = np.random.default_rng(0)
    for s in range(6):
        for i in range(10):
            z = random.normal()
            lines += [f"s{s},i{i},z,{z},human,{2020 + i % 2}", f"s{s},i{i},x,{z + random.normal()},,{2020 + i % 2}"]
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(lines))
    assert main(["agree", str(file), "--by", "year", "--view", "between_slices"]) == 0
    assert "Differences between slices of year" in capsys.readouterr().out
    assert main(["precision", str(file), "--by", "year", "--format", "csv", "--rows", "between_slices"]) == 0
    assert capsys.readouterr().out.startswith("metric,")


def test_each_slice_has_its_answer():
    shown = str(ma.decisions(_scores(n=8), by="part", metric="x", resamples=200))
    for label in ("good", "spoilt"):
        assert f"part = {label}: x leads to the same decision as people" in " ".join(shown.split())


def test_differences_are_counted_at_the_level_that_was_given():
    found = {alpha: ma.compare(_scores(spoilt=3.0), by="part", level="input", alpha=alpha) for alpha in (0.05, 1e-5)}
    assert [each.alpha for each in found.values()] == [0.05, 1e-5]
    for alpha, said in {0.05: "1 of 1 comparison shows", 1e-5: "0 of 1 comparison show"}.items():
        shown = " ".join(str(found[alpha]).split())
        assert f"{said} a significant difference between the 2 values of part (p, Holm ≤ {alpha:g})" in shown
    assert ma.agree(_scores(), by="part", confidence=0.9).alpha == 0.1


def test_names_with_signs_of_their_own_are_told_apart():
    found = ma.agree(_scores(), by="part", metric="x", level="global")
    rows = [replace(found.table[0], other=("kind=a, b=c", f"setting={n}")) for n in ("x=1, y", "x=2, y")]
    shown = str(replace(found, table=tuple(rows)))
    assert "x=1, y" in shown
    assert "x=2, y" in shown
    assert "a, b=c" not in shown
    assert replace(found, table=tuple(rows)).rows("between_slices")[0]["other"] == "kind=a, b=c, setting=x=1, y"


@pytest.mark.parametrize("study", [ma.agree, ma.judge])
def test_slices_of_nothing_are_refused(study):
    with pytest.raises(UsageError, match="by='part' makes slices of scores, and none were given"):
        study(by="part")
