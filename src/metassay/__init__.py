"""How far can an automatic metric, or a model used as a judge, be trusted in place of people?

The public names are loaded when they are first used, so ``import metassay`` costs almost nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from metassay.core.result import on_first_use
from metassay.core.signature import VERSION as __version__

if TYPE_CHECKING:
    from metassay.core.scores import Column as Column
    from metassay.core.scores import Scores as Scores
    from metassay.core.signature import Signature as Signature
    from metassay.errors import Contradiction as Contradiction
    from metassay.errors import DataError as DataError
    from metassay.errors import FormatError as FormatError
    from metassay.errors import MetassayError as MetassayError
    from metassay.errors import UnknownName as UnknownName
    from metassay.errors import UsageError as UsageError
    from metassay.readers import example as example
    from metassay.readers import read as read
    from metassay.readers import write as write
    from metassay.studies.agree import Agreement as Agreement
    from metassay.studies.agree import agree as agree
    from metassay.studies.compare import Comparison as Comparison
    from metassay.studies.compare import compare as compare
    from metassay.studies.normality import Normality as Normality
    from metassay.studies.normality import normality as normality

_HOMES = {
    "Agreement": "metassay.studies.agree",
    "Column": "metassay.core.scores",
    "Comparison": "metassay.studies.compare",
    "Contradiction": "metassay.errors",
    "DataError": "metassay.errors",
    "FormatError": "metassay.errors",
    "MetassayError": "metassay.errors",
    "Normality": "metassay.studies.normality",
    "Scores": "metassay.core.scores",
    "Signature": "metassay.core.signature",
    "UnknownName": "metassay.errors",
    "UsageError": "metassay.errors",
    "agree": "metassay.studies.agree",
    "compare": "metassay.studies.compare",
    "example": "metassay.readers",
    "normality": "metassay.studies.normality",
    "read": "metassay.readers",
    "write": "metassay.readers",
}

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - stands for every public name
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


# Results know no renderer; the room that draws them is loaded when one is first shown.
on_first_use(lambda: import_module("metassay.report"))


def __dir__() -> list[str]:
    return sorted(__all__)
