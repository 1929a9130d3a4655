"""What is odd about scores: labels that look alike, parts that share nothing, columns that say nothing or the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np

from metassay.core.note import Note
from metassay.core.scores import Scores
from metassay.stats.arrays import BoolArray, IntArray

_MOST_LABELS = 200_000
# Letters of other alphabets that nobody can tell from Latin ones.
_LOOK = str.maketrans("аеорсухіАВЕКМНОРСТХѕјοαρ", "aeopcyxiABEKMHOPCTXsjoap")


_MONTHS = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE = re.compile(rf"\d{{1,2}}[-. ]{_MONTHS}([-. ]\d+)?|{_MONTHS}[-. ]\d+|\d+-\d+-\d+ 00:00:00", re.IGNORECASE)
"""What spreadsheets make of ids such as 1-2."""


def alike(labels: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of labels that differ in case, white space or the alphabet of a letter only.

    Examples
    --------
    >>> alike(["gpt-4", "GPT-4 ", "llama"])
    [('gpt-4', 'GPT-4 ')]
    """
    seen: dict[str, str] = {}
    found = []
    for label in labels[:_MOST_LABELS]:
        plain = label if label.isascii() else unicodedata.normalize("NFKC", label).translate(_LOOK)
        key = "".join(plain.split()).casefold()
        other = seen.setdefault(key, label)
        if other != label:
            found.append((other, label))
    return found


def components(present: BoolArray) -> IntArray:
    """Return for each row the number of its part: rows that share a column, directly or through others, are one."""
    part = np.full(len(present), -1)
    n = 0
    for start in range(len(present)):
        if part[start] >= 0:
            continue
        inside = np.zeros(len(present), dtype=bool)
        inside[start] = True
        while True:
            columns = present[inside].any(axis=0)
            wider = inside | present[:, columns].any(axis=1)
            if (wider == inside).all():
                break
            inside = wider
        part[inside] = n
        n += 1
    return part


def presence(scores: Scores) -> BoolArray:
    """Return which cells, systems × inputs, have any score."""
    found = np.zeros(scores.shape, dtype=bool)
    for column in scores.columns.values():
        found |= (~np.isnan(column.values)).reshape(-1, *scores.shape).any(axis=0)
    return found


def doubts(scores: Scores) -> list[Note]:
    """Return notes on what is likely a mistake in the labels or in the design."""
    notes = []
    for axis, labels in (("systems", scores.systems), ("inputs", scores.inputs)):
        pairs = alike(labels)
        if pairs:
            notes.append(Note.of("labels-alike", axis=axis, n=len(pairs), first=pairs[0][0], second=pairs[0][1]))
        dates = [label for label in labels[:_MOST_LABELS] if _DATE.fullmatch(label)]
        if dates:
            notes.append(Note.of("labels-dates", axis=axis, n=len(dates), labels=len(labels), first=dates[0]))
    present = presence(scores)
    scored = present.any(axis=1)
    if scored.sum() > 1 and scores.shape[1] > 1:
        n = int(components(present[scored]).max()) + 1
        notes += Note.when(n > 1, "design-disconnected", parts=n, systems=int(scored.sum()))
    return notes


def oddities(scores: Scores) -> list[Note]:
    """Return notes on columns and rows that carry no information, or the same twice."""
    notes = []
    constant, seen = [], dict[tuple[bytes, tuple[int, ...]], str]()
    for name, column in scores.columns.items():
        known = column.values[~np.isnan(column.values)]
        if known.size > 1 and known.min() == known.max():
            constant.append(name)
            continue
        key = (column.values.tobytes(), column.values.shape)
        other = seen.setdefault(key, name)
        notes += Note.when(other != name and known.size, "columns-identical", first=other, second=name)
    notes += Note.when(constant, "columns-constant", columns=constant)
    present = presence(scores)
    for axis, labels, along in (("systems", scores.systems, 1), ("inputs", scores.inputs, 0)):
        empty = _without(labels, np.asarray(present.any(axis=along)))
        notes += Note.when(empty, "labels-without-scores", axis=axis, labels=empty)
    return notes


def _without(labels: Iterable[str], has: BoolArray) -> list[str]:
    return [label for label, there in zip(labels, has.tolist(), strict=True) if not there]
