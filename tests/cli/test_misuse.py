"""What goes wrong is told in one line, with the right exit code."""

import os
import shlex
import signal
import subprocess
import sys
import time

import pytest

import metassay
from metassay.cli import main

HEAVY = ("numpy", "scipy", "rich", "narwhals", "pandas", "polars", "pyarrow")


def one_line(err):
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err.rstrip("\n")


WRONG = {
    "agre": "metassay: error: unknown command 'agre'; did you mean agree? (commands: ",
    "--humn": "metassay: error: a command comes first, got the option '--humn'",
    "agree x --humn y": "metassay agree: error: unknown option '--humn'; did you mean --human? (see ",
    "agree x --seed x": "metassay agree: error: --seed: must be a number, got 'x' (see metassay agree --",
    "agree x --human": "metassay agree: error: --human: expected one argument",
    "agree": "metassay: error: no file given",
    "agree x --resamples 0": "metassay: error: resamples must be a whole number of at least 1, got 0",
    "agree x --confidence 95": "metassay: error: confidence must lie in (0, 1), got 95; did you mean 0.95?",
    "agree x --level sistem": "metassay: error: unknown level 'sistem'; did you mean 'system'?",
    "agree x --statistic tau-x": "metassay: error: unknown statistic 'tau-x'",
    "agree x --interval boot": "metassay: error: unknown interval 'boot'",
    "agree x --seed -1": "metassay: error: seed must be a whole number of at least 0, got -1",
    f"agree x --seed {'9' * 400}": "metassay: error: seed must be a whole number of at least 0 and at most 38 digits",
    f"agree x --seed {'9' * 5000}": "metassay: error: seed must be a whole number of at least 0 and at most 38 digits",
    "agree x --seed 1e308": "metassay: error: seed must be a whole number of at least 0 and at most 38 digits, got 1e",
    f"agree x --resamples {'9' * 400}": "metassay: error: resamples must be a whole number",
    "agree x --safe-csv": "metassay: error: --safe-csv cannot be used without --format csv",
    "agree x --threads 0": "metassay: error: threads must be a whole number of at least 1, got 0",
    "agree x --format jsn": "metassay: error: unknown format 'jsn'; did you mean 'json'?",
    "agree x --view matrix": "metassay: error: unknown view 'matrix'",
    "agree x --view rows --format csv": "metassay: error: --view cannot be used with --format csv",
    "agree x -o x.pdf": "metassay: error: cannot tell the format from 'x.pdf'",
    "agree x -o no/such/x.tex": "metassay: error: cannot write 'no/such/x.tex': there is no directory",
    "compare x --test perm": "metassay: error: unknown test 'perm'",
    "compare x --alpha 5": "metassay: error: alpha must lie in (0, 1), got 5; did you mean 0.05?",
    "compare x --correction holms": "metassay: error: unknown correction 'holms'; did you mean 'holm'?",
    "compare x --confidence 0.9": "metassay compare: error: unknown option '--confidence'",
    "demo file": "metassay demo: error: unknown argument 'file'",
    "agree x\ny --hu\nman": r"metassay agree: error: unknown option '--hu\nman'",
}


@pytest.mark.parametrize("line", WRONG)
def test_wrong_usage(run, line):
    code, out, err = run(*line.split(" "))
    assert code == 2
    assert out == ""
    assert one_line(err).startswith(WRONG[line])


def test_a_human_column_that_does_not_exist(run, scores):
    code, out, err = run("agree", scores, "--human", "relevanc")
    assert (code, out) == (2, "")
    assert "unknown human criterion 'relevanc'; did you mean 'relevance'?" in one_line(err)


def test_no_human_column(run, scores):
    code, _, err = run("agree", scores, "-q")
    assert code == 2
    assert "--human" in one_line(err)


def test_a_file_that_does_not_exist(run):
    code, out, err = run("agree", "no-such-file.csv")
    assert code in (1, 2)
    assert out == ""
    assert "no-such-file.csv" in one_line(err)


def test_data_that_does_not_allow_it(run, tmp_path):
    path = tmp_path / "text.csv"
    path.write_text("system,input,people,bleu\na,1,2,3\nb,1,good,3\n")
    code, out, err = run("agree", path, "--human", "people")
    assert (code, out) == (1, "")
    assert "text.csv, line 3" in one_line(err)
    path.write_text("system,input,people,bleu\na,1,2,3\n")
    code, out, err = run("agree", path, "--human", "people", "-q")
    assert (code, out) == (1, "")
    one_line(err)


def test_the_scores_are_never_overwritten(run, scores):
    before = scores.read_bytes()
    code, _, err = run("agree", scores, "--human", "relevance", "-o", scores)
    assert code == 2
    assert "would overwrite a file that it reads" in one_line(err)
    assert scores.read_bytes() == before


def broken(error):
    def study(*_, **__):
        raise error

    return study


def test_a_bug_is_one_line_and_the_traceback_is_there_on_request(run, scores, monkeypatch):
    monkeypatch.setattr("metassay.studies.agree.agree", broken(KeyError("oops\nouch")))
    argv = ("agree", str(scores), "--human", "relevance", "-q")
    code, out, err = run(*argv)
    assert (code, out) == (70, "")
    assert one_line(err).startswith("metassay: error: this is a bug in metassay (KeyError: ")
    with pytest.raises(KeyError):
        main([*argv, "--traceback"])
    monkeypatch.setenv("METASSAY_TRACEBACK", "1")
    with pytest.raises(KeyError):
        main(argv)


def test_other_ends(run, scores, monkeypatch):
    argv = ("agree", scores, "--human", "relevance", "-q")
    monkeypatch.setattr("metassay.studies.agree.agree", broken(KeyboardInterrupt()))
    assert run(*argv) == (130, "", "")
    monkeypatch.setattr("metassay.studies.agree.agree", broken(MemoryError()))
    code, _, err = run(*argv)
    assert code == 1
    assert "out of memory" in one_line(err)
    monkeypatch.setattr("metassay.studies.agree.agree", broken(PermissionError(13, "Permission denied", "x.csv")))
    code, _, err = run(*argv)
    assert code == 1
    assert one_line(err) == "metassay: error: x.csv: Permission denied"


def test_warnings_do_not_reach_the_terminal(run, scores, monkeypatch):
    import warnings

    from metassay.studies.agree import agree

    def noisy(*args, **options):
        warnings.warn("a library thinks aloud", stacklevel=1)
        return agree(*args, **options)

    noisy.__name__ = "agree"
    monkeypatch.setattr("metassay.studies.agree.agree", noisy)
    code, _, err = run("agree", scores, "--human", "relevance", "--resamples", "9", "-q")
    assert (code, err) == (0, "")


def test_a_closed_pipe_is_no_error(scores):
    process = subprocess.Popen(
        [sys.executable, "-m", "metassay", "agree", scores, "--human", "relevance", "--resamples", "9"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    err = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(60) == 141
    assert "Traceback" not in err
    assert "BrokenPipe" not in err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
@pytest.mark.parametrize("form", ["table", "json"])
def test_a_full_disk_is_one_line(scores, form):
    options = ("--resamples=9", f"--format={form}")
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "metassay", "agree", scores, "-q", "--human=relevance", *options],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 1
    assert "No space left on device" in one_line(done.stderr.decode())


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_a_closed_stdout_is_one_line(scores):
    line = f"exec {sys.executable} -m metassay agree {scores} --human relevance --resamples 9 -q >&-"
    done = subprocess.run(["sh", "-c", line], stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert "stdout is closed" in one_line(done.stderr.decode())


def test_ctrl_c_is_quiet(scores):
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "metassay",
            "agree",
            scores,
            "--human",
            "relevance",
            "--interval",
            "boot-both",
            "--resamples",
            "10000000",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Tests that run in the background of a shell inherit an ignored Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    first = process.stderr.readline()
    assert first.startswith("read 1 file")
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in err


@pytest.mark.parametrize("argv", [["--help"], ["--version"], ["agree", "--help"], ["compare", "--help"], ["agre"]])
def test_help_and_misuse_load_nothing_heavy(argv):
    code = (
        "import sys; from metassay.cli import main; main(sys.argv[1:]); "
        f"sys.stderr.write(','.join(m for m in {HEAVY!r} if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code, *argv], capture_output=True, text=True, check=True)
    loaded = done.stderr.rpartition("\n")[2]
    assert loaded == ""


def test_version(run):
    assert run("--version") == (0, f"metassay {metassay.__version__}\n", "")


@pytest.mark.parametrize(
    ("argv", "options"),
    [
        (("agree", "x", "-o", "a.json", "--checkpoint", "./a.json"), "-o and --checkpoint"),
        (("agree", "x", "-o", "a.png", "--figure", "a.png"), "-o and --figure"),
        (("agree", "x", "--figure", "a.png", "--checkpoint", "sub/../a.png"), "--figure and --checkpoint"),
        (("simulate", "power", "x", "-o", "a.csv", "--checkpoint", "a.csv"), "-o and --checkpoint"),
        (("score", "x", "--metric", "length", "-o", "a.csv", "--cache", "a.csv"), "-o and --cache"),
        (("translate", "x", "--to", "es", "-o", "a.jsonl", "--back", "link.jsonl"), "-o and --back"),
        (("translate", "x", "--to", "es", "-o", "a.jsonl", "--cache", "a.jsonl"), "-o and --cache"),
    ],
)
def test_no_file_is_written_twice(run, tmp_path, monkeypatch, argv, options):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.jsonl").symlink_to("a.jsonl")
    done = run(*argv)
    assert done.code == 2
    assert f"{options} name the same file" in done.err
    assert done.err.count("\n") <= 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.jsonl", "sub"]


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes stdin")
def test_a_closed_stdin_is_told():
    command = f"{shlex.quote(sys.executable)} -m metassay agree - <&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert one_line(done.stderr) == "metassay: error: stdin is closed; name a file instead of -"


@pytest.mark.parametrize(
    "command", ["agree", "compare", "decisions", "systems", "precision", "simulate size", "report"]
)
def test_scores_at_the_end_of_the_numbers_are_refused(run, tmp_path, command):
    table = tmp_path / "huge.csv"
    rows = "".join(f"s{s},i{i},{s * 1e307},{i * 1e307}\n" for s in range(4) for i in range(6))
    table.write_text("system,input,m,h\n" + rows)
    human = ("--human", "h")
    output = ("-o", tmp_path / "x.html") if command == "report" else ()
    code, out, err = run(*command.split(), table, *human, *output, "-q")
    assert (code, out) == (1, "")
    assert "score of 'm' must lie between -1e+100 and 1e+100, got 1e+307" in one_line(err)
