"""What must end with a process."""

from metassay.core import ending


def test_tasks_are_done_in_order(monkeypatch):
    done = []
    monkeypatch.setattr(ending, "_tasks", [])
    for name in ("first", "second"):
        ending.at_the_end(lambda name=name: done.append(name))
    ending.do_tasks()
    assert done == ["first", "second"]
