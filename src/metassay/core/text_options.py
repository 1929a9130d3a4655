"""Options of the verbs that work on texts, declared once; see :mod:`metassay.core.options`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from metassay.core import vocabulary as known
from metassay.core.option import COUNT, FLAG, Option, among, corrupted, number, under

if TYPE_CHECKING:
    from os import PathLike

PARTS = ("outputs", "references", "sources")
"""The parts of texts that can be translated."""

_scored, _how, _translated = under("what to score with"), under("scoring"), under("how to translate")


def _parts(_what: str, value: Any) -> tuple[str, ...]:  # noqa: ANN401 - one or several
    return known.choices("part of the texts", value, PARTS)


MaxReferences = Annotated[int | None, _scored("use only the first N references of each input", **COUNT)]
LeaveOwnOut = Annotated[
    bool,
    _scored("compare an output that is itself a reference with the other references only", **FLAG),
]
Scored = Annotated[
    "str | PathLike[str] | None",
    _how(
        "file that caches scores by content, so that a repeated or interrupted run scores only what is new",
        metavar="FILE",
        absent="the user's cache; in Python none",
    ),
]
Processes = Annotated[
    int | None,
    _how(
        "processes to use; results do not depend on it",
        absent="all processors; one for little work, and for metrics that load a model",
        **number("N"),
    ),
]
Systems = Annotated[
    "str | Iterable[str] | None",
    corrupted("systems to corrupt: names or comma lists", repeated=True, flag="system", absent="all of them"),
]
SourceLanguage = Annotated[
    str | None,
    _translated("language of the texts", metavar="LANG", flag="from", absent="as the texts say, or English"),
]
TranslateWith = Annotated[
    str,
    _translated(
        "translator: apertium; marian (the opus-mt model of the two languages) or marian:MODEL by name or path; "
        "command:CMD, a program that reads a text per line and prints a line for each, or command-jsonl:CMD, the same "
        "in JSON; {from} and {to} stand for the languages",
        flag="with",
    ),
]
Parts = Annotated[
    "str | Iterable[str]",
    _translated("parts to translate", _parts, **among("PARTS", PARTS), several=True),
]
Translated = Annotated[
    "str | PathLike[str] | None",
    _translated(
        "file that caches translations, so that a repeated or interrupted run translates only what is new",
        metavar="FILE",
    ),
]
Folder = Annotated[
    "str | PathLike[str] | None",
    Option(
        "folder of data sets, as filled by metassay datasets get",
        metavar="FOLDER",
        group="output",
        absent="METASSAY_DATA, or the user's cache",
    ),
]
