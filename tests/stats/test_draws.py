"""Randomness: fair, repeatable, and the same page by page."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metassay.stats.draws import (
    PAGE,
    PAGE_ELEMENTS,
    BootstrapPages,
    Pages,
    SwapPages,
    multiplicities,
    page_size,
    stream,
    swaps,
)

ODDS = 1e-3
"""Chance that a fair generator fails one of these checks; the seeds are fixed, so it failed or passed once."""


@pytest.mark.parametrize("n", [1, 2, 7, 100, 40_000, 70_000])
def test_multiplicities_add_up_to_n(n):
    drawn = multiplicities(stream(0, 0, 0), n, 5)
    assert drawn.shape == (n, 5)
    assert (drawn >= 0).all()
    assert (drawn == np.round(drawn)).all()
    assert drawn.sum(axis=0).tolist() == [n] * 5


def test_every_one_is_drawn_as_often_as_any_other():
    n, draws = 13, 4000
    drawn = multiplicities(stream(1, 0, 0), n, draws)
    totals = drawn.sum(axis=1)
    assert stats.chisquare(totals).pvalue > ODDS
    # Each multiplicity is binomial(n, 1/n): compare how often 0, 1, 2, 3 and more occurred for the first one.
    expected = stats.binom(n, 1 / n).pmf([0, 1, 2])
    seen = [(drawn[0] == k).sum() for k in range(3)]
    whole = [*seen, draws - sum(seen)]
    assert stats.chisquare(whole, draws * np.append(expected, 1 - expected.sum())).pvalue > ODDS


@pytest.mark.parametrize("shape", [(5, 7), (4, 1), (1, 9), (3, 3)])
def test_swaps_are_fair_and_independent(shape):
    draws = 4096
    tossed = swaps(stream(2, 2, 0), shape, draws)
    assert tossed.shape == (*shape, draws)
    assert set(np.unique(tossed)) == {0, 1}
    coins = tossed.reshape(-1, draws).astype(int)
    # Every coin by itself, all of them together, and each with the next one.
    ups = coins.sum(axis=1)
    assert stats.chisquare(np.concatenate([ups, draws - ups])).pvalue > ODDS
    assert stats.binomtest(int(coins.sum()), coins.size).pvalue > ODDS
    agree = (coins[:, 1:] == coins[:, :-1]).sum() + (coins[1:] == coins[:-1]).sum()
    assert stats.binomtest(int(agree), coins[:, 1:].size + coins[1:].size).pvalue > ODDS


def test_streams_differ_by_seed_axis_and_page():
    first = [tuple(stream(*key).integers(0, 2**32, 4)) for key in np.ndindex(4, 3, 4)]
    assert len(set(first)) == len(first)
    assert tuple(stream(0, 0, 0).integers(0, 2**32, 4)) == first[0]


def test_pages_shrink_with_the_data_and_never_vanish():
    assert page_size(1) == page_size(PAGE_ELEMENTS // PAGE) == PAGE
    assert page_size(PAGE_ELEMENTS // PAGE + 1) == PAGE // 2
    assert page_size(10 * PAGE_ELEMENTS) == 1


def test_pages_cover_the_draws():
    assert len(BootstrapPages(1, (5, 5), 0)) == 1
    assert len(BootstrapPages(PAGE, (5, 5), 0)) == 1
    assert len(BootstrapPages(PAGE + 1, (5, 5), 0)) == 2
    assert len(SwapPages(PAGE, (100, 100), 0)) == PAGE // page_size(10_000)
    systems, inputs = BootstrapPages(PAGE + 1, (5, 6), 0)[1]
    assert systems.shape == (5, PAGE)
    assert inputs.shape == (6, PAGE)


def test_a_swap_of_a_unit_moves_the_whole_unit():
    systems = SwapPages(9, (4, 6), 0, "systems")[0]
    inputs = SwapPages(9, (4, 6), 0, "inputs")[0]
    cells = SwapPages(9, (4, 6), 0, "both")[0]
    assert systems.shape == inputs.shape == cells.shape == (4, 6, PAGE)
    assert (systems == systems[:, :1]).all()
    assert (inputs == inputs[:1]).all()
    assert not (cells == cells[:, :1]).all()
    assert not (cells == cells[:1]).all()


def test_pages_of_no_size_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        Pages(10)
