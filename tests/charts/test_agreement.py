"""Charts of agreement with people: rows hold the result's numbers, and colours mean what they mean everywhere."""

import math
from dataclasses import replace

import numpy as np
import pytest

import metassay as ma
from metassay.charts import shapes
from metassay.charts.theme import CORRECTED, HUMAN, METRIC, NONE, PAPER, UNCORRECTED, WARN
from metassay.errors import DataError, UnknownName, UsageError

from .conftest import scores, small, study


def panels(chart):
    return {_titled(panel): panel["data"]["values"] for panel in chart.spec["concat"]}


def _titled(panel):
    title = panel.get("title", {})
    return title.get("text", ""), title.get("subtitle", "")


def rows_of(chart):
    return [row for rows in panels(chart).values() for row in rows]


def legend(chart, channel="color"):
    """Return what the legend says, with its colours."""
    for panel in chart.spec["concat"]:
        for layer in panel["layer"]:
            found = layer["encoding"].get(channel, {})
            if "scale" in found and "domain" in (found["scale"] or {}):
                return dict(zip(found["scale"]["domain"], found["scale"]["range"], strict=True))
    return {}


def known(value):
    return None if isinstance(value, float) and not math.isfinite(value) else value


def test_the_forest_has_every_estimate_and_interval():
    result = small("agree")
    chart = result.plot()
    assert list(panels(chart)) == [
        (human, f"{level} level") for human in ("coherence", "relevance") for level in ("system", "input")
    ]
    drawn = {(r["metric"], r["human"], r["level"]): (r["estimate"], r["low"], r["high"]) for r in rows_of(chart)}
    assert drawn == {
        (r.metric, r.human, r.level): (known(r.estimate), known(r.low), known(r.high)) for r in result.table
    }
    rule, dot = chart.spec["concat"][0]["layer"][1:3]
    assert (rule["mark"]["type"], dot["mark"]["type"]) == ("rule", "point")
    assert rule["encoding"]["color"] == dot["encoding"]["color"] == {"value": METRIC}
    assert rule["mark"]["opacity"] < dot["mark"]["opacity"]


def test_the_best_metric_of_the_first_panel_is_on_top_of_all():
    result = small("agree")
    (first, *others) = result.plot().spec["concat"]
    order = first["layer"][1]["encoding"]["y"]["scale"]["domain"]
    mine = {r.metric: r.estimate for r in result.table if (r.human, r.level) == ("coherence", "system")}
    assert order == sorted(mine, key=lambda m: math.inf if math.isnan(mine[m]) else -mine[m])
    assert all(panel["layer"][1]["encoding"]["y"]["scale"]["domain"] == order for panel in others)
    assert [p["layer"][1]["encoding"]["y"]["axis"].get("labels", True) for p in others] == [False] * 3


def test_violins_count_the_resamples():
    result = small("agree")
    rows = rows_of(result.plot(kind="violins", metric="one", level="system", human="coherence"))
    sample = next(
        s
        for r, s in zip(result.table, result.samples, strict=True)
        if (r.metric, r.human, r.level) == ("one", "coherence", "system")
    )
    shape = [row for row in rows if row["half"] is not None]
    assert max(row["half"] for row in shape) == 1
    assert (
        np.nanmin(sample)
        <= min(row["value"] for row in shape)
        <= max(row["value"] for row in shape)
        <= np.nanmax(sample)
    )
    assert [row["estimate"] for row in rows if row["estimate"] is not None] == [
        next(r.estimate for r in result.table if (r.metric, r.human, r.level) == ("one", "coherence", "system"))
    ]
    with pytest.raises(UsageError, match="violins needs resamples"):
        ma.agree(scores(), interval="fisher").plot(kind="violins")


def test_the_matrix_tells_corrected_from_uncorrected():
    data = scores(("one", "two", "three"), n=20, m=30)
    result = ma.compare(data, level="system", test="williams", statistic="pearson", human="coherence", scope="row")
    chart = result.plot()
    colours = legend(chart)
    assert list(colours.values()) == [CORRECTED, UNCORRECTED, NONE]
    drawn = {(r["metric_a"], r["metric_b"]): colours[r["outcome"]] for r in rows_of(chart)}
    wanted = {
        (r.metric_a, r.metric_b): CORRECTED if r.significant_corrected else UNCORRECTED if r.significant else NONE
        for r in result.table
    }
    assert drawn == wanted
    assert CORRECTED in wanted.values()


def test_a_test_that_cannot_be_made_is_not_called_insignificant():
    chart = small("compare").plot()
    assert legend(chart)["cannot be tested"] == PAPER
    flat = [row for row in rows_of(chart) if "flat" in (row["metric_a"], row["metric_b"])]
    assert flat
    assert {row["outcome"] for row in flat} == {"cannot be tested"}


def test_without_a_correction_there_is_one_kind_of_significance():
    result = ma.compare(scores(), test="williams", statistic="pearson", level="system", correction="none")
    assert CORRECTED in legend(result.plot()).values()
    assert UNCORRECTED not in legend(result.plot()).values()
    kinds = shapes.outcomes("better", None, 0.05, untested=False)
    assert shapes.outcome(kinds, significant=True, corrected=True) == "better (p ≤ 0.05)"
    assert shapes.outcome(kinds, significant=False, corrected=False) == "not significant"


def test_bars_of_decisions_are_the_counts():
    result = small("decisions")
    chart = result.plot()
    for row in result.table:
        mine = [r for r in rows_of(chart) if (r["metric"], r["human"]) == (row.metric, row.human)]
        assert [r["pairs"] for r in mine] == [
            row.both_agree,
            row.neither,
            row.metric_only,
            row.human_only,
            row.opposite,
        ]
        assert sum(r["share"] or 0 for r in mine) == pytest.approx(1 if row.n_pairs else 0)
        assert (mine[0]["low"], mine[0]["high"]) == (known(row.low), known(row.high))
        assert all(r["low"] is None for r in mine[1:])


def test_two_sets_of_inputs_are_hollow_and_filled():
    result = small("widths")
    rows = rows_of(result.plot())
    drawn = {(r["metric"], r["human"], r["interval"], r["inputs"]): r["estimate"] for r in rows}
    for r in result.table:
        assert drawn[r.metric, r.human, r.interval, "annotated"] == known(r.estimate_a)
        assert drawn[r.metric, r.human, r.interval, "all"] == known(r.estimate_t)
    dot = result.plot().spec["concat"][0]["layer"][2]
    assert dot["encoding"]["fill"]["condition"] == {"test": "datum.inputs === 'annotated'", "value": PAPER}


def test_curves_over_the_closest_pairs():
    result = small("pairs")
    rows = rows_of(result.plot())
    drawn = {(r["metric"], r["human"], r["share"]): (r["estimate"], r["low"], r["high"]) for r in rows}
    assert drawn == {
        (r.metric, r.human, r.share): (known(r.estimate), known(r.low), known(r.high))
        for r in result.table
        if r.kind == "share"
    }
    one = study("pairs", people=("coherence",)).plot()
    assert "largest score difference" in " ".join(one.spec["title"]["subtitle"])


def test_the_chance_is_the_fitted_curve_and_its_needs():
    result = small("pairs")
    rows = [r for r in rows_of(result.plot(kind="chance")) if (r["metric"], r["human"]) == ("one", "coherence")]
    fit = next(c for c in result.curves if (c.metric, c.human) == ("one", "coherence"))
    for row in (r for r in rows if r["needed"] is None):
        assert (row["chance"], row["low"], row["high"]) == fit.chance(row["difference"])
    needed = {
        r.agreement: r.estimate for r in result.table if (r.kind, r.metric, r.human) == ("needed", "one", "coherence")
    }
    assert {r["needed"]: r["difference"] for r in rows if r["needed"]} == {
        wanted: value for wanted, value in needed.items() if value <= fit.largest
    }


def test_the_triangle_has_a_cell_for_every_range():
    result = small("pairs")
    rows = rows_of(result.plot(kind="triangle", metric="one", human="coherence"))
    mine = [r for r in result.table if (r.kind, r.metric, r.human) == ("triangle", "one", "coherence")]
    assert len(rows) == len(mine) == 55
    assert {(r["l"], r["u"]): r["estimate"] for r in rows} == {
        (round(100 * r.share_below), round(100 * (r.share_below + r.share))): known(r.estimate) for r in mine
    }
    with pytest.raises(UsageError, match="--triangle 10"):
        ma.pairs(scores(), resamples=20).plot(kind="triangle")


def test_the_map_of_criteria_has_a_number_in_each_defined_cell():
    result = small("criteria")
    rows = [r for r in result.table if r.metric is not None and r.method == "bucket"]
    drawn = {(r["metric"], r["human"], r["anchor"]): r["text"] for r in rows_of(result.plot())}
    assert drawn == {
        (r.metric, r.human, r.anchor): "" if math.isnan(r.relative_difference) else f"{r.relative_difference:.2f}"
        for r in rows
        if not r.relative_difference >= 9.995
    }


def test_agreement_that_vanishes_is_framed_and_red():
    table = [replace(r, verdict="vanishes") if r.metric == "one" else r for r in small("criteria").table]
    result = replace(small("criteria"), table=tuple(table))
    assert "framed: agreement vanishes" in " ".join(result.plot().spec["title"]["subtitle"])
    chart = result.plot(kind="dumbbells", human="coherence", method="partial")
    colours = legend(chart)
    one = next(r for r in result.table if (r.metric, r.human, r.method) == ("one", "coherence", "partial"))
    drawn = next(r for r in rows_of(chart) if r["metric"] == "one")
    assert colours[drawn["outcome"]] == WARN
    assert (drawn["estimate"], drawn["both"]) == (one.estimate, one.estimate_within)
    with pytest.raises(UnknownName, match="method"):
        result.plot(method="bukket")
    with pytest.raises(DataError, match="no metric"):
        replace(result, table=()).plot()
    with pytest.raises(DataError, match="no two human criteria"):
        replace(result, table=tuple(r for r in table if r.metric is not None)).plot(kind="criteria")


def test_criteria_are_shown_over_systems_outputs_and_buckets():
    result = small("criteria")
    found = panels(result.plot(kind="criteria"))
    assert [title for title, _ in found] == ["means of systems", "all outputs", "within buckets"]
    pairs = [r for r in result.table if r.metric is None and r.level == "global"]
    assert {(r["human"], r["anchor"]): r["value"] for r in list(found.values())[1]} == {
        (r.human, r.anchor): known(r.estimate) for r in pairs
    }


def test_people_have_their_colour_and_metrics_theirs():
    for name in ("normality", "precision", "stability"):
        assert legend(small(name).plot()) == {"metric": METRIC, "human": HUMAN}, name


def test_a_legend_names_people_only_where_they_are_drawn():
    judged = small("judge")
    assert judged.people
    with_people, alone = (
        result.plot(kind="agreement").spec["concat"][0]["layer"][0]["encoding"]["color"]["legend"]
        for result in (judged, replace(judged, people=()))
    )
    assert "person" in with_people["labelExpr"]
    assert alone is None
