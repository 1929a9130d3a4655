"""Scores: named metrics and human criteria over labelled systems × inputs."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from metassay.core import vocabulary
from metassay.core.equality import rebuilt, same_fields
from metassay.core.note import Note
from metassay.core.origin import Origin
from metassay.errors import Contradiction, DataError, UnknownName, UsageError, listed, one_line
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.kernels.weighted_ranks import quotient

if TYPE_CHECKING:
    from typing import Self

Kind = Literal["metric", "human"]

EXTRA_AXES = ("language", "reference", "annotator")
"""The axes a column may have beside systems and inputs, in the order they are stored."""

LARGEST = 1e100
"""Scores are no larger than this, either way: variances of larger ones would overflow."""

REFERENCE_GROUP = "reference"
"""The group of people's own texts that were scored like systems; agreement studies leave it out."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One metric or one human criterion, with every axis it was measured on.

    The array is copied once and made read-only; infinite values are refused.
    """

    name: str
    """What the column is called."""
    values: FloatArray
    """Scores with shape (extra axes…, systems, inputs); NaN where a score is missing."""
    kind: Kind = "metric"
    """``human`` for judgments of people, ``metric`` for everything else."""
    axes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The extra axes and their labels, such as ``(("annotator", ("1", "2", "3")),)``."""
    lower_is_better: bool = False
    """True if small scores are good; studies turn the sign of such a column."""

    def __post_init__(self) -> None:
        if not self.name or not isinstance(self.name, str):
            raise UsageError(f"a column needs a name that is a non-empty string, got {self.name!r}")
        if self.kind not in ("metric", "human"):
            raise UsageError(f"kind must be 'metric' or 'human', got {self.kind!r}")
        try:
            values = np.array(self.values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise DataError(f"{one_line(self.name)!r} must hold numbers: {one_line(error)}") from None
        if values.ndim != len(self.axes) + 2:
            raise DataError(
                f"{one_line(self.name)!r} must have {len(self.axes) + 2} dimensions, got shape {values.shape}"
            )
        for size, (axis, labels) in zip(values.shape, self.axes, strict=False):
            if axis not in EXTRA_AXES or size != len(labels):
                raise DataError(f"{one_line(self.name)!r}: axis {axis!r} has {size} rows and {len(labels)} labels")
        if (np.abs(values) > LARGEST).any():
            if np.isinf(values).any():
                raise DataError(f"{one_line(self.name)!r} holds infinite values; a missing score is NaN")
            raise DataError(
                f"{one_line(self.name)!r} holds scores beyond ±{LARGEST:g}, whose variance would overflow; rescale them"
            )
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    def __eq__(self, other: object) -> bool:
        return same_fields(self, other) if isinstance(other, Column) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.name, self.kind, self.axes, self.values.shape))

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return rebuilt(self)

    def labels(self, axis: str) -> tuple[str, ...]:
        """Return the labels of an extra axis, empty if the column does not have it."""
        return dict(self.axes).get(axis, ())

    def mean(self, keep: str | None = None) -> FloatArray:
        """Return the mean over the extra axes, each cell over what it has; `keep` stays as first axis."""
        if len(self.labels("language")) > 1 and keep != "language":
            raise DataError(
                f"{one_line(self.name)!r} has scores in {len(self.labels('language'))} languages "
                f"({', '.join(self.labels('language')[:8])}); choose one with select(language=…) "
                "or --language"
            )
        present = [axis for axis, _ in self.axes]
        over = tuple(i for i, axis in enumerate(present) if axis != keep)
        if not over:
            return self.values
        values = np.moveaxis(self.values, over, tuple(range(len(over))))
        values = values.reshape(-1, *values.shape[len(over) :])
        # Added up in order of size, so that the same ratings from other annotators give the same bits, and tie.
        total = np.nansum(np.sort(values, axis=0), axis=0)
        return quotient(total, (~np.isnan(values)).sum(axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Named metrics and human criteria over the same systems and inputs. Immutable.

    Build it with :meth:`from_arrays`, :meth:`from_frame`, or :func:`metassay.read`.

    Examples
    --------
    >>> import numpy as np
    >>> scores = Scores.from_arrays(
    ...     metrics={"rouge": np.array([[0.1, 0.4], [0.3, 0.5]])},
    ...     human={"relevance": np.array([[1, 3], [2, np.nan]])},
    ... )
    >>> scores
    Scores(2 systems × 2 inputs; 1 metric: rouge; 1 human criterion: relevance)
    """

    systems: tuple[str, ...]
    """Labels of the rows."""
    inputs: tuple[str, ...]
    """Labels of the columns."""
    columns: Mapping[str, Column]
    """Metrics and human criteria by name."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """The group of each system that has one, such as ``peer`` or ``reference``."""
    sources: tuple[Origin, ...] = ()
    """Where the scores came from: each file with the format that was recognised, each metric's recipe."""
    notes: tuple[Note, ...] = ()
    """What a reader of the scores must know, such as outputs that a metric could not score."""

    def __post_init__(self) -> None:
        for axis, labels in (("systems", self.systems), ("inputs", self.inputs)):
            if not labels:
                raise DataError(f"there are no {axis}")
            if len(set(labels)) != len(labels):
                twice = next(label for label in labels if labels.count(label) > 1)
                raise DataError(f"labels of {axis} must be unique, {one_line(twice)!r} occurs twice")
        if not self.columns:
            raise DataError("there are no scores")
        for name, column in self.columns.items():
            if name != column.name:
                raise UsageError(f"column {column.name!r} is stored under the name {name!r}")
            if column.values.shape[-2:] != (len(self.systems), len(self.inputs)):
                raise DataError(
                    f"{one_line(name)!r} must have {len(self.systems)} systems × {len(self.inputs)} inputs, "
                    f"got {column.values.shape[-2]} × {column.values.shape[-1]}"
                )
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))
        object.__setattr__(self, "groups", MappingProxyType(dict(self.groups)))

    # -- building -------------------------------------------------------------------------------

    @classmethod
    def from_arrays(
        cls,
        metrics: Mapping[str, npt.ArrayLike],
        human: Mapping[str, npt.ArrayLike] | None = None,
        *,
        systems: Sequence[str] | None = None,
        inputs: Sequence[str] | None = None,
        lower_is_better: Iterable[str] = (),
        groups: Mapping[str, str] | None = None,
    ) -> Self:
        """Build scores from arrays.

        Parameters
        ----------
        metrics
            Arrays of shape (systems, inputs) by name; NaN marks a missing score.
        human
            The same for human criteria; an array of shape (annotators, systems, inputs) keeps the annotators.
        systems, inputs
            Labels; by default ``system-1``, ``input-1`` and so on.
        lower_is_better
            Names of the columns in which small scores are good.
        groups
            The group of each system that has one.
        """
        for what, given in (("metrics", metrics), ("human", human)):
            if given is not None and not isinstance(given, Mapping):
                raise UsageError(
                    f"{what} must map names to arrays of scores, got {type(given).__name__}; "
                    'write {"relevance": array}, and leave out human if nobody judged'
                )
        arrays: list[tuple[str, npt.NDArray[Any], Kind]] = [(n, np.asarray(a), "metric") for n, a in metrics.items()]
        arrays += [(n, np.asarray(a), "human") for n, a in (human or {}).items()]
        if not arrays:
            raise DataError("there are no scores")
        both = set(metrics) & set(human or {})
        if both:
            raise UsageError(f"{sorted(both)[0]!r} is given as a metric and as a human criterion")
        lower = set(lower_is_better)
        for name in lower - {n for n, _, _ in arrays}:
            raise UnknownName("column", name, [n for n, _, _ in arrays])
        columns = {}
        for name, array, kind in arrays:
            extra = tuple(str(i + 1) for i in range(array.shape[0])) if array.ndim == 3 else None
            axes = () if extra is None else (("annotator", extra),)
            columns[name] = Column(name, array, kind, axes, name in lower)
        n, m = next(iter(columns.values())).values.shape[-2:]
        return cls(
            tuple(map(str, systems)) if systems is not None else tuple(f"system-{i + 1}" for i in range(n)),
            tuple(map(str, inputs)) if inputs is not None else tuple(f"input-{j + 1}" for j in range(m)),
            columns,
            groups or {},
        )

    @classmethod
    def from_frame(
        cls,
        frame: object,
        *,
        human: str | Iterable[str] = (),
        lower_is_better: str | Iterable[str] = (),
        by: str | None = None,
    ) -> Scores:
        """Build scores from a pandas, polars or other data frame that narwhals knows.

        Parameters
        ----------
        frame
            Tidy (``system, input, metric, score``; optional ``kind, annotator, language, reference, group``)
            or wide (``system, input``, then one numeric column per metric).
        human
            Names or globs of the columns that are human judgments.
        lower_is_better
            Names or globs of the columns in which small scores are good.
        by
            A further column that tells scores of one cell apart, such as the version of a judge; it is kept in place
            of the language.
        """
        from metassay.core.frames import scores_from_frame

        return scores_from_frame(frame, by).declare(human=human, lower_is_better=lower_is_better)

    # -- looking --------------------------------------------------------------------------------

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the columns that are not human judgments."""
        return tuple(n for n, c in self.columns.items() if c.kind == "metric")

    @property
    def humans(self) -> tuple[str, ...]:
        """Names of the human criteria."""
        return tuple(n for n, c in self.columns.items() if c.kind == "human")

    @property
    def shape(self) -> tuple[int, int]:
        """How many systems and inputs there are."""
        return len(self.systems), len(self.inputs)

    def matrix(self, name: str) -> FloatArray:
        """Return one column as systems × inputs: the mean over annotators, turned so that high is good."""
        column = self[name]
        return -column.mean() if column.lower_is_better else column.mean()

    def __getitem__(self, name: str) -> Column:
        if name not in self.columns:
            raise UnknownName("column", name, self.columns)
        return self.columns[name]

    def find(self, patterns: str | Iterable[str], what: str = "column") -> tuple[str, ...]:
        """Return the names that exact names, globs, or comma lists of them stand for, in the order given."""
        wanted = [patterns] if isinstance(patterns, str) else list(patterns)
        found: dict[str, None] = {}
        for text in wanted:
            for pattern in (text,) if text in self.columns else vocabulary.names(text):
                hits = [pattern] if pattern in self.columns else fnmatch.filter(self.columns, pattern)
                if not hits:
                    raise UnknownName(what, pattern, self.columns)
                found.update(dict.fromkeys(hits))
        return tuple(found)

    def find_humans(self, patterns: str | Iterable[str] | None) -> tuple[str, ...]:
        """Return the human criteria to study: those named, or all that are known to be human."""
        if patterns is not None:
            found = self.find(patterns, "human criterion")
        else:
            found = self.humans
        if not found:
            raise UsageError(
                "no column is known to hold human judgments; name it with human=… or --human "
                f"(columns: {listed(self.columns)})"
            )
        return found

    def find_metrics(self, patterns: str | Iterable[str] | None, humans: Iterable[str]) -> tuple[str, ...]:
        """Return the metrics to study: those named, or every column that is not human."""
        if patterns is not None:
            return self.find(patterns, "metric")
        found = tuple(n for n in self.metrics if n not in set(humans))
        if not found:
            raise DataError(f"there is no metric beside the human criteria {', '.join(humans)}")
        return found

    def __eq__(self, other: object) -> bool:
        return same_fields(self, other) if isinstance(other, Scores) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.systems, self.inputs, tuple(sorted(self.columns))))

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return rebuilt(self)

    def __repr__(self) -> str:
        def counted(names: tuple[str, ...], one: str, many: str) -> str:
            return f"{len(names)} {one if len(names) == 1 else many}" + (f": {listed(names, 6)}" if names else "")

        n, m = self.shape
        metrics = counted(self.metrics, "metric", "metrics")
        humans = counted(self.humans, "human criterion", "human criteria")
        return f"Scores({n} systems × {m} inputs; {metrics}; {humans})"

    # -- changing -------------------------------------------------------------------------------

    def declare(self, *, human: str | Iterable[str] = (), lower_is_better: str | Iterable[str] = ()) -> Scores:
        """Return the same scores with some columns declared human or lower-is-better."""
        people = set(self.find(human, "human criterion")) if human else set()
        lower = set(self.find(lower_is_better)) if lower_is_better else set()
        columns = {
            name: replace(
                column,
                kind="human" if name in people else column.kind,
                lower_is_better=column.lower_is_better or name in lower,
            )
            for name, column in self.columns.items()
        }
        return replace(self, columns=columns)

    def select(
        self,
        *,
        systems: Iterable[str] | None = None,
        inputs: Iterable[str] | None = None,
        columns: str | Iterable[str] | None = None,
        language: str | None = None,
    ) -> Scores:
        """Return only some systems, inputs, columns (names or globs), or one language."""
        rows = _positions("system", systems, self.systems)
        cols = _positions("input", inputs, self.inputs)
        chosen = self.find(columns) if columns is not None else tuple(self.columns)
        kept = {}
        for name in chosen:
            column = self.columns[name]
            values, axes = column.values[..., rows, :][..., cols], column.axes
            spoken = column.labels("language")
            if language is not None and spoken:
                if language not in spoken:
                    raise UnknownName("language", language, spoken)
                at = [axis for axis, _ in axes].index("language")
                values = np.moveaxis(values, at, 0)[spoken.index(language)]
                axes = axes[:at] + axes[at + 1 :]
            kept[name] = replace(column, values=values, axes=axes)
        names = tuple(self.systems[i] for i in rows)
        return replace(
            self,
            systems=names,
            inputs=tuple(self.inputs[j] for j in cols),
            columns=kept,
            groups={s: g for s, g in self.groups.items() if s in set(names)},
        )

    def without_references(self) -> Scores:
        """Return the scores without people's own texts that were scored like systems."""
        kept = [s for s in self.systems if self.groups.get(s) != REFERENCE_GROUP]
        if not kept:
            raise DataError("every system is a human-written reference; keep them with references=True or --references")
        return self if len(kept) == len(self.systems) else self.select(systems=kept)

    def merge(self, other: Scores) -> Scores:
        """Return both sets of scores on the union of their systems and inputs; contradictions are errors."""
        from metassay.core.ledger import Ledger

        ledger = Ledger()
        for place, scores in (("the first scores", self), ("the second scores", other)):
            ledger.record_all(scores, place)
        return ledger.scores(sources=self.sources + other.sources)

    # -- leaving --------------------------------------------------------------------------------

    def rows(self) -> Iterator[dict[str, object]]:
        """Yield one flat dict per known score: the tidy form, with only the optional fields that are used.

        A label under which no score is known gets one row with score NaN, so that the rows say all there is.
        """
        used = [axis for axis in EXTRA_AXES if any(c.labels(axis) for c in self.columns.values())]
        directed = any(c.lower_is_better for c in self.columns.values())
        for column, cells in zip(self.columns.values(), self._cells(), strict=True):
            labels = [*(names for _, names in column.axes), self.systems, self.inputs]
            present = [axis for axis, _ in column.axes]
            scores = column.values[tuple(cells.T)].tolist()
            for at, score in zip(cells.tolist(), scores, strict=True):
                *extra, system, key = (names[i] for names, i in zip(labels, at, strict=True))
                row: dict[str, object] = {
                    "system": system,
                    "input": key,
                    "metric": column.name,
                    "score": score,
                    "kind": column.kind,
                }
                place = dict(zip(present, extra, strict=True))
                row |= {axis: place.get(axis, "") for axis in used}
                if self.groups:
                    row["group"] = self.groups.get(system, "")
                if directed:
                    row["direction"] = "lower" if column.lower_is_better else "higher"
                yield row

    def _cells(self) -> list[IntArray]:
        """Return for each column where its known scores are, then where an empty row makes a label known."""
        found = []
        for column in self.columns.values():
            known = np.argwhere(~np.isnan(column.values))
            unseen = _unseen(known, column.values.shape, range(len(column.axes)))
            if not len(known) and not len(unseen):
                unseen = np.zeros((1, column.values.ndim), dtype=np.int64)
            found.append(np.concatenate([known, unseen]))
        everywhere = np.concatenate([cells[:, -2:] for cells in found])
        alone = _unseen(everywhere, self.shape, (0, 1))
        padding = ((0, 0), (found[0].shape[1] - 2, 0))
        found[0] = np.concatenate([found[0], np.pad(alone, padding)])
        return found

    def to_dataframe(self, backend: str = "pandas") -> Any:  # noqa: ANN401 - the frame's type is the user's choice
        """Return the tidy form as a data frame of the given backend (``pandas``, ``polars``, ``pyarrow``)."""
        from metassay.core.frames import frame_from_rows

        return frame_from_rows(list(self.rows()), backend)


def natural(label: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """Return a sort key under which ``M2`` comes before ``M10``; different labels never tie."""
    parts = re.split(r"([0-9]+)", label)
    # Digits are compared by length, then as text: that is their order as numbers, however many there are.
    digits = (p.lstrip("0") for p in parts[1::2])
    texts = ((1, 0, p) for p in parts[::2])
    return tuple(k for pair in zip_longest(texts, ((0, len(d), d) for d in digits)) for k in pair if k), label


def _unseen(cells: IntArray, shape: tuple[int, ...], axes: Iterable[int]) -> IntArray:
    """Return one cell for each position on the given axes that no cell stands on."""
    alone = [
        [at if other == axis else 0 for other in range(len(shape))]
        for axis in axes
        for at in np.setdiff1d(np.arange(shape[axis]), cells[:, axis]).tolist()
    ]
    return np.array(alone, dtype=np.int64).reshape(-1, len(shape))


def _positions(what: str, wanted: Iterable[str] | None, labels: tuple[str, ...]) -> list[int]:
    if wanted is None:
        return list(range(len(labels)))
    if isinstance(wanted, str):
        wanted = (wanted,)
    where = {label: i for i, label in enumerate(labels)}
    found = []
    for label in dict.fromkeys(wanted):
        if label not in where:
            raise UnknownName(what, label, labels)
        found.append(where[label])
    return found


def contradiction(what: str, first: str, second: str) -> Contradiction:
    """Return the error for two places that disagree."""
    return Contradiction(f"{what}: {first} contradicts {second}; keep one of them")
