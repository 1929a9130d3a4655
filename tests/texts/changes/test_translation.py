"""Translation by commands, which need nothing but this Python."""

from __future__ import annotations

import sqlite3
import sys
from itertools import pairwise

import pytest
from hypothesis import given, settings

from metassay import engine
from metassay.core.note import Note
from metassay.core.texts import Texts
from metassay.errors import DataError, UsageError
from metassay.texts.changes.translation import batches_of, spans_of, translate

from .conftest import HARD

TEXTS = Texts(
    outputs={("a", "1"): "one\n\n  two , three .\t\n", ("b", "1"): "", ("b", "2"): "12 . 13"},
    references={"1": ("ref one", "ref two")},
    sources={"1": "the source"},
)


@pytest.fixture
def tool(tmp_path):
    """Make a command out of a few lines of Python; each call leaves a line in the log."""

    def make(body):
        script = tmp_path / "tool.py"
        log = tmp_path / "calls"
        script.write_text(
            f"import sys, json, time\nopen({str(log)!r}, 'a').write('x\\n')\nlines = [l.rstrip('\\n') for l in "
            f"sys.stdin.buffer.read().decode().split('\\n')[:-1]]\nsource, target = sys.argv[1:3]\n{body}\n"
        )
        return f"{sys.executable} {script} {{from}} {{to}}"

    make.calls = lambda: len((tmp_path / "calls").read_text().splitlines())
    return make


UPPER = "for line in lines: sys.stdout.buffer.write((f'{target}:{line.upper()}\\n').encode())"


def test_a_command_translates_lines_and_keeps_what_is_between(tool):
    result = translate(TEXTS, to="es", with_=f"command:{tool(UPPER)}")
    assert result.texts.outputs["a", "1"] == "es:ONE\n\n  es:TWO , THREE .\t\n"
    assert result.texts.outputs["b", "1"] == ""
    assert result.texts.outputs["b", "2"] == "12 . 13"  # nothing there to translate
    assert result.texts.references == {"1": ("es:REF ONE", "es:REF TWO")}
    assert result.texts.sources == {"1": "es:THE SOURCE"}
    assert result.texts.language == "es"
    assert result.back is None
    assert tool.calls() == 1
    row = result.table[0]
    assert (row.what, row.n_texts, row.n_words, row.n_segments) == ("outputs", 3, 5, 2)
    assert row.n_unknown != row.n_unknown
    assert result.notes[-1] == Note.of("unknown-words-uncounted")
    assert "en → es" in str(result)


def test_a_program_that_was_changed_translates_anew(tool, tmp_path):
    cache = tmp_path / "cache.db"
    translate(TEXTS, to="es", with_=f"command:{tool(UPPER)}", cache=cache)
    again = translate(TEXTS, to="es", with_=f"command:{tool(UPPER.replace('upper', 'title'))}", cache=cache)
    assert again.texts.sources == {"1": "es:The Source"}


def test_there_and_back(tool):
    result = translate(TEXTS, to="es", with_=f"command:{tool(UPPER)}", what="outputs", back=True)
    assert result.texts.outputs["a", "1"] == "es:ONE\n\n  es:TWO , THREE .\t\n"
    assert result.back.outputs["a", "1"] == "en:ES:ONE\n\n  en:ES:TWO , THREE .\t\n"
    assert result.back.sources == TEXTS.sources
    assert (result.texts.language, result.back.language) == ("es", "en")
    assert [(row.source_language, row.language) for row in result.table] == [("en", "es"), ("es", "en")]


def test_json_lines_carry_whole_texts_and_unknown_words(tool):
    body = (
        "for line in lines:\n    seen = json.loads(line)\n"
        "    print(json.dumps({'text': seen['text'].upper() + seen['to'], 'unknown': 2}))"
    )
    result = translate(TEXTS, to="es", with_=f"command-jsonl:{tool(body)}", what="outputs,sources")
    assert result.texts.outputs["a", "1"] == "ONE\n\n  TWO , THREE .\t\nes"
    assert [(row.n_unknown, row.share_unknown) for row in result.table] == [(2, 2 / 5), (2, 2 / 2)]


def test_each_different_line_is_translated_once(tool):
    texts = Texts({(str(n), "1"): "the same" for n in range(50)})
    result = translate(texts, to="es", with_=f"command:{tool(UPPER)}")
    assert set(result.texts.outputs.values()) == {"es:THE SAME"}
    assert result.table[0].n_segments == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("print('only one')", "must print one line per text; it printed 1 for 5"),
        ("pass", "must print one line per text; it printed 0 for 5"),
        ("sys.exit('no such\\nmodel here')", "failed with exit code 1: model here"),
        ("sys.stdout.buffer.write(b'\\xff\\n' * 5)", "not UTF-8"),
        ("time.sleep(60)", "gave no answer within 0.5 s"),
    ],
)
def test_commands_that_go_wrong(tool, body, message):
    with pytest.raises(DataError, match=message):
        translate(TEXTS, to="es", with_=f"command:{tool(body)}", timeout=0.5 if "sleep" in body else 60)


@pytest.mark.parametrize("answer", ["nonsense", "{}", "[1]", '{"text": 3}'])
def test_json_that_is_none(tool, answer):
    with pytest.raises(DataError, match="line 1 is"):
        translate(TEXTS, to="es", with_=f"command-jsonl:{tool(f'for _ in lines: print({answer!r})')}")


def test_a_text_that_comes_back_empty_is_told(tool):
    result = translate(TEXTS, to="es", with_=f"command:{tool('for _ in lines: print()')}", what="sources")
    assert result.texts.sources == {"1": ""}
    assert Note.of("translations-empty", n=1, texts=1, what="sources", source="en", target="es") in result.notes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"to": "en"}, "in 'en' already"),
        ({"to": "Spanish!"}, "must be a language"),
        ({"to": "es", "with_": "google"}, "a translator is one of apertium, marian"),
        ({"to": "es", "with_": "command:"}, "a translator is one of"),
        ({"to": "es", "with_": "command:no-such-program {to}"}, "names no program"),
        ({"to": "es", "with_": "command:cat 'a"}, "not well quoted"),
        ({"to": "es", "with_": "command:cat", "what": "titles"}, "unknown part of the texts 'titles'"),
        ({"to": "es", "with_": "command:cat", "timeout": 0}, "timeout must be"),
        ({"to": "es", "with_": "marian:model", "back": True}, "a model translates in one direction"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(UsageError, match=message):
        translate(TEXTS, **options)


def test_the_language_of_the_texts_is_kept_to():
    texts = Texts({("a", "1"): "hola"}, language="es")
    with pytest.raises(UsageError, match="are marked as 'es'"):
        translate(texts, to="fr", source_language="en", with_="command:cat")


@settings(max_examples=100)
@given(HARD)
def test_what_goes_to_a_translator_can_be_put_back(text):
    for unit in ("text", "line", "sentence"):
        spans = spans_of(text, unit)
        assert all(a[1] <= b[0] for a, b in pairwise(spans))
        segments = [text[start:end] for start, end in spans]
        assert all(any(map(str.isalpha, segment)) for segment in segments)
        if unit != "text":
            assert all(segment == segment.strip() for segment in segments)
            assert not any("\n" in segment or "\0" in segment for segment in segments)
            "".join(segments).encode()  # there are no lone surrogates, which UTF-8 cannot write


def test_batches_are_bounded_by_number_and_by_size():
    assert list(map(len, batches_of(["x"] * 25, 10))) == [10, 10, 5]
    assert list(map(len, batches_of(["x" * 60_000] * 3, 10))) == [1, 1, 1]
    assert batches_of([], 10) == []


# -- the cache ----------------------------------------------------------------------------------


def test_a_repeated_run_translates_only_what_is_new(tool, tmp_path):
    command, cache = f"command:{tool(UPPER)}", tmp_path / "cache.db"
    first = translate(TEXTS, to="es", with_=command, cache=cache)
    again = translate(TEXTS, to="es", with_=command, cache=cache)
    assert tool.calls() == 1
    assert again.texts.outputs == first.texts.outputs
    assert [row.n_cached for row in again.table] == [row.n_segments for row in again.table]
    more = Texts({**TEXTS.outputs, ("c", "1"): "new"})
    result = translate(more, to="es", with_=command, cache=cache)
    assert tool.calls() == 2
    assert (result.table[0].n_segments, result.table[0].n_cached) == (3, 2)
    translate(TEXTS, to="ca", with_=command, cache=cache)  # another language is another key
    assert tool.calls() == 3


def test_what_was_done_before_a_failure_is_kept(tool, tmp_path):
    cache = tmp_path / "cache.db"
    texts = Texts({("a", str(n)): f"line {'x' * 1000} number {n} {'bad' if n == 700 else ''}" for n in range(800)})
    body = "for line in lines: print('!' if 'bad' not in line else sys.exit(3))"
    command = f"command:{tool(body)}"
    with pytest.raises(DataError, match="failed with exit code 3"):
        translate(texts, to="es", with_=command, cache=cache)
    with sqlite3.connect(cache) as connection:
        (kept,) = connection.execute("SELECT count(*) FROM entries").fetchone()
    connection.close()
    assert kept >= 99
    good = Texts({key: text for key, text in texts.outputs.items() if "bad" not in text})
    assert translate(good, to="es", with_=command, cache=cache).table[0].n_cached >= 99


def test_progress_is_reported(tool):
    texts = Texts({("a", str(n)): f"line {n}" for n in range(600)})
    seen = []
    with engine.reporting(lambda done, total, what: seen.append((done, total, what))):
        translate(texts, to="es", with_=f"command:{tool(UPPER)}")
    assert seen == [(n, 3, "translating en to es") for n in (1, 2, 3)]


@pytest.mark.parametrize("damage", ["middle", "cut"])
def test_a_damaged_cache_is_set_aside(tool, tmp_path, damage):
    command, cache = f"command:{tool(UPPER)}", tmp_path / "cache.db"
    texts = Texts({("a", str(n)): f"line {n} {'word ' * 50}" for n in range(200)})
    first = translate(texts, to="es", with_=command, cache=cache)
    data = bytearray(cache.read_bytes())
    if damage == "middle":
        data[4096:] = b"\xff" * (len(data) - 4096)
    else:
        del data[len(data) // 2 :]
    cache.write_bytes(data)
    again = translate(texts, to="es", with_=command, cache=cache)
    assert again.texts.outputs == first.texts.outputs
    assert (tmp_path / "cache.db.damaged").read_bytes() == data
    assert (again.notes[0].code, again.notes[0]["now"]) == ("store-damaged", "cache.db.damaged")
    assert translate(texts, to="es", with_=command, cache=cache).table[0].n_cached == 200
