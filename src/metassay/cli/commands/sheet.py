"""What shall people judge next?

Writes outputs, or pairs of outputs, into one page that works offline. A person opens it in a browser and rates, labels
or compares by keyboard: without names of systems, in an order of their own, and nothing is lost when the tab closes.
The answers are saved as JSON lines that metassay reads back. Send the same page to several people.

    metassay sheet scores.csv --ask label --criterion verdict --answers fail,pass --n 100 -o sheet.html
    metassay sheet scores.csv --choose disagreement --metric judge-a,judge-b -o sheet.html
    metassay sheet texts.jsonl --ask prefer -o sheet.html
    metassay sheet scores.csv --ask prefer --pairs close --metric rouge-1 -o sheet.html
    metassay sheet texts.jsonl --against shuffle=shuffled.jsonl -o sheet.html
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from metassay.cli import options
from metassay.cli.parser import Parser
from metassay.core import vocabulary
from metassay.errors import DataError, MetassayError, UsageError

if TYPE_CHECKING:
    from metassay.core.scores import Scores
    from metassay.core.texts import Texts


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_flags(parser, "files", {"FILE...": "texts of outputs, or scores in a table with a column of texts"})
    options.add_flags(
        parser,
        "what is asked",
        {
            "--ask WHAT": "rate, label or prefer (default: rate; prefer with --against)",
            "--criterion NAME": "what is judged; the column of the answers (default: quality)",
            "--answers LIST": "what to choose from, a comma list (default: 1,2,3,4,5; fail,pass for label)",
            "--title TEXT": "heading of the page",
            "--instructions TEXT": "what people read first",
        },
    )
    options.add_flags(
        parser,
        "what is shown",
        {
            "--n N": "number of outputs or pairs (default: 50)",
            "--choose HOW": f"which outputs: {', '.join(vocabulary.LABEL_CHOICES)} (default: random)",
            "--pairs HOW": "which pairs of systems: random, or close by a metric (default: random)",
            "--metric NAME...": "metrics or judges that the choice looks at",
            "--human NAME...": "columns with human judgments; outputs that have one are not shown again",
            "--against [KIND[@RATE]=]FILE": "other texts of the same systems and inputs, such as corrupted "
            "ones, to compare with; answers are votes that downgrade takes",
            "--text COLUMN": "column with the texts of outputs (default: by its name)",
            "--context COLUMN": "column with what they answer (default: by its name)",
            "--seed N": "seed of the random choice (default: 0)",
        },
    )
    options.add(parser, options.reading())
    options.add_flags(parser, "output", {"-o --output FILE": "the page (default: sheet.html)", **options.QUIET})
    parser.set_defaults(output="sheet.html")


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from metassay.cli.running import say, spare_inputs, tell_written
    from metassay.core.files import check_writable
    from metassay.readers.texts import read_texts
    from metassay.report.sheet.making import make_sheet

    if not arguments.files:
        raise UsageError("no file given; name at least one file with texts of outputs")
    spare_inputs(arguments.output, arguments.files)
    check_writable(arguments.output)
    names = ("criterion", "answers", "n", "choose", "pairs", "metric", "human", "text", "context", "title", "seed")
    given = {name: getattr(arguments, name) for name in (*names, "instructions")}
    given["ask"] = arguments.ask or ("prefer" if arguments.against else None)
    if arguments.against is not None:
        kind, _, path = arguments.against.rpartition("=")
        whole = Path(arguments.against).exists()
        given["against"] = read_texts(arguments.against if whole else path)
        given["damage"] = None if whole else kind or None
    made = make_sheet(_read(arguments), arguments.output, **{k: v for k, v in given.items() if v is not None})
    tell_written(arguments.output, arguments.quiet)
    if not arguments.quiet:
        say(f"{len(made.items)} tasks")
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
