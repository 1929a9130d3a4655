"""What every metric of texts has: a name, options that are part of its recipe, and needs that are checked first."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal, NamedTuple, dataclass_transform

import numpy as np

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.errors import DataError, UsageError, one_line
from metassay.stats.arrays import FloatArray
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

    def __init__(self, message: str, done: Sequence[tuple[Item, FloatArray]] = ()) -> None:
        super().__init__(message)
        self.done = tuple(done)


class CorpusCounts(NamedTuple):
    """What a metric counts for scores of whole systems."""

    counts: FloatArray
    """Counts of each output, (items, counts), which add up; NaN for an output that cannot be counted."""
    formula: Formula
    """From added counts to a score."""
    signature: str
    """The recipe in one line."""


def option(default: Any, check: Callable[[str, Any], Any]) -> Any:  # noqa: ANN401 - of the option's own type
    """Declare an option of a scorer: its default, and what takes its name and a value and returns the value, or raises.

    Examples
    --------
    >>> class Ones(Scorer):
    ...     size: int = option(1, vocabulary.count)
    >>> Ones(size=0)
    Traceback (most recent call last):
    metassay.errors.UsageError: size must be a whole number of at least 1, got 0
    """
    return field(default=default, metadata={"check": check})


def one_of(default: str, what: str, known: Sequence[str]) -> Any:  # noqa: ANN401 - of the option's own type
    """Declare an option that is one of several names; `what` it is stands in the message if it is none of them."""
    return option(default, lambda _, value: vocabulary.choice(what, value, known))


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
class Scorer:
    """A metric with its options settled, ready to score; a metric inherits this and says what is different.

    A scorer is a value: two with the same signature give the same numbers. Its options are the annotated names in its
    class, as in a dataclass, and the docstring of the class tells what they mean. Making one checks them and that what
    it needs is installed, so nothing fails after work has started.
    """

    name: str
    """The name on the command line, which is also that of a scorer's only column."""
    signature: str
    """The recipe in one line, such as ``rouge|stem:porter|references:best|v:2``; the key of the cache."""
    columns: tuple[str, ...]
    """Names of the scores that one output gets, such as ``rouge-1_f1``."""
    lower_is_better: frozenset[str] = frozenset()
    """The columns in which lower scores are better, usually none."""
    needs: frozenset[Need] = frozenset({"references"})
    """What an item must have to be scored; an item that lacks it gets NaN and is counted."""
    in_process = False
    """Whether it has a model, threads or a connection of its own: it then stays in this process; any other must be
    picklable."""
    one_reference = False
    """Whether it compares with one reference only; an input with more is then an error that names it."""

    def __init_subclass__(cls) -> None:
        if "name" in cls.__dict__ and "columns" not in cls.__dict__:
            cls.columns = (cls.name,)
        maker = next(each for each in cls.__mro__ if "__init__" in each.__dict__)
        if maker is object or "__dataclass_fields__" in maker.__dict__:  # or else it is made in a way of its own
            dataclass(eq=False, repr=False, kw_only=True)(cls)

    def __post_init__(self) -> None:
        for each in fields(self):  # type: ignore[arg-type]
            if "check" in each.metadata:
                setattr(self, each.name, each.metadata["check"](each.name, getattr(self, each.name)))
        self._prepare()

    def _prepare(self) -> None:
        """Check and load the rest, so that nothing fails after work has started."""

    def _recipe(self, parts: str, *, v: object = 1, **given: object) -> str:
        """Return a signature: the name, what decides the numbers, and the version; what is None is left out.

        Parts are named in their order. What is not given is an option, in the form in which it was settled: ``_n``
        comes before ``n``.
        """
        values = {part: given.get(part, getattr(self, f"_{part}", getattr(self, part, None))) for part in parts.split()}
        told = [f"{part}:{_shown(value)}" for part, value in values.items() if value is not None]
        return "|".join([self.name, *told, f"v:{v}"])

    @cached_property
    def sees(self) -> frozenset[Need]:
        """What it looks at, if it is there: a change in it is a new score. By default what it needs."""
        return self.needs

    @cached_property
    def batch(self) -> int:
        """How many outputs it is handed at a time; a run that is killed loses no more than these.

        One with a model has more to gain from sorting them by length.
        """
        return 500 if self.in_process else 200

    def fitted(self, items: Sequence[Item]) -> Scorer:  # noqa: ARG002 - others look at the items
        """Return the scorer that has seen the whole collection, such as its document frequencies; by default as it is.

        Its signature carries :func:`digest` of what it learnt, so that scores of another collection are not reused.
        """
        return self

    def notes(self, items: Sequence[Item]) -> Sequence[Note | str]:  # noqa: ARG002 - others look at the items
        """Return what a reader of the scores of these items must know; a scorer of your own may use plain words."""
        return ()

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return scores of shape (items, columns), NaN where a score is undefined."""
        return self._each(items, self._one)

    def _one(self, item: Item) -> Sequence[float] | FloatArray | float:
        """Return the scores of one item, which has what is needed."""
        raise NotImplementedError

    asks_again = False
    """Whether missing scores may be there at the next try, and cost something that is not to be paid twice."""

    def complete(self, items: Sequence[Item], rows: FloatArray) -> FloatArray:
        """Return the rows of items, in which only what is missing was tried again."""
        raise NotImplementedError

    def corpus(self, items: Sequence[Item]) -> CorpusCounts:  # noqa: ARG002
        """Return what is to be added up over the outputs of a system, if its score is not the mean of theirs."""
        raise UsageError(f"{name_of(self)} has no score of a whole system; choose from bleu, chrf, chrf++, ter, meteor")

    def _counted(self, code: str, n: int, **facts: object) -> tuple[Note, ...]:
        """Return a note that counts something, or nothing where there is none of it."""
        return (Note.of(code, scorer=self.name, n=n, **facts),) if n else ()

    def _each(self, items: Sequence[Item], one: Callable[[Item], Sequence[float] | FloatArray | float]) -> FloatArray:
        """Return what is said of each item, (items, columns); NaN for an item that lacks what is needed."""
        out = np.full((len(items), len(self.columns)), np.nan)
        for row, item in enumerate(items):
            if has(item, self.needs):
                out[row] = one(item)
        return out


def has(item: Item, needs: frozenset[Need]) -> bool:
    """Tell whether an item has what is needed."""
    return not ("references" in needs and not item.references) and not ("source" in needs and item.source is None)


def small_products() -> AbstractContextManager[object]:
    """Keep products of small matrices to one thread: several would wait for one another longer than they work."""
    from threadpoolctl import threadpool_limits

    found: AbstractContextManager[object] = threadpool_limits(1, user_api="blas")
    return found


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(_shown, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


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
    return hashed(parts, 4).hex()


def hashed(parts: Iterable[str | bytes], size: int) -> bytes:
    """Return bytes that stand for a content; where a part ends is part of it."""
    made = hashlib.blake2b(digest_size=size)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        made.update(len(data).to_bytes(8, "little") + data)
    return made.digest()
