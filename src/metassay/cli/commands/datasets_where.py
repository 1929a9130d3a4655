"""``metassay datasets where``."""

from __future__ import annotations

import argparse

from metassay.cli.parser import Command, Parser
from metassay.errors import UsageError


def _options(parser: Parser) -> None:
    parser.add_argument("files", nargs="*", metavar="NAME", help="names of data sets")
    parser.add_argument(
        "--folder", metavar="FOLDER", help="the folder of data sets (default: METASSAY_DATA, or a cache)"
    )


def _run(arguments: argparse.Namespace) -> int:
    from metassay.cli.running import tell
    from metassay.readers.datasets import find_dataset

    if not arguments.files:
        raise UsageError("no data set given; see them with: metassay datasets list")
    for place in [find_dataset(name, folder=arguments.folder) for name in arguments.files]:
        tell(str(place))
    return 0


COMMAND = Command(
    about="Prints the folder of a data set that is here and whole; if it is not, says what is missing.",
    examples=("metassay datasets where summeval",),
    options=_options,
    run=_run,
    usage="NAME... [options]",
)
