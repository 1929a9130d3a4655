"""Results made by hand: what they show does not depend on how they were computed."""

from __future__ import annotations

import math

import pytest

from metassay.core.note import Note
from metassay.core.signature import Signature
from metassay.studies.agree import Agreement, AgreementRow
from metassay.studies.compare import Comparison, ComparisonRow, RankRow
from metassay.studies.normality import Normality, NormalityRow

NAN = math.nan
NASTY = (
    "[bold]rich[/bold]",
    "[/]",
    "<img src=x onerror=alert(1)>",
    'a,"b",c',
    "two\nlines\r\tand a tab",
    "50% of $x_1$ & {y}^2 #~\\end{tabular}",
    "pipe|and `tick` *star* _under_",
    "🙂 emoji",
    "–dash--",
)


def agreement_row(metric, estimate, *, human="relevance", level="system", statistic="kendall", **changes):
    changes.setdefault("n_annotated", changes.get("n_inputs", 100))
    low, high = changes.pop("low", estimate - 0.2), changes.pop("high", estimate + 0.1)
    ranks = level == "system" and statistic == "kendall"
    fields = {
        "confidence": 0.95,
        "interval": "boot-both",
        "resamples": 10_000,
        "n_systems": 16,
        "n_inputs": 100,
        "n_undefined": 0,
        "resamples_undefined": 0,
        "misranked": (1 - estimate) / 2 if ranks else NAN,
        "misranked_low": (1 - high) / 2 if ranks else NAN,
        "misranked_high": (1 - low) / 2 if ranks else NAN,
        "tied": 0.0 if ranks else NAN,
    } | changes
    return AgreementRow(metric, human, level, statistic, estimate, low, high, **fields)


def agreement(*rows, notes=()):
    signature = Signature.of("agree", level=["system"], coef="kendall", ci="boot-both,0.95", seed=0)
    return Agreement(table=rows, signature=signature, notes=tuple(notes), samples=(None,) * len(rows))


def comparison(estimates, *, human="relevance", level="system", p=None, notes=(), alternative="greater", **changes):
    """Compare all metrics; by default a higher estimate wins with p = .001 and the other way round .999."""
    rows = []
    for a, r_a in estimates.items():
        for b, r_b in estimates.items():
            if a == b:
                continue
            value = (p or {}).get((a, b), 0.001 if r_a > r_b else 0.999)
            fields = {
                "test": "perm-both",
                "alternative": alternative,
                "resamples": 9_999,
                "resamples_undefined": 0,
                "significant": value <= 0.05,
                "significant_corrected": value <= 0.05 / max(1, len(estimates) - 1),
                "p_corrected": min(1.0, value * max(1, len(estimates) - 1)),
                "detectable": None,
                "correction": "bonferroni",
                "scope": "row",
                "n_systems": 16,
                "n_inputs": 100,
                "n_annotated": 100,
            } | changes
            rows.append(ComparisonRow(a, b, human, level, "kendall", r_a, r_b, r_a - r_b, value, **fields))
    ranked = sorted(estimates, key=lambda m: -estimates[m])
    ranks = tuple(
        RankRow(human, level, "kendall", metric, estimates[metric], rank, max(1, rank - 1), rank)
        for rank, metric in enumerate(ranked, 1)
    )
    signature = Signature.of("compare", level=[level], coef="kendall", test="perm-both", seed=0)
    return Comparison(table=tuple(rows), signature=signature, notes=tuple(notes), ranks=ranks, alpha=0.05)


@pytest.fixture
def agreed():
    """Two criteria, two levels, three metrics, one of them undefined at input level."""
    rows = []
    for human in ("relevance", "coherence"):
        rows += [
            agreement_row("ROUGE-1", 0.4, human=human),
            agreement_row("BERTScore", 0.5834, human=human),
            agreement_row("QAEval", -0.1, human=human),
            agreement_row("ROUGE-1", 0.31, human=human, level="input", n_undefined=2),
            agreement_row("BERTScore", 0.3, human=human, level="input", n_undefined=2),
            agreement_row("QAEval", NAN, human=human, level="input", low=NAN, high=NAN, n_undefined=2),
        ]
    return agreement(*rows, notes=[Note.of("scorer", scorer="study", message="2 inputs are undefined at input level")])


@pytest.fixture
def compared():
    """Three metrics."""
    return comparison(
        {"ROUGE-1": 0.4, "BERTScore": 0.583, "QAEval": 0.55},
        p={("BERTScore", "QAEval"): 0.21, ("QAEval", "ROUGE-1"): 0.04},
    )


@pytest.fixture
def many_compared():
    """Seven metrics."""
    return comparison({f"metric-{i}": 0.7 - i / 10 for i in range(7)})


@pytest.fixture
def normal():
    rows = (
        NormalityRow("ROUGE-1", "metric", 0.0004, 34.0, 0.05, 16, 100, 0),
        NormalityRow("relevance", "human", NAN, 4.4, 0.05, 16, 100, 0),
    )
    return Normality(table=rows, signature=Signature.of("normality", alpha=0.05), notes=())


@pytest.fixture(params=["agree", "compare", "normality"])
def nasty(request):
    """Each study with names that try to be markup."""
    if request.param == "agree":
        return agreement(
            *(agreement_row(n, -0.1 * i, human=h) for h in (NASTY[0], NASTY[4]) for i, n in enumerate(NASTY)),
            notes=[Note.of("scorer", scorer="study", message="a note on <b>" + NASTY[5])],
        )
    if request.param == "compare":
        return comparison({n: -0.1 * i for i, n in enumerate(NASTY)}, human=NASTY[5])
    rows = tuple(NormalityRow(n, "metric", 0.5, 3.0, 0.05, 16, 100, 0) for n in NASTY)
    return Normality(table=rows, signature=Signature.of("normality"), notes=())
