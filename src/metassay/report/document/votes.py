"""From votes to a report in one call: who wins, whether judges vote as people do, and what sways them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path
from typing import Any

from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.study import study
from metassay.core.votes import Votes
from metassay.errors import MetassayError, one_line
from metassay.report import numbers, views
from metassay.report.document import page
from metassay.report.document.report import Report
from metassay.report.document.study_runs import Findings, Watch
from metassay.report.notes import is_answer
from metassay.report.table import Page
from metassay.report.templates import each

TITLE = "Who wins?"
VIEWS = {"rank": "full,agreement,matrix,raters", "judge_votes": "summary,orders,margins,people"}
"""What the tables of a section show."""
OPENING = {"rank": "ranks", "judge_votes": "summary"}
"""What the first screen shows."""


@study
def make_votes_report(
    votes: Votes,
    path: str | Path | None = None,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    title: str = TITLE,
    confidence: opt.Confidence = 0.95,
    resamples: opt.Resamples = 1_000,
    seed: opt.Seed = 0,
    watch: Watch | None = None,
) -> Report:
    """Rank systems by votes, compare judges with people, and put it on one page; also save it to `path` if given.

    Parameters
    ----------
    votes
        Votes of people, of judges, or of both.
    path
        The HTML file to write.
    title
        The heading of the page.
    watch
        Is told the name, the position and the number of studies before each of them.

    Examples
    --------
    >>> votes = Votes.from_arrays(["x"] * 4, ["y"] * 4, ["a", "a", "a", "b"])
    >>> make_votes_report(votes).html.startswith("<!doctype html>")
    True
    """
    from metassay.studies.bias import bias
    from metassay.studies.judge_votes import judge_votes
    from metassay.studies.rank import rank

    named: dict[str, Any] = {"human": human, "confidence": confidence}
    plans: dict[str, tuple[Callable[..., Result], dict[str, Any]]] = {
        "rank": (rank, {"metric": metric, "resamples": resamples, "seed": seed}),
        "judge_votes": (judge_votes, {"judge": metric}),
        "bias": (bias, {"metric": metric}),
    }
    results: dict[str, Result] = {}
    skipped: dict[str, str] = {}
    for at, (name, (run, options)) in enumerate(plans.items()):
        if watch is not None:
            watch(name, at, len(plans))
        try:
            if name != "bias" or "judge_votes" in results:
                results[name] = run(votes, **named, **options)
        except MetassayError as error:  # without people, or without judges
            if name == "rank":
                raise
            skipped[name] = one_line(error, 300)
    found = Findings(results=results, skipped=skipped)
    cards = [views.page(results[name], view) for name, view in OPENING.items() if name in results]
    report = Report(_render(votes, found, cards, title), tuple(told for card in cards for told in card.lead), found)
    if path is not None:
        report.save(path)
    return report


def _render(votes: Votes, found: Findings, cards: Iterable[Page], title: str) -> str:
    told = [note for name in OPENING for note in _caveats(found, name)]
    made = page.sections(found, told, VIEWS)
    size = _size(votes)
    files = each("<li>{}</li>", ((one_line(source, 300),) for source in votes.sources))
    body = [
        f'<p class="size">{escape(size)}</p>',
        page.controls(chart for _, charts in made.values() for chart in charts.values()),
        '<section id="answer" aria-labelledby="answer-title"><h2 id="answer-title" class="unseen">The answer</h2>',
        *map(page.verdict, cards),
        page.caveats(told),
        "</section>",
        page.navigation(found, {"facts": "The data"}),
        *(section for section, _ in made.values()),
        '<section id="facts" aria-labelledby="facts-title"><h2 id="facts-title">The data</h2>'
        f"<p>{escape(size)}</p><ul>{files}</ul></section>",
    ]
    return page.document(title, body)


def _caveats(found: Findings, name: str) -> list[Note]:
    return [note for note in found.results[name].notes if not is_answer(note)] if name in found.results else []


def _size(votes: Votes) -> str:
    sizes = {"vote": len(votes), "system": len(votes.systems), "input": len(votes.inputs), "rater": len(votes.raters)}
    return ", ".join(numbers.counted(n, what) for what, n in sizes.items()) + "."
