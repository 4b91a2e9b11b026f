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


#: The documentation of parameters that both classifiers share.
SCORE = """\
calibration : str, calibrator or None, default=None
    How the probabilities are calibrated. Pass a name from :func:`skconf.calibration.make_calibrator`, such as "platt",
    "smoothed_isotonic", "temperature" or "pooled". Or pass an object with the methods ``fit(proba, y, sample_weight,
    labels=...)`` and ``predict_proba(proba)``; the argument `labels` is optional. None uses the probabilities as they
    are.
confidence : {"max_proba", "margin", "entropy"}, callable or LearnedConfidence, default="max_proba"
    The score of a prediction. "max_proba" is the probability of the predicted class. "margin" is the difference
    between the two largest probabilities. "entropy" is one minus the entropy divided by its maximum. You can also pass
    a function: it gets probabilities of shape (n_samples, n_classes) and returns values in [0, 1]. Or pass an estimator
    that predicts from `X` and the probabilities whether an answer is right, such as
    :class:`~skconf.calibration.LearnedConfidence`. It is fitted on the calibration samples."""
OUTPUT = """\
validation_fraction : float, default=None
    Share of the training rows that is passed as `eval_set` to the classifier's ``fit``. Set it for XGBoost and other
    classifiers with early stopping. The rows are drawn by class, or in whole `groups`. The classifier may be the last
    step of a pipeline. The other steps are then fitted without these rows, and applied to them. None: no `eval_set`.
reject_label : label, default=None
    What ``predict`` returns for a rejected sample. It must not be a class or a decision. With None it is "reject" if
    the labels are strings, and −1 if they are numbers or booleans. If −1 is a class, it is the smallest label
    minus 1. Choose a string only if the labels are strings: scikit-learn's metrics do not accept both kinds in an
    array.
n_jobs : int, default=None
    Number of folds that are fitted at once, as in joblib; -1 uses all cores."""
SAMPLES = """\
X : {array-like, sparse matrix} of shape (n_samples, n_features)
    Samples."""
COSTS = """\
costs : array-like of shape (n_samples, n_classes, n_decisions), default=None
    Cost of each decision under each class, for each sample. Pass it if the classifier was fitted with such costs."""
