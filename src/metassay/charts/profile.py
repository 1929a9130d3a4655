"""What all scores say together of the systems: a biplot of two principal components."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import Data, Multiples, distinct, extent
from metassay.charts.shapes import OWN_INK, PIXEL, dots, draw, numbers, placed, series, spread, texts, tips
from metassay.charts.theme import HUMAN, LINE, METRIC, SERIES, SOFT, Spec, told_apart, width_of
from metassay.errors import DataError, UsageError
from metassay.studies.profile import Profile

SIZE = (420.0, 380.0)
"""Pixels of the panel."""
REACH = 1.1
"""How far the panel reaches on the scale of correlations: the circle stands at 1."""


def biplot(result: Profile, *, components: tuple[int, int] = (1, 2)) -> Multiples:
    """Return systems as points and columns as arrows on two components.

    An arrow ends at the correlations of its column with the two components; the circle is a correlation of 1. Names
    of columns stand at the sides, tied to their arrows. Systems are named where there is room.
    """
    across, up = components
    found = {row.component for row in result.table if row.kind == "loading"}
    if across == up or not {across, up} <= found:
        if len(found) < 2:
            raise DataError(f"a biplot needs two components with loadings, this result has {len(found)}")
        known = ", ".join(str(c) for c in sorted(c for c in found if c is not None))
        raise UsageError(f"components must be two different ones of {known}, got {across} and {up}")
    shares = {row.component: row.value for row in result.table if row.kind == "component"}
    systems, arrows = (_points(result, kind, across, up) for kind in ("system", "loading"))
    groups = distinct(systems, "group")
    colour, shape, _ = series("group", groups)
    reach = [max(abs(end) for end in extent(systems, name, also=[0])) * 1.06 for name in ("first", "second")]
    x, y = (
        numbers(name, f"PC{c} ({100 * shares[c]:.0f}% of variance)", [-end, end])
        for name, c, end in zip(("first", "second"), components, reach, strict=True)
    )
    for row in systems:
        row["ink"] = SERIES[groups.index(row["group"]) % len(SERIES)] if len(groups) > 1 else SOFT
    if len(groups) < 2:
        colour, shape = {"value": SOFT}, {"value": "circle"}
    about = tips("name|system, group, first||.2f, second||.2f")
    points = dots({"x": x, "y": y, "color": colour, "shape": shape, "tooltip": about}, 34)
    layers = [*_arrows(arrows, set(result.humans)), points, *placed(systems, x, y, SIZE, _along(arrows, reach))]
    told = "arrows: correlation with the components, circle: correlation 1, orange: human"
    size: dict[str, Any] = {"width": (SIZE[0], SIZE[0]), "height": SIZE[1]}
    return Multiples("Systems and metrics on two principal components", systems, layers, (), told, **size)


def _points(result: Profile, kind: str, across: int, up: int) -> Data:
    rows = [row for row in result.table if row.kind == kind]
    found = {(row.name, row.component): row.value for row in rows}
    groups = {row.name: row.group or "no group" for row in rows}
    return [{"name": n, "group": g, "first": found[n, across], "second": found[n, up]} for n, g in groups.items()]


def _along(arrows: Data, reach: list[float]) -> Data:
    """Return points along the arrows on the scales of the systems, which names keep off."""
    scale = [2 * end * min(SIZE) / 2 / REACH / side for end, side in zip(reach, SIZE, strict=True)]
    steps = [step / 10 for step in range(1, 11)]
    return [
        {"first": row["first"] * scale[0] * t, "second": row["second"] * scale[1] * t} for row in arrows for t in steps
    ]


def _arrows(arrows: Data, humans: set[str]) -> list[Spec]:
    """Return the columns as arrows in pixels from the middle, their names at the sides, and the circle of 1."""
    middle, radius = (SIZE[0] / 2, SIZE[1] / 2), min(SIZE) / 2 / REACH
    labels = told_apart([row["name"] for row in arrows], 110)
    lines: Data = []
    names: list[list[dict[str, Any]]] = [[], []]
    for row in arrows:
        ink = HUMAN if row["name"] in humans else METRIC
        tip = middle[0] + radius * row["first"], middle[1] - radius * row["second"]
        lines.append({"name": row["name"], "ink": ink, "px": middle[0], "py": middle[1], "qx": tip[0], "qy": tip[1]})
        right = row["first"] >= 0
        # a name stands where its arrow would leave the panel, so that lines to the names fan out like the arrows
        leaving = -row["second"] / max(abs(row["first"]), 1e-9) * SIZE[0] / 2 + middle[1]
        at = min(max(leaving, 6), SIZE[1] - 6)
        names[right].append({"text": labels[row["name"]], "ink": ink, "tip": tip, "at": at})
    leads: Data = []
    words: list[Spec] = []
    for right, side in enumerate(names):
        side.sort(key=lambda one: one["at"])
        widest = max((width_of(one["text"]) for one in side), default=0)
        edge = SIZE[0] + 12 if right else -40.0 - 12
        gap = min(12.0, (SIZE[1] - 12) / max(len(side) - 1, 1))
        for one, place in zip(side, spread([one["at"] for one in side], gap, 6, SIZE[1] - 6), strict=True):
            one |= {"px": edge + (4 if right else -4), "py": place}
            leads.append({"ink": LINE, "px": one["tip"][0], "py": one["tip"][1], "qx": edge, "qy": place})
        values = [{name: one[name] for name in ("text", "ink", "px", "py")} for one in side]
        words.append(texts(values, align="left" if right else "right", fontSize=min(10, gap - 0.5), limit=widest + 10))
    ring = {"type": "arc", "radius": radius, "radius2": radius - 0.7, "theta": 0, "theta2": 6.2832, "color": LINE}
    heads = {"x": {"field": "qx", **PIXEL}, "y": {"field": "qy", **PIXEL}, "color": OWN_INK, "tooltip": tips("name")}
    return [
        {"data": {"values": [{}]}, "mark": ring},
        *(draw("rule", _SEGMENT, some, strokeWidth=wide) for some, wide in ((leads, 0.7), (lines, 1.4))),
        dots(heads, 14, lines),
        *words,
    ]


_SEGMENT: Spec = {
    "x": {"field": "px", **PIXEL},
    "y": {"field": "py", **PIXEL},
    "x2": {"field": "qx"},
    "y2": {"field": "qy"},
    "color": OWN_INK,
}
"""A line from one place in pixels to another."""
