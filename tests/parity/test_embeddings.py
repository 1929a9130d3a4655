"""MoverScore with a small encoder against the scores that were published with SummEval."""

from __future__ import annotations

import importlib.util
import json

import numpy as np
import pytest

import metassay as ma
from metassay.texts.scorers.encoders import PACKAGED


@pytest.mark.slow
def test_moverscore_goes_with_the_published_scores(shared_data):
    if any(importlib.util.find_spec(name) is None for name in ("ot", "torch", "transformers", *PACKAGED.values())):
        pytest.skip("run: pip install 'metassay[embeddings]'")
    from metassay.texts.scorers.movers import MoverScore

    folder = shared_data / "summeval"
    published = {}
    for line in (folder / "scores" / "moverscore.jsonl").read_text().splitlines():
        row = json.loads(line)
        published[row["summarizer_id"], row["instance_id"]] = row["metrics"]["MoverScore"]
    texts = ma.read_texts(folder / "model_annotations.aligned.paired.jsonl")
    items = [item._replace(references=item.references[:1]) for item in texts.items()]
    scorer = MoverScore("minilm").fitted(items)
    # six systems on every sixth input; idf knows all 1,600 summaries, of which Pearson is 0.94
    inputs, systems = texts.inputs[::6], texts.systems[::3]
    some = [item for item in items if item.input in inputs and item.system in systems]
    expected = [published[item.system, item.input] for item in some]
    assert len(some) == len(inputs) * len(systems) == 102
    assert np.corrcoef(scorer.score(some).ravel(), expected)[0, 1] > 0.9
