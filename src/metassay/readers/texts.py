"""Files to texts, and back: tables of texts, and the texts inside formats that also hold scores."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from metassay.core.files import replacing
from metassay.core.frames import label
from metassay.core.ledger import Place
from metassay.core.origin import Origin
from metassay.core.scores import contradiction
from metassay.core.texts import Texts
from metassay.errors import DataError, UnknownName, UsageError, listed, one_line
from metassay.readers import archives, mtme, realsumm, tables
from metassay.readers.languages import LanguagePair
from metassay.readers.source import Record, Source


class _Collected:
    """Texts from any number of files, each with its place; two different texts for one thing are an error."""

    def __init__(self) -> None:
        self.outputs: dict[tuple[str, str], tuple[str, Place]] = {}
        self.sources: dict[str, tuple[str, Place]] = {}
        self.references: dict[str, dict[str, None]] = {}

    def output(self, system: str, key: str, text: object, place: Place) -> None:
        """Write down what a system wrote; a missing text is left out."""
        if text is None:
            return
        what = f"the output of system {one_line(system)!r} on input {one_line(key)!r}"
        self._once(self.outputs, (system, key), self._text(text, "output", place), place, what)

    def source(self, key: str, text: object, place: Place) -> None:
        """Write down the text of an input."""
        if text is not None and text != "":
            value = self._text(text, "source", place)
            self._once(self.sources, key, value, place, f"the source of input {one_line(key)!r}")

    def reference(self, key: str, text: object, place: Place) -> None:
        """Write down a reference, or a list of them; the same text again is the same reference."""
        for one in text if isinstance(text, list) else [text]:
            if one is not None and one != "":
                self.references.setdefault(key, {})[self._text(one, "reference", place)] = None

    def texts(self, provenance: tuple[Origin, ...]) -> Texts:
        """Return everything together."""
        if not self.outputs:
            raise DataError(
                f"there are no outputs of systems in {listed(map(str, provenance))}; "
                "a table of texts has the columns system, input, output"
            )
        return Texts(
            outputs={cell: text for cell, (text, _) in self.outputs.items()},
            references={key: tuple(texts) for key, texts in self.references.items()},
            sources={key: text for key, (text, _) in self.sources.items()},
            provenance=provenance,
        )

    @staticmethod
    def _text(value: object, field: str, place: Place) -> str:
        if not isinstance(value, str):
            shown = one_line(repr(value), 40)
            raise place.wrong(f"field {field!r} must be text, got {shown}")
        return value

    @staticmethod
    def _once(known: dict[Any, tuple[str, Place]], key: object, text: str, place: Place, what: str) -> None:
        first, seen = known.setdefault(key, (text, place))
        if first != text:
            said = [f"{one_line(t, 30)!r} in {p}" for t, p in ((text, place), (first, seen))]
            raise contradiction(what, *said)


def read_texts(*paths: str | PathLike[str], language: str | None = None) -> Texts:
    """Read sources, references and outputs of systems, and merge them on system and input.

    Parameters
    ----------
    *paths
        Tables of texts (``system, input, output``; ``input, source, reference``), SummEval's own file, REALSumm's
        files, G-Eval's, mt-metrics-eval data sets, or a zip of such files.
    language
        The language pair to take from an mt-metrics-eval data set that holds several, such as ``"en-de"``.

    Returns
    -------
    Texts
        With each file in ``provenance``, and the format that was recognised.
    """
    if not paths:
        raise UsageError("no file given; name at least one file or directory with texts")
    found = _Collected()
    said = []
    for one in paths:
        given = fspath(one)
        path = Path(given)
        with archives.opened(path, given) as inside:
            if mtme.is_data_set(inside) or (inside / "system-outputs").is_dir():
                said.append(_record_data_set(inside, given, found, LanguagePair(language)))
            elif inside != path:
                said += _record_archive(inside, given, found)
            elif path.is_dir():
                raise UsageError(f"{one_line(given)}: a directory of texts is an mt-metrics-eval data set; name files")
            else:
                said.append(_record_file(Source(path, given), found))
    return found.texts(tuple(said))


def read_parallel(
    outputs: Mapping[str, str | PathLike[str]],
    *,
    references: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
    source: str | PathLike[str] | None = None,
) -> Texts:
    """Read plain text files of which the n-th lines belong together; inputs are called 1, 2, … by their line.

    Parameters
    ----------
    outputs
        A file per system; an empty line is an empty output.
    references
        A file of reference texts, or several; an empty line is a missing reference.
    source
        The file of source texts.

    Raises
    ------
    DataError
        Files have different numbers of lines; the message gives them.
    """
    files: dict[str, list[str]] = {}

    def lines(path: str | PathLike[str]) -> list[str]:
        shown = fspath(path)
        if shown not in files:
            files[shown] = [text.rstrip("\r\n") for text in Source(Path(shown), shown).texts()]
        return files[shown]

    found = _Collected()
    for system, path in outputs.items():
        for at, text in enumerate(lines(path), 1):
            found.output(system, str(at), text, Place(fspath(path), at))
    for path in (references,) if isinstance(references, str | PathLike) else references:
        for at, text in enumerate(lines(path), 1):
            found.reference(str(at), text, Place(fspath(path), at))
    if source is not None:
        for at, text in enumerate(lines(source), 1):
            found.source(str(at), text, Place(fspath(source), at))
    lengths = {len(texts) for texts in files.values()}
    if len(lengths) > 1:
        told = ", ".join(f"{one_line(name, 60)} has {len(texts)}" for name, texts in files.items())
        raise DataError(f"parallel files must have the same number of lines: {told}")
    return found.texts(tuple(Origin(Path(name).name, "parallel text") for name in files))


def write_texts(texts: Texts, path: str | PathLike[str]) -> Path:
    """Write texts as ``.jsonl``, ``.csv`` or ``.tsv``, complete or not at all; reading gives them back."""
    target = Path(fspath(path))
    if target.suffix not in (".jsonl", ".csv", ".tsv"):
        raise UsageError(f"{one_line(target)}: the name must end in .jsonl, .csv or .tsv")
    with replacing(target) as stream:
        if target.suffix == ".jsonl":
            for row in _tidy(texts):
                kept = {field: value for field, value in row.items() if value is not None}
                stream.write((json.dumps(kept, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace"))
        else:
            buffer = io.StringIO(newline="")
            writer = csv.DictWriter(buffer, _FIELDS, delimiter="," if target.suffix == ".csv" else "\t")
            writer.writeheader()
            writer.writerows(_tidy(texts))
            stream.write(buffer.getvalue().encode("utf-8", "backslashreplace"))
    return target


_FIELDS = ("system", "input", "output", "source", "reference")


def _tidy(texts: Texts) -> Iterator[dict[str, str | None]]:
    empty = dict.fromkeys(_FIELDS)
    for item in texts.items():
        yield empty | {"system": item.system, "input": item.input, "output": item.output}
    for key, source in texts.sources.items():
        yield empty | {"input": key, "source": source}
    for key, references in texts.references.items():
        for reference in references:
            yield empty | {"input": key, "reference": reference}


# -- one file -----------------------------------------------------------------------------------


def _record_archive(folder: Path, shown: str, found: _Collected) -> list[Origin]:
    """Write down the texts of the files of an archive that hold some, and leave the others alone."""
    files = [Source(file, str(Path(shown) / name), named=False) for name, file in archives.files_in(folder)]
    said = [_record_file(file, found) for file in files if realsumm.recognise(file) or _table_of(file) is not None]
    if not said:
        raise DataError(f"{one_line(shown)}: the zip archive holds no texts in a known format")
    return said


def _table_of(source: Source) -> tuple[str, _Recorder] | None:
    """Return the format of a table of texts, and what takes its rows."""
    names = set(tables.column_names(source))
    return next(((name, record) for fields, name, record in _TABLES if fields <= names), None)


def _record_file(source: Source, found: _Collected) -> Origin:
    if realsumm.recognise(source):
        _record_pickle(source, found)
        return Origin(source.name, "realsumm")
    if (table := _table_of(source)) is not None:
        for line, row in tables.rows(source):
            table[1](row, Place(source.shown, line), found)
        return Origin(source.name, table[0])
    if source.is_text and source.document is None:
        source.check_first_line()
    names = sorted(set(tables.column_names(source)))
    raise source.wrong(
        f"not texts that metassay knows (columns: {listed(names) or 'none'}); a table of texts has the columns system, "
        "input, output, or input with source or reference"
    )


def _field(row: Record, field: str, place: Place) -> str:
    if field not in row:
        raise place.wrong(f"the field {field!r} is missing")
    return label(row[field], field, place)


def _record_tidy(row: Record, place: Place, found: _Collected) -> None:
    key = _field(row, "input", place)
    # In CSV an empty field beside a system is an empty output, and without a system no output at all.
    if row.get("system") not in (None, ""):
        found.output(_field(row, "system", place), key, row.get("output"), place)
    found.source(key, row.get("source"), place)
    found.reference(key, row.get("reference", row.get("references")), place)


def _record_sacrerouge(row: Record, place: Place, found: _Collected) -> None:
    """Write a summary of SacreROUGE; texts may be lists of sentences, and references are not systems."""
    key = _field(row, "instance_id", place)
    if row.get("summarizer_type") != "reference":
        found.output(_field(row, "summarizer_id", place), key, _plain_text(row.get("summary")), place)
    references = [_plain_text(one) for one in row.get("references") or ()]
    found.reference(key, references or None, place)
    documents = [_plain_text(one) for one in row.get("documents") or ()]
    found.source(key, "\n".join(text for text in documents if text) or None, place)


def _plain_text(value: object) -> str | None:
    """Return a text that may stand under ``text``, in sentences or paragraphs."""
    if isinstance(value, dict):
        value = value.get("text")
    if isinstance(value, list):
        return " ".join(filter(None, map(_plain_text, value)))
    return value if isinstance(value, str) else None


def _record_summeval(row: Record, place: Place, found: _Collected) -> None:
    key = _field(row, "id", place)
    found.output(_field(row, "model_id", place), key, row.get("decoded"), place)
    found.source(key, row.get("text"), place)
    found.reference(key, row.get("references"), place)


def _record_realsumm(row: Record, place: Place, found: _Collected) -> None:
    key = _field(row, "id", place)
    if "summary" in row:
        found.output(_field(row, "system", place), key, row["summary"], place)
    found.source(key, row.get("text"), place)
    found.reference(key, row.get("reference"), place)


def _record_g_eval(row: Record, place: Place, found: _Collected) -> None:
    key = _field(row, "doc_id", place)
    found.output(_field(row, "system_id", place), key, row.get("system_output"), place)
    found.source(key, row.get("source"), place)
    found.reference(key, row.get("reference"), place)


def _list(row: Record, field: str, place: Place) -> list[object]:
    value = row.get(field) or []
    if not isinstance(value, list):
        raise place.wrong(f"the field {field!r} must be a list of texts")
    return value


def _record_mteb(row: Record, place: Place, found: _Collected) -> None:
    key = _field(row, "id", place)
    for at, text in enumerate(_list(row, "machine_summaries", place), 1):
        found.output(f"system-{at}", key, text, place)
    found.source(key, row.get("text"), place)
    found.reference(key, _list(row, "human_summaries", place), place)


_Recorder = Callable[[Record, Place, _Collected], None]
_TABLES: tuple[tuple[set[str], str, _Recorder], ...] = (
    ({"model_id", "decoded"}, "summeval", _record_summeval),
    ({"doc_id", "system_output"}, "g-eval", _record_g_eval),
    ({"summarizer_id", "instance_id", "summary"}, "sacrerouge", _record_sacrerouge),
    ({"machine_summaries"}, "mteb-summeval", _record_mteb),
    ({"id", "summary"}, "realsumm", _record_realsumm),
    ({"id", "text", "reference"}, "realsumm", _record_realsumm),
    ({"system", "input", "output"}, "tidy texts", _record_tidy),
    ({"input", "source"}, "tidy texts", _record_tidy),
    ({"input", "reference"}, "tidy texts", _record_tidy),
)
"""The columns that tell a format, and what takes one of its rows, in the order they are asked."""


def _record_pickle(source: Source, found: _Collected) -> None:
    content = realsumm.load(source.read(), source)
    place = Place(source.shown)
    for doc, entry in (content if isinstance(content, dict) else {}).items():
        if not isinstance(entry, dict) or not isinstance(entry.get("system_summaries"), dict):
            raise source.wrong(f"document {one_line(doc, 40)}: the field 'system_summaries' is missing")
        key = label(entry.get("doc_id", doc), "doc_id", place)
        found.reference(key, entry.get("ref_summ"), place)
        for system, summary in entry["system_summaries"].items():
            name = label(system, "system", place).removesuffix(".txt")
            found.output(name, key, summary.get("system_summary") if isinstance(summary, dict) else None, place)


def _record_data_set(path: Path, shown: str, found: _Collected, pair: LanguagePair) -> Origin:
    folders = sorted(folder for folder in (path / "system-outputs").glob("*") if folder.is_dir())
    if not folders:
        raise DataError(f"{one_line(shown)}: the directory holds no system-outputs/SRC-TGT/NAME.txt")
    names = [folder.name for folder in folders]
    chosen = pair.settle(names, shown)
    if chosen is None:
        raise UnknownName(f"language pair in {one_line(shown)}", str(pair.wanted), names)
    files = {
        "output": sorted((path / "system-outputs" / chosen).glob("*.txt")),
        "reference": sorted((path / "references").glob(f"{chosen}.*.txt")),
        "source": [file for file in [path / "sources" / f"{chosen}.txt"] if file.exists()],
    }
    counts: dict[str, int] = {}
    for role, paths in files.items():
        for file in paths:
            at = 0
            name = str(Path(shown) / file.relative_to(path))
            for at, text in enumerate(Source(file, name, named=False).texts(), 1):
                place, key, line = Place(name, at), str(at), text.rstrip("\r\n")
                if role == "output":
                    found.output(file.stem, key, line, place)
                elif role == "reference":
                    found.reference(key, line, place)
                else:
                    found.source(key, line, place)
            counts[name] = at
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{one_line(name, 60)} has {n}" for name, n in list(counts.items())[:4])
        raise DataError(f"{one_line(shown)}: the files of {chosen} must have the same number of lines: {told}")
    return Origin(Path(shown).name or shown, f"mt-metrics-eval, {chosen}")
