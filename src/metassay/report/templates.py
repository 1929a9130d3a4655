"""Pages as templates: markup stands in files beside the code, with ``$name`` where text goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from importlib.resources import files
from string import Template


def filled(room: str, name: str, **parts: object) -> str:
    """Return a template of a package, filled with markup."""
    text = (files(room) / "templates" / f"{name}.html").read_text(encoding="utf-8")
    return Template(text).substitute(parts)


def each(markup: str, values: Iterable[tuple[object, ...]]) -> str:
    """Return a piece of markup for each of some values, which are texts.

    Examples
    --------
    >>> each("<li>{}</li>", [("a & b",), ("c",)])
    '<li>a &amp; b</li><li>c</li>'
    """
    return "".join(markup.format(*(escape(str(part)) for part in parts)) for parts in values)


def options(values: Mapping[str, str], selected: object = None) -> str:
    """Return the options of a list to choose from, which are texts."""
    return "".join(
        f'<option value="{escape(value)}"{" selected" * (value == selected)}>{escape(words)}</option>'
        for value, words in values.items()
    )
