"""Options of plans and simulations: target, and which worlds are drawn; see :mod:`metassay.core.options`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated

from metassay.core import vocabulary as known
from metassay.core.option import COUNT, FLAG, REPEATS, SHARE, SIZE, Names, Option, number, under

_wanted, _damaged = under("target"), under("how the metric is corrupted")
MetricB = Annotated[str | None, _wanted("second metric, to plan the power of a comparison", metavar="NAME")]
Width = Annotated[
    float | None,
    _wanted("target width of the confidence interval", absent="0.2 if no power is planned", **SIZE),
]
Power = Annotated[
    float | None,
    _wanted(
        "target power: probability of finding that one of two metrics is better",
        absent="0.8 if a second metric is named",
        **SHARE,
    ),
]
Difference = Annotated[
    float | None,
    _wanted(
        "difference of the two correlations to detect",
        absent="the one in the data",
        key="difference",
        **number("SIZE", known.fraction),
    ),
]
HalfWidth = Annotated[
    float,
    _wanted(
        "target precision: half the width of the confidence interval, such as 0.03 for 3 percentage points",
        key="target",
        **SIZE,
    ),
]
Annotations = Annotated[
    int, _wanted("report the expected gain from this many further annotations", key="next", **COUNT)
]
Noise = Annotated[
    "str | float | Sequence[float]",
    _damaged(
        "sizes of the noise in the corrupted metric, in standard deviations of its scores, a comma list",
        known.positives,
        metavar="SIZE",
    ),
]
Shuffle = Annotated[
    "str | float | Sequence[float]",
    _damaged(
        "for statistics of labels and probabilities, the shares of outputs among which the corrupted metric's answers "
        "are shuffled, a comma list",
        lambda what, value: tuple(known.fraction(what, each) for each in known.positives(what, value)),
        metavar="SHARE",
    ),
]
Population = Annotated[
    Names | None,
    Option(
        "simulated populations of the grid, by name",
        repeated=True,
        group="populations",
        alias="world",
        absent="all if there are no files, else none",
    ),
]
Trials = Annotated[int, Option("number of simulated trials in each setting", key="trials", **REPEATS)]
ModelOnly = Annotated[
    bool, Option("predict widths from the fitted model alone, without intervals on subsets of the data; faster", **FLAG)
]
PlanTrials = Annotated[
    int | None,
    Option(
        "number of simulated data sets for each design",
        absent="1,000 at system and global level, 300 at input level",
        key="trials",
        **number("K", partial(known.repeats, least=50)),
    ),
]
