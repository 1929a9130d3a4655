"""From files of texts to new files of texts: what the commands that change texts do alike."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metassay.cli.options import QUIET, add_flags
from metassay.cli.parser import PLAIN, Parser
from metassay.errors import UsageError, one_line

if TYPE_CHECKING:
    from metassay.core.corpus import CorpusScores
    from metassay.core.result import Result
    from metassay.core.texts import Texts

SUFFIXES = (".jsonl", ".csv", ".tsv")
NO_CACHE = {"--no-cache": "neither read nor write the cache of scores"}


def add_files(parser: Parser) -> None:
    """Add the files of texts to read."""
    text = "texts: tables with system, input, output (and source, reference), SummEval's file, and others; several "
    add_flags(parser, "files", {"FILE...": f"{text}files merge"})
    add_plain(parser)


def add_plain(parser: Parser) -> None:
    """Add plain text files, a line for each text."""
    add_flags(
        parser,
        PLAIN,
        {
            "--parallel NAME=FILE...": "outputs of a system, one per line; one file per system (default NAME: that "
            "of the file)",
            "--reference FILE...": "references, one per line; may be repeated",
            "--source FILE": "sources, one per line",
        },
    )


def add_output(parser: Parser) -> None:
    """Add where the new texts go, and the form of the summary on stdout."""
    from metassay.report.formats import FORMATS

    flags = {"-o --output FILE": f"the new texts; ends in {', '.join(SUFFIXES)}"}
    flags["--format FORMAT"] = f"form of the summary: {', '.join(FORMATS)} (default: table)"
    add_flags(parser, "output", {**flags, **QUIET})


def check_target(path: str | None, option: str, files: list[str]) -> None:
    """Raise whatever is wrong with a file to be written, before any work is done."""
    from metassay.cli.running import spare_inputs
    from metassay.core.files import check_writable

    if path is None:
        raise UsageError(f"no file to write to; name one with {option} FILE")
    if not path.removesuffix(".gz").endswith(SUFFIXES):
        raise UsageError(f"{option} {one_line(path)!r} must end in {', '.join(SUFFIXES)}")
    spare_inputs(path, files, option)
    check_writable(path)


def paths(arguments: argparse.Namespace) -> list[str]:
    """Return every file that texts are read from."""
    parallel = [_named(text)[1] for text in arguments.parallel or ()]
    others = [*(arguments.reference or ()), *([arguments.source] if arguments.source is not None else [])]
    return [*arguments.files, *parallel, *others]


def read(arguments: argparse.Namespace) -> Texts:
    """Read and merge the files, and tell what was found."""
    from metassay.cli.running import say
    from metassay.readers.texts import read_texts

    # A command that asks for scores and texts names files in its own way, and has no plain ones.
    plain = [getattr(arguments, name, None) for name in ("parallel", "reference", "source")]
    if plain[0] is not None:
        texts = _read_parallel(arguments)
    elif any(one is not None for one in plain):
        raise UsageError("--reference and --source go with --parallel NAME=FILE, the outputs of a system")
    elif not arguments.files:
        raise UsageError("no file given; name at least one file with texts, or --parallel NAME=FILE")
    else:
        texts = read_texts(*arguments.files)
    if not arguments.quiet:
        known = [f"{len(texts.outputs):,} outputs"]
        known += [f"{len(texts.references):,} inputs with references"] if texts.references else []
        known += [f"{len(texts.sources):,} with sources"] if texts.sources else []
        say(f"read {len(texts.systems):,} systems × {len(texts.inputs):,} inputs: {', '.join(known)}")
    return texts


def _read_parallel(arguments: argparse.Namespace) -> Texts:
    from metassay.readers.texts import read_parallel

    if arguments.files:
        raise UsageError(
            f"name tables of texts or --parallel files, not both; got {one_line(arguments.files[0], 60)!r}"
        )
    outputs: dict[str, str] = {}
    for text in arguments.parallel:
        name, file = _named(text)
        if name in outputs:
            raise UsageError(f"--parallel names system {one_line(name, 60)!r} twice; write --parallel NAME=FILE")
        outputs[name] = file
    return read_parallel(outputs, references=arguments.reference or (), source=arguments.source)


def _named(text: str) -> tuple[str, str]:
    """Return the name of a system and its file; without a name, that of the file counts."""
    name, equals, file = text.partition("=")
    if equals and name and not Path(text).exists():
        return name, file
    return Path(text.removesuffix(".gz")).stem, text


def kept(arguments: argparse.Namespace, how: dict[str, Any]) -> dict[str, Any]:
    """Return how to score, with the file that keeps the scores: the user's, unless another or none is named."""
    from metassay.texts.scorers.cache import default_path

    return {**how, "cache": None if arguments.no_cache else how.get("cache") or default_path()}


def tell_corpus(found: CorpusScores, quiet: bool) -> None:
    """Say the scores of whole systems, and with which recipe."""
    from metassay.cli.running import say
    from metassay.report.notes import sentences

    for column in [] if quiet else found.columns.values():
        say(column.signature)
        for system, score in zip(found.systems, column.scores.tolist(), strict=True):
            # METEOR lies between 0 and 1, the others between 0 and 100
            say(f"  {one_line(system, 60)}: {score:.{4 if column.name == 'meteor' else 2}f}")
    for sentence in () if quiet else sentences(found.notes):
        say(sentence)


def write(texts: Texts, path: str, quiet: bool) -> None:
    """Write texts, and say so."""
    from metassay.cli.running import tell_written
    from metassay.readers.texts import write_texts

    write_texts(texts, path)
    tell_written(path, quiet)


def check_format(arguments: argparse.Namespace) -> str:
    """Return the form in which the summary is shown."""
    from metassay.report import formats

    return formats.choose(arguments.format, None)


def summarise(result: Result, form: str, quiet: bool) -> None:
    """Show what was done on stdout; nothing but a form that was asked for if it must be quiet."""
    from metassay.cli.running import put_bytes, show
    from metassay.report import formats

    if form != "table":
        put_bytes(formats.FORMATS[form](result))
    elif not quiet:
        show(result)
