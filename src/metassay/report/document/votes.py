"""From votes to a report in one call: who wins, whether judges vote as people do, and what sways them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from metassay.core import options as opt
from metassay.core.result import Result
from metassay.core.study import study
from metassay.core.votes import Votes
from metassay.report import numbers
from metassay.report.document.report import Plans, Report, short_report
from metassay.report.document.study_runs import Watch

TITLE = "Ranking of systems by votes"
VIEWS = {"rank": "full,gaps,agreement,matrix,raters", "judge_votes": "summary,orders,margins,people"}
"""What the tables of a section show."""
OPENING = {"rank": "board", "judge_votes": "summary"}
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
    plans: Plans = {
        "rank": (rank, {**named, "metric": metric, "resamples": resamples, "seed": seed}, ""),
        "judge_votes": (judge_votes, {**named, "judge": metric}, "rank"),
        "bias": (bias, {**named, "metric": metric}, "judge_votes"),
    }
    size, sources = _size(votes), votes.sources
    told: dict[str, Any] = {"title": title, "size": size, "sources": sources, "path": path, "watch": watch}
    return short_report(votes, plans, OPENING, VIEWS, arranged=_best_judges_first, **told)


def _best_judges_first(results: Mapping[str, Result]) -> dict[str, Result]:
    """Return the ranking with people first, and then the judges that agree with them most often."""
    from metassay.studies.judge_votes import JudgeVotes
    from metassay.studies.rank import Ranking

    ranking, judged = results["rank"], results.get("judge_votes")
    if not (isinstance(ranking, Ranking) and isinstance(judged, JudgeVotes)):
        return {}
    agreement = {row.judge: -row.agreement for row in judged.table if row.agreement == row.agreement}
    table = sorted(ranking.table, key=lambda row: (row.kind != "human", agreement.get(row.metric, 0.0)))
    return {"rank": replace(ranking, table=tuple(table))}


def _size(votes: Votes) -> str:
    sizes = {"vote": len(votes), "system": len(votes.systems), "input": len(votes.inputs), "rater": len(votes.raters)}
    return ", ".join(numbers.counted(n, what) for what, n in sizes.items()) + "."
