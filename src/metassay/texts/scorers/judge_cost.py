"""What a judge's requests cost: tokens are counted, and a limit is kept before it is passed."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any

from metassay.core import vocabulary
from metassay.errors import UsageError, one_line

KINDS = ("prompt", "completion")
OVERHEAD = 100
"""Tokens that an endpoint may put around a message of its own accord."""


class Overspent(Exception):
    """There is not enough money for the next request."""


class Allowance:
    """Money that may be spent, shared by all who spend it.

    Parameters
    ----------
    limit
        How much, in the currency of the prices.
    """

    def __init__(self, limit: float) -> None:
        self.limit = vocabulary.positive("max_cost", limit)
        self.spent = 0.0
        """What was spent."""
        self._reserved: list[float] = []
        self._changed = threading.Condition()

    def reserve(self, most: float) -> None:
        """Set money aside, and raise if it could be more than there is.

        While others have not settled, they may turn out to need less, so they are waited for.
        """
        with self._changed:
            while self.spent + math.fsum(self._reserved) + most > self.limit:
                if not self._reserved:
                    raise Overspent(
                        f"the next request could cost {most:.4f} and pass the limit of {self.limit:g}, of which "
                        f"{self.spent:,.4f} is spent; raise max_cost"
                    )
                self._changed.wait()
            self._reserved.append(most)

    def settle(self, most: float, cost: float) -> None:
        """Spend what something did cost of what was set aside for it."""
        with self._changed:
            self._reserved.remove(most)
            self.spent += cost
            self._changed.notify_all()


class Account:
    """Requests of one judge, their tokens and their cost; threads write into it.

    Parameters
    ----------
    price_in, price_out
        Prices of a million tokens of prompts and of answers; both or none.
    max_cost
        What may be spent.
    """

    def __init__(self, price_in: object, price_out: object, max_cost: float | Allowance | None) -> None:
        given = (price_in, price_out) != (None, None)
        self._prices = (_price("price_in", price_in), _price("price_out", price_out)) if given else None
        self.allowance = max_cost if isinstance(max_cost, Allowance | None) else Allowance(max_cost)
        if self.allowance is not None and self._prices is None:
            raise UsageError("max_cost needs price_in and price_out, the prices of a million tokens")
        self._lock = threading.Lock()
        self.counts: Counter[str] = Counter()
        """Requests, repeats of them, tokens of each kind, and answers without a count of tokens."""

    def check(self, body: Mapping[str, object]) -> None:
        """Raise if the cost of such a request has no limit."""
        if self.allowance is not None and _longest(body) is None:
            raise UsageError("max_cost needs max_tokens, or a long answer could cost any amount")

    def reserve(self, body: Mapping[str, Any], size: int) -> float:
        """Set aside the most that a request of `size` bytes can cost, and raise if the limit could be passed.

        A token is at least a byte, and an answer has at most as many tokens as were asked for.
        """
        if self.allowance is None or self._prices is None:
            return 0.0
        prompt = size + OVERHEAD * len(body["messages"])
        answers = (_longest(body) or 0) * body.get("n", 1)
        most: float = (prompt * self._prices[0] + answers * self._prices[1]) / 1e6
        self.allowance.reserve(most)
        return most

    def settle(self, most: float, answer: Mapping[str, Any] | None, *, free: bool = False) -> None:
        """Count a request that was sent. One without a count of tokens may have cost all that was set aside."""
        usage = answer.get("usage") if answer else None
        said = usage if isinstance(usage, Mapping) else {}
        tokens = {kind: n for kind in KINDS if isinstance(n := said.get(f"{kind}_tokens"), int) and n >= 0}
        with self._lock:
            self.counts.update(tokens)
            self.counts["uncounted"] += answer is not None and len(tokens) < len(KINDS)
        if self.allowance is not None:
            self.allowance.settle(most, 0.0 if free else self._cost(tokens) if len(tokens) == len(KINDS) else most)

    def _cost(self, tokens: Mapping[str, int]) -> float:
        return sum(tokens[kind] * price for kind, price in zip(KINDS, self._prices or (0, 0), strict=True)) / 1e6

    def sent(self, *, again: bool) -> None:
        """Count a request that goes out."""
        with self._lock:
            self.counts["requests"] += 1
            self.counts["repeats"] += again

    def told(self) -> dict[str, Any]:
        """Return what was asked and what it cost, as facts of a note."""
        counts = self.counts
        return {
            "requests": counts["requests"],
            "repeats": counts["repeats"],
            "tokens": [counts[kind] for kind in KINDS],
            "cost": None if self._prices is None else self._cost(counts),
            "prices": self._prices or (),
            "uncounted": counts["uncounted"],
        }


def _longest(body: Mapping[str, object]) -> int | None:
    """Return the most tokens that an answer may have, as the request says."""
    said = [body.get(name) for name in ("max_tokens", "max_completion_tokens")]
    known = [value for value in said if isinstance(value, int)]
    return max(known) if known else None


def _price(what: str, price: object) -> float:
    if isinstance(price, bool) or not isinstance(price, int | float) or not 0 <= price < math.inf:
        raise UsageError(
            f"{what} must be the price of a million tokens, got {one_line(price, 40)}; give both prices or none"
        )
    return float(price)
