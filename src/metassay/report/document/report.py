"""From scores to a report in one call."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metassay.core import options as opt
from metassay.core.files import write_text
from metassay.core.scores import Scores
from metassay.core.study import study
from metassay.report.document import page, summary
from metassay.report.document.study_runs import Dossier, Findings, Watch, gather
from metassay.report.formats import of_report

if TYPE_CHECKING:
    from metassay.stats.statistics.registry import Statistics

TITLE, OF_JUDGES = "How far can these metrics be trusted?", "How far can these judges be trusted?"


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
        first = (self.dossier.results[name] for name in ("judge", "agree", "rank") if name in self.dossier.results)
        return of_report(self.sentences, next(first, None))


@study
def make_report(
    scores: Scores,
    path: str | Path | None = None,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    statistic: Statistics | None = None,
    title: str | None = None,
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

    The opening speaks of the first human criterion.

    Parameters
    ----------
    scores
        Scores of metrics and people.
    path
        The HTML file to write.
    statistic
        Statistics of agreement, the first of which is also that of `criteria`; by default Kendall, Pearson and
        Spearman.
    title
        The heading of the page; by default a question about metrics, or about judges if people gave labels.
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
    chosen: dict[str, Any] = {"human": human, "metric": metric, "statistic": statistic, "full": full}

    def heading(found: Dossier) -> str:
        return title or (OF_JUDGES if "judge" in found.results else TITLE)

    def begun(found: Dossier) -> None:
        if first is not None:
            write_text(first, page.render(found, title=heading(found), first=True))

    dossier = gather(scores, **chosen, watch=watch, first=begun, beside=beside, **sampled)
    report = Report(page.render(dossier, title=heading(dossier)), summary.answer(dossier), dossier)
    if path is not None:
        report.save(path)
    return report
