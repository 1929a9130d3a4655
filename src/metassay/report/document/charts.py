"""From the result of a study to charts that answer to the mouse: Vega-Lite specifications and the rows they draw."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metassay.core.records import encode
from metassay.core.result import Result

if TYPE_CHECKING:
    from metassay.studies.agree import Agreement
    from metassay.studies.compare import Comparison
    from metassay.studies.criteria import Confounding
    from metassay.studies.decisions import Decisions
    from metassay.studies.difficulty import Difficulty
    from metassay.studies.pairs import ScorePairs
    from metassay.studies.precision import Precision
    from metassay.studies.stability import Stability

Spec = dict[str, Any]

MOST_INPUTS = 400
"""With more inputs a chart of each would be too wide to read; the table has them all."""


_ZERO: Spec = {"mark": {"type": "rule", "strokeDash": [3, 3], "opacity": 0.6}, "encoding": {"x": {"datum": 0}}}


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart: how it is drawn, and the rows it draws."""

    name: str
    """A name of its own on the page."""
    title: str
    """What it shows, for those who see it and those who hear it."""
    spec: Spec
    """The Vega-Lite specification; its data is called ``rows``."""
    fields: tuple[str, ...]
    """Fields of the rows."""
    rows: tuple[tuple[Any, ...], ...]
    """The rows, in the order in which they are drawn unless the reader sorts them."""
    switches: tuple[str, ...] = ()
    """Which of the page's switches (human, level, coefficient) choose among the rows."""
    metrics: tuple[str, ...] = ()
    """Fields that hold names of metrics, which the reader may hide."""
    pick: str = ""
    """A field of which one value is shown at a time, chosen beside the chart."""
    sort: str = ""
    """The field by which rows are sorted unless the reader sorts by name; large first."""


def charts_of(result: Result) -> tuple[Chart, ...]:
    """Return the charts of a result, none if its table says it better."""
    make = _CHARTS.get(result.study)
    return () if make is None else make(result)


def _chart(rows: Iterable[Any], fields: Sequence[str], **settings: Any) -> Chart:  # noqa: ANN401 - Chart's own fields
    taken = tuple(tuple(_short(encode(getattr(row, f))) for f in fields) for row in rows)
    return Chart(fields=tuple(fields), rows=taken, **settings)


def _short(value: object) -> object:
    """Return a number with as many digits as a chart can show; tables and downloads have them all."""
    return float(f"{value:.5g}") if isinstance(value, float) else value


def _y_names(field: str) -> Spec:
    return {
        "field": field,
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": {"ticks": False, "labelExpr": _shortened(40, 18)},
    }


def _shortened(wide: int, narrow: int) -> str:
    """Return an expression that cuts long names in the middle: they differ at their ends more often than there."""
    most = f"(windowSize()[0] < 640 ? {narrow} : {wide})"
    cut = f"slice(datum.label, 0, {most} / 2) + '…' + slice(datum.label, 1 - {most} / 2)"
    return f"length(datum.label) > {most} ? {cut} : datum.label"


def _tip(field: str, title: str, form: str | None = None) -> Spec:
    tip: Spec = {"field": field, "title": title}
    if form is not None:
        tip |= {"type": "quantitative", "format": form}
    return tip


def _agree(result: Agreement) -> tuple[Chart, ...]:
    fields = ("metric", "human", "level", "coefficient", "estimate", "low", "high", "n_systems", "n_inputs")
    tips = [
        _tip("metric", "metric"),
        _tip("estimate", "correlation", ".3f"),
        _tip("low", "from", ".3f"),
        _tip("high", "to", ".3f"),
        _tip("n_systems", "systems"),
        _tip("n_inputs", "inputs"),
    ]
    return (
        _chart(
            result.table,
            fields,
            name="agree",
            title="Correlation of each metric with people, with its interval",
            spec=_forest(tips),
            switches=("human", "level", "coefficient"),
            metrics=("metric",),
            sort="estimate",
        ),
    )


def _forest(
    tips: list[Spec], name: str = "metric", title: str = "correlation with people", *, zero: bool = True
) -> Spec:
    """Return intervals with their estimates, a line each."""
    y = _y_names(name)
    x_axis = {"title": title, "titleAnchor": "start"}
    layers: list[Spec] = [
        {
            "mark": {"type": "rule", "strokeWidth": 2.5, "opacity": 0.55},
            "encoding": {
                "y": y,
                "x": {"field": "low", "type": "quantitative", "axis": x_axis, "scale": {"zero": zero}},
                "x2": {"field": "high"},
                "tooltip": tips,
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
            "encoding": {"y": y, "x": {"field": "estimate", "type": "quantitative"}, "tooltip": tips},
        },
    ]
    if zero:
        layers.insert(
            0, {"mark": {"type": "rule", "strokeDash": [3, 3], "opacity": 0.6}, "encoding": {"x": {"datum": 0}}}
        )
    return {"height": {"step": 20}, "layer": layers}


def _compare(result: Comparison) -> tuple[Chart, ...]:
    ranks = {(c.human, c.level, c.coefficient, c.metric): c.estimate for c in result.clusters}

    def outcome(row: Any) -> str:  # noqa: ANN401 - a ComparisonRow
        if math.isnan(row.p_value):
            return _UNTESTED
        if row.significant_corrected:
            return _OUTCOMES[0]
        return _OUTCOMES[1] if row.significant else _OUTCOMES[2]

    fields = ("metric_a", "metric_b", "human", "level", "coefficient", "difference", "p_value")
    rows = sorted(
        result.table,
        key=lambda r: (
            -_known(ranks.get((r.human, r.level, r.coefficient, r.metric_a))),
            -_known(ranks.get((r.human, r.level, r.coefficient, r.metric_b))),
        ),
    )
    base = _chart(
        rows,
        fields,
        name="compare",
        title="Which metric (line) agrees better with people than which (column)",
        spec={},
        switches=("human", "level", "coefficient"),
        metrics=("metric_a", "metric_b"),
    )
    tips = [
        _tip("metric_a", "metric"),
        _tip("metric_b", "against"),
        _tip("difference", "difference", ".3f"),
        _tip("p_value", "p", ".4f"),
        _tip("outcome", "outcome"),
    ]
    untested = [_UNTESTED] if any(math.isnan(row.p_value) for row in rows) else []
    outcomes, colours = [*_OUTCOMES, *untested], ["var(--strong)", "var(--some)", "var(--none)", "var(--paper)"]
    spec: Spec = {
        "width": {"step": 26},
        "height": {"step": 26},
        "encoding": {
            "x": {
                "field": "metric_b",
                "type": "nominal",
                "sort": {"field": "at", "op": "min"},
                "title": None,
                "axis": {"orient": "top", "labelAngle": -50, "ticks": False, "labelExpr": _shortened(24, 18)},
            },
            "y": _y_names("metric_a"),
            "tooltip": tips,
        },
        "layer": [
            {
                "mark": {"type": "rect", "stroke": "var(--paper)", "strokeWidth": 1},
                "encoding": {
                    "color": {
                        "field": "outcome",
                        "type": "nominal",
                        "scale": {"domain": outcomes, "range": colours[: len(outcomes)]},
                        "legend": {"orient": "bottom", "title": None, "labelLimit": 320, "direction": "vertical"},
                    },
                },
            },
            {
                "transform": [{"filter": "datum.outcome === '" + _OUTCOMES[0] + "'"}],
                "mark": {"type": "text", "text": "●", "color": "var(--paper)", "fontSize": 10},
            },
            {
                "transform": [{"filter": "datum.outcome === '" + _OUTCOMES[1] + "'"}],
                "mark": {"type": "text", "text": "○", "color": "var(--ink)", "fontSize": 10},
            },
        ],
    }
    # Columns stand in the order of lines: the better metric first.
    order = {key: at for at, key in enumerate(sorted(ranks, key=lambda key: -_known(ranks[key])))}
    extended = tuple(
        (*values, outcome(row), order.get((row.human, row.level, row.coefficient, row.metric_b), 0))
        for values, row in zip(base.rows, rows, strict=True)
    )
    return (
        Chart(
            base.name,
            base.title,
            spec,
            (*fields, "outcome", "at"),
            extended,
            base.switches,
            base.metrics,
        ),
    )


_OUTCOMES = ("agrees better, also after correction", "agrees better before correction only", "not established")
_UNTESTED = "cannot be tested"


def _criteria(result: Confounding) -> tuple[Chart, ...]:
    rows = [row for row in result.table if row.metric is not None and row.method == "bucket"]
    fields = ("metric", "human", "anchor", "estimate", "estimate_within", "within_low", "within_high", "verdict")
    tips = [
        _tip("metric", "metric"),
        _tip("estimate", "correlation", ".3f"),
        _tip("estimate_within", "with the other held fixed", ".3f"),
        _tip("within_low", "from", ".3f"),
        _tip("within_high", "to", ".3f"),
        _tip("verdict", "verdict"),
    ]
    x = {"type": "quantitative", "axis": {"title": "correlation with people", "titleAnchor": "start"}}
    point = {"type": "point", "size": 75, "opacity": 1}
    y = {"y": _y_names("metric"), "tooltip": tips}
    spec: Spec = {
        "height": {"step": 20},
        "layer": [
            _ZERO,
            {
                "mark": {"type": "rule", "strokeWidth": 2.5, "opacity": 0.45},
                "encoding": {**y, "x": {"field": "within_low", **x}, "x2": {"field": "within_high"}},
            },
            {"mark": {**point, "filled": False}, "encoding": {**y, "x": {"field": "estimate", **x}}},
            {"mark": {**point, "filled": True}, "encoding": {**y, "x": {"field": "estimate_within", **x}}},
        ],
    }
    taken = tuple(
        tuple(_short(encode(getattr(row, "criterion" if field == "human" else field))) for field in fields)
        for row in rows
    )
    return (
        Chart(
            "criteria",
            "Correlation over all outputs (Kendall): open as it is, filled (with its interval) with another criterion "
            "held fixed",
            spec,
            fields,
            taken,
            switches=("human",),
            metrics=("metric",),
            pick="anchor",
            sort="estimate",
        ),
    )


def _known(value: float | None) -> float:
    return -2.0 if value is None or math.isnan(value) else value


def _decisions(result: Decisions) -> tuple[Chart, ...]:
    kinds = {
        "both_agree": "both find the same system better",
        "neither": "neither finds a difference",
        "human_only": "only people find a difference",
        "metric_only": "only the metric finds a difference",
        "opposite": "each finds another system better",
    }
    rows = tuple(
        (row.metric, row.human, words, getattr(row, field), at)
        for row in sorted(result.table, key=lambda r: -_known(r.agreement))
        for at, (field, words) in enumerate(kinds.items())
    )
    spec: Spec = {
        "height": {"step": 20},
        "mark": {"type": "bar", "tooltip": True, "stroke": "var(--paper)", "strokeWidth": 0.7},
        "encoding": {
            "y": _y_names("metric"),
            "x": {
                "field": "pairs",
                "type": "quantitative",
                "stack": "zero",
                "title": "pairs of systems",
                "scale": {"nice": False},
            },
            "color": {
                "field": "outcome",
                "type": "nominal",
                "scale": {
                    "domain": list(kinds.values()),
                    # Neighbours differ in lightness, so the bar reads in grey, too.
                    "range": ["#1f5fa8", "#a9cdf0", "#858585", "#f6c98a", "#a32a26"],
                },
                "legend": {"orient": "bottom", "title": None, "labelLimit": 260},
            },
            "order": {"field": "at"},
            "tooltip": [_tip("metric", "metric"), _tip("outcome", "outcome"), _tip("pairs", "pairs")],
        },
    }
    return (
        Chart(
            "decisions",
            "Pairs of systems on which metric and people come to the same decision",
            spec,
            ("metric", "human", "outcome", "pairs", "at"),
            rows,
            ("human",),
            ("metric",),
        ),
    )


_STROKES: Spec = {
    "orient": "bottom",
    "title": None,
    "symbolType": "stroke",
    "symbolSize": 500,
    "labelExpr": "datum.label === 'human' ? 'people' : 'metric'",
}


def _lines(x: str, y: str, x_title: str, y_title: str, name: str, tips: list[Spec]) -> Spec:
    """Return a line per name, drawn strong under the mouse."""
    return {
        "height": 320,
        "params": [
            {"name": "near", "select": {"type": "point", "on": "pointerover", "fields": [name], "nearest": True}}
        ],
        "encoding": {
            "x": {"field": x, "type": "quantitative", "title": x_title, "scale": {"zero": False, "nice": False}},
            "y": {"field": y, "type": "quantitative", "title": y_title, "scale": {"zero": False}},
            "detail": {"field": name},
            "color": {
                "condition": {"param": "near", "empty": False, "value": "var(--hover)"},
                "field": "kind",
                "type": "nominal",
                "scale": {"domain": ["human", "metric"], "range": ["var(--accent)", "var(--soft)"]},
                "legend": _STROKES,
            },
            "tooltip": tips,
        },
        "layer": [
            {
                "mark": {"type": "line", "strokeWidth": 1.5},
                "encoding": {
                    "strokeDash": {
                        "field": "kind",
                        "type": "nominal",
                        "scale": {"domain": ["human", "metric"], "range": [[1, 0], [5, 3]]},
                        "legend": _STROKES,
                    }
                },
            },
        ],
    }


def _stability(result: Stability) -> tuple[Chart, ...]:
    fields = ("name", "kind", "n_inputs", "mean", "sd")
    tips = [
        _tip("name", "name"),
        _tip("n_inputs", "inputs"),
        _tip("mean", "mean correlation", ".3f"),
        _tip("sd", "standard deviation", ".3f"),
    ]
    spec = _lines("n_inputs", "mean", "inputs in each of two samples", "correlation of the two rankings", "name", tips)
    points = {"mark": {"type": "point", "filled": True, "size": 35, "opacity": 1}}
    spec["layer"] = [*spec["layer"], {**points, "params": spec.pop("params")}]
    return (
        _chart(
            result.table,
            fields,
            name="stability",
            title="How alike two rankings of systems are that rest on two samples of inputs (Kendall)",
            spec=spec,
            metrics=("name",),
        ),
    )


def _pairs(result: ScorePairs) -> tuple[Chart, ...]:
    fields = ("metric", "human", "share", "estimate", "low", "high", "n_pairs")
    tips = [
        _tip("metric", "metric"),
        _tip("share", "closest pairs kept", ".0%"),
        _tip("n_pairs", "pairs"),
        _tip("estimate", "tau", ".3f"),
        _tip("low", "from", ".3f"),
        _tip("high", "to", ".3f"),
    ]
    x: Spec = {"field": "share", "type": "quantitative", "title": "closest pairs kept"}
    x |= {"axis": {"format": ".0%"}, "scale": {"nice": False}}
    spec: Spec = {
        "height": 320,
        "encoding": {"x": x, "tooltip": tips},
        "layer": [
            {
                "mark": {"type": "area", "opacity": 0.18},
                "encoding": {
                    "y": {"field": "low", "type": "quantitative", "title": "agreement with people (tau)"},
                    "y2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "line", "point": True},
                "encoding": {"y": {"field": "estimate", "type": "quantitative"}},
            },
        ],
    }
    return (
        _chart(
            (row for row in result.table if row.kind == "share"),
            fields,
            name="pairs",
            title="Agreement with people over only the pairs of systems whose scores by the metric are closest",
            spec=spec,
            switches=("human",),
            pick="metric",
        ),
    )


def _precision(result: Precision) -> tuple[Chart, ...]:
    fields = ("metric", "system", "inputs", "estimate", "low", "high", "n_inputs")
    tips = [
        _tip("system", "system"),
        _tip("estimate", "mean score", ".4g"),
        _tip("low", "from", ".4g"),
        _tip("high", "to", ".4g"),
        _tip("n_inputs", "inputs"),
    ]
    whole = max((row.inputs for row in result.table), key=lambda kind: kind == "all", default="all")
    return (
        _chart(
            (row for row in result.table if row.inputs == whole),
            fields,
            name="precision",
            title="Mean score of each system, with its interval over inputs",
            spec=_forest(tips, "system", "mean score", zero=False),
            pick="metric",
            sort="estimate",
        ),
    )


def _difficulty(result: Difficulty) -> tuple[Chart, ...]:
    if len(result.inputs) > MOST_INPUTS:
        return ()
    fields = ("metric", "input", "mean_rank", "low", "high", "n_differs", "n_systems")
    tips = [
        _tip("input", "input"),
        _tip("mean_rank", "mean rank", ".1f"),
        _tip("low", "from", ".1f"),
        _tip("high", "to", ".1f"),
        _tip("n_differs", "inputs that differ"),
        _tip("n_systems", "systems"),
    ]
    x = {"field": "input", "type": "nominal", "sort": None, "title": "inputs, easy to hard", "axis": {"labels": False}}
    spec: Spec = {
        "height": 280,
        "encoding": {"x": x, "tooltip": tips},
        "layer": [
            {
                "mark": {"type": "rule", "opacity": 0.5},
                "encoding": {
                    "y": {"field": "low", "type": "quantitative", "title": "mean rank", "scale": {"zero": False}},
                    "y2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 30, "opacity": 1},
                "encoding": {"y": {"field": "mean_rank", "type": "quantitative"}},
            },
        ],
    }
    return (
        _chart(
            result.table,
            fields,
            name="difficulty",
            title="Mean rank of each input over systems, with Tukey's intervals",
            spec=spec,
            pick="metric",
            sort="mean_rank",
        ),
    )


_CHARTS: dict[str, Callable[[Any], tuple[Chart, ...]]] = {
    "agree": _agree,
    "compare": _compare,
    "criteria": _criteria,
    "decisions": _decisions,
    "difficulty": _difficulty,
    "pairs": _pairs,
    "precision": _precision,
    "stability": _stability,
}
