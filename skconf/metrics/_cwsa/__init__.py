"""Confidence-weighted selective accuracy, its curve over thresholds and the area under it (CWSA paper)."""
