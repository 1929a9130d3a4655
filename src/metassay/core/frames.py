"""Tables of scores, tidy or wide, from data frames and back; narwhals keeps pandas and polars optional."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from metassay.core.ledger import Ledger, Place
from metassay.core.scores import Kind, Scores
from metassay.errors import FormatError, UsageError, one_line

TIDY = ("system", "input", "metric", "score")
OPTIONAL = ("kind", "annotator", "language", "reference", "group", "direction")
MISSING = ("", "na", "nan", "none", "null")
"""How people write a missing score, in lower case."""


def number(value: object, field: str, place: Place) -> float:
    """Return a score as a float; NaN for what means missing, an error that names the field for the rest."""
    if value is None:
        return math.nan
    if isinstance(value, str):
        if value.strip().lower() in MISSING:
            return math.nan
        try:
            return float(value)
        except ValueError:
            pass
    elif isinstance(value, bool | int | float) or hasattr(value, "__float__"):
        return float(value)
    raise FormatError(
        f"field {one_line(field)!r} must be a number, got {one_line(repr(value), 40)}; leave a missing score empty",
        file=place.file,
        line=place.line,
    )


def label(value: object, field: str, place: Place) -> str:
    """Return a label as text; an empty one is an error that names the field."""
    text = "" if value is None or value != value else str(value)  # noqa: PLR0124 - NaN is the one value unlike itself
    if not text:
        raise FormatError(f"field {field!r} is empty", file=place.file, line=place.line)
    return text


def record_table(
    ledger: Ledger, table: Mapping[str, Sequence[object]], file: str, line: Callable[[int], int | None]
) -> str:
    """Write a table of scores into a ledger.

    Parameters
    ----------
    ledger
        Where the scores go.
    table
        Columns by name, all of one length.
    file
        What to call the table in errors.
    line
        From the row's position, counted from zero, to the line that an error should name.

    Returns
    -------
    str
        ``"tidy"`` or ``"wide"``.
    """
    missing = [name for name in ("system", "input") if name not in table]
    if missing:
        raise FormatError(
            f"column {missing[0]!r} is missing; a table of scores has system, input and either metric, score "
            f"or one numeric column per metric (found: {', '.join(one_line(c, 40) for c in list(table)[:12])})",
            file=file,
        )
    tidy = "metric" in table and "score" in table
    if not tidy and ("metric" in table) != ("score" in table) and _has_text(table.get("metric", ())):
        raise FormatError("column 'score' is missing beside 'metric'", file=file)
    length = len(table["system"])
    for at in range(length):
        place = Place(file, line(at))
        system = label(table["system"][at], "system", place)
        key = label(table["input"][at], "input", place)
        if tidy:
            _record_tidy(ledger, table, at, system, key, place)
        else:
            for name, values in table.items():
                if name not in ("system", "input", "group"):
                    ledger.record(system, key, name, number(values[at], name, place), place)
        if "group" in table and table["group"][at] not in (None, ""):
            ledger.group(system, str(table["group"][at]), place)
    return "tidy" if tidy else "wide"


def _record_tidy(
    ledger: Ledger, table: Mapping[str, Sequence[object]], at: int, system: str, key: str, place: Place
) -> None:
    def optional(field: str) -> str:
        value = table[field][at] if field in table else None
        return "" if value is None or value != value else str(value)  # noqa: PLR0124 - NaN, as above

    name = label(table["metric"][at], "metric", place)
    kind: Kind | None = None
    said = optional("kind").lower()
    if said:
        if said not in ("human", "metric"):
            raise FormatError(
                f"field 'kind' must be human or metric, got {one_line(said, 40)!r}", file=place.file, line=place.line
            )
        kind = "human" if said == "human" else "metric"
    direction = optional("direction").lower()
    if direction not in ("", "higher", "lower"):
        raise FormatError(
            f"field 'direction' must be higher or lower, got {one_line(direction, 40)!r}",
            file=place.file,
            line=place.line,
        )
    if direction == "lower":
        ledger.lower_is_better(name)
    ledger.record(
        system,
        key,
        name,
        number(table["score"][at], "score", place),
        place,
        kind=kind,
        language=optional("language"),
        reference=optional("reference"),
        annotator=optional("annotator"),
    )


def _has_text(values: Sequence[object]) -> bool:
    return any(isinstance(v, str) and v.strip().lower() not in MISSING for v in values)


def scores_from_frame(frame: object) -> Scores:
    """Build scores from any eager data frame that narwhals knows."""
    import narwhals as nw

    try:
        eager = nw.from_native(frame, eager_only=True)  # type: ignore[call-overload]
    except TypeError as error:
        raise UsageError(f"expected a data frame (pandas, polars, pyarrow, …), got {type(frame).__name__}") from error
    table = {str(name): eager[name].to_list() for name in eager.columns}
    ledger = Ledger()
    kind = record_table(ledger, table, "the data frame", lambda at: at + 1)
    return ledger.scores(sources=(f"a data frame ({kind} scores)",))


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
    return nw.from_dict(columns, backend=backend).to_native()
