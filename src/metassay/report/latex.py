"""Results as LaTeX tables for a paper; booktabs is all they need, and longtable for those longer than a page."""

from __future__ import annotations

import re

from metassay.report.table import Cell, Page, Table

_NAMED = {
    "\\": "backslash",
    "^": "asciicircum",
    "~": "asciitilde",
    "<": "less",
    ">": "greater",
    "|": "bar",
    "`": "asciigrave",
}
_MATHS = {"−": "-", "×": r"\times", "≤": r"\le", "≥": r"\ge", "∞": r"\infty", "±": r"\pm", "·": r"\cdot", "→": r"\to"}
_MATHS |= {"α": r"\alpha", "ρ": r"\rho", "τ": r"\tau"}
_SPECIAL = {c: f"\\{c}" for c in "{}$&#%_"} | {c: rf"\text{word}{{}}" for c, word in _NAMED.items()}
_SPECIAL |= {c: f"${word}$" for c, word in _MATHS.items()} | {"–": "--", "—": "---", "…": r"\dots{}"}
_SPECIAL['"'] = r"\char34{}"  # babel makes the straight quote active in some languages
_LIGATURES = re.compile(r"([-'!?,])(?=[-'`,])")
_ALIGN = {"left": "l", "right": "r", "center": "c"}


LONGEST_FLOAT = 50
"""Rows that fit on a page; a table with more of them is broken over pages."""


def escape(text: str) -> str:
    """Return `text` so that LaTeX prints it as it is, without joining ``--`` into a dash."""
    return "".join(_SPECIAL.get(c, c) for c in _LIGATURES.sub("\\1\0", text)).replace("\0", "{}")


def render(page: Page, *, caption: str | None = None, label: str | None = None) -> str:
    """Return a page as LaTeX, one floating table per table.

    Parameters
    ----------
    page
        What to show.
    caption
        Words for the caption of the first table, in LaTeX; by default the table's title.
    label
        The first table's label; by default ``tab:`` and the study's name. Further tables add a number to it.
    """
    label = label or f"tab:{page.study}"
    broken = any(_is_long(table) for table in page.tables)
    floats = [r"% needs \usepackage{booktabs" + (",longtable}" if broken else "}")]
    for at, table in enumerate(page.tables):
        last = at == len(page.tables) - 1
        below = [*table.below, *((*page.answers, *page.notes) if last else ())]
        head = caption if caption is not None and at == 0 else escape(table.title)
        floats.append(_float(table, below, page.signature, head, label if at == 0 else f"{label}-{at + 1}"))
    return "\n".join(floats)


def _is_long(table: Table) -> bool:
    return sum(len(section.rows) for section in table.sections) > LONGEST_FLOAT


def _float(table: Table, below: list[str], signature: str, caption: str, label: str) -> str:
    title = [rf"\caption{{{caption}}}", rf"\label{{{label}}}"]
    if _is_long(table):
        lines, end = _longtable(table, "".join(title)), []
    else:
        lines, end = [r"\begin{table}", r"\centering", *title, *_tabular(table)], [r"\end{table}"]
    lines.append(r"\par\smallskip\begin{minipage}{\linewidth}\raggedright\footnotesize")
    lines += [escape(line) + r"\par" for line in below]
    # the signature has no blanks, so LaTeX is told where it may break; a typewriter font has a bar of its own
    recipe = escape(signature).replace(r"\textbar{}", r"|\allowbreak{}").replace(",", r",\allowbreak{}")
    return "\n".join([*lines, rf"\texttt{{{recipe}}}", r"\end{minipage}", *end, ""])


def _tabular(table: Table) -> list[str]:
    lines = [rf"\begin{{tabular}}{{{_spec(table)}}}", r"\toprule", _heads(table), *_sections(table)]
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _longtable(table: Table, title: str) -> list[str]:
    """Return a table that goes on over pages, its head on each of them."""
    heads = [r"\toprule", _heads(table)]
    lines = [rf"\begin{{longtable}}{{{_spec(table)}}}", title + r" \\", *heads, r"\endfirsthead"]
    lines += [*heads, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"]
    return [*lines, *_sections(table), r"\end{longtable}"]


def _spec(table: Table) -> str:
    return "".join(_ALIGN[column.align] for column in table.columns)


def _heads(table: Table) -> str:
    return " & ".join(escape(column.header) for column in table.columns) + r" \\"


def _sections(table: Table) -> list[str]:
    lines = []
    for section in table.sections:
        lines.append(r"\midrule")
        if section.title:
            lines.append(rf"\multicolumn{{{len(table.columns)}}}{{l}}{{\emph{{{escape(section.title)}}}}} \\")
        lines += [_row(row) for row in section.rows]
    return lines


def _row(cells: tuple[Cell, ...]) -> str:
    line = " & ".join(_cell(cell) for cell in cells) + r" \\"
    # a rule or a line break would take these for its options
    return "{}" + line if line.startswith(("[", "*", "(")) else line


def _cell(cell: Cell) -> str:
    text = escape(cell.unpadded)
    if cell.number:
        # a hyphen in front of a digit, or of nothing, is a minus sign
        text = re.sub(r"(?<![-\d])-(?=[\d.$])", "$-$", text)
    return rf"\textbf{{{text}}}" if cell.bold and text else text
