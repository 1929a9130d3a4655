"""One option: what is known of it, once, for Python, the command line, the docs and the signature line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypedDict

from metassay.core import vocabulary as known

Names = str | Iterable[str]
"""A name, a comma list or several names."""
WORKS_ON: list[str] = []
"""The module and the name of what makes a context in which work is done where its options say."""


def works_on(module: str, name: str) -> None:
    """Name what makes a context in which work is done where its options say; every study takes these options.

    It stands above this room, and is loaded when one of the options is first given.
    """
    WORKS_ON[:] = [module, name]


SLICES_WITH: list[str] = []
"""The module and the name of what does a study on one slice of the scores after the other."""


def slices_with(module: str, name: str) -> None:
    """Name what does a study on slices, where ``by`` asks for them; it stands above this room."""
    SLICES_WITH[:] = [module, name]


def as_given(_what: str, value: Any) -> Any:  # noqa: ANN401 - checked where the data is known
    """Return the value; what it may be depends on the data."""
    return value


@dataclass(frozen=True, slots=True)
class Option:
    """What is known of an option, but for its name and its default, which stand in signatures."""

    help: str
    """What it is, as a phrase without a full stop."""
    check: Callable[[str, Any], Any] = as_given
    """Takes the option's name and a value, and returns the value in its one form or raises `UsageError`."""
    metavar: str = "NAME"
    """What stands for the value in the help."""
    choices: Sequence[str] = ()
    """The names to choose from."""
    aliases: Mapping[str, str] | None = None
    """Other names for them."""
    listed: bool = True
    """Whether the choices are shown after the help."""
    several: bool = False
    """Whether a comma list may be given."""
    absent: str | None = None
    """What happens without it, where the default is None."""
    group: str = "statistics"
    """The heading in the help under which it stands."""
    number: bool = False
    """Whether the command line turns it into a number."""
    repeated: bool = False
    """Whether the command line takes it several times."""
    switch: bool = False
    """Whether it is on or off."""
    flag: str | None = None
    """Its name on the command line, if that is another."""
    alias: str | None = None
    """A former name, understood as well."""
    key: str | None = None
    """Its key in the signature line; None if it does not belong there."""
    signed: Callable[[Any], Any] | None = None
    """How its value is written there, if not as it is; None leaves it out."""

    def take(self, name: str, value: Any, default: object = None) -> Any:  # noqa: ANN401 - each option has its type
        """Return a value in its one form, or raise `UsageError`; None stands for what happens without the option."""
        if value is None and (default is None or self.absent is not None):
            return None
        what = name.replace("_", " ")
        if self.several and value == "all":
            return tuple(self.choices)
        if not self.choices or self.check is not as_given:
            return self.check(what, value)
        return (known.choices if self.several else known.choice)(what, value, self.choices, self.aliases)

    def in_signature(self, value: Any) -> object:  # noqa: ANN401 - each option has its type
        """Return a value, which was taken, as the signature line has it; None if it is left out there."""
        if value is None or self.signed is not None:
            return None if value is None or self.signed is None else self.signed(value)
        values = value if isinstance(value, tuple) else (value,)
        return tuple(f"{each:g}" if isinstance(each, float) else str(each) for each in values)

    def text(self, default: object = None) -> str:
        """Return what it is, what may be chosen, and what happens without it."""
        words = self.help
        if self.choices and self.listed:
            words += f"{', a comma list of' if self.several else ':'} {', '.join(self.choices)}"
        if default is not None and default is not False and not self.switch:
            words += f" (default: {shown(default)})"
        elif self.absent is not None:
            words += f" (default: {self.absent})"
        return words


def under(heading: str) -> Callable[..., Option]:
    """Return what makes options that stand under a heading of the help."""
    return partial(Option, group=heading)


studied, compared, corrupted = map(under, ("what to study", "what to compare", "what to corrupt"))


class Kind(TypedDict, total=False):
    """What several options have in common, to be handed to each of them."""

    check: Callable[[str, Any], Any]
    number: bool
    switch: bool
    metavar: str
    choices: Sequence[str]
    aliases: Mapping[str, str]
    repeated: bool
    alias: str
    key: str
    signed: Callable[[Any], Any]


def number(metavar: str, check: Callable[[str, Any], Any] = as_given) -> Kind:
    """Return what an option is that takes a number."""
    return Kind(number=True, metavar=metavar, check=check)


def among(metavar: str, choices: Sequence[str]) -> Kind:
    """Return what an option is that takes one of some names."""
    return Kind(metavar=metavar, choices=choices)


def at_least(least: int) -> Kind:
    """Return what an option is that takes a whole number."""
    return number("N", partial(known.count, least=least))


def when(key: str, word: str) -> Kind:
    """Return what an option is that is on or off, and stands in signatures by a word if it is on."""
    return Kind(**FLAG, key=key, signed=lambda on: word if on else None)


FLAG = Kind(check=known.flag, switch=True)
COUNT = number("N", known.count)
REPEATS = number("K", known.repeats)
SHARE = number("SHARE", known.fraction)
SIZE = number("SIZE", known.positive)


def shown(default: object) -> str:
    """Return a default as people write it."""
    if isinstance(default, int) and not isinstance(default, bool):
        return f"{default:,}"
    return ",".join(map(shown, default)) if isinstance(default, tuple) else str(default)
