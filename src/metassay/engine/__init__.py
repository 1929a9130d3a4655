"""Where heavy work runs: this process, threads, other processes, or a Dask cluster; with progress and checkpoints.

Work comes in pages, each a function of its number and of nothing else. So neither where a page is done nor in which
order changes a byte of a result, and pages that were done before need not be done again.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, TypeVar

from metassay.core import options as opt
from metassay.engine import processes as other_processes
from metassay.engine.checkpoint import Checkpoint, Section
from metassay.engine.cluster import Cluster, Unportable
from metassay.errors import UsageError

A = TypeVar("A")
T = TypeVar("T")
Report = Callable[[int, int, str], None]

WORTH_THREADS = 0.05
"""Seconds of work, judged by the first page, below which threads would cost more than they bring."""

WORTH_PROCESSES = 4.0
"""Seconds of work left, judged by what was done so far, below which other processes would cost more than they bring."""

MOST_WORKERS = 16
"""Local workers for each processor; with more of them a machine is busy with nothing but having them."""

_threads: ContextVar[int | None] = ContextVar("metassay_threads", default=None)
_report: ContextVar[Report | None] = ContextVar("metassay_report", default=None)
_cluster: ContextVar[Cluster | None] = ContextVar("metassay_cluster", default=None)
_checkpoint: ContextVar[Checkpoint | None] = ContextVar("metassay_checkpoint", default=None)


@contextmanager
def on(
    *,
    threads: opt.Threads = None,
    cluster: opt.Cluster = None,
    workers: opt.Workers = None,
    checkpoint: opt.Checkpoint = None,
) -> Iterator[None]:
    """Inside this context heavy work runs on so many threads or a Dask cluster, and keeps what is done in a file.

    Every study takes these options too. None of them changes a number. Pages that leave their results in this process,
    or that cannot be sent elsewhere, stay here.

    Parameters
    ----------
    threads
        How many threads to use; all processors by default.
    cluster
        The address of a running scheduler, such as ``tcp://host:8786``; its workers need the same metassay.
    workers
        How many workers to start on this machine instead, each a process with one thread.
    checkpoint
        A file for finished pages. If it holds some of the same work, the rest is done; if it holds other work, it is
        refused.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for _ in range(2):  # the second time, the pages are read
    ...         with on(checkpoint=f"{folder}/squares"):
    ...             squares = run(lambda page: page * page, 4)
    >>> squares
    [0, 1, 4, 9]
    """
    if threads is not None and threads < 1:
        raise UsageError(f"threads must be at least 1, got {threads}")
    if cluster is not None and workers is not None:
        raise UsageError("cluster and workers exclude each other: name a scheduler, or start workers here")
    if workers is not None and not 1 <= workers <= MOST_WORKERS * available_threads():
        raise UsageError(
            f"workers must be at least 1 and at most {MOST_WORKERS * available_threads()} on this machine, "
            f"{MOST_WORKERS} for each processor, got {workers}"
        )
    with ExitStack() as stack:
        if threads is not None:
            stack.callback(_threads.reset, _threads.set(threads))
        if checkpoint is not None:
            kept = stack.enter_context(Checkpoint(checkpoint))
            stack.callback(_checkpoint.reset, _checkpoint.set(kept))
        if cluster is not None or workers is not None:
            place = stack.enter_context(Cluster(cluster, workers))
            stack.callback(_cluster.reset, _cluster.set(place))
        yield


@contextmanager
def reporting(report: Report) -> Iterator[None]:
    """Inside this context `report(done, total, what)` is called as work gets done."""
    token = _report.set(report)
    try:
        yield
    finally:
        _report.reset(token)


@contextmanager
def stage(at: int, stages: int, what: str) -> Iterator[None]:
    """Inside this context work is one of so many stages: what is reported is how much of all of them is done."""
    report = _report.get()
    if report is None:
        yield
        return
    most = 0.0

    def of_all(done: int, total: int, _: str) -> None:
        # A stage may have several runs; what is done stays done.
        nonlocal most
        most = max(most, done / max(total, 1))
        report(round(1000 * (at + 0.9 * most)), 1000 * stages, what)

    report(1000 * at, 1000 * stages, what)
    with reporting(of_all):
        yield


def available_threads() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(
    work: Callable[[int], T], pages: int, what: str = "", *, threads: int | None = None, part: tuple[int, int] = (0, 1)
) -> list[T]:
    """Do `work(0)`, …, `work(pages − 1)` and return the results in order.

    Parameters
    ----------
    work
        A function of the page's number that depends on nothing else, so that threads change no result.
    pages
        How many pages there are.
    what
        What is being done, for the progress bar.
    threads
        How many threads to use; those of the context, or all processors, by default.
    part
        Which of how many such runs it is, for the progress bar.
    """
    if threads is not None and threads < 1:
        raise UsageError(f"threads must be at least 1, got {threads}")
    checkpoint, cluster = _checkpoint.get(), _cluster.get()
    section = Section() if checkpoint is None else checkpoint.begin(work, pages, what)
    results: dict[int, T] = section.known
    report = _report.get()
    lock = threading.Lock()
    before, total = part[0] * pages, part[1] * pages

    def note(page: int, result: T) -> None:
        """Take in what a page gave."""
        with lock:
            results[page] = result
            section.keep(page, result)
            if report is not None:
                report(before + len(results), total, what)

    todo = [page for page in range(pages) if page not in results]
    if report is not None and results:
        report(before + len(results), total, what)
    grow_heap()
    with section, single_threaded_blas():
        start = time.perf_counter()
        for page in todo[:1]:
            note(page, work(page))
        brief = (time.perf_counter() - start) * (len(todo) - 1) < WORTH_THREADS
        rest = todo[1:]
        # A page that hands nothing back leaves its results in this process, so the others must be done here as well.
        if cluster is not None and rest and results[todo[0]] is not None:
            rest = _away(cluster, work, rest, note, what)
        workers = min(threads or _threads.get() or available_threads(), len(rest))
        if workers <= 1 or brief:
            for page in rest:
                note(page, work(page))
        else:
            _in_threads(work, rest, note, workers, lock)
    return [results[page] for page in range(pages)]


def _in_threads(
    work: Callable[[int], T], pages: list[int], note: Callable[[int, T], None], workers: int, lock: threading.Lock
) -> None:
    waiting = iter(pages)
    stop = threading.Event()

    def serve() -> None:
        """Do one page after the other until none is left, or somebody has had enough."""
        while not stop.is_set():
            with lock:
                page = next(waiting, None)
            if page is None:
                return
            note(page, work(page))

    with ThreadPoolExecutor(workers) as pool:
        try:
            served = [pool.submit(serve) for _ in range(workers)]
            wait(served, return_when=FIRST_EXCEPTION)
        finally:
            # After an error or an interrupt the threads stop with the page they are at.
            stop.set()
        for future in served:
            future.result()


def _away(
    cluster: Cluster, work: Callable[[int], T], pages: list[int], note: Callable[[int, T], None], what: str
) -> list[int]:
    """Have pages done on the cluster, and return those that must be done here: all of them, or none."""
    try:
        for at, result in cluster.each(work, pages, what):
            note(pages[at], result)
    except Unportable:
        return pages
    return []


def spread(
    work: Callable[[A], T], tasks: Sequence[A], *, processes: int | None = None, what: str = ""
) -> Iterator[tuple[int, T]]:
    """Do `work` on every task and yield each result with its position as soon as it is there.

    For work that holds Python's lock, which threads cannot share. Tasks are done in this process until it is clear
    that the rest is worth starting others. These never run the user's script: work that cannot be sent to them, because
    it cannot be pickled or belongs to the script itself, is all done in this process.

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
    workers = min(processes or _threads.get() or available_threads(), len(tasks))
    start = time.perf_counter()
    at = 0
    cluster = _cluster.get()
    if cluster is not None and len(tasks) > 1 and processes != 1:
        try:
            for at, (place, result) in enumerate(cluster.each(work, tasks, what), 1):
                yield place, result
                if report is not None:
                    report(at, len(tasks), what)
        except Unportable:
            at = 0
    while at < len(tasks):
        if workers > 1 and at and (time.perf_counter() - start) / at * (len(tasks) - at) > WORTH_PROCESSES:
            if other_processes.portable(work):
                break
            workers = 1
        yield at, work(tasks[at])
        at += 1
        if report is not None:
            report(at, len(tasks), what)
    if at == len(tasks):
        return
    start_at = at
    for place, result in other_processes.each(work, tasks[at:], workers, what):
        yield start_at + place, result
        at += 1
        if report is not None:
            report(at, len(tasks), what)


@cache
def grow_heap() -> None:
    """Free one large block, after which glibc keeps freed memory instead of asking the system for each array again."""
    bytearray(24 << 20)


def single_threaded_blas() -> AbstractContextManager[object]:
    """Keep matrix products in their own thread: pages are the unit of parallel work."""
    limit: AbstractContextManager[object] = _blas().limit(limits=1, user_api="blas")
    return limit


@cache
def _blas() -> Any:  # noqa: ANN401 - threadpoolctl carries no types
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
