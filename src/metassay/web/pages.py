"""What people see: templates, filled. Every name from a file is text here, never markup."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from importlib.resources import files
from typing import Any

from metassay.core.signature import VERSION
from metassay.readers import FORMATS
from metassay.report.document.page import style as report_style
from metassay.report.document.report import TITLE
from metassay.report.document.votes import TITLE as VOTES_TITLE
from metassay.report.numbers import counted
from metassay.report.templates import each, filled, options
from metassay.web import choices as chosen
from metassay.web.limits import Limits, expected, in_words, span, time_in_words
from metassay.web.sessions import Session

SAMPLED = "Sample"
_SAMPLE = (
    ("system", "input", "relevance", "rouge-1", "my-judge"),
    ("A", "text-1", "4", "0.41", "0.8"),
    ("A", "text-2", "5", "0.38", "0.9"),
    ("B", "text-1", "2", "0.35", "0.4"),
)
_SAID = '<label>{1} <input name="{0}" maxlength="200" autocomplete="off" aria-describedby="about-{0}"></label>\n'
_SWITCH = '<label><input type="checkbox" name="{0}" value="1" aria-describedby="about-{0}"> {1}</label>\n'
_HINT = '<p class="hint" id="about-{}">{}: {}.</p>'
_HEADS = (("Column", "Scores", "Is", "Lower is better"), ("Rater", "Votes", "Is"))
"""Headings of the columns, and of raters."""
_FIELD = (
    '<label>{0} <input name="{1}" type="number" step="any" required value="{2}" aria-describedby="about-{1}"></label>\n'
)


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()


def asset(name: str) -> str:
    """Return the style, which builds on the report's, or the program of the pages, or a template."""
    own = (files("metassay.web") / name).read_text(encoding="utf-8")
    return report_style() + own if name == "style.css" else own


def _filled(template: str, **parts: object) -> str:
    return filled("metassay.web", template, **parts)


def home(limits: Limits, kept: bool) -> str:
    """Return the page on which files are dropped."""
    head, *rows = _SAMPLE
    switches = [name for name, one in chosen.READING.items() if one.option.switch]
    # neither pickles nor folders are read here
    formats = {name: words for name, words in FORMATS.items() if name not in ("realsumm", "mt-metrics-eval")}
    body = _filled(
        "home",
        limit=limits.upload,
        limit_words=in_words(limits.upload),
        files=limits.files,
        options=options({name: name for name in formats}),
        columns=each(_SAID, ((name, _words(name)) for name in chosen.READING if name not in switches)),
        switches="".join(_SWITCH.format(name, _words(name)) for name in switches),
        hints=each(_HINT, ((name, _words(name), one.option.help) for name, one in chosen.READING.items())),
        sample="<tr>" + each('<th scope="col">{}</th>', zip(head, strict=True)) + "</tr>",
        body="".join("<tr>" + each("<td>{}</td>", zip(row, strict=True)) + "</tr>" for row in rows),
        formats=each("<li><b>{}</b>: {}</li>", formats.items()),
        privacy=_privacy(limits, kept),
    )
    return _page("Metrics and judges against human judgments", body)


def of_session(session: Session, limits: Limits, kept: bool) -> str:
    """Return the page of a session, at the stage it has come to."""
    stages: dict[str, tuple[str, Callable[[Session], str]]] = {
        "reading": ("Reading", _reading),
        "unreadable": ("This could not be read", _unreadable),
        "choosing": ("Contents of your files", partial(_choosing, limits=limits)),
        "working": ("The report is being made", _working),
        "done": ("The report is ready", partial(_done, limits=limits)),
    }
    title, body = stages[session.stage]
    farewell = _filled("farewell", key=session.key, privacy=_privacy(limits, kept))
    whole = body(session) + (farewell if session.stage != "unreadable" else "")
    return _page(title, whole, refresh=session.stage in ("reading", "working"))


def wrong(title: str, message: str) -> str:
    """Return a page that says what went wrong."""
    return _page(title, f'{_alert(message)}<p><a class="button" href="/">Start again</a></p>')


def _page(title: str, body: str, *, refresh: bool = False) -> str:
    again = '<noscript><meta http-equiv="refresh" content="3"></noscript>\n' if refresh else ""
    return _filled("page", title=escape(title), body=body, again=again, version=escape(VERSION))


def _alert(message: str) -> str:
    return f'<p class="alert" role="alert">{escape(message)}</p>' if message else ""


def _reading(session: Session) -> str:
    return _filled("reading", key=session.key, files=counted(len(session.files), "file"))


def _unreadable(session: Session) -> str:
    return f'{_alert(session.error)}<p><a class="button" href="/">Send other files</a></p>'


def _choosing(session: Session, limits: Limits) -> str:
    return _alert(session.error) + _recognised(session) + _form(session, limits)


def progress_in_words(session: Session) -> str:
    """Return how far the work of a session is."""
    ahead = session.progress.get("ahead")
    if ahead is not None:
        return "Waiting for a free place" + (f"; {counted(ahead, 'report')} first" if ahead else "") + " …"
    return str(session.progress.get("what") or "Starting …")


def time_spent(session: Session) -> str:
    """Return how long the work of a session has lasted, in minutes and seconds."""
    spent = int(time.monotonic() - session.started) if session.started else 0
    return f"{spent // 60}:{spent % 60:02d}"


def _working(session: Session) -> str:
    share = f"{session.progress.get('done', 0.0):.3f}"
    what = escape(progress_in_words(session))
    there = session.first.exists()
    frame = f'<iframe src="/s/{session.key}/first" title="The first screen of the report"></iframe>' if there else ""
    hidden = "" if there else " hidden"
    spent = time_spent(session)
    return _filled("working", key=session.key, what=what, spent=spent, share=share, frame=frame, waiting=hidden)


def _done(session: Session, limits: Limits) -> str:
    return _filled(
        "done",
        key=session.key,
        said=each("<p>{}</p>", zip(session.made["sentences"], strict=True)),
        size=in_words(session.made["size"]),
        recognised=_recognised(session),
        form=_form(session, limits),
    )


def _recognised(session: Session) -> str:
    found = session.found
    tables = (
        ("Systems and inputs", ("", "number", "such as"), found["axes"]),
        ("Texts and categories", ("name", "of", "values", "such as"), found["attributes"]),
        (SAMPLED, ("system", "input", "column", "score", "annotator"), found["sample"]),
    )
    return _filled(
        "recognised",
        systems=counted(found["shape"][0], "system") if found["shape"][0] else "no systems",
        inputs=counted(found["shape"][1], "input"),
        columns=_what(found),
        said=each("<li>{}</li>", zip((*found["sources"], *found["notes"]), strict=True)),
        tables="".join(_table(*table) for table in tables if table[2]),
    )


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = "".join(f"<tr>{each('<td>{}</td>', zip(row, strict=True))}</tr>" for row in rows)
    names = each('<th scope="col">{}</th>', zip(head, strict=True))
    kept = " sample" * (title == SAMPLED)
    return f'<h3>{escape(title)}</h3><div class="wide{kept}"><table><tr>{names}</tr>{cells}</table></div>'


def _what(found: dict[str, Any]) -> str:
    if found["votes"]:
        return f"{counted(found['votes'], 'vote')} of {counted(len(found['columns']), 'rater')}"
    return f"{counted(len(found['columns']), 'column')} of scores"


def _form(session: Session, limits: Limits) -> str:
    found, choices = session.found, session.choices
    voted = bool(found["votes"])
    language = ""
    if len(found["languages"]) > 1:
        languages = options({name: name for name in found["languages"]}, choices.get("language"))
        language = f'<label>Language <select name="language">{languages}</select></label>'
    columns = {str(at): column["name"] for at, column in enumerate(found["columns"])}
    criterion = '<label>Main criterion <select name="first"><option value="">the first that people judged</option>'
    criterion += options(columns, str(choices.get("first"))) + "</select></label>"
    defaults = chosen.defaults(limits, voted)
    told = {name: each.option.help for name, each in chosen.OPTIONS.items()}
    tools = {"metric": "All others are metrics", "": "Leave all others out"}
    if voted:
        tools = {"human": "The others are people", "metric": "The others are judges", "": "Leave out the others"}
    row = _rater_row if voted else _column_row
    return _filled(
        "choose",
        key=session.key,
        cost=escape(cost_in_words(session, limits, choices)),
        heading_of_columns="Kinds of raters" if voted else "Kinds of columns",
        ask="The votes of people give one ranking, those of each judge another; the rankings are compared."
        if voted
        else "Mark at least one column as human judgment and one as a metric.",
        heads=each('<th scope="col">{}</th>', zip(_HEADS[voted], strict=True)),
        rows="".join(row(i, column, choices) for i, column in enumerate(found["columns"])),
        tools=each('<button type="button" data-set="{}">{}</button>', tools.items()),
        language=language,
        first="" if voted else criterion,
        heading=escape(choices.get("title", "")),
        placeholder=escape(VOTES_TITLE if voted else TITLE),
        fields=each(_FIELD, ((name.capitalize(), name, choices.get(name, defaults[name])) for name in told)),
        hints=each(_HINT, ((n, n.capitalize(), told[n]) for n in told)),
    )


def cost_in_words(session: Session, limits: Limits, choices: Mapping[str, Any]) -> str:
    """Return what a report will cost: its time and its size; nothing of votes, which are quick."""
    found = session.found
    kinds = [kind for kind, _ in choices["columns"]] if choices else [column["kind"] for column in found["columns"]]
    metrics, humans = kinds.count("metric"), kinds.count("human")
    if found["votes"] or not metrics or not humans:
        return ""
    given = str(choices.get("resamples", ""))
    resamples = int(given) if given.isdecimal() else chosen.defaults(limits)["resamples"]
    systems, inputs = found["shape"]
    seconds, size = expected(metrics, humans, systems, inputs, resamples)
    criteria = f"{humans:,} human {'criterion' if humans == 1 else 'criteria'}"
    what = f"{counted(metrics, 'metric')} × {criteria}"
    said = f"This report ({what}) will take about {span(seconds)} and be about {in_words(size)} large."
    if seconds > limits.seconds:
        said += f" It would be stopped after {time_in_words(limits.seconds)}: take fewer columns."
    return said


def _rater_row(at: int, rater: dict[str, Any], choices: dict[str, Any]) -> str:
    kind = choices["columns"][at][0] if choices else rater["kind"]
    return (
        f'<tr><th scope="row" id="c{at}">{escape(rater["name"])}</th><td>{counted(rater["votes"], "vote")}</td>'
        f'<td><select name="kind-{at}" aria-labelledby="c{at}">{options(chosen.RATERS, kind)}</select></td></tr>'
    )


def _column_row(at: int, column: dict[str, Any], choices: dict[str, Any]) -> str:
    kind, lower = choices["columns"][at] if choices else (column["kind"], column["lower"])
    facts = "none" if column["low"] is None else f"{column['low']:.4g} to {column['high']:.4g}"
    facts = escape(column["labels"]) or facts
    if column["missing"] and facts != "none":
        facts += f", {column['missing'] / column['cells']:.1%} missing"
    if column["annotators"] > 1:
        facts += f", {column['annotators']} annotators"
    if column["proposed"]:
        facts += ", human judgment by its name"
    return (
        f'<tr><th scope="row" id="c{at}">{escape(column["name"])}</th><td>{facts}</td>'
        f'<td><select name="kind-{at}" aria-labelledby="c{at}">{options(chosen.KINDS, kind)}</select></td>'
        f'<td><label><input type="checkbox" name="lower-{at}" value="1"{" checked" if lower else ""}'
        f' aria-labelledby="l{at} c{at}"> <span id="l{at}">lower is better</span></label></td></tr>'
    )


def _privacy(limits: Limits, kept: bool) -> str:
    after = time_in_words(limits.lifetime)
    copies = "The operator of this server keeps copies of the files, your choices and the report." if kept else ""
    return (
        f"Files and report are deleted {after} after you last used them, or when you say so. "
        f"{copies or 'Nothing is kept.'}"
    )
