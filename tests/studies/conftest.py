from __future__ import annotations

import numpy as np
import pytest

import metassay as ma


def noted(result, code, **facts):
    """Return the notes of a result that have this code and these facts."""
    return [
        note for note in result.notes if note.code == code and all(note[name] == fact for name, fact in facts.items())
    ]


@pytest.fixture(scope="session")
def example():
    return ma.example()


@pytest.fixture(scope="session")
def small_example(example):
    """The example with three of its metrics, one of which has missing cells and one small scores that are good."""
    return example.select(columns=["coherence", "relevance", *SOME])


SOME = ("synthetic-judge", "synthetic-embedding", "synthetic-perplexity")


@pytest.fixture
def world():
    """Make scores of three metrics of different quality, with chosen cells missing."""

    def make(systems=8, inputs=12, seed=0, missing=None, **options):
        random = np.random.default_rng(seed)
        human = random.normal(size=(systems, 1)) + random.normal(size=(systems, inputs))
        metrics = {
            "good": human + 0.3 * random.normal(size=human.shape),
            "fair": human + 1.5 * random.normal(size=human.shape),
            "poor": random.normal(size=human.shape),
        }
        for name, cells in (missing or {}).items():
            metrics[name][cells] = np.nan
        return ma.Scores.from_arrays(metrics, {"human": np.round(2 * human)}, **options)

    return make
