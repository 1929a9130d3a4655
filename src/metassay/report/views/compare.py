"""Which metric agrees better with people: tests as a list or a matrix of p-values, and the ranks that are possible."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from metassay.report import names, numbers
from metassay.report.table import Table, distinct, sizes
from metassay.report.views.columns import Shown, bold, build, figures, grouped, optional, words
from metassay.studies.compare import Comparison, ComparisonRow

MOST_IN_FULL = 14
"""With more metrics than this, p-values of a matrix on paper are whole percentages."""
MOST_IN_LIST = 4
"""With more metrics than this, a matrix is easier to read than a list of all ordered pairs."""


def default(result: Comparison) -> tuple[str, ...]:
    """Return the views that suit the number of metrics."""
    few = len({row.metric_a for row in result.table}) <= MOST_IN_LIST
    return ("ranks", "list" if few else "matrix")


def list_(result: Comparison) -> tuple[Table, ...]:
    """Return every test, the smallest p-value first."""
    groups = grouped(result.table, names.SETTING)
    sections, differ = [], False
    for rows in groups.values():
        uneven = len({(r.n_systems, r.n_inputs) for r in rows}) > 1
        differ = differ or uneven
        units = "" if uneven else f" ({_sizes(rows)})"
        sections.append((names.setting(rows[0]) + units, sorted(_without_mirrors(rows), key=_by_p)))
    symbol = names.symbol(result.table)
    columns = [
        *("A|metric_a", "B|metric_b"),
        *(figures(f"{symbol} {side}", f"estimate_{side.lower()}", numbers.correlation) for side in "AB"),
        "difference|difference|correlation",
        bold("p|p_value|p_value", _significant),
        words("", _mark, key=False),
        differ and "systems × inputs|n_systems n_inputs|product",
    ]
    claim = f"Small p: A {_claim(result)} B."
    return build(_heading(result), columns, sections, claim, *_legend(result, "metric A"), bold=_bold(result))


def matrix(result: Comparison) -> tuple[Table, ...]:
    """Return p-values of row metric against column metric, one table per criterion, level and statistic."""
    tables: tuple[Table, ...] = ()
    for setting, rows in grouped(result.table, names.SETTING).items():
        order = _order(result, setting, rows)
        tests = {(row.metric_a, row.metric_b): row for row in rows}
        place = {metric: at for at, metric in enumerate(order, start=1)}

        columns = [
            figures("", place.get, key=True),
            words("metric", lambda metric: metric),
            figures(names.symbol(rows), order.get, numbers.correlation),
            *(shown for other, at in place.items() for shown in _against(str(at), other, tests, len(order))),
        ]
        tables += build(
            f"{_heading(result)}: {names.setting(rows[0])} ({_sizes(rows)})",
            columns,
            [("", order)],
            f"Small p: the metric of the row {_claim(result)} that of the column, numbered like the rows.",
            *_legend(result, "row"),
            bold=_bold(result),
        )
    return tables


def ranks(result: Comparison) -> tuple[Table, ...]:
    """Return the ranks that each metric may have."""
    return build(
        f"Ranks ({numbers.level(1 - result.alpha)} confidence sets)",
        [
            "metric",
            figures(names.symbol(result.ranks), "estimate", numbers.correlation),
            figures("rank by estimate", "rank"),
            figures("possible ranks", lambda row: row.rank and numbers.span((row.rank_low, row.rank_high), to="–")),
            optional(words("", names.below_sentinels, key=False)),
        ],
        [(names.setting(mine[0]), mine) for mine in grouped(result.ranks, names.SETTING).values()],
        "Possible ranks: with the confidence above, these bounds contain the true ranks of all metrics of a section "
        "(Holm over all pairs). Overlapping bounds do not show that metrics are equal.",
        names.sentinel_legend(result.ranks),
    )


def _against(header: str, other: str, tests: dict[tuple[str, str], ComparisonRow], metrics: int) -> list[Shown]:
    """Return the column of the tests against a metric; of many metrics, a narrow one on paper."""

    def test(metric: str) -> ComparisonRow | None:
        return tests.get((metric, other))

    def significant(metric: str) -> bool:
        return bool((row := test(metric)) and row.significant_corrected)

    full = bold(figures(header, lambda m: (row := test(m)) and names.starred(row, stars=_mark)), significant)
    if metrics <= MOST_IN_FULL:
        return [full]
    narrow = bold(figures(header, lambda m: (row := test(m)) and numbers.in_percent(row.p_value)), significant)
    on_paper = replace(narrow.column, medium="paper", legend="p-values in percent.")
    return [replace(full, column=replace(full.column, medium="screen")), replace(narrow, column=on_paper)]


def _mark(row: ComparisonRow) -> str:
    return names.stars(row) + "†" * (row.detectable == math.inf and not row.significant_corrected)


def _significant(row: ComparisonRow) -> bool:
    return row.significant_corrected


def _sizes(rows: Sequence[ComparisonRow]) -> str:
    return sizes([(r.n_systems, r.n_inputs) for r in rows])


def _order(result: Comparison, setting: tuple[str, ...], rows: Sequence[ComparisonRow]) -> dict[str, float]:
    """Return the estimates of metrics, the best first."""
    ranked = grouped(result.ranks, names.SETTING).get(setting, [])
    good = {row.metric: (names.goodness(row), row.estimate) for row in ranked}
    for side in ("b", "a"):
        for row in rows:
            metric, estimate = getattr(row, f"metric_{side}"), f"estimate_{side}"
            good.setdefault(metric, (names.goodness(row, estimate), getattr(row, estimate)))
    return {metric: estimate for metric, (_, estimate) in sorted(good.items(), key=lambda item: -item[1][0])}


def _without_mirrors(rows: Sequence[ComparisonRow]) -> list[ComparisonRow]:
    """Leave out B against A where a two-sided test says the same of A against B."""
    kept: dict[object, ComparisonRow] = {}
    for row in sorted(rows, key=lambda r: -names.goodness(r, "difference")):
        verdict = (row.significant, row.significant_corrected, str(row.p_value))
        mirrored = row.alternative == "two-sided"
        kept.setdefault((frozenset((row.metric_a, row.metric_b)), verdict) if mirrored else id(row), row)
    return list(kept.values())


def _by_p(row: ComparisonRow) -> tuple[float, float]:
    undefined = math.isnan(row.p_value)
    return (math.inf, 0.0) if undefined else (row.p_value, -names.goodness(row, "difference"))


def _claim(result: Comparison) -> str:
    return names.ALTERNATIVES[result.table[0].alternative] if result.table else "differs from"


def _heading(result: Comparison) -> str:
    tests = distinct(f"{r.test}, {r.resamples:,} resamples" if r.resamples else r.test for r in result.table)
    return f"Metrics compared ({'; '.join(tests)})"


def _legend(result: Comparison, family: str) -> list[str]:
    per = {"row": f" over the tests of each {family}", "table": " over the whole table"}
    never = next((row for row in result.table if "†" in _mark(row)), None)
    after = "" if never is None or never.correction == "none" else " after correction"
    return [
        *(names.starred_legend(result.alpha, row.correction, per[row.scope]) for row in result.table[:1]),
        *([f"† Too few systems: no difference here could be significant{after}."] if never else []),
    ]


def _bold(result: Comparison) -> str:
    corrected = any(row.correction != "none" for row in result.table)
    return "significant after correction" if corrected else "significant"
