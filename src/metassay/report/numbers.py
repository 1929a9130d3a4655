"""From numbers to digits. Nothing else in metassay rounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence


class Undefined(str):
    """A text in which an undefined number stands, and still does when words are added."""

    __slots__ = ()

    def __add__(self, more: str) -> Undefined:
        return Undefined(f"{self}{more}")


DASH = Undefined("–")
"""What stands for an undefined number."""


def made_of(form: str, *parts: str) -> str:
    """Return a text made of several, which is undefined if one of them is."""
    text = form.format(*parts)
    return Undefined(text) if any(isinstance(part, Undefined) for part in parts) else text


def fixed(value: float, digits: int) -> str:
    """Return `value` with so many decimals; zero never has a sign."""
    if math.isnan(value):
        return DASH
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def correlation(value: float) -> str:
    """Return a correlation, or a difference of two, with three decimals.

    Examples
    --------
    >>> correlation(0.58349), correlation(-0.0001), correlation(float("nan"))
    ('0.583', '0.000', '–')
    """
    return fixed(value, 3)


def bound(value: float) -> str:
    """Return the end of an interval with two decimals, three where two would hide its side of zero."""
    return fixed(value, 3 if 0.0005 <= abs(value) < 0.005 else 2)


def p_value(value: float) -> str:
    """Return a p-value in the usual short form.

    Examples
    --------
    >>> p_value(0.0004), p_value(0.0123), p_value(1.0), p_value(float("nan"))
    ('<.001', '.012', '>.999', '–')
    """
    if math.isnan(value):
        return DASH
    if value < 0.001:
        return "<.001"
    if value >= 0.9995:
        return ">.999"
    return f"{value:.3f}".removeprefix("0")


def percent(share: float) -> str:
    """Return a share as a whole percentage that is 0% or 100% only if it is exactly that."""
    if not math.isfinite(share):
        return DASH
    if 0 < share < 0.005:
        return "<1%"
    if 0.995 <= share < 1:
        return ">99%"
    return f"{100 * share:.0f}%"


def in_percent(share: float) -> str:
    """Return the same where a legend says that it is percent."""
    return percent(share).removesuffix("%") if math.isfinite(share) else DASH


def change(share: float) -> str:
    """Return a relative change as a whole percentage with its sign.

    Examples
    --------
    >>> change(-0.336), change(0.081), change(-0.001)
    ('-34%', '+8%', '0%')
    """
    if not math.isfinite(share):
        return DASH
    text = f"{100 * share:+.0f}%"
    return "0%" if text in ("+0%", "-0%") else text


def percent_range(share: float, low: float, high: float) -> str:
    """Return a share with its interval, such as ``21% [10–40%]``."""
    if math.isnan(share):
        return DASH
    ends = percent(low), percent(high)
    if DASH in ends:
        return made_of("{} [{}, {}]", percent(share), *ends)
    return f"{percent(share)} [{ends[0].removesuffix('%')}–{ends[1]}]"


def general(value: float) -> str:
    """Return a number of unknown scale, with about four digits."""
    size = abs(value)
    if 0 < size < 0.0005:
        return f"{value:.2g}"
    if size >= 1000:
        return f"{value:,.0f}" if math.isfinite(size) else fixed(value, 0)
    return fixed(value, 1 if size >= 100 else 3)


def significant(value: float) -> str:
    """Return a number with four significant digits, to be held against a limit; in a word if it is undefined.

    Examples
    --------
    >>> significant(0.0857142), significant(math.nan)
    ('0.08571', 'undefined')
    """
    return "undefined" if math.isnan(value) else f"{value:.4g}"


def with_intervals(triples: Sequence[tuple[float, float, float]]) -> list[str]:
    """Return estimates with intervals, such as ``0.583 [0.21, 0.80]``, padded to stand under each other."""
    parts = [(correlation(e), bound(low), bound(high)) for e, low, high in triples]
    known = [p for p in parts if p[0] != DASH]
    widths = [max((len(p[i]) for p in known), default=0) for i in range(3)]
    form = f"{{:>{widths[0]}}} [{{:>{widths[1]}}}, {{:>{widths[2]}}}]"
    return [DASH if part[0] == DASH else made_of(form, *part) for part in parts]


def count(number: float) -> str:
    """Return a whole number with commas between thousands."""
    return DASH if math.isnan(number) else f"{number:,.0f}"


def span(values: Iterable[float], form: Callable[[float], str] = count, to: str = " to ") -> str:
    """Return the smallest and the largest of some numbers, once if they are written alike; nothing if there is none.

    Examples
    --------
    >>> span([3, 1200]), span([5, 5]), span([])
    ('3 to 1,200', '5', '')
    """
    known = list(values)
    ends = dict.fromkeys((form(min(known)), form(max(known)))) if known else {}
    return to.join(ends)


def ranged(value: float, low: float, high: float, form: Callable[[float], str]) -> str:
    """Return a number with its interval, such as ``0.58 [0.21, 0.80]``."""
    return DASH if math.isnan(value) else made_of("{} [{}, {}]", form(value), form(low), form(high))


def interval(low: float, high: float, form: Callable[[float], str]) -> str:
    """Return an interval, such as ``[0.21, 0.80]``."""
    return DASH if math.isnan(low) else made_of("[{}, {}]", form(low), form(high))


def one(value: float) -> str:
    """Return a number with one decimal."""
    return fixed(value, 1)


def two(value: float) -> str:
    """Return a number with two decimals."""
    return fixed(value, 2)


def of(part: int, whole: int) -> str:
    """Return a part and what it is a part of."""
    return f"{part:,} of {whole:,}"


def product(n: int, m: int) -> str:
    """Return two numbers that are multiplied, such as those of systems and inputs."""
    return f"{n:,} × {m:,}"


def plain(value: float) -> str:
    """Return a number with as few digits as it has."""
    return f"{value:g}"


def level(share: float) -> str:
    """Return a confidence level or a rate as a percentage with as many digits as it has."""
    return f"{100 * share:g}%"


def counted(number: int, what: str) -> str:
    """Return how many there are of `what`, which takes an s where there is not one.

    Examples
    --------
    >>> counted(1, "metric"), counted(1200, "input")
    ('1 metric', '1,200 inputs')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"
