"""Reports: tables that show how much the confidences of a classifier can be trusted."""

from skconf.report._by_class import confidence_report_by_class
from skconf.report._evidence.files import confidence_report_from_files
from skconf.report._frame import ConfidenceReport
from skconf.report._report import confidence_report

__all__ = ["ConfidenceReport", "confidence_report", "confidence_report_by_class", "confidence_report_from_files"]
