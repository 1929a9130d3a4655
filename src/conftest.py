"""Examples in docstrings that need an extra are skipped without it, with the command that installs it."""

from __future__ import annotations

import doctest
from collections.abc import Generator

import pytest

from metassay.texts.scorers.registry import METRICS


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Skip an example for a module that the registry of metrics says how to install."""
    try:
        return (yield)
    except doctest.UnexpectedException as failure:
        error = failure.exc_info[1]
        if isinstance(error, ModuleNotFoundError):
            for metric in METRICS.values():
                if error.name in metric.packages:
                    pytest.skip(f"{item.name} needs {error.name}; run: {metric.install}")
        raise
