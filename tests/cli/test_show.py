"""``metassay show``: a result again, from its JSON."""

from __future__ import annotations

import pytest

import metassay as ma


def test_a_loaded_result_is_shown_and_drawn_again(run, tmp_path):
    result = ma.compare(ma.example(), human="relevance", level="system", resamples=50)
    path = tmp_path / "tests.json"
    result.to_json(path)
    code, out, err = run("show", path, "--format", "csv", "--rows", "ranks")
    assert (code, err) == (0, "")
    assert out == result.to_csv(rows="ranks")
    code, out, _ = run("show", path, "--format", "latex", "--view", "matrix")
    assert (code, out) == (0, result.to_latex(view="matrix"))
    assert run("show", path, "--figure", tmp_path / "tests.svg", "-q").code == 0
    assert (tmp_path / "tests.svg").read_text(encoding="utf-8").count("<svg") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1 is not JSON"),
        ("[]", "a value in it has another type or range"),
        ('{"study": "agree"}', "'tables' is missing or unknown"),
        ('{"study": "nothing", "rows": []}', "'nothing' is missing or unknown"),
        ("system,input,metric,score\n", "line 1 is not JSON"),
    ],
)
def test_what_is_no_result_is_told_in_a_line(run, tmp_path, text, message):
    path = tmp_path / "result.json"
    path.write_text(text)
    code, out, err = run("show", path)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert f"{path} is not a result that metassay" in err
    assert message in err


def test_the_result_that_is_shown_is_not_overwritten(run, tmp_path):
    path = tmp_path / "result.json"
    ma.normality(ma.example(), human="relevance").to_json(path)
    before = path.read_bytes()
    code, _, err = run("show", path, "-o", path)
    assert (code, path.read_bytes()) == (2, before)
    assert "would overwrite a file that it reads" in err
