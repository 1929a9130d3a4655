"""Records of results as plain values, and back: what JSON can hold."""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

INFINITE = {"Infinity": math.inf, "-Infinity": -math.inf}
"""How infinite numbers are written; undefined ones are null."""


@cache
def field_names(kind: type) -> tuple[str, ...]:
    """Return the names of the fields of a dataclass."""
    return tuple(each.name for each in dataclasses.fields(kind))


def encode(value: Any) -> Any:  # noqa: ANN401 - whatever a study puts in a result
    """Return a value as JSON knows it.

    Examples
    --------
    >>> encode((1.5, float("nan"), float("inf"), "x"))
    [1.5, None, 'Infinity', 'x']
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return None
        # NumPy's numbers are Python's, too, and say more of themselves than JSON wants
        return float(value) if math.isfinite(value) else f"{'-' if value < 0 else ''}Infinity"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: encode(getattr(value, name)) for name in field_names(type(value))}
    if isinstance(value, Mapping):
        return {str(key): encode(part) for key, part in value.items()}
    if hasattr(value, "tolist"):
        return encode(value.tolist())
    return [encode(part) for part in value]


def decode(value: Any, kind: Any) -> Any:  # noqa: ANN401 - whatever a study puts in a result
    """Return what `encode` made of a value of that type.

    Examples
    --------
    >>> decode([1.5, None, "Infinity"], tuple[float, ...])
    (1.5, nan, inf)
    """
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in parts:
            return None
        return decode(value, next(part for part in parts if part is not type(None)))
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return make(kind, value)
    if kind is float:
        return math.nan if value is None else INFINITE[value] if isinstance(value, str) else +value
    if origin is tuple and parts[-1] is not Ellipsis:
        return tuple(decode(part, each) for part, each in zip(value, parts, strict=True))
    if origin in (tuple, Sequence):
        return tuple(decode(part, parts[0]) for part in value)
    if origin is Mapping:
        return {key: decode(part, parts[1]) for key, part in value.items()}
    if isinstance(value, list):
        return _array(value)
    return value


def make(kind: type, values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a record of that class
    """Return a record of a class from its fields; those that are not there have their default."""
    hints = get_type_hints(kind)
    known = [each.name for each in dataclasses.fields(kind) if each.name in values]
    return kind(**{name: decode(values[name], hints[name]) for name in known})


def is_table(kind: Any) -> bool:  # noqa: ANN401 - the type of a field
    """Return whether a field of that type holds rows: records, one after the other."""
    parts = get_args(kind)
    return get_origin(kind) in (tuple, Sequence) and bool(parts) and dataclasses.is_dataclass(parts[0])


def _array(value: list[Any]) -> Any:  # noqa: ANN401 - an array of numbers
    import numpy as np

    return np.array([[math.nan if x is None else x for x in row] if isinstance(row, list) else row for row in value])
