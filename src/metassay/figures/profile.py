"""What all scores say together of the systems: a biplot of two principal components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from matplotlib.lines import Line2D
from matplotlib.patches import Circle
from matplotlib.patheffects import withStroke

from metassay.errors import DataError, UsageError
from metassay.figures.sheet import (
    BLACK,
    COLUMN,
    GREY,
    GROUPS,
    LINE,
    PALE,
    SIZE,
    SMALL,
    fitted,
    lay_out,
    legend_below,
    plain,
    widest,
    width_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from metassay.studies.profile import Profile

LONGEST_LABEL = 1.3
"""Inches that the name of a metric may take."""
LEADER = 0.22
"""Inches between the panel and the names beside it, for the lines that lead there."""
REACH = 1.12
"""How far the panel reaches on the scale of correlations: the circle stands at 1."""
HIGH = 0.085
"""Height of a small letter in inches."""
TINY = 5.0
"""Points of the names of systems."""

Point = tuple[float, float]


class _Box(NamedTuple):
    """A rectangle in inches."""

    left: float
    low: float
    right: float
    high: float

    def overlaps(self, other: _Box) -> bool:
        return self.left < other.right and other.left < self.right and self.low < other.high and other.low < self.high


def biplot(result: Profile, *, components: tuple[int, int] = (1, 2)) -> Figure:
    """Draw systems as points and columns as arrows on two components.

    An arrow ends at the correlations of its column with the two components; the circle is a correlation of 1. Names
    of columns stand at the sides, tied to their arrows. Systems are named where there is room.

    Parameters
    ----------
    result
        What ``profile`` found.
    components
        The two components, from 1.
    """
    across, up = components
    found = {row.component for row in result.table if row.kind == "loading"}
    if across == up or not {across, up} <= found:
        known = ", ".join(str(c) for c in sorted(c for c in found if c is not None))
        if len(found) < 2:
            raise DataError(f"a biplot needs two components with loadings, this result has {len(found)}")
        raise UsageError(f"components must be two different ones of {known}, got {across} and {up}")
    arrows = _points(result, "loading", across, up)
    systems = _points(result, "system", across, up)
    shares = {row.component: row.value for row in result.table if row.kind == "component"}
    groups = {row.name: row.group for row in result.table if row.kind == "system"}

    sides: tuple[list[str], list[str]] = ([], [])
    for name, (x, _) in arrows.items():
        sides[x >= 0].append(name)
    labels = {name: fitted(name, LONGEST_LABEL) for name in arrows}
    left, right = (widest(labels[n] for n in side) + LEADER + 0.06 if side else 0.12 for side in sides)
    y_axis = 0.26  # the numbers of the axis stand between the panel and the names; lines pass behind them
    height = max(2.3, max(len(side) for side in sides) * LINE)
    width = max(COLUMN - left - right - y_axis, 2.3, 0.65 * height)
    handles = _legend(result, groups)
    below = 0.36 + (0.14 * len(handles) + 0.04 if handles else 0)
    sheet = lay_out(1, 1, (width, height), margins=(left + y_axis, right, 0.2, below))
    axes = sheet.panels[0]
    _frame(axes, systems, (across, up), shares)
    _arrows(sheet.figure, axes, arrows, labels, sides, (width, height), y_axis, set(result.humans))
    _systems(axes, systems, groups, (width, height))
    if handles:
        legend_below(sheet.figure, handles, x=0.06)
    return sheet.figure


def _points(result: Profile, kind: str, across: int, up: int) -> dict[str, Point]:
    found = {(row.name, row.component): row.value for row in result.table if row.kind == kind}
    names = dict.fromkeys(row.name for row in result.table if row.kind == kind)
    return {name: (found[name, across], found[name, up]) for name in names}


def _frame(axes: Axes, systems: dict[str, Point], pair: tuple[int, int], shares: dict[int | None, float]) -> None:
    """Scale each axis so that its zero is in the middle, and name it."""
    reach = [max((abs(point[k]) for point in systems.values()), default=1.0) * 1.12 or 1.0 for k in (0, 1)]
    axes.set_xlim(-reach[0], reach[0])
    axes.set_ylim(-reach[1], reach[1])
    names = [f"PC{c} ({100 * shares[c]:.0f}% of variance)" for c in pair]
    axes.set_xlabel(names[0], fontsize=SIZE, labelpad=2)
    axes.set_title(names[1], fontsize=SIZE, loc="left", pad=3)
    axes.locator_params(nbins=5)
    for number in axes.get_yticklabels():
        number.set_bbox({"facecolor": "white", "linewidth": 0, "pad": 0.6})
    axes.axhline(0, color=PALE, linewidth=0.6, zorder=0)
    axes.axvline(0, color=PALE, linewidth=0.6, zorder=0)


def _arrows(
    figure: Figure,
    axes: Axes,
    arrows: dict[str, Point],
    labels: dict[str, str],
    sides: tuple[list[str], list[str]],
    size: tuple[float, float],
    y_axis: float,
    humans: set[str],
) -> None:
    """Draw the columns on a scale of their own, in inches from the middle, and name them at the sides."""
    width, height = size
    scale = min(size) / 2 / REACH
    overlay = figure.add_axes(axes.get_position().bounds, frameon=False)
    overlay.set(xlim=(-width / 2, width / 2), ylim=(-height / 2, height / 2), xticks=[], yticks=[])
    overlay.patch.set_alpha(0)
    axes.set_zorder(overlay.get_zorder() + 1)  # systems stand on top of arrows
    axes.patch.set_alpha(0)
    overlay.add_patch(Circle((0, 0), scale, fill=False, edgecolor=GREY, linewidth=0.5, linestyle=(0, (3, 2))))
    for name, (x, y) in arrows.items():
        human = name in humans
        overlay.annotate(
            "",
            (x * scale, y * scale),
            (0, 0),
            arrowprops={
                "arrowstyle": "-|>,head_length=0.25,head_width=0.12",
                "color": BLACK if human else GREY,
                "linewidth": 1.0 if human else 0.6,
                "shrinkA": 0,
                "shrinkB": 0,
            },
        )
    for side, at in ((sides[0], -1), (sides[1], 1)):
        # a name stands where its arrow would leave the panel, so that lines to the names fan out like the arrows
        limit = height / 2 - LINE / 2
        leaving = {n: arrows[n][1] / max(abs(arrows[n][0]), 1e-9) * width / 2 for n in side}
        ordered = sorted(side, key=leaving.__getitem__)
        places = _spread([min(max(leaving[n], -limit), limit) for n in ordered], LINE, limit)
        edge = at * (width / 2 + (y_axis if at < 0 else 0) + LEADER - 0.04)
        for name, place in zip(ordered, places, strict=True):
            tip = arrows[name][0] * scale, arrows[name][1] * scale
            overlay.plot(
                [tip[0], at * (width / 2 - 0.02), edge],
                [tip[1], place, place],
                color=GREY,
                linewidth=0.3,
                clip_on=False,
                zorder=0.5,
            )
            overlay.text(
                edge + at * 0.03,
                place,
                labels[name],
                fontsize=SMALL,
                ha="left" if at > 0 else "right",
                va="center",
                color=BLACK,
                weight="normal",
                style="italic" if name in humans else "normal",
                clip_on=False,
            )


def _spread(values: Sequence[float], gap: float, limit: float) -> list[float]:
    """Return places near ascending values that are at least `gap` apart and stay within ±limit."""
    places: list[float] = []
    for value in values:
        lowest = places[-1] + gap if places else -limit
        places.append(max(value, lowest))
    top = limit
    for at in range(len(places) - 1, -1, -1):
        places[at] = min(places[at], top)
        top = places[at] - gap
    return places


def _systems(axes: Axes, systems: dict[str, Point], groups: dict[str, str | None], size: tuple[float, float]) -> None:
    """Draw the systems, and name those that can be named without touching another name or point."""
    looks = _looks(groups)
    (x_low, x_high), (y_low, y_high) = axes.get_xlim(), axes.get_ylim()
    inches = {
        name: ((x - x_low) / (x_high - x_low) * size[0], (y - y_low) / (y_high - y_low) * size[1])
        for name, (x, y) in systems.items()
    }
    for name, (x, y) in systems.items():
        colour, marker = looks[groups.get(name)]
        axes.plot([x], [y], marker=marker, color=colour, markersize=3.2, markeredgecolor="white", markeredgewidth=0.4)
    half = 0.028
    taken = [_Box(x - half, y - half, x + half, y + half) for x, y in inches.values()]
    edge = _Box(0, 0, *size)
    for name, (x, y) in inches.items():
        text = fitted(name, 0.8, TINY)
        wide, high = width_of(text, TINY) + 0.015, HIGH * TINY / SMALL
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)):
            left = x + dx * (half + 0.01) - (0 if dx > 0 else wide if dx < 0 else wide / 2)
            low = y + dy * (half + 0.005) - (0 if dy > 0 else high if dy < 0 else high / 2)
            box = _Box(left, low, left + wide, low + high)
            inside = box.left > edge.left and box.right < edge.right and box.low > edge.low and box.high < edge.high
            if inside and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                axes.text(
                    box.left / size[0],
                    (box.low + high / 2) / size[1],
                    text,
                    transform=axes.transAxes,
                    fontsize=TINY,
                    va="center",
                    color=looks[groups.get(name)][0],
                    path_effects=[withStroke(linewidth=1.0, foreground="white")],
                )
                break


def _looks(groups: dict[str, str | None]) -> dict[str | None, tuple[str, str]]:
    """Return colour and marker of each group; those without a group get a look of their own, black if all do."""
    named = [g for g in dict.fromkeys(groups.values()) if g is not None]
    looks: dict[str | None, tuple[str, str]] = {g: GROUPS[at % len(GROUPS)] for at, g in enumerate(named)}
    looks[None] = (BLACK, "x") if named else GROUPS[0]
    return looks


def _legend(result: Profile, groups: dict[str, str | None]) -> list[Line2D]:
    handles = []
    looks = _looks(groups)
    if len(set(groups.values())) > 1:
        for group in dict.fromkeys(groups.values()):
            colour, marker = looks[group]
            n = sum(g == group for g in groups.values())
            label = f"{plain(group or 'no group', 40)} ({n} systems)"
            handles.append(Line2D([], [], color=colour, marker=marker, markersize=3.2, linestyle="", label=label))
    if result.humans:
        handles.append(Line2D([], [], color=BLACK, linewidth=1.0, label="human criterion (in italics)"))
        handles.append(Line2D([], [], color=GREY, linewidth=0.6, label="metric"))
    return handles
