"""Scores that were computed before, by content: what is in here is never scored twice.

Every batch is a transaction, so a run that is killed loses at most the batch it was working on and goes on from there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from metassay.core.store import SCORES, Store
from metassay.core.texts import Item
from metassay.errors import UsageError, one_line
from metassay.stats.arrays import FloatArray
from metassay.texts.scorers.base import Scorer, hashed


def default_path() -> Path:
    """Return where scores are kept if nobody says otherwise."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "metassay" / "scores.db"


class Cache(Store):
    """Scores by the content they were computed from. Use it as a context manager.

    Parameters
    ----------
    path
        The file; None keeps scores in memory only.
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        if path is not None and Path(path) == default_path():
            try:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
                raise UsageError(f"cannot use the cache {one_line(path)!r}: {reason}; {SCORES.remedy}") from None
        super().__init__(path, SCORES)

    def look_up(self, keys: Sequence[bytes], width: int) -> dict[bytes, FloatArray]:
        """Return the scores that are known, each with `width` numbers."""
        found = self.get(keys).items()
        return {key: np.frombuffer(value, dtype="<f8") for key, value in found if len(value) == 8 * width}

    def store(self, scores: Mapping[bytes, FloatArray]) -> None:
        """Keep scores, all of them or none."""
        self.put({key: np.asarray(value, dtype="<f8").tobytes() for key, value in scores.items()})


def key_of(scorer: Scorer, item: Item) -> bytes:
    """Return what a score depends on, as a digest: the recipe, and the texts that the metric looks at."""
    parts = [scorer.signature, item.output]
    if "references" in scorer.sees:
        parts += [str(len(item.references)), *item.references]
    if "source" in scorer.sees and item.source is not None:
        parts.append(item.source)
    return hashed(parts, 20)
