"""A tour on example data.

Runs every study on the synthetic example scores that come with the package, shows how well each metric agrees with
people, explains the result, and writes the report and the scores to the folder demo. With --judge, it does the same for
two judges and three annotators.

    metassay demo
    metassay demo -o report.html
    metassay demo --judge
"""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path

from metassay.cli import options
from metassay.cli.parser import Parser

REPORT = "demo/report.html"
SCORES = "demo/scores.csv"
USAGE = "[options]"
VERDICTS = "demo/judge.csv"


def _statistics() -> options.Options:
    known = {**options.of("make_report"), **options.places()}
    return {name: known[name] for name in ("resamples", "seed", "threads")}


def add(parser: Parser) -> None:
    """Add the options."""
    options.add(parser, _statistics())
    what = {"--judge": "use synthetic verdicts of two judges instead"}
    options.add_flags(parser, "what to show", what)
    options.add_flags(parser, "output", {"-o --output FILE": f"the report (default: {REPORT})", **options.QUIET})


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from importlib.resources import files

    from metassay.cli.progress import progress
    from metassay.cli.running import check_page, describe, say, show, tell
    from metassay.core.files import check_writable, write_text
    from metassay.errors import one_line
    from metassay.readers import example
    from metassay.readers.writing import write
    from metassay.report.document.report import OF_JUDGES, TITLE, make_report
    from metassay.report.terminal import default_width

    chosen = options.given(arguments, _statistics())
    check_page(arguments.output or REPORT)
    target = Path(arguments.output or REPORT)
    own = target == Path(REPORT)
    scores = example("judge" if arguments.judge else "scores")
    beside = Path(VERDICTS if arguments.judge else SCORES)
    if own:
        target.parent.mkdir(exist_ok=True)
        if arguments.judge:
            write_text(beside, files("metassay").joinpath("data", "judge.csv").read_text(encoding="utf-8"))
        else:
            write(scores, beside)
    check_writable(target)
    if not arguments.quiet:
        say(describe(scores))
    columns = {"human": "verdict_*", "metric": "*-judge"} if arguments.judge else {"human": "relevance,coherence"}
    title = f"{OF_JUDGES if arguments.judge else TITLE} (synthetic example)"
    with progress(arguments.quiet):
        report = make_report(scores, target, title=title, **columns, **chosen)
    show(report.dossier.results["judge" if arguments.judge else "agree"])
    tell()
    if arguments.judge:
        tell("On your own data (a table with an id, and a column for each person and each judge):")
        tell("  metassay judge FILE --human 'PEOPLE*' --judge NAME")
        tell("  metassay report FILE --human 'PEOPLE*' --metric NAME -o report.html")
    else:
        tell("In words, for these synthetic scores:")
        for sentence in report.sentences:
            tell(textwrap.fill(sentence, default_width(), initial_indent="  ", subsequent_indent="  "))
        tell()
        tell("On your own data (a table with the columns system, input, and one per metric and human criterion):")
        tell("  metassay report scores.csv --human NAME -o report.html")
    tell()
    if own:
        tell(f"The data, to try commands on: {one_line(beside.resolve())}")
    tell(f"The report, with every study, chart and table: {one_line(target.resolve())}")
    return 0
