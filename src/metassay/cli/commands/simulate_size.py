"""``metassay simulate size``: the options are the study's own, and what reading needs."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Parser
from metassay.cli.running import run_study
from metassay.errors import UsageError


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_study(parser, "simulate_size")


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    if arguments.files:
        return run_study(arguments, "simulate_size")
    for name in ("human", "metric"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name} has no meaning without a file; a grid of worlds is drawn")
    return run_study(arguments, "simulate_size", lambda _: None)
