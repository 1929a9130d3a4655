"""Scales of columns: numbers, ordered labels, labels and yes/no; how labels become codes and are kept as labels."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from metassay.errors import UsageError, one_line

ScaleKind = Literal["interval", "ordinal", "nominal", "binary"]
KINDS: tuple[str, ...] = get_args(ScaleKind)

Scales = Mapping[str, str] | str | Iterable[str]
"""Scales by column, or texts such as ``"grade=ordinal:bad<ok<good"``."""

_PAIRS = (
    ("fail", "pass"), ("failed", "passed"), ("no", "yes"), ("false", "true"), ("incorrect", "correct"), ("bad", "good"),
    ("wrong", "right"), ("negative", "positive"), ("reject", "accept"), ("rejected", "accepted"), ("unsafe", "safe"),
    ("invalid", "valid"), ("unacceptable", "acceptable"), ("unfaithful", "faithful"), ("not ok", "ok"), ("n", "y"),
    ("f", "t"), ("inconsistent", "consistent"), ("irrelevant", "relevant"), ("wrong", "correct"), ("reject", "approve"),
    ("rejected", "approved"), ("refuted", "supported"), ("thumbs_down", "thumbs_up"), ("👎", "👍"), ("dislike", "like"),
)  # fmt: skip
"""Labels that mean no and yes: the second is code 1."""
_NOT = re.compile(r"(no|not|non|un|in|im|ir|il)[ _-]*(?=\w{3})")
"""What turns a label into its opposite: ``unsupported``, ``not relevant``, ``non-toxic``."""
_ORDERS = tuple(
    tuple(text.split("<"))
    for text in (
        "strongly disagree<disagree<somewhat disagree<neither agree nor disagree<neutral<somewhat agree<agree"
        "<strongly agree",
        "very poor<poor<fair<average<good<very good<excellent",
        "very bad<bad<mediocre<ok<okay<good<very good<great",
        "very low<low<medium<moderate<high<very high",
        "never<rarely<sometimes<often<always",
        "not at all<slightly<somewhat<moderately<very<extremely",
        "none<minor<major<critical",
        "worse<same<better",
    )
)
"""Labels that have an order everywhere."""
JUDGING = re.compile(
    r"(^|[_\W])(human|gold|label|rating|rated|grade|verdict|judge|judg(e)?ment|annotat\w*|rater|score|decision|"
    r"preference|pref|vote|correct|pass(ed)?|accept\w*|is_\w+|quality|truth|target_label|y_true|y_pred)\w*($|[_\W])",
    re.IGNORECASE,
)
"""Names of columns that say what somebody thought."""
REASONS = re.compile(
    r"reason|explanation|comment|rationale|feedback|justification|critique|rubric|description|notes?$|statement|elaboration|"
    r"_(source|by|at|date|time|version|gender|sex|race|ethnicity|age|education|country|locale|role)$",
    re.IGNORECASE,
)
"""Names of columns that say why, when, by whom or of what people, beside those that say what: texts, and no labels."""
PEOPLE = re.compile(
    r"(^|[_\W])(human|gold(en)?|expert|annotator|ground_?truth|y_true|manual|sme|crowd|majority|consensus)s?($|[_\W\d])|"
    r"^(label|rating|gt|truth|true|actual|reviewer|rater)s?($|[_\W\d])",
    re.IGNORECASE,
)
"""Names of columns that are likely human judgments; they are proposed, not taken."""
NO_ANSWER = re.compile(
    r"(abstain(ed)?|unsure|uncertain|unknown|undecided|unclear|(i )?do(n't| not) know|idk|cannot (say|tell|judge)|"
    r"n/?a|no answer|refus(al|ed)|skip(ped)?|invalid|error|parse[_ ]error|none|null|\?)",
    re.IGNORECASE,
)
"""Labels by which somebody says that there is no verdict, unless everybody uses them."""
MOST_LABELS = 64
"""A column with more distinct texts than this holds texts, not labels."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What the values of a column mean.

    Examples
    --------
    >>> Scale("ordinal", ("bad", "ok", "good"))
    Scale(kind='ordinal', labels=('bad', 'ok', 'good'))
    """

    kind: ScaleKind = "interval"
    """``interval`` (numbers), ``ordinal``, ``nominal`` or ``binary``."""
    labels: tuple[str, ...] = ()
    """The label of code 0, 1, …, in order where there is one; empty where the values are the numbers themselves."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UsageError(f"a scale must be {', '.join(KINDS)}, got {one_line(self.kind)!r}")
        if len(set(self.labels)) != len(self.labels):
            raise UsageError(f"the labels of a scale must differ, got {', '.join(map(one_line, self.labels))}")
        if self.labels and self.kind == "interval":
            raise UsageError("an interval scale has numbers and no labels; use ordinal, nominal or binary")
        if self.kind == "binary" and len(self.labels) not in (0, 2):
            raise UsageError(f"a binary scale has two labels, NO<YES, got {len(self.labels)}")

    @property
    def ordered(self) -> bool:
        """Whether a higher value is more of something."""
        return self.kind != "nominal"

    def __str__(self) -> str:
        sign = "<" if self.ordered else ","
        return self.kind + (f":{sign.join(self.labels)}" if self.labels else "")


INTERVAL = Scale()
"""Plain numbers."""


def parse(text: str) -> Scale:
    """Read ``ordinal:bad<ok<good``, ``binary:fail<pass``, ``nominal:a,b`` or the name of a scale alone."""
    kind, _, rest = str(text).partition(":")
    sign = "<" if "<" in rest else ","
    labels = tuple(label.strip() for label in rest.split(sign)) if rest.strip() else ()
    if kind.strip() not in KINDS or "" in labels:
        raise UsageError(
            f"a scale must be {', '.join(KINDS)}, and labels may follow as in ordinal:bad<ok<good, "
            f"got {one_line(text, 60)!r}"
        )
    return Scale(kind.strip(), labels)  # type: ignore[arg-type]


def parse_all(given: Scales | None) -> dict[str, Scale]:
    """Return scales by the name or glob of their columns."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        texts = (given,) if isinstance(given, str) else tuple(given)
        for text in texts:
            if "=" not in str(text):
                raise UsageError(f"a scale must be NAME=SCALE such as grade=ordinal:bad<good, got {one_line(text)!r}")
        given = {name: scale for name, _, scale in (str(text).partition("=") for text in texts)}
    return {str(name).strip(): parse(scale) for name, scale in given.items()}


def guess(labels: Iterable[str]) -> Scale:
    """Return the scale of a set of labels: known opposites are binary, known grades ordinal, everything else nominal.

    Examples
    --------
    >>> str(guess(["Good", "Poor", "Fair"]))
    'ordinal:Poor<Fair<Good'
    """
    found = sorted(labels)
    by_folded = {fold(label): label for label in found}
    for no, yes in (*_PAIRS, *_negated(by_folded)):
        if by_folded.keys() <= {no, yes} and by_folded:
            return Scale("binary", (by_folded.get(no, no), by_folded.get(yes, yes)))
    for order in _ORDERS:
        if len(by_folded) > 1 and by_folded.keys() <= set(order):
            return Scale("ordinal", tuple(by_folded[label] for label in order if label in by_folded))
    return Scale("nominal", tuple(found))


def _negated(labels: Iterable[str]) -> list[tuple[str, str]]:
    """Return pairs of labels of which one is the other, negated."""
    known = set(labels)
    return [(label, yes) for label in known if (found := _NOT.match(label)) and (yes := label[found.end() :]) in known]


def guess_each(labels: Mapping[str, Iterable[str]], *, keep: bool = False) -> dict[str, Scale]:
    """Return the scales of columns that share labels; equal labels have equal codes on all of them.

    An order that all labels have together is that of every column. Else answers that are no verdict, such as ``error``,
    get no code if the others have an order (unless all labels are to `keep` one), and columns with an order keep it.

    Examples
    --------
    >>> found = guess_each({"human": ["pass", "fail"], "judge": ["pass", "fail", "maybe"]})
    >>> [str(scale) for scale in found.values()]
    ['binary:fail<pass', 'nominal:fail,pass,maybe']
    """
    own = {name: set(each) for name, each in labels.items()}
    every = set().union(*own.values())
    shared = set.intersection(*own.values()) if len(own) > 1 else set()
    gone = set() if keep else {label for label in every - shared if NO_ANSWER.fullmatch(label.strip())}
    for some in (every, every - gone):
        if some and (whole := guess(some)).ordered:
            return dict.fromkeys(own, whole)
    alone = [each - gone for each in own.values() if each - gone and guess(each - gone).ordered]
    base = guess(set().union(*alone)) if alone else guess(every)
    if not base.ordered:
        return dict.fromkeys(own, guess(every))
    wide = Scale("nominal", (*base.labels, *sorted(every - set(base.labels))))
    return {name: base if each - gone <= set(base.labels) else wide for name, each in own.items()}


def is_known(labels: Iterable[str]) -> bool:
    """Say whether labels are such as people judge with, like pass and fail."""
    return guess(labels).kind != "nominal"


def judging(name: str) -> bool:
    """Say whether texts in a column of this name are labels that somebody gave, and no attribute."""
    return JUDGING.search(name) is not None and REASONS.search(name) is None


def proposed(name: str) -> bool:
    """Say whether a column of this name is likely one of human judgments."""
    return PEOPLE.search(name) is not None and REASONS.search(name) is None


def fold(label: str) -> str:
    """Return a label without what people do not mean: case and space around it."""
    return " ".join(label.split()).casefold()


def merged(counts: Mapping[str, int]) -> dict[str, str]:
    """Return for each spelling the label it stands for: the most frequent of those that differ in case or space."""
    best: dict[str, str] = {}
    for label in sorted(counts, key=lambda one: -counts[one]):
        best.setdefault(fold(label), " ".join(label.split()))
    return {label: best[fold(label)] for label in counts}


def sharing(labels: Mapping[str, Iterable[str]]) -> list[tuple[str, ...]]:
    """Return the names of columns in groups that have a label in common, in order."""
    groups: list[tuple[list[str], set[str]]] = []
    for name, each in labels.items():
        own = {fold(label) for label in each}
        joined = [group for group in groups if group[1] & own]
        names = [one for group in joined for one in group[0]] + [name]
        merged_labels = own.union(*(group[1] for group in joined))
        groups = [group for group in groups if group not in joined] + [(names, merged_labels)]
    return [tuple(names) for names, _ in groups]


def misspelt(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return rare labels that look like a frequent one, with that one: ``pas`` beside ``pass``."""
    total = sum(counts.values())
    rare = [label for label, n in counts.items() if n <= max(1, total // 50)]
    found = []
    for label in rare:
        others = [other for other in counts if counts[other] >= 5 * counts[label] and len(other) > 2]
        near = difflib.get_close_matches(label, others, n=1, cutoff=0.8) if len(label) > 2 else []
        # "correct" is near "incorrect", and its opposite.
        both = {fold(label), *map(fold, near)}
        if near and both not in [set(pair) for pair in (*_PAIRS, *_negated(both))]:
            found.append((label, near[0]))
    return found


_COMMA = re.compile(r"[+-]?\d+,\d+")
_WHOLE = re.compile(r"[+-]?\d+")
_PERCENT = re.compile(r"[+-]?\d+([.,]\d+)?\s*%")
_NUMERIC = re.compile(r"[+-]?[\d_.,\s%']*\d[\d_.,\s%']*")


def odd_numbers(texts: Iterable[str]) -> dict[str, float] | None:
    """Return the numbers that texts with decimal commas, or with percent signs, all stand for; None if not all do."""
    found = [text.strip() for text in texts]
    if all(_PERCENT.fullmatch(text) for text in found):
        return {text: float(text.rstrip("% \t").replace(",", ".")) / 100 for text in found}
    if all(_COMMA.fullmatch(text) or _WHOLE.fullmatch(text) for text in found):
        commas = [text for text in found if "," in text]
        if all(len(text.partition(",")[2]) == 3 for text in commas):
            return None  # 1,234 is a thousand and more to some, and one and a bit to others
        return {text: float(text.replace(",", ".")) for text in found}
    return None


def looks_numeric(text: str) -> bool:
    """Say whether a text is meant as a number, though it is none as it stands."""
    return _NUMERIC.fullmatch(text.strip()) is not None


def remedy(text: str) -> str:
    """Return what to do about a text that should be a number."""
    text = text.strip()
    if _PERCENT.fullmatch(text):
        return "write all numbers of the column with a percent sign, or none"
    if _COMMA.fullmatch(text):
        return "write a decimal point, or a decimal comma in the whole column (never 1,234 for a thousand)"
    return "leave a missing score empty"
