"""Which data sets are available, and which are downloaded?

Lists the public data sets: contents, size, downloaded files, licence and citation.

    metassay datasets list
    metassay datasets list --format json
"""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Parser

USAGE = "[options]"


def add(parser: Parser) -> None:
    """Add the options."""
    options.add(parser, options.of("get_dataset"))
    options.add_output(parser, "datasets")


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from metassay.cli.running import Output
    from metassay.readers.datasets import datasets

    Output.of(arguments, "datasets").put(datasets(arguments.folder))
    return 0
