"""Are scores normally distributed, as parametric methods assume?

Tests with Shapiro-Wilk whether the scores of systems look normal, as Fisher's interval and Williams' test assume: once
for the system means, and once within each input, with the share of inputs that reject normality. If many inputs reject
it, prefer the bootstrap and the permutation tests.

    metassay normality scores.csv --human relevance
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from metassay.core import fields
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.stats.arrays import FloatArray
from metassay.stats.normality import shapiro_wilk
from metassay.studies.selection import select


@fields.row
class NormalityRow(fields.OfColumn):
    """Shapiro-Wilk tests of one metric or human criterion."""

    p_value: float
    """Shapiro-Wilk p-value on the system means; NaN if undefined."""
    percent_rejected: float
    """Percent of inputs whose scores over systems reject normality; NaN if no input could be tested."""
    alpha: fields.Alpha
    n_systems: int
    """System means that were tested."""
    n_inputs: int
    """Inputs that were tested."""
    n_undefined: int
    """Inputs that could not be tested: constant, or fewer than three scores."""


class Normality(Result, study="normality"):
    """Whether system means, and scores within inputs, look normal."""

    table: Sequence[NormalityRow]
    """One row per metric and human criterion."""


@study
def normality(
    scores: Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    alpha: opt.Alpha = 0.05,
    references: opt.References = False,
) -> Normality:
    """Test whether system means, and the scores within each input, could come from a normal distribution.

    Notes
    -----
    Shapiro-Wilk, as in Deutsch, Dror and Roth (2021), appendix A, Table 2.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.normality(ma.example(), human="relevance")
    >>> all(0 <= row.percent_rejected <= 100 for row in result.table)
    True
    """
    selected = select(scores, human, metric, references=references)
    columns = zip(selected.names, selected.kinds, selected.values, strict=True)
    rows = tuple(_row(*column, alpha) for column in columns)
    signature = Signature.open(test="shapiro-wilk", **selected.sizes())
    return Normality(rows, signature, (*selected.notes, Note.of("normality-reading")))


def _row(name: str, kind: str, matrix: FloatArray, alpha: float) -> NormalityRow:
    known = ~np.isnan(matrix)
    rows = matrix[known.any(axis=1)]
    means = np.nanmean(rows, axis=1)
    per_input = [shapiro_wilk(column[~np.isnan(column)]) for column in matrix.T]
    tested = [p for p in per_input if not math.isnan(p)]
    return NormalityRow(
        metric=name,
        kind=kind,
        p_value=shapiro_wilk(means),
        percent_rejected=100 * sum(p <= alpha for p in tested) / len(tested) if tested else math.nan,
        alpha=alpha,
        n_systems=len(means),
        n_inputs=len(tested),
        n_undefined=len(per_input) - len(tested),
    )
