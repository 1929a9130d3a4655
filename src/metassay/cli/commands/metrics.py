"""``metassay metrics``."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Command, Parser


def _options(parser: Parser) -> None:
    options.add_output(parser, "metrics")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.cli.running import Output
    from metassay.texts.scorers.catalogue import metrics

    arguments.files = []
    Output.of(arguments, "metrics").put(metrics())
    return 0


COMMAND = Command(
    about=(
        "Lists every metric that can score texts: what it looks at beside the output, whether what it needs is "
        "installed, and if not the exact command that installs it. With --format json also licences and citations."
    ),
    examples=("metassay metrics", "metassay metrics --format csv -o metrics.csv"),
    options=_options,
    run=_run,
)
