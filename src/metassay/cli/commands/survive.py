"""``metassay survive``: the options are the study's own, and what reading needs."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from metassay.cli import options
from metassay.cli.parser import Parser
from metassay.cli.running import read_scores, run_study, tell_what_was_read
from metassay.core.vocabulary import names
from metassay.errors import UnknownName, UsageError, one_line

if TYPE_CHECKING:
    from metassay.core.scores import Scores

KNOWN = ("language", "annotator", "reference", "metric", "human")
"""What can be compared without a column of its own in the tables."""


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_study(parser, "survive")


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    parts = labelled(arguments.files)
    arguments.files = [path for paths in parts.values() for path in paths]
    return run_study(arguments, "survive", partial(read_by, parts=parts))


def labelled(files: list[str]) -> dict[str, list[str]]:
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


def read_by(arguments: argparse.Namespace, parts: dict[str, list[str]]) -> Scores:
    """Read files that carry a label one label at a time, and put them beside each other."""
    from metassay.core.stacking import stacked
    from metassay.readers import read

    if not any(parts):
        return read_scores(arguments, by=arguments.by if arguments.by not in (None, *KNOWN) else None)
    if "-" in arguments.files:
        raise UsageError("stdin cannot be read beside files with a label")
    found = {}
    for label, paths in parts.items():
        scores = read(*paths, **options.given(arguments, options.of("read")))
        # Told before they are put together: a criterion that says the same in all files is shared by all.
        found[label] = scores.declare(human=_present(scores, arguments.human or ()))
    shared = found.pop("", None)
    scores = stacked(found, shared)
    scores = scores.declare(human=arguments.human or (), lower_is_better=arguments.lower_is_better or ())
    tell_what_was_read(scores, arguments.quiet)
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
