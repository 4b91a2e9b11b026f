"""Reports: what the confidences of a classifier are worth, at a glance."""

from skconf.report._files import confidence_report_from_files
from skconf.report._frame import ConfidenceReport
from skconf.report._report import confidence_report, confidence_report_by_class

__all__ = ["ConfidenceReport", "confidence_report", "confidence_report_by_class", "confidence_report_from_files"]
