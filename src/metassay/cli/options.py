"""Declared options as flags of the command line, and back to what studies take."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, get_args

from metassay import HOMES
from metassay.charts.chart import KINDS, SUFFIXES
from metassay.cli.parser import Parser
from metassay.core.option import Option
from metassay.core.options import LowerIsBetter
from metassay.core.study import Declared, read_declaration
from metassay.core.study import places as places
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
                settings |= {"action": argparse.BooleanOptionalAction, "default": None}
            else:
                settings["metavar"] = option.metavar
                if option.repeated:
                    settings["action"] = "append"
                if option.number:
                    settings["type"] = _number
            group.add_argument(f"--{_flag(name, option)}", **settings)
            if option.alias is not None:
                group.add_argument(f"--{option.alias}", **{**settings, "dest": option.alias, "help": argparse.SUPPRESS})


def add_study(parser: Parser, verb: str) -> None:
    """Add everything that a study of scores takes: files, its own options, where it runs, and where its result goes."""
    add_files(parser, verb)
    add(parser, places())
    add_output(parser, verb.replace("_", "-"))


def add_files(parser: Parser, verb: str) -> None:
    """Add the files to read, what is in them, and the options of the study."""
    files = parser.group("files")
    files.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="scores in any known format, plain or gzip; several files merge on system and input; - is stdin",
    )
    own = of(verb)
    studied = {name: each for name, each in own.items() if each.option.group == "what to study"}
    add(parser, {**studied, **reading(), **own})


def add_output(parser: Parser, study: str | None = None) -> None:
    """Add where the result of a study goes, and in which form; without a study, that of any."""
    group = parser.group("output")
    group.add_argument(
        "--format", metavar="FORMAT", help=f"{', '.join(OUTPUT_FORMATS)} (default: table, or what -o ends in)"
    )
    group.add_argument("-o", "--output", metavar="FILE", help="write to a file instead of stdout")
    kinds = [kind for each, own in KINDS.items() if study in (each, None) for kind in own]
    views = "depends on the study" if study is None else ", ".join(names_of(study))
    if kinds:
        group.add_argument(
            "--figure", metavar="FILE", help=f"also draw a figure: a file that ends in {', '.join(SUFFIXES)}"
        )
    if len(kinds) > 1:
        shown = "depends on the study" if study is None else f"{', '.join(kinds)} (default: {kinds[0]})"
        group.add_argument("--figure-kind", metavar="KIND", help=f"which figure: {shown}")
    group.add_argument("--view", metavar="VIEW", help=f"what to show: {views} (default: what suits the size)")
    group.add_argument(
        "--rows", metavar="NAME", help="which table of the result to write as CSV; an unknown name lists all"
    )
    add_safe_csv(group)
    add_quiet(group)


def add_safe_csv(group: Any) -> None:  # noqa: ANN401 - argparse does not export the type of its groups
    """Add the switch for CSV that goes to a spreadsheet."""
    group.add_argument(
        "--safe-csv",
        action="store_true",
        help="in CSV, put an apostrophe before text that begins with =, +, - or @: spreadsheets would run it",
    )


def add_quiet(group: Any) -> None:  # noqa: ANN401 - argparse does not export the type of its groups
    """Add the switch that silences everything but results and errors."""
    group.add_argument("--quiet", "-q", action="store_true", help="say nothing but results and errors")


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
