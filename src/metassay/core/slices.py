"""A study done on one part of the scores after the other: which parts there are, and what they gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from metassay.core import fields, vocabulary
from metassay.core.column import EXTRA_AXES
from metassay.core.declaring import part_of, plain_number
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores, natural
from metassay.errors import DataError, UnknownName, UsageError, one_line

MOST = 40
"""More slices than this are a column that names things instead of sorting them."""
BETWEEN = "between_slices"
"""What the table of differences between slices is called, beside the tables of the study."""
Codes = npt.NDArray[np.int64]


@fields.row
class SliceDifference:
    """Whether one number of a study differs between slices."""

    metric: str
    """The metric, or ``A − B`` where two are compared; empty if the rows of the study have none."""
    human: str
    """The human criterion, empty likewise."""
    level: str
    """The level, empty likewise."""
    statistic: str
    """The statistic, empty likewise."""
    other: tuple[str, ...]
    """What else distinguishes rows of the study, each as ``name=value``."""
    quantity: str
    """The field of the study's rows that is compared."""
    n_slices: int
    """Slices in which it is defined."""
    lowest: str
    """The slice in which it is lowest."""
    low: float
    """Its value there."""
    highest: str
    """The slice in which it is highest."""
    high: float
    """Its value there."""
    difference: float
    """The highest value less the lowest."""
    p_value: fields.PValue
    p_corrected: float
    """The p-value after Holm's correction for all rows of the table."""
    test: str
    """``permutation`` (units dealt to the slices at random), ``intervals`` (heterogeneity of the estimates, from their
    confidence intervals), or ``none``."""


class Slices(Result, study="slices"):
    """What a study found in each slice of the data, and whether the slices differ."""

    table: Sequence[SliceDifference]
    """One row per number of the study that several slices have."""
    by: str
    """The column that defines the slices."""
    labels: tuple[str, ...]
    """The slices."""
    results: tuple[Result, ...]
    """What the study found in each of them."""
    alpha: float
    """The significance level of the differences."""

    def __post_init__(self) -> None:
        if not self.results or len(self.labels) != len(self.results):
            raise DataError(f"slices must have a result each, got {len(self.labels)} and {len(self.results)}")

    @property
    def of(self) -> str:
        """The study's name."""
        return self.results[0].study

    def __getitem__(self, label: str) -> Result:
        """Return what the study found in one slice."""
        if label not in self.labels:
            raise UnknownName("slice", label, self.labels)
        return self.results[self.labels.index(label)]

    @classmethod
    def tables(cls) -> tuple[str, ...]:
        """Return the tables that every study has in slices; :meth:`rows` knows those of the study at hand, too."""
        return ("table", BETWEEN)

    def rows(self, of: str = "table") -> list[dict[str, Any]]:
        """Return the rows of all slices, with the slice first; ``between_slices`` are those of this table."""
        if of == BETWEEN:
            return super().rows()
        vocabulary.choice(f"table of {self.of}", of, (BETWEEN, *self.results[0].tables()))
        parts = zip(self.labels, self.results, strict=True)
        return [{"slice": label, **row} for label, result in parts for row in result.rows(of)]


@dataclass(frozen=True, slots=True)
class Sliced:
    """The parts of scores."""

    parts: dict[str, Scores]
    """The scores of each slice."""
    axis: Literal["input", "system", "output", "axis"]
    """What the slices are made of: ``axis`` for languages, references or annotators."""
    codes: Codes
    """The slice of each input or system, -1 for none; empty for outputs and further axes."""
    notes: tuple[Note, ...]
    """What was left out."""


def sliced(scores: Scores, by: str) -> Sliced:
    """Cut scores into slices.

    Parameters
    ----------
    scores
        The scores.
    by
        An attribute of inputs, systems or outputs; a column of few different values; ``cluster``, ``family`` or
        ``group``; or ``language``, ``reference`` or ``annotator``.
    """
    known = {"cluster": scores.clusters, "family": scores.families, "group": scores.groups}
    if by in EXTRA_AXES and any(column.labels(by) for column in scores.columns.values()):
        return _along(scores, by)
    if by in scores.attributes:
        attribute = scores.attributes[by]
        codes, labels, axis = attribute.codes.astype(np.int64), attribute.labels, attribute.axis
        assert axis != "vote"
    elif known.get(by):
        axis, of = ("input" if by == "cluster" else "system"), known[by]
        labels = tuple(dict.fromkeys(of.values()))
        where = {label: at for at, label in enumerate(labels)}
        names = scores.inputs if axis == "input" else scores.systems
        codes = np.array([where.get(of.get(name, ""), -1) for name in names])
    elif by in scores.columns:
        codes, labels, axis = _of_column(scores, by)
        scores = scores.select(columns=[name for name in scores.columns if name != by])
    else:
        there = [axis for axis in EXTRA_AXES if any(column.labels(axis) for column in scores.columns.values())]
        raise UnknownName("column of slices", by, (*scores.attributes, *(n for n in known if known[n]), *there))
    labels, codes = _ordered(labels, codes, by)
    notes = Note.when((codes < 0).any(), "slices-missing", by=by, n=int((codes < 0).sum()), axis=axis)
    given = axis == "input" and any(column.system_scores is not None for column in scores.columns.values())
    notes += Note.when(given, "slices-without-system-scores", by=by)
    parts = {label: part_of(scores, axis, codes == at) for at, label in enumerate(labels)}
    return Sliced(parts, axis, codes if axis != "output" else np.empty(0, dtype=np.int64), tuple(notes))


def _ordered(labels: Sequence[str], codes: Codes, by: str) -> tuple[tuple[str, ...], Codes]:
    """Return the labels that are used, in natural order."""
    used = sorted((labels[at] for at in np.unique(codes[codes >= 0]).tolist()), key=natural)
    if not used:
        raise DataError(f"{one_line(by)!r} is missing everywhere, so it cannot make slices")
    if len(used) > MOST:
        raise UsageError(
            f"{one_line(by)!r} has {len(used):,} different values; slices need a column with at most {MOST}, such as a "
            "category or a language"
        )
    where = np.array([*(used.index(label) if label in used else -1 for label in labels), -1])
    return tuple(used), where[codes]


def _of_column(scores: Scores, by: str) -> tuple[Codes, tuple[str, ...], Literal["input", "system", "output"]]:
    """Return the slices that the numbers or labels of a column make."""
    column = scores[by]
    values = column.mean() if not column.scale.labels else scores.codes(by)
    every = np.unique(values[~np.isnan(values)])
    labels = tuple(column.scale.labels[int(v)] if column.scale.labels else plain_number(v) for v in every.tolist())
    codes = np.where(np.isnan(values), -1, np.searchsorted(every, np.where(np.isnan(values), 0, values)))
    shared = codes.max(axis=0)
    if ((codes == shared) | (codes < 0)).all():
        return shared, labels, "input"
    alone = codes.max(axis=1)
    return (alone, labels, "system") if ((codes == alone[:, None]) | (codes < 0)).all() else (codes, labels, "output")


def _along(scores: Scores, axis: str) -> Sliced:
    """Return the slices along languages, references or annotators; columns without the axis belong to all of them."""
    every = [label for column in scores.columns.values() for label in column.labels(axis)]
    parts = {}
    for label in sorted(dict.fromkeys(every), key=natural):
        columns = {}
        for name, column in scores.columns.items():
            labels = column.labels(axis)
            if labels and label not in labels:
                continue
            if labels:
                at = [each for each, _ in column.axes].index(axis)
                values = np.moveaxis(column.values, at, 0)[labels.index(label)]
                column = replace(column, values=values, axes=column.axes[:at] + column.axes[at + 1 :])
            columns[name] = column
        own = [~np.isnan(c.values) for n, c in columns.items() if scores[n].labels(axis)]
        there = np.any([known.reshape(-1, *scores.shape).any(axis=0) for known in own], axis=0)
        parts[label] = part_of(replace(scores, columns=columns), "output", there)
    if len(parts) > MOST:
        raise UsageError(f"there are {len(parts):,} {axis}s; at most {MOST} slices are possible; select some first")
    return Sliced(parts, "axis", np.empty(0, dtype=np.int64), ())
