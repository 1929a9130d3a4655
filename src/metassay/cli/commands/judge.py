"""``metassay judge``: the study's own options, and a gate that CI can read."""

from __future__ import annotations

import argparse
from pathlib import Path
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
            "--github": "also tell unmet requirements as annotations of GitHub Actions",
        },
    )


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say; unmet requirements are told in a line each, and end with exit code 3."""
    from metassay.cli.gate import github, junit, unmet
    from metassay.cli.progress import progress
    from metassay.cli.running import Output, placed, say, spare_inputs, tell_written
    from metassay.core.files import check_writable, write_text
    from metassay.errors import UsageError
    from metassay.studies.judge import judge

    chosen = options.given(arguments, options.of("judge"))
    for flag in ("junit", "github"):
        if getattr(arguments, flag) and "require" not in chosen:
            raise UsageError(f"--{flag} has no meaning without --require")
    output = Output.of(arguments, "judge")
    if arguments.junit:
        spare_inputs(arguments.junit, arguments.files, "--junit")
        check_writable(arguments.junit)
    data = _read(arguments)
    with progress(arguments.quiet), placed(arguments):
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
    from metassay.cli.running import read_scores
    from metassay.readers import read_votes
    from metassay.readers.recognition import holds_votes

    if any(holds_votes(name) for name in arguments.files if Path(name.partition("=")[2] or name).exists()):
        wanted = ("input_column", "annotator_column", "ignore")
        chosen = options.given(arguments, {name: each for name, each in options.of("read").items() if name in wanted})
        return read_votes(*arguments.files, **chosen)
    arguments.metric = arguments.judge or arguments.metric
    return read_scores(arguments)
