"""A ledger of single scores, each with the place it came from, that adds up to Scores."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from metassay.core.scores import EXTRA_AXES, Column, Kind, Scores, contradiction, natural
from metassay.errors import DataError, FormatError, one_line


class Place(NamedTuple):
    """Where a score was found."""

    file: str
    line: int | None = None

    def __str__(self) -> str:
        return one_line(self.file) + (f", line {self.line}" if self.line is not None else "")


class _Page(NamedTuple):
    """The scores of one column."""

    cells: dict[tuple[str, str, str, str, str], tuple[float, Place]]
    labels: dict[str, dict[str, None]]


class Ledger:
    """Collects scores from any number of files and checks that they do not contradict each other.

    Labels are sorted naturally (``M2`` before ``M10``), so the order of files and lines changes nothing.
    """

    def __init__(self) -> None:
        self._pages: dict[str, _Page] = {}
        self._kinds: dict[str, Kind] = {}
        self._lower: set[str] = set()
        self._systems: dict[str, None] = {}
        self._inputs: dict[str, None] = {}
        self._groups: dict[str, tuple[str, Place]] = {}

    def record(
        self,
        system: str,
        key: str,
        name: str,
        score: float,
        place: Place,
        *,
        kind: Kind | None = None,
        language: str = "",
        reference: str = "",
        annotator: str = "",
    ) -> None:
        """Write down one score; NaN makes the labels known and leaves the cell missing.

        Parameters
        ----------
        system, key, name
            The system, the input and the metric or criterion.
        score
            A finite number, or NaN.
        place
            Where the score was found.
        kind
            ``human`` or ``metric`` if the file says so.
        language, reference, annotator
            Positions on the extra axes; empty where the column does not have the axis.
        """
        page = self._pages.get(name)
        if page is None:
            for what, text in (("system", system), ("input", key), ("metric", name)):
                if not text:
                    raise FormatError(f"the field {what!r} is empty", file=place.file, line=place.line)
            page = self._pages[name] = _Page({}, {axis: {} for axis in EXTRA_AXES})
        if not system or not key:
            field = "input" if system else "system"
            raise FormatError(f"the field {field!r} is empty", file=place.file, line=place.line)
        self._systems[system] = None
        self._inputs[key] = None
        if kind is not None and self._kinds.setdefault(name, kind) != kind:
            raise FormatError(f"{one_line(name)!r} is called human and metric", file=place.file, line=place.line)
        if math.isnan(score):
            return
        if math.isinf(score):
            raise FormatError(
                f"score of {one_line(name)!r} must be finite, got {score}; leave a missing score empty",
                file=place.file,
                line=place.line,
            )
        page.labels["language"][language] = None
        page.labels["reference"][reference] = None
        page.labels["annotator"][annotator] = None
        known, seen = page.cells.setdefault((language, reference, annotator, system, key), (score, place))
        if known != score and not math.isclose(known, score, rel_tol=1e-9):
            what = f"{one_line(name)!r} of system {one_line(system)!r} on input {one_line(key)!r}"
            raise contradiction(what, f"{score:g} in {place}", f"{known:g} in {seen}")

    def group(self, system: str, group: str, place: Place) -> None:
        """Write down the group a system belongs to."""
        known, seen = self._groups.setdefault(system, (group, place))
        if known != group:
            what = f"the group of system {one_line(system)!r}"
            raise contradiction(what, f"{one_line(group)!r} in {place}", f"{one_line(known)!r} in {seen}")

    def lower_is_better(self, name: str) -> None:
        """Write down that small scores of a column are good."""
        self._lower.add(name)

    def record_all(self, scores: Scores, place: str) -> None:
        """Write down everything another set of scores knows."""
        where = Place(place)
        for system, group in scores.groups.items():
            self.group(system, group, where)
        for row in scores.rows():
            name = str(row["metric"])
            extra = {axis: str(row.get(axis, "")) for axis in EXTRA_AXES}
            kind = scores[name].kind
            self.record(str(row["system"]), str(row["input"]), name, float(str(row["score"])), where, kind=kind, **extra)
            if scores[name].lower_is_better:
                self.lower_is_better(name)

    def scores(self, sources: tuple[str, ...] = ()) -> Scores:
        """Add everything up."""
        pages = {name: page for name, page in self._pages.items() if page.cells}
        if not pages:
            where = f" in {', '.join(sources)}" if sources else ""
            raise DataError(f"there are no scores{where}")
        systems = tuple(sorted(self._systems, key=natural))
        inputs = tuple(sorted(self._inputs, key=natural))
        columns = {}
        for name, page in pages.items():
            axes = tuple(
                (axis, tuple(sorted(labels, key=natural))) for axis, labels in page.labels.items() if any(labels)
            )
            sizes = dict(axes)
            order = [sizes.get(axis, ("",)) for axis in EXTRA_AXES] + [systems, inputs]
            where_ = [{label: i for i, label in enumerate(labels)} for labels in order]
            values = np.full([len(labels) for labels in order], np.nan)
            for cell, (score, _) in page.cells.items():
                values[tuple(at[label] for at, label in zip(where_, cell, strict=True))] = score
            shape = [len(labels) for _, labels in axes] + [len(systems), len(inputs)]
            kind = self._kinds.get(name, "metric")
            columns[name] = Column(name, values.reshape(shape), kind, axes, name in self._lower)
        groups = {system: group for system, (group, _) in self._groups.items()}
        return Scores(systems, inputs, columns, groups, sources)
