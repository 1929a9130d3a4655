"""Common subsequences of two texts, as ROUGE-1.5.5 finds them: their lengths, and the words that they mark.

Lengths come from bit vectors; marks from tables that are filled along the anti-diagonals, many texts at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from metassay.stats.arrays import BoolArray, IntArray

PAGE_CELLS = 1 << 22
"""Cells of tables that are held at once."""
_UP, _LEFT, _MATCH = np.int8(0), np.int8(1), np.int8(2)


def places_of(words: Sequence[int]) -> dict[int, int]:
    """Return for each word the bits of the places where it stands."""
    places: dict[int, int] = {}
    bit = 1
    for word in words:
        places[word] = places.get(word, 0) | bit
        bit <<= 1
    return places


def common_length(words: Sequence[int], places: dict[int, int], length: int) -> int:
    """Return the length of the longest common subsequence (Hyyrö, 2004: a bit is cleared where the length grows)."""
    every = rows = (1 << length) - 1
    for match in filter(None, map(places.get, words)):
        hit = rows & match
        rows = (rows + hit | rows - hit) & every
    return length - rows.bit_count()


def marked(problems: Sequence[tuple[list[int], list[int]]], weight: float | None) -> Iterator[BoolArray]:
    """Yield which words of the reference stand in the common subsequence that ROUGE-1.5.5 traces, problem by problem.

    Parameters
    ----------
    problems
        Words of references and outputs, none of them empty.
    weight
        The exponent that favours runs; None looks for the longest subsequence.
    """
    found: list[BoolArray] = [np.empty(0, dtype=bool)] * len(problems)
    # Tables of like size are filled together, so that little is spent on padding.
    order = sorted(range(len(problems)), key=lambda p: (len(problems[p][0]), len(problems[p][1])))
    start = 0
    while start < len(order):
        stop, rows, columns = start, 0, 0
        while stop < len(order):
            reference, output = problems[order[stop]]
            taller, wider = max(rows, len(reference)), max(columns, len(output))
            if stop > start and (taller + wider) * taller * (stop - start + 1) > PAGE_CELLS:
                break
            rows, columns, stop = taller, wider, stop + 1
        chosen = order[start:stop]
        for number, marks in zip(chosen, _traced([problems[p] for p in chosen], rows, columns, weight), strict=True):
            found[number] = marks[: len(problems[number][0])]
        start = stop
    yield from found


def _traced(
    problems: Sequence[tuple[list[int], list[int]]], rows: int, columns: int, weight: float | None
) -> BoolArray:
    """Return the marks of problems of about one size, (problems, rows)."""
    n = len(problems)
    height = np.fromiter((len(reference) for reference, _ in problems), np.int64, n)
    width = np.fromiter((len(output) for _, output in problems), np.int64, n)
    reference = np.full((n, rows), -1, dtype=np.int32)
    output = np.full((n, columns), -2, dtype=np.int32)
    reference[np.arange(rows) < height[:, None]] = [w for r, _ in problems for w in r]
    output[np.arange(columns) < width[:, None]] = [w for _, o in problems for w in o]
    moves = _moves(np.ascontiguousarray(reference.T), np.ascontiguousarray(output[:, ::-1].T), weight)
    marks = np.zeros((n, rows), dtype=bool)
    i, j, which = height.copy(), width.copy(), np.arange(n)
    while len(which):
        move = moves[i + j, i, which]
        hit = move == _MATCH
        i -= move != _LEFT
        j -= move != _UP
        marks[which[hit], i[hit]] = True
        inside = (i > 0) & (j > 0)
        if not inside.all():
            i, j, which = i[inside], j[inside], which[inside]
    return marks


def _moves(reference: IntArray, backward: IntArray, weight: float | None) -> npt.NDArray[np.int8]:
    """Return where the best common subsequence of each problem comes from, (diagonal, row, problem).

    Cells of an anti-diagonal i + j depend only on the two before, so that each is one step for all problems. A match
    is always taken; of two equal scores the one without the reference's word is.

    Parameters
    ----------
    reference
        Words of the references, (rows, problems).
    backward
        Words of the outputs from the last to the first, (columns, problems).
    weight
        The exponent that favours runs, or None.
    """
    (rows, n), columns = reference.shape, len(backward)
    moves = np.empty((rows + columns + 1, rows + 1, n), dtype=np.int8)
    kind = np.int16 if weight is None else np.float64
    before, last, now = (np.zeros((rows + 1, n), dtype=kind) for _ in range(3))
    run_before, run_last, run_now = (np.zeros((rows + 1, n), dtype=np.intp) for _ in range(3))
    worth = np.arange(rows + 2, dtype=float) ** (weight or 1)
    for diagonal in range(2, rows + columns + 1):
        low, high = max(1, diagonal - columns), min(rows, diagonal - 1) + 1
        here, above = slice(low, high), slice(low - 1, high - 1)
        # Row i meets column diagonal − i, which counted from the end is columns − diagonal + i.
        shift = columns - diagonal
        match = reference[above] == backward[low + shift : high + shift]
        up, left = last[above], last[here]
        if weight is None:
            matched = before[above] + 1
        else:
            run = run_before[above]
            matched = before[above] + worth[run + 1] - worth[run]
            run_now[here] = np.where(match, run + 1, 0)
            run_before, run_last, run_now = run_last, run_now, run_before
        np.copyto(now[here], np.where(match, matched, np.maximum(up, left)))
        moves[diagonal, here] = np.where(match, _MATCH, (up < left).view(np.int8))
        before, last, now = last, now, before
    return moves
