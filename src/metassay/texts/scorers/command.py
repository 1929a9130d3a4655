"""Any program as a metric: texts as JSON lines in, a number per line out."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

from metassay.core import vocabulary
from metassay.core.texts import Item
from metassay.errors import DataError, UsageError, one_line
from metassay.stats.arrays import FloatArray
from metassay.texts.programs import arguments_of, contents_of, lines_of
from metassay.texts.scorers.adapter import EVERYTHING, Adapter, needs_of, where
from metassay.texts.scorers.base import Unfinished, option


class Command(Adapter):
    """Scores with a program of the user's.

    The program is started once per batch. For each output it reads a line ``{"output": …, "references": […],
    "source": …}`` (``null`` where there is no source) and prints a line: a number, ``null`` for a missing score, or an
    object of named numbers.

    Parameters
    ----------
    run
        The program with its arguments, quoted as in a shell; no shell is used.
    name
        The name of the metric; by default that of the program.
    needs
        ``references``, ``source``, or both with a plus: outputs that lack it are not sent and get no score, and
        nothing else is sent. By default everything is sent that is there.
    scores
        Names of the numbers wanted, parted by pluses, if the program prints objects.
    lower_is_better
        Whether small scores are good, or the names of the scores of which this is true.
    batch_size
        How many outputs the program gets at a time. Many, if it takes long to start.
    timeout
        Seconds that one batch may last.
    parallel
        Whether several of it may run at once.
    version
        Anything that tells one version of the metric from another, for what the digest of its files does not show.

    Notes
    -----
    The recipe, under which scores are kept, has the command and a digest of the program and of every argument that is
    a file. What those files use in turn (libraries, models) is not in it: that is what `version` is for.

    Examples
    --------
    >>> count = Command('sed "s/.*/1/"', name="ones")
    >>> count.score([Item("a", "1", "a text", (), None)]).tolist()
    [[1.0]]
    """

    run: str | None = field(default=None, kw_only=False)
    batch_size: int = option(500, vocabulary.count)
    timeout: float = option(600.0, vocabulary.positive)
    parallel: bool = option(False, vocabulary.flag)
    version: str = ""

    def _prepare(self) -> None:
        if self.run is None:
            raise UsageError('command needs a program: command[run="./my-metric --fast",name=mine]')
        self._arguments = arguments_of(str(self.run))
        self._what = f"the command {one_line(self.run, 60)!r}"
        self.batch, self.in_process = self.batch_size, not self.parallel
        name = Path(shutil.which(self._arguments[0]) or self._arguments[0]).stem
        sees = EVERYTHING if self.needs is None else needs_of(self.needs)
        parts = {"command": shlex.join(self._arguments), "code": contents_of(self._arguments), "version": self.version}
        self._settle(name, needs_of(self.needs or ()), sees, parts)

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return scores of shape (items, columns), NaN where the program says null."""
        try:
            lines, complaint = lines_of(self._arguments, map(self._line, items), what=self._what, timeout=self.timeout)
        except DataError as error:
            raise Unfinished(str(error)) from None
        said = f"; it complained: {complaint}" if complaint else ""
        if len(lines) != len(items):
            raise Unfinished(
                f"{self._what} must print one line per output; it printed {len(lines):,} for {len(items):,}{said}"
            )

        def wrong(at: int, error: ValueError) -> str:
            return (
                f"{self._what} must print a number, null or an object of named numbers on each line, "
                f"but on line {at + 1:,} ({where(items[at])}) it printed {error}{said}"
            )

        return self._rows(items, lambda at: _read(lines[at]), wrong)

    def _line(self, item: Item) -> str:
        seen: dict[str, object] = {"output": item.output}
        if "references" in self.sees:
            seen["references"] = item.references
        if "source" in self.sees:
            seen["source"] = item.source
        return json.dumps(seen)


def _read(line: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError(one_line(repr(line), 60)) from None
