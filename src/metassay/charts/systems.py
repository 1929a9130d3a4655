"""Which systems differ: how many pairs each test finds, and which."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import Data, Multiples, chosen, distinct, records
from metassay.charts.shapes import cells, key, names, outcome, outcomes, stacked, tips
from metassay.core import vocabulary
from metassay.studies.systems import SystemComparison


def bars(result: SystemComparison, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return how many pairs of systems differ by each metric, before and after correction: a panel per test."""
    counts = [c for c in result.counts if c.group_a is None and c.group_b is None]
    fields = "metric test cutoff n_pairs n_undefined n_significant n_significant_corrected"
    kinds = _kinds(result, "systems differ", untested=any(c.n_undefined for c in counts))
    rows: Data = []
    for row in records(counts, fields, only):
        strong, either, none = (row.pop(f"n_{part}") for part in ("significant_corrected", "significant", "undefined"))
        parts = dict.fromkeys(kinds, 0) | {next(iter(kinds)): strong, "not significant": row["n_pairs"] - either - none}
        if len(parts) > 2 and result.table[0].correction != "none":
            parts[list(kinds)[1]] = either - strong
        if none:
            parts["cannot be tested"] = none
        total = row["n_pairs"] or 1
        rows += [
            {**row, "outcome": words, "pairs": n, "share": n / total, "at": at}
            for at, (words, n) in enumerate(parts.items())
        ]
    y = names("metric", distinct(rows, "metric"))
    about = tips("metric, outcome, pairs, share||.1%")
    layers = [stacked(y, "share", "pairs of systems", key("outcome", kinds, columns=1), about)]
    return Multiples("Pairs of systems that differ significantly", rows, layers, ("test", "cutoff"), lines="metric")


def matrix(result: SystemComparison, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return every pair of systems: dark if the row is better than the column after correction, lighter if only before.

    Systems stand by group, and within it by how far they are ahead of the others.
    """
    groups = {r.system_a: r.group_a for r in result.table} | {r.system_b: r.group_b for r in result.table}
    untested = any(r.p_value != r.p_value for r in result.table)
    kinds = _kinds(result, "row better than column", untested=untested)
    rows: Data = []
    for r in result.table:
        tested = r.p_value == r.p_value
        worse = r.alternative == "less" or (r.alternative == "two-sided" and r.test_statistic < 0)
        words = outcome(kinds, significant=r.significant, corrected=r.significant_corrected, tested=tested)
        (found,) = records([r], "metric test cutoff p_value mean_difference effect n_inputs")
        a, b = (r.system_b, r.system_a) if worse else (r.system_a, r.system_b)
        rows.append(found | {"system_a": a, "system_b": b, "outcome": words})
        if r.alternative == "two-sided":  # one of the two orders can be significant
            other = "not significant" if tested else "cannot be tested"
            rows.append(found | {"system_a": b, "system_b": a, "outcome": other})
    rows = chosen(rows, only)
    places = {metric: _places(result, metric, groups) for metric in distinct(rows, "metric")}
    for row in rows:
        row["at"] = places[row["metric"]][row["system_b"]]
    rows.sort(key=lambda row: (list(places).index(row["metric"]), places[row["metric"]][row["system_a"]], row["at"]))
    y = names("system_a", groups)
    x = names("system_b", groups, orient="top", labelAngle=-90) | {"sort": {"field": "at", "op": "min"}}
    about = tips(
        "system_a|row, system_b|column, p_value|p|.4f, mean_difference|mean difference|.3g, effect||.3g, outcome"
    )
    sides = [group or "no group" for group in dict.fromkeys(groups.values())]
    told = f"systems by group: {', '.join(sides)}" if len(sides) > 1 else "best on top"
    layers = cells(x, y, key("outcome", kinds, columns=1), about, "p_value")
    look: dict[str, Any] = {"metrics": ("system_a", "system_b"), "own": True, "square": True}
    by = ("metric", "test", "cutoff")
    return Multiples("Tests of all pairs of systems", rows, layers, by, told, lines="system_a", **look)


def _kinds(result: SystemComparison, words: str, *, untested: bool) -> dict[str, str]:
    name = vocabulary.CORRECTION_NAMES.get(result.table[0].correction)
    return outcomes(words, name, result.alpha, untested=untested)


def _places(result: SystemComparison, metric: str, groups: dict[str, str | None]) -> dict[str, int]:
    """Return where each system stands: by group, and within it by how far it is ahead of the others."""
    ahead = dict.fromkeys(groups, 0.0)
    for row in result.table:
        if row.metric == metric and row.mean_difference == row.mean_difference:
            ahead[row.system_a] += row.mean_difference
            ahead[row.system_b] -= row.mean_difference
    sides = list(dict.fromkeys(groups.values()))
    order = sorted(groups, key=lambda name: (sides.index(groups[name]), -ahead[name]))
    return {name: at for at, name in enumerate(order)}
