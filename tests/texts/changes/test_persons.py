from __future__ import annotations

from itertools import pairwise

from hypothesis import given

from metassay.texts.changes.persons import mentions, people, renamed

from .conftest import HARD

NEWS = (
    "Paul Merson has restarted his row with Andros Townsend . Merson said Townsend was lucky in front of Roy Hodgson . "
    "The Sky Sports pundit works in Manchester United country . Townsend , who plays for Tottenham , hit back ."
)


def test_people_of_a_news_text():
    assert people(NEWS) == [("Paul", "Merson"), ("Andros", "Townsend"), ("Roy", "Hodgson")]


def test_institutions_places_and_words_are_no_people():
    assert people("The White House is in Washington . He met the Supreme Court in New York City . But He left .") == []


def test_titles_are_not_part_of_the_name():
    assert people("Detective Dennis McGowan came . Mr Smith said no .") == [("Dennis", "McGowan"), ("Smith",)]


def test_names_side_by_side_are_no_third_name():
    text = "Andros Townsend scored against Burnley Andros Townsend said . Andros Townsend left ."
    assert people(text) == [("Andros", "Townsend")]


def test_mentions_in_lower_case_and_in_part():
    text = "Paul merson met townsend . paul smiled at Andros Townsend's house ."
    found = [(text[m.start : m.end], m.part) for m in mentions(text, people(NEWS), NEWS)]
    assert found == [("Paul merson", "full"), ("townsend", "last"), ("paul", "first"), ("Andros Townsend", "full")]


def test_ordinary_words_are_no_names():
    source = "Will Cook said he will cook ."
    assert [m.start for m in mentions("will cook ! he will . Cook left", [("Will", "Cook")], source)] == [0, 22]


def test_names_inside_words_are_left_alone():
    assert mentions("annabel and hannah", [("Anna", "Bel")]) == []


def test_other_names_take_the_form_and_case_of_the_mention():
    name = ("Louis", "van", "Gaal")
    assert renamed("paul merson", "full", name, True) == "louis van gaal"
    assert renamed("Paul merson", "full", name, True) == "Louis van gaal"
    assert renamed("Paul Merson", "full", name, False) == "Louis van Gaal"
    assert renamed("MERSON", "last", name, False) == "GAAL"
    assert renamed("Paul", "first", name, False) == "Louis"


@given(HARD)
def test_hard_text_breaks_nothing(text):
    found = mentions(text, [*people(text), ("Paul", "Merson")], text)
    assert all(a.end <= b.start for a, b in pairwise(found))
