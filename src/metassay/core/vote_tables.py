"""Tables of votes in the spellings that people use: two systems or two outputs, and who won."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np

from metassay.core.column import Attribute, Kind
from metassay.core.ledger import Place
from metassay.core.note import Note
from metassay.core.origin import Origin
from metassay.core.reading import Reading, names_input, names_system
from metassay.core.votes import BOTH_BAD, TIE, UNKNOWN, A, B, Votes
from metassay.errors import DataError, FormatError, UnknownName, listed, one_line

Columns = Mapping[str, Sequence[object]]

_SYSTEMS = (
    ("model_a", "model_b"), ("left", "right"), ("system_a", "system_b"), ("generator_1", "generator_2"),
    ("model_1", "model_2"), ("system_1", "system_2"), ("model1", "model2"), ("a", "b"), ("model_x", "model_y"),
    ("model_left", "model_right"), ("candidate_a", "candidate_b"), ("player_a", "player_b"), ("winner_model", "loser"),
    ("answer1_model_id", "answer2_model_id"), ("chosen_model", "rejected_model"),
)  # fmt: skip
OUTPUTS = (
    ("output_1", "output_2"), ("response1", "response2"), ("response_1", "response_2"), ("answer_a", "answer_b"),
    ("response_a", "response_b"), ("completion_a", "completion_b"), ("output_a", "output_b"), ("text_a", "text_b"),
    ("answer1_body", "answer2_body"), ("answer1_id", "answer2_id"),
)  # fmt: skip
_STRENGTH = "preference_strength"
"""How much better the second output is, in HelpSteer2: below 0 the first is."""
_WINNERS = ("winner", "preference", "label", "vote", "choice", "verdict", "preferred", "result", "human_preference",
            _STRENGTH)  # fmt: skip
_OWN_WINNERS = re.compile(
    r"(.+)_(winner|preference|preferred|verdict|choice|vote)|(?:winner|preference|choice|vote)_?\d+", re.IGNORECASE
)
"""Columns of winners that are called after their rater: ``human_winner`` beside ``gpt4_winner``, or ``winner1``, …."""
_SCORES = "score"
"""Two grades in a list, beside two answers: the better one wins."""
_BOTH_ORDERS = ("g1_winner", "g2_winner")
"""Verdicts of one judge in both orders; those of the second order are told in terms of the first."""
_MARKS = ("winner_model_a", "winner_model_b", "winner_tie")
"""Winners that are marked with 1 in columns of their own."""
_RATERS = ("rater", "judge", "annotator", "annotator_id", "worker", "worker_id", "rater_id", "evaluator", "user")
_INPUTS = ("input", "question_id", "prompt_id", "item_id", "pair_id", "input_id", "instruction_id",
           "conversation_id", "prompt", "instruction", "question", "idx", "id", "uid")  # fmt: skip
_PEOPLE = re.compile(r"^annotator_?\d+$|^human_?\d*$|^rater_?\d+$|^worker_?\d+$", re.IGNORECASE)
_MODEL = re.compile(
    r"gpt|claude|llama|gemini|gemma|mistral|mixtral|qwen|deepseek|command|judge|eval|\bo\d|prometheus|vicuna|palm|model|llm|metric|"
    r"text-davinci|chatgpt|cohere|anthropic|openai|\d+b\b",
    re.IGNORECASE,
)
"""Names of models: raters called so are none, whatever their column is called."""
_HUMAN = re.compile(r"^(human|author|expert|annotator|worker|(arena_)?user|crowd|rater|gold|\d+$)", re.IGNORECASE)

_SAID = {
    **dict.fromkeys(("a", "model_a", "left", "1", "output_1", "first", "model_1", "response1", "response_1", "[[a]]",
                     "system_a", "answer_a", "model_x", "system_1", "generator_1", "response_a", "output_a",
                     "assistant_a", "completion_a", "text_a", "candidate_a", "model1", "a>b", "a>>b", "[[a>b]]",
                     "[[a>>b]]", "b<a", "b<<a"), A),
    **dict.fromkeys(("b", "model_b", "right", "2", "output_2", "second", "model_2", "response2", "response_2", "[[b]]",
                     "system_b", "answer_b", "model_y", "system_2", "generator_2", "response_b", "output_b",
                     "assistant_b", "completion_b", "text_b", "candidate_b", "model2", "b>a", "b>>a", "[[b>a]]",
                     "[[b>>a]]", "a<b", "a<<b"), B),
    **dict.fromkeys(("tie", "0", "1.5", "draw", "equal", "same", "both", "c", "[[c]]", "none better", "tie (bothgood)",
                     "bothgood", "both good", "tie (inconsistent)", "inconsistent", "[[tie]]", "a=b", "b=a",
                     "[[a=b]]"), TIE),
    **dict.fromkeys(("tie (bothbad)", "bothbad", "both bad", "both_bad", "neither"), BOTH_BAD),
}  # fmt: skip
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_NOTHING = ("", "nan", "none", "null", "na", "n/a", "garbage", "error", "invalid", "-1", "unparsed", "unknown")


def pair_of(names: Sequence[str]) -> tuple[str, str] | None:
    """Return the two columns that hold systems, or outputs, of a table of votes; None if it is none."""
    folded = {name.lower(): name for name in names}
    scored = any(map(names_system, names)) and any(map(names_input, names))
    if (_SCORES in folded and any(name.startswith("answer1_") for name in folded)) or {
        _MARKS[0],
        "rejected_model",
    } & folded.keys():
        pass
    elif not any(name in folded for name in (*_WINNERS, _BOTH_ORDERS[0])) and not any(
        _OWN_WINNERS.fullmatch(name) or (_PEOPLE.match(name) and not scored) for name in names
    ):
        return None
    for a, b in (*_SYSTEMS, *OUTPUTS):
        if a in folded and b in folded:
            return folded[a], folded[b]
    return None


def are_scores(rows: Sequence[Mapping[str, Any]], pair: tuple[str, str]) -> bool:
    """Say whether the two columns hold scores of metrics that are called like systems, and not systems or outputs.

    Systems may be whole numbers where a column is called like one of winners, and none is compared with itself.
    """
    found = [(str(row.get(pair[0], "")), str(row.get(pair[1], ""))) for row in rows]
    values = [value for each in found for value in each if value.lower() not in _NOTHING or value == "-1"]
    if not values or not all(_NUMBER.fullmatch(value) for value in values):
        return False
    named = any(name.lower() in _WINNERS for name in rows[0])
    return not named or any(not value.isdigit() for value in values) or any(a == b for a, b in found)


def as_vote(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a vote whose two games, or two outputs, stand in a list as one with fields of their own; None for others.

    Arena-Hard's model is B in the first game, where the baseline is A, and A in the second. OpenAI's comparisons of
    summaries have the place of the chosen one, 0 or 1.
    """
    games = record.get("games")
    if isinstance(games, list) and "model" in record and _are_verdicts(games):
        said = [one.get("score") if isinstance(one, dict) else None for one in games]
        rest = {name: value for name, value in record.items() if name not in ("games", "model", "baseline")}
        swapped = {"g2_winner": said[1] and said[1].translate(str.maketrans("AB", "BA"))} if len(said) > 1 else {}
        pair = {"model_a": record.get("baseline") or "baseline", "model_b": record["model"]}
        return {**rest, **pair, "g1_winner": said[0], **swapped}
    lists = [name for name, value in record.items() if isinstance(value, list) and len(value) == 2]
    chosen = record.get("choice", "")
    if len(lists) != 1 or isinstance(chosen, str) or not all(isinstance(one, dict) for one in record[lists[0]]):
        return None
    vote: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, dict):
            vote |= {key: each for key, each in value.items() if key not in record}
        elif name not in (lists[0], "choice"):
            vote[name] = value
    for letter, one in zip("ab", record[lists[0]], strict=True):
        for key, value in one.items():
            vote[f"{'model' if names_system(key) or key == 'policy' else key}_{letter}"] = value
    vote["winner"] = {0: "model_a", 1: "model_b", None: None}.get(chosen, f"choice {chosen}")
    return vote if pair_of(list(vote)) else None


def _are_verdicts(games: Sequence[Any]) -> bool:
    """Say whether one or two games have verdicts such as A>>B, or none."""
    scores = [one.get("score", 0) for one in games if isinstance(one, dict)]
    return 0 < len(games) < 3 and all(
        score is None or (isinstance(score, str) and re.fullmatch(r"[AB][<>=]+[AB]", score)) for score in scores
    )


def winners(
    said: Sequence[object], a: Sequence[str], b: Sequence[str], field: str, file: str, lines: Sequence[int]
) -> list[int | None]:
    """Return codes of winners; None where a rater said nothing that counts; an unknown word is an error."""
    forms = _by_value(said, _plain)
    distinct = set(forms.values())
    if distinct - set(_NOTHING) <= {"0", "1"} and {"0", "1"} <= distinct:
        raise FormatError(
            f"field {one_line(field)!r} holds 0 and 1 only, which may mean the first and the second, or a tie and the "
            "first; write 1 and 2, or model_a and model_b",
            file=file,
        )
    meant = {text: _SAID.get(text) for text in distinct}
    for text in distinct:
        if meant[text] is None and re.fullmatch(r"[12]?\.\d+|[12]\.?\d*", text):
            share = float(text)  # a weighted preference: how far from the first output towards the second
            meant[text] = A if share < 1.5 else B if share > 1.5 else TIE
    names = {*a, *b}
    codes = {one: meant[text] for one, text in forms.items()}
    if all(
        code in (A, B) or forms[one] in _NOTHING or (code is not None and str(one) not in names)
        for one, code in codes.items()
    ):
        return [codes[_hashed(one)] for one in said]
    found: list[int | None] = []
    for at, one in enumerate(said):
        text = forms[_hashed(one)]
        code = meant[text]
        if code not in (A, B) and text not in _NOTHING:
            name = str(said[at])  # a system may be called like a word for a tie, such as c
            code = A if name == a[at] else B if name == b[at] else code
            if code is None:
                known = (a[at], b[at], "tie", "model_a", "model_b", "left", "right", "1", "2")
                said_so = UnknownName(f"winner in {one_line(field)!r}:", name, known)
                raise FormatError(str(said_so), file=file, line=int(lines[at]))
        found.append(code)
    return found


def _hashed(value: object) -> object:
    """Return a value as a key; a judge may be a list."""
    return tuple(value) if isinstance(value, list) else value


def _by_value(values: Sequence[object], make: Callable[[object], str]) -> dict[object, str]:
    """Return what each distinct value is called."""
    return {one: make(one) for one in dict.fromkeys(map(_hashed, values))}


def _plain(value: object) -> str:
    if isinstance(value, tuple) and len(value) == 2 and all(isinstance(one, int | float) for one in value):
        return "1" if value[0] > value[1] else "2" if value[0] < value[1] else "tie"
    if isinstance(value, float) and value == value and value.is_integer():
        value = int(value)
    return "" if value is None else " ".join(str(value).split()).lower()


def _with_winner(table: Columns) -> Columns:
    """Return a table in which winners that are marked in columns of their own, or chosen, stand in one."""
    marks = [name for mark in _MARKS for name in table if name.lower() == mark]
    if _STRENGTH in table and all(_NUMBER.fullmatch(_plain(one) or "0") for one in table[_STRENGTH]):
        signs = [float(_plain(one) or "nan") for one in table[_STRENGTH]]
        return {**table, _STRENGTH: ["1" if x < 0 else "2" if x > 0 else "tie" if x == 0 else None for x in signs]}
    if "rejected_model" in table and not set(table) & set(_WINNERS):
        return {**table, "winner": ["1"] * len(table["rejected_model"])}
    if len(marks) < 2:
        return table
    rows = zip(*(table[name] for name in marks), strict=True)
    won = [[said for said, mark in zip(("1", "2", "tie"), row, strict=False) if _plain(mark) == "1"] for row in rows]
    rest = {name: values for name, values in table.items() if name not in marks}
    return {**rest, "winner": [said[0] if len(said) == 1 else None for said in won]}


class VoteBook:
    """Collects votes from tables and files."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.role: Kind | None = None
        self.file_name = "rater"
        self.columns: tuple[list[Any], ...] = tuple([] for _ in range(7))
        """Input, A, B, winner, rater, who was shown first, and the position of its facts, -1 without any."""
        self.facts: list[dict[str, str]] = []
        self.kinds: dict[str, Kind] = {}
        self.pairs: dict[str, tuple[str, str, int]] = {}
        """Systems of the pair that a key names, for files of judges that have verdicts only."""
        self.open: list[tuple[str, int, str, Place]] = []
        """Verdicts on pairs that another file holds: key, winner, rater, place."""
        self.silent: Counter[str] = Counter()
        self.against_itself = 0
        self.keys: dict[str, str] = {}

    def add(
        self, key: str, pair: tuple[str, str], winner: int | None, rater: str, first: int, facts: int, kind: Kind | None
    ) -> None:
        """Write down one vote; one without a winner is counted, and so is one of a system against itself."""
        if kind is not None:
            self.kinds.setdefault(rater, kind)
        self._extend(*([each] for each in (key, *pair, winner, rater, first, facts)))

    def _extend(self, *votes: Sequence[Any]) -> None:
        """Write down many votes, a column each."""
        _, a, b, winner, raters, *_ = votes
        kept = [won is not None and x != y for won, x, y in zip(winner, a, b, strict=True)]
        if all(kept):
            for column, values in zip(self.columns, votes, strict=True):
                column.extend(values)
            return
        silent = [won is None for won in winner]
        self.silent.update(compress(raters, silent))
        self.against_itself += len(kept) - sum(kept) - sum(silent)
        for column, values in zip(self.columns, votes, strict=True):
            column.extend(compress(values, kept))

    def key_of(self, text: str) -> str:
        """Return the number of a text that has no name."""
        return self.keys.setdefault(text, str(len(self.keys) + 1))

    def fact(self, facts: Mapping[str, object]) -> int:
        """Keep texts and numbers that belong to a vote."""
        self.facts.append({name: str(value) for name, value in facts.items() if _is_fact(value)})
        return len(self.facts) - 1

    def record(self, table: Columns, file: str, lines: Sequence[int]) -> None:
        """Write down a table with two columns of systems or outputs and one or more of winners."""
        table = _with_winner(table)
        names = [name for name in table if name not in self.reading.ignore]
        folded = {name.lower(): name for name in names}
        pair = pair_of(names)
        if pair is None:
            raise FormatError(
                "expected two columns of systems such as model_a, model_b, and a winner "
                f"(found: {listed(names)})", file=file,
            )  # fmt: skip
        n = len(table[pair[0]])
        outputs = pair[0].lower() in {a for a, _ in OUTPUTS}
        named = [str(name) for name in pair] if outputs else None
        a = [named[0]] * n if named else [str(one) for one in table[pair[0]]]
        b = [named[1]] * n if named else [str(one) for one in table[pair[1]]]
        keys = self._keys(table, folded, lines)
        rater_column = next((folded[name] for name in _RATERS if name in folded), None)
        if self.reading.annotator:
            rater_column = self.reading.annotator[0]
        both = [folded[name] for name in _BOTH_ORDERS if name in folded]
        verdicts = [folded[name] for name in (*_WINNERS, _SCORES) if name in folded][:1]
        people = [name for name in names if _PEOPLE.match(name)] if rater_column is None else []
        found = {name: _OWN_WINNERS.fullmatch(name) for name in names if name not in both}
        own = {name: each[1] or name for name, each in found.items() if each}
        if rater_column is None and not people and (len(own) > 1 or not (verdicts or both)):
            verdicts, both = list(own), []
        else:
            own = {}
        used = {*pair, *(people or verdicts), *both, rater_column, folded.get("first"), folded.get("kind")}
        used -= set(pair) if outputs else set()
        facts = [name for name in names if name not in used | {_label(key) for key in self._key_columns(table, folded)}]
        shown = [_plain(one) for one in table[folded["first"]]] if "first" in folded else []
        kinds = [str(one or "") for one in table[folded["kind"]]] if "kind" in folded else [""] * n
        at_fact = [self.fact({name: table[name][at] for name in facts}) for at in range(n)] if facts else [-1] * n
        for column, order in [*((one, A) for one in people or both[:1] or verdicts), *((one, B) for one in both[1:])]:
            said = winners(table[column], a, b, column, file, lines)
            raters = [own.get(column) or (column if people else self.file_name)] * n
            if rater_column:
                called = _by_value(table[rater_column], _name)
                raters = [called[_hashed(one)] for one in table[rater_column]]
            for rater, kind in dict.fromkeys(zip(raters, kinds, strict=True)):
                known = self.role or self._kind(rater, rater_column or own.get(column), bool(people), kind)
                if known is not None:
                    self.kinds.setdefault(rater, known)
            first = [_SAID.get(one, UNKNOWN) for one in shown] if shown else [order] * n
            self._extend(keys, a, b, said, raters, first, at_fact)

    def _key_columns(self, table: Columns, folded: Mapping[str, str]) -> list[str]:
        columns = list(self.reading.input)
        for name in columns:
            if name not in table:
                raise UnknownName("column of inputs:", name, list(table))
        if not columns:
            columns = [folded[name] for name in _INPUTS if name in folded][:1]
            columns += [folded["turn"]] if columns and "turn" in folded and "input" not in folded else []
        return columns

    def _keys(self, table: Columns, folded: Mapping[str, str], lines: Sequence[int]) -> list[str]:
        columns = self._key_columns(table, folded)
        if not columns:
            return [str(line) for line in lines]
        parts = [[one if type(one) is str else _name(one) for one in table[name]] for name in columns]
        return parts[0] if len(parts) == 1 else [":".join(each) for each in zip(*parts, strict=True)]

    def _kind(self, rater: str, column: str | None, people: bool, said: str) -> Kind | None:
        if said in ("human", "metric"):
            return said  # type: ignore[return-value]
        if people:
            return "human"
        if column is None:
            return None
        if _HUMAN.match(rater) or column.lower().startswith(("worker", "user")):
            return "human"
        return "metric" if column.lower() == "judge" or _MODEL.search(rater) else None

    def votes(self, sources: tuple[Origin, ...] = ()) -> Votes:
        """Return everything as votes; equal votes that two files repeat count once."""
        for key, winner, rater, place in self.open:
            if key not in self.pairs:
                told = f"the verdict on {one_line(key)!r} is about a pair that no file has; name the file of pairs, too"
                raise place.wrong(told)
            a, b, facts = self.pairs[key]
            self.add(key, (a, b), winner, rater, A, facts, self.role or "metric")
        inputs, a_, b_, winner_, raters, first, facts_ = self.columns
        if not inputs:
            counts = {"name no winner": self.silent.total(), "compare a system with itself": self.against_itself}
            why = " and ".join(f"{n:,} {what}" for what, n in counts.items() if n)
            there = f" in {listed([one_line(source.name) for source in sources])}" if sources else ""
            raise DataError(f"there are no votes{there}: {why or 'there is a header and no row under it'}")
        notes = [Note.of("votes-without-winner", rater=rater, n=n) for rater, n in self.silent.items()]
        notes += Note.when(self.against_itself > 0, "votes-against-itself", n=self.against_itself)
        names = dict.fromkeys(name for one in self.facts for name in one)
        attributes = {}
        for name in names:
            texts = [self.facts[at].get(name) if at >= 0 else None for at in facts_]
            labels = tuple(dict.fromkeys(text for text in texts if text is not None))
            where = {label: at for at, label in enumerate(labels)}
            codes = np.array([-1 if text is None else where[text] for text in texts])
            attributes[name] = Attribute(name, "vote", codes, labels)
        return Votes.of_labels(
            inputs, a_, b_, winner_, raters, first, {r: k for r, k in self.kinds.items() if r in set(raters)},
            attributes=attributes, sources=sources, notes=tuple(notes),
        )  # fmt: skip


def _label(name: str) -> str:
    """Return the name of a column of labels, which the inputs are called by; nothing for one of texts."""
    return name if name.lower().endswith("id") or name.lower() == "idx" else ""


def _is_fact(value: object) -> bool:
    return isinstance(value, str | int | float) and value != "" and value == value


def _name(value: object) -> str:
    """Return a rater or an input as text; a judge may be a list such as ``["gpt-4", "pair-v2"]``."""
    if isinstance(value, list | tuple):
        return "/".join(map(str, value))
    if isinstance(value, float) and value == value and value.is_integer():
        value = int(value)
    return str(value)
