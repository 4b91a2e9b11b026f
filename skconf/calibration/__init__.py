"""Post-hoc calibrators: probabilities in, better probabilities out."""

from collections.abc import Callable
from typing import Any

from skconf.calibration._isotonic import IsotonicCalibrator
from skconf.calibration._platt import PlattCalibrator

__all__ = ["CALIBRATORS", "IsotonicCalibrator", "PlattCalibrator", "make_calibrator"]

CALIBRATORS: dict[str, Callable[[], Any]] = {"platt": PlattCalibrator, "isotonic": IsotonicCalibrator}


def make_calibrator(calibration: Any) -> Any:
    """Return a new calibrator for a name, or the given one.

    Parameters
    ----------
    calibration : str or calibrator
        A name from ``CALIBRATORS``, or an object with ``fit(proba, y, sample_weight)`` and ``predict_proba(proba)``.

    Returns
    -------
    calibrator
    """
    return CALIBRATORS[calibration]() if isinstance(calibration, str) else calibration
