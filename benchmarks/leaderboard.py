"""Processor seconds of a leaderboard of WMT23 en-de, and of a loop over thresholds for the same accuracy, in one run.

All metrics by acc-eq and Pearson at segment level and by SPA and pairwise accuracy at system level, with intervals and
tests of all pairs: by the default methods, which draw nothing, and by 1,000 draws. The loop computes the accuracy with
calibrated ties from its definition: each difference between two scores of a segment is tried as a threshold, and all
pairs of outputs are counted for each. It is timed on a few metrics, and scaled up to the draws and pairs of metrics of
the test. Reads the folder of the data set given as the first argument. Processor time counts all threads, so that other
work on the machine matters little.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import metassay as ma

STATISTICS = "spa,pairwise-accuracy@system,acc-eq,pearson@input"


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """Return processor time and time on the clock."""
    start, cpu = time.perf_counter(), time.process_time()
    work()
    return time.process_time() - cpu, time.perf_counter() - start


def loop(x: np.ndarray, z: np.ndarray) -> float:
    """Try every difference as the threshold; the accuracy is averaged over segments."""
    first, second = np.triu_indices(len(z), 1)
    d, e = x[first] - x[second], z[first] - z[second]
    here = ~np.isnan(d + e)
    groups = np.broadcast_to(np.arange(z.shape[1]), d.shape)[here]
    size, count = np.abs(d[here]), np.bincount(groups, minlength=z.shape[1])
    shares = 1 / count[groups] / (count > 0).sum()
    tied, alike = e[here] == 0, np.sign(d[here]) == np.sign(e[here])
    best = 0.0
    for threshold in np.unique(np.append(size, 0.0)):
        right = np.where(size <= threshold, tied, alike & ~tied)
        best = max(best, float((right * shares).sum()))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the data set wmt23 in mt-metrics-eval's layout")
    parser.add_argument("--draws", type=int, default=1_000)
    parser.add_argument("--looped", type=int, default=3, help="metrics that go through the loop")
    parser.add_argument("--methods", default="jackknife,paired-boot-both,perm-both")
    options = parser.parse_args()
    scores = ma.read(options.data, language="en-de")
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}, metassay {ma.__version__}"
    print(f"{versions}; load of the machine at the start {os.getloadavg()[0]:.1f}\n")
    metrics = [name for name in scores.metrics if not np.isnan(scores.matrix(name)).all()]
    print(f"{len(metrics)} metrics, {len(metrics) * (len(metrics) - 1) // 2} pairs, {options.draws:,} draws\n")
    print("| what | test | interval | processor s | clock s |\n|---|---|---|---:|---:|")
    tested = {}
    for test in options.methods.split(","):
        interval = "jackknife" if test == "jackknife" else "boot-both"
        given = {"human": "mqm", "metric": metrics, "test": test, "interval": interval, "resamples": options.draws}
        for what, statistic in (("all four", STATISTICS), ("acc-eq alone", "acc-eq")):
            taken = seconds(partial(ma.leaderboard, scores, statistic=statistic, **given))
            print(f"| {what} | {test} | {interval} | {taken[0]:.1f} | {taken[1]:.1f} |", flush=True)
            tested[test, what] = taken[0]

    own = scores.without_references()
    z, some = own.matrix("mqm"), metrics[: options.looped]
    found: list[float] = []
    taken = seconds(lambda: found.extend(loop(own.matrix(name), z) for name in some))
    board = ma.leaderboard(scores, human="mqm", metric=some, statistic="acc-eq")
    ours = {row.metric: row.estimate for row in board.table}
    apart = max(abs(value - ours[name]) for name, value in zip(some, found, strict=True))
    each, pairs = taken[0] / len(some), len(metrics) * (len(metrics) - 1) // 2
    print(f"\nLoop over thresholds: {each:.2f} s for one metric, the same values within {apart:.1g}.")
    # Bootstraps evaluate every metric in every draw, exchanges both metrics of every pair.
    loops = {"paired-boot-both": len(metrics) * options.draws, "perm-both": 2 * pairs * options.draws}
    for (test, what), cpu in tested.items():
        if what == "acc-eq alone" and test in loops:
            whole = each * (len(metrics) + loops[test])
            print(f"acc-eq with {test}, {options.draws:,} draws: {whole:,.0f} s by the loop, ×{whole / cpu:,.0f}.")


if __name__ == "__main__":
    main()
