"""Scores of whole systems from counts that add up over inputs, and paired tests on them.

BLEU, chrF, TER and METEOR of a system are not means of those of its outputs: counts are added up first. Arrays of
counts end in an axis of counts; formulas take that axis away. Formulas and tests are those of sacrebleu 2 (Post, 2018);
the paired bootstrap is that of Koehn (2004) as Moses computes it, approximate randomization that of Riezler and Maxwell
(2005).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metassay.stats.draws import bootstrap_rows, exchanged_rows

FloatArray = npt.NDArray[np.float64]
Formula = Callable[[FloatArray], FloatArray]
"""From added counts (…, counts) to scores (…)."""

_ALPHA, _BETA, _GAMMA, _DELTA = 0.85, 0.2, 0.6, 0.75
_STAGES = np.array([1.0, 0.6, 0.8, 0.6])


def mean(counts: FloatArray) -> FloatArray:
    """Return the mean from sums and numbers of scores."""
    return _quotient(counts[..., 0], counts[..., 1])


def bleu(counts: FloatArray, smooth: str = "exp", value: float = 0.0) -> FloatArray:
    """Return BLEU from lengths of output and reference, matched n-grams and n-grams of the output, n = 1 to 4.

    Parameters
    ----------
    counts
        Added counts, (…, 10).
    smooth
        ``exp``, ``floor``, ``add-k`` or ``none``: what becomes of n-grams without a match.
    value
        The value of ``floor`` and ``add-k``.

    Examples
    --------
    >>> bleu(np.array([6.0, 6, 6, 5, 4, 3, 6, 5, 4, 3])).round(6)
    np.float64(100.0)
    """
    length, reference = counts[..., 0], counts[..., 1]
    order = (counts.shape[-1] - 2) // 2
    correct, total = counts[..., 2 : 2 + order].copy(), counts[..., 2 + order :].copy()
    found = correct.any(axis=-1)
    if smooth == "add-k":
        correct[..., 1:] += value
        total[..., 1:] += value
    missed = (correct == 0) & (np.cumsum(total == 0, axis=-1) == 0)
    if smooth == "exp":
        correct = np.where(missed, 0.5 ** np.cumsum(missed, axis=-1), correct)
    elif smooth == "floor":
        correct = np.where(missed, value, correct)
    precision = _quotient(correct, total)
    with np.errstate(divide="ignore"):
        logs = np.log(precision).mean(axis=-1)
        penalty = np.where(length < reference, np.exp(1 - reference / np.maximum(length, 1e-300)), 1.0)
    return np.where(found, 100 * penalty * np.exp(logs), 0.0)


def chrf(counts: FloatArray, beta: float = 2.0) -> FloatArray:
    """Return chrF from n-grams of the output, of the reference and matched ones, order by order, (…, 3 · orders)."""
    ours, theirs, both = counts[..., 0::3], counts[..., 1::3], counts[..., 2::3]
    used = (ours > 0) & (theirs > 0)
    orders = used.sum(axis=-1)
    precision, recall = (
        _quotient(np.where(used, _quotient(both, total), 0).sum(axis=-1), orders) for total in (ours, theirs)
    )
    return 100 * _quotient((1 + beta**2) * precision * recall, beta**2 * precision + recall)


def ter(counts: FloatArray) -> FloatArray:
    """Return the translation edit rate from edits and lengths of references, (…, 2)."""
    edits, length = counts[..., 0], counts[..., 1]
    return 100 * np.where(length > 0, _quotient(edits, length), (edits > 0).astype(np.float64))


def meteor(counts: FloatArray) -> FloatArray:
    """Return METEOR 1.5 for English from the 23 numbers that its program prints of an alignment, (…, 23).

    Denkowski and Lavie (2014): lengths and function words of both texts; matched content and function words of both
    by form, stem, synonym and paraphrase; chunks; matched words of both.
    """
    lengths, function = counts[..., :2], counts[..., 2:4]
    matched = counts[..., 4:20].reshape(*counts.shape[:-1], 4, 2, 2)  # stage, content or function, output or reference
    weighted = np.einsum("...sft,s,f->...t", matched, _STAGES, np.array([_DELTA, 1 - _DELTA]))
    whole = _DELTA * (lengths - function) + (1 - _DELTA) * function
    precision, recall = np.moveaxis(_quotient(weighted, whole), -1, 0)
    f = _quotient(precision * recall, _ALPHA * precision + (1 - _ALPHA) * recall)
    chunks, words = counts[..., 20], counts[..., 21:23]
    same = (words == lengths).all(axis=-1) & (chunks == 1)
    fragments = np.where(same, 0.0, _quotient(chunks, words.mean(axis=-1)))
    return f * (1 - _GAMMA * fragments**_BETA)


def _quotient(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return a / b, and 0 where b is 0."""
    return np.divide(a, b, out=np.zeros(np.broadcast_shapes(np.shape(a), np.shape(b))), where=np.asarray(b) != 0)


class PairTest(NamedTuple):
    """What a paired test says of two systems."""

    difference: float
    """Score of the first less that of the second."""
    p_value: float
    """Two-sided."""
    low: float
    """Lower end of the percentile interval of the difference; NaN without a bootstrap."""
    high: float
    """Upper end of it."""


def paired_test(
    test: str, one: FloatArray, other: FloatArray, formula: Formula, *, resamples: int, seed: int, alpha: float
) -> PairTest:
    """Test whether two systems differ in a score of the whole.

    Parameters
    ----------
    test
        ``paired-bootstrap`` (inputs are drawn with replacement; the p-value is that of differences about their mean)
        or ``approximate-randomization`` (outputs of the two systems are exchanged input by input).
    one, other
        Counts of both systems, (inputs, counts).
    formula
        From added counts to scores.
    resamples
        How many data sets are drawn.
    seed
        The seed: sacrebleu with the same one, 12345 by default, draws the same.
    alpha
        One less the confidence of the interval.
    """
    seen = float(formula(one.sum(axis=0)) - formula(other.sum(axis=0)))
    if test == "paired-bootstrap":
        pages = [formula(drawn @ one) - formula(drawn @ other) for drawn in bootstrap_rows(len(one), resamples, seed)]
        differences = np.concatenate(pages)
        low, high = np.quantile(differences, [alpha / 2, 1 - alpha / 2]).tolist()
        extreme = np.abs(differences) - np.abs(differences).mean()
    else:
        low = high = math.nan
        pages = [
            formula(kept @ one + (1 - kept) @ other) - formula((1 - kept) @ one + kept @ other)
            for kept in exchanged_rows(len(one), resamples, seed)
        ]
        extreme = np.abs(np.concatenate(pages))
    return PairTest(seen, float(((extreme > abs(seen)).sum() + 1) / (resamples + 1)), low, high)
