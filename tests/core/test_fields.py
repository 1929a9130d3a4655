"""Rows: fields that several tables share are declared once."""

import dataclasses
from typing import get_args, get_type_hints

import pytest

import metassay as ma
from metassay.core import fields
from metassay.core.result import Result


def test_a_row_is_frozen_flat_and_tells_its_shared_fields():
    @fields.row
    class Mean:
        """A mean."""

        metric: "fields.Metric"
        mean: float
        """The mean."""

    row = Mean("bleu", 0.5)
    assert dataclasses.asdict(row) == {"metric": "bleu", "mean": 0.5}
    assert "__dict__" not in dir(row)
    with pytest.raises(dataclasses.FrozenInstanceError):
        row.mean = 1.0
    assert Mean.__doc__ == "A mean.\n\nAttributes\n----------\nmetric\n    The metric."


def test_rows_are_filled_from_the_first_that_knows():
    @fields.row
    class Mean:
        """A mean."""

        metric: str
        human: str
        mean: float

    class Case:
        human = "relevance"
        metric = "rouge"

    assert fields.filled(Mean, {"metric": "bleu"}, Case, mean=0.5) == Mean("bleu", "relevance", 0.5)
    with pytest.raises(TypeError, match="nothing says what the field 'mean' of a row is"):
        fields.filled(Mean, Case)


@pytest.mark.parametrize("name", sorted(n for n, home in ma.HOMES.items() if home.startswith("metassay.studies.")))
def test_the_human_column_and_the_statistic_have_one_name_in_all_rows(name):
    result = getattr(ma, name)
    if not (isinstance(result, type) and issubclass(result, Result)):
        return
    hints = get_type_hints(result)
    for table in result.tables():
        names = {each.name for each in dataclasses.fields(get_args(hints[table])[0])}
        assert not names & {"criterion", "coefficient"}
