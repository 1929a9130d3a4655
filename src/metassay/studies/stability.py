"""Would other inputs give the same ranking?

Draws two samples of inputs, ranks the systems on each, and correlates the two rankings, many times and for growing
sample sizes. A correlation near 1 means that other inputs would give the same ranking. Metrics and people are shown up
to the number of inputs that each has.

    metassay stability scores.csv --human relevance
    metassay stability scores.csv --human relevance --sizes 10,50,100 -o stability.csv
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import numpy as np

from metassay import engine
from metassay.core import fields
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import UsageError
from metassay.stats.arrays import FloatArray
from metassay.stats.stability import Rankings, SamplePages
from metassay.stats.statistics.base import Statistic
from metassay.stats.statistics.registry import choose_one
from metassay.studies.input_sets import has_scores
from metassay.studies.selection import Selection, select_columns


@fields.row
class StabilityRow:
    """How similar two rankings of systems are from two samples of this many inputs."""

    name: str
    """The metric or human criterion."""
    kind: fields.Kind
    n_inputs: int
    """Inputs in each of the two samples."""
    mean: float
    """Mean correlation between the rankings; NaN if it is always undefined."""
    sd: float
    """Standard deviation of the correlation over the draws."""
    statistic: fields.Statistic
    draws: int
    """How many pairs of samples were drawn."""
    n_undefined: int
    """Pairs of samples whose correlation was undefined; excluded from the mean."""
    n_systems: int
    """Systems that are ranked."""
    n_available: int
    """Inputs that samples are drawn from."""


class Stability(Result, study="stability"):
    """How similar rankings of systems from different samples of inputs are, by sample size."""

    table: Sequence[StabilityRow]
    """One row per metric or human criterion and number of inputs."""


@study
def stability(
    scores: Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    sizes: opt.Sizes = None,
    draws: opt.Draws = 1_000,
    statistic: opt.Statistic = "kendall",
    annotated: opt.AnnotatedInputs = None,
    seed: opt.Seed = 0,
    references: opt.References = False,
) -> Stability:
    """Correlate the rankings of systems that two independent samples of inputs give.

    Notes
    -----
    Deutsch, Dror and Roth (2022), "Re-Examining System-Level Correlations of Automatic Summarization Evaluation
    Metrics", §3.1 and Figure 3. Both samples are drawn with replacement from all inputs that the column has.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.stability(ma.example(), human="relevance", metric="synthetic-o*", sizes=[5, 50], draws=200)
    >>> few, many = [row.mean for row in result.table if row.kind == "human"]
    >>> few < many
    True
    """
    wanted = cast("tuple[int, ...] | None", sizes)
    statistic = choose_one(statistic, ["system"], fixed=True)
    columns = select_columns(
        scores, human, metric, references=references, with_people=True, annotated=annotated, seed=seed
    ).need(systems=2)

    available = [has_scores(values) for values in columns.values]
    own = [int(inputs.sum()) for inputs in available]
    chosen = _sizes(wanted, own, columns.kinds)
    if not any(chosen):
        raise UsageError(f"sizes must be at most the number of inputs, {max(own)}, got {min(wanted or ())}")
    found: dict[tuple[int, int], FloatArray] = {}
    for inputs in {mask.tobytes(): mask for mask in available}.values():
        together = [at for at, mask in enumerate(available) if (mask == inputs).all()]
        drawn = _draw(columns.values[together][..., inputs], chosen[together[0]], draws, statistic, seed)
        found |= {(at, size): r for size, values in drawn.items() for at, r in zip(together, values, strict=True)}

    rows = [
        _row(columns, at, size, found[at, size], statistic, own[at])
        for at in range(len(columns.names))
        for size in chosen[at]
    ]
    signature = Signature.open(
        sizes=sorted({size for each in chosen for size in each}),
        annotated=None
        if annotated is None
        else max(own[at] for at, kind in enumerate(columns.kinds) if kind == "human"),
        **columns.sizes(),
    )
    notes = [*columns.notes, *_notes(rows, wanted, columns, own)]
    return Stability(tuple(rows), signature, tuple(notes))


def _sizes(wanted: tuple[int, ...] | None, own: list[int], kinds: tuple[str, ...]) -> list[list[int]]:
    """Return for each column the sizes it is studied at; by default people and metrics share them where they can."""
    if wanted is not None:
        return [[size for size in wanted if size <= most] for most in own]
    largest = {max(most for most, k in zip(own, kinds, strict=True) if k == kind) for kind in kinds}
    shared = {max(1, round(most * tenth / 10)) for most in largest for tenth in range(1, 11)}
    return [sorted({size for size in shared if size < most} | {most}) for most in own]


def _draw(values: FloatArray, sizes: list[int], draws: int, statistic: Statistic, seed: int) -> dict[int, FloatArray]:
    """Return for each size the correlations (columns, draws)."""
    rankings = Rankings(values, statistic)
    pages = [SamplePages(draws, values.shape[-1], size, seed) for size in sizes]
    places = [(at, page) for at, each in enumerate(pages) for page in range(len(each))]

    def work(place: int) -> FloatArray:
        at, page = places[place]
        return rankings.correlate(*pages[at][page])

    done = engine.run(work, len(places), what="drawing inputs twice")
    return {
        size: np.concatenate([r for (which, _), r in zip(places, done, strict=True) if which == at], axis=1)[:, :draws]
        for at, size in enumerate(sizes)
    }


def _row(columns: Selection, at: int, size: int, r: FloatArray, statistic: Statistic, own: int) -> StabilityRow:
    defined = r[~np.isnan(r)]
    return StabilityRow(
        name=columns.names[at],
        kind=columns.kinds[at],
        n_inputs=size,
        mean=float(defined.mean()) if len(defined) else math.nan,
        sd=float(defined.std(ddof=1)) if len(defined) > 1 else math.nan,
        statistic=statistic.name,
        draws=len(r),
        n_undefined=len(r) - len(defined),
        n_systems=int((~np.isnan(columns.values[at])).any(axis=1).sum()),
        n_available=own,
    )


def _notes(
    rows: Sequence[StabilityRow], wanted: tuple[int, ...] | None, columns: Selection, own: list[int]
) -> list[Note]:
    most = dict(zip(columns.names, own, strict=True))
    undefined = sorted({row.name for row in rows if row.n_undefined})
    lost = max(row.n_undefined for row in rows)
    small = [name for name, n in most.items() if wanted is not None and n < max(wanted)]
    single = [name for name, n in most.items() if n == 1]
    return [
        Note.of("stability-optimistic"),
        Note.of("stable-not-valid"),
        *Note.when(small, "sizes-exceed-inputs", columns=small),
        *Note.when(single, "single-input", columns=single),
        *Note.when(lost > 0, "samples-undefined", n=lost, draws=rows[0].draws, columns=undefined),
    ]
