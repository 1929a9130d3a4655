"""A ledger of single scores, each with the place it came from, that adds up to Scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from metassay.core.note import Note
from metassay.core.origin import Origin
from metassay.core.reading import Reading
from metassay.core.scales import Scale
from metassay.core.scores import EXTRA_AXES, LARGEST, SYSTEM_SCORE, Kind, Scores, contradiction
from metassay.errors import DataError, FormatError, one_line
from metassay.stats.arrays import FloatArray

_LOOSE_LIMIT = 1 << 16
"""How many single scores wait as Python tuples before they are packed into arrays."""


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

    def wrong(self, message: str) -> FormatError:
        """Return the error for something that stands there."""
        return FormatError(message, file=self.file, line=self.line)


class Coded(NamedTuple):
    """Labels as positions in a list of distinct ones: what column stores keep anyway."""

    codes: npt.NDArray[Any]
    labels: Sequence[str]


Labels = str | Sequence[str] | Coded
"""One label per score, or one string that holds for all."""


class Index(dict[str, int]):
    """Numbers labels in the order they are first asked for."""

    def __missing__(self, label: str) -> int:
        at = self[label] = len(self)
        return at

    def column(self, labels: Labels, n: int) -> npt.NDArray[np.int32]:
        """Return the numbers of `n` labels; a single string stands for all of them."""
        if isinstance(labels, str):
            return np.full(n, self[labels], dtype=np.int32)
        if isinstance(labels, Coded):
            used = np.zeros(len(labels.labels), dtype=bool)
            used[labels.codes] = True
            numbers = np.zeros(len(labels.labels), dtype=np.int32)
            numbers[used] = [self[labels.labels[at]] for at in np.flatnonzero(used).tolist()]
            return np.asarray(numbers[labels.codes], dtype=np.int32)
        return np.fromiter(map(self.__getitem__, labels), np.int32, n)


class Block(NamedTuple):
    """Scores packed into arrays, one entry per score; labels stand as their numbers."""

    names: npt.NDArray[Any]
    systems: npt.NDArray[Any]
    inputs: npt.NDArray[Any]
    language: npt.NDArray[Any]
    reference: npt.NDArray[Any]
    annotator: npt.NDArray[Any]
    scores: FloatArray
    texts: npt.NDArray[Any]
    files: npt.NDArray[Any]
    lines: npt.NDArray[Any]

    def take(self, at: npt.NDArray[Any] | slice) -> Block:
        """Return only some of the scores."""
        return Block(*(part[at] for part in self))


class Ledger:
    """Collects scores from any number of files; adding up checks that they do not contradict each other.

    Labels are sorted naturally (``M2`` before ``M10``), so the order of files and lines changes nothing
    but the order of the columns.

    Parameters
    ----------
    reading
        What people say of the columns of tables.
    bounds
        How much may be read.
    """

    def __init__(self, reading: Reading = Reading(), bounds: Bounds = Bounds()) -> None:  # noqa: B008 - immutable
        self.reading = reading
        self.bounds = bounds
        self.by_was_seen = False
        self.language: str | None = None
        """The one language of which scores are wanted."""
        self.role: Kind | None = None
        """What the file that is read holds, if its user said so."""
        self.file_name = ""
        """What columns and people are called that a file with a role leaves without a name."""
        self.apart = True
        """Whether files may have no system or no input in common, as those about different tasks have."""
        self.guesses: dict[str, None] = {}
        self.repeats: Counter[tuple[object, ...]] = Counter()
        """How many rows an output has so far, where people are not named."""
        self.blocks: list[Block] = []
        self.whole: list[Block] = []
        self._loose: list[tuple[int, int, int, int, int, int, float, int, int, int]] = []
        self.names = Index()
        self.systems = Index()
        self.inputs = Index()
        self.extra = {axis: Index() for axis in EXTRA_AXES}
        self.texts = Index()
        self.files = Index()
        self._recorded = 0
        self.kinds: dict[str, Kind] = {}
        self.lower: set[str] = set()
        self.scales: dict[str, Scale] = {}
        self.unsure: set[str] = set()
        """Columns whose texts may be attributes."""
        self.attributes: set[str] = set(reading.texts)
        """Columns that are attributes, whatever they hold."""
        self.notes: list[Note] = []
        self.sorts: dict[str, dict[str, tuple[str, Place]]] = {"group": {}, "family": {}, "cluster": {}}
        """Groups and families of systems, and clusters of inputs."""
        self._people: set[str] = set()

    def record(
        self,
        system: str,
        key: str,
        name: str,
        score: float | str,
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
            A finite number, NaN, or a label.
        place
            Where the score was found.
        kind
            ``human`` or ``metric`` if the file says so.
        language, reference, annotator
            Positions on the extra axes; empty where the column does not have the axis.
        """
        if not (system and key and name):
            field = "system" if not system else "input" if not key else "metric"
            raise place.wrong(f"the field {field!r} is empty")
        name, annotator = self._in_role(name, annotator)
        kind = self.role or kind
        if kind is not None:
            self.say_kind(name, kind, place)
        text = -1
        if isinstance(score, str):
            text, score = self.texts[score], math.nan
        if abs(score) > LARGEST:
            raise _too_large(name, score, place)
        extra = self.extra
        self._loose.append(
            (
                self.names[name],
                self.systems[system],
                self.inputs[key],
                extra["language"][language],
                extra["reference"][reference],
                extra["annotator"][annotator],
                score,
                text,
                self.files[place.file],
                -1 if place.line is None else place.line,
            )
        )
        if len(self._loose) >= _LOOSE_LIMIT:
            self.pack()
            self._check_bounds()

    def tell(self, system: str, key: str, name: str, text: object, place: Place) -> None:
        """Write down a text that belongs to an output, if there is one; its column is an attribute."""
        if isinstance(text, str) and text:
            self.attributes.add(name)
            self.record(system, key, name, text, place)

    def tell_reference(self, system: str, key: str, texts: object, place: Place) -> None:
        """Write down the first of some references; scores need no others."""
        first = texts[0] if isinstance(texts, list) and texts else None
        self.tell(system, key, "reference", first, place)

    def _in_role(self, name: str, annotator: str) -> tuple[str, str]:
        """Return what a column and its annotator are called in a file of people, or of a judge."""
        if self.role == "human":
            self._people.add(name)
            return name, annotator or self.file_name
        if self.role == "metric" and name in self._people:
            return (self.file_name if len(self._people) == 1 else f"{self.file_name}_{name}"), annotator
        return name, annotator

    def record_many(
        self,
        systems: Labels,
        keys: Labels,
        names: Labels,
        scores: Sequence[float] | FloatArray,
        file: str,
        lines: Sequence[int] | npt.NDArray[np.int64] | None = None,
        *,
        texts: Sequence[str | None] | Coded | None = None,
        kinds: Kind | None = None,
        languages: Labels = "",
        references: Labels = "",
        annotators: Labels = "",
        attribute: bool = False,
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
        texts
            Labels, or None, for scores that are no numbers.
        kinds
            ``human`` or ``metric`` where the file says so.
        attribute
            Whether the texts look like an attribute, to which the role of the file does not apply.
        """
        values = np.asarray(scores, dtype=np.float64)
        n = len(values)

        def place(at: int) -> Place:
            return Place(file, None if lines is None else int(lines[at]))

        for what, labels in (("system", systems), ("input", keys), ("metric", names)):
            at = _first_empty(labels)
            if at is not None and n:
                raise FormatError(f"the field {what!r} is empty", file=file, line=place(at).line)
        extreme = np.abs(values) > LARGEST
        if extreme.any():
            at = int(extreme.argmax())
            name = names if isinstance(names, str) else _at(names, at)
            raise _too_large(name, float(values[at]), place(at))
        if self.role is not None and not attribute:
            names = self.names_in_role(names)
            if annotators == "" and self.role == "human":
                annotators = self.file_name
            kinds = self.role
        if kinds is not None and n:
            for name in (names,) if isinstance(names, str) else dict.fromkeys(_distinct(names)):
                self.say_kind(name, kinds, place(0))
        self.pack()
        self._recorded += n
        # Scores of whole systems, if a file has nothing else, are kept apart from the start.
        (self.whole if isinstance(keys, str) and keys == SYSTEM_SCORE else self.blocks).append(
            Block(
                self.names.column(names, n),
                self.systems.column(systems, n),
                self.inputs.column(keys, n),
                self.extra["language"].column(languages, n),
                self.extra["reference"].column(references, n),
                self.extra["annotator"].column(annotators, n),
                values,
                self._worded(texts, n),
                self.files.column(file, n),
                np.full(n, -1) if lines is None else np.asarray(lines, dtype=np.int64),
            )
        )
        self._check_bounds()

    def _worded(self, texts: Sequence[str | None] | Coded | None, n: int) -> npt.NDArray[np.int32]:
        """Return the numbers of texts, -1 where there is none."""
        if texts is None:
            return np.full(n, -1, dtype=np.int32)
        if isinstance(texts, Coded):
            numbers = np.array([*(self.texts[text] for text in texts.labels), -1], dtype=np.int32)
            return np.asarray(numbers[texts.codes], dtype=np.int32)
        meant = {text: -1 if text is None else self.texts[text] for text in dict.fromkeys(texts)}
        return np.fromiter(map(meant.__getitem__, texts), np.int32, n)

    def names_in_role(self, names: Labels) -> Labels:
        """Return what columns are called in a file of people, or of a judge."""
        if isinstance(names, str):
            return self._in_role(names, "")[0]
        if isinstance(names, Coded):
            return Coded(names.codes, [self._in_role(name, "")[0] for name in names.labels])
        return [self._in_role(name, "")[0] for name in names]

    def _check_bounds(self) -> None:
        """Stop as soon as it is clear that there is too much; the same scores may stand in several files."""
        self.bounds.check_columns(len(self.names))
        if self.bounds.cells is not None and self._recorded > 4 * self.bounds.cells:
            self.bounds.check_cells(self._recorded)

    def say_kind(self, name: str, kind: Kind, place: Place) -> None:
        """Write down that a column is human, or that it is not."""
        if self.kinds.setdefault(name, kind) != kind:
            raise place.wrong(f"{one_line(name)!r} is called human and metric")

    def sort(self, what: str, label: str, sort: str, place: Place) -> None:
        """Write down the group or the family of a system, or the cluster of an input."""
        known, seen = self.sorts[what].setdefault(label, (sort, place))
        if known != sort:
            of = f"the {what} of {'input' if what == 'cluster' else 'system'} {one_line(label)!r}"
            raise contradiction(of, f"{one_line(sort)!r} in {place}", f"{one_line(known)!r} in {seen}")

    def group(self, system: str, group: str, place: Place) -> None:
        """Write down the group a system belongs to."""
        self.sort("group", system, group, place)

    def note(self, note: Note) -> None:
        """Write down what a reader of the scores must know."""
        self.notes.append(note)

    def lower_is_better(self, name: str) -> None:
        """Write down that small scores of a column are good."""
        self.lower.add(name)

    def record_sorts(self, scores: Scores, place: Place) -> None:
        """Write down the groups and families of systems, and the clusters of inputs, that another set of scores has."""
        for what, known in (("group", scores.groups), ("family", scores.families), ("cluster", scores.clusters)):
            for label, sort in known.items():
                self.sort(what, label, sort, place)

    def record_all(self, scores: Scores, place: str) -> None:
        """Write down everything another set of scores knows."""
        where = Place(place)
        self.record_sorts(scores, where)
        for column in scores.columns.values():
            if column.scale.kind != "interval":
                self.scales[column.name] = column.scale
            if column.lower_is_better:
                self.lower_is_better(column.name)
        for row in scores.rows():
            name, score = str(row["metric"]), row["score"]
            self.record(
                str(row["system"]),
                str(row["input"]),
                name,
                score if isinstance(score, str) else float(str(score)),
                where,
                kind=scores[name].kind,
                **{axis: str(row.get(axis, "")) for axis in EXTRA_AXES},
            )
        for name, attribute in scores.attributes.items():
            self.attributes.add(name)
            codes = np.broadcast_to(
                attribute.codes[:, None] if attribute.axis == "system" else attribute.codes, scores.shape
            )
            systems, inputs = np.indices(scores.shape)
            self.record_many(
                Coded(systems.ravel(), scores.systems),
                Coded(inputs.ravel(), scores.inputs),
                name,
                np.full(codes.size, np.nan),
                place,
                texts=Coded(codes.ravel(), attribute.labels),
                attribute=True,
            )
        self.notes += scores.notes

    def scores(self, sources: tuple[Origin, ...] = ()) -> Scores:
        """Add everything up; two different scores for one cell are a Contradiction that names both places."""
        from metassay.core.adding import add_up

        self.pack()
        return add_up(self, sources)

    def pack(self) -> None:
        """Put single scores into arrays."""
        if not self._loose:
            return
        self._recorded += len(self._loose)
        parts = [np.array(part) for part in zip(*self._loose, strict=True)]
        parts[6] = parts[6].astype(np.float64)
        self.blocks.append(Block(*parts))
        self._loose = []


def _first_empty(labels: Labels) -> int | None:
    """Return where the first empty label stands."""
    if isinstance(labels, str):
        return None if labels else 0
    if isinstance(labels, Coded):
        if "" not in labels.labels:
            return None
        found = np.flatnonzero(labels.codes == list(labels.labels).index(""))
        return int(found[0]) if len(found) else None
    return list(labels).index("") if "" in labels else None


def _distinct(labels: Sequence[str] | Coded) -> Sequence[str]:
    return labels.labels if isinstance(labels, Coded) else labels


def _at(labels: Sequence[str] | Coded, at: int) -> str:
    return labels.labels[int(labels.codes[at])] if isinstance(labels, Coded) else labels[at]


def _too_large(name: str, score: float, place: Place) -> FormatError:
    rule = "be finite" if math.isinf(score) else f"lie between -{LARGEST:g} and {LARGEST:g}"
    remedy = "leave a missing score empty" if math.isinf(score) else "rescale the column"
    return place.wrong(f"score of {one_line(name)!r} must {rule}, got {score}; {remedy}")
