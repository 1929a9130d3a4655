from __future__ import annotations

import importlib.util
from importlib.resources import files
from pathlib import Path

import numpy as np

import metassay as ma

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "make_example.py"


def test_the_example_is_what_its_readme_says():
    scores = ma.example()
    assert scores.shape == (14, 80)
    assert scores.humans == ("coherence", "relevance")
    assert len(scores.metrics) == 8
    assert all(name.startswith("synthetic-") for name in scores.metrics)
    assert scores.sources == (("example.csv", "tidy CSV, synthetic"),)
    for name in scores.humans:
        values = scores[name].values
        assert values.shape == (3, 14, 80)
        assert set(np.unique(values[~np.isnan(values)])) == {1, 2, 3, 4, 5}
        assert 0.01 < np.isnan(values[2]).mean() < 0.05
    assert [name for name in scores.columns if scores[name].lower_is_better] == ["synthetic-perplexity"]
    gaps = {name for name in scores.metrics if np.isnan(scores[name].values).any()}
    assert gaps == {"synthetic-embedding", "synthetic-question"}
    readme = files("metassay").joinpath("data", "README.md").read_text()
    assert "synthetic" in readme
    assert all(f"`{name}`" in readme for name in scores.columns)


def test_planted_quality_shows():
    scores = ma.example()

    def agreement(metric: str, human: str) -> float:
        x, z = (np.nanmean(scores.matrix(name), axis=1) for name in (metric, human))
        return float(np.corrcoef(x, z)[0, 1])

    assert agreement("synthetic-judge", "relevance") > agreement("synthetic-overlap", "relevance") > 0.4
    assert agreement("synthetic-fluency", "coherence") > agreement("synthetic-fluency", "relevance")
    assert agreement("synthetic-perplexity", "coherence") > 0.7
    assert abs(agreement("synthetic-noise", "coherence")) < 0.4


def test_the_script_makes_the_shipped_file_byte_for_byte(tmp_path):
    spec = importlib.util.spec_from_file_location("make_example", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.main(tmp_path / "example.csv")
    shipped = files("metassay").joinpath("data", "example.csv").read_bytes()
    assert (tmp_path / "example.csv").read_bytes() == shipped
    assert len(shipped) < 1_200_000
