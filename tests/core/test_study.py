"""Options are declared once: in the signature of a verb, by the types of metassay.core.options."""

import importlib
import inspect
import threading
import zipfile

import pytest

import metassay as ma
from metassay import engine
from metassay.cli import options
from metassay.core import options as opt
from metassay.core.result import Result
from metassay.core.signature import Signature
from metassay.core.source_text import source_of
from metassay.core.study import places, read_declaration, read_question, study
from metassay.errors import UnknownName, UsageError

STUDIES = sorted(name for name, home in ma.HOMES.items() if home.startswith("metassay.studies.") and name.islower())


@pytest.mark.parametrize("verb", STUDIES)
def test_source_and_signature_declare_the_same(verb):
    declared = read_declaration(ma.HOMES[verb], verb)
    parameters = inspect.signature(getattr(ma, verb)).parameters
    found = {name: p for name, p in parameters.items() if str(p.annotation).startswith(("opt.", "jd."))}
    assert list(declared.options) == list(found)
    for name, each in declared.options.items():
        assert each.default == found[name].default
        # what is not given must pass its own check
        each.option.take(name, each.default, each.default)
    question = read_question(ma.HOMES[verb])
    assert question.endswith("?")
    assert declared.about
    assert declared.examples
    assert importlib.import_module(ma.HOMES[verb]).__doc__.startswith(question)


@pytest.mark.parametrize("verb", STUDIES)
def test_docstrings_and_help_tell_every_option(verb):
    text = inspect.getdoc(getattr(ma, verb))
    for name, each in options.of(verb).items():
        words = each.option.text(each.default)
        assert f"\n{name}\n    {words[0].upper()}{words[1:]}.\n" in text
    assert text.count("\nParameters\n----------\n") == text.count("\nReturns\n-------\n") == 1


def test_options_are_checked_before_the_body_runs():
    ran = []

    @study
    def verb(*, level: "opt.Levels" = "system", seed: "opt.Seed" = 0, width: "opt.Width" = None) -> None:
        """Do nothing.

        More on that.
        """
        ran.append((level, seed, width))

    verb()
    verb(level=["segment", "sys"], seed=7, width=1)
    assert ran == [(("system",), 0, None), (("input", "system"), 7, 1.0)]
    with pytest.raises(UnknownName, match="unknown level 'sytem'; did you mean 'system'"):
        verb(level="sytem")
    with pytest.raises(UsageError, match=r"seed must be a whole number of at least 0, got -1"):
        verb(seed=-1)
    with pytest.raises(UsageError, match="width must be a number over 0, got -3"):
        verb(width=-3)
    assert len(ran) == 2
    assert verb.__doc__.startswith(
        "Do nothing.\n\nMore on that.\n\nParameters\n----------\nlevel\n    Levels of correlation, a comma list"
    )


def test_all_stands_for_every_choice():
    tests = options.of("simulate_size")["test"]
    assert tests.option.take("test", "all") == tuple(tests.option.choices)


def test_two_names_of_one_option_are_refused():
    with pytest.raises(UsageError, match="statistic and coefficient are two names of one option"):
        ma.agree(ma.example(), human="relevance", statistic="pearson", coefficient="kendall")


@pytest.mark.parametrize("verb", STUDIES)
def test_every_study_takes_where_it_runs(verb):
    parameters = inspect.signature(getattr(ma, verb)).parameters
    assert list(parameters)[-4:] == ["threads", "cluster", "workers", "checkpoint"]
    assert "\nthreads\n    Threads to use; results do not depend on it" in inspect.getdoc(getattr(ma, verb))
    # none of them is an option of its own
    assert not {*options.of(verb)} & {*places()}


def test_where_it_runs_is_the_engines_context_and_checked(tmp_path):
    seen = []

    @study
    def verb(*, seed: "opt.Seed" = 0) -> None:
        """Do nothing."""
        seen.append((seed, engine.run(lambda page: threading.get_ident(), 64)))

    verb(threads=1, checkpoint=tmp_path / "kept")
    assert set(seen[0][1]) == {threading.get_ident()}
    assert (tmp_path / "kept").exists()
    with pytest.raises(UsageError, match="threads must be a whole number of at least 1, got 0"):
        verb(threads=0)
    with pytest.raises(UsageError, match="exclude each other"):
        verb(cluster="tcp://a:1", workers=2)
    assert len(seen) == 1


def test_signatures_say_what_options_know_and_what_studies_add():
    class Answer(Result, study="ask"):
        pass

    @study
    def ask(
        *,
        seed: "opt.Seed" = 0,
        confidence: "opt.Confidence" = 0.9,
        interval: "opt.Interval" = "fisher",
        statistic: "opt.Statistics" = "kendall,pearson",
        human: "opt.Human" = None,
        systems: int = 3,
    ) -> Answer:
        """Ask."""
        return Answer((), Signature.open(systems=systems, seed=None if interval == "fisher" else seed), ())

    # in one order, whatever that of the options is; options with one key stand together
    assert str(ask().signature) == f"study:ask|coef:kendall-b,pearson|ci:0.9,fisher|systems:3|v:{ma.__version__}"
    told = str(ask(interval="boot-both", seed=7, human="x", statistic="tau-a").signature)
    assert told == f"study:ask|coef:kendall-a|ci:0.9,boot-both|seed:7|systems:3|v:{ma.__version__}"


@pytest.mark.parametrize("verb", STUDIES)
def test_what_is_no_scores_is_refused_in_one_line(verb):
    with pytest.raises(UsageError, match=r"expected (Scores|Votes), got int"):
        getattr(ma, verb)(3)


@pytest.mark.parametrize("name", ["my.study", "", "..", "a b", "columns", "agree.more"])
def test_a_study_of_somebody_else_is_shown_row_by_row(name):
    class Answer(Result, study=name):
        pass

    class More(Answer):
        pass

    row = ma.agree(ma.example(), interval="fisher").table[0]
    shown = [str(kind((row,), Signature.of("ask"), ())) for kind in (Answer, More)]
    assert shown[0] == shown[1]
    assert row.metric in shown[0]


def test_a_class_of_results_names_its_study():
    with pytest.raises(
        TypeError, match=r'a class of results names its study: class Answer\(Result, study="my-study"\)'
    ):

        class Answer(Result):
            pass


def test_sources_are_read_from_a_zip_and_missed_in_words(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "room.zip", "w") as archive:
        archive.writestr("zipped_room.py", '"""What is in a zip?"""')
    monkeypatch.syspath_prepend(tmp_path / "room.zip")
    assert read_question("zipped_room") == "What is in a zip?"
    for module in ("_imp", "no_such_module"):
        with pytest.raises(ImportError, match=f"the source of {module} is missing"):
            source_of(module)
