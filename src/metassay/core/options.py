"""Every option of every study, declared once.

An option is the type of a keyword of a public verb::

    def agree(scores: Scores, *, level: opt.Levels = "system,input", …) -> Agreement:

Its default stands in that signature and nowhere else. The check in Python, the text in docstrings and the flag on the
command line come from here, where options of few studies are
brought in from modules beside this one. Nothing heavy is imported, so that the command line can print its help without
loading NumPy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from metassay.core import vocabulary as known
from metassay.core.bias_options import *  # noqa: F403
from metassay.core.file_options import *  # noqa: F403
from metassay.core.option import (
    COUNT,
    FLAG,
    REPEATS,
    SHARE,
    SIZE,
    Kind,
    Option,
    among,
    at_least,
    compared,
    corrupted,
    number,
    studied,
    under,
)
from metassay.core.option import Names as Names
from metassay.core.pair_options import *  # noqa: F403
from metassay.core.plan_options import *  # noqa: F403
from metassay.core.task_options import *  # noqa: F403

if TYPE_CHECKING:
    from os import PathLike

    from metassay.core.groups import GroupPatterns
    from metassay.stats.statistics.base import Statistic as StatisticObject

_placed = under("reproducibility and speed")
_LEVEL = Kind(aliases=known.LEVEL_ALIASES, metavar="LEVEL", key="level")
_CI = Kind(metavar="METHOD", key="ci")
_TEST = Kind(metavar="TEST", key="test")


def _statistic(_what: str, value: str | StatisticObject) -> str | StatisticObject:
    return known.statistic(value) if isinstance(value, str) else value


def checked_statistics(what: str, value: Any) -> tuple[str | StatisticObject, ...]:  # noqa: ANN401 - one or several
    """Return names and objects of statistics; names are checked."""
    if isinstance(value, str):
        return known.statistics(value)
    return tuple(_statistic(what, each) for each in (value if isinstance(value, Iterable) else (value,)))


def signed_statistics(value: Any) -> list[str]:  # noqa: ANN401 - one or several
    """Return statistics as the signature line has them."""
    from metassay.stats.statistics.registry import choose

    return [each.in_signatures for each in choose(value)]


# -- what to study ----------------------------------------------------------------------------------------------------

Human = Annotated[
    Names | None,
    studied(
        "human judgments: names of columns, globs or comma lists",
        repeated=True,
        absent="every column known to be human",
    ),
]
Metric = Annotated[
    Names | None,
    studied("metrics: names of columns, globs or comma lists", repeated=True, absent="every column that is not human"),
]
References = Annotated[bool, studied("keep human-written texts that were scored like systems", **FLAG)]
_GROUP = "NAME=PATTERN[,PATTERN], such as {}; the first match wins; a mapping in Python"
_GROUPED = Kind(repeated=True, metavar="GROUP")
Groups = Annotated[
    "GroupPatterns | None",
    Option(f"a group of systems, {_GROUP.format('humans=H*')}", absent="the groups that the data knows", **_GROUPED),
]
MetricGroups = Annotated[
    "GroupPatterns | None",
    Option(f"a group of metrics, {_GROUP.format('relevance=rouge*')}", absent="all metrics are one group", **_GROUPED),
]
AnnotatedInputs = Annotated[
    "int | Iterable[str] | None",
    Option(
        "treat only this many inputs, chosen by the seed, as annotated by people; in Python also their names",
        absent="the inputs that people annotated",
        **number("N"),
    ),
]
InputSet = Annotated[
    str,
    Option(
        "inputs used for the system means of a metric: all that it scored (all), or only those that people annotated "
        "(annotated)",
        **among("SET", known.INPUT_SETS),
        listed=False,
    ),
]

# -- statistics -------------------------------------------------------------------------------------------------------

Levels = Annotated[Names, Option("levels of correlation", choices=known.LEVELS, several=True, **_LEVEL)]
Level = Annotated[str, Option("level of correlation", choices=known.LEVELS, **_LEVEL)]
PlannedLevel = Annotated[str, Option("level of correlation", choices=known.PLANNED_LEVELS, **_LEVEL)]
_OWN = "of agreement (kendall is tau-b; MODULE:NAME is one of your own)"
_STATISTIC = Kind(choices=known.STATISTICS, alias="coefficient", key="coef", signed=signed_statistics)
Statistics = Annotated[
    "str | StatisticObject | Iterable[str | StatisticObject]",
    Option(f"statistics {_OWN}", checked_statistics, several=True, **_STATISTIC),
]
Statistic = Annotated["str | StatisticObject", Option(f"statistic {_OWN}", _statistic, **_STATISTIC)]
Interval = Annotated[str, Option("method of the confidence intervals", choices=known.INTERVALS, **_CI)]
Intervals = Annotated[Names, Option("methods of confidence intervals", choices=known.INTERVALS, several=True, **_CI)]
Bootstrap = Annotated[str, Option("what is resampled for the intervals", choices=known.BOOTSTRAPS, **_CI)]
Full = Annotated[
    bool, Option("show the p-values of all pairs of metrics, even if there are many", known.flag, switch=True)
]
HeldInterval = Annotated[str, Option("method of the confidence intervals", choices=known.HELD_INTERVALS, **_CI)]
PlannedInterval = Annotated[
    str,
    Option(
        "method of the interval (jackknife, two-way: new systems and inputs; boot-inputs: these systems, new inputs)",
        choices=known.PLANNED_INTERVALS,
        **_CI,
    ),
]
Confidence = Annotated[float, Option("confidence level of the intervals, between 0 and 1", key="ci", **SHARE)]
MetricTest = Annotated[str, Option("test of a difference between two metrics", choices=known.METRIC_TESTS, **_TEST)]
MetricTests = Annotated[
    Names, Option("tests of a difference between two metrics", choices=known.METRIC_TESTS, several=True, **_TEST)
]
SystemTest = Annotated[str, Option("test of a difference between two systems", choices=known.SYSTEM_TESTS, **_TEST)]
SystemTests = Annotated[
    Names,
    Option(
        "tests of a difference between two systems",
        choices=(*known.SYSTEM_TESTS, *known.CORPUS_TESTS),
        several=True,
        **_TEST,
    ),
]
PairedTest = Annotated[
    str,
    Option(
        "test that a system scores lower, over the inputs that two systems share", choices=known.PAIRED_TESTS, **_TEST
    ),
]
EquivalenceTests = Annotated[
    Names,
    Option(
        "tests of equivalence (jackknife: two one-sided tests for new systems and inputs; tost: by the bootstrap of "
        "`resample`, and anderson-hauck, as in the paper)",
        choices=known.EQUIVALENCE_TESTS,
        several=True,
        **_TEST,
    ),
]
_CUTOFF = (
    "where p-values come from (mc: scores of a pair swapped with probability 1/2; hb: pairs drawn with "
    "replacement, then swapped)"
)
_KIND = Kind(metavar="KIND", choices=known.CUTOFFS, key="cutoff")
Cutoff = Annotated[str, Option(_CUTOFF, **_KIND)]
Cutoffs = Annotated[Names, Option(_CUTOFF, several=True, **_KIND)]
Alternative = Annotated[
    str,
    Option(
        "alternative hypothesis: A better than B (greater), worse (less), or different (two-sided)",
        **among("SIDE", known.ALTERNATIVES),
        listed=False,
        key="alt",
    ),
]
Alpha = Annotated[float, Option("significance level, between 0 and 1", key="alpha", **SHARE)]
Correction = Annotated[str, Option("correction for multiple tests", choices=known.CORRECTIONS, key="corr")]
Scope = Annotated[
    str,
    Option(
        "tests that are corrected together: those of one metric against all others (row), or all of a table (table)",
        **among("SCOPE", known.SCOPES),
        listed=False,
    ),
]
PValues = Annotated[
    str,
    Option(
        "p-value if c of k draws are at least as extreme: (c+1)/(k+1) (plus-one), or c/k as in Deutsch et al. "
        "2021 (paper)",
        **among("KIND", known.P_VALUES),
        listed=False,
        key="p",
    ),
]
Resamples = Annotated[int, Option("number of resamples", key="k", **REPEATS)]
Draws = Annotated[int, Option("pairs of samples drawn for each size", key="k", **REPEATS)]
Seed = Annotated[
    int,
    _placed(
        "random seed; the same seed gives the same result, however many threads or machines do the work",
        key="seed",
        **at_least(0),
    ),
]

Worst = Annotated[
    int,
    Option("how many disagreements to keep: per judge, or per metric overrated and underrated outputs", **at_least(0)),
]
Limits = Annotated[
    bool,
    Option(
        "also report agreement in the limit of many inputs, agreement corrected for annotator error (disattenuated, "
        "Pearson only), and the human ceiling",
        **FLAG,
    ),
]

# -- one study's own --------------------------------------------------------------------------------------------------

Anchor = Annotated[
    Names | None,
    Option(
        "columns to hold fixed, one at a time: names, globs or comma lists",
        repeated=True,
        absent="each of the human criteria",
    ),
]
Holding = Annotated[
    Names,
    Option(
        "how the anchor is held fixed (bucket: within groups of about equal anchors; partial: residuals of linear "
        "regressions; partial-formula: Kendall's partial tau)",
        **among("METHOD", known.HOLDING_METHODS),
        several=True,
        key="method",
    ),
]
Edges = Annotated[
    "Mapping[str, Sequence[float]] | Sequence[float] | Sequence[str] | str | None",
    Option(
        "edges of the buckets in ascending order, NUMBERS or ANCHOR=NUMBERS, such as 1.5,2.5,3.5; a value on an edge "
        "belongs above it",
        repeated=True,
        metavar="EDGES",
        absent="anchors are rounded to whole numbers, half up",
    ),
]
EstimateMethods = Annotated[
    Names | None,
    Option(
        "method that corrects the metric's scores by labels",
        **among("METHOD", known.ESTIMATE_METHODS),
        several=True,
        absent="ppi, and also rogan-gladen for binary labels",
        key="method",
    ),
]
Nested = Annotated[
    bool,
    Option(
        "every output has different raters, so that rater names only number them",
        key="raters",
        signed=lambda nested: "nested" if nested else "crossed",
        **FLAG,
    ),
]
Chance = Annotated[
    str | None,
    Option(
        "column with each output's probability of being chosen for a label, as metassay sheet --choose "
        "disagreement writes it",
        metavar="COLUMN",
        absent="label_chance if present, else labels are a random sample",
    ),
]
Components = Annotated[int, Option("number of principal components shown in full", **COUNT)]
Folds = Annotated[
    int | None,
    Option(
        "hold out this many random folds in turn", absent="one system, or one pair of systems, at a time", **at_least(2)
    ),
]
CompositeFolds = Annotated[
    int, Option("number of folds of systems, and of inputs, that are held out in turn", **at_least(3))
]
By = Annotated[
    str,
    compared(
        "what is compared: language, annotator, reference, metric, human, or a column of the tables, such as version",
        metavar="COLUMN",
        key="by",
        signed=known.in_a_signature,
    ),
]
SliceBy = Annotated[
    str | None,
    Option(
        "repeat the study on each slice of the data and test whether slices differ: a column such as category, or "
        "language, annotator, cluster, family or group",
        metavar="COLUMN",
        group="which part of the data",
    ),
]
Baseline = Annotated[
    str | None,
    compared("level that the others are compared with", metavar="LEVEL", absent="English, or the first"),
]
Margin = Annotated[
    float,
    Option(
        "largest difference of correlations that counts as equivalent: the constant margin",
        **number("SIZE", known.fraction),
    ),
]
MeanMargin = Annotated[
    float | None,
    Option(
        "largest difference of pass rates or means that counts as equivalent",
        absent="5% of the range of scores, 0.05 for rates",
        **SIZE,
    ),
]
Once = Annotated[bool, Option("use the shorter interval, which is valid for a single look at the data only", **FLAG)]
MarginKinds = Annotated[
    Names,
    Option(
        "kinds of margin (sd, range: standard deviation and range of the correlations with single annotators)",
        **among("KIND", known.MARGIN_KINDS),
        several=True,
    ),
]
Resample = Annotated[
    str,
    Option(
        "what is drawn with replacement (points: single outputs, as in the paper)",
        **among("WHAT", known.RESAMPLED),
        key="resample",
    ),
]
Aggregate = Annotated[
    str, Option("how scores against several references are combined", **among("HOW", known.AGGREGATES), key="refs")
]

# -- votes -------------------------------------------------------------------------------------------------------------

Rankings = Annotated[
    Names | None,
    Option(
        "how systems are ranked (mean needs scores, the others votes)",
        **among("HOW", known.RANKINGS),
        several=True,
        absent="bradley-terry from votes, mean from scores",
        key="coef",
    ),
]
Ties = Annotated[
    str,
    Option(
        "how ties count: half a win for both (half), or as a third outcome (davidson)",
        **among("HOW", known.TIES),
        listed=False,
        key="ties",
    ),
]
Covariates = Annotated[
    Names | None,
    Option(
        "what to adjust for: position (which output was shown first), length (in words), or NAME for columns NAME_a "
        "and NAME_b",
        known.several_names,
        metavar="NAME",
        repeated=True,
        absent="nothing",
        key="covariates",
    ),
]
RankInterval = Annotated[
    str,
    Option(
        "method of the confidence intervals: cluster-robust (sandwich), or percentiles of a bootstrap",
        **among("METHOD", known.RANK_INTERVALS),
        key="ci",
    ),
]
VoteUnits = Annotated[
    str,
    Option(
        "what the intervals generalise to: new inputs, raters or votes; votes on the same one form a cluster",
        **among("WHAT", known.VOTE_UNITS),
        key="resample",
    ),
]

# -- places ------------------------------------------------------------------------------------------------------------

Threads = Annotated[
    int | None, _placed("threads to use; results do not depend on it", absent="all processors", **at_least(1))
]
Cluster = Annotated[
    str | None,
    _placed("address of a Dask scheduler that does the work, such as tcp://host:8786", metavar="ADDRESS"),
]
Workers = Annotated[int | None, _placed("number of local Dask workers to start", **COUNT)]
Checkpoint = Annotated[
    "str | PathLike[str] | None",
    _placed("save finished work in this file; the same command resumes from it", metavar="FILE"),
]
Timeout = Annotated[
    float, _placed("time limit in seconds for one call of a program", **number("SECONDS", known.positive))
]

# -- texts ------------------------------------------------------------------------------------------------------------

Rate = Annotated[
    float | None,
    corrupted(
        "share of the verbs, sentences, persons, words or numbers to change, from 0 to 1",
        absent="1; drop-words 0.2, truncate 0.5",
        **number("SHARE"),
    ),
]
Backend = Annotated[
    str, corrupted("how sentences, verbs and persons are found: built-in, or spacy:PIPELINE by name or path")
]
