"""Whether a small difference in score means anything: curves over the closest pairs, chances, and triangles."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import Data, Multiples, chosen, distinct, extent, records
from metassay.charts.shapes import cells, dots, draw, numbers, rule, series, shade, tips, written
from metassay.charts.shapes import curves as lines
from metassay.charts.theme import SOFT, WARN, Spec
from metassay.errors import UsageError
from metassay.studies.pairs import ScorePairs

FEW = 8
"""Up to so many panels have room for further numbers."""
POINTS = 60
"""How many points make a curve look smooth."""
NEEDED = {
    "share": ("curves", "shares of the closest pairs; leave shares at its default"),
    "curve": ("chance", "the fitted curve; leave curve at its default"),
    "triangle": ("triangle", "the triangle; ask for it with --triangle 10 or triangle=True"),
}


def curves(result: ScorePairs, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return r_sys Δ(0, u) over the closest pairs with its band, a panel per metric.

    The form is that of Deutsch, Dror and Roth (2022), Figure 6: shares of the pairs below, the largest score difference
    among them above.
    """
    rows = _rows(result, "share", "share upper n_pairs estimate low high", only)
    for row in rows:
        row["u"] = "" if row["upper"] is None or row["share"] not in (0.2, 0.6, 1.0) else f"{row['upper']:.2g}"
    x = numbers("share", "closest pairs", [0, 1.03], format="%", values=[0.2, 0.6, 1])
    y = numbers("estimate", "Kendall's τ", extent(rows, "estimate", "low", "high", also=[0], air=0.08))
    about = tips(
        "metric, human, share|closest pairs|.0%, n_pairs|pairs, upper|largest difference|.3g, estimate|τ|.3f, ±.3f"
    )
    layers = [rule("y", y, 0), *lines(x, y, tooltip=about, **_people(rows))]
    told = [*_one_human(rows), f"band: {_confidence(result)}"]
    few = len(distinct(rows, "metric")) <= FEW and len(distinct(rows, "human")) == 1
    if few:
        told.append("on top: largest score difference among the pairs")
        on_top = {"x": x, "text": {"field": "u", "type": "nominal"}}
        layers.append(draw("text", on_top, y=-6, color=SOFT, fontSize=9))
    title = "Agreement with human scores over the pairs of systems that are closest in score"
    size: dict[str, Any] = {"width": (86, 170), "height": 110 if few else 78, "head": 12 if few else 0}
    return Multiples(title, rows, layers, ("metric",), ", ".join(told), **size)


def chance(result: ScorePairs, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the fitted chance that people agree by the score difference, with its band and the differences needed."""
    pairs = dict.fromkeys((row["metric"], row["human"]) for row in _rows(result, "curve", "agreement", only))
    fits = {(c.metric, c.human): c for c in result.curves}
    blank = dict.fromkeys(("chance", "low", "high", "needed", "difference"))
    rows: Data = []
    for pair in pairs:
        name: dict[str, Any] = {"metric": pair[0], "human": pair[1], **blank}
        for step in range(POINTS + 1):
            difference = fits[pair].largest * step / POINTS
            middle, low, high = (None if v != v else v for v in fits[pair].chance(difference))
            rows.append(name | {"difference": difference, "chance": middle, "low": low, "high": high})
        for need in result.table:
            if (need.kind, need.metric, need.human) == ("needed", *pair) and need.estimate <= fits[pair].largest:
                rows.append(name | {"difference": need.estimate, "needed": need.agreement})
    x = numbers("difference", "difference in score", tickCount=3)
    x["scale"]["padding"] = 0
    y = numbers("chance", "people agree", extent(rows, "low", "high", "chance", also=[0.5, 1], air=0.08), format="%")
    about = tips("metric, human, difference||.3g, chance|people agree|.1%, ±.1%")
    curve = [
        layer | {"transform": [{"filter": "isValid(datum.chance)"}]}
        for layer in lines(x, y, tooltip=about, points=False, **_people(rows))
    ]
    place = {"x": x, "y": {**y, "field": "needed"}}
    place["tooltip"] = tips("metric, human, difference|difference needed|.3g, needed|for|.0%")  # type: ignore[assignment]
    needed = dots(place, 40, shape="diamond", color=WARN)
    wanted = sorted({r.agreement for r in result.table if r.kind == "needed"})
    marks = f", diamond: difference needed for {', '.join(f'{v:.4g}' for v in wanted)}" if wanted else ""
    told = ", ".join([*_one_human(rows), f"band: {_confidence(result)}{marks}"])
    title = "Probability that people agree that the higher-scored system is better"
    size: dict[str, Any] = {"width": (86, 170), "height": 78 if len(distinct(rows, "metric")) > FEW else 110}
    return Multiples(title, rows, [rule("y", y, 0.5), *curve, needed], ("metric",), told, **size)


def triangle(result: ScorePairs, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return r_sys Δ(l, u) for all l and u as a map, a panel per metric and criterion.

    The form is that of Deutsch, Dror and Roth (2022), Figure 9: the closest pairs are at the top left, all pairs at the
    top right, and the pairs farthest apart at the bottom right.
    """
    rows = _rows(result, "triangle", "share share_below n_pairs estimate low high lower upper", only)
    for row in rows:
        row |= {"l": round(100 * row["share_below"]), "u": round(100 * (row["share_below"] + row["share"]))}
        text = "" if row["estimate"] is None else f"{row['estimate']:.2f}"
        row["text"] = text.replace("0.", ".", 1).replace("1.00", "1").replace("-", "−")
    steps = len(distinct(rows, "l"))
    large = len({(row["metric"], row["human"]) for row in rows}) <= 4 and steps <= 10
    ends = extent(rows, "estimate", air=0)
    percent = {"domain": False, "ticks": False, "labelAngle": 0, "labelOverlap": True}
    x: Spec = {"field": "u", "type": "ordinal", "axis": {"title": "closest pairs up to u, %", **percent}}
    y: Spec = {"field": "l", "type": "ordinal", "axis": {"title": "left out below l, %", **percent}}
    about = tips("metric, human, l|left out (%), u|up to (%), n_pairs|pairs, estimate|τ|.3f, ±.3f")
    layers = cells(x, y, shade("estimate", ends, "Kendall's τ"), about, "estimate")
    if large:
        layers.append(written(x, y, "text", "estimate", ends[0] + 0.6 * (ends[1] - ends[0]), size=8.5))
    side = steps * (24 if large else 8.6)
    title = "Agreement with human scores over pairs of systems between two score differences"
    told = "a cell: all pairs whose difference in score lies between l and u"
    return Multiples(title, rows, layers, ("metric", "human"), told, width=(side, side), height=side)


def _rows(result: ScorePairs, kind: str, fields: str, only: dict[str, Any]) -> Data:
    """Return the rows of a kind."""
    table = [row for row in result.table if row.kind == kind]
    if not table:
        raise UsageError("the figure {} needs {}".format(*NEEDED[kind]))
    return chosen(records(table, f"metric human {fields}"), only)


def _people(rows: Data) -> dict[str, Any]:
    """Return colours that tell human criteria apart, if there are several."""
    humans = distinct(rows, "human")
    return {"colour": series("human", humans)[0], "detail": "human", "band": 0.08} if len(humans) > 1 else {}


def _one_human(rows: Data) -> list[str]:
    humans = distinct(rows, "human")
    return humans if len(humans) == 1 else []


def _confidence(result: ScorePairs) -> str:
    return f"{100 * result.table[0].confidence:g}% CI"
