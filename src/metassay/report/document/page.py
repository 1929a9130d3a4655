"""The report as one HTML file: text, charts, tables, downloads, and a policy that forbids everything else."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files
from typing import Any, cast

from metassay.charts import theme
from metassay.charts.chart import interactive
from metassay.charts.panels import SWITCHES, Multiples
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.signature import VERSION
from metassay.core.slices import BETWEEN, Slices
from metassay.errors import one_line, visible
from metassay.report import data, html, latex, names, numbers, paper, views, words
from metassay.report.document import board, methods, summary
from metassay.report.document.study_runs import SLICES, Dossier, Findings
from metassay.report.notes import is_answer, paragraphs, sentences
from metassay.report.table import Page, Paragraph, Table
from metassay.report.templates import each, filled, options, prose
from metassay.report.views.columns import grouped
from metassay.report.views.judge import contenders
from metassay.studies.judge_rows import JudgeCard

SECTIONS = {
    "rank": "Ranking of systems",
    "judge_votes": "Votes of judges and of people",
    "judge": "Agreement of judges with people",
    "look": "Contents of the files",
    "agree": "Agreement of metrics with people",
    "compare": "Significant differences between metrics",
    "disagreements": "Worst disagreements",
    "leaderboard": "Leaderboard",
    "bias": "Biases",
    "criteria": "Agreement with another criterion held fixed",
    "pairs": "Agreement by score difference",
    "decisions": "Decisions about systems",
    "differences": "Meaning of a score difference",
    "stability": "Stability of the ranking",
    "precision": "Precision of system scores",
    "reliability": "Reliability of scores",
    "plan": "Sample sizes needed",
    "plan_labels": "Labels needed",
    "slices": "Slices",
    "difficulty": "Difficulty of inputs",
    "normality": "Normality of scores",
}
"""The sections and their headings, in reading order."""

MOST_WARNINGS = 3
"""Warnings that are seen at once; the others are behind a click."""

MOST_IN_MATRIX = 20
"""With more metrics than this, p-values of all pairs are shown only if the whole is asked for."""

WIDEST = 8
"""Columns of a table that is open on the first screen."""

LONGEST_LIST = 400
"""Rows that a table on the page may have; of longer ones it holds what the chart shows, and the downloads have all."""

JUDGED = "people,alternative,epsilon,slices,threshold,calibration,ranks,runs"
"""Views of the section of judges, whose summary and confusion tables stand in the opening."""

EXAMPLES = "disagreements"
TO_DO = "What to do next"
NEXT = {EXAMPLES: "Where it fails", "plan": TO_DO, "plan_labels": TO_DO, "rank": TO_DO, "judge_votes": "Where it fails"}
"""Sections whose answer the first screen repeats, and what it calls them."""
IN_SHORT = {"plan": "needs", "plan_labels": "needs,choices", SLICES: BETWEEN, EXAMPLES: EXAMPLES}
IN_SHORT |= {"rank": "gaps", "judge_votes": "margins"}
"""Views of studies of which the page shows a part."""

WORTH_PACKING = 30_000
"""Characters of a chart's data beyond which they are compressed."""


def render(dossier: Dossier, *, title: str, first: bool = False) -> str:
    """Return the whole document, or its first screen.

    Parameters
    ----------
    dossier
        What was found.
    title
        The heading and the title of the page.
    first
        Whether only the first screen is wanted.
    """
    told, what = summary.warnings(dossier), "judge" if "judge" in dossier.results else "metric"
    size = f'<p class="size">{escape(summary.size(dossier))}</p>'
    if first:
        charts = interactive(dossier.results["agree"]) if "agree" in dossier.results else {}
        switches = controls(charts.values(), dossier.metrics, what)
        return document(title, [size, switches, _opening(dossier, told)])
    made = sections(dossier, told, {"judge": JUDGED}, folded=("compare",) if _folds(dossier) else ())
    body = [
        size,
        controls((chart for _, charts in made.values() for chart in charts.values()), dossier.metrics, what),
        _opening(dossier, told),
        navigation(dossier, {"methods": "Methods paragraph", "facts": "The data"}),
        *(section for section, _ in made.values()),
        _filled(
            "methods",
            paragraph=escape(methods.paragraph(dossier)),
            cited=each("<li>{}</li>", zip(methods.citations(dossier), strict=True)),
        ),
        _facts(dossier),
    ]
    return document(title, body)


def document(title: str, body: Iterable[str]) -> str:
    """Return a document with the parts of its body; all scripts and styles are in it."""
    library, program = _asset("charts.js"), _asset("page.js")
    return _filled(
        "page",
        policy=f"default-src 'none'; script-src {_hashed(library)} {_hashed(program)}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'",
        title=escape(one_line(title, 200)),
        style=style(),
        body="\n".join(body),
        version=escape(VERSION),
        library=library,
        program=program,
    )


def style() -> str:
    """Return the style sheet: the colours of the charts' theme, and how the page uses them."""
    return theme.style() + _asset("page.css")


def _asset(name: str) -> str:
    return (files("metassay.report.document") / name).read_text(encoding="utf-8")


def _filled(template: str, **parts: object) -> str:
    return filled("metassay.report.document", template, **parts)


def _hashed(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _data(identifier: str, value: Any, kind: str = "application/json") -> str:  # noqa: ANN401 - anything JSON knows
    """Return data for the page's program; no text in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return f'<script type="{kind}" id="{identifier}">{text}</script>'


def packed(identifier: str, text: str) -> str:
    """Return text for a download or a large chart, compressed: the page's program unpacks it."""
    return _data(identifier, base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode())


def navigation(found: Findings, more: Mapping[str, str]) -> str:
    """Return links to the sections, in reading order, and what is not there."""
    links = {name: _heading(name, found) for name in _names(found)} | {**more}
    items = each('<li><a href="#{}">{}</a></li>', links.items())
    reasons: dict[str, list[str]] = {}
    for name, why in found.skipped.items():
        reasons.setdefault(why, []).append(SECTIONS[_study(name)])
    left_out = each("<li>Not included: {} ({})</li>", ((", ".join(headings), why) for why, headings in reasons.items()))
    return f'<nav aria-label="Contents"><ol>{items}</ol>{f"<ul>{left_out}</ul>" if left_out else ""}</nav>'


def _study(name: str) -> str:
    """Return what a section is about; several about the same are numbered."""
    return name.partition("-")[0]


def _names(found: Findings) -> list[str]:
    """Return the sections that there are, in reading order."""
    return [name for study in SECTIONS for name in found.results if _study(name) == study]


def _heading(name: str, found: Findings) -> str:
    """Return the heading of a section; slices are told apart by what they are of."""
    result, heading = found.results[name], SECTIONS[_study(name)]
    return f"{heading} by {one_line(result.by, 60)}" if isinstance(result, Slices) else heading


def verdict(page: Page, then: str = "") -> str:
    """Return the answer of a study: its first sentence large, the others, what follows `then`, and tables."""
    tables = "".join(map(_wide, page.tables))
    first, *others = page.lead or (Paragraph(("",)),)
    said = board.enlarged(first.sentences)
    folded = "".join(f"<p>{prose(each.text)}</p>" for each in others)
    if folded:
        folded = f"<details><summary>{numbers.counted(len(others), 'further finding')}</summary>{folded}</details>"
    return f'<div class="verdict">{said}{folded}</div>{then}{tables}'


def _wide(table: Table, kind: str = "wide") -> str:
    """Return a table that scrolls where it is wider than the window, and whose type fits paper."""
    return f'<div class="{kind}" style="--ems: {paper.ems(table.on("screen")):.0f}">{html.render_table(table)}</div>'


def caveats(notes: Iterable[Note], shown: Mapping[str, str] | None = None, above: str = "") -> str:
    """Return what a reader must know before believing a number, the weightiest at once; nothing if there is nothing.

    What is said of other criteria, levels or statistics than those `shown` comes last; what stands `above` already is
    left out.
    """
    kinds: dict[str, list[Note]] = {}
    for note in notes:
        kinds.setdefault(note.code, []).append(note)
    firsts = {line for mine in kinds.values() for line in sentences(mine)[:1]}

    def later(said: Paragraph) -> tuple[bool, bool]:
        # One of each kind before a second of any.
        named = ((said.about(fact), value) for fact, value in (shown or {}).items())
        return any(names and value not in names for names, value in named), said.text not in firsts

    ordered = sorted(paragraphs(note for mine in kinds.values() for note in mine), key=later)
    told = [f"<li>{prose(said.text)}</li>" for said in ordered if prose(said.text) not in above]
    first, rest = "".join(told[:MOST_WARNINGS]), told[MOST_WARNINGS:]
    hidden = f"<details><summary>{len(rest)} more</summary><ul>{''.join(rest)}</ul></details>" if rest else ""
    return f'<div class="warnings"><h3>Caveats</h3><ul>{first}</ul>{hidden}</div>' if told else ""


def _opening(dossier: Dossier, told: Sequence[Note]) -> str:
    """Return the first screen: the verdict, the metrics by criterion, and the caveats that matter."""
    parts = [f'<p class="told">{escape(line)}</p>' for line in sentences(summary.apart(dossier))]
    correlations = ""
    if "agree" in dossier.results:
        said = board.verdicts(dossier) + following(dossier, humans=dossier.humans) + _otherwise(dossier)
        correlations = f'<div aria-live="polite">{said}</div>{board.boards(dossier)}'
    if "judge" in dossier.results:
        parts.append(_of_judges(dossier))
        if correlations:
            parts.append(f"<details><summary>Correlations with people</summary>{correlations}</details>")
    else:
        parts.append(correlations)
    parts.append(caveats(told, summary.shown_first(dossier)))
    words = each("<p>{}</p>", zip(summary.glossary(dossier), strict=True))
    parts += [f'<details class="gloss printed"><summary>Glossary</summary>{words}</details>'] * bool(words)
    return answer(parts)


def following(found: Findings, studies: Iterable[str] = NEXT, humans: Sequence[str] = ()) -> str:
    """Return where the best fails and what would show more, for each criterion, with links to the sections."""
    lines = []
    for name in (name for name in studies if name in NEXT and name in found.results):
        lead = views.page(found.results[name], IN_SHORT[name]).lead
        # The first paragraph of a criterion says most.
        for said in reversed({tuple(told.about("human")): told for told in reversed(lead)}.values()):
            of = _of(said, humans)
            hidden = " hidden" * (bool(of) and humans[0] not in said.about("human"))
            link = f'<a href="#{name}">{NEXT[name]}</a><span>: {prose(said.sentences[0])}</span>'
            lines.append(f'<p class="next"{of}{hidden}>{link}</p>')
    return "".join(lines)


def _otherwise(dossier: Dossier) -> str:
    """Return what to do next where the data do not allow the study that plans it."""
    text = summary.to_do(dossier) if {"plan", "plan_labels"} & dossier.skipped.keys() else ""
    return f'<p class="next"><a href="#facts">{TO_DO}</a><span>: {prose(text)}</span></p>' if text else ""


def _of_judges(dossier: Dossier) -> str:
    """Return each judge in a line, and its confusion table: that of the best is open if it is small."""
    judged = cast("JudgeCard", dossier.results["judge"])
    summed, confused = (views.page(judged, view) for view in ("summary", "confusion"))
    if (tied := contenders(judged)) and summed.lead:
        first, *others = summed.lead
        said = (*first.sentences[:1], tied, *first.sentences[1:])
        summed = replace(summed, lead=(replace(first, sentences=said), *others))
    then = following(dossier, humans=dossier.humans) + _otherwise(dossier)
    return verdict(summed, then) + _folds_of(confused.tables)


def _folds_of(tables: Iterable[Table]) -> str:
    """Return tables that can be folded; the first is open if it is not wide. Those of texts need no heading."""
    folds = []
    for at, table in enumerate(tables):
        opened = " open" * (not at and len(table.columns) <= WIDEST)
        shown = _wide(replace(table, title=""), "wide texts" if table.columns[-1].header == "text" else "wide")
        folds.append(f"<details{opened}><summary>{escape(table.title)}</summary>{shown}</details>")
    return "".join(folds)


def answer(parts: Iterable[str]) -> str:
    """Return the section that says the answer."""
    title = '<h2 id="answer-title" class="unseen">The answer</h2>'
    return "\n".join([f'<section id="answer" aria-labelledby="answer-title">{title}', *parts, "</section>"])


def controls(charts: Iterable[Multiples], metrics: Iterable[str] = (), what: str = "metric") -> str:
    """Return the switches that all charts share: criterion, level, statistic, order, and which metrics to show.

    Where there is nothing to choose, they are hidden; the page's program reads them all the same.
    """
    drawn, named, switches, several = list(charts), list(metrics), "", False
    for switch, label in zip(SWITCHES, ("Criterion", "Level", "Statistic"), strict=True):
        shown = {row[switch]: None for chart in drawn if switch in chart.switches for row in chart.rows}
        if shown:
            several |= len(shown) > 1
            words = {v: names.coefficient(v) if switch == names.STATISTIC else one_line(v, 80) for v in shown}
            hidden = " hidden" * (len(shown) < 2)
            switches += f'<label{hidden}>{label} <select data-switch="{switch}">{options(words)}</select></label>'
    box = '<label><input type="checkbox" checked data-metric="{}"> {}</label>'
    boxes = each(box, ((visible(metric), one_line(metric, 80)) for metric in named))
    made = _filled(
        "controls",
        switches=switches,
        boxes=boxes,
        what=f"{what.capitalize()}s",
        first=board.ROWS,
        hidden=" hidden" * (len(named) < 2),
    )
    return made if several or len(named) > 1 else f"<div hidden>{made}</div>"


def sections(
    found: Findings, told: Iterable[Note], shown: Mapping[str, str] | None = None, folded: Iterable[str] = ()
) -> dict[str, tuple[str, dict[str, Multiples]]]:
    """Return the section of each study, and its charts; notes that were `told` already are left out.

    `shown` names the views of studies whose answer stands in the opening; `folded` studies show ranks of many metrics
    instead of a matrix of their p-values.
    """
    before, made = set(told), {}
    humans = found.humans if isinstance(found, Dossier) else ()
    agreed = (
        next(iter(grouped(found.results["agree"].table, names.SETTING).values())) if "agree" in found.results else []
    )
    best = next((row.metric for row in words.best_first(agreed)), None)
    sliced = [name for name in _names(found) if _study(name) == SLICES]
    for name in _names(found):
        more = _beside(name, found, last=name in sliced[-1:]) if isinstance(found, Dossier) else ""
        result, ranks = found.results[name], "ranks" if name in folded else None
        charts = {} if name == EXAMPLES else interactive(result, ranks)
        view = (shown or {}).get(name)
        about = (name, _heading(name, found), result, charts, before, view, ranks, humans, best, more)
        made[name] = _section(*about), charts
    return made


def _beside(name: str, dossier: Dossier, *, last: bool) -> str:
    """Return what a section says of the page: which part of the files it studies, and slices that it does not show."""
    if name == "look":
        return f"<p>Studied on this page: {escape(summary.size(dossier))}</p>"
    if not last or not dossier.unsliced:
        return ""
    why = "; ".join(f"{one_line(name, 60)} ({reason})" for name, reason in dossier.unsliced.items())
    return f"<p>Not shown: {escape(why)}. metassay agree --by NAME shows each.</p>"


def _section(
    name: str,
    heading: str,
    result: Result,
    charts: Mapping[str, Multiples],
    told: set[Note],
    view: str | None,
    ranks: str | None,
    humans: Sequence[str],
    best: str | None,
    more: str,
) -> str:
    short = IN_SHORT.get(_study(name))
    page = views.page(result, view or ranks or short)
    # What the opening says in full is said here in short.
    lead = [replace(said, sentences=said.sentences[:1]) for said in page.lead] if short or view else page.lead
    parts = [
        f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{escape(heading)}</h2>',
        *(_told(said, humans) for said in (lead if view is None else lead[:1])),
        *(_figure(name, chart, page.lead, best) for chart in list(charts.values())[:1]),
        *(_further(f"{name}-{kind}", charts[kind], page.lead, best) for kind in list(charts)[1:]),
    ]
    rows = sum(len(section.rows) for table in page.tables for section in table.sections)
    if name == EXAMPLES:
        parts.append(_folds_of(page.tables))
    elif rows <= LONGEST_LIST:
        opened = " open" * (name == "leaderboard" or (not charts and rows <= board.ROWS and name != "look"))
        tables = "\n".join(map(_wide, page.tables))
        parts += [f"<details{opened}><summary>Table</summary>\n{tables}\n</details>"] * bool(rows)
    else:
        if charts:
            parts.append(
                f'<details data-values="chart-{name}"><summary>Table of what the chart shows</summary>'
                '<div class="wide"></div></details>'
            )
        parts.append(f"<p>The complete table, with {rows:,} rows, is in the downloads.</p>")
    if ranks:
        parts.append(
            f"<p>The p-values of all {len(result.table):,} comparisons are on the page of <code>metassay report --full"
            "</code>, and in the output of <code>metassay compare</code>.</p>"
        )
    parts.append(more)
    notes = sentences(note for note in result.notes if note not in told and not is_answer(note))
    signature = f'<p class="signature"><code>{escape(page.signature)}</code></p>'
    parts += [
        f"<details><summary>Method and notes</summary><ul>{each('<li>{}</li>', zip(notes, strict=True))}</ul>"
        f"{signature}</details>",
        packed(f"csv-{name}", data.to_csv(result, ranks or (EXAMPLES if name == EXAMPLES else "table"), safe=True)),
        packed(f"tex-{name}", latex.render(page)),
        _downloads(name, heading),
        "</section>",
    ]
    return "\n".join(parts)


def _told(said: Paragraph, humans: Sequence[str]) -> str:
    """Return a paragraph, with the criterion if it speaks of one only, so that it can follow the page's controls."""
    return f'<p class="told"{_of(said, humans)}>{prose(said.text)}</p>'


def _of(said: Paragraph, humans: Sequence[str]) -> str:
    spoken = [name for name in said.about("human") if name in humans]
    return f' data-human="{escape(visible(spoken[0]))}"' if len(spoken) == 1 and len(humans) > 1 else ""


def _folds(dossier: Dossier) -> bool:
    """Return whether there are too many metrics for a matrix of p-values, and nobody asked for it."""
    return not dossier.full and len(dossier.metrics) > MOST_IN_MATRIX


def _shown(value: Any) -> Any:  # noqa: ANN401 - anything JSON knows
    """Return a value with the bidirectional and control characters of its texts as symbols; browsers obey them."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {_shown(key): _shown(part) for key, part in value.items()}
    return [_shown(part) for part in value] if isinstance(value, list | tuple) else value


def _figure(name: str, chart: Multiples, lead: Sequence[Paragraph], best: str | None) -> str:
    fields = list(chart.rows[0])
    setting = {
        "spec": theme.replaced({**chart.interactive(), "config": theme.config(12)}, theme.ON_PAGE | theme.HARMLESS),
        "fields": fields,
        "rows": theme.replaced([[_short(row[field]) for field in fields] for row in chart.rows], theme.HARMLESS),
        "switches": chart.switches,
        "metrics": [field for field in chart.metrics if field in fields and field != chart.pick],
        "pick": chart.pick,
        "lines": chart.lines,
        "sort": "good" if chart.sort and "good" in fields else chart.sort,
    }
    setting = _shown(setting)
    identifier = f"chart-{name}"
    picker = ""
    if chart.pick:
        values = {visible(row[chart.pick]): one_line(row[chart.pick], 80) for row in chart.rows}
        label = "Held fixed:" if chart.pick == "anchor" else "Show"
        # What the answer speaks of is shown first, else the best metric.
        spoken = (*(name for said in lead[:1] for name in said.about(chart.pick)), best or "")
        shown = next(filter(values.__contains__, map(visible, spoken)), None)
        chosen = f'<select data-pick="{identifier}">{options(values, shown)}</select>'
        picker = f'<label class="pick"{" hidden" * (len(values) < 2)}>{label} {chosen}</label>'
    title = escape(f"{chart.title}; {chart.told}" if chart.told else chart.title)
    text = json.dumps(setting, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    data = packed(f"{identifier}-data", text) if len(text) > WORTH_PACKING else _data(f"{identifier}-data", setting)
    return _filled("figure", identifier=identifier, title=title, picker=picker, data=data)


def _further(name: str, chart: Multiples, lead: Sequence[Paragraph], best: str | None) -> str:
    """Return a chart behind a click: a section shows one at first."""
    return f"<details><summary>Chart: {escape(chart.title)}</summary>{_figure(name, chart, lead, best)}</details>"


def _short(value: object) -> object:
    """Return a number with as many digits as a chart can show; tables and downloads have them all."""
    return float(f"{value:.5g}") if isinstance(value, float) else value


def _downloads(name: str, heading: str) -> str:
    buttons = [
        f'<button type="button" data-download="{kind}-{name}" data-file="{name}.{kind}" '
        f'aria-label="Download {words}: {escape(heading)}">{words}</button>'
        for kind, words in (("csv", "CSV"), ("tex", "LaTeX"))
    ]
    return f'<p class="downloads">Download: {" ".join(buttons)}</p>'


def _facts(dossier: Dossier) -> str:
    scores = dossier.scores
    n, m = scores.shape
    row = '<tr><th scope="row">{}</th><td>{}</td><td class="right">{}</td><td class="right">{}</td><td>{}</td></tr>'
    facts = []
    for name in (*dossier.humans, *dossier.metrics):
        column, values = scores[name], scores[name].mean()
        missing = numbers.of(int((values != values).sum()), n * m)
        raters = len(column.labels("annotator")) or ""
        direction = "lower is better" if column.lower_is_better else ""
        facts.append((one_line(name, 200), column.kind, missing, raters, direction))
    files = each("<li>{}</li>", ((one_line(source, 300),) for source in scores.sources))
    sources = f"<details><summary>Files</summary><ul>{files}</ul></details>" if files else ""
    return _filled("facts", size=summary.size(dossier), columns=each(row, facts), sources=sources)
