"""Write example scores to try the commands on.

Writes the example scores that come with the package to a file: synthetic scores of 14 systems on 80 texts, by eight
metrics and three annotators. With --votes, synthetic votes of four people and a judge on the answers of six models;
with --judge, verdicts of three people and two judges on the answers of four models.

    metassay example
    metassay example --votes
    metassay example --judge
    metassay example -o example.jsonl
"""

from __future__ import annotations

import argparse
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from metassay.cli import options
from metassay.cli.parser import Parser
from metassay.errors import UsageError

if TYPE_CHECKING:
    from metassay.core.scores import Scores
    from metassay.core.votes import Votes

FILE, VOTES, VERDICTS = "scores.csv", "votes.csv", "judge.csv"
USAGE = "[options]"


def add(parser: Parser) -> None:
    """Add the options."""
    text = f"the file: .csv, .tsv, .jsonl (also with .gz) or .parquet (default: {FILE}, if there is no such file)"
    votes = f"write votes on two answers at a time instead, as CSV (default: {VOTES})"
    verdicts = f"write verdicts of people and judges instead, as CSV (default: {VERDICTS})"
    options.add_flags(
        parser, "output", {"--votes": votes, "--judge": verdicts, "-o --output FILE": text, **options.QUIET}
    )


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from metassay.cli.running import extent, say
    from metassay.core.files import write_text
    from metassay.errors import one_line
    from metassay.readers import example, read_votes
    from metassay.readers.writing import write

    if arguments.votes and arguments.judge:
        raise UsageError("--votes and --judge are two examples; choose one")
    name = VOTES if arguments.votes else VERDICTS if arguments.judge else FILE
    if arguments.output is None and Path(name).exists():
        raise UsageError(f"{name} exists; to replace it or to write another file: -o FILE")
    target = Path(arguments.output or name)
    made: Scores | Votes
    if arguments.votes or arguments.judge:
        write_text(target, files("metassay").joinpath("data", name).read_text(encoding="utf-8"))
        made = read_votes(target) if arguments.votes else example("judge")
    else:
        made = example()
        target = write(made, target)
    if not arguments.quiet:
        say(f"wrote {one_line(target)} (synthetic): {extent(made)}")
    return 0
