"""From a result to its tables: one module per study, named like it, and one for all that have none of their own.

A view is a function of that module from a result to tables, declared of ``columns``. Before all tables stands the
answer in words: what its ``lead`` returns, paragraphs of notes, or else what ``words.answers`` says of it and the notes
that weigh as answers. A view that is shown alone may have an answer of its own, in ``LEADS``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.study import Makers
from metassay.errors import one_line
from metassay.report.table import Page, Table

VIEWS = Makers(__name__, "default", "lead")
"""The views of each study. Which of them a result shows if nobody chooses says ``default`` of its module, else it is
the first; ``rows``, every field of every row, is always there beside them."""


def names_of(study: str) -> tuple[str, ...]:
    """Return the names of the views that a study has."""
    return (*VIEWS.get(study, ()), "rows")


def page(result: Result, view: str | Iterable[str] | None = None) -> Page:
    """Return all that a result shows.

    Parameters
    ----------
    result
        The result of any study.
    view
        Names of views, or a comma list of them; by default those that suit the size of the result.
    """
    # Help lists views without these.
    from metassay.report.notes import is_answer, merged, paragraph, paragraphs, sentences
    from metassay.report.words import answers

    if result.study == "slices":
        from metassay.report.views.slices import page_of_slices

        return page_of_slices(result, view)  # type: ignore[arg-type]
    known = names_of(result.study)
    if view is not None:
        chosen = vocabulary.choices("view", view, known)
    else:
        default = _maker(result.study, "default") if result.study in VIEWS else None
        chosen = known[:1] if default is None else default(result)
    told = _maker(result.study, "lead") if result.study in VIEWS else None
    if told is not None:
        groups: Sequence[Sequence[Note]] = told(result)
        first = {note for group in groups for note in group}
        lead = tuple(paragraph(*merged(group)) for group in groups)
    else:
        first = set(filter(is_answer, result.notes))
        lead = (*answers(result), *paragraphs(filter(is_answer, result.notes)))
    made = {name: _tables(result, name) for name in chosen}
    module = import_module(_module(result.study)) if result.study in VIEWS else None
    needs, leads = getattr(module, "NEEDS", {}), getattr(module, "LEADS", {})
    if len(chosen) == 1 and chosen[0] in leads and made[chosen[0]]:
        lead = tuple(leads[chosen[0]](result))
    said = {sentence for each in lead for sentence in each.sentences}
    empty = tuple(
        f"The view {name} is empty: it needs {needs[name]}." for name in made if name in needs and not made[name]
    )
    return Page(
        result.study,
        tuple(dict.fromkeys(table for tables in made.values() for table in tables)),
        (*empty, *(line for line in sentences(note for note in result.notes if note not in first) if line not in said)),
        one_line(result.signature, 1000),
        lead,
        asked=view is not None,
    )


def _tables(result: Result, view: str) -> tuple[Table, ...]:
    maker = _maker("generic" if view == "rows" else result.study, view)
    assert maker is not None, view
    found: tuple[Table, ...] = maker(result)
    return found


def _module(study: str) -> str:
    return f"metassay.report.views.{study.replace('-', '_')}"


def _maker(study: str, name: str) -> Callable[[Any], Any] | None:
    """Return a function of a study's module; one that is named like something else ends in ``_``."""
    module = import_module(_module(study))
    maker: Callable[[Any], Any] | None = getattr(module, f"{name}_", None) or getattr(module, name, None)
    return maker
