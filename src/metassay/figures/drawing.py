"""From a result to its figure, and from a figure to a file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metassay.core import vocabulary
from metassay.core.files import replacing
from metassay.core.result import Result
from metassay.errors import UnknownName, UsageError, listed, one_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES: dict[str, tuple[str, ...]] = {
    "agree": ("forest", "violins"),
    "compare": ("matrix",),
    "decisions": ("bars",),
    "difficulty": ("intervals", "map"),
    "normality": ("bars",),
    "pairs": ("curves", "chance", "triangle"),
    "precision": ("intervals",),
    "profile": ("biplot",),
    "stability": ("curves",),
    "systems": ("bars", "matrix"),
    "widths": ("intervals",),
    "criteria": ("map", "dumbbells", "criteria"),
    "downgrade": ("noticed", "sensitivity"),
    "survive": ("matrix", "agreement", "across", "sensitivity", "margins", "dominance", "components"),
    "simulate-coverage": ("bars",),
    "simulate-power": ("curves",),
    "simulate-size": ("bars", "map"),
    "plan": ("curves",),
}
"""The kinds of figure that each study has, the default first; a module of the study's name draws them."""
SUFFIXES = (".png", ".svg", ".pdf")
INSTALL = "pip install 'metassay[figures]'"

_SETTINGS: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # it comes with matplotlib, so a figure looks the same everywhere
    "text.usetex": False,
    "axes.unicode_minus": True,
    "hatch.linewidth": 0.4,
    "pdf.fonttype": 42,  # letters stay letters, as publishers want them
    "svg.hashsalt": "metassay",
    "savefig.bbox": None,
}

_LOOKS = (
    *("axes.", "figure.", "font.", "grid.", "hatch.", "image.", "legend.", "lines.", "mathtext.", "patch.", "path."),
    *("pdf.", "savefig.", "svg.", "text.", "xaxis.", "xtick.", "yaxis.", "ytick."),
)
"""What of the settings is about looks, and put back to matplotlib's own for the time of drawing."""


def plot(
    result: Result,
    path: str | os.PathLike[str] | None = None,
    *,
    kind: str | None = None,
    dpi: int = 300,
    **options: Any,  # noqa: ANN401 - each kind of figure has its own
) -> Figure:
    """Draw a result; also save it to `path` if one is given.

    Parameters
    ----------
    result
        The result of a study that has a figure.
    path
        A file that ends in ``.png``, ``.svg`` or ``.pdf``; it is written whole or not at all.
    kind
        Which figure, for studies that have several.
    dpi
        Pixels per inch in PNG.
    **options
        What the kind of figure takes, such as ``metric`` or ``human``.
    """
    if path is not None:
        check_suffix(path)
    chosen = choose_kind(result.study, kind)
    require_matplotlib()
    draw: Callable[..., Figure] = getattr(import_module(f"metassay.figures.{result.study.replace('-', '_')}"), chosen)
    with _own_settings():
        figure = draw(result, **options)
        if path is not None:
            _save(figure, path, dpi)
    return figure


def choose_kind(study: str, kind: str | None) -> str:
    """Return the kind of figure that is asked for, or the study's first, or say which there are."""
    if study not in FIGURES:
        raise UsageError(f"{study} has no figure; studies that have one: {', '.join(FIGURES)}")
    return FIGURES[study][0] if kind is None else vocabulary.choice("kind of figure", kind, FIGURES[study])


def check_suffix(path: str | os.PathLike[str]) -> str:
    """Return the format that a file's name stands for."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(
            f"cannot tell the kind of figure file from {one_line(path)!r}; end the name in one of {', '.join(SUFFIXES)}"
        )
    return suffix[1:]


def require_matplotlib() -> None:
    """Say how to install matplotlib if it is not there."""
    try:
        import_module("matplotlib")
    except ImportError:
        raise UsageError(f"figures need matplotlib, which is not installed; install it with: {INSTALL}") from None


def chosen(what: str, wanted: str | None, known: list[str], most: int, panels_each: int = 1) -> list[str]:
    """Return the one that is wanted, or all if they fit on one figure.

    Parameters
    ----------
    what
        What they are: the option's name.
    wanted
        The option's value.
    known
        What the result has.
    most
        How many panels a figure may have.
    panels_each
        How many panels each one takes.
    """
    if wanted is not None:
        names = [n for n in known if n == wanted] or list(vocabulary.names(wanted))
        for name in names:
            if name not in known:
                raise UnknownName(what, name, known)
        known = names
    if len(known) * panels_each > most:
        raise UsageError(
            f"{len(known) * panels_each} panels do not fit one figure, {most} do; choose with --{what} or {what}=…: "
            f"{listed(known)}"
        )
    return known


def _save(figure: Figure, path: str | os.PathLike[str], dpi: int) -> None:
    form = check_suffix(path)
    # without dates and versions the same result gives the same bytes
    metadata = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[form]
    with replacing(path) as stream:
        figure.savefig(stream, format=form, dpi=dpi, metadata=metadata)


@contextmanager
def _own_settings() -> Iterator[None]:
    """Draw by our own settings, whatever the user's are, and give those back."""
    import matplotlib as mpl

    looks: dict[Any, Any] = {key: mpl.rcParamsDefault[key] for key in mpl.rcParamsDefault if key.startswith(_LOOKS)}
    with warnings.catch_warnings(), mpl.rc_context(looks | _SETTINGS):
        warnings.simplefilter("ignore")  # about letters that the font lacks: a box stands for them
        yield
