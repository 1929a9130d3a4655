"""Variance components against literal analyses of variance."""

from __future__ import annotations

import numpy as np
import pytest

from metassay.stats.generalizability import Jackknife, components

FACETS = ("system", "input", "rater")


def drawn(random, shape, deviations):
    """Scores with independent effects of every set of facets."""
    total = np.zeros(shape)
    for part, sd in deviations.items():
        total = total + sd * random.normal(size=[n if f in part else 1 for f, n in zip("sir", shape, strict=False)])
    return total


def mean_squares(y):
    """Mean squares of a complete crossed design, by projections on each set of facets."""
    found = {}
    axes = range(y.ndim)
    for code in range(1, 2**y.ndim):
        part = [a for a in axes if code >> a & 1]
        effect = y
        for a in axes:
            mean = effect.mean(axis=a, keepdims=True)
            effect = effect - mean if a in part else np.broadcast_to(mean, y.shape)
        found[tuple(part)] = (effect**2).sum() / np.prod([y.shape[a] - 1 for a in part])
    return found


def test_two_facets_are_the_analysis_of_variance():
    y = drawn(np.random.default_rng(0), (6, 9), {"s": 2.0, "i": 1.0, "si": 0.7}) + 100
    ms = mean_squares(y)
    found = components(y, ("system", "input"))
    assert found.of("system", "input") == pytest.approx(ms[0, 1])
    assert found.of("system") == pytest.approx((ms[0,] - ms[0, 1]) / 9)
    assert found.of("input") == pytest.approx((ms[1,] - ms[0, 1]) / 6)


def test_three_facets_are_the_analysis_of_variance():
    y = drawn(np.random.default_rng(1), (5, 7, 4), {"s": 2.0, "i": 1.0, "r": 1.5, "si": 0.7, "sr": 0.5, "sir": 1.0})
    ms, found = mean_squares(y), components(y, FACETS)
    rest = ms[0, 1, 2]
    assert found.of(*FACETS) == pytest.approx(rest)
    assert found.of("system", "input") == pytest.approx((ms[0, 1] - rest) / 4)
    assert found.of("system", "rater") == pytest.approx((ms[0, 2] - rest) / 7)
    assert found.of("input", "rater") == pytest.approx((ms[1, 2] - rest) / 5)
    assert found.of("system") == pytest.approx((ms[0,] - ms[0, 1] - ms[0, 2] + rest) / 28)
    assert found.of("rater") == pytest.approx((ms[2,] - ms[0, 2] - ms[1, 2] + rest) / 35)


def test_nested_raters_are_the_nested_analysis_of_variance():
    """Each input has two raters of its own: rater and rater × input are one component, as are their interactions."""
    random = np.random.default_rng(2)
    n, m, k = 6, 8, 2
    y = np.full((n, m, m * k), np.nan)
    block = drawn(random, (n, m, k), {"s": 1.0, "i": 1.0, "si": 0.5, "ir": 0.6, "sir": 0.8})
    for i in range(m):
        y[:, i, k * i : k * (i + 1)] = block[:, i]
    found = components(y, FACETS)
    named = {frozenset(term) for term in found.terms}
    assert frozenset({frozenset({"rater"}), frozenset({"input", "rater"})}) in named
    assert frozenset({frozenset({"system", "rater"}), frozenset(FACETS)}) in named
    # Mean squares of s × (r : i): raters within inputs, and systems × raters within inputs.
    cells, of_raters, of_inputs = block, block.mean(axis=0), block.mean(axis=(0, 2))
    s_i, of_systems, grand = block.mean(axis=2), block.mean(axis=(1, 2)), block.mean()
    residual = cells - s_i[:, :, None] - of_raters[None] + of_inputs[None, :, None]
    ms_rest = (residual**2).sum() / ((n - 1) * m * (k - 1))
    ms_raters = n * ((of_raters - of_inputs[:, None]) ** 2).sum() / (m * (k - 1))
    ms_si = k * ((s_i - of_systems[:, None] - of_inputs + grand) ** 2).sum() / ((n - 1) * (m - 1))
    ms_s = m * k * ((of_systems - grand) ** 2).sum() / (n - 1)
    assert found.of("system", "rater") == pytest.approx(ms_rest)
    assert found.of("rater") == pytest.approx((ms_raters - ms_rest) / n)
    assert found.of("system", "input") == pytest.approx((ms_si - ms_rest) / k)
    assert found.of("system") == pytest.approx((ms_s - ms_si) / (m * k))


def test_one_rater_per_cell_cannot_tell_their_interactions_apart():
    random = np.random.default_rng(3)
    full = drawn(random, (8, 40, 4), {"s": 1.0, "r": 1.0, "sir": 0.5})
    y = np.full_like(full, np.nan)
    s, i = np.indices((8, 40))
    y[s, i, random.integers(0, 4, size=(8, 40))] = 0.0
    y = np.where(np.isnan(y), np.nan, full)
    found = components(y, FACETS)
    together = next(term for term in found.terms if frozenset(FACETS) in term)
    assert frozenset({"system", "input"}) in together
    # The error is divided by what the two have in common only.
    few, many = ({"input": 10, "rater": k} for k in (1, 100))
    assert found.error(many) == pytest.approx(found.error(few) - max(found.of("system", "rater"), 0) * 0.99)


def test_missing_cells_leave_estimates_unbiased():
    random, deviations = np.random.default_rng(4), {"s": 1.0, "i": 0.8, "r": 0.6, "si": 0.5, "sr": 0.4, "sir": 0.7}
    total = np.zeros(7)
    for _ in range(120):
        y = drawn(random, (8, 12, 4), deviations)
        y[random.random(y.shape) < 0.5] = np.nan
        total += components(y, FACETS).variances
    parts = [{"s"}, {"i"}, {"r"}, {"s", "i"}, {"s", "r"}, {"i", "r"}, {"s", "i", "r"}]
    truth = [next((sd**2 for key, sd in deviations.items() if set(key) == part), 0.0) for part in parts]
    assert total / 120 == pytest.approx(truth, abs=0.12)


def test_what_a_design_cannot_say_is_nan():
    # One rater only: nothing is known of raters, and the rest is known as without raters.
    y = drawn(np.random.default_rng(5), (6, 9, 1), {"s": 1.0, "si": 1.0})
    found = components(y, FACETS)
    plain = components(y[:, :, 0], ("system", "input"))
    assert found.of("system") == pytest.approx(plain.of("system"))
    assert np.isnan(found.of("rater"))
    assert np.isnan(components(np.full((2, 3), np.nan), ("system", "input")).variances).all()


def test_reliability_of_more_inputs_and_raters():
    y = drawn(np.random.default_rng(6), (10, 30, 3), {"s": 1.0, "i": 2.0, "si": 1.5, "sr": 0.5, "sir": 1.0})
    found = components(y, FACETS)
    sizes = {"input": 20, "rater": 2}
    error = max(found.of("system", "input"), 0) / 20 + max(found.of("system", "rater"), 0) / 2
    error += max(found.of(*FACETS), 0) / 40
    assert found.reliability(sizes) == pytest.approx(found.of("system") / (found.of("system") + error))
    assert found.reliability(sizes, absolute=True) < found.reliability(sizes)
    curve = [found.reliability({"input": n, "rater": 2}) for n in (1, 10, 100, 1000)]
    assert curve == sorted(curve)
    # Two facets: Eρ² of the data's own number of inputs is Cronbach's alpha.
    plain, n = components(y[:, :, 0], ("system", "input")), 30
    cells = y[:, :, 0]
    alpha = n / (n - 1) * (1 - cells.var(axis=0, ddof=1).sum() / cells.sum(axis=1).var(ddof=1))
    assert plain.reliability({"input": n}) == pytest.approx(alpha)


def test_intervals_contain_the_truth_about_as_often_as_they_say():
    random, hits, inside, trials = np.random.default_rng(7), 0, 0, 100
    deviations, sizes = {"s": 1.0, "i": 0.7, "si": 1.5}, {"input": 20}
    truth = 1 / (1 + 1.5**2 / 20)
    for _ in range(trials):
        y = drawn(random, (15, 20), deviations)

        def reliability(found):
            return np.array([found.reliability(sizes)])

        share = Jackknife(y, ("system", "input")).ranged(reliability, 0.9, ratios=True)
        hits += share.low[0] <= truth <= share.high[0]
        plain = Jackknife(y, ("system", "input")).ranged(lambda found: found.variances, 0.9)
        inside += plain.low[2] <= 1.5**2 <= plain.high[2]
    assert 78 <= hits <= 99
    assert 82 <= inside <= 100


def test_ends_of_reliabilities_rise_with_inputs_and_raters_and_contain_the_truth():
    """Raters hardly differ about systems, so without one of them their component may vanish, and its logarithm too."""
    deviations = {"s": 0.5, "i": 0.3, "si": 0.6, "sr": 0.1, "sir": 0.7}
    designs = [{"input": n, "rater": r} for r in (1, 3, 10) for n in (10, 40, 400, 4000)]
    error = [0.36 / d["input"] + 0.01 / d["rater"] + 0.49 / (d["input"] * d["rater"]) for d in designs]
    truth = 0.25 / (0.25 + np.array(error))
    random, inside = np.random.default_rng(8), []
    for _ in range(20):
        found = Jackknife(drawn(random, (10, 40, 3), deviations), FACETS).reliabilities(designs, 0.9)
        for ends in (found.low, found.high):
            table = ends[:, 0].reshape(3, 4)
            assert (np.diff(table, axis=0) >= 0).all()
            assert (np.diff(table, axis=1) >= 0).all()
        inside.append((found.low[:, 0] <= truth) & (truth <= found.high[:, 0]))
        assert (found.low <= found.estimates).all()
        assert (found.estimates <= found.high).all()
    assert np.mean(inside) >= 0.85
