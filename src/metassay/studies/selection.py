"""What takes part in a study: which columns, systems and inputs, and what is left out.

People annotate few inputs; metrics can score the whole test set. So the inputs behind the means of metrics and behind
those of people need not be the same (Deutsch, Dror and Roth 2022, "Re-Examining System-Level Correlations of Automatic
Summarization Evaluation Metrics", §3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.options import Names
from metassay.core.scores import Scores
from metassay.core.study import takes
from metassay.errors import DataError, UnknownName, UsageError, listed, one_line
from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.design import connected, copies, outlying
from metassay.stats.draws import CHOICE, stream
from metassay.stats.levels import means_of_known
from metassay.stats.methods.base import Case, Method
from metassay.stats.statistics.base import Statistic
from metassay.studies.input_sets import InputSets, has_scores, input_sets
from metassay.studies.judge_data import perhaps_people
from metassay.studies.yardsticks import Yardsticks, without

Annotated = int | Iterable[str]
"""How many inputs to take as annotated, or which ones."""


@dataclass(frozen=True)
class Selection:
    """Columns as bare arrays, human criteria first, with notes on what a reader must know."""

    scores: Scores
    """The scores that are studied."""
    names: tuple[str, ...]
    """Human criteria, then metrics."""
    kinds: tuple[str, ...]
    """``human`` or ``metric``, and of rows beside metrics ``sentinel`` or ``person``, one per name."""
    values: FloatArray
    """Scores with high ones good, (columns, systems, inputs)."""
    notes: list[Note] = field(default_factory=list)
    """What was left out."""
    whole: FloatArray | None = None
    """The same with means that are the scores given for whole systems, if the data have such."""
    yardsticks: Yardsticks | None = None
    """Sentinels and people who stand beside the metrics."""
    by_input: bool = False
    """Whether a statistic needs scores of the same inputs of both sides, whatever inputs are asked for."""

    def at(self, level: str, human: int = 0, statistic: Statistic | None = None) -> Selection:
        """Return it with the scores as a level takes them; with a statistic also with what stands beside metrics."""
        by_input = statistic is not None and statistic.by_input
        taken = replace(self, by_input=True) if by_input else self
        if level == "system" and self.whole is not None and not by_input:
            taken = replace(self, values=self.whole)
        return taken if statistic is None else taken.beside(human, level, statistic)

    def beside(self, human: int, level: str, statistic: Statistic | None = None) -> Selection:
        """Return it with what stands beside metrics; without a statistic, for counts that a constant has too."""
        return self if self.yardsticks is None else self.yardsticks.joined(self, human, level, statistic)

    @property
    def metric_kinds(self) -> dict[str, str]:
        """``metric``, ``sentinel`` or ``person`` for each metric."""
        return dict(zip(self.metrics, self.kinds[len(self.humans) :], strict=True))

    def is_person(self, metric: int) -> bool:
        """Return whether a row is an annotator."""
        return self.kinds[len(self.humans) + metric] == "person"

    def people(self, human: int, metrics: Iterable[int]) -> FloatArray:
        """Return the human scores that some metrics are compared with: people who are among these are left out."""
        own = [self.metrics[m] for m in metrics if self.is_person(m)]
        return without(self, human, own) if own else self.z[human]

    @property
    def humans(self) -> tuple[str, ...]:
        """Human criteria."""
        return self.names[: self.kinds.count("human")]

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics."""
        return self.names[self.kinds.count("human") :]

    @property
    def x(self) -> FloatArray:
        """Metric scores, (metrics, systems, inputs)."""
        return self.values[self.kinds.count("human") :]

    @property
    def z(self) -> FloatArray:
        """Human scores, (criteria, systems, inputs)."""
        return self.values[: self.kinds.count("human")]

    def need(self, *, systems: int = 1, inputs: int = 1, levels: Iterable[str] = ()) -> Selection:
        """Refuse data that are too small for a study, or on which a level is undefined whatever the scores are."""
        n, m = self.scores.shape
        name_it = "name the column of systems with --system-column"
        if systems > 1 and not self.scores.has_systems:
            raise DataError(f"this study needs at least {systems} systems, and the data have none; {name_it}")
        for what, least, there in (("systems", systems, n), ("inputs", inputs, m)):
            if there < least:
                raise DataError(f"this study needs at least {least} {what}, got {there}")
        for level in levels:
            if level in ("system", "input") and not self.scores.has_systems:
                other = "use --level global, or " if takes("level", "global") else ""
                raise DataError(f"{level} level compares systems, and the data have none; {other}{name_it}")
            if level in ("system", "input") and n < 2:
                other = "; with one system use level within-system" if takes("level", "within-system") else ""
                raise DataError(f"{level} level needs at least 2 systems, got {n}{other}")
            if level == "within-system" and m < 2:
                raise DataError(f"within-system level needs at least 2 inputs, got {m}")
            if level == "global" and n * m < 2:
                raise DataError("global level needs at least 2 cells, got 1")
            if level in ("system", "global"):
                self._need_connected(level)
            for name, matrix in zip(self.humans, self.z, strict=True):
                if level != "system" and np.isnan(matrix).all():
                    raise DataError(f"{one_line(name)!r} has scores of whole systems only; use level system")
        return self

    def _need_connected(self, level: str) -> None:
        """Refuse groups of systems that people judged on inputs of their own: differences may be those of inputs."""
        for name, matrix in zip(self.humans, self.z, strict=True):
            parts = connected(~np.isnan(matrix))[0]
            sizes = np.bincount(parts[parts >= 0])
            if (sizes > 1).sum() > 1:
                groups = [[s for s, p in zip(self.scores.systems, parts, strict=True) if p == at] for at in (0, 1)]
                raise DataError(
                    f"{one_line(name)!r}: systems fall into {len(sizes)} groups that share no input "
                    f"({'; '.join(listed(group, 3) for group in groups)}{'; …' if len(sizes) > 2 else ''}), so {level} "
                    "level would compare systems on different inputs; study one group at a time (--select "
                    "systems=PATTERN), or use level input"
                )

    def units(self, axis: str) -> tuple[str, ...]:
        """Return names of the families of systems, or of the clusters of inputs; see :func:`units_of`."""
        return units_of(self.scores, axis)

    def labels(self, axis: str) -> IntArray | None:
        """Return the family of each system, or the cluster of each input; see :func:`unit_labels`."""
        return unit_labels(self.scores, axis)

    def notes_on_units(self, method: Method) -> list[Note]:
        """Note that systems of a family, or inputs of a cluster, count as one; or that a method ignores it."""
        return notes_on_units(self.scores, method.name, together=method.units)

    def sizes(self, inputs: str | None = None) -> dict[str, object]:
        """Return the sizes that signatures tell; with `inputs` also how many people annotated, if not all."""
        found: dict[str, object] = dict(zip(("systems", "inputs"), self.scores.shape, strict=True))
        judged = [has_scores(matrix) for matrix in self.z]
        if inputs is None or all(each.all() for each in judged):
            return found
        return {**found, "annotated": [int(each.sum()) for each in judged], "means": inputs}

    def ratings(self, human: str) -> FloatArray | None:
        """Return the scores of single annotators, (annotators, systems, inputs), or None if there are not two."""
        column = self.scores[human]
        return None if len(column.labels("annotator")) < 2 else column.mean(keep="annotator")

    def sets(self, scored: BoolArray, human: int, level: str, inputs: str, z: FloatArray | None = None) -> InputSets:
        """Say which inputs to use, with other human scores `z` if given; see :func:`input_sets`."""
        inputs = "annotated" if self.by_input else inputs
        found = input_sets(scored, self.z[human] if z is None else z, level, inputs)
        return replace(found, families=self.labels("systems"), clusters=self.labels("inputs"))

    def by_inputs(self, human: int, level: str, inputs: str) -> Iterator[tuple[list[int], InputSets]]:
        """Yield metrics, by position, that use the same inputs, with these inputs; almost always that is all."""
        found: dict[bytes, tuple[list[int], InputSets]] = {}
        for at, matrix in enumerate(self.x):
            sets = self.sets(has_scores(matrix), human, level, inputs, self.people(human, [at]))
            key = sets.scored.tobytes() + bytes([sets.paired])
            if self.is_person(at):
                key += self.metrics[at].encode()
            found.setdefault(key, ([], sets))[0].append(at)
        yield from found.values()

    def cases(
        self, human: int, level: str, inputs: str, statistic: Statistic
    ) -> Iterator[tuple[list[int], InputSets, Case]]:
        """Yield the same, and these metrics and people, to be compared by a statistic."""
        for at, sets in self.by_inputs(human, level, inputs):
            yield at, sets, sets.case(self.x, at, self.people(human, at), level, statistic)

    def notes_on_inputs(self, levels: Sequence[str], inputs: str, how: str) -> list[Note]:
        """Note on which inputs metrics and people were compared, if metrics have more of them.

        With inputs ``all``, those at system level are not paired; `how` is what that means: the test, or ``interval``.
        """
        notes = []
        scored = np.array([has_scores(matrix) for matrix in self.x]).any(axis=0)
        for name, matrix in zip(self.humans, self.z, strict=True):
            judged = has_scores(matrix)
            if not judged.any() or not (scored & ~judged).any():  # people may have judged whole systems only
                continue
            counts = {"human": name, "n": judged.sum(), "inputs": (scored | judged).sum()}
            if "system" in levels and inputs == "all":
                notes.append(Note.of("inputs-unpaired", **counts, how=how, others=len(set(levels)) > 1))
            else:
                notes.append(Note.of("inputs-judged-only", **counts))
        return notes


# -- families and clusters ----------------------------------------------------------------------


def units_of(scores: Scores, axis: str) -> tuple[str, ...]:
    """Return a name of the family of each system, or of the cluster of each input; of itself if it has none."""
    names, of = (scores.systems, scores.families) if axis == "systems" else (scores.inputs, scores.clusters)
    return tuple(f"1{of[name]}" if name in of else f"0{name}" for name in names)


def unit_labels(scores: Scores, axis: str) -> IntArray | None:
    """Return the family 0, 1, … of each system, or the cluster of each input; None if each is by itself."""
    if not (scores.families if axis == "systems" else scores.clusters):
        return None
    found, each = np.unique(units_of(scores, axis), return_inverse=True)
    return None if len(found) == len(each) else np.asarray(each)


def notes_on_units(scores: Scores, method: str, *, together: bool) -> list[Note]:
    """Note that a method takes systems of a family, and inputs of a cluster, together; or that it ignores them."""
    notes = []
    for axis in ("systems", "inputs"):
        found = unit_labels(scores, axis)
        if found is not None:
            facts = {"method": method, "axis": axis, "n": len(np.unique(found))}
            notes.append(Note.of("units-together", **facts) if together else Note.of("units-ignored", **facts))
    return notes


# -- columns ------------------------------------------------------------------------------------


def select(
    scores: Scores,
    human: Names | None,
    metric: Names | None,
    *,
    references: bool,
    least_metrics: int = 1,
    sentinels: bool = False,
    people: bool = False,
    drop_outliers: bool = False,
    statistics: Sequence[Statistic] = (),
) -> Selection:
    """Choose metrics and people, and strip labels.

    Parameters
    ----------
    human, metric
        Names or globs; by default every human criterion, and every column that is not human.
    references
        Whether people's own texts that were scored like systems stay in.
    least_metrics
        How many metrics the study needs.
    sentinels, people
        Whether sentinels, and people as metrics, stand beside the metrics.
    drop_outliers
        Whether systems are left out whose score by one of the human criteria is an outlier.
    statistics
        If all of them compare labels, labels need no order, and people together are the label of most.
    """
    humans = scores.find_humans(human)
    metrics = tuple(m for m in scores.find_metrics(metric, humans) if m not in humans)
    labels = bool(statistics) and all("nominal" in each.scales for each in statistics)
    ordered = tuple(m for m in metrics if labels or metric is not None or scores[m].scale.ordered)
    worded = [m for m in metrics if m not in ordered and len(ordered) >= least_metrics]
    metrics = ordered if worded else metrics
    if len(metrics) < least_metrics:
        raise DataError(
            f"this study needs at least {least_metrics} metric{'s' if least_metrics > 1 else ''} beside the "
            f"human criteria, got {len(metrics)}: {listed(metrics) or 'none'}; name more with --metric, or "
            "add a file that has them"
        )
    kept, notes = without_references(scores, references)
    notes += perhaps_people(kept, humans)
    notes += Note.when(worded, "metrics-without-order", metrics=worded)
    if drop_outliers:
        kept, notes = _without_outliers(kept, humans, notes)
    coded = {name for name in (*humans, *metrics) if labels and kept[name].scale.labels}
    values = np.stack([kept.codes(n) if n in coded else kept.matrix(n) for n in (*humans, *metrics)])
    kinds = ("human",) * len(humans) + ("metric",) * len(metrics)
    whole = None
    given = [name for name in (*humans, *metrics) if kept[name].system_scores is not None]
    by_input = [each.by_input for each in statistics if "system" in each.levels]
    if given:
        whole = np.stack([kept.system_matrix(name) for name in (*humans, *metrics)])
        if not by_input or not all(by_input):
            notes.append(Note.of("system-scores-given", columns=given, but=any(by_input)))
    for name, matrix in zip(humans, values if whole is None else whole, strict=False):
        if np.isnan(matrix).all():
            raise DataError(f"the human criterion {one_line(name)!r} has no scores for these systems")
    chosen = Selection(kept, (*humans, *metrics), kinds, values, notes, whole)
    notes += _missing(kept, metrics, chosen.x) + _missing(kept, humans, chosen.z)
    for first, *others in copies(values):
        notes += [Note.of("columns-identical", first=chosen.names[first], second=chosen.names[at]) for at in others]
    beside, told = Yardsticks.of(kept, humans, sentinels=sentinels, people=people)
    notes += told
    return replace(chosen, yardsticks=beside) if sentinels or people else chosen


def select_columns(
    scores: Scores,
    human: Names | None,
    metric: Names | None,
    *,
    references: bool,
    with_people: bool = False,
    annotated: Annotated | None = None,
    seed: int = 0,
) -> Selection:
    """Choose columns, and strip labels: metrics and human criteria are alike here, and neither must be there.

    Parameters
    ----------
    human
        Names or globs of human criteria; by default all that are known if no metric is named, else none.
    metric
        Names or globs; by default every column that is not human.
    references
        Whether people's own texts that were scored like systems stay in.
    with_people
        Whether all known criteria are there even if a metric is named.
    annotated, seed
        See :func:`take_as_annotated`.
    """
    if human is not None:
        humans = scores.find_humans(human)
    else:
        humans = scores.humans if metric is None or with_people else ()
    metrics = scores.find(metric, "metric") if metric is not None else scores.metrics
    people = {*humans, *scores.humans}
    names = tuple(dict.fromkeys((*humans, *metrics)))
    names = tuple(sorted(names, key=lambda name: name not in people))
    simulated: list[Note] = []
    if annotated is not None:
        judged = [name for name in names if name in people and not np.isnan(scores.matrix(name)).all()]
        if not judged:
            raise UsageError("annotated needs human scores, and no column is known to hold any; name it with human=…")
        scores, simulated = take_as_annotated(scores, judged, annotated, seed)
    kept, notes = without_references(scores, references)
    values = np.stack([kept.matrix(name) for name in names])
    empty = np.asarray(np.isnan(values).all(axis=(1, 2)))
    if empty.all():
        raise DataError(f"there are no scores for these systems in {listed(names)}")
    if empty.any():
        left_out = [name for name, gone in zip(names, empty.tolist(), strict=True) if gone]
        notes.append(Note.of("columns-without-scores", columns=left_out))
        names = tuple(name for name in names if name not in left_out)
        values = values[~empty]
    kinds = tuple("human" if name in people else "metric" for name in names)
    return Selection(kept, names, kinds, values, simulated + notes)


def without_references(scores: Scores, references: bool = False) -> tuple[Scores, list[Note]]:
    """Leave out people's own texts that were scored like systems, unless they stay, and note how many there were."""
    kept = scores if references else scores.without_references()
    n = len(scores.systems) - len(kept.systems)
    return kept, [Note.of("references-excluded", n=n)] if n else []


def _without_outliers(scores: Scores, humans: Sequence[str], notes: list[Note]) -> tuple[Scores, list[Note]]:
    """Leave out systems whose mean by one of the criteria is an outlier, and note which."""
    means = [means_of_known(scores.system_matrix(name)) for name in humans]
    far = np.any([outlying(each) for each in means], axis=0)
    gone = [system for system, out in zip(scores.systems, far.tolist(), strict=True) if out]
    if not gone:
        return scores, [*notes, *(Note.of("outliers-none", human=name) for name in humans)]
    kept = scores.select(systems=[s for s in scores.systems if s not in gone])
    return kept, [*notes, Note.of("outliers-dropped", systems=gone, human=list(humans))]


def cells_missing(names: Iterable[str], values: FloatArray) -> list[Note]:
    """Note for each column how many of its cells have no score, if others have one."""
    counts = [(name, int(np.isnan(matrix).sum())) for name, matrix in zip(names, values, strict=True)]
    cells = int(np.prod(values.shape[1:]))
    return [Note.of("cells-missing", column=name, n=n, cells=cells) for name, n in counts if 0 < n < cells]


def _missing(scores: Scores, names: tuple[str, ...], values: FloatArray) -> list[Note]:
    notes = []
    for name, matrix in zip(names, values, strict=True):
        empty = [s for s, row in zip(scores.systems, np.isnan(matrix), strict=True) if row.all()]
        if empty and len(empty) < len(scores.systems):
            notes.append(Note.of("systems-without-scores", column=name, systems=empty))
    return notes + cells_missing(names, values)


def levels_of_means(levels: Sequence[str], statistics: Sequence[Statistic]) -> list[str]:
    """Return levels, where system level is that of inputs if no statistic takes means of systems there."""
    means = not all(each.by_input for each in statistics)
    return ["input" if level == "system" and not means else level for level in levels]


def take_as_annotated(
    scores: Scores, humans: Sequence[str], annotated: Annotated | None, seed: int
) -> tuple[Scores, list[Note]]:
    """Return the scores as if people had annotated some inputs only, and a note that says so.

    Parameters
    ----------
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
            raise DataError(f"none of the inputs treated as annotated has a score of {one_line(name)!r}")
    columns = dict(scores.columns)
    for name in humans:
        columns[name] = replace(columns[name], values=np.where(chosen, columns[name].values, np.nan))
    note = Note.of("annotation-simulated", n=chosen.sum(), inputs=len(chosen), seed=drawn)
    return replace(scores, columns=columns), [note]
