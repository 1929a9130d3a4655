"""The first screen of a report: the verdict, and metrics × criteria with intervals, ranks and the human ceiling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any, cast

from metassay.errors import one_line, visible
from metassay.report import names, numbers, words
from metassay.report.document import summary
from metassay.report.document.study_runs import Dossier
from metassay.report.templates import filled, prose
from metassay.report.views.columns import grouped
from metassay.studies.agree import Agreement, AgreementRow
from metassay.studies.compare import Comparison, RankRow
from metassay.studies.stability import Stability

SAMPLED, PERFECT = "people on new inputs", "human ceiling"
CEILINGS = {
    SAMPLED: "mean correlation of human rankings from two samples of inputs",
    PERFECT: "highest correlation that a metric can reach, given the disagreement of raters",
}
"""What can be expected of a metric, and where it comes from."""
ROWS = 15
"""Metrics that the table and charts show at once; the others are behind a click."""
WITH_BARS = 4
"""With more criteria than this, only the chosen one has bars."""
Ranks = dict[tuple[str, str, str, str], "RankRow"]


def verdicts(dossier: Dossier) -> str:
    """Return the verdict of every criterion, level and statistic; the page shows the one that its controls name."""
    compared = cast("Comparison | None", dossier.results.get("compare"))
    settings = grouped(cast("Agreement", dossier.results["agree"]).table, names.SETTING)

    def of_best(setting: tuple[str, ...]) -> tuple[str, str]:
        best = words.best_first(settings.get(setting, []))
        if not best:
            return "", ""
        return "CI undefined" if math.isnan(best[0].low) else words.interval(best[0]), summary.misranked(best[0])

    tested = {} if compared is None else dict(words.by_setting(compared, of_best))
    parts: list[str] = []
    for setting, rows in settings.items():
        said = tested.get(setting) or [words.agreement(rows)]
        where = zip(("human", "level", "statistic"), setting, strict=True)
        given = " ".join(f'data-{name}="{escape(visible(value))}"' for name, value in where)
        hidden = " hidden" * bool(parts)
        parts.append(f'<div class="verdict" {given}{hidden}>{enlarged(said)}</div>')
    return "\n".join(parts)


def enlarged(sentences: Sequence[str]) -> str:
    """Return the first sentence in a paragraph of its own, which is large, and the others in another."""
    paragraphs = filter(None, (*sentences[:1], " ".join(sentences[1:])))
    return "".join(f"<p>{prose(text)}</p>" for text in paragraphs)


def boards(dossier: Dossier) -> str:
    """Return a table of metrics × criteria for every level and statistic; the page shows one of them."""
    compared = cast("Comparison | None", dossier.results.get("compare"))
    ranks: Ranks = {} if compared is None else {(r.human, r.level, r.statistic, r.metric): r for r in compared.ranks}
    settings = grouped(cast("Agreement", dossier.results["agree"]).table, "level statistic")
    return "\n".join(
        _board(rows, ranks, _ceilings(dossier, level, statistic), hidden=at > 0)
        for at, ((level, statistic), rows) in enumerate(settings.items())
    )


def _board(
    rows: Sequence[AgreementRow], ranks: Ranks, ceilings: Sequence[tuple[str, dict[str, float]]], *, hidden: bool
) -> str:
    first = rows[0]
    humans = list(dict.fromkeys(row.human for row in rows))
    ends = [end for row in rows for end in (row.low, row.high, row.estimate) if math.isfinite(end)]
    scale = (min([0.0, *ends]), max([1.0, *ends]))
    lines = grouped(rows, "metric")
    # The first criterion is the one that the page opens with.
    of = {h: f'data-human="{escape(visible(h))}"{" class=chosen" * (h == humans[0])}' for h in humans}
    best = {human: words.best_first([row for row in rows if row.human == human]) for human in humans}
    top = {human: mine[0].estimate for human, mine in best.items() if mine}
    by_first = {row.metric: names.goodness(row) for row in rows if row.human == humans[0]}
    order = sorted(lines, key=lambda metric: (-_sortable(by_first.get(metric, math.nan)), metric.casefold()))
    body = []
    for label, values in ceilings:
        cells = "".join(_plain(values.get(human, math.nan), scale, of[human]) for human in humans)
        body.append(f'<tr class="people"><th scope="row">{escape(label)}</th>{cells}</tr>')
    for at, metric in enumerate(order):
        mine = {row.human: row for row in lines[metric]}
        cells = "".join(_cell(mine.get(human), ranks, scale, of[human], top.get(human, math.nan)) for human in humans)
        # People and sentinels beside metrics have colours of their own.
        kind = f"{lines[metric][0].kind}{' more' * (at >= ROWS)}"
        body.append(f'<tr class="{kind}"><th scope="row">{_breakable(metric, 80)}</th>{cells}</tr>')
    ranked = any((row.human, row.level, row.statistic, row.metric) in ranks for row in rows)
    ticks = "".join(f'<i style="--at:{_place(end, scale)}">{end:.2g}</i>' for end in (0.0, scale[1]))
    folded = len(order) > ROWS
    unfold = f'<button type="button" class="unfold" aria-expanded="false">Show all {len(order)} metrics</button>'
    heading = '<span class="ranks">ranks</span>' * ranked
    return filled(
        "metassay.report.document",
        "board",
        folded=" folded" * folded + " many" * (len(humans) > WITH_BARS),
        first=ROWS,
        unfold=unfold * folded,
        level=escape(first.level),
        statistic=escape(first.statistic),
        hidden=" hidden" * hidden,
        title=escape(f"{names.measured(rows).capitalize()} with people, {first.level} level"),
        told=escape(_told(rows, ranked=ranked, limits=[label for label, _ in ceilings])),
        criteria=len(humans),
        axes="".join(f'<td {of[h]}><span></span><span class="axis">{ticks}</span>{heading}</td>' for h in humans),
        heads="".join(f'<th scope="col" {of[human]}>{_breakable(human)}</th>' for human in humans),
        body="\n".join(body),
    )


def _breakable(name: str, most: int = 40) -> str:
    """Return a name that may go on in the next line after an underscore."""
    return escape(one_line(name, most)).replace("_", "_<wbr>")


def _told(rows: Sequence[AgreementRow], *, ranked: bool, limits: Sequence[str]) -> str:
    ci = f"{numbers.level(rows[0].confidence)} CI ({rows[0].interval})"
    said = [f"Dot: estimate, the best on a coloured background; bar: {ci}."]
    if ranked:
        said.append("Ranks: those that remain possible after tests of all pairs of metrics (Holm correction).")
    said += [f"{label.capitalize()}: {CEILINGS[label]}." for label in limits]
    return " ".join(filter(None, [*said, names.sentinel_legend(rows)]))


def _sortable(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _cell(row: AgreementRow | None, ranks: Ranks, scale: tuple[float, float], of: str, top: float) -> str:
    if row is None or math.isnan(row.estimate):
        return _plain(math.nan, scale, of)
    rank = ranks.get((row.human, row.level, row.statistic, row.metric))
    may = ""
    if rank is not None and rank.rank_low is not None and rank.rank_high is not None:
        span = numbers.span((rank.rank_low, rank.rank_high), to="–")
        may = f'<span class="ranks" title="possible ranks">{span}</span>'
    may += f"<span>{names.below_sentinels(row)}</span>" * (row.beats_sentinels is False)
    tag = "strong" if row.kind == "metric" and math.isclose(row.estimate, top, rel_tol=1e-9) else "span"
    bar = _bar(row.estimate, row.low, row.high, scale)
    return (
        f'<td {of} data-value="{_sortable(names.goodness(row)):.6g}">'
        f"<{tag}>{_signed(numbers.correlation(row.estimate))}</{tag}>{bar}{may}</td>"
    )


def _plain(value: float, scale: tuple[float, float], of: str) -> str:
    """Return a cell without an interval, or an empty one."""
    text = "–" if math.isnan(value) else _signed(numbers.correlation(value))
    bar = "" if math.isnan(value) else _bar(value, math.nan, math.nan, scale)
    return f"<td {of}><span>{text}</span>{bar}</td>"


def _signed(text: str) -> str:
    return text.replace("-", "−")


def _bar(value: float, low: float, high: float, scale: tuple[float, float]) -> str:
    """Return a small bar: a dot for the value, a line for the interval."""
    ends = "" if math.isnan(low) else f"--low:{_place(low, scale)};--high:{_place(high, scale)};"
    title = "" if math.isnan(low) else f' title="CI {_signed(numbers.bound(low))} to {_signed(numbers.bound(high))}"'
    return f'<span class="bar"{title} style="--zero:{_place(0, scale)};--at:{_place(value, scale)};{ends}"></span>'


def _place(at: float, scale: tuple[float, float]) -> str:
    return f"{100 * (at - scale[0]) / (scale[1] - scale[0]):.1f}%"


def _ceilings(dossier: Dossier, level: str, statistic: str) -> list[tuple[str, dict[str, float]]]:
    """Return what a metric can reach: the human ranking from other inputs, and what the errors of raters leave."""
    found: list[tuple[str, dict[str, float]]] = []
    stability = cast("Stability | None", dossier.results.get("stability"))
    if level == "system" and stability is not None:
        rows = [r for r in stability.table if (r.kind, r.statistic) == ("human", statistic) and r.n_available > 1]
        rows = [r for r in rows if not math.isnan(r.mean)]
        largest: dict[str, Any] = {row.name: row for row in sorted(rows, key=lambda row: row.n_inputs)}
        if largest:
            found.append((SAMPLED, {name: row.mean for name, row in largest.items()}))
    if statistic == "pearson":
        limits = cast("Agreement", dossier.results["agree"]).limits
        most = {row.human: row.ceiling for row in limits if row.level == level and not math.isnan(row.ceiling)}
        if most:
            found.append((PERFECT, most))
    return found
