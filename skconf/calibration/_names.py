"""Calibrators by name."""

from collections.abc import Callable
from functools import partial
from typing import Any

from skconf._core.messages import suggest
from skconf.calibration._bayesian import BayesianCalibrator
from skconf.calibration._beta import BetaCalibrator
from skconf.calibration._histogram import HistogramBinningCalibrator
from skconf.calibration._isotonic import SMOOTHING, IsotonicCalibrator
from skconf.calibration._matrix import MatrixCalibrator
from skconf.calibration._platt import PlattCalibrator
from skconf.calibration._pooled import PooledCalibrator
from skconf.calibration._softmax import AffineCalibrator, TemperatureCalibrator
from skconf.calibration._spline import QuadraticCalibrator, SplineCalibrator
from skconf.calibration._venn_abers import VennAbersCalibrator

CALIBRATORS: dict[str, Callable[[], Any]] = {
    "platt": PlattCalibrator,
    "isotonic": IsotonicCalibrator,
    "smoothed_isotonic": partial(IsotonicCalibrator, smoothing=SMOOTHING),
    "temperature": TemperatureCalibrator,
    "smoothed_temperature": partial(TemperatureCalibrator, smoothing=1.0),
    "affine": AffineCalibrator,
    "matrix": MatrixCalibrator,
    "quadratic": QuadraticCalibrator,
    "beta": BetaCalibrator,
    "spline": SplineCalibrator,
    "bayesian": BayesianCalibrator,
    "venn_abers": VennAbersCalibrator,
    "pooled": PooledCalibrator,
    "histogram": HistogramBinningCalibrator,
}


#: Names of calibrators in other libraries.
_ELSEWHERE = {"sigmoid": "platt", "logistic": "platt", "binning": "histogram"}


def hint(name: str) -> str:
    """Return a sentence with the name that may be meant, or nothing."""
    if name.lower() in _ELSEWHERE:
        return f"Use {_ELSEWHERE[name.lower()]!r}, the name of {name!r} in skconf."
    return suggest(name, CALIBRATORS).strip()


def make_calibrator(calibration: Any) -> Any:
    """Return a new calibrator for a name, or the given one.

    Parameters
    ----------
    calibration : str or calibrator
        A name from ``CALIBRATORS``, or an object with ``fit(proba, y, sample_weight)`` and ``predict_proba(proba)``.

    Returns
    -------
    calibrator

    Raises
    ------
    ValueError
        If there is no calibrator of that name.
    """
    if not isinstance(calibration, str):
        return calibration
    if calibration not in CALIBRATORS:
        raise ValueError(
            f"There is no calibrator {calibration!r}. Choose one of {', '.join(map(repr, CALIBRATORS))}."
            f" {hint(calibration)}".rstrip()
        )
    return CALIBRATORS[calibration]()
