"""How long `criteria` takes with 1,000 resamples: SummEval's 16 systems × 100 inputs, 4 criteria and 13 metrics.

Buckets and partial correlation of every metric, criterion and anchor. Also what one resample costs against SciPy.

Usage: python benchmarks/criteria.py [FOLDER with SummEval's scores; made-up ones of that size without]
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy import stats

import metassay as ma

METRICS = (
    "rouge-1_f1,rouge-2_f1,rouge-3_f1,rouge-4_f1,rouge-l_f1,rouge-su4_f1,bertscore_f1,BEwTE_f1,METEOR,MoverScore,"
    "qa-eval_f1,s3_resp,AutoSummENG"
)


def made_up() -> ma.Scores:
    random = np.random.default_rng(0)
    quality = random.normal(size=(16, 1)) + random.normal(size=(16, 100))
    people = {
        f"criterion-{k}": np.clip(np.round(3 * (4 + quality + random.normal(size=quality.shape))) / 3, 1, 5)
        for k in range(4)
    }
    metrics = {f"metric-{k}": quality + 2 * random.normal(size=quality.shape) for k in range(13)}
    return ma.Scores.from_arrays(metrics, people)


def main() -> None:
    data = ma.read(sys.argv[1]) if len(sys.argv) > 1 else made_up()
    chosen = {"human": "expert*", "metric": METRICS} if len(sys.argv) > 1 else {}
    for interval in ("jackknife", "boot-both"):
        wall, work = time.perf_counter(), time.process_time()
        result = ma.criteria(data, interval=interval, resamples=1_000, **chosen)
        wall, work = time.perf_counter() - wall, time.process_time() - work
        print(f"{interval}, {len(result.table)} rows: {wall:.1f} s, {work:.1f} s of processors")
    one = next(row for row in result.table if row.metric is not None)
    x, z = (data.matrix(name).ravel() for name in (one.metric, one.human))
    start = time.perf_counter()
    for _ in range(50):
        stats.kendalltau(x, z)
    each = (time.perf_counter() - start) / 50
    # per metric and criterion: once as it is; per anchor about once in buckets and once of residuals
    print(f"SciPy's kendalltau alone would take {each * 13 * 4 * (1 + 3 * 2) * 1_000:.0f} s")


if __name__ == "__main__":
    main()
