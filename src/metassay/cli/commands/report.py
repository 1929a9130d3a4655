"""Write all studies into one page.

Runs every study that needs only scores and writes one HTML page that works offline: the answer first, then a section
per study with charts and tables, downloads, and a methods paragraph for a paper. For votes, the page shows which
systems win, and whether judges vote as people do. If --by names tasks, it has a leaderboard with the average over
tasks. For several languages, it shows the leaderboard and what score differences mean.

    metassay report scores.csv --human relevance -o report.html
    metassay report votes.csv --human dora,emil,farah,goran -o report.html
    metassay report scores.csv --human relevance --by domain -o report.html
    metassay report wmt23 --language '*' --human mqm -o report.html
    metassay report scores/*.jsonl --human 'expert_*' --metric 'rouge*,bertscore_f1' -o report.html
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable
from typing import Any

from metassay.cli import options
from metassay.cli.parser import Parser
from metassay.errors import UsageError


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_files(parser, "make_report")
    options.add(parser, options.places())
    flags = {"--title TEXT": "heading of the page", "-o --output FILE": "the page (default: report.html)"}
    options.add_flags(parser, "output", {**flags, **options.QUIET})
    parser.set_defaults(output="report.html")


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from metassay.cli.running import spooled

    with spooled(arguments.files) as arguments.files:
        return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    from metassay.cli.progress import progress
    from metassay.cli.reading import read_tasks
    from metassay.cli.running import (
        check_page,
        hold_votes,
        placed,
        read_votes_or_scores,
        spare_inputs,
        tell,
        tell_written,
    )
    from metassay.core.files import check_writable
    from metassay.report.document.report import make_report
    from metassay.report.document.votes import make_votes_report
    from metassay.report.terminal import default_width

    chosen = options.given(arguments, options.of("make_report"))
    check_page(arguments.output)
    spare_inputs(arguments.output, arguments.files)
    check_writable(arguments.output)
    make: Callable[..., Any] = make_report
    if hold_votes(arguments):
        make = make_votes_report
        if unfit := [name for name in chosen if name not in options.of("make_votes_report")]:
            raise UsageError(f"--{unfit[0].replace('_', '-')} cannot be used with votes")
    data = read_tasks(arguments) if make is make_report else read_votes_or_scores(arguments)
    chosen |= {} if arguments.title is None else {"title": arguments.title}
    with progress(arguments.quiet), placed(arguments):
        report = make(data, arguments.output, **chosen)
    for sentence in report.sentences:
        tell(textwrap.fill(sentence, default_width()))
    tell_written(arguments.output, arguments.quiet)
    return 0
