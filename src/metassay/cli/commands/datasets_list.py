"""``metassay datasets list``."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Command, Parser


def _options(parser: Parser) -> None:
    parser.add_argument(
        "--folder", metavar="FOLDER", help="the folder of data sets (default: METASSAY_DATA, or a cache)"
    )
    options.add_output(parser, "datasets")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.cli.running import Output
    from metassay.readers.datasets import datasets

    arguments.files = []
    Output.of(arguments, "datasets").put(datasets(arguments.folder))
    return 0


COMMAND = Command(
    about=(
        "Lists the public data sets: what they hold, how large they are, how many of their files are here, under which "
        "licence they come and whom to cite."
    ),
    examples=("metassay datasets list", "metassay datasets list --format json"),
    options=_options,
    run=_run,
    usage="[options]",
)
