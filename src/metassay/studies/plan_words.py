"""What a plan says in words: what is needed, where annotations buy most, and what its numbers do not say."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from metassay.errors import one_line
from metassay.studies.plan_cases import Asked, Case
from metassay.studies.setting import Setting

if TYPE_CHECKING:
    from metassay.studies.plan import NeedRow, PlanRow

GAPS = 0.05
"""Where a larger share of the cells than this lacks a score, a note says that plans are about tables without gaps."""

OFF = 1.35
"""Where the data's own interval and the world's differ by more than this factor, a note says so."""


def advice(case: Case, asked: Asked, rows: list[PlanRow], needs: list[NeedRow], annotations: int) -> str:
    """Say what there is, what is needed, and where the next annotations buy most."""
    mine = [n for n in needs if (n.metric, n.metric_b, n.human) == (case.metric, case.metric_b, case.human)]
    here = _row_of(case, rows)
    size = f"{case.base.systems} systems × {case.base.inputs:.0f} inputs"
    size += f" × {case.base.annotators:.3g} annotators" if case.annotated else ""
    names = one_line(case.metric, 60)
    if asked.powered:
        wanted = f"{asked.difference:g}" if asked.difference is not None else f"{abs(here.estimate):.2f}"
        now = (
            f"{names} against {one_line(case.metric_b or '', 60)}, {one_line(case.human, 60)}: {size} find a "
            f"difference of {wanted} with a chance of {here.power:.0%}"
        )
        goal = f"a chance of {asked.target:.0%}"
    else:
        now = f"{names}, {one_line(case.human, 60)}: with {size} the interval is about {here.width:.2f} wide"
        goal = f"a width of {asked.target:g}"
    if here.reached:
        fewer = [_many(n.needed, n.axis) for n in mine if n.needed is not None and n.needed < n.now]
        what = f"{now}: {goal} is reached already"
        what += f"; about {' or '.join(fewer)} would do." if fewer else "."
    else:
        enough = [_many(n.needed, n.axis) for n in mine if n.needed is not None]
        what = f"{now}. {goal.capitalize()} needs about {' or '.join(enough)}." if enough else f"{now}."
        never = [n for n in mine if n.needed is None and not math.isnan(n.limit) and not asked.met(n.limit)]
        if never:
            ends = [f"{n.axis} ({n.limit:.0%}" if asked.powered else f"{n.axis} ({n.limit:.2f}" for n in never]
            what += f" No number of {' or '.join(f'{end} at best)' for end in ends)} is enough."
        few = [_many(max(case.grid(n.axis)), n.axis) for n in mine if n.needed is None and n not in never]
        if few:
            what += f" Even {' or '.join(few)} are not enough for {goal}."
    best = (max if asked.powered else min)(mine, key=lambda n: n.gain)
    unit = "annotations" if case.annotated else "judged outputs"
    if _gain(best.gain, asked).startswith("0.0"):
        what += f" The next {annotations:,} {unit} change too little to be seen."
    else:
        others = ", ".join(f"{_gain(n.gain, asked)} as {n.axis}" for n in mine if n is not best)
        how = "points of power" if asked.powered else "of the width"
        what += f" The next {annotations:,} {unit} buy most as {best.axis}: {_gain(best.gain, asked)} {how} ({others})."
    if not math.isnan(here.ceiling):
        what += (
            f" A metric that knew what all annotators would say could reach {here.ceiling:.2f} "
            f"({asked.statistic}, {asked.level} level)."
        )
    return what


def _many(n: int, axis: str) -> str:
    return f"{n:,} {axis.removesuffix('s') if n == 1 else axis}"


def _row_of(case: Case, rows: list[PlanRow]) -> PlanRow:
    """Return the row of what the data have."""
    key = (case.metric, case.metric_b, case.human, "systems", case.base.systems)
    return next(row for row in rows if (row.metric, row.metric_b, row.human, row.axis, row.n) == key)


def _gain(gain: float, asked: Asked) -> str:
    text = f"{100 * gain:+.1f}"
    text = "0.0" if float(text) == 0 else text
    return text if asked.powered else f"{text}%"


def caveats(setting: Setting, cases: list[Case], asked: Asked, rows: list[PlanRow]) -> list[str]:
    """Say what the numbers rest on, and what they do not say."""
    notes = []
    for human in setting.humans:
        mine = [case for case in cases if case.human == human]
        noise = mine[0].worlds[0].noise
        column = setting.scores[human]
        count = len(column.labels("annotator"))
        if noise is None:
            why = (
                "its scores do not tell annotators apart"
                if count == 0
                else "there is one annotator only"
                if count == 1
                else "no two annotators rated the same output"
            )
            notes.append(
                f"{one_line(human, 60)}: {why}, so nothing can be said about more annotators or about how far people "
                "agree; costs count judged outputs."
            )
        elif not noise.crossed:
            notes.append(
                f"{one_line(human, 60)}: few outputs were rated by all {count} annotators, so all their disagreement "
                f"is taken for noise of single outputs ({noise.annotators:.1f} ratings each)."
            )
    for case in cases:
        gaps = float((np.isnan(case.x).any(axis=0) | np.isnan(case.z)).mean())
        if gaps > GAPS:
            notes.append(
                f"{one_line(case.metric, 60)}, {one_line(case.human, 60)}: {gaps:.0%} of the outputs lack a score; "
                "plans and their costs are about tables without gaps, so the data bring less than their row says."
            )
    if not asked.powered:
        for case in cases:
            at = _row_of(case, rows)
            if not (at.width > 0 and at.width_data > 0):
                continue
            if max(at.width / at.width_data, at.width_data / at.width) > OFF:
                notes.append(
                    f"{one_line(case.metric, 60)}, {one_line(case.human, 60)}: the {asked.interval} interval of the "
                    f"data themselves is {at.width_data:.2f} wide, that of the fitted world {at.width:.2f}: systems "
                    "are few or not normal, so take these widths as rough."
                )
    if asked.difference is not None:
        notes.append(
            "The difference was made by adding noise to one of two metrics that are otherwise like these on average."
        )
    smallest = min(case.base.systems for case in cases)
    notes.append(
        f"Numbers beyond the data extrapolate a world fitted to {smallest} systems, with normal effects; low and high "
        "tell the error of the simulation, not of the fit."
    )
    if asked.powered:
        notes.append("Power is that of a one-sided test that holds its level exactly; real tests can only be near it.")
    if asked.interval.name == "boot-inputs" and not asked.powered:
        notes.append("The interval is about these very systems on new inputs.")
    return notes
