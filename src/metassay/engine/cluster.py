"""Work on a Dask cluster: one that runs, or one that is started on this machine."""

from __future__ import annotations

import asyncio
import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from functools import lru_cache
from importlib import import_module
from types import TracebackType
from typing import Any, TypeVar

from metassay.core.extras import load_extra
from metassay.errors import DataError, UsageError, listed, one_line

A = TypeVar("A")
T = TypeVar("T")

PATIENCE = 15
"""Seconds to wait for a scheduler to speak, and for its first worker."""
REACH = 5
"""Seconds to try to reach a scheduler at all; one that is just being started needs some."""
RETRIES = 3
"""How often a page is done again after a worker failed with it, beside the workers that died with it."""
ALONE = 30
"""Seconds that work on this machine waits without a worker: Dask replaces a dead one, unless it died too early."""


class Unportable(Exception):
    """Work that cannot be sent to another process."""


class Cluster:
    """A Dask cluster. Use it as a context manager.

    Pages whose worker dies are done again by another one: a page depends on its number only, so that changes nothing.

    Parameters
    ----------
    address
        A scheduler that runs.
    workers
        How many workers to start here if there is no address.
    """

    def __init__(self, address: str | None, workers: int | None) -> None:
        (distributed,) = load_extra("cluster", "clusters need Dask's package distributed", "distributed")
        # What Dask logs when it loses a scheduler is told in one line here.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        self._local: Any = None
        if address is None:
            self._local = _started(workers)
        else:
            _reach(address)
        try:
            self._client: Any = distributed.Client(self._local or address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            self._close_local()
            raise _no_scheduler(address, error) from None
        try:
            self._check()
        except BaseException:
            self.__exit__()
            raise

    def _check(self) -> None:
        """Refuse workers whose metassay is another one: their numbers could be others too."""
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise UsageError(
                "the Dask cluster has no worker; start some with: dask worker, and the scheduler's address"
            ) from None
        if self._local is not None:
            return

        # A function inside a function is sent by value: a worker without metassay could not look it up by name.
        def versions() -> dict[str, str]:
            import platform
            from importlib.metadata import PackageNotFoundError, version

            found = {"python": ".".join(platform.python_version_tuple()[:2])}
            for name in ("metassay", "numpy", "scipy"):
                try:
                    found[name] = version(name)
                except PackageNotFoundError:
                    found[name] = "missing"
            return found

        ours = versions()
        for worker, theirs in self._client.run(versions).items():
            wrong = [f"{name} {theirs[name]}, here {ours[name]}" for name in ours if theirs[name] != ours[name]]
            if wrong:
                raise UsageError(f"the Dask worker {one_line(worker)} has other versions: {listed(wrong, 4, 60)}")

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._client.close()
        self._close_local()

    def _close_local(self) -> None:
        if self._local is not None:
            self._local.close()

    def each(self, work: Callable[[A], T], tasks: Sequence[A], what: str) -> Iterator[tuple[int, T]]:
        """Yield the position and the result of every task, as they come in.

        Raises
        ------
        Unportable
            If the work cannot be sent away; then nothing was done.
        """
        from distributed import KilledWorker, as_completed
        from distributed.scheduler import NoWorkerError

        try:
            packed = _cloudpickle().dumps(work)
        except Exception as error:
            raise Unportable(str(error)) from None
        with warnings.catch_warnings():
            # The work is a task of its own, so that it outlives any worker; Dask warns of large ones.
            warnings.filterwarnings("ignore", message="Sending large graph")
            sent = self._client.submit(_same, packed, pure=False)
            futures = {
                self._client.submit(_do, sent, task, pure=False, retries=RETRIES): n for n, task in enumerate(tasks)
            }
        try:
            for future in as_completed(list(futures), loop=self._client.loop):
                at, result = futures.pop(future), future.result()
                # What is here need not be kept there.
                future.release()
                yield at, result
        except (KilledWorker, NoWorkerError):
            raise DataError(
                f"workers were killed repeatedly while {what or 'working'}, perhaps because memory ran out; "
                "use fewer workers on each machine"
            ) from None
        except (asyncio.CancelledError, CancelledError):
            raise DataError(
                f"the Dask scheduler was lost while {what or 'working'}; run it again, with a checkpoint to resume from"
            ) from None
        finally:
            self._client.cancel(list(futures), reason="no longer wanted")


def _started(workers: int | None) -> Any:  # noqa: ANN401 - Dask carries no types
    """Start workers on this machine, which obey this process alone.

    Whoever can speak to a worker can run code on it, and every user of a machine can reach its ports. So both sides
    show a certificate that is made for this cluster, and whose key never leaves the memory of its processes.
    """
    import dask
    from distributed import LocalCluster
    from distributed.security import Security

    try:
        security = Security.temporary()
    except ImportError:
        raise UsageError(
            "workers need the package cryptography, to keep other users out; install it with: "
            "pip install 'metassay[cluster]'"
        ) from None
    # Nobody watches a dashboard here. Its server starts all the same, so it takes any port, and answers nothing.
    silent: dict[str, list[str]] = {f"distributed.{who}.http.routes": [] for who in ("scheduler", "worker")}
    try:
        with dask.config.set({**silent, "distributed.scheduler.no-workers-timeout": ALONE}):
            return LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                security=security,
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                # What a worker logs when it is killed is no news: it is replaced.
                silence_logs=logging.CRITICAL,
            )
    except (OSError, RuntimeError) as error:
        raise UsageError(f"cannot start {workers} workers here: {one_line(error)}") from None


def _reach(address: str) -> None:
    """Refuse an address where no Dask answers: a client that cannot connect takes long to end, with a traceback."""
    from distributed.core import connect
    from distributed.security import Security

    async def shake_hands() -> None:
        arguments = Security().get_connection_args("client")
        comm = await asyncio.wait_for(connect(address, timeout=REACH, **arguments), REACH + 1)
        comm.abort()

    # In a thread of its own, because notebooks have an event loop already.
    with ThreadPoolExecutor(1) as thread:
        error = thread.submit(asyncio.run, shake_hands()).exception()
    if error is not None:
        raise _no_scheduler(address, error)


def _no_scheduler(address: str | None, error: BaseException) -> UsageError:
    return UsageError(
        f"no Dask scheduler answers at {one_line(address)!r} ({one_line(error) or 'it does not answer'}); "
        "name one such as tcp://host:8786, or start it with: dask scheduler"
    )


def _same(packed: bytes) -> bytes:
    return packed


def _do(packed: bytes, task: Any) -> Any:  # noqa: ANN401 - whatever the work takes and gives
    from metassay import engine

    engine.grow_heap()
    with engine.single_threaded_blas():
        return _unpacked(packed)(task)


@lru_cache(maxsize=2)
def _unpacked(packed: bytes) -> Callable[[Any], Any]:
    work: Callable[[Any], Any] = _cloudpickle().loads(packed)
    return work


def _cloudpickle() -> Any:  # noqa: ANN401 - it carries no types
    return import_module("cloudpickle")
