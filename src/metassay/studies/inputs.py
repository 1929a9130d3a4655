"""Which inputs the means of metrics rest on, and which the means of people: they need not be the same.

People annotate few inputs; metrics can score the whole test set (Deutsch, Dror and Roth 2022, "Re-Examining
System-Level Correlations of Automatic Summarization Evaluation Metrics", §3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.scores import Scores
from metassay.errors import DataError, UnknownName, UsageError, one_line
from metassay.stats.arrays import BoolArray, FloatArray
from metassay.stats.draws import CHOICE, stream
from metassay.stats.methods.base import Case
from metassay.stats.statistics.base import Statistic
from metassay.studies.columns import Columns, NameOrNames, choose_columns

Annotated = int | Iterable[str]
"""How many inputs to take as annotated, or which ones."""


@dataclass(frozen=True, eq=False)
class InputSets:
    """The inputs of some metrics and the inputs of people, for one human criterion and one level."""

    scored: BoolArray
    """Inputs behind the numbers of the metrics."""
    judged: BoolArray
    """Inputs behind the numbers of people."""
    paired: bool
    """Whether both are the same inputs, which are then drawn together."""

    @property
    def shape(self) -> tuple[int, int]:
        """How many inputs metrics draw from, and how many people draw from apart from that: 0 if they are paired."""
        return int(self.scored.sum()), 0 if self.paired else int(self.judged.sum())

    def of_metrics(self, x: FloatArray) -> FloatArray:
        """Return the scores of metrics (…, inputs) on their inputs."""
        return x if self.scored.all() else x[..., self.scored]

    def of_people(self, z: FloatArray) -> FloatArray:
        """Return the scores of people (…, inputs) on their inputs."""
        return z if self.judged.all() else z[..., self.judged]

    def case(self, x: FloatArray, metrics: list[int], z: FloatArray, level: str, statistic: Statistic) -> Case:
        """Return some of the metrics (P, systems, inputs) and people, to be compared by a statistic at a level."""
        chosen = x if len(metrics) == len(x) else x[metrics]
        return Case(statistic, self.of_metrics(chosen), self.of_people(z), level, self.paired)

    def sizes(self, x: FloatArray, z: FloatArray, level: str) -> tuple[int, int]:
        """Return how many systems and inputs one metric has that people have too.

        At system level a system counts if it has any score of both; inputs that are not paired count if the metric
        scored them.
        """
        scored, judged = ~np.isnan(self.of_metrics(x)), ~np.isnan(self.of_people(z))
        if level != "system":
            both = scored & judged
            return int(both.any(axis=1).sum()), int(both.any(axis=0).sum())
        inputs = scored.any(axis=0) & judged.any(axis=0) if self.paired else scored.any(axis=0)
        return int((scored.any(axis=1) & judged.any(axis=1)).sum()), int(inputs.sum())


def input_sets(scored: BoolArray, z: FloatArray, level: str, inputs: str) -> InputSets:
    """Say which inputs to use.

    Parameters
    ----------
    scored
        Inputs that the metrics have.
    z
        Human scores, systems × inputs. An input is annotated if any system has a score there.
    level
        Only means of systems can rest on different inputs.
    inputs
        ``all`` gives metrics every input they have, ``annotated`` only those that people annotated.
    """
    judged = has_scores(z)
    if judged.all() or level != "system" or inputs == "annotated" or not (scored & ~judged).any():
        return InputSets(judged, judged, paired=True)
    return InputSets(scored, judged, paired=False)


def by_inputs(x: FloatArray, z: FloatArray, level: str, inputs: str) -> Iterator[tuple[list[int], InputSets]]:
    """Yield metrics, by position, that use the same inputs, with these inputs; almost always that is all of them."""
    found: dict[bytes, tuple[list[int], InputSets]] = {}
    for at, matrix in enumerate(x):
        sets = input_sets(has_scores(matrix), z, level, inputs)
        key = sets.scored.tobytes() + bytes([sets.paired])
        found.setdefault(key, ([], sets))[0].append(at)
    yield from found.values()


def has_scores(matrix: FloatArray) -> BoolArray:
    """Return which inputs of systems × inputs have any score."""
    return np.asarray((~np.isnan(matrix)).any(axis=0))


def notes_on_inputs(
    humans: Sequence[str], x: FloatArray, z: FloatArray, levels: Sequence[str], inputs: str, how: str
) -> list[Note]:
    """Note on which inputs metrics and people were compared, if metrics have more of them.

    Parameters
    ----------
    humans
        Human criteria.
    x, z
        Metrics and human criteria, (…, systems, inputs).
    levels
        The levels that were asked for.
    inputs
        ``all`` or ``annotated``.
    how
        The test, or ``interval``, for which inputs are not paired.
    """
    notes = []
    scored = np.array([has_scores(matrix) for matrix in x]).any(axis=0)
    for name, matrix in zip(humans, z, strict=True):
        judged = has_scores(matrix)
        if not (scored & ~judged).any():
            continue
        counts = {"human": name, "n": judged.sum(), "inputs": (scored | judged).sum()}
        if "system" in levels and inputs == "all":
            notes.append(Note.of("inputs-unpaired", **counts, how=how, others=len(levels) > 1))
        else:
            notes.append(Note.of("inputs-judged-only", **counts))
    return notes


def count_annotated(z: FloatArray) -> list[int] | None:
    """Return for each criterion how many inputs people annotated, None if that is always all of them."""
    judged = [has_scores(matrix) for matrix in z]
    return None if all(each.all() for each in judged) else [int(each.sum()) for each in judged]


def take_as_annotated(
    scores: Scores, humans: Sequence[str], annotated: Annotated | None, seed: int
) -> tuple[Scores, list[Note]]:
    """Return the scores as if people had annotated some inputs only, and a note that says so.

    Parameters
    ----------
    scores
        The scores.
    humans
        Human criteria that lose their scores on the other inputs.
    annotated
        How many inputs, chosen at random, or which ones; None leaves people's scores as they are.
    seed
        Decides which inputs are chosen.
    """
    if annotated is None:
        return scores, []
    judged = np.array([has_scores(scores.matrix(name)) for name in humans]).reshape(-1, len(scores.inputs))
    if isinstance(annotated, str):
        raise UsageError(f"annotated must be a number or a list of inputs, got {one_line(annotated)!r}")
    if isinstance(annotated, Iterable):
        wanted = {str(name) for name in annotated}
        for name in sorted(wanted - set(scores.inputs)):
            raise UnknownName("input", name, scores.inputs)
        chosen = np.array([name in wanted for name in scores.inputs])
        drawn: int | None = None
    else:
        count = vocabulary.count("annotated", annotated)
        possible = np.flatnonzero(judged.all(axis=0))
        if count > len(possible):
            raise DataError(f"annotated must be at most the {len(possible)} inputs that people judged, got {count}")
        chosen = np.zeros(len(scores.inputs), dtype=bool)
        chosen[stream(seed, CHOICE, 0).permutation(possible)[:count]] = True
        drawn = seed
    for name, each in zip(humans, judged, strict=True):
        if not (each & chosen).any():
            raise DataError(f"none of the inputs taken as annotated has a score of {one_line(name)!r}")
    columns = dict(scores.columns)
    for name in humans:
        columns[name] = replace(columns[name], values=np.where(chosen, columns[name].values, np.nan))
    note = Note.of("annotation-simulated", n=chosen.sum(), inputs=len(chosen), seed=drawn)
    return replace(scores, columns=columns), [note]


def columns_with_people(
    scores: Scores,
    human: NameOrNames | None,
    metric: NameOrNames | None,
    annotated: Annotated | None,
    seed: int,
    *,
    references: bool,
) -> tuple[Columns, list[Note]]:
    """Choose columns, people among them if there are any, as if only some inputs were annotated; see above."""
    if human is None:
        human = getattr(scores, "humans", ()) or None
    columns = choose_columns(scores, human, metric, references=references)
    if annotated is None:
        return columns, []
    people = [name for name, kind in zip(columns.names, columns.kinds, strict=True) if kind == "human"]
    if not people:
        raise UsageError("annotated is about human scores, and no column is known to hold any; name it with human=…")
    masked, notes = take_as_annotated(scores, people, annotated, seed)
    return choose_columns(masked, human, metric, references=references), notes
