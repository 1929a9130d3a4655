"""Limits that keep the house readable: how long modules and functions may be, and where randomness enters."""

from __future__ import annotations

import ast
from pathlib import Path

import metassay

ROOT = Path(metassay.__file__).parent
MODULES = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in sorted(ROOT.rglob("*.py"))}
LONG_MODULES: set[str] = set()
"""Modules that may be longer; it is to stay empty."""
LONG_FUNCTIONS: set[str] = set()
"""Functions that may be longer, likewise."""


def functions(source):
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_no_module_is_over_500_lines():
    long = {name for name, source in MODULES.items() if source.count("\n") > 500}
    assert long == LONG_MODULES


def test_no_body_of_a_function_is_over_80_lines_with_its_docstring():
    sizes = {
        f"{name}:{node.name}": node.end_lineno - node.body[0].lineno + 1
        for name, source in MODULES.items()
        for node in functions(source)
    }
    assert len(sizes) > 1000
    assert {name for name, size in sizes.items() if size > 80} == LONG_FUNCTIONS


def test_random_numbers_are_made_in_one_place():
    makers = ("default_rng(", "Generator(", "random.Random(", "SeedSequence(")
    code = {name: [line for line in source.splitlines() if ">>>" not in line] for name, source in MODULES.items()}
    found = {name for name, lines in code.items() if any(maker in line for line in lines for maker in makers)}
    assert found == {"stats/draws.py", "texts/changes/corruptions.py"}  # corruptions: from each text's own key
