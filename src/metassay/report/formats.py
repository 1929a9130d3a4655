"""One function per output format; each loads what it needs when it is first used."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from metassay.core.note import Note
from metassay.core.result import Result
from metassay.errors import UnknownName, UsageError, one_line

if TYPE_CHECKING:
    from metassay.core.scores import Scores
    from metassay.core.votes import Votes

Target = str | Path | None
View = str | Iterable[str] | None


def _written(text: str, path: Target) -> str:
    if path is not None:
        from metassay.core.files import write_text

        write_text(path, text)
    return text


def _on(medium: str, **in_files: object) -> Callable[..., str]:
    """Return what writes a result on a medium: the tables of its views, by the module that knows the medium."""

    def write(result: Result, path: Target = None, *, view: View = None, **options: object) -> str:
        from metassay.report import views

        given = {name: value for name, value in options.items() if value is not None}
        chosen = (in_files | given) if path is not None else given
        render: Callable[..., str] = import_module(f"metassay.report.{medium}").render
        return _written(render(views.page(result, view), **chosen), path)

    return write


to_text = _on("terminal", width=100, encoding="utf-8")
"""Return a result as plain text, or with `color` for a terminal that knows bold."""
to_markdown = _on("markdown")
"""Return a result as Markdown tables."""
to_latex = _on("latex")
"""Return a result as LaTeX tables (booktabs); options: `caption` and `label`."""
to_html = _on("html", document=True)
"""Return a result as an HTML fragment, or as a whole document if it goes to a file."""


def to_json(result: Result, path: Target = None) -> str:
    """Return a result as one JSON object."""
    from metassay.report import data

    return _written(data.to_json(result), path)


def to_csv(result: Result, path: Target = None, *, rows: str = "table", safe: bool = False) -> str:
    """Return the rows of a result as CSV; with `safe`, text that looks like a formula gets an apostrophe."""
    from metassay.report import data

    return _written(data.to_csv(result, rows, safe=safe), path)


def looked(data: Scores | Votes) -> str:
    """Return what is in scores or votes as HTML."""
    from metassay.studies.look import look

    return to_html(look(data), view="columns,axes", full=False)


def of_report(sentences: Iterable[str], result: Result | None) -> str:
    """Return the opening of a report as HTML: its sentences, and the table behind the first of them."""
    from html import escape

    said = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
    table = "" if result is None else to_html(result, full=False)
    return f"{table}<div><b>In words</b>{said}<p><code>.save('report.html')</code> writes the whole page.</p></div>"


def of_note(note: Note) -> str:
    """Return a note as a sentence."""
    from metassay.report.notes import sentence

    return sentence(note)


FORMATS: dict[str, Callable[..., str]] = {
    "table": to_text,
    "json": to_json,
    "csv": to_csv,
    "markdown": to_markdown,
    "latex": to_latex,
    "html": to_html,
}
"""Formats by the names that the command line knows."""
DATA = ("json", "csv")
"""Formats that hold rows and know no views."""
SUFFIXES = {
    ".txt": "table",
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".markdown": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
}


def choose(name: str | None, path: Target = None) -> str:
    """Return the format that is named, else the one that a file's suffix stands for, else ``table``."""
    if name is not None:
        known = SUFFIXES.get(f".{name.lower()}", name.lower())
        if known not in FORMATS:
            raise UnknownName("format", name, FORMATS)
        return known
    if path is None:
        return "table"
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(
            f"cannot tell the format from {one_line(path)!r}; "
            f"give --format, or end the name in one of {', '.join(SUFFIXES)}"
        )
    return SUFFIXES[suffix]
