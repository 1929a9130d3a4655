"""Numbers that Deutsch, Dror and Roth (2021) printed, from the data they used."""

from __future__ import annotations

import json

import pytest

import metassay as ma

COLUMNS = {
    "summeval": {
        "Human": "expert_relevance",
        "BERTScore": "bertscore_recall",
        "BEwTE": "BEwTE_f1",
        "QAEval": "qa-eval_f1",
        "ROUGE-1": "rouge-1_f1",
        "ROUGE-2": "rouge-2_f1",
        "ROUGE-L": "rouge-l_f1",
        "ROUGE-SU4": "rouge-su4_f1",
        "S3": "s3_resp",
    },
    "realsumm": {
        "Human": "litepyramid_recall",
        "BERTScore": "bertscore_recall",
        "BEwTE": "BEwTE_recall",
        "QAEval": "qa-eval_f1",
        "ROUGE-1": "rouge-1_recall",
        "ROUGE-2": "rouge-2_recall",
        "ROUGE-L": "rouge-l_recall",
        "ROUGE-SU4": "rouge-su4_recall",
        "S3": "s3_resp",
    },
}
"""The paper's names of metrics that are called otherwise in the data."""

ABSENT = {("realsumm", "ROUGE-SU4")}
"""Published, but its scores are not."""


@pytest.fixture(scope="module")
def published(shared_data):
    path = shared_data.parent / "reference" / "published.json"
    if not path.is_file():
        pytest.skip("the published numbers are not beside this repository")
    entries = json.loads(path.read_text(encoding="utf-8"))

    def find(where, data, what=""):
        (entry,) = [
            e for e in entries if e["seed"] == "000" and e["where"] == where and e["data"] == data and what in e["what"]
        ]
        return entry

    return find


@pytest.fixture(scope="module")
def summeval(shared_data):
    return ma.read(shared_data / "summeval" / "scores")


@pytest.mark.parametrize("data", ["summeval", "realsumm"])
def test_table_2_to_the_last_digit(shared_data, published, data):
    printed = published("Table 2", data)["value"]
    tested = ma.normality(ma.read(shared_data / data / "scores"), alpha=0.05)
    rows = {row.metric: row for row in tested.table}
    compared = 0
    for name, numbers in printed.items():
        column = COLUMNS[data].get(name, name)
        if (data, name) in ABSENT:
            assert column not in rows
            continue
        row = rows[column]
        assert round(row.percent_rejected) == numbers["inputs_percent"], name
        assert round(row.p_value, 2) == numbers["system_p"], name
        compared += 1
    assert compared == {"summeval": 14, "realsumm": 13}[data]


def test_the_interval_of_rouge_2_and_what_it_means_in_pairs(summeval, published):
    entry = published("§6.1", "summeval", "ROUGE-2")
    result = ma.agree(
        summeval,
        human="expert_relevance",
        metric="rouge-2_f1",
        level="system",
        statistic="kendall",
        interval="boot-both",
    )
    (row,) = result.table
    assert (row.interval, row.confidence, row.resamples) == ("boot-both", 0.95, 10_000)
    assert row.low == pytest.approx(entry["value"]["low"], abs=entry["tolerance"])
    assert row.high == pytest.approx(entry["value"]["high"], abs=entry["tolerance"])
    few, many = entry["value"]["misranked_percent"]
    assert 100 * row.misranked_low == pytest.approx(few, abs=3)
    assert 100 * row.misranked_high == pytest.approx(many, abs=3)
    assert row.low < 0 < row.high  # the paper's point: it could even be negative


def test_bertscore_beats_every_other_metric_at_input_level(summeval, published):
    assert published("§6.2", "summeval", "BERTScore beats every other metric")["value"] is True
    names = [
        COLUMNS["summeval"].get(name, name) for name in published("Table 2", "summeval")["value"] if name != "Human"
    ]
    result = ma.compare(
        summeval,
        human="expert_relevance",
        metric=names,
        level="input",
        statistic="pearson",
        test="perm-both",
        correction="none",
        resamples=1999,
    )
    against = [row for row in result.table if row.metric_a == "bertscore_recall"]
    assert len(against) == 12
    assert all(row.difference > 0 and row.p_value <= 0.05 for row in against)
    # Without correction. METEOR is the closest, with p between .005 and .01: Bonferroni for 12 tests would not pass it.
    closest = sorted(against, key=lambda row: row.difference)[:2]
    assert [row.metric_b for row in closest] == ["METEOR", "qa-eval_f1"]
    assert all(0.001 < row.p_value < 0.02 for row in closest)
    assert max(row.p_value for row in against if row not in closest) <= 0.001
