"""Texts: sources, references and system outputs on the labels that scores have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from metassay.core.equality import Record
from metassay.core.origin import Origin
from metassay.core.scores import natural
from metassay.errors import DataError, UnknownName, UsageError, one_line


class Item(NamedTuple):
    """What a metric sees: one output, with what it may be compared to."""

    system: str
    """The system that wrote the output."""
    input: str
    """The input it answers."""
    output: str
    """The text to be scored."""
    references: tuple[str, ...]
    """Reference texts of the input, possibly none."""
    source: str | None
    """The input's own text, if it is known."""


@dataclass(frozen=True, slots=True, eq=False)
class Texts(Record):
    """Sources, references (one or many) and system outputs. Immutable.

    Examples
    --------
    >>> texts = Texts(
    ...     outputs={("a", "1"): "a short text", ("b", "1"): "another text"}, references={"1": ("a text",)}
    ... )
    >>> texts
    Texts(2 systems × 1 inputs: 2 outputs, 1 inputs with references, 0 with sources)
    """

    outputs: Mapping[tuple[str, str], str]
    """Texts by system and input; a missing output is absent."""
    references: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Reference texts by input."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Source texts by input."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """The group of each system that has one, such as ``peer`` or ``reference``."""
    language: str = ""
    """The language of the outputs, if it was said."""
    provenance: tuple[Origin, ...] = ()
    """Where the texts came from: one line per file, with the format that was recognised."""

    def __post_init__(self) -> None:
        if not self.outputs:
            raise DataError("there are no outputs of systems")
        for (system, key), text in self.outputs.items():
            if not system or not key:
                raise UsageError("every output needs a system and an input that are not empty")
            if not isinstance(text, str):
                raise DataError(
                    f"the output of {one_line(system)!r} on {one_line(key)!r} must be text, got {type(text).__name__}"
                )
        for name in ("outputs", "references", "sources", "groups"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    @property
    def systems(self) -> tuple[str, ...]:
        """Labels of the systems, in natural order."""
        return tuple(sorted({system for system, _ in self.outputs}, key=natural))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Labels of the inputs that any system answered, in natural order."""
        return tuple(sorted({key for _, key in self.outputs}, key=natural))

    def items(self) -> Iterator[Item]:
        """Yield every output with its references and source, by input and then by system."""
        for key in self.inputs:
            references, source = tuple(self.references.get(key, ())), self.sources.get(key)
            for system in self.systems:
                output = self.outputs.get((system, key))
                if output is not None:
                    yield Item(system, key, output, references, source)

    def select(self, *, systems: Iterable[str] | None = None, inputs: Iterable[str] | None = None) -> Texts:
        """Return only some systems or inputs."""
        kept = {}
        for what, wanted, known in (("system", systems, self.systems), ("input", inputs, self.inputs)):
            chosen = known if wanted is None else (wanted,) if isinstance(wanted, str) else tuple(wanted)
            for name in chosen:
                if name not in known:
                    raise UnknownName(what, name, known)
            kept[what] = set(chosen)
        outputs = {(s, i): t for (s, i), t in self.outputs.items() if s in kept["system"] and i in kept["input"]}
        return replace(
            self,
            outputs=outputs,
            references={i: r for i, r in self.references.items() if i in kept["input"]},
            sources={i: s for i, s in self.sources.items() if i in kept["input"]},
            groups={s: g for s, g in self.groups.items() if s in kept["system"]},
        )

    def __hash__(self) -> int:
        return hash(frozenset(self.outputs.items()))

    def __repr__(self) -> str:
        return (
            f"Texts({len(self.systems)} systems × {len(self.inputs)} inputs: {len(self.outputs)} outputs, "
            f"{len(self.references)} inputs with references, {len(self.sources)} with sources)"
        )
