"""Options are declared once: in the signature of a verb, by the types of metassay.core.options."""

import importlib
import inspect

import pytest

import metassay as ma
from metassay.cli import options
from metassay.core import options as opt
from metassay.core.study import read_declaration, read_question, study
from metassay.errors import UnknownName, UsageError

STUDIES = sorted(name for name, home in ma.HOMES.items() if home.startswith("metassay.studies.") and name.islower())


@pytest.mark.parametrize("verb", STUDIES)
def test_source_and_signature_declare_the_same(verb):
    declared = read_declaration(ma.HOMES[verb], verb)
    parameters = inspect.signature(getattr(ma, verb)).parameters
    found = {name: p for name, p in parameters.items() if str(p.annotation).startswith("opt.")}
    assert list(declared.options) == list(found)
    for name, each in declared.options.items():
        assert each.default == found[name].default
        # what is not given must pass its own check
        each.option.take(name, each.default, each.default)
    assert declared.question.endswith("?")
    assert declared.question == read_question(ma.HOMES[verb])
    assert declared.about
    assert declared.examples
    assert importlib.import_module(ma.HOMES[verb]).__doc__.startswith(declared.question)


@pytest.mark.parametrize("verb", STUDIES)
def test_docstrings_and_help_tell_every_option(verb):
    text = inspect.getdoc(getattr(ma, verb))
    for name, each in options.of(verb).items():
        words = each.option.text(each.default)
        assert f"\n{name}\n    {words[0].upper()}{words[1:]}.\n" in text
    assert text.count("\nParameters\n----------\n") == 1


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
        "Do nothing.\n\nParameters\n----------\nlevel\n    Levels of correlation, a comma list"
    )
    assert verb.__doc__.endswith("\n\nMore on that.")


def test_all_stands_for_every_choice():
    tests = options.of("simulate_size")["test"]
    assert tests.option.take("test", "all") == tuple(tests.option.choices)


def test_two_names_of_one_option_are_refused():
    with pytest.raises(UsageError, match="statistic and coefficient are two names of one option"):
        ma.agree(ma.example(), human="relevance", statistic="pearson", coefficient="kendall")
