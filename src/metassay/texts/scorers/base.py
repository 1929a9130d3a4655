"""What every metric of texts has: a name, options that are part of its recipe, and needs that are checked first."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.errors import DataError, one_line
from metassay.stats.corpus_scores import Formula

Need = Literal["output", "references", "source"]


class Unfinished(DataError):
    """A scorer had to stop within a batch.

    Parameters
    ----------
    message
        What is wrong, in one line.
    done
        The items of the batch that have their scores, which are kept.
    """

    def __init__(self, message: str, done: Sequence[tuple[Item, npt.NDArray[np.float64]]] = ()) -> None:
        super().__init__(message)
        self.done = tuple(done)


class Scorer(Protocol):
    """A metric with its options settled, ready to score.

    A scorer is a value: two with the same signature give the same numbers. Constructing one checks its options and
    that what it needs is installed, so nothing fails after work has started.
    """

    @property
    def signature(self) -> str:
        """The recipe in one line, such as ``rouge|stem:porter|references:best|v:2``; the key of the cache."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the scores that one output gets, such as ``rouge-1_f1``."""
        ...

    @property
    def lower_is_better(self) -> frozenset[str]:
        """The columns in which small scores are good, usually none."""
        ...

    @property
    def needs(self) -> frozenset[Need]:
        """What an item must have to be scored; an item that lacks it gets NaN and is counted."""
        ...

    @property
    def sees(self) -> frozenset[Need]:
        """What it looks at, if it is there: a change in it is a new score."""
        ...

    @property
    def in_process(self) -> bool:
        """Whether it has a model, threads or a connection of its own: it is then never sent to other processes."""
        ...

    @property
    def batch(self) -> int:
        """How many outputs it is handed at a time; a run that is killed loses no more than these."""
        ...

    @property
    def one_reference(self) -> bool:
        """Whether it compares with one reference only; an input with more is then an error that names it."""
        ...

    def fitted(self, items: Sequence[Item]) -> Scorer:
        """Return the scorer that has seen the whole collection, such as its document frequencies.

        Its signature carries :func:`digest` of what it learnt, so that scores of another collection are not reused.
        """
        ...

    def notes(self, items: Sequence[Item]) -> Sequence[Note | str]:
        """Return what a reader of the scores of these items must know; a scorer of your own may use plain words."""
        ...

    def score(self, items: Sequence[Item]) -> npt.NDArray[np.float64]:
        """Return scores of shape (items, columns), NaN where a score is undefined."""
        ...


@runtime_checkable
class AsksAgain(Protocol):
    """A scorer whose missing scores may be there at the next try, and cost something that is not to be paid twice."""

    def complete(self, items: Sequence[Item], rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the rows of items, in which only what is missing was tried again."""
        ...


class CorpusCounts(NamedTuple):
    """What a metric counts for scores of whole systems."""

    counts: npt.NDArray[np.float64]
    """Counts of each output, (items, counts), which add up; NaN for an output that cannot be counted."""
    formula: Formula
    """From added counts to a score."""
    signature: str
    """The recipe in one line."""


@runtime_checkable
class ScoresCorpora(Protocol):
    """A scorer whose score of a whole system is not the mean of those of its outputs."""

    def corpus(self, items: Sequence[Item]) -> CorpusCounts:
        """Return what is to be added up over the outputs of a system."""
        ...


class ScorerDefaults:
    """What most scorers have alike; a scorer inherits it and says what is different."""

    @property
    def lower_is_better(self) -> frozenset[str]:
        """No column."""
        return frozenset()

    @property
    def sees(self: Scorer) -> frozenset[Need]:
        """What it needs and nothing else."""
        return self.needs

    @property
    def in_process(self) -> bool:
        """It may be sent to other processes, so it must be picklable."""
        return False

    @property
    def batch(self) -> int:
        """200 outputs; 500 for a scorer with a model, which has more to gain from sorting them by length."""
        return 500 if self.in_process else 200

    @property
    def one_reference(self) -> bool:
        """Any number of references."""
        return False

    def fitted(self: Scorer, items: Sequence[Item]) -> Scorer:  # noqa: ARG002 - others look at the items
        """Return the scorer as it is: it has nothing to learn from a collection."""
        return self

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:  # noqa: ARG002 - others look at the items
        """Return nothing."""
        return ()


def name_of(scorer: Scorer) -> str:
    """Return the name of a metric, which begins its signature.

    Examples
    --------
    >>> from metassay.texts.scorers.statistics import Length
    >>> name_of(Length())
    'length'
    """
    return scorer.signature.partition("|")[0]


def in_recipe(value: object, most: int) -> str:
    """Return a value for a signature, on one line; of a long one the beginning and a digest of the whole.

    Examples
    --------
    >>> in_recipe("short", 20), in_recipe("long " * 20, 20) == in_recipe("long " * 21, 20)
    ('short', False)
    """
    text = one_line(value, most)
    return f"{text}#{digest([str(value)])}" if text.endswith("…") else text


def digest(parts: Iterable[str | bytes]) -> str:
    """Return eight letters that stand for a content, for signatures of scorers that learnt something.

    Examples
    --------
    >>> digest(["a", "b"]) == digest(["ab"])
    False
    """
    made = hashlib.blake2b(digest_size=4)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        made.update(len(data).to_bytes(8, "little") + data)
    return made.hexdigest()
