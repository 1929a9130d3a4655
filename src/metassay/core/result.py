"""What studies hand back: frozen, flat, and free of any renderer."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, dataclass_transform, get_type_hints

from metassay.core import vocabulary
from metassay.core.equality import Record
from metassay.core.note import Note
from metassay.core.records import field_names, is_table
from metassay.core.signature import VERSION, Signature


class Row(Protocol):
    """A flat, frozen dataclass: one line of a study's table."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


_renderers: dict[str, Callable[..., Any]] = {}
_loaders: list[Callable[[], object]] = []


def on_first_use(load: Callable[[], object]) -> None:
    """Name a function that loads a room of renderers; it runs when a renderer is first missed."""
    _loaders.append(load)


def register_renderer(name: str, render: Callable[..., Any]) -> None:
    """Say who turns results into text, HTML, LaTeX and the like."""
    _renderers[name] = render


def render(name: str, *args: object, **options: object) -> Any:  # noqa: ANN401 - each renderer has its own type
    """Call a renderer by its name, and load the room that has it if nobody did before."""
    while name not in _renderers and _loaders:
        _loaders.pop(0)()
    return _renderers[name](*args, **options)


def _flat(value: Any) -> Any:  # noqa: ANN401 - whatever a study puts in a row
    """Return several names as one text, since rows are flat; names with contents as JSON, which keeps them apart."""
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return json.dumps(value, ensure_ascii=False)
    return ", ".join(map(str, value)) if isinstance(value, tuple) else value


@dataclass_transform(frozen_default=True, eq_default=False)
class _Answer(Record):
    """What makes every class of results a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(frozen=True, eq=False, repr=False)(cls)


class Result(_Answer):
    """The answer of one study, which a class of results names: ``class Agreement(Result, study="agree")``.

    ``str()`` is a readable table; :meth:`rows` gives flat dicts; the ``to_…`` methods give everything else.
    """

    study: ClassVar[str]
    """The study's name, the same as its command."""
    table: Sequence[Row]
    """One entry per number that was asked for."""
    signature: Signature
    """The recipe, printed under every table."""
    notes: tuple[Note, ...]
    """What a reader must know: what was left out, what was undefined, what the numbers do not say."""

    def __init_subclass__(cls, study: str | None = None) -> None:
        super().__init_subclass__()
        if study is not None:
            cls.study = study
        elif not hasattr(cls, "study"):
            raise TypeError(f'a class of results names its study: class {cls.__name__}(Result, study="my-study")')

    @classmethod
    def tables(cls) -> tuple[str, ...]:
        """Return the names of the fields that hold rows, ``table`` first."""
        hints = get_type_hints(cls)
        names = (each.name for each in dataclasses.fields(cls) if each.name != "notes" and is_table(hints[each.name]))
        return tuple(dict.fromkeys(("table", *names)))

    def rows(self, of: str = "table") -> list[dict[str, Any]]:
        """Return the table as flat dicts, unrounded; undefined numbers are NaN.

        Some results have several tables: ``of`` names the field, such as ``verdicts`` of ``criteria``.
        """
        table: Sequence[Row] = getattr(self, vocabulary.choice(f"table of {self.study}", of, self.tables()))
        return [{name: _flat(getattr(row, name)) for name in field_names(type(row))} for row in table]

    def to_dataframe(self, backend: str = "pandas", *, rows: str = "table") -> Any:  # noqa: ANN401 - the user's choice
        """Return the rows as a data frame of the given backend (``pandas``, ``polars``, ``pyarrow``)."""
        from metassay.core.frames import frame_from_rows

        return frame_from_rows(self.rows(rows), backend)

    def to_json(self, path: str | Path | None = None) -> str:
        """Return one JSON object with all tables, from which :func:`metassay.load` makes an equal result.

        Also write it to `path`.
        """
        return str(render("json", self, path))

    def to_csv(self, path: str | Path | None = None, *, rows: str = "table", safe: bool = False) -> str:
        """Return the rows as CSV; also write it to `path`; `safe` keeps spreadsheets from running names as formulas."""
        return str(render("csv", self, path, rows=rows, safe=safe))

    def to_markdown(self, path: str | Path | None = None, **options: object) -> str:
        """Return a Markdown table; also write it to `path`. Option: ``view``, such as ``"matrix"``."""
        return str(render("markdown", self, path, **options))

    def to_latex(self, path: str | Path | None = None, **options: object) -> str:
        """Return a LaTeX table (booktabs); also write it to `path`."""
        return str(render("latex", self, path, **options))

    def to_html(self, path: str | Path | None = None, **options: object) -> str:
        """Return an HTML table; also write it to `path`."""
        return str(render("html", self, path, **options))

    def to_text(self, path: str | Path | None = None, **options: object) -> str:
        """Return a readable table; also write it to `path`. Options: ``view``, ``width``, ``full``.

        ``str()`` is the same with ``full=False``: about 15 rows of a table, and the notes that matter most.
        """
        return str(render("text", self, path, **options))

    def plot(self, path: str | Path | None = None, **options: object) -> Any:  # noqa: ANN401 - a Chart, of a room above
        """Return a chart, which a notebook shows; also save it to `path`, a PNG, SVG, PDF or JSON file.

        Options: ``kind`` for studies with several charts, ``title``, and what to draw, such as ``metric`` or ``human``.
        The chart has its Vega-Lite specification as ``spec``, and ``save``. PNG, SVG and PDF need vl-convert-python:
        ``pip install 'metassay[figures]'``.
        """
        return render("plot", self, path, **options)

    def __hash__(self) -> int:
        return hash((type(self), self.signature))

    def __str__(self) -> str:
        return self.to_text(full=False).rstrip("\n")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.table)} rows; {self.signature})"

    def _repr_html_(self) -> str:
        return self.to_html(full=False)

    @property
    def version(self) -> str:
        """The version of metassay that made the result."""
        return VERSION
