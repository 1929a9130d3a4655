"""metassay rank: who wins, by votes and by scores, and what data that say little lead to."""

from __future__ import annotations

import csv
import math
from importlib.resources import files

import numpy as np
import pytest
from scipy import stats

import metassay as ma
from metassay.errors import DataError, FormatError, UnknownName, UsageError

VOTES = files("metassay") / "data" / "votes.csv"
PEOPLE = ("dora", "emil", "farah", "goran")
NAN = math.nan


def votes(*counts, **more):
    """Return votes from (a, b, wins, ties, losses)."""
    a, b, won = [], [], []
    for one, other, *each in counts:
        for what, n in zip(("a", "tie", "b"), each, strict=True):
            a += [one] * n
            b += [other] * n
            won += [what] * n
    return ma.Votes.from_arrays(a, b, won, **more)


def codes(result):
    return [note.code for note in result.notes]


def note(result, code):
    return next(each for each in result.notes if each.code == code)


@pytest.fixture(scope="module")
def example():
    return ma.read_votes(VOTES)


def test_two_systems_by_hand():
    # 30 : 10 is log 3 apart; the variance of a log odds is 1/30 + 1/10, and each strength has half of it
    result = ma.rank(votes(("x", "y", 30, 0, 10)), resample="votes")
    x, y = result.table
    assert (x.system, x.rank, x.rank_low, x.rank_high, y.rank_low) == ("x", 1, 1, 1, 2)
    assert x.estimate == pytest.approx(math.log(3) / 2)
    assert x.high - x.estimate == pytest.approx(1.959964 * math.sqrt(1 / 30 + 1 / 10) / 2, rel=1e-6)
    assert x.expected == pytest.approx(0.75)
    (pair,) = result.wins
    assert (pair.wins, pair.ties, pair.losses, pair.share, pair.chance) == (30, 0, 10, 0.75, pytest.approx(0.75))


def test_neighbours_have_the_number_of_votes_that_their_difference_needs():
    # log(60/40) = 0.405, standard error sqrt(1/60 + 1/40) = 0.204: 100 × ((1.960 + 0.842) × 0.204 / 0.405)² = 199
    votes = ma.Votes.from_arrays(["x"] * 100, ["y"] * 100, ["a"] * 60 + ["b"] * 40)
    result = ma.rank(votes, resample="votes")
    (row,) = result.gaps
    assert (row.system_a, row.system_b, row.n, row.needed) == ("x", "y", 100, 199)
    assert row.difference == pytest.approx(np.log(1.5))
    assert row.low == pytest.approx(np.log(1.5) - 1.959964 * np.sqrt(1 / 60 + 1 / 40))
    assert row.significant
    tied = ma.Votes.from_arrays(["x"] * 100, ["y"] * 100, ["a", "b"] * 50)
    assert ma.rank(tied, resample="votes").gaps[0].needed is None


def shifted(n, gap, seed=0):
    """Return scores of two systems on n inputs whose differences have mean `gap` and standard deviation 1."""
    random = np.random.default_rng(seed)
    own, apart = random.normal(size=(2, n))
    apart = (apart - apart.mean()) / apart.std(ddof=1) + gap
    return ma.Scores.from_arrays({"metric": np.stack([own + apart, own])})


@pytest.mark.parametrize(("pilot", "gap", "needed"), [(30, 1.2, 8), (100, 1.2, 8), (20, 0.5, 34), (100, 0.2, 199)])
def test_needed_inputs_have_the_power_that_they_promise(pilot, gap, needed):
    # the sizes of a paired t-test with a power of .8: 7.6, 33.4 and 198.2, rounded up
    (row,) = ma.rank(shifted(pilot, gap)).gaps
    assert row.needed == needed
    # Of 20,000 tests, a share of .8 to .83 is significant; beyond .79 and .84 by chance once in 4,000 at most.
    random = np.random.default_rng(pilot)
    drawn = random.normal(gap, size=(20_000, needed))
    found = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / math.sqrt(needed))
    assert 0.79 < (found > stats.t.ppf(0.975, needed - 1)).mean() < 0.84


def test_needed_votes_are_those_of_as_many_more_inputs():
    # equal votes on an input are worth one: 60 or 120 votes on 30 inputs have 29 degrees of freedom
    one = ["a"] * 20 + ["b"] * 10
    by = [str(n) for n in range(30)]
    two, four = (
        ma.rank(ma.Votes.from_arrays(["x"] * 30 * n, ["y"] * 30 * n, one * n, inputs=by * n)).gaps[0] for n in (2, 4)
    )
    assert (four.low, four.difference) == pytest.approx((two.low, two.difference))
    assert 2 * (two.needed - 1) < four.needed <= 2 * two.needed


@pytest.mark.parametrize("scores", [False, True])
def test_neighbours_have_the_interval_that_was_asked_for(example, scores):
    data = shifted(40, 0.3) if scores else example
    plain = ma.rank(data).gaps
    drawn = ma.rank(data, interval="bootstrap", resamples=400)
    assert {(row.interval, row.resamples) for row in plain} == {("sandwich", None)}
    assert {(row.interval, row.resamples) for row in drawn.gaps} == {("bootstrap", 400)}
    for one, other in zip(plain, drawn.gaps, strict=True):
        assert one.difference == other.difference
        assert (one.low, one.high) != (other.low, other.high)
        assert other.high - other.low == pytest.approx(one.high - one.low, rel=0.2)
        assert other.needed == pytest.approx(one.needed, rel=0.4)
        assert other.significant == (other.low > 0)
    told = [each for each in drawn.notes if each.code == "gaps-between-ranks"]
    assert all(each["low"] in {row.low for row in drawn.gaps} for each in told)
    for each in told:
        mine = [row for row in drawn.gaps if row.metric == each["metric"]]
        neighbours = {(row.system_a, row.system_b) for row in mine if not row.significant}
        assert neighbours <= {tuple(pair) for pair in each["same"]}


def test_without_an_interval_neighbours_claim_nothing():
    (row,) = ma.rank(ma.Scores.from_arrays({"metric": np.repeat([[3.0], [2.0]], 30, axis=1)})).gaps
    assert (row.difference, row.significant, row.needed, row.interval) == (1.0, False, None, "none")
    assert math.isnan(row.low)


def test_neighbours_differ_where_their_possible_ranks_do_not_meet(example):
    result = ma.rank(example, human="dora,emil,farah,goran")
    for metric in ("people", "judge"):
        rows = {row.system: row for row in result.table if row.metric == metric}
        for gap in (gap for gap in result.gaps if gap.metric == metric):
            assert gap.significant == (rows[gap.system_a].rank_high < rows[gap.system_b].rank)
    (told,) = (note for note in result.notes if note.code == "gaps-between-ranks")
    assert "all 15 pairs of systems differ significantly. The closest are juniper and larch" in str(told)


def test_other_statistics_are_not_noted_by_strengths(example):
    result = ma.rank(example, human="dora,emil,farah,goran", statistic="win-rate", resamples=50)
    assert not [note for note in result.notes if note.code == "gaps-between-ranks"]
    assert {row.statistic for row in result.gaps} == {"bradley-terry"}
    assert "Difference in strength: log odds" in result.to_text(view="gaps")
    (agreed,) = [note for note in result.notes if note.code == "rankings-agree"]
    assert "two rankings by Bradley-Terry strength" in str(agreed)


def test_the_golden_file(shared_data):
    voted = ma.read_votes(shared_data / "evalica" / "llmfao.csv")
    lines = csv.DictReader((shared_data / "evalica" / "llmfao-golden.csv").read_text(encoding="utf-8").splitlines())
    golden: dict[str, dict[str, float]] = {}
    for row in lines:
        golden.setdefault(row["algorithm"], {})[row["item"]] = float(row["score"])
    result = ma.rank(voted, statistic="bradley-terry,elo", resample="votes")
    power = {row.system: math.exp(row.estimate) for row in result.table if row.statistic == "bradley-terry"}
    total = sum(power.values())
    assert {s: p / total for s, p in power.items()} == pytest.approx(golden["bradley_terry"], rel=1e-9)
    elo = {row.system: row.estimate for row in result.table if row.statistic == "elo"}
    assert elo == pytest.approx(golden["elo"], abs=1e-9)
    davidson = ma.rank(voted, ties="davidson", resample="votes")
    logs = {s: math.log(score) for s, score in golden["newman"].items()}
    mean = np.mean(list(logs.values()))
    assert {r.system: r.estimate for r in davidson.table} == pytest.approx(
        {s: v - mean for s, v in logs.items()}, abs=1e-9
    )
    assert [row.rank for row in davidson.table] == sorted(row.rank for row in davidson.table)


def test_people_a_judge_and_whether_they_agree(example):
    result = ma.rank(example, human=PEOPLE, resamples=200)
    by = {(row.metric, row.system): row for row in result.table}
    truth = {"fir": 1.2, "hazel": 0.8, "juniper": 0.4, "larch": 0.0, "maple": -0.4, "oak": -0.8}
    assert {metric for metric, _ in by} == {"people", "judge"}
    assert all(by["people", s].low < strength - 0.2 < by["people", s].high for s, strength in truth.items())
    kendall, pearson = result.agreement
    assert (kendall.metric, kendall.human, kendall.statistic, kendall.n_systems) == ("judge", "people", "kendall", 6)
    assert kendall.estimate == 1
    assert 0.5 < kendall.low <= kendall.high == 1
    assert pearson.estimate > 0.98
    assert kendall.same + kendall.opposite + kendall.human_only + kendall.metric_only <= kendall.n_pairs == 15
    assert {row.rater: row.kind for row in result.raters} == {"judge": "metric"} | dict.fromkeys(PEOPLE, "human")
    assert ma.rank(example, human=PEOPLE, resamples=200) == result
    assert result == ma.rank(example, human=PEOPLE, resamples=200, threads=1)


@pytest.mark.slow
def test_bootstrap_and_sandwich_agree(example):
    robust, drawn = (
        ma.rank(example, human=PEOPLE, metric="judge", interval=how, resamples=400) for how in ("sandwich", "bootstrap")
    )
    for one, other in zip(robust.table, drawn.table, strict=True):
        assert (one.system, one.estimate, other.resamples) == (other.system, other.estimate, 400)
        assert other.high - other.low == pytest.approx(one.high - one.low, rel=0.2)


def test_what_is_said_twice_of_an_input_does_not_count_twice():
    one = votes(("x", "y", 30, 5, 10), ("y", "z", 20, 5, 12))
    two = votes(("x", "y", 60, 10, 20), ("y", "z", 40, 10, 24), inputs=[str(at // 2) for at in range(164)])
    single, double = (ma.rank(each).table[0] for each in (one, two))
    assert double.estimate == pytest.approx(single.estimate)
    # but for t in place of the normal distribution, and 82/81
    assert double.high - double.low == pytest.approx(single.high - single.low, rel=0.03)
    apart = ma.rank(two, resample="votes").table[0]
    assert apart.high - apart.low == pytest.approx((single.high - single.low) / math.sqrt(2), rel=0.02)


def test_raters_drawn_again(example):
    raters = ma.rank(example, human=PEOPLE, resample="raters", resamples=50)
    judge = [row for row in raters.table if row.metric == "judge"]
    assert all(math.isnan(row.low) and row.rank_low is None and row.interval == "none" for row in judge)
    assert {(n["metric"], n["n"]) for n in raters.notes if n.code == "few-clusters"} == {("people", 4), ("judge", 1)}
    assert not math.isnan(raters.agreement[1].low)


def test_position_is_found_and_held_equal():
    random = np.random.default_rng(0)
    strength = np.array([0.6, 0.0, -0.6])
    a, b = random.integers(0, 3, 6000), random.integers(0, 3, 6000)
    keep = a != b
    a, b = a[keep], b[keep]
    first = random.integers(0, 2, len(a))
    chance = 1 / (1 + np.exp(-(strength[a] - strength[b] + 0.5 * np.where(first == 0, 1, -1))))
    won = np.where(random.random(len(a)) < chance, "a", "b").tolist()
    names = np.array(["x", "y", "z"])
    voted = ma.Votes.from_arrays(names[a].tolist(), names[b].tolist(), won, first=first)
    result = ma.rank(voted, covariate="position")
    (row,) = result.covariates
    assert row.low < 0.5 < row.high
    assert row.chance == pytest.approx(1 / (1 + math.exp(-row.estimate)))
    assert row.p_value < 1e-6
    assert [r.estimate for r in result.table if r.statistic == "controlled"] == pytest.approx(strength, abs=0.1)


def test_length_from_texts_and_from_columns(tmp_path):
    random = np.random.default_rng(1)
    lines = ["model_a,model_b,winner,response_a,response_b,bold_a,bold_b"]
    for _ in range(800):
        a, b = random.permutation(["x", "y", "z"])[:2]
        one, other = random.integers(5, 40, 2)
        won = "a" if random.random() < 1 / (1 + np.exp(-1.0 * np.log2(one / other))) else "b"
        lines.append(f"{a},{b},{won},{'w ' * one},{'w ' * other},{one % 3},{other % 3}")
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(lines) + "\n")
    result = ma.rank(ma.read_votes(path), covariate="length,bold")
    length, bold = result.covariates
    assert (length.unit, length.low < 1 < length.high) == ("twice as long", True)
    assert bold.p_value > 0.01
    assert "1 SD" in bold.unit
    with pytest.raises(UsageError, match="no columns emoji_a and emoji_b"):
        ma.rank(ma.read_votes(path), covariate="emoji")
    with pytest.raises(DataError, match="must hold numbers"):
        ma.rank(ma.read_votes(path), covariate="response")
    with pytest.raises(UsageError, match="length needs the texts of both outputs"):
        ma.rank(votes(("x", "y", 3, 0, 1)), covariate="length")
    with pytest.raises(DataError, match="position is equal in both outputs of every vote, or unknown"):
        ma.rank(votes(("x", "y", 3, 0, 1)), covariate="position")


def test_scores_by_hand():
    random = np.random.default_rng(0)
    x = np.array([1.0, 0.0, -1.0])[:, None] + random.normal(size=(3, 50))
    scores = ma.Scores.from_arrays({"m": x}, {"h": x + random.normal(size=(3, 50))}, systems=["a", "b", "c"])
    result = ma.rank(scores, resamples=100)
    row = next(r for r in result.table if (r.metric, r.system) == ("m", "a"))
    assert row.estimate == pytest.approx(x[0].mean())
    assert (row.high - row.low) / 2 == pytest.approx(2.009575 * x[0].std(ddof=1) / math.sqrt(50), rel=1e-6)
    assert row.won == pytest.approx(((x[0] > x[1]).mean() + (x[0] > x[2]).mean()) / 2)
    assert [(r.metric, r.human, r.estimate) for r in result.agreement[:1]] == [("m", "h", 1.0)]
    assert next(w for w in result.wins if w.metric == "m").wins == (x[0] > x[1]).sum()
    with pytest.raises(UsageError, match="elo needs votes"):
        ma.rank(scores, statistic="elo")
    with pytest.raises(UsageError, match="covariate is an option for votes"):
        ma.rank(scores, covariate="length")


# -- edges ------------------------------------------------------------------------------------------------------------


def test_one_that_never_loses_is_held_and_said():
    result = ma.rank(votes(("x", "y", 9, 0, 0), ("y", "z", 5, 0, 4)))
    assert [row.system for row in result.table] == ["x", "y", "z"]
    assert all(math.isfinite(row.estimate) for row in result.table)
    assert (note(result, "strength-unbounded")["always"], note(result, "strength-unbounded")["never"]) == (("x",), ())
    assert "x won all its votes" in str(note(result, "strength-unbounded"))
    # nine wins of nine are no certainty, and no bootstrap sample has a loss
    assert {(row.interval, row.rank_low, row.rank_high) for row in result.table} == {("model", 1, 3)}
    many = ma.rank(votes(("x", "y", 90, 0, 0), ("x", "z", 80, 0, 0), ("y", "z", 50, 0, 40)), interval="bootstrap")
    assert [(row.interval, row.rank_low, row.rank_high) for row in many.table] == [
        ("model", 1, 1), ("model", 2, 3), ("model", 2, 3),
    ]  # fmt: skip
    assert many.table[0].high - many.table[0].low > 3
    held = ma.rank(votes(("x", "y", 9, 0, 0), ("y", "z", 5, 0, 4)), statistic="win-rate").table[0]
    assert (held.system, held.estimate, held.high) == ("x", 1, 1)
    assert held.low == pytest.approx(0.701, abs=0.001)
    assert "strength-unbounded" not in codes(ma.rank(votes(("x", "y", 8, 0, 1), ("y", "z", 5, 0, 4))))


def test_groups_that_never_met_are_ranked_apart():
    result = ma.rank(votes(("x", "y", 6, 0, 3), ("u", "v", 2, 1, 4), ("v", "w", 2, 1, 4)))
    assert [(row.system, row.component, row.rank) for row in result.table] == [
        ("w", 1, 1), ("v", 1, 2), ("u", 1, 3), ("x", 2, 1), ("y", 2, 2),
    ]  # fmt: skip
    assert str(note(result, "votes-disconnected")).endswith("(u, v, w), (x, y).")
    assert {(w.system_a, w.system_b) for w in result.wins} == {("x", "y"), ("u", "v"), ("v", "w")}


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_ties_only(ties):
    result = ma.rank(votes(("x", "y", 0, 5, 0), ("y", "z", 0, 3, 0)), ties=ties)
    assert [(row.estimate, row.rank, row.rank_low, row.interval) for row in result.table] == [(0, 1, None, "none")] * 3
    assert all(math.isnan(row.low) for row in result.table)
    assert "all votes are ties" in str(note(result, "votes-without-width"))


def test_a_rater_who_always_takes_the_first():
    lazy = ma.Votes.from_arrays(
        ["x", "y"] * 15, ["y", "x"] * 15, ["a"] * 30, inputs=[str(at // 2) for at in range(30)], first=[0] * 30
    )
    result = ma.rank(lazy)
    assert [row.estimate for row in result.table] == pytest.approx([0, 0], abs=1e-9)
    assert note(result, "raters-one-position")["raters"] == (("rater", 30),)
    assert result.raters[0].first == 1


def test_repeated_and_contradictory_votes_count_and_are_told():
    said = ma.Votes.from_arrays(
        ["x", "x", "y", "x", "x"], ["y", "y", "x", "y", "y"], ["a", "a", "b", "b", "a"],
        inputs=["1", "1", "1", "1", "2"], raters=["r"] * 5, first=[0, 0, 1, 0, 0],
    )  # fmt: skip
    result = ma.rank(said)
    assert (result.raters[0].repeated, result.raters[0].contradictory) == (2, 1)
    assert note(result, "votes-repeated")["raters"] == (("r", 2),)
    assert note(result, "votes-contradictory")["raters"] == (("r", 1),)
    assert result.table[0].n == 5


def test_systems_that_nobody_knows(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner\nx,y,x\nx,y,w\n")
    with pytest.raises(FormatError, match=r"line 3.*'w'"):
        ma.read_votes(path)
    path.write_text(
        "model_a,model_b,winner,judge\nx,y,x,human\nx,y,y,human\nx,z,z,gpt\nz,x,x,gpt\nx,y,y,gpt\ny,x,x,gpt\n"
    )
    result = ma.rank(ma.read_votes(path), resamples=20)
    assert note(result, "systems-without-votes")["systems"] == ("z",)
    assert {row.system for row in result.table if row.metric == "people"} == {"x", "y"}
    assert math.isnan(result.agreement[0].estimate)
    assert note(result, "rankings-too-short")["n"] == 2


def test_a_system_against_itself(tmp_path):
    with pytest.raises(DataError, match="compare 'x' with itself"):
        ma.Votes.from_arrays(["x", "x"], ["x", "y"], ["a", "b"])
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner\nx,x,tie\nx,y,x\nx,y,y\n")
    assert note(ma.rank(ma.read_votes(path)), "votes-against-itself")["n"] == 1


def test_who_votes(example):
    with pytest.raises(UnknownName, match="rater 'nobody'"):
        ma.rank(example, human="nobody")
    with pytest.raises(UsageError, match="either human or a judge"):
        ma.rank(example, human="dora", metric="dora,judge")
    with pytest.raises(UsageError, match="mean needs scores"):
        ma.rank(example, statistic="mean")
    with pytest.raises(UsageError, match="expected Scores, got list"):
        ma.rank([1, 2])
    unknown = ma.rank(example)
    assert dict.fromkeys(row.metric for row in unknown.table) == {"other raters": None, "judge": None}
    assert note(unknown, "raters-unknown")["n"] == 4
    (only,) = {row.metric for row in ma.rank(example, metric="judge").table}
    assert only == "judge"


def said(result):
    return [str(each) for each in result.notes]


def test_few_votes_claim_no_significance_and_ties_share_the_first_place():
    three = ma.rank(votes(("gpt", "llama", 3, 0, 0)))
    first = said(three)[0]
    assert "its lead can be tested with at least 20 inputs" in first
    assert "better" not in first
    tied = ma.rank(votes(("a", "b", 30, 4, 30)))
    assert "a, b share the first place of 2 according to rater." in said(tied)[0]
    clear = ma.rank(votes(("a", "b", 60, 0, 5)))
    assert "a is best according to rater: significantly better than the other system." in said(clear)[0]
    groups = ma.rank(votes(("a", "b", 60, 0, 5), ("c", "d", 30, 0, 28)))
    assert "the other system of its group" in said(groups)[0]
