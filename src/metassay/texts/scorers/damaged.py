"""ROUGE-1 that sees only some of an output's words: a metric known to be worse, to learn how strong tests are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from metassay import engine
from metassay.core import vocabulary
from metassay.core.texts import Item, Texts
from metassay.errors import DataError, UsageError
from metassay.stats import draws as random_draws
from metassay.stats.arrays import FloatArray
from metassay.texts.scorers.rouge import Rouge
from metassay.texts.scorers.rouge_counts import MEASURES, REFERENCES, Counts, measures_of
from metassay.texts.scorers.scoring import settled

TREATMENTS = (*REFERENCES, "first")
"""Ways to treat several references."""
_FEW = 16
"""Words of a kind up to which a coin each is tossed sooner than a hypergeometric number is drawn."""


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
        What is done with several references: ``average`` (as in the authors' own code), another treatment that
        `Rouge` knows, or ``first`` to use only the first of them.

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
        references: str = "average",
    ) -> None:
        self.settings = tuple(sorted(vocabulary.shares("keep", keep)))
        """Shares of the words that are kept, in ascending order."""
        if not self.settings:
            raise UsageError("no share to keep given; name shares over 0 and up to 1")
        measure = vocabulary.choice("measure", measure, MEASURES)
        references = vocabulary.choice("treatment of references", references, TREATMENTS)
        first = references == "first"
        self._items = [item for item in settled(texts, 1 if first else None).items() if item.references]
        if not self._items:
            raise DataError("no output has a reference, which ROUGE-1 needs")
        self._measure = measure
        # Of one reference, the highest score is its own.
        self._references = "best" if first else references
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


def degraded_rouge1(
    items: Sequence[Item],
    share: float,
    *,
    draws: int = 1,
    seed: int = 0,
    measure: str = "f1",
    stem: str = "porter",
    tokens: str = "rouge",
    references: str = "best",
    wordnet: str | Path | None = None,
    threads: int | None = None,
) -> FloatArray:
    """Score outputs by ROUGE-1 of a random part of their words: a metric that is known to be worse than ROUGE-1.

    Deutsch, Dror and Roth (2021), A statistical analysis of summarization evaluation metrics using resampling
    methods, §5.2. No text is cut for it. Words that the reference has at least as often as the output all match when
    drawn, so how many of them are drawn is one hypergeometric number; each other word needs one of its own.

    Parameters
    ----------
    items
        What is scored.
    share
        The share of each output's words that is kept, over 0 and at most 1; the number of words is rounded, and at
        least one is kept.
    draws
        How many times to draw.
    seed
        The seed; draws of an item depend on the seed and its place among the items only.
    measure
        ``precision``, ``recall`` or ``f1``.
    stem, tokens, references, wordnet
        As for `Rouge`.
    threads
        How many threads to use; all processors by default.

    Returns
    -------
    FloatArray
        Scores of shape (draws, items), NaN where ROUGE-1 is undefined.

    Examples
    --------
    >>> item = Item("a", "1", "the cat sat", ("the cats sat down",), None)
    >>> degraded_rouge1([item], 0.66, draws=2, measure="recall").tolist()
    [[0.5], [0.5]]
    """
    share = vocabulary.shares("share", share)[0]
    draws = vocabulary.count("draws", draws)
    seed = vocabulary.seed(seed)
    column = MEASURES.index(vocabulary.choice("measure", measure, MEASURES))
    batch = Rouge("1", stem=stem, tokens=tokens, references=references, wordnet=wordnet).batch_of(items)
    mine: list[list[int]] = [[] for _ in items]
    for item, reference in batch.pairs:
        mine[item].append(reference)
    out = np.full((draws, len(items)), np.nan)

    def work(item: int) -> None:
        if not mine[item]:
            return
        words = batch.outputs[item].words
        others = [batch.references[r].words for r in mine[item]]
        kinds = _kinds(Counter(words), [Counter(other) for other in others])
        lengths = np.array([len(other) for other in others], dtype=np.float64)
        kept = max(1, math.floor(len(words) * share + 0.5)) if words else 0
        for page in range(-(-draws // random_draws.PAGE)):
            random = random_draws.stream(seed, random_draws.WORDS, item, page)
            hits = _drawn_hits(random, kinds, len(words), kept, len(others), random_draws.PAGE)
            counts = Counts.of(hits.ravel(), np.full(hits.size, float(kept)), np.tile(lengths, random_draws.PAGE))
            if len(others) == 1:
                scores = measures_of(counts.hits, counts.of_output, counts.of_reference, 1.0)
            else:
                owner = np.repeat(np.arange(random_draws.PAGE), len(others))
                scores = counts.measures(owner, random_draws.PAGE, references, 1.0)
            start = page * random_draws.PAGE
            out[start : start + random_draws.PAGE, item] = scores[: draws - start, column]

    engine.run(work, len(items), threads=threads, what="degraded ROUGE-1")
    return out


def _kinds(words: Mapping[int, int], references: Sequence[Mapping[int, int]]) -> list[tuple[int, tuple[int, ...]]]:
    """Return kinds of words of an output: how many there are, and how many can match in each reference.

    Words that the references have at least as often as the output, or not at all, make one kind for each set of
    references that have them; a word that some reference has less often is a kind of its own.
    """
    alike: dict[tuple[bool, ...], int] = {}
    kinds = []
    for word, count in words.items():
        found = tuple(reference.get(word, 0) for reference in references)
        if all(f == 0 or f >= count for f in found):
            has = tuple(f > 0 for f in found)
            alike[has] = alike.get(has, 0) + count
        else:
            kinds.append((count, found))
    return kinds + [(size, tuple(size * h for h in has)) for has, size in alike.items() if any(has)]


def _drawn_hits(
    random: np.random.Generator,
    kinds: Sequence[tuple[int, tuple[int, ...]]],
    words: int,
    kept: int,
    references: int,
    draws: int,
) -> FloatArray:
    """Return matches with each reference when `kept` of the words are drawn, (draws, references)."""
    hits = np.zeros((draws, references))
    left = np.full(draws, kept)
    for size, most in kinds:
        if size > _FEW:
            drawn = random.hypergeometric(size, words - size, left)
            left -= drawn
        else:
            # One coin per word is the same number, and sooner tossed when words are few.
            drawn = np.zeros(draws, dtype=np.int64)
            for number, coin in enumerate(random.random((size, draws))):
                taken = coin * (words - number) < left
                drawn += taken
                left -= taken
        words -= size
        for column, limit in enumerate(most):
            if limit:
                hits[:, column] += np.minimum(drawn, limit) if limit < size else drawn
    return hits
