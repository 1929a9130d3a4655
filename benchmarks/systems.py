"""All pairs of systems, three tests, resampled cut-offs: against loops over SciPy that do the same work.

Scores are made up: 66 systems × 46 inputs, the size of TAC 2008 in Rankel et al. (2011). The loops are timed on a few
pairs (and the literal one on a few draws) and multiplied up: whole, the literal loop would run for hours.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from scipy import stats

import metassay as ma

TESTS = {"unpaired-t": stats.ttest_ind, "paired-t": stats.ttest_rel, "wilcoxon": stats.wilcoxon}
"""The signed-rank statistic is asked for by the normal approximation, which is SciPy's fastest way to it."""
OPTIONS = {"unpaired-t": {}, "paired-t": {}, "wilcoxon": {"method": "asymptotic"}}


def scores(systems: int, inputs: int) -> np.ndarray:
    random = np.random.default_rng(0)
    return random.normal(size=(systems, 1)) + 2 * random.normal(size=inputs) + random.normal(size=(systems, inputs))


def drawn(x: np.ndarray, y: np.ndarray, cutoff: str, draws: int, random: np.random.Generator):
    """Return data sets drawn under the null hypothesis, each (draws, inputs)."""
    taken = random.integers(0, len(x), (draws, len(x))) if cutoff == "hb" else np.tile(np.arange(len(x)), (draws, 1))
    turned = random.random(taken.shape) < 0.5
    return np.where(turned, y[taken], x[taken]), np.where(turned, x[taken], y[taken])


def literal(x: np.ndarray, y: np.ndarray, draws: int, random: np.random.Generator) -> None:
    """Call SciPy once per draw."""
    for cutoff in ("mc", "hb"):
        for a, b in zip(*drawn(x, y, cutoff, draws, random), strict=True):
            for name, test in TESTS.items():
                test(a, b, **OPTIONS[name])


def by_rows(x: np.ndarray, y: np.ndarray, draws: int, random: np.random.Generator) -> None:
    """Call SciPy once per pair of systems, with the draws as rows of an array."""
    for cutoff in ("mc", "hb"):
        a, b = drawn(x, y, cutoff, draws, random)
        for name, test in TESTS.items():
            test(a, b, axis=1, **OPTIONS[name])


def seconds(work, *arguments) -> float:
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--systems", type=int, default=66)
    parser.add_argument("--inputs", type=int, default=46)
    parser.add_argument("--draws", type=int, default=2_000)
    options = parser.parse_args()
    values = scores(options.systems, options.inputs)
    pairs = options.systems * (options.systems - 1) // 2
    print(f"{pairs:,} pairs of {options.systems} systems × {options.inputs} inputs, 3 tests,", end=" ")
    print(f"mc and hb with {options.draws:,} draws\n")

    data = ma.Scores.from_arrays({"metric": values})
    own = min(seconds(lambda: ma.systems(data, cutoff="theory,mc,hb", resamples=options.draws)) for _ in range(3))
    print(f"metassay (with theory, intervals, counts)       {own:12.2f} s   target: under 10 s")

    random = np.random.default_rng(1)
    few = min(50, options.draws)
    literal(values[0], values[1], 2, random)
    one = min(seconds(literal, values[0], values[k], few, random) for k in (1, 2))
    total = one * options.draws / few * pairs
    print(f"SciPy, a call per draw (2 pairs × {few} draws)      {total:12.0f} s   ×{total / own:,.0f}, target: ×100")

    one = min(seconds(by_rows, values[0], values[k], options.draws, random) for k in (1, 2, 3, 4))
    total = one * pairs
    print(f"SciPy, a call per pair, draws as rows (4 pairs)  {total:12.0f} s   ×{total / own:,.0f}")
    print("\nSciPy's times are multiplied up from the samples in brackets; the best of each is taken.")


if __name__ == "__main__":
    main()
