"""SelectiveClassifier: any classifier with probabilities, made to abstain where it is not sure enough."""

from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, _fit_context, clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedShuffleSplit, check_cv
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import (
    _check_method_params,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
    indexable,
)

from skconf._inner import FittedClassifier, fit_classifier, fitted_classifier
from skconf._labels import Codes, LabelColumn
from skconf._probabilities import Floats
from skconf._rejection import SCORES, choose_reject_label, selection_score, with_reject_label
from skconf.calibration import CALIBRATORS, make_calibrator
from skconf.profile import check_weight


class SelectivePrediction(NamedTuple):
    """What a selective classifier says of samples, from one call of the inner ``predict_proba``.

    Attributes
    ----------
    proba : ndarray of shape (n_samples, n_classes)
        Calibrated probabilities.
    prediction : ndarray of shape (n_samples,)
        Predicted labels, before any rejection.
    score : ndarray of shape (n_samples,)
        The score that selection ranks by, in [0, 1].
    accepted : ndarray of shape (n_samples,), bool
        Whether the score reaches the threshold.
    """

    proba: NDArray[Any]
    prediction: NDArray[Any]
    score: Floats
    accepted: NDArray[np.bool_]


class SelectiveClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that abstains where its confidence is below a threshold.

    Wraps any classifier with ``predict_proba``, calibrates its probabilities without leaking, and answers with a
    reject label where it is not sure enough. At the default threshold it accepts everything.

    Parameters
    ----------
    estimator : classifier
        With ``fit`` and ``predict_proba``. Labels may be anything, also for XGBoost, which by itself accepts none
        but 0 to K − 1. A :class:`~sklearn.frozen.FrozenEstimator` is not fitted again: all samples given to ``fit``
        then serve to calibrate it.
    threshold : float, default=0.0
        Score from which on a prediction is accepted, in [0, 1]. It may be changed on a fitted object.
    calibration : {"platt", "isotonic"}, calibrator or None, default=None
        How probabilities are corrected: a name, or an object with ``fit(proba, y, sample_weight, labels=...)`` and
        ``predict_proba(proba)`` (`labels` is optional), such as those of :mod:`skconf.calibration`.
    confidence : {"max_proba", "margin", "entropy"} or callable, default="max_proba"
        The score: the probability of the prediction, the gap between the two most probable classes, one minus the
        relative entropy, or a function of probabilities of shape (n_samples, n_classes) with values in [0, 1].
    keep_prediction : bool, default=False
        Predict the class that was most probable before the calibration, so that calibration leaves the accuracy as
        it was.
    cv : int, cross-validation generator, float or None, default=None
        Where the calibrator's probabilities come from: out-of-fold predictions of a stratified 5-fold (None) or
        other cross-validation, or a held-out fraction of the samples (a float), which the classifier is then not
        trained on. Without calibration it plays no part.
    ensemble : bool, default=False
        Keep the classifier and the calibrator of every fold and average them, rather than fit one of each. Without
        calibration it plays no part.
    reject_label : label, default=None
        What ``predict`` gives for a rejected sample; must not be a class. None stands for −1 (or one below the
        smallest label, if −1 is taken) for numbers and booleans, and for "reject" for strings.
    n_jobs : int, default=None
        Number of folds fitted at once.
    random_state : int, RandomState instance or None, default=None
        Seed of the held-out fraction.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels; the reject label is none of them.
    reject_label_ : label
        What ``predict`` gives for a rejected sample.
    estimator_ : classifier
        The fitted classifier; with `ensemble`, that of the first fold.
    calibrator_ : calibrator or None
        The fitted calibrator; with `ensemble`, that of the first fold.
    members_ : list of (FittedClassifier, calibrator or None)
        What predictions are averaged over: one pair, or one for each fold with `ensemble`.
    n_features_in_ : int
        Number of features, where the classifier tells.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features, where the classifier tells.

    See Also
    --------
    skconf.metrics.selective_accuracy_score : Accuracy on the accepted samples.
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
    0.72 accepted, 1.000 right
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "predict_proba"])],
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "calibration": [StrOptions(set(CALIBRATORS)), HasMethods(["fit", "predict_proba"]), None],
        "confidence": [StrOptions(set(SCORES)), callable],
        "keep_prediction": ["boolean"],
        "cv": ["cv_object", Interval(Real, 0, 1, closed="neither")],
        "ensemble": ["boolean"],
        "reject_label": "no_validation",
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
    }

    #: Weights go to the inner classifier; a frozen one is not fitted, and requests them for the calibration alone.
    __metadata_request__fit: ClassVar[dict[str, Any]] = {"sample_weight": False}

    def __init__(
        self,
        estimator: Any,
        *,
        threshold: float = 0.0,
        calibration: Any = None,
        confidence: Any = "max_proba",
        keep_prediction: bool = False,
        cv: Any = None,
        ensemble: bool = False,
        reject_label: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.calibration = calibration
        self.confidence = confidence
        self.keep_prediction = keep_prediction
        self.cv = cv
        self.ensemble = ensemble
        self.reject_label = reject_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)  # the inner classifier is not validated yet
    def fit(self, X: Any, y: ArrayLike, **params: Any) -> Self:
        """Fit the classifier and its calibrator.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples, as the classifier takes them.
        y : array-like of shape (n_samples,)
            Labels.
        **params : dict
            Further arguments of the classifier's ``fit``. A `sample_weight` also weighs the calibration.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is out of range, `y` has several outputs or missing labels, or `reject_label` is a class.
        """
        X, y = indexable(X, y)
        y = _single_output(y)
        truth = LabelColumn(y, "y")
        sorted_labels = truth.sorted_distinct()
        check_classification_targets(y)
        frozen = isinstance(self.estimator, FrozenEstimator)
        if frozen:
            check_is_fitted(self.estimator)
        # A model that was trained elsewhere knows its classes; the samples here may lack some.
        classes = np.asarray(self.estimator.classes_) if frozen else sorted_labels
        codes = truth.positions_in(classes)
        reject_label = choose_reject_label(classes, self.reject_label)
        params = {name: value for name, value in params.items() if value is not None}
        if frozen:
            _only_weights(params)
        elif get_config()["enable_metadata_routing"]:
            params = dict(process_routing(self, "fit", **params).estimator.fit)
        members = self._fit_members(X, y, codes, classes, params)
        self.classes_, self.reject_label_, self.members_ = classes, reject_label, members
        for name in ("n_features_in_", "feature_names_in_"):
            if name in vars(self):  # of an earlier fit
                delattr(self, name)
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def _fit_members(
        self, X: Any, y: Any, codes: Codes, classes: NDArray[Any], fit_params: dict[str, Any]
    ) -> list[tuple[FittedClassifier, Any]]:
        """Return the pairs of classifier and calibrator that predictions are averaged over."""
        frozen = isinstance(self.estimator, FrozenEstimator)
        everything = np.arange(len(codes))

        def fit_on(rows: NDArray[np.intp]) -> FittedClassifier:
            if frozen:
                return fitted_classifier(self.estimator, classes)
            some = _check_method_params(X, fit_params, indices=rows)
            part = _safe_indexing(X, rows), _safe_indexing(y, rows), codes[rows]
            return fit_classifier(clone(self.estimator), *part, classes, some)

        # The weights may be meant for the last step of a pipeline, and weigh its calibration, too.
        weights = [value for name, value in fit_params.items() if name.split("__")[-1] == "sample_weight"]
        weight = check_weight(weights[-1], len(codes)) if weights else None
        if self.calibration is None:
            return [(fit_on(everything), None)]

        def calibrate(proba: NDArray[Any], rows: NDArray[np.intp]) -> Any:
            calibrator = clone(make_calibrator(self.calibration))
            order = {"labels": classes} if has_fit_parameter(calibrator, "labels") else {}
            return calibrator.fit(proba, classes[codes[rows]], None if weight is None else weight[rows], **order)

        if frozen:
            model = fit_on(everything)
            return [(model, calibrate(model.predict_proba(X), everything))]
        if isinstance(self.cv, Real) and not isinstance(self.cv, Integral):
            split = StratifiedShuffleSplit(1, test_size=float(self.cv), random_state=self.random_state)
            train, held_out = next(split.split(np.zeros(len(codes)), codes))
            model = fit_on(train)
            return [(model, calibrate(model.predict_proba(_safe_indexing(X, held_out)), held_out))]
        folds = list(check_cv(self.cv, y=codes, classifier=True).split(X, codes))
        models = Parallel(n_jobs=self.n_jobs)(delayed(fit_on)(train) for train, _ in folds)
        probas = [model.predict_proba(_safe_indexing(X, test)) for model, (_, test) in zip(models, folds, strict=True)]
        if self.ensemble:
            tests = (test for _, test in folds)
            return [(m, calibrate(proba, test)) for m, proba, test in zip(models, probas, tests, strict=True)]
        return [(fit_on(everything), calibrate(np.vstack(probas), np.concatenate([test for _, test in folds])))]

    @property
    def estimator_(self) -> Any:
        """The fitted classifier; with `ensemble`, that of the first fold."""
        return self.members_[0][0].estimator

    @property
    def calibrator_(self) -> Any:
        """The fitted calibrator, or None; with `ensemble`, that of the first fold."""
        return self.members_[0][1]

    @property
    def threshold_(self) -> float:
        """Score from which on a prediction is accepted."""
        return float(self.threshold)

    def predict_selective(self, X: Any) -> SelectivePrediction:
        """Return all there is to say of samples, from one call of the inner ``predict_proba``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        SelectivePrediction
            Named fields `proba`, `prediction`, `score` and `accepted`.
        """
        check_is_fitted(self)
        self._validate_params()  # the threshold, say, may have been set since
        pairs = [(model.predict_proba(X), calibrator) for model, calibrator in self.members_]
        proba = _mean([self._calibrated(raw, calibrator) for raw, calibrator in pairs])
        predicted = (_mean([raw for raw, _ in pairs]) if self.keep_prediction else proba).argmax(axis=1)
        score = selection_score(self.confidence, proba, predicted)
        return SelectivePrediction(proba, self.classes_[predicted], score, score >= self.threshold_)

    def _calibrated(self, raw: NDArray[Any], calibrator: Any) -> NDArray[Any]:
        if np.isnan(raw).any():
            raise ValueError(f"predict_proba of {type(self.estimator).__name__} gave NaN, which is no confidence.")
        if calibrator is None:
            return raw
        proba = np.asarray(calibrator.predict_proba(raw))
        if proba.shape != raw.shape:
            raise ValueError(
                f"The calibrator {type(calibrator).__name__} made shape {proba.shape} of probabilities of shape "
                f"{raw.shape}: its columns cannot be told. Give it a fit(proba, y, sample_weight, labels=...)."
            )
        return proba

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted class, and the reject label where the score is below the threshold.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        answer = self.predict_selective(X)
        return with_reject_label(answer.prediction, answer.accepted, self.reject_label_)

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return calibrated probabilities, of rejected samples too.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        return self.predict_selective(X).proba

    def predict_confidence(self, X: Any) -> Floats:
        """Return the score that selection ranks by.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            In [0, 1].
        """
        return self.predict_selective(X).score

    def accept(self, X: Any) -> NDArray[np.bool_]:
        """Return whether each sample is accepted.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,), bool
        """
        return self.predict_selective(X).accepted

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the share of samples that are accepted and right: an abstention is never free.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.

        Returns
        -------
        float
            In [0, 1]; higher is better.
        """
        answer, truth = self.predict_selective(X), LabelColumn(y, "y")
        if len(truth) != len(answer.accepted):
            raise ValueError(f"y has {len(truth)} rows, but X has {len(answer.accepted)} samples.")
        truth.unseen_in(self.classes_)  # raises for labels of another kind; an unseen one is a miss
        right = answer.accepted & (answer.prediction == np.array(truth.distinct)[truth.codes])
        return float(np.average(right, weights=check_weight(sample_weight, len(right))))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return how metadata reaches the inner classifier.

        Returns
        -------
        MetadataRouter
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        # By its name: an owner is copied along with requests, and a fitted model may be large.
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=mapping)

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        if inner.classifier_tags is not None:
            tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags


def _only_weights(params: dict[str, Any]) -> None:
    for name in params:
        if name != "sample_weight":
            raise TypeError(f"fit got {name!r}, but a frozen classifier is not fitted: only sample_weight has a use.")


def _single_output(y: Any) -> Any:
    """Return class labels as one column, in the container they came in."""
    if np.ndim(y) == 2 and np.shape(y)[1] > 1:
        raise ValueError(
            f"y has shape {np.shape(y)}. SelectiveClassifier has one output: fit one classifier for each "
            "(sklearn.multioutput.MultiOutputClassifier does)."
        )
    return y if np.ndim(y) == 1 else column_or_1d(y, warn=True)


def _mean(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    return arrays[0] if len(arrays) == 1 else np.mean(arrays, axis=0)
