"""Download data sets and verify every file.

Downloads the missing files of public data sets, checks the SHA-256 of every file, and prints the folder of each data
set. Files are written completely or not at all; complete files are not downloaded again.

    metassay datasets get summeval
    metassay datasets get all --folder data
"""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Parser
from metassay.errors import UsageError

USAGE = "NAME... [options]"


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_flags(parser, "output", {"NAME...": "names of data sets, or all", **options.QUIET})
    options.add(parser, options.of("get_dataset"))


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
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
