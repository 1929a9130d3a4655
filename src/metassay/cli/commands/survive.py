"""``metassay survive``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.core.vocabulary import names
from metassay.errors import UnknownName, UsageError, one_line

if TYPE_CHECKING:
    from metassay.core.scores import Scores

DEFAULTS = {
    "by": "language",
    "level": "global",
    "coefficient": "kendall-c",
    "test": "tost,anderson-hauck",
    "margin": 0.05,
    "margin-kind": "constant,sd,range",
    "resample": "both",
    "aggregate": "max",
    "alpha": 0.05,
    "correction": "by",
    "p": "plus-one",
    "confidence": 0.95,
    "resamples": 10_000,
    "seed": 0,
}
COMPARED = ("by", "baseline")
STATISTICS = (
    "one-level",
    "coefficient",
    "equivalence-tests",
    "margin",
    "margin-kind",
    "resample",
    "aggregate",
    "alpha",
    "correction",
    "p",
    "confidence",
    "resamples",
    "seed",
    "threads",
)
KNOWN = ("language", "annotator", "reference", "metric", "human")
"""What can be compared without a column of its own in the tables."""


def _options(parser: Parser) -> None:
    options.add_files(parser)
    options.add(parser, "what to compare", COMPARED, DEFAULTS)
    options.add(parser, "statistics", STATISTICS, DEFAULTS)
    options.add_output(parser, "survive")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.cli.progress import progress
    from metassay.cli.running import Output
    from metassay.studies.survive import survive

    chosen = options.given(arguments, ("human", "metric", "references", *COMPARED, *STATISTICS))
    parts = _labelled(arguments.files)
    arguments.files = [path for paths in parts.values() for path in paths]
    output = Output.of(arguments, "survive")
    scores = _read(arguments, parts)
    with progress(arguments.quiet):
        result = survive(scores, **chosen)
    output.put(result)
    return 0


def _labelled(files: list[str]) -> dict[str, list[str]]:
    """Return files by label; LABEL=FILE has one, unless there is a file of that whole name."""
    found: dict[str, list[str]] = {}
    for name in files:
        label, equals, path = name.partition("=")
        if equals and not Path(name).exists():
            if not label or not path:
                raise UsageError(
                    f"a file with a label is written LABEL=FILE, such as es=spanish.csv, got {one_line(name)!r}"
                )
            found.setdefault(label, []).append(path)
        else:
            found.setdefault("", []).append(name)
    return found


def _read(arguments: argparse.Namespace, parts: dict[str, list[str]]) -> Scores:
    """Read files that carry a label one label at a time, and put them beside each other."""
    from metassay.cli.running import describe, read_scores, say
    from metassay.core.stacking import stacked
    from metassay.readers import read

    if not any(parts):
        arguments.by_column = arguments.by if arguments.by not in (None, *KNOWN) else None
        return read_scores(arguments)
    if "-" in arguments.files:
        raise UsageError("stdin cannot be read beside files with a label")
    found = {}
    for label, paths in parts.items():
        scores = read(*paths, format=arguments.input_format, language=arguments.language)
        # Told before they are put together: a criterion that says the same in all files is shared by all.
        found[label] = scores.declare(human=_present(scores, arguments.human or ()))
    shared = found.pop("", None)
    scores = stacked(found, shared)
    scores = scores.declare(human=arguments.human or (), lower_is_better=arguments.lower_is_better or ())
    if not arguments.quiet:
        say(describe(scores))
    return scores


def _present(scores: Scores, patterns: Iterable[str]) -> list[str]:
    """Return the names and globs that stand for something in these scores."""
    found: list[str] = []
    for pattern in (name for text in patterns for name in ([text] if text in scores.columns else names(text))):
        try:
            found += scores.find(pattern)
        except UnknownName:
            continue
    return found


COMMAND = Command(
    about=(
        "Tests whether a metric agrees with people in another language as well as it does in the first, so that human "
        "judgments can be used again: two one-sided tests by bootstrap and the Anderson-Hauck test, with a constant "
        "margin and with margins from how much single annotators differ. Also tells how much conclusions depend on the "
        "margin, and whether the better metric stays the better one. Give the scores of each language as LANG=FILE, "
        "a round trip as LANG-back=FILE, or all in one file with a language column. With --by, the same question of "
        "two metrics, two versions of a judge, or two groups of annotators: are they interchangeable?"
    ),
    examples=(
        "metassay survive en=english.csv es=spanish.csv es-back=again.csv human.jsonl",
        "metassay survive scores.csv --human relevance --baseline en --margin-kind sd --resample points",
        "metassay survive judges.csv --human rating --by version --baseline v1 --margin 0.03",
        "metassay survive scores.csv --human relevance --by metric --baseline judge-large --view list",
    ),
    options=_options,
    run=_run,
)
