"""``metassay agree``."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.cli.running import run_study

DEFAULTS = {
    "level": "system,input",
    "coefficient": "kendall",
    "inputs": "all",
    "interval": "boot-both",
    "confidence": 0.95,
    "resamples": 10_000,
    "seed": 0,
}
STATISTICS = ("level", "coefficient", "inputs", "interval", "confidence", "resamples", "seed", "threads")


def _options(parser: Parser) -> None:
    options.add_files(parser)
    options.add(parser, "statistics", STATISTICS, DEFAULTS)
    options.add(parser, "where it runs", options.PLACES[1:])
    options.add_output(parser, "agree")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.studies.agree import agree

    return run_study(arguments, agree, ("human", "metric", "references", *STATISTICS))


COMMAND = Command(
    about=(
        "Correlates each metric with each human criterion and gives every correlation a confidence "
        "interval. At the system level it asks whether the metric ranks systems as people do; at the input "
        "level, whether it ranks the outputs for one input as people do, on average. A Kendall correlation "
        "of system scores comes with the shares of system pairs that the metric ranks wrongly and that are tied."
    ),
    examples=(
        "metassay agree scores.csv --human relevance",
        "metassay agree scores.csv human.jsonl --human 'expert*' --metric 'rouge*,bertscore' --level system",
        "metassay agree scores.csv --human relevance --coefficient pearson,kendall -o agreement.tex",
    ),
    options=_options,
    run=_run,
)
