"""METEOR: alignment of words by form, stem, synonym and paraphrase, by the program of its authors or by NLTK.

Denkowski and Lavie (2014), Meteor Universal; Banerjee and Lavie (2005), METEOR. The two give different numbers, so
they have different names: ``meteor`` is version 1.5 as published, ``meteor-nltk`` is NLTK's own, near the first paper.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import tempfile
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.errors import DataError, UsageError, one_line
from metassay.stats import corpus_scores
from metassay.texts.programs import Conversation, Stopped
from metassay.texts.scorers.base import CorpusCounts, digest, option
from metassay.texts.scorers.cache import default_path
from metassay.texts.scorers.tokens import WORDNET, WordScorer, tokenizer

MOST_WORDS = 2000
"""Alignments of longer texts take minutes each; they are not computed."""
JAVA_COMMAND = "apt install default-jre-headless"
JAR_COMMAND = "pip install 'metassay[meteor]'"
WORDNET_COMMAND = "apt install wordnet-base wordnet-sense-index"

# Lines and bars are the program's own punctuation; other control characters part words for it, too.
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\s]+|\|{2,}")


class _Meteor(WordScorer):
    """What both METEORs do with texts that they cannot read."""

    def _find(self, text: str) -> list[str]:
        raise NotImplementedError

    def _aligned(self, output: list[str], references: list[list[str]], item: Item) -> float:
        raise NotImplementedError

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:
        """Count the items that were too long, or whose words cannot be told."""
        long = sum(max(len(text.split()) for text in (item.output, *item.references)) > MOST_WORDS for item in items)
        return super().notes(items) + self._counted("texts-too-long", long, outputs=len(items), words=MOST_WORDS)

    def _one(self, item: Item) -> float:
        read = self._read(item)
        return np.nan if read is None else self._aligned(*read, item) if read[0] else 0.0

    def _read(self, item: Item) -> tuple[list[str], list[list[str]]] | None:
        """Return the words of an output and of its references, or None if they are none or too many."""
        output, references = self._find(item.output), [found for found in map(self._find, item.references) if found]
        long = max(map(len, (output, *references))) > MOST_WORDS
        return None if not references or long or self._wordless(item) else (output, references)


class Meteor(_Meteor):
    """METEOR 1.5 for English, by the program of its authors, which pycocoevalcap carries and Java runs.

    Texts are normalised by the program (``-l en -norm``); of several references the best one counts.

    Parameters
    ----------
    jar
        The file ``meteor-1.5.jar``, with its paraphrases in ``data`` beside it; by default that of pycocoevalcap.
    memory
        How much memory Java may use, such as ``1G``.
    timeout
        How many seconds one output may take; one that takes longer has no score.

    Notes
    -----
    The program starts with the first output that has to be scored (it reads 60 MB of paraphrases, some ten seconds)
    and ends with the scorer. An output without words has the score 0. Text without spaces between words, and text of
    more than 2,000 words, has none.
    """

    name = "meteor"
    in_process = True
    batch = 100  # a hundred outputs take about a second
    signature = "meteor|version:1.5|language:en|norm:yes|references:max|v:1"
    jar: str | os.PathLike[str] | None = None
    memory: str = "2G"
    timeout: float = option(60, vocabulary.positive)

    def _prepare(self) -> None:
        if shutil.which("java") is None:
            raise UsageError(f"meteor needs Java, not installed here; run: {JAVA_COMMAND}")
        self._jar = _jar() if self.jar is None else Path(self.jar)
        if not self._jar.is_file():
            raise UsageError(f"meteor: there is no {one_line(self._jar)}; run: {JAR_COMMAND}")
        if not re.fullmatch(r"[1-9]\d{0,5}[kKmMgG]", str(self.memory)):
            raise UsageError(f"memory must be a number with M or G, such as 2G, got {one_line(self.memory, 40)!r}")
        self._program: Conversation | None = None
        self._slow: set[tuple[str, str]] = set()

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:
        """Count the items that were too long, took too long, or whose words cannot be told."""
        slow = sum((item.system, item.input) in self._slow for item in items)
        return super().notes(items) + self._counted("outputs-too-slow", slow, outputs=len(items), seconds=self.timeout)

    def _find(self, text: str) -> list[str]:
        return _UNSAFE.sub(" ", text).split()

    def corpus(self, items: Sequence[Item]) -> CorpusCounts:
        """Return the numbers that the program prints of each alignment; NaN for outputs that have no score."""
        counts = np.full((len(items), 23), np.nan)
        for row, item in enumerate(items):
            if (read := self._read(item)) is not None:
                counts[row] = self._told(*read, item, lambda matched: [float(n) for n in matched.split()])
        return CorpusCounts(counts, corpus_scores.meteor, self.signature)

    def _aligned(self, output: list[str], references: list[list[str]], item: Item) -> float:
        def evaluated(matched: str) -> float:
            assert self._program is not None, "it has just answered"
            score = self._program.ask(f"EVAL ||| {matched}", self.timeout)
            self._program.read(self.timeout)  # the score of the whole set, which is this one
            return float(score)

        found: float = self._told(output, references, item, evaluated)
        return found

    def _told(
        self, output: list[str], references: list[list[str]], item: Item, made: Callable[[str], float | list[float]]
    ) -> Any:  # noqa: ANN401 - what `made` makes of an alignment, or NaN
        """Have an output aligned with its references, and return what is made of what the program says."""
        if self._program is None:
            encoding = ["-Dfile.encoding=UTF-8", "-Dstdin.encoding=UTF-8", "-Dstdout.encoding=UTF-8"]
            command = ["java", f"-Xmx{self.memory}", *encoding, "-jar", str(self._jar.resolve())]
            self._program = Conversation([*command, "-", "-", "-stdio", "-l", "en", "-norm"], to_start=120)
        at = f"the output of {one_line(item.system, 60)!r} on {one_line(item.input, 60)!r}"
        try:
            lines = map(" ".join, (*references, output))
            return made(self._program.ask(f"SCORE ||| {' ||| '.join(lines)}", self.timeout))
        except TimeoutError:
            # Words that repeat a hundred times have more alignments than can be tried.
            self._slow.add((item.system, item.input))
            self._close()
            return float("nan")
        except (Stopped, ValueError, OSError) as error:
            self._close()
            raise DataError(f"METEOR's program failed at {at}: {one_line(error, 200)}") from None

    def _close(self) -> None:
        if self._program is not None:
            self._program.stop()
        self._program = None


def _jar() -> Path:
    package = importlib.util.find_spec("pycocoevalcap")
    if package is None or not package.submodule_search_locations:
        raise UsageError(f"meteor needs pycocoevalcap, which carries the program; run: {JAR_COMMAND}")
    return Path(next(iter(package.submodule_search_locations))) / "meteor" / "meteor-1.5.jar"


# -- NLTK ---------------------------------------------------------------------------------------


def _share(what: str, value: float) -> float:
    return vocabulary.shares(what, value)[0]


class MeteorNltk(_Meteor):
    """METEOR as NLTK computes it: words, their stems, and synonyms from WordNet; of several references the best.

    Parameters
    ----------
    alpha, beta, gamma
        How much recall counts, and how the fragmentation of an alignment is punished: F times 1 - gamma · (chunks /
        matches) ^ beta.
    wordnet
        The folder with WordNet's files; by default where Debian's wordnet-base and wordnet-sense-index put them.

    Notes
    -----
    Words are letters and digits of any script, in lower case. There are no paraphrases, and no weights by kind of match
    or word: scores are other ones than those of ``meteor``. An output without words has the score 0. Text without
    spaces between words, and text of more than 2,000 words, has none.
    """

    name = "meteor-nltk"
    alpha: float = option(0.9, _share)
    beta: float = option(3.0, vocabulary.positive)
    gamma: float = option(0.5, _share)
    wordnet: str | os.PathLike[str] | None = None

    def _prepare(self) -> None:
        if importlib.util.find_spec("nltk") is None:
            raise UsageError(f"meteor-nltk needs nltk, not installed here; run: {JAR_COMMAND}")
        self._wordnet = WORDNET if self.wordnet is None else Path(self.wordnet)
        for name in _WORDNET_FILES:
            if not (self._wordnet / name).is_file():
                raise UsageError(
                    f"meteor-nltk needs WordNet, but there is no {one_line(self._wordnet / name)}; "
                    f"run: {WORDNET_COMMAND}"
                )
        import nltk

        version = nltk.__version__
        self.signature = self._recipe("alpha beta gamma tokens references nltk", references="max", nltk=version)

    def _find(self, text: str) -> list[str]:
        return tokenizer(self.tokens)(text)

    def _aligned(self, output: list[str], references: list[list[str]], item: Item) -> float:  # noqa: ARG002 - words do
        from nltk.translate.meteor_score import single_meteor_score

        how = {"wordnet": _reader(self._wordnet), "alpha": self.alpha, "beta": self.beta, "gamma": self.gamma}
        return max(float(single_meteor_score(reference, output, **how)) for reference in references)


_PARTS = ("adj", "adv", "noun", "verb")
_WORDNET_FILES = (
    "index.sense",
    "cntlist.rev",
    *(f"{kind}.{part}" for kind in ("index", "data") for part in _PARTS),
    *(f"{part}.exc" for part in _PARTS),
)
_LEXICOGRAPHERS = [
    line.split()
    for line in (
        "3 adj all pert",
        "4 adv all",
        "1 noun Tops act animal artifact attribute body cognition communication event feeling food group location "
        "motive object person phenomenon plant possession process quantity relation shape state substance time",
        "2 verb body change cognition communication competition consumption contact creation emotion motion "
        "perception possession social stative weather",
        "3 adj ppl",
    )
]
"""Names of WordNet's lexicographer files in the order of their numbers; see the manual page lexnames(5WN)."""


def lexnames() -> str:
    r"""Return the table of lexicographer files, which Debian's packages leave out and NLTK asks for.

    Examples
    --------
    >>> lexnames().splitlines()[3].split("\t")
    ['03', 'noun.Tops', '1']
    """
    names = [(f"{part}.{name}", number) for number, part, *files in _LEXICOGRAPHERS for name in files]
    return "".join(f"{at:02d}\t{name}\t{number}\n" for at, (name, number) in enumerate(names))


@cache
def _reader(folder: Path) -> Any:  # noqa: ANN401 - nltk carries no types
    """Return NLTK's reader of WordNet over files that are laid out as it asks for."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    data = lay_out(folder)
    # NLTK reads only below the folders that are in its list, and follows no link out of them.
    if str(data) not in nltk.data.path:
        nltk.data.path.append(str(data))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # other languages are missing, and not needed
            return WordNetCorpusReader(str(data / "corpora" / "wordnet"), None)
    except (OSError, ValueError, LookupError) as error:
        raise DataError(f"NLTK cannot read WordNet from {one_line(data)}: {one_line(error)}") from None


def lay_out(folder: Path) -> Path:
    """Return a folder of NLTK's data with a copy of WordNet's files (40 MB) that is made once, whole or not at all."""
    kept = default_path().parent
    target = kept / f"nltk_data-{digest(f'{name} {(folder / name).stat().st_size}' for name in _WORDNET_FILES)}"
    if target.is_dir():
        return target
    try:
        kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=kept) as name:
            wordnet = Path(name) / "whole" / "corpora" / "wordnet"
            wordnet.mkdir(parents=True)
            for file in _WORDNET_FILES:
                shutil.copyfile(folder / file, wordnet / file)
            (wordnet / "lexnames").write_text(lexnames(), encoding="ascii")
            try:
                (Path(name) / "whole").rename(target)
            except OSError:
                if not target.is_dir():  # or else another process was faster
                    raise
    except OSError as error:
        raise UsageError(f"cannot copy WordNet to {one_line(kept)!r}: {error.strerror or one_line(error)}") from None
    return target
