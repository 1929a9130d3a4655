"""The options that commands share: declared once, checked by the same rules as in Python."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from metassay.cli.parser import Parser
from metassay.core import vocabulary
from metassay.figures.drawing import FIGURES, SUFFIXES
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
    "references": (
        "keep human-written reference texts that were scored like systems",
        {"action": argparse.BooleanOptionalAction, "default": None},
    ),
    "level": (f"levels of correlation, a comma list of {_listed(vocabulary.LEVELS)}", {"metavar": "LEVEL"}),
    "coefficient": (
        f"correlation coefficients, a comma list of {_listed(vocabulary.COEFFICIENTS)} (kendall is tau-b)",
        {"metavar": "NAME"},
    ),
    "one-coefficient": (
        f"the correlation coefficient: {_listed(vocabulary.COEFFICIENTS)} (kendall is tau-b)",
        {"metavar": "NAME"},
    ),
    "inputs": (
        "inputs behind system means of metrics: all that a metric has, or only those that people annotated; "
        f"{_listed(vocabulary.INPUT_SETS)}",
        {"metavar": "SET"},
    ),
    "annotated": (
        "take only so many inputs, chosen by the seed, as those that people annotated",
        {"type": _number, "metavar": "N"},
    ),
    "interval": (
        f"how to make confidence intervals: {_listed(vocabulary.INTERVALS)}",
        {"metavar": "METHOD"},
    ),
    "bootstrap": (
        f"what to resample for confidence intervals: {_listed(vocabulary.BOOTSTRAPS)}",
        {"metavar": "METHOD"},
    ),
    "intervals": (
        f"kinds of confidence intervals, a comma list of {_listed(vocabulary.INTERVALS)}",
        {"metavar": "METHOD"},
    ),
    "confidence": ("confidence of the intervals, between 0 and 1", {"type": _number, "metavar": "SHARE"}),
    "test": (f"the test: {_listed(vocabulary.METRIC_TESTS)}", {"metavar": "TEST"}),
    "metric-tests": (f"tests, a comma list of {_listed(vocabulary.METRIC_TESTS)}", {"metavar": "TEST"}),
    "system-test": (f"the test: {_listed(vocabulary.SYSTEM_TESTS)}", {"metavar": "TEST"}),
    "paired-test": (f"the test: {_listed(vocabulary.PAIRED_TESTS)}", {"metavar": "TEST"}),
    "system-tests": (f"tests, a comma list of {_listed(vocabulary.SYSTEM_TESTS)}", {"metavar": "TEST"}),
    "cutoff": (f"where p-values come from: {_listed(vocabulary.CUTOFFS)}", {"metavar": "KIND"}),
    "cutoffs": (f"where p-values come from, a comma list of {_listed(vocabulary.CUTOFFS)}", {"metavar": "KIND"}),
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
    "bounds": (
        "smallest and largest score difference of the pairs, a comma list such as 0:0.5,0.5:1,1:",
        {"metavar": "LOW:HIGH"},
    ),
    "shares": (
        "shares of the pairs closest in score, a comma list (default: 0.1 to 1 in steps of 0.1), or none",
        {"metavar": "SHARE"},
    ),
    "triangle": (
        "go through all ranges of score differences on a grid of so many quantiles (10 in the paper)",
        {"type": _number, "metavar": "STEPS"},
    ),
    "sizes": (
        "numbers of inputs in a sample, a comma list (default: ten up to the number of inputs)",
        {"metavar": "N"},
    ),
    "draws": ("number of draws for each size", {"type": _number, "metavar": "K"}),
    "resamples": ("number of resamples", {"type": _number, "metavar": "K"}),
    "by": (
        "what is compared: language, annotator, reference, metric, human, or a column of the tables, such as version",
        {"metavar": "COLUMN"},
    ),
    "baseline": ("the level that the others are compared with (default: English, or the first)", {"metavar": "LEVEL"}),
    "one-level": (f"the level of correlation: {_listed(vocabulary.LEVELS)}", {"metavar": "LEVEL"}),
    "equivalence-tests": (f"tests, a comma list of {_listed(vocabulary.EQUIVALENCE_TESTS)}", {"metavar": "TEST"}),
    "margin": (
        "how far apart correlations may be and still be equivalent: the constant margin",
        {"type": _number, "metavar": "SIZE"},
    ),
    "margin-kind": (
        f"margins, a comma list of {_listed(vocabulary.MARGIN_KINDS)}; sd and range come from single annotators",
        {"metavar": "KIND"},
    ),
    "resample": (
        f"what is drawn with replacement: {_listed(vocabulary.RESAMPLED)} (points are single outputs)",
        {"metavar": "WHAT"},
    ),
    "aggregate": (
        f"how scores against several references become one: {_listed(vocabulary.AGGREGATES)}",
        {"metavar": "HOW"},
    ),
    "trials": ("number of simulated trials", {"type": _number, "metavar": "K"}),
    "keep": (
        "shares of the words that the damaged metric sees, a comma list; needs --texts",
        {"metavar": "SHARE"},
    ),
    "noise": (
        "sizes of the noise in the damaged metric, in standard deviations of its scores, a comma list",
        {"metavar": "SIZE"},
    ),
    "metric-b": ("the metric that it is compared with, to plan a power", {"metavar": "NAME"}),
    "width": ("the wanted width of the confidence interval", {"type": _number, "metavar": "SIZE"}),
    "power": ("the wanted chance to find that one of two metrics is better", {"type": _number, "metavar": "SHARE"}),
    "difference": (
        "the difference of two correlations to be found (default: the one in the data)",
        {"type": _number, "metavar": "SIZE"},
    ),
    "planned-level": (f"the level of correlation: {_listed(vocabulary.PLANNED_LEVELS)}", {"metavar": "LEVEL"}),
    "planned-interval": (
        "the kind of interval: two-way (systems and inputs are a sample) or boot-inputs (about these very systems)",
        {"metavar": "METHOD"},
    ),
    "annotations": ("tell what the next so many annotations buy", {"type": _number, "metavar": "N"}),
    "cluster": ("address of a Dask scheduler that has the work done, such as tcp://host:8786", {"metavar": "ADDRESS"}),
    "workers": ("start so many local Dask workers for the work", {"type": _number, "metavar": "N"}),
    "checkpoint": (
        "keep finished work in this file, and go on from there when the same command is run again",
        {"metavar": "FILE"},
    ),
    "group": (
        "a group of systems, NAME=PATTERN[,PATTERN], such as humans=H*; repeat it, the first match wins "
        "(default: the groups that the data knows)",
        {"action": "append", "metavar": "GROUP"},
    ),
    "anchor": (
        "what to hold fixed, one at a time: names, globs or comma lists (default: each of the human criteria)",
        _NAMES,
    ),
    "holding": (
        f"how to hold it fixed, a comma list of {_listed(vocabulary.HOLDING_METHODS)}",
        {"metavar": "METHOD"},
    ),
    "edges": (
        "edges of buckets, NUMBERS or ANCHOR=NUMBERS, such as 1.5,2.5,3.5; repeat it for several anchors "
        "(default: whole numbers, rounded half up)",
        {"action": "append", "metavar": "EDGES"},
    ),
    "metric-group": (
        "a group of metrics, NAME=PATTERN[,PATTERN], such as relevance=rouge*; repeat it, the first match wins "
        "(default: all metrics are one group)",
        {"action": "append", "metavar": "GROUP"},
    ),
    "components": ("how many principal components to show in full", {"type": _number, "metavar": "N"}),
    "folds": (
        "hold out so many random folds in turn (default: one system, or one pair of them, at a time)",
        {"type": _number, "metavar": "N"},
    ),
    "rate": (
        "share of verbs, sentences, persons, words or numbers to change, from 0 to 1 "
        "(default: 1; drop-words 0.2, truncate 0.5)",
        {"type": _number, "metavar": "SHARE"},
    ),
    "timeout": ("seconds that one call of a program may last", {"type": _number, "metavar": "SECONDS"}),
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
    "one-coefficient": partial(
        vocabulary.choice, "coefficient", known=vocabulary.COEFFICIENTS, aliases=vocabulary.COEFFICIENT_ALIASES
    ),
    "inputs": partial(vocabulary.choice, "inputs", known=vocabulary.INPUT_SETS),
    "annotated": partial(vocabulary.count, "annotated"),
    "interval": partial(vocabulary.choice, "interval", known=vocabulary.INTERVALS),
    "intervals": partial(vocabulary.choices, "interval", known=vocabulary.INTERVALS),
    "bootstrap": partial(vocabulary.choice, "interval", known=vocabulary.BOOTSTRAPS),
    "confidence": partial(vocabulary.fraction, "confidence"),
    "test": partial(vocabulary.choice, "test", known=vocabulary.METRIC_TESTS),
    "metric-tests": partial(vocabulary.choices, "test", known=vocabulary.METRIC_TESTS),
    "system-test": partial(vocabulary.choice, "test", known=vocabulary.SYSTEM_TESTS),
    "paired-test": partial(vocabulary.choice, "test", known=vocabulary.PAIRED_TESTS),
    "system-tests": partial(vocabulary.choices, "test", known=vocabulary.SYSTEM_TESTS),
    "cutoff": partial(vocabulary.choice, "cutoff", known=vocabulary.CUTOFFS),
    "cutoffs": partial(vocabulary.choices, "cutoff", known=vocabulary.CUTOFFS),
    "alternative": partial(vocabulary.choice, "alternative", known=vocabulary.ALTERNATIVES),
    "alpha": partial(vocabulary.fraction, "alpha"),
    "correction": partial(vocabulary.choice, "correction", known=vocabulary.CORRECTIONS),
    "scope": partial(vocabulary.choice, "scope", known=vocabulary.SCOPES),
    "p": partial(vocabulary.choice, "p", known=vocabulary.P_VALUES),
    "holding": partial(vocabulary.choices, "method", known=vocabulary.HOLDING_METHODS),
    "components": partial(vocabulary.count, "components"),
    "folds": partial(vocabulary.count, "folds", least=2),
    "bounds": partial(vocabulary.ranges, "bounds"),
    "shares": partial(vocabulary.shares, "shares"),
    "triangle": partial(vocabulary.count, "triangle", least=2),
    "sizes": partial(vocabulary.counts, "sizes"),
    "draws": partial(vocabulary.repeats, "draws"),
    "resamples": partial(vocabulary.repeats, "resamples"),
    "one-level": partial(vocabulary.choice, "level", known=vocabulary.LEVELS, aliases=vocabulary.LEVEL_ALIASES),
    "equivalence-tests": partial(vocabulary.choices, "test", known=vocabulary.EQUIVALENCE_TESTS),
    "margin": partial(vocabulary.fraction, "margin"),
    "margin-kind": partial(vocabulary.choices, "margin kind", known=vocabulary.MARGIN_KINDS),
    "resample": partial(vocabulary.choice, "resample", known=vocabulary.RESAMPLED),
    "aggregate": partial(vocabulary.choice, "aggregate", known=vocabulary.AGGREGATES),
    "trials": partial(vocabulary.repeats, "trials"),
    "keep": partial(vocabulary.shares, "keep"),
    "noise": partial(vocabulary.positives, "noise"),
    "power": partial(vocabulary.fraction, "power"),
    "difference": partial(vocabulary.fraction, "difference"),
    "planned-level": partial(
        vocabulary.choice, "level", known=vocabulary.PLANNED_LEVELS, aliases=vocabulary.LEVEL_ALIASES
    ),
    "planned-interval": partial(vocabulary.choice, "interval", known=vocabulary.PLANNED_INTERVALS),
    "annotations": partial(vocabulary.count, "annotations"),
    "workers": partial(vocabulary.count, "workers"),
    "seed": vocabulary.seed,
    "threads": partial(vocabulary.count, "threads"),
}

_FLAGS = {
    "one-coefficient": "coefficient",
    "one-level": "level",
    "planned-level": "level",
    "planned-interval": "interval",
    "equivalence-tests": "test",
    "bootstrap": "interval",
    "holding": "method",
    "intervals": "interval",
    "metric-tests": "test",
    "system-test": "test",
    "paired-test": "test",
    "system-tests": "test",
    "cutoffs": "cutoff",
}
"""Options that commands call alike but that mean different choices."""

PLACES = ("threads", "cluster", "workers", "checkpoint")
"""Options that say where the work is done; none of them changes a number."""

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
        flag = _FLAGS.get(name, name)
        default = (defaults or {}).get(flag)
        if default is not None:
            shown = f"{default:,}" if isinstance(default, int) else default
            text += f" (default: {shown})"
        group.add_argument(f"--{flag}", help=text.replace("%", "%%"), **settings)


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
    kinds = FIGURES.get(study, ())
    if kinds:
        group.add_argument(
            "--figure", metavar="FILE", help=f"also draw a figure: a file that ends in {_listed(SUFFIXES)}"
        )
    if len(kinds) > 1:
        group.add_argument(
            "--figure-kind", metavar="KIND", help=f"which figure: {_listed(kinds)} (default: {kinds[0]})"
        )
    group.add_argument(
        "--view",
        metavar="VIEW",
        help=f"what to show: {_listed(names_of(study))} (default: what suits the size)",
    )
    further = vocabulary.FURTHER_ROWS.get(study, ())
    if further:
        group.add_argument(
            "--rows",
            metavar="NAME",
            help=f"with --format json or csv, the rows of something else: {_listed(further)} (default: table)",
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


def given(arguments: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """Return the options that were given, checked, under the names they have in Python.

    What was not given is left out, so that defaults live in one place: the study's signature.
    """
    found = {}
    for name in names:
        flag = _FLAGS.get(name, name).replace("-", "_")
        value = getattr(arguments, flag)
        if value is None:
            continue
        if name in _CHECKS:
            _CHECKS[name](value)
        found[flag] = value
    return found
