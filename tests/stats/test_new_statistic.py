"""A statistic of a user's own goes through every study, with no line changed elsewhere."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import metassay as ma
from metassay import engine
from metassay.core import vocabulary
from metassay.stats.statistics.registry import find


class Cosine(ma.Statistic):
    """The cosine of the angle between scores of a metric and of people."""

    name, title, symbol, invariant = "cosine", "cosine similarity", "cos", "scale"

    def evaluate(self, x, z, w):
        return (w * x * z).sum(0) / np.sqrt((w * x * x).sum(0) * (w * z * z).sum(0))


class Distance(ma.Statistic):
    """A mean distance: the smaller the better, without an upper end."""

    name, range, higher_is_better = "mean-distance", (0.0, math.inf), False

    def evaluate(self, x, z, w):
        return (w * np.abs(x - z)).sum(0) / np.broadcast_to(w, np.broadcast(x, z, w).shape).sum(0)


ma.register(Cosine())
DRAWN = [test for test in vocabulary.METRIC_TESTS if test not in ("williams", "perm-outcomes")]


def cosine(x, z):
    return float((x * z).sum() / math.sqrt((x * x).sum() * (z * z).sum()))


@pytest.fixture(scope="module")
def two():
    return {"human": "relevance", "metric": "synthetic-judge,synthetic-overlap", "statistic": "cosine"}


def shown(result):
    """Every way to show a result works and names the statistic, or has its number in rows."""
    assert "osine" in str(result)
    assert result.signature["coef"] == "cosine"
    rows = json.loads(result.to_json())["rows"]
    assert {row["statistic"] for row in rows} == {"cosine"}
    assert r"\begin{tabular}" in result.to_latex()
    return result


def test_levels_are_the_statistic_by_hand(two):
    scores = ma.example()
    rows = shown(ma.agree(scores, **two, level="system,input,global,within-system", resamples=50)).table
    x, z = scores.matrix("synthetic-judge"), scores.matrix("relevance")
    expected = {
        "system": cosine(x.mean(1), z.mean(1)),
        "input": np.mean([cosine(a, b) for a, b in zip(x.T, z.T, strict=True)]),
        "global": cosine(x, z),
        "within-system": np.mean([cosine(a, b) for a, b in zip(x, z, strict=True)]),
    }
    for row in rows:
        if row.metric == "synthetic-judge":
            assert row.estimate == pytest.approx(expected[row.level])
            assert row.low < row.estimate < row.high


def test_bootstraps_are_literal_resampling(two):
    from metassay.stats.draws import BootstrapPages

    random = np.random.default_rng(0)
    x, z = 3 + random.normal(size=(2, 6, 5))
    x[2, 1] = np.nan
    systems, inputs = BootstrapPages(20, (6, 5), 0)[0]
    prepare = find("cosine").prepare
    found = {level: prepare(x[None], z, level).bootstrap(systems, inputs) for level in ("global", "input")}
    for b in range(20):
        rows, columns = (np.repeat(np.arange(len(w)), w[:, b].astype(int)) for w in (systems, inputs))
        a, c = x[np.ix_(rows, columns)], z[np.ix_(rows, columns)]
        known = ~np.isnan(a)
        assert found["global"][0, b] == pytest.approx(cosine(a[known], c[known]))
        each = [cosine(a[known[:, k], k], c[known[:, k], k]) for k in range(len(columns)) if known[:, k].any()]
        assert found["input"][0, b] == pytest.approx(np.mean(each))


@pytest.mark.parametrize("interval", ["boot-systems", "boot-inputs", "boot-both", "two-way"])
def test_intervals(two, interval):
    for row in shown(ma.agree(ma.example(), **two, interval=interval, resamples=100)).table:
        assert -1 <= row.low < row.estimate < row.high <= 1


def test_methods_that_do_not_apply_say_why(two):
    scores = ma.example()
    for call in (
        lambda: ma.agree(scores, **two, interval="fisher"),
        lambda: ma.compare(scores, **two, test="williams"),
        lambda: ma.criteria(scores, statistic="cosine", method="partial-formula"),
        lambda: ma.survive(scores, by="metric", human="relevance", statistic="cosine", test="anderson-hauck"),
    ):
        with pytest.raises(ma.UsageError, match="correlation coefficients") as error:
            call()
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("test", DRAWN)
def test_compare(two, test):
    result = shown(ma.compare(ma.example(), **two, level="system,input,global,within-system", test=test, resamples=199))
    better = [row for row in result.table if row.metric_a == "synthetic-judge"]
    assert all(row.difference > 0 and row.p_value < 0.5 for row in better)
    assert min(row.p_value for row in better) <= 0.01


def test_exchanges_are_literal(two):
    random = np.random.default_rng(1)
    x, z = 2 + random.normal(size=(2, 5, 4)), 2 + random.normal(size=(5, 4))
    swaps = random.integers(0, 2, size=(5, 4, 6)).astype(np.uint8)
    for level in ("system", "input"):
        left, right = find("cosine").exchange(x, z, [(0, 1)], level)(swaps)
        for b in range(6):
            moved = swaps[..., b].astype(bool)
            for found, (a, c) in ((left, (0, 1)), (right, (1, 0))):
                own = np.where(moved, x[c], x[a])
                pairs = [(own.mean(1), z.mean(1))] if level == "system" else zip(own.T, z.T, strict=True)
                assert found[0, b] == pytest.approx(np.mean([cosine(*pair) for pair in pairs]))


def test_criteria_and_survive():
    result = ma.criteria(ma.example(), metric="synthetic-judge", statistic="cosine", resamples=60)
    assert all(-1 <= row.estimate <= 1 for row in result.table)
    shown(result)
    # Residuals have mean 0, so that the cosine of residuals is the partial Pearson correlation.
    pearson = ma.criteria(ma.example(), metric="synthetic-judge", statistic="pearson", resamples=60)
    for one, other in zip(result.table, pearson.table, strict=True):
        if one.method == "partial":
            assert one.estimate_within == pytest.approx(other.estimate_within)
            # What inputs add comes from slopes where these are known, and else from leaving out each of them.
            assert one.within_low == pytest.approx(other.within_low, rel=0.1)
    survival = shown(
        ma.survive(ma.example(), by="metric", human="relevance", statistic="cosine", resamples=60, test="all")
    )
    assert {row.test for row in survival.table} == {"jackknife", "tost"}
    assert any("Anderson-Hauck" in str(note) and "cosine" in str(note) for note in survival.notes)


def test_simulations(two):
    scores = ma.example()
    coverage = shown(ma.simulate_coverage(scores, **two, trials=12, resamples=60))
    assert any("fisher" in str(note) and "cosine" in str(note) for note in coverage.notes)
    assert {row.interval for row in coverage.table} == {"jackknife", *vocabulary.BOOTSTRAPS}
    size = shown(ma.simulate_size(scores, **two, trials=40, resamples=99))
    assert {row.test for row in size.table} == set(DRAWN)
    # A world fitted to scores has their means, without which cosines would be others.
    agreed = ma.agree(scores, **two, level="system", resamples=1).table
    found = next(row.difference for row in size.table if row.setting == "fitted, as observed")
    assert found == pytest.approx(agreed[0].estimate - agreed[1].estimate, abs=0.01)
    power = shown(ma.simulate_power(scores, **two, noise=2, level="input", trials=4, resamples=99))
    assert all(row.rate == 1 for row in power.table)


def test_plan():
    options = {"human": "relevance", "metric": "synthetic-overlap", "statistic": "cosine", "trials": 100}
    result = shown(ma.plan(ma.example(), **options, width=0.02))
    here = next(row for row in result.table if row.axis == "inputs" and row.n == 80)
    # The world's interval is about as wide as that of the data.
    assert here.width == pytest.approx(here.width_data, rel=0.5)
    wider = next(row for row in result.table if row.axis == "systems" and row.n == 7)
    assert wider.width > here.width
    shown(ma.plan(ma.example(), **options | {"metric": "synthetic-judge"}, metric_b="synthetic-overlap"))
    with pytest.raises(ma.UsageError, match="cannot be set"):
        ma.plan(ma.example(), **options, metric_b="synthetic-judge", difference=0.1)


def test_stability_and_widths(two):
    assert ma.stability(ma.example(), **two, draws=20).table[0].statistic == "cosine"
    shown(ma.widths(ma.example(), **two, annotated=20, resamples=40))


def test_report_and_chart(two, tmp_path):
    report = ma.make_report(ma.example(), tmp_path / "report.html", **two, resamples=40)
    assert "cosine similarity" in (tmp_path / "report.html").read_text()
    assert report.dossier.results["agree"].table[0].statistic == "cosine"
    assert ma.agree(ma.example(), **two, resamples=20).plot() is not None


def test_threads_and_checkpoints_change_nothing(two, tmp_path):
    options = {**two, "test": "perm-both", "level": "input", "resamples": 3000}
    one, several = (ma.compare(ma.example(), **options, threads=n).table for n in (1, 2))
    with engine.on(checkpoint=tmp_path / "kept"):
        kept = ma.compare(ma.example(), **options).table
    assert one == several == kept

    class Turned(Cosine):
        def evaluate(self, x, z, w):
            return -super().evaluate(x, z, w)

    # The same name, other code: other work.
    Turned.__qualname__ = "Cosine"
    with engine.on(checkpoint=tmp_path / "kept"), pytest.raises(ma.UsageError):
        ma.compare(ma.example(), **options | {"statistic": Turned()})
    ma.register(Cosine())


def test_where_smaller_is_better_the_order_turns():
    random = np.random.default_rng(2)
    z = random.normal(size=(10, 40))
    near, far = z + 0.2 * random.normal(size=z.shape), z + 2 * random.normal(size=z.shape)
    scores = ma.Scores.from_arrays({"far": far, "near": near}, {"z": z})
    for test in DRAWN:
        result = ma.compare(scores, statistic=Distance(), level="input", test=test, resamples=199)
        by = {row.metric_a: row for row in result.table}
        assert by["near"].p_value < 0.05 < by["far"].p_value
        assert by["near"].difference < 0
        assert [(c.metric, c.rank) for c in result.ranks] == [("near", 1), ("far", 2)]
    (near_row,) = ma.agree(scores, metric="near", statistic="mean-distance", level="global", resamples=50).table
    assert near_row.estimate == pytest.approx(np.abs(near - z).mean())
    assert near_row.low >= 0


def test_names(two):
    assert find("cosine") == Cosine()
    assert repr(find("COSINE")) == "cosine"
    same = ma.agree(ma.example(), **two, resamples=20).table
    aliased = {"coefficient" if key == "statistic" else key: value for key, value in two.items()}
    assert ma.agree(ma.example(), **aliased, resamples=20).table == same
    assert ma.agree(ma.example(), **two | {"statistic": Cosine()}, resamples=20).table == same
    with pytest.raises(ma.UsageError, match="two names of one option"):
        ma.agree(ma.example(), statistic="pearson", coefficient="kendall")
    with pytest.raises(ma.UnknownName, match="statistic"):
        ma.agree(ma.example(), statistic="sine")


def test_modules_of_users(tmp_path, monkeypatch):
    code = "import numpy as np, metassay as ma\nclass Dot(ma.Statistic):\n    name = 'dot'\n"
    code += "    def evaluate(self, x, z, w):\n        return (w * x * z).sum(0)\n"
    (tmp_path / "my_statistics.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    (row, *_) = ma.agree(ma.example(), statistic="my_statistics:Dot", level="system", resamples=20).table
    assert row.statistic == "dot"
    for wrong in ("my_statistics:Nothing", "no_such_module:Dot", "json:dumps"):
        with pytest.raises(ma.UsageError):
            ma.agree(ma.example(), statistic=wrong)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "Two words"}, "lower-case"),
        ({"name": "pearson"}, "taken"),
        ({"name": "x", "aliases": ("tau",)}, "taken"),
        ({"name": "x", "levels": ("planet",)}, "levels"),
    ],
)
def test_what_cannot_be_registered(changes, message):
    with pytest.raises(ma.UsageError, match=message):
        ma.register(type("Other", (Cosine,), changes)())
    with pytest.raises(ma.UsageError, match="object"):
        ma.register(Cosine)
    with pytest.raises(ma.UsageError, match="must define evaluate"):
        ma.register(type("Empty", (ma.Statistic,), {"name": "empty"})())


def test_levels_at_which_a_statistic_is_not_defined():
    only = type("Only", (Cosine,), {"name": "only-global", "levels": ("global",)})()
    with pytest.raises(ma.UsageError, match=r"not defined at system level \(defined at: global\)"):
        ma.agree(ma.example(), statistic=only)
    assert ma.agree(ma.example(), statistic=only, level="global", resamples=20).table


class Apart(ma.Statistic):
    """Root mean square difference of standardised scores: small ones are better agreement."""

    name, range, higher_is_better, levels = "rms-difference", (0.0, np.inf), False, ("system",)

    def evaluate(self, x, z, w):
        """Return the distance."""
        return np.sqrt((w * (x - z) ** 2).sum(axis=0) / w.sum(axis=0))


class Broken(ma.Statistic):
    """One that fails."""

    name, levels = "broken", ("system",)

    def evaluate(self, x, z, w):
        """Fail."""
        raise ZeroDivisionError("division by zero")


def test_the_best_metric_comes_first_where_small_is_good():
    z = np.arange(20.0).reshape(4, 5)
    scores = ma.Scores.from_arrays({"far": z * 3 + 9, "near": z + 0.1}, {"human": z})
    shown = ma.agree(scores, statistic=Apart(), level="system", resamples=20).to_markdown()
    lines = [line for line in shown.splitlines() if line.startswith(("| near", "| far", "| **near", "| **far"))]
    assert ["near" in line for line in lines] == [True, False]
    assert "**" in lines[0]
    assert "**" not in lines[1]


def test_what_goes_wrong_in_a_statistic_of_ones_own_is_told_as_such():
    z = np.arange(20.0).reshape(4, 5)
    scores = ma.Scores.from_arrays({"m": z + 1}, {"human": z})
    with pytest.raises(ma.UsageError, match="the statistic broken failed: ZeroDivisionError: division by zero"):
        ma.agree(scores, statistic=Broken(), level="system", resamples=20)
