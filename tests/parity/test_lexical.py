"""N-gram graphs and divergences against published scores."""

from __future__ import annotations

import json

import numpy as np

from metassay.core.texts import Item
from metassay.scorers.divergence import JensenShannon
from metassay.scorers.ngram_graphs import NgramGraphs


def lines(path):
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def test_ngram_graphs_on_summeval(shared_data):
    folder = shared_data / "summeval"
    published = {
        (r["instance_id"], r["summarizer_id"]): r["metrics"] for r in lines(folder / "scores" / "autosummeng.jsonl")
    }
    rows = lines(folder / "model_annotations.aligned.paired.jsonl")
    items = [Item(r["model_id"], r["id"], r["decoded"], (r["references"][0],), None) for r in rows]
    got = NgramGraphs().score(items)
    for column, name in enumerate(("AutoSummENG", "MeMoG", "NPowER")):
        theirs = [published[item.input, item.system][name] for item in items]
        # spaces and brackets were other ones when these were scored, and n-grams of characters see them
        assert np.corrcoef(got[:, column], theirs)[0, 1] > 0.985
    # how NPowER is made of the other two shows in the published numbers themselves
    for metrics in list(published.values())[:100]:
        made = (5.2905 * metrics["AutoSummENG"] + 3.0053 * metrics["MeMoG"] + 0.5866) / 10
        assert abs(metrics["NPowER"] - made) < 2e-6


def test_divergence_on_realsumm(shared_data):
    folder = shared_data / "realsumm"
    published = {
        (r["instance_id"], r["summarizer_id"]): r["metrics"]["js-2"]
        for r in lines(folder / "scores" / "pyramid.jsonl")
        if "js-2" in r["metrics"]
    }
    documents = {r["id"]: r for r in lines(folder / "documents.jsonl")}
    items = [
        Item(r["system"], r["id"], r["summary"], (documents[r["id"]]["reference"],), None)
        for r in lines(folder / "outputs.jsonl")
        if (r["id"], r["system"]) in published
    ]
    assert len(items) > 2000
    got = JensenShannon(2, against="references", smoothing="none").score(items)[:, 0]
    # theirs are negative, in natural logarithms, and of other tokens
    theirs = np.array([-published[item.input, item.system] / np.log(2) for item in items])
    assert np.corrcoef(got, theirs)[0, 1] > 0.985
    assert np.median(abs(got - theirs)) < 0.02
