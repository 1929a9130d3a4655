"""Seconds of `pairs` with the whole triangle on SummEval, and of a plain loop for the same work, in one run.

Thirteen metrics against expert relevance, 1,000 resamples of systems and inputs, 55 cells of the triangle, ten shares
and the fitted curve. The loop counts the cells of one metric in a few resamples, vectorised over pairs, without any
curve, and is scaled up. Reads the folder of SummEval scores given as the first argument.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from pathlib import Path

import numpy as np

import metassay as ma

METRICS = (
    "AutoSummENG,MeMoG,NPowER,bertscore_recall,BEwTE_f1,METEOR,MoverScore,qa-eval_f1,"
    "rouge-1_f1,rouge-2_f1,rouge-l_f1,rouge-su4_f1,s3_resp"
)
HUMAN = "expert_relevance"


def seconds(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def loop(x, z, bounds, resamples: int) -> None:
    """Resample by copying and go through the cells one by one."""
    random = np.random.default_rng(0)
    n, m = x.shape
    for _ in range(resamples):
        chosen = np.ix_(random.integers(0, n, n), random.integers(0, m, m))
        a, b = x[chosen].mean(axis=1), z[chosen].mean(axis=1)
        first, second = np.triu_indices(n, 1)
        gap, other = a[first] - a[second], b[first] - b[second]
        for lower, upper in bounds:
            inside = (np.abs(gap) >= lower) & (np.abs(gap) <= upper)
            signs = np.sign(gap[inside]) * np.sign(other[inside])
            below = np.count_nonzero(gap[inside]) * np.count_nonzero(other[inside])
            signs.sum() / np.sqrt(below) if below else np.nan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with SummEval scores in SacreROUGE format")
    parser.add_argument("--resamples", type=int, default=1_000)
    options = parser.parse_args()
    scores = ma.read(*sorted(options.data.glob("*.jsonl")))
    print(
        f"Python {platform.python_version()}, metassay {ma.__version__}, NumPy {np.__version__}; "
        f"load of the machine at the start {os.getloadavg()[0]:.1f}"
    )

    def run(threads: int, triangle: bool, curve: bool) -> float:
        common = {"human": HUMAN, "metric": METRICS, "resamples": options.resamples, "threads": threads}
        return min(seconds(lambda: ma.pairs(scores, triangle=triangle, curve=curve, **common)) for _ in range(3))

    run(1, True, True)
    for what, triangle, curve in (
        ("triangle, shares and curve", True, True),
        ("triangle and shares", True, False),
        ("shares and curve", False, True),
    ):
        one, two = run(1, triangle, curve), run(2, triangle, curve)
        goal = " (target: under 5 s on two cores)" if triangle and curve else ""
        print(f"{what}, {options.resamples:,} resamples: {one:.2f} s on one thread, {two:.2f} s on two{goal}")

    result = ma.pairs(scores, human=HUMAN, metric="rouge-1_f1", triangle=True, shares=None, curve=False, resamples=1)
    bounds = [(row.lower, row.upper) for row in result.table]
    few = 20
    took = seconds(lambda: loop(scores.matrix("rouge-1_f1"), scores.matrix(HUMAN), bounds, few))
    whole = took * options.resamples / few * len(METRICS.split(","))
    print(
        f"a loop over resamples and cells, triangle only, scaled up from {few} resamples of one metric: {whole:.0f} s"
    )


if __name__ == "__main__":
    main()
