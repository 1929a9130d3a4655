"""Shapes that charts are made of: names and numbers on axes, dots with intervals, cells, curves with bands, bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from metassay.charts import theme
from metassay.charts.theme import INK, LONGEST, METRIC, PAPER, SOFT, Spec, told_apart

FAINT = 0.55
"""How strong an interval is beside its estimate."""
BAND = 0.16
"""How strong the band around a curve is."""


def names(field: str, values: Iterable[str], width: float = LONGEST, *, air: float = 0, **axis: Any) -> Spec:  # noqa: ANN401
    """Return an axis of names, in the order of the rows; those that are too long are cut and stay distinct.

    `air` is the share of a line that is left free between lines of several marks.
    """
    labels = told_apart(dict.fromkeys(values), width)
    look: Spec = {"title": None, "ticks": False, "domain": False, "labelPadding": 4, **axis}
    expression = theme.label_expression(labels)
    return {
        "field": field,
        "type": "nominal",
        "sort": None,
        "axis": look | ({"labelExpr": expression} if expression else {}),
        **({"scale": {"paddingInner": air}} if air else {}),
    }


def numbers(field: str, title: str | None, domain: Sequence[float] | None = None, **axis: Any) -> Spec:  # noqa: ANN401
    """Return an axis of numbers."""
    scale: Spec = {"zero": False, "nice": False} | ({"domain": list(domain)} if domain else {"padding": 6})
    return {
        "field": field,
        "type": "quantitative",
        "scale": scale,
        "axis": {"title": title, "tickCount": 4, "grid": False, **axis},
    }


def tips(fields: str) -> list[Spec]:
    """Return what the mouse shows: a comma list of ``field``, ``field|title`` or ``field|title|format``.

    ``±format`` stands for the ends of the interval, the fields ``low`` and ``high``.
    """
    found = []
    for text in fields.split(", "):
        both = text.startswith("±")
        for spec in (f"low|from|{text[1:]}", f"high|to|{text[1:]}") if both else (text,):
            name, title, form = (*spec.split("|"), "", "")[:3]
            tip: Spec = {"field": name, "title": title or name}
            found.append(tip | ({"type": "quantitative", "format": form} if form else {"type": "nominal"}))
    return found


def draw(kind: str, encoding: Spec, values: list[dict[str, Any]] | None = None, where: str = "", **look: Any) -> Spec:  # noqa: ANN401
    """Return a layer: a mark with its look, what its places and colours mean, its own data, and which rows it shows."""
    return {
        **({} if values is None else {"data": {"values": values}}),
        **({"transform": [{"filter": where}]} if where else {}),
        "mark": {"type": kind, **look},
        "encoding": encoding,
    }


def dots(encoding: Spec, size: float, values: list[dict[str, Any]] | None = None, **look: Any) -> Spec:  # noqa: ANN401
    """Return filled points."""
    return draw("point", encoding, values, **{"filled": True, "size": size, "opacity": 1} | look)


def lanes(field: str, values: Iterable[str]) -> Spec:
    """Return how marks that share a line stand beneath each other."""
    return {"yOffset": {"field": field, "scale": {"domain": list(values)}}}


def series(field: str, values: Iterable[str], **legend: Any) -> tuple[Spec, Spec, Spec]:  # noqa: ANN401 - Vega's
    """Return colours, shapes and dashes of the values of a field; each value is told by all three.

    Where dashes are used, ``symbolStrokeWidth=0`` keeps them from fraying the marks of the legend.
    """
    known = list(dict.fromkeys(values))
    look: Spec = {"columns": 4, **legend}
    if expression := theme.label_expression(told_apart(known, 230)):
        look["labelExpr"] = expression
    return tuple(  # type: ignore[return-value] # three of them
        {
            "field": field,
            "type": "nominal",
            "scale": {"domain": known, "range": [looks[at % len(looks)] for at in range(len(known))]},
            "legend": look,
        }
        for looks in (theme.SERIES, theme.SHAPES, theme.DASHES)
    )


def key(field: str, colours: dict[str, str], **legend: Any) -> Spec:  # noqa: ANN401 - Vega's
    """Return colours with a meaning, and their legend."""
    look: Spec = {"symbolType": "square", "symbolStrokeColor": SOFT, "symbolStrokeWidth": 0.5, "symbolOpacity": 1}
    return {
        "field": field,
        "type": "nominal",
        "scale": {"domain": list(colours), "range": list(colours.values())},
        "legend": {**look, "columns": 3, **legend},
    }


def rule(axis: str, encoding: Spec, at: float, *, colour: str = theme.OTHER) -> Spec:
    """Return a dashed line across the panel at a value of an axis."""
    place = {name: value for name, value in encoding.items() if name != "field"}
    return draw("rule", {axis: {**place, "datum": at}}, color=colour, strokeWidth=0.8, strokeDash=[3, 3])


def undefined(y: Spec, field: str) -> Spec:
    """Return the word that stands on a line without any number."""
    lane = [y["field"]]
    return {
        "transform": [
            {"joinaggregate": [{"op": "valid", "field": field, "as": "defined"}], "groupby": lane},
            {"filter": "datum.defined === 0"},
            {"aggregate": [{"op": "count", "as": "n"}], "groupby": lane},
        ],
        "mark": {"type": "text", "text": "undefined", "align": "left", "x": 3, "color": SOFT, "fontSize": 9},
        "encoding": {"y": y},
    }


def intervals(
    y: Spec,
    x: Spec,
    *,
    tooltip: list[Spec],
    ends: tuple[str, str] = ("low", "high"),
    colour: Spec | None = None,
    more: Spec | None = None,
    shape: Spec | None = None,
    filled: Spec | None = None,
    size: float = 32,
) -> list[Spec]:
    """Return a line from one end of the interval to the other, and a dot at the estimate, for every row.

    Parameters
    ----------
    y, x
        Where the dot stands; either may be the axis of names.
    tooltip
        What the mouse shows.
    ends
        Fields of the ends of the interval, on the axis of numbers.
    colour, shape, filled
        What tells rows apart; by default all have the colour of metrics.
    more
        Further encoding, such as an offset.
    size
        Square pixels of a dot.
    """
    along, other = ("x", x) if x["type"] == "quantitative" else ("y", y)
    shared: Spec = {"color": colour or {"value": METRIC}, "tooltip": tooltip, **(more or {})}
    places = {"x": x, "y": y}
    bar = {**places, along: {**other, "field": ends[0]}, f"{along}2": {"field": ends[1]}}
    look = {} if shape is None else {"shape": shape}
    hollow: Spec = {} if filled is None else {"filled": False, "strokeWidth": 1.2}
    if filled is not None:
        look["fill"] = filled
    return [
        draw("rule", {**bar, **shared}, strokeWidth=1.6, opacity=FAINT),
        dots({**places, **shared, **look}, size, **hollow),
    ]


def outcomes(better: str, correction: str | None, alpha: float, *, untested: bool) -> dict[str, str]:
    """Return what a test can say and its colour, the same in all matrices and bars of tests."""
    level = f"p ≤ {alpha:g}"
    found = {f"{better} ({level})": theme.CORRECTED, "not significant": theme.NONE}
    if correction is not None:
        found = {
            f"{better}, also after {correction} correction": theme.CORRECTED,
            f"only before correction ({level})": theme.UNCORRECTED,
            "not significant": theme.NONE,
        }
    return found | ({"cannot be tested": PAPER} if untested else {})


def outcome(kinds: dict[str, str], *, significant: bool, corrected: bool, tested: bool = True) -> str:
    """Return which of the outcomes a test has."""
    words = list(kinds)
    if not tested:
        return words[-1]
    if corrected or (significant and len(kinds) < 3 + ("cannot be tested" in kinds)):
        return words[0]
    return words[1] if significant else "not significant"


def cells(
    x: Spec, y: Spec, fill: Spec, tooltip: list[Spec], undefined: str, text: str = "", turn: float = 0.6
) -> list[Spec]:
    """Return a coloured cell for every row, and a cross where a field is undefined.

    With `text`, that field is written in the cell: white where the colour's own field is above `turn`, and thus dark.
    """
    place = {"x": x, "y": y}
    layers = [draw("rect", {**place, "color": fill, "tooltip": tooltip}, stroke=PAPER, strokeWidth=0.6)]
    if text:
        layers.append(written(x, y, text, fill["field"], turn))
    return [*layers, draw("text", place, where=f"!isValid(datum.{undefined})", text="×", color=SOFT)]


def framed(x: Spec, y: Spec, where: str, colour: str, **more: Any) -> Spec:  # noqa: ANN401 - Vega's
    """Return a frame around some cells."""
    return draw("rect", {"x": x, "y": y, **more}, where=where, filled=False, stroke=colour, strokeWidth=1.6)


def shade(field: str, domain: Sequence[float], title: str | None = None, **legend: Any) -> Spec:  # noqa: ANN401
    """Return colours of numbers, dark is much, and the bar that explains them."""
    look: Spec = {
        "title": title,
        "gradientLength": 140,
        "gradientThickness": 8,
        "tickCount": 4,
        "direction": "horizontal",
    }
    look |= {"titleFontWeight": "normal", "titleFontSize": 10, "titleColor": SOFT, "titleOrient": "left"}
    scale = {"domain": list(domain), "range": list(theme.RAMP), "clamp": True}
    return {"field": field, "type": "quantitative", "scale": scale, "legend": {**look, "titleLimit": 400, **legend}}


def written(x: Spec, y: Spec, text: str, shade_of: str, turn: float, *, size: float = 9) -> Spec:
    """Return the number in every cell, white on what is dark."""
    colour: Spec = {"condition": {"test": f"datum.{shade_of} > {turn!r}", "value": PAPER}, "value": INK}
    place = {"x": x, "y": y, "text": {"field": text, "type": "nominal"}, "color": colour}
    return draw("text", place, fontSize=size)


def curves(
    x: Spec,
    y: Spec,
    *,
    tooltip: list[Spec],
    ends: tuple[str, str] | None = ("low", "high"),
    colour: Spec | None = None,
    dash: Spec | None = None,
    shape: Spec | None = None,
    detail: str = "",
    points: bool = True,
    band: float = BAND,
) -> list[Spec]:
    """Return curves, with bands between two fields and a mark at every row."""
    shared: Spec = {"x": x, "color": colour or {"value": METRIC}, "tooltip": tooltip}
    if detail:
        shared["detail"] = {"field": detail}
    layers: list[Spec] = []
    if ends is not None:
        layers.append(draw("area", {**shared, "y": {**y, "field": ends[0]}, "y2": {"field": ends[1]}}, opacity=band))
    layers.append(draw("line", {**shared, "y": y, **({"strokeDash": dash} if dash else {})}, strokeWidth=1.5))
    if points:
        layers.append(dots({**shared, "y": y, **({"shape": shape} if shape else {})}, 16))
    return layers


def ends_named(rows: list[dict[str, Any]], x: Spec, y: Spec, name: str, height: float, colour: Spec) -> list[Spec]:
    """Return the names of curves at their right ends, moved apart so that they do not meet."""
    last: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row[y["field"]] is not None and (row[name] not in last or row[x["field"]] >= last[row[name]][x["field"]]):
            last[row[name]] = row
    low, high = y["scale"]["domain"]
    scale = height / ((high - low) or 1)
    found = sorted(last.values(), key=lambda row: row[y["field"]])
    places = spread([(row[y["field"]] - low) * scale for row in found], 11, 4, height - 2)
    labels = told_apart([row[name] for row in found])
    values = [
        {**row, "label": labels[row[name]], "place": low + place / scale}
        for row, place in zip(found, places, strict=True)
    ]
    place = {"x": x, "y": {**y, "field": "place"}, "text": {"field": "label", "type": "nominal"}, "color": colour}
    return [draw("text", place, values, align="left", dx=7, fontSize=10)]


def spread(values: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return places near ascending values that are at least `gap` apart, and between two ends if there is room."""
    places: list[float] = []
    for value in values:
        places.append(max(value, places[-1] + gap if places else low))
    top = high
    for at in range(len(places) - 1, -1, -1):
        places[at] = min(places[at], top)
        top = places[at] - gap
    return places


def stacked(y: Spec, share: str, title: str, fill: Spec, tooltip: list[Spec]) -> Spec:
    """Return bars of shares that make up a whole, in the order of the field ``at``."""
    x = {**numbers(share, title, [0, 1], format="%", values=[0, 0.5, 1]), "stack": "zero"}
    place = {"y": y, "x": x, "color": fill, "order": {"field": "at"}, "tooltip": tooltip}
    return draw("bar", place, stroke=PAPER, strokeWidth=0.7, height={"band": 0.74})


Point = tuple[float, float]


def beside(
    points: Sequence[Point], labels: Sequence[str], size: Point, others: Sequence[Point] = ()
) -> list[Point | None]:
    """Return for each point where its label has room, as pixels from the left and from the top; None if nowhere.

    Parameters
    ----------
    points
        Pixels from the left and from the top.
    labels
        Their labels.
    size
        Width and height of the panel.
    others
        Points without labels, which labels leave free too.
    """
    half, text = 4.0, 9
    taken = [(x - half, y - half, x + half, y + half) for x, y in (*points, *others)]
    found: list[Point | None] = []
    for (x, y), label in zip(points, labels, strict=True):
        wide, high = theme.width_of(label, text), text * 1.1
        found.append(None)
        for dx, dy in ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1)):
            left = x + dx * (half + 1) - (0 if dx > 0 else wide if dx < 0 else wide / 2)
            top = y + dy * (half + high / 2) - high / 2
            box = (left, top, left + wide, top + high)
            inside = left >= 0 and top >= 0 and box[2] <= size[0] and box[3] <= size[1]
            if inside and not any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken):
                taken.append(box)
                found[-1] = (left, top + high / 2)
                break
    return found


def placed(
    rows: list[dict[str, Any]], x: Spec, y: Spec, size: Point, others: Sequence[dict[str, Any]] = ()
) -> list[Spec]:
    """Return the names of points beside them, in the colour that each row has as ``ink``, where there is room."""
    (left, right), (low, high) = x["scale"]["domain"], y["scale"]["domain"]

    def pixels(row: dict[str, Any]) -> Point:
        return (row[x["field"]] - left) / (right - left) * size[0], (high - row[y["field"]]) / (high - low) * size[1]

    labels = told_apart([row["name"] for row in rows], 110, 9)
    places = beside(
        [pixels(row) for row in rows], [labels[row["name"]] for row in rows], size, [pixels(r) for r in others]
    )
    values = [
        {"text": labels[row["name"]], "ink": row["ink"], "px": place[0], "py": place[1]}
        for row, place in zip(rows, places, strict=True)
        if place is not None
    ]
    return [texts(values)]


PIXEL: Spec = {"type": "quantitative", "scale": None, "axis": None}
"""A place that is in pixels already."""
OWN_INK: Spec = {"field": "ink", "type": "nominal", "scale": None}
"""The colour that each row has as ``ink``."""


def texts(values: list[dict[str, Any]], **mark: Any) -> Spec:  # noqa: ANN401 - Vega's
    """Return texts at places in pixels, each in its own colour."""
    place = {"x": {"field": "px", **PIXEL}, "y": {"field": "py", **PIXEL}, "text": {"field": "text", "type": "nominal"}}
    return draw("text", {**place, "color": OWN_INK}, values, **dict[str, Any](align="left", fontSize=9) | mark)
