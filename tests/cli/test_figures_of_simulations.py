"""The option --figure of studies whose name has two words, and of those with several kinds."""

from __future__ import annotations

import pytest

pytest.importorskip("vl_convert")

FEW = ("--quiet", "--human", "relevance")


@pytest.mark.parametrize(
    ("argv", "kind"),
    [
        (("simulate", "coverage", *FEW, "--trials", "4", "--resamples", "10"), None),
        (("simulate", "size", *FEW, "--test", "williams", "--trials", "4"), "map"),
        (("plan", *FEW, "--trials", "50"), None),
        (("criteria", *FEW, "--anchor", "rough", "--metric", "noise", "--resamples", "10"), "dumbbells"),
    ],
)
def test_figures_are_written_beside_the_table(run, scores, tmp_path, argv, kind):
    path = tmp_path / "figure.svg"
    chosen = () if kind is None else ("--figure-kind", kind)
    code, out, err = run(*argv, scores, "--figure", path, *chosen)
    assert (code, err) == (0, "")
    assert out
    assert path.read_bytes().startswith(b"<svg")


def test_a_specification_needs_no_converter_and_what_is_left_out_is_said(run, tmp_path, monkeypatch):
    import json
    import sys

    import numpy as np

    random = np.random.default_rng(0)
    lines = ["system,input,metric,score"]
    for name in ("human", *(f"m{at:03}" for at in range(90))):
        lines += [f"s{i},t{j},{name},{random.normal()}" for i in range(4) for j in range(3)]
    (tmp_path / "many.csv").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    path = tmp_path / "figure.json"
    argv = ("agree", tmp_path / "many.csv", "--human", "human", "--level", "system", "--interval", "fisher")
    code, _, err = run(*argv, "--figure", path)
    assert code == 0
    assert err.splitlines()[-2] == f"wrote {path}"
    assert "of 90 metrics; choose with --metric." in err.splitlines()[-1]
    assert json.loads(path.read_text(encoding="utf-8"))["$schema"].endswith("v5.json")
    code, _, err = run(*argv, "--figure", tmp_path / "figure.png")
    assert (code, err.count("\n")) == (2, 1)
    assert "pip install 'metassay[figures]'" in err
