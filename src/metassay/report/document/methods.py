"""A paragraph for the methods section of a paper, with whom to cite."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from metassay.core.signature import VERSION
from metassay.errors import listed
from metassay.report import names, numbers
from metassay.report.document.contents import Dossier

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
    "two-way": "a permutation test that exchanges all scores of a system and allows for the variance that inputs add",
}


def paragraph(dossier: Dossier) -> str:
    """Return what was done, in sentences ready for a paper."""
    n, m = dossier.scores.shape
    sentences = [
        f"We compared {len(dossier.metrics)} automatic metrics with human judgments of {listed(dossier.humans, 8)} for "
        f"{n} systems and {m} inputs, using metassay {VERSION}."
    ]
    rows = cast("Agreement", dossier.results["agree"]).table
    if rows:
        first = rows[0]
        levels = " and ".join(dict.fromkeys(row.level for row in rows))
        coefficients = listed([names.coefficient(c) for c in dict.fromkeys(row.coefficient for row in rows)], 5)
        made = _INTERVALS.get(first.interval, f"the method {first.interval}")
        drawn = "" if first.resamples is None else f" with {first.resamples:,} resamples"
        sentences.append(
            f"Agreement is the correlation ({coefficients}) at the {levels} level, with "
            f"{numbers.percent(first.confidence)} intervals by {made}{drawn} (Deutsch et al., 2021)."
        )
    if "compare" in dossier.results:
        compared = cast("Comparison", dossier.results["compare"])
        if compared.table:
            first_test = compared.table[0]
            made = _TESTS.get(first_test.test, f"the test {first_test.test}")
            drawn = "" if first_test.resamples is None else f" with {first_test.resamples:,} draws"
            correction = names.CORRECTIONS.get(first_test.correction)
            corrected = "" if correction is None else f", with {correction} correction per {first_test.scope}"
            sentences.append(
                f"Differences between metrics were tested by {made}{drawn} at α = {compared.alpha:g}{corrected} "
                "(Deutsch et al., 2021)."
            )
    if "pairs" in dossier.results:
        sentences.append(
            "We also report agreement over the pairs of systems that a metric scores alike (Deutsch et al., 2022)."
        )
    return " ".join(sentences)


def citations(dossier: Dossier) -> tuple[str, ...]:
    """Return the works that the paragraph and the tables rest on."""
    found = [_RESAMPLING]
    if {"pairs", "stability", "precision"} & set(dossier.results):
        found.append(_SYSTEM_LEVEL)
    if "compare" in dossier.results:
        table = cast("Comparison", dossier.results["compare"]).table
        if any(row.test == "williams" for row in table):
            found.append(_WILLIAMS)
    if "decisions" in dossier.results:
        found.append(_WILCOXON)
    if "difficulty" in dossier.results:
        found.append(_TUKEY)
    return tuple(found)
