"""``metassay pairs``."""

import json

import metassay as ma

QUICK = ("--resamples", "50", "--human", "relevance")


def test_it_prints_pairs_needed_differences_and_words(run, scores):
    code, out, err = run("pairs", scores, *QUICK, "--bounds", "0:0.5", "--full")
    assert code == 0
    assert err.startswith("read 1 file")
    flat = " ".join(out.split())
    assert "people agree with the metric in" in flat
    assert "Score difference needed for people to agree" in flat
    assert out.splitlines()[-1].startswith("study:pairs|level:system|coef:kendall-b|bounds:0:0.5|shares:0.1,")


def test_json_is_that_of_python(run, scores):
    options = ("--bounds", "0:0.5,0.5:", "--shares", "0.2,1", "--triangle", "4", "--interval", "boot-systems")
    code, out, _ = run("pairs", scores, *QUICK, *options, "--format", "json")
    assert code == 0
    expected = ma.pairs(
        ma.read(scores).declare(human="relevance"),
        bounds=[(0, 0.5), (0.5, float("inf"))],
        shares=(0.2, 1),
        triangle=4,
        interval="boot-systems",
        resamples=50,
    )
    assert out == expected.to_json()
    kinds = [row["kind"] for row in json.loads(out)["rows"] if row["metric"] == "close"]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "bounds": 2,
        "share": 2,
        "triangle": 10,
        "curve": 11,
        "needed": 3,
    }


def test_wrong_usage_is_one_line(run, scores):
    for options, message in (
        (("--bounds", "1:0.5"), "0 <= lower <= upper"),
        (("--bounds=-1:1",), "0 <= lower <= upper"),
        (("--shares", "10"), "did you mean 0.1?"),
        (("--shares", "0"), "must lie in (0, 1]"),
        (("--triangle", "1"), "at least 2"),
        (("--interval", "fisher"), "unknown interval 'fisher'"),
    ):
        code, out, err = run("pairs", scores, *QUICK, "--quiet", *options)
        assert (code, out) == (2, "")
        assert message in err
        assert err.count("\n") <= 2


def test_only_bootstraps_are_offered_and_taken_before_files_are_read(run):
    shown = run("pairs", "--help").out
    assert "boot-systems" in shown
    assert "fisher" not in shown
    code, _, err = run("pairs", "no-such-file.csv", "--interval", "fisher")
    assert code == 2
    assert "unknown interval 'fisher'" in err
