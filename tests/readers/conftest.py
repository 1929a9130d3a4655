from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from metassay import Scores

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write a file from text, bytes, or a list of objects as JSON lines."""

    def write(name: str, content: str | bytes | list, *, packed: bool = False) -> Path:
        if isinstance(content, list):
            content = "".join(json.dumps(row) + "\n" for row in content)
        data = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(data) if packed else data)
        return path

    return write


def same(a: Scores, b: Scores) -> bool:
    """Say whether two sets of scores agree in labels, values, kinds, axes, directions and groups."""
    if (a.systems, a.inputs, set(a.columns), dict(a.groups)) != (
        b.systems,
        b.inputs,
        set(b.columns),
        dict(b.groups),
    ):
        return False
    return all(
        one.kind == other.kind
        and one.axes == other.axes
        and one.lower_is_better == other.lower_is_better
        and np.array_equal(one.values, other.values, equal_nan=True)
        for one, other in ((a[name], b[name]) for name in a.columns)
    )
