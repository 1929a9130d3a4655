"""A study of each slice: whether slices differ, and the tables of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from metassay.core import vocabulary
from metassay.core.slices import BETWEEN, SliceDifference, Slices
from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Page, Paragraph, Table
from metassay.report.views.columns import build, figures, words

MOST = 15
"""Rows that the table of differences shows; the data formats have all of them."""


def page_of_slices(result: Slices, view: str | Iterable[str] | None = None) -> Page:
    """Return the answer of each slice, whether slices differ, then the tables of each, and notes only some have."""
    from metassay.report.notes import sentences
    from metassay.report.views import names_of, page

    chosen = None if view is None else vocabulary.choices("view", view, (BETWEEN, *names_of(result.of)))
    own = None if chosen is None else tuple(name for name in chosen if name != BETWEEN)
    tables = between_slices(result) if chosen is None or BETWEEN in chosen else ()
    pages = [] if own == () else [page(one, own) for one in result.results]
    lead = [Paragraph((said,)) for said in _differs(result)] if tables else []
    for label, one in zip(result.labels, pages, strict=False):
        head = f"{one_line(result.by, 40)} = {one_line(label, 60)}"
        lead += [replace(said, sentences=(f"{head}: {said.text}",)) for said in one.lead]
        tables += tuple(replace(table, title=f"{head}: {table.title}") for table in one.tables)
    every = [set(one.notes) for one in pages]
    shared = set.intersection(*every) if every else set()
    told = [note for one in pages[:1] for note in one.notes if note in shared]
    told += [
        f"{one_line(label, 60)}: {note}"
        for label, one in zip(result.labels, pages, strict=False)
        for note in one.notes
        if note not in shared
    ]
    return Page(result.of, tables, (*sentences(result.notes), *told), one_line(result.signature, 1000), tuple(lead))


def between_slices(result: Slices) -> tuple[Table, ...]:
    """Return the numbers that differ most surely between slices."""
    rows = sorted(result.table, key=lambda row: (row.p_value != row.p_value, row.p_value, -row.difference))
    shown = rows[:MOST]
    if not shown:
        return ()
    optional = [name for name in ("human", "level", "statistic", "other") if len({getattr(r, name) for r in rows}) > 1]
    tested = [row for row in rows if row.test != "none"]
    columns = [
        any(row.metric for row in rows) and "metric",
        *(words(name, name) if name != "other" else words("", _other(rows)) for name in optional),
        figures("lowest", _end("lowest", "low")),
        figures("highest", _end("highest", "high")),
        figures("difference", "difference", numbers.general),
        bool(tested) and "p|p_value|p_value",
        bool(tested) and "p, Holm|p_corrected|p_value",
    ]
    return build(
        f"Differences between slices of {one_line(result.by, 40)} ({shown[0].quantity} of {result.of}, "
        f"{len(result.labels)} slices)",
        columns,
        [("", shown)],
        bool(tested) and "p: probability of a difference at least this large if slices did not differ.",
        len(rows) > MOST and f"The first {MOST} of {len(rows):,}, by p; JSON and --rows {BETWEEN} have all.",
        undefined="not tested",
    )


def _differs(result: Slices) -> list[str]:
    """Say how many numbers differ significantly between slices, and which of them most surely."""
    tested = sorted((row for row in result.table if row.test != "none"), key=lambda row: row.p_value)
    if not tested:
        return [f"Differences between the values of {one_line(result.by, 40)} cannot be tested here."] * bool(
            result.table
        )
    found = sum(row.p_corrected <= result.alpha for row in tested)
    first = tested[0]
    what = names.measure(tested) if all(row.statistic for row in tested) else first.quantity.replace("_", " ")
    name = ", ".join(one_line(part, 60) for part in (first.metric, first.human) if part)
    low, high = _end("lowest", "low")(first), _end("highest", "high")(first)
    by = f"the {len(result.labels)} values of {one_line(result.by, 40)}"
    said = (
        f"{found:,} of {numbers.counted(len(tested), 'comparison')} {'shows' if found == 1 else 'show'} a significant "
        f"difference between {by} (p, Holm ≤ {result.alpha:g})."
    )
    clearest = f" The clearest: {what}{f' of {name}' if name else ''}, {low} to {high}."
    return [f"{said}{clearest if found else ''}"]


def _other(rows: Iterable[SliceDifference]) -> Callable[[SliceDifference], str]:
    """Return what tells a row apart: the values of what is not the same in all rows."""
    split = {row.other: dict(part.partition("=")[::2] for part in row.other) for row in rows}
    several = {k for each in split.values() for k in each if len({one.get(k) for one in split.values()}) > 1}
    return lambda row: ", ".join(value for key, value in split[row.other].items() if key in several)


def _end(label: str, value: str) -> Callable[[SliceDifference], str]:
    def text(row: SliceDifference) -> str:
        return numbers.general(getattr(row, value)) + f" ({one_line(getattr(row, label), 24)})"

    return text
