"""What a report says first: the answer in words, what the words mean, and the warnings that matter."""

from __future__ import annotations

import math
from typing import cast

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.slices import Slices
from metassay.errors import listed, one_line
from metassay.report import names, numbers, views, words
from metassay.report.document.study_runs import FEW_SYSTEMS, Dossier
from metassay.report.notes import is_answer
from metassay.report.table import sizes
from metassay.report.views.columns import grouped, values
from metassay.studies.agree import Agreement, AgreementRow
from metassay.studies.compare import Comparison
from metassay.studies.judge_rows import JudgeCard
from metassay.studies.plan_cases import LEAST
from metassay.studies.stability import Stability

FEW_INPUTS = 30
SAME = "same-scores"
"""Why there is no test of two metrics of equal agreement."""

_LEVELS = {
    "system": "System level: {} of the mean scores of systems.",
    "input": "Input level: {} over systems for each input, averaged over inputs.",
}
_DRAWN = {"boot-systems": "systems", "fisher": "systems", "boot-inputs": "inputs"}
"""What an interval generalises to, if not to systems and inputs both."""

_TESTS = {
    test: f"The {test} test generalises to new systems and new inputs from the same populations."
    for test in vocabulary.GENERAL_METHODS
}


def answer(dossier: Dossier) -> tuple[str, ...]:
    """Return the sentences that matter: how far judges can be trusted if there are labels, else three about metrics.

    The three are about the first human criterion at the system level: which metric agrees best and whether that is
    significant; how precise that is; and what rests on the sample of inputs.
    """
    if "judge" in dossier.results:
        return views.page(dossier.results["judge"]).said
    said = (_verdict(dossier), _certainty(dossier))
    return (*said, _sample(dossier)) if dossier.scores.has_systems else said


def glossary(dossier: Dossier) -> tuple[str, ...]:
    """Return a short sentence for each word of the answer that a newcomer may not know."""
    if "agree" not in dossier.results:
        return ()
    table = cast("Agreement", dossier.results["agree"]).table
    what = names.measure(table)
    said = [_LEVELS[level].format(what) for level in grouped(table, "level") if level in _LEVELS]
    if what == "correlation":
        said.append("Correlations are 1 for the human ranking, 0 for no association and -1 for the reverse.")
    if "compare" in dossier.results:
        tests = dict.fromkeys(row.test for row in cast("Comparison", dossier.results["compare"]).table)
        said += [_TESTS[test] for test in tests if test in _TESTS]
        said.append("p: probability of a difference at least this large if both metrics were equally good.")
    return tuple(said)


def apart(dossier: Dossier) -> tuple[Note, ...]:
    """Return that systems fall into groups which share no input, if they do, and what is shown therefore."""
    looked = dossier.results["look"].notes if "look" in dossier.results else ()
    known = [note for note in looked if note.code == "design-disconnected"]
    levels = {*grouped(dossier.results["agree"].table, "level")} if "agree" in dossier.results else set()
    within = [each.by for each in dossier.results.values() if isinstance(each, Slices)]
    if not known or "system" in levels:
        return tuple(known)
    return (*known, Note.of("levels-apart", levels=sorted(levels), by=" and ".join(within)))


def shown_first(dossier: Dossier) -> dict[str, str]:
    """Return the criterion, level and statistic with which the page opens; nothing if it opens with judges."""
    if "judge" in dossier.results:
        return {}
    first = dossier.results["agree"].table[0]
    return dict(zip(names.SETTING.split(), values(first, names.SETTING), strict=True))


def warnings(dossier: Dossier) -> tuple[Note, ...]:
    """Return what a reader must know before believing any number of the report."""
    if "judge" in dossier.results:
        return tuple(note for note in dossier.results["judge"].notes if not is_answer(note))
    n, m = dossier.scores.shape
    few = [
        (n < FEW_SYSTEMS and dossier.scores.has_systems, Note.of("few-systems", n=n)),
        (m < FEW_INPUTS, Note.of("few-inputs", n=m)),
    ]
    studies = [dossier.results[study] for study in ("compare", "agree") if study in dossier.results]
    notes = (note for study in studies for note in study.notes)
    # That equal metrics cannot be tested against each other changes nothing; the section on tests says it.
    return (*(note for applies, note in few if applies), *(note for note in notes if note.facts.get("reason") != SAME))


def to_do(dossier: Dossier) -> str:
    """Say what would show more, where it cannot be planned: labels, systems, or inputs that systems share."""
    if "judge" in dossier.results:
        known = [row for row in cast("JudgeCard", dossier.results["judge"]).table if row.high > row.low]
        best = max(known, key=names.goodness, default=None)
        return (
            f"{one_line(best.judge)}, {one_line(best.human)}: about {4 * best.n_items:,} items instead of "
            f"{best.n_items:,} would halve the width of its interval."
            if best
            else ""
        )
    systems = dossier.scores.shape[0]
    if dossier.scores.has_systems and systems < LEAST["systems"]:
        return (
            f"Judge outputs of at least {LEAST['systems']} systems (now {systems}): with fewer, there are no intervals "
            "and no tests at the system level."
        )
    if dossier.scores.has_systems and dossier.scores.shape[1] == 1:
        return (
            "Add scores of single outputs: these are scores of whole systems, which do not show how much results "
            "depend on the inputs, so there are no intervals for new inputs."
        )
    if apart(dossier):
        return "Study one group of systems at a time (--select systems=PATTERN), or judge some inputs for all systems."
    return ""


def size(dossier: Dossier) -> str:
    """Return what was studied, in one line: systems, inputs, metrics or judges, criteria, annotators, gaps."""
    n, m = dossier.scores.shape
    columns = [(name, dossier.scores[name]) for name in (*dossier.humans, *dossier.metrics)]
    missing = sum(int((values != values).sum()) for values in (dossier.scores[name].mean() for name, _ in columns))
    raters = {label for name, column in columns if name in dossier.humans for label in column.labels("annotator")}
    judged = dossier.results.get("judge")
    what, rows = ("metric", ()) if judged is None else ("judge", cast("JudgeCard", judged).table)
    merged = {row.human for row in rows}
    many = len(dossier.humans)
    if merged and not merged & {*dossier.humans}:
        raters, many = {*dossier.humans}, len(merged)  # each column is one person
    criteria = "1 human criterion" if many == 1 else f"{many} human criteria"
    annotators = f"{numbers.counted(len(raters), 'annotator')}" if raters else "annotators not identified"
    cells = f"{missing:,} of {n * m * len(columns):,} cells missing" if missing else "no cell missing"
    return (
        f"{numbers.counted(n, 'system') + ' × ' if dossier.scores.has_systems else ''}{numbers.counted(m, 'input')}, "
        f"{numbers.counted(len(dossier.metrics), what)}, {criteria}, {annotators}, {cells}."
    )


def of_sizes(dossier: Dossier, row: AgreementRow) -> str:
    """Return how many systems and inputs a number rests on; data without systems are outputs of inputs."""
    known = dossier.scores.has_systems
    return sizes([(row.n_systems, row.n_inputs)]) if known else numbers.counted(row.n_inputs, "input")


def misranked(row: AgreementRow) -> str:
    """Say which share of the pairs of systems a metric ranks in the wrong order; nothing where that is not known."""
    if math.isnan(row.misranked_high):
        return ""
    low, high = numbers.percent(row.misranked_low), numbers.percent(row.misranked_high)
    tied = f" ({numbers.percent(row.tied)} are tied)" if row.tied > 0 else ""
    return f"ranks {low} to {high} of the pairs of systems in the wrong order{tied}"


def _ranked(dossier: Dossier) -> list[list[AgreementRow]]:
    """Return for each criterion and level the metrics whose agreement is defined by the first statistic, best first."""
    table = cast("Agreement", dossier.results["agree"]).table
    first = next(iter(grouped(table, names.STATISTIC).values()))
    return [words.best_first(rows) for rows in grouped(first, "human level").values()]


def _verdict(dossier: Dossier) -> str:
    """Say which metric agrees best with the first criterion, and whether it is significantly better than the next."""
    if "compare" in dossier.results:
        for _, said in words.by_setting(cast("Comparison", dossier.results["compare"])):
            return " ".join(said)
    ranked = _ranked(dossier)[0]
    return words.agreement(ranked) if ranked else "Agreement with people is undefined for every metric."


def _certainty(dossier: Dossier) -> str:
    ranked = _ranked(dossier)[0]
    if not ranked:
        return "No metric has an interval."
    best = ranked[0]
    tied = len(ranked) > 1 and math.isclose(best.estimate, ranked[1].estimate, rel_tol=1e-9)
    its = f"{one_line(best.metric)}: its" if tied else "Its"
    if math.isnan(best.low):
        text = f"{its} interval is undefined"
    elif best.low == best.high:
        text = f"{its} interval is a single point, because there are too few scores, not because it is precise"
    else:
        drawn = _DRAWN.get(best.interval, "systems and inputs")
        text = (
            f"{its} {numbers.percent(best.confidence)} CI is [{numbers.bound(best.low)}, {numbers.bound(best.high)}] "
            f"({best.interval}: new {drawn}; {of_sizes(dossier, best)})"
        )
        wrong = misranked(best)
        text += f", and it {wrong}" if wrong else ""
    return f"{text}{_chance([r for r in ranked if not math.isnan(r.low)])}."


def _chance(ranked: list[AgreementRow]) -> str:
    """Say of which metrics the interval of a correlation includes 0, which means no association."""
    if ranked and not vocabulary.is_correlation(names.statistics(ranked)[0]):
        return ""
    unsure = [r.metric for r in ranked if r.low <= 0 <= r.high]
    sure = len(ranked) - len(unsure)
    if not ranked:
        return ""
    if len(ranked) == 1:
        return "; it includes 0, so the correlation is not significant" if unsure else "; it excludes 0"
    if not unsure:
        return "; no metric's interval includes 0"
    if not sure:
        return "; every metric's interval includes 0, so no correlation is significant"
    if sure < len(unsure):
        have = "has" if sure == 1 else "have"
        return f"; only {sure} of {len(ranked)} metrics {have} an interval that excludes 0"
    return f"; not significant, because the interval includes 0: {listed(unsure, 4)}"


def _sample(dossier: Dossier) -> str:
    if "stability" not in dossier.results:
        return "These scores do not show whether the ranking of systems is stable."
    table = cast("Stability", dossier.results["stability"]).table
    of_people = [r for r in table if r.kind == "human" and r.name == dossier.humans[0] and not math.isnan(r.mean)]
    if not of_people or of_people[0].n_available < 2:
        return "These scores do not show whether the human ranking of systems is stable."
    largest = max(of_people, key=lambda r: r.n_inputs)
    # Samples come from the inputs at hand, so the number is a little high; hence "no better" is safe.
    return (
        f"The human ranking depends on the inputs, too: for {one_line(largest.name)}, rankings from two samples of "
        f"{numbers.counted(largest.n_inputs, 'input')} correlate with {names.statistic(largest)} "
        f"{numbers.fixed(largest.mean, 2)} on average. A metric that reproduced human judgments exactly, but on other "
        "inputs, would not agree better."
    )
