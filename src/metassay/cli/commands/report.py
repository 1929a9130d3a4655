"""All of it, on one page.

Runs every study that needs nothing but scores and writes one HTML page that works offline: the answer in words, a
section per question with charts and tables, downloads, and a methods paragraph for a paper. Of votes it shows who
wins, and whether judges vote as people do. Where --by names tasks, the page has their leaderboard, with
the average over them; of several languages it shows the leaderboard and what score differences mean.

    metassay report scores.csv --human relevance -o report.html
    metassay report votes.csv --human 'annotator*' -o report.html
    metassay report scores.csv --human relevance --by domain -o report.html
    metassay report wmt23 --language '*' --human mqm -o report.html
    metassay report scores/*.jsonl --human 'expert_*' --metric 'rouge*,bertscore_f1' -o report.html
"""

from __future__ import annotations

import argparse
import textwrap
from typing import Any

from metassay.cli import options
from metassay.cli.parser import Parser


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
    from metassay.cli.commands.leaderboard import read_tasks
    from metassay.cli.progress import progress
    from metassay.cli.running import hold_votes, placed, spare_inputs, tell, tell_written
    from metassay.core.files import check_writable
    from metassay.report.document.report import make_report
    from metassay.report.terminal import default_width

    chosen = options.given(arguments, options.of("make_report"))
    spare_inputs(arguments.output, arguments.files)
    check_writable(arguments.output)
    if hold_votes(arguments.files):
        return _votes(arguments, chosen)
    scores = read_tasks(arguments)
    with progress(arguments.quiet), placed(arguments):
        report = make_report(scores, arguments.output, title=arguments.title, **chosen)
    for sentence in report.sentences:
        tell(textwrap.fill(sentence, default_width()))
    tell_written(arguments.output, arguments.quiet)
    return 0


def _votes(arguments: argparse.Namespace, chosen: dict[str, Any]) -> int:
    from metassay.cli.progress import progress
    from metassay.cli.running import placed, read_votes_or_scores, tell, tell_written
    from metassay.errors import UsageError
    from metassay.report.document.votes import TITLE, make_votes_report
    from metassay.report.terminal import default_width

    known = options.of("make_votes_report")
    if unfit := [name for name in chosen if name not in known]:
        raise UsageError(f"--{unfit[0].replace('_', '-')} has no meaning with votes")
    votes = read_votes_or_scores(arguments)
    with progress(arguments.quiet), placed(arguments):
        report = make_votes_report(votes, arguments.output, title=arguments.title or TITLE, **chosen)
    for sentence in report.sentences:
        tell(textwrap.fill(sentence, default_width()))
    tell_written(arguments.output, arguments.quiet)
    return 0
