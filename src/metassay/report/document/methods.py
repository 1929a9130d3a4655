"""A paragraph for the methods section of a paper, with whom to cite."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from metassay.core.signature import VERSION
from metassay.core.vocabulary import GENERAL_METHODS
from metassay.errors import listed
from metassay.report import names, numbers
from metassay.report.document.study_runs import Dossier
from metassay.report.views.columns import grouped
from metassay.studies.agree import Agreement
from metassay.studies.compare import Comparison
from metassay.studies.method_notes import cited

_WORKS = {
    "pairs": "Daniel Deutsch, Rotem Dror and Dan Roth (2022). Re-Examining System-Level Correlations of Automatic "
    "Summarization Evaluation Metrics. NAACL.",
    "ranks": "Magne Mogstad, Joseph P. Romano, Azeem M. Shaikh and Daniel Wilhelm (2024). Inference for Ranks with "
    "Applications to Mobility across Neighbourhoods and Academic Achievement across Countries. Review of Economic "
    "Studies 91(1).",
    "criteria": "Ori Ernst, Ori Shapira, Ido Dagan and Ran Levy (2023). Re-Examining Summarization Evaluation across "
    "Multiple Quality Criteria. Findings of EMNLP.",
    "decisions": "Karolina Owczarzak, John M. Conroy, Hoa Trang Dang and Ani Nenkova (2012). An Assessment of the "
    "Accuracy of Automatic Evaluation in Summarization. Workshop on Evaluation Metrics and System Comparison for "
    "Automatic Summarization, NAACL.",
    "wilcoxon": "Frank Wilcoxon (1945). Individual Comparisons by Ranking Methods. Biometrics Bulletin 1(6).",
    "difficulty": "William H. Kruskal and W. Allen Wallis (1952). Use of Ranks in One-Criterion Variance Analysis. "
    "JASA 47(260).",
    "tukey": "John W. Tukey (1949). Comparing Individual Means in the Analysis of Variance. Biometrics 5(2).",
    "reliability": "Robert L. Brennan (2001). Generalizability Theory. Springer.",
    "normality": "Samuel S. Shapiro and Martin B. Wilk (1965). An Analysis of Variance Test for Normality. "
    "Biometrika 52.",
}
"""Whom to cite for a study; methods know it themselves."""
_ALSO = {
    "compare": "ranks",
    "leaderboard": "ranks",
    "decisions": "wilcoxon",
    "difficulty": "tukey",
    "precision": "pairs",
}
"""What else a study rests on."""
_AXES = {"both": "systems and inputs", "systems": "systems", "inputs": "inputs"}
_EXCHANGED = {
    "both": "the scores of single outputs",
    "systems": "all scores of a system",
    "inputs": "all scores of an input",
}
_METHODS = {
    "jackknife": "the two-way jackknife (leaving out systems, with the variance that inputs add after Cameron et al., "
    "2011; tests of rank correlations of system means exchange systems between metrics)",
    "fisher": "Fisher's transformation",
    "williams": "Williams' test (Williams, 1959)",
    **{f"boot-{axis}": f"a bootstrap over {words}" for axis, words in _AXES.items()},
    **{f"paired-boot-{axis}": f"a paired bootstrap over {words}" for axis, words in _AXES.items()},
    **{f"perm-{axis}": f"a permutation test that exchanges {words}" for axis, words in _EXCHANGED.items()},
}
_OWN = (*GENERAL_METHODS, "williams")
"""Methods that are not of the paper on resampling."""


def paragraph(dossier: Dossier) -> str:
    """Return what was done, in sentences ready for a paper."""
    n, m = dossier.scores.shape
    what = "judge" if "judge" in dossier.results else "automatic metric"
    systems = f"{numbers.counted(n, 'system')} and " if dossier.scores.has_systems else ""
    sentences = [
        f"We compared {numbers.counted(len(dossier.metrics), what)} with human judgments of "
        f"{listed(dossier.humans, 8)} for {systems}{numbers.counted(m, 'input')}, using metassay {VERSION}."
    ]
    said: dict[str, Callable[[Any], str]] = {
        "agree": _agreement,
        "compare": _comparison,
        "leaderboard": lambda _: (
            "Averages over tasks are compared by tests of all pairs, corrected by Holm's method; possible ranks follow "
            "(Mogstad et al., 2024)."
        ),
        "bias": lambda _: (
            "Biases of metrics were estimated by linear regressions of metric − human score on each feature, with "
            "inputs as fixed effects and errors clustered by input."
        ),
        "criteria": _criteria,
        "pairs": lambda _: (
            "We also report agreement over the pairs of systems with similar metric scores (Deutsch et al., 2022)."
        ),
        "decisions": _decisions,
        "differences": lambda _: (
            "The meaning of score differences is the probability 1/(1 + exp(−β|Δ|)) that people agree, fitted to all "
            "pairs of "
            "systems by maximum likelihood."
        ),
        "stability": _stability,
        "reliability": lambda _: (
            "Variance components of systems, inputs and raters and the reliability of scores follow generalizability "
            "theory (Brennan, 2001)."
        ),
        "difficulty": lambda _: (
            "Differences between inputs were tested by Kruskal and Wallis's and Tukey's tests on ranks."
        ),
        "normality": lambda _: "Normality was tested by Shapiro and Wilk's test.",
    }
    sentences += [tell(dossier.results[name]) for name, tell in said.items() if name in dossier.results]
    return " ".join(sentence for sentence in sentences if sentence)


def _statistics(rows: Sequence[Any]) -> str:
    return listed([names.coefficient(name) for name in names.statistics(rows)], 5)


def _agreement(result: Any) -> str:  # noqa: ANN401 - an Agreement
    rows = cast("Agreement", result).table
    if not rows:
        return ""
    first = rows[0]
    levels = list(grouped(rows, "level"))
    made = _METHODS.get(first.interval, "a jackknife over systems with the variance that inputs add")
    drawn = "" if first.resamples is None else f" with {first.resamples:,} resamples"
    source = "" if first.interval in _OWN else " (Deutsch et al., 2021)"
    return (
        f"Agreement is the {names.measure(rows)} ({_statistics(rows)}) at the {' and '.join(levels)} "
        f"{'level' if len(levels) == 1 else 'levels'}, with {numbers.percent(first.confidence)} intervals by "
        f"{made}{drawn}{source}."
    )


def _comparison(result: Any) -> str:  # noqa: ANN401 - a Comparison
    compared = cast("Comparison", result)
    if not compared.table:
        return ""
    first = compared.table[0]
    two_way = (
        "a permutation test that exchanges all scores of a system and allows for the variance that inputs add (after "
        "Owen, 2007)"
    )
    drawn = "" if first.resamples is None else f", {first.resamples:,} draws"
    correction = names.CORRECTIONS.get(first.correction)
    rows = "for the tests of one metric against all others" if first.scope == "row" else "for all tests of a table"
    corrected = "" if correction is None else f", with {correction} correction {rows}"
    sided = "two-sided" if first.alternative == "two-sided" else "one-sided"
    source = "" if first.test in _OWN else " (Deutsch et al., 2021)"
    return (
        f"Differences between metrics ({_statistics(compared.table)}) were tested {sided} by "
        f"{_METHODS.get(first.test, two_way)}{drawn}{source}, at α = {compared.alpha:g}{corrected}. The ranks that a "
        "metric may have follow from the tests of all pairs, corrected by Holm's method (Mogstad et al., 2024)."
    )


def _criteria(result: Any) -> str:  # noqa: ANN401 - a Confounding
    return (
        "To test whether agreement on one criterion is due to another, we held the other fixed over all outputs "
        f"({_statistics(result.table)}, in buckets and by partial correlation; Ernst et al., 2023), with intervals "
        "by the two-way jackknife."
    )


def _decisions(result: Any) -> str:  # noqa: ANN401 - Decisions
    return (
        "Decisions between two systems by metrics and by people (Owczarzak et al., 2012) rest on two-sided Wilcoxon "
        f"tests at α = {result.table[0].alpha:g}, uncorrected."
    )


def _stability(result: Any) -> str:  # noqa: ANN401 - a Stability
    return (
        f"The stability of rankings is the mean correlation of rankings from {result.table[0].draws:,} pairs of "
        "samples of inputs, drawn with replacement."
    )


def citations(dossier: Dossier) -> tuple[str, ...]:
    """Return the works that the paragraph and the tables rest on."""
    works = cited(["boot-both"])  # that of all resampling, and of what agreement is
    for study, result in dossier.results.items():
        if study in ("agree", "compare"):
            works += cited(grouped(result.table, "test" if study == "compare" else "interval"))
        works += [_WORKS[key] for key in (study, _ALSO.get(study)) if key in _WORKS]
    return tuple(dict.fromkeys(works))
