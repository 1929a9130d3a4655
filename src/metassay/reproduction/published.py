"""The list of published numbers that ships with the package."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """Numbers that stand together in a paper, and how to have them again."""

    paper: str
    """Key of the paper in :func:`papers`."""
    where: str
    """Table, figure or section."""
    what: str
    """What the numbers are."""
    values: Mapping[str, float]
    """The printed numbers, by what tells them apart."""
    data: str = ""
    """The data set they are about, if it is one of ours."""
    check: str = ""
    """The check that computes them; empty if there is none."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What the check needs to know."""
    tolerance: float | None = None
    """How far ours may be away; none if agreement cannot be asked for."""
    cannot: str = ""
    """Why agreement cannot be asked for."""
    remark: str = ""
    """Why numbers may differ."""


@cache
def figures() -> tuple[Figure, ...]:
    """Return every published figure, by paper."""
    return tuple(Figure(**entry) for entry in _content()["figures"])


@cache
def papers() -> Mapping[str, str]:
    """Return the papers by key, each as a citation."""
    found: dict[str, str] = _content()["papers"]
    return found


@cache
def remarks() -> Mapping[str, str]:
    """Return what a reader must know to have a paper's numbers again, by key of the paper."""
    found: dict[str, str] = _content()["notes"]
    return found


def _content() -> dict[str, Any]:
    text = files("metassay").joinpath("data", "published.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content
