"""Williams and Fisher against R. The numbers were computed once; the tests need no R.

Made with R 4.2.2 and psych 2.2.9 (Debian 12: r-base-core, r-cran-psych).
"""

from __future__ import annotations

import math

import pytest

from metassay.stats.intervals import fisher
from metassay.stats.significance import williams
from metassay.stats.statistics.registry import find

# library(psych); r <- r.test(n = n, r12 = r12, r13 = r13, r23 = r23); sprintf("%.17g", c(r$t, r$p))
# r.test is two-sided; r12 and r13 are the correlations of the two metrics with people, r23 that of the two metrics.
WILLIAMS = [
    # n, r12, r13, r23, t, p
    (5, 0.9, 0.2, 0.1, 1.5270935251587034, 0.26629635234310034),
    (5, -0.3, 0.4, 0.2, -0.94222522797851216, 0.44553766960776142),
    (10, 0.5, 0.4, 0.3, 0.26518550522761469, 0.7985061497931869),
    (12, -0.7, -0.2, 0.5, -2.1345813861660035, 0.061561281684523378),
    (16, 0.8, 0.35, 0.6, 3.0753813687454761, 0.0088566494315593016),
    (25, 0.1, 0.6, 0.4, -2.6948847574017387, 0.013229546597180177),
    (30, 0.0, 0.0, 0.0, 0.0, 1.0),
    (50, 0.45, 0.45, 0.7, 0.0, 1.0),
    (103, 0.5, 0.4, 0.3, 0.99690077973513036, 0.32121884151789726),
    (200, 0.33, 0.21, 0.85, 3.2899587161277277, 0.0011870768705409317),
    (200, -0.15, 0.05, -0.4, -1.6933858348210666, 0.091962642009726286),
]

# library(psych); r.con(r, n, p = confidence)
PEARSON = [
    # r, n, confidence, low, high
    (0.5, 30, 0.95, 0.17043136511180021, 0.72895855638835549),
    (-0.3, 10, 0.95, -0.78192932076819743, 0.40638808910851176),
    (0.0, 25, 0.9, -0.33698198592170792, 0.33698198592170797),
    (0.95, 16, 0.99, 0.80665367886311756, 0.98778819419051389),
    (0.12, 1600, 0.95, 0.071414150983760444, 0.16801775244070805),
    (-0.999, 5, 0.95, -0.99993742183184564, -0.98413140762255424),
    (0.77, 4, 0.5, 0.33267932228837155, 0.93475805789520927),
    (0.4, 100, 0.99, 0.16070771547092214, 0.59487970398217738),
]

# Bonett and Wright (2000), in base R with b <- 3; c <- sqrt(1 + r^2 / 2):
# z <- qnorm((1 + confidence) / 2); tanh(atanh(r) + c(-1, 1) * z * c / sqrt(n - b))
SPEARMAN = [
    (0.5, 30, 0.95, 0.14813218339055434, 0.73950319491963445),
    (-0.3, 10, 0.95, -0.7882529000902373, 0.42005735681209361),
    (0.0, 25, 0.9, -0.33698198592170775, 0.33698198592170775),
    (0.9, 16, 0.99, 0.55488645193845931, 0.98083237125200373),
    (0.12, 1600, 0.95, 0.071238801937985791, 0.16818901764790464),
    (-0.8, 5, 0.95, -0.99084294787780425, 0.45712438880529616),
]

# The same with b <- 4; c <- sqrt(.437)
KENDALL = [
    (0.5, 30, 0.95, 0.28692083468717883, 0.66593586461057697),
    (-0.3, 10, 0.95, -0.68499668361902311, 0.21597342473437545),
    (0.0, 25, 0.9, -0.23292350581347465, 0.23292350581347465),
    (0.9, 16, 0.99, 0.75335583246083115, 0.96137638211349297),
    (0.12, 1600, 0.95, 0.087921523612211575, 0.15182984338145589),
    (-0.8, 5, 0.95, -0.98348810481080828, 0.19452996290039465),
]


@pytest.mark.parametrize(("n", "r12", "r13", "r23", "t", "p"), WILLIAMS)
def test_williams(n, r12, r13, r23, t, p):
    assert williams(r12, r13, r23, n, "two-sided") == pytest.approx(p, rel=1e-11)
    # One side has half of the two-sided p, the other the rest.
    side, other = ("greater", "less") if t >= 0 else ("less", "greater")
    assert williams(r12, r13, r23, n, side) == pytest.approx(p / 2, rel=1e-11)
    assert williams(r12, r13, r23, n, other) == pytest.approx(1 - p / 2, rel=1e-11)


@pytest.mark.parametrize(("r", "n", "confidence", "low", "high"), PEARSON)
def test_fisher_for_pearson(r, n, confidence, low, high):
    assert fisher(r, n, find("pearson").fisher_constants(r), confidence) == pytest.approx((low, high), abs=1e-13)


@pytest.mark.parametrize(("r", "n", "confidence", "low", "high"), SPEARMAN)
def test_fisher_for_spearman(r, n, confidence, low, high):
    assert fisher(r, n, find("spearman").fisher_constants(r), confidence) == pytest.approx((low, high), abs=1e-13)


@pytest.mark.parametrize("coefficient", ["kendall", "kendall-a", "kendall-c"])
@pytest.mark.parametrize(("r", "n", "confidence", "low", "high"), KENDALL)
def test_fisher_for_kendall(r, n, confidence, low, high, coefficient):
    assert fisher(r, n, find(coefficient).fisher_constants(r), confidence) == pytest.approx((low, high), abs=1e-13)


def test_very_small_p_values_of_either_side_do_not_round_to_0():
    # pt(-t, 197) for t = 24.06…; the same size in either direction
    p = williams(0.9, 0.1, 0.1, 200, "greater")
    assert 0 < p < 1e-30
    assert williams(0.1, 0.9, 0.1, 200, "less") == p
    assert math.isclose(williams(0.1, 0.9, 0.1, 200, "two-sided"), 2 * p)
