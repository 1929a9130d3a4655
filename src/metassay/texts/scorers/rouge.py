"""ROUGE: overlap of words, n-grams, skip-bigrams and common subsequences with references, as ROUGE-1.5.5 counts it.

Lin (2004), ROUGE: a package for automatic evaluation of summaries. Scores are fractions between 0 and 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import field
from pathlib import Path

import numpy as np

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.errors import UsageError, one_line
from metassay.stats.arrays import FloatArray
from metassay.texts.scorers.base import digest, one_of, option
from metassay.texts.scorers.rouge_counts import MEASURES, REFERENCES, Batch
from metassay.texts.scorers.tokens import STEM, TOKENS, Words, WordScorer
from metassay.texts.segments import ENGLISH, sentence_texts

VARIANTS = ("1", "2", "3", "4", "l", "lsum", "w", "s4", "su4", "s")
SENTENCES = ("lines", "split")


def _count_or_none(what: str, value: int | None) -> int | None:
    return None if value is None else vocabulary.count(what, value)


class Rouge(WordScorer):
    """ROUGE of outputs against one reference or several.

    Parameters
    ----------
    variants
        Which to compute: ``1`` to ``9`` for n-grams; ``l`` for the longest common subsequence of the whole texts;
        ``lsum`` for the union of those of their sentences; ``w`` for the one that favours runs of words; ``s4`` and
        the like for pairs of words with at most 4 others between, ``s`` for pairs at any distance; ``su4`` and
        ``su`` for these with single words. A list, or text parted by commas, spaces or plus signs.
    measures
        ``precision``, ``recall``, ``f1``, or several.
    stem
        ``none``, ``porter``, or ``porter+exceptions``, which needs WordNet's exception lists.
    tokens
        ``rouge`` for runs of a to z and digits as in ROUGE-1.5.5; ``unicode`` for letters of any script.
    references
        What several references are made into. ``best``: of each measure the highest value over the references, so
        that F1 is that of rouge-score. ``average``: hits and lengths are summed over the references before they are
        divided (``-f A``, the default of ROUGE-1.5.5). ``jackknife``: the mean of ``best`` over the sets that leave
        one reference out; with one reference, that reference. ``rouge-1.5.5-best``: the reference with the highest
        recall gives all three measures (``-f B`` of ROUGE-1.5.5).
    weight
        The exponent by which ROUGE-W favours runs.
    wordnet
        The folder with WordNet's exception lists; by default where Debian's wordnet-base puts them.
    sentences
        What ROUGE-Lsum takes for a sentence. ``lines``: each line, as ROUGE-1.5.5 and rouge-score do, so that Lsum of
        texts of one line is L. ``split``: a text of one line is split after full stops, question and exclamation
        marks; lines of a text that has several are sentences.
    max_words, max_bytes
        Cut outputs and references after so many words, as parted by spaces, or bytes (``-l`` and ``-b`` of
        ROUGE-1.5.5); line ends are not counted.
    stop_words
        Words to leave out before stemming: ``none``, ``english``, or a file with a word on each line, such as
        ``smart_common_words.txt`` of ROUGE-1.5.5 for its ``-s``.

    Notes
    -----
    An output without words has the score 0. A reference without words, or without n-grams of the wanted length, is
    left out; without any reference left the score is NaN. So it is for text that is written without spaces between
    words and, with ``rouge`` tokens, for text of which more than half of the letters would be lost; and for Lsum, W
    and S where a text has more than 4,096 words.

    ROUGE-SU counts the single words except a text's last, and ROUGE-W weighs the reference's length twice in the
    recall, both as the program does.

    Examples
    --------
    >>> item = Item("a", "1", "the cat sat", ("the cats sat down",), None)
    >>> rouge = Rouge("1,2", measures="recall,f1")
    >>> rouge.columns
    ('rouge-1_recall', 'rouge-1_f1', 'rouge-2_recall', 'rouge-2_f1')
    >>> rouge.score([item]).round(3).tolist()
    [[0.75, 0.857, 0.667, 0.8]]
    >>> rouge.signature
    'rouge|variants:1,2|measures:recall,f1|tokens:rouge|stem:porter|references:best|scale:0-1|v:2'
    """

    name = "rouge"
    variants: str | int | Iterable[str] = field(default=VARIANTS, kw_only=False)
    measures: str | Iterable[str] = MEASURES
    stem: str = one_of("porter", *STEM)
    tokens: str = one_of("rouge", *TOKENS)
    references: str = one_of("best", "treatment of references", REFERENCES)
    weight: float = 1.2
    wordnet: str | Path | None = None
    sentences: str = one_of("lines", "kind of sentences", SENTENCES)
    max_words: int | None = option(None, _count_or_none)
    max_bytes: int | None = option(None, _count_or_none)
    stop_words: str | Path = "none"

    def _prepare(self) -> None:
        self._variants = _variants(self.variants)
        self._measures = vocabulary.choices("measure", _parts(self.measures), MEASURES)
        given: object = self.weight  # options from the command line may be text
        if not isinstance(given, int | float) or not 1 <= given <= 10:
            raise UsageError(
                f"weight must lie between 1, where runs count no more than words, and 10, got {self.weight}"
            )
        if self.max_words is not None and self.max_bytes is not None:
            raise UsageError("max_words and max_bytes exclude each other: cut texts after words, or after bytes")
        self._stop_words, stopped = _stop_words(self.stop_words)
        self._numbered()
        self.columns = tuple(f"rouge-{variant}_{measure}" for variant in self._variants for measure in self._measures)
        self.signature = self._recipe(
            "variants measures tokens stem references weight sentences max_words max_bytes stop_words scale",
            v=2,
            weight=float(self.weight) if "w" in self._variants else None,
            sentences=self.sentences if "lsum" in self._variants else None,
            stop_words=stopped,
            scale="0-1",
        )

    def _numbered(self) -> Words:
        return self._words(None if self.wordnet is None else Path(self.wordnet), self._stop_words)

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:
        """Count the items whose words cannot be told, and tell where Lsum is nothing but L."""
        told = super().notes(items)
        if "lsum" in self._variants and self.sentences == "lines" and items:
            texts = (text for item in items for text in (item.output, *item.references))
            if not any("\n" in text.strip() for text in texts):
                told += (Note.of("rouge-lsum-is-rouge-l"),)
        return told

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return scores of shape (items, columns) between 0 and 1, NaN where undefined."""
        batch = self.batch_of(items)
        out = np.full((len(items), len(self._variants), len(MEASURES)), np.nan)
        if batch.pairs:
            counts = batch.counts(self._variants, self.weight)
            item_of_pair = np.array([item for item, _ in batch.pairs])
            for number, variant in enumerate(self._variants):
                power = 1 / self.weight if variant == "w" else 1.0
                out[:, number] = counts[number].measures(item_of_pair, len(items), self.references, power)
        chosen = [MEASURES.index(measure) for measure in self._measures]
        return out[:, :, chosen].reshape(len(items), len(self.columns))

    def batch_of(self, items: Sequence[Item]) -> Batch:
        """Return the texts of items as numbers of their words, cut and parted as the options say."""
        return Batch.of(items, self._numbered(), self.tokens, self._parted)

    def _parted(self, text: str) -> Sequence[str]:
        """Return the sentences of a text, or the whole if nobody asks for sentences."""
        lines = text.split("\n") if "\n" in text else [text]
        if self.max_words is not None or self.max_bytes is not None:
            lines = _cut(lines, self.max_words, self.max_bytes)
        if "lsum" not in self._variants:
            return ["\n".join(lines)]
        lines = [line for line in lines if line.strip()]
        return sentence_texts(lines[0]) if self.sentences == "split" and len(lines) == 1 else lines


def _cut(lines: Sequence[str], max_words: int | None, max_bytes: int | None) -> list[str]:
    """Return the beginning of a text: so many words as parted by spaces, or bytes; line ends count nothing.

    Examples
    --------
    >>> _cut(["This is one,", "and that another."], 4, None), _cut(["This is one,", "and that another."], None, 13)
    (['This is one,', 'and'], ['This is one,', 'a'])
    """
    cut, left = [], max_words or max_bytes or 0
    for line in lines:
        if left <= 0:
            break
        if max_words is not None:
            words = line.split()[:left]
            cut.append(" ".join(words))
            left -= len(words)
        else:
            data = line.strip().encode("utf-8", "surrogatepass")[:left]
            cut.append(data.decode("utf-8", "ignore"))
            left -= len(data)
    return cut


def _stop_words(wanted: str | Path) -> tuple[frozenset[str], str | None]:
    """Return the words to leave out in lower case, and what the recipe says of them."""
    name = str(wanted).strip()
    if name.lower() in ("none", ""):
        return frozenset(), None
    if name.lower() == "english":
        return ENGLISH, "english"
    path = Path(name).expanduser()
    try:
        found = frozenset(path.read_text(encoding="utf-8").lower().split())
    except (OSError, UnicodeDecodeError) as error:
        why = (error.strerror or str(error)) if isinstance(error, OSError) else "it is not text in UTF-8"
        raise UsageError(
            f"stop_words must be none, english, or a file with a word on each line; cannot read {one_line(path)!r}: "
            f"{why.lower()}"
        ) from None
    return found, digest(sorted(found))


def _parts(value: str | int | Iterable[str]) -> list[str]:
    """Return names from a list, or from text parted by commas, spaces or plus signs."""
    parts = re.split(r"[,+\s]+", str(value)) if isinstance(value, str | int) else [str(part) for part in value]
    return [part.strip().lower().removeprefix("rouge-") for part in parts if part.strip()]


def _variants(value: str | int | Iterable[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(part.rstrip("*") for part in _parts(value)))
    for variant in found:
        if not re.fullmatch(r"[1-9]|l|lsum|w|su?\d{0,3}", variant):
            known = ", ".join(VARIANTS)
            raise UsageError(f"unknown variant of ROUGE {variant!r}; choose from {known}, or others such as 5, s2, su")
    if not found:
        raise UsageError(f"no variant of ROUGE given; choose from {', '.join(VARIANTS)}")
    return found
