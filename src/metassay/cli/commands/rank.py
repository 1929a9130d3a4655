"""``metassay rank``: votes or scores; the study declares the rest."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Parser


def add(parser: Parser) -> None:
    """Add the files, how to read them, and the options of the study."""
    options.add_files(parser, "rank", "votes (two systems and a winner) or scores in any known format; - is stdin")
    options.add(parser, options.slicing(options.of("rank")))
    options.add(parser, options.places())
    options.add_output(parser, "rank")


def run(arguments: argparse.Namespace) -> int:
    """Read votes, or scores if the files hold such, and rank."""
    from metassay.cli.running import read_votes_or_scores, run_study

    return run_study(arguments, "rank", read_votes_or_scores)
