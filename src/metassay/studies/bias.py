"""What influences a judge besides quality?

Estimates how much a judge's scores, verdicts or votes depend on what should not matter: which output is shown first,
its length, its lists and headings, whether a model of the judge's own family wrote it, and further columns. Human
judgments are held fixed, and standard errors are clustered by input. Every effect comes with the smallest effect that
these data could detect. The command also reports which grades a judge uses, where it is too lenient or too strict, and
how well re-runs, prompts and orders of one judge agree. With texts, or with scores of changed texts, it tests whether
the verdict changes although the quality does not.

    metassay bias judge.csv --people 'grade=grade_*' --metric '*-grade'
    metassay bias votes.csv --human 'dora,emil,farah,goran' --family-of 'fir=fir'
    metassay bias judge.csv --people 'verdict=verdict_*' --metric '*-judge' --style category
    metassay bias scores.csv --human quality --runs 'judge=judge_run*'
    metassay bias scores.csv --after padding=padded.csv --after reformat=lists.csv
    metassay bias texts.jsonl --metric 'model[config=judge.toml]' --corruption padding,repetition,reformat
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from metassay.core import fields
from metassay.core import options as opt
from metassay.core.groups import GroupPatterns, assign_names
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.core.vocabulary import PROBES
from metassay.core.votes import Votes
from metassay.errors import DataError, UsageError
from metassay.stats.arrays import BoolArray, FloatArray
from metassay.stats.clustered import Estimate, mean, share, undefined
from metassay.stats.rater_agreement import agreement, repeated
from metassay.stats.regressions import linear, within
from metassay.stats.significance import corrected
from metassay.studies.bias_data import Feature, Judgments, families_of_votes, of_scores, of_votes, same_scale
from metassay.studies.bias_rows import BiasRow, GradeRow, RerunRow
from metassay.studies.downgrade import Damaged, notes_on_changes
from metassay.studies.lengths import without_text
from metassay.studies.selection import without_references
from metassay.studies.vote_items import Items

FEW_CLUSTERS = 20
"""With fewer clusters, clustered errors are too small, and a note says so."""
MOST_GRADES = 11
"""People who use more scores than this are looked at by fifths of their scores."""
LEAST_CLUSTERS = 5
"""Inputs, or clusters of inputs, from which errors are estimated; with fewer, ends of intervals mean nothing."""
SAME = 1e-9
MOST_TOLD = 4
"""Effects that are told in sentences, those with the smallest p-values."""


class Biases(Result, study="bias"):
    """Biases of judges, the grades they use, and how well their repetitions agree."""

    table: Sequence[BiasRow]
    """One row per judge, human criterion and feature."""
    grades: tuple[GradeRow, ...] = ()
    """One row per judge, human criterion and grade."""
    reruns: tuple[RerunRow, ...] = ()
    """One row per judge that was asked repeatedly."""


@study
def bias(
    scores: Scores | Votes,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    style: opt.Style = None,
    text: opt.TextOf = None,
    family_of: opt.FamilyOf = None,
    own_family: opt.OwnFamily = None,
    after: Damaged | Iterable[Damaged] = (),
    runs: opt.Runs = None,
    hold: opt.Hold = None,
    confidence: opt.Confidence = 0.95,
    references: opt.References = False,
) -> Biases:
    """Estimate what influences a judge at equal human judgment.

    Parameters
    ----------
    scores
        Scores or votes.
    after
        Scores of the same outputs after a change that leaves their quality as it was, such as padding: probes.

    Notes
    -----
    Scores: linear regressions of judge − human on a feature, with a fixed effect for every input and errors clustered
    by input. If judge and people use different scales, the human score is a covariate instead; it is measured with
    error, so features that correlate with quality keep part of its effect. Votes: regressions of (1 if the first output
    won, ½ for a tie) − the human share on differences of the two outputs, without a constant. Styles are estimated at
    equal length. Without human judgments an effect may be due to quality. Probes: mean of after − before over the
    outputs that have both.

    Examples
    --------
    >>> import metassay as ma
    >>> votes = ma.Votes.from_arrays(["x", "y"] * 9, ["y", "x"] * 9, ["a", "a"] * 9, first=[0] * 18)
    >>> row = ma.bias(votes).table[0]
    >>> row.feature, row.effect
    ('shown first', 1.0)
    """
    named = assign_own(own_family)
    wanted = tuple(style or ())
    notes: list[Note] = []
    if isinstance(scores, Votes):
        humans = scores.find(human) if human is not None else scores.humans
        judges = scores.find(metric) if metric is not None else tuple(r for r in scores.raters if r not in humans)
        families = families_of_votes(scores, family_of)
        found = list(of_votes(scores, judges, humans, style=wanted, text=text, own=named, families=families))
        sizes: dict[str, object] = {"systems": len(scores.systems), "inputs": len(scores.inputs), "votes": len(scores)}
    else:
        if family_of is not None:
            scores = scores.declare(family_of=family_of)
        scores, notes = without_references(scores, references)
        humans = scores.find_humans(human) if human is not None or scores.humans else ()
        every = scores.find_metrics(metric, humans)
        judges = tuple(name for name in every if scores[name].scale.ordered and name not in humans)
        if len(judges) < len(every):
            notes.append(Note.of("judges-without-order", metrics=[name for name in every if name not in judges]))
        humans = tuple(name for name in humans if scores[name].scale.ordered)
        found = list(of_scores(scores, judges, humans, style=wanted, text=text, own=named, hold=hold))
        sizes = dict(zip(("systems", "inputs"), scores.shape, strict=True))
    if not judges:
        raise DataError(
            "no judge gives scores or labels with an order; order labels with --scale NAME=ordinal:LOW<HIGH, or name "
            "another judge with --metric"
        )
    rows = [row for each in found for row in _rows(each, confidence)]
    probes = (after,) if isinstance(after, Damaged) else tuple(after)
    if probes and isinstance(scores, Votes):
        raise UsageError("probes compare scores before and after a change, and these are votes")
    if not isinstance(scores, Votes):
        rows += [row for probe in probes for judge in judges for row in _probed(scores, judge, probe, confidence)]
    rows = _corrected(rows)
    grades = tuple(row for each in found for row in _grades(scores, each, humans, confidence))
    reruns = tuple(_reruns(scores, judges, found, runs, confidence))
    signature = Signature.open(metrics=len(judges), **sizes)
    notes += without_text(scores, text)
    return Biases(
        tuple(rows), signature, (*notes, *_notes(rows, found, grades), *notes_on_changes(probes)), grades, reruns
    )


def assign_own(given: opt.Names | None) -> dict[str, str]:
    """Return the family of each judge of which it is said, ``JUDGE=FAMILY``."""
    found = {}
    for text in (given,) if isinstance(given, str) else given or ():
        judge, sign, family = text.partition("=")
        if not (judge.strip() and sign and family.strip()):
            raise UsageError(f"--own-family must be JUDGE=FAMILY, such as my-judge=openai, got {text!r}")
        found[judge.strip()] = family.strip()
    return found


# -- effects ------------------------------------------------------------------------------------


def _rows(judged: Judgments, confidence: float) -> Iterator[BiasRow]:
    for feature in judged.features:
        kept, held = _in_both_orders(judged) if feature.bias == "position" else (None, judged.held)
        found, n, clusters, reason = _effect(judged, feature, held, kept, confidence)
        yield BiasRow(
            metric=judged.judge,
            human=None if held == "nothing" else judged.human,
            bias=feature.bias,
            feature=feature.name,
            **_stated(found, clusters, confidence),
            unit=judged.unit,
            held=held,
            n_judgments=n,
            n_clusters=clusters,
            reason=reason,
        )


def _stated(found: Estimate, clusters: int, confidence: float) -> dict[str, Any]:
    """Return an effect with its interval and p-value, by the exact sign test if all clusters show the very same."""
    same = 1.0 if abs(found.value) < SAME else 2.0 ** (1 - clusters)
    return {
        "effect": found.value,
        "low": found.low,
        "high": found.high,
        "confidence": confidence,
        "p_value": same if found.error <= SAME else found.p_value(),
        "p_corrected": math.nan,
        "detectable": found.smallest_detectable(alpha=1 - confidence) if found.error > SAME else math.nan,
    }


def _in_both_orders(judged: Judgments) -> tuple[BoolArray | None, str]:
    """Return the votes on pairs that were shown in both orders, if most were: they need no people."""
    assert judged.first is not None
    orders: dict[str, set[float]] = {}
    for key, first, turned in zip(judged.inputs, judged.first.tolist(), judged.turned, strict=True):
        if not math.isnan(first):
            orders.setdefault(key, set()).add(first * (-1 if turned else 1))
    both = np.array([len(orders.get(key, ())) > 1 for key in judged.inputs], dtype=bool)
    return (both, "orders") if both.mean() > 0.5 else (None, judged.held)


def _effect(
    judged: Judgments, feature: Feature, held: str, kept: BoolArray | None, confidence: float
) -> tuple[Estimate, int, int, str | None]:
    """Return what the feature, the first column of a regression, does; its judgments and clusters, and why nothing."""
    outcome = judged.outcome - judged.people if held == "difference" else judged.outcome
    if judged.groups is None and held != "difference":
        outcome = outcome - 0.5
    columns = [feature.values, *feature.beside, *([judged.people] if held == "covariate" else [])]
    known = ~np.isnan(np.stack([outcome, *columns])).any(axis=0)
    known &= True if kept is None else kept
    x, y, clusters = np.stack(columns, axis=1)[known], outcome[known], judged.clusters[known]
    groups = None if judged.groups is None else judged.groups[known]
    if groups is not None and np.abs(within(x[:, 0], groups)).max(initial=0.0) < SAME:
        # One output per input, or a feature of inputs: what inputs have in common cannot be taken out.
        x, groups = np.column_stack([x, np.ones(len(x))]), None
    flat = not len(x) or (np.ptp(x[:, 0]) < SAME and (judged.groups is not None or abs(x[0, 0]) < SAME))
    # What says nothing new beside the feature, such as an order that never changes, is left out.
    while (
        not flat and x.shape[1] > 1 and np.linalg.matrix_rank(x if groups is None else within(x, groups)) < x.shape[1]
    ):
        x = x[:, :-1]
    n_clusters = len(np.unique(clusters))
    enough = n_clusters >= LEAST_CLUSTERS
    found = linear(x, y, clusters, groups).effect(0, confidence=confidence) if enough else undefined()
    return found, len(y), n_clusters, ("constant" if flat else "few") if math.isnan(found.value) else None


def _corrected(rows: list[BiasRow]) -> list[BiasRow]:
    """Return rows with p-values that are corrected over the effects of each judge."""
    p = {judge: corrected(np.array([r.p_value for r in rows if r.metric == judge]), "holm") for judge in _judges(rows)}
    each = {judge: iter(adjusted.tolist()) for judge, adjusted in p.items()}
    return [replace(row, p_corrected=next(each[row.metric])) for row in rows]


def _judges(rows: Sequence[BiasRow]) -> list[str]:
    return list(dict.fromkeys(row.metric for row in rows))


def _probed(scores: Scores, judge: str, probe: Damaged, confidence: float) -> Iterator[BiasRow]:
    """Yield how far the scores of a judge move after a change of the outputs."""
    if judge not in probe.scores.columns:
        return
    where = [{name: at for at, name in enumerate(labels)} for labels in (probe.scores.systems, probe.scores.inputs)]
    rows, columns = (
        [of.get(name, -1) for name in labels] for of, labels in zip(where, (scores.systems, scores.inputs), strict=True)
    )
    later = np.where(
        (np.array(rows)[:, None] < 0) | (np.array(columns) < 0),
        np.nan,
        probe.scores.matrix(judge)[np.ix_(rows, columns)],
    )
    moved = (later - scores.matrix(judge)).ravel()
    inputs = scores.input_units()
    clusters = np.broadcast_to(inputs, scores.shape).ravel()
    known = ~np.isnan(moved)
    n_clusters = len(np.unique(clusters[known]))
    reason = "unchanged" if probe.changed == 0 else "few" if n_clusters < LEAST_CLUSTERS else None
    found = undefined() if reason else mean(moved, [np.asarray(clusters)], confidence)
    yield BiasRow(
        metric=judge,
        human=None,
        bias="probe",
        feature=PROBES.get(probe.kind, f"after {probe.kind}"),
        **_stated(found, n_clusters, confidence),
        unit="share" if scores[judge].scale.kind == "binary" else "points",
        held="output",
        n_judgments=int(known.sum()),
        n_clusters=n_clusters,
        reason=reason,
    )


# -- grades -------------------------------------------------------------------------------------


def _grades(scores: Scores | Votes, judged: Judgments, humans: Sequence[str], confidence: float) -> Iterator[GradeRow]:
    """Yield how often people and judge use each grade, and how far the judge is off where people give it."""
    if judged.human is None or not len(judged.outcome):
        return
    where = {"metric": judged.judge, "human": judged.human}
    unknown = dict.fromkeys(("difference", "low", "high"), math.nan)
    if isinstance(scores, Votes):
        votes = scores.of(judged.judge).outcome, scores.of(humans).outcome
        for grade, value in (("A", 1.0), ("tie", 0.5), ("B", 0.0)):
            mine, theirs = (float((each == value).mean()) for each in votes)
            shares = {"share_people": theirs, "share_judge": mine, "n_judgments": int((votes[1] == value).sum())}
            yield fields.filled(GradeRow, where, shares, unknown, grade=grade)
        return
    alike, column = same_scale(scores, judged.judge, judged.human), scores[judged.human]
    given = np.unique(column.values[~np.isnan(column.values)])
    names = [column.scale.labels[int(v)] if column.scale.labels else f"{v:g}" for v in given]
    if column.lower_is_better:
        given, names = -given[::-1], names[::-1]
    edges = (given[:-1] + given[1:]) / 2
    if len(given) > MOST_GRADES:
        edges = np.quantile(judged.people, [0.2, 0.4, 0.6, 0.8])
        every = [judged.people.min(), *edges, judged.people.max()]
        names = [f"{low:.3g} to {high:.3g}" for low, high in pairwise(every)]
    of_people, of_judge = np.digitize(judged.people, edges), np.digitize(judged.outcome, edges)
    for at, name in enumerate(names):
        here = of_people == at
        found = mean((judged.outcome - judged.people)[here], [judged.clusters[here]], confidence)
        ends = (found.low, found.high) if len(np.unique(judged.clusters[here])) >= LEAST_CLUSTERS else (math.nan,) * 2
        off = dict(zip(unknown, (found.value, *ends), strict=True)) if alike else unknown
        mine = float((of_judge == at).mean()) if alike else math.nan
        shares = {"share_people": float(here.mean()), "share_judge": mine, "n_judgments": int(here.sum())}
        yield fields.filled(GradeRow, where, shares, off, grade=name)


# -- re-runs ------------------------------------------------------------------------------------


def _reruns(
    scores: Scores | Votes,
    judges: Sequence[str],
    found: Sequence[Judgments],
    runs: GroupPatterns | None,
    confidence: float,
) -> Iterator[RerunRow]:
    """Yield how far orders, re-runs and prompts of one judge agree."""
    groups: dict[str, list[str]] = {}
    for judge, name in assign_names(judges, runs, "judge").items() if runs is not None else ():
        groups.setdefault(name, []).append(judge)
    if isinstance(scores, Votes):
        for judged in found:
            if judged.first is not None and _in_both_orders(judged)[1] == "orders":
                yield _agreement(judged.judge, "orders", *_by_order(judged), True, confidence)
        for name, some in groups.items():
            yield _agreement(name, "runs", *_by_rater(scores, some), True, confidence)
        return
    at_cluster = scores.input_units().astype(np.float64)
    ratings = {name: np.stack([scores.matrix(each) for each in some]) for name, some in groups.items()}
    ratings |= {j: scores[j].mean(keep="annotator") for j in judges if len(scores[j].labels("annotator")) > 1}
    for name, values in ratings.items():
        labels = scores[groups[name][0] if name in groups else name].scale.kind == "binary"
        clusters = np.broadcast_to(at_cluster, values.shape[1:]).ravel()
        yield _agreement(name, "runs", values.reshape(len(values), -1), clusters, labels, confidence)


def _by_order(judged: Judgments) -> tuple[FloatArray, FloatArray]:
    """Return verdicts on each pair by the order shown, (2, pairs), in terms of the same output, and their inputs."""
    places: dict[tuple[str, int], int] = {}
    values = np.full((2, len(judged.outcome)), np.nan)
    clusters = np.zeros(len(judged.outcome))
    assert judged.first is not None
    seen: dict[tuple[str, float], int] = {}
    for key, turned, first, outcome, cluster in zip(
        judged.inputs, judged.turned, judged.first.tolist(), judged.outcome.tolist(), judged.clusters, strict=True
    ):
        if math.isnan(first):
            continue
        order = (first > 0) != turned
        at = seen[key, order] = seen.get((key, order), -1) + 1
        place = places.setdefault((key, at), len(places))
        values[int(order), place], clusters[place] = 1 - outcome if turned else outcome, cluster
    return values[:, : len(places)], clusters[: len(places)]


def _by_rater(votes: Votes, raters: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Return the votes of some raters on each pair of outputs and order, (raters, pairs), and their inputs."""
    items = Items.of(votes)
    places: dict[tuple[int, int], int] = {}
    values = np.full((len(raters), len(votes)), np.nan)
    for row, rater in zip(values, raters, strict=True):
        mine = np.flatnonzero(votes.rater == votes.raters.index(rater))
        keys = zip(items.of_vote[mine].tolist(), items.first[mine].tolist(), strict=True)
        for key, value in zip(keys, items.value[mine], strict=True):
            row[places.setdefault(key, len(places))] = value
    return values[:, : len(places)], items.input[[pair for pair, _ in places]].astype(np.float64)


def _agreement(
    judge: str, what: str, values: FloatArray, clusters: FloatArray, labels: bool, confidence: float
) -> RerunRow:
    """Return how far repetitions (runs, items) agree."""
    known = (~np.isnan(values)).sum(axis=0) > 1
    values, clusters = values[:, known], clusters[known]
    each = repeated(values)
    where = np.unique(clusters, return_inverse=True)[1]
    found = share(each, [where], confidence) if set(np.unique(each)) <= {0.0, 1.0} else mean(each, [where], confidence)
    alpha = agreement(values, "alpha-nominal" if labels else "alpha-interval")[0] if values.size else math.nan
    numbers = values.size and what == "runs" and not labels
    spread = math.sqrt(float(np.nanmean(np.nanvar(values, axis=0, ddof=1)))) if numbers else math.nan
    means = np.nanmean(values, axis=1) if what == "runs" and values.size else np.array([math.nan])
    shift = float(np.ptp(means)) if what == "runs" else math.nan
    return RerunRow(
        judge, what, len(values), found.value, found.low, found.high, float(alpha), spread, shift, int(known.sum())
    )


# -- notes --------------------------------------------------------------------------------------


def _notes(rows: Sequence[BiasRow], found: Sequence[Judgments], grades: Sequence[GradeRow]) -> list[Note]:
    notes = []
    known = [row for row in rows if row.reason is None]
    clear = sorted((row for row in known if row.p_corrected <= 1 - row.confidence), key=lambda row: row.p_value)
    named = ("metric", "feature", "effect", "low", "high", "unit", "held")
    several = len({row.human for row in rows if row.human}) > 1
    for row in clear[:MOST_TOLD]:
        facts = {name: getattr(row, name) for name in named}
        notes.append(
            Note.of("bias-found", **facts, confidence=row.confidence, human=row.human if several and row.human else "")
        )
    if known and not clear:
        each = Counter(row.metric for row in known)
        notes.append(Note.of("bias-none", n=max(each.values()), judges=len(each), alpha=1 - known[0].confidence))
    for judged in found:
        if judged.held == "nothing" and any(f.bias != "position" for f in judged.features):
            notes.append(Note.of("bias-without-people", metric=judged.judge))
        if judged.held == "covariate":
            notes.append(Note.of("bias-scales-differ", metric=judged.judge, human=judged.human))
        lacking = {"length", "family"} - {feature.bias for feature in judged.features}
        notes += [Note.of("bias-unknown", bias=bias, metric=judged.judge) for bias in sorted(lacking)]
    notes += [
        Note.of("bias-undefined", metric=row.metric, feature=row.feature, reason=row.reason, least=LEAST_CLUSTERS)
        for row in rows
        if row.reason
    ]
    alike = [row.feature for row in known if row.low == row.high]
    notes += Note.when(alike, "bias-alike", features=alike)
    few = min((row.n_clusters for row in known), default=FEW_CLUSTERS)
    if few < FEW_CLUSTERS:
        notes.append(Note.of("few-clusters", metric="", unit="inputs", n=few))
    if any(not math.isnan(row.difference) for row in grades):
        notes.append(Note.of("grades-regress"))
    return notes
