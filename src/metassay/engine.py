"""Where heavy work runs: pages of draws, dealt out to threads, with progress."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_EXCEPTION,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    as_completed,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import cache
from multiprocessing import get_context
from typing import Any, TypeVar, cast

from metassay.errors import DataError, UsageError

A = TypeVar("A")
T = TypeVar("T")
Report = Callable[[int, int, str], None]

WORTH_THREADS = 0.05
"""Seconds of work, judged by the first page, below which threads would cost more than they bring."""

WORTH_PROCESSES = 4.0
"""Seconds of work left, judged by what was done so far, below which other processes would cost more than they bring."""

_report: ContextVar[Report | None] = ContextVar("metassay_report", default=None)


@contextmanager
def reporting(report: Report) -> Iterator[None]:
    """Inside this context `report(done, total, what)` is called as work gets done."""
    token = _report.set(report)
    try:
        yield
    finally:
        _report.reset(token)


def available_threads() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(work: Callable[[int], T], pages: int, *, threads: int | None = None, what: str = "") -> list[T]:
    """Do `work(0)`, …, `work(pages − 1)` and return the results in order.

    Parameters
    ----------
    work
        A function of the page's number that depends on nothing else, so that threads change no result.
    pages
        How many pages there are.
    threads
        How many threads to use; all processors by default.
    what
        What is being done, for the progress bar.
    """
    if threads is not None and threads < 1:
        raise UsageError(f"threads must be at least 1, got {threads}")
    report = _report.get()
    done = 0
    lock = threading.Lock()

    def one(page: int) -> T:
        nonlocal done
        result = work(page)
        if report is not None:
            with lock:
                done += 1
                report(done, pages, what)
        return result

    _grow_heap()
    workers = min(threads or available_threads(), pages - 1)
    with _single_threaded_blas():
        start = time.perf_counter()
        results = [one(page) for page in range(min(1, pages))]
        brief = (time.perf_counter() - start) * (pages - 1) < WORTH_THREADS
        if workers <= 1 or brief:
            return results + [one(page) for page in range(1, pages)]
        rest: list[T | None] = [None] * (pages - 1)
        waiting = iter(range(1, pages))
        stop = threading.Event()

        def serve() -> None:
            """Do one page after the other until none is left, or somebody has had enough."""
            while not stop.is_set():
                with lock:
                    page = next(waiting, None)
                if page is None:
                    return
                rest[page - 1] = one(page)

        with ThreadPoolExecutor(workers) as pool:
            try:
                served = [pool.submit(serve) for _ in range(workers)]
                wait(served, return_when=FIRST_EXCEPTION)
            finally:
                # After an error or an interrupt the threads stop with the page they are at.
                stop.set()
            for future in served:
                future.result()
        return results + cast("list[T]", rest)


def spread(
    work: Callable[[A], T], tasks: Sequence[A], *, processes: int | None = None, what: str = ""
) -> Iterator[tuple[int, T]]:
    """Do `work` on every task and yield each result with its position as soon as it is there.

    For work that holds Python's lock, which threads cannot share. Tasks are done in this process until it is clear
    that the rest is worth starting others; `work` and the tasks must then be picklable.

    Parameters
    ----------
    work
        A function of one task.
    tasks
        What to do it on.
    processes
        How many processes to use; all processors by default, 1 for this one alone.
    what
        What is being done, for the progress bar.
    """
    if processes is not None and processes < 1:
        raise UsageError(f"processes must be at least 1, got {processes}")
    report = _report.get()
    workers = min(processes or available_threads(), len(tasks))
    start = time.perf_counter()
    at = 0
    while at < len(tasks):
        if workers > 1 and at and (time.perf_counter() - start) / at * (len(tasks) - at) > WORTH_PROCESSES:
            break
        yield at, work(tasks[at])
        at += 1
        if report is not None:
            report(at, len(tasks), what)
    if at == len(tasks):
        return
    # A forked child of a process with threads can hang; a spawned one starts clean.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(work, task): n for n, task in enumerate(tasks[at:], at)}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
                at += 1
                if report is not None:
                    report(at, len(tasks), what)
        except BrokenProcessPool:
            raise DataError(
                f"a process that worked on {what} was killed, perhaps for want of memory; use fewer processes"
            ) from None
        finally:
            for future in futures:
                future.cancel()


@cache
def _grow_heap() -> None:
    """Free one large block, after which glibc keeps freed memory instead of asking the system for each array again."""
    bytearray(24 << 20)


def _single_threaded_blas() -> AbstractContextManager[object]:
    """Keep matrix products in their own thread: pages are the unit of parallel work."""
    limit: AbstractContextManager[object] = _blas().limit(limits=1, user_api="blas")
    return limit


@cache
def _blas() -> Any:  # noqa: ANN401 - threadpoolctl carries no types
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
