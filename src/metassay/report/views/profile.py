"""What all scores say together of the systems: loadings, systems on components, and what parts two groups."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from metassay.errors import one_line
from metassay.report import numbers
from metassay.report.table import Column, Section, Table, distinct, name, number

if TYPE_CHECKING:
    from metassay.studies.profile import Profile, ProfileRow

MOST_SYSTEMS = 30
"""With more systems than this, they are listed only if that is asked for."""


def default(result: Profile) -> tuple[str, ...]:
    """Return the views that suit the number of systems and groups."""
    shown = ["loadings"]
    if result.groups:
        shown.append("separation")
    if result.n_systems <= MOST_SYSTEMS:
        shown.append("systems")
    return tuple(shown)


def loadings(result: Profile) -> tuple[Table, ...]:
    """Return metrics × components."""
    found = _cells(result, "loading", "correlation")
    shares = {row.component: row.value for row in result.table if row.kind == "component"}
    components = distinct_numbers(row.component for row in _of(result, "loading"))
    columns = [Column("metric", "left", key=True)]
    columns += [Column(f"PC{c} ({numbers.percent(shares[c])})") for c in components]
    lines = [
        (name(who), *(number(numbers.fixed(found[who, c], 2), abs(found[who, c]) >= 0.5) for c in components))
        for who in distinct(row.name for row in _of(result, "loading"))
    ]
    section = Section(f"{result.n_systems:,} systems × {len(lines):,} columns", tuple(lines))
    legend = (
        "Correlation of the systems' scores with each principal component; in brackets, its share of the variance.",
    )
    return (Table("What scores have in common", tuple(columns), (section,), legend, "0.5 and more"),)


def systems(result: Profile) -> tuple[Table, ...]:
    """Return systems × components, and the composite if there is one."""
    found = _cells(result, "system", "score")
    composite = {row.name: row.value for row in _of(result, "system") if row.measure == "composite"}
    components = distinct_numbers(row.component for row in _of(result, "system"))
    groups = {row.name: row.group for row in _of(result, "system")}
    grouped = any(groups.values())
    columns = [Column("system", "left", key=True), *([Column("group", "left", key=True)] if grouped else [])]
    columns += [Column(f"PC{c}") for c in components] + ([Column("composite")] if composite else [])
    first = components[0] if components else None
    lines = []
    for who in sorted(groups, key=lambda system: -(composite or {s: found[s, first] for s in groups})[system]):
        cells = [name(who), *([name(groups[who] or "")] if grouped else [])]
        cells += [number(numbers.fixed(found[who, c], 2)) for c in components]
        cells += [number(numbers.fixed(composite[who], 2))] if composite else []
        lines.append(tuple(cells))
    legend = ("In standard deviations of one metric, 0 for the average system.",)
    return (Table("Systems", tuple(columns), (Section("", tuple(lines)),), legend),)


def separation(result: Profile) -> tuple[Table, ...]:
    """Return how well the composite and each metric part the two groups, the best first."""
    if not result.groups:
        return ()
    rows: dict[str, dict[str, ProfileRow]] = {}
    for row in _of(result, "separation"):
        rows.setdefault(row.name, {})[row.measure] = row
    weights = {row.name: row.value for row in _of(result, "weight")}
    first, second = (one_line(g, 40) for g in result.groups)
    columns = [Column("", "left", key=True), Column("AUC"), Column("balanced accuracy"), Column("accuracy")]
    columns += [Column("higher", "left"), Column("weight")]
    order = sorted(rows, key=lambda who: [-rows[who][m].value for m in ("auc", "balanced-accuracy", "accuracy")])
    texts = {m: _written(rows[who][m] for who in order) for m in ("auc", "balanced-accuracy")}
    best = {m: max(rows[who][m].value for who in order) for m in ("auc", "balanced-accuracy", "accuracy")}
    lines = []
    for at, who in enumerate(order):
        mine = rows[who]
        lines.append(
            (
                name(who),
                *(number(texts[m][at], mine[m].value == best[m]) for m in texts),
                number(numbers.fixed(mine["accuracy"].value, 3), mine["accuracy"].value == best["accuracy"]),
                name(mine["auc"].group or ""),
                number(numbers.fixed(weights[who], 2) if who in weights else ""),
            )
        )
    legend = (
        f"On systems that were held out; in brackets, {100 * result.confidence:g}% intervals. AUC: share of pairs of "
        f"systems, one of each group, in the right order; 0.5 is chance. Higher: the group with the higher scores.",
        f"Weight: in the composite, on standardised scores; positive speaks for {first}. Sizes sum to one.",
    )
    title = f"What tells {first} from {second}?"
    return (Table(title, tuple(columns), (Section("", tuple(lines)),), legend, "the best of each column"),)


def distinct_numbers(values: Iterable[int | None]) -> list[int]:
    """Return the numbers that occur, in order."""
    return sorted({value for value in values if value is not None})


def _written(rows: Iterable[ProfileRow]) -> list[str]:
    return numbers.with_intervals([(row.value, row.low, row.high) for row in rows])


def _of(result: Profile, kind: str) -> list[ProfileRow]:
    return [row for row in result.table if row.kind == kind]


def _cells(result: Profile, kind: str, measure: str) -> dict[tuple[str, int | None], float]:
    return {(row.name, row.component): row.value for row in _of(result, kind) if row.measure == measure}
