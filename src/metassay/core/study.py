"""A study declares its options in the signature of its verb, and its question in the docstring of its module.

``@study`` checks what is given by those options, does the work where the caller says, completes the signature of the
result and the docstring. The command line reads the same declaration from the source, without importing it, so that
help does not wait for NumPy.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache, wraps
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, cast, overload

from metassay.core import judge_options, options, sheet_options, text_options
from metassay.core.option import SLICES_WITH, WORKS_ON, Option
from metassay.core.result import Result
from metassay.core.source_text import source_of
from metassay.errors import UsageError

if TYPE_CHECKING:
    from metassay.core.slices import Slices

P = ParamSpec("P")
R = TypeVar("R", covariant=True)

_MODULES = {"opt": options, "text": text_options, "jd": judge_options, "sh": sheet_options}
"""How signatures name options: ``level: opt.Levels``."""


READ = {"Scores": "metassay.read", "Votes": "metassay.read_votes"}
"""What studies are about, and what reads it."""


class Study(Protocol[P, R]):
    """A verb, as it is declared; beside its own options it takes those that say where the work is done."""

    @overload
    def __call__(self, *args: P.args, **options: P.kwargs) -> R: ...
    @overload
    def __call__(self, *args: object, by: str, **options: object) -> Slices: ...
    @overload
    def __call__(self, *args: object, threads: options.Threads, **options: object) -> R: ...
    @overload
    def __call__(self, *args: object, cluster: options.Cluster, **options: object) -> R: ...
    @overload
    def __call__(self, *args: object, workers: options.Workers, **options: object) -> R: ...
    @overload
    def __call__(self, *args: object, checkpoint: options.Checkpoint, **options: object) -> R: ...


@dataclass(frozen=True, slots=True)
class Declared:
    """An option as one verb takes it."""

    option: Option
    """The option."""
    default: Any
    """The value that it has if it is not given."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What the source of a study says of it."""

    about: str
    """A paragraph for people who meet it for the first time."""
    examples: tuple[str, ...]
    """Command lines that work."""
    options: Mapping[str, Declared]
    """Its options by name, in the order of the signature."""


_ASKED: ContextVar[Mapping[str, Declared] | None] = ContextVar("asked", default=None)
"""The options of the verb that the user called, while it runs."""


def takes(name: str, value: str) -> bool:
    """Say whether the verb that the user called takes a value of an option, so that a message may suggest it."""
    asked = _ASKED.get()
    return asked is None or (name in asked and value in asked[name].option.choices)


@cache
def places() -> Mapping[str, Declared]:
    """Return the options that say where work is done; none of them changes a number."""
    return read_declaration(*WORKS_ON).options if WORKS_ON else {}


def study(verb: Callable[P, R]) -> Study[P, R]:
    """Check the options of a verb before it runs, do it where it is wanted, and tell the options in its docstring.

    Parameters
    ----------
    verb
        A function whose options are keywords with a default and a type of :mod:`metassay.core.options`. What it gives
        back, if that is a result, has a signature with the parts that the options do not know.
    """
    parameters = inspect.signature(verb).parameters
    known = _declared(parameters)
    former = {each.option.alias: name for name, each in known.items() if each.option.alias is not None}
    where = {name: each for name, each in places().items() if name not in known}
    slices = slicing(known) if _studies_scores(verb, parameters) else {}

    @wraps(verb)
    def checked(*args: object, **given: object) -> R:
        token = _ASKED.set(known) if _ASKED.get() is None else None
        try:
            return done(*args, **given)
        finally:
            if token is not None:
                _ASKED.reset(token)

    def done(*args: object, **given: object) -> R:
        for old, name in former.items():
            if old in given and name in given:
                raise UsageError(f"{name} and {old} are two names of one option; give one of them")
        values = {former.get(name, name): value for name, value in given.items()}
        wanted = {name: each.option.take(name, values.pop(name)) for name, each in where.items() if name in values}
        by = values.pop("by", None) if slices else None
        asked = dict(values)
        for name, each in known.items():
            values[name] = each.option.take(name, values.get(name, each.default), each.default)
        _check_data(verb, parameters, args, values)
        if by is not None:
            with _context(wanted) if wanted else nullcontext():
                return cast("R", _by_slices(checked, by, parameters, args, asked, values))
        with _context(wanted) if wanted else nullcontext():
            result = verb(*args, **values)  # type: ignore[arg-type]
        if isinstance(result, Result) and result.signature.is_open:
            told = [(each.option, values[name]) for name, each in known.items()]
            return cast("R", replace(result, signature=result.signature.closed(result.study, told)))
        return result

    checked.__doc__ = _documented(verb, {**known, **slices, **where})
    more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in (*slices, *where)]
    own = [each for each in parameters.values() if each.kind is not each.VAR_KEYWORD]
    checked.__signature__ = inspect.Signature([*own, *more])  # type: ignore[attr-defined]
    return cast("Study[P, R]", checked)


def slicing(known: Mapping[str, Declared]) -> Mapping[str, Declared]:
    """Return the option that every study of scores takes beside its own: slices, unless it has another ``by``."""
    return {} if "by" in known else {"by": Declared(options.SliceBy.__metadata__[0], None)}  # type: ignore[attr-defined]


def _studies_scores(verb: Callable[..., object], parameters: Mapping[str, inspect.Parameter]) -> bool:
    first = next(iter(parameters.values()), None)
    kind = verb.__globals__.get(str(inspect.signature(verb).return_annotation))
    return (
        first is not None and "Scores" in str(first.annotation) and isinstance(kind, type) and issubclass(kind, Result)
    )


def refuse_given(verb: Callable[..., object], values: Mapping[str, object], wanted: str, got: str) -> None:
    """Refuse options that mean nothing for such data, unless they are as the verb has them by default."""
    known = _declared(inspect.signature(verb).parameters)
    for name, value in values.items():
        if value != known[name].option.take(name, known[name].default, known[name].default):
            raise UsageError(f"{name} is an option for {wanted}, and these are {got}")


def _by_slices(
    checked: Callable[..., object],
    by: object,
    parameters: Mapping[str, inspect.Parameter],
    args: tuple[object, ...],
    asked: dict[str, object],
    taken: dict[str, object],
) -> object:
    """Do the study on each slice; the scores are the first argument, whatever it is called."""
    module, name = SLICES_WITH
    first = next(iter(parameters))
    if not args and first not in asked:
        raise UsageError(f"by={by!r} makes slices of scores, and none were given; read some with {READ['Scores']}")
    scores, *more = args or (asked.pop(first),)

    def study(part: object) -> object:
        return checked(part, *more, **asked)

    return getattr(importlib.import_module(module), name)(study, scores, by, taken)


def _context(wanted: Mapping[str, object]) -> AbstractContextManager[None]:
    module, name = WORKS_ON
    context: AbstractContextManager[None] = getattr(importlib.import_module(module), name)(**wanted)
    return context


def _check_data(
    verb: Callable[..., object],
    parameters: Mapping[str, inspect.Parameter],
    args: tuple[object, ...],
    given: Mapping[str, object],
) -> None:
    """Refuse what is not what the first argument of a study of scores or votes is declared to be."""
    first = next(iter(parameters.values()), None)
    wanted = next((each for each in READ if first is not None and each in str(first.annotation)), None)
    if first is None or wanted is None or not (args or first.name in given):
        return
    value = args[0] if args else given[first.name]
    names = [part.strip().partition("[")[0] for part in str(first.annotation).split("|")]
    kinds = [type(None) if name == "None" else verb.__globals__[name] for name in names]
    if not isinstance(value, tuple(kinds)):
        raise UsageError(f"expected {wanted}, got {type(value).__name__}; use {READ[wanted]} or {wanted}.from_arrays")


def _declared(parameters: Mapping[str, inspect.Parameter]) -> dict[str, Declared]:
    return {
        name: Declared(_find(str(parameter.annotation)), parameter.default)
        for name, parameter in parameters.items()
        if _is_option(str(parameter.annotation))
    }


def read_question(module: str) -> str:
    """Return the question that a module answers: the first line of its docstring."""
    return source_of(module).partition('"""')[2].partition("\n")[0].removesuffix('"""')


def read_declaration(module: str, verb: str | None = None) -> Declaration:
    """Return what a module declares, from its source; without a verb only its question, text and examples."""
    tree = ast.parse(source_of(module))
    paragraphs = (ast.get_docstring(tree) or "").split("\n\n")
    examples = tuple(
        line.strip() for text in paragraphs for line in text.splitlines() if line.startswith("    metassay ")
    )
    about = " ".join(" ".join(text.split()) for text in paragraphs[1:] if not text.startswith("    "))
    found: dict[str, Declared] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == verb:
            for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
                kind = "" if argument.annotation is None else ast.unparse(argument.annotation)
                if _is_option(kind):
                    found[argument.arg] = Declared(_find(kind), None if default is None else ast.literal_eval(default))
    return Declaration(about, examples, found)


class Makers(Mapping[str, tuple[str, ...]]):
    """What a room makes of the result of each study: views or charts, read from the module named like the study.

    Those are its public functions with one positional parameter, which is called ``result`` and annotated with another
    class than `Result`, in the order of the source; a last ``_`` of the name is cut. What the module imports under its
    own name (``import requirements as requirements``) follows. All other functions are helpers, and so are those named
    apart. A study of somebody else has none, and is shown row by row.
    """

    def __init__(self, room: str, *apart: str) -> None:
        self._room, self._apart = room, apart
        self._read = cache(self._makers)

    def _makers(self, study: str) -> tuple[str, ...]:
        name = study.replace("-", "_")
        if name not in (each.name for each in iter_modules(importlib.import_module(self._room).__path__)):
            return ()
        own, others = [], []
        for node in ast.parse(source_of(f"{self._room}.{name}")).body:
            if isinstance(node, ast.ImportFrom):
                others += [each.name for each in node.names if each.name == each.asname]
            elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                first = [(each.arg, ast.unparse(each.annotation or each)) for each in node.args.args]
                of_study = len(first) == 1 and first[0][0] == "result" and first[0][1] != "Result"
                own += [node.name.removesuffix("_")] if of_study and node.name not in self._apart else []
        return (*own, *others) if own else ()

    def __getitem__(self, study: str) -> tuple[str, ...]:
        if made := self._read(study):
            return made
        raise KeyError(study)

    def __iter__(self) -> Iterator[str]:
        folders = importlib.import_module(self._room).__path__
        return (name for each in iter_modules(folders) if (name := each.name.replace("_", "-")) in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _is_option(annotation: str) -> bool:
    return annotation.partition(".")[0] in _MODULES


def _find(annotation: str) -> Option:
    module, _, name = annotation.partition(".")
    option = getattr(_MODULES[module], name).__metadata__[0]
    assert isinstance(option, Option)
    return option


def _documented(verb: Callable[..., object], known: Mapping[str, Declared]) -> str:
    """Return a docstring whose section on parameters ends with the options, and that says what comes back."""
    text, lines = inspect.getdoc(verb) or "", []
    before, heading, rest = text.partition("\n\nParameters\n----------\n")
    if heading:
        own, blank, rest = rest.partition("\n\n")
        lines, rest = [own], blank + rest
    else:
        at = re.search(r"\n\n\w+\n-+\n", text)
        before, rest = (text, "") if at is None else (text[: at.start()], text[at.start() :])
        if "scores" in inspect.signature(verb).parameters:
            lines = ["scores", "    The scores to study."]
    for name, each in known.items():
        words = each.option.text(each.default)
        lines += [name, f"    {words[0].upper()}{words[1:]}."]
    kind = verb.__globals__.get(str(inspect.signature(verb).return_annotation))
    if isinstance(kind, type) and issubclass(kind, Result) and "\n\nReturns\n" not in text:
        rest = f"\n\nReturns\n-------\n{kind.__name__}\n    {(kind.__doc__ or '').partition(chr(10))[0]}{rest}"
    return f"{before}\n\nParameters\n----------\n" + "\n".join(lines) + rest
