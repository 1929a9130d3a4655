"""How much may be asked of the server."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what people send and on the work they order."""

    upload: int = 50 * MEGABYTE
    """Bytes of one upload, all files together."""
    unpacked: int = 500 * MEGABYTE
    """Bytes of one file after gzip is undone."""
    files: int = 50
    """Files of one upload."""
    columns: int = 200
    """Metrics and human criteria of one session."""
    cells: int = 5_000_000
    """Single scores of one session."""
    resamples: int = 100_000
    """Resamples of one report."""
    seconds: float = 900.0
    """Time that reading, or one report, may take."""
    memory: int = 4_000 * MEGABYTE
    """Most address space of a process that reads or computes, where the system can bound it; see :func:`shares`."""
    readers: int = 4
    """Uploads that are read at the same time."""
    jobs: int = 2
    """Reports that are made at the same time."""
    waiting: int = 20
    """Reports that may wait for their turn."""
    sessions: int = 100
    """Sessions that exist at the same time."""
    lifetime: float = 3600.0
    """Seconds after which a session that nobody uses is deleted."""


class Shares(NamedTuple):
    """How processes share the memory of a machine."""

    memory: int
    """Bytes that each may take."""
    readers: int
    """How many may read at the same time."""
    jobs: int
    """How many reports may be made at the same time; 0 if readers and reports share one place."""


def shares(limits: Limits, machine: int) -> Shares:
    """Return how many processes of which size fit into four fifths of a machine's memory, all of them at their largest.

    Examples
    --------
    >>> for gigabytes in (64, 16, 4, 1):
    ...     print(shares(Limits(), gigabytes * 1_000_000_000))
    Shares(memory=4000000000, readers=4, jobs=2)
    Shares(memory=4000000000, readers=1, jobs=2)
    Shares(memory=1600000000, readers=1, jobs=1)
    Shares(memory=1000000000, readers=1, jobs=0)
    """
    budget = machine * 4 // 5
    # With less than that not even the libraries find room.
    memory = min(limits.memory, max(1_000 * MEGABYTE, budget // 2))
    places = max(1, min(limits.readers + limits.jobs, budget // memory))
    jobs = min(limits.jobs, places - 1)
    return Shares(memory, min(limits.readers, places - jobs), jobs)


def machine_memory() -> int:
    """Return the bytes of memory that this machine, or the container around this process, has."""
    known = []
    with suppress(ValueError, OSError, AttributeError):
        known.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(ValueError, OSError):
            known.append(int(Path(path).read_text()))
    return min(known, default=8_000 * MEGABYTE)


def expected(metrics: int, humans: int, systems: int, inputs: int, resamples: int = 10_000) -> tuple[float, float]:
    """Return about how many seconds of a processor a report takes and how many bytes it has.

    Fitted to the times of single studies in reports of 2 to 45 metrics, 1 to 4 criteria, 10 to 50 systems, 50 to 1,000
    inputs and 100 to 100,000 resamples: what pairs of metric and criterion take, and what columns do.

    Examples
    --------
    >>> [round(number) for number in expected(13, 4, 16, 100)]
    [10, 1644517]
    """
    n, pairs, columns = max(systems, 1), metrics * humans, metrics + humans
    cells = n * inputs
    held = 2e-7 * (humans - 1) * cells * min(cells**0.5, 100.0)
    seconds = 1.5 + 0.2 * humans + pairs * (0.03 + 1e-4 * n**2 + 5.7e-5 * inputs + 8e-6 * cells + held)
    seconds += columns * (0.056 + 3e-5 * n**2 + 7.5e-5 * inputs + (4e-6 + 5e-10 * resamples) * cells)
    return seconds, MEGABYTE + 60_000 * pairs**0.58 + 30 * inputs * columns


def span(seconds: float) -> str:
    """Return a measured span of time, rounded as an estimate deserves.

    Examples
    --------
    >>> span(7.3), span(44), span(140)
    ('7 seconds', '45 seconds', '2 minutes')
    """
    if seconds >= 90:
        return f"{seconds / 60:.0f} minutes"
    return f"{max(2, round(seconds)) if seconds < 15 else 5 * round(seconds / 5)} seconds"


def in_words(size: float) -> str:
    """Return a number of bytes as people say it.

    Examples
    --------
    >>> in_words(50_000_000), in_words(1_250_000), in_words(900)
    ('50 MB', '1.2 MB', '1 kB')
    """
    if size >= MEGABYTE:
        return f"{size / MEGABYTE:.0f} MB" if size >= 10 * MEGABYTE else f"{size / MEGABYTE:.1f} MB"
    return f"{max(1, round(size / 1000))} kB"


def time_in_words(seconds: float) -> str:
    """Return a span of time as people say it.

    Examples
    --------
    >>> time_in_words(3600), time_in_words(7200), time_in_words(60), time_in_words(5400), time_in_words(20)
    ('an hour', '2 hours', 'a minute', '90 minutes', '20 seconds')
    """
    for unit, one, many in ((3600, "an hour", "hours"), (60, "a minute", "minutes")):
        if seconds == unit:
            return one
        if seconds >= unit and seconds % unit == 0:
            return f"{seconds / unit:.0f} {many}"
    return f"{seconds:.0f} seconds"
