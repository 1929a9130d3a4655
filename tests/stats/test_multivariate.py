"""Components and discriminants, against their definitions written out."""

import numpy as np
import pytest

from metassay.stats import multivariate
from metassay.stats.multivariate import (
    by_folds,
    discriminants,
    leave_one_out,
    principal_components,
    separation,
    standardize,
    stratified_folds,
)


def cloud(seed, n=(9, 6), columns=4, shift=1.0):
    random = np.random.default_rng(seed)
    mix = random.normal(size=(columns, columns))
    values = random.normal(size=(sum(n), columns)) @ mix
    first = np.arange(sum(n)) < n[0]
    values[first] += shift * random.normal(size=columns)
    return values, first


def fitted(values, first):
    """Fit one discriminant slowly, as the module's docstring defines it."""
    means = {side: values[first == side].mean(axis=0) for side in (True, False)}
    r = np.array([row - means[side] for row, side in zip(values, first.tolist(), strict=True)])
    m, p = r.shape
    spread = np.sqrt((r**2).mean(axis=0))
    r = r / spread
    big_r = sum(np.outer(k, k) for k in r) / m
    d = ((big_r - np.eye(p)) ** 2).sum()
    b = sum(((np.outer(k, k) - big_r) ** 2).sum() for k in r) / m**2
    shrinkage = min(1.0, b / d) if p > 1 else 0.0
    gap = (means[True] - means[False]) / spread
    weights = np.linalg.inv((1 - shrinkage) * big_r + shrinkage * np.eye(p)) @ gap / spread
    return weights, weights @ (means[True] + means[False]) / 2, shrinkage


def test_components_are_those_of_the_correlation_matrix():
    values, _ = cloud(0, n=(20, 10), columns=5)
    found = principal_components(standardize(values))
    correlation = np.corrcoef(values.T)
    eigenvalues = np.linalg.eigvalsh(correlation)[::-1]
    assert found.share == pytest.approx(eigenvalues / 5)
    assert found.loadings @ found.loadings.T == pytest.approx(correlation)
    for j in range(5):
        for c in range(5):
            assert found.loadings[j, c] == pytest.approx(np.corrcoef(values[:, j], found.scores[:, c])[0, 1])
    assert found.scores.var(axis=0, ddof=1) == pytest.approx(eigenvalues)
    assert (found.loadings.sum(axis=0) >= 0).all()


def test_two_columns_by_hand():
    # Two columns with correlation r have components with shares (1 + r)/2 and (1 − r)/2; both load √((1 + r)/2) on
    # the first. Here r = 0.5: x = −1 0 1, y = −1 1 0 (both of mean 0 and variance 1, Σxy = 1, r = 1/2).
    found = principal_components(standardize(np.array([[-1.0, -1.0], [0.0, 1.0], [1.0, 0.0]])))
    assert found.share == pytest.approx([0.75, 0.25])
    assert found.loadings[:, 0] == pytest.approx([np.sqrt(0.75)] * 2)


def test_more_columns_than_objects():
    values = np.random.default_rng(1).normal(size=(5, 12))
    found = principal_components(standardize(values))
    assert found.share.shape == (4,)
    assert found.share.sum() == pytest.approx(1)


@pytest.mark.parametrize("columns", [1, 2, 4, 30])
def test_discriminants_are_the_definition(columns):
    values, first = cloud(2, columns=columns)
    training = np.random.default_rng(3).random((6, len(values))) < 0.8
    training[0] = True
    found = discriminants(values, first, training)
    for at, kept in enumerate(training):
        weights, cut, shrinkage = fitted(values[kept], first[kept])
        assert found.weights[at] == pytest.approx(weights, rel=1e-8)
        assert found.cut[at] == pytest.approx(cut, rel=1e-8)
        assert found.shrinkage[at] == pytest.approx(shrinkage)


def test_one_column_is_cut_midway():
    # means 1 and 5, so the cut lies at 3 and all that counts is the side of it
    values = np.array([[0.0], [1.0], [2.0], [4.0], [5.0], [6.0]])
    first = np.array([False] * 3 + [True] * 3)
    found = discriminants(values, first, np.ones((1, 6), dtype=bool))
    assert found.cut[0] / found.weights[0, 0] == pytest.approx(3)
    assert (found.margins(values)[0] > 0).tolist() == first.tolist()


def test_leave_one_out_is_a_loop():
    values, first = cloud(4, shift=0.7)
    found = leave_one_out(values, first)
    for i in range(len(values)):
        kept = np.arange(len(values)) != i
        weights, cut, _ = fitted(values[kept], first[kept])
        assert found.right[i] == float((values[i] @ weights > cut) == first[i])
    ours, theirs = np.flatnonzero(first), np.flatnonzero(~first)
    for a, i in enumerate(ours):
        for b, j in enumerate(theirs):
            kept = np.ones(len(values), dtype=bool)
            kept[[i, j]] = False
            weights, _, _ = fitted(values[kept], first[kept])
            assert found.ordered[a, b] == float(values[i] @ weights > values[j] @ weights)
    assert 0 < found.right.mean() < 1


def test_folds_hold_out_what_they_say():
    values, first = cloud(5, n=(10, 7), shift=0.7)
    fold = stratified_folds(first, 3, seed=0)
    assert sorted(np.bincount(fold[first]).tolist()) == [3, 3, 4]
    assert sorted(np.bincount(fold[~first]).tolist()) == [2, 2, 3]
    found = by_folds(values, first, fold)
    for i in range(len(values)):
        weights, cut, _ = fitted(values[fold != fold[i]], first[fold != fold[i]])
        assert found.right[i] == float((values[i] @ weights > cut) == first[i])
    together = fold[first][:, None] == fold[~first][None, :]
    assert (np.isnan(found.ordered) == ~together).all()


def test_folds_depend_on_the_seed_alone():
    first = np.arange(30) < 12
    assert stratified_folds(first, 5, 1).tolist() == stratified_folds(first, 5, 1).tolist()
    assert stratified_folds(first, 5, 1).tolist() != stratified_folds(first, 5, 2).tolist()


def test_blocks_change_nothing(monkeypatch):
    values, first = cloud(6)
    whole = leave_one_out(values, first)
    monkeypatch.setattr(multivariate, "BLOCK", 100)
    parts = leave_one_out(values, first)
    assert whole.right.tolist() == parts.right.tolist()
    assert whole.ordered.tolist() == parts.ordered.tolist()


def test_separation_under_multiplicities_is_that_of_copies():
    values, first = cloud(7, shift=0.5)
    held_out = leave_one_out(values, first)
    random = np.random.default_rng(8)
    ours = random.multinomial(9, [1 / 9] * 9, size=5).T.astype(float)
    theirs = random.multinomial(6, [1 / 6] * 6, size=5).T.astype(float)
    found = separation(held_out, first, ours, theirs)
    for b in range(5):
        rows, columns = (np.repeat(np.arange(len(w)), w.astype(int)) for w in (ours[:, b], theirs[:, b]))
        one, other = held_out.right[first][rows], held_out.right[~first][columns]
        assert found[0, b] == pytest.approx(np.concatenate([one, other]).mean())
        assert found[1, b] == pytest.approx((one.mean() + other.mean()) / 2)
        assert found[2, b] == pytest.approx(held_out.ordered[np.ix_(rows, columns)].mean())


def test_noise_separates_nothing():
    # pairs held out together keep the area under the curve at one half, which single objects held out would not
    random = np.random.default_rng(9)
    first = np.arange(20) < 8
    areas = [np.mean(leave_one_out(random.normal(size=(20, 6)), first).ordered) for _ in range(60)]
    assert np.mean(areas) == pytest.approx(0.5, abs=0.05)


def test_columns_that_repeat_each_other_or_do_not_vary_within_groups():
    values, first = cloud(10)
    values = np.column_stack([values, values[:, 0], np.where(first, 1.0, 0.0), np.zeros(len(values))])
    found = leave_one_out(values, first)
    assert found.right.tolist() == [1.0] * len(values)
    assert (found.ordered == 1).all()
