"""Draw the pictures that README and docs show, from the synthetic example data."""

from __future__ import annotations

from pathlib import Path

import metassay as ma

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    scores = ma.example()
    ma.agree(scores, human="relevance").plot(FOLDER / "agree.png", dpi=200)
    ma.compare(scores, human="relevance", level="system").plot(FOLDER / "compare.png", dpi=200)
    for path in sorted(FOLDER.glob("*.png")):
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
