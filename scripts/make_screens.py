"""Photograph the report and the start page of ``metassay serve`` for the docs, with a headless Chromium (Playwright).

With a folder, photograph every page of the built site (``make docs``, or a second folder) and the two instead, in three
widths, light and dark, and print what overflows: code blocks at 1280 pixels, whole pages at any width.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import metassay as ma

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
WIDTHS = (1280, 768, 390)
WIDE_CODE = "[...document.querySelectorAll('pre > code')].filter(c => c.scrollWidth > c.clientWidth + 1).length"
WIDE_PAGE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@contextmanager
def browser() -> Iterator[Any]:
    """Give a headless Chromium, the system's own if there is one."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=path if Path(path).exists() else None, args=["--no-sandbox"])


@contextmanager
def served() -> Iterator[str]:
    """Give the address of ``metassay serve`` while it runs."""
    import uvicorn

    from metassay.web.app import make_app

    server = uvicorn.Server(uvicorn.Config(make_app(), port=8765, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield "http://127.0.0.1:8765/"
    finally:
        server.should_exit = True
        thread.join(5)


def photograph(opened: Any, address: str, path: Path, width: int, scheme: str, *, whole: bool = False) -> Any:
    """Save a picture of a page, and return the page."""
    page = opened.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce")
    page.goto(address)
    page.wait_for_timeout(400)
    page.screenshot(path=path, full_page=whole)
    return page


def main() -> None:
    """Do what the docstring says."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else None
    with tempfile.TemporaryDirectory() as name, browser() as opened, served() as address:
        report = Path(name) / "report.html"
        ma.make_report(ma.example(), report, human="relevance,coherence", resamples=500)
        pages = {"report": report.as_uri(), "serve": address}
        if folder is None:
            for what, where in pages.items():
                photograph(opened, where, IMAGES / f"{what}.png", 1280, "light").close()
            return
        folder.mkdir(parents=True, exist_ok=True)
        site = Path(sys.argv[2]) if sys.argv[2:] else ROOT / "site"
        pages |= {str(p.relative_to(site)).replace("/", "-"): p.as_uri() for p in sorted(site.rglob("*.html"))}
        for what, where in pages.items():
            for width in WIDTHS:
                for scheme in ("light", "dark"):
                    page = photograph(opened, where, folder / f"{what}-{width}-{scheme}.png", width, scheme)
                    code, over = page.evaluate(WIDE_CODE), page.evaluate(WIDE_PAGE)
                    page.close()
                    if scheme == "light" and ((code and width == max(WIDTHS)) or over > 0):
                        print(f"{what} at {width}: {code} wide blocks of code, page {over} px too wide", flush=True)


if __name__ == "__main__":
    main()
