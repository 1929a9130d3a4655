"""Strengths at equal length, position or style, and what these explain."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from metassay.core.votes import Votes
from metassay.errors import DataError, UsageError, listed, one_line
from metassay.stats import votes as counting
from metassay.stats.arrays import FloatArray
from metassay.stats.clustered import Estimate
from metassay.studies.lengths import both_lengths, numbers_of_both, sides
from metassay.studies.rank_parts import Group, counted, expected, first_of, second_of
from metassay.studies.rank_rows import CovariateRow
from metassay.studies.rank_standings import SAME, Ranked


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
            f"{group.name}: {listed(flat)} is equal in both outputs of every vote, or unknown, and has no effect"
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
    if name == "length":
        if (measured := both_lengths(votes)) is None:
            raise UsageError(
                "length needs the texts of both outputs (columns such as response_a, response_b), or length_a and "
                f"length_b (found: {listed(votes.attributes) or 'no further columns'})"
            )
        a, b, _ = measured
        known = (a > 0) & (b > 0)
        return np.where(known, np.log2(np.where(known, a, 1.0) / np.where(known, b, 1.0)), math.nan), "twice as long"
    pair = sides(votes, name)
    if pair is None and name not in votes.attributes:
        known_names = listed(["position", "length", *votes.attributes])
        raise UsageError(
            f"there are no columns {one_line(name)}_a and {one_line(name)}_b of votes (known: {known_names})"
        )
    # One column may hold what A has more of already.
    one, other = numbers_of_both((votes.attributes[name],) * 2 if pair is None else pair)
    gap = one if pair is None else one - other
    spread = float(np.nanstd(gap)) if (~np.isnan(gap)).any() else 0.0
    return gap / (spread or 1.0), f"{spread:.3g} more (1 SD)"
