"""Post-hoc calibrators: probabilities in, better probabilities out."""

from skconf.calibration._confidence import ConfidenceCalibrator
from skconf.calibration._histogram import HistogramBinningCalibrator
from skconf.calibration._isotonic import IsotonicCalibrator
from skconf.calibration._names import CALIBRATORS, make_calibrator
from skconf.calibration._platt import PlattCalibrator
from skconf.calibration._softmax import AffineCalibrator, TemperatureCalibrator

__all__ = [
    "CALIBRATORS",
    "AffineCalibrator",
    "ConfidenceCalibrator",
    "HistogramBinningCalibrator",
    "IsotonicCalibrator",
    "PlattCalibrator",
    "TemperatureCalibrator",
    "make_calibrator",
]
