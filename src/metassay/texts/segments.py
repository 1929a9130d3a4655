"""Where sentences and words stand in a text: spans, so that nothing between them is ever lost."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of a text."""

    start: int
    """Where it begins."""
    end: int
    """Where it ends; the character there is the first outside."""


def word_list(text: str) -> frozenset[str]:
    """Return the words that stand in a text between spaces."""
    return frozenset(text.split())


ENGLISH = word_list(
    "a about above after again against all am an and "
    "any are aren as at be because been before being below between both but by can could couldn d did didn do "
    "does doesn doing don down during each few for from further had hadn has hasn have haven having he her here "
    "hers herself him himself his how i if in into is isn it its itself just ll m ma me mightn more most mustn my "
    "myself n needn no nor not now o of off on once only or other our ours ourselves out over own re s same shan "
    "she should shouldn so some such t than that the their theirs them themselves then there these they this "
    "those through to too under until up ve very was wasn we were weren what when where which while who whom why "
    "will with won would wouldn y you your yours yourself yourselves "
)
"""English words that carry grammar rather than content: articles, pronouns, auxiliaries, prepositions, conjunctions,
and what tokenizers leave of their short forms."""

_LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_TOKEN = re.compile(r"\S+")
_STOP = re.compile(r"[.!?…؟۔।॥]+\Z")
"""A token that is a full stop of its own, as tokenizers write it."""
_CLOSER = re.compile(r"""(?:['’”»)\]}]+|''|-RRB-|-rrb-|-RSB-|-rsb-)\Z""")
"""A token that closes what was open, and so belongs to the sentence before it."""
_STOPS = ".!?…؟۔।॥"
_CLOSERS = "\"'’”»)]}"
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+\Z")
_WIDE_STOP = re.compile(r"[。！？｡]+[」』”’）〉》】]*")
_ABBREVIATIONS = word_list(
    "mr mrs ms messrs mme dr prof rev hon st jr sr gen col lt maj capt cpl sgt adm cmdr gov sen rep pres supt insp "
    "vs v etc e.g i.e cf al no nos vol fig figs eq sec ch pp p ed eds dept univ inc ltd co corp bros assn "
    "jan feb mar apr jun jul aug sept sep oct nov dec mon tue tues wed thu thur thurs fri sat sun "
    "ave blvd rd mt ft approx est min max a.m p.m u.s u.k u.n"
)
_WORD = re.compile(r"[^\W_]+(?:['’.,:\-][^\W_]+)*")
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)


def sentences(text: str) -> list[Span]:
    """Return the sentences of a text, without the white space around them.

    A line break ends a sentence. Where a line has full stops that stand alone (`` . ``, as tokenizers write them),
    these end sentences, whatever follows, with the closing quotes and brackets behind them. Other lines are read as
    ordinary prose: a word with ``.``, ``!`` or ``?`` at its end closes a sentence if the next word does not begin in
    lower case (unless all of the line is in lower case), and if it is no abbreviation and no initial. Chinese and
    Japanese stops need no space behind them.

    Examples
    --------
    >>> text = "Mr. Hu came . he saw . "
    >>> [text[start:end] for start, end in sentences(text)]
    ['Mr. Hu came .', 'he saw .']
    >>> text = "Dr. J. Hu came at 5 p.m. on Monday. He saw!"
    >>> [text[start:end] for start, end in sentences(text)]
    ['Dr. J. Hu came at 5 p.m. on Monday.', 'He saw!']
    """
    found: list[Span] = []
    for line in _LINE.finditer(text):
        tokens = [Span(line.start() + t.start(), line.start() + t.end()) for t in _TOKEN.finditer(line.group())]
        if tokens:
            _of_line(text, tokens, found)
    return found


def sentence_texts(text: str) -> list[str]:
    r"""Return the sentences of a text as texts.

    Examples
    --------
    >>> sentence_texts("It rained. We stayed.\nThen we went!")
    ['It rained.', 'We stayed.', 'Then we went!']
    """
    return [text[start:end] for start, end in sentences(text)]


def _of_line(text: str, tokens: list[Span], found: list[Span]) -> None:
    words = [text[start:end] for start, end in tokens]
    alone = any(_STOP.match(word) for word in words[1:])
    lower = not any(word[0].isupper() for word in words)
    first = tokens[0].start
    quotes = at = 0
    last = len(words) - 1
    while at <= last:
        word = words[at]
        quotes += word.count('"')
        if alone:
            ends = at > 0 and _STOP.match(word) is not None
            while ends and at < last and _belongs(words[at + 1], quotes % 2 == 1):
                at += 1
                quotes += words[at].count('"')
        else:
            ends = at < last and _closes(word, words[at + 1], lower)
        wide = 0
        for stop in _WIDE_STOP.finditer(word):
            # such a stop may stand in the middle of what is written without spaces
            wide = stop.end()
            if tokens[at].start + wide < tokens[at].end:
                found.append(Span(first, tokens[at].start + wide))
                first = tokens[at].start + wide
        if (ends or wide == len(word)) and at < last:
            found.append(Span(first, tokens[at].end))
            first = tokens[at + 1].start
        at += 1
    found.append(Span(first, tokens[-1].end))


def _belongs(token: str, quoted: bool) -> bool:
    """Tell whether a token after a full stop still belongs to the sentence."""
    return bool(_STOP.match(token) or _CLOSER.match(token)) or (token == '"' and quoted)


def _closes(word: str, following: str, lower: bool) -> bool:
    """Tell whether a word with its punctuation ends a sentence of ordinary prose."""
    bare = word.rstrip(_CLOSERS)
    stem = bare.rstrip(_STOPS)
    if stem == bare:
        return False
    opening = following.lstrip("\"'‘’“”«([{`¿¡-–—•*")
    if opening[:1].islower() and not lower:
        return False
    if len(bare) < len(word) or bare[len(stem) :] != ".":
        return True  # a full stop inside quotes or brackets ends the sentence, even after an abbreviation
    stem = stem.lstrip("\"'‘’“”«([{`")
    return not (stem.lower() in _ABBREVIATIONS or (stem + "." != "I." and _INITIALS.match(stem + ".")))


def replaced(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Return a text in which stretches, in the order of the text, have become others; all between them stays.

    Examples
    --------
    >>> replaced("one two", [(0, 3, "1")])
    '1 two'
    """
    parts, at = [], 0
    for start, end, after in edits:
        parts += [text[at:start], after]
        at = end
    return "".join([*parts, text[at:]])


def words(text: str) -> list[Span]:
    """Return the stretches between white space that hold a letter or a digit.

    Examples
    --------
    >>> words("He said : go .")
    [Span(start=0, end=2), Span(start=3, end=7), Span(start=10, end=12)]
    """
    return [Span(*t.span()) for t in _TOKEN.finditer(text) if any(map(str.isalnum, t.group()))]


def terms(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Return words without the punctuation that touches them, within a stretch of the text.

    Examples
    --------
    >>> text = "(She's well-known.)"
    >>> [text[start:end] for start, end in terms(text)]
    ["She's", 'well-known']
    """
    return [Span(*w.span()) for w in _WORD.finditer(text, start, len(text) if end is None else end)]


def is_spaceless(text: str) -> bool:
    """Tell whether most letters belong to scripts that put no spaces between words, such as Chinese and Thai.

    Examples
    --------
    >>> is_spaceless("我们明天见"), is_spaceless("see you, 小明")
    (True, False)
    """
    letters = sum(map(str.isalpha, text))
    return letters > 0 and 2 * len(_SPACELESS.findall(text)) > letters
