"""Does scoring the whole test set narrow the intervals?

People judge few inputs, but a metric can score the whole test set. This command compares the confidence intervals of
system-level correlations when the metric's means are taken over the judged inputs and over all inputs that it scored,
for all three bootstraps. If people judged every input, --annotated treats only some of them as judged.

    metassay widths scores.csv --human relevance --annotated 20
    metassay widths test-set.csv human.jsonl --human 'expert*' --metric 'rouge*' -o widths.tex
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from metassay.core import fields, vocabulary
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import DataError
from metassay.stats.statistics.registry import choose
from metassay.studies.agree import Agreement, AgreementRow, agree
from metassay.studies.input_sets import has_scores
from metassay.studies.selection import select, take_as_annotated
from metassay.studies.yardsticks import notes_on_kinds, notes_on_sentinels


@fields.row
class WidthRow(fields.OfMetric):
    """The interval of one correlation with the annotated inputs (a), and with all inputs of the metric (t)."""

    level: str
    """Always ``system``: only system means can use more inputs than people annotated."""
    statistic: fields.Statistic
    interval: str
    """``boot-systems``, ``boot-inputs`` or ``boot-both``."""
    estimate_a: float
    """The correlation if the metric's means use the annotated inputs."""
    low_a: fields.Low
    high_a: fields.High
    width_a: float
    """``high_a − low_a``."""
    estimate_t: float
    """The correlation if the metric's means use every input that it has."""
    low_t: fields.Low
    high_t: fields.High
    width_t: float
    """``high_t − low_t``."""
    width_change: float
    """Relative change ``width_t / width_a − 1``: negative if more inputs narrow the interval; NaN if undefined."""
    confidence: fields.Confidence
    resamples: fields.Resamples
    n_systems: fields.SharedSystems
    n_annotated: fields.NAnnotated
    n_inputs: int
    """Inputs with at least one score from the metric."""
    resamples_undefined_a: int
    """Resamples whose correlation was undefined; excluded from the interval with the annotated inputs."""
    resamples_undefined_t: int
    """The same for the interval with all inputs."""
    kind: fields.MetricKind = "metric"
    beats_sentinels: fields.BeatsSentinels = None


@fields.row
class WidthChange:
    """The mean change in interval width."""

    human: fields.Human
    statistic: fields.Statistic
    interval: str
    """``boot-systems``, ``boot-inputs`` or ``boot-both``."""
    mean: float
    """Mean over metrics of the relative changes in width; NaN if none is defined."""
    n_metrics: int
    """Metrics with inputs that people did not annotate, and defined intervals."""


class Widths(Result, study="widths"):
    """Intervals of system-level correlations with the annotated inputs and with all inputs."""

    table: Sequence[WidthRow]
    """One row per human criterion, statistic, method and metric."""
    changes: tuple[WidthChange, ...]
    """Mean change in width per human criterion, statistic and method."""


@study
def widths(
    scores: Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    statistic: opt.Statistics = "kendall",
    annotated: opt.AnnotatedInputs = None,
    confidence: opt.Confidence = 0.95,
    resamples: opt.Resamples = 10_000,
    seed: opt.Seed = 0,
    references: opt.References = False,
    sentinels: opt.Sentinels = False,
    people_as_metrics: opt.PeopleAsMetrics = False,
) -> Widths:
    """Compare intervals of system-level correlations with the annotated inputs and with all that metrics scored.

    Parameters
    ----------
    scores
        Scores of metrics and people, the metrics on more inputs than people annotated.

    Notes
    -----
    Deutsch, Dror and Roth (2022), "Re-Examining System-Level Correlations of Automatic Summarization Evaluation
    Metrics", §3.2 and appendix A. Both intervals use the same draws of systems and of annotated inputs, so they differ
    by the metric's inputs and not by chance.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.widths(ma.example(), human="relevance", metric="synthetic-o*", annotated=20, resamples=500)
    >>> {row.interval for row in result.table} == {"boot-systems", "boot-inputs", "boot-both"}
    True
    """
    statistics = choose(statistic, ["system"], fixed=True)
    whole = select(scores, human, metric, references=references, sentinels=sentinels, people=people_as_metrics)
    studied, simulated = take_as_annotated(scores, whole.humans, annotated, seed)
    selected = select(studied, human, metric, references=references)
    judged = {name: has_scores(matrix) for name, matrix in zip(selected.humans, selected.z, strict=True)}
    scored = {name: has_scores(matrix) for name, matrix in zip(selected.metrics, selected.x, strict=True)}
    gains = {(m, h): bool((scored[m] & ~judged[h]).any()) for m in scored for h in judged}
    if not any(gains.values()):
        raise DataError(
            "people judged every input that metrics scored, so there are no further inputs; treat only some inputs "
            f"as judged with annotated=… or --annotated N (fewer than {len(selected.scores.inputs)})"
        )

    def run(interval: str, inputs: str) -> Agreement:
        return agree(
            studied,
            human=selected.humans,
            metric=selected.metrics,
            level="system",
            statistic=statistics,
            inputs=inputs,
            interval=interval,
            confidence=confidence,
            resamples=resamples,
            seed=seed,
            references=references,
            sentinels=sentinels,
            people_as_metrics=people_as_metrics,
        )

    results = {name: (run(name, "annotated"), run(name, "all")) for name in vocabulary.BOOTSTRAPS}
    every = [_row(a, t) for one, other in results.values() for a, t in zip(one.table, other.table, strict=True)]
    rows, changes = [], []
    for h in selected.humans:
        for each in statistics:
            for interval in vocabulary.BOOTSTRAPS:
                mine = [row for row in every if (row.human, row.statistic, row.interval) == (h, each.name, interval)]
                rows += mine
                changes.append(_mean_change(mine, [row for row in mine if gains.get((row.metric, h))]))
    sizes = {**selected.sizes("annotated"), "means": None}
    signature = Signature.open(
        level="system",
        ci=[*vocabulary.BOOTSTRAPS, f"{confidence:g}"],
        chosen=None if annotated is None else "by-name" if isinstance(annotated, Iterable) else "by-seed",
        **sizes,
    )
    notes = [*simulated, *notes_on_kinds(whole.notes, [row.kind for row in rows]), *_notes(rows, changes, gains)]
    notes += notes_on_sentinels(results["boot-both"][1].table, 1 - confidence)
    return Widths(tuple(rows), signature, tuple(notes), tuple(changes))


def _row(a: AgreementRow, t: AgreementRow) -> WidthRow:
    width_a, width_t = a.high - a.low, t.high - t.low
    return fields.filled(
        WidthRow,
        t,
        estimate_a=a.estimate,
        low_a=a.low,
        high_a=a.high,
        width_a=width_a,
        estimate_t=t.estimate,
        low_t=t.low,
        high_t=t.high,
        width_t=width_t,
        width_change=width_t / width_a - 1 if width_a > 0 else math.nan,
        resamples_undefined_a=a.resamples_undefined,
        resamples_undefined_t=t.resamples_undefined,
    )


def _mean_change(rows: Sequence[WidthRow], gaining: Sequence[WidthRow]) -> WidthChange:
    known = [row.width_change for row in gaining if not math.isnan(row.width_change)]
    mean = sum(known) / len(known) if known else math.nan
    return WidthChange(rows[0].human, rows[0].statistic, rows[0].interval, mean, len(known))


def _notes(rows: Sequence[WidthRow], changes: Sequence[WidthChange], gains: dict[tuple[str, str], bool]) -> list[Note]:
    known: dict[tuple[str, str], list[WidthChange]] = {}
    for change in changes:
        if change.n_metrics:
            known.setdefault((change.human, change.statistic), []).append(change)
    notes = []
    for (human, statistic), some in known.items():
        facts = {"changes": [(change.interval, change.mean) for change in some], "metrics": some[0].n_metrics}
        notes.append(Note.of("width-change", human=human, statistic=statistic, **facts))
    never = len({metric for (metric, _), gain in gains.items() if not gain})
    undefined = max(max(row.resamples_undefined_a, row.resamples_undefined_t) for row in rows)
    return [
        *notes,
        Note.of("width-also-by-estimate"),
        Note.of("width-loses-pairing"),
        *Note.when(never > 0, "metrics-without-further-inputs", n=never),
        *Note.when(undefined > 0, "interval-resamples-undefined", n=undefined, resamples=rows[0].resamples),
    ]
