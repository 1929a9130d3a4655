"""CIDEr: cosine of n-grams weighed by how few inputs have them in their references.

Vedantam, Zitnick and Parikh (2015), CIDEr: Consensus-based Image Description Evaluation, equations 1 to 3, and the
variant CIDEr-D of its appendix as the COCO captioning evaluation computes it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.core.vocabulary import count, positive
from metassay.stats.arrays import FloatArray
from metassay.texts.scorers.base import digest, one_of, option
from metassay.texts.scorers.tokens import STEM, TOKENS, Words, WordScorer, ngrams

VARIANTS = ("d", "plain")


class _Vector(NamedTuple):
    """A text as CIDEr sees it."""

    weights: list[dict[tuple[int, ...], float]]
    """Weights of its n-grams, for each n."""
    norms: list[float]
    """The lengths of these vectors."""
    length: int
    """How long the text is: in bigrams, as COCO's evaluation measures it."""


@dataclass(frozen=True, slots=True)
class _Collection:
    """What was learnt from the references of a collection."""

    inputs: int
    """How many inputs have references."""
    digest: str
    """Stands for the references."""
    words: Words
    """Numbers of words."""
    rarity: Mapping[tuple[int, ...], float]
    """For each n-gram of the references, the logarithm of the number of inputs over that of those which have it."""

    @classmethod
    def of(cls, items: Sequence[Item], words: Words, n: int) -> _Collection:
        """Learn from the references of items, each input counted once."""
        references = {item.input: item.references for item in items if item.references}
        seen: Counter[tuple[int, ...]] = Counter()
        for texts in references.values():
            parted = [words.of(text) for text in texts]
            seen.update({ngram for found in parted for length in range(1, n + 1) for ngram in ngrams(found, length)})
        inputs = len(references)
        rarity = {ngram: math.log(inputs / count) for ngram, count in seen.items()}
        return cls(inputs, digest("\0".join(texts) for texts in sorted(references.values())), words, rarity)

    def vector(self, text: str, n: int) -> _Vector:
        """Return the weights of a text's n-grams; one that no reference has weighs as if one input had it."""
        found = self.words.of(text)
        unseen = math.log(self.inputs)
        weights = [
            {ngram: count * self.rarity.get(ngram, unseen) for ngram, count in Counter(ngrams(found, length)).items()}
            for length in range(1, n + 1)
        ]
        norms = [math.sqrt(sum(weight * weight for weight in each.values())) for each in weights]
        return _Vector(weights, norms, max(len(found) - 1, 0))


class Cider(WordScorer):
    """CIDEr or CIDEr-D of outputs against one reference or several.

    An n-gram weighs as often as it occurs, times the logarithm of the number of inputs over the number of those whose
    references have it. The score is 10 times the mean, over references and lengths of n-grams, of the cosine of the
    two vectors. CIDEr-D counts an n-gram of the output no more often than the reference has it, and multiplies by
    exp(-d² / 2 sigma²), where d is the difference of lengths.

    Parameters
    ----------
    variant
        ``d`` for CIDEr-D, ``plain`` for the definition without these two.
    n
        The longest n-grams.
    sigma
        How much a difference in length may be; it means little to captions of ten words and much to longer texts.
    tokens, stem
        As for ROUGE; here words are as written but for case, in any script. The first paper stems words, COCO's
        evaluation does not.

    Notes
    -----
    Weights come from the references of the whole collection, of which the recipe carries a digest: scores of different
    collections cannot be compared. A scorer that has seen no collection takes what it is handed for one. A collection
    of one input has no weights, and no scores. An output without words has the score 0.

    Examples
    --------
    >>> items = [
    ...     Item("a", "1", "a dog runs", ("the dog runs",), None),
    ...     Item("a", "2", "a cat sleeps", ("the cat sleeps",), None),
    ... ]
    >>> scorer = Cider(n=1).fitted(items)
    >>> scorer.score(items).round(3).tolist()
    [[8.165], [8.165]]
    >>> scorer.signature
    'cider|variant:d|n:1|sigma:6|tokens:unicode|stem:none|inputs:2|collection:a4fd6435|v:1'
    """

    name = "cider"
    in_process = True  # weights are many: to send them to another process takes longer than to use them
    variant: str = one_of("d", "variant of CIDEr", VARIANTS)
    n: int = option(4, count)
    sigma: float = option(6.0, positive)
    tokens: str = one_of("unicode", *TOKENS)
    stem: str = one_of("none", *STEM)

    def _prepare(self) -> None:
        self._collection: _Collection | None = None
        self._words()
        self._sign()

    def _sign(self) -> None:
        known = self._collection
        learnt = {
            "inputs": None if known is None else known.inputs,
            "collection": None if known is None else known.digest,
        }
        sigma = self.sigma if self.variant == "d" else None
        self.signature = self._recipe("variant n sigma tokens stem inputs collection", sigma=sigma, **learnt)

    def fitted(self, items: Sequence[Item]) -> Cider:
        """Return a scorer with weights from the references of these items, each input counted once."""
        known = copy(self)
        known._collection = _Collection.of(items, self._words(), self.n)
        known._sign()
        return known

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:
        """Count the items whose words cannot be told, and say if there are too few inputs."""
        few = self._collection is not None and self._collection.inputs == 1
        return super().notes(items) + ((Note.of("idf-of-one-input", scorer="cider"),) if few else ())

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return scores of shape (items, 1), from 0 to 10."""
        collection = self._collection
        if collection is None:
            return self.fitted(items).score(items)

        @cache
        def vector(text: str) -> _Vector:
            return collection.vector(text, self.n)

        def likeness(item: Item) -> float:
            known = [vector(text) for text in item.references] if collection.inputs > 1 else []
            references = [each for each in known if each.weights[0]]
            if not references:
                return math.nan
            return 10 * sum(self._likeness(vector(item.output), each) for each in references) / len(references)

        return self._each(items, likeness)

    def _likeness(self, output: _Vector, reference: _Vector) -> float:
        """Return the mean over n of the cosine with a reference, clipped and punished in CIDEr-D."""
        cosines = 0.0
        clip = self.variant == "d"
        for ours, theirs, norm, other in zip(
            output.weights, reference.weights, output.norms, reference.norms, strict=True
        ):
            if norm and other:
                both = ((weight, theirs[ngram]) for ngram, weight in ours.items() if ngram in theirs)
                product = sum((min(weight, there) if clip else weight) * there for weight, there in both)
                cosines += product / (norm * other)
        punished = math.exp(-((output.length - reference.length) ** 2) / (2 * self.sigma**2)) if clip else 1.0
        return punished * cosines / self.n
