"""Progress on stderr, for people who wait: a bar, or a line now and then where stderr is no terminal."""

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
EVERY = 5.0
"""Seconds between two lines, where there can be no bar, and before the first."""


@contextmanager
def progress(quiet: bool) -> Iterator[None]:
    """Inside this context, work that lasts draws a bar, or writes lines if stderr is no terminal."""
    if quiet or sys.stderr is None:
        yield
        return
    from metassay.engine import reporting

    bar = _Bar() if sys.stderr.isatty() else _Lines()
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


class _Lines:
    """A line every few seconds: how much is done, and how long the rest will take."""

    def __init__(self) -> None:
        self._start = self._said = time.monotonic()

    def report(self, done: int, total: int, what: str) -> None:
        """Take note of work done; called from whatever thread did it."""
        now = time.monotonic()
        if now - self._said < EVERY or not 0 < done < total:
            return
        self._said = now
        left = (now - self._start) * (total - done) / done
        minutes = f"{left / 60:.0f} min" if left >= 90 else f"{left:.0f} s"
        print(f"{what or 'working'}: {100 * done // total}% done, about {minutes} left", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Leave the lines where they are."""


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
