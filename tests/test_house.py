"""The house stays readable: how long modules and functions may be, where randomness enters, and its plan."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import metassay
from metassay.cli.commands import GROUPS

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


REPOSITORY = Path(__file__).parents[1]
PLAN = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_the_plan_of_the_house_names_every_module():
    """Or the room has modules, or modules and their parts, for each study and command, metric or format."""
    named = set(re.findall(r"\w+", PLAN))
    questions = {*metassay.HOMES, *(name for group in GROUPS.values() for name in group)}
    listed = json.loads((ROOT / "data" / "metrics.json").read_text(encoding="utf-8"))
    metrics = {metric["home"].partition(":")[0] for metric in listed.values()}
    formats = {Path(name).stem for name, source in MODULES.items() if re.search(r"^FORMATS = ", source, re.MULTILINE)}
    each = dict.fromkeys(("studies", "charts", "report/views", "cli/commands", "reproduction"), questions)
    each |= {"texts/scorers": metrics, "readers": formats}

    def is_planned(module):
        words = module.stem.split("_")
        begins = {"_".join(words[: at + 1]) for at in range(len(words))}
        return module.stem in named or begins & each.get(module.parent.as_posix(), set())

    assert [name for name in MODULES if "__" not in name and not is_planned(Path(name))] == []


def test_the_plan_of_the_house_names_no_module_that_is_gone():
    kernels = PLAN.partition("\n## Kernels")[2].partition("\n## ")[0]
    headed = {name for bold in re.findall(r"\*\*(`[^*]+`)\*\*", kernels) for name in re.findall(r"`([\w/]+)`", bold)}
    named = {*re.findall(r"[\w/]+\.py\b", PLAN), *(f"{name}.py" for name in headed)}
    assert len(named) > 100
    files = [
        f"/{path.relative_to(REPOSITORY)}"
        for room in ("scripts", "tests")
        for path in (REPOSITORY / room).rglob("*.py")
    ]
    files += [f"/{name}" for name in MODULES]
    assert sorted(name for name in named if not any(file.endswith(f"/{name}") for file in files)) == []
