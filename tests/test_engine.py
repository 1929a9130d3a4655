"""Pages of work in threads: order, errors, progress, and one BLAS thread each."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from metassay import engine
from metassay.errors import UsageError


@pytest.fixture
def always_worth_threads(monkeypatch):
    monkeypatch.setattr(engine, "WORTH_THREADS", 0.0)


@pytest.mark.parametrize("threads", [1, 2, 3, 50, None])
def test_results_come_in_the_order_of_the_pages(always_worth_threads, threads):
    def work(page):
        time.sleep(0.002 * (page % 3))
        return page * page

    assert engine.run(work, 12, threads=threads) == [page * page for page in range(12)]


def test_no_page_and_one_page():
    assert engine.run(lambda page: page, 0) == []
    assert engine.run(lambda page: page, 1, threads=4) == [0]


def test_several_threads_work_at_once(always_worth_threads):
    together = threading.Barrier(2, timeout=120)

    def work(page):
        if page:  # the first page is done before the others are dealt out
            together.wait()
        return threading.get_ident()

    assert len(set(engine.run(work, 3, threads=2)[1:])) == 2


def test_one_thread_stays_in_this_thread(always_worth_threads):
    assert set(engine.run(lambda _: threading.get_ident(), 5, threads=1)) == {threading.get_ident()}


def test_little_work_starts_no_threads(monkeypatch):
    monkeypatch.setattr(engine, "WORTH_THREADS", 1e9)
    assert set(engine.run(lambda _: threading.get_ident(), 5, threads=4)) == {threading.get_ident()}


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_comes_through_and_stops_the_rest(always_worth_threads, threads):
    done = []

    def work(page):
        if page == 2:
            raise ZeroDivisionError("page 2")
        time.sleep(0.01)
        done.append(page)

    with pytest.raises(ZeroDivisionError, match="page 2"):
        engine.run(work, 2000, threads=threads)
    assert len(done) < 1999


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_is_reported_page_by_page(always_worth_threads, threads):
    seen = []
    with engine.reporting(lambda done, total, what: seen.append((done, total, what))):
        engine.run(lambda page: page, 6, threads=threads, what="swapping")
    assert seen == [(done, 6, "swapping") for done in range(1, 7)]
    engine.run(lambda page: page, 6, threads=threads)
    assert len(seen) == 6  # outside the context nothing is reported


@pytest.mark.parametrize("threads", [0, -1])
def test_threads_must_be_at_least_1(threads):
    with pytest.raises(UsageError, match=f"threads must be at least 1, got {threads}"):
        engine.run(lambda page: page, 3, threads=threads)


def test_matrix_products_stay_in_their_thread_and_the_setting_is_restored():
    from threadpoolctl import threadpool_info

    np.ones((2, 2)) @ np.ones((2, 2))

    def blas(_=None):
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    before = blas()
    assert all(n == 1 for pools in engine.run(blas, 3) for n in pools)
    assert blas() == before


def test_available_threads_is_what_this_process_may_use():
    assert engine.available_threads() >= 1
