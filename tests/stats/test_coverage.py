"""Intervals from one half: against literal resampling, and in a world where the rate is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr

import metassay as ma
from metassay.stats.coverage import Split, held_out, intervals_of_half
from metassay.stats.draws import INPUTS, SYSTEMS, multiplicities, stream
from metassay.stats.intervals import fisher, percentiles
from metassay.stats.methods.base import Case
from metassay.stats.methods.registry import INTERVALS as METHODS
from metassay.stats.statistics.registry import find

INTERVALS = ("fisher", "boot-systems", "boot-inputs", "boot-both")


def world(n=9, m=7, seed=0):
    random = np.random.default_rng(seed)
    z = random.normal(size=(n, 1)) + random.normal(size=(n, m))
    return z[None] + random.normal(size=(2, n, m)), z


def correlation(x, z, level, coefficient):
    def r(a, b):
        if np.ptp(a) == 0 or np.ptp(b) == 0:
            return np.nan
        return (pearsonr if coefficient == "pearson" else kendalltau)(a, b).statistic

    if level == "system":
        return r(x.mean(axis=1), z.mean(axis=1))
    if level == "global":
        return r(x.ravel(), z.ravel())
    columns = zip(x.T, z.T, strict=True) if level == "input" else zip(x, z, strict=True)
    with np.errstate(all="ignore"):
        return np.nanmean([r(a, b) for a, b in columns])


@pytest.mark.parametrize("level", ["system", "input", "global", "within-system"])
@pytest.mark.parametrize("coefficient", ["pearson", "kendall"])
@pytest.mark.filterwarnings("ignore:Mean of empty slice")
def test_it_is_literal_resampling_of_the_first_half(level, coefficient):
    x, z = world()
    resamples, confidence = 15, 0.7
    for number in range(3):
        statistic, kinds = find(coefficient), [METHODS[name] for name in INTERVALS]
        found = held_out(x, z, [(level, statistic)], kinds, confidence, resamples, 4, number)
        split = Split.drawn(z.shape, 4, number)
        half_z = split.half(z, 0)
        systems = multiplicities(stream(4, SYSTEMS, number), 4, resamples).astype(int)
        inputs = multiplicities(stream(4, INPUTS, number), 3, resamples).astype(int)
        for p, metric in enumerate(x):
            half = split.half(metric, 0)
            truth = correlation(split.half(metric, 1), split.half(z, 1), level, coefficient)
            for k, interval in enumerate(INTERVALS):
                if interval == "fisher":
                    r = correlation(half, half_z, level, coefficient)
                    n = Case(statistic, half[None], half_z, level).observations(0)
                    low, high = fisher(r, n, statistic.fisher_constants(r), confidence)
                else:
                    sample = []
                    for b in range(resamples):
                        rows = np.arange(4) if interval == "boot-inputs" else np.repeat(np.arange(4), systems[:, b])
                        columns = np.arange(3) if interval == "boot-systems" else np.repeat(np.arange(3), inputs[:, b])
                        taken = np.ix_(rows, columns)
                        sample.append(correlation(half[taken], half_z[taken], level, coefficient))
                    low, high = np.nanquantile(sample, [0.15, 0.85])
                known = high - low > 1e-12 or interval == "boot-inputs"
                expected = float(low <= truth <= high) if known else np.nan
                np.testing.assert_equal(found[0, k, p], expected, err_msg=f"{interval} {low} {high}")


def test_halves_are_disjoint_and_equal():
    for number in range(20):
        split = Split.drawn((9, 7), 1, number)
        for (a, b), size in ((split.systems, 4), (split.inputs, 3)):
            assert len(a) == len(b) == size
            assert not set(a) & set(b)
    # more systems change nothing in the inputs
    assert np.array_equal(Split.drawn((30, 7), 1, 0).inputs[0], Split.drawn((9, 7), 1, 0).inputs[0])


def test_the_rate_of_fisher_is_what_theory_says():
    """In a normal world both halves have atanh r ~ N(atanh ρ, 1/(n − 3)), independent of each other.

    So their difference is within ±1.96/√(n − 3) with probability 2Φ(1.96/√2) − 1 = .834. Of 1,500 worlds the rate has
    a standard error of .0096; a deviation of .04 is over 4 of them, odds below 1 in 10,000, with room for the
    approximation.
    """
    random = np.random.default_rng(1)
    inside = []
    for number in range(1500):
        quality = random.normal(size=(60, 1))
        z = np.broadcast_to(quality, (60, 4))
        x = np.broadcast_to(0.8 * quality + 0.6 * random.normal(size=(60, 1)), (1, 60, 4))
        setting = [("system", find("pearson"))]
        inside.append(held_out(x, z, setting, [METHODS["fisher"]], 0.95, 1, 0, number)[0, 0, 0])
    assert np.mean(inside) == pytest.approx(0.834, abs=0.04)


def test_percentiles_leave_undefined_ones_out():
    samples = np.array([[1.0, 2.0, 3.0, np.nan], [np.nan] * 4])
    low, high = percentiles(samples, 0.5)
    np.testing.assert_allclose(low, [1.5, np.nan])
    np.testing.assert_allclose(high, [2.5, np.nan])


@pytest.mark.parametrize("level", ["system", "input", "global", "within-system"])
@pytest.mark.parametrize("interval", METHODS)
def test_intervals_are_those_of_agree_to_the_last_bit(level, interval):
    x, z = world(20, 16)
    split = Split.drawn(z.shape, 0, 0)
    x, z = split.half(x, 0), split.half(z, 0)
    scores = ma.Scores.from_arrays({f"m{k}": v for k, v in enumerate(x)}, {"z": z})
    # The first split has the draws of the first page, and a page is as long as the draws of a split.
    resamples = 1024
    for statistic in ("pearson", "kendall"):
        options = {"level": level, "statistic": statistic, "interval": interval, "resamples": resamples}
        agreed = ma.agree(scores, **options).table
        settings = [(level, find(statistic))]
        ((_, _, found),) = intervals_of_half(x, z, settings, [METHODS[interval]], 0.95, resamples, 0, 0)
        assert found.low.tolist() == [row.low for row in agreed]
        assert found.high.tolist() == [row.high for row in agreed]
