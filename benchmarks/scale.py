"""How cost grows, what large data needs, and how long starting takes.

Everything is measured in processes of their own. Growth and memory use made-up scores; the first `agree` reads
the folder of SummEval scores given as the first argument, and is left out if the folder is not there.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

GROWTH = """
import json, time
import numpy as np
import metassay as ma

def scores(systems, inputs):
    random = np.random.default_rng(0)
    quality = random.normal(size=(systems, 1))
    latent = quality + random.normal(size=(systems, inputs))
    metric = latent + random.normal(size=latent.shape)
    return ma.Scores.from_arrays({"metric": metric}, {"human": np.clip(np.round(latent + 3), 1, 5)})

def seconds(data, level, statistic, resamples, repeats):
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        ma.agree(data, level=level, statistic=statistic, interval="boot-both", resamples=resamples)
        best = min(best, time.perf_counter() - start)
    return best
"""

LARGE = (
    GROWTH
    + """
import resource
data = scores(100, 100_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
took = seconds(data, "system", COEFFICIENT, 1_000, 1)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([took, before / 1024**2, peak / 1024**2]))
"""
)

CASES = (
    ("system", "pearson"),
    ("system", "kendall"),
    ("input", "pearson"),
    ("input", "kendall"),
    ("global", "pearson"),
    ("global", "kendall"),
)
INPUTS = (100, 1_000, 10_000)
RESAMPLES = (1_000, 10_000, 100_000)


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def growth() -> None:
    print("\n## Growth\n")
    print("Seconds of one boot-both interval, 16 systems; in brackets, the multiple of the cell to the left.\n")
    for title, sizes, call in (
        ("inputs (1,000 resamples)", INPUTS, "seconds(scores(16, {size}), {level!r}, {statistic!r}, 1_000, 2)"),
        ("resamples (100 inputs)", RESAMPLES, "seconds(scores(16, 100), {level!r}, {statistic!r}, {size}, 2)"),
    ):
        print(f"| level | statistic | {' | '.join(f'{size:,}' for size in sizes)} {title} |")
        print("|---|---|" + "---:|" * len(sizes))
        for level, statistic in CASES:
            calls = (call.format(size=size, level=level, statistic=statistic) for size in sizes)
            took = json.loads(python(f"{GROWTH}\nprint(json.dumps([{', '.join(calls)}]))"))
            cells = [f"{took[0]:.3f}"]
            cells += [f"{now:.3f} (×{now / last:.1f})" for last, now in pairwise(took)]
            print(f"| {level} | {statistic} | {' | '.join(cells)} |", flush=True)
        print()


def large() -> None:
    print("## Large data\n")
    print("100 systems × 100,000 inputs, system level, boot-both, 1,000 resamples; target: peak under 2 GB.\n")
    print("| statistic | seconds | GB before | GB at the peak |\n|---|---:|---:|---:|")
    for statistic in ("pearson", "spearman", "kendall"):
        took, before, peak = json.loads(python(f"COEFFICIENT = {statistic!r}\n{LARGE}"))
        print(f"| {statistic} | {took:.1f} | {before:.2f} | {peak:.2f} |", flush=True)


def start(command: list[str], repeats: int) -> float:
    """Return the best of several times that a process takes from start to end."""
    best = float("inf")
    for _ in range(repeats):
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - began)
    return best


def starting(data: Path) -> None:
    print("\n## Starting\n")
    print("Seconds from the start of a process to its end, best of ten; what Python needs for itself is in all.\n")
    print("| what | seconds | beside | seconds | ratio | target |\n|---|---:|---|---:|---:|---:|")
    script = str(Path(sys.executable).with_name("metassay"))
    for what, command, beside, target in (
        ("import metassay", ["-c", "import metassay"], "import numpy, scipy.stats", 1.5),
        ("from metassay import *", ["-c", "from metassay import *"], "import numpy, scipy.stats", 1.5),
        ("metassay --help", [script, "--help"], "import numpy", 2.0),
    ):
        own = start([sys.executable, *command], 10)
        other = start([sys.executable, "-c", beside], 10)
        print(f"| `{what}` | {own:.3f} | `{beside}` | {other:.3f} | {own / other:.2f} | ≤ {target} |", flush=True)
    if not data.is_dir():
        print(f"\n{data} is not there, so the first agree on SummEval is left out.")
        return
    files = [str(path) for path in sorted(data.glob("*.jsonl"))]
    first = [sys.executable, script, "agree", *files, "--human", "expert_relevance", "--quiet"]
    print()
    for what, more in (
        ("QAEval-F1, defaults", ["--metric", "qa-eval_f1"]),
        ("all metrics, defaults", []),
    ):
        took = start([*first, *more], 3)
        print(f"First `metassay agree` on SummEval in a fresh process, {what}: {took:.2f} s (target: within 5 s)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with SummEval scores in SacreROUGE format")
    options = parser.parse_args()
    growth()
    large()
    starting(options.data)


if __name__ == "__main__":
    main()
