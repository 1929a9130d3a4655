"""``metassay pairs``."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.cli.running import run_study

DEFAULTS = {
    "inputs": "all",
    "interval": "boot-both",
    "confidence": 0.95,
    "resamples": 1_000,
    "seed": 0,
}
SELECTIONS = ("bounds", "shares", "triangle")
STATISTICS = ("inputs", "bootstrap", "confidence", "resamples", "seed", "threads")


def _options(parser: Parser) -> None:
    options.add_files(parser)
    options.add(parser, "which pairs of systems", SELECTIONS)
    options.add(parser, "statistics", STATISTICS, DEFAULTS)
    options.add_output(parser, "pairs")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.studies.pairs import pairs

    return run_study(arguments, pairs, ("human", "metric", "references", *SELECTIONS, *STATISTICS))


COMMAND = Command(
    about=(
        "Looks at pairs of systems by how far apart a metric puts them. For the pairs closest in score, or within "
        "bounds that you choose, it gives Kendall's correlation over these pairs only, the share on which people "
        "agree with the metric, and how many pairs there are; and it fits how the chance that people agree grows "
        "with the score difference, so that you see which difference is worth reporting."
    ),
    examples=(
        "metassay pairs scores.csv --human relevance",
        "metassay pairs scores.csv --human relevance --metric rouge1 --bounds 0:0.5,0.5:1,1:",
        "metassay pairs scores.csv --human relevance --metric rouge1 --triangle 10 --view triangle",
    ),
    options=_options,
    run=_run,
)
