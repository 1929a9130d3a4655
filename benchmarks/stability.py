"""How long stability, precision and widths take.

Made-up scores of 13 metrics and one human criterion: the size of SummEval, and a test set of 11,490 inputs of which
people judged 100. Beside stability stands a literal loop that takes the inputs, averages and calls SciPy, run for a
share of the draws. Everything is measured in this process, the best of three.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from scipy.stats import kendalltau

import metassay as ma

METRICS, SYSTEMS, JUDGED = 13, 16, 100


def scores(inputs: int) -> ma.Scores:
    random = np.random.default_rng(0)
    quality = random.normal(size=(SYSTEMS, 1))
    people = np.round(quality + random.normal(size=(SYSTEMS, inputs)) * 2, 1)
    people[:, JUDGED:] = np.nan
    metrics = {f"metric-{k}": quality + random.normal(size=(SYSTEMS, inputs)) * 3 for k in range(METRICS)}
    return ma.Scores.from_arrays(metrics, {"human": people})


def best(call: Callable[[], object], times: int = 3) -> float:
    took = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        took.append(time.perf_counter() - start)
    return min(took)


def literal_loop(data: ma.Scores, draws: int) -> None:
    """Take inputs twice, average, correlate: ten sizes, all metrics."""
    random = np.random.default_rng(0)
    matrices = [data.matrix(name) for name in data.metrics]
    n = len(data.inputs)
    for size in (round(n * tenth / 10) for tenth in range(1, 11)):
        for _ in range(draws):
            first, second = random.integers(0, n, size=(2, size))
            for values in matrices:
                kendalltau(values[:, first].mean(axis=1), values[:, second].mean(axis=1))


def main() -> None:
    small, large = scores(100), scores(11_490)
    metrics = small.select(columns="metric-*")
    sizes = [round(10 * tenth) for tenth in range(1, 11)]
    ma.stability(metrics, sizes=sizes, draws=50)
    ours = best(lambda: ma.stability(metrics, sizes=sizes, draws=1_000))
    loop = best(lambda: literal_loop(metrics, 20), 1) * 50
    print("| what | seconds | target |\n|---|---:|---:|")
    print(f"| stability, 13 metrics × 10 sizes × 1,000 draws, 16 systems × 100 inputs | {ours:.2f} | 10 |")
    print(f"| the same by a loop over SciPy (from 20 draws) | {loop:.1f} | ×{loop / ours:.0f} |")
    took = best(lambda: ma.stability(large, draws=1_000), 1)
    print(f"| stability, 13 metrics on 11,490 inputs, people on 100, default sizes | {took:.1f} | |")
    took = best(lambda: ma.precision(large, resamples=1_000), 1)
    print(f"| precision, the same data, 1,000 resamples | {took:.1f} | |")
    took = best(lambda: ma.widths(large, resamples=1_000), 1)
    print(f"| widths, the same data, three bootstraps, 1,000 resamples | {took:.1f} | |")


if __name__ == "__main__":
    main()
