"""Show me, on the example data that ships with the package.

Reads the example scores that ship with the package (they are synthetic), runs every study on them, shows how well each
metric agrees with people, says what follows from it, and writes the report,
with the scores beside it in the folder demo. With --judge: whether two judges can stand in for three people.

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
TITLE = "How far can these metrics be trusted? (synthetic example)"
USAGE = "[options]"
VERDICTS = "demo/judge.csv"


def _statistics() -> options.Options:
    known = {**options.of("make_report"), **options.places()}
    return {name: known[name] for name in ("resamples", "seed", "threads")}


def add(parser: Parser) -> None:
    """Add the options."""
    options.add(parser, _statistics())
    what = {"--judge": "show whether two judges can be trusted, on synthetic verdicts, in place of the report"}
    options.add_flags(parser, "what to show", what)
    options.add_flags(parser, "output", {"-o --output FILE": f"the report (default: {REPORT})", **options.QUIET})


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from metassay.cli.progress import progress
    from metassay.cli.running import describe, say, show, tell
    from metassay.core.files import check_writable
    from metassay.errors import one_line
    from metassay.readers import example
    from metassay.readers.writing import write
    from metassay.report.document.report import make_report
    from metassay.report.terminal import default_width

    if arguments.judge:
        return _judge(arguments)
    chosen = options.given(arguments, _statistics())
    target = Path(arguments.output or REPORT)
    own = target == Path(REPORT)
    scores = example()
    if own:
        target.parent.mkdir(exist_ok=True)
        write(scores, SCORES)
    check_writable(target)
    if not arguments.quiet:
        say(describe(scores))
    with progress(arguments.quiet):
        report = make_report(scores, target, human="relevance,coherence", title=TITLE, **chosen)
    show(report.dossier.results["agree"])
    tell()
    tell("In words, for these synthetic scores:")
    for sentence in report.sentences:
        tell(textwrap.fill(sentence, default_width(), initial_indent="  ", subsequent_indent="  "))
    tell()
    tell("On your own data (a table with the columns system, input, and one per metric and human criterion):")
    tell("  metassay report scores.csv --human NAME -o report.html")
    tell()
    if own:
        tell(f"The scores, to try commands on: {one_line(Path(SCORES).resolve())}")
    tell(f"The report, with every question, chart and table: {one_line(target.resolve())}")
    return 0


def _judge(arguments: argparse.Namespace) -> int:
    """Show the judge card of the example verdicts, and keep them in a file to try commands on."""
    from importlib.resources import files

    from metassay.cli.running import say, show, tell
    from metassay.core.files import write_text
    from metassay.errors import UsageError, one_line
    from metassay.readers import example
    from metassay.studies.judge import judge

    chosen = options.given(arguments, _statistics())
    for flag, given in (("-o", arguments.output), ("--resamples", chosen.get("resamples"))):
        if given is not None:
            raise UsageError(f"{flag} has no meaning with --judge, which writes no report and draws no samples")
    target = Path(VERDICTS)
    target.parent.mkdir(exist_ok=True)
    write_text(target, files("metassay").joinpath("data", "judge.csv").read_text(encoding="utf-8"))
    if not arguments.quiet:
        say("synthetic verdicts of three people and two judges on the answers of four models to 150 questions")
    show(judge(example("judge"), human="verdict_*", judge="*-judge", **chosen))
    tell()
    tell("On your own data (a table with an id, and a column for each person and each judge):")
    tell("  metassay judge FILE --human 'PEOPLE*' --judge NAME")
    tell(f"The verdicts, to try commands on: {one_line(target.resolve())}")
    return 0
