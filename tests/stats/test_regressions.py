"""Regressions with errors that cluster: against statsmodels, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from metassay.stats.regressions import linear, logistic, within


def data(seed=0, n=120, groups=20):
    random = np.random.default_rng(seed)
    clusters = random.integers(0, groups, n)
    x = np.stack([np.ones(n), random.normal(size=n), random.normal(size=groups)[clusters]], axis=1)
    y = x @ [0.5, 1.0, -0.5] + random.normal(size=groups)[clusters] + random.normal(size=n)
    return x, y, clusters


@pytest.mark.parametrize("clustered", [False, True])
def test_linear_equals_statsmodels(clustered):
    api = pytest.importorskip("statsmodels.api")
    x, y, clusters = data()
    ours = linear(x, y, clusters if clustered else None)
    given = {"cov_type": "cluster", "cov_kwds": {"groups": clusters}} if clustered else {"cov_type": "HC1"}
    theirs = api.OLS(y, x).fit(**given)
    assert ours.coefficients == pytest.approx(theirs.params, abs=1e-12)
    assert np.sqrt(np.diag(ours.covariance)) == pytest.approx(theirs.bse, rel=1e-10)


def test_logistic_equals_statsmodels_dense_and_sparse():
    api = pytest.importorskip("statsmodels.api")
    x, y, clusters = data(1, 400)
    won = (y > 0).astype(float)
    theirs = api.Logit(won, x).fit(disp=0, tol=1e-12, cov_type="cluster", cov_kwds={"groups": clusters})
    for design in (x, sparse.csr_array(x)):
        ours = logistic(design, won, clusters)
        assert ours.coefficients == pytest.approx(theirs.params, abs=1e-8)
        assert np.sqrt(np.diag(ours.covariance)) == pytest.approx(theirs.bse, rel=1e-6)


def test_values_of_statsmodels():
    # statsmodels 0.15.0: OLS(y, x).fit(cov_type="cluster", cov_kwds={"groups": g}).bse, Logit(y > 1, x) likewise
    x = np.stack([np.ones(8), np.array([0.0, 1, 2, 3, 1, 2, 4, 0])], axis=1)
    y, g = np.array([1.0, 2, 2, 5, 1, 4, 3, 2]), np.array([0, 0, 1, 1, 2, 2, 3, 3])
    assert np.sqrt(np.diag(linear(x, y, g).covariance)) == pytest.approx(
        [0.5270702466162707, 0.38842415481477466], abs=1e-10
    )
    found = logistic(x, (y > 1).astype(float), g)
    assert (*found.coefficients, *np.sqrt(np.diag(found.covariance))) == pytest.approx(
        (-0.4796073792704631, 1.4165694427930133, 1.6083498110758465, 1.0595927896537216), abs=1e-7
    )


def test_one_share_by_hand():
    # 3 of 4: log odds log 3; robust variance 1/(n p q) · n/(n − 1)
    found = logistic(np.ones((4, 1)), np.array([1.0, 1.0, 1.0, 0.0]))
    assert found.coefficients[0] == pytest.approx(np.log(3))
    assert found.covariance[0, 0] == pytest.approx(1 / (4 * 0.75 * 0.25) * 4 / 3)


def test_fixed_effects_are_dummies():
    x, y, clusters = data(2)
    dummies = (clusters[:, None] == np.unique(clusters)).astype(float)
    whole = linear(np.concatenate([x[:, 1:2], dummies], axis=1), y, clusters)
    ours = linear(x[:, 1:2], y, clusters, fixed=clusters)
    assert ours.coefficients[0] == pytest.approx(whole.coefficients[0])
    assert ours.df == len(np.unique(clusters)) - 1
    n, k = len(y), 1 + dummies.shape[1]
    assert ours.covariance[0, 0] == pytest.approx(whole.covariance[0, 0] * (n - k) / (n - 1))
    assert within(y, clusters)[clusters == 3].sum() == pytest.approx(0)


def test_what_cannot_be_estimated_is_nan():
    x, y, _ = data(3)
    assert np.isnan(linear(np.stack([x[:, 1], 2 * x[:, 1]], axis=1), y).coefficients).all()
    assert np.isnan(linear(x[:2], y[:2]).coefficients).all()
    separated = np.stack([np.ones(6), np.array([-3.0, -2, -1, 1, 2, 3])], axis=1)
    won = np.array([0.0, 0, 0, 1, 1, 1])
    assert np.isnan(logistic(separated, won).coefficients).all()
    assert np.isfinite(logistic(separated, won, ridge=0.1).coefficients).all()


def test_missing_rows_leave_and_effects_have_units():
    x, y, clusters = data(4)
    gaps = y.copy()
    gaps[:10] = np.nan
    ours, less = linear(x, gaps, clusters), linear(x[10:], y[10:], clusters[10:])
    assert ours.coefficients == pytest.approx(less.coefficients)
    assert ours.n == 110
    one, hundred = ours.effect(1), ours.effect(1, 100.0)
    assert (hundred.low, hundred.high) == pytest.approx((100 * one.low, 100 * one.high))
    assert one.smallest_detectable() > 2.8 * one.error
