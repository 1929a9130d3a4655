"""From a result to its chart, and from a chart to a notebook or a file."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metassay.charts import theme
from metassay.core import vocabulary
from metassay.core.files import replacing
from metassay.core.result import Result
from metassay.core.study import Makers
from metassay.errors import DataError, UsageError, one_line

if TYPE_CHECKING:
    from metassay.charts.panels import Multiples

KINDS = Makers("metassay.charts")
"""The kinds of chart that each study has, the default first; a module of the study's name makes them."""
ON_PAGE = {
    "agree": "forest",
    "bias": "effects",
    "compare": "matrix",
    "criteria": "dumbbells",
    "decisions": "bars",
    "difficulty": "intervals",
    "judge": "agreement,slices,threshold",
    "pairs": "curves",
    "plan": "curves",
    "plan-labels": "choices",
    "precision": "intervals",
    "slices": "estimates",
    "stability": "curves",
    "differences": "chance",
    "reliability": "components",
    "rank": "intervals,ranks,matrix",
    "judge-votes": "agreement",
}
"""The kinds of chart that the page shows of a study."""
SUFFIXES = (".png", ".svg", ".pdf", ".json")
NARROWEST, WIDEST = 200, 1000
INSTALL = "pip install 'metassay[figures]'"


@dataclass(frozen=True)
class Chart:
    """A chart: as the last line of a cell, a notebook shows it."""

    spec: dict[str, Any]
    """The Vega-Lite specification, with its data."""
    omitted: str = ""
    """What was left out because a page has no room for it, and how to choose; empty if nothing was."""

    def save(self, path: str | os.PathLike[str], *, dpi: int = 300) -> None:
        """Write the chart to a file that ends in ``.png``, ``.svg``, ``.pdf`` or ``.json``, whole or not at all.

        Parameters
        ----------
        path
            The file.
        dpi
            Pixels per inch in PNG.
        """
        content = self.rendered(check_suffix(path), vocabulary.count("dpi", dpi))
        with replacing(path) as stream:
            stream.write(content)

    def rendered(self, form: str, dpi: int = 300) -> bytes:
        """Return the content of a file of that form: ``json``, ``svg``, ``png`` or ``pdf``."""
        if form == "json":
            return (json.dumps(self.spec, ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode()
        convert = require_converter()
        offline: dict[str, Any] = {"vl_version": "5.21", "allowed_base_urls": []}
        drawing = str(convert.vegalite_to_svg(self.spec, **offline))
        if form == "svg":
            return drawing.encode()
        # a pixel is 1/96 inch, and the converter's is 1/72
        if form == "png":
            return bytes(convert.svg_to_png(drawing, scale=0.75, ppi=dpi))
        smaller = re.sub(r'(width|height)="([\d.]+)"', lambda m: f'{m[1]}="{0.75 * float(m[2]):g}"', drawing, count=2)
        return bytes(convert.svg_to_pdf(smaller))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        del include, exclude
        bundle: dict[str, Any] = {"application/vnd.vegalite.v5+json": self.spec, "text/plain": repr(self)}
        with suppress(UsageError):  # without the converter, notebooks that know Vega-Lite still show it
            bundle["image/svg+xml"] = self.rendered("svg").decode()
        return bundle

    def __repr__(self) -> str:
        return f"Chart({' '.join(self.spec.get('title', {}).get('text', ['untitled']))!r})"


def plot(
    result: Result,
    path: str | os.PathLike[str] | None = None,
    *,
    kind: str | None = None,
    title: str | None = None,
    dpi: int = 300,
    width: str | float | None = None,
    **options: Any,  # noqa: ANN401 - each kind of chart has its own
) -> Chart:
    """Draw a result; also save it to `path` if one is given.

    Parameters
    ----------
    result
        The result of a study that has a chart.
    path
        A file that ends in ``.png``, ``.svg``, ``.pdf`` or ``.json``; it is written whole or not at all.
    kind
        Which chart, for studies that have several.
    title
        A title in place of the chart's own; an empty one for none.
    dpi
        Pixels per inch in PNG.
    width
        ``column`` (240 points) or ``page`` (505) of a paper, or how many points; type has then at least 7 points.
    **options
        What to draw, such as ``metric``, ``human`` or ``level``, each as a comma list, and what the kind takes besides.
    """
    if path is not None:
        check_suffix(path)
    from metassay.charts.panels import Multiples, figure

    made = _maker(result.study, choose_kind(result.study, kind))(result, **options)
    wide = None if width is None else check_width(width) * 4 / 3
    if wide is not None and not isinstance(made, Multiples):
        raise UsageError(f"this figure of {result.study} has one width; choose another kind of figure")
    chart = Chart(*(figure(made, title, wide) if isinstance(made, Multiples) else made(title)))
    if path is not None:
        chart.save(path, dpi=dpi)
    return chart


def interactive(result: Result, kinds: str | None = None) -> dict[str, Multiples]:
    """Return what the page shows of a result, by kind, or other kinds of it; nothing if its table says it better."""
    from metassay.charts.panels import readable

    made = {}
    for kind in filter(None, (kinds or ON_PAGE.get(result.study, "")).split(",")):
        with suppress(DataError):  # there is nothing to draw, and the table says why
            made[kind] = readable(_maker(result.study, kind)(result))
    return {kind: chart for kind, chart in made.items() if chart.rows}


def _maker(study: str, kind: str) -> Callable[..., Any]:
    maker: Callable[..., Any] = getattr(import_module(f"metassay.charts.{study.replace('-', '_')}"), kind)
    return maker


def choose_kind(study: str, kind: str | None) -> str:
    """Return the kind of chart that is asked for, or the study's first, or say which there are."""
    if study not in KINDS:
        raise UsageError(f"{study} has no figure; studies that have one: {', '.join(KINDS)}")
    return KINDS[study][0] if kind is None else vocabulary.choice("kind of figure", kind, KINDS[study])


def check_width(width: str | float) -> float:
    """Return the points that a width stands for."""
    with suppress(ValueError):
        points = theme.WIDTHS.get(str(width)) or float(width)
        if NARROWEST <= points <= WIDEST:
            return points
    raise UsageError(
        f"the width of a figure is {', '.join(theme.WIDTHS)} or a number of points from {NARROWEST} to {WIDEST}, "
        f"got {one_line(width)!r}"
    )


def check_suffix(path: str | os.PathLike[str]) -> str:
    """Return the format that a file's name stands for."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(
            f"cannot tell the kind of figure file from {one_line(path)!r}; end the name in one of {', '.join(SUFFIXES)}"
        )
    return suffix[1:]


def require_converter() -> Any:  # noqa: ANN401 - a package that may be absent
    """Return the converter, or say how to install it."""
    try:
        return import_module("vl_convert")
    except ImportError:
        raise UsageError(
            f"figures need vl-convert-python, which is not installed; install it with: {INSTALL}"
        ) from None
