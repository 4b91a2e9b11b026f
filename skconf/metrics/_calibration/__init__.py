"""Calibration errors, and tests of calibration."""
