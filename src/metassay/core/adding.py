"""What a ledger adds up to: numbers, labels and attributes told apart, contradictions found, labels in order."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from metassay.core import scales
from metassay.core.column import Attribute, Axes, Column
from metassay.core.declaring import plain_number, rescaled
from metassay.core.ledger import Block, Index, Ledger, Place
from metassay.core.note import Note
from metassay.core.origin import Origin
from metassay.core.reading import ROW, names_system
from metassay.core.scales import Scale
from metassay.core.scores import EXTRA_AXES, NO_SYSTEM, SYSTEM_SCORE, Scores, contradiction, natural
from metassay.errors import Contradiction, DataError, FormatError, UnknownName, one_line
from metassay.stats.arrays import BoolArray, FloatArray, IntArray

_ALWAYS_CELLS = 1 << 26
_CELLS_PER_SCORE = 64
"""Tables may have as many cells as the first says, or so many for each score; sparser ones are refused."""


class _Axis(NamedTuple):
    """The labels of an axis in natural order, and for each number of the ledger its position among them."""

    labels: tuple[str, ...]
    position: IntArray


def add_up(ledger: Ledger, sources: tuple[Origin, ...]) -> Scores:
    """Return the scores in a ledger."""
    # Scores of systems beside those of single inputs belong to no input; alone, they stand under one.
    if not ledger.blocks:
        ledger.blocks, ledger.whole = ledger.whole, []
    every = _in_language(_taken_together(ledger, sources), ledger)
    facts, every = _facts_of_inputs(every, ledger)
    among = every.inputs == ledger.inputs.get(SYSTEM_SCORE, -1)
    if among.any() and not among.all():
        ledger.whole.append(every.take(np.flatnonzero(among)))
        every = every.take(np.flatnonzero(~among))
    whole = Block(*map(np.concatenate, zip(*ledger.whole, every.take(slice(0)), strict=True)))
    return _Adding(ledger, every, whole, sources, facts).scores()


def _taken_together(ledger: Ledger, sources: tuple[Origin, ...]) -> Block:
    every = Block(*map(np.concatenate, zip(*ledger.blocks, strict=True))) if ledger.blocks else None
    if every is None or not ((~np.isnan(every.scores)) | (every.texts >= 0)).any():
        where = f" in {', '.join(map(str, sources))}" if sources else ""
        raise DataError(f"there are no scores{where}")
    ledger.blocks = [every]
    return every


def _in_language(every: Block, ledger: Ledger) -> Block:
    """Keep the scores in the wanted language, and those without one of the systems and inputs that it has."""
    index = ledger.extra["language"]
    if ledger.language is None or not set(index) - {""}:
        return every
    if ledger.language not in index:
        raise UnknownName("language", ledger.language, [name for name in index if name])
    spoken = every.language == index[ledger.language]
    silent = every.language == index.get("", -1)
    systems, inputs = np.unique(every.systems[spoken]), np.unique(every.inputs[spoken])
    shared = silent & np.isin(every.systems, systems) & np.isin(every.inputs, inputs)
    kept = every.take(np.flatnonzero(spoken | shared))
    return kept._replace(language=np.full_like(kept.language, index[""]))


def _facts_of_inputs(every: Block, ledger: Ledger) -> tuple[dict[str, Any], Block]:
    """Return languages and references of which each input has one, by input, and the scores without these axes.

    A language, or a reference that was written for one question, is a fact of the input; an axis has several of them.
    """
    facts: dict[str, Any] = {}
    for axis in ("language", "reference"):
        index, numbers = ledger.extra[axis], getattr(every, axis)
        said = np.flatnonzero(numbers != index.get("", -1))
        own = np.full(len(ledger.inputs), -1, dtype=np.int32)
        own[every.inputs[said]] = numbers[said]
        several = len(np.unique(own[own >= 0])) > 1
        if several and not ledger.by_was_seen and (own[every.inputs[said]] == numbers[said]).all():
            facts[axis] = own
            every = every._replace(**{axis: np.full_like(numbers, index[""])})
    return facts, every


class _Adding:
    """One addition."""

    def __init__(
        self, ledger: Ledger, every: Block, whole: Block, sources: tuple[Origin, ...], facts: dict[str, Any]
    ) -> None:
        self.ledger, self.every, self.sources, self.facts = ledger, every, sources, facts
        self.systems = _axis(ledger.systems, np.concatenate([every.systems, whole.systems]))
        self.inputs = _axis(ledger.inputs, every.inputs)
        self.shape = [len(self.systems.labels), len(self.inputs.labels)]
        self.cells = math.prod(self.shape) * len(ledger.names)
        self.texts = list(ledger.texts)
        self.notes: list[Note] = []
        self.whole = self._of_systems(whole)

    def _of_systems(self, page: Block) -> dict[str, FloatArray]:
        """Return the scores of whole systems by column."""
        names = list(self.ledger.names)
        found: dict[str, FloatArray] = {}
        for at in np.unique(page.names).tolist():
            own = page.take(np.flatnonzero((page.names == at) & ~np.isnan(page.scores)))
            if not len(own.scores):
                continue
            values = np.full(self.shape[0], np.nan)
            cells = self.systems.position[own.systems]
            values[self._agreed(names[at], own, cells, np.ones(len(cells), dtype=bool), None)] = own.scores
            found[names[at]] = values
        return found

    def scores(self) -> Scores:
        """Return everything as scores."""
        ledger, every = self.ledger, self.every
        self._check_size(self.cells, self.shape)
        if not ledger.apart and len(ledger.files) > 1:
            self._check_shared()
        if (np.diff(every.names) < 0).any():
            every = every.take(np.argsort(every.names, kind="stable"))
        ends = np.cumsum(np.bincount(every.names, minlength=len(ledger.names)))
        pages: dict[str, Block] = {}
        texts: dict[str, Block] = {}
        worded: dict[str, Block] = {}
        for (name, i), end in zip(ledger.names.items(), ends, strict=True):
            page = every.take(slice(ends[i - 1] if i else 0, end))
            if not len(page.scores):
                continue
            if name in ledger.unsure and not ((~np.isnan(page.scores)) | (page.texts >= 0)).any():
                self.notes.append(Note.of("columns-empty", columns=name))
                if not ledger.reading.is_label(name):
                    continue
            page, what = self._meant(name, page)
            if what == "attribute":
                texts[name] = page
                continue
            pages[name] = page
            if what == "labels":
                worded[name] = page
        worded |= self._sharing_labels(texts, worded)
        pages |= worded
        attributes = {name: self._attribute(name, page) for name, page in texts.items() if name not in worded}
        here = [ledger.inputs[label] for label in self.inputs.labels]
        for name, own in self.facts.items():
            whole = Attribute(name, "input", own[here], tuple(ledger.extra[name]))
            attributes[name] = whole.select([], list(range(self.shape[1])))
        codes, known = self._coded(worded)
        columns = {name: self._column(name, codes.get(name, page), known.get(name)) for name, page in pages.items()}
        holes = np.full(self.shape, np.nan)
        columns |= {name: self._named(name, holes) for name in self.whole if name not in columns}
        if not columns or not any((~np.isnan(c.values)).any() or c.system_scores is not None for c in columns.values()):
            where = f" in {', '.join(map(str, self.sources))}" if self.sources else ""
            said = f" (read as texts: {', '.join(map(one_line, list(attributes)[:6]))})" if attributes else ""
            raise DataError(
                f"there are no scores{where}{said}; labels are read with --scale NAME=nominal or --human NAME"
            )
        declared = {name: str(scale) for name, scale in ledger.scales.items() if name in columns}
        before = columns
        columns = rescaled(columns, declared)
        columns = rescaled(columns, {pattern: str(scale) for pattern, scale in ledger.reading.scale.items()})
        for name, column in before.items():
            gone = np.isnan(columns[name].values) & ~np.isnan(column.values)
            if gone.any():
                codes_lost = np.unique(column.values[gone]).astype(int)
                self._without_verdict(name, int(gone.sum()), [column.scale.labels[at] for at in codes_lost])
        inside = {"group": self.systems, "family": self.systems, "cluster": self.inputs}
        sorts = {
            what: {label: sort for label, (sort, _) in ledger.sorts[what].items() if label in set(axis.labels)}
            for what, axis in inside.items()
        }
        notes = tuple(dict.fromkeys([*ledger.notes, *self.notes]))
        return Scores(
            self.systems.labels, self.inputs.labels, columns, sorts["group"], self.sources, notes, attributes,
            sorts["cluster"], sorts["family"],
        )  # fmt: skip

    def _check_shared(self) -> None:
        """Refuse files with different columns that have no system, or no input, in common."""
        every, files = self.every, list(self.ledger.files)
        side = list(range(len(files)))
        owner: dict[int, int] = {}
        holds = np.zeros((len(self.ledger.names), len(files)), dtype=bool)
        holds[every.names, every.files] = True
        for name, file in np.argwhere(holds).tolist():
            one, other = side[owner.setdefault(name, file)], side[file]
            side = [one if each == other else each for each in side]
        first, *others = dict.fromkeys(side[file] for file in np.flatnonzero(holds.any(axis=0)).tolist())
        if not others:
            return
        sides = np.array(side)[every.files]
        for what, numbers, index in (
            ("system", every.systems, self.ledger.systems), ("input", every.inputs, self.ledger.inputs)
        ):  # fmt: skip
            there = np.zeros((len(files), len(index)), dtype=bool)
            there[sides, numbers] = True
            for other in others:
                if not (there[first] & there[other]).any():
                    labels = list(index)
                    parts = (np.flatnonzero(there[each])[:3].tolist() for each in (first, other))
                    ids = (", ".join(repr(one_line(labels[at], 40)) for at in part) for part in parts)
                    raise DataError(
                        f"{one_line(files[first])} and {one_line(files[other])} have no {what} in common: "
                        f"{' against '.join(ids)}; make the ids equal, or name another column with --{what}-column"
                    )

    # -- what a column holds --------------------------------------------------------------------

    def _meant(self, name: str, page: Block) -> tuple[Block, str]:
        """Say whether a column holds numbers, labels or an attribute, and turn odd numbers into plain ones."""
        ledger = self.ledger
        if name in ledger.attributes:
            return self._as_texts(page), "attribute"
        numbers = ~np.isnan(page.scores)
        wordy = (page.texts >= 0) & ~numbers
        if not wordy.any():
            return page, "numbers"
        counts = Counter(self.texts[at] for at in page.texts[wordy].tolist())
        odd = scales.odd_numbers(counts)
        percent = any("%" in text for text in counts)
        mixed = numbers & ((page.scores != np.floor(page.scores)) | (percent & (page.scores != 0)))
        if odd is not None and not mixed.any():
            values = page.scores.copy()
            values[wordy] = [odd[self.texts[at].strip()] for at in page.texts[wordy].tolist()]
            self.notes.append(Note.of("numbers-understood", column=name, example=next(iter(counts))))
            return page._replace(scores=values), "numbers"
        declared = name in ledger.scales or ledger.reading.is_scaled(name)
        unsure = name in ledger.unsure and not declared and not ledger.reading.is_label(name)
        texts = unsure and (wordy.sum() > numbers.sum() or _WRITTEN.search(name) is not None)
        if not declared and ((numbers.any() and not texts) or all(map(scales.looks_numeric, counts))):
            raise self._no_number(name, page, wordy)
        page = self._as_texts(page)
        if unsure and not self._judging(name, counts):
            return page, "attribute"
        return page._replace(scores=np.full(len(page.scores), np.nan)), "labels"

    def _judging(self, name: str, counts: Counter[str]) -> bool:
        """Say whether texts are labels that somebody gave, by the column's name or by the labels."""
        if len(counts) > scales.MOST_LABELS or max(map(len, counts)) > 60:
            return False
        repeated = len(counts) <= max(2, sum(counts.values()) // 2)
        verdicts = [label for label in counts if not scales.NO_ANSWER.fullmatch(label.strip())]
        return (len(verdicts) == 2 and scales.is_known(verdicts)) or (repeated and scales.judging(name))

    def _sharing_labels(self, texts: dict[str, Block], worded: dict[str, Block]) -> dict[str, Block]:
        """Return the columns of texts that use labels of others, and so hold labels, too."""
        known = {scales.fold(self.texts[at]) for page in worded.values() for at in np.unique(page.texts) if at >= 0}
        found = {}
        for name, page in texts.items():
            own = {self.texts[at] for at in np.unique(page.texts).tolist() if at >= 0}
            few = 0 < len(own) <= scales.MOST_LABELS
            if few and name not in self.ledger.attributes and known & set(map(scales.fold, own)):
                found[name] = page._replace(scores=np.full(len(page.scores), np.nan))
        return found

    def _as_texts(self, page: Block) -> Block:
        """Write numbers that were not kept as texts as people write them."""
        bare = np.flatnonzero((page.texts < 0) & ~np.isnan(page.scores))
        if not len(bare):
            return page
        texts = page.texts.copy()
        texts[bare] = [self.ledger.texts[plain_number(value)] for value in page.scores[bare].tolist()]
        self.texts = list(self.ledger.texts)
        return page._replace(texts=texts)

    def _no_number(self, name: str, page: Block, wordy: BoolArray) -> FormatError:
        at = int(np.flatnonzero(wordy)[0])
        text = self.texts[int(page.texts[at])]
        field = name if name in self.ledger.unsure else "score"
        line = int(page.lines[at])
        hint = scales.remedy(text)
        if hint.startswith("leave"):
            hint += f", or say that {one_line(name, 40)!r} holds labels with --scale '{one_line(name, 40)}=nominal'"
        return FormatError(
            f"field {one_line(field)!r} must be a number, got {one_line(repr(text), 40)}; {hint}",
            file=list(self.ledger.files)[int(page.files[at])],
            line=None if line < 0 else line,
        )

    # -- labels ---------------------------------------------------------------------------------

    def _coded(self, worded: dict[str, Block]) -> tuple[dict[str, Block], dict[str, Scale]]:
        """Turn labels into codes; columns that share a label share all their codes."""
        counts = {
            name: Counter(self.texts[at] for at in page.texts[page.texts >= 0].tolist())
            for name, page in worded.items()
        }
        pages, known = {}, {}
        for names in scales.sharing(counts):
            every: Counter[str] = Counter()
            for name in names:
                every += counts[name]
            spelling = scales.merged(every)
            if any(label != spelling[label] for label in every):
                example = next(label for label in every if label != spelling[label])
                self.notes.append(Note.of("labels-merged", columns=names, label=spelling[example], other=example))
            for label, near in scales.misspelt(every):
                self.notes.append(Note.of("label-misspelt", columns=names, label=label, n=every[label], near=near))
            keep = any(map(self.ledger.reading.is_scaled, names)) or any(name in self.ledger.scales for name in names)
            own = {name: {spelling[text] for text in counts[name]} for name in names}
            for name, scale in scales.guess_each(own, keep=keep).items():
                place = {label: at for at, label in enumerate(scale.labels)}
                code = {text: place.get(label, np.nan) for text, label in spelling.items()}
                page = worded[name]
                numbers = np.full(len(self.texts) + 1, np.nan)
                numbers[[self.ledger.texts[text] for text in counts[name]]] = [code[text] for text in counts[name]]
                pages[name] = page._replace(scores=numbers[page.texts])
                if lost := {spelling[text]: counts[name][text] for text in counts[name] if np.isnan(code[text])}:
                    self._without_verdict(name, sum(lost.values()), sorted(lost))
                known[name] = scale
        return pages, known

    def _without_verdict(self, name: str, n: int, labels: Sequence[str]) -> None:
        self.notes.append(Note.of("labels-no-verdict", column=name, n=n, labels=list(labels)))

    def _attribute(self, name: str, page: Block) -> Attribute:
        """Return texts as an attribute of inputs if they depend on nothing else, or of systems, or of outputs."""
        kept = page.texts >= 0
        texts, inverse = np.unique(page.texts[kept], return_inverse=True)
        systems, inputs = self.systems.position[page.systems[kept]], self.inputs.position[page.inputs[kept]]
        labels = tuple(self.texts[at] for at in texts.tolist())
        for axis, at, n in (("input", inputs, self.shape[1]), ("system", systems, self.shape[0])):
            codes = np.full(n, -1, dtype=np.int32)
            codes[at] = inverse
            if (codes[at] == inverse).all():
                return Attribute(name, axis, codes, labels)  # type: ignore[arg-type]
        grid = np.full(self.shape, -1, dtype=np.int32)
        # The first text of a cell is kept, so that later ones are written before.
        grid[systems[::-1], inputs[::-1]] = inverse[::-1]
        differing = int((grid[systems, inputs] != inverse).sum())
        if differing:
            if self.systems.labels == (NO_SYSTEM,) and not set(self.ledger.extra["annotator"]) - {""}:
                at = int(np.flatnonzero(grid[systems, inputs] != inverse)[0])
                raise DataError(
                    f"input {one_line(self.inputs.labels[int(inputs[at])])!r} has several rows, which differ in "
                    f"{one_line(name)!r}; if the rows belong to different systems, name their column with "
                    "--system-column; if to different people, with --annotator-column; if every row is an input, use "
                    f"--input-column {ROW}"
                )
            self.notes.append(Note.of("attribute-varies", attribute=name, n=differing))
        return Attribute(name, "output", grid, labels)

    # -- cells ----------------------------------------------------------------------------------

    def _column(self, name: str, page: Block, scale: Scale | None) -> Column:
        axes, extra_at = self._axes(page)
        order = [
            *extra_at,
            (self.systems.position[page.systems], self.shape[0]),
            (self.inputs.position[page.inputs], self.shape[1]),
        ]
        shape = [size for _, size in order]
        self.cells += math.prod(shape) - math.prod(self.shape)
        self._check_size(self.cells, shape, axes)
        positions = np.ravel_multi_index([at for at, _ in order], shape)
        known = ~np.isnan(page.scores)
        values = np.full(math.prod(shape), np.nan)
        values[self._agreed(name, page, positions, known, scale)] = page.scores[known]
        return self._named(name, values.reshape(shape), axes, scale)

    def _named(self, name: str, values: FloatArray, axes: Axes = (), scale: Scale | None = None) -> Column:
        """Return values with what else is known of a column."""
        kind, lower = self.ledger.kinds.get(name, "metric"), name in self.ledger.lower
        return Column(name, values, kind, axes, lower, scale or Scale(), self.whole.get(name))

    def _check_size(self, cells: int, shape: Sequence[int], axes: Axes = ()) -> None:
        """Refuse tables that would be all holes before there is memory for them."""
        n = len(self.every.scores)
        self.ledger.bounds.check_cells(cells)
        if cells > max(_ALWAYS_CELLS, _CELLS_PER_SCORE * n):
            names = [*(f"{axis}s" for axis, _ in axes), "systems", "inputs"]
            sides = " × ".join(f"{size:,} {what}" for size, what in zip(shape, names, strict=True))
            raise DataError(
                f"{n:,} scores are too few for a table of {cells:,} cells ({sides}): hardly any systems share "
                "inputs, or annotators share outputs; check which columns are called system, input and annotator, or "
                "read parts of the data separately"
            )

    def _axes(self, page: Block) -> tuple[Axes, list[tuple[IntArray, int]]]:
        """Return the extra axes a column has with their labels, and where on them each score stands."""
        known = ~np.isnan(page.scores)
        axes = []
        places: list[tuple[IntArray, int]] = []
        for axis in EXTRA_AXES:
            numbers: IntArray = getattr(page, axis)
            index = self.ledger.extra[axis]
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

    def _agreed(self, name: str, page: Block, cells: IntArray, known: BoolArray, scale: Scale | None) -> IntArray:
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
            raise self._clash(name, page, later, earlier, scale)
        return cells[known]

    def _clash(self, name: str, page: Block, later: int, earlier: int, scale: Scale | None) -> Contradiction:
        systems, inputs, files = list(self.ledger.systems), list(self.ledger.inputs), list(self.ledger.files)
        system = systems[page.systems[later]]
        of = "" if system == NO_SYSTEM else f"of system {one_line(system)!r} "
        what = f"{one_line(name)!r} {of}on input {one_line(inputs[page.inputs[later]])!r}"
        said = []
        for at in (later, earlier):
            line = int(page.lines[at])
            value = page.scores[at]
            shown = repr(scale.labels[int(value)]) if scale is not None and scale.labels else f"{value:.10g}"
            said.append(f"{shown} in {Place(files[page.files[at]], None if line < 0 else line)}")
        error = contradiction(what, *said)
        if page.files[later] != page.files[earlier] and not self.ledger.kinds.get(name):
            return Contradiction(f"{error}, or say what files hold: human=FILE judge=FILE, or old=FILE new=FILE")
        if name in self.ledger.unsure:
            return Contradiction(f"{error}, or {self._apart(page, later, earlier, system == NO_SYSTEM)}")
        return error

    def _apart(self, page: Block, later: int, earlier: int, without_systems: bool) -> str:
        """Return what to do about two rows of a cell: the column in which they differ, if one may tell them apart."""
        every, names = self.every, list(self.ledger.names)
        here = every.files == page.files[later]
        rows = [np.flatnonzero(here & (every.lines == page.lines[at])) for at in (later, earlier)]
        values = [{int(every.names[at]): (every.texts[at], every.scores[at]) for at in some} for some in rows]
        differ = [names[at] for at in values[0] if at in values[1] and not _same_value(values[0][at], values[1][at])]
        if not without_systems and (more := [one for one in differ if names_system(one, every=True)]):
            column = ",".join([*self._said("system"), more[0]])
            return f"distinguish the systems by {one_line(more[0])!r}, with --system-column {one_line(column)!r}"
        told = [one for one in differ if _TELLING.search(one)]
        told += [one for one in differ if one in self.ledger.attributes and one not in told]
        if told:
            column = ",".join([*self._said("input"), told[0]])
            return f"distinguish the rows by {one_line(told[0])!r}, with --input-column {one_line(column)!r}" + (
                ", --system-column or --annotator-column" if without_systems else " or --annotator-column"
            )
        which = "--system-column or --annotator-column" if without_systems else "--annotator-column"
        last = f"if they are ratings of unnamed annotators, use --annotator-column {ROW}"
        last = f"or make every row an input with --input-column {ROW}" if without_systems else last
        return f"name the column that distinguishes them with {which}; {last}"

    def _said(self, role: str) -> Sequence[str]:
        """Return the columns that name systems, or inputs: those that were said, or guessed."""
        guessed = [g.partition(": ")[2] for g in self.ledger.guesses if g.startswith(f"{role}: ")]
        return getattr(self.ledger.reading, role) or guessed or [role]


_TELLING = re.compile(
    r"turn|round|judge|rater|run|epoch|seed|version|trial|repeat|lang|batch|sample|fold|split", re.IGNORECASE
)
"""Names of columns that tell rows of one output apart."""
_WRITTEN = re.compile(
    r"(^|[_\W])(answer|response|output|prediction|reference|expected|target|completion|reply|text|solution|choice)s?$",
    re.IGNORECASE,
)
"""Names of columns that hold what was written, be it a number now and then."""


def _same_value(one: tuple[Any, Any], other: tuple[Any, Any]) -> bool:
    return bool(one[0] == other[0] and (one[1] == other[1] or (np.isnan(one[1]) and np.isnan(other[1]))))


def _axis(index: Index, numbers: IntArray) -> _Axis:
    """Return the labels that occur in natural order, and for each number in the index its position in that order."""
    used = np.zeros(len(index), dtype=bool)
    used[numbers] = True
    ordered = tuple(sorted((label for label, at in index.items() if used[at]), key=natural))
    position = np.zeros(len(index), dtype=np.int64)
    where = {label: at for at, label in enumerate(ordered)}
    for label, at in index.items():
        position[at] = where.get(label, 0)
    return _Axis(ordered, position)
