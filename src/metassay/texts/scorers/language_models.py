"""Language models of transformers, by name or by path: loaded in earnest or refused in one line, and run in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from pathlib import Path
from typing import Any, Literal

import numpy as np

from metassay.core.extras import load_extra
from metassay.errors import UsageError, one_line
from metassay.stats.arrays import IntArray
from metassay.texts.hub_models import digest_of, located, pretrained, reason

Task = Literal["masked", "span", "sequence"]
"""What a model does: guesses masked tokens, finds the span that answers a question, or writes a text from a text."""

TOKENS_AT_ONCE = 4096
"""No batch has more tokens than this, padding included: a masked model guesses a number per token and word."""

_TASKS: dict[Task, tuple[str, str]] = {
    "masked": ("AutoModelForMaskedLM", "a masked language model, such as bert-base-uncased"),
    "span": ("AutoModelForQuestionAnswering", "a model trained to answer questions, such as one fine-tuned on SQuAD"),
    "sequence": ("AutoModelForSeq2SeqLM", "a sequence-to-sequence model, such as one based on BART or T5"),
}
"""The class of transformers for a task, and what is trained for it."""


class LanguageModel:
    """A model with its tokenizer, in evaluation mode.

    Parameters
    ----------
    name
        The name of a model on the Hugging Face hub, or the path of a folder that holds one.
    task
        What the model has to do; a model that was not trained for it is refused, because transformers would fill in
        what is missing with random numbers.
    asked
        Who asks, and under which option, such as ``blanc-help[model=…]``, for messages.
    device
        A device of torch: ``cpu``, ``cuda``, ``cuda:1``, ``mps``.
    """

    def __init__(self, name: str, task: Task, asked: str, device: str = "cpu") -> None:
        kind, trained = _TASKS[task]
        given: object = name  # options from the command line may be numbers
        if not isinstance(given, str) or not given.strip():
            raise UsageError(f"{asked} must name {trained}, or the path of a folder that holds one")
        _, self.torch = load_extra("models", f"{asked} needs transformers and torch", "transformers", "torch")
        shown, path = one_line(name, 80), located(name, asked)
        self.tokenizer, (self.model, told) = pretrained(path, kind, asked=asked, output_loading_info=True)
        untrained = _untrained(self.model, told["missing_keys"])
        if untrained:
            raise UsageError(f"{asked}: {shown!r} lacks {one_line(untrained, 60)}; it must be {trained}")
        if not self.tokenizer.is_fast:
            raise UsageError(f"{asked}: {shown!r} has no fast tokenizer, which is needed to locate tokens in a text")
        try:
            self.model = self.model.float().to(device).eval()
        except (RuntimeError, AssertionError) as error:
            raise UsageError(f"{asked}: there is no device {one_line(device, 30)!r}: {reason(error)}") from None
        self.device = device
        self.window: int = window_of(
            self.tokenizer, getattr(self.model.config, "max_position_embeddings", None), self.model.config.model_type
        )
        """How many tokens the model takes at once, special ones included."""
        revision = getattr(self.model.config, "_commit_hash", None) or digest_of(Path(path))
        self.label = f"{one_line(Path(path).resolve().name if Path(path).is_dir() else path, 80)},{revision[:8]}"
        """Name and revision for a signature; of a folder its own name and a digest of what is in it."""

    def specials(self, asked: str) -> list[int]:
        """Return the numbers of the tokens cls, sep and mask, which metrics of masked words cannot do without."""
        found: dict[str, int | None] = {n: getattr(self.tokenizer, f"{n}_token_id") for n in ("cls", "sep", "mask")}
        for name, number in found.items():
            if number is None:
                raise UsageError(f"{asked}: the tokenizer has no {name} token; use a model such as BERT or RoBERTa")
        return [number for number in found.values() if number is not None]

    def encoded(self, text: str) -> Any:  # noqa: ANN401 - a BatchEncoding of transformers
        """Return the tokens of a text, without special ones, and where they stand in it."""
        return self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)

    def pieces(self, text: str) -> list[int]:
        """Return the numbers of the tokens of a text, without special ones."""
        found: list[int] = self.encoded(text)["input_ids"]
        return found

    def batches(
        self, sequences: Sequence[Sequence[int]], at_once: int, types: Sequence[Sequence[int]] | None = None
    ) -> Iterator[tuple[list[int], dict[str, Any]]]:
        """Yield batches of sequences of like length as tensors, each with the places of its sequences in the list."""
        for places in batched(sequences, at_once):
            rows = [sequences[place] for place in places]
            tensors = {
                "input_ids": padded(rows, self.tokenizer.pad_token_id or 0),
                "attention_mask": padded([[1] * len(row) for row in rows]),
            }
            if "token_type_ids" in self.tokenizer.model_input_names:
                kinds = [types[place] if types else [0] * len(sequences[place]) for place in places]
                tensors["token_type_ids"] = padded(kinds)
            yield places, {name: self.torch.tensor(rows, device=self.device) for name, rows in tensors.items()}


def batched(sequences: Sequence[Sized], at_once: int = TOKENS_AT_ONCE) -> Iterator[list[int]]:
    """Yield the places of sequences in batches of like length, the longest first."""
    order = sorted(range(len(sequences)), key=lambda at: -len(sequences[at]))
    at = 0
    while at < len(order):
        longest = len(sequences[order[at]])
        end = at + max(1, min(at_once, TOKENS_AT_ONCE // max(longest, 1)))
        yield order[at:end]
        at = end


def padded(rows: Sequence[Sequence[int] | IntArray], padding: int = 0) -> IntArray:
    """Return rows as one array, the shorter ones filled up."""
    made = np.full((len(rows), max(map(len, rows))), padding, dtype=np.int64)
    for place, row in zip(made, rows, strict=True):
        place[: len(row)] = row
    return made


def clean(text: str) -> str:
    """Return a text that tokenizers take: lone surrogates, which broken files have, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _untrained(model: Any, missing: Sequence[str]) -> str:  # noqa: ANN401 - a model of transformers
    """Return a parameter that the file did not have and that shares none that it had, or nothing."""
    parameters = dict(model.named_parameters(remove_duplicate=False))
    loaded = {parameter.data_ptr() for name, parameter in parameters.items() if name not in set(missing)}
    lost = [name for name in missing if name in parameters and parameters[name].data_ptr() not in loaded]
    return min(lost, default="")


def window_of(tokenizer: Any, positions: object, kind: object) -> int:  # noqa: ANN401 - an object of transformers
    """Return how many tokens a model takes at once, special ones included.

    Parameters
    ----------
    tokenizer
        Its tokenizer, which may state a limit.
    positions, kind
        ``max_position_embeddings`` and ``model_type`` of its configuration.
    """
    limits = [int(tokenizer.model_max_length)] if tokenizer.model_max_length < 10**6 else []
    if isinstance(positions, int) and positions > 0:
        # RoBERTa and its kin count positions from the number of the padding token
        limits.append(positions - 2 if "roberta" in str(kind) else positions)
    return min(limits, default=512)
