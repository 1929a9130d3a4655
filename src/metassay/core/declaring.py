"""What people say about scores that are already there: scales, clusters, families, and which part to take."""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from metassay.core import scales, vocabulary
from metassay.core.column import Attribute, Column
from metassay.core.scales import Scale, Scales
from metassay.core.scores import Scores
from metassay.core.votes import Votes
from metassay.errors import DataError, UnknownName, UsageError, listed, one_line
from metassay.stats.arrays import BoolArray, FloatArray


def rescaled(columns: Mapping[str, Column], given: Scales | None) -> dict[str, Column]:
    """Return the columns with scales by name or glob; columns that share labels share their order."""
    found = dict(columns)
    declared: set[str] = set()
    for pattern, scale in scales.parse_all(given).items():
        hits = [pattern] if pattern in columns else fnmatch.filter(columns, pattern)
        if not hits:
            raise UnknownName("column", pattern, columns)
        declared.update(hits)
        for name in hits:
            found[name] = _on(columns[name], scale)
        for name, column in found.items():
            if name not in declared and set(column.scale.labels) & set(found[hits[0]].scale.labels):
                found[name] = _alike(column, found[hits[0]].scale)
    return found


def _on(column: Column, scale: Scale) -> Column:
    """Return a column on a declared scale; what it does not know is an error."""
    used = column.scale.labels
    name = repr(one_line(column.name))
    if not scale.labels:
        if scale.kind == "interval" and used:
            raise UsageError(
                f"{name} holds labels ({listed(used, 5)}) and no numbers; order them with ordinal:LOW<HIGH"
            )
        if not used or scale.kind == "nominal" or column.scale.kind == scale.kind:
            return replace(column, scale=Scale(scale.kind, used))
        if all(label.lstrip("+-").replace(".", "", 1).isdigit() for label in used):
            scale = Scale(scale.kind, tuple(sorted(used, key=float)))
        else:
            raise UsageError(f"give the order of the labels of {name}, as in {scale.kind}:{'<'.join(sorted(used)[:5])}")
    every = np.unique(column.values[~np.isnan(column.values)]).tolist()
    # Labels that only other columns use need no place on this scale.
    there = [used[int(code)] for code in every] if used else [plain_number(value) for value in every]
    where = {scales.fold(label): at for at, label in enumerate(scale.labels)}
    # Answers that are no verdict are missing on a scale that does not name them.
    lost = [label for label in there if scales.fold(label) not in where]
    unknown = [label for label in lost if not used or scale.kind == "nominal" or not scales.NO_ANSWER.fullmatch(label)]
    if unknown:
        raise UnknownName(f"label in {name}:", unknown[0], scale.labels)
    codes = [np.nan if label in lost else where.get(scales.fold(label), 0) for label in used or there]
    return _recoded(column, codes, scale)


def _alike(column: Column, scale: Scale) -> Column:
    """Return a column whose labels have the codes that they have on a scale; further labels come after those."""
    extra = [label for label in column.scale.labels if label not in scale.labels]
    labels = (*scale.labels, *extra)
    if scale.ordered and all(scales.NO_ANSWER.fullmatch(label) for label in extra):
        labels, extra = scale.labels, []
    codes = [labels.index(label) if label in labels else np.nan for label in column.scale.labels]
    return _recoded(column, codes, Scale("nominal", labels) if extra else scale)


def _recoded(column: Column, codes: Sequence[float], scale: Scale) -> Column:
    if column.scale.labels:
        at = np.where(np.isnan(column.values), len(codes), column.values).astype(np.int64)
    else:
        known = ~np.isnan(column.values)
        every = np.unique(column.values[known])
        at = np.where(known, np.searchsorted(every, np.where(known, column.values, 0)), len(codes))
    return replace(column, values=np.array([*codes, np.nan])[at], scale=scale)


def encoded(arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, tuple[FloatArray, Scale]]:
    """Return the arrays that hold labels as codes and scales; those that share a label share their codes."""
    worded = {
        name: np.array([_label(one) for one in array.ravel().tolist()], dtype=object).reshape(array.shape)
        for name, array in arrays.items()
        if array.dtype.kind in "UO" and any(isinstance(one, str) for one in array.ravel().tolist())
    }
    counts = {name: Counter(one for one in array.ravel() if one is not None) for name, array in worded.items()}
    found = {}
    for names in scales.sharing(counts):
        spelling = scales.merged(sum((counts[name] for name in names), Counter[str]()))
        guessed = scales.guess_each({name: {spelling[text] for text in counts[name]} for name in names})
        for name, scale in guessed.items():
            place = {label: float(at) for at, label in enumerate(scale.labels)}
            code = {text: place.get(label, np.nan) for text, label in spelling.items()} | {None: np.nan}
            codes = np.array([code[one] for one in worded[name].ravel()], dtype=np.float64)
            found[name] = (codes.reshape(worded[name].shape), scale)
    return found


def _label(value: object) -> str | None:
    """Return a label as text; None for what is missing."""
    if value is None or value != value or value == "":
        return None
    if isinstance(value, bool):
        return str(value).lower()
    return plain_number(float(value)) if isinstance(value, int | float) else str(value)


def plain_number(value: float) -> str:
    """Return a number as people write it as a label: 3 and not 3.0."""
    return str(int(value)) if value == int(value) else repr(value)


def texts_by(scores: Scores, name: str, axis: str) -> dict[str, str]:
    """Return the text that an attribute gives to each input, or to each system."""
    if name not in scores.attributes:
        known = [each.name for each in scores.attributes.values() if each.axis == axis]
        raise UnknownName(f"attribute of {axis}s", name, known)
    attribute = scores.attributes[name]
    labels = scores.inputs if axis == "input" else scores.systems
    texts = attribute.texts()
    if attribute.axis != axis:
        if attribute.axis == "output" or len(scores.systems if axis == "input" else scores.inputs) > 1:
            raise DataError(f"{one_line(name)!r} differs within one {axis}, so it cannot group {axis}s")
        texts = np.repeat(texts, len(labels))
    return {label: text for label, text in zip(labels, texts.tolist(), strict=True) if text is not None}


def families_of(scores: Scores, given: str | Mapping[str, str] | Iterable[str]) -> dict[str, str]:
    """Return the family of each system: by an attribute's name, or by patterns ``FAMILY=PATTERN``."""
    from metassay.core.groups import assign_names

    if isinstance(given, str):
        given = (given,)
    if not isinstance(given, Mapping):
        texts = tuple(given)
        if len(texts) == 1 and "=" not in texts[0]:
            return texts_by(scores, texts[0], "system")
        given = texts
    return assign_names(scores.systems, given, "system")


def selected(scores: Scores, select: str | Iterable[str] = (), drop_systems: str | Iterable[str] = ()) -> Scores:
    """Return a part of the scores.

    Parameters
    ----------
    scores
        The scores.
    select
        Texts such as ``systems=gpt-*``, ``inputs=faq-*`` or ``category=faq,billing``: names, globs or comma lists of
        systems, inputs or values of an attribute. All of them must hold.
    drop_systems
        Names or globs of systems to leave out.
    """
    for what, patterns in vocabulary.selections("select", select):
        if what in ("systems", "system"):
            scores = scores.select(systems=_matching("system", patterns, scores.systems))
        elif what in ("inputs", "input"):
            scores = scores.select(inputs=_matching("input", patterns, scores.inputs))
        elif what in scores.attributes:
            scores = _where(scores, scores.attributes[what], patterns)
        else:
            raise UnknownName("part to select by:", what, ("systems", "inputs", *scores.attributes))
    if drop_systems:
        scores = scores.select(systems=_without(scores.systems, drop_systems))
    return scores


def selected_votes(votes: Votes, select: str | Iterable[str] = (), drop_systems: str | Iterable[str] = ()) -> Votes:
    """Return a part of the votes, named as in :func:`selected`; ``raters=PATTERN`` is known, too."""
    kept = np.ones(len(votes), dtype=bool)
    if drop_systems:
        left = np.isin(votes.systems, _without(votes.systems, drop_systems))
        kept &= left[votes.a] & left[votes.b]
    for what, patterns in vocabulary.selections("select", select):
        if what in ("systems", "system"):
            wanted = np.isin(votes.systems, _matching("system", patterns, votes.systems))
            kept &= wanted[votes.a] & wanted[votes.b]
        elif what in ("inputs", "input"):
            kept &= np.isin(votes.inputs, _matching("input", patterns, votes.inputs))[votes.input]
        elif what in ("raters", "rater"):
            kept &= np.isin(votes.raters, _matching("rater", patterns, votes.raters))[votes.rater]
        elif what in votes.attributes:
            own = votes.attributes[what]
            kept &= np.isin(own.codes, np.flatnonzero(np.isin(own.labels, _matching(what, patterns, own.labels))))
        else:
            raise UnknownName("part to select by:", what, ("systems", "inputs", "raters", *votes.attributes))
    if not kept.any():
        raise DataError("no vote is left; select more of them")
    return votes if kept.all() else votes.where(kept).used()


def _without(systems: Iterable[str], drop: str | Iterable[str]) -> list[str]:
    texts = (drop,) if isinstance(drop, str) else tuple(drop)
    every = list(systems)
    gone = {system for text in texts for system in _matching("system", text, every)}
    kept = [system for system in every if system not in gone]
    if not kept:
        raise DataError("no system is left; drop fewer of them")
    return kept


def _matching(what: str, patterns: str, names: Iterable[str]) -> list[str]:
    every = list(names)
    found: dict[str, None] = {}
    for pattern in (patterns,) if patterns in every else vocabulary.names(patterns):
        hits = [pattern] if pattern in every else [name for name in every if fnmatch.fnmatchcase(name, pattern)]
        if not hits:
            raise UnknownName(what, pattern, every)
        found.update(dict.fromkeys(hits))
    return [name for name in every if name in found]


def _where(scores: Scores, attribute: Attribute, patterns: str) -> Scores:
    wanted = {attribute.labels.index(label) for label in _matching(attribute.name, patterns, attribute.labels)}
    return part_of(scores, attribute.axis, np.isin(attribute.codes, list(wanted)))


def part_of(scores: Scores, axis: str, keep: BoolArray) -> Scores:
    """Return some inputs, some systems, or some outputs (systems × inputs) with the systems and inputs they have."""
    if axis == "output":
        columns = {n: replace(c, values=np.where(keep, c.values, np.nan)) for n, c in scores.columns.items()}
        scores = replace(scores, columns=columns)
        systems, inputs = np.asarray(keep.any(axis=1)), np.asarray(keep.any(axis=0))
    else:
        every = np.ones(max(scores.shape), dtype=bool)
        systems = keep if axis == "system" else every[: scores.shape[0]]
        inputs = keep if axis == "input" else every[: scores.shape[1]]
    return scores.select(
        systems=[label for label, ok in zip(scores.systems, systems.tolist(), strict=True) if ok],
        inputs=[label for label, ok in zip(scores.inputs, inputs.tolist(), strict=True) if ok],
    )
