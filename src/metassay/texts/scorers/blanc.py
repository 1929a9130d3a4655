"""BLANC: how much an output helps a masked language model to guess the words of its source."""

from __future__ import annotations

import copy
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.errors import UsageError
from metassay.stats import draws
from metassay.stats.arrays import BoolArray
from metassay.texts.scorers.base import Scorer, option
from metassay.texts.scorers.language_models import LanguageModel, clean
from metassay.texts.segments import sentence_texts

SENTENCE_KEPT = 100
"""Tokens of a sentence that are never cut to make room for the output."""
MASKED_AT_ONCE = 0.15
"""Share of the tokens of a chunk that are masked together when a model is tuned, as BERT was trained."""
REPLACED, UNCHANGED = 0.1, 0.1
"""Shares of these that are shown as another token, or as they are, in place of the mask."""


class _Pieces(NamedTuple):
    """A sentence in the tokens of a model."""

    ids: list[int]
    """Their numbers."""
    maskable: list[bool]
    """Which are long enough to be worth guessing."""


class _Guess(NamedTuple):
    """A sequence with masks, and what stood where they are."""

    ids: list[int]
    places: list[int]
    answers: list[int]


class _Blanc(Scorer):
    """What the two kinds of BLANC have in common: what is masked, what is guessed, and how guesses are compared."""

    needs = frozenset({"source"})
    in_process = True
    batch = 8
    device, at_once = "cpu", 16
    model: str = field(default="", kw_only=False)
    gap: int = option(2, vocabulary.count)
    whole: int = option(4, vocabulary.count)
    lead: int = option(2, vocabulary.count)
    follow: int = option(100, vocabulary.count)

    def _prepare(self) -> None:
        asked = f"{self.name}[model=…]"
        self._model = LanguageModel(self.model, "masked", asked, self.device)
        self._cls, self._sep, self._mask = self._model.specials(asked)
        self._parted = lru_cache(maxsize=64)(self._part)

    def _signed(self, parts: str, **given: object) -> str:
        lengths = self.whole, self.lead, self.follow
        return self._recipe(f"model gap lengths {parts}", model=self._model.label, lengths=lengths, **given)

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:
        """Count the outputs whose source has no token to mask, and those for which something had to be cut."""
        known = [item for item in items if item.source is not None]
        nothing = sum(not any(any(one.maskable) for one in self._parted(item.source or "")) for item in known)
        cut = sum(self._is_cut(item) for item in known)
        told = self._counted("nothing-to-mask", nothing, outputs=len(items))
        return told + self._counted("outputs-truncated", cut, outputs=len(items), window=self._model.window)

    def _is_cut(self, item: Item) -> bool:
        raise NotImplementedError

    def _part(self, text: str) -> list[_Pieces]:
        """Return the sentences of a text in tokens; a token may be masked if it is long for its place in its word."""
        found = []
        for sentence in sentence_texts(unicodedata.normalize("NFKD", clean(text))):
            encoded = self._model.encoded(sentence)
            ids, words = encoded["input_ids"], encoded.word_ids()
            lengths = [
                len(piece.removeprefix("##").lstrip("Ġ▁")) for piece in self._model.tokenizer.convert_ids_to_tokens(ids)
            ]
            maskable = []
            for at, (word, length) in enumerate(zip(words, lengths, strict=True)):
                follows = at > 0 and words[at - 1] == word
                leads = at + 1 < len(words) and words[at + 1] == word
                maskable.append(length >= (self.follow if follows else self.lead if leads else self.whole))
            found.append(_Pieces(ids, maskable))
        return found

    def _guesses(self, sentence: _Pieces, before: Sequence[int] = ()) -> Iterator[_Guess]:
        """Yield the sentence with every gap-th token masked, from each of the first tokens on, behind other tokens."""
        gap = min(self.gap, len(sentence.ids))
        offset = 1 + len(before)
        for first in range(gap):
            places = [at for at in range(first, len(sentence.ids), gap) if sentence.maskable[at]]
            if places:
                ids = list(sentence.ids)
                for at in places:
                    ids[at] = self._mask
                yield _Guess(
                    [self._cls, *before, *ids, self._sep],
                    [at + offset for at in places],
                    [sentence.ids[at] for at in places],
                )

    def _right(self, guesses: Sequence[_Guess], model: Any = None) -> BoolArray:  # noqa: ANN401 - a model
        """Return which masked tokens the model guesses, those of all sequences in one row."""
        right: list[list[bool]] = [[] for _ in guesses]
        used = self._model.model if model is None else model
        with self._model.torch.inference_mode():
            for places, tensors in self._model.batches([guess.ids for guess in guesses], self.at_once):
                # The likeliest token of each place; logits themselves are large and not kept.
                best = used(**tensors).logits.argmax(dim=-1).cpu().numpy()
                for row, place in enumerate(places):
                    guess = guesses[place]
                    right[place] = (best[row, guess.places] == np.array(guess.answers)).tolist()
        return np.array([one for some in right for one in some], dtype=bool)


def _measure(base: BoolArray, helped: BoolArray) -> float:
    """Return (S01 − S10) / (S00 + S01 + S10 + S11): S01 tokens are guessed with help only, S10 without it only."""
    if not len(base):
        return float("nan")
    gained, lost = int((~base & helped).sum()), int((base & ~helped).sum())
    return (gained - lost) / len(base)


class BlancHelp(_Blanc):
    """BLANC-help: the output stands before each sentence of the source while its masked words are guessed.

    Vasilyev, Dharnidharka and Bohannon (2020), Fill in the BLANC, section 3. In every sentence, each gap-th token that
    is long enough is masked, once for each of the first gap tokens to begin with. The model guesses them twice: with
    the output before the sentence, and with as many full stops. The score is the number of tokens that it gets right
    only with the output, less those that it gets right only without, over all masked tokens.

    Parameters
    ----------
    model
        A masked language model, by name or path. The authors' is ``bert-base-uncased``.
    gap
        One token in so many is masked: 2 as the authors advise since 2020, 6 as in the first paper.
    whole, lead, follow
        The least number of characters of a masked token that is a word of its own, that begins a word, and that goes
        on with one.
    filler
        What stands in place of the output.
    device, at_once
        Where the model runs, and how many sequences it is given at a time; they are no part of the recipe.

    Notes
    -----
    An output that helps nothing, such as an empty one, scores 0. A source without a token to mask gives NaN. Where
    output and sentence are too long for the model, the sentence is cut, down to 100 tokens, and then the output after
    its last sentence that fits.
    """

    name = "blanc-help"
    filler: str = "."
    device: str = "cpu"
    at_once: int = option(16, vocabulary.count)

    def _prepare(self) -> None:
        super()._prepare()
        self.filler = str(self.filler)
        pieces = self._model.pieces(self.filler)
        if len(pieces) != 1:
            raise UsageError(f"filler must be one token of the model, got {self.filler!r}, which is {len(pieces)}")
        self._dot = pieces[0]
        self.signature = self._signed("filler")

    def _one(self, item: Item) -> float:
        helped: list[_Guess] = []
        filled: list[_Guess] = []
        output = [one.ids for one in self._parted(item.output)]
        for sentence in self._parted(item.source or ""):
            fitting, before = self._fit(sentence, output)
            helped += self._guesses(fitting, before)
            filled += self._guesses(fitting, [self._dot] * len(before))
        return _measure(self._right(filled), self._right(helped))

    def _fit(self, sentence: _Pieces, output: Sequence[Sequence[int]]) -> tuple[_Pieces, list[int]]:
        """Return a sentence and as much of the output as the model takes together."""
        room = self._model.window - 2
        whole = sum(map(len, output))
        kept = min(len(sentence.ids), max(room - whole, min(SENTENCE_KEPT, room)))
        fitting = _Pieces(sentence.ids[:kept], sentence.maskable[:kept])
        left = room - kept
        before: list[int] = []
        for part in output:
            if len(before) + len(part) > left:
                break
            before += part
        if not before and output:  # not even the first sentence fits: its end stands nearest to what is guessed
            before = list(output[0])[max(0, len(output[0]) - left) :] if left else []
        return fitting, before

    def _is_cut(self, item: Item) -> bool:
        output = [one.ids for one in self._parted(item.output)]
        longest = max((len(one.ids) for one in self._parted(item.source or "")), default=0)
        return longest + sum(map(len, output)) > self._model.window - 2


class BlancTune(_Blanc):
    """BLANC-tune: the model is tuned on the output before it guesses the masked words of the source.

    Vasilyev, Dharnidharka and Bohannon (2020), Fill in the BLANC, section 4. A copy of the model is trained for a few
    passes over chunks of the output in which 15% of the tokens that are long enough are masked at a time, in turn and
    at random, a tenth of them replaced and a tenth shown. The score compares the copy with the model as it was, as
    BLANC-help compares guesses with and without the output.

    Parameters
    ----------
    model, gap, whole, lead, follow, device, at_once
        As for BLANC-help.
    epochs, rate
        How often the output is gone through, and the first learning rate of AdamW, which falls to 0 on a line.
    chunk, stride
        Tokens in a chunk of the output, and from the start of one chunk to that of the next.
    seed
        The seed of the masks and of dropout: each output is tuned on with the same.

    Notes
    -----
    An output without a token to mask leaves the model as it was and scores 0. Chunks are trained on one at a time.
    """

    name = "blanc-tune"
    epochs: int = option(10, vocabulary.count)
    rate: float = option(5e-5, vocabulary.fraction)
    chunk: int = option(64, vocabulary.count)
    stride: int = option(32, vocabulary.count)
    seed: int = option(0, lambda _, value: vocabulary.seed(value))
    device: str = "cpu"
    at_once: int = option(16, vocabulary.count)

    def _prepare(self) -> None:
        super()._prepare()
        self._chunk = min(self.chunk, self._model.window - 2)
        self._copy: Any = None
        self._base = lru_cache(maxsize=4)(self._untuned)
        special = set(self._model.tokenizer.all_special_ids)
        self._ordinary = np.array([n for n in range(len(self._model.tokenizer)) if n not in special])
        self.signature = self._signed("epochs rate chunk seed", chunk=(self._chunk, self.stride))

    def _one(self, item: Item) -> float:
        source = item.source or ""
        base = self._base(source)
        if not len(base):
            return float("nan")
        tuned = self._tuned(item.output)
        return 0.0 if tuned is None else _measure(base, self._right(self._masked(source), tuned))

    def _masked(self, source: str) -> list[_Guess]:
        room = self._model.window - 2
        return [
            guess
            for sentence in self._parted(source)
            for guess in self._guesses(_Pieces(sentence.ids[:room], sentence.maskable[:room]))
        ]

    def _untuned(self, source: str) -> BoolArray:
        return self._right(self._masked(source))

    def _is_cut(self, item: Item) -> bool:
        return any(len(one.ids) > self._model.window - 2 for one in self._parted(item.source or ""))

    def _examples(self, output: str) -> list[tuple[list[int], list[int]]]:
        """Return what the model is tuned on: tokens with some masked, and the tokens to guess (−100 elsewhere)."""
        random = draws.stream(self.seed, draws.WORDS)
        parted = self._parted(output)
        ids = [one for sentence in parted for one in sentence.ids]
        maskable = [one for sentence in parted for one in sentence.maskable]
        examples = []
        for start in range(0, len(ids), self.stride):
            chunk = ids[start : start + self._chunk]
            places = np.array([at for at in range(len(chunk)) if maskable[start + at]], dtype=int)
            places = random.permutation(places)
            together = max(1, int(len(chunk) * MASKED_AT_ONCE))
            for at in range(0, len(places), together):
                shown, labels = list(chunk), [-100] * len(chunk)
                for place in places[at : at + together].tolist():
                    labels[place] = chunk[place]
                    fate = random.random()
                    if fate < REPLACED:
                        shown[place] = int(random.choice(self._ordinary))
                    elif fate >= REPLACED + UNCHANGED:
                        shown[place] = self._mask
                examples.append(([self._cls, *shown, self._sep], [-100, *labels, -100]))
        return examples

    def _tuned(self, output: str) -> Any:  # noqa: ANN401 - a model
        """Return the copy of the model after it was trained on an output, None if that has nothing to learn from."""
        examples = self._examples(output)
        if not examples:
            return None
        torch = self._model.torch
        if self._copy is None:
            self._copy = copy.deepcopy(self._model.model)
        model = self._copy
        model.load_state_dict(self._model.model.state_dict())
        plain = [p for name, p in model.named_parameters() if name.endswith("bias") or "norm" in name.lower()]
        others = [p for name, p in model.named_parameters() if not (name.endswith("bias") or "norm" in name.lower())]
        groups = [{"params": others, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}]
        optimizer = torch.optim.AdamW(groups, lr=self.rate, eps=1e-8)
        steps = len(examples) * self.epochs
        falling = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1 - step / steps))
        devices = [self._model.device] if str(self._model.device).startswith("cuda") else []
        # Dropout draws from torch's own stream, which is given back as it was.
        with torch.random.fork_rng(devices=devices), torch.enable_grad():
            torch.manual_seed(self.seed)
            model.train()
            for _ in range(self.epochs):
                for shown, labels in examples:
                    ((_, tensors),) = self._model.batches([shown], 1)
                    optimizer.zero_grad()
                    model(**tensors, labels=torch.tensor([labels], device=self._model.device)).loss.backward()
                    optimizer.step()
                    falling.step()
        return model.eval()
