"""A stack of small models that estimate whether answers are right, with their weights."""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats

#: The smallest distance of a probability to 0 and 1 inside a logit.
EPS = 1e-4
#: How strongly weights are drawn to those that leave the confidence as it is.
_RIDGE = 4.0
#: Number of points at which kernels are centred.
_N_POINTS = 200

#: Makes the models use one thread. With so few rows, several threads gain little, and wait for each other in busy
#: loops. On two cores, one of them used by another program, a fit with two threads took ten times as long.
one_thread = threadpool_limits.wrap(limits=1)

Rows = NDArray[np.intp]
#: Pairs: rows to learn from, and rows to predict.
Splits = list[tuple[Rows, Rows]]


class Seen(NamedTuple):
    """The input of the models, with a row for each answer.

    Attributes
    ----------
    columns : ndarray of shape (n_samples, n_columns)
        Features of the samples; NaN for missing values.
    own : ndarray of shape (n_samples, n_own)
        Features of the probabilities. The first column is the logit of the confidence.
    asked : ndarray of shape (n_samples,)
        The code in `Truth.classes` that means a right answer: the predicted class, or 1 if `Truth.classes` has only 1
        (right) and 0 (wrong).
    """

    columns: Floats
    own: Floats
    asked: Codes

    def take(self, rows: Rows) -> Self:
        return self._replace(columns=self.columns[rows], own=self.own[rows], asked=self.asked[rows])


class Truth(NamedTuple):
    """The targets of the models: whether answers were right, true classes and weights."""

    right: NDArray[np.bool_]
    classes: Codes
    weight: Floats

    def take(self, rows: Rows) -> Self:
        return self._replace(right=self.right[rows], classes=self.classes[rows], weight=self.weight[rows])


class Opinion(NamedTuple):
    """A fitted model that predicts the class, or whether answers are right."""

    model: Any
    of_class: bool

    def logit(self, seen: Seen) -> Floats:
        """Return the logit of the probability that each answer is right."""
        columns, asked = _task(seen, self.of_class)
        proba, known = self.model.predict_proba(columns), self.model.classes_
        place = np.minimum(np.searchsorted(known, asked), len(known) - 1)
        chance = np.where(known[place] == asked, proba[np.arange(len(asked)), place], 0.0)
        return np.asarray(logit(np.clip(chance, EPS, 1 - EPS)))


def _trees(shape: tuple[int, ...], random_state: Any) -> Any:  # noqa: ARG001
    return ExtraTreesClassifier(100, max_features=0.5, random_state=random_state)


def _boosted(shape: tuple[int, ...], random_state: Any) -> Any:  # noqa: ARG001
    return HistGradientBoostingClassifier(
        max_iter=40,
        max_bins=32,  # the bins of weighted samples take long to find
        learning_rate=0.15,
        max_leaf_nodes=6,
        l2_regularization=5.0,
        max_features=0.5,
        early_stopping=False,
        random_state=random_state,
    )


def _kernels(shape: tuple[int, ...], random_state: Any) -> Any:
    n_rows, n_columns = shape
    return make_pipeline(
        SimpleImputer(keep_empty_features=True),
        StandardScaler(),
        Nystroem(gamma=0.2 / n_columns, n_components=min(_N_POINTS, n_rows), random_state=random_state),
        LogisticRegression(C=10.0, tol=1e-3, max_iter=1000),
    )


#: The models. With True, a model learns the class from the columns of the sample. With False, it learns which answers
#: are right, from these columns and from the features of the probabilities.
_MODELS: tuple[tuple[Callable[[tuple[int, ...], Any], Any], bool], ...] = (
    (_trees, True),
    (_boosted, True),
    (_kernels, True),
    (_boosted, False),
)

N_MODELS = len(_MODELS)


def learn(number: int, seen: Seen, truth: Truth, random_state: Any) -> Opinion | None:
    """Return one of the models, fitted; None if there is only one class to learn."""
    make, of_class = _MODELS[number]
    columns, _ = _task(seen, of_class)
    target = truth.classes if of_class else truth.right.astype(np.intp)
    if (target == target[0]).all():
        return None
    columns = np.where(np.isnan(columns).all(axis=0), 0.0, columns)  # boosted trees want a number in each column
    model = make(columns.shape, random_state)
    weight = f"{model.steps[-1][0]}__sample_weight" if isinstance(model, Pipeline) else "sample_weight"
    given = {} if (truth.weight == 1).all() else {weight: truth.weight}  # without weights, this is much faster
    return Opinion(model.fit(columns, target, **given), of_class)


def out_of_fold(seen: Seen, truth: Truth, splits: Splits, random_state: Any) -> Floats:
    """Return out-of-fold logits of the confidence and of every model, of shape (1 + n_models, n_samples)."""
    logits = np.tile(seen.own[:, 0], (1 + N_MODELS, 1))
    for train, test in splits:
        for number in range(N_MODELS):
            model = learn(number, seen.take(train), truth.take(train), random_state)
            if model is not None:
                logits[1 + number, test] = model.logit(seen.take(test))
    return logits


def stack(logits: Floats, truth: Truth) -> tuple[Floats, float]:
    """Return the weights and intercept that minimise the log loss of σ(weights · logits + intercept), plus a ridge.

    Weights are 0 or greater. The ridge pulls the weight of the confidence (the first row) to 1, and the weights of the
    models to 0.
    """
    as_it_is = np.zeros(len(logits) + 1)
    as_it_is[0] = 1.0
    rows = np.vstack([logits, np.ones(logits.shape[1])])
    ridge = np.append(np.full(len(logits), _RIDGE), _RIDGE / 4)
    sign = np.where(truth.right, 1.0, -1.0)

    def loss(weights: Floats) -> tuple[float, Floats]:
        margin, moved = sign * (weights @ rows), weights - as_it_is
        value = truth.weight @ np.logaddexp(0, -margin) + ridge @ np.square(moved) / 2
        return float(value), ridge * moved - rows @ (truth.weight * sign * expit(-margin))

    bounds = [(0.0, None)] * len(logits) + [(None, None)]
    least = minimize(loss, as_it_is, jac=True, bounds=bounds, method="L-BFGS-B").x
    return least[:-1], float(least[-1])


def stacked_out_of_fold(logits: Floats, truth: Truth, splits: Splits) -> Floats:
    """Return the logit of the stack for each sample, with weights from other folds."""
    stacked = logits[0].copy()
    for train, test in splits:
        weights, intercept = stack(logits[:, train], truth.take(train))
        stacked[test] = weights @ logits[:, test] + intercept
    return stacked


def gain(before: Floats, after: Floats, truth: Truth) -> tuple[float, float]:
    """Return the gain in log loss from one set of logits to another, and its standard error."""
    sign, weight = np.where(truth.right, -1.0, 1.0), truth.weight
    gains = np.logaddexp(0, sign * before) - np.logaddexp(0, sign * after)
    mean = float(np.average(gains, weights=weight))
    spread = weight @ np.square(gains - mean) / weight.sum()
    return mean, float(np.sqrt(spread * (weight @ weight)) / weight.sum())


def _task(seen: Seen, of_class: bool) -> tuple[Floats, Codes]:
    """Return the input of a model, and for each answer the class whose probability is that of a right answer."""
    if of_class:
        return seen.columns, seen.asked
    return np.column_stack([seen.own, seen.columns]), np.ones(len(seen.own), dtype=np.intp)
