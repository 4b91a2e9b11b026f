"""What files of earlier versions hold, and a classifier that no version of another package changes."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

import skconf
from skconf import ConfidenceProfile, MetricAccumulator, SelectiveClassifier, TunedSelectiveClassifierCV
from skconf.calibration import CALIBRATORS, ConfidenceCalibrator, make_calibrator
from skconf.cli.main import COMMANDS, make_parser

CLASSES = ["ant", "bee", "cat"]


class Nearest(ClassifierMixin, BaseEstimator):
    """Softmax of minus the squared distances to the classes' means."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.means_ = np.stack([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def predict_proba(self, X):
        odds = np.exp(-((X[:, np.newaxis] - self.means_) ** 2).sum(axis=2))
        return odds / odds.sum(axis=1, keepdims=True)


def samples() -> tuple[np.ndarray, np.ndarray]:
    """Return samples and labels, without a random number of any package."""
    steps = np.arange(150)
    X = np.stack([np.sin(steps * 1.7) + steps % 3, np.cos(steps * 2.3) + (steps % 3 == 1)], axis=1)
    return X, np.array(CLASSES)[np.where(steps % 11 == 0, (steps + 1) % 3, steps % 3)]


def estimators() -> Iterator[tuple[str, Any]]:
    """Go through every kind of estimator that holds no model of scikit-learn, fitted, by name."""
    X, y = samples()
    for name in CALIBRATORS:
        yield f"selective_{name}", SelectiveClassifier(Nearest(), threshold=0.6, calibration=name).fit(X, y)
    yield "selective", SelectiveClassifier(Nearest(), threshold=0.6, confidence="entropy").fit(X, y)
    yield "ensemble", SelectiveClassifier(Nearest(), threshold=0.6, calibration="platt", ensemble=True).fit(X, y)
    yield "costs", SelectiveClassifier(Nearest(), reject_cost=0.2).fit(X, y)
    yield "tuned", TunedSelectiveClassifierCV(Nearest(), target=0.1, random_state=0).fit(X, y)
    guaranteed = TunedSelectiveClassifierCV(Nearest(), target=0.3, confidence_level=0.8, random_state=0)
    yield "guaranteed", guaranteed.fit(X, y)
    proba = Nearest().fit(X, y).predict_proba(X)
    yield "confidence_calibrator", ConfidenceCalibrator("isotonic").fit(proba, y)
    yield "quantile_histogram", make_calibrator("histogram").set_params(strategy="quantile").fit(proba, y)


def answers(model: Any) -> dict[str, np.ndarray]:
    """Return what a fitted estimator answers."""
    X, y = samples()
    if not hasattr(model, "predict"):
        return {"proba": model.predict_proba(Nearest().fit(X, y).predict_proba(X))}
    return {
        "proba": model.predict_proba(X),
        "label": model.predict(X).astype(str),
        "confidence": model.predict_confidence(X),
    }


def profile() -> ConfidenceProfile:
    """Return a profile of these samples."""
    X, y = samples()
    return ConfidenceProfile.from_predictions(y, Nearest().fit(X, y).predict_proba(X), labels=CLASSES)


def accumulator() -> MetricAccumulator:
    """Return sums of these samples."""
    X, y = samples()
    return MetricAccumulator(["accuracy", "neg_ece", "neg_aurc"], labels=CLASSES).update(
        y, Nearest().fit(X, y).predict_proba(X)
    )


def interface() -> Iterator[str]:
    """Go through the public names with their parameters, the scorers, and the commands with their options.

    A name in a line ends with "=" if it is given by keyword, or in any order.
    """
    modules = (each.name for each in pkgutil.iter_modules(skconf.__path__) if not each.name.startswith("_"))
    for place in ("skconf", *(f"skconf.{name}" for name in modules)):
        module = importlib.import_module(place)
        for name in sorted(module.__all__):
            if not inspect.ismodule(found := getattr(module, name)):
                yield f"{place}.{name} {_parameters(found)}".rstrip()
                yield from _members(f"{place}.{name}", found)
    yield " ".join(["scorers", *(f"{name}=" for name in skconf.get_scorer_names())])
    yield from _commands(make_parser(list(COMMANDS), "skconf"))


def _members(place: str, found: Any) -> Iterator[str]:
    own = [vars(each) for each in getattr(found, "__mro__", ()) if each.__module__.startswith("skconf")]
    for name in sorted({name for each in own for name in each if not name.startswith("_")}):
        if not name.endswith("_request"):  # scikit-learn makes these methods
            yield f"{place}.{name} {_parameters(getattr(found, name))}".rstrip()


def _parameters(found: Any) -> str:
    try:
        given = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return ""
    by_place = [each.name for each in given if each.kind < each.VAR_POSITIONAL]
    return " ".join([*by_place, *sorted(f"{each.name}=" for each in given if each.kind == each.KEYWORD_ONLY)])


def _commands(parser: Any) -> Iterator[str]:
    options = sorted(f"{option}=" for action in parser._actions for option in action.option_strings)
    yield " ".join([parser.prog.replace(" ", "_"), *options])
    for action in parser._actions:
        if hasattr(action.choices, "values"):
            for each in action.choices.values():
                yield from _commands(each)
