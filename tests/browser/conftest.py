"""A real browser: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import importlib.util
import shutil

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def chromium():
    """Return a browser; Playwright's event loop ends with the module, so that other tests may have their own."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no Chromium; on Debian: apt install chromium")
    if importlib.util.find_spec("playwright") is None:
        pytest.skip("no Playwright; run: pip install playwright")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


class Watched:
    """A page that remembers what went wrong and what it asked of the network."""

    def __init__(self, page):
        self.page = page
        self.errors = []
        self.requests = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)
        page.on("request", lambda request: self.requests.append(request.url))


@pytest.fixture
def watched(chromium):
    context = chromium.new_context(viewport={"width": 1100, "height": 900}, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(60_000)
    yield Watched(page)
    context.close()
