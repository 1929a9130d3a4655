"""Ending a process together with all that it started."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType

_tasks: list[Callable[[], None]] = []


def at_the_end(task: Callable[[], None]) -> Callable[[], None]:
    """Have something done before a signal ends this process; for programs in sessions of their own, say."""
    _tasks.append(task)
    return task


def end_with_children() -> None:
    """From now on, a signal that ends this process ends its children first. Only for processes that are ours alone."""
    if threading.current_thread() is not threading.main_thread():
        return  # signals are for the main thread
    for name in ("SIGTERM", "SIGHUP"):
        # What is ignored, as with nohup, stays so.
        if (number := getattr(signal, name, None)) and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)


def do_tasks() -> None:
    """Do what is to be done before this process ends."""
    for task in _tasks:
        task()


def _end(number: int, _: FrameType | None) -> None:
    do_tasks()
    if "multiprocessing" in sys.modules:
        for child in sys.modules["multiprocessing"].active_children():
            child.terminate()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
