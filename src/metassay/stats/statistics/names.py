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
    is_correlation: bool = True
    """Whether it is a correlation coefficient."""


BUILT_IN = {
    "pearson": Named("Pearson", "r"),
    "spearman": Named("Spearman", "ρ"),
    "kendall": Named("Kendall", "τ_b", ("kendall-b", "tau", "tau-b"), "kendall-b"),
    "kendall-a": Named("Kendall a", "τ_a", ("tau-a",)),
    "kendall-c": Named("Kendall c", "τ_c", ("tau-c",)),
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
