"""One small result of every study, made once for all tests of charts, and any study on names of one's own."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import metassay as ma

LONG = tuple(f"a-metric-with-quite-a-long-name-number-{at:02}" for at in range(34))
FOUR = ("coherence", "consistency", "fluency", "relevance")
NASTY = (
    *("$x_1$", r"back\slash \"quote\"", "two\nlines", "<img src=x onerror=alert(1)>", "x" * 300, "图表"),
    *("🙂", "\u202eabc\u202c", "constructor", "datum.label"),
)


def scores(metrics=("one", "two", "flat"), people=("coherence", "relevance"), n=8, m=12, systems=None):
    """Return two annotators' grades, and metrics that become noisier, of which one may be constant."""
    random = np.random.default_rng(0)
    quality = random.normal(size=(n, m)) + random.normal(size=(n, 1))
    grades = {c: np.clip(np.round(3 + quality + random.normal(size=(2, n, m))), 1, 5) for c in people}
    values = {
        name: np.ones((n, m)) if name == "flat" else quality + random.normal(size=(n, m)) * (at + 1) / 3
        for at, name in enumerate(metrics)
    }
    labels = systems or [f"s{at}" for at in range(n)]
    groups = {label: "people" if at < 3 else "machines" for at, label in enumerate(labels)}
    return ma.Scores.from_arrays(values, grades, systems=labels, groups=groups)


def damaged(metrics, people, kinds=("shuffle", "drop-words"), rates=(0.25, 0.5, 1.0)):
    before = scores(metrics, people)
    after = [
        ma.Damaged(
            ma.Scores.from_arrays(
                {name: before.matrix(name) - rate * (at + 1) for name in metrics}, systems=before.systems
            ),
            *(kind, "coherence", rate),
        )
        for at, kind in enumerate(kinds)
        for rate in rates
    ]
    return ma.downgrade(before, after)


def translated(metrics, people, levels=("de", "de-back", "es", "es-back")):
    first = scores(metrics, people)
    random = np.random.default_rng(1)
    parts = {"en": first}
    for level in levels:
        again = {n: first.matrix(n) + random.normal(size=first.shape) / 9 * (n != "flat") for n in metrics}
        parts[level] = ma.Scores.from_arrays(again, systems=first.systems)
    return ma.survive(parts, resamples=24, resample="points")


def judged(metrics, people):
    """Return the card of judges that give scores, against people who say yes or no."""
    base = scores(metrics, people)
    said = {name: (base[name].values >= 3).astype(float) for name in people}
    return ma.judge(ma.Scores.from_arrays({n: base.matrix(n) for n in metrics}, said, systems=base.systems))


def voted(metrics, people):
    """Return a ranking of systems that are called like the metrics, by people and by a judge in each order."""
    random = np.random.default_rng(0)
    pairs = [(i, j) for i in range(len(metrics)) for j in range(len(metrics)) if i != j] * 3
    won = ["a" if random.random() < 1 / (1 + np.exp((i - j) / 3)) else "b" for i, j in pairs]
    sides = [[metrics[pair[side]] for pair in pairs] for side in (0, 1)]
    raters = [people[at % len(people)] for at in range(len(pairs))]
    votes = ma.Votes.from_arrays(*sides, won, inputs=[str(at % 40) for at in range(len(pairs))], raters=raters)
    return ma.rank(votes, human=people[:1], resamples=20)


def verdicts(metrics, people):
    """Return judges that are called like the metrics, in both orders, against people."""
    random = np.random.default_rng(0)
    raters = [*people, *metrics, *metrics]
    first = [*[-1] * len(people), *[0] * len(metrics), *[1] * len(metrics)]
    won = random.choice(["a", "b", "tie"], (30, len(raters)), p=(0.6, 0.3, 0.1)).ravel()
    inputs = np.repeat(np.arange(30).astype(str), len(raters))
    sides = ["x"] * len(won), ["y"] * len(won)
    return ma.judge_votes(
        ma.Votes.from_arrays(*sides, won, inputs=inputs, raters=raters * 30, first=first * 30, human=people)
    )


def study(name, metrics=("one", "two", "flat"), people=("coherence", "relevance")):
    """Return the result of a study, by its cheapest methods."""
    if name in ("simulate-size", "plan"):  # no world can be fitted to what does not vary
        metrics = tuple(metric for metric in metrics if metric != "flat")
    data = scores(metrics, people)
    few = {"resamples": 20}
    return {
        "agree": lambda: ma.agree(data, interval="boot-both", **few),
        "compare": lambda: ma.compare(
            data, test="williams", statistic="pearson", level="system", correction="bonferroni", scope="row"
        ),
        "bias": lambda: ma.bias(data, style=metrics[:1], hold="difference"),
        "decisions": lambda: ma.decisions(data, **few),
        "difficulty": lambda: ma.difficulty(data),
        "drift": lambda: ma.drift(data),
        "estimate": lambda: ma.estimate(data, annotated=5),
        "leaderboard": lambda: ma.leaderboard(data, statistic="pearson@system,kendall@input"),
        "judge": lambda: judged(metrics, people),
        "normality": lambda: ma.normality(data),
        "pairs": lambda: ma.pairs(data, triangle=True, **few),
        "rank": lambda: voted(metrics, people),
        "judge-votes": lambda: verdicts(metrics, people),
        "precision": lambda: ma.precision(data, annotated=5, **few),
        "profile": lambda: ma.profile(data, **few),
        "stability": lambda: ma.stability(data, draws=10, sizes=[2, 4, 6]),
        "systems": lambda: ma.systems(data, correction="holm", test="paired-t,wilcoxon"),
        "widths": lambda: ma.widths(data, annotated=5, **few),
        "criteria": lambda: ma.criteria(data, **few),
        "downgrade": lambda: damaged(metrics, people),
        "survive": lambda: translated(metrics, people),
        "simulate-coverage": lambda: ma.simulate_coverage(data, trials=6, resamples=10),
        "simulate-power": lambda: ma.simulate_power(data, trials=6, resamples=10, noise=[0.5, 2]),
        "simulate-size": lambda: ma.simulate_size(data, test="williams,two-way,perm-both", trials=6, resamples=19),
        "reliability": lambda: ma.reliability(data, **few),
        "composite": lambda: ma.composite(data, level="input", folds=3, **few),
        "differences": lambda: ma.differences(data, **few),
        "plan": lambda: ma.plan(data, trials=50),
        "slices": lambda: ma.agree(data, by="group"),
        "plan-labels": lambda: ma.plan_labels(data, trials=5),
    }[name]()


@cache
def small(name):
    return study(name)


@pytest.fixture
def result():
    """Return a function from the name of a study to its small result."""
    return small
