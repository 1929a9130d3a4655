"""How much more averages over tasks vary where systems return in several tasks.

What a metric makes of a system may return with it, so that such tasks are not independent. The jackknife tells how far
they are not: what leaving out system i changes in task t is a_ti, scaled to Σ_i a_ti² = 1. With the standard errors s_t
of the tasks, times their weights, the variance of the average is Σ_i(Σ_t s_t·a_ti)², and at least Σs_t², which it is
where no system returns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metassay.stats.arrays import FloatArray
from metassay.stats.kernels.weighted_ranks import quotient
from metassay.stats.methods.base import Case


class Together:
    """What is averaged over tasks, such as metrics or pairs of them (items), and what systems do to it in all tasks."""

    def __init__(self, systems: Sequence[Sequence[str]], items: int, *, shared: bool) -> None:
        """Begin with the names of the systems of each task; `shared` if any returns and is not taken as it is."""
        self.shared, self.apart, self.welch = shared, *np.zeros((2, items))
        names = dict.fromkeys(name for each in systems for name in each) if shared else {}
        self.place = {name: at for at, name in enumerate(names)}
        self.along, self.own, self.most, self.scarce = np.zeros((4, items, len(names)))

    def add(
        self,
        case: Case,
        systems: Sequence[str],
        metrics: Sequence[tuple[int, ...]],
        items: Sequence[int],
        errors: FloatArray,
        df: FloatArray | float = 1.0,
    ) -> None:
        """Add a task.

        Parameters
        ----------
        case, systems
            The task, and the name of each of its systems, or of the family of it.
        metrics
            By item, a metric of the case, or two whose difference it is.
        items
            Which of all items these are.
        errors, df
            Standard errors, times the weight of the task, and their degrees of freedom, if these are asked for.
        """
        size, df = np.nan_to_num(errors), np.broadcast_to(df, len(items))
        self.apart[items] += size**2
        self.welch[items] += np.nan_to_num(size**4 / df)
        for members, fit in case.fits if self.shared else ():
            left = {int(m): own - own.mean() for m, own in zip(members, fit.left, strict=True)}
            here = [k for k, each in enumerate(metrics) if left.keys() >= set(each)]
            if not here:
                continue
            names = np.array([self.place[name] for name in systems])[case.present[members[0]]]
            if fit.families is not None:
                names = names[np.unique(fit.families, return_index=True)[1]]
            moves = np.nan_to_num([np.subtract.reduce([left[m] for m in metrics[k]]) for k in here])
            cells, n, own = np.ix_([items[k] for k in here], names), len(names), size[here][:, None]
            self.along[cells] += own * np.nan_to_num(quotient(moves, np.sqrt((moves**2).sum(axis=1, keepdims=True))))
            self.own[cells] += own**2 / n
            self.most[cells] += own / np.sqrt(n)
            self.scarce[cells] = np.maximum(self.scarce[cells], (n / df[here])[:, None])

    @property
    def factor(self) -> FloatArray:
        """How many times larger standard errors are than those of independent tasks, (items,)."""
        both = (self.along**2).sum(axis=1)
        return np.sqrt(np.maximum(np.nan_to_num(quotient(both, self.apart)), 1.0))

    @property
    def df(self) -> FloatArray:
        """The degrees of freedom of such a variance, to which each system contributes once, (items,).

        Those of Welch (1947) where no system returns, and those of one task where all do.
        """
        total, more = self.apart * self.factor**2, self.apart * (self.factor**2 - 1)
        cross = self.most**2 - self.own
        each = self.own + cross * np.nan_to_num(quotient(more, cross.sum(axis=1)))[:, None]
        below = (each**2 * self.scarce).sum(axis=1) if self.shared else self.welch
        # Errors that are known have any number of them.
        return np.where((below == 0) & (total > 0), np.inf, np.maximum(quotient(total**2, below), 1.0))
