"""Can published numbers be reproduced?

Recomputes numbers that papers published, from the data they used. Prints the published value, our value, and whether
they agree within the stated tolerance, with the reason where a value cannot be checked. A disagreement is a result: the
exit code is 0 unless --strict is given.

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
            "--data FOLDER": "folder of data sets, as filled by metassay datasets get (default: METASSAY_DATA, or "
            "the user's cache)",
            "--only PAPER": f"papers, a comma list of {', '.join(papers())}",
            "--thorough": "simulate as much as the papers did, and include checks that take minutes",
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
