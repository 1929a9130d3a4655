"""Inspect logs, as JSON or as ``.eval``: samples, each with the values that scorers gave."""

from __future__ import annotations

import importlib
import json
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from metassay.core.frames import graded, label
from metassay.core.ledger import Ledger, Place
from metassay.errors import UsageError, one_line
from metassay.readers.source import Source, members

FORMATS = ("inspect",)

_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Correct, partly correct, incorrect, no answer."""
_ZIP = b"PK"
_ZSTD = 93
_LARGEST_SAMPLE = 1 << 28
_HEADERS = ("header.json", "_journal/start.json")


def recognise(source: Source) -> str | None:
    """Return the format's name if the content is an object with samples that have scores, or an archive of such."""
    if source.head.startswith(_ZIP):
        try:
            with zipfile.ZipFile(source.path) as archive:
                return "inspect" if set(_HEADERS) & set(archive.namelist()) else None
        except (zipfile.BadZipFile, OSError):
            return None
    document = source.document
    samples = document.get("samples") if isinstance(document, dict) else None
    ours = isinstance(samples, list) and samples and isinstance(samples[0], dict) and "scores" in samples[0]
    return "inspect" if ours else None


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write every value into the ledger; the system is the model of the log.

    Inputs are ``TASK:ID``, so that samples of different tasks are different inputs. A sample that ran in several epochs
    is several inputs, ``TASK:ID (epoch N)``.
    """
    ledger.apart = True
    samples: Any
    about: Any
    if source.head.startswith(_ZIP):
        about, samples = _unpacked(source)
    else:
        document: Any = source.whole_document()
        samples = document.get("samples") if isinstance(document, dict) else None
        about = document.get("eval") if isinstance(document, dict) else None
    if not isinstance(samples, list):
        raise source.wrong("the field 'samples' must be a list")
    about = about if isinstance(about, dict) else {}
    system = str(about.get("model") or PurePath(source.name.removesuffix(".gz")).stem)
    task = f"{about['task']}:" if about.get("task") else ""
    place = Place(source.shown)
    epochs = [_epoch(sample, at, place) for at, sample in enumerate(samples, 1)]
    several = len(set(epochs)) > 1
    scored = 0
    for at, sample in enumerate(samples, 1):
        scores = sample.get("scores") if isinstance(sample, dict) else None
        if not isinstance(scores, dict):
            if scores is None and isinstance(sample, dict):
                continue  # a sample that failed was not scored
            raise source.wrong(f"sample {at}: the field 'scores' must be an object")
        key = task + label(sample.get("id"), f"id of sample {at}", place)
        if several:
            key += f" (epoch {epochs[at - 1]})"
        for scorer, said in scores.items():
            value = said.get("value") if isinstance(said, dict) else said
            for metric, single in _single_values(scorer, value):
                ledger.record(system, key, metric, _score(single, metric, place), place)
                scored += 1
        _record_texts(sample, system, key, ledger, place)
    if not scored:
        raise source.wrong(f"none of the {len(samples)} samples of the log has a score; run a scorer over it first")
    return f"{name}, task {one_line(about['task'], 60)}" if task else name


def _unpacked(source: Source) -> tuple[object, list[Any]]:
    """Return the header and the samples of an archive; a member is read only if it is plain and of bearable size."""
    samples: Any = []
    try:
        with zipfile.ZipFile(source.path) as archive:
            names = [each.filename for each in members(archive, source)]
            header = _member(archive, next(name for name in _HEADERS if name in names), source)
            if "summaries.json" in names:
                samples = _member(archive, "summaries.json", source)
            else:
                inside = [name for name in names if name.startswith("samples/") and name.endswith(".json")]
                samples = [_member(archive, name, source) for name in inside]
    except (zipfile.BadZipFile, EOFError, OSError) as error:
        raise source.wrong(
            f"the zip archive is damaged or cut off ({one_line(error, 60)}); get the file again"
        ) from None
    about = header.get("eval") if isinstance(header, dict) else None
    return about, samples if isinstance(samples, list) else []


def _member(archive: zipfile.ZipFile, name: str, source: Source) -> Any:  # noqa: ANN401 - whatever JSON holds
    info = archive.getinfo(name)
    if info.file_size > _LARGEST_SAMPLE:
        raise source.wrong(
            f"{one_line(name, 60)!r} in the archive unpacks to {info.file_size >> 20} MB; the log is too large"
        )
    try:
        return json.loads(_zstd(archive, info) if info.compress_type == _ZSTD else archive.read(name))
    except (NotImplementedError, ImportError):
        raise UsageError(
            f"{one_line(source.shown)}: the log is compressed in a way that this Python does not know; run: pip "
            "install 'metassay[parquet]', or convert the log with 'inspect log convert --to json'"
        ) from None
    except (ValueError, RecursionError) as error:
        raise source.wrong(f"{one_line(name, 60)!r} in the archive is not valid JSON: {one_line(error, 60)}") from None


def _zstd(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Return a member that is packed with Zstandard, as newer logs are; pyarrow unpacks it where zipfile cannot."""
    if sys.version_info >= (3, 14):
        return archive.read(info)
    arrow: Any = importlib.import_module("pyarrow")
    stream = archive.fp
    if stream is None:
        raise OSError("the archive is closed")
    # Before the data stand 30 bytes, the name and a further field; bytes 26 to 29 say how long these are.
    stream.seek(info.header_offset + 26)
    skipped = sum(struct.unpack("<HH", stream.read(4)))
    stream.seek(info.header_offset + 30 + skipped)
    packed = arrow.BufferReader(stream.read(info.compress_size))
    content: bytes = arrow.CompressedInputStream(packed, "zstd").read(info.file_size + 1)
    if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
        raise zipfile.BadZipFile(f"bad checksum of {info.filename}")
    return content


def _record_texts(sample: dict[str, Any], system: str, key: str, ledger: Ledger, place: Place) -> None:
    """Keep the question, and plain facts about it, as attributes."""
    facts = sample.get("metadata")
    found = {"question": sample.get("input"), "target": sample.get("target")}
    found |= facts if isinstance(facts, dict) else {}
    for name, text in found.items():
        ledger.tell(system, key, name, text, place)


def _epoch(sample: object, at: int, place: Place) -> str:
    epoch = sample.get("epoch") if isinstance(sample, dict) else None
    return "None" if epoch is None else label(epoch, f"epoch of sample {at}", place)


def _single_values(name: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for part, single in value.items():
            yield f"{name}_{part}", single
    elif isinstance(value, list):
        for at, single in enumerate(value, 1):
            yield f"{name}_{at}", single
    else:
        yield name, value


def _score(value: object, field: str, place: Place) -> float | str:
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and value in _LETTERS:
        return _LETTERS[value]
    return graded(value, field, place)
