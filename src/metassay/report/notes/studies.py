"""Sentences of studies of single columns, of systems and of inputs, and of choosing what is studied."""

from __future__ import annotations

import math

from metassay.errors import listed, one_line
from metassay.report import names, numbers
from metassay.report.notes.wording import ANSWER, CAVEAT, DATA, HINT, LIMIT, METHOD, Facts, Sentence, said


def _composite(facts: Facts) -> str:
    (first, ours), (second, theirs) = facts["groups"]
    folds = facts["folds"]
    how = "leave-one-out cross-validation" if folds is None else f"{folds} stratified folds"
    return (
        f"Composite of {numbers.counted(facts['columns'], 'column')}: {one_line(first, 40)} (n = {ours}) versus "
        f"{one_line(second, 40)} (n = {theirs}), {how}. Intervals resample systems within groups without refitting."
    )


def _no_composite(facts: Facts) -> str:
    groups = listed((f"{one_line(name, 40)} ({n})" for name, n in facts["groups"]), 6, 60) or "none"
    return f"No composite: it needs two groups of at least {facts['least']} systems; groups here: {groups}."


def _pairs_significant(facts: Facts) -> str:
    groups, n = facts["groups"], facts["pairs"]
    pair = "pair" if n == 1 else "pairs"
    if groups == (None, None):
        where = f"{'ordered ' if facts['ordered'] else ''}{pair} of systems"
    else:
        where = f"{' × '.join(one_line(group, 40) for group in groups)} {pair}"
    over = f"{facts['columns']} metrics{' and criteria' if facts['people'] else ''} × " if facts["columns"] > 1 else ""
    correction = names.CORRECTIONS.get(facts["correction"])
    after = "without correction" if correction is None else f"after {correction} correction"
    cutoffs = dict.fromkeys(cutoff for _, cutoff, _ in facts["found"])
    counts = [
        f"{f'{cutoff}: ' if len(cutoffs) > 1 else ''}"
        + ", ".join(f"{test} {count:,}" for test, by, count in facts["found"] if by == cutoff)
        for cutoff in cutoffs
    ]
    return f"Of {over}{n:,} {where}, so many differ significantly ({after}): {'; '.join(counts)}."


def _not_tested(facts: Facts) -> str:
    pairs = listed([f"{one_line(a, 40)} and {one_line(b, 40)}" for a, b in facts["pairs"]], 4, 85)
    return said("Not tested, fewer than 2 common inputs: {pairs} ({metric:list}).", {**facts, "pairs": pairs})


def _damage_incomplete(facts: Facts) -> str:
    # Rounded down: "100%" would say that all were changed.
    changed = [f"{one_line(kind, 40)}@{rate:g} {math.floor(100 * share)}%" for kind, rate, share in facts["changed"]]
    return f"Some outputs contain nothing that can be damaged. Share of outputs changed: {', '.join(changed)}."


def _untestable(facts: Facts) -> str:
    least, most = facts["least"], facts["most"]
    many = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return (
        f"For each metric, {many} systems are not significantly better than any other and cannot fall below one; "
        "they are excluded from the share."
    )


def _inputs_differ(facts: Facts) -> str:
    text = said("Inputs differ significantly in difficulty for {n:,} of {columns:count column}", facts)
    others = f"; not significant: {listed(facts['others'], 6)}" if facts["others"] else ""
    return f"{text} (Kruskal-Wallis, α = {facts['alpha']:g}){others}."


_EXCLUDED = {"gaps": "some systems have no score", "constant": "scores do not vary"}


SENTENCES = {
    # what is studied
    "references-excluded": Sentence(
        DATA,
        "{n:count human-written reference} that {n:plural was|were} scored as systems {n:plural is|are} excluded.",
    ),
    "columns-without-scores": Sentence(
        DATA, "Excluded, because they have no scores for these systems: {columns:list}."
    ),
    "systems-without-scores": Sentence(
        DATA, "{column:list}: no score for {systems:len system}, excluded: {systems:list}.", ("column",)
    ),
    "cells-missing": Sentence(
        DATA, "{column:list}: {n:,} of {cells:,} cells missing{column:several  in each}.", ("column",)
    ),
    "annotation-simulated": Sentence(
        CAVEAT,
        lambda facts: said(
            "Simulation: {n:,} of {inputs:,} inputs ("
            + ("chosen by name" if facts["seed"] is None else "drawn at random with seed {seed}")
            + ") are treated as annotated; human scores of the other inputs are not used.",
            facts,
        ),
    ),
    # normality, stability, precision
    "normality-reading": Sentence(
        METHOD,
        "A small p, or a large percentage of rejections, is evidence against methods that assume normality (fisher, "
        "williams). With few systems, a large p is not evidence for them.",
    ),
    "stability-optimistic": Sentence(
        LIMIT,
        "Both samples are drawn from the inputs at hand, on which systems also differ by chance, so correlations are "
        "slightly too high.",
    ),
    "stable-not-valid": Sentence(CAVEAT, "A stable ranking is not necessarily the human ranking."),
    "sizes-exceed-inputs": Sentence(
        LIMIT, "Sample sizes end at the number of inputs that a column has: {columns:list}."
    ),
    "single-input": Sentence(
        CAVEAT, "With a single input both samples are identical, and the correlation means nothing: {columns:list}."
    ),
    "samples-undefined": Sentence(
        LIMIT,
        "Up to {n:,} of {draws:,} pairs of samples are undefined (all systems tied, or fewer than two) and excluded: "
        "{columns:list}.",
    ),
    "variance-change": Sentence(
        ANSWER,
        "With all inputs instead of the annotated ones, the variance of system scores changes by {change:change} "
        "{metrics:plural for the one metric|on average over # metrics}.",
    ),
    "no-further-inputs": Sentence(
        LIMIT, "No metric has inputs beyond the annotated ones, so there is one interval per system."
    ),
    "intervals-of-systems": Sentence(
        METHOD,
        "Intervals generalise to new inputs from the same population, for each system by itself. Systems whose "
        "intervals overlap may still differ significantly, since they share inputs.",
    ),
    "resamples-without-score": Sentence(
        LIMIT, "Up to {n:,} of {resamples:,} resamples contained no score of a system and are excluded."
    ),
    # difficulty
    "inputs-differ": Sentence(ANSWER, _inputs_differ),
    "difficulty-undefined": Sentence(
        LIMIT, "The test is undefined, because scores are constant or all on one input: {columns:list}."
    ),
    "interval-overlap-approximate": Sentence(
        LIMIT,
        "Inputs have unequal numbers of scores, so overlap of intervals shows only approximately which inputs differ; "
        "the counts are exact. For one metric, at most {n:,} of {pairs:count pair} of inputs look different.",
    ),
    "difficulty-confounded": Sentence(
        CAVEAT,
        "The tests assume that scores within an input are independent. Not all inputs have scores of the same systems "
        "({columns:list}), so inputs may differ because of their systems instead of their difficulty.",
    ),
    "difficulty-conservative": Sentence(
        METHOD,
        "The tests assume that scores within an input are independent. All inputs have the same systems, whose "
        "differences count as noise here, so the tests are conservative.",
    ),
    # profile
    "systems-without-any-score": Sentence(DATA, "Excluded, because they have no scores at all: {systems:list}."),
    "columns-excluded": Sentence(
        DATA, lambda facts: said(f"Excluded, because {_EXCLUDED[facts['reason']]}: {{columns:list}}.", facts)
    ),
    "means-over-own-inputs": Sentence(
        DATA, "Systems have scores on different inputs; each mean is over the inputs that the system has."
    ),
    "no-composite": Sentence(LIMIT, _no_composite),
    "systems-without-group": Sentence(DATA, "In neither group, and not in the composite: {systems:list}."),
    "composite": Sentence(METHOD, _composite),
    "folds-for-speed": Sentence(METHOD, "Folds are used because there are more than {pairs:,} pairs to leave out."),
    "no-error-seen": Sentence(
        CAVEAT,
        "An interval that is 1 throughout means that no system was misclassified. With n = {n:,} in the smaller group, "
        "an error rate of up to {rate:percent} is compatible with that ({confidence:percent} confidence).",
    ),
    "weights-not-importance": Sentence(
        METHOD,
        "Weights of correlated metrics are not unique: use them to compute the composite, not as the importance of "
        "each metric.",
    ),
    # decisions, systems
    "pairs-excluded": Sentence(LIMIT, "Pairs of systems with fewer than 2 common inputs are excluded: {metrics:list}."),
    "precision-recall-undefined": Sentence(
        LIMIT, "Precision or recall is undefined where there is no significant difference."
    ),
    "unpaired-t-loses-power": Sentence(
        CAVEAT, "unpaired-t ignores that both systems have the same inputs, which costs power; prefer a paired test."
    ),
    "agreement-counts-neither": Sentence(
        METHOD,
        "Agreement includes pairs in which neither the metric nor people find a significant difference, which few "
        "inputs alone can cause; see also precision, recall and kappa.",
    ),
    "pairs-significant": Sentence(ANSWER, _pairs_significant),
    "unpaired-t-for-comparison": Sentence(
        CAVEAT,
        "unpaired-t is shown for comparison only. It assumes independent samples, but both systems have the same "
        "inputs: variance due to inputs, which cancels in paired differences, hides what paired tests find.",
    ),
    "mc-makes-t-equal": Sentence(
        METHOD,
        "With mc, unpaired-t and paired-t have the same p-values, since swaps change only the mean difference and both "
        "statistics increase with it.",
    ),
    "pairs-on-common-inputs": Sentence(
        DATA, "Scores are missing; each pair of systems is compared on the inputs that both have."
    ),
    "pairs-not-tested": Sentence(LIMIT, _not_tested, ("metric",)),
    "pairs-never-differ": Sentence(
        LIMIT,
        "{n:count test} {n:plural is|are} undefined because the two systems never differ; counted as not significant.",
    ),
    "draws-without-difference": Sentence(
        LIMIT, "Up to {n:,} of {resamples:,} drawn data sets of a test contained no difference and are excluded."
    ),
    "resamples-below-correction": Sentence(
        CAVEAT,
        "With {n:,} resamples p is at least 1/({n:,} + 1), which cannot be significant after {correction} correction "
        "over {pairs:count pair}; use at least {least:,} resamples.",
    ),
    "both-orders": Sentence(METHOD, "Each pair is tested in both orders, A against B and B against A."),
    # downgrade
    "damage-incomplete": Sentence(LIMIT, _damage_incomplete),
    "systems-untestable": Sentence(LIMIT, _untestable),
    "inputs-scored-partly": Sentence(LIMIT, "Not all inputs were scored before and after the damage: {systems:list}."),
    "inputs-never-scored": Sentence(LIMIT, "No input was scored both before and after the damage: {systems:list}."),
    "downgrade-reading": Sentence(
        METHOD,
        "Not noticed means that the damage changes a score by less than the differences between systems; a metric of "
        "this criterion should notice. It may also notice for another reason, such as words that no longer match.",
    ),
    # data sets, published numbers
    "dataset-absent": Sentence(HINT, "{dataset}: {why}"),
    "numbers-within": Sentence(
        ANSWER,
        "{within:,} of {checked:,} numbers that can be checked are within their tolerance; {unchecked:,} of {n:,} "
        "cannot be checked here.",
    ),
    "numbers-unchecked": Sentence(ANSWER, "None of the {n:,} numbers can be checked here."),
    "reproduction-reading": Sentence(
        METHOD,
        "Agreement means the same number on the same data, not that a method is right. A number outside its tolerance "
        "is a result, not an error.",
    ),
    "paper-remark": Sentence(DATA, "{paper}: {remark}"),
    "paper-cited": Sentence(HINT, "{paper}: {citation}."),
}
"""A sentence for every code."""
