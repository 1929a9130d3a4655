"""Write docs/wmt23.md: the ranking of WMT23 en-de as published, and by other tests.

Run ``python scripts/make_wmt23.py FOLDER``, where FOLDER holds the data set wmt23 in mt-metrics-eval's layout. It takes
some minutes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import metassay as ma
from metassay.reproduction.published import figures

PAGE = Path(__file__).resolve().parents[1] / "docs" / "wmt23.md"
DRAWS = 1_000
MEASURES = {
    "acc-eq": ("input", "KendallWithTiesOpt, by segment", "Accuracy with calibrated ties, by segment", "perm-outcomes"),
    "pearson": ("system", "Pearson, system scores", "Pearson of system scores", "perm-both"),
}
"""The level, what is published, how it is called here, and the test of the shared task."""


def column(name: str) -> str:
    """Return what a published metric is called in the files."""
    return f"{name.removesuffix('[noref]')}-{'src' if name.endswith('[noref]') else 'refA'}"


def clustered(found: ma.Comparison) -> dict[str, int]:
    """Return the cluster of each metric, as the shared task makes them: by tests that are not corrected.

    A new cluster starts at the first metric that is beaten by any in the current one.
    """
    better = {(row.metric_a, row.metric_b) for row in found.table if row.significant}
    clusters: list[list[str]] = [[]]
    for row in sorted((row for row in found.ranks if row.rank is not None), key=lambda row: -row.estimate):
        if any((metric, row.metric) in better for metric in clusters[-1]):
            clusters.append([])
        clusters[-1].append(row.metric)
    return {metric: rank for rank, metrics in enumerate(clusters, 1) for metric in metrics}


def span(row: object) -> str:
    low, high = row.rank_low, row.rank_high  # type: ignore[attr-defined]
    return f"{low}–{high}" if low != high else str(low)


def section(statistic: str, data: dict[str, ma.Scores], figure: object) -> tuple[str, dict[str, float]]:
    level, _, title, test = MEASURES[statistic]
    values = figure.values  # type: ignore[attr-defined]
    published = {column(name): at for at, name in enumerate(sorted(values, key=values.get, reverse=True), 1)}
    metrics = [name for name in published if name in data["documents"].metrics]
    options = {"human": "mqm", "metric": metrics}
    exchanged, boards = {}, {}
    for name, scores in data.items():
        exchanged[name] = ma.compare(
            scores, statistic=statistic, level=level, test=test, correction="none", resamples=DRAWS, **options
        )
        boards[name] = ma.leaderboard(scores, statistic=f"{statistic}@{level}", **options)
    of = {name: clustered(found) for name, found in exchanged.items()}
    sets = {name: {row.metric: row for row in board.table} for name, board in boards.items()}
    lines = [
        f"## {title}",
        "",
        "| published rank | metric | value | cluster, task's test | cluster, by document | "
        "ranks, segments | ranks, documents | letters |",
        "|---:|---|---:|---:|---:|---:|" + ("---|" if test == "perm-outcomes" else "---:|---|"),
    ]
    for metric in sorted(metrics, key=published.get):  # type: ignore[arg-type]
        row = sets["documents"][metric]
        cells = [published[metric], metric, f"{row.estimate:.3f}", of["segments"][metric]]
        cells += [] if test == "perm-outcomes" else [of["documents"][metric]]
        cells += [span(sets["segments"][metric]), span(row), row.letters]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    if test == "perm-outcomes":  # outcomes of pairs of outputs know no documents
        lines = [line.replace(" cluster, by document |", "") for line in lines]
    pairs = len(metrics) * (len(metrics) - 1) // 2
    facts = {
        "pairs": pairs,
        **{f"{name}, exchanged": sum(row.significant for row in exchanged[name].table) for name in data},
        **{f"{name}, default": sum(row.significant for row in boards[name].tests) for name in data},
        **{f"{name}, default, Holm": sum(row.significant_corrected for row in boards[name].tests) for name in data},
        "clusters": max(of["segments"].values()),
        "clusters, documents": max(of["documents"].values()),
        "first": sum(row.rank_low == 1 for row in boards["documents"].table),
    }
    rate = next((str(n) for n in exchanged["segments"].notes if n.code == "false-positives"), "")
    lines += ["", f"`{boards['documents'].signature}`", ""]
    if rate:
        lines += [f"The note of `compare` on the test of the shared task: {rate}", ""]
    return "\n".join(lines), facts


def left(facts: dict[str, dict[str, float]]) -> str:
    """Return how many pairs of metrics are significantly different by which test."""
    rows = [
        ("task's test (`perm-outcomes`, `perm-both`)", "segments, exchanged"),
        ("task's test, documents exchanged as a whole (`perm-both` only)", "documents, exchanged"),
        ("default test (`jackknife`), segments independent", "segments, default"),
        ("default test, documents as clusters", "documents, default"),
        ("default test, segments independent, Holm", "segments, default, Holm"),
        ("default test, documents as clusters, Holm", "documents, default, Holm"),
    ]
    head = " | ".join(MEASURES[name][2] for name in facts)
    lines = [f"| pairs with a significant difference, α = .05 | {head} |", "|---|" + "---:|" * len(facts)]
    for words, key in rows:
        cells = " | ".join(
            "–" if key == "documents, exchanged" and name == "acc-eq" else f"{each[key]} of {each['pairs']}"
            for name, each in facts.items()
        )
        lines.append(f"| {words} | {cells} |")
    return "\n".join(lines)


def main() -> None:
    folder = Path(sys.argv[1])
    result = ma.reproduce(folder, only="perrella-2024")
    within, unchecked = (sum(row.within is wanted for row in result.table) for wanted in (True, None))
    scores = ma.read(folder / "wmt23", language="en-de")
    data = {"segments": scores.declare(cluster_by="none"), "documents": scores}
    listed = {figure.what.partition(": ")[2]: figure for figure in figures() if figure.paper == "perrella-2024"}
    parts, facts = {}, {}
    for statistic, (_, what, _, _) in MEASURES.items():
        parts[statistic], facts[statistic] = section(statistic, data, listed[what])
    seg, whole = facts["acc-eq"], facts["pearson"]
    PAGE.write_text(
        TEMPLATE.format(
            within=within,
            unchecked=unchecked,
            numbers=len(result.table),
            documents=len(set(scores.clusters.values())),
            left=left(facts),
            first_seg=seg["first"],
            first_sys=whole["first"],
            metrics=int((1 + (1 + 8 * seg["pairs"]) ** 0.5) / 2),
            clusters_seg=seg["clusters"],
            clusters_sys=whole["clusters"],
            clusters_docs=whole["clusters, documents"],
            sections="\n".join(parts.values()),
            draws=f"{DRAWS:,}",
        ),
        encoding="utf-8",
    )


TEMPLATE = """\
# The WMT23 ranking of metrics, retested

The metrics task of WMT 2023 ranked metrics of machine translation by their agreement with MQM ratings. This page
retests its English–German part from the same files. It gives the published ranking, the results of a test that
generalises to new systems and new documents, and the clusters by each test. `scripts/make_wmt23.py` writes this
page from the commands shown. The data set is that of mt-metrics-eval: 12 systems without the references, and 557
segments of {documents} documents, 460 of them with human ratings.

## Published numbers

{within} of {numbers} published correlations are reproduced to the last printed digit (seven decimals). The other
{unchecked} belong to six sentinel metrics whose scores are not in the data.

```sh
metassay reproduce --data FOLDER --only perrella-2024
```

## Significant differences

{left}

```sh
task="--human mqm --correction none --resamples 1000"
metassay compare wmt23 $task --statistic acc-eq --level input --test perm-outcomes
metassay compare wmt23 $task --statistic pearson --level system --test perm-both --cluster-by none
metassay compare wmt23 $task --statistic pearson --level system --test perm-both
board="--human mqm --statistic acc-eq,pearson@system --view pairs"
metassay leaderboard wmt23 $board --cluster-by none
metassay leaderboard wmt23 $board
```

The counts are over pairs of the {metrics} metrics in the tables below (`--metric`).

- **The tests of the shared task** exchange the verdicts of two metrics on pairs of outputs (by segment) or their
  scores of single outputs (by system). They do not generalise to new systems. They give {clusters_seg} clusters
  by segment and {clusters_sys} by system, or {clusters_docs} by system if segments of one document are exchanged
  together.
- **The default test** of metassay generalises to new systems and new documents. Twelve systems are little
  evidence: by system, {first_sys} of the {metrics} metrics cannot be ruled out as the best, and by segment
  {first_seg}.
- **Documents.** Segments of one document share topic, style and translator, so they are not independent. Rows of
  the table with and without documents differ in nothing else.
- A difference that is not significant may still exist. With twelve systems only large differences are
  significant; [plan](guides/plan.md) estimates how many systems are needed.

Clusters follow the rule of the shared task. From the best metric downwards, a new cluster begins at the first
metric that is significantly worse (one-sided, not corrected, {draws} draws) than one of the current cluster.
Ranks are joint 95% confidence sets of the true ranks of all metrics, from tests of all pairs with Holm's
correction. Metrics that share a letter are not significantly different. The published rank counts the six
sentinels.

{sections}"""


if __name__ == "__main__":
    main()
