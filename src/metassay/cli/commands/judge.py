"""``metassay judge``: the study's own options, and a gate that CI can read."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from metassay.cli import options
from metassay.cli.gate import Gate, of_requirements
from metassay.cli.parser import Parser
from metassay.errors import UsageError

if TYPE_CHECKING:
    from metassay.core.result import Result
    from metassay.core.scores import Scores
    from metassay.core.votes import Votes


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_study(parser, "judge")
    Gate.add(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say; unmet requirements are told in a line each, and end with exit code 3."""
    from metassay.cli.running import hold_votes, run_study, spooled

    if arguments.by is not None and arguments.require is not None:
        raise UsageError("--require is for all items and --by makes slices; require worst_slice for the worst slice")
    with spooled(arguments.files) as arguments.files:
        gate = Gate.of(arguments, "judge", ("require",))

        def close(result: Result) -> int:
            return gate.close(of_requirements(getattr(result, "requirements", ()), "on"))

        study = "judge-votes" if hold_votes(arguments) else "judge"
        return run_study(arguments, "judge", _read, gate=close, shown=study)


def _read(arguments: argparse.Namespace) -> Scores | Votes:
    """Read votes if the files hold such, else scores."""
    from metassay.cli.running import read_votes_or_scores

    arguments.metric = arguments.judge or arguments.metric
    return read_votes_or_scores(arguments)
