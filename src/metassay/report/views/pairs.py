"""Does a small score difference mean anything: by the closest pairs, as a triangle, as a curve, and in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Table
from metassay.report.views.columns import Shown, across, at, build, figures, grouped, lines, optional, span, words
from metassay.studies.pairs import ScorePairs
from metassay.studies.pairs_rows import ScorePairsRow

MOST_IN_LIST = 3
"""With more metrics and criteria than this, an overview is easier to read than a list of each."""
MOST_IN_A_SENTENCE = 3
"""How many score differences a sentence is about."""
AGREEMENT = "agreement agreement_low agreement_high"
NO_PAIRS = "no pairs, or ties only"

Rows = Sequence["ScorePairsRow"]


def default(result: ScorePairs) -> tuple[str, ...]:
    """Return the views that suit the number of metrics, and what was asked for."""
    kinds = {row.kind for row in result.table}
    settings = len(_groups(result.table))
    closest = bool(kinds & {"bounds", "share"})
    chosen = {
        "list": closest and settings <= MOST_IN_LIST,
        "matrix": closest and settings > MOST_IN_LIST,
        "triangle": "triangle" in kinds,
        "needed": "needed" in kinds,
        "curve": "curve" in kinds and settings == 1,
        "words": closest,
    }
    return tuple(view for view, wanted in chosen.items() if wanted)


def list_(result: ScorePairs) -> tuple[Table, ...]:
    """Return for each metric and criterion the bounds and shares with pairs, correlation and agreement."""

    def which(row: ScorePairsRow) -> str:
        return f"closest {100 * row.share:g}%" if row.kind == "share" else f"{numbers.percent(row.share)} of all"

    columns = [
        words("which pairs", which),
        figures("score difference", _range),
        "pairs|n_pairs|count",
        any(row.n_ties for row in result.table) and "ties|n_ties|count",
        *("Kendall|estimate low high|estimates", f"people agree|{AGREEMENT}|percent_range"),
    ]
    return build(
        "Agreement by score difference",
        columns,
        [
            (
                f"{_against(key)}{names.below_sentinels(rows[0])}, {numbers.counted(rows[0].n_systems, 'system')}",
                _of(rows, "bounds", "share"),
            )
            for key, rows in _groups(result.table).items()
        ],
        f"In brackets: {names.draws(result.table[0])}.",
        "Kendall: over these pairs only. People agree: share of untied pairs that people order like the metric.",
        names.sentinel_legend(result.table),
        undefined=NO_PAIRS,
    )


def matrix(result: ScorePairs) -> tuple[Table, ...]:
    """Return an overview: metrics by bounds and shares, correlations only."""
    shown = _of(result.table, "bounds", "share")

    def column(key: tuple[str, float, float, float]) -> Shown | str:
        kind, share, lower, upper = key
        if kind == "bounds":
            pairs = "estimate n_pairs", lambda estimate, pairs: numbers.two(estimate) + f" ({pairs:,})"
            return figures(f"{difference(lower)} to {difference(upper)}", *pairs)
        many = span((row for row in shown if _place(row) == key), "n_pairs", "–")
        return f"{100 * share:g}% ({many})|estimate|two"

    return build(
        "Agreement by score difference",
        [
            "metric",
            optional(words("", lambda line: names.below_sentinels(line[0]), key=False)),
            *across(shown, _place, column),
        ],
        [(one_line(human), lines(rows, "metric")) for human, rows in grouped(shown, "human").items()],
        "Kendall over the pairs of systems closest in score, or as far apart as the column says; in brackets, pairs.",
        "Intervals and score differences: view list.",
        names.sentinel_legend(shown),
        undefined=NO_PAIRS,
    )


def triangle(result: ScorePairs) -> tuple[Table, ...]:
    """Return one table per metric and criterion: pairs left out downwards, share of pairs to the right."""
    tables: list[Table] = []
    for key, rows in _groups(_of(result.table, "triangle")).items():
        shares = grouped(sorted(rows, key=lambda row: row.share), _share)
        columns = [
            at(f"{100 * share:.0f}% ({span(mine, 'n_pairs', '–')})|estimate|two", _share, share)
            for share, mine in shares.items()
        ]
        tables += build(
            f"Triangle of {_against(key)}",
            [
                words("left out", lambda line: f"{100 * line[0].share_below:.0f}%"),
                figures("from", "lower", difference),
                *columns,
            ],
            [("", lines(sorted(rows, key=lambda row: row.share_below), lambda row: round(row.share_below, 9)))],
            "Kendall over a share of the pairs (in brackets how many) next in score after the closest ones, which are "
            "left out; from: the smallest score difference.",
            undefined=NO_PAIRS,
        )
    return tuple(tables)


def needed(result: ScorePairs) -> tuple[Table, ...]:
    """Return the score differences at which people agree with the metric often enough."""
    seen = {key: _largest(rows, math.nan) for key, rows in _groups(result.table).items()}

    def text(row: ScorePairsRow) -> str:
        if math.isnan(row.estimate):
            return numbers.DASH
        beyond = "†" if seen[row.metric, row.human] < row.estimate < math.inf else ""
        ends = ", ".join(difference(end, 2) for end in (row.low, row.high))
        return f"{difference(row.estimate, 2)}{beyond} [{ends}]"

    wanted = _of(result.table, "needed")
    written = "".join(map(text, wanted))
    return build(
        "Score difference needed for people to agree",
        [
            "metric",
            *across(wanted, "agreement", lambda share: figures(f"for {numbers.percent(share)}", text)),
            figures("largest in data", lambda line: difference(seen[line[0].metric, line[0].human], 2)),
        ],
        [(one_line(human), lines(rows, "metric")) for human, rows in grouped(wanted, "human").items()],
        f"In brackets: {names.draws(result.table[0])}.",
        "From the fitted curve P = 1/(1 + exp(−β·difference)), which is one half at no difference.",
        "†" in written and "† beyond the largest difference in the data, where the curve extrapolates.",
        "∞" in written and "∞ never: the curve does not rise.",
        undefined=NO_PAIRS,
    )


def curve(result: ScorePairs) -> tuple[Table, ...]:
    """Return points of the fitted curves with their bands."""
    return build(
        "Probability that people agree, by score difference",
        [
            figures("score difference", "upper", difference, key=True),
            f"probability that people agree|{AGREEMENT}|percent_range",
        ],
        [(_against(key), rows) for key, rows in _groups(_of(result.table, "curve")).items()],
        f"Fitted; in brackets the band, a {names.draws(result.table[0])}.",
        undefined=NO_PAIRS,
    )


def words_(result: ScorePairs) -> tuple[Table, ...]:
    """Return what follows in practice, a sentence or two per metric and criterion."""
    groups = _groups(result.table)
    most = MOST_IN_A_SENTENCE if len(groups) <= MOST_IN_LIST else 1
    said = [rows for rows in groups.values() if _of(rows, "bounds", "share")]
    return build(
        "Interpretation",
        [words("what a score difference means", lambda rows: _sentence(rows, most), whole=True)],
        [
            (one_line(human) if len(groups) > 1 else "", some)
            for human, some in grouped(said, lambda rows: rows[0].human).items()
        ],
    )


def _groups(rows: Rows) -> dict[tuple[str, str], list[ScorePairsRow]]:
    """Return the rows of each metric and human criterion."""
    return grouped(rows, "metric human")


def _against(key: tuple[str, str]) -> str:
    return " against ".join(map(one_line, key))


def _of(rows: Rows, *kinds: str) -> list[ScorePairsRow]:
    return [row for row in rows if row.kind in kinds]


def _largest(rows: Rows, otherwise: float) -> float:
    """Return the largest score difference that was seen."""
    return max((row.upper for row in rows if row.kind == "curve"), default=otherwise)


def _place(row: ScorePairsRow) -> tuple[str, float, float, float]:
    """Return what makes rows of different metrics stand in one column."""
    return ("share", row.share, 0.0, 0.0) if row.kind == "share" else ("bounds", 0.0, row.lower, row.upper)


def _share(row: ScorePairsRow) -> float:
    return round(row.share, 9)


def _range(row: ScorePairsRow) -> str:
    return numbers.DASH if math.isnan(row.upper) else f"{difference(row.lower)} to {difference(row.upper)}"


def difference(value: float, digits: int = 3) -> str:
    """Return a score difference, whose scale is the metric's own, with so many significant digits."""
    if not math.isfinite(value) or value == 0:
        return numbers.fixed(value, 0)
    places = digits - 1 - math.floor(math.log10(abs(value)))
    if places > 8:
        return f"{value:.{digits - 1}e}"
    text = numbers.fixed(value, max(0, places))
    return text.rstrip("0").rstrip(".") if "." in text else text


# -- sentences ----------------------------------------------------------------------------------


def _sentence(rows: Rows, most: int) -> str:
    chosen = _of(rows, "bounds")[:most] or _spread(_of(rows, "share"), most)
    text = "; ".join(_clauses(one_line(rows[0].metric, 60), chosen)) + "."
    sure = next(iter(_of(rows, "needed")), None)
    if sure is None or math.isnan(sure.estimate):
        return text
    if math.isinf(sure.estimate):
        return f"{text} No score difference makes agreement more likely."
    beyond = sure.estimate > _largest(rows, math.inf)
    return (
        f"{text} Agreement on {numbers.percent(sure.agreement)} of pairs needs a difference of about "
        f"{difference(sure.estimate, 2)} ({difference(sure.low, 2)}–{difference(sure.high, 2)}"
        f"{'; more than any in the data' if beyond else ''})."
    )


def _spread(rows: list[ScorePairsRow], most: int) -> list[ScorePairsRow]:
    """Return the smallest share and, if there is room, one of the middle and the largest."""
    middle = rows[1:-1][len(rows[1:-1]) // 2 :][:1]
    return [*rows[:1], *middle, *rows[1:][-1:]][:most]


def _clauses(metric: str, rows: Rows) -> Iterator[str]:
    for place, row in enumerate(rows):
        first = place == 0
        of_metric = f" of {metric}" * first
        if row.n_pairs == 0:
            yield f"{'No' if first else 'no'} system pairs lie {_apart(row, of_metric)}"
            continue
        pairs = f"{'Of' if first else 'of'} {_which(row, of_metric)}"
        if math.isnan(row.agreement):
            yield f"{pairs}, all are ties ({_pairs(row)})"
            continue
        ends = numbers.percent(row.agreement_low).removesuffix("%"), numbers.percent(row.agreement_high)
        interval = f"{100 * row.confidence:g}% CI " if first else ""
        who = f"{'' if pairs.endswith(',') else ','} people agree with the metric" if first else ""
        yield f"{pairs}{who} in {numbers.percent(row.agreement)} ({_pairs(row)}, {interval}{ends[0]}–{ends[1]})"


def _which(row: ScorePairsRow, metric: str) -> str:
    if row.kind == "share" and row.share == 1:
        return f"all system pairs, up to {_points(row.upper)}{metric} apart,"
    return f"system pairs {_apart(row, metric)}"


def _apart(row: ScorePairsRow, metric: str) -> str:
    if math.isnan(row.upper):
        return "so close"
    if math.isinf(row.upper):
        return f"at least {_points(row.lower)}{metric} apart"
    if row.lower == 0:
        return f"within {_points(row.upper)}{metric}"
    return f"{difference(row.lower)} to {_points(row.upper)}{metric} apart"


def _points(value: float) -> str:
    return f"{difference(value)} point{'' if value == 1 else 's'}"


def _pairs(row: ScorePairsRow) -> str:
    count = f"{row.n_pairs:,} pair{'' if row.n_pairs == 1 else 's'}"
    return count + (f", {row.n_ties:,} of them tied" if row.n_ties else "")
