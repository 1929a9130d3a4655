"""The options of the question whether a judge can be trusted."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

from metassay.core import vocabulary as known
from metassay.core.option import Names, Option, among, compared, number, studied, under
from metassay.core.options import checked_statistics, signed_statistics
from metassay.errors import UsageError, one_line
from metassay.stats.methods.names import CUTS, EPSILONS

if TYPE_CHECKING:
    from metassay.stats.statistics.base import Statistic as StatisticObject

_judged, _gate = under("evaluation of the judge"), under("gate")
_REQUIREMENT = re.compile(r"\s*(?:(.+?)\s*:\s*)?([a-z][a-z0-9_-]*)(?:\.([a-z]+))?\s*(>=|<=|>|<|==)\s*(\S+)\s*")
FIELDS = ("estimate", "low", "high", "abs", "n")
"""What a requirement may speak of: a number, the ends of its interval, its size without sign, and items."""


def requirement(text: str) -> tuple[str, str, str, str, float]:
    """Return the judge (empty for all), the number's name, its field, the comparison and the bound of a requirement.

    Examples
    --------
    >>> requirement("kappa.low>=0.6")
    ('', 'kappa', 'low', '>=', 0.6)
    """
    match = _REQUIREMENT.fullmatch(str(text))
    try:
        bound = math.nan if match is None else float(match[5])
    except ValueError:
        bound = math.nan
    if match is None or math.isnan(bound) or (match[3] or "estimate") not in FIELDS:
        raise UsageError(
            f"a requirement is NAME[.{'|'.join(FIELDS)}]>=NUMBER, such as kappa.low>=0.6, or JUDGE:NAME…, "
            f"got {one_line(text, 60)!r}"
        )
    return match[1] or "", match[2], match[3] or "estimate", match[4], bound


def _requirements(_what: str, value: Names) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else list(value)
    found = tuple(dict.fromkeys(each for text in texts for each in known.names(text)))
    for text in found:
        requirement(text)
    return found


def _epsilon(_what: str, value: str | float) -> float:
    text = str(value).strip().lower()
    if text in EPSILONS:
        return EPSILONS[text]
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 <= found < 1:
        raise UsageError(f"epsilon must be {', '.join(EPSILONS)} or a number from 0 to 1, got {one_line(value, 40)!r}")
    return found


Judges = Annotated[
    Names | None,
    studied(
        "judges: names of columns, globs or comma lists",
        repeated=True,
        absent="every column that is not human",
        alias="metric",
    ),
]
Statistics = Annotated[
    "str | StatisticObject | Iterable[str | StatisticObject] | None",
    Option(
        "statistics of labels, grades or probabilities, a comma list such as kappa,ac1",
        checked_statistics,
        absent="what suits the scale",
        alias="coefficient",
        key="coef",
        signed=signed_statistics,
    ),
]
Abstain = Annotated[
    str,
    _judged(
        "how to count items that people judged and the judge did not answer: excluded (missing), or as errors "
        "(wrong; labels only)",
        **among("HOW", ("missing", "wrong")),
        key="abstain",
    ),
]
Epsilon = Annotated[
    "str | float",
    _judged(
        "ε of the alternative-annotator test, by which a judge may be worse than an annotator: experts (0.2), "
        "skilled (0.15), crowd (0.1), or a number",
        _epsilon,
        metavar="EPSILON",
        key="epsilon",
    ),
]
Worse = Annotated[
    float,
    _judged(
        "also report how often a judge that is worse than an annotator by this much would pass that test",
        **number("SIZE", known.fraction),
    ),
]
Cut = Annotated[
    str,
    _judged(
        "rule that sets the threshold of a judge that gives scores; for cost, precision and recall see --target",
        **among("RULE", CUTS),
        key="cut",
    ),
]
Target = Annotated[
    float | None,
    _judged(
        "precision or recall to reach at the threshold, or the cost of a false positive relative to a false negative",
        absent="0.9 for precision and recall, 1 for cost",
        key="cut",
        **number("X", known.positive),
    ),
]
Attributes = Annotated[
    Names | None,
    _judged(
        "attributes to slice by: names, globs or comma lists, or none",
        repeated=True,
        absent="every attribute, the system, and the length of texts",
    ),
]
Generalise = Annotated[
    str,
    Option(
        "what intervals generalise to: new inputs (or clusters of inputs) for these systems, new inputs and new "
        "systems (both), or single items",
        **among("WHAT", ("inputs", "both", "items")),
        key="over",
    ),
]
Interval = Annotated[
    str,
    Option(
        "method of the intervals (sandwich: by a formula; bootstrap: percentiles)",
        **among("METHOD", ("sandwich", "bootstrap")),
        key="ci",
    ),
]
Versions = Annotated[
    str,
    compared(
        "what distinguishes the versions: metric (each column is a version; name them with --metric), or a column of "
        "the table, such as judge_version; not needed with OLD=FILE NEW=FILE",
        metavar="COLUMN",
        key="by",
        signed=known.in_a_signature,
    ),
]
OldVersion = Annotated[
    str | None,
    compared("version that the others are compared with", metavar="VERSION", absent="the first"),
]
Require = Annotated[
    Names | None,
    _gate(
        "a requirement such as kappa.low>=0.6 or bias.abs<=0.05; exit code 3 if one is not met",
        _requirements,
        repeated=True,
        metavar="REQUIREMENT",
    ),
]
