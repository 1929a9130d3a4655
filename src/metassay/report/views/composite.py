"""Whether a combination of metrics agrees better with people than the best metric alone."""

from __future__ import annotations

import math

from metassay.charts.composite import WORDS
from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Table
from metassay.report.views.columns import build, figures, grouped, optional, words
from metassay.studies.composite import Combined, CompositeRow

MOST_WEIGHTS = 15
"""So many of the largest weights are shown; JSON and CSV have all."""


def default(result: Combined) -> tuple[str, ...]:
    """Return the result, and the weights of a single setting."""
    return ("result", "weights") if len(grouped(result.weights, "human level")) == 1 else ("result",)


def result_(result: Combined) -> tuple[Table, ...]:
    """Return agreement of each combination, and the gain over the best single metric."""

    def won(row: CompositeRow) -> str:
        if row.kind in ("single", "hindsight"):
            return ""
        mark = "*" if row.better else " "
        return numbers.ranged(row.gain, row.gain_low, row.gain_high, _signed) + mark

    sections = []
    for key, rows in grouped(result.table, "human level").items():
        order = sorted(rows, key=lambda row: list(WORDS).index(row.kind))
        head = f"{one_line(key[0])}, {key[1]} level, {numbers.counted(order[0].n_metrics, 'metric')}"
        sections.append((head, order))
    first = result.table[0]
    return build(
        "Combinations of metrics, on held-out systems and inputs",
        [
            words("combination", lambda row: WORDS[row.kind], whole=True),
            f"{names.statistic(first)}|estimate low high|estimates",
            figures("gain over best single", won),
            optional(words("metric", lambda row: row.metric or "", key=False)),
        ],
        sections,
        f"In brackets: {numbers.level(first.confidence)} CI, for new systems and inputs. * the whole interval of the "
        "gain is above 0.",
        "Best of these three, and best single metric: chosen on the other folds. Best in hindsight: the best on all "
        "the data, which is not known in advance.",
    )


def weights(result: Combined) -> tuple[Table, ...]:
    """Return the largest weights of the regression."""
    sections = [
        (f"{one_line(human)}, {level} level", rows[:MOST_WEIGHTS])
        for (human, level), rows in grouped(result.weights, "human level").items()
    ]
    return build(
        "Weights in the regression",
        [
            "metric",
            figures("weight", "weight", _signed),
            figures("best single in", lambda row: f"{100 * row.chosen:.0f}%"),
        ],
        sections,
        "Of metrics scaled to variance 1, a mean over folds; weights of correlated metrics are not unique.",
        "Best single in: share of folds in which this metric was the best one.",
    )


def _signed(value: float) -> str:
    return numbers.DASH if math.isnan(value) else f"{value:+.3f}".replace("-", "−")
