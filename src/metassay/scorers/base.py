"""What every metric of texts has: a name, options that are part of its recipe, and needs that are checked first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from metassay.core.texts import Item

Need = Literal["output", "references", "source"]


class Scorer(Protocol):
    """A metric with its options settled, ready to score.

    A scorer is a value: two with the same signature give the same numbers. Constructing one checks its options and
    that what it needs is installed, so nothing fails after work has started.
    """

    @property
    def signature(self) -> str:
        """The recipe in one line, such as ``rouge|stem:porter+exceptions|references:max|v:1``; the key of the cache."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the scores that one output gets, such as ``rouge-1_f1``."""
        ...

    @property
    def lower_is_better(self) -> frozenset[str]:
        """The columns in which small scores are good, usually none."""
        ...

    @property
    def needs(self) -> frozenset[Need]:
        """What an item must have to be scored; an item that lacks it gets NaN and is counted."""
        ...

    def score(self, items: Sequence[Item]) -> npt.NDArray[np.float64]:
        """Return scores of shape (items, columns), NaN where a score is undefined."""
        ...
