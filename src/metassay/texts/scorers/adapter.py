"""Metrics that are not of this package: what they have alike, and any program as one of them."""

from __future__ import annotations

import json
import math
import re
import shlex
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import cast

import numpy as np

from metassay.core import vocabulary
from metassay.core.texts import Item
from metassay.errors import DataError, UsageError, listed, one_line
from metassay.stats.arrays import FloatArray
from metassay.texts.programs import arguments_of, contents_of, lines_of
from metassay.texts.scorers.base import Need, Scorer, Unfinished, in_recipe, option

NEEDS = ("references", "source")
EVERYTHING: frozenset[Need] = frozenset({"references", "source"})


class Adapter(Scorer):
    """A metric that somebody else computes, with the options that all of these have."""

    name: str | None = None  # type: ignore[assignment]
    needs: str | Iterable[str] | None = None  # type: ignore[assignment]
    scores: str | Iterable[str] | None = None
    lower_is_better: bool | str | Iterable[str] = False  # type: ignore[assignment]

    def _settle(self, name: str, needs: frozenset[Need], sees: frozenset[Need], recipe: Mapping[str, object]) -> None:
        """Settle what the options leave open: a name, what an output must have, what is seen, what else decides."""
        self.name = checked_name("the name of a metric", name if self.name is None else self.name)
        self._scores = None if self.scores is None else _names_of_scores(self.scores)
        self.columns = (self.name,) if self._scores is None else tuple(f"{self.name}_{s}" for s in self._scores)
        self.lower_is_better = lower_columns(self.lower_is_better, self._scores or (self.name,), self.columns)
        self.needs, self.sees = needs, sees
        parts = {**recipe, "sees": ",".join(sorted(sees)), "scores": ",".join(self._scores or ())}
        told = [f"{key}:{in_recipe(value, 400)}" for key, value in parts.items() if value not in ("", None)]
        self.signature = "|".join([self.name, *told])

    def _rows(
        self, items: Sequence[Item], said: Callable[[int], object], wrong: Callable[[int, ValueError], str]
    ) -> FloatArray:
        """Return scores of shape (items, columns) from what is said of each; what comes before a failure is kept."""
        rows: list[FloatArray] = []
        try:
            for at in range(len(items)):
                rows.append(self._row(said(at)))  # noqa: PERF401 - so far as it goes
        except Unfinished as stop:
            raise Unfinished(str(stop), list(zip(items, rows, strict=False))) from stop.__cause__
        except ValueError as error:
            raise Unfinished(wrong(len(rows), error), list(zip(items, rows, strict=False))) from None
        return np.stack(rows) if rows else np.empty((0, len(self.columns)))

    def _row(self, value: object) -> FloatArray:
        """Return the scores of one output from what the metric said of it, or say in a ValueError what is wrong."""
        if value is None:
            return np.full(len(self.columns), np.nan)
        if self._scores is None:
            if isinstance(value, Mapping):
                names = "+".join(str(key) for key in value)
                raise ValueError(f"several named scores; choose some with scores={one_line(names, 80)}")
            return np.array([number(value)])
        if isinstance(value, Mapping):
            absent = [name for name in self._scores if name not in value]
            if absent:
                raise ValueError(f"no score {absent[0]!r} (available: {listed(map(str, value)) or 'none'})")
            return np.array([number(value[name]) for name in self._scores])
        if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes):
            if len(value) == len(self._scores):
                return np.array([number(one) for one in value])
            raise ValueError(f"{len(value)} numbers where {len(self._scores)} were expected")
        if len(self._scores) == 1:
            return np.array([number(value)])
        raise ValueError(f"{one_line(repr(value), 60)} where scores named {listed(self._scores)} were expected")


def number(value: object) -> float:
    """Return a score as a number, NaN for None; true and false are 1 and 0.

    What is no score is told in a ValueError that goes on after "it printed" or "it returned".

    Examples
    --------
    >>> number(True), number(None)
    (1.0, nan)
    """
    if value is None:
        return math.nan
    if isinstance(value, str | bytes) or not hasattr(value, "__float__"):
        raise ValueError(f"{one_line(repr(value), 60)}, which is not a number")
    try:
        # numbers of NumPy and torch come here too
        found = float(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        raise ValueError(f"{one_line(repr(value), 60)}, which is not a number") from None
    if math.isinf(found):
        raise ValueError(f"{found}, which is not finite; a missing score is null, None or NaN")
    return found


def parts_of(value: str | Iterable[str]) -> tuple[str, ...]:
    """Return several names, given as a list or as text parted by pluses, commas or spaces.

    Examples
    --------
    >>> parts_of("references+source")
    ('references', 'source')
    """
    if isinstance(value, str):
        value = re.split(r"[+,\s]+", value)
    elif not isinstance(value, Iterable):
        raise UsageError(f"expected a name or several, such as a+b, got {one_line(repr(value), 60)}")
    return tuple(dict.fromkeys(str(part).strip() for part in value if str(part).strip()))


def needs_of(value: str | Iterable[str]) -> frozenset[Need]:
    """Return what an output must have, from names; ``output`` and ``none`` ask for nothing more."""
    wanted = [name for name in parts_of(value) if name not in ("output", "none")]
    return cast("frozenset[Need]", frozenset(vocabulary.choice("need", name, NEEDS) for name in wanted))


def checked_name(what: str, name: object) -> str:
    """Return a name that can head a column and begin a recipe."""
    text = str(name).strip()
    if not text or not text.isprintable() or re.search(r"[|,\[\]{}\"']", text):
        raise UsageError(
            f"{what} must be letters, digits and marks other than , | ' and brackets; got {one_line(text, 60)!r}"
        )
    return text


def _names_of_scores(scores: str | Iterable[str]) -> tuple[str, ...]:
    found = tuple(checked_name("the name of a score", name) for name in parts_of(scores))
    if not found:
        raise UsageError("scores must name the numbers that are wanted, such as scores=precision+recall")
    return found


def lower_columns(lower: bool | str | Iterable[str], names: Sequence[str], columns: Sequence[str]) -> frozenset[str]:
    """Return the columns in which lower scores are better, said of all or by the names of scores."""
    if isinstance(lower, bool):
        return frozenset(columns if lower else ())
    chosen = [vocabulary.choice("score", name, names) for name in parts_of(lower)]
    return frozenset(columns[list(names).index(name)] for name in chosen)


def where(item: Item) -> str:
    """Return a name of an item for messages."""
    return f"system {one_line(item.system, 40)!r}, input {one_line(item.input, 40)!r}"


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
