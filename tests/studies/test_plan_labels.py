"""How many labels a judge needs, and which."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import metassay as ma
from metassay.errors import DataError, UsageError
from metassay.stats.proportions import wilson

from .conftest import noted

NAN = math.nan


def verdicts(n=400, right=0.85, unlabelled=0, seed=0):
    random = np.random.default_rng(seed)
    people = (random.random((1, n + unlabelled)) < 0.6).astype(float)
    judges = {
        name: np.where(random.random(people.shape) < right, people, 1 - people) for name in ("judge-a", "judge-b")
    }
    people[:, n:] = NAN
    return ma.Scores.from_arrays(judges, {"label": people})


def by_quantity(result, metric="judge-a"):
    return {row.quantity: row for row in result.table if row.metric == metric}


def test_needed_labels_follow_the_square_root():
    result = ma.plan_labels(verdicts(), trials=10)
    rows = by_quantity(result)
    assert set(rows) == {"accuracy", "kappa", "mean"}
    # ± 1.96 √(p(1 − p)/n) = .03
    p = rows["accuracy"].value
    assert rows["accuracy"].needed == pytest.approx(1.96**2 * p * (1 - p) / 0.03**2, rel=0.03)
    assert rows["kappa"].needed > 2 * rows["accuracy"].needed
    finer = by_quantity(ma.plan_labels(verdicts(), trials=10, half_width=0.015))
    assert finer["accuracy"].needed == pytest.approx(4 * rows["accuracy"].needed, rel=0.01)
    assert finer["mean"].needed_alone == pytest.approx(4 * rows["mean"].needed_alone, rel=0.01)


@pytest.mark.parametrize(("n", "half"), [(25, 0.1), (400, 0.05), (400, 0.02)])
def test_needed_labels_have_the_degrees_of_freedom_of_the_plan(n, half):
    scores = verdicts(n)
    row = by_quantity(ma.plan_labels(scores, trials=5, half_width=half))["mean"]
    y = scores.matrix("label").ravel()

    def reach(many):
        return stats.t.ppf(0.975, many - 1) * y.std(ddof=1) / math.sqrt(many)

    assert reach(row.needed_alone) <= half < reach(row.needed_alone - 1)


def test_accuracy_has_the_interval_of_the_judge_card():
    scores = verdicts(150)
    row = by_quantity(ma.plan_labels(scores, trials=5, half_width=0.04))["accuracy"]
    card = next(each for each in ma.judge(scores, metric="judge-a").table if each.statistic == "accuracy")
    assert row.half_width == pytest.approx((card.high - card.low) / 2)
    # what is needed is the first number for which Wilson's interval is as narrow
    ends = [wilson(row.value * n, n) for n in (row.needed - 1, row.needed)]
    before, then = ((high - low) / 2 for low, high in ends)
    assert then <= 0.04 < before


def test_what_is_needed_is_enough():
    small = by_quantity(ma.plan_labels(verdicts(300, unlabelled=20_000), trials=10))["mean"]
    assert small.needed < 0.75 * small.needed_alone
    halves = [
        (row.high - row.low) / 2
        for seed in range(4)
        for row in ma.estimate(verdicts(small.needed, unlabelled=20_000, seed=seed), metric="judge-a").table
        if row.method == "ppi"
    ]
    assert np.mean(halves) == pytest.approx(0.03, rel=0.1)


def test_kappa_is_that_of_the_statistics():
    scores = verdicts()
    found = by_quantity(ma.plan_labels(scores, trials=10))["kappa"]
    agreed = ma.agree(
        scores, metric="judge-a", level="global", statistic="kappa", interval="boot-inputs", resamples=500
    )
    assert found.value == pytest.approx(agreed.table[0].estimate, abs=1e-12)
    width = agreed.table[0].high - agreed.table[0].low
    assert 2 * found.half_width == pytest.approx(width, rel=0.15)


def test_all_outputs_may_not_be_enough():
    result = ma.plan_labels(verdicts(200, unlabelled=100), metric="judge-a", trials=10, half_width=0.005)
    row = by_quantity(result)["mean"]
    assert row.needed is None
    assert row.needed_alone > 300
    assert noted(result, "labels-not-enough")
    assert noted(result, "one-judge-cannot-disagree")


@pytest.mark.slow
def test_choices():
    result = ma.plan_labels(verdicts(600), trials=200)
    rows = {row.strategy: row for row in result.choices if row.metric == "judge-a"}
    assert set(rows) == {"random", "stratified", "disagreement", "variance"}
    assert rows["random"].worth_mean == pytest.approx(100)
    assert rows["disagreement"].errors_found > rows["random"].errors_found + 0.03
    # all ways are about as good or better than chance: the weights allow for the choice
    assert all(row.error_mean < 1.3 * rows["random"].error_mean for row in rows.values())
    again = ma.plan_labels(verdicts(600), trials=200)
    assert again.choices == result.choices
    assert not [
        row for row in ma.plan_labels(verdicts(), metric="judge-a", trials=10).choices if row.strategy == "disagreement"
    ]


def test_numbers_have_no_accuracy(example):
    result = ma.plan_labels(example, human="relevance", metric="synthetic-judge", trials=10)
    assert [row.quantity for row in result.table] == ["mean"]
    assert all(math.isnan(row.error_accuracy) for row in result.choices)


def test_too_few():
    with pytest.raises(DataError, match="at least 20"):
        ma.plan_labels(verdicts(10))


def test_labels_that_are_all_alike_take_wilson_and_points_are_no_shares():
    ones = ma.Scores.from_arrays({"judge": np.ones((1, 40))}, {"label": np.ones((1, 40))})
    rows = by_quantity(ma.plan_labels(ones, trials=5), "judge")
    # 1 − n/(n + z²) = 2 · .03
    wanted = math.ceil(1.96**2 * 0.94 / 0.06)
    assert rows["accuracy"].needed == rows["mean"].needed == rows["mean"].needed_alone == wanted
    low, high = wilson(wanted, wanted)
    assert (high - low) / 2 == pytest.approx(0.03, abs=0.0005)
    with pytest.raises(UsageError, match=r"below 0\.5, got 3; did you mean 0\.03\?"):
        ma.plan_labels(ones, half_width=3)
    fives = ma.Scores.from_arrays({"judge": np.full((1, 40), 5.0)}, {"label": np.full((1, 40), 4.0)})
    assert by_quantity(ma.plan_labels(fives, trials=5, half_width=1), "judge")["mean"].needed_alone is None


def test_people_together_are_the_label_of_most_and_ties_are_excluded():
    judge = verdicts().matrix("judge-a")
    people = np.stack([verdicts().matrix("label")] * 3)
    people[2] = 1 - people[2]
    people[2, :, :50], people[1, :, :50] = NAN, 1 - people[0, :, :50]
    rows = by_quantity(ma.plan_labels(ma.Scores.from_arrays({"judge-a": judge}, {"label": people}), trials=10))
    assert {name: row.n_labelled for name, row in rows.items()} == {"accuracy": 350, "kappa": 350, "mean": 350}
    assert rows["accuracy"].value == pytest.approx((judge == people[0])[:, 50:].mean())
