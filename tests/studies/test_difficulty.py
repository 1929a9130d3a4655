"""Do inputs differ in difficulty? Labels, missing cells, notes, and real data."""

import math

import numpy as np
import pytest
from scipy import stats

import metassay as ma
from metassay.errors import DataError, UsageError

from .conftest import noted


def made(seed=0, shape=(12, 6), **options):
    random = np.random.default_rng(seed)
    values = random.normal(size=shape) + np.linspace(0, 3, shape[1])
    return ma.Scores.from_arrays({"m": values}, **options)


def test_rows_name_inputs_and_the_hardest_has_the_lowest_mean_rank():
    result = ma.difficulty(made())
    assert [row.input for row in result.table] == [f"input-{j + 1}" for j in range(6)]
    ranks = [row.mean_rank for row in result.table]
    assert ranks[0] == min(ranks)
    assert all(row.low < row.mean_rank < row.high for row in result.table)
    assert result.table[0].n_differs == result.table[0].n_easier > 0
    assert {row.n_systems for row in result.table} == {12}
    assert list(result.rows()[0]) == [
        *("metric", "input", "mean_rank", "low", "high", "n_differs", "n_easier", "n_systems")
    ]


def test_notes_carry_the_kruskal_wallis_test():
    scores = made()
    expected = stats.kruskal(*scores.matrix("m").T)
    result = ma.difficulty(scores)
    assert noted(result, "inputs-differ", n=1, columns=1, alpha=0.05, others=())
    assert result.tests[0].test_statistic == pytest.approx(expected.statistic)
    assert result.tests[0].degrees_of_freedom == 5
    assert result.tests[0].p_value == pytest.approx(expected.pvalue)
    assert result.tests[0].significant


def test_lower_is_better_turns_hard_and_easy_round():
    plain = ma.difficulty(made()).table
    turned = ma.difficulty(made(lower_is_better=["m"])).table
    assert [row.mean_rank for row in turned] == pytest.approx([73 - row.mean_rank for row in plain])


def test_columns_humans_are_taken_unless_metrics_are_named():
    scores = ma.example()
    every = ma.difficulty(scores)
    assert {t.metric for t in every.tests} == {*scores.metrics, *scores.humans}
    one = ma.difficulty(scores, metric=scores.metrics[0])
    assert [t.metric for t in one.tests] == [scores.metrics[0]]
    person = ma.difficulty(scores, human="relevance", metric="relevance")
    assert [(t.metric, t.kind) for t in person.tests] == [("relevance", "human")]


def test_references_stay_unless_they_are_unwanted():
    scores = made(groups={"system-1": "reference"})
    assert ma.difficulty(scores).table[0].n_systems == 12
    without = ma.difficulty(scores, references=False)
    assert without.table[0].n_systems == 11
    assert noted(without, "references-excluded", n=1)


def test_an_input_without_scores_and_a_column_that_does_not_vary():
    values = np.random.default_rng(0).normal(size=(5, 4))
    values[:, 2] = np.nan
    result = ma.difficulty(ma.Scores.from_arrays({"m": values, "flat": np.ones((5, 4))}))
    gone = result.table[2]
    assert math.isnan(gone.mean_rank)
    assert (gone.n_systems, gone.n_differs) == (0, 0)
    assert result.tests[0].n_inputs == 3
    assert noted(result, "difficulty-undefined", columns=("flat",))
    assert "undefined" in str(result)


def test_unequal_numbers_are_told():
    random = np.random.default_rng(3)
    values = random.normal(size=(20, 30)) + random.normal(size=30)
    values[random.random((20, 30)) < 0.5] = np.nan
    values[2:, 0] = np.nan
    result = ma.difficulty(ma.Scores.from_arrays({"m": values}), confidence=0.6)
    assert result.tests[0].n_pairs_drawn_otherwise > 0
    assert noted(result, "interval-overlap-approximate", n=result.tests[0].n_pairs_drawn_otherwise)


def test_what_systems_may_do_to_inputs_is_told():
    values = np.random.default_rng(0).normal(size=(5, 4))
    whole = ma.difficulty(ma.Scores.from_arrays({"m": values}))
    assert noted(whole, "difficulty-conservative")
    gone = values.copy()
    gone[:, 2] = np.nan  # the other inputs still have the same systems
    assert noted(ma.difficulty(ma.Scores.from_arrays({"m": gone, "n": values})), "difficulty-conservative")
    gone[1, 0] = np.nan
    partly = ma.difficulty(ma.Scores.from_arrays({"m": gone, "n": values}))
    assert noted(partly, "difficulty-confounded", columns=("m",))
    assert not noted(partly, "difficulty-conservative")


@pytest.mark.parametrize(("option", "value"), [("alpha", 5), ("confidence", 95)])
def test_shares_are_checked(option, value):
    with pytest.raises(UsageError, match="did you mean"):
        ma.difficulty(made(), **{option: value})


def test_one_input_is_not_enough():
    with pytest.raises(DataError, match="at least 2"):
        ma.difficulty(made(shape=(5, 1)))


def test_the_example_shows_views():
    result = ma.difficulty(ma.example())
    assert "Tests of equal difficulty of inputs" in str(result)
    assert "view inputs lists all" in str(result)
    listed = result.to_text(view="inputs")
    assert "of them" in listed


def test_tac_2008_inputs_differ_by_every_metric(shared_data):
    scores = ma.read(shared_data / "tac2008" / "scores")
    result = ma.difficulty(scores)
    # paper 001 finds p < 1e-12 on TAC 2010 and says the same of 2008
    assert all(test.p_value < 1e-12 for test in result.tests)
    matrix = scores.matrix("METEOR_jk")
    expected = stats.kruskal(*(column[~np.isnan(column)] for column in matrix.T))
    meteor = next(test for test in result.tests if test.metric == "METEOR_jk")
    assert meteor.test_statistic == pytest.approx(expected.statistic, rel=1e-12)
    # each human wrote half of the summaries: four of eight on each input, beside 72 peers
    assert {row.n_systems for row in result.table if row.metric == "METEOR_jk"} == {76}
