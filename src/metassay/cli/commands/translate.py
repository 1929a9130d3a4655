"""Translate texts into another language, and back.

Translates outputs, references and sources into another language and, with --back, into the first language again, to
check whether an evaluation still holds. Counts the words that the translator did not know. With a cache, an interrupted
run resumes.

    metassay translate texts.jsonl --to es -o spanish.jsonl
    metassay translate texts.jsonl --to ca --back again.jsonl --cache translations.db -o catalan.jsonl
    metassay translate texts.jsonl --to de --with marian --what outputs -o german.jsonl
    metassay translate texts.jsonl --to fr --with "command:mytool {from} {to}" -o french.jsonl
"""

from __future__ import annotations

import argparse

from metassay.cli import options, texts
from metassay.cli.parser import Parser
from metassay.errors import UsageError


def _options() -> options.Options:
    return {**options.of("translate"), **options.places()}


def add(parser: Parser) -> None:
    """Add the options."""
    texts.add_files(parser)
    options.add_flags(parser, "how to translate", {"--to LANG": "the language to translate into, such as es"})
    options.add(parser, _options())
    texts.add_output(parser)
    back = "also translate back into the first language, and write those texts to this file"
    options.add_flags(parser, "round trip", {"--back FILE": back})


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    from metassay.cli.progress import progress
    from metassay.texts.changes.translation import translate

    if arguments.to is None:
        raise UsageError("no language to translate into; name one with --to, such as --to es")
    form = texts.check_format(arguments)
    texts.check_target(arguments.output, "-o", texts.paths(arguments))
    if arguments.back is not None:
        texts.check_target(arguments.back, "--back", texts.paths(arguments))
    chosen = options.given(arguments, _options())
    found = texts.read(arguments)
    with progress(arguments.quiet):
        result = translate(found, to=arguments.to, back=arguments.back is not None, **chosen)
    texts.write(result.texts, arguments.output, arguments.quiet)
    if result.back is not None:
        texts.write(result.back, arguments.back, arguments.quiet)
    texts.summarise(result, form, arguments.quiet)
    return 0
