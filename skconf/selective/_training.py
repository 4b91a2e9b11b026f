"""Fit the classifier inside a selective one, and its calibrator on samples that the classifier has not seen."""

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter

from skconf._core.costs import costs_given_truth
from skconf._core.inputs import check_length
from skconf._core.labels import Codes, LabelColumn
from skconf._core.probabilities import Floats
from skconf._core.problems import DataError
from skconf._core.sklearn_names import check_method_params, safe_indexing
from skconf.calibration import make_calibrator
from skconf.selective._decisions import DecisionRule
from skconf.selective._inner_classifier import EvaluationSet, FittedClassifier, fit_classifier, fitted_classifier
from skconf.selective._prevalence import corrected

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Training:
    """The samples of one call of ``fit``, with methods to fit classifiers and calibrators on some of the rows.

    Attributes
    ----------
    estimator : classifier
        The classifier, which is cloned and fitted. A frozen one is used unchanged.
    X, y : array-like
        Samples and labels.
    codes : ndarray of shape (n_samples,)
        Position of each label in `classes`.
    classes : ndarray of shape (n_classes,)
        All classes of the task.
    fit_params, split_params : dict
        Further arguments of the classifier's ``fit`` and of the splitter's ``split``.
    weight : ndarray of shape (n_samples,) or None
        Weights of samples.
    clusters : ndarray of shape (n_samples,) or None
        The group of each sample, as a number. A held-out part contains whole groups.
    rule : DecisionRule or None
        The rule that chooses decisions by their expected costs. None if the most probable class is the answer.
    costs : ndarray or None
        The cost of each decision, for each sample. If decisions depend on `costs`, there is a cost under each class;
        otherwise, only under the true class.
    calibration : str, calibrator or None
        How probabilities are calibrated.
    shares : ndarray of shape (n_classes,) or None
        Shares of the classes where the classifier is used. None leaves the probabilities uncorrected.
    validation_fraction : float or None
        Share of the training rows that is held out, so that a booster stops early.
    n_jobs : int or None
        Number of classifiers fitted at once.
    random_state : int, RandomState instance or None
        Seed of held-out parts.
    """

    estimator: Any
    X: Any
    y: Any
    codes: Codes
    classes: NDArray[Any]
    fit_params: dict[str, Any]
    split_params: dict[str, Any]
    weight: Floats | None
    clusters: Codes | None
    rule: DecisionRule | None
    costs: Floats | None
    calibration: Any
    shares: Floats | None
    validation_fraction: float | None
    n_jobs: int | None
    random_state: Any

    @property
    def frozen(self) -> bool:
        """Whether the classifier was fitted elsewhere."""
        return isinstance(self.estimator, FrozenEstimator)

    @cached_property
    def everything(self) -> Rows:
        """All rows."""
        return np.arange(len(self.codes))

    def fit_on(self, rows: Rows) -> FittedClassifier:
        """Return the classifier, fitted on some rows."""
        if self.frozen:
            return fitted_classifier(self.estimator, self.classes)
        evaluation = None
        if self.validation_fraction is not None:
            rows, held = self._held_to_evaluate(rows, self.validation_fraction)
            evaluation = EvaluationSet(
                safe_indexing(self.X, held),
                safe_indexing(self.y, held),
                None if self.weight is None else self.weight[held],
            )
        params = check_method_params(self.X, self.fit_params, indices=rows)
        part = safe_indexing(self.X, rows), safe_indexing(self.y, rows), self.codes[rows]
        return fit_classifier(clone(self.estimator), *part, self.classes, params, evaluation)

    def _held_to_evaluate(self, rows: Rows, fraction: float) -> tuple[Rows, Rows]:
        """Split rows into training rows and evaluation rows. No class occurs only in the evaluation rows."""
        train, held = self.hold_out(rows, fraction)
        unit = self.everything if self.clusters is None else self.clusters
        untrained = unit[held[~np.isin(self.codes[held], self.codes[train])]]
        back = np.isin(unit[held], untrained)
        if back.all():
            raise ValueError(
                f"validation_fraction={fraction} of {len(rows)} rows: the held-out rows cannot be evaluated, because "
                "all are of classes that no training row has. Pass more samples of each class, or leave "
                "validation_fraction out."
            )
        return np.sort(np.append(train, held[back])), held[~back]

    def fit_and_ask(self, splits: list[tuple[Rows, Rows]]) -> tuple[list[FittedClassifier], list[NDArray[Any]]]:
        """Fit a classifier on the first part of each split, and predict probabilities of the other part."""
        models = list(Parallel(n_jobs=self.n_jobs)(delayed(self.fit_on)(train) for train, _ in splits))
        return models, [self.ask(model, test) for model, (_, test) in zip(models, splits, strict=True)]

    def ask(self, model: FittedClassifier, rows: Rows) -> NDArray[Any]:
        """Return the probabilities that a classifier gives for some rows."""
        return model.predict_proba(self.samples(rows))

    def samples(self, rows: Rows) -> Any:
        """Return some rows of the samples; if these are all rows, without a copy."""
        return self.X if rows is self.everything else safe_indexing(self.X, rows)

    def deciding_costs(self, rows: Rows) -> Floats | None:
        """Return the costs on which decisions for some rows depend; None if decisions do not depend on costs."""
        if self.rule is None:
            return None
        own = self.costs[rows] if self.costs is not None and self.rule.needs_costs else None
        return self.rule.costs_of(self.samples(rows), own, len(rows))

    @property
    def dearest(self) -> float:
        """The highest cost of an answer; if no costs were given, an error costs 1."""
        if self.costs is not None or self.rule is None:
            return 1.0 if self.costs is None else float(self.costs.max())
        return float(self.rule.costs_of(self.X, None, len(self.codes)).max())

    def charged_costs(self, rows: Rows, decision: Codes) -> Floats | None:
        """Return the cost of the decisions in some rows, given the true class; None if no costs were given."""
        if self.rule is None:
            return None
        if self.costs is not None:
            charged = self.costs[rows]
        elif self.rule.costs is not None:
            return self.rule.costs[self.codes[rows], decision]
        else:
            charged = self.rule.costs_of(self.samples(rows), None, len(rows))
        given_truth = costs_given_truth(charged, self.codes[rows], len(self.classes), len(self.rule.decisions))
        return given_truth[np.arange(len(rows)), decision]

    def calibrator(self, proba: NDArray[Any], rows: Rows) -> Any:
        """Return a calibrator fitted on the probabilities of some rows; None without a calibration."""
        if self.calibration is None:
            return None
        calibrator = clone(make_calibrator(self.calibration))
        order = {"labels": self.classes} if has_fit_parameter(calibrator, "labels") else {}
        weight = None if self.weight is None else self.weight[rows]
        calibrator = calibrator.fit(proba, self.classes[self.codes[rows]], weight, **order)
        return calibrator if self.shares is None else corrected(calibrator, self.codes[rows], weight, self.shares)

    def learned(self, confidence: Any, proba: NDArray[Any], predicted: Codes, rows: Rows) -> Any:
        """Return an estimator of correctness, fitted on the answers to some rows."""
        weight, groups = (None if values is None else values[rows] for values in (self.weight, self.clusters))
        right = predicted == self.codes[rows]
        learner = clone(confidence)
        known = {"true_class": self.codes[rows]} if has_fit_parameter(learner, "true_class") else {}
        return learner.fit(self.samples(rows), proba, right, weight, predicted=predicted, groups=groups, **known)

    def splits(self, cv: Any, *, by_class: bool = True) -> list[tuple[Rows, Rows]]:
        """Return pairs of rows to fit on and rows to predict. If `cv` is a fraction, there is one pair.

        If `cv` is a fraction or a number of folds, groups are kept whole. If it is a splitter, the splitter decides.
        """
        if isinstance(cv, Real) and not isinstance(cv, Integral):
            return [self.hold_out(self.everything, float(cv), by_class=by_class)]
        if self.clusters is not None and (cv is None or isinstance(cv, Integral)):
            n_folds = 5 if cv is None else int(cv)
            check_enough_groups(n_folds, int(self.clusters.max()) + 1)
            return list(StratifiedGroupKFold(n_folds).split(self.X, self.codes, self.clusters))
        return list(check_cv(cv, y=self.codes, classifier=True).split(self.X, self.codes, **self.split_params))

    def refuse_torn_groups(self, splits: list[tuple[Rows, Rows]]) -> None:
        """Raise if some samples of a group train the classifier and others choose the threshold."""
        if self.clusters is None:
            return
        for train, test in splits:
            torn = np.intersect1d(self.clusters[train], self.clusters[test])
            if len(torn):
                row = int(np.flatnonzero(self.clusters == torn[0])[0])
                several = "1 group has" if len(torn) == 1 else f"{len(torn)} groups have"
                raise DataError(
                    f"With this cv, {several} samples both in the training part and in the test part, such as the "
                    "group of ",
                    row,
                    ". With a confidence_level, the samples of one group must not both train the classifier and choose "
                    "the threshold. Leave cv out, or pass a splitter that keeps groups together, such as "
                    "GroupShuffleSplit(n_splits=1).",
                    kind="torn group",
                    column="cv",
                )

    def hold_out(self, rows: Rows, fraction: float, *, by_class: bool = True) -> tuple[Rows, Rows]:
        """Return the rows to keep, and a random fraction of rows (or of groups, if there are any) to hold out.

        Rows are held out by class, so that each class has its share. If there are groups, whole groups are held out
        instead.
        """
        unit = np.arange(len(rows))  # of each row: what is held out as a whole
        if self.clusters is not None:
            unit = np.unique(self.clusters[rows], return_inverse=True)[1]
        n_units = int(unit.max(initial=-1)) + 1
        if n_units < 2:
            what = "samples" if self.clusters is None else "groups"
            raise ValueError(
                f"There are too few {what} to hold some of them out (n_samples={len(self.codes)}). Pass more {what}."
            )
        rng = check_random_state(self.random_state)
        order = rng.permutation(n_units)
        if by_class and self.clusters is None:
            order = order[np.argsort(self.codes[rows[order]], kind="stable")]
        # Hold out every (1/fraction)-th unit in this order, from a random start. So a small class is not left out by
        # rounding.
        size = min(max(round(fraction * n_units), 1), n_units - 1)
        mark = np.floor(np.arange(n_units + 1) * size / n_units + rng.random()).astype(np.intp)
        held_out = np.zeros(n_units, dtype=bool)
        held_out[order[np.diff(mark) > 0]] = True
        return np.sort(rows[~held_out[unit]]), np.sort(rows[held_out[unit]])


def check_enough_groups(n_folds: int, n_groups: int) -> None:
    """Refuse more folds than there are groups."""
    if n_groups == 1:
        raise ValueError(
            "groups has a single group, so it cannot be split into folds. Pass more groups, or leave groups out."
        )
    if n_folds > n_groups:
        raise ValueError(
            f"cv makes {n_folds} folds, but there are {n_groups} groups. Each fold needs a group of its own. Pass "
            f"cv={n_groups} or less."
        )


def read_clusters(groups: ArrayLike, n_samples: int) -> Codes:
    """Return the number of each sample's cluster."""
    column = LabelColumn(groups, "groups")
    check_length(column, n_samples, "groups")
    return column.codes


def separate_stream(random_state: Any) -> np.random.Generator:
    """Return a generator of random numbers. They are independent of those that hold out clusters for the same seed."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31, size=4))


#: What reasons say if only one sample of each cluster counts.
ONE_COUNTS = " (of each cluster, one sample counts)"


def one_of_each(clusters: Codes, rng: np.random.Generator) -> Rows:
    """Draw one sample of each cluster at random, and return their rows in ascending order."""
    shuffled = rng.permutation(len(clusters))
    return np.sort(shuffled[np.unique(clusters[shuffled], return_index=True)[1]])
