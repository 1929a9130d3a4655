"""Sentences of the judge card whose words depend on more than one fact."""

from __future__ import annotations

import math
from collections.abc import Callable

from metassay.core import vocabulary
from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.notes.wording import Facts, Sentence


def _ranged(value: float, low: float, high: float, confidence: float, form: Callable[[float], str]) -> str:
    """Return a number with its interval, or alone if that is undefined."""
    if math.isnan(low):
        return form(value)
    return f"{form(value)} ({numbers.level(confidence)} CI {form(low)} to {form(high)})"


def _answer(facts: Facts) -> str:
    judge, human, n, people = (facts[name] for name in ("judge", "human", "n_items", "n_people"))
    items, who = numbers.counted(n, "item"), "the person" if people == 1 else f"the {people} people"
    if math.isnan(facts["estimate"]):
        return f"{one_line(judge, 60)}: agreement with people on {one_line(human, 60)} is undefined."
    ends = (facts["estimate"], facts["low"], facts["high"], facts["confidence"])
    if facts["kind"] == "other-scale":
        whom, value = "the person" if people == 1 else f"the mean of {who}", _ranged(*ends, numbers.two)
        text = f"is not on the scale of {one_line(human, 60)}; its correlation with {whom} is {value} on {items}"
        return f"{one_line(judge, 60)} {text} (Pearson)."
    if facts["statistic"] == "accuracy":
        whom = who if people == 1 else f"the majority of {who}"
        held = facts["kind"] == "scores"
        items = numbers.counted(n, "held-out item") if held else items
        text = f"agrees with {whom} on {_ranged(*ends, numbers.percent)} of {items}"
        if held or facts["base"] >= facts["low"]:
            text += f" (always {one_line(facts['base_label'], 40)}: {numbers.percent(facts['base'])})"
    elif facts["statistic"] == "within-one":
        whom = "the grade of the person" if people == 1 else f"the mean grade of {who}"
        text = f"is within one grade of {whom} on {_ranged(*ends, numbers.percent)} of {items}"
    elif vocabulary.is_error(facts["statistic"]):
        whom, value = "the person" if people == 1 else f"the mean of {who}", _ranged(*ends, numbers.general)
        text = f"differs from {whom} by {value} ({names.coefficient(facts['statistic'])}) on {items}"
    else:
        value = _ranged(*ends, numbers.general)
        text = f"agrees with {who} to {names.coefficient(facts['statistic'])} {value} on {items}"
    return f"{one_line(judge, 60)} ({one_line(human, 60)}) {text}."


def _beside(facts: Facts) -> str:
    """Return how single people agree with the judge and with each other, and whether it can stand in for one."""
    passes = {True: "it passes", False: "it does not pass"}.get(facts["passed"])
    tested = passes and f"{passes} the alternative-annotator test (ε = {facts['epsilon']:g})"
    text = "; ".join(filter(None, (_single(facts), tested)))
    return f"{text[0].upper()}{text[1:]}."


def _single(facts: Facts) -> str:
    single, people = facts["single"], facts["people"]
    if math.isnan(people):
        return "with one annotator, agreement between people is unknown" if facts["n_people"] == 1 else ""
    share = vocabulary.is_share(facts["statistic"])
    form = numbers.percent if share else numbers.general
    if vocabulary.is_error(facts["statistic"]):
        return f"it differs from single people by {form(single)}, and people differ from each other by {form(people)}"
    if not share:
        return f"its agreement with single people is {form(single)}, against {form(people)} between people"
    with_single = f"it agrees with single people on {form(single)}"
    low, high = facts["gap_low"], facts["gap_high"]
    if not (low > 0 or high < 0):
        return f"{with_single}, not significantly different from the agreement between people ({form(people)})"
    ends = sorted((abs(low), abs(high)))
    more = "more" if low > 0 else "less"
    than = f"{more} often than people agree with each other ({form(people)})"
    return f"{with_single}, {than}, by {_points(facts['gap'], ends)}"


def _points(value: float, ends: list[float]) -> str:
    """Return the size of a difference between shares, with the ends of its interval."""
    size = f"{100 * abs(value):.0f}"
    return f"{size} percentage {'point' if size == '1' else 'points'} [{100 * ends[0]:.0f}, {100 * ends[1]:.0f}]"


def _slice(facts: Facts) -> str:
    where = f"{one_line(facts['attribute'], 40)} = {one_line(facts['value'], 60)}"
    ends, n = (facts["estimate"], facts["low"], facts["high"]), numbers.counted(facts["n_items"], "item")
    if facts["statistic"] == "accuracy":
        right = f"{numbers.percent_range(*ends)} of {n}, against {numbers.percent(facts['elsewhere'])} elsewhere"
        return f"Weak slice: for {where} it is right on {right}."
    err = f"{numbers.ranged(*ends, numbers.general)} ({n}), against {numbers.general(facts['elsewhere'])} elsewhere"
    return f"Weak slice: for {where} its mean absolute error is {err}."


def _bias(facts: Facts) -> str:
    low, high = facts["low"], facts["high"]
    if facts["kind"] in ("labels", "scores"):
        more = "more" if facts["bias"] > 0 else "less"
        ends = sorted((abs(low), abs(high)))
        by = _points(facts["bias"], ends)
        return f"Bias: it says {one_line(facts['label'], 40)} {more} often than people do, by {by}."
    side = "higher" if facts["bias"] > 0 else "lower"
    least, most = sorted((abs(low), abs(high)))
    size = numbers.ranged(abs(facts["bias"]), least, most, numbers.general)
    return f"Bias: it grades {side} than people do, by {size} on average."


def _chance(facts: Facts) -> str:
    symbol = "κ" if facts["statistic"] == "kappa" else names.coefficient(facts["statistic"])
    if math.isnan(facts["estimate"]):
        return f"Agreement beyond chance is undefined: {symbol} needs several items with different scores."
    value = numbers.two(facts["estimate"])
    if "low" in facts:
        value = numbers.ranged(facts["estimate"], facts["low"], facts["high"], numbers.two)
    return f"No evidence of agreement beyond chance: {symbol} = {value}."


SENTENCES = {
    "judge-answer": Sentence.of_numbers("answer", _answer),
    "judge-beside": Sentence.of_numbers("answer", _beside),
    "judge-watch-slice": Sentence.of_numbers("answer", _slice),
    "judge-watch-bias": Sentence.of_numbers("answer", _bias),
    "judge-watch-chance": Sentence.of_numbers("answer", _chance),
}
