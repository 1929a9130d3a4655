"""Facts about which scores there are."""

from __future__ import annotations

import numpy as np

from metassay.stats.design import connected, copies


def test_parts_are_those_of_a_walk_through_the_table():
    random = np.random.default_rng(0)
    for _ in range(50):
        known = random.random((7, 9)) < 0.15
        systems, inputs = connected(known)
        for start in range(7):
            reached, rows = set(), {start}
            while rows - reached:
                row = (rows - reached).pop()
                reached.add(row)
                rows |= {other for j in np.flatnonzero(known[row]) for other in np.flatnonzero(known[:, j])}
            if not known[start].any():
                assert systems[start] == -1
                continue
            assert {i for i in range(7) if systems[i] == systems[start]} == reached
            columns = set(np.flatnonzero(known[sorted(reached)].any(axis=0)))
            assert {j for j in range(9) if inputs[j] == systems[start]} == columns
        used = sorted(set(systems.tolist()) - {-1})
        assert used == list(range(len(used)))


def test_a_chain_is_one_part():
    known = np.zeros((30, 31), dtype=bool)
    known[np.arange(30), np.arange(30)] = known[np.arange(30), np.arange(1, 31)] = True
    systems, inputs = connected(known[::-1])
    assert set(systems) == set(inputs) == {0}


def test_copies_miss_the_same_cells_and_have_the_same_scores():
    a = np.random.default_rng(1).normal(size=(3, 4))
    gap = a.copy()
    gap[1, 1] = np.nan
    x = np.stack([a, gap, a.copy(), np.exp(a), gap.copy(), -a])
    assert copies(x) == [[0, 2], [1, 4]]
    assert copies(x, "order") == [[0, 2, 3], [1, 4]]
