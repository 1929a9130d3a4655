"""Several tasks of one study: language pairs, domains, data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from metassay.core.options import Names
from metassay.core.scores import Scores
from metassay.core.vocabulary import names
from metassay.errors import DataError, UnknownName, UsageError, one_line


def split(scores: Scores | Mapping[str, Scores], by: str | None) -> dict[str, Scores]:
    """Return scores by task: those given, those of each language, or those of the inputs that a text sorts.

    Parameters
    ----------
    scores
        Scores, or scores by task.
    by
        ``language``, or an attribute of inputs; None if all inputs are one task, which has no name.
    """
    if isinstance(scores, Mapping):
        if by is not None:
            raise UsageError("by cannot be used where scores are given by task")
        for task, own in scores.items():
            if not isinstance(own, Scores):
                raise UsageError(f"expected Scores under {one_line(task)!r}, got {type(own).__name__}")
        if not scores:
            raise DataError("there are no tasks")
        return {str(task): own for task, own in scores.items()}
    if by is None:
        return {"": scores}
    spoken = dict.fromkeys(label for column in scores.columns.values() for label in column.labels("language"))
    if by == "language" and spoken:
        return {label: _known(scores.select(language=label)) for label in spoken if label}
    known = [name for name, each in scores.attributes.items() if each.axis == "input"]
    if by not in known:
        raise UnknownName("column of tasks", by, (*known, *(["language"] if spoken else [])))
    texts = scores.attributes[by].texts().tolist()
    parts: dict[str, list[str]] = {}
    for label, text in zip(scores.inputs, texts, strict=True):
        if text is not None:
            parts.setdefault(text, []).append(label)
    return {text: _known(_without_system_scores(scores.select(inputs=own))) for text, own in sorted(parts.items())}


def _known(scores: Scores) -> Scores:
    """Return the systems and inputs that have any score; all of them if none has."""
    known = np.zeros(scores.shape, dtype=bool)
    for column in scores.columns.values():
        known |= ~np.isnan(column.values).all(axis=tuple(range(column.values.ndim - 2)))
    systems, inputs = (np.flatnonzero(known.any(axis=axis) | ~known.any()) for axis in (1, 0))
    return scores.select(systems=[scores.systems[at] for at in systems], inputs=[scores.inputs[at] for at in inputs])


def _without_system_scores(scores: Scores) -> Scores:
    """Return scores without those of whole systems, which are about all inputs and not about one part of them."""
    columns = {name: replace(column, system_scores=None) for name, column in scores.columns.items()}
    return replace(scores, columns=columns)


def named_in(tasks: Mapping[str, Scores], wanted: Names | None, what: str, *, missing_ok: bool = False) -> list[str]:
    """Return the columns of some tasks that names or globs stand for; what no task has is an error.

    Without names, all human criteria.
    """
    if wanted is None:
        found = dict.fromkeys(name for scores in tasks.values() for name in scores.humans)
        if not found:
            next(iter(tasks.values())).find_humans(None)
        return list(found)
    chosen: dict[str, None] = {}
    every = dict.fromkeys(name for scores in tasks.values() for name in scores.columns)
    texts = [wanted] if isinstance(wanted, str) else list(wanted)
    for pattern in (part for text in texts for part in ([text] if text in every else names(text))):
        hits: dict[str, None] = {}
        for scores in tasks.values():
            try:
                hits.update(dict.fromkeys(scores.find(pattern, what)))
            except UnknownName:
                continue
        if not hits and not missing_ok:
            raise UnknownName(what, pattern, dict.fromkeys(n for scores in tasks.values() for n in scores.nameable))
        chosen.update(hits)
    return list(chosen)
