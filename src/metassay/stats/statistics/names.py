"""What statistics are called: known without NumPy, for help texts and reports."""

from __future__ import annotations

from typing import NamedTuple


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
"""The statistics that come with the package, by name, in the order in which they are listed."""

KNOWN = dict(BUILT_IN)
"""These, and what users registered."""


def aliases() -> dict[str, str]:
    """Return the name of each alias."""
    return {alias: name for name, known in KNOWN.items() for alias in known.aliases}


def title(name: str) -> str:
    """Return what a statistic is called in prose; its name if it is not known here."""
    return KNOWN[name].title if name in KNOWN else name
