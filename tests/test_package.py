"""What ships: licences, versions, and which warnings count as failures."""

from __future__ import annotations

import re
import tomllib
import warnings
from pathlib import Path

import pytest

import metassay as ma

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DOCUMENT = ROOT / "src" / "metassay" / "report" / "document"


def test_every_licence_in_the_charting_library_is_declared_and_ships():
    text = (DOCUMENT / "charts.LICENSE").read_text(encoding="utf-8")
    parts = dict(re.findall(r"^([\w-]+) \d[\w.]* \(([\w.-]+)\)$", text, re.MULTILINE))
    assert {"vega", "vega-lite", "vega-interpreter", "vega-tooltip", "d3-array", "topojson-client"} <= set(parts)
    assert {"delaunator", "robust-predicates"} <= set(parts), "d3-delaunay holds them"
    declared = PROJECT["license"].split(" AND ")
    assert declared[0] == "Apache-2.0"
    assert set(parts.values()) | {"MIT"} == set(declared[1:]), "two of D3's files hold MIT parts"
    assert (DOCUMENT / "charts.js").read_text(encoding="utf-8").startswith(f"/*\n{text}")
    assert all((ROOT / name).is_file() for name in PROJECT["license-files"])
    assert "src/metassay/report/document/charts.LICENSE" in PROJECT["license-files"]


def test_the_citation_names_this_version():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {ma.__version__}\n" in text


def test_constraints_are_names_and_versions_and_hold_what_is_required():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    held = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in held)
    names = {normal(line.split("==")[0]) for line in held}
    wanted = [
        *PROJECT["dependencies"],
        *(need for extra in PROJECT["optional-dependencies"].values() for need in extra),
    ]
    assert {normal(re.match(r"[\w.-]+", need)[0]) for need in wanted} - {"metassay"} <= names


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("category", [DeprecationWarning, FutureWarning, UserWarning])
def test_a_deprecation_is_a_failure_in_our_own_code_only(category):
    warnings.warn_explicit("someone's plans", category, "theirs.py", 1, module="somebody.else")
    with pytest.raises(category, match="our own"):
        warnings.warn_explicit("our own", category, "ours.py", 1, module="metassay.stats.draws")


def test_arithmetic_that_went_wrong_is_a_failure_wherever_it_is_noticed():
    with pytest.raises(RuntimeWarning, match="empty"):
        warnings.warn_explicit("mean of an empty slice", RuntimeWarning, "numpy.py", 1, module="numpy.methods")
