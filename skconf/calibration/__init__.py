"""Post-hoc calibrators, which map predicted probabilities to calibrated ones."""

from skconf.calibration._bayesian import BayesianCalibrator
from skconf.calibration._beta import BetaCalibrator
from skconf.calibration._confidence import ConfidenceCalibrator
from skconf.calibration._histogram import HistogramBinningCalibrator
from skconf.calibration._isotonic import IsotonicCalibrator
from skconf.calibration._learned import LearnedConfidence
from skconf.calibration._matrix import MatrixCalibrator
from skconf.calibration._platt import PlattCalibrator
from skconf.calibration._pooled import CALIBRATORS, PooledCalibrator, make_calibrator
from skconf.calibration._prevalence import correct_prevalence
from skconf.calibration._softmax import AffineCalibrator, TemperatureCalibrator
from skconf.calibration._spline import QuadraticCalibrator, SplineCalibrator
from skconf.calibration._venn_abers import VennAbersCalibrator

__all__ = [
    "CALIBRATORS",
    "AffineCalibrator",
    "BayesianCalibrator",
    "BetaCalibrator",
    "ConfidenceCalibrator",
    "HistogramBinningCalibrator",
    "IsotonicCalibrator",
    "LearnedConfidence",
    "MatrixCalibrator",
    "PlattCalibrator",
    "PooledCalibrator",
    "QuadraticCalibrator",
    "SplineCalibrator",
    "TemperatureCalibrator",
    "VennAbersCalibrator",
    "correct_prevalence",
    "make_calibrator",
]
