"""Can this judge stand in for people: the card, and the tables behind it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.errors import listed, one_line
from metassay.report import names, numbers
from metassay.report.table import Paragraph, Table
from metassay.report.views.bias import effects
from metassay.report.views.columns import (
    Shown,
    across,
    bold,
    build,
    estimates,
    figures,
    grouped,
    lines,
    with_texts,
    words,
)
from metassay.studies.judge_failures import is_worse
from metassay.studies.judge_rows import JudgeCard

MOST_SLICES, MOST_SHOWN = 12, 5
"""Slices in the list, and disagreements of one judge in the view of them."""
MOST_ROWS, MOST_BEST = 20, 3
"""Lines of judges; if there are more, for several criteria, so many of each."""
BOTH = "human"
NEEDS = {
    "slices": "attributes of the items, systems or texts with at least 10 items each",
    "alternative": "at least two people, and a judge on their scale",
    "epsilon": "at least two people, and a judge on their scale",
    "threshold": "a judge that gives scores, and people who use two labels",
    "operating": "a judge that gives scores, and people who use two labels",
    "calibration": "a judge that gives probabilities, from 0 to 1, and people who use two labels",
    "confusion": "labels or grades, and a judge on people's scale",
    "disagreements": "a judge on people's scale that differs from people",
    "people": "at least two people",
    "ranks": "at least two judges",
    "runs": "a judge with several runs",
    "bias": "--bias",
    "requirements": "--require",
}
"""What a view shows nothing without."""


def lead(result: JudgeCard) -> list[tuple[Note, ...]]:
    """Return the answer: a paragraph per judge."""
    told = [note for note in result.notes if note.code.startswith(("judge-answer", "judge-beside", "judge-watch-"))]
    return [tuple(mine) for mine in grouped(told, lambda note: (note["judge"], note["human"])).values()]


def default(result: JudgeCard) -> tuple[str, ...]:
    """Return the card, where the first judge fails, and whether requirements are met."""
    few = len(result.table) <= 4
    more = (*(("slices",) if few and result.slices else ()), *(("bias",) if result.biases else ()))
    return ("summary", *more, *(("requirements",) if result.requirements else ()))


def bias(result: JudgeCard) -> tuple[Table, ...]:
    """Return what sways judges."""
    return effects(result.biases)


def _value(value: float, low: float, high: float, statistic: str) -> str:
    if vocabulary.is_share(statistic):
        return numbers.percent_range(value, low, high)
    return numbers.ranged(value, low, high, numbers.general if vocabulary.is_error(statistic) else numbers.two)


def _ranged(header: str, prefix: str = "") -> Shown:
    """Return a column of estimates in the form of each row's statistic."""
    of = f"{prefix} {prefix}_low {prefix}_high" if prefix else "estimate low high"
    return figures(header, f"{of} {names.STATISTIC}", _value)


def summary(result: JudgeCard) -> tuple[Table, ...]:
    """Return each judge in a line."""
    first = result.table[0] if result.table else None
    confidence = next((numbers.level(row.confidence) for row in result.agreement), "95%")
    head = "with people" if first is None or first.n_people == 1 else "with people together"
    parts = list(grouped(result.table, f"human {names.STATISTIC}").values())
    cut = len(result.table) > MOST_ROWS and len(parts) > 1
    ranked = [sorted(rows, key=lambda row: -names.goodness(row)) for rows in parts]
    shown = [rows[:MOST_BEST] for rows in ranked[:MOST_SHOWN]] if cut else ranked
    biased = not all(math.isnan(row.bias) for row in result.table)
    some = f" of the first {len(shown)} tables" if len(shown) < len(parts) else ""
    return build(
        "Judges against people",
        [
            "judge",
            _ranged(head),
            any(r.n_people > 1 for r in result.table)
            and figures("with single people", f"single {names.STATISTIC}", _alone),
            "κ|kappa kappa_low kappa_high|two",
            biased and figures("bias", "bias bias_low bias_high", _starred),
            any(r.passed is not None for r in result.table)
            and words("passes", lambda r: {True: "yes", False: "no", None: ""}[r.passed], key=False),
            len({r.n_items for r in result.table}) > 1 and figures("items", "n_items"),
            any(r.n_abstained for r in result.table) and figures("no answer", "n_abstained"),
        ],
        [(_human(rows), rows) for rows in shown],
        cut and f"The best {MOST_BEST} of each{some}; all {len(result.table):,} rows: --format csv (or --human).",
        f"In brackets: {confidence} CI. κ: agreement beyond chance."
        + " Bias: judge − people, * if its CI excludes 0." * biased,
        "Passes: the alternative-annotator test, whether it can replace an annotator."
        if any(r.passed is not None for r in result.table)
        else "",
        undefined="a single label, one annotator, or not defined for this scale",
    )


def contenders(result: JudgeCard) -> str:
    """Say which judges could be the best, if not the first alone; nothing if there is one judge."""
    for rows in grouped(result.ranks, f"human {names.STATISTIC}").values():
        first = [row.judge for row in rows if row.rank_low == 1]
        if len(first) == len(rows):
            return f"None of the {len(rows)} judges can be ruled out as the best."
        if len(first) == 1:
            return (
                f"It is significantly better than {listed([row.judge for row in rows if row.judge not in first], 4)}."
            )
        return f"{len(first)} of {len(rows)} judges could be the best: {listed(first, 4)}."
    return ""


def _starred(bias: float, low: float, high: float) -> str:
    return numbers.two(bias) + ("*" if low > 0 or high < 0 else " ")


def _human(rows: Sequence[Any]) -> str:
    row = rows[0]
    error = vocabulary.is_error(getattr(row, names.STATISTIC))
    how = "differ from each other by" if error else "agree with each other on"
    peers = "" if row.people != row.people else f", who {how} {_told(row)}"
    people = "1 person" if row.n_people == 1 else f"{row.n_people:,} people"
    several = {r.n_items for r in rows}
    items = numbers.counted(rows[0].n_items, "item") if len(several) == 1 else f"{numbers.span(sorted(several))} items"
    return f"{one_line(row.human)}: {names.statistic(row)}, {items}, {people}{peers}"


def _told(row: Any) -> str:  # noqa: ANN401 - a row of the card
    return _value(row.people, row.people_low, row.people_high, getattr(row, names.STATISTIC))


def agreement(result: JudgeCard) -> tuple[Table, ...]:
    """Return agreement by statistic, a column per judge."""
    tables: tuple[Table, ...] = ()
    for (human, against), rows in grouped(result.agreement, "human against").items():
        columns = across(rows, "judge", lambda judge: _ranged(str(judge)))
        shown = [words(names.STATISTIC, lambda line: names.statistic(line[0])), *columns]
        whom = {"single people": against, "person": "the person"}.get(against, f"the {against} of people")
        title = f"Agreement with {whom}: {one_line(human)}"
        tables += build(title, shown, [("", lines(rows, names.STATISTIC))], undefined="a single label")
    return tables


def people(result: JudgeCard) -> tuple[Table, ...]:
    """Return each person against the others, beside judges against single people."""
    tables: tuple[Table, ...] = ()
    for human, rows in grouped(result.people, BOTH).items():
        judges = [r for r in result.agreement if (r.human, r.against) == (human, "single people")]
        known = list(grouped(rows, names.STATISTIC))
        every = [*rows, *(r for r in judges if getattr(r, names.STATISTIC) in known)]
        columns = across(every, names.STATISTIC, lambda s: _ranged(names.coefficient(s)))
        tables += build(
            f"Each person against the others: {one_line(human)}",
            [words("", lambda line: _who(line[0])), *columns],
            [
                ("people", lines([r for r in rows if r.person != "(all)"], "person")),
                ("all pairs of people", lines([r for r in rows if r.person == "(all)"], "person")),
                ("judges against single people", lines([r for r in every if hasattr(r, "judge")], "judge")),
            ],
            undefined="a single label",
        )
    return tables


def _who(row: Any) -> str:  # noqa: ANN401 - a person or a judge
    return str(getattr(row, "person", None) or row.judge)


def confusion(result: JudgeCard) -> tuple[Table, ...]:
    """Return what each judge said where people said each label."""
    tables: tuple[Table, ...] = ()
    best = list(dict.fromkeys(row.judge for row in sorted(result.table, key=lambda row: -names.goodness(row))))
    found = sorted(grouped(result.confusion, "judge human").items(), key=lambda each: best.index(each[0][0]))
    for (judge, human), rows in found:
        columns = across(rows, "label_judge", lambda label: figures(str(label), lambda r: _cell(r)))
        total = figures("items", lambda line: numbers.count(sum(r.n for r in line)))
        tables += build(
            f"Confusion table of {one_line(judge)}: {one_line(human)}",
            [words("people", lambda line: line[0].label_human), *columns, total],
            [("", lines(rows, "label_human"))],
            "Rows: people; columns: the judge. Number of items (their share of the row, and its "
            f"{numbers.level(result.agreement[0].confidence)} CI).",
        )
    return tables


def _cell(row: Any) -> str:  # noqa: ANN401 - a cell of the confusion table
    if not row.n:
        return "0"
    ends = f", {numbers.percent(row.low).removesuffix('%')}–{numbers.percent(row.high)}" if row.low == row.low else ""
    return f"{row.n:,} ({numbers.percent(row.share)}{ends})"


def slices(result: JudgeCard) -> tuple[Table, ...]:
    """Return where judges fail, the worst slices first."""
    sections = [
        (f"{one_line(judge)}, {one_line(human)}", rows[: MOST_SLICES if len(result.table) == 1 else MOST_SHOWN])
        for (judge, human), rows in grouped(result.slices, "judge human").items()
    ]
    return build(
        "Worst slices of each judge",
        [
            *("by|attribute", "value"),
            bold(_ranged("here"), lambda row: row.significant_corrected),
            figures("elsewhere", f"elsewhere {names.STATISTIC}", _alone),
            "p|p_corrected|p_value",
            figures("items", "n_items"),
        ],
        sections,
        "In brackets: simultaneous CIs for all slices of a judge. p: against all other items, corrected (Holm). "
        "All slices: --rows slices.",
        bold="significantly different from all other items after correction",
    )


def _alone(value: float, statistic: str) -> str:
    return numbers.percent(value) if vocabulary.is_share(statistic) else numbers.general(value)


def disagreements(result: JudgeCard) -> tuple[Table, ...]:
    """Return the worst disagreements, each with its texts."""
    sections = []
    for (judge, human), rows in grouped(result.disagreements, "judge human").items():
        for row in rows[:MOST_SHOWN]:
            where = ", ".join(filter(None, (one_line(row.input, 40), one_line(row.system, 40))))
            said = f"{one_line(judge, 40)} says {one_line(row.said_judge, 40)}, people {one_line(row.said_people, 40)}"
            sections.append((f"{where}: {said} ({one_line(human, 40)})", row.texts))
    return with_texts("Worst disagreements", sections)


def _differing(found: JudgeCard) -> list[Paragraph]:
    """Say how often, or how far, the best judge and people differ, and where most."""
    said = []
    cards = {(row.judge, row.human): row for row in found.table}
    for human, rows in grouped(found.disagreements, BOTH).items():
        judges = list(grouped(rows, "judge").values())
        first = max(judges, key=lambda mine: names.goodness(cards[mine[0].judge, human]))
        row, worst = cards[first[0].judge, human], first[0]
        who, more = f"{one_line(row.judge)} and people differ", list[str]()
        if vocabulary.is_share(getattr(row, names.STATISTIC)):
            share = numbers.percent(1 - row.estimate)
            text = (
                f"{who} on {share} of {numbers.counted(row.n_items, 'item')} of {one_line(human)}{_mostly(found, row)}."
            )
            most = sum(each.gap >= 1 for each in first)
            more = [f"On {most} of the {len(first)} worst, every person says otherwise."] * (row.n_people > 1)
        else:
            text = f"{who} most on {one_line(worst.input, 60)}: {one_line(worst.said_judge, 40)} and "
            text += f"{one_line(worst.said_people, 40)} ({one_line(human)})."
        said.append(Paragraph((text, *more), ({"human": human, "judge": row.judge},)))
    return said


def _mostly(found: JudgeCard, card: Any) -> str:  # noqa: ANN401 - a row of the card
    """Return the slice with most errors among those that are significantly worse, and the most frequent error."""
    mine = [row for row in found.slices if (row.judge, row.human) == (card.judge, card.human) and is_worse(row)]
    shares = [row for row in mine if vocabulary.is_share(getattr(row, names.STATISTIC))]
    errors = [r for r in found.confusion if (r.judge, r.human) == (card.judge, card.human) and r.n]
    errors = [row for row in errors if row.label_human != row.label_judge]
    parts = []
    if shares:
        worst = max(shares, key=lambda row: (1 - row.estimate) * row.n_items)
        wrong = numbers.of(round((1 - worst.estimate) * worst.n_items), worst.n_items)
        parts.append(f"worst slice: {one_line(worst.attribute, 40)} = {one_line(worst.value, 60)} (wrong on {wrong})")
    if errors:
        one = max(errors, key=lambda row: row.n)
        total = numbers.of(one.n, sum(row.n for row in errors))
        kind = f"people say {one_line(one.label_human, 40)} and it says {one_line(one.label_judge, 40)}"
        parts.append(f"most frequent error: {kind} ({total} errors)")
    return "".join(f"; {part}" for part in parts)


LEADS = {"disagreements": _differing}
"""What a view says instead of the answer of the study."""


def alternative(result: JudgeCard) -> tuple[Table, ...]:
    """Return the alternative-annotator test."""
    rows = result.alternative_annotators
    clustered = any(row.winning_rate_clustered != row.winning_rate for row in rows)
    return build(
        "Alternative-annotator test",
        [
            "judge",
            "ω|winning_rate|two",
            clustered and "ω, clustered items|winning_rate_clustered|two",
            "advantage ρ|advantage|two",
            words("passed", lambda row: "yes" if row.passed else "no", key=False),
            figures("people", "n_people"),
            figures("items", "n_items"),
            "passes if equal|passes_if_equal|percent",
            figures("if worse", "passes_if_worse worse", lambda share, by: numbers.percent(share) + f" (by {by:g})"),
        ],
        [(f"{one_line(human)}, ε = {mine[0].epsilon:g}", mine) for human, mine in grouped(rows, BOTH).items()],
        "ω: share of annotators over whom the judge wins; it passes at 0.5 or more. ρ: probability that it is at "
        "least as good as an annotator. Passes if equal: how often a judge exactly as good as an annotator would "
        "pass here.",
        undefined="no person with 30 shared items",
    )


def epsilon(result: JudgeCard) -> tuple[Table, ...]:
    """Return the winning rate over ε."""
    columns = across(result.epsilon_curve, "epsilon", lambda e: figures(f"ε = {e:g}", "winning_rate", numbers.two))
    sections = [(one_line(human), lines(mine, "judge")) for human, mine in grouped(result.epsilon_curve, BOTH).items()]
    return build("Winning rate ω over ε", ["judge", *columns], sections)


def threshold(result: JudgeCard) -> tuple[Table, ...]:
    """Return what thresholds do, about ten of each curve."""
    sections = []
    for (judge, human), rows in grouped(result.threshold, "judge human").items():
        step = max(1, len(rows) // 10)
        some = [row for at, row in enumerate(rows) if at % step == 0 or row.chosen]
        sections.append((f"{one_line(judge)}, {one_line(human)}", some))
    return build(
        "Thresholds: scores at or above count as positive",
        [
            words("", lambda row: "→" if row.chosen else " ", key=False, whole=True),
            figures("threshold", "threshold", numbers.general, key=True),
            *(f"{n}|{n}|percent" for n in ("accuracy", "precision", "recall", "specificity")),
            "F1|f1|two",
            "called positive|called|percent",
        ],
        sections,
        "→ the chosen one.",
    ) + operating(result)


def operating(result: JudgeCard) -> tuple[Table, ...]:
    """Return the chosen thresholds on held-out items."""
    return build(
        "Chosen thresholds, on held-out items",
        [
            "judge",
            words("by", lambda r: r.rule + ("" if r.target != r.target else f" {r.target:g}"), key=False),
            figures("threshold", "threshold", numbers.general),
            figures("over folds", "threshold_low threshold_high", lambda a, b: numbers.span((a, b), numbers.general)),
            *(f"{n}|{n}|percent" for n in ("accuracy", "precision", "recall", "specificity")),
        ],
        [(one_line(human), rows) for human, rows in grouped(result.operating, BOTH).items()],
        undefined="no threshold reaches the target",
    )


def calibration(result: JudgeCard) -> tuple[Table, ...]:
    """Return what happened beside what probabilities said."""
    return build(
        "Calibration: predicted probabilities and observed shares",
        [
            figures("probability", "lower upper", lambda a, b: f"{numbers.two(a)} to {numbers.two(b)}", key=True),
            "said|said|percent",
            figures("happened", "happened low high", numbers.percent_range),
            figures("items", "n_items"),
        ],
        [
            (f"{one_line(j)}, {one_line(h)}", rows)
            for (j, h), rows in grouped(result.calibration, "judge human").items()
        ],
    )


def ranks(result: JudgeCard) -> tuple[Table, ...]:
    """Return several judges ranked, and the tests behind it."""
    by: Callable[[Any], str] = lambda rows: f"{one_line(rows[0].human)}, {names.statistic(rows[0])}"  # noqa: E731
    ranked = build(
        "Ranks of judges on the items that all judged",
        [
            "judge",
            figures("estimate", f"estimate {names.STATISTIC}", _alone),
            figures("rank", "rank"),
            figures("possible ranks", lambda row: numbers.span((row.rank_low, row.rank_high), to="–")),
        ],
        [(by(rows), rows) for rows in grouped(result.ranks, f"human {names.STATISTIC}").values()],
        "Possible ranks: by paired tests of all pairs, corrected by Holm's method.",
    )
    tests = build(
        "Differences between judges, paired by item",
        [
            *("A|judge_a", "B|judge_b"),
            estimates("A − B", "difference low high"),
            bold("p|p_value|p_value", lambda row: row.significant_corrected),
            "corrected p|p_corrected|p_value",
        ],
        [(by(rows), rows) for rows in grouped(result.differences, f"human {names.STATISTIC}").values()],
        bold="significant after correction",
    )
    return ranked + tests


def runs(result: JudgeCard) -> tuple[Table, ...]:
    """Return how stable judges are over re-runs and prompts."""
    return build(
        "Stability over runs",
        [
            "judge",
            figures("runs", "n_runs"),
            figures("same answer", "same low high", numbers.percent_range),
            "α between runs|alpha|two",
            figures("worst run", "worst", numbers.two),
            figures("best run", "best", numbers.two),
            figures("items", "n_items"),
        ],
        [(one_line(human), rows) for human, rows in grouped(result.runs, BOTH).items()],
        "Same answer: share of pairs of runs. Worst and best run: agreement of single runs with people.",
    )


def requirements(result: JudgeCard) -> tuple[Table, ...]:
    """Return what was required, and whether it is met."""
    return build(
        "Requirements",
        [
            *("requirement", "judge"),
            figures("value", "value", numbers.general),
            words("met", lambda row: "yes" if row.met else "NO", key=False, whole=True),
        ],
        [(one_line(human), rows) for human, rows in grouped(result.requirements, BOTH).items()],
        undefined="the number is undefined, so the requirement is not met",
    )
