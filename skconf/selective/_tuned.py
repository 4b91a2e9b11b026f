"""TunedSelectiveClassifierCV: a classifier that chooses the threshold below which it rejects predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.checks import check_confidence_level
from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf._core.sklearn_names import Interval, StrOptions
from skconf._core.warn import warn
from skconf.calibration._learned import learns
from skconf.profile import ConfidenceProfile
from skconf.selective._base import BaseSelectiveClassifier, Members
from skconf.selective._cells import BY_CLASS, codes_in, columns_of
from skconf.selective._decisions import warn_if_never_rejecting
from skconf.selective._inner_classifier import FittedClassifier
from skconf.selective._mix import Mix
from skconf.selective._objective import OBJECTIVES, Objective
from skconf.selective._parameters import CONSTRAINTS
from skconf.selective._promises import MeanCharge, MeanReward
from skconf.selective._risk_control import SPEND
from skconf.selective._samples import Charge
from skconf.selective._sliced import placed
from skconf.selective._targets import names_of
from skconf.selective._thresholds import TunedThreshold
from skconf.selective._training import Rows, Training
from skconf.selective._tuning import charges_of, check_aim, choose_threshold, keep_promises


class TunedSelectiveClassifierCV(BaseSelectiveClassifier):
    """A classifier that chooses its threshold by an objective, and rejects predictions below it.

    The threshold is chosen on samples on which neither the classifier nor its calibrator was trained. With a
    `confidence_level`, the risk of the accepted predictions is at most `target` with at least that probability.
    :func:`required_samples` gives the number of samples that are needed.

    Parameters
    ----------
    estimator : classifier
        A classifier with ``fit`` and ``predict_proba``. A :class:`~sklearn.frozen.FrozenEstimator` is not fitted again:
        all samples given to ``fit`` are then used to choose the threshold or to calibrate. If you search for
        hyperparameters, pass the search as the estimator, as in ``TunedSelectiveClassifierCV(GridSearchCV(...))``. The
        threshold is then chosen on samples that the search never sees.
    objective : {"risk", "coverage", "cost", "cwsa", "cwsa_plus"} or callable, default="risk"
        What the threshold optimizes:

        - "risk": the largest coverage with a risk of at most `target`; the risk is the error rate of accepted
          predictions;
        - "coverage": the smallest coverage that is at least `target`; labels are not used;
        - "cost": the least mean cost. A rejection costs `reject_cost`. An error costs 1; with a `cost_matrix`, each
          decision costs its entry in the matrix;
        - "cwsa", "cwsa_plus": the largest value of the metric (with a warning if fewer than 5% of the samples are
          accepted);
        - a function: the largest value that it returns. It gets the result of
          :func:`skconf.metrics.risk_coverage_curve`, and returns an array with a value for each threshold. NaN excludes
          a threshold.

        If several thresholds are equally good, the one that accepts the most is chosen.
    target : float or mapping of str to float or mapping, default=0.05
        Largest risk allowed (1 − accuracy), or smallest coverage. With a `confidence_level`, you can pass a mapping,
        which makes several promises at once, such as ``{"risk": 0.05, "false_negative_rate": {"fraud": 0.1}}``. The
        keys "risk", "cost", "ecuas_1", "cwsa", "cwsa_plus" and "coverage" have a number as value; with `slices`, they
        can have a mapping of slice to number. The keys "false_negative_rate", "false_positive_rate" and "recall" have a
        mapping of class to number. :func:`tune_threshold` says what each key limits.

        With a mapping, the objective "risk" chooses the largest coverage that keeps all promises, and "coverage"
        chooses the smallest coverage that keeps them.
    confidence_level : float, default=None
        Probability with which the true risk is at most `target`, in [0.5, 1); only for the objective "risk", or with a
        mapping as `target`. If None, only the observed error rate is at most `target`, and nothing is guaranteed about
        the true risk. With several promises, it is the probability that all of them hold.
    n_candidates : int, default=1
        Number of models, scores or targets that you compare on the same samples before you choose one, for example if
        ``GridSearchCV`` tunes this classifier. The promise then holds for your choice, but fewer samples are accepted.
    spend : {"evenly", "first"}, default="evenly"
        How the probability 1 − `confidence_level` is divided among the tests, as in :func:`tune_threshold`. "first"
        accepts more if there are few samples. Choose `spend` before you look at the labels.
    reject_cost : float, default=None
        Cost of a rejection; the objective "cost" needs it. If no answer can cost more than a rejection, nothing is
        rejected, with a warning.
    cost_matrix : array-like of shape (n_classes, n_decisions), callable or None, default=None
        Cost of each decision under each true class, as in :class:`SelectiveClassifier`. The answer is then the decision
        of least expected cost u, whatever the objective; its score is 1 − u/u_M, where u_M is the largest possible u.
        If None, the answer is the most probable class, and an error costs 1. You can also pass `costs` of shape
        (n_samples, n_decisions) to ``fit``: the objective "cost" then counts these costs, not those of the matrix.
    decisions : array-like of shape (n_decisions,), default=None
        Names of the decisions, as in :class:`SelectiveClassifier`. If they are the classes, the risk is the share of
        accepted decisions that are not the true class. Otherwise no decision is right or wrong: the objective must
        be "cost" or "coverage", and ``risk_`` is NaN.
    thresholds : array-like of shape (n_thresholds,), default=None
        The thresholds to choose from, in [0, 1]. None takes all distinct scores or, with a `confidence_level`, a
        planned part of them (see the notes).
    slices : "predicted_class", or label, int or list of these, default=None
        The promises must hold in each slice; this needs a `confidence_level`. "predicted_class" makes a slice of each
        predicted class. If you pass names or positions of columns of `X`, each combination of their values is a slice.
        Each slice gets its own threshold. If a slice has too few samples, all of them are rejected, with a warning. A
        sample is also rejected, with a warning, if its slice is new, or if a value in these columns is missing. `X`
        must have these columns, so put transformers inside this classifier.
    calibration : str, calibrator or None, default=None
        How the probabilities are calibrated, as in :class:`SelectiveClassifier`: a name such as "pooled", or a
        calibrator. None uses the probabilities as they are.
    confidence : {"max_proba", "margin", "entropy"}, callable or LearnedConfidence, default="max_proba"
        The score of a prediction, as in :class:`SelectiveClassifier`.
        :class:`~skconf.calibration.LearnedConfidence` is fitted on the samples of the calibrator, never on the samples
        that choose the threshold.
    keep_prediction : bool, default=False
        Predict the class that was most probable before the calibration. With a `cost_matrix`, it must be False, and
        `confidence` must be the default.
    prevalence : mapping of label to float or pair of float, default=None
        Share of each class in the population where the classifier is used, such as ``{"fraud": 0.003}``. The calibrated
        probabilities are corrected to these shares, as in :class:`SelectiveClassifier`, and the threshold is chosen for
        them, as in :func:`tune_threshold`. With a `confidence_level` you can also give a range, such as ``{"fraud":
        (0.005, 0.02)}``: the promise then holds for every share in the range, and the probabilities are corrected to
        its middle. If `target` is a mapping, or with `slices`, a range is not possible.
    cv : int, cross-validation generator, float or None, default=None
        The samples on which the threshold is chosen. A float, or a splitter with a single split, holds out a part of
        the samples for the threshold. If there is a calibrator, a second part of the same size is held out for it. The
        other samples train the classifier. An int, or another splitter, cross-fits: the threshold is chosen on
        out-of-fold scores, and a classifier fitted on all samples predicts. Without a `confidence_level`, None means
        5-fold cross-fitting. With a `confidence_level`, None holds out a fifth of the samples, or half of them if a
        frozen classifier is calibrated. If ``fit`` gets `groups`, folds and held-out parts contain whole clusters,
        unless `cv` is a splitter: then the splitter decides.
    validation_fraction : float, default=None
        Share of the training rows that is passed as `eval_set` to the classifier's ``fit``, for early stopping, as in
        :class:`SelectiveClassifier`.
    reject_label : label, default=None
        What ``predict`` returns for a rejected sample, as in :class:`SelectiveClassifier`. None means "reject" for
        labels that are strings; for numbers, it means −1, or the smallest label minus 1 if −1 is a class.
    n_jobs : int, default=None
        Number of folds that are fitted at once, as in joblib; -1 uses all cores.
    random_state : int, RandomState instance or None, default=None
        Seed of all random draws, such as those of held-out parts and of the sample from each cluster.

    Attributes
    ----------
    threshold_ : float
        Lowest score at which a prediction is accepted. It is infinite if no sample is accepted. A threshold that
        accepts every sample is replaced by 0, with the exceptions in `TunedThreshold.threshold`. With `slices`, each
        score is replaced by 0.5 + (score − threshold of its slice) / 2, so ``threshold_`` is always 0.5.
    feasible_ : bool
        Whether any sample is accepted. If none is, a warning says why.
    coverage_, risk_ : float
        Share of accepted samples and their error rate, among the samples on which the threshold was chosen. The risk is
        NaN if no sample is accepted. Without a `confidence_level` it is a little too low, because this threshold was
        the best of many on the same samples. With a `prevalence`, coverage and risk are weighted to the given shares.
    risk_upper_bound_ : float
        Upper confidence limit of the risk at this threshold; NaN without a `confidence_level`. If this limit is below
        `target`, the risk may exceed the limit with a higher probability than 1 − `confidence_level`, because the limit
        is computed on the samples that chose the threshold. With a `prevalence`, ``risk_`` may be above the limit,
        because the limit is computed on a random part of the samples, drawn with the given shares.
    thresholds_ : Series
        With `slices`, the threshold of each slice. It is infinite if everything in the slice is rejected.
    guarantees_ : DataFrame
        What is promised, observed and guaranteed in each slice, if `target` is a mapping or if there are `slices`.
        `TunedThreshold.guarantees` describes the columns.
    cv_results_ : dict of str to ndarray of shape (n_thresholds,)
        Arrays with a value for each threshold: `threshold` (descending from infinity, which accepts nothing),
        `coverage`, `risk`, `risk_upper_bound` and `objective`. `objective` is NaN for a threshold that cannot be
        chosen. A higher `objective` is better. Empty if there are `guarantees_`.
    by_class_ : DataFrame
        Coverage and risk of each class, if there is a `prevalence` and no `slices`. `TunedThreshold.by_class` describes
        the columns.
    classes_, decisions_, rule_, reject_label_, estimator_, calibrator_, confidence_, members_, n_features_in_,
    feature_names_in_
        As in :class:`SelectiveClassifier`.

    See Also
    --------
    SelectiveClassifier : A classifier with a threshold that you set.
    tune_threshold : The same for predictions that you have already.
    required_samples : The number of samples that a target needs.
    skconf.metrics.risk_coverage_curve : Coverage and error rate at every threshold.

    Notes
    -----
    With a `confidence_level` of 1 − δ, thresholds are tested from strict to loose. The number of samples that
    each threshold accepts is planned before labels are read. A test passes if the accepted samples have so few errors
    that this would be improbable at a risk above `target`. By default, each doubling of the number of accepted samples
    gets an equal share of δ. If a test passes, its share is added to that of the next test [1]_, [2]_. The loosest
    threshold that passes is chosen. The probability that at least one test passes wrongly is computed exactly.

    If samples are independent and identically distributed, the `confidence_level` is exact for any classifier if one of
    two conditions holds:

    - All scores differ, and `thresholds` is None. This is enough even if the risk falls as the coverage grows.
    - Once the risk has reached `target`, it never falls as the coverage grows. This is enough even if scores are equal
      or `thresholds` is set.

    With `groups`, the threshold is chosen on one random sample of each cluster, and the promise is about the risk of a
    random sample of a random new cluster. In ``cross_validate``, enable metadata routing and pass
    ``params={"groups": groups}``, because its argument `groups` does not reach this classifier.

    The promise holds for new samples from the same source, and for all accepted samples together. It need not hold for
    each class or group, or after a shift. With cross-fitting, the scores were computed by other classifiers than the
    final one, so the `confidence_level` is approximate, with a warning. Sample weights apply to the training and the
    calibration; without a `confidence_level`, also to the choice of the threshold.

    References
    ----------
    .. [1] J. P. Romano and M. Wolf, Exact and approximate stepdown methods for multiple hypothesis testing, Journal of
       the American Statistical Association 100, 2005.
    .. [2] K. K. G. Lan and D. L. DeMets, Discrete sequential boundaries for clinical trials, Biometrika 70, 1983.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sklearn.model_selection import train_test_split
    >>> from skconf import TunedSelectiveClassifierCV
    >>> X, y = load_digits(return_X_y=True)
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    >>> forest = RandomForestClassifier(n_estimators=30, random_state=0)
    >>> model = TunedSelectiveClassifierCV(forest, target=0.03, confidence_level=0.9, random_state=0)
    >>> model = model.fit(X_train, y_train)
    >>> print(f"{model.coverage_:.2f} accepted, risk {model.risk_:.3f}, at most {model.risk_upper_bound_:.3f}")
    0.89 accepted, risk 0.008, at most 0.022
    >>> accepted = model.accept(X_test)
    >>> print(f"{accepted.mean():.2f} accepted, risk {(model.predict(X_test) != y_test)[accepted].mean():.3f}")
    0.89 accepted, risk 0.008
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CONSTRAINTS,
        "objective": [StrOptions(set(OBJECTIVES)), callable],
        "target": [Interval(Real, 0, 1, closed="both"), Mapping],
        "confidence_level": [Interval(Real, 0, 1, closed="neither"), None],
        "n_candidates": [Interval(Integral, 1, None, closed="left")],
        "spend": [StrOptions(set(SPEND))],
        "thresholds": ["array-like", None],
        "slices": [str, Integral, list, tuple, None],
    }

    def __init__(
        self,
        estimator: Any,
        *,
        objective: Any = "risk",
        target: Any = 0.05,
        confidence_level: float | None = None,
        n_candidates: int = 1,
        spend: str = "evenly",
        reject_cost: float | None = None,
        cost_matrix: Any = None,
        decisions: ArrayLike | None = None,
        thresholds: ArrayLike | None = None,
        slices: Any = None,
        calibration: Any = None,
        confidence: Any = "max_proba",
        keep_prediction: bool = False,
        prevalence: Any = None,
        cv: Any = None,
        validation_fraction: float | None = None,
        reject_label: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.objective = objective
        self.target = target
        self.confidence_level = confidence_level
        self.n_candidates = n_candidates
        self.spend = spend
        self.reject_cost = reject_cost
        self.cost_matrix = cost_matrix
        self.decisions = decisions
        self.thresholds = thresholds
        self.slices = slices
        self.calibration = calibration
        self.confidence = confidence
        self.keep_prediction = keep_prediction
        self.prevalence = prevalence
        self.cv = cv
        self.validation_fraction = validation_fraction
        self.reject_label = reject_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit_members(self, training: Training) -> tuple[Members, Any]:
        several = self.slices is not None or isinstance(self.target, Mapping)
        if self.confidence_level is not None:
            check_confidence_level(self.confidence_level)
        objective = Objective(
            name=self.objective,
            target=self.target,
            confidence_level=self.confidence_level,
            n_candidates=self.n_candidates,
            spend=self.spend,
            reject_cost=self.reject_cost,
            thresholds=self.thresholds,
        )
        rule = training.rule
        by_confidence = rule is None and self._by_confidence
        check_aim(objective, self.target, self.slices, len(training.classes), ranks_by_confidence=by_confidence)
        if rule is not None and not rule.of_classes and self.objective not in ("cost", "coverage"):
            raise ValueError(
                f"objective={self.objective!r} counts errors, but the decisions are not the classes, so no decision is "
                "right or wrong. Use objective='cost' or 'coverage'."
            )
        if self.reject_cost is not None:
            warn_if_never_rejecting(self.reject_cost, training.dearest, "the highest cost of an answer")
        model, calibrator, learned, rows, predicted, score = self._out_of_sample(training)
        profile = self._profile(training, rows, predicted, score)
        clusters = None
        if self.confidence_level is not None and training.clusters is not None:
            clusters = training.clusters[rows]
        mix = None if self.prevalence is None else self._read_mix(training.classes)
        if several:
            tuned = self._keep(training, profile, objective, rows, clusters, mix)
        else:
            tuned = choose_threshold(profile, objective, clusters, self.random_state, mix, see="cv_results_")
        self.threshold_, self.feasible_ = tuned.threshold, tuned.feasible
        self._tuned_for = self.confidence, self.keep_prediction
        self.coverage_, self.risk_, self.risk_upper_bound_ = tuned.coverage, tuned.risk, tuned.risk_upper_bound
        self.cv_results_ = tuned.results
        if tuned.by_class is not None:
            self.by_class_ = tuned.by_class
        if rule is not None and not rule.of_classes:
            self.risk_, self.cv_results_["risk"] = np.nan, np.full(len(tuned.results["risk"]), np.nan)
        return [(model, calibrator)], learned

    def _raw(self, X: Any) -> list[tuple[NDArray[Any], Any]]:
        now = self.confidence, self.keep_prediction
        tuned_for = getattr(self, "_tuned_for", now)  # files of earlier versions do not have it
        if tuned_for != now and repr(tuned_for) != repr(now):  # an equal estimator is the same
            raise ValueError(
                "confidence or keep_prediction was changed after fit. The threshold holds only for confidence="
                f"{tuned_for[0]!r} and keep_prediction={tuned_for[1]}. Set both back to these values, or fit again."
            )
        return super()._raw(X)

    def _profile(self, training: Training, rows: Rows, predicted: Codes, score: Floats) -> ConfidenceProfile:
        """Return the answers to some rows; for the objective "cost", with what they cost."""
        rule, truth = training.rule, training.codes[rows]
        profile = ConfidenceProfile(
            correctness=predicted == truth if rule is None or rule.of_classes else np.ones(len(rows), dtype=np.bool_),
            confidence=score,
            score=score,
            sample_weight=None if training.weight is None else training.weight[rows],
            classes=training.classes,
            true_class=truth,
            predicted_class=predicted,
        )
        if rule is None or self.objective != "cost":
            return profile
        charged = np.asarray(training.charged_costs(rows, predicted))[:, np.newaxis]
        return replace(profile, costs=charged, decided=np.zeros(len(rows), dtype=np.intp))

    def _read_mix(self, classes: NDArray[Any]) -> Mix:
        mix = Mix.read(self.prevalence, classes)
        if self.confidence_level is None:
            mix.refuse_range()
        return mix

    def _keep(
        self,
        training: Training,
        profile: ConfidenceProfile,
        objective: Objective,
        rows: Rows,
        clusters: Codes | None,
        mix: Mix | None,
    ) -> TunedThreshold:
        """Return the thresholds for several promises, or for promises in slices."""
        promised = names_of(MeanReward, self.target)
        if promised and not (training.rule is None and self._by_confidence):
            raise ValueError(
                f"target[{promised[0]!r}] is defined only if the score is the probability of the predicted class. "
                "Keep confidence='max_proba' and cost_matrix=None."
            )
        table = None
        if self.slices is not None and not self._by_class:
            table = columns_of(training.samples(rows), self._columns)
        slices, charges = BY_CLASS if self._by_class else table, self._charges(training, profile, rows)
        tuned = keep_promises(profile, objective, self.target, slices, charges, clusters, self.random_state, mix)
        self.guarantees_ = tuned.guarantees
        if tuned.thresholds is None:
            return tuned
        self.thresholds_ = tuned.thresholds
        return replace(tuned, threshold=0.5)  # from which the distance to the threshold of a slice is measured

    def _charges(self, training: Training, profile: ConfidenceProfile, rows: Rows) -> dict[str, Charge]:
        """Return what each prediction costs, for each promise of a mean cost or of ECUAS."""
        promised = names_of(MeanCharge, self.target)
        if not promised:
            return {}
        if "cost" in promised and self.cost_matrix is None:
            raise ValueError("target['cost'] needs a cost_matrix. Pass one, or use a target for the risk.")
        if training.costs is not None or callable(self.cost_matrix):
            raise ValueError(
                f"target[{promised[0]!r}] needs to know the largest possible cost, but costs that differ from sample "
                "to sample have no upper limit. Pass an array as cost_matrix, and leave out costs; or use a target for "
                "the risk."
            )
        rule = training.rule
        if rule is None:
            if not self._by_confidence:
                raise ValueError(
                    "target['ecuas_1'] is defined only if the score is the probability of the predicted class. Keep "
                    "confidence='max_proba'."
                )
            return charges_of(profile, self.target, None)
        cost, dearest = np.asarray(training.charged_costs(rows, profile.require("predicted_class"))), training.dearest
        # The score is 1 minus the relative uncertainty.
        ecuas = Charge.of_ecuas(1 - profile.score, cost / rule.largest, dearest / rule.largest)
        return {risk: Charge(cost, dearest) if risk == "cost" else ecuas for risk in promised}

    @property
    def _by_confidence(self) -> bool:
        return isinstance(self.confidence, str) and self.confidence == "max_proba"

    @property
    def _by_class(self) -> bool:
        return isinstance(self.slices, str) and self.slices == BY_CLASS

    @property
    def _columns(self) -> list[Any]:
        return list(self.slices) if isinstance(self.slices, list | tuple) else [self.slices]

    def _placed(self, score: Floats, predicted: Codes, X: Any) -> Floats:
        if self.slices is None:
            return score
        cells = self.thresholds_.index
        codes = predicted if self._by_class else codes_in(cells, columns_of(X, list(cells.names)))
        unknown = int((codes < 0).sum())
        if unknown:
            warn(
                f"{unknown:,} of {len(codes):,} samples are rejected, because they have no threshold: their slice is "
                "missing, or it had no sample when the thresholds were chosen."
            )
        return placed(score, np.append(self.thresholds_.to_numpy(), np.inf)[codes])

    def _out_of_sample(self, training: Training) -> _OutOfSample:
        """Fit the classifier, and answer rows that neither it nor its calibrator has seen."""
        corrected = self.calibration is not None or learns(self.confidence)
        rest = rows = training.everything
        if corrected or not training.frozen:
            cv = self.cv
            if cv is None and self.confidence_level is not None:
                cv = 0.5 if training.frozen else 0.2
            # With a confidence level, the samples that choose the threshold are drawn independently of their classes,
            # so that the binomial distribution is exact.
            splits = training.splits(cv, by_class=self.confidence_level is None)
            if self.confidence_level is not None:
                training.refuse_torn_groups(splits)
            if len(splits) > 1:
                return self._cross_fit(training, splits)
            ((rest, rows),) = splits
        train = correct = rest
        if corrected and not training.frozen:
            train, correct = training.hold_out(rest, min(len(rows) / len(rest), 0.5))
        model, calibrator, learned = training.fit_on(train), None, None
        if corrected:
            calibrator, learned = self._calibrate(training, training.ask(model, correct), correct)
        answers = self._decide(training, training.ask(model, rows), calibrator, learned, rows)
        return _OutOfSample(model, calibrator, learned, rows, *answers)

    def _cross_fit(self, training: Training, splits: list[tuple[Rows, Rows]]) -> _OutOfSample:
        """Fit on each fold and on everything. The calibrator of a fold learns from the other folds."""
        tests = [test for _, test in splits]
        rows = np.concatenate(tests)
        if self.confidence_level is not None:
            if len(np.unique(rows)) < len(rows):
                raise ValueError(
                    "cv predicts some samples several times, but a confidence_level needs independent scores. Hold "
                    "out a part instead, for example with cv=0.2."
                )
            warn(
                f"confidence_level={self.confidence_level} is approximate with cross-fitted scores, because these "
                "come from other classifiers than the final one. For an exact confidence_level, hold out a part, for "
                "example with cv=0.2.",
            )
        _, raw = training.fit_and_ask(splits)
        proba, answers = np.vstack(raw), []
        for part, test in zip(raw, tests, strict=True):
            others = ~np.isin(rows, test)
            answers.append(self._decide(training, part, *self._calibrate(training, proba[others], rows[others]), test))
        predicted, score = (np.concatenate(column) for column in zip(*answers, strict=True))
        calibrator, learned = self._calibrate(training, proba, rows)
        return _OutOfSample(training.fit_on(training.everything), calibrator, learned, rows, predicted, score)

    def _calibrate(self, training: Training, raw: NDArray[Any], rows: Rows) -> tuple[Any, Any]:
        """Fit a calibrator and a learned confidence on raw probabilities of some rows; None where not requested."""
        calibrator = training.calibrator(raw, rows)
        return calibrator, self._learn(training, [(raw, calibrator, rows)])

    def _decide(
        self, training: Training, raw: NDArray[Any], calibrator: Any, learned: Any, rows: Rows
    ) -> tuple[Codes, Floats]:
        """Return predictions and scores of some rows, from their raw probabilities."""
        X = None if learned is None else training.samples(rows)  # nothing else uses them, and copies need memory
        costs = training.deciding_costs(rows)
        _, predicted, score = self._answer([(raw, calibrator)], training.rule, costs, X, learned)
        return predicted, score


class _OutOfSample(NamedTuple):
    """A fitted classifier, its calibrator and learned confidence, and answers to rows that none of them has seen."""

    model: FittedClassifier
    calibrator: Any
    learned: Any
    rows: Rows
    predicted: Codes
    score: Floats
