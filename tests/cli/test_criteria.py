"""``metassay criteria``."""

import json

import numpy as np
import pytest

import metassay as ma


@pytest.fixture
def judged(tmp_path):
    """Two criteria, a metric that follows the first, and one of noise."""
    random = np.random.default_rng(0)
    relevance = random.integers(1, 6, size=(8, 10)).astype(float)
    fluency = np.clip(relevance + random.integers(-1, 2, size=relevance.shape), 1, 5)
    metrics = {"close": relevance + random.normal(size=relevance.shape), "noise": random.normal(size=relevance.shape)}
    path = tmp_path / "judged.csv"
    ma.write(ma.Scores.from_arrays(metrics, {"relevance": relevance, "fluency": fluency}), path)
    return path


def test_tables_and_rows(run, judged):
    code, out, _ = run("criteria", judged, "--resamples", "100")
    assert code == 0
    assert "Criteria against each other" in out
    assert "Agreement that remains with another criterion held fixed" in out
    done = json.loads(run("criteria", judged, "--resamples", "100", "--format", "json").out)
    assert done["study"] == "criteria"
    wanted = {"metric", "human", "anchor", "method", "estimate", "estimate_within", "relative_difference", "n"}
    assert wanted <= set(done["rows"][0])
    # 2 pairs of criteria at 2 levels; 2 metrics × 2 criteria × 1 anchor × 2 methods
    assert [row["metric"] for row in done["rows"]].count(None) == 4
    assert len(done["rows"]) == 4 + 8


def test_options_reach_the_study(run, judged):
    options = ("--method", "bucket", "--edges", "relevance=2.5,4", "--metric-group", "g=cl*", "--anchor", "relevance")
    more = ("--statistic", "pearson", "--interval", "boot-inputs", "--resamples", "50", "--confidence", "0.9")
    rows = json.loads(run("criteria", judged, *options, *more, "--format", "json").out)["rows"]
    (row,) = [r for r in rows if r["metric"] == "close"]
    assert (row["human"], row["anchor"], row["method"], row["n_buckets"]) == ("fluency", "relevance", "bucket", 3)
    assert (row["statistic"], row["interval"], row["confidence"]) == ("pearson", "boot-inputs", 0.9)
    assert "g: 1 metric" in run("criteria", judged, *options, *more, "--view", "groups").out
    every = run("criteria", judged, *options, *more, "--view", "criteria,intervals,metrics,verdicts,groups,rows")
    assert every.code == 0


@pytest.mark.parametrize(
    ("argv", "code", "message"),
    [
        (("--method", "regress"), 2, "unknown method 'regress'"),
        (("--edges", "3,2"), 2, "ascending order"),
        (("--interval", "fisher"), 2, "unknown interval 'fisher'"),
        (("--human", "relevance"), 1, "another one to hold fixed"),
        (("--metric-group", "x"), 2, "NAME=PATTERN"),
    ],
)
def test_misuse_is_one_line(run, judged, argv, code, message):
    done = run("criteria", judged, "-q", "--resamples", "5", *argv)
    assert (done.code, done.out) == (code, "")
    assert message in done.err
