"""Tables of scores, tidy or wide, from data frames and back; narwhals keeps pandas and polars optional."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, SupportsFloat, cast

import numpy as np

from metassay.core.ledger import Ledger, Place
from metassay.core.origin import Origin
from metassay.core.scores import EXTRA_AXES, Kind, Scores
from metassay.errors import FormatError, UnknownName, UsageError, listed, one_line
from metassay.stats.arrays import FloatArray

TIDY = ("system", "input", "metric", "score")
MISSING = ("", "na", "nan", "none", "null")
"""How people write a missing score, in lower case."""

TableKind = Literal["tidy", "wide"]
Table = Mapping[str, Sequence[object]]


def number(value: object, field: str, place: Place) -> float:
    """Return a score as a float; NaN for what means missing, an error that names the field for the rest."""
    if type(value) is float:
        return value
    if value is None:
        return math.nan
    if isinstance(value, str):
        if value.strip().lower() in MISSING:
            return math.nan
        if "_" not in value:  # Python reads 1_000 as a thousand; nobody who writes scores means that
            try:
                return float(value)
            except ValueError:
                pass
    elif hasattr(value, "__float__") and not isinstance(value, bool):
        try:
            return float(cast("SupportsFloat", value))
        except (OverflowError, TypeError, ValueError):
            pass
    hint = "write 1 or 0" if isinstance(value, bool) else "leave a missing score empty"
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
        raise FormatError(f"the field {field!r} is empty", file=place.file, line=place.line)
    return text


def table_kind(names: Sequence[str], file: str) -> TableKind:
    """Say whether columns of these names are a tidy or a wide table; anything else is an error."""
    for name in ("system", "input"):
        if name not in names:
            raise FormatError(
                f"column {name!r} is missing; a table of scores has system, input and either metric, score "
                f"or one numeric column per metric (found: {listed(names)})",
                file=file,
            )
    if "metric" in names and "score" in names:
        return "tidy"
    if "metric" in names:
        raise FormatError(f"column 'score' is missing beside 'metric' (found: {listed(names)})", file=file)
    if not [n for n in names if n not in _LABELS]:
        raise FormatError(
            f"columns with scores are missing; add metric, score or one numeric column per metric "
            f"(found: {listed(names)})",
            file=file,
        )
    return "wide"


def count_columns(names: Iterable[str]) -> int:
    """Return how many of the columns of a wide table hold scores."""
    return sum(name not in _LABELS for name in names)


_LABELS = ("system", "input", "group", *EXTRA_AXES)
"""Columns of a wide table that are not metrics."""


def record_table(
    ledger: Ledger, table: Table, file: str, lines: Sequence[int], kind: TableKind | None = None
) -> TableKind:
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
    kind
        Whether the table is tidy or wide; by default its column names decide.

    Returns
    -------
    str
        ``"tidy"`` or ``"wide"``.
    """
    if kind is None:
        kind = table_kind(list(table), file)
    systems = _labels(table["system"], "system", file, lines)
    keys = _labels(table["input"], "input", file, lines)
    if kind == "tidy":
        _record_tidy(ledger, table, systems, keys, file, lines)
    else:
        _record_wide(ledger, table, systems, keys, file, lines)
    if "group" in table:
        first: dict[tuple[str, str], int] = {}
        for at, pair in enumerate(zip(systems, _texts(table, "group", file, lines), strict=True)):
            first.setdefault(pair, at)
        for (system, group), at in first.items():
            if group:
                ledger.group(system, group, Place(file, lines[at]))
    return kind


def _record_tidy(
    ledger: Ledger, table: Table, systems: list[str], keys: list[str], file: str, lines: Sequence[int]
) -> None:
    names = _labels(table["metric"], "metric", file, lines)
    kinds: list[Kind | None] | None = None
    if "kind" in table:
        said = _choices(table, "kind", ("human", "metric"), file, lines)
        kinds = [cast("Kind", kind) if kind else None for kind in said]
    if "direction" in table:
        directions = _choices(table, "direction", ("higher", "lower"), file, lines)
        for name, direction in dict.fromkeys(zip(names, directions, strict=True)):
            if direction == "lower":
                ledger.lower_is_better(name)
    scores = _numbers(table["score"], "score", file, lines)
    ledger.record_many(systems, keys, names, scores, file, lines, kinds=kinds, **_extra(table, ledger, file, lines))


def _record_wide(
    ledger: Ledger, table: Table, systems: list[str], keys: list[str], file: str, lines: Sequence[int]
) -> None:
    for name, values in table.items():
        if name not in _LABELS and name != ledger.by:
            scores = _numbers(values, name, file, lines)
            ledger.record_many(systems, keys, name, scores, file, lines, **_extra(table, ledger, file, lines))


def _extra(table: Table, ledger: Ledger, file: str, lines: Sequence[int]) -> dict[str, Any]:
    found = {f"{axis}s": _texts(table, axis, file, lines) for axis in EXTRA_AXES if axis in table}
    if ledger.by is not None and ledger.by in table:
        found["languages"] = _texts(table, ledger.by, file, lines)
        ledger.by_was_seen = True
    return found


def _labels(values: Sequence[object], field: str, file: str, lines: Sequence[int]) -> list[str]:
    if _all_of(str, values) and "" not in values:
        return cast("list[str]", values)
    return [label(value, field, Place(file, line)) for value, line in zip(values, lines, strict=True)]


def _numbers(values: Sequence[object], field: str, file: str, lines: Sequence[int]) -> FloatArray:
    if _all_of(float, values):
        return np.array(values, dtype=np.float64)
    if _all_of(str, values) and not any("_" in text for text in cast("Sequence[str]", values)):
        try:
            return np.array(list(map(float, cast("Sequence[str]", values))))
        except ValueError:
            pass  # some are missing or wrong: look at each
    each = [number(value, field, Place(file, line)) for value, line in zip(values, lines, strict=True)]
    return np.array(each, dtype=np.float64)


def _texts(table: Table, field: str, file: str, lines: Sequence[int]) -> list[str]:
    values = table[field]
    if _all_of(str, values):
        return cast("list[str]", values)
    return [_text(value, field, Place(file, line)) for value, line in zip(values, lines, strict=True)]


def _text(value: object, field: str, place: Place) -> str:
    try:
        return "" if value is None or value != value else str(value)  # NaN is unlike itself
    except ValueError:  # an integer too long for Python to print
        raise FormatError(
            f"field {field!r} must be text or a number, got {_shown(value)}", file=place.file, line=place.line
        ) from None


def _choices(table: Table, field: str, known: tuple[str, str], file: str, lines: Sequence[int]) -> list[str]:
    texts = _texts(table, field, file, lines)
    meant = {text: text.strip().lower() for text in set(texts)}
    wrong = [text for text in meant if meant[text] not in ("", *known)]
    if wrong:
        at = next(at for at, text in enumerate(texts) if text in wrong)
        raise FormatError(
            f"field {field!r} must be {known[0]} or {known[1]}, got {one_line(texts[at], 40)!r}",
            file=file,
            line=lines[at],
        )
    return [meant[text] for text in texts]


def _all_of(kind: type, values: Sequence[object]) -> bool:
    return set(map(type, values)) == {kind}


def _shown(value: object) -> str:
    try:
        return one_line(repr(value), 40)
    except ValueError:  # an integer too long for Python to print
        return "an integer of thousands of digits"


def scores_from_frame(frame: object, by: str | None = None) -> Scores:
    """Build scores from any eager data frame that narwhals knows; `by` names a column kept as the axis language."""
    import narwhals as nw

    try:
        eager = nw.from_native(frame, eager_only=True)  # type: ignore[call-overload]
    except TypeError as error:
        raise UsageError(f"expected a data frame (pandas, polars, pyarrow, …), got {type(frame).__name__}") from error
    table = {str(name): eager[name].to_list() for name in eager.columns}
    if by is not None and by not in table:
        raise UnknownName("column", by, list(table))
    ledger = Ledger(by)
    kind = record_table(ledger, table, "the data frame", range(1, len(eager) + 1))
    return ledger.scores(sources=(Origin("a data frame", f"{kind} scores"),))


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
