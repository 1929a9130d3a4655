"""Random draws in pages: the one door through which randomness enters.

A page is a fixed number of draws with a stream of its own, made from the seed, the axis and the page's
number. Pages can be made in any order, by any thread or machine, and are evaluated whole, so neither the
number of threads nor the way pages are dealt out changes a single byte of a result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

PAGE = 1024
PAGE_ELEMENTS = 4_000_000
"""No page holds more elements than this (32 MB as floats), so its draws get fewer as the data grow."""

SYSTEMS, INPUTS, SWAPS = range(3)
"""Axes with streams of their own: resampling systems is the same whether or not inputs are resampled too."""


def page_size(elements_per_draw: int) -> int:
    """Return how many draws a page has; it depends on the shape of the data and on nothing else."""
    size = PAGE
    while size > 1 and size * elements_per_draw > PAGE_ELEMENTS:
        size //= 2
    return size


def stream(seed: int, axis: int, page: int) -> np.random.Generator:
    """Return the random stream of one page on one axis."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence((seed, axis, page))))


def multiplicities(random: np.random.Generator, n: int, draws: int) -> FloatArray:
    """Draw n of n with replacement, `draws` times; return how often each was taken, as an (n, draws) array."""
    out = np.empty((n, draws))
    # Counting many draws at once saves calls; counting too many at once overflows the cache.
    width = max(1, 32_768 // n)
    for at in range(0, draws, width):
        part = out[:, at : at + width]
        taken = random.integers(0, n, size=part.shape[::-1], dtype=np.uint16 if n < 65_536 else np.int64)
        places = taken + n * np.arange(part.shape[1])[:, None]
        part[:] = np.bincount(places.ravel(), minlength=part.size).reshape(-1, n).T
    return out


def swaps(random: np.random.Generator, shape: tuple[int, ...], draws: int) -> npt.NDArray[np.uint8]:
    """Toss a fair coin for each element of `shape`, `draws` times; return 0 and 1 with the draws last."""
    size = int(np.prod(shape)) * draws
    words = random.integers(0, 2**64, size=-(-size // 64), dtype=np.uint64)
    return np.unpackbits(words.view(np.uint8), count=size).reshape(*shape, draws)


@dataclass(frozen=True)
class BootstrapPages:
    """Pages of multiplicities for systems, inputs, or both."""

    draws: int
    """How many draws are wanted; the last page is made whole and cut."""
    shape: tuple[int, int]
    """Numbers of systems and inputs."""
    seed: int
    """The seed."""
    resample_systems: bool = True
    """Whether systems are drawn with replacement."""
    resample_inputs: bool = True
    """Whether inputs are drawn with replacement."""

    @cached_property
    def size(self) -> int:
        """How many draws a page has."""
        return page_size(sum(self.shape))

    def __len__(self) -> int:
        return -(-self.draws // self.size)

    def __getitem__(self, page: int) -> tuple[FloatArray | None, FloatArray | None]:
        """Return multiplicities of systems and of inputs, None for an axis that stays as it is."""
        systems = inputs = None
        if self.resample_systems:
            systems = multiplicities(stream(self.seed, SYSTEMS, page), self.shape[0], self.size)
        if self.resample_inputs:
            inputs = multiplicities(stream(self.seed, INPUTS, page), self.shape[1], self.size)
        return systems, inputs


@dataclass(frozen=True)
class SwapPages:
    """Pages of swaps of whole systems, whole inputs, or single cells."""

    draws: int
    """How many draws are wanted; the last page is made whole and cut."""
    shape: tuple[int, int]
    """Numbers of systems and inputs."""
    seed: int
    """The seed."""
    unit: str = "both"
    """What is exchanged between two metrics: ``systems``, ``inputs``, or ``both`` for each cell by itself."""

    @cached_property
    def size(self) -> int:
        """How many draws a page has."""
        return page_size(self.shape[0] * self.shape[1])

    def __len__(self) -> int:
        return -(-self.draws // self.size)

    def __getitem__(self, page: int) -> npt.NDArray[np.uint8]:
        """Return 0 (keep) or 1 (exchange) with shape (systems, inputs, draws)."""
        systems, inputs = self.shape
        tossed_for = {"systems": (systems, 1), "inputs": (1, inputs), "both": (systems, inputs)}[self.unit]
        tossed = swaps(stream(self.seed, SWAPS, page), tossed_for, self.size)
        return np.broadcast_to(tossed, (systems, inputs, self.size))
