"""Predictions in files and frames: which columns hold them, and what the entries mean."""

from skconf.tables._logs import read_log

__all__ = ["read_log"]
