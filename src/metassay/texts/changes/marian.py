"""Marian models of Hugging Face, such as those of Helsinki-NLP (opus-mt), by name or by path."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from metassay.errors import UsageError, one_line
from metassay.texts.changes.translators import Translated, Unit, filled
from metassay.texts.hub_models import digest_of, located, pretrained

OPUS_MT = "Helsinki-NLP/opus-mt-{from}-{to}"
"""The models that Braun et al. (2022) translated SummEval with."""


class Marian:
    """Translates sentence by sentence with a sequence-to-sequence model of transformers.

    Parameters
    ----------
    source, target
        The languages.
    model
        A model's name on the hub, or the path of one; ``{from}`` and ``{to}`` stand for the languages.
    """

    unit: Unit = "sentence"
    batch = 16
    threads = 1  # the model has threads of its own

    def __init__(self, source: str, target: str, model: str = OPUS_MT) -> None:
        try:
            import_module("transformers")
            self._torch: Any = import_module("torch")
            import_module("sentencepiece")
        except ImportError:
            raise UsageError(
                "Marian models need transformers, torch and sentencepiece; run: pip install 'metassay[models]'"
            ) from None
        asked = "the translator marian"
        path = located(filled(model, source, target), asked)
        self._tokenizer, made = pretrained(path, "AutoModelForSeq2SeqLM", asked=asked)
        self._model: Any = made.eval()
        config = self._model.config
        self._longest = int(getattr(config, "max_position_embeddings", 512))
        name = Path(path).resolve().name if Path(path).is_dir() else path
        revision = getattr(config, "_commit_hash", None) or digest_of(Path(path))
        beams = self._model.generation_config.num_beams
        self.signature = f"marian|model:{one_line(name, 80)}|revision:{revision}|beams:{beams}"

    def translate(self, segments: Sequence[str]) -> list[Translated]:
        """Return one translation per sentence; pieces that the model's vocabulary lacks are counted as unknown."""
        given = self._tokenizer(list(segments))["input_ids"]
        tensors = self._tokenizer(
            list(segments), return_tensors="pt", padding=True, truncation=True, max_length=self._longest
        )
        with self._torch.inference_mode(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = self._model.generate(**tensors, max_length=self._longest)
        texts = self._tokenizer.batch_decode(made, skip_special_tokens=True)
        unknown = self._tokenizer.unk_token_id
        return [
            Translated(text.strip(), sum(piece == unknown for piece in pieces), len(pieces) > self._longest)
            for text, pieces in zip(texts, given, strict=True)
        ]
