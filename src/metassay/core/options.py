"""Every option of every study, declared once.

An option is the type of a keyword of a public verb::

    def agree(scores: Scores, *, level: opt.Levels = "system,input", …) -> Agreement:

Its default stands in that signature and nowhere else. The check in Python, the text in docstrings and the flag on the
command line come from here. Nothing heavy
is imported, so that the command line can print its help without loading NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from metassay.core import vocabulary as known
from metassay.core.bias_options import Biased as Biased
from metassay.core.bias_options import Hold as Hold
from metassay.core.bias_options import OwnFamily as OwnFamily
from metassay.core.bias_options import PeopleAsMetrics as PeopleAsMetrics
from metassay.core.bias_options import Runs as Runs
from metassay.core.bias_options import Sentinels as Sentinels
from metassay.core.bias_options import Style as Style
from metassay.core.bias_options import TextOf as TextOf
from metassay.core.file_options import AnnotatorColumn as AnnotatorColumn
from metassay.core.file_options import ClusterBy as ClusterBy
from metassay.core.file_options import DropSystems as DropSystems
from metassay.core.file_options import FamilyOf as FamilyOf
from metassay.core.file_options import Ignore as Ignore
from metassay.core.file_options import InputColumn as InputColumn
from metassay.core.file_options import InputFormat as InputFormat
from metassay.core.file_options import Language as Language
from metassay.core.file_options import LowerIsBetter as LowerIsBetter
from metassay.core.file_options import NoSystems as NoSystems
from metassay.core.file_options import People as People
from metassay.core.file_options import ScaleOf as ScaleOf
from metassay.core.file_options import Select as Select
from metassay.core.file_options import SystemColumn as SystemColumn
from metassay.core.option import Option
from metassay.core.task_options import Average as Average
from metassay.core.task_options import DropOutliers as DropOutliers
from metassay.core.task_options import Measures as Measures
from metassay.core.task_options import Tasks as Tasks

if TYPE_CHECKING:
    from os import PathLike

    from metassay.core.groups import GroupPatterns
    from metassay.stats.statistics.base import Statistic as StatisticObject

Names = str | Iterable[str]
"""A name, a comma list or several names."""

PAPER_STEPS = 10
"""Steps of the grid of score differences in Deutsch, Dror and Roth (2022)."""

_STUDIED = "what to study"
_PLACE = "reproducibility and speed"
_GOAL = "what is wanted"
_PAIRS = "which pairs of systems"
_COMPARED = "what to compare"


class _Shared(TypedDict, total=False):
    """What several options have in common."""

    number: bool
    metavar: str
    choices: Sequence[str]
    aliases: Mapping[str, str]
    repeated: bool
    alias: str
    key: str
    signed: Callable[[Any], Any]


_N, _K, _SHARE, _SIZE = (_Shared(number=True, metavar=m) for m in ("N", "K", "SHARE", "SIZE"))
_LEVEL = _Shared(aliases=known.LEVEL_ALIASES, metavar="LEVEL", key="level")
_CI = _Shared(metavar="METHOD", key="ci")
_TEST = _Shared(metavar="TEST", key="test")


def _statistic(_what: str, value: str | StatisticObject) -> str | StatisticObject:
    return known.statistic(value) if isinstance(value, str) else value


def _statistics(what: str, value: Any) -> tuple[str | StatisticObject, ...]:  # noqa: ANN401 - one or several
    if isinstance(value, str):
        return known.statistics(value)
    return tuple(_statistic(what, each) for each in (value if isinstance(value, Iterable) else (value,)))


def _signed_statistics(value: Any) -> list[str]:  # noqa: ANN401 - one or several
    from metassay.stats.statistics.registry import choose

    return [each.in_signatures for each in choose(value)]


def _signed_bounds(value: Iterable[tuple[float, float]]) -> list[str]:
    return [f"{lower:g}:{upper:g}" for lower, upper in value]


def _seed(_what: str, value: int) -> int:
    return known.seed(value)


def _steps(what: str, value: bool | int) -> int:
    return (0, PAPER_STEPS)[value] if isinstance(value, bool) else known.count(what, value, 2)


# -- what to study ----------------------------------------------------------------------------------------------------

Human = Annotated[
    Names | None,
    Option(
        "human judgments: names of columns, globs or comma lists",
        repeated=True,
        group=_STUDIED,
        absent="every column known to be human",
    ),
]
Metric = Annotated[
    Names | None,
    Option(
        "metrics: names of columns, globs or comma lists",
        repeated=True,
        group=_STUDIED,
        absent="every column that is not human",
    ),
]
References = Annotated[
    bool, Option("keep human-written texts that were scored like systems", known.flag, switch=True, group=_STUDIED)
]
_GROUP = "NAME=PATTERN[,PATTERN], such as {}; the first match wins; a mapping in Python"
_GROUPED = _Shared(repeated=True, metavar="GROUP")
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
        **_N,
        absent="the inputs that people annotated",
    ),
]
InputSet = Annotated[
    str,
    Option(
        "inputs behind the system means of a metric: all that it scored, or only those that people annotated",
        choices=known.INPUT_SETS,
        listed=False,
        metavar="SET",
    ),
]

# -- statistics -------------------------------------------------------------------------------------------------------

Levels = Annotated[Names, Option("levels of correlation", choices=known.LEVELS, several=True, **_LEVEL)]
Level = Annotated[str, Option("level of correlation", choices=known.LEVELS, **_LEVEL)]
PlannedLevel = Annotated[str, Option("level of correlation", choices=known.PLANNED_LEVELS, **_LEVEL)]
_OWN = "of agreement (kendall is tau-b; MODULE:NAME is one of your own)"
_STATISTIC = _Shared(choices=known.STATISTICS, alias="coefficient", key="coef", signed=_signed_statistics)
Statistics = Annotated[
    "str | StatisticObject | Iterable[str | StatisticObject]",
    Option(f"statistics {_OWN}", _statistics, several=True, **_STATISTIC),
]
Statistic = Annotated["str | StatisticObject", Option(f"statistic {_OWN}", _statistic, **_STATISTIC)]
Interval = Annotated[str, Option("method of the confidence intervals", choices=known.INTERVALS, **_CI)]
Intervals = Annotated[Names, Option("methods of confidence intervals", choices=known.INTERVALS, several=True, **_CI)]
Bootstrap = Annotated[str, Option("what is resampled for the intervals", choices=known.BOOTSTRAPS, **_CI)]
PlannedInterval = Annotated[
    str,
    Option(
        "method of the interval (jackknife, two-way: new systems and inputs; boot-inputs: these systems, new inputs)",
        choices=known.PLANNED_INTERVALS,
        **_CI,
    ),
]
Confidence = Annotated[
    float, Option("confidence level of the intervals, between 0 and 1", known.fraction, key="ci", **_SHARE)
]
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
_KIND = _Shared(metavar="KIND", choices=known.CUTOFFS, key="cutoff")
Cutoff = Annotated[str, Option(_CUTOFF, **_KIND)]
Cutoffs = Annotated[Names, Option(_CUTOFF, several=True, **_KIND)]
Alternative = Annotated[
    str,
    Option(
        "alternative hypothesis: A better than B (greater), worse (less), or different (two-sided)",
        choices=known.ALTERNATIVES,
        listed=False,
        metavar="SIDE",
        key="alt",
    ),
]
Alpha = Annotated[float, Option("significance level, between 0 and 1", known.fraction, **_SHARE, key="alpha")]
Correction = Annotated[str, Option("correction for multiple tests", choices=known.CORRECTIONS, key="corr")]
Scope = Annotated[
    str,
    Option(
        "tests that are corrected together: those of one metric against all others (row), or all of a table (table)",
        choices=known.SCOPES,
        listed=False,
        metavar="SCOPE",
    ),
]
PValues = Annotated[
    str,
    Option(
        "p-values as (c+1)/(k+1) (plus-one), or as c/k with strictly larger draws counted (paper)",
        choices=known.P_VALUES,
        listed=False,
        metavar="KIND",
        key="p",
    ),
]
Resamples = Annotated[int, Option("number of resamples", known.repeats, **_K, key="k")]
Trials = Annotated[int, Option("number of simulated trials in each setting", known.repeats, **_K, key="trials")]
PlanTrials = Annotated[
    int | None,
    Option(
        "number of simulated data sets for each design",
        partial(known.repeats, least=50),
        **_K,
        absent="1,000 at system level, 300 at input level",
        key="trials",
    ),
]
Draws = Annotated[int, Option("pairs of samples drawn for each size", known.repeats, **_K, key="k")]
Seed = Annotated[
    int,
    Option(
        "seed of the random numbers; the same seed gives the same numbers, wherever the work is done",
        _seed,
        **_N,
        key="seed",
        group=_PLACE,
    ),
]

Limits = Annotated[
    bool,
    Option(
        "also report agreement in the limit of many inputs and with people who make no errors (Pearson, "
        "disattenuated), and the human ceiling",
        known.flag,
        switch=True,
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
        metavar="METHOD",
        choices=known.HOLDING_METHODS,
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
Bounds = Annotated[
    "str | Iterable[tuple[float, float]] | None",
    Option(
        "smallest and largest score difference of the pairs, in units of the scores, such as 0:0.5,0.5:1,1:",
        known.ranges,
        metavar="LOW:HIGH",
        group=_PAIRS,
        key="bounds",
        signed=_signed_bounds,
    ),
]
Shares = Annotated[
    "str | Iterable[float] | None",
    Option(
        "shares of the pairs that are closest in score, a comma list, or none",
        known.shares,
        metavar="SHARE",
        group=_PAIRS,
        absent="none",
        key="shares",
    ),
]
Triangle = Annotated[
    bool | int,
    Option(
        "evaluate all ranges of score differences on a grid of this many quantiles (10 in the paper)",
        _steps,
        group=_PAIRS,
        number=True,
        metavar="STEPS",
        key="triangle",
        signed=lambda steps: steps or None,
    ),
]
Curve = Annotated[
    bool,
    Option(
        "fit the probability that people agree as a function of the score difference",
        known.flag,
        switch=True,
        group=_PAIRS,
        key="curve",
        signed=lambda fitted: "logistic" if fitted else None,
    ),
]
Differences = Annotated[
    "str | Iterable[float] | None",
    Option(
        "score differences to explain, in units of the metric, a comma list, such as 0.5,1,2",
        known.positives,
        metavar="SIZE",
        group=_PAIRS,
        absent="five round numbers up to the largest in the data",
        key="difference",
    ),
]
Sizes = Annotated[
    "str | Iterable[int] | None",
    Option(
        "numbers of inputs in a sample, a comma list; each column goes up to its own number of inputs",
        known.counts,
        metavar="N",
        absent="ten up to the number of inputs",
    ),
]
EstimateMethods = Annotated[
    Names | None,
    Option(
        "how the metric is corrected by labels",
        metavar="METHOD",
        choices=known.ESTIMATE_METHODS,
        several=True,
        absent="ppi, and rogan-gladen where both say yes or no",
        key="method",
    ),
]
Nested = Annotated[
    bool,
    Option(
        "raters are different people for every output, so that their labels are positions and nothing else",
        known.flag,
        switch=True,
        key="raters",
        signed=lambda nested: "nested" if nested else "crossed",
    ),
]
Chance = Annotated[
    str | None,
    Option(
        "column with the probability of each output to be chosen for a label, as sheets by disagreement have it",
        metavar="COLUMN",
        absent="label_chance if there is such a column, else labels are a random choice",
    ),
]
Components = Annotated[int, Option("number of principal components shown in full", known.count, **_N)]
Folds = Annotated[
    int | None,
    Option(
        "hold out this many random folds in turn",
        partial(known.count, least=2),
        **_N,
        absent="one system, or one pair of systems, at a time",
    ),
]
CompositeFolds = Annotated[
    int,
    Option("folds of systems, and as many of inputs, that are held out in turn", partial(known.count, least=3), **_N),
]
MetricB = Annotated[
    str | None, Option("metric that the first is compared with, to plan a power", metavar="NAME", group=_GOAL)
]
Width = Annotated[
    float | None,
    Option(
        "wanted width of the confidence interval",
        known.positive,
        group=_GOAL,
        absent="0.2, unless a power is planned",
        **_SIZE,
    ),
]
Power = Annotated[
    float | None,
    Option(
        "wanted probability of finding that one of two metrics is better",
        known.fraction,
        group=_GOAL,
        absent="0.8 if a second metric is named",
        **_SHARE,
    ),
]
Difference = Annotated[
    float | None,
    Option(
        "difference of the two correlations to be found",
        known.fraction,
        group=_GOAL,
        absent="the one in the data",
        **_SIZE,
        key="difference",
    ),
]
HalfWidth = Annotated[
    float,
    Option(
        "wanted precision: half the width of the confidence interval, such as 0.03 for 3 points",
        known.positive,
        group=_GOAL,
        **_SIZE,
        key="target",
    ),
]
Annotations = Annotated[
    int, Option("report what this many further annotations would bring", known.count, group=_GOAL, **_N, key="next")
]
Noise = Annotated[
    "str | float | Sequence[float]",
    Option(
        "sizes of the noise in the damaged metric, in standard deviations of its scores, a comma list",
        known.positives,
        metavar="SIZE",
        group="how the metric is damaged",
    ),
]
World = Annotated[
    Names | None,
    Option(
        "simulated populations of the grid, by name",
        repeated=True,
        group="populations",
        absent="all of them without scores, none with scores",
    ),
]
By = Annotated[
    str,
    Option(
        "what is compared: language, annotator, reference, metric, human, or a column of the tables, such as version",
        metavar="COLUMN",
        group=_COMPARED,
        key="by",
        signed=known.in_a_signature,
    ),
]
SliceBy = Annotated[
    str | None,
    Option(
        "do the study on each slice of the data and test whether slices differ: a column such as category, or "
        "language, annotator, cluster, family or group",
        metavar="COLUMN",
        group="which part of the data",
    ),
]
Baseline = Annotated[
    str | None,
    Option("level that the others are compared with", metavar="LEVEL", group=_COMPARED, absent="English, or the first"),
]
Margin = Annotated[
    float,
    Option("how far apart correlations may be and still be equivalent: the constant margin", known.fraction, **_SIZE),
]
MeanMargin = Annotated[
    float | None,
    Option(
        "how far pass rates or means may be apart and still be equivalent",
        known.positive,
        absent="5% of the range of scores, 0.05 for rates",
        **_SIZE,
    ),
]
Once = Annotated[
    bool, Option("take the shorter interval that holds for a single look at the data only", known.flag, switch=True)
]
MarginKinds = Annotated[
    Names,
    Option(
        "margins (sd and range: standard deviation and largest difference of the correlations with single annotators)",
        metavar="KIND",
        choices=known.MARGIN_KINDS,
        several=True,
    ),
]
Resample = Annotated[
    str,
    Option(
        "what is drawn with replacement (points: single outputs, as in the paper)",
        metavar="WHAT",
        choices=known.RESAMPLED,
        key="resample",
    ),
]
Aggregate = Annotated[
    str, Option("how scores against several references become one", metavar="HOW", choices=known.AGGREGATES, key="refs")
]

Rankings = Annotated[
    Names | None,
    Option(
        "how systems are ranked (mean needs scores, the others votes)",
        metavar="HOW",
        choices=known.RANKINGS,
        several=True,
        absent="bradley-terry from votes, mean from scores",
        key="coef",
    ),
]
Ties = Annotated[
    str,
    Option(
        "what ties are: half a win for both, or an outcome of its own (davidson)",
        metavar="HOW",
        choices=known.TIES,
        listed=False,
        key="ties",
    ),
]
Covariates = Annotated[
    Names | None,
    Option(
        "what to hold equal between two outputs: position (which was shown first), length (in words), or NAME for "
        "columns NAME_a and NAME_b",
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
        metavar="METHOD",
        choices=known.RANK_INTERVALS,
        key="ci",
    ),
]
VoteUnits = Annotated[
    str,
    Option(
        "what the intervals generalise to new ones of; votes on one of them belong together",
        metavar="WHAT",
        choices=known.VOTE_UNITS,
        key="resample",
    ),
]

# -- files and places -------------------------------------------------------------------------------------------------

Threads = Annotated[
    int | None,
    Option(
        "threads to use; they change no number",
        partial(known.count, least=1),
        group=_PLACE,
        absent="all processors",
        **_N,
    ),
]
Cluster = Annotated[
    str | None,
    Option("address of a Dask scheduler that does the work, such as tcp://host:8786", metavar="ADDRESS", group=_PLACE),
]
Workers = Annotated[
    int | None, Option("start this many local Dask workers for the work", known.count, group=_PLACE, **_N)
]
Checkpoint = Annotated[
    "str | PathLike[str] | None",
    Option(
        "keep finished work in this file, and go on from there when the same command is run again",
        metavar="FILE",
        group=_PLACE,
    ),
]

# -- texts ------------------------------------------------------------------------------------------------------------

Rate = Annotated[
    float | None,
    Option(
        "share of the verbs, sentences, persons, words or numbers to change, from 0 to 1",
        group="what to corrupt",
        absent="1; drop-words 0.2, truncate 0.5",
        **_SHARE,
    ),
]
Backend = Annotated[
    str,
    Option(
        "who finds sentences, verbs and persons: built-in, or spacy:PIPELINE by name or path", group="what to corrupt"
    ),
]
Timeout = Annotated[
    float,
    Option("seconds that one call of a program may last", known.positive, number=True, metavar="SECONDS", group=_PLACE),
]
