import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from metassay.errors import DataError, UsageError
from metassay.texts.programs import Conversation, Stopped, arguments_of, call


def python(code):
    return [sys.executable, "-c", code]


def test_a_program_gets_its_input_and_its_output_comes_back():
    ran = call(
        python("import sys; print(sys.stdin.read().upper()); print('oh\\nhm', file=sys.stderr)"),
        b"a",
        what="it",
        timeout=60,
    )
    assert ran.out == b"A\n"
    assert ran.complaint == "hm"


def test_a_failure_tells_the_exit_code_and_the_last_complaint():
    with pytest.raises(DataError, match=r"^it failed with exit code 3: worse$"):
        call(python("import sys; print('bad\\nworse', file=sys.stderr); sys.exit(3)"), b"", what="it", timeout=60)


def test_a_program_that_hangs_is_stopped_with_all_that_it_started(tmp_path):
    child = tmp_path / "child"
    child.touch()
    for seconds in (0.5, 5, 60):  # a busy machine may be slow to start it
        with pytest.raises(DataError, match=f"gave no answer within {seconds:g} s"):
            call(["sh", "-c", f"sleep 600 & echo $! >{child}; wait"], b"", what="it", timeout=seconds)
        if child.read_text():
            break
    started = int(child.read_text())
    wait_until(lambda: not alive(started))


def test_what_a_program_leaves_behind_is_stopped_and_not_waited_for(monkeypatch):
    monkeypatch.setattr("metassay.texts.programs.AFTERWARDS", 0.2)
    ran = call(["sh", "-c", "sleep 600 & echo $!"], b"", what="it", timeout=60)
    wait_until(lambda: not alive(int(ran.out)))


def test_output_of_a_child_that_ends_a_moment_later_is_there(monkeypatch):
    monkeypatch.setattr("metassay.texts.programs.AFTERWARDS", 60)
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
    assert call(["true"], b"x" * 1_000_000, what="it", timeout=60).out == b""


@pytest.mark.parametrize(
    ("command", "message"), [("a 'b", "is not well quoted"), ("no-such-program", "names no program"), ("", "names no")]
)
def test_a_command_that_cannot_run_is_told_before_any_work(command, message):
    with pytest.raises(UsageError, match=message):
        arguments_of(command)


def test_values_are_put_in_after_arguments_were_parted():
    assert arguments_of("echo {x}", lambda a: a.replace("{x}", "a b; c")) == ["echo", "a b; c"]


ECHO = """
import os, sys
for line in sys.stdin:
    if line.startswith("who"):
        print(os.getpid(), flush=True)
        continue
    if line.startswith("die"):
        print("no more", file=sys.stderr)
        sys.exit(3)
    if not line.startswith("hush"):
        print(line.strip().upper(), flush=True)
"""


def test_a_conversation_goes_on_and_ends_with_its_object():
    program = Conversation(python(ECHO), to_start=30)
    assert [program.ask(line, 30) for line in ("a", "ü")] == ["A", "Ü"]
    with pytest.raises(TimeoutError):
        program.ask("hush", 0.1)
    process = int(program.ask("who", 30))
    os.kill(process, 0)  # it is there
    del program
    gc.collect()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_program_that_ends_in_a_conversation_has_last_words():
    program = Conversation(python(ECHO), to_start=30)
    with pytest.raises(Stopped, match="no more"):
        program.ask("die", 30)
    with pytest.raises(Stopped, match="no more"):
        program.ask("a", 30)
    program.stop()


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("way", "parallel"), [(signal.SIGTERM, "true"), (signal.SIGHUP, "false"), (signal.SIGKILL, "false")]
)
def test_programs_end_with_the_command_that_started_them(tmp_path, way, parallel):
    """A program has a session of its own, so nobody else would end it."""
    begun = tmp_path / "begun"
    begun.mkdir()
    program = tmp_path / "slow.py"
    program.write_text(
        "import os, sys, time\nfirst = not os.listdir(sys.argv[1])\n"
        "open(f'{sys.argv[1]}/{os.getpid()}', 'w').close()\n"
        "time.sleep(3 if first else 600)\n[print(1) for _ in sys.stdin]\n"
    )
    texts = tmp_path / "texts.csv"
    texts.write_text("system,input,output\n" + "".join(f"a,{n},text {n}\n" for n in range(6)))
    run = f"{sys.executable} {program} {begun}"
    metric = f"command[run='{run}',name=slow,parallel={parallel},batch_size=1]"
    command = ["score", str(texts), "--no-cache", "--processes", "2", "--metric", metric, "-o", str(tmp_path / "s.csv")]
    with subprocess.Popen(
        [sys.executable, "-m", "metassay", *command],
        preexec_fn=lambda: way == signal.SIGKILL or signal.signal(way, signal.SIG_DFL),
        stderr=subprocess.DEVNULL,
    ) as metassay:
        many = 3 if parallel == "true" else 2
        wait_until(lambda: len(list(begun.iterdir())) >= many or metassay.poll() is not None)
        metassay.send_signal(way)
    assert metassay.returncode == -way
    started = [int(file.name) for file in begun.iterdir()]
    assert len(started) >= many
    wait_until(lambda: not any(map(alive, started)))


def alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def wait_until(condition):
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
