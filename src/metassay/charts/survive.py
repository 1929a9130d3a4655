"""Does an evaluation survive: tests as a matrix, sensitivity to margins, shifts of dominance, components of ranks."""

from __future__ import annotations

from typing import Any

from metassay.charts import panels, shapes
from metassay.charts.panels import STATISTIC, Data, Multiples, distinct, extent, measure, records
from metassay.charts.shapes import dots, draw, names, numbers, rule, series, tips
from metassay.charts.theme import HUMAN, INK, LINE, METRIC, OTHER, PAPER, fitted, longest
from metassay.core import vocabulary
from metassay.errors import UsageError
from metassay.studies.survive import Survival

MARGINS = {"constant": "constant margin", "sd": "SD margin", "range": "largest-difference margin"}
LANES = 4
"""Up to so many levels have a lane each; more share one."""
PEOPLE = "human"


def matrix(result: Survival, *, margin_kind: str | None = None, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return one test for every metric and level: dark if equivalent after correction, lighter if only before (Fig. 3).

    ``margin_kind`` is ``sd``, ``constant`` or ``range``; by default the first of these that the result has.
    """
    kinds = [kind for kind in ("sd", "constant", "range") if any(r.margin_kind == kind for r in result.table)]
    kind = kinds[0] if margin_kind is None else vocabulary.choice("margin kind", margin_kind, kinds)
    first = _first(result.table)
    test = next(test for test in vocabulary.EQUIVALENCE_TESTS if any(r.test == test for r in first))
    table = [r for r in first if (r.margin_kind, r.test) == (kind, test)]
    correction = vocabulary.CORRECTION_NAMES.get(table[0].correction)
    words = f"equivalent to {fitted(result.baseline, 70)}"
    colours = shapes.outcomes(words, correction, table[0].alpha, untested=any(r.p_value != r.p_value for r in table))
    rows = records(table, f"metric {PEOPLE} language {STATISTIC} difference margin p_value p_corrected")
    for row, r in zip(rows, table, strict=True):
        tested = row["p_value"] is not None
        row["outcome"] = shapes.outcome(
            colours, significant=r.equivalent, corrected=r.equivalent_corrected, tested=tested
        )
    rows = panels.chosen(rows, only)
    levels = distinct(rows, "language")
    y, x = names("metric", distinct(rows, "metric")), names("language", levels, 90, labelAngle=-90)
    about = tips(
        "metric, human, language, difference||.3f, margin||.3f, p_value|p|.4f, p_corrected|corrected p|.4f, outcome"
    )
    layers = shapes.cells(x, y, shapes.key("outcome", colours, columns=1), about, "p_value")
    title = f"Equivalence of agreement with human scores to {fitted(result.baseline, 90)}"
    told = f"{_statistic(rows)}, {test.upper() if test == 'tost' else test}, {MARGINS[kind]}"
    size: dict[str, Any] = {"across": len(levels), "cell": 18, "foot": 12 + longest(levels, 90)}
    return Multiples(title, rows, layers, ("human",), told, lines="metric", **size)


def agreement(result: Survival, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the agreement of each metric with people at every level: a panel per criterion (Fig. 1)."""
    fields = f"metric {PEOPLE} language {STATISTIC} estimate low high confidence"
    rows = records(_first(result.agreement), fields, only)
    title = f"{measure(rows).capitalize()} of each metric with human scores at every level"
    return _levels(rows, ("human",), f"{_statistic(rows)} with human scores", title)


def across(result: Survival, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the correlation of each metric at the baseline with itself at every other level (Fig. 2)."""
    if not result.across:
        raise UsageError("the figure across needs metrics that were scored at the baseline and at another level")
    rows = records(_first(result.across), f"metric language {STATISTIC} estimate low high confidence", only)
    base = fitted(result.baseline, 90)
    title = f"{measure(rows).capitalize()} of each metric with itself in {base}"
    return _levels(rows, (), f"{_statistic(rows)} with {base}", title)


def _first(table: Any) -> list[Any]:  # noqa: ANN401 - rows of any kind
    """Return the rows of the first statistic."""
    return [row for row in table if getattr(row, STATISTIC) == getattr(table[0], STATISTIC)]


def _statistic(rows: Data) -> str:
    return panels.statistic_words(rows[0][STATISTIC]) if rows else ""


def _levels(rows: Data, by: tuple[str, ...], axis: str, title: str) -> Multiples:
    """Return dots with intervals for metrics and levels."""
    levels = distinct(rows, "language")
    apart = len(levels) <= LANES
    colour, shape, _ = series("language", levels, columns=6)
    y = names("metric", distinct(rows, "metric"), air=0.25 if apart else 0, grid=True)
    x = numbers("estimate", axis, extent(rows, "estimate", "low", "high", also=[0]))
    about = tips(f"metric, language, estimate|{measure(rows)}|.3f, ±.3f")
    more = shapes.lanes("language", levels) if apart else {}
    bars, points = shapes.intervals(y, x, tooltip=about, colour=colour, shape=shape, more=more, size=24)
    if not apart:
        bars["mark"]["opacity"] = 0.25  # intervals of many levels lie on top of each other
    told = f"line: {100 * rows[0]['confidence']:g}% CI" if rows else ""
    layers = [rule("x", x, 0), bars, points, shapes.undefined(y, "estimate")]
    return Multiples(title, rows, layers, by, told, lines="metric", series=len(levels) if apart else 1)


def sensitivity(result: Survival, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the share of comparisons that two one-sided tests call equivalent against the margin (Fig. 4a)."""
    rows = records(_first(result.sensitivity), f"{PEOPLE} {STATISTIC} margin share n_tests", only)
    x = numbers("margin", "margin of equivalence", extent(rows, "margin", air=0))
    y = numbers("share", "comparisons that are equivalent", [-0.02, 1.02], format="%")
    colour, _, dash = (look | {"legend": None} for look in series("human", distinct(rows, "human")))
    about = tips("human, margin||.3f, share||.1%, n_tests|comparisons")
    layers = shapes.curves(x, y, ends=None, tooltip=about, colour=colour, dash=dash, points=False)
    layers += shapes.ends_named(rows, x, y, "human", 220, colour)
    title, told = (
        "Share of comparisons that two one-sided tests call equivalent, by the margin",
        f"{_statistic(rows)}, before correction",
    )
    return Multiples(title, rows, layers, (), told, width=(330, 330), height=220)


def margins(result: Survival, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the margins that single annotators give, a mark per metric, for every criterion (Fig. 4b)."""
    if not result.margins:
        raise UsageError("the figure margins needs judgments of two or more annotators by themselves")
    found = records(_first(result.margins), f"metric {PEOPLE} sd range n_annotators", only)
    sets = {"standard deviation over annotators": "sd", "largest difference of two annotators": "range"}
    rows = [{**row, "of": words, "value": row[name]} for words, name in sets.items() for row in found]
    y = names("human", distinct(rows, "human"), air=0.3, grid=True)
    x = numbers("value", "margin, a mark per metric", extent(rows, "value", also=[0]))
    colour, shape, _ = series("of", sets, columns=1)
    about = tips("metric, human, value|margin|.3f, n_annotators|annotators")
    place = {"x": x, "y": y, "color": colour, "shape": shape, **shapes.lanes("of", sets), "tooltip": about}
    constant = [r.margin for r in result.table if r.margin_kind == "constant"][:1]
    layers = [*(rule("x", x, margin, colour=INK) for margin in constant), dots(place, 24, filled=False, opacity=0.8)]
    told = "".join(f"dashed: constant margin, {margin:g}" for margin in constant)
    size: dict[str, Any] = {"lines": "human", "series": 3, "width": (330, 330)}
    return Multiples("Margins of equivalence from single annotators", rows, layers, (), told, **size)


def dominance(result: Survival, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return how far resolved pairs of metrics shift, after translation and after the round trip (Fig. 5)."""
    rows = records(_first(result.shifts), f"{PEOPLE} language shift shift_back n_resolved n_kept n_turned", only)
    rows = [row for row in rows if row["shift"] is not None and row["shift_back"] is not None]
    if not rows:
        raise UsageError(
            "the figure dominance needs round trips, levels such as es-back, and resolved pairs of metrics"
        )
    most = extent(rows, "shift", "shift_back", also=[0], air=0.06)
    x = numbers("shift", "shift of P, translated", most)
    y = numbers("shift_back", "shift of P, after the round trip", most)
    colour, shape = series("language", distinct(rows, "language"))[0], series("human", distinct(rows, "human"))[1]
    about = tips(
        "language, human, shift||.3f, shift_back|after the round trip|.3f, n_resolved|resolved pairs, "
        "n_kept|still resolved, n_turned|turned around"
    )
    line = [{"shift": end, "shift_back": end} for end in most]
    place = {"x": x, "y": y, "color": colour, "shape": shape, "tooltip": about}
    layers = [
        draw("line", {"x": x, "y": y}, line, color=OTHER, strokeDash=[2, 3], strokeWidth=0.8),
        dots(place, 60, opacity=0.9, stroke=PAPER, strokeWidth=0.6),
    ]
    told = "dotted: no difference between translation and round trip"
    return Multiples("Shift of resolved pairs of metrics", rows, layers, (), told, width=(330, 330), height=300)


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
    axes = (("first", 0.12), ("second", 0.08))
    x, y = (
        numbers(name, f"{name} component, {100 * share:.0f}%", extent(rows, name, air=air))
        for (name, air), share in zip(axes, result.explained, strict=False)
    )
    about = tips("name, kind, language, first||.2f, second||.2f")
    colour, shape, _ = series("language", distinct(others, "language"))
    rays = [
        {"ray": at, "first": end["first"], "second": end["second"]}
        for at, row in enumerate(others)
        for end in (start[row["name"]], row)
    ]
    heads = [{**row, "ink": HUMAN if row["kind"] == "human" else METRIC} for row in start.values()]
    place = {"x": x, "y": y, "tooltip": about}
    named = shapes.placed(heads, x, y, size, others)
    layers = [
        draw("line", {"x": x, "y": y, "detail": {"field": "ray"}}, rays, color=LINE, strokeWidth=0.7),
        dots({**place, "color": colour, "shape": shape}, 22, others, opacity=0.9),
        dots({**place, "color": shapes.OWN_INK}, 36, heads),
        *named,
    ]
    unnamed = len(heads) - len(named[0]["data"]["values"])
    told = f"a name: at {fitted(result.baseline, 90)}, orange: human"
    look: dict[str, Any] = {"width": (size[0], size[0]), "height": size[1]}
    look["omitted"] = f"{unnamed} names do not fit." if unnamed else ""
    title = "Metrics at every level, and human criteria, on two components of their ranks"
    return Multiples(title, rows, layers, (), told, **look)
