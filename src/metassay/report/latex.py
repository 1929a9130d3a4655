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
_MATHS |= {"†": r"\dagger", "α": r"\alpha", "ρ": r"\rho", "τ": r"\tau"}
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
    tables = [table.on("paper") for table in page.tables]
    wanted = {
        "longtable": any(map(_is_long, tables)),
        "graphicx": any(table.fit and not _is_long(table) for table in tables),
        "colortbl": any(
            cell.shaded for table in tables for part in table.sections for row in part.rows for cell in row
        ),
    }
    floats = [rf"% needs \usepackage{{{','.join(['booktabs', *(name for name, used in wanted.items() if used)])}}}"]
    for at, table in enumerate(tables):
        last = at == len(tables) - 1
        below = [*table.below, *((*page.lead, *page.notes) if last else ())]
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
        body = _fitted(_tabular(table)) if table.fit else _tabular(table)
        place = "[p]" if table.fit else ""
        lines, end = [rf"\begin{{table}}{place}", r"\centering", *title, *body], [r"\end{table}"]
    lines.append(r"\par\smallskip\begin{minipage}{\linewidth}\raggedright\footnotesize")
    lines += [escape(line) + r"\par" for line in below]
    # the signature has no blanks, so LaTeX is told where it may break; a typewriter font has a bar of its own
    recipe = escape(signature).replace(r"\textbar{}", r"|\allowbreak{}").replace(",", r",\allowbreak{}")
    return "\n".join([*lines, rf"\texttt{{{recipe}}}", r"\end{minipage}", *end, ""])


def _fitted(lines: list[str]) -> list[str]:
    """Return a table that is made smaller where it is wider than the text, or too high for a page with its notes."""
    limits = [(r"\width", r"\linewidth"), (r"\totalheight", r".75\textheight")]
    width, height = (rf"\ifdim{size}>{most} {most}\else{size}\fi" for size, most in limits)
    boxes = [rf"\resizebox*{{!}}{{{height}}}{{%", rf"\resizebox{{{width}}}{{!}}{{%"]
    return [r"\setlength{\tabcolsep}{3pt}\small", *boxes, *lines[:-1], lines[-1] + "}}"]


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
    text = rf"\textbf{{{text}}}" if cell.bold and text else text
    return rf"\cellcolor[gray]{{.87}}{text}" if cell.shaded else text
