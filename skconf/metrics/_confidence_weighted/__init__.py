"""Metrics of predicted classes in which a prediction counts by its confidence (CSR paper, Section 3)."""
