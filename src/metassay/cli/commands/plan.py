"""``metassay plan``."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.cli.running import run_study

DEFAULTS = {
    "level": "system",
    "coefficient": "kendall",
    "interval": "two-way",
    "confidence": 0.95,
    "alpha": 0.05,
    "annotations": 100,
    "trials": "1,000 at system level, 300 at input level",
    "seed": 0,
    "width": 0.2,
    "power": 0.8,
}
GOAL = ("width", "metric-b", "power", "difference", "annotations")
STATISTICS = (
    "planned-level",
    "one-coefficient",
    "planned-interval",
    "confidence",
    "alpha",
    "trials",
    "seed",
)


def _options(parser: Parser) -> None:
    options.add_files(parser)
    options.add(parser, "what is wanted", GOAL, DEFAULTS)
    options.add(parser, "statistics", STATISTICS, DEFAULTS)
    options.add(parser, "where it runs", options.PLACES)
    options.add_output(parser, "plan")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.studies.plan import plan

    return run_study(arguments, plan, ("human", "metric", "references", *GOAL, *STATISTICS, "threads"))


COMMAND = Command(
    about=(
        "Learns from scores, such as those of a pilot study, how widths of intervals and the power of tests change "
        "with the number of inputs, systems and annotators; tells how well people agree with each other, which no "
        "metric can outdo, and where the next annotations buy most."
    ),
    examples=(
        "metassay plan scores.csv --human relevance --metric rouge-1 --width 0.2",
        "metassay plan scores.csv --human relevance --metric rouge-1 --metric-b bertscore --power 0.8",
        "metassay plan scores.csv --human relevance --metric rouge-1 --level input --interval boot-inputs",
    ),
    options=_options,
    run=_run,
)
