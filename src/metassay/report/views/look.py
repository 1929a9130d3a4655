"""What was read, as tables: columns, axes, which systems have which inputs, texts, sample rows and commands."""

from __future__ import annotations

from metassay.errors import one_line
from metassay.report import numbers
from metassay.report.table import Cell, Column, Section, Table, name, number
from metassay.studies.look import Look, LookRow

_FULL, _PART, _NONE = "█", "▒", "·"


def default(result: Look) -> tuple[str, ...]:
    """Return what there is to see."""
    shown = ["columns", "axes", *(["commands"] if result.commands else [])]
    gaps = any(share < 1 for row in result.coverage for share in row.shares)
    shown += ["coverage"] if gaps and len(result.coverage) > 1 else []
    shown += ["attributes"] if result.attributes else []
    shown += ["sample"] if result.sample else []
    return tuple(shown)


def columns(result: Look) -> tuple[Table, ...]:
    """Return one row per column, or per rater."""
    votes = bool(result.table) and result.table[0].scale == "votes"
    rows = result.table
    lines: tuple[tuple[Cell, ...], ...]
    heads: tuple[Column, ...]
    if votes:
        lines = tuple((name(row.name), Cell(row.kind or "?"), number(f"{row.n:,}")) for row in rows)
        heads = (Column("rater", "left", key=True), Column("kind", "left"), Column("votes"))
    else:
        lines = tuple(_line(row) for row in rows)
        heads = (
            Column("column", "left", key=True),
            Column("kind", "left"),
            Column("scale", "left"),
            Column("values", "left"),
            Column("better is", "left"),
            Column("scores"),
            Column("missing"),
            Column("people"),
        )
    legend = []
    if any(row.proposed for row in result.table):
        legend.append("human?: the name suggests human judgments; confirm with --human.")
    if any(row.direction == "lower?" for row in result.table):
        legend.append("lower?: the name suggests that lower scores are better; confirm with --lower-is-better.")
    if any(row.system_scores for row in result.table):
        legend.append("+ systems: there are also scores of whole systems.")
    return (Table("Contents of the files", heads, (Section("", lines),), tuple(legend)),)


def _line(row: LookRow) -> tuple[Cell, ...]:
    values = row.labels or (f"{row.low + 0:g} to {row.high + 0:g}" if row.low == row.low else numbers.DASH)
    return (
        name(row.name),
        Cell(f"{row.kind}, human?" if row.proposed else row.kind),
        Cell(row.scale + (" + systems" if row.system_scores else "")),
        Cell(one_line(values, 60)),
        Cell(row.direction),
        number(f"{row.n:,}"),
        number(f"{row.missing:,}"),
        number(f"{row.annotators:,}" if row.annotators else ""),
    )


def axes(result: Look) -> tuple[Table, ...]:
    """Return how many systems, inputs and people there are."""
    lines = tuple((Cell(row.axis), number(f"{row.n:,}"), Cell(one_line(row.examples, 50))) for row in result.axes)
    heads = (Column("", "left", key=True), Column("number"), Column("such as", "left"))
    return (Table("Systems, inputs and people", heads, (Section("", lines),)),)


def coverage(result: Look) -> tuple[Table, ...]:
    """Return a picture of which systems have which inputs."""
    lines = tuple(
        (name(row.system), Cell(row.group), number(f"{row.inputs:,}"), Cell("".join(map(_mark, row.shares))))
        for row in result.coverage
    )
    heads = (Column("system", "left", key=True), Column("group", "left"), Column("inputs"), Column("which", "left"))
    legend = [f"{_FULL} all inputs of this part have a score, {_PART} some, {_NONE} none."]
    return (Table("Which systems have which inputs", heads, (Section("", lines),), tuple(legend)),)


def _mark(share: float) -> str:
    return _FULL if share == 1 else _PART if share > 0 else _NONE


def attributes(result: Look) -> tuple[Table, ...]:
    """Return texts and categories."""
    lines = tuple(
        (name(row.name), Cell(row.of), number(f"{row.values:,}"), Cell(one_line(row.example, 60)))
        for row in result.attributes
    )
    heads = (Column("text", "left", key=True), Column("of", "left"), Column("values"), Column("such as", "left"))
    return (Table("Texts and categories", heads, (Section("", lines),)),)


def sample(result: Look) -> tuple[Table, ...]:
    """Return some of the scores."""
    lines = tuple(
        tuple(Cell(one_line(text, 40)) for text in (row.system, row.input, row.column, row.score, row.annotator))
        for row in result.sample
    )
    heads = tuple(Column(text, "left") for text in ("system", "input", "column", "score", "annotator"))
    return (Table("Sample", heads, (Section("", lines),)),)


def commands(result: Look) -> tuple[Table, ...]:
    """Return commands to paste."""
    lines = tuple((Cell(one_line(row.command, 400)),) for row in result.commands)
    head = (Column("command", "left", key=True),)
    return (Table("Commands for these data", head, (Section("", lines),), whole=True),)
