"""Table 1 and Figure 3 of Deutsch, Dror and Roth (2021): coverage of held-out data, and power of tests."""

from __future__ import annotations

import pytest

import metassay as ma

PUBLISHED = {
    "summeval": {
        "system": {"fisher": 0.87, "boot-systems": 0.81, "boot-inputs": 0.70, "boot-both": 0.98},
        "input": {"fisher": 1.00, "boot-systems": 0.73, "boot-inputs": 0.73, "boot-both": 0.93},
    },
    "realsumm": {
        "system": {"fisher": 0.85, "boot-systems": 0.80, "boot-inputs": 0.68, "boot-both": 0.94},
        "input": {"fisher": 1.00, "boot-systems": 0.72, "boot-inputs": 0.62, "boot-both": 0.88},
    },
}
FILES = {
    "summeval": (("qaeval.jsonl", "human.jsonl"), "expert_relevance"),
    "realsumm": (("qaeval.jsonl", "pyramid.jsonl"), "litepyramid_recall"),
}


@pytest.mark.parametrize("data", PUBLISHED)
def test_coverage_is_that_of_table_1(shared_data, data):
    files, human = FILES[data]
    scores = ma.read(*(shared_data / data / "scores" / name for name in files))
    # Fewer resamples than in the paper: they blur the ends of an interval, not how often it contains something.
    result = ma.simulate_coverage(
        scores,
        human=human,
        metric="qa-eval_f1",
        interval="fisher,boot-systems,boot-inputs,boot-both",
        trials=1_000,
        resamples=300,
    )
    for row in result.table:
        assert row.rate == pytest.approx(PUBLISHED[data][row.level][row.interval], abs=0.04), (row.level, row.interval)
    winners = {row.level: row.interval for row in result.table if row.best}
    assert set(winners.values()) == {"boot-both"}


def test_power_is_that_of_figure_3(shared_data):
    """At system level perm-both finds ROUGE-1 better than itself on half of the words; the others practically never.

    The figure has perm-both far above the others, and Williams and paired-boot-both at about 0. In 200 trials we
    found 74%, 0% and 0%; 55% or less of 100 would be 4 standard errors below.
    """
    scores = ma.read(shared_data / "summeval" / "scores" / "human.jsonl")
    texts = ma.read_texts(shared_data / "summeval" / "model_annotations.aligned.paired.jsonl")
    damage = ma.DamagedRouge1(texts, keep=0.5, references="first")
    result = ma.simulate_power(scores, human="expert_relevance", damage=damage, level="system", trials=100)
    rates = {row.test: row.rate for row in result.table}
    assert rates["perm-both"] > 0.55
    assert rates["williams"] < 0.05
    assert rates["paired-boot-both"] < 0.05
