"""Scorers for every metric, for ``scoring=`` in scikit-learn."""

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import sklearn.metrics

from skconf._core.sklearn_names import is_scorer
from skconf.scoring._registered import scorer_names
from skconf.scoring._scorers import ConfidenceScorer, MultiScorer, SklearnScorer


def get_scorer_names() -> list[str]:
    """Return the names of all scorers.

    Returns
    -------
    list of str
        Sorted names for :func:`get_scorer` and :func:`confidence_scoring`.

    Examples
    --------
    >>> from skconf import get_scorer_names
    >>> "cw_accuracy" in get_scorer_names()
    True
    """
    return scorer_names()


def get_scorer(name: str, **params: Any) -> ConfidenceScorer:
    """Return a scorer for scikit-learn's ``scoring=``, by name.

    Parameters
    ----------
    name : str
        A name from :func:`get_scorer_names`. It may have parameters, as in ``"neg_ecuas(n=1)"``. Higher scores are
        always better: if a lower value of the metric is better, the name begins with ``neg_``, and the score is the
        negative of the metric.
    **params
        Parameters of the metric, such as ``n`` of ``neg_ecuas``, and `pos_label`, the positive class, if it is not the
        second of ``classes_``. If the metric has a `threshold` and you give none, the scorer uses the ``threshold_`` of
        the :class:`~skconf.SelectiveClassifier`, which may be inside a pipeline or a search. For other classifiers it
        uses 0.5. To search for a threshold, score by "neg_reject_cost" with your costs. Values of "cwsa" at different
        thresholds are not comparable.

    Returns
    -------
    ConfidenceScorer
        A callable ``scorer(estimator, X, y, *, sample_weight=None)`` that returns a float. It calls ``predict_proba``
        once, and takes the labels from ``classes_``, so a fold need not contain every class. The score of a classifier
        with several outputs is the mean of the scores of its outputs.

    Raises
    ------
    ValueError
        If there is no scorer with this name; the message suggests similar names. If a parameter is out of range or
        contradicts the name.
    TypeError
        If one of `params` is not a parameter of the metric.

    See Also
    --------
    confidence_scoring : Many metrics from one call of ``predict_proba``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skconf import get_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> cross_val_score(model, X, y, scoring=get_scorer("neg_ecuas", n=1)).round(2)
    array([-0.32, -0.37, -0.23, -0.21, -0.37])
    """
    return ConfidenceScorer(name, params)


def confidence_scoring(names: Iterable[Any] | Mapping[str, Any]) -> MultiScorer:
    """Return one scorer for many metrics, which calls ``predict_proba``, validates and sorts only once.

    Parameters
    ----------
    names : iterable, or mapping from str
        Scorers, or their names. A name is one of :func:`get_scorer_names`, with parameters if needed, as in
        ``"neg_ecuas(n=1)"``, or the name of a classification scorer of scikit-learn. A scorer is made by
        :func:`get_scorer`, ``sklearn.metrics.get_scorer`` or ``sklearn.metrics.make_scorer``. If you pass a mapping,
        the scores have its keys. If you pass a list, the key of a score is the name of its scorer. If the scorer is an
        object of scikit-learn, the key is the name of its function, with ``neg_`` before it if lower is better.

    Returns
    -------
    MultiScorer
        A callable ``scorer(estimator, X, y, *, sample_weight=None)`` that returns a dict of floats. Pass it to
        ``cross_validate``, or to ``GridSearchCV`` with ``refit=name``. If a metric is undefined for a fold, its score
        for this fold is NaN, with a single warning; the other scores are not affected. If a classifier has several
        outputs, such as a ``MultiOutputClassifier`` of selective classifiers, each score is the mean over the outputs.

    Raises
    ------
    ValueError
        If a name is not the name of a scorer; the message suggests similar names. If two scorers have the same key. If
        a scorer of scikit-learn uses neither ``predict`` nor ``predict_proba``.
    TypeError
        If an entry is neither a name nor a scorer.

    Notes
    -----
    scikit-learn's scorers do not get the estimator, but its stored answers: the probabilities, and the most probable
    class as prediction. If a :class:`~skconf.SelectiveClassifier` rejects, the prediction is the reject label, so each
    scorer gives the same score as when it is used alone. A class on which the estimator was not trained has probability
    zero.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from skconf import confidence_scoring
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), LogisticRegression())
    >>> scoring = confidence_scoring(["cw_accuracy", "neg_ece", "neg_aurc", "roc_auc"])
    >>> scores = cross_validate(model, X, y, scoring=scoring)
    >>> scores["test_cw_accuracy"].round(3)
    array([0.983, 0.984, 0.978, 0.979, 0.994])
    >>> scores["test_roc_auc"].round(3)
    array([0.995, 0.997, 0.997, 0.988, 1.   ])
    """
    if isinstance(names, str):
        raise TypeError(
            f"names must be a list of scorer names, not the string {names!r}. Use get_scorer for a single scorer."
        )
    if isinstance(names, Mapping):
        scorers = {key: _as_scorer(item) for key, item in names.items()}
    else:
        scorers = {}
        for item in names:
            scorer = _as_scorer(item)
            # The parameters in a name such as "neg_ecuas(n=2)" distinguish it.
            key = item if isinstance(item, str) and "(" in item else scorer.name
            if key in scorers:
                raise ValueError(f"Two scorers have the key {key!r}. Pass a mapping with a different key for each.")
            scorers[key] = scorer
    if not scorers:
        raise ValueError("names is empty. Pass at least one scorer.")
    return MultiScorer(scorers)


def _as_scorer(item: Any) -> ConfidenceScorer | SklearnScorer:
    """Return the scorer with a name, or a copy of a scorer, so that changed metadata requests affect only the copy."""
    if isinstance(item, ConfidenceScorer):
        return copy.deepcopy(item)
    if is_scorer(item):
        return SklearnScorer(copy.deepcopy(item))
    if isinstance(item, str):
        theirs = item not in scorer_names() and item in sklearn.metrics.get_scorer_names()
        return SklearnScorer(sklearn.metrics.get_scorer(item), item) if theirs else ConfidenceScorer(item, {})
    raise TypeError(
        f"{item!r} is neither the name of a scorer nor one made by skconf.get_scorer or sklearn.metrics.make_scorer. "
        "Pass the name of a scorer. A function of (estimator, X, y) makes its own predictions, so pass this function "
        "directly to scikit-learn, without confidence_scoring."
    )
