"""How far can an automatic metric, or a model used as a judge, be trusted in place of people?

The public names are loaded when they are first used, so ``import metassay`` costs almost nothing.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

from metassay.core.option import slices_with, works_on
from metassay.core.result import on_first_use
from metassay.core.signature import VERSION as __version__
from metassay.core.source_text import source_of

if TYPE_CHECKING:
    from metassay.core.corpus import CorpusScores as CorpusScores
    from metassay.core.scores import Column as Column
    from metassay.core.scores import Scores as Scores
    from metassay.core.signature import Signature as Signature
    from metassay.core.slices import Slices as Slices
    from metassay.core.texts import Texts as Texts
    from metassay.core.votes import Votes as Votes
    from metassay.errors import Contradiction as Contradiction
    from metassay.errors import DataError as DataError
    from metassay.errors import FormatError as FormatError
    from metassay.errors import MetassayError as MetassayError
    from metassay.errors import UnknownName as UnknownName
    from metassay.errors import UsageError as UsageError
    from metassay.readers import example as example
    from metassay.readers import read as read
    from metassay.readers import read_tasks as read_tasks
    from metassay.readers import read_votes as read_votes
    from metassay.readers.datasets import Datasets as Datasets
    from metassay.readers.datasets import datasets as datasets
    from metassay.readers.datasets import find_dataset as find_dataset
    from metassay.readers.datasets import get_dataset as get_dataset
    from metassay.readers.texts import read_parallel as read_parallel
    from metassay.readers.texts import read_texts as read_texts
    from metassay.readers.texts import write_texts as write_texts
    from metassay.readers.writing import write as write
    from metassay.report.data import load as load
    from metassay.report.document.report import Report as Report
    from metassay.report.document.report import make_report as make_report
    from metassay.report.document.votes import make_votes_report as make_votes_report
    from metassay.report.sheet.making import Sheet as Sheet
    from metassay.report.sheet.making import make_sheet as make_sheet
    from metassay.reproduction.reproduce import Reproduction as Reproduction
    from metassay.reproduction.reproduce import reproduce as reproduce
    from metassay.stats.statistics.base import Statistic as Statistic
    from metassay.stats.statistics.registry import register as register
    from metassay.studies.agree import Agreement as Agreement
    from metassay.studies.agree import agree as agree
    from metassay.studies.bias import Biases as Biases
    from metassay.studies.bias import bias as bias
    from metassay.studies.compare import Comparison as Comparison
    from metassay.studies.compare import compare as compare
    from metassay.studies.composite import Combined as Combined
    from metassay.studies.composite import composite as composite
    from metassay.studies.criteria import Confounding as Confounding
    from metassay.studies.criteria import criteria as criteria
    from metassay.studies.decisions import Decisions as Decisions
    from metassay.studies.decisions import decisions as decisions
    from metassay.studies.differences import Differences as Differences
    from metassay.studies.differences import differences as differences
    from metassay.studies.difficulty import Difficulty as Difficulty
    from metassay.studies.difficulty import difficulty as difficulty
    from metassay.studies.downgrade import Damaged as Damaged
    from metassay.studies.downgrade import Downgrade as Downgrade
    from metassay.studies.downgrade import downgrade as downgrade
    from metassay.studies.drift import Drift as Drift
    from metassay.studies.drift import drift as drift
    from metassay.studies.estimate import Estimates as Estimates
    from metassay.studies.estimate import estimate as estimate
    from metassay.studies.judge import JudgeCard as JudgeCard
    from metassay.studies.judge import judge as judge
    from metassay.studies.judge_votes import JudgeVotes as JudgeVotes
    from metassay.studies.judge_votes import judge_votes as judge_votes
    from metassay.studies.leaderboard import Leaderboard as Leaderboard
    from metassay.studies.leaderboard import leaderboard as leaderboard
    from metassay.studies.look import Look as Look
    from metassay.studies.look import look as look
    from metassay.studies.normality import Normality as Normality
    from metassay.studies.normality import normality as normality
    from metassay.studies.pairs import ScorePairs as ScorePairs
    from metassay.studies.pairs import pairs as pairs
    from metassay.studies.plan import Plan as Plan
    from metassay.studies.plan import plan as plan
    from metassay.studies.plan_labels import LabelPlan as LabelPlan
    from metassay.studies.plan_labels import plan_labels as plan_labels
    from metassay.studies.precision import Precision as Precision
    from metassay.studies.precision import precision as precision
    from metassay.studies.profile import Profile as Profile
    from metassay.studies.profile import profile as profile
    from metassay.studies.rank import Ranking as Ranking
    from metassay.studies.rank import rank as rank
    from metassay.studies.reliability import Reliability as Reliability
    from metassay.studies.reliability import reliability as reliability
    from metassay.studies.simulate_coverage import Coverage as Coverage
    from metassay.studies.simulate_coverage import simulate_coverage as simulate_coverage
    from metassay.studies.simulate_power import Power as Power
    from metassay.studies.simulate_power import simulate_power as simulate_power
    from metassay.studies.simulate_size import Size as Size
    from metassay.studies.simulate_size import simulate_size as simulate_size
    from metassay.studies.stability import Stability as Stability
    from metassay.studies.stability import stability as stability
    from metassay.studies.survive import Survival as Survival
    from metassay.studies.survive import survive as survive
    from metassay.studies.systems import SystemComparison as SystemComparison
    from metassay.studies.systems import systems as systems
    from metassay.studies.widths import Widths as Widths
    from metassay.studies.widths import widths as widths
    from metassay.texts.changes.corruptions import Corruption as Corruption
    from metassay.texts.changes.corruptions import corrupt as corrupt
    from metassay.texts.changes.translation import Translation as Translation
    from metassay.texts.changes.translation import translate as translate
    from metassay.texts.scorers.callables import scorer as scorer
    from metassay.texts.scorers.damaged import DamagedRouge1 as DamagedRouge1
    from metassay.texts.scorers.judge_config import ask_model as ask_model
    from metassay.texts.scorers.registry import Catalogue as Catalogue
    from metassay.texts.scorers.registry import metrics as metrics
    from metassay.texts.scorers.scoring import score as score
    from metassay.texts.scorers.scoring import score_by_reference as score_by_reference
    from metassay.texts.scorers.scoring import score_corpus as score_corpus

_TOLD = re.compile(r"^    from (\S+) import (\w+) as \2$", re.MULTILINE)
HOMES = {name: module for module, name in _TOLD.findall(source_of(__name__))}
"""The module of every public name, as the imports above tell it to type checkers."""

__all__ = [*HOMES, "__version__"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - stands for every public name
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(HOMES[name]), name)
    globals()[name] = value
    return value


# Results know no renderer; the rooms that show and draw them are loaded, in this order, when one is first missed.
on_first_use(lambda: import_module("metassay.report"))
on_first_use(lambda: import_module("metassay.charts"))
# Nor do studies know where they run.
works_on("metassay.engine", "on")
slices_with("metassay.studies.slices", "by_slices")


def __dir__() -> list[str]:
    return sorted(__all__)
