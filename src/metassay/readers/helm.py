"""HELM: ``per_instance_stats.json`` of a run, with the model and the scenario in ``run_spec.json`` beside it."""

from __future__ import annotations

import json
from typing import Any

from metassay.core.frames import label, number
from metassay.core.ledger import Ledger, Place
from metassay.readers.source import Source

FORMATS = ("helm",)

_SPEC = "run_spec.json"


def recognise(source: Source) -> str | None:
    """Return the format's name if the content is an array of instances with statistics."""
    document = source.document
    first = document[0] if isinstance(document, list) and document else None
    ours = isinstance(first, dict) and "instance_id" in first and isinstance(first.get("stats"), list)
    return "helm" if ours else None


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write the mean of every statistic into the ledger.

    The system is the model that ``run_spec.json`` names, or the folder. Inputs are ``SCENARIO:INSTANCE``, with the
    trial and the perturbation where there are several.
    """
    ledger.apart = True
    system, scenario = _run(source)
    document: Any = source.whole_document()
    if not isinstance(document, list):
        raise source.wrong("expected an array of instances with stats")
    trials = {row.get("train_trial_index") for row in document if isinstance(row, dict)}
    for at, row in enumerate(document, 1):
        place = Place(source.shown, at)
        if not isinstance(row, dict) or not isinstance(row.get("stats"), list):
            raise source.wrong("the field 'stats' must be a list", at)
        key = scenario + label(row.get("instance_id"), "instance_id", place)
        if len(trials) > 1:
            key += f" (trial {row.get('train_trial_index')})"
        changed = row.get("perturbation")
        if isinstance(changed, dict) and changed.get("name"):
            key += f" ({changed['name']})"
        for stat in row["stats"]:
            about = stat.get("name") if isinstance(stat, dict) else None
            metric = about.get("name") if isinstance(about, dict) else about
            if metric is None or not stat.get("count", 1):
                continue
            ledger.record(
                system, key, label(metric, "name", place), number(stat.get("mean"), str(metric), place), place
            )
    return name


def _run(source: Source) -> tuple[str, str]:
    """Return the model and the scenario of a run."""
    folder = source.path.resolve().parent
    try:
        spec = json.loads((folder / _SPEC).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        spec = {}
    adapter = spec.get("adapter_spec") if isinstance(spec, dict) else None
    model = adapter.get("model") if isinstance(adapter, dict) else None
    name = str(spec.get("name") or "") if isinstance(spec, dict) else ""
    scenario = ",".join(part for part in name.split(",") if not part.startswith("model="))
    return str(model or folder.name or "model"), f"{scenario}:" if scenario else ""
