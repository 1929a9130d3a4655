"""BERTScore is what bert-score says it is."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from metassay.core.texts import Item
from metassay.errors import UsageError
from metassay.texts.scorers.bertscore import BertScore

pytestmark = pytest.mark.skipif(find_spec("bert_score") is None, reason="run: pip install 'metassay[embeddings]'")

OUTPUTS = ["the cats sat on the mat.", "a doggy barked", "it was old, the bridge on the river fell down!"]
REFERENCES = [("the cats sat", "a dog ran on the mat."), ("a dog barked.", "it was old"), ("the old bridge fell", "a")]


def some(outputs, references) -> list[Item]:
    return [Item("a", str(k), text, ref, None) for k, (text, ref) in enumerate(zip(outputs, references, strict=True))]


@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize("layer", [1, 3])
def test_numbers_are_those_of_bert_score(tiny_encoder, idf, layer):
    import bert_score

    expected = bert_score.score(
        OUTPUTS, [list(texts) for texts in REFERENCES], model_type=str(tiny_encoder), num_layers=layer, idf=idf,
        nthreads=0, device="cpu",
    )  # fmt: skip
    scorer = BertScore(str(tiny_encoder), num_layers=layer, idf=idf)
    got = scorer.score(some(OUTPUTS, REFERENCES))
    assert got.tolist() == np.stack([one.numpy() for one in expected], axis=1).astype(float).tolist()


def test_idf_is_of_the_whole_collection(tiny_encoder):
    every = some(OUTPUTS, REFERENCES)
    fitted = BertScore(str(tiny_encoder), idf=True).fitted(every)
    np.testing.assert_allclose(fitted.score(every[1:]), fitted.score(every)[1:], atol=1e-6)
    assert fitted.signature != fitted.fitted(every[1:]).signature
    plain = BertScore(str(tiny_encoder))
    assert plain.fitted(every) is plain


def test_a_text_is_like_itself_and_nothing_is_like_nothing(tiny_encoder):
    scorer = BertScore(str(tiny_encoder))
    assert "layer:2|" in scorer.signature
    got = scorer.score(some([OUTPUTS[0], "", "  ", OUTPUTS[0]], [(OUTPUTS[0],), ("a",), ("a",), ("", OUTPUTS[0])]))
    np.testing.assert_allclose(got[[0, 3]], 1, atol=1e-6)
    assert np.isnan(got[1:3]).all()
    assert np.isnan(scorer.score(some(["a"], [("",)]))).all()


def test_rescaling(tiny_encoder, tmp_path):
    file = tmp_path / "baseline.tsv"
    file.write_text("LAYER,P,R,F\n0,0,0,0\n1,0.5,0.25,0.75\n")
    every = some(OUTPUTS, REFERENCES)
    raw = BertScore(str(tiny_encoder), num_layers=1).score(every)
    scaled = BertScore(str(tiny_encoder), num_layers=1, baseline=str(file))
    base = np.array([0.5, 0.25, 0.75])
    np.testing.assert_allclose(scaled.score(every), (raw - base) / (1 - base))
    assert "baseline:0.5,0.25,0.75" in scaled.signature
    with pytest.raises(UsageError, match="is not a baseline for layer 3"):
        BertScore(str(tiny_encoder), num_layers=3, baseline=str(file))
    with pytest.raises(UsageError, match="bert-score has no baseline for"):
        BertScore(str(tiny_encoder), baseline="en")
