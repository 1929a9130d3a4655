"""What do the metrics say about these texts?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from metassay import engine
from metassay.core import text_options as text
from metassay.core import vocabulary
from metassay.core.corpus import CorpusColumn, CorpusScores
from metassay.core.note import Note
from metassay.core.origin import Origin
from metassay.core.scores import Column, Scores
from metassay.core.study import study
from metassay.core.texts import Item, Texts
from metassay.errors import DataError, UsageError, one_line
from metassay.stats.arrays import FloatArray
from metassay.texts.scorers.base import Scorer, Unfinished, has, name_of
from metassay.texts.scorers.cache import Cache, key_of
from metassay.texts.scorers.registry import make_scorers


@study
def score(
    texts: Texts,
    metric: str | Scorer | Iterable[str | Scorer],
    *,
    cache: text.Scored = None,
    batch: int | None = None,
    processes: text.Processes = None,
    max_references: text.MaxReferences = None,
    leave_own_out: text.LeaveOwnOut = False,
) -> Scores:
    """Score every output with every metric.

    Parameters
    ----------
    texts
        Outputs of systems, with what the metrics compare them to.
    metric
        Names of metrics, with options in brackets (``"rouge,chrf"``, ``"rouge[stem=none]"``), or scorers.
    batch
        How many outputs are scored, and kept, at a time; by default as many as suit the metric.

    Returns
    -------
    Scores
        A column per score; ``sources`` says with which recipe, ``notes`` which outputs could not be scored, and why.

    Notes
    -----
    With `leave_own_out` and ``rouge[references=jackknife]``, systems are compared with as many references as people.

    Examples
    --------
    >>> texts = Texts({("a", "1"): "the cat sat"}, references={"1": ("the cat sat down",)})
    >>> score(texts, "length").matrix("length_tokens").tolist()
    [[3.0]]
    """
    texts = settled(texts, max_references)
    if batch is not None:
        batch = vocabulary.count("batch", batch)
    scorers = make_scorers(metric)
    items = list(texts.items())
    empty = sum(not item.output.strip() for item in items)
    notes = [Note.of("outputs-empty", n=empty, outputs=len(items))] if empty else []
    if leave_own_out:
        own = sum(item.output in item.references for item in items)
        notes.append(Note.of("outputs-among-references", n=own, outputs=len(items)))
        items = [item._replace(references=tuple(r for r in item.references if r != item.output)) for item in items]
    for scorer in scorers:
        _check_references(scorer, items)
    systems = {name: i for i, name in enumerate(texts.systems)}
    inputs = {name: j for j, name in enumerate(texts.inputs)}
    rows = np.array([systems[item.system] for item in items])
    columns_at = np.array([inputs[item.input] for item in items])
    columns: dict[str, Column] = {}
    recipes: list[Origin] = []
    with Cache(cache) as kept:
        for scorer in (scorer.fitted(items) for scorer in scorers):
            values = _score_all(scorer, items, kept, batch, processes)
            for name, column in zip(scorer.columns, values.T, strict=True):
                matrix = np.full((len(systems), len(inputs)), np.nan)
                matrix[rows, columns_at] = column
                columns[name] = Column(name, matrix, lower_is_better=name in scorer.lower_is_better)
            recipes.append(Origin("", scorer.signature))
            notes += _left_out(scorer, items, values)
            notes += [_noted(scorer, note) for note in scorer.notes(items)]
        notes += kept.notes
    sources = (*texts.provenance, *recipes)
    return Scores(tuple(systems), tuple(inputs), columns, dict(texts.groups), sources, tuple(notes))


def settled(texts: Texts, max_references: int | None = None) -> Texts:
    """Return texts with the first so many references of each input, or say what is wrong with what was given."""
    if not isinstance(texts, Texts):
        raise UsageError(f"expected Texts, got {type(texts).__name__}; use metassay.read_texts")
    if max_references is None:
        return texts
    most = vocabulary.count("max_references", max_references)
    return replace(texts, references={key: tuple(found[:most]) for key, found in texts.references.items()})


def _check_references(scorer: Scorer, items: Sequence[Item]) -> None:
    """Raise if a metric that compares with one reference would meet several."""
    if "references" in scorer.needs and scorer.one_reference:
        for item in items:
            if len(item.references) > 1:
                raise UsageError(
                    f"{name_of(scorer)} compares with one reference, but input {one_line(item.input, 60)!r} has "
                    f"{len(item.references)}; take the first with max_references=1 or --max-references 1"
                )


def _noted(scorer: Scorer, note: Note | str) -> Note:
    """Return a note; one in words comes from a scorer that is not ours."""
    return note if isinstance(note, Note) else Note.of("scorer", scorer=name_of(scorer), message=note)


def _left_out(scorer: Scorer, items: Sequence[Item], values: FloatArray) -> list[Note]:
    """Return notes that count the outputs without any score, for want of what, and those that lack some scores."""
    absent = np.isnan(values)
    nothing = absent.all(axis=1)
    missing = int(nothing.sum())
    told = []
    if missing:
        lacking = {
            "references": "references" in scorer.needs and sum(not item.references for item in items),
            "source": "source" in scorer.needs and sum(item.source is None for item in items),
        }
        why = [(what, count) for what, count in lacking.items() if count]
        told.append(
            Note.of("outputs-without-score", scorer=name_of(scorer), n=missing, outputs=len(items), lacking=why)
        )
    partly = {name: int(n) for name, n in zip(scorer.columns, absent[~nothing].sum(axis=0), strict=True) if n}
    return told + Note.when(partly, "scores-lacking", scorer=name_of(scorer), columns=partly.items())


def _score_all(
    scorer: Scorer, items: Sequence[Item], cache: Cache, batch: int | None, processes: int | None
) -> FloatArray:
    """Return scores (items, columns): from the cache where they are known, computed where they are not."""
    width = len(scorer.columns)
    keys = [key_of(scorer, item) for item in items]
    known = cache.look_up(keys, width)
    able = {key: item for key, item in zip(keys, items, strict=True) if has(item, scorer.needs)}
    new = {key: item for key, item in able.items() if key not in known}
    work: list[tuple[Callable[[Sequence[Item]], FloatArray], dict[bytes, Item]]]
    work = [(scorer.score, new)]
    if scorer.asks_again:
        partly = {key: item for key, item in able.items() if key in known and np.isnan(known[key]).any()}
        work.append((partial(_complete_batch, scorer, {partly[key]: known[key] for key in partly}), partly))
    size = batch or scorer.batch
    for function, open_items in work:
        order = list(open_items)
        batches = [order[at : at + size] for at in range(0, len(order), size)]
        results = engine.spread(
            function,
            [[open_items[key] for key in part] for part in batches],
            processes=1 if scorer.in_process else processes,
            what=scorer.columns[0],
        )
        try:
            for at, values in results:
                known |= _kept(cache, dict(zip(batches[at], values, strict=True)))
        except Unfinished as stop:
            known |= _kept(cache, {key_of(scorer, item): row for item, row in stop.done})
            there = sum(key in known and not np.isnan(known[key]).all() for key in keys)
            kept = "; they are in the cache, so the same call goes on from there" if cache.path and there else ""
            raise DataError(f"{stop} ({there:,} of {len(items):,} outputs have their scores{kept})") from stop.__cause__
    nothing = np.full(width, np.nan)
    return np.stack([known.get(key, nothing) for key in keys])


def _kept(cache: Cache, done: dict[bytes, FloatArray]) -> dict[bytes, FloatArray]:
    """Keep what was scored. What has no score is tried again: an answer may have failed, or taken too long."""
    cache.store({key: row for key, row in done.items() if not np.isnan(row).all()})
    return done


def _complete_batch(scorer: Scorer, rows: Mapping[Item, FloatArray], items: Sequence[Item]) -> FloatArray:
    return scorer.complete(items, np.stack([rows[item] for item in items]))


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
    cells = len(rows) * len(places)
    lacking = cells - len(items)
    notes = Note.when(lacking > 0, "outputs-without-reference", n=lacking, outputs=cells)
    sources = (*texts.provenance, *(Origin("", column.signature) for column in columns.values()))
    return CorpusScores(tuple(rows), tuple(places), columns, dict(texts.groups), sources, tuple(notes))
