"""``metassay profile``."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.cli.running import run_study

DEFAULTS = {"components": 3, "confidence": 0.95, "resamples": 10_000, "seed": 0}
STATISTICS = ("components", "group", "folds", "confidence", "resamples", "seed", "threads")


def _options(parser: Parser) -> None:
    options.add_files(parser)
    options.add(parser, "statistics", STATISTICS, DEFAULTS)
    options.add_output(parser, "profile")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.studies.profile import profile

    return run_study(arguments, profile, ("human", "metric", "references", *STATISTICS))


COMMAND = Command(
    about=(
        "Takes all mean scores of a system for one point. Principal components show what metrics and human criteria "
        "have in common. If systems fall into two groups, such as people and machines, a composite of all metrics "
        "(a regularised linear discriminant) is fitted to tell them apart, and compared with each metric alone on "
        "systems that were held out. Human-written references that were scored like systems stay in."
    ),
    examples=(
        "metassay profile scores.csv --human relevance",
        "metassay profile scores.csv --metric '*_jk*' --group 'humans=A,B,C' --group 'machines=*'",
        "metassay profile scores.csv --components 2 --figure profile.png",
    ),
    options=_options,
    run=_run,
)
