"""The chart as an object: files, notebooks, options, and what is said when something is wrong."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

import metassay as ma
from metassay.charts.chart import KINDS
from metassay.charts.panels import extent, figure
from metassay.errors import DataError, UnknownName, UsageError
from metassay.report.views import VIEWS

from .conftest import scores, small, study
from .drawn import size, svg, texts

pytest.importorskip("vl_convert")


def rows_of(chart):
    return [row for panel in chart.spec["concat"] for row in panel["data"]["values"]]


def test_a_notebook_shows_it():
    chart = small("agree").plot()
    bundle = chart._repr_mimebundle_()
    assert bundle["application/vnd.vegalite.v5+json"] is chart.spec
    assert ET.fromstring(bundle["image/svg+xml"]).tag.endswith("svg")
    assert "Correlation of each metric" in bundle["text/plain"]


def test_without_the_converter_a_notebook_still_shows_it_and_files_say_how(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    chart = small("agree").plot(tmp_path / "chart.json")
    assert set(chart._repr_mimebundle_()) == {"application/vnd.vegalite.v5+json", "text/plain"}
    with pytest.raises(UsageError, match=r"pip install 'metassay\[figures\]'"):
        chart.save(tmp_path / "chart.png")
    assert [path.name for path in tmp_path.iterdir()] == ["chart.json"]


def test_the_title_is_ones_own_or_none():
    assert "my title" in {words for words, *_ in texts(svg(small("agree").plot(title="my title")))}
    bare = {words for words, *_ in texts(svg(small("agree").plot(title="")))}
    assert not any(words.startswith("Correlation of each metric") for words in bare)
    assert any("dot: estimate" in words for words in bare)


def test_wrong_names_are_told(tmp_path):
    with pytest.raises(UsageError, match=r"end the name in one of \.png, \.svg, \.pdf, \.json"):
        small("agree").plot(tmp_path / "x.jpg")
    with pytest.raises(UnknownName, match="intervals, map"):
        small("difficulty").plot(kind="mapp")
    with pytest.raises(UnknownName, match="metric"):
        small("agree").plot(metric="no such")
    with pytest.raises(UsageError, match="no option 'colour'; it can be chosen by metric, human"):
        small("agree").plot(colour="red")
    with pytest.raises(UnknownName, match="input"):
        small("difficulty").plot(input="no such")
    with pytest.raises(UsageError, match="components must be two different ones of 1, 2"):
        small("profile").plot(components=(1, 1))
    with pytest.raises(DataError, match="two components"):
        ma.profile(scores(), components=1).plot()
    with pytest.raises(UsageError, match=r"look has no figure; studies that have one: agree, .*, simulate-coverage, "):
        ma.look(scores()).plot()


def test_the_kinds_of_a_study_are_the_functions_of_its_module():
    assert KINDS["agree"] == ("forest", "violins")
    assert KINDS["judge-votes"] == ("agreement",)
    assert "chart" not in KINDS
    assert "panels" not in KINDS
    assert VIEWS["drift"] == ("table", "intervals", "requirements")  # the last one is taken from another module
    assert VIEWS["pairs"][0] == "list"
    assert "generic" not in VIEWS
    assert len(KINDS) == len(list(KINDS)) > 25


def test_a_figure_that_cannot_be_drawn_leaves_the_file_alone(tmp_path):
    path = tmp_path / "old.png"
    path.write_bytes(b"old")
    with pytest.raises(UnknownName):
        small("agree").plot(path, metric="no such")
    assert path.read_bytes() == b"old"


def test_names_choose_what_is_drawn():
    chosen = rows_of(small("agree").plot(metric="two", level="input"))
    assert {(row["metric"], row["level"]) for row in chosen} == {("two", "input")}
    both = rows_of(small("agree").plot(metric="two,one", level="input", human="coherence"))
    assert {row["metric"] for row in both} == {"one", "two"}


def test_what_does_not_fit_is_said(tmp_path):
    result = study("agree", tuple(f"m{at:03}" for at in range(120)), ("coherence",))
    chart = result.plot()
    lines = {row["metric"] for row in rows_of(chart)}
    assert chart.omitted == f"Shown: {len(lines)} of 120 metrics; choose with --metric."
    assert 60 < len(lines) < 120
    best = max((r for r in result.table if r.level == "system"), key=lambda r: r.estimate)
    assert best.metric in lines
    assert chart.omitted in " ".join(words for words, *_ in texts(svg(chart)))
    assert small("agree").plot().omitted == ""


def test_dpi_sets_the_pixels_of_a_png(tmp_path):
    def width(dpi):
        small("compare").plot(tmp_path / "a.png", dpi=dpi)
        return int.from_bytes((tmp_path / "a.png").read_bytes()[16:20], "big")

    assert width(192) == pytest.approx(2 * width(96), abs=2)


def test_nothing_heavy_is_loaded_before_a_chart_is_made():
    code = (
        "import sys, metassay as ma; r = ma.difficulty(ma.example(), metric='relevance'); str(r);"
        "assert 'metassay.charts.panels' not in sys.modules; r.plot(); assert 'vl_convert' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)


def test_axes_hold_all_numbers():
    low, high = extent([{"a": 1.0, "b": None}, {"a": 3.0, "b": -1.0}], "a", "b", also=[0])
    assert low < -1
    assert high > 3
    assert extent([{"a": None}], "a") == [0.0, 1.0]


def test_panels_are_as_even_as_possible():
    from metassay.charts.agree import forest

    made = forest(study("agree", people=("a", "b", "c")))
    spec, _ = figure(made)
    assert (len(spec["concat"]), spec["columns"]) == (6, 3)


@pytest.mark.parametrize(("width", "points"), [("column", 240), ("page", 505), (300, 300)])
def test_a_figure_has_the_width_of_a_column_and_readable_type(width, points):
    for result, kind in ((small("agree"), "forest"), (small("compare"), "matrix"), (small("pairs"), "curves")):
        drawing = svg(result.plot(kind=kind, width=width))
        assert 0.75 * size(drawing)[0] <= points, kind
        assert all(0.75 * float(pixels) > 6.99 for pixels in re.findall(r'font-size="([\d.]+)px"', drawing)), kind
    with pytest.raises(UsageError, match="column, page or a number of points from 200 to 1000, got 'wide'"):
        small("agree").plot(width="wide")
