"""Which format a file has, and who reads it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple

from metassay.core import checks
from metassay.core.ledger import Bounds, Ledger
from metassay.core.note import Note
from metassay.core.origin import Origin
from metassay.core.reading import Reading
from metassay.core.scales import judging
from metassay.core.scores import Kind, Scores
from metassay.core.vocabulary import choice
from metassay.core.vote_tables import pair_of
from metassay.errors import DataError, FormatError, UnknownName, UsageError, listed, one_line
from metassay.readers import (
    FORMATS,
    alt_test,
    archives,
    exports,
    frank,
    g_eval,
    helm,
    hf_datasets,
    inspect_log,
    judge_bench,
    lm_eval,
    mqm,
    mteb,
    mtme,
    realsumm,
    sacrerouge,
    summary_translation,
    summeval,
    tables,
    votes,
    wmt,
    xlsx,
)
from metassay.readers.languages import EVERY, LanguagePair
from metassay.readers.near import header_elsewhere, near_miss
from metassay.readers.source import Source

_MODULES = (
    sacrerouge,
    summeval,
    lm_eval,
    mteb,
    g_eval,
    inspect_log,
    judge_bench,
    summary_translation,
    realsumm,
    frank,
    helm,
    exports,
    mqm,
    wmt,
    votes,
    xlsx,
    tables,
    alt_test,
)
"""Readers in the order they are asked: formats with field names of their own before tables, which need two columns."""


_NO_DATA = {
    "version https://git-lfs": "this is a pointer of Git LFS and not the file itself; run: git lfs pull",
    "<!doctype html": "this is a page of a website and not the file itself; download the raw file",
    "<html": "this is a page of a website and not the file itself; download the raw file",
}
"""How files begin that stand where data should."""


class _Path(NamedTuple):
    """A file or directory as the user gave it, and what it holds if the user said so."""

    shown: str
    role: Kind | None = None


def read_all(
    paths: Iterable[str | PathLike[str]],
    *,
    format: str | None,
    language: str | None,
    reading: Reading = Reading(),  # noqa: B008 - it is immutable
    columns: tuple[str, ...] = (),
    bounds: Bounds = Bounds(),  # noqa: B008 - it is immutable
) -> Scores:
    """Read every path into one ledger and add it up, up to some bounds; see :func:`metassay.read`."""
    wanted = None if format is None else choice("format", format, tuple(FORMATS))
    given = [with_role(fspath(path)) for path in paths]
    if not given:
        raise UsageError("no file given; name at least one file or directory with scores")
    if reading.by is not None and language is not None:
        raise UsageError(f"language {one_line(language)!r} cannot be chosen together with by={one_line(reading.by)!r}")
    ledger = Ledger(reading, bounds)
    ledger.language = language
    ledger.apart = False
    pair = LanguagePair(language)
    pair.columns = columns
    # What people said comes first, so that a judge's column of the same name gets another.
    ordered = sorted(given, key=lambda path: path.role != "human")
    sources = [origin for path in ordered for origin in _record_path(path, ledger, wanted, pair)]
    shown = [path.shown for path in given]
    _check_alike(sources, given)
    if reading.by is not None and not ledger.by_was_seen:
        raise DataError(
            f"no table has a column {one_line(reading.by)!r} to distinguish scores by (read: {listed(shown, 6)})"
        )
    if pair.skipped and pair.chosen is None:
        every = dict.fromkeys(one for found in pair.skipped.values() for one in found)
        raise UnknownName(
            f"language pair in {listed((Path(name).name for name in pair.skipped), 3)}:", str(language), every
        )
    for name, found in pair.skipped.items():
        ledger.note(Note.of("file-of-other-language", file=Path(name).name, language=str(language), found=found))
    scores = ledger.scores(tuple(sources))
    if language is not None and pair.chosen is None and not set(ledger.extra["language"]) - {""}:
        raise UnknownName("language", language, ())
    doubts = [note for note in checks.doubts(scores) if note not in scores.notes]
    if not doubts and not pair.unread:
        return scores
    return replace(scores, notes=(*scores.notes, *doubts), unread=tuple(pair.unread))


def languages_in(paths: Iterable[str | PathLike[str]], *, format: str | None, reading: Reading) -> tuple[str, ...]:
    """Return the languages, or language pairs, of which files hold scores."""
    wanted = None if format is None else choice("format", format, tuple(FORMATS))
    ledger, pair = Ledger(reading, Bounds()), LanguagePair(EVERY)
    ledger.apart = False
    for path in paths:
        _record_path(with_role(fspath(path)), ledger, wanted, pair)
    return tuple(pair.seen) or tuple(name for name in ledger.extra["language"] if name)


def holds_votes(text: str) -> bool:
    """Say whether a file, or a folder at first sight, holds votes."""
    with archives.opened(Path(with_role(text).shown), text) as path:
        return _holds_votes(path, text)


def _holds_votes(path: Path, text: str) -> bool:
    if hf_datasets.is_data_set(path):
        return pair_of(hf_datasets.names(path, text)) is not None
    if path.is_dir():
        files = [file for file in sorted(path.rglob("*.json*")) + sorted(path.rglob("*.csv")) if file.is_file()]
        return any(recognise(Source(file)) in votes.FORMATS for file in files[:3])
    return path.is_file() and recognise(Source(path)) in votes.FORMATS


def with_role(text: str) -> _Path:
    """Split ``human=FILE`` and ``judge=FILE``; a file that is called so is one without a role."""
    role, sign, rest = text.partition("=")
    roles: dict[str, Kind] = {"human": "human", "judge": "metric", "metric": "metric"}
    if not sign or role not in roles or Path(text).exists():
        return _Path(text)
    return _Path(rest, roles[role])


def _check_alike(sources: list[Origin], given: list[_Path]) -> None:
    """Refuse files of labels by annotator of which nothing says which are people's."""
    labels = [origin.name for origin in sources if origin.format == "alt-test"]
    if len(labels) > 1 and not any(path.role for path in given):
        raise UsageError(
            f"{listed(labels)} hold labels by annotator, without saying which are people and which are models; use "
            "human=FILE and judge=FILE"
        )


def _record_path(given: _Path, ledger: Ledger, wanted: str | None, pair: LanguagePair) -> list[Origin]:
    shown = given.shown
    path = Path(shown)
    try:
        exists, is_dir = bool(shown) and path.exists(), path.is_dir()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(f"{one_line(shown)}: cannot be read: {one_line(reason).lower()}") from None
    if not exists:
        raise UsageError(f"{one_line(shown) or 'an empty name'}: there is no such file or directory")
    ledger.role = given.role
    ledger.file_name = stem(path)
    if not is_dir:
        with archives.opened(path, shown) as inside:
            if inside != path:
                return _record_folder(inside, shown, ledger, wanted, pair, packed=True)
            return [_record_file(Source(path, shown), ledger, wanted, pair)]
    return _record_folder(path, shown, ledger, wanted, pair)


def _record_folder(
    path: Path, shown: str, ledger: Ledger, wanted: str | None, pair: LanguagePair, *, packed: bool = False
) -> list[Origin]:
    if mtme.is_data_set(path) and wanted in (None, mtme.FORMAT):
        return [mtme.record(path, shown, ledger, pair)]
    if wanted == mtme.FORMAT:
        raise UsageError(f"{one_line(shown)}: has neither human-scores/ nor metric-scores/ in it")
    if splits := [one.name for one in sorted(path.iterdir()) if one.is_dir() and hf_datasets.is_data_set(one)]:
        raise UsageError(f"{one_line(shown)}: holds the splits {listed(splits)}; name one, such as {path / splits[0]}")
    if hf_datasets.is_data_set(path):
        return [hf_datasets.record(path, shown, ledger)]
    return _record_directory(path, shown, ledger, wanted, pair, packed)


def stem(path: Path) -> str:
    """Return a file's name without its endings."""
    name = path.name.removesuffix(".gz")
    return name.rpartition(".")[0] or name


def _record_directory(
    path: Path, shown: str, ledger: Ledger, wanted: str | None, pair: LanguagePair, packed: bool
) -> list[Origin]:
    """Read the files that are scores, those in folders of an archive too, and leave the others alone."""
    try:
        entries = sorted(path.iterdir())
        files = archives.files_in(path) if packed else [(file.name, file) for file in entries]
    except OSError as error:
        raise UsageError(f"{one_line(shown)}: cannot be read: {one_line(error.strerror).lower()}") from None
    found = []
    for name, file in files:
        if file.name.startswith(".") or file.is_dir() or not file.exists():
            continue
        source = Source(file, str(Path(shown) / name), named=False)
        if recognise(source, ledger.reading) is not None:
            ledger.file_name = stem(file)
            found.append(_record_file(source, ledger, wanted, pair))
    if not found:
        inside = [e.name for e in entries if e.is_dir() and mtme.is_data_set(e)]
        inside = inside or [e.name for e in entries if e.is_dir() and "score" in e.name]
        hint = (
            f"did you mean {one_line(Path(shown) / inside[0])}?" if inside else "name a file or directory with scores"
        )
        what = "zip archive" if packed else "directory"
        raise DataError(f"{one_line(shown)}: the {what} holds no scores in a known format; {hint}")
    return found


def _record_file(source: Source, ledger: Ledger, wanted: str | None, pair: LanguagePair) -> Origin:
    if not source.head.strip(b"\xef\xbb\xbf \t\r\n"):
        raise source.wrong("the file is empty")
    if wanted == mtme.FORMAT:
        raise UsageError(f"{one_line(source.shown)}: a data set of {mtme.FORMAT} is a directory, this is a file")
    # Who says that a file is people's or a judge's says that short texts in it are labels.
    reading = ledger.reading if ledger.role is None else replace(ledger.reading, labels=("*",))
    name = wanted or recognise(source, reading)
    if name is None and len(ledger.names) and ledger.role is None:  # texts beside scores that were read before
        name = tables.recognise(source, reading, texts=True)
    if name == "alt-test" and ledger.role == "metric":
        name = "alt-test-judges"
    if name is None:
        raise _unknown(source, ledger.reading)
    if name in votes.FORMATS:
        raise source.wrong(
            "the file holds votes, each for one of two outputs, and no scores; see metassay rank, judge and bias (in "
            "Python, metassay.read_votes)"
        )
    module = next(module for module in _MODULES if name in module.FORMATS)
    if module is wmt:
        said = wmt.record(source, ledger, pair)
    else:
        said = module.record(source, ledger, name)
    return Origin(source.name, said if source.encoding == "UTF-8" else f"{said}, {source.encoding}")


def recognise(source: Source, reading: Reading = Reading()) -> str | None:  # noqa: B008 - it is immutable
    """Return the name of the format that a file's content has, or None."""
    for module in _MODULES:
        name: str | None = tables.recognise(source, reading) if module is tables else module.recognise(source)
        if name is not None:
            return name
    return None


def _unknown(source: Source, reading: Reading) -> FormatError:
    """Say as well as possible why a file is no known format."""
    head = source.head
    if head.startswith(b"PK\x05\x06"):
        return source.wrong("the zip archive is empty")
    if len(head) > 3 and (not any(head[1:64:2]) or not any(head[0:64:2])):
        return source.wrong("the text is UTF-16 without a byte order mark; save the file as UTF-8")
    for sign, told in _NO_DATA.items():
        if source.first_line.lower().startswith(sign):
            return source.wrong(told)
    if source.is_text and source.first_line.startswith(("{", "[")):
        try:
            if source.first_record is None:
                source.whole_document()
        except FormatError as error:
            if not source.is_huge:
                source.check_first_line()
            return error
        near = near_miss(source)
        if near:
            return source.wrong(near)
        whole = source.document if source.first_record is None else None
        keys = list(whole if isinstance(whole, dict) else tables.column_names(source, reading))[:8]
        if len(keys) > 2 or (len(keys) == 2 and any(map(judging, keys))):
            tables.explain(source, reading)
        seen = f"JSON with the fields {listed(keys)}" if keys else "JSON"
    elif source.is_text:
        source.check_first_line()
        names = tables.column_names(source, reading)
        if elsewhere := header_elsewhere(source, names, reading):
            return source.wrong(elsewhere)
        if len(names) > 2 or {"system", "input"} & set(names) or (len(names) == 2 and any(map(judging, names))):
            tables.explain(source, reading)
        seen = f"the first line is {one_line(source.first_line, 60)!r}"
    else:
        seen = "its bytes are not text"
    return source.wrong(
        f"not a format that metassay knows ({seen}); a table of scores has the columns system, input, "
        "metric, score, or others that --system-column and --input-column name; votes have two systems and a winner "
        f"(known formats: {', '.join(FORMATS)})"
    )
