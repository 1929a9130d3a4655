"""Write constraints.txt: the newest releases that go together now, names and versions only.

Run ``python scripts/make_constraints.py`` with the oldest Python that is supported: newer ones take these releases too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = ".[dev,embeddings,spacy,bench]"
BUILDING = ("hatchling", "editables")
# Later releases of torch bring CUDA along wherever they are had from.
HELD = ("torch==2.13.0",)
HEADER = """\
# The releases that `make` and CI install, on every Python version. Made by scripts/make_constraints.py;
# `make latest` tries newer ones.
"""


def main() -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    free = {name: value for name, value in os.environ.items() if not name.endswith("_CONSTRAINT")}
    done = subprocess.run(
        [*command, EXTRAS, *BUILDING, *HELD], cwd=ROOT, env=free, stdout=subprocess.PIPE, text=True, check=True
    )
    found = {part["metadata"]["name"]: part["metadata"]["version"] for part in json.loads(done.stdout)["install"]}
    del found["metassay"]
    # a local version, as in 2.13.0+cpu, is that of one package index
    lines = [f"{name}=={found[name].partition('+')[0]}\n" for name in sorted(found, key=str.lower)]
    (ROOT / "constraints.txt").write_text(HEADER + "".join(lines), encoding="utf-8")
    print(f"wrote {len(lines)} releases to constraints.txt")


if __name__ == "__main__":
    main()
