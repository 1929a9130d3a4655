"""``metassay example``."""

from __future__ import annotations

import argparse
from pathlib import Path

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.errors import UsageError

FILE = "scores.csv"


def _options(parser: Parser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help=f"where to: .csv, .tsv, .jsonl (also with .gz) or .parquet (default: {FILE}, if there is no such file)",
    )
    options.add_quiet(group)


def _run(arguments: argparse.Namespace) -> int:
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


COMMAND = Command(
    about=(
        "Writes the example scores that ship with the package to a file, to try the other commands on: synthetic "
        "scores of 14 systems on 80 texts, by eight metrics and three annotators."
    ),
    examples=("metassay example", "metassay example -o example.jsonl"),
    options=_options,
    run=_run,
    usage="[options]",
)
