"""What should people judge next?

Writes outputs, or pairs of outputs, into one page that works offline. Annotators open it in a browser and rate, label
or compare outputs with the keyboard. They do not see the names of systems, each sees a different order, and nothing is
lost when the tab is closed. The answers are saved as JSON lines that metassay reads. Send the same page to several
people.

    metassay sheet judge.csv --ask label --criterion verdict --answers fail,pass --n 100 -o sheet.html
    metassay sheet judge.csv --choose disagreement --metric strict-judge,kind-judge -o sheet.html
    metassay sheet texts.jsonl --ask prefer -o sheet.html
    metassay sheet judge.csv --ask prefer --pairs close --metric strict-judge-grade -o sheet.html
    metassay sheet texts.jsonl --against shuffle=shuffled.jsonl -o sheet.html
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metassay.cli import options
from metassay.cli.parser import Parser
from metassay.errors import DataError, MetassayError, UsageError, listed

if TYPE_CHECKING:
    from metassay.core.scores import Scores
    from metassay.core.texts import Texts


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_flags(parser, "files", {"FILE...": "texts of outputs, or scores in a table with a column of texts"})
    options.add(parser, options.of("make_sheet"))
    told = (
        "other texts of the same systems and inputs, such as corrupted ones, to compare with; answers are votes that "
    )
    options.add_flags(parser, "what is shown", {"--against [KIND[@RATE]=]FILE": f"{told}downgrade --votes reads"})
    options.add(parser, options.reading())
    options.add_flags(parser, "output", {"-o --output FILE": "the page (default: sheet.html)", **options.QUIET})
    parser.set_defaults(output="sheet.html")


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from metassay.cli.running import check_page, say, spare_inputs, tell_written
    from metassay.core.files import check_writable
    from metassay.readers.texts import read_texts
    from metassay.report.sheet.making import make_sheet

    if not arguments.files:
        raise UsageError("no file given; name at least one file with texts of outputs")
    check_page(arguments.output)
    spare_inputs(arguments.output, arguments.files)
    check_writable(arguments.output)
    given: dict[str, Any] = options.given(arguments, options.of("make_sheet"))
    if arguments.against is not None:
        kind, _, path = arguments.against.rpartition("=")
        whole = Path(arguments.against).exists()
        given["against"] = read_texts(arguments.against if whole else path)
        given |= {"damage": kind} if kind and not whole else {}
    made = make_sheet(_read(arguments), arguments.output, **given)
    tell_written(arguments.output, arguments.quiet)
    if not arguments.quiet:
        say(f"{len(made.items)} tasks{f', chosen by {listed(made.judges)}' if made.judges else ''}")
    return 0


def _read(arguments: argparse.Namespace) -> Scores | Texts:
    """Read scores with texts, or else texts alone."""
    from metassay.readers import read
    from metassay.readers.texts import read_texts

    names: dict[str, object] = {"human": arguments.human or (), "metric": arguments.metric or ()}
    try:
        scores = read(*arguments.files, **names, **options.given(arguments, options.of("read")))  # type: ignore[arg-type]
    except DataError as error:
        try:
            return read_texts(*arguments.files)
        except MetassayError:
            raise error from None
    return scores if scores.attributes else read_texts(*arguments.files)
