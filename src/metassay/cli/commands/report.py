"""``metassay report``."""

from __future__ import annotations

import argparse
import textwrap

from metassay.cli import options
from metassay.cli.parser import Command, Parser

DEFAULTS = {"confidence": 0.95, "resamples": 10_000, "seed": 0}
STATISTICS = ("confidence", "resamples", "seed", "threads")


def _options(parser: Parser) -> None:
    options.add_files(parser)
    options.add(parser, "statistics", STATISTICS, DEFAULTS)
    group = parser.add_argument_group("output")
    group.add_argument("--title", metavar="TEXT", help="heading of the page")
    group.add_argument("-o", "--output", metavar="FILE", default="report.html", help="the page (default: report.html)")
    options.add_quiet(group)


def _run(arguments: argparse.Namespace) -> int:
    from metassay.cli.progress import progress
    from metassay.cli.running import read_scores, say, spare_inputs, tell
    from metassay.core.files import check_writable
    from metassay.errors import one_line
    from metassay.report.document.report import TITLE, make_report
    from metassay.report.terminal import default_width

    chosen = options.given(arguments, ("human", "metric", *STATISTICS))
    spare_inputs(arguments.output, arguments.files)
    check_writable(arguments.output)
    scores = read_scores(arguments)
    with progress(arguments.quiet):
        report = make_report(scores, arguments.output, title=arguments.title or TITLE, **chosen)
    for sentence in report.sentences:
        tell(textwrap.fill(sentence, default_width()))
    if not arguments.quiet:
        say(f"wrote {one_line(arguments.output)}")
    return 0


COMMAND = Command(
    about=(
        "Runs every study that needs nothing but scores and writes one HTML page that works offline: the answer in "
        "words, a section per question with charts and tables, downloads, and a methods paragraph for a paper."
    ),
    examples=(
        "metassay report scores.csv --human relevance -o report.html",
        "metassay report scores/*.jsonl --human 'expert_*' --metric 'rouge*,bertscore_f1' -o report.html",
    ),
    options=_options,
    run=_run,
)
