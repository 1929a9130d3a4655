"""Does a judge choose as people do: agreement, what a swap of the outputs changes, and how clear people were."""

from __future__ import annotations

import math

from metassay.core.note import Note
from metassay.errors import one_line
from metassay.report import numbers
from metassay.report.table import Paragraph, Table
from metassay.report.views.bias import effects
from metassay.report.views.columns import across, build, lines
from metassay.report.views.judge import requirements as requirements
from metassay.studies.judge_votes import JudgeVotes

MOST = 15
"""Judges, or pairs of people, of whom a table tells at first sight."""
MOST_KINDS = 4
"""Kinds of clearness that stand side by side."""


def lead(result: JudgeVotes) -> list[tuple[Note, ...]]:
    """Return the answer: a paragraph per judge."""
    told = [note for note in result.notes if note.code in ("judge-votes", "judges-votes", "judge-after-swap")]
    judges = dict.fromkeys(note["judge"] for note in told)
    return [tuple(note for note in told if note["judge"] == judge) for judge in judges]


def default(result: JudgeVotes) -> tuple[str, ...]:
    """Return what there is to see, and first what was asked for."""
    swapped = any(row.n_items for row in result.orders)
    several = len({row.judge for row in result.margins}) < len(result.margins)
    more = [*["bias"] * bool(result.biases), *["requirements"] * bool(result.requirements)]
    return ("summary", *more, *["orders"] * swapped, *["margins"] * several)


def bias(result: JudgeVotes) -> tuple[Table, ...]:
    """Return what sways judges."""
    return effects(result.biases)


def summary(result: JudgeVotes) -> tuple[Table, ...]:
    """Return each judge in a line."""
    rows = sorted(result.table, key=lambda row: -row.agreement if row.agreement == row.agreement else math.inf)
    people = any(row.people == row.people for row in rows)
    differ = len({row.n for row in rows}) > 1
    return build(
        "Votes of judges against people",
        [
            "judge",
            "agreement|agreement agreement_low agreement_high|percent_range",
            any(row.n_decisive < row.n for row in rows)
            and "without ties|decisive decisive_low decisive_high|percent_range",
            *("κ|kappa|two", "F1|f1|two"),
            any(row.ties for row in rows) and "ties||percent",
            people and "single people|single single_low single_high|percent_range",
            people and "people agree|people|percent",
            differ and "votes|n|count",
        ],
        [
            (
                f"{numbers.span([row.n for row in rows])} votes on {numbers.span([row.n_items for row in rows])} pairs",
                rows,
            )
        ],
        f"Agreement: share of votes equal to the most frequent human verdict; in brackets {_level(result)} CI, votes "
        "on "
        "one input clustered. F1: averaged over A, B and tie.",
        people and "Single people: agreement with single votes of people, beside that of two people with each other.",
        undefined="no such votes, or a single verdict",
    )


def orders(result: JudgeVotes) -> tuple[Table, ...]:
    """Return what each judge does when the two outputs change places."""
    rows = result.orders
    return build(
        "Consistency when the two outputs are swapped",
        [
            *("judge", "same verdict|consistency consistency_low consistency_high|percent_range"),
            *("right in both|right_in_both right_low right_high|percent_range", "right|right_first|percent"),
            *(
                "swapped|right_second|percent",
                "first chosen|first first_low first_high|percent_range",
                "p|p_value|p_value",
            ),
        ],
        [(f"{numbers.span([row.n_items for row in rows])} pairs in both orders", rows)] if rows else [],
        f"In brackets: {_level(result)} CI. First chosen: share of votes other than ties for the output shown first, "
        "50% without a preference; p: McNemar's test of that, on pairs judged in both orders.",
        undefined="never asked in both orders",
    )


def margins(result: JudgeVotes) -> tuple[Table, ...]:
    """Return agreement by how clear people were."""
    return build(
        "Agreement by the share of people with the most frequent verdict",
        ["judge", *across(result.margins, "clear voted", _clearness)[:MOST_KINDS]],
        [("people who gave the most frequent verdict", lines(result.margins, "judge"))],
        f"In brackets: {_level(result)} CI.",
    )


def _unlike(result: JudgeVotes) -> list[Paragraph]:
    """Say where the judge that agrees best votes otherwise: where people were least and most clear."""
    best = max(result.table, key=lambda row: row.agreement, default=None)
    mine = [row for row in result.margins if best and row.judge == best.judge and row.agreement == row.agreement]
    if best is None or len(mine) < 2:
        return _swapped(result)
    ends = sorted(mine, key=lambda row: row.clear / row.voted)
    first, last = (
        f"{numbers.percent_range(row.agreement, row.low, row.high)} of {numbers.counted(row.n, 'vote')} where "
        f"{row.clear} of {row.voted} people agree on the verdict"
        for row in (ends[0], ends[-1])
    )
    return [Paragraph((f"{one_line(best.judge)} agrees with people in {first}, and in {last}.",))]


def _swapped(result: JudgeVotes) -> list[Paragraph]:
    """Say how often the judge that agrees best changes its verdict when the outputs are swapped."""
    best = max(result.table, key=lambda row: row.agreement, default=None)
    return [
        Paragraph(
            (
                f"{one_line(row.judge)} changes its verdict on {numbers.percent(1 - row.consistency)} of "
                f"{numbers.counted(row.n_items, 'pair')} when the two outputs are swapped, and is right in both orders "
                f"on {numbers.percent(row.right_in_both)}.",
            )
        )
        for row in result.orders
        if best and row.judge == best.judge and row.consistency == row.consistency
    ]


LEADS = {"margins": _unlike}
"""What a view says instead of the answer of the study."""


def _clearness(kind: tuple[int, int]) -> str:
    return f"{kind[0]} of {kind[1]}|agreement low high|percent_range"


def people(result: JudgeVotes) -> tuple[Table, ...]:
    """Return every two people."""
    rows = result.people[:MOST]
    return build(
        "Agreement of people with each other",
        [
            "person|person_a",
            "person |person_b",
            "agreement|agreement low high|percent_range",
            "κ|kappa|two",
            "pairs|n_items|count",
        ],
        [("", rows)] if rows else [],
        len(result.people) > MOST and f"{len(result.people) - MOST:,} more are in JSON, and in CSV with --rows people.",
    )


def _level(result: JudgeVotes) -> str:
    return numbers.level(result.table[0].confidence)
