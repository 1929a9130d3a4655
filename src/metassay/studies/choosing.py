"""What people are shown next: outputs to label, or pairs of outputs to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from metassay.core.options import Names
from metassay.core.scores import Scores
from metassay.core.texts import Texts
from metassay.errors import DataError, UsageError, listed
from metassay.stats.arrays import BoolArray, FloatArray
from metassay.stats.draws import CHOICE, stream
from metassay.stats.label_choices import choose
from metassay.stats.levels import means_of_known

CLOSE = 3
"""Of the pairs of systems, one in so many is close: those with the smallest differences of mean scores."""
Output = tuple[str, str]
"""A system and an input."""


def showable(
    data: Scores | Texts, outputs: Mapping[Output, str], human: Names | None, against: Texts | None
) -> BoolArray:
    """Return which outputs can be shown, (systems, inputs): those that nobody judged, and that differ from others."""
    there = np.array([[(s, i) in outputs for i in data.inputs] for s in data.systems])
    if human is not None and isinstance(data, Scores):
        for name in data.find(human, "human criterion"):
            there &= np.isnan(data.matrix(name))
    if against is not None:
        others = against.outputs
        changed = [[others.get((s, i)) not in (None, outputs.get((s, i))) for i in data.inputs] for s in data.systems]
        there &= np.array(changed)
    return there


def choose_outputs(
    data: Scores | Texts, there: BoolArray, strategy: str, n: int, names: Sequence[str], seed: int
) -> tuple[list[Output], dict[Output, float]]:
    """Return outputs to label, and the probability of each to be chosen where that is not the same for all.

    Parameters
    ----------
    data
        Where they are from; strategies other than ``random`` need scores.
    there
        Which outputs can be shown, (systems, inputs).
    strategy
        ``random``, ``stratified``, ``disagreement`` or ``variance``; see :mod:`metassay.stats.label_choices`.
    n
        How many.
    names
        The judges whose scores are looked at.
    seed
        Decides about chance.
    """
    where = np.argwhere(there)
    if not len(where):
        raise DataError("there is no output to show; all are labelled, or none has a text")
    judges = np.ones((1, len(where)))
    if strategy != "random":
        judges = _scored(data, names)[:, *where.T]
        if strategy == "disagreement" and len(judges) < 2:
            raise UsageError(
                f"disagreement needs at least two judges, and there is only {listed(names)}; name at least two with "
                "--metric"
            )
        if np.isnan(judges).all(axis=0).any():
            keep = ~np.isnan(judges).all(axis=0)
            where, judges = where[keep], judges[:, keep]
    chosen, chance = choose(strategy, judges, min(n, len(where)), stream(seed, CHOICE, 1))
    outputs = [(data.systems[s], data.inputs[i]) for s, i in where[chosen].tolist()]
    uneven = strategy in ("disagreement", "variance")
    return outputs, dict(zip(outputs, chance[chosen].tolist(), strict=True)) if uneven else {}


def choose_pairs(
    data: Scores | Texts, there: BoolArray, close: bool, n: int, names: Sequence[str], seed: int
) -> list[tuple[Output, Output]]:
    """Return pairs of outputs of one input: of all pairs of systems, or of those that a metric puts close together.

    Close pairs are those that decide about a metric (Deutsch, Dror and Roth 2022, "Re-Examining System-Level
    Correlations of Automatic Summarization Evaluation Metrics", §5).
    """
    pairs = list(combinations(range(there.shape[0]), 2))
    if not pairs:
        raise DataError("pairs need at least two systems")
    if close:
        if len(names) != 1:
            raise UsageError(f"close pairs need exactly one metric; name it with --metric ({listed(names)})")
        means = means_of_known(_scored(data, names)[0])
        pairs.sort(key=lambda pair: abs(means[pair[0]] - means[pair[1]]))
        pairs = pairs[: max(1, len(pairs) // CLOSE)]
    random = stream(seed, CHOICE, 2)
    queues = {pair: random.permutation(np.flatnonzero(there[pair[0]] & there[pair[1]])).tolist() for pair in pairs}
    found: list[tuple[Output, Output]] = []
    while len(found) < n and any(queues.values()):  # every pair of systems in turn
        for (a, b), inputs in queues.items():
            if inputs and len(found) < n:
                at = data.inputs[inputs.pop()]
                found.append(((data.systems[a], at), (data.systems[b], at)))
    if not found:
        raise DataError("no two systems have outputs for the same input")
    return found


def judges_of(data: Scores | Texts, metric: Names | None) -> tuple[str, ...]:
    """Return the names of the columns that a choice looks at."""
    if not isinstance(data, Scores):
        raise UsageError("this choice needs scores, and the files hold texts only; use --choose random")
    names = tuple(data.find_metrics(metric, ()))
    if not names:
        raise DataError(f"there is no metric to choose by (columns: {listed(data.columns)})")
    return names


def _scored(data: Scores | Texts, names: Sequence[str]) -> FloatArray:
    assert isinstance(data, Scores), "names are those of its columns"
    return np.stack([data.matrix(name) for name in names])
