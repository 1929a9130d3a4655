"""Which metrics of texts there are, and whether they can run here."""

from __future__ import annotations

from dataclasses import replace

from metassay.errors import one_line
from metassay.report.table import Table
from metassay.report.views.columns import build, grouped, words
from metassay.texts.scorers.registry import Catalogue

SHORT = 46
"""Characters of what a metric measures that leave a line within 80 columns."""
_NEEDS = {"references": "ref", "source": "src", "references, source": "any"}


def default(result: Catalogue) -> tuple[str, ...]:
    """Return everything about metrics that were named, or a line for each of all."""
    return ("details",) if result.options or len(result.table) == 1 else ("table",)


def table(result: Catalogue) -> tuple[Table, ...]:
    """Return one line per metric."""
    columns = [
        "metric|name",
        words("needs", lambda row: _NEEDS.get(row.needs, row.needs), key=False),
        words("ready", lambda row: "yes" if row.installed else "no", key=False),
        words("what it measures", lambda row: one_line(row.summary, SHORT), key=False),
    ]
    made = build(
        "Metrics that score texts",
        columns,
        [("", result.table)],
        "needs: ref references, src source, any either of them; ready: whether it is installed.",
        "metassay metrics NAME shows how to install it, whom to cite, and its options.",
    )
    return tuple(replace(table, whole=True) for table in made)


def details(result: Catalogue) -> tuple[Table, ...]:
    """Return all that is known of each metric, and its options."""
    tables: list[Table] = []
    pair = [words("", lambda fact: fact[0]), words("", lambda fact: fact[1], whole=True)]
    headings = ("option||whole", "default||whole", "meaning||whole")
    options = grouped(result.options, "metric")
    for row in result.table:
        known = {
            "measures": row.summary,
            "needs": row.needs or "the output only",
            "installed": "yes" if row.installed else "no",
            "install with": row.install,
            "licence": row.licence,
            "cite": row.citation,
        }
        tables += build(row.name, pair, [("", [fact for fact in known.items() if fact[1]])])
        mine = [("", options[row.name])] if row.name in options else []
        tables += build(f"Options: {row.name}[option=value,…]", headings, mine)
    return tuple(tables)
