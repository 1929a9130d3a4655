"""Rows that a metric must beat: sentinels, which see only a part of what there is to see, and people themselves.

Sentinels are after Perrella et al. (2024), "Guardians of the Machine Translation Meta-Evaluation: Sentinel Metrics Fall
In!", people as rows after Proietti, Perrella and Navigli (2025), "Has Machine Translation Evaluation Achieved Human
Parity?". No sentinel has seen the score that it is compared with: means leave out what the level compares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from metassay.core.note import Note, where_of
from metassay.core.scores import Scores
from metassay.errors import DataError, UsageError, listed, one_line
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.kernels.weighted_ranks import quotient
from metassay.stats.methods.base import Draws
from metassay.stats.methods.case import by_common_cells
from metassay.stats.methods.names import JACKKNIFE
from metassay.stats.methods.registry import TESTS
from metassay.stats.sentinels import mean_elsewhere, most_frequent, nearest_given
from metassay.stats.statistics.base import Statistic
from metassay.studies.lengths import output_lengths, without_text

if TYPE_CHECKING:
    from metassay.studies.selection import Selection

SEEN = {
    "length": ("system", "input", "global", "within-system"),
    "system": ("input", "global"),
    "input": ("global", "within-system"),
    "constant": ("system", "input", "global", "within-system"),
}
"""What a sentinel sees, and at which levels it is defined. At system level the mean of a system would be people's own
ranking; where inputs are averaged over, their means are constants."""
MOST_PEOPLE = 12
"""People who are rows: those with the most ratings."""


@dataclass(frozen=True, eq=False)
class Yardsticks:
    """What stands beside the metrics of a selection."""

    sentinels: tuple[str, ...] = ()
    """What each sentinel sees."""
    lengths: FloatArray | None = None
    """Lengths of outputs, systems × inputs."""
    people: tuple[str, ...] = ()
    """Annotators who are rows."""

    @classmethod
    def of(
        cls, scores: Scores, humans: Sequence[str], *, sentinels: bool, people: bool
    ) -> tuple[Yardsticks, list[Note]]:
        """Return what can stand beside metrics, and notes on what cannot."""
        notes: list[Note] = []
        lengths, raters = None, tuple[str, ...]()
        if sentinels:
            lengths, unit = output_lengths(scores)
            notes += [Note.of("sentinels", unit=unit), *without_text(scores)]
        if people:
            counts: dict[str, int] = {}
            for name in humans:
                labels = scores[name].labels("annotator")
                if len(labels) < 2:
                    notes.append(Note.of("people-unknown", human=name))
                    continue
                rated = (~np.isnan(scores[name].mean(keep="annotator"))).sum(axis=(1, 2))
                for label, n in zip(labels, rated.tolist(), strict=True):
                    counts[label] = counts.get(label, 0) + n
            if not counts:
                raise DataError(
                    f"--people-as-metrics needs ratings of at least two annotators, and {listed(humans)} "
                    f"{'has' if len(humans) == 1 else 'have'} none; name the columns with --people"
                )
            notes.append(Note.of("people-as-rows"))
            most = sorted(counts, key=lambda label: -counts[label])[:MOST_PEOPLE]
            raters = tuple(label for label in counts if label in most)
            notes += Note.when(len(raters) < len(counts), "people-most", n=len(raters), people=len(counts))
        seen = tuple(s for s in SEEN if s != "length" or lengths is not None) if sentinels else ()
        made = cls(seen, lengths, raters)
        for name in made.names:
            if name in scores.columns:
                raise UsageError(f"a column named {one_line(name)!r} already exists; rename it")
        return made, notes

    @property
    def names(self) -> tuple[str, ...]:
        """Return what the rows are called."""
        return (*(f"sentinel-{seen}" for seen in self.sentinels), *(f"person-{label}" for label in self.people))

    def joined(self, chosen: Selection, human: int, level: str, statistic: Statistic | None) -> Selection:
        """Return a selection with these rows as further metrics, for one criterion, level and statistic."""
        z, clusters = chosen.z[human], chosen.labels("inputs")
        rows: list[tuple[str, str, FloatArray]] = []
        for seen in self.sentinels:
            # A correlation with a constant is undefined whatever the scores are.
            if level not in SEEN[seen] or (seen == "constant" and statistic is not None and statistic.is_correlation):
                continue
            if len(z) > 1 or seen not in ("system", "input"):
                made = self._sentinel(seen, level, z, clusters)
                if statistic is not None and "interval" not in statistic.scales and seen in ("input", "system"):
                    made = nearest_given(made, z)
                rows.append((f"sentinel-{seen}", "sentinel", made))
        labels = chosen.scores[chosen.humans[human]].labels("annotator")
        if len(labels) > 1:
            ratings = ratings_of(chosen, human)
            rows += [(f"person-{p}", "person", ratings[labels.index(p)]) for p in self.people if p in labels]
        names, kinds, values = zip(*rows, strict=True) if rows else ((), (), ())
        return replace(
            chosen,
            names=(*chosen.names, *names),
            kinds=(*chosen.kinds, *kinds),
            values=np.concatenate([chosen.values, *(each[None] for each in values)]),
        )

    def _sentinel(self, seen: str, level: str, z: FloatArray, clusters: IntArray | None) -> FloatArray:
        if seen == "length":
            assert self.lengths is not None
            return self.lengths
        if seen == "constant":
            return most_frequent(z)
        if seen == "input":
            return mean_elsewhere(z.T, np.arange(len(z)), halves=level == "global").T
        return mean_elsewhere(z, np.arange(z.shape[1]) if clusters is None else clusters, halves=level == "global")


def ratings_of(chosen: Selection, human: int) -> FloatArray:
    """Return the scores of single annotators with high ones good, (annotators, systems, inputs)."""
    column = chosen.scores[chosen.humans[human]]
    return np.asarray((-1 if column.lower_is_better else 1) * column.mean(keep="annotator"))


def without(chosen: Selection, human: int, people: Sequence[str]) -> FloatArray:
    """Return what the other people say: the mean without some annotators, systems × inputs."""
    labels = chosen.scores[chosen.humans[human]].labels("annotator")
    others = ratings_of(chosen, human)[[at for at, label in enumerate(labels) if f"person-{label}" not in people]]
    known = ~np.isnan(others)
    return quotient(np.sort(np.where(known, others, 0.0), axis=0).sum(axis=0), known.sum(axis=0))


def beaten(
    taken: Selection, human: int, level: str, statistic: Statistic, inputs: str, alpha: float
) -> dict[int, bool]:
    """Return for each metric or person, by position, whether it is significantly better than every sentinel.

    Each has to beat all sentinels, by one-sided jackknife tests at `alpha`. Where there is no test, a metric beats what
    its estimate is better than. Metrics that are undefined, and levels without sentinels, are left out.
    """
    kinds = taken.kinds[len(taken.humans) :]
    sentinels = [at for at, kind in enumerate(kinds) if kind == "sentinel"]
    groups = [[at for at, kind in enumerate(kinds) if kind == "metric"]]
    groups += [[at] for at, kind in enumerate(kinds) if kind == "person"]
    found: dict[int, bool] = {}
    for group in groups:
        z = taken.people(human, group)
        for mask, some, pairs in by_common_cells(taken.x, list(product(group, sentinels))):
            x = np.where(mask, taken.x[some], np.nan)
            sets = taken.sets(np.asarray(mask.any(axis=0)), human, level, inputs, z)
            case = sets.case(x, list(range(len(x))), z, level, statistic)
            local = [(some.index(a), some.index(b)) for a, b in pairs]
            tested = TESTS[JACKKNIFE].compute(case, local, Draws(1, 0), "greater", "plus-one")
            for (m, _), p, (mine, other) in zip(pairs, tested.p, statistic.sign * tested.estimates, strict=True):
                if not np.isnan(mine + other):
                    found[m] = found.get(m, True) and bool(mine > other if np.isnan(p) else p <= alpha)
    return found


def ahead(drawn: Mapping[str, FloatArray], kinds: Mapping[str, str], alpha: float) -> dict[str, bool]:
    """Return for each metric whether it is better than every sentinel in all but a share `alpha` of the same resamples.

    Resamples in which one of the two is undefined do not count; a sentinel that is never defined is passed over.
    """
    sentinels = [own for name, own in drawn.items() if kinds[name] == "sentinel"]
    found = {}
    for name, own in drawn.items():
        gaps = [gap[~np.isnan(gap)] for gap in (own - other for other in sentinels)]
        if kinds[name] == "metric" and any(map(len, gaps)):
            found[name] = all((gap <= 0).mean() <= alpha for gap in gaps if len(gap))
    return found


def notes_on_kinds(notes: Iterable[Note], kinds: Iterable[str]) -> list[Note]:
    """Return notes in which sentinels are not explained, but said to be absent, where none became a row."""
    none = "sentinel" not in kinds
    return [Note.of("sentinels-none") if none and note.code == "sentinels" else note for note in notes]


def notes_on_draws(rows: Iterable[Any], what: str, alpha: float) -> list[Note]:
    """Note which metrics are not better than the sentinels in nearly all resamples."""
    return [
        Note.of("sentinels-in-resamples", human=row.human, what=what, metric=row.metric, alpha=alpha)
        for row in rows
        if row.beats_sentinels is False
    ]


def notes_on_sentinels(rows: Iterable[Any], alpha: float) -> list[Note]:
    """Note which metrics, of rows of agreement, have not been shown to be better than the sentinels."""
    return [
        Note.of("not-above-sentinels", **where_of(row), alpha=alpha)
        for row in rows
        if row.beats_sentinels is False and row.kind == "metric"
    ]
