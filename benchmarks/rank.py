"""Votes at the size of an arena: reading a CSV file, strengths, and a bootstrap over inputs.

Votes are made up: 1.5 million among 200 systems on 100,000 inputs, a fifth of them ties.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

import metassay as ma


def write(path: Path, votes: int, systems: int, inputs: int) -> None:
    random = np.random.default_rng(0)
    a = random.integers(0, systems, votes)
    b = (a + random.integers(1, systems, votes)) % systems
    strength = random.normal(size=systems)
    won = random.random(votes) < 1 / (1 + np.exp(strength[b] - strength[a]))
    said = np.where(random.random(votes) < 0.2, "tie", np.where(won, "model_a", "model_b")).tolist()
    keys = random.integers(0, inputs, votes).tolist()
    lines = (f"q{k},system-{i},system-{j},{w}\n" for k, i, j, w in zip(keys, a.tolist(), b.tolist(), said, strict=True))
    with path.open("w", encoding="utf-8") as file:
        file.write("question_id,model_a,model_b,winner\n")
        file.writelines(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--votes", type=int, default=1_500_000)
    parser.add_argument("--systems", type=int, default=200)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--resamples", type=int, default=200)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.csv"
        write(path, arguments.votes, arguments.systems, arguments.inputs)
        marks = [(time.perf_counter(), time.process_time())]
        votes = ma.read_votes(path)
        marks.append((time.perf_counter(), time.process_time()))
        ma.rank(votes)
        marks.append((time.perf_counter(), time.process_time()))
        ma.rank(votes, interval="bootstrap", resamples=arguments.resamples)
        marks.append((time.perf_counter(), time.process_time()))
    for what, start, end in zip(("read", "rank, sandwich", "rank, bootstrap"), marks, marks[1:], strict=False):
        print(f"{what:16} {end[0] - start[0]:6.1f} s, {end[1] - start[1]:6.1f} s of processor time")


if __name__ == "__main__":
    main()
