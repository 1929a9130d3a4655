"""How much may be asked of the server."""

from __future__ import annotations

from dataclasses import dataclass

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
    """Address space of the process that reads or computes, where the system can bound it."""
    jobs: int = 2
    """Reports that are made at the same time."""
    waiting: int = 20
    """Reports that may wait for their turn."""
    sessions: int = 100
    """Sessions that exist at the same time."""
    lifetime: float = 3600.0
    """Seconds after which a session that nobody uses is deleted."""


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
