"""Milliseconds per resample of metassay and nlpstats, in one run, on SummEval.

QAEval-F1 and ROUGE-1 F1 against expert relevance; bootstrap and permutation of systems and inputs at three
levels with three coefficients. Reads the folder of SummEval scores given as the first argument.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import nlpstats.correlations as peer
import numpy as np

import metassay as ma

LEVELS = ("system", "input", "global")
COEFFICIENTS = ("pearson", "spearman", "kendall")
REPEATS = 5
"""Both sides are measured so often, and the best counts: other work on the machine only ever adds time."""
METRICS = ("qa-eval_f1", "rouge-1_f1")
PAPER_METRICS = (
    "AutoSummENG,MeMoG,NPowER,bertscore_recall,BEwTE_f1,METEOR,MoverScore,qa-eval_f1,"
    "rouge-1_f1,rouge-2_f1,rouge-l_f1,rouge-su4_f1,s3_resp"
)


def seconds(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best_of(repeats: int, work) -> float:
    return min(seconds(work) for _ in range(repeats))


def cell(scores: ma.Scores, method: str, level: str, statistic: str, ours: int, theirs: int) -> tuple[float, float]:
    """Return milliseconds per resample: ours and the peer's."""
    x, y = (scores.matrix(m) for m in METRICS)
    z = scores.matrix("expert_relevance")
    common = {"human": "expert_relevance", "level": level, "statistic": statistic, "resamples": ours}
    if method == "boot-both":
        own = best_of(REPEATS, lambda: ma.agree(scores, metric=METRICS[0], interval="boot-both", **common))
        other = best_of(REPEATS, lambda: peer.bootstrap(x, z, level, statistic, "both", n_resamples=theirs))
    else:
        own = best_of(REPEATS, lambda: ma.compare(scores, metric=METRICS, test="perm-both", **common))
        other = best_of(
            REPEATS,
            lambda: peer.permutation_test(x, y, z, level, statistic, "both", alternative="greater", n_resamples=theirs),
        )
    return 1e3 * own / ours, 1e3 * other / theirs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with SummEval scores in SacreROUGE format")
    parser.add_argument("--resamples", type=int, default=50_000)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    scores = ma.read(*sorted(options.data.glob("*.jsonl")))
    ratios = []
    print(
        f"Python {platform.python_version()}, metassay {ma.__version__}, nlpstats {version('nlpstats')}, "
        f"NumPy {np.__version__}, SciPy {version('scipy')}; {options.resamples:,} resamples; "
        f"load of the machine at the start {os.getloadavg()[0]:.1f}\n"
    )
    print("| method | level | statistic | nlpstats ms | metassay ms | ratio |\n|---|---|---|---:|---:|---:|")
    for method in ("boot-both", "perm-both"):
        for level in LEVELS:
            for statistic in COEFFICIENTS:
                theirs = 20 if level == "input" else 300
                own, other = cell(scores, method, level, statistic, options.resamples, theirs)
                ratios.append(other / own)
                print(
                    f"| {method} | {level} | {statistic} | {other:.3f} | {own:.5f} | {other / own:,.0f} |",
                    flush=True,
                )
    print(f"\nload of the machine at the end: {os.getloadavg()[0]:.1f}")
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(
        f"\ngeometric mean of the ratios: {mean:,.0f} (target: at least 500); "
        f"smallest: {min(ratios):,.0f} (target: at least 30)"
    )
    took = seconds(
        lambda: ma.compare(
            scores,
            human="expert_relevance",
            metric=PAPER_METRICS,
            level="input",
            statistic="pearson",
            resamples=9_999,
        )
    )
    print(
        "compare, 13 metrics, 156 ordered pairs, input level, Pearson, perm-both, 9,999 resamples: "
        f"{took:.1f} s (target: within 20 s)"
    )


if __name__ == "__main__":
    main()
