"""Do results differ between kinds of inputs or systems?

A study is done on each slice of the scores, and the slices are compared.

Agreement is tested by dealing inputs (or systems, by what the slices are made of) to the slices at random: p is the
share of dealings in which the estimates of the slices are at least as far apart. Clusters of inputs and families of
systems are dealt as one. Other numbers are tested by the heterogeneity of their estimates, with standard errors from
their confidence intervals (Cochran 1954, "The combination of estimates from different experiments").
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple, cast

import numpy as np

from metassay import engine
from metassay.core import fields, vocabulary
from metassay.core.note import WHERE, Note
from metassay.core.result import Result, Row
from metassay.core.scores import Scores
from metassay.core.signature import VERSION, Signature
from metassay.core.slices import Sliced, SliceDifference, Slices, sliced
from metassay.errors import DataError, UsageError, one_line
from metassay.stats.arrays import FloatArray
from metassay.stats.methods.case import by_common_cells
from metassay.stats.significance import corrected
from metassay.stats.slices import DEALINGS, deal, dealt_p_values, heterogeneity, uncut
from metassay.stats.statistics.registry import choose
from metassay.studies.input_sets import InputSets
from metassay.studies.selection import Selection, select

TESTED = ("agree", "compare")
"""Studies whose estimates can be computed again for any slices."""
SETTINGS = ("setting", "component", "share")
"""Numbers that tell rows apart, as names do."""


def by_slices(study: Callable[[Scores], Result], scores: object, by: str, options: Mapping[str, Any]) -> Slices:
    """Do a study on each slice of the scores, and test whether the slices differ.

    Parameters
    ----------
    study
        The study, with its options.
    scores
        The scores.
    by
        What tells the slices apart, as :func:`metassay.core.slices.sliced` knows it.
    options
        The options in their one form.
    """
    if not isinstance(scores, Scores):
        raise UsageError(
            f"by (--by) makes slices of scores, got {type(scores).__name__}; "
            "for votes, use --select, such as raters=anna"
        )
    cut = sliced(scores, by)
    found: dict[str, Result] = {}
    notes = list(cut.notes)
    errors: dict[str, DataError] = {}
    for label, part in cut.parts.items():
        try:
            found[label] = study(part)
        except DataError as error:
            errors[label] = error
            notes.append(Note.of("slice-skipped", slice=label, reason=one_line(error, 200).rstrip(".")))
    if not found:
        first, why = next(iter(errors.items()))
        raise DataError(f"{one_line(by)} {one_line(first)!r}, and every other slice: {why}") from why
    table, told = _differences(scores, cut, found, options)
    told += Note.when(cut.axis == "axis", "slices-share-outputs", by=by)
    labels, results = tuple(found), tuple(found.values())
    alpha = float(options.get("alpha", round(1 - options.get("confidence", 0.95), 12)))
    return Slices(tuple(table), _signature(by, results), (*notes, *told), by, labels, results, alpha)


def _signature(by: str, results: Sequence[Result]) -> Signature:
    """Return the recipe of all slices: parts that differ between them stand side by side."""
    every = [dict(result.signature.parts) for result in results]
    parts = {}
    for key in dict.fromkeys(key for one in every for key in one if key not in ("study", "v")):
        values = [one.get(key, "") for one in every]
        parts[key] = values[0] if len(set(values)) == 1 else "/".join(values)
    named = (("study", results[0].study), ("by", vocabulary.in_a_signature(by)))
    return Signature((*named, *parts.items(), ("v", VERSION)))


# -- what is compared ---------------------------------------------------------------------------


class _Quantity(NamedTuple):
    """The number of a study's rows that is compared, and what tells its rows apart."""

    name: str
    keys: tuple[str, ...]
    has_interval: bool


def _quantity(row: Row) -> _Quantity | None:
    """Return the number before ``low`` and ``high``, or the difference of a comparison; the names before are keys."""
    names = [each.name for each in dataclasses.fields(row)]
    if "difference" in names and "metric_a" in names:
        return _Quantity("difference", ("metric_a", "metric_b", "human", "level", "statistic"), False)
    if "low" not in names or "high" not in names:
        return None
    before = [at for at, n in enumerate(names[: names.index("low")]) if isinstance(getattr(row, n), float)]
    if not before:
        return None
    at = before[-1]
    keys = [n for n in names[:at] if n in SETTINGS or isinstance(getattr(row, n), str | None)]
    return _Quantity(names[at], tuple(keys), True)


def _differences(
    scores: Scores, cut: Sliced, found: Mapping[str, Result], options: Mapping[str, Any]
) -> tuple[list[SliceDifference], list[Note]]:
    """Return a row for every number that several slices have, and notes on how they were tested."""
    first = next((row for result in found.values() for row in result.table), None)
    quantity = None if first is None else _quantity(first)
    study = next(iter(found.values())).study
    if quantity is None or len(found) < 2:
        reason = "one-slice" if len(found) < 2 else "no-quantity"
        return [], [Note.of("slices-untested", reason=reason)]
    values: dict[tuple[Any, ...], dict[str, Row]] = {}
    twice = set()
    for label, result in found.items():
        for row in result.table:
            key = tuple(getattr(row, name) for name in quantity.keys)
            twice |= {key} if label in values.setdefault(key, {}) else set()
            values[key][label] = row
    values = {key: rows for key, rows in values.items() if key not in twice}
    if quantity.name == "difference":
        seen = {tuple(sorted(key[:2])) + key[2:]: key for key in reversed(values)}
        values = {key: values[key] for key in values if seen[tuple(sorted(key[:2])) + key[2:]] == key}
    dealt = _dealt(scores, cut, list(found), options, pairs=study == "compare") if study in TESTED else {}
    made = (_row(quantity, dict(zip(quantity.keys, key, strict=True)), mine, dealt) for key, mine in values.items())
    rows = [row for row in made if row is not None]
    adjusted = corrected(np.array([row.p_value for row in rows], dtype=np.float64), "holm")
    rows = [dataclasses.replace(row, p_corrected=float(p)) for row, p in zip(rows, adjusted, strict=True)]
    tests = {row.test for row in rows}
    reason = "no-interval" if rows else "no-quantity"
    return rows, [
        *Note.when("permutation" in tests, "slices-dealt", axis=cut.axis, n=DEALINGS),
        *Note.when("intervals" in tests, "slices-by-intervals"),
        *Note.when(not tests - {"none"}, "slices-untested", reason=reason),
    ]


def _row(
    quantity: _Quantity, key: dict[str, Any], rows: Mapping[str, Row], dealt: Mapping[tuple[str, ...], float]
) -> SliceDifference | None:
    numbers = {label: float(getattr(row, quantity.name)) for label, row in rows.items()}
    defined = {label: value for label, value in numbers.items() if not math.isnan(value)}
    if len(defined) < 2:
        return None
    lowest, highest = min(defined, key=defined.__getitem__), max(defined, key=defined.__getitem__)
    p, test = math.nan, "none"
    place = tuple(str(key.get(name, "")) for name in WHERE)
    if quantity.name == "difference":
        place = (f"{key['metric_a']} − {key['metric_b']}", *place[1:])
    if place in dealt and len(defined) == len(rows):
        p, test = dealt[place], "permutation"
    elif quantity.has_interval:
        ends = [(cast("Any", rows[label]).low, cast("Any", rows[label]).high) for label in defined]
        confidence = float(getattr(rows[next(iter(defined))], "confidence", 0.95))
        p, test = heterogeneity(list(defined.values()), ends, confidence), "intervals"
    others = {name: value for name, value in key.items() if name not in (*WHERE, "metric_a", "metric_b")}
    return fields.filled(
        SliceDifference,
        dict(zip(WHERE, place, strict=True)),
        other=tuple(f"{name}={value}" for name, value in others.items() if value is not None),
        quantity=quantity.name,
        n_slices=len(defined),
        lowest=lowest,
        low=defined[lowest],
        highest=highest,
        high=defined[highest],
        difference=defined[highest] - defined[lowest],
        p_value=p,
        p_corrected=math.nan,
        test=test if not math.isnan(p) else "none",
    )


# -- agreement, tested by dealing ---------------------------------------------------------------


def _dealt(
    scores: Scores, cut: Sliced, labels: Sequence[str], options: Mapping[str, Any], *, pairs: bool
) -> dict[tuple[str, ...], float]:
    """Return p-values of agreement, and of differences between two metrics, by metric, human, level and statistic."""
    if cut.axis not in ("input", "system"):
        return {}
    kept = [at for at, label in enumerate(cut.parts) if label in labels]
    codes = np.where(np.isin(cut.codes, kept), np.searchsorted(kept, np.clip(cut.codes, 0, None)), -1)
    if cut.axis == "input":
        whole = {n: dataclasses.replace(c, system_scores=None) for n, c in scores.columns.items()}
        scores = dataclasses.replace(scores, columns=whole)
    selected = select(scores, options.get("human"), options.get("metric"), references=options.get("references", False))
    by_name = dict(zip(scores.inputs if cut.axis == "input" else scores.systems, codes.tolist(), strict=True))
    names = selected.scores.inputs if cut.axis == "input" else selected.scores.systems
    codes = np.array([by_name[name] for name in names])
    units = uncut(selected.labels(f"{cut.axis}s"), codes)
    levels = tuple(options["level"])
    found: dict[tuple[str, ...], float] = {}
    sizes = np.bincount(codes[codes >= 0], minlength=len(kept))
    for h, human in enumerate(selected.humans):
        if cut.axis == "input":
            judged = ~np.isnan(selected.z[h])
            there = [judged[:, codes == at].any(axis=1) for at in range(len(kept))]
            if any((each != there[0]).any() for each in there):
                continue  # slices of other systems: inputs cannot be exchanged between them
        for level in levels:
            for statistic in choose(options["statistic"], levels):
                taken = selected.at(level, h, statistic)
                for x, sets, named, both in _groups(taken, h, level, options.get("inputs", "all"), pairs=pairs):
                    case = sets.case(x, list(range(len(x))), taken.z[h], level, statistic)
                    masks = (sets.scored, None if sets.paired else sets.judged)
                    drawn = deal(
                        case.prepared, codes, units, len(kept), cut.axis, masks, options.get("seed", 0), engine.run
                    )
                    if pairs:
                        drawn = np.stack([drawn[a] - drawn[b] for a, b in both])
                    for name, p in zip(named, dealt_p_values(drawn, sizes), strict=True):
                        found[name, human, level, statistic.name] = p
    return found


def _groups(
    taken: Selection, human: int, level: str, inputs: str, *, pairs: bool
) -> Iterator[tuple[FloatArray, InputSets, list[str], list[tuple[int, int]]]]:
    """Yield metrics that are dealt together, their inputs, names, and pairs by position; pairs are on common cells."""
    if not pairs:
        for metrics, sets in taken.by_inputs(human, level, inputs):
            yield taken.x[metrics], sets, [taken.metrics[m] for m in metrics], []
        return
    for mask, metrics, some in by_common_cells(taken.x, list(combinations(range(len(taken.x)), 2))):
        sets = taken.sets(np.asarray(mask.any(axis=0)), human, level, inputs)
        named = [f"{taken.metrics[a]} − {taken.metrics[b]}" for a, b in some]
        local = [(metrics.index(a), metrics.index(b)) for a, b in some]
        yield np.where(mask, taken.x[metrics], np.nan), sets, named, local
