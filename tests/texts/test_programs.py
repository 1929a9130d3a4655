import signal
import subprocess
import sys
import time

import pytest

from metassay.errors import DataError, UsageError
from metassay.texts.programs import arguments_of, call


def python(code):
    return [sys.executable, "-c", code]


def test_a_program_gets_its_input_and_its_output_comes_back():
    ran = call(
        python("import sys; print(sys.stdin.read().upper()); print('oh\\nhm', file=sys.stderr)"),
        b"a",
        what="it",
        timeout=20,
    )
    assert ran.out == b"A\n"
    assert ran.complaint == "hm"


def test_a_failure_tells_the_exit_code_and_the_last_complaint():
    with pytest.raises(DataError, match=r"^it failed with exit code 3: worse$"):
        call(python("import sys; print('bad\\nworse', file=sys.stderr); sys.exit(3)"), b"", what="it", timeout=20)


def test_a_program_that_hangs_is_stopped_with_all_that_it_started(tmp_path):
    late = tmp_path / "late"
    code = f"import subprocess, time; subprocess.Popen(['sh', '-c', 'sleep 1; touch {late}']); time.sleep(60)"
    with pytest.raises(DataError, match=r"gave no answer within 0\.5 s"):
        call(python(code), b"", what="it", timeout=0.5)
    time.sleep(1.2)
    assert not late.exists()


def test_what_a_program_leaves_behind_is_stopped_and_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr("metassay.texts.programs.AFTERWARDS", 0.2)
    late = tmp_path / "late"
    begun = time.monotonic()
    ran = call(["sh", "-c", f"(sleep 1; touch {late}) & echo 1"], b"", what="it", timeout=60)
    assert ran.out == b"1\n"
    time.sleep(max(0.0, begun + 1.3 - time.monotonic()))
    assert not late.exists()


def test_output_of_a_child_that_ends_a_moment_later_is_there():
    assert call(["sh", "-c", "(sleep 0.3; echo 2) & echo 1"], b"", what="it", timeout=60).out == b"1\n2\n"


def test_a_program_that_prints_without_end_is_stopped(monkeypatch):
    monkeypatch.setattr("metassay.texts.programs.LEAST_OUTPUT", 1_000_000)
    with pytest.raises(DataError, match=r"^it printed more than 1 MB and was stopped"):
        call(["yes"], b"", what="it", timeout=60)


def test_of_endless_complaints_the_last_is_told():
    code = "import sys; sys.stderr.write('x' * 300_000 + '\\nlast'); sys.exit(1)"
    with pytest.raises(DataError, match=r"^it failed with exit code 1: last$"):
        call(python(code), b"", what="it", timeout=60)


def test_much_goes_in_and_out_at_once():
    data = b"line of text\n" * 500_000
    assert call(["cat"], data, what="it", timeout=60).out == data


def test_a_program_that_does_not_read_its_input_is_no_problem():
    assert call(["true"], b"x" * 1_000_000, what="it", timeout=20).out == b""


@pytest.mark.parametrize(
    ("command", "message"), [("a 'b", "is not well quoted"), ("no-such-program", "names no program"), ("", "names no")]
)
def test_a_command_that_cannot_run_is_told_before_any_work(command, message):
    with pytest.raises(UsageError, match=message):
        arguments_of(command)


def test_values_are_put_in_after_arguments_were_parted():
    assert arguments_of("echo {x}", lambda a: a.replace("{x}", "a b; c")) == ["echo", "a b; c"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_program_does_not_outlive_the_process_that_started_it(tmp_path, number):
    ready, late = tmp_path / "ready", tmp_path / "late"
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"system": "a", "input": "1", "output": "x"}\n')
    slow = tmp_path / "slow.sh"
    slow.write_text(f"#!/bin/sh\necho $$ > {ready}\nsleep 2\ntouch {late}\nsleep 60\n")
    slow.chmod(0o755)
    score = ["score", str(texts), "--metric", f"command[run={slow},name=slow]", "--no-cache", "-o", f"{tmp_path}/s.csv"]
    parent = subprocess.Popen([sys.executable, "-m", "metassay", *score, "--quiet"], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not (ready.exists() and ready.read_text().strip()) and time.monotonic() < deadline:
        time.sleep(0.02)
    begun = time.monotonic()
    parent.send_signal(number)
    assert parent.wait(20) != 0
    time.sleep(max(0.0, begun + 2.5 - time.monotonic()))
    assert not late.exists()
