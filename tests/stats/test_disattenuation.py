"""Agreement with many inputs and with people who make no errors, where both are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from metassay.stats.disattenuation import disattenuated, human_ceiling
from metassay.stats.methods.base import Draws
from metassay.stats.methods.case import Case
from metassay.stats.methods.registry import INTERVALS
from metassay.stats.statistics.registry import find


def world(random, systems, inputs, own=0.5, noise=1.0):
    quality = random.normal(size=(systems, 1))
    z = quality + noise * random.normal(size=(systems, inputs))
    return quality + own * random.normal(size=(systems, 1)) + noise * random.normal(size=(systems, inputs)), z


def case(x, z, level="system", **options):
    return Case(find(options.pop("name", "pearson")), x[None], z, level, **options)


def test_the_formula_by_hand():
    x, z = world(np.random.default_rng(0), 12, 8)
    v = np.stack([x, z])
    means = v.mean(axis=2)
    cells = v - means[:, :, None] - v.mean(axis=1, keepdims=True) + v.mean(axis=(1, 2), keepdims=True)
    w = np.array([[(a * b).sum() / (11 * 7) for b in cells] for a in cells])
    for m in (3, 20, math.inf):
        t = np.cov(means) - w / 8 + w / m
        (found,) = disattenuated(case(x, z), 0.9, inputs=m)
        assert found.estimate == pytest.approx(t[0, 1] / math.sqrt(t[0, 0] * t[1, 1]))
        interval = INTERVALS["jackknife"].compute([case(x, z)], Draws(0, 0), 0.9)[0]
        stretch = found.estimate / interval.estimates[0]
        assert found.low == pytest.approx(np.clip(interval.low[0] * stretch, -1, 1))
        assert found.high == pytest.approx(np.clip(interval.high[0] * stretch, -1, 1))
        assert found.reason is None
    # As many inputs as there are: the correlation itself.
    assert disattenuated(case(x, z), 0.9, inputs=8)[0].estimate == pytest.approx(np.corrcoef(means)[0, 1])


def test_the_limit_is_covered():
    # Likings of SD .5: a limit of .894. Of 150 data sets fewer than 135 (90 %) have odds of 1 in 300 at 95 %.
    random = np.random.default_rng(1)
    limits = [disattenuated(case(*world(random, 20, 30, noise=2)), 0.95)[0] for _ in range(150)]
    truth = 1 / math.sqrt(1.25)
    assert np.mean([limit.estimate for limit in limits]) == pytest.approx(truth, abs=0.03)
    assert sum(limit.low <= truth <= limit.high for limit in limits) >= 135


def test_noise_that_explains_all_has_no_limit():
    random = np.random.default_rng(0)
    x, z = random.normal(size=(2, 8, 5))
    x -= x.mean(axis=1, keepdims=True)
    (found,) = disattenuated(case(x + 1e-3 * random.normal(size=(8, 1)), z), 0.95)
    assert math.isnan(found.estimate)
    assert found.reason.code == "noise-explains-all"


def test_other_statistics_have_none():
    x, z = world(np.random.default_rng(0), 8, 5)
    assert disattenuated(case(x, z, name="kendall"), 0.95)[0].reason.code == "pearson-only"


def test_too_few_systems_have_a_limit_without_an_interval():
    x, z = world(np.random.default_rng(0), 4, 20)
    (found,) = disattenuated(case(x, z), 0.95)
    assert found.reason.code == "few-systems"
    assert math.isnan(found.low)


def test_other_inputs_of_people_take_nothing_from_the_covariance():
    random = np.random.default_rng(4)
    found = []
    for _ in range(40):
        quality = random.normal(size=(30, 1))
        x = quality + 0.5 * random.normal(size=(30, 1)) + 2 * random.normal(size=(30, 60))
        z = quality + 2 * random.normal(size=(30, 15))
        found.append(disattenuated(case(x, z, paired=False), 0.95)[0].estimate)
    assert np.mean(found) == pytest.approx(1 / math.sqrt(1.25), abs=0.04)


@pytest.mark.parametrize("level", ["input", "system"])
def test_people_without_errors_are_agreed_with_as_the_ceiling_says(level):
    # Three annotators whose errors have SD 1.5: the metric is what people mean, but for its own noise.
    random = np.random.default_rng(5)
    ratios = []
    for _ in range(30):
        truth = 0.5 * random.normal(size=(20, 1)) + random.normal(size=(20, 25))
        ratings = truth + 1.5 * random.normal(size=(3, 20, 25))
        people, x = ratings.mean(axis=0), truth + random.normal(size=truth.shape)
        ceiling = human_ceiling(people, ratings, level)
        (limit,) = disattenuated(case(x, people, level), 0.95, inputs=25, ceiling=ceiling)
        perfect = Case(find("pearson"), x[None], truth, level).estimates[0]
        ratios.append((limit.estimate / perfect, ceiling))
    assert np.mean([r for r, _ in ratios]) == pytest.approx(1, abs=0.03)
    total, noise = (1 + 0.25, 0.75) if level == "global" else ((1 + 0.25, 0.75) if level == "input" else (0.29, 0.03))
    assert np.mean([c for _, c in ratios]) == pytest.approx(math.sqrt(total / (total + noise)), abs=0.03)


def test_single_ratings_have_no_ceiling():
    random = np.random.default_rng(6)
    ratings = np.full((2, 6, 10), np.nan)
    ratings[0, :, :5], ratings[1, :, 5:] = random.normal(size=(2, 6, 5))
    assert math.isnan(human_ceiling(np.nanmean(ratings, axis=0), ratings, "input"))


def test_people_who_agree_by_chance_only_allow_no_limit():
    x, z = world(np.random.default_rng(0), 12, 8)
    (limit,) = disattenuated(case(x, z), 0.95, inputs=8, ceiling=0.0)
    assert math.isnan(limit.estimate)
    assert limit.reason is not None
    assert limit.reason.code == "noise-explains-all"
