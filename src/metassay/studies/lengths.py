"""How long outputs are, where the data hold their texts."""

from __future__ import annotations

import re

import numpy as np

from metassay.core.column import Attribute
from metassay.core.scores import Scores
from metassay.errors import UnknownName
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
    words = np.array([len(label.split()) for label in text.labels], dtype=np.float64)
    letters = np.array([len(label) for label in text.labels], dtype=np.float64)
    unit = "words" if letters.sum() <= LONG_WORD * max(words.sum(), 1) else "characters"
    sizes = np.append(words if unit == "words" else letters, np.nan)
    return np.asarray(sizes[text.codes]), unit


def numbers_of(attribute: Attribute) -> FloatArray | None:
    """Return an attribute that holds numbers as numbers in its shape; None if it holds anything else."""
    try:
        values = [float(label) for label in attribute.labels]
    except ValueError:
        return None
    return np.asarray(np.append(values, np.nan)[attribute.codes])


def _is_text(attribute: Attribute) -> bool:
    """Return whether labels are running texts, not categories: several words on average."""
    return bool(attribute.labels) and sum(len(label.split()) for label in attribute.labels) > 2 * len(attribute.labels)
