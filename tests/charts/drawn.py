"""Reads a drawn chart back: its size, its texts, and which of them overlap or leave it."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET

from metassay.charts.theme import width_of

LEAN = 0.88
"""The theme reckons texts a little wider than they are."""


def svg(chart):
    return chart.rendered("svg").decode()


def size(text):
    return tuple(float(v) for v in re.search(r'width="([\d.]+)" height="([\d.]+)"', text).groups())


def texts(drawing):
    """Return every visible text with its box, as (words, left, top, right, bottom)."""
    found = []

    def visit(element, x, y, hidden):
        moved = re.search(r"translate\(([-\d.e]+),\s*([-\d.e]+)\)", element.get("transform", ""))
        if moved:
            x, y = x + float(moved[1]), y + float(moved[2])
        hidden = hidden or element.get("opacity") == "0"
        if element.tag.endswith("}text") and not hidden:
            down = 0.0
            spans = [child for child in element if child.tag.endswith("tspan")] or [element]
            for span in spans:
                down += float(span.get("dy", 0) or 0)
                found.extend(_box(element, "".join(span.itertext()), x, y + down))
        for child in element:
            visit(child, x, y, hidden)

    visit(ET.fromstring(drawing), 0.0, 0.0, False)
    return found


def _box(element, words, x, y):
    if not words.strip():
        return []
    high = float(element.get("font-size", "10px").removesuffix("px"))
    wide = width_of(words, high) * LEAN
    start = {"end": -wide, "middle": -wide / 2}.get(element.get("text-anchor", "start"), 0.0)
    if "rotate(270)" in element.get("transform", "") or "rotate(-90)" in element.get("transform", ""):
        return [(words, x - 0.75 * high, y - start - wide, x, y - start)]
    return [(words, x + start, y - 0.75 * high, x + start + wide, y)]


def overlapping(drawing):
    """Return pairs of texts that overlap by more than a sliver, and texts that leave the drawing."""
    found, (width, height) = texts(drawing), size(drawing)
    pairs = [
        (a[0], b[0])
        for a, b in itertools.combinations(found, 2)
        if min(a[3], b[3]) - max(a[1], b[1]) > 1.5 and min(a[4], b[4]) - max(a[2], b[2]) > 1.5
    ]
    out = [t[0] for t in found if t[1] < -2 or t[2] < -2 or t[3] > width + 2 or t[4] > height + 2]
    return pairs, out
