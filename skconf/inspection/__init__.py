"""Displays: plots of a classifier's confidences. They need matplotlib."""

from skconf.inspection._confusion import ConfusionDisplay
from skconf.inspection._ecuas import ECUASDisplay
from skconf.inspection._histogram import ConfidenceHistogramDisplay
from skconf.inspection._reliability import ReliabilityDisplay
from skconf.inspection._risk_coverage import RiskCoverageDisplay
from skconf.inspection._roc import CWROCDisplay
from skconf.inspection._threshold import ThresholdDisplay

__all__ = [
    "CWROCDisplay",
    "ConfidenceHistogramDisplay",
    "ConfusionDisplay",
    "ECUASDisplay",
    "ReliabilityDisplay",
    "RiskCoverageDisplay",
    "ThresholdDisplay",
]
