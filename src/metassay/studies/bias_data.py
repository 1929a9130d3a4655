"""What may sway a judge, read off scores or votes: judgments, what people say of the same outputs, and features."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metassay.core.column import Attribute
from metassay.core.groups import assign_names
from metassay.core.scores import Scores
from metassay.core.votes import UNKNOWN, Votes
from metassay.errors import UnknownName, UsageError, one_line
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.ranges import same_range
from metassay.studies.lengths import (
    both_lengths,
    both_texts,
    lengths_of,
    numbers_of,
    numbers_of_both,
    output_text,
    per_label,
    sides,
)

Labels = Mapping[str, str]
MARKS: Mapping[str, re.Pattern[str]] = {
    "with a list": re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+\S", re.MULTILINE),
    "with bold text": re.compile(r"\*\*\S|__\S"),
    "with headings": re.compile(r"^#{1,6} ", re.MULTILINE),
}
"""What a text may look like, and how that is seen."""
RARE = 0.02
"""Marks that fewer outputs have, or lack, are passed over."""
MOST_CATEGORIES = 12
"""An attribute with more values than this is no category."""


class Feature(NamedTuple):
    """Something that an output has, or has more of than the other one."""

    bias: str
    """``position``, ``length``, ``family`` or ``style``."""
    name: str
    """What an output is that has one unit more, such as ``twice as long``."""
    values: FloatArray
    """How much of it each judged output has; in votes, how much more the first one has, (n,)."""
    beside: tuple[FloatArray, ...] = ()
    """What is held fixed beside people."""


@dataclass(frozen=True, eq=False)
class Judgments:
    """What one judge says of outputs, or of pairs of them, and what people say of the same."""

    judge: str
    """The judge."""
    human: str | None
    """The human criterion, or ``people``; None if nobody judged."""
    outcome: FloatArray
    """Scores of the judge; in votes 1 if the first output won, ½ for a tie, (n,)."""
    people: FloatArray
    """The same of people, NaN where nobody judged, (n,)."""
    groups: IntArray | None
    """Inputs with an effect of their own each; None in votes, where both outputs share their input."""
    clusters: IntArray
    """What errors are clustered by: inputs, or clusters of them."""
    held: str
    """How people are held fixed: ``difference``, ``covariate`` or ``nothing``."""
    unit: str
    """``points`` of the judge's scale, or ``share`` (of passes, or of wins)."""
    features: tuple[Feature, ...]
    """The possible bias of the judge."""
    inputs: tuple[str, ...] = ()
    """The key of each judged pair, in votes."""
    first: FloatArray | None = None
    """In votes, ½ if the first output was shown first, −½ if the second was, NaN if nobody knows."""
    turned: tuple[bool, ...] = ()
    """In votes, whether the two outputs stand in the other order than in the key."""


# -- scores -------------------------------------------------------------------------------------


def of_scores(
    scores: Scores,
    judges: Sequence[str],
    humans: Sequence[str],
    *,
    style: Sequence[str],
    text: str | None,
    own: Labels,
    hold: str | None,
) -> Iterator[Judgments]:
    """Yield the judgments of each judge with the human criterion that it is called after, or else with each one.

    Criteria on its scale come before others, which are covariates.
    """
    shared = _features_of_scores(scores, style, text)
    inputs = np.arange(len(scores.inputs))
    clusters = scores.input_units()
    where = (np.broadcast_to(each, scores.shape).ravel() for each in (inputs, clusters))
    at_input, at_cluster = (np.asarray(each) for each in where)
    for judge in judges:
        values = scores.matrix(judge).ravel()
        about = [human for human in humans if _is_about(judge, human)] or humans
        alike = [human for human in about if same_scale(scores, judge, human)]
        for human in alike or about or (None,):
            people = np.full(values.shape, np.nan) if human is None else scores.matrix(human).ravel()
            held = "nothing" if human is None else hold or ("difference" if human in alike else "covariate")
            kept = ~np.isnan(values) & (~np.isnan(people) | (held == "nothing"))
            family = _own_family(judge, own, scores.families, scores.systems)
            features = list(shared)
            if family is not None:
                mine = np.array([scores.families.get(s, s) == family for s in scores.systems], dtype=np.float64)
                name = f"of its own family ({family})"
                features.append(Feature("family", name, np.repeat(mine, len(scores.inputs))))
            yield Judgments(
                judge,
                human,
                values[kept],
                people[kept],
                at_input[kept],
                at_cluster[kept],
                held,
                "share" if scores[judge].scale.kind == "binary" else "points",
                tuple(f._replace(values=f.values[kept], beside=tuple(b[kept] for b in f.beside)) for f in features),
            )


def _is_about(judge: str, human: str) -> bool:
    """Return whether a judge is called after a criterion, as ``predicted_coherence`` is."""
    return re.search(rf"(?<![a-z0-9]){re.escape(human.casefold())}(?![a-z0-9])", judge.casefold()) is not None


def same_scale(scores: Scores, judge: str, human: str) -> bool:
    """Return whether the scores of a judge and of people can be subtracted from each other."""
    one, other = scores[judge], scores[human]
    if one.lower_is_better != other.lower_is_better or (one.scale.kind == "binary") != (other.scale.kind == "binary"):
        return False
    if one.scale.labels or other.scale.labels:
        return one.scale.labels == other.scale.labels
    return same_range(one.values, other.values)


def _features_of_scores(scores: Scores, style: Sequence[str], text: str | None) -> list[Feature]:
    found: list[Feature] = []
    size: tuple[FloatArray, ...] = ()
    attribute = output_text(scores, text)
    if attribute is not None:
        lengths, unit = lengths_of(attribute)
        found += _of_lengths(_spread(attribute, lengths, scores).ravel(), None, unit)
        size = (found[0].values,)
        for name, seen in _marks(attribute.labels):
            found.append(Feature("style", name, _spread(attribute, per_label(attribute, seen), scores).ravel(), size))
    for name in style:
        if name in scores.columns:
            found += _numbers(name, scores.matrix(name).ravel(), size)
        elif name in scores.attributes:
            each = scores.attributes[name]
            for label, values in _styled(name, each):
                found.append(Feature("style", label, _spread(each, values, scores).ravel(), size))
        else:
            raise UnknownName("style", name, [*scores.attributes, *scores.columns])
    return found


def _spread(attribute: Attribute, values: FloatArray, scores: Scores) -> FloatArray:
    """Return values in the shape of an attribute as systems × inputs."""
    return np.broadcast_to(values[:, None] if attribute.axis == "system" else values, scores.shape)


# -- votes --------------------------------------------------------------------------------------


def of_votes(
    votes: Votes,
    judges: Sequence[str],
    humans: Sequence[str],
    *,
    style: Sequence[str],
    text: str | None,
    own: Labels,
    families: Labels,
) -> Iterator[Judgments]:
    """Yield the votes of each judge with what people say of the same pairs."""
    said = _people(votes.of(humans)) if humans else {}
    for judge in judges:
        mine = votes.of(judge)
        people = np.array([said.get(key, np.nan) for key in _keys(mine)])
        known = bool((~np.isnan(people)).any())
        first = np.where(mine.first == UNKNOWN, np.nan, 0.5 - mine.first)
        beside = () if np.isnan(first).any() or not len(np.unique(first)) > 1 else (first,)
        features = [] if np.isnan(first).all() else [Feature("position", "shown first", first)]
        features += [f._replace(beside=(*f.beside, *beside)) for f in _features_of_votes(mine, style, text)]
        family = _own_family(judge, own, families, mine.systems)
        if family is not None:
            has = np.array([families.get(s, s) == family for s in mine.systems], dtype=np.float64)
            features.append(Feature("family", f"of its own family ({family})", has[mine.a] - has[mine.b], beside))
        yield Judgments(
            judge,
            "people" if known else None,
            mine.outcome,
            people,
            None,
            np.asarray(mine.input),
            "difference" if known else "nothing",
            "share",
            tuple(features),
            tuple("\0".join(map(str, (key[0], *sorted(key[1:])))) for key in _keys(mine)),
            first,
            tuple(bool(a > b) for _, a, b in _keys(mine)),
        )


def _keys(votes: Votes) -> list[tuple[int, int, int]]:
    return list(zip(votes.input.tolist(), votes.a.tolist(), votes.b.tolist(), strict=True))


def _people(votes: Votes) -> dict[tuple[int, int, int], float]:
    """Return people's share for A of each input and ordered pair."""
    sums: dict[tuple[int, int, int], list[float]] = {}
    for (at, a, b), share in zip(_keys(votes), votes.outcome.tolist(), strict=True):
        sums.setdefault((at, a, b), []).append(share)
        sums.setdefault((at, b, a), []).append(1 - share)
    return {key: float(np.mean(shares)) for key, shares in sums.items()}


def _features_of_votes(votes: Votes, style: Sequence[str], text: str | None) -> list[Feature]:
    found: list[Feature] = []
    size: tuple[FloatArray, ...] = ()
    texts = both_texts(votes, text)
    if text is not None and texts is None:
        raise _unpaired(votes, text)
    if (measured := both_lengths(votes, text)) is not None:
        found += _of_lengths(*measured)
        size = (found[0].values,)
    for name in dict(_marks([label for each in texts for label in each.labels])) if texts is not None else ():
        a, b = (per_label(each, [bool(MARKS[name].search(label)) for label in each.labels]) for each in texts or ())
        found.append(Feature("style", name, a - b, size))
    for name in style:
        if (pair := sides(votes, name)) is None:
            raise _unpaired(votes, name)
        one, other = numbers_of_both(pair)
        found += _numbers(name, one - other, size)
    return found


def _unpaired(votes: Votes, name: str) -> UnknownName:
    return UnknownName("columns NAME_a and NAME_b of votes:", name, list(votes.attributes))


# -- features -----------------------------------------------------------------------------------


def _of_lengths(a: FloatArray, b: FloatArray | None, unit: str) -> list[Feature]:
    """Return how much longer outputs are: by what factor, and by how many words."""
    typical = float(np.nanmedian(a)) if (~np.isnan(a)).any() else 1.0
    step = (100 if typical >= 100 else 10) * (1 if unit == "words" else 5)
    with np.errstate(divide="ignore", invalid="ignore"):
        doubled = np.log2(a) if b is None else np.log2(a) - np.log2(b)
    doubled = np.where(np.isfinite(doubled), doubled, np.nan)
    plain = (a if b is None else a - b) / step
    return [Feature("length", "twice as long", doubled), Feature("length", f"with {step} more {unit}", plain)]


def _marks(texts: Sequence[str]) -> Iterator[tuple[str, list[bool]]]:
    """Yield marks that some texts have and others lack."""
    for name, mark in MARKS.items():
        seen = [bool(mark.search(text)) for text in texts]
        if RARE <= np.mean(seen or [False]) <= 1 - RARE:
            yield name, seen


def _styled(name: str, attribute: Attribute) -> Iterator[tuple[str, FloatArray]]:
    """Yield what an attribute is as features: numbers by their standard deviation, categories one by one."""
    numbers = numbers_of(attribute)
    if numbers is not None:
        for feature in _numbers(name, numbers, ()):
            yield feature.name, feature.values
        return
    if len(attribute.labels) > MOST_CATEGORIES:
        raise UsageError(
            f"the style {one_line(name)!r} has {len(attribute.labels)} values; at most {MOST_CATEGORIES} are categories"
        )
    for at, label in enumerate(attribute.labels):
        yield f"with {name} {one_line(label, 30)}", np.where(attribute.codes < 0, np.nan, attribute.codes == at)


def _numbers(name: str, values: FloatArray, beside: tuple[FloatArray, ...]) -> list[Feature]:
    """Return a number as a feature: 0 and 1 as they are, others in standard deviations."""
    known = values[~np.isnan(values)]
    if set(np.unique(known)) <= {-1.0, 0.0, 1.0}:
        return [Feature("style", f"with {name}", values, beside)]
    spread = float(known.std()) or 1.0
    return [Feature("style", f"with {spread:.3g} more {name} (1 SD)", values / spread, beside)]


def _own_family(judge: str, own: Labels, families: Labels, systems: Sequence[str]) -> str | None:
    """Return the family of systems that a judge belongs to: the one said, or the one that its name tells."""
    if judge in own:
        return own[judge]
    known = sorted(set(families.values()) or set(systems), key=len, reverse=True)
    return next((name for name in known if len(name) > 2 and name.casefold() in judge.casefold()), None)


def families_of_votes(votes: Votes, given: Labels | Iterable[str] | str | None) -> dict[str, str]:
    """Return the family of each system, by patterns ``FAMILY=PATTERN``."""
    if given is None:
        return {}
    return assign_names(votes.systems, (given,) if isinstance(given, str) else given, "system")
