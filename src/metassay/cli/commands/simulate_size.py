"""``metassay simulate size``: the options are the study's own, and what reading needs."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Parser
from metassay.cli.running import Output, placed, run_study
from metassay.errors import UsageError


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_study(parser, "simulate_size")


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from metassay.cli.progress import progress
    from metassay.studies.size import simulate_size

    if arguments.files:
        return run_study(arguments, "simulate_size")
    for name in ("human", "metric"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name} has no meaning without a file; a grid of worlds is drawn")
    chosen = options.given(arguments, options.of("simulate_size"))
    output = Output.of(arguments, "simulate-size")
    with progress(arguments.quiet), placed(arguments):
        result = simulate_size(**chosen)
    output.put(result)
    return 0
