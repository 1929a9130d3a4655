import warnings

import numpy as np
import pytest

import metassay as ma
from metassay.errors import UsageError
from metassay.figures.drawing import FIGURES

pytest.importorskip("matplotlib")

from .test_figures import lines_of, overlapping


def result(names=("one", "two"), criteria=("relevance", "fluency"), levels=("es", "es-back"), **options):
    random = np.random.default_rng(0)
    shape = (6, 12)
    quality = random.normal(size=shape)
    people = {c: np.clip(np.round(3 + quality + random.normal(size=(2, *shape))), 1, 5) for c in criteria}
    first = {n: quality * 9.0**-at + random.normal(size=shape) / 3 for at, n in enumerate(names)}
    parts = {"en": ma.Scores.from_arrays(first, people)}
    for level in levels:
        parts[level] = ma.Scores.from_arrays({n: v + random.normal(size=shape) / 9 for n, v in first.items()})
    return ma.survive(parts, resamples=60, resample="points", **options)


@pytest.fixture(scope="module")
def drawn():
    return result()


@pytest.mark.parametrize("kind", FIGURES["survive"])
def test_text_never_overlaps_and_files_are_written(drawn, kind, tmp_path):
    figure = drawn.plot(tmp_path / "figure.png", kind=kind, dpi=60)
    assert overlapping(figure) == ([], [])
    assert (tmp_path / "figure.png").stat().st_size > 1000


@pytest.mark.parametrize("kind", FIGURES["survive"])
def test_names_are_text_and_long_ones_fit(kind):
    names = ("$x_1$ " + "long " * 30, "back\\slash", "<b>&")
    made = result(names, ("$y$ " + "criterion " * 20, "other"), ("$z$", "$z$-back", "a-" + "level-" * 20))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = made.plot(kind=kind)
    assert overlapping(figure) == ([], [])


def test_the_matrix_is_filled_where_a_test_says_equivalent(drawn):
    from matplotlib.colors import to_hex
    from matplotlib.patches import Rectangle

    from metassay.figures.sheet import BLUE

    for kind in ("sd", "constant", "range"):
        figure = drawn.plot(margin_kind=kind)
        filled = [
            p
            for axes in figure.axes
            for p in axes.patches
            if isinstance(p, Rectangle) and p.get_fill() and to_hex(p.get_facecolor()) == BLUE.lower()
        ]
        wanted = sum(r.equivalent for r in drawn.table if (r.test, r.margin_kind) == ("tost", kind))
        assert len(filled) == wanted


def test_the_curve_holds_the_shares(drawn):
    axes = drawn.plot(kind="sensitivity").axes[0]
    shares = [100 * s.share for s in drawn.sensitivity if s.criterion == "relevance"]
    assert list(axes.lines[0].get_ydata()) == shares


def test_people_are_numbered_and_named(drawn):
    told = lines_of(drawn.plot(kind="components"))
    assert "relevance" in told
    assert "es-back" in told


def test_without_round_trips_there_is_no_dominance_figure():
    with pytest.raises(UsageError, match="needs round trips"):
        result(levels=("es",)).plot(kind="dominance")
