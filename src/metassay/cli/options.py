"""The options that commands share: declared once, checked by the same rules as in Python."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from metassay.cli.parser import Parser
from metassay.core import vocabulary
from metassay.readers import FORMATS as INPUT_FORMATS
from metassay.report.formats import FORMATS as OUTPUT_FORMATS
from metassay.report.views import names_of


def _number(text: str) -> int | float:
    """Return a number; whether it must be whole or a fraction is for the study to say."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise argparse.ArgumentTypeError(f"must be a number, got {text!r}")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


_NAMES: dict[str, Any] = {"action": "append", "metavar": "NAME"}
_SWITCH: dict[str, Any] = {"action": "store_true", "default": None}

_OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "human": (
        "human criteria: names, globs or comma lists (default: every column known to be human)",
        _NAMES,
    ),
    "metric": ("metrics: names, globs or comma lists (default: every column that is not human)", _NAMES),
    "lower-is-better": ("columns in which small scores are good; their sign is turned", _NAMES),
    "language": (
        "the language, or pair such as en-de, to take from data that holds several",
        {"metavar": "LANG"},
    ),
    "input-format": (
        f"how to read the files, if their content does not tell: {_listed(INPUT_FORMATS)}",
        {"metavar": "FORMAT"},
    ),
    "references": ("keep human-written reference texts that were scored like systems", _SWITCH),
    "level": (f"levels of correlation, a comma list of {_listed(vocabulary.LEVELS)}", {"metavar": "LEVEL"}),
    "coefficient": (
        f"correlation coefficients, a comma list of {_listed(vocabulary.COEFFICIENTS)} (kendall is tau-b)",
        {"metavar": "NAME"},
    ),
    "interval": (
        f"how to make confidence intervals: {_listed(vocabulary.INTERVALS)}",
        {"metavar": "METHOD"},
    ),
    "confidence": ("confidence of the intervals, between 0 and 1", {"type": _number, "metavar": "SHARE"}),
    "test": (f"the test: {_listed(vocabulary.METRIC_TESTS)}", {"metavar": "TEST"}),
    "alternative": (
        f"what the test shows of A against B: {_listed(vocabulary.ALTERNATIVES)}",
        {"metavar": "SIDE"},
    ),
    "alpha": ("significance level, between 0 and 1", {"type": _number, "metavar": "SHARE"}),
    "correction": (
        f"correction for the number of tests: {_listed(vocabulary.CORRECTIONS)}",
        {"metavar": "NAME"},
    ),
    "scope": (
        "what is corrected together: row (one metric against the others) or table",
        {"metavar": "SCOPE"},
    ),
    "p": ("p-values as (c+1)/(k+1) (plus-one) or c/k as in the paper (paper)", {"metavar": "KIND"}),
    "resamples": ("number of resamples", {"type": _number, "metavar": "K"}),
    "seed": (
        "seed of the random numbers; the same seed gives the same numbers",
        {"type": _number, "metavar": "N"},
    ),
    "threads": (
        "threads to use; they change no number (default: all processors)",
        {"type": _number, "metavar": "N"},
    ),
}

_CHECKS: dict[str, Callable[[Any], object]] = {
    "level": vocabulary.levels,
    "coefficient": vocabulary.coefficients,
    "interval": partial(vocabulary.choice, "interval", known=vocabulary.INTERVALS),
    "confidence": partial(vocabulary.fraction, "confidence"),
    "test": partial(vocabulary.choice, "test", known=vocabulary.METRIC_TESTS),
    "alternative": partial(vocabulary.choice, "alternative", known=vocabulary.ALTERNATIVES),
    "alpha": partial(vocabulary.fraction, "alpha"),
    "correction": partial(vocabulary.choice, "correction", known=vocabulary.CORRECTIONS),
    "scope": partial(vocabulary.choice, "scope", known=vocabulary.SCOPES),
    "p": partial(vocabulary.choice, "p", known=vocabulary.P_VALUES),
    "resamples": partial(vocabulary.count, "resamples"),
    "seed": vocabulary.seed,
    "threads": partial(vocabulary.count, "threads"),
}

READING = ("human", "metric", "lower-is-better", "language", "input-format", "references")
"""Options that say what is in the files; every study has them."""


def add(parser: Parser, title: str, names: Iterable[str], defaults: Mapping[str, object] | None = None) -> None:
    """Add a group of options.

    Parameters
    ----------
    parser
        The command's parser.
    title
        The group's title in the help.
    names
        Names of options, without dashes.
    defaults
        What the study does if an option is absent, for the help only: the study itself has the last word.
    """
    group = parser.add_argument_group(title)
    for name in names:
        text, settings = _OPTIONS[name]
        default = (defaults or {}).get(name)
        if default is not None:
            shown = f"{default:,}" if isinstance(default, int) else default
            text += f" (default: {shown})"
        group.add_argument(f"--{name}", help=text.replace("%", "%%"), **settings)


def add_files(parser: Parser) -> None:
    """Add the files to read, and what is in them."""
    files = parser.add_argument_group("files")
    files.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="scores in any known format, plain or gzip; several files merge on system and input; - is stdin",
    )
    add(parser, "what to study", READING)


def add_output(parser: Parser, study: str) -> None:
    """Add where the result of a study goes, and in which form."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format", metavar="FORMAT", help=f"{_listed(OUTPUT_FORMATS)} (default: table, or what -o ends in)"
    )
    group.add_argument("-o", "--output", metavar="FILE", help="write to a file instead of stdout")
    group.add_argument(
        "--view",
        metavar="VIEW",
        help=f"what to show: {_listed(names_of(study))} (default: what suits the size)",
    )
    add_quiet(group)


def add_quiet(group: Any) -> None:  # noqa: ANN401 - argparse does not export the type of its groups
    """Add the switch that silences everything but results and errors."""
    group.add_argument("--quiet", "-q", action="store_true", help="say nothing but results and errors")


def given(arguments: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """Return the options that were given, checked, under the names they have in Python.

    What was not given is left out, so that defaults live in one place: the study's signature.
    """
    found = {}
    for name in names:
        value = getattr(arguments, name.replace("-", "_"))
        if value is None:
            continue
        if name in _CHECKS:
            _CHECKS[name](value)
        found[name.replace("-", "_")] = value
    return found
