"""Sentences of the judge card whose words depend on more than one fact."""

from __future__ import annotations

import math
from typing import Any

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.notes.wording import Facts, Sentence

PARITY = 0.02
"""Shares this close are about the same."""
SHARES = ("accuracy", "within-one")


def _answer(given: Facts) -> str:
    facts: dict[str, Any] = {name: math.nan if fact is None else fact for name, fact in given.items()}
    judge, human, n, people = (facts[name] for name in ("judge", "human", "n_items", "n_people"))
    items, who = numbers.counted(n, "item"), "the person" if people == 1 else f"the {people} people"
    if math.isnan(facts["estimate"]):
        return f"{one_line(judge, 60)}: agreement with people on {one_line(human, 60)} is undefined."
    ends = (facts["estimate"], facts["low"], facts["high"])
    if facts["statistic"] == "accuracy":
        whom = who if people == 1 else f"the majority of {who}"
        text = f"agrees with {whom} on {numbers.percent_range(*ends)} of {items}"
    elif facts["statistic"] == "within-one":
        whom = "the grade of the person" if people == 1 else f"the mean grade of {who}"
        text = f"is within one grade of {whom} on {numbers.percent_range(*ends)} of {items}"
    elif facts["statistic"] in ("mae", "rmse"):
        whom, value = "the person" if people == 1 else f"the mean of {who}", numbers.ranged(*ends, numbers.general)
        text = f"differs from {whom} by {value} ({names.coefficient(facts['statistic'])}) on {items}"
    else:
        value = numbers.ranged(*ends, numbers.general)
        text = f"agrees with {who} to {names.coefficient(facts['statistic'])} {value} on {items}"
    return f"{one_line(judge, 60)} ({one_line(human, 60)}) {text}{_beside(facts)}."


def _beside(facts: Facts) -> str:
    """Return how single people agree with the judge and with each other."""
    single, people = facts["single"], facts["people"]
    if math.isnan(people):
        return "; with one person it is unknown how far people would agree" if facts["n_people"] == 1 else ""
    share = facts["statistic"] in SHARES
    form = numbers.percent if share else numbers.general
    if facts["statistic"] in ("mae", "rmse"):
        return f"; from single people it differs by {form(single)}, and people differ from each other by {form(people)}"
    gap = single - people
    than = "about as often as" if abs(gap) <= PARITY else "more often than" if gap > 0 else "less often than"
    if not share:
        return f"; with single people {form(single)}, and of people with each other {form(people)}"
    with_single = f"; with single people it agrees on {form(single)}"
    return f"{with_single}, {than} people agree with each other ({form(people)})"


def _slice(facts: Facts) -> str:
    where = f"{one_line(facts['attribute'], 40)} = {one_line(facts['value'], 60)}"
    ends, n = (facts["estimate"], facts["low"], facts["high"]), numbers.counted(facts["n_items"], "item")
    if facts["statistic"] == "accuracy":
        right = f"{numbers.percent_range(*ends)} of {n}, against {numbers.percent(facts['elsewhere'])} elsewhere"
        return f"Watch {where}: there it is right on {right}."
    err = f"{numbers.ranged(*ends, numbers.general)} ({n}), against {numbers.general(facts['elsewhere'])} elsewhere"
    return f"Watch {where}: there its mean absolute error is {err}."


def _bias(facts: Facts) -> str:
    low, high = facts["low"], facts["high"]
    if facts["kind"] in ("labels", "scores"):
        more = "more" if facts["bias"] > 0 else "less"
        ends = sorted((abs(low), abs(high)))
        points = f"{100 * abs(facts['bias']):.0f} points [{100 * ends[0]:.0f}, {100 * ends[1]:.0f}]"
        return f"Watch its bias: it says {one_line(facts['label'], 40)} {more} often than people do, by {points}."
    side = "higher" if facts["bias"] > 0 else "lower"
    size = numbers.ranged(facts["bias"], low, high, numbers.general)
    return f"Watch its bias: it grades {side} than people do, by {size} on average."


SENTENCES = {
    "judge-answer": Sentence("answer", _answer),
    "judge-watch-slice": Sentence("answer", _slice),
    "judge-watch-bias": Sentence("answer", _bias),
}
