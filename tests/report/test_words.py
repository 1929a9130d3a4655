import dataclasses

import metassay as ma
from metassay.report.words import answers, by_setting

from .conftest import NAN, comparison


def test_a_significant_difference():
    ((_, sentences),) = by_setting(comparison({"a": 0.5, "b": 0.4}))
    assert sentences == [
        "a agrees best with people on relevance at the system level (Kendall 0.500).",
        "The difference to the second, b (0.400), is statistically significant "
        "(perm-both test, p = .001, also after Bonferroni correction).",
    ]


def test_ties_are_named_as_ties():
    ((_, sentences),) = by_setting(comparison({"a": 0.5, "b": 0.5, "c": 0.3}, p={("a", "b"): NAN}))
    assert sentences[0] == "2 metrics tie as the best on relevance at the system level (Kendall 0.500): a, b."


def test_a_difference_that_is_not_significant():
    ((_, (_, sentence, *_)),) = by_setting(comparison({"a": 0.5, "b": 0.4}, p={("a", "b"): 0.2}))
    assert "is not statistically significant (perm-both test, p = .200)." in sentence


def test_a_difference_that_does_not_survive_correction():
    ((_, (_, sentence, *_)),) = by_setting(comparison({"a": 0.5, "b": 0.4, "c": 0.3}, p={("a", "b"): 0.04}))
    said = "is not statistically significant after Bonferroni correction (perm-both test, p = .040 before); with these"
    assert said in sentence


def test_the_alternative_less_is_read_the_right_way_round():
    p = {("b", "a"): 0.0001, ("a", "b"): 1}
    ((_, (_, sentence, *_)),) = by_setting(comparison({"a": 0.5, "b": 0.4}, p=p, alternative="less"))
    assert "is statistically significant (perm-both test, p < .001" in sentence


def test_undefined_numbers_are_said_to_be_so():
    assert "undefined for every metric" in next(by_setting(comparison({"a": NAN, "b": NAN})))[1][0]
    assert next(by_setting(comparison({"a": 0.5, "b": NAN})))[1][-1].endswith("(Kendall 0.500).")
    assert "cannot be tested" in next(by_setting(comparison({"a": 0.5, "b": 0.4}, p={("a", "b"): NAN})))[1][1]
    result = comparison({"a": 0.5, "b": 0.4})
    assert "not tested against the second" in next(by_setting(dataclasses.replace(result, table=())))[1][1]


def test_a_best_metric_that_does_not_agree_is_not_called_best():
    ((_, (sentence,)),) = by_setting(comparison({"a": -0.1, "b": -0.2}))
    assert sentence == (
        "No metric agrees with people on relevance at the system level: "
        "the highest correlation is that of a, Kendall -0.100."
    )


def test_decisions_tell_the_confidence_that_was_asked_for():
    result = ma.decisions(ma.example(), human="relevance", metric="synthetic-judge", resamples=100, confidence=0.9)
    assert " (90% CI " in answers(result)[0].text


def test_an_interval_that_includes_0_is_not_called_agreement():
    scores = ma.example()
    alone = answers(ma.agree(scores, human="relevance", metric="synthetic-length", level="system"))[0].text
    assert "synthetic-length does not agree significantly with people on relevance" in alone
    two = answers(ma.agree(scores, human="relevance", metric="synthetic-length,synthetic-noise", level="system"))[
        0
    ].text
    assert two.endswith("], which includes 0.")
