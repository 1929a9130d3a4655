"""``metassay demo``."""

from __future__ import annotations

import argparse
import textwrap

from metassay.cli import options
from metassay.cli.parser import Command, Parser

STATISTICS = ("resamples", "seed", "threads")


def _options(parser: Parser) -> None:
    options.add(parser, "statistics", STATISTICS)
    options.add_quiet(parser.add_argument_group("output"))


def _run(arguments: argparse.Namespace) -> int:
    from metassay.cli.progress import progress
    from metassay.cli.running import describe, say, show, tell
    from metassay.readers import example
    from metassay.report.terminal import default_width
    from metassay.report.words import verdicts
    from metassay.studies.agree import agree
    from metassay.studies.compare import compare

    chosen = options.given(arguments, STATISTICS)
    scores = example()
    if not arguments.quiet:
        say(describe(scores))
    with progress(arguments.quiet):
        agreement = agree(scores, **chosen)
        comparison = compare(scores, human="relevance", level="system", **chosen)
    show(agreement)
    tell()
    show(comparison)
    tell()
    tell("In words, for these synthetic scores:")
    for sentence in verdicts(comparison):
        tell(textwrap.fill(sentence, default_width(), initial_indent="  ", subsequent_indent="  "))
    tell()
    tell("On your own data (a table with the columns system, input, and one per metric and human criterion):")
    tell("  metassay agree scores.csv --human NAME")
    tell("  metassay compare scores.csv --human NAME")
    return 0


COMMAND = Command(
    about=(
        "Reads the example scores that ship with the package (they are synthetic), shows how well each "
        "metric agrees with people and which metric agrees better, and says in words what follows."
    ),
    examples=("metassay demo",),
    options=_options,
    run=_run,
    usage="[options]",
)
