import numpy as np
import pytest
from scipy.stats import rankdata

from metassay.stats.draws import multiplicities
from metassay.stats.metric_criterion_pairs import Correlations, WeightPages, Weights
from metassay.stats.multivariate import rank_components
from metassay.stats.statistics.registry import find

PAIRS = [(0, 0), (1, 0), (1, 1), (0, 1)]


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    x = random.normal(size=(2, 9, 20))
    z = random.integers(1, 6, size=(2, 9, 20)).astype(float)
    x[0, 1, 3] = z[1, 4, :5] = np.nan
    return x, z


@pytest.mark.parametrize("level", ["global", "system", "input", "within-system"])
@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall", "kendall-c"])
def test_every_pair_is_what_it_is_alone(data, level, coefficient):
    x, z = data
    random = np.random.default_rng(1)
    weights = Weights(multiplicities(random, 9, 30), multiplicities(random, 20, 30))
    together = Correlations(x, z, PAIRS, level, find(coefficient))
    for at, (p, q) in enumerate(PAIRS):
        alone = find(coefficient).prepare(x[[p]], z[q], level)
        np.testing.assert_allclose(together.estimate()[at], alone.estimate()[0][0], atol=1e-12)
        wanted = alone.bootstrap(weights.systems, weights.inputs)[0]
        np.testing.assert_allclose(together.bootstrap(weights)[at], wanted, atol=1e-9)


def test_pages_of_points_and_of_axes():
    points = WeightPages(10, (3, 4), 0, "points")[0]
    assert points.points.shape == (12, 1024)
    assert (points.points.sum(axis=0) == 12).all()
    assert points.systems is None
    both, inputs = WeightPages(10, (3, 4), 0, "both")[0], WeightPages(10, (3, 4), 0, "inputs")[0]
    np.testing.assert_array_equal(both.inputs, inputs.inputs)
    assert both.systems is not None
    assert inputs.systems is None


def test_components_of_ranks_equal_those_of_the_covariance():
    random = np.random.default_rng(3)
    vectors = random.normal(size=(6, 40)).round(1)
    share, places = rank_components(vectors)
    ranks = np.stack([rankdata(v) for v in vectors]) / 40
    centred = ranks - ranks.mean(axis=0)
    values, directions = np.linalg.eigh(centred.T @ centred)
    assert share == pytest.approx(values[::-1][:2] / values.sum())
    for k in range(2):
        wanted = centred @ directions[:, -1 - k] / np.sqrt(40)
        assert np.abs(places[:, k]) == pytest.approx(np.abs(wanted), abs=1e-9)
        assert places[:, k][np.abs(places[:, k]).argmax()] > 0
