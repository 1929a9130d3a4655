"""How far the numbers of `criteria` would vary: from resamples, or from what systems and inputs do to them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from metassay.stats.arrays import FloatArray
from metassay.stats.intervals import percentile
from metassay.stats.methods.base import Draws
from metassay.stats.methods.case import Case
from metassay.stats.methods.first_order import Ends, Moves
from metassay.stats.methods.jackknife import JackknifeInterval
from metassay.stats.partial_correlation import relative_difference
from metassay.stats.statistics.scales import Scale
from metassay.studies.yardsticks import ahead

NONE = (math.nan, math.nan)


class Drawn(NamedTuple):
    """Correlations in resamples, as they are and with the anchor held fixed."""

    whole: FloatArray
    within: FloatArray

    def ends(self, confidence: float) -> tuple[Ends, Ends, Ends]:
        """Return the intervals of both, and of their relative difference."""
        relative = relative_difference(self.whole, self.within)
        return percentile(self.whole, confidence), percentile(self.within, confidence), percentile(relative, confidence)

    def less(self, share: float, side: float, confidence: float) -> Ends:
        """Return the interval of what is left less a share of it all, turned so that it all is positive."""
        return percentile(side * self.within - share * (side * self.whole), confidence)

    def undefined(self, *, held: bool) -> int:
        """Return how many resamples have no value of the first, or of the second if one is `held` fixed."""
        lost = np.isnan(self.whole)
        return int((lost | np.isnan(self.within) if held else lost).sum())


class Moved(NamedTuple):
    """Correlations as they are and with the anchor held fixed, and what moves them."""

    estimate: float
    within: float
    whole_moves: Moves
    within_moves: Moves
    scale: Scale

    def ends(self, confidence: float) -> tuple[Ends, Ends, Ends]:
        """Return the intervals of both, and of their relative difference."""
        whole, within = (
            NONE if math.isnan(at) else moves.around(at, confidence, self.scale)
            for at, moves in ((self.estimate, self.whole_moves), (self.within, self.within_moves))
        )
        low, high = self._ratio_ends(confidence)
        # |1 − |q|| between the ends of q, and where it turns.
        met = [low, high, *(turn for turn in (-1.0, 0.0, 1.0) if low < turn < high)]
        found = [abs(1 - abs(q)) for q in met]
        return whole, within, (min(found), max(found)) if not math.isnan(low) else NONE

    def _ratio_ends(self, confidence: float) -> Ends:
        """Return the interval of the ratio q of both by Fieller (1954): all q for which within − q·whole may be 0.

        It has ends only if the whole is not 0.
        """
        if math.isnan(self.estimate + self.within):
            return NONE
        both = Moves.of_sum([(1.0, self.within_moves), (-1.0, self.whole_moves)])
        of_whole, of_within, of_both = (m.reach(confidence) ** 2 for m in (self.whole_moves, self.within_moves, both))
        shared = (of_whole + of_within - of_both) / 2
        square, middle = self.estimate**2 - of_whole, self.estimate * self.within - shared
        root = middle**2 - square * (self.within**2 - of_within)
        if not (square > 0 and root >= 0):
            return NONE
        return (middle - math.sqrt(root)) / square, (middle + math.sqrt(root)) / square

    def less(self, share: float, side: float, confidence: float) -> Ends:
        """Return the interval of what is left less a share of it all, turned so that it all is positive."""
        moves = Moves.of_sum([(side, self.within_moves), (-side * share, self.whole_moves)])
        return moves.around(side * (self.within - share * self.estimate), confidence)

    def relative(self) -> tuple[float, Moves] | None:
        """Return the relative difference and what moves it; None where it is undefined."""
        ratio = self._ratio()
        if ratio is None:
            return None
        q, moves = ratio
        turned = math.copysign(1.0, abs(q) - 1) * math.copysign(1.0, q)
        return abs(1 - abs(q)), Moves.of_sum([(turned, moves)])

    def _ratio(self) -> tuple[float, Moves] | None:
        if math.isnan(self.estimate + self.within) or self.estimate == 0:
            return None
        q = self.within / self.estimate
        return q, Moves.of_sum([(1 / self.estimate, self.within_moves), (-q / self.estimate, self.whole_moves)])


class Fixed(NamedTuple):
    """Means of systems of two criteria, which have the jackknife interval of `agree`."""

    case: Case

    def ends(self, confidence: float) -> tuple[Ends, Ends, Ends]:
        """Return the interval; there are no others."""
        (found,) = JackknifeInterval().compute([self.case], Draws(1, 0), confidence)
        return (float(found.low[0]), float(found.high[0])), NONE, NONE


def within_ahead(
    spreads: Mapping[str, Drawn | Moved | Fixed], kinds: Mapping[str, str], alpha: float
) -> dict[str, bool]:
    """Return for each metric whether more of it is left than of every sentinel, one-sided at level `alpha`."""
    moved = {name: spread for name, spread in spreads.items() if isinstance(spread, Moved)}
    if not moved:
        return ahead({name: s.within for name, s in spreads.items() if isinstance(s, Drawn)}, kinds, alpha)
    found = {}
    sentinels = [s for name, s in moved.items() if kinds[name] == "sentinel" and not math.isnan(s.within)]
    for name, own in moved.items():
        if kinds[name] == "metric" and sentinels:
            gaps = [
                (own.within - other.within, Moves.of_sum([(1.0, own.within_moves), (-1.0, other.within_moves)]))
                for other in sentinels
            ]
            found[name] = all(moves.around(gap, 1 - 2 * alpha)[0] > 0 for gap, moves in gaps)
    return found


def quantile_over(spreads: Sequence[Drawn | Moved | Fixed], share: float, confidence: float) -> tuple[float, float]:
    """Return the interval of a quantile of relative differences over metrics."""
    drawn = [each for each in spreads if isinstance(each, Drawn)]
    if drawn:
        values = relative_difference(*(np.stack([d[at] for d in drawn]) for at in (0, 1)))
        return percentile(quantile(values, share), confidence)
    known = [found for each in spreads if isinstance(each, Moved) and (found := each.relative()) is not None]
    if not known:
        return NONE
    known.sort(key=lambda each: each[0])
    place = (len(known) - 1) * share
    low, high = known[math.floor(place)], known[math.ceil(place)]
    part = place - math.floor(place)
    moves = Moves.of_sum([(1 - part, low[1]), (part, high[1])])
    ends = moves.around(low[0] + part * (high[0] - low[0]), confidence)
    return max(ends[0], 0.0) if not math.isnan(ends[0]) else math.nan, ends[1]


def quantile(values: FloatArray, share: float) -> FloatArray:
    """Return a quantile over the rows, leaving out undefined values; NaN where none is left.

    Linear between neighbours, as NumPy's ``nanquantile``, which takes one column at a time.
    """
    ordered = np.sort(values, axis=0)  # undefined ones go to the end
    place = np.maximum((~np.isnan(values)).sum(axis=0) - 1, 0) * share
    low, high = (np.take_along_axis(ordered, f(place).astype(np.int64)[None], axis=0)[0] for f in (np.floor, np.ceil))
    return np.asarray(low + (high - low) * (place - np.floor(place)))
