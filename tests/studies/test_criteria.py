from __future__ import annotations

import math

import numpy as np
import pytest

import metassay as ma
from metassay.errors import UsageError
from metassay.stats.draws import INPUTS, SYSTEMS, multiplicities, stream
from metassay.studies.criteria_parts import bucket_edges
from properties.literal import vectors

from .conftest import noted

METHODS = ("bucket", "partial", "partial-formula")


def judgments(values):
    """Return scores on a scale of 1 to 5."""
    return np.clip(np.round(values), 1, 5)


def planted(systems=24, inputs=60, seed=0):
    """People judge relevance, and fluency that goes with it. One metric sees only relevance, one only fluency."""
    random = np.random.default_rng(seed)
    quality = random.normal(size=(systems, 1))
    relevance = judgments(3 + 0.7 * quality + 0.7 * random.normal(size=(systems, inputs)))
    fluency = judgments(0.7 * relevance + 1 + 0.7 * random.normal(size=relevance.shape))
    return ma.Scores.from_arrays(
        {
            "borrower": relevance + random.normal(size=relevance.shape),
            "honest": fluency + random.normal(size=relevance.shape),
            "noise": random.normal(size=relevance.shape),
        },
        {"relevance": relevance, "fluency": fluency},
    )


def row_of(result, metric, criterion, anchor, method="bucket", level="global"):
    (row,) = [
        r
        for r in result.table
        if (r.metric, r.human, r.anchor, r.method, r.level) == (metric, criterion, anchor, method, level)
    ]
    return row


@pytest.fixture(scope="module", params=["jackknife", "boot-both"])
def found(request):
    return ma.criteria(planted(), method=METHODS, interval=request.param, resamples=400)


@pytest.mark.parametrize("method", METHODS)
def test_a_planted_confounder_is_found(found, method):
    row = row_of(found, "borrower", "fluency", "relevance", method)
    assert row.low > 0.1
    assert row.relative_difference > 0.8
    if method == "partial-formula":  # Kendall's formula leaves a little even where residuals are independent
        assert row.verdict in ("vanishes", "shrinks")
    else:
        assert row.within_low < 0 < row.within_high
        assert row.verdict == "vanishes"


@pytest.mark.parametrize("method", METHODS)
def test_a_true_agreement_survives(found, method):
    assert row_of(found, "honest", "fluency", "relevance", method).verdict == "survives"
    assert row_of(found, "borrower", "relevance", "fluency", method).verdict == "survives"
    # and what the honest one has of relevance is borrowed from fluency
    assert row_of(found, "honest", "relevance", "fluency", method).verdict in ("vanishes", "shrinks")


@pytest.mark.parametrize("method", METHODS)
def test_noise_and_little_data_are_called_thin(found, method):
    assert row_of(found, "noise", "fluency", "relevance", method).verdict == "undecided"
    worlds = [
        ma.criteria(planted(systems=4, inputs=5, seed=k), metric="borrower", method=method, resamples=100)
        for k in range(10)
    ]
    verdicts = [row_of(world, "borrower", "fluency", "relevance", method).verdict for world in worlds]
    assert verdicts.count("undecided") >= 8


def test_an_agreement_that_lost_most_but_not_all_shrinks():
    random = np.random.default_rng(1)
    relevance = judgments(3 + random.normal(size=(40, 200)))
    fluency = judgments(3 + 0.3 * random.normal(size=relevance.shape) + 0.9 * (relevance - 3))
    both = 3 * relevance + 0.8 * fluency + random.normal(size=relevance.shape)
    scores = ma.Scores.from_arrays({"m": both}, {"relevance": relevance, "fluency": fluency})
    row = row_of(ma.criteria(scores, method="bucket", resamples=300), "m", "fluency", "relevance")
    assert row.within_low > 0
    assert row.within_high < row.estimate / 2
    assert row.verdict == "shrinks"


def test_a_negative_agreement_is_judged_alike():
    scores = planted()
    turned = ma.Scores.from_arrays(
        {"borrower": -scores.matrix("borrower"), "honest": -scores.matrix("honest")},
        {"relevance": scores.matrix("relevance"), "fluency": scores.matrix("fluency")},
    )
    result = ma.criteria(turned, method="bucket", resamples=400)
    assert row_of(result, "borrower", "fluency", "relevance").verdict == "vanishes"
    assert row_of(result, "honest", "fluency", "relevance").verdict == "survives"
    assert row_of(result, "honest", "fluency", "relevance").estimate < 0


def test_verdicts_over_all_anchors_name_the_gravest(found):
    by = {(v.metric, v.human, v.method): v for v in found.verdicts}
    assert by["borrower", "fluency", "bucket"].verdict == "vanishes"
    assert by["borrower", "fluency", "bucket"].anchors == ("relevance",)
    assert len(by) == 3 * 2 * 3


def test_rows_agree_with_a_direct_computation(found):
    scores = planted()
    x, z, anchor = (scores.matrix(name).ravel() for name in ("honest", "fluency", "relevance"))
    row = row_of(found, "honest", "fluency", "relevance")
    assert row.estimate == pytest.approx(vectors(x, z, "kendall"))
    parts = [(vectors(x[anchor == b], z[anchor == b], "kendall"), (anchor == b).sum()) for b in np.unique(anchor)]
    within = sum(r * n for r, n in parts) / sum(n for _, n in parts)
    assert row.estimate_within == pytest.approx(within)
    assert row.relative_difference == pytest.approx(abs(row.estimate - within) / row.estimate)
    assert (row.n, row.n_buckets, row.n_undefined) == (24 * 60, 5, 0)


def test_two_criteria_stand_without_a_metric(found):
    scores = planted()
    z, anchor = scores.matrix("fluency"), scores.matrix("relevance")
    row = row_of(found, None, "fluency", "relevance")
    assert row.estimate == pytest.approx(vectors(z.ravel(), anchor.ravel(), "kendall"))
    # whole numbers do not vary within their bucket
    assert math.isnan(row.estimate_within)
    system = row_of(found, None, "fluency", "relevance", None, "system")
    assert system.estimate == pytest.approx(vectors(z.mean(axis=1), anchor.mean(axis=1), "kendall"))
    assert system.verdict is None
    assert system.n == 24


def test_statistics_without_slopes_leave_out_systems_and_inputs():
    chosen = {"metric": "honest", "method": "bucket", "statistic": "pairwise-accuracy"}
    row, drawn = (
        row_of(ma.criteria(planted(8, 10), **chosen, **how), "honest", "fluency", "relevance")
        for how in ({}, {"interval": "boot-both", "resamples": 100})
    )
    assert row.estimate == drawn.estimate
    assert row.within_low < row.estimate_within < row.within_high
    assert 0.5 < (row.high - row.low) / (drawn.high - drawn.low) < 1.5


def test_the_default_interval_needs_five_systems_and_draws_nothing():
    few = ma.criteria(planted(systems=4), metric="honest", method="bucket")
    row = row_of(few, "honest", "fluency", "relevance")
    assert (row.verdict, row.resamples, row.interval) == ("undecided", None, "jackknife")
    assert math.isnan(row.low)
    assert math.isnan(row.relative_high)
    assert "k:" not in str(few.signature)
    assert "seed" not in str(few.signature)


def test_a_relative_difference_from_nothing_has_no_interval(found):
    row = row_of(found, "noise", "fluency", "relevance")
    assert math.isnan(row.relative_high) == (row.interval == "jackknife")
    good = row_of(found, "honest", "fluency", "relevance")
    assert 0 <= good.relative_low <= good.relative_difference <= good.relative_high < 1


def test_resamples_are_the_shared_draws():
    scores = planted(systems=6, inputs=8)
    drawn = {"interval": "boot-both", "resamples": 50, "seed": 3}
    result = ma.criteria(scores, metric="honest", method="bucket", confidence=0.8, **drawn)
    row = row_of(result, "honest", "fluency", "relevance")
    rows = multiplicities(stream(3, SYSTEMS, 0), 6, 1024)[:, :50].astype(int)
    columns = multiplicities(stream(3, INPUTS, 0), 8, 1024)[:, :50].astype(int)
    matrices = [scores.matrix(name) for name in ("honest", "fluency")]
    literal = []
    for b in range(50):
        i, j = np.repeat(np.arange(6), rows[:, b]), np.repeat(np.arange(8), columns[:, b])
        literal.append(vectors(*(m[np.ix_(i, j)].ravel() for m in matrices), "kendall"))
    assert (row.low, row.high) == pytest.approx(tuple(np.nanquantile(literal, [0.1, 0.9])))


def test_buckets_of_resamples_are_those_of_copied_cells():
    scores = planted(systems=6, inputs=12)
    metric, fluency, relevance = (scores.matrix(name).copy() for name in ("honest", "fluency", "relevance"))
    metric = np.round(metric, 1)  # ties
    metric[0, :3], relevance[1, :4] = np.nan, np.nan
    buckets = np.floor(relevance + 0.5)
    fluency[buckets == np.nanmin(buckets)] = 3.0  # a bucket without a correlation
    made = ma.Scores.from_arrays({"m": metric}, {"fluency": fluency, "relevance": relevance})
    drawn = {"interval": "boot-both", "resamples": 40, "seed": 5, "confidence": 0.8}
    row = row_of(ma.criteria(made, method="bucket", **drawn), "m", "fluency", "relevance")
    rows = multiplicities(stream(5, SYSTEMS, 0), 6, 1024)[:, :40].astype(int)
    columns = multiplicities(stream(5, INPUTS, 0), 12, 1024)[:, :40].astype(int)
    literal = []
    for b in range(40):
        at = np.ix_(np.repeat(np.arange(6), rows[:, b]), np.repeat(np.arange(12), columns[:, b]))
        x, z, bucket = metric[at].ravel(), fluency[at].ravel(), buckets[at].ravel()
        parts = [
            (vectors(x[here], z[here], "kendall"), here.sum()) for here in _alike(bucket, ~np.isnan(x + z + bucket))
        ]
        known = [(r, size) for r, size in parts if not np.isnan(r)]
        literal.append(sum(r * size for r, size in known) / sum(size for _, size in known))
    assert row.n_undefined == 1
    assert (row.within_low, row.within_high) == pytest.approx(tuple(np.quantile(literal, [0.1, 0.9])), abs=1e-12)


def _alike(buckets, known):
    return [known & (buckets == each) for each in np.unique(buckets[known])]


@pytest.mark.parametrize("interval", ["jackknife", "boot-both"])
def test_threads_change_nothing(interval):
    one, three = (ma.criteria(planted(8, 12), interval=interval, resamples=60, threads=t) for t in (1, 3))
    assert one.to_json() == three.to_json()


def test_groups_have_medians_and_quartiles_with_intervals():
    result = ma.criteria(planted(), method="bucket", metric_group=["people=borrower,honest", "rest=*"], resamples=100)
    (one,) = [g for g in result.groups if (g.group, g.human, g.anchor) == ("people", "fluency", "relevance")]
    values = [row_of(result, m, "fluency", "relevance").relative_difference for m in ("borrower", "honest")]
    assert one.n_metrics == 2
    assert one.median == pytest.approx(np.median(values))
    assert one.lower_quartile == pytest.approx(np.quantile(values, 0.25))
    assert one.upper_quartile == pytest.approx(np.quantile(values, 0.75))
    assert one.median_low <= one.median_high
    assert one.lower_quartile_low <= one.upper_quartile_high
    assert [g.n_metrics for g in result.groups if g.group == "rest"] == [1, 1]


def test_missing_cells_leave_both_sides_of_the_comparison():
    scores = planted(8, 20)
    metric, relevance = scores.matrix("honest").copy(), scores.matrix("relevance").copy()
    metric[0, :5], relevance[1, :7] = np.nan, np.nan
    gaps = ma.Scores.from_arrays({"m": metric}, {"relevance": relevance, "fluency": scores.matrix("fluency")})
    row = row_of(ma.criteria(gaps, method="bucket", resamples=50), "m", "fluency", "relevance")
    both = ~np.isnan(metric) & ~np.isnan(relevance)
    assert row.n == both.sum() == 160 - 12
    assert row.estimate == pytest.approx(vectors(metric[both], scores.matrix("fluency")[both], "kendall"))


def test_an_anchor_without_a_cell_in_common_is_undefined():
    scores = planted(4, 10)
    metric, relevance = scores.matrix("honest").copy(), scores.matrix("relevance").copy()
    metric[:, :5], relevance[:, 5:] = np.nan, np.nan
    apart = ma.Scores.from_arrays({"m": metric}, {"relevance": relevance, "fluency": scores.matrix("fluency")})
    for statistic in ("kendall", "pearson"):
        result = ma.criteria(apart, method=METHODS, statistic=statistic, resamples=20)
        for method in METHODS:
            row = row_of(result, "m", "fluency", "relevance", method)
            assert (row.n, row.verdict) == (0, "undecided")
            assert math.isnan(row.estimate)
            assert math.isnan(row.estimate_within)
        assert noted(result, "correlation-undefined", pair=(("m", "relevance"),))


def test_a_metric_can_be_an_anchor_with_edges_of_its_own():
    random = np.random.default_rng(2)
    length = random.uniform(10, 90, size=(20, 40))
    people = judgments(1 + length / 20 + 0.5 * random.normal(size=length.shape))
    scores = ma.Scores.from_arrays(
        {"rouge": length + 20 * random.normal(size=length.shape), "length": length}, {"relevance": people}
    )
    edges = [20, 30, 40, 50, 60, 70, 80]
    result = ma.criteria(scores, anchor="length", edges=edges, method="bucket", resamples=100)
    row = row_of(result, "rouge", "relevance", "length")
    assert row.n_buckets == 8
    assert row.relative_difference > 0.7
    # length is not held fixed against itself
    assert {r.metric for r in result.table} == {None, "rouge"}
    assert "20/30/40/50/60/70/80" in str(result.signature)
    rough = ma.criteria(scores, anchor="length", method="bucket", resamples=100)
    assert noted(rough, "buckets-unsuitable", anchor="length")


def test_buckets_are_those_of_scores_as_given_where_low_is_good():
    random = np.random.default_rng(7)
    errors = np.round(2 * random.uniform(0, 3, size=(8, 30))) / 2  # halves: rounding must go up, not down
    z = judgments(4 - errors + random.normal(size=errors.shape))
    m = z + random.normal(size=errors.shape)
    rows = []
    for lower in ([], ["errors"]):
        scores = ma.Scores.from_arrays({"m": m}, {"z": z, "errors": errors}, lower_is_better=lower)
        rows.append(row_of(ma.criteria(scores, method="bucket", resamples=20), "m", "z", "errors"))
    assert rows[0].estimate_within == pytest.approx(rows[1].estimate_within)


def test_edges_are_read_in_every_form():
    anchors = ("a", "b")
    assert {k: v.tolist() for k, v in bucket_edges("1,2", anchors).items()} == {"a": [1, 2], "b": [1, 2]}
    assert {k: v.tolist() for k, v in bucket_edges(["a=1,2", "b=3"], anchors).items()} == {"a": [1, 2], "b": [3]}
    assert bucket_edges({"b": [0.5]}, anchors)["b"].tolist() == [0.5]
    assert bucket_edges([1.5, 2.5], anchors)["a"].tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"edges": "2,1"}, "ascending order"),
        ({"edges": "low,high"}, "must be numbers"),
        ({"edges": "speed=1"}, "which is not an anchor"),
        ({"edges": ["relevance=1", "2"]}, "all be NAME=NUMBERS or all numbers"),
        ({"method": "regress"}, "bucket, partial"),
        ({"interval": "fisher"}, "boot-systems"),
        ({"human": "relevance"}, "another one to hold fixed"),
        ({"metric_group": ["x=nothing*"]}, "metric in group 'x':"),
        ({"statistic": "kendall,pearson"}, "unknown statistic"),
    ],
)
def test_wrong_options_are_told(options, message):
    with pytest.raises(ma.MetassayError, match=message):
        ma.criteria(planted(4, 5), resamples=10, **options)


def test_any_number_of_criteria():
    scores = planted(6, 10)
    people = {f"c{k}": judgments(scores.matrix("relevance") + k % 2) for k in range(6)}
    result = ma.criteria(ma.Scores.from_arrays({"m": scores.matrix("honest")}, people), method="bucket", resamples=20)
    assert sum(row.metric == "m" for row in result.table) == 6 * 5
    assert sum(row.metric is None for row in result.table) == 2 * 6 * 5


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall-a", "kendall-c"])
def test_other_coefficients(statistic):
    scores = planted(8, 15)
    row = row_of(
        ma.criteria(scores, metric="honest", statistic=statistic, resamples=40),
        "honest",
        "fluency",
        "relevance",
        "partial",
    )
    x, z, anchor = (scores.matrix(name).ravel() for name in ("honest", "fluency", "relevance"))
    assert row.estimate == pytest.approx(vectors(x, z, statistic))
    rest = [np.round(v - np.polyfit(anchor, v, 1)[0] * anchor, 9) for v in (x, z)]
    assert row.estimate_within == pytest.approx(vectors(*rest, statistic))
    assert row.within_low < row.estimate_within < row.within_high


def test_edges_of_one_anchor_are_not_told_of_all():
    scores = planted(4, 8)
    humans = scores.humans

    def recipe(edges):
        return ma.criteria(scores, edges=edges, method="bucket", resamples=5).signature["buckets"]

    assert recipe(None) == "round-half-up"
    assert recipe("2,3") == "2/3"
    others = ";".join(f"{name}=round-half-up" for name in humans[1:])
    assert recipe({humans[0]: [2, 3]}) == f"{humans[0]}=2/3;{others}"


def test_verdicts_and_groups_are_rows_too(found):
    rows = found.rows("verdicts")
    assert [(row["metric"], row["verdict"]) for row in rows] == [(v.metric, v.verdict) for v in found.verdicts]
    assert [row["anchors"] for row in rows] == [", ".join(v.anchors) for v in found.verdicts]
    assert found.rows("groups")[0]["median"] == found.groups[0].median


@pytest.mark.parametrize("verb", [ma.criteria, ma.stability, ma.widths])
def test_studies_of_fixed_levels_suggest_statistics_and_no_level(example, verb):
    with pytest.raises(
        UsageError, match=r"acc-eq is not defined at system level .*; use another, such as pearson"
    ) as e:
        verb(example, statistic="acc-eq")
    assert "--level" not in str(e.value)
