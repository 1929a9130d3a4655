"""JSON in which no object has a key twice: Python would silently keep the last of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from metassay.errors import one_line

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"(?P<colon>\s*:)?|[{}\[\]]', re.DOTALL)


class RepeatedKey(ValueError):
    """An object has a key twice."""

    def __init__(self, key: str, line: int) -> None:
        super().__init__(f"the key {one_line(key, 60)!r} occurs twice in one object; keep one of them")
        self.line = line


class _Repeated(ValueError):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _Repeated
    return made


_DECODER = json.JSONDecoder(object_pairs_hook=_object)
_SCAN: Callable[[str, int], tuple[object, int]] = _DECODER.scan_once  # type: ignore[attr-defined]


def loads(text: str) -> object:
    """Return what `text` says, as :func:`json.loads` does; a key that an object has twice raises RepeatedKey."""
    try:
        value, end = _SCAN(text, 0)  # as `decode`, without looking for space before and after
        return value if end == len(text) else _DECODER.decode(text)
    except StopIteration:
        return _DECODER.decode(text)
    except _Repeated:
        pass
    json.loads(text)  # what is no JSON further on is told first
    raise _located(text)


def _located(text: str) -> RepeatedKey:
    """Return the error for the first key in the text that its object already has."""
    opened: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        found, colon = token[0], token["colon"]
        if found in "{[":
            opened.append(set())
        elif found in "}]":
            opened.pop()
        elif colon:
            key = json.loads(found[: -len(colon)])
            if key in opened[-1]:
                return RepeatedKey(key, text.count("\n", 0, token.start()) + 1)
            opened[-1].add(key)
    raise AssertionError("an object has a key twice and the text does not")
