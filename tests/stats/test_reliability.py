from __future__ import annotations

import math

import numpy as np
import pytest

from metassay.stats.reliability import krippendorff, spearman_brown, split_annotators, split_cells, split_inputs

NO = np.nan

# Krippendorff (2011), "Computing Krippendorff's alpha-reliability", data of part D: four observers, twelve units.
FOUR_OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NO, NO, NO],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NO, 3],
        [NO, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NO],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NO],
    ]
)

# The worked example of the encyclopedia's article on α: three coders, fifteen units, of which some have one value.
THREE_CODERS = np.array(
    [
        [NO, NO, NO, NO, NO, 3, 4, 1, 2, 1, 1, 3, 3, NO, 3],
        [1, NO, 2, 1, 3, 3, 4, 3, NO, NO, NO, NO, NO, NO, NO],
        [NO, NO, 2, 1, 3, 4, 4, NO, 2, 1, 1, 3, 3, NO, 4],
    ]
)


@pytest.mark.parametrize(
    ("ratings", "scale", "published"),
    [
        (FOUR_OBSERVERS, "ordinal", 0.815),
        (FOUR_OBSERVERS, "interval", 0.849),
        (THREE_CODERS, "interval", 0.811),
    ],
)
def test_alpha_of_published_examples(ratings, scale, published):
    assert krippendorff(ratings, scale)[0] == pytest.approx(published, abs=5e-4)


def test_alpha_by_hand():
    # Pooled values 1 1 2 2 3 3 4 3: n = 8, sum 19, squares 53. One unit differs by 1, in both orders: 2 / (2 - 1) = 2.
    # All ordered pairs: 2 (8·53 - 19²) = 126. α = 1 - (2/8) / (126 / (8·7)) = 1 - 1/9.
    assert krippendorff(np.array([[1.0, 2, 3, 4], [1, 2, 3, 3]]), "interval")[0] == pytest.approx(8 / 9)


def literal_alpha(ratings: np.ndarray, scale: str) -> float:
    """The definition, with a matrix of coincidences."""
    units = [u[~np.isnan(u)] for u in ratings.T]
    units = [u for u in units if len(u) >= 2]
    grades = np.unique(np.concatenate(units))
    o = np.zeros((len(grades), len(grades)))
    for u in units:
        for i in range(len(u)):
            for j in range(len(u)):
                if i != j:
                    o[np.searchsorted(grades, u[i]), np.searchsorted(grades, u[j])] += 1 / (len(u) - 1)
    n = o.sum(axis=1)
    observed = expected = 0.0
    for c in range(len(grades)):
        for k in range(len(grades)):
            if scale == "interval":
                apart = (grades[c] - grades[k]) ** 2
            else:
                low, high = sorted((c, k))
                apart = (n[low : high + 1].sum() - (n[c] + n[k]) / 2) ** 2
            observed += o[c, k] * apart
            expected += n[c] * n[k] * apart
    return 1 - (n.sum() - 1) * observed / expected


@pytest.mark.parametrize("scale", ["ordinal", "interval"])
@pytest.mark.parametrize("seed", range(4))
def test_alpha_is_the_definition(scale, seed):
    random = np.random.default_rng(seed)
    ratings = random.integers(1, 6, (4, 30)) + 0.0
    ratings[random.random(ratings.shape) < 0.4] = np.nan
    assert krippendorff(ratings, scale)[0] == pytest.approx(literal_alpha(ratings, scale), abs=1e-12)


def test_alpha_of_drawn_inputs_is_alpha_of_repeated_inputs():
    random = np.random.default_rng(5)
    ratings = random.integers(1, 6, (3, 4, 5)) + 0.0
    weights = np.array([[2.0], [0], [1], [1], [1]])
    repeated = ratings[:, :, [0, 0, 2, 3, 4]]
    assert krippendorff(ratings, "interval", weights)[0] == pytest.approx(krippendorff(repeated, "interval")[0])


@pytest.mark.parametrize("ratings", [np.full((2, 5), 3.0), np.full((2, 5), np.nan), np.array([[1.0, NO], [NO, 2.0]])])
def test_alpha_is_undefined_where_nothing_varies_or_nothing_is_shared(ratings):
    assert math.isnan(krippendorff(ratings, "ordinal")[0])


def test_spearman_brown_by_hand():
    assert spearman_brown(0.9, 3) == pytest.approx(2.7 / 2.8)
    assert spearman_brown(spearman_brown(0.6, 4), 0.25) == pytest.approx(0.6)
    assert math.isnan(spearman_brown(-1.0, 2))


def panel(random, systems, inputs, annotators, *, liking=0.0, cell=0.0, noise=0.0):
    """Quality of systems 1; SDs of annotators' likings for systems, of the quality of cells, and of noise."""
    quality = random.normal(size=(1, systems, 1)) + cell * random.normal(size=(1, systems, inputs))
    likings = liking * random.normal(size=(annotators, systems, 1))
    return quality + likings + noise * random.normal(size=(annotators, systems, inputs))


def test_reliability_of_a_known_world():
    random = np.random.default_rng(0)
    ratings = panel(random, 600, 20, 4, liking=0.5, noise=2.0)
    # One annotator: likings .25, noise 4/20 = .2. Halves of two: 1 / (1 + .45/2) = .816; four: 1 / (1 + .45/4) = .899.
    found = split_annotators(ratings, random, 0.95)
    assert found.half == pytest.approx(1 / 1.225, abs=0.03)
    assert found.whole == pytest.approx(1 / 1.1125, abs=0.02)
    assert found.low < 1 / 1.1125 < found.high
    # Single cells: 1 / (1 + (.25 + 4)/4).
    draws = random.multinomial(20, [1 / 20] * 20, 50).T.astype(float)
    cells = split_cells(ratings, random, draws, 0.95)
    assert cells.whole == pytest.approx(1 / (1 + 4.25 / 4), abs=0.03)
    assert cells.low <= cells.whole <= cells.high
    # Over inputs, likings of the panel's mean are part of what is reliable: 1.0625 / (1.0625 + (4/4)/20).
    assert split_inputs(ratings.mean(axis=0), random, 0.95).whole == pytest.approx(1.0625 / 1.1125, abs=0.02)


def test_splits_of_three_annotators_by_hand():
    # Pairs of single annotators: the first two agree fully, the third is turned around: mean (1 - 1 - 1)/3 = -1/3.
    up = np.arange(5.0)[:, None] * np.ones(2)
    found = split_annotators(np.stack([up, up, -up]), np.random.default_rng(0), 0.95)
    assert found.half == pytest.approx(-1 / 3)
    assert found.whole == pytest.approx(3 * (-1 / 3) / (1 - 2 / 3))
    assert found.low == 0
