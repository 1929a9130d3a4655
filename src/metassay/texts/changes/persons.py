"""Who is named in a text: rules on capitals, titles and the words around, with no list of names."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from metassay.texts.segments import word_list

Name = tuple[str, ...]
"""A person's name, word by word, such as ``("Paul", "Merson")``."""

ENOUGH = 1
"""Points of evidence that make a sequence of capitalised words the name of a person."""

_TOKEN = re.compile(r"[^\W\d_]\.(?=\s)|[^\W\d_]+(?:['’\-][^\W\d_]+)*|\d+|\S")
_CLITIC = re.compile(r"['’]s\Z", re.IGNORECASE)
_HONORIFICS = word_list("mr mrs ms miss mx dr prof professor sir dame lord lady sgt capt lt col gen rev")
_ROLES = word_list(
    "president chairman chairwoman chairperson chief boss manager coach captain striker midfielder defender forward "
    "goalkeeper keeper winger quarterback batsman bowler skipper player teammate rival actor actress singer rapper "
    "comedian comic star pundit presenter host broadcaster journalist reporter correspondent editor author writer poet "
    "artist director producer model minister premier chancellor secretary senator congressman congresswoman governor "
    "mayor councillor candidate ambassador diplomat spokesman spokeswoman spokesperson official officer detective "
    "inspector sheriff constable sergeant lieutenant general colonel major commander judge justice lawyer attorney "
    "prosecutor barrister solicitor doctor surgeon nurse teacher principal headteacher student professor researcher "
    "scientist engineer founder entrepreneur billionaire executive analyst expert mother father mum mom dad son "
    "daughter wife husband brother sister girlfriend boyfriend fiancé fiancée friend partner widow uncle aunt cousin "
    "grandmother grandfather prince princess king queen duke duchess pope bishop archbishop priest pastor imam rabbi "
    "gunman suspect victim defendant killer driver pilot co-pilot passenger veteran teenager named called "
    "golfer jockey boxer champion ace duo"
)
_ACTS = word_list(
    "said says say told tells added adds wrote writes tweeted insisted insists admitted admits claimed claims revealed "
    "explained argued recalled joked replied responded believes thinks thought knew hopes wants wanted feels felt "
    "smiled laughed cried married died lived loves loved testified pleaded confessed denied apologised apologized "
    "posted hailed praised blamed warned urged vowed promised agreed starred stars sings sang scored scores netted "
    "himself herself who whose aged"
)
_SPEECH = word_list("said says added adds wrote explained admitted insisted claimed revealed tweeted by")
_PLACE = word_list("in at near outside inside across around throughout within into")
_NOT_NAMES = word_list(
    "i i'm i've i'd i'll a an the this that these those he she it we they you his her its our their your my him them "
    "us me who what when where why how which and or but nor so yet if then than as at by for from in into of off on "
    "onto out over to up with without under about after before since until while because although though during "
    "against between among through not no yes there here is are was were be been being am do does did have has had "
    "will would can could may might must shall should now just also only even all any both each some many most more "
    "such very too ok former meanwhile however one two three four five six seven eight nine ten using thanks god young "
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july august "
    "september october november december mr mrs ms miss dr prof sir dame lord lady "
    "age club appearances goals scroll click video photo image pictured related read watch"
)
_THINGS = word_list(
    "united city town county state states kingdom republic union league cup championship championships trophy final "
    "fc afc cf rovers wanderers athletic albion villa palace hotspur "
    "university college school academy institute hospital clinic church cathedral museum library theatre theater "
    "street road avenue lane square park bridge river lake sea ocean bay beach island islands mount mountain mountains "
    "valley forest canyon desert airport airlines airways station stadium arena hall house building tower centre "
    "center police department ministry office bureau agency council committee commission court parliament congress "
    "senate government party army navy force forces guard corps bank group company corporation inc ltd plc llc media "
    "news times post mail telegraph guardian herald tribune magazine tv radio sky bbc cnn itv sports twitter facebook "
    "instagram youtube google apple microsoft association federation foundation society trust fund international "
    "national american british english french german italian spanish chinese japanese russian european african asian "
    "north south east west northern southern eastern western central new great world war day night week awards award "
    "festival games olympics olympic series show live act bill law age road grand prix open masters tour premier "
    "champions europa football rugby cricket golf tennis formula red green black white blue high royal saint st san "
    "santa los las province authority auctions premiership port saga yard township"
)
_KIN = word_list("wife husband mother father son daughter brother sister girlfriend boyfriend career lawyer")
_PARTICLES = word_list("de da di du del della van von der den bin al el la le")


class Mention(NamedTuple):
    """A place where a person is named."""

    start: int
    """Where the name begins."""
    end: int
    """Where it ends."""
    name: Name
    """Whose name it is."""
    part: str
    """``full``, ``first`` or ``last``: how much of the name stands there."""


def people(text: str) -> list[Name]:
    """Return the names of persons in a text that has capitals, in the order of first mention.

    Sequences of one to four capitalised words are candidates, without words that the text also writes in lower case.
    Evidence is counted over all places where a candidate stands: a title or a role before it (``Mr``, ``striker``),
    an act of a person after it (``said``, ``who``), an age, or a surname that the text uses alone later; an article
    or a place preposition before it, and a word of institutions or places within it, speak against it.

    Examples
    --------
    >>> people("Striker Ana Ruiz told Kim Lee , 34 , that Ruiz would leave Madrid . She lives in Madrid .")
    [('Ana', 'Ruiz'), ('Kim', 'Lee')]
    """
    tokens = [match.group() for match in _TOKEN.finditer(text)]
    lowered = {token for token in tokens if token[0].islower()}
    runs = _runs(tokens, lowered)
    counts = Counter(tuple(tokens[at] for at in run) for run in runs)
    alone = {name[0]: count for name, count in counts.items() if len(name) == 1}
    points: defaultdict[Name, int] = defaultdict(int)
    for run in runs:
        name = tuple(tokens[at] for at in run)
        points[name] += _evidence(tokens, run)
    for name in points:
        if any(word.lower() in _THINGS for word in name):
            points[name] -= 4
        elif len(name) > 1:
            points[name] += 1
            if name[-1] in alone:
                points[name] += 1 + (alone[name[-1]] > 1)
                points[name] += min(2, max(0, points.get(name[-1:], 0)))
    full = [name for name, score in points.items() if 2 <= len(name) <= 4 and score >= ENOUGH]
    full = [name for name in full if not _joined(name, full, counts)]
    known = {word for name in full for word in name}
    single = [name for name, score in points.items() if len(name) == 1 and score > 2 * ENOUGH and name[0] not in known]
    return full + single


def _runs(tokens: Sequence[str], lowered: set[str]) -> list[range]:
    """Return the stretches of capitalised words that could be names."""
    found, at = [], 0
    while at < len(tokens):
        start = at
        while tokens[start].lower() in _ROLES and start + 1 < len(tokens) and tokens[start + 1][0].isupper():
            start += 1  # a title in capitals, as at the head of a sentence, is no part of the name
        at = start
        while at < len(tokens) and (
            _capital(tokens[at], lowered)
            or (at > start and tokens[at] in _PARTICLES and at + 1 < len(tokens) and _capital(tokens[at + 1], lowered))
        ):
            at += 1
        if at > start:
            found.append(range(start, at))
        at += 1
    return found


def _capital(token: str, lowered: set[str]) -> bool:
    if not token[0].isupper() or token.lower() in _NOT_NAMES or _CLITIC.search(token):
        return False
    if len(token) == 2 and token[1] == ".":
        return True
    tails = token.replace("’", "-").split("-")[1:]
    if any(tail[:1].islower() for tail in tails):  # Second-place, not Ward-Prowse
        return False
    return not token.isupper() and len(token) > 1 and token.lower() not in lowered


def _evidence(tokens: Sequence[str], run: range) -> int:
    before = tokens[run.start - 1].lower() if run.start else ""
    twice = tokens[run.start - 2].lower() if run.start > 1 else ""
    after = [token.lower() for token in tokens[run.stop : run.stop + 4]] + [""] * 4
    points = 0
    if before in _HONORIFICS or (before == "." and twice in _HONORIFICS):
        points += 4
    elif before in _ROLES:
        points += 2
    elif before in _SPEECH:
        points += 1
    elif before in ("the", "a", "an"):
        points -= 3
    elif before in _PLACE:
        points -= 1 if len(run) > 1 else 2
    if after[0] in _ACTS or (after[0] == "," and after[1] in ("who", "whose", "aged")):
        points += 2
    elif after[0] in (",", "(") and after[1].isdigit() and len(after[1]) <= 2 and after[2] in (",", ")", "."):
        points += 3
    elif after[0] in ("'", "’") and after[1] == "s" and after[2] in _KIN:
        points += 1
    return points


def _joined(name: Name, names: Sequence[Name], counts: Counter[Name]) -> bool:
    """Tell whether two names stand side by side here, as in captions that lost their full stop."""
    if len(set(name)) < len(name):
        return True
    if any(2 <= len(other) < len(name) and other in (name[: len(other)], name[-len(other) :]) for other in names):
        return True
    better = any(name[-1] in other and counts[other] > counts[name] for other in names if other[0] != name[0])
    return counts[name] == 1 and better and counts[name[:1]] > 0


def mentions(text: str, names: Iterable[Name], source: str = "") -> list[Mention]:
    """Return where the persons are named in a text, in any case: a whole name, a last or a first name.

    A part of a name in lower case counts only if the source does not use that word in lower case itself, so that
    ``will`` is not taken for Will Smith.

    Examples
    --------
    >>> [m.part for m in mentions("paul merson spoke . Merson was sad .", [("Paul", "Merson")])]
    ['full', 'last']
    """
    forms: dict[str, tuple[Name, str]] = {}
    for name in names:
        for part, words in (("full", name), ("last", name[-1:]), ("first", name[:1])):
            if len(words[0]) > 2 or len(words) > 1:
                forms.setdefault(" ".join(words).lower(), (name, "full" if words == name else part))
    if not forms:
        return []
    ordinary = {match.group() for match in _TOKEN.finditer(source) if match.group()[0].islower()}
    longest_first = sorted(forms, key=len, reverse=True)
    pattern = "|".join(r"\s+".join(map(re.escape, form.split(" "))) for form in longest_first)
    found = []
    for match in re.finditer(rf"(?<![^\W_])(?:{pattern})(?![^\W_])", text, re.IGNORECASE):
        written = match.group().split()
        name, part = forms.get(" ".join(written).lower(), ((), ""))
        if not name or (len(written) == 1 and written[0].islower() and written[0] in ordinary):
            continue
        found.append(Mention(match.start(), match.end(), name, part))
    return found


def is_sentence_case(mention: str) -> bool:
    """Tell whether a name is written as in a text without capitals, where only the first word may have one.

    Examples
    --------
    >>> is_sentence_case("Steve bruce"), is_sentence_case("Louis van Gaal")
    (True, False)
    """
    words = mention.split()
    return mention.islower() or (len(words) > 1 and words[-1].islower())


def renamed(mention: str, part: str, name: Name, sentence_case: bool) -> str:
    """Return another person's name in the form and the case in which this one was mentioned.

    Parameters
    ----------
    mention
        What stands in the text.
    part
        ``full``, ``first`` or ``last``.
    name
        The other person's name.
    sentence_case
        The text writes names in lower case, so that a capital only opens a sentence.
    """
    words = {"full": name, "first": name[:1], "last": name[-1:]}[part]
    plain = " ".join(words)
    if mention.islower():
        return plain.lower()
    if mention.isupper() and len(mention) > 1:
        return plain.upper()
    if sentence_case:
        return plain[:1].upper() + plain[1:].lower()
    return plain
