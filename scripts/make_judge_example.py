"""Make the example verdicts and votes that ship with the package. All of them are synthetic, texts included.

``judge.csv``: four models answer 150 imaginary questions in four categories. Three people say pass or fail and give a
grade from 1 to 5; Chloe did not get to a tenth of the answers. Two judges do the same:

============  =====================================================================================================
strict-judge  right in about 90% of the answers, but in about 70% of those in the category *maths*
kind-judge    passes nearly all good answers, a third of the bad ones, and long answers more easily than short ones
============  =====================================================================================================

``votes.csv``: the answers of six models to 120 questions, two at a time, by people (who have ties) and by one judge who
was asked in both orders and prefers what it reads first. The models' true strengths are 1.2, .8, .4, 0, -.4 and -.8.

Run ``python scripts/make_judge_example.py [FOLDER]``; the same files come out every time.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np

SEED = 15
TARGET = Path(__file__).resolve().parents[1] / "src" / "metassay" / "data"
MODELS = {"amber": 0.9, "birch": 0.5, "cedar": 0.2, "drift": -0.2}
"""Mean quality of each model's answers; an answer with a quality above 0 is good."""
PEOPLE = {"anna": 0.06, "ben": 0.09, "chloe": 0.12}
"""How often each person errs."""
QUESTIONS, VOTED = 150, 120
STRENGTHS = {"fir": 1.2, "hazel": 0.8, "juniper": 0.4, "larch": 0.0, "maple": -0.4, "oak": -0.8}
SUBJECTS = ("a parcel", "a train ticket", "a garden fence", "a bicycle", "a rented flat", "a school trip")
ASKED = {
    "returns": "How can I send back {}, and what does it cost?",
    "maths": "If {} costs {} and the price falls by {} percent, what is the new price?",
    "summary": "Sum up in two sentences what the customer wrote about {}.",
    "advice": "What should I think of before I decide about {}?",
}
SENTENCES = (
    "This depends on the date of the order.",
    "The number can be found in the second message.",
    "Most people decide within two weeks.",
    "There is no extra charge for that.",
    "A written answer follows by post.",
    "The same holds for earlier orders.",
    "Please keep the receipt until then.",
)


def main(target: Path = TARGET) -> None:
    # The stream of RandomState is frozen by NumPy's own promise, so that every version makes the same file.
    random = np.random.RandomState(SEED)
    for name, rows in (("judge.csv", verdicts(random)), ("votes.csv", votes(random))):
        with (target / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


def verdicts(random: np.random.RandomState) -> Iterator[list[object]]:
    people = [f"{what}_{name}" for what in ("verdict", "grade") for name in PEOPLE]
    judges = [f"{judge}{end}" for judge in ("strict-judge", "kind-judge") for end in ("", "-grade")]
    yield ["model", "question_id", "category", "prompt", "answer", *people, *judges]
    for question in range(QUESTIONS):
        category = list(ASKED)[question % len(ASKED)]
        subject = SUBJECTS[random.randint(len(SUBJECTS))]
        prompt = ASKED[category].format(subject, random.randint(20, 90), 5 * random.randint(1, 9))
        ease = 0.5 * random.standard_normal()
        for model, mean in MODELS.items():
            quality = mean + ease + 0.8 * random.standard_normal()
            length = 1 + random.poisson(2.5)
            answer = " ".join(SENTENCES[k] for k in random.randint(len(SENTENCES), size=length))
            asked = [judged(random, quality, error) for error in PEOPLE.values()]
            if random.random_sample() < 0.1:
                asked[-1] = ("", "")
            strict = judged(random, quality, 0.3 if category == "maths" else 0.03)
            kind = judged(random, quality + (0.9 if random.random_sample() < 0.35 else 0.0) + 0.1 * (length - 3), 0.03)
            row = [verdict for verdict, _ in asked] + [grade for _, grade in asked] + [*strict, *kind]
            yield [model, f"q{question + 1:03}", category, prompt, answer, *row]


def judged(random: np.random.RandomState, quality: float, error: float) -> tuple[str, int]:
    """Return a verdict that is wrong with some probability, and a grade that goes with it."""
    good = (quality > 0) != (random.random_sample() < error)
    grade = 3 + abs(quality) * (1 if good else -1) * 1.2 + 0.4 * random.standard_normal()
    return ("pass" if good else "fail"), int(np.clip(np.rint(grade), 1, 5))


def votes(random: np.random.RandomState) -> Iterator[list[object]]:
    yield ["question_id", "model_a", "model_b", "winner", "rater"]
    pairs = list(combinations(STRENGTHS, 2))
    raters = ["dora", "emil", "farah", "goran"]
    for question in range(VOTED):
        for at in random.choice(len(pairs), size=4, replace=False):
            a, b = pairs[at] if random.random_sample() < 0.5 else pairs[at][::-1]
            gap = STRENGTHS[a] - STRENGTHS[b] + 0.4 * random.standard_normal()
            for rater in random.choice(len(raters), size=2, replace=False):
                shown = gap + random.logistic()
                winner = "tie" if abs(shown) < 0.35 else "model_a" if shown > 0 else "model_b"
                yield [f"q{question + 1:03}", a, b, winner, raters[rater]]
            for first, second, sign in ((a, b, 1), (b, a, -1)):
                winner = "model_a" if sign * gap + 0.6 + random.logistic() > 0 else "model_b"
                yield [f"q{question + 1:03}", first, second, winner, "judge"]


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
