"""The sheet in a real browser: blinded, by keyboard, kept when the tab closes, and read back."""

from __future__ import annotations

import json

import pytest

import metassay as ma

HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture
def texts():
    outputs = {
        (s, str(i)): f"text {i} of number {k} {HOSTILE if i == 3 else ''}"
        for k, s in enumerate(("sysA", "sysB", "sysC"))
        for i in range(8)
    }
    return ma.Texts(outputs=outputs, sources={str(i): f"question {i}" for i in range(8)})


def opened(watched, path, name="Ann"):
    page = watched.page
    page.goto(path.as_uri())
    page.get_by_label("Your name or initials").fill(name)
    page.get_by_role("button", name="Start").click()
    return page


def saved(page, folder):
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save answers").click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def test_rating_by_keyboard_survives_the_tab(watched, texts, tmp_path):
    sheet = ma.make_sheet(texts, tmp_path / "sheet.html", n=12, criterion="coherence", seed=1)
    page = opened(watched, tmp_path / "sheet.html")
    assert "Task 1 of 12, 0 answered" in page.inner_text("#progress")
    shown = {}
    for key in "512345123":
        shown[page.inner_text("#texts")] = int(key)
        page.keyboard.press(key)
    assert "Task 10 of 12, 9 answered" in page.inner_text("#progress")
    assert not any(system in page.content() for system in texts.systems)
    context = page.context
    page.close()
    watched.page = context.new_page()
    page = opened(watched, tmp_path / "sheet.html")
    assert "Task 10 of 12, 9 answered" in page.inner_text("#progress")
    page.keyboard.press("p")
    assert page.locator("input:checked").input_value() == "2"
    page.keyboard.press("n")
    path = saved(page, tmp_path)
    assert path.name == "coherence-Ann.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 9
    found = {texts.outputs[row["system"], row["input"]].strip(): row["coherence"] for row in rows}
    assert found == {text.strip(): value for text, value in shown.items()}
    assert {(row["system"], row["input"]) for row in rows} <= {item[0] for item in sheet.items}
    scores = ma.read(f"human={path}")
    assert scores.humans == ("coherence",)
    assert scores["coherence"].labels("annotator") == ("Ann",)
    assert not watched.errors
    assert all(url.startswith(("file:", "blob:")) for url in watched.requests)


def test_another_person_has_another_order(watched, texts, tmp_path):
    ma.make_sheet(texts, tmp_path / "sheet.html", n=20)
    seen = []
    for name in ("Ann", "Ben"):
        page = opened(watched, tmp_path / "sheet.html", name)
        order = []
        for _ in range(20):
            order.append(page.inner_text("#texts"))
            page.keyboard.press("n")
        seen.append(order)
    assert sorted(seen[0]) == sorted(seen[1])
    assert seen[0] != seen[1]


def test_preferences_come_back_as_votes(watched, texts, tmp_path):
    ma.make_sheet(texts, tmp_path / "sheet.html", ask="prefer", n=9)
    page = opened(watched, tmp_path / "sheet.html")
    for key in "121234121":
        page.keyboard.press(key)
    # The text with the smaller number stands left or right; the first answer said left.
    page.keyboard.press("p")
    votes = ma.read_votes(saved(page, tmp_path))
    assert len(votes.winner) == 9
    assert votes.raters == ("Ann",)
    assert dict(votes.kinds) == {"Ann": "human"}
    assert {0, 1} == set(votes.first.tolist())
    left = (votes.winner == votes.first).sum()
    assert (left, (votes.winner == 2).sum(), (votes.winner == 3).sum()) == (4, 1, 1)
    assert not watched.errors


def test_labels_by_mouse_and_everything_has_a_name(watched, texts, tmp_path):
    ma.make_sheet(texts, tmp_path / "sheet.html", ask="label", criterion="verdict", n=3, instructions="Be <b>fair</b>.")
    page = opened(watched, tmp_path / "sheet.html")
    assert "Be <b>fair</b>." in page.inner_text("#instructions")
    for _ in range(3):
        page.get_by_role("radio", name="pass").check()
        page.get_by_role("button", name="Next").click(force=True) if page.locator("#next").is_enabled() else None
    assert "3 answered. All done: save your answers." in page.inner_text("#progress")
    # Only the page's own script may run: what was smuggled in is refused.
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.bad = 1'}))"
    )
    assert page.evaluate("window.bad") is None
    refused = [error for error in watched.errors if "Content Security Policy" in error]
    assert refused
    watched.errors[:] = [error for error in watched.errors if error not in refused]
    assert page.get_by_role("group", name="verdict").count() == 1
    scores = ma.read(f"human={saved(page, tmp_path)}")
    assert scores["verdict"].scale.kind == "binary"
    assert not watched.errors


def test_from_scores_to_a_sheet_to_an_estimate(watched, tmp_path):
    scores = ["model,question_id,answer,judge-a,judge-b"]
    scores += [f"m{s},q{i},a{s}-{i},{int(i % 3 > 0)},{int(i % 4 > 0)}" for s in range(2) for i in range(60)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(scores))
    how = {"ask": "label", "criterion": "verdict", "answers": "0,1", "choose": "disagreement", "n": 60}
    ma.make_sheet(ma.read(path), tmp_path / "sheet.html", **how, metric="judge-a,judge-b")
    page = opened(watched, tmp_path / "sheet.html")
    for _ in range(60):
        page.keyboard.press("2" if int(page.inner_text("#texts").rpartition("-")[2]) % 3 else "1")
    answers = saved(page, tmp_path)
    both = ma.read(path, answers, human="verdict")
    result = ma.estimate(both, human="verdict", metric="judge-b", chance="label_chance")
    assert {row.system for row in result.table} == {"m0", "m1"}
    assert all(row.low <= 2 / 3 <= row.high for row in result.table)
    assert sum(row.n_labelled for row in result.table) in (59, 60)
