"""Statistics of labels, grades and probabilities: against other packages, by hand, and under weights."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from metassay.errors import DataError
from metassay.stats.statistics import grades, labels, probabilities
from metassay.stats.statistics.registry import find

PEOPLE = np.array([1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1], dtype=float)
JUDGE = np.array([1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1], dtype=float)
GRADES = np.array([1, 2, 3, 5, 4, 2, 2, 3, 5, 1, 4, 3], dtype=float)
JUDGED = np.array([1, 3, 3, 4, 4, 2, 1, 5, 5, 2, 4, 3], dtype=float)
SCORES = np.array([0.9, 0.4, 0.1, 0.8, 0.6, 0.2, 0.7, 0.95, 0.3, 0.9, 0.45, 0.8, 0.05, 0.6, 0.7])
TABULATED = [*labels.LABELS, *grades.GRADES, *probabilities.PROBABILITIES]


def of(statistic, x, z):
    return statistic.tabulated(np.asarray(x, dtype=float), np.asarray(z, dtype=float)).estimate()


# table: 7 right of 9 positives, 4 right of 6 negatives
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("accuracy", 11 / 15),
        ("balanced-accuracy", (7 / 9 + 4 / 6) / 2),
        ("precision", 7 / 9),
        ("recall", 7 / 9),
        ("specificity", 4 / 6),
        ("f1", 14 / 18),
        ("f1-macro", (14 / 18 + 8 / 12) / 2),
        ("phi", (7 * 4 - 2 * 2) / (9 * 6)),
        ("kappa", (11 / 15 - 117 / 225) / (1 - 117 / 225)),
        ("ac1", (11 / 15 - 2 * 0.6 * 0.4) / (1 - 2 * 0.6 * 0.4)),
    ],
)
def test_two_labels_by_hand(name, value):
    assert of(find(name), JUDGE, PEOPLE) == pytest.approx(value, abs=1e-14)


def binary(random, n=60):
    return (random.random(n) < 0.7).astype(float), (random.random(n) < 0.4).astype(float)


def graded(random, n=60):
    z = random.integers(1, 6, n).astype(float)
    return np.clip(z + random.integers(-2, 3, n), 1, 5), z


@pytest.mark.parametrize("seed", range(5))
def test_equal_to_scikit_learn(seed):
    metrics = pytest.importorskip("sklearn.metrics")
    random = np.random.default_rng(seed)
    x, z = binary(random)
    g, h = graded(random)
    p = np.clip((z * 0.3 + random.random(len(z))).round(2) / 1.3, 0, 1)
    theirs = {
        ("accuracy", 0): metrics.accuracy_score(z, x),
        ("balanced-accuracy", 1): metrics.balanced_accuracy_score(h, g),
        ("precision", 0): metrics.precision_score(z, x),
        ("recall", 0): metrics.recall_score(z, x),
        ("specificity", 0): metrics.recall_score(z, x, pos_label=0),
        ("f1", 0): metrics.f1_score(z, x),
        ("f1-macro", 1): metrics.f1_score(h, g, average="macro"),
        ("phi", 0): metrics.matthews_corrcoef(z, x),
        ("phi", 1): metrics.matthews_corrcoef(h, g),
        ("kappa", 1): metrics.cohen_kappa_score(h, g),
        ("kappa-linear", 1): metrics.cohen_kappa_score(h, g, weights="linear"),
        ("kappa-quadratic", 1): metrics.cohen_kappa_score(h, g, weights="quadratic"),
        ("rmse", 1): metrics.mean_squared_error(h, g) ** 0.5,
        ("mae", 1): metrics.mean_absolute_error(h, g),
        ("auc", 2): metrics.roc_auc_score(z, p),
        ("average-precision", 2): metrics.average_precision_score(z, p),
        ("brier", 2): metrics.brier_score_loss(z, p),
    }
    data = ((x, z), (g, h), (p, z))
    for (name, which), value in theirs.items():
        assert of(find(name), *data[which]) == pytest.approx(value, abs=1e-12), name


@pytest.mark.parametrize("seed", range(5))
def test_equal_to_irrcac(seed, gwet):
    g, h = graded(np.random.default_rng(seed))
    for name, weights in (("ac1", "identity"), ("ac2", "quadratic"), ("ac2-linear", "linear")):
        assert of(find(name), g, h) == pytest.approx(gwet(np.stack([h, g]), weights), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_equal_to_krippendorff(seed):
    krippendorff = pytest.importorskip("krippendorff")
    g, h = graded(np.random.default_rng(seed))
    for scale in ("nominal", "ordinal", "interval"):
        theirs = krippendorff.alpha([h, g], level_of_measurement=scale)
        assert of(find(f"alpha-{scale}"), g, h) == pytest.approx(theirs, abs=1e-12)


# values of scikit-learn 1.9.1, irrCAC 0.4.4 and krippendorff 0.9.0 by the calls above, on the vectors at the top
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("balanced-accuracy", 0.6),
        ("f1-macro", 0.5733333333333334),
        ("phi", 0.4824561403508772),
        ("kappa", 0.4782608695652173),
        ("kappa-linear", 0.6666666666666667),
        ("kappa-quadratic", 0.8102766798418972),
        ("rmse", 0.816496580927726),
        ("mae", 0.5),
        ("auc", 0.925925925925926),
        ("average-precision", 0.9575757575757575),
        ("brier", 0.1205),
        ("ac1", 0.479956663055255),
        ("ac2", 0.836317135549872),
        ("ac2-linear", 0.690322580645161),
        ("alpha-nominal", 0.4978165938864628),
        ("alpha-ordinal", 0.8339758125472411),
        ("alpha-interval", 0.8174603174603174),
    ],
)
def test_values_of_other_packages(name, value):
    x, z = (SCORES, PEOPLE) if find(name) in probabilities.PROBABILITIES else (JUDGED, GRADES)
    assert of(find(name), x, z) == pytest.approx(value, abs=1e-12)


def data_for(statistic, random, n=40):
    if statistic in probabilities.PROBABILITIES:
        return random.random(n).round(1), (random.random(n) < 0.5).astype(float)
    return binary(random, n) if statistic.scales == labels.BINARY else graded(random, n)


@pytest.mark.parametrize("statistic", TABULATED, ids=repr)
def test_weights_are_literal_resampling_and_clusters_are_sums_of_items(statistic):
    random = np.random.default_rng(3)
    x, z = data_for(statistic, random)
    w = random.integers(0, 4, size=(len(x), 7)).astype(float)
    w[:4] += 1
    drawn = statistic.tabulated(x, z).correlate(w)
    frame = statistic.frame(x, z)
    for b in range(7):
        at = np.repeat(np.arange(len(x)), w[:, b].astype(int))
        again = type(statistic.tabulated(x, z))(statistic, x[at], z[at], frame).estimate()
        assert drawn[b] == pytest.approx(again, abs=1e-12)
    clusters = np.arange(len(x)) % 8
    by_cluster = statistic.tabulated(x, z, clusters).correlate(w[:8])
    assert by_cluster == pytest.approx(statistic.tabulated(x, z).correlate(w[:8][clusters]), abs=1e-12)
    changing = statistic.evaluate(np.tile(x[:, None], (1, 7)), z[:, None], w)
    assert changing == pytest.approx(drawn, abs=1e-12)
    assert statistic.range[0] <= drawn.min()
    assert drawn.max() <= statistic.range[1]


@pytest.mark.parametrize("statistic", TABULATED, ids=repr)
def test_bootstrap_of_items_has_the_spread_of_the_weighted_one(statistic):
    random = np.random.default_rng(4)
    x, z = data_for(statistic, random, 80)
    prepared = statistic.tabulated(x, z)
    ours = prepared.bootstrap(1500, 0)
    weighted = prepared.correlate(random.multinomial(80, np.full(80, 1 / 80), 1500).T.astype(float))
    assert np.nanstd(ours) == pytest.approx(np.nanstd(weighted), rel=0.12)
    assert (ours == prepared.bootstrap(1500, 0)).all()


@pytest.mark.parametrize("statistic", TABULATED, ids=repr)
def test_a_pickled_statistic_is_the_same(statistic):
    assert pickle.loads(pickle.dumps(statistic)) is statistic


def test_missing_labels_leave_and_groups_share_the_labels():
    x = np.array([[1.0, 0.0], [1.0, np.nan], [1.0, 0.0]])
    z = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    found = labels.RECALL.groups(x, z).correlate(np.ones((3, 1)))[:, 0]
    assert found[0] == 1.0
    assert np.isnan(found[1])  # its positive item was not judged
    assert labels.ACCURACY.groups(x, z).correlate(np.ones((3, 1)))[:, 0].tolist() == [2 / 3, 1.0]


def test_what_is_undefined_is_nan():
    ones = np.ones(5)
    for statistic in (labels.KAPPA, labels.PHI, labels.ALPHA_NOMINAL, labels.AC1, grades.ALPHA_INTERVAL):
        assert np.isnan(of(statistic, ones, ones)), statistic
    assert np.isnan(of(labels.SPECIFICITY, ones, ones))
    assert np.isnan(of(probabilities.AUC, ones / 2, ones))
    assert of(labels.ACCURACY, ones, ones) == 1


def test_wrong_data_are_refused_in_a_line():
    with pytest.raises(DataError, match=r"F1 needs two labels, found 5 \(1, 2, 3, 4, 5\)"):
        of(labels.F1, JUDGED, GRADES)
    with pytest.raises(DataError, match=r"Brier score needs probabilities between 0 and 1, got 3"):
        of(probabilities.BRIER, [0.2, 3.0], [0, 1])


def test_calibration_error_by_hand():
    # two items at .2, none positive; one at .8, not positive; one at .9, positive; each in a bin of its own
    assert of(probabilities.ECE, [0.2, 0.2, 0.9, 0.8], [0, 0, 1, 0]) == pytest.approx((0.4 + 0.1 + 0.8) / 4)
    assert of(probabilities.ECE, [0.0, 1.0], [0, 1]) == 0.0


def test_within_one_grade_and_bias():
    assert of(grades.WITHIN_ONE, JUDGED, GRADES) == pytest.approx(11 / 12)
    assert of(grades.BIAS, JUDGED, GRADES) == pytest.approx((JUDGED - GRADES).mean())


def test_confusion_leaves_out_what_is_missing():
    found, table = labels.confusion(np.array([2.0, 1.0, np.nan]), np.array([1.0, 1.0, 2.0]))
    assert found.tolist() == [1.0, 2.0]
    assert table.tolist() == [[1.0, 1.0], [0.0, 0.0]]
