"""Tables of the judge card: where a judge fails, and whether it can replace a person."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from metassay.core.column import Attribute
from metassay.core.options import Names
from metassay.core.scores import Scores
from metassay.core.vocabulary import names
from metassay.errors import UnknownName
from metassay.stats import alternative_annotators as alt
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.influence import sliced
from metassay.stats.proportions import wilson
from metassay.stats.significance import corrected
from metassay.studies.disagreements import in_turn, texts_of
from metassay.studies.judge_data import Judged
from metassay.studies.judge_parts import Setting
from metassay.studies.judge_rows import AlternativeRow, DisagreementRow, EpsilonRow, SliceRow

MOST_VALUES = 40
"""An attribute with more values than this is sliced by the length of its texts, if these are texts."""
LEAST_ITEMS = 10
"""Slices with fewer items are not shown."""
GRID = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
"""Where the winning rate is told, beside the ε that was asked for."""
TRIALS = 1_000
"""Data sets drawn to tell how often a judge as good as a person would pass."""


class Slicing(NamedTuple):
    """An attribute of all items of the data."""

    name: str
    codes: IntArray
    """Per cell of systems × inputs, −1 for none."""
    labels: tuple[str, ...]


def slicings(scores: Scores, wanted: Names | None) -> list[Slicing]:
    """Return the attributes to slice by: categories, systems, and the length of texts."""
    n, m = scores.shape
    found = {}
    if n > 1:
        found["system"] = Slicing("system", np.repeat(np.arange(n), m), scores.systems)
    for attribute in scores.attributes.values():
        codes = _per_cell(attribute, n, m)
        if 1 < len(attribute.labels) <= MOST_VALUES:
            found[attribute.name] = Slicing(attribute.name, codes, attribute.labels)
        elif len(attribute.labels) > MOST_VALUES:
            by_length = _by_length(attribute, codes)
            if by_length is not None:
                found[by_length.name] = by_length
    if wanted is None:
        return list(found.values())
    if isinstance(wanted, str) and wanted.strip().lower() == "none":
        return []
    chosen = {}
    for name in (one for text in ([wanted] if isinstance(wanted, str) else wanted) for one in names(text)):
        hits = [key for key in found if key in (name, f"length of {name}")]
        if not hits:
            raise UnknownName("attribute", name, [*scores.attributes, *(["system"] if n > 1 else [])])
        chosen.update({hit: found[hit] for hit in hits})
    return list(chosen.values())


def _per_cell(attribute: Attribute, n: int, m: int) -> IntArray:
    codes = attribute.codes.astype(np.int64)
    if attribute.axis == "output":
        return codes.ravel()
    return np.tile(codes, n) if attribute.axis == "input" else np.repeat(codes, m)


def _by_length(attribute: Attribute, codes: IntArray) -> Slicing | None:
    """Return thirds of the items by the length of their texts in characters."""
    lengths = np.array([*map(len, attribute.labels), 0])[codes]
    known = codes >= 0
    if not known.any() or lengths[known].max() < 20:  # names and numbers, not texts
        return None
    low, high = np.quantile(lengths[known], (1 / 3, 2 / 3)).astype(int).tolist()
    if low == high or low == lengths[known].max():
        return None
    labels = (f"up to {low}", f"{high}" if low + 1 == high else f"{low + 1} to {high}", f"over {high}")
    thirds = np.where(known, (lengths > low).astype(np.int64) + (lengths > high), -1)
    return Slicing(f"length of {attribute.name}", thirds, labels)


def slice_rows(setting: Setting, judged: Judged, by: Sequence[Slicing]) -> list[SliceRow]:
    """Return where the judge is right more seldom, or errs more, the worst first."""
    of = judged.criterion
    apart = np.abs(judged.x - of.truth)
    values = apart if of.kind != "labels" else np.where(np.isnan(apart), np.nan, apart == 0)
    statistic = "accuracy" if of.kind == "labels" else "mae"
    ways = setting.ways(of.cells)
    found = []
    for each in by:
        codes = each.codes[of.cells]
        parts = sliced(values, codes, len(each.labels), ways[0] if ways else None)
        found += [(each, parts, at) for at in np.flatnonzero(parts.n >= LEAST_ITEMS) if parts.n[at] < len(of.cells)]
    if not found:
        return []
    p = np.array([parts.p[at] for _, parts, at in found])
    holm, alpha = corrected(p, "holm"), 1 - setting.confidence
    strict = 1 - alpha / len(found)
    rows = []
    for (each, parts, at), own, adjusted in zip(found, p, holm, strict=True):
        value, error, n = float(parts.mean[at]), float(parts.error[at]), float(parts.n[at])
        if of.kind == "labels":
            worth = n if not error > 0 else min(n, value * (1 - value) / error**2)
            low, high = wilson(value * worth, worth, strict)
        else:
            reach = float(stdtrit(max(parts.df, 1), (1 + strict) / 2)) * error if error > 0 else math.nan
            low, high = max(value - reach, 0.0), value + reach
        rows.append(
            SliceRow(
                judged.judge,
                of.name,
                each.name,
                each.labels[at],
                statistic,
                value,
                low,
                high,
                float(parts.elsewhere[at]),
                float(own),
                float(adjusted),
                bool(adjusted <= alpha),
                int(n),
            )
        )
    sign = 1 if of.kind == "labels" else -1
    return sorted(rows, key=lambda row: (not is_worse(row), sign * row.estimate))


def is_worse(row: SliceRow) -> bool:
    """Return whether a judge is significantly worse in a slice than elsewhere."""
    return row.significant_corrected and (row.estimate < row.elsewhere) == (row.statistic == "accuracy")


def disagreement_rows(setting: Setting, judged: Judged, most: int) -> list[DisagreementRow]:
    """Return the items on which judge and people differ most: clear cases for people first, systems in turn."""
    of, scores = judged.criterion, setting.scores
    x, truth = judged.x, of.truth
    if of.kind == "labels":
        known = ~np.isnan(of.ratings)
        others = ((of.ratings != x) & known).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        gap = np.abs(judged.raw - judged.threshold) if judged.kind == "scores" else others
        apart, size = x != truth, [known.sum(axis=0), others, np.nan_to_num(gap)]
    else:
        gap = np.abs(x - truth)
        apart, size = gap > 0, [np.nan_to_num(gap)]
    m = len(scores.inputs)
    there = np.flatnonzero(apart & ~np.isnan(x + truth) & ~judged.abstained)
    chosen = there[in_turn(of.cells[there] // m, *(each[there] for each in size))][:most]
    rows = []
    for at in chosen.tolist():
        system, item = divmod(int(of.cells[at]), m)
        said = f"{judged.raw[at]:.4g}" if judged.kind == "scores" else of.said(float(x[at]))
        rows.append(
            DisagreementRow(
                judged.judge,
                of.name,
                scores.systems[system] if scores.has_systems else "",
                scores.inputs[item],
                said,
                of.said(float(truth[at])),
                float(gap[at]),
                tuple(texts_of(scores, system, item)),
            )
        )
    return rows


def alternative_rows(
    setting: Setting, judged: Judged, epsilon: float, worse: float
) -> tuple[list[AlternativeRow], list[EpsilonRow]]:
    """Return the alternative-annotator test of a judge, and its winning rate over ε; nothing with one person."""
    of = judged.criterion
    if len(of.people) < 2:
        return [], []
    apart = alt.comparisons(judged.x, of.ratings, "accuracy" if of.kind == "labels" else "rmse")
    found = alt.of_comparisons(apart, epsilon)
    ways = setting.ways(of.cells)
    clustered = alt.of_comparisons(apart, epsilon, clusters=ways[0]) if ways else found
    kept: FloatArray = apart[found.people]
    chances = [
        alt.chance_of_passing(apart, epsilon, worse=w, resamples=TRIALS, seed=setting.seed) for w in (0.0, worse)
    ]
    row = AlternativeRow(
        judged.judge,
        of.name,
        epsilon,
        found.winning_rate,
        found.advantage,
        found.passed,
        len(found.people),
        int((~np.isnan(kept)).any(axis=0).sum()) if len(kept) else 0,
        len(of.people) - len(found.people),
        clustered.winning_rate,
        chances[0],
        chances[1],
        worse,
    )
    grid = sorted({*GRID, epsilon})
    curve = [
        EpsilonRow(judged.judge, of.name, one.epsilon, one.winning_rate, one.passed) for one in alt.curve(apart, grid)
    ]
    return [row], curve
