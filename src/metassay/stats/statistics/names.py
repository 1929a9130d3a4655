"""What statistics are called: known without NumPy, for help texts and reports."""

from __future__ import annotations

from typing import NamedTuple

LEVELS = ("system", "input", "global", "within-system")
"""The levels at which metrics and people are compared."""


class Named(NamedTuple):
    """A statistic as people call it."""

    title: str
    """Its name in prose, such as ``Kendall c``."""
    symbol: str
    """Its symbol, such as ``τ_c``."""
    aliases: tuple[str, ...] = ()
    """Further names on the command line and in Python."""
    signature: str = ""
    """Its name in signatures, if that is another."""
    higher_is_better: bool = True
    """Whether larger values are better agreement."""
    is_correlation: bool = True
    """Whether it is a correlation coefficient."""
    is_share: bool = False
    """Whether it is a share of items, which people write in percent."""
    in_units: bool = False
    """Whether it is measured in the units of the scores."""
    symmetric: bool = True
    """Whether people and metrics play the same part in it."""


BUILT_IN = {
    "pearson": Named("Pearson", "r"),
    "spearman": Named("Spearman", "ρ"),
    "kendall": Named("Kendall", "τ_b", ("kendall-b", "tau", "tau-b"), "kendall-b"),
    "kendall-a": Named("Kendall a", "τ_a", ("tau-a",)),
    "kendall-c": Named("Kendall c", "τ_c", ("tau-c",)),
    "pairwise-accuracy": Named("pairwise accuracy", "acc", ("pa",)),
    "acc-eq": Named("acc-eq, ties calibrated", "acc_eq", ("acc23", "acc-eq-star")),
    "acc-eq-cross": Named("acc-eq, ties cross-fitted", "acc_eq", ("acc-eq-crossfit",)),
    "tau-eq": Named("Kendall eq", "τ_eq", ("tau-23", "tau23")),
    "tau-10": Named("Kendall 10", "τ_10", ("tau10",)),
    "tau-13": Named("Kendall 13", "τ_13", ("tau13",)),
    "tau-14": Named("Kendall 14", "τ_14", ("tau14",)),
    "kendall-like": Named("Kendall-like", "τ", ("darr",)),
    "kendall-like-25": Named("Kendall-like, 25 points apart", "τ", ("darr-25",)),
    "pdp": Named("pairwise difference Pearson", "r_Δ", ("pairwise-difference-pearson",)),
    "spa": Named("soft pairwise accuracy", "SPA", ("soft-pairwise-accuracy", "pce")),
}
BUILT_IN |= {
    name: named._replace(is_correlation=False)
    for name, named in {
        "accuracy": Named("accuracy", "acc", ("agreement",), is_share=True),
        "balanced-accuracy": Named("balanced accuracy", "bacc", is_share=True),
        "precision": Named("precision", "P", is_share=True, symmetric=False),
        "recall": Named("recall", "R", ("sensitivity",), is_share=True, symmetric=False),
        "specificity": Named("specificity", "TNR", is_share=True, symmetric=False),
        "f1": Named("F1", "F₁", symmetric=False),
        "f1-macro": Named("macro F1", "F₁ macro", ("macro-f1",)),
        "phi": Named("φ", "φ", ("mcc", "matthews")),
        "kappa": Named("Cohen's κ", "κ", ("cohen",)),
        "kappa-linear": Named("linearly weighted κ", "κ_lin"),
        "kappa-quadratic": Named("quadratically weighted κ", "κ_quad", ("qwk",)),
        "ac1": Named("Gwet's AC1", "AC1"),
        "ac2": Named("Gwet's AC2 (quadratic weights)", "AC2"),
        "ac2-linear": Named("Gwet's AC2 (linear weights)", "AC2_lin"),
        "alpha-nominal": Named("Krippendorff's α (nominal)", "α_nom"),
        "alpha-ordinal": Named("Krippendorff's α (ordinal)", "α_ord"),
        "alpha-interval": Named("Krippendorff's α (interval)", "α_int"),
        "rmse": Named("root mean squared error", "RMSE", higher_is_better=False, in_units=True),
        "mae": Named("mean absolute error", "MAE", higher_is_better=False, in_units=True),
        "bias": Named("bias (metric − human)", "bias", higher_is_better=False, in_units=True),
        "within-one": Named("agreement within one grade", "±1", is_share=True),
        "auc": Named("area under the ROC curve", "AUC", ("roc-auc",)),
        "average-precision": Named("average precision", "AP"),
        "brier": Named("Brier score", "Brier", higher_is_better=False),
        "ece": Named("expected calibration error", "ECE", higher_is_better=False),
    }.items()
}
"""The statistics that come with the package, by name, in the order in which they are listed."""

KNOWN = dict(BUILT_IN)
"""These, and what users registered."""


def aliases() -> dict[str, str]:
    """Return the name of each alias."""
    return {alias: name for name, known in KNOWN.items() for alias in known.aliases}


def find(name: str) -> Named:
    """Return what is known of a statistic; of one that is not known here its name, and that it is no correlation."""
    return KNOWN.get(name, Named(name, "", is_correlation=False))
