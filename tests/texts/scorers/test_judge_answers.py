import math

import pytest

from metassay.errors import UsageError
from metassay.texts.scorers.judge_answers import Found, Parser, expectation


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("4", 4),
        ("4.", 4),
        ("Two slips.\nScore: 4", 4),
        ("**Score:** 4", 4),
        ("Score: **4**/5", 4),
        ("Rating = 3.5", 3.5),
        ("4,5", 4.5),
        ("4/5", 4),
        ("4 out of 5", 4),
        ("I rate it 4 on a scale of 1 to 5.", 4),
        ("Score (1-5): 4", 4),
        ("Score: 2, because there are 3 errors", 2),
        ("First I thought score: 2. Final score: 3", 3),
        ("<think>Score: 2</think>Score: 5", 5),
        # no score, or none on this scale
        ("", None),
        ("I cannot judge this.", None),
        ("Score: 7", None),
        ("Score: 0", None),
        ("Score: -3", None),
        ("Score: 4/10", None),
        ("8 out of 10", None),
        ("Score: 1,000", None),
        ("Score: 1.2.3", None),
        ("90%", None),
        ("gpt4", None),
        ("a 3 and then 77", None),
    ],
)
def test_numbers_in_words(answer, expected):
    found = Parser().find(answer, 1, 5)
    assert (found and found.value) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('{"score": 4}', 4),
        ('```json\n{"reason": "as {such}", "score": "3"}\n```', 3),
        ('{"score": 2} no: {"score": 5}', 5),
        ('{"score": null}', None),
        ('{"score": true}', None),
        ('{"score": 9}', None),
        ('{"score": [1]}', None),
        ('{"scores": 3}', None),
        ("Score: 3", None),
        ('{"score": 3', None),
        ("{" * 3000, None),
    ],
)
def test_json(answer, expected):
    found = Parser("json").find(answer, 1, 5)
    assert (found and found.value) == expected


def test_a_pattern():
    parser = Parser("regex", pattern=r"<(\d+)>")
    assert parser.find("<2> and <3>", 1, 5).value == 3
    assert parser.find("2", 1, 5) is None
    assert parser.find("<9>", 1, 5) is None


def test_an_answer_that_was_cut_off():
    parser = Parser()
    # the last number of a sentence that goes on is no score
    assert parser.find("There are 3", 1, 5, cut=True) is None
    assert parser.find("4\n\nThe text", 1, 5, cut=True).value == 4
    assert parser.find("Score: 4 because", 1, 5, cut=True).value == 4
    # on a scale to 10, a 1 at the very end may be the beginning of 10
    assert parser.find("Score: 1", 1, 10, cut=True) is None
    assert parser.find("Score: 1", 1, 10).value == 1


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("score" + " " * 300_000 + "x", None),
        ("1" * 300_000 + "x", None),
        ("1,1" * 100_000, None),
        ("1 " * 200_000 + "3", 3),
        (" / " * 100_000 + "4", 4),
    ],
    ids=["blanks", "digits", "commas", "numbers", "strokes"],
)
def test_a_huge_answer_is_read_to_its_end(answer, expected):
    # patterns without bounds would take hours over these
    found = Parser().find(answer, 1, 5)
    assert (found and found.value) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "xml"}, "unknown parser 'xml'"),
        ({"kind": "regex"}, "needs a pattern"),
        ({"kind": "regex", "pattern": "("}, "is not a regular expression"),
        ({"kind": "regex", "pattern": r"\d"}, "with a group"),
        ({"pattern": "x"}, "pattern goes with parser=regex"),
    ],
)
def test_parsers_are_checked(options, message):
    with pytest.raises(UsageError, match=message):
        Parser(**options)


def tokens(*texts, top):
    return [{"token": t, "logprob": -0.1, "top_logprobs": top if t.strip().isdigit() else []} for t in texts]


def test_the_mean_under_the_probabilities():
    top = [
        {"token": "4", "logprob": math.log(0.5)},
        {"token": " 4", "logprob": math.log(0.1)},
        {"token": "2", "logprob": math.log(0.2)},
        {"token": "9", "logprob": math.log(0.1)},
        {"token": "four", "logprob": math.log(0.1)},
    ]
    answer = "Score: 4"
    found = Parser().find(answer, 1, 5)
    # 4 has 0.6 and 2 has 0.2 of what lies on the scale: (4 · 0.6 + 2 · 0.2) / 0.8
    mean = expectation(found, answer, tokens("Score", ":", " 4", top=top), 1, 5)
    assert mean == pytest.approx(3.5)


@pytest.mark.parametrize("odd", [None, [], "x", [3], [{"token": 3}], [{"token": "Score: 4"}], [{"token": "4"}]])
def test_without_probabilities_there_is_no_mean(odd):
    assert expectation(Found(4.0, 7, "4"), "Score: 4", odd, 1, 5) is None
