"""Data sets of mt-metrics-eval: directories with human-scores/ and metric-scores/ per language pair."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from metassay.core.frames import number
from metassay.core.ledger import Ledger, Place
from metassay.core.note import Note
from metassay.core.origin import Origin
from metassay.core.scores import REFERENCE_GROUP, Kind
from metassay.errors import DataError, one_line
from metassay.readers.languages import LanguagePair
from metassay.readers.source import Source

FORMAT = "mt-metrics-eval"
_SEGMENT = "seg"
_LEVELS = {"sys": "system", "domain": "domain", "doc": "document", _SEGMENT: "segment"}


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
    """Write the segment scores of one language pair into the ledger, and return what they come from.

    Metrics keep the name of their reference, such as ``BLEU-refA``, as mt-metrics-eval itself names them.
    Inputs are segment numbers. Scores of whole systems, domains and documents are left out.
    """
    files = _score_files(path)
    if not files:
        raise DataError(f"{one_line(shown)}: the directory holds no score files such as en-de.mqm.seg.score")
    chosen = pair.settle([file.pair for file in files], shown)
    ours = [file for file in files if file.pair == chosen]
    segments = [file for file in ours if file.level == _SEGMENT]
    if not segments:
        levels = ", ".join(sorted({_LEVELS.get(file.level, file.level) for file in ours}))
        raise DataError(
            f"{one_line(shown)}: {chosen} has scores per {levels} only; files such as {chosen}.mqm.seg.score are needed"
        )
    expected = _count_segments(path / "sources" / f"{chosen}.txt", shown)
    for file in segments:
        expected = _record_file(file, ledger, expected)
    _group_references(path, chosen, ledger, {name for file in segments for name in _systems(file.path)})
    name = path.name or shown
    left_out = Counter(_LEVELS.get(file.level, file.level) for file in ours if file.level != _SEGMENT)
    if left_out:
        ledger.note(Note.of("files-of-other-levels", file=name, levels=sorted(left_out.items())))
    return Origin(name, f"{FORMAT}, {chosen}")


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


def _record_file(file: _ScoreFile, ledger: Ledger, expected: int | None) -> int | None:
    """Write one file into the ledger and return how many segments its systems have."""
    source = Source(file.path, named=False)
    systems, keys, scores, lines = [], [], [], []
    seen: Counter[str] = Counter()
    for line, text in source.filled_lines():
        fields = text.split("\t") if "\t" in text else text.split()
        if len(fields) != 2:
            raise source.wrong(f"expected SYSTEM SCORE, got {len(fields)} fields", line)
        system = fields[0].strip()
        seen[system] += 1
        systems.append(system)
        keys.append(str(seen[system]))
        scores.append(number(fields[1], "score", Place(source.shown, line)))
        lines.append(line)
    for system, n in seen.items():
        expected = n if expected is None else expected
        if n != expected:
            raise source.wrong(f"system {one_line(system)!r} has {n} scores, expected {expected}, one per segment")
    ledger.record_many(systems, keys, file.name, scores, source.shown, lines, kinds=file.kind)
    return expected


def _systems(path: Path) -> set[str]:
    return {text.split()[0] for _, text in Source(path, named=False).filled_lines()}


def _group_references(path: Path, pair: str, ledger: Ledger, systems: set[str]) -> None:
    """Say of each system that is one of the reference translations that it is one."""
    for file in sorted((path / "references").glob(f"{pair}.*.txt")):
        name = file.name.removeprefix(f"{pair}.").removesuffix(".txt")
        if name in systems:
            ledger.group(name, REFERENCE_GROUP, Place(str(file)))
