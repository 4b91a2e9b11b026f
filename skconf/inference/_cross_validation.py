"""Comparison of estimators by the scores of a cross-validation."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from skconf._core.arrays import as_floats
from skconf._core.checks import check_confidence_level, check_number
from skconf._core.messages import shorten
from skconf._core.probabilities import Floats
from skconf.inference._p_values import holm, t_test


def compare_scores(
    scores: Mapping[Any, Any],
    *,
    test_size: float | None = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Compare estimators by their cross-validation scores, with a t test corrected for overlapping training sets.

    Scores of different splits are not independent, because their training sets overlap. The plain t test therefore
    finds differences that do not exist. Let J be the number of splits, d the mean difference of two estimators on the
    same split, and s² the variance of this difference over splits. The corrected test has t = d / sqrt((1/J +
    n_test/n_train) s²) and J − 1 degrees of freedom.

    Parameters
    ----------
    scores : mapping of estimator to result
        For each estimator, the result of ``cross_validate``, or an array with one score for each split. There must be
        at least two estimators. Call ``cross_validate`` with ``return_indices=True``, or pass `test_size` here. All
        estimators must have the same splits: pass ``cross_validate`` a `cv` with a fixed random_state. Repeated folds
        have more power than a single round of folds.
    test_size : float, default=None
        Share of the samples in each test set; with k folds it is 1/k. None computes it from the indices of the splits.
    confidence_level : float, default=0.95
        Confidence level of the intervals, in [0.5, 1).

    Returns
    -------
    DataFrame
        A row for each score and pair of estimators; the index is (score, first, second). The columns are `first_value`
        and `second_value` (means over splits), `difference`, `low`, `high`, `standard_error`, `p_value` (two-sided) and
        `p_adjusted`, the p-value corrected by Holm's method for the number of rows. Values are NaN if a score is NaN on
        any split. The interval and the p-values are also NaN if the difference is the same on all splits and is not 0.

    Raises
    ------
    TypeError
        If `scores` is not a mapping.
    ValueError
        If there are fewer than two estimators or splits. If the estimators have different splits. If `test_size` is not
        given and cannot be computed.

    See Also
    --------
    compare : Compares fitted models on one set of samples.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio, Inference for the generalization error, Machine Learning 52, 2003.
    .. [2] R. R. Bouckaert and E. Frank, Evaluating the replicability of significance tests for comparing learning
       algorithms, PAKDD, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skconf import confidence_scoring
    >>> from skconf.inference import compare_scores
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=3, random_state=0)}
    >>> splits = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)
    >>> scoring = confidence_scoring(["cw_accuracy", "neg_ecuas"])
    >>> scores = {
    ...     name: cross_validate(model, X, y, cv=splits, scoring=scoring, return_indices=True)
    ...     for name, model in models.items()
    ... }
    >>> compare_scores(scores)[["difference", "p_value"]].round(3)
                              difference  p_value
    score       first second
    cw_accuracy bayes tree         0.014    0.191
    neg_ecuas   bayes tree        -0.023    0.930
    """
    check_confidence_level(confidence_level)
    if not isinstance(scores, Mapping):
        raise TypeError("scores must be a mapping of estimators to their results, such as {'a': ..., 'b': ...}.")
    if len(scores) < 2:
        raise ValueError(f"A comparison needs at least two estimators, but scores holds {len(scores)}.")
    tables = {name: _table(name, result) for name, result in scores.items()}
    _check_same_splits(scores, tables)
    shared = [score for score in next(iter(tables.values())) if all(score in table for table in tables.values())]
    if not shared:
        raise ValueError(
            "The results of the estimators have no score in common: "
            f"{shorten([list(table) for table in tables.values()])}."
        )
    test_to_train = _test_to_train(scores, test_size)
    rows = {}
    for score in shared:
        for first, second in combinations(tables, 2):
            mine, theirs = tables[first][score], tables[second][score]
            spread = np.var(mine - theirs, ddof=1)
            error = float(np.sqrt((1 / len(mine) + test_to_train) * spread))
            difference = float((mine - theirs).mean())
            scale = float(np.abs([mine, theirs]).max())
            low, high, p_value = t_test([difference], error, scale, confidence_level, len(mine) - 1)
            rows[score, first, second] = mine.mean(), theirs.mean(), difference, low, high, error, p_value
    columns = ["first_value", "second_value", "difference", "low", "high", "standard_error", "p_value"]
    index = pd.MultiIndex.from_tuples(rows, names=["score", "first", "second"])
    frame = pd.DataFrame(list(rows.values()), index=index, columns=columns)
    return frame.assign(p_adjusted=holm(frame["p_value"]))


def _table(name: Any, result: Any) -> dict[str, Floats]:
    """Return the scores of an estimator, by name of the score."""
    given = (
        {key.removeprefix("test_"): values for key, values in result.items() if key.startswith("test_")}
        if isinstance(result, Mapping)
        else {"score": result}
    )
    table = {
        score: np.asarray(as_floats(values, f"{score} of {name!r}"), dtype=np.float64)
        for score, values in given.items()
    }
    for score, values in table.items():
        if values.ndim != 1 or len(values) < 2:
            raise ValueError(
                f"{score} of {name!r} has shape {values.shape}. Pass one score for each split, and at least two splits."
            )
    return table


def _check_same_splits(scores: Mapping[Any, Any], tables: Mapping[Any, dict[str, Floats]]) -> None:
    """Raise if estimators have different numbers of scores, or if indices are given and the test sets differ."""
    numbers = {name: len(values) for name, table in tables.items() for values in table.values()}
    if len(set(numbers.values())) > 1:
        raise ValueError(f"The numbers of splits differ: {numbers}. Score all estimators on the same splits.")
    tests = [result["indices"]["test"] for result in scores.values() if _has_indices(result)]
    for other in tests[1:]:
        if not all(np.array_equal(a, b) for a, b in zip(tests[0], other, strict=True)):
            raise ValueError(
                "The estimators were scored on different splits. Call cross_validate with a cv that has a fixed "
                "random_state."
            )


def _has_indices(result: Any) -> bool:
    return isinstance(result, Mapping) and "indices" in result


def _test_to_train(scores: Mapping[Any, Any], test_size: float | None) -> float:
    """Return the number of test samples for each training sample."""
    if test_size is not None:
        check_number(test_size, "test_size", 0.0, 1.0, open_high=True, positive=True)
        return float(test_size) / (1 - float(test_size))
    for result in scores.values():
        if _has_indices(result):
            train, test = (sum(map(len, result["indices"][part])) for part in ("train", "test"))
            return test / train
    raise ValueError(
        "test_size cannot be computed from scores. Pass it (1/k for k folds), or use "
        "cross_validate(return_indices=True)."
    )
