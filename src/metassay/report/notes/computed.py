"""Sentences whose words depend on more than one fact, or on how many there are."""

from __future__ import annotations

import math
from collections.abc import Callable

from metassay.errors import listed, one_line
from metassay.report import names, numbers
from metassay.report.notes.wording import Facts, Sentence, said

_LACKING = {"references": "without references", "source": "without a source"}
_UNSCORED = {
    "unread": "without a score on the scale",
    "refused": "refusals",
    "empty": "empty",
    "cut": "cut off at max_tokens before a score",
    "rejected": "not given, because the endpoint rejected the text",
}


def _false_positives(facts: Facts) -> str:
    rates = ", ".join(
        f"{numbers.percent(rate)} at {level} level ({n} of {pairs} pairs of metrics)"
        for level, rate, n, pairs in facts["rates"]
    )
    return (
        "Metrics are biased towards some systems beyond the noise of single cells. For new systems, the "
        f"false-positive rate of {facts['method']} is about {rates} instead of {100 * facts['alpha']:g}%. The "
        "jackknife test accounts for such biases."
    )


def _carried(facts: Facts) -> str:
    rows = sorted(facts["rows"], key=lambda row: -abs(row[1] - row[3]))
    each = [
        f"{one_line(metric, 40)} {numbers.correlation(r)}, but {numbers.correlation(without)} without "
        f"{one_line(system, 40)} (Kendall {numbers.correlation(kendall)})"
        for metric, r, system, without, _, kendall in rows
    ]
    return (
        f"{one_line(facts['human'], 60)}, system level: the Pearson correlation of "
        f"{numbers.counted(len(rows), 'metric')} depends on one outlying system: {listed(each, 2, 200)}."
    )


def _differences_needed(facts: Facts) -> str:
    needed = ", ".join(
        f"{numbers.fixed(value, 2)} ({names.coefficient(statistic)}, {level} level)"
        for level, statistic, value in facts["needed"]
        if math.isfinite(value)
    )
    never = [
        f"{names.coefficient(which)}, {level} level" for level, which, value in facts["needed"] if value == math.inf
    ]
    corrected = f", corrected for {facts['tests']:,} tests" if facts["tests"] > 1 else ""
    at = f"(α = {facts['alpha']:g}{corrected})"
    parts = []
    if needed:
        parts.append(
            f"Smallest difference between two metrics that these data can show to be significant {at}, median over "
            f"pairs: about {needed}. Smaller differences may be real and remain not significant."
        )
    if never:
        parts.append(
            f"With so few systems no difference can be significant {at} for at least half of the pairs of metrics: "
            f"{listed(never, 4, 60)}."
        )
    return " ".join(parts)


def _bias(facts: Facts) -> str:
    share = facts["unit"] == "share"
    scale, unit, form = (100, " percentage points", numbers.one) if share else (1, " points", numbers.two)
    effect, low, high = (scale * facts[name] for name in ("effect", "low", "high"))
    held = {
        "orders": "in both orders",
        "nothing": "without human judgments to hold fixed",
        "output": "compared with the unchanged output",
    }
    equal = "at equal human judgment" + (f" of {one_line(facts['human'], 60)}" if facts["human"] else "")
    return (
        f"{one_line(facts['metric'], 60)}: an output {one_line(facts['feature'], 80)} "
        f"{'gains' if effect > 0 else 'loses'} {form(abs(effect))}{unit}, "
        f"{held.get(facts['held'], equal)} ({numbers.level(facts['confidence'])} CI "
        f"{form(low)} to {form(high)})."
    )


def _world(facts: Facts) -> str:
    shares = "; ".join(
        f"{one_line(name, 60)} {numbers.percent(systems)} and {numbers.percent(inputs)}"
        for name, systems, inputs in facts["shares"]
    )
    first, second = facts["bias"]
    return (
        f"Share of score variance due to systems and to inputs: {shares}. Metric-specific system bias, in SDs of the "
        f"part that the metric shares with people: {first:.1f} and {second:.1f}."
    )


def _widths(facts: Facts) -> str:
    changes = ", ".join(f"{numbers.change(change)} ({interval})" for interval, change in facts["changes"])
    over = "" if facts["metrics"] == 1 else f", on average over {facts['metrics']} metrics"
    return said(
        f"{{human:name}}, {{statistic:title}}: with all inputs, interval widths change by {changes}{over}.", facts
    )


def _plan(facts: Facts) -> str:
    size = "{systems:count system} × " * bool(facts["systems"]) + "{inputs:count input}"
    size = said(size, {**facts, "inputs": round(facts["inputs"])})
    size += f" × {facts['annotators']:.3g} annotators" if facts["annotators"] is not None else ""
    if facts["power"] is not None:
        who = said("{metric:name} against {metric_b:name}, {human:name}", facts)
        goal = said("a power of {target:percent} to detect a difference of {difference:.2g}", facts)
        return " ".join(_needed(facts, who, goal, f"{size}: {numbers.percent(facts['power'])}", numbers.percent))
    here, new = (None if facts[name] is None else f"{facts[name]:.2f}" for name in ("width_data", "width"))
    # What the data have is one interval; what is planned is the mean over data sets of this size.
    own = f" on average, {here} in these data" if here not in (None, new) else ""
    who, goal = said("{metric:name}, {human:name}", facts), said("a mean interval width of {target:g}", facts)
    return " ".join(_needed(facts, who, goal, f"{size}: {new}{own}", lambda width: f"{width:.2f}"))


def _needed(facts: Facts, who: str, goal: str, now: str, limit: Callable[[float], str]) -> list[str]:
    """Say first what to do, then what would not help."""
    if facts["reached"]:
        less = dict.fromkeys(facts.get("at_most", ()), " (or fewer)")
        fewer = [_many(needed, axis) + less.get(axis, "") for axis, had, needed in facts["needed"] if needed < had]
        more = f"; about {_or(fewer)} would suffice" if fewer else ""
        return [f"{who}: {goal} is already reached (now {now}){more}."]
    enough = [_many(needed, axis) for axis, _, needed in facts["needed"]]
    few = [_many(most, axis) for axis, most, end in facts["limits"] if end is None]
    never = [f"{axis} (limit {limit(end)})" for axis, _, end in facts["limits"] if end is not None]
    said_first = [
        *([f"{goal} needs about {_or(enough)}"] if enough else []),
        *([f"even {_or(few)} are not enough for {goal}"] if few else []),
        *([f"no number of {_or(never)} is enough for {goal}"] if never else []),
    ]
    parts = [f"{who}: {said_first[0]} (now {now})."] if said_first else []
    parts += [f"Even {_or(few)} are not enough."] if few and enough else []
    return parts + ([f"No number of {_or(never)} is enough."] if never and (enough or few) else [])


def _next(facts: Facts) -> str:
    text = _gains(facts, facts["axis"], power=facts["power"] is not None)
    if facts["ceiling"] is None:
        return text
    ceiling = (
        "Ceiling for a metric that reproduced the mean of all annotators: {ceiling:.2f} ({statistic:title}, {level} "
        "level)."
    )
    return f"{text} {said(ceiling, facts)}"


def _gains(facts: Facts, best: str, *, power: bool) -> str:
    gains = facts["gains"]
    most = dict(gains)[best]
    unit = "annotations" if facts["annotators"] is not None else "judged outputs"
    if _gain(most, power=power).startswith("0.0"):
        return f"The next {facts['next']:,} {unit} would make no visible difference."
    others = ", ".join(f"{_gain(each, power=power)} as {axis}" for axis, each in gains if axis != best)
    what, gain = "power" if power else "interval width", _gain(most, power=power)
    beside = f" ({others})" if others else ""
    return f"The next {facts['next']:,} {unit} help most as {best}: change in {what} {gain}{beside}."


def _gain(gain: float, *, power: bool) -> str:
    text = f"{100 * gain:+.1f}"
    text = "0.0" if float(text) == 0 else text
    return f"{text} percentage points" if power else f"{text}%"


def _labels_needed(facts: Facts) -> str:
    called = {"accuracy": "accuracy", "kappa": "κ", "mean": "the mean of people"}
    each = [
        f"{needed:,} for {called[what]} (now ± {half:.2g}{'' if alone is None else f'; without the judge {alone:,}'})"
        for what, half, needed, alone in facts["needed"]
    ]
    who = said("{metric:name}, {human:name}: for an interval of", facts)
    return f"{who} ± {facts['target']:g}, labels needed are about {_and(each)}; there are {facts['n']:,}."


def _many(n: int, axis: str) -> str:
    return f"{n:,} {axis.removesuffix('s') if n == 1 else axis}"


def _or(parts: list[str]) -> str:
    return " or ".join(parts)


def _and(parts: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _composite(facts: Facts) -> str:
    (first, ours), (second, theirs) = facts["groups"]
    folds = facts["folds"]
    how = "leave-one-out cross-validation" if folds is None else f"{folds} stratified folds"
    return (
        f"Composite of {numbers.counted(facts['columns'], 'column')}: {one_line(first, 40)} (n = {ours}) versus "
        f"{one_line(second, 40)} (n = {theirs}), {how}. Intervals resample systems within groups without refitting."
    )


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
    return f"Significantly different ({after}) of {over}{n:,} {where}: {'; '.join(counts)}."


def _damage_incomplete(facts: Facts) -> str:
    # Rounded down: "100%" would say that all were changed.
    changed = [f"{one_line(kind, 40)}@{rate:g} {math.floor(100 * share)}%" for kind, rate, share in facts["changed"]]
    return f"Some outputs contain nothing that can be changed. Share of outputs changed: {', '.join(changed)}."


def _untestable(facts: Facts) -> str:
    many = numbers.span((facts["least"], facts["most"])) + (" system is" if facts["most"] == 1 else " systems are")
    return (
        f"For each metric, {many} not significantly better than any other and cannot fall below one; "
        "such systems are excluded from the share."
    )


def _inputs_differ(facts: Facts) -> str:
    text = said("Inputs differ significantly in difficulty for {n:,} of {columns:count column}", facts)
    others = f"; not significant: {listed(facts['others'], 6)}" if facts["others"] else ""
    return f"{text} (Kruskal-Wallis, α = {facts['alpha']:g}){others}."


def _other_levels(facts: Facts) -> str:
    files = ", ".join(f"{n:,} {level}-level" for level, n in facts["levels"])
    return f"{one_line(facts['file'], 60)}: files with scores of other levels are not read: {files}."


def _without_score(facts: Facts) -> str:
    why = ", ".join(f"{n:,} {_LACKING[what]}" for what, n in facts["lacking"])
    return said("{scorer}: {n:,} of {outputs:count output} have no score", facts) + (f" ({why})." if why else ".")


def _usage(facts: Facts) -> str:
    prompt, completion = facts["tokens"]
    text = f"{facts['scorer']}: {numbers.counted(facts['requests'], 'request')}"
    if facts["repeats"]:
        text += f" ({facts['repeats']:,} repeated)"
    text += f", {prompt:,} prompt tokens and {completion:,} completion tokens"
    if facts["cost"] is not None:
        text += said(", cost {cost:,.4f} at {prices[0]:g} and {prices[1]:g} per million", facts)
    if facts["uncounted"]:
        text += f"; {numbers.counted(facts['uncounted'], 'answer')} came without a token count"
    return f"{text}."


def _unscored(facts: Facts) -> str:
    total = sum(n for _, n in facts["reasons"])
    reasons = ", ".join(f"{n:,} {_UNSCORED[why]}" for why, n in facts["reasons"])
    why = f" ({facts['rejection']})" if facts["rejection"] else ""
    return f"{facts['scorer']}: {total:,} of {facts['answers']:,} answers gave no score: {reasons}{why}."


def _unbounded(facts: Facts) -> str:
    said_of = [(facts["always"], "won all its votes", "won all their votes"), (facts["never"], "won none", "won none")]
    who = [f"{listed(names_, 4)} {one if len(names_) == 1 else more}" for names_, one, more in said_of if names_]
    return (
        f"{one_line(facts['metric'], 60)}: {'; '.join(who) or 'some systems always won against the rest'}. Votes "
        f"alone do not bound such strengths; {facts['virtual']:g} virtual votes of each system against an average one "
        "bound them, so the differences shown tend to be too small, and intervals come from the model."
    )


def _gaps(facts: Facts) -> str:
    many, unit, same = facts["pairs"], facts["unit"], facts["same"]
    who = f"According to {one_line(facts['metric'], 60)}, "
    one, other = (one_line(facts[name], 60) for name in ("one", "other"))
    size, low, high = (numbers.two(facts[name]) for name in ("difference", "low", "high"))
    size = f"difference in {'strength' if unit == 'votes' else 'mean score'} {size}"
    ends = f"{numbers.level(facts['confidence'])} CI {low} to {high}"
    power, needed = numbers.percent(facts["power"]), f"about {facts['needed']:,} {unit} (now {facts['n']:,})"
    if not same:
        every = "the 2 systems" if many == 1 else f"all {many:,} pairs of systems"
        return (
            f"{who}{every} differ significantly. The closest are {one} and {other}: {size} ({ends}). To "
            f"detect a difference of this size with a power of {power}, {needed} are needed."
        )
    todo = f"To separate {one} from {other} ({size}, {ends}) with a power of {power}, collect {needed}."
    if many == 1:
        return todo
    verb, each = "does" if len(same) == 1 else "do", said("{same:pairs}", facts)
    return f"{todo} {who}{len(same):,} of {many:,} pairs of systems {verb} not differ significantly: {each}."


SENTENCES = {
    "gaps-between-ranks": Sentence("limit", _gaps),
    "strength-unbounded": Sentence("caveat", _unbounded),
    "bias-found": Sentence.of_numbers("answer", _bias),
    "false-positives": Sentence.of_numbers("caveat", _false_positives),
    "differences-needed": Sentence.of_numbers("limit", _differences_needed),
    "one-system-carries": Sentence.of_numbers("caveat", _carried),
    "width-change": Sentence.of_numbers("answer", _widths),
    "world-fitted": Sentence.of_numbers("data", _world),
    "plan": Sentence("answer", _plan),
    "plan-next": Sentence("answer", _next),
    "labels-needed": Sentence("answer", _labels_needed),
    "files-of-other-levels": Sentence("data", _other_levels),
    "inputs-differ": Sentence("answer", _inputs_differ),
    "composite": Sentence("method", _composite),
    "pairs-significant": Sentence("answer", _pairs_significant),
    "damage-incomplete": Sentence("limit", _damage_incomplete),
    "systems-untestable": Sentence("limit", _untestable),
    "outputs-without-score": Sentence("limit", _without_score),
    "judge-usage": Sentence("answer", _usage),
    "judge-unscored": Sentence("limit", _unscored),
}
