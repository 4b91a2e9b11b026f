"""What selective classifiers share: labels of any kind, and answers with probabilities and acceptance."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from datetime import date, timedelta
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, indexable

from skconf._core.costs import read_costs_by_sample
from skconf._core.docstrings import documented
from skconf._core.inputs import check_order, check_weight, warn_of_unseen
from skconf._core.labels import Codes, LabelColumn
from skconf._core.messages import suggest
from skconf._core.probabilities import Floats, read_confidence
from skconf._core.rejection import SCORES, choose_reject_label, selection_score, with_reject_label
from skconf._core.response import NEEDS_PROBABILITIES
from skconf._core.sklearn_names import InvalidParameterError, fit_context
from skconf.calibration._learned import learns
from skconf.calibration._pooled import hint
from skconf.selective._decisions import DecisionRule, read_rule
from skconf.selective._inner_classifier import FittedClassifier, check_takes_evaluation
from skconf.selective._mix import Mix
from skconf.selective._parameters import COSTS, SAMPLES
from skconf.selective._prediction import SelectivePrediction
from skconf.selective._prevalence import check_corrects
from skconf.selective._training import Rows, Training, read_clusters

#: The classifiers whose probabilities are averaged, each with its calibrator or None.
Members = list[tuple[FittedClassifier, Any]]
#: Raw probabilities of rows that a classifier has not seen, its calibrator or None, and the rows.
HeldOut = tuple[NDArray[Any], Any, Rows]
_of_samples = documented(samples=SAMPLES, costs=COSTS)


class BaseSelectiveClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that rejects predictions. Subclasses define how it is fitted and how the threshold is chosen."""

    #: By default, weights go to the inner classifier only. A frozen classifier is not fitted: request weights of this
    #: class, for the calibration. Groups are used by this class.
    __metadata_request__fit: ClassVar[dict[str, Any]] = {"sample_weight": False, "groups": True, "costs": True}
    __metadata_request__predict: ClassVar[dict[str, Any]] = {"costs": True}

    estimator: Any
    calibration: Any
    confidence: Any
    keep_prediction: bool
    prevalence: Any
    reject_cost: float | None
    cost_matrix: Any
    decisions: Any
    cv: Any
    validation_fraction: float | None
    reject_label: Any
    n_jobs: int | None
    random_state: Any
    threshold_: float

    @fit_context(prefer_skip_nested_validation=False)  # the inner classifier is not validated yet
    def fit(self, X: Any, y: ArrayLike, **params: Any) -> Self:
        """Fit the classifier and its calibrator; choose the threshold, unless it is given.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples, in any form that the classifier accepts.
        y : array-like of shape (n_samples,)
            Labels.
        **params : dict
            Further arguments of the classifier's ``fit``. A `sample_weight` also applies to the calibration. With
            `groups`, each cluster is in a single fold or held-out part; if `cv` is a splitter, it gets the `groups`. An
            `eval_set` is the same for every fold, so none of its samples may be in `X`. A `validation_fraction` makes
            an `eval_set` for each fold instead. `costs` are costs that differ from sample to sample. With shape
            (n_samples, n_classes, n_decisions), they are the cost of each decision under each class, and the classifier
            decides by them. With shape (n_samples, n_decisions), they are the cost of each decision given the true
            class. The decisions then follow from the `cost_matrix`, and `costs` only say what these decisions cost.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is out of range, or two parameters contradict each other. If `y` has several outputs or
            missing labels. If `reject_label` is a class.

        Warns
        -----
        UserWarning
            If `reject_cost` is so large that nothing is ever rejected. If the calibrator warns.
        """
        training = self._read(X, y, params)
        classes, rule = training.classes, training.rule
        decisions = classes if rule is None else rule.decisions
        reject_label = choose_reject_label(classes, self.reject_label, None if rule is None else decisions)
        members, learned = self._fit_members(training)
        self.classes_, self.reject_label_, self.members_, self.rule_ = classes, reject_label, members, rule
        self.confidence_ = learned
        self.decisions_ = decisions
        for name in ("n_features_in_", "feature_names_in_"):
            if name in vars(self):  # it is from an earlier fit
                delattr(self, name)
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def _read(self, X: Any, y: ArrayLike, params: dict[str, Any]) -> Training:
        """Check the arguments of ``fit``, and read the parameters that depend on the classes."""
        X, y = indexable(X, y)
        check_order(X=X, y=y, **params)
        y = _single_output(y)
        truth = LabelColumn(y, "y")
        if any(isinstance(label, date | timedelta) for label in truth.distinct):
            raise ValueError(
                f"y holds dates or durations, such as {truth.distinct[0]!r}. scikit-learn's classifiers would treat "
                "them as numbers. Convert them to text: y.astype(str)."
            )
        sorted_labels = truth.sorted_distinct()
        check_classification_targets(y)
        if self.validation_fraction is not None:
            check_takes_evaluation(self.estimator, self.validation_fraction, params)
        frozen = isinstance(self.estimator, FrozenEstimator)
        if frozen:
            check_is_fitted(self.estimator)
        # A model that was trained elsewhere knows its classes; the samples here may lack some.
        classes = np.asarray(self.estimator.classes_) if frozen else sorted_labels
        frozen_labels = "These are the labels with which the frozen classifier was trained. Map y to them."
        codes = truth.positions_in(classes, frozen_labels if frozen else "")
        costs = _read_costs(params.pop("costs", None), len(codes))
        rule = self._read_rule(classes, X, costs)
        if rule is not None:
            self._refuse_other_answers()
        mix = None
        if self.prevalence is not None:
            check_corrects(self.calibration, self.keep_prediction)
            mix = self._read_mix(classes)
        fit_params, split_params = self._route({name: value for name, value in params.items() if value is not None})
        # Weights may be named for the last step of a pipeline, as in clf__sample_weight. They also apply to the
        # calibration.
        weights = [value for name, value in fit_params.items() if name.split("__")[-1] == "sample_weight"]
        return Training(
            estimator=self.estimator,
            X=X,
            y=y,
            codes=codes,
            classes=classes,
            fit_params=fit_params,
            split_params=split_params,
            weight=check_weight(weights[-1], len(codes)) if weights else None,
            clusters=None if params.get("groups") is None else read_clusters(params["groups"], len(codes)),
            rule=rule,
            costs=costs,
            calibration=self.calibration,
            shares=None if mix is None else mix.middle,
            validation_fraction=self.validation_fraction,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )

    def _validate_params(self) -> None:
        """Check parameters as scikit-learn does; for common mistakes, add to the message what to do."""
        try:
            super()._validate_params()
        except InvalidParameterError as error:
            name = str(error).split("'")[1]  # words of another package
            remedy = self._remedy(name, getattr(self, name))
            raise InvalidParameterError(f"{error} {remedy}".rstrip()) from None

    @staticmethod
    def _remedy(name: str, given: Any) -> str:
        """Return what to do about a parameter that is refused; "" if the refusal says enough."""
        if name == "estimator" and hasattr(given, "fit"):
            return NEEDS_PROBABILITIES
        if name == "cv" and isinstance(given, str) and given == "prefit":
            return "If the classifier is fitted already, pass FrozenEstimator(model) as estimator and leave cv out."
        if not isinstance(given, str):
            return ""
        return hint(given) if name == "calibration" else suggest(given, SCORES).strip() if name == "confidence" else ""

    def _refuse_other_answers(self) -> None:
        """Refuse parameters that contradict decisions by costs."""
        for name, usual in (("keep_prediction", False), ("confidence", "max_proba")):
            given = getattr(self, name)
            if callable(given) or learns(given) or given != usual:
                raise ValueError(
                    f"{name}={given!r} contradicts costs. With costs, the answer is the decision of least expected "
                    f"cost, and its score is computed from this cost. Leave out {name} or the costs."
                )

    def _read_rule(self, classes: NDArray[Any], X: Any, costs: Floats | None) -> DecisionRule | None:
        """Return the rule that chooses decisions by costs, or None if the most probable class is the answer."""
        return read_rule(self.cost_matrix, self.decisions, classes, X, costs)

    def _read_mix(self, classes: NDArray[Any]) -> Mix:
        """Return the shares of the classes where the classifier is used."""
        mix = Mix.read(self.prevalence, classes)
        mix.refuse_range()
        return mix

    @abstractmethod
    def _fit_members(self, training: Training) -> tuple[Members, Any]:
        """Return pairs of classifier and calibrator, whose probabilities are averaged, and the learned confidence."""

    def _learn(self, training: Training, parts: list[HeldOut]) -> Any:
        """Return a learned confidence, fitted on held-out rows; None if the score is not learned."""
        if not learns(self.confidence):
            return None
        answers = [self._predicted([(raw, calibrator)]) for raw, calibrator, _ in parts]
        proba, predicted = (np.concatenate(column) for column in zip(*answers, strict=True))
        return training.learned(self.confidence, proba, predicted, np.concatenate([rows for *_, rows in parts]))

    def _route(self, params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Split the arguments of ``fit``: some are for the classifier, some for the splitter."""
        if isinstance(self.estimator, FrozenEstimator):
            for name in params:
                if name not in ("sample_weight", "groups"):
                    raise TypeError(
                        f"fit got {name!r}, but a frozen classifier is not fitted again. Leave {name} out: only "
                        "sample_weight and groups are used."
                    )
        elif params and get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", **params)
            return dict(routed.estimator.fit), dict(routed.splitter.split) if "splitter" in routed else {}
        split_params = {"groups": params["groups"]} if "groups" in params else {}
        return {name: value for name, value in params.items() if name != "groups"}, split_params

    @property
    def estimator_(self) -> Any:
        """The fitted classifier; with `ensemble`, the one of the first fold."""
        return self.members_[0][0].estimator

    @property
    def calibrator_(self) -> Any:
        """The fitted calibrator, or None; with `ensemble`, the one of the first fold."""
        return self.members_[0][1]

    @_of_samples
    def predict_selective(self, X: Any, *, costs: ArrayLike | None = None) -> SelectivePrediction:
        """Return probabilities, predictions, scores and acceptance, from one call of the inner ``predict_proba``.

        Parameters
        ----------
        {samples}
        {costs}

        Returns
        -------
        SelectivePrediction
            Named fields `proba`, `prediction`, `score` and `accepted`.
        """
        raw = self._raw(X)
        by = None if self.rule_ is None else self.rule_.costs_of(X, costs, len(raw[0][0]))
        if self.rule_ is None and costs is not None:
            raise ValueError("costs were passed, but this classifier was fitted without costs. Leave them out.")
        threshold = self.threshold_
        proba, predicted, score = self._answer(raw, self.rule_, by, X, self.confidence_)
        score = self._placed(score, predicted, X)
        return SelectivePrediction(proba, self.decisions_[predicted], score, score >= threshold)

    def _raw(self, X: Any) -> list[tuple[NDArray[Any], Any]]:
        """Return, for each member, its uncalibrated probabilities and its calibrator."""
        check_is_fitted(self)
        self._validate_params()  # parameters, such as the threshold, may have been changed
        return [(model.predict_proba(X), calibrator) for model, calibrator in self.members_]

    def _answer(
        self,
        pairs: list[tuple[NDArray[Any], Any]],
        rule: DecisionRule | None,
        costs: Floats | None,
        X: Any,
        learned: Any,
    ) -> tuple[NDArray[Any], Codes, Floats]:
        """Return probabilities, predicted columns and scores, from pairs of raw probabilities and calibrator."""
        if rule is not None and costs is not None:
            proba = self._proba(pairs)
            return proba, *rule.decide(proba, costs)
        proba, predicted = self._predicted(pairs)
        confidence = self.confidence
        if learned is not None:

            def confidence(proba: NDArray[Any]) -> Floats:
                return np.asarray(learned.predict_confidence(X, proba, predicted=predicted))

        return proba, predicted, selection_score(confidence, proba, predicted)

    def _placed(self, score: Floats, predicted: Codes, X: Any) -> Floats:  # noqa: ARG002
        """Return scores to compare with a single threshold, also if each slice has a threshold of its own."""
        return score

    def _predicted(self, pairs: list[tuple[NDArray[Any], Any]]) -> tuple[NDArray[Any], Codes]:
        """Return the probabilities, and each sample's most probable class: before calibration if `keep_prediction`."""
        proba = self._proba(pairs)
        return proba, (_mean([raw for raw, _ in pairs]) if self.keep_prediction else proba).argmax(axis=1)

    def _proba(self, pairs: list[tuple[NDArray[Any], Any]]) -> NDArray[Any]:
        return _mean([self._calibrated(raw, calibrator) for raw, calibrator in pairs])

    def _calibrated(self, raw: NDArray[Any], calibrator: Any) -> NDArray[Any]:
        if np.isnan(raw).any():
            raise ValueError(f"predict_proba of {type(self.estimator).__name__} returned NaN instead of probabilities.")
        if calibrator is None:
            read_confidence(raw, 1, None, f"predict_proba of {type(self.estimator).__name__}")  # only to check them
            return raw
        proba = np.asarray(calibrator.predict_proba(raw))
        if proba.shape != raw.shape:
            raise ValueError(
                f"The calibrator {type(calibrator).__name__} returned shape {proba.shape} for probabilities of shape "
                f"{raw.shape}, so its columns cannot be matched to the classes. Give its fit() a parameter "
                "named labels, as in fit(proba, y, sample_weight, labels=...)."
            )
        return proba

    @_of_samples
    def predict(self, X: Any, *, costs: ArrayLike | None = None) -> NDArray[Any]:
        """Return the predicted class or decision of each sample, or the reject label if its score is too low.

        Parameters
        ----------
        {samples}
        {costs}

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        answer = self.predict_selective(X, costs=costs)
        if self.threshold_ <= 0:  # no score is below it, so labels keep their type
            return answer.prediction
        return with_reject_label(answer.prediction, answer.accepted, self.reject_label_)

    @_of_samples
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return calibrated probabilities, also for rejected samples.

        Parameters
        ----------
        {samples}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        return self._proba(self._raw(X))

    @_of_samples
    def predict_confidence(self, X: Any, *, costs: ArrayLike | None = None) -> Floats:
        """Return the score that is compared with the threshold.

        Parameters
        ----------
        {samples}
        {costs}

        Returns
        -------
        ndarray of shape (n_samples,)
            In [0, 1].
        """
        return self.predict_selective(X, costs=costs).score

    @_of_samples
    def accept(self, X: Any, *, costs: ArrayLike | None = None) -> NDArray[np.bool_]:
        """Return whether each sample is accepted.

        Parameters
        ----------
        {samples}
        {costs}

        Returns
        -------
        ndarray of shape (n_samples,), bool
        """
        return self.predict_selective(X, costs=costs).accepted

    @_of_samples
    def score(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, costs: ArrayLike | None = None
    ) -> float:
        """Return the share of samples that are accepted and right. A rejection counts as an error.

        Parameters
        ----------
        {samples}
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.
        {costs}

        Returns
        -------
        float
            In [0, 1]; higher is better.

        Raises
        ------
        ValueError
            If the decisions are not the classes, because such decisions are neither right nor wrong. Use
            ``get_scorer("neg_reject_cost", ...)`` instead, which computes the cost of decisions.
        """
        answer, truth = self.predict_selective(X, costs=costs), LabelColumn(y, "y")
        if self.rule_ is not None and not self.rule_.of_classes:
            raise ValueError(
                "score is the share of right answers, but the decisions are not the classes, so no decision is right "
                "or wrong. Use get_scorer('neg_reject_cost', cost_matrix=..., reject_cost=...)."
            )
        if len(truth) != len(answer.accepted):
            raise ValueError(f"y has {len(truth)} rows, but X has {len(answer.accepted)} samples.")
        unseen = truth.unseen_in(self.classes_)  # raises for labels of another kind
        if unseen:
            warn_of_unseen(unseen, self.classes_.tolist(), truth)
        right = answer.accepted & (answer.prediction == np.array(truth.distinct)[truth.codes])
        return float(np.average(right, weights=check_weight(sample_weight, len(right))))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return how metadata is passed on to the inner classifier and to the splitter.

        Returns
        -------
        MetadataRouter
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        # Pass the name as owner: the owner is copied along with requests, and a fitted model may be large.
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        router.add(estimator=self.estimator, method_mapping=mapping)
        if hasattr(self.cv, "get_metadata_routing"):
            router.add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
        return router

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        if learns(self.confidence) and isinstance(self.confidence, BaseEstimator):  # it sees X, too
            sparse = inner.input_tags.sparse and get_tags(self.confidence).input_tags.sparse
            tags.input_tags = replace(inner.input_tags, sparse=sparse)
        tags.no_validation = inner.no_validation  # X goes to the inner classifier as it is
        if inner.classifier_tags is not None:
            tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags


def _single_output(y: Any) -> Any:
    """Return class labels as one column; raise if there are several. Labels in one dimension are returned as given."""
    if np.ndim(y) == 2 and np.shape(y)[1] > 1:
        raise ValueError(
            f"y has shape {np.shape(y)}. A selective classifier predicts one output. Fit one classifier for each "
            "output, for example with sklearn.multioutput.MultiOutputClassifier."
        )
    return y if np.ndim(y) == 1 else column_or_1d(y, warn=True)


def _read_costs(given: Any, n_samples: int) -> Floats | None:
    if given is None:
        return None
    costs = read_costs_by_sample(given)
    if len(costs) != n_samples:
        raise ValueError(f"costs has {len(costs)} rows, but there are {n_samples} samples.")
    return costs


def _mean(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    return arrays[0] if len(arrays) == 1 else np.mean(arrays, axis=0)
