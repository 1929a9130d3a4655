"""Rows in JSON that are no rows yet: objects by key, columns, and records with several outputs or judgments in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from metassay.core.reading import TIDY, Reading, names_annotator, names_input, names_system
from metassay.core.vote_tables import as_vote
from metassay.readers.argilla import answers
from metassay.readers.judged import Judged
from metassay.readers.source import Record

KEYS = ("key", "key2", "key3")
"""What the keys of objects in objects are called, from the outside in, where somebody says that they name something."""
_MOST_FIELDS = 32
_JUDGED = re.compile("judge|eval|annot|grade|rating|feedback|review|metric", re.IGNORECASE)
"""Names of objects whose keys are rather judges or criteria than systems."""
_OUTPUTS = re.compile(
    "(model_|system_)?(summ|output|response|answer|candidate|completion|generation|hypothes)", re.IGNORECASE
)
"""Names of outputs, and of lists of them, whose systems are known by their place."""
_HUMAN = re.compile(r"(human|gold)(_?(score|label|rating|judge?ment|mean|avg))?$|(rouge|bleu|bertscore)", re.IGNORECASE)
"""Names of scores that no item to be judged has."""
_PERSON = re.compile(r"(annot|annotator|rater|worker|reviewer|evaluator|expert|human|coder|assessor)_?(\d{1,2})", re.I)
"""Names of fields that hold what one of several people said."""


def by_keys(document: object) -> bool:
    """Say whether a document holds nothing but objects in objects, so that only people know what its keys name."""
    inside = [one for each in _objects(document) for one in _objects(each)]
    if len(inside) < 2 or len(inside) < sum(map(len, _objects(document))) or not all(map(_plain, inside)):
        return False
    numbers = all(isinstance(one, int | float) for each in inside for one in each.values())
    return numbers or (len({frozenset(one) for one in inside}) == 1 and not any(map(names_system, inside[0])))


def whole_systems(document: object) -> bool:
    """Say whether a document holds numbers by key that are called like scores, and not like items that are judged."""
    objects = _objects(document)
    alike = len(objects) > 1 and all(map(_plain, objects)) and len({frozenset(one) for one in objects}) == 1
    return alike and any(_HUMAN.match(key) for key in objects[0])


def _objects(value: object) -> list[Record]:
    """Return the values of an object if all of them are objects with something in them."""
    found = list(value.values()) if isinstance(value, dict) else []
    return found if found and all(isinstance(one, dict) and one for one in found) else []


def _plain(value: Record) -> bool:
    return all(isinstance(one, int | float | str | None) for one in value.values())


def records(document: object, reading: Reading) -> list[Record]:
    """Return the records of one JSON object: by its keys, by columns as data frames write them, or the one it is."""
    if not isinstance(document, dict):
        return []
    said = [KEYS.index(name) for name in (*reading.system, *reading.input) if name in KEYS]
    if said:
        free = [name for name in KEYS[: max(said)] if name not in (*reading.system, *reading.input)]
        return list(_unpacked(document, dict(zip(free, ("metric",), strict=False)), max(said)))
    if by_keys(document) or len(document) < 2:
        return [] if by_keys(document) else [document]
    rows = document.get("data")
    if isinstance(rows, list) and {"columns", "data"} <= document.keys() <= {"columns", "data", "index"}:
        return [dict(zip(map(str, document["columns"]), row, strict=False)) for row in rows]
    if isinstance(rows, list) and document.keys() == {"schema", "data"}:
        index = (document["schema"] or {}).get("primaryKey") == ["index"]
        gone = ("index",) if index else ()
        return [{n: v for n, v in row.items() if n not in gone} for row in rows if isinstance(row, dict)]
    return _from_columns(document) or _keyed(document) or [document]


def _unpacked(value: Any, called: dict[str, str], deepest: int, at: int = 0) -> Iterator[Record]:  # noqa: ANN401 - JSON
    """Yield the innermost objects, or numbers, with the keys that lead to them."""
    for key, one in value.items() if isinstance(value, dict) else ():
        own = {called.get(KEYS[at], KEYS[at]): key}
        if at == deepest:
            yield {**own, **(one if isinstance(one, dict) else {"score": one})}
        else:
            yield from ({**own, **row} for row in _unpacked(one, called, deepest, at + 1))


def _from_columns(document: Record) -> list[Record]:
    """Return the rows of columns: lists of one length, or objects by the number of the row."""
    values = list(document.values())
    if all(isinstance(one, list) for one in values):
        columns = values if len({len(one) for one in values}) == 1 and len(outputs(document)) == 1 else []
    else:
        numbered = all(isinstance(one, dict) and one.keys() == values[0].keys() for one in values)
        named = any(names_input(name) or names_system(name) for name in document)
        numbered = numbered and named and all(key.isdigit() for key in values[0])
        columns = [list(one.values()) for one in values] if numbered else []
    return [dict(zip(document, row, strict=True)) for row in zip(*columns, strict=True)]


def _keyed(document: Record) -> list[Record]:
    """Return the records that an object has by their key, as BiGGen-Bench and OpenMEVA do."""
    first = next(iter(document.values()))
    alike = all(
        isinstance(one, dict) and isinstance(first, dict) and one.keys() == first.keys() for one in document.values()
    )
    nested = alike and any(isinstance(value, dict) for value in first.values())
    return [{"input": key, **one} for key, one in document.items()] if nested else []


def outputs(record: Record, line: int = 1) -> list[Record]:
    """Return a row per output or judgment, where a record has a list of them; else the record, or the vote it is."""
    if (vote := as_vote(record)) is not None:
        return [vote]
    return answers(record) or [_with_people(row) for row in _outputs(record, line)]


def _outputs(record: Record, line: int) -> list[Record]:
    objects = {name: one for name, one in record.items() if isinstance(one, dict) and one}
    alike = {name: one for name, one in objects.items() if len(objects) > 1 and any(map(names_system, one))}
    if len(alike) > 1 and len({frozenset(one) for one in alike.values()}) == 1:
        rest = {name: value for name, value in record.items() if name not in alike}
        return [{**rest, **one} for one in alike.values()]
    if _are_outputs(objects):  # systems are fields of the record, as in OpinSummEval
        return _by_system(record, objects, {name: one for name, one in record.items() if name not in objects}, line)
    for name, value in record.items():
        if not isinstance(value, list | dict) or not value:
            continue
        rest = {other: each for other, each in record.items() if other != name}
        several = isinstance(value, list) and all(isinstance(one, dict) for one in value)
        if several and any(map(names_annotator, value[0])) and not any(map(names_system, value[0])):
            return [Judged({**rest, **one}, one) for one in value]
        if several and any(names_system(key) or names_annotator(key) for key in value[0]):
            return [{**rest, **one} for one in value]
        # judgments of people who are not named, a number for each criterion
        if several and _JUDGED.search(name) and all(isinstance(n, int | float) for one in value for n in one.values()):
            return [Judged({**rest, "annotator": str(at), **one}, one) for at, one in enumerate(value, 1)]
        # parts of an output, such as sentences, with judgments of people on each
        if several and len(parts := [outputs(one) for one in value]) < sum(map(len, parts)):
            return [
                Judged({"input": f"{line}:{at}", **rest, **row}, getattr(row, "own", row))
                for at, rows in enumerate(parts, 1)
                for row in rows
            ]
        # outputs in a list, and beside it lists of what was said of each
        if isinstance(value, list) and _OUTPUTS.match(name) and all(isinstance(one, str) for one in value):
            said = [n for n, each in record.items() if isinstance(each, list) and len(each) == len(value) > 1]
            if any(isinstance(one, int | float | list) for n in said for one in record[n]):
                rest = {other: each for other, each in record.items() if other not in said}
                places = enumerate(zip(*(record[n] for n in said), strict=True), 1)
                found = {f"system-{at}": dict(zip(said, one, strict=True)) for at, one in places}
                return _by_system(record, found, rest, line)
        if isinstance(value, dict) and not _JUDGED.search(name) and _are_outputs(value):
            return _by_system(record, value, rest, line)
        # outputs by system, and beside them what was said of each
        if isinstance(value, dict) and len(value) > 1 and all(isinstance(one, str) for one in value.values()):
            same = [other for other, each in record.items() if isinstance(each, dict) and each.keys() == value.keys()]
            if any(isinstance(one, dict) for other in same for one in record[other].values()):
                rest = {other: each for other, each in record.items() if other not in same}
                return [{**rest, "system": key, **{other: record[other][key] for other in same}} for key in value]
    return [record]


def _by_system(record: Record, systems: Record, rest: Record, line: int) -> list[Record]:
    """Return a row per system; a record that names no input is called by its line."""
    own = {} if any(names_input(name) for name in record if name not in systems) else {"input": str(line)}
    return [{**own, **rest, "system": key, **one} for key, one in systems.items()]


def _are_outputs(value: Record) -> bool:
    """Say whether objects by key are outputs by system: alike, each with its text, or with what several people said."""
    objects = list(value.values())
    if len(objects) < 2 or not all(isinstance(one, dict) and len(one) > 1 for one in objects):
        return False
    if len({frozenset(one) for one in objects}) > 1:
        return False
    running = [n for n, each in objects[0].items() if isinstance(each, str) and len(each.split()) > 1]
    return any(n == "text" or _OUTPUTS.match(n) for n in running) or len(_people(objects[0])) > 1


def _people(row: Record) -> dict[str, int]:
    """Return the fields that hold what one of several people said, and their numbers."""
    found = {name: _PERSON.fullmatch(name) for name, one in row.items() if isinstance(one, dict) and _plain(one)}
    return {name: int(each[2]) for name, each in found.items() if each}


def _with_people(row: Record) -> Record:
    """Return a row in which what several people said stands in one list for each criterion."""
    people = _people(row)
    if len(people) < 2:
        return row
    first = min(people.values())
    rest = {name: value for name, value in row.items() if name not in people}
    for person, number in people.items():
        for criterion, said in row[person].items():
            name = criterion if criterion not in row else f"human_{criterion}"
            rest.setdefault(name, [None] * (max(people.values()) - first + 1))[number - first] = said
    return rest


def flat(row: Record, depth: int = 3) -> Record:
    """Return a record in which objects are fields of their own: ``{"grade": {"score": 1}}`` is ``grade_score``.

    Large objects are left as they are: their keys are data.
    """
    if not any(isinstance(value, dict) for value in row.values()):
        return row
    found: Record = {}
    for name, value in row.items():
        if isinstance(value, dict) and value and depth and len(value) <= _MOST_FIELDS and name not in TIDY:
            inner = {f"{name}_{key}": each for key, each in flat(value, depth - 1).items()}
            found |= {key: each for key, each in inner.items() if key not in row}
        else:
            found[name] = value
    return Judged(found, flat({name: row[name] for name in row.own})) if isinstance(row, Judged) else found
