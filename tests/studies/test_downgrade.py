from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import metassay as ma

from .conftest import noted


@pytest.fixture
def before():
    """Five systems, each half a point better than the next, on twenty inputs."""
    random = np.random.default_rng(0)
    quality = np.array([3.0, 2.5, 2.0, 1.5, 1.0])[:, None]
    values = quality + 0.4 * random.normal(size=(5, 20))
    return ma.Scores.from_arrays({"alert": values, "deaf": values + 0.01}, systems=list("abcde"))


def damaged(scores, loss, metric="alert"):
    """Take something off the scores of one metric; the other stays as it is."""
    values = {name: scores.matrix(name) - (loss if name == metric else 0.0) for name in scores.columns}
    return ma.Scores.from_arrays(values, systems=scores.systems, inputs=scores.inputs)


def test_an_alert_metric_notices_and_a_deaf_one_does_not(before):
    result = ma.downgrade(before, ma.Damaged(damaged(before, 2.2), "shuffle", "coherence"))
    alert, deaf = result.counts
    assert (alert.metric, alert.n_systems, alert.n_testable, alert.n_noticed) == ("alert", 5, 4, 4)
    assert (alert.share, alert.high) == (1.0, 1.0)
    assert (deaf.n_noticed, deaf.n_fell, deaf.share, deaf.low) == (0, 0, 0.0, 0.0)
    assert 0 < deaf.high < 1
    assert deaf.mean_change == pytest.approx(0.0)
    first = result.table[0]
    assert (first.metric, first.human, first.kind, first.system) == ("alert", "coherence", "shuffle", "a")
    assert (first.rank_before, first.rank_after, first.n_lower, first.passed_by) == (1, 5, 4, 4)
    assert first.change == pytest.approx(-2.2)


def test_the_lowest_system_cannot_be_noticed_and_leaves_the_share(before):
    last = ma.downgrade(before, damaged(before, 9.0), metric="alert").table[-1]
    assert (last.system, last.n_lower, last.noticed) == ("e", 0, None)
    assert last.fell


def test_a_small_loss_falls_without_a_downgrade(before):
    random = np.random.default_rng(1)
    loss = 0.05 + 0.02 * random.normal(size=(5, 20))
    (count,) = ma.downgrade(before, damaged(before, loss), metric="alert").counts
    assert (count.n_noticed, count.n_fell) == (0, 5)
    spread = before.matrix("alert").mean(axis=1).std(ddof=1)
    assert count.mean_change == pytest.approx(-loss.mean() / spread)


@pytest.mark.parametrize("test", ["paired-t", "wilcoxon"])
def test_significantly_lower_is_what_scipy_says(before, test):
    values = before.matrix("alert").copy()
    values[1] = values[0] - 0.05 * np.arange(20) % 0.3  # close to the first
    scores = ma.Scores.from_arrays({"m": values}, systems=before.systems)
    result = ma.downgrade(scores, damaged(scores, 1.0, "m"), test=test, alpha=0.01)
    judge = stats.ttest_rel if test == "paired-t" else stats.wilcoxon
    for at, row in enumerate(result.table):
        lower = [
            k
            for k in range(5)
            if k != at and judge(values[at], values[k]).pvalue <= 0.01 and values[at].mean() > values[k].mean()
        ]
        assert row.n_lower == len(lower)
        assert row.passed_by == sum(values[k].mean() > values[at].mean() - 1 for k in lower)


def test_whether_the_score_fell_is_a_one_sided_paired_test(before):
    random = np.random.default_rng(2)
    after = damaged(before, 0.1 * random.normal(size=(5, 20)))
    for row in ma.downgrade(before, after, metric="alert").table:
        at = before.systems.index(row.system)
        old, new = before.matrix("alert")[at], after.matrix("alert")[at]
        assert row.p_value == pytest.approx(stats.ttest_rel(old, new, alternative="greater").pvalue)
        assert row.fell == (row.p_value <= 0.05)


def test_files_with_the_former_word_in_the_signature_load(before, tmp_path):
    result = ma.downgrade(before, ma.Damaged(damaged(before, 2.2), "shuffle", "coherence"), metric="alert")
    assert "|corrupt:shuffle@1|" in str(result.signature)
    path = tmp_path / "former.json"
    path.write_text(result.to_json().replace("|corrupt:", "|damage:"))
    former = ma.load(path)
    assert former.table == result.table
    assert "|damage:shuffle@1|" in str(former.signature)


def test_rates_make_a_curve(before):
    after = [ma.Damaged(damaged(before, 2.2 * rate), "shuffle", "coherence", rate) for rate in (0.1, 0.25, 0.5, 1.0)]
    counts = ma.downgrade(before, after, metric="alert").counts
    assert [count.rate for count in counts] == [0.1, 0.25, 0.5, 1.0]
    shares = [count.share for count in counts]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)


def test_only_damaged_systems_have_rows(before):
    after = damaged(before, 2.2).select(systems=["b", "d"])
    result = ma.downgrade(before, after, metric="alert")
    assert [row.system for row in result.table] == ["b", "d"]
    assert result.counts[0].n_systems == 2


def test_labels_may_stand_in_any_order_and_inputs_be_missing(before):
    whole = ma.downgrade(before, damaged(before, 1.0), metric="alert")
    turned = damaged(before, 1.0).select(systems=list("edcba"), inputs=before.inputs[::-1])
    again = ma.downgrade(before, turned, metric="alert")
    for one, other in zip(whole.table, again.table, strict=True):
        assert (one.system, one.rank_after, one.passed_by) == (other.system, other.rank_after, other.passed_by)
        assert one.mean_after == pytest.approx(other.mean_after)
    few = ma.downgrade(before, turned.select(inputs=before.inputs[:7]), metric="alert")
    assert {row.n_inputs for row in few.table} == {7}
    assert noted(few, "inputs-scored-partly")


def test_low_scores_that_are_good(before):
    turned = ma.Scores.from_arrays(
        {"errors": -before.matrix("alert")}, systems=before.systems, inputs=before.inputs, lower_is_better=["errors"]
    )
    # more errors after the damage; that file does not say which way is up
    after = ma.Scores.from_arrays(
        {"errors": 2.2 - before.matrix("alert")}, systems=before.systems, inputs=before.inputs
    )
    (count,) = ma.downgrade(turned, after).counts
    assert (count.n_noticed, count.n_testable) == (4, 4)


def test_unchanged_scores_are_undefined_not_significant(before):
    row = ma.downgrade(before, before, metric="alert").table[0]
    assert math.isnan(row.p_value)
    assert not row.fell
    assert row.rank_after == row.rank_before


@pytest.mark.parametrize(
    ("after", "options", "message"),
    [
        ("same", {"metric": "nobody"}, "nobody"),
        ("same", {"test": "unpaired-t"}, "paired-t"),
        ("same", {"alpha": 5}, "did you mean 0.05"),
        ("other systems", {}, "no corrupted system"),
        ("other metrics", {}, "no metric was scored both"),
        ("other metrics", {"metric": "alert"}, "no scores after the corruption for alert"),
        ("nothing", {}, "no corrupted scores"),
        ("twice", {}, "given twice"),
        ("a number", {}, "expected Scores"),
    ],
)
def test_what_cannot_be_compared_is_told(before, after, options, message):
    given = {
        "same": before,
        "other systems": ma.Scores.from_arrays({"alert": np.zeros((2, 2))}),
        "other metrics": ma.Scores.from_arrays({"x": np.zeros((5, 20))}, systems=before.systems),
        "nothing": [],
        "twice": [ma.Damaged(before), ma.Damaged(before)],
        "a number": [7],
    }[after]
    with pytest.raises(ma.MetassayError, match=message):
        ma.downgrade(before, given, **options)


def test_how_many_outputs_changed_is_told(before):
    after = [ma.Damaged(damaged(before, 1.0), "swap", rate=1.0, changed=0.529), ma.Damaged(before, "all", changed=1.0)]
    assert noted(ma.downgrade(before, after), "damage-incomplete", changed=(("swap", 1.0, 0.529),))
    assert not noted(ma.downgrade(before, before), "damage-incomplete")
    assert ma.downgrade(before, after).rows("counts")[0]["kind"] == "swap"


def test_votes_on_damaged_outputs_beside_what_metrics_say(before):
    # Ernst et al. (2023), appendix B: 20 inputs, three people, and 13, 16 and 15 of them for the intact output
    after = ma.Damaged(damaged(before, 2.2), "shuffle", "coherence")
    rows = []
    for against, intact in (("c", 13), ("d", 16), ("e", 15)):
        for at, key in enumerate(before.inputs):
            good = at < intact
            for person in range(3):
                # one person is wrong, and every other pair is written the other way round
                says = good != (person == 2)
                pair = (against, "a@shuffle") if at % 2 else ("a@shuffle", against)
                rows.append((*pair, against if says else "a@shuffle", key, f"annotator{person}"))
    a, b, won, inputs, raters = zip(*rows, strict=True)
    result = ma.downgrade(before, after, votes=ma.Votes.from_arrays(a, b, won, inputs=inputs, raters=raters))
    alert = [row for row in result.votes if row.metric == "alert"]
    assert [(row.against, row.preferred, row.n_inputs) for row in alert] == [
        ("c", 0.65, 20),
        ("d", 0.8, 20),
        ("e", 0.75, 20),
    ]
    assert alert[1].p_value == pytest.approx(stats.binomtest(16, 20).pvalue)
    damage = before.matrix("alert")[0] - 2.2
    assert [row.metric_preferred for row in alert] == [(before.matrix("alert")[at] > damage).mean() for at in (2, 3, 4)]
    deaf = [row.metric_preferred for row in result.votes if row.metric == "deaf"]
    assert max(deaf) < 0.2
    assert "people prefer the intact output on 73% of inputs" in " ".join(str(result).split())
    assert ma.Downgrade.tables() == ("table", "counts", "votes")


def test_votes_on_what_was_not_scored(before):
    after = ma.Damaged(damaged(before, 1.0), "shuffle")
    own = ma.Votes.from_arrays(["a@shuffle", "z@shuffle"], ["a", "b"], ["b", "b"], inputs=[before.inputs[0]] * 2)
    result = ma.downgrade(before, after, votes=own, metric="alert")
    assert [(row.system, row.against, row.preferred, row.metric_preferred) for row in result.votes] == [
        ("a", "a", 1, 1)
    ]
    assert noted(result, "votes-on-strangers", systems=("z",))
    plain = ma.Votes.from_arrays(["a"], ["b"], ["a"])
    with pytest.raises(ma.DataError, match="call one of the two systems SYSTEM@KIND, such as a@shuffle"):
        ma.downgrade(before, after, votes=plain)
