"""Tables of scores, tidy or wide, from data frames and back; narwhals keeps pandas and polars optional."""

from __future__ import annotations

import ast
import importlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, SupportsFloat, cast

import numpy as np

from metassay.core import scales
from metassay.core.ledger import Coded, Labels, Ledger, Place
from metassay.core.note import Note
from metassay.core.origin import Origin
from metassay.core.reading import JUDGES, ROW, Layout, Reading, plain, understand
from metassay.core.scores import EXTRA_AXES, NO_SYSTEM, SYSTEM_SCORE, Kind, Scores
from metassay.errors import FormatError, UnknownName, UsageError, listed, one_line
from metassay.stats.arrays import FloatArray

MISSING = ("", "na", "nan", "none", "null", "n/a", "#n/a", "-", "–", "—")
"""How people write a missing score, in lower case."""
_FEW_LABELS = 20
"""Columns with more values than this hold no labels."""
_IDENTIFIES = re.compile(r"(^|_)(ids?|idx|[ug]uid|hash|t(ime)?stamp|(cre|upd)ated_at)$|^(year|(n_|num_)?annotators)$")
"""Names of columns whose numbers say which row it is, when or by how many it was judged, and are no scores."""

Values = Sequence[object] | Coded | FloatArray
Table = Mapping[str, Values]


def number(value: object, field: str, place: Place) -> float:
    """Return a score as a float; NaN for what means missing, an error that names the field for the rest."""
    if type(value) is float:
        return value
    if value is None:
        return math.nan
    if isinstance(value, str):
        if value.strip().lower() in MISSING:
            return math.nan
        found = _as_number(value)
        if found is not None:
            return found
    elif hasattr(value, "__float__") and not isinstance(value, bool):
        try:
            return float(cast("SupportsFloat", value))
        except (OverflowError, TypeError, ValueError):
            pass
    hint = "write 1 or 0" if isinstance(value, bool) else scales.remedy(value if isinstance(value, str) else "")
    raise FormatError(
        f"field {one_line(field)!r} must be a number, got {_shown(value)}; {hint}", file=place.file, line=place.line
    )


def label(value: object, field: str, place: Place) -> str:
    """Return a label as text; an empty one, or a list, an object or a truth value, is an error."""
    if isinstance(value, bool | list | dict | tuple):
        raise FormatError(
            f"field {field!r} must be text or a number, got {_shown(value)}", file=place.file, line=place.line
        )
    text = _text(value, field, place)
    if not text:
        told = (
            f"the field {field!r} is empty; fill it in, or choose another column with --input-column or --system-column"
        )
        raise FormatError(told, file=place.file, line=place.line)
    return text


def graded(value: object, field: str, place: Place) -> float | str:
    """Return a score as a float, or as the label that it is; see :func:`number`."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and value.strip().lower() not in MISSING and _as_number(value) is None:
        return value
    return number(value, field, place)


def record_table(ledger: Ledger, table: Table, file: str, lines: Sequence[int], layout: Layout) -> None:
    """Write a table of scores, or a part of one, into a ledger.

    Parameters
    ----------
    ledger
        Where the scores go.
    table
        Columns by name, all of one length.
    file
        What to call the table in errors.
    lines
        For each row the line that an error should name.
    layout
        Which column is what.
    """
    ledger.guesses.update(dict.fromkeys(layout.guesses))
    systems: Labels = NO_SYSTEM
    if "system" in layout.roles:
        systems = _joined(table, layout.roles["system"], file, lines)
        _check_names(table, layout, systems, file)
    keys: Labels = SYSTEM_SCORE
    if layout.roles.get("input") == (ROW,) and ROW not in table:
        keys = [str(line) for line in lines]
    elif "input" in layout.roles:
        keys = _joined(table, layout.roles["input"], file, lines)
    if layout.roles.get("annotator") == (ROW,) and ROW not in table:
        table = {**table, ROW: _numbered(table, ledger, layout, systems, keys)}
    extra = _extra(table, ledger, layout, file, lines)
    if layout.kind == "tidy":
        _record_tidy(ledger, table, systems, keys, file, lines, layout, extra)
    elif keys is SYSTEM_SCORE and not extra:
        _check_once(systems, file, lines)
    elif not {"annotators", "languages"} & extra.keys() and (judge := _judge_of_rows(table, layout, systems, keys)):
        table, layout = _by_judge(table, layout, judge, systems, keys)
        ledger.guesses[f"judge: {one_line(judge, 40)}"] = None
    for name in layout.values:
        if _IDENTIFIES.search(plain(name)) and not ledger.reading.is_label(name):
            ledger.attributes.add(name)
        if not (layout.kind == "tidy" and _all_numbers(table[name])) or name in ledger.attributes:
            _record_values(ledger, name, table[name], systems, keys, file, lines, layout, extra)
    for name, columns in layout.people.items():
        for column in columns:
            own = {**extra, "annotators": _suffix(column, columns)}
            values, texts = _values(table[column], column, file, lines)
            ledger.record_many(systems, keys, name, values, file, lines, texts=texts, kinds="human", **own)
    for what, labels in (("group", systems), ("family", systems), ("cluster", keys)):
        if what in layout.roles:
            _record_sorts(ledger, what, labels, _texts(table, layout.roles[what][0], file, lines), file, lines)


def _numbered(table: Table, ledger: Ledger, layout: Layout, systems: Labels, keys: Labels) -> list[str]:
    """Return numbers for people who are not named: 1 for the first judgment of an output, 2 for the second, …."""
    n = len(next(iter(table.values())))
    parts = [[labels] * n if isinstance(labels, str) else _decoded(labels) for labels in (systems, keys)]
    named = [list(_plain_values(table[name])) for role in ("metric", "language") for name in layout.roles.get(role, ())]
    numbers = []
    for cell in zip(*parts, *named, strict=True):
        ledger.repeats[cell] += 1
        numbers.append(str(ledger.repeats[cell]))
    return numbers


def _check_names(table: Table, layout: Layout, systems: Labels, file: str) -> None:
    """Refuse a column that was taken for the system by its name, and has the labels of another column."""
    (column, *more) = layout.roles["system"]
    if layout.kind == "tidy" or more or not any(guess.startswith("system:") for guess in layout.guesses):
        return
    found = set(_decoded(systems))
    for name in layout.values:
        labels = {str(value).strip() for value in _plain_values(table[name])} if len(found) <= _FEW_LABELS else set()
        if found <= labels and len(labels) <= _FEW_LABELS:
            raise FormatError(
                f"the column {column!r} is called like one of systems, and has the values of {name!r} "
                f"({listed(sorted(labels))}); if both are verdicts, say --no-systems (no_systems=True), and if it "
                f"names systems, --system-column {column}",
                file=file,
            )


def _check_once(systems: Labels, file: str, lines: Sequence[int]) -> None:
    """Refuse several rows of one system where nothing names the input: they would be taken for one."""
    first: dict[str, int] = {}
    for at, system in enumerate(_decoded(systems)):
        if first.setdefault(system, at) != at:
            raise FormatError(
                f"system {one_line(system)!r} has another row on line {lines[first[system]]}, and no column names the "
                f"input; name it with --input-column, or take each row for an input with --input-column {ROW}",
                file=file, line=lines[at],
            )  # fmt: skip


def _judge_of_rows(table: Table, layout: Layout, systems: Labels, keys: Labels) -> str | None:
    """Return the column that says which judge a row is of: it is called so, and tells rows of one output apart."""
    named = [name for name in layout.values if plain(name) in JUDGES]
    if len(named) != 1:
        return None
    cells = list(_cells(systems, keys))
    judged = list(zip(cells, map(str, _plain_values(table[named[0]])), strict=True))
    return named[0] if len(set(cells)) < len(cells) and len(set(judged)) == len(judged) else None


def _cells(systems: Labels, keys: Labels) -> Iterable[tuple[str, str]]:
    inputs = _decoded(keys)
    return zip([systems] * len(inputs) if isinstance(systems, str) else _decoded(systems), inputs, strict=True)


def _plain_values(values: Values) -> Sequence[Any]:
    return _decoded(values) if isinstance(values, Coded) else list(values)


def _by_judge(table: Table, layout: Layout, judge: str, systems: Labels, keys: Labels) -> tuple[Table, Layout]:
    """Return a table in which every judge has columns of its own, ``gpt-4o:score``, where what rows say differs."""
    who = [str(one) for one in _plain_values(table[judge])]
    found: dict[str, Values] = {name: values for name, values in table.items() if name != judge}
    names = [name for name in layout.values if name != judge]
    for name in names:
        values = _plain_values(table[name])
        seen: dict[tuple[str, str], object] = {}
        differ = [
            str(seen.setdefault(cell, one)) != str(one) for cell, one in zip(_cells(systems, keys), values, strict=True)
        ]
        if any(differ):
            del found[name]
            for one in dict.fromkeys(who):
                found[f"{one}:{name}"] = [v if own == one else None for own, v in zip(who, values, strict=True)]
    return found, replace(layout, values=tuple(name for name in found if name not in table or name in names))


def _record_sorts(ledger: Ledger, what: str, labels: Labels, sorts: Labels, file: str, lines: Sequence[int]) -> None:
    for (label, sort), at in _pairs(labels, sorts).items():
        if sort:
            ledger.sort(what, label, sort, Place(file, lines[at]))


def _pairs(first: Labels, second: Labels) -> dict[tuple[str, str], int]:
    """Return the distinct pairs of labels, and where each of them stands first."""
    if isinstance(first, Coded) and isinstance(second, Coded):
        both = first.codes.astype(np.int64) * len(second.labels) + second.codes
        pairs, at = np.unique(both, return_index=True)
        return {
            (first.labels[one // len(second.labels)], second.labels[one % len(second.labels)]): where
            for one, where in zip(pairs.tolist(), at.tolist(), strict=True)
        }
    others = _decoded(second)
    mine = [first] * len(others) if isinstance(first, str) else _decoded(first)
    found: dict[tuple[str, str], int] = {}
    for place, pair in enumerate(zip(mine, others, strict=True)):
        found.setdefault(pair, place)
    return found


def _decoded(labels: Labels) -> Sequence[str]:
    return [labels.labels[at] for at in labels.codes.tolist()] if isinstance(labels, Coded) else labels


def _record_tidy(
    ledger: Ledger,
    table: Table,
    systems: Labels,
    keys: Labels,
    file: str,
    lines: Sequence[int],
    layout: Layout,
    extra: dict[str, Any],
) -> None:
    roles = {what: columns[0] for what, columns in layout.roles.items()}
    names = _labels(table[roles["metric"]], roles["metric"], file, lines)
    own = names if ledger.role is None else ledger.names_in_role(names)
    if "kind" in roles:
        kinds = _choices(table, roles["kind"], ("human", "metric"), file, lines)
        for (name, kind), at in sorted(_pairs(own, kinds).items(), key=lambda one: one[1]):
            if kind:
                ledger.say_kind(name, cast("Kind", kind), Place(file, lines[at]))
    if "direction" in roles:
        for name, direction in _pairs(own, _choices(table, roles["direction"], ("higher", "lower"), file, lines)):
            if direction == "lower":
                ledger.lower_is_better(name)
    if "scale" in roles:
        for name, text in _pairs(own, _texts(table, roles["scale"], file, lines)):
            if text and text != "interval":
                ledger.scales[name] = scales.parse(text)
    values, texts = _values(table[roles["score"]], roles["score"], file, lines)
    ledger.record_many(systems, keys, names, values, file, lines, texts=texts, **extra)


def _record_values(
    ledger: Ledger,
    name: str,
    values: Values,
    systems: Labels,
    keys: Labels,
    file: str,
    lines: Sequence[int],
    layout: Layout,
    extra: dict[str, Any],
) -> None:
    """Write down a column whose values may be numbers, labels, an attribute, or lists of judgments."""
    if layout.kind == "tidy":
        ledger.attributes.add(name)
    ledger.unsure.add(name)
    judging = ledger.reading.is_label(name) or scales.judging(name)
    lists = None if isinstance(values, Coded | np.ndarray) else _lists(values)
    if lists is not None and "annotators" in extra and max(map(len, lists)) == 1:
        values, lists = [one[0] if one else None for one in lists], None  # what one person chose
    if lists is not None and (judging or not any(_is_text(one) for single in lists for one in single)):
        for at in range(max(map(len, lists))):
            single = [one[at] if at < len(one) else None for one in lists]
            numbers, texts = _values(single, name, file, lines)
            own = {**extra, "annotators": str(at + 1)}
            ledger.record_many(systems, keys, name, numbers, file, lines, texts=texts, **own)
        return
    if not isinstance(values, Coded | np.ndarray) and any(isinstance(value, dict | list) for value in values):
        objects = any(isinstance(one, dict) for value in values if isinstance(value, list) for one in value)
        ledger.notes += Note.when(objects and name not in ledger.attributes, "objects-unread", column=name)
        ledger.attributes.add(name)
        values = [json.dumps(value) if isinstance(value, dict | list) else value for value in values]
    numbers, texts = _values(values, name, file, lines)
    attribute = name in ledger.attributes or (texts is not None and not judging)
    ledger.record_many(systems, keys, name, numbers, file, lines, texts=texts, attribute=attribute, **extra)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and _as_number(value) is None and value.strip().lower() not in MISSING


def _lists(values: Sequence[object]) -> list[list[object]] | None:
    """Return lists of judgments, as objects or as written in a cell; None if any value is something else."""
    found: list[list[object]] = []
    for value in values:
        if isinstance(value, list | tuple):
            found.append(list(value))
        elif isinstance(value, str) and value.startswith("[") and value.endswith("]"):
            try:
                single = ast.literal_eval(value)
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                return None
            found.append(list(single))
        elif value is None or (isinstance(value, str) and not value.strip()):
            found.append([])
        else:
            return None
    plain = all(isinstance(one, int | float | str | None) for single in found for one in single)
    return found if plain and any(found) else None


def _suffix(column: str, columns: Sequence[str]) -> str:
    """Return what tells a column of one person from those of the others."""
    if len(columns) == 1:
        return column
    start = next((at for at, letters in enumerate(zip(*columns, strict=False)) if len(set(letters)) > 1), 0)
    return column[start:] or column


def _extra(table: Table, ledger: Ledger, layout: Layout, file: str, lines: Sequence[int]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for axis in EXTRA_AXES:
        if axis in layout.roles:
            columns = layout.roles[axis]
            if len(columns) == 1:
                found[f"{axis}s"] = _texts(table, columns[0], file, lines)
            else:
                found[f"{axis}s"] = _joined(table, columns, file, lines)
    if ledger.reading.by is not None and ledger.reading.by in table:
        ledger.by_was_seen = True
    return found


def _joined(table: Table, columns: Sequence[str], file: str, lines: Sequence[int]) -> Labels:
    """Return labels; those of several columns are joined by a colon."""
    parts = [_labels(table[column], column, file, lines) for column in columns]
    return parts[0] if len(parts) == 1 else list(map(":".join, zip(*map(_decoded, parts), strict=True)))


def _all_numbers(values: Values) -> bool:
    if isinstance(values, Coded):
        values = values.labels
    return isinstance(values, np.ndarray) or all(
        not isinstance(value, str) or _as_number(value) is not None or value.lower() in MISSING for value in values
    )


def _values(
    values: Values, field: str, file: str, lines: Sequence[int]
) -> tuple[FloatArray, Sequence[str | None] | Coded | None]:
    """Return numbers, and texts beside them if some values are neither numbers nor missing."""
    if isinstance(values, np.ndarray):
        return values, None
    if isinstance(values, Coded):
        each, words = _values(list(values.labels), field, file, lines)
        if words is None:
            return each[values.codes], None
        place = {text: at for at, text in enumerate(text for text in cast("Any", words) if text is not None)}
        where = np.array([place.get(text, -1) for text in cast("Any", words)], dtype=np.int32)
        return each[values.codes], Coded(where[values.codes], list(place))
    if _all_of(float, values):
        return np.array(values, dtype=np.float64), None
    if _all_of(str, values):
        words = cast("Sequence[str]", values)
        if not any("_" in text for text in words):
            try:
                return np.array(list(map(float, words))), None
            except ValueError:
                pass  # some are missing or no numbers: look at each
        meant = {text: _as_number(text) for text in set(words)}
        numbers = np.array([math.nan if meant[text] is None else meant[text] for text in words], dtype=np.float64)
        if all(one is not None or text.strip().lower() in MISSING for text, one in meant.items()):
            return numbers, None
        return numbers, [None if text.strip().lower() in MISSING else text for text in words]
    graded_ones = [graded(value, field, Place(file, line)) for value, line in zip(values, lines, strict=True)]
    numbers = np.array([math.nan if isinstance(one, str) else one for one in graded_ones], dtype=np.float64)
    if not any(isinstance(one, str) for one in graded_ones):
        return numbers, None
    mixed = any(isinstance(value, bool) for value in values) and not np.isnan(numbers).all()
    if mixed:
        at = next(at for at, value in enumerate(values) if isinstance(value, bool))
        number(values[at], field, Place(file, lines[at]))
    return numbers, [
        one if isinstance(one, str) else None if math.isnan(one) else _text(value, field, Place(file, line))
        for one, value, line in zip(graded_ones, values, lines, strict=True)
    ]


def _as_number(text: str) -> float | None:
    """Return the number that a text is; None for what is none, or means missing."""
    if "_" in text:  # Python reads 1_000 as a thousand; nobody who writes scores means that
        return None
    try:
        return float(text)
    except ValueError:
        return None


def _labels(values: Values, field: str, file: str, lines: Sequence[int]) -> Labels:
    if isinstance(values, Coded):
        return values
    if _all_of(str, values) and "" not in values:
        return cast("list[str]", values)
    return [label(value, field, Place(file, line)) for value, line in zip(values, lines, strict=True)]


def _texts(table: Table, field: str, file: str, lines: Sequence[int]) -> Labels:
    values = table[field]
    if isinstance(values, Coded):
        return values
    if _all_of(str, values):
        return cast("list[str]", values)
    return [_text(value, field, Place(file, line)) for value, line in zip(values, lines, strict=True)]


def _text(value: object, field: str, place: Place) -> str:
    try:
        return "" if value is None or value != value else str(value)  # NaN is unlike itself
    except ValueError:  # an integer too long for Python to print
        told = f"field {field!r} must be text or a number, got {_shown(value)}"
        raise FormatError(told, file=place.file, line=place.line) from None


def _choices(table: Table, field: str, known: tuple[str, str], file: str, lines: Sequence[int]) -> Labels:
    texts = _texts(table, field, file, lines)
    every = texts.labels if isinstance(texts, Coded) else texts
    meant = {text: text.strip().lower() for text in set(every)}
    if wrong := [text for text in meant if meant[text] not in ("", *known)]:
        at = next(at for at, text in enumerate(_decoded(texts)) if text in wrong)
        raise FormatError(
            f"field {field!r} must be {known[0]} or {known[1]}, got {one_line(_decoded(texts)[at], 40)!r}",
            file=file,
            line=lines[at],
        )
    found = [meant[text] for text in every]
    return Coded(texts.codes, found) if isinstance(texts, Coded) else found


def _all_of(kind: type, values: Iterable[object]) -> bool:
    return set(map(type, values)) == {kind}


def _shown(value: object) -> str:
    try:
        return one_line(repr(value), 40)
    except ValueError:  # an integer too long for Python to print
        return "an integer of thousands of digits"


def scores_from_frame(frame: object, reading: Reading) -> Scores:
    """Build scores from any eager data frame that narwhals knows."""
    import narwhals as nw

    try:
        eager = nw.from_native(frame, eager_only=True)  # type: ignore[call-overload]
    except TypeError as error:
        raise UsageError(f"expected a data frame (pandas, polars, pyarrow, …), got {type(frame).__name__}") from error
    table = {str(name): eager[name].to_list() for name in eager.columns}
    if reading.by is not None and reading.by not in table:
        raise UnknownName("column", reading.by, list(table))
    ledger = Ledger(reading)
    layout = understand(list(table), reading, "the data frame")
    record_table(ledger, table, "the data frame", range(1, len(eager) + 1), layout)
    return ledger.scores(sources=(Origin("a data frame", described(f"{layout.kind} scores", layout)),))


def described(what: str, layout: Layout) -> str:
    """Return the form of a table, and how its columns were understood where that was not said."""
    return what + (f", {', '.join(layout.guesses)}" if layout.guesses else "")


def frame_from_rows(rows: list[dict[str, Any]], backend: str) -> Any:  # noqa: ANN401 - the user's choice of frame
    """Return flat dicts as a data frame of the given backend."""
    import narwhals as nw

    if backend not in ("pandas", "polars", "pyarrow"):
        raise UsageError(f"backend must be pandas, polars or pyarrow, got {backend!r}")
    try:
        importlib.import_module(backend)
    except ImportError:
        raise UsageError(f"{backend} is not installed; run: pip install {backend}") from None
    columns = {key: [row[key] for row in rows] for key in (rows[0] if rows else {})}
    return nw.from_dict(columns, backend=cast("Any", backend)).to_native()
