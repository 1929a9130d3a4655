"""The notebooks of the docs run, and are those of their sources; the gallery has every figure."""

import importlib.util
import json
import re
import shlex
from pathlib import Path

import pytest

import metassay as ma
from metassay.charts.chart import KINDS
from metassay.cli.commands import load
from metassay.cli.parser import Parser

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "docs" / "notebooks").glob("*.py"))


@pytest.fixture(scope="module")
def maker():
    spec = importlib.util.spec_from_file_location("make_notebooks", ROOT / "scripts" / "make_notebooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_did(maker, source):
    made = maker.notebook(source.read_text(encoding="utf-8"))
    kept = json.loads(source.with_suffix(".ipynb").read_text(encoding="utf-8"))
    assert [cell["source"] for cell in made["cells"]] == [cell["source"] for cell in kept["cells"]]

    def kinds(notebook):
        return [sorted(out.get("data", {})) for cell in notebook["cells"] for out in cell.get("outputs", ())]

    assert kinds(made) == kinds(kept)
    assert any("image/svg+xml" in kind for kind in kinds(made))
    page = maker.on_page_markdown(f"<!-- notebook {source.stem} -->")
    assert page.startswith("# For ")
    assert '<div class="result">' in page


def test_data_show_themselves_in_a_notebook():
    scores, votes = ma.example(), ma.read_votes(Path(ma.__file__).parent / "data" / "votes.csv")
    shown = scores._repr_html_()
    assert '<th scope="row">synthetic-judge</th>' in shown
    assert '<td class="right">1,120</td>' in shown
    assert "dora" in votes._repr_html_()
    report = ma.make_votes_report(votes, resamples=50)
    assert report.sentences[0] in report._repr_html_()


def test_the_gallery_has_every_figure_with_a_command_that_parses():
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    for study, kinds in KINDS.items():
        for kind in kinds:
            assert f"images/gallery/{study}-{kind}.svg" in page
            assert (ROOT / "docs" / "images" / "gallery" / f"{study}-{kind}.svg").exists()
    for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL):
        _, name, *rest = shlex.split(block.replace("\\\n", " "))
        if name == "simulate":
            name, rest = f"simulate {rest[0]}", rest[1:]
        found = Parser(name, load(name.replace(" ", "-"))).read(rest)
        assert found.figure.endswith(".svg")
