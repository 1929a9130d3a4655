"""Show a saved result again.

Reads a result that a study wrote with --format json, and shows it, draws it or converts it to another format, without
computing anything again.

    metassay show agreement.json
    metassay show agreement.json --figure agreement.pdf
    metassay show comparison.json --view matrix --format latex
"""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Parser
from metassay.errors import UsageError

USAGE = "RESULT.json [options]"


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_flags(parser, "files", {"FILE...": "a result as JSON"})
    options.add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from metassay.cli.running import Output
    from metassay.core.slices import Slices
    from metassay.report.data import load

    if len(arguments.files) != 1:
        raise UsageError(f"give one result at a time, got {len(arguments.files)} files")
    result = load(arguments.files[0])
    sliced = isinstance(result, Slices)
    Output.of(arguments, result.of if isinstance(result, Slices) else result.study, sliced=sliced).put(result)
    return 0
