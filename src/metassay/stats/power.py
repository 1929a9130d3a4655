"""One test of one metric against many damaged copies of it."""

from __future__ import annotations

import numpy as np

from metassay.stats import two_way
from metassay.stats.arrays import FloatArray
from metassay.stats.coverage import points
from metassay.stats.draws import BootstrapPages, SwapPages
from metassay.stats.kernels.score_swaps import make_exchange, standardize_cells, standardize_level
from metassay.stats.levels import Level, make_level
from metassay.stats.significance import Counts, count_exchanged, count_resampled, williams


def p_values(
    x: FloatArray,
    damaged: FloatArray,
    z: FloatArray,
    level: str,
    coefficient: str,
    test: str,
    resamples: int,
    seed: int,
) -> FloatArray:
    """Test whether a metric agrees better with people than each of its damaged copies.

    Parameters
    ----------
    x, z
        The metric and people, systems × inputs.
    damaged
        Copies of the metric, (T, systems, inputs).
    level, coefficient, test
        As in `compare`.
    resamples, seed
        All copies are tested with the same draws.

    Returns
    -------
    FloatArray
        One-sided p-values with the observed data among the draws, (T,); NaN where a correlation is undefined.

    Notes
    -----
    Draws are independent of the scores, so every single test has the size and power that it has with draws of its own;
    that tests share them only makes their outcomes a little more alike.
    """
    metrics = _alike(x, damaged)
    prepared = make_level(metrics, z, level, coefficient)
    r, _ = prepared.estimate()
    useless = np.isnan(r[0]) | np.isnan(r[1:])
    if test == "williams":
        # Beyond means of systems, all three correlations rest on the cells that people scored too.
        shared = metrics if level == "system" else np.where(np.isnan(z), np.nan, metrics)
        between, _ = make_level(shared[1:], shared[0], level, coefficient).estimate()
        n = points(metrics[0], z, level)
        p = [williams(float(r[0]), float(b), float(c), n, "greater") for b, c in zip(r[1:], between, strict=True)]
        return np.array(p)
    counts: Counts | None = None
    shape = (x.shape[0], x.shape[1])
    if test.startswith("perm") or test == "two-way":
        pairs = [(0, t + 1) for t in range(len(damaged))]
        if test == "two-way":
            scaled = standardize_level(metrics, z, level)
        else:
            scaled = np.stack([standardize_cells(v) for v in metrics])
        exchange = make_exchange(scaled, z, pairs, level, coefficient)
        left, right = exchange(np.zeros((*shape, 1), dtype=np.uint8))
        observed = (left - right)[:, 0]
        swaps = SwapPages(resamples, shape, seed, unit="systems" if test == "two-way" else test.removeprefix("perm-"))
        if test == "two-way":
            left, right = exchange(swaps[0])
            smooth = two_way.smooth_level(prepared, metrics, z, level, coefficient)
            added = _added_by_inputs(prepared, smooth, shape, seed)
            observed = two_way.shrunk(observed, left - right, added, shape[0])
        for page in range(len(swaps)):
            left, right = exchange(swaps[page])
            found = count_exchanged(observed, (left - right)[:, : resamples - page * swaps.size], "plus-one")
            counts = found if counts is None else counts + found
    else:
        draws = BootstrapPages(
            resamples,
            shape,
            seed,
            resample_systems=test != "paired-boot-inputs",
            resample_inputs=test != "paired-boot-systems",
        )
        for page in range(len(draws)):
            sample = prepared.bootstrap(*draws[page])[:, : resamples - page * draws.size]
            found = count_resampled(r[0] - r[1:], sample[0] - sample[1:])
            counts = found if counts is None else counts + found
    assert counts is not None, "there is at least one draw"
    return np.where(useless, np.nan, counts.p_values("greater", "plus-one"))


def _added_by_inputs(prepared: Level, smooth: Level, shape: tuple[int, int], seed: int) -> FloatArray:
    """Return what the inputs add to the variance of the difference between the metric and each copy."""
    draws = BootstrapPages(two_way.DRAWS, shape, seed)
    pages = []
    for page in range(len(draws)):
        drawn = two_way.resampled(prepared, smooth, *draws[page])
        pages.append([(r[0] - r[1:])[:, : two_way.DRAWS - page * draws.size] for r in drawn])
    return two_way.added_by_inputs([np.concatenate(part, axis=1) for part in zip(*pages, strict=True)], shape)


def correlations(x: FloatArray, damaged: FloatArray, z: FloatArray, level: str, coefficient: str) -> FloatArray:
    """Return the correlation with people of the metric and of its damaged copies, (1 + T,)."""
    r, _ = make_level(_alike(x, damaged), z, level, coefficient).estimate()
    return r


def _alike(x: FloatArray, damaged: FloatArray) -> FloatArray:
    """Return the metric and its copies, on the cells that all of them have."""
    missing = np.isnan(x) | np.isnan(damaged).any(axis=0)
    return np.where(missing, np.nan, np.concatenate([x[None], damaged]))
