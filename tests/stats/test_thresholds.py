"""Thresholds and calibration."""

from __future__ import annotations

import numpy as np
import pytest

from metassay.stats.methods.names import CUTS
from metassay.stats.thresholds import calibration, cross_validated, threshold_curve

SCORES = np.array([0.9, 0.8, 0.8, 0.6, 0.4, 0.3, np.nan])
LABELS = np.array([1.0, 1, 0, 1, 0, 0, 1])


def test_counts_at_each_threshold():
    curve = threshold_curve(SCORES, LABELS)
    assert curve.thresholds.tolist() == [np.inf, 0.9, 0.8, 0.6, 0.4, 0.3]
    assert curve.hits.tolist() == [0, 1, 2, 3, 3, 3]
    assert curve.false_alarms.tolist() == [0, 0, 1, 1, 2, 3]
    assert curve.value("accuracy").tolist() == pytest.approx([3 / 6, 4 / 6, 4 / 6, 5 / 6, 4 / 6, 3 / 6])
    assert np.isnan(curve.value("precision")[0])


def test_rules():
    curve = threshold_curve(SCORES, LABELS)
    chosen = {rule: curve.thresholds[curve.choose(rule)] for rule in ("accuracy", "balanced-accuracy", "f1")}
    assert chosen == {"accuracy": 0.6, "balanced-accuracy": 0.6, "f1": 0.6}
    assert curve.thresholds[curve.choose("cost", 10.0)] == 0.9  # a false alarm costs ten misses
    assert curve.thresholds[curve.choose("cost", 0.1)] == 0.6
    assert curve.thresholds[curve.choose("precision", 0.7)] == 0.6
    assert curve.thresholds[curve.choose("precision", 0.9)] == 0.9
    assert curve.thresholds[curve.choose("recall", 1.0)] == 0.6
    worst = threshold_curve(np.array([2.0, 1.0]), np.array([0.0, 1.0]))
    assert worst.choose("precision", 0.9) == -1


@pytest.mark.parametrize("rule", CUTS)
def test_cross_validation_does_not_flatter(rule):
    random = np.random.default_rng(0)
    scores, labels = random.random(200), (random.random(200) < 0.5).astype(float)
    target = 0.5 if rule in ("precision", "recall") else 1.0
    thresholds, table, items = cross_validated(scores, labels, rule, target)
    assert table.sum() == 200
    assert len(thresholds) == 10
    assert ((scores >= items) == labels).sum() == np.trace(table)
    assert np.trace(table) / 200 < 0.6  # noise: no threshold is worth much
    assert (table == cross_validated(scores, labels, rule, target)[1]).all()


def test_folds_keep_clusters_together():
    # each cluster has one score and one label of its own: what is learnt elsewhere says nothing
    clusters = np.repeat(np.arange(10), 5)
    scores, labels = clusters.astype(float), (clusters >= 5).astype(float)
    _, table, _ = cross_validated(scores, labels, folds=10, clusters=clusters)
    assert table[1, 0] + table[0, 1] in (0, 5)  # the cluster next to the threshold may be taken wrongly
    assert table.sum() == 50


def test_calibration_bins():
    p = np.array([0.05, 0.1, 0.15, 0.95, 1.0, 0.0])
    found = calibration(p, np.array([0.0, 0, 1, 1, 1, 0]))
    assert [(round(b.low, 2), round(b.high, 2), b.happened.n) for b in found] == [
        (0, 0.1, 3),
        (0.1, 0.2, 1),
        (0.9, 1, 2),
    ]
    assert found[0].said == pytest.approx(0.05)
    assert [b.happened.value for b in found] == [0, 1, 1]
    counted = calibration(p, np.array([0.0, 0, 1, 1, 1, 0]), 3, equal="count")
    assert [b.happened.n for b in counted] == [2, 2, 2]
    assert calibration(np.full(4, 0.5), np.array([0.0, 1, 1, 0]), equal="count")[0].happened.value == 0.5


def test_calibration_is_the_error_that_the_statistic_sums_up():
    from metassay.stats.statistics.probabilities import ECE

    random = np.random.default_rng(1)
    p = random.random(300).round(2)
    y = (random.random(300) < p**2).astype(float)
    rows = calibration(p, y)
    total = sum(b.happened.n * abs(b.said - b.happened.value) for b in rows) / 300
    assert ECE.tabulated(p, y).estimate() == pytest.approx(total)
