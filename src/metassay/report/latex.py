"""Results as LaTeX tables for a paper; booktabs is all they need."""

from __future__ import annotations

import re

from metassay.report.table import Cell, Column, Page, Table

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    # babel makes the straight quote active in some languages
    '"': r"\char34{}",
    "–": "--",
    "—": "---",
    "−": "$-$",
    "×": r"$\times$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "…": r"\dots{}",
    "∞": r"$\infty$",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "α": r"$\alpha$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "→": r"$\to$",
}
_LIGATURES = re.compile(r"([-'!?,])(?=[-'`,])")
_ALIGN = {"left": "l", "right": "r", "center": "c"}


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
    floats = [r"% needs \usepackage{booktabs}"]
    for at, table in enumerate(page.tables):
        last = at == len(page.tables) - 1
        bold = [f"Bold: {table.bold}."] if table.bold else []
        below = [*table.legend, *bold, *(page.notes if last else ())]
        head = caption if caption is not None and at == 0 else escape(table.title)
        floats.append(_float(table, below, page.signature, head, label if at == 0 else f"{label}-{at + 1}"))
    return "\n".join(floats)


def _float(table: Table, below: list[str], signature: str, caption: str, label: str) -> str:
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{caption}}}", rf"\label{{{label}}}"]
    lines += _tabular(table)
    lines.append(r"\par\smallskip\begin{minipage}{\linewidth}\raggedright\footnotesize")
    lines += [escape(line) + r"\par" for line in below]
    # the signature has no blanks, so LaTeX is told where it may break; a typewriter font has a bar of its own
    recipe = escape(signature).replace(r"\textbar{}", r"|\allowbreak{}").replace(",", r",\allowbreak{}")
    lines += [rf"\texttt{{{recipe}}}", r"\end{minipage}", r"\end{table}", ""]
    return "\n".join(lines)


def _tabular(table: Table) -> list[str]:
    spec = "".join(_ALIGN[column.align] for column in table.columns)
    lines = [rf"\begin{{tabular}}{{{spec}}}", r"\toprule"]
    lines.append(" & ".join(_head(column) for column in table.columns) + r" \\")
    for section in table.sections:
        lines.append(r"\midrule")
        if section.title:
            lines.append(rf"\multicolumn{{{len(table.columns)}}}{{l}}{{\emph{{{escape(section.title)}}}}} \\")
        lines += [_row(row) for row in section.rows]
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _head(column: Column) -> str:
    return escape(column.header)


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
