from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

import metassay as ma
from metassay.cli import main
from metassay.core.texts import Texts
from metassay.errors import UsageError

OUTPUTS = {
    (system, f"i{at}"): f"{system.title()} found {at} stones. They lay near the river. Nobody took them home."
    for system in ("ann", "bob")
    for at in range(12)
}


class Stub(BaseHTTPRequestHandler):
    """A model that likes long texts and lists, and knows nothing else."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        output = body["messages"][-1]["content"]
        grade = 2 + min(2, output.count("keeping this in mind") + output.count("important point")) + ("\n- " in output)
        answer = {"choices": [{"message": {"content": f"Score: {grade}"}, "finish_reason": "stop"}]}
        answer["usage"] = {"prompt_tokens": 10, "completion_tokens": 2}
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture
def endpoint():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


def asked(texts, endpoint):
    return ma.score(texts, ma.ask_model(model="stub", base_url=endpoint, criterion="fluency"))


def test_a_judge_that_is_asked_again_shows_what_moves_it(endpoint):
    texts = Texts(OUTPUTS)
    before = asked(texts, endpoint)
    kinds = ("padding", "reformat", "repetition")
    after = [ma.Damaged(asked(ma.corrupt(texts, kind).texts, endpoint), kind) for kind in kinds]
    rows = {row.feature: row for row in ma.bias(before, after=after).table}
    padded, listed, twice = (rows[name] for name in ("padded with empty sentences", "put as a list", "said twice"))
    assert padded.low > 0.2
    assert padded.p_corrected < 0.01
    assert listed.effect == 1.0
    assert (twice.effect, twice.low, twice.high, twice.p_value) == (0.0, 0.0, 0.0, 1.0)
    assert {row.bias for row in rows.values()} == {"probe"}
    assert {row.held for row in rows.values()} == {"output"}
    assert padded.n_judgments == 24
    assert padded.n_clusters == 12


def test_the_command_changes_texts_and_asks_again(endpoint, tmp_path, capsys):
    ma.write_texts(Texts(OUTPUTS), tmp_path / "texts.jsonl")
    judge = f"model[model=stub,base_url={endpoint},criterion=fluency]"
    code = main(
        [
            "bias",
            str(tmp_path / "texts.jsonl"),
            "--metric",
            judge,
            "--corruption",
            "padding,repetition",
            "--no-cache",
            "-q",
        ]
    )
    out = capsys.readouterr().out
    assert code == 0
    assert "padded with empty sentences" in out
    assert "said twice" in out


def test_scores_of_changed_texts_can_be_named(tmp_path, capsys):
    before = ma.Scores.from_arrays({"judge": np.arange(15.0).reshape(3, 5)})
    after = ma.Scores.from_arrays({"judge": np.arange(15.0).reshape(3, 5) + np.array([0.5, 0, 1, 0.5, 0.5])})
    for name, scores in (("before", before), ("after", after)):
        ma.write(scores, tmp_path / f"{name}.csv")
    code = main(
        ["bias", str(tmp_path / "before.csv"), "--after", f"padding={tmp_path / 'after.csv'}", "--format", "json", "-q"]
    )
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert code == 0
    assert row["effect"] == pytest.approx(0.5)
    assert (row["feature"], row["n_judgments"]) == ("padded with empty sentences", 15)


def test_a_probe_that_changed_nothing_shows_nothing():
    scores = ma.Scores.from_arrays({"judge": np.arange(15.0).reshape(3, 5)})
    result = ma.bias(scores, after=ma.Damaged(scores, "position-swap", changed=0.0))
    assert [(row.reason, np.isnan(row.effect)) for row in result.table] == [("unchanged", True)]
    assert "no output contains anything that could be changed" in " ".join(str(result).split())


def test_misuse(tmp_path, capsys):
    votes = ma.Votes.from_arrays(["x"], ["y"], ["a"])
    with pytest.raises(UsageError, match="these are votes"):
        ma.bias(votes, after=ma.Damaged(ma.example()))
    assert main(["bias", "x.csv", "--after", "a.csv", "--corruption", "padding"]) == 2
    assert "give one" in capsys.readouterr().err
