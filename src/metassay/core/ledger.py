"""A ledger of single scores, each with the place it came from, that adds up to Scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from metassay.core.note import Note
from metassay.core.origin import Origin
from metassay.core.scores import EXTRA_AXES, LARGEST, Column, Kind, Scores, contradiction, natural
from metassay.errors import DataError, FormatError, one_line
from metassay.stats.arrays import BoolArray, FloatArray, IntArray

Axes = tuple[tuple[str, tuple[str, ...]], ...]

_LOOSE_LIMIT = 1 << 16
"""How many single scores wait as Python tuples before they are packed into arrays."""
_ALWAYS_CELLS = 1 << 26
_CELLS_PER_SCORE = 64
"""Tables may have as many cells as the first says, or so many for each score; sparser ones are refused."""


class Bounds(NamedTuple):
    """How much may be read; None is as much as there is."""

    columns: int | None = None
    """Metrics and human criteria."""
    cells: int | None = None
    """Systems × inputs × annotators and the like, of all columns together."""

    def check_columns(self, n: int) -> None:
        """Raise if there are more columns than may be."""
        if self.columns is not None and n > self.columns:
            raise DataError(f"there are {n:,} columns; at most {self.columns:,} can be studied here")

    def check_cells(self, n: int) -> None:
        """Raise if there are more cells than may be."""
        if self.cells is not None and n > self.cells:
            raise DataError(f"there are {n:,} scores; at most {self.cells:,} can be studied here")


class Place(NamedTuple):
    """Where a score was found."""

    file: str
    line: int | None = None

    def __str__(self) -> str:
        return one_line(self.file) + (f", line {self.line}" if self.line is not None else "")


class _Index(dict[str, int]):
    """Numbers labels in the order they are first asked for."""

    def __missing__(self, label: str) -> int:
        at = self[label] = len(self)
        return at

    def column(self, labels: str | Sequence[str], n: int) -> npt.NDArray[np.int32]:
        """Return the numbers of `n` labels; a single string stands for all of them."""
        if isinstance(labels, str):
            return np.full(n, self[labels], dtype=np.int32)
        return np.fromiter(map(self.__getitem__, labels), np.int32, n)


class _Block(NamedTuple):
    """Scores packed into arrays, one entry per score; labels stand as their numbers."""

    names: npt.NDArray[Any]
    systems: npt.NDArray[Any]
    inputs: npt.NDArray[Any]
    language: npt.NDArray[Any]
    reference: npt.NDArray[Any]
    annotator: npt.NDArray[Any]
    scores: FloatArray
    files: npt.NDArray[Any]
    lines: npt.NDArray[Any]

    def take(self, at: npt.NDArray[Any]) -> _Block:
        """Return only some of the scores."""
        return _Block(*(part[at] for part in self))


class Ledger:
    """Collects scores from any number of files; adding up checks that they do not contradict each other.

    Labels are sorted naturally (``M2`` before ``M10``), so the order of files and lines changes nothing
    but the order of the columns.

    Parameters
    ----------
    by
        A further column of tables, such as the version of a judge, to be kept on the axis ``language``.
    bounds
        How much may be read.
    """

    def __init__(self, by: str | None = None, bounds: Bounds = Bounds()) -> None:  # noqa: B008 - it is immutable
        self.by = by
        self.bounds = bounds
        self.by_was_seen = False
        self._blocks: list[_Block] = []
        self._loose: list[tuple[int, int, int, int, int, int, float, int, int]] = []
        self._names, self._systems, self._inputs, self._files = (_Index() for _ in range(4))
        self._extra = {axis: _Index() for axis in EXTRA_AXES}
        self._recorded = 0
        self._kinds: dict[str, Kind] = {}
        self._lower: set[str] = set()
        self._notes: list[Note] = []
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
        if not (system and key and name):
            field = "system" if not system else "input" if not key else "metric"
            raise FormatError(f"the field {field!r} is empty", file=place.file, line=place.line)
        if kind is not None and self._kinds.setdefault(name, kind) != kind:
            raise _two_kinds(name, place)
        if abs(score) > LARGEST:
            raise _too_large(name, score, place)
        extra = self._extra
        cell = self._names[name], self._systems[system], self._inputs[key]
        axes = extra["language"][language], extra["reference"][reference], extra["annotator"][annotator]
        self._loose.append((*cell, *axes, score, self._files[place.file], -1 if place.line is None else place.line))
        if len(self._loose) >= _LOOSE_LIMIT:
            self._pack()
            self._check_bounds()

    def record_many(
        self,
        systems: str | Sequence[str],
        keys: str | Sequence[str],
        names: str | Sequence[str],
        scores: Sequence[float] | FloatArray,
        file: str,
        lines: Sequence[int] | None = None,
        *,
        kinds: Kind | Sequence[Kind | None] | None = None,
        languages: str | Sequence[str] = "",
        references: str | Sequence[str] = "",
        annotators: str | Sequence[str] = "",
    ) -> None:
        """Write down many scores at once; the same as :meth:`record` for each, and much faster.

        Parameters
        ----------
        systems, keys, names, languages, references, annotators
            One label per score, or one string that holds for all.
        scores
            Finite numbers, or NaN.
        file, lines
            Where the scores were found.
        kinds
            ``human`` or ``metric`` per score, or for all, where the file says so.
        """
        values = np.asarray(scores, dtype=np.float64)
        n = len(values)

        def place(at: int) -> Place:
            return Place(file, None if lines is None else int(lines[at]))

        for what, labels in (("system", systems), ("input", keys), ("metric", names)):
            each = [labels] if isinstance(labels, str) else labels
            if "" in each:
                raise FormatError(f"the field {what!r} is empty", file=file, line=place(list(each).index("")).line)
        extreme = np.abs(values) > LARGEST
        if extreme.any():
            at = int(extreme.argmax())
            raise _too_large(names if isinstance(names, str) else names[at], float(values[at]), place(at))
        self._note_kinds(names, kinds, n, place)
        self._pack()
        self._recorded += n
        cells = self._names.column(names, n), self._systems.column(systems, n), self._inputs.column(keys, n)
        extra = zip(EXTRA_AXES, (languages, references, annotators), strict=True)
        language, reference, annotator = (self._extra[axis].column(labels, n) for axis, labels in extra)
        where = self._files.column(file, n), np.full(n, -1) if lines is None else np.asarray(lines, dtype=np.int64)
        self._blocks.append(_Block(*cells, language, reference, annotator, values, *where))
        self._check_bounds()

    def _check_bounds(self) -> None:
        """Stop as soon as it is clear that there is too much; the same scores may stand in several files."""
        self.bounds.check_columns(len(self._names))
        if self.bounds.cells is not None and self._recorded > 4 * self.bounds.cells:
            self.bounds.check_cells(self._recorded)

    def _note_kinds(
        self,
        names: str | Sequence[str],
        kinds: Kind | Sequence[Kind | None] | None,
        n: int,
        place: Callable[[int], Place],
    ) -> None:
        if kinds is None or n == 0:
            return
        each = [names] * n if isinstance(names, str) else names
        said: Sequence[Kind | None] = [kinds] * n if isinstance(kinds, str) else kinds
        for name, kind in dict.fromkeys(zip(each, said, strict=True)):
            if kind is not None and self._kinds.setdefault(name, kind) != kind:
                at = next(i for i in range(n) if each[i] == name and said[i] == kind)
                raise _two_kinds(name, place(at))

    def group(self, system: str, group: str, place: Place) -> None:
        """Write down the group a system belongs to."""
        known, seen = self._groups.setdefault(system, (group, place))
        if known != group:
            what = f"the group of system {one_line(system)!r}"
            raise contradiction(what, f"{one_line(group)!r} in {place}", f"{one_line(known)!r} in {seen}")

    def note(self, note: Note) -> None:
        """Write down what a reader of the scores must know."""
        self._notes.append(note)

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
            label, score = (str(row["system"]), str(row["input"]), name), float(str(row["score"]))
            self.record(*label, score, where, kind=scores[name].kind, **extra)
            if scores[name].lower_is_better:
                self.lower_is_better(name)
        self._notes += scores.notes

    def scores(self, sources: tuple[Origin, ...] = ()) -> Scores:
        """Add everything up; two different scores for one cell are a Contradiction that names both places."""
        self._pack()
        if not any((~np.isnan(block.scores)).any() for block in self._blocks):
            where = f" in {', '.join(map(str, sources))}" if sources else ""
            raise DataError(f"there are no scores{where}")
        every = _Block(*(np.concatenate(parts) for parts in zip(*self._blocks, strict=True)))
        self._blocks = [every]
        systems, system_at = _in_order(self._systems)
        inputs, input_at = _in_order(self._inputs)
        shape = [len(systems), len(inputs)]
        cells = math.prod(shape) * len(self._names)
        self._check_size(cells, len(every.scores), shape)
        by_name = np.argsort(every.names, kind="stable")
        ends = np.cumsum(np.bincount(every.names, minlength=len(self._names)))
        columns = {}
        for (name, i), end in zip(self._names.items(), ends, strict=True):
            page = every.take(by_name[ends[i - 1] if i else 0 : end])
            axes, extra_at = self._axes(page)
            order = [*extra_at, (system_at[page.systems], len(systems)), (input_at[page.inputs], len(inputs))]
            shape = [size for _, size in order]
            cells += math.prod(shape) - len(systems) * len(inputs)
            self._check_size(cells, len(every.scores), shape, axes)
            positions = np.ravel_multi_index([at for at, _ in order], shape)
            known = ~np.isnan(page.scores)
            values = np.full(math.prod(shape), np.nan)
            values[self._agreed(name, page, positions, known)] = page.scores[known]
            kind = self._kinds.get(name, "metric")
            columns[name] = Column(name, values.reshape(shape), kind, axes, name in self._lower)
        groups = {system: group for system, (group, _) in self._groups.items() if system in self._systems}
        return Scores(systems, inputs, columns, groups, sources, tuple(dict.fromkeys(self._notes)))

    def _check_size(self, cells: int, n: int, shape: list[int], axes: Axes = ()) -> None:
        """Refuse tables that would be all holes before there is memory for them."""
        self.bounds.check_cells(cells)
        if cells > max(_ALWAYS_CELLS, _CELLS_PER_SCORE * n):
            names = [*(f"{axis}s" for axis, _ in axes), "systems", "inputs"]
            sides = " × ".join(f"{size:,} {what}" for size, what in zip(shape, names, strict=True))
            raise DataError(
                f"{n:,} scores are too few for a table of {cells:,} cells ({sides}): hardly any systems have inputs in "
                "common, or annotators outputs; check which columns are called system, input and annotator, or read "
                "parts of the data separately"
            )

    def _pack(self) -> None:
        if not self._loose:
            return
        self._recorded += len(self._loose)
        parts = [np.array(part) for part in zip(*self._loose, strict=True)]
        parts[6] = parts[6].astype(np.float64)
        self._blocks.append(_Block(*parts))
        self._loose = []

    def _axes(self, page: _Block) -> tuple[Axes, list[tuple[IntArray, int]]]:
        """Return the extra axes a column has with their labels, and where on them each score stands."""
        known = ~np.isnan(page.scores)
        axes = []
        places: list[tuple[IntArray, int]] = []
        for axis in EXTRA_AXES:
            numbers: IntArray = getattr(page, axis)
            index = self._extra[axis]
            if len(index) == 1 and "" in index:
                continue
            labels = list(index)
            # A missing score without a label, as in an empty cell of a wide table, does not make one.
            present = {labels[i] for i in np.unique(numbers[known])}
            present |= {labels[i] for i in np.unique(numbers[~known])} - {""}
            if not present - {""}:
                continue
            named = tuple(sorted(present, key=natural))
            lookup = np.zeros(len(index), dtype=np.int64)
            lookup[[index[label] for label in named]] = range(len(named))
            axes.append((axis, named))
            places.append((lookup[numbers], len(named)))
        return tuple(axes), places

    def _agreed(self, name: str, page: _Block, cells: IntArray, known: BoolArray) -> IntArray:
        """Return the cells of the known scores, after checking that no cell has two different ones."""
        rows = np.flatnonzero(known)
        rows = rows[np.argsort(cells[rows], kind="stable")]
        again = cells[rows[:-1]] == cells[rows[1:]]
        first, second = rows[:-1][again], rows[1:][again]
        a, b = page.scores[first], page.scores[second]
        clash = second[np.abs(a - b) > 1e-9 * np.maximum(np.abs(a), np.abs(b))]
        if len(clash):
            later = int(clash.min())
            earlier = int(rows[np.flatnonzero(rows == later)[0] - 1])
            systems, inputs, files = list(self._systems), list(self._inputs), list(self._files)
            what = (
                f"{one_line(name)!r} of system {one_line(systems[page.systems[later]])!r} "
                f"on input {one_line(inputs[page.inputs[later]])!r}"
            )
            said = []
            for at in (later, earlier):
                line = int(page.lines[at])
                said.append(f"{page.scores[at]:.10g} in {Place(files[page.files[at]], None if line < 0 else line)}")
            raise contradiction(what, *said)
        return cells[known]


def _in_order(index: _Index) -> tuple[tuple[str, ...], IntArray]:
    """Return labels in natural order, and for each number in the index its position in that order."""
    labels = tuple(sorted(index, key=natural))
    position = np.empty(len(index), dtype=np.int64)
    position[[index[label] for label in labels]] = range(len(labels))
    return labels, position


def _too_large(name: str, score: float, place: Place) -> FormatError:
    rule = "be finite" if math.isinf(score) else f"lie between -{LARGEST:g} and {LARGEST:g}"
    remedy = "leave a missing score empty" if math.isinf(score) else "rescale the column"
    said = f"score of {one_line(name)!r} must {rule}, got {score}; {remedy}"
    return FormatError(said, file=place.file, line=place.line)


def _two_kinds(name: str, place: Place) -> FormatError:
    return FormatError(f"{one_line(name)!r} is called human and metric", file=place.file, line=place.line)
