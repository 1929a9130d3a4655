"""The server in a real browser: drop a file, choose, wait, read, download; nothing leaves the machine."""

from __future__ import annotations

import re
import signal
import subprocess
import sys

import pytest

import metassay as ma

pytest.importorskip("starlette", reason="no Starlette; run: pip install 'metassay[serve]'")

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def address():
    process = subprocess.Popen(
        [sys.executable, "-m", "metassay", "serve", "--port", "0"], stderr=subprocess.PIPE, text=True
    )
    with process:
        yield re.search(r"http://127\.0\.0\.1:\d+/", process.stderr.readline()).group()
        process.send_signal(signal.SIGINT)


def chosen(watched, address, path):
    """Send a file as a person would, and wait for the page that says what is in it."""
    page = watched.page
    page.goto(address)
    page.set_input_files("#files", path)
    assert path.name in page.inner_text("#chosen")
    page.get_by_role("button", name="Send").click()
    page.wait_for_selector("#choose")
    return page


def test_upload_run_read_download(watched, address, tmp_path):
    scores = ma.example().select(columns="relevance,synthetic-judge,synthetic-noise", inputs=ma.example().inputs[:20])
    path = ma.write(scores, tmp_path / "scores.csv")
    page = chosen(watched, address, path)
    assert "14 systems × 20 inputs" in page.inner_text("main")
    assert page.get_by_role("combobox", name="relevance", exact=True).input_value() == "human"
    page.click("text=Leave all others out")
    assert page.get_by_role("combobox", name="synthetic-judge", exact=True).input_value() == ""
    page.click("text=All others are metrics")
    page.get_by_label("Resamples").fill("100")
    page.click("text=Make the report")
    page.wait_for_selector("text=Read the report")
    assert "synthetic-judge agrees best with people on relevance" in page.inner_text("#answer")

    with page.expect_download() as waiting:
        page.click("text=Download it")
    saved = tmp_path / "saved.html"
    waiting.value.save_as(saved)
    assert waiting.value.suggested_filename == "report.html"
    assert "synthetic-judge agrees best" in saved.read_text(encoding="utf-8")

    with page.context.expect_page() as opening:
        page.click("text=Read the report")
    report = opening.value
    problems = []
    report.on("pageerror", lambda error: problems.append(str(error)))
    report.locator("#agree").scroll_into_view_if_needed()
    report.wait_for_selector("#chart-agree svg")
    # Shut off from the server as it is, the report still hands out its tables.
    report.focus("#agree .downloads >> text=CSV")
    with report.expect_download() as waiting:
        report.keyboard.press("Enter")
    assert waiting.value.suggested_filename.endswith(".csv")
    assert report.evaluate("() => self.origin") == "null"

    page.click("text=Delete my files now")
    page.wait_for_selector("text=are deleted")
    assert problems == []
    assert watched.errors == []
    assert [url for url in watched.requests if not url.startswith(address)] == []


def test_a_bad_file_and_a_large_one(watched, address, tmp_path):
    page = watched.page
    page.goto(address)
    bad = tmp_path / f"{HOSTILE.replace('/', '')}.csv"
    bad.write_text("no scores here\n")
    page.set_input_files("#files", bad)
    assert HOSTILE in page.inner_text("#chosen")
    page.get_by_role("button", name="Send").click()
    page.wait_for_selector("text=This could not be read")
    assert "there is a header and no row under it" in page.inner_text("[role=alert]")
    assert page.locator("img").count() == 0

    page.click("text=Send other files")
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(100_000_000)
    page.set_input_files("#files", large)
    page.get_by_role("button", name="Send").click()
    assert "That is 100 MB; at most 50 MB can be sent." in page.inner_text("#problem")
    # The server says the same to a page without its program.
    page.evaluate("() => { document.getElementById('upload').submit(); }")
    page.wait_for_selector("text=At most 50 MB can be sent at once")
    assert [line for line in watched.errors if "413" not in line] == []
    assert [url for url in watched.requests if not url.startswith(address)] == []


def test_it_works_without_a_program_and_by_keyboard(chromium, address, tmp_path):
    path = ma.write(ma.example(), tmp_path / "scores.csv")
    context = chromium.new_context(java_script_enabled=False, viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(address)
    page.set_input_files("#files", path)
    page.focus("#upload button[type=submit]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#choose")  # a page without a program reloads itself
    width = page.locator("main").bounding_box()["width"]
    assert width <= 390
    assert page.locator("#choose .columns").bounding_box()["width"] <= width
    context.close()
