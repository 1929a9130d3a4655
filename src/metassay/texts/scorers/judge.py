"""A model as a judge: any endpoint that speaks the chat protocol of OpenAI."""

from __future__ import annotations

import json
import math
import os
import queue
import threading
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.errors import UnknownName, UsageError, listed, one_line
from metassay.texts.scorers.adapter import checked_name, lower_columns, parts_of
from metassay.texts.scorers.base import Need, Scorer, ScorerDefaults, Unfinished, digest, in_recipe
from metassay.texts.scorers.judge_answers import Parser, expectation
from metassay.texts.scorers.judge_endpoint import Endpoint, Failure, Rejection, Unfit, check_key, hide
from metassay.texts.scorers.judge_prompts import CRITERIA, Criterion, criteria_of, text_or_file

FloatArray = npt.NDArray[np.float64]

OPENAI = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"

_LOST = ("unread", "refused", "empty", "cut", "rejected")
"""Why an answer gives no score."""


class _Reading(NamedTuple):
    """What became of one answer."""

    score: float
    """The score; NaN if there is none."""
    why: str
    """Why there is none, or nothing."""


class _Tally:
    """What a run asked for and got; threads write into it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.counts: Counter[str] = Counter()
        self.rejection = ""


class Judge(ScorerDefaults):
    """Scores with a language model that is asked for one criterion at a time.

    Following G-Eval (Liu et al., 2023): a definition and a scale in the prompt, and the mean over several answers or
    over the probabilities of the score's token.

    Parameters
    ----------
    model
        The model, as the endpoint calls it.
    criterion
        Names of criteria, as a list or parted by pluses; each is a column and a request per output. Known ones are
        coherence, consistency, fluency, relevance, adequacy and overall; others need a rubric.
    base_url
        Where the endpoint is, up to and without ``/chat/completions``.
    key_env
        The environment variable that holds the key; ``none`` for no key. By default ``OPENAI_API_KEY`` if the endpoint
        is OpenAI's and no key otherwise, so that no key goes to a host it was not meant for.
    template
        The prompt, or ``@FILE``, with places ``{output}``, ``{source}``, ``{references}``, ``{rubric}``,
        ``{criterion}``, ``{low}`` and ``{high}``. An output that lacks what the template has a place for gets no score.
    rubric
        What the criterion means, or ``@FILE``.
    system
        A system message, or ``@FILE``.
    low, high
        The ends of the scale. A score outside is none.
    parser, field, pattern
        How the score is found in the answer: ``number``, ``json`` with the name of a field, or ``regex`` with a pattern
        that has a group.
    temperature
        By default 0 for one sample and 1 for several; ``none`` leaves it to the endpoint.
    seed
        Sent to the endpoint, which may heed it; further samples count up from it.
    max_tokens
        The longest answer; ``none`` leaves it to the endpoint.
    n
        Answers per question; the score is the mean of those that can be read.
    logprobs
        Take the mean of the scale under the probabilities of the score's token. The scale must lie within 0 to 9.
    extra
        Further fields of the request, as a table or JSON text, such as ``{"reasoning_effort": "low"}``.
    threads
        Requests at a time.
    timeout, retries, backoff
        Seconds that a request may last, how often it is repeated, and the seconds before the first repeat.
    price_in, price_out
        Prices of a million tokens of prompts and of answers; the cost of the run is then told.
    log
        A file to which every answer is added, a JSON object per line.
    name
        The name of the judge, which begins its columns.
    lower_is_better
        Whether small scores are good, or the criteria of which this is true.
    criteria
        Settings of single criteria, by name: ``rubric``, ``template``, ``low``, ``high``.
    folder
        Where files behind an ``@`` are looked for.

    Notes
    -----
    The texts and the prompt go to the endpoint. The key is read from the environment, is sent to that host alone
    (redirects are not followed), and stands in no recipe, log, cache or message.
    """

    def __init__(
        self,
        model: str,
        criterion: str | Iterable[str] = "overall",
        *,
        base_url: str = OPENAI,
        key_env: str | None = None,
        template: str | None = None,
        rubric: str | None = None,
        system: str | None = None,
        low: float = 1,
        high: float = 5,
        parser: str = "number",
        field: str = "score",
        pattern: str | None = None,
        temperature: float | str | None = None,
        seed: int | None = None,
        max_tokens: int | str = 512,
        n: int = 1,
        logprobs: bool = False,
        extra: str | Mapping[str, object] | None = None,
        threads: int = 4,
        timeout: float = 60.0,
        retries: int = 6,
        backoff: float = 1.0,
        price_in: float | None = None,
        price_out: float | None = None,
        log: str | os.PathLike[str] | None = None,
        name: str = "judge",
        lower_is_better: bool | str | Iterable[str] = False,
        criteria: Mapping[str, Mapping[str, object]] | None = None,
        folder: str | os.PathLike[str] = ".",
    ) -> None:
        self.name = checked_name("the name of a judge", name)
        self._criteria = _criteria(
            criterion, criteria or {}, template=template, rubric=rubric, low=low, high=high, folder=Path(folder)
        )
        names = [one.name for one in self._criteria]
        self._lower = lower_columns(lower_is_better, names, self.columns)
        self._parser = Parser(parser, field=field, pattern=pattern)
        self._n = vocabulary.count("n", n)
        self._logprobs = vocabulary.flag("logprobs", logprobs)
        self._seed = None if seed is None else vocabulary.seed(seed)
        for one in self._criteria:
            if self._logprobs and not (one.low >= 0 and one.high <= 9):
                raise UsageError(
                    f"logprobs needs a scale of single digits, 0 to 9 at most, but {one.name} has "
                    f"{one.low:g} to {one.high:g}"
                )
        self._system = None if system is None else text_or_file("system message", system, Path(folder))
        self._body = self._request(str(model), temperature, max_tokens, extra)
        self._threads = vocabulary.count("threads", threads)
        self._prices = _prices(price_in, price_out)
        self._log = None if log is None else _log(Path(folder) / log)
        self._log_lock = threading.Lock()
        key_name, self._key = _key(base_url, key_env)
        self._endpoint = Endpoint(
            str(base_url),
            key=self._key,
            key_name=key_name,
            timeout=vocabulary.positive("timeout", timeout),
            retries=vocabulary.count("retries", retries, 0),
            backoff=vocabulary.positive("backoff", backoff),
        )
        self._one_at_a_time = False
        self._tally = _Tally()
        self._signature = self._recipe(str(model))

    def _request(
        self,
        model: str,
        temperature: float | str | None,
        max_tokens: int | str,
        extra: str | Mapping[str, object] | None,
    ) -> dict[str, object]:
        """Return what all requests have alike."""
        if not model.strip():
            raise UsageError("judge needs a model=…, as the endpoint calls it")
        body: dict[str, object] = {"model": model}
        if temperature is None:
            temperature = 0 if self._n == 1 else 1
        if temperature != "none":
            if isinstance(temperature, bool | str) or not 0 <= temperature < math.inf:
                raise UsageError(f"temperature must be a number of at least 0, or none, got {temperature!r}")
            body["temperature"] = temperature
        if max_tokens != "none":
            if isinstance(max_tokens, str):
                raise UsageError(f"max_tokens must be a whole number or none, got {one_line(max_tokens, 40)!r}")
            body["max_tokens"] = vocabulary.count("max_tokens", max_tokens)
        if self._logprobs:
            body |= {"logprobs": True, "top_logprobs": 20}
        return body | _further_fields(extra)

    def _recipe(self, model: str) -> str:
        asked = [f"{c.name}\0{c.rubric}\0{c.low!r}\0{c.high!r}\0{c.template}" for c in self._criteria]
        settings = {key: value for key, value in self._body.items() if key not in ("model", "logprobs", "top_logprobs")}
        parts = {
            "model": model,
            "at": self._endpoint.told,
            "criteria": ",".join(f"{c.name}({c.low:g}-{c.high:g})" for c in self._criteria),
            "prompt": digest([*asked, self._system or ""]),
            "parser": self._parser.signature,
            **{key: json.dumps(value, sort_keys=True) for key, value in settings.items()},
            "seed": self._seed,
            "n": self._n,
            "mean": "logprobs" if self._logprobs else None,
            "v": 1,
        }
        told = [f"{key}:{in_recipe(value, 200)}" for key, value in parts.items() if value is not None]
        return hide("|".join([self.name, *told]), self._key)

    @property
    def signature(self) -> str:
        """The recipe in one line, without the key."""
        return self._signature

    @property
    def columns(self) -> tuple[str, ...]:
        """Names such as ``judge_fluency``."""
        return tuple(f"{self.name}_{criterion.name}" for criterion in self._criteria)

    @property
    def lower_is_better(self) -> frozenset[str]:
        """What the user said."""
        return self._lower

    @property
    def needs(self) -> frozenset[Need]:
        """What all criteria look at; an output that lacks what one of them needs is missing for that one."""
        return frozenset.intersection(*(criterion.sees for criterion in self._criteria))

    @property
    def sees(self) -> frozenset[Need]:
        """What any criterion looks at."""
        return frozenset[Need]().union(*(criterion.sees for criterion in self._criteria))

    @property
    def in_process(self) -> bool:
        """It has threads and connections of its own."""
        return True

    @property
    def batch(self) -> int:
        """A few requests per thread: answers cost money, and a run that is killed loses no more than these."""
        return max(1, 4 * self._threads // (len(self._criteria)))

    def fitted(self, items: Sequence[Item]) -> Scorer:  # noqa: ARG002 - a judge has nothing to learn
        """Return the judge with its counts at zero: a run begins."""
        self._tally = _Tally()
        self._endpoint.requests = self._endpoint.repeats = 0
        return self

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return scores of shape (items, columns), NaN where no answer could be read.

        Raises
        ------
        Unfinished
            If the endpoint fails for good; what was answered by then is handed over with it.
        """
        return self.complete(items, np.full((len(items), len(self._criteria)), np.nan))

    def complete(self, items: Sequence[Item], rows: FloatArray) -> FloatArray:
        """Return rows of scores in which what was missing has been asked for, and nothing else."""
        out = np.array(rows)
        jobs = [
            (row, column)
            for row, item in enumerate(items)
            for column, criterion in enumerate(self._criteria)
            if np.isnan(out[row, column]) and _has(item, criterion.sees)
        ]
        failure: Exception | None = None
        for (row, column), value in self._work(jobs, items):
            if isinstance(value, Exception):
                failure = failure or value
            else:
                out[row, column] = value
        if failure is not None:
            # Also what was answered of an output that lacks the rest: the next run asks for that alone.
            done = list(zip(items, out, strict=True))
            if isinstance(failure, Failure | Unfit):
                raise Unfinished(str(failure), done)
            if isinstance(failure, OSError):
                raise Unfinished(f"cannot write the log: {(failure.strerror or str(failure)).lower()}", done)
            raise failure
        return out

    def _work(
        self, jobs: Sequence[tuple[int, int]], items: Sequence[Item]
    ) -> Iterator[tuple[tuple[int, int], float | Exception]]:
        """Do all jobs and yield what comes of each; after a failure, only those that were begun."""
        waiting = iter(jobs)
        results: queue.SimpleQueue[tuple[tuple[int, int], float | Exception] | None] = queue.SimpleQueue()
        stop, lock = threading.Event(), threading.Lock()

        def serve() -> None:
            while not stop.is_set():
                with lock:
                    job = next(waiting, None)
                if job is None:
                    break
                try:
                    results.put((job, self._judge(items[job[0]], self._criteria[job[1]], stop)))
                except Exception as error:
                    # told before the others stop, so that it stands before their complaint of having been stopped
                    results.put((job, error))
                    stop.set()
            results.put(None)

        # Daemons: whoever interrupts a run does not wait for answers that are still on their way.
        threads = [
            threading.Thread(target=serve, name="metassay-judge", daemon=True)
            for _ in range(min(self._threads, len(jobs)))
        ]
        try:
            for thread in threads:
                thread.start()
            ended = 0
            while ended < len(threads):
                result = results.get()
                if result is None:
                    ended += 1
                else:
                    yield result
        finally:
            stop.set()

    def _judge(self, item: Item, criterion: Criterion, stop: threading.Event) -> float:
        """Return the score of one output by one criterion: the mean of the answers that can be read."""
        messages = [{"role": "user", "content": criterion.prompt(item)}]
        if self._system is not None:
            messages.insert(0, {"role": "system", "content": self._system})
        readings: list[_Reading] = []
        while len(readings) < self._n:
            wanted = 1 if self._one_at_a_time else self._n - len(readings)
            body = self._body | {"messages": messages} | ({"n": wanted} if wanted > 1 else {})
            if self._seed is not None:
                body["seed"] = self._seed + len(readings)
            try:
                answer = self._endpoint.ask(body, stop)
            except Unfit:
                if wanted == 1:
                    raise
                # some endpoints give one answer per request and no more
                self._one_at_a_time = True
                continue
            except Rejection as error:
                with self._tally.lock:
                    self._tally.rejection = self._tally.rejection or str(error)
                readings.append(_Reading(math.nan, "rejected"))
                self._count(readings[-1:], {})
                break
            choices = answer["choices"][:wanted]
            new = [self._read(choice, criterion) for choice in choices]
            self._count(new, answer)
            for at, (choice, reading) in enumerate(zip(choices, new, strict=True), len(readings)):
                self._write(item, criterion, at, choice, reading, answer)
            readings += new
        scores = [reading.score for reading in readings if not math.isnan(reading.score)]
        return math.fsum(scores) / len(scores) if scores else math.nan

    def _read(self, choice: Mapping[str, Any], criterion: Criterion) -> _Reading:
        """Return the score in an answer, or why there is none."""
        message, ended = choice["message"], choice.get("finish_reason")
        text = _text(message.get("content"))
        if message.get("refusal") or ended == "content_filter":
            return _Reading(math.nan, "refused")
        if not text.strip():
            return _Reading(math.nan, "cut" if ended == "length" else "empty")
        found = self._parser.find(text, criterion.low, criterion.high, cut=ended == "length")
        if found is None:
            return _Reading(math.nan, "cut" if ended == "length" else "unread")
        if not self._logprobs:
            return _Reading(found.value, "")
        logprobs = choice.get("logprobs")
        tokens = logprobs.get("content") if isinstance(logprobs, Mapping) else None
        mean = expectation(found, text, tokens, criterion.low, criterion.high)
        return _Reading(found.value, "plain") if mean is None else _Reading(mean, "")

    def _count(self, readings: Sequence[_Reading], answer: Mapping[str, Any]) -> None:
        usage = answer.get("usage")
        with self._tally.lock:
            counts = self._tally.counts
            counts["answers"] += len(readings)
            counts.update(reading.why for reading in readings if reading.why)
            if not answer:
                return
            spent = [usage.get(f"{kind}_tokens") if isinstance(usage, Mapping) else None for kind in _KINDS]
            for kind, tokens in zip(_KINDS, spent, strict=True):
                if isinstance(tokens, int):
                    counts[kind] += tokens
            counts["uncounted"] += not all(isinstance(tokens, int) for tokens in spent)

    def _write(
        self,
        item: Item,
        criterion: Criterion,
        sample: int,
        choice: Mapping[str, Any],
        reading: _Reading,
        answer: Mapping[str, Any],
    ) -> None:
        """Add an answer to the log."""
        if self._log is None:
            return
        line = {
            "system": item.system,
            "input": item.input,
            "criterion": criterion.name,
            "sample": sample,
            "answer": _text(choice["message"].get("content")),
            "refusal": choice["message"].get("refusal"),
            "finish_reason": choice.get("finish_reason"),
            "score": None if math.isnan(reading.score) else reading.score,
            "model": answer.get("model"),
            "usage": answer.get("usage"),
        }
        text = hide(json.dumps(line, ensure_ascii=False), self._key)
        with self._log_lock, self._log.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text + "\n")

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:  # noqa: ARG002 - the counts are of this run
        """Return what the run asked for, what it cost, and how many answers could not be read."""
        counts = self._tally.counts
        if not counts["answers"]:
            return (Note.of("judge-not-asked", scorer=self.name),)
        requests, repeats, prices = self._endpoint.requests, self._endpoint.repeats, self._prices
        tokens = [counts[kind] for kind in _KINDS]
        cost = None
        if prices is not None:
            cost = sum(n * price for n, price in zip(tokens, prices, strict=True)) / 1e6
        told = [
            Note.of(
                "judge-usage",
                scorer=self.name,
                requests=requests,
                repeats=repeats,
                tokens=tokens,
                cost=cost,
                prices=prices or (),
                uncounted=counts["uncounted"],
            )
        ]
        lost = [(why, counts[why]) for why in _LOST if counts[why]]
        if lost:
            rejection = self._tally.rejection if counts["rejected"] else None
            answers = counts["answers"]
            told.append(Note.of("judge-unscored", scorer=self.name, answers=answers, reasons=lost, rejection=rejection))
        if counts["plain"]:
            told.append(Note.of("judge-without-probabilities", scorer=self.name, n=counts["plain"]))
        return tuple(told)

    def __repr__(self) -> str:
        return f"Judge({self._signature})"


_KINDS = ("prompt", "completion")


def judge(
    config: str | None = None,
    *,
    model: str | None = None,
    criterion: str | Iterable[str] | None = None,
    base_url: str | None = None,
    key_env: str | None = None,
    template: str | None = None,
    rubric: str | None = None,
    system: str | None = None,
    low: float | None = None,
    high: float | None = None,
    parser: str | None = None,
    field: str | None = None,
    pattern: str | None = None,
    temperature: float | str | None = None,
    seed: int | None = None,
    max_tokens: int | str | None = None,
    n: int | None = None,
    logprobs: bool | None = None,
    extra: str | Mapping[str, object] | None = None,
    threads: int | None = None,
    timeout: float | None = None,
    retries: int | None = None,
    backoff: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
    log: str | os.PathLike[str] | None = None,
    name: str | None = None,
    lower_is_better: bool | str | Iterable[str] | None = None,
    criteria: Mapping[str, Mapping[str, object]] | None = None,
) -> Judge:
    """Make a judge from a TOML file, from options, or from both, where options win.

    Parameters
    ----------
    config
        A TOML file with the options of :class:`Judge` under their own names, and a table ``[criteria.NAME]`` for each
        criterion with settings of its own. Files behind an ``@`` are looked for beside it.
    model, criterion, base_url, key_env, template, rubric, system, low, high, parser, field, pattern, temperature
        As of :class:`Judge`.
    seed, max_tokens, n, logprobs, extra, threads, timeout, retries, backoff, price_in, price_out, log
        As of :class:`Judge`.
    name, lower_is_better, criteria
        As of :class:`Judge`.

    Examples
    --------
    >>> fluency = judge(model="any", base_url="http://localhost:8000/v1", criterion="fluency")
    >>> fluency.columns, sorted(fluency.needs)
    (('judge_fluency',), [])
    """
    given = {key: value for key, value in locals().items() if key != "config" and value is not None}
    if config is None:
        settled: dict[str, Any] = {}
    else:
        settled = _read_config(Path(str(config)), tuple(judge.__annotations__)[1:-1])
        folder = Path(str(config)).parent
        # what the command line names is looked for from where the user is, what the file names beside the file
        for key in ("template", "rubric", "system"):
            if key in settled and key not in given:
                settled[key] = text_or_file(key, settled[key], folder)
        settled["criteria"] = {
            one: {
                key: text_or_file(key, value, folder) if isinstance(value, str) else value for key, value in of.items()
            }
            for one, of in settled.get("criteria", {}).items()
        }
        if "log" in settled:
            settled["log"] = folder / str(settled["log"])
    settled |= given
    if "model" not in settled:
        raise UsageError("judge needs a model: judge[model=…,criterion=fluency] or judge[config=judge.toml]")
    if "criterion" not in settled and settled.get("criteria"):
        settled["criterion"] = tuple(settled["criteria"])
    if "criterion" not in settled:
        raise UsageError(f"judge needs a criterion=…; known: {', '.join(CRITERIA)}, others with a rubric=…")
    return Judge(**settled)


def _further_fields(extra: object) -> dict[str, object]:
    """Return further fields of the request from a table or its JSON text."""
    found = extra
    if isinstance(extra, str) and extra:
        try:
            found = json.loads(extra)
        except (ValueError, RecursionError):
            found = extra
    if not found and found in (None, ""):
        return {}
    if not isinstance(found, Mapping) or {"messages", "n", "stream"} & set(found):
        raise UsageError(
            "extra must be a table of further fields of the request, or its JSON text, without messages, n and stream; "
            f"got {one_line(repr(extra), 60)}"
        )
    return dict(found)


def _read_config(path: Path, known: Sequence[str]) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            found = tomllib.load(file)
    except OSError as error:
        raise UsageError(f"cannot read {one_line(path)!r}: {(error.strerror or str(error)).lower()}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{one_line(path)} is not well-formed TOML: {one_line(error)}") from None
    settings = {key.replace("-", "_"): value for key, value in found.items()}
    for key in settings:
        if key in ("key", "api_key"):
            raise UsageError(f"{one_line(path)}: a key does not belong into a file; name its variable with key_env")
        if key not in known:
            raise UnknownName(f"option of judge in {one_line(path)}", key, known)
    tables = settings.get("criteria", {})
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise UsageError(f"{one_line(path)}: criteria are tables, such as [criteria.fluency]")
    return settings


def _criteria(
    wanted: str | Iterable[str],
    tables: Mapping[str, Mapping[str, object]],
    *,
    template: str | None,
    rubric: str | None,
    low: float,
    high: float,
    folder: Path,
) -> tuple[Criterion, ...]:
    names = tuple(checked_name("the name of a criterion", name) for name in parts_of(wanted))
    if not names:
        raise UsageError(f"no criterion given; known: {', '.join(CRITERIA)}, others with a rubric=…")
    settings = ("rubric", "template", "low", "high")
    for name, table in tables.items():
        for key in table:
            if key not in settings:
                raise UnknownName(f"setting of the criterion {one_line(name, 40)}", key, settings)
    if rubric is not None and len(names) > 1:
        raise UsageError(
            f"one rubric cannot serve {listed(names)}; give each its own, as [criteria.NAME] in a config file"
        )
    return criteria_of(names, template=template, rubric=rubric, low=low, high=high, tables=tables, folder=folder)


def _key(base_url: str, key_env: str | None) -> tuple[str, str | None]:
    """Return the name of the variable and the key in it, if one is to be sent."""
    name = key_env
    if name is None and str(base_url).startswith(f"{OPENAI.rsplit('/', 1)[0]}/"):
        name = OPENAI_KEY
    if name is None or name == "none":
        return "", None
    shown = one_line(name, 60)
    key = os.environ.get(str(name), "").strip()
    if not key:
        raise UsageError(
            f"the environment variable {shown} holds no key for the judge; set it, or name another with key_env=…"
        )
    return shown, check_key(key, shown)


def _prices(price_in: object, price_out: object) -> tuple[float, float] | None:
    if price_in is None and price_out is None:
        return None
    return _price("price_in", price_in), _price("price_out", price_out)


def _price(what: str, price: object) -> float:
    if isinstance(price, bool) or not isinstance(price, int | float) or not 0 <= price < math.inf:
        raise UsageError(
            f"{what} must be the price of a million tokens, got {one_line(price, 40)}; give both prices or none"
        )
    return float(price)


def _log(path: Path) -> Path:
    try:
        with path.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise UsageError(f"cannot write the log {one_line(path)!r}: {(error.strerror or str(error)).lower()}") from None
    return path


def _has(item: Item, seen: frozenset[Need]) -> bool:
    return not ("references" in seen and not item.references) and not ("source" in seen and item.source is None)


def _text(content: object) -> str:
    """Return the text of a message, which some endpoints give in parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    return ""
