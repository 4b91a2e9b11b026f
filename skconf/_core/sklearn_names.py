"""scikit-learn's private names, which a new version may move, and how this package handles that.

Other private hooks stay in classes, where scikit-learn looks for them: `_parameter_constraints`,
`__metadata_request__fit` and `_accept_sample_weight`.
"""

from typing import Any, NamedTuple

import pandas as pd
from sklearn.base import _fit_context
from sklearn.metrics._scorer import _BaseScorer
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, InvalidParameterError, StrOptions
from sklearn.utils.metadata_routing import _raise_for_params
from sklearn.utils.validation import _check_method_params

__all__ = [
    "SCORE_FUNCTION",
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "ScorerParts",
    "StrOptions",
    "check_method_params",
    "fit_context",
    "is_scorer",
    "raise_for_params",
    "safe_indexing",
    "scorer_parts",
]

#: The attribute in which scikit-learn's scorers hold their function.
SCORE_FUNCTION = "_score_func"

check_method_params = _check_method_params
fit_context = _fit_context
raise_for_params = _raise_for_params


def safe_indexing(values: Any, rows: Any) -> Any:
    """Return rows of an array, a table or a list."""
    if isinstance(values, pd.api.extensions.ExtensionArray):
        return values[rows]  # scikit-learn indexes arrays as numpy does, but arrays of Arrow refuse this
    return _safe_indexing(values, rows)


class ScorerParts(NamedTuple):
    """The parts of a scorer from ``sklearn.metrics.make_scorer``."""

    function: Any
    sign: int
    response: tuple[str, ...]
    params: dict[str, Any]


def is_scorer(candidate: Any) -> bool:
    """Return whether an object is a scorer of scikit-learn, such as one from ``make_scorer``."""
    return isinstance(candidate, _BaseScorer)


def scorer_parts(scorer: Any) -> ScorerParts:
    """Return the parts of a scikit-learn scorer. `response` names the methods to call, the preferred one first."""
    held = vars(scorer)
    methods = held["_response_method"]
    return ScorerParts(
        held[SCORE_FUNCTION], held["_sign"], (methods,) if isinstance(methods, str) else tuple(methods), held["_kwargs"]
    )
