"""``metassay widths``."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.cli.running import run_study

DEFAULTS = {"coefficient": "kendall", "confidence": 0.95, "resamples": 10_000, "seed": 0}
STATISTICS = ("annotated", "coefficient", "confidence", "resamples", "seed", "threads")


def _options(parser: Parser) -> None:
    options.add_files(parser)
    options.add(parser, "statistics", STATISTICS, DEFAULTS)
    options.add_output(parser, "widths")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.studies.widths import widths

    return run_study(arguments, widths, ("human", "metric", "references", *STATISTICS))


COMMAND = Command(
    about=(
        "People judge few inputs, but a metric can score the whole test set, and that is how it is used. "
        "Compares the confidence intervals of system-level correlations with the metric's means over the "
        "judged inputs and over all inputs it has, for all three bootstraps. Where people judged every "
        "input, --annotated takes some of them as the judged ones."
    ),
    examples=(
        "metassay widths scores.csv --human relevance --annotated 20",
        "metassay widths test-set.csv human.jsonl --human 'expert*' --metric 'rouge*' -o widths.tex",
    ),
    options=_options,
    run=_run,
)
