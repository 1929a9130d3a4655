"""Sessions end, and their files with them."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time

import pytest

from metassay.web.limits import Limits
from metassay.web.sessions import UNREADABLE, Sessions, safe_name
from metassay.web.worker import Busy


def test_an_unused_session_is_swept_away_and_a_used_one_stays():
    async def story():
        sessions = Sessions(Limits(lifetime=100))
        old, used, busy = [await sessions.begin() for _ in range(3)]
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
        session = await sessions.begin()
        task = asyncio.create_task(sessions.sweeping())
        while session.folder.exists():
            await asyncio.sleep(0.01)
        task.cancel()
        await sessions.close()
        return len(sessions)

    assert asyncio.run(asyncio.wait_for(story(), 120)) == 0


def test_addresses_cannot_be_guessed():
    async def story():
        sessions = Sessions(Limits())
        made = [await sessions.begin() for _ in range(50)]
        await sessions.close()
        return made

    made = asyncio.run(story())
    assert len({session.key for session in made}) == 50
    assert all(len(session.key) == 32 for session in made)  # 24 random bytes
    assert all(session.key not in str(session.folder) for session in made)


def test_sessions_that_could_not_be_read_go_first_and_soon():
    async def story():
        sessions = Sessions(Limits(sessions=3, lifetime=3600))
        good, bad, worse = [await sessions.begin("here") for _ in range(3)]
        bad.stage = worse.stage = "unreadable"
        good.touched -= 50
        await sessions.sweep(time.monotonic() + UNREADABLE - 1)
        assert len(sessions) == 3
        await sessions.begin("here")  # makes room
        assert [sessions.find(s.key) is s for s in (good, bad, worse)] == [True, False, True]
        await sessions.sweep(time.monotonic() + UNREADABLE + 1)
        found = [sessions.find(s.key) is s for s in (good, bad, worse)]
        await sessions.close()
        return found

    assert asyncio.run(story()) == [True, False, False]


def test_nobody_holds_all_sessions():
    async def story():
        sessions = Sessions(Limits(sessions=6))
        greedy = [await sessions.begin("greedy") for _ in range(6)]
        with pytest.raises(Busy, match="too many people are using this server"):
            await sessions.begin("greedy")
        greedy[0].job = asyncio.create_task(asyncio.sleep(60))  # work is not called off
        for _ in range(3):
            await sessions.begin("other")
        left = [sessions.find(session.key) is session for session in greedy]
        with pytest.raises(Busy):
            await sessions.begin("other")
        await sessions.close()
        return left

    assert asyncio.run(story()) == [True, False, False, False, True, True]


@pytest.mark.skipif(sys.platform == "win32", reason="locks")
def test_what_a_dead_server_left_is_swept_and_a_living_one_keeps_its_files(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead = tmp_path / "metassay-serve-dead"
    (dead / "ab12" / "files").mkdir(parents=True)
    (dead / "ab12" / "files" / "scores.csv").write_text("secret")
    precious = tmp_path / "precious"
    precious.mkdir()
    (tmp_path / "metassay-serve-link").symlink_to(precious)
    (tmp_path / "metassay-serve-file").write_text("no folder")

    async def story():
        living = Sessions(Limits())
        session = await living.begin()
        second = Sessions(Limits())
        assert session.inbox.exists()
        await second.close()
        await living.close()

    asyncio.run(story())
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "metassay-serve-file",
        "metassay-serve-link",
        "precious",
    ]


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
