"""Summaries per second of metassay's ROUGE, and of rouge-score where it is installed, in one run on SummEval.

Reads SummEval's paired file given as the first argument; each summary is scored against its first reference.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from functools import partial
from pathlib import Path

import numpy as np

from metassay import engine
from metassay.core.texts import Item
from metassay.texts.scorers.damaged import degraded_rouge1
from metassay.texts.scorers.ngram_graphs import NgramGraphs
from metassay.texts.scorers.rouge import Rouge

BATCH = 200


def rate(work, how_many: int, repeats: int = 3) -> float:
    """Return how many are done per second in the best of some runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return how_many / best


def score(scorer, items: list[Item]) -> np.ndarray:
    return scorer.score(items)


def in_batches(scorer, items: list[Item], processes: int) -> None:
    batches = [items[at : at + BATCH] for at in range(0, len(items), BATCH)]
    for _ in engine.spread(partial(score, scorer), batches, processes=processes, what="rouge"):
        pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path)
    with parser.parse_args().texts.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    items = [Item(r["model_id"], r["id"], r["decoded"], (r["references"][0],), None) for r in rows]
    many = items * 8
    print(f"{platform.python_version()}, NumPy {np.__version__}, {engine.available_threads()} processors")
    print(f"{len(items):,} summaries, one reference; per second:")
    three = Rouge("1,2,l")
    ours = rate(lambda: in_batches(three, items, 1), len(items))
    print(f"  ROUGE-1, -2, -L            {ours:>12,.0f}")
    for processes in (1, 2):
        speed = rate(partial(in_batches, Rouge(), many, processes), len(many), repeats=2)
        print(f"  all variants, {processes} process(es)  {speed:>11,.0f}")
    draws = 1000
    degraded = rate(lambda: degraded_rouge1(items, 0.5, draws=draws, threads=1), draws * len(items), repeats=2)
    print(f"  ROUGE-1 of half the words  {degraded:>12,.0f}")
    print(f"  n-gram graphs              {rate(lambda: NgramGraphs().score(items), len(items)):>12,.0f}")
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError:
        print("rouge-score is not installed: pip install 'metassay[bench]'")
        return
    peer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
    theirs = rate(lambda: [peer.score(i.references[0], i.output) for i in items], len(items), repeats=1)
    print(f"  rouge-score: 1, 2, L       {theirs:>12,.0f}   metassay is {ours / theirs:.0f} times as fast")


if __name__ == "__main__":
    main()
