import json
import math
import pickle
import sys
import types

import numpy as np
import pytest

from metassay.core.texts import Item
from metassay.errors import FormatError, UsageError
from metassay.texts.scorers.s3 import S3, STOP_WORDS
from metassay.texts.scorers.s3_models import PUBLIC_FEATURES, load_model

pytest.importorskip("nltk", reason="pip install 'metassay[meteor]'")


def item(output, *references):
    return Item("a", "1", output, references, None)


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("dog 1 0\nhound 0.9 0.1\ncat 0 1\nbarks 1 1\n")
    return path


def model(path, **fields):
    path.write_text(json.dumps(fields))
    return path


def features_of(path, items, **options):
    scorer = S3(str(path), **options)
    return dict(zip(scorer.feature_names, scorer.features(items).T, strict=True))


def test_features_by_hand(tmp_path, vectors):
    path = model(tmp_path / "m.json", kind="linear", weights=[0] * 6, intercept=0)
    # stems: the dog bark / the hound bark, a dog run. Words other than "the" and "a": {dog, bark}, {hound, bark},
    # {dog, run}
    found = features_of(path, [item("The dog barks", "the hound barked", "a dog runs")], vectors=str(vectors))
    # of 3 words of the first reference 2, of 3 of the second 1; bigrams: none of 2 and none of 2
    assert found["ROUGE_1_R"] == 3 / 6
    assert found["ROUGE_2_R"] == 0
    # by vectors, without stems: dog is near hound, so the, dog ~ hound (barked has none) and dog
    assert found["ROUGE_1_R_WE"] == 3 / 6
    # halves that share one of two words: (2 · ½ ln 2 + 2 · ½ ln 1) / 2 = ½ ln 2, for both references
    assert found["JS_eval_1"] == pytest.approx(math.log(2) / 2)
    # bigrams: all differ
    assert found["JS_eval_2"] == pytest.approx(math.log(2))


def test_a_fitted_model_gives_its_scores_back(tmp_path):
    random = np.random.default_rng(0)
    words = list("abcdefghij")
    items = [item(*(" ".join(random.choice(words, 12)) for _ in range(2))) for _ in range(60)]
    names = ["ROUGE_1_R", "ROUGE_2_F", "ROUGE_L_P", "ROUGE_W_R", "ROUGE_SU4_F", "JS_eval_1"]
    empty = model(tmp_path / "m.json", kind="linear", features=names, weights=[0] * 6, intercept=0)
    found = features_of(empty, items)
    x = np.stack([found[name] for name in names], axis=1)
    truth = x @ [0.5, 0.2, 0.3, -0.1, 0.4, -0.6] + 0.25
    weights = np.linalg.lstsq(np.c_[x, np.ones(60)], truth, rcond=None)[0]
    fitted = model(
        tmp_path / "pyr.json", kind="linear", features=names, weights=weights[:-1].tolist(), intercept=weights[-1]
    )
    scorer = S3(str(fitted))
    assert scorer.columns == ("s3_pyr",)
    np.testing.assert_allclose(scorer.score(items)[:, 0], truth, atol=1e-9)


def kernel_ridge(x, y, gamma=2.0):
    """Fit weights of an RBF model, as a support vector regression has them."""
    likeness = np.exp(-gamma * ((x[:, None] - x) ** 2).sum(axis=2))
    return np.linalg.solve(likeness + 1e-6 * np.eye(len(x)), y)


def test_support_vectors_with_scaling(tmp_path):
    random = np.random.default_rng(1)
    x = random.random((20, 6))
    y = np.sin(x.sum(axis=1))
    mean, scale = x.mean(axis=0), x.std(axis=0)
    dual = kernel_ridge((x - mean) / scale, y - 1)
    path = model(
        tmp_path / "m.json",
        kind="svr",
        kernel="rbf",
        gamma=2.0,
        support=((x - mean) / scale).tolist(),
        dual=dual.tolist(),
        intercept=1.0,
        mean=mean.tolist(),
        scale=scale.tolist(),
    )
    np.testing.assert_allclose(load_model(path).predict(x), y, atol=1e-4)
    assert load_model(path).features == PUBLIC_FEATURES


@pytest.fixture
def sklearn(monkeypatch):
    """Classes of the names that scikit-learn's have, to make pickles as it makes them."""

    def made(module, name):
        for at in range(1, module.count(".") + 2):
            part = ".".join(module.split(".")[:at])
            if part not in sys.modules:
                monkeypatch.setitem(sys.modules, part, types.ModuleType(part))
        cls = type(name, (), {"__module__": module})
        monkeypatch.setattr(sys.modules[module], name, cls, raising=False)
        return cls

    return made


@pytest.mark.parametrize("protocol", [0, 2, 5])
@pytest.mark.parametrize("module", ["sklearn.svm.classes", "sklearn.svm._classes"])
def test_pickled_support_vectors(tmp_path, sklearn, protocol, module):
    random = np.random.default_rng(2)
    x, y = random.random((20, 6)), random.random(20)
    svr = sklearn(module, "SVR")()
    dual = kernel_ridge(x, y - 0.5)
    svr.__dict__ |= {
        "kernel": "rbf", "_gamma": 2.0, "degree": 3, "coef0": 0.0, "support_vectors_": np.asfortranarray(x),
        "_dual_coef_": dual[None], "_intercept_": np.array([0.5]), "probA_": np.array([]),
        "shape_fit_": (20, 6), "n_iter_": np.int32(7), "class_weight": None,
    }  # fmt: skip
    (tmp_path / "S3_pyr.pkl").write_bytes(pickle.dumps(svr, protocol))
    linear = sklearn("sklearn.linear_model.base", "LinearRegression")()
    linear.__dict__ |= {"coef_": np.arange(6.0), "intercept_": 0.5}
    scaler = sklearn("sklearn.preprocessing.data", "StandardScaler")()
    scaler.__dict__ |= {"mean_": np.full(6, 0.5), "scale_": np.full(6, 2.0)}
    pipeline = sklearn("sklearn.pipeline", "Pipeline")()
    pipeline.__dict__ |= {"steps": [("scale", scaler), ("model", linear)]}
    (tmp_path / "S3_resp.pkl").write_bytes(pickle.dumps(pipeline, protocol))
    np.testing.assert_allclose(load_model(tmp_path / "S3_pyr.pkl").predict(x), y, atol=1e-4)
    np.testing.assert_allclose(load_model(tmp_path / "S3_resp.pkl").predict(x), (x - 0.5) / 2 @ np.arange(6.0) + 0.5)


def test_a_folder_as_the_authors_share_it(tmp_path, vectors):
    for name in ("pyr", "resp"):
        model(tmp_path / f"S3_{name}.json", kind="linear", weights=[0, 0, 1, 0, 0, 0], intercept=0.0)
    scorer = S3(str(tmp_path), vectors=str(vectors))
    assert scorer.columns == ("s3_pyr", "s3_resp")
    got = scorer.score([item("a dog", "a dog barks"), item("", "a dog"), item("a dog"), item("今天天气", "今天天气")])
    np.testing.assert_array_equal(got[:, 0], [2 / 3, np.nan, np.nan, np.nan])
    assert scorer.signature.startswith("s3|model:")
    assert "|vectors:" in scorer.signature
    assert pickle.loads(pickle.dumps(scorer)).signature == scorer.signature


class Evil:
    def __reduce__(self):
        return (open, ("evil", "w"))


class AlsoEvil:
    def __reduce__(self):
        import os

        return (os.system, ("touch evil",))


@pytest.mark.parametrize("evil", [Evil(), AlsoEvil(), [Evil()]])
def test_nothing_in_a_pickle_is_run(tmp_path, monkeypatch, evil):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "m.pkl"
    path.write_bytes(pickle.dumps(evil))
    with pytest.raises(FormatError, match="which no fitted model needs; it is not loaded"):
        load_model(path)
    assert [p.name for p in tmp_path.iterdir()] == ["m.pkl"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x80\x02garbage", "neither JSON nor a pickled model"),
        (b"", "neither JSON nor a pickled model"),
        (pickle.dumps({"a": 1}), "holds no model of scikit-learn, but dict"),
        (b"\x80\x02Nr\xff\xff\xff\x3f.", "it numbers more values than it has bytes"),
        (b"\x80\x02)" + b"2\x86" * 60 + b".", "repeats shared parts too often"),
        (b"\x80\x02}N" + b"\x85" * 100_000 + b"Ns.", "a tuple as a key"),
        (pickle.dumps(np.array(["x"], dtype=object)), "an array must hold numbers"),
        (b"{oops", "not JSON"),
        (b'{"kind": "tree"}', "'kind' must be 'linear' or 'svr', got 'tree'"),
        (b'{"kind": "linear", "weights": [1, 2], "intercept": 0}', "takes 2 features, but 6 are named"),
        (b'{"kind": "linear", "features": [1], "weights": [1], "intercept": 0}', "'features' must be a list of names"),
        (b'{"kind": "linear", "features": ["A"], "weights": ["x"], "intercept": 0}', "'weights' must hold numbers"),
        (b'{"kind": "svr", "features": ["A"], "support": [[1]], "dual": [1, 2], "intercept": 0}', "but 2 weights of"),
        (b'{"kind": "svr", "features": ["A"], "support": [1], "dual": [1], "intercept": 0}', "list of lists"),
        (b'{"kind": "svr", "features": ["A"], "support": [[1]], "dual": [1], "intercept": 0, "kernel": "x"}', "kernel"),
    ],
)
def test_files_that_are_no_models(tmp_path, content, message):
    path = tmp_path / "m"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=message) as caught:
        load_model(path)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_what_is_asked_for_is_told(tmp_path):
    with pytest.raises(UsageError, match="s3 needs a model"):
        S3()
    with pytest.raises(UsageError, match="cannot read the model"):
        S3(str(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match=r"no file in .* has 'pyr' or 'resp'"):
        S3(str(tmp_path))
    with pytest.raises(UsageError, match="takes ROUGE_1_R_WE; give word vectors"):
        S3(str(model(tmp_path / "m", kind="linear", weights=[0] * 6, intercept=0)))
    with pytest.raises(UsageError, match="unknown feature 'ROUGE_X'"):
        S3(str(model(tmp_path / "m", kind="linear", features=["ROUGE_X"], weights=[0], intercept=0)))
    for name in ("a_pyr", "b_pyr"):
        model(tmp_path / name, kind="linear", weights=[0] * 6, intercept=0)
    with pytest.raises(UsageError, match="several models"):
        S3(str(tmp_path))


def test_stop_words_are_those_of_nltk():
    assert len(STOP_WORDS) == 153
    assert {"ain", "once", "themselves"} < STOP_WORDS
    assert not {"could", "would", "dog"} & STOP_WORDS
