"""Which metrics can score texts here?

Lists every metric that can score texts, one per line: what it compares the output with, and whether everything it needs
is installed. With names, shows all details of these metrics: how to install what is missing, licence, citation, and
options.

    metassay metrics
    metassay metrics rouge
    metassay metrics --format csv -o metrics.csv
"""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Parser

USAGE = "[NAME...] [options]"


def add(parser: Parser) -> None:
    """Add the options."""
    parser.group("metrics").add_argument("names", nargs="*", metavar="NAME", help="show everything about these metrics")
    options.add_output(parser, "metrics")


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from metassay.cli.running import Output
    from metassay.texts.scorers.registry import metrics

    Output.of(arguments, "metrics").put(metrics(arguments.names or None))
    return 0
