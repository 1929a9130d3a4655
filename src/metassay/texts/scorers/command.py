"""Any program as a metric: texts as JSON lines in, a number per line out."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from metassay.core import vocabulary
from metassay.core.texts import Item
from metassay.errors import DataError, UsageError, one_line
from metassay.stats.arrays import FloatArray
from metassay.texts.programs import arguments_of, contents_of, lines_of
from metassay.texts.scorers.adapter import EVERYTHING, Adapter, needs_of, where
from metassay.texts.scorers.base import Unfinished


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

    def __init__(
        self,
        run: str | None = None,
        *,
        name: str | None = None,
        needs: str | Iterable[str] | None = None,
        scores: str | Iterable[str] | None = None,
        lower_is_better: bool | str | Iterable[str] = False,
        batch_size: int = 500,
        timeout: float = 600.0,
        parallel: bool = False,
        version: str = "",
    ) -> None:
        if run is None:
            raise UsageError('command needs a program: command[run="./my-metric --fast",name=mine]')
        self._arguments = arguments_of(str(run))
        self._what = f"the command {one_line(run, 60)!r}"
        self._timeout = vocabulary.positive("timeout", timeout)
        self.batch = vocabulary.count("batch_size", batch_size)
        self.in_process = not vocabulary.flag("parallel", parallel)
        program = Path(shutil.which(self._arguments[0]) or self._arguments[0])
        super().__init__(
            program.stem if name is None else name,
            needs=needs_of(needs or ()),
            sees=EVERYTHING if needs is None else needs_of(needs),
            scores=scores,
            lower_is_better=lower_is_better,
            recipe={"command": shlex.join(self._arguments), "code": contents_of(self._arguments), "version": version},
        )

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return scores of shape (items, columns), NaN where the program says null."""
        try:
            lines, complaint = lines_of(self._arguments, map(self._line, items), what=self._what, timeout=self._timeout)
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
