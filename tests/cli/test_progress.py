"""Progress where stderr is no terminal."""

from __future__ import annotations

import re

from metassay import engine
from metassay.cli import progress


def test_a_line_now_and_then_tells_how_much_of_the_whole_is_done(monkeypatch, capsys):
    monkeypatch.setattr(progress, "EVERY", 0.0)
    with progress.progress(quiet=False):
        for at in range(2):
            with engine.stage(at, 2, f"part {at}"):
                engine.run(lambda page: page, 4, "pages")
    lines = capsys.readouterr().err.splitlines()
    shares = [int(re.fullmatch(r"part [01]: (\d+)% done, about \d+ (s|min) left", line)[1]) for line in lines]
    assert shares == sorted(shares)
    assert shares[0] < 50 <= shares[-1] < 100
    assert lines[-1].startswith("part 1")


def test_short_work_and_quiet_say_nothing(monkeypatch, capsys):
    with progress.progress(quiet=False):
        engine.run(lambda page: page, 4)
    monkeypatch.setattr(progress, "EVERY", 0.0)
    with progress.progress(quiet=True):
        engine.run(lambda page: page, 4)
    assert capsys.readouterr().err == ""
