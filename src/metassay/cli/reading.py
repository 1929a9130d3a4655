"""What commands of studies read where that is not one table of scores: votes, tasks, files by label, or nothing."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metassay.cli import options
from metassay.cli.running import read_scores, read_votes_or_scores, run_study, tell_what_was_read
from metassay.core.vocabulary import names
from metassay.errors import UnknownName, UsageError, one_line

if TYPE_CHECKING:
    from metassay.core.scores import Scores

KNOWN = ("language", "annotator", "reference", "metric", "human")
"""What can be compared without a column of its own in the tables."""
FILES = {"rank": "votes (two systems and a winner) or scores in any known format; - is stdin"}
"""What the files of a command may hold, if that is not scores."""


# -- tasks --------------------------------------------------------------------------------------


def read_tasks(arguments: argparse.Namespace) -> Scores | dict[str, Scores]:
    """Read the files, or each of several languages by itself."""
    language = arguments.language
    if language is None or not ("*" in language or "," in language):
        return read_scores(arguments)
    from metassay import readers
    from metassay.studies.tasks import named_in

    if arguments.by is not None:
        raise UsageError("--by and several languages both name tasks; give one of them")
    if not arguments.files or "-" in arguments.files:
        raise UsageError("several languages need files; name at least one file or folder")
    given = options.given(arguments, options.of("read"), leave_out=("language",))
    found = readers.read_tasks(*arguments.files, language=language, metric=arguments.metric or (), **given)
    for task, scores in found.items():
        wanted = {"human": arguments.human, "lower_is_better": arguments.lower_is_better}
        known: dict[str, Any] = {
            key: named_in({task: scores}, each or (), "column", missing_ok=True) for key, each in wanted.items()
        }
        found[task] = scores.declare(**known)
        if found[task].humans:  # no file need hold every language; tasks that nobody judged have a note of the study
            tell_what_was_read(found[task], arguments.quiet, but="file-of-other-language")
    return found


def _read_each(arguments: argparse.Namespace, parts: dict[str, list[str]]) -> dict[str, Scores]:
    """Read the files of each task by themselves."""
    from metassay.readers import read

    if "" in parts:
        raise UsageError("some files have a task and some have none; write TASK=FILE for all of them")
    found = {}
    for task, paths in parts.items():
        found[task] = read(*paths, **options.given(arguments, options.of("read")))
        tell_what_was_read(found[task], arguments.quiet)
    return found


# -- labels -------------------------------------------------------------------------------------


def labelled(arguments: argparse.Namespace) -> dict[str, list[str]]:
    """Take the labels off the files and return these by label; LABEL=FILE has one, unless a file is called so."""
    found: dict[str, list[str]] = {}
    for name in arguments.files:
        label, equals, path = name.partition("=")
        if equals and not Path(name).exists():
            if not label or not path:
                raise UsageError(
                    f"a file with a label is written LABEL=FILE, such as es=spanish.csv, got {one_line(name)!r}"
                )
            found.setdefault(label, []).append(path)
        else:
            found.setdefault("", []).append(name)
    arguments.files = [path for paths in found.values() for path in paths]
    return found


def read_by(arguments: argparse.Namespace, parts: dict[str, list[str]]) -> Scores:
    """Read files that carry a label one label at a time, and put them beside each other."""
    from metassay.core.stacking import stacked
    from metassay.readers import read

    if not any(parts):
        return read_scores(arguments, by=arguments.by if arguments.by not in (None, *KNOWN) else None)
    if "-" in arguments.files:
        raise UsageError("stdin (-) cannot be combined with LABEL=FILE")
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


# -- commands -----------------------------------------------------------------------------------


def _differences(arguments: argparse.Namespace) -> int:
    parts = labelled(arguments)
    return run_study(arguments, "differences", partial(_read_each, parts=parts) if any(parts) else read_tasks)


def _worlds(arguments: argparse.Namespace) -> int:
    """Fit worlds to the files, or without any draw those of the grid."""
    for name in ("human", "metric"):
        if not arguments.files and getattr(arguments, name) is not None:
            raise UsageError(f"--{name} cannot be used without a file; simulated populations are used then")
    return run_study(arguments, "simulate_size", None if arguments.files else lambda _: None)


RUNS: dict[str, Callable[[argparse.Namespace], int]] = {
    "rank": partial(run_study, verb="rank", read=read_votes_or_scores),
    "leaderboard": partial(run_study, verb="leaderboard", read=read_tasks),
    "differences": _differences,
    "survive": lambda arguments: run_study(arguments, "survive", partial(read_by, parts=labelled(arguments))),
    "simulate_size": _worlds,
}
"""What runs a study that reads something else than one table of scores."""
