"""Does an evaluation survive: tests as a matrix, sensitivity to margins, shifts of dominance, components of ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metassay.charts.panels import Data, Multiples, chosen, extent, records, statistic_words
from metassay.charts.shapes import (
    cells,
    crosses,
    curves,
    ends_named,
    intervals,
    key,
    names,
    numbers,
    outcome,
    outcomes,
    placed,
    rule,
    series,
    tips,
    undefined,
)
from metassay.charts.theme import HUMAN, INK, LINE, METRIC, OTHER, PAPER, Spec, fitted, longest
from metassay.core import vocabulary
from metassay.errors import UsageError

if TYPE_CHECKING:
    from metassay.studies.survive import Survival

MARGINS = {"constant": "constant margin", "sd": "SD margin", "range": "largest-difference margin"}
LANES = 4
"""Up to so many levels have a lane each; more share one."""


def matrix(result: Survival, *, margin_kind: str | None = None, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return TOST for every metric and level: dark if equivalent after correction, lighter if only before (Fig. 3).

    ``margin_kind`` is ``sd``, ``constant`` or ``range``; by default the first of these that the result has.
    """
    kinds = [kind for kind in ("sd", "constant", "range") if any(r.margin_kind == kind for r in result.table)]
    kind = kinds[0] if margin_kind is None else vocabulary.choice("margin kind", margin_kind, kinds)
    statistic = result.table[0].statistic
    test = "tost" if any(r.test == "tost" for r in result.table) else result.table[0].test
    table = [r for r in result.table if (r.margin_kind, r.statistic, r.test) == (kind, statistic, test)]
    correction = vocabulary.CORRECTION_NAMES.get(table[0].correction)
    words = f"equivalent to {fitted(result.baseline, 70)}"
    colours = outcomes(words, correction, table[0].alpha, untested=any(r.p_value != r.p_value for r in table))
    rows = records(table, "metric human language difference margin p_value p_corrected")
    for row, r in zip(rows, table, strict=True):
        tested = row["p_value"] is not None
        row["outcome"] = outcome(colours, significant=r.equivalent, corrected=r.equivalent_corrected, tested=tested)
    rows = chosen(rows, only)
    levels = list(dict.fromkeys(row["language"] for row in rows))
    y, x = names("metric", (row["metric"] for row in rows)), names("language", levels, 90, labelAngle=-90)
    about = tips(
        "metric",
        "human",
        "language",
        "difference||.3f",
        "margin||.3f",
        "p_value|p|.4f",
        "p_corrected|p, corrected|.4f",
        "outcome",
    )
    return Multiples(
        title=f"Whether agreement with human scores is equivalent to {fitted(result.baseline, 90)}",
        told=f"{statistic_words(statistic)}, {test.upper() if test == 'tost' else test}, {MARGINS[kind]}",
        rows=rows,
        layers=[cells(x, y, key("outcome", colours, columns=1), about), crosses(x, y, "p_value")],
        by=("human",),
        lines="metric",
        across=len(levels),
        cell=18,
        foot=12 + longest(levels, 90),
    )


def agreement(result: Survival, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the correlation of each metric with people at every level: a panel per criterion (Fig. 1)."""
    statistic = result.table[0].statistic
    table = [r for r in result.agreement if r.statistic == statistic]
    rows = records(table, "metric human language estimate low high confidence", only)
    return _levels(
        rows,
        ("human",),
        f"{statistic_words(statistic)} with human scores",
        "Correlation of each metric with human scores at every level",
    )


def across(result: Survival, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the correlation of each metric at the baseline with itself at every other level (Fig. 2)."""
    statistic = result.table[0].statistic
    table = [r for r in result.across if r.statistic == statistic]
    if not table:
        raise UsageError("the figure across needs metrics that were scored at the baseline and at another level")
    rows = records(table, "metric language estimate low high confidence", only)
    base = fitted(result.baseline, 90)
    return _levels(
        rows, (), f"{statistic_words(statistic)} with {base}", f"Correlation of each metric with itself in {base}"
    )


def _levels(rows: Data, by: tuple[str, ...], axis: str, title: str) -> Multiples:
    """Return dots with intervals for metrics and levels."""
    levels = list(dict.fromkeys(row["language"] for row in rows))
    lanes = len(levels) <= LANES
    colour, shape, _ = series("language", levels, columns=6)
    y = names("metric", (row["metric"] for row in rows), air=0.25 if lanes else 0, grid=True)
    x = numbers("estimate", axis, extent(rows, "estimate", "low", "high", also=[0]))
    about = tips("metric", "language", "estimate|correlation|.3f", "low|from|.3f", "high|to|.3f")
    more: Spec = {"yOffset": {"field": "language", "scale": {"domain": levels}}} if lanes else {}
    dots = intervals(y, x, ("low", "high"), tooltip=about, colour=colour, shape=shape, more=more, size=24)
    if not lanes:
        dots[0]["mark"]["opacity"] = 0.25  # intervals of many levels lie on top of each other
    return Multiples(
        title=title,
        told=f"line: {100 * rows[0]['confidence']:g}% CI" if rows else "",
        rows=rows,
        layers=[rule("x", x, 0), *dots, undefined(y, "estimate")],
        by=by,
        lines="metric",
        series=len(levels) if lanes else 1,
    )


def sensitivity(result: Survival, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the share of comparisons that TOST calls equivalent against the margin (Fig. 4a)."""
    table = [r for r in result.sensitivity if r.statistic == result.sensitivity[0].statistic]
    rows = records(table, "human margin share n_tests", only)
    x = numbers("margin", "margin of equivalence", extent(rows, "margin", air=0))
    y = numbers("share", "comparisons that are equivalent", [-0.02, 1.02], format="%")
    colour, _, dash = (look | {"legend": None} for look in series("human", (row["human"] for row in rows)))
    about = tips("human", "margin||.3f", "share||.1%", "n_tests|comparisons")
    return Multiples(
        title="Share of comparisons that TOST calls equivalent, by the margin",
        told=f"{statistic_words(table[0].statistic)}, before correction",
        rows=rows,
        layers=[
            *curves(x, y, None, tooltip=about, colour=colour, dash=dash, points=False),
            *ends_named(rows, x, y, "human", 220, colour),
        ],
        width=(330, 330),
        height=220,
    )


def margins(result: Survival, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the margins that single annotators give, a mark per metric, for every criterion (Fig. 4b)."""
    if not result.margins:
        raise UsageError("the figure margins needs judgments of two or more annotators by themselves")
    table = [r for r in result.margins if r.statistic == result.margins[0].statistic]
    found = records(table, "metric human sd range n_annotators", only)
    sets = {"standard deviation over annotators": "sd", "largest difference of two annotators": "range"}
    rows = [{**row, "of": words, "value": row[name]} for words, name in sets.items() for row in found]
    y = names("human", (row["human"] for row in rows), air=0.3, grid=True)
    x = numbers("value", "margin, a mark per metric", extent(rows, "value", also=[0]))
    colour, shape, _ = series("of", sets, columns=1)
    more: Spec = {"yOffset": {"field": "of", "scale": {"domain": list(sets)}}}
    dot: Spec = {"type": "point", "filled": False, "size": 24, "opacity": 0.8}
    place = {"x": x, "y": y, "color": colour, "shape": shape, **more}
    place["tooltip"] = tips("metric", "human", "value|margin|.3f", "n_annotators|annotators")
    constant = [r.margin for r in result.table if r.margin_kind == "constant"]
    return Multiples(
        title="Margins of equivalence that single annotators give",
        told=f"dashed: constant margin, {constant[0]:g}" if constant else "",
        rows=rows,
        layers=[*([rule("x", x, constant[0], colour=INK)] if constant else []), {"mark": dot, "encoding": place}],
        lines="human",
        series=3,
        width=(330, 330),
    )


def dominance(result: Survival, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return how far resolved pairs of metrics shift, after translation and after the round trip (Fig. 5)."""
    table = [r for r in result.shifts if r.statistic == result.shifts[0].statistic]
    rows = records(table, "human language shift shift_back n_resolved n_kept n_turned", only)
    rows = [row for row in rows if row["shift"] is not None and row["shift_back"] is not None]
    if not rows:
        raise UsageError(
            "the figure dominance needs round trips, levels such as es-back, and resolved pairs of metrics"
        )
    most = extent(rows, "shift", "shift_back", also=[0], air=0.06)
    x, y = (
        numbers("shift", "shift of P, translated", most),
        numbers("shift_back", "shift of P, after the round trip", most),
    )
    colour = series("language", (row["language"] for row in rows))[0]
    shape = series("human", (row["human"] for row in rows))[1]
    about = tips(
        "language",
        "human",
        "shift||.3f",
        "shift_back|after the round trip|.3f",
        "n_resolved|resolved pairs",
        "n_kept",
        "n_turned",
    )
    line = [{"shift": end, "shift_back": end} for end in most]
    dot = {"type": "point", "filled": True, "size": 60, "opacity": 0.9, "stroke": PAPER, "strokeWidth": 0.6}
    return Multiples(
        title="How far resolved pairs of metrics shift",
        told="dotted: no difference between translation and round trip",
        rows=rows,
        layers=[
            {
                "data": {"values": line},
                "mark": {"type": "line", "color": OTHER, "strokeDash": [2, 3], "strokeWidth": 0.8},
                "encoding": {"x": x, "y": y},
            },
            {"mark": dot, "encoding": {"x": x, "y": y, "color": colour, "shape": shape, "tooltip": about}},
        ],
        width=(330, 330),
        height=300,
    )


def components(result: Survival, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return metrics at every level, and criteria, on the first two components of their ranks (Fig. 6).

    The name of a metric stands where it is at the baseline, and thin lines lead from there to its other levels.
    """
    if not result.components:
        raise UsageError("the figure components needs at least three columns with scores on the same outputs")
    rows = records(result.components, "name kind language first second", only)
    start = {row["name"]: row for row in reversed(rows)}
    start |= {row["name"]: row for row in rows if row["language"] == result.baseline or row["kind"] == "human"}
    others = [row for row in rows if start[row["name"]] is not row]
    size = (520.0, 400.0)
    ends = extent(rows, "first", air=0.12), extent(rows, "second", air=0.08)
    x = numbers("first", f"first component, {100 * result.explained[0]:.0f}%", ends[0])
    y = numbers("second", f"second component, {100 * result.explained[1]:.0f}%", ends[1])
    about = tips("name", "kind", "language", "first||.2f", "second||.2f")
    colour, shape, _ = series("language", dict.fromkeys(row["language"] for row in others))
    rays = [
        {"ray": at, "first": end["first"], "second": end["second"]}
        for at, row in enumerate(others)
        for end in (start[row["name"]], row)
    ]
    layers: list[Spec] = [
        {
            "data": {"values": rays},
            "mark": {"type": "line", "color": LINE, "strokeWidth": 0.7},
            "encoding": {"x": x, "y": y, "detail": {"field": "ray"}},
        },
        {
            "data": {"values": others},
            "mark": {"type": "point", "filled": True, "size": 22, "opacity": 0.9},
            "encoding": {"x": x, "y": y, "color": colour, "shape": shape, "tooltip": about},
        },
    ]
    heads = [{**row, "ink": HUMAN if row["kind"] == "human" else METRIC} for row in start.values()]
    ink = {"field": "ink", "type": "nominal", "scale": None}
    dot = {"type": "point", "filled": True, "size": 36, "opacity": 1}
    layers.append(
        {"data": {"values": heads}, "mark": dot, "encoding": {"x": x, "y": y, "color": ink, "tooltip": about}}
    )
    names_of = placed(heads, x, y, size, others)
    unnamed = len(heads) - len(names_of[0]["data"]["values"])
    layers += names_of
    return Multiples(
        title="Metrics at every level, and human criteria, on two components of their ranks",
        told=f"a name: at {fitted(result.baseline, 90)}, orange: human",
        rows=rows,
        layers=layers,
        width=(size[0], size[0]),
        height=size[1],
        omitted=f"{unnamed} names have no room." if unnamed else "",
    )
