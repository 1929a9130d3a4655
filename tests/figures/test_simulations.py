"""Figures of simulations and plans: what is on them, and that text never overlaps or becomes mathematics."""

import math
from dataclasses import replace

import numpy as np
import pytest

import metassay as ma
from metassay.errors import UnknownName, UsageError
from metassay.figures.drawing import FIGURES

pytest.importorskip("matplotlib")

from matplotlib.patches import Rectangle

from .test_figures import NASTY, lines_of, overlapping, texts

SHORT = ("one", "two")
LONG = tuple(f"metric-{at}-with-a-name-that-is-rather-long" for at in range(30))


def made(names=SHORT, people=("relevance",)):
    random = np.random.default_rng(0)
    shape = (8, 10)
    quality = random.normal(size=shape) + random.normal(size=(8, 1))
    grades = {c: np.clip(np.round(3 + quality + random.normal(size=(2, *shape))), 1, 5) for c in people}
    return ma.Scores.from_arrays({n: quality + random.normal(size=shape) for n in names}, grades)


def coverage(names=SHORT, people=("relevance",)):
    return ma.simulate_coverage(made(names, people), trials=8, resamples=10)


def size(names=SHORT, people=("relevance",), **options):
    tests = "williams,two-way,perm-both"
    return ma.simulate_size(made(names[:3], people), test=tests, trials=10, resamples=19, **options)


def plan(names=SHORT, people=("relevance",)):
    return ma.plan(made(names, people), trials=50)


MAKERS = {"simulate-coverage": coverage, "simulate-size": size, "plan": plan}
CASES = [(study, kind) for study in MAKERS for kind in FIGURES[study]]


@pytest.fixture(scope="module")
def small():
    return {study: make() for study, make in MAKERS.items()}


@pytest.mark.parametrize(("study", "kind"), CASES)
def test_text_never_overlaps_and_files_are_written(small, study, kind, tmp_path):
    figure = small[study].plot(tmp_path / "figure.svg", kind=kind)
    assert overlapping(figure) == ([], [])
    assert (tmp_path / "figure.svg").stat().st_size > 1000
    assert figure.get_size_inches()[0] < 4.2


@pytest.mark.parametrize(("study", "kind"), CASES)
def test_many_and_long_names_fit(study, kind):
    result = MAKERS[study](LONG[:8] if study == "plan" else LONG, ("relevance", "a criterion " * 20))
    figure = result.plot(kind=kind)
    assert overlapping(figure) == ([], [])
    assert figure.get_size_inches()[0] < 8


@pytest.mark.parametrize(("study", "kind"), CASES)
def test_names_are_text_and_never_mathematics(study, kind):
    figure = MAKERS[study](NASTY[:3], ("human $y$",)).plot(kind=kind)
    assert overlapping(figure) == ([], [])
    with_sign = [t for t in texts(figure) if "$" in t.get_text()]
    assert with_sign
    assert not any(t._preprocess_math(t.get_text())[1] is True for t in with_sign)


def bars_of(axes):
    """Return start and end of every bar from the top."""
    return [tuple(line.get_xdata()) for line in axes.lines if line.get_alpha() == 0.3]


def test_coverage_bars_go_from_the_promise_to_the_rate(small):
    result = small["simulate-coverage"]
    figure = result.plot()
    assert len(figure.axes) == 2  # system and input level
    mine = [r for r in result.table if r.level == "system" and not math.isnan(r.rate)]
    assert bars_of(figure.axes[0]) == [(0.95, r.rate) for r in mine]
    shown = lines_of(figure)
    for text in ("0.95 promised", "boot-both", "relevance\nsystem, Pearson", "one", "two"):
        assert text in shown


def test_undefined_coverage_is_told(small):
    result = small["simulate-coverage"]
    table = [replace(r, rate=math.nan, low=math.nan, high=math.nan) if r.metric == "two" else r for r in result.table]
    figure = replace(result, table=tuple(table)).plot()
    assert overlapping(figure) == ([], [])
    assert [t.get_text() for t in figure.axes[0].texts] == ["undefined"]


def test_errors_and_power_have_panels_of_their_own(small):
    result = small["simulate-size"]
    figure = result.plot()
    errors, power = figure.axes
    assert errors.get_title(loc="left") == "equally good, Pearson"
    assert power.get_xlabel() == "power"
    assert bars_of(errors) == [(0.0, r.rate) for r in result.table if r.equal]
    assert bars_of(power) == [(0.0, r.rate) for r in result.table if not r.equal]
    dashed = [line for line in errors.lines if line.get_linestyle() == "--"]
    assert [list(line.get_xdata()) for line in dashed] == [[0.05, 0.05]]
    assert not [line for line in power.lines if line.get_linestyle() == "--"]


def test_tests_that_reject_too_often_are_hollow_and_outlined(small):
    result = small["simulate-size"]
    table = [replace(r, holds=r.test != "perm-both") if r.equal else r for r in result.table]
    result = replace(result, table=tuple(table))
    figure = result.plot()
    hollow = [line for line in figure.axes[0].lines if line.get_marker() == "^"]
    assert [line.get_markerfacecolor() for line in hollow] == ["white"]
    assert "hollow: rejects too often" in lines_of(figure)
    axes = result.plot(kind="map").axes[0]
    outlined = [p for p in axes.patches if isinstance(p, Rectangle) and not p.get_fill()]
    assert len(outlined) == 1
    numbers = [t.get_text() for t in axes.texts if not t.get_text().endswith(("errors", "power"))]
    assert numbers == [f"{r.rate:.2f}" for equal in (True, False) for r in result.table if r.equal == equal]


@pytest.mark.parametrize("kind", FIGURES["simulate-size"])
def test_worlds_fitted_to_long_names_are_told_apart(kind):
    figure = size(LONG).plot(kind=kind)
    named = [t.get_text() for t in figure.axes[0].get_yticklabels() if " / " in t.get_text()]
    assert len(set(named)) == 3


def test_names_that_are_alike_once_cut_are_told_apart():
    from metassay.figures.sheet import told_apart, width_of

    names = ["a" * 90 + "1" + "b" * 90, "a" * 90 + "2" + "b" * 90, "short", "x" * 250, "x" * 260]
    labels = told_apart(names, 1.0)
    assert len(set(labels.values())) == 5
    assert labels["short"] == "short"
    assert labels[names[0]].startswith("…1")
    assert labels[names[4]].endswith("(2)")
    assert max(width_of(label) for label in labels.values()) <= 1.0


def test_worlds_of_the_grid_are_named():
    result = ma.simulate_size(
        world=["equal: 8 systems", "differ: own 0.3 and 0.9"], test="williams", coefficient="pearson,kendall", trials=5
    )
    for kind, panels in (("bars", 4), ("map", 2)):
        figure = result.plot(kind=kind)
        assert len(figure.axes) == panels
        assert overlapping(figure) == ([], [])
        assert {"8 systems", "own 0.3 and 0.9"} <= set(lines_of(figure).split("\n"))


def test_plans_are_curves_over_each_axis(small):
    result = small["plan"]
    figure = result.plot()
    axes = list(dict.fromkeys(r.axis for r in result.table))
    assert [panel.get_xlabel() for panel in figure.axes] == axes == ["inputs", "systems", "annotators"]
    first = [r for r in result.table if (r.metric, r.axis) == ("one", "inputs")]
    curve = figure.axes[0].lines[0]
    assert list(curve.get_xdata()) == [r.n for r in first]
    assert list(curve.get_ydata()) == [r.width for r in first]
    beyond = [
        line for line in figure.axes[0].lines if line.get_marker() == "o" and line.get_markerfacecolor() == "white"
    ]
    assert len(beyond) == sum(r.extrapolated for r in first)
    crosses = [x for line in figure.axes[0].lines if line.get_marker() == "x" for x in line.get_ydata()]
    rows = [r for r in result.table if r.axis == "inputs" and not math.isnan(r.width_data)]
    assert sorted(crosses) == sorted(r.width_data for r in rows)
    assert "width wanted, 0.2" in lines_of(figure)


def test_a_planned_power_is_drawn():
    figure = ma.plan(made(), metric="one", metric_b="two", trials=50).plot()
    assert overlapping(figure) == ([], [])
    assert "power wanted, 0.8" in lines_of(figure)
    assert any("better than" in t.get_text() for t in texts(figure))


def test_too_many_curves_are_told(small):
    result = small["plan"]
    more = tuple(replace(r, metric=f"{r.metric}{at}") for at in range(5) for r in result.table)
    with pytest.raises(UsageError, match="10 curves do not fit one panel, 8 do; choose with --metric"):
        replace(result, table=more).plot()
    assert replace(result, table=more).plot(metric="one1,two3").axes
    with pytest.raises(UnknownName, match="metric"):
        result.plot(metric="three")
