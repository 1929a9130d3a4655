from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metassay.core.note import Note
from metassay.core.texts import Texts
from metassay.errors import UnknownName, UsageError
from metassay.texts.changes.analysis import BuiltIn
from metassay.texts.changes.corruptions import corrupt
from metassay.texts.changes.edits import Setting
from metassay.texts.changes.kinds import KINDS
from metassay.texts.segments import sentences, words

from .conftest import HARD

pytest.importorskip("textblob", reason="run: pip install 'metassay[text]'")

ANYWHERE = sorted(set(KINDS) - {"name-swap", "position-swap"})
"""Kinds that find something to change in any English prose."""
pytest.importorskip("lemminflect", reason="run: pip install 'metassay[text]'")

SOURCE = (
    "Paul Merson met Andros Townsend . Merson said he scored 19 goals in 2014 , 7 in 2011 . Townsend , who lost 2-1 ."
)


def one(text, kind, source=SOURCE, **options):
    texts = Texts({("a", "1"): text}, sources={} if source is None else {"1": source})
    return corrupt(texts, kind, **options).texts.outputs["a", "1"]


def replay(result, originals):
    """Return the originals with the recorded changes applied from the back."""
    texts = dict(originals)
    for change in reversed(result.changes):
        key = change.system, change.input
        text, end = texts[key], change.position + len(change.before)
        assert originals[key][change.position : end] == change.before
        texts[key] = text[: change.position] + change.after + text[end:]
    return texts


# -- what each kind does ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("He was brought on .", "He be bring on ."),
        ("Has he gone? They're leaving.", "Have he go? They be leave."),
        ("THEY WERE WALKING .", "THEY BE WALK ."),
        ("The injured man left .", "The injured man leave ."),  # an adjective is no verb
        ("manchester united were beaten .", "manchester united be beat ."),
        ("She did n't say , he 's ill .", "She do n't say , he 's ill ."),  # 's may be is, has, or a genitive
        ("I can go", "I can go"),
        ("", ""),
    ],
)
def test_lemmatize(before, after):
    assert one(before, "lemmatize", "Manchester United won .") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("He is ill .", "He is not ill ."),
        ("He is not ill .", "He is ill ."),
        ("He ca n't go .", "He can go ."),
        ("He won't go.", "He will go."),
        ("He cannot go .", "He can go ."),
        ("She scored twice .", "She did not score twice ."),
        ("She wants it .", "She does not want it ."),
        ("No verb here .", "No verb here ."),
    ],
)
def test_negate(before, after):
    assert one(before, "negate") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("merson spoke .", "townsend spoke ."),
        ("Paul merson spoke to merson .", "Andros townsend spoke to townsend ."),
        ("Paul Merson's goal", "Andros Townsend's goal"),
        ("Nobody spoke .", "Nobody spoke ."),
    ],
)
def test_swap_persons(before, after):
    assert one(before, "swap-persons") == after


def test_swap_numbers_keeps_the_kind_of_number():
    # of the source: years 2014 and 2011, plain 19 and 7, and no ordinal but the text's own
    assert one("In 2014 he scored 7 goals , the 83rd .", "swap-numbers") == "In 2011 he scored 19 goals , the 83rd ."
    assert one("two of 5", "swap-numbers", "ten of 6") == "ten of 6"
    assert one("Two or three", "swap-numbers", None) == "Three or two"  # without a source, from the text itself


def test_shuffle_moves_every_sentence():
    text = "One .\nTwo .  Three . Four ."
    moved = one(text, "shuffle")
    slots = [moved[start:end] for start, end in sentences(moved)]
    assert sorted(slots) == ["Four .", "One .", "Three .", "Two ."]
    assert all(a != b for a, b in zip(slots, ["One .", "Two .", "Three .", "Four ."], strict=True))
    assert one("One . Two .", "shuffle") == "Two . One ."
    assert one("Same . Same .", "shuffle") == "Same . Same ."
    assert one("Alone .", "shuffle") == "Alone ."
    assert sorted(one("我来。你去。", "shuffle").split("。")) == ["", "你去", "我来"]


def test_repeat_drop_and_truncate():
    assert one("A b .\nC d .", "repeat") == "A b .\nA b .\nC d .\nC d ."
    assert one("Alone .", "repeat") == "Alone . Alone ."
    assert one("a b , c .", "drop-words", rate=1) == ", ."
    assert one("a b , c .", "truncate", rate=0.5).split() in (["a"], ["a", "b"])
    assert one("a b , c .", "truncate", rate=1) == ""
    assert one("a b", "truncate", rate=0) == "a b"


# -- what all of them keep ----------------------------------------------------------------------


@settings(max_examples=60)
@given(HARD, HARD, st.sampled_from(sorted(KINDS)), st.floats(0, 1), st.integers(0, 3))
def test_changes_are_all_that_changes(text, source, kind, rate, seed):
    texts = Texts({("a", "1"): text}, sources={"1": source + SOURCE})
    result = corrupt(texts, kind, rate=rate, seed=seed)
    assert replay(result, texts.outputs) == dict(result.texts.outputs)
    assert all(change.before != change.after for change in result.changes)
    (row,) = result.table
    assert row.n_changes == len(result.changes) <= max(row.n_units, 1)
    assert (rate == 0) <= (not result.changes)


@settings(max_examples=60)
@given(HARD, st.floats(0, 1))
def test_shuffle_keeps_the_sentences(text, rate):
    result = corrupt(Texts({("a", "1"): text}), "shuffle", rate=rate)
    assert Counter(c.before for c in result.changes) == Counter(c.after for c in result.changes)
    pieces = {text[start:end] for start, end in sentences(text)}
    assert all(change.before in pieces for change in result.changes)


@settings(max_examples=60)
@given(HARD, st.floats(0, 1))
def test_drop_and_truncate_only_take_away(text, rate):
    kept = one(text, "drop-words", None, rate=rate)
    rest = iter(text)
    assert all(letter in rest for letter in kept)  # a subsequence
    assert text.startswith(one(text, "truncate", None, rate=rate))


@settings(max_examples=40)
@given(HARD)
def test_lemmatize_keeps_all_but_verbs(text):
    verbs = {(v.start, v.end): v.lemma for v in BuiltIn({"verbs"}).verbs(text, "")}
    for change in corrupt(Texts({("a", "1"): text}), "lemmatize").changes:
        lemma = verbs[change.position, change.position + len(change.before)]
        assert change.after == lemma
        assert not set(change.before) & set(" \n\t.")


def test_a_text_is_damaged_the_same_whatever_stands_beside_it(summeval):
    few = summeval.select(systems=["M0", "M8"], inputs=summeval.inputs[5:9])
    everything = corrupt(summeval, "shuffle", rate=0.7, seed=3).texts.outputs
    for key, text in corrupt(few, "shuffle", rate=0.7, seed=3).texts.outputs.items():
        assert everything[key] == text
    backwards = Texts(dict(reversed(few.outputs.items())), sources=dict(few.sources))
    again = corrupt(backwards, "shuffle", rate=0.7, seed=3).texts.outputs
    assert again == {key: everything[key] for key in few.outputs}


def test_seeds_and_kinds_differ(summeval):
    few = summeval.select(systems=["M0"])
    a, b = (corrupt(few, "drop-words", seed=seed).texts.outputs for seed in (0, 1))
    assert a != b
    assert corrupt(few, "drop-words", seed=0).texts.outputs == a


def test_the_rate_is_met_on_average_and_nested(summeval):
    few = summeval.select(systems=["M0", "M11"])
    for rate in (0.1, 0.5, 0.9):
        result = corrupt(few, "drop-words", rate=rate)
        units = sum(row.n_units for row in result.table)
        assert abs(len(result.changes) / units - rate) < 0.01
        swaps = corrupt(few, "swap-persons", rate=rate)
        persons = sum(row.n_units for row in swaps.table)
        assert abs(len(swaps.changes) / persons - rate) < 0.05
    few_sets = [set(Setting("", "", (), BuiltIn(()), r, Repeating()).chosen(9)) for r in (0.0, 0.2, 0.5, 0.8, 1.0)]
    assert all(a <= b for a, b in pairwise(few_sets))
    assert few_sets[0] == set()
    assert few_sets[-1] == set(range(9))


class Repeating:
    """The same random numbers for everyone who asks."""

    def __init__(self):
        self.numbers = iter([0.42, 0.17, 0.93, 0.55, 0.08, 0.71, 0.29, 0.64, 0.36, 0.5])

    def __call__(self):
        return next(self.numbers)


@pytest.mark.parametrize("kind", ANYWHERE)
def test_the_summaries_of_summeval(kind, summeval):
    """All 1,600; only for negation, which is slow, those of half of the systems."""
    if kind == "negate":
        summeval = summeval.select(systems=summeval.systems[::2])
    result = corrupt(summeval, kind)
    assert replay(result, summeval.outputs) == dict(result.texts.outputs)
    assert result.texts.sources == summeval.sources
    assert result.texts.references == summeval.references
    changed = sum(row.n_changed_texts for row in result.table)
    assert changed > {"swap-persons": 1_100, "swap-numbers": 900, "negate": 780}.get(kind, 1_500)
    for (system, key), text in result.texts.outputs.items():
        before = summeval.outputs[system, key]
        if kind == "shuffle":
            assert Counter(text.split()) == Counter(before.split())
        if kind in ("lemmatize", "swap-numbers"):
            assert len(words(text)) == len(words(before))


def test_swapping_keeps_everything_but_names_of_summeval(summeval):
    """What goes is a name of the source, what comes is another one, and between the names nothing moves."""
    few = summeval.select(systems=summeval.systems[::4])
    finder = BuiltIn({"people"})
    people = {
        key: [{part.lower() for part in name} for name in finder.people(source)] for key, source in few.sources.items()
    }
    result = corrupt(few, "swap-persons")
    assert len(result.changes) > 500
    for change in result.changes:
        gone, come = (
            {word.lower().removesuffix("'s") for word in text.split()} for text in (change.before, change.after)
        )
        assert any(gone <= name for name in people[change.input]), change
        assert any(come <= name for name in people[change.input]), change
        assert gone != come


def test_lemmatizing_keeps_all_but_verbs_of_summeval(summeval):
    few = summeval.select(systems=summeval.systems[::8])
    finder = BuiltIn({"verbs"})
    result = corrupt(few, "lemmatize")
    changed = {(c.system, c.input, c.position, c.before, c.after) for c in result.changes}
    allowed = {
        (item.system, item.input, verb.start, item.output[verb.start : verb.end], verb.lemma)
        for item in few.items()
        for verb in finder.verbs(item.output, item.source or "")
    }
    assert len(changed) > 1_000
    assert changed <= allowed


def test_shuffling_keeps_the_sentences_of_summeval(summeval):
    few = summeval.select(systems=summeval.systems[::4])
    result = corrupt(few, "shuffle")
    for key, text in few.outputs.items():
        mine = [change for change in result.changes if (change.system, change.input) == key]
        assert Counter(change.before for change in mine) == Counter(change.after for change in mine)
        spans = {text[start:end] for start, end in sentences(text)}
        assert {change.before for change in mine} <= spans


# -- the borders --------------------------------------------------------------------------------


def test_other_systems_stay():
    texts = Texts({("a", "1"): "One . Two .", ("b", "1"): "One . Two .", ("b", "2"): "x"})
    result = corrupt(texts, "shuffle", systems="a")
    assert result.texts.outputs == {("a", "1"): "Two . One .", ("b", "1"): "One . Two .", ("b", "2"): "x"}
    assert [row.system for row in result.table] == ["a"]
    with pytest.raises(UnknownName, match="unknown system 'c'"):
        corrupt(texts, "shuffle", systems="a,c")
    with pytest.raises(UsageError, match="no system given"):
        corrupt(texts, "shuffle", systems=[])


def test_texts_without_spaces_are_left_alone_and_counted():
    texts = Texts({("a", "1"): "我们明天见。他来了。", ("a", "2"): "plain words here"})
    result = corrupt(texts, "drop-words", rate=1)
    assert result.texts.outputs["a", "1"] == "我们明天见。他来了。"
    assert result.texts.outputs["a", "2"] == ""
    assert Note.of("texts-without-spaces", n=1, texts=2) in result.notes


def test_texts_without_sources():
    with pytest.raises(UsageError, match="takes other persons from the source texts, and there are none"):
        one("Merson", "swap-persons", None)
    texts = Texts({("a", "1"): "Merson", ("a", "2"): "Merson"}, sources={"1": SOURCE})
    result = corrupt(texts, "swap-persons")
    assert result.texts.outputs == {("a", "1"): "Townsend", ("a", "2"): "Merson"}
    assert Note.of("texts-without-source", n=1, texts=2) in result.notes


@pytest.mark.parametrize("kind", ["lemmatize", "negate"])
def test_english_rules_refuse_other_languages(kind):
    with pytest.raises(UsageError, match="know only English"):
        corrupt(Texts({("a", "1"): "El perro era feliz"}, language="es"), kind)


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan"), 20])
def test_rates_beyond_the_borders(rate):
    with pytest.raises(UsageError, match=r"rate must lie in \[0, 1\]"):
        one("a", "shuffle", rate=rate)


def test_unknown_kinds_and_backends():
    with pytest.raises(UnknownName, match="did you mean 'shuffle'"):
        one("a", "shufle")
    with pytest.raises(UsageError, match="backend must be built-in or spacy:PIPELINE"):
        one("a", "shuffle", backend="nltk")


@pytest.mark.parametrize("kind", ANYWHERE)
def test_a_megabyte_in_a_cell(kind):
    size = 17_000 if kind in ("shuffle", "repeat", "truncate") else 1_500
    text = "Paul Merson was happy with 19 goals . It rained and he left .\n" * size
    result = corrupt(Texts({("a", "1"): text}, sources={"1": SOURCE}), kind)
    (row,) = result.table
    assert row.n_units >= 1_500
    assert result.texts.outputs["a", "1"] != text


def test_a_result_reads_well():
    result = corrupt(Texts({("a", "1"): "One . Two ."}), "shuffle")
    assert "shuffle, rate 1, against coherence" in str(result)
    assert result.change_rows()[0] == {"system": "a", "input": "1", "position": 0, "before": "One .", "after": "Two ."}
    assert str(result.signature).startswith("study:corrupt|kind:shuffle|rate:1|seed:0|backend:built-in|")
    assert result.texts.provenance[-1] == ("corrupted", "kind:shuffle, rate:1, seed:0, built-in")


def test_missing_packages_are_told_before_any_work(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "textblob", None)
    monkeypatch.setitem(sys.modules, "textblob.en", None)
    with pytest.raises(UsageError, match=r"run: pip install 'metassay\[text\]'"):
        one("He was", "lemmatize")
    assert one("One . Two .", "shuffle") == "Two . One ."
