import gc
import os
import pickle
import shutil
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.errors import DataError, UsageError
from metassay.texts.scorers.meteor import MOST_WORDS, Meteor, MeteorNltk, lay_out, lexnames

WORDNET = Path("/usr/share/wordnet")
needs_wordnet = pytest.mark.skipif(
    not (WORDNET / "index.sense").exists(),
    reason="needs WordNet; run: apt install wordnet-base wordnet-sense-index",
)


def item(output, *references):
    return Item("a", "1", output, references, None)


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Put a program in Java's place that speaks METEOR's protocol: the score is the share of equal words."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (tmp_path / "meteor-1.5.jar").write_bytes(b"")
    (folder / "java").write_text(
        f"""#!{sys.executable}
import os, sys, time
with open({str(tmp_path / "process")!r}, "w") as file:
    file.write(str(os.getpid()))
for line in sys.stdin:
    with open({str(tmp_path / "heard")!r}, "a", encoding="utf-8") as file:
        file.write(line)
    kind, *parts = line.rstrip("\\n").split(" ||| ")
    if kind == "SCORE":
        *references, output = parts
        if output == "die":
            sys.exit("out of memory")
        if output == "sleep":
            time.sleep(60)
        best = max(len(set(output.split()) & set(r.split())) for r in references)
        print(best, len(output.split()), flush=True)
    else:
        hits, total = map(int, parts[0].split())
        print(hits / total, hits / total, sep="\\n", flush=True)
""",
        encoding="utf-8",
    )
    (folder / "java").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return tmp_path


def test_the_best_reference_counts_and_texts_are_made_safe(program):
    scorer = Meteor(jar=program / "meteor-1.5.jar")
    items = [
        item("a b ||| c\nd", "a |||| b\u2028x", "q"),
        item("", "a"),
        item("a", ""),
        item("今天天气很好", "今天天气很好"),
    ]
    # a and b of four words; nothing said; no reference; a script without spaces
    np.testing.assert_array_equal(scorer.score(items)[:, 0], [0.5, 0, np.nan, np.nan])
    assert (program / "heard").read_text("utf-8").splitlines()[0] == "SCORE ||| a b x ||| q ||| a b c d"
    notes = scorer.notes(items)
    assert len(notes) == 1
    assert (notes[0].code, notes[0]["n"], notes[0]["outputs"], notes[0]["why"]) == (
        "outputs-unreadable",
        1,
        4,
        "spaceless",
    )


def test_long_texts_are_left_out_and_told(program):
    scorer = Meteor(jar=program / "meteor-1.5.jar")
    items = [item("word " * 250_000, "a word"), item("a word", "a word")]
    np.testing.assert_array_equal(scorer.score(items)[:, 0], [np.nan, 1])
    assert scorer.notes(items) == (Note.of("texts-too-long", scorer="meteor", n=1, outputs=2, words=MOST_WORDS),)


def test_a_program_that_dies_is_told_and_started_again(program):
    scorer = Meteor(jar=program / "meteor-1.5.jar")
    with pytest.raises(DataError, match="failed at the output of 'a' on '1': out of memory"):
        scorer.score([item("die", "a")])
    assert scorer.score([item("a", "a")])[0, 0] == 1
    os.kill(int((program / "process").read_text()), signal.SIGKILL)
    with pytest.raises(DataError, match="METEOR's program failed"):
        scorer.score([item("a", "a")])
    assert scorer.score([item("a b", "a")])[0, 0] == 0.5


def test_an_answer_that_does_not_come_is_a_missing_score(program):
    scorer = Meteor(jar=program / "meteor-1.5.jar", timeout=60)
    scorer.score([item("a", "a")])
    scorer.timeout = 0.2
    items = [item("sleep", "a"), item("a", "a")]
    # the second output is scored by a program that was started anew, which may take its time
    np.testing.assert_array_equal(scorer.score(items[:1])[:, 0], [np.nan])
    scorer.timeout = 60.0
    assert scorer.score(items[1:])[0, 0] == 1
    assert scorer.notes(items[:1]) == (Note.of("outputs-too-slow", scorer="meteor", n=1, outputs=1, seconds=60),)


def test_the_program_ends_with_its_scorer(program):
    scorer = Meteor(jar=program / "meteor-1.5.jar")
    scorer.score([item("a", "a")])
    process = int((program / "process").read_text())
    os.kill(process, 0)  # it is there
    del scorer
    gc.collect()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"jar": "nowhere.jar"}, r"there is no nowhere.jar; run: pip install 'metassay\[meteor\]'"),
        ({"memory": "much"}, "such as 2G"),
        ({"timeout": 0}, "timeout must be a number over 0"),
    ],
)
def test_wrong_options(program, options, message):
    with pytest.raises(UsageError, match=message):
        Meteor(**({"jar": program / "meteor-1.5.jar"} | options))


def test_without_java_or_the_package(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        UsageError, match="meteor needs Java, not installed here; run: apt install default-jre-headless"
    ):
        Meteor()


def test_recipe(program):
    scorer = Meteor(jar=program / "meteor-1.5.jar")
    assert scorer.in_process
    assert scorer.signature == "meteor|version:1.5|language:en|norm:yes|references:max|v:1"
    assert MeteorNltk.columns != Meteor.columns


# ---- NLTK


@needs_wordnet
def test_nltk_by_hand(tmp_path, monkeypatch):
    pytest.importorskip("nltk", reason="needs NLTK; run: pip install 'metassay[meteor]'")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    scorer = MeteorNltk()
    # cats and cat share a stem, car and auto a synset: all three words match in one chunk. Precision and recall 1,
    # penalty 0.5 · (1/3)³
    same, other = scorer.score([item("the cats car", "the cat auto"), item("the", "a dog")])[:, 0]
    assert same == pytest.approx(1 - 0.5 / 27)
    assert other == 0
    np.testing.assert_array_equal(
        scorer.score([item("", "a"), item("a", ""), item("今天天气很好", "今天天气很好")])[:, 0], [0, np.nan, np.nan]
    )
    # of several references the best
    assert scorer.score([item("the cats car", "nothing here", "the cat auto")])[0, 0] == same
    again = pickle.loads(pickle.dumps(scorer))
    assert again.score([item("the cats car", "the cat auto")])[0, 0] == same
    assert scorer.signature.startswith("meteor-nltk|alpha:0.9|beta:3|gamma:0.5|tokens:unicode|references:max|nltk:")


@needs_wordnet
def test_files_are_laid_out_once_and_whole(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    data = lay_out(WORDNET)
    inside = data / "corpora" / "wordnet"
    assert (inside / "lexnames").read_text() == lexnames()
    stamp = (inside / "data.noun").stat().st_mtime_ns
    assert lay_out(WORDNET) == data
    assert (inside / "data.noun").stat().st_mtime_ns == stamp
    assert [path.name for path in data.parent.iterdir()] == [data.name]
    monkeypatch.setattr(shutil, "copyfile", full)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    with pytest.raises(UsageError, match=r"cannot copy WordNet to .*: No space left on device"):
        lay_out(WORDNET)
    assert list((tmp_path / "other" / "metassay").iterdir()) == []


def full(*_):
    raise OSError(28, "No space left on device")


def test_lexicographer_files():
    rows = [line.split("\t") for line in lexnames().splitlines()]
    assert len(rows) == 45
    assert rows[0] == ["00", "adj.all", "3"]
    assert rows[5] == ["05", "noun.animal", "1"]
    assert rows[38] == ["38", "verb.motion", "2"]
    assert rows[44] == ["44", "adj.ppl", "3"]


def test_without_wordnet(tmp_path):
    pytest.importorskip("nltk", reason="needs NLTK; run: pip install 'metassay[meteor]'")
    with pytest.raises(UsageError, match="run: apt install wordnet-base wordnet-sense-index"):
        MeteorNltk(wordnet=tmp_path)
