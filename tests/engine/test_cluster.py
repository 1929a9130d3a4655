"""Work on a Dask cluster: the same bytes, also when workers die, and one-line errors."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import threading
import time
from contextlib import contextmanager, nullcontext
from functools import partial
from urllib.error import HTTPError
from urllib.request import urlopen

import numpy as np
import pytest

import metassay as ma
from metassay import engine
from metassay.engine.cluster import Cluster
from metassay.errors import DataError, UsageError

pytest.importorskip("distributed")
pytest.importorskip("cryptography")


@contextmanager
def started_here(number):
    """Workers on this machine, and Dask's own cluster behind them."""
    import distributed

    made, start = [], distributed.LocalCluster
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distributed, "LocalCluster", lambda **options: made.append(start(**options)) or made[0])
        cluster = Cluster(None, number)
    with cluster:
        yield cluster, made[0]


@pytest.fixture(scope="module")
def started():
    """Two workers that last for all tests; starting them is what takes time."""
    with started_here(2) as both:
        yield both


@contextmanager
def started_by_hand():
    """A cluster as people start one for several machines, and its address."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL
    ) as cluster:
        yield cluster, cluster.scheduler_address


@pytest.fixture(scope="module")
def address():
    with started_by_hand() as (_, address):
        yield address


@pytest.fixture
def workers(started, monkeypatch):
    """Have whoever asks for two workers take those that are there."""
    monkeypatch.setattr(engine, "Cluster", lambda *_: nullcontext(started[0]))
    return {"workers": 2}


@pytest.fixture
def on_workers(workers):
    with engine.on(**workers):
        yield


def attempt(address, security, timeout=3):
    """Try to run code on a cluster, as another user of this machine would."""
    from distributed import Client

    with Client(address, security=security, timeout=timeout, set_as_default=False) as client:
        return client.submit(os.getpid).result(timeout=timeout)


def test_nobody_else_can_give_orders_to_local_workers(started):
    from distributed.security import Security

    _, local = started
    assert attempt(local.scheduler_address, local.security, timeout=60) != os.getpid()
    local.wait_for_workers(2, timeout=60)  # another test may have killed one
    ports = [local.scheduler_address, *(worker["nanny"] for worker in local.scheduler_info["workers"].values())]
    ports += local.scheduler_info["workers"]
    assert len(ports) == 5
    for address in ports:
        assert address.startswith("tls://127.0.0.1:")
        plain = address.replace("tls:", "tcp:")
        for stranger in ((plain, Security(require_encryption=False)), (address, Security.temporary())):
            with pytest.raises(OSError, match=r"(?i)timed out|connect|TLS|closed"):
                attempt(*stranger)
    # and the server that Dask starts for its dashboard tells nothing
    for path in ("/json/counts.json", "/info/main/workers.html", "/metrics", "/health"):
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"http://127.0.0.1:{local.scheduler.http_server.port}{path}", timeout=60)


def test_workers_without_cryptography_are_told_in_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(UsageError, match=r"package cryptography, .* pip install 'metassay\[cluster\]'"):
        Cluster(None, 1)


def where(page):
    return page, os.getpid()


def test_pages_are_done_elsewhere_and_come_in_order(on_workers):
    seen = []
    with engine.reporting(lambda done, total, what: seen.append((done, total, what))):
        found = engine.run(where, 12, what="looking")
    assert [page for page, _ in found] == list(range(12))
    assert found[0][1] == os.getpid()  # the first page tells whether pages hand something back
    assert os.getpid() not in {process for _, process in found[1:]}
    assert seen == [(done, 12, "looking") for done in range(1, 13)]


def test_tasks_of_spread_are_done_elsewhere(on_workers):
    found = dict(engine.spread(partial(divmod, 17), [2, 3, 4, 5]))
    assert found == {0: (8, 1), 1: (5, 2), 2: (4, 1), 3: (3, 2)}
    assert os.getpid() not in {process for _, (_, process) in engine.spread(where, [1, 2, 3])}
    # What asks for this process alone, such as a model that was loaded here, stays.
    assert {process for _, (_, process) in engine.spread(where, [1, 2, 3], processes=1)} == {os.getpid()}


def test_what_cannot_be_sent_stays_here(on_workers):
    into, lock = np.zeros(5), threading.Lock()

    def fill(page):
        into[page] = page  # a result that is left in this process

    engine.run(fill, 5)
    assert into.tolist() == [0, 1, 2, 3, 4]

    def locked(page):
        with lock:
            return page

    assert engine.run(locked, 5) == [0, 1, 2, 3, 4]
    assert dict(engine.spread(locked, [7, 8])) == {0: 7, 1: 8}


def test_matrix_products_of_workers_stay_in_their_thread(on_workers):
    def blas(_):
        from threadpoolctl import threadpool_info

        np.ones((2, 2)) @ np.ones((2, 2))
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    assert all(n == 1 for pools in engine.run(blas, 4) for n in pools)


def test_an_error_comes_through(on_workers):
    def work(page):
        if page == 2:
            raise ZeroDivisionError("page 2")
        return page

    with pytest.raises(ZeroDivisionError, match="page 2"):
        engine.run(work, 5)


@pytest.mark.parametrize(
    ("study", "options"),
    [
        ("agree", {"resamples": 2500, "level": "system"}),
        ("compare", {"resamples": 2500, "level": "system", "metric": "synthetic-*e*"}),
        ("simulate_coverage", {"metric": "synthetic-judge", "trials": 20, "resamples": 50}),
        (
            "simulate_power",
            {"metric": "synthetic-judge", "level": "system", "trials": 120, "resamples": 50, "noise": 1},
        ),
    ],
)
def test_studies_give_the_same_bytes(workers, study, options):
    def result(**more):
        return getattr(ma, study)(ma.example(), human="relevance", **options, **more).to_json()

    here = result(threads=1)
    assert result(**workers) == here


def test_a_killed_worker_changes_nothing(on_workers, tmp_path):
    killed = tmp_path / "killed"
    seen = []

    def work(page):
        if page == 5 and not killed.exists():
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        random = np.random.default_rng(page)
        return random.normal(size=(200, 200)) @ random.normal(size=200)

    with engine.reporting(lambda done, total, _: seen.append((done, total))):
        found = engine.run(work, 12)
    assert killed.exists()
    assert np.array(found).tobytes() == np.array(engine_free(work, 12)).tobytes()
    assert seen[-1] == (12, 12)


def engine_free(work, pages):
    with engine.single_threaded_blas():
        return [work(page) for page in range(pages)]


def test_work_that_always_kills_its_worker_is_given_up(monkeypatch):
    """Either it has died too often, or none is left: Dask does not replace a worker that dies while it starts."""
    monkeypatch.setattr("metassay.engine.cluster.ALONE", 5)

    def work(page):
        if page:
            os.kill(os.getpid(), signal.SIGKILL)
        return page

    with engine.on(workers=1), pytest.raises(DataError, match="killed repeatedly while trying"):
        engine.run(work, 2, what="trying")


def test_work_ends_where_no_worker_is_left(monkeypatch):
    monkeypatch.setattr("metassay.engine.cluster.ALONE", 1)
    with started_here(1) as (lonely, local):
        local.scale(0)
        while local.scheduler.workers:
            time.sleep(0.05)
        with pytest.raises(DataError, match="killed repeatedly while trying"):
            list(lonely.each(where, range(2), "trying"))


def test_a_cluster_by_its_address_and_a_checkpoint(address, tmp_path):
    for _ in range(2):
        with engine.on(cluster=address, checkpoint=tmp_path / "both.checkpoint"):
            assert engine.run(lambda page: page * 1.5, 4) == [0.0, 1.5, 3.0, 4.5]


def test_a_lost_scheduler_is_one_line():
    """The scheduler ends when two pages are there; the work takes until then."""
    with started_by_hand() as (doomed, address):

        def report(done, _total, _what):
            if done == 2:
                doomed.close()

        with (
            pytest.raises(DataError, match="the Dask scheduler was lost while sleeping; run it again, with a check"),
            engine.on(cluster=address),
            engine.reporting(report),
        ):
            engine.run(lambda page: time.sleep(0.2) or page, 50, what="sleeping")


def test_no_scheduler_is_one_line(monkeypatch):
    monkeypatch.setattr("metassay.engine.cluster.REACH", 0.5)
    # Nobody at the port, an unknown scheme, no scheme, no port, nothing at all, and TLS without certificates.
    for address in ("tcp://127.0.0.1:9", "nonsense://x", "nonsense", "tcp://127.0.0.1", "", "tls://127.0.0.1:9"):
        with (
            pytest.raises(UsageError, match=f"no Dask scheduler answers at '{address}'") as error,
            engine.on(cluster=address),
        ):
            pass
        assert "\n" not in str(error.value)


def test_a_port_that_speaks_no_dask_is_one_line(monkeypatch):
    monkeypatch.setattr("metassay.engine.cluster.REACH", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(UsageError, match=f"no Dask scheduler answers at '{address}'"), engine.on(cluster=address):
            pass


def test_a_cluster_can_be_reached_from_a_notebook(address):
    """There an event loop runs already."""

    async def cell():
        with engine.on(cluster=address):
            return engine.run(lambda page: page + 1, 2)

    assert asyncio.run(cell()) == [1, 2]


def test_two_local_clusters_do_not_quarrel_about_ports(started):
    with Cluster(None, 1) as other:
        ((at, (task, _)),) = other.each(where, [7], "looking")
    assert (at, task) == (0, 7)


def test_wrong_options():
    with pytest.raises(UsageError, match="exclude each other"), engine.on(cluster="tcp://a:1", workers=2):
        pass
    for workers in (0, -1, 1_000_000):
        with (
            pytest.raises(UsageError, match=f"workers must be at least 1 .*, got {workers}"),
            engine.on(workers=workers),
        ):
            pass


def test_a_missing_package_is_told_with_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install 'metassay\[cluster\]'"), engine.on(workers=1):
        pass
