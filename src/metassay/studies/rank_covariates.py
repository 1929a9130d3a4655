"""Strengths at equal length, position or style, and what these explain."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from metassay.core.column import Attribute
from metassay.core.vote_tables import OUTPUTS
from metassay.core.votes import Votes
from metassay.errors import DataError, UsageError, listed, one_line
from metassay.stats import votes as counting
from metassay.stats.arrays import FloatArray
from metassay.stats.clustered import Estimate
from metassay.studies.rank_parts import SAME, Group, Ranked, counted, expected, first_of, second_of
from metassay.studies.rank_rows import CovariateRow


def controlled(
    group: Group, names: Sequence[str], raw: FloatArray, confidence: float
) -> tuple[Ranked, list[CovariateRow]]:
    """Return strengths at equal covariates, and what each covariate does."""
    votes = group.votes
    columns, units = zip(*(covariate(votes, name) for name in names), strict=True)
    values = np.stack(columns, axis=1)
    flat = [name for name, column in zip(names, columns, strict=True) if not (np.abs(column) > 0).any()]
    if flat:
        raise DataError(
            f"{group.name}: {listed(flat)} is equal in both outputs of every vote, or unknown, and can explain nothing"
        )
    size = len(votes.systems)
    fit, regression = counting.with_covariates(
        first_of(votes), second_of(votes), votes.outcome, size, values, group.clusters
    )
    known = ~np.isnan(values).any(axis=1)
    codes = None if group.codes is None else group.codes[known]
    kept = Group(group.name, group.kind, votes.where(known), codes)
    _, fixed = counted(kept)
    held = bool((~fit.bounded & (fixed["n"] > 0)).any())
    covariance = np.full(fit.covariance.shape, math.nan) if held else fit.covariance
    ranked = Ranked(group.name, group.kind, "controlled", fit.values, covariance, expected=expected(fit), **fixed)
    explained = 1 - float(np.nanvar(fit.values) / np.nanvar(raw)) if np.nanvar(raw) > SAME else math.nan
    rows = []
    for at, (name, unit) in enumerate(zip(names, units, strict=True)):
        effect: Estimate = regression.effect(size + at, confidence=confidence)
        chance = 1 / (1 + math.exp(-effect.value)) if effect.value == effect.value else math.nan
        ends = (effect.value, effect.low, effect.high, confidence, effect.p_value())
        rows.append(CovariateRow(group.name, name, unit, *ends, chance, explained, int(known.sum())))
    return ranked, rows


def covariate(votes: Votes, name: str) -> tuple[FloatArray, str]:
    """Return what A has more of than B in each vote, NaN if unknown, and what counts as one unit."""
    if name == "position":
        return np.array([1.0, -1.0, math.nan])[votes.first], "shown first"
    pair = _pair(votes, name)
    if name == "length":
        if pair is not None:
            a, b = (_numbers(each, votes) for each in pair)
        else:
            texts = next((p for p in OUTPUTS if all(side in votes.attributes for side in p)), None)
            if texts is None:
                raise UsageError(
                    "length needs the texts of both outputs (columns such as response_a, response_b), or length_a and "
                    f"length_b (found: {listed(votes.attributes) or 'no further columns'})"
                )
            a, b = (
                _per_vote(votes.attributes[side], [len(t.split()) for t in votes.attributes[side].labels])
                for side in texts
            )
        known = (a > 0) & (b > 0)
        return np.where(known, np.log2(np.where(known, a, 1.0) / np.where(known, b, 1.0)), math.nan), "twice as long"
    if pair is None and name not in votes.attributes:
        known_names = listed(["position", "length", *votes.attributes])
        raise UsageError(
            f"there are no columns {one_line(name)}_a and {one_line(name)}_b of votes (found: {known_names})"
        )
    gap = _numbers(name, votes) if pair is None else _numbers(pair[0], votes) - _numbers(pair[1], votes)
    spread = float(np.nanstd(gap)) if (~np.isnan(gap)).any() else 0.0
    return gap / (spread or 1.0), f"{spread:.3g} more (1 SD)"


def _pair(votes: Votes, name: str) -> tuple[str, str] | None:
    for a, b in (("_a", "_b"), ("_1", "_2"), ("1", "2")):
        if name + a in votes.attributes and name + b in votes.attributes:
            return name + a, name + b
    return None


def _numbers(name: str, votes: Votes) -> FloatArray:
    attribute = votes.attributes[name]
    found = []
    for label in attribute.labels:
        try:
            found.append(float(label))
        except ValueError:
            raise DataError(
                f"{one_line(name)!r} must hold numbers to be a covariate, got {one_line(label, 30)!r}"
            ) from None
    return _per_vote(attribute, found)


def _per_vote(attribute: Attribute, values: Sequence[float]) -> FloatArray:
    return np.append(np.array(values, dtype=np.float64), math.nan)[attribute.codes]
