"""What sways judges, with the people of a judge's card as one criterion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metassay.core.scales import INTERVAL, Scale
from metassay.core.scores import Column, Scores
from metassay.studies.bias import Biases, bias
from metassay.studies.judge_data import Criterion


def biases_of(scores: Scores, criteria: Sequence[Criterion], judges: Sequence[str], confidence: float) -> Biases:
    """Return what sways judges at equal judgment of the people of each criterion."""
    pooled = {each.name: _column(scores, each) for each in criteria if each.ordered}
    wanted = {name: scores[name] for name in dict.fromkeys(judges)}
    kept = replace(scores, columns={**wanted, **pooled})
    found = bias(kept, human=tuple(pooled) or None, metric=tuple(wanted), confidence=confidence)
    return replace(found, notes=tuple(note for note in found.notes if note.code != "grades-regress"))


def _column(scores: Scores, criterion: Criterion) -> Column:
    """Return the people of a criterion as one human column."""
    values = np.full((len(criterion.people), scores.shape[0] * scores.shape[1]), np.nan)
    values[:, criterion.cells] = criterion.ratings
    scale = INTERVAL
    if criterion.labels:
        scale = Scale("binary" if len(criterion.labels) == 2 else "ordinal", criterion.labels)
    axes = (("annotator", criterion.people),)
    return Column(criterion.name, values.reshape(-1, *scores.shape), "human", axes, scale=scale)
