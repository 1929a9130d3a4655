"""Do the published numbers come out?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from metassay.core import fields, vocabulary
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import UsageError, one_line
from metassay.readers.datasets import data_folder
from metassay.reproduction.checks import FULL, QUICK, CannotCheckError, Desk, Numbers, compute
from metassay.reproduction.published import Figure, figures, papers, remarks

ROUNDING = 1e-9
"""A number at the edge of its tolerance is within it, whatever the last bit says."""


@dataclass(frozen=True, slots=True)
class ReproductionRow:
    """One published number and ours."""

    paper: str
    """Key of the paper, such as ``deutsch-2021``."""
    where: str
    """Table, figure or section."""
    what: str
    """What numbers of this kind are."""
    number: str
    """Which of them this is."""
    data: str
    """The data set it is about; empty if it is none that metassay knows."""
    published: float
    """What the paper says."""
    ours: float
    """What comes out here; NaN if it cannot be computed."""
    tolerance: float
    """How far ours may be away; NaN if agreement cannot be asked for."""
    within: bool | None
    """Whether ours is within the tolerance; None if that cannot be said."""
    reason: str
    """Why it cannot be said, or why numbers may differ; empty where they agree."""


@dataclass(frozen=True, slots=True)
class FigureOutcome:
    """What came of the numbers that stand together."""

    paper: str
    """Key of the paper."""
    where: str
    """Table, figure or section."""
    what: str
    """What the numbers are."""
    data: str
    """The data set."""
    n: int
    """How many numbers."""
    n_within: int
    """How many are within the tolerance."""
    n_outside: int
    """How many are not."""
    n_unchecked: int
    """For how many it cannot be said."""
    largest: float
    """The largest distance between a published number and ours; NaN if there is none of ours."""
    tolerance: float
    """How far ours may be away."""
    reason: str
    """Why numbers cannot be checked, or may differ."""


class Reproduction(Result, study="reproduce"):
    """Published numbers, ours, and whether they agree."""

    table: Sequence[ReproductionRow]
    """One row per number."""
    figures: tuple[FigureOutcome, ...]
    """One entry per table, figure or sentence of a paper."""

    @property
    def n_outside(self) -> int:
        """How many numbers are not within their tolerance."""
        return sum(row.within is False for row in self.table)


@study
def reproduce(
    folder: str | PathLike[str] | None = None,
    *,
    only: str | Iterable[str] | None = None,
    full: bool = False,
    seed: opt.Seed = 0,
) -> Reproduction:
    """Compute published numbers again, and say which agree within their tolerance.

    Parameters
    ----------
    folder
        The folder of data sets, as ``metassay datasets get`` fills it; by default its default. What is not there is
        told as the reason why a number cannot be checked.
    only
        Keys of papers, names or a comma list, such as ``rankel-2011``; an unknown name lists all.
    full
        Simulate as much as the papers did, and make the checks that take minutes.

    Raises
    ------
    UsageError
        There is no such folder or paper.

    Examples
    --------
    >>> {row.within for row in reproduce(only="rankel-2011").table}
    {None}
    """
    chosen = tuple(papers()) if only is None else vocabulary.choices("paper", only, tuple(papers()))
    root = data_folder(folder)
    if folder is not None and not Path(root).is_dir():
        raise UsageError(f"there is no folder {one_line(root)!r}; fill it with: metassay datasets get all --folder …")
    desk = Desk(root, FULL if full else QUICK, seed)
    rows: list[ReproductionRow] = []
    outcomes: list[FigureOutcome] = []
    for figure in figures():
        if figure.paper in chosen:
            found = _rows(figure, desk)
            rows += found
            outcomes.append(_outcome(figure, found))
    signature = Signature.of(
        "reproduce",
        papers=chosen,
        numbers=len(rows),
        effort="full" if full else "quick",
        coverage=f"1000x{desk.effort.coverage}",
        k=desk.effort.tests,
        power="x".join(map(str, desk.effort.power)),
        seed=seed,
    )
    return Reproduction(tuple(rows), signature, _notes(rows, chosen), tuple(outcomes))


def _rows(figure: Figure, desk: Desk) -> list[ReproductionRow]:
    ours: Numbers = {}
    trouble = ""
    if figure.check:
        try:
            ours = compute(figure.check, desk, figure.data, figure.options)
        except CannotCheckError as reason:
            trouble = one_line(reason, 300)
    return [_row(figure, number, published, ours, trouble) for number, published in figure.values.items()]


def _row(figure: Figure, number: str, published: float, ours: Numbers, trouble: str) -> ReproductionRow:
    got = float(ours.get(number, math.nan))
    tolerance = math.nan if figure.tolerance is None else float(figure.tolerance)
    within: bool | None = None
    if math.isnan(got):
        reason = trouble or figure.cannot or "ours is undefined"
    elif math.isnan(tolerance):
        reason = figure.cannot
    else:
        within = abs(got - published) <= tolerance + ROUNDING
        reason = "" if within else figure.remark
    own = {"published": float(published), "ours": got, "tolerance": tolerance}
    return fields.filled(ReproductionRow, own, figure, number=number, within=within, reason=reason)


def _outcome(figure: Figure, rows: Sequence[ReproductionRow]) -> FigureOutcome:
    away = [abs(row.ours - row.published) for row in rows if not math.isnan(row.ours)]
    return fields.filled(
        FigureOutcome,
        figure,
        n=len(rows),
        n_within=sum(row.within is True for row in rows),
        n_outside=sum(row.within is False for row in rows),
        n_unchecked=sum(row.within is None for row in rows),
        largest=max(away, default=math.nan),
        tolerance=rows[0].tolerance,
        reason=next((row.reason for row in rows if row.reason), ""),
    )


def _notes(rows: Sequence[ReproductionRow], chosen: Sequence[str]) -> tuple[Note, ...]:
    checked = [row for row in rows if row.within is not None]
    within = sum(row.within is True for row in checked)
    unchecked = len(rows) - len(checked)
    return (
        Note.of("numbers-within", within=within, checked=len(checked), unchecked=unchecked, n=len(rows))
        if checked
        else Note.of("numbers-unchecked", n=len(rows)),
        Note.of("reproduction-reading"),
        *(Note.of("paper-remark", paper=key, remark=text) for key, text in remarks().items() if key in chosen),
        *(Note.of("paper-cited", paper=key, citation=papers()[key]) for key in chosen),
    )
