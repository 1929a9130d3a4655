"""``metassay leaderboard``: the options are the study's own; ``--language`` may name several."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from metassay.cli import options
from metassay.cli.parser import Parser
from metassay.cli.running import read_scores, run_study, tell_what_was_read
from metassay.errors import UsageError

if TYPE_CHECKING:
    from metassay.core.scores import Scores


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_study(parser, "leaderboard")


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    return run_study(arguments, "leaderboard", read_tasks)


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
        raise UsageError("several languages are read from files, each by itself; name at least one file or folder")
    given = options.given(arguments, options.of("read"), leave_out=("language",))
    found = readers.read_tasks(*arguments.files, language=language, metric=arguments.metric or (), **given)
    for task, scores in found.items():
        wanted = {"human": arguments.human, "lower_is_better": arguments.lower_is_better}
        known = {key: named_in({task: scores}, each or (), "column", missing_ok=True) for key, each in wanted.items()}
        found[task] = scores.declare(**known)
        tell_what_was_read(found[task], arguments.quiet)
    return found
