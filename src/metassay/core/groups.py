"""Named groups of systems, such as people's own texts and machines, or of metrics."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence

from metassay.core import vocabulary
from metassay.core.scores import Scores
from metassay.errors import UnknownName, UsageError, one_line

GroupPatterns = Mapping[str, str | Iterable[str]] | Iterable[str]
"""Patterns by group, or texts such as ``"humans=A,B,C"``."""


def assign_groups(scores: Scores, group: GroupPatterns | None) -> dict[str, str]:
    """Return the group of each system that has one.

    Parameters
    ----------
    scores
        The scores whose systems are sorted.
    group
        For each group the names or globs of its systems, as a mapping or as texts ``NAME=PATTERN,PATTERN``; a system
        belongs to the first group that it matches. None takes the groups that the data itself knows.

    Returns
    -------
    dict
        Groups by system, in the order of the systems; systems that match nothing are left out.

    Examples
    --------
    >>> import numpy as np
    >>> scores = Scores.from_arrays({"rouge": np.zeros((3, 2))}, systems=["1", "2", "A"])
    >>> assign_groups(scores, {"humans": "A", "machines": "*"})
    {'1': 'machines', '2': 'machines', 'A': 'humans'}
    >>> assign_groups(scores, ["humans=A", "machines=*"])
    {'1': 'machines', '2': 'machines', 'A': 'humans'}
    """
    if group is None:
        return {s: scores.groups[s] for s in scores.systems if s in scores.groups}
    return assign_names(scores.systems, group, "system")


def assign_names(names: Sequence[str], group: GroupPatterns, what: str) -> dict[str, str]:
    """Return the group of each name that has one; `what` the names stand for is said in errors.

    Examples
    --------
    >>> assign_names(["rouge-1", "rouge-2", "length"], ["overlap=rouge*", "rest=*"], "metric")
    {'rouge-1': 'overlap', 'rouge-2': 'overlap', 'length': 'rest'}
    """
    wanted = group if isinstance(group, Mapping) else _parsed(group)
    patterns: dict[str, tuple[str, ...]] = {}
    for name, given in wanted.items():
        texts = (given,) if isinstance(given, str) else tuple(given)
        patterns[str(name)] = tuple(p for text in texts for p in _split(text, names))
        for pattern in patterns[str(name)]:
            if not any(_matches(one, pattern) for one in names):
                raise UnknownName(f"{what} in group {one_line(name, 40)!r}:", pattern, names)
    found = {}
    for one in names:
        for name, globs in patterns.items():
            if any(_matches(one, glob) for glob in globs):
                found[one] = name
                break
    return found


def _parsed(texts: Iterable[str]) -> dict[str, list[str]]:
    """Read ``NAME=PATTERN,PATTERN``; a name given twice adds to its group."""
    found: dict[str, list[str]] = {}
    for text in (texts,) if isinstance(texts, str) else texts:
        name, sign, pattern = str(text).partition("=")
        if not (name.strip() and sign and pattern.strip()):
            raise UsageError(f"a group must be NAME=PATTERN such as humans=A*, got {one_line(text, 60)!r}")
        found.setdefault(name.strip(), []).append(pattern)
    return found


def _split(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return one name as it is, even with a comma in it, and anything else as a comma list."""
    return (text,) if text in names else vocabulary.names(text)


def _matches(name: str, pattern: str) -> bool:
    """Names are matched as they are before they are taken for globs, so that ``[x]`` finds the name ``[x]``."""
    return name == pattern or fnmatch.fnmatchcase(name, pattern)
