"""Declared options as flags of the command line, and back to what studies take."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from functools import cache
from keyword import iskeyword
from typing import Any, get_args

from metassay import HOMES
from metassay.charts.chart import KINDS, SUFFIXES
from metassay.cli.parser import Parser
from metassay.core.option import Option
from metassay.core.options import LowerIsBetter
from metassay.core.study import Declared, read_declaration
from metassay.core.study import places as places
from metassay.core.study import slicing as slicing
from metassay.errors import UsageError
from metassay.report.formats import FORMATS as OUTPUT_FORMATS
from metassay.report.views import names_of

Options = Mapping[str, Declared]
"""Options by the names they have in Python."""
LOWER_IS_BETTER: Option = get_args(LowerIsBetter)[1]


@cache
def of(verb: str) -> Options:
    """Return the options of a public verb, read from its source."""
    return read_declaration(HOMES[verb], verb).options


def taken_by(verb: str) -> Options:
    """Return the options of a study of scores: its own, and slices."""
    return {**of(verb), **slicing(of(verb))}


def reading() -> Options:
    """Return the options that say how files are read."""
    return {"lower_is_better": Declared(LOWER_IS_BETTER, None), **of("read")}


def _number(text: str) -> int | float:
    """Return a number; whether it must be whole or a fraction is for the option to say."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise argparse.ArgumentTypeError(f"must be a number, got {text!r}")


def _flag(name: str, option: Option) -> str:
    return option.flag or name.replace("_", "-")


def _dest(name: str, option: Option) -> str:
    """Return where argparse keeps it: ``format`` is that of the output, and ``format_`` that of the files."""
    return name if option.flag is None else f"{name}_"


def add(parser: Parser, options: Options) -> None:
    """Add options under their headings; those with one heading stand together."""
    for title in dict.fromkeys(each.option.group for each in options.values()):
        group = parser.group(title)
        for name, each in options.items():
            option = each.option
            if option.group != title:
                continue
            settings: dict[str, Any] = {
                "dest": _dest(name, option),
                "help": option.text(each.default).replace("%", "%%"),
            }
            if option.switch:
                # What is a denial already needs no form that denies it.
                denial = _flag(name, option).startswith("no-")
                settings |= {"action": "store_true" if denial else argparse.BooleanOptionalAction, "default": None}
                if each.default is True and not denial:
                    settings["help"] = f"do not {settings['help']}"  # help shows the form that changes something
            else:
                settings["metavar"] = option.metavar
                if option.repeated:
                    settings["action"] = "append"
                if option.number:
                    settings["type"] = _number
            added = group.add_argument(f"--{_flag(name, option)}", **settings)
            added.usual = each.default is True
            if option.alias is not None:
                group.add_argument(f"--{option.alias}", **{**settings, "dest": option.alias, "help": argparse.SUPPRESS})


KINDS_OF_VALUES: Mapping[str, type] = {"N": int, "X": float, "MB": float, "MINUTES": float}
"""Values that are numbers, by what stands for them in the help."""


def add_flags(parser: Parser, title: str, flags: Mapping[str, str]) -> None:
    """Add flags under a heading, each as it is used, with its help.

    ``--metric NAME...`` can be repeated, ``--max-references N`` takes a number, ``--trust`` is a switch, and
    ``FILE...`` are the arguments without a flag.
    """
    group = parser.group(title)
    for use, text in flags.items():
        *names, value = use.split() if not use.split()[-1].startswith("-") else (*use.split(), "")
        settings: dict[str, Any] = {"help": text.replace("%", "%%")}
        if not names:
            group.add_argument("files", nargs="*", metavar=value.removesuffix("..."), **settings)
            continue
        name = names[-1].removeprefix("--").replace("-", "_")
        settings["dest"] = f"{name}_" if iskeyword(name) else name
        if not value:
            settings["action"] = "store_true"
        else:
            settings |= {"metavar": value.removesuffix("..."), "type": KINDS_OF_VALUES.get(value, str)}
            if value.endswith("..."):
                settings["action"] = "append"
        group.add_argument(*names, **settings)


SCORES = "scores in any known format, plain or gzip; several files merge on system and input; - is stdin"


def add_study(parser: Parser, verb: str, files: str = SCORES) -> None:
    """Add everything that a study of scores takes: files, its own options, where it runs, and where its result goes."""
    add_files(parser, verb, files)
    add(parser, slicing(of(verb)))
    add(parser, places())
    add_output(parser, verb.replace("_", "-"))


def add_files(parser: Parser, verb: str, files: str = SCORES) -> None:
    """Add the files to read, what is in them, and the options of the study."""
    add_flags(parser, "files", {"FILE...": files})
    own = of(verb)
    studied = {name: each for name, each in own.items() if each.option.group == "what to study"}
    add(parser, {**studied, **reading(), **own})


SAFE_CSV = {
    "--safe-csv": "in CSV, put an apostrophe before text that starts with =, +, - or @, which spreadsheets would run"
}
FULL = {"--full": "show all rows, tables and notes, not only what fits a screen"}
QUIET = {"-q --quiet": "print only results and errors"}


def add_output(parser: Parser, study: str | None = None) -> None:
    """Add where the result of a study goes, and in which form; without a study, that of any."""
    kinds = [kind for each in (KINDS if study is None else [study]) for kind in KINDS.get(each, ())]
    views, drawn = "depends on the study", "depends on the study"
    if study is not None:
        views, drawn = ", ".join(names_of(study)), f"{', '.join(kinds)} (default: {kinds[0] if kinds else ''})"
    flags = {
        "--format FORMAT": f"{', '.join(OUTPUT_FORMATS)} (default: table, or by the ending of -o)",
        "-o --output FILE": "write to a file instead of stdout",
    }
    if kinds:
        flags["--figure FILE"] = f"also draw a figure: a file that ends in {', '.join(SUFFIXES)}"
        flags["--figure-width WIDTH"] = (
            "column (240 points) or page (505) of a paper, or a number of points; text has at least 7 points"
        )
    if len(kinds) > 1:
        flags["--figure-kind KIND"] = f"which figure: {drawn}"
    flags["--view VIEW"] = f"which tables to show: {views} (default: depends on the size)"
    flags["--rows NAME"] = "which table of the result to write as CSV; an unknown name lists all"
    add_flags(parser, "output", {**flags, **FULL, **SAFE_CSV, **QUIET})


def given(arguments: argparse.Namespace, options: Options, leave_out: Iterable[str] = ()) -> dict[str, Any]:
    """Return the options that were given, checked, under the names they have in Python.

    What was not given is left out, so that defaults live in one place: the signature of the study.
    """
    found = {}
    for name, each in options.items():
        value = getattr(arguments, _dest(name, each.option), None)
        former = None if each.option.alias is None else getattr(arguments, each.option.alias, None)
        if former is not None:
            if value is not None:
                raise UsageError(f"--{name} and --{each.option.alias} are two names of one option; give one of them")
            value = former
        if value is not None and name not in leave_out:
            each.option.take(name, value, each.default)
            found[name] = value
    return found
