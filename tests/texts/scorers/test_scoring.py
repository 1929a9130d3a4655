import sqlite3

import numpy as np
import pytest

from metassay.core.note import Note
from metassay.core.texts import Texts
from metassay.errors import UnknownName, UsageError
from metassay.texts.scorers.base import Scorer
from metassay.texts.scorers.cache import Cache, key_of
from metassay.texts.scorers.registry import METRICS, Metric, make_scorers, register
from metassay.texts.scorers.scoring import score

TEXTS = Texts(
    {("a", "1"): "one two", ("b", "1"): "three", ("a", "2"): "four five six"}, references={"1": ("one", "two")}
)


class Words(Scorer):
    """Counts words, and how often it was asked."""

    columns = ("words",)
    needs = frozenset()

    def __init__(self, times: int = 1) -> None:
        self.times = times
        self.signature = f"words|times:{times}"
        self.asked = 0

    def score(self, items):
        self.asked += len(items)
        return np.array([[self.times * len(item.output.split())] for item in items], dtype=float)


class ReferenceCount(Words):
    columns = ("references",)
    needs = frozenset({"references"})

    def score(self, items):
        return np.array([[len(item.references)] for item in items], dtype=float)


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setattr("metassay.texts.scorers.registry.METRICS", METRICS)
    before = dict(METRICS)
    register(
        Metric("words", "Counts words.", f"{__name__}:Words", ()),
        Metric("far", "Far away.", "nowhere:Far", (), packages=("nowhere_at_all",), install="pip install nowhere"),
    )
    yield
    METRICS.clear()
    METRICS.update(before)


def test_every_output_gets_its_score():
    scores = score(TEXTS, Words())
    assert scores.systems == ("a", "b")
    np.testing.assert_array_equal(scores.matrix("words"), [[2, 3], [1, np.nan]])


def test_an_output_without_what_is_needed_is_missing_and_counted():
    scores = score(TEXTS, ReferenceCount())
    np.testing.assert_array_equal(scores.matrix("references"), [[2, np.nan], [2, np.nan]])
    assert scores.notes == (
        Note.of("outputs-without-score", scorer="words", n=1, outputs=3, lacking=[("references", 1)]),
    )


def test_what_is_in_the_cache_is_not_scored_again(tmp_path):
    path = tmp_path / "cache.sqlite"
    first, second, other = Words(), Words(), Words(times=2)
    score(TEXTS, first, cache=path, batch=1)
    np.testing.assert_array_equal(score(TEXTS, second, cache=path).matrix("words"), [[2, 3], [1, np.nan]])
    score(TEXTS, other, cache=path)
    assert (first.asked, second.asked, other.asked) == (3, 0, 3)


def test_a_run_that_dies_goes_on_where_it_was(tmp_path):
    class Dies(Words):
        def score(self, items):
            if self.asked == 2:
                raise KeyboardInterrupt
            return super().score(items)

    path = tmp_path / "cache.sqlite"
    with pytest.raises(KeyboardInterrupt):
        score(TEXTS, Dies(), cache=path, batch=1, processes=1)
    again = Words()
    scores = score(TEXTS, again, cache=path)
    assert again.asked == 1
    np.testing.assert_array_equal(scores.matrix("words"), [[2, 3], [1, np.nan]])


def test_a_damaged_cache_is_set_aside(tmp_path):
    path = tmp_path / "cache.sqlite"
    score(TEXTS, Words(), cache=path)
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))
    scores = score(TEXTS, Words(), cache=path)
    assert "store-damaged" in [note.code for note in scores.notes]
    assert (tmp_path / "cache.sqlite.damaged").exists()
    np.testing.assert_array_equal(scores.matrix("words"), [[2, 3], [1, np.nan]])


def test_a_value_that_was_cut_off_is_computed_again(tmp_path):
    path = tmp_path / "cache.sqlite"
    score(TEXTS, Words(), cache=path)
    with sqlite3.connect(path) as db:
        db.execute("update entries set value = x'00'")
    again = Words()
    score(TEXTS, again, cache=path)
    assert again.asked == 3


def test_a_cache_that_cannot_be_used_is_told_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot use the cache") as caught:
        score(TEXTS, Words(), cache=tmp_path / "file" / "cache.sqlite")
    assert "\n" not in str(caught.value)
    notes = tmp_path / "notes.txt"
    notes.write_text("not a cache")
    with pytest.raises(UsageError, match="is not a cache of scores"):
        score(TEXTS, Words(), cache=notes)
    assert notes.read_text() == "not a cache"
    with pytest.raises(UsageError, match="cannot use the cache"):
        score(TEXTS, Words(), cache=tmp_path / "nowhere" / "cache.sqlite")
    assert not (tmp_path / "nowhere").exists()


def test_the_key_depends_on_what_the_metric_looks_at_and_on_nothing_else():
    item = next(TEXTS.items())
    changed = item._replace(references=("other",), system="z")
    assert key_of(Words(), item) == key_of(Words(), changed)
    assert key_of(ReferenceCount(), item) != key_of(ReferenceCount(), changed)
    assert key_of(Words(), item) != key_of(Words(times=2), item)
    with Cache(None) as cache:
        cache.store({b"k": np.array([1.0, np.nan])})
        np.testing.assert_array_equal(cache.look_up([b"k", b"other"], 2)[b"k"], [1.0, np.nan])
        assert cache.look_up([b"k"], 1) == {}


def test_metrics_are_made_by_name_with_options(registered):
    (scorer,) = make_scorers("words[times=3]")
    assert scorer.signature == "words|times:3"
    with pytest.raises(UnknownName, match="unknown metric 'wrods'; did you mean 'words'"):
        make_scorers("wrods")
    with pytest.raises(UnknownName, match="unknown option of words 'tims'; did you mean 'times'"):
        make_scorers("words[tims=3]")
    with pytest.raises(UsageError, match=r"written option=value, got 'times'"):
        make_scorers("words[times]")
    with pytest.raises(UsageError, match="two metrics give the score 'words'"):
        make_scorers("words,words[times=2]")
    with pytest.raises(UsageError, match="far needs nowhere_at_all, not installed here; run: pip install nowhere"):
        make_scorers("far")


def test_processes_give_the_same_scores(monkeypatch):
    from metassay import engine
    from metassay.texts.scorers.overlap import ChrF

    monkeypatch.setattr(engine, "WORTH_PROCESSES", 0.0)
    texts = Texts({(f"s{i}", "1"): "a word " * i for i in range(1, 5)}, references={"1": ("a word or two",)})
    alone = score(texts, ChrF(), processes=1, batch=1).matrix("chrf")
    together = score(texts, ChrF(), processes=2, batch=1).matrix("chrf")
    np.testing.assert_array_equal(alone, together)
    assert np.isfinite(alone).all()


class Model(Words):
    """Has something that cannot be sent to another process, and learns from the collection."""

    in_process = True

    def __init__(self, longest: int = 0) -> None:
        super().__init__()
        self.longest = longest
        self.signature = "model" + (f"|longest:{longest}" if longest else "") + "|v:1"
        self.connection = lambda: None
        self.sizes = []

    def fitted(self, items):
        made = Model(max(len(item.output.split()) for item in items))
        made.sizes = self.sizes
        return made

    def notes(self, items):
        return (f"{len(items)} items seen",)

    def score(self, items):
        self.sizes.append(len(items))
        return super().score(items) / self.longest


def test_a_metric_with_a_model_stays_in_this_process_and_gets_large_batches(monkeypatch):
    from metassay import engine

    monkeypatch.setattr(engine, "WORTH_PROCESSES", 0.0)
    texts = Texts({("a", str(k)): "word " * (k % 7 + 1) + str(k) for k in range(700)})
    model = Model()
    scores = score(texts, model, processes=2)
    assert model.sizes == [500, 200]
    assert scores.matrix("words").max() == 1
    assert Scorer().batch == 200


def test_what_was_learnt_from_the_collection_is_in_the_recipe_and_the_cache(tmp_path):
    path = tmp_path / "cache.sqlite"
    scores = score(TEXTS, Model(), cache=path)
    assert scores.sources[-1] == ("", "model|longest:3|v:1")
    assert scores.notes == (Note.of("scorer", scorer="model", message="3 items seen"),)
    part = score(TEXTS.select(inputs=["1"]), Model(), cache=path)
    assert part.sources[-1] == ("", "model|longest:2|v:1")
    np.testing.assert_array_equal(part.matrix("words")[:, 0], [1, 0.5])


def test_notes_survive_merging_and_selecting():
    noted, other = score(TEXTS, Model()), score(TEXTS, ReferenceCount())
    merged = noted.merge(other)
    assert merged.notes == noted.notes + other.notes
    assert merged.select(systems=["a"]).notes == merged.notes


def test_what_has_no_score_is_tried_again(tmp_path):
    class Fails(Words):
        def score(self, items):
            return np.where([[item.output == "three"] for item in items], np.nan, super().score(items))

    path = tmp_path / "cache.sqlite"
    first, second, third = Fails(), Words(), Words()
    assert score(TEXTS, first, cache=path).notes == (
        Note.of("outputs-without-score", scorer="words", n=1, outputs=3, lacking=[]),
    )
    assert score(TEXTS, second, cache=path).notes == ()
    score(TEXTS, third, cache=path)
    assert (first.asked, second.asked, third.asked) == (3, 1, 0)


def test_people_are_compared_with_the_others():
    texts = Texts({("A", "1"): "x y", ("B", "1"): "y z", ("m", "1"): "x z"}, references={"1": ("x y", "y z")})
    whole = score(texts, "rouge[variants=1,measures=f1]", processes=1).matrix("rouge-1_f1")[:, 0]
    left = score(texts, "rouge[variants=1,measures=f1]", processes=1, leave_own_out=True)
    np.testing.assert_allclose(whole, [1, 1, 1 / 2])
    np.testing.assert_allclose(left.matrix("rouge-1_f1")[:, 0], [1 / 2, 1 / 2, 1 / 2])
    assert Note.of("outputs-among-references", n=2, outputs=3) in left.notes
