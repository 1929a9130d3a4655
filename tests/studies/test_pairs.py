"""The study of score differences: what it selects, what it says, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import metassay as ma
from metassay.errors import DataError, UnknownName, UsageError

from .conftest import noted

QUICK = {"resamples": 60, "threads": 1}
PAPER_METRICS = (
    "AutoSummENG,MeMoG,NPowER,bertscore_recall,BEwTE_f1,METEOR,MoverScore,qa-eval_f1,"
    "rouge-1_f1,rouge-2_f1,rouge-l_f1,rouge-su4_f1,s3_resp"
)


def made_up(systems=8, inputs=10, seed=0, **options):
    random = np.random.default_rng(seed)
    latent = random.normal(size=(systems, 1)) + random.normal(size=(systems, inputs))
    return ma.Scores.from_arrays(
        {
            "close": latent + 0.5 * random.normal(size=latent.shape),
            "rough": latent + 4 * random.normal(size=latent.shape),
        },
        {"people": np.clip(np.round(latent + 3), 1, 5)},
        **options,
    )


def of(result, kind, metric="close"):
    return [row for row in result.table if row.kind == kind and row.metric == metric]


def numbers(row):
    return (row.n_pairs, row.n_ties, row.estimate, row.low, row.high, row.agreement, row.agreement_low)


def test_by_hand():
    # Metric means 1, 2, 2, 4 and people's 2, 1, 3, 3; the pairs, ascending by |Δ|:
    #   0 tied in the metric; 1 against; 1 for; 2 for; 2 tied by people; 3 for
    scores = ma.Scores.from_arrays({"m": [[1], [2], [2], [4]]}, {"h": [[2], [1], [3], [3]]})
    result = ma.pairs(scores, bounds=[(0, 1), (1, 2)], shares=[0.5, 1], interval="boot-systems", resamples=20)
    first, second, half, every = (row for row in result.table if row.kind in ("bounds", "share"))
    assert (first.n_pairs, first.n_ties, first.share) == (3, 1, 0.5)
    assert_allclose((first.estimate, first.agreement), (0, 1 / 2))
    # Δ(1, 2): P = 2, Q = 1, U = 1
    assert_allclose((second.estimate, second.agreement), (1 / math.sqrt(3 * 4), 2 / 3))
    # The closest half, 3 of 6, end at 1.
    assert (half.lower, half.upper, half.n_pairs) == (0, 1, 3)
    assert numbers(half) == numbers(first)
    assert (every.upper, every.n_pairs, every.n_ties) == (3, 6, 2)
    assert_allclose(every.estimate, stats.kendalltau([1, 2, 2, 4], [2, 1, 3, 3]).statistic)


def test_all_pairs_are_the_agreement_of_agree():
    """Without a limit, point and interval are those of tau-b at system level, from the same draws."""
    scores = made_up()
    for interval in ("boot-both", "boot-systems", "boot-inputs"):
        found = ma.pairs(scores, bounds="0:", interval=interval, **QUICK)
        expected = ma.agree(scores, level="system", interval=interval, **QUICK)
        for row in expected.table:
            (mine,) = of(found, "bounds", row.metric)
            assert (mine.estimate, mine.resamples_undefined) == (row.estimate, row.resamples_undefined)
            assert_allclose((mine.low, mine.high), (row.low, row.high), rtol=1e-12)
            assert of(found, "share", row.metric)[-1].estimate == row.estimate


def test_shares_are_the_first_line_of_the_triangle_and_both_are_bounds():
    scores = made_up()
    result = ma.pairs(scores, triangle=True, **QUICK)
    triangle, shares = of(result, "triangle"), of(result, "share")
    assert len(triangle) == 55
    assert [numbers(row) for row in triangle[:10]] == [numbers(row) for row in shares]
    assert [row.n_pairs for row in shares] == [math.ceil(28 * s / 10) for s in range(1, 11)]
    again = ma.pairs(scores, bounds=[(row.lower, row.upper) for row in triangle], metric="close", **QUICK)
    assert [numbers(row) for row in of(again, "bounds")] == [numbers(row) for row in triangle]
    for row in triangle:
        # 28 pairs are not a multiple of 10: rounding up at both ends may move a pair.
        assert abs(row.n_pairs - 28 * row.share) < 1
        if row.share_below:
            below = next(r for r in shares if math.isclose(r.share, row.share_below))
            assert row.lower > below.upper


def test_a_grid_finer_than_the_pairs_has_empty_cells_and_says_so():
    scores = made_up(systems=3)
    result = ma.pairs(scores, metric="close", triangle=10, shares=None, **QUICK)
    empty = [row for row in of(result, "triangle") if row.n_pairs == 0]
    assert empty
    assert all(math.isnan(v) for row in empty for v in (row.lower, row.upper, row.estimate, row.low, row.agreement))
    assert noted(result, "gap-without-pairs", metric="close")


def test_threads_and_order_change_nothing():
    scores = made_up()
    options = {"triangle": 5, "bounds": "0:0.5", "resamples": 3000, "seed": 3}
    one = ma.pairs(scores, threads=1, **options)
    assert one.to_json() == ma.pairs(scores, threads=3, **options).to_json()
    alone = ma.pairs(scores, metric="rough", **options)
    assert [numbers(r) for r in of(one, "share", "rough")] == [numbers(r) for r in of(alone, "share", "rough")]


def test_the_scale_of_a_metric_scales_bounds_and_nothing_else():
    scores = made_up()
    hundred = ma.Scores.from_arrays({"close": 100 * scores.matrix("close") + 7}, {"people": scores.matrix("people")})
    one = ma.pairs(scores, metric="close", bounds="0:0.4", **QUICK)
    other = ma.pairs(hundred, metric="close", bounds="0:40", **QUICK)
    for a, b in zip(one.table, other.table, strict=True):
        assert_allclose((100 * a.lower, 100 * a.upper), (b.lower, b.upper), rtol=1e-9)
        assert (a.n_pairs, a.n_ties) == (b.n_pairs, b.n_ties)
        if a.kind == "needed":
            assert_allclose((100 * a.estimate, 100 * a.low), (b.estimate, b.low), rtol=1e-9)
        else:
            assert_allclose((a.estimate, a.low, a.agreement), (b.estimate, b.low, b.agreement), rtol=1e-9)


def test_lower_is_better_turns_the_sign():
    up, down = made_up(), made_up(lower_is_better=["close"])
    for a, b in zip(of(ma.pairs(up, **QUICK), "share"), of(ma.pairs(down, **QUICK), "share"), strict=True):
        assert_allclose((a.estimate, a.upper, a.agreement), (-b.estimate, b.upper, 1 - b.agreement))


def test_missing_cells_leave_their_means_and_their_systems():
    scores = made_up()
    holed = scores.matrix("close").copy()
    holed[0] = np.nan
    holed[1:, ::3] = np.nan
    human = scores.matrix("people")
    result = ma.pairs(ma.Scores.from_arrays({"m": holed}, {"h": human}), **QUICK)
    row = of(result, "share", "m")[-1]
    assert (row.n_systems, row.n_pairs) == (7, 21)
    expected = stats.kendalltau(np.nanmean(holed[1:], axis=1), np.round(human[1:].mean(axis=1), 9)).statistic
    assert_allclose(row.estimate, expected)
    assert noted(result, "systems-without-scores", column="m", systems=("system-1",))


def test_what_is_undefined_is_nan_and_counted():
    flat = ma.Scores.from_arrays(
        {"flat": np.ones((4, 3)), "m": np.arange(12.0).reshape(4, 3)}, {"h": np.arange(12.0).reshape(4, 3) ** 2}
    )
    result = ma.pairs(flat, bounds="0:0.1", interval="boot-systems", resamples=200)
    row = of(result, "share", "flat")[-1]
    assert (row.n_pairs, row.n_ties, row.resamples_undefined, row.agreement_undefined) == (6, 6, 200, 200)
    assert all(math.isnan(v) for v in (row.estimate, row.low, row.high, row.agreement, row.agreement_low))
    (none,) = of(result, "bounds", "m")
    assert (none.n_pairs, none.share) == (0, 0)
    assert math.isnan(none.estimate)
    # In 4 · 4⁻⁴ = 1 of 64 resamples only one system is drawn, four times: no pair is left.
    every = of(result, "share", "m")[-1]
    assert 0 < every.resamples_undefined < 15
    assert (every.estimate, every.low, every.high) == (1, 1, 1)
    assert noted(result, "gap-without-pairs", metric="m", place=("bounds", 0.0, 0.1))
    assert noted(result, "gap-all-tied", metric="flat")
    assert noted(result, "gap-resamples-undefined", n=200, resamples=200)
    assert noted(result, "curve-undefined", metric="flat")


def test_what_is_undefined_in_the_data_has_no_interval():
    # Between the two smallest of the six differences there is no pair, although resamples may have some there.
    scores = made_up(systems=4)
    first, second = (row.upper for row in of(ma.pairs(scores, shares=[1 / 6, 2 / 6], **QUICK), "share"))
    between = (0.9 * first + 0.1 * second, 0.1 * first + 0.9 * second)
    (row,) = of(ma.pairs(scores, metric="close", bounds=[between], **QUICK), "bounds")
    assert row.n_pairs == 0
    assert row.resamples_undefined < row.resamples
    assert math.isnan(row.low)


def test_the_curve_in_rows_is_the_curve():
    result = ma.pairs(made_up(), **QUICK)
    assert [(c.metric, c.human) for c in result.curves] == [("close", "people"), ("rough", "people")]
    curve = result.curves[0]
    points = of(result, "curve")
    assert (points[0].upper, points[0].agreement, points[0].agreement_low) == (0, 0.5, 0.5)
    assert points[-1].upper == curve.largest == of(result, "share")[-1].upper
    for row in points:
        assert_allclose((row.agreement, row.agreement_low, row.agreement_high), curve.chance(row.upper))
        assert row.agreement_low <= row.agreement <= row.agreement_high
        assert math.isnan(row.estimate)
    assert [row.agreement for row in of(result, "needed")] == [0.8, 0.9, 0.95]
    for row in of(result, "needed"):
        assert_allclose((row.estimate, row.low, row.high), curve.needed(row.agreement))
        assert_allclose(curve.chance(row.estimate)[0], row.agreement)
        assert row.low <= row.estimate <= row.high
    with pytest.raises(UsageError, match=r"over 0\.5"):
        curve.needed(0.4)


def test_a_metric_against_people_never_reaches_agreement():
    x = np.arange(6.0)[:, None] + np.zeros((6, 4))
    result = ma.pairs(ma.Scores.from_arrays({"m": x}, {"h": -x}), **QUICK)
    assert result.curves[0].slope == -math.inf
    assert [row.estimate for row in of(result, "needed", "m")] == [math.inf] * 3
    assert noted(result, "gap-never-enough", metric="m", human="h")
    assert '"estimate": null' in result.to_json()
    perfect = ma.pairs(ma.Scores.from_arrays({"m": x}, {"h": x}), **QUICK)
    assert perfect.curves[0].slope == math.inf
    assert [row.estimate for row in of(perfect, "needed", "m")] == [0.0] * 3


def test_without_curve_there_is_none():
    result = ma.pairs(made_up(), curve=False, **QUICK)
    assert result.curves == ()
    assert {row.kind for row in result.table} == {"share"}
    assert "curve" not in str(result.signature)


def test_metrics_may_have_more_inputs_than_people():
    random = np.random.default_rng(1)
    x, z = random.random((2, 6, 30))
    z[:, 10:] = np.nan
    scores = ma.Scores.from_arrays({"m": x}, {"h": z})
    result = ma.pairs(scores, bounds="0:", **QUICK)
    expected = ma.agree(scores, level="system", interval="boot-both", **QUICK).table[0]
    (row,) = of(result, "bounds", "m")
    assert_allclose((row.estimate, row.low, row.high), (expected.estimate, expected.low, expected.high))
    assert noted(result, "inputs-unpaired", n=10, inputs=30, how="interval")
    only = ma.pairs(scores, bounds="0:", inputs="annotated", **QUICK)
    cut = ma.pairs(ma.Scores.from_arrays({"m": x[:, :10]}, {"h": z[:, :10]}), bounds="0:", **QUICK)
    assert numbers(of(only, "bounds", "m")[0]) == numbers(of(cut, "bounds", "m")[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bounds": [(1, 0.5)]}, "0 <= lower <= upper, got 1:0.5"),
        ({"bounds": "-1:2"}, "0 <= lower <= upper, got -1:2"),
        ({"bounds": [(math.nan, 1)]}, "0 <= lower <= upper"),
        ({"bounds": [(math.inf, math.inf)]}, "0 <= lower <= upper"),
        ({"bounds": "0.5"}, "pairs LOWER:UPPER of numbers, such as 0:0.5, got '0.5'"),
        ({"bounds": [(0, 1, 2)]}, "pairs LOWER:UPPER"),
        ({"bounds": [3]}, "pairs LOWER:UPPER"),
        ({"bounds": "a:b"}, "pairs LOWER:UPPER"),
        ({"shares": [0]}, r"shares must lie in \(0, 1\], got 0"),
        ({"shares": [10]}, r"got 10; did you mean 0\.1"),
        ({"shares": "0.1,x"}, "shares must be numbers, got 'x'"),
        ({"shares": None, "curve": False}, "nothing to compute"),
        ({"triangle": 1}, "triangle must be a whole number of at least 2"),
        ({"triangle": 2.5}, "triangle must be a whole number"),
        ({"confidence": 95}, "did you mean 0.95"),
        ({"resamples": 0}, "resamples must be a whole number"),
        ({"threads": 0}, "threads must be a whole number of at least 1"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(UsageError, match=message):
        ma.pairs(made_up(), **options)


def test_fishers_interval_is_not_for_selected_pairs():
    with pytest.raises(UnknownName, match="boot-systems, boot-inputs, boot-both"):
        ma.pairs(made_up(), interval="fisher")


@pytest.mark.parametrize("systems", [1, 2])
def test_a_share_of_pairs_needs_more_than_one_pair(systems):
    with pytest.raises(DataError, match="systems, got"):
        ma.pairs(made_up(systems=systems))


def test_text_and_tuples_ask_for_the_same():
    scores = made_up()
    one = ma.pairs(scores, bounds="0:0.5, 0.5:", shares="0.2,1", **QUICK)
    other = ma.pairs(scores, bounds=[(0, 0.5), (0.5, math.inf)], shares=(0.2, 1.0), **QUICK)
    assert one.to_json() == other.to_json()
    assert one.signature["bounds"] == "0:0.5,0.5:inf"
    assert {row.kind for row in ma.pairs(scores, shares="none", **QUICK).table} == {"curve", "needed"}


# -- words and tables ---------------------------------------------------------------------------


def test_the_practical_reading_in_words():
    scores = ma.Scores.from_arrays({"m": [[1], [2], [2], [4]]}, {"h": [[2], [1], [3], [3]]})
    text = ma.pairs(scores, bounds="0:1,1:2,9:", **QUICK).to_text(view="words", width=400)
    assert (
        "Of system pairs within 1 point of m, people agree with the metric in 50% (3 pairs, 1 of them tied, 95% "
        in text
    )
    assert "; of system pairs 1 to 2 points apart in 67% (4 pairs, 1 of them tied, " in text
    assert "; no system pairs lie at least 9 points apart." in text
    assert "Agreement on 80% of pairs needs a difference of about" in text


@pytest.mark.parametrize("view", ["list", "matrix", "triangle", "needed", "curve", "words", "rows", None])
def test_every_view_shows_something(view):
    result = ma.pairs(made_up(), bounds="0:0.5,7:8", triangle=3, **QUICK)
    for width in (80, 100):
        text = result.to_text(view=view, width=width)
        assert "close" in text
        assert max(map(len, text.splitlines()[:-1])) <= width or view == "rows"
    for render in (result.to_markdown, result.to_latex, result.to_html):
        assert "close" in render(view=view)
    bare = ma.pairs(made_up(), curve=False, shares=None, bounds="7:8", **QUICK)
    assert bare.to_text(view=view)


# -- published data -----------------------------------------------------------------------------


def folder(path):
    return ma.read(*sorted(path.glob("*.jsonl")))


def test_summeval(shared_data):
    """Less agreement on close pairs than on all pairs, as in Figure 6 of the 2022 paper, on 100 inputs."""
    scores = folder(shared_data / "summeval" / "scores")
    result = ma.pairs(scores, human="expert_relevance", metric=PAPER_METRICS, bounds="0:0.5", **QUICK)
    shares = of(result, "share", "bertscore_recall")
    assert [row.n_pairs for row in shares] == list(range(12, 121, 12))
    assert_allclose([shares[1].estimate, shares[-1].estimate], [0.25, 0.75])
    (rouge,) = of(result, "bounds", "rouge-1_f1")
    assert rouge.n_pairs == 29
    assert_allclose(rouge.estimate, 11 / 29)
    for metric in PAPER_METRICS.split(","):
        x, z = scores.matrix(metric).mean(axis=1), scores.matrix("expert_relevance").mean(axis=1)
        expected = stats.kendalltau(x.round(9), z.round(9)).statistic
        assert_allclose(of(result, "share", metric)[-1].estimate, expected)


def test_realsumm(shared_data):
    """ROUGE-1 recall orders systems within half a point like chance, and all of them well (the paper: 0 and .73)."""
    scores = folder(shared_data / "realsumm" / "scores")
    result = ma.pairs(scores, metric="rouge-1_recall", bounds="0:0.005", **QUICK)
    (close,) = of(result, "bounds", "rouge-1_recall")
    assert close.n_pairs == 15
    assert_allclose(close.estimate, -1 / 15)
    assert_allclose(of(result, "share", "rouge-1_recall")[-1].estimate, 0.754, atol=5e-4)


def test_a_metric_without_any_score_has_no_pairs():
    scores = ma.Scores.from_arrays(
        {"gone": np.full((4, 3), np.nan), "m": np.arange(12.0).reshape(4, 3)}, {"h": np.arange(12.0).reshape(4, 3)}
    )
    result = ma.pairs(scores, bounds="0:1", triangle=2, **QUICK)
    rows = [row for row in result.table if row.metric == "gone"]
    assert all(row.n_pairs == 0 for row in rows)
    assert all(math.isnan(row.estimate) for row in rows)
    assert noted(result, "gap-without-pairs", metric="gone")
    for view in ("list", "matrix", "triangle", "needed", "curve", "words", "rows"):
        assert "gone" in result.to_text(view=view)
