"""Pages as templates: markup stands in files beside the code, with ``$name`` where text goes."""

from __future__ import annotations

import re
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


def prose(text: str) -> str:
    """Return a text as markup whose lines do not end between a sign and its number.

    Examples
    --------
    >>> prose("(p = .12)").replace("\u00a0", "_"), prose("a & b")
    ('(p_=_.12)', 'a &amp; b')
    """
    return escape(re.sub(r"± (?=[.\d])", "±\u00a0", re.sub(r" ([=<>≤≥]) (?=[-.\d])", "\u00a0\\1\u00a0", text)))


def options(values: Mapping[str, str], selected: object = None) -> str:
    """Return the options of a list to choose from, which are texts."""
    return "".join(
        f'<option value="{escape(value)}"{" selected" * (value == selected)}>{escape(words)}</option>'
        for value, words in values.items()
    )
