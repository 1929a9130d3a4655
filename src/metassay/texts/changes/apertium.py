"""Apertium, a translator by rules that is a package of Debian."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from metassay.errors import DataError, UsageError, listed
from metassay.texts.changes.translators import Translated, Unit
from metassay.texts.programs import call
from metassay.texts.segments import word_list

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
        self.signature = f"apertium|mode:{mode}|data:{_digest(mode)}"

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
            return [_read(answer) for answer in found]
        if len(segments) == 1:
            raise DataError(f"Apertium gave {len(answers)} answers to one text, which begins {segments[0][:60]!r}")
        # one odd segment must not spoil the others
        middle = len(segments) // 2
        return self.translate(segments[:middle]) + self.translate(segments[middle:])


def _read(answer: str) -> Translated:
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


def _digest(mode: str) -> str:
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
