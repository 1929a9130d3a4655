"""``metassay drift``: the options are the study's own, what reading needs, and a gate."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from metassay.cli import options
from metassay.cli.gate import Check, Gate, of_requirements
from metassay.cli.parser import Parser
from metassay.cli.reading import labelled, read_by
from metassay.cli.running import run_study
from metassay.core import vocabulary
from metassay.errors import one_line

if TYPE_CHECKING:
    from metassay.studies.drift import Drift

GATES = {"changed": ("changed",), "undecided": ("changed", "undecided")}
"""Verdicts that do not pass, by gate."""


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_study(parser, "drift")
    told = "exit with code 3 if a version has changed (changed), or if it is not shown to be equivalent (undecided): "
    Gate.add(parser, {"--gate VERDICT": told + ", ".join(GATES)})


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    wanted = None if arguments.gate is None else vocabulary.choice("gate", arguments.gate, tuple(GATES))
    arguments.human = getattr(arguments, "human", None)
    # Where columns are the versions, human=FILE and judge=FILE say who speaks, as everywhere.
    parts = {"": arguments.files} if arguments.by == "metric" else labelled(arguments)
    if any(parts):
        arguments.by = arguments.by or "version"
        arguments.baseline = arguments.baseline or next(filter(None, parts))
    gate = Gate.of(arguments, "drift", ("gate", "require"))
    return run_study(
        arguments, "drift", partial(read_by, parts=parts), gate=lambda result: gate.close(_checks(result, wanted))
    )


def _checks(result: Drift, gate: str | None) -> list[Check]:
    """Return what must hold of each version."""
    from metassay.report.numbers import significant

    checks = of_requirements(result.requirements, "against")
    for row in result.table if gate is not None else ():
        who = one_line(row.version, 60), one_line(row.baseline, 60)
        found = f"{who[0]} against {who[1]} is {row.verdict} (shift {significant(row.shift)})"
        checks.append(Check(f"gate {gate}", who, found, row.verdict not in GATES[gate or ""]))
    return checks
