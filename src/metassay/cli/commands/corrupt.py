"""Corrupt texts on purpose, to test a metric.

Corrupts the outputs of systems in one way and writes the new texts: verbs in their dictionary form (fluency), sentences
in random order (coherence), persons replaced by other persons of the source (consistency), and more. A metric that
measures the criterion should react. Probes, such as padding or another format, leave the quality unchanged: a judge
should not react. The random numbers of a text depend on that text alone, so it is changed in the same way whatever
other texts there are.

    metassay corrupt texts.jsonl --kind shuffle -o shuffled.jsonl
    metassay corrupt texts.jsonl --kind swap-persons --changes changes.jsonl -o swapped.jsonl
    metassay corrupt texts.jsonl --kind lemmatize --rate 0.5 --system M11 -o corrupted.jsonl
"""

from __future__ import annotations

import argparse
import json

from metassay.cli import options, texts
from metassay.cli.parser import Parser
from metassay.errors import UsageError, one_line


def add(parser: Parser) -> None:
    """Add the options."""
    from metassay.texts.changes.kinds import KINDS

    texts.add_files(parser)
    options.add_flags(parser, "what to corrupt", {"--kind KIND": f"kind of change: {', '.join(KINDS)}"})
    options.add(parser, options.of("corrupt"))
    texts.add_output(parser)
    told = {"--changes FILE": "write every change as JSON lines: system, input, position, before, after"}
    options.add_flags(parser, "record", told)


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from metassay.cli.progress import progress
    from metassay.cli.running import tell_written
    from metassay.core.files import write_text
    from metassay.texts.changes.corruptions import corrupt
    from metassay.texts.changes.kinds import KINDS

    if arguments.kind is None:
        raise UsageError(f"no kind of corruption given; choose one with --kind: {', '.join(KINDS)}")
    form = texts.check_format(arguments)
    texts.check_target(arguments.output, "-o", texts.paths(arguments))
    if arguments.changes is not None:
        texts.check_target(arguments.changes, "--changes", texts.paths(arguments))
        if not arguments.changes.endswith(".jsonl"):
            raise UsageError(f"--changes {one_line(arguments.changes)!r} must end in .jsonl")
    chosen = options.given(arguments, options.of("corrupt"))
    if "systems" in chosen:
        chosen["systems"] = ",".join(chosen["systems"])
    found = texts.read(arguments)
    with progress(arguments.quiet):
        result = corrupt(found, arguments.kind, **chosen)
    texts.write(result.texts, arguments.output, arguments.quiet)
    if arguments.changes is not None:
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in result.change_rows())
        write_text(arguments.changes, "".join(lines))
        tell_written(arguments.changes, arguments.quiet)
    texts.summarise(result, form, arguments.quiet)
    return 0
