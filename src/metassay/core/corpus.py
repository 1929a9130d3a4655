"""Scores of whole systems, kept as counts that add up over inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from metassay.core.note import Note
from metassay.core.origin import Origin
from metassay.core.scores import Column, Scores
from metassay.stats.arrays import FloatArray
from metassay.stats.corpus_scores import Formula


@dataclass(frozen=True, eq=False)
class CorpusColumn:
    """One metric of whole systems."""

    name: str
    """What the metric is called."""
    counts: FloatArray
    """What it counted, (systems, inputs, counts); NaN where there is no output or no reference."""
    formula: Formula
    """From counts that were added up to a score."""
    signature: str
    """The recipe, such as that of sacrebleu."""
    lower_is_better: bool = False
    """Whether small scores are good."""

    @property
    def known(self) -> FloatArray:
        """Which systems have which inputs, (systems, inputs)."""
        return ~np.isnan(self.counts[..., 0])

    @cached_property
    def scores(self) -> FloatArray:
        """The score of each system over the inputs it has; NaN for one that has none."""
        found = self.formula(np.nansum(self.counts, axis=1))
        return np.where(self.known.any(axis=1), found, np.nan)


@dataclass(frozen=True, eq=False)
class CorpusScores:
    """Scores of whole systems, as :func:`metassay.score_corpus` makes them, for :func:`metassay.systems`."""

    systems: tuple[str, ...]
    """Labels of the systems."""
    inputs: tuple[str, ...]
    """Labels of the inputs."""
    columns: Mapping[str, CorpusColumn]
    """Metrics by name."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """The group of each system that has one."""
    sources: tuple[Origin, ...] = ()
    """Where the texts came from, and the recipe of each metric."""
    notes: tuple[Note, ...] = ()
    """What a reader of the scores must know."""

    def to_scores(self) -> Scores:
        """Return the scores as a table with one input, ``corpus``, to be written to a file."""
        columns = {
            name: Column(name, column.scores[:, None], lower_is_better=column.lower_is_better)
            for name, column in self.columns.items()
        }
        return Scores(self.systems, ("corpus",), columns, dict(self.groups), self.sources, self.notes)
