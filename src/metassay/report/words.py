"""Results in a sentence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from metassay.core import vocabulary
from metassay.errors import listed, one_line
from metassay.report import names, numbers
from metassay.report.table import Paragraph
from metassay.report.views.columns import grouped, values

if TYPE_CHECKING:
    from metassay.core.result import Result
    from metassay.studies.agree import AgreementRow
    from metassay.studies.compare import Comparison, ComparisonRow, RankRow


def by_setting(
    result: Comparison, of_best: Callable[[tuple[str, ...]], tuple[str, str]] | None = None
) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Yield for each human criterion, level and statistic which metric agrees best, and whether significantly so.

    The first sentence says which; whether another could be it is said in the second. `of_best` returns the interval of
    the best metric and what follows from it, which are then said as well.
    """
    tests = grouped(result.table, names.SETTING)
    for setting, mine in grouped(result.ranks, names.SETTING).items():
        yield setting, _verdict(mine, tests.get(setting, []), *(of_best(setting) if of_best else ("", "")))


def best_first(rows: Sequence[Any]) -> list[Any]:
    """Return the metrics whose agreement is defined, the best first; sentinels and people are none."""
    own = [row for row in rows if getattr(row, "kind", "metric") == "metric" and not math.isnan(row.estimate)]
    return sorted(own, key=lambda row: -names.goodness(row))


def none_agrees(best: AgreementRow | RankRow) -> str | None:
    """Say that even the best metric does not rank as people do; None if it does."""
    if best.estimate > 0 or not vocabulary.is_correlation(values(best, names.STATISTIC)[0]):
        return None
    return (
        f"No metric agrees with people on {where(best)}: the highest correlation is that of {one_line(best.metric)}, "
        f"{names.statistic(best)} {numbers.correlation(best.estimate)}."
    )


def where(row: AgreementRow | RankRow) -> str:
    """Return on what, and at which level, metrics agree."""
    return f"{one_line(row.human)} at the {row.level} level"


def _verdict(rows: Sequence[RankRow], tests: Sequence[ComparisonRow], sure: str, wrong: str) -> list[str]:
    ranked = best_first(rows)
    if not ranked:
        return [undefined(rows[0])]
    first = ranked[0]
    if (nobody := none_agrees(first)) is not None:
        return [nobody]
    if (shared := _tie(ranked)) is not None:
        its = f"{one_line(first.metric)}: {', '.join(filter(None, (sure, wrong)))}." if sure else ""
        return [shared, *_contenders(ranked), *filter(None, [its])]
    value = ", ".join(filter(None, (f"{names.statistic(first)} {numbers.correlation(first.estimate)}", sure)))
    follows = f"; it {wrong}" if wrong else ""
    best = f"{one_line(first.metric)} agrees best with people on {where(first)} ({value}){follows}."
    if len(ranked) == 1:
        return [best]
    second = ranked[1]
    next_one = f"{one_line(second.metric)} ({numbers.correlation(second.estimate)})"
    for row in tests:
        # the test whose rejection says that the first is better
        pair = (row.metric_b, row.metric_a) if row.alternative == "less" else (row.metric_a, row.metric_b)
        if pair == (first.metric, second.metric):
            others = "".join(f"; {said[0].lower()}{said[1:].removesuffix('.')}" for said in _contenders(ranked))
            return [best, f"The difference to the second, {next_one}, {_outcome(row)}{others}."]
    return [best, f"It was not tested against the second, {next_one}."]


def _tie(ranked: Sequence[AgreementRow | RankRow]) -> str | None:
    """Say which metrics are equally good, if the best are several."""
    first = ranked[0]
    tied = [row.metric for row in ranked if math.isclose(row.estimate, first.estimate, rel_tol=1e-9)]
    value = f"{names.statistic(first)} {numbers.correlation(first.estimate)}"
    many = f"{len(tied)} metrics tie as the best on {where(first)} ({value}): {listed(tied, 4)}."
    return many if len(tied) > 1 else None


def _contenders(ranked: Sequence[RankRow]) -> list[str]:
    """Say how many metrics could rank first, if there are more than two to choose from."""
    first = [row for row in ranked if row.rank_low == 1]
    if len(ranked) < 3 or len(first) < 2:  # none, where people or sentinels stand before all metrics
        return []
    if len(first) == len(ranked):
        return [f"None of the {len(ranked)} metrics can be ruled out as the best with these data."]
    return [f"With these data, {len(first)} of the {len(ranked)} metrics could rank first."]


def _outcome(row: ComparisonRow) -> str:
    if math.isnan(row.p_value):
        return f"cannot be tested ({row.test} is undefined here)"
    p = numbers.p_value(row.p_value)
    p = f"p {p[0]} {p[1:]}" if p[0] in "<>" else f"p = {p}"
    tested = f"{row.test} test, {p}"
    correction = names.CORRECTIONS.get(row.correction)
    if not row.significant:
        return f"is not statistically significant ({tested})"
    if correction is None:
        return f"is statistically significant ({tested})"
    if row.significant_corrected:
        return f"is statistically significant ({tested}, also after {correction} correction)"
    return f"is not statistically significant after {correction} correction ({tested} before)"


MOST = 4
"""Answers that stand above the tables; which setting they speak of is said in each."""


def answers(result: Result) -> tuple[Paragraph, ...]:
    """Return what a result comes to, at most :data:`MOST` paragraphs; studies whose notes say it have none here."""
    said = _ANSWERS.get(result.study)
    every = () if said is None else tuple(said(result))[:MOST]
    return tuple(Paragraph((each,)) if isinstance(each, str) else each for each in every)


def _about(row: Any, *sentences: str) -> Paragraph:  # noqa: ANN401 - a row of a metric and a criterion
    return Paragraph(sentences, ({"human": row.human, "metric": row.metric},))


def _first(rows: Sequence[Any], fields: str = names.SETTING) -> list[list[Any]]:
    """Return the rows of each human criterion, by the first of the other fields."""
    found: dict[str, list[Any]] = {}
    for mine in grouped(rows, fields).values():
        found.setdefault(mine[0].human, mine)
    return list(found.values())


def undefined(row: AgreementRow | RankRow) -> str:
    """Say that there is nothing to say."""
    return f"Agreement on {where(row)} is undefined for every metric."


def agreement(rows: Sequence[AgreementRow]) -> str:
    """Say how well the best of some metrics agrees with people."""
    ranked = best_first(rows)
    if not ranked:
        return undefined(rows[0])
    best = ranked[0]
    said = "" if math.isnan(best.low) else f", {interval(best)}"
    how = "agrees best" if len(ranked) > 1 else "agrees"
    if best.low <= 0 and vocabulary.is_correlation(best.statistic):
        how, said = (how, f"{said}, which includes 0") if len(ranked) > 1 else ("does not agree significantly", said)
    return (
        none_agrees(best)
        or _tie(ranked)
        or (
            f"{one_line(best.metric)} {how} with people on {where(best)}: "
            f"{names.statistic(best)} {numbers.correlation(best.estimate)}{said}."
        )
    )


def _agree(result: Any) -> Iterator[Paragraph]:  # noqa: ANN401 - an Agreement
    for rows in grouped(result.table, "human").values():
        mine = next(filter(best_first, grouped(rows, names.SETTING).values()), rows)
        yield _about((best_first(mine) or mine)[0], agreement(mine))


def interval(row: Any) -> str:  # noqa: ANN401 - a row with an interval
    """Return its interval, such as ``95% CI [0.1, 0.2]``."""
    return f"{numbers.level(row.confidence)} CI [{numbers.bound(row.low)}, {numbers.bound(row.high)}]"


def _compare(result: Any) -> Iterator[Paragraph]:  # noqa: ANN401 - a Comparison
    said = dict(by_setting(result))
    for rows in _first(result.ranks):
        yield _about((best_first(rows) or rows)[0], *said[values(rows[0], names.SETTING)])


def _criteria(result: Any) -> Iterator[str]:  # noqa: ANN401 - a Confounding
    own = [row for row in result.verdicts if row.kind == "metric"]
    for rows in list(grouped(own, "method").values())[:1]:
        counts = Counter(row.verdict for row in rows)
        one = {"survives": "remains", "shrinks": "becomes smaller", "vanishes": "vanishes"}
        one["undecided"] = "cannot be decided"
        many = {**one, "survives": "remain", "shrinks": "become smaller", "vanishes": "vanish"}
        parts = [f"{n} {(one if n == 1 else many)[word]}" for word in one if (n := counts[word])]
        whole = numbers.counted(len(rows), "agreement")
        yield f"With another criterion held fixed, of {whole} with a criterion {', '.join(parts)}."


def _pairs(result: Any) -> Iterator[Paragraph]:  # noqa: ANN401 - ScorePairs
    rows = [row for row in result.table if row.kind == "share" and row.metric_kind == "metric"]
    for mine in _first(rows, "human"):
        whole = [row for row in mine if row.share == 1 and not math.isnan(row.estimate)]
        best = max(whole, key=lambda row: row.estimate, default=None)
        near = next((row for row in mine if row.share == 0.5 and best and row.metric == best.metric), None)
        if best and near and not math.isnan(near.agreement):
            yield _about(
                near,
                f"{one_line(near.metric)} orders {numbers.percent(best.agreement)} of all pairs of systems as "
                f"people do on {one_line(near.human)}, and {numbers.percent(near.agreement)} of the closer half of "
                "the pairs.",
            )


def _decisions(result: Any) -> Iterator[Paragraph]:  # noqa: ANN401 - Decisions
    for rows in _first(result.table, "human"):
        known = [row for row in rows if row.kind == "metric" and not math.isnan(row.agreement)]
        if known:
            best = max(known, key=lambda row: row.agreement)
            low, high = numbers.percent(best.low), numbers.percent(best.high)
            ends = "" if math.isnan(best.low) else f" ({numbers.level(best.confidence)} CI {low} to {high})"
            yield _about(
                best,
                f"{one_line(best.metric)} leads to the same decision as people on {one_line(best.human)} for "
                f"{numbers.percent(best.agreement)} of the pairs of systems{ends}.",
            )


def _stability(result: Any) -> Iterator[str]:  # noqa: ANN401 - a Stability
    people = [row for row in result.table if row.kind == "human" and not math.isnan(row.mean)]
    if people:
        largest = max(row.n_inputs for row in people)
        each = [f"{one_line(r.name)} {numbers.fixed(r.mean, 2)}" for r in people if r.n_inputs == largest]
        yield (
            f"Mean correlation ({names.statistic(people[0])}) of two human rankings from samples of "
            f"{numbers.counted(largest, 'input')}: {listed(each, 6)}. A metric that reproduced human judgments, but on "
            "other inputs, would not agree better."
        )


def _precision(result: Any) -> Iterator[str]:  # noqa: ANN401 - a Precision
    people = [row for row in result.table if row.kind == "human" and not math.isnan(row.low)]
    each = [
        f"{one_line(name)} {numbers.general(sum(row.high - row.low for row in rows) / len(rows) / 2)}"
        for name, rows in grouped(people, "metric").items()
    ]
    if each:
        yield (
            f"Half the width of a system's {numbers.level(people[0].confidence)} CI for its human score, mean over "
            f"systems: {listed(each, 6)}."
        )


def _normality(result: Any) -> Iterator[str]:  # noqa: ANN401 - a Normality
    tested = [row for row in result.table if not math.isnan(row.p_value)]
    if tested:
        against = sum(row.p_value <= row.alpha for row in tested)
        yield (
            f"Normality of the means of systems is rejected for {against} of "
            f"{numbers.counted(len(tested), 'column')} (Shapiro-Wilk, α = {tested[0].alpha:g})."
        )


def _look(result: Any) -> Iterator[str]:  # noqa: ANN401 - a Look
    sizes = {row.axis: row.n for row in result.axes}
    on = [numbers.counted(sizes[f"{name}s"], name) for name in ("system", "input") if sizes.get(f"{name}s")]
    if any(row.scale == "votes" for row in result.table):
        votes = numbers.counted(sum(row.n for row in result.table), "vote")
        yield f"{votes} of {numbers.counted(len(result.table), 'rater')}; {', '.join(on)}."
        return
    people = [row.name for row in result.table if "human" in (row.kind, row.proposed)]
    if not any(row.kind == "human" for row in result.table):
        so = f", {len(people)} human by name" if people else ""
        columns = f"{numbers.counted(len(result.table), 'column')}, none declared as human{so}"
    else:
        metrics = numbers.counted(len(result.table) - len(people), "metric")
        columns = f"{metrics}, {'1 human criterion' if len(people) == 1 else f'{len(people)} human criteria'}"
    by = f" by {numbers.counted(sizes['annotators'], 'annotator')}" if sizes.get("annotators") else ""
    which = f" ({listed(people, 4)})" if people else ""
    gaps = [row for row in result.table if row.missing]
    worst = max(gaps, key=lambda row: row.missing / (row.n + row.missing), default=None)
    missing = "no score is missing"
    if worst:
        share = numbers.of(worst.missing, worst.n + worst.missing)
        missing = (
            f"scores are missing in {numbers.counted(len(gaps), 'column')}, most in {one_line(worst.name)}: {share}"
        )
    yield f"{' × '.join(on)}; {columns}{by}{which}; {missing}."


def _rates(rows: Sequence[Any], field: str) -> dict[str, list[float]]:
    """Return the rates of the first level and statistic by a field, undefined ones left out."""
    known = [row for row in rows if not math.isnan(row.rate)]
    mine = next(iter(grouped(known, f"level {names.STATISTIC}").values()), [])
    return {name: [row.rate for row in each] for name, each in grouped(mine, field).items()}


def _power(result: Any) -> Iterator[str]:  # noqa: ANN401 - a Power
    found = sorted(_rates(result.table, "test").items(), key=lambda each: -sum(each[1]) / len(each[1]))
    if found:
        means = [f"{name} {numbers.percent(sum(rates) / len(rates))}" for name, rates in found]
        where = f"At the {result.table[0].level} level with α = {result.table[0].alpha:g}"
        if len({row.setting for row in result.table}) == 1:
            yield f"{where}, the power to find the corrupted metric worse is: {listed(means, 6)}."
            return
        yield (
            f"{where}, the mean power to find the corrupted metric worse, over all sizes of corruption, is: "
            f"{listed(means, 6)}. The power of {found[0][0]} is {numbers.span(found[0][1], numbers.percent)}, "
            "depending on the size of the corruption."
        )


def _coverage(result: Any) -> Iterator[str]:  # noqa: ANN401 - a Coverage
    wanted = result.table[0].confidence
    found = _rates(result.table, "interval").items()
    near = sorted(found, key=lambda each: sum(abs(rate - wanted) for rate in each[1]) / len(each[1]))
    if near:
        spans = [f"{name} {numbers.span(rates, numbers.percent)}" for name, rates in near]
        yield (
            f"{numbers.level(wanted)} intervals: share that contains the {names.measured(result.table)} of held-out "
            f"data at the {result.table[0].level} level, the nearest to {numbers.level(wanted)} first: "
            f"{listed(spans, 6)}."
        )


def _size(result: Any) -> Iterator[str]:  # noqa: ANN401 - a Size
    equal = [row for row in result.table if row.equal]
    if equal and not any(row.holds is False for row in equal):
        rates = listed(
            [f"{name} {numbers.span(found, numbers.percent)}" for name, found in _rates(equal, "test").items()], 6
        )
        yield (
            "No test has a false-positive rate significantly above the nominal "
            f"{numbers.percent(equal[0].alpha)}; rates in the simulated populations: {rates}."
        )


def _bias(result: Any) -> Iterator[str]:  # noqa: ANN401 - Biases
    if not result.table:
        judges = numbers.counted(len({row.metric for row in (*result.grades, *result.reruns)}), "judge")
        yield (
            f"No bias of {judges} can be estimated: there are no texts of outputs, no families of systems, and no "
            "order in which outputs were shown. The tables show how they use grades, and how well repetitions agree."
        )


_ANSWERS: dict[str, Callable[[Any], Iterable[str | Paragraph]]] = {
    "agree": _agree,
    "compare": _compare,
    "criteria": _criteria,
    "pairs": _pairs,
    "decisions": _decisions,
    "stability": _stability,
    "precision": _precision,
    "normality": _normality,
    "look": _look,
    "bias": _bias,
    "simulate-power": _power,
    "simulate-coverage": _coverage,
    "simulate-size": _size,
}
