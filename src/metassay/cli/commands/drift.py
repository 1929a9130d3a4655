"""``metassay drift``: the options are the study's own, what reading needs, and a gate."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from metassay.cli import options
from metassay.cli.commands.survive import labelled, read_by
from metassay.cli.parser import Parser
from metassay.cli.running import run_study, say
from metassay.core import vocabulary
from metassay.errors import one_line

if TYPE_CHECKING:
    from metassay.studies.drift import Drift

GATES = {"changed": ("changed",), "undecided": ("changed", "undecided")}
"""Verdicts that do not pass, by gate."""


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_study(parser, "drift")
    told = "exit with code 3 if a version has changed, or (undecided) if it is not shown to be equivalent: "
    options.add_flags(parser, "gate", {"--gate VERDICT": told + ", ".join(GATES)})


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    gate = None if arguments.gate is None else vocabulary.choice("gate", arguments.gate, tuple(GATES))
    arguments.human = getattr(arguments, "human", None)
    # Where columns are the versions, human=FILE and judge=FILE say who speaks, as everywhere.
    parts = {"": arguments.files} if arguments.by == "metric" else labelled(arguments.files)
    arguments.files = [path for paths in parts.values() for path in paths]
    if any(parts):
        arguments.by = arguments.by or "version"
        arguments.baseline = arguments.baseline or next(filter(None, parts))
    check = None if gate is None else partial(_passes, gate=gate)
    return run_study(arguments, "drift", partial(read_by, parts=parts), gate=check)


def _passes(result: Drift, gate: str) -> int:
    """Return 3 with a line per version that does not pass, else 0."""
    failed = [row for row in result.table if row.verdict in GATES[gate]]
    for row in failed:
        say(f"gate not met: {one_line(row.version)} against {one_line(row.baseline)}: {row.verdict}")
    return 3 if failed else 0
