"""Packages that may be absent: loaded when they are needed, or told with the command that installs them."""

from __future__ import annotations

import importlib
from typing import Any

from metassay.errors import UsageError


def load_extra(extra: str, told: str, *modules: str) -> list[Any]:
    """Return modules of packages that an extra of this package brings; `told` says who needs what, if one is absent.

    Examples
    --------
    >>> load_extra("excel", "reading .xlsx needs openpyxl", "no_such_module")
    Traceback (most recent call last):
    metassay.errors.UsageError: reading .xlsx needs openpyxl; run: pip install 'metassay[excel]'
    """
    try:
        return [importlib.import_module(name) for name in modules]
    except ImportError:
        raise UsageError(f"{told}; run: pip install 'metassay[{extra}]'") from None
