"""A model as a judge: any endpoint that speaks the chat protocol of OpenAI."""

from __future__ import annotations

import json
import math
import os
import queue
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.errors import UsageError, one_line
from metassay.stats.arrays import FloatArray
from metassay.texts.scorers.adapter import checked_name, lower_columns
from metassay.texts.scorers.base import Need, Scorer, Unfinished, digest, has, in_recipe, option
from metassay.texts.scorers.judge_answers import WHY, Parser, Reading, read_choice, text_of
from metassay.texts.scorers.judge_cost import Account, Allowance, Overspent
from metassay.texts.scorers.judge_endpoint import OPENAI, Endpoint, Failure, Rejection, Unfit, hide, key_for
from metassay.texts.scorers.judge_prompts import Criterion, criteria_of, text_or_file

_Json = Mapping[str, Any]


class Judge(Scorer):
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
    max_cost
        The most that all requests of this judge together may cost. A request that could pass it is not sent, and the
        run ends; it needs prices and `max_tokens`, to which the endpoint must keep.
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

    # the option called field stands below the last use of that name
    model: str = field(kw_only=False)
    criterion: str | Iterable[str] = field(default="overall", kw_only=False)
    base_url: str = OPENAI
    key_env: str | None = None
    template: str | None = None
    rubric: str | None = None
    system: str | None = None
    low: float = 1
    high: float = 5
    parser: str = "number"
    field: str = "score"
    pattern: str | None = None
    temperature: float | str | None = None
    seed: int | None = option(None, lambda _, value: None if value is None else vocabulary.seed(value))
    max_tokens: int | str = 512
    n: int = option(1, vocabulary.count)
    logprobs: bool = option(False, vocabulary.flag)
    extra: str | Mapping[str, object] | None = None
    threads: int = option(4, vocabulary.count)
    timeout: float = option(60.0, vocabulary.positive)
    retries: int = option(6, partial(vocabulary.count, least=0))
    backoff: float = option(1.0, vocabulary.positive)
    price_in: float | None = None
    price_out: float | None = None
    max_cost: float | Allowance | None = None
    log: str | os.PathLike[str] | None = None
    name: str = option("model", lambda _, value: checked_name("the name of a judge", value))
    lower_is_better: bool | str | Iterable[str] = False  # type: ignore[assignment]
    criteria: Mapping[str, Mapping[str, object]] | None = None
    folder: str | os.PathLike[str] = "."
    asks_again = True
    in_process = True  # it has threads and connections of its own

    def _prepare(self) -> None:
        folder = Path(self.folder)
        said = {"template": self.template, "rubric": self.rubric, "low": self.low, "high": self.high}
        self._criteria = criteria_of(self.criterion, said, self.criteria or {}, folder)
        self.columns = tuple(f"{self.name}_{criterion.name}" for criterion in self._criteria)
        self.lower_is_better = lower_columns(self.lower_is_better, [one.name for one in self._criteria], self.columns)
        seen = [criterion.sees for criterion in self._criteria]
        # An output that lacks what one of the criteria needs is missing for that one.
        self.needs, self.sees = frozenset.intersection(*seen), frozenset[Need]().union(*seen)
        # A few requests per thread: answers cost money, and a run that is killed loses no more than these.
        self.batch = max(1, 4 * self.threads // len(seen))
        self._parser = Parser(self.parser, field=self.field, pattern=self.pattern)
        for one in self._criteria:
            if self.logprobs and not (one.low >= 0 and one.high <= 9):
                raise UsageError(
                    f"logprobs needs a scale of single digits, 0 to 9 at most, but {one.name} has "
                    f"{one.low:g} to {one.high:g}"
                )
        self._system = None if self.system is None else text_or_file("system message", self.system, folder)
        self._body = self._request()
        self._account = Account(self.price_in, self.price_out, self.max_cost)
        self._account.check(self._body)
        self._log = None if self.log is None else _log(folder / self.log)
        key_name, self._key = key_for(self.base_url, self.key_env)
        patience = self.timeout, self.retries, self.backoff
        self._endpoint = Endpoint(str(self.base_url), self._key, key_name, self._account, *patience)
        self._one_at_a_time = False
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._rejection = ""
        self.signature = self._signed()

    def _request(self) -> dict[str, object]:
        """Return what all requests have alike."""
        if not str(self.model).strip():
            raise UsageError("judge needs a model=…, as the endpoint calls it")
        body: dict[str, object] = {"model": str(self.model)}
        temperature = (0 if self.n == 1 else 1) if self.temperature is None else self.temperature
        if temperature != "none":
            if isinstance(temperature, bool | str) or not 0 <= temperature < math.inf:
                raise UsageError(f"temperature must be a number of at least 0, or none, got {temperature!r}")
            body["temperature"] = temperature
        if self.max_tokens != "none":
            if isinstance(self.max_tokens, str):
                raise UsageError(f"max_tokens must be a whole number or none, got {one_line(self.max_tokens, 40)!r}")
            body["max_tokens"] = vocabulary.count("max_tokens", self.max_tokens)
        if self.logprobs:
            body |= {"logprobs": True, "top_logprobs": 20}
        return body | _further_fields(self.extra)

    def _signed(self) -> str:
        asked = [f"{c.name}\0{c.rubric}\0{c.low!r}\0{c.high!r}\0{c.template}" for c in self._criteria]
        settings = {key: value for key, value in self._body.items() if key not in ("model", "logprobs", "top_logprobs")}
        parts = {
            "model": str(self.model),
            "at": self._endpoint.told,
            "criteria": ",".join(f"{c.name}({c.low:g}-{c.high:g})" for c in self._criteria),
            "prompt": digest([*asked, self._system or ""]),
            "parser": self._parser.signature,
            **{key: json.dumps(value, sort_keys=True) for key, value in settings.items()},
            "seed": self.seed,
            "n": self.n,
            "mean": "logprobs" if self.logprobs else None,
            "v": 1,
        }
        told = [f"{key}:{in_recipe(value, 200)}" for key, value in parts.items() if value is not None]
        return hide("|".join([self.name, *told]), self._key)

    def fitted(self, items: Sequence[Item]) -> Judge:  # noqa: ARG002 - a judge has nothing to learn
        """Return the judge with its counts at zero: a run begins."""
        self._counts.clear()
        self._account.counts.clear()
        self._rejection = ""
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
            if np.isnan(out[row, column]) and has(item, criterion.sees)
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
            if isinstance(failure, Failure | Unfit | Overspent):
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
            for _ in range(min(self.threads, len(jobs)))
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
        readings: list[Reading] = []
        while len(readings) < self.n:
            wanted = 1 if self._one_at_a_time else self.n - len(readings)
            body = self._body | {"messages": messages} | ({"n": wanted} if wanted > 1 else {})
            if self.seed is not None:
                body["seed"] = self.seed + len(readings)
            try:
                answer = self._endpoint.ask(body, stop)
            except Unfit:
                if wanted == 1:
                    raise
                # some endpoints give one answer per request and no more
                self._one_at_a_time = True
                continue
            except Rejection as error:
                self._rejection = self._rejection or str(error)
                readings.append(Reading(math.nan, "rejected"))
                self._count(readings[-1:])
                break
            choices = answer["choices"][:wanted]
            new = [
                read_choice(choice, self._parser, criterion.low, criterion.high, logprobs=self.logprobs)
                for choice in choices
            ]
            self._count(new)
            for at, (choice, reading) in enumerate(zip(choices, new, strict=True), len(readings)):
                self._write((item, criterion, at), choice, reading, answer)
            readings += new
        scores = [reading.score for reading in readings if not math.isnan(reading.score)]
        return math.fsum(scores) / len(scores) if scores else math.nan

    def _count(self, readings: Sequence[Reading]) -> None:
        with self._lock:
            self._counts["answers"] += len(readings)
            self._counts.update(reading.why for reading in readings if reading.why)

    def _write(self, asked: tuple[Item, Criterion, int], choice: _Json, reading: Reading, answer: _Json) -> None:
        """Add an answer to the log."""
        if self._log is None:
            return
        item, criterion, sample = asked
        line = {
            "system": item.system,
            "input": item.input,
            "criterion": criterion.name,
            "sample": sample,
            "answer": text_of(choice["message"].get("content")),
            "refusal": choice["message"].get("refusal"),
            "finish_reason": choice.get("finish_reason"),
            "score": None if math.isnan(reading.score) else reading.score,
            "model": answer.get("model"),
            "usage": answer.get("usage"),
        }
        text = hide(json.dumps(line, ensure_ascii=False), self._key)
        with self._lock, self._log.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text + "\n")

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:  # noqa: ARG002 - the counts are of this run
        """Return what the run asked for, what it cost, and how many answers could not be read."""
        counts = self._counts
        if not counts["answers"]:
            return (Note.of("judge-not-asked", scorer=self.name),)
        told = [Note.of("judge-usage", scorer=self.name, **self._account.told())]
        lost = [(why, counts[why]) for why in WHY if counts[why]]
        if lost:
            rejection = self._rejection if counts["rejected"] else None
            answers = counts["answers"]
            told.append(Note.of("judge-unscored", scorer=self.name, answers=answers, reasons=lost, rejection=rejection))
        if counts["plain"]:
            told.append(Note.of("judge-without-probabilities", scorer=self.name, n=counts["plain"]))
        return tuple(told)

    def __repr__(self) -> str:
        return f"Judge({self.signature})"


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


def _log(path: Path) -> Path:
    try:
        with path.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise UsageError(f"cannot write the log {one_line(path)!r}: {(error.strerror or str(error)).lower()}") from None
    return path
