"""Where to cut a judge's scores into yes and no, and whether its probabilities mean what they say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metassay.stats import draws
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.clustered import Estimate, share
from metassay.stats.kernels.weighted_ranks import quotient


@dataclass(frozen=True, eq=False)
class ThresholdCurve:
    """What happens at each threshold: items with at least that score are called positive."""

    thresholds: FloatArray
    """∞, then all scores from the highest down, (T,)."""
    hits: FloatArray
    """Positive items called positive."""
    false_alarms: FloatArray
    """Negative items called positive."""
    misses: FloatArray
    """Positive items called negative."""
    rejections: FloatArray
    """Negative items called negative."""

    def value(self, rule: str) -> FloatArray:
        """Return ``accuracy``, ``balanced-accuracy``, ``precision``, ``recall``, ``specificity`` or ``f1`` at each."""
        tp, fp, fn, tn = self.hits, self.false_alarms, self.misses, self.rejections
        above, below = {
            "accuracy": (tp + tn, tp + fp + fn + tn),
            "precision": (tp, tp + fp),
            "recall": (tp, tp + fn),
            "specificity": (tn, tn + fp),
            "f1": (2 * tp, 2 * tp + fp + fn),
            "balanced-accuracy": (tp * (tn + fp) + tn * (tp + fn), 2 * (tn + fp) * (tp + fn)),
        }[rule]
        return quotient(above, below)

    def choose(self, rule: str = "accuracy", target: float = 1.0) -> int:
        """Return the position of the best threshold.

        Parameters
        ----------
        rule
            What is to be largest; or ``cost``, of which a false alarm is `target` times that of a miss; or
            ``precision`` or ``recall``, which must reach `target` at the largest recall, or precision.
        target
            See `rule`.

        Returns
        -------
        int
            Of equally good ones the highest threshold; −1 if none reaches the target.
        """
        if rule == "cost":
            return int(np.argmin(target * self.false_alarms + self.misses))
        if rule not in ("precision", "recall"):
            return int(np.nanargmax(self.value(rule)))
        enough = self.value(rule) >= target - 1e-12
        other = self.value("recall" if rule == "precision" else "precision")
        return int(np.nanargmax(np.where(enough, other, -1.0))) if enough.any() else -1


def threshold_curve(scores: FloatArray, positive: FloatArray) -> ThresholdCurve:
    """Return what each threshold does; `positive` is 1 or 0 by item, and items with NaN are left out.

    Examples
    --------
    >>> curve = threshold_curve(np.array([0.9, 0.8, 0.3]), np.array([1.0, 0.0, 1.0]))
    >>> curve.value("recall").tolist(), float(curve.thresholds[curve.choose("precision", 1.0)])
    ([0.0, 0.5, 0.5, 1.0], 0.9)
    """
    known = ~np.isnan(scores + positive)
    levels, level = np.unique(-scores[known], return_inverse=True)
    yes, no = (
        np.append(0.0, np.bincount(level, flags, len(levels)).cumsum())
        for flags in (positive[known], 1 - positive[known])
    )
    return ThresholdCurve(np.append(np.inf, -levels), yes, no, yes[-1] - yes, no[-1] - no)


def cross_validated(
    scores: FloatArray,
    positive: FloatArray,
    rule: str = "accuracy",
    target: float = 1.0,
    *,
    folds: int = 10,
    seed: int = 0,
    clusters: IntArray | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Choose the threshold without each fold of the items, or of their clusters, and count what it does there.

    Returns
    -------
    ndarray, ndarray, ndarray
        The threshold of each fold, NaN where none reaches the target; people's labels × the judge's at these
        thresholds, negative first, (2, 2); and the threshold of each item, NaN where it has none.
    """
    known = ~np.isnan(scores + positive)
    scores, positive = scores[known], positive[known].astype(np.int64)
    unit = np.unique(np.arange(len(scores)) if clusters is None else clusters[known], return_inverse=True)[1]
    size = int(unit.max(initial=-1)) + 1
    fold = draws.stream(seed, draws.FOLDS, 0).permutation(size)[unit] % max(min(folds, size), 1)
    thresholds, table = [], np.zeros((2, 2))
    for each in range(min(folds, size)):
        out = fold == each
        curve = threshold_curve(scores[~out], positive[~out].astype(np.float64))
        at = curve.choose(rule, target)
        thresholds.append(curve.thresholds[at] if at >= 0 else np.nan)
        if at >= 0:
            np.add.at(table, (positive[out], (scores[out] >= thresholds[-1]).astype(np.int64)), 1)
    items = np.full(known.shape, np.nan)
    items[known] = np.array([*thresholds, np.nan])[fold]
    return np.array(thresholds), table, items


@dataclass(frozen=True)
class CalibrationBin:
    """Items of similar probability."""

    low: float
    """The bin's lower end."""
    high: float
    """Its upper end, which belongs to it."""
    said: float
    """Mean probability."""
    happened: Estimate
    """Share of positive items."""


def calibration(
    probabilities: FloatArray,
    positive: FloatArray,
    bins: int = 10,
    *,
    equal: str = "width",
    clusters: IntArray | None = None,
    confidence: float = 0.95,
) -> list[CalibrationBin]:
    """Return what happened beside what was said, in bins of equal ``width``, or with equal ``count`` of items."""
    known = ~np.isnan(probabilities + positive)
    p, y = probabilities[known], positive[known]
    edges = np.linspace(0, 1, bins + 1) if equal == "width" else np.quantile(p, np.linspace(0, 1, bins + 1))
    edges = np.unique(edges)
    where = np.clip(np.searchsorted(edges, p) - 1, 0, max(len(edges) - 2, 0))
    found = []
    for each in np.unique(where):
        at = where == each
        own = [] if clusters is None else [clusters[known][at]]
        ends = float(edges[each]), float(edges[min(each + 1, len(edges) - 1)])
        found.append(CalibrationBin(*ends, float(p[at].mean()), share(y[at], own, confidence)))
    return found
