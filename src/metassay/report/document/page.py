"""The report as one HTML file: text, charts, tables, downloads, and a policy that forbids everything else."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from html import escape
from importlib.resources import files
from typing import Any

from metassay.charts import theme
from metassay.charts.chart import interactive
from metassay.charts.panels import Multiples
from metassay.core.signature import VERSION
from metassay.errors import one_line, visible
from metassay.report import data, html, latex, names, numbers, views
from metassay.report.document import methods, summary
from metassay.report.document.study_runs import Dossier
from metassay.report.notes import sentences

QUESTIONS = {
    "agree": "How well does each metric agree with people?",
    "compare": "Which metric agrees better?",
    "criteria": "Is the agreement borrowed from another criterion?",
    "pairs": "Does a small score difference mean anything?",
    "decisions": "Would a metric decide between systems as people do?",
    "stability": "Would the ranking of systems come out the same again?",
    "precision": "How precise are the systems' scores?",
    "difficulty": "Do inputs differ in difficulty?",
    "normality": "Do parametric methods apply?",
}
"""The sections, in reading order."""

MOST_WARNINGS = 5
"""Warnings that are seen at once; the others are behind a click."""

LONGEST_LIST = 400
"""Rows that a table on the page may have; of longer ones it holds what the chart shows, and the downloads have all."""


def render(dossier: Dossier, *, title: str) -> str:
    """Return the whole document.

    Parameters
    ----------
    dossier
        What was found.
    title
        The heading and the title of the page.
    """
    sections = [name for name in QUESTIONS if name in dossier.results]
    charts = {name: chart for name in sections if (chart := interactive(dossier.results[name])) is not None}
    library, program = _asset("charts.js"), _asset("page.js")
    body = [
        '<a class="skip" href="#charts">Skip to the charts</a>',
        _header(title),
        "<main>",
        _opening(dossier),
        _navigation(sections, dossier),
        _controls(dossier, list(charts.values())),
        *(_section(name, dossier, charts.get(name)) for name in sections),
        _methods(dossier),
        _facts(dossier),
        "</main>",
        f"<footer><p>Made by metassay {escape(VERSION)}. This file needs no network and sends nothing.</p></footer>",
    ]
    scripts = f"<script>{library}</script>\n<script>{program}</script>"
    policy = (
        f"default-src 'none'; script-src {_hashed(library)} {_hashed(program)}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(one_line(title, 200))}</title>\n<style>\n{style()}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + f"\n{scripts}\n</body>\n</html>\n"
    )


def style() -> str:
    """Return the style sheet: the colours of the charts' theme, and how the page uses them."""
    return theme.style() + _asset("page.css")


def _asset(name: str) -> str:
    return (files("metassay.report.document") / name).read_text(encoding="utf-8")


def _hashed(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _data(identifier: str, value: Any, kind: str = "application/json") -> str:  # noqa: ANN401 - anything JSON knows
    """Return data for the page's program; no text in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return f'<script type="{kind}" id="{identifier}">{text}</script>'


def _header(title: str) -> str:
    return (
        f"<header><h1>{escape(one_line(title, 200))}</h1>"
        '<button type="button" id="theme" aria-pressed="false">Dark theme</button></header>'
    )


def _navigation(sections: Iterable[str], dossier: Dossier) -> str:
    links = [(name, QUESTIONS[name]) for name in sections]
    links += [("methods", "Methods, to paste"), ("facts", "The data")]
    items = "".join(f'<li><a href="#{name}">{escape(words)}</a></li>' for name, words in links)
    left_out = "".join(
        f"<li>{escape(QUESTIONS[name])} Not here: {escape(why)}</li>" for name, why in dossier.skipped.items()
    )
    return f'<nav aria-label="Contents"><ol>{items}</ol>{f"<ul>{left_out}</ul>" if left_out else ""}</nav>'


def _opening(dossier: Dossier) -> str:
    answer = "".join(f"<p>{escape(sentence)}</p>" for sentence in summary.answer(dossier))
    others = summary.other_criteria(dossier)
    more = "".join(f"<li>{escape(sentence)}</li>" for sentence in others)
    told = [f"<li>{escape(warning)}</li>" for warning in sentences(summary.warnings(dossier))]
    meant = escape(" ".join(summary.glossary(dossier)))
    parts = ['<section id="answer" aria-labelledby="answer-title"><h2 id="answer-title">The answer</h2>', answer]
    parts.append(f'<p class="gloss">{meant}</p>')
    if more:
        title = f"The first sentence for {numbers.counted(len(others), 'other setting')}"
        parts.append(f'<details class="printed"><summary>{title}</summary><ul>{more}</ul></details>')
    if told:
        first, rest = told[:MOST_WARNINGS], told[MOST_WARNINGS:]
        hidden = f"<details><summary>{len(rest)} more</summary><ul>{''.join(rest)}</ul></details>" if rest else ""
        parts.append(f'<div class="warnings"><h3>Caveats</h3><ul>{"".join(first)}</ul>{hidden}</div>')
    return "\n".join([*parts, "</section>"])


def _controls(dossier: Dossier, charts: list[Multiples]) -> str:
    """Return the switches that all charts share: criterion, level, coefficient, order, and which metrics to show."""
    choices: dict[str, dict[str, None]] = {"human": {}, "level": {}, "coefficient": {}}
    for chart in charts:
        for switch in chart.switches:
            choices[switch] |= {row[switch]: None for row in chart.rows}
    labels = {"human": "Criterion", "level": "Level", "coefficient": "Coefficient"}
    parts = []
    for switch, values in choices.items():
        if values:
            shown = [(v, names.coefficient(v) if switch == "coefficient" else one_line(v, 80)) for v in values]
            options = "".join(f'<option value="{escape(v)}">{escape(words)}</option>' for v, words in shown)
            parts.append(f'<label>{labels[switch]} <select data-switch="{switch}">{options}</select></label>')
    parts.append(
        '<label>Order <select data-switch="order"><option value="value">best first</option>'
        '<option value="name">by name</option></select></label>'
    )
    boxes = "".join(
        f'<label><input type="checkbox" checked data-metric="{escape(visible(m))}"> {escape(one_line(m, 80))}</label>'
        for m in dossier.metrics
    )
    picker = (
        '<details class="metrics"><summary>Metrics <output id="shown"></output></summary>'
        '<div class="tools"><label>Find <input type="search" id="find"></label>'
        '<button type="button" data-all="1">All</button><button type="button" data-all="">None</button></div>'
        f'<div class="boxes" role="group" aria-label="Metrics to show">{boxes}</div></details>'
    )
    return (
        '<form class="controls" id="charts" tabindex="-1" aria-label="What charts and tables show">'
        f'{"".join(parts)}{picker}<p class="unseen" role="status"></p></form>'
    )


def _section(name: str, dossier: Dossier, chart: Multiples | None) -> str:
    result = dossier.results[name]
    page = views.page(result)
    parts = [
        f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{escape(QUESTIONS[name])}</h2>',
        *([] if chart is None else [_figure(name, chart)]),
    ]
    rows = sum(len(section.rows) for table in page.tables for section in table.sections)
    if rows <= LONGEST_LIST:
        opened = " open" if chart is None else ""
        tables = "\n".join(f'<div class="wide">{html.render_table(table)}</div>' for table in page.tables)
        parts.append(f"<details{opened}><summary>Table</summary>\n{tables}\n</details>")
    else:
        if chart is not None:
            parts.append(
                f'<details data-values="chart-{name}"><summary>Table of what the chart shows</summary>'
                '<div class="wide"></div></details>'
            )
        parts.append(f"<p>The whole table has {rows:,} lines; the downloads have it.</p>")
    # What the opening has said already need not be said again.
    told = set(summary.warnings(dossier))
    notes = sentences(note for note in result.notes if note not in told)
    if notes:
        parts.append("<ul>" + "".join(f"<li>{escape(note)}</li>" for note in notes) + "</ul>")
    parts += [
        _data(f"csv-{name}", data.to_csv(result)),
        _data(f"tex-{name}", latex.render(page)),
        _downloads(name),
        f'<p class="signature"><code>{escape(page.signature)}</code></p></section>',
    ]
    return "\n".join(parts)


def _shown(value: Any) -> Any:  # noqa: ANN401 - anything JSON knows
    """Return a value with the bidirectional and control characters of its texts as symbols; browsers obey them."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {_shown(key): _shown(part) for key, part in value.items()}
    return [_shown(part) for part in value] if isinstance(value, list | tuple) else value


def _figure(name: str, chart: Multiples) -> str:
    fields = list(chart.rows[0])
    setting = {
        "spec": theme.replaced({**chart.interactive(), "config": theme.config(12)}, theme.ON_PAGE | theme.HARMLESS),
        "fields": fields,
        "rows": theme.replaced([[_short(row[field]) for field in fields] for row in chart.rows], theme.HARMLESS),
        "switches": chart.switches,
        "metrics": [field for field in chart.metrics if field in fields and field != chart.pick],
        "pick": chart.pick,
        "sort": "good" if chart.sort and "good" in fields else chart.sort,
    }
    setting = _shown(setting)
    identifier = f"chart-{name}"
    picker = ""
    if chart.pick:
        values = dict.fromkeys(row[chart.pick] for row in chart.rows)
        options = "".join(f'<option value="{escape(visible(v))}">{escape(one_line(v, 80))}</option>' for v in values)
        picker = f'<label class="pick">Show <select data-pick="{identifier}">{options}</select></label>'
    title = f"{chart.title}; {chart.told}" if chart.told else chart.title
    return (
        f'<figure><figcaption id="{identifier}-title">{escape(title)}</figcaption>{picker}'
        f'<div class="chart" id="{identifier}" role="img" aria-labelledby="{identifier}-title" '
        f'aria-describedby="{identifier}-said"></div><p class="said" id="{identifier}-said"></p>'
        f"{_data(f'{identifier}-data', setting)}</figure>"
    )


def _short(value: object) -> object:
    """Return a number with as many digits as a chart can show; tables and downloads have them all."""
    return float(f"{value:.5g}") if isinstance(value, float) else value


def _downloads(name: str) -> str:
    buttons = [
        f'<button type="button" data-download="{kind}-{name}" data-file="{name}.{kind}" '
        f'aria-label="Download {words}: {escape(QUESTIONS[name])}">{words}</button>'
        for kind, words in (("csv", "CSV"), ("tex", "LaTeX"))
    ]
    return f'<p class="downloads">Download: {" ".join(buttons)}</p>'


def _methods(dossier: Dossier) -> str:
    cited = "".join(f"<li>{escape(work)}</li>" for work in methods.citations(dossier))
    return (
        '<section id="methods" aria-labelledby="methods-title"><h2 id="methods-title">Methods, to paste</h2>'
        f'<p id="methods-text">{escape(methods.paragraph(dossier))}</p>'
        '<p class="downloads"><button type="button" data-copy="methods-text">Copy the paragraph</button></p>'
        f"<ul>{cited}</ul></section>"
    )


def _size(dossier: Dossier) -> str:
    n, m = dossier.scores.shape
    columns = [(name, dossier.scores[name]) for name in (*dossier.humans, *dossier.metrics)]
    missing = sum(int((values != values).sum()) for values in (dossier.scores.matrix(name) for name, _ in columns))
    raters = {label for name, column in columns if name in dossier.humans for label in column.labels("annotator")}
    criteria = "1 human criterion" if len(dossier.humans) == 1 else f"{len(dossier.humans)} human criteria"
    annotators = f"{numbers.counted(len(raters), 'annotator')}" if raters else "annotators not identified"
    cells = f"{missing:,} of {n * m * len(columns):,} cells missing" if missing else "no cell missing"
    return (
        f"{numbers.counted(n, 'system')} × {numbers.counted(m, 'input')}, "
        f"{numbers.counted(len(dossier.metrics), 'metric')}, {criteria}, {annotators}, {cells}."
    )


def _facts(dossier: Dossier) -> str:
    scores = dossier.scores
    n, m = scores.shape
    lines = []
    for name in (*dossier.humans, *dossier.metrics):
        column = scores[name]
        values = scores.matrix(name)
        missing = int((values != values).sum())
        raters = len(column.labels("annotator"))
        lines.append(
            f'<tr><th scope="row">{escape(one_line(name, 200))}</th><td>{column.kind}</td>'
            f'<td class="right">{missing:,} of {n * m:,}</td><td class="right">{raters or ""}</td>'
            f"<td>{'small is good' if column.lower_is_better else ''}</td></tr>"
        )
    sources = "".join(f"<li>{escape(one_line(source, 300))}</li>" for source in scores.sources)
    listed = f"<details><summary>Files</summary><ul>{sources}</ul></details>" if sources else ""
    return (
        '<section id="facts" aria-labelledby="facts-title"><h2 id="facts-title">The data</h2>'
        f"<p>{_size(dossier)}</p>"
        '<details class="printed"><summary>Columns</summary><div class="wide"><table><thead><tr>'
        '<th scope="col">column</th><th scope="col">kind</th><th scope="col" class="right">missing</th>'
        '<th scope="col" class="right">annotators'
        f'</th><th scope="col">direction</th></tr></thead><tbody>{"".join(lines)}</tbody></table></div></details>'
        f"{listed}</section>"
    )
