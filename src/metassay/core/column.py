"""One column of scores, and one attribute of inputs, systems or outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from metassay.core.equality import Record
from metassay.core.scales import INTERVAL, Scale
from metassay.errors import DataError, UsageError, listed, one_line
from metassay.stats.arrays import FloatArray
from metassay.stats.kernels.weighted_ranks import quotient

Kind = Literal["metric", "human"]
Axes = tuple[tuple[str, tuple[str, ...]], ...]

EXTRA_AXES = ("language", "reference", "annotator")
"""The axes a column may have beside systems and inputs, in the order they are stored."""

LARGEST = 1e100
"""Scores are no larger than this, either way: variances of larger ones would overflow."""


@dataclass(frozen=True, slots=True, eq=False)
class Column(Record):
    """One metric or one human criterion, with every axis it was measured on.

    The array is copied once and made read-only; infinite values are refused.
    """

    name: str
    """What the column is called."""
    values: FloatArray
    """Scores, or codes of labels, with shape (extra axes…, systems, inputs); NaN where one is missing."""
    kind: Kind = "metric"
    """``human`` for judgments of people, ``metric`` for everything else."""
    axes: Axes = ()
    """The extra axes and their labels, such as ``(("annotator", ("1", "2", "3")),)``."""
    lower_is_better: bool = False
    """True if small scores are good; studies turn the sign of such a column."""
    scale: Scale = INTERVAL
    """What the values mean: numbers, or codes of labels."""
    system_scores: FloatArray | None = None
    """Scores of whole systems that were given beside or instead of those of single inputs; NaN where missing."""

    def __post_init__(self) -> None:
        if not self.name or not isinstance(self.name, str):
            raise UsageError(f"a column needs a name that is a non-empty string, got {self.name!r}")
        shown = repr(one_line(self.name))
        if self.kind not in ("metric", "human"):
            raise UsageError(f"kind must be 'metric' or 'human', got {self.kind!r}")
        values = _checked(self.values, shown)
        if values.ndim != len(self.axes) + 2:
            raise DataError(f"{shown} must have {len(self.axes) + 2} dimensions, got shape {values.shape}")
        for size, (axis, labels) in zip(values.shape, self.axes, strict=False):
            if axis not in EXTRA_AXES or size != len(labels):
                raise DataError(f"{shown}: axis {axis!r} has {size} rows and {len(labels)} labels")
        self._check_scale(values, shown)
        object.__setattr__(self, "values", values)
        if self.system_scores is not None:
            whole = _checked(self.system_scores, shown)
            if whole.shape != values.shape[-2:-1]:
                raise DataError(f"{shown}: system scores must be {values.shape[-2]}, one per system, got {whole.shape}")
            object.__setattr__(self, "system_scores", whole)

    def _check_scale(self, values: FloatArray, shown: str) -> None:
        """Refuse codes that stand for no label."""
        n = len(self.scale.labels) or (2 if self.scale.kind == "binary" else 0)
        if not n:
            return
        known = values[~np.isnan(values)]
        if ((known < 0) | (known >= n) | (known != np.floor(known))).any():
            what = f"codes of {n} labels, 0 to {n - 1}" if self.scale.labels else "0 and 1, as a binary scale has"
            raise DataError(f"{shown} must hold {what}, got {listed(map(str, np.unique(known).tolist()), 6)}")

    def __hash__(self) -> int:
        return hash((self.name, self.kind, self.axes, self.values.shape))

    def labels(self, axis: str) -> tuple[str, ...]:
        """Return the labels of an extra axis, empty if the column does not have it."""
        return dict(self.axes).get(axis, ())

    def decoded(self) -> npt.NDArray[Any]:
        """Return the values as labels, None where one is missing; numbers stay numbers where there are no labels."""
        if not self.scale.labels:
            return self.values
        at = np.where(np.isnan(self.values), len(self.scale.labels), self.values).astype(np.int64)
        decoded: npt.NDArray[Any] = np.array([*self.scale.labels, None], dtype=object)[at]
        return decoded

    def mean(self, keep: str | None = None) -> FloatArray:
        """Return the mean over the extra axes, each cell over what it has; `keep` stays as first axis.

        Labels without an order have no mean: theirs is the label that most gave, missing where no label has a majority.
        """
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
        if not self.scale.ordered:
            return _most_frequent(values)
        # Added up in order of size, so that the same ratings from other annotators give the same bits, and tie.
        total = np.nansum(np.sort(values, axis=0), axis=0)
        return quotient(total, (~np.isnan(values)).sum(axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class Attribute(Record):
    """A text or a category of each input, of each system, or of each output, such as the topic or the answer."""

    name: str
    """What it is called."""
    axis: Literal["input", "system", "output", "vote"]
    """What it is about."""
    codes: npt.NDArray[np.int32]
    """Positions in `labels`, -1 where missing: one per input, system or vote, or systems × inputs for outputs."""
    labels: tuple[str, ...]
    """The distinct texts."""

    def __post_init__(self) -> None:
        codes = np.array(self.codes, dtype=np.int32)
        if codes.ndim != (2 if self.axis == "output" else 1) or (codes >= len(self.labels)).any():
            raise DataError(f"attribute {one_line(self.name)!r} has codes that fit neither its axis nor its labels")
        codes.flags.writeable = False
        object.__setattr__(self, "codes", codes)

    def __hash__(self) -> int:
        return hash((self.name, self.axis, self.labels))

    def texts(self) -> npt.NDArray[Any]:
        """Return the texts in the shape of the codes, None where one is missing."""
        found: npt.NDArray[Any] = np.array([*self.labels, None], dtype=object)[self.codes]
        return found

    def select(self, systems: list[int], inputs: list[int]) -> Attribute:
        """Return the attribute of some systems and inputs."""
        codes = self.codes
        if self.axis == "output":
            codes = codes[systems][:, inputs]
        else:
            codes = codes[inputs if self.axis == "input" else systems]
        used, codes_of_used = np.unique(codes, return_inverse=True)
        labels = tuple(self.labels[at] for at in used.tolist() if at >= 0)
        shift = len(used) - len(labels)  # the code of missing texts, if there are any, comes first
        kept = np.asarray(codes_of_used.reshape(codes.shape) - shift, dtype=np.int32)
        return Attribute(self.name, self.axis, kept, labels)


def _checked(given: npt.ArrayLike, shown: str) -> FloatArray:
    """Return an array of finite numbers or NaN that nobody can change."""
    try:
        values = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{shown} must hold numbers: {one_line(error)}") from None
    if (np.abs(values) > LARGEST).any():
        if np.isinf(values).any():
            raise DataError(f"{shown} holds infinite values; a missing score is NaN")
        raise DataError(f"{shown} holds scores beyond ±{LARGEST:g}, whose variance would overflow; rescale them")
    values.flags.writeable = False
    return values


def _most_frequent(values: FloatArray) -> FloatArray:
    """Return the most frequent value along the first axis; NaN where two are equally frequent."""
    every = np.unique(values[~np.isnan(values)])
    counts = np.array([(values == one).sum(axis=0) for one in every]).reshape(len(every), *values.shape[1:])
    if not len(every):
        return np.full(values.shape[1:], np.nan)
    most = counts.max(axis=0)
    alone = ((counts == most).sum(axis=0) == 1) & (most > 0)
    return np.where(alone, every[counts.argmax(axis=0)], np.nan)
