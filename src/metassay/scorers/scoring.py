"""What do the metrics say of these texts?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from metassay import engine
from metassay.core import vocabulary
from metassay.core.scores import Column, Scores
from metassay.core.texts import Item, Texts
from metassay.errors import UsageError
from metassay.scorers.base import Scorer
from metassay.scorers.cache import Cache, key_of
from metassay.scorers.registry import make_scorers

FloatArray = npt.NDArray[np.float64]


def score(
    texts: Texts,
    metric: str | Scorer | Iterable[str | Scorer],
    *,
    cache: str | os.PathLike[str] | None = None,
    batch: int = 200,
    processes: int | None = None,
) -> Scores:
    """Score every output with every metric.

    Parameters
    ----------
    texts
        Outputs of systems, with what the metrics compare them to.
    metric
        Names of metrics, with options in brackets (``"rouge,chrf"``, ``"rouge[stem=none]"``), or scorers.
    cache
        A file in which scores are kept by content, so that a repeated run only scores what is new and a run that was
        killed goes on where it was; None keeps nothing.
    batch
        How many outputs are scored, and kept, at a time.
    processes
        How many processes to use; all processors by default, and this one alone for little work.

    Returns
    -------
    Scores
        A column per score; ``sources`` says with which recipe, and how many outputs could not be scored.

    Examples
    --------
    >>> texts = Texts({("a", "1"): "the cat sat"}, references={"1": ("the cat sat down",)})
    >>> score(texts, "length").matrix("length_tokens").tolist()
    [[3.0]]
    """
    if not isinstance(texts, Texts):
        raise UsageError(f"expected Texts, got {type(texts).__name__}; use metassay.read_texts")
    batch = vocabulary.count("batch", batch)
    scorers = make_scorers(metric)
    items = list(texts.items())
    systems = {name: i for i, name in enumerate(texts.systems)}
    inputs = {name: j for j, name in enumerate(texts.inputs)}
    rows = np.array([systems[item.system] for item in items])
    columns_at = np.array([inputs[item.input] for item in items])
    columns: dict[str, Column] = {}
    said = list(texts.provenance)
    with Cache(cache) as kept:
        if kept.note:
            said.append(kept.note)
        for scorer in scorers:
            values = _score_all(scorer, items, kept, batch, processes)
            for name, column in zip(scorer.columns, values.T, strict=True):
                matrix = np.full((len(systems), len(inputs)), np.nan)
                matrix[rows, columns_at] = column
                columns[name] = Column(name, matrix, lower_is_better=name in scorer.lower_is_better)
            missing = int(np.isnan(values).all(axis=1).sum())
            said.append(scorer.signature + (f" ({missing} of {len(items)} outputs have no score)" if missing else ""))
    return Scores(tuple(systems), tuple(inputs), columns, dict(texts.groups), tuple(said))


def _score_all(scorer: Scorer, items: Sequence[Item], cache: Cache, batch: int, processes: int | None) -> FloatArray:
    """Return scores (items, columns): from the cache where they are known, computed where they are not."""
    width = len(scorer.columns)
    keys = [key_of(scorer, item) for item in items]
    known = cache.look_up(keys, width)
    new = {key: item for key, item in zip(keys, items, strict=True) if key not in known}
    able = {key: item for key, item in new.items() if _has_what_is_needed(scorer, item)}
    order = list(able)
    batches = [order[at : at + batch] for at in range(0, len(order), batch)]
    work = [[able[key] for key in part] for part in batches]
    for at, values in engine.spread(partial(_score_batch, scorer), work, processes=processes, what=scorer.columns[0]):
        done = dict(zip(batches[at], values, strict=True))
        cache.store(done)
        known |= done
    nothing = np.full(width, np.nan)
    return np.stack([known.get(key, nothing) for key in keys])


def _score_batch(scorer: Scorer, items: Sequence[Item]) -> FloatArray:
    return scorer.score(items)


def _has_what_is_needed(scorer: Scorer, item: Item) -> bool:
    if "references" in scorer.needs and not item.references:
        return False
    return "source" not in scorer.needs or item.source is not None
