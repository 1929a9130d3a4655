"""Figures of agreement and of systems: what is on them, from what, and that text never overlaps."""

import math
from functools import cache

import numpy as np
import pytest

import metassay as ma
from figures.test_figures import NASTY, made, overlapping
from metassay.errors import UnknownName, UsageError
from metassay.figures.drawing import FIGURES

mpl = pytest.importorskip("matplotlib")

MINE = ("agree", "compare", "decisions", "normality", "pairs", "precision", "stability", "systems", "widths")
CASES = [(study, kind) for study in MINE for kind in FIGURES[study]]
LONG = [f"metric-{at}-with-a-name-that-is-rather-long-{at}" for at in range(30)]


def texts(figure):
    from matplotlib.text import Text

    return [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip()]


def lines_of(figure):
    return "\n".join(t.get_text() for t in texts(figure))


def study(name, scores, **options):
    """Return a small result of a study; a few inputs stand for those that people annotated."""
    few = {"resamples": 20}
    return {
        "agree": lambda: ma.agree(scores, **few, **options),
        "compare": lambda: ma.compare(scores, level="system", test="williams", coefficient="pearson", **options),
        "decisions": lambda: ma.decisions(scores, **few, **options),
        "normality": lambda: ma.normality(scores, **options),
        "pairs": lambda: ma.pairs(scores, triangle=True, **few, **options),
        "precision": lambda: ma.precision(scores, annotated=5, **few, **options),
        "stability": lambda: ma.stability(scores, draws=10, sizes=[2, 4, 8], **options),
        "systems": lambda: ma.systems(scores, correction="holm", test="paired-t,wilcoxon", **options),
        "widths": lambda: ma.widths(scores, annotated=5, **few, **options),
    }[name]()


@pytest.fixture(scope="module")
def small():
    scores = made()
    return {name: study(name, scores) for name in MINE}


@cache
def large(name):
    # every pair of systems by every metric does not fit one figure
    return study(name, made(n=6, m=10, names=LONG), **({"metric": LONG[:3]} if name == "systems" else {}))


STRUCTURE = {
    # panels without colour bars, and entries of the legend
    ("agree", "forest"): (2, 0),
    ("agree", "violins"): (2, 0),
    ("compare", "matrix"): (1, 2),
    ("decisions", "bars"): (1, 6),
    ("normality", "bars"): (2, 3),
    ("pairs", "curves"): (3, 2),
    ("pairs", "chance"): (3, 3),
    ("pairs", "triangle"): (3, 0),
    ("precision", "intervals"): (4, 2),
    ("stability", "curves"): (1, 4),
    ("systems", "bars"): (2, 2),
    ("systems", "matrix"): (8, 3),
    ("widths", "intervals"): (3, 2),
}


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_the_structure_is_the_stored_one_and_text_never_overlaps(small, name, kind):
    figure = small[name].plot(kind=kind)
    assert overlapping(figure) == ([], [])
    panels = [axes for axes in figure.axes if not hasattr(axes, "_colorbar")]
    entries = sum(len(legend.get_texts()) for legend in figure.legends)
    assert (len(panels), entries) == STRUCTURE[name, kind]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_thirty_metrics_of_long_names(name, kind):
    figure = large(name).plot(kind=kind)
    assert overlapping(figure) == ([], [])
    shown = lines_of(figure)
    assert all(f"metric-{at}" in shown for at in range(3 if name == "systems" else 30))


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_hostile_names_are_text(name, kind):
    random = np.random.default_rng(0)
    n = len(NASTY)
    values = {metric: random.normal(size=(n, n)) for metric in NASTY}
    scores = ma.Scores.from_arrays(values, {"human $y$": random.normal(size=(n, n))}, systems=NASTY)
    result = study(name, scores, metric="$x_1$") if name == "systems" else study(name, scores)
    figure = result.plot(kind=kind)
    assert overlapping(figure)[1] == []
    shown = texts(figure)
    assert not any(t._preprocess_math(t.get_text())[1] is True for t in shown if "$" in t.get_text())
    assert any("$x_1$" in t._preprocess_math(t.get_text())[0] for t in shown)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_undefined_values_are_told_or_left_open(name, kind):
    random = np.random.default_rng(0)
    values, flat = random.normal(size=(6, 10)), np.ones((6, 10))
    empty = np.full((6, 10), np.nan)
    empty[0, 0] = 1.0
    metrics = {"flat": flat, "m": values} | ({"empty": empty} if name in ("precision", "systems") else {})
    scores = ma.Scores.from_arrays(metrics, {"human": values + random.normal(size=(6, 10))})
    figure = study(name, scores).plot(kind=kind)
    assert overlapping(figure) == ([], [])
    told = "cannot be tested" if (name, kind) == ("systems", "bars") else "undefined"
    if name == "decisions":  # a metric that never differs never decides: that is defined
        told = "neither finds a difference"
    assert told in lines_of(figure)


@pytest.mark.parametrize("name", ["agree", "decisions", "pairs", "stability", "widths"])
def test_one_metric_is_enough(name):
    scores = made(names=("only",), groups=False)
    for kind in FIGURES[name]:
        assert overlapping(study(name, scores).plot(kind=kind)) == ([], [])


def test_violins_show_the_resamples(small):
    result = small["agree"]
    figure = result.plot(kind="violins")
    for panel, level in zip(figure.axes, ("system", "input"), strict=True):
        here = [(r, s) for r, s in zip(result.table, result.samples, strict=True) if r.level == level]
        assert len(panel.collections) == len(here)
        ends = sorted(
            (p.get_paths()[0].vertices[:, 0].min(), p.get_paths()[0].vertices[:, 0].max()) for p in panel.collections
        )
        assert ends == pytest.approx(np.array(sorted((np.nanmin(s), np.nanmax(s)) for _, s in here)))
        lines = {tuple(line.get_xdata()) for line in panel.lines}
        assert {(r.low, r.high) for r, _ in here} <= lines
        assert {(r.estimate,) for r, _ in here} <= lines


def test_violins_need_resamples():
    result = ma.agree(made(), level="system", coefficient="pearson", interval="fisher")
    with pytest.raises(
        UsageError, match="violins needs resamples of the correlation, and the interval fisher has none"
    ):
        result.plot(kind="violins")
    assert result.plot().axes


def test_the_legend_of_a_small_matrix_stays_on_the_paper():
    result = ma.compare(made(names=("a", "b")), level="system", resamples=20)
    assert overlapping(result.plot())[1] == []


def test_curves_over_the_closest_pairs(small):
    result = small["pairs"]
    panels = result.plot(kind="curves", metric="b").axes
    rows = [r for r in result.table if (r.kind, r.metric) == ("share", "b")]
    curve = next(line for line in panels[0].lines if len(line.get_xdata()) == len(rows))
    assert curve.get_xdata() == pytest.approx([100 * r.share for r in rows])
    assert curve.get_ydata() == pytest.approx([r.estimate for r in rows], nan_ok=True)
    assert f"{rows[-1].upper:.2g}" in lines_of(result.plot(kind="curves", metric="b"))  # u of all pairs stands on top


def test_the_chance_starts_even_and_marks_what_is_needed(small):
    result = small["pairs"]
    axes = result.plot(kind="chance", metric="b").axes[0]
    curve = max(axes.lines, key=lambda line: len(line.get_xdata()))
    assert curve.get_ydata()[0] == 0.5
    fit = next(c for c in result.curves if c.metric == "b")
    assert curve.get_xdata()[-1] == pytest.approx(fit.largest)
    assert curve.get_ydata()[-1] == pytest.approx(fit.chance(fit.largest)[0])
    needed = [r for r in result.table if (r.kind, r.metric) == ("needed", "b") and r.estimate <= fit.largest]
    marks = [(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines if line.get_marker() == "D"]
    assert marks == [(r.estimate, r.agreement) for r in needed]
    assert marks


def test_the_triangle_has_all_pairs_at_the_top_right(small):
    result = small["pairs"]
    mesh = result.plot(kind="triangle", metric="b").axes[0].collections[0]
    cells = mesh.get_array().reshape(10, 10)
    assert np.ma.getmaskarray(cells)[np.tril_indices(10, -1)].all()
    rows = {
        (round(10 * r.share_below), round(10 * (r.share_below + r.share)) - 1): r.estimate
        for r in result.table
        if (r.kind, r.metric) == ("triangle", "b")
    }
    assert len(rows) == 55
    for (y, x), estimate in rows.items():
        assert math.isnan(estimate) if np.ma.getmaskarray(cells)[y, x] else cells[y, x] == estimate
    overall = next(r.estimate for r in result.table if (r.kind, r.share, r.metric) == ("share", 1.0, "b"))
    assert cells[0, 9] == overall


def test_figures_of_pairs_say_what_they_need():
    result = ma.pairs(made(), shares=None, curve=True, resamples=20)
    with pytest.raises(UsageError, match="the figure curves needs shares"):
        result.plot()
    with pytest.raises(UsageError, match="the figure triangle needs the triangle; ask for it with --triangle 10"):
        result.plot(kind="triangle")
    with pytest.raises(UsageError, match="the figure chance needs the fitted curve"):
        ma.pairs(made(), curve=False, resamples=20).plot(kind="chance")
    with pytest.raises(UnknownName, match="metric"):
        result.plot(kind="chance", metric="no such")


def test_few_stability_curves_share_a_panel_and_many_do_not(small):
    result = small["stability"]
    axes = result.plot().axes[0]
    for name in ("human", "a", "b", "c"):
        means = [r.mean for r in result.table if r.name == name]
        assert any(len(line.get_ydata()) == 3 and line.get_ydata() == pytest.approx(means) for line in axes.lines)
    looks = [(line.get_marker(), line.get_linestyle()) for line in axes.lines if len(line.get_xdata()) == 3]
    assert len(set(looks)) == 4  # without colours too
    many = study("stability", made(names=[f"m{at}" for at in range(7)])).plot()
    assert len(many.axes) == 7
    people = [r.mean for r in result.table if r.name == "human"]
    assert all(len(p.lines) >= 2 for p in many.axes)
    assert any(
        list(line.get_ydata()) == pytest.approx(people) for line in many.axes[6].lines if len(line.get_xdata()) == 3
    )


def test_precision_draws_both_sets_of_inputs(small):
    result = small["precision"]
    axes = result.plot(metric="b").axes[0]
    drawn = sorted(tuple(line.get_xdata()) for line in axes.lines if len(line.get_xdata()) == 3)
    assert drawn == sorted((r.low, r.estimate, r.high) for r in result.table if r.metric == "b")
    means = {r.system: r.estimate for r in result.table if (r.metric, r.inputs) == ("b", "all")}
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == sorted(means, key=lambda s: -means[s])


def test_widths_draws_pairs_of_intervals(small):
    result = small["widths"]
    figure = result.plot()
    for axes, method in zip(figure.axes, ("boot-systems", "boot-inputs", "boot-both"), strict=True):
        rows = [r for r in result.table if r.interval == method]
        drawn = {tuple(line.get_xdata()) for line in axes.lines if len(line.get_xdata()) == 3}
        assert drawn == {
            t for r in rows for t in ((r.low_a, r.estimate_a, r.high_a), (r.low_t, r.estimate_t, r.high_t))
        }
    assert "annotated inputs, 5" in lines_of(figure)


def test_the_matrix_of_systems_fills_the_better_row():
    from metassay.figures.sheet import BLUE, ORANGE

    result = ma.systems(made(n=8, m=40), metric="b", test="wilcoxon", correction="holm")
    axes = result.plot(kind="matrix").axes[0]
    order = [label.get_text() for label in axes.get_yticklabels()]
    filled, outlined = set(), 0
    for patch in axes.patches:
        if patch.get_fill() and mpl.colors.to_hex(patch.get_facecolor()) == BLUE.lower():
            filled.add((order[round(patch.get_y() + 0.5)], order[round(patch.get_x() + 0.5)]))
        outlined += not patch.get_fill() and mpl.colors.to_hex(patch.get_edgecolor()) == ORANGE.lower()
    ordered = {
        (r.system_a, r.system_b) if r.statistic > 0 else (r.system_b, r.system_a) for r in result.table if r.significant
    }
    assert filled == ordered != set()
    assert outlined == sum(r.significant_corrected for r in result.table)
    # the other alternatives say the same of the same pairs, each with a test of one side
    for alternative in ("greater", "less"):
        one = ma.systems(made(n=8, m=40), metric="b", test="wilcoxon", alternative=alternative, alpha=0.025)
        patches = one.plot(kind="matrix").axes[0].patches
        assert sum(mpl.colors.to_hex(p.get_facecolor()) == BLUE.lower() for p in patches) == sum(
            r.significant for r in one.table
        )


def test_bars_of_systems_are_shares_of_all_pairs(small):
    result = small["systems"]
    axes = result.plot().axes[0]
    count = next(c for c in result.counts if c.group_a is None and c.metric == "human")
    first = axes.containers[0].patches[0]
    assert first.get_width() == pytest.approx(100 * count.n_significant_corrected / count.n_pairs)


def test_bars_of_decisions_add_up(small):
    result = small["decisions"]
    axes = result.plot().axes[0]
    bars = [patch for container in axes.containers for patch in container.patches]
    best = max(result.table, key=lambda r: r.agreement)
    top = [patch for patch in bars if abs(patch.get_y() + patch.get_height() / 2) < 1e-9]
    assert sum(patch.get_width() for patch in top) == pytest.approx(100)
    ends = {tuple(line.get_xdata()) for line in axes.lines}
    assert (100 * best.low, 100 * best.high) in ends


def test_too_many_pairs_of_systems_are_told():
    result = ma.systems(made(names=[f"m{at}" for at in range(5)]))
    with pytest.raises(UsageError, match="18 panels do not fit one figure, 12 do; choose with --metric"):
        result.plot(kind="matrix")
    assert len(result.plot(kind="matrix", metric="m1", test="wilcoxon").axes) == 1


def test_published_data_is_drawn_with_all_its_metrics(shared_data):
    scores = ma.read(shared_data / "summeval" / "scores")
    result = ma.agree(scores, human="expert_relevance", level="system", resamples=50)
    figure = result.plot(kind="violins")
    assert overlapping(figure) == ([], [])
    assert len(figure.axes[0].collections) == len(scores.metrics) > 30
