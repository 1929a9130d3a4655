"""Which scores can I try this on?

Writes the example scores that ship with the package to a file, to try the other commands on: synthetic scores of 14
systems on 80 texts, by eight metrics and three annotators.

    metassay example
    metassay example -o example.jsonl
"""

from __future__ import annotations

import argparse
from pathlib import Path

from metassay.cli import options
from metassay.cli.parser import Parser
from metassay.errors import UsageError

FILE = "scores.csv"
USAGE = "[options]"


def add(parser: Parser) -> None:
    """Add the options."""
    text = f"where to: .csv, .tsv, .jsonl (also with .gz) or .parquet (default: {FILE}, if there is no such file)"
    options.add_flags(parser, "output", {"-o --output FILE": text, **options.QUIET})


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from metassay.cli.running import extent, say
    from metassay.errors import one_line
    from metassay.readers import example, write

    if arguments.output is None and Path(FILE).exists():
        raise UsageError(f"{FILE} exists; to replace it or to write another file: -o FILE")
    scores = example()
    target = write(scores, arguments.output or FILE)
    if not arguments.quiet:
        say(f"wrote {one_line(target)} (synthetic): {extent(scores)}")
    return 0
