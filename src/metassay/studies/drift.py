"""Do two versions of a judge agree?

Compares two versions of a judge, or of any metric, on the same outputs: how many verdicts flip, how far the pass rate
or the mean shifts, and whether the shift is within a margin that does not matter. By default the intervals stay valid
however often they are computed while outputs are added, for instance in every run of continuous integration.

    metassay drift old=judged-may.csv new=judged-june.csv --metric judge
    metassay drift scores.csv --by judge_version --baseline v1 --margin 0.03
    metassay drift judge.csv --by metric --metric strict-judge,kind-judge --gate changed
    metassay drift old=judged-may.csv new=judged-june.csv --require 'flips.high<=0.1' --junit drift.xml
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from metassay.core import fields
from metassay.core import judge_options as jd
from metassay.core import options as opt
from metassay.core.column import EXTRA_AXES, Column
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import DataError, UnknownName, UsageError, listed, one_line
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.clustered import mean, share, undefined
from metassay.stats.confidence_sequences import confidence_sequence
from metassay.stats.proportions import wilson
from metassay.studies.requirements import RequirementRow, required
from metassay.studies.selection import without_references

MOST_VERDICTS = 20
"""A column with more different values holds measurements, not verdicts: they always flip."""
SHARE = 0.05
"""How much of the range of scores the margin is, if it is not given."""


@fields.row
class DriftRow:
    """One version of a judge against another, on the same outputs."""

    metric: fields.Metric
    baseline: str
    """The version that is compared with."""
    version: str
    """The version that is compared."""
    n: int
    """Outputs that both versions judged."""
    before: float
    """Pass rate, or mean, of the baseline."""
    after: float
    """Pass rate, or mean, of the version."""
    shift: float
    """Version minus baseline."""
    low: float
    """Lower end of the interval of the shift, for a single look: t, clustered by input; Wilson's if all inputs shift
    alike."""
    high: fields.High
    always_low: float
    """Lower end of the interval of the shift that is valid at every look; NaN if no shift fits all looks."""
    always_high: fields.High
    flips: float
    """Share of outputs on which the verdicts differ; NaN for measurements."""
    flips_low: float
    """Lower end of its interval, for a single look."""
    flips_high: fields.High
    up: int
    """Outputs that the version scores higher."""
    down: int
    """Outputs that the version scores lower."""
    margin: float
    """The largest difference of means that counts as equivalent."""
    verdict: str
    """``equivalent`` (the whole interval, and that for a single look, within the margin), else ``changed`` (the whole
    interval above or below 0, as the shift is), else ``undecided``."""
    confidence: fields.Confidence


class Drift(Result, study="drift"):
    """Versions of judges, each compared with a baseline on the same outputs."""

    table: Sequence[DriftRow]
    """One row per metric and version."""
    requirements: tuple[RequirementRow, ...] = ()
    """Whether requirements are met: `judge` is the version, `human` the baseline."""


@study
def drift(
    scores: Scores,
    *,
    by: jd.Versions = "metric",
    baseline: jd.OldVersion = None,
    metric: opt.Metric = None,
    margin: opt.MeanMargin = None,
    once: opt.Once = False,
    confidence: opt.Confidence = 0.95,
    require: jd.Require = None,
    references: opt.References = False,
) -> Drift:
    """Test whether two versions of a judge agree on the same outputs.

    Notes
    -----
    Differences of the two versions are averaged over all outputs; inputs (or clusters of inputs) are treated as
    independent and weighted by their number of outputs. The interval for repeated looks is a confidence sequence:
    Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting", over inputs in the order
    of their names. `once` takes the shorter interval for a single look instead. Equivalence within the margin is then a
    test at level (1 − confidence)/2. Without a `margin` it is 5% of the range of scores: .05 for yes and no, .2 for
    grades 1 to 5.

    Examples
    --------
    >>> import metassay as ma
    >>> scores = ma.Scores.from_arrays({"v1": [[1, 0, 1, 1] * 90], "v2": [[1, 0, 1, 0] + [1, 0, 1, 1] * 89]})
    >>> row = ma.drift(scores).table[0]
    >>> row.version, row.down, row.verdict
    ('v2', 1, 'equivalent')
    """
    kept, notes = without_references(scores, references)
    clusters = kept.input_units()
    rows = []
    cases = list(_versions(kept, by, baseline, metric))
    differ = {name for name, _, _, old, new in cases if not np.array_equal(old, new, equal_nan=True)}
    if by != "metric" and metric is None and differ:  # what people said stands in the files of all versions
        same = dict.fromkeys(name for name, *_ in cases if name not in differ)
        notes += Note.when(same, "versions-the-same", metrics=[*same])
        cases = [case for case in cases if case[0] in differ]
    for name, first, second, before, after in cases:
        bounds, told = _bounds(kept, name if by != "metric" else second, before, after)
        notes += told
        allowed = SHARE * (bounds[1] - bounds[0]) if margin is None else margin
        pair = _Pair(name, first, second, allowed, confidence)
        row = _compared(before, after, clusters, bounds[1] - bounds[0], once, pair)
        rows.append(row)
        chosen = margin is None and bounds != (0.0, 1.0)
        notes += Note.when(chosen, "margin-of-range", metric=name, margin=allowed, low=bounds[0], high=bounds[1])
        alone = int((np.isnan(before) != np.isnan(after)).sum())
        notes += Note.when(alone, "judged-by-one-version", baseline=first, version=second, n=alone)
        swayed = bounds[1] > bounds[0] and not row.always_low <= row.shift <= row.always_high
        notes += Note.when(swayed, "order-matters", baseline=first, version=second)
        facts = {key: getattr(rows[-1], key) for key in _TOLD}
        notes.append(Note.of("drift", **facts, metric="" if by == "metric" else name))
    notes += Note.when(not once and not _in_sequence(kept.inputs), "order-of-names")
    notes += Note.when(once, "looked-at-once", confidence=confidence)
    margins = "/".join(dict.fromkeys(f"{row.margin:g}" for row in rows))
    signature = Signature.open(margin=margins, systems=kept.shape[0], inputs=kept.shape[1])
    met = required(require, rows, partial(_number, once), judge="version", human="baseline")
    return Drift(tuple(rows), signature, tuple(notes), met)


def _number(once: bool, row: DriftRow, name: str, field: str) -> float:
    """Return the number that a requirement speaks of; ends of the shift are those that the verdict rests on."""
    shift = "" if once else "always_"
    ends = {"shift": shift, "flips": "flips_"}
    if name not in (*ends, "before", "after"):
        raise UnknownName("number in a requirement on versions:", name, (*ends, "before", "after"))
    if field in ("low", "high") and name not in ends:
        raise UsageError(f"a requirement cannot use {name}.{field}; {name} has estimate, abs, n")
    return float(
        getattr(row, {"low": f"{ends.get(name)}low", "high": f"{ends.get(name)}high", "n": "n"}.get(field, name))
    )


_TOLD = ("baseline", "version", "verdict", "shift", "margin", "flips", "n")


def _in_sequence(names: Sequence[str]) -> bool:
    """Say whether names are numbers or dates, with the same text around them if any, so that later ones sort last."""
    return len(forms := {re.sub("[0-9]+", "0", name) for name in names}) == 1 and "0" in forms.pop()


def _versions(
    scores: Scores, by: str, baseline: str | None, metric: opt.Names | None
) -> Iterator[tuple[str, str, str, FloatArray, FloatArray]]:
    """Yield the metric, both versions, and what they say, (systems, inputs) in own units."""
    names = scores.find(metric, "metric") if metric is not None else scores.metrics
    found: dict[str, dict[str, FloatArray]] = {}
    if by == "metric":
        found[""] = {name: _own(scores[name]) for name in names}
        units = {bool(scores[name].scale.labels) for name in names if scores[name].scale.kind != "binary"}
        if len(units | {True for name in names if scores[name].scale.labels}) > 1:
            raise DataError(
                f"{listed(names)} are not on one scale, some being labels and some numbers; name versions of one judge "
                "with --metric OLD,NEW"
            )
    else:
        axis = by if by in EXTRA_AXES else "language"
        for name in names:
            column = scores[name]
            at = [own for own, _ in column.axes].index(axis) if column.labels(axis) else -1
            if at >= 0 and len(column.labels(axis)) > 1:
                others = column.axes[:at] + column.axes[at + 1 :]
                parts = {v: np.moveaxis(column.values, at, 0)[i] for i, v in enumerate(column.labels(axis))}
                found[name] = {v: _own(replace(column, values=part, axes=others)) for v, part in parts.items()}
    if not any(len(versions) > 1 for versions in found.values()):
        raise DataError(
            f"drift needs two versions of a judge, and there is one by {one_line(by)!r}; give OLD=FILE NEW=FILE, name "
            "a column with --by, or two columns with --by metric --metric OLD,NEW"
        )
    for name, versions in found.items():
        first = next(iter(versions)) if baseline is None else baseline
        if first not in versions:
            raise UnknownName("version", first, versions)
        for second in versions:
            if second != first:
                yield (name or second), first, second, versions[first], versions[second]


def _own(column: Column) -> FloatArray:
    """Return what a version says, in its own units; ordered labels count as 0, 1, …."""
    if not column.scale.ordered:
        raise DataError(
            f"{one_line(column.name)!r} holds labels without an order, which have no mean; order them with --scale "
            f"'{one_line(column.name)}=ordinal:LOW<HIGH'"
        )
    return column.mean()


def _bounds(scores: Scores, name: str, before: FloatArray, after: FloatArray) -> tuple[tuple[float, float], list[Note]]:
    """Return what scores cannot be below and above: 0 and 1, the ends of the labels, or what was seen."""
    kind, labels = scores[name].scale.kind, scores[name].scale.labels
    known = np.concatenate([values[~np.isnan(values)] for values in (before, after)])
    if kind == "binary" or ((known >= 0) & (known <= 1)).all():
        return (0.0, 1.0), []
    if labels:
        return (0.0, len(labels) - 1.0), []
    low, high = float(known.min()), float(known.max())
    return (low, high), [Note.of("bounds-observed", metric=name, low=low, high=high)]


@dataclass(frozen=True)
class _Pair:
    """Which versions are compared, and how."""

    metric: str
    baseline: str
    version: str
    margin: float
    confidence: float


def _compared(
    before: FloatArray, after: FloatArray, clusters: IntArray, reach: float, once: bool, pair: _Pair
) -> DriftRow:
    margin, confidence = pair.margin, pair.confidence
    gaps = after - before
    both, where = ~np.isnan(gaps), np.broadcast_to(clusters, gaps.shape)
    n, inputs = int(both.sum()), [where[both]]
    if not n:
        raise DataError("no output was judged by both versions; give both the same outputs")
    d = gaps[both]
    single = mean(d, inputs, confidence)
    # One value per input or cluster, in the order of names.
    count = np.bincount(where[both])
    sizes = count[count > 0].astype(np.float64)
    units = np.bincount(where[both], d)[count > 0] / sizes
    if single.error <= 1e-9 * reach:
        # All units alike: as many others as may have been missed could have shifted all the way.
        most = wilson(0, len(units), confidence)[1]
        ends = (single.value + most * (end - single.value) for end in (-reach, reach))
        single = replace(single, low=next(ends), high=next(ends))
    always = confidence_sequence(units, -reach, reach, confidence, sizes) if reach > 0 else (math.nan, math.nan)
    verdicts = len(np.unique(np.append(before[both], after[both]))) <= MOST_VERDICTS
    flips = share((d != 0).astype(float), inputs, confidence) if verdicts else undefined()
    low, high = (single.low, single.high) if once else always
    verdict = "undecided"
    if -margin < min(low, single.low) and max(high, single.high) < margin and not math.isnan(low + single.low):
        verdict = "equivalent"
    elif (low > 0 and single.value > 0) or (high < 0 and single.value < 0):
        verdict = "changed"
    return fields.filled(
        DriftRow,
        pair,
        n=n,
        before=float(before[both].mean()),
        after=float(after[both].mean()),
        shift=single.value,
        low=single.low,
        high=single.high,
        always_low=always[0],
        always_high=always[1],
        flips=flips.value,
        flips_low=flips.low,
        flips_high=flips.high,
        up=int((d > 0).sum()),
        down=int((d < 0).sum()),
        verdict=verdict,
    )
