"""What do metrics say of whole systems? Scores of a corpus, which are not means of the scores of outputs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from metassay.core import text_options as text
from metassay.core.corpus import CorpusColumn, CorpusScores
from metassay.core.note import Note
from metassay.core.origin import Origin
from metassay.core.study import study
from metassay.core.texts import Texts
from metassay.errors import DataError
from metassay.texts.scorers.base import Scorer
from metassay.texts.scorers.registry import make_scorers
from metassay.texts.scorers.scoring import settled


@study
def score_corpus(
    texts: Texts, metric: str | Scorer | Iterable[str | Scorer], *, max_references: text.MaxReferences = None
) -> CorpusScores:
    """Score every system as a whole with BLEU, chrF, TER or METEOR.

    Counts of n-grams, edits or matches are added up over all outputs of a system before the score is computed, as
    sacrebleu does; :func:`metassay.score` scores each output by itself.

    Parameters
    ----------
    texts
        Outputs of systems with references.
    metric
        ``bleu``, ``chrf``, ``chrf++``, ``ter`` or ``meteor``, with options in brackets, or scorers.

    Returns
    -------
    CorpusScores
        Scores by system and metric with sacrebleu's signature, ready for `metassay.systems`.

    Examples
    --------
    >>> texts = Texts({("a", "1"): "the cat sat on a mat"}, references={"1": ("the cat sat on the mat",)})
    >>> found = score_corpus(texts, "bleu")
    >>> found.columns["bleu"].scores.round(2).tolist(), found.columns["bleu"].signature[:33]
    ([53.73], 'BLEU|nrefs:1|case:mixed|eff:no|to')
    """
    texts = settled(texts, max_references)
    scorers = make_scorers(metric)
    items = [item for item in texts.items() if item.references]
    if not items:
        raise DataError("no output has a reference; give a file with references beside the outputs")
    rows = {name: at for at, name in enumerate(texts.systems)}
    places = {name: at for at, name in enumerate(texts.inputs)}
    at = [rows[item.system] for item in items], [places[item.input] for item in items]
    columns: dict[str, CorpusColumn] = {}
    for scorer in scorers:
        found = scorer.corpus(items)
        counts = np.full((len(rows), len(places), found.counts.shape[1]), np.nan)
        counts[at] = found.counts
        name = scorer.columns[0]
        columns[name] = CorpusColumn(name, counts, found.formula, found.signature, name in scorer.lower_is_better)
    notes = []
    lacking = len(rows) * len(places) - len(items)
    if lacking:
        notes.append(Note.of("outputs-without-reference", n=lacking, outputs=len(rows) * len(places)))
    sources = (*texts.provenance, *(Origin("", column.signature) for column in columns.values()))
    return CorpusScores(tuple(rows), tuple(places), columns, dict(texts.groups), sources, tuple(notes))
