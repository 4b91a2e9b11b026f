"""Scorers: every metric where scikit-learn takes ``scoring=``; and the reader of whatever may name a metric."""

from skconf.scoring._scoring import confidence_scoring, get_scorer, get_scorer_names

__all__ = ["confidence_scoring", "get_scorer", "get_scorer_names"]
