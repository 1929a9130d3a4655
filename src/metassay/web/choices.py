"""What a person chooses: the columns, and the options that :func:`metassay.make_report` declares."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from metassay.core.study import Declared, read_declaration
from metassay.errors import UsageError, one_line
from metassay.web.limits import Limits

KINDS = {"human": "human judgment", "metric": "metric", "": "leave out"}
"""What a column can be taken for, as a form says it."""
RATERS = {"human": "a person", "metric": "a judge", "other": "not said", "": "leave out"}
"""What a rater can be."""


def _declared(module: str, verb: str) -> dict[str, Declared]:
    options = read_declaration(f"metassay.report.document.{module}", verb).options
    return {name: each for name, each in options.items() if each.option.number and each.option.key}


OPTIONS: Mapping[str, Declared] = _declared("report", "make_report")
"""The options of a report that are numbers, but for where it is made."""
OF_VOTES: Mapping[str, Declared] = _declared("votes", "make_votes_report")
"""The same of a report on votes."""


def _of_tables() -> dict[str, Declared]:
    options = read_declaration("metassay.readers", "read").options
    group = options["system_column"].option.group
    gone = ("format", "language", "cluster_by", "family_of")  # asked for elsewhere, or of no use in a report
    return {name: each for name, each in options.items() if each.option.group == group and name not in gone}


READING: Mapping[str, Declared] = _of_tables()
"""The options that say how tables are read."""


def reading(form: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a form says of the columns of tables; semicolons stand between what may be said several times."""
    said = {name: text(form, name, 200) for name in READING}
    return {
        name: True if READING[name].option.switch else told.split(";") if READING[name].option.repeated else told
        for name, told in said.items()
        if told
    }


def defaults(limits: Limits, voted: bool = False) -> dict[str, Any]:
    """Return what each option is if nobody changes it, within the limits of the server."""
    return {name: min(each.default, _most(name, limits)) for name, each in (OF_VOTES if voted else OPTIONS).items()}


def _most(name: str, limits: Limits) -> float:
    return limits.resamples if name == "resamples" else math.inf


def read(form: Mapping[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """Return what a form says; columns are named by their position, never by what the form holds."""
    columns = []
    for at in range(len(found["columns"])):
        kind = text(form, f"kind-{at}", 10)
        columns.append((kind if kind in (RATERS if found["votes"] else KINDS) else "", bool(form.get(f"lower-{at}"))))
    language, first = text(form, "language", 100), text(form, "first", 12)
    return {
        "columns": columns,
        "first": int(first) if first.isascii() and first.isdigit() else None,
        "language": next((name for name in found["languages"] if name.strip() == language), None),
        "title": text(form, "title", 150),
        "votes": bool(found["votes"]),
        **{name: _number(text(form, name, 12) or each.default) for name, each in OPTIONS.items()},
    }


def text(form: Mapping[str, Any], name: str, longest: int) -> str:
    """Return a field of a form as one line."""
    value = form.get(name, "")
    return one_line(value, longest).strip() if isinstance(value, str) else ""


def _number(value: str | float) -> object:
    """Return a number, or the text that is none, for the option's check to refuse."""
    try:
        number = float(value)
    except ValueError:
        return value
    return int(number) if number.is_integer() else number


def objection(choices: dict[str, Any], limits: Limits) -> str:
    """Return what is wrong with choices, or nothing; what is wrong with an option makes way for its default."""
    kinds = [kind for kind, _ in choices["columns"]]
    first, voted = choices["first"], choices["votes"]
    if voted and not any(kinds):
        return "keep at least one rater"
    if not voted and "human" not in kinds:
        return "mark at least one column as human judgment"
    if not voted and "metric" not in kinds:
        return "mark at least one column as a metric"
    if first is not None and not voted and (first >= len(kinds) or kinds[first] != "human"):
        return "the main criterion must be one that people judged"
    for name, default in defaults(limits, voted).items():
        wrong, most = "", _most(name, limits)
        try:
            choices[name] = OPTIONS[name].option.take(name, choices[name], default)
        except UsageError as error:
            wrong = str(error)
        if wrong or choices[name] > most:
            wrong = wrong or f"{name} must be at most {most:,} here, got {choices[name]:,}"
            choices[name] = default
            return wrong
    return ""


def in_order(choices: dict[str, Any]) -> list[tuple[int, str, bool]]:
    """Return position, kind and direction of the columns to study, the main criterion before the others."""
    taken = [(at, kind, lower) for at, (kind, lower) in enumerate(choices["columns"]) if kind]
    return sorted(taken, key=lambda column: column[0] != choices["first"])
