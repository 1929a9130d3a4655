"""What is in these files?

Shows what the files contain: systems, inputs, annotators, and every column with its scale, range and missing scores. It
also lists which systems have which inputs, labels that look alike, and commands for these data, ready to paste.

    metassay look scores.csv
    metassay look human=people.json judge=models.json
    metassay look votes.csv --format json
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from metassay.core import checks, scales
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Column, Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.core.votes import Votes
from metassay.errors import UsageError

BINS = 40
"""Parts of the inputs for which coverage is told."""
FEWEST_TO_PLAN = 5
"""`plan` learns nothing from fewer systems."""
SAMPLE = 5
"""Rows that are shown."""
_LOWER = ("ter", "perplexity", "ppl", "error", "loss", "distance", "wer", "cer", "rmse", "mae", "jshannon", "estime")


@dataclass(frozen=True, slots=True)
class LookRow:
    """One column of scores, or one rater of votes."""

    name: str
    """What it is called."""
    kind: str
    """``human`` or ``metric``; empty for a rater of whom it is not known."""
    proposed: str
    """``human`` if the name or the annotators suggest human judgments, but the column is not declared as human."""
    scale: str
    """``interval``, ``ordinal``, ``nominal`` or ``binary``; ``votes`` for votes."""
    labels: str
    """The labels, from low to high where there is an order."""
    low: float
    """The smallest score; NaN for labels."""
    high: float
    """The largest score; NaN for labels."""
    direction: str
    """``higher`` or ``lower``, whichever is better: declared, or ``lower?`` if the name suggests it."""
    n: int
    """Number of scores or votes."""
    missing: int
    """Cells without one."""
    annotators: int
    """Number of annotators, if known."""
    system_scores: int
    """Systems with a score of the whole system, which is not a mean."""


@dataclass(frozen=True, slots=True)
class AxisRow:
    """How many labels an axis has, and some of them."""

    axis: str
    """Systems, inputs, annotators, languages, clusters, families, raters."""
    n: int
    """How many there are."""
    examples: str
    """The first ones."""


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """Which inputs one system has."""

    system: str
    """The system."""
    group: str
    """Its group, such as ``reference``."""
    inputs: int
    """Inputs with any score."""
    shares: tuple[float, ...]
    """Share of inputs with a score, in equal parts of all inputs."""


@dataclass(frozen=True, slots=True)
class AttributeRow:
    """A text or category that was kept beside the scores."""

    name: str
    """What it is called."""
    of: str
    """Whether it belongs to inputs, systems, outputs or votes."""
    values: int
    """How many distinct ones there are."""
    example: str
    """One of them."""


@dataclass(frozen=True, slots=True)
class SampleRow:
    """One score as it was read."""

    system: str
    """The system."""
    input: str
    """The input."""
    column: str
    """The metric, human criterion or rater."""
    score: str
    """The score, label or winner."""
    annotator: str
    """Who gave it."""


@dataclass(frozen=True, slots=True)
class CommandRow:
    """A command that can be run on the data."""

    command: str
    """Ready to paste."""


class Look(Result, study="look"):
    """What was read."""

    table: Sequence[LookRow]
    """One row per column, or per rater."""
    axes: Sequence[AxisRow] = ()
    """How many systems, inputs, people there are."""
    coverage: Sequence[CoverageRow] = ()
    """Which systems have which inputs."""
    attributes: Sequence[AttributeRow] = ()
    """Texts and categories."""
    sample: Sequence[SampleRow] = ()
    """Some of the scores."""
    commands: Sequence[CommandRow] = ()
    """Commands for these data."""


@study
def look(scores: Scores | Votes, *, files: Sequence[str] = ()) -> Look:
    """Describe the contents of scores or votes.

    Parameters
    ----------
    scores
        What was read.
    files
        The files and options behind ``metassay COMMAND`` that read them, for commands to paste.

    Examples
    --------
    >>> import metassay as ma
    >>> [row.scale for row in ma.look(ma.example()).table[:2]]
    ['interval', 'interval']
    """
    if isinstance(scores, Votes):
        return _votes(scores, files)
    if not isinstance(scores, Scores):
        raise UsageError(f"expected Scores or Votes, got {type(scores).__name__}; use metassay.read")
    rows = tuple(_row(column, bool(scores.humans)) for column in scores.columns.values())
    n, m = scores.shape
    notes = [*scores.notes]
    notes += [note for note in (*checks.doubts(scores), *checks.oddities(scores)) if note not in notes]
    if not scores.humans and not any(row.proposed for row in rows):
        notes.append(Note.of("look-no-people", columns=len(rows)))
    elif all(row.kind == "human" or row.proposed for row in rows):
        notes.append(Note.of("look-people-only", columns=len(rows)))
    apart = any(note.code == "design-disconnected" for note in notes)
    return Look(
        rows,
        Signature.of("look", systems=n if scores.has_systems else 0, inputs=m, columns=len(rows)),
        tuple(notes),
        tuple(_axes(scores)),
        tuple(_coverage(scores)),
        tuple(_attribute(each.name, each.axis, each.labels) for each in scores.attributes.values()),
        tuple(_sample(scores)),
        tuple(CommandRow(" ".join(["metassay", *line])) for line in _commands(scores, rows, files, apart=apart)),
    )


def _row(column: Column, known: bool) -> LookRow:
    there = column.values[~np.isnan(column.values)]
    numbers = there if there.size and not column.scale.labels else np.array([np.nan])
    suggested = not column.lower_is_better and any(
        word in column.name.lower().split("-")[0].split("_") for word in _LOWER
    )
    return LookRow(
        name=column.name,
        kind=column.kind,
        proposed="human" if not known and (scales.proposed(column.name) or column.labels("annotator")) else "",
        scale=column.scale.kind,
        labels=(" < " if column.scale.ordered else ", ").join(column.scale.labels),
        low=float(numbers.min()),
        high=float(numbers.max()),
        direction="lower" if column.lower_is_better else "lower?" if suggested else "higher",
        n=int(there.size),
        missing=int(column.values.size - there.size),
        annotators=len(column.labels("annotator")),
        system_scores=0 if column.system_scores is None else int((~np.isnan(column.system_scores)).sum()),
    )


def _axes(scores: Scores) -> list[AxisRow]:
    people = dict.fromkeys(a for column in scores.columns.values() for a in column.labels("annotator"))
    languages = dict.fromkeys(a for column in scores.columns.values() for a in column.labels("language"))
    found = {
        "systems": scores.systems if scores.has_systems else (),
        "inputs": scores.inputs,
        "annotators": people,
        "languages": languages,
        "clusters of inputs": dict.fromkeys(scores.clusters.values()),
        "families of systems": dict.fromkeys(scores.families.values()),
        "groups of systems": dict.fromkeys(scores.groups.values()),
    }
    return [_axis(name, tuple(labels)) for name, labels in found.items() if labels or name == "systems"]


def _axis(name: str, labels: Sequence[str]) -> AxisRow:
    return AxisRow(name, len(labels), ", ".join(labels[:4]) + (", …" if len(labels) > 4 else ""))


def _coverage(scores: Scores) -> list[CoverageRow]:
    present = checks.presence(scores)
    parts = np.array_split(np.arange(len(scores.inputs)), min(BINS, len(scores.inputs)))
    return [
        CoverageRow(
            system, scores.groups.get(system, ""), int(row.sum()), tuple(float(row[part].mean()) for part in parts)
        )
        for system, row in zip(scores.systems, present, strict=True)
    ]


def _attribute(name: str, axis: str, labels: Sequence[str]) -> AttributeRow:
    return AttributeRow(name, f"{axis}s", len(labels), labels[0] if labels else "")


def _sample(scores: Scores) -> list[SampleRow]:
    found = []
    for name in scores.columns:
        for row in islice(scores.select(columns=(name,)).rows(), 1):
            values = [str(row.get(key, "")) for key in ("system", "input", "metric", "score", "annotator")]
            found.append(SampleRow(*values))
        if len(found) == SAMPLE:
            break
    return found


def _commands(scores: Scores, rows: Sequence[LookRow], files: Sequence[str], *, apart: bool) -> list[list[str]]:
    """Return what can be asked of the data, as command lines without the program's name.

    Systems that stand `apart`, on inputs of their own, cannot be ranked together.
    """
    given = [shlex.quote(file) for file in files] or ["FILE"]
    proposed = [row.name for row in rows if row.proposed]
    human = [] if scores.humans or not proposed else ["--human", shlex.quote(proposed[0])]
    people = bool(scores.humans or proposed)
    ordered = [row for row in rows if row.scale != "nominal"]
    judged = next((row.scale for row in rows if row.kind == "human" or row.proposed), "nominal")
    asked = _judging(scores, given)
    lines = list(asked)
    if len(ordered) > 1 and judged != "nominal":
        several = scores.has_systems and scores.shape[0] > 1
        level = [] if several and not apart else ["--level", "input" if several else "global"]
        lines.append(["agree", *given, *human, *level])
        if len(ordered) > 2:
            lines.append(["compare", *given, *human, *level])
    judges = [] if asked else _judges(rows)
    if judges:
        few = [] if len(judges) == len(rows) - 1 or len(judges) > SAMPLE else ["--judge", shlex.quote(",".join(judges))]
        lines.append(["judge", *given, *human, *few])
    if scores.has_systems and scores.shape[0] > 1:
        lines.append(["systems", *given, *human])
        lines.append(["stability", *given, *human])
    if people and scores.has_systems and scores.shape[0] > 1 and not apart:
        lines += [["plan", *given, *human]] if scores.shape[0] >= FEWEST_TO_PLAN else []
        lines.append(["report", *given, *human, "-o", "report.html"])
    return lines


def _judges(rows: Sequence[LookRow]) -> list[str]:
    """Return the columns that give labels as the first labelled column of people does."""
    people = [row for row in rows if row.kind == "human" or row.proposed]
    first = next((row for row in people if row.labels), None)
    if first is None or (people[0] is not first and not any(row.kind == "human" for row in people)):
        return []
    alike = [r for r in rows if r not in people and (r.scale == first.scale == "binary" or r.labels == first.labels)]
    return [row.name for row in alike]


def _judging(scores: Scores, given: Sequence[str]) -> list[list[str]]:
    """Return what can be asked where columns of people, such as ``verdict_*``, stand beside those of judges."""
    stems: dict[tuple[str, scales.Scale], list[str]] = {}
    for name, column in scores.columns.items():
        stem, sign, rest = name.rpartition("_")
        if sign and rest and column.scale.ordered and scales.judging(stem):
            stems.setdefault((stem, column.scale), []).append(name)
    for (stem, scale), people in stems.items():
        judges = [name for name, c in scores.columns.items() if c.scale == scale and name not in people]
        judges = [name for name in judges if "judge" in name.casefold() or scale.labels]
        if len(people) > 1 and judges and not scores.humans:
            every = shlex.quote(f"{stem}_*")
            joined, one = [*given, "--people", every], ["--metric", shlex.quote(judges[0])]
            few = [[name, *joined, *one] for name in ("estimate", "plan-labels", "bias")]
            every_judge = ["--judge", shlex.quote(",".join(judges))]
            return [["judge", *given, "--human", every, *every_judge], *few, ["reliability", *joined]]
    return []


def _votes(votes: Votes, files: Sequence[str]) -> Look:
    counts = np.bincount(votes.rater, minlength=len(votes.raters))
    rows = tuple(
        LookRow(rater, votes.kinds.get(rater, ""), "", "votes", "", np.nan, np.nan, "", int(n), 0, 1, 0)
        for rater, n in zip(votes.raters, counts, strict=True)
    )
    beaten = votes.counts() + votes.counts().T > 0
    np.fill_diagonal(beaten, val=True)
    parts = int(checks.components(beaten).max()) + 1
    notes = [*votes.notes]
    if parts > 1:
        notes.append(Note.of("design-disconnected", parts=parts, systems=len(votes.systems)))
    sample = [
        SampleRow(
            f"{row['model_a']} / {row['model_b']}", str(row["input"]), "winner", str(row["winner"]), str(row["rater"])
        )
        for row in islice(votes.rows(), SAMPLE)
    ]
    axes = (("systems", votes.systems), ("inputs", votes.inputs), ("raters", votes.raters))
    return Look(
        rows,
        Signature.of("look", systems=len(votes.systems), inputs=len(votes.inputs), votes=len(votes)),
        tuple(notes),
        tuple(_axis(name, labels) for name, labels in axes),
        (),
        tuple(_attribute(each.name, each.axis, each.labels) for each in votes.attributes.values()),
        tuple(sample),
        tuple(CommandRow(" ".join(["metassay", *line])) for line in _vote_commands(votes, files)),
    )


def _vote_commands(votes: Votes, files: Sequence[str]) -> list[list[str]]:
    """Return what can be asked of votes."""
    given = [shlex.quote(file) for file in files] or ["FILE"]
    lines = [["rank", *given]]
    if votes.humans and votes.judges:
        lines.append(["judge", *given])
    return [*lines, ["report", *given, "-o", "report.html"]]
