"""How much faster two Dask workers are than one, on a simulation of a minute or more, and whether the bytes agree.

Made-up scores of the size of SummEval; coverage of Kendall at input level. Starting the workers is not counted.

Usage: python benchmarks/cluster.py [TRIALS]
"""

from __future__ import annotations

import os
import sys
import time

import numpy as np

import metassay as ma
from metassay import engine


def scores() -> ma.Scores:
    random = np.random.default_rng(0)
    quality = random.normal(size=(16, 1))
    people = np.round(quality + random.normal(size=(16, 100)) * 2, 1)
    return ma.Scores.from_arrays({"metric": quality + random.normal(size=(16, 100)) * 3}, {"people": people})


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000
    data = scores()

    def simulate(trials: int) -> str:
        return ma.simulate_coverage(data, level="input", statistic="kendall,pearson", trials=trials).to_json()

    print("| workers | seconds | times as fast | the same bytes |\n|---:|---:|---:|---|")
    first, seconds = "", 0.0
    for workers in (1, 2):
        with engine.on(workers=workers):
            simulate(40)  # workers load what they need
            start = time.perf_counter()
            found = simulate(trials)
            took = time.perf_counter() - start
        first, seconds = first or found, seconds or took
        print(f"| {workers} | {took:.1f} | {seconds / took:.2f} | {'yes' if found == first else 'NO'} |", flush=True)
    print(f"\nLoad of the machine at the end: {os.getloadavg()[0]:.1f}, on {os.cpu_count()} processors.")


if __name__ == "__main__":
    main()
