"""Would a metric have led to the same decisions about systems as people?"""

from __future__ import annotations

import math

import numpy as np
import pytest

import metassay as ma
from metassay.stats.draws import BootstrapPages

from .conftest import noted


def worlds(metric_levels, human_levels, inputs=12, seed=0):
    """Scores whose systems differ clearly where their levels do, and hardly where they do not."""
    random = np.random.default_rng(seed)

    def values(levels):
        return np.array(levels, dtype=float)[:, None] * 100 + random.normal(size=(len(levels), inputs))

    return ma.Scores.from_arrays({"metric": values(metric_levels)}, {"human": values(human_levels)})


def test_counts_by_hand():
    # Pairs: (1,2) both, same direction; (1,3), (2,3) and (3,4) both, opposite; (1,4) people only; (2,4) metric only.
    data = worlds([1, 2, 0.5, 1], [1, 2, 3, 2])
    row = ma.decisions(data, test="paired-t", alpha=0.001).table[0]
    assert (row.both_agree, row.opposite, row.metric_only, row.human_only, row.neither) == (1, 3, 1, 1, 0)
    assert row.n_pairs == 6
    assert row.agreement == pytest.approx(1 / 6)
    assert row.precision == pytest.approx(1 / 5)
    assert row.recall == pytest.approx(1 / 5)
    # Both find differences in 5 of 6: chance is 1/6·1/6 + 5/6·5/6/2 = 2/72 + 25/72 = 27/72 = 3/8.
    assert row.kappa == pytest.approx((1 / 6 - 3 / 8) / (1 - 3 / 8))


def test_a_metric_that_is_the_human_score_decides_alike():
    random = np.random.default_rng(1)
    values = random.normal(size=(6, 15)) + np.arange(6)[:, None] / 2
    row = ma.decisions(ma.Scores.from_arrays({"same": values}, {"human": values})).table[0]
    assert (row.agreement, row.precision, row.recall, row.kappa) == (1, 1, 1, 1)
    assert (row.low, row.high) == (1, 1)
    turned = ma.decisions(ma.Scores.from_arrays({"turned": -values}, {"human": values})).table[0]
    assert turned.both_agree == 0
    assert turned.opposite == row.both_agree


def test_a_single_pair_has_no_interval():
    result = ma.decisions(worlds([1, 2], [1, 2]))
    assert (result.table[0].agreement, math.isnan(result.table[0].low)) == (1, True)
    assert noted(result, "no-interval", reason="few-systems", has=2)


def test_kappa_does_not_depend_on_the_order_of_systems():
    data = worlds([1, 2, 0.5, 1, 3], [1, 2, 3, 2, 2])
    turned = data.select(systems=data.systems[::-1])
    one, two = (ma.decisions(d, resamples=50).table[0] for d in (data, turned))
    assert one.kappa == pytest.approx(two.kappa)
    assert one.agreement == two.agreement


def test_the_interval_is_that_of_a_literal_bootstrap():
    metric, human = [1, 2, 0.5, 1, 3, 4, 1], [1, 2, 3, 2, 3, 5, 1]
    row = ma.decisions(worlds(metric, human), test="paired-t", alpha=0.001, resamples=200, seed=3).table[0]
    drawn = BootstrapPages(200, (7, 1), 3, resample_inputs=False)[0][0][:, :200]
    shares = []
    for times in drawn.T.astype(int):
        sample = np.repeat(np.arange(7), times)
        pairs = [(a, b) for i, a in enumerate(sample) for b in sample[i + 1 :] if a != b]
        pairs = [np.sign(metric[a] - metric[b]) == np.sign(human[a] - human[b]) for a, b in pairs]
        shares.append(np.mean(pairs) if pairs else np.nan)
    assert 0 < row.low < row.agreement < row.high <= 1
    assert (row.low, row.high) == pytest.approx(tuple(np.nanquantile(shares, [0.025, 0.975])))
    assert row.resamples_undefined == np.isnan(shares).sum()


def test_metric_and_people_are_tested_on_the_same_cells():
    data = worlds([1, 2, 3], [1, 2, 3])
    human = data.matrix("human").copy()
    human[:, 4:] = np.nan
    human[2, :3] = np.nan
    partly = ma.Scores.from_arrays({"metric": data.matrix("metric")}, {"human": human})
    row = ma.decisions(partly, test="paired-t").table[0]
    # The third system has one annotated input: one pair is left.
    assert (row.n_pairs, row.n_inputs, row.n_systems) == (1, 4, 2)
    assert noted(ma.decisions(partly), "pairs-excluded", metrics=("metric",))


def test_no_differences_leave_precision_undefined():
    data = worlds([1, 1, 1], [1, 1, 1])
    result = ma.decisions(data, alpha=1e-6)
    assert math.isnan(result.table[0].precision)
    assert result.table[0].agreement == 1
    assert math.isnan(result.table[0].kappa)
    assert "–" in str(result)


def test_resampled_cut_offs_and_threads():
    data = worlds([1, 1.001, 1.002, 2], [1, 1, 1.002, 2])
    one, two = (ma.decisions(data, cutoff="hb", resamples=600, threads=t).to_json() for t in (1, 2))
    assert one == two


def test_summeval(shared_data):
    data = ma.read(*sorted((shared_data / "summeval" / "scores").glob("*.jsonl")))
    result = ma.decisions(data, human="expert_relevance", metric="qa-eval_f1,rouge-1_f1")
    best, rouge = result.table
    assert best.n_pairs == 120
    assert best.agreement > rouge.agreement
    # People decide about 92 pairs of 120, whatever the metric.
    assert {row.both_agree + row.opposite + row.human_only for row in result.table} == {92}
    assert best.low < best.agreement < best.high
