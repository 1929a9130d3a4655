"""Do inputs differ in difficulty?

Tests whether all inputs are equally hard, by each metric and each human criterion. The Kruskal-Wallis test compares all
inputs at once. Tukey's test on mean ranks finds which inputs differ, and gives each an interval that does not overlap
with those of inputs it differs from. If inputs differ, compare systems input by input (paired tests), not by two
averages. Human-written references that were scored like systems are included.

    metassay difficulty scores.csv --human relevance
    metassay difficulty scores.csv --metric synthetic-overlap --view inputs --figure difficulty.pdf
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from metassay.core import fields
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.stats.arrays import FloatArray
from metassay.stats.difficulty import Ranked, compare_columns
from metassay.studies.selection import Selection, cells_missing, select_columns


@fields.row
class DifficultyRow:
    """How hard one input is by one metric or human criterion."""

    metric: fields.Column
    input: str
    """The input."""
    mean_rank: float
    """Mean rank of the input's scores among all scores of the metric, 1 the lowest; NaN if it has no score."""
    low: float
    """Lower end of the comparison interval: two inputs differ if their intervals do not overlap."""
    high: float
    """Upper end of the comparison interval."""
    n_differs: int
    """Inputs that differ significantly from this one by Tukey's test."""
    n_easier: int
    """Those of them that are easier: their mean rank is higher."""
    n_systems: int
    """Systems with a score on this input."""


@fields.row
class DifficultyTest(fields.OfColumn):
    """Whether all inputs could be equally hard, by one metric or human criterion."""

    test_statistic: float
    """Kruskal-Wallis H, corrected for ties; NaN if all scores are equal or fewer than two inputs have any."""
    degrees_of_freedom: int
    """Number of inputs with scores, minus one."""
    p_value: float
    """p-value of H by the χ² distribution."""
    significant: bool
    """Whether p ≤ α."""
    n_inputs: int
    """Inputs with scores."""
    n_pairs: int
    """Pairs of inputs."""
    n_pairs_differ: int
    """Pairs of inputs that differ by Tukey's test."""
    n_pairs_drawn_otherwise: int
    """Pairs whose intervals overlap though the inputs differ, or the other way round; 0 where nothing is missing."""


class Difficulty(Result, study="difficulty"):
    """How hard each input is, and whether inputs differ."""

    table: Sequence[DifficultyRow]
    """One row per metric or human criterion and input."""
    tests: tuple[DifficultyTest, ...]
    """One Kruskal-Wallis test per metric or human criterion."""
    alpha: float
    """The significance level of the Kruskal-Wallis tests."""
    confidence: float
    """The confidence of all comparisons of one metric together."""
    scores: Mapping[str, FloatArray]
    """The scores by metric or human criterion, systems × inputs, high ones good: what the colour map shows."""
    systems: tuple[str, ...]
    """Labels of the systems."""
    inputs: tuple[str, ...]
    """Labels of the inputs."""
    groups: Mapping[str, str]
    """The group of each system that has one."""


@study
def difficulty(
    scores: Scores,
    *,
    metric: opt.Metric = None,
    human: opt.Human = None,
    alpha: opt.Alpha = 0.05,
    confidence: opt.Confidence = 0.95,
    references: opt.References = True,
) -> Difficulty:
    """Test whether inputs are equally hard, and which differ.

    Notes
    -----
    Rankel, Conroy, Slud and O'Leary (2011), "Ranking Human and Machine Summarization Systems", §1 and Fig. 1. All
    scores of a metric are ranked together and each input gets the mean of its ranks, over the systems that it has.
    Inputs i and j differ if their mean ranks are further apart than ``q/√2 · √(V(1/n_i + 1/n_j))``: q is the
    studentized range for so many inputs with infinitely many degrees of freedom, V = N(N + 1)/12 the variance of a
    rank, corrected for ties. Intervals are those of Hochberg and Tamhane (1987), p. 98, which do not overlap where
    inputs differ; exactly so if no scores are missing. :mod:`metassay.stats.difficulty` gives the formulas.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.difficulty(ma.example(), human="relevance", metric="relevance")
    >>> hardest = min(result.table, key=lambda row: row.mean_rank)
    >>> hardest.n_easier == hardest.n_differs
    True
    """
    columns = select_columns(scores, human, metric, references=references).need(inputs=2)
    found = [compare_columns(values, confidence) for values in columns.values]
    inputs = columns.scores.inputs
    rows = [row for name, ranked in zip(columns.names, found, strict=True) for row in _rows(name, ranked, inputs)]
    tests = tuple(
        _test(name, kind, ranked, alpha) for name, kind, ranked in zip(columns.names, columns.kinds, found, strict=True)
    )
    signature = Signature.open(test="kruskal-wallis", ci=f"tukey-ranks,{confidence:g}", **columns.sizes())
    return Difficulty(
        tuple(rows),
        signature,
        tuple(columns.notes + _notes(columns, tests, alpha)),
        tests,
        alpha,
        confidence,
        dict(zip(columns.names, columns.values, strict=True)),
        columns.scores.systems,
        inputs,
        columns.scores.groups,
    )


def _rows(name: str, ranked: Ranked, inputs: Sequence[str]) -> list[DifficultyRow]:
    return [
        DifficultyRow(
            metric=name,
            input=label,
            mean_rank=float(ranked.mean_rank[j]),
            low=float(ranked.mean_rank[j] - ranked.half_width[j]),
            high=float(ranked.mean_rank[j] + ranked.half_width[j]),
            n_differs=int(ranked.differs[j]),
            n_easier=int(ranked.lower[j]),
            n_systems=int(ranked.cells[j]),
        )
        for j, label in enumerate(inputs)
    ]


def _test(name: str, kind: str, ranked: Ranked, alpha: float) -> DifficultyTest:
    n_inputs = int((ranked.cells > 0).sum())
    return DifficultyTest(
        metric=name,
        kind=kind,
        test_statistic=ranked.statistic,
        degrees_of_freedom=ranked.degrees,
        p_value=ranked.p_value,
        significant=bool(ranked.p_value <= alpha),
        n_inputs=n_inputs,
        n_pairs=n_inputs * (n_inputs - 1) // 2,
        n_pairs_differ=int(ranked.differs.sum()) // 2,
        n_pairs_drawn_otherwise=ranked.looks_otherwise,
    )


def _notes(columns: Selection, tests: Sequence[DifficultyTest], alpha: float) -> list[Note]:
    """Note what the tests found, what was missing, and what the numbers do not say."""
    notes = []
    undefined = [test.metric for test in tests if math.isnan(test.test_statistic)]
    defined = [test for test in tests if not math.isnan(test.test_statistic)]
    if defined:
        others = [test.metric for test in defined if not test.significant]
        n = len(defined) - len(others)
        notes.append(Note.of("inputs-differ", n=n, columns=len(defined), alpha=alpha, others=others))
    notes += Note.when(undefined, "difficulty-undefined", columns=undefined)
    notes += cells_missing(columns.names, columns.values)
    otherwise = [t for t in tests if t.n_pairs_drawn_otherwise]
    if otherwise:
        most, pairs = (max(getattr(t, f) for t in otherwise) for f in ("n_pairs_drawn_otherwise", "n_pairs"))
        notes.append(Note.of("interval-overlap-approximate", n=most, pairs=pairs))
    unequal = [n for n, v in zip(columns.names, columns.values, strict=True) if not _same_systems(v)]
    notes.append(Note.of("difficulty-confounded", columns=unequal) if unequal else Note.of("difficulty-conservative"))
    return notes


def _same_systems(values: FloatArray) -> bool:
    """Return whether all inputs that have scores have those of the same systems."""
    known = ~np.isnan(values)
    return bool((known.any(axis=0) == known)[known.any(axis=1)].all())
