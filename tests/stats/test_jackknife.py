"""What systems and inputs do to a statistic: against plain loops over what is left out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from metassay.stats.draws import SIGNS, stream
from metassay.stats.jackknife import MOST, fit
from metassay.stats.methods.case import Case
from metassay.stats.statistics.base import Statistic
from metassay.stats.statistics.registry import find

NAMES = ("pearson", "spearman", "kendall")
LEVELS = ("system", "input", "global", "within-system")


def world(systems=7, inputs=9, seed=0, grades=False):
    random = np.random.default_rng(seed)
    z = random.normal(size=(systems, 1)) + random.normal(size=(systems, inputs)) + random.normal(size=inputs)
    x = z + 0.7 * random.normal(size=(2, systems, 1)) + random.normal(size=(2, systems, inputs))
    return x, np.round(z) if grades else z


def correlation(x, z, name):
    if np.ptp(x) == 0 or np.ptp(z) == 0:
        return np.nan
    return {"pearson": pearsonr, "spearman": spearmanr, "kendall": kendalltau}[name](x, z).statistic


def value(x, z, level, name):
    """The statistic of systems × inputs, NaN for missing."""
    if level == "system":
        return correlation(np.nanmean(x, axis=1), np.nanmean(z, axis=1), name)
    known = ~np.isnan(x + z)
    if level == "global":
        return correlation(x[known], z[known], name)
    if level == "within-system":
        x, z, known = x.T, z.T, known.T
    return np.nanmean([correlation(a[k], b[k], name) for a, b, k in zip(x.T, z.T, known.T, strict=True)])


def on_scale(r, whole, name, n):
    """Fisher's scale; for ranks its tangent at the estimate."""
    most = 1 - (1e-9 if name == "pearson" else 1 / n**2)
    if name == "pearson":
        return np.arctanh(np.clip(r, -most, most))
    at = np.clip(whole, -most, most)
    return np.arctanh(at) + (r - whole) / (1 - at**2)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("missing", [False, True])
def test_systems_are_left_out_one_by_one(level, name, missing):
    x, z = world(grades=missing)
    if missing:
        x[:, 2, 3] = x[:, 5, 0] = z[1, 1] = np.nan
    found = fit(find(name), x, z, level)
    left = np.empty((2, 7))
    for p in range(2):
        whole = value(x[p], z, level, name)
        assert found.estimates[p] == pytest.approx(whole, abs=1e-12)
        for i in range(7):
            kept = np.arange(7) != i
            left[p, i] = on_scale(value(x[p][kept], z[kept], level, name), whole, name, 7)
    assert found.left == pytest.approx(left, abs=1e-9)
    d = left - left.mean(axis=1, keepdims=True)
    for p in range(2):
        for q in range(2):
            assert found.of_systems[p, q] == pytest.approx(6 / 7 * (d[p] * d[q]).sum(), abs=1e-10)


def slopes_of_pearson(a, b):
    """What the means of systems do to r, by small steps."""
    out = np.empty((2, len(a)))
    for side in (0, 1):
        for i in range(len(a)):
            moved = [a.copy(), b.copy()]
            moved[side][i] += 1e-6
            back = [a.copy(), b.copy()]
            back[side][i] -= 1e-6
            out[side, i] = (pearsonr(*moved).statistic - pearsonr(*back).statistic) / 2e-6
    return out


def residuals(v):
    """Cells without effects of systems and inputs; and without slopes of inputs on the means. NaN for missing."""
    mean = np.nanmean(v, axis=1)
    whole = v - mean[:, None]
    whole = whole - np.nanmean(whole, axis=0)
    own = np.full(v.shape, np.nan)
    for j in range(v.shape[1]):
        k = ~np.isnan(v[:, j])
        a = mean[k] - mean[k].mean()
        own[k, j] = whole[k, j] - a * (a * whole[k, j]).sum() / (a * a).sum()
    count = (~np.isnan(v)).sum(axis=1, keepdims=True)
    return np.nan_to_num(whole) / count, np.nan_to_num(own) / count


@pytest.mark.parametrize("missing", [False, True])
def test_inputs_add_to_pearson_of_means_what_the_sandwich_says(missing):
    x, z = world()
    if missing:
        x[:, 2, 3] = x[:, 5, 0] = z[1, 1] = np.nan
    n, m = z.shape
    columns, cells = np.zeros((2, m)), np.zeros((2, n, m))
    for p in range(2):
        gx, gz = slopes_of_pearson(np.nanmean(x[p], axis=1), np.nanmean(z, axis=1))
        (ex, fx), (ez, fz) = residuals(x[p]), residuals(z)
        for j in range(m):
            columns[p, j] = sum(gx[i] * ex[i, j] + gz[i] * ez[i, j] for i in range(n))
            cells[p, :, j] = [gx[i] * fx[i, j] + gz[i] * fz[i, j] for i in range(n)]
    found = fit(find("pearson"), x, z, "system")
    for p in range(2):
        for q in range(2):
            r = m / (m - 1) * ((columns[p] * columns[q]).sum() - n / (n - 2) * (cells[p] * cells[q]).sum())
            assert found.of_inputs[p, q] == pytest.approx(r * found.slope[p] * found.slope[q], rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("name", ["spearman", "kendall"])
def test_inputs_move_ranks_of_means_together_and_apart(name):
    x, z = world()
    n, m = z.shape
    random = stream(0, SIGNS)
    signs = random.integers(0, 2, (MOST, m)) * 2 - 1
    signs = np.concatenate([signs, -signs])
    turns = [random.permutation(2 * MOST) for _ in range(n)]
    common, own = np.empty((2, 2, 2 * MOST))
    for p in range(2):
        (ex, fx), (ez, fz) = residuals(x[p]), residuals(z)
        for h in range(2 * MOST):
            size = np.sqrt(m / (m - 1))
            a, b = (v.mean(axis=1) + size * e @ signs[h] for v, e in ((x[p], ex), (z, ez)))
            common[p, h] = correlation(a, b, name)
            wide = size * np.sqrt(n / (n - 2))
            turned = np.stack([signs[turns[i][h]] for i in range(n)])
            a, b = (v.mean(axis=1) + wide * (f * turned).sum(axis=1) for v, f in ((x[p], fx), (z, fz)))
            own[p, h] = correlation(a, b, name)
    found = fit(find(name), x, z, "system")
    expected = (np.cov(common, bias=True) - np.cov(own, bias=True)) * np.outer(found.slope, found.slope)
    assert found.of_inputs == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_inputs_add_to_averages_what_the_sandwich_says(name):
    x, z = world()
    n, m = z.shape
    r, psi = np.empty((2, m)), np.empty((2, n, m))
    for p in range(2):
        for j in range(m):
            r[p, j] = correlation(x[p][:, j], z[:, j], name)
            for i in range(n):
                kept = np.arange(n) != i
                psi[p, i, j] = (n - 1) * (r[p, j] - correlation(x[p][kept, j], z[kept, j], name))
        psi[p] -= psi[p].mean(axis=1, keepdims=True)
        psi[p] -= psi[p].mean(axis=0)
    b = r - r.mean(axis=1, keepdims=True)
    expected = (b @ b.T - psi.reshape(2, -1) @ psi.reshape(2, -1).T / (n * (n - 1))) / (m * (m - 1))
    found = fit(find(name), x, z, "input")
    assert found.of_inputs == pytest.approx(expected * np.outer(found.slope, found.slope), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_within_systems_inputs_are_the_members(name):
    x, z = world()
    n, m = z.shape
    psi = np.empty((2, n, m))
    for p in range(2):
        for i in range(n):
            whole = correlation(x[p][i], z[i], name)
            for j in range(m):
                kept = np.arange(m) != j
                psi[p, i, j] = (m - 1) * (whole - correlation(x[p][i, kept], z[i, kept], name))
        psi[p] -= psi[p].mean(axis=1, keepdims=True)
    columns = psi.mean(axis=1)
    inner = (psi - psi.mean(axis=1, keepdims=True)).reshape(2, -1)
    expected = (columns @ columns.T - inner @ inner.T / (n * (n - 1))) / (m * (m - 1))
    found = fit(find(name), x, z, "within-system")
    assert found.of_inputs == pytest.approx(expected * np.outer(found.slope, found.slope), rel=1e-9, abs=1e-12)
    assert found.df == (6, 8)


@pytest.mark.parametrize("name", NAMES)
def test_inputs_add_to_all_cells_what_the_sandwich_says(name):
    x, z = world(grades=True)
    n, m = z.shape
    psi = np.stack([find(name).influence(v.ravel(), z.ravel())[1].reshape(n, m) for v in x])
    columns = psi.mean(axis=1)
    inner = (psi - columns[:, None] - psi.mean(axis=2, keepdims=True)).reshape(2, -1)
    expected = (columns @ columns.T - inner @ inner.T / (n * (n - 1))) / (m * (m - 1))
    found = fit(find(name), x, z, "global")
    assert found.of_inputs == pytest.approx(expected * np.outer(found.slope, found.slope), rel=1e-9, abs=1e-12)


def doubled(labels_of, axis, x, z):
    return np.repeat(x, 2, axis=axis + 1), np.repeat(z, 2, axis=axis), np.repeat(np.arange(labels_of), 2)


# Ranks of cells would be tied if these stood twice.
@pytest.mark.parametrize(
    ("level", "name"),
    [(level, name) for level in LEVELS for name in NAMES if level in ("system", "input") or name == "pearson"],
)
def test_inputs_that_stand_twice_and_are_a_cluster_count_once(level, name):
    x, z = world()
    one = fit(find(name), x, z, level)
    x2, z2, labels = doubled(9, 1, x, z)
    other = fit(find(name), x2, z2, level, clusters=(labels, labels))
    assert other.units == one.units
    assert other.estimates == pytest.approx(one.estimates, abs=1e-12)
    assert other.of_systems == pytest.approx(one.of_systems, abs=1e-10)
    assert other.of_inputs == pytest.approx(one.of_inputs, rel=1e-6, abs=1e-10)
    # Without the labels there seem to be twice as many inputs.
    assert not np.allclose(fit(find(name), x2, z2, level).of_inputs, one.of_inputs)


@pytest.mark.parametrize("level", ["system", "input", "global"])
def test_systems_that_stand_twice_and_are_a_family_count_once(level):
    x, z = world()
    one = fit(find("pearson"), x, z, level)
    x2, z2, labels = doubled(7, 0, x, z)
    other = fit(find("pearson"), x2, z2, level, families=labels)
    assert other.units == one.units
    assert other.of_systems == pytest.approx(one.of_systems, rel=1e-9)
    assert other.of_inputs == pytest.approx(one.of_inputs, rel=1e-6, abs=1e-10)


def test_other_inputs_of_people_add_by_themselves():
    # The same data, once as pairs and once as if people had other inputs: parts of metrics and of people are added.
    x, z = world(inputs=30, seed=3)
    unpaired = fit(find("pearson"), x, z[:, :20], "system", paired=False)
    assert unpaired.units == (7, 20)
    gx, gz = slopes_of_pearson(x[0].mean(axis=1), z[:, :20].mean(axis=1))
    total = 0.0
    for g, v in ((gx, x[0]), (gz, z[:, :20])):
        (e, f), m = residuals(v), v.shape[1]
        total += m / (m - 1) * (((g @ e) ** 2).sum() - 7 / 5 * ((g[:, None] * f) ** 2).sum())
    assert unpaired.of_inputs[0, 0] == pytest.approx(total * unpaired.slope[0] ** 2, rel=1e-6)


def test_people_may_be_others_for_each_metric():
    x, z = world()
    for name in NAMES:
        for level in LEVELS:
            both = fit(find(name), x, np.stack([z, z]), level)
            same = fit(find(name), x, z, level)
            assert both.of_inputs == pytest.approx(same.of_inputs)
            assert both.left == pytest.approx(same.left)


class Cosine(Statistic):
    name, invariant = "cosine-of-tests", "scale"

    def evaluate(self, x, z, w):
        return (w * x * z).sum(0) / np.sqrt((w * x * x).sum(0) * (w * z * z).sum(0))


@pytest.mark.parametrize("level", LEVELS)
def test_a_statistic_of_ones_own_is_left_out_under_weights(level):
    x, z = world()
    found = fit(Cosine(), x, z, level)
    kept = 1 - np.eye(7)
    assert found.left == pytest.approx(Cosine().prepare(x, z, level).bootstrap(kept, None), abs=1e-12)
    assert np.isfinite(found.of_inputs).all()


def test_halves_of_inputs_show_what_influences_show():
    # Statistics of which only weights are known, against the closed form: alike, not equal.
    x, z = world(16, 60, seed=5)
    exact = fit(find("pearson"), x, z, "global")

    class Plain(Statistic):
        name, is_correlation, invariant = "plain-pearson", False, "linear"

        @property
        def scale(self):
            return find("pearson").scale

        def evaluate(self, x, z, w):
            return find("pearson").evaluate(x, z, w)

    halved = fit(Plain(), x, z, "global")
    assert halved.of_systems == pytest.approx(exact.of_systems, rel=1e-9)
    size = np.diag(exact.of_systems + exact.of_inputs)
    assert np.abs(np.diag(halved.of_inputs - exact.of_inputs) / size).max() < 0.15


def test_metrics_that_miss_other_cells_are_fitted_apart():
    x, z = world()
    x[1, 2, :] = np.nan  # the second has one system less
    case = Case(find("kendall"), np.concatenate([x, x[:1]]), z, "system")
    assert [(some.tolist(), found.systems) for some, found in case.fits] == [([0, 2], 7), ([1], 6)]
    alone = fit(find("kendall"), np.delete(x[1:], 2, axis=1), np.delete(z, 2, axis=0), "system")
    assert case.fits[1][1].of_systems == pytest.approx(alone.of_systems)
    assert case.units.tolist() == [[7, 9], [6, 9], [7, 9]]


@pytest.mark.parametrize("name", NAMES)
def test_inputs_of_people_have_clusters_of_their_own(name):
    x, z = world(inputs=12, seed=6)
    alone = Case(find(name), x, z[:, :8], "system", paired=False)
    twice = Case(
        find(name),
        np.repeat(x, 2, axis=2),
        np.repeat(z[:, :8], 3, axis=1),
        "system",
        paired=False,
        clusters=np.repeat(np.arange(12), 2),
        clusters_of_people=np.repeat(np.arange(8), 3),
    )
    assert alone.units.tolist() == twice.units.tolist() == [[7, 8], [7, 8]]
    one, other = (case.fits[0][1] for case in (alone, twice))
    assert other.of_systems == pytest.approx(one.of_systems, rel=1e-9)
    assert other.of_inputs == pytest.approx(one.of_inputs, rel=1e-6, abs=1e-10)
