"""How many labels are needed, and which to take."""

from __future__ import annotations

from metassay.errors import one_line
from metassay.report import numbers
from metassay.report.table import Table
from metassay.report.views.columns import bold, build, figures, grouped, known, needed, optional
from metassay.studies.plan_labels import LabelPlan

QUANTITIES = {"accuracy": "accuracy of the judge", "kappa": "Cohen's κ", "mean": "mean of people, with the judge"}
CASE = "human metric"


def default(result: LabelPlan) -> tuple[str, ...]:
    """Return both views if there is something to choose."""
    return ("needs", "choices") if result.choices else ("needs",)


def needs(result: LabelPlan) -> tuple[Table, ...]:
    """Return a row per quantity."""
    target = result.table[0].target

    return build(
        f"Labels needed for ± {target:g}",
        [
            figures("", lambda row: QUANTITIES[row.quantity], key=True),
            "now|value|two",
            figures("±", "half_width", lambda half: numbers.DASH if half != half else numbers.fixed(half, 3)),
            "labels|n_labelled|count",
            figures("needed", needed),
            optional(figures("without the judge", lambda row: row.needed_alone)),
        ],
        [
            (f"{one_line(mine[0].human)} with {one_line(mine[0].metric)}", mine)
            for mine in grouped(result.table, CASE).values()
        ],
        f"±: half the width of the {numbers.level(result.table[0].confidence)} CI with the present labels. "
        f"{numbers.DASH} no number of labels is known to be enough: more outputs are needed, or there is no variation.",
        undefined=None,
    )


def choices(result: LabelPlan) -> tuple[Table, ...]:
    """Return a row per way to choose labels."""
    best = {
        id(max(mine, key=lambda row: known(row.worth_mean) or 0)) for mine in grouped(result.choices, CASE).values()
    }
    return build(
        "Ways to choose the next labels",
        [
            "choice|strategy",
            figures("error of the mean", "error_mean", numbers.general),
            bold(figures("worth", "worth_mean"), lambda row: id(row) in best),
            optional(figures("error of the accuracy", lambda row: known(row.error_accuracy), numbers.general)),
            optional(figures("worth", lambda row: known(row.worth_accuracy))),
            optional(figures("judge wrong", lambda row: known(row.errors_found), numbers.percent)),
        ],
        [
            (f"{one_line(mine[0].human)} with {one_line(mine[0].metric)}, {mine[0].n:,} labels", mine)
            for mine in grouped(result.choices, CASE).values()
        ],
        f"Root mean squared errors in {result.choices[0].trials:,} simulated choices among the labelled outputs. "
        "Worth: random labels that would be as precise. Judge wrong: share of the chosen outputs.",
        undefined=None,
        bold="the most precise mean",
    )
