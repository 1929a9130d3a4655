"""The documentation site builds without a warning, and its API page has every public name."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import metassay as ma

ROOT = Path(__file__).resolve().parents[1]


def test_the_api_page_has_every_public_name():
    listed = re.findall(r"^::: metassay\.(?:[a-z_.]+\.)?(\w+)$", (ROOT / "docs" / "api.md").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(set(ma.__all__) - {"__version__"})


def test_every_page_is_in_the_navigation():
    text = (ROOT / "mkdocs.yml").read_text()
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    assert pages == set(re.findall(r"(?:- |: )([\w/-]+\.md)$", text, re.MULTILINE))


def test_the_page_of_options_has_every_option_of_every_verb():
    spec = importlib.util.spec_from_file_location("options_page", ROOT / "scripts" / "options_page.py")
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    text = page.on_page_markdown((ROOT / "docs" / "options.md").read_text(encoding="utf-8"))
    assert page.MARK not in text
    lines = dict.fromkeys(name for _, name, _ in page.declared())
    for line in text.splitlines():
        if line.startswith("| `"):
            lines[line.split("`")[1]] = line
    found = list(page.declared())
    assert {"agree", "compare", "make_report", "read"} <= {verb for verb, _, _ in found}
    assert all(lines.values())
    assert len(lines) == len({name for _, name, _ in found})
    assert "0.95" in lines["confidence"]
    assert "`agree`" in lines["confidence"]
    assert page.on_page_markdown("another page") == "another page"


@pytest.mark.slow
def test_the_site_builds_and_asks_for_nothing_from_elsewhere(tmp_path):
    if importlib.util.find_spec("mkdocs") is None:
        pytest.skip("mkdocs is not installed; run: pip install 'metassay[docs]'")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "guide.html").read_text(encoding="utf-8")
    assert not re.search(r'<(?:script|link|img)[^>]+(?:src|href)="https?:', page)
    assert "metassay.studies.agree.agree" in (tmp_path / "api.html").read_text(encoding="utf-8")
