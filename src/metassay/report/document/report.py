"""From scores to a report in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metassay.core import options as opt
from metassay.core.files import write_text
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.study import study
from metassay.errors import MetassayError, UsageError, one_line
from metassay.report import numbers, views
from metassay.report.document import page, summary
from metassay.report.document.study_runs import Dossier, Findings, Watch, gather
from metassay.report.formats import of_report
from metassay.report.notes import is_answer
from metassay.report.templates import each

if TYPE_CHECKING:
    from metassay.stats.statistics.registry import Statistics

TITLE, OF_JUDGES = "Metrics against human judgments", "Judges against human judgments"
Plans = Mapping[str, tuple[Callable[..., Result], dict[str, Any], str]]
"""Studies by name, each with its options and the study without which it says nothing; the first must succeed."""


@dataclass(frozen=True, eq=False)
class Report:
    """A report, ready to be saved or shown."""

    html: str
    """The whole document: one file that needs no network."""
    sentences: tuple[str, ...]
    """The sentences that matter."""
    dossier: Findings
    """The results behind it, by study (``results``), and which studies the data do not allow (``skipped``)."""

    def save(self, path: str | Path) -> None:
        """Write the document to `path`, whole or not at all."""
        write_text(path, self.html)

    def __repr__(self) -> str:
        return f"Report({', '.join(self.dossier.results)}; {len(self.html) / 1e6:.1f} MB)"

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def _repr_html_(self) -> str:
        first = (
            self.dossier.results[name]
            for name in ("judge", "agree", "rank", "leaderboard")
            if name in self.dossier.results
        )
        return of_report(self.sentences, next(first, None))


def short_report(
    studied: object,
    plans: Plans,
    opening: Mapping[str, str],
    shown: Mapping[str, str],
    *,
    title: str,
    size: str,
    sources: Iterable[object],
    path: str | Path | None,
    watch: Watch | None,
    arranged: Callable[[Mapping[str, Result]], Mapping[str, Result]] | None = None,
) -> Report:
    """Run a few studies and put them on one page, which opens with views of some of them.

    Parameters
    ----------
    studied
        What is studied.
    plans
        The studies.
    opening, shown
        Views, by study, that the first screen and the tables of a section show.
    size, sources
        How much was studied, in words, and the files that it comes from.
    arranged
        Returns results, by study, that the first screen shows in another order.
    """
    results: dict[str, Result] = {}
    skipped: dict[str, str] = {}
    for at, (name, (run, options, after)) in enumerate(plans.items()):
        if watch is not None:
            watch(name, at, len(plans))
        try:
            if not at or after in results:
                results[name] = run(studied, **options)
        except MetassayError as error:  # without people, or without judges
            if not results:
                raise
            skipped[name] = one_line(error, 300)
    found = Findings(results=results, skipped=skipped)
    opened = {**results, **({} if arranged is None else arranged(results))}
    cards = [(name, views.page(opened[name], view)) for name, view in opening.items() if name in results]
    told = [note for name in opening if name in results for note in results[name].notes if not is_answer(note)]
    made = page.sections(found, told, shown)
    files = each("<li>{}</li>", ((one_line(source, 300),) for source in sources))
    answers = [page.verdict(card, page.following(found, [name])) for name, card in cards]
    body = [
        f'<p class="size">{escape(size)}</p>',
        page.controls(chart for _, charts in made.values() for chart in charts.values()),
        page.answer([*answers, page.caveats(told, above="".join(answers))]),
        page.navigation(found, {"facts": "The data"}),
        *(section for section, _ in made.values()),
        '<section id="facts" aria-labelledby="facts-title"><h2 id="facts-title">The data</h2>'
        f"<p>{escape(size)}</p><ul>{files}</ul></section>",
    ]
    report = Report(page.document(title, body), tuple(said for _, card in cards for said in card.said), found)
    if path is not None:
        report.save(path)
    return report


@study
def make_report(
    scores: Scores | Mapping[str, Scores],
    path: str | Path | None = None,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    statistic: Statistics | None = None,
    title: str | None = None,
    by: opt.Tasks = None,
    average: opt.Average = "equal",
    confidence: opt.Confidence = 0.95,
    resamples: opt.Resamples = 10_000,
    seed: opt.Seed = 0,
    sentinels: opt.Sentinels = False,
    people_as_metrics: opt.PeopleAsMetrics = False,
    full: opt.Full = False,
    watch: Watch | None = None,
    first: str | Path | None = None,
) -> Report:
    """Run every study that the scores allow and put them on one page; also save it to `path` if one is given.

    The first screen is about the first human criterion.

    Parameters
    ----------
    scores
        Scores of metrics and people; or scores by task, such as ``metassay.read_tasks`` returns, of which the page
        shows the leaderboard and what score differences mean.
    path
        The HTML file to write.
    statistic
        Statistics of agreement, the first of which is also that of `criteria`; by default Kendall, Pearson and
        Spearman.
    title
        The heading of the page; by default it names metrics, or judges if human judgments are labels.
    watch
        Is told the name, the position and the number of studies before each of them.
    first
        An HTML file for the first screen, which is written as soon as it is known, while the rest is computed.

    Examples
    --------
    >>> import metassay as ma
    >>> report = ma.make_report(ma.example(), human="relevance", resamples=200)
    >>> report.html.startswith("<!doctype html>")
    True
    """
    sampled: dict[str, Any] = {"confidence": confidence, "resamples": resamples, "seed": seed}
    beside = {"sentinels": sentinels, "people_as_metrics": people_as_metrics}
    chosen: dict[str, Any] = {"human": human, "metric": metric, "statistic": statistic}
    if isinstance(scores, Mapping):
        if unfit := [name for name, value in {"full (--full)": full, "first": first}.items() if value]:
            raise UsageError(f"{unfit[0]} cannot be used with several tasks")
        drawn = {"by": by, "human": human, "metric": metric, **sampled}
        board = {name: value for name, value in {"statistic": statistic, "average": average}.items() if value}
        return _of_tasks(scores, {**drawn, **beside}, board, title=title or TITLE, path=path, watch=watch)

    def heading(found: Dossier) -> str:
        return title or (OF_JUDGES if "judge" in found.results else TITLE)

    def begun(found: Dossier) -> None:
        if first is not None:
            write_text(first, page.render(found, title=heading(found), first=True))

    more: dict[str, Any] = {"full": full, "by": by, "average": average}
    dossier = gather(scores, **chosen, **more, watch=watch, first=begun, beside=beside, **sampled)
    report = Report(page.render(dossier, title=heading(dossier)), summary.answer(dossier), dossier)
    if path is not None:
        report.save(path)
    return report


def _of_tasks(tasks: Mapping[str, Scores], drawn: Mapping[str, Any], board: Mapping[str, Any], **page: Any) -> Report:  # noqa: ANN401 - title, path and watch
    """Return the report of several tasks."""
    from metassay.studies.differences import differences
    from metassay.studies.leaderboard import leaderboard

    plans: Plans = {
        "leaderboard": (leaderboard, {**drawn, "resamples": min(drawn["resamples"], 1_000), **board}, ""),
        "differences": (differences, {**drawn, "resamples": min(drawn["resamples"], 400)}, "leaderboard"),
    }
    sizes = [
        f"{one_line(task, 60)} ({numbers.counted(own.shape[0], 'system')} × {numbers.counted(own.shape[1], 'input')})"
        for task, own in tasks.items()
    ]
    size = f"{numbers.counted(len(tasks), 'task')}: {', '.join(sizes)}."
    sources = dict.fromkeys(source for own in tasks.values() for source in own.sources)
    views = {"leaderboard": "board"}
    return short_report(tasks, plans, views, {"leaderboard": "intervals,tasks"}, size=size, sources=sources, **page)
