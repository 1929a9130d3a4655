"""A progress bar on stderr, for people who wait."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 1.0
"""Seconds of work before a bar appears."""


@contextmanager
def progress(quiet: bool) -> Iterator[None]:
    """Inside this context, work that lasts draws a bar if stderr is a terminal."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    from metassay.engine import reporting

    bar = _Bar()
    try:
        with reporting(bar.report):
            yield
    finally:
        bar.close()


class _Bar:
    """A bar that appears only when somebody has waited long enough."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._drawn: tuple[Progress, TaskID] | None = None

    def report(self, done: int, total: int, what: str) -> None:
        """Take note of work done; called from whatever thread did it."""
        if self._drawn is None:
            if time.monotonic() - self._start < PATIENCE:
                return
            self._drawn = _draw()
        drawn, task = self._drawn
        drawn.update(task, completed=done, total=total, description=what or "working")

    def close(self) -> None:
        """Take the bar away."""
        if self._drawn is not None:
            self._drawn[0].stop()


def _draw() -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    drawn = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    drawn.start()
    return drawn, drawn.add_task("", total=None)
