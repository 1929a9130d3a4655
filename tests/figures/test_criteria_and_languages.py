"""Figures of criteria, downgrade and survive: what is on them, and that text never overlaps or becomes mathematics."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import metassay as ma
from metassay.errors import DataError, UnknownName, UsageError
from metassay.figures.drawing import FIGURES

pytest.importorskip("matplotlib")

from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from .test_figures import NASTY, lines_of, overlapping, texts

SHORT = ("one", "two", "flat")
LONG = tuple(f"metric-{at}-with-a-name-that-is-rather-long" for at in range(30))
CRITERIA = ("coherence", "fluency", "relevance")


def made(names=SHORT, criteria=CRITERIA, seed=0):
    """Return three annotators' grades, and metrics of which every third is constant."""
    random = np.random.default_rng(seed)
    shape = (6, 10)
    quality = random.normal(size=shape) + random.normal(size=(6, 1))
    people = {c: np.clip(np.round(3 + quality + random.normal(size=(3, *shape))), 1, 5) for c in criteria}
    noise = [random.normal(size=shape) * (5 if at % 3 else 0.3) for at in range(len(names))]
    metrics = {n: np.ones(shape) if at % 3 == 2 else quality + noise[at] for at, n in enumerate(names)}
    return ma.Scores.from_arrays(metrics, people)


def held(names=SHORT, criteria=CRITERIA):
    return ma.criteria(made(names, criteria), resamples=20)


def damaged(names=SHORT, kinds=("shuffle", "drop-words"), rates=(0.25, 0.5, 1.0)):
    before = made(names)
    after = [
        ma.Damaged(
            ma.Scores.from_arrays({n: before.matrix(n) - rate * (at + 1) for n in names}), kind, "coherence", rate
        )
        for at, kind in enumerate(kinds)
        for rate in rates
    ]
    return ma.downgrade(before, after)


def translated(names=SHORT, criteria=CRITERIA, levels=("de", "de-back", "es", "es-back")):
    first = made(names, criteria)
    random = np.random.default_rng(1)
    parts = {"en": first}
    for level in levels:
        again = {n: first.matrix(n) + random.normal(size=(6, 10)) / 9 for n in names}
        parts[level] = ma.Scores.from_arrays(again)
    return ma.survive(parts, resamples=24, resample="points")


MAKERS = {"criteria": held, "downgrade": damaged, "survive": translated}
CASES = [(study, kind) for study in MAKERS for kind in FIGURES[study]]


@pytest.fixture(scope="module")
def small():
    return {study: make() for study, make in MAKERS.items()}


@cache
def large(study):
    return damaged(LONG) if study == "downgrade" else MAKERS[study](LONG, CRITERIA[:2])


@cache
def nasty(study):
    names, people = NASTY[:4], ("human $y$", "x" * 300)
    if study == "downgrade":
        return damaged(names, ("$k_1$", "two\nlines", "y" * 300), (0.5, 1.0))
    return held(names, people) if study == "criteria" else translated(names, people, ("$z$", "$z$-back", "level-" * 40))


@pytest.mark.parametrize(("study", "kind"), CASES)
def test_text_never_overlaps_and_files_are_written(small, study, kind, tmp_path):
    figure = small[study].plot(tmp_path / "figure.png", kind=kind, dpi=50)
    assert overlapping(figure) == ([], [])
    assert (tmp_path / "figure.png").stat().st_size > 1000


@pytest.mark.parametrize(("study", "kind"), CASES)
def test_thirty_metrics_with_long_names_fit(study, kind):
    options = {"metric": ",".join(LONG[:12])} if (study, kind) == ("downgrade", "sensitivity") else {}
    figure = large(study).plot(kind=kind, **options)
    assert overlapping(figure) == ([], [])
    assert figure.get_size_inches()[0] < 8


@pytest.mark.parametrize(("study", "kind"), CASES)
def test_names_are_text_and_never_mathematics(study, kind):
    figure = nasty(study).plot(kind=kind)
    assert overlapping(figure) == ([], [])
    with_sign = [t for t in texts(figure) if "$" in t.get_text()]
    assert with_sign
    assert not any(t._preprocess_math(t.get_text())[1] is True for t in with_sign)


def outlined(axes):
    return [p for p in axes.patches if isinstance(p, Rectangle) and not p.get_fill()]


def hatched(axes):
    return [p for p in axes.patches if p.get_hatch()]


def test_the_map_has_a_number_in_each_defined_cell(small):
    result = small["criteria"]
    figure = result.plot()
    assert len(figure.axes) == 3
    rows = [r for r in result.table if r.metric is not None and r.method == "bucket"]
    for axes, anchor in zip(figure.axes, CRITERIA, strict=True):
        mine = [r for r in rows if r.anchor == anchor]
        defined = [r for r in mine if not math.isnan(r.relative_difference)]
        assert sorted(t.get_text() for t in axes.texts) == sorted(f"{r.relative_difference:.2f}" for r in defined)
        assert len(hatched(axes)) == len(mine) - len(defined) == 2  # the constant metric, with both other criteria
        assert len(outlined(axes)) == sum(r.verdict == "vanishes" for r in mine)
        assert axes.get_title(loc="left").startswith(anchor)


def test_agreement_that_vanishes_is_outlined_and_crossed(small):
    table = [replace(r, verdict="vanishes") if r.metric == "one" else r for r in small["criteria"].table]
    result = replace(small["criteria"], table=tuple(table))
    figure = result.plot(anchor="fluency")
    assert len(figure.axes) == 1
    assert len(outlined(figure.axes[0])) == 2
    assert "agreement vanishes" in lines_of(figure)
    axes = result.plot(kind="dumbbells", human="coherence", anchor="fluency").axes[0]
    assert [line.get_marker() for line in axes.lines].count("X") == 1


def test_dumbbells_join_the_two_correlations(small):
    result = small["criteria"]
    figure = result.plot(kind="dumbbells", method="partial")
    assert len(figure.axes) == 6
    axes = figure.axes[0]
    row = next(r for r in result.table if (r.metric, r.method) == ("one", "partial"))
    assert axes.get_title(loc="left") == f"{row.criterion}\nfixed: {row.anchor}"
    assert list(axes.lines[0].get_xdata()) == [row.estimate, row.estimate_within]
    assert [t.get_text() for t in axes.texts] == ["undefined"]  # the constant metric


def test_criteria_are_shown_over_systems_all_outputs_and_buckets(small):
    result = small["criteria"]
    axes = result.plot(kind="criteria").axes
    assert [a.get_title(loc="left").split("\n")[1] for a in axes] == ["systems", "all outputs", "in buckets of columns"]
    pairs = [r for r in result.table if r.metric is None and r.level == "global"]
    assert sorted(t.get_text() for t in axes[1].texts) == sorted(f"{r.estimate:.2f}" for r in pairs)
    assert sorted(t.get_text() for t in axes[2].texts) == sorted(
        f"{r.estimate_within:.2f}".replace("-", "−") for r in pairs
    )


def test_one_criterion_and_another_column_have_no_table_of_criteria():
    result = ma.criteria(made(), human="fluency", anchor="one", metric="two", resamples=20)
    assert result.plot().axes[0].get_title(loc="left").startswith("one")
    without = replace(result, table=tuple(r for r in result.table if r.metric is not None))
    with pytest.raises(DataError, match="no two human criteria"):
        without.plot(kind="criteria")
    with pytest.raises(DataError, match="no metric"):
        replace(result, table=()).plot()
    with pytest.raises(UnknownName, match="method"):
        result.plot(method="bukket")


def test_cells_tell_how_many_systems_were_noticed(small):
    result = small["downgrade"]
    axes = result.plot().axes[0]
    defined = [c for c in result.counts if not math.isnan(c.share)]
    assert [t.get_text() for t in axes.texts] == [f"{c.n_noticed}/{c.n_testable}" for c in defined]
    assert len(hatched(axes)) == 6  # the constant metric, two kinds at three rates
    assert [t.get_text() for t in axes.get_xticklabels()][:2] == ["shuffle 25%", "shuffle 50%"]
    one_rate = damaged(rates=(1.0,))
    assert [t.get_text() for t in one_rate.plot().axes[0].get_xticklabels()] == ["shuffle", "drop-words"]
    with pytest.raises(DataError, match="several rates"):
        one_rate.plot(kind="sensitivity")


def test_sensitivity_is_a_curve_for_each_kind(small):
    result = small["downgrade"]
    figure = result.plot(kind="sensitivity")
    assert len(figure.axes) == 3
    shares = [c.share for c in result.counts if (c.metric, c.kind) == ("one", "drop-words")]
    assert list(figure.axes[0].lines[1].get_ydata()) == shares
    looks = {(line.get_marker(), line.get_linestyle()) for line in figure.axes[0].lines}
    assert len(looks) == 2  # told apart without colours
    assert "undefined" in [t.get_text() for t in figure.axes[2].texts]


def test_thirty_curves_are_too_many():
    with pytest.raises(UsageError, match="30 panels do not fit one figure, 12 do; choose with --metric"):
        large("downgrade").plot(kind="sensitivity")


def test_bars_end_at_the_correlations(small):
    result = small["survive"]
    figure = result.plot(kind="agreement", human="fluency", language="en,es")
    axes = figure.axes[0]
    ends = [line.get_xdata()[1] for line in axes.lines if len(line.get_xdata()) == 2 and line.get_linewidth() > 1]
    wanted = [
        r.estimate
        for metric in SHORT
        for r in result.agreement
        if (r.metric, r.criterion) == (metric, "fluency") and r.language in ("en", "es")
    ]
    assert ends == [value for value in wanted if not math.isnan(value)]
    assert {"en", "es"} <= set(lines_of(figure).split("\n"))
    assert "de" not in lines_of(figure).split("\n")


def test_levels_have_marks_of_their_own(small):
    axes = small["survive"].plot(kind="across").axes[0]
    marks = {line.get_marker() for line in axes.lines} - {"None", None, ""}
    assert len(marks) == 4
    with pytest.raises(UnknownName, match="language"):
        small["survive"].plot(kind="across", language="fi")


def test_more_series_than_marks_still_look_different():
    from metassay.figures.stems import look

    assert len({look(at) for at in range(120)}) == 120


def test_margins_are_marks_of_two_kinds(small):
    result = small["survive"]
    figure = result.plot(kind="margins")
    axes = figure.axes[0]
    mine = [r for r in result.margins if r.criterion == "coherence"]
    np.testing.assert_array_equal(axes.lines[0].get_xdata(), [r.sd for r in mine])
    np.testing.assert_array_equal(axes.lines[1].get_xdata(), [r.range for r in mine])
    assert axes.lines[0].get_marker() != axes.lines[1].get_marker()
    assert "constant margin, 0.05" in lines_of(figure)
    with pytest.raises(UsageError, match="two or more annotators"):
        replace(result, margins=()).plot(kind="margins")


def test_dominance_tells_levels_by_marks_and_criteria_by_filling():
    result = translated(("one", "two", "flat", "three"))
    shifts = tuple(replace(s, shift=0.1 + 0.01 * at, shift_back=0.05) for at, s in enumerate(result.shifts))
    axes = replace(result, shifts=shifts).plot(kind="dominance").axes[0]
    points = [line for line in axes.lines if line.get_marker() not in ("None", None, "")]
    assert len(points) == len(shifts) == 6
    assert len({line.get_marker() for line in points}) == 2
    assert len({line.get_fillstyle() for line in points}) == 3


def test_components_are_numbered(small):
    axes = small["survive"].plot(kind="components").axes[0]
    marks = [line.get_marker() for line in axes.lines]
    seen = {r.name for r in small["survive"].components if r.kind == "metric"}
    for number in range(1, len(seen) + 1):
        assert f"${number}$" in marks
    assert r"$\mathbf{A}$" in marks


def test_shades_get_darker_so_that_they_read_in_greyscale():
    from matplotlib import colormaps

    from metassay.figures.cells import DARKEST, SHADES

    shades = colormaps[SHADES](np.linspace(0, DARKEST, 20))[:, :3] @ [0.299, 0.587, 0.114]
    assert (np.diff(shades) < 0).all()
    assert to_hex(colormaps[SHADES](0.0)) == "#f7fbff"
