"""Scores against each reference by itself, for studies of what the choice of references does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from metassay.core import text_options as text
from metassay.core.scores import Column, Scores
from metassay.core.study import study
from metassay.core.texts import Texts
from metassay.errors import DataError
from metassay.texts.scorers.base import Scorer
from metassay.texts.scorers.registry import make_scorers
from metassay.texts.scorers.scoring import score, settled


@study
def score_by_reference(
    texts: Texts,
    metric: str | Scorer | Iterable[str | Scorer],
    *,
    cache: text.Scored = None,
    processes: text.Processes = None,
    max_references: text.MaxReferences = None,
) -> Scores:
    """Score every output against each of its references alone.

    Columns of metrics that compare with references get an axis ``reference`` with the labels 1, 2, …; an input with
    fewer references has no score under the others. Metrics that need none are scored once.

    Parameters
    ----------
    texts
        Outputs of systems with their references.
    metric
        Names of metrics, with options in brackets, or scorers.

    Examples
    --------
    >>> texts = Texts({("a", "1"): "the cat sat"}, references={"1": ("the cat sat", "a dog ran")})
    >>> scores = score_by_reference(texts, "rouge[variants=1,measures=f1]", processes=1)
    >>> scores["rouge-1_f1"].labels("reference"), scores["rouge-1_f1"].values.ravel().tolist()
    (('1', '2'), [1.0, 0.0])
    """
    texts = settled(texts, max_references)
    scorers = make_scorers(metric)
    most = max((len(all_of_them) for all_of_them in texts.references.values()), default=0)
    against = [scorer for scorer in scorers if "references" in scorer.needs]
    if against and not most:
        raise DataError("no input has a reference; give a file with references beside the outputs")
    columns: dict[str, Column] = {}
    parts: list[Scores] = []
    for at in range(most if against else 0):
        only = {key: (found[at],) for key, found in texts.references.items() if len(found) > at}
        outputs = {place: text for place, text in texts.outputs.items() if place[1] in only}
        one = replace(texts, references=only, outputs=outputs)
        parts.append(score(one, against, cache=cache, processes=processes))
    alone = [scorer for scorer in scorers if "references" not in scorer.needs]
    rest = score(texts, alone, cache=cache, processes=processes) if alone else None
    labels = tuple(str(at + 1) for at in range(most))
    systems = {name: at for at, name in enumerate(texts.systems)}
    inputs = {name: at for at, name in enumerate(texts.inputs)}
    for name, column in parts[0].columns.items() if parts else ():
        values = np.full((most, len(systems), len(inputs)), np.nan)
        for at, part in enumerate(parts):
            rows, places = (
                [found[key] for key in keys] for found, keys in ((systems, part.systems), (inputs, part.inputs))
            )
            values[at][np.ix_(rows, places)] = part[name].values
        columns[name] = replace(column, values=values, axes=(("reference", labels),))
    if rest is not None:
        columns |= rest.columns
    recipes = dict.fromkeys(line for part in (*parts, rest) if part is not None for line in part.sources)
    notes = dict.fromkeys(line for part in (*parts, rest) if part is not None for line in part.notes)
    return Scores(tuple(systems), tuple(inputs), columns, dict(texts.groups), tuple(recipes), tuple(notes))
