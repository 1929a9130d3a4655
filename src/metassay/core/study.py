"""A study declares its options in the signature of its verb, and its question in the docstring of its module.

``@study`` checks what is given by those options and completes the docstring. The command line reads the same
declaration from the source, without importing it, so that help does not wait for NumPy.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from importlib.abc import InspectLoader
from typing import Any, ParamSpec, TypeVar

from metassay.core import options, text_options
from metassay.core.option import Option
from metassay.errors import UsageError

P = ParamSpec("P")
R = TypeVar("R")

_MODULES = {"opt": options, "text": text_options}
"""How signatures name options: ``level: opt.Levels``."""


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

    question: str
    """The question that it answers."""
    about: str
    """A paragraph for people who meet it for the first time."""
    examples: tuple[str, ...]
    """Command lines that work."""
    options: Mapping[str, Declared]
    """Its options by name, in the order of the signature."""


def study(verb: Callable[P, R]) -> Callable[P, R]:
    """Check the options of a verb before it runs, and tell them in its docstring.

    Parameters
    ----------
    verb
        A function whose options are keywords with a default and a type of :mod:`metassay.core.options`.
    """
    known = {
        name: Declared(_find(str(parameter.annotation)), parameter.default)
        for name, parameter in inspect.signature(verb).parameters.items()
        if _is_option(str(parameter.annotation))
    }
    former = {each.option.alias: name for name, each in known.items() if each.option.alias is not None}

    @wraps(verb)
    def checked(*args: P.args, **given: P.kwargs) -> R:
        for old, name in former.items():
            if old in given and name in given:
                raise UsageError(f"{name} and {old} are two names of one option; give one of them")
        values = {former.get(name, name): value for name, value in given.items()}
        for name, each in known.items():
            values[name] = each.option.take(name, values.get(name, each.default), each.default)
        return verb(*args, **values)  # type: ignore[arg-type]

    checked.__doc__ = _documented(inspect.getdoc(verb) or "", known)
    return checked


def read_question(module: str) -> str:
    """Return the question that a module answers: the first line of its docstring."""
    return _source(module).partition('"""')[2].partition("\n")[0].removesuffix('"""')


def read_declaration(module: str, verb: str | None = None) -> Declaration:
    """Return what a module declares, from its source; without a verb only its question, text and examples."""
    tree = ast.parse(_source(module))
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
    return Declaration(paragraphs[0], about, examples, found)


def _source(module: str) -> str:
    spec = importlib.util.find_spec(module)
    loader = None if spec is None else spec.loader
    assert isinstance(loader, InspectLoader), module
    return loader.get_source(module) or ""


def _is_option(annotation: str) -> bool:
    return annotation.partition(".")[0] in _MODULES


def _find(annotation: str) -> Option:
    module, _, name = annotation.partition(".")
    option = getattr(_MODULES[module], name).__metadata__[0]
    assert isinstance(option, Option)
    return option


def _documented(text: str, known: Mapping[str, Declared]) -> str:
    """Return a docstring whose section on parameters ends with the options."""
    lines = []
    for name, each in known.items():
        words = each.option.text(each.default)
        lines += [name, f"    {words[0].upper()}{words[1:]}."]
    heading = "Parameters\n----------\n"
    before, found, rest = text.partition(heading)
    if not found:
        before, _, rest = text.partition("\n\n")
        return f"{before}\n\n{heading}" + "\n".join(lines) + f"\n\n{rest}"
    own, blank, rest = rest.partition("\n\n")
    return f"{before}{heading}" + "\n".join([own, *lines]) + f"{blank}{rest}"
