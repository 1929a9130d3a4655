"""A judge against a server in this process that answers as the test wants it."""

import contextlib
import json
import math
import os
import queue
import re
import socket
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

import metassay as ma
from metassay.cli import main
from metassay.core.note import Note
from metassay.core.texts import Texts
from metassay.errors import DataError, UsageError
from metassay.texts.scorers import judge_endpoint
from metassay.texts.scorers.judge import Judge
from metassay.texts.scorers.judge_config import ask_model
from metassay.texts.scorers.judge_cost import Allowance
from metassay.texts.scorers.registry import make_scorers

KEY = "sk-secret-0123456789"
MANY = Texts({("a", str(key)): f"output {key}" for key in range(60)})
TEXTS = Texts(
    {(system, str(key)): f"{system} says {key}" for system in "abc" for key in range(4)},
    references={"0": ("a reference",), "1": ("one", "two")},
    sources={str(key): f"source {key}" for key in range(3)},
)


def chat(*answers, usage=(100, 10), **more):
    """Return the body of a good answer."""
    choices = [
        answer if isinstance(answer, dict) else {"message": {"content": answer}, "finish_reason": "stop"}
        for answer in answers
    ]
    body = {"choices": choices, "model": "served", **more}
    if usage:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    return 200, body, {}


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = lambda body, count: chat("Score: 4")
        self.lock = threading.Lock()
        self.bodies, self.headers, self.times = [], [], []
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"
        self.path = None

    @property
    def prompts(self):
        return [body["messages"][-1]["content"] for body in self.bodies]

    def handle_error(self, request, client_address):
        """A client that went away is part of some tests."""


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.bodies.append(body)
            server.headers.append(dict(self.headers))
            server.times.append(time.monotonic())
            server.path = self.path
            count = len(server.bodies)
        answer = server.answer(body, count)
        if answer is None:  # hang up without a word
            return
        status, content, headers = answer
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    made = Server()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.fixture
def ask(server):
    """Return a judge of fluency that asks the server."""

    def make(criterion="fluency", **options):
        return Judge("m", criterion, **{"base_url": server.url, "backoff": 0.01, "retries": 3, **options})

    return make


def usage(**facts):
    """Return the note on what was asked for."""
    known = {"requests": 12, "repeats": 0, "tokens": (), "cost": None, "prices": (), "uncounted": 0}
    return Note.of("judge-usage", scorer="model", **known | facts)


def test_good_answers(server, ask, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    server.answer = lambda body, count: chat("Score: 2" if "b says" in body["messages"][-1]["content"] else "Score: 5")
    scores = ma.score(TEXTS, [ask(key_env="MY_KEY")])
    np.testing.assert_array_equal(scores.matrix("model_fluency"), [[5] * 4, [2] * 4, [5] * 4])
    assert len(server.bodies) == 12
    assert server.path == "/v1/chat/completions"
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert {key: server.bodies[0][key] for key in ("model", "temperature", "max_tokens")} == {
        "model": "m", "temperature": 0, "max_tokens": 512,
    }  # fmt: skip
    assert "n" not in server.bodies[0]
    assert scores.notes == (usage(tokens=(1_200, 120)),)


def test_several_criteria_are_several_columns_and_each_needs_its_own(server, ask):
    server.answer = lambda body, count: chat("Score: 1" if "Fluency" in body["messages"][-1]["content"] else "Score: 3")
    scores = ma.score(TEXTS, [ask("fluency+consistency", name="llm")])
    np.testing.assert_array_equal(scores.matrix("llm_fluency"), np.ones((3, 4)))
    # input 3 has no source
    np.testing.assert_array_equal(scores.matrix("llm_consistency"), [[3, 3, 3, np.nan]] * 3)
    assert len(server.bodies) == 12 + 9


def test_small_scores_may_be_good(ask):
    assert ask("fluency+consistency", lower_is_better="consistency").lower_is_better == {"model_consistency"}
    assert ask().lower_is_better == frozenset()


def test_what_cannot_be_read_is_missing_and_counted(server, ask):
    said = {
        "a says 0": "no idea",
        "a says 1": "Score: 9",
        "a says 2": {"message": {"content": None, "refusal": "I will not"}, "finish_reason": "stop"},
        "a says 3": {"message": {"content": "Well, 3"}, "finish_reason": "length"},
        "b says 0": "",
        "b says 1": {"message": {"content": "Score: 3"}, "finish_reason": "content_filter"},
        "b says 2": {"message": {"content": [{"type": "text", "text": "Score: 3"}]}},
    }
    server.answer = lambda body, count: chat(
        next((a for text, a in said.items() if text in body["messages"][-1]["content"]), "Score: 4")
    )
    scores = ma.score(TEXTS, [ask()])
    n = math.nan
    np.testing.assert_array_equal(scores.matrix("model_fluency"), [[n, n, n, n], [n, n, 3, 4], [4, 4, 4, 4]])
    assert scores.notes[0] == Note.of("outputs-without-score", scorer="model", n=6, outputs=12, lacking=[])
    lost = [("unread", 2), ("refused", 2), ("empty", 1), ("cut", 1)]
    assert scores.notes[2] == Note.of("judge-unscored", scorer="model", answers=12, reasons=lost, rejection=None)


def test_a_repeated_run_makes_no_request(server, ask, tmp_path):
    cache = tmp_path / "cache.sqlite"
    first = ma.score(TEXTS, [ask()], cache=cache)
    assert len(server.bodies) == 12
    again = ma.score(TEXTS, [ask(threads=1, timeout=5, price_in=1, price_out=2)], cache=cache)
    assert len(server.bodies) == 12
    np.testing.assert_array_equal(first.matrix("model_fluency"), again.matrix("model_fluency"))
    assert again.notes == (Note.of("judge-not-asked", scorer="model"),)
    ma.score(TEXTS, [ask(temperature=1)], cache=cache)
    assert len(server.bodies) == 24


def test_of_several_criteria_only_what_is_missing_is_asked_for_again(server, ask, tmp_path):
    cache = tmp_path / "cache.sqlite"
    server.answer = lambda body, count: chat("Score: 2" if "Fluency" in body["messages"][-1]["content"] else "no idea")
    first = ma.score(TEXTS, [ask("fluency+coherence+consistency")], cache=cache)
    assert len(server.bodies) == 12 + 12 + 9  # input 3 has no source
    assert (
        Note.of("scores-lacking", scorer="model", columns=[("model_coherence", 12), ("model_consistency", 12)])
        in first.notes
    )
    server.answer = lambda body, count: chat("Score: 3")
    again = ma.score(TEXTS, [ask("fluency+coherence+consistency")], cache=cache)
    assert len(server.bodies) == 33 + 12 + 9
    assert not any("Fluency" in prompt for prompt in server.prompts[33:])
    np.testing.assert_array_equal(again.matrix("model_fluency"), np.full((3, 4), 2))
    np.testing.assert_array_equal(again.matrix("model_coherence"), np.full((3, 4), 3))
    last = ma.score(TEXTS, [ask("fluency+coherence+consistency")], cache=cache)
    assert len(server.bodies) == 54
    assert last.notes == (
        Note.of("scores-lacking", scorer="model", columns=[("model_consistency", 3)]),
        Note.of("judge-not-asked", scorer="model"),
    )


def test_an_answer_is_kept_though_the_endpoint_fails_for_the_next_criterion(server, ask, tmp_path):
    cache = tmp_path / "cache.sqlite"
    one = Texts({("a", "1"): "a text"})
    server.answer = lambda body, count: chat("Score: 2") if "Fluency" in body["messages"][-1]["content"] else None
    with pytest.raises(DataError, match="they are in the cache"):
        ma.score(one, [ask("fluency+coherence", retries=0, threads=1)], cache=cache)
    assert len(server.bodies) == 2
    server.answer = lambda body, count: chat("Score: 3")
    scores = ma.score(one, [ask("fluency+coherence", threads=1)], cache=cache)
    assert len(server.bodies) == 3
    assert (scores.matrix("model_fluency").item(), scores.matrix("model_coherence").item()) == (2, 3)


def test_long_settings_that_differ_at_their_end_are_different_recipes(ask):
    long = "x" * 300
    assert ask(extra={"note": f"{long}1"}).signature != ask(extra={"note": f"{long}2"}).signature


def test_what_could_not_be_read_is_asked_for_again(server, ask, tmp_path):
    cache = tmp_path / "cache.sqlite"
    server.answer = lambda body, count: chat("no idea" if "a says 0" in body["messages"][-1]["content"] else "Score: 2")
    ma.score(TEXTS, [ask()], cache=cache)
    ma.score(TEXTS, [ask()], cache=cache)
    assert len(server.bodies) == 12 + 1


def test_the_cost_adds_up(server, ask):
    server.answer = lambda body, count: chat("Score: 2", usage=(1000, 50))
    scores = ma.score(TEXTS, [ask(price_in=2.5, price_out=10)])
    # 12 · 1000 · 2.5 / 10⁶ + 12 · 50 · 10 / 10⁶ = 0.03 + 0.006
    (note,) = scores.notes
    assert note["cost"] == pytest.approx(0.036)
    assert note == usage(tokens=(12_000, 600), cost=note["cost"], prices=(2.5, 10.0))


PRICES = {"price_in": 10, "price_out": 20}


def billed(server):
    """What the server would ask for: every request that it answered with 200."""
    return len(server.bodies) * (100 * PRICES["price_in"] + 10 * PRICES["price_out"]) / 1e6


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("limit", [0.03, 0.032, 0.0357])
def test_the_limit_is_never_passed_and_nearly_used(server, ask, tmp_path, threads, limit):
    options = {**PRICES, "max_cost": limit, "max_tokens": 20, "threads": threads}
    cache = tmp_path / "cache.sqlite"
    with pytest.raises(DataError, match=r"the next request could cost 0\.0\d+ and pass the limit of 0\.03") as caught:
        ma.score(MANY, [ask(**options)], cache=cache)
    assert billed(server) <= limit
    most = (len(json.dumps(server.bodies[-1])) + 100) * PRICES["price_in"] / 1e6 + 20 * PRICES["price_out"] / 1e6
    assert billed(server) > limit - most - 1e-4  # the one that was not sent would have been the one too many
    assert f"({len(server.bodies)} of 60 outputs have their scores; they are in the cache" in str(caught.value)
    before = len(server.bodies)
    assert np.isfinite(ma.score(MANY, [ask(**PRICES, max_tokens=20)], cache=cache).matrix("model_fluency")).all()
    assert len(server.bodies) == 60 > before  # nothing was paid twice


def test_what_may_have_been_billed_counts(server, ask):
    """Answers without a count of tokens, or that came too late, may have cost all that was asked for."""
    server.answer = lambda body, count: chat("Score: 4", usage=None)
    allowance = Allowance(0.1)
    with pytest.raises(DataError, match="could cost"):
        ma.score(MANY, [ask(**PRICES, max_cost=allowance, threads=1)])
    size = len(json.dumps(server.bodies[0])) + 100
    each = (size * PRICES["price_in"] + 512 * PRICES["price_out"]) / 1e6
    assert allowance.spent == pytest.approx(len(server.bodies) * each, rel=1e-3)
    assert allowance.spent <= 0.1 < allowance.spent + 1.1 * each


def test_what_was_refused_costs_nothing(server, ask):
    server.answer = lambda body, count: chat("Score: 4") if count > 2 else (503, {}, {})
    allowance = Allowance(5)
    ma.score(TEXTS, [ask(**PRICES, max_cost=allowance, threads=1)])
    assert len(server.bodies) == 14
    assert allowance.spent == pytest.approx(12 * 0.0012)


def test_judges_share_what_the_command_line_allows(server, tmp_path, capsys):
    texts = tmp_path / "texts.jsonl"
    ma.write_texts(MANY, texts)
    judges = ",".join(
        f"model[model=m,criterion={name},base_url={server.url},price_in=10,price_out=20,max_tokens=20,name=j{name}]"
        for name in ("fluency", "coherence")
    )
    out = tmp_path / "scores.csv"
    command = ["score", str(texts), "--no-cache", "-o", str(out), "--max-cost", "0.1"]
    assert main([*command, "--metric", judges]) == 1
    assert "pass the limit of 0.1" in capsys.readouterr().err
    assert {"Fluency", "Coherence"} == {re.search("Fluency|Coherence", prompt)[0] for prompt in server.prompts}
    assert 0.08 < billed(server) <= 0.1
    assert not out.exists()
    assert main([*command, "--metric", "length"]) == 2
    assert "--max-cost is for judges, and none of the metrics is one" in capsys.readouterr().err


def test_answers_without_a_count_of_tokens_are_told(server, ask):
    server.answer = lambda body, count: chat("Score: 2", usage=None)
    assert ma.score(TEXTS, [ask()]).notes == (usage(tokens=(0, 0), uncounted=12),)


def test_too_many_requests_are_repeated_after_the_time_asked_for(server, ask):
    server.answer = lambda body, count: (
        (429, {"error": {"message": "slow"}}, {"Retry-After": "0.3"}) if count == 1 else chat("Score: 4")
    )
    scores = ma.score(TEXTS, [ask(threads=1)])
    assert np.isfinite(scores.matrix("model_fluency")).all()
    assert server.times[1] - server.times[0] >= 0.3
    assert scores.notes[0] == usage(requests=13, repeats=1, tokens=(1_200, 120))


def test_waiting_that_is_asked_for_too_long_ends_the_run(server, ask):
    server.answer = lambda body, count: (429, {}, {"Retry-After": "86400"})
    with pytest.raises(DataError, match=r"answered 429 and asks to wait 86,400 s"):
        ma.score(TEXTS, [ask()])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ((500, b"<html>oh  no</html>", {}), r"answered 500: oh no, 4 times"),
        ((503, {"error": "busy"}, {}), r"answered 503: busy, 4 times"),
        ((200, b"<html>", {}), r"gave an answer that is not JSON: '<html>', 4 times"),
        ((200, {"choices": []}, {}), r"gave an answer without choices: .*, 4 times"),
        ((200, [1], {}), r"gave an answer without choices"),
        ((200, {"choices": [{"text": "Score: 4"}]}, {}), r"gave an answer without choices"),
        ((200, b"{", {"Content-Length": "100"}), r"broke off the connection, 4 times"),
        (None, r"broke off the connection, 4 times"),
    ],
)
def test_an_endpoint_that_fails_for_good_ends_the_run_and_nothing_is_lost(server, ask, tmp_path, bad, message):
    cache = tmp_path / "cache.sqlite"
    server.answer = lambda body, count: bad if "b says 2" in body["messages"][-1]["content"] else chat("Score: 4")
    with pytest.raises(DataError, match=message) as caught:
        ma.score(TEXTS, [ask(threads=2)], cache=cache)
    assert "\n" not in str(caught.value)
    kept = int(re.search(r"\((\d+) of 12 outputs have their scores; they are in the cache", str(caught.value))[1])
    assert 6 <= kept <= 9  # those before it, and what the other thread was at
    done = len(server.bodies) - 4
    assert kept == done
    server.answer = lambda body, count: chat("Score: 4")
    scores = ma.score(TEXTS, [ask()], cache=cache)
    np.testing.assert_array_equal(scores.matrix("model_fluency"), np.full((3, 4), 4))
    assert len(server.bodies) == done + 4 + (12 - kept)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (
            (401, {"error": {"message": f"wrong key {KEY}"}}, {}),
            r"answered 401: wrong key \[key\]; is the key in MY_KEY",
        ),
        (
            (404, {"error": {"message": "no such model"}}, {}),
            r"answered 404: no such model; are base_url and model right",
        ),
        ((400, {"error": {"message": "bad temperature"}}, {}), r"answered 400: bad temperature"),
        ((429, {"error": {"code": "insufficient_quota", "message": "pay"}}, {}), r"answered 429: pay"),
        (
            (302, b"", {"Location": "http://elsewhere.example/"}),
            r"redirects to http://elsewhere.example/, which is not",
        ),
        ((200, b" " * 9_000_000, {}), r"answered more than 8 MB"),
    ],
)
def test_what_repeating_would_not_help_ends_the_run_at_once(server, ask, monkeypatch, bad, message):
    monkeypatch.setenv("MY_KEY", KEY)
    server.answer = lambda body, count: bad
    with pytest.raises(DataError, match=message) as caught:
        ma.score(TEXTS, [ask(key_env="MY_KEY", threads=1)])
    assert len(server.bodies) == 1
    assert KEY not in str(caught.value)


def test_redirects_are_not_followed_and_the_key_stays(server, ask, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    other = Server()
    thread = threading.Thread(target=other.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        server.answer = lambda body, count: (307, b"", {"Location": f"{other.url}/chat/completions"})
        with pytest.raises(DataError, match="redirects to"):
            ma.score(TEXTS, [ask(key_env="MY_KEY")])
        assert other.bodies == []
    finally:
        other.shutdown()
        thread.join()
        other.server_close()


def test_a_text_that_the_endpoint_does_not_take_is_missing(server, ask):
    too_long = (
        400,
        {"error": {"message": "maximum context length is 8 tokens", "code": "context_length_exceeded"}},
        {},
    )
    server.answer = lambda body, count: too_long if "b says 2" in body["messages"][-1]["content"] else chat("Score: 4")
    scores = ma.score(TEXTS, [ask()])
    assert np.isnan(scores.matrix("model_fluency")).sum() == 1
    why = "maximum context length is 8 tokens"
    reasons = [("rejected", 1)]
    assert scores.notes[-1] == Note.of("judge-unscored", scorer="model", answers=12, reasons=reasons, rejection=why)


def test_a_slow_answer_is_asked_for_again(server, ask):
    gate = threading.Event()

    def answer(body, count):
        if count == 1:
            gate.wait(60)
        return chat("Score: 4")

    server.answer = answer
    scores = ma.score(TEXTS, [ask(timeout=2, threads=2)])
    gate.set()
    assert np.isfinite(scores.matrix("model_fluency")).all()
    assert 13 <= len(server.bodies) < 24  # 13, unless the machine is so busy that others are late, too


def test_an_endpoint_that_never_answers_ends_the_run(server, ask):
    gate = threading.Event()
    server.answer = lambda body, count: gate.wait(120) and None
    with pytest.raises(DataError, match=r"gave no answer within 0\.1 s, 2 times"):
        ma.score(TEXTS, [ask(timeout=0.1, retries=1, threads=1)])
    gate.set()


HANDSHAKE = b"\x16\x03\x03\x3f\xff"
"""The beginning of a long record of TLS."""


@pytest.mark.parametrize(
    ("head", "trickle", "message"),
    [
        (HANDSHAKE, b"x", r"gave no answer within 0\.3 s"),
        (b"", b"H", r"gave no answer within 0\.3 s"),
        (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n", r"gave no answer within 0\.3 s"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", b" ", r"gave no answer within 0\.3 s"),
        (b"HTTP/1.1 200 OK\r\n\r\n", b" ", r"gave no answer within 0\.3 s"),
        (b"HTTP/1.1 404 No\r\nContent-Length: 1000000\r\n\r\n", b" ", "answered 404; are base_url and model right"),
        (b"HTTP/1.1 500 No\r\n\r\n", b"x", "answered 500"),
    ],
    ids=["TLS", "status", "headers", "body", "body without length", "error", "error without length"],
)
def test_what_trickles_is_not_waited_for(head, trickle, message):
    """A byte at a time, each of them in time."""
    ended = threading.Event()
    patience = 0.3 if "within" in message else 2  # the head of an answer has to come in time

    def serve(door):
        connection, _ = door.accept()
        with connection, contextlib.suppress(OSError):
            connection.sendall(head)
            while not ended.wait(0.05):
                connection.sendall(trickle)

    with socket.create_server(("127.0.0.1", 0)) as door:
        thread = threading.Thread(target=serve, args=(door,))
        thread.start()
        scheme = "https" if head.startswith(HANDSHAKE) else "http"
        url = f"{scheme}://127.0.0.1:{door.getsockname()[1]}/v1"
        try:
            with pytest.raises(DataError, match=message):
                ma.score(TEXTS, [Judge("m", "fluency", base_url=url, timeout=patience, retries=0, threads=1)])
            assert not ended.is_set()
        finally:
            ended.set()
            thread.join()


def test_nobody_there():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        with pytest.raises(DataError, match=r"cannot be reached \(connection refused\), 3 times"):
            ma.score(TEXTS, [Judge("m", "fluency", base_url=f"http://127.0.0.1:{port}", backoff=0.01)])


def test_requests_run_side_by_side(server, ask):
    together = threading.Barrier(4, timeout=120)

    def answer(body, count):
        together.wait()
        return chat("Score: 4")

    server.answer = answer
    scores = ma.score(TEXTS, [ask(threads=4)])
    assert np.isfinite(scores.matrix("model_fluency")).all()


def test_an_interrupted_run_goes_on(server, ask, tmp_path, monkeypatch):
    cache = tmp_path / "cache.sqlite"
    original, taken = queue.SimpleQueue, []

    class Interrupted:
        def __init__(self):
            self.inner = original()
            self.put = self.inner.put

        def get(self):
            taken.append(1)
            if len(taken) == 8:
                raise KeyboardInterrupt
            return self.inner.get()

    monkeypatch.setattr("metassay.texts.scorers.judge.queue.SimpleQueue", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        ma.score(TEXTS, [ask(threads=1)], cache=cache)
    monkeypatch.setattr("metassay.texts.scorers.judge.queue.SimpleQueue", original)
    for thread in threading.enumerate():
        if thread.name == "metassay-judge":
            thread.join(120)
    before = len(server.bodies)
    scores = ma.score(TEXTS, [ask(threads=1)], cache=cache)
    # a batch of one thread is four outputs; the first was kept
    assert len(server.bodies) - before == 8
    assert np.isfinite(scores.matrix("model_fluency")).all()


def test_samples_are_averaged(server, ask):
    server.answer = lambda body, count: chat(*["Score: 2", "Score: 5", "hm"][: body.get("n", 1)])
    scores = ma.score(TEXTS, [ask(n=3)])
    np.testing.assert_array_equal(scores.matrix("model_fluency"), np.full((3, 4), 3.5))
    assert len(server.bodies) == 12
    assert server.bodies[0]["temperature"] == 1
    assert (scores.notes[-1]["answers"], sum(n for _, n in scores.notes[-1]["reasons"])) == (36, 12)


@pytest.mark.parametrize("refuses", [False, True])
def test_an_endpoint_that_gives_one_answer_at_a_time_is_asked_more_often(server, ask, refuses):
    def answer(body, count):
        if refuses and body.get("n", 1) > 1:
            return 400, {"error": {"message": "n must be 1"}}, {}
        return chat(f"Score: {1 + body['seed'] % 5}")

    server.answer = answer
    scores = ma.score(TEXTS.select(systems="a", inputs="0"), [ask(n=3, seed=0)])
    assert scores.matrix("model_fluency").item() == 2  # of 1, 2 and 3
    assert len(server.bodies) == 3 + refuses


def test_probabilities(server, ask):
    top = [{"token": "4", "logprob": math.log(0.5)}, {"token": "3", "logprob": math.log(0.25)}]
    logprobs = {"content": [{"token": "Score:"}, {"token": " 4", "top_logprobs": top}]}
    server.answer = lambda body, count: chat(
        {"message": {"content": "Score: 4"}, **({"logprobs": logprobs} if count > 1 else {})}
    )
    scores = ma.score(TEXTS, [ask(logprobs=True, threads=1)])
    # (4 · 0.5 + 3 · 0.25) / 0.75
    np.testing.assert_allclose(np.sort(scores.matrix("model_fluency").ravel()), [11 / 3] * 11 + [4])
    assert server.bodies[0]["logprobs"] is True
    assert scores.notes[-1] == Note.of("judge-without-probabilities", scorer="model", n=1)


def test_braces_in_texts_stay_what_they_are(server, ask):
    texts = Texts({("a", "1"): "{source} {0} {output} {rubric} %s \\1"}, sources={"1": "{output}"})
    ma.score(texts, [ask("x", template='S={source} O={output} {other} {"score": {low}}', rubric="r")])
    assert server.prompts == ['S={output} O={source} {0} {output} {rubric} %s \\1 {other} {"score": 1}']


def test_references_are_numbered(server, ask):
    ma.score(TEXTS.select(systems="a"), [ask("x", template="{output}|{references}|{criterion}{high}", threads=1)])
    assert server.prompts == ["a says 0|a reference|x5", "a says 1|(1) one\n\n(2) two|x5"]


def test_the_log_has_every_answer_and_no_key(server, ask, tmp_path, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    server.answer = lambda body, count: chat(f"{KEY} Score: 4")
    log = tmp_path / "log.jsonl"
    ma.score(TEXTS, [ask(log=log, key_env="MY_KEY")], cache=tmp_path / "cache.sqlite")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert Counter((line["system"], line["input"]) for line in lines) == {
        (s, str(i)): 1 for s in "abc" for i in range(4)
    }
    assert lines[0]["answer"] == "[key] Score: 4"
    assert (lines[0]["score"], lines[0]["criterion"], lines[0]["model"]) == (4, "fluency", "served")
    assert KEY not in log.read_text()
    assert KEY.encode() not in (tmp_path / "cache.sqlite").read_bytes()


def test_the_key_stands_nowhere(ask, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    made = ask(key_env="MY_KEY", extra={"user": KEY})
    assert KEY not in made.signature + repr(made)
    monkeypatch.setenv("MY_KEY", "another")
    assert ask(key_env="MY_KEY").signature == ask().signature


def test_a_key_is_sent_to_nobody_it_was_not_meant_for(server, ask, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    ma.score(TEXTS, [ask()])
    assert not any("Authorization" in headers for headers in server.headers)


@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_missing_key_is_told_before_any_work(monkeypatch, value):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("OPENAI_API_KEY", value)
    with pytest.raises(UsageError, match="the environment variable OPENAI_API_KEY holds no key"):
        make_scorers("model[model=m,criterion=fluency]")


def test_a_key_that_is_none_is_told_without_showing_it(monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-\u00fc secret")
    with pytest.raises(UsageError, match="has characters that are not allowed in a key") as caught:
        ask_model(model="m", criterion="fluency", key_env="MY_KEY")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base_url": "ftp://x"}, "must begin with http:// or https://"),
        ({"base_url": "file:///etc/passwd"}, "must begin with http"),
        ({"base_url": "localhost:8000"}, "must begin with http"),
        ({"base_url": "http://a b/"}, "must begin with http"),
        ({"base_url": "http://[x"}, "must begin with http"),
        ({"base_url": "http://x:y/"}, "must begin with http"),
        ({"base_url": "http://me:secret@x/"}, "must not hold a password"),
        ({"criterion": "politeness"}, "'politeness' needs a rubric"),
        ({"criterion": "fluency+coherence", "rubric": "r"}, "one rubric cannot serve fluency, coherence"),
        ({"criterion": ""}, "no criterion given"),
        ({"low": 5, "high": 1}, "must have low < high"),
        ({"low": "a"}, "low of the criterion fluency must be a number"),
        ({"template": "no place"}, "a template needs a place for the {output}"),
        ({"template": "@no-such-file"}, "cannot read the template 'no-such-file'"),
        ({"n": 0}, "n must be a whole number"),
        ({"threads": 0}, "threads must be"),
        ({"temperature": -1}, "temperature must be"),
        ({"max_tokens": "many"}, "max_tokens must be"),
        ({"timeout": 0}, "timeout must be"),
        ({"seed": -1}, "seed must be"),
        ({"price_in": 1}, "give both prices or none"),
        ({"max_cost": 1}, "max_cost needs price_in and price_out"),
        ({"max_cost": 0, "price_in": 1, "price_out": 1}, "max_cost must be a number over 0"),
        ({"max_cost": 1, "price_in": 1, "price_out": 1, "max_tokens": "none"}, "max_cost needs max_tokens"),
        ({"logprobs": True, "high": 10}, "logprobs needs a scale of single digits"),
        ({"extra": "nonsense"}, "extra must be a table"),
        ({"extra": {"messages": []}}, "extra must be a table"),
        ({"log": "no/such/folder/log"}, "cannot write the log"),
        ({"model": " "}, "judge needs a model"),
        ({"logprobs": "yes"}, "logprobs must be true or false, got 'yes'"),
        ({"lower_is_better": "wit"}, "unknown score 'wit'"),
        ({"criteria": {"fluency": {"colour": 1}}}, "unknown setting of the criterion fluency 'colour'"),
    ],
)
def test_options_are_checked_before_any_work(options, message):
    with pytest.raises(UsageError, match=message) as caught:
        ask_model(**{"model": "m", "criterion": "fluency", "base_url": "http://localhost:1", **options})
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


CONFIG = """
model = "m"
base_url = "URL"
temperature = 0.5
max-tokens = 9
system = "@system.txt"
extra = {top_k = 1}
log = "log.jsonl"

[criteria.fluency]
low = 0
high = 9

[criteria.wit]
rubric = "Is it witty?"
template = "@wit.txt"
"""


def test_a_config_file(server, tmp_path):
    (tmp_path / "judge.toml").write_text(CONFIG.replace("URL", server.url))
    (tmp_path / "system.txt").write_text("Be fair.")
    (tmp_path / "wit.txt").write_text("{rubric} {output}")
    server.answer = lambda body, count: chat("Score: 3" if "witty" in body["messages"][-1]["content"] else "Score: 8")
    scores = ma.score(TEXTS, f"model[config={tmp_path / 'judge.toml'},temperature=0.25]")
    np.testing.assert_array_equal(scores.matrix("model_fluency"), np.full((3, 4), 8))
    np.testing.assert_array_equal(scores.matrix("model_wit"), np.full((3, 4), 3))
    body = next(body for body in server.bodies if "witty" in body["messages"][-1]["content"])
    assert body["messages"][0] == {"role": "system", "content": "Be fair."}
    assert body["messages"][1]["content"].startswith("Is it witty? ")
    assert (body["temperature"], body["max_tokens"], body["top_k"]) == (0.25, 9, 1)
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == 24


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model = ", "is not well-formed TOML"),
        ("modle = 'm'", "unknown option of model in .*'modle'; did you mean 'model'"),
        ("api_key = 'sk'", "the file must not contain a key"),
        ("model = 'm'\ncriteria = 3", "criteria are tables"),
    ],
)
def test_a_config_file_is_checked(tmp_path, text, message):
    (tmp_path / "judge.toml").write_text(text)
    with pytest.raises(UsageError, match=message):
        ask_model(str(tmp_path / "judge.toml"))
    with pytest.raises(UsageError, match="cannot read"):
        ask_model(str(tmp_path / "none.toml"))


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owner here")
@pytest.mark.parametrize("why", ["belongs to another user", "can be changed by every user"])
def test_a_config_file_of_somebody_else_needs_trust(tmp_path, monkeypatch, why):
    config, texts, out = tmp_path / "judge.toml", tmp_path / "texts.jsonl", tmp_path / "scores.csv"
    ma.write_texts(MANY, texts)
    config.write_text("model = 'm'\ncriterion = 'fluency'\nbase_url = 'http://127.0.0.1:9'\nretries = 0\ntrust = true")
    with pytest.raises(UsageError, match=r"unknown option of model in .* 'trust'"):  # no file vouches for itself
        ask_model(str(config))
    config.write_text("model = 'm'\ncriterion = 'fluency'\nbase_url = 'http://127.0.0.1:9'\nretries = 0")
    assert ask_model(str(config)).columns == ("model_fluency",)
    if why == "belongs to another user":
        monkeypatch.setattr(os, "getuid", lambda: config.stat().st_uid + 1)
    else:
        config.chmod(0o666)
    with pytest.raises(UsageError, match=f"{why}, and it says where your texts .*--trust or trust=true"):
        ask_model(str(config))
    assert ask_model(str(config), trust=True).columns == ("model_fluency",)
    command = ["score", str(texts), "--no-cache", "-o", str(out), "--metric"]
    assert main([*command, f"model[config={config}]"]) == 2
    assert main([*command, f"model[config={config}]", "--trust"]) == 1  # nobody is at that address
    assert main([*command, f"model[config={config},trust=true]"]) == 1


def test_the_recipe_has_all_that_changes_a_score(ask):
    first = ask().signature
    assert ask(threads=9, timeout=1, retries=0, price_in=1, price_out=1).signature == first
    for options in (
        {"temperature": 0.1}, {"seed": 1}, {"n": 2}, {"max_tokens": 5}, {"high": 7}, {"rubric": "r"},
        {"logprobs": True}, {"template": "{output}"}, {"system": "s"}, {"parser": "json"}, {"extra": {"a": 1}},
        {"base_url": "http://x"},
    ):  # fmt: skip
        assert ask(**options).signature != first


def test_dates_to_wait_for():
    soon = judge_endpoint.email.utils.formatdate(time.time() + 300, usegmt=True)
    assert 200 < judge_endpoint.retry_after(soon) <= 300
    assert judge_endpoint.retry_after("soon") is None
    assert judge_endpoint.retry_after("-5") == 0


def test_the_former_name_of_the_metric_warns_and_keeps_its_columns(server, tmp_path, capsys):
    spec = f"judge[model=m,criterion=fluency,base_url={server.url}]"
    with pytest.warns(DeprecationWarning, match="the metric judge is called model now"):
        (made,) = make_scorers(spec)
    assert made.columns == ("judge_fluency",)
    texts, out = tmp_path / "texts.jsonl", tmp_path / "scores.csv"
    ma.write_texts(TEXTS, texts)
    assert main(["score", str(texts), "--metric", spec, "-o", str(out), "--quiet"]) == 0
    assert "warning: the metric judge is called model now" in capsys.readouterr().err
