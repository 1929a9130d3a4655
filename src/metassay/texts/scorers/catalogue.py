"""What can be scored here?"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.signature import Signature
from metassay.errors import UnknownName
from metassay.texts.scorers.registry import METRICS, Metric, maker


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


@dataclass(frozen=True, slots=True)
class OptionRow:
    """One option of a metric."""

    metric: str
    """The metric."""
    option: str
    """The option's name in brackets behind the metric's."""
    default: str
    """What holds if it is not given."""
    meaning: str
    """What it does."""


@dataclass(frozen=True, eq=False, repr=False)
class Catalogue(Result):
    """Metrics of texts that metassay knows, and whether they can run here."""

    study: ClassVar[str] = "metrics"

    table: Sequence[CatalogueRow]
    """One row per metric."""
    options: tuple[OptionRow, ...] = ()
    """The options of metrics that were asked for by name."""


def metrics(name: str | Iterable[str] | None = None) -> Catalogue:
    """List every metric that can score texts: what it needs, whether it is installed, and how to install it.

    Parameters
    ----------
    name
        Metrics to show alone, with their options: names or a comma list.

    Examples
    --------
    >>> next(row.needs for row in metrics().table if row.name == "rouge")
    'references'
    >>> metrics("chrf").options[0]
    OptionRow(metric='chrf', option='order', default='6', meaning='The longest character n-grams.')
    """
    wanted = vocabulary.names(METRICS if name is None else name)
    for one in wanted:
        if one not in METRICS:
            raise UnknownName("metric", one, METRICS)
    rows = tuple(
        CatalogueRow(m.name, m.summary, ", ".join(m.needs), m.ready, m.install, m.licence, m.citation)
        for m in map(METRICS.__getitem__, wanted)
    )
    absent = sum(not row.installed for row in rows)
    options = () if name is None else tuple(option for one in wanted for option in _options(METRICS[one]))
    notes = (Note.of("metric-options"),)
    return Catalogue(rows, Signature.of("metrics", known=len(METRICS), missing=absent), notes, options)


def _options(metric: Metric) -> Iterator[OptionRow]:
    """Yield the options of a metric with their defaults, as its documentation explains them."""
    made_by = maker(metric)
    said: dict[str, str] = {}
    # What makes a scorer may take the options of the class that it makes, which explains those.
    made = inspect.get_annotations(made_by, eval_str=True).get("return") if inspect.isfunction(made_by) else None
    for text in (inspect.getdoc(made) if inspect.isclass(made) else None, inspect.getdoc(made_by)):
        section = re.search(r"^Parameters\n-+\n(.*?)(?:\n\n[A-Z][a-z]+\n-+\n|\Z)", text or "", re.S | re.M)
        for names, words in re.findall(
            r"^(\w[^\n]*)\n((?:[ ]+[^\n]*\n?)+)", section[1] if section else "", re.MULTILINE
        ):
            said |= dict.fromkeys(names.split(", "), " ".join(words.split()).replace("``", ""))
    for option, parameter in inspect.signature(made_by).parameters.items():
        given = parameter.default
        default = ",".join(map(str, given)) if isinstance(given, tuple | list | frozenset) else str(given)
        yield OptionRow(metric.name, option, "none" if given is None else default, said.get(option, ""))
