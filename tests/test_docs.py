"""Everything that README and docs show is run: Python, commands with their output, examples of formats, links.

When output changes on purpose, ``python tests/test_docs.py`` writes the new output into the pages.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import metassay as ma
from metassay.cli.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
README = ROOT / "README.md"
FORMATS = ROOT / "docs" / "formats.md"
SCORE = ROOT / "docs" / "guides" / "score.md"


class Block(NamedTuple):
    page: Path
    line: int
    heading: str
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks(page: Path, *languages: str) -> Iterator[Block]:
    heading, language, start, inside = "", None, 0, []
    for at, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            if language is None:
                language, start, inside = line[3:].strip(), at + 1, []
            else:
                if language in languages:
                    yield Block(page, start, heading, language, "\n".join(inside) + "\n")
                language = None
        elif language is not None:
            inside.append(line)
        elif line.startswith("#"):
            heading = line.lstrip("#").strip()


def commands(page: Path) -> Iterator[Block]:
    return (block for block in blocks(page, "console") if block.text.startswith("$ metassay"))


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return furnished(tmp_path_factory.mktemp("docs"))


@pytest.fixture
def folder(model, tmp_path) -> Path:
    """Return a folder with the files that the pages speak of; what a page writes is not seen by another."""
    return shutil.copytree(model, tmp_path / "here")


def furnished(folder: Path) -> Path:
    scores = ma.example()
    ma.write(scores, folder / "scores.csv")
    shutil.copy(Path(ma.__file__).parent / "data" / "judge.csv", folder / "judge.csv")
    shutil.copy(Path(ma.__file__).parent / "data" / "votes.csv", folder)
    (folder / "texts.csv").write_text(next(blocks(SCORE, "csv")).text, encoding="utf-8")
    metrics, people = [], []
    for s, system in enumerate(scores.systems):
        for i, text in enumerate(scores.inputs):
            where = {"instance_id": text, "summarizer_id": system, "summarizer_type": "peer"}
            overlap = float(scores["synthetic-overlap"].values[s, i])
            judged = [float(v) for v in scores["relevance"].values[:, s, i] if v == v]
            metrics.append({**where, "metrics": {"overlap": overlap}})
            people.append({**where, "metrics": {"expert": {"relevance": judged}}})
    shutil.copy(ROOT / "src" / "metassay" / "data" / "judge.csv", folder)
    (folder / "scores").mkdir()
    for name, rows in (("rouge.jsonl", metrics), ("human.jsonl", people)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / name).write_text(text)
        (folder / "scores" / name).write_text(text)
    for part, name in (("human-scores", "mqm"), ("metric-scores/en-de", "BLEU-refA")):
        (folder / "wmt20" / part).mkdir(parents=True)
        prefix = "en-de." if part == "human-scores" else ""
        lines = "".join(f"{system}\t{k}\n" for system in ("one", "two") for k in range(3))
        (folder / "wmt20" / part / f"{prefix}{name}.seg.score").write_text(lines)
    furnish_task(folder / "shared-task", scores)
    return folder


def furnish_task(folder: Path, scores: ma.Scores) -> None:
    """Write a metrics task of two language pairs as mt-metrics-eval lays it out; one lacks a metric."""
    halves = {"en-de": slice(0, 40), "en-zh": slice(40, 80)}
    names = ("synthetic-judge", "synthetic-embedding", "synthetic-overlap", "synthetic-length")
    (folder / "human-scores").mkdir(parents=True)
    (folder / "documents").mkdir()
    for pair, half in halves.items():
        (folder / "metric-scores" / pair).mkdir(parents=True)
        files = {f"human-scores/{pair}.mqm": "relevance"}
        files |= {f"metric-scores/{pair}/{n}-src": n for n in names if (pair, n) != ("en-zh", "synthetic-length")}
        for file, name in files.items():
            lines = [
                f"{system}\t{'None' if value != value else round(value, 4)}\n"
                for system, row in zip(scores.systems, scores.matrix(name)[:, half].tolist(), strict=True)
                for value in row
            ]
            (folder / f"{file}.seg.score").write_text("".join(lines))
        (folder / "documents" / f"{pair}.docs").write_text("".join(f"news\tdoc{k // 4}\n" for k in range(40)))


@pytest.mark.parametrize("page", [p for p in PAGES if p != README and any(blocks(p, "python"))], ids=lambda p: p.name)
def test_python_runs(page, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    names: dict[str, object] = {}
    for block in blocks(page, "python"):
        # line numbers in a traceback are those of the page
        exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), names)


def session(block: Block, folder: Path) -> str:
    """Return the commands of a block, each with what it prints."""
    lines = re.findall(r"^\$ metassay (?:.*\\\n)*.*", block.text, re.MULTILINE)
    return "".join(f"{line}\n{output_of(line, folder)}" for line in lines)


def output_of(line: str, folder: Path) -> str:
    """Return what the command prints, on stdout and stderr as in a terminal of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "metassay", *shlex.split(line.removeprefix("$ metassay ").replace("\\\n", ""))],
        cwd=folder,
        env=os.environ | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
        timeout=600,
    )
    # How long work takes, and so whether it tells its progress, depends on the machine.
    told = (text for text in done.stdout.splitlines() if "% done, about " not in text)
    return "".join(f"{text.rstrip()}\n" for text in told)


@pytest.mark.parametrize("block", [b for p in PAGES if p != README for b in commands(p)], ids=str)
def test_commands_print_what_is_shown(block, folder):
    assert session(block, folder).splitlines() == block.text.splitlines()


def test_the_readme_works_as_written_in_an_empty_folder(tmp_path):
    seen = []
    for block in blocks(README, "sh", "console", "python"):
        seen.append(block.language)
        if block.language == "console":
            assert session(block, tmp_path).splitlines() == block.text.splitlines()
        elif block.language == "python":
            subprocess.run([sys.executable, "-c", block.text], cwd=tmp_path, check=True, timeout=600)
        else:  # CI runs these, as they need a package index and minutes
            for line in block.text.splitlines():
                assert re.match(r"pip install '?\.|make (demo|test) ", line), line
    assert {"sh", "console", "python"} <= set(seen)
    assert (tmp_path / "table.tex").exists()


def test_ci_runs_the_two_commands_of_the_readme_first():
    shown = [line.split(" #")[0].strip() for block in blocks(README, "sh") for line in block.text.splitlines()]
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert [line for line in run if line.startswith("make ")][:2] == [
        line for line in shown if line.startswith("make ")
    ]


@pytest.mark.parametrize("block", list(blocks(FORMATS, "csv", "json")), ids=lambda b: b.heading)
def test_examples_of_formats_are_recognised(block, tmp_path):
    format = block.heading.split(",")[0].strip("`")
    path = tmp_path / f"example.{block.language}"
    path.write_text(block.text, encoding="utf-8")
    assert format in ma.read(path).sources[0].format


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_every_page_is_linked_from_another():
    linked = {
        (page.parent / target).resolve()
        for page in PAGES
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
        if (page.parent / target).resolve() != page
    }
    assert {page for page in PAGES if ROOT / "docs" in page.parents} <= linked


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_exist(page):
    for name in re.findall(r"[`$] ?metassay ([a-z]+)", page.read_text(encoding="utf-8")):
        assert name in COMMANDS, name


def refresh() -> None:
    """Write the present output of every command into the pages."""
    with tempfile.TemporaryDirectory() as name:
        folder = furnished(Path(name))
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            for block in commands(page):
                text = text.replace(block.text, session(block, folder))
            page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    refresh()
