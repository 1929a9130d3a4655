"""Score matrices that are hard in some way: ties, gaps, constant rows and columns, one system, one input."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from metassay.stats.kernels import score_swaps, within_groups

REPEATABLE = settings(max_examples=25, print_blob=True)

KINDS = ("smooth", "grades", "floored", "decimals", "constant-column", "constant-row", "mostly-equal")


def scores(random, kind, shape):
    """Return scores of one kind."""
    smooth = random.normal(size=shape)
    if kind == "grades":
        return random.integers(1, 5, shape).astype(float)
    if kind == "floored":
        return np.maximum(smooth, 0.0)
    if kind == "decimals":
        return random.integers(0, 30, shape) / 7
    if kind == "constant-column":
        smooth[..., 0] = 0.7
    elif kind == "constant-row":
        smooth[0] = 0.7
    elif kind == "mostly-equal":
        return np.where(random.random(shape) < 0.9, 0.3, smooth)
    return smooth


class Case(NamedTuple):
    """Metrics (P, systems, inputs) and human scores (systems, inputs)."""

    x: np.ndarray
    z: np.ndarray
    seed: int

    @property
    def shape(self):
        return self.z.shape


@st.composite
def cases(draw, metrics=2, most_systems=12, most_inputs=12, same_gaps=False):
    """Draw metrics of various kinds and a human matrix, with a share of their cells missing."""
    seed = draw(st.integers(0, 10_000))
    random = np.random.default_rng(seed)
    shape = draw(st.integers(1, most_systems)), draw(st.integers(1, most_inputs))
    x = np.stack([scores(random, draw(st.sampled_from(KINDS)), shape) for _ in range(metrics)])
    z = scores(random, draw(st.sampled_from(KINDS)), shape)
    missing = draw(st.sampled_from([0.0, 0.1, 0.4, 0.8]))
    if same_gaps:
        x[:, random.random(shape) < missing] = np.nan
    else:
        x[random.random(x.shape) < missing] = np.nan
    z[random.random(shape) < missing / 2] = np.nan
    return Case(x, z, seed)


@contextmanager
def engine(name: str) -> Iterator[None]:
    """Make the ``short`` engine (all pairs at once) or the ``ordered`` one (running sums) do the work."""
    with ExitStack() as stack:
        if name == "ordered":
            for module in (within_groups, score_swaps):
                stack.enter_context(patch.object(module, "SHORT", 0))
        yield


def same(a, b):
    """Say whether two arrays hold the same bytes."""
    return a.shape == b.shape and a.tobytes() == b.tobytes()
