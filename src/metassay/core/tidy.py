"""Scores as flat rows: the tidy form, in which they are written and put into data frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from metassay.core.column import EXTRA_AXES
from metassay.core.scores import SYSTEM_SCORE, Scores
from metassay.stats.arrays import IntArray


def rows_of(scores: Scores) -> Iterator[dict[str, object]]:
    """Yield one flat dict per known score; see :meth:`metassay.Scores.rows`."""
    every = scores.columns.values()
    used = [axis for axis in EXTRA_AXES if any(c.labels(axis) for c in every)]
    directed = any(c.lower_is_better for c in every)
    scaled = any(c.scale.kind != "interval" for c in every)
    attributes = [(each, each.texts()) for each in scores.attributes.values()]

    def more(row: dict[str, object], i: int, j: int, column: Any) -> dict[str, object]:  # noqa: ANN401 - a Column
        system, key = scores.systems[i], scores.inputs[j]
        for what, known, label in (
            ("group", scores.groups, system),
            ("family", scores.families, system),
            ("cluster", scores.clusters, key),
        ):
            if known:
                row[what] = known.get(label, "")
        if directed:
            row["direction"] = "lower" if column.lower_is_better else "higher"
        if scaled:
            row["scale"] = str(column.scale)
        for each, texts in attributes:
            text = texts[i, j] if each.axis == "output" else texts[i if each.axis == "system" else j]
            row[each.name] = "" if text is None else text
        return row

    for column, cells in zip(every, _cells(scores), strict=True):
        present = [(axis, column.axes[at][1]) for at, (axis, _) in enumerate(column.axes)]
        values = column.decoded()[tuple(cells.T)].tolist()
        basic = {"metric": column.name, "kind": column.kind}
        for at, value in zip(cells.tolist(), values, strict=True):
            *extra, i, j = at
            place = {axis: names[k] for (axis, names), k in zip(present, extra, strict=True)}
            row: dict[str, object] = {"system": scores.systems[i], "input": scores.inputs[j], "metric": column.name}
            row |= {"score": np.nan if value is None else value, "kind": basic["kind"]}
            row |= {axis: place.get(axis, "") for axis in used}
            yield more(row, i, j, column)
        if column.system_scores is not None:
            for i in np.flatnonzero(~np.isnan(column.system_scores)).tolist():
                row = {"system": scores.systems[i], "input": SYSTEM_SCORE, "metric": column.name}
                row |= {"score": float(column.system_scores[i]), "kind": column.kind} | dict.fromkeys(used, "")
                own = more(row, i, 0, column)
                yield own | {each.name: "" for each, _ in attributes if each.axis != "system"}


def _cells(scores: Scores) -> list[IntArray]:
    """Return for each column where its known scores are, then where an empty row makes a label known."""
    found = []
    for column in scores.columns.values():
        known = np.argwhere(~np.isnan(column.values))
        unseen = _unseen(known, column.values.shape, range(len(column.axes)))
        if not len(known) and not len(unseen) and column.system_scores is None:
            unseen = np.zeros((1, column.values.ndim), dtype=np.int64)
        found.append(np.concatenate([known, unseen]))
    everywhere = np.concatenate([cells[:, -2:] for cells in found])
    alone = _unseen(everywhere, scores.shape, (0, 1))
    padding = ((0, 0), (found[0].shape[1] - 2, 0))
    found[0] = np.concatenate([found[0], np.pad(alone, padding)])
    return found


def _unseen(cells: IntArray, shape: tuple[int, ...], axes: Iterable[int]) -> IntArray:
    """Return one cell for each position on the given axes that no cell stands on."""
    alone = [
        [at if other == axis else 0 for other in range(len(shape))]
        for axis in axes
        for at in np.setdiff1d(np.arange(shape[axis]), cells[:, axis]).tolist()
    ]
    return np.array(alone, dtype=np.int64).reshape(-1, len(shape))
