"""Finished pages in a file, so that work that was interrupted goes on where it stopped.

What a run is about is known by its content: a digest of the page function and of all data it holds. Pages are stored as
plain arrays and numbers, never as pickles, so a foreign file can do no harm.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import io
import json
import struct
import sys
import types
from collections.abc import Callable, Mapping
from importlib import import_module, metadata
from os import PathLike
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from metassay.core.store import CHECKPOINT, Store
from metassay.errors import UsageError, one_line

PLACES = frozenset({"threads", "processes"})
"""Names of settings that say where work is done; they are not part of what it is about."""
INSTALLED = frozenset({"metassay", "numpy", "scipy", *sys.stdlib_module_names}) - {"__main__"}
"""Packages whose classes are told by their names, since their versions are known."""


class Section:
    """The pages of one run. This one keeps none: it stands for a run without a checkpoint."""

    def __init__(self) -> None:
        self.known: dict[int, Any] = {}
        """Pages that are done, by number."""

    def keep(self, page: int, result: object) -> None:
        """Keep the result of a page."""

    def __enter__(self) -> Section:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        pass


class Checkpoint:
    """A file of finished pages. Use it as a context manager.

    Parameters
    ----------
    path
        The file; it is made if it does not exist.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.store = Store(path, CHECKPOINT)
        self._runs = 0

    def begin(self, work: Callable[[Any], object], pages: int, what: str) -> Section:
        """Return the section of the next run, with the pages that are done.

        Raises
        ------
        UsageError
            If the file holds other work in its place.
        """
        number, self._runs = self._runs, self._runs + 1
        # Other arithmetic may differ in the last digit, and a result must not be a mixture.
        versions = [metadata.version(name) for name in ("metassay", "numpy", "scipy")]
        digest = hashlib.blake2b(" ".join(versions).encode(), digest_size=20)
        digest.update(Digests().of(work) + struct.pack("<q", pages))
        run = Run(f"run {number}".encode(), digest.hexdigest(), what, pages)
        there = self.store.get([run.key]).get(run.key)
        if there is not None:
            self.check(run, there)
        return _KeptSection(self, run, begun=there is not None)

    def check(self, run: Run, there: bytes) -> None:
        """Refuse a file that has other work in the place of a run."""
        digest, what, pages = json.loads(there)
        if digest != run.digest:
            other = one_line(f"{what}, {pages} pages")
            raise UsageError(
                f"the checkpoint {one_line(self.store.path)!r} is from another run ({other} with other data, options "
                "or version); name another file, or delete it to begin again"
            )

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.store.__exit__()


class Run(NamedTuple):
    """What the pages of a section belong to."""

    key: bytes
    """The how-manieth run of the program it is."""
    digest: str
    """What it is about."""
    what: str
    """The same in words."""
    pages: int
    """How many pages it has."""

    def page(self, page: int) -> bytes:
        """Return the key of a page. The digest is in it, so that pages of other work are never taken for ours."""
        return b"%s, page %d, %s" % (self.key, page, self.digest.encode())


class _KeptSection(Section):
    def __init__(self, book: Checkpoint, run: Run, *, begun: bool) -> None:
        super().__init__()
        self._book, self._run, self._begun = book, run, begun
        places = {run.page(page): page for page in range(run.pages)} if begun else {}
        for key, value in book.store.get(places).items():
            # A page that is not of our making is done again.
            with contextlib.suppress(Exception):
                self.known[places[key]] = unpack(value)

    def keep(self, page: int, result: object) -> None:
        if result is None:
            return
        try:
            value = pack(result)
        except TypeError:
            # What is no array or number is not kept: it is done again.
            return
        if not self._begun:
            # Another process may have been faster, with other work.
            self._book.check(self._run, self._book.store.settle(self._run.key, json.dumps(self._run[1:]).encode()))
            self._begun = True
        self._book.store.put({self._run.page(page): value}, may_wait=True)

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._book.store.flush()


# -- results as bytes ---------------------------------------------------------------------------


def pack(value: object) -> bytes:
    """Return arrays and numbers, in lists, tuples, dicts and metassay's own data classes, as bytes.

    Raises
    ------
    TypeError
        If there is anything else in it.

    Examples
    --------
    >>> unpack(pack([1, (2.5, None), {"a": "b"}]))
    [1, (2.5, None), {'a': 'b'}]
    """
    arrays: list[bytes] = []
    skeleton = json.dumps(_plain(value, arrays)).encode()
    return struct.pack("<I", len(skeleton)) + skeleton + b"".join(arrays)


def unpack(data: bytes) -> Any:  # noqa: ANN401 - whatever was packed
    """Return what was packed."""
    (size,) = struct.unpack_from("<I", data)
    return _filled(json.loads(data[4 : 4 + size]), io.BytesIO(data[4 + size :]))


def _plain(value: Any, arrays: list[bytes]) -> Any:  # noqa: ANN401 - a tree of anything
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, np.ndarray | np.generic):
        file = io.BytesIO()
        np.lib.format.write_array(file, np.asarray(value), allow_pickle=False)
        arrays.append(file.getvalue())
        return ["array" if isinstance(value, np.ndarray) else "number"]
    if type(value) in (list, tuple):
        return [type(value).__name__, [_plain(v, arrays) for v in value]]
    if type(value) is dict:
        return ["dict", [[_plain(k, arrays), _plain(v, arrays)] for k, v in value.items()]]
    kind = type(value)
    if kind.__module__.startswith("metassay.") and (fields := _fields(kind)) is not None:
        return ["class", kind.__module__, kind.__qualname__, [_plain(getattr(value, f), arrays) for f in fields]]
    raise TypeError(f"cannot pack {kind.__name__}")


def _filled(skeleton: Any, arrays: io.BytesIO) -> Any:  # noqa: ANN401 - a tree of anything
    if not isinstance(skeleton, list):
        return skeleton
    kind, *rest = skeleton
    if kind in ("array", "number"):
        array = np.lib.format.read_array(arrays, allow_pickle=False)
        return array if kind == "array" else array[()]
    if kind in ("list", "tuple"):
        values = [_filled(v, arrays) for v in rest[0]]
        return values if kind == "list" else tuple(values)
    if kind == "dict":
        return {_filled(k, arrays): _filled(v, arrays) for k, v in rest[0]}
    module, name, fields = rest
    if not module.startswith("metassay."):
        raise TypeError(f"cannot unpack {module}")
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    if not isinstance(found, type) or _fields(found) is None:
        raise TypeError(f"cannot unpack {name}")
    return found(*(_filled(v, arrays) for v in fields))


def _fields(kind: type) -> tuple[str, ...] | None:
    """Return the fields that make a data class or a named tuple, None for other classes."""
    if dataclasses.is_dataclass(kind):
        fields = dataclasses.fields(kind)
        return tuple(f.name for f in fields) if all(f.init and not f.kw_only for f in fields) else None
    return getattr(kind, "_fields", None)


# -- what a function is about -------------------------------------------------------------------


class Digests:
    """Digests of functions with all that they hold: the same in every process, and other for other data."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, bytes]] = {}

    def of(self, value: object) -> bytes:
        """Return the digest of a value."""
        if id(value) in self._known:
            return self._known[id(value)][1]
        self._known[id(value)] = (value, b"itself")  # met again inside itself
        digest = hashlib.blake2b(type(value).__qualname__.encode() + b"\0", digest_size=20)
        for part in self._parts(value):
            digest.update(part if isinstance(part, bytes | memoryview) else self.of(part))
        if isinstance(value, bool | int | float | str | bytes | type(None)):
            del self._known[id(value)]
        else:
            # The value is held, so that no other takes its place in memory.
            self._known[id(value)] = (value, digest.digest())
        return digest.digest()

    def _parts(self, value: Any) -> list[Any]:  # noqa: ANN401 - anything may be in a closure
        """Return what makes a value: bytes, or further values."""
        if isinstance(value, np.ndarray):
            if value.dtype.hasobject:
                return [str(value.shape).encode(), *value.ravel().tolist()]
            return [
                f"{value.dtype.str}{value.shape}".encode(),
                np.ascontiguousarray(value).reshape(-1).view(np.uint8).data,
            ]
        if value is None or isinstance(
            value, bool | int | float | complex | str | bytes | range | slice | np.generic | np.dtype
        ):
            return [repr(value).encode("utf-8", "backslashreplace")]
        if isinstance(value, type | types.ModuleType | types.BuiltinFunctionType):
            return [f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value.__name__)}".encode()]
        if isinstance(value, list | tuple):
            return [str(len(value)).encode(), *value]
        if isinstance(value, set | frozenset):
            return sorted(self.of(v) for v in value)
        if isinstance(value, Mapping):
            return [str(len(value)).encode(), *(part for item in value.items() for part in item)]
        if isinstance(value, types.CodeType):
            return [value.co_code, list(value.co_names), list(value.co_consts)]
        if isinstance(value, types.FunctionType):
            return [
                value.__code__,
                value.__defaults__,
                value.__kwdefaults__,
                [_content(c) for c in value.__closure__ or ()],
            ]
        if isinstance(value, types.MethodType):
            return [value.__func__, value.__self__]
        if isinstance(value, functools.partial):
            return [value.func, value.args, value.keywords]
        state = {
            name: getattr(value, name) for kind in type(value).__mro__ for name in _slots(kind) if hasattr(value, name)
        }
        state.update(getattr(value, "__dict__", {}))
        # What objects of users do is in the code of their classes.
        own = [kind for kind in type(value).__mro__ if kind.__module__.partition(".")[0] not in INSTALLED]
        state.update((f"{kind.__qualname__}.{n}", f) for kind in own for n, f in vars(kind).items() if callable(f))
        return [part for name in sorted(state) if name not in PLACES for part in (name.encode(), state[name])]


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(s for s in slots if s not in ("__weakref__", "__dict__"))


def _content(cell: Any) -> object:  # noqa: ANN401 - types.CellType has no parameter
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return "empty"
