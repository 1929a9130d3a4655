"""The option --figure of studies whose name has two words, and of those with several kinds."""

from __future__ import annotations

import pytest

pytest.importorskip("matplotlib")

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
    assert path.read_bytes().startswith(b"<?xml")
