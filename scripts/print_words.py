"""Print every sentence that people read: help texts, questions, notes, headings and legends."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path

from metassay.cli import overview
from metassay.cli.commands import COMMANDS, load
from metassay.cli.parser import Command, Family, Parser
from metassay.report.notes import SENTENCES

SOURCE = Path(__file__).resolve().parents[1] / "src" / "metassay"
SHOWN = ("report", "charts", "web")
"""Rooms whose texts are shown."""


def helps() -> Iterator[tuple[str, str]]:
    """Yield the overview and the help of every command and of its parts; an option is printed once."""
    yield "metassay --help", overview()
    said: set[str] = set()
    for name in COMMANDS:
        command = load(name)
        parts = [name]
        if isinstance(command, Family):
            yield f"metassay {name} --help", command.help(name)
            parts = [f"{name} {part}" for part in command.parts]
        for part in parts:
            found = load(part.replace(" ", "-"))
            assert isinstance(found, Command)
            text = Parser(part, found).format_help()
            options = re.split(r"\n(?=  -|\S|\n)", text)
            yield f"metassay {part} --help", "\n".join(each for each in options if each not in said)
            said |= {each for each in options if each.startswith("  -")}


def notes() -> Iterator[tuple[str, str]]:
    """Yield the sentence of every note; of those that are computed, the texts they are made of stand in `texts`."""
    for code, sentence in SENTENCES.items():
        if isinstance(sentence.text, str):
            yield f"note {code}", sentence.text


def texts() -> Iterator[tuple[str, str]]:
    """Yield every text of some words in the rooms that show results, and elsewhere those of errors and of fields."""
    for file in sorted(SOURCE.rglob("*.py")):
        name = str(file.relative_to(SOURCE))
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if name.startswith(SHOWN):
            for line, text in _strings(tree):
                yield f"{name}:{line}", text
            continue
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id.endswith(("Error", "Misuse"))
            ):
                for line, text in _strings(node):
                    yield f"error {name}:{line}", text


def fields() -> Iterator[tuple[str, str]]:
    """Yield what is said of the fields of rows and of results."""
    for file in (*sorted((SOURCE / "studies").glob("*.py")), SOURCE / "core" / "fields.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                told = [each.value for each in node.body if isinstance(each, ast.Expr)]
                for text in told:
                    if isinstance(text, ast.Constant) and isinstance(text.value, str):
                        yield f"{file.relative_to(SOURCE)}:{text.lineno}", text.value


def pages() -> Iterator[tuple[str, str]]:
    """Yield the templates and scripts of pages."""
    for file in sorted(SOURCE.rglob("*")):
        if file.suffix in (".html", ".j2") or file.name in ("page.js", "sheet.js"):
            for at, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
                yield f"{file.relative_to(SOURCE)}:{at}", line


def _strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            silent |= {id(value) for value in node.values}
            yield node.lineno, _said(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.lineno, node.value


def _said(node: ast.JoinedStr) -> str:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)


def words() -> Iterator[tuple[str, str]]:
    """Yield where a text stands, and the text on one line."""
    for place, text in (*helps(), *notes(), *texts(), *fields(), *pages()):
        flat = " ".join(text.split())
        if len(re.findall(r"[^\W\d_]{2,}", flat)) > 1:
            yield place, text.strip() if place.startswith("metassay") else flat


def main() -> None:
    """Print all of it, or what contains some words."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("containing", nargs="?", default="", help="only texts that contain this")
    containing = parser.parse_args().containing
    for place, text in words():
        if containing.lower() in text.lower():
            print(f"{place}\n{text}\n")


if __name__ == "__main__":
    main()
