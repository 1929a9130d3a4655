"""People judged few inputs, metrics scored many."""

from __future__ import annotations

import math

import numpy as np
import pytest

import metassay as ma
from metassay.core.note import Note
from metassay.core.vocabulary import METRIC_TESTS
from metassay.studies.selection import take_as_annotated
from properties import literal

from .conftest import noted

NAN = math.nan


def made(judged=range(20), systems=8, inputs=60, **more):
    """Return three metrics on all inputs and a criterion on some of them."""
    random = np.random.default_rng(5)
    quality = random.normal(size=(systems, 1))
    metrics = {f"m{k}": quality + random.normal(size=(systems, inputs)) * (k + 1) for k in range(3)}
    people = np.full((systems, inputs), NAN)
    people[:, list(judged)] = np.round(quality + random.normal(size=(systems, inputs)), 1)[:, list(judged)]
    return ma.Scores.from_arrays(metrics | more, {"good": people})


def numbers(result, *without):
    return [{k: v for k, v in row.items() if k not in without} for row in result.rows()]


def same(one, other):
    assert len(one) == len(other)
    for left, right in zip(one, other, strict=True):
        np.testing.assert_equal(left, right)


def test_worked_by_hand():
    # People judged inputs 1 and 2 and rank the systems 1 < 2 < 3.
    # Metric means over inputs 1 and 2 are 1, 2, 3: all pairs agree, τ = 1.
    # Over all inputs they are (1+1+1+9)/4 = 3, (2+2+2+1)/4 = 1.75, (3+3+3+1)/4 = 2.5: systems 2 and 3 are ranked as
    # people rank them, the other two pairs are not, τ = (1 − 2)/3.
    scores = ma.Scores.from_arrays(
        {"m": [[1, 1, 1, 9], [2, 2, 2, 1], [3, 3, 3, 1]]},
        {"good": [[1, 1, NAN, NAN], [2, 2, NAN, NAN], [3, 3, NAN, NAN]]},
    )
    for inputs, tau, n in (("all", -1 / 3, 4), ("annotated", 1.0, 2)):
        (row,) = ma.agree(scores, level="system", inputs=inputs, interval="boot-inputs", resamples=50).table
        assert row.estimate == pytest.approx(tau)
        assert (row.n_systems, row.n_inputs, row.n_annotated) == (3, n, 2)


@pytest.mark.parametrize("interval", ["fisher", "boot-systems", "boot-inputs", "boot-both"])
def test_all_is_annotated_where_everything_is_annotated(interval):
    settings = {"level": "system,input,global,within-system", "interval": interval, "resamples": 99}
    scores = made(range(60))
    one, other = (ma.agree(scores, inputs=inputs, **settings) for inputs in ("all", "annotated"))
    same(numbers(one), numbers(other))
    assert one.signature == other.signature
    assert one.notes == other.notes


@pytest.mark.parametrize("interval", ["boot-systems", "boot-inputs", "boot-both"])
def test_annotated_is_the_study_of_these_inputs_alone(interval):
    scores = made()
    alone = scores.select(inputs=scores.inputs[:20])
    settings = {"level": "system,input,global", "interval": interval, "resamples": 99}
    same(numbers(ma.agree(scores, inputs="annotated", **settings)), numbers(ma.agree(alone, **settings)))


def test_levels_other_than_system_take_annotated_inputs_only():
    scores = made()
    settings = {"level": "input,global,within-system", "resamples": 99}
    same(*(numbers(ma.agree(scores, inputs=inputs, **settings)) for inputs in ("all", "annotated")))
    (row, *_) = ma.agree(scores, level="input", resamples=20).table
    assert (row.n_inputs, row.n_annotated, row.n_undefined) == (20, 20, 0)


def test_the_two_sets_are_said_to_be_drawn_separately():
    result = ma.agree(made(), level="system", resamples=20)
    assert noted(result, "inputs-unpaired", human="good", n=20, inputs=60, how="interval", others=False)
    assert result.signature["annotated"] == "20"
    assert result.signature["means"] == "all"
    restricted = ma.agree(made(), level="system", inputs="annotated", resamples=20)
    assert noted(restricted, "inputs-judged-only", human="good", n=20, inputs=60)
    assert "annotated" not in dict(ma.agree(made(range(60)), level="system", resamples=20).signature.parts)


def test_criteria_judged_on_different_inputs_keep_their_own():
    scores = made()
    few, full = scores.matrix("good").copy(), made(range(60)).matrix("good")
    few[:, 5:] = NAN
    metrics = {name: scores.matrix(name) for name in scores.metrics}
    several = ma.Scores.from_arrays(metrics, {"good": scores.matrix("good"), "few": few, "full": full})
    rows = numbers(ma.agree(several, level="system,input", resamples=200))
    assert {row["human"]: row["n_annotated"] for row in rows} == {"good": 20, "few": 5, "full": 60}
    for name in ("good", "few", "full"):
        single = ma.Scores.from_arrays(metrics, {name: several.matrix(name)})
        same([row for row in rows if row["human"] == name], numbers(ma.agree(single, resamples=200)))


def test_partly_judged_inputs_count_as_judged_and_stay_paired():
    # Each system is judged on every other input only, and one on all; every input is judged for some system.
    people = made(range(60)).matrix("good").copy()
    people[2::2, ::2], people[1::2, 1::2] = NAN, NAN
    scores = ma.Scores.from_arrays({"m": made().matrix("m0")}, {"good": people})
    same(*(numbers(ma.agree(scores, inputs=i, level="system", resamples=99)) for i in ("all", "annotated")))


def test_a_metric_without_further_inputs_stays_paired_beside_one_that_has_them():
    scores = made()
    short = scores.matrix("m1").copy()
    short[:, 20:] = NAN
    mixed = made(short=short)
    rows = {row["metric"]: row for row in numbers(ma.agree(mixed, level="system", resamples=99))}
    assert (rows["short"]["n_inputs"], rows["m1"]["n_inputs"]) == (20, 60)
    alone = mixed.select(inputs=mixed.inputs[:20])
    expected = {row["metric"]: row for row in numbers(ma.agree(alone, level="system", resamples=99))}
    for end in ("low", "high"):
        assert rows["short"].pop(end) == pytest.approx(expected["short"].pop(end), rel=1e-12)
    np.testing.assert_equal(rows["short"], expected["short"])
    assert [row.metric for row in ma.agree(mixed, level="system", resamples=9).table] == ["m0", "m1", "m2", "short"]


def test_metrics_may_even_lack_what_people_judged():
    away = made().matrix("m0").copy()
    away[:, :20] = NAN
    scores = made(away=away)
    row = next(r for r in ma.agree(scores, level="system", resamples=99).table if r.metric == "away")
    assert (row.n_systems, row.n_inputs, row.n_annotated) == (8, 40, 20)
    assert not math.isnan(row.low)
    row = next(r for r in ma.agree(scores, level="system", inputs="annotated", resamples=9).table if r.metric == "away")
    assert math.isnan(row.estimate)
    assert row.n_inputs == 0


def test_threads_change_nothing():
    one, two = (ma.agree(made(), level="system", resamples=5000, threads=t) for t in (1, 2))
    same(numbers(one), numbers(two))


def test_more_inputs_for_metrics_make_intervals_narrower():
    random = np.random.default_rng(0)
    quality = np.linspace(0, 1, 12)[:, None]
    noise = random.normal(size=(12, 2000)) * 2
    people = np.full((12, 2000), NAN)
    people[:, :40] = quality + random.normal(size=(12, 40)) * 0.4
    scores = ma.Scores.from_arrays({"m": quality + noise}, {"good": people})
    width = {}
    for inputs in ("all", "annotated"):
        (row,) = ma.agree(scores, level="system", interval="boot-inputs", inputs=inputs, resamples=2000).table
        width[inputs] = row.high - row.low
    assert width["all"] < 0.8 * width["annotated"]


# -- compare --------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", [test for test in METRIC_TESTS if test != "perm-outcomes"])
def test_compare_on_annotated_inputs_is_compare_of_these_inputs(test):
    scores = made()
    alone = scores.select(inputs=scores.inputs[:20])
    settings = {"level": "system,input", "test": test, "resamples": 99}
    one, other = ma.compare(scores, inputs="annotated", **settings), ma.compare(alone, **settings)
    same(numbers(one), numbers(other))
    assert one.ranks == other.ranks


@pytest.mark.parametrize("test", [test for test in METRIC_TESTS if test != "perm-outcomes"])
def test_compare_takes_the_estimates_of_agree(test):
    scores = made()
    found = ma.compare(scores, level="system", test=test, resamples=99)
    agreed = {row.metric: row.estimate for row in ma.agree(scores, level="system", interval="fisher").table}
    assert {row.metric: row.estimate for row in found.ranks} == agreed
    for row in found.table:
        assert (row.estimate_a, row.estimate_b) == (agreed[row.metric_a], agreed[row.metric_b])
        assert (row.n_systems, row.n_inputs, row.n_annotated) == (8, 60, 20)
        assert 0 < row.p_value <= 1
    assert noted(found, "inputs-unpaired", n=20, inputs=60)


def test_paired_bootstrap_against_a_literal_loop():
    from metassay.stats.draws import BootstrapPages

    scores = made().select(columns="m0,m2,good")
    x, z = [scores.matrix(m) for m in ("m0", "m2")], scores.matrix("good")[:, :20]
    systems, inputs = BootstrapPages(60, (8, 60), 0, annotated=20)[0]
    below = 0
    for b in range(60):
        rows, judged = literal.taken(systems[:, b]), literal.taken(inputs[60:, b])
        people = z[np.ix_(rows, judged)].mean(axis=1)
        taken = np.ix_(rows, literal.taken(inputs[:60, b]))
        first, second = (literal.vectors(m[taken].mean(axis=1), people.round(11), "kendall") for m in x)
        below += first - second <= 1e-12
    row = ma.compare(scores, level="system", test="paired-boot-both", resamples=60).table[0]
    assert row.p_value == pytest.approx((below + 1) / 61)


def test_permutations_against_a_literal_loop():
    from metassay.stats.draws import SwapPages

    scores = made().select(columns="m0,m2,good")
    z = scores.matrix("good")[:, :20].mean(axis=1)
    x = [(m - m.mean()) / m.std() for m in (scores.matrix("m0"), scores.matrix("m2"))]
    swaps = SwapPages(60, (8, 60), 0)[0]

    def difference(one, other):
        return np.subtract(*(literal.vectors(m.mean(axis=1), z, "kendall") for m in (one, other)))

    seen = difference(*x)
    drawn = [difference(*(np.where(swaps[..., b], x[1 - k], x[k]) for k in (0, 1))) for b in range(60)]
    row = ma.compare(scores, level="system", test="perm-both", resamples=60).table[0]
    assert row.p_value == pytest.approx((np.sum(np.array(drawn) >= seen - 1e-12) + 1) / 61)


# -- simulated annotation -------------------------------------------------------------------------


def test_inputs_are_taken_as_annotated_by_number_or_by_name():
    scores = made(range(60))
    chosen, notes = take_as_annotated(scores, ["good"], 15, 0)
    known = ~np.isnan(chosen.matrix("good")).any(axis=0)
    assert known.sum() == 15
    assert notes == [Note.of("annotation-simulated", n=15, inputs=60, seed=0)]
    np.testing.assert_array_equal(chosen.matrix("m0"), scores.matrix("m0"))
    again, _ = take_as_annotated(scores, ["good"], 15, 0)
    np.testing.assert_array_equal(chosen.matrix("good"), again.matrix("good"))
    other, _ = take_as_annotated(scores, ["good"], 15, 1)
    assert (np.isnan(other.matrix("good")) != np.isnan(chosen.matrix("good"))).any()
    named, _ = take_as_annotated(scores, ["good"], ["input-3", "input-9"], 0)
    assert np.flatnonzero(~np.isnan(named.matrix("good")[0])).tolist() == [2, 8]


@pytest.mark.parametrize(
    ("annotated", "message"),
    [
        (61, "at most the 60 inputs"),
        (0, "whole number of at least 1"),
        (True, "whole number"),
        ("input-1", "number or a list"),
        (["nowhere"], "unknown input 'nowhere'"),
        ([], "none of the inputs"),
    ],
)
def test_what_cannot_be_taken_as_annotated(annotated, message):
    with pytest.raises(ma.MetassayError, match=message):
        take_as_annotated(made(range(60)), ["good"], annotated, 0)
