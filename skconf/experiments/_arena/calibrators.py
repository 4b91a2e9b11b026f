"""The arena's calibrators: of skconf, of scikit-learn, of other installed packages, and of the user."""

import hashlib
import inspect
import io
import os
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

from skconf._core.labels import Codes
from skconf._core.messages import suggest
from skconf._core.probabilities import Floats
from skconf.calibration import CALIBRATORS
from skconf.experiments._shared.estimators import find_by_place

#: The most classes that a method is used for: methods for two classes, slow methods, and one class against the rest.
_TWO, _FEW, _MANY = 2, 5, 20
#: Rows must sum to one with at most this error. They are then scaled to sum to one.
_ROUNDING = 1e-3

Make = Callable[[], Any]


class RefusalError(ValueError):
    """A calibrator returned something other than probabilities."""


@dataclass(frozen=True)
class Contestant:
    """A calibrator of the arena.

    Attributes
    ----------
    name, package : str
        Names of the calibrator and of its package, such as "sms" and "probmetrics".
    make : callable
        A function that returns a new calibrator.
    version : str
        A text that changes if the results may change.
    most_classes : int or None
        The calibrator is used only if there are at most this many classes. None means any number.
    """

    name: str
    package: str
    make: Make
    version: str
    most_classes: int | None = None

    def answer(self, proba: Floats, codes: Codes, asked: Floats) -> tuple[Floats, float, float]:
        """Return calibrated probabilities, and the processor time to fit and to predict.

        Errors of the calibrator are raised. RefusalError is raised if it does not return a row of probabilities for
        each sample.
        """
        nowhere = io.StringIO()  # some packages print a report for every fit
        with warnings.catch_warnings(), np.errstate(all="ignore"), redirect_stdout(nowhere), redirect_stderr(nowhere):
            warnings.simplefilter("ignore")
            calibrator = self.make()
            start = time.process_time()
            calibrator.fit(proba, codes, **_labels_for(calibrator, proba.shape[1]))
            fitted = time.process_time()
            out = np.asarray(calibrator.predict_proba(asked), dtype=np.float64)
            end = time.process_time()
        if out.shape == (len(asked),):
            out = np.column_stack([1 - out, out])
        return _checked(out, asked.shape), fitted - start, end - fitted


def find_contestants(names: Sequence[str | Callable[[], Any]] | None = None) -> list[Contestant]:
    """Return the chosen calibrators; None means all installed calibrators.

    Each of `names` is the name of a calibrator or of a package, MODULE:CLASS, or a class.
    """
    known = {each.name: each for each in _all()}
    if names is None:
        return list(known.values())
    packages = {each.package for each in known.values()}
    chosen: dict[str, Contestant] = {}
    for name in names:
        if not isinstance(name, str):
            own = _own(getattr(name, "__name__", str(name)), name)
            if own.name in chosen:
                raise ValueError(
                    f"two calibrators are called {own.name!r}. Rename one of them, or replace it by a function that "
                    "has another name and makes the same calibrator."
                )
            chosen[own.name] = own
        elif ":" in name:
            chosen[name] = _own(name, _imported(name))
        elif name in packages:
            chosen |= {each.name: each for each in known.values() if each.package == name}
        elif name in known:
            chosen[name] = known[name]
        else:
            raise ValueError(
                f"There is no calibrator {name!r} here.{suggest(name, [*known, *packages])} Known: "
                f"{', '.join([*sorted(packages), *known])}. Or pass your own as MODULE:CLASS."
            )
    return list(chosen.values())


def _all() -> list[Contestant]:
    ours = _digest(Path(str(files("skconf.calibration"))))
    contestants = [Contestant("none", "skconf", _maker(lambda *_: lambda asked: asked), "1")]
    contestants += [Contestant(name, "skconf", make, ours) for name, make in CALIBRATORS.items()]
    contestants.append(Contestant("ets", "paper", EnsembleTemperature, "1"))
    for package, of_package in _PEERS.items():
        try:
            number = version(_DISTRIBUTIONS.get(package, package))
            contestants += [
                Contestant(f"{package} {name}", package, make, number, most)
                for name, (make, most) in of_package().items()
            ]
        except (PackageNotFoundError, ImportError):
            continue
    return contestants


def _imported(name: str) -> Any:
    try:
        return find_by_place(name, "calibrator", "mine:MyCalibrator")[-1]
    except ValueError as error:
        raise ValueError(f"There is no calibrator {name!r}: {error}") from error


def _own(name: str, make: Any) -> Contestant:
    if not callable(make):
        raise ValueError(f"{name!r} must be a class or a function without arguments, but is a {type(make).__name__}.")
    edition = uuid4().hex[:16]  # a function of a notebook may have changed since an earlier run
    if name != "<lambda>" and not getattr(make, "__closure__", None):
        with suppress(OSError, TypeError):
            edition = _digest(Path(inspect.getfile(inspect.unwrap(make))))
    return Contestant(name, "own", make, edition)


def _digest(path: Path) -> str:
    sources = sorted(path.glob("*.py")) if path.is_dir() else [path]
    return hashlib.sha256(b"".join(file.read_bytes() for file in sources)).hexdigest()[:16]


def _labels_for(calibrator: Any, n_classes: int) -> dict[str, Any]:
    """Return the labels of all columns as the argument `labels`, if ``fit`` of the calibrator has this argument."""
    try:
        wanted = "labels" in inspect.signature(calibrator.fit).parameters
    except (TypeError, ValueError):
        wanted = False
    return {"labels": np.arange(n_classes)} if wanted else {}


def _checked(out: Floats, shape: tuple[int, ...]) -> Floats:
    if out.shape != shape:
        raise RefusalError(f"shape {out.shape} instead of {shape}")
    if not np.isfinite(out).all():
        raise RefusalError("probabilities that are not finite")
    total = out.sum(axis=1, keepdims=True)
    if np.abs(total - 1).max() > _ROUNDING:
        raise RefusalError(f"row sums from {total.min():.3g} to {total.max():.3g} instead of 1")
    out = np.clip(out, 0.0, 1.0)
    return out / out.sum(axis=1, keepdims=True)


class EnsembleTemperature:
    """Ensemble temperature scaling: a weighted mean of scaled, raw and uniform probabilities.

    First, the temperature in [0.05, 5] is fitted: it minimises the squared error of the scaled probabilities on the
    calibration data. Then the weights are fitted: they minimise the squared error of the mean.

    References
    ----------
    .. [1] J. Zhang, B. Kailkhura and T. Y.-J. Han, Mix-n-Match: Ensemble and compositional methods for uncertainty
       calibration in deep learning, ICML, 2020.
    """

    def fit(self, proba: Floats, y: Codes) -> None:
        """Find the temperature and the weights."""
        truth = np.eye(proba.shape[1])[y]

        def error(temperature: float) -> float:
            return float(np.square(_scaled(proba, temperature) - truth).sum())

        self.temperature = float(minimize_scalar(error, bounds=(0.05, 5.0), method="bounded").x)
        parts = self._parts(proba)
        square = np.einsum("ank,bnk->ab", parts, parts) / len(y)
        target = np.einsum("ank,nk->a", parts, truth) / len(y)
        self.weights = minimize(
            lambda weights: weights @ square @ weights - 2 * weights @ target,
            np.array([1.0, 0.0, 0.0]),
            jac=lambda weights: 2 * (square @ weights - target),
            method="SLSQP",
            bounds=[(0.0, 1.0)] * 3,
            constraints={"type": "eq", "fun": lambda weights: weights.sum() - 1},
            options={"ftol": 1e-12},
        ).x

    def _parts(self, proba: Floats) -> Floats:
        return np.stack([_scaled(proba, self.temperature), proba, np.full_like(proba, 1 / proba.shape[1])])

    def predict_proba(self, proba: Floats) -> Floats:
        """Return the mean."""
        out: Floats = np.tensordot(self.weights / self.weights.sum(), self._parts(proba), axes=1)
        return out


def _scaled(proba: Floats, temperature: float) -> Floats:
    return np.asarray(softmax(np.log(np.maximum(proba, 1e-15)) / temperature, axis=1))


class _Given(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that predicts its samples as probabilities: scikit-learn then calibrates given probabilities."""

    def __init__(self, n_classes: int) -> None:
        self.n_classes, self.classes_ = n_classes, np.arange(n_classes)

    def fit(self, X: Floats, y: Codes) -> "_Given":  # noqa: ARG002
        """Learn nothing."""
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """Return the samples."""
        return X

    def predict(self, X: Floats) -> Codes:
        """Return the most probable classes."""
        return X.argmax(axis=1)


#: A function that fits a calibrator and returns a function that predicts.
Fitted = Callable[[Floats, Codes], Callable[[Floats], Any]]


class _Fitted:
    """A calibrator that is fitted by a function."""

    def __init__(self, fitted: Fitted) -> None:
        self.fitted = fitted

    def fit(self, proba: Floats, y: Codes) -> None:
        self.predict_proba = self.fitted(proba, y)


def _maker(fitted: Callable[..., Callable[[Floats], Any]], *given: Any) -> Make:
    """Return a function that makes calibrators; each is fitted by `fitted` with `given` as first arguments."""
    return partial(_Fitted, partial(fitted, *given))


def _of_one(make: Make, predict: str, column: Floats, target: Codes) -> Callable[[Floats], Any]:
    """Fit a calibrator of the probability of one class, and return the method that predicts."""
    calibrator = make()
    calibrator.fit(column, target)
    return getattr(calibrator, predict)


def _one_against_rest(fitted: Fitted, proba: Floats, y: Codes) -> Callable[[Floats], Floats]:
    """Calibrate each class against the rest, and scale rows to sum to one. Two classes need only one calibrator."""
    is_two = proba.shape[1] == 2
    maps = [fitted(proba[:, k], (y == k).astype(int)) for k in ([1] if is_two else range(proba.shape[1]))]

    def answer(asked: Floats) -> Floats:
        columns = asked.T[1:] if is_two else asked.T
        out = np.column_stack(
            [np.asarray(of(column), dtype=float).ravel() for of, column in zip(maps, columns, strict=True)]
        )
        if is_two:
            return np.column_stack([1 - out, out])
        total = out.sum(axis=1, keepdims=True)
        return np.where(total > 0, out / np.where(total > 0, total, 1), 1 / out.shape[1])

    return answer


Entries = dict[str, tuple[Make, int | None]]


def _of_sklearn() -> Entries:
    def fitted(method: str, proba: Floats, y: Codes) -> Callable[[Floats], Any]:
        model = CalibratedClassifierCV(FrozenEstimator(_Given(proba.shape[1])), method=method)
        return model.fit(proba, y).predict_proba

    methods = ["sigmoid", "isotonic"]
    if tuple(map(int, version("scikit-learn").split(".")[:2])) >= (1, 8):
        methods.append("temperature")
    return {method: (_maker(fitted, method), None) for method in methods}


def _of_probmetrics() -> Entries:
    _one_thread()
    home = import_module("probmetrics.calibrators.factory")
    names = ("temp-scaling", "ts-mix", "svs", "sms", "ivap", "ivap-ovo")
    entries: Entries = {name: (partial(home.get_calibrator, name), None) for name in names}
    entries |= {
        "quadratic": (home.LogisticCalibrator, _TWO),
        "affine": (partial(home.get_calibrator, "affine-scaling"), _TWO),
        "vector": (home.VectorScalingCalibrator, None),
        "matrix": (home.MatrixScalingCalibrator, None),
        "ets": (home.ETSCalibrator, None),
        "kernel": (home.KernelCalibrator, _FEW),
        "cdf-spline": (partial(home.MulticlassOneVsRestCalibrator, home.CDFSplineCalibrator()), _FEW),
    }
    with suppress(PackageNotFoundError):
        version("cir-model")
        entries["cir"] = partial(home.get_calibrator, "cir"), _MANY
    return entries


def _of_venn_abers() -> Entries:
    home = import_module("venn_abers")

    def fitted(proba: Floats, y: Codes) -> Callable[[Floats], Any]:
        model = home.VennAbers()
        model.fit(proba, y)
        return lambda asked: model.predict_proba(asked)[0]

    return {"inductive": (_maker(fitted), _TWO)}


def _of_betacal() -> Entries:
    home = import_module("betacal")

    def fitted(parameters: str, column: Floats, target: Codes) -> Callable[[Floats], Any]:
        model = home.BetaCalibration(parameters=parameters)
        model.fit(column.reshape(-1, 1), target)
        return lambda asked: model.predict(asked.reshape(-1, 1))

    most = {"abm": _MANY, "am": _TWO, "ab": _TWO}
    return {name: (_maker(_one_against_rest, partial(fitted, name)), number) for name, number in most.items()}


def _of_netcal() -> Entries:
    _one_thread()
    scaling, binning = import_module("netcal.scaling"), import_module("netcal.binning")

    makers = {
        "logistic": scaling.LogisticCalibration,
        "beta": scaling.BetaCalibration,
        "temperature": scaling.TemperatureScaling,
        "histogram": binning.HistogramBinning,
        "bbq": binning.BBQ,
    }
    return {
        name: (_maker(_one_against_rest, partial(_of_one, make, "transform")), _TWO) for name, make in makers.items()
    }


def _of_splinecalib() -> Entries:
    make = import_module("splinecalib").SplineCalib
    return {"spline": (_maker(_one_against_rest, partial(_of_one, make, "calibrate")), _FEW)}


def _one_thread() -> None:
    """Let torch use one thread, like all other packages."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    import_module("torch").set_num_threads(1)


_PEERS: dict[str, Callable[[], Entries]] = {
    "sklearn": _of_sklearn,
    "probmetrics": _of_probmetrics,
    "venn-abers": _of_venn_abers,
    "betacal": _of_betacal,
    "netcal": _of_netcal,
    "splinecalib": _of_splinecalib,
}
_DISTRIBUTIONS = {"sklearn": "scikit-learn"}
