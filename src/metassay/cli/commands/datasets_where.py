"""Which folder is a data set in?

Prints the folder of a data set that is downloaded and complete. Otherwise says what is missing.

    metassay datasets where summeval
"""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Parser
from metassay.errors import UsageError

USAGE = "NAME... [options]"


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_flags(parser, "output", {"NAME...": "names of data sets"})
    options.add(parser, options.of("get_dataset"))


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from metassay.cli.running import tell
    from metassay.readers.datasets import find_dataset

    if not arguments.files:
        raise UsageError("no data set given; see them with: metassay datasets list")
    for place in [find_dataset(name, folder=arguments.folder) for name in arguments.files]:
        tell(str(place))
    return 0
