"""Who translates: Apertium, a Marian model, or any command, by name."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import shlex
import shutil
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from metassay.core.extras import load_extra
from metassay.errors import DataError, UsageError, listed, one_line
from metassay.texts.hub_models import digest_of, located, pretrained
from metassay.texts.programs import arguments_of, call, contents_of, lines_of
from metassay.texts.segments import word_list

Unit = Literal["text", "line", "sentence"]
"""What a translator takes at a time; it sees no line breaks unless it takes whole texts."""

NAMES = ("apertium", "marian", "marian:MODEL", "command:CMD", "command-jsonl:CMD")
"""The translators, as they are named."""


class Translated(NamedTuple):
    """A segment in the other language."""

    text: str
    """The translation."""
    unknown: int | None
    """Words that the translator did not know; None if it does not tell."""
    cut: bool = False
    """Whether the segment was too long for the translator, so that its end is lost."""


_HOLE = re.compile(r"\{(from|to)\}")


def filled(template: str, source: str, target: str) -> str:
    """Return a template with the languages in the places of ``{from}`` and ``{to}``."""
    return _HOLE.sub(lambda match: source if match[1] == "from" else target, template)


_THREE_LETTERS = dict(
    pair.split(":")
    for pair in word_list(
        "en:eng es:spa ca:cat fr:fra pt:por gl:glg eo:epo it:ita oc:oci ro:ron eu:eus nl:nld af:afr de:deu da:dan "
        "sv:swe nb:nob nn:nno is:isl cy:cym br:bre ru:rus uk:ukr be:bel pl:pol mk:mkd bg:bul sh:hbs hr:hrv sr:srp "
        "sl:slv hi:hin ur:urd id:ind ms:msa mt:mlt ar:ara kk:kaz tt:tat tr:tur fi:fin sc:srd an:arg"
    )
)
_PACKAGES = {
    frozenset(pair.split(":")[0].split("-")): f"apertium-{pair.split(':')[1]}"
    for pair in word_list(
        "en-es:eng-spa en-ca:eng-cat en-gl:en-gl en-eo:eo-en es-ca:spa-cat fr-ca:fra-cat es-pt:es-pt es-gl:es-gl "
        "es-it:spa-ita af-nl:afr-nld sv-da:swe-dan hi-ur:hin-urd"
    )
}
_ESCAPED = re.compile(r"[\[\]{}^$/\\<>]")
_MARKS = "*#@~"
"""Characters by which Apertium marks words it does not know; in the text itself they wear a mask meanwhile."""
_MASK = {ord(mark): chr(0xE000 + ord(mark)) for mark in _MARKS}
_UNMASK = {ord(mask): chr(mark) for mark, mask in _MASK.items()}
_READ = re.compile(r"\\(.)|([*#@])", re.DOTALL)
_END = ".[]"
"""A full stop that is not the text's own: words do not wander over it into the next segment."""


class Apertium:
    """Translates line by line with the Apertium of this machine.

    Segments go to one process in a row, each closed by a null character at which every part of Apertium starts
    afresh, so that a translation does not depend on its neighbours.

    Parameters
    ----------
    source, target
        Languages by two or three letters, such as ``"en"`` and ``"es"``.
    timeout
        Seconds that a batch may last.
    """

    unit: Unit = "line"
    batch = 100
    threads: int | None = None

    def __init__(self, source: str, target: str, *, timeout: float) -> None:
        package = _PACKAGES.get(frozenset((_two_letters(source), _two_letters(target))))
        program = shutil.which("apertium")
        if program is None:
            raise UsageError(f"Apertium is not installed; run: apt-get install apertium {package or ''}".rstrip())
        self._program, self._timeout = program, timeout
        modes = self._call("-l").decode("utf-8", "replace").split()
        wanted = [f"{a}-{b}" for a in _codes(source) for b in _codes(target)]
        mode = next((name for name in wanted if name in modes), None)
        if mode is None:
            remedy = f"run: apt-get install {package}" if package else "search: apt-cache search apertium"
            raise UsageError(
                f"Apertium has no data for {source} to {target} here ({remedy}; "
                f"directions installed: {listed(modes) or 'none'})"
            )
        self._mode = mode
        self.signature = f"apertium|mode:{mode}|data:{_data_digest(mode)}"

    def _call(self, *arguments: str, data: bytes = b"") -> bytes:
        environment = {"LC_ALL": "C.UTF-8"}
        ran = call([self._program, *arguments], data, what="Apertium", timeout=self._timeout, environment=environment)
        return ran.out

    def translate(self, segments: Sequence[str]) -> list[Translated]:
        """Return one translation per segment, without Apertium's marks; marked words are counted."""
        masked = (_ESCAPED.sub(r"\\\g<0>", segment.translate(_MASK)) for segment in segments)
        data = "".join(f"{segment}{_END}\0" for segment in masked).encode("utf-8")
        answers = self._call("-f", "none", "-z", self._mode, data=data).decode("utf-8", "replace").split("\0")
        found, rest = answers[: len(segments)], answers[len(segments) :]
        if len(found) == len(segments) and not any(map(str.strip, rest)):
            return [_unmarked(answer) for answer in found]
        if len(segments) == 1:
            raise DataError(f"Apertium gave {len(answers)} answers to one text, which begins {segments[0][:60]!r}")
        # one odd segment must not spoil the others
        middle = len(segments) // 2
        return self.translate(segments[:middle]) + self.translate(segments[middle:])


def _unmarked(answer: str) -> Translated:
    """Take escapes and marks out of an answer, and count the marks."""
    body = answer.rstrip()
    body = body.removesuffix(_END) if body.endswith(_END) else body.removesuffix("[]")
    unknown = 0

    def plain(match: re.Match[str]) -> str:
        nonlocal unknown
        if match[2]:
            unknown += 1
            return ""
        return match[1]

    return Translated(_READ.sub(plain, body).translate(_UNMASK).strip(), unknown)


def _codes(language: str) -> tuple[str, ...]:
    three = _THREE_LETTERS.get(language, language)
    return tuple(dict.fromkeys((three, language, _two_letters(language))))


def _two_letters(language: str) -> str:
    return next((two for two, three in _THREE_LETTERS.items() if three == language), language)


def _data_digest(mode: str) -> str:
    """Return a short digest of the data that a direction uses, so that new data gets new translations."""
    path = Path(os.environ.get("APERTIUM_DATADIR", "/usr/share/apertium")) / "modes" / f"{mode}.mode"
    try:
        recipe = path.read_text(encoding="utf-8")
    except OSError:
        return "unknown"
    digest = hashlib.sha256(recipe.encode())
    for name in re.findall(r"'([^']+)'", recipe):
        if Path(name).is_file():
            about = Path(name).stat()
            digest.update(f"{name}\0{about.st_size}\0{int(about.st_mtime)}".encode())
    return digest.hexdigest()[:10]


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
        needed = "Marian models need transformers, torch and sentencepiece"
        self._torch, *_ = load_extra("models", needed, "torch", "transformers", "sentencepiece")
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


class Command:
    """Translates with a command of the user's.

    Parameters
    ----------
    command
        The program with its arguments, quoted as in a shell, which is not used; ``{from}`` and ``{to}`` stand for
        the languages.
    source, target
        The languages.
    json_lines
        Without it the program reads one text per line and prints one line for each. With it, it reads
        ``{"text": …, "from": …, "to": …}`` per line, texts with their line breaks, and prints ``{"text": …}`` or
        ``{"text": …, "unknown": 2}``, or a JSON string.
    timeout
        Seconds that one call may last.
    """

    batch = 256
    threads = 1

    def __init__(self, command: str, source: str, target: str, *, json_lines: bool, timeout: float) -> None:
        self._arguments = arguments_of(command, lambda argument: filled(argument, source, target))
        self._what = f"the command {one_line(self._arguments[0], 60)!r}"
        self._languages = {"from": source, "to": target}
        self._json, self._timeout = json_lines, timeout
        self.unit: Unit = "text" if json_lines else "line"
        self.signature = f"command{'-jsonl' if json_lines else ''}|{shlex.join(self._arguments)}"
        self.signature += f"|code:{contents_of(self._arguments)}"

    def translate(self, segments: Sequence[str]) -> list[Translated]:
        """Return one translation per segment."""
        lines = (json.dumps({"text": s, **self._languages}) for s in segments) if self._json else segments
        answers, _ = lines_of(self._arguments, lines, what=self._what, timeout=self._timeout)
        if len(answers) != len(segments):
            raise DataError(
                f"{self._what} must print one line per text; it printed {len(answers):,} for {len(segments):,}"
            )
        if not self._json:
            return [Translated(answer.removesuffix("\r"), None) for answer in answers]
        return [self._read(answer, at) for at, answer in enumerate(answers, 1)]

    def _read(self, answer: str, line: int) -> Translated:
        try:
            value = json.loads(answer)
        except ValueError:
            value = None
        if isinstance(value, str):
            return Translated(value, None)
        text = value.get("text") if isinstance(value, dict) else None
        if not isinstance(text, str):
            raise DataError(
                f'{self._what} must print {{"text": "…"}} or a JSON string on each line; '
                f"line {line} is {one_line(answer, 60)!r}"
            )
        unknown = value.get("unknown")
        if isinstance(unknown, bool) or not isinstance(unknown, int | float) or not math.isfinite(unknown):
            return Translated(text, None)
        return Translated(text, max(0, int(unknown)))


Translator = Apertium | Marian | Command


def translator(name: str, source: str, target: str, *, timeout: float) -> Translator:
    """Return the translator of a name for a direction; all it needs is there, so nothing fails after work began.

    Its `signature` is part of the cache's key; a call takes up to `batch` segments, each a `unit`, and `threads` calls
    may run side by side, None for one per processor.

    Parameters
    ----------
    name
        One of :data:`NAMES`. In a model or a command, ``{from}`` and ``{to}`` stand for the languages.
    source, target
        The two languages, such as ``"en"`` and ``"es"``.
    timeout
        Seconds that one call of a program may last.
    """
    kind, _, rest = name.partition(":")
    if kind == "apertium" and not rest:
        return Apertium(source, target, timeout=timeout)
    if kind == "marian":
        return Marian(source, target, *([rest] if rest else []))
    if kind in ("command", "command-jsonl") and rest.strip():
        return Command(rest, source, target, json_lines=kind == "command-jsonl", timeout=timeout)
    raise UsageError(f"a translator is one of {', '.join(NAMES)}; got {one_line(name, 60)!r}")
