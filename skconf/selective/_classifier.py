"""SelectiveClassifier: a classifier that rejects predictions below a threshold that the user sets."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.probabilities import Floats
from skconf._core.sklearn_names import Interval
from skconf.calibration._learned import learns
from skconf.selective._base import BaseSelectiveClassifier, Members
from skconf.selective._decisions import DecisionRule, read_rule, warn_if_never_rejecting
from skconf.selective._parameters import CONSTRAINTS
from skconf.selective._training import Training


class SelectiveClassifier(BaseSelectiveClassifier):
    """A classifier that rejects a prediction if its confidence is below a threshold.

    It wraps any classifier with ``predict_proba``. It calibrates the probabilities on data on which the classifier was
    not trained. It predicts a reject label if the confidence is too low. The default threshold of 0 accepts everything.

    Parameters
    ----------
    estimator : classifier
        A classifier with ``fit`` and ``predict_proba``. Any labels work, also for XGBoost, which by itself needs the
        labels 0 to K − 1. A :class:`~sklearn.frozen.FrozenEstimator` is not fitted again: all samples given to ``fit``
        are then used to calibrate it.
    threshold : float, default=0.0
        Lowest score at which a prediction is accepted, in [0, 1]. You can change it after ``fit``.
    reject_cost : float, default=None
        Cost γ of a rejection, 0 or greater. Pass it instead of a `threshold`: an answer is then rejected if its
        expected cost u is greater than γ. The score of an answer is 1 − u/u_M, where u_M is the largest possible u.
        ``threshold_`` is 1 − γ/u_M, or 0 if this is negative. Without a `cost_matrix`, an error costs 1; with K
        classes, u_M is then 1 − 1/K. You can change `reject_cost` after ``fit`` if the classifier was fitted with a
        `reject_cost`, a `cost_matrix` or `costs`.
    cost_matrix : array-like of shape (n_classes, n_decisions), callable or None, default=None
        Cost of each decision (column) under each true class (row). The answer is then the decision of least expected
        cost u under the calibrated probabilities. The score is 1 − u/u_M, where u_M is the largest possible u. The rows
        of an array are in the order of ``classes_``, the sorted labels; its columns are in the order of `decisions`. A
        DataFrame has named rows and columns, which may be in any order. If costs differ from sample to sample, pass a
        function: it gets the samples `X` and returns costs of shape (n_samples, n_classes, n_decisions). New samples
        may then have any u, so there is no u_M. The score is 1/(1 + u/s) with a scale s, and ``threshold_`` is 1/(1 +
        γ/s), where γ is the `reject_cost`. For each sample, ``fit`` computes the worst-case cost of each decision and
        takes the smallest one; s is the largest of these minima over the samples.
    decisions : array-like of shape (n_decisions,), default=None
        Names of the decisions, which ``predict`` returns. None uses the names of the columns of `cost_matrix`, or else
        the classes.
    calibration : str, calibrator or None, default=None
        How the probabilities are calibrated. Pass a name from :func:`skconf.calibration.make_calibrator`, such as
        "platt", "smoothed_isotonic", "temperature" or "pooled". Or pass an object with the methods ``fit(proba, y,
        sample_weight, labels=...)`` and ``predict_proba(proba)``; the argument `labels` is optional. None uses the
        probabilities as they are.
    confidence : {"max_proba", "margin", "entropy"}, callable or LearnedConfidence, default="max_proba"
        The score of a prediction. "max_proba" is the probability of the predicted class. "margin" is the difference
        between the two largest probabilities. "entropy" is 1 − H/H_max, where H is the entropy and H_max the largest
        possible entropy. You can also pass a function: it gets probabilities of shape (n_samples, n_classes) and
        returns values in [0, 1]. Or pass an estimator that predicts from `X` and the probabilities whether an answer is
        right, such as :class:`~skconf.calibration.LearnedConfidence`. This estimator is fitted on the calibration
        samples.
    keep_prediction : bool, default=False
        Predict the class that was most probable before the calibration, so that calibration does not change the
        accuracy. With a `reject_cost`, a `cost_matrix` or `costs`, `keep_prediction` must be False, and `confidence`
        must be the default.
    prevalence : mapping of label to float, default=None
        Share of each class in the population where the classifier is used, such as ``{"fraud": 0.003}``. With two
        classes, the share of one is enough. Calibrated probabilities fit the class shares of the calibration rows; they
        are corrected to fit the shares given here. Predictions, scores and rejections follow from the corrected
        probabilities. You must set a `calibration`, and it must not give probabilities of zero.
    cv : int, cross-validation generator, float or None, default=None
        How the samples for the calibrator are separated from the samples for the classifier. None uses out-of-fold
        probabilities of a stratified 5-fold cross-validation. An int or a generator sets another cross-validation. A
        float holds out this fraction of the samples for the calibrator. If ``fit`` gets `groups`, an int or None makes
        folds of whole clusters, and a float holds out whole clusters. `cv` has no effect without a `calibration` or a
        learned confidence.
    ensemble : bool, default=False
        If True, keep the classifier and the calibrator of every fold and average their probabilities. If False, fit one
        classifier and one calibrator. `ensemble` has no effect without a `calibration` or a learned confidence.
    validation_fraction : float, default=None
        Share of the training rows that is passed as `eval_set` to the classifier's ``fit``. Set it for XGBoost and
        other classifiers with early stopping. The rows are drawn within each class; with `groups`, whole clusters are
        drawn instead. The classifier may be the last step of a pipeline. The other steps are then fitted without these
        rows, and applied to them. None passes no `eval_set`.
    reject_label : label, default=None
        What ``predict`` returns for a rejected sample. It must not be a class or a decision. If the labels are
        strings, None means "reject". If they are numbers or booleans, None means −1, or the smallest label minus 1 if
        −1 is a class. Choose a string only if the labels are strings, because scikit-learn's metrics do not accept
        strings and numbers in one array.
    n_jobs : int, default=None
        Number of folds that are fitted at once, as in joblib; -1 uses all cores.
    random_state : int, RandomState instance or None, default=None
        Seed for drawing the held-out rows, if `cv` is a float or `validation_fraction` is set.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, without the reject label.
    decisions_ : ndarray of shape (n_decisions,)
        The decisions that ``predict`` chooses from. They are ``classes_``, unless a `cost_matrix` has other decisions.
    rule_ : DecisionRule or None
        The rule that chooses decisions by their expected costs. None if the most probable class is the answer.
    reject_label_ : label
        What ``predict`` returns for a rejected sample.
    estimator_ : classifier
        The fitted classifier; with `ensemble`, the classifier of the first fold.
    calibrator_ : calibrator or None
        The fitted calibrator; with `ensemble`, the calibrator of the first fold.
    confidence_ : LearnedConfidence or None
        The fitted estimator that predicts whether an answer is right. None if the score is computed from the
        probabilities.
    members_ : list of (FittedClassifier, calibrator or None)
        Pairs of a classifier and its calibrator; their probabilities are averaged. There is one pair; with `ensemble`,
        there is one pair for each fold.
    n_features_in_ : int
        Number of features, if the classifier has this attribute.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of features, if the classifier has this attribute.

    See Also
    --------
    skconf.predict_selective : Scores and acceptance of a classifier inside a pipeline or a search.
    skconf.metrics.selective_accuracy_score : Accuracy of the accepted samples.
    skconf.metrics.coverage_score : Share of accepted samples.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sklearn.model_selection import train_test_split
    >>> from skconf import SelectiveClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    >>> forest = RandomForestClassifier(random_state=0)
    >>> model = SelectiveClassifier(forest, threshold=0.9, calibration="platt").fit(X_train, y_train)
    >>> model.predict(X_test)[:10]
    array([ 0,  1,  1, -1,  1,  1,  1,  1,  1,  1])
    >>> accepted = model.accept(X_test)
    >>> print(f"{accepted.mean():.2f} accepted, {(model.predict(X_test) == y_test)[accepted].mean():.3f} right")
    0.82 accepted, 1.000 right
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CONSTRAINTS,
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "ensemble": ["boolean"],
    }

    def __init__(
        self,
        estimator: Any,
        *,
        threshold: float = 0.0,
        reject_cost: float | None = None,
        cost_matrix: Any = None,
        decisions: ArrayLike | None = None,
        calibration: Any = None,
        confidence: Any = "max_proba",
        keep_prediction: bool = False,
        prevalence: Any = None,
        cv: Any = None,
        ensemble: bool = False,
        validation_fraction: float | None = None,
        reject_label: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.reject_cost = reject_cost
        self.cost_matrix = cost_matrix
        self.decisions = decisions
        self.calibration = calibration
        self.confidence = confidence
        self.keep_prediction = keep_prediction
        self.prevalence = prevalence
        self.cv = cv
        self.ensemble = ensemble
        self.validation_fraction = validation_fraction
        self.reject_label = reject_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def threshold_(self) -> float:  # type: ignore[override]
        """Lowest score at which a prediction is accepted.

        With a `reject_cost` γ, it is 1 − γ/u_M, where u_M is the largest possible expected cost.
        """
        if self.reject_cost is None:
            return float(self.threshold)
        self._check_threshold()
        rule = getattr(self, "rule_", None)
        if rule is None:
            raise ValueError("reject_cost was set on a classifier that was fitted without costs. Fit it again.")
        return rule.threshold(self.reject_cost)

    def _check_threshold(self) -> None:
        if self.reject_cost is not None and self.threshold != 0:
            raise ValueError(
                f"threshold={self.threshold} contradicts reject_cost={self.reject_cost}: each of them says which "
                "answers are rejected. Leave one of them out."
            )

    def _read_rule(self, classes: NDArray[Any], X: Any, costs: Floats | None) -> DecisionRule | None:
        self._check_threshold()
        rule = read_rule(self.cost_matrix, self.decisions, classes, X, costs, zero_one=self.reject_cost is not None)
        if rule is not None and self.reject_cost is not None:
            warn_if_never_rejecting(self.reject_cost, rule.largest, "the highest expected cost of an answer")
        return rule

    def _fit_members(self, training: Training) -> tuple[Members, Any]:
        if self.calibration is None and not learns(self.confidence):
            return [(training.fit_on(training.everything), None)], None
        splits = [(training.everything, training.everything)] if training.frozen else training.splits(self.cv)
        models, raw = training.fit_and_ask(splits)
        tests = [test for _, test in splits]
        if self.ensemble or len(splits) == 1:  # one part held out: there is nothing to fit again
            calibrators = [training.calibrator(*part) for part in zip(raw, tests, strict=True)]
            return list(zip(models, calibrators, strict=True)), self._learn(
                training, list(zip(raw, calibrators, tests, strict=True))
            )
        proba, rows = np.vstack(raw), np.concatenate(tests)
        calibrator = training.calibrator(proba, rows)
        learned = self._learn(training, [(proba, calibrator, rows)])
        return [(training.fit_on(training.everything), calibrator)], learned
