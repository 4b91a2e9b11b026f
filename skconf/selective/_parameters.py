"""Parameters that several selective classifiers or methods share: their constraints, and their documentation."""

from numbers import Integral, Real
from typing import Any

from skconf._core.rejection import SCORES
from skconf._core.sklearn_names import HasMethods, Interval, StrOptions
from skconf.calibration import CALIBRATORS

#: Constraints of the parameters that all selective classifiers have.
CONSTRAINTS: dict[str, Any] = {
    "estimator": [HasMethods(["fit", "predict_proba"])],
    "calibration": [StrOptions(set(CALIBRATORS)), HasMethods(["fit", "predict_proba"]), None],
    "confidence": [StrOptions(set(SCORES)), callable, HasMethods(["fit", "predict_confidence"])],
    "keep_prediction": ["boolean"],
    "prevalence": "no_validation",  # a mapping, which is read when the classes are known
    "reject_cost": [Interval(Real, 0, None, closed="left"), None],
    "cost_matrix": ["array-like", callable, None],
    "decisions": ["array-like", None],
    "cv": ["cv_object", Interval(Real, 0, 1, closed="neither")],
    "validation_fraction": [Interval(Real, 0, 1, closed="neither"), None],
    "reject_label": "no_validation",
    "n_jobs": [None, Integral],
    "random_state": ["random_state"],
}


#: The documentation of parameters that several methods share.
SAMPLES = """\
X : {array-like, sparse matrix} of shape (n_samples, n_features)
    Samples."""
COSTS = """\
costs : array-like of shape (n_samples, n_classes, n_decisions), default=None
    Cost of each decision under each class, for each sample. Pass it if the classifier was fitted with such costs."""
