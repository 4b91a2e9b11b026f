"""The user's own classifiers: they are imported by name, fitted to suitable features, and give probabilities."""

import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skconf._core.messages import suggest
from skconf._core.probabilities import Floats

#: A column of categories becomes at most this many columns of numbers. Rare categories share a column.
_MOST_CATEGORIES = 100


def find_estimator(where: str) -> tuple[str, Any]:
    """Import a classifier by its place, MODULE:NAME, and return its name and the classifier.

    The module is installed, or a file MODULE.py in the current folder. NAME is a class, a function that
    returns a classifier, or a classifier.
    """
    module, name, classifier = find_by_place(where, "classifier", "sklearn.svm:SVC")
    if inspect.isclass(classifier) or inspect.isfunction(classifier):
        try:
            classifier = classifier()
        except Exception as error:
            raise ValueError(
                f"{where}() fails: {_described(error)}. Write a function that returns the classifier, and name it as "
                f"{module}:FUNCTION."
            ) from error
    check_estimator(where, classifier)
    return name, classifier


def find_by_place(where: str, what: str, example: str) -> tuple[str, str, Any]:
    """Import an object by its place MODULE:NAME, and return MODULE, NAME and the object; raise if there is none."""
    module, _, name = where.partition(":")
    if not module or not name or "/" in module or module.endswith(".py"):
        raise ValueError(
            f"{where!r} does not name a {what}. Write MODULE:CLASS, such as {example}. For a file model.py in the "
            "current folder, write model:CLASS."
        )
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)  # `python -m` adds it, but the command `skconf` does not
    source = _import(module)
    if not hasattr(source, name):
        names = [each for each, value in vars(source).items() if inspect.isclass(value) or hasattr(value, "fit")]
        raise ValueError(f"{module} has no {name!r}.{suggest(name, names)}")
    return module, name, getattr(source, name)


def _import(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and (module == error.name or module.startswith(f"{error.name}.")):
            raise ValueError(f"There is no module {module!r}, and no file {module}.py in {Path.cwd()}.") from None
        raise ValueError(f"{module} cannot be imported: {_described(error)}.") from error
    except Exception as error:
        raise ValueError(f"{module} cannot be imported: {_described(error)}.") from error


def check_estimator(name: str, estimator: Any) -> None:
    """Raise if an object is not a classifier with ``fit`` and ``predict_proba``."""
    if inspect.isclass(estimator):
        raise ValueError(f"{name} is a class. Pass a classifier: {estimator.__name__}().")
    for method in ("fit", "predict_proba"):
        if not hasattr(estimator, method):
            raise ValueError(
                f"{name} has no {method}, but a classifier with probabilities is needed. Wrap other classifiers, such "
                "as LinearSVC, in sklearn.calibration.CalibratedClassifierCV."
            )


def seeded(estimator: Any, seed: int) -> Any:
    """Return a copy of a classifier in which each random state that is None is replaced by a seed."""
    copy = clone(estimator, safe=False)
    if not hasattr(copy, "get_params"):
        return copy
    open_ones = [
        name for name, value in copy.get_params().items() if value is None and name.split("__")[-1] == "random_state"
    ]
    return copy.set_params(**dict.fromkeys(open_ones, seed)) if open_ones else copy


class EstimatorError(ValueError):
    """The user's own classifier failed."""


def as_numbers() -> Any:
    """Return a transformer of any table to numbers of unit variance.

    Categories become columns of 0 and 1. Missing numbers become the median.
    """
    categories = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=_MOST_CATEGORIES, sparse_output=False
    )
    return make_column_transformer(
        (categories, make_column_selector(dtype_include="category")),
        remainder=make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()),
    )


def trained(
    estimator: Any, X: Any, classes: NDArray[np.intp], n_classes: int, name: str = ""
) -> Callable[[Any], Floats]:
    """Fit a copy of a classifier, and return a function that gives probabilities, also of classes not in `classes`.

    Classes are numbers from 0 to `n_classes` − 1. The fit and the function raise EstimatorError, with the name, if the
    classifier fails or does not return probabilities.
    """
    name = name or type(estimator).__name__
    model = clone(estimator, safe=False)
    with _errors_named(name):
        model.fit(X, classes)
    known = np.asarray(getattr(model, "classes_", np.arange(n_classes)))

    def probabilities(rows: Any) -> Floats:
        with _errors_named(name):
            given = np.asarray(model.predict_proba(rows), dtype=np.float64)
        return _of_all_classes(name, given, known, len(rows), n_classes)

    return probabilities


@contextmanager
def _errors_named(name: str) -> Iterator[None]:
    """Raise the errors of a classifier as EstimatorError, with its name."""
    try:
        yield
    except Exception as error:
        raise EstimatorError(f"{name} failed: {_described(error)}.") from error


def _of_all_classes(name: str, given: Floats, known: NDArray[Any], n_rows: int, n_classes: int) -> Floats:
    """Return probabilities with a column for each class; raise if they are not probabilities."""
    if given.shape != (n_rows, len(known)) or not np.isin(known, np.arange(n_classes)).all():
        raise EstimatorError(
            f"predict_proba of {name} returns an array of shape {given.shape}, but ({n_rows}, {len(known)}) is needed."
        )
    valid = (given >= 0).all(axis=1) & np.isclose(given.sum(axis=1), 1, atol=1e-3)
    if not valid.all():
        row = int(np.argmin(valid))
        raise EstimatorError(
            f"predict_proba of {name} does not return probabilities: row {row} is {given[row].round(4).tolist()}."
        )
    proba = np.zeros((n_rows, n_classes))
    proba[:, known.astype(np.intp)] = given
    return proba


def _described(error: Exception) -> str:
    """Describe an error from other code in words that continue a sentence."""
    text = " ".join(str(error).split()).rstrip(".")  # words of another package
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__
