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
        ("{", "is not a result that metassay"),
        ("[]", "is not a result that metassay"),
        ('{"study": "agree"}', "is not a result that metassay"),
        ('{"study": "nothing", "rows": []}', "is not a result that metassay"),
        ("system,input,metric,score\n", "is not a result that metassay"),
    ],
)
def test_what_is_no_result_is_told_in_a_line(run, tmp_path, text, message):
    path = tmp_path / "result.json"
    path.write_text(text)
    code, out, err = run("show", path)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert message in err
    assert str(path) in err
