"""``metassay normality``."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.cli.running import run_study

DEFAULTS = {"alpha": 0.05}


def _options(parser: Parser) -> None:
    options.add_files(parser)
    options.add(parser, "statistics", ("alpha",), DEFAULTS)
    options.add_output(parser, "normality")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.studies.normality import normality

    return run_study(arguments, normality, ("human", "metric", "references", "alpha"))


COMMAND = Command(
    about=(
        "Tests with Shapiro-Wilk whether the scores of systems look normal, as Fisher's interval and "
        "Williams' test assume: once on the means of the systems, and once within each input, of which it "
        "gives the share that rejects. Where many do, prefer the bootstrap and the permutation tests."
    ),
    examples=("metassay normality scores.csv --human relevance",),
    options=_options,
    run=_run,
)
