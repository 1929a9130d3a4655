"""Small multiples: from the rows of a result and one panel's layers to a figure that fits a page.

The panel is specified once. A figure stands one panel beside the other for every value of the fields in ``by``; the
page shows one at a time and lets the reader switch.
"""

from __future__ import annotations

import copy
import json
import math
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from metassay.charts import theme
from metassay.charts.theme import LONGEST, PAGE, SIZE, Spec, fitted, longest
from metassay.core import vocabulary
from metassay.errors import UnknownName, UsageError

Data = list[dict[str, Any]]
Only = Mapping[str, Any]

STATISTIC = "statistic"
"""The field of rows that names the statistic."""
SWITCHES = ("human", "level", STATISTIC)
"""Fields that all charts of a page are switched by together."""
FLAGS = {name: name for name in ("metric", *SWITCHES, "anchor", "test")} | {"panel": "metric"}
"""Fields that an option of the command line chooses from, and that option."""
READABLE = 11.5
"""Height of a line whose name has the usual size."""
GAP, LEAN, HEAD, FOOT = 16, 8, 48, 26
"""Pixels between panels, that the numbers of an axis lean out of one, above all for the title, and below each."""


@dataclass(frozen=True)
class Multiples:
    """Rows, and how a panel draws its share of them."""

    title: str
    """What it shows."""
    rows: Data
    """The rows, in the order in which they are drawn."""
    layers: list[Spec]
    """What a panel draws; its data are the panel's rows."""
    by: tuple[str, ...] = ()
    """Fields of which every combination of values has a panel."""
    told: str = ""
    """What marks mean, if no legend says it."""
    lines: str = ""
    """The field whose names stand down the side; they are the same in all panels."""
    longest: float = LONGEST
    """Width of the longest of these names."""
    series: int = 1
    """Marks that share a line."""
    own: bool = False
    """Whether every panel has names and an order of its own."""
    square: bool = False
    """Whether the same names stand along the side and the top."""
    across: int = 0
    """Names along the foot, if the panel is a table of cells."""
    cell: float = 30
    """Width of such a cell."""
    width: tuple[float, float] = (112, 320)
    """The narrowest and the widest that a panel may be."""
    height: float = 0
    """Height of a panel without lines."""
    foot: float = FOOT
    """Pixels below a panel, for the names or numbers there."""
    sort: str = ""
    """On the page, the field by which rows are sorted, large first."""
    metrics: tuple[str, ...] = ("metric",)
    """Fields that hold names of metrics, which a reader of the page may hide."""
    omitted: str = ""
    """What the figure leaves out for want of room."""
    head: float = 0
    """Pixels between a panel and its title."""

    @property
    def pick(self) -> str:
        """The field of which the page shows one value at a time, chosen beside the chart."""
        return next((name for name in self.by if name not in SWITCHES), "")

    @property
    def switches(self) -> tuple[str, ...]:
        """The page's switches that choose among the rows."""
        return tuple(name for name in self.by if name in SWITCHES)

    def interactive(self) -> Spec:
        """Return the panel as the page shows it: as wide as the window, with a line's height for every name."""
        if self.square:  # a cell is as wide as it is high
            return {"width": {"step": 24}, "height": {"step": 24}, "layer": self.layers}
        step = {"step": 20 + 6 * (self.series - 1), "for": "position"}
        return {"height": step if self.lines else 320, "layer": self.layers}


def figure(multiples: Multiples, title: str | None = None, wide: float | None = None) -> tuple[Spec, str]:
    """Return the whole figure, and in words what it leaves out because a page has no room for it.

    A figure of a width of its own, in pixels, has type of at least 7 points.
    """
    across, least = (PAGE[0], 0.0) if wide is None else (wide - 20, READABLE)
    made, left_out = _lines_that_fit(multiples, across, least)
    fields = [name for name in made.by if len({row[name] for row in made.rows}) > 1]
    groups: dict[tuple[Any, ...], Data] = {}
    for row in made.rows:
        groups.setdefault(tuple(row[name] for name in fields), []).append(row)
    size, text = _step(made, _names(made, made.rows), least)
    # names are cut once, for text of the usual size
    labels = longest(_names(made, made.rows), made.longest) * text / SIZE
    left = labels + 10 if made.lines else 58
    top = (15 if len(fields) == 1 else 29 if fields else 0) + made.head + (labels if made.square else 0)
    heights = [size * len(_names(made, rows if made.own else made.rows)) or made.height for rows in groups.values()]
    columns, width, most = _grid(made, [height + top + made.foot for height in heights], left, size, across)
    if len(groups) > most:
        flags = " or ".join(f"--{FLAGS[name]}" for name in fields if name in FLAGS)
        left_out.append(f"{most} of {len(groups)} panels" + (f"; choose with {flags}" if flags else ""))
    inside = {} if wide is None else {"frame": "group"}
    panels = [
        {
            **({"title": inside | _panel_title(fields, key, width, made)} if fields else {}),
            "width": width,
            "height": heights[at],
            "data": {"values": rows},
            "layer": _trimmed(made, rows, at % columns == 0, at + columns >= min(most, len(groups)), text),
        }
        for at, (key, rows) in enumerate(groups.items())
        if at < most
    ]
    if wide is not None:
        _make_readable(panels, wide - left - 50)
    omitted = " ".join(
        [*([f"Shown: {'; '.join(left_out)}."] if left_out else []), *([made.omitted] * bool(made.omitted))]
    )
    same = [_words(name, made.rows[0][name]) for name in made.by if name not in fields and made.rows]
    under = ", ".join([*same, *([made.told] if made.told else [])])
    used = min(columns, len(panels)) * (width + GAP + (left if made.own else 0)) + (0 if made.own else left)
    spec: Spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "padding": 8,
        **_heading(
            made.title if title is None else title, [under, omitted], max(used, 300) if wide is None else wide - 24
        ),
        "concat": panels,
        "columns": columns,
        "align": "each",
        "spacing": GAP,
        "resolve": {"scale": {"color": "shared", "shape": "shared", "strokeDash": "shared"}},
        "config": theme.config() if wide is None else theme.narrow(wide),
    }
    return theme.replaced(spec, theme.HARMLESS), omitted


def _make_readable(panels: list[Spec], width: float) -> None:
    """Write labels of legends on as many lines as a narrow figure needs, and no text smaller than 7 points."""
    for layer in (layer for panel in panels for layer in panel["layer"]):
        mark = layer.get("mark")
        if isinstance(mark, dict) and "fontSize" in mark:
            layer["mark"] = mark | {"fontSize": max(mark["fontSize"], 28 / 3)}
        for encoding in layer.get("encoding", {}).values():
            look = encoding.get("legend", {}) if isinstance(encoding, dict) else None
            if look is None:
                continue
            domain = encoding.get("scale", {}).get("domain", [])
            if domain and isinstance(domain[0], str) and "labelExpr" not in look:
                lines = {name: textwrap.wrap(name, max(8, int(width / (SIZE * 0.5)))) for name in domain}
                said = json.dumps({name: each for name, each in lines.items() if len(each) > 1})
                encoding["legend"] = {**look, "labelExpr": f"{said}[datum.label] || datum.label"}


def _names(multiples: Multiples, rows: Data) -> list[str]:
    """Return the names down the side, in order."""
    return distinct(rows, multiples.lines) if multiples.lines else []


def _lines_that_fit(multiples: Multiples, across: float = PAGE[0], least: float = 0.0) -> tuple[Multiples, list[str]]:
    """Return what has at most as many lines as a page, and how many there were."""
    every = _names(multiples, multiples.rows)
    room = PAGE[1] - HEAD - 3 * FOOT - multiples.foot
    most = int((across - LONGEST) / max(7.0, least)) if multiples.square else int(room / max(_least(multiples), least))
    if len(every) <= most:
        return multiples, []
    kept = set(every[:most])
    fields = multiples.metrics if multiples.square else (multiples.lines,)
    rows = [row for row in multiples.rows if all(row[name] in kept for name in fields)]
    flag = "; choose with --metric" if multiples.lines.startswith("metric") else ""
    plural = multiples.lines.removesuffix("_a") + "s"
    return replace(multiples, rows=rows), [f"{most} of {len(every)} {plural}{flag}"]


def readable(multiples: Multiples) -> Multiples:
    """Return what the page shows: of a square with very many names those of the first, and says so."""
    made, left_out = _lines_that_fit(multiples) if multiples.square else (multiples, [])
    return replace(made, told="; ".join([made.told, *left_out])) if left_out else multiples


def _least(multiples: Multiples) -> float:
    return max(10.5, 3 * multiples.series + 2)


def _step(multiples: Multiples, order: list[str], least: float = 0.0) -> tuple[float, float]:
    """Return the height of a line, and the size of its name."""
    if not order:
        return 0.0, SIZE
    if multiples.square:
        size = min(18.0, max(7.0, 240 / len(order)))
    elif multiples.across:
        size = min(16.0, max(10.5, 500 / len(order)))
    else:
        size = min(14.0 + 5 * (multiples.series - 1), max(_least(multiples), 357 / len(order)))
    size = max(size, least)
    return size, SIZE if size >= READABLE else theme.SMALL if size >= 10 else size - 0.5


def _grid(
    multiples: Multiples, heights: list[float], left: float, size: float, across: float = PAGE[0]
) -> tuple[int, float, int]:
    """Return how many panels stand side by side, how wide they are, and how many fit a page."""
    (narrow, wide), lean = multiples.width, 0 if multiples.square else LEAN
    if multiples.square:
        narrow = wide = size * len(_names(multiples, multiples.rows))
    elif multiples.across:
        narrow = wide = max(multiples.across * multiples.cell, 112)
    own = left if multiples.own else 0
    # the last number of an axis leans out of its panel
    room = across - (left - own) - 24
    columns = max(1, min(len(heights), int((room + GAP + lean) / (narrow + own + GAP + lean))))
    # as even as possible: four panels are two by two rather than three and one
    columns = math.ceil(len(heights) / math.ceil(len(heights) / columns)) if heights else 1
    width = min(wide, (room - (GAP + lean) * (columns - 1)) / columns - own)
    used, most = 0.0, 0
    for at in range(0, len(heights), columns):
        used += max(heights[at : at + columns]) + GAP
        if used > PAGE[1] - HEAD - FOOT and most:
            break
        most += columns
    return columns, round(max(width, 40)), most


def _panel_title(fields: list[str], key: tuple[Any, ...], width: float, multiples: Multiples) -> Spec:
    first, *rest = (_words(name, value) for name, value in zip(fields, key, strict=True))
    look: Spec = {
        "text": fitted(first, width),
        "fontWeight": "bold" if rest else "normal",
        "offset": 5 + multiples.head,
    }
    return look | ({"subtitle": fitted(", ".join(rest), width)} if rest else {})


def _words(name: str, value: object) -> str:
    """Return what a value of a field is called above a panel."""
    if name == "level":
        return f"{value} level"
    if name == STATISTIC:
        return statistic_words(str(value))
    return f"{value} held fixed" if name == "anchor" else f"{value} cut-off" if name == "cutoff" else str(value)


def statistic_words(name: str) -> str:
    """Return what a statistic is called."""
    known = {"kendall": "Kendall's τ", "kendall-a": "Kendall's τa", "kendall-c": "Kendall's τc"}
    return known.get(name) or vocabulary.statistic_title(name)


def measure(rows: Data) -> str:
    """Return what the statistics of some rows are in one word, such as ``correlation``."""
    return vocabulary.measure(distinct(rows, STATISTIC))


def distinct(rows: Data, field: str) -> list[Any]:
    """Return the values of a field in the order in which they first occur."""
    return list(dict.fromkeys(row[field] for row in rows))


def _trimmed(multiples: Multiples, rows: Data, first: bool, last: bool, text: float) -> list[Spec]:
    """Return the layers of one panel: names and titles of axes stand at the edges of the figure only."""
    layers: list[Spec] = copy.deepcopy(multiples.layers)
    order = _names(multiples, rows if multiples.own else multiples.rows)
    for layer in layers:
        for axis, encoding in layer.get("encoding", {}).items():
            if axis not in ("x", "y") or "axis" not in encoding:
                continue
            look = encoding["axis"]
            if encoding["type"] == "nominal" and multiples.lines:
                look["labelFontSize"] = text
            if axis == "y" and encoding.get("field") == multiples.lines:
                encoding["scale"] = {**encoding.get("scale", {}), "domain": order}
            if axis == "x" and not last and not multiples.own:
                look["title"] = None
            if axis == "y" and not first and not multiples.own:
                look |= {"title": None, "labels": False, "ticks": False}
    return layers


def _heading(title: str, under: list[str], width: float) -> Spec:
    """Return the title and what stands under it, wrapped to the figure's width."""
    lines = [
        line
        for text in under
        if text
        for line in textwrap.wrap(text, int(width / (SIZE * 0.52)), break_on_hyphens=False)
    ]
    head = textwrap.wrap(title, int(width / (SIZE * 0.62)))
    look: Spec = {"fontSize": SIZE + 1, "subtitlePadding": 3, "offset": 10}
    if head:
        return {"title": {**look, "text": head, "subtitle": lines}}
    return (
        {"title": {**look, "text": lines, "fontSize": SIZE, "fontWeight": "normal", "color": theme.SOFT}}
        if lines
        else {}
    )


def undefined_names(names: list[str]) -> str:
    """Return which curves are not there because they are undefined, in words; empty if none is."""
    labels = list(theme.told_apart(names).values())
    more = f" and {len(labels) - 6} more" if len(labels) > 6 else ""
    return f"Undefined: {', '.join(labels[:6])}{more}." if labels else ""


def records(table: Iterable[object], fields: str, only: Only | None = None) -> Data:
    """Return the named fields of rows as JSON knows them, of the rows that an option chooses.

    Parameters
    ----------
    table
        Rows of a result.
    fields
        Names of attributes; ``estimate_t:estimate`` takes the first and calls it the second.
    only
        By field, the names to keep, as a comma list; None keeps all.
    """
    pairs = [name.partition(":")[::2] for name in fields.split()]
    rows = [{new or old: _plain(getattr(row, old)) for old, new in pairs} for row in table]
    return chosen(rows, only or {})


def chosen(rows: Data, only: Only) -> Data:
    """Return the rows that have one of the names wanted, in the order in which they are wanted."""
    for name, wanted in only.items():
        if wanted is None:
            continue
        if not rows or name not in rows[0]:
            fields = ", ".join(key for key, value in (rows[0] if rows else {}).items() if isinstance(value, str))
            raise UsageError(f"this figure has no option {name!r}; it can be chosen by {fields}")
        known = distinct(rows, name)
        names = [wanted] if wanted in known else vocabulary.names(wanted)
        for one in names:
            if one not in known:
                raise UnknownName(name, one, known)
        rows = [row for one in names for row in rows if row[name] == one]
    return rows


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever a study puts in a row
    """Return a value as JSON knows it; undefined and infinite numbers become None."""
    if not isinstance(value, str | int | float | bool) and hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def best_first(rows: Data, name: str, value: str, by: tuple[str, ...] = ()) -> Data:
    """Return rows in the order of their values in the first panel, the best first and undefined ones last.

    Where small values of a statistic are good, rows get the field ``good``, by which the page sorts them.
    """
    signs = [vocabulary.statistic_sign(str(row.get(STATISTIC))) for row in rows]
    if -1 in signs:
        rows = [
            {**row, "good": None if row[value] is None else sign * row[value]}
            for row, sign in zip(rows, signs, strict=True)
        ]
        value = "good"
    first = tuple(rows[0][key] for key in by) if rows else ()
    ranked = [row for row in rows if tuple(row[key] for key in by) == first]
    ranked.sort(key=lambda row: (row[value] is None, -(row[value] or 0)))
    place = {each: at for at, each in enumerate(distinct([*ranked, *rows], name))}
    return sorted(rows, key=lambda row: place[row[name]])


def extent(rows: Data, *fields: str, also: Iterable[float] = (), air: float = 0.03) -> list[float]:
    """Return the ends of an axis on which all values lie, with some air."""
    known = [row[name] for row in rows for name in fields if row[name] is not None] + list(also)
    if not known:
        return [0.0, 1.0]
    low, high = min(known), max(known)
    space = air * (high - low) or 0.05 * (abs(high) or 1)
    return [low - space, high + space]
