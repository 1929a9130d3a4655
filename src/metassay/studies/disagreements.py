"""On which outputs do metrics and people disagree most?

Metric and people rank the same outputs, each by itself, so that their scores need not be on one scale. An output that
the metric ranks much higher than people do is overrated, one that it ranks much lower is underrated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from metassay.core import fields, vocabulary
from metassay.core.scores import Scores
from metassay.errors import one_line
from metassay.stats.arrays import FloatArray, IntArray
from metassay.studies.selection import Selection

FEW = 3
"""With more metrics than this, only the best of each criterion is looked at."""
LONGEST = 4000
"""Characters of a text that a row keeps."""


@fields.row
class RankGapRow(fields.OfMetric):
    """An output that a metric and people rank differently."""

    system: fields.SystemIfAny
    input: fields.Input
    score: float
    """The metric's score."""
    human_score: float
    """The mean human score."""
    rank: float
    """Share of the outputs that the metric ranks lower, ties counted half: 1 is best."""
    human_rank: float
    """Share of the outputs that people rank lower."""
    gap: float
    """The metric's rank minus the human rank: above 0 the output is overrated, below 0 underrated."""
    median_gap: float
    """Median absolute difference between the two ranks of an output."""
    n_outputs: int
    """Outputs that were ranked."""
    texts: fields.Texts


def texts_of(scores: Scores, system: int, item: int) -> Iterator[tuple[str, str]]:
    """Yield the names and contents of what is known of an output, its system and its input."""
    for each in scores.attributes.values():
        place = {"input": (item,), "system": (system,), "output": (system, item)}[each.axis]
        code = int(each.codes[place])
        if code >= 0:
            yield each.name, one_line(each.labels[code], LONGEST)


def in_turn(systems: IntArray, *size: FloatArray) -> IntArray:
    """Return the order of items, in order of their systems: the largest first, and systems in turn where sizes tie."""
    turn = np.arange(len(systems)) - np.searchsorted(systems, systems)
    return np.lexsort((turn, *(-each for each in size)))


def rank_gaps(selected: Selection, agreed: Sequence[Any], most: int) -> list[RankGapRow]:
    """Return for each criterion the outputs that its best metric, or each of a few, overrates and underrates most.

    Parameters
    ----------
    selected
        Metrics and people.
    agreed
        Rows of agreement; the first level and statistic of a criterion says which metric is the best.
    most
        So many outputs are overrated, and as many underrated.
    """
    found: list[RankGapRow] = []
    for h, human in enumerate(selected.humans):
        rows = [row for row in agreed if (row.human, row.kind) == (human, "metric") and row.estimate == row.estimate]
        rows = [row for row in rows if (row.level, row.statistic) == (rows[0].level, rows[0].statistic)]
        rows.sort(key=lambda row: -vocabulary.statistic_sign(row.statistic) * row.estimate)
        for row in rows if len(rows) <= FEW else rows[:1]:
            found += _of_metric(selected, h, selected.metrics.index(row.metric), most)
    return found


def _of_metric(selected: Selection, human: int, metric: int, most: int) -> Iterator[RankGapRow]:
    scores, m = selected.scores, len(selected.scores.inputs)
    x, z = selected.x[metric].ravel(), selected.z[human].ravel()
    cells = np.flatnonzero(~np.isnan(x + z))
    if len(cells) < 2:
        return
    ranks = [_shares_below(values[cells]) for values in (x, z)]
    gap = ranks[0] - ranks[1]
    raw = [np.asarray(scores[name].mean()).ravel() for name in (selected.metrics[metric], selected.humans[human])]
    shared: dict[str, object] = {"median_gap": float(np.median(np.abs(gap))), "n_outputs": len(cells)}
    shared |= {"metric": selected.metrics[metric], "human": selected.humans[human]}
    for sign in (1, -1):
        order = in_turn(cells // m, sign * gap)
        for at in (at for at in order[:most].tolist() if sign * gap[at] > 0):
            system, item = divmod(int(cells[at]), m)
            yield fields.filled(
                RankGapRow,
                shared,
                system=scores.systems[system] if scores.has_systems else "",
                input=scores.inputs[item],
                score=float(raw[0][cells[at]]),
                human_score=float(raw[1][cells[at]]),
                rank=float(ranks[0][at]),
                human_rank=float(ranks[1][at]),
                gap=float(gap[at]),
                texts=tuple(texts_of(scores, system, item)),
            )


def _shares_below(values: FloatArray) -> FloatArray:
    """Return for each value the share of values below it, ties counted half."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((counts.cumsum() - counts / 2)[place] / len(values))
