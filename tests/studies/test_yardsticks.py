from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kendalltau

import metassay as ma
from metassay.errors import DataError, UsageError
from metassay.report import views
from metassay.stats.statistics.registry import choose_one
from metassay.studies.selection import select

from .conftest import noted

GRADES = {"people": ["verdict=verdict_*", "grade=grade_*"]}


@pytest.fixture(scope="module")
def judged():
    from importlib.resources import files

    return ma.read(str(files("metassay.data") / "judge.csv"), **GRADES)


def rows_of(scores, level, statistic="kendall", human=0, **more):
    """Return what stands beside the metrics, by name."""
    chosen = select(scores, None, None, references=False, **{"sentinels": True, **more})
    taken = chosen.at(level, human, choose_one(statistic, [level]))
    return dict(zip(taken.metrics, taken.x, strict=True))


def test_the_sentinel_of_systems_is_their_mean_on_other_inputs(world):
    z = world().matrix("human")
    found = rows_of(world(), "input")["sentinel-system"]
    wanted = [[np.delete(z[s], i).mean() for i in range(12)] for s in range(8)]
    np.testing.assert_allclose(found, wanted)


def test_the_sentinel_of_inputs_is_their_mean_over_other_systems(world):
    z = world().matrix("human")
    found = rows_of(world(), "within-system")["sentinel-input"]
    wanted = [[np.delete(z[:, i], s).mean() for i in range(12)] for s in range(8)]
    np.testing.assert_allclose(found, wanted)


def test_where_all_cells_are_compared_means_are_those_of_the_other_half(world):
    z, found = world().matrix("human"), rows_of(world(), "global")
    np.testing.assert_allclose(found["sentinel-system"][:, ::2], np.repeat(z[:, 1::2].mean(1)[:, None], 6, 1))
    np.testing.assert_allclose(found["sentinel-input"][1::2], np.repeat(z[::2].mean(0)[None], 4, 0))


def test_means_that_are_equal_stay_equal():
    grades = np.array([[0.1, 0.7, 0.3, 0.2, 0.9], [0.7, 0.1, 0.9, 0.2, 0.3], [0.9, 0.3, 0.2, 0.1, 0.7]])
    found = rows_of(ma.Scores.from_arrays({"m": grades}, {"h": grades}), "input")["sentinel-system"]
    for value in np.unique(grades):
        assert len(np.unique(found[grades == value])) == 1
    again = rows_of(ma.Scores.from_arrays({"m": grades}, {"h": grades * 2e-7}), "input")["sentinel-system"]
    np.testing.assert_allclose(again, found * 2e-7, rtol=1e-11)


@pytest.mark.parametrize("level", ["input", "global", "within-system"])
def test_no_sentinel_has_seen_the_score_that_it_is_compared_with(world, level):
    before = rows_of(world(), level)
    human = np.array(world().matrix("human"))
    human[3, 5] += 100
    metrics = {name: world().matrix(name) for name in world().metrics}
    after = rows_of(ma.Scores.from_arrays(metrics, {"human": human}), level)
    names = [name for name in before if name.startswith("sentinel")]
    assert names
    for name in names:
        assert before[name][3, 5] == after[name][3, 5]
        assert not np.array_equal(before[name], after[name])


def test_inputs_of_a_cluster_do_not_tell_of_each_other(judged):
    clustered = judged.declare(cluster_by="category")
    chosen = select(clustered, "grade", "*-grade", references=False, sentinels=True)
    taken = chosen.at("input", 0, choose_one("kendall", ["input"]))
    z, codes = taken.z[0], chosen.labels("inputs")
    found = taken.x[taken.metrics.index("sentinel-system")]
    np.testing.assert_allclose(found[1, 7], np.nanmean(z[1, codes != codes[7]]))


def test_which_sentinels_a_level_has(judged):
    own = {
        level: {name for name in rows_of(judged, level) if name.startswith("sentinel")}
        for level in ("system", "input", "global", "within-system")
    }
    assert own == {
        "system": {"sentinel-length"},
        "input": {"sentinel-length", "sentinel-system"},
        "global": {"sentinel-length", "sentinel-system", "sentinel-input"},
        "within-system": {"sentinel-length", "sentinel-input"},
    }
    assert rows_of(judged, "system")["sentinel-length"][0, 0] == 9 + 6 + 8  # words of the first answer


def test_statistics_of_labels_see_labels_and_a_constant(judged):
    found = rows_of(judged, "global", "accuracy")
    assert set(np.unique(found["sentinel-constant"])) == {1.0}
    z = judged.matrix("verdict")
    for name in ("sentinel-system", "sentinel-input"):
        assert set(np.unique(found[name][~np.isnan(found[name])])) <= set(np.unique(z[~np.isnan(z)]))


def test_a_person_is_compared_with_the_others(judged):
    result = ma.agree(judged, human="grade", metric="kind-judge-grade", level="global", people_as_metrics=True)
    ratings = judged["grade"].mean(keep="annotator")
    for at, name in enumerate(("anna", "ben", "chloe")):
        others = np.nanmean(np.delete(ratings, at, axis=0), axis=0)
        known = ~np.isnan(ratings[at] + others)
        (row,) = (row for row in result.table if row.metric == f"person-{name}")
        assert row.kind == "person"
        assert row.beats_sentinels is None
        assert row.estimate == pytest.approx(kendalltau(ratings[at][known], others[known]).statistic)


def test_two_people_are_compared_by_all_others(judged):
    result = ma.compare(judged, human="grade", metric="kind-judge-grade", level="global", people_as_metrics=True)
    ratings = judged["grade"].mean(keep="annotator")
    (row,) = (r for r in result.table if (r.metric_a, r.metric_b) == ("person-anna", "person-ben"))
    assert row.estimate_a == pytest.approx(kendalltau(ratings[0], ratings[2], nan_policy="omit").statistic)
    assert {row.metric: row.kind for row in result.ranks}["person-chloe"] == "person"


def test_what_does_not_beat_sentinels_is_marked_everywhere(example):
    given = {"human": "relevance", "level": "input", "sentinels": True}
    agreed, compared = ma.agree(example, **given), ma.compare(example, **given)
    for table in (agreed.table, compared.ranks):
        beats = {row.metric: row.beats_sentinels for row in table}
        assert beats["synthetic-judge"] is True
        assert beats["synthetic-noise"] is False
        assert beats["sentinel-system"] is None
    for result in (agreed, compared):
        marked = {note["metric"] for note in noted(result, "not-above-sentinels")}
        assert "synthetic-noise" in marked
        assert "synthetic-judge" not in marked
        assert "†" in str(result)
        assert "sentinels:yes" in str(result.signature)


def test_nothing_changes_for_metrics(example):
    given = {"human": "relevance", "statistic": "kendall,pearson", "limits": True}
    plain = ma.agree(example, **given)
    more = ma.agree(example, sentinels=True, people_as_metrics=True, **given)
    own = [row for row in more.table if row.kind == "metric"]
    for before, after in zip(plain.table, own, strict=True):
        assert before.beats_sentinels is None
        for name in ("metric", "level", "estimate", "low", "high", "misranked", "tied"):
            assert str(getattr(before, name)) == str(getattr(after, name))


def test_one_metric_can_be_compared_with_sentinels(judged):
    result = ma.compare(judged, human="grade", metric="kind-judge-grade", level="input", sentinels=True)
    assert {row.metric for row in result.ranks} == {"kind-judge-grade", "sentinel-length", "sentinel-system"}
    assert all(math.isnan(row.p_value) for row in result.table)  # four systems are too few for the jackknife
    with pytest.raises(DataError, match="only one metric, and no sentinel"):
        ma.compare(ma.example(), human="relevance", metric="synthetic-judge", level="system", sentinels=True)


def test_people_must_be_known(world, judged):
    with pytest.raises(DataError, match="at least two annotators"):
        ma.agree(world(), people_as_metrics=True)
    values = {"person-anna": judged.matrix("kind-judge-grade")}
    human = {"grade": judged["grade"].mean(keep="annotator")}
    scores = ma.Scores.from_arrays({"person-1": values["person-anna"]}, human)
    with pytest.raises(UsageError, match="'person-1' already"):
        ma.agree(scores, people_as_metrics=True)


@pytest.mark.slow
def test_the_report_has_them(judged):
    report = ma.make_report(
        judged, human="grade", metric="*-grade", sentinels=True, people_as_metrics=True, resamples=50
    )
    assert "sentinel-length" in report.html
    assert "person-anna" in report.html
    assert not any("person-" in sentence or "sentinel" in sentence for sentence in report.sentences)


@pytest.fixture(scope="module")
def rated():
    """Return three annotators of two criteria, a metric that follows them, and one that is noise."""
    random = np.random.default_rng(5)
    truth = 2 * random.normal(size=(2, 9, 1)) + random.normal(size=(2, 9, 30))
    people = {name: truth[at] + random.normal(size=(3, 9, 30)) for at, name in enumerate(("one", "two"))}
    metrics = {"good": truth[0] + truth[1] / 2, "noise": random.normal(size=(9, 30))}
    return ma.Scores.from_arrays(metrics, people)


@pytest.mark.parametrize("study", [ma.pairs, ma.decisions, ma.criteria])
def test_studies_of_pairs_decisions_and_criteria_have_them_too(rated, study):
    plain = study(rated, resamples=100)
    result = study(rated, resamples=100, sentinels=True, people_as_metrics=True)
    own = [replace(row, beats_sentinels=None) for row in result.table if row.metric in (None, "good", "noise")]
    assert list(map(repr, own)) == list(map(repr, plain.table))
    people = {"person-1", "person-2", "person-3"}
    assert people < {row.metric for row in result.table}
    # a person is a metric, and the others are the people
    ratings = rated["one"].mean(keep="annotator")
    others = {"one": ratings[1:].mean(axis=0), "two": rated.matrix("two")}
    alone = study(ma.Scores.from_arrays({"person-1": ratings[0]}, others), metric="person-1", resamples=100)
    shown = [[r for r in table if (r.metric, r.human) == ("person-1", "one")] for table in (result.table, alone.table)]
    field = "agreement" if study is ma.decisions else "low"
    assert [getattr(r, field) for r in shown[0]] == pytest.approx([getattr(r, field) for r in shown[1]], nan_ok=True)
    assert not any("person" in told or "sentinel" in told for told in views.page(result).said)


@pytest.mark.parametrize(("study", "options"), [(ma.differences, {}), (ma.widths, {"annotated": 10})])
def test_score_differences_and_further_inputs_have_them_too(rated, study, options):
    plain = study(rated, human="one", resamples=60, **options)
    result = study(rated, human="one", resamples=60, sentinels=True, people_as_metrics=True, **options)
    own = [row for row in result.table if row.kind == "metric"]
    assert list(map(repr, own)) == list(map(repr, plain.table))
    assert {row.metric for row in result.table if row.kind == "person"} == {"person-1", "person-2", "person-3"}
    if study is ma.widths:
        assert result.changes == plain.changes
        return
    ratings = rated["one"].mean(keep="annotator")
    alone = study(ma.Scores.from_arrays({"person-1": ratings[0]}, {"one": ratings[1:].mean(axis=0)}), resamples=60)
    slopes = [[row.slope for row in one.needed if row.metric == "person-1"] for one in (result, alone)]
    assert slopes[0] == pytest.approx(slopes[1])
    assert not any("person" in told or "sentinel" in told for told in views.page(result).said)


def test_a_constant_decides_nothing_and_noise_is_marked(rated):
    result = ma.decisions(rated, human="one", sentinels=True, resamples=500)
    rows = {row.metric: row for row in result.table}
    constant = rows["sentinel-constant"]
    assert (constant.both_agree, constant.opposite, constant.metric_only) == (0, 0, 0)
    assert constant.agreement == constant.neither / constant.n_pairs
    assert (rows["good"].beats_sentinels, rows["noise"].beats_sentinels) == (True, False)
    assert {note["metric"] for note in noted(result, "sentinels-in-resamples")} == {"noise"}
    held = ma.criteria(rated, human="one,two", method="bucket", sentinels=True, resamples=200)
    beats = {row.metric: row.beats_sentinels for row in held.table if row.human == "two" and row.metric}
    assert beats["noise"] is False
    assert beats["sentinel-input"] is None
    assert all("†" in held.to_text(view=view) for view in ("metrics", "verdicts"))


def test_where_no_sentinel_is_a_row_none_is_explained():
    for study in (ma.pairs, ma.agree):
        options = {"resamples": 50} if study is ma.pairs else {"level": "system"}
        result = study(ma.example(), human="relevance", metric="synthetic-judge", sentinels=True, **options)
        assert "sentinels" not in {note.code for note in result.notes}
        assert "There is no sentinel: at system level only the length of outputs is one" in " ".join(
            str(result).split()
        )


def test_people_before_all_metrics_do_not_make_the_best_metric_one_of_none():
    some = "synthetic-judge,synthetic-overlap,synthetic-length"
    result = ma.compare(ma.example(), human="relevance", metric=some, level="input", people_as_metrics=True)
    assert not [row for row in result.ranks if row.rank_low == 1 and row.kind == "metric"]
    assert "may be the best" not in str(result)
