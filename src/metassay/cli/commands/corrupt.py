"""``metassay corrupt``."""

from __future__ import annotations

import argparse
import json

from metassay.cli import options, texts
from metassay.cli.parser import Command, Parser
from metassay.errors import UsageError, one_line

KINDS = ("lemmatize", "shuffle", "swap-persons", "drop-words", "repeat", "negate", "swap-numbers", "truncate")


def _options(parser: Parser) -> None:
    texts.add_files(parser)
    group = parser.add_argument_group("what to damage")
    group.add_argument("--kind", metavar="KIND", help=f"what to do: {', '.join(KINDS)}")
    group.add_argument("--system", action="append", metavar="NAME", help="systems to damage: names or comma lists")
    group.add_argument(
        "--backend",
        default="built-in",
        metavar="NAME",
        help="who finds sentences, verbs and persons: built-in, or spacy:PIPELINE by name or path (default: built-in)",
    )
    options.add(parser, "how much, and where", ("rate", "seed"), {"seed": 0})
    texts.add_output(parser)
    parser.add_argument_group("record").add_argument(
        "--changes", metavar="FILE", help="write every change as JSON lines: system, input, position, before, after"
    )


def _run(arguments: argparse.Namespace) -> int:
    from metassay.cli.progress import progress
    from metassay.cli.running import say
    from metassay.core.files import write_text
    from metassay.texts.changes.corruptions import corrupt

    if arguments.kind is None:
        raise UsageError(f"no kind of damage given; choose one with --kind: {', '.join(KINDS)}")
    form = texts.check_format(arguments)
    texts.check_target(arguments.output, "-o", texts.paths(arguments))
    if arguments.changes is not None:
        texts.check_target(arguments.changes, "--changes", texts.paths(arguments))
        if not arguments.changes.endswith(".jsonl"):
            raise UsageError(f"--changes {one_line(arguments.changes)!r} must end in .jsonl")
    chosen = options.given(arguments, ("rate", "seed", "backend"))
    if arguments.system is not None:
        chosen["systems"] = ",".join(arguments.system)
    found = texts.read(arguments)
    with progress(arguments.quiet):
        result = corrupt(found, arguments.kind, **chosen)
    texts.write(result.texts, arguments.output, arguments.quiet)
    if arguments.changes is not None:
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in result.change_rows())
        write_text(arguments.changes, "".join(lines))
        if not arguments.quiet:
            say(f"wrote {one_line(arguments.changes)}")
    texts.summarise(result, form, arguments.quiet)
    return 0


COMMAND = Command(
    about=(
        "Damages the outputs of systems in one way and writes the new texts: verbs to their dictionary form "
        "(fluency), sentences shuffled (coherence), persons replaced by other persons of the source (consistency), "
        "and more. A metric that measures the criterion must notice. Each text has random numbers of its own, so it "
        "is damaged in the same way whatever other texts there are."
    ),
    examples=(
        "metassay corrupt texts.jsonl --kind shuffle -o shuffled.jsonl",
        "metassay corrupt texts.jsonl --kind swap-persons --changes changes.jsonl -o swapped.jsonl",
        "metassay corrupt texts.jsonl --kind lemmatize --rate 0.5 --system M11 -o damaged.jsonl",
    ),
    options=_options,
    run=_run,
)
