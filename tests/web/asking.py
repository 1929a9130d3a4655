"""What a browser would do with a server."""

from __future__ import annotations

import re
import time

import numpy as np

ADDRESS = "http://127.0.0.1:8765"


def table(systems=("a", "b", "c", "d"), inputs=8, columns=("people", "overlap", "judge"), seed=0):
    """Return a wide table of scores as CSV."""
    random = np.random.default_rng(seed)
    lines = [",".join(["system", "input", *(f'"{name}"' for name in columns)])]
    for at, system in enumerate(systems):
        for i in range(inputs):
            values = at + random.normal(size=len(columns))
            lines.append(",".join([f'"{system}"', f"text-{i}", *(f"{value:.4f}" for value in values)]))
    return "\n".join(lines).encode()


def settled(client, address, seconds=300):
    """Wait until nothing is at work, and return the stage."""
    end = time.monotonic() + seconds
    while (stage := client.get(f"{address}/state").json()["stage"]) in ("reading", "working"):
        assert time.monotonic() < end, f"still {stage}"
        time.sleep(0.05)
    return stage


def sent(client, *files, **fields):
    """Upload files as a page does, and return the session's address."""
    answer = client.post(
        "/upload",
        files=[("files", file) for file in files],
        data=fields,
        headers={"accept": "application/json", "origin": ADDRESS},
    )
    assert answer.status_code == 200, answer.text
    return answer.json()["address"]


def message(page):
    """Return what a page complains about."""
    return re.search(r'role="alert">(.*?)</p>', page.text, re.DOTALL).group(1)
