"""Charts of systems, inputs, damage, levels, simulations and plans: rows hold the result's numbers."""

import math
from dataclasses import replace

import numpy as np
import pytest

import metassay as ma
from metassay.charts.theme import CORRECTED, HUMAN, METRIC, NONE, OTHER, PAPER, UNCORRECTED, WARN
from metassay.errors import DataError, UsageError

from .conftest import damaged, scores, small, translated
from .test_agreement import known, legend, panels, rows_of


def test_bars_of_systems_are_the_counts():
    result = small("systems")
    chart = result.plot()
    assert list(legend(chart).values())[:3] == [CORRECTED, UNCORRECTED, NONE]
    count = next(c for c in result.counts if (c.metric, c.test, c.group_a) == ("one", "wilcoxon", None))
    mine = [r["pairs"] for r in rows_of(chart) if (r["metric"], r["test"]) == ("one", "wilcoxon")]
    strong, weak = count.n_significant_corrected, count.n_significant
    assert mine[:3] == [strong, weak - strong, count.n_pairs - weak - count.n_undefined]


def test_the_matrix_of_systems_says_who_is_better():
    result = small("systems")
    chart = result.plot(kind="matrix", metric="one", test="wilcoxon")
    colours = legend(chart)
    drawn = {(r["system_a"], r["system_b"]): colours[r["outcome"]] for r in rows_of(chart)}
    for r in result.table:
        if (r.metric, r.test) != ("one", "wilcoxon"):
            continue
        better = (r.system_a, r.system_b) if r.test_statistic > 0 else (r.system_b, r.system_a)
        assert drawn[better] == (CORRECTED if r.significant_corrected else UNCORRECTED if r.significant else NONE)
        assert drawn[better[::-1]] == NONE
    order = list(dict.fromkeys(r["system_a"] for r in rows_of(chart)))
    assert set(order[-3:]) == {"s0", "s1", "s2"}  # one group after the other


def test_the_intervals_mark_the_hardest_input_and_those_that_differ():
    result = ma.difficulty(scores(n=40, m=10), metric="one", human="coherence")
    chart = result.plot(metric="one")
    colours = legend(chart)
    assert list(colours.values()) == [METRIC, WARN, OTHER]
    rows = rows_of(chart)
    ranked = sorted((r for r in result.table if r.metric == "one"), key=lambda r: r.mean_rank)
    assert [r["mean_rank"] for r in rows] == [r.mean_rank for r in ranked]
    drawn = [colours[r["outcome"]] for r in rows]
    assert drawn[0] == METRIC
    assert drawn.count(WARN) == ranked[0].n_differs


def test_the_map_has_every_score_and_a_cross_where_one_is_missing():
    data = scores(n=20, m=20)
    values = data.matrix("one").copy()
    values[2, 3] = np.nan
    values[0, 0] = -1000
    result = ma.difficulty(ma.Scores.from_arrays({"one": values}))
    rows = rows_of(result.plot(kind="map"))
    assert len(rows) == values.size
    missing = [r for r in rows if r["score"] is None]
    assert [(r["system"], r["input"]) for r in missing] == [(result.systems[2], result.inputs[3])]
    shades = sorted(r["shade"] for r in rows if r["shade"] is not None)
    assert shades[len(shades) // 2] < 0.9  # an outlier does not swallow the colours
    assert sorted(r["score"] for r in rows if r["score"] is not None) == sorted(values[~np.isnan(values)])


def test_normality_shows_both_numbers():
    result = small("normality")
    means, inputs = panels(result.plot()).values()
    assert [r["value"] for r in means] == [known(r.p_value) for r in result.table]
    assert [r["value"] for r in inputs] == [
        None if math.isnan(r.percent_rejected) else r.percent_rejected / 100 for r in result.table
    ]


def test_precision_shows_every_mean():
    result = small("precision")
    drawn = {(r["metric"], r["system"], r["inputs"]): r["estimate"] for r in rows_of(result.plot())}
    assert drawn == {(r.metric, r.system, r.inputs): known(r.estimate) for r in result.table}


def test_bands_of_stability_are_one_standard_deviation():
    result = small("stability")
    chart = result.plot(metric="one,coherence")
    rows = {(r["name"], r["n_inputs"]): r for r in rows_of(chart)}
    for r in result.table:
        if r.name in ("one", "coherence"):
            row = rows[r.name, r.n_inputs]
            assert (row["low"], row["high"]) == (r.mean - r.sd, r.mean + r.sd)
    labels = [layer for layer in chart.spec["concat"][0]["layer"] if layer["mark"]["type"] == "text"]
    assert {v["label"] for v in labels[0]["data"]["values"]} == {"one", "coherence"}


def test_many_curves_get_a_panel_each_with_people_behind():
    data = scores(tuple(f"m{at}" for at in range(9)))
    found = panels(ma.stability(data, draws=5, sizes=[2, 4]).plot())
    assert len(found) == 9
    assert {r["name"] for r in found["m3", ""]} == {"m3", "coherence", "relevance"}
    assert {r["name"]: r["curve"] for r in found["m3", ""]} == {
        "m3": "metric",
        "coherence": "coherence",
        "relevance": "relevance",
    }


def test_curves_of_several_criteria_are_named_and_only_the_metric_has_a_band():
    data = scores(tuple(f"m{at}" for at in range(9)))
    layers = ma.stability(data, draws=5, sizes=[2, 4]).plot().spec["concat"][0]["layer"]
    area, line = (next(each for each in layers if each["mark"]["type"] == kind) for kind in ("area", "line"))
    colour, dash = line["encoding"]["color"], line["encoding"]["strokeDash"]
    assert colour["scale"]["domain"] == ["metric", "coherence", "relevance"]
    assert colour["scale"]["range"] == [METRIC, HUMAN, HUMAN]
    assert len(set(map(tuple, dash["scale"]["range"]))) == 3
    assert colour["legend"] is not None
    assert area["transform"] == [{"filter": "datum.name === datum.panel"}]


def test_the_biplot_has_systems_as_points_and_columns_as_arrows():
    result = small("profile")
    chart = result.plot()
    scores_of = {r.name: r.value for r in result.table if (r.kind, r.component) == ("system", 1)}
    assert {r["name"]: r["first"] for r in rows_of(chart)} == scores_of
    lines = [layer for layer in chart.spec["concat"][0]["layer"] if layer["mark"]["type"] == "rule"]
    inks = {v["name"]: v["ink"] for v in lines[1]["data"]["values"]}
    assert inks["coherence"] == HUMAN
    assert inks["one"] == METRIC


def test_cells_tell_how_many_systems_were_noticed():
    result = small("downgrade")
    drawn = {(r["metric"], r["kind"], r["rate"]): r["text"] for r in rows_of(result.plot())}
    assert drawn == {
        (c.metric, c.kind, c.rate): "" if math.isnan(c.share) else f"{c.n_noticed}/{c.n_testable}"
        for c in result.counts
    }
    assert {r["corruption"] for r in rows_of(result.plot())} >= {"shuffle 25%", "drop-words 100%"}
    one = damaged(("one", "two"), ("coherence",), rates=(1.0,))
    assert {r["corruption"] for r in rows_of(one.plot())} == {"shuffle", "drop-words"}
    with pytest.raises(DataError, match="several rates"):
        one.plot(kind="sensitivity")


def test_sensitivity_is_a_curve_for_each_kind_and_says_what_is_undefined():
    result = small("downgrade")
    chart = result.plot(kind="sensitivity")
    mine = [r["share"] for r in rows_of(chart) if (r["metric"], r["kind"]) == ("one", "drop-words")]
    assert mine == [c.share for c in result.counts if (c.metric, c.kind) == ("one", "drop-words")]
    assert chart.omitted == "Undefined: flat."


def test_the_matrix_of_levels_is_dark_where_a_test_says_equivalent():
    result = small("survive")
    for kind in ("sd", "constant", "range"):
        chart = result.plot(margin_kind=kind)
        colours = legend(chart)
        drawn = {(r["metric"], r["human"], r["language"]): colours[r["outcome"]] for r in rows_of(chart)}
        for r in result.table:
            if (r.test, r.margin_kind) == ("tost", kind):
                untested = math.isnan(r.p_value)
                wanted = CORRECTED if r.equivalent_corrected else UNCORRECTED if r.equivalent else NONE
                assert drawn[r.metric, r.human, r.language] == (PAPER if untested else wanted)


def test_levels_hold_the_correlations():
    result = small("survive")
    rows = rows_of(result.plot(kind="agreement", human="relevance", language="en,es"))
    wanted = {(r.metric, r.language): r.estimate for r in result.agreement if r.human == "relevance"}
    assert {r["language"] for r in rows} == {"en", "es"}
    assert all(r["estimate"] == known(wanted[r["metric"], r["language"]]) for r in rows)
    across = rows_of(result.plot(kind="across"))
    assert [r["estimate"] for r in across] == [known(r.estimate) for r in result.across]


def test_the_other_charts_of_levels():
    result = small("survive")
    shares = [r["share"] for r in rows_of(result.plot(kind="sensitivity", human="relevance"))]
    assert shares == [s.share for s in result.sensitivity if s.human == "relevance"]
    margins = rows_of(result.plot(kind="margins"))
    assert [r["value"] for r in margins] == [
        *(known(r.sd) for r in result.margins),
        *(known(r.range) for r in result.margins),
    ]
    shifts = tuple(replace(s, shift=0.1 + 0.01 * at, shift_back=0.05) for at, s in enumerate(result.shifts))
    dots = rows_of(replace(result, shifts=shifts).plot(kind="dominance"))
    assert [(r["shift"], r["shift_back"]) for r in dots] == [(s.shift, s.shift_back) for s in shifts]
    layers = result.plot(kind="components").spec["concat"][0]["layer"]
    inks = {v["text"]: v["ink"] for v in layers[-1]["data"]["values"]}
    assert inks["relevance"] == HUMAN
    assert inks["one"] == METRIC


def test_what_a_result_lacks_is_said():
    result = small("survive")
    with pytest.raises(UsageError, match="two or more annotators"):
        replace(result, margins=()).plot(kind="margins")
    with pytest.raises(UsageError, match="needs round trips"):
        translated(("one", "two"), ("relevance",), ("es",)).plot(kind="dominance")
    with pytest.raises(UsageError, match="at least three columns"):
        replace(result, components=()).plot(kind="components")


def test_coverage_stands_beside_what_was_promised():
    result = small("simulate-coverage")
    chart = result.plot()
    drawn = {(r["metric"], r["human"], r["level"], r["interval"]): r["rate"] for r in rows_of(chart)}
    assert drawn == {(r.metric, r.human, r.level, r.interval): known(r.rate) for r in result.table}
    assert chart.spec["concat"][0]["layer"][0]["encoding"]["x"]["datum"] == 0.95


def test_power_has_a_curve_for_each_test():
    result = small("simulate-power")
    drawn = {(r["metric"], r["human"], r["level"], r["test"], r["setting"]): r["rate"] for r in rows_of(result.plot())}
    assert drawn == {(r.metric, r.human, r.level, r.test, r.setting): known(r.rate) for r in result.table}
    assert "flat" in result.plot().omitted


def test_errors_and_power_have_panels_of_their_own():
    result = small("simulate-size")
    found = panels(result.plot())
    assert [title for title, _ in found] == ["equally good: false-positive rate", "one is better: power"]
    errors, power = found.values()
    assert [r["rate"] for r in errors] == [known(r.rate) for r in result.table if r.equal]
    assert [r["rate"] for r in power] == [known(r.rate) for r in result.table if not r.equal]


def test_tests_that_reject_too_often_are_hollow_and_framed():
    result = small("simulate-size")
    table = tuple(replace(r, holds=r.test != "perm-both") if r.equal else r for r in result.table)
    result = replace(result, table=table)
    assert "hollow: false-positive rate too high" in " ".join(result.plot().spec["title"]["subtitle"])
    chart = result.plot(kind="map")
    assert "framed" in " ".join(chart.spec["title"]["subtitle"])
    ring = chart.spec["concat"][0]["layer"][-1]
    assert ring["transform"] == [{"filter": "datum.holds === false"}]
    assert ring["mark"]["stroke"] == WARN


def test_plans_are_curves_over_each_axis():
    result = small("plan")
    chart = result.plot(human="coherence")
    assert [title for title, _ in panels(chart)] == list(dict.fromkeys(r.axis for r in result.table))
    drawn = {(r["metric"], r["axis"], r["n"]): r["width"] for r in rows_of(chart)}
    assert drawn == {(r.metric, r.axis, r.n): known(r.width) for r in result.table if r.human == "coherence"}
    assert "dashed: target width" in " ".join(chart.spec["title"]["subtitle"])


def test_a_planned_power_is_drawn_and_too_many_curves_are_said():
    power = ma.plan(scores(("one", "two")), human="coherence", metric="one", metric_b="two", trials=50)
    assert {r["name"] for r in rows_of(power.plot())} == {"one better than two"}
    result = small("plan")
    more = replace(result, table=tuple(replace(r, metric=f"{r.metric}{at}") for at in range(5) for r in result.table))
    assert more.plot().omitted == "Shown: 8 of 10 metrics; choose with --metric."
    assert more.plot(metric="one1,two3").omitted == ""
