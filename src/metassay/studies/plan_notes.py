"""What a plan notes: what is needed, where annotations help most, and what its numbers do not say."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from metassay.core.note import Note
from metassay.studies.plan_cases import Asked, Case
from metassay.studies.selection import Selection

if TYPE_CHECKING:
    from metassay.studies.plan import NeedRow, PlanRow

GAPS = 0.05
"""Where a larger share of the cells than this lacks a score, a note says that plans are about tables without gaps."""

OFF = 1.35
"""Where the data's own interval and the world's differ by more than this factor, a note says so."""


def advice(
    case: Case, asked: Asked, rows: list[PlanRow], needs: list[NeedRow], annotations: int, *, named: bool
) -> tuple[Note, Note]:
    """Note what there is and what is needed, and where the next annotations help most."""
    mine = [n for n in needs if (n.metric, n.metric_b, n.human) == (case.metric, case.metric_b, case.human)]
    here = _row_of(case, rows)
    difference = (abs(here.estimate) if asked.difference is None else asked.difference) if asked.powered else None
    gains = [(n.axis, n.gain) for n in mine]
    about = {
        "metric": case.metric,
        "metric_b": case.metric_b,
        "human": case.human,
        "axis": (max if asked.powered else min)(gains, key=lambda each: each[1])[0],
        "annotators": case.base.annotators if case.annotated else None,
        "power": here.power if asked.powered else None,
    }
    needed = Note.of(
        "plan",
        **about,
        systems=case.base.systems if named else None,
        inputs=case.base.inputs,
        width=None if asked.powered else here.width,
        width_data=None if math.isnan(here.width_data) else here.width_data,
        difference=difference,
        target=asked.target,
        reached=here.reached,
        needed=[(n.axis, n.now, n.needed) for n in mine if n.needed is not None],
        at_most=[n.axis for n in mine if n.at_most],
        limits=[
            (n.axis, max(case.grid(n.axis)), None if math.isnan(n.limit) or asked.met(n.limit) else n.limit)
            for n in mine
            if n.needed is None
        ],
    )
    return needed, Note.of(
        "plan-next",
        **about,
        level=asked.level,
        statistic=asked.statistic.name,
        next=annotations,
        gains=gains,
        ceiling=None if math.isnan(here.ceiling) else here.ceiling,
    )


def _row_of(case: Case, rows: list[PlanRow]) -> PlanRow:
    """Return the row of what the data have."""
    key = (case.metric, case.metric_b, case.human, "inputs", int(case.base.inputs))
    return next(row for row in rows if (row.metric, row.metric_b, row.human, row.axis, row.n) == key)


def caveats(selected: Selection, cases: list[Case], asked: Asked, rows: list[PlanRow]) -> list[Note]:
    """Note what the numbers rest on, and what they do not say."""
    notes = []
    for human in selected.humans:
        mine = [case for case in cases if case.human == human]
        noise = mine[0].worlds[0].noise
        count = len(selected.scores[human].labels("annotator"))
        if noise is None and not asked.of_items:
            notes.append(Note.of("annotators-unknown", human=human, annotators=count))
        elif noise is not None and not noise.crossed:
            notes.append(Note.of("annotators-not-crossed", human=human, annotators=count, ratings=noise.annotators))
    for case in cases:
        gaps = float((np.isnan(case.x).any(axis=0) | np.isnan(case.z)).mean())
        notes += Note.when(gaps > GAPS, "plan-gaps", metric=case.metric, human=case.human, share=gaps)
    if not asked.powered:
        for case in cases:
            at = _row_of(case, rows)
            if not (at.width > 0 and at.width_data > 0):
                continue
            if max(at.width / at.width_data, at.width_data / at.width) > OFF:
                widths = {"data": at.width_data, "world": at.width, "interval": asked.interval.name}
                notes.append(Note.of("plan-width-off", metric=case.metric, human=case.human, **widths))
    notes += Note.when(asked.difference is not None, "difference-by-noise")
    if asked.of_items:
        notes.append(Note.of("plan-draws-again", inputs=int(min(case.base.inputs for case in cases))))
    else:
        notes.append(Note.of("plan-extrapolates", systems=min(case.base.systems for case in cases)))
    notes += Note.when(asked.powered, "plan-power-ideal")
    narrow = asked.interval.generalises == "inputs" and not asked.powered
    return notes + Note.when(narrow, "generalises", method=asked.interval.name, to="inputs")
