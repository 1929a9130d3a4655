"""The page on votes, in a browser."""

from __future__ import annotations

from importlib.resources import files

import metassay as ma

VOTES = files("metassay") / "data" / "votes.csv"


def test_charts_are_drawn_and_switched_without_error_or_request(watched, tmp_path):
    path = tmp_path / "votes.html"
    ma.make_votes_report(ma.read_votes(VOTES), path, human="dora,emil,farah,goran", resamples=20)
    page = watched.page
    page.goto(path.as_uri())
    for folded in page.locator("#rank summary", has_text="Chart:").all():
        folded.click()
    for chart in ("rank", "rank-ranks", "rank-matrix", "judge_votes", "bias"):
        page.locator(f"#chart-{chart}").scroll_into_view_if_needed()
        page.wait_for_selector(f"#chart-{chart} svg")
    page.select_option("[data-pick=chart-rank-matrix]", "judge")
    assert page.locator("#chart-rank svg text", has_text="hazel").count() == 1
    assert watched.errors == []
    assert [url for url in watched.requests if not url.startswith("file:")] == []
