import json
import math
import shlex
import sys

import numpy as np
import pytest

from metassay.core.note import Note
from metassay.core.texts import Texts
from metassay.errors import DataError, UsageError
from metassay.texts.scorers.adapter import Command
from metassay.texts.scorers.registry import make_scorers
from metassay.texts.scorers.scoring import score

TEXTS = Texts(
    {("a", "1"): 'one "two"\n{three}', ("b", "1"): "four", ("a", "2"): "Grüße\u2028 \x00"},
    references={"1": ("one", "two")},
    sources={"1": "long"},
)


@pytest.fixture
def program(tmp_path):
    """Return the command line of a program with this body, in which `lines` are what it read."""

    def write(body, name="metric.py"):
        path = tmp_path / name
        path.write_text(f"import json, sys, os\nlines = [json.loads(line) for line in sys.stdin]\n{body}\n")
        return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}"

    return write


def test_a_program_sees_everything_and_scores_it(program, tmp_path):
    run = program(f"json.dump(lines, open({str(tmp_path / 'seen')!r}, 'w'))\nfor l in lines: print(len(l['output']))")
    scores = score(TEXTS, Command(run, name="mine"))
    np.testing.assert_array_equal(scores.matrix("mine"), [[17, 8], [4, np.nan]])
    assert json.loads((tmp_path / "seen").read_text()) == [
        {"output": 'one "two"\n{three}', "references": ["one", "two"], "source": "long"},
        {"output": "four", "references": ["one", "two"], "source": "long"},
        {"output": "Grüße\u2028 \x00", "references": [], "source": None},
    ]


def test_commands_that_differ_far_behind_have_scores_of_their_own(tmp_path):
    long = "x" * 500
    one, other = (
        score(TEXTS, Command(f"sed -e s/{long}// -e s/.*/{n}/", name="n"), cache=tmp_path / "scores") for n in (1, 2)
    )
    assert (one.matrix("n")[0, 0], other.matrix("n")[0, 0]) == (1, 2)


def test_only_what_is_needed_is_sent(program):
    run = program("for l in lines: print(int(sorted(l) == ['output', 'references']))")
    scores = score(TEXTS, Command(run, name="mine", needs="references"))
    np.testing.assert_array_equal(scores.matrix("mine"), [[1, np.nan], [1, np.nan]])
    assert scores.notes == (
        Note.of("outputs-without-score", scorer="mine", n=1, outputs=3, lacking=[("references", 1)]),
    )


def test_named_numbers_and_missing_ones(program):
    run = program("print('{\"p\": 1, \"r\": null, \"x\": 9}'); print('null'); print('[3, 4.5]')")
    scorer = Command(run, name="mine", scores="p+r", lower_is_better="r")
    assert scorer.columns == ("mine_p", "mine_r")
    assert scorer.lower_is_better == {"mine_r"}
    np.testing.assert_array_equal(scorer.score(list(TEXTS.items())), [[1, math.nan], [math.nan, math.nan], [3, 4.5]])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("print(1)", r"must print one line per output; it printed 1 for 3"),
        ("print(1, 2, 3, 4, sep='\\n')", r"it printed 4 for 3"),
        ("pass", r"it printed 0 for 3"),
        ("print('1\\nhello\\n3')", r"on line 2 \(system 'b', input '1'\) it printed 'hello'"),
        ("print('1\\n\"2\"\\n3')", r"on line 2 .* it printed '2', which is not a number"),
        ("print('1\\n\\n3')", r"on line 2 .* it printed ''"),
        ("print('1\\n2\\nInfinity')", r"on line 3 .* it printed inf, which is not finite; a missing score is null"),
        ("print('{\"a\": 1}\\n2\\n3')", r"several named scores; choose some with scores=a"),
        ("print(1); print('odd', file=sys.stderr)", r"for 3; it complained: odd"),
        ("sys.exit('no model')", r"failed with exit code 1: no model"),
        ("sys.stdout.buffer.write(b'\\xff\\n2\\n3\\n')", r"not UTF-8"),
        ("import time; time.sleep(60)", r"gave no answer within 0\.7 s"),
    ],
)
def test_what_goes_wrong_is_one_line_that_names_the_command(program, body, message):
    with pytest.raises(DataError, match=message) as caught:
        score(TEXTS, Command(program(body), timeout=0.7 if "sleep" in body else 120))
    assert "the command" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "0 of 3 outputs" in str(caught.value) or "of 3 outputs have their scores" in str(caught.value)


def test_a_missing_named_score_is_told(program):
    with pytest.raises(DataError, match=r"no score 'r' \(available: p\)"):
        score(TEXTS, Command(program("for l in lines: print('{\"p\": 1}')"), scores="p+r"))


def test_batches_before_a_failure_are_kept(program, tmp_path):
    count = tmp_path / "count"
    body = (
        f"open({str(count)!r}, 'a').write('x' * len(lines))\n"
        f"fine = os.path.exists({str(tmp_path / 'fine')!r})\n"
        "if any('Gr' in l['output'] for l in lines) and not fine: sys.exit('oh')\n"
        "for l in lines: print(1)"
    )
    run = program(body)
    cache = tmp_path / "cache.sqlite"
    with pytest.raises(DataError, match=r"exit code 1: oh \(2 of 3 outputs have their scores; they are in the cache"):
        score(TEXTS, Command(run, name="mine", batch_size=1), cache=cache)
    (tmp_path / "fine").touch()
    scores = score(TEXTS, Command(run, name="mine", batch_size=1), cache=cache)
    assert count.read_text() == "xxx" + "x"
    np.testing.assert_array_equal(scores.matrix("mine"), [[1, 1], [1, np.nan]])


def test_lines_before_a_bad_one_are_kept(program, tmp_path):
    cache = tmp_path / "cache.sqlite"
    with pytest.raises(DataError, match=r"2 of 3 outputs have their scores"):
        score(TEXTS, Command(program("print('1\\n2\\nbad')")), cache=cache)


def test_the_recipe_changes_with_the_program_its_files_and_the_version(program, tmp_path):
    run = program("for l in lines: print(1)")
    first = Command(run, name="m")
    assert Command(run, name="m").signature == first.signature
    assert Command(run, name="m", version="2").signature != first.signature
    assert Command(f"{run} --fast", name="m").signature != first.signature
    program("for l in lines: print(2)")
    assert Command(run, name="m").signature != first.signature
    assert first.signature.startswith("m|command:")


def test_a_source_that_is_seen_is_part_of_the_key(program, tmp_path):
    run = program("for l in lines: print(len(l['source'] or '') if l['source'] is not None else -1)")
    cache = tmp_path / "cache.sqlite"
    for source, expected in (("abc", 3), ("", 0), (None, -1)):
        texts = Texts({("a", "1"): "x"}, sources={} if source is None else {"1": source})
        assert score(texts, Command(run, name="m"), cache=cache).matrix("m").item() == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"run": "no-such-program"}, "names no program"),
        ({"run": "a 'b"}, "not well quoted"),
        ({"run": "true", "timeout": 0}, "timeout must be a number over 0"),
        ({"run": "true", "batch_size": 0}, "batch_size must be a whole number"),
        ({"run": "true", "needs": "sauce"}, "unknown need 'sauce'; did you mean 'source'"),
        ({"run": "true", "scores": "a+b", "lower_is_better": "c"}, "unknown score 'c'"),
        ({"run": "true", "name": "a|b"}, "the name of a metric must be"),
        ({"run": "true", "scores": "+"}, "scores must name"),
    ],
)
def test_options_are_checked_before_any_work(options, message):
    with pytest.raises(UsageError, match=message):
        Command(**options)


def test_several_may_run_at_once(program):
    scorer = Command(program("for l in lines: print(1)"), parallel=True)
    assert (scorer.in_process, Command("true").in_process) == (False, True)


def test_on_the_command_line_in_quotes(program):
    run = program("for l in lines: print(len(sys.argv))")
    (scorer,) = make_scorers([f"command[run='{run} \"a, b\" [c]',name=mine]"])
    assert scorer.score(list(TEXTS.items()))[0, 0] == 3
