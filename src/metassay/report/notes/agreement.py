"""Sentences of studies of agreement with people, of simulations and of plans."""

from __future__ import annotations

from metassay.errors import listed, one_line
from metassay.report import numbers
from metassay.report.notes.wording import ANSWER, CAVEAT, DATA, HINT, LIMIT, METHOD, Facts, Sentence, said

_NAMES = ("metric", "statistic", "human")
_WHERE = "{human:list}, {level} level, {statistic:list}: "

_UNPAIRED = {
    "interval": "intervals draw the inputs of metrics and those of people separately",
    "correlations": "correlations use different inputs for metrics and for people",
    "draws": "resamples draw the inputs of metrics and those of people separately",
    "swaps": "scores are exchanged on all inputs that both metrics have",
}
_GENERALISES = {
    "both": "Conclusions ({method}) generalise to new systems and new inputs from the same populations.",
    "systems": "Conclusions ({method}) generalise to new systems from the same population, on these inputs only.",
    "inputs": "Conclusions ({method}) generalise to new inputs from the same population, for these systems only.",
    "cells": "{method} exchanges single cells: conclusions generalise to new systems only if no metric is biased "
    "towards some systems beyond the noise of cells.",
    "sample": "{method} assumes a normal sample of what is correlated (systems; inputs within systems; all cells at "
    "global level) and treats everything else as fixed.",
}
_RESAMPLED = {
    "points": ("outputs", "new outputs, assuming that no two outputs share a system or an input"),
    "inputs": ("inputs", "new inputs for the same systems"),
    "systems": ("systems", "new systems on the same inputs"),
    "both": ("systems and inputs", "new systems and new inputs"),
}
_AXES = {"systems": "systems", "inputs": "inputs", "both": "systems and inputs"}


def _unpaired(facts: Facts) -> str:
    text = said("{human:list}: people judged {n:,} of {inputs:,} inputs. ", facts)
    others = "; other levels use judged inputs only" if facts["others"] else ""
    return f"{text}System means of metrics use every input that a metric has, so {_UNPAIRED[facts['how']]}{others}."


def _false_positives(facts: Facts) -> str:
    rates = ", ".join(
        f"{numbers.percent(rate)} at {level} level ({n} of {pairs} pairs of metrics)"
        for level, rate, n, pairs in facts["rates"]
    )
    return (
        "Metrics are biased towards some systems beyond the noise of single cells. For new systems, the "
        f"false-positive rate of {facts['method']} is about {rates} instead of {100 * facts['alpha']:g}%; that of "
        "two-way is not inflated."
    )


def _world(facts: Facts) -> str:
    shares = "; ".join(
        f"{one_line(name, 60)} {numbers.percent(systems)} and {numbers.percent(inputs)}"
        for name, systems, inputs in facts["shares"]
    )
    first, second = facts["bias"]
    return (
        f"Share of score variance due to systems and to inputs: {shares}. Metric-specific system bias, in SDs of what "
        f"the metric shares with people: {first:.1f} and {second:.1f}."
    )


def _pairs(facts: Facts) -> str:
    return listed([f"{one_line(a, 60)} and {one_line(b, 60)}" for a, b in facts["pair"]], 4, 125)


def _of_pairs(template: str) -> Sentence:
    """Return a sentence about metrics and criteria, which share a line."""
    return Sentence(LIMIT, lambda facts: f"{said(template, facts)}: {_pairs(facts)}.", ("pair",))


def _buckets(facts: Facts) -> str:
    n = facts["n"]
    what = "a single bucket, so it is not held fixed" if n < 2 else f"{n} buckets"
    return f"{one_line(facts['anchor'], 60)} falls into {what}; give edges that suit its scale (edges, --edges)."


def _place(place: tuple[str, float, float]) -> str:
    kind, low, high = place
    if kind != "share":
        return f"differences from {low:g} to {high:g}"
    return f"closest {100 * high:g}%" + (f" without the closest {100 * low:g}%" if low else "")


def _at_place(template: str) -> Sentence:
    def text(facts: Facts) -> str:
        return said(f"{{human:list}}, {_place(facts['place'])}: {template} ({{metric:list}}).", facts)

    return Sentence(LIMIT, text, ("metric", "human"))


def _gap_resamples(facts: Facts) -> str:
    return said(
        "Resamples without an untied pair within the bounds are excluded from the interval: at most {n:,} of "
        f"{{resamples:,}} ({{metric:name}}, {_place(facts['place'])}), in {{affected:,}} of {{rows:,}} rows.",
        facts,
    )


def _widths(facts: Facts) -> str:
    changes = ", ".join(f"{numbers.change(change)} ({interval})" for interval, change in facts["changes"])
    over = "for the one metric" if facts["metrics"] == 1 else f"on average over {facts['metrics']} metrics"
    return said(f"{{human:name}}, {{statistic}}: with all inputs, interval widths change by {changes}, {over}.", facts)


# -- plans --------------------------------------------------------------------------------------


def _plan(facts: Facts) -> str:
    power = facts["power"] is not None
    size = f"{facts['systems']} systems × {facts['inputs']:.0f} inputs"
    size += f" × {facts['annotators']:.3g} annotators" if facts["annotators"] is not None else ""
    if power:
        now = said("{metric:name} against {metric_b:name}, {human:name}: with ", facts) + size
        now += said(" the power to detect a difference of {difference:.2g} is {power:percent}", facts)
        goal = said("a power of {target:percent}", facts)
    else:
        now = said("{metric:name}, {human:name}: with ", facts) + size
        now += said(" the interval is about {width:.2f} wide", facts)
        goal = said("a width of {target:g}", facts)
    parts = [*_needed(facts, now, goal, power=power), _next(facts, power=power)]
    if facts["ceiling"] is not None:
        parts.append(
            said(
                "Ceiling for a metric that reproduced the mean of all annotators: {ceiling:.2f} ({statistic}, "
                "{level} level).",
                facts,
            )
        )
    return " ".join(parts)


def _needed(facts: Facts, now: str, goal: str, *, power: bool) -> list[str]:
    if facts["reached"]:
        fewer = [_many(needed, axis) for axis, had, needed in facts["needed"] if needed < had]
        return [f"{now}; {goal} is reached already{f', and about {_or(fewer)} would suffice' if fewer else ''}."]
    enough = [_many(needed, axis) for axis, _, needed in facts["needed"]]
    parts = [f"{now}.", *([f"{goal.capitalize()} needs about {_or(enough)}."] if enough else [])]
    limit = numbers.percent if power else lambda width: f"{width:.2f}"
    never = [f"{axis} (limit {limit(end)})" for axis, _, end in facts["limits"] if end is not None]
    if never:
        parts.append(f"No number of {_or(never)} is enough.")
    few = [_many(most, axis) for axis, most, end in facts["limits"] if end is None]
    return parts + ([f"Even {_or(few)} are not enough for {goal}."] if few else [])


def _next(facts: Facts, *, power: bool) -> str:
    gains = facts["gains"]
    best, most = (max if power else min)(gains, key=lambda each: each[1])
    unit = "annotations" if facts["annotators"] is not None else "judged outputs"
    if _gain(most, power=power).startswith("0.0"):
        return f"The next {facts['next']:,} {unit} would make no visible difference."
    others = ", ".join(f"{_gain(each, power=power)} as {axis}" for axis, each in gains if axis != best)
    what, gain = "power" if power else "interval width", _gain(most, power=power)
    return f"The next {facts['next']:,} {unit} help most as {best}: change in {what} {gain} ({others})."


def _gain(gain: float, *, power: bool) -> str:
    text = f"{100 * gain:+.1f}"
    text = "0.0" if float(text) == 0 else text
    return f"{text} points" if power else f"{text}%"


def _many(n: int, axis: str) -> str:
    return f"{n:,} {axis.removesuffix('s') if n == 1 else axis}"


def _or(parts: list[str]) -> str:
    return " or ".join(parts)


def _annotators(facts: Facts) -> str:
    n = facts["annotators"]
    why = {0: "annotators are not identified", 1: "there is one annotator only"}
    reason = why.get(n, "no two annotators rated the same output")
    return (
        f"{said('{human:list}', facts)}: {reason}, so nothing can be said about more annotators or about agreement "
        "between people; costs count judged outputs."
    )


SENTENCES = {
    "few-systems": Sentence(
        CAVEAT,
        "There are only {n:count system}: correlations between so few are imprecise.",
    ),
    "few-inputs": Sentence(
        CAVEAT, "There are only {n:count input}: means over so few depend strongly on the choice of inputs."
    ),
    "inputs-unpaired": Sentence(DATA, _unpaired, ("human",)),
    "inputs-judged-only": Sentence(
        DATA, "{human:list}: people judged {n:,} of {inputs:,} inputs, and only these are used.", ("human",)
    ),
    # agree, compare
    "two-way-draws": Sentence(
        METHOD,
        "Two-way intervals estimate variances from {draws:,} resamples instead of {asked:,}; more would not make them "
        "more precise.",
    ),
    "misranked-without-interval": Sentence(
        HINT,
        "Some pairs of systems are tied, so the share ranked wrongly has an interval only with a bootstrap (boot-…).",
    ),
    "method-on-averages": Sentence(
        CAVEAT,
        lambda facts: (
            {"fisher": "Fisher's interval", "williams": "Williams' test"}[facts["method"]]
            + " is applied to averages of correlations, for which it was not derived."
        ),
    ),
    "resamples-few": Sentence(
        CAVEAT, "Intervals from {n:count resample} are imprecise; use at least {least:,}, better thousands."
    ),
    "agreement-undefined": Sentence(
        LIMIT,
        _WHERE + "the correlation is undefined, because scores are constant or fewer than two are shared "
        "({metric:list}).",
        _NAMES,
    ),
    "units-undefined": Sentence(
        LIMIT,
        lambda facts: said(
            _WHERE
            + "{n:most} of {units:,} "
            + ("inputs" if facts["level"] == "input" else "systems")
            + " are undefined (constant scores, or fewer than two) and excluded from the mean ({metric:list}).",
            facts,
        ),
        _NAMES,
        "n",
    ),
    "resamples-undefined": Sentence(
        LIMIT, _WHERE + "{n:most} of {resamples:,} resamples are undefined and excluded ({metric:list}).", _NAMES, "n"
    ),
    "metrics-on-common-cells": Sentence(DATA, "Two metrics are compared on the cells that both scored."),
    "tests-undefined": Sentence(
        LIMIT,
        "Tests are undefined where a correlation is undefined (constant scores, or fewer than two): {metrics:list}.",
    ),
    "test-resamples-undefined": Sentence(
        LIMIT, "Up to {n:,} of {resamples:,} resamples of a test are undefined and excluded."
    ),
    "p-never-small": Sentence(
        CAVEAT,
        "The smallest p-value that {method} can give here is {smallest:.2g}, which is larger than α = {alpha:g}: no "
        "difference can be significant.",
    ),
    "method-inapplicable": Sentence(LIMIT, "{method} is not available for {statistic:list}: {reason}.", ("statistic",)),
    "false-positives": Sentence(CAVEAT, _false_positives),
    "generalises": Sentence(METHOD, lambda facts: said(_GENERALISES[facts["to"]], facts)),
    # criteria
    "buckets-unsuitable": Sentence(CAVEAT, _buckets),
    "correlation-undefined": _of_pairs("Undefined, because scores are constant or fewer than two are shared"),
    "partial-undefined": _of_pairs("Undefined with {anchor:name} held fixed ({method})"),
    "buckets-undefined": _of_pairs(
        "{n:count bucket} of {anchor:name} {n:plural has|have} an undefined correlation and {n:plural is|are} excluded"
    ),
    "resamples-often-undefined": _of_pairs("At least 1% of the resamples are undefined and excluded"),
    "anchor-measured-with-error": Sentence(
        CAVEAT,
        "A criterion is held fixed only as well as people measured it: with coarse buckets or noisy judgments some of "
        "its influence remains, so a correlation that remains is not necessarily the metric's own.",
    ),
    # pairs of systems by score difference
    "pairs-dependent": Sentence(
        METHOD,
        lambda facts: (
            f"Pairs share systems and are not independent; intervals resample {_AXES[facts['drawn']]}, with the bounds "
            "fixed in score units."
        ),
    ),
    "gap-never-enough": Sentence(
        LIMIT,
        "{human:list}: no score difference reaches the wanted probabilities, because the fitted curve does not rise "
        "({metric:list}).",
        ("metric", "human"),
    ),
    "curve-undefined": Sentence(
        LIMIT, "{human:list}: there is no curve, because every pair is tied ({metric:list}).", ("metric", "human")
    ),
    "gap-without-pairs": _at_place("no pair of systems, so the correlation is undefined"),
    "gap-all-tied": _at_place("undefined, because all pairs are tied in the metric, or all by people"),
    "gap-resamples-undefined": Sentence(LIMIT, _gap_resamples),
    # widths
    "width-change": Sentence(ANSWER, _widths),
    "width-also-by-estimate": Sentence(
        METHOD,
        "With other inputs the correlation itself changes, and the width with it: the change for boot-systems, which "
        "keeps all inputs, is due to that alone.",
    ),
    "width-loses-pairing": Sentence(
        METHOD,
        "Inputs drawn separately lose the covariance of metric and people on the same input, which a few more inputs "
        "may not make up for.",
    ),
    "metrics-without-further-inputs": Sentence(
        DATA,
        "{n:count metric} {n:plural has|have} no input beyond the judged ones for some criterion; excluded from the "
        "mean changes.",
    ),
    "interval-resamples-undefined": Sentence(
        LIMIT, "Up to {n:,} of {resamples:,} resamples of an interval are undefined and excluded."
    ),
    # survive
    "survival-generalises": Sentence(
        METHOD,
        lambda facts: "Resampling {}: conclusions generalise to {}.".format(*_RESAMPLED[facts["resample"]]),
    ),
    "not-equivalent-not-different": Sentence(
        CAVEAT, "Not equivalent does not mean different: the data may be too few to decide."
    ),
    "anderson-hauck-excluded": Sentence(
        METHOD, "Anderson-Hauck is a test of single correlations and is not available at {level} level."
    ),
    "anderson-hauck-for-correlations": Sentence(
        METHOD, "Anderson-Hauck is a test of correlations and is not available for {statistics:list}."
    ),
    "anderson-hauck-approximate": Sentence(
        CAVEAT,
        "Anderson-Hauck uses the standard error of Pearson's correlation of independent points; for rank coefficients, "
        "and for outputs that share inputs or systems, it is an approximation.",
    ),
    "anderson-hauck-few-data": Sentence(
        CAVEAT,
        "Anderson-Hauck can find two correlations equivalent that are equal by chance, however few the data; rely on "
        "it where TOST agrees.",
    ),
    "margins-unknown": Sentence(
        LIMIT, "Margins from annotators need the judgments of at least two annotators; unknown: {criteria:list}."
    ),
    "margins-estimated": Sentence(
        METHOD, "Margins from annotators are estimates from few people; the tests treat them as fixed."
    ),
    "margins-circular": Sentence(
        CAVEAT,
        "Between annotators, the margins sd and range are computed from the same differences that are tested, which "
        "favours equivalence; use the constant margin.",
    ),
    "resamples-below-alpha": Sentence(
        CAVEAT,
        "With {n:count resample} no p-value can be as small as α = {alpha:g}; use at least {least:,}.",
    ),
    "survival-resamples-undefined": Sentence(
        LIMIT, "Up to {n:,} of {resamples:,} resamples are undefined and excluded ({metrics:list})."
    ),
    "survival-undefined": Sentence(LIMIT, "Undefined, because scores are constant or too few: {metrics:list}."),
    "fewer-resamples": Sentence(
        METHOD, "Intervals of a metric with itself, and with references resampled, use {n:,} resamples."
    ),
    "judged-only": Sentence(
        DATA, "Only the {systems:count system} and {inputs:count input} that people judged are used."
    ),
    "levels-missing": Sentence(DATA, "Not scored at every {by:name}, and excluded where missing: {columns:list}."),
    "level-unlabelled": Sentence(
        DATA, "Scores without a label are treated as a {by:name} of their own, '{label}': {columns:list}."
    ),
    "cells-not-at-every-level": Sentence(
        DATA,
        "{n:count score} {n:plural is|are} excluded because the same cell has no score at another {by:name}.",
    ),
    # simulations
    "trials-undefined": Sentence(
        LIMIT,
        "{n:,} of {trials:,} trials {n:plural is|are} undefined (constant scores, or too few) and excluded: "
        "{metric:list}.",
        ("metric",),
    ),
    "coverage-of-a-half": Sentence(
        METHOD,
        "The other half of the data is a sample, too: an interval with correct coverage of the true correlation covers "
        "that of a half less often.",
    ),
    "world-fitted": Sentence(DATA, _world),
    "worlds-drawn": Sentence(
        METHOD, "Every data set has new systems and new inputs; alternative hypothesis: the first metric is better."
    ),
    "level-exceeded": Sentence(ANSWER, "False-positive rate above α = {alpha:g} in some world: {tests:list}."),
    "data-sets-undefined": Sentence(
        LIMIT, "Up to {n:count data set} {n:plural is|are} undefined for a test (constant scores) and excluded."
    ),
    "power-without-agreement": Sentence(
        CAVEAT, "No positive correlation with people to begin with, so damage need not reduce it: {metrics:list}."
    ),
    "test-trials-undefined": Sentence(
        LIMIT, "Up to {n:count trial} of a test {n:plural is|are} undefined (constant scores, or too few) and excluded."
    ),
    "power-needs-level": Sentence(
        CAVEAT,
        "Power is comparable only between tests that keep their false-positive rate; tests generalise to different "
        "populations.",
    ),
    "perm-both-rejects-easily": Sentence(
        CAVEAT,
        "The false-positive rate of perm-both for new systems is too high if metrics are biased towards some systems.",
    ),
    # plans
    "plan": Sentence(ANSWER, _plan),
    "annotators-unknown": Sentence(LIMIT, _annotators, ("human",)),
    "annotators-not-crossed": Sentence(
        LIMIT,
        "{human:list}: few outputs were rated by all {annotators:,} annotators, so all their disagreement counts as "
        "noise of single outputs ({ratings:.1f} ratings each).",
        ("human",),
    ),
    "plan-gaps": Sentence(
        CAVEAT,
        "{metric:list}, {human:list}: {share:percent} of the outputs have no score; plans and costs assume complete "
        "tables, so the data give less than their row says.",
        ("metric", "human"),
    ),
    "plan-width-off": Sentence(
        CAVEAT,
        "{metric:name}, {human:name}: the {interval} interval of the data is {data:.2f} wide, that of the fitted world "
        "{world:.2f}. Systems are few or not normal, so these widths are rough.",
    ),
    "difference-by-noise": Sentence(
        METHOD, "The difference was created by adding noise to one of two otherwise equal metrics."
    ),
    "plan-extrapolates": Sentence(
        CAVEAT,
        "Numbers beyond the data extrapolate from a world with normal effects fitted to {systems:count system}; low "
        "and high give the simulation error, not the error of the fit.",
    ),
    "plan-power-ideal": Sentence(
        METHOD,
        "Power is that of a one-sided test with an exact false-positive rate, which real tests only approximate.",
    ),
}
"""A sentence for every code."""
