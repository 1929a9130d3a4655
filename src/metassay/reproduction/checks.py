"""One function per kind of published number: options in, our numbers out, under the names the paper's have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from metassay.core.scores import Scores
from metassay.core.texts import Texts
from metassay.core.votes import Votes
from metassay.errors import MetassayError, one_line
from metassay.readers import read, read_votes
from metassay.readers.texts import read_texts
from metassay.stats.arrays import FloatArray
from metassay.stats.significance import corrected
from metassay.stats.vote_orders import verdict_scores
from metassay.studies.agree import Agreement, agree
from metassay.studies.compare import Comparison, ComparisonRow, compare
from metassay.studies.criteria import Confounding, criteria
from metassay.studies.downgrade import Damaged, downgrade
from metassay.studies.judge import judge
from metassay.studies.judge_votes import judge_votes
from metassay.studies.normality import normality
from metassay.studies.pairs import pairs
from metassay.studies.simulate_coverage import simulate_coverage
from metassay.studies.simulate_power import simulate_power
from metassay.studies.vote_items import Items, majority

TEXTS = {"summeval": ("model_annotations.aligned.paired.jsonl",), "realsumm": ("outputs.jsonl", "documents.jsonl")}
"""Files that hold the texts of a data set; they are not among the files that can be downloaded."""

Numbers = Mapping[str, float]
Made = TypeVar("Made")


class CannotCheckError(Exception):
    """A number cannot be computed here; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much work the simulations do."""

    coverage: int
    """Resamples in each of 1,000 halvings."""
    tests: int
    """Exchanges per test."""
    power: tuple[int, int]
    """Trials, and resamples in each."""
    slow: bool
    """Whether checks that take minutes are made."""


QUICK = Effort(coverage=200, tests=999, power=(100, 199), slow=False)
FULL = Effort(coverage=1_000, tests=9_999, power=(1_000, 999), slow=True)


@dataclass(slots=True)
class Desk:
    """What checks share: the data, read once, and how they work."""

    folder: Path
    """The folder of data sets."""
    effort: Effort
    """How much work the simulations do."""
    seed: int
    """Seed of all draws."""
    _kept: dict[object, Any] = field(default_factory=dict)

    def scores(self, data: str) -> Scores:
        """Return the scores of a data set."""
        place = self.folder / data / "scores"
        if not place.is_dir():
            raise CannotCheckError(f"there are no scores in {one_line(place)}; get them: metassay datasets get {data}")
        return self.once(("scores", data), lambda: read(place))

    def task(self, data: str, language: str) -> Scores:
        """Return the scores of a WMT metrics task, in mt-metrics-eval's layout."""
        place = self.folder / data
        if not (place / "metric-scores" / language).is_dir():
            raise CannotCheckError(
                f"there is no {one_line(place / 'metric-scores' / language)}; the WMT metrics task publishes "
                "it with mt-metrics-eval (github.com/google-research/mt-metrics-eval)"
            )
        return self.once(("task", data, language), lambda: read(place, language=language))

    def files(self, data: str, *names: str) -> Scores:
        """Return the scores in files of a data set that is not among those that can be downloaded."""
        places = [self.folder / data / name for name in names]
        absent = [place.name for place in places if not place.is_file()]
        if absent:
            raise CannotCheckError(f"needs {data}/{absent[0]}, which is not among the files that can be downloaded")
        return self.once(("files", data, *names), lambda: read(*places))

    def votes(self, data: str) -> Votes:
        """Return the votes of a data set that is not among those that can be downloaded."""
        place = self.folder / data
        if not place.is_dir():
            raise CannotCheckError(f"there are no votes in {one_line(place)}")
        return self.once(("votes", data), lambda: read_votes(place))

    def texts(self, data: str) -> Texts:
        """Return the texts of a data set."""
        places = [self.folder / data / name for name in TEXTS[data]]
        absent = [place.name for place in places if not place.is_file()]
        if absent:
            raise CannotCheckError(
                f"needs the texts ({data}/{absent[0]}), which are not among the files that can be downloaded"
            )
        return self.once(("texts", data), lambda: read_texts(*places))

    def criteria(self, data: str, method: str, metrics: Sequence[str]) -> Confounding:
        """Return the experts' criteria held against each other; intervals are not needed here."""
        scores = self.scores(data)
        found: Confounding = self.once(
            ("criteria", data, method, tuple(metrics)),
            lambda: criteria(scores, human="expert*", metric=metrics, method=method),
        )
        return found

    def once(self, key: object, make: Callable[[], Made]) -> Made:
        """Return what `make` makes; it is made the first time only."""
        if key not in self._kept:
            self._kept[key] = make()
        found: Made = self._kept[key]
        return found


def compute(check: str, desk: Desk, data: str, options: Mapping[str, Any]) -> Numbers:
    """Return our numbers of a figure.

    Raises
    ------
    CannotCheckError
        Data or programs are missing, or do not allow it.
    """
    try:
        return _CHECKS[check](desk, data, **options)
    except MetassayError as error:
        raise CannotCheckError(str(error)) from None


def _coverage(desk: Desk, data: str, *, human: str, metric: str) -> Numbers:
    result = simulate_coverage(
        desk.scores(data),
        human=human,
        metric=metric,
        interval="fisher,boot-systems,boot-inputs,boot-both",
        trials=1_000,
        resamples=desk.effort.coverage,
        seed=desk.seed,
    )
    return {f"{row.level}, {row.interval}": row.rate for row in result.table}


def _alternative(desk: Desk, data: str, *, epsilon: float, field: str) -> Numbers:
    names = [desk.folder / data / f"{who}_annotations.json" for who in ("human", "llm")]
    if not all(name.is_file() for name in names):
        raise CannotCheckError(f"there are no annotations in {one_line(desk.folder / data)}")
    found = desk.once(
        ("judge", data, epsilon),
        lambda: judge(read(f"human={names[0]}", f"judge={names[1]}"), epsilon=epsilon, slice_by="none", worst=0),
    )
    return {row.judge: getattr(row, field) for row in found.alternative_annotators}


def _people(desk: Desk, data: str) -> Numbers:
    found = desk.once(("judge-votes", data), lambda: judge_votes(desk.votes(data)))
    return {f"{row.person_a}, {row.person_b}": row.kappa for row in found.people}


def _orders(desk: Desk, data: str, *, table: str, field: str) -> Numbers:
    found = desk.once(("judge-votes", data), lambda: judge_votes(desk.votes(data)))
    return {row.judge: getattr(row, field) for row in getattr(found, table)}


def _verdicts(desk: Desk, data: str) -> Iterator[tuple[str, Items, FloatArray]]:
    """Yield verdicts of people and of each judge on every pair; what a judge did not answer is a tie, as in print."""
    votes = desk.votes(data)
    items = Items.of(votes)
    yield "people", items, majority(items, np.isin(votes.rater, list(map(votes.raters.index, votes.humans)))).value
    for name in (rater for rater in votes.raters if rater not in votes.humans):
        said, mine = np.full(len(items.input), 0.5), votes.rater == votes.raters.index(name)
        said[items.of_vote[mine]] = items.value[mine]
        yield name, items, said


def _scored(desk: Desk, data: str, *, judge: str) -> Numbers:
    said = {rater: value for rater, _, value in _verdicts(desk, data)}
    right = float((said[judge] == said["people"]).mean())
    names = ("accuracy", "precision", "recall", "F1")
    return dict(zip(names, (right, *verdict_scores(said[judge], said["people"])), strict=True))


def _wins(desk: Desk, data: str, *, rater: str) -> Numbers:
    items, said = next((items, said) for name, items, said in _verdicts(desk, data) if name == rater)
    systems, found = desk.votes(data).systems, Counter[str]()
    for a, b, value in zip(items.a, items.b, said, strict=True):
        one, other = sorted((systems[a], systems[b]))
        won = systems[a if value > 0.5 else b]
        found[f"{one}, {other}: {'ties' if value == 0.5 else won}"] += 1
    return {name: float(n) for name, n in found.items()}


def _normality(desk: Desk, data: str, *, field: str, columns: Mapping[str, str]) -> Numbers:
    tested = desk.once(("normality", data), lambda: normality(desk.scores(data), alpha=0.05))
    rows = {row.metric: row for row in tested.table}
    return {name: getattr(rows[column], field) for name, column in columns.items()}


def _interval(desk: Desk, data: str, *, human: str, metric: str, factor: float) -> Numbers:
    result = agree(
        desk.scores(data),
        human=human,
        metric=metric,
        level="system",
        statistic="kendall",
        interval="boot-both",
        resamples=10_000,
        seed=desk.seed,
    )
    (row,) = result.table
    # The paper turns the ends of the interval of τ into shares of pairs, which is right where nothing is tied.
    ends = {"low": row.low, "high": row.high, "misranked_low": (1 - row.high) / 2, "misranked_high": (1 - row.low) / 2}
    return {name: factor * end for name, end in ends.items()}


def _predicted(desk: Desk, data: str, *, file: str) -> Numbers:
    scores = desk.files(data, file)
    found: Agreement = agree(scores, level="global", statistic="pearson,spearman,kendall", seed=desk.seed)
    own = (row for row in found.table if row.metric == f"predicted_{row.human}")
    return {f"{row.human}, {row.statistic}": row.estimate for row in own}


def _within_systems(desk: Desk, data: str, *, files: Sequence[str], human: str, named: Mapping[str, str]) -> Numbers:
    """Ranks of metrics by their partial correlation with people over outputs, the system held fixed."""
    scores = desk.files(data, *files)
    columns = {name: scores.matrix(name) for name in (human, *scores.metrics)}
    # Residuals stand by themselves: one row for all systems, some of which share no input.
    left = {
        name: (values - np.nanmean(values, axis=1, keepdims=True)).reshape(1, -1) for name, values in columns.items()
    }
    people = {human: left.pop(human)}
    found: Agreement = agree(Scores.from_arrays(left, people), level="global", statistic=list(named), seed=desk.seed)
    sizes = {(row.statistic, row.metric): abs(row.estimate) for row in found.table}
    return {
        f"{metric}, {statistic}": 1.0
        + sum(size > sizes[statistic, metric] for (s, _), size in sizes.items() if s == statistic)
        for statistic, metric in named.items()
    }


def _rejected(_: Desk, __: str, *, p_values: Sequence[float], correction: str) -> Numbers:
    found = corrected(np.array(p_values), correction)
    return {f"alpha {alpha:g}": float((found <= alpha).sum()) for alpha in (0.05, 0.1, 0.7)}


def _power(desk: Desk, data: str, *, human: str) -> Numbers:
    from metassay.texts.scorers.damaged import DamagedRouge1

    trials, resamples = desk.effort.power
    texts = desk.texts(data)
    # The scores that were published with the paper are those against the first reference.
    first = replace(texts, references={key: found[:1] for key, found in texts.references.items()})
    result = simulate_power(
        desk.scores(data).select(columns=human),
        human=human,
        damage=DamagedRouge1(first, keep=(0.1, 0.5, 0.9)),
        level="system",
        test="williams,paired-boot-both",
        trials=trials,
        resamples=resamples,
        seed=desk.seed,
    )
    return {f"{row.test}, k = {100 * row.setting:.0f}": row.rate for row in result.table}


def _wmt(desk: Desk, data: str, *, language: str, human: str, statistic: str, level: str) -> Numbers:
    """Correlations of a metrics task; names there end in ``[noref]``, and those of files in ``-src`` or ``-refA``."""
    found = agree(
        desk.task(data, language),
        human=human,
        statistic=statistic,
        level=level,
        interval="boot-systems",
        resamples=2,
        seed=desk.seed,
    )
    ends = {"src": "[noref]", "refA": ""}
    named = ((row.metric.rpartition("-"), row.estimate) for row in found.table)
    return {name + ends[end]: estimate for (name, _, end), estimate in named if end in ends}


def _tested(desk: Desk, data: str, human: str, metrics: Sequence[str], level: str) -> Sequence[ComparisonRow]:
    result: Comparison = compare(
        desk.scores(data),
        human=human,
        metric=metrics,
        level=level,
        statistic="pearson",
        test="perm-both",
        correction="none",
        resamples=desk.effort.tests,
        seed=desk.seed,
    )
    return result.table


def _beaten(desk: Desk, data: str, *, human: str, metrics: Sequence[str], level: str) -> Numbers:
    rows = _tested(desk, data, human, metrics, level)
    return {"BERTScore": float(sum(row.significant for row in rows if row.metric_a == "bertscore_recall"))}


def _between(desk: Desk, data: str, *, human: str, metrics: Sequence[str], level: str) -> Numbers:
    return {"either way": float(sum(row.significant for row in _tested(desk, data, human, metrics, level)))}


def _pairs(desk: Desk, data: str, *, human: str, metric: str, **which: str) -> Numbers:
    asked: dict[str, Any] = {"shares": "1", **which}
    result = pairs(desk.scores(data), human=human, metric=metric, curve=False, resamples=2, seed=desk.seed, **asked)
    close, every = result.table[0].estimate, result.table[-1].estimate
    return {"within 0.5 points": close, "closest 20%": close, "all pairs": every}


def _criteria(desk: Desk, data: str, *, kind: str) -> Numbers:
    # which metrics take part does not matter here, and one is enough
    result = desk.criteria(data, "bucket", ("rouge-1_f1",))
    level = "system" if kind == "system" else "global"
    wanted = "estimate_within" if kind == "bucket" else "estimate"
    rows = [row for row in result.table if row.metric is None and row.level == level]
    return {_crossed(row): getattr(row, wanted) for row in rows}


def _crossed(row: Any) -> str:  # noqa: ANN401 - a row with a criterion and an anchor
    return f"{row.human}, {row.anchor}".replace("expert_", "")


def _medians(desk: Desk, data: str, *, method: str, metrics: Sequence[str]) -> Numbers:
    result = desk.criteria(data, method, metrics)
    return {_crossed(group): group.median for group in result.groups if group.method == method}


def _downgrade(
    desk: Desk,
    data: str,
    *,
    metric: str,
    column: str,
    corruption: str,
    references: int | None = None,
    slow: bool = False,
) -> Numbers:
    from metassay.texts.changes.corruptions import corrupt
    from metassay.texts.scorers.scoring import score

    if slow and not desk.effort.slow:
        raise CannotCheckError("takes minutes: left to the full run (--thorough)")
    texts = desk.texts(data)
    damaged = corrupt(texts, corruption, seed=desk.seed)
    before, after = (
        score(t, metric, cache=None, max_references=references).select(columns=column) for t in (texts, damaged.texts)
    )
    row = damaged.table[0]
    result = downgrade(before, Damaged(after, row.kind, row.human, row.rate))
    return {"of 17 systems": float(sum(count.n_noticed for count in result.counts))}


def _rouge(desk: Desk, data: str) -> Numbers:
    from metassay.texts.scorers.scoring import score

    published = desk.scores(data)
    ours = score(
        desk.texts(data),
        "rouge[variants=1+2+l+su4,measures=f1,stem=porter+exceptions]",
        cache=None,
        max_references=1,
    )
    if (ours.systems, ours.inputs) != (published.systems, published.inputs):
        raise CannotCheckError("the texts have other systems or inputs than the published scores")
    return {
        name: float(np.corrcoef(published.matrix(name).ravel(), ours.matrix(name).ravel())[0, 1])
        for name in ("rouge-1_f1", "rouge-2_f1", "rouge-l_f1", "rouge-su4_f1")
    }


_CHECKS: Mapping[str, Callable[..., Numbers]] = {
    "alternative": _alternative,
    "beaten": _beaten,
    "between": _between,
    "coverage": _coverage,
    "criteria": _criteria,
    "downgrade": _downgrade,
    "interval": _interval,
    "medians": _medians,
    "normality": _normality,
    "orders": _orders,
    "pairs": _pairs,
    "people": _people,
    "power": _power,
    "predicted": _predicted,
    "rejected": _rejected,
    "rouge": _rouge,
    "scored": _scored,
    "wins": _wins,
    "within-systems": _within_systems,
    "wmt": _wmt,
}
