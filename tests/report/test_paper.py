"""LaTeX on paper: tables compile, and none is wider or higher than a page."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pytest

import metassay as ma
from metassay.report.paper import PAGE, layout, parts
from metassay.report.table import Cell, Column, Section, Table

from .test_outputs import check_latex

PACKAGES = "booktabs,array,longtable,graphicx,rotating,lscape,colortbl"
PREAMBLE = rf"\usepackage[utf8]{{inputenc}}\usepackage[T1]{{fontenc}}\usepackage{{{PACKAGES}}}"


def table(headers, rows, *, fit=False):
    columns = tuple(Column(head, "right" if at else "left", key=not at) for at, head in enumerate(headers))
    cells = tuple(tuple(Cell(text, number=at > 0) for at, text in enumerate(row)) for row in rows)
    return Table("A table", columns, (Section("", cells),), fit=fit)


@pytest.fixture(scope="module")
def many():
    """A shared task of 41 metrics with long names, two of them odd."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(8, 10))
    metrics = {f"MetricX-{i}_QE-Ensemble-refA": z + (0.3 + i / 10) * rng.normal(size=z.shape) for i in range(39)}
    metrics |= {r"50%_$&{#\x}^~": z + rng.normal(size=z.shape), "κ-ω": -z}
    return ma.Scores.from_arrays(metrics=metrics, human={"mqm": z})


@pytest.fixture(scope="module")
def outputs(many):
    """LaTeX of what is wide, long or full of symbols."""
    board = ma.leaderboard(many, statistic="pairwise-accuracy@system,acc-eq,pearson@input,pearson@system,kendall@input")
    rated = ma.example()
    return [
        *(board.to_latex(view=view) for view in ("board", "intervals", "triangle")),
        ma.compare(many, level="system").to_latex(),
        ma.agree(many, resamples=20).to_latex(),
        ma.reliability(rated, human="relevance", resamples=20).to_latex(view="designs,components,raters"),
    ]


def test_every_output_is_sound(outputs):
    for text in outputs:
        check_latex(text)
        plain = re.sub(r"[ -~\n]", "", text)
        assert not plain, f"not for every LaTeX: {set(plain)}"


@pytest.mark.parametrize("columns", ["", "[twocolumn]"])
def test_every_output_compiles_and_fits_a_page(outputs, columns, tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed; the test above checks the text")
    body = "\n\\clearpage\n".join(
        rf"\onecolumn {text} \twocolumn" if columns and "longtable" in text else text for text in outputs
    )
    document = f"\\documentclass{columns}{{article}}{PREAMBLE}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    (tmp_path / "x.tex").write_text(document, "utf-8")
    for _ in range(4):
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "x.tex"]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=600, check=False)
        log = run.stdout.decode("utf-8", "replace")
        assert run.returncode == 0, log[-2000:]
        if "Table widths have changed" not in log:
            break
    over = [float(x) for x in re.findall(r"Overfull \\.box \(([\d.]+)pt", log)]
    assert max(over, default=0.0) < 5
    assert not re.findall("Float too large", log)


def test_wide_tables_are_cut_into_parts_with_their_keys():
    wide = table(["metric", *map(str, range(60))], [["a-name", *["0.123"] * 60]] * 3, fit=True)
    found = parts(wide)
    assert len(found) > 1
    assert all(part.columns[0].header == "metric" for part in found)
    assert [c.header for part in found for c in part.columns[1:]] == [str(n) for n in range(60)]
    assert all(layout(part, [], []).width <= PAGE[0] for part in found)
    assert found[0].title == f"A table (part 1 of {len(found)})"


def test_parts_of_a_triangle_begin_with_the_row_of_their_first_column():
    rows = [[f"row {i}", *["0.123" if j < i else "" for j in range(60)]] for i in range(61)]
    found = parts(table(["metric", *map(str, range(60))], rows, fit=True))
    firsts = [(part.columns[1].header, part.sections[0].rows[0][0].text) for part in found]
    assert len(found) > 1
    assert all(row == f"row {column}" for column, row in firsts)


def test_long_headings_stand_upright_and_long_notes_behind_the_table():
    heads = ["metric", *["a heading of many words"] * 6]
    found = layout(table(heads, [["m", *["0.1"] * 6]] * 3), [], ["a word " * 400])
    assert found.upright == {1, 2, 3, 4, 5, 6}
    assert found.apart
    assert not found.long
