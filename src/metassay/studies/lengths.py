"""How long outputs are, where the data hold their texts."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from metassay.core.column import Attribute
from metassay.core.note import Note
from metassay.core.scores import Scores
from metassay.core.vote_tables import OUTPUTS
from metassay.core.votes import Votes
from metassay.errors import DataError, UnknownName, one_line
from metassay.stats.arrays import FloatArray

OUTPUT = re.compile(r"answer|output|response|summary|completion|candidate|hypothesis|prediction|generat", re.IGNORECASE)
"""How columns with texts of outputs are called."""
LONG_WORD = 20
"""Where words are longer than this on average, a script has no spaces between them, and characters are counted."""


def output_text(scores: Scores, named: str | None = None) -> Attribute | None:
    """Return the attribute with the texts of outputs: the one named, or the longest one; None if there is none."""
    if named is not None:
        if named not in scores.attributes:
            raise UnknownName("text of outputs", named, scores.attributes)
        return scores.attributes[named]
    texts = [each for each in scores.attributes.values() if _is_text(each)]
    called = [each for each in texts if OUTPUT.search(each.name)]
    # With one unnamed system the texts of inputs and of outputs differ in nothing but their names.
    found = called if not scores.has_systems else [each for each in texts if each.axis == "output"]
    found = [each for each in found if each in called] or found
    return max(found, key=lambda each: np.mean([len(text) for text in each.labels]), default=None)


def output_lengths(scores: Scores, named: str | None = None) -> tuple[FloatArray | None, str]:
    """Return the lengths of outputs, systems × inputs, and their unit; None without texts."""
    text = output_text(scores, named)
    if text is None:
        return None, ""
    lengths, unit = lengths_of(text)
    return np.broadcast_to(lengths[:, None] if text.axis == "system" else lengths, scores.shape), unit


def lengths_of(text: Attribute) -> tuple[FloatArray, str]:
    """Return lengths in the shape of an attribute, NaN where there is no text, and their unit: words or characters."""
    (sizes,), unit = _measured(text)
    return sizes, unit


def _measured(*texts: Attribute) -> tuple[list[FloatArray], str]:
    words, letters = (
        [np.array([len(part(label)) for label in text.labels], dtype=np.float64) for text in texts]
        for part in (str.split, str)
    )
    few = sum(each.sum() for each in letters) <= LONG_WORD * max(sum(each.sum() for each in words), 1)
    sizes = words if few else letters
    return [per_label(text, each) for text, each in zip(texts, sizes, strict=True)], "words" if few else "characters"


def per_label(attribute: Attribute, values: Sequence[float] | FloatArray) -> FloatArray:
    """Return values of labels in the shape of an attribute, NaN where there is none."""
    return np.asarray(np.append(np.asarray(values, dtype=np.float64), np.nan)[attribute.codes])


def without_text(data: Scores | Votes, named: str | None = None) -> list[Note]:
    """Return a note on judged outputs, or votes, of which no text is known, and so no length; none without texts."""
    if isinstance(data, Votes):
        both = both_lengths(data, named)
        missing = np.zeros(0, dtype=bool) if both is None else ~((both[0] > 0) & (both[1] > 0))
        return Note.when(missing.any(), "votes-without-text", n=int(missing.sum()), of=missing.size)
    lengths, _ = output_lengths(data, named)
    if lengths is None:
        return []
    scored = np.any([~np.isnan(data.matrix(name)) for name in data.columns], axis=0)
    missing = scored & ~(lengths > 0)
    return Note.when(missing.any(), "outputs-without-text", n=int(missing.sum()), of=int(scored.sum()))


# -- votes --------------------------------------------------------------------------------------


def sides(votes: Votes, name: str) -> tuple[Attribute, Attribute] | None:
    """Return the two columns of a feature of votes, such as ``length_a`` and ``length_b``; None if there are none."""
    for a, b in (("_a", "_b"), ("_1", "_2"), ("1", "2")):
        if name + a in votes.attributes and name + b in votes.attributes:
            return votes.attributes[name + a], votes.attributes[name + b]
    return None


def both_texts(votes: Votes, name: str | None = None) -> tuple[Attribute, Attribute] | None:
    """Return the texts of both outputs of each vote, in columns of that name or of a usual one."""
    if name is not None:
        return sides(votes, name)
    found = (pair for pair in OUTPUTS if all(side in votes.attributes for side in pair))
    return next(((votes.attributes[a], votes.attributes[b]) for a, b in found), None)


def numbers_of_both(pair: tuple[Attribute, Attribute]) -> tuple[FloatArray, FloatArray]:
    """Return two columns of votes as numbers."""
    one, other = (_as_numbers(side) for side in pair)
    return one, other


def _as_numbers(side: Attribute) -> FloatArray:
    found = numbers_of(side)
    if found is None:
        wrong = next(label for label in side.labels if not _is_number(label))
        raise DataError(f"{one_line(side.name)!r} of votes must hold numbers, got {one_line(wrong, 30)!r}")
    return found


def _is_number(label: str) -> bool:
    try:
        float(label)
    except ValueError:
        return False
    return True


def both_lengths(votes: Votes, text: str | None = None) -> tuple[FloatArray, FloatArray, str] | None:
    """Return the lengths of both outputs of each vote and their unit: columns of lengths, or texts; None without."""
    given, texts = sides(votes, "length"), both_texts(votes, text)
    if given is not None:
        return *numbers_of_both(given), "words"
    if texts is None:
        return None
    (a, b), unit = _measured(*texts)
    return a, b, unit


def numbers_of(attribute: Attribute) -> FloatArray | None:
    """Return an attribute that holds numbers as numbers in its shape; None if it holds anything else."""
    return per_label(attribute, list(map(float, attribute.labels))) if all(map(_is_number, attribute.labels)) else None


def _is_text(attribute: Attribute) -> bool:
    """Return whether labels are running texts, not categories: several words on average."""
    return bool(attribute.labels) and sum(len(label.split()) for label in attribute.labels) > 2 * len(attribute.labels)
