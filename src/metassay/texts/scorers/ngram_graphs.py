"""AutoSummENG, MeMoG and NPowER: likeness of the graphs of character n-grams of outputs and references.

Giannakopoulos, Karkaletsis, Vouros and Stamatopoulos (2008), Summarization system evaluation revisited: n-gram
graphs; Giannakopoulos and Karkaletsis (2011 and 2013) for MeMoG and NPowER.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from metassay.core.texts import Item
from metassay.core.vocabulary import count
from metassay.stats.arrays import FloatArray, IntArray
from metassay.texts.scorers.base import Scorer, option

NPOWER = (5.2905, 3.0053, 0.5866)
"""Weights of AutoSummENG and MeMoG and the constant by which NPowER predicts responsiveness on a scale to 10."""


class NgramGraphs(Scorer):
    """AutoSummENG, MeMoG and NPowER.

    The graph of a text has its character n-grams as nodes, and joins two by an edge that weighs how often one stands
    within a window after the other, in both directions. The value similarity of two graphs is the sum, over edges
    that both have, of the smaller weight over the larger, divided by the number of edges of the larger graph.

    AutoSummENG is the mean value similarity of the output with each reference. MeMoG is its value similarity with
    one graph that merges the references' graphs in their order: an edge that is common moves towards the weight in
    the k-th graph by one k-th of the difference, any other keeps its weight. NPowER is (5.2905 AutoSummENG + 3.0053
    MeMoG + 0.5866) / 10.

    Parameters
    ----------
    n
        The length of n-grams, in characters.
    window
        How far apart two n-grams may stand.

    Notes
    -----
    Case, spaces and punctuation all count: outputs and references should be tokenised alike. Scripts without spaces
    are no difficulty. An output too short to have an edge has the similarity 0; a reference that is too short is left
    out, and without any reference left the scores are NaN.

    Examples
    --------
    >>> item = Item("a", "1", "the cat sat", ("the cat sat", "a dog ran"), None)
    >>> NgramGraphs().score([item]).round(4).tolist()
    [[0.5, 0.5833, 0.4985]]
    """

    name = "ngram-graphs"
    columns = ("autosummeng", "memog", "npower")
    n: int = option(3, count)
    window: int = option(3, count)

    def _prepare(self) -> None:
        self.signature = self._recipe("n window similarity", similarity="value")

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return scores of shape (items, 3), NaN without references."""
        numbers: defaultdict[str, int] = defaultdict()
        numbers.default_factory = numbers.__len__

        @cache
        def of_references(texts: tuple[str, ...]) -> tuple[list[_Graph], _Graph]:
            graphs = [graph for text in texts if (graph := self._graph(text, numbers)).edges]
            return graphs, _merged(graphs)

        def measures(item: Item) -> tuple[float, float, float]:
            graphs, merged = of_references(item.references)
            if not graphs:
                return (np.nan,) * 3
            mine = self._graph(item.output, numbers)
            autosummeng = float(np.mean([_similarity(mine, graph) for graph in graphs]))
            memog = autosummeng if len(graphs) == 1 else _similarity(mine, merged)
            return autosummeng, memog, (NPOWER[0] * autosummeng + NPOWER[1] * memog + NPOWER[2]) / 10

        return self._each(items, measures)

    def _graph(self, text: str, numbers: defaultdict[str, int]) -> _Graph:
        n = self.n
        nodes = np.array([numbers[text[at : at + n]] for at in range(len(text) - n + 1)], dtype=np.int64)
        pairs = [
            (np.minimum(nodes[:-d], nodes[d:]) << 32) | np.maximum(nodes[:-d], nodes[d:])
            for d in range(1, min(self.window, len(nodes) - 1) + 1)
        ]
        if not pairs:
            return _Graph.of(np.empty(0, np.int64), np.empty(0))
        keys, weights = np.unique(np.concatenate(pairs), return_counts=True)
        return _Graph.of(keys, weights.astype(np.float64))


class _Graph(NamedTuple):
    """A graph whose edges are the same in both directions: pairs of nodes, and the weight of each direction."""

    keys: IntArray
    """Pairs of nodes as one number each, sorted."""
    weights: FloatArray
    """How often the two stand near each other; that a node's edge to itself weighs twice that makes no ratio differ."""
    directions: FloatArray
    """2 edges join two nodes, 1 joins a node to itself."""
    edges: float
    """How many edges there are, each direction for itself."""

    @classmethod
    def of(cls, keys: IntArray, weights: FloatArray) -> _Graph:
        """Return the graph with these pairs."""
        directions = np.where(keys >> 32 == keys & 0xFFFFFFFF, 1.0, 2.0)
        return cls(keys, weights, directions, float(directions.sum()))


def _similarity(one: _Graph, other: _Graph) -> float:
    """Return the value similarity of two graphs, the second of which has edges."""
    small, large = (one, other) if len(one.keys) <= len(other.keys) else (other, one)
    at = np.minimum(np.searchsorted(large.keys, small.keys), len(large.keys) - 1)
    shared = large.keys[at] == small.keys
    ours, theirs = small.weights[shared], large.weights[at[shared]]
    ratios = np.minimum(ours, theirs) / np.maximum(ours, theirs)
    return float((ratios * small.directions[shared]).sum() / max(one.edges, other.edges))


def _merged(graphs: Sequence[_Graph]) -> _Graph:
    """Return one graph with all edges; a common edge moves towards each further graph by one part in their number."""
    if not graphs:
        return _Graph.of(np.empty(0, np.int64), np.empty(0))
    keys, weights = graphs[0].keys, graphs[0].weights
    for number, graph in enumerate(graphs[1:], 2):
        union = np.union1d(keys, graph.keys)
        old, new = (np.full(len(union), np.nan) for _ in range(2))
        old[np.searchsorted(union, keys)] = weights
        new[np.searchsorted(union, graph.keys)] = graph.weights
        moved = old + (new - old) / number
        keys, weights = union, np.where(np.isnan(old), new, np.where(np.isnan(new), old, moved))
    return _Graph.of(keys, weights)
