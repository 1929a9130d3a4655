"""What a report says first: the answer in words, and the warnings that matter."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

from metassay.errors import listed, one_line
from metassay.report import names, numbers, words
from metassay.report.document.contents import Dossier

if TYPE_CHECKING:
    from metassay.studies.agree import Agreement, AgreementRow
    from metassay.studies.compare import Comparison
    from metassay.studies.stability import Stability

FEW_SYSTEMS = 10
FEW_INPUTS = 30


def answer(dossier: Dossier) -> tuple[str, str, str]:
    """Return the three sentences that matter, about the first human criterion at the system level.

    Which metric agrees best and whether that is established; how sure one can be of it; and what rests on the sample
    of inputs.
    """
    return (_best(dossier), _certainty(dossier), _sample(dossier))


def other_criteria(dossier: Dossier) -> tuple[str, ...]:
    """Return which metric agrees best, a sentence for each further criterion and level."""
    if "compare" not in dossier.results:
        return ()
    return words.verdicts(cast("Comparison", dossier.results["compare"]))[1:]


def warnings(dossier: Dossier) -> tuple[str, ...]:
    """Return what a reader must know before believing any number of the report."""
    n, m = dossier.scores.shape
    said = []
    if n < FEW_SYSTEMS:
        said.append(f"There are only {n} systems: correlations between so few say little beyond them.")
    if m < FEW_INPUTS:
        said.append(f"There are only {m} inputs: means over so few move a lot with the choice of inputs.")
    notes = [
        note for study in ("agree", "compare") if study in dossier.results for note in dossier.results[study].notes
    ]
    return (*said, *dict.fromkeys(one_line(note, 1000) for note in notes))


def _first(dossier: Dossier) -> list[AgreementRow]:
    """Return the agreement of every metric with the first criterion at the first level, the best first."""
    table = cast("Agreement", dossier.results["agree"]).table
    first = table[0]
    mine = [r for r in table if (r.human, r.level, r.coefficient) == (first.human, first.level, first.coefficient)]
    return sorted((r for r in mine if not math.isnan(r.estimate)), key=lambda r: -r.estimate)


def _best(dossier: Dossier) -> str:
    if "compare" in dossier.results:
        return words.verdicts(cast("Comparison", dossier.results["compare"]))[0]
    ranked = _first(dossier)
    if not ranked:
        return "Agreement with people is undefined for every metric."
    best = ranked[0]
    return (
        f"{one_line(best.metric)} agrees best with people on {one_line(best.human)} at the {best.level} level "
        f"({names.coefficient(best.coefficient)} {numbers.correlation(best.estimate)})."
    )


def _certainty(dossier: Dossier) -> str:
    ranked = _first(dossier)
    if not ranked:
        return "No metric has an interval."
    best = ranked[0]
    text = (
        f"Its {numbers.percent(best.confidence)} interval is [{numbers.bound(best.low)}, {numbers.bound(best.high)}]"
        f" ({best.interval}, {best.n_systems} systems × {best.n_inputs} inputs)"
    )
    if not math.isnan(best.misranked_high):
        low, high = numbers.percent(best.misranked_low), numbers.percent(best.misranked_high)
        text += f", so it ranks {low} to {high} of the pairs of systems unlike people"
    unsure = [r.metric for r in ranked if r.low <= 0 <= r.high]
    if not unsure:
        return f"{text}; every metric's interval lies above or below 0."
    if len(unsure) == len(ranked):
        return f"{text}; no metric's interval excludes 0."
    if len(unsure) > len(ranked) / 2:
        return f"{text}; only {len(ranked) - len(unsure)} of {len(ranked)} metrics have an interval that excludes 0."
    return f"{text}; for {listed(unsure, 4)} the interval includes 0."


def _sample(dossier: Dossier) -> str:
    if "stability" not in dossier.results:
        return "Whether the ranking of systems would come out the same again cannot be told from these scores."
    table = cast("Stability", dossier.results["stability"]).table
    of_people = [r for r in table if r.kind == "human" and r.name == dossier.humans[0] and not math.isnan(r.mean)]
    if not of_people:
        return "Whether people's ranking of systems would come out the same again cannot be told from these scores."
    largest = max(of_people, key=lambda r: r.n_inputs)
    return (
        f"People's own ranking of systems on {one_line(largest.name)}, made twice with {largest.n_inputs} inputs each, "
        f"would agree with itself to {names.coefficient(largest.coefficient)} {numbers.fixed(largest.mean, 2)}: "
        "no metric can be expected to agree with people much better than that."
    )
