import pytest

from metassay.core.texts import Texts
from metassay.errors import DataError, UnknownName, UsageError

OUTPUTS = {("b", "2"): "two by b", ("a", "10"): "ten by a", ("a", "2"): "two by a"}


def test_items_come_by_input_and_then_by_system_in_natural_order():
    texts = Texts(OUTPUTS, references={"2": ("r1", "r2")}, sources={"10": "s"})
    assert [(i.system, i.input) for i in texts.items()] == [("a", "2"), ("b", "2"), ("a", "10")]
    first, _, last = texts.items()
    assert first.references == ("r1", "r2")
    assert first.source is None
    assert (last.references, last.source) == ((), "s")


def test_selecting_keeps_what_belongs_to_it():
    texts = Texts(
        OUTPUTS, references={"2": ("r",), "10": ("q",)}, sources={"2": "s"}, groups={"a": "peer", "b": "peer"}
    )
    kept = texts.select(systems=["b"], inputs="2")
    assert dict(kept.outputs) == {("b", "2"): "two by b"}
    assert dict(kept.references) == {"2": ("r",)}
    assert dict(kept.groups) == {"b": "peer"}
    with pytest.raises(UnknownName, match="unknown system 'c'"):
        texts.select(systems=["c"])


def test_texts_cannot_be_changed():
    given = dict(OUTPUTS)
    texts = Texts(given)
    given[("c", "1")] = "later"
    assert ("c", "1") not in texts.outputs
    with pytest.raises(TypeError):
        texts.outputs[("c", "1")] = "later"  # type: ignore[index]


@pytest.mark.parametrize(
    ("outputs", "error", "message"),
    [
        ({}, DataError, "there are no outputs"),
        ({("a", "1"): 3}, DataError, "the output of 'a' on '1' must be text, got int"),
        ({("", "1"): "x"}, UsageError, "needs a system and an input"),
    ],
)
def test_what_is_no_text_is_refused(outputs, error, message):
    with pytest.raises(error, match=message):
        Texts(outputs)
