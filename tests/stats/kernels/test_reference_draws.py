import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from metassay.stats.draws import multiplicities
from metassay.stats.kernels.reference_draws import ReferenceScores, aggregated, correlate_changing

LITERAL = {
    "pearson": lambda x, z: pearsonr(x, z).statistic,
    "spearman": lambda x, z: spearmanr(x, z).statistic,
    "kendall": lambda x, z: kendalltau(x, z).statistic,
    "kendall-c": lambda x, z: kendalltau(x, z, variant="c").statistic,
}


def test_largest_and_mean_by_hand():
    values = np.array([[[0.1, 0.5]], [[0.3, np.nan]]])
    np.testing.assert_allclose(aggregated(values, "max"), [[0.3, 0.5]])
    np.testing.assert_allclose(aggregated(values, "mean"), [[0.2, 0.5]])
    assert np.isnan(aggregated(np.full((2, 1, 1), np.nan), "max")).all()


def test_every_draw_is_one_that_can_be_made_by_hand():
    # Two references: both systems are scored against the same draw of them. The first input has references 0 and 1,
    # the second only the one that stands second.
    values = np.array([[[1.0, np.nan], [20.0, np.nan]], [[2.0, 5.0], [10.0, 6.0]]])
    random = np.random.default_rng(0)
    best = ReferenceScores(values, "max").draw(random, 2000).reshape(2, 2, -1)
    pairs = {(a, b) for a, b in best[:, 0].T.tolist()}
    assert pairs == {(1.0, 20.0), (2.0, 10.0), (2.0, 20.0)}
    assert set(best[0, 1]) == {5.0}
    assert set(best[1, 1]) == {6.0}
    # Both references are drawn with probability ½; a thousandth of all seeds is farther off than 0.037.
    assert np.mean((best[0, 0] == 2.0) & (best[1, 0] == 20.0)) == pytest.approx(0.5, abs=0.037)
    mean = ReferenceScores(values, "mean").draw(random, 2000).reshape(2, 2, -1)
    assert {(a, b) for a, b in mean[:, 0].T.tolist()} == {(1.0, 20.0), (2.0, 10.0), (1.5, 15.0)}


@pytest.mark.parametrize("coefficient", LITERAL)
@pytest.mark.parametrize("scale", ["five-point", "continuous"])
def test_correlation_in_every_draw_equals_literal_resampling(coefficient, scale):
    random = np.random.default_rng(1)
    n, draws = 60, 20
    x = np.round(random.normal(size=(n, draws)), 1)
    z = random.integers(1, 6, size=n).astype(float) if scale == "five-point" else random.normal(size=70)[:n]
    x[3], z[5] = np.nan, np.nan
    w = multiplicities(random, n, draws)
    found = correlate_changing(x, z, w, coefficient)
    for b in range(draws):
        at = np.repeat(np.arange(n), w[:, b].astype(int))
        at = at[~np.isnan(x[at, b] + z[at])]
        assert found[b] == pytest.approx(LITERAL[coefficient](x[at, b], z[at]), abs=1e-12)


def test_one_reference_changes_nothing():
    random = np.random.default_rng(2)
    values = random.normal(size=(1, 4, 10))
    drawn = ReferenceScores(values, "max").draw(random, 7)
    np.testing.assert_array_equal(drawn, np.repeat(values.reshape(-1, 1), 7, axis=1))
