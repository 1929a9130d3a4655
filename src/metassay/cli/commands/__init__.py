"""The commands. Those of studies are derived from what the studies declare; the others are modules here.

The docstring of the module, of a study or of a command, holds its question, a paragraph about it, and command lines
that work.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from importlib.util import find_spec

from metassay import HOMES
from metassay.cli import options
from metassay.cli.parser import Command, Family
from metassay.cli.reading import FILES, RUNS
from metassay.cli.running import run_study
from metassay.core.study import read_declaration, read_question

GROUPS = {
    "metrics: agreement with people": (
        *("look", "agree", "compare", "leaderboard", "criteria", "composite", "reliability", "normality"),
    ),
    "judges and labels": ("judge", "bias", "estimate", "plan-labels", "sheet", "drift"),
    "systems: votes, rankings, score differences": (
        *("rank", "systems", "decisions", "pairs", "differences", "stability", "precision", "difficulty", "profile"),
    ),
    "planning and checking methods": ("plan", "widths", "simulate"),
    "texts": ("metrics", "score", "corrupt", "downgrade", "translate", "survive"),
    "all of it, examples and public data": ("report", "serve", "show", "demo", "example", "datasets", "reproduce"),
}
"""Every command by what people want to do, in the order of the overview."""
COMMANDS = tuple(name for names in GROUPS.values() for name in names)
"""Every command."""


def load(name: str) -> Command | Family:
    """Return a command by name; a part of a family is called ``family-part``."""
    verb = name.replace("-", "_")
    declared = read_declaration(_declaring(verb))
    own = f"{__name__}.{verb}"
    if find_spec(own) is None:
        study = partial(options.add_study, verb=verb, files=FILES.get(verb, options.SCORES))
        return Command(declared.about, declared.examples, study, RUNS.get(verb, partial(run_study, verb=verb)))
    module = import_module(own)
    if hasattr(module, "PARTS"):
        return Family(declared.about, declared.examples, {part: question(f"{name}-{part}") for part in module.PARTS})
    usage = getattr(module, "USAGE", "FILE... [options]")
    return Command(declared.about, declared.examples, module.add, module.run, usage)


def question(name: str) -> str:
    """Return the question that a command answers."""
    asked = read_question(_declaring(name.replace("-", "_")))
    return asked[0].lower() + asked[1:].removesuffix(".")


def _declaring(verb: str) -> str:
    """Return the module that says what a command is about: that of the study, or its own."""
    home = HOMES.get(verb, "")
    return home if home.startswith("metassay.studies.") else f"{__name__}.{verb}"
