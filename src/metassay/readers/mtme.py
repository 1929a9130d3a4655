"""Data sets of mt-metrics-eval: directories with human-scores/ and metric-scores/ per language pair."""

from __future__ import annotations

import fnmatch
import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from metassay.core.frames import MISSING, number
from metassay.core.ledger import Coded, Ledger, Place
from metassay.core.note import Note
from metassay.core.origin import Origin
from metassay.core.scores import REFERENCE_GROUP, SYSTEM_SCORE, Kind
from metassay.errors import DataError, one_line
from metassay.readers import arrow_tables
from metassay.readers.languages import LanguagePair
from metassay.readers.source import Source
from metassay.readers.wmt import is_reference
from metassay.stats.arrays import FloatArray, IntArray

FORMAT = "mt-metrics-eval"
_SEGMENT, _SYSTEM = "seg", "sys"
_MUCH = 1 << 23
"""Bytes from which on loading pyarrow pays."""
_LEVELS = {_SYSTEM: "system", "domain": "domain", "doc": "document", _SEGMENT: "segment"}


class _ScoreFile(NamedTuple):
    path: Path
    pair: str
    name: str
    level: str
    kind: Kind


def is_data_set(path: Path) -> bool:
    """Say whether a directory is laid out like a data set of mt-metrics-eval."""
    return (path / "human-scores").is_dir() or (path / "metric-scores").is_dir()


def record(path: Path, shown: str, ledger: Ledger, pair: LanguagePair) -> Origin:
    """Write the scores of one language pair into the ledger, and return what they come from.

    Metrics keep the name of their reference, such as ``BLEU-refA``, as mt-metrics-eval itself names them. Inputs are
    segment numbers, and documents are their clusters. Scores of whole systems belong to no input; those of domains and
    documents are left out.
    """
    files = _score_files(path)
    if not files:
        raise DataError(f"{one_line(shown)}: the directory holds no score files such as en-de.mqm.seg.score")
    name = Path(shown).name or shown
    chosen = pair.settle([file.pair for file in files], shown)
    if chosen is None:
        return Origin(name, f"{FORMAT}, another language pair")
    ours = [file for file in files if file.pair == chosen and _wanted(file, pair.columns)]
    pair.unread.update(dict.fromkeys(file.name for file in files if file.pair == chosen and file not in ours))
    segments = [file for file in ours if file.level == _SEGMENT]
    whole = [file for file in ours if file.level == _SYSTEM]
    if not segments and not whole:
        levels = ", ".join(sorted({_LEVELS.get(file.level, file.level) for file in ours})) or "nothing"
        raise DataError(
            f"{one_line(shown)}: {chosen} has scores per {levels} only; files such as {chosen}.mqm.seg.score are needed"
        )
    expected = _count_segments(path / "sources" / f"{chosen}.txt", shown)
    systems: dict[str, None] = {}
    fast = sum(file.path.stat().st_size for file in segments if file.path.is_file()) > _MUCH
    for file in segments:
        expected = _record_file(file, ledger, expected, systems, fast)
    for file in whole:
        _record_file(file, ledger, None, systems)
    _record_ratings(path, chosen, ledger, pair.columns, {file.name for file in segments})
    _record_documents(path / "documents" / f"{chosen}.docs", ledger, expected)
    _group_references(path, chosen, ledger, systems)
    left_out = Counter(_LEVELS.get(file.level, file.level) for file in ours if file not in (*segments, *whole))
    if left_out:
        ledger.note(Note.of("files-of-other-levels", file=name, levels=sorted(left_out.items())))
    return Origin(name, f"{FORMAT}, {chosen}")


def _wanted(file: _ScoreFile, columns: tuple[str, ...]) -> bool:
    """Say whether a column is asked for; human judgments always are."""
    return not columns or file.kind == "human" or any(fnmatch.fnmatchcase(file.name, each) for each in columns)


def _score_files(path: Path) -> list[_ScoreFile]:
    """Return the score files with what their names say."""
    found = []
    for file in sorted((path / "human-scores").glob("*.score")):
        pair, _, rest = file.name.removesuffix(".score").partition(".")
        name, _, level = rest.rpartition(".")
        if name and level:
            found.append(_ScoreFile(file, pair, name, level, "human"))
    for file in sorted((path / "metric-scores").glob("*/*.score")):
        name, _, level = file.name.removesuffix(".score").rpartition(".")
        if name and level:
            found.append(_ScoreFile(file, file.parent.name, name, level, "metric"))
    return found


def _count_segments(path: Path, shown: str) -> int | None:
    if not path.exists():
        return None
    return sum(1 for _ in Source(path, str(Path(shown, "sources", path.name)), named=False).lines())


def _record_file(
    file: _ScoreFile, ledger: Ledger, expected: int | None, systems: dict[str, None], fast: bool = False
) -> int | None:
    """Write one file into the ledger and return how many segments its systems have."""
    source = Source(file.path, named=False)
    whole = file.level == _SYSTEM
    names, scores, lines = (arrow_tables.two_fields(source) if fast else None) or _parsed(source)
    systems.update(dict.fromkeys(names.labels))
    counts = np.bincount(names.codes, minlength=len(names.labels))
    n = expected or (1 if whole or not len(counts) else int(counts[0]))
    for system, found in zip(names.labels, counts.tolist(), strict=True):
        if found != n:
            what = "of the system" if whole else "one per segment"
            raise source.wrong(f"system {one_line(system)!r} has {found} scores, expected {n}, {what}")
    if whole:
        ledger.record_many(names, SYSTEM_SCORE, file.name, scores, source.shown, lines, kinds=file.kind)
        return None
    at = np.arange(len(scores))
    if not (names.codes == at // n).all():  # systems are not in blocks
        order = np.argsort(names.codes, kind="stable")
        at[order] = np.arange(len(scores))
    keys = Coded(at % n, [str(one + 1) for one in range(n)])
    ledger.record_many(names, keys, file.name, scores, source.shown, lines, kinds=file.kind)
    return n


def _parsed(source: Source) -> tuple[Coded, FloatArray, IntArray]:
    """Return systems, scores and lines; a file in plain form is taken apart at once."""
    text = source.read().decode(errors="replace")
    fields = text.split()
    n = text.count("\n") + (not text.endswith("\n"))
    if len(fields) == 2 * n and "_" not in "".join(fields[1::2]):
        words = ["nan" if one == "None" else one for one in fields[1::2]]
        try:
            return _coded(fields[0::2]), np.fromiter(map(float, words), np.float64, n), np.arange(1, n + 1)
        except ValueError:
            pass  # line by line, to say where
    found = []
    for line, each in source.filled_lines():
        parts = each.split("\t") if "\t" in each else each.split()
        if len(parts) != 2:
            raise source.wrong(f"expected SYSTEM SCORE, got {len(parts)} fields", line)
        found.append((parts[0].strip(), number(parts[1], "score", Place(source.shown, line)), line))
    systems, scores, lines = zip(*found, strict=True) if found else ((), (), ())
    return _coded(systems), np.array(scores, dtype=np.float64), np.array(lines, dtype=np.int64)


def _coded(names: Sequence[str]) -> Coded:
    where = {name: at for at, name in enumerate(dict.fromkeys(names))}
    return Coded(np.fromiter(map(where.__getitem__, names), np.int64, len(names)), list(where))


def _record_ratings(path: Path, pair: str, ledger: Ledger, columns: tuple[str, ...], known: set[str]) -> None:
    """Write the sums of errors that single raters marked: ``LP.NAME.RATER.seg.rating``, a JSON object on each line.

    A column of merged ratings says what the scores of the same name say, and is read where there are none.
    """
    for file in sorted((path / "human-scores").glob(f"{pair}.*.seg.rating")):
        name, _, rater = file.name.removeprefix(f"{pair}.").removesuffix(".seg.rating").partition(".")
        rater = "" if rater == "merged" else rater
        column = f"{name}.rating" if rater else name
        if (not rater and name in known) or (columns and not rater):
            continue
        source = Source(file, named=False)
        systems, keys, scores, lines = [], [], [], []
        seen: Counter[str] = Counter()
        for line, text in source.filled_lines():
            system, _, said = text.partition("\t")
            seen[system] += 1
            systems.append(system)
            keys.append(str(seen[system]))
            lines.append(line)
            scores.append(_rated(said, source, line))
        ledger.record_many(systems, keys, column, scores, source.shown, lines, kinds="human", annotators=rater)


def _rated(said: str, source: Source, line: int) -> float:
    """Return minus the sum of the weights of the errors in a rating; NaN for None."""
    if said.strip().lower() in MISSING:
        return math.nan
    try:
        return -float(sum(error["score"] for error in json.loads(said)["errors"]))
    except (ValueError, KeyError, TypeError):
        raise source.wrong('expected SYSTEM {"errors": [{"score": …}]}, or None', line) from None


def _record_documents(path: Path, ledger: Ledger, expected: int | None) -> None:
    """Write down to which document each segment belongs: ``DOMAIN DOC`` on a line for each."""
    if not path.exists() or not expected:
        return
    source = Source(path, named=False)
    rows = [text.split("\t") if "\t" in text else text.split() for _, text in source.filled_lines()]
    if len(rows) != expected or any(len(fields) != 2 for fields in rows):
        raise source.wrong(f"expected {expected} lines DOMAIN DOC, one per segment, got {len(rows)}")
    for at, (_, document) in enumerate(rows, 1):
        ledger.sort("cluster", str(at), document, Place(source.shown, at))
    domains = [fields[0] for fields in rows]
    ledger.attributes.add("domain")
    first = next(iter(ledger.systems))
    keys = [str(at) for at in range(1, len(rows) + 1)]
    ledger.record_many(first, keys, "domain", np.full(len(rows), np.nan), source.shown, texts=domains, attribute=True)


def _group_references(path: Path, pair: str, ledger: Ledger, systems: Iterable[str]) -> None:
    """Say of each system that is one of the reference translations that it is one."""
    named = {
        file.name.removeprefix(f"{pair}.").removesuffix(".txt") for file in (path / "references").glob(f"{pair}.*.txt")
    }
    for system in systems:
        if system in named or is_reference(system):
            ledger.group(system, REFERENCE_GROUP, Place(str(path)))
