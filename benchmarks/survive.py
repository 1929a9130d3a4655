"""How long the equivalence tests of Braun et al. (2022) take, and how that compares with SciPy in the same run.

Made-up scores of the paper's size: 8 metrics in English and 7 other languages, 4 human criteria of three annotators
on a five-point scale, 17 systems × 100 inputs = 1,700 outputs, tau-c, 10,000 resamples of single outputs. SciPy's
``kendalltau`` is timed on literal resamples of the same vectors, with the drawing left out. One resample here is one
correlation of one metric in one language with one criterion.
"""

from __future__ import annotations

import os
import time

import numpy as np
from scipy.stats import kendalltau

import metassay as ma
from metassay.stats.draws import multiplicities
from metassay.stats.metric_criterion_pairs import Correlations, Weights
from metassay.stats.statistics.registry import find

METRICS, LANGUAGES, SYSTEMS, INPUTS, RESAMPLES = 8, 7, 17, 100, 10_000
CRITERIA = ("coherence", "consistency", "fluency", "relevance")


def made_up() -> dict[str, ma.Scores]:
    random = np.random.default_rng(0)
    shape = (SYSTEMS, INPUTS)
    quality = {name: random.normal(size=(SYSTEMS, 1)) + random.normal(size=shape) for name in CRITERIA}
    people = {
        name: np.stack([np.clip(np.round(3 + q + random.normal(size=shape)), 1, 5) for _ in range(3)])
        for name, q in quality.items()
    }
    common = sum(quality.values()) / len(CRITERIA)
    first = {f"metric-{k}": common + (0.5 + 0.3 * k) * random.normal(size=shape) for k in range(METRICS)}
    found = {"en": ma.Scores.from_arrays(first, people)}
    for k in range(LANGUAGES):
        moved = {name: values + 0.3 * (k + 1) * random.normal(size=shape) for name, values in first.items()}
        found[f"language-{k + 1}"] = ma.Scores.from_arrays(moved)
    return found


def scipy_seconds(data: dict[str, ma.Scores], times: int) -> float:
    """Return what one call of kendalltau takes on a literal resample."""
    random = np.random.default_rng(0)
    x, z = data["en"].matrix("metric-0").ravel(), data["en"].matrix("relevance").ravel()
    draws = random.integers(0, x.size, size=(times, x.size))
    start = time.perf_counter()
    for drawn in draws:
        kendalltau(x[drawn], z[drawn], variant="c")
    return (time.perf_counter() - start) / times


def kernel_seconds(data: dict[str, ma.Scores]) -> float:
    """Return what one correlation takes in the kernel, in one thread."""
    from threadpoolctl import threadpool_limits

    x = np.stack([data["en"].matrix(f"metric-{k}") for k in range(METRICS)])
    z = np.stack([data["en"].matrix(name) for name in CRITERIA])
    pairs = [(p, q) for p in range(METRICS) for q in range(len(CRITERIA))]
    prepared = Correlations(x, z, pairs, "global", find("kendall-c"))
    weights = Weights(points=multiplicities(np.random.default_rng(0), SYSTEMS * INPUTS, 1024))
    with threadpool_limits(1):
        prepared.bootstrap(Weights(points=weights.points[:, :16]))  # type: ignore[index]
        took = []
        for _ in range(3):
            start = time.perf_counter()
            prepared.bootstrap(weights)
            took.append(time.perf_counter() - start)
    return min(took) / (1024 * len(pairs))


def main() -> None:
    data = made_up()
    theirs = scipy_seconds(data, 200)
    kernel = kernel_seconds(data)
    start = time.perf_counter()
    result = ma.survive(data, resample="points", resamples=RESAMPLES)
    took = time.perf_counter() - start
    correlations = METRICS * (LANGUAGES + 1) * len(CRITERIA)
    ours = took / (correlations * RESAMPLES)
    tests = len(result.table)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"Load of the machine: {load:.1f} on {os.cpu_count()} processors.")
    print("| what | time | target |\n|---|---:|---:|")
    print(
        f"| survive, {METRICS} metrics × {LANGUAGES} languages × {len(CRITERIA)} criteria, "
        f"{SYSTEMS * INPUTS:,} outputs, tau-c, {RESAMPLES:,} resamples, {tests} tests and all that is drawn "
        f"| {took:.1f} s | 180 s |"
    )
    print(f"| SciPy's kendalltau, one resample | {theirs * 1e6:.0f} µs | |")
    print(f"| the kernel in one thread, one resample | {kernel * 1e6:.1f} µs (×{theirs / kernel:.0f}) | ×50 |")
    print(f"| the whole study, one resample | {ours * 1e6:.1f} µs (×{theirs / ours:.0f}) | ×50 |")


if __name__ == "__main__":
    main()
