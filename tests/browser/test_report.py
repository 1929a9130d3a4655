"""The report in a real browser: it draws, obeys its controls, asks nothing of the network, and shows names as text."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

import metassay as ma
from metassay.report.document.page import render
from metassay.report.document.study_runs import Dossier

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    made = ma.make_report(ma.example(), path, human="relevance,coherence", resamples=200)
    return path, made


def opened(watched, path):
    watched.page.goto(path.as_uri())
    watched.page.wait_for_selector("html[data-ready=yes]", state="attached")
    watched.page.locator("#agree").scroll_into_view_if_needed()
    watched.page.wait_for_selector("#chart-agree svg")
    return watched.page


def comes(page, found, wanted):
    """Wait until a page shows what is wanted; a busy machine draws late."""
    end = time.monotonic() + 60
    while (now := found()) != wanted and time.monotonic() < end:
        page.wait_for_timeout(50)
    assert now == wanted


def draw_everything(page):
    page.evaluate("document.querySelectorAll('details:has(figure)').forEach((each) => { each.open = true; })")
    for chart in page.query_selector_all(".chart"):
        chart.scroll_into_view_if_needed()
        page.wait_for_function("e => e.querySelector('svg')", arg=chart)


def names_on_axis(page, chart):
    return page.eval_on_selector_all(
        f"#{chart} .role-axis-label text", "es => es.map(e => e.textContent).filter(t => t.startsWith('synthetic'))"
    )


def test_it_draws_everything_without_error_or_request(watched, report):
    path, _ = report
    page = opened(watched, path)
    draw_everything(page)
    assert page.locator(".chart svg").count() >= 8
    assert watched.errors == []
    assert [url for url in watched.requests if not url.startswith("file:")] == []


def test_order_and_switches_change_the_chart(watched, report):
    path, made = report
    page = opened(watched, path)

    def best_first(human, level):
        rows = [
            r
            for r in made.dossier.results["agree"].table
            if (r.human, r.level, r.statistic) == (human, level, "kendall")
        ]
        return [r.metric for r in sorted(rows, key=lambda r: -r.estimate)]

    assert names_on_axis(page, "chart-agree") == best_first("relevance", "system")
    page.select_option("[data-switch=human]", "coherence")
    page.select_option("[data-switch=level]", "input")
    comes(page, lambda: names_on_axis(page, "chart-agree"), best_first("coherence", "input"))
    assert best_first("coherence", "input") != best_first("relevance", "system")
    page.select_option("[data-switch=order]", "name")
    comes(page, lambda: names_on_axis(page, "chart-agree"), sorted(made.dossier.metrics))
    comes(page, lambda: names_on_axis(page, "chart-compare"), sorted(made.dossier.metrics) * 2)
    page.select_option("[data-switch=statistic]", "spearman")
    comes(page, lambda: "Not computed here for Spearman" in page.inner_text("#chart-compare-said"), True)
    assert "coherence, input level, Kendall" in page.inner_text("#chart-compare-said")


def test_a_hidden_metric_leaves_charts_and_tables(watched, report):
    path, _ = report
    page = opened(watched, path)
    page.click(".metrics summary")
    page.uncheck("[data-metric=synthetic-judge]")
    comes(page, lambda: "synthetic-judge" in names_on_axis(page, "chart-agree"), False)
    rows = page.locator("#agree tbody tr", has=page.locator("th", has_text="synthetic-judge"))
    assert rows.count() > 0
    assert all(row.get_attribute("hidden") is not None for row in rows.all())
    assert "7 of 8" in page.inner_text("#shown")


@pytest.mark.parametrize("width", [1280, 390])
def test_charts_have_their_room_before_they_are_drawn(watched, report, width):
    path, _ = report
    watched.page.set_viewport_size({"width": width, "height": 800})
    page = opened(watched, path)
    heights = "[...document.querySelectorAll('.chart')].map(chart => [chart.id, chart.offsetHeight])"
    before = page.evaluate(heights)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    comes(page, lambda: page.locator(".chart[data-rows]").count(), len(before))
    assert page.evaluate(heights) == before


def test_hovering_tells_values(watched, report):
    path, made = report
    page = opened(watched, path)
    page.locator("#chart-agree svg .mark-symbol path").first.scroll_into_view_if_needed()
    page.locator("#chart-agree svg .mark-symbol path").first.hover()
    tip = page.wait_for_selector("#vg-tooltip-element.visible")
    rows = made.dossier.results["agree"].table
    best = max(
        (r for r in rows if (r.human, r.level, r.statistic) == ("relevance", "system", "kendall")),
        key=lambda r: r.estimate,
    )
    assert best.metric in tip.inner_text()
    assert f"{best.estimate:.3f}" in tip.inner_text()


@pytest.mark.parametrize("study", ["agree", "compare", "stability"])
def test_downloads_match_the_rows(watched, report, study):
    path, made = report
    page = opened(watched, path)
    # By keyboard: charts that are drawn on the way there move what a mouse aims at.
    page.focus(f"[data-download=csv-{study}]")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename == f"{study}.csv"
    with open(waiting.value.path(), encoding="utf-8") as file:  # noqa: PTH123 - the path is the browser's
        assert file.read() == made.dossier.results[study].to_csv()


@pytest.mark.parametrize(("kind", "start"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_charts_can_be_downloaded_as_pictures(watched, report, kind, start):
    path, _ = report
    page = opened(watched, path)
    page.focus(f"[data-picture=chart-agree][data-kind={kind}]")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename == f"agree.{kind}"
    with open(waiting.value.path(), "rb") as file:  # noqa: PTH123 - the path is the browser's
        picture = file.read()
    assert picture.startswith(start)
    assert b"var(--" not in picture
    assert not watched.errors


def test_nothing_moves_when_charts_are_drawn(watched, report):
    path, _ = report
    watched.page.add_init_script(
        "window.moved = 0;"
        "new PerformanceObserver((list) => { for (const one of list.getEntries()) window.moved += one.value; })"
        ".observe({ type: 'layout-shift', buffered: true });"
    )
    page = opened(watched, path)
    page.evaluate("document.querySelector('#stability').scrollIntoView()")
    page.wait_for_selector("#chart-stability svg")
    page.wait_for_timeout(300)
    assert page.evaluate("window.moved") < 0.02


def test_tables_sort_by_a_click(watched, report):
    path, _ = report
    page = opened(watched, path)
    page.click("#agree details summary")
    head = page.locator("#agree thead th button").nth(1)
    head.click()
    first = page.locator("#agree tbody").first.locator("tr:has(td)")
    shown = [float(t.split()[0].replace("−", "-")) for t in first.locator("td:nth-of-type(1)").all_inner_texts()]
    assert shown == sorted(shown, reverse=True)
    assert len(set(shown)) > 1


def test_names_from_the_data_stay_text(watched, tmp_path):
    rng = np.random.default_rng(0)
    z = rng.normal(size=(11, 31))
    scores = ma.Scores.from_arrays(
        metrics={HOSTILE: z + rng.normal(size=z.shape), "</script><script>alert(2)</script>": rng.normal(size=z.shape)},
        human={"<b>overall</b>": z, "other": z + rng.normal(size=z.shape)},
        systems=[HOSTILE, *(str(i) for i in range(10))],
    )
    ma.make_report(scores, tmp_path / "r.html", resamples=100, title=HOSTILE)
    alerts = []
    watched.page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    page = opened(watched, tmp_path / "r.html")
    draw_everything(page)
    assert page.inner_text("h1") == HOSTILE
    assert "<img src=x" in page.inner_text("#chart-precision")
    assert page.locator("img").count() == 0
    assert alerts == []
    assert watched.errors == []


def lines_of(page, chart):
    """Return the labels of the vertical axis of names: their words, top and bottom."""
    return sorted(
        page.eval_on_selector_all(
            f"#{chart} .role-axis-label text[text-anchor=end]",
            "es => es.map(e => [e.getBoundingClientRect(), e.textContent]).map(([b, t]) => [b.top, b.bottom, t])",
        )
    )


def test_thirty_metrics_and_a_hundred_systems_stay_usable(watched, tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    z = rng.normal(size=(100, 12)) + rng.normal(size=(100, 1))
    names = [f"a-metric-with-quite-a-long-name-number-{i:02}" for i in range(30)]
    scores = ma.Scores.from_arrays(
        metrics={name: z + rng.normal(size=z.shape) * (i + 1) / 5 for i, name in enumerate(names)}, human={"overall": z}
    )
    # The studies by themselves, with the cheapest methods: what is tested is how much the page can hold.
    results = {
        "agree": ma.agree(scores, interval="fisher"),
        "compare": ma.compare(scores, test="williams", statistic="pearson"),
        "precision": ma.precision(scores, resamples=50),
    }
    monkeypatch.setattr("metassay.report.document.page.LONGEST_LIST", 29)
    data = {"scores": scores, "humans": ("overall",), "metrics": tuple(names)}
    page_of = render(Dossier(**data, results=results, skipped={}, full=True), title="Many")
    (tmp_path / "r.html").write_text(page_of, encoding="utf-8")
    page = opened(watched, tmp_path / "r.html")
    draw_everything(page)
    # A chart shows as many metrics, or systems, as the table above it, and all if asked.
    assert page.locator("[data-unfold=chart-compare]").is_hidden()  # a square
    for chart, every in (("chart-agree", names), ("chart-precision", scores.systems)):
        assert len(lines_of(page, chart)) < len(every)
        button = page.locator(f"[data-unfold={chart}]")
        assert (button.get_attribute("aria-expanded"), str(len(every)) in button.inner_text()) == ("false", True)
        button.click()
        assert button.get_attribute("aria-expanded") == "true"
        page.wait_for_function(f"document.getElementById('{chart}').dataset.rows >= {len(every)}")
    for chart, expected in (("chart-agree", names), ("chart-compare", names), ("chart-precision", scores.systems)):
        labels = [line for line in lines_of(page, chart) if not line[2].replace("−", "").replace(".", "").isdigit()]
        assert len(labels) == len({words for _, _, words in labels}) == len(expected)
        assert all(above[1] <= below[0] + 1 for above, below in itertools.pairwise(labels))
    # A table that is too long for the page: what the chart shows of it can be read as one all the same.
    page.click("[data-values=chart-agree] summary")
    page.wait_for_selector("[data-values=chart-agree] tbody tr")
    assert sorted(page.locator("[data-values=chart-agree] tbody th").all_inner_texts()) == names
    assert page.locator("[data-download=tex-agree]").is_visible()
    assert watched.errors == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 1100


def test_printing_is_dark_on_white_and_fits_the_paper(watched, report):
    path, _ = report
    page = opened(watched, path)
    page.click("#theme")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 900})
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    # A new width draws the charts anew a moment later, so a label that was found may be gone again.
    page.wait_for_function(
        "() => { const e = document.querySelector('#chart-agree .role-axis-label text');"
        " return e && getComputedStyle(e).fill === 'rgb(27, 31, 36)'; }",
        timeout=60_000,
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    assert not page.locator(".controls").is_visible()


def test_a_leaderboard_of_many_tasks_fits_the_paper(watched, tmp_path):
    tasks = {f"task-number-{at}": ma.example() for at in range(6)}
    few = {"human": "relevance", "metric": "synthetic-judge,synthetic-overlap", "resamples": 20}
    ma.make_report(tasks, tmp_path / "tasks.html", **few)
    page = watched.page
    page.goto((tmp_path / "tasks.html").as_uri())
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    size = page.evaluate("parseFloat(getComputedStyle(document.querySelector('#answer table')).fontSize)")
    assert 6 < size < 9.5 * 96 / 72


def test_dark_and_phone_fit(watched, report):
    path, _ = report
    page = opened(watched, path)
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    assert page.get_attribute("#theme", "aria-pressed") == "true"
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_timeout(400)
    draw_everything(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator(".next:not([hidden]) span").first.is_visible()  # a phone, too, says what to do next


def test_the_keyboard_reaches_the_controls(watched, report):
    path, _ = report
    page = opened(watched, path)
    reached = []
    for _ in range(25):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.dataset.switch || document.activeElement.className"))
    assert reached[0] == "skip"
    assert {"human", "level", "statistic", "order"} <= set(reached)


def test_a_very_long_name_does_not_widen_the_page_of_a_phone(watched, tmp_path):
    rng = np.random.default_rng(1)
    z = rng.normal(size=(8, 12)) + rng.normal(size=(8, 1))
    metrics = {"a_very_long_name_" * 6: z + rng.normal(size=z.shape), "b": z}
    scores = ma.Scores.from_arrays(metrics=metrics, human={"overall": z})
    results = {"agree": ma.agree(scores, interval="fisher"), "precision": ma.precision(scores, resamples=50)}
    found = Dossier(scores=scores, humans=("overall",), metrics=tuple(metrics), results=results, skipped={})
    (tmp_path / "r.html").write_text(render(found, title="Long"), encoding="utf-8")
    watched.page.set_viewport_size({"width": 390, "height": 844})
    page = opened(watched, tmp_path / "r.html")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
