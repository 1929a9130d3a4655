"""Texts that are corrupted on purpose, to see whether a metric notices."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from metassay import engine
from metassay.core import options as opt
from metassay.core import text_options as text
from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.origin import Origin
from metassay.core.result import Result
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.core.texts import Item, Texts
from metassay.errors import UnknownName, UsageError, one_line
from metassay.texts.changes.analysis import Analysis, analysis
from metassay.texts.changes.edits import Draft, Setting
from metassay.texts.changes.kinds import KINDS, Kind
from metassay.texts.changes.persons import Name
from metassay.texts.segments import is_spaceless, replaced

Damage = tuple[Item, Draft, bool]
"""A text, its edits, and whether it was left alone because it has no spaces between words."""
INPUTS_PER_PAGE = 4
"""Inputs whose texts are corrupted at a time, between two reports of progress."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change to one text. Applied to the original, the changes of a text give the corrupted text."""

    system: str
    """The system whose text it is."""
    input: str
    """The input it answers."""
    position: int
    """Where it begins in the original text, counted in characters from 0."""
    before: str
    """What stood there; empty where something was only put in."""
    after: str
    """What stands there now; empty where something was only taken out."""


@dataclass(frozen=True, slots=True)
class CorruptionRow:
    """What was done to the texts of one system."""

    system: str
    """The system."""
    kind: str
    """The kind of corruption."""
    human: str
    """The quality criterion that it corrupts."""
    rate: float
    """The share of units that was to be changed."""
    n_texts: int
    """Texts of the system."""
    n_changed_texts: int
    """Texts that are not what they were."""
    n_untouchable: int
    """Texts with nothing in them to change, such as a single sentence that was to be shuffled."""
    n_units: int
    """Verbs, sentences, persons, numbers or words that could have been changed."""
    n_changes: int
    """Changes that were made."""


class Corruption(Result, study="corrupt"):
    """Corrupted texts, and every change that was made."""

    table: Sequence[CorruptionRow]
    """One row per system that was corrupted."""
    texts: Texts
    """The texts, corrupted where they were to be; other systems, references and sources are as before."""
    changes: tuple[Change, ...]
    """Every change, by input, system and position."""

    def change_rows(self) -> list[dict[str, Any]]:
        """Return the changes as flat dicts."""
        return [asdict(change) for change in self.changes]


@study
def corrupt(
    texts: Texts,
    kind: str,
    *,
    rate: opt.Rate = None,
    seed: opt.Seed = 0,
    systems: text.Systems = None,
    backend: opt.Backend = "built-in",
) -> Corruption:
    """Corrupt the outputs of systems in one way.

    Parameters
    ----------
    texts
        Outputs, and the sources from which other persons and numbers are taken.
    kind
        What to do: ``lemmatize`` (verbs to their dictionary form), ``shuffle`` (sentences change places),
        ``swap-persons`` (each person becomes another one of the source), ``drop-words``, ``repeat`` (sentences stand
        twice), ``negate``, ``swap-numbers``, ``truncate``. Probes, which leave the quality as it was: ``padding``
        (sentences that say nothing), ``repetition`` (everything is said again at the end), ``reformat`` (a list, with
        bold words), ``position-swap`` (two answers in one text change places) and ``name-swap`` (names of models).

    Notes
    -----
    The first three kinds are those of Ernst, Shapira, Dagan and Levy (2023), section 3, for fluency, coherence and
    consistency. A text without anything to change stays as it is and is counted. Kinds that work on words do not change
    texts in scripts without spaces, such as Chinese, and a note says how many.

    Examples
    --------
    >>> texts = Texts({("a", "1"): "It rained . We stayed in . Nobody called ."})
    >>> damaged = corrupt(texts, "shuffle", seed=1)
    >>> damaged.texts.outputs["a", "1"]
    'We stayed in . Nobody called . It rained .'
    >>> damaged.changes[0]
    Change(system='a', input='1', position=0, before='It rained .', after='We stayed in .')
    """
    name = vocabulary.choice("kind of corruption", kind.replace("_", "-"), tuple(KINDS))
    how = KINDS[name]
    share = _share(how.rate if rate is None else rate)
    chosen = _systems(texts, systems)
    if how.source and not texts.sources:
        raise UsageError(f"{name} takes other {how.units} from the source texts, and there are none")
    if how.english and backend == "built-in" and texts.language and not texts.language.lower().startswith("en"):
        raise UsageError(
            f"the built-in rules of {name} know only English, and the texts are in {one_line(texts.language, 40)!r}; "
            "name a pipeline for that language with backend='spacy:NAME'"
        )
    finder = analysis(backend, how.needs)

    items: dict[str, list[Item]] = {}
    for item in texts.items():
        if item.system in chosen:
            items.setdefault(item.input, []).append(item)
    inputs = list(items)
    pages = -(-len(inputs) // INPUTS_PER_PAGE)

    def work(page: int) -> list[Damage]:
        done = []
        for key in inputs[page * INPUTS_PER_PAGE : (page + 1) * INPUTS_PER_PAGE]:
            people = finder.people(texts.sources.get(key, "")) if "people" in how.needs else ()
            done += [_damage(item, how, finder, people, share, (seed, name)) for item in items[key]]
        return done

    done = engine.run(work, pages, threads=1, what=f"corrupting: {name}")
    results = [one for page in done for one in page]
    outputs = dict(texts.outputs)
    changes: list[Change] = []
    for item, draft, _ in results:
        outputs[item.system, item.input] = replaced(item.output, draft.edits)
        changes += (
            Change(item.system, item.input, edit.start, item.output[edit.start : edit.end], edit.after)
            for edit in draft.edits
        )
    rows = tuple(_row(system, name, how, share, results, outputs) for system in chosen)
    recipe = f"kind:{name}, rate:{share:g}, seed:{seed}, {finder.signature}"
    damaged = replace(texts, outputs=outputs, provenance=(*texts.provenance, Origin("corrupted", recipe)))
    made = {"kind": name, "rate": f"{share:g}", "seed": seed, "backend": finder.signature}
    signature = Signature.of("corrupt", **made, systems=len(chosen), inputs=len(inputs))
    return Corruption(rows, signature, _notes(rows, how, results, texts), damaged, tuple(changes))


def _damage(
    item: Item, how: Kind, finder: Analysis, people: Sequence[Name], rate: float, key: tuple[int, str]
) -> Damage:
    """Return the edits of one text, and whether it was left alone because it has no spaces between words."""
    if how.spaces and is_spaceless(item.output):
        return item, Draft([], 0), True
    # only random() is promised to give the same numbers in every version of Python
    seed = hashlib.sha256("\0".join([*map(str, key), item.system, item.input]).encode("utf-8", "surrogatepass"))
    draw = random.Random(int.from_bytes(seed.digest(), "big")).random
    return item, how.edit(Setting(item.output, item.source or "", people, finder, rate, draw)), False


def _row(
    system: str, name: str, how: Kind, rate: float, results: Sequence[Damage], outputs: dict[tuple[str, str], str]
) -> CorruptionRow:
    own = [(item, draft) for item, draft, _ in results if item.system == system]
    return CorruptionRow(
        system=system,
        kind=name,
        human=how.criterion,
        rate=rate,
        n_texts=len(own),
        n_changed_texts=sum(outputs[item.system, item.input] != item.output for item, _ in own),
        n_untouchable=sum(draft.units == 0 for _, draft in own),
        n_units=sum(draft.units for _, draft in own),
        n_changes=sum(len(draft.edits) for _, draft in own),
    )


def _notes(rows: Sequence[CorruptionRow], how: Kind, results: Sequence[Damage], texts: Texts) -> tuple[Note, ...]:
    total = sum(row.n_texts for row in rows)
    spaceless = sum(left for _, _, left in results)
    untouchable = sum(row.n_untouchable for row in rows) - spaceless
    without = sum(item.input not in texts.sources for item, _, _ in results) if how.source else 0
    return (
        *Note.when(spaceless > 0, "texts-without-spaces", n=spaceless, texts=total),
        *Note.when(untouchable > 0, "texts-without-units", n=untouchable, texts=total, units=how.units),
        *Note.when(without > 0, "texts-without-source", n=without, texts=total),
    )


def _share(rate: float) -> float:
    if not 0 <= rate <= 1:
        hint = f"; did you mean {rate / 100:g}?" if 1 < rate <= 100 else ""
        raise UsageError(f"rate must lie in [0, 1], got {rate}{hint}")
    return float(rate)


def _systems(texts: Texts, systems: str | Iterable[str] | None) -> tuple[str, ...]:
    if systems is None:
        return texts.systems
    wanted = [systems] if isinstance(systems, str) and systems in texts.systems else vocabulary.names(systems)
    for name in wanted:
        if name not in texts.systems:
            raise UnknownName("system", name, texts.systems)
    if not wanted:
        raise UsageError("no system given; name at least one, or leave the option out to corrupt all")
    return tuple(name for name in texts.systems if name in wanted)
