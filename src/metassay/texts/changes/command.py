"""Any program that reads texts and prints translations."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Sequence

from metassay.errors import DataError, one_line
from metassay.texts.changes.translators import Translated, Unit, filled
from metassay.texts.programs import arguments_of, contents_of, lines_of


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
