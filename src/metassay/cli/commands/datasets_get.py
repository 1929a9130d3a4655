"""``metassay datasets get``."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.errors import UsageError


def _options(parser: Parser) -> None:
    parser.add_argument("files", nargs="*", metavar="NAME", help="names of data sets; all of them: all")
    group = parser.add_argument_group("output")
    group.add_argument(
        "--folder", metavar="FOLDER", help="the folder of data sets (default: METASSAY_DATA, or a cache)"
    )
    options.add_quiet(group)


def _run(arguments: argparse.Namespace) -> int:
    from metassay.cli.running import say, tell
    from metassay.readers.datasets import datasets, files_of, get_dataset

    known = [row.name for row in datasets(arguments.folder).table]
    names = known if arguments.files == ["all"] else list(dict.fromkeys(arguments.files))
    if not names:
        raise UsageError(f"no data set given; name some of {', '.join(known)}, or all")
    for name in names:
        files_of(name)  # a name that does not exist is told before anything is downloaded
    for name in names:
        tell(str(get_dataset(name, folder=arguments.folder, tell=(lambda _: None) if arguments.quiet else say)))
    return 0


COMMAND = Command(
    about=(
        "Downloads what is missing of public data sets, checks the SHA-256 of every file, and prints the folder of "
        "each. Files appear whole or not at all; those that are here are not downloaded again."
    ),
    examples=("metassay datasets get summeval", "metassay datasets get all --folder data"),
    options=_options,
    run=_run,
    usage="NAME... [options]",
)
