"""How often tests reject in worlds where the truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import metassay as ma
from metassay.errors import DataError, UnknownName

from .conftest import noted


@pytest.mark.slow
def test_two_way_holds_its_level_where_perm_both_does_not():
    # 400 data sets each. If two-way rejects 5.5 % of the time, more than 38 has odds below 1 in 1,000.
    for world in ("equal: system bias 0.5", "equal: 8 systems", "equal: turns with 12 inputs"):
        result = ma.simulate_size(population=world, test="two-way", trials=400, resamples=199, threads=1)
        (row,) = result.table
        assert row.rate * 400 <= stats.binom(400, 0.055).ppf(0.999)
        assert row.holds
    (row,) = ma.simulate_size(population="equal: system bias 1", test="perm-both", trials=100, resamples=99).table
    assert row.rate > 0.25  # about .4; a correct program comes below .25 once in 1,000
    assert row.holds is False


def test_two_way_finds_a_difference_that_is_there():
    result = ma.simulate_size(population="differ: system bias 0.3 and 0.9", test="two-way", trials=200, resamples=199)
    (row,) = result.table
    # about .82: below .7 has odds of 1 in 10,000
    assert row.rate > 0.7
    assert row.holds is None
    assert row.difference > 0.15


def test_kendall_is_tested_as_well():
    options = {"statistic": "kendall", "test": "two-way,paired-boot-both", "trials": 100, "resamples": 99}
    for row in ma.simulate_size(population="equal: system bias 0.5", **options).table:
        assert row.rate <= 0.16  # .055 gives more than 16 of 100 once in 10,000


def test_a_world_like_the_users_data():
    result = ma.simulate_size(
        ma.example(), human="relevance", metric="synthetic-judge,synthetic-overlap", test="williams", trials=60
    )
    equal, found = result.table
    assert (equal.setting, found.setting) == ("fitted, equal", "fitted, as observed")
    assert equal.equal
    assert abs(equal.difference) < 0.05
    scores = ma.agree(
        ma.example(),
        human="relevance",
        metric="synthetic-judge,synthetic-overlap",
        level="system",
        statistic="pearson",
        interval="fisher",
    ).table
    expected = scores[0].estimate - scores[1].estimate
    assert found.difference == pytest.approx(expected, abs=0.12)
    assert len(noted(result, "world-fitted")[0]["shares"]) == 3


def test_threads_and_other_worlds_change_nothing():
    options = {"test": "perm-both", "trials": 60, "resamples": 49, "seed": 3}
    one = ma.simulate_size(population="equal: 8 systems", threads=1, **options)
    both = ma.simulate_size(population=["equal: 25 systems", "equal: 8 systems"], threads=2, **options)
    assert one.table[0].rate == both.table[1].rate
    assert one.table[0].difference == both.table[1].difference


def test_the_former_name_of_an_option_is_understood():
    options = {"test": "williams", "trials": 5}
    now, before = (ma.simulate_size(**{name: "equal: 8 systems"}, **options) for name in ("population", "world"))
    assert now == before


def test_what_cannot_be_done_is_said():
    with pytest.raises(UnknownName, match="unknown population"):
        ma.simulate_size(population="paradise")
    flat = np.ones((4, 5))
    scores = ma.Scores.from_arrays({"x": flat, "y": flat}, {"z": np.random.default_rng(0).normal(size=(4, 5))})
    with pytest.raises(DataError, match="no population can be fitted"):
        ma.simulate_size(scores, trials=5)


def test_the_table_shows_what_does_not_hold():
    result = ma.simulate_size(population="equal: system bias 1", test="two-way,perm-both", trials=60, resamples=99)
    text = str(result)
    assert "system bias 1" in text
    assert "equal: system bias 1" not in text
    assert "perm-both" in text
    assert "False-positive rate above" in text


def test_files_without_the_population_show_the_setting(tmp_path):
    result = ma.simulate_size(population="differ: 8 systems, bias 0.3 and 0.9", test="williams", trials=10)
    (row,) = result.table
    assert row.population == "8 systems, bias 0.3 and 0.9"
    old = tmp_path / "old.json"
    old.write_text(result.to_json().replace(f', "population": "{row.population}"', ""))
    assert ma.load(old).table[0].population == ""
    assert row.setting in ma.load(old).to_text()
