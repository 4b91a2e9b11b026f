"""Predictions in files and frames: which columns hold them, and what the entries mean."""
