"""What people see. Every name from a file is text here, never markup."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from html import escape
from importlib.resources import files
from typing import Any

from metassay.core.signature import VERSION
from metassay.readers import FORMATS
from metassay.report.document.page import style as report_style
from metassay.report.document.report import TITLE
from metassay.web.limits import Limits, in_words, time_in_words
from metassay.web.sessions import Session

CONFIDENCES = (0.9, 0.95, 0.99)
RESAMPLES = 10_000

KINDS = {"human": "people's judgment", "metric": "metric", "": "leave out"}
"""What a column can be taken for, as a form says it."""

_SAMPLE = (
    ("system", "input", "relevance", "rouge-1", "my-judge"),
    ("A", "text-1", "4", "0.41", "0.8"),
    ("A", "text-2", "5", "0.38", "0.9"),
    ("B", "text-1", "2", "0.35", "0.4"),
)


def asset(name: str) -> str:
    """Return the style, which builds on the report's, or the program of the pages."""
    own = (files("metassay.web") / name).read_text(encoding="utf-8")
    if name != "style.css":
        return own
    return report_style() + own


def home(limits: Limits, kept: bool, error: str = "") -> str:
    """Return the page on which files are dropped."""
    head, *rows = _SAMPLE
    sample = "<tr>" + "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head) + "</tr>"
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    formats = "".join(f"<li><b>{escape(name)}</b>: {escape(words)}</li>" for name, words in _readable().items())
    options = "".join(f'<option value="{escape(name)}">{escape(name)}</option>' for name in _readable())
    return _page(
        "How far can your metrics be trusted?",
        f"""
<p class="lead">Send scores that metrics and people gave to the same outputs. You get a report that says how far each
metric can stand in for people: in words, with charts, and with tables for a paper.</p>
{_alert(error)}
<form id="upload" method="post" action="/upload" enctype="multipart/form-data" data-limit="{limits.upload}"
 data-limit-words="{in_words(limits.upload)}" data-files="{limits.files}">
<div class="drop" id="drop">
<label for="files"><b>Files with scores</b><br><span class="hint">Drop them here, or choose them. Several files are put
together; at most {in_words(limits.upload)} in all.</span></label>
<input type="file" id="files" name="files" multiple required>
<ul id="chosen" aria-live="polite"></ul>
</div>
<details><summary>If a file is not recognised</summary>
<div class="fields">
<label>Format <select name="format"><option value="">as its content tells</option>{options}</select></label>
<label>Language <input name="language" maxlength="40" placeholder="en-de" autocomplete="off"></label>
</div></details>
<p><button class="main" type="submit">Send</button>
<progress id="sending" max="1" value="0" hidden aria-label="Sent so far"></progress></p>
<p id="problem" class="alert" role="alert" hidden></p>
</form>
<form method="post" action="/example"><p>No file at hand? <button type="submit">Try the example data</button></p></form>
<section aria-labelledby="looks"><h2 id="looks">What a file looks like</h2>
<p>A table with one line per system and input is enough, as CSV, TSV, JSON lines or Parquet, plain or gzip. You say
afterwards which columns people gave.</p>
<div class="wide"><table><thead>{sample}</thead><tbody>{body}</tbody></table></div>
<details><summary>All formats that are read</summary><ul>{formats}</ul></details></section>
<section aria-labelledby="privacy"><h2 id="privacy">What happens to your files</h2>
<p>{escape(_privacy(limits, kept))}</p></section>""",
    )


def of_session(session: Session, limits: Limits, kept: bool) -> str:
    """Return the page of a session, at the stage it has come to."""
    stages: dict[str, tuple[str, Callable[[Session], str]]] = {
        "reading": ("Reading", _reading),
        "unreadable": ("This could not be read", _unreadable),
        "choosing": ("What is in your files", partial(_choosing, limits=limits)),
        "working": ("The report is being made", _working),
        "done": ("The report is ready", partial(_done, limits=limits)),
    }
    title, body = stages[session.stage]
    waits = session.stage in ("reading", "working")
    return _page(title, body(session) + _farewell(session, limits, kept), refresh=waits)


def wrong(title: str, message: str) -> str:
    """Return a page that says what went wrong."""
    return _page(title, f'{_alert(message)}<p><a class="button" href="/">Start again</a></p>')


def _readable() -> dict[str, str]:
    """Return the formats that are read here: neither pickles nor folders."""
    return {name: words for name, words in FORMATS.items() if name not in ("realsumm", "mt-metrics-eval")}


def _page(title: str, body: str, *, refresh: bool = False) -> str:
    again = '<noscript><meta http-equiv="refresh" content="3"></noscript>\n' if refresh else ""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
{again}<title>{escape(title)} · metassay</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
<script src="/page.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><p class="brand"><a href="/">metassay</a></p><button type="button" id="theme" hidden>Dark</button></header>
<main id="main" tabindex="-1">
<h1>{escape(title)}</h1>
{body}
</main>
<footer><p>metassay {escape(VERSION)}. This page asks nothing of any other server.</p></footer>
</body>
</html>
"""


def _alert(message: str) -> str:
    return f'<p class="alert" role="alert">{escape(message)}</p>' if message else ""


def _reading(session: Session) -> str:
    return (
        f'<div id="work" data-state="/s/{session.key}/state" data-stage="reading">'
        f'<p role="status">Reading {_counted(len(session.files), "file")} …</p>'
        '<progress aria-label="Reading"></progress></div>'
    )


def _unreadable(session: Session) -> str:
    return f'{_alert(session.error)}<p><a class="button" href="/">Send other files</a></p>'


def _choosing(session: Session, limits: Limits) -> str:
    return _alert(session.error) + _recognised(session) + _form(session, limits)


def progress_in_words(session: Session) -> str:
    """Return how far the work of a session is."""
    ahead = session.progress.get("ahead")
    if ahead is not None:
        return "Waiting for a free place" + (f"; {_counted(ahead, 'report')} first" if ahead else "") + " …"
    return str(session.progress.get("what") or "Starting …")


def time_spent(session: Session) -> str:
    """Return how long the work of a session has lasted, in minutes and seconds."""
    spent = int(time.monotonic() - session.started) if session.started else 0
    return f"{spent // 60}:{spent % 60:02d}"


def _working(session: Session) -> str:
    share = session.progress.get("done", 0.0)
    return (
        f'<div id="work" data-state="/s/{session.key}/state" data-stage="working">'
        f'<p><span id="what" role="status">{escape(progress_in_words(session))}</span> '
        f'<span id="spent" class="hint" aria-hidden="true">{time_spent(session)}</span></p>'
        f'<progress id="bar" max="1" value="{share:.3f}" aria-label="The report so far"></progress></div>'
        f'<form method="post" action="/s/{session.key}/stop"><p><button type="submit">Stop</button></p></form>'
        "<p>You may leave this page open, or come back to its address later.</p>"
    )


def _done(session: Session, limits: Limits) -> str:
    said = "".join(f"<p>{escape(sentence)}</p>" for sentence in session.made["sentences"])
    size = in_words(session.made["size"])
    return (
        f'<section id="answer">{said}</section>'
        f'<p class="buttons"><a class="button main" href="/s/{session.key}/report" target="_blank" rel="noopener">'
        "Read the report <small>(new tab)</small></a> "
        f'<a class="button" href="/s/{session.key}/download" download="report.html">Download it ({size})</a></p>'
        "<p>The report is one file that works without a network: mail it, or put it beside a paper.</p>"
        f"<details><summary>Choose differently and make it again</summary>{_recognised(session)}"
        f"{_form(session, limits)}</details>"
    )


def _recognised(session: Session) -> str:
    found = session.found
    n, m = found["shape"]
    said = "".join(f"<li>{escape(line)}</li>" for line in (*found["sources"], *found["notes"]))
    names = found["systems"]
    more = f" and {n - len(names):,} more" if n > len(names) else ""
    return (
        f'<section aria-labelledby="seen"><h2 id="seen">Recognised</h2><p><b>{_counted(n, "system")}</b> × '
        f"<b>{_counted(m, 'input')}</b>, {_counted(len(found['columns']), 'column')} of scores.</p>"
        f"<ul>{said}</ul>"
        f"<details><summary>Systems</summary><p>{escape(', '.join(names) + more)}</p></details></section>"
    )


def _form(session: Session, limits: Limits) -> str:
    found, choices = session.found, session.choices
    rows = "".join(_column_row(i, column, choices) for i, column in enumerate(found["columns"]))
    language = ""
    if len(found["languages"]) > 1:
        options = "".join(
            f"<option{' selected' if name == choices.get('language') else ''}>{escape(name)}</option>"
            for name in found["languages"]
        )
        language = f'<label>Language <select name="language">{options}</select></label>'
    first = "".join(
        f'<option value="{i}"{" selected" if i == choices.get("first") else ""}>{escape(column["name"])}</option>'
        for i, column in enumerate(found["columns"])
    )
    confidences = "".join(
        f'<option value="{c}"{" selected" if c == choices.get("confidence", 0.95) else ""}>{c:.0%}</option>'
        for c in CONFIDENCES
    )
    resamples = choices.get("resamples", min(RESAMPLES, limits.resamples))
    tools = "".join(
        f'<button type="button" data-set="{kind}">{words}</button>'
        for kind, words in (("metric", "All others are metrics"), ("", "Leave all others out"))
    )
    return f"""
<form method="post" action="/s/{session.key}/report" id="choose">
<section aria-labelledby="columns"><h2 id="columns">What the columns are</h2>
<p>Mark at least one column as people’s judgment and one as a metric.</p>
<table class="columns"><thead><tr><th scope="col">Column</th><th scope="col">Scores</th><th scope="col">Is</th>
<th scope="col">Lower is better</th></tr></thead><tbody>{rows}</tbody></table>
<p class="tools" hidden>{tools}</p></section>
<section aria-labelledby="settings"><h2 id="settings">The report</h2>
<div class="fields">{language}
<label>Main criterion <select name="first"><option value="">the first that people judged</option>{first}
</select></label>
<label>Heading <input name="title" maxlength="150" value="{escape(choices.get("title", ""))}"
 placeholder="{escape(TITLE)}"></label>
<label>Resamples <input name="resamples" type="number" min="100" max="{limits.resamples}" step="1" required
 value="{resamples}" aria-describedby="more"></label>
<label>Confidence <select name="confidence">{confidences}</select></label></div>
<p class="hint" id="more">More resamples make intervals steadier and take longer: 1,000 for a first look, 10,000 for a
paper.</p>
<p><button class="main" type="submit">Make the report</button></p></section>
</form>"""


def _column_row(at: int, column: dict[str, Any], choices: dict[str, Any]) -> str:
    kind, lower = choices["columns"][at] if choices else (column["kind"], column["lower"])
    name = escape(column["name"])
    options = "".join(
        f'<option value="{value}"{" selected" if value == kind else ""}>{words}</option>'
        for value, words in KINDS.items()
    )
    if column["low"] is None:
        facts = "none"
    else:
        facts = f"{column['low']:.4g} to {column['high']:.4g}"
    if column["missing"] and column["low"] is not None:
        facts += f", {column['missing'] / column['cells']:.1%} missing"
    if column["annotators"] > 1:
        facts += f", {column['annotators']} annotators"
    return (
        f'<tr><th scope="row" id="c{at}">{name}</th><td>{facts}</td>'
        f'<td><select name="kind-{at}" aria-labelledby="c{at}">{options}</select></td>'
        f'<td><label><input type="checkbox" name="lower-{at}" value="1"{" checked" if lower else ""}'
        f' aria-labelledby="l{at} c{at}"> <span id="l{at}">lower is better</span></label></td></tr>'
    )


def _farewell(session: Session, limits: Limits, kept: bool) -> str:
    if session.stage == "unreadable":
        return ""
    return (
        f'<form class="farewell" method="post" action="/s/{session.key}/delete"><p class="hint">'
        f"{escape(_privacy(limits, kept))} Whoever has the address of this page can see it.</p>"
        '<p><button type="submit">Delete my files now</button></p></form>'
    )


def _privacy(limits: Limits, kept: bool) -> str:
    after = (
        f"Files and report are deleted {time_in_words(limits.lifetime)} after you last used them, or when you say so."
    )
    if kept:
        return after + " Whoever runs this server keeps copies of the files, your choices and the report."
    return after + " Nothing is kept."


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
