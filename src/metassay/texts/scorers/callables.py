"""Any Python function as a metric."""

from __future__ import annotations

import dis
import importlib
import importlib.util
import inspect
import platform
import secrets
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import Any, Literal

from metassay.core import vocabulary
from metassay.core.texts import Item
from metassay.errors import UsageError, one_line
from metassay.stats.arrays import FloatArray
from metassay.texts.programs import digest_of_file
from metassay.texts.scorers.adapter import Adapter, needs_of, where
from metassay.texts.scorers.base import Need, Unfinished, digest, option

Function = Callable[..., Any]

_SINGLE: dict[str, Need] = {"output": "output", "references": "references", "source": "source"}
_MANY: dict[str, Need] = {"outputs": "output", "references": "references", "sources": "source"}
_WRITTEN = "a metric is a function of output, references and source, or of outputs, references and sources for batches"


class _Function(Adapter):
    """What is alike for functions at hand and functions that are named."""

    version = ""

    def _use(self, function: Function, call: str = "") -> None:
        if not callable(function):
            raise UsageError(f"{_WRITTEN}; got {one_line(repr(function), 60)}")
        self._function = function
        self._how, self._names, needed, seen = _parameters(function)
        known = getattr(function, "__name__", "")
        if self.name is None and not known.isidentifier():
            raise UsageError("this function has no name; give one: name=…")
        version = str(self.version)
        parts = {"python": call or _home(function), "code": _identity(function, version), "version": version}
        self._settle(known, needed if self.needs is None else needs_of(self.needs), seen, parts)

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return scores of shape (items, columns), NaN where the function returns None or NaN."""
        found = self._all(items) if self._how == "batch" else None

        def wrong(at: int, error: ValueError) -> str:
            must = f"{self.name} must return a number, None or named numbers"
            return f"{must}, but for {where(items[at])} it returned {error}"

        return self._rows(items, lambda at: self._called(items[at]) if found is None else found[at], wrong)

    def _called(self, item: Item) -> object:
        try:
            if self._how == "output":
                return self._function(item.output)
            return self._function(**{name: getattr(item, part) for name, part in self._names.items()})
        except Exception as error:  # a user's function may fail in any way
            raise Unfinished(f"{self.name} failed for {where(item)}: {_told(error)}") from error

    def _all(self, items: Sequence[Item]) -> Sequence[object]:
        try:
            found = self._function(
                **{name: [getattr(item, part) for item in items] for name, part in self._names.items()}
            )
            values = list(found)
        except Exception as error:  # likewise
            first = f", the first {where(items[0])}" if items else ""
            raise Unfinished(f"{self.name} failed for a batch of {len(items):,}{first}: {_told(error)}") from error
        if len(values) != len(items):
            raise Unfinished(
                f"{self.name} must return one value per output; it returned {len(values):,} for {len(items):,}"
            )
        return values


class FunctionScorer(_Function):
    """Scores with a function; made by :func:`scorer`."""

    in_process = True  # functions at hand cannot be sent to other processes
    function: Function = field(kw_only=False)
    version: str = ""

    def _prepare(self) -> None:
        self._use(self.function)


class Python(_Function):
    """Scores with a function that is named by where it is, so that other processes find it too.

    Parameters
    ----------
    call
        ``package.module:function``, or ``file.py:function``.
    name
        The name of the metric; by default that of the function.
    needs
        ``references``, ``source``, or both with a plus; by default the parameters that have no default of their own.
    scores
        Names of the numbers wanted, parted by pluses, if the function returns several.
    lower_is_better
        Whether small scores are good, or the names of the scores of which this is true.
    parallel
        Whether it may run in several processes at once.
    version
        Anything that tells one version of the metric from another, for what the digest of its file does not show.

    Examples
    --------
    >>> Python("textwrap:dedent", name="x")._function(" a")
    'a'
    """

    call: str | None = field(default=None, kw_only=False)
    parallel: bool = option(True, vocabulary.flag)
    version: str = ""

    def _prepare(self) -> None:
        if self.call is None:
            raise UsageError("python needs a function: python[call=package.module:function] or file.py:function")
        self.call, self.in_process = str(self.call), not self.parallel
        self._use(_load(self.call), self.call)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_function"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._function = _load(str(self.call))


def scorer(
    function: Function,
    *,
    name: str | None = None,
    needs: str | Iterable[str] | None = None,
    scores: str | Iterable[str] | None = None,
    lower_is_better: bool | str | Iterable[str] = False,
    version: str = "",
) -> FunctionScorer:
    """Make a metric of a function, for :func:`score`.

    Parameters
    ----------
    function
        Its parameters say what it is handed. ``output``, ``references`` (a tuple of texts, possibly empty) and
        ``source`` (None if there is none), as many of them as it wants: it is called for each output. ``outputs``,
        ``references`` and ``sources``: it is called for a batch, with lists. A function of one parameter with another
        name gets the output. It returns a number; None or NaN for a missing score; or several numbers, as a mapping by
        name or in the order of `scores`. For a batch, a list of these.
    name
        The name of the metric; by default that of the function.
    needs
        What an output must have to be scored: ``references``, ``source``. By default the parameters that have no
        default value.
    scores
        The names of the numbers, if there are several.
    lower_is_better
        Whether small scores are good, or the names of the scores of which this is true.
    version
        Anything that tells one version of the metric from another. The recipe, under which scores are kept, has a
        digest of the function's file and of the plain values that it captures; give a version if the scores depend
        on anything else. A function whose code cannot be known in this way and that has no version is scored anew
        each time.

    Returns
    -------
    Scorer
        Ready for ``metassay.score(texts, [...])``.

    Examples
    --------
    >>> def shared(output, references):
    ...     words = set(output.split())
    ...     return max(len(words & set(reference.split())) for reference in references)
    >>> shared = scorer(shared, version="1")
    >>> shared.score([Item("a", "1", "the cat sat", ("a cat sat",), None)]).tolist()
    [[2.0]]
    """
    return FunctionScorer(
        function, name=name, needs=needs, scores=scores, lower_is_better=lower_is_better, version=str(version)
    )


def _parameters(
    function: Function,
) -> tuple[Literal["output", "item", "batch"], dict[str, str], frozenset[Need], frozenset[Need]]:
    """Return how a function is called, its parameters with what they stand for, what it needs, and what it sees."""
    nothing: frozenset[Need] = frozenset()
    try:
        given = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # some functions of C have no signature
        return "output", {}, nothing, nothing
    named = [p for p in given if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    how: Literal["item", "batch"] = "batch" if any(p.name == "outputs" for p in named) else "item"
    words = _MANY if how == "batch" else _SINGLE
    known = [p for p in named if p.name in words]
    if any(words[p.name] == "output" for p in known):
        others = [p for p in given if p not in known and p.default is p.empty and p.kind not in _REST]
        if others:
            raise UsageError(f"{_WRITTEN}; this one has a parameter {one_line(others[0].name, 40)!r}")
        parts = {p.name: words[p.name] for p in known}
        seen: frozenset[Need] = frozenset(part for part in parts.values() if part != "output")
        needed: frozenset[Need] = frozenset(
            words[p.name] for p in known if p.default is p.empty and words[p.name] != "output"
        )
        return how, dict(parts), needed, seen
    required = [p for p in given if p.default is p.empty and p.kind not in _REST]
    if len(required) == 1 and required[0].kind != required[0].KEYWORD_ONLY and required[0].name not in _MANY | _SINGLE:
        return "output", {}, nothing, nothing
    raise UsageError(f"{_WRITTEN}; this one has ({one_line(', '.join(p.name for p in given), 60)})")


_REST = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _told(error: Exception) -> str:
    text = one_line(error, 200)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _home(function: Function) -> str:
    return (
        f"{getattr(function, '__module__', None) or '?'}:{getattr(function, '__qualname__', type(function).__name__)}"
    )


def _identity(function: Function, version: str) -> str:
    """Return letters that stand for the code of a function, as far as it can be known, and new ones if it cannot."""
    if isinstance(function, types.BuiltinFunctionType) and isinstance(function.__self__, types.ModuleType):
        return f"python-{platform.python_version()}"
    known = _code(function)
    if known is not None:
        return digest(known)
    return "" if version else f"unknown-{secrets.token_hex(4)}"


def _code(function: Function) -> list[str] | None:
    """Return all that a function's numbers depend on, as far as plain values and its file go; None if it is more."""
    if not isinstance(function, types.FunctionType):
        return None
    captured = [cell.cell_contents for cell in function.__closure__ or () if not _is_empty(cell)]
    bound = [*captured, *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    parts = [function.__qualname__]
    file = _file(function)
    if file is not None:
        parts.append(digest_of_file(file))
    else:
        codes, outside = list(_codes(function.__code__)), function.__globals__
        steps = [step for code in codes for step in dis.get_instructions(code)]
        parts += [f"{s.opname} {'' if isinstance(s.argval, types.CodeType) else s.argrepr}" for s in steps]
        # a function that was typed in may change what it calls without changing itself
        used = [outside[name] for code in codes for name in code.co_names if name in outside]
        bound += [value for value in used if not isinstance(value, types.ModuleType)]
    for value in bound:
        if not _is_plain(value):
            return None
        parts.append(repr(value))
    return parts


def _file(function: types.FunctionType) -> Path | None:
    try:
        name = inspect.getsourcefile(function)
    except TypeError:
        return None
    return Path(name) if name is not None and Path(name).is_file() else None


def _is_empty(cell: types.CellType) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return True
    return False


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield the code of a function, and that of the functions inside it."""
    yield code
    for value in code.co_consts:
        if isinstance(value, types.CodeType):
            yield from _codes(value)


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(_is_plain(key) and _is_plain(one) for key, one in value.items())
    return value is None or isinstance(value, str | bytes | int | float | complex)


def _load(call: str) -> Function:
    """Return the function at ``package.module:function`` or ``file.py:function``."""
    home, _, path = call.rpartition(":")
    if not home or not path:
        raise UsageError(f"a function is named package.module:function or file.py:function, got {one_line(call, 60)!r}")
    try:
        found: Any = _module_of_file(Path(home)) if home.endswith(".py") else _module(home)
    except UsageError:
        raise
    except Exception as error:  # a module of the user's may do anything while it is imported
        raise UsageError(f"cannot import {one_line(home, 60)!r}: {_told(error)}") from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise UsageError(f"{one_line(home, 60)!r} has no function {one_line(path, 60)!r}")
        found = getattr(found, part)
    if not callable(found):
        raise UsageError(f"{one_line(call, 80)!r} is not a function but {one_line(repr(found), 40)}")
    function: Function = found
    return function


@contextmanager
def _on_the_path(folder: Path) -> Iterator[None]:
    """Let Python find modules in a folder, as it does for those beside a script."""
    name = str(folder.resolve())
    sys.path.insert(0, name)
    try:
        yield
    finally:
        if name in sys.path:
            sys.path.remove(name)


def _module(name: str) -> types.ModuleType:
    with _on_the_path(Path()):
        return importlib.import_module(name)


def _module_of_file(path: Path) -> types.ModuleType:
    if not path.is_file():
        raise UsageError(f"there is no file {one_line(path)!r} with a function")
    name = f"_metassay_{digest([str(path.resolve())])}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{one_line(path)!r} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _on_the_path(path.parent):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
