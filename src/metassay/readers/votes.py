"""Files of votes: tables in many spellings, LLMBar, PandaLM, AlpacaEval, MT-bench."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from metassay.core.column import Kind
from metassay.core.ledger import Place
from metassay.core.origin import Origin
from metassay.core.reading import Reading
from metassay.core.vote_tables import VoteBook, are_scores, pair_of, winners
from metassay.core.votes import A, B, Votes
from metassay.errors import DataError, UsageError, one_line
from metassay.readers import archives, hf_datasets, tables
from metassay.readers.source import Source

FORMATS = ("votes", "llmbar", "pandalm")

_LOOKED_AT = 20
"""Rows that tell systems from scores."""
_ORDERS = {"swap = False": A, "swap = True": B}


def recognise(source: Source) -> str | None:
    """Return which form of votes a file has."""
    names = tables.column_names(source) if source.is_text or source.head.startswith(b"PAR1") else []
    if {"output_1", "output_2", "label"} <= set(names):
        return "llmbar"
    if {"cmp_key", "response1", "response2"} <= set(names) or _verdict(names):
        return "pandalm"
    pair = pair_of(names)
    if pair is None or are_scores([row for _, row in islice(tables.rows(source), _LOOKED_AT)], pair):
        return None
    return "votes"


def _verdict(names: list[str]) -> str | None:
    """Return the column of verdicts in a file of one judge, as PandaLM keeps it."""
    found = [name for name in names if name.endswith("_result") and name.replace("_result", "_reason") in names]
    return found[0] if found and "idx" in names else None


def read_votes(paths: Iterable[str | PathLike[str]], reading: Reading) -> Votes:
    """Read every path into one book of votes; see :func:`metassay.read_votes`."""
    from metassay.readers.recognition import with_role

    given = [with_role(fspath(path)) for path in paths]
    if not given:
        raise UsageError("no file given; name at least one file with votes")
    book = VoteBook(reading)
    sources: list[Origin] = []
    for shown, role in given:
        if not Path(shown).exists():
            raise UsageError(f"{one_line(shown) or 'an empty name'}: there is no such file or directory")
        with archives.opened(Path(shown), shown) as path:
            sources += _record(path, Path(shown), role, book)
    return book.votes(tuple(sources))


def _record(path: Path, shown: Path, role: Kind | None, book: VoteBook) -> list[Origin]:
    """Write the votes of a file or a folder into the book."""
    from metassay.readers.recognition import stem

    if hf_datasets.is_data_set(path):
        book.role, book.file_name = role, shown.name
        for file_name, lines, columns in hf_datasets.tables(path, str(shown)):
            book.record(columns, file_name, lines)
        return [Origin(shown.name, f"votes, {hf_datasets.FORMAT}")]
    files = sorted(path.rglob("*.json*")) + sorted(path.rglob("*.csv")) if path.is_dir() else [path]
    found: list[tuple[Path, str | None]] = []
    found += [(file, form) for file in files if (form := recognise(Source(file))) is not None]
    if not found and path.is_dir():
        what = "directory" if shown.is_dir() else "zip archive"
        raise DataError(f"{one_line(shown)}: the {what} holds no votes in a known form")
    sources = []
    for file, form in found or [(path, None)]:
        source = Source(file, str(shown / file.relative_to(path)))
        if form is None:
            raise source.wrong(
                "no votes: expected two columns such as model_a, model_b (or left, right; output_1, output_2) and "
                f"a winner (found: {', '.join(tables.column_names(source)[:8]) or 'no table'})"
            )
        book.role, book.file_name = role, stem(file)
        _READERS[form](source, book)
        sources.append(Origin(file.name, form if source.encoding == "UTF-8" else f"{form}, {source.encoding}"))
    return sources


def _record_table(source: Source, book: VoteBook) -> None:
    for lines, columns in tables.columns(source):
        book.record(columns, source.shown, lines)


def _record_llmbar(source: Source, book: VoteBook) -> None:
    """Write the gold label of each pair, and the verdicts of a judge in both orders where they are there."""
    parts = source.path.resolve().parts
    judge = "/".join(parts[parts.index("evaluators") + 1 : -1]) if "evaluators" in parts else source.path.parent.name
    pair = ("output_1", "output_2")
    for line, row in source.records():
        place = Place(source.shown, line)
        key = book.key_of("\n".join(str(row.get(name)) for name in ("input", *pair)))
        fact = {name: row.get(name) for name in ("input", *pair)}
        new = key not in book.pairs
        at = book.fact(fact) if new else book.pairs[key][2]
        if new:
            book.pairs[key] = (*pair, at)
            gold = winners([row.get("label")], [pair[0]], [pair[1]], "label", place.file, [line])[0]
            book.add(key, pair, gold, "gold", -1, at, "human")
        results: Any = row.get("results") or []
        runs = [one for one in results if isinstance(one, dict) and _ORDERS.keys() & one.keys()]
        for run, result in enumerate(runs, 1):
            name = judge if len(runs) == 1 else f"{judge} ({run})"
            for order, first in _ORDERS.items():
                said = result.get(order)
                if isinstance(said, dict):
                    # Verdicts after the swap are told in terms of the outputs as the file has them.
                    won = winners([said.get("winner")], [pair[0]], [pair[1]], "winner", place.file, [line])[0]
                    book.add(key, pair, won, name, first, at, "metric")


def _record_pandalm(source: Source, book: VoteBook) -> None:
    """Write the votes of three people on each pair, or the verdicts of a judge on pairs of another file."""
    verdict = _verdict(tables.column_names(source))
    for line, row in source.records():
        place = Place(source.shown, line)
        key = str(row.get("idx"))
        if verdict is not None:
            rater = verdict.removesuffix("_result")
            won = winners([row.get(verdict)], ["1"], ["2"], verdict, place.file, [line])[0]
            if won is None:
                book.silent[rater] += 1
                book.kinds.setdefault(rater, "metric")
            else:
                book.open.append((key, won, rater, place))
            continue
        a, _, b = str(row.get("cmp_key")).partition("_")
        if not b:
            raise place.wrong("the field 'cmp_key' must be two systems joined by _")
        at = book.fact({name: value for name, value in row.items() if not name.startswith("annotator")})
        book.pairs[key] = (a, b, at)
        for name in sorted(name for name in row if name.startswith("annotator")):
            won = winners([row[name]], [a], [b], name, place.file, [line])[0]
            book.add(key, (a, b), won, name, A, at, "human")


_READERS = {"votes": _record_table, "llmbar": _record_llmbar, "pandalm": _record_pandalm}
