"""Reports: how much the confidences of a classifier can be trusted, in tables, text and pages."""

from skconf.report._predictions import confidence_report
from skconf.report._report import ConfidenceReport

__all__ = ["ConfidenceReport", "confidence_report"]
