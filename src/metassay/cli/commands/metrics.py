"""What can be scored here?

Lists every metric that can score texts: what it looks at beside the output, whether what it needs is installed, and if
not the exact command that installs it. With --format json also licences and citations.

    metassay metrics
    metassay metrics --format csv -o metrics.csv
"""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Parser


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_output(parser, "metrics")


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from metassay.cli.running import Output
    from metassay.texts.scorers.catalogue import metrics

    arguments.files = []
    Output.of(arguments, "metrics").put(metrics())
    return 0
