"""What holds of every kind of chart: it is drawn, its text never overlaps, names stay text, and it fits a page."""

import json
import math
from functools import cache

import pytest

from metassay.charts.chart import KINDS, ON_PAGE, interactive
from metassay.charts.theme import PAGE, PALETTE, RAMP, SERIES

from .conftest import FOUR, LONG, NASTY, small, study
from .drawn import overlapping, size, svg, texts

pytest.importorskip("vl_convert")

CASES = [(name, kind) for name, kinds in KINDS.items() for kind in kinds]
OURS = {light for light, _ in PALETTE.values()} | set(SERIES) | set(RAMP)


def colours(spec):
    """Return every colour that a specification names."""
    if isinstance(spec, dict):
        return {c for value in spec.values() for c in colours(value)}
    if isinstance(spec, list):
        return {c for value in spec for c in colours(value)}
    return {spec} if isinstance(spec, str) and spec.startswith("#") and len(spec) == 7 else set()


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_it_is_drawn_in_every_format(name, kind, tmp_path):
    chart = small(name).plot(kind=kind)
    json.dumps(chart.spec, allow_nan=False)
    assert colours(chart.spec) <= OURS
    assert overlapping(svg(chart)) == ([], [])
    for suffix, start in (("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<svg"), ("json", b"{")):
        chart.save(tmp_path / f"chart.{suffix}", dpi=60)
        assert (tmp_path / f"chart.{suffix}").read_bytes().startswith(start)
    assert json.loads((tmp_path / "chart.json").read_text(encoding="utf-8")) == chart.spec


@cache
def nasty(name):
    return study(name, NASTY[:4] if name == "simulate-size" else NASTY, ("human $y$ <b>", "y" * 300))


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_names_are_text_and_long_ones_are_cut(name, kind):
    drawing = svg(nasty(name).plot(kind=kind))
    assert overlapping(drawing) == ([], [])
    assert "<img" not in drawing
    assert "\u202e" not in drawing
    assert all(len(words) < 130 for words, *_ in texts(drawing))


@cache
def large(name):
    # every pair of 34 metrics would take minutes; what is tested is the room on the page
    metrics = {"simulate-size": LONG[:4], "simulate-power": LONG[:8], "plan": LONG[:10]}.get(name, LONG)
    return study(name, metrics, FOUR)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_thirty_four_metrics_and_four_criteria_fit_a_page(name, kind):
    chart = large(name).plot(kind=kind)
    drawing = svg(chart)
    width, height = size(drawing)
    assert width <= PAGE[0] + 20
    assert height <= PAGE[1] + 20
    assert overlapping(drawing) == ([], [])
    shown = " ".join(words for words, *_ in texts(drawing))
    assert all(word in shown for word in chart.omitted.replace("\n", " ").split())


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for name, kinds in ON_PAGE.items() for kind in kinds.split(",")]
)
def test_page_and_figure_draw_the_same_layers(name, kind):
    made = interactive(small(name))[kind]
    assert made.interactive()["layer"] is made.layers
    figure = small(name).plot(kind=kind).spec
    for panel in figure["concat"]:
        assert [_without_axes(layer) for layer in panel["layer"]] == [_without_axes(layer) for layer in made.layers]
        assert all(row in made.rows for row in panel["data"]["values"])


def _without_axes(layer):
    encoding = {
        name: {key: value for key, value in part.items() if key not in ("axis", "scale")}
        if isinstance(part, dict)
        else part
        for name, part in layer.get("encoding", {}).items()
    }
    return {**layer, "encoding": encoding}


def test_the_same_result_gives_the_same_bytes(tmp_path):
    for suffix in ("svg", "png", "json"):
        for copy in ("a", "b"):
            small("agree").plot(tmp_path / f"{copy}.{suffix}", dpi=60)
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()


def test_undefined_numbers_are_null_and_never_nought():
    rows = [row for panel in small("agree").plot().spec["concat"] for row in panel["data"]["values"]]
    flat = [row for row in rows if row["metric"] == "flat"]
    assert flat
    assert all(row["estimate"] is None for row in flat)
    assert "undefined" in {words for words, *_ in texts(svg(small("agree").plot()))}
    assert not any(isinstance(v, float) and math.isnan(v) for row in rows for v in row.values())
