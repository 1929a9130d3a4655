"""Can this judge stand in for people?

Compares the labels, grades or scores of judges, which are models or anything else, with those of people. Reports how
often a judge is right, beside how often people agree with each other; its errors by label; its threshold and
calibration; the slices of the data where it fails; the worst disagreements with their texts; whether it could replace
an annotator (the alternative-annotator test); and which of several judges is best. With --require the command is a gate
for continuous integration.

    metassay judge judge.csv --human 'verdict_*' --judge strict-judge
    metassay judge human=people.json judge=models.json --epsilon crowd
    metassay judge judge.csv --human 'verdict_*' --judge strict-judge --require 'kappa.low>=0.6,bias.abs<=0.05'
    metassay judge judge.csv --human 'verdict_*' --judge kind-judge-grade --cut precision --target 0.95 --view threshold
    metassay judge judge.csv --human 'verdict_*' --judge strict-judge --bias
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, cast

from metassay.core import judge_options as jd
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import refuse_given, study
from metassay.core.votes import Votes
from metassay.errors import UnknownName, UsageError
from metassay.stats.clustered import undefined
from metassay.stats.statistics.registry import find
from metassay.stats.statistics.tabulated import TabulatedStatistic
from metassay.studies import judge_failures as failures
from metassay.studies import judge_parts as parts
from metassay.studies.judge_biases import biases_of
from metassay.studies.judge_data import Criterion, Judged, criteria_of, judges_of, with_people
from metassay.studies.judge_notes import answers, notes_on
from metassay.studies.judge_rows import AlternativeRow, JudgeRow
from metassay.studies.judge_rows import JudgeCard as JudgeCard
from metassay.studies.requirements import required
from metassay.studies.selection import without_references

FIELDS_OF = {
    **dict.fromkeys(("kappa", "bias", "estimate"), jd.FIELDS),
    **dict.fromkeys(("single", "people"), ("estimate", "low", "high")),
    **dict.fromkeys(("winning_rate", "advantage"), ("estimate",)),
    "worst_slice": ("estimate", "low", "high", "n"),
    "abstained": ("estimate", "n"),
}
"""What a requirement may speak of beside statistics, and which fields each has."""
VOTES = "metassay.studies.judge_votes"
ASK = ("metassay.texts.scorers.judge_config", "ask_model")


@study
def judge(
    scores: Scores | Votes | None = None,
    *,
    human: opt.Human = None,
    judge: jd.Judges = None,
    statistic: jd.Statistics = None,
    abstain: jd.Abstain = "missing",
    epsilon: jd.Epsilon = "experts",
    worse: jd.Worse = 0.05,
    cut: jd.Cut = "accuracy",
    target: jd.Target = None,
    slice_by: jd.Attributes = None,
    worst: opt.Worst = 20,
    bias: opt.Biased = False,
    over: jd.Generalise = "inputs",
    interval: jd.Interval = "sandwich",
    confidence: opt.Confidence = 0.95,
    resamples: opt.Resamples = 2_000,
    seed: opt.Seed = 0,
    require: jd.Require = None,
    references: opt.References = False,
    **former: Any,  # noqa: ANN401 - what this name took before
) -> JudgeCard:
    """Evaluate how far judges can replace people.

    Each human column is a criterion, but columns on one scale whose names begin alike, such as ``verdict_anna`` and
    ``verdict_ben``, are annotators of the same criterion. The joint human judgment is the majority label, or the mean
    grade. Judges on another scale than human grades are compared by Pearson's correlation.

    Notes
    -----
    Intervals come from the influence of each item on the statistic, summed over the outputs of one input, or of one
    cluster of inputs; shares have Wilson's interval with the effective sample size. Intervals of slices are
    simultaneous (Bonferroni), and their tests are corrected by Holm's method. The alternative-annotator test is that of
    Calderon, Reichart and Dror (2025), "The Alternative Annotator Test for LLM-as-a-Judge".

    Examples
    --------
    >>> import metassay as ma
    >>> scores = ma.example("judge")
    >>> card = ma.judge(scores, human="verdict_*", judge="strict-judge")
    >>> round(card.table[0].estimate, 2), card.table[0].passed
    (0.89, True)
    """
    if former or scores is None:
        return _asked_otherwise(scores, former)
    if isinstance(scores, Votes):
        only: dict[str, object] = {
            "statistic": statistic,
            "abstain": abstain,
            "epsilon": epsilon,
            "worse": worse,
            "cut": cut,
        }
        only |= {"target": target, "slice_by": slice_by, "worst": worst, "over": over, "interval": interval}
        only |= {"resamples": resamples, "seed": seed, "references": references}
        return _votes(scores, only, human=human, judge=judge, bias=bias, confidence=confidence, require=require)
    kept, notes = without_references(scores, references)
    humans = kept.find_humans(human)
    judges = kept.find_metrics(None, humans) if judge is None else kept.find(judge, "judge")
    kept, humans, said = with_people(kept, humans)
    setting = parts.Setting(kept, parts.tabulated(statistic), confidence, interval, resamples, seed, over)
    criteria = criteria_of(kept, humans)
    found, unfit = judges_of(kept, criteria, judges, asked=judge is not None)
    aim = target if target is not None else 0.9 if cut in ("precision", "recall") else 1.0
    card = _card(setting, criteria, found, (cut, aim), (float(epsilon), worse), abstain, slice_by, worst)
    if bias:
        swayed = biases_of(kept, criteria, [each.judge for each in found], confidence)
        card = replace(card, biases=tuple(swayed.table), notes=(*card.notes, *swayed.notes))
    card = replace(card, requirements=required(require, card.table, partial(_number, card)))
    signature = Signature.open(
        judges=len({row.judge for row in card.table}),
        people=max(len(each.people) for each in criteria),
        systems=kept.shape[0] if kept.has_systems else None,
        inputs=kept.shape[1],
        cut=None if not card.operating else [cut] if math.isnan(card.operating[0].target) else [cut, f"{aim:g}"],
        **({} if interval == "bootstrap" else {"k": None}),
    )
    return replace(
        card,
        signature=signature,
        notes=tuple(dict.fromkeys((*answers(card, confidence), *notes, *said, *unfit, *card.notes))),
    )


def _asked_otherwise(scores: object, former: dict[str, Any]) -> JudgeCard:
    """Do what this name stood for before, which is to ask a model for grades, or say what is wrong."""
    if scores is None and {"model", "config", "criterion"} & former.keys():
        warnings.warn(
            "metassay.judge asks whether a judge can be trusted; to ask a model for grades use metassay.ask_model",
            DeprecationWarning,
            stacklevel=4,
        )
        module, name = ASK
        return cast("JudgeCard", getattr(import_module(module), name)(**{"name": "judge", **former}))
    if former:
        raise TypeError(f"judge() got an unexpected keyword argument {next(iter(former))!r}")
    raise UsageError("expected Scores or Votes; use metassay.read (to ask a model for grades: metassay.ask_model)")


def _votes(votes: Votes, only: dict[str, object], **options: Any) -> JudgeCard:  # noqa: ANN401 - those that both have
    """Hand votes to the study of judges who choose one of two outputs; options that are only for scores are refused."""
    refuse_given(judge, only, "scores", "votes")
    return cast("JudgeCard", import_module(VOTES).judge_votes(votes, **options))


def _card(
    setting: parts.Setting,
    criteria: Sequence[Criterion],
    found: Sequence[Judged],
    cut: tuple[str, float],
    replacing: tuple[float, float],
    abstain: str,
    slice_by: opt.Names | None,
    worst: int,
) -> JudgeCard:
    """Return all tables."""
    tables: dict[str, list[Any]] = {name: [] for name in JudgeCard.tables()}
    by = failures.slicings(setting.scores, slice_by)
    people = {each.name: parts.people_rows(setting, each) for each in criteria}
    tables["people"] = [row for rows in people.values() for row in rows]
    notes: list[Note] = []
    whole: list[Judged] = []
    for each in found:
        judged, cuts = replace(each, wrong=abstain == "wrong"), None
        if judged.kind == "scores":
            judged, curve, at = parts.with_threshold(judged, *cut)
            if curve is not None:
                tables["threshold"] += parts.threshold_rows(judged, curve, at)
                row, cuts = parts.operating_row(setting, judged, *cut, at >= 0)
                tables["operating"].append(row)
            tables["calibration"] += parts.calibration_rows(setting, judged)
        whole.append(judged)
        tables["agreement"] += parts.agreement_rows(setting, judged)
        alternative: list[AlternativeRow] = []
        if judged.kind != "other-scale":
            tables["confusion"] += parts.confusion_rows(setting, judged)
            tables["slices"] += failures.slice_rows(setting, judged, by)
            tables["disagreements"] += failures.disagreement_rows(setting, judged, worst)
            alternative, curves = failures.alternative_rows(setting, judged, *replacing)
            tables["alternative_annotators"] += alternative
            tables["epsilon_curve"] += curves
        if len(judged.runs):
            tables["runs"].append(parts.run_row(setting, judged))
        tables["table"].append(_row(setting, replace(judged, cuts=cuts), tables, alternative))
        notes += notes_on(setting, judged, tables, abstain)
    for criterion in criteria:
        for apart in (False, True):
            mine = [
                each
                for each in whole
                if each.criterion.name == criterion.name and (each.kind == "other-scale") == apart
            ]
            if len(mine) > 1:
                ranks, differences = parts.ranked(setting, mine)
                tables["ranks"] += ranks
                tables["differences"] += differences
    return JudgeCard(signature=Signature.open(), notes=tuple(notes), **{n: tuple(rows) for n, rows in tables.items()})


def _row(setting: parts.Setting, judged: Judged, tables: dict[str, list[Any]], alternative: Sequence[Any]) -> JudgeRow:
    """Return a judge in a line, of what is known of it already or can be computed at once."""
    of = judged.criterion
    first = parts.headline(setting, judged)
    scale = "" if judged.kind == "other-scale" else parts.scale_of(of)
    paired = parts.against_people(setting, judged)
    single = setting.estimate(parts.against_single(setting, judged), first) if len(of.people) > 1 else None
    peers = next(
        (r for r in tables["people"] if (r.person, r.human, r.statistic) == ("(all)", of.name, first.name)), None
    )
    kappa = bias = gap = undefined()
    if scale in parts.KAPPA:
        kappa = setting.estimate(paired, cast("TabulatedStatistic", find(parts.KAPPA[scale])))
    if scale not in ("", "nominal"):
        bias = setting.estimate(paired, cast("TabulatedStatistic", find("bias")))
    own = setting.estimate(paired, first)
    if single is not None and peers is not None:
        gap = parts.beside_people(setting, judged, first)
    with_single = among = (math.nan, math.nan, math.nan)
    if single is not None:
        with_single = (single.value, single.low, single.high)
    if peers is not None:
        among = (peers.estimate, peers.low, peers.high)
    tested = [row for row in alternative if row.n_people]
    return JudgeRow(
        judged.judge,
        of.name,
        judged.kind,
        len(paired),
        len(of.people),
        int(judged.abstained.sum()),
        first.name,
        own.value,
        own.low,
        own.high,
        *with_single,
        *among,
        gap.value,
        gap.low,
        gap.high,
        kappa.value,
        kappa.low,
        kappa.high,
        bias.value,
        bias.low,
        bias.high,
        tested[0].winning_rate if tested else math.nan,
        tested[0].passed if tested else None,
        *parts.base_rate(of, paired.z),
    )


def _number(card: JudgeCard, row: JudgeRow, name: str, field: str) -> float:
    """Return the number that a requirement speaks of: of a statistic against people together, of the card, or of ω."""
    whose = row.judge, row.human
    together = [r for r in card.agreement if (r.judge, r.human) == whose and r.against != "single people"]
    mine = {r.statistic: r for r in reversed(together)}
    allowed = jd.FIELDS if name in mine else FIELDS_OF.get(name)
    if allowed is None:
        raise UnknownName("number in a requirement:", name, [*mine, *(n for n in FIELDS_OF if n not in mine)])
    if field not in allowed:
        raise UsageError(f"a requirement cannot use {name}.{field}; {name} has {', '.join(allowed)}")
    asked = {"abs": "estimate", "n": "n_items"}.get(field, field)
    if name in mine:
        value = float(getattr(mine[name], asked))
    elif name in ("winning_rate", "advantage"):
        tested = [r for r in card.alternative_annotators if (r.judge, r.human) == whose and r.n_people]
        value = float(getattr(tested[0], name)) if tested else math.nan
    elif name == "worst_slice":
        slices = [r for r in card.slices if (r.judge, r.human) == whose]
        good = -1 if slices and slices[0].statistic != "accuracy" else 1
        value = float(getattr(min(slices, key=lambda r: good * r.estimate), asked)) if slices else math.nan
    elif name == "abstained":
        value = row.n_abstained / (1 if field == "n" else max(row.n_items + row.n_abstained, 1))
    elif asked in ("low", "high") and name != "estimate":
        value = float(getattr(row, f"{name}_{asked}"))
    else:
        value = float(getattr(row, name if asked == "estimate" else asked))
    return value
