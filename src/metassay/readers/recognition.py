"""Which format a file has, and who reads it."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path
from types import ModuleType

from metassay.core.ledger import Bounds, Ledger
from metassay.core.origin import Origin
from metassay.core.scores import Scores
from metassay.core.vocabulary import choice
from metassay.errors import DataError, FormatError, UnknownName, UsageError, listed, one_line
from metassay.readers import (
    FORMATS,
    alt_test,
    g_eval,
    inspect_log,
    judge_bench,
    lm_eval,
    mteb,
    mtme,
    realsumm,
    sacrerouge,
    summary_translation,
    summeval,
    tables,
    wmt,
)
from metassay.readers.languages import LanguagePair
from metassay.readers.source import Source

# In the order they are asked: formats with field names of their own before tables, which need two columns.
_MODULES: tuple[ModuleType, ...] = (
    sacrerouge,
    summeval,
    lm_eval,
    mteb,
    g_eval,
    inspect_log,
    judge_bench,
    summary_translation,
    realsumm,
    wmt,
    tables,
    alt_test,
)


def read_all(
    paths: Iterable[str | PathLike[str]],
    *,
    format: str | None,
    language: str | None,
    by: str | None = None,
    bounds: Bounds = Bounds(),  # noqa: B008 - it is immutable
) -> Scores:
    """Read every path into one ledger and add it up, up to some bounds; see :func:`metassay.read`."""
    wanted = None if format is None else choice("format", format, tuple(FORMATS))
    given = [fspath(path) for path in paths]
    if not given:
        raise UsageError("no file given; name at least one file or directory with scores")
    if by is not None and language is not None:
        raise UsageError(f"language {one_line(language)!r} cannot be chosen where {one_line(by)!r} takes its place")
    ledger = Ledger(by, bounds)
    pair = LanguagePair(language)
    sources = [origin for shown in given for origin in _record_path(shown, ledger, wanted, pair)]
    if by is not None and not ledger.by_was_seen:
        raise DataError(f"no table has a column {one_line(by)!r} to tell scores apart by (read: {listed(given, 6)})")
    scores = ledger.scores(tuple(sources))
    return _in_language(scores, pair)


def _in_language(scores: Scores, pair: LanguagePair) -> Scores:
    if pair.wanted is None:
        return scores
    spoken = dict.fromkeys(name for column in scores.columns.values() for name in column.labels("language"))
    if spoken:
        return scores.select(language=pair.wanted)
    if pair.chosen is None:
        raise UnknownName("language", pair.wanted, ())
    return scores


def _record_path(shown: str, ledger: Ledger, wanted: str | None, pair: LanguagePair) -> list[Origin]:
    path = Path(shown)
    try:
        exists, is_dir = bool(shown) and path.exists(), path.is_dir()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(f"{one_line(shown)}: cannot be read: {one_line(reason).lower()}") from None
    if not exists:
        raise UsageError(f"{one_line(shown) or 'an empty name'}: there is no such file or directory")
    if not is_dir:
        return [_record_file(Source(path, shown), ledger, wanted, pair)]
    if mtme.is_data_set(path) and wanted in (None, mtme.FORMAT):
        return [mtme.record(path, shown, ledger, pair)]
    if wanted == mtme.FORMAT:
        raise UsageError(f"{one_line(shown)}: has neither human-scores/ nor metric-scores/ in it")
    return _record_directory(path, ledger, wanted, pair)


def _record_directory(path: Path, ledger: Ledger, wanted: str | None, pair: LanguagePair) -> list[Origin]:
    """Read the files in a directory that are scores, and leave the others alone."""
    try:
        entries = sorted(path.iterdir())
    except OSError as error:
        raise UsageError(f"{one_line(path)}: cannot be read: {one_line(error.strerror).lower()}") from None
    found = []
    for file in entries:
        if file.name.startswith(".") or file.is_dir() or not file.exists():
            continue
        source = Source(file, named=False)
        if recognise(source) is not None:
            found.append(_record_file(source, ledger, wanted, pair))
    if not found:
        inside = [e.name for e in entries if e.is_dir() and mtme.is_data_set(e)]
        hint = f"; did you mean {one_line(path / inside[0])}?" if inside else "; name a file or directory with scores"
        raise DataError(f"{one_line(path)}: the directory holds no scores in a known format{hint}")
    return found


def _record_file(source: Source, ledger: Ledger, wanted: str | None, pair: LanguagePair) -> Origin:
    if not source.head.strip(b"\xef\xbb\xbf \t\r\n"):
        raise source.wrong("the file is empty")
    if wanted == mtme.FORMAT:
        raise UsageError(f"{one_line(source.shown)}: a data set of {mtme.FORMAT} is a directory, this is a file")
    name = wanted or recognise(source)
    if name is None:
        raise _unknown(source)
    module = next(module for module in _MODULES if name in module.FORMATS)
    if module is wmt:
        said = wmt.record(source, ledger, pair)
    else:
        said = module.record(source, ledger, name)
    return Origin(source.name, said)


def recognise(source: Source) -> str | None:
    """Return the name of the format that a file's content has, or None."""
    for module in _MODULES:
        name: str | None = module.recognise(source)
        if name is not None:
            return name
    return None


def _unknown(source: Source) -> FormatError:
    """Say as well as possible why a file is no known format."""
    head = source.head
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return source.wrong("the text is UTF-16; save the file as UTF-8")
    if source.is_text and source.first_line.startswith(("{", "[")):
        try:
            if source.first_record is None:
                source.whole_document()
        except FormatError as error:
            source.check_first_line()
            return error
        keys = list(source.first_record or {})[:8]
        seen = f"JSON with the fields {listed(keys)}" if keys else "JSON"
    elif source.is_text and "\r" in source.first_line:
        return source.wrong("lines end in carriage returns only; save the file with line feeds")
    elif source.is_text:
        source.check_first_line()
        tables.explain(source)
        seen = f"the first line is {one_line(source.first_line, 60)!r}"
    else:
        seen = "its bytes are not text"
    return source.wrong(
        f"not a format that metassay knows ({seen}); a table of scores has the columns system, input, "
        f"metric, score (known formats: {', '.join(FORMATS)})"
    )
