"""ROUGE-1 that sees only some of an output's words: a metric known to be worse, to learn how strong tests are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from metassay.core import vocabulary
from metassay.core.texts import Item, Texts
from metassay.errors import DataError, UsageError
from metassay.stats.arrays import FloatArray
from metassay.texts.scorers.rouge import MEASURES, degraded_rouge1

TREATMENTS = ("mean", "max", "jackknife", "first")
"""Ways to treat several references."""


class DamagedRouge1:
    """ROUGE-1 and copies of it that see a random share of each output's words, for `simulate_power`.

    Deutsch, Dror and Roth (2021), "A Statistical Analysis of Summarization Evaluation Metrics Using Resampling
    Methods", §5.2.

    Parameters
    ----------
    texts
        Outputs with references.
    keep
        Shares of the words that are kept, over 0 and at most 1.
    measure
        ``f1``, ``recall`` or ``precision``.
    references
        What is done with several references: ``mean`` (as in the authors' own code), ``max``, ``jackknife``, or
        ``first`` to use only the first of them.

    Examples
    --------
    >>> texts = Texts({("a", "1"): "the cat sat", ("b", "1"): "a dog"}, {"1": ("the cat sat down",)})
    >>> DamagedRouge1(texts, keep=[0.5], measure="recall").intact(["a", "b"], ["1"]).tolist()
    [[0.75], [0.0]]
    """

    kind = "words"
    """What settings are."""

    def __init__(
        self,
        texts: Texts,
        *,
        keep: str | float | Iterable[float] = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
        measure: str = "f1",
        references: str = "mean",
    ) -> None:
        if not isinstance(texts, Texts):
            raise UsageError(f"expected Texts, got {type(texts).__name__}; use metassay.read_texts")
        self.settings = tuple(sorted(vocabulary.shares("keep", keep)))
        """Shares of the words that are kept, in ascending order."""
        if not self.settings:
            raise UsageError("no share to keep given; name shares over 0 and up to 1")
        measure = vocabulary.choice("measure", measure, MEASURES)
        references = vocabulary.choice("treatment of references", references, TREATMENTS)
        first = references == "first"
        self._items = [
            item._replace(references=item.references[:1]) if first else item
            for item in texts.items()
            if item.references
        ]
        if not self._items:
            raise DataError("no output has a reference, which ROUGE-1 needs")
        self._measure = measure
        # Of one reference, the highest score is its own.
        self._references = "max" if first else references
        self.name = f"rouge-1-{measure}"
        """What the metric is called."""
        self.recipe = f"{self.name},{references}"
        """What else the scores depend on."""

    def intact(self, systems: Sequence[str], inputs: Sequence[str]) -> FloatArray:
        """Return ROUGE-1 of all words, systems × inputs; NaN where there is no text."""
        whole: FloatArray = self.damaged(1.0, systems, inputs, 1, 0)[0]
        return whole

    def damaged(
        self, setting: float, systems: Sequence[str], inputs: Sequence[str], trials: int, seed: int
    ) -> FloatArray:
        """Return ROUGE-1 of random shares of the words, (trials, systems, inputs)."""
        wanted = self._wanted(systems, inputs)
        scores = degraded_rouge1(
            wanted, setting, draws=trials, seed=seed, measure=self._measure, references=self._references
        )
        rows = {name: at for at, name in enumerate(systems)}
        columns = {name: at for at, name in enumerate(inputs)}
        out = np.full((trials, len(rows), len(columns)), np.nan)
        for values, item in zip(scores.T, wanted, strict=True):
            out[:, rows[item.system], columns[item.input]] = values
        return out

    def _wanted(self, systems: Sequence[str], inputs: Sequence[str]) -> list[Item]:
        rows, columns = set(systems), set(inputs)
        found = [item for item in self._items if item.system in rows and item.input in columns]
        if not found:
            raise DataError("texts and scores have no system and input in common; their labels must be the same")
        return found
