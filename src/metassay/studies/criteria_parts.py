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
from metassay.stats.kernels.running_sums import draws_at_once
from metassay.stats.kernels.weighted_ranks import Numbers
from metassay.stats.methods.case import Case
from metassay.stats.methods.first_order import Moves
from metassay.stats.metric_criterion_pairs import Weights, cell_weights, draws_of
from metassay.stats.partial_correlation import PartialFormula, Partialled, WithinBuckets, buckets_of
from metassay.stats.statistics.base import Statistic
from metassay.stats.statistics.scales import Scale
from metassay.studies.criteria_spread import Drawn, Fixed, Moved
from metassay.studies.selection import Selection

AT_ONCE = 1 << 19
"""Cells × draws weighted at once: few enough to stay near the processor."""

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
            raise UsageError(f"edges are given for {one_line(name, 60)!r}, which is not an anchor ({listed(anchors)})")
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
    """One variable's correlations, each to be looked at with several anchors."""

    metric: str | None
    x: FloatArray
    humans: tuple[str, ...]
    zs: tuple[FloatArray, ...]
    anchors: tuple[str, ...]
    """Those of which each belongs to all criteria but itself."""
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
    spread: Drawn | Moved | Fixed
    n: int
    n_buckets: int | None
    n_undefined: int


def make_tasks(taken: Sequence[Selection], anchors: Sequence[str], methods: tuple[str, ...]) -> list[Task]:
    """Return what is to be correlated: anchors with criteria, then metrics with criteria, of which each has its own."""
    selected = taken[0]
    # An anchor has no residuals from itself, so two criteria are only looked at in buckets.
    tasks = [
        Task(None, selected.scores.matrix(name), *_chosen(selected, name), (name,), ("bucket",)) for name in anchors
    ]
    for name in dict.fromkeys(name for each in taken for name in each.metrics):
        held = tuple(a for a in anchors if a != name)
        # What stands beside metrics may have other scores beside another criterion.
        alike: dict[bytes, list[tuple[str, FloatArray, FloatArray]]] = {}
        for h, (each, criterion) in enumerate(zip(taken, selected.humans, strict=True)):
            if name in each.metrics:
                k = each.metrics.index(name)
                alike.setdefault(each.x[k].tobytes(), []).append((criterion, each.people(h, [k]), each.x[k]))
        for members in alike.values():
            humans, zs, xs = zip(*members, strict=True)
            tasks.append(Task(name, xs[0], humans, zs, held, methods))
    return tasks


def _chosen(selected: Selection, anchor: str) -> tuple[tuple[str, ...], tuple[FloatArray, ...]]:
    """Return the criteria other than the anchor, and their scores."""
    others = [(name, z) for name, z in zip(selected.humans, selected.z, strict=True) if name != anchor]
    return tuple(name for name, _ in others), tuple(z for _, z in others)


class _Part(NamedTuple):
    """One anchor, held fixed in one way."""

    anchor: str
    method: str
    humans: tuple[int, ...]
    """The criteria of the task that this is about."""
    at: IntArray
    """The cells that have all three scores."""
    cells: bytes
    """Stands for these cells: parts on the same cells share the unadjusted correlation."""
    kernel: WithinBuckets | Partialled | PartialFormula


class Sampling(NamedTuple):
    """Where intervals come from: resamples, or what systems and inputs do."""

    pages: BootstrapPages | None
    """The resamples; None for the jackknife."""
    families: IntArray | None
    clusters: IntArray | None


def examine(task: Task, held: Mapping[str, Anchor], statistic: Statistic, sampling: Sampling) -> list[Finding]:
    """Correlate, with each anchor held fixed in each way, and say how far this would vary."""
    found = _over_systems(task, statistic, sampling) if task.metric is None else []
    largest = task.x.size if sampling.pages is None else sampling.pages.largest
    parts = _parts(task, held, statistic, largest)
    if sampling.pages is not None:
        draws = _weights_of_cells(sampling.pages)
        return found + _drawn(task, parts, statistic, draws, sampling.pages.draws, largest)
    moved = _moved(task, parts, statistic, sampling)
    if moved is not None:
        return found + moved
    # What cells do to this statistic is not known: each system and each input is left out in turn.
    n, m = task.x.shape
    left = _drawn(task, parts, statistic, _without_one(n, m), n + m, largest)
    scale = statistic.scale
    return found + [one._replace(spread=_from_left_out(one, n, scale)) for one in left]


def _drawn(
    task: Task,
    parts: Sequence[_Part],
    statistic: Statistic,
    draws: Iterable[tuple[int, Numbers]],
    number: int,
    largest: int,
) -> list[Finding]:
    """Correlate under so many weightings of the cells, after the first, in which each counts once."""
    x, zs = task.x.ravel(), [z.ravel() for z in task.zs]
    cells = {part.cells: part.at for part in parts}
    # The correlation as it is: once for each criterion and set of cells.
    wholes = {key: sorted({h for part in parts if part.cells == key for h in part.humans}) for key in cells}
    together = {key: statistic.together(x[at], [zs[h][at] for h in wholes[key]], largest) for key, at in cells.items()}
    whole_draws = {key: np.empty((len(humans), number + 1)) for key, humans in wholes.items()}
    within_draws = [np.empty((len(part.humans), number + 1)) for part in parts]
    slopes = [np.empty((1 + len(part.humans), number + 1)) for part in parts]
    undefined = [np.zeros(len(part.humans), dtype=np.int64) for part in parts]
    for start, weights in draws:
        cut = slice(start, start + weights.shape[1])
        chosen = {key: weights if len(at) == len(x) else weights[at] for key, at in cells.items()}
        for key, whole in together.items():
            whole_draws[key][:, cut] = whole(chosen[key])
        for row, part in enumerate(parts):
            drawn = chosen[part.cells]
            if isinstance(part.kernel, Partialled):
                within_draws[row][:, cut], slopes[row][:, cut] = part.kernel.correlate(drawn)
            elif isinstance(part.kernel, WithinBuckets):
                within_draws[row][:, cut], lost = part.kernel.correlate(drawn)
                undefined[row] = lost[:, 0] if start == 0 else undefined[row]
            else:
                within_draws[row][:, cut] = part.kernel.correlate(drawn)
    found = []
    for row, part in enumerate(parts):
        key, drawn = part.cells, within_draws[row][:, 1:]
        if isinstance(part.kernel, Partialled):
            drawn = part.kernel.finish(drawn, slopes[row][:, 1:])
        for k, h in enumerate(part.humans):
            as_it_is = whole_draws[key][wholes[key].index(h)]
            values = as_it_is[0], within_draws[row][k, 0], int(undefined[row][k])
            found.append(_finding(task, part, h, values, Drawn(as_it_is[1:], drawn[k])))
    return found


def _moved(task: Task, parts: Sequence[_Part], statistic: Statistic, sampling: Sampling) -> list[Finding] | None:
    """Say what cells do to the correlations, and so systems and inputs; None if that is not known."""
    x, zs = task.x.ravel(), [z.ravel() for z in task.zs]
    wholes: dict[tuple[int, bytes], tuple[float, Moves]] = {}

    n, m = task.x.shape
    units = np.repeat(np.arange(n) if sampling.families is None else sampling.families, m)
    count = int(units.max(initial=-1)) + 1

    def moves(at: IntArray, psi: FloatArray, left: FloatArray) -> Moves:
        cells = np.full(len(x), np.nan)
        cells[at] = psi / max(len(at), 1)
        return Moves.of_cells(cells.reshape(n, m), sampling.families, sampling.clusters, left)

    found = []
    for part in parts:
        held = part.kernel.moved(units[part.at], count)
        if held is None:
            return None
        for h, within in zip(part.humans, held, strict=True):
            key = h, part.cells
            if key not in wholes:
                known = statistic.moved(x[part.at], zs[h][part.at], units[part.at], count)
                if known is None:
                    return None
                wholes[key] = known[0], moves(part.at, *known[1:])
            estimate, whole = wholes[key]
            spread = Moved(estimate, within.value, whole, moves(part.at, within.psi, within.left), statistic.scale)
            found.append(_finding(task, part, h, (estimate, within.value, within.undefined), spread))
    return found


def _from_left_out(finding: Finding, systems: int, scale: Scale) -> Moved:
    """Turn numbers without each system, and then without each input, into what these do."""
    drawn = finding.spread
    assert isinstance(drawn, Drawn), "systems and inputs were left out"
    whole, within = (
        Moves.of_left_out(at, values[:systems], values[systems:])
        for at, values in ((finding.estimate, drawn.whole), (finding.within, drawn.within))
    )
    return Moved(finding.estimate, finding.within, whole, within, scale)


def _over_systems(task: Task, statistic: Statistic, sampling: Sampling) -> list[Finding]:
    """Correlate an anchor with criteria over means of systems."""
    return [_of_systems(task, *each, statistic, sampling) for each in zip(task.humans, task.zs, strict=True)]


def _of_systems(task: Task, human: str, z: FloatArray, statistic: Statistic, sampling: Sampling) -> Finding:
    pages = sampling.pages
    case = Case(statistic, task.x[None], z, "system", True, sampling.families, sampling.clusters)
    spread: Drawn | Fixed
    if pages is None:
        spread = Fixed(case)
    else:
        drawn = np.concatenate([case.prepared.bootstrap(*pages[page]) for page in range(len(pages))], axis=1)[0]
        spread = Drawn(drawn[: pages.draws], np.full(pages.draws, np.nan))
    return Finding(
        None,
        human,
        task.anchors[0],
        "system",
        None,
        estimate=float(case.estimates[0]),
        within=math.nan,
        spread=spread,
        n=int((~np.isnan(task.x).all(axis=1) & ~np.isnan(z).all(axis=1)).sum()),
        n_buckets=None,
        n_undefined=0,
    )


def _parts(task: Task, held: Mapping[str, Anchor], statistic: Statistic, largest: int) -> list[_Part]:
    """Prepare each anchor to be held fixed in each way, for all criteria at once that have the same cells."""
    x, zs = task.x.ravel(), [z.ravel() for z in task.zs]
    parts = []
    for anchor in task.anchors:
        values, buckets = held[anchor]
        alike: dict[bytes, list[int]] = {}
        for h, (name, z) in enumerate(zip(task.humans, zs, strict=True)):
            if name != anchor:
                alike.setdefault((~(np.isnan(x) | np.isnan(z) | np.isnan(values))).tobytes(), []).append(h)
        for mask, humans in alike.items():
            at = np.flatnonzero(np.frombuffer(mask, dtype=bool))
            those = [zs[h][at] for h in humans]
            for method in task.methods:
                kernel: WithinBuckets | Partialled | PartialFormula
                if method == "bucket":
                    kernel = WithinBuckets(x[at], those, buckets[at], statistic, largest)
                else:
                    kind = Partialled if method == "partial" else PartialFormula
                    kernel = kind(x[at], those, values[at], statistic, largest)
                parts.append(_Part(anchor, method, tuple(humans), at, mask, kernel))
    return parts


def _finding(task: Task, part: _Part, human: int, values: tuple[float, float, int], spread: Drawn | Moved) -> Finding:
    estimate, within, undefined = values
    return Finding(
        task.metric,
        task.humans[human],
        part.anchor,
        "global",
        part.method,
        estimate=float(estimate),
        within=float(within),
        spread=spread,
        n=len(part.at),
        n_buckets=len(part.kernel.members) if isinstance(part.kernel, WithinBuckets) else None,
        n_undefined=undefined,
    )


def _weights_of_cells(pages: BootstrapPages) -> Iterable[tuple[int, Numbers]]:
    """Yield multiplicities of cells, (cells, draws), with the number of the first draw; that of all ones is 0."""
    for page in range(len(pages)):
        systems, inputs = (None if w is None else w[:, : pages.draws - page * pages.size] for w in pages[page])
        if page == 0:
            systems, inputs = (None if w is None else np.insert(w, 0, 1.0, axis=1) for w in (systems, inputs))
        first = page * pages.size + (page > 0)
        for at, weights in _in_turn(Weights(systems, inputs), pages.shape):
            yield first + at, weights


def _without_one(n: int, m: int) -> Iterable[tuple[int, Numbers]]:
    """Yield the same without each system, and then without each input."""
    systems, inputs = np.ones((n, 1 + n + m)), np.ones((m, 1 + n + m))
    systems[:, 1 : 1 + n] -= np.eye(n)
    inputs[:, 1 + n :] -= np.eye(m)
    return _in_turn(Weights(systems, inputs), (n, m))


def _in_turn(weights: Weights, shape: tuple[int, int]) -> Iterable[tuple[int, Numbers]]:
    """Yield weights of cells for so many draws at once as memory allows, with the number of the first draw."""
    width = draws_at_once(shape[0] * shape[1], AT_ONCE)
    for at in range(0, draws_of(weights), width):
        yield at, cell_weights(weights, shape, slice(at, at + width))
