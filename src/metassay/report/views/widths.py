"""Whether scoring the whole test set narrows the intervals, side by side."""

from __future__ import annotations

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Table
from metassay.report.views.columns import build, grouped, optional, span, values, words
from metassay.studies.widths import Widths

BY = f"human {names.STATISTIC} interval"


def table(result: Widths) -> tuple[Table, ...]:
    """Return one table with a section per criterion, statistic and method."""
    rows = result.table
    columns = [
        "metric",
        optional(words("", names.below_sentinels, key=False)),
        f"{span(rows, 'n_annotated')} judged inputs|estimate_a low_a high_a|estimates",
        f"all {span(rows, 'n_inputs')} inputs|estimate_t low_t high_t|estimates",
        "width|width_change|change",
    ]
    mine = grouped(rows, BY)
    sections = [
        (
            f"{one_line(change.human)}, system level, {names.statistic(change)}, {change.interval}: width "
            f"{numbers.change(change.mean)} on average",
            mine[values(change, BY)],
        )
        for change in result.changes
    ]
    return build(
        "Interval widths with judged and with all inputs",
        columns,
        sections,
        f"{names.measure(rows).capitalize()} and {numbers.level(rows[0].confidence)} CI ({rows[0].resamples:,} "
        "resamples) with means of the metric over the judged inputs and over all inputs; width: change from the one "
        "to the other.",
    )
