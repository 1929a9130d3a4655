"""Do the published numbers come out?

Computes again what papers published, from the data they used, and prints published, ours, and whether they agree
within the stated tolerance, with the reason where they cannot be checked. A disagreement is a result: the exit code is
0 unless --strict is given.

    metassay reproduce
    metassay reproduce --data data --only deutsch-2021 --view numbers
    metassay reproduce --thorough --format markdown -o published.md
"""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Parser

USAGE = "[options]"


def _options() -> options.Options:
    return {**options.of("reproduce"), **options.places()}


def add(parser: Parser) -> None:
    """Add the options."""
    from metassay.reproduction.published import papers

    options.add_flags(
        parser,
        "what to check",
        {
            "--data FOLDER": "the folder of data sets, such as metassay datasets get fills (default: METASSAY_DATA, or "
            "a cache)",
            "--only PAPER": f"papers, a comma list of {', '.join(papers())}",
            "--thorough": "simulate as much as the papers did, and check what takes minutes too",
            "--strict": "exit with 1 if a number is outside its tolerance",
        },
    )
    options.add(parser, _options())
    options.add_output(parser, "reproduce")


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from metassay.cli.progress import progress
    from metassay.cli.running import Output
    from metassay.reproduction.reproduce import reproduce

    output = Output.of(arguments, "reproduce")
    chosen = options.given(arguments, _options())
    with progress(arguments.quiet):
        result = reproduce(arguments.data, only=arguments.only, full=arguments.thorough, **chosen)
    output.put(result)
    return int(arguments.strict and result.n_outside > 0)
