"""Models of S3 from files: JSON that says what it is, or pickles of scikit-learn, of which only the numbers are taken.

Loading a pickle the usual way can run any program, and one of another version of scikit-learn often fails. Here nothing
that a pickle names is called or imported: its objects become dumb holders of their fields, its arrays are made from
their bytes, and whatever else it names is refused. scikit-learn is not needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from metassay.core import pickles, strict_json, vocabulary
from metassay.errors import FormatError, UsageError, one_line
from metassay.stats.arrays import FloatArray

PUBLIC_FEATURES = ("JS_eval_1", "JS_eval_2", "ROUGE_1_R", "ROUGE_1_R_WE", "ROUGE_2_R", "ROUGE_2_R_WE")
"""What the published models take, in their order."""
KERNELS = ("linear", "rbf", "poly", "sigmoid")
_LARGEST = 256 << 20


@dataclass(frozen=True, slots=True)
class Linear:
    """Weights and a constant."""

    weights: FloatArray
    intercept: float

    @property
    def width(self) -> int:
        """How many features it takes."""
        return len(self.weights)

    def __call__(self, features: FloatArray) -> FloatArray:
        """Return a prediction per row."""
        return features @ self.weights + self.intercept


@dataclass(frozen=True, slots=True)
class SupportVectors:
    """Support vector regression: likeness to the vectors that were kept, weighed and summed."""

    support: FloatArray
    dual: FloatArray
    intercept: float
    kernel: str
    gamma: float
    degree: float
    coef0: float

    @property
    def width(self) -> int:
        """How many features it takes."""
        return int(self.support.shape[1])

    def __call__(self, features: FloatArray) -> FloatArray:
        """Return a prediction per row."""
        products = features @ self.support.T
        if self.kernel == "rbf":
            squares = (features**2).sum(axis=1)[:, None] + (self.support**2).sum(axis=1) - 2 * products
            likeness = np.exp(-self.gamma * np.maximum(squares, 0))
        elif self.kernel == "poly":
            likeness = (self.gamma * products + self.coef0) ** self.degree
        elif self.kernel == "sigmoid":
            likeness = np.tanh(self.gamma * products + self.coef0)
        else:
            likeness = products
        predicted: FloatArray = likeness @ self.dual + self.intercept
        return predicted


@dataclass(frozen=True, slots=True)
class Model:
    """A regression over named features."""

    features: tuple[str, ...]
    """What it takes, in its order."""
    regression: Linear | SupportVectors
    """From features to a score."""
    mean: FloatArray
    """What is taken off each feature first."""
    scale: FloatArray
    """What each feature is then divided by."""

    def predict(self, values: FloatArray) -> FloatArray:
        """Return scores from features of shape (items, features)."""
        return self.regression((values - self.mean) / self.scale)


def load_model(path: Path) -> Model:
    """Read a model from JSON, or the numbers of a pickled one; nothing in the file is ever run."""
    try:
        if path.stat().st_size > _LARGEST:
            raise FormatError(f"a model of S3 has no more than {_LARGEST >> 20} MB", file=path)
        data = path.read_bytes()
    except OSError as error:
        why = error.strerror or one_line(error)
        raise UsageError(f"s3: cannot read the model {one_line(path)!r}: {why.lower()}") from None
    try:
        return _from_json(data) if data.lstrip()[:1] == b"{" else _from_pickle(data)
    except FormatError as error:
        raise FormatError(str(error), file=path) from None


# -- JSON ---------------------------------------------------------------------------------------


def _from_json(data: bytes) -> Model:
    try:
        given = strict_json.loads(data.decode().strip())
    except (ValueError, RecursionError) as error:
        raise FormatError(f"this is not JSON: {one_line(error)}") from None
    assert isinstance(given, dict), "the text begins with a brace"
    kind = given.get("kind")
    features = given.get("features", list(PUBLIC_FEATURES))
    if not isinstance(features, list) or not features or not all(isinstance(name, str) for name in features):
        raise FormatError('\'features\' must be a list of names, such as ["ROUGE_1_R", "JS_eval_2"]')
    if kind == "linear":
        found: Linear | SupportVectors = Linear(_vector(given, "weights"), _number(given, "intercept"))
    elif kind == "svr":
        found = _support_vectors(given, _matrix(given, "support"), _vector(given, "dual"), _number(given, "gamma", 1.0))
    else:
        raise FormatError(f"'kind' must be 'linear' or 'svr', got {one_line(repr(kind), 40)}")
    return _model(tuple(features), found, _vector(given, "mean", 0.0), _vector(given, "scale", 1.0))


def _support_vectors(given: Mapping[str, Any], support: FloatArray, dual: FloatArray, gamma: float) -> SupportVectors:
    kernel = given.get("kernel", "rbf")
    try:
        kernel = vocabulary.choice("kernel", str(kernel), KERNELS)
    except UsageError as error:
        raise FormatError(str(error)) from None
    if len(dual) != len(support):
        raise FormatError(f"there are {len(support)} support vectors, but {len(dual)} weights of them")
    degree, coef0 = _number(given, "degree", 3.0), _number(given, "coef0", 0.0)
    return SupportVectors(support, dual, _number(given, "intercept"), kernel, gamma, degree, coef0)


def _model(features: tuple[str, ...], found: Linear | SupportVectors, mean: FloatArray, scale: FloatArray) -> Model:
    if found.width != len(features):
        raise FormatError(f"the model takes {found.width} features, but {len(features)} are named: {features}")
    for name, part in (("mean", mean), ("scale", scale)):
        if part.shape not in ((), (1,), (len(features),)):
            raise FormatError(f"{name!r} must have {len(features)} numbers, got {part.size}")
    if not (scale != 0).all():
        raise FormatError("'scale' must not have a 0")
    return Model(features, found, mean, scale)


def _number(given: Mapping[str, Any], name: str, default: float | None = None) -> float:
    found = np.asarray(_array(given, name, default))
    if found.size != 1:
        raise FormatError(f"{name!r} must be a number, got {found.size}")
    return float(found.reshape(-1)[0])


def _vector(given: Mapping[str, Any], name: str, default: float | None = None) -> FloatArray:
    return np.asarray(_array(given, name, default).reshape(-1))


def _matrix(given: Mapping[str, Any], name: str) -> FloatArray:
    found = _array(given, name, None)
    if found.ndim != 2:
        raise FormatError(f"{name!r} must be a list of lists of numbers")
    return found


def _array(given: Mapping[str, Any], name: str, default: float | None) -> FloatArray:
    value = given.get(name, default)
    if isinstance(value, _Array):
        value = value.values
    try:
        found = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.array(math.nan)
    if not np.isfinite(found).all():
        raise FormatError(f"{name!r} must hold numbers, got {one_line(repr(value), 40)}")
    return found


# -- pickles ------------------------------------------------------------------------------------


def _from_pickle(data: bytes) -> Model:
    try:
        found = pickles.load(data, _named, objects=True)
    except pickles.Damaged as error:
        raise FormatError(f"this is neither JSON nor a pickled model: {error}") from None
    mean, scale = np.zeros(1), np.ones(1)
    if isinstance(found, _Holder) and found.kind == "Pipeline":
        steps = [step[-1] for step in found.fields.get("steps", ()) if isinstance(step, tuple | list) and step]
        for step in steps[:-1]:
            if not isinstance(step, _Holder) or step.kind != "StandardScaler":
                raise FormatError(f"a step before the model must be a StandardScaler, got {_kind(step)}")
            if step.fields.get("mean_") is not None:
                mean = _vector(step.fields, "mean_")
            if step.fields.get("scale_") is not None:
                scale = _vector(step.fields, "scale_")
        found = steps[-1] if steps else None
    if not isinstance(found, _Holder):
        raise FormatError(f"the pickle holds no model of scikit-learn, but {_kind(found)}")
    return _model(PUBLIC_FEATURES, _regression(found), mean, scale)


def _regression(found: _Holder) -> Linear | SupportVectors:
    fields = found.fields
    if found.kind in ("SVR", "NuSVR"):
        dual = "_dual_coef_" if "_dual_coef_" in fields else "dual_coef_"
        intercept = {**fields, "intercept": fields.get("_intercept_", fields.get("intercept_"))}
        gamma = _number(fields, "_gamma", 1.0)
        return _support_vectors(intercept, _matrix(fields, "support_vectors_"), _vector(fields, dual), gamma)
    if "coef_" in fields:
        return Linear(_vector(fields, "coef_"), _number(fields, "intercept_"))
    raise FormatError(f"a model must be linear or a support vector regression, got {found.kind}")


def _kind(found: object) -> str:
    return one_line(found.kind if isinstance(found, _Holder) else type(found).__name__, 40)


class _Holder(pickles.Standin):
    """An object of scikit-learn without its class: a name and fields."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.fields: dict[str, Any] = {}

    def take(self, state: object) -> None:
        """Take the fields."""
        if isinstance(state, dict):
            self.fields = {str(name): value for name, value in state.items()}

    @property
    def parts(self) -> Iterable[object]:
        """The fields' values."""
        return self.fields.values()


class _Array(pickles.Standin):
    """An array of NumPy, from its bytes."""

    def __init__(self, *_: object) -> None:
        self.values: npt.NDArray[Any] = np.zeros(0)

    def take(self, state: object) -> None:
        """Take type, shape and bytes, as NumPy hands them over."""
        if not isinstance(state, tuple) or len(state) < 4:
            raise pickles.Damaged("the pickle is damaged: an array has no type, shape and numbers")
        shape, kind, columns, data = state[-4:]
        self.fill(data, kind, shape, "F" if columns else "C")

    def fill(self, data: object, kind: object, shape: object, order: object) -> None:
        """Take the numbers from bytes."""
        if not isinstance(kind, pickles.Dtype) or not isinstance(shape, tuple):
            raise FormatError("an array must hold numbers")
        self.values = kind.numbers(data).reshape(shape, order="F" if order == "F" else "C")


def _array_of_buffer(data: object, kind: object, shape: object, order: object) -> _Array:
    made = _Array()
    made.fill(data, kind, shape, order)
    return made


def _reconstructed(named: object, *_: object) -> object:
    if isinstance(named, pickles.Named) and named.call is not None:
        return named.call()
    raise FormatError("it makes an object of an unknown kind")


_NAMES: tuple[tuple[tuple[str, ...], str, pickles.Named], ...] = (
    (("numpy.core.multiarray", "numpy._core.multiarray"), "_reconstruct", pickles.Named(_Array)),
    (("numpy.core.numeric", "numpy._core.numeric"), "_frombuffer", pickles.Named(_array_of_buffer)),
    (("numpy",), "ndarray", pickles.Named()),
    (("copy_reg", "copyreg"), "_reconstructor", pickles.Named(_reconstructed)),
    (("__builtin__", "builtins"), "object", pickles.Named()),
)
_KNOWN = pickles.PLAIN | {(module, name): stand for modules, name, stand in _NAMES for module in modules}
"""What a pickle of a fitted model names beside scikit-learn's classes, and what stands in for it here."""


def _named(module: str, name: str) -> pickles.Named:
    if (module, name) in _KNOWN:
        return _KNOWN[module, name]
    if module.partition(".")[0] == "sklearn":
        return pickles.Named(lambda *_: _Holder(name))
    raise FormatError(
        f"the pickle names {one_line(f'{module}.{name}', 60)}, which no fitted model needs; it is not loaded"
    )
