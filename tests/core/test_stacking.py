import numpy as np
import pytest

from metassay.core.scores import Scores
from metassay.core.stacking import stacked
from metassay.errors import DataError, UsageError


def scores(values, human=None, **options):
    return Scores.from_arrays({"rouge": np.array(values)}, human, **options)


def test_metrics_get_the_label_and_people_are_shared():
    people = {"relevance": np.array([[[1.0, 2.0]], [[3.0, 4.0]]])}
    both = stacked({"en": scores([[0.1, 0.2]], people), "es": scores([[0.3, 0.4]])})
    assert both["rouge"].axes == (("language", ("en", "es")),)
    np.testing.assert_array_equal(both["rouge"].values, [[[0.1, 0.2]], [[0.3, 0.4]]])
    assert both["relevance"].axes == (("annotator", ("1", "2")),)
    assert both.humans == ("relevance",)


def test_people_who_say_the_same_everywhere_are_shared_and_others_are_not():
    same, other = {"relevance": np.array([[1.0, 2.0]])}, {"relevance": np.array([[1.0, 5.0]])}
    first = scores([[0.1, 0.2]], same)
    assert stacked({"en": first, "es": scores([[0.3, 0.4]], same)})["relevance"].axes == ()
    assert stacked({"en": first, "es": scores([[0.3, 0.4]], other)})["relevance"].labels("language") == ("en", "es")


def test_what_is_shared_has_no_label_unless_it_is_a_metric_of_the_others():
    people = Scores.from_arrays({"length": [[5.0, 6.0]]}, {"relevance": [[1.0, 2.0]]})
    found = stacked({"en": scores([[0.1, 0.2]]), "es": scores([[0.3, 0.4]])}, people)
    assert found["length"].axes == ()
    assert found["relevance"].axes == ()
    found = stacked({"es": scores([[0.3, 0.4]])}, scores([[0.1, 0.2]], {"relevance": np.array([[1.0, 2.0]])}))
    assert found["rouge"].labels("language") == ("es", "original")
    assert found["relevance"].axes == ()


def test_direction_groups_and_missing_systems_are_kept():
    first = scores([[0.1], [0.2]], systems=["a", "b"], lower_is_better=["rouge"], groups={"a": "peer"})
    found = stacked({"en": first, "es": scores([[0.3]], systems=["b"])})
    assert found["rouge"].lower_is_better
    assert found.groups == {"a": "peer"}
    np.testing.assert_array_equal(found["rouge"].values, [[[0.1], [0.2]], [[np.nan], [0.3]]])


def test_what_cannot_be_put_together_is_told():
    with pytest.raises(DataError, match="no scores to put together"):
        stacked({})
    with pytest.raises(UsageError, match="expected Scores under 'es', got int"):
        stacked({"en": scores([[0.1]]), "es": 3})
    with pytest.raises(UsageError, match="must not be empty"):
        stacked({"": scores([[0.1]])})
    with pytest.raises(DataError, match="has languages of its own"):
        stacked({"x": stacked({"en": scores([[0.1]]), "es": scores([[0.2]])}), "y": scores([[0.3]])})
    with pytest.raises(DataError, match="a metric in some of the scores and human in others"):
        stacked({"en": scores([[0.1]]), "es": scores([[0.2]]).declare(human="rouge")})
