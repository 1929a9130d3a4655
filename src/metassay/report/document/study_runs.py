"""What a report holds: one study after the other, each on the same scores, and what could not be done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from metassay import engine
from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.slices import MOST as MOST_SLICES
from metassay.errors import DataError, one_line
from metassay.report import names, numbers
from metassay.report.views.columns import grouped
from metassay.report.words import best_first

if TYPE_CHECKING:
    from metassay.core.options import Names
    from metassay.stats.statistics.registry import Statistics
    from metassay.studies.agree import AgreementRow
    from metassay.studies.judge_rows import JudgeRow
    from metassay.studies.plan import Plan
    from metassay.studies.plan_labels import LabelPlan

Watch = Callable[[str, int, int], None]
SLICES = "slices"
"""What the section of an attribute is called; further ones have a number."""
FIRST = ("agree", "compare", "judge")
"""Studies that the first screen of the page shows."""

FEW_SYSTEMS = 10
"""Rankings of fewer systems than this say little."""
WITH_LABELS = ("judge", "bias", "reliability", "plan_labels")
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
MOST_CRITERIA = 8
"""So many human criteria are held fixed for each other: there are as many cases as criteria squared times metrics."""
MOST_SLICINGS = 3
"""So many attributes are shown; others are named."""
POSSIBLE = (LEVELS, "system", "input", "global")
"""Levels at which metrics are compared with people: the first of these that the scores allow."""


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
    unsliced: Mapping[str, str] = field(default_factory=dict)
    """Attributes for which there are no slices, with the reason."""


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
    kinds, others = _kinds(own)
    level = _levels(own, humans, metrics)
    known = {"level": level, "kinds": kinds, "judged": judged}
    plans = _plans(own, statistic, known, {"by": by, "average": average}, beside or {}, sampled, drawn)
    shown = Dossier(results={}, skipped={}, scores=own, humans=humans, metrics=metrics, full=full)
    results: dict[str, Result] = {"look": look(scores)}
    skipped: dict[str, str] = {}
    few_criteria = Note.when(len(humans) > MOST_CRITERIA, "criteria-first", n=MOST_CRITERIA, criteria=len(humans))
    few = own.shape[0] < FEW_SYSTEMS and statistic is None and by is None
    for at, (name, (study, options)) in enumerate(plans.items()):
        if watch is not None:
            watch(name, at, len(plans))
        needless = "judge" in results and few and name not in WITH_LABELS
        if name == "criteria" and len(humans) < 2 and not needless:
            skipped[name] = "it compares human criteria with each other, and there is only one"
            continue
        if name == "stability" and level == "input":
            skipped[name] = "systems are ranked on different inputs"
            continue
        if name == "criteria" and len(humans) > MOST_CRITERIA:
            options["human"] = humans[:MOST_CRITERIA]
        if name == "criteria" and statistic is not None and "agree" in results:
            options["statistic"] = names.statistics(results["agree"].table)[0]
        if name == "judge":
            options |= {"judge": metrics, "metric": None}
        if name == "plan":
            options["agreed"] = results["agree"].table
        if name == "plan_labels":
            options["judged"] = results["judge"].table if "judge" in results else ()
        if name.startswith(SLICES):
            agreed = next(iter(grouped(results["agree"].table, names.SETTING).values()))
            options["metric"] = [row.metric for row in best_first(agreed)[:MOST_SLICED]]
        given = {key: value for key, value in {**named, **options}.items() if value is not None}
        try:
            if not needless:
                with engine.stage(at, len(plans) + 1, name):
                    results[name] = study(own, **given)
            more = {"judge": said, "criteria": few_criteria}.get(name, [])
            if more and name in results:
                results[name] = replace(results[name], notes=(*results[name].notes, *more))
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
    for name in ("agree", "judge"):
        if name in results and results[name].rows("disagreements"):
            results["disagreements"] = results[name]
    if others and not kinds and not judged:
        skipped[SLICES] = "; ".join(f"{one_line(name, 60)}: {why}" for name, why in others.items())
    if "disagreements" not in results:
        skipped["disagreements"] = "no output was scored by both a metric and people, or they rank all alike"
    return replace(shown, results=results, skipped=skipped, unsliced=others)


def _levels(scores: Scores, humans: Sequence[str], metrics: Sequence[str]) -> str:
    """Return the levels that scores allow; the usual ones, with the reason that a study gives, if they allow none."""
    from metassay.studies.selection import select

    for level in POSSIBLE:
        with suppress(DataError):
            select(scores, humans, metrics, references=False).need(levels=level.split(","))
            return level
    return LEVELS


def _plans(
    scores: Scores,
    statistic: Statistics | None,
    known: Mapping[str, Any],
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
    level, judged = known["level"], known["judged"]

    def few(most: int) -> dict[str, Any]:
        return {**sampled, "resamples": min(resamples, most)}

    # Without several systems outputs are compared, and inputs are all that can be drawn again.
    interval, test = (
        ({"level": level}, {"level": level})
        if level != "global"
        else ({"level": "global", "interval": "boot-inputs"}, {"level": "global", "test": "paired-boot-inputs"})
    )
    single = {"level": "system"} if scores.has_systems and level != "global" else interval
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
        "differences": (differences, {"by": by, **more, **few(400)}),
        "stability": (stability, {**drawn}),
        "precision": (precision, {**sampled}),
        "reliability": (reliability, few(1_000)),
        "plan": (_plan_for_leaders, {**single, "confidence": confidence, **drawn}),
        "plan_labels": (_plan_for_judges, {"confidence": confidence, **drawn}),
        "difficulty": (difficulty, {"confidence": confidence}),
        "normality": (normality, {}),
    }
    for at, kind in enumerate(() if judged else known["kinds"]):
        section = f"{SLICES}-{at + 1}" if at else SLICES
        plans[section] = (agree, {**single, "by": kind, "confidence": confidence, **drawn})
    # Without texts and families nothing is known that could sway a judge.
    wanted = {"judge": judged, "leaderboard": by is not None, "bias": output_text(scores) or scores.families}
    wanted |= {"plan": not judged, "plan_labels": judged}
    return {name: plan for name, plan in plans.items() if wanted.get(name, True)}


def _kinds(scores: Scores) -> tuple[list[str], dict[str, str]]:
    """Return the attributes that sort inputs or systems into a few kinds, each with several; and why others do not."""
    fit, others = list[str](), dict[str, str]()
    for name, attribute in scores.attributes.items():
        sizes = [int((attribute.codes == at).sum()) for at in range(len(attribute.labels))]
        least = FEWEST.get(attribute.axis)
        if not 1 < len(sizes) <= min(MOST_SLICES, attribute.codes.size // 2):
            continue  # a constant, a name or a text
        if least is None:
            others[name] = "it differs between outputs for one input"
        elif len(sizes) > MOST_KINDS:
            others[name] = f"it has {len(sizes)} values"
        elif min(sizes) < least:
            others[name] = f"one of its values has {numbers.counted(min(sizes), attribute.axis)}"
        elif len(fit) == MOST_SLICINGS:
            others[name] = f"the first {MOST_SLICINGS} are shown"
        else:
            fit.append(name)
    return fit, others


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
    if options["level"] not in {row.level for row in agreed}:
        raise DataError(f"it is about the {options['level']} level, at which these systems cannot be compared")
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


def _plan_for_judges(
    scores: Scores,
    *,
    human: object,
    metric: object,
    judged: Sequence[JudgeRow],
    threads: object = None,
    **options: Any,  # noqa: ANN401 - of the study
) -> LabelPlan:
    """Plan labels for the judge that agrees best with each criterion: for half the width that the card shows."""
    from metassay.studies.plan_labels import plan_labels

    del human, metric, threads
    known = [row for row in judged if row.high > row.low and row.human in scores.columns]
    best = [max(rows, key=names.goodness) for rows in grouped(known, "human").values()][:MOST_CRITERIA]
    if not best:
        raise DataError("no judge has an interval that more labels could narrow")
    half = float(f"{(best[0].high - best[0].low) / 4:.2g}")
    options |= {"half_width": half, "trials": TRIALS}
    found: list[LabelPlan] = [plan_labels(scores, human=row.human, metric=row.judge, **options) for row in best]
    return replace(
        found[0],
        table=tuple(row for each in found for row in each.table),
        choices=tuple(row for each in found for row in each.choices),
        notes=tuple(dict.fromkeys(note for each in found for note in each.notes)),
    )
