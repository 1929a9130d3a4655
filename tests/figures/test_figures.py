"""Figures: what is on them, that text never overlaps or turns into mathematics, and that files are whole."""

import builtins
import itertools
import math
import subprocess
import sys
import warnings

import numpy as np
import pytest

import metassay as ma
from metassay.errors import DataError, UnknownName, UsageError
from metassay.figures.drawing import FIGURES

mpl = pytest.importorskip("matplotlib")

NASTY = ("$x_1$", "a $ sign", r"back\slash $\alpha$", "two\nlines", "<b>&", "x" * 300, "图表", "🙂")


def made(n=8, m=12, names=("a", "b", "c"), groups=True, seed=0):
    random = np.random.default_rng(seed)
    truth = random.normal(size=(n, 1)) + random.normal(size=(n, m)) + random.normal(size=m)
    metrics = {name: truth + random.normal(size=(n, m)) * (at + 1) for at, name in enumerate(names)}
    metrics[names[0]][n - 2 :, ::2] = np.nan
    systems = [f"s{i}" for i in range(n)]
    sides = {s: "people" if i < 3 else "machines" for i, s in enumerate(systems)} if groups else None
    return ma.Scores.from_arrays(metrics, {"human": truth}, systems=systems, groups=sides)


def results(scores):
    return {
        "agree": ma.agree(scores, resamples=50),
        "compare": ma.compare(scores, resamples=50),
        "difficulty": ma.difficulty(scores),
        "profile": ma.profile(scores, resamples=50),
    }


@pytest.fixture(scope="module")
def drawn():
    return results(made())


CASES = [(study, kind) for study, kinds in FIGURES.items() for kind in kinds]
OURS = [case for case in CASES if case[0] in ("agree", "compare", "difficulty", "profile")]


def texts(figure):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that the font lacks
        FigureCanvasAgg(figure).draw()
    found = [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip()]
    return [t for t in found if t.get_figure() is not None]


def overlapping(figure):
    """Return pairs of texts whose boxes overlap by more than a sliver, and texts that leave the paper."""
    found = texts(figure)
    renderer, ghosts = figure.canvas.get_renderer(), never_drawn(figure)
    shown = []
    for text in found:
        box = text.get_window_extent(renderer)
        if box.width > 0 and id(text) not in ghosts:
            shown.append((text.get_text(), box))
    pairs = []
    for (one, a), (other, b) in itertools.combinations(shown, 2):
        wide = min(a.x1, b.x1) - max(a.x0, b.x0)
        high = min(a.y1, b.y1) - max(a.y0, b.y0)
        if wide > 1 and high > 0.25 * min(a.height, b.height):
            pairs.append((one, other))
    paper = figure.bbox
    out = [t for t, b in shown if b.x0 < -1 or b.y0 < -1 or b.x1 > paper.x1 + 1 or b.y1 > paper.y1 + 1]
    return pairs, out


def never_drawn(figure):
    """Return the labels of ticks outside the limits, which exist but are not drawn."""
    axes = [axis for panel in figure.axes for axis in (panel.xaxis, panel.yaxis)]
    drawn = {id(label) for axis in axes for tick in axis._update_ticks() for label in (tick.label1, tick.label2)}
    return {id(label) for axis in axes for tick in axis.majorTicks for label in (tick.label1, tick.label2)} - drawn


def lines_of(figure):
    return "\n".join(t.get_text() for t in texts(figure))


@pytest.mark.parametrize(("study", "kind"), OURS)
def test_text_never_overlaps(drawn, study, kind):
    pairs, out = overlapping(drawn[study].plot(kind=kind))
    assert pairs == []
    assert out == []


@pytest.mark.parametrize(("study", "kind"), OURS)
def test_many_and_long_names_make_the_figure_larger(study, kind):
    names = [f"metric-{at}-with-a-name-that-is-rather-long" for at in range(14)]
    small = results(made())[study]
    scores = made(n=30, m=40, names=names)
    large = {
        "agree": lambda: ma.agree(scores, resamples=20),
        "compare": lambda: ma.compare(scores, resamples=20, level="system"),
        "difficulty": lambda: ma.difficulty(scores, metric=names[0]),
        "profile": lambda: ma.profile(scores, resamples=20),
    }[study]()
    figure = large.plot(kind=kind)
    pairs, out = overlapping(figure)
    assert pairs == []
    assert out == []
    assert figure.get_size_inches().max() > 1.2 * small.plot(kind=kind).get_size_inches().min()


@pytest.mark.parametrize(("study", "kind"), OURS)
def test_names_are_text_and_never_mathematics(study, kind, tmp_path):
    random = np.random.default_rng(0)
    n = len(NASTY)
    values = {name: random.normal(size=(n, n)) for name in NASTY}
    scores = ma.Scores.from_arrays(values, {"human $y$": random.normal(size=(n, n))}, systems=NASTY, inputs=NASTY)
    result = {
        "agree": lambda: ma.agree(scores, level="system", resamples=20),
        "compare": lambda: ma.compare(scores, level="system", resamples=20),
        "difficulty": lambda: ma.difficulty(scores, metric=NASTY[0]),
        "profile": lambda: ma.profile(scores),
    }[study]()
    figure = result.plot(tmp_path / "figure.png", kind=kind, dpi=60)
    shown = texts(figure)
    assert not any(t.get_text() and t._preprocess_math(t.get_text())[1] is True for t in shown if "$" in t.get_text())
    assert any(t._preprocess_math(t.get_text())[0] == "$x_1$" for t in shown)


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_files_are_whole_and_the_same_each_time(drawn, tmp_path, suffix):
    first, second = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    drawn["difficulty"].plot(first, metric="a")
    drawn["difficulty"].plot(second, metric="a")
    assert first.read_bytes() == second.read_bytes()
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert first.read_bytes().startswith(start)
    assert sorted(p.name for p in tmp_path.iterdir()) == [first.name, second.name]


def test_a_figure_that_cannot_be_drawn_leaves_the_file_alone(drawn, tmp_path):
    path = tmp_path / "old.png"
    path.write_bytes(b"old")
    with pytest.raises(UnknownName):
        drawn["difficulty"].plot(path, metric="no such")
    assert path.read_bytes() == b"old"


def test_wrong_names_are_told(drawn, tmp_path, monkeypatch):
    with pytest.raises(UsageError, match=r"end the name in one of \.png, \.svg, \.pdf"):
        drawn["agree"].plot(tmp_path / "x.jpg")
    with pytest.raises(UnknownName, match="intervals, map"):
        drawn["difficulty"].plot(kind="mapp")
    monkeypatch.delitem(FIGURES, "normality")
    with pytest.raises(UsageError, match="normality has no figure"):
        ma.normality(made()).plot()
    with pytest.raises(UsageError, match="components must be two different ones of 1, 2, 3"):
        drawn["profile"].plot(components=(1, 1))
    with pytest.raises(UnknownName, match="input"):
        drawn["difficulty"].plot(input="no such")


def test_too_many_panels_are_told():
    scores = made(names=[f"m{i}" for i in range(13)])
    with pytest.raises(UsageError, match="14 panels do not fit one figure, 12 do; choose with --metric"):
        ma.difficulty(scores).plot()
    assert ma.difficulty(scores).plot(metric="m1,m2").axes


def test_one_component_is_no_biplot():
    with pytest.raises(DataError, match="two components"):
        ma.profile(made(), components=1).plot()


def test_the_users_settings_are_left_alone(drawn):
    before = dict(mpl.rcParams)
    with mpl.rc_context({"text.usetex": True, "axes.facecolor": "black", "font.size": 40}):
        mine = dict(mpl.rcParams)
        figure = drawn["agree"].plot()
        assert dict(mpl.rcParams) == mine
    assert dict(mpl.rcParams) == before
    assert mpl.colors.to_hex(figure.axes[0].get_facecolor()) == "#ffffff"


def test_pyplot_is_never_loaded():
    code = (
        "import sys, metassay as ma; r = ma.difficulty(ma.example(), metric='relevance'); str(r);"
        "assert 'matplotlib' not in sys.modules; r.plot(); assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_without_matplotlib_the_command_to_install_it_is_told(drawn, monkeypatch):
    real = builtins.__import__

    def absent(name, *args, **kwargs):
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)
    monkeypatch.setattr("metassay.figures.drawing.import_module", lambda name: absent(name))
    with pytest.raises(UsageError, match=r"pip install 'metassay\[figures\]'"):
        drawn["agree"].plot()


def test_the_intervals_mark_the_hardest_input_and_those_that_differ():
    from metassay.figures.sheet import BLUE, VERMILLION

    result = ma.difficulty(made(n=40, m=10, seed=3), metric="b")
    rows = sorted(result.table, key=lambda row: row.mean_rank)
    lines = [line for line in result.plot().axes[0].lines if len(line.get_xdata()) == 3]
    assert [line.get_xdata()[1] for line in lines] == [row.mean_rank for row in rows]
    colours = [line.get_color() for line in lines]
    assert colours[0] == BLUE
    assert colours.count(VERMILLION) == rows[0].n_differs > 0


def test_the_map_leaves_missing_cells_open():
    result = ma.difficulty(made())
    mesh = result.plot(kind="map", metric="a").axes[0].collections[0]
    assert int(np.ma.count_masked(mesh.get_array())) == int(np.isnan(result.scores["a"]).sum()) > 0
    assert "missing" in {t.get_text() for t in result.plot(kind="map", metric="a").legends[0].get_texts()}
    assert not result.plot(kind="map", metric="b").legends


def test_an_outlier_does_not_swallow_the_colours():
    values = np.random.default_rng(0).normal(size=(20, 20))
    values[0, 0] = -1000
    result = ma.difficulty(ma.Scores.from_arrays({"m": values}))
    mesh = result.plot(kind="map").axes[0].collections[0]
    assert mesh.get_clim()[0] > -10


def test_the_matrix_fills_and_outlines():
    from matplotlib.patches import Rectangle

    from metassay.figures.sheet import BLUE, ORANGE

    result = ma.compare(made(n=20, m=30), level="system", test="williams", coefficient="pearson")
    patches = [p for p in result.plot().axes[0].patches if isinstance(p, Rectangle)]

    def coloured(get, colour):
        return sum(mpl.colors.to_hex(get(p)) == colour.lower() for p in patches)

    assert coloured(lambda p: p.get_facecolor(), BLUE) == sum(row.significant for row in result.table) > 0
    outlined = [p for p in patches if not p.get_fill()]
    assert all(mpl.colors.to_hex(p.get_edgecolor()) == ORANGE.lower() for p in outlined)
    assert len(outlined) == sum(row.significant_corrected for row in result.table)


def test_undefined_agreement_is_said_and_not_drawn():
    values = np.random.default_rng(0).normal(size=(6, 5))
    scores = ma.Scores.from_arrays({"flat": np.ones((6, 5)), "m": values}, {"human": values})
    result = ma.agree(scores, level="system", resamples=50)
    assert math.isnan(next(r.estimate for r in result.table if r.metric == "flat"))
    assert "undefined" in lines_of(result.plot())
