"""Options of plans and simulations: what is wanted, and which worlds are drawn; see :mod:`metassay.core.options`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated

from metassay.core import vocabulary as known
from metassay.core.option import COUNT, REPEATS, SHARE, SIZE, Names, Option, number

_WANTED, _DAMAGED = "what is wanted", "how the metric is damaged"
MetricB = Annotated[
    str | None, Option("metric that the first is compared with, to plan a power", group=_WANTED, metavar="NAME")
]
Width = Annotated[
    float | None,
    Option("wanted width of the confidence interval", group=_WANTED, absent="0.2, unless a power is planned", **SIZE),
]
Power = Annotated[
    float | None,
    Option(
        "wanted probability of finding that one of two metrics is better",
        group=_WANTED,
        absent="0.8 if a second metric is named",
        **SHARE,
    ),
]
Difference = Annotated[
    float | None,
    Option(
        "difference of the two correlations to be found",
        group=_WANTED,
        absent="the one in the data",
        key="difference",
        **number("SIZE", known.fraction),
    ),
]
HalfWidth = Annotated[
    float,
    Option(
        "wanted precision: half the width of the confidence interval, such as 0.03 for 3 points",
        group=_WANTED,
        key="target",
        **SIZE,
    ),
]
Annotations = Annotated[
    int, Option("report what this many further annotations would bring", group=_WANTED, key="next", **COUNT)
]
Noise = Annotated[
    "str | float | Sequence[float]",
    Option(
        "sizes of the noise in the damaged metric, in standard deviations of its scores, a comma list",
        known.positives,
        group=_DAMAGED,
        metavar="SIZE",
    ),
]
Shuffle = Annotated[
    "str | float | Sequence[float]",
    Option(
        "for statistics of labels and probabilities, the shares of outputs among which the damaged metric's answers "
        "are shuffled, a comma list",
        lambda what, value: tuple(known.fraction(what, each) for each in known.positives(what, value)),
        group=_DAMAGED,
        metavar="SHARE",
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
Trials = Annotated[int, Option("number of simulated trials in each setting", key="trials", **REPEATS)]
PlanTrials = Annotated[
    int | None,
    Option(
        "number of simulated data sets for each design",
        absent="1,000 at system and global level, 300 at input level",
        key="trials",
        **number("K", partial(known.repeats, least=50)),
    ),
]
