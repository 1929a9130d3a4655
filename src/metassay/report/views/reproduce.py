"""Do the published numbers come out: per table of a paper, what disagrees, what cannot be checked, every number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metassay.report import numbers
from metassay.report.table import Table
from metassay.report.views.columns import bold, build, figures, grouped, words

if TYPE_CHECKING:
    from metassay.reproduction.reproduce import FigureOutcome, Reproduction, ReproductionRow


def default(result: Reproduction) -> tuple[str, ...]:
    """Show a line per figure, and what there is beside that."""
    seen = {row.within for row in result.table}
    chosen = {"figures": seen & {True, False}, "outside": False in seen, "unchecked": None in seen}
    return tuple(view for view, wanted in chosen.items() if wanted)


def figures_(result: Reproduction) -> tuple[Table, ...]:
    """Return one row per table, figure or sentence of which numbers could be checked."""

    def within(figure: FigureOutcome) -> str:
        return f"{figure.n_within} of {figure.n_within + figure.n_outside}"

    columns = [
        *("where||whole", "what||whole", "data||word"),
        bold(figures("within", within), lambda figure: figure.n_outside > 0),
        figures("largest diff.", "largest", _plain),
        "tolerance||plain",
    ]
    return build(
        "Published and recomputed numbers",
        columns,
        _papers(figure for figure in result.figures if figure.n_within + figure.n_outside),
        "within: numbers within the tolerance, of those that could be checked.",
        undefined=None,
    )


def outside(result: Reproduction) -> tuple[Table, ...]:
    """Return the numbers that are not within their tolerance, and why they may differ."""
    return _listed("Outside the tolerance", [row for row in result.table if row.within is False], "why it may differ")


def unchecked(result: Reproduction) -> tuple[Table, ...]:
    """Return what cannot be checked, and why."""
    columns = ["where||whole", words("what", _about, whole=True), *("numbers|n_unchecked|count", "why|reason|whole")]
    return build("Numbers that cannot be checked here", columns, _papers(f for f in result.figures if f.n_unchecked))


def numbers_(result: Reproduction) -> tuple[Table, ...]:
    """Return every number."""
    return _listed("Every number", result.table, "remark")


def _papers(rows: Any) -> list[tuple[str, list[Any]]]:  # noqa: ANN401 - figures of papers
    return list(grouped(rows, "paper").items()) or [("", [])]


def _listed(title: str, rows: Sequence[ReproductionRow], why: str) -> tuple[Table, ...]:
    columns = [
        *("where||whole", "number||whole", "published||plain"),
        figures("ours", "ours", _plain),
        bold(words("within", _said, key=False), lambda row: row.within is False),
        f"{why}|reason|whole",
    ]
    sections = [
        (f"{mine[0].paper}: {_about(mine[0])}", mine) for mine in grouped(rows, "paper where what data").values()
    ]
    return build(title, columns, sections or [("", [])], undefined=None)


def _said(row: ReproductionRow) -> str:
    said = {True: "yes", False: "no", None: "cannot say"}[row.within]
    return said if math.isnan(row.tolerance) or row.within is None else f"{said} (± {row.tolerance:g})"


def _plain(value: float) -> str:
    """Return a number; counts without decimals."""
    return f"{value:.0f}" if value >= 1 and value.is_integer() else numbers.general(value)


def _about(row: FigureOutcome | ReproductionRow) -> str:
    return f"{row.what} ({row.data})" if row.data else row.what
