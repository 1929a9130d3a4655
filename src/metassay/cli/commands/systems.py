"""``metassay systems``."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.cli.running import run_study

DEFAULTS = {
    "test": "unpaired-t,paired-t,wilcoxon",
    "cutoff": "theory",
    "alternative": "two-sided",
    "alpha": 0.05,
    "correction": "none",
    "resamples": 2_000,
    "seed": 0,
}
STATISTICS = (
    "system-tests",
    "cutoffs",
    "alternative",
    "alpha",
    "correction",
    "group",
    "resamples",
    "seed",
    "threads",
)


def _options(parser: Parser) -> None:
    options.add_files(parser)
    options.add(parser, "statistics", STATISTICS, DEFAULTS)
    options.add_output(parser, "systems")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.studies.systems import systems

    return run_study(arguments, systems, ("human", "metric", "references", *STATISTICS))


COMMAND = Command(
    about=(
        "Tests for every pair of systems whether they differ, by each metric and each human criterion, over the "
        "inputs that both systems have. Tests that pair the scores by input find more than the unpaired t, which is "
        "shown for comparison. Their cut-offs come from theory, from swapping scores within pairs (mc), or from "
        "drawing pairs with replacement and swapping (hb). Groups, such as people and machines, are counted against "
        "each other. Human-written references that were scored like systems stay in."
    ),
    examples=(
        "metassay systems scores.csv --human relevance",
        "metassay systems scores.csv --metric 'rouge*' --group 'humans=H*' --group 'machines=*'",
        "metassay systems scores.csv --metric rouge-2 --test wilcoxon --cutoff theory,mc,hb --correction holm",
    ),
    options=_options,
    run=_run,
)
