"""Pickles of strangers: read by an interpreter of our own, which builds plain values and calls nothing of theirs.

A pickle is a small program. The instructions that build numbers, text, lists, tuples and dictionaries are carried out
here one by one; a name stands for a stand-in of ours or is refused. Keys are plain values, so that nothing deep is ever
hashed; what comes out is a tree of bounded depth and size, however often the pickle shares its parts.
"""

from __future__ import annotations

import codecs
import io
import pickletools
import time
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any, TypeVar

import numpy as np

from metassay.errors import FormatError, one_line

DEEPEST = 64
"""How deep values may be nested."""
SHARING = 8
"""How many values there may be for each instruction: more come only from parts that are shared again and again."""
SECONDS = 60.0
"""How long the instructions may take."""

_LONGEST_INTEGER = 1024
_BATCH = 1 << 12
_NUMERIC = frozenset({"b1", "f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"})
ARRAY_MODULES = ("numpy.core.multiarray", "numpy._core.multiarray")
_BUILTINS = ("__builtin__", "builtins")

_VALUES = frozenset(
    {
        *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
        *("BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8", "STRING", "BINSTRING", "SHORT_BINSTRING"),
        *("SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE"),
    }
)
"""Instructions that put down a value that stands in the file."""
_GETS = frozenset({"BINGET", "LONG_BINGET", "GET"})
_PUTS = frozenset({"BINPUT", "LONG_BINPUT", "PUT", "MEMOIZE"})
_CONSTANTS: dict[str, Callable[[], object]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_LIST": list,
    "EMPTY_TUPLE": tuple,
    "EMPTY_DICT": dict,
}


class Damaged(FormatError):
    """These bytes are no pickle, or not a whole one."""


class Named:
    """Stands for something that a pickle names: called with what the pickle would call it with."""

    __slots__ = ("call",)

    def __init__(self, call: Callable[..., object] | None = None) -> None:
        self.call = call


class Standin:
    """Stands for an object; `take` gets the state that the pickle gives it, and `parts` is what it holds."""

    def take(self, _: object) -> None:
        """Fill in the state."""
        raise FormatError("the pickle sets the state of an object that has none; it is not loaded")

    @property
    def parts(self) -> Iterable[object]:
        """The values inside."""
        return ()


class Dtype(Standin):
    """The type of NumPy's numbers; only plain ones exist."""

    def __init__(self, code: object = None, *_: object) -> None:
        plain = code.lstrip("<>|=") if isinstance(code, str) else ""
        if plain not in _NUMERIC:
            shown = repr(code) if isinstance(code, str) else f"of type {type(code).__name__}"
            raise FormatError(f"an array must hold numbers: the type {one_line(shown, 40)} is not a plain number")
        self.code, self.order = plain, "<"

    def take(self, state: object) -> None:
        """Take the byte order."""
        order = state[1] if isinstance(state, tuple) and len(state) > 1 else None
        if order not in ("<", ">", "=", "|"):
            raise FormatError("the pickle has a NumPy type without a byte order; it is not loaded")
        self.order = ">" if order == ">" else "<"

    def numbers(self, data: object) -> np.ndarray[Any, Any]:
        """Return the numbers in bytes, or in text as Python 2 wrote them."""
        raw = data.encode("latin1") if isinstance(data, str) else data
        if not isinstance(raw, bytes | bytearray):
            raise FormatError("the pickle has numbers that are not stored as bytes; it is not loaded")
        return np.frombuffer(raw, np.dtype(self.order + self.code))


def _scalar(kind: object, data: object = b"") -> object:
    if not isinstance(kind, Dtype):
        raise FormatError("the pickle has a NumPy number without a type; it is not loaded")
    (value,) = kind.numbers(data)
    return value.item()


def _encoded(text: object, *_: object) -> bytes:
    """Return bytes as protocol 2 writes them: as text."""
    if not isinstance(text, str):
        raise FormatError("bytes are not given as text")
    return text.encode("latin1")


PLAIN = {
    **{(module, "scalar"): Named(_scalar) for module in ARRAY_MODULES},
    ("numpy", "dtype"): Named(Dtype),
    ("_codecs", "encode"): Named(_encoded),
    **{(module, "bytes"): Named(lambda: b"") for module in _BUILTINS},
}
"""What pickles of numbers, text, lists and dictionaries name."""


def load(data: bytes, name: Callable[[str, str], Named], *, objects: bool = False) -> object:
    """Return what a pickle holds, without running anything in it.

    Parameters
    ----------
    data
        The pickle.
    name
        Returns the stand-in for a module and a name, or raises; most look into :data:`PLAIN`.
    objects
        Whether objects of classes may occur.

    Raises
    ------
    FormatError
        The pickle is damaged, names what it may not, or would become too deep or too much.
    """
    machine = _Machine(name, objects)
    try:
        done = machine.run(data)
        found = machine.stack[-1]
    except FormatError:
        raise
    except Exception as error:  # bytes that are no pickle, or a damaged one, can fail in any way
        raise Damaged(f"the pickle is cut off or damaged: {one_line(error, 80) or type(error).__name__}") from None
    _check_tree(found, SHARING * done + 1000)
    return found


def _string(stream: io.BytesIO) -> str:
    """Return text as Python 2 wrote it, where it may be bytes."""
    raw = pickletools.read_stringnl(stream, decode=False)
    return codecs.escape_decode(raw)[0].decode("latin1")


_CODES: dict[bytes, tuple[str, Callable[[io.BytesIO], Any] | None]] = {
    code.encode("latin1"): (op.name, op.arg.reader if op.arg else None)
    for code, op in pickletools.code2op.items()  # type: ignore[attr-defined]
} | {b"S": ("STRING", _string)}
"""Instructions by their byte: the name, and what reads what follows."""


class _Machine:
    """A stack, the marks on it, and the numbered values."""

    def __init__(self, name: Callable[[str, str], Named], objects: bool) -> None:
        self.stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[int, Any] = {}
        self._name = name
        self._objects = objects

    def run(self, data: bytes) -> int:
        """Carry out the instructions up to the end, and return how many there were."""
        stream = io.BytesIO(data)
        stack, memo = self.stack, self._memo
        until = time.monotonic() + SECONDS
        for done in count(1):
            code = stream.read(1)
            if code not in _CODES:
                raise Damaged(f"the pickle is cut off or damaged: {repr(code) if code else 'it has no end'}")
            instruction, read = _CODES[code]
            arg: Any = None if read is None else read(stream)
            if instruction in _VALUES:
                if type(arg) is int and arg.bit_length() > _LONGEST_INTEGER:
                    raise FormatError(f"the pickle has an integer of more than {_LONGEST_INTEGER} bits")
                stack.append(arg)
            elif instruction in _GETS:
                stack.append(memo[int(arg)])
            elif instruction in _PUTS:
                at = len(memo) if arg is None else int(arg)
                if not 0 <= at <= len(data):
                    raise Damaged("the pickle is damaged: it numbers more values than it has bytes")
                memo[at] = stack[-1]
            elif instruction == "STOP":
                return done
            else:
                self._do(instruction, arg)
            if done % _BATCH == 0 and time.monotonic() > until:
                raise FormatError(f"the pickle takes longer than {SECONDS:.0f} seconds; it is not loaded")
        raise AssertionError("counting has no end")

    def _do(self, instruction: str, arg: str | None) -> None:
        """Carry out one of the rarer instructions."""
        stack = self.stack
        if instruction in _CONSTANTS:
            stack.append(_CONSTANTS[instruction]())
        elif instruction == "MARK":
            self._marks.append(len(stack))
        elif instruction in ("GLOBAL", "STACK_GLOBAL"):
            names = arg.split(" ", 1) if arg is not None else (stack.pop(-2), stack.pop())
            stack.append(self._name(*names if all(isinstance(part, str) for part in names) else ("", "")))
        elif instruction in ("TUPLE1", "TUPLE2", "TUPLE3"):
            n = int(instruction[-1])
            stack[-n:] = [tuple(stack[-n:])]
        elif instruction in ("APPENDS", "SETITEMS", "TUPLE", "LIST", "DICT", "POP_MARK"):
            self._fill(instruction, self._taken(self._marks.pop()))
        elif instruction in ("APPEND", "SETITEM"):
            self._fill(instruction, self._taken(-1 if instruction == "APPEND" else -2))
        elif instruction == "REDUCE" or (instruction == "NEWOBJ" and self._objects):
            args = _of(tuple, stack.pop())
            named = _of(Named, stack.pop())
            if named.call is None:
                raise FormatError("the pickle calls an object that is not a function; it is not loaded")
            stack.append(named.call(*args))
        elif instruction == "BUILD":
            state = stack.pop()
            if not isinstance(stack[-1], Standin):
                raise FormatError("the pickle tries to change the loader; it is not loaded")
            stack[-1].take(state)
        elif instruction == "POP":
            stack.pop()
        elif instruction == "DUP":
            stack.append(stack[-1])
        elif instruction not in ("PROTO", "FRAME"):
            raise FormatError(f"the pickle uses {instruction}, which scores do not need; it is not loaded")

    def _taken(self, at: int) -> list[Any]:
        """Take the values from a place on off the stack."""
        found = self.stack[at:]
        del self.stack[at:]
        return found

    def _fill(self, instruction: str, items: list[Any]) -> None:
        """Build or fill a list, a tuple or a dictionary."""
        stack = self.stack
        if instruction in ("LIST", "TUPLE"):
            stack.append(items if instruction == "LIST" else tuple(items))
        elif instruction.startswith("APPEND"):
            _of(list, stack[-1]).extend(items)
        elif instruction != "POP_MARK":
            if instruction == "DICT":
                stack.append({})
            _of(dict, stack[-1]).update(zip(map(_key, items[::2]), items[1::2], strict=True))


_T = TypeVar("_T")


def _of(kind: type[_T], value: object) -> _T:
    if not isinstance(value, kind):
        raise Damaged(f"the pickle is cut off or damaged: a {kind.__name__} is needed")
    return value


def _key(value: object) -> object:
    """Return a key of a dictionary if it is plain: hashing nested tuples can take for ever."""
    if value is None or isinstance(value, str | float | bytes) or (isinstance(value, int) and value.bit_length() < 64):
        return value
    raise FormatError(f"the pickle has a {type(value).__name__} as a key; keys are text or numbers of up to 64 bits")


def _check_tree(root: object, most: int) -> None:
    """Refuse what is too deep, or too much where parts are shared; a value inside itself is endlessly deep."""
    todo: list[tuple[object, int]] = [(root, 1)]
    seen = 1
    while todo:
        value, depth = todo.pop()
        inside = value.values() if isinstance(value, dict) else value.parts if isinstance(value, Standin) else value
        parts = list(inside) if isinstance(value, dict | list | tuple | Standin) else []  # type: ignore[call-overload]
        if not parts:
            continue
        seen += len(parts)
        if depth >= DEEPEST:
            raise FormatError(f"the pickle is nested more than {DEEPEST} levels deep; it is not loaded")
        if seen > most:
            raise FormatError("the pickle repeats shared parts too often; it is not loaded")
        todo += [(part, depth + 1) for part in parts if isinstance(part, dict | list | tuple | Standin)]
