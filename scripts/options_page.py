"""The table of options in the documentation: a hook of mkdocs that fills a page from what the verbs declare."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from metassay import HOMES
from metassay.core.option import shown
from metassay.core.study import Declared, read_declaration

MARK = "<!-- options -->"


def declared() -> Iterator[tuple[str, str, Declared]]:
    """Yield every public verb with every option that it declares."""
    for verb, module in HOMES.items():
        if verb.islower():
            for name, each in read_declaration(module, verb).options.items():
                yield verb, name, each


def table() -> str:
    """Return the options by heading: what each is, and which verbs take it, with their defaults."""
    groups: dict[str, dict[tuple[str, str, str], dict[str, str]]] = {}
    for verb, name, each in declared():
        default = each.option.absent or "off" if each.default in (None, False) else shown(each.default)
        default = "on" if each.default is True else default
        flag = f"--{each.option.flag or name.replace('_', '-')}"
        key = (name, flag, replace(each.option, absent=None).text().replace("|", " or "))
        groups.setdefault(each.option.group, {}).setdefault(key, {})[verb] = default
    parts = []
    for group, options in groups.items():
        parts += [f"## {group.capitalize()}", "", "| option | what it is | default |", "|---|---|---|"]
        for (name, flag, words), verbs in options.items():
            values = dict.fromkeys(verbs.values())
            told = [
                f"{value} ({', '.join(f'`{verb}`' for verb, own in verbs.items() if own == value)})" for value in values
            ]
            parts.append(f"| `{name}`<br>`{flag}` | {words} | {'; '.join(told)} |")
        parts.append("")
    return "\n".join(parts)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fill the page that has the mark."""
    return markdown.replace(MARK, table()) if MARK in markdown else markdown
