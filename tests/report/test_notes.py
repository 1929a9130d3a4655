"""Notes as sentences: every code has one, every sentence is used, and what is alike shares a line."""

import ast
import json
import pickle
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from string import Formatter

import numpy as np
import pytest

import metassay as ma
from metassay.core.note import Note
from metassay.core.records import encode
from metassay.report import views
from metassay.report.notes import SENTENCES, sentence, sentences
from metassay.report.table import Page, Paragraph

SOURCE = Path(ma.__file__).parent
PLACE = ("share", 0.0, 0.25)
COUNTS = {"n": 2, "outputs": 5, "texts": 5, "systems": 4, "inputs": 30, "resamples": 100, "alpha": 0.05, "metrics": 3}
OTHER = {"other": "boot-systems", "other_needs": 1}
WHERE = {"human": "relevance", "level": "input", "statistic": "kendall", "metric": "rouge"}
PLAN = {
    "metric": "rouge",
    "metric_b": None,
    "human": "relevance",
    "axis": "systems",
    "annotators": None,
    "power": None,
    "systems": 14,
    "inputs": 80.0,
    "width": 0.42,
    "width_data": 0.31,
    "difference": None,
    "target": 0.2,
    "reached": False,
    "needed": (("systems", 14, 60),),
    "limits": (("inputs", 640, 0.3), ("annotators", 8, None)),
}
NEXT = {
    **{key: PLAN[key] for key in ("metric", "metric_b", "human", "axis", "annotators", "power")},
    **{"level": "system", "statistic": "kendall", "next": 100, "ceiling": 0.9},
    "gains": (("systems", -0.05), ("inputs", -0.01)),
}
EXAMPLES = {
    "annotation-simulated": {"n": 20, "inputs": 80, "seed": 0},
    "annotators-unknown": {"human": "relevance", "annotators": 0},
    "buckets-undefined": {"anchor": "length", "n": 2, "pair": (("rouge", "relevance"),)},
    "buckets-unsuitable": {"anchor": "length", "n": 40},
    "columns-excluded": {"reason": "gaps", "columns": ("rouge",)},
    "composite": {"columns": 3, "groups": (("people", 4), ("machines", 9)), "folds": None},
    "correlation-undefined": {"pair": (("rouge", "relevance"), ("chrf", "relevance"))},
    "damage-incomplete": {"changed": (("swap", 1.0, 0.529),)},
    "false-positives": {"method": "perm-both", "alpha": 0.05, "rates": (("system", 0.24, 2, 3),)},
    "files-of-other-levels": {"file": "wmt20", "levels": (("system", 3), ("domain", 1))},
    "gap-all-tied": {**WHERE, "place": PLACE},
    "bias-found": {
        "metric": "judge",
        "feature": "twice as long",
        "effect": 0.2,
        "low": 0.1,
        "high": 0.3,
        "unit": "points",
        "held": "difference",
        "confidence": 0.95,
        "human": "fluency",
    },
    "few-clusters": {"metric": "people", "unit": "inputs", "n": 3},
    "gap-resamples-undefined": {"n": 3, "resamples": 100, "affected": 2, "rows": 9, "metric": "rouge", "place": PLACE},
    "gap-without-pairs": {**WHERE, "place": ("bounds", 0.0, 0.5)},
    "gaps-between-ranks": {
        **{"metric": "people", "unit": "votes", "n": 900, "pairs": 6, "same": (("a", "b"),), "power": 0.8},
        **{"one": "a", "other": "b", "difference": 0.1, "low": -0.1, "high": 0.3, "confidence": 0.95, "needed": 4000},
    },
    "generalises": {"method": "two-way", "to": "both"},
    "inputs-differ": {"n": 2, "columns": 3, "alpha": 0.05, "others": ("rouge",)},
    "inputs-unpaired": {"human": "relevance", "n": 20, "inputs": 80, "how": "swaps", "others": True},
    "judge-answer": {
        **{
            "judge": "gpt",
            "human": "verdict",
            "kind": "labels",
            "statistic": "accuracy",
            "n_items": 600,
            "n_people": 3,
        },
        **{"estimate": 0.89, "low": 0.86, "high": 0.92, "confidence": 0.95, "single": 0.84, "people": 0.85},
        **{"gap": -0.01, "gap_low": -0.03, "gap_high": 0.01, "base": 0.6, "base_label": "pass", "passed": True},
        "epsilon": 0.2,
    },
    "judge-beside": {
        **{"judge": "gpt", "human": "verdict", "statistic": "accuracy", "n_people": 3, "single": 0.84, "people": 0.85},
        **{"gap": -0.01, "gap_low": -0.03, "gap_high": 0.01, "passed": True, "epsilon": 0.2},
    },
    "judge-watch-chance": {
        **{"judge": "gpt", "human": "x", "statistic": "kappa", "estimate": 0.1, "low": -0.1, "high": 0.3},
    },
    "judge-watch-bias": {
        "judge": "gpt",
        "human": "x",
        "kind": "labels",
        "label": "pass",
        "bias": 0.1,
        "low": 0.05,
        "high": 0.15,
    },
    "judge-watch-slice": {
        **{"judge": "gpt", "human": "verdict", "attribute": "category", "value": "maths", "statistic": "accuracy"},
        **{"estimate": 0.69, "low": 0.6, "high": 0.8, "elsewhere": 0.96, "n_items": 152},
    },
    "judge-votes": {
        **{"judge": "gpt", "agreement": 0.7, "low": 0.6, "high": 0.8, "confidence": 0.95, "n": 90},
        **{"single": 0.66, "people": 0.9},
    },
    "judge-threshold": {
        **{"judge": "gpt", "human": "x", "threshold": 4, "rule": "precision", "target": 0.9, "accuracy": 0.7},
    },
    "judge-unscored": {"scorer": "judge", "answers": 9, "reasons": (("empty", 2), ("cut", 1)), "rejection": None},
    "judge-usage": {
        "scorer": "judge",
        "requests": 1200,
        "repeats": 1,
        "tokens": (3000, 40),
        "cost": 0.25,
        "prices": (1.0, 2.0),
        "uncounted": 1,
    },
    "bias-undefined": {"feature": "length", "metric": "judge", "reason": "few", "least": 5},
    "no-interval": {**WHERE, "task": "", "method": "jackknife", "reason": "few-systems", "needs": 5, "has": 4, **OTHER},
    "no-test": {
        **{**WHERE, "method": "jackknife", "reason": "few-inputs", "needs": 2, "has": 1, **OTHER},
        "pair": (("rouge", "bleu"),),
    },
    "one-system-carries": {
        "human": "relevance",
        "level": "system",
        "statistic": "pearson",
        "rows": (("rouge", 0.96, "M11", 0.61, 0.7, 0.66),),
    },
    "differences-needed": {
        "needed": (("system", "kendall", 0.4), ("input", "pearson", float("inf"))),
        "tests": 12,
        "alpha": 0.05,
    },
    "labels-judge-only": {"human": "label", "labels": (("gpt", ("Time",)),)},
    "labels-people-only": {"human": "label", "labels": (("gpt", ("Time",)),)},
    "labels-needed": {
        "human": "label",
        "metric": "judge",
        "target": 0.03,
        "needed": (("accuracy", 0.07, 1200, None),),
        "n": 200,
    },
    "labels-worth-each": {"human": "label", "n": 200, "worths": (("judge", 540), ("other", 300))},
    "method-on-averages": {"method": "fisher"},
    "no-composite": {"least": 3, "groups": (("people", 2),)},
    "no-questions": {"scorer": "qaeval", "n": 1, "outputs": 3},
    "outputs-unreadable": {**COUNTS, "scorer": "rouge", "why": "unreadable", "tokens": "rouge", "lacking": "score"},
    "outputs-without-score": {**COUNTS, "scorer": "rouge", "lacking": (("references", 2),)},
    "pairs-dependent": {"drawn": "both"},
    "pairs-not-tested": {"pairs": (("a", "b"),), "metric": "rouge"},
    "pairs-significant": {
        "groups": (None, None),
        "pairs": 91,
        "columns": 2,
        "people": True,
        "ordered": False,
        "correction": "holm",
        "found": (("paired-t", "theory", 40), ("wilcoxon", "theory", 1234)),
    },
    "partial-undefined": {"anchor": "length", "method": "bucket", "pair": (("rouge", "relevance"),)},
    "phrases-as-words": {**COUNTS, "scorer": "bleu", "remedy": "tokenize"},
    "plan": PLAN,
    "plan-next": NEXT,
    "raters-one-position": {"raters": (("anna", 30),)},
    "resamples-often-undefined": {"pair": (("rouge", "relevance"),)},
    "scores-lacking": {"scorer": "judge", "columns": (("judge_coherence", 12),)},
    "strength-unbounded": {"metric": "people", "always": ("x",), "never": (), "virtual": 0.5},
    "metrics-in-some-tasks": {"tasks": (("bleu", 2), ("comet", 1))},
    "survival-generalises": {"resample": "both"},
    "systems-in-several-tasks": {"n": 3, "of": 12},
    "systems-untestable": {"least": 1, "most": 3},
    "units-undefined": {**WHERE, "n": 2, "units": 80},
    "votes-contradictory": {"raters": (("anna", 1),)},
    "votes-repeated": {"raters": (("anna", 3),)},
    "width-change": {**WHERE, "changes": (("boot-inputs", -0.2), ("boot-both", 0.0)), "metrics": 2},
    "world-fitted": {"shares": (("a", 0.1, 0.2), ("b", 0.3, 0.2), ("people", 0.5, 0.1)), "bias": (0.5, 1.25)},
}
"""Facts of notes whose words depend on what the facts are; of templates the fields say enough."""


def notes_in_source():
    """Return the code and the names of facts of every note that the source makes."""
    for file in SOURCE.rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            how = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
            at = {"Note.of": 0, "no_number": 0, "self._counted": 0, "Note.when": 1}.get(how)
            if at is not None and len(call.args) > at and isinstance(call.args[at], ast.Constant):
                yield call.args[at].value, [word.arg for word in call.keywords]


def example(code):
    """Return facts for a code: those above, or one for each field of its template."""
    if code in EXAMPLES:
        return EXAMPLES[code]
    facts = {}
    for _, field, spec, _ in Formatter().parse(SENTENCES[code].text):
        kind = (spec or "").split(" ")[0]
        number = kind in ("count", "plural", "percent", "change", "most", "range") or kind[-1:] in tuple(",gf")
        if field is not None:
            facts[field] = ("one", "other") if kind in ("list", "len", "several") else 3 if number else "name"
    return facts


def test_every_note_has_a_sentence_and_every_sentence_is_used():
    assert {code for code, _ in notes_in_source()} == set(SENTENCES)


def test_facts_are_not_called_like_what_json_has_beside_them():
    assert not [code for code, facts in notes_in_source() if {"code", "text"} & set(facts)]


@pytest.mark.parametrize("code", SENTENCES)
def test_sentences_can_be_said(code):
    text = sentence(Note.of(code, **example(code)))
    assert text == text.strip()
    assert "{" not in text
    assert "None" not in text.removeprefix("None of the")
    assert code in ("as-written", "scorer", "dataset-absent", "paper-remark") or text.endswith(".")


@pytest.mark.parametrize("code", SENTENCES)
def test_sentences_have_no_private_idiom(code):
    text = sentence(Note.of(code, **example(code)))
    for words in ("told apart", "like these", "established", "left out", "liking", "left the average", "people gave"):
        assert words not in text


def test_names_that_differ_share_a_line_and_the_weightiest_note_is_first():
    notes = [
        Note.of("cells-missing", column="rouge", n=3, cells=100),
        Note.of("cells-missing", column="length", n=4, cells=100),
        Note.of("cells-missing", column="chrf", n=3, cells=100),
        Note.of("resamples-few", n=10, least=100),
    ]
    assert sentences(notes) == (
        "Intervals from 10 resamples are imprecise; use at least 100, better thousands.",
        "rouge, chrf, length: up to 4 of 100 cells missing in each.",
    )
    assert sentences(notes[:1]) == ("rouge: 3 of 100 cells missing.",)
    assert sentences([]) == ()


def test_counts_that_differ_share_a_line_with_the_largest():
    def note(metric, statistic, n):
        return Note.of("units-undefined", **WHERE | {"metric": metric, "statistic": statistic}, n=n, units=80)

    one, other = note("rouge", "kendall", 2), note("rouge", "pearson", 2)
    assert sentences([one]) == (
        "relevance, input level, Kendall: 2 of 80 inputs are undefined (constant scores, or fewer than two) and "
        "excluded from the mean (rouge).",
    )
    assert "input level, Kendall, Pearson: 2 of 80" in sentences([one, other])[0]
    (joined,) = sentences([one, other, note("chrf", "kendall", 12)])
    assert "up to 12 of 80" in joined
    assert "(rouge, chrf)" in joined


def test_notes_on_labels_of_several_judges_are_one_line():
    notes = [
        Note.of("labels-people-only", human="label", labels=[(judge, labels)])
        for judge, labels in (("a", ["Time"]), ("b", ["Part", "Time"]), ("c", ["Time"]))
    ]
    assert sentences(notes) == ("label: labels used by people, but never by the judge: a, c (Time), b (Part, Time).",)


def test_what_several_raters_say_alike_is_one_sentence():
    result = ma.rank(ma.read_votes(files("metassay") / "data" / "votes.csv"), human="dora,emil", metric="judge,farah")
    first = next(note for note in result.notes if note.code == "ranking-best")
    alike = replace(result, notes=tuple(Note.of(first.code, **{**first.facts, "metric": who}) for who in ("x", "y")))
    assert views.page(alike).said == ("fir is best according to x, y: significantly better than each of the other 5.",)


def test_units_of_a_ranking_are_named_and_names_of_systems_kept():
    facts = {**EXAMPLES["gaps-between-ranks"], "unit": "inputs", "metric": "upvotes", "one": "votes-7b"}
    text = sentence(Note.of("gaps-between-ranks", **facts))
    assert "According to upvotes," in text
    assert "To separate votes-7b from b" in text
    assert "collect about 4,000 inputs (now 900)" in text


def test_what_all_paragraphs_say_is_said_once():
    page = Page("compare", (), (), "", tuple(Paragraph((f"{name} is best.", "None is ruled out.")) for name in "ab"))
    assert page.said == ("a is best.", "b is best.", "None is ruled out.")
    assert replace(page, lead=page.lead[:1]).said == ("a is best. None is ruled out.",)
    assert replace(page, lead=()).said == ()


def test_a_plan_says_what_is_needed_and_what_is_never_enough():
    text = sentence(Note.of("plan", **PLAN))
    now = "(now 14 systems × 80 inputs: 0.42 on average, 0.31 in these data)"
    assert f": a mean interval width of 0.2 needs about 60 systems {now}." in text
    assert "80 inputs: 0.42)." in sentence(Note.of("plan", **PLAN | {"width_data": None}))
    never = sentence(Note.of("plan", **PLAN | {"needed": (), "limits": (("inputs", 160, 0.3),)}))
    assert never.startswith("rouge, relevance: no number of inputs (limit 0.30) is enough for a mean interval width")
    assert "No number of inputs (limit 0.30) is enough." in text
    assert "Even 8 annotators are not enough." in text
    assert (
        "The next 100 judged outputs help most as systems: change in interval width -5.0% (-1.0% as inputs)."
        in sentence(Note.of("plan-next", **NEXT))
    )
    power = PLAN | {"power": 0.41, "metric_b": "chrf", "width": None, "difference": 0.1, "target": 0.8}
    assert (
        "a power of 80% to detect a difference of 0.1 needs about 60 systems (now 14 systems × 80 inputs: 41%)"
        in sentence(Note.of("plan", **power))
    )
    met = PLAN | {"reached": True, "needed": (("systems", 14, 9),), "limits": ()}
    assert "in these data); about 9 systems would suffice." in sentence(Note.of("plan", **met))
    least = met | {"at_most": ("systems",)}
    assert "in these data); about 9 systems (or fewer) would suffice." in sentence(Note.of("plan", **least))


def test_systems_that_differ_are_counted_by_test_and_cut_off():
    facts = EXAMPLES["pairs-significant"]
    assert sentence(Note.of("pairs-significant", **facts)) == (
        "Significantly different (after Holm correction) of 2 metrics and criteria × 91 pairs of systems: "
        "paired-t 40, wilcoxon 1,234."
    )
    groups = facts | {"groups": ("people", "machines"), "columns": 1, "pairs": 1, "correction": "none"}
    assert sentence(Note.of("pairs-significant", **groups)).startswith(
        "Significantly different (without correction) of 1 people × machines pair:"
    )


def test_names_stay_on_one_line():
    text = sentence(Note.of("cells-missing", column="a\nb", n=1, cells=2))
    assert text == "a\\nb: 1 of 2 cells missing."


def test_notes_are_plain_values():
    note = Note.of("cells-missing", column="rouge", n=np.int64(3), cells=np.array([1.5, 2.0]), more=["a", ("b", 1)])
    assert dict(note.facts) == {"column": "rouge", "n": 3, "cells": (1.5, 2.0), "more": ("a", ("b", 1))}
    assert type(note["n"]) is int
    assert pickle.loads(pickle.dumps(note)) == note
    assert hash(note) == hash(Note.of("cells-missing", **note.facts))
    assert note != Note.of("cells-missing", column="rouge", n=4)
    assert json.loads(json.dumps(encode(note.facts)))["more"] == ["a", ["b", 1]]


def test_a_note_prints_as_its_sentence_and_shows_its_facts():
    note = Note.of("references-excluded", n=1)
    assert str(note) == "1 human-written reference that was scored as systems is excluded."
    assert repr(note) == "Note.of('references-excluded', n=1)"


def test_json_has_code_text_and_facts(tmp_path):
    result = ma.agree(ma.example(), human="relevance", metric="synthetic-judge", interval="boot-both", resamples=20)
    path = tmp_path / "result.json"
    data = json.loads(result.to_json(path))
    few = next(note for note in data["notes"] if note["code"] == "resamples-few")
    assert few == {
        "code": "resamples-few",
        "text": "Intervals from 20 resamples are imprecise; use at least 100, better thousands.",
        "n": 20,
        "least": 100,
    }
    assert ma.load(path).notes == result.notes


def test_notes_are_made_only_where_there_is_something_of_them():
    assert Note.when([], "elo-order") == Note.when(0 > 1, "references-excluded", n=0) == []
    assert Note.when(3 > 1, "references-excluded", n=3) == [Note.of("references-excluded", n=3)]
    assert Note.when("elo", "few-clusters", metric="", unit="inputs", n=2)[0]["n"] == 2
