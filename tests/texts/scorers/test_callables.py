import functools
import math
import pickle
from collections import deque

import numpy as np
import pytest

import metassay as ma
from metassay.core.texts import Texts
from metassay.errors import DataError, UsageError
from metassay.texts.scorers.callables import Python, scorer

TEXTS = Texts(
    {("a", "1"): "one two", ("b", "1"): "three", ("a", "2"): "four five six"},
    references={"1": ("one", "two")},
    sources={"2": "4 5 6"},
)
ITEMS = list(TEXTS.items())


def words(output):
    return len(output.split())


def test_a_function_of_the_output():
    scores = ma.score(TEXTS, [scorer(words), "length"])
    np.testing.assert_array_equal(scores.matrix("words"), [[2, 3], [1, np.nan]])
    assert "length_tokens" in scores.metrics


def test_parameters_say_what_is_needed():
    def both(output, references, source=None):
        return len(references) + (source is None)

    made = scorer(both)
    assert (made.needs, made.sees) == ({"references"}, {"references", "source"})
    # references of input 1 are two, and it has no source; input 2 has no references and is not scored
    np.testing.assert_array_equal(ma.score(TEXTS, [made]).matrix("both"), [[3, np.nan], [3, np.nan]])
    assert scorer(both, needs="none").needs == frozenset()


def test_a_function_of_batches():
    def lengths(outputs, sources):
        return np.array([len(o) + len(s) for o, s in zip(outputs, sources, strict=True)], dtype=np.float32)

    np.testing.assert_array_equal(ma.score(TEXTS, [scorer(lengths)]).matrix("lengths"), [[np.nan, 18], [np.nan] * 2])


def test_several_scores_and_missing_ones():
    def pr(output):
        return {"p": 0.5, "r": None} if output != "three" else None

    made = scorer(pr, name="mine", scores=["p", "r"], lower_is_better=True)
    assert made.lower_is_better == {"mine_p", "mine_r"}
    np.testing.assert_array_equal(made.score(ITEMS), [[0.5, math.nan], [math.nan, math.nan], [0.5, math.nan]])
    pair = scorer(lambda output: (1, True), name="pair", scores="a+b")
    np.testing.assert_array_equal(pair.score(ITEMS[:1]), [[1, 1]])


def test_any_callable_will_do():
    class Metric:
        def __call__(self, output, source=""):
            return 7

    np.testing.assert_array_equal(scorer(Metric(), name="seven").score(ITEMS), [[7]] * 3)
    np.testing.assert_array_equal(scorer(len).score(ITEMS[:1]), [[7]])
    np.testing.assert_array_equal(
        scorer(functools.partial(round, ndigits=0), name="r", version="1").score([]).shape, (0, 1)
    )


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda output: 1 / 0, "m failed for system 'a', input '1': ZeroDivisionError: division by zero"),
        (lambda output: "good", "m must return a number, None or named numbers, but for system 'a', input '1' it ret"),
        (lambda output: math.inf, "returned inf, which is not finite; a missing score is null, None or NaN"),
        (lambda output: {"x": 1}, "several named scores; choose some with scores=x"),
        (lambda output: [1, 2], r"\[1, 2\], which is not a number"),
        (lambda outputs: [1], "m must return one value per output; it returned 1 for 3"),
        (lambda outputs: 1, "m failed for a batch of 3, the first system 'a', input '1': TypeError"),
    ],
)
def test_what_goes_wrong_is_one_line_that_names_the_output(function, message):
    with pytest.raises(DataError, match=message) as caught:
        ma.score(TEXTS, [scorer(function, name="m")])
    assert "\n" not in str(caught.value)


def test_what_was_scored_before_a_failure_is_kept(tmp_path):
    asked = deque()

    def fragile(output):
        asked.append(output)
        if output == "three" and len(asked) < 3:
            raise OSError("gone")
        return 1

    cache = tmp_path / "cache.sqlite"
    made = scorer(fragile, version="1")
    with pytest.raises(DataError, match=r"OSError: gone \(1 of 3 outputs have their scores; they are in the cache"):
        ma.score(TEXTS, [made], cache=cache)
    ma.score(TEXTS, [scorer(fragile, version="1")], cache=cache)
    assert list(asked) == ["one two", "three", "three", "four five six"]


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (
            lambda a, b: 1,
            {"name": "m"},
            r"a metric is a function of output, references and source.*this one has \(a, b\)",
        ),
        (lambda output, model: 1, {"name": "m"}, "this one has a parameter 'model'"),
        (lambda references: 1, {"name": "m"}, r"this one has \(references\)"),
        (lambda output: 1, {}, "no name; give one: name="),
        (3, {}, "a metric is a function"),
    ],
)
def test_functions_are_checked_before_any_work(function, options, message):
    with pytest.raises(UsageError, match=message):
        scorer(function, **options)


def made_in(source, **names):
    """Return the function f of some code that has no file, as in a notebook."""
    exec(compile(source, "<cell>", "exec"), names)
    return names["f"]


def test_the_recipe_knows_code_constants_and_captured_values():
    def signature(source, **names):
        return scorer(made_in(source, **names)).signature

    plain = "def f(output): return len(output) * 2"
    assert signature(plain) == signature(plain)
    assert signature(plain) != signature(plain.replace("2", "3"))
    assert signature("def f(output): return k", k=1) != signature("def f(output): return k", k=2)
    assert signature("def f(output, k=1): return k") != signature("def f(output, k=2): return k")
    inner = "def f(output): return sum(map(lambda w: len(w) * 2, output))"
    assert signature(inner) != signature(inner.replace("2", "3"))


def test_a_function_that_leans_on_what_cannot_be_known_is_scored_anew_without_a_version():
    source = "def f(output): return helper(output)"
    leaning = [made_in(source, helper=len), made_in(source, helper=made_in("def f(x): return 1"))]
    assert len({scorer(function).signature for function in leaning}) == 2
    assert scorer(leaning[1]).signature != scorer(leaning[1]).signature
    assert scorer(leaning[1], version="1").signature == scorer(leaning[1], version="1").signature
    model = object()
    assert "code:unknown-" in scorer(lambda output: id(model), name="m").signature


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "my metrics.py"
    (tmp_path / "beside.py").write_text("WEIGHT = 10\n")
    path.write_text(
        "from beside import WEIGHT\n"
        "class Box:\n    @staticmethod\n    def half(output): return len(output) / 2\n"
        "def weighed(output, source=None): return WEIGHT * len(output)\n"
        "NUMBER = 3\n"
    )
    return path


def test_a_function_in_a_file(file):
    scores = ma.score(TEXTS, f"python[call='{file}:weighed'],python[call={file}:Box.half,name=half]", processes=1)
    np.testing.assert_array_equal(scores.matrix("weighed"), [[70, 130], [50, np.nan]])
    np.testing.assert_array_equal(scores.matrix("half"), [[3.5, 6.5], [2.5, np.nan]])


def test_a_function_in_a_file_finds_its_way_to_another_process(file):
    sent = pickle.loads(pickle.dumps(Python(f"{file}:weighed")))
    np.testing.assert_array_equal(sent.score(ITEMS[:1]), [[70]])
    assert not sent.in_process
    assert Python(f"{file}:weighed", parallel=False).in_process


def test_the_recipe_changes_with_the_file(file):
    before = Python(f"{file}:weighed").signature
    assert Python(f"{file}:weighed").signature == before
    file.write_text(file.read_text().replace("WEIGHT *", "2 * WEIGHT *"))
    assert Python(f"{file}:weighed").signature != before


def test_a_function_of_a_module():
    np.testing.assert_array_equal(Python("builtins:len").score(ITEMS[:1]), [[7]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("nothing", "a function is named package.module:function"),
        ("no_such_module_at_all:f", "cannot import 'no_such_module_at_all': ModuleNotFoundError"),
        ("no/such.py:f", "there is no file 'no/such.py'"),
        ("math:no_such", "'math' has no function 'no_such'"),
        ("math:pi", "'math:pi' is not a function but 3.14"),
    ],
)
def test_a_function_that_is_not_there_is_told_before_any_work(call, message):
    with pytest.raises(UsageError, match=message):
        Python(call)


def test_a_file_that_does_not_load(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text("def f(:\n")
    with pytest.raises(UsageError, match=r"cannot import .*SyntaxError") as caught:
        Python(f"{path}:f")
    assert "\n" not in str(caught.value)
