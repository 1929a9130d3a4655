"""When two values are the same: missing and undefined numbers included."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any


def same(a: Any, b: Any) -> bool:  # noqa: ANN401 - any two values can be compared
    """Return whether two values are equal, where NaN equals NaN, and arrays and records are equal part by part.

    Examples
    --------
    >>> same((1.0, float("nan"), "x"), (1.0, float("nan"), "x")), same((1.0,), (1.0, 2.0))
    (True, False)
    """
    if a is b:
        return True
    if hasattr(a, "dtype") != hasattr(b, "dtype"):
        return False
    if hasattr(a, "dtype"):
        import numpy as np  # here, so that importing metassay does not wait for it

        return bool(np.array_equal(a, b, equal_nan=a.dtype.kind == b.dtype.kind == "f"))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, tuple | list) and type(a) is type(b):
        return len(a) == len(b) and all(map(same, a, b))
    if dataclasses.is_dataclass(a) and type(a) is type(b):
        return same_fields(a, b)
    return bool(a == b)


def same_fields(a: object, b: object) -> bool:
    """Return whether two records of one class are equal field by field; see :func:`same`."""
    if type(a) is not type(b) or not dataclasses.is_dataclass(a):
        return False
    return all(same(getattr(a, field.name), getattr(b, field.name)) for field in dataclasses.fields(a) if field.compare)


class Record:
    """A frozen dataclass whose objects are equal field by field, and are copied and pickled by their constructor."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return same_fields(self, other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        raise NotImplementedError

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        values = (getattr(self, field.name) for field in dataclasses.fields(self))  # type: ignore[arg-type]
        # A read-only view of a mapping cannot be pickled; the constructor makes another, read-only again.
        return type(self), tuple(dict(value) if isinstance(value, Mapping) else value for value in values)
