"""Power curves: what is on them, and that text never overlaps."""

import numpy as np
import pytest

import metassay as ma
from figures.test_figures import lines_of, overlapping

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def scores():
    random = np.random.default_rng(0)
    z = random.normal(size=(8, 1)) + random.normal(size=(8, 9))
    metrics = {"a $ sign": z + random.normal(size=z.shape), "flat": np.ones_like(z)}
    return ma.Scores.from_arrays(metrics, {"people": z})


def test_curves_show_every_test_with_its_intervals(scores, tmp_path):
    result = ma.simulate_power(scores, metric="a $ sign", trials=20, resamples=30, noise=[0.5, 1, 2, 4])
    figure = result.plot(tmp_path / "power.svg")
    assert overlapping(figure) == ([], [])
    shown = lines_of(figure)
    for text in (r"a \$ sign", "system level, people", "input level, people", "noise (SD)", "perm-both", "williams"):
        assert text in shown
    panel = figure.axes[0]
    curves = {tuple(line.get_ydata()) for line in panel.lines}
    for test in ("williams", "paired-boot-both", "perm-both"):
        mine = [row for row in result.table if row.test == test and row.level == "system"]
        assert tuple(row.rate for row in mine) in curves
    assert len(panel.collections) == 3  # a band each
    assert (tmp_path / "power.svg").stat().st_size > 1000


def test_undefined_curves_say_so(scores):
    result = ma.simulate_power(scores, metric="flat", trials=5, resamples=10, noise=1, level="system")
    assert "undefined" in lines_of(result.plot())


def test_shares_of_words_are_percentages(scores):
    class Words:
        name, kind, settings, recipe = "words", "words", (0.2, 0.6, 1.0), ""

        def intact(self, systems, inputs):
            return scores.matrix("a $ sign")

        def damaged(self, setting, systems, inputs, trials, seed):
            noise = np.random.default_rng(seed).normal(size=(trials, len(systems), len(inputs)))
            return self.intact(systems, inputs) + (1 - setting) * noise

    figure = ma.simulate_power(scores, damage=Words(), trials=10, resamples=20).plot()
    assert overlapping(figure) == ([], [])
    assert "words kept" in lines_of(figure)
    assert "50%" in lines_of(figure)
