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
_IDENTIFIES = re.compile(
    r"(^|_)(ids?|idx|[ug]uid|hash|t(ime)?stamp|(cre|upd)ated_at)$|^(year|(n_|num_)?annotators|max_assignments)$|"
    r"^((work_time|lifetime|assignment_duration|auto_approval_delay)_in_seconds|(accept|submit)_time)$"
)
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
    raise place.wrong(f"field {one_line(field)!r} must be a number, got {_shown(value)}; {hint}")


def label(value: object, field: str, place: Place) -> str:
    """Return a label as text; an empty one, or a list, an object or a truth value, is an error."""
    if isinstance(value, bool | list | dict | tuple):
        raise place.wrong(f"field {field!r} must be text or a number, got {_shown(value)}")
    text = _text(value, field, place)
    if not text:
        told = (
            f"the field {field!r} is empty; fill it in, or choose another column with --input-column or --system-column"
        )
        raise place.wrong(told)
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
    _Recording(ledger, table, file, lines, layout).record()


class _Recording:
    """A table, or a part of one, on its way into a ledger."""

    def __init__(self, ledger: Ledger, table: Table, file: str, lines: Sequence[int], layout: Layout) -> None:
        self.ledger, self.table, self.file, self.lines, self.layout = ledger, table, file, lines, layout
        ledger.guesses.update(dict.fromkeys(layout.guesses))
        roles = layout.roles
        self.systems: Labels = NO_SYSTEM
        if "system" in roles:
            self.systems = self._joined(roles["system"])
            self._check_names()
        self.keys: Labels = SYSTEM_SCORE
        if roles.get("input") == (ROW,) and ROW not in table:
            self.keys = [str(line) for line in lines]
        elif "input" in roles:
            self.keys = self._joined(roles["input"])
        if roles.get("annotator") == (ROW,) and ROW not in table:
            self.table = {**table, ROW: self._numbered()}
        self.extra = self._extra()

    def record(self) -> None:
        """Write everything down."""
        ledger, layout = self.ledger, self.layout
        if layout.kind == "tidy":
            self._record_tidy()
        elif self.keys is SYSTEM_SCORE and not self.extra:
            self._check_once()
        elif not {"annotators", "languages"} & self.extra.keys() and (judge := self._judge_of_rows()):
            self._part_by_judge(judge)
            ledger.guesses[f"judge: {one_line(judge, 40)}"] = None
        for name in self.layout.values:
            if _IDENTIFIES.search(plain(name)) and not ledger.reading.is_label(name):
                ledger.attributes.add(name)
            if not (layout.kind == "tidy" and _all_numbers(self.table[name])) or name in ledger.attributes:
                self._record_values(name)
        for name, columns in layout.people.items():
            for column in columns:
                self._put(name, self.table[column], column, kinds="human", annotators=_suffix(column, columns))
        for what, labels in (("group", self.systems), ("family", self.systems), ("cluster", self.keys)):
            if what in layout.roles:
                for (label, sort), at in _pairs(labels, self._texts(layout.roles[what][0])).items():
                    if sort:
                        ledger.sort(what, label, sort, self._place(at))

    def _place(self, at: int) -> Place:
        return Place(self.file, self.lines[at])

    def _put(self, names: Labels, values: Values, field: str, *, labels: bool = True, **more: Any) -> None:  # noqa: ANN401 - as of `record_many`
        """Write down a column of numbers or texts, under one name or many; texts are `labels`, or an attribute."""
        numbers, texts = _values(values, field, self.file, self.lines)
        extra = {axis: of for axis, of in self.extra.items() if axis != "annotators" or field not in self.layout.shared}
        own = {**extra, **more, "attribute": more.get("attribute") or not (labels or texts is None)}
        self.ledger.record_many(self.systems, self.keys, names, numbers, self.file, self.lines, texts=texts, **own)

    def _numbered(self) -> list[str]:
        """Return numbers for people who are not named: 1 for the first judgment of an output, 2 for the second, …."""
        n = len(next(iter(self.table.values())))
        parts = [[labels] * n if isinstance(labels, str) else _decoded(labels) for labels in (self.systems, self.keys)]
        named = [
            _plain_values(self.table[n]) for role in ("metric", "language") for n in self.layout.roles.get(role, ())
        ]
        numbers = []
        for cell in zip(*parts, *named, strict=True):
            self.ledger.repeats[cell] += 1
            numbers.append(str(self.ledger.repeats[cell]))
        return numbers

    def _check_names(self) -> None:
        """Refuse a column that was taken for the system by its name, and has the labels of another column."""
        layout = self.layout
        (column, *more) = layout.roles["system"]
        if layout.kind == "tidy" or more or not any(guess.startswith("system:") for guess in layout.guesses):
            return
        found = set(_decoded(self.systems))
        for name in layout.values if len(found) <= _FEW_LABELS else ():
            labels = {str(value).strip() for value in _plain_values(self.table[name])}
            if found <= labels and len(labels) <= _FEW_LABELS:
                raise FormatError(
                    f"the column {column!r} has a name of system columns, but the values of {name!r} "
                    f"({listed(sorted(labels))}); if both are verdicts, use --no-systems (no_systems=True); if it "
                    f"names systems, use --system-column {column}",
                    file=self.file,
                )

    def _check_once(self) -> None:
        """Refuse several rows of one system where nothing names the input: they would be taken for one."""
        first: dict[str, int] = {}
        for at, system in enumerate(_decoded(self.systems)):
            if first.setdefault(system, at) != at:
                raise FormatError(
                    f"system {one_line(system)!r} has another row on line {self.lines[first[system]]}, and no column "
                    "names the input; name it with --input-column, or make every row an input with --input-column "
                    f"{ROW}",
                    file=self.file,
                    line=self.lines[at],
                )

    def _judge_of_rows(self) -> str | None:
        """Return the column that says which judge a row is of: it is called so, and tells rows of one output apart."""
        named = [name for name in self.layout.values if plain(name) in JUDGES]
        if len(named) != 1:
            return None
        cells = list(self._cells())
        judged = list(zip(cells, map(str, _plain_values(self.table[named[0]])), strict=True))
        return named[0] if len(set(cells)) < len(cells) and len(set(judged)) == len(judged) else None

    def _cells(self) -> Iterable[tuple[str, str]]:
        inputs = _decoded(self.keys)
        systems = self.systems
        return zip([systems] * len(inputs) if isinstance(systems, str) else _decoded(systems), inputs, strict=True)

    def _part_by_judge(self, judge: str) -> None:
        """Give every judge columns of its own, ``gpt-4o:score``, where what rows say differs."""
        table = self.table
        who = [str(one) for one in _plain_values(table[judge])]
        found: dict[str, Values] = {name: values for name, values in table.items() if name != judge}
        names = [name for name in self.layout.values if name != judge]
        for name in names:
            values = _plain_values(table[name])
            seen: dict[tuple[str, str], object] = {}
            differ = [
                str(seen.setdefault(cell, one)) != str(one) for cell, one in zip(self._cells(), values, strict=True)
            ]
            if any(differ):
                del found[name]
                for one in dict.fromkeys(who):
                    found[f"{one}:{name}"] = [v if own == one else None for own, v in zip(who, values, strict=True)]
        self.layout = replace(self.layout, values=tuple(name for name in found if name not in table or name in names))
        self.table = found

    def _record_tidy(self) -> None:
        ledger, table, layout = self.ledger, self.table, self.layout
        roles = {what: columns[0] for what, columns in layout.roles.items()}
        names = _labels(table[roles["metric"]], roles["metric"], self.file, self.lines)
        own = names if ledger.role is None else ledger.names_in_role(names)
        if "kind" in roles:
            kinds = self._choices(roles["kind"], ("human", "metric"))
            for (name, kind), at in sorted(_pairs(own, kinds).items(), key=lambda one: one[1]):
                if kind:
                    ledger.say_kind(name, cast("Kind", kind), self._place(at))
        if "direction" in roles:
            for name, direction in _pairs(own, self._choices(roles["direction"], ("higher", "lower"))):
                if direction == "lower":
                    ledger.lower_is_better(name)
        if "scale" in roles:
            for name, text in _pairs(own, self._texts(roles["scale"])):
                if text and text != "interval":
                    ledger.scales[name] = scales.parse(text)
        self._put(names, table[roles["score"]], roles["score"])

    def _record_values(self, name: str) -> None:
        """Write down a column whose values may be numbers, labels, an attribute, or lists of judgments."""
        ledger, values = self.ledger, self.table[name]
        if self.layout.kind == "tidy":
            ledger.attributes.add(name)
        ledger.unsure.add(name)
        judging = ledger.reading.is_label(name) or scales.judging(name)
        lists = None if isinstance(values, Coded | np.ndarray) else _lists(values)
        if lists is not None and "annotators" in self.extra and max(map(len, lists)) == 1:
            values, lists = [one[0] if one else None for one in lists], None  # what one person chose
        if lists is not None and (judging or not any(_is_text(one) for single in lists for one in single)):
            for at in range(max(map(len, lists))):
                single = [one[at] if at < len(one) else None for one in lists]
                self._put(name, single, name, annotators=str(at + 1))
            return
        if not isinstance(values, Coded | np.ndarray) and any(isinstance(value, dict | list) for value in values):
            objects = any(isinstance(one, dict) for value in values if isinstance(value, list) for one in value)
            ledger.notes += Note.when(objects and name not in ledger.attributes, "objects-unread", column=name)
            ledger.attributes.add(name)
            values = [json.dumps(value) if isinstance(value, dict | list) else value for value in values]
        self._put(name, values, name, labels=judging, attribute=name in ledger.attributes)

    def _extra(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for axis in EXTRA_AXES:
            if axis in self.layout.roles:
                columns = self.layout.roles[axis]
                found[f"{axis}s"] = self._texts(columns[0]) if len(columns) == 1 else self._joined(columns)
        if self.ledger.reading.by is not None and self.ledger.reading.by in self.table:
            self.ledger.by_was_seen = True
        return found

    def _joined(self, columns: Sequence[str]) -> Labels:
        """Return labels; those of several columns are joined by a colon."""
        parts = [_labels(self.table[column], column, self.file, self.lines) for column in columns]
        return parts[0] if len(parts) == 1 else list(map(":".join, zip(*map(_decoded, parts), strict=True)))

    def _texts(self, field: str) -> Labels:
        values = self.table[field]
        if isinstance(values, Coded):
            return values
        if _all_of(str, values):
            return cast("list[str]", values)
        return [_text(value, field, Place(self.file, line)) for value, line in zip(values, self.lines, strict=True)]

    def _choices(self, field: str, known: tuple[str, str]) -> Labels:
        texts = self._texts(field)
        every = texts.labels if isinstance(texts, Coded) else texts
        meant = {text: text.strip().lower() for text in set(every)}
        if wrong := [text for text in meant if meant[text] not in ("", *known)]:
            at = next(at for at, text in enumerate(_decoded(texts)) if text in wrong)
            raise FormatError(
                f"field {field!r} must be {known[0]} or {known[1]}, got {one_line(_decoded(texts)[at], 40)!r}",
                file=self.file,
                line=self.lines[at],
            )
        found = [meant[text] for text in every]
        return Coded(texts.codes, found) if isinstance(texts, Coded) else found


def _plain_values(values: Values) -> Sequence[Any]:
    return _decoded(values) if isinstance(values, Coded) else list(values)


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


def _text(value: object, field: str, place: Place) -> str:
    try:
        return "" if value is None or value != value else str(value)  # NaN is unlike itself
    except ValueError:  # an integer too long for Python to print
        raise place.wrong(f"field {field!r} must be text or a number, got {_shown(value)}") from None


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
