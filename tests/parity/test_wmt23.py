"""304 values printed for WMT23 en-de (38 metrics × 8 statistics): all 256 of the 32 metrics with scores in the data.

What is needed to get every printed digit: MQM with the reference translation ``refA`` left out of the systems; metrics
against ``refA``, or without reference; no system left out as an outlier; segments without MQM left out; groups in which
a coefficient is undefined left out of the average; the metrics' own scores of systems (`.sys.score`) at system level,
which are no means of segments for BLEU, chrF and others; and for calibrated ties one threshold for the whole matrix,
with differences compared bit by bit. Six sentinel metrics have no scores in the data.
"""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import metassay as ma
from metassay.stats.statistics.registry import find

LEVELS = {"none": "global", "item": "input", "sys": "within-system"}
STATISTICS = {"Kendall Tau": "kendall", "Pearson": "pearson", "KendallWithTiesOpt": "acc-eq"}


def scores(path):
    found: dict[str, list[float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        system, value = line.split("\t")
        found.setdefault(system, []).append(math.nan if value == "None" else float(value))
    return found


@pytest.fixture(scope="module")
def wmt23(shared_data):
    folder, listed = shared_data / "wmt23", shared_data.parent / "reference" / "wmt23-en-de.json"
    if not folder.is_dir() or not listed.is_file():
        pytest.skip("WMT23 en-de is not beside this repository")
    rows = json.loads(listed.read_text(encoding="utf-8"))["rows"]
    people = {level: scores(folder / "human-scores" / f"en-de.mqm.{level}.score") for level in ("seg", "sys")}
    systems = sorted(set(people["seg"]) - {"refA"})
    columns = {}
    for name in {row["metric"] for row in rows}:
        stem = f"{name.removesuffix('[noref]')}-{'src' if name.endswith('[noref]') else 'refA'}"
        files = {level: folder / "metric-scores" / "en-de" / f"{stem}.{level}.score" for level in ("seg", "sys")}
        if files["seg"].is_file():
            given = {level: scores(file) for level, file in files.items()}
            columns[name] = {level: np.array([given[level][s] for s in systems]) for level in given}
    return rows, columns, {level: np.array([people[level][s] for s in systems]) for level in people}


@pytest.mark.parametrize("level", ["seg", "sys"])
def test_every_printed_digit(wmt23, level):
    rows, columns, people = wmt23
    missing = {row["metric"] for row in rows} - set(columns)
    assert len(missing) == 6
    assert all(name.startswith("*SENTINEL") for name in missing)
    checked = 0
    for statistic, grouping in sorted({(r["statistic"], r["grouping"]) for r in rows if r["level"] == level}):
        printed = {
            r["metric"]: r["value"]
            for r in rows
            if (r["level"], r["statistic"], r["grouping"]) == (level, statistic, grouping) and r["metric"] in columns
        }
        x = np.stack([columns[name][level] for name in printed])
        at = "system" if level == "sys" else LEVELS[grouping]
        found = find(STATISTICS[statistic]).prepare(x, people[level], at).estimate()[0]
        # seven decimals are printed
        assert found == pytest.approx(list(printed.values()), abs=5.1e-8), (statistic, grouping)
        checked += len(printed)
    assert checked == (32 if level == "sys" else 224)


def test_soft_pairwise_accuracy_of_inputs_that_people_judged(shared_data):
    if not (shared_data / "wmt23").is_dir():
        pytest.skip("the WMT23 files are not there")
    # 1,000 flips over the 460 segments that all systems, metrics and people share, computed apart from this package.
    wanted = {"MaTESe-refA": 0.8698, "prismRef-refA": 0.9244, "embed_llama-refA": 0.8273, "BLEU-refA": 0.8566}
    found = ma.agree(ma.read(shared_data / "wmt23"), human="mqm", metric=list(wanted), statistic="spa", level="system")
    assert {row.metric: row.estimate for row in found.table} == pytest.approx(wanted, abs=0.002)
