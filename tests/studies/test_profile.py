"""What do all scores together say about the systems? Labels, groups, missing columns, and real data."""

import numpy as np
import pytest

import metassay as ma
from metassay.errors import DataError, UsageError
from metassay.studies import profile as module

from .conftest import noted


def made(n=(6, 10), columns=4, shift=3.0, seed=0, **options):
    random = np.random.default_rng(seed)
    systems = [f"H{i}" for i in range(n[0])] + [f"M{i}" for i in range(n[1])]
    level = random.normal(size=(sum(n), 1))
    metrics = {f"m{j}": level + random.normal(size=(sum(n), 8)) for j in range(columns)}
    metrics["m0"] = metrics["m0"] + shift * (np.arange(sum(n)) < n[0])[:, None]
    return ma.Scores.from_arrays(metrics, systems=systems, **options)


GROUPS = {"humans": "H*", "machines": "*"}


def of(result, kind, measure=None):
    return [row for row in result.table if row.kind == kind and measure in (None, row.measure)]


def test_without_groups_there_are_components_only():
    result = ma.profile(made())
    assert {row.kind for row in result.table} == {"component", "loading", "system"}
    assert result.groups == ()
    assert noted(result, "no-composite")
    assert sum(row.value for row in of(result, "component")) == pytest.approx(1)
    assert "seed" not in str(result.signature)


def test_loadings_are_correlations_with_the_systems_scores():
    scores = made()
    result = ma.profile(scores)
    on_first = {row.name: row.value for row in of(result, "system") if row.component == 1}
    for row in of(result, "loading"):
        if row.component == 1:
            means = scores.matrix(row.name).mean(axis=1)
            expected = np.corrcoef(means, [on_first[s] for s in scores.systems])[0, 1]
            assert row.value == pytest.approx(expected)


def test_the_composite_finds_the_difference_that_was_put_in():
    result = ma.profile(made(), group=GROUPS)
    assert result.groups == ("humans", "machines")
    weights = {row.name: row.value for row in of(result, "weight")}
    assert max(weights, key=lambda name: abs(weights[name])) == "m0"
    assert weights["m0"] > 0
    assert sum(abs(w) for w in weights.values()) == pytest.approx(1)
    auc = {row.name: row.value for row in of(result, "separation", "auc")}
    assert auc["composite"] >= max(auc["m1"], auc["m2"], auc["m3"])
    assert auc["composite"] > 0.9
    assert all(row.low <= row.value <= row.high for row in of(result, "separation"))
    composite = {row.name: row.value for row in of(result, "system", "composite")}
    assert min(composite[f"H{i}"] for i in range(6)) > np.mean([composite[f"M{i}"] for i in range(10)])


def test_groups_of_the_data_are_the_default():
    groups = {f"H{i}": "reference" for i in range(6)} | {f"M{i}": "peer" for i in range(10)}
    by_data = ma.profile(made(groups=groups), resamples=100)
    assert by_data.groups == ("reference", "peer")
    named = ma.profile(made(), group=["reference=H*", "peer=*"], resamples=100)
    assert [row.value for row in by_data.table] == [row.value for row in named.table]


def test_the_group_with_the_higher_scores_comes_first():
    assert ma.profile(made(shift=-8.0), group=GROUPS, resamples=10).groups == ("machines", "humans")


def test_human_criteria_are_compared_but_not_in_the_composite():
    scores = made().declare(human="m3")
    result = ma.profile(scores, group=GROUPS, resamples=10)
    assert [row.name for row in of(result, "weight")] == ["m0", "m1", "m2"]
    assert "m3" in {row.name for row in of(result, "separation")}
    assert result.humans == ("m3",)


def test_columns_with_gaps_or_without_variance_are_left_out_and_named():
    values = {"a": np.random.default_rng(0).normal(size=(5, 3)), "b": np.random.default_rng(1).normal(size=(5, 3))}
    gap = values["a"].copy()
    gap[2] = np.nan
    partly = values["b"].copy()
    partly[3, 0] = np.nan
    scores = ma.Scores.from_arrays({**values, "gap": gap, "partly": partly, "flat": np.full((5, 3), 0.1)})
    result = ma.profile(scores)
    assert {row.name for row in of(result, "loading")} == {"a", "b", "partly"}
    assert noted(result, "columns-excluded", reason="gaps", columns=("gap",))
    assert noted(result, "columns-excluded", reason="constant", columns=("flat",))
    assert noted(result, "means-over-own-inputs")


def test_a_system_without_any_score_is_left_out():
    values = np.random.default_rng(0).normal(size=(2, 6, 3))
    values[:, 4] = np.nan
    result = ma.profile(ma.Scores.from_arrays({"a": values[0], "b": values[1]}))
    assert result.n_systems == 5
    assert noted(result, "systems-without-any-score", systems=("system-5",))


def test_folds_and_seeds():
    scores = made(shift=0.5)

    def separated(**options):
        return [row.value for row in of(ma.profile(scores, group=GROUPS, resamples=10, **options), "separation")]

    assert separated(folds=3, seed=1) == separated(folds=3, seed=1)
    assert separated(folds=3, seed=1) != separated(folds=3, seed=2)
    assert separated(seed=1) == separated(seed=2)
    assert ma.profile(scores, group=GROUPS, folds=3, resamples=10).signature["cv"] == "3-folds"


def test_threads_change_nothing():
    one, two = (ma.profile(made(), group=GROUPS, resamples=5000, threads=t).to_json() for t in (1, 2))
    assert one == two


def test_many_pairs_are_held_out_in_folds(monkeypatch):
    monkeypatch.setattr(module, "MOST_PAIRS", 59)
    result = ma.profile(made(), group=GROUPS, resamples=10)
    assert result.signature["cv"] == "6-folds"
    assert noted(result, "folds-for-speed", pairs=59)
    assert noted(result, "composite", folds=6)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"group": {"a": "H*"}}, UsageError, "separates 2 groups of systems, got 1"),
        ({"group": {"a": "H0", "b": "*"}}, DataError, "at least 3 systems, 'a' has 1"),
        ({"group": GROUPS, "folds": 7}, UsageError, "folds must be at most 6"),
        ({"group": GROUPS, "folds": 1}, UsageError, "folds must be a whole number of at least 2"),
        ({"components": 0}, UsageError, "components"),
        ({"metric": "m0"}, DataError, "at least 2 columns"),
    ],
)
def test_what_cannot_be_done_is_said(options, error, message):
    with pytest.raises(error, match=message):
        ma.profile(made(), **options)


def test_too_few_systems():
    with pytest.raises(DataError, match="at least 3 systems"):
        ma.profile(made(n=(1, 1)))


def test_systems_in_no_group_are_told():
    result = ma.profile(made(), group={"humans": "H*", "machines": "M0,M1,M2,M3"}, resamples=10)
    assert "M4" in noted(result, "systems-without-group")[0]["systems"]
    assert len(of(result, "system", "composite")) == 16


def test_views():
    text = ma.profile(made(), group=GROUPS, resamples=100).to_text()
    assert "Separation of humans and machines" in text
    assert "PC1" in text
    assert "composite" in text


def test_tac_2008_people_and_peers(shared_data):
    scores = ma.read(shared_data / "tac2008" / "scores")
    result = ma.profile(scores, resamples=200)
    # metrics that were not jackknifed have no scores for people, and leave
    assert {row.name for row in of(result, "loading")} == {n for n in scores.metrics if "_jk" in n}
    assert result.groups == ("reference", "peer")
    first = of(result, "component")[0]
    assert first.value > 0.9
    accuracy = {row.name: row.value for row in of(result, "separation", "balanced-accuracy")}
    assert accuracy["composite"] == max(accuracy.values()) == 1
    assert accuracy["METEOR_jk"] < 1
