"""What cannot work is told in one line: the rule, the value that was seen, the remedy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import metassay as ma

from .conftest import noted

Z = np.arange(20.0).reshape(4, 5) % 7
X = np.arange(20.0).reshape(4, 5) % 3


def scores(**options):
    return ma.Scores.from_arrays({"rouge": X, "bleu": X + Z}, {"relevance": Z}, **options)


BOTH = [ma.agree, ma.compare]
ALL = [ma.agree, ma.compare, ma.normality]


def refused(study, *args, **options):
    with pytest.raises(ma.MetassayError) as caught:
        study(*args, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 400
    return caught.value


@pytest.mark.parametrize("study", BOTH)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"human": "relevence"}, "unknown human criterion 'relevence'; did you mean 'relevance'?"),
        ({"metric": "rogue"}, "unknown metric 'rogue'; did you mean 'rouge'?"),
        ({"level": "summry"}, "unknown level 'summry'"),
        ({"level": ""}, "no level given; choose from system, input, global, within-system"),
        ({"statistic": "kendal"}, "unknown statistic 'kendal'; did you mean 'kendall'?"),
        ({"resamples": 0}, "resamples must be a whole number of at least 1, got 0"),
        ({"resamples": -5}, "resamples must be a whole number of at least 1, got -5"),
        ({"resamples": 10.5}, "resamples must be a whole number of at least 1, got 10.5"),
        ({"resamples": math.inf}, "resamples must be a whole number of at least 1 and at most 38 digits, got inf"),
        ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
        ({"threads": 0}, "threads must be a whole number of at least 1, got 0"),
        ({"threads": -2}, "threads must be a whole number of at least 1, got -2"),
    ],
)
def test_options(study, options, message):
    assert message in str(refused(study, scores(), **options))


@pytest.mark.parametrize(
    ("study", "options", "message"),
    [
        (ma.agree, {"confidence": 95}, "confidence must lie in (0, 1), got 95; did you mean 0.95?"),
        (ma.agree, {"confidence": 0}, "confidence must lie in (0, 1), got 0"),
        (ma.agree, {"confidence": 1}, "confidence must lie in (0, 1), got 1"),
        (ma.agree, {"confidence": math.nan}, "confidence must lie in (0, 1), got nan"),
        (ma.agree, {"interval": "boot"}, "unknown interval 'boot'; did you mean 'boot-both'?"),
        (ma.compare, {"alpha": 5}, "alpha must lie in (0, 1), got 5; did you mean 0.05?"),
        (ma.normality, {"alpha": 5}, "alpha must lie in (0, 1), got 5; did you mean 0.05?"),
        (ma.compare, {"test": "perm"}, "unknown test 'perm'"),
        (ma.compare, {"alternative": "more"}, "unknown alternative 'more' (known: greater, less, two-sided)"),
        (ma.compare, {"correction": "fdr"}, "unknown correction 'fdr' (known: none, bonferroni, holm, bh, by)"),
        (ma.compare, {"scope": "column"}, "unknown scope 'column' (known: row, table)"),
        (ma.compare, {"p": "exact"}, "unknown p 'exact'"),
        (ma.compare, {"metric": "bleu"}, "needs at least 2 metrics beside the human criteria, got 1: bleu"),
    ],
)
def test_options_of_one_study(study, options, message):
    error = refused(study, scores(), **options)
    assert message in str(error)


@pytest.mark.parametrize("study", ALL)
def test_what_is_not_scores(study):
    assert "expected Scores, got ndarray" in str(refused(study, X))


@pytest.mark.parametrize("study", BOTH)
def test_one_system(study):
    single = scores().select(systems=["system-1"])
    error = refused(study, single)
    assert "system level needs at least 2 systems, got 1" in str(error)
    assert "within-system" in str(error)
    assert isinstance(error, ma.DataError)


@pytest.mark.parametrize("study", BOTH)
def test_one_input(study):
    single = scores().select(inputs=["input-1"])
    assert "within-system level needs at least 2 inputs, got 1" in str(refused(study, single, level="within-system"))
    assert study(single, level="system,input", resamples=20).table


@pytest.mark.parametrize("study", BOTH)
def test_one_cell(study):
    single = scores().select(systems=["system-1"], inputs=["input-1"])
    assert "global level needs at least 2 cells" in str(refused(study, single, level="global"))


@pytest.mark.parametrize("study", ALL)
def test_a_human_column_without_scores(study):
    empty = ma.Scores.from_arrays({"rouge": X, "bleu": Z}, {"relevance": np.full(X.shape, np.nan)})
    assert "'relevance' has no scores" in str(refused(study, empty))


@pytest.mark.parametrize("study", BOTH)
def test_a_system_without_scores_is_left_out_and_told(study):
    x = X.copy()
    x[2] = np.nan
    z = Z.copy()
    result = study(ma.Scores.from_arrays({"rouge": x, "bleu": X + Z}, {"relevance": z}), level="system", resamples=50)
    assert noted(result, "systems-without-scores", column="rouge", systems=("system-3",))
    names = [f.name for f in type(result.table[0]).__dataclass_fields__.values()]
    rows = [r for r in result.rows() if "rouge" in (r.get("metric"), r.get("metric_a"), r.get("metric_b"))]
    assert "n_systems" in names
    assert {row["n_systems"] for row in rows} == {3}


@pytest.mark.parametrize("study", ALL)
def test_a_metric_that_is_the_human_column(study):
    error = refused(study, scores(), metric="relevance", human="relevance")
    assert "metric" in str(error)
    assert isinstance(error, ma.DataError)


@pytest.mark.parametrize("study", ALL)
def test_no_column_is_known_to_be_human(study):
    error = refused(study, ma.Scores.from_arrays({"rouge": X, "bleu": Z}))
    assert "human" in str(error)
    assert "rouge, bleu" in str(error)
    assert study(ma.Scores.from_arrays({"rouge": X, "bleu": Z, "chrf": X * Z}), human="bleu")


@pytest.mark.parametrize("study", ALL)
def test_only_references(study):
    only = scores(groups={f"system-{i}": "reference" for i in range(1, 5)})
    assert "every system is a human-written reference" in str(refused(study, only))


def test_duplicate_names():
    assert "'a' occurs twice" in str(refused(scores, systems=list("aabc")))
    assert "'x' occurs twice" in str(refused(scores, inputs=list("xxabc")))
    error = refused(ma.Scores.from_arrays, {"rouge": X}, {"rouge": Z})
    assert "'rouge' is given as a metric and as a human criterion" in str(error)
    # Naming a metric twice does not study it twice.
    assert len(ma.agree(scores(), metric="rouge,rouge", level="system", resamples=20).table) == 1


@pytest.mark.parametrize("bad", [np.inf, -np.inf])
def test_infinite_values(bad):
    x = X.copy()
    x[0, 0] = bad
    assert "infinite" in str(refused(ma.Scores.from_arrays, {"rouge": x}, {"relevance": Z}))


def test_shapes_that_do_not_fit():
    assert "4 systems × 5 inputs" in str(refused(ma.Scores.from_arrays, {"rouge": X}, {"relevance": Z.T}))
    assert "must have 2 dimensions" in str(refused(ma.Scores.from_arrays, {"rouge": X[0]}))
    assert "there are no scores" in str(refused(ma.Scores.from_arrays, {}))


@pytest.mark.parametrize("name", ["a,b", 'say "hi"', "two\nlines", "🙂", "<script>alert(1)</script>", " "])
def test_odd_names_go_through_and_stay_on_one_line(name):
    odd = ma.Scores.from_arrays({name: X, "flat": np.ones(X.shape)}, {"relevance": Z}, systems=[name, "b", "c", "d"])
    result = ma.agree(odd, level="system", resamples=20)
    assert result.table[0].metric == name
    assert all("\n" not in str(note) for note in result.notes)
    assert all("\n" not in str(note) for note in ma.compare(odd, level="system", resamples=20).notes)
    error = refused(ma.agree, odd, human="nothing like it")
    assert "unknown human criterion" in str(error)


@pytest.mark.parametrize("study", BOTH)
def test_threads_are_checked_even_where_nothing_is_drawn(study):
    options = {"interval": "fisher"} if study is ma.agree else {"test": "williams"}
    refused(study, scores(), threads=0, **options)


@pytest.mark.parametrize("study", BOTH)
def test_numbers_of_numpy_are_numbers(study):
    drawn = {"interval": "boot-both"} if study is ma.agree else {"test": "perm-both"}
    result = study(scores(), level="system", resamples=np.int64(20), seed=np.int32(3), **drawn)
    assert result.signature["seed"] == "3"
