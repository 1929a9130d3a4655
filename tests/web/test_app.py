"""Upload, choose, run, read: what each address answers, to people and to those who try something else."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import re
import time
from concurrent.futures import ThreadPoolExecutor
from html import escape, unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import metassay as ma
from metassay.core.study import read_declaration
from metassay.web.app import make_app
from metassay.web.choices import READING, in_order
from metassay.web.limits import Limits

from .asking import ADDRESS, message, sent, settled, table

HOSTILE = "<img src=x onerror=alert(1)>"
CHOSEN = {"kind-0": "human", "kind-1": "metric", "kind-2": "metric", "resamples": "100", "confidence": "0.95"}


def server(**settings):
    keep = settings.pop("keep", None)
    return TestClient(make_app(Limits(**settings), keep=keep), base_url=ADDRESS)


def sessions(client):
    """The sessions behind a test client."""
    return client.app_state["sessions"]


def test_upload_choose_run_read_and_delete(client, tmp_path):
    address = sent(client, ("scores.csv", table()))
    assert settled(client, address) == "choosing"
    page = client.get(address).text
    assert "<b>4 systems</b>" in page
    assert "<b>8 inputs</b>" in page
    assert "scores.csv (wide CSV)" in page
    assert page.index("Data check") < page.index("<td>a, b, c, d</td>") < page.index("Kinds of columns")
    assert re.findall(r'<th scope="row" id="c\d">(.*?)</th>', page) == ["people", "overlap", "judge"]

    assert client.get(f"{address}/report").status_code == 404
    shown = client.post(f"{address}/report", data={**CHOSEN, "lower-2": "1", "title": "Mine & yours"})
    assert shown.url.path == address
    assert settled(client, address) == "done"
    said = re.search(r'<section id="answer">(.*?)</section>', client.get(address).text).group(1)
    (tmp_path / "scores.csv").write_bytes(table())
    scores = ma.read(tmp_path / "scores.csv").declare(human="people", lower_is_better="judge")
    expected = ma.make_report(scores, resamples=100).sentences
    assert re.findall("<p>(.*?)</p>", unescape(said)) == list(expected)

    report = client.get(f"{address}/report")
    assert "<h1>Mine &amp; yours</h1>" in report.text
    assert report.headers["content-security-policy"].startswith("sandbox allow-scripts ")
    download = client.get(f"{address}/download")
    assert download.headers["content-disposition"] == 'attachment; filename="report.html"'
    assert download.content == report.content

    root = sessions(client).root
    assert list(root.rglob("report.html"))
    assert client.post(f"{address}/delete").status_code == 200
    assert list(root.iterdir()) == []
    assert client.get(address).status_code == 404


def test_the_first_screen_is_there_before_the_rest_and_the_cost_before_both(client):
    address = sent(client, ("scores.csv", table()))
    assert settled(client, address) == "choosing"
    told = client.post(f"{address}/cost", data=CHOSEN).json()["words"]
    assert told == "This report (2 metrics × 1 human criterion) will take about 2 seconds and be about 1.1 MB large."
    more = client.post(f"{address}/cost", data={**CHOSEN, "resamples": str(10**8)}).json()["words"]
    assert more == told.replace("2 seconds", "7 seconds")
    fewer = client.post(f"{address}/cost", data={**CHOSEN, "kind-2": ""}).json()["words"]
    assert fewer.startswith("This report (1 metric × 1 human criterion)")
    assert client.get(f"{address}/first").status_code == 404
    client.post(f"{address}/report", data=CHOSEN)
    assert settled(client, address) == "done"
    session = sessions(client).find(address.rpartition("/")[2])
    assert session.first.stat().st_mtime_ns < session.report.stat().st_mtime_ns
    first = client.get(f"{address}/first")
    assert '<section id="answer"' in first.text
    assert '<section id="stability"' not in first.text
    assert first.headers["content-security-policy"] == "sandbox allow-scripts; frame-ancestors 'self'"
    assert "overlap agrees best" in first.text or "judge agrees best" in first.text


def test_the_main_criterion_comes_first():
    kinds = [("metric", False), ("human", False), ("", False), ("human", True)]
    assert in_order({"columns": kinds, "first": None}) == [
        (0, "metric", False),
        (1, "human", False),
        (3, "human", True),
    ]
    assert in_order({"columns": kinds, "first": 3}) == [(3, "human", True), (0, "metric", False), (1, "human", False)]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("notes.txt", b"dear diary\n", "notes.txt: not a format that metassay knows"),
        ("empty.csv", b"", "empty.csv: the file is empty"),
        ("scores.csv", b"system,input,m\na,1,0.5\na,2,many\n", "scores.csv, line 3"),
        ("cut.csv.gz", gzip.compress(table())[:-9], "the gzip data is damaged or cut off"),
        ("scores.pkl", pickle.dumps({"a": 1}), "scores.pkl: it is a pickle, and pickles are not read here"),
        ("scores.gz", gzip.compress(pickle.dumps({"a": 1})), "scores.gz: it is a pickle"),
    ],
    ids=["text", "empty", "no number", "cut off", "pickle", "packed pickle"],
)
def test_a_bad_file_is_told_in_one_line_and_deleted(client, name, content, said):
    address = sent(client, (name, content))
    assert settled(client, address) == "unreadable"
    assert said in message(client.get(address))
    assert list(sessions(client).root.rglob(name)) == []


def test_what_is_too_large_is_refused():
    with server(upload=10_000, unpacked=50_000, cells=60, columns=3) as client:
        told = {"accept": "application/json"}
        large = client.post("/upload", files={"files": ("a.csv", b"x" * 20_000_000)}, headers=told)
        assert (large.status_code, large.json()["error"][:30]) == (413, "At most 10 kB can be sent at o")
        # The form fits, but its files are too large.
        assert client.post("/upload", files={"files": ("a.csv", b"x" * 20_000)}, headers=told).status_code == 413

        def unannounced():
            # No Content-Length: it is counted as it comes.
            yield b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\n\r\n'
            for _ in range(30):
                yield b"x" * 100_000
            yield b"\r\n--b--\r\n"

        kind = {"content-type": "multipart/form-data; boundary=b", **told}
        assert client.post("/upload", content=unannounced(), headers=kind).status_code == 413
        assert len(sessions(client)) == 0

        for content, said in (
            (gzip.compress(b"0" * 100_000), "it unpacks to more than 50 kB"),
            (table(inputs=10), "there are 120 scores; at most 60 can be studied here"),
            (table(columns="abcd", inputs=2), "there are 4 columns; at most 3 can be studied here"),
        ):
            address = sent(client, ("a.csv", content))
            settled(client, address)
            assert said in message(client.get(address))


def test_a_hundred_megabytes_are_refused_politely(client):
    page = client.post("/upload", files={"files": ("large.csv", io.BytesIO(bytes(100_000_000)))})
    assert page.status_code == 413
    assert message(page) == "At most 50 MB can be sent at once. Send fewer files, or pack them with gzip."
    assert list(sessions(client).root.iterdir()) == []


def test_columns_are_named_in_the_form(client):
    content = b"who,what,people,judge,topic\n" + b"".join(
        b"s%d,%d,%d,pass,x\n" % (i % 2, i // 2, i % 5) for i in range(8)
    )
    data = {"system_column": "who", "input_column": "what"}
    shown = client.post("/upload", files=[("files", ("t.csv", content))], data=data)
    assert settled(client, shown.url.path) == "choosing"
    page = client.get(shown.url.path).text
    assert "<b>2 systems</b> × <b>4 inputs</b>" in page
    assert "<td>topic</td><td>inputs</td><td>1</td><td>x</td>" in page


def test_every_option_of_reading_tables_is_asked_for_and_taken(client):
    page = client.get("/").text
    for name, declared in READING.items():
        assert f'name="{name}"' in page
        assert escape(declared.option.help) in page
    assert {"ignore", "scale", "no_systems", "people"} <= READING.keys()
    content = b"model,id,grade,ann1,ann2,tmp_1,note\n" + b"".join(
        b"m%d,%d,%s,%d,%d,1,x\n" % (i % 2, i, (b"bad", b"ok", b"good")[i % 3], i % 5, i % 4) for i in range(8)
    )
    data = {"no_systems": "1", "ignore": "tmp_*;note", "people": "mark=ann*", "scale": "grade=ordinal:bad<ok<good"}
    shown = client.post("/upload", files=[("files", ("t.csv", content))], data=data)
    assert settled(client, shown.url.path) == "choosing"
    page = client.get(shown.url.path).text
    assert "<b>no systems</b> × <b>8 inputs</b>" in page
    assert "bad &lt; ok &lt; good" in page
    assert "tmp_1" not in page
    assert "2 annotators" in page


def test_ten_uploads_at_once(client):
    def send(seed):
        names = tuple(f"s{seed}-{i}" for i in range(4 + seed))
        address = sent(client, ("scores.csv", table(systems=names, seed=seed)))
        return settled(client, address), client.get(address).text

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(send, range(10)))
    for seed, (stage, page) in enumerate(answers):
        assert stage == "choosing"
        assert f"<b>{4 + seed} systems</b>" in page
        assert f"s{seed}-0" in page


def test_reports_wait_their_turn_and_too_many_are_turned_away():
    with server(jobs=1, waiting=1) as client:
        addresses = [sent(client, ("scores.csv", table(inputs=inputs))) for inputs in (1000, 8, 8)]
        for address in addresses:
            settled(client, address)
        for address, resamples in zip(addresses, ("100000", "100", "100"), strict=True):
            client.post(f"{address}/report", data={**CHOSEN, "resamples": resamples})
            while (state := client.get(f"{address}/state").json())["stage"] == "working" and "Start" in state["words"]:
                time.sleep(0.05)
        # One is at work, one waits, and the third is told so; nobody hinders anybody from looking.
        refused = client.get(addresses[2])
        assert message(refused) == "too many reports are waiting; try again in a few minutes"
        assert "Waiting" in client.get(addresses[1]).text
        client.post(f"{addresses[0]}/stop")
        assert settled(client, addresses[1]) == "done"


def test_hostile_names_are_text(client):
    systems = (HOSTILE, "b", "c", "d")
    content = table(systems=systems, columns=(HOSTILE, "a,b*", "</script><script>alert(2)</script>"))
    address = sent(client, (f"../../{HOSTILE}.csv", content), ("..\\..\\evil.csv", table(columns=("more",))))
    assert settled(client, address) == "choosing"
    page = client.get(address).text
    assert "<img" not in page
    assert "alert(2)</script>" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    stored = sorted(path.name for path in sessions(client).root.rglob("*.csv"))
    assert stored == [
        "_img src=x onerror=alert_1__.csv",
        "evil.csv",
    ]
    data = {**CHOSEN, "kind-3": "", "title": HOSTILE}
    client.post(f"{address}/report", data=data)
    assert settled(client, address) == "done"
    assert "<img" not in client.get(address).text
    assert HOSTILE not in client.get(f"{address}/report").text


def test_a_name_in_an_error_is_text(client):
    address = sent(client, ("a.csv", f"system,input,m\n{HOSTILE},1,0.5\n{HOSTILE},1,0.7\n".encode()))
    assert settled(client, address) == "unreadable"
    assert "<img" not in client.get(address).text
    assert "&lt;img" in message(client.get(address))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"kind-0": "metric"}, "mark at least one column as human judgment"),
        ({"kind-1": "human", "kind-2": ""}, "mark at least one column as a metric"),
        ({"resamples": "1000000"}, "resamples must be at most 100,000 here, got 1,000,000"),
        ({"resamples": "nan"}, "resamples must be a whole number"),
        ({"resamples": "many"}, "resamples must be a whole number"),
        ({"seed": "-1"}, "seed must be"),
        ({"confidence": "95"}, "confidence must lie in (0, 1), got 95; did you mean 0.95?"),
        ({"first": "99"}, "the main criterion must be one that people judged"),
        ({"first": "1"}, "the main criterion must be one that people judged"),
    ],
)
def test_choices_that_cannot_be(client, changed, said):
    address = sent(client, ("scores.csv", table()))
    settled(client, address)
    page = client.post(f"{address}/report", data={**CHOSEN, **changed})
    assert message(page).startswith(said)


def test_the_form_asks_for_every_number_that_a_report_declares(client):
    declared = read_declaration("metassay.report.document.report", "make_report").options
    numbers = {name: each for name, each in declared.items() if each.option.number and name != "threads"}
    assert {"resamples", "confidence", "seed"} <= set(numbers)
    address = sent(client, ("scores.csv", table()))
    settled(client, address)
    page = unescape(client.get(address).text)
    for name, each in numbers.items():
        assert f'name="{name}" type="number" step="any" required value="{each.default}"' in page
        assert each.option.help in page


def test_stopping_gives_the_place_back():
    with server(jobs=1) as client:
        address = sent(client, ("scores.csv", table()))
        settled(client, address)
        client.post(f"{address}/report", data={**CHOSEN, "resamples": "100000"})
        assert client.post(f"{address}/report", data=CHOSEN).status_code == 409
        assert "stopped; nothing was made" in message(client.post(f"{address}/stop"))
        client.post(f"{address}/report", data=CHOSEN)
        assert "Waiting" not in client.get(f"{address}/state").json()["words"]


def test_what_takes_too_long_is_stopped():
    with server(seconds=0.01) as client:
        address = sent(client, ("scores.csv", table()))
        assert settled(client, address) == "unreadable"
        assert "and was stopped" in message(client.get(address))


def test_nothing_is_left_unless_asked(tmp_path):
    with server(keep=tmp_path) as client:
        address = sent(client, ("scores.csv", table()))
        settled(client, address)
        assert "keeps copies" in client.get(address).text
        client.post(f"{address}/report", data=CHOSEN)
        settled(client, address)
        report = client.get(f"{address}/report").content
        root = sessions(client).root
        assert root.stat().st_mode & 0o077 == 0
    assert not root.exists()
    (kept,) = tmp_path.iterdir()
    assert (kept / "files" / "scores.csv").read_bytes() == table()
    assert (kept / "report.html").read_bytes() == report
    assert json.loads((kept / "choices.json").read_text())["columns"][0] == {
        "name": "people",
        "kind": "human",
        "lower_is_better": False,
    }


def test_sessions_are_bounded(client):
    with server(sessions=1) as client:
        sent(client, ("scores.csv", table()))
        page = client.post("/upload", files={"files": ("scores.csv", table())})
        assert page.status_code == 503
        assert "too many people" in message(page)


@pytest.mark.parametrize(
    ("request_of", "status"),
    [
        (lambda c: c.post("/upload", data={"files": "no file"}), 400),
        (lambda c: c.post("/upload", files={"files": ("a.csv", b"x")}, data={"format": "pickle"}), 400),
        (lambda c: c.post("/upload", content=b"junk", headers={"content-type": "multipart/form-data"}), 400),
        (lambda c: c.post("/upload", files=[("files", (f"{i}.csv", b"x")) for i in range(51)]), 400),
        (lambda c: c.get("/s/guessed"), 404),
        (lambda c: c.get("/s/..%2f..%2fetc%2fpasswd"), 404),
        (lambda c: c.get("/upload"), 405),
    ],
    ids=["no file", "no such format", "no form", "many files", "guessed", "a path", "wrong method"],
)
def test_odd_requests_get_a_plain_answer(client, request_of, status):
    answer = request_of(client)
    assert answer.status_code == status
    assert message(answer)
    assert "Traceback" not in answer.text


def test_pages_are_strict_and_self_contained(client):
    page = client.get("/")
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["cache-control"] == "no-store"
    for name in ("style.css", "page.js"):
        assert client.get(f"/{name}").status_code == 200
    assert re.findall(r'(?:src|href)="(?:https?:)?//', page.text) == []
    assert "<script>" not in page.text
    assert "style=" not in page.text


def test_the_example(client):
    address = client.post("/example").url.path
    assert settled(client, address) == "choosing"
    assert "<b>14 systems</b> × <b>80 inputs</b>" in client.get(address).text
    assert Path(address).name not in client.get("/").text


def test_votes_give_a_ranking_and_judges_against_people(client, tmp_path):
    address = client.post("/example", data={"file": "votes.csv"}).url.path
    assert settled(client, address) == "choosing"
    page = client.get(address).text
    assert "<b>6 systems</b> × <b>120 inputs</b>, 1,920 votes of 5 raters." in page
    shown = re.findall(r'<th scope="row" id="c\d">(.*?)</th><td>(.*?)</td>', page)
    assert shown[0] == ("judge", "960 votes")
    assert [kind for kind in re.findall(r'<option value="(\w*)" selected', page) if kind] == ["metric", *["other"] * 4]
    chosen = {"kind-0": "metric", **{f"kind-{at}": "human" for at in range(1, 5)}, "resamples": "20", "title": "A <b>"}
    client.post(f"{address}/report", data=chosen)
    assert settled(client, address) == "done"
    report = client.get(f"{address}/report").text
    assert "<h1>A &lt;b&gt;</h1>" in report
    votes = ma.read_votes(Path(ma.__file__).parent / "data" / "votes.csv")
    expected = ma.make_votes_report(votes, human="dora,emil,farah,goran", resamples=20).sentences
    said = re.search(r'<section id="answer">(.*?)</section>', client.get(address).text).group(1)
    assert re.findall("<p>(.*?)</p>", unescape(said)) == list(expected)
    # Without the judge there is nothing to compare, and without anybody nothing at all.
    client.post(f"{address}/report", data={**chosen, "kind-0": ""})
    assert settled(client, address) == "done"
    assert "Not included: Votes of judges and of people (all raters are people" in client.get(f"{address}/report").text
    client.post(f"{address}/report", data={"resamples": "20"})
    assert message(client.get(address)) == "keep at least one rater"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("model_a,model_b,winner\nx,y,z\n", "line 2: unknown winner in &#x27;winner&#x27;: &#x27;z&#x27;"),
        ("model_a,model_b,winner\nx,x,model_a\n", "there are no votes"),
        ("model_a,model_b,winner\nx,y,1\nx,y,0\n", "holds 0 and 1 only"),
    ],
)
def test_bad_votes_are_told_in_one_line(client, content, said):
    address = sent(client, ("votes.csv", content.encode()))
    assert settled(client, address) == "unreadable"
    assert said in message(client.get(address))


def test_names_of_raters_and_systems_are_text(client):
    lines = [f"{i},{HOSTILE},y,{'model_a' if i % 3 else 'tie'},{HOSTILE}{i % 2}" for i in range(40)]
    address = sent(client, ("votes.csv", "\n".join(["question_id,model_a,model_b,winner,rater", *lines]).encode()))
    assert settled(client, address) == "choosing"
    assert HOSTILE not in client.get(address).text
    client.post(f"{address}/report", data={"kind-0": "human", "kind-1": "metric", "resamples": "20"})
    assert settled(client, address) == "done"
    assert HOSTILE not in client.get(f"{address}/report").text
