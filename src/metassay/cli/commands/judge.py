"""``metassay judge``: the study's own options, and a gate that CI can read."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from metassay.cli import options
from metassay.cli.parser import Parser

if TYPE_CHECKING:
    from metassay.core.scores import Scores
    from metassay.core.votes import Votes

UNMET = 3
"""The exit code of a gate that was not passed."""


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_study(parser, "judge")
    options.add_flags(
        parser,
        "gate",
        {
            "--junit FILE": "write requirements as a JUnit XML file, a test case each",
            "--github": "also report unmet requirements as annotations of GitHub Actions",
        },
    )


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say; unmet requirements are told in a line each, and end with exit code 3."""
    from metassay.cli.running import spooled

    with spooled(arguments.files) as arguments.files:
        return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    from metassay.cli.gate import github, junit, unmet
    from metassay.cli.progress import progress
    from metassay.cli.running import Output, hold_votes, placed, say, spare_inputs, tell_written
    from metassay.core.files import check_writable, write_text
    from metassay.errors import UsageError
    from metassay.studies.judge import judge

    chosen = options.given(arguments, options.taken_by("judge"))
    if "by" in chosen and "require" in chosen:
        raise UsageError("--require is about all items and --by makes slices; worst_slice speaks of the worst of them")
    for flag in ("junit", "github"):
        if getattr(arguments, flag) and "require" not in chosen:
            raise UsageError(f"--{flag} has no meaning without --require")
    place = placed(arguments)
    study = "judge-votes" if hold_votes(arguments.files) else "judge"
    output = Output.of(arguments, study, sliced="by" in chosen)
    if arguments.junit:
        spare_inputs(arguments.junit, arguments.files, "--junit")
        check_writable(arguments.junit)
    data = _read(arguments)
    with progress(arguments.quiet), place:
        result = judge(data, **chosen)
    output.put(result)
    required = getattr(result, "requirements", ())
    if arguments.junit:
        write_text(arguments.junit, junit(required))
        tell_written(arguments.junit, arguments.quiet)
    for line in [*unmet(required), *(github(required) if arguments.github else ())]:
        say(line)
    return UNMET if any(not row.met for row in required) else 0


def _read(arguments: argparse.Namespace) -> Scores | Votes:
    """Read votes if the files hold such, else scores."""
    from metassay.cli.running import read_votes_or_scores

    arguments.metric = arguments.judge or arguments.metric
    return read_votes_or_scores(arguments)
