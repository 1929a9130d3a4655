"""What all scores say together of the systems: loadings, systems on components, and what parts two groups."""

from __future__ import annotations

from metassay.errors import one_line
from metassay.report import numbers
from metassay.report.table import Table
from metassay.report.views.columns import Shown, at, bold, build, figures, grouped, lines, optional
from metassay.studies.profile import Profile, ProfileRow

MOST_SYSTEMS = 30
"""With more systems than this, they are listed only if that is asked for."""
MEASURES = ("auc", "balanced-accuracy", "accuracy")


def default(result: Profile) -> tuple[str, ...]:
    """Return the views that suit the number of systems and groups."""
    chosen = {"loadings": True, "separation": result.groups, "systems": result.n_systems <= MOST_SYSTEMS}
    return tuple(view for view, wanted in chosen.items() if wanted)


def loadings(result: Profile) -> tuple[Table, ...]:
    """Return metrics × components."""
    rows = _of(result, "loading")
    shares = {row.component: row.value for row in _of(result, "component")}

    def column(component: int) -> Shown:
        header = f"PC{component} ({numbers.percent(shares[component])})"
        return at(bold(f"{header}|value|two", lambda row: abs(row.value) >= 0.5), "component", component)

    metrics = lines(rows, "name")
    return build(
        "Principal components of the scores",
        ["metric|name", *map(column, _components(rows))],
        [(f"{result.n_systems:,} systems × {len(metrics):,} columns", metrics)],
        "Correlation of the systems' scores with each principal component; in brackets, its share of the variance.",
        bold="0.5 or more",
    )


def systems(result: Profile) -> tuple[Table, ...]:
    """Return systems × components, and the composite if there is one."""
    rows = _of(result, "system")
    composite = {row.name: row.value for row in rows if row.measure == "composite"}
    scores = {(row.name, row.component): row.value for row in rows if row.measure == "score"}
    components = _components(rows)

    def first(line: list[ProfileRow]) -> float:
        who = line[0].name
        return -(composite[who] if composite else scores[who, components[0]])

    columns = [
        "system|name",
        optional("group"),
        *(at(f"PC{c}|value|two", "measure component", ("score", c)) for c in components),
        composite and at("composite|value|two", "measure", "composite"),
    ]
    about = "In standard deviations of one metric, 0 for the average system."
    return build("Systems", columns, [("", sorted(lines(rows, "name"), key=first))], about)


def separation(result: Profile) -> tuple[Table, ...]:
    """Return how well the composite and each metric part the two groups, the best first."""
    if not result.groups:
        return ()
    rows = _of(result, "separation")
    best = {measure: max(row.value for row in mine) for measure, mine in grouped(rows, "measure").items()}
    weights = {row.name: row.value for row in _of(result, "weight")}
    first, second = (one_line(group, 40) for group in result.groups)

    def is_best(row: ProfileRow) -> bool:
        return bool(row.value == best[row.measure])

    columns = [
        "|name",
        at(bold("AUC|value low high|estimates", is_best), "measure", "auc"),
        at(bold("balanced accuracy|value low high|estimates", is_best), "measure", "balanced-accuracy"),
        at(bold("accuracy|value|correlation", is_best), "measure", "accuracy"),
        at("higher|group|word", "measure", "auc"),
        figures("weight", lambda line: weights.get(line[0].name), numbers.two),
    ]

    def order(line: list[ProfileRow]) -> list[float]:
        by_measure = {row.measure: -row.value for row in line}
        return [by_measure[measure] for measure in MEASURES]

    return build(
        f"Separation of {first} and {second}",
        columns,
        [("", sorted(lines(rows, "name"), key=order))],
        f"On held-out systems; in brackets, {numbers.level(result.confidence)} CI. AUC: share of "
        "pairs of systems, one of each group, in the right order; 0.5 is chance. Higher: the group with the higher "
        "scores.",
        f"Weight: in the composite, on standardised scores; positive favours {first}. Absolute weights sum to 1.",
        bold="the best of each column",
    )


def _components(rows: list[ProfileRow]) -> list[int]:
    """Return the numbers of the components that occur, in order."""
    return sorted({row.component for row in rows if row.component is not None})


def _of(result: Profile, kind: str) -> list[ProfileRow]:
    return [row for row in result.table if row.kind == kind]
