"""``metassay judge``: the study's own options, and a gate that CI can read."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from metassay.cli import options
from metassay.cli.gate import Gate, of_requirements
from metassay.cli.parser import Parser

if TYPE_CHECKING:
    from metassay.core.scores import Scores
    from metassay.core.votes import Votes


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_study(parser, "judge")
    Gate.add(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say; unmet requirements are told in a line each, and end with exit code 3."""
    from metassay.cli.running import spooled

    with spooled(arguments.files) as arguments.files:
        return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    from metassay.cli.progress import progress
    from metassay.cli.running import Output, hold_votes, placed
    from metassay.errors import UsageError
    from metassay.studies.judge import judge

    chosen = options.given(arguments, options.taken_by("judge"))
    if "by" in chosen and "require" in chosen:
        raise UsageError("--require is about all items and --by makes slices; worst_slice speaks of the worst of them")
    gate = Gate.of(arguments, "judge", ("require",))
    place = placed(arguments)
    study = "judge-votes" if hold_votes(arguments.files) else "judge"
    output = Output.of(arguments, study, sliced="by" in chosen)
    data = _read(arguments)
    with progress(arguments.quiet), place:
        result = judge(data, **chosen)
    output.put(result)
    return gate.close(of_requirements(getattr(result, "requirements", ()), "on"))


def _read(arguments: argparse.Namespace) -> Scores | Votes:
    """Read votes if the files hold such, else scores."""
    from metassay.cli.running import read_votes_or_scores

    arguments.metric = arguments.judge or arguments.metric
    return read_votes_or_scores(arguments)
