"""REALSumm score dictionaries: pickles, read without running anything that is in them."""

from __future__ import annotations

from metassay.core import pickles
from metassay.core.frames import label, number
from metassay.core.ledger import Ledger, Place
from metassay.errors import FormatError, one_line
from metassay.readers.source import Source

FORMATS = ("realsumm",)

_HUMAN = "litepyramid_recall"


def recognise(source: Source) -> str | None:
    """Return the format's name if the bytes begin like a pickle."""
    head = source.head
    return "realsumm" if len(head) > 2 and head[0] == 0x80 and 2 <= head[1] <= 5 else None


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write every score into the ledger; ``.txt`` at the end of a system's name is left out."""
    content = load(source.read(), source)
    if not isinstance(content, dict) or not content:
        raise source.wrong("expected a dictionary of documents")
    place = Place(source.shown)
    for doc, entry in content.items():
        systems = entry.get("system_summaries") if isinstance(entry, dict) else None
        if not isinstance(systems, dict):
            raise source.wrong(f"document {one_line(doc, 40)}: the field 'system_summaries' is missing")
        for system, summary in systems.items():
            where = f"document {one_line(doc, 40)}, system {one_line(system, 40)}"
            scores = summary.get("scores") if isinstance(summary, dict) else None
            if not isinstance(scores, dict):
                raise source.wrong(f"{where}: the field 'scores' is missing")
            row = label(system, "system", place).removesuffix(".txt")
            key = label(entry.get("doc_id", doc), "doc_id", place)
            ledger.tell(row, key, "system_summary", summary.get("system_summary"), place)
            ledger.tell(row, key, "ref_summ", entry.get("ref_summ"), place)
            for metric, value in scores.items():
                column = label(metric, "scores", place)
                score = number(value, f"{column} ({where})", place)
                ledger.record(row, key, column, score, place, kind="human" if column == _HUMAN else None)
    return name


def load(data: bytes, source: Source) -> object:
    """Return what a pickle of plain values and NumPy scalars holds; refuse any other before anything runs."""
    try:
        return pickles.load(data, _name)
    except FormatError as error:
        raise source.wrong(str(error)) from None


def _name(module: str, name: str) -> pickles.Named:
    if (module, name) not in pickles.PLAIN:
        shown = one_line(f"{module}.{name}", 60) if module else "a type that it hides"
        raise FormatError(f"the pickle names {shown}; only numbers, text, lists and dictionaries are loaded")
    return pickles.PLAIN[module, name]
