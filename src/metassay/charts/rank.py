"""Who wins: systems with intervals of their strength and the ranks that remain possible, and who beats whom."""

from __future__ import annotations

from collections import Counter
from typing import Any

from metassay.charts.panels import Data, Multiples, best_first, chosen, distinct, extent, records
from metassay.charts.shapes import cells, names, numbers, rule, shade, tips, undefined
from metassay.charts.shapes import intervals as marks
from metassay.charts.theme import KIND, OTHER
from metassay.studies.rank import Ranking

MEASURES = {
    "bradley-terry": "strength (log odds)",
    "controlled": "strength, controlled",
    "win-rate": "votes won",
    "elo": "Elo rating",
    "mean": "mean score",
}
LARGEST = 25
"""Systems of a matrix that can be read."""
WHOSE = {"domain": [*KIND["domain"], ""], "range": [*KIND["range"], OTHER]}


def intervals(result: Ranking, *, statistic: str | None = None, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the systems of each ranking with the interval of their strength, or mean: a panel per rater or metric."""
    first = statistic or result.table[0].statistic
    fields = "metric kind system statistic estimate low high rank rank_low rank_high n"
    rows = records(result.table, fields, {"statistic": first, **only})
    rows = best_first(rows, "system", "estimate", ("metric",))
    y = names("system", distinct(rows, "system"), grid=True)
    x = numbers("estimate", MEASURES[first], None if first == "mean" else extent(rows, "estimate", "low", "high"))
    about = tips("system, estimate||.3f, ±.3f, rank, rank_low|rank from, rank_high|rank to, n|votes or inputs")
    colour = {"field": "kind", "type": "nominal", "scale": WHOSE, "legend": None}
    layers = [*marks(y, x, tooltip=about, colour=colour), undefined(y, "estimate")]
    if first in ("bradley-terry", "controlled"):
        layers.insert(0, rule("x", x, 0))
    told = f"dot: estimate, line: {100 * result.table[0].confidence:g}% CI"
    told += ", 0: an average system" if len(layers) == 4 else ""
    return Multiples("Ranking of systems", rows, layers, ("metric",), told, lines="system", sort="estimate", metrics=())


def ranks(result: Ranking, *, statistic: str | None = None, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the ranks that remain possible for each system: a panel per rater or metric."""
    first = statistic or result.table[0].statistic
    fields = "metric kind system statistic estimate rank rank_low rank_high n"
    rows = best_first(records(result.table, fields, {"statistic": first, **only}), "system", "estimate", ("metric",))
    y = names("system", distinct(rows, "system"), grid=True)
    last = max((row["rank_high"] or row["rank"] for row in rows), default=1)
    x = numbers("rank", "rank", (0.5, last + 0.5), tickMinStep=1, format="d")
    about = tips("system, rank, rank_low|from, rank_high|to, n|votes or inputs")
    colour = {"field": "kind", "type": "nominal", "scale": WHOSE, "legend": None}
    layers = marks(y, x, ends=("rank_low", "rank_high"), tooltip=about, colour=colour)
    told = f"dot: rank by the estimate, line: ranks that remain possible ({100 * result.table[0].confidence:g}% CI)"
    return Multiples("Ranks of systems", rows, layers, ("metric",), told, lines="system", sort="estimate", metrics=())


def matrix(result: Ranking, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the share of votes, or inputs, that each of the best systems won against each other: a panel per rater."""
    rows: Data = []
    for row in records(result.wins, "metric system_a system_b share wins ties losses"):
        turned = {"system_a": row["system_b"], "system_b": row["system_a"], "share": 1 - row["share"]}
        rows += [row, {**row, **turned, "wins": row["losses"], "losses": row["wins"]}]
    rows = chosen(rows, only)
    places: dict[tuple[str, str], int] = {}
    counted: Counter[str] = Counter()
    for each in result.table:
        if (each.metric, each.system) not in places:
            places[each.metric, each.system] = counted[each.metric]
            counted[each.metric] += 1
    for row in rows:
        row["at"] = places[row["metric"], row["system_b"]]
    rows = [row for row in rows if max(row["at"], places[row["metric"], row["system_a"]]) < LARGEST]
    rows.sort(key=lambda row: (places[row["metric"], row["system_a"]], row["at"]))
    y = names("system_a", distinct(rows, "system_a"))
    sort = {"sort": {"field": "at", "op": "min"}}
    x = names("system_b", distinct(rows, "system_a"), orient="top", labelAngle=-90) | sort
    about = tips("system_a|row, system_b|column, share|won|.1%, wins, ties, losses")
    layers = cells(x, y, shade("share", [0, 1], "row won against column", format="%"), about, "share")
    look: dict[str, Any] = {"lines": "system_a", "metrics": ("system_a", "system_b"), "own": True, "square": True}
    most = f"the best {LARGEST}, " if max(counted.values(), default=0) > LARGEST else ""
    return Multiples("Wins between systems", rows, layers, ("metric",), f"{most}best on top, ties counted half", **look)
