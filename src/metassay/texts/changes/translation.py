"""Texts in another language, and back again."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from metassay import engine
from metassay.core import options as opt
from metassay.core import text_options as text
from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.origin import Origin
from metassay.core.result import Result
from metassay.core.signature import Signature
from metassay.core.store import TRANSLATIONS, Store
from metassay.core.study import study
from metassay.core.texts import Texts
from metassay.errors import UsageError, one_line
from metassay.texts.changes.translators import Translated, Translator, Unit, translator
from metassay.texts.segments import replaced, sentences, words

LETTERS_PER_BATCH = 100_000
"""Characters after which a batch ends, however few segments it has."""

_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]+)*\Z", re.IGNORECASE)
_LINE = re.compile("[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ue000-\uf8ff]+")
"""What a program may be given on a line: no line breaks, no control characters, nothing that UTF-8 cannot write."""


@dataclass(frozen=True, slots=True)
class TranslationRow:
    """What happened to one part of the texts in one direction."""

    source_language: str
    """The language they were in."""
    language: str
    """The language they are in now."""
    what: str
    """``outputs``, ``references`` or ``sources``."""
    translator: str
    """Who translated."""
    n_texts: int
    """Texts that were translated."""
    n_words: int
    """Their words, counted between white space before translation."""
    n_unknown: float
    """Words that the translator did not know; NaN if it does not tell."""
    share_unknown: float
    """The same as a share of the words."""
    n_emptied: int
    """Texts of which nothing was left."""
    n_cut: int
    """Texts that lost something because a sentence was too long for the translator."""
    n_segments: int
    """Lines or sentences that were translated, each different one once."""
    n_cached: int
    """Those that were known from the cache."""


class Translation(Result, study="translate"):
    """Texts in another language, and how many of their words the translator knew."""

    table: Sequence[TranslationRow]
    """One row per part and direction."""
    texts: Texts
    """The texts in the other language; parts that were not to be translated are as before."""
    back: Texts | None
    """The same, translated back into the first language, if that was asked for."""


@study
def translate(
    texts: Texts,
    *,
    to: str,
    source_language: text.SourceLanguage = None,
    with_: text.TranslateWith = "apertium",
    what: text.Parts = ("outputs", "references", "sources"),
    back: bool = False,
    cache: text.Translated = None,
    timeout: opt.Timeout = 600,
) -> Translation:
    r"""Translate texts into another language and, if asked, back again.

    Parameters
    ----------
    texts
        What to translate.
    to
        The language to translate into, such as ``"es"``.
    back
        Also translate the result back into the first language.

    Raises
    ------
    UsageError
        A language, a translator or a part does not exist, or something is not installed; before any work.
    DataError
        A translator failed, or the cache's disk is full; what was translated before is in the cache.

    Notes
    -----
    Line breaks, blank lines, control characters and white space around lines stay as they are, and so do lines
    without letters. Round trips are those of Braun, Vasilyev, Iskender and Bohannon (2022), section 5.

    Examples
    --------
    >>> texts = Texts({("a", "1"): "one line\n\nanother"})
    >>> result = translate(texts, to="es", with_="command:tr a-z A-Z")
    >>> result.texts.outputs["a", "1"]
    'ONE LINE\n\nANOTHER'
    """
    source = _language("source_language", source_language or texts.language or "en")
    target = _language("to", to)
    if source_language and texts.language and _language("language", texts.language) != source:
        raise UsageError(f"the texts are marked as {texts.language!r}, but source_language is {source_language!r}")
    if source == target:
        raise UsageError(f"the texts are in {source!r} already; name another language")
    parts = vocabulary.names(what)
    if back and with_.startswith("marian:") and not ("{from}" in with_ and "{to}" in with_):
        raise UsageError(
            "a model translates in one direction only; to translate back, put {from} and {to} in its name, "
            "such as marian:models/opus-mt-{from}-{to}"
        )
    there = translator(with_, source, target, timeout=timeout)
    return_ = translator(with_, target, source, timeout=timeout) if back else None

    with Store(cache, TRANSLATIONS) as store:
        rows, translated = _Trip(there, source, target, store).carry(texts, parts)
        returned = None
        if return_ is not None:
            more, returned = _Trip(return_, target, source, store).carry(translated, parts)
            rows += more
    made = {"from": source, "to": target, "back": "yes" if back else None}
    by = there.signature.replace("|", ",")
    sizes = {"systems": len(texts.systems), "inputs": len(texts.inputs)}
    signature = Signature.of("translate", **made, translator=by, what=parts, **sizes)
    return Translation(tuple(rows), signature, _notes(rows, store), translated, returned)


class _Trip(NamedTuple):
    """A translation in one direction."""

    by: Translator
    source: str
    target: str
    store: Store

    def carry(self, texts: Texts, parts: Sequence[str]) -> tuple[list[TranslationRow], Texts]:
        """Translate parts of the texts."""
        unit = self.by.unit
        carried = {part: getattr(texts, part) for part in text.PARTS if part in parts}
        texts_of = {part: [one for it in found.values() for one in _each(it)] for part, found in carried.items()}
        every = dict.fromkeys(part for many in texts_of.values() for one in many for part in _segments(one, unit))
        known, cached = self._translated(list(every))

        def across(whole: str) -> str:
            return replaced(whole, ((a, b, known[whole[a:b]].text) for a, b in spans_of(whole, unit)))

        def moved(value: str | tuple[str, ...]) -> str | tuple[str, ...]:
            return across(value) if isinstance(value, str) else tuple(map(across, value))

        made: dict[str, Any] = {part: {key: moved(it) for key, it in found.items()} for part, found in carried.items()}
        origin = Origin("translated", f"{self.source} to {self.target}, {self.by.signature}")
        new = replace(texts, **made, language=self.target, provenance=(*texts.provenance, origin))
        return [self._row(part, many, known, cached) for part, many in texts_of.items() if many], new

    def _translated(self, segments: Sequence[str]) -> tuple[dict[str, Translated], set[str]]:
        """Return the translation of each segment, and which of them the cache knew."""
        by, store = self.by, self.store
        keys = {segment: _key(by.signature, self.source, self.target, segment) for segment in segments}
        found = store.get(keys.values())
        known = {segment: Translated(*json.loads(found[key])) for segment, key in keys.items() if key in found}
        cached = set(known)
        batches = batches_of([segment for segment in segments if segment not in known], by.batch)

        def work(page: int) -> list[Translated]:
            made = by.translate(batches[page])
            store.put({keys[part]: json.dumps(one).encode() for part, one in zip(batches[page], made, strict=True)})
            return made

        what = f"translating {self.source} to {self.target}"
        done = engine.run(work, len(batches), threads=by.threads, what=what) if batches else []
        for batch, made in zip(batches, done, strict=True):
            known.update(zip(batch, made, strict=True))
        return known, cached

    def _row(self, part: str, texts: Sequence[str], known: dict[str, Translated], cached: set[str]) -> TranslationRow:
        segments = [_segments(one, self.by.unit) for one in texts]
        counts = [known[segment].unknown for own in segments for segment in own]
        n_words = sum(len(words(one)) for one in texts)
        unknown = math.nan if any(count is None for count in counts) else float(sum(count or 0 for count in counts))
        different = {segment for own in segments for segment in own}
        return TranslationRow(
            source_language=self.source,
            language=self.target,
            what=part,
            translator=self.by.signature.partition("|")[0],
            n_texts=len(texts),
            n_words=n_words,
            n_unknown=unknown,
            share_unknown=unknown / n_words if n_words else math.nan,
            n_emptied=sum(bool(own) and not any(known[s].text.strip() for s in own) for own in segments),
            n_cut=sum(any(known[s].cut for s in own) for own in segments),
            n_segments=len(different),
            n_cached=len(different & cached),
        )


def _each(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def _key(*decides: str) -> bytes:
    """Return a digest of all that decides a translation: the translator, the languages and the segment."""
    return hashlib.sha256("\0".join(decides).encode("utf-8", "surrogatepass")).digest()


def batches_of(segments: Sequence[str], most: int) -> list[list[str]]:
    """Return segments in batches of at most so many, which are not too long together."""
    batches: list[list[str]] = []
    letters = 0
    for segment in segments:
        if not batches or len(batches[-1]) == most or letters + len(segment) > LETTERS_PER_BATCH:
            batches.append([])
            letters = 0
        batches[-1].append(segment)
        letters += len(segment)
    return batches


def spans_of(text: str, unit: Unit) -> list[tuple[int, int]]:
    """Return the stretches of a text that go to a translator; everything else stays."""
    spans = [(0, len(text))] if unit == "text" else [match.span() for match in _LINE.finditer(text)]
    found = []
    for start, end in spans:
        line = text[start:end]
        if not any(map(str.isalpha, line)):
            continue
        if unit == "sentence":
            inner = [(start + a, start + b) for a, b in sentences(line)]
            found += [(a, b) for a, b in inner if any(map(str.isalpha, text[a:b]))]
        elif unit == "line":
            found.append((start + len(line) - len(line.lstrip()), end - len(line) + len(line.rstrip())))
        else:
            found.append((start, end))
    return found


def _segments(text: str, unit: Unit) -> list[str]:
    return [text[start:end] for start, end in spans_of(text, unit)]


def _notes(rows: Sequence[TranslationRow], store: Store) -> tuple[Note, ...]:
    notes = list(store.notes)
    for row in rows:
        where = {"texts": row.n_texts, "what": row.what, "source": row.source_language, "target": row.language}
        notes += Note.when(row.n_cut > 0, "translations-truncated", n=row.n_cut, **where)
        notes += Note.when(row.n_emptied > 0, "translations-empty", n=row.n_emptied, **where)
    return (*notes, *Note.when(any(math.isnan(row.n_unknown) for row in rows), "unknown-words-uncounted"))


def _language(what: str, language: str) -> str:
    if not _LANGUAGE.match(language):
        raise UsageError(f"{what} must be a language such as es or pt-br, got {one_line(language, 40)!r}")
    return language.replace("_", "-").lower()
