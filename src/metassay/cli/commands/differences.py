"""``metassay differences``: the options are the study's own; a file may name its task, ``--language`` several."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from metassay.cli import options
from metassay.cli.commands.leaderboard import read_tasks
from metassay.cli.commands.survive import labelled
from metassay.cli.parser import Parser
from metassay.cli.running import run_study, tell_what_was_read
from metassay.errors import UsageError

if TYPE_CHECKING:
    from metassay.core.scores import Scores


def add(parser: Parser) -> None:
    """Add the options."""
    options.add_study(parser, "differences")


def run(arguments: argparse.Namespace) -> int:
    """Do what the options say."""
    parts = labelled(arguments.files)
    arguments.files = [path for paths in parts.values() for path in paths]
    return run_study(arguments, "differences", partial(_read, parts=parts) if any(parts) else read_tasks)


def _read(arguments: argparse.Namespace, parts: dict[str, list[str]]) -> dict[str, Scores]:
    """Read the files of each task by themselves."""
    from metassay.readers import read

    if "" in parts:
        raise UsageError("some files have a task and some have none; write TASK=FILE for all of them")
    found = {}
    for task, paths in parts.items():
        found[task] = read(*paths, **options.given(arguments, options.of("read")))
        tell_what_was_read(found[task], arguments.quiet)
    return found
