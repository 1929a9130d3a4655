"""Do the tests hold their level, and the intervals their promise? Writes every table of docs/validity.md.

python benchmarks/validity.py                 all tables, about an hour on two cores
python benchmarks/validity.py default-test    only the tables named (an unknown name lists them)
python benchmarks/validity.py --quick         a tenth of the data sets, to try it

Tables stand in the page between "<!-- table: NAME -->" and "<!-- end -->"; those without a place are printed. The
worlds are those of ``validity_worlds.py``, which shares no code with the package; the methods are the package's own
objects, the ones that ``agree`` and ``compare`` use.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import re
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from validity_worlds import (
    BOUNDARY,
    CRITERIA,
    DIFFER,
    EQUAL,
    LABELS,
    MANY,
    NOISE_DIFFERS,
    RATINGS,
    SPREAD,
    VOTES,
    WITHIN,
    CriteriaWorld,
    LabelWorld,
    RatingWorld,
    VoteWorld,
    World,
)

import metassay as ma
from metassay.core.study import read_declaration
from metassay.stats.methods.base import Case, SharedDraws
from metassay.stats.methods.registry import INTERVALS, TESTS
from metassay.stats.statistics.registry import find

DEFAULT_INTERVAL: str = read_declaration("metassay.studies.agree", "agree").options["interval"].default
DEFAULT_TEST: str = read_declaration("metassay.studies.compare", "compare").options["test"].default
PAGE = Path(__file__).parent.parent / "docs" / "validity.md"
RESAMPLES = 299
CELLS = 400_000
"""A batch has about so many scores of a metric."""
SETTINGS = [
    ("system", "pearson"),
    ("system", "spearman"),
    ("system", "kendall"),
    ("input", "pearson"),
    ("input", "spearman"),
    ("input", "kendall"),
    ("global", "pearson"),
    ("global", "spearman"),
    ("global", "kendall"),
]
SOME = (
    "no bias",
    "bias .5",
    "8 systems × 50",
    "16 × 10, noise 3",
    "60 × 50, noise 3",
    "16 × 20, 3 grades",
    "sensitivity .7",
    "interaction 2, 25 × 12",
    "all lognormal",
    "8% outlier systems",
)
"""Worlds in which every method is tried."""
LARGE = 6_000
"""Worlds with more cells are drawn half as often."""
CLOSER = 4
"""Defaults that seem to miss their promise are tried on so many times as many data sets."""
UNLIKE = "lognormal against normal bias, 30 systems"
"""Equally good by Pearson's correlation only."""
SYSTEM_EQUAL = {**EQUAL, **NOISE_DIFFERS}

Batch = tuple[str, str, str, Sequence[str], int, int]
"""Kind, level and statistic, methods, number of data sets, seed."""


def work(world: World, batch: Batch) -> np.ndarray:
    """Return p-values (tests, 3 alternatives, data sets), or ends (intervals, 2, data sets), of some data sets."""
    kind, level, statistic, methods, trials, seed = batch
    x, y, z = world.draw(np.random.default_rng(seed), trials)
    # Only at system level does a case hold many data sets.
    parts = [slice(None)] if level == "system" else [slice(t, t + 1) for t in range(trials)]
    found = []
    for at, part in enumerate(parts):
        metrics = x[part] if kind == "interval" else np.stack([x[part], y[part]], axis=1)
        people = z[part] if level == "system" else z[at]
        case = Case(find(statistic), metrics.reshape(-1, world.systems, world.inputs), people, level)
        found.append((intervals if kind == "interval" else p_values)(case, methods, SharedDraws(RESAMPLES, seed + at)))
    return np.concatenate(found, axis=2)


def intervals(case: Case, methods: Sequence[str], draws: SharedDraws) -> np.ndarray:
    """Return lower and upper ends, (methods, 2, data sets)."""
    found = [INTERVALS[name].compute([case], draws, 0.95)[0] for name in methods]
    return np.array([(each.low, each.high) for each in found])


def p_values(case: Case, methods: Sequence[str], draws: SharedDraws) -> np.ndarray:
    """Return p-values that the first is better, the second is better, and two-sided, (methods, 3, data sets)."""
    pairs = [(t, t + 1) for t in range(0, len(case.x), 2)]
    found = []
    for name in methods:
        one = TESTS[name].compute(case, pairs, draws, "greater", "plus-one")
        found.append((one.p, one.q, TESTS[name].compute(case, pairs, draws, "two-sided", "plus-one").p))
    return np.array(found)


def drawn(
    pool: ProcessPoolExecutor, world: World, kind: str, level: str, statistic: str, methods: Sequence[str], trials: int
) -> np.ndarray:
    """Return what :func:`work` gives for so many data sets."""
    size = max(1, min(trials, CELLS // (world.systems * world.inputs)))
    seed = zlib.crc32(repr((world, kind, level, statistic)).encode())
    batches = [(kind, level, statistic, tuple(methods), size, seed + k) for k in range(-(-trials // size))]
    return np.concatenate(list(pool.map(partial(work, world), batches)), axis=2)[..., :trials]


def rates(p: np.ndarray) -> tuple[float, float, float]:
    """Return how often p ≤ .05: first better, second better, two-sided; undefined p-values reject nothing."""
    return tuple(float((side <= 0.05).mean()) for side in p)


def shown(rate: float, *, bold: bool) -> str:
    """Return a rate with three digits."""
    text = f"{rate:.3f}".removeprefix("0")
    return f"**{text}**" if bold else text


def sizes(p: np.ndarray) -> str:
    """Return one- and two-sided rates of a test of equally good metrics, in bold above .065."""
    return " / ".join(shown(rate, bold=rate > 0.065) for rate in rates(p))


def powers(p: np.ndarray) -> str:
    """Return the one-sided and the two-sided power."""
    greater, _, both = rates(p)
    return f"{shown(greater, bold=False)} / {shown(both, bold=False)}"


def cover(ends: np.ndarray, truth: float, most: float) -> str:
    """Return the coverage of intervals and their median width, in bold outside of 93% to `most`."""
    inside = float(((ends[0] <= truth) & (truth <= ends[1])).mean())
    return f"{shown(inside, bold=not 0.93 <= inside <= most)} ({np.nanmedian(ends[1] - ends[0]):.2f})"


def table(first: str, heads: Iterable[str], rows: Iterable[tuple[str, Iterable[str]]]) -> list[str]:
    """Return lines of Markdown."""
    heads = list(heads)
    out = [f"| {first} | " + " | ".join(heads) + " |", "|---|" + "---:|" * len(heads)]
    return out + [f"| {name} | " + " | ".join(cells) + " |" for name, cells in rows]


def of_defaults(pool: ProcessPoolExecutor, kind: str, trials: int) -> list[str]:
    """Return the table of a default over all worlds, levels and statistics."""
    method = DEFAULT_TEST if kind == "test" else DEFAULT_INTERVAL
    rows = []
    for name, world in SYSTEM_EQUAL.items():
        cells = []
        for level, statistic in SETTINGS:
            large = world.systems * world.inputs > LARGE
            if (large and level == "global" and statistic != "pearson") or (
                kind == "test" and not equal(name, level, statistic)
            ):
                cells.append("")
                continue
            fewer, most = trials // (1 + large) // (1 + (level != "system")), 0.97 if statistic == "pearson" else 0.98
            cell = sizes if kind == "test" else partial(cover, truth=world.truth(level, statistic), most=most)
            text = cell(drawn(pool, world, kind, level, statistic, [method], fewer)[0])
            if "**" in text:  # of hundreds of cells, some miss the mark by chance
                text = cell(drawn(pool, world, kind, level, statistic, [method], CLOSER * fewer)[0])
            cells.append(text)
        rows.append((name, cells))
        print(name, *cells, sep=" | ", flush=True)
    return table("scenario", [f"{level}, {statistic}" for level, statistic in SETTINGS], rows)


def equal(name: str, level: str, statistic: str) -> bool:
    """Return whether both metrics of a world have the same statistic in the population."""
    if name in NOISE_DIFFERS:
        return level == "system"
    return statistic == "pearson" or name != UNLIKE


def of_methods(
    pool: ProcessPoolExecutor,
    trials: int,
    kind: str,
    level: str,
    statistic: str,
    worlds: Mapping[str, World],
    cell: Callable[[np.ndarray, World], str],
) -> list[str]:
    """Return the table of every method that applies, in some worlds."""
    known = TESTS if kind == "test" else INTERVALS
    names = [name for name, method in known.items() if method.why_not(find(statistic)) is None]
    default = DEFAULT_TEST if kind == "test" else DEFAULT_INTERVAL
    rows = []
    for name, world in worlds.items():
        cells = [cell(each, world) for each in drawn(pool, world, kind, level, statistic, names, trials)]
        if "**" in cells[names.index(default)]:
            more = drawn(pool, world, kind, level, statistic, [default], CLOSER * trials)
            cells[names.index(default)] = cell(more[0], world)
        rows.append((name, cells))
        print(name, *rows[-1][1], sep=" | ", flush=True)
    return table("scenario", [f"`{name}`" for name in names], rows)


def estimated(world: LabelWorld, seeds: Sequence[int]) -> list[dict[str, list[tuple[bool, float]]]]:
    """Return by method, for some data sets, which intervals of `metassay estimate` contain the truth, and widths."""
    truth, found = dict(zip((f"system-{s + 1}" for s in range(world.systems)), world.truth(), strict=True)), []
    for seed in seeds:
        people, judge = world.draw(np.random.default_rng(seed))
        scores = ma.Scores.from_arrays({"judge": judge}, {"label": people})
        if world.together > 1:
            scores = replace(scores, clusters={name: str(j // world.together) for j, name in enumerate(scores.inputs)})
        result = ma.estimate(scores)
        here: dict[str, list[tuple[bool, float]]] = {}

        def add(what: str, low: float, high: float, right: float, here: dict = here) -> None:
            if not np.isnan(low):
                here.setdefault(what, []).append((low <= right <= high, high - low))

        for row in result.table:
            add(row.method, row.low, row.high, truth[row.system])
            if row.method == "ppi":
                add("labels", row.human_only_low, row.human_only_high, truth[row.system])
        for row in result.differences:
            add("differences", row.low, row.high, truth[row.system_a] - truth[row.system_b])
        ranks = {row.system: 1 + sum(t > truth[row.system] for t in truth.values()) for row in result.ranking}
        add("ranks", 0, 1, 0 if all(r.rank_low <= ranks[r.system] <= r.rank_high for r in result.ranking) else -1)
        found.append(here)
    return found


ESTIMATED = {
    "ppi": "labels and judge",
    "labels": "labels alone",
    "differences": "differences",
    "ranks": "all rank sets",
    "rogan-gladen": "sensitivity and specificity",
}


def of_estimates(pool: ProcessPoolExecutor, trials: int) -> list[str]:
    """Return the table of `metassay estimate`: coverage and median width."""
    rows = []
    for name, world in LABELS.items():
        seed = zlib.crc32(repr(world).encode())
        parts = [range(seed + k, seed + min(k + 25, trials)) for k in range(0, trials, 25)]
        found = [each for part in pool.map(partial(estimated, world), parts) for each in part]
        cells = []
        for what in ESTIMATED:
            every = np.array([pair for each in found for pair in each.get(what, ())], dtype=float).reshape(-1, 2)
            inside = float(every[:, 0].mean()) if len(every) else np.nan
            text = shown(inside, bold=inside < 0.93 or (what != "ranks" and inside > 0.97))
            cells.append(
                "" if not len(every) else text if what == "ranks" else f"{text} ({np.nanmedian(every[:, 1]):.2f})"
            )
        rows.append((name, cells))
        print(name, *cells, sep=" | ", flush=True)
    return table("scenario", ESTIMATED.values(), rows)


def held_fixed(world: CriteriaWorld, statistic: str, seeds: Sequence[int]) -> list[np.ndarray]:
    """Return for some data sets the ends (3, 2) of `metassay criteria`: as it is, in buckets, and partial."""
    found = []
    for seed in seeds:
        metric, criterion, anchor = world.draw(np.random.default_rng(seed))
        scores = ma.Scores.from_arrays({"metric": metric}, {"criterion": criterion, "anchor": anchor})
        rows = ma.criteria(scores, human="criterion", anchor="anchor", statistic=statistic, threads=1).table
        bucket, partial_ = (next(row for row in rows if row.metric and row.method == m) for m in ("bucket", "partial"))
        ends = [(row.within_low, row.within_high) for row in (bucket, partial_)]
        found.append(np.array([(bucket.low, bucket.high), *ends]))
    return found


def of_criteria(pool: ProcessPoolExecutor, trials: int) -> list[str]:
    """Return the table of `metassay criteria`: coverage and median width of its default interval."""
    rows = []
    for name, world in CRITERIA.items():
        cells = []
        for statistic in ("kendall", "pearson"):
            seed = zlib.crc32(repr((world, statistic)).encode())
            parts = [range(seed + k, seed + min(k + 25, trials)) for k in range(0, trials, 25)]
            drawn_ = [each for part in pool.map(partial(held_fixed, world, statistic), parts) for each in part]
            ends = np.stack(drawn_, axis=-1)
            cells += [cover(each, right, 0.98) for each, right in zip(ends, world.truth(statistic), strict=True)]
        rows.append((name, cells))
        print(name, *cells, sep=" | ", flush=True)
    heads = [f"{statistic}, {how}" for statistic in ("kendall", "pearson") for how in ("raw", "buckets", "partial")]
    return table("scenario", heads, rows)


MANY_SETTINGS = (("system", "pearson,spearman,kendall"), ("input", "kendall"))
"""Levels and statistics by which many metrics are compared."""


def of_table(world: World, seeds: Sequence[int]) -> list[list[tuple[float, ...]]]:
    """Return for some data sets, by setting, whether the table of `metassay compare` is wrong, and sizes of rank sets.

    Wrong means that any metric is found to be better than one that is as good or better: by uncorrected tests, by
    Bonferroni's correction of each metric's tests, and by the default.
    """
    names = [f"m{k}" for k in range(len(world.bias))]
    bias, found = dict(zip(names, world.bias, strict=True)), []
    for seed in seeds:
        *metrics, people = (each[0] for each in world.draw(np.random.default_rng(seed), 1))
        scores, here = ma.Scores.from_arrays(dict(zip(names, metrics, strict=True)), {"people": people}), []
        for level, statistics in MANY_SETTINGS:
            default, by_row = (
                ma.compare(scores, level=level, statistic=statistics, threads=1, **how)
                for how in ({}, {"correction": "bonferroni", "scope": "row"})
            )
            for statistic in statistics.split(","):
                rows, of_rows = (
                    [row for row in each.table if row.statistic == statistic] for each in (default, by_row)
                )
                wrong = [bias[row.metric_a] >= bias[row.metric_b] for row in rows]
                claims = (
                    [row.significant for row in rows],
                    [row.significant_corrected for row in of_rows],
                    [row.significant_corrected for row in rows],
                )
                ranks = [row.rank_high - row.rank_low + 1 for row in default.ranks if row.statistic == statistic]
                here.append((*(any(np.logical_and(each, wrong)) for each in claims), np.mean(ranks)))
        found.append(here)
    return found


def of_tables(pool: ProcessPoolExecutor, trials: int) -> list[str]:
    """Return the table of `metassay compare` with many metrics: how often anything in its table is wrong."""
    rows = []
    for name, world in MANY.items():
        seed = zlib.crc32(repr(world).encode())
        parts = [range(seed + k, seed + min(k + 10, trials)) for k in range(0, trials, 10)]
        every = np.array([each for part in pool.map(partial(of_table, world), parts) for each in part], dtype=float)
        cells = []
        for *false, ranks in every.mean(axis=0):
            texts = [shown(rate, bold=k == 2 and rate > 0.065) for k, rate in enumerate(false)]
            cells.append(f"{' / '.join(texts)} ({ranks:.1f})")
        rows.append((name, cells))
        print(name, *cells, sep=" | ", flush=True)
    heads = [f"{level}, {statistic}" for level, statistics in MANY_SETTINGS for statistic in statistics.split(",")]
    return table("scenario", heads, rows)


EQUIVALENCE = {
    ("jackknife", "both"): "`jackknife`",
    ("tost", "both"): "`tost`",
    ("tost", "systems"): "`tost`, systems",
    ("tost", "points"): "`tost`, points",
    ("anderson-hauck", "both"): "`anderson-hauck`",
}
"""Tests of equivalence by what is resampled."""


def called_equivalent(world: World, level: str, statistic: str, seeds: Sequence[int]) -> list[dict[object, bool]]:
    """Return which tests of `metassay survive` call metrics equivalent that differ by just the margin."""
    margin = abs(world.truth(level, statistic.removesuffix("-c")) - world.truth(level, statistic.removesuffix("-c"), 1))
    found = []
    for seed in seeds:
        x, y, z = (each[0] for each in world.draw(np.random.default_rng(seed), 1))
        scores, here = ma.Scores.from_arrays({"first": x, "second": y}, {"people": z}), {}
        for resample in ("both", "systems", "points") if level == "global" else ("both", "systems"):
            result = ma.survive(
                scores,
                by="metric",
                baseline="first",
                level=level,
                statistic=statistic,
                test="tost" if resample != "both" else "jackknife,tost,anderson-hauck",
                margin=margin,
                margin_kind="constant",
                resample=resample,
                resamples=RESAMPLES,
                seed=seed,
            )
            here |= {(row.test, resample): row.equivalent for row in result.table}
        found.append(here)
    return found


def of_equivalence(pool: ProcessPoolExecutor, trials: int, level: str, statistic: str) -> list[str]:
    """Return the table of tests of equivalence at the margin."""
    rows = []
    for name, world in BOUNDARY.items():
        seed = zlib.crc32(repr((world, level, statistic)).encode())
        parts = [range(seed + k, seed + min(k + 10, trials)) for k in range(0, trials, 10)]
        found = [each for part in pool.map(partial(called_equivalent, world, level, statistic), parts) for each in part]
        shares = {test: float(np.mean([each[test] for each in found])) for test in EQUIVALENCE if test in found[0]}
        cells = [shown(shares[test], bold=shares[test] > 0.065) if test in shares else "" for test in EQUIVALENCE]
        rows.append((name, cells))
        print(name, *cells, sep=" | ", flush=True)
    return table("scenario", EQUIVALENCE.values(), rows)


def ranked(world: VoteWorld, seeds: Sequence[int]) -> list[np.ndarray]:
    """Return for some data sets, by column of the table, the share of systems covered, and the mean width."""
    truth, found = world.truth(), []
    # Systems that are equally strong may have each other's ranks.
    better = [(truth > own + 1e-6).sum() for own in truth]
    level = [(np.abs(truth - own) <= 1e-6).sum() for own in truth]
    ties = "davidson" if world.modelled else "half"
    for seed in seeds:
        a, b, said, unit = world.draw(np.random.default_rng(seed))
        own, each = [f"u{u}" for u in unit], [str(k) for k in range(len(unit))]
        labels = {"inputs": own} if world.by == "inputs" else {"inputs": each, "raters": own}
        votes = ma.Votes.from_arrays(
            [f"s{k}" for k in a], [f"s{k}" for k in b], [("a", "tie", "b")[k] for k in said], **labels
        )
        cells = []
        for interval, unit_ in (("sandwich", world.by), ("bootstrap", world.by), ("sandwich", "votes")):
            if interval == "bootstrap" and seed >= seeds[0] + BOOTSTRAPPED * len(seeds):
                cells += [(np.nan, np.nan)] * 2
                continue
            rows = ma.rank(votes, interval=interval, resample=unit_, ties=ties, resamples=199).table
            at = [int(row.system[1:]) for row in rows]
            low, high = np.array([(row.low, row.high) for row in rows]).T
            inside = np.mean((low <= truth[at]) & (truth[at] <= high))
            best, worst = np.array([(row.rank_low, row.rank_high) for row in rows], dtype=float).T
            right = [
                lo <= better[k] + level[k] and hi >= better[k] + 1 for lo, hi, k in zip(best, worst, at, strict=True)
            ]
            cells += [(inside, np.mean(high - low)), (np.mean(right), np.mean(worst - best + 1))]
        found.append(np.array(cells))
    return found


BOOTSTRAPPED = 0.5
"""The share of data sets on which the bootstrap, which takes longer, is tried."""


def of_ranks(pool: ProcessPoolExecutor, trials: int) -> list[str]:
    """Return the table of `metassay rank`: coverage of strengths and ranks, with mean widths."""
    heads = [
        f"{what}, {how}" for how in ("sandwich", "bootstrap", "independent votes") for what in ("strength", "rank")
    ]
    rows = []
    for name, world in VOTES.items():
        seed = zlib.crc32(repr(world).encode())
        parts = [range(seed + k, seed + min(k + 20, trials)) for k in range(0, trials, 20)]
        every = np.array([each for part in pool.map(partial(ranked, world), parts) for each in part])
        means = np.nanmean(every, axis=0)
        cells = [f"{shown(inside, bold=inside < 0.93)} ({width:.2f})" for inside, width in means]
        rows.append((name, cells))
        print(name, *cells, sep=" | ", flush=True)
    return table("scenario", heads, rows)


FACETS = {"s": "system", "i": "input", "r": "rater"}
COMPONENTS = {" × ".join(FACETS[axis] for axis in name): name for name in SPREAD}
"""Components as worlds call them, by what `metassay reliability` calls them."""


def rated(world: RatingWorld, seeds: Sequence[int]) -> list[dict[str, tuple[float, float]]]:
    """Return for some data sets the intervals of `metassay reliability`."""
    found = []
    for seed in seeds:
        rows = ma.reliability(
            ma.Scores.from_arrays({}, {"h": world.draw(np.random.default_rng(seed))}), human="h", resamples=2
        )
        now = next(row for row in rows.designs if row.axis == "now" and row.level == "system")
        each = {"order": (now.low, now.high), "absolute": (now.absolute_low, now.absolute_high)}
        found.append(each | {COMPONENTS[row.component]: (row.low, row.high) for row in rows.table})
    return found


RATED = {
    "order": "order of systems, Eρ²",
    "absolute": "values of systems, Φ",
    "s": "σ² systems",
    "i": "σ² inputs",
    "r": "σ² raters",
    "si": "σ² systems × inputs",
    "sr": "σ² systems × raters",
}


def of_reliability(pool: ProcessPoolExecutor, trials: int) -> list[str]:
    """Return the table of `metassay reliability`: coverage of reliabilities and of variance components."""
    rows = []
    for name, world in RATINGS.items():
        seed = zlib.crc32(repr(world).encode())
        parts = [range(seed + k, seed + min(k + 10, trials)) for k in range(0, trials, 10)]
        every = [each for part in pool.map(partial(rated, world), parts) for each in part]
        truth, cells = world.truth(), []
        for what in RATED:
            ends = np.array([each[what] for each in every if what in each]).T
            # An estimate of 0 has no interval, and promises nothing.
            ends = ends[:, ~np.isnan(ends).any(axis=0)] if len(ends) else ends
            cells.append(cover(ends, truth[what], 0.98) if len(ends) else "")
        lost = np.mean([np.isnan(each["order"]).any() for each in every])
        rows.append((name, [*cells, f"{100 * lost:.0f}%"]))
        print(name, *rows[-1][1], sep=" | ", flush=True)
    return table("scenario", [*RATED.values(), "no interval"], rows)


Make = Callable[[ProcessPoolExecutor, int], list[str]]


def tables() -> dict[str, tuple[int, Make]]:
    """Return how each table is made, with its number of data sets."""
    found: dict[str, tuple[int, Make]] = {
        "default-test": (1_000, lambda pool, trials: of_defaults(pool, "test", trials)),
        "default-interval": (500, lambda pool, trials: of_defaults(pool, "interval", trials)),
        "estimate": (1_000, of_estimates),
        "criteria": (300, of_criteria),
        "equivalence-global-pearson": (400, lambda pool, trials: of_equivalence(pool, trials, "global", "pearson")),
        "equivalence-global-kendall": (200, lambda pool, trials: of_equivalence(pool, trials, "global", "kendall-c")),
        "equivalence-input-kendall": (200, lambda pool, trials: of_equivalence(pool, trials, "input", "kendall")),
        "equivalence-system-pearson": (400, lambda pool, trials: of_equivalence(pool, trials, "system", "pearson")),
        "rank": (120, of_ranks),
        "reliability": (200, of_reliability),
        "many-metrics": (300, of_tables),
    }
    small = {name: EQUAL[name] for name in SOME}

    def add(kind: str, level: str, statistic: str) -> None:
        def size(p: np.ndarray, _: World) -> str:
            greater, less, both = rates(p)
            return f"{shown(max(greater, less), bold=max(greater, less) > 0.065)} / {shown(both, bold=both > 0.065)}"

        def covered(ends: np.ndarray, world: World) -> str:
            return cover(ends, world.truth(level, statistic), 0.97 if statistic == "pearson" else 0.98)

        some = WITHIN if level == "within-system" else small
        worlds = {name: w for name, w in some.items() if kind == "interval" or equal(name, level, statistic)}
        trials = 300 if level == "system" else 200
        cell = size if kind == "test" else covered
        found[f"{kind}s-{level}-{statistic}"] = (
            trials,
            lambda pool, n: of_methods(pool, n, kind, level, statistic, worlds, cell),
        )
        if kind == "test" and level == "system":
            found[f"power-{statistic}"] = (
                1_000,
                lambda pool, n: of_methods(pool, n, kind, level, statistic, DIFFER, lambda p, _: powers(p)),
            )

    for kind in ("test", "interval"):
        for level, statistic in [*SETTINGS, ("within-system", "pearson"), ("within-system", "kendall")]:
            if statistic != "spearman":
                add(kind, level, statistic)
    return found


def write(name: str, lines: list[str]) -> None:
    """Put a table into the page."""
    text = PAGE.read_text()
    mark = re.compile(rf"(<!-- table: {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    if not mark.search(text):
        print("\n".join(lines), flush=True)  # the page has no place for it
        return
    PAGE.write_text(mark.sub(lambda found: found[1] + "\n".join(["", *lines, ""]) + found[2], text))


def main() -> None:
    """Make the tables that are asked for."""
    known = tables()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    unknown = set(given.names) - set(known)
    if unknown:
        parser.error(f"no table {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    with ProcessPoolExecutor() as pool:
        for name in given.names or known:
            trials, make = known[name]
            trials = max(20, trials // 10) if given.quick else trials
            start = time.perf_counter()
            print(f"== {name}: {trials:,} data sets", flush=True)
            lines = make(pool, trials)
            error = 1.96 * (0.05 * 0.95 / trials) ** 0.5
            how = ""
            if name.startswith("default"):
                how = (
                    f" (half as many with more than {LARGE:,} scores, and half as many at input and global level); "
                    f"{CLOSER} times as many for cells whose first rate was outside the bounds"
                )
            if name.startswith(("tests", "intervals")):
                how = f"; {CLOSER} times as many for the default if its first rate was outside the bounds"
            lines += ["", f"{trials:,} data sets{how}. Margin of error (95%) of a rate of .05 or .95: ±{error:.3f}."]
            write(name, lines)
            print(f"== {name}: {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
