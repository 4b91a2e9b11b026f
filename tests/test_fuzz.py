"""Broken input at every door: the answer of clean input, NaN with its warning, or an error that names the argument."""

import inspect
import re
import warnings
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from _support.definitions import DEFINITIONS
from _support.predictions import draw_classes, draw_counts
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from skconf import ConfidenceProfile, MetricAccumulator, calibration, confidence_report, get_scorer, inference, metrics

try:
    import polars as pl
except ImportError:
    pl = None

pytestmark = pytest.mark.filterwarnings("ignore")  # they are recorded where they count


@dataclass(frozen=True)
class Task:
    """True labels and probabilities as users have them."""

    y: Any
    proba: Any
    weight: Any
    labels: Any

    @classmethod
    def draw(cls, seed: int, n_classes: int, n: int = 24) -> "Task":
        y, proba = draw_classes(n, n_classes, seed)
        y[:n_classes] = np.arange(n_classes)
        return cls(y, proba, 1 + draw_counts(n, seed), np.arange(n_classes))


class Tensor:
    """What numpy is told by a tensor that needs a gradient."""

    requires_grad = True

    def __init__(self, values: Any) -> None:
        self.shape = np.shape(values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")

    def __len__(self) -> int:
        return self.shape[0]


def put(array: Any, value: Any, dtype: Any = None) -> Any:
    """Return an array with another first entry."""
    changed = np.array(array, dtype=dtype)
    changed[(0,) * changed.ndim] = value
    return changed


def named(proba: Any, names: Any, order: Any) -> pd.DataFrame:
    return pd.DataFrame(proba[:, order], columns=[names[k] for k in order])


#: What can happen to an array of numbers, whatever it stands for.
TO_NUMBERS = {
    "NaN": lambda a: put(a, np.nan),
    "infinity": lambda a: put(a, np.inf),
    "negative": lambda a: put(a, -0.5),
    "None": lambda a: put(a, None, object),
    "missing in a nullable type": lambda a: pd.DataFrame(put(a, np.nan)).astype("Float64"),
    "a word": lambda a: put(a, "half", object),
    "complex numbers": lambda a: a + 0j,
    "dates": lambda a: np.zeros(a.shape, "M8[s]"),
    "durations": lambda a: np.ones(a.shape, "m8[ns]"),
    "hidden values": lambda a: np.ma.array(a, mask=put(np.zeros(a.shape, bool), True)),
    "a structured array": lambda a: np.zeros(len(a), dtype=[("a", float), ("b", float)]),
    "sparse": lambda a: sparse.csr_array(np.atleast_2d(a)),
    "a tensor with a gradient": Tensor,
    "three axes": lambda a: np.stack([np.atleast_2d(a)] * 2),
    "a row too few": lambda a: a[1:],
    "a row too many": lambda a: np.concatenate([a, a[:1]]),
    "nothing": lambda a: a[:0],
    "a number": lambda a: 0.5,  # noqa: ARG005
    "a text": lambda a: "0.5",  # noqa: ARG005
    "a mapping": lambda a: {"a": a},
    "a set": lambda a: {0.5, 0.25},  # noqa: ARG005
    "objects of Python": lambda a: a.astype(object),
    "big-endian": lambda a: a.astype(">f8"),
    "a list": lambda a: a.tolist(),
    "texts of numbers": lambda a: a.astype(str),
    "nothing hidden": lambda a: np.ma.array(a, mask=False),
    "not contiguous": lambda a: np.repeat(a, 2, axis=0)[::2],
}
#: What can happen to labels.
TO_LABELS = {
    "None": lambda a: put(a, None, object),
    "NaN": lambda a: put(a, np.nan, float),
    "complex numbers": lambda a: a + 0j,
    "hidden values": lambda a: np.ma.array(a, mask=put(np.zeros(a.shape, bool), True)),
    "a structured array": lambda a: np.zeros(len(a), dtype=[("a", float), ("b", float)]),
    "a tensor with a gradient": Tensor,
    "sparse": lambda a: sparse.csr_array(np.atleast_2d(a)),
    "two columns": lambda a: np.column_stack([a, a]),
    "a row vector": lambda a: a[np.newaxis],
    "lists": lambda a: [[label] * 2 for label in a.tolist()],
    "texts": lambda a: a.astype(str),
    "a word among numbers": lambda a: put(a, "zero", object),
    "unknown": lambda a: put(a, 77),
    "dates": lambda a: a.astype("M8[D]"),
    "a row too few": lambda a: a[1:],
    "a row too many": lambda a: np.append(a, a[0]),
    "nothing": lambda a: a[:0],
    "a number": lambda a: 1,  # noqa: ARG005
    "a text": lambda a: "yes",  # noqa: ARG005
    "a mapping": lambda a: {"a": a},
    "big-endian": lambda a: a.astype(">i8"),
    "floats": lambda a: a.astype(float),
    "a list": lambda a: a.tolist(),
    "a column": lambda a: a[:, np.newaxis],
    "categories": lambda a: pd.Series(a, dtype="category"),
    "another index": lambda a: pd.Series(a, index=range(100, 100 + len(a))),
}
#: What can happen to the columns of probabilities.
TO_COLUMNS = {
    "logits": lambda p: np.log(p + 1e-9),
    "percents": lambda p: 100 * p,
    "a column too many": lambda p: np.column_stack([p, np.zeros(len(p))]),
    "one column of many": lambda p: p[:, :1],
    "other names": lambda p: pd.DataFrame(p, columns=[f"p{k}" for k in range(p.shape[1])]),
    "one other name": lambda p: pd.DataFrame(p, columns=[*range(p.shape[1] - 1), "rest"]),
    "named and turned": lambda p: named(p, range(p.shape[1]), np.roll(np.arange(p.shape[1]), 1)),
    "prefixed and turned": lambda p: named(p, [f"proba_{k}" for k in range(p.shape[1])], np.arange(p.shape[1])[::-1]),
    "a default index": pd.DataFrame,
    "nullable": lambda p: pd.DataFrame(p).astype("Float64"),
    "predicted labels": lambda p: (p == p.max(axis=1, keepdims=True)).astype(int),
}
if pl is not None:
    TO_COLUMNS["polars"] = lambda p: pl.DataFrame(p[:, ::-1], schema=[str(k) for k in range(p.shape[1])][::-1])
#: What can happen to weights besides.
TO_WEIGHTS = {
    "all zero": lambda w: 0 * w,
    "two columns": lambda w: np.column_stack([w, w]),
    "tiny": lambda w: w * 2.0**-700,
    "huge": lambda w: w * 2.0**500,
}
#: What can be given as the labels of the columns.
TO_KNOWN = {
    "too few": lambda labels: labels[1:],
    "too many": lambda labels: np.append(labels, 77),
    "twice": lambda labels: np.append(labels[:-1], labels[0]),
    "others": lambda labels: labels + 50,
    "texts": lambda labels: labels.astype(str),
    "a table": lambda labels: [labels.tolist()],
    "a word": lambda labels: "01"[: len(labels)],
    "mixed": lambda labels: [*labels[:-1].tolist(), "last"],
    "missing": lambda labels: put(labels, np.nan, float),
    "a number": lambda labels: len(labels),
    "a list": lambda labels: labels.tolist(),
    "nothing": lambda labels: [],  # noqa: ARG005
}

#: Every kind of broken input: the field of the task, what happens to it, and how.
KINDS = [
    *(("proba", name, change) for name, change in {**TO_NUMBERS, **TO_COLUMNS}.items()),
    *(("weight", name, change) for name, change in {**TO_NUMBERS, **TO_WEIGHTS}.items()),
    *(("y", name, change) for name, change in TO_LABELS.items()),
    *(("labels", name, change) for name, change in TO_KNOWN.items()),
]
#: What is told by a warning that names the argument, besides an answer.
TOLD = {("proba", "predicted labels")}


class Fixed(ClassifierMixin, BaseEstimator):
    """A fitted classifier that says what it was made with."""

    def __init__(self, proba: Any, labels: Any) -> None:
        self.proba, self.classes_ = proba, labels

    def fit(self, X: Any, y: Any) -> "Fixed":  # noqa: ARG002
        return self

    def predict_proba(self, X: Any) -> Any:  # noqa: ARG002
        return self.proba


#: What doors call the fields of a task: fields that they do not take are left out.
USUAL = {"y": "y_true", "proba": "y_proba", "weight": "sample_weight", "labels": "labels"}
OF_CALIBRATORS = {"y": "y", "proba": "proba", "weight": "sample_weight", "labels": "labels"}
OF_SCORERS = {"y": "y", "proba": "Fixed", "weight": "sample_weight"}
#: Parameters that make slow metrics fast, and averages of metrics that are of one class.
FAST = {"n_resamples": 19, "average": "macro"}


def metric_door(name: str, *, weighted: bool) -> Any:
    function = getattr(metrics, name)
    own = {key: value for key, value in FAST.items() if key in inspect.signature(function).parameters}
    if name == "cw_roc_curve":
        own["pos_label"] = 1

    def call(task: Task) -> Any:
        weight = {"sample_weight": task.weight} if weighted else {}
        return function(task.y, task.proba, labels=task.labels, **weight, **own)

    return call, USUAL if weighted else {field: name for field, name in USUAL.items() if field != "weight"}


def takes_weights(name: str) -> bool:
    return DEFINITIONS[name].weight_meaning.name != "REFUSED"


def scorer_door(name: str) -> Any:
    scorer = get_scorer(name)
    return (
        lambda task: scorer(Fixed(task.proba, task.labels), np.zeros((24, 1)), task.y, sample_weight=task.weight)
    ), OF_SCORERS


def calibrator_door(name: str) -> Any:
    # Two members read what all of the pool would, and one segment what eight do.
    small = {
        "pooled": calibration.PooledCalibrator(["platt", None]),
        "bayesian": calibration.BayesianCalibrator(n_segments=1),
    }
    made = small.get(name, calibration.make_calibrator(name))

    def call(task: Task) -> Any:
        model = clone(made).fit(task.proba, task.y, task.weight, labels=task.labels)
        return model.predict_proba(task.proba)

    return call, OF_CALIBRATORS


def given_to(function: Any) -> Any:
    return lambda task: function(task.y, task.proba, labels=task.labels, sample_weight=task.weight)


SCORERS = ("cw_accuracy", "neg_ece", "cf1_macro", "neg_augrc")
DOORS = {
    **{name: metric_door(name, weighted=takes_weights(name)) for name in DEFINITIONS},
    **{f"scorer {name}": scorer_door(name) for name in SCORERS},
    **{f"calibrator {name}": calibrator_door(name) for name in calibration.CALIBRATORS},
    "profile": (
        given_to(lambda *args, **kwargs: ConfidenceProfile.from_predictions(*args, **kwargs).confidence),
        USUAL,
    ),
    "report": (given_to(lambda *args, **kwargs: confidence_report(*args, **kwargs).frame["value"]), USUAL),
    "interval": (
        given_to(lambda *a, **k: inference.confidence_interval("cw_accuracy", *a, random_state=0, **k).low),
        USUAL,
    ),
    "groups": (
        given_to(lambda *a, **k: inference.by_group("cw_accuracy", *a, groups=np.arange(24) % 2, **k)["value"]),
        USUAL,
    ),
    "accumulator": (
        lambda task: (
            MetricAccumulator("cw_accuracy", labels=task.labels)
            .update(task.y, task.proba, sample_weight=task.weight)
            .result()["cw_accuracy"]
        ),
        USUAL,
    ),
}
#: What is no broken input for a door: several models; a class that a classifier was not trained on; sums that are as
#: large as the weights; and a report, which leaves out what these predictions cannot have.
MEANT = [
    ("report", "proba", "a mapping"),
    ("report", "y", "a mapping"),
    *((f"scorer {name}", "y", "unknown") for name in SCORERS),
    *(
        (name, "weight", size)
        for name in (*DEFINITIONS, "report")
        for size in ("tiny", "huge")
        if "confusion_matrix" in name or name == "report"
    ),
]


def flat(value: Any) -> Any:
    if isinstance(value, tuple):
        return np.concatenate([flat(part) for part in value])
    return np.ravel(np.asarray(value, dtype=float))


def outcome(call: Any, task: Task) -> tuple[Any, list[str]]:
    """Return what a door says, an answer or an error, and the warnings before it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = flat(call(task))
        except Exception as error:  # noqa: BLE001 – which kind it is, is the question
            found = error
    return found, [str(warning.message) for warning in caught]


@cache
def usual(door: str, seed: int, n_classes: int) -> Any:
    """Return what a door says of a task."""
    return outcome(DOORS[door][0], Task.draw(seed, n_classes))[0]


def verdict(door: str, key: tuple[int, int], field: str, change: str, make: Any) -> str:
    """Return what is wrong with what a door says of broken input, or nothing; a seed and a number of classes."""
    if (door, field, change) in MEANT:
        return ""
    names, task = DOORS[door][1], Task.draw(*key)
    broken = make(getattr(task, field))
    found, said = outcome(DOORS[door][0], replace(task, **{field: broken}))
    if isinstance(found, Exception):
        if not isinstance(found, ValueError | TypeError):
            return f"{type(found).__name__}: {found}"
        # Of two columns that differ in length, and of labels that a true one is not among, either may be named.
        either = [names[field], *([names["y"]] if field == "labels" or "a row too" in change else [])]
        named = any(re.search(rf"\b{name}\b", str(found)) for name in either)
        return "" if named else f"does not name {names[field]}: {found}"
    expected = usual(door, *key)
    if found.shape == expected.shape and np.allclose(found, expected, rtol=1e-6, atol=1e-9, equal_nan=True):
        return ""
    if np.isnan(found).any() and any("undefined" in text for text in said):
        return ""
    if (field, change) in TOLD and any(names[field] in text for text in said):
        return ""
    return f"says {found}, and not {expected}"


@pytest.mark.parametrize(("field", "change", "make"), KINDS, ids=[f"{field}-{change}" for field, change, _ in KINDS])
def test_every_door(field, change, make):
    wrong = {
        door: said
        for door, (_, names) in DOORS.items()
        if field in names
        if (said := verdict(door, (0, 3), field, change, make))
    }
    assert wrong == {}


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 4), door=st.sampled_from(sorted(DOORS)), data=st.data())
def test_any_task(seed, n_classes, door, data):
    field, change, make = data.draw(st.sampled_from([kind for kind in KINDS if kind[0] in DOORS[door][1]]))
    assert verdict(door, (seed, n_classes), field, change, make) == ""
