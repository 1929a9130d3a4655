"""Do the tests hold their level, and the intervals their promise? Makes the tables of docs/validity.md.

python benchmarks/validity.py size [TRIALS]        size and power of all tests over the grid (Pearson)
python benchmarks/validity.py kendall [TRIALS]     the same by Kendall's tau-b
python benchmarks/validity.py coverage [pearson|kendall] [TRIALS]    how often intervals contain the correlation in the
                                                   population
python benchmarks/validity.py fitted FILE... [TRIALS]   size and power in worlds fitted to SummEval

A few minutes each on two cores.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

import metassay as ma
from metassay import engine
from metassay.core.vocabulary import METRIC_TESTS
from metassay.stats.draws import stream
from metassay.stats.intervals import basic, bca
from metassay.stats.kernels.weighted_ranks import correlate
from metassay.stats.methods.base import Case, SharedDraws
from metassay.stats.methods.registry import INTERVALS as METHODS
from metassay.stats.methods.two_way import KINDS
from metassay.stats.proportions import wilson
from metassay.stats.statistics.registry import find
from metassay.stats.worlds import TEXTBOOK, Textbook
from metassay.studies.size import page_seed

RESAMPLES = 299
PAGE = 25
TRUTH = 99
"""A number of its own for the stream from which the correlation in a population is drawn."""


def head(first: str, names: tuple[str, ...] | list[str]) -> None:
    print(f"| {first} | " + " | ".join(f"`{name}`" for name in names) + " |")
    print("|---|" + "---:|" * len(names), flush=True)


def size(coefficient: str, trials: int) -> None:
    head("world", METRIC_TESTS)
    for world in TEXTBOOK:
        table(ma.simulate_size(world=world, statistic=coefficient, trials=trials, resamples=RESAMPLES))


def fitted(files: list[str], trials: int) -> None:
    scores = ma.read(*files)
    head("pair of metrics: world", METRIC_TESTS)
    for pair in ("rouge-1_f1,bertscore_f1", "rouge-1_f1,rouge-l_f1", "rouge-1_f1,qa-eval_f1"):
        metrics = [m for m in pair.split(",") if m in scores.metrics]
        if len(metrics) == 2:
            result = ma.simulate_size(
                scores, human="expert_relevance", metric=metrics, trials=trials, resamples=RESAMPLES
            )
            table(result)
            print(*result.notes, sep="\n")


def table(result: ma.Size) -> None:
    rows = [row for row in result.table if row.equal] + [row for row in result.table if not row.equal]
    for key in dict.fromkeys((row.setting, row.metric_a, row.metric_b) for row in rows):
        mine = [row for row in rows if (row.setting, row.metric_a, row.metric_b) == key]
        cells = [f"**{row.rate:.3f}**" if row.equal and row.rate > 0.065 else f"{row.rate:.3f}" for row in mine]
        label = key[0] if key[1] is None else f"{key[1]}, {key[2]}: {key[0]}"
        print(f"| {label} | " + " | ".join(cells) + " |", flush=True)


BOOTSTRAPPED = ("percentile", "basic", "BCa")
AXES = ("systems", "inputs", "both")
INTERVALS = ["two-way", "fisher", *(f"boot-{axis} {kind}" for axis in AXES for kind in BOOTSTRAPPED)]


def population(world: Textbook, coefficient: str, seed: int) -> float:
    """Return the correlation in the population, by construction or from many systems."""
    if coefficient == "pearson" and not (world.categories or world.turns):
        return world.correlation(0)
    many = replace(world, systems=1_000)
    found = []
    for at in range(60):
        x, _, z = many.draw(stream(seed, TRUTH, at), 1)
        means = [v.mean(axis=2).T / v.mean(axis=2).std() for v in (x, z)]
        found.append(float(correlate([means[0]], means[1], [None], coefficient)[0, 0]))
    return float(np.mean(found))


def intervals(world: Textbook, coefficient: str, number: int, page: int) -> np.ndarray:
    """Return low and high ends, (intervals, data sets, 2), of the first metric in some data sets."""
    n, m = world.shape
    x, _, z = world.draw(stream(0, TRUTH, number, 1, page), PAGE)
    case = Case(find(coefficient), x, z, "system")
    draws = SharedDraws(RESAMPLES, page_seed(0, number, page), kinds=KINDS)
    found = {name: method.compute([case], draws, 0.95)[0] for name, method in METHODS.items()}
    of_systems, of_inputs = (
        case.prepared.bootstrap(*left)
        for left in ((np.ones((n, n)) - np.eye(n), None), (None, np.ones((m, m)) - np.eye(m)))
    )
    out = np.empty((len(INTERVALS), PAGE, 2))
    for t in range(PAGE):
        estimate = float(case.estimates[t])
        ends = [(found[name].low[t], found[name].high[t]) for name in ("two-way", "fisher")]
        influences = {
            "systems": (n - 1) * (estimate - of_systems[t]) / n,
            "inputs": (m - 1) * (estimate - of_inputs[t]) / m,
        }
        influences["both"] = np.concatenate(list(influences.values()))
        for axis in AXES:
            interval = found[f"boot-{axis}"]
            assert interval.samples is not None, "bootstraps keep their samples"
            samples = interval.samples[t]
            ends += [(interval.low[t], interval.high[t]), basic(estimate, samples, 0.95)]
            ends.append(bca(estimate, samples, influences[axis], 0.95))
        out[:, t] = ends
    return out


def coverage(coefficient: str, trials: int) -> None:
    head(f"world, {coefficient} (population)", INTERVALS)
    worlds = {name.removeprefix("equal: "): world for name, world in TEXTBOOK.items() if world.equal}
    for number, (name, world) in enumerate(worlds.items()):
        if world.noise[0] != world.noise[1]:
            continue
        truth = population(world, coefficient, number)

        def work(page: int, world: Textbook = world, number: int = number) -> np.ndarray:
            return intervals(world, coefficient, number, page)

        found = np.concatenate(engine.run(work, -(-trials // PAGE), what="coverage"), axis=1)[:, :trials]
        inside = ((found[..., 0] <= truth) & (truth <= found[..., 1])).mean(axis=1)
        width = np.nanmean(found[..., 1] - found[..., 0], axis=1)
        cells = [f"{share:.3f} ({w:.2f})" for share, w in zip(inside, width, strict=True)]
        print(f"| {name} ({truth:.2f}) | " + " | ".join(cells) + " |", flush=True)
    low, high = wilson(round(0.95 * trials), trials)
    print(f"\n{trials} data sets each: a share of .95 is known to {low:.3f}–{high:.3f}. In brackets the mean width.")


def main() -> None:
    what, *rest = sys.argv[1:] or ["size"]
    trials = int(rest.pop()) if rest and rest[-1].isdigit() else 1_000
    if what == "coverage":
        coverage(rest[0] if rest else "pearson", trials)
    elif what == "fitted":
        fitted(rest, trials)
    else:
        size("kendall" if what == "kendall" else "pearson", trials)


if __name__ == "__main__":
    main()
