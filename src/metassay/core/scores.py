"""Scores: named metrics and human criteria over labelled systems × inputs."""

from __future__ import annotations

import fnmatch
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from metassay.core import scales as scales_of
from metassay.core import vocabulary
from metassay.core.column import EXTRA_AXES as EXTRA_AXES
from metassay.core.column import LARGEST as LARGEST
from metassay.core.column import Attribute as Attribute
from metassay.core.column import Column as Column
from metassay.core.column import Kind as Kind
from metassay.core.equality import Record
from metassay.core.note import Note
from metassay.core.origin import Origin
from metassay.core.result import render
from metassay.errors import Contradiction, DataError, MetassayError, UnknownName, UsageError, listed, one_line
from metassay.stats.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from typing import Self

    from metassay.core.reading import Reading

REFERENCE_GROUP = "reference"
"""The group of people's own texts that were scored like systems; agreement studies leave it out."""


NO_SYSTEM = "(no systems)"
"""The one unnamed system of data that have none."""

SYSTEM_SCORE = "(system score)"
"""The input under which files write a score of a whole system."""


@dataclass(frozen=True, slots=True, eq=False)
class Scores(Record):
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
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    """Categories and texts of inputs, systems or outputs, by name: slices, prompts, answers."""
    clusters: Mapping[str, str] = field(default_factory=dict)
    """The cluster of each input that has one, such as its document or conversation."""
    families: Mapping[str, str] = field(default_factory=dict)
    """The family of each system that has one, such as the maker of its model."""
    unread: tuple[str, ...] = field(default=(), compare=False)
    """Columns that the files hold but that were not asked for; only messages about unknown names list them."""

    def __post_init__(self) -> None:
        for axis, labels in (("systems", self.systems), ("inputs", self.inputs)):
            if not labels:
                raise DataError(f"there are no {axis}")
            if len(set(labels)) != len(labels):
                twice = Counter(labels).most_common(1)[0][0]
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
        sizes = {"input": self.shape[1:], "system": self.shape[:1], "output": self.shape}
        for name, attribute in self.attributes.items():
            if name != attribute.name or attribute.codes.shape != sizes[attribute.axis]:
                raise DataError(f"attribute {one_line(name)!r} must have {sizes[attribute.axis]} values and this name")
        for each in ("columns", "groups", "attributes", "clusters", "families"):
            object.__setattr__(self, each, MappingProxyType(dict(getattr(self, each))))

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
        scale: scales_of.Scales | None = None,
    ) -> Self:
        """Build scores from arrays of numbers or labels.

        Parameters
        ----------
        metrics
            Arrays of shape (systems, inputs) by name; NaN marks a missing score.
        human
            The same for human criteria; an array of shape (annotators, systems, inputs) keeps the annotators.
        systems, inputs
            Labels; by default ``system-1``, ``input-1`` and so on.
        lower_is_better
            Names of the columns in which lower scores are better.
        groups
            The group of each system that has one.
        scale
            Scales by name or glob, such as ``{"grade": "ordinal:bad<ok<good"}``.
        """
        from metassay.core.declaring import encoded, rescaled

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
        worded = encoded({name: array for name, array, _ in arrays})
        columns = {}
        for name, raw, kind in arrays:
            array, on = worded.get(name, (raw, scales_of.INTERVAL))
            extra = tuple(str(i + 1) for i in range(array.shape[0])) if array.ndim == 3 else None
            axes = () if extra is None else (("annotator", extra),)
            columns[name] = Column(name, array, kind, axes, name in lower, on)
        n, m = next(iter(columns.values())).values.shape[-2:]
        return cls(
            tuple(map(str, systems)) if systems is not None else tuple(f"system-{i + 1}" for i in range(n)),
            tuple(map(str, inputs)) if inputs is not None else tuple(f"input-{j + 1}" for j in range(m)),
            rescaled(columns, scale),
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
        **mapping: Any,  # noqa: ANN401 - the options of `Reading`, checked there
    ) -> Scores:
        """Build scores from a pandas, polars or other data frame that narwhals knows.

        Parameters
        ----------
        frame
            Tidy (``system, input, metric, score``; optional ``kind, annotator, language, reference, group``)
            or wide (``system, input``, then one column per metric or human criterion, numbers or labels).
        human
            Names or globs of the columns that are human judgments.
        lower_is_better
            Names or globs of the columns in which lower scores are better.
        by
            A further column that distinguishes scores of one cell, such as the version of a judge; it is kept in place
            of the language.
        **mapping
            How columns are read, as :func:`metassay.read` takes it: ``system_column``, ``input_column``,
            ``annotator_column``, ``no_systems``, ``ignore``, ``people``, ``scale``, ``cluster_by``, ``family_of``.
        """
        from metassay.core.frames import scores_from_frame
        from metassay.core.reading import Reading

        reading: Reading = Reading.of(by=by, human=human, **mapping)
        more = {name: mapping.get(name) for name in ("cluster_by", "family_of")}
        return scores_from_frame(frame, reading).declare(human=human, lower_is_better=lower_is_better, **more)

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

    @property
    def has_systems(self) -> bool:
        """Whether the data have systems; otherwise there is one unnamed system."""
        return self.systems != (NO_SYSTEM,)

    def matrix(self, name: str) -> FloatArray:
        """Return one column as systems × inputs: the mean over annotators, turned so that high is good.

        Ordered labels count as 0, 1, …; labels without an order are an error, and :meth:`codes` gives theirs.
        """
        column = self[name]
        if not column.scale.ordered:
            raise DataError(
                f"{one_line(name)!r} holds labels without an order ({listed(column.scale.labels, 5) or 'nominal'}), "
                "which have no mean and no correlation; order them with --scale "
                f"'{one_line(name)}=ordinal:LOW<HIGH', or choose other columns"
            )
        return -column.mean() if column.lower_is_better else column.mean()

    def codes(self, name: str) -> FloatArray:
        """Return the labels of a column as codes, systems × inputs: the label that most annotators gave.

        Columns that share a label share their codes, so that equal codes are equal labels.
        """
        column = self[name]
        scale = scales_of.Scale("nominal", column.scale.labels)
        return replace(column, scale=scale).mean()

    def input_units(self) -> IntArray:
        """Return the unit that each input is drawn with, as 0, 1, …: its cluster, or itself."""
        seen: dict[str, int] = {}
        units = (self.clusters.get(name, f"\0{name}") for name in self.inputs)
        return np.array([seen.setdefault(unit, len(seen)) for unit in units], dtype=np.int64)

    def system_matrix(self, name: str) -> FloatArray:
        """Return one column as systems × inputs whose means are the scores that were given for whole systems.

        Where a system has no such score, :meth:`matrix`. A corpus score such as BLEU is no mean of sentences: the
        scores of single inputs are shifted, so that their mean is the system's own and they vary as they do.
        """
        raw, column = self.matrix(name), self[name]
        if column.system_scores is None:
            return raw
        whole = -column.system_scores if column.lower_is_better else column.system_scores
        known = ~np.isnan(raw)
        n = known.sum(axis=1)
        means = np.where(known, raw, 0.0).sum(axis=1) / np.maximum(n, 1)
        shifted = np.where(n[:, None] > 0, raw + (whole - means)[:, None], whole[:, None])
        return np.where(np.isnan(whole)[:, None], raw, shifted)

    def __getitem__(self, name: str) -> Column:
        if name not in self.columns:
            raise self._unknown("column", name)
        return self.columns[name]

    def _unknown(self, what: str, name: str) -> MetassayError:
        if name in self.attributes:
            return UsageError(
                f"{one_line(name)!r} was read as a text of each {self.attributes[name].axis}; read it as labels with "
                f"--scale '{one_line(name)}=nominal'"
            )
        return UnknownName(what, name, self.nameable)

    @property
    def nameable(self) -> tuple[str, ...]:
        """The names of columns, and of those that files hold but that were not asked for."""
        return tuple(dict.fromkeys([*self.columns, *self.unread]))

    def find(self, patterns: str | Iterable[str], what: str = "column") -> tuple[str, ...]:
        """Return the names that exact names, globs, or comma lists of them stand for, in the order given."""
        wanted = [patterns] if isinstance(patterns, str) else list(patterns)
        found: dict[str, None] = {}
        for text in wanted:
            for pattern in (text,) if text in self.columns else vocabulary.names(text):
                hits = [pattern] if pattern in self.columns else fnmatch.filter(self.columns, pattern)
                if not hits:
                    raise self._unknown(what, pattern)
                found.update(dict.fromkeys(hits))
        return tuple(found)

    def find_humans(self, patterns: str | Iterable[str] | None) -> tuple[str, ...]:
        """Return the human criteria to study: those named, or all that are known to be human."""
        if patterns is not None:
            found = self.find(patterns, "human criterion")
        else:
            found = self.humans
        if not found:
            likely = [name for name in self.columns if scales_of.PEOPLE.search(name)]
            hint = f", such as --human {one_line(likely[0])}" if likely else ""
            raise UsageError(
                f"no column is known to hold human judgments; name it with human=… or --human{hint} "
                f"(columns: {listed(self.columns)})"
            )
        return found

    def find_metrics(self, patterns: str | Iterable[str] | None, humans: Iterable[str]) -> tuple[str, ...]:
        """Return the metrics to study: those named, or every column that is not human."""
        if patterns is not None:
            return self.find(patterns, "metric")
        found = tuple(n for n in self.metrics if n not in set(humans))
        if not found:
            raise DataError(
                f"there is no metric beside the human criteria {', '.join(humans)}; add a file that has one, such as "
                "judge=FILE"
            )
        return found

    def __hash__(self) -> int:
        return hash((self.systems, self.inputs, tuple(sorted(self.columns))))

    def __repr__(self) -> str:
        def counted(names: tuple[str, ...], one: str, many: str) -> str:
            return f"{len(names)} {one if len(names) == 1 else many}" + (f": {listed(names, 6)}" if names else "")

        n, m = self.shape
        metrics = counted(self.metrics, "metric", "metrics")
        humans = counted(self.humans, "human criterion", "human criteria")
        systems = f"{n} systems × " if self.has_systems else "no systems, "
        return f"Scores({systems}{m} inputs; {metrics}; {humans})"

    def _repr_html_(self) -> str:
        return str(render("looked", self))

    # -- changing -------------------------------------------------------------------------------

    def declare(
        self,
        *,
        human: str | Iterable[str] = (),
        lower_is_better: str | Iterable[str] = (),
        scale: scales_of.Scales | None = None,
        cluster_by: str | None = None,
        family_of: str | Mapping[str, str] | Iterable[str] | None = None,
    ) -> Scores:
        """Return the same scores with further declarations.

        Parameters
        ----------
        human, lower_is_better
            Names or globs of columns that are human judgments, and of those in which small scores are good.
        scale
            Scales by name or glob, such as ``{"grade": "ordinal:bad<ok<good"}``; columns that share labels share them.
        cluster_by
            An attribute of the inputs, such as the document; inputs with the same one belong together. ``none`` if
            each is by itself.
        family_of
            An attribute of the systems, or patterns of systems by family, such as ``["openai=gpt-*,o3*"]``.
        """
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
        from metassay.core.declaring import families_of, rescaled, texts_by

        clusters = self.clusters if cluster_by is None else {}
        if cluster_by not in (None, vocabulary.NO_CLUSTERS):
            clusters = texts_by(self, str(cluster_by), "input")
        families = self.families if family_of is None else families_of(self, family_of)
        columns = rescaled(columns, scale)
        return replace(self, columns=columns, clusters=clusters, families=families)

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
            # A score of a whole system is none of a part of its inputs.
            whole = column.system_scores if len(cols) == len(self.inputs) else None
            kept[name] = replace(column, values=values, axes=axes, system_scores=None if whole is None else whole[rows])
        names = tuple(self.systems[i] for i in rows)
        return replace(
            self,
            systems=names,
            inputs=tuple(self.inputs[j] for j in cols),
            columns=kept,
            groups=_of(self.groups, names),
            attributes={name: each.select(rows, cols) for name, each in self.attributes.items()},
            clusters=_of(self.clusters, [self.inputs[j] for j in cols]),
            families=_of(self.families, names),
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
        from metassay.core.tidy import rows_of

        return rows_of(self)

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


def _of(known: Mapping[str, str], labels: Iterable[str]) -> dict[str, str]:
    return {label: known[label] for label in labels if label in known}


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
