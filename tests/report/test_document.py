"""The report: what it says, what it holds, and that names from the data stay text."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import re
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from importlib.resources import files
from types import SimpleNamespace

import numpy as np
import pytest

import metassay as ma
from metassay.charts.chart import interactive
from metassay.core.column import Attribute
from metassay.core.note import Note
from metassay.report import views
from metassay.report.document import board, methods, page, summary
from metassay.report.document.study_runs import gather
from metassay.report.notes import paragraph
from metassay.report.table import Page
from metassay.report.templates import prose

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def report():
    return ma.make_report(ma.example(), human="relevance,coherence", resamples=200)


def made(names=("good", "bad"), systems=12, inputs=40, seed=3):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(systems, 1))
    human = quality + rng.normal(size=(systems, inputs))
    noise = (0.5, 30)
    metrics = {name: quality + s * rng.normal(size=(systems, inputs)) for name, s in zip(names, noise, strict=True)}
    return ma.Scores.from_arrays(metrics=metrics, human={"overall": human})


class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []
        self.ids = []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        self.ids += [value for key, value in attributes if key == "id"]


def parsed(html):
    parser = Elements()
    parser.feed(html)
    return parser


def embedded_text(html, identifier):
    return re.search(rf'<script type="application/json" id="{identifier}">(.*?)</script>', html, re.DOTALL)[1]


def embedded(html, identifier):
    found = json.loads(embedded_text(html, identifier))
    text = gzip.decompress(base64.b64decode(found)).decode() if isinstance(found, str) else found
    return json.loads(text) if isinstance(text, str) and identifier.startswith("chart-") else text


def test_the_opening_names_the_best_metric_and_its_interval(report):
    best = max(
        (r for r in report.dossier.results["agree"].table if (r.human, r.level) == ("relevance", "system")),
        key=lambda r: (r.statistic == "kendall", r.estimate),
    )
    first, second, third = report.sentences
    assert first.startswith(f"{best.metric} agrees best with people on relevance at the system level")
    assert f"[{best.low:.2f}, {best.high:.2f}]" in second
    assert "relevance" in third
    assert prose(first) in report.html
    said = report.html.split('<div class="verdict"')[1].split("</div>")[0]
    assert f"{best.metric} agrees best with people on relevance at the system level (Kendall" in said
    assert f"95% CI [{best.low:.2f}, {best.high:.2f}]); it ranks" in said
    assert said.count("<p>") == said.count(".</p>") == 2  # what is best, and how sure that is


def test_the_board_has_a_row_per_metric_and_ranks_that_it_may_have(report):
    ranks = {
        r.metric: (r.rank_low, r.rank_high)
        for r in report.dossier.results["compare"].ranks
        if (r.human, r.level, r.statistic) == ("relevance", "system", "kendall")
    }
    start = '<div class="board" data-level="system" data-statistic="kendall"'
    shown = report.html.split(start)[1].split('<div class="board"')[0]
    rows = re.findall(r'<tr class="metric"><th scope="row">(.*?)</th>(.*?)</tr>', shown)
    assert {name for name, _ in rows} == {escape(metric) for metric in ranks}
    low, high = ranks[rows[0][0]]
    assert f">{low}–{high}<" in rows[0][1] if low != high else f">{low}<" in rows[0][1]
    assert "people on new inputs" in shown


def test_the_first_screen_says_where_the_best_metric_fails_and_what_would_show_more(report):
    opening = report.html.split('<section id="answer"')[1].split("</section>")[0]
    links = re.findall(r'<p class="next"[^>]*><a href="#(\w+)">', opening)
    assert set(links) == {"disagreements", "plan"}
    assert all(f'<section id="{link}"' in report.html for link in links)
    assert "of the pairs of systems in the wrong order." in opening
    best = next(row for row in report.dossier.results["agree"].table if row.metric == "synthetic-judge")
    assert f"{best.high - best.low:.2f} in these data)" in opening
    assert "a mean interval width of 0.2 needs about" in opening


def test_the_first_screen_of_judges_says_where_the_best_fails_and_what_would_narrow_its_interval():
    report = ma.make_report(ma.example("judge"), human="verdict_*", metric="*-judge", resamples=50)
    opening = report.html.split('<section id="answer"')[1].split("</section>")[0]
    assert re.findall(r'<p class="next"[^>]*><a href="#(\w+)">', opening) == ["disagreements", "plan_labels"]
    assert "worst slice: category = maths (wrong on 47 of 152); most frequent error: people say pass" in opening
    best = report.dossier.results["judge"].table[0]
    half = (best.high - best.low) / 2
    assert prose(f"strict-judge, verdict: for an interval of ± {half / 2:.2g}, labels needed") in opening
    assert prose(f"for accuracy (now ± {half:.2g})") in opening
    assert "It is significantly better than kind-judge." in opening
    needed = report.dossier.results["plan_labels"].table[0]
    assert needed.target == pytest.approx(half / 2, rel=0.05)
    assert f"labels needed are about {needed.needed:,} for accuracy" in opening


def test_caveats_about_what_the_page_opens_with_come_first(report):
    told = summary.warnings(report.dossier)
    assert any(note.code == "one-system-carries" and note["human"] == "coherence" for note in told)
    lines = re.findall("<li>(.*?)</li>", page.caveats(told, summary.shown_first(report.dossier)))
    assert lines[0].startswith("Smallest difference between two metrics")
    assert lines[-1].startswith("coherence, system level: the Pearson correlation")


def test_controls_name_what_they_show_and_nothing_where_there_is_no_choice(report):
    assert "<summary>Metrics shown: <output" in report.html
    judged = gather(ma.example("judge"), human="verdict_*", metric="*-judge", resamples=50)
    assert "<summary>Judges shown: <output" in page.render(judged, title="t")
    assert '<details class="metrics" hidden>' in page.controls([])


def test_columns_of_disagreements_have_names_of_their_own_and_few_outputs_are_said_in_words(report):
    section = report.html.split('<section id="disagreements"')[1].split("</section>")[0]
    heads = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', section.split("</table>")[0])
    assert len(set(heads)) == len(heads)
    row = next(iter(report.dossier.results["agree"].disagreements))
    few = replace(report.dossier.results["agree"], disagreements=(replace(row, human_rank=0.001, rank=0.999),))
    (said,) = views.page(few, "disagreements").said
    assert said.endswith("which the metric ranks above almost every output and people rank above almost no output.")


QUESTION = re.compile(r"(What|Which|Who|How|Does?|Is|Are|Can|Would|On which)\b|.*\?$")


def test_headings_say_the_content_and_the_sentence_below_answers_from_the_numbers(report):
    cast = ma.read_votes(files("metassay") / "data" / "votes.csv")
    votes = ma.make_votes_report(cast, human="dora,emil,farah,goran", resamples=20)
    judged = ma.make_report(ma.example("judge"), human="verdict_*", metric="*-judge", resamples=50)
    for each in (report, judged, votes):
        shown = re.findall(r"<(h1|h2|h3|caption|figcaption)\b[^>]*>(.*?)</\1>", each.html)
        assert [text for _, text in shown if QUESTION.match(text)] == []
        for name in each.dossier.results:
            section = each.html.split(f'<section id="{name}"')[1].split("</section>")[0]
            first = re.search(r'</h2>\s*<p class="told"[^>]*>(.*?)</p>', section)
            assert first, name
            assert re.search(r"\d", first[1]), first[1]


def test_a_long_board_is_folded_before_any_program_runs():
    scores = ma.example()
    values = scores[scores.metrics[0]].mean()
    metrics = {f"m{at:02}": values + at * np.random.default_rng(at).normal(size=values.shape) for at in range(17)}
    page = ma.make_report(ma.Scores.from_arrays(metrics, {"h": scores["relevance"].mean()}), resamples=50).html
    board = page.split('<div class="board folded"')[1].split('<div class="board')[0]
    assert board.count('<tr class="metric">') == 15
    assert board.count('<tr class="metric more">') == 2
    assert ">Show all 17 metrics</button>" in board
    assert 'data-human="h" class=chosen' in board


def test_the_board_marks_what_does_not_beat_sentinels_and_tells_them_from_metrics():
    found = ma.agree(
        ma.example(), human="relevance", metric="synthetic-noise", level="input", sentinels=True, people_as_metrics=True
    )
    shown = board.boards(SimpleNamespace(results={"agree": found}))
    (noise,) = re.findall(r'<tr class="metric"><th scope="row">synthetic-noise</th>(.*?)</tr>', shown)
    assert "<span>†</span>" in noise
    assert "† not significantly better than every sentinel" in shown
    assert len(re.findall(r'<tr class="person">', shown)) == 3
    assert re.findall(r'<tr class="sentinel"><th scope="row">([\w-]+)<', shown) == ["sentinel-system"]


def test_what_stands_beside_metrics_reaches_score_differences():
    beside = {"sentinels": True, "people_as_metrics": True}
    found = gather(ma.example(), human="relevance", resamples=50, beside=beside).results["differences"]
    assert {row.kind for row in found.table} == {"metric", "person"}
    assert any(note.code.startswith("sentinels") for note in found.notes)


def test_a_metric_of_noise_is_said_to_be_unsure():
    dossier = gather(made(), resamples=500)
    assert "not significant, because the interval includes 0: bad" in summary.answer(dossier)[1]


def test_few_systems_and_inputs_are_warned_of():
    told = summary.warnings(gather(made(systems=6, inputs=12), resamples=100))
    assert told[:2] == (Note.of("few-systems", n=6), Note.of("few-inputs", n=12))


def test_the_page_plans_for_the_leader_of_each_criterion(report):
    best = {
        r.human: r.metric
        for r in sorted(report.dossier.results["agree"].table, key=lambda r: r.estimate)
        if (r.level, r.statistic) == ("system", "kendall")
    }
    assert {need.human: need.metric for need in report.dossier.results["plan"].needs} == best
    section = report.html.split('<section id="plan"')[1].split("</section>")[0]
    for human, metric in best.items():
        assert f'<p class="told" data-human="{human}">{metric}, {human}: a mean interval width of' in section


def test_kinds_of_inputs_are_compared_where_the_data_know_them():
    scores = made()
    assert "slices" not in gather(scores, resamples=50).results
    kinds = Attribute("kind", "input", np.arange(40) % 2, ("news", "talk"))
    found = gather(replace(scores, attributes={"kind": kinds}), resamples=50)
    assert found.results["slices"].labels == ("news", "talk")
    section = page.render(found, title="t").split('<section id="slices"')[1].split("</section>")[0]
    assert " 2 comparisons show" in section.split('<p class="told">')[1].split("</p>")[0]


def test_each_attribute_that_sorts_inputs_has_a_section_and_others_are_named():
    def attribute(name, codes, axis="input"):
        return Attribute(name, axis, np.asarray(codes), tuple(f"v{at}" for at in range(int(np.max(codes)) + 1)))

    inputs = np.arange(40)
    given = [attribute("kind", inputs % 2), attribute("topic", inputs // 20), attribute("rare", (inputs == 0) * 1)]
    given += [attribute("many", inputs % 9), attribute("id", inputs)]
    scores = replace(made(), attributes={each.name: each for each in given})
    found = gather(scores, resamples=50)
    assert [found.results[name].by for name in ("slices", "slices-2")] == ["kind", "topic"]
    assert found.unsliced == {"rare": "one of its values has 1 input", "many": "it has 9 values"}
    html = page.render(found, title="t")
    assert "Slices by topic</h2>" in html
    assert "Not shown: rare (one of its values has 1 input); many (it has 9 values)." in html


def test_outputs_on_which_metric_and_people_disagree_are_shown_with_their_texts():
    text = "<script>alert(1)</script> & " + "long " * 100
    scores = made()
    answers = Attribute("answer", "output", np.zeros(scores.shape, dtype=int), (text,))
    plain, told = gather(scores, resamples=50), gather(replace(scores, attributes={"answer": answers}), resamples=50)
    for found, shown in ((plain, "overrated"), (told, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; long")):
        section = page.render(found, title="t").split('<section id="disagreements"')[1].split("</section>")[0]
        assert "percentage points apart at the median (overall, 480 outputs)" in section
        assert shown in section
        assert "<script>alert" not in section
    assert '<details class="printed"><summary>&lt;script' in section


def test_systems_that_share_no_input_have_a_page_that_says_so_first():
    scores = made()
    human = scores.matrix("overall").copy()
    human[:6, 20:] = human[6:, :20] = np.nan
    metrics = {name: np.where(np.isnan(human), np.nan, scores.matrix(name)) for name in scores.metrics}
    apart = ma.Scores.from_arrays(metrics=metrics, human={"overall": human})
    corpus = Attribute("corpus", "input", np.arange(40) // 20, ("one", "two"))
    found = gather(replace(apart, attributes={"corpus": corpus}), resamples=50)
    assert {row.level for row in found.results["agree"].table} == {"input"}
    assert {row.level for each in found.results["slices"].results for row in each.table} == {"system"}
    assert {row.test for row in found.results["slices"].table} == {"intervals"}
    assert {"pairs", "differences", "stability", "plan"} <= found.skipped.keys()
    opening = page.render(found, title="t").split('<section id="answer"')[1].split("</section>")[0]
    first = '<p class="told">The 12 systems fall into 2 groups that share no input'
    assert opening.index(first) < opening.index('class="verdict"')
    assert "see the slices by corpus." in opening


def test_a_page_about_labels_of_few_systems_has_no_rankings_of_systems_unless_asked():
    scores, named = ma.example("judge"), {"human": "verdict_*", "metric": "*-judge", "resamples": 20}
    short = gather(scores, **named)
    assert list(short.results) == ["look", "judge", "bias", "reliability", "plan_labels", "disagreements"]
    assert not short.skipped
    assert "Glossary" not in page.render(short, title="t")
    assert "agree" in gather(scores, statistic="kendall", **named).results


def test_downloads_hold_the_rows_of_each_study(report):
    for name, result in report.dossier.results.items():
        text = embedded(report.html, f"csv-{name}")
        rows = "disagreements" if name == "disagreements" else "table"
        assert text == result.to_csv(rows=rows, safe=True)
        assert len(list(csv.DictReader(io.StringIO(text)))) == len(result.rows(rows))


def test_many_metrics_have_ranks_and_their_p_values_only_on_request():
    random = np.random.default_rng(0)
    human = random.normal(size=(8, 10))
    metrics = {f"m{k:02}": human + random.normal(size=human.shape) for k in range(22)}
    scores = ma.Scores.from_arrays(metrics, {"relevance": human})
    short, full = (gather(scores, resamples=50, full=whole) for whole in (False, True))
    pages = [page.render(each, title="t") for each in (short, full)]
    assert '"' not in embedded_text(pages[1], "chart-compare-data").strip('"')  # a large chart is compressed
    assert [embedded(html, "chart-compare-data")["lines"] for html in pages] == ["metric", "metric_a"]
    assert "metassay report --full" in pages[0]
    assert "metassay report --full" not in pages[1]
    lines = [len(list(csv.DictReader(io.StringIO(embedded(html, "csv-compare"))))) for html in pages]
    assert lines == [len(short.results["compare"].ranks), len(full.results["compare"].table)]


def test_every_chart_has_rows_a_name_and_a_description(report):
    elements = parsed(report.html)
    charts = [a for tag, a in elements.found if a.get("class") == "chart"]
    assert len(charts) >= 8
    for chart in charts:
        assert chart["role"] == "img"
        assert chart["aria-labelledby"] in elements.ids
        assert chart["aria-describedby"] in elements.ids
        setting = embedded(report.html, f"{chart['id']}-data")
        assert setting["rows"], chart["id"]
        assert all(len(row) == len(setting["fields"]) for row in setting["rows"])


def test_identifiers_are_unique_and_links_lead_somewhere(report):
    elements = parsed(report.html)
    assert len(set(elements.ids)) == len(elements.ids)
    links = [a["href"] for tag, a in elements.found if tag == "a" and "href" in a]
    assert links
    assert all(link[1:] in elements.ids for link in links)


def test_nothing_is_loaded_from_elsewhere(report):
    page = re.sub(r"<script>.*?</script>", "", report.html, flags=re.DOTALL)
    for tag, attributes in parsed(page).found:
        assert "src" not in attributes, tag
        assert tag != "link"
    assert "default-src 'none'" in report.html
    assert "unsafe-eval" not in report.html


def test_names_from_the_data_stay_text():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(11, 31))
    scores = ma.Scores.from_arrays(
        metrics={HOSTILE: z + rng.normal(size=z.shape), "</script><script>alert(2)</script>": rng.normal(size=z.shape)},
        human={'"><b onmouseover=alert(3)>': z},
        systems=[HOSTILE, "</style>", *(str(i) for i in range(9))],
    )
    html = ma.make_report(scores, resamples=100, title=HOSTILE).html
    page = re.sub(r"<script[^>]*>.*?</script>", "", html, flags=re.DOTALL)
    assert "<img" not in page
    assert "<b onmouseover" not in page
    assert "alert(2)</script>" not in html
    assert html.count("<script>") == 2


def test_one_criterion_leaves_criteria_out_and_says_so():
    dossier = gather(made(), resamples=100)
    assert "only one" in dossier.skipped["criteria"]


def test_the_methods_paragraph_tells_sizes_method_and_source(report):
    text = methods.paragraph(report.dossier)
    assert "14 systems and 80 inputs" in text
    assert "by the two-way jackknife" in text
    assert any("Deutsch" in work for work in methods.citations(report.dossier))


def test_one_metric_with_one_criterion_is_told_in_the_singular():
    scores = made().select(columns="overall,good")
    dossier = gather(scores, resamples=100)
    first, second, _ = summary.answer(dossier)
    assert first.startswith("good agrees with people on overall at the system level: Kendall ")
    assert second.endswith("; it excludes 0.")
    assert methods.paragraph(dossier).startswith("We compared 1 automatic metric with human judgments of overall for ")
    assert "good agrees with people on overall at the input level: Kendall" in board.verdicts(dossier)


def test_metrics_that_rank_against_people_are_not_called_best():
    rng = np.random.default_rng(1)
    z = rng.normal(size=(12, 40)) + rng.normal(size=(12, 1))
    x = rng.normal(size=z.shape) - z
    scores = ma.Scores.from_arrays(metrics={"minus": x, "worse": x - z, "flat": z * 0}, human={"overall": z})
    dossier = gather(scores, resamples=100)
    assert summary.answer(dossier)[0].startswith("No metric agrees with people on overall at the system level")
    assert any(note.code == "agreement-undefined" and note["metric"] == "flat" for note in summary.warnings(dossier))
    cells = interactive(dossier.results["compare"])["matrix"]
    outcomes = {row["outcome"] for row in cells.rows if "flat" in (row["metric_a"], row["metric_b"])}
    assert outcomes == {"cannot be tested"}


def test_the_third_sentence_is_about_other_inputs(report):
    assert report.sentences[2].endswith("but on other inputs, would not agree better.")


def test_words_of_the_answer_are_explained(report):
    assert "The jackknife test generalises to new systems and new inputs from the same populations." in report.html
    assert "System level: correlation of the mean scores of systems." in report.html


def test_long_tables_have_latex_over_pages():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(12, 3))
    metrics = {f"m{i}": z + rng.normal(size=z.shape) for i in range(60)}
    text = ma.agree(ma.Scores.from_arrays(metrics=metrics, human={"overall": z}), interval="fisher").to_latex()
    assert text.startswith(r"% needs \usepackage{booktabs,longtable}")
    assert text.count(r"\begin{longtable}") == text.count(r"\endhead") == text.count(r"\end{longtable}") == 1
    assert r"\begin{table" not in text
    assert r"\begin{table*}" in ma.agree(made(), interval="fisher").to_latex()


def test_the_same_seed_gives_the_same_page(report):
    again = ma.make_report(ma.example(), human="relevance,coherence", resamples=200, threads=1)
    assert again.html == report.html


def test_saving_writes_the_page(report, tmp_path):
    report.save(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == report.html


UNSEEN = "\u202e\u2066\u200f\x07\x85"


def test_bidirectional_and_control_characters_are_shown_as_symbols():
    html = ma.make_report(made(names=(f"good{UNSEEN}", f"bad{UNSEEN}")), resamples=100).html
    shown = re.sub(r'<script type="application/json" id="csv-.*?</script>', "", html, flags=re.DOTALL)  # data as it is
    body = shown[shown.index("<body>") : shown.rindex("<script>")]
    assert not set(UNSEEN) & set(body)
    name = "good\\u202e\\u2066\\u200f\\x07\\x85"
    chart = embedded(html, "chart-agree-data")
    at = chart["fields"].index("metric")
    assert name in {row[at] for row in chart["rows"]}
    assert name in {attributes.get("data-metric") for _, attributes in parsed(html).found}  # so that it can be hidden


def test_a_section_shows_one_chart_and_folds_its_table_and_other_charts():
    report = ma.make_report(ma.example("judge"), human="verdict_*", metric="*-judge", resamples=50)
    section = report.html.split('<section id="judge"')[1].split("</section>")[0]
    assert section.count("<figure>") == 2
    folded = "<details><summary>Chart: Worst slices of each judge</summary><figure>"
    assert section.index("<figure>") < section.index(folded)
    assert "<details><summary>Table</summary>" in section
    alone = ma.make_report(ma.example("judge"), human="verdict_anna", metric="strict-judge", resamples=50)
    assert "<summary>Table</summary>\n\n</details>" not in alone.html


def test_what_to_do_next_is_said_where_nothing_can_be_planned(tmp_path):
    few = ma.make_report(made(systems=3, inputs=40), human="overall", resamples=50)
    assert "Judge outputs of at least 5 systems (now 3)" in few.html.split("<nav")[0]
    whole = ma.make_report(made(systems=8, inputs=1), human="overall", resamples=50)
    assert "Add scores of single outputs" in whole.html.split("<nav")[0]
    rng, lines = np.random.default_rng(1), ["input,ann,bob,judge"]
    for at in range(60):
        said = rng.choice(["red", "green", "blue"])
        labels = [said if rng.random() < 0.8 else rng.choice(["red", "green", "blue"]) for _ in range(3)]
        lines.append(f"i{at},{','.join(labels)}")
    (tmp_path / "labels.csv").write_text("\n".join(lines))
    report = ma.make_report(ma.read(tmp_path / "labels.csv"), human="ann,bob", metric="judge", resamples=50)
    best = report.dossier.results["judge"].table[0]
    assert "plan_labels" in report.dossier.skipped
    assert f"about {4 * best.n_items:,} items instead of {best.n_items:,} would halve" in report.html.split("<nav")[0]


def test_labels_are_answered_as_judges_are():
    scores = ma.example("judge")
    report = ma.make_report(scores, human="verdict_*", metric="strict-judge,kind-judge", resamples=100)
    assert "Judges against human judgments" in report.html
    assert report.sentences[0].startswith("strict-judge")
    assert len(report.sentences) == 2
    first, _, rest = report.sentences[0].partition(". ")
    assert f"<p>{prose(first)}.</p><p>It is significantly better than kind-judge. {prose(rest)}</p>" in report.html
    assert "4 systems × 150 inputs, 2 judges, 1 human criterion, 3 annotators" in report.html
    assert "needs at least 5 systems" not in report.html.split("<nav")[0]


def test_downloads_hold_no_formulas():
    report = ma.make_report(made(names=("=1+1", "bad")), resamples=100)
    assert "'=1+1" in embedded(report.html, "csv-agree")


def test_a_figure_with_nothing_to_draw_is_left_out():
    flat = ma.Scores.from_arrays({"a": np.ones((6, 20)), "b": np.ones((6, 20))}, {"good": np.full((6, 20), 3.0)})
    assert "All scores are equal" in str(ma.make_report(flat, resamples=20).html)


def test_data_without_systems_have_a_page(tmp_path):
    random = np.random.default_rng(0)
    lines = [
        f"q{i},{q + random.normal() / 9},{random.normal()},{round(q)}" for i, q in enumerate(random.normal(3, 1, 60))
    ]
    (tmp_path / "scores.csv").write_text("\n".join(["id,good,noise,quality", *lines]))
    report = ma.make_report(ma.read(tmp_path / "scores.csv"), human="quality", resamples=200)
    assert report.sentences[0].startswith("good agrees best with people on quality at the global level")
    assert "new inputs; 60 inputs" in report.sentences[1]
    assert "generalise to new inputs from the same population.</li>" in report.html
    assert "system" not in report.html.split("<nav")[0].split("<body")[1].split('class="controls')[0]


def test_paragraphs_follow_the_criterion_and_charts_show_what_they_speak_of():
    report = ma.make_report(ma.example(), human="relevance,coherence", resamples=100)
    told = [attributes for _, attributes in parsed(report.html).found if attributes.get("class") == "told"]
    assert {each.get("data-human") for each in told} == {None, "relevance", "coherence"}
    pairs = report.html.split('data-pick="chart-pairs"')[1].split("</select>")[0]
    assert '<option value="synthetic-judge" selected>' in pairs


def test_what_paragraphs_speak_of_is_a_fact_and_not_a_word_in_them():
    scores = ma.example()
    both = {"system": scores["relevance"].mean(), "level": scores["coherence"].mean()}
    metrics = {name: scores[name].mean() for name in scores.metrics[:2]}
    report = ma.make_report(ma.Scores.from_arrays(metrics=metrics, human=both), resamples=50)
    told = [attributes for _, attributes in parsed(report.html).found if attributes.get("class") == "told"]
    assert {each.get("data-human") for each in told} == {None, "system", "level"}
    facts = {
        "metric": "judge v1. final",
        "system": "a. b",
        "systems": 9,
        "grouped": False,
        "unit": "votes",
        "least": 20,
    }
    notes = [Note.of("ranking-few", **facts)]
    lead = (paragraph(*notes * 3),)
    shown = page.verdict(Page("rank", (), (), "", lead))
    assert shown.startswith('<div class="verdict"><p>a. b ranks first of 9 according to judge v1. final; its')
    assert shown.count("<p>") == 2
