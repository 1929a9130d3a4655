"""``metassay decisions``."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.cli.running import run_study

DEFAULTS = {
    "test": "wilcoxon",
    "cutoff": "theory",
    "alpha": 0.05,
    "correction": "none",
    "confidence": 0.95,
    "resamples": 2_000,
    "seed": 0,
}
STATISTICS = (
    "system-test",
    "cutoff",
    "alpha",
    "correction",
    "confidence",
    "resamples",
    "seed",
    "threads",
)


def _options(parser: Parser) -> None:
    options.add_files(parser)
    options.add(parser, "statistics", STATISTICS, DEFAULTS)
    options.add_output(parser, "decisions")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.studies.decisions import decisions

    return run_study(arguments, decisions, ("human", "metric", "references", *STATISTICS))


COMMAND = Command(
    about=(
        "Tests every pair of systems once by each metric and once by people, and counts how often both come to the "
        "same decision: the first is better, the second is better, or no difference was found. A metric can agree "
        "well with people on average and still decide otherwise about the pairs that matter."
    ),
    examples=(
        "metassay decisions scores.csv --human relevance",
        "metassay decisions scores.csv --human relevance --test paired-t --correction holm",
    ),
    options=_options,
    run=_run,
)
