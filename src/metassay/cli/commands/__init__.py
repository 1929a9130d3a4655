"""The commands: one module each, with a ``COMMAND``, loaded when it is called.

A new study adds a module here and a line below.
"""

from __future__ import annotations

from importlib import import_module

from metassay.cli.parser import Command

QUESTIONS = {
    "agree": "how well does each metric agree with people?",
    "compare": "which metric agrees better?",
    "normality": "do parametric methods apply?",
    "demo": "show me, on the example data that ships with the package",
}
"""Every command and the question it answers."""


def load(name: str) -> Command:
    """Return a command by name."""
    command = import_module(f"metassay.cli.commands.{name.replace('-', '_')}").COMMAND
    assert isinstance(command, Command)
    return command
