"""SUPERT: how well an output covers the first sentences of its source, without any reference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metassay.core import vocabulary
from metassay.core.texts import Item
from metassay.stats.arrays import FloatArray, VectorArray
from metassay.texts.scorers.base import one_of, option, small_products
from metassay.texts.scorers.encoders import EmbeddingScorer, Encoded, unit
from metassay.texts.segments import ENGLISH, sentence_texts

STOP_WORDS = ("english", "none")


class Supert(EmbeddingScorer):
    """SUPERT: likeness of an output to a pseudo-reference, the first sentences of its source.

    Gao, Zhao and Eger (2020), SUPERT: Towards New Frontiers in Unsupervised Evaluation Metrics for Multi-Document
    Summarization, sections 3 and 4. Each token is matched with the nearest of the other text by the cosine of their
    vectors: recall is the mean over the pseudo-reference's tokens, precision over those of the output.

    Parameters
    ----------
    model
        The encoder, which reads each sentence for itself: ``minilm``, the path of a folder, or a name on the Hugging
        Face hub. The paper's is bert-large-nli-stsb-mean-tokens.
    top
        How many of the source's first sentences make the pseudo-reference.
    layer
        ``last``, or the number of a layer.
    stop_words
        ``english`` leaves out tokens that carry grammar only, as the authors' program does; ``none`` keeps them.

    Notes
    -----
    A source is one document: of several in one text, only the first is looked at. Of the ways to find sentences that
    the paper tries, this is the one by position, which its program takes. A text without tokens has no score: NaN.
    """

    name = "supert"
    columns = ("supert_precision", "supert_recall", "supert_f1")
    needs = frozenset({"source"})
    top: int = option(15, vocabulary.count)
    layer: str | int = "last"
    stop_words: str = one_of("english", "list of stop words", STOP_WORDS)

    def _prepare(self) -> None:
        super()._prepare()
        self._layer = self.encoder.layer(self.layer)
        self.signature = self._recipe("model top layer stop", model=self.encoder.label, stop=self.stop_words)

    def texts(self, item: Item) -> Sequence[str]:
        """Return the sentences of the output, and the first ones of the source."""
        return [*sentence_texts(item.output), *self._first(item.source)]

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return precision, recall and F of shape (items, 3)."""
        outputs = {item.output: sentence_texts(item.output) for item in items}
        sources = {item.source: self._first(item.source) for item in items}
        every = (one for parted in (*outputs.values(), *sources.values()) for one in parted)
        encoded = self.encoder.encode(every, [self._layer])
        found = {sentence: self._vectors(sentence, one) for sentence, one in encoded.items()}
        of_outputs = {text: [found[one] for one in parted] for text, parted in outputs.items()}
        of_sources = {text: [found[one] for one in parted] for text, parted in sources.items()}
        with small_products():
            scores = [matched(of_outputs[item.output], of_sources[item.source]) for item in items]
        return np.array(scores, dtype=np.float64).reshape(-1, 3)

    def _first(self, source: str | None) -> list[str]:
        return sentence_texts(source or "")[: self.top]

    def _vectors(self, sentence: str, encoded: Encoded) -> VectorArray:
        if self.stop_words == "english":
            written = [sentence[start:end].strip().lower() for start, end in encoded.spans.tolist()]
            return unit(encoded.vectors[0][[token not in ENGLISH for token in written]])
        return unit(encoded.vectors[0])


def matched(output: Sequence[VectorArray], reference: Sequence[VectorArray]) -> tuple[float, float, float]:
    """Return precision, recall and F of the cosines between each vector at length 1 and the nearest of the other text.

    Examples
    --------
    >>> x, y = np.eye(2, dtype=np.float32)[:1], np.eye(2, dtype=np.float32)
    >>> precision, recall, f1 = matched([x], [y])
    >>> precision, recall, round(f1, 4)
    (1.0, 0.5, 0.6667)
    """
    if not sum(map(len, output)) or not sum(map(len, reference)):
        return (float("nan"),) * 3
    cosines = np.concatenate(output) @ np.concatenate(reference).T
    precision = float(cosines.max(axis=1).mean(dtype=np.float64))
    recall = float(cosines.max(axis=0).mean(dtype=np.float64))
    together = precision + recall
    return precision, recall, 2 * precision * recall / together if together > 0 else float("nan")
