"""Print every sentence that people read: help texts, questions, notes, headings and legends."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path

from metassay.cli.commands import COMMANDS, load
from metassay.cli.parser import Command, Family, Parser
from metassay.report.notes import SENTENCES

SOURCE = Path(__file__).resolve().parents[1] / "src" / "metassay"
SHOWN = ("report", "charts", "web")
"""Rooms whose texts are shown."""


def helps() -> Iterator[tuple[str, str]]:
    """Yield the help of every command and of every part of one."""
    for name in COMMANDS:
        command = load(name)
        parts = [f"{name} {part}" for part in command.parts] if isinstance(command, Family) else [name]
        for part in parts:
            found = load(part.replace(" ", "-"))
            assert isinstance(found, Command)
            yield f"metassay {part} --help", Parser(part, found).format_help()


def notes() -> Iterator[tuple[str, str]]:
    """Yield the sentence of every note; of those that are computed, the texts they are made of."""
    for code, sentence in SENTENCES.items():
        if isinstance(sentence.text, str):
            yield f"note {code}", sentence.text


def texts() -> Iterator[tuple[str, str]]:
    """Yield every text of some words in the rooms that show results: headings, legends, sentences."""
    for room in SHOWN:
        for file in sorted((SOURCE / room).rglob("*.py")):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
            for node in ast.walk(tree):
                if isinstance(node, ast.JoinedStr):
                    silent |= {id(value) for value in node.values}
                    yield f"{file.relative_to(SOURCE)}:{node.lineno}", _said(node)
                elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
                    yield f"{file.relative_to(SOURCE)}:{node.lineno}", node.value


def _said(node: ast.JoinedStr) -> str:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)


def words() -> Iterator[tuple[str, str]]:
    """Yield where a text stands, and the text on one line."""
    for place, text in (*helps(), *notes(), *texts()):
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
