"""Sessions end, and their files with them."""

from __future__ import annotations

import asyncio
import time

import pytest

from metassay.web.limits import Limits
from metassay.web.sessions import Sessions, safe_name


def test_an_unused_session_is_swept_away_and_a_used_one_stays():
    async def story():
        sessions = Sessions(Limits(lifetime=100))
        old, used, busy = (sessions.begin() for _ in range(3))
        for session in (old, used, busy):
            (session.inbox / "scores.csv").write_text("x")
        busy.job = asyncio.create_task(asyncio.sleep(60))
        later = time.monotonic() + 150
        used.touched = later - 10
        await sessions.sweep(later)
        found = [sessions.find(session.key) is session for session in (old, used, busy)]
        there = [session.folder.exists() for session in (old, used, busy)]
        await sessions.close()
        return found, there, busy.job.cancelled(), sessions.root.exists()

    assert asyncio.run(story()) == ([False, True, True], [False, True, True], True, False)


def test_sweeping_goes_on_by_itself():
    async def story():
        sessions = Sessions(Limits(lifetime=0.02))
        session = sessions.begin()
        task = asyncio.create_task(sessions.sweeping())
        while session.folder.exists():
            await asyncio.sleep(0.01)
        task.cancel()
        await sessions.close()
        return len(sessions)

    assert asyncio.run(asyncio.wait_for(story(), 30)) == 0


def test_addresses_cannot_be_guessed():
    async def story():
        sessions = Sessions(Limits())
        made = [sessions.begin() for _ in range(50)]
        await sessions.close()
        return made

    made = asyncio.run(story())
    assert len({session.key for session in made}) == 50
    assert all(len(session.key) == 32 for session in made)  # 24 random bytes
    assert all(session.key not in str(session.folder) for session in made)


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("scores.csv", "scores.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\scores.csv", "scores.csv"),
        ("..", "file"),
        (".bashrc", "bashrc"),
        ("-rf", "rf"),
        ("a\0b\nc.csv", "a_b_c.csv"),
        ("Bewertungen für Mädchen.csv", "Bewertungen für Mädchen.csv"),
        ("BLEU.seg.score", "BLEU.seg.score"),
        ("x" * 300 + ".csv", "x" * 96 + ".csv"),
    ],
)
def test_names_are_made_safe(name, stored):
    assert safe_name(name, set()) == stored


def test_equal_names_are_told_apart():
    assert safe_name("A.csv", {"a.csv"}) == "2-A.csv"
    assert safe_name("A.csv", {"a.csv", "2-a.csv"}) == "3-A.csv"
    assert len(safe_name("測" * 100, set()).encode()) <= 200
