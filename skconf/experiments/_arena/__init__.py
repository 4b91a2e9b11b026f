"""Calibrators against each other, on predictions of real models."""
