"""One look for all charts: what each colour stands for, sizes, and text that fits.

A colour has a role, and a role has one colour, on the page and on paper. Lengths are CSS pixels, 96 to the inch.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from metassay.errors import one_line

Spec = dict[str, Any]

PALETTE: dict[str, tuple[str, str]] = {
    "paper": ("#ffffff", "#14171b"),
    "ink": ("#1b1f24", "#e6e9ed"),
    "soft": ("#5a6470", "#9aa5b1"),
    "line": ("#d5dae0", "#343b44"),
    "metric": ("#1f5fa8", "#7db4ee"),
    "human": ("#c2501a", "#f09a5f"),
    "corrected": ("#174f8f", "#6ca9e8"),
    "uncorrected": ("#9cc3ea", "#2f5a87"),
    "none": ("#e6e9ec", "#2b3138"),
    "warn": ("#b3261e", "#f2827b"),
    "other": ("#9aa1a9", "#7b848e"),
    "human-only": ("#f0b48c", "#c98558"),
}
"""Colours by role, in the light and in the dark."""
PAPER, INK, SOFT, LINE, METRIC, HUMAN, CORRECTED, UNCORRECTED, NONE, WARN, OTHER, HUMAN_ONLY = (
    light for light, _ in PALETTE.values()
)
KIND: Spec = {"domain": ["metric", "human"], "range": [METRIC, HUMAN]}
"""The scale that tells people from metrics."""
ON_DARK = {
    "#117733": "#4fbf77",
    "#aa4499": "#d98acb",
    "#ddaa33": "#ddaa33",
    "#44aa99": "#55c4b2",
    "#882255": "#e0709f",
    "#999933": "#bcbc4d",
    "#332288": "#9d8cff",
    "#88ccee": "#88ccee",
}
"""Colours of whatever else has several values: Tol's muted colours, which all kinds of colour vision tell apart, and
what stands for each of them in the dark."""
SERIES = tuple(ON_DARK)
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 1], [1, 3], [10, 2], [6, 2, 1, 2])
RAMP = ("#f7fafd", "#d6e4f3", "#a9cbe8", "#6da8d8", "#3a7ebd", "#1f5fa8")
"""Colours of numbers: light is little, dark is much, in greyscale too."""

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
SIZE, SMALL = 10, 9
"""Pixels of text, and of text where there is little room."""
PAGE = (740, 940)
"""Width and height that no figure exceeds: a page of A4 or letter paper."""
WIDTHS = {"column": 240, "page": 505}
"""Points that a figure is wide in one column of a paper, and across both."""
LONGEST = 130
"""Width of the longest name."""


def config(size: int = SIZE) -> Spec:
    """Return the settings that every chart starts from."""
    axis: Spec = {"labelColor": INK, "titleColor": SOFT, "gridColor": LINE, "domainColor": LINE, "tickColor": LINE}
    axis |= {"labelFontSize": size, "titleFontSize": size, "titleFontWeight": "normal", "labelLimit": 400}
    title = {"anchor": "start", "frame": "group", "fontSize": size, "color": INK, "subtitleColor": SOFT}
    legend = {"orient": "bottom", "title": None, "labelFontSize": size, "labelColor": INK, "labelLimit": 400}
    legend["titleColor"] = INK
    return {
        "font": FONT,
        "background": PAPER,
        "aria": False,  # the page and the file say what a chart shows; a sentence per mark is no help
        "axis": {**axis, "titlePadding": 4, "tickSize": 4},
        "axisX": {"grid": False},
        "legend": {
            **legend,
            "symbolStrokeWidth": 1.5,
            "symbolOpacity": 1,
            "rowPadding": 2,
            "columnPadding": 14,
            "offset": 8,
        },
        "title": {**title, "fontWeight": "bold", "subtitleFontSize": size, "offset": 5},
        "text": {"color": INK, "fontSize": size},
        "view": {"stroke": None},
    }


def narrow(width: float) -> Spec:
    """Return the settings of a chart so wide: legends that stay within it."""
    made = config()
    legend = {"columns": max(1, int(width / 260)), "labelLimit": width - 60}
    return {**made, "legend": {**made["legend"], **legend}, "title": {**made["title"], "frame": "bounds"}}


def replaced(value: Any, words: dict[str, str]) -> Any:  # noqa: ANN401 - any part of a specification
    """Return a specification with some of its texts replaced, wherever they stand as a whole."""
    if isinstance(value, dict):
        return {key: replaced(part, words) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [replaced(part, words) for part in value]
    return words.get(value, value) if isinstance(value, str) else value


ROLES = PALETTE | {f"series-{at}": pair for at, pair in enumerate(ON_DARK.items(), start=1)}
"""All colours of the page."""
ON_PAGE = {light: f"var(--{role})" for role, (light, _) in ROLES.items()}
"""Colours as the style sheet's, so that light and dark need no new drawing."""
HARMLESS = {
    name: f"{name} "
    for name in (
        *("constructor", "__proto__", "toString", "toLocaleString", "valueOf", "hasOwnProperty", "isPrototypeOf"),
        *("propertyIsEnumerable", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"),
    )
}
"""Names that every JavaScript object has: Vega, which keeps groups by name in one, would trip over them."""


def style() -> str:
    """Return the colours as a style sheet: light, dark, and light again on paper."""
    light, dark = (" ".join(f"--{role}: {pair[at]};" for role, pair in ROLES.items()) for at in (0, 1))
    return (
        f":root {{ {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) {{ {dark} }} }}\n"
        f":root[data-theme=dark] {{ {dark} }}\n"
        f"@media print {{ :root, :root[data-theme=dark], :root:not([data-theme=light]) {{ {light} }} }}\n"
    )


@cache
def width_of(text: str, size: float = SIZE) -> float:
    """Return about how wide a text is, rather a little more than less (the font's own widths, in classes)."""
    return sum(map(_em, text)) * size


@cache
def _em(letter: str) -> float:
    if letter in "ijl|'":
        return 0.25
    if letter in 'fIrt.,:;!()[]{}/\\ -`"':
        return 0.35
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    if letter in "mwMW@%—…":
        return 0.95
    return 0.72 if letter.isupper() or ord(letter) > 0x2FF else 0.57


def fitted(
    text: object, width: float = LONGEST, size: float = SIZE, measure: Callable[[str, float], float] = width_of
) -> str:
    """Return a text on one line that is at most so wide; what is too long loses its middle.

    Examples
    --------
    >>> fitted("a-metric-with-a-model-large", 80)
    'a-metric-…arge'
    """
    whole = one_line(text, 200)
    if measure(whole, size) <= width:
        return whole
    for keep in range(len(whole) - 1, 1, -1):
        tail = keep // 3
        shorter = f"{whole[: keep - tail]}…{whole[len(whole) - tail :]}"
        if measure(shorter, size) <= width:
            return shorter
    return "…"


def told_apart(
    names: Iterable[str],
    width: float = LONGEST,
    size: float = SIZE,
    measure: Callable[[str, float], float] = width_of,
) -> dict[str, str]:
    """Return names that are at most so wide, and no two alike.

    Where cutting makes names alike, what they have in common at the start is cut instead; if that does not help, they
    are numbered.

    Examples
    --------
    >>> list(told_apart(["a-metric-with-model-1-large", "a-metric-with-model-2-large"], 50).values())
    ['…1-large', '…2-large']
    """
    labels = {name: fitted(name, width, size, measure) for name in names}
    for alike in _alike(labels):
        start = next((at for at, letters in enumerate(zip(*alike, strict=False)) if len(set(letters)) > 1), 0)
        labels |= {name: fitted(f"…{name[start:]}", width, size, measure) for name in alike}
    for alike in _alike(labels):
        for number, name in enumerate(alike, start=1):
            mark = f" ({number})"
            labels[name] = fitted(name, width - measure(mark, size), size, measure) + mark
    return labels


def longest(names: Iterable[str], width: float = LONGEST) -> float:
    """Return how wide the widest of some names is, once they are cut."""
    return max((width_of(label) for label in told_apart(names, width).values()), default=0)


def _alike(labels: dict[str, str]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for name, label in labels.items():
        groups.setdefault(label, []).append(name)
    return [names for names in groups.values() if len(names) > 1]


def label_expression(labels: dict[str, str]) -> str | None:
    """Return an expression that writes each name as its label; None if all names are written as they are."""
    text = "datum.label"
    for name, label in labels.items():
        if name != label:
            text = f"datum.value === {json.dumps(name)} ? {json.dumps(label)} : {text}"
    return None if text == "datum.label" else text
