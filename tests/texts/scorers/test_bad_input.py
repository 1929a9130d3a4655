"""What metrics of words and characters make of texts that nobody expects, and what a run survives."""

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from functools import partial

import numpy as np
import pytest

from metassay.core.note import Note
from metassay.core.texts import Texts
from metassay.errors import DataError, UsageError
from metassay.readers import read
from metassay.readers.writing import write
from metassay.texts.scorers.base import Scorer
from metassay.texts.scorers.scoring import score

METRICS = "rouge,bleu,chrf,chrf++,js,novel,repeated,fragments,length,ngram-graphs,cider"
PLAIN = "The cat sat on the mat and looked at the dog."


def texts(output, *, references=(PLAIN,), source=PLAIN):
    """Return one output to be looked at among two plain ones."""
    return Texts(
        {("a", "1"): output, ("b", "1"): PLAIN, ("b", "2"): "Dogs bark."},
        references={"1": references, "2": ("All dogs bark.",)},
        sources={"1": source, "2": "Dogs bark at night."} if source is not None else {},
    )


class Length(Scorer):
    """Counts characters, and outputs it was asked about."""

    columns = ("size",)
    needs = frozenset({"references"})
    signature = "size|v:1"

    def __init__(self, one_reference=False):
        self.one = one_reference
        self.asked = 0

    @property
    def one_reference(self):
        return self.one

    def score(self, items):
        self.asked += len(items)
        return np.array([[float(len(item.output))] for item in items])


def test_an_empty_output_is_counted_and_never_hides_others():
    scores = score(texts(""), METRICS)
    assert Note.of("outputs-empty", n=1, outputs=3) in scores.notes
    without = score(texts(PLAIN), METRICS)
    for name in scores.columns:
        values = scores.matrix(name)
        # either it is worth nothing (NPowER has a constant), or it has no score
        assert np.isnan(values[0, 0]) or values[0, 0] <= 0.1, name
        np.testing.assert_array_equal(values[1], without.matrix(name)[1])


def test_a_missing_reference_or_source_is_missing_and_counted():
    bare = Texts({("a", "1"): PLAIN, ("a", "2"): PLAIN}, references={"2": (PLAIN,)}, sources={"1": PLAIN})
    scores = score(bare, "rouge[variants=1],js,length")
    np.testing.assert_array_equal(scores.matrix("rouge-1_f1"), [[np.nan, 1]])
    assert np.isnan(scores.matrix("js-1_source")[0]).tolist() == [False, True]
    assert scores.notes == (
        Note.of("outputs-without-score", scorer="rouge", n=1, outputs=2, lacking=[("references", 1)]),
        Note.of("outputs-without-score", scorer="js", n=1, outputs=2, lacking=[("source", 1)]),
    )


def test_a_system_without_some_inputs_keeps_its_place(tmp_path):
    scores = score(texts(PLAIN), "chrf")
    np.testing.assert_array_equal(np.isnan(scores.matrix("chrf")), [[False, True], [False, False]])
    write(scores, tmp_path / "s.csv")
    again = read(tmp_path / "s.csv")
    np.testing.assert_array_equal(again.matrix("chrf"), scores.matrix("chrf"))


@pytest.mark.parametrize("metric", ["rouge[variants=1+2+l+su4]", "js", "novel", "fragments", "length", "cider"])
def test_a_megabyte_in_one_cell(metric):
    scores = score(texts("a word or two, " * 70_000), metric)
    for name, column in scores.columns.items():
        assert np.isfinite(column.values[1, 0]), name
        assert np.isfinite(column.values[0, 0]), name


def test_control_characters_part_words_and_count_for_nothing():
    odd = "The\x00 cat\x1b[31m\tsat\r\n\x0bon\x7f the\x85mat\u2028and looked at the dog\x1f."
    scores = score(texts(odd), "rouge[variants=1,measures=recall],chrf,cider,js")
    assert scores.matrix("rouge-1_recall")[0, 0] == 1
    assert np.isfinite([scores.matrix(name)[0, 0] for name in scores.columns]).all()


def test_right_to_left_text_is_scored_by_words_of_any_script():
    arabic = "جلس القط على السجادة ونظر إلى الكلب"
    said = texts(arabic, references=(arabic,), source=arabic)
    scores = score(said, "rouge[variants=1,measures=f1,tokens=unicode],bleu,chrf,cider")
    assert scores.matrix("rouge-1_f1")[0, 0] == 1
    assert scores.matrix("chrf")[0, 0] == pytest.approx(100)
    assert scores.notes == ()
    # ROUGE's own tokens know a to z: nothing is scored, and it is said what to do
    own = score(said, "rouge[variants=1,measures=f1]")
    assert np.isnan(own.matrix("rouge-1_f1")[0, 0])
    assert [note["why"] for note in own.notes if note.code == "outputs-unreadable"] == ["unreadable"]


def test_chinese_for_a_metric_of_words_is_told():
    chinese = "今天天气很好我们去公园散步"
    scores = score(texts(chinese, references=(chinese,), source=chinese), METRICS + ",ter")
    for name in ("rouge-1_f1", "js-1_source", "novel-1", "repeated-1", "coverage", "length_tokens", "cider"):
        assert np.isnan(scores.matrix(name)[0, 0]), name
    assert scores.matrix("chrf")[0, 0] == pytest.approx(100)
    told = {note["scorer"] for note in scores.notes if note.code in ("outputs-unreadable", "phrases-as-words")}
    assert told == {"rouge", "js", "novel", "repeated", "fragments", "length", "cider", "bleu", "chrf++", "ter"}
    assert score(texts(chinese, references=(chinese,), source=chinese), "bleu[tokenize=zh]").notes == ()


def test_chinese_beside_an_english_reference_is_told():
    english = "the weather is good and we walk in the park"
    scores = score(texts("今天天气很好我们去公园散步", references=(english,), source=english), METRICS + ",ter")
    # a system that answers in the wrong language has a bad score, and not a missing one that would spare it
    assert scores.matrix("rouge-1_f1")[0, 0] == scores.matrix("bleu")[0, 0] == 0
    told = {note["scorer"] for note in scores.notes if note.code == "outputs-foreign"}
    assert told >= {"rouge", "js", "novel", "fragments", "bleu", "chrf++", "ter"}
    # nothing to compare with is another matter, and is told as such
    alone = score(texts("今天天气很好我们去公园散步", references=()), "rouge")
    assert "outputs-foreign" not in [note.code for note in alone.notes]


def test_two_references_where_one_is_allowed():
    two = texts(PLAIN, references=(PLAIN, "Another one."))
    scorer = Length(one_reference=True)
    with pytest.raises(UsageError, match="size compares with one reference, but input '1' has 2") as caught:
        score(two, scorer)
    assert "max_references=1 or --max-references 1" in str(caught.value)
    assert scorer.asked == 0
    assert np.isfinite(score(two, scorer, max_references=1).matrix("size")[0, 0])
    first = score(two, "rouge[variants=1]", max_references=1).matrix("rouge-1_f1")
    np.testing.assert_array_equal(first, score(texts(PLAIN), "rouge[variants=1]").matrix("rouge-1_f1"))


# ---- caches and disks


def test_a_page_that_is_damaged_is_noticed_and_told(tmp_path):
    path = tmp_path / "cache.sqlite"
    many = Texts({("a", str(k)): "x" * k for k in range(1, 800)}, references={str(k): ("r",) for k in range(1, 800)})
    whole = score(many, Length(), cache=path)
    data = bytearray(path.read_bytes())
    assert len(data) > 5 * 4096
    data[3 * 4096 : 4 * 4096] = b"\xff" * 4096
    path.write_bytes(data)
    (tmp_path / "cache.sqlite-journal").write_bytes(b"left behind")
    again = score(many, Length(), cache=path)
    np.testing.assert_array_equal(again.matrix("size"), whole.matrix("size"))
    assert [note["now"] for note in again.notes if note.code == "store-damaged"] == ["cache.sqlite.damaged"]
    assert (tmp_path / "cache.sqlite.damaged").read_bytes() == bytes(data)
    third = Length()
    assert score(many, third, cache=path).notes == ()
    assert third.asked == 0


def test_a_full_disk_under_the_cache_loses_nothing_that_was_kept(tmp_path, monkeypatch):
    path = tmp_path / "cache.sqlite"
    many = Texts({("a", str(k)): "x" * k for k in range(1, 800)}, references={str(k): ("r",) for k in range(1, 800)})
    whole = score(many, Length()).matrix("size")

    class Small(sqlite3.Connection):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            self.execute("pragma max_page_count = 6")  # from then on SQLite says that the disk is full

    first = Length()
    with monkeypatch.context() as disk:
        disk.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Small))
        with pytest.raises(DataError, match="the disk is full; free some space") as caught:
            score(many, first, cache=path, batch=50, processes=1)
    assert "\n" not in str(caught.value)
    second = Length()
    scores = score(many, second, cache=path)
    np.testing.assert_array_equal(scores.matrix("size"), whole)
    assert 0 < second.asked <= 799 - (first.asked - 50)


def test_a_full_disk_under_the_output_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "scores.csv"
    path.write_text("what was there\n")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="No space left on device"):
        write(score(texts(PLAIN), "length"), path)
    assert path.read_text() == "what was there\n"
    assert [p.name for p in tmp_path.iterdir()] == ["scores.csv"]


def test_killed_at_any_moment_it_goes_on_where_it_was(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent("""
        import os, signal, sys
        import numpy as np
        from metassay.core.texts import Texts
        from metassay.texts.scorers.base import Scorer
        from metassay.texts.scorers.scoring import score

        class Slow(Scorer):
            columns, needs, signature = ("size",), frozenset(), "slow|v:1"
            asked = 0
            def score(self, items):
                self.asked += len(items)
                if self.asked > int(sys.argv[2]):
                    os.kill(os.getpid(), signal.SIGKILL)
                return np.array([[float(len(item.output))] for item in items])

        slow = Slow()
        texts = Texts({("a", str(k)): "x" * k for k in range(20)})
        scores = score(texts, slow, cache=sys.argv[1], batch=1, processes=1)
        print(slow.asked, scores.matrix("size").tolist() == [list(range(20))])
        """)
    )
    cache = tmp_path / "cache.sqlite"

    def run(most):
        return subprocess.run(
            [sys.executable, str(program), str(cache), str(most)],
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )

    assert run(7).returncode == -signal.SIGKILL
    with sqlite3.connect(cache) as db:
        assert db.execute("select count(*) from entries").fetchone() == (7,)
    db.close()
    assert run(100).stdout == "13 True\n"
