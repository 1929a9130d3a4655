"""Votes: which of two outputs is better, said by people or by judges."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from metassay.core import vocabulary
from metassay.core.column import Attribute, Kind
from metassay.core.equality import Record
from metassay.core.note import Note
from metassay.core.origin import Origin
from metassay.core.result import render
from metassay.errors import DataError, UnknownName, UsageError, listed, one_line
from metassay.stats.arrays import BoolArray, IntArray

if TYPE_CHECKING:
    from typing import Self

WINNERS = ("a", "b", "tie", "both bad")
"""What a vote can say, by code."""
A, B, TIE, BOTH_BAD = range(4)
UNKNOWN = -1
"""The order in which outputs were shown, if nobody knows."""


@dataclass(frozen=True, slots=True, eq=False)
class Votes(Record):
    """Pairwise preferences of people and judges. Immutable.

    Build it with :meth:`from_arrays`, :meth:`from_frame`, or :func:`metassay.read_votes`.

    Examples
    --------
    >>> votes = Votes.from_arrays(["x", "x", "y"], ["y", "z", "z"], ["a", "tie", "b"])
    >>> votes
    Votes(3 votes; 3 systems; 3 inputs; 1 rater: rater)
    >>> votes.counts().tolist()
    [[0.0, 1.0, 0.5], [0.0, 0.0, 0.0], [0.5, 1.0, 0.0]]
    """

    systems: tuple[str, ...]
    """Labels of what is compared."""
    inputs: tuple[str, ...]
    """Labels of what the outputs answer."""
    raters: tuple[str, ...]
    """People and judges."""
    input: IntArray
    """Per vote, the position of its input."""
    a: IntArray
    """Per vote, the position of the first system."""
    b: IntArray
    """Per vote, the position of the second system."""
    winner: IntArray
    """Per vote, a position in :data:`WINNERS`."""
    rater: IntArray
    """Per vote, the position of who gave it."""
    first: IntArray
    """Per vote, 0 if A was shown first, 1 if B was, -1 if nobody knows."""
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """``human`` or ``metric`` for each rater of whom it is known."""
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    """Further facts on each vote, such as the texts of both outputs."""
    sources: tuple[Origin, ...] = ()
    """Where the votes came from."""
    notes: tuple[Note, ...] = ()
    """What a reader of the votes must know."""

    def __post_init__(self) -> None:
        bounds = {
            "input": (0, len(self.inputs)),
            "a": (0, len(self.systems)),
            "b": (0, len(self.systems)),
            "winner": (0, len(WINNERS)),
            "rater": (0, len(self.raters)),
            "first": (UNKNOWN, 2),
        }
        n = len(self.winner)
        if not n:
            raise DataError("there are no votes")
        for name, (low, high) in bounds.items():
            codes = np.array(getattr(self, name), dtype=np.int32)
            if codes.shape != (n,) or codes.min() < low or codes.max() >= high:
                raise DataError(f"{name!r} of votes must be {n} positions from {low} to {high - 1}")
            codes.flags.writeable = False
            object.__setattr__(self, name, codes)
        for axis, labels in (("systems", self.systems), ("inputs", self.inputs), ("raters", self.raters)):
            if len(set(labels)) != len(labels):
                raise DataError(f"labels of {axis} must be unique")
        if (self.a == self.b).any():
            own = self.systems[int(self.a[self.a == self.b][0])]
            raise DataError(
                f"{int((self.a == self.b).sum())} votes compare {one_line(own)!r} with itself; leave them out"
            )
        for name, attribute in self.attributes.items():
            if attribute.codes.shape != (n,) or attribute.name != name:
                raise DataError(f"attribute {one_line(name)!r} must have one value per vote")
        for each in ("kinds", "attributes"):
            object.__setattr__(self, each, MappingProxyType(dict(getattr(self, each))))

    @classmethod
    def from_arrays(
        cls,
        a: Sequence[str],
        b: Sequence[str],
        winner: Sequence[object],
        *,
        inputs: Sequence[str] | None = None,
        raters: Sequence[str] | None = None,
        first: Sequence[int] | npt.ArrayLike | None = None,
        human: str | Iterable[str] = (),
    ) -> Self:
        """Build votes from one label per vote.

        Parameters
        ----------
        a, b
            The two systems.
        winner
            ``a``, ``b``, ``tie`` or ``both bad``; also ``model_a``, ``left``, ``1``, ``2`` or the system's name.
        inputs, raters
            Labels; by default each vote has an input of its own, and all are of one rater.
        first
            0 if A was shown first, 1 if B was, -1 if nobody knows, which is the default.
        human
            Names of the raters who are people.
        """
        from metassay.core.vote_tables import winners

        n = len(a)
        own = [str(at + 1) for at in range(n)] if inputs is None else list(map(str, inputs))
        who = ["rater"] * n if raters is None else list(map(str, raters))
        said = winners(list(winner), list(map(str, a)), list(map(str, b)), "winner", "the votes", range(1, n + 1))
        if any(one is None for one in said):
            raise DataError("a vote needs a winner; leave the others out")
        people = {human} if isinstance(human, str) else set(human)
        return cls.of_labels(
            own,
            list(map(str, a)),
            list(map(str, b)),
            said,
            who,
            [UNKNOWN] * n if first is None else first,
            {name: "human" if name in people else "metric" for name in dict.fromkeys(who)} if people else {},
        )

    @classmethod
    def of_labels(
        cls,
        inputs: Sequence[str],
        a: Sequence[str],
        b: Sequence[str],
        winner: Sequence[int | None],
        raters: Sequence[str],
        first: npt.ArrayLike,
        kinds: Mapping[str, Kind],
        **more: Any,  # noqa: ANN401 - further fields of the class
    ) -> Self:
        """Build votes from labels and codes; labels are sorted naturally."""
        from metassay.core.scores import natural

        def coded(*parts: Sequence[str]) -> tuple[tuple[str, ...], list[IntArray]]:
            labels = tuple(sorted({label for part in parts for label in set(part)}, key=natural))
            where = {label: at for at, label in enumerate(labels)}
            return labels, [np.fromiter(map(where.__getitem__, part), np.int64, len(part)) for part in parts]

        systems, (at_a, at_b) = coded(a, b)
        keys, (at_input,) = coded(inputs)
        who, (at_rater,) = coded(raters)
        codes: IntArray = np.array(winner)
        order: IntArray = np.asarray(first)
        return cls(systems, keys, who, at_input, at_a, at_b, codes, at_rater, order, kinds, **more)

    @classmethod
    def from_frame(cls, frame: object, **mapping: Any) -> Votes:  # noqa: ANN401 - the options of `Reading`
        """Build votes from a data frame with two columns of systems and one of winners.

        Parameters
        ----------
        frame
            Any data frame that narwhals knows, with columns such as ``model_a, model_b, winner``.
        **mapping
            ``input_column``, ``annotator_column`` and ``ignore``, as :func:`metassay.read_votes` takes them.
        """
        import narwhals as nw

        from metassay.core.reading import Reading
        from metassay.core.vote_tables import VoteBook

        eager = nw.from_native(frame, eager_only=True)  # type: ignore[call-overload]
        book = VoteBook(Reading.of(**mapping))
        table = {str(name): eager[name].to_list() for name in eager.columns}
        book.record(table, "the data frame", range(1, len(eager) + 1))
        return book.votes((Origin("a data frame", "votes"),))

    # -- looking --------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.winner)

    @property
    def humans(self) -> tuple[str, ...]:
        """The raters who are people."""
        return tuple(rater for rater in self.raters if self.kinds.get(rater) == "human")

    @property
    def judges(self) -> tuple[str, ...]:
        """The raters who are not known to be people."""
        return tuple(rater for rater in self.raters if self.kinds.get(rater) != "human")

    @property
    def outcome(self) -> npt.NDArray[np.float64]:
        """Per vote, 1 if A won, 0 if B did, ½ for a tie."""
        return np.array([1.0, 0.0, 0.5, 0.5])[self.winner]

    def find(self, patterns: str | Iterable[str]) -> tuple[str, ...]:
        """Return the raters that names, globs, or comma lists of them stand for, in the order given."""
        found: dict[str, None] = {}
        for text in [patterns] if isinstance(patterns, str) else patterns:
            for pattern in (text,) if text in self.raters else vocabulary.names(text):
                hits = [pattern] if pattern in self.raters else fnmatch.filter(self.raters, pattern)
                if not hits:
                    raise UnknownName("rater", pattern, self.raters)
                found.update(dict.fromkeys(hits))
        return tuple(found)

    def of(self, raters: str | Iterable[str]) -> Votes:
        """Return the votes of some raters."""
        wanted = (raters,) if isinstance(raters, str) else tuple(raters)
        for rater in wanted:
            if rater not in self.raters:
                raise UnknownName("rater", rater, self.raters)
        return self.where(np.isin(self.rater, [self.raters.index(rater) for rater in wanted]))

    def where(self, kept: BoolArray) -> Votes:
        """Return some of the votes; systems, inputs and raters stay as they are."""
        if np.asarray(kept).shape != self.winner.shape:
            raise UsageError(f"expected a mask of {len(self)} votes, got shape {np.asarray(kept).shape}")
        arrays = {name: getattr(self, name)[kept] for name in ("input", "a", "b", "winner", "rater", "first")}
        attributes = {n: Attribute(n, "vote", x.codes[kept], x.labels) for n, x in self.attributes.items()}
        return replace(self, **arrays, attributes=attributes)

    def used(self) -> Votes:
        """Return the same votes without systems, inputs and raters that have none."""
        systems = np.unique(np.concatenate([self.a, self.b]))
        inputs, raters = np.unique(self.input), np.unique(self.rater)
        left = tuple(self.raters[at] for at in raters)
        return replace(
            self,
            systems=tuple(self.systems[at] for at in systems),
            inputs=tuple(self.inputs[at] for at in inputs),
            raters=left,
            a=np.searchsorted(systems, self.a),
            b=np.searchsorted(systems, self.b),
            input=np.searchsorted(inputs, self.input),
            rater=np.searchsorted(raters, self.rater),
            kinds={name: kind for name, kind in self.kinds.items() if name in left},
        )

    def counts(self, ties: float = 0.5) -> npt.NDArray[np.float64]:
        """Return how often each system (row) won against each other (column); a tie counts `ties` for both."""
        n = len(self.systems)
        wins = np.zeros((n, n))
        np.add.at(wins, (self.a, self.b), np.where(self.winner == A, 1.0, np.where(self.winner >= TIE, ties, 0.0)))
        np.add.at(wins, (self.b, self.a), np.where(self.winner == B, 1.0, np.where(self.winner >= TIE, ties, 0.0)))
        return wins

    def rows(self) -> Iterator[dict[str, object]]:
        """Yield one flat dict per vote, with the names that :func:`metassay.read_votes` reads."""
        texts = {name: each.texts() for name, each in self.attributes.items()}
        for at in range(len(self)):
            rater = self.raters[self.rater[at]]
            row: dict[str, object] = {
                "input": self.inputs[self.input[at]],
                "model_a": self.systems[self.a[at]],
                "model_b": self.systems[self.b[at]],
                "winner": ("model_a", "model_b", "tie", "tie (bothbad)")[self.winner[at]],
                "rater": rater,
                "kind": self.kinds.get(rater, ""),
                "first": ("model_a", "model_b", "")[self.first[at]],
            }
            yield row | {name: each[at] for name, each in texts.items()}

    def __hash__(self) -> int:
        return hash((self.systems, self.inputs, self.raters, len(self)))

    def __repr__(self) -> str:
        raters = f"{len(self.raters)} rater{'' if len(self.raters) == 1 else 's'}: {listed(self.raters, 4)}"
        return f"Votes({len(self)} votes; {len(self.systems)} systems; {len(self.inputs)} inputs; {raters})"

    def _repr_html_(self) -> str:
        return str(render("looked", self))
