"""Other processes of this machine, which import what they need and never the script that started them."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any, TypeVar

from metassay.core.ending import do_tasks
from metassay.errors import DataError

A = TypeVar("A")
T = TypeVar("T")

_starting = threading.Lock()


def portable(work: Callable[[A], T]) -> bool:
    """Say whether work can be sent to a process that does not run the user's script.

    Examples
    --------
    >>> portable(len), portable(lambda task: task)
    (True, False)
    """
    try:
        return b"__main__" not in pickle.dumps(work)
    except Exception:  # whatever a foreign object raises when it is packed
        return False


def each(work: Callable[[A], T], tasks: Sequence[A], workers: int, what: str) -> Iterator[tuple[int, T]]:
    """Do portable work on every task in so many processes; yield positions and results as they come.

    Raises
    ------
    DataError
        If a process ended before its work was done.
    """
    context = _Spawning()
    try:
        with ProcessPoolExecutor(workers, mp_context=context, initializer=_follow_parent) as pool:
            with _without_script():
                futures = {pool.submit(work, task): n for n, task in enumerate(tasks)}
            try:
                for future in as_completed(futures):
                    yield futures[future], future.result()
            finally:
                for future in futures:
                    future.cancel()
    except BrokenProcessPool:
        # only where the pool is closed: before, its own thread waits for the same processes, and codes can be lost
        raise DataError(f"a process that worked on {what} {_fate(context.children)}") from None


class _Spawning(SpawnContext):
    """Starts processes clean, as a forked child of a process with threads can hang, and knows them when they died."""

    def __init__(self) -> None:
        super().__init__()
        self.children: list[BaseProcess] = []

    def Process(self, *args: Any, **how: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: ANN401
        """Return a new process."""
        child = SpawnProcess(*args, **how)
        self.children.append(child)
        return child


@contextmanager
def _without_script() -> Iterator[None]:
    """Start processes that know no main module: they would run the user's script from its first line."""
    with _starting:
        script = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = script


def _follow_parent() -> None:
    """End this process when the one that started it does, also by a signal that nobody can catch."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        sentinel = parent.sentinel

        def watch() -> None:
            wait([sentinel])
            do_tasks()
            os._exit(1)  # not by an exception, which a thread could only raise for itself

        threading.Thread(target=watch, name="metassay-parent", daemon=True).start()


def _fate(children: Sequence[BaseProcess]) -> str:
    """Say how the first process ended that did not end as it should, and what can be done."""
    codes = [child.exitcode for child in children if child.exitcode]
    # Once one is dead, the others are stopped by SIGTERM.
    code = next((code for code in codes if code != -signal.SIGTERM), codes[0] if codes else 0)
    if code == -signal.SIGKILL:
        return "was killed (SIGKILL), as happens when memory runs out; use fewer processes"
    if code < 0:
        return f"was stopped by the signal {signal.Signals(-code).name}; try again with processes=1 or --processes 1"
    return f"ended with exit code {code} before it was done; try again with processes=1 or --processes 1"
