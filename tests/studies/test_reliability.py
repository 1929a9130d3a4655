from __future__ import annotations

import math
from dataclasses import astuple, replace

import numpy as np
import pytest

import metassay as ma
from metassay.stats.generalizability import components

from .conftest import noted

FACETS = ("system", "input", "rater")


def table(systems=6, inputs=8, raters=4):
    """Return a table without random numbers, (systems, inputs, raters), in which everything interacts."""
    i, j, r = np.ogrid[1 : systems + 1, 1 : inputs + 1, 1 : raters + 1]
    main = 3 + np.sin(1.7 * i) + 0.6 * np.cos(2.3 * j) + 0.5 * np.sin(3.1 * r)
    two = 0.5 * np.sin(5.3 * i * j) + 0.3 * np.cos(4.1 * i * r) + 0.25 * np.sin(2.9 * j * r)
    return main + two + 0.6 * np.sin(7.7 * i * j * r + i + 2 * j + 3 * r)


def rated(y, metric=None):
    """Return scores with these ratings, and a metric that is near their mean."""
    metric = y.mean(axis=2) + 0.3 * np.cos(np.arange(y[..., 0].size)).reshape(y.shape[:2]) if metric is None else metric
    return ma.Scores.from_arrays({"m": metric}, {"good": np.moveaxis(y, 2, 0)})


def mean_squares(y):
    """Return the mean squares of the analysis of variance of a complete table, written out."""
    n, m, k = y.shape
    grand = y.mean()
    s, i, r = y.mean(axis=(1, 2)), y.mean(axis=(0, 2)), y.mean(axis=(0, 1))
    si, sr, ir = y.mean(axis=2), y.mean(axis=1), y.mean(axis=0)
    e_si = si - s[:, None] - i[None] + grand
    e_sr = sr - s[:, None] - r[None] + grand
    e_ir = ir - i[:, None] - r[None] + grand
    rest = y - grand
    for part in (
        s[:, None, None] - grand,
        i[None, :, None] - grand,
        r - grand,
        e_si[..., None],
        e_sr[:, None],
        e_ir[None],
    ):
        rest = rest - part
    return {
        "system": m * k * ((s - grand) ** 2).sum() / (n - 1),
        "system × input": k * (e_si**2).sum() / ((n - 1) * (m - 1)),
        "system × rater": m * (e_sr**2).sum() / ((n - 1) * (k - 1)),
        "system × input × rater": (rest**2).sum() / ((n - 1) * (m - 1) * (k - 1)),
    }


def now(result, level="system", column="good"):
    return next(row for row in result.designs if (row.metric, row.level, row.axis) == (column, level, "now"))


def test_components_are_those_of_lme4():
    # lme4 1.1.31, R 4.2.2, on the table above with factors system, input and rater:
    # lmer(y ~ 1 + (1|system) + (1|input) + (1|rater) + (1|system:input) + (1|system:rater) + (1|input:rater), data = d)
    # as.data.frame(VarCorr(fit))[, c("grp", "vcov")]; REML is the analysis of variance where no component is negative.
    lme4 = {
        "system": 0.423534893,
        "input": 0.262922843,
        "rater": 0.026190260,
        "system × input": 0.096034621,
        "system × rater": 0.032339678,
        "input × rater": 0.035120409,
        "system × input × rater": 0.166944711,
    }
    result = ma.reliability(rated(table()), resamples=50)
    found = {row.component: row for row in result.table if row.metric == "good"}
    assert {name: row.variance for name, row in found.items()} == pytest.approx(lme4, abs=2e-6)
    assert sum(row.share for row in found.values()) == pytest.approx(1)
    assert all(row.low < row.variance < row.high for row in found.values())
    assert {(row.n_systems, row.n_inputs, row.n_raters) for row in found.values()} == {(6, 8, 4)}


def test_reliability_is_that_of_a_literal_analysis_of_variance():
    y = table()
    _, m, k = y.shape
    ms = mean_squares(y)
    error = ms["system × input × rater"]
    si, sr = (ms["system × input"] - error) / k, (ms["system × rater"] - error) / m
    system = (ms["system"] - ms["system × input"] - ms["system × rater"] + error) / (m * k)
    result = ma.reliability(rated(y), resamples=50)
    expected = system / (system + si / m + sr / k + error / (m * k))
    assert now(result).estimate == pytest.approx(expected)
    assert now(result).error == pytest.approx(math.sqrt(si / m + sr / k + error / (m * k)))
    # at input level an output is measured, and only raters make errors
    assert now(result, "input").estimate == pytest.approx((system + si) / (system + si + (sr + error) / k))
    assert now(result).absolute < now(result).estimate


def test_reliability_of_all_outputs_is_the_intraclass_correlation():
    # Without systems: ICC(C,k) and ICC(A,k) of McGraw and Wong (1996) from mean squares of rows and columns.
    y = table(1, 12, 3)[0]
    n, k = y.shape
    rows = k * ((y.mean(axis=1) - y.mean()) ** 2).sum() / (n - 1)
    columns = n * ((y.mean(axis=0) - y.mean()) ** 2).sum() / (k - 1)
    rest = ((y - y.mean(axis=1, keepdims=True) - y.mean(axis=0) + y.mean()) ** 2).sum() / ((n - 1) * (k - 1))
    result = ma.reliability(rated(y[None]), human="good", resamples=50)
    row = now(result, "global")
    assert row.estimate == pytest.approx((rows - rest) / rows)
    assert row.absolute == pytest.approx((rows - rest) / (rows + (columns - rest) / n))
    assert noted(result, "one-system-reliability")
    assert {each.axis for each in result.designs} == {"now", "raters"}


def test_needed_numbers_reach_the_reliability_and_no_less_does():
    y = table()
    result = ma.reliability(rated(y), resamples=50)
    whole = components(y, FACETS)
    needs = [row for row in result.needs if row.metric == "good"]
    assert {(row.level, row.axis) for row in needs} == {
        *(("system", "inputs"), ("system", "raters"), ("input", "raters"), ("global", "raters"))
    }
    for row in needs:
        if math.isinf(row.needed):
            continue
        sizes = {"input": 8, "rater": 4}
        at = [
            whole.reliability(sizes | {row.axis[:-1]: n}, level=row.level) for n in (row.needed, row.needed - 1 or 0.5)
        ]
        assert at[0] >= row.target - 1e-9
        assert row.needed == 1 or at[1] < row.target


def test_more_systems_narrow_the_interval_and_nothing_else():
    result = ma.reliability(rated(table(12, 10, 4)), resamples=50)
    first, *more = [
        r for r in result.designs if r.metric == "good" and r.level == "system" and r.axis in ("now", "systems")
    ]
    assert [row.n_systems for row in more] == [24, 48]
    for row in more:
        assert row.estimate == first.estimate
        assert row.high - row.low < first.high - first.low


def test_nested_raters_have_one_component():
    y = table()
    result = ma.reliability(rated(y), nested=True, resamples=50)
    found = {row.component: row.variance for row in result.table if row.metric == "good"}
    merged = "rater + system × rater + input × rater + system × input × rater"
    assert set(found) == {"system", "input", "system × input", merged}
    assert found[merged] == pytest.approx(y.var(axis=2, ddof=1).mean())
    # the order of raters within an output says nothing
    random = np.random.default_rng(0)
    mixed = random.permuted(y, axis=2)
    again = ma.reliability(rated(mixed, y[..., 0]), nested=True, resamples=50)
    for a, b in zip(result.table, again.table, strict=True):
        if a.metric == "good":
            assert a.variance == pytest.approx(b.variance)
    assert not [row for row in result.raters if row.level != "global"]
    assert "raters:nested" in str(result.signature)


def test_raters_agree_as_the_coefficients_say():
    y = np.clip(np.round(table()), 1, 5)
    rows = {(r.level, r.statistic): r for r in ma.reliability(rated(y), resamples=200).raters}
    flat = y.reshape(-1, 4)
    pairs = [(a, b) for a in range(4) for b in range(4) if a != b]
    share = np.mean([flat[:, a] == flat[:, b] for a, b in pairs])
    assert rows["global", "share"].estimate == pytest.approx(share)
    others = [np.delete(y, r, axis=2).mean(axis=(1, 2)) for r in range(4)]
    r = np.mean([np.corrcoef(y[:, :, k].mean(axis=1), others[k])[0, 1] for k in range(4)])
    assert rows["system", "pearson"].estimate == pytest.approx(r)
    for row in rows.values():
        assert row.low <= row.estimate <= row.high
        assert (row.n_raters, row.n_units) == (4, 48)
    labels = {key for key, _ in zip(rows, rows, strict=True)}
    assert {
        ("global", "alpha-interval"),
        ("global", "alpha-ordinal"),
        ("global", "ac2"),
        ("input", "kendall"),
    } <= labels


def test_corrected_correlations_stand_beside_raw_ones():
    result = ma.reliability(rated(table(12, 10, 4)), resamples=50)
    agreed = ma.agree(rated(table(12, 10, 4)), statistic="pearson", limits=True)
    np.testing.assert_equal([*map(astuple, result.limits)], [*map(astuple, agreed.limits)])
    assert all(row.perfect_people > row.estimate for row in result.limits)


def test_designs_that_allow_nothing_say_why():
    y = table()
    one_rater = ma.Scores.from_arrays({"m": y[..., 1]}, {"good": y[..., 0]})
    result = ma.reliability(one_rater, resamples=50)
    assert noted(result, "raters-unnamed", human="good")
    assert [row.component for row in result.table if row.metric == "good"] == ["system", "input", "system × input"]
    assert {row.level for row in result.designs} == {"system"}
    assert not result.raters

    apart = np.full_like(y, np.nan)
    for s in range(6):
        for i in range(8):
            apart[s, i, (s + i) % 4] = y[s, i, (s + i) % 4]
    result = ma.reliability(rated(apart, y[..., 0]), resamples=50)
    assert noted(result, "raters-uncrossed", human="good", raters=4)
    assert math.isnan(now(result, "input").estimate)
    assert now(result).estimate > 0

    result = ma.reliability(rated(y[:1, :, :1]), human="good", resamples=50)
    assert noted(result, "reliability-impossible", column="good")
    assert not [row for row in result.table if row.metric == "good"]


def test_what_cannot_be_compared_is_not_taken_apart():
    y = table()
    halves = y.copy()
    halves[:3, :4], halves[3:, 4:] = np.nan, np.nan
    result = ma.reliability(rated(halves, y[..., 0]), human="good", resamples=50)
    assert noted(result, "reliability-impossible", column="good", reason="disconnected")
    assert not [row for row in (*result.table, *result.designs, *result.needs) if row.metric == "good"]
    assert result.raters


def test_labels_need_an_order_and_two_of_them_have_coefficients_of_their_own():
    words = np.array(["no", "perhaps", "yes"])[np.digitize(table(), [2.5, 3.5])]
    scores = ma.Scores.from_arrays({"m": table()[..., 0]}, {"label": np.moveaxis(words, 2, 0)})
    with pytest.raises(ma.DataError, match="labels without an order"):
        ma.reliability(scores, human="label")
    result = ma.reliability(rated((table() > 3).astype(float)).declare(scale={"good": "binary"}), resamples=50)
    assert {row.statistic for row in result.raters if row.level == "global"} == {"alpha-nominal", "ac1", "share"}


def test_no_difference_between_systems_is_no_certainty():
    y = table() - table().mean(axis=(1, 2), keepdims=True)
    result = ma.reliability(rated(y), human="good", resamples=50)
    row = now(result)
    assert row.estimate == 0
    assert math.isnan(row.low)
    assert math.isnan(row.high)
    assert noted(result, "reliability-zero")
    assert noted(result, "component-negative")


def test_a_result_is_the_same_after_a_file(tmp_path):
    result = ma.reliability(rated(table()), resamples=50)
    result.to_json(tmp_path / "r.json")
    assert ma.load(tmp_path / "r.json") == result


@pytest.mark.slow
def test_real_experts_and_crowd_workers(shared_data):
    scores = ma.read(shared_data / "summeval" / "scores")
    result = ma.reliability(scores, human="*_relevance", metric="rouge-1_f1", resamples=100)
    experts, crowd = (now(result, column=f"{who}_relevance") for who in ("expert", "turker"))
    assert experts.estimate == pytest.approx(0.869, abs=0.002)
    assert crowd.estimate == pytest.approx(0.43, abs=0.2)
    assert crowd.estimate < experts.estimate
    alpha = next(r for r in result.raters if (r.human, r.statistic) == ("expert_relevance", "alpha-interval"))
    assert alpha.estimate == pytest.approx(0.45, abs=0.01)


@pytest.mark.slow
def test_real_data_without_raters(shared_data):
    for folder, columns in (("tac2008", "METEOR"), ("realsumm", "rouge-1_recall")):
        result = ma.reliability(ma.read(shared_data / folder / "scores"), metric=columns, resamples=50)
        assert 0.8 < now(result, column=columns).estimate < 1
    result = ma.reliability(ma.read(shared_data / "wmt23"), human="mqm", metric="BLEU*", resamples=50)
    assert noted(result, "raters-unnamed", human="mqm")
    assert now(result, column="mqm").estimate == pytest.approx(0.99, abs=0.01)


def test_copies_of_an_input_count_once_in_a_cluster():
    y = table()
    once, copied = rated(y), rated(np.repeat(y, 2, axis=1))
    clusters = {name: f"c{at // 2:02}" for at, name in enumerate(copied.inputs)}
    one, two = (ma.reliability(s, resamples=100) for s in (once, replace(copied, clusters=clusters)))
    ends = [[(r.low, r.high) for r in each.raters] for each in (one, two)]
    assert len(ends[0]) > 2
    # Copies make Krippendorff's correction for small samples smaller, and nothing else.
    assert np.array(ends[1]) == pytest.approx(np.array(ends[0]), abs=0.01)
    alone = ma.reliability(copied, resamples=100)
    assert noted(two, "units-together", axis="inputs", n=8)
    for of in ("raters", "table"):
        wide, narrow = ([r.high - r.low for r in getattr(each, of) if not math.isnan(r.low)] for each in (two, alone))
        assert sum(wide) > 1.05 * sum(narrow)
