"""``metassay systems`` and ``metassay decisions``."""

import json

import pytest


def test_systems_counts_and_rows(run, scores):
    code, out, err = run("systems", scores, "--human", "relevance")
    assert code == 0
    assert err.startswith("read 1 file")
    assert "all systems: 28 pairs" in out
    assert "unpaired-t is shown for comparison only" in out
    rows = json.loads(run("systems", scores, "--metric", "close", "--format", "json").out)["rows"]
    assert len(rows) == 28 * 3
    assert {"system_a", "system_b", "test", "cutoff", "test_statistic", "p_value", "n_inputs", "significant"} <= set(
        rows[0]
    )


def test_systems_options_reach_the_study(run, scores):
    options = ("--test", "wilcoxon", "--cutoff", "mc,hb", "--resamples", "99", "--correction", "bh")
    groups = ("--group", "first=sys0,sys1", "--group", "others=*")
    out = run("systems", scores, "--metric", "close", *options, *groups, "--format", "json").out
    rows = json.loads(out)["rows"]
    assert {(r["test"], r["cutoff"], r["correction"]) for r in rows} == {("wilcoxon", c, "bh") for c in ("mc", "hb")}
    assert {r["group_a"] for r in rows} == {"first", "others"}
    assert "first × others" in run("systems", scores, "--metric", "close", *options, *groups).out


def test_decisions(run, scores):
    code, out, _ = run("decisions", scores, "--human", "relevance", "--test", "paired-t")
    assert code == 0
    assert out.index("close") < out.index("noise")
    assert "28 pairs of systems" in out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("systems", "--test", "perm-both"), "unknown test 'perm-both'"),
        (("systems", "--cutoff", "boot"), "unknown cutoff 'boot'"),
        (("systems", "--group", "humans"), "NAME=PATTERN"),
        (("decisions", "--test", "paired-t,wilcoxon"), "unknown test"),
    ],
)
def test_misuse_is_one_line(run, scores, argv, message):
    code, out, err = run(argv[0], scores, "--human", "relevance", "-q", *argv[1:])
    assert (code, out) == (2, "")
    assert message in err


def test_references_can_be_left_out(run, tmp_path):
    path = tmp_path / "tidy.csv"
    groups = {"A": "reference", "p": "peer", "q": "peer"}
    lines = [f"{s},{i},rouge,{(i * 7 + ord(s)) % 5},{g}\n" for s, g in groups.items() for i in range(6)]
    path.write_text("system,input,metric,score,group\n" + "".join(lines))
    count = {
        flag: len(json.loads(run("systems", path, flag, "--format", "json").out)["rows"])
        for flag in ("--references", "--no-references")
    }
    assert count == {"--references": 9, "--no-references": 3}
