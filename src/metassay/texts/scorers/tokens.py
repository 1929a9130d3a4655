"""Texts to tokens: the words that lexical metrics count, their stems, and the sentences of a text.

Two tokenizers are known. ``rouge`` is that of ROUGE-1.5.5: runs of the letters a to z and digits, in lower case, so
that letters outside ASCII part words. ``unicode`` takes runs of letters, marks and digits of any script. Neither can
part words that are written without spaces (Chinese, Japanese, Thai and others): such text is told apart here, and a
metric of words leaves it out instead of scoring it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TypeVar, cast

import numpy as np

from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.core.vocabulary import choice
from metassay.errors import FormatError, UsageError
from metassay.stats.arrays import FloatArray
from metassay.texts.scorers.base import Need, Scorer
from metassay.texts.segments import word_list

T = TypeVar("T")

TOKENIZERS = ("rouge", "unicode")
STEMMINGS = ("none", "porter", "porter+exceptions")
TOKENS, STEM = ("tokenizer", TOKENIZERS), ("stemming", STEMMINGS)
"""What two options are, and may be: ``tokens: str = one_of("rouge", *TOKENS)``."""
WORDNET = Path("/usr/share/wordnet")
"""Where Debian's wordnet-base puts its files."""
WORDNET_COMMAND = "apt-get install wordnet-base"

# Combining marks belong to the word they stand in: Indic and Arabic vowel signs are no letters.
_ANY_WORD = re.compile(r"[^\W_](?:[^\W_]|[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff])*")
_PLAIN = bytes(ord(chr(code).lower()) if chr(code).isascii() and chr(code).isalnum() else 32 for code in range(256))
_LETTER = re.compile(r"[^\W\d_]")
_BEYOND_LATIN = re.compile(r"[^\W\d_\u0000-\u024f]")
_EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
_SOUTHEAST_ASIAN = re.compile(r"[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff]+")


def tokenizer(name: str) -> Callable[[str], list[str]]:
    """Return the function that finds the words of a text; stemming puts them in lower case, if this does not.

    Examples
    --------
    >>> tokenizer("rouge")("The co-founder's £9m café")
    ['the', 'co', 'founder', 's', '9m', 'caf']
    >>> tokenizer("unicode")("The co-founder's £9m café")
    ['The', 'co', 'founder', 's', '9m', 'café']
    """
    if choice("tokenizer", name, TOKENIZERS) == "rouge":
        return _plain_words
    found: Callable[[str], list[str]] = _ANY_WORD.findall
    return found


def _plain_words(text: str) -> list[str]:
    # What is outside ASCII becomes a question mark and then a space; tables are much faster than patterns here.
    return text.encode("ascii", "replace").translate(_PLAIN).decode("ascii").split()


def stemmer(name: str, wordnet: Path | None = None) -> Callable[[str], str]:
    """Return the function from a word, as written, to what is counted in its place.

    Parameters
    ----------
    name
        ``none`` puts the word in lower case and no more. ``porter`` stems words of more than three letters as
        ROUGE-1.5.5 does with ``-m``. ``porter+exceptions`` looks them up in WordNet's exception lists first, as
        ROUGE-1.5.5 does where its exception database is present.
    wordnet
        The folder that holds ``adj.exc``, ``adv.exc``, ``noun.exc`` and ``verb.exc``; by default where Debian has it.

    Examples
    --------
    >>> [stemmer("porter")(word) for word in ("Running", "mice", "was")]
    ['run', 'mice', 'was']
    """
    known = choice("stemming", name, STEMMINGS)
    if known == "none":
        return str.lower
    exceptions = exception_list(WORDNET if wordnet is None else Path(wordnet)) if known.endswith("exceptions") else {}

    def stem(word: str) -> str:
        low = word.lower()
        if len(low) <= 3:
            return low
        return exceptions.get(low) or porter(low)

    return stem


@cache
def exception_list(folder: Path) -> Mapping[str, str]:
    """Return the irregular forms of WordNet with their base forms, such as mice and mouse.

    A form of several parts of speech has the base form of the last in the order adjective, adverb, noun, verb.
    """
    exceptions: dict[str, str] = {}
    for part in ("adj", "adv", "noun", "verb"):
        path = folder / f"{part}.exc"
        try:
            lines = path.read_text(encoding="ascii").splitlines()
        except FileNotFoundError:
            raise UsageError(
                f"stemming with exceptions needs WordNet's exception lists, but there is no {path}; "
                f"run {WORDNET_COMMAND}, or give the folder that has them as wordnet"
            ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise FormatError(f"this is not an exception list of WordNet: {error}", file=path) from None
        for number, line in enumerate(lines, 1):
            words = line.split()
            if len(words) < 2:
                raise FormatError(f"expected a form and its base form, got {line!r}", file=path, line=number)
            exceptions[words[0]] = words[1]
    return exceptions


_CONSONANTS = r"[^aeiou][^aeiouy]*"
_VOWELS = r"[aeiouy][aeiou]*"
_MEASURE_OVER_0 = re.compile(rf"^(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}")
_MEASURE_1 = re.compile(rf"^(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}(?:{_VOWELS})?$")
_MEASURE_OVER_1 = re.compile(rf"^(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}{_VOWELS}{_CONSONANTS}")
_HAS_VOWEL = re.compile(rf"^(?:{_CONSONANTS})?[aeiouy]")
_SHORT = re.compile(rf"^{_CONSONANTS}[aeiouy][^aeiouwxy]$")
_DOUBLE = re.compile(r"([^aeiouylsz])\1$")
_STEP_2 = dict(
    pair.split(":")
    for pair in word_list(
        "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize "
        "ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble logi:log"
    )
)
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = re.compile(r"(?:al|ance|ence|er|ic|able|ible|ant|ement|ou|ism|ate|iti|ous|ive|ize)$")


@lru_cache(maxsize=1 << 18)
def porter(word: str) -> str:
    """Return the stem of a word in lower case by the algorithm of Porter (1980), in the shape ROUGE-1.5.5 has.

    That shape has the two changes that Porter made later (-bli and -logi in step 2), and in step 4 goes on to try
    -ment and -ent where another ending has gone, so that a stem may lose two endings there.

    Examples
    --------
    >>> [porter(word) for word in ("relational", "hopping", "sky", "yelling", "possibly")]
    ['relat', 'hop', 'sky', 'yell', 'possibl']
    """
    if len(word) < 3:
        return word
    # A y that starts the word is a consonant; as a capital, no pattern takes it for a vowel.
    word = "Y" + word[1:] if word[0] == "y" else word
    word = _without_inflection(word)
    word = _with_ending(word, _STEP_2)
    word = _with_ending(word, _STEP_3)
    word = _without_derivation(word)
    if word.endswith("e"):
        stem = word[:-1]
        if _MEASURE_OVER_1.search(stem) or (_MEASURE_1.search(stem) and not _SHORT.search(stem)):
            word = stem
    if word.endswith("ll") and _MEASURE_OVER_1.search(word):
        word = word[:-1]
    return "y" + word[1:] if word[0] == "Y" else word


def _without_inflection(word: str) -> str:
    """Take off plurals and the endings -ed and -ing (step 1)."""
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif len(word) > 1 and word[-1] == "s" and word[-2] != "s":
        word = word[:-1]
    if word.endswith("eed"):
        if _MEASURE_OVER_0.search(word[:-3]):
            word = word[:-1]
    elif word.endswith(("ed", "ing")):
        stem = word[: -2 if word.endswith("ed") else -3]
        if _HAS_VOWEL.search(stem):
            word = stem
            if word.endswith(("at", "bl", "iz")):
                word += "e"
            elif _DOUBLE.search(word):
                word = word[:-1]
            elif _SHORT.search(word):
                word += "e"
    if word.endswith("y") and _HAS_VOWEL.search(word[:-1]):
        word = word[:-1] + "i"
    return word


def _with_ending(word: str, endings: Mapping[str, str]) -> str:
    """Change the longest ending that is known, if enough of the word stands before it (steps 2 and 3)."""
    for length in range(7, 2, -1):
        ending = word[-length:]
        if len(ending) == length and ending in endings:
            stem = word[:-length]
            return stem + endings[ending] if _MEASURE_OVER_0.search(stem) else word
    return word


def _without_derivation(word: str) -> str:
    """Take off endings that make one word out of another (step 4)."""
    ending = _STEP_4.search(word)
    if ending and _MEASURE_OVER_1.search(word[: ending.start()]):
        word = word[: ending.start()]
    if word.endswith("ment") and _MEASURE_OVER_1.search(word[:-4]):
        word = word[:-4]
    if word.endswith("ent"):
        if _MEASURE_OVER_1.search(word[:-3]):
            word = word[:-3]
    elif word.endswith(("sion", "tion")) and _MEASURE_OVER_1.search(word[:-3]):
        word = word[:-3]
    return word


class Words(dict[str, int]):
    """Numbers of words as written: words with one stem have one number, given out in order of first use."""

    __slots__ = ("_find", "_numbers", "_stem")

    def __init__(self, find: Callable[[str], list[str]], stem: Callable[[str], str]) -> None:
        super().__init__()
        self._find = find
        self._stem = stem
        self._numbers: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        number = self._numbers.setdefault(self._stem(word), len(self._numbers))
        self[word] = number
        return number

    def of(self, text: str) -> list[int]:
        """Return the numbers of the words of a text, in order."""
        return list(map(self.__getitem__, self._find(text)))


def lengths_of_ngrams(value: int | str | Iterable[int]) -> tuple[int, ...]:
    """Return the lengths of n-grams that are meant by a number, a list, or text parted by commas, spaces or pluses.

    Examples
    --------
    >>> lengths_of_ngrams("1+2")
    (1, 2)
    """
    parts: Iterable[object] = value if isinstance(value, Iterable) else (value,)
    if isinstance(value, str):
        parts = re.split(r"[,+\s]+", value.strip())
    try:
        found = tuple(dict.fromkeys(int(str(part)) for part in parts))
    except ValueError:
        found = ()
    if not found or not all(1 <= n <= 9 for n in found):
        raise UsageError(f"n must be whole numbers from 1 to 9, such as 1 or 1+2, got {value!r}")
    return found


ENGLISH_WORD = re.compile(
    r"[^\W_]+?(?=n['’]t\b)|n['’]t\b|['’](?:s|re|ve|ll|d|m)\b|[^\W_]+(?:[-.,][^\W_]+)*|\S", re.IGNORECASE
)
"""A word as taggers and parsers of English part them: do n't, it 's; any other mark stands by itself."""


def ngrams(words: Sequence[T], n: int) -> Iterator[tuple[T, ...]]:
    """Return the n-grams of a text, in order."""
    return zip(*(words[at:] for at in range(n)), strict=False)


def unspaced(texts: Iterable[str]) -> bool:
    """Tell whether the texts are written, for the most part, in a script that puts no spaces between words.

    Text of such a script that was parted into words beforehand has short runs of letters and counts as spaced: on
    average no more than 3 letters in Chinese and Japanese, 10 in Thai, Lao, Khmer, Burmese and Tibetan.

    Examples
    --------
    >>> unspaced(["今天天气很好我们去公园"]), unspaced(["今天 天气 很 好"]), unspaced(["Good weather"])
    (True, False, False)
    """
    letters = within = 0
    lengths: dict[int, list[int]] = {3: [], 10: []}
    for text in texts:
        if text.isascii():
            letters += len(text)
            continue
        letters += len(_LETTER.findall(text))
        for limit, runs in ((3, _EAST_ASIAN), (10, _SOUTHEAST_ASIAN)):
            found = [len(run) for run in runs.findall(text)]
            lengths[limit] += found
            within += sum(found)
    if within * 2 <= letters:
        return False
    return any(sum(runs) > limit * len(runs) for limit, runs in lengths.items() if runs)


def unreadable(texts: Iterable[str], tokens: str) -> bool:
    """Tell whether a tokenizer loses more than half of the letters of the texts, so that a score would mean nothing."""
    if tokens != "rouge":
        return False
    kept = lost = 0
    for text in texts:
        if text.isascii():
            return False
        letters = _LETTER.findall(text)
        ascii_letters = sum(letter.isascii() for letter in letters)
        kept += ascii_letters
        lost += len(letters) - ascii_letters
    return lost > kept


def wordless(item: Item, tokens: str, *, against: str = "references") -> bool:
    """Tell whether words of an item cannot be counted: its script has no spaces, or the tokenizer does not read it.

    Parameters
    ----------
    item
        The item.
    tokens
        The name of the tokenizer.
    against
        What the output is compared to: ``references``, ``source``, or ``nothing``.
    """
    return why_wordless(item, tokens, against=against) != ""


def why_wordless(item: Item, tokens: str, *, against: str = "references") -> str:
    """Return why words of an item cannot be counted: ``spaceless``, ``unreadable`` or nothing; see :func:`wordless`."""
    compared = {"references": item.references, "source": (item.source or "",), "nothing": ()}[against]
    texts = (item.output, *compared)
    if not any(not text.isascii() and _BEYOND_LATIN.search(text) for text in texts):
        return ""
    if unspaced(texts):
        return "spaceless"
    return "unreadable" if unreadable(texts, tokens) else ""


class WordScorer(Scorer):
    """A metric of words: which words it counts, and which items it cannot read."""

    against = "references"
    """What an output is compared to: ``references``, ``source``, or ``nothing``."""
    tokens = "unicode"
    stem = "none"
    _lacking = "score"
    """What an output that cannot be read lacks."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.needs = cast("frozenset[Need]", frozenset({self.against} - {"nothing"}))

    def _words(self, wordnet: Path | None = None, stop: frozenset[str] = frozenset()) -> Words:
        """Return numbers for words, as the options say; it is called once at the start to tell what is missing."""
        find = tokenizer(self.tokens)

        def kept(text: str) -> list[str]:
            return [word for word in find(text) if word.lower() not in stop]

        return Words(kept if stop else find, stemmer(self.stem, wordnet))

    def _each(self, items: Sequence[Item], one: Callable[[Item], Sequence[float] | FloatArray | float]) -> FloatArray:
        """Return what is said of each item, (items, columns); NaN for one that cannot be read."""
        nothing = np.full(len(self.columns), np.nan)
        return super()._each(items, lambda item: nothing if self._wordless(item) else one(item))

    def _wordless(self, item: Item) -> bool:
        return wordless(item, self.tokens, against=self.against)

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:
        """Count the items whose words cannot be told, and why."""
        reasons = Counter(why_wordless(item, self.tokens, against=self.against) for item in items)
        told = [
            note
            for why, n in reasons.items()
            for note in self._counted(
                "outputs-unreadable",
                n if why else 0,
                outputs=len(items),
                why=why,
                tokens=self.tokens,
                lacking=self._lacking,
            )
        ]
        return (*told, *self._notes_on_foreign(items))

    def _notes_on_foreign(self, items: Sequence[Item]) -> tuple[Note, ...]:
        """Count the outputs written in a script that a metric of words cannot read, unlike their comparison."""
        return self._counted("outputs-foreign", sum(map(self._is_foreign, items)), outputs=len(items))

    def _is_foreign(self, item: Item) -> bool:
        """Tell whether the words of an output alone cannot be counted, while what it is compared to can be read.

        Such an output has a score, because a system that writes in the wrong language should have a bad one.
        """
        if item.output.isascii() or self.against == "nothing" or self._wordless(item):
            return False
        compared = item.references if self.against == "references" else (item.source or "",)
        return any(text.strip() for text in compared) and wordless(item, self.tokens, against="nothing")
