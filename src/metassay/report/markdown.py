"""Results as Markdown tables in the form that GitHub, Pandoc and most others read."""

from __future__ import annotations

import re

from metassay.report.table import Cell, Column, Page, Section, Table

_SPECIAL = re.compile(r"[\\`*{}\[\]<>|~&#!$]|(?<![^\W_])_|_(?![^\W_])")


def escape(text: str) -> str:
    """Return `text` so that Markdown shows it as it is; an underscore inside a word needs no escape."""
    return _SPECIAL.sub(lambda match: "\\" + match.group(), text)


def render(page: Page) -> str:
    """Return a page as Markdown, one table per section."""
    blocks = [*map(escape, page.said), *(block for table in page.tables for block in _table(table))]
    if page.notes:
        blocks.append("\n".join(f"- {escape(note)}" for note in page.notes))
    blocks.append(f"`{page.signature.replace('`', chr(39))}`")
    return "\n\n".join(blocks) + "\n"


def _table(table: Table) -> list[str]:
    table = table.on("paper")
    blocks = [f"**{escape(table.title)}**"]
    for section in table.sections:
        if section.title:
            blocks.append(f"*{escape(section.title)}*")
        blocks.append(_grid(table.columns, section))
    if table.below:
        blocks.append("  \n".join(map(escape, table.below)))
    return blocks


def _grid(columns: tuple[Column, ...], section: Section) -> str:
    heads = [escape(column.header) or " " for column in columns]
    body = [[_cell(cell) for cell in row] for row in section.rows]
    widths = [max(3, *(len(line[at]) for line in (heads, *body))) for at in range(len(columns))]
    rule = [_rule(column, width) for column, width in zip(columns, widths, strict=True)]
    lines = [_padded(heads, columns, widths), rule, *(_padded(line, columns, widths) for line in body)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(cell: Cell) -> str:
    text = escape(cell.unpadded)
    return f"**{text}**" if cell.bold and text else text


def _rule(column: Column, width: int) -> str:
    match column.align:
        case "left":
            return "-" * width
        case "right":
            return "-" * (width - 1) + ":"
        case "center":
            return ":" + "-" * (width - 2) + ":"


def _padded(cells: list[str], columns: tuple[Column, ...], widths: list[int]) -> list[str]:
    return [
        cell.rjust(width) if column.align == "right" else cell.ljust(width)
        for cell, column, width in zip(cells, columns, widths, strict=True)
    ]
