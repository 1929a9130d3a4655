"""``metassay score``."""

from __future__ import annotations

import argparse
from pathlib import Path

from metassay.cli import options, texts
from metassay.cli.parser import Command, Parser
from metassay.errors import UsageError, one_line


def _options(parser: Parser) -> None:
    texts.add_files(parser)
    group = parser.add_argument_group("what to score with")
    group.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="metrics, a comma list; options in brackets, such as rouge[stem=none] (see metassay metrics)",
    )
    work = parser.add_argument_group("how")
    work.add_argument("--cache", metavar="FILE", help="where scores are kept by content (default: the user's cache)")
    work.add_argument("--no-cache", action="store_true", help="keep nothing, and score everything anew")
    work.add_argument(
        "--processes", type=int, metavar="N", help="processes to use; they change no number (default: all processors)"
    )
    output = parser.add_argument_group("output")
    output.add_argument("-o", "--output", metavar="FILE", help="tidy scores; ends in .csv, .tsv, .jsonl or .parquet")
    options.add_quiet(output)


def _run(arguments: argparse.Namespace) -> int:
    from metassay.cli.progress import progress
    from metassay.cli.running import say
    from metassay.core.files import check_writable
    from metassay.readers import write
    from metassay.scorers.cache import default_path
    from metassay.scorers.registry import make_scorers
    from metassay.scorers.scoring import score

    if arguments.metric is None:
        raise UsageError("no metric given; name some with --metric, and see them with: metassay metrics")
    if arguments.output is None:
        raise UsageError("no file to write to; name one with -o FILE")
    for name in arguments.files:
        if Path(name).exists() and Path(arguments.output).exists() and Path(name).samefile(arguments.output):
            raise UsageError(f"-o {one_line(arguments.output)!r} would overwrite the texts it reads")
    check_writable(arguments.output)
    scorers = make_scorers(arguments.metric)
    found = texts.read(arguments)
    cache = None if arguments.no_cache else arguments.cache or default_path()
    with progress(arguments.quiet):
        scores = score(found, scorers, cache=cache, processes=arguments.processes)
    write(scores, arguments.output)
    if not arguments.quiet:
        for line in scores.sources[len(found.provenance) :]:
            say(line)
        say(f"wrote {one_line(arguments.output)}")
    return 0


COMMAND = Command(
    about=(
        "Scores every output with every metric that is named and writes tidy scores, ready for the other commands. "
        "Scores are kept by content: a repeated run only scores what is new, and a run that was stopped goes on "
        "where it was. The file appears complete or not at all."
    ),
    examples=(
        "metassay score texts.jsonl --metric rouge,chrf -o scores.csv",
        "metassay score texts.jsonl --metric 'rouge[references=mean],length' -o scores.parquet",
    ),
    options=_options,
    run=_run,
)
