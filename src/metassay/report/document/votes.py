"""From votes to a report in one call: who wins, and whether judges vote as people do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from metassay import HOMES
from metassay.charts import rank as drawn
from metassay.charts.panels import Multiples
from metassay.core import options as opt
from metassay.core.files import write_text
from metassay.core.result import Result
from metassay.core.study import read_question, study
from metassay.core.votes import Votes
from metassay.errors import MetassayError, one_line
from metassay.report import data, html, latex, numbers, views
from metassay.report.document.page import _data, _figure, _filled, document
from metassay.report.formats import of_report
from metassay.report.templates import each

TITLE = "Who wins?"
TABLES = {
    "rank": ("full", "agreement", "covariates", "raters"),
    "judge_votes": ("summary", "orders", "margins", "people"),
}
"""Sections, in reading order, with the views that each shows."""
CHARTS: Mapping[str, Mapping[str, Callable[[Any], Multiples]]] = {
    "rank": {"strengths": drawn.intervals, "ranks": drawn.ranks, "wins": drawn.matrix}
}


@dataclass(frozen=True, eq=False)
class VotesReport:
    """A report on votes, ready to be saved or shown."""

    html: str
    """The whole document: one file that needs no network."""
    sentences: tuple[str, ...]
    """The sentences that matter."""
    results: Mapping[str, Result]
    """The results behind it, by study."""

    def save(self, path: str | Path) -> None:
        """Write the document to `path`, whole or not at all."""
        write_text(path, self.html)

    def __repr__(self) -> str:
        return f"VotesReport({', '.join(self.results)}; {len(self.html) / 1e6:.1f} MB)"

    def _repr_html_(self) -> str:
        return of_report(self.sentences, self.results.get("rank"))


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
) -> VotesReport:
    """Rank systems by votes, compare judges with people, and put it on one page; also save it to `path` if given.

    Parameters
    ----------
    votes
        Votes of people, of judges, or of both.
    path
        The HTML file to write.
    title
        The heading of the page.

    Examples
    --------
    >>> votes = Votes.from_arrays(["x"] * 4, ["y"] * 4, ["a", "a", "a", "b"])
    >>> make_votes_report(votes).html.startswith("<!doctype html>")
    True
    """
    from metassay.studies.judge_votes import judge_votes
    from metassay.studies.rank import rank

    sampled: dict[str, Any] = {"resamples": resamples, "seed": seed}
    results: dict[str, Result] = {"rank": rank(votes, human=human, metric=metric, confidence=confidence, **sampled)}
    skipped = {}
    try:
        results["judge_votes"] = judge_votes(votes, human=human, judge=metric, confidence=confidence)
    except MetassayError as error:  # without people, or without judges
        skipped["judge_votes"] = one_line(error, 300)
    pages = {name: views.page(result, TABLES[name]) for name, result in results.items()}
    leads = tuple(sentence for page in pages.values() for sentence in page.lead)
    body = [
        '<section id="answer" aria-labelledby="answer-title"><h2 id="answer-title">The answer</h2>'
        + each("<p>{}</p>", zip(leads, strict=True))
        + "</section>",
        _navigation(results, skipped),
        f"<div hidden>{_filled('controls', switches='', boxes='')}</div>",  # nothing here is switched
        *(_section(name, result, pages[name]) for name, result in results.items()),
        _facts(votes),
    ]
    report = VotesReport(document(title, body), leads, results)
    if path is not None:
        report.save(path)
    return report


def _question(name: str) -> str:
    return read_question(HOMES[name])


def _navigation(results: Mapping[str, Result], skipped: Mapping[str, str]) -> str:
    links = [*((name, _question(name)) for name in results), ("facts", "The data")]
    items = each('<li><a href="#{}">{}</a></li>', links)
    left_out = each("<li>{} Not here: {}</li>", ((_question(name), why) for name, why in skipped.items()))
    return f'<nav aria-label="Contents"><ol>{items}</ol>{f"<ul>{left_out}</ul>" if left_out else ""}</nav>'


def _section(name: str, result: Result, page: Any) -> str:  # noqa: ANN401 - a page of tables
    figures = [(kind, draw(result)) for kind, draw in CHARTS.get(name, {}).items()]
    tables = "\n".join(f'<div class="wide">{html.render_table(table)}</div>' for table in page.tables)
    buttons = " ".join(
        f'<button type="button" data-download="{kind}-{name}" data-file="{name}.{kind}" '
        f'aria-label="Download {words}: {escape(_question(name))}">{words}</button>'
        for kind, words in (("csv", "CSV"), ("tex", "LaTeX"))
    )
    return "\n".join(
        [
            f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{escape(_question(name))}</h2>',
            *(_figure(f"{name}-{kind}", chart) for kind, chart in figures if chart.rows),
            f"<details{'' if figures else ' open'}><summary>Tables</summary>\n{tables}\n</details>",
            f"<ul>{each('<li>{}</li>', zip(page.notes, strict=True))}</ul>",
            _data(f"csv-{name}", data.to_csv(result, safe=True)),
            _data(f"tex-{name}", latex.render(page)),
            f'<p class="downloads">Download: {buttons}</p>',
            f'<p class="signature"><code>{escape(page.signature)}</code></p></section>',
        ]
    )


def _facts(votes: Votes) -> str:
    sizes = (
        (len(votes), "vote"),
        (len(votes.systems), "system"),
        (len(votes.inputs), "input"),
        (len(votes.raters), "rater"),
    )
    told = ", ".join(numbers.counted(n, what) for n, what in sizes)
    files = each("<li>{}</li>", ((one_line(source, 300),) for source in votes.sources))
    return (
        '<section id="facts" aria-labelledby="facts-title"><h2 id="facts-title">The data</h2>'
        f"<p>{escape(told)}.</p><ul>{files}</ul></section>"
    )
