"""The alternative-annotator test: published rows, by hand, and its variants."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

from metassay.stats import alternative_annotators as alt

EPSILON = {"wax": 0.1, "lgbteen": 0.2, "mtbench": 0.2, "cebab_stars": 0.1}  # as the authors' notebook has them


def published(folder, name):
    people, judges = (json.loads((folder / f"{who}_annotations.json").read_text()) for who in ("human", "llm"))
    items = sorted({item for each in (*people.values(), *judges.values()) for item in each})
    values = sorted({value for each in (*people.values(), *judges.values()) for value in each.values()}, key=str)

    def column(each):
        codes = {v: float(v) if name == "cebab_stars" else float(k) for k, v in enumerate(values)}
        return [codes[each[item]] if item in each else math.nan for item in items]

    return np.array([column(each) for each in people.values()]), {k: np.array(column(v)) for k, v in judges.items()}


@pytest.mark.parametrize("name", EPSILON)
def test_published_rows_come_out(name, shared_data):
    people, judges = published(shared_data / "alttest" / name, name)
    reference = json.loads((shared_data.parent / "reference" / "alttest.json").read_text())
    rows = [row for row in reference["rows"] if row["data"] == name]
    assert len(rows) == 6
    for row in rows:
        score = "rmse" if name == "cebab_stars" else "accuracy"
        found = found_by(judges[row["judge"]], people, score, EPSILON[name])
        assert f"{found.winning_rate:.2f}" == f"{row['winning_rate']:.2f}", row
        assert f"{found.advantage:.2f}" == f"{row['advantage']:.2f}", row
        assert found.passed == row["passed"]


def found_by(judge, people, score="accuracy", epsilon=0.2, **options):
    return alt.of_comparisons(alt.comparisons(judge, people, score), epsilon, **options)


def crowd(random, people=4, items=120, right=0.75):
    truth = random.integers(0, 2, items)
    return truth, np.where(random.random((people, items)) < right, truth, 1 - truth).astype(float)


def test_comparisons_by_hand():
    people = np.array([[1.0, 1, 2], [1, 2, 2], [2, np.nan, np.nan]])
    judge = np.array([1.0, 2, np.nan])
    # item 0: person 0 agrees with 1 of 2, as the judge does; person 2 with none and the judge with both
    found = alt.comparisons(judge, people, "accuracy")
    assert found[:, 0].tolist() == [0, 0, -1]
    # item 1: person 0 differs from the other, and the judge does not; person 1 says what the judge says
    assert found[:2, 1].tolist() == [
        -1,
        0,
    ]
    assert np.isnan(found[2, 1])
    assert np.isnan(found[:, 2]).all()


def test_grades_are_scored_by_distance():
    people = np.array([[1.0, 5], [2, 4], [3, 1]])
    found = alt.comparisons(np.array([2.0, 4]), people, "rmse")
    # item 0, person 0 (1) against {2, 3}: 1 + 4 > 0 + 1, the judge is nearer
    assert found[:, 0].tolist() == [-1, 0, -1]


def test_the_t_test_is_scipys():
    random = np.random.default_rng(1)
    truth, people = crowd(random)
    judge = np.where(random.random(120) < 0.8, truth, 1 - truth).astype(float)
    found = found_by(judge, people, epsilon=0.1)
    apart = alt.comparisons(judge, people, "accuracy")
    theirs = [stats.ttest_1samp(row, 0.1, alternative="less").pvalue for row in apart]
    assert found.p == pytest.approx(theirs, abs=1e-12)
    assert found.items.tolist() == [120] * 4


def test_few_items_take_wilcoxon_and_people_with_too_few_leave():
    random = np.random.default_rng(2)
    truth, people = crowd(random, items=20)
    judge = truth.astype(float)
    assert math.isnan(found_by(judge, people).winning_rate)
    found = found_by(judge, people, least=10)
    apart = alt.comparisons(judge, people, "accuracy")
    assert found.p[0] == stats.wilcoxon(apart[0] - 0.2, alternative="less").pvalue


def test_a_judge_without_variance_is_beyond_doubt():
    people = np.tile(np.arange(40.0) % 2, (3, 1))
    same = found_by(people[0], people)
    assert same.p.tolist() == [0, 0, 0]
    assert same.passed
    assert found_by(1 - people[0], people).p.tolist() == [1, 1, 1]


def test_the_curve_rises_with_epsilon_and_is_the_test_at_each():
    random = np.random.default_rng(3)
    truth, people = crowd(random, people=6)
    judge = np.where(random.random(120) < 0.7, truth, 1 - truth).astype(float)
    epsilons = [0.0, 0.1, 0.2, 0.3, 0.5]
    found = alt.curve(alt.comparisons(judge, people, "accuracy"), epsilons)
    rates = [each.winning_rate for each in found]
    assert rates == sorted(rates)
    assert rates[-1] > rates[0]
    assert rates[2] == found_by(judge, people, epsilon=0.2).winning_rate


def test_clusters_of_one_item_change_nothing_and_repeated_items_count_once():
    random = np.random.default_rng(4)
    truth, people = crowd(random)
    judge = np.where(random.random(120) < 0.8, truth, 1 - truth).astype(float)
    alone = found_by(judge, people)
    assert found_by(judge, people, clusters=np.arange(120)).p == pytest.approx(alone.p)
    twice = found_by(np.tile(judge, 2), np.tile(people, (1, 2)), clusters=np.tile(np.arange(120), 2))
    assert twice.p == pytest.approx(alone.p)


def test_chance_of_passing_falls_as_the_judge_gets_worse():
    random = np.random.default_rng(5)
    truth, people = crowd(random, people=5)
    judge = np.where(random.random(120) < 0.75, truth, 1 - truth).astype(float)
    apart = alt.comparisons(judge, people, "accuracy")
    found = [alt.chance_of_passing(apart, 0.2, worse=worse, resamples=400) for worse in (0.0, 0.1, 0.2)]
    assert found[0] > 0.7 > found[1] > found[2]
    assert found[2] < 0.05
    assert alt.chance_of_passing(apart, 0.2, resamples=400) == found[0]
