"""REALSumm score dictionaries: pickles, read without running anything that is in them.

A pickle is a small program. Before it is loaded, every instruction is looked at: only those that build plain
values are allowed, and the only types that may be named are NumPy's numeric scalars. What loads them then are
stand-ins from this module, so that nothing in NumPy sees the file either.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from collections.abc import Iterator
from typing import NoReturn

import numpy as np

from metassay.core.frames import label, number
from metassay.core.ledger import Ledger, Place
from metassay.errors import FormatError, one_line
from metassay.readers.source import Source

FORMATS = ("realsumm",)

_HUMAN = "litepyramid_recall"
_SCALAR = {("numpy.core.multiarray", "scalar"), ("numpy._core.multiarray", "scalar")}
_DTYPE = {("numpy", "dtype")}
_NUMERIC = frozenset({"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"})

_STRINGS = frozenset({"SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE"})
_PUTS = frozenset({"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"})
_GETS = frozenset({"GET", "BINGET", "LONG_BINGET"})
_PLAIN = frozenset(
    {
        *("PROTO", "FRAME", "STOP", "MARK", "POP", "POP_MARK", "DUP", "NONE", "NEWTRUE", "NEWFALSE"),
        *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
        *("BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "STRING", "BINSTRING", "SHORT_BINSTRING"),
        *("EMPTY_LIST", "APPEND", "APPENDS", "LIST", "EMPTY_TUPLE", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3"),
        *("EMPTY_DICT", "DICT", "SETITEM", "SETITEMS", "REDUCE", "BUILD"),
    }
)
"""Instructions that build plain values, and those by which a NumPy scalar is put together."""


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
            for metric, value in scores.items():
                column = label(metric, "scores", place)
                score = number(value, f"{column} ({where})", place)
                ledger.record(row, key, column, score, place, kind="human" if column == _HUMAN else None)
    return name


def load(data: bytes, source: Source) -> object:
    """Return what a pickle of plain values and NumPy scalars holds; refuse any other before anything runs."""
    _inspect(data, source)
    try:
        return _Unpickler(io.BytesIO(data)).load()
    except FormatError:
        raise
    except Exception as error:  # a damaged pickle can fail in any way
        raise source.wrong(f"the pickle is damaged: {one_line(error, 80) or type(error).__name__}") from None


def _inspect(data: bytes, source: Source) -> None:
    """Look at every instruction without running any."""
    memo: dict[int, str] = {}
    strings: list[str] = []  # what the last instructions pushed, as far as it is text
    for name, arg in _instructions(data, source):
        if name in _STRINGS:
            strings.append(str(arg))
        elif name in _GETS:
            strings.append(memo.get(int(str(arg)), ""))
        elif name in _PUTS:
            at = len(memo) if name == "MEMOIZE" else int(str(arg))
            if at > len(data):  # the loader would make room for that many
                raise source.wrong("the pickle is damaged: it numbers more values than it has bytes")
            memo[at] = strings[-1] if strings else ""
        else:
            if name == "GLOBAL":
                _allow(str(arg).split(" ", 1), source)
            elif name == "STACK_GLOBAL":
                _allow(strings[-2:], source)
            elif name not in _PLAIN:
                raise source.wrong(f"the pickle uses {name}, which scores do not need; it is not loaded")
            strings = []


def _instructions(data: bytes, source: Source) -> Iterator[tuple[str, object]]:
    instructions = pickletools.genops(data)
    while True:
        try:
            opcode, arg, _ = next(instructions)
        except StopIteration:
            return
        except Exception as error:  # bytes that are no pickle can fail in any way
            raise source.wrong(f"the pickle is cut off or damaged: {one_line(error, 80)}") from None
        yield opcode.name, arg


def _allow(names: list[str], source: Source) -> None:
    if tuple(names) not in _SCALAR | _DTYPE:
        shown = one_line(".".join(names), 60) or "a type that it hides"
        raise source.wrong(f"the pickle names {shown}; only numbers, text, lists and dictionaries are loaded")


class _Numeric:
    """Stands in for a NumPy dtype; only plain numbers exist."""

    __slots__ = ("code", "order")

    def __init__(self, code: object, *_: object) -> None:
        if code not in _NUMERIC:
            raise pickle.UnpicklingError(f"dtype {one_line(repr(code), 40)} is not a plain number")
        self.code = str(code)
        self.order = "="

    def __setstate__(self, state: object) -> None:
        order = state[1] if isinstance(state, tuple) and len(state) > 1 else None
        if order not in ("<", ">", "=", "|"):
            raise pickle.UnpicklingError("a dtype has no byte order")
        self.order = order


class _Maker:
    """Stands in for the two names a pickle may call; it cannot be changed from inside the pickle."""

    __slots__ = ("_scalar",)

    def __init__(self, *, scalar: bool) -> None:
        self._scalar = scalar

    def __call__(self, *args: object) -> object:
        if not self._scalar:
            return _Numeric(*args)
        kind, data = args
        if not isinstance(kind, _Numeric) or not isinstance(data, bytes):
            raise pickle.UnpicklingError("a NumPy scalar is not made of a dtype and bytes")
        (value,) = np.frombuffer(data, dtype=kind.order + kind.code)
        return value.item()

    def __setstate__(self, _: object) -> NoReturn:
        raise pickle.UnpicklingError("the pickle tries to change what loads it")


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        """Return a stand-in for the few names that are allowed."""
        if (module, name) in _SCALAR:
            return _Maker(scalar=True)
        if (module, name) in _DTYPE:
            return _Maker(scalar=False)
        raise pickle.UnpicklingError(f"{module}.{name} is not allowed")
