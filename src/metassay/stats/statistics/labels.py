"""Agreement of labels: formulas of the confusion table, in which rows are people's labels and columns the judge's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from metassay.stats.arrays import FloatArray
from metassay.stats.kernels.tabulated import Items
from metassay.stats.statistics.tabulated import TabulatedStatistic

Table = Callable[[FloatArray, FloatArray], FloatArray]
"""From tables (K, K, B) and the codes of the labels (K,) to statistics (B,)."""
BINARY, NOMINAL, ORDINAL = ("binary",), ("binary", "nominal", "ordinal"), ("binary", "ordinal", "interval")
MINUS_ONE = (-1.0, 1.0)


class LabelStatistic(TabulatedStatistic):
    """A formula of the confusion table of two columns of labels, which are numbers that stand for them.

    Labels are those that either side uses anywhere in the data. Statistics of two labels take the larger code for the
    positive one.
    """

    def __init__(
        self,
        name: str,
        formula: Table,
        citation: str,
        scales: tuple[str, ...] = NOMINAL,
        ends: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        super().__init__(name, citation)
        self.formula, self.scales, self.range = formula, scales, ends

    def frame(self, x: FloatArray, z: FloatArray) -> FloatArray:
        """Return the codes of all labels."""
        values = np.concatenate([x, z])
        return self.two_labels(values) if self.scales == BINARY else np.unique(values)

    def items(self, x: FloatArray, z: FloatArray, frame: FloatArray) -> Items:
        """Return the cell of the confusion table of each item."""
        cells = np.searchsorted(frame, z) * len(frame) + np.searchsorted(frame, x)
        return Items(cells, len(frame) ** 2, np.ones((1, len(x))))

    def of_sums(self, sums: FloatArray, frame: FloatArray) -> FloatArray:
        """Return the statistic from confusion tables."""
        return self.formula(sums.reshape(len(frame), len(frame), -1), frame)


def confusion(x: FloatArray, z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the labels that occur, and the table of people's (rows) against the judge's (columns); NaN is left out.

    Examples
    --------
    >>> labels, table = confusion(np.array([1.0, 2, 2, np.nan]), np.array([1.0, 1, 2, 2]))
    >>> table.tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    known = ~np.isnan(x + z)
    labels = np.unique(np.concatenate([x[known], z[known]]))
    cells, count, _ = ACCURACY.items(x[known], z[known], labels)
    return labels, np.bincount(cells, minlength=count).reshape(len(labels), -1).astype(np.float64)


def _hits(t: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("kkb->kb", t))


def _mean_over_labels(values: FloatArray) -> FloatArray:
    known = ~np.isnan(values)
    return np.asarray(np.where(known, values, 0.0).sum(0) / known.sum(0))


def _phi(t: FloatArray) -> FloatArray:
    n, rows, columns = t.sum((0, 1)), t.sum(1), t.sum(0)
    below = (n**2 - (rows**2).sum(0)) * (n**2 - (columns**2).sum(0))
    return np.asarray((n * _hits(t).sum(0) - (rows * columns).sum(0)) / np.sqrt(np.where(below > 0, below, np.nan)))


def distances(labels: FloatArray, power: int) -> FloatArray:
    """Return distances of labels, (K, K): 0 and 1 for power 0, else |difference of codes| to the power."""
    apart = np.abs(labels[:, None] - labels)
    return (apart > 0).astype(np.float64) if power == 0 else apart**power


def _kappa(power: int) -> Table:
    def formula(t: FloatArray, labels: FloatArray) -> FloatArray:
        apart = distances(labels, power)
        expected = np.einsum("kb,lb,kl->b", t.sum(1), t.sum(0), apart)
        found = t.sum((0, 1)) * np.einsum("klb,kl->b", t, apart)
        return np.asarray(1 - found / np.where(expected > 0, expected, np.nan))

    return formula


def gwet(agreement: FloatArray, shares: FloatArray, apart: FloatArray) -> FloatArray:
    """Return Gwet's coefficient, (B,), from agreement (B,), shares of labels (K, B) and distances of labels (K, K).

    Agreement is the mean of the weights 1 − distance/largest distance over pairs of ratings.
    """
    k = len(apart)
    if k < 2:
        return np.full(agreement.shape, np.nan)
    chance = (1 - apart / apart.max()).sum() * (shares * (1 - shares)).sum(0) / (k * (k - 1))
    return np.asarray((agreement - chance) / (1 - chance))


def _gwet(power: int) -> Table:
    def formula(t: FloatArray, labels: FloatArray) -> FloatArray:
        n, apart = t.sum((0, 1)), distances(labels, power)
        weights = 1 - apart / (apart.max(initial=0.0) or 1.0)
        return gwet(np.einsum("klb,kl->b", t, weights) / n, (t.sum(0) + t.sum(1)) / (2 * n), apart)

    return formula


def alpha(coincidences: FloatArray, labels: FloatArray, scale: str) -> FloatArray:
    """Return Krippendorff's α, (B,), from symmetric tables of coincidences (K, K, B).

    Parameters
    ----------
    coincidences
        Ordered pairs of ratings of one unit by their labels, each counted 1/(ratings of the unit − 1) times.
    labels
        Codes of the labels.
    scale
        ``nominal``, ``ordinal`` (distances are those of the midranks of the ratings) or ``interval``.
    """
    each = coincidences.sum(1)
    n = each.sum(0)
    if scale == "ordinal":
        ranks = each.cumsum(0) - each / 2
        apart = (ranks[:, None] - ranks) ** 2
    else:
        apart = np.broadcast_to(distances(labels, 2 * (scale == "interval"))[..., None], coincidences.shape)
    expected = np.einsum("kb,lb,klb->b", each, each, apart)
    found = (n - 1) * np.einsum("klb,klb->b", coincidences, apart)
    return np.asarray(1 - found / np.where(expected > 0, expected, np.nan))


def _alpha(scale: str) -> Table:
    return lambda t, labels: alpha(t + t.swapaxes(0, 1), labels, scale)


ACCURACY = LabelStatistic("accuracy", lambda t, _: _hits(t).sum(0) / t.sum((0, 1)), "share of equal labels")
BALANCED = LabelStatistic(
    "balanced-accuracy", lambda t, _: _mean_over_labels(_hits(t) / t.sum(1)), "Brodersen et al. (2010)"
)
PRECISION = LabelStatistic("precision", lambda t, _: t[1, 1] / t[:, 1].sum(0), "van Rijsbergen (1979)", BINARY)
RECALL = LabelStatistic("recall", lambda t, _: t[1, 1] / t[1].sum(0), "van Rijsbergen (1979)", BINARY)
SPECIFICITY = LabelStatistic("specificity", lambda t, _: t[0, 0] / t[0].sum(0), "Yerushalmy (1947)", BINARY)
F1 = LabelStatistic("f1", lambda t, _: 2 * t[1, 1] / (t[1].sum(0) + t[:, 1].sum(0)), "van Rijsbergen (1979)", BINARY)
F1_MACRO = LabelStatistic(
    "f1-macro", lambda t, _: _mean_over_labels(2 * _hits(t) / (t.sum(0) + t.sum(1))), "Lewis (1991)"
)
PHI = LabelStatistic("phi", lambda t, _: _phi(t), "Matthews (1975); Gorodkin (2004) for several labels", ends=MINUS_ONE)
KAPPA = LabelStatistic("kappa", _kappa(0), "Cohen (1960)", ends=MINUS_ONE)
KAPPA_LINEAR = LabelStatistic("kappa-linear", _kappa(1), "Cohen (1968)", ORDINAL, MINUS_ONE)
KAPPA_QUADRATIC = LabelStatistic("kappa-quadratic", _kappa(2), "Cohen (1968)", ORDINAL, MINUS_ONE)
AC1 = LabelStatistic("ac1", _gwet(0), "Gwet (2008)", ends=MINUS_ONE)
AC2_LINEAR = LabelStatistic("ac2-linear", _gwet(1), "Gwet (2014)", ORDINAL, MINUS_ONE)
AC2 = LabelStatistic("ac2", _gwet(2), "Gwet (2014)", ORDINAL, MINUS_ONE)
ALPHA_NOMINAL = LabelStatistic("alpha-nominal", _alpha("nominal"), "Krippendorff (1970)", ends=MINUS_ONE)
ALPHA_ORDINAL = LabelStatistic("alpha-ordinal", _alpha("ordinal"), "Krippendorff (1970)", ORDINAL, MINUS_ONE)
LABELS = (
    ACCURACY,
    BALANCED,
    PRECISION,
    RECALL,
    SPECIFICITY,
    F1,
    F1_MACRO,
    PHI,
    KAPPA,
    KAPPA_LINEAR,
    KAPPA_QUADRATIC,
    AC1,
    AC2,
    AC2_LINEAR,
    ALPHA_NOMINAL,
    ALPHA_ORDINAL,
)
