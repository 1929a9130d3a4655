"""BERTScore, as the package bert-score computes it."""

from __future__ import annotations

import csv
import importlib.util
from collections import defaultdict
from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np

from metassay.core import vocabulary
from metassay.core.texts import Item
from metassay.errors import UsageError, one_line
from metassay.stats.arrays import FloatArray
from metassay.texts.hub_models import quiet
from metassay.texts.scorers.base import option
from metassay.texts.scorers.encoders import EmbeddingScorer, Frequencies
from metassay.texts.scorers.language_models import clean


class BertScore(EmbeddingScorer):
    """BERTScore: each token is matched with the nearest of the other text, by the cosine of their vectors in context.

    Zhang et al. (2020), BERTScore: Evaluating Text Generation with BERT. The numbers are those of ``bert_score.score``
    with the same options.

    Parameters
    ----------
    model
        The encoder: ``minilm``, the path of a folder, or a name on the Hugging Face hub. Published scores of English
        texts are mostly of ``roberta-large``.
    num_layers
        The layer whose vectors are compared. By default the one that bert-score recommends for the model, and the last
        but one of a model that it does not know.
    idf
        Whether tokens weigh their inverse document frequency among the references of all items.
    baseline
        ``none``; or a language such as ``en``, to rescale with the baseline that bert-score has for model and language;
        or a file with such a baseline.

    Notes
    -----
    Of several references the best one counts, for each of precision, recall and F on its own. An empty output has no
    score: NaN, where bert-score says 0. Scores may differ in the seventh digit when other texts are scored beside.
    """

    name = "bertscore"
    columns = ("bertscore_precision", "bertscore_recall", "bertscore_f1")
    num_layers: int | str = "default"
    idf: bool = option(False, vocabulary.flag)
    baseline: str = "none"

    def _prepare(self) -> None:
        super()._prepare()
        asked = self.num_layers
        self._layer = self._default_layer() if asked == "default" else self.encoder.layer(asked)
        self._baseline = self._read_baseline(str(self.baseline))
        self._frequencies: Frequencies | None = None
        self._parts: dict[str, Any] = {}
        """Tokenizer and model of bert-score, once they are loaded; shared with what is fitted."""
        self._sign()

    def _sign(self) -> None:
        self.signature = self._recipe(
            "model layer idf baseline references",
            model=self.encoder.label,
            idf="no" if not self.idf else self._frequencies.digest() if self._frequencies else "none",
            baseline="none" if self._baseline is None else tuple(self._baseline.tolist()),
            references="max",
        )

    def fitted(self, items: Sequence[Item]) -> BertScore:
        """Return the scorer with the document frequencies of these references."""
        if not self.idf:
            return self
        made = copy(self)
        made._frequencies = self.encoder.frequencies(text for item in items for text in item.references if text.strip())
        made._sign()
        return made

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return precision, recall and F of shape (items, 3)."""
        if self.idf and self._frequencies is None:
            return self.fitted(items).score(items)
        import torch
        from bert_score.utils import bert_cos_score_idf

        out = np.full((len(items), 3), np.nan)
        pairs = [
            (row, clean(item.output), clean(reference))
            for row, item in enumerate(items)
            for reference in item.references
            if item.output.strip() and reference.strip()
        ]
        if not pairs:
            return out
        tokenizer, model = self._load()
        rows, outputs, references = (list(column) for column in zip(*pairs, strict=True))
        with torch.inference_mode():
            found = bert_cos_score_idf(
                model, references, outputs, tokenizer, self._weights(tokenizer), device="cpu", batch_size=64
            )
        values = found.numpy().astype(np.float64)
        # the best of the references, where several are
        for row, value in zip(rows, values, strict=True):
            out[row] = np.fmax(out[row], value)
        return out if self._baseline is None else (out - self._baseline) / (1 - self._baseline)

    def _weights(self, tokenizer: Any) -> defaultdict[int, float]:  # noqa: ANN401 - an object of transformers
        ends = dict.fromkeys((tokenizer.sep_token_id, tokenizer.cls_token_id), 0.0)
        if self._frequencies is None:
            return defaultdict(lambda: 1.0, ends)
        known = np.array(list(self._frequencies.counts), dtype=np.int64)
        never = float(self._frequencies.idf(np.array([-1]))[0])
        # The tokens at the ends are in every text, which makes their weight log(1).
        return defaultdict(lambda: never, dict(zip(known.tolist(), self._frequencies.idf(known), strict=True)) | ends)

    def _load(self) -> tuple[Any, Any]:
        if not self._parts:
            import transformers
            from bert_score.utils import get_model, get_tokenizer

            window = self.encoder.window  # tells in one line what cannot be loaded, and bounds threads
            with quiet(transformers):
                tokenizer = get_tokenizer(self.encoder.path)
                try:
                    model = get_model(self.encoder.path, self._layer)
                except (AssertionError, ValueError, AttributeError) as error:
                    raise UsageError(
                        f"bert-score cannot use the model {one_line(self.encoder.name, 80)!r}: {one_line(error)}"
                    ) from None
            tokenizer.model_max_length = window
            self._parts.update(tokenizer=tokenizer, model=model.float().eval())
        return self._parts["tokenizer"], self._parts["model"]

    def _default_layer(self) -> int:
        if not Path(self.encoder.path).is_dir():
            from bert_score.utils import model2layers

            if self.encoder.name in model2layers:
                return int(model2layers[self.encoder.name])
        return max(1, self.encoder.layers - 1)

    def _read_baseline(self, asked: str) -> FloatArray | None:
        """Return what precision, recall and F of unrelated texts are at the layer."""
        if asked == "none":
            return None
        path = Path(asked).expanduser()
        if not path.is_file():
            spec = importlib.util.find_spec("bert_score")
            folder = Path(spec.origin).parent if spec is not None and spec.origin else Path()
            path = folder / "rescale_baseline" / asked / f"{self.encoder.name}.tsv"
            if not path.is_file():
                raise UsageError(
                    f"bert-score has no baseline for {one_line(self.encoder.name, 60)} and {one_line(asked, 40)!r}; "
                    "give a file with one, or baseline=none"
                )
        try:
            with path.open(encoding="utf-8", newline="") as file:
                rows = {int(row[0]): [float(value) for value in row[1:4]] for row in list(csv.reader(file))[1:] if row}
            found = np.array(rows[self._layer])
        except (OSError, ValueError, KeyError, IndexError):
            found = np.empty(0)
        if found.shape != (3,) or not (found < 1).all():
            raise UsageError(
                f"{one_line(path, 80)!r} is not a baseline for layer {self._layer}: after a header, each line must "
                "have a layer and the precision, recall and F of unrelated texts, separated by commas"
            )
        return found
