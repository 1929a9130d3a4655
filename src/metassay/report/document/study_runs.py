"""What a report holds: one study after the other, each on the same scores, and what could not be done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from metassay import engine
from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.errors import DataError, one_line
from metassay.report import names
from metassay.report.views.columns import grouped
from metassay.report.words import best_first

if TYPE_CHECKING:
    from metassay.core.options import Names
    from metassay.stats.statistics.registry import Statistics
    from metassay.studies.agree import AgreementRow
    from metassay.studies.plan import Plan

Watch = Callable[[str, int, int], None]
FIRST = ("agree", "compare", "judge")
"""Studies that the first screen of the page shows."""

FEW_SYSTEMS = 10
"""Rankings of fewer systems than this say little."""
WITH_LABELS = ("judge", "bias", "reliability")
"""Studies that answer something about labels of few systems, of which rankings and correlations say nothing more."""

LEVELS = "system,input"
COEFFICIENTS = "kendall,pearson,spearman"
TESTED = "kendall,pearson"
"""Coefficients for which metrics are tested against each other: every pair is, and Spearman would double the time."""
TRIALS = 200
"""Data sets behind each number of the section on planning."""
MOST_KINDS = 8
"""An attribute of more values than this names inputs or systems, instead of sorting them."""
MOST_SLICED = 10
"""Slices are shown for so many of the metrics that agree best with the first criterion."""
FEWEST = {"input": 10, "system": 5}
"""Every kind has at least so many of them."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Findings:
    """What studies found."""

    results: Mapping[str, Result]
    """What each study found, by the study's name, in reading order."""
    skipped: Mapping[str, str]
    """Studies that these data do not allow, with the reason."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Dossier(Findings):
    """Everything that a report shows."""

    scores: Scores
    """The scores behind it, people's own texts left out."""
    humans: tuple[str, ...]
    """The human criteria; the first is the one that the opening speaks of."""
    metrics: tuple[str, ...]
    """The metrics."""
    full: bool = False
    """Whether p-values of all pairs are shown however many metrics there are."""


def about_judges(scores: Scores, humans: Sequence[str]) -> bool:
    """Return whether people gave labels, so that single outputs can be right or wrong."""
    return any(scores[name].scale.kind != "interval" for name in humans)


def gather(
    scores: Scores,
    *,
    human: Names | None = None,
    metric: Names | None = None,
    statistic: Statistics | None = None,
    watch: Watch | None = None,
    confidence: float = 0.95,
    resamples: int = 10_000,
    beside: Mapping[str, bool] | None = None,
    full: bool = False,
    by: str | None = None,
    average: Any = "equal",  # noqa: ANN401 - weights of tasks
    first: Callable[[Dossier], None] | None = None,
    **drawn: Any,  # noqa: ANN401 - seed and threads
) -> Dossier:
    """Run every study that needs nothing but scores; the options are those of :func:`metassay.make_report`.

    `beside` says what stands beside metrics where they are compared with people; `first` takes what the first screen
    shows as soon as that is known.
    """
    from metassay.studies.judge_data import with_people
    from metassay.studies.look import look

    humans = scores.find_humans(human)
    metrics = scores.find_metrics(metric, humans)
    judged, said = about_judges(scores, humans), list[Note]()
    if judged:
        scores, humans, said = with_people(scores, humans)
        metrics = tuple(name for name in metrics if name in scores.columns)
    own = scores.without_references()
    named = {"human": humans, "metric": metrics}
    sampled = {"resamples": resamples, "confidence": confidence, **drawn}
    plans = _plans(own, statistic, judged, {"by": by, "average": average}, beside or {}, sampled, drawn)
    shown = Dossier(results={}, skipped={}, scores=own, humans=humans, metrics=metrics, full=full)
    results: dict[str, Result] = {"look": look(scores)}
    skipped: dict[str, str] = {}
    few = own.shape[0] < FEW_SYSTEMS and statistic is None and by is None
    for at, (name, (study, options)) in enumerate(plans.items()):
        if watch is not None:
            watch(name, at, len(plans))
        needless = "judge" in results and few and name not in WITH_LABELS
        if name == "criteria" and len(humans) < 2 and not needless:
            skipped[name] = "it compares human criteria with each other, and there is only one"
            continue
        if name == "criteria" and statistic is not None and "agree" in results:
            options["statistic"] = names.statistics(results["agree"].table)[0]
        if name == "judge":
            options |= {"judge": metrics, "metric": None}
        if name == "plan":
            options["agreed"] = results["agree"].table
        if name == "slices":
            agreed = next(iter(grouped(results["agree"].table, names.SETTING).values()))
            options["metric"] = [row.metric for row in best_first(agreed)[:MOST_SLICED]]
        given = {key: value for key, value in {**named, **options}.items() if value is not None}
        try:
            if not needless:
                with engine.stage(at, len(plans) + 1, name):
                    results[name] = study(own, **given)
            if name == "judge":
                results[name] = replace(results[name], notes=(*results[name].notes, *said))
        except DataError as error:
            # Agreement is what the report is about; without it, and without labels, there is nothing to tell.
            if name == "agree" and not judged:
                raise
            skipped[name] = one_line(error, 300)
        last = name in FIRST and not set(FIRST) & set(list(plans)[at + 1 :])
        if first is not None and last and {"agree", "judge"} & results.keys():
            first(replace(shown, results={**results}, skipped={**skipped}))
    if not {"agree", "judge"} & results.keys():
        raise DataError(skipped.get("judge") or skipped["agree"])
    return replace(shown, results=results, skipped=skipped)


def _plans(
    scores: Scores,
    statistic: Statistics | None,
    judged: bool,
    tasks: Mapping[str, Any],
    more: Mapping[str, bool],
    sampled: Mapping[str, Any],
    drawn: Mapping[str, Any],
) -> dict[str, tuple[Callable[..., Result], dict[str, Any]]]:
    """Return the studies that scores allow, each with its options, in the order in which they are done."""
    from metassay.studies.agree import agree
    from metassay.studies.bias import bias
    from metassay.studies.compare import compare
    from metassay.studies.criteria import criteria
    from metassay.studies.decisions import decisions
    from metassay.studies.differences import differences
    from metassay.studies.difficulty import difficulty
    from metassay.studies.judge import judge
    from metassay.studies.leaderboard import leaderboard
    from metassay.studies.lengths import output_text
    from metassay.studies.normality import normality
    from metassay.studies.pairs import pairs
    from metassay.studies.precision import precision
    from metassay.studies.reliability import reliability
    from metassay.studies.stability import stability

    resamples, confidence, by = sampled["resamples"], sampled["confidence"], tasks["by"]
    kinds = _kinds(scores)

    def few(most: int) -> dict[str, Any]:
        return {**sampled, "resamples": min(resamples, most)}

    # Without systems outputs are compared, and inputs are all that can be drawn again.
    interval, test = (
        ({"level": LEVELS}, {"level": LEVELS})
        if scores.has_systems
        else ({"level": "global", "interval": "boot-inputs"}, {"level": "global", "test": "paired-boot-inputs"})
    )
    single = {"level": "system"} if scores.has_systems else interval
    compared = {**test, "statistic": statistic or TESTED, "resamples": resamples}
    plans: dict[str, tuple[Callable[..., Result], dict[str, Any]]] = {
        "judge": (judge, {"confidence": confidence, **drawn}),
        "agree": (agree, {**interval, "statistic": statistic or COEFFICIENTS, "limits": True, **more, **sampled}),
        "compare": (compare, {**compared, **more, **drawn}),
        "leaderboard": (leaderboard, {**tasks, "statistic": statistic, **more, **few(1_000)}),
        "bias": (bias, {"confidence": confidence}),
        "criteria": (criteria, {**more, "confidence": confidence}),
        "pairs": (pairs, {**more, **few(1_000)}),
        "decisions": (decisions, {**more, **few(2_000)}),
        "differences": (differences, {"by": by, **few(400)}),
        "stability": (stability, {**drawn}),
        "precision": (precision, {**sampled}),
        "reliability": (reliability, few(1_000)),
        "plan": (_plan_for_leaders, {**single, "confidence": confidence, **drawn}),
        "slices": (agree, {**single, "by": kinds, "confidence": confidence, **drawn}),
        "difficulty": (difficulty, {"confidence": confidence}),
        "normality": (normality, {}),
    }
    # Without texts and families nothing is known that could sway a judge.
    wanted = {"judge": judged, "leaderboard": by is not None, "bias": output_text(scores) or scores.families}
    wanted |= {"plan": not judged, "slices": kinds is not None and not judged}
    return {name: plan for name, plan in plans.items() if wanted.get(name, True)}


def _kinds(scores: Scores) -> str | None:
    """Return the first attribute that sorts inputs or systems into a few kinds, each with several of them."""
    for name, attribute in scores.attributes.items():
        sizes = [int((attribute.codes == at).sum()) for at in range(len(attribute.labels))]
        least = FEWEST.get(attribute.axis)
        if least is not None and 1 < len(sizes) <= MOST_KINDS and min(sizes) >= least:
            return name
    return None


def _plan_for_leaders(
    scores: Scores,
    *,
    human: Sequence[str],
    metric: object,
    agreed: Sequence[AgreementRow],
    **options: Any,  # noqa: ANN401 - of the study
) -> Plan:
    """Plan for the metric that agrees best with each criterion, from the fitted model alone."""
    from metassay.studies.plan import plan

    del metric
    statistic = names.statistics(agreed)[0]
    if not vocabulary.is_correlation(statistic):
        raise DataError(f"it is for correlations; metassay plan --statistic {statistic} plans for others")
    options |= {"statistic": statistic, "trials": TRIALS, "model_only": True}
    rows = [row for row in agreed if (row.level, row.statistic) == (options["level"], statistic)]
    leaders = [best_first([row for row in rows if row.human == criterion])[:1] for criterion in human]
    found: list[Plan] = [
        plan(scores, human=best.human, metric=best.metric, **options) for (best,) in filter(None, leaders)
    ]
    if not found:
        raise DataError("no metric has a defined agreement with people")
    return replace(
        found[0],
        table=tuple(row for each in found for row in each.table),
        needs=tuple(row for each in found for row in each.needs),
        notes=tuple(dict.fromkeys(note for each in found for note in each.notes)),
    )
