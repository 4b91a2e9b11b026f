"""Scorers for ``scoring=`` in scikit-learn, and a reader of all forms in which a metric can be given."""

from skconf.scoring._scoring import confidence_scoring, get_scorer, get_scorer_names

__all__ = ["confidence_scoring", "get_scorer", "get_scorer_names"]
