from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t as student

from metassay.stats.methods.base import Case, Draws
from metassay.stats.methods.registry import INTERVALS, TESTS
from metassay.stats.planning import (
    Design,
    PlanWorld,
    annotator_noise,
    expected_power,
    expected_width,
    observed_width,
    plan_world,
)
from metassay.stats.statistics.correlations import PEARSON
from metassay.stats.statistics.registry import find
from metassay.stats.worlds import Components, Textbook
from stats.test_reliability import panel


def test_noise_of_annotators_is_found_whatever_scale_they_use():
    random = np.random.default_rng(1)
    ratings = panel(random, 1500, 20, 3, liking=0.5, cell=1.0, noise=1.5)
    plain = annotator_noise(ratings)
    scaled = annotator_noise(ratings * np.array([0.5, 1.0, 2.0])[:, None, None])
    assert plain is not None
    assert scaled is not None
    # Shares of the variance of the panel's mean, times 3: .25 / (1 + .25/3) and 2.25 / (1 + 2.25/3).
    assert plain.systems == pytest.approx(0.25 / (1 + 0.25 / 3), rel=0.12)
    assert plain.cells == pytest.approx(2.25 / 1.75, rel=0.05)
    assert (scaled.systems, scaled.cells) == pytest.approx((plain.systems, plain.cells), rel=0.1)
    assert plain.crossed
    assert plain.annotators == 3


def test_annotators_who_rated_different_cells_are_noise_of_cells():
    random = np.random.default_rng(2)
    ratings = panel(random, 100, 30, 6, cell=1.0, noise=1.0)
    shown = np.argsort(random.random(ratings.shape), axis=0) < 2
    noise = annotator_noise(np.where(shown, ratings, np.nan))
    assert noise is not None
    assert not noise.crossed
    assert noise.annotators == pytest.approx(2)
    # Within cells 1; the variance of means of two is 1 + 1/2.
    assert noise.cells == pytest.approx(1 / 1.5, rel=0.06)
    assert annotator_noise(np.where(shown.cumsum(axis=0) == 1, ratings, np.nan)[:, :, :1]) is None


def test_world_has_the_ceiling_of_its_reliability():
    random = np.random.default_rng(3)
    quality = random.normal(size=(1000, 1)) + random.normal(size=(1000, 25))
    ratings = quality + 0.5 * random.normal(size=(4, 1000, 1)) + 2.0 * random.normal(size=(4, 1000, 25))
    metric = quality + random.normal(size=quality.shape)
    world = plan_world(metric[None], ratings.mean(axis=0), ratings)
    # System means over 25 inputs: true 1 + 1/25, noise of A annotators (.25 + 4/25)/A.
    for annotators in (1, 4, 16):
        expected = math.sqrt(1.04 / (1.04 + 0.41 / annotators))
        assert world.ceiling(Design(400, 25, annotators), "system") == pytest.approx(expected, abs=0.015)
    # Single cells: true 2, noise 4.25/A.
    assert world.ceiling(Design(400, 25, 4), "input") == pytest.approx(math.sqrt(2 / (2 + 4.25 / 4)), abs=0.015)
    assert world.ceiling(Design(400, 25, math.inf), "system") == 1


def simple_world(own: float = 0.8, noise: float = 2.0) -> PlanWorld:
    systems = np.array([[1 + own**2, 1.0], [1.0, 1.0]])
    return PlanWorld(Components(systems, np.zeros((2, 2)), np.eye(2) * noise**2), None, np.zeros(2))


def test_world_has_the_correlation_of_the_textbook():
    textbook = Textbook(inputs=40, own=(0.8, 0.8), noise=(2.0, 2.0), human_noise=2.0)
    assert simple_world().correlations(Design(16, 40), "system")[0] == pytest.approx(textbook.correlation(0))


@pytest.mark.parametrize("systems", [10, 20, 80])
def test_width_falls_with_the_root_of_systems(systems):
    # On Fisher's scale correlations of normal samples vary by 1/√(N - 3), around 0 if metric and people have nothing
    # in common: the width is then the mean of tanh(z + h) - tanh(z - h) over z.
    unrelated = PlanWorld(Components(np.eye(2), np.zeros((2, 2)), np.eye(2)), None, np.zeros(2))
    random = np.random.default_rng(4)
    r = unrelated.estimates(random, Design(systems, 50), "system", PEARSON, 4000)[0]
    answer = expected_width(r, systems, PEARSON, INTERVALS["two-way"], 0.95, "system")
    spread = 1 / math.sqrt(systems - 3)
    z = spread * random.standard_normal(20_000)
    half = float(student.ppf(0.975, systems - 2)) * spread
    expected = float((np.tanh(z + half) - np.tanh(z - half)).mean())
    assert answer.value == pytest.approx(expected, rel=0.035)
    assert answer.low < answer.value < answer.high


def test_width_for_these_systems_falls_with_the_root_of_inputs():
    world = simple_world(own=0.3, noise=1.0)
    random = np.random.default_rng(5)
    widths = []
    for inputs in (200.0, 800.0, 3200.0, math.inf):
        r = world.estimates(random, Design(30, inputs), "system", PEARSON, 2000, again=True)[0]
        widths.append(expected_width(r, 30, PEARSON, INTERVALS["boot-inputs"], 0.95, "system").value)
    assert widths[0] / widths[1] == pytest.approx(2, rel=0.06)
    assert widths[1] / widths[2] == pytest.approx(2, rel=0.06)
    assert widths[3] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("interval", "least", "most"), [("two-way", 0.95, 1.3), ("boot-inputs", 0.88, 1.12)])
def test_widths_are_those_of_real_intervals(interval, least, most):
    # The two-way interval leaves out one system at a time, which makes it somewhat wide where systems are few.
    random = np.random.default_rng(6)
    x, _, z = Textbook(systems=24, inputs=40, own=(0.8, 0.8), noise=(2.0, 2.0), human_noise=2.0).draw(random, 40)
    method = INTERVALS[interval]
    data = [Case(PEARSON, x[[k]], z[k], "system") for k in range(40)]
    real = np.mean([observed_width(one, method, 0.95, Draws(150, k)) for k, one in enumerate(data)])
    again = interval == "boot-inputs"
    r = simple_world().estimates(random, Design(24, 40), "system", PEARSON, 1000, again=again)[0]
    assert least < real / expected_width(r, 24, PEARSON, method, 0.95, "system").value < most


@pytest.mark.parametrize("name", ["kendall", "spearman"])
@pytest.mark.parametrize("systems", [6, 14])
def test_widths_of_ranks_of_few_systems_are_those_of_real_intervals(name, systems):
    random, statistic, method = np.random.default_rng(6), find(name), INTERVALS["jackknife"]
    own = {"own": (0.8, 0.8), "noise": (2.0, 2.0), "human_noise": 2.0}
    x, _, z = Textbook(systems=systems, inputs=40, **own).draw(random, 60)
    data = [Case(statistic, x[[k]], z[k], "system") for k in range(60)]
    real = np.mean([observed_width(one, method, 0.95, Draws(0, 0)) for one in data])
    r = simple_world().estimates(random, Design(systems, 40), "system", statistic, 1000)[0]
    assert 0.9 < real / expected_width(r, systems, statistic, method, 0.95, "system").value < 1.15


def test_input_level_averages_correlations_of_inputs():
    random = np.random.default_rng(7)
    r = simple_world(own=0.0, noise=1.0).estimates(random, Design(60, 30), "input", PEARSON, 60)
    assert r.shape == (1, 1, 60)
    # Cells: 1 / (1 + 1).
    assert r.mean() == pytest.approx(0.5, abs=0.03)


def power(equal, differ, alpha=0.05):
    """Power where correlations differ by so much on Fisher's scale."""
    pairs = [np.tanh(np.stack([np.asarray(d), np.zeros(len(d))])) for d in (equal, differ)]
    return expected_power(*pairs, 30, PEARSON, alpha)


def test_power_of_a_normal_difference():
    random = np.random.default_rng(8)
    equal, differ = random.normal(size=20_000), random.normal(size=20_000) + 2.4865
    # Φ(2.4865 - 1.6449) = .8
    answer = power(equal, differ)
    assert answer.value == pytest.approx(0.8, abs=0.02)
    assert answer.low < 0.8 < answer.high
    assert power(equal, equal).value == pytest.approx(0.05, abs=0.01)


def test_power_where_differences_come_in_steps():
    # Beyond 1 lie 10% of both tails, at 1 another 40%: of the latter, none may count at α = .05, an eighth at .075.
    equal = np.repeat([-2.0, -1, 0, 1, 2], [50, 200, 500, 200, 50])
    differ = np.repeat([1.0, 2], [800, 200])
    assert power(equal, differ).value == pytest.approx(0.2)
    assert power(equal, differ, 0.075).value == pytest.approx(0.2 + 0.8 / 8)


@pytest.mark.parametrize("own", [(0.3, 0.9), (0.5, 0.9)])
def test_power_is_near_that_of_a_real_test(own):
    textbook = Textbook(own=own)
    random = np.random.default_rng(9)
    x, y, z = textbook.draw(random, 300)
    case = Case(PEARSON, np.stack([x, y], axis=1).reshape(600, 16, 100), z, "system")
    pairs = [(2 * t, 2 * t + 1) for t in range(300)]
    p = TESTS["williams"].compute(case, pairs, Draws(9, 0), "greater", "plus-one").p
    systems = np.ones((3, 3)) + np.diag([own[0] ** 2, own[1] ** 2, 0])
    world = PlanWorld(Components(systems, np.zeros((3, 3)), np.eye(3)), None, np.zeros(3))
    design = Design(16, 100)
    equal, differ = (
        w.estimates(random, design, "system", PEARSON, 1500)[:, 0] for w in (world.made_equal(design), world)
    )
    found = expected_power(equal, differ, 16, PEARSON, 0.05).value
    # 300 data sets tell a share to ± .06, and Williams' test is a little stronger or weaker than an ideal one.
    assert found == pytest.approx((p <= 0.05).mean(), abs=0.1)


def test_a_worse_metric_has_the_wanted_correlation():
    systems = np.array([[1.5, 1, 1], [1, 1.5, 1], [1, 1, 1.0]])
    world = PlanWorld(Components(systems, np.zeros((3, 3)), np.eye(3)), None, np.zeros(3)).made_worse(0.5)
    first, second = world.correlations(Design(16, 100), "system")
    assert second == pytest.approx(first / 2)
