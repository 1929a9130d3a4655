"""Results as HTML tables: a fragment for notebooks, or a page of its own."""

from __future__ import annotations

import re
from html import escape

from metassay.report import brief
from metassay.report.table import Cell, Column, Page, Section, Table
from metassay.report.templates import prose

FOLDED = 240
"""Texts that are longer show so many characters of theirs until they are unfolded."""
_STYLE = """\
<style>
div.metassay { font-family: system-ui, sans-serif; line-height: 1.4; }
div.metassay table { border-collapse: collapse; margin: 0 0 .5em; font-variant-numeric: tabular-nums; }
div.metassay caption { text-align: left; font-weight: bold; padding: .5em 0; }
div.metassay th, div.metassay td { padding: .15em .8em .15em 0; text-align: left; font-weight: normal; }
div.metassay tbody th, div.metassay tbody td { vertical-align: top; }
div.metassay tbody th { min-width: 11em; }
div.metassay thead th { border-bottom: 1px solid currentColor; vertical-align: bottom; }
div.metassay th.section { font-style: italic; padding-top: .6em; }
div.metassay .right { text-align: right; }
div.metassay td.right { white-space: nowrap; }
div.metassay .center { text-align: center; }
div.metassay p { margin: .2em 0; font-size: smaller; max-width: 60em; }
div.metassay p.lead { font-size: inherit; }
div.metassay .more { opacity: .7; }
div.metassay svg.interval { width: 12em; height: 1.2em; vertical-align: middle; overflow: visible; margin-right: .5em; }
div.metassay td.shaded { background: color-mix(in srgb, currentColor 14%, transparent); }
div.metassay code { overflow-wrap: anywhere; opacity: .7; }
@media screen {
  body > div.metassay .wide { overflow-x: auto; }
  body > div.metassay caption { max-width: calc(100vw - 2em); }
  body > div.metassay tbody th:not(.section), body > div.metassay thead th:first-child {
    position: sticky; left: 0; background: Canvas; }
}
</style>"""


def render(page: Page, *, document: bool = False, full: bool = True) -> str:
    """Return a page as HTML.

    Parameters
    ----------
    page
        What to show.
    document
        Whether to return a whole document instead of a fragment.
    full
        Whether to show all of it, instead of what fits a screen.
    """
    page = page if full else brief.cut(page, lambda table: [list(range(len(table.columns)))], ".to_html()")
    lead = (f'<p class="lead">{prose(paragraph)}</p>' for paragraph in page.said)
    parts = [_STYLE, '<div class="metassay">', *lead]
    parts += [f'<div class="wide">{render_table(table)}</div>' for table in page.tables]
    parts += [f"<p>Note: {prose(note)}</p>" for note in page.notes]
    parts += [f"<p>{escape(page.left_out)}</p>"] if page.left_out else []
    parts += [f"<p><code>{escape(page.signature)}</code></p>", "</div>"]
    fragment = "\n".join(parts)
    if not document:
        return fragment + "\n"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>metassay {escape(page.study)}</title>\n</head>\n<body>\n{fragment}\n</body>\n</html>\n"
    )


def render_table(table: Table) -> str:
    """Return one table with its legend."""
    table = table.on("screen")
    heads = "".join(
        f'<th scope="col"{_class(column)}>{escape(_signed(column.header))}</th>' for column in table.columns
    )
    lines = [
        "<table>",
        f"<caption><span>{escape(table.title)}</span></caption>" * bool(table.title),
        f"<thead><tr>{heads}</tr></thead>",
    ]
    lines += [_section(table, section) for section in table.sections]
    lines.append("</table>")
    lines += [f"<p>{escape(line)}</p>" for line in table.below]
    return "\n".join(lines)


def _section(table: Table, section: Section) -> str:
    lines = ["<tbody>"]
    if section.title:
        span = len(table.columns)
        title = escape(section.title)
        lines.append(f'<tr><th class="section" scope="rowgroup" colspan="{span}"><span>{title}</span></th></tr>')
    for row in section.rows:
        cells = (_cell(cell, column) for cell, column in zip(row, table.columns, strict=True))
        lines.append(f"<tr>{''.join(cells)}</tr>")
    if section.left_out:
        lines.append(f'<tr><td class="more" colspan="{len(table.columns)}">… {section.left_out:,} more</td></tr>')
    return "\n".join([*lines, "</tbody>"])


def _signed(text: str) -> str:
    """Return a text whose negative numbers have a minus sign."""
    return re.sub(r"(?<![-\w])-(?=[\d.∞])", "−", text)


def _cell(cell: Cell, column: Column) -> str:
    if cell.bar is not None:
        return f"<td>{_bar(*cell.bar, cell.kind)}</td>"
    text = escape(_signed(cell.unpadded) if cell.number else cell.unpadded)
    if len(cell.whole) > FOLDED:
        first, rest = (escape(part) for part in (cell.whole[:FOLDED], cell.whole[FOLDED:]))
        text = f'<details class="printed"><summary>{first}…</summary>…{rest}</details>'
    if cell.bold and text:
        text = f"<strong{f' class={cell.kind}' * bool(cell.kind)}>{text}</strong>"
    if cell.shaded:
        return f'<td class="shaded {column.align}">{text}</td>'
    tag, scope = ("th", ' scope="row"') if column.key and not cell.number and not cell.whole else ("td", "")
    return f"<{tag}{scope}{_class(column)}>{text}</{tag}>"


def _bar(low: float, estimate: float, high: float, kind: str) -> str:
    """Return an interval as a drawing; it has words for those who do not see it in the columns beside it."""
    x1, x, x2 = (f"{100 * share:.1f}%" for share in (low, estimate, high))
    return (
        f'<svg class="{" ".join(filter(None, ("interval", kind)))}" aria-hidden="true">'
        f'<line x1="{x1}" x2="{x2}" y1="50%" y2="50%" stroke="currentColor" stroke-width="1.5" opacity=".55"/>'
        f'<circle cx="{x}" cy="50%" r="3" fill="currentColor"/></svg>'
    )


def _class(column: Column) -> str:
    return "" if column.align == "left" else f' class="{column.align}"'
