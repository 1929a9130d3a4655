"""How long simulations of coverage and power take on published data.

Coverage as in Table 1 of Deutsch, Dror and Roth (2021): SummEval and REALSumm, both levels, all intervals, 1,000 splits
× 1,000 resamples. Power as in their Figure 3: ROUGE-1 on SummEval's 1,600 summaries, ten shares of the words, 1,000
trials each, Williams, paired-boot-both and perm-both with 999 resamples, both levels. Each is run once.

Usage: python benchmarks/simulate.py DATA [TRIALS]
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import metassay as ma

COVERAGE = {
    "summeval": (("qaeval.jsonl", "human.jsonl"), "expert_relevance"),
    "realsumm": (("qaeval.jsonl", "pyramid.jsonl"), "litepyramid_recall"),
}


def main() -> None:
    data, trials = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000
    print("| what | seconds | processor seconds | target |\n|---|---:|---:|---:|")
    wall, used = time.perf_counter(), time.process_time()
    for name, (files, human) in COVERAGE.items():
        scores = ma.read(*(data / name / "scores" / file for file in files))
        ma.simulate_coverage(scores, human=human, metric="qa-eval_f1", trials=trials)
    _tell(f"coverage, 2 data sets × 2 levels × 4 intervals, {trials:,} × 1,000", wall, used, 40)
    wall, used = time.perf_counter(), time.process_time()
    scores = ma.read(data / "summeval" / "scores" / "human.jsonl")
    texts = ma.read_texts(data / "summeval" / "model_annotations.aligned.paired.jsonl")
    ma.simulate_power(scores, human="expert_relevance", damage=ma.DamagedRouge1(texts), trials=trials)
    _tell(f"power, 10 shares × {trials:,} trials × 3 tests × 2 levels, 999 resamples", wall, used, 480)
    print(f"\nLoad of the machine at the end: {os.getloadavg()[0]:.1f}, on {os.cpu_count()} processors.")


def _tell(what: str, wall: float, used: float, target: int) -> None:
    took, processor = time.perf_counter() - wall, time.process_time() - used
    print(f"| {what} | {took:.1f} | {processor:.1f} | {target} |", flush=True)


if __name__ == "__main__":
    main()
