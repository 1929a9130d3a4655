"""What can be scored here?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.signature import Signature
from metassay.texts.scorers.registry import METRICS


@dataclass(frozen=True, slots=True)
class CatalogueRow:
    """One metric of texts."""

    name: str
    """Its name on the command line."""
    summary: str
    """What it measures."""
    needs: str
    """What it looks at beside the output: ``references``, ``source``, or nothing."""
    installed: bool
    """Whether all it needs is here."""
    install: str
    """The command that installs what is missing; empty if nothing needs installing."""
    licence: str
    """The licence of the code that computes it."""
    citation: str
    """Whom to cite."""


@dataclass(frozen=True, eq=False, repr=False)
class Catalogue(Result):
    """Every metric of texts that metassay knows, and whether it can run here."""

    study: ClassVar[str] = "metrics"

    table: Sequence[CatalogueRow]
    """One row per metric."""


def metrics() -> Catalogue:
    """List every metric that can score texts: what it needs, whether it is installed, and how to install it.

    Examples
    --------
    >>> next(row.needs for row in metrics().table if row.name == "rouge")
    'references'
    """
    rows = tuple(
        CatalogueRow(m.name, m.summary, ", ".join(m.needs), m.ready, m.install, m.licence, m.citation)
        for m in METRICS.values()
    )
    absent = sum(not row.installed for row in rows)
    return Catalogue(rows, Signature.of("metrics", known=len(rows), missing=absent), (Note.of("metric-options"),))
