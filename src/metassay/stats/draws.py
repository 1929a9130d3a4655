"""Random draws in pages: the one door through which randomness enters.

A page is a fixed number of draws with a stream of its own, made from the seed, the axis and the page's
number. Pages can be made in any order, by any thread or machine, and are evaluated whole, so neither the
number of threads nor the way pages are dealt out changes a single byte of a result.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray, Swaps

PAGE = 1024
PAGE_ELEMENTS = 4_000_000
"""No page holds more elements than this (32 MB as floats), so its draws get fewer as the data grow."""

SYSTEMS, INPUTS, SWAPS, FOLDS, WHOLE, CHOICE, FIRST, SECOND, WORDS, POINTS, REFERENCES = range(11)
SPLITS, NOISE, TRIALS, WORLDS, PLANS, SIGNS, PAIRS, TASKS = range(11, 19)
"""Axes with streams of their own: resampling systems is the same whether or not inputs are resampled too."""


def page_size(elements_per_draw: int) -> int:
    """Return how many draws a page has; it depends on the shape of the data and on nothing else."""
    size = PAGE
    while size > 1 and size * elements_per_draw > PAGE_ELEMENTS:
        size //= 2
    return size


def stream(seed: int, axis: int, *page: int) -> np.random.Generator:
    """Return the random stream of one page on one axis; pages may have several numbers, such as a size and a number."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence((seed, axis, *page))))


def multiplicities(random: np.random.Generator, n: int, draws: int, size: int | None = None) -> FloatArray:
    """Draw `size` (by default n) of n with replacement, `draws` times; return how often each was taken, (n, draws)."""
    size = n if size is None else size
    out = np.empty((draws, n))
    # Counting many draws at once saves calls; counting too many at once overflows the cache.
    width = max(1, 32_768 // max(n, size))
    for at in range(0, draws, width):
        part = out[at : at + width]
        taken = random.integers(0, n, size=(len(part), size), dtype=np.uint16 if n < 65_536 else np.int64)
        places = taken + n * np.arange(len(part))[:, None]
        part[:] = np.bincount(places.ravel(), minlength=part.size).reshape(-1, n)
    # Turned once at the end: turning every few draws would write to all over memory.
    return np.ascontiguousarray(out.T)


def drawn_units(random: np.random.Generator, n: int, draws: int, units: IntArray | None) -> FloatArray:
    """Return how often each of n was drawn, (n, draws); those of a unit are drawn together, as many units as there are.

    Examples
    --------
    >>> w = drawn_units(np.random.default_rng(0), 5, 100, np.array([0, 0, 1, 1, 2]))
    >>> bool((w[0] == w[1]).all()), sorted(set((w[0] + w[2] + w[4]).tolist()))
    (True, [3.0])
    """
    if units is None:
        return multiplicities(random, n, draws)
    packed = np.unique(units, return_inverse=True)[1]
    return multiplicities(random, int(packed.max()) + 1, draws)[packed]


def swaps(random: np.random.Generator, shape: tuple[int, ...], draws: int) -> Swaps:
    """Toss a fair coin for each element of `shape`, `draws` times; return 0 and 1 with the draws last."""
    size = int(np.prod(shape)) * draws
    words = random.integers(0, 2**64, size=-(-size // 64), dtype=np.uint64)
    return np.unpackbits(words.view(np.uint8), count=size).reshape(*shape, draws)


@dataclass(frozen=True)
class Pages(ABC):
    """Draws that are made by the page."""

    draws: int
    """How many draws are wanted; the last page is made whole and cut."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many draws a page has."""

    def __len__(self) -> int:
        return -(-self.draws // self.size)


@dataclass(frozen=True)
class PagesOfCells(Pages):
    """Pages of draws for scores of systems on inputs."""

    shape: tuple[int, int]
    """Numbers of systems and inputs."""
    seed: int
    """The seed."""


@dataclass(frozen=True)
class BootstrapPages(PagesOfCells):
    """Pages of multiplicities for systems, inputs, or both."""

    resample_systems: bool = True
    """Whether systems are drawn with replacement."""
    resample_inputs: bool = True
    """Whether inputs are drawn with replacement."""
    annotated: int = 0
    """How many inputs people annotated, if these are drawn apart from the inputs of the metrics; else 0."""
    reckoned: int = 0
    """Elements per draw that decide the size of a page; 0 for its own. Plans that reckon alike draw alike."""
    per_page: int = 0
    """How many draws a page has, if that is given; 0 if its size is decided by the shape."""
    first: int = 0
    """The number of the first page's stream."""
    families: IntArray | None = field(default=None, compare=False)
    """The family of each system, if systems of a family are drawn together."""
    clusters: tuple[IntArray | None, IntArray | None] = field(default=(None, None), compare=False)
    """The clusters of the inputs of metrics, and of people where these are drawn apart; likewise."""

    @cached_property
    def size(self) -> int:
        """How many draws a page has."""
        return self.per_page or page_size(self.reckoned or sum(self.shape) + self.annotated)

    @property
    def largest(self) -> int:
        """What the multiplicities of no draw exceed when added up over the cells; units may be of unequal size."""
        axes = zip(self.shape, (self.families, self.clusters[0]), strict=True)
        most = [n if units is None else np.unique(units, return_counts=True)[1] for n, units in axes]
        return int(np.prod([np.max(times) * np.size(times) for times in most]))

    def __getitem__(self, page: int) -> tuple[FloatArray | None, FloatArray | None]:
        """Return multiplicities of systems and of inputs, None for an axis that stays as it is.

        Where people's inputs are drawn apart, their multiplicities stand below those of the metrics' inputs.
        """
        systems = inputs = None
        page += self.first
        if self.resample_systems:
            systems = drawn_units(stream(self.seed, SYSTEMS, page), self.shape[0], self.size, self.families)
        if self.resample_inputs:
            n = self.annotated or self.shape[1]
            inputs = drawn_units(stream(self.seed, INPUTS, page), n, self.size, self.clusters[bool(self.annotated)])
            if self.annotated:
                # People's inputs keep their stream: with and without more inputs for metrics, the same are drawn.
                whole = drawn_units(stream(self.seed, WHOLE, page), self.shape[1], self.size, self.clusters[0])
                inputs = np.concatenate([whole, inputs])
        return systems, inputs


@dataclass(frozen=True)
class SwapPages(PagesOfCells):
    """Pages of swaps of whole systems, whole inputs, or single cells."""

    unit: str = "both"
    """What is exchanged between two metrics: ``systems``, ``inputs``, or ``both`` for each cell by itself."""
    families: IntArray | None = field(default=None, compare=False)
    """The family of each system, if systems of a family are exchanged together."""
    clusters: IntArray | None = field(default=None, compare=False)
    """The cluster of each input, likewise."""

    @cached_property
    def size(self) -> int:
        """How many draws a page has."""
        return page_size(self.shape[0] * self.shape[1])

    def __getitem__(self, page: int) -> Swaps:
        """Return 0 (keep) or 1 (exchange) with shape (systems, inputs, draws)."""
        systems, inputs = self.shape
        rows, columns = (
            labels if labels is None else np.unique(labels, return_inverse=True)[1]
            for labels in (self.families, self.clusters)
        )
        n, m = (size if of is None else int(of.max()) + 1 for size, of in ((systems, rows), (inputs, columns)))
        tossed_for = {"systems": (n, 1), "inputs": (1, m), "both": (n, m)}[self.unit]
        tossed = swaps(stream(self.seed, SWAPS, page), tossed_for, self.size)
        if rows is not None and self.unit != "inputs":
            tossed = tossed[rows]
        if columns is not None and self.unit != "systems":
            tossed = tossed[:, columns]
        return np.broadcast_to(tossed, (systems, inputs, self.size))


def bootstrap_rows(n: int, draws: int, seed: int) -> Iterator[FloatArray]:
    """Yield how often each of n inputs is drawn, (up to PAGE draws, inputs), as sacrebleu draws with the same seed."""
    random = np.random.default_rng(seed)
    for start in range(0, draws, PAGE):
        chosen = random.choice(n, size=(min(PAGE, draws - start), n), replace=True)
        chosen += n * np.arange(len(chosen))[:, None]
        yield np.bincount(chosen.ravel(), minlength=chosen.size).reshape(-1, n).astype(np.float64)


def exchanged_rows(n: int, draws: int, seed: int) -> Iterator[FloatArray]:
    """Yield 1 for inputs that stay and 0 for those that are exchanged, likewise.

    Coins are tossed 32 at a time, and a page of them is a multiple of that, so that pages go on where they stopped.
    """
    random = np.random.default_rng(seed)
    for start in range(0, draws, PAGE):
        yield random.integers(2, size=(min(PAGE, draws - start), n), dtype=bool).astype(np.float64)


def marks(n: int) -> FloatArray:
    """Return whole numbers, (2, n), whose sums tell sets apart, exactly; the same whatever the seed."""
    return np.random.default_rng(0).integers(1 << 38, size=(2, n)).astype(np.float64)


def sign_flips(n: int, draws: int) -> FloatArray:
    """Return −1 or 1 for n inputs, (n, draws), as mt-metrics-eval draws them for p-values of systems (seed 4)."""
    tossed = np.rint(np.random.default_rng(4).random(size=(draws, n), dtype=np.float32))
    return np.ascontiguousarray(2.0 * tossed.T.astype(np.float64) - 1.0)
