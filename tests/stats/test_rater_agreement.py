"""Agreement of several people: against other packages, and under weights."""

from __future__ import annotations

import numpy as np
import pytest

from metassay.stats import rater_agreement
from metassay.stats.rater_agreement import agreement, pooled

NAN = np.nan
# the example of Krippendorff (2011), section E: 4 raters, 12 units
RATINGS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)


@pytest.mark.parametrize(
    ("coefficient", "value"), [("alpha-nominal", 0.743), ("alpha-ordinal", 0.815), ("alpha-interval", 0.849)]
)
def test_krippendorffs_own_example(coefficient, value):
    assert agreement(RATINGS, coefficient) == pytest.approx(value, abs=5e-4)


# irrCAC 0.4.4: CAC(DataFrame(RATINGS.T), weights=…, digits=15).gwet()
@pytest.mark.parametrize(
    ("coefficient", "value"),
    [("ac1", 0.775444068126995), ("ac2", 0.914000723551605), ("ac2-linear", 0.858739136432611)],
)
def test_gwets_coefficients_are_those_of_irrcac(coefficient, value):
    assert agreement(RATINGS, coefficient) == pytest.approx(value, abs=1e-12)


def random_ratings(seed):
    random = np.random.default_rng(seed)
    ratings = np.clip(random.integers(1, 6, 50) + random.integers(-1, 2, (4, 50)), 1, 5).astype(float)
    ratings[random.random(ratings.shape) < 0.3] = NAN
    ratings[0, np.isnan(ratings).all(axis=0)] = 3.0
    return ratings


@pytest.mark.parametrize("seed", range(4))
def test_random_ratings_equal_irrcac(seed, gwet):
    ratings = random_ratings(seed)
    for name, weights in (("ac1", "identity"), ("ac2", "quadratic"), ("ac2-linear", "linear")):
        assert agreement(ratings, name) == pytest.approx(gwet(ratings, weights), abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_random_ratings_equal_krippendorff(seed):
    krippendorff, ratings = pytest.importorskip("krippendorff"), random_ratings(seed)
    for scale in ("nominal", "ordinal", "interval"):
        theirs = krippendorff.alpha(ratings, level_of_measurement=scale)
        assert agreement(ratings, f"alpha-{scale}") == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("coefficient", rater_agreement.COEFFICIENTS)
def test_weights_are_literal_resampling(coefficient):
    random = np.random.default_rng(1)
    w = random.integers(1, 4, size=(12, 3)).astype(float)
    drawn = agreement(RATINGS, coefficient, w)
    for b in range(3):
        again = agreement(np.repeat(RATINGS, w[:, b].astype(int), axis=1), coefficient)
        assert drawn[b] == pytest.approx(again[0], abs=1e-12)


def test_an_unknown_coefficient_is_named():
    with pytest.raises(ValueError, match="unknown coefficient 'alpha'"):
        agreement(RATINGS, "alpha")


def test_one_label_only_is_undefined_but_for_the_share():
    ones = np.ones((3, 5))
    assert agreement(ones, "share").tolist() == [1.0]
    assert np.isnan(agreement(ones, "alpha-nominal")).all()
    assert np.isnan(agreement(ones, "ac1")).all()


def test_people_become_one_value_per_unit():
    ratings = np.array([[1.0, 1, 2], [1, 2, 2], [1, 2, NAN], [NAN, NAN, NAN]])
    assert pooled(ratings, "majority").tolist() == [1.0, 2.0, 2.0]
    assert pooled(ratings[:2], "majority")[1] != pooled(ratings[:2], "majority")[1]  # tied: NaN
    assert pooled(ratings, "mean").tolist() == [1.0, 5 / 3, 2.0]
