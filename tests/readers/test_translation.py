"""mt-metrics-eval directories and files of the WMT metrics task."""

from __future__ import annotations

import numpy as np
import pytest

import metassay as ma
from metassay.core.note import Note
from metassay.errors import DataError, FormatError, UnknownName, UsageError


@pytest.fixture
def wmt20(make, tmp_path):
    def lines(*scores):
        return "".join(f"{system}\t{score}\n" for system, values in scores for score in values)

    for pair in ("en-de", "zh-en"):
        make(f"wmt20/sources/{pair}.txt", "one\ntwo\nthree\n")
        make(f"wmt20/references/{pair}.refA.txt", "eins\nzwei\ndrei\n")
        make(f"wmt20/human-scores/{pair}.mqm.seg.score", lines(("sysA", [-1, "None", 0]), ("refA", [0, 0, -5])))
        make(f"wmt20/human-scores/{pair}.mqm.sys.score", "sysA -0.5\nrefA -1.6\n")
        make(f"wmt20/human-scores/{pair}.mqm.domain.score", "news sysA -0.5\nnews refA -1.6\n")
        make(
            f"wmt20/metric-scores/{pair}/COMET-22-refA.seg.score",
            lines(("sysA", [0.5, 0.6, 0.7]), ("refA", [1, 1, 1])),
        )
        make(f"wmt20/metric-scores/{pair}/BLEU-refA.sys.score", "sysA 30.1\nrefA 100\n")
    return tmp_path / "wmt20"


def test_a_data_set_of_mt_metrics_eval(wmt20):
    scores = ma.read(wmt20, language="en-de")
    assert scores.sources == (("wmt20", "mt-metrics-eval, en-de"),)
    assert scores.notes == (Note.of("files-of-other-levels", file="wmt20", levels=[("domain", 1)]),)
    assert scores.inputs == ("1", "2", "3")
    assert scores.humans == ("mqm",)
    assert scores.metrics == ("COMET-22-refA", "BLEU-refA")
    assert scores["mqm"].system_scores.tolist() == [-1.6, -0.5]
    assert scores["BLEU-refA"].system_scores.tolist() == [100, 30.1]
    assert np.isnan(scores["BLEU-refA"].values).all()
    assert scores.system_matrix("BLEU-refA").tolist() == [[100] * 3, [30.1] * 3]
    np.testing.assert_allclose(np.nanmean(scores.system_matrix("mqm"), axis=1), [-1.6, -0.5])
    np.testing.assert_array_equal(scores["mqm"].values, [[0, 0, -5], [-1, np.nan, 0]])
    assert dict(scores.groups) == {"refA": "reference"}


def test_metrics_that_were_not_asked_for_are_suggested(wmt20):
    scores = ma.read(wmt20, language="en-de", metric="COMET")
    assert scores.metrics == ()
    with pytest.raises(UnknownName, match=r"metric 'COMET'; did you mean 'COMET-22-refA'\? .*BLEU-refA"):
        ma.agree(scores, metric="COMET")
    with pytest.raises(UnknownName, match=r"metric 'COMET'; did you mean 'COMET-22-refA'\?"):
        ma.leaderboard({"en-de": scores}, human="mqm", metric="COMET")
    assert scores == ma.read(wmt20, language="en-de", metric="BLEU")


def test_several_language_pairs_need_a_choice(wmt20):
    with pytest.raises(UsageError, match=r"wmt20: holds 2 language pairs \(en-de, zh-en\); choose one with language="):
        ma.read(wmt20)
    with pytest.raises(UnknownName, match=r"'de-en'; did you mean .*known: en-de, zh-en"):
        ma.read(wmt20, language="de-en")


def test_one_language_pair_is_taken_as_it_is(make, tmp_path):
    make("one/human-scores/en-de.da.seg.score", "A 1\nA 2\n")
    assert ma.read(tmp_path / "one")["da"].values.tolist() == [[1, 2]]


def test_the_directory_above_a_data_set_is_told(wmt20):
    with pytest.raises(DataError, match=r"did you mean .*wmt20\?"):
        ma.read(wmt20.parent)


def test_a_system_with_too_few_segments(wmt20, make):
    make("wmt20/metric-scores/en-de/X-src.seg.score", "sysA 1\nsysA 2\n")
    with pytest.raises(FormatError, match=r"X-src\.seg\.score: system 'sysA' has 2 scores, expected 3"):
        ma.read(wmt20, language="en-de")


@pytest.mark.parametrize(
    ("line", "message"),
    [("news sysA 1", "expected SYSTEM SCORE, got 3 fields"), ("sysA x", "field 'score' must be a number")],
)
def test_wrong_lines_in_a_data_set(wmt20, make, line, message):
    make("wmt20/metric-scores/en-de/X-src.seg.score", f"sysA 1\n{line}\nsysA 3\n")
    with pytest.raises(FormatError, match=f"line 2: {message}"):
        ma.read(wmt20, language="en-de")


def test_only_system_scores(make, tmp_path):
    make("sys/human-scores/en-de.da.sys.score", "A 1\nB 2\n")
    assert ma.read(tmp_path / "sys")["da"].values.tolist() == [[1], [2]]
    make("doc/human-scores/en-de.da.doc.score", "A 1\nB 2\n")
    with pytest.raises(DataError, match="en-de has scores per document only"):
        ma.read(tmp_path / "doc")
    make("none/human-scores/notes.txt", "A 1\n")
    with pytest.raises(DataError, match="holds no score files"):
        ma.read(tmp_path / "none")


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("rest", ["", "\tnon-ensemble\tyes"])
def test_older_segment_scores(make, packed, rest):
    lines = [f"chrF\tde-en\tnewstest2019\t{s}\t{i}\t{i / 10}{rest}\n" for s in ("A.0", "B.0") for i in (1, 2, 10)]
    scores = ma.read(make("chrF.seg.score", "".join(lines), packed=packed))
    assert scores.sources == (("chrF.seg.score", "wmt segment scores, de-en"),)
    assert scores.inputs == ("newstest2019:1", "newstest2019:2", "newstest2019:10")
    np.testing.assert_array_equal(scores["chrF"].values, [[0.1, 0.2, 1.0]] * 2)


@pytest.mark.parametrize("rest", ["", " ensemble no", " non-ensemble https://example.org"])
def test_older_system_scores_and_human_scores(make, rest):
    metric = make("BLEU.sys.score", f"BLEU de-en newstest2019 A.0 0.4{rest}\nBLEU de-en newstest2019 B.0 0.3{rest}\n")
    human = make("DA-syslevel.csv", "LP HUMAN SYSTEM\nde-en 0.1 A.0\nde-en -0.2 B.0\n")
    scores = ma.read(metric, human)
    assert scores.sources == (
        ("BLEU.sys.score", "wmt system scores, de-en"),
        ("DA-syslevel.csv", "wmt human system scores, de-en"),
    )
    assert scores.inputs == ("(system score)",)
    assert scores.humans == ("HUMAN",)
    assert scores["BLEU"].values.tolist() == [[0.4], [0.3]]
    assert scores["HUMAN"].values.tolist() == [[0.1], [-0.2]]


def test_newer_segment_scores_keep_the_reference_in_the_name(make):
    rows = [f"COMET\ten-de\tnewstest2021\tnews\tdoc{i}\trefA\tsysA\t{i}\t0.{i}\n" for i in (1, 2)]
    scores = ma.read(make("COMET.seg.score", "".join(rows)))
    assert scores.metrics == ("COMET-refA",)
    assert scores["COMET-refA"].values.tolist() == [[0.1, 0.2]]


def test_newer_system_scores_take_the_one_over_all_domains(make):
    rows = "".join(f"COMET\ten-de\tnt21\t{domain}\trefA\tA\t{score}\n" for domain, score in (("news", 1), ("all", 2)))
    scores = ma.read(make("COMET.sys.score", rows))
    assert scores["COMET-refA"].values.tolist() == [[2]]
    scores = ma.read(make("COMET.sys.score", rows.replace("all", "talks")))
    assert scores.metrics == ("COMET-refA (nt21 news)", "COMET-refA (nt21 talks)")
    assert scores.inputs == ("(system score)",)


def test_one_language_pair_at_a_time(make):
    both = make("B.seg.score", "B de-en t A 1 0.5\nB en-de t A 1 0.7\n")
    german = make("C.seg.score", "C en-de t A 1 0.1\n")
    english = make("D.seg.score", "D de-en t A 1 0.2\n")
    with pytest.raises(UsageError, match=r"holds 2 language pairs \(de-en, en-de\)"):
        ma.read(both)
    assert ma.read(both, german, language="en-de")["B"].values.tolist() == [[0.7]]
    with pytest.raises(UsageError, match=r"D\.seg\.score is about de-en and .*C\.seg\.score about en-de"):
        ma.read(german, english)
    skipped = ma.read(german, english, language="en-de")
    assert skipped.metrics == ("C",)
    assert [note.code for note in skipped.notes] == ["file-of-other-language"]
    with pytest.raises(UnknownName, match=r"unknown language pair in .*D\.seg\.score: 'en-de'"):
        ma.read(english, language="en-de")
