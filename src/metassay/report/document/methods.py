"""A paragraph for the methods section of a paper, with whom to cite."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from metassay.core.signature import VERSION
from metassay.errors import listed
from metassay.report import names, numbers
from metassay.report.document.study_runs import Dossier

if TYPE_CHECKING:
    from metassay.studies.agree import Agreement
    from metassay.studies.compare import Comparison

_RESAMPLING = (
    "Daniel Deutsch, Rotem Dror and Dan Roth (2021). A Statistical Analysis of Summarization Evaluation Metrics Using "
    "Resampling Methods. TACL 9."
)
_SYSTEM_LEVEL = (
    "Daniel Deutsch, Rotem Dror and Dan Roth (2022). Re-Examining System-Level Correlations of Automatic Summarization "
    "Evaluation Metrics. NAACL."
)
_WILLIAMS = "Evan J. Williams (1959). Regression Analysis. Wiley."
_WILCOXON = "Frank Wilcoxon (1945). Individual Comparisons by Ranking Methods. Biometrics Bulletin 1(6)."
_TUKEY = "John W. Tukey (1949). Comparing Individual Means in the Analysis of Variance. Biometrics 5(2)."

_OWEN = "Art B. Owen (2007). The Pigeonhole Bootstrap. Annals of Applied Statistics 1(2)."
_ERNST = (
    "Ori Ernst, Ori Shapira, Ido Dagan and Ran Levy (2023). Re-Examining Summarization Evaluation across Multiple "
    "Quality Criteria. Findings of EMNLP."
)
_OWCZARZAK = (
    "Karolina Owczarzak, John M. Conroy, Hoa Trang Dang and Ani Nenkova (2012). An Assessment of the Accuracy of "
    "Automatic Evaluation in Summarization. Workshop on Evaluation Metrics and System Comparison for Automatic "
    "Summarization, NAACL."
)
_KRUSKAL = (
    "William H. Kruskal and W. Allen Wallis (1952). Use of Ranks in One-Criterion Variance Analysis. JASA 47(260)."
)
_SHAPIRO = "Samuel S. Shapiro and Martin B. Wilk (1965). An Analysis of Variance Test for Normality. Biometrika 52."
_WORKS = {
    "criteria": (_ERNST,),
    "decisions": (_OWCZARZAK, _WILCOXON),
    "difficulty": (_KRUSKAL, _TUKEY),
    "normality": (_SHAPIRO,),
}

_INTERVALS = {
    "boot-both": "a bootstrap over systems and inputs",
    "boot-systems": "a bootstrap over systems",
    "boot-inputs": "a bootstrap over inputs",
    "fisher": "Fisher's transformation",
    "two-way": "a jackknife over systems with the variance that inputs add",
}
_TESTS = {
    "perm-both": "a permutation test that exchanges the scores of single outputs",
    "perm-systems": "a permutation test that exchanges all scores of a system",
    "perm-inputs": "a permutation test that exchanges all scores of an input",
    "paired-boot-both": "a paired bootstrap over systems and inputs",
    "paired-boot-systems": "a paired bootstrap over systems",
    "paired-boot-inputs": "a paired bootstrap over inputs",
    "williams": "Williams' test (Williams, 1959)",
    "two-way": "a permutation test that exchanges all scores of a system and allows for the variance that inputs add "
    "(after Owen, 2007)",
}


def paragraph(dossier: Dossier) -> str:
    """Return what was done, in sentences ready for a paper."""
    n, m = dossier.scores.shape
    sentences = [
        f"We compared {numbers.counted(len(dossier.metrics), 'automatic metric')} with human judgments of "
        f"{listed(dossier.humans, 8)} for {numbers.counted(n, 'system')} and {numbers.counted(m, 'input')}, "
        f"using metassay {VERSION}."
    ]
    said: dict[str, Callable[[Any], str]] = {
        "agree": _agreement,
        "compare": _comparison,
        "criteria": _criteria,
        "pairs": lambda _: (
            "We also report agreement over the pairs of systems that a metric scores alike (Deutsch et al., 2022)."
        ),
        "decisions": _decisions,
        "stability": _stability,
        "difficulty": lambda _: (
            "Differences between inputs were tested by Kruskal and Wallis's and Tukey's tests on ranks."
        ),
        "normality": lambda _: "Normality was tested by Shapiro and Wilk's test.",
    }
    sentences += [tell(dossier.results[name]) for name, tell in said.items() if name in dossier.results]
    return " ".join(sentence for sentence in sentences if sentence)


def _agreement(result: Any) -> str:  # noqa: ANN401 - an Agreement
    rows = cast("Agreement", result).table
    if not rows:
        return ""
    first = rows[0]
    levels = list(dict.fromkeys(row.level for row in rows))
    statistics = listed([names.statistic(c) for c in dict.fromkeys(row.statistic for row in rows)], 5)
    made = _INTERVALS.get(first.interval, f"the method {first.interval}")
    drawn = "" if first.resamples is None else f" with {first.resamples:,} resamples"
    source = "" if first.interval == "two-way" else " (Deutsch et al., 2021)"
    return (
        f"Agreement is the correlation ({statistics}) at the {' and '.join(levels)} "
        f"{'level' if len(levels) == 1 else 'levels'}, with {numbers.percent(first.confidence)} intervals by "
        f"{made}{drawn}{source}."
    )


def _comparison(result: Any) -> str:  # noqa: ANN401 - a Comparison
    compared = cast("Comparison", result)
    if not compared.table:
        return ""
    first = compared.table[0]
    made = _TESTS.get(first.test, f"the test {first.test}")
    drawn = "" if first.resamples is None else f", {first.resamples:,} draws"
    correction = names.CORRECTIONS.get(first.correction)
    rows = "for the tests of one metric against all others" if first.scope == "row" else "for all tests of a table"
    corrected = "" if correction is None else f", with {correction} correction {rows}"
    statistics = listed([names.statistic(c) for c in dict.fromkeys(row.statistic for row in compared.table)], 5)
    sided = "two-sided" if first.alternative == "two-sided" else "one-sided"
    # Williams' own work is named in the test's words; two-way is not of that paper.
    source = "" if first.test in ("two-way", "williams") else " (Deutsch et al., 2021)"
    return (
        f"Differences between metrics ({statistics}) were tested {sided} by {made}{drawn}{source}, at "
        f"α = {compared.alpha:g}{corrected}."
    )


def _criteria(result: Any) -> str:  # noqa: ANN401 - a Confounding
    return (
        "To see whether agreement on one criterion is borrowed from another, we held the other fixed over all outputs "
        f"({names.statistic('kendall')}, in buckets and by partial correlation; Ernst et al., 2023), with intervals "
        f"from {result.table[0].resamples:,} resamples of systems and inputs."
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
    found = [_RESAMPLING]
    if {"pairs", "precision"} & set(dossier.results):
        found.append(_SYSTEM_LEVEL)
    if "compare" in dossier.results:
        tests = {row.test for row in cast("Comparison", dossier.results["compare"]).table}
        found += [work for test, work in (("williams", _WILLIAMS), ("two-way", _OWEN)) if test in tests]
    for study, works in _WORKS.items():
        if study in dossier.results:
            found += works
    return tuple(found)
