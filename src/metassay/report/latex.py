"""Results as LaTeX tables that fit a paper of one or two columns; the first line says which packages they need."""

from __future__ import annotations

import re

from metassay.report.paper import COLUMN, SIZES, Layout, layout, parts
from metassay.report.paper import width as estimated
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
_MATHS |= {"†": r"\dagger", "√": r"\surd", "²": "^2", "₁": "_1", "●": r"\bullet", "█": r"\bullet", "▒": r"\circ"}
_GREEK = {
    "α": "alpha",
    "β": "beta",
    "δ": "delta",
    "ε": "varepsilon",
    "κ": "kappa",
    "ρ": "rho",
    "σ": "sigma",
    "τ": "tau",
}
_GREEK |= {"φ": "varphi", "ψ": "psi", "ω": "omega", "μ": "mu", "Φ": "Phi", "Σ": "Sigma", "Δ": "Delta"}
_MATHS |= {letter: rf"\{word}" for letter, word in _GREEK.items()}
_SPECIAL = {c: f"\\{c}" for c in "{}$&#%_"} | {c: rf"\text{word}{{}}" for c, word in _NAMED.items()}
_SPECIAL |= {c: f"${word}$" for c, word in _MATHS.items()} | {"–": "--", "—": "---", "…": r"\dots{}"}
_SPECIAL['"'] = r"\char34{}"  # babel makes the straight quote active in some languages
_LIGATURES = re.compile(r"([-'!?,])(?=[-'`,])")
_BREAKS = re.compile(r"(?<=[-_/.,:=])(?=\w)|(?<=\w{12})(?=\w{3})")
_ALIGN = {"left": "l", "right": "r", "center": "c"}


MOST_FLOATS = 12
"""After so many tables a page is ended."""


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
    tables = [part for table in page.tables for part in parts(table.on("paper"))]
    notes = [[*page.said, *page.notes] if at == len(tables) - 1 else [] for at in range(len(tables))]
    layouts = [layout(table, [*table.below, page.signature], own) for table, own in zip(tables, notes, strict=True)]
    cells = [cell for table in tables for part in table.sections for row in part.rows for cell in row]
    wanted = {
        "array": any(each.wrapped for each in layouts),
        "longtable": any(each.long for each in layouts),
        "graphicx": any(each.scaled or each.upright for each in layouts),
        "rotating": any(each.turned and not each.long for each in layouts),
        "lscape": any(each.turned and each.long for each in layouts),
        "colortbl": any(cell.shaded for cell in cells),
    }
    floats = [rf"% needs \usepackage{{{','.join(['booktabs', *(name for name, used in wanted.items() if used)])}}}"]
    if wanted["longtable"]:
        floats.append(r"% in a paper of two columns, longtable needs \onecolumn before it and \twocolumn after it")
    for at, (table, own, how) in enumerate(zip(tables, notes, layouts, strict=True)):
        if at and at % MOST_FLOATS == 0:
            floats.append(r"\clearpage % LaTeX keeps only so many floats waiting")
        head = caption if caption is not None and at == 0 else escape(table.title)
        floats.append(_float(table, how, own, page.signature, head, label if at == 0 else f"{label}-{at + 1}"))
    return "\n".join(floats)


def _float(table: Table, how: Layout, notes: list[str], signature: str, caption: str, label: str) -> str:
    title = [rf"\caption{{{caption}}}", rf"\label{{{label}}}"]
    # the signature has no blanks, so LaTeX is told where it may break; a typewriter font has a bar of its own
    recipe = escape(signature).replace(r"\textbar{}", r"|\allowbreak{}").replace(",", r",\allowbreak{}")
    below = [escape(line) + r"\par" for line in (table.below if how.apart else [*table.below, *notes])]
    below.append(rf"\texttt{{{recipe}}}")
    if how.apart and notes:
        behind = [rf"Notes to Table~\ref{{{label}}}.", *(escape(line) + r"\par" for line in notes)]
        behind = [r"\begingroup\noindent\raggedright\footnotesize", *behind, r"\endgroup"]
    else:
        behind = []
    changed = how.size > 0
    size = rf"{SIZES[how.size][0]}\setlength{{\tabcolsep}}{{{how.gap:g}pt}}" if changed else ""
    if how.long:
        lines = [r"\begingroup" + size, *_longtable(table, how, "".join(title)), r"\endgroup"]
        lines += [r"\begingroup\noindent\raggedright\footnotesize", *below, r"\par\endgroup", *behind]
        around = ([r"\begin{landscape}"], [r"\end{landscape}"]) if how.turned else ([], [])
        return "\n".join([*around[0], *lines, *around[1], ""])
    name = ("sidewaystable" if how.turned else "table") + "*" * (how.width > COLUMN)
    body = _scaled(_tabular(table, how), how) if how.scaled else _tabular(table, how)
    lines = [rf"\begin{{{name}}}" + "[p]" * (table.fit and not how.turned), r"\centering", *title]
    lines += ["{" + size, *body, "}"] if changed else body
    lines += [r"\par\smallskip\begin{minipage}{\linewidth}\raggedright\footnotesize", *below, r"\end{minipage}"]
    return "\n".join([*lines, rf"\end{{{name}}}", *behind, ""])


def _scaled(lines: list[str], how: Layout) -> list[str]:
    """Return a table that is made smaller where it is wider than the text, or too high for a page with its notes."""
    most = max(how.room, 150.0)
    limits = [(r"\width", r"\linewidth"), (r"\totalheight", f"{most:.0f}pt")]
    wide, high = (rf"\ifdim{size}>{limit} {limit}\else{size}\fi" for size, limit in limits)
    boxes = [rf"\resizebox*{{!}}{{{high}}}{{%", rf"\resizebox{{{wide}}}{{!}}{{%"]
    return [*boxes, *lines[:-1], lines[-1] + "}}"]


def _tabular(table: Table, how: Layout) -> list[str]:
    heads = [r"\toprule", _heads(table, how), *_sections(table, how)]
    return [rf"\begin{{tabular}}{{{_spec(table, how)}}}", *heads, r"\bottomrule", r"\end{tabular}"]


def _longtable(table: Table, how: Layout, title: str) -> list[str]:
    """Return a table that goes on over pages, its head on each of them."""
    heads = [r"\toprule", _heads(table, how)]
    lines = [rf"\begin{{longtable}}{{{_spec(table, how)}}}", title + r" \\", *heads, r"\endfirsthead"]
    lines += [*heads, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"]
    return [*lines, *_sections(table, how), r"\end{longtable}"]


def _spec(table: Table, how: Layout) -> str:
    def one(at: int, align: str) -> str:
        wide = how.wrapped.get(at)
        return _ALIGN[align] if wide is None else rf">{{\raggedright\arraybackslash}}p{{{wide:.0f}pt}}"

    return "".join(one(at, column.align) for at, column in enumerate(table.columns))


def _heads(table: Table, how: Layout) -> str:
    heads = [escape(column.header) for column in table.columns]
    heads = [rf"\rotatebox{{90}}{{{head}}}" if at in how.upright else head for at, head in enumerate(heads)]
    return " & ".join(heads) + r" \\"


def _sections(table: Table, how: Layout) -> list[str]:
    lines = []
    for section in table.sections:
        lines.append(r"\midrule")
        if section.title:
            fits = estimated(section.title) * SIZES[how.size][1] <= how.width - 2 * how.gap
            align = "l" if fits else f"p{{{how.width - 2 * how.gap:.0f}pt}}"
            lines.append(rf"\multicolumn{{{len(table.columns)}}}{{{align}}}{{\emph{{{escape(section.title)}}}}} \\")
        lines += [_row(row, how) for row in section.rows]
    return lines


def _row(cells: tuple[Cell, ...], how: Layout) -> str:
    line = " & ".join(_cell(cell, at in how.wrapped) for at, cell in enumerate(cells)) + r" \\"
    # a rule or a line break would take these for its options
    return "{}" + line if line.startswith(("[", "*", "(")) else line


def _cell(cell: Cell, wraps: bool) -> str:
    # a long word that wraps may break behind a sign, and a very long one anywhere
    parts = _BREAKS.split(cell.unpadded) if wraps else [cell.unpadded]
    text = r"\allowbreak{}".join(escape(part) for part in parts)
    if cell.number:
        # a hyphen in front of a digit, or of nothing, is a minus sign
        text = re.sub(r"(?<![-\d])-(?=[\d.$])", "$-$", text)
    text = rf"\textbf{{{text}}}" if cell.bold and text else text
    return rf"\cellcolor[gray]{{.87}}{text}" if cell.shaded else text
