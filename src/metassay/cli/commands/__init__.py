"""The commands: one module each, with a ``COMMAND``, loaded when it is called.

A new study adds a module here and a line below.
"""

from __future__ import annotations

from importlib import import_module

from metassay.cli.parser import Command, Family

QUESTIONS = {
    "agree": "how well does each metric agree with people?",
    "compare": "which metric agrees better?",
    "normality": "do parametric methods apply?",
    "systems": "which systems differ?",
    "decisions": "would a metric have led to the same decisions about systems?",
    "pairs": "does a small score difference mean anything?",
    "criteria": "is this agreement borrowed from another criterion?",
    "difficulty": "do inputs differ in difficulty?",
    "profile": "what do all scores say together of the systems?",
    "stability": "would the ranking come out the same again?",
    "widths": "what does scoring the whole test set buy?",
    "precision": "how precisely are the scores of systems known?",
    "plan": "how many inputs, systems and annotators do I need?",
    "simulate": "does the method hold on data like mine?",
    "corrupt": "what do these texts look like when they are damaged on purpose?",
    "downgrade": "does the metric notice damage?",
    "translate": "what do these texts look like in another language, and back?",
    "survive": "does the evaluation survive translation, or any other exchange?",
    "metrics": "what can be scored here?",
    "score": "what do the metrics say of these texts?",
    "report": "all of it, on one page",
    "serve": "all of it, in the browser",
    "reproduce": "do the published numbers come out?",
    "datasets": "which public data can I have?",
    "example": "which scores can I try this on?",
    "demo": "show me, on the example data that ships with the package",
}
"""Every command and the question it answers."""


def load(name: str) -> Command | Family:
    """Return a command by name; a part of a family is called ``family-part``."""
    command = import_module(f"metassay.cli.commands.{name.replace('-', '_')}").COMMAND
    assert isinstance(command, Command | Family)
    return command
