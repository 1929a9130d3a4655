"""What `criteria` correlates: metrics and criteria while anchors are held fixed, in the data and in resamples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from metassay.core.scores import Scores
from metassay.errors import UsageError, listed, one_line
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.draws import BootstrapPages
from metassay.stats.kernels.weighted_ranks import Numbers
from metassay.stats.levels import OUTER
from metassay.stats.metric_criterion_pairs import Weights, cell_weights
from metassay.stats.partial_correlation import PartialFormula, Partialled, WithinBuckets, buckets_of
from metassay.stats.statistics.base import Points, Statistic
from metassay.studies.selection import Selection

Edges = str | Sequence[float] | Mapping[str, Sequence[float]] | Iterable[str]
"""Edges of buckets: for all anchors, or by anchor; on the command line ``1.5,2.5`` or ``NAME=1.5,2.5``."""


def bucket_edges(edges: Edges | None, anchors: Sequence[str]) -> dict[str, FloatArray]:
    """Return the edges of each anchor that has some.

    Examples
    --------
    >>> bucket_edges("length=20,40", ["length", "fluency"])
    {'length': array([20., 40.])}
    """
    if edges is None:
        return {}
    given: list[tuple[str, Sequence[object]]]
    if isinstance(edges, Mapping):
        given = [(name, list(values)) for name, values in edges.items()]
    else:
        texts: list[object] = [edges] if isinstance(edges, str) else list(edges)
        if texts and not any(isinstance(text, str) and "=" in text for text in texts):
            flat = [part for text in texts for part in (text.split(",") if isinstance(text, str) else [text])]
            given = [(name, flat) for name in anchors]
        else:
            given = []
            for text in texts:
                name, sign, listing = str(text).rpartition("=")
                if not sign:
                    raise UsageError(f"edges must all be NAME=NUMBERS or all numbers, got {one_line(text, 60)!r}")
                given.append((name.strip(), listing.split(",")))
    found = {}
    for name, values in given:
        if name not in anchors:
            raise UsageError(f"edges are given for {one_line(name, 60)!r}, which is no anchor ({listed(anchors)})")
        found[name] = _ascending(values)
    return found


def _ascending(values: Sequence[object]) -> FloatArray:
    try:
        numbers = np.array([float(v) for v in values], dtype=np.float64)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise UsageError(f"edges must be numbers, got {one_line(','.join(map(str, values)), 60)!r}") from None
    if not len(numbers) or not np.isfinite(numbers).all() or (np.diff(numbers) <= 0).any():
        raise UsageError(
            f"edges must be numbers in ascending order, such as 1.5,2.5,3.5, got "
            f"{one_line(','.join(map(str, values)), 60)!r}"
        )
    return numbers


class Anchor(NamedTuple):
    """What is held fixed."""

    values: FloatArray
    """Its scores (cells,), with high ones good."""
    buckets: IntArray
    """The bucket of each cell; 0 where the score is missing, which nobody looks at."""

    @classmethod
    def of(cls, scores: Scores, name: str, edges: FloatArray | None) -> Anchor:
        """Return a column of scores as an anchor, in buckets by `edges` or by whole numbers."""
        values = scores.matrix(name).ravel()
        # Buckets are those of the scores as they were given, whichever way is up.
        plain = -values if scores[name].lower_is_better else values
        known = ~np.isnan(values)
        buckets = np.zeros(len(values), dtype=np.int64)
        buckets[known] = buckets_of(plain[known], edges)
        return cls(values, buckets)


class Task(NamedTuple):
    """One correlation, to be looked at with several anchors."""

    metric: str | None
    human: str
    x: FloatArray
    z: FloatArray
    anchors: tuple[str, ...]
    methods: tuple[str, ...]


class Finding(NamedTuple):
    """One row before its intervals are made."""

    metric: str | None
    human: str
    anchor: str
    level: str
    method: str | None
    estimate: float
    within: float
    drawn: FloatArray
    drawn_within: FloatArray
    n: int
    n_buckets: int | None
    n_undefined: int


def make_tasks(taken: Sequence[Selection], anchors: Sequence[str], methods: tuple[str, ...]) -> list[Task]:
    """Return what is to be correlated: criteria with anchors, then metrics with criteria, of which each has its own."""
    selected = taken[0]
    z = dict(zip(selected.humans, selected.z, strict=True))
    tasks = [
        # An anchor has no residuals from itself, so two criteria are only looked at in buckets.
        Task(None, criterion, selected.scores.matrix(name), z[criterion], (name,), ("bucket",))
        for criterion in selected.humans
        for name in anchors
        if name != criterion
    ]
    for name in dict.fromkeys(name for each in taken for name in each.metrics):
        for h, (each, criterion) in enumerate(zip(taken, selected.humans, strict=True)):
            held = tuple(a for a in anchors if a not in (criterion, name))
            if held and name in each.metrics:
                k = each.metrics.index(name)
                tasks.append(Task(name, criterion, each.x[k], each.people(h, [k]), held, methods))
    return tasks


class _Part(NamedTuple):
    """One anchor, held fixed in one way."""

    anchor: str
    method: str
    at: IntArray
    """The cells that have all three scores."""
    kernel: WithinBuckets | Partialled | PartialFormula

    @property
    def cells(self) -> bytes:
        """Stands for these cells: parts on the same cells share the correlation as it is."""
        return self.at.tobytes()


def examine(task: Task, held: Mapping[str, Anchor], statistic: Statistic, pages: BootstrapPages) -> list[Finding]:
    """Correlate, with each anchor held fixed in each way, in the data and in all resamples."""
    found = [_over_systems(task, statistic, pages)] if task.metric is None else []
    parts = _parts(task, held, statistic)
    x, z = task.x.ravel(), task.z.ravel()
    points = {part.cells: part.at for part in parts}
    wholes = {key: statistic.points(x[at], z[at], len(x)) for key, at in points.items()}
    whole_draws = {key: np.empty(pages.draws) for key in wholes}
    within_draws = np.empty((len(parts), pages.draws))
    slopes = np.empty((len(parts), 2, pages.draws))
    for start, weights in _weights_of_cells(pages):
        cut = slice(start, start + weights.shape[1])
        chosen = {key: weights if len(at) == len(x) else weights[at] for key, at in points.items()}
        for key, whole in wholes.items():
            whole_draws[key][cut] = whole.correlate(chosen[key])
        for row, part in enumerate(parts):
            if isinstance(part.kernel, Partialled):
                within_draws[row, cut], slopes[row][:, cut] = part.kernel.correlate(chosen[part.cells])
            else:
                within_draws[row, cut] = part.kernel.correlate(chosen[part.cells])
    for row, part in enumerate(parts):
        drawn = within_draws[row]
        if isinstance(part.kernel, Partialled):
            drawn = part.kernel.finish(drawn, slopes[row])
        found.append(_finding(task, part, wholes[part.cells], whole_draws[part.cells], drawn))
    return found


def _over_systems(task: Task, statistic: Statistic, pages: BootstrapPages) -> Finding:
    """Correlate two criteria over means of systems."""
    level = statistic.prepare(task.x[None], task.z, "system")
    drawn = np.concatenate([level.bootstrap(*pages[page]) for page in range(len(pages))], axis=1)[0]
    return Finding(
        None,
        task.human,
        task.anchors[0],
        "system",
        None,
        estimate=float(level.estimate()[0][0]),
        within=math.nan,
        drawn=drawn[: pages.draws],
        drawn_within=np.full(pages.draws, np.nan),
        n=int((~np.isnan(task.x).all(axis=1) & ~np.isnan(task.z).all(axis=1)).sum()),
        n_buckets=None,
        n_undefined=0,
    )


def _parts(task: Task, held: Mapping[str, Anchor], statistic: Statistic) -> list[_Part]:
    """Prepare each anchor to be held fixed in each way."""
    x, z = task.x.ravel(), task.z.ravel()
    parts = []
    for anchor in task.anchors:
        values, buckets = held[anchor]
        at = np.flatnonzero(~(np.isnan(x) | np.isnan(z) | np.isnan(values)))
        for method in task.methods:
            kernel: WithinBuckets | Partialled | PartialFormula
            if method == "bucket":
                kernel = WithinBuckets(x[at], z[at], buckets[at], statistic, len(x))
            else:
                kind = Partialled if method == "partial" else PartialFormula
                kernel = kind(x[at], z[at], values[at], statistic, len(x))
            parts.append(_Part(anchor, method, at, kernel))
    return parts


def _finding(task: Task, part: _Part, whole: Points, drawn: FloatArray, drawn_within: FloatArray) -> Finding:
    n, kernel = len(part.at), part.kernel
    estimate = within = math.nan
    undefined = 0
    if n:
        estimate = float(whole.correlate(np.ones((n, 1)))[0])
        if isinstance(kernel, WithinBuckets):
            within, undefined = kernel.estimate()
        else:
            within = kernel.estimate()
    return Finding(
        task.metric,
        task.human,
        part.anchor,
        "global",
        part.method,
        estimate=estimate,
        within=within,
        drawn=drawn,
        drawn_within=drawn_within,
        n=n,
        n_buckets=len(kernel.members) if isinstance(kernel, WithinBuckets) else None,
        n_undefined=undefined,
    )


def _weights_of_cells(pages: BootstrapPages) -> Iterable[tuple[int, Numbers]]:
    """Yield multiplicities of cells, (cells, draws), with the number of the first draw."""
    width = max(1, OUTER // (pages.shape[0] * pages.shape[1]))
    for page in range(len(pages)):
        weights = Weights(*pages[page])
        first = page * pages.size
        wanted = min(pages.size, pages.draws - first)
        for at in range(0, wanted, width):
            yield first + at, cell_weights(weights, pages.shape, slice(at, min(at + width, wanted)))
