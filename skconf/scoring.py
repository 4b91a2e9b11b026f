"""Scorers: every metric where scikit-learn takes ``scoring=``."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.metadata_routing import MetadataRequest

from skconf._messages import suggest
from skconf.metrics._registry import Preset, metric_classes
from skconf.profile import ConfidenceProfile


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
    return sorted(name for cls in metric_classes().values() for name in cls.info.scorers)


def get_scorer(name: str, **params: Any) -> "ConfidenceScorer":
    """Return a scorer for scikit-learn's ``scoring=``, by name.

    Parameters
    ----------
    name : str
        One of :func:`get_scorer_names`. Where lower is better the name begins with ``neg_`` and the score is the
        negative of the metric, so that greater is always better.
    **params
        Parameters of the metric, such as ``n`` of ``neg_ecuas``. A `threshold` that is not given is the estimator's
        ``threshold_``, where a :class:`~skconf.SelectiveClassifier` is found, also inside a pipeline or a search;
        and .5 elsewhere.

    Returns
    -------
    ConfidenceScorer
        A callable ``scorer(estimator, X, y, *, sample_weight=None)`` that returns a float. It makes one call of
        ``predict_proba``, and reads the labels from ``classes_``: a class that a fold lacks changes nothing.

    Raises
    ------
    ValueError
        If there is no such scorer; the message has close matches.
    TypeError
        If the metric has no such parameter.

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


def confidence_scoring(names: Iterable[str] | Mapping[str, Any]) -> "MultiScorer":
    """Return one scorer for many metrics: one call of ``predict_proba``, one validation, one sort.

    Parameters
    ----------
    names : iterable of str, or mapping of str to str or ConfidenceScorer
        Names of scorers; or a mapping from any keys to names or to scorers made by :func:`get_scorer`.

    Returns
    -------
    MultiScorer
        A callable ``scorer(estimator, X, y, *, sample_weight=None)`` that returns a dict of floats with the names
        as given. It goes as it is into ``cross_validate``, and into ``GridSearchCV`` with ``refit=name``. A metric
        that is undefined for a fold is NaN there, with one warning; the others keep their values.

    Raises
    ------
    ValueError
        If there is no such scorer; the message has close matches.

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
    >>> scoring = confidence_scoring(["cw_accuracy", "neg_ece", "neg_aurc"])
    >>> scores = cross_validate(model, X, y, scoring=scoring)
    >>> scores["test_cw_accuracy"].round(3)
    array([0.983, 0.984, 0.978, 0.979, 0.994])
    """
    if isinstance(names, str):
        raise TypeError(f"names must be a list of scorer names, not the string {names!r}; use get_scorer for one.")
    items = names.items() if isinstance(names, Mapping) else ((name, name) for name in names)
    scorers = {key: scorer if isinstance(scorer, ConfidenceScorer) else get_scorer(scorer) for key, scorer in items}
    if not scorers:
        raise ValueError("names is empty; give at least one scorer name.")
    return MultiScorer(scorers)


class _Scorer:
    """What both scorers share: metadata requests, and the profile they read."""

    _requests: dict[str, Any]

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Self:
        """Request sample weights, under scikit-learn's metadata routing.

        Parameters
        ----------
        sample_weight : bool, str or None, default=None
            True asks for them, False ignores them, a name asks for them under that name, and None raises where
            they are passed.

        Returns
        -------
        self

        Raises
        ------
        RuntimeError
            If metadata routing is not enabled.
        """
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "set_score_request needs metadata routing: call sklearn.set_config(enable_metadata_routing=True) first."
            )
        self._requests["sample_weight"] = sample_weight
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return the metadata this scorer requests.

        Returns
        -------
        MetadataRequest
        """
        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self._requests.get("sample_weight"))
        return request

    def _accept_sample_weight(self) -> bool:
        # scikit-learn's searches ask this without routing, before they forward the weights given to fit.
        return True


class ConfidenceScorer(_Scorer):
    """A metric as a scorer; made by :func:`get_scorer`.

    Parameters
    ----------
    name : str
        Name of the scorer.
    params : mapping
        Parameters of the metric that differ from the name's own.
    """

    def __init__(self, name: str, params: Mapping[str, Any]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"A scorer is found by its name, a string such as 'cw_accuracy', not by {name!r}.")
        if "average" in params and params["average"] is None:
            raise ValueError("average=None gives a value for each class, and a score is one number; choose an average.")
        self.name = name
        self.params = dict(params)
        self._requests = {}
        metric_class, preset = _find(name)
        metric_class.with_params({**preset.params, **self.params})  # raises for a bad parameter

    def __call__(self, estimator: Any, X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
        """Return the score of a fitted classifier."""
        return self.of_profile(ConfidenceProfile.from_estimator(estimator, X, y, sample_weight=sample_weight))

    def of_profile(self, profile: ConfidenceProfile) -> float:
        """Return the score of predictions that were checked already.

        Parameters
        ----------
        profile : ConfidenceProfile
            The predictions. Their threshold counts, if they have one and the scorer was not given another.

        Returns
        -------
        float
        """
        metric_class, preset = _find(self.name)
        params = {**preset.params, **self.params}
        if profile.threshold is not None and any(f.name == "threshold" for f in fields(metric_class)):
            params.setdefault("threshold", profile.threshold)
        value = metric_class.with_params(params)(profile)
        return float(value if preset.transform is None else preset.transform(value))

    def __repr__(self) -> str:
        params = "".join(f", {name}={value!r}" for name, value in self.params.items())
        return f"get_scorer({self.name!r}{params})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfidenceScorer):
            return NotImplemented
        if self.name != other.name or self.params.keys() != other.params.keys():
            return False
        return all(_same(value, other.params[key]) for key, value in self.params.items())

    def __hash__(self) -> int:
        return hash((self.name, *sorted(self.params)))


class MultiScorer(_Scorer):
    """Many metrics as one scorer; made by :func:`confidence_scoring`.

    Parameters
    ----------
    scorers : mapping of str to ConfidenceScorer
        The scorers by the key of their result.
    """

    def __init__(self, scorers: Mapping[str, ConfidenceScorer]) -> None:
        self.scorers = dict(scorers)
        self._requests = {}

    def __call__(
        self, estimator: Any, X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> dict[str, float]:
        """Return the scores of a fitted classifier, by key."""
        return self.of_profile(ConfidenceProfile.from_estimator(estimator, X, y, sample_weight=sample_weight))

    def of_profile(self, profile: ConfidenceProfile) -> dict[str, float]:
        """Return the scores of predictions that were checked already.

        Parameters
        ----------
        profile : ConfidenceProfile
            The predictions.

        Returns
        -------
        dict of str to float
            NaN where a metric is undefined for these predictions.
        """
        return {key: _score_or_nan(key, scorer, profile) for key, scorer in self.scorers.items()}

    def __eq__(self, other: object) -> bool:
        return self.scorers == other.scorers if isinstance(other, MultiScorer) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.scorers))

    def __repr__(self) -> str:
        if all(key == scorer.name and not scorer.params for key, scorer in self.scorers.items()):
            return f"confidence_scoring({list(self.scorers)!r})"
        return f"confidence_scoring({self.scorers!r})"


def _same(one: Any, other: Any) -> bool:
    """Whether two parameters are equal: arrays by their entries, and NaN to itself."""
    both_nan = all(isinstance(value, float) and np.isnan(value) for value in (one, other))
    return one is other or both_nan or np.array_equal(one, other)


def _score_or_nan(key: str, scorer: ConfidenceScorer, profile: ConfidenceProfile) -> float:
    try:
        return scorer.of_profile(profile)
    except ValueError as error:
        warnings.warn(f"{key} is undefined here and is NaN: {error}", UndefinedMetricWarning, stacklevel=4)
        return float("nan")


def _find(name: str) -> tuple[type[Any], Preset]:
    """Return the definition and the preset behind the name of a scorer."""
    for cls in metric_classes().values():
        if name in cls.info.scorers:
            return cls, cls.info.scorers[name]
    raise ValueError(
        f"There is no scorer {name!r}.{suggest(name, get_scorer_names())} skconf.get_scorer_names() lists them all."
    )
