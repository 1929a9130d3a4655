"""One function per output format; each loads what it needs when it is first used."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from metassay.core.result import Result
from metassay.errors import UnknownName, UsageError, one_line

Target = str | Path | None
View = str | Iterable[str] | None


def _written(text: str, path: Target) -> str:
    if path is not None:
        from metassay.core.files import write_text

        write_text(path, text)
    return text


def to_text(
    result: Result,
    path: Target = None,
    *,
    view: View = None,
    width: int | None = None,
    color: bool = False,
    encoding: str | None = None,
) -> str:
    """Return a result as plain text, or with `color` for a terminal that knows bold."""
    from metassay.report import terminal, views

    if path is not None:
        width, encoding = width or terminal.DEFAULT_WIDTH, encoding or "utf-8"
    page = views.page(result, view)
    return _written(terminal.render(page, width=width, color=color, encoding=encoding), path)


def to_markdown(result: Result, path: Target = None, *, view: View = None) -> str:
    """Return a result as Markdown tables."""
    from metassay.report import markdown, views

    return _written(markdown.render(views.page(result, view)), path)


def to_latex(
    result: Result, path: Target = None, *, view: View = None, caption: str | None = None, label: str | None = None
) -> str:
    """Return a result as LaTeX tables (booktabs)."""
    from metassay.report import latex, views

    return _written(latex.render(views.page(result, view), caption=caption, label=label), path)


def to_html(result: Result, path: Target = None, *, view: View = None, document: bool | None = None) -> str:
    """Return a result as an HTML fragment, or as a whole document if it goes to a file."""
    from metassay.report import html, views

    whole = path is not None if document is None else document
    return _written(html.render(views.page(result, view), document=whole), path)


def to_json(result: Result, path: Target = None) -> str:
    """Return a result as one JSON object."""
    from metassay.report import data

    return _written(data.to_json(result), path)


def to_csv(result: Result, path: Target = None, *, rows: str = "table", safe: bool = False) -> str:
    """Return the rows of a result as CSV; with `safe`, text that looks like a formula gets an apostrophe."""
    from metassay.report import data

    return _written(data.to_csv(result, rows, safe=safe), path)


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
        if name.lower() not in FORMATS:
            raise UnknownName("format", name, FORMATS)
        return name.lower()
    if path is None:
        return "table"
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(
            f"cannot tell the format from {one_line(path)!r}; "
            f"give --format, or end the name in one of {', '.join(SUFFIXES)}"
        )
    return SUFFIXES[suffix]
