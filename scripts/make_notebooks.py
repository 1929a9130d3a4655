"""Make the notebooks of the docs from their sources, with outputs: run every cell, and keep what it shows.

A source is a Python file whose cells begin with ``# %%``, those of text with ``# %% [markdown]``. No kernel is needed:
a cell is run here, and its last expression is shown as a notebook would show it. As a hook of mkdocs this module puts a
notebook into the page that has its mark, ``<!-- notebook NAME -->``.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "notebooks"
MARK = re.compile(r"<!-- notebook ([a-z]+) -->")
IMAGE, HTML, PLAIN = "image/svg+xml", "text/html", "text/plain"


def cells(source: str) -> Iterator[tuple[str, str]]:
    """Yield the kind of each cell, ``markdown`` or ``code``, and its text."""
    for part in re.split(r"^# %%", source, flags=re.MULTILINE)[1:]:
        head, _, text = part.partition("\n")
        if "[markdown]" in head:
            yield "markdown", "\n".join(line.removeprefix("#").removeprefix(" ") for line in text.strip().splitlines())
        else:
            yield "code", text.strip()


def shown(value: Any) -> dict[str, str]:
    """Return what a notebook shows of a value, by media type."""
    bundle = {PLAIN: repr(value)}
    if hasattr(value, "_repr_mimebundle_"):
        bundle |= {kind: text for kind, text in value._repr_mimebundle_().items() if kind in (IMAGE, PLAIN)}
    if hasattr(value, "_repr_html_"):
        bundle[HTML] = value._repr_html_()
    return bundle


def run(source: str) -> Iterator[dict[str, Any]]:
    """Yield the cells of a notebook, run in one namespace, with their outputs."""
    names: dict[str, Any] = {}
    count = 0
    for at, (kind, text) in enumerate(cells(source)):
        cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{at}", "metadata": {}, "source": lines(text)}
        if kind == "code":
            count += 1
            cell |= {"execution_count": count, "outputs": outputs(text, names, count)}
        yield cell


def outputs(text: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Run a cell and return what it printed and what its last expression shows."""
    tree = ast.parse(text)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    made: list[dict[str, Any]] = []
    if printed.getvalue():
        made.append({"output_type": "stream", "name": "stdout", "text": lines(printed.getvalue())})
    if value is not None:
        data = {kind: lines(text) for kind, text in shown(value).items()}
        made.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data})
    return made


def lines(text: str) -> list[str]:
    """Return a text as notebooks keep it."""
    return text.splitlines(keepends=True)


def notebook(source: str) -> dict[str, Any]:
    """Return a notebook with its outputs."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": list(run(source)), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def markdown(made: dict[str, Any]) -> str:
    """Return a notebook as a page: its texts, its code, and what that showed."""
    parts = []
    for cell in made["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        for output in cell.get("outputs", ()):
            data = output.get("data", {PLAIN: output.get("text", [])})
            if IMAGE in data:
                image = base64.b64encode("".join(data[IMAGE]).encode()).decode()
                title = "".join(data[PLAIN]).removeprefix("Chart(").strip("()'\"")
                parts.append(f'<img class="figure" alt="{title}" src="data:{IMAGE};base64,{image}">')
            elif HTML in data:
                whole = re.sub(r"\n\s*\n", "\n", "".join(data[HTML])).strip()
                parts.append(f'<div class="result">\n{whole}\n</div>')
            else:
                parts.append(f"```text\n{''.join(data[PLAIN]).rstrip()}\n```")
    return "\n\n".join(parts)


def on_page_markdown(text: str, **_: Any) -> str:
    """Put a notebook into the page that has its mark."""
    found = MARK.search(text)
    if found is None:
        return text
    made = json.loads((FOLDER / f"{found[1]}.ipynb").read_text(encoding="utf-8"))
    return text.replace(found[0], markdown(made))


def on_page_content(html: str, **_: Any) -> str:
    """Let signatures and commands break, which are one long word or line; names in docstrings lose their roles."""
    html = re.sub(r":(?:class|data|func|meth|mod):(?=<code>)", "", html)
    html = re.sub(r'<span class="go">(?=study:|[^\n<]{120})', '<span class="go signature">', html)
    return re.sub(r'(<span class="gp">\$ </span>)([^\n]+)', r'\1<span class="signature">\2</span>', html)


def main() -> None:
    """Write every notebook, or those that are named."""
    for source in sorted(FOLDER.glob("*.py")):
        if sys.argv[1:] and source.stem not in sys.argv[1:]:
            continue
        made = notebook(source.read_text(encoding="utf-8"))
        path = source.with_suffix(".ipynb")
        path.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
