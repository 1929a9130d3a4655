"""``metassay criteria``."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.cli.running import run_study

DEFAULTS = {
    "method": "bucket,partial",
    "coefficient": "kendall",
    "interval": "boot-both",
    "confidence": 0.95,
    "resamples": 1_000,
    "seed": 0,
}
STATISTICS = (
    "anchor",
    "holding",
    "edges",
    "metric-group",
    "one-coefficient",
    "bootstrap",
    "confidence",
    "resamples",
    "seed",
    "threads",
)


def _options(parser: Parser) -> None:
    options.add_files(parser)
    options.add(parser, "statistics", STATISTICS, DEFAULTS)
    options.add_output(parser, "criteria")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.studies.criteria import criteria

    return run_study(arguments, criteria, ("human", "metric", "references", *STATISTICS))


COMMAND = Command(
    about=(
        "People judge several criteria, and systems that are good in one tend to be good in all. A metric can then "
        "agree with fluency only because it measures relevance. This command correlates each metric with each "
        "criterion as it is and with another criterion, the anchor, held fixed: within buckets of equal anchors, and "
        "by partial correlation. Every number has an interval, and a verdict says whether the agreement survives, "
        "shrinks, vanishes, or whether the data are too thin to say."
    ),
    examples=(
        "metassay criteria scores.csv --human 'expert*'",
        "metassay criteria scores.csv --metric-group 'relevance=rouge*,bertscore*' --metric-group 'novelty=novel*'",
        "metassay criteria scores.csv --anchor length --edges 20,40,60 --method bucket --view metrics",
    ),
    options=_options,
    run=_run,
)
