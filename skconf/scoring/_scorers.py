"""Scorers as objects: a metric, a scorer of scikit-learn, and many of both, computed from one profile."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.metadata_routing import MetadataRequest

from skconf._core.arrays import as_array
from skconf._core.messages import shorten
from skconf._core.rejection import choose_reject_label, with_reject_label
from skconf._core.response import Answered, outputs_of
from skconf._core.sklearn_names import SCORE_FUNCTION, raise_for_params, scorer_parts
from skconf._core.warn import warn
from skconf.metrics._base.registry import SCORERS
from skconf.profile import ConfidenceProfile
from skconf.scoring._literals import as_call, literals_of
from skconf.scoring._registered import find_metric, metric_of_scorer

#: Errors that a metric raises if it is undefined, for example on a fold that lacks a class. Any other error is a
#: mistake in the metric, and is not hidden: scikit-learn's `error_score` decides what happens then.
UNDEFINED = (ValueError, ArithmeticError, LookupError)


class ConfidenceScorer:
    """A metric as a scorer, made by :func:`~skconf.get_scorer`.

    Parameters
    ----------
    name : str
        Name of the scorer.
    params : mapping
        `pos_label`, and parameters of the metric that are not already set by its name.
    """

    def __init__(self, name: str, params: Mapping[str, Any]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"The name of a scorer must be a string such as 'cw_accuracy', but is {name!r}.")
        spelled = as_call(name)
        if spelled is not None:
            given = literals_of(spelled[1], name) if spelled[0] in SCORERS else {}
            name, params = spelled[0], {**given, **params}
        metric_of_scorer(name, params)  # raises where parameters contradict the name
        self.name = name
        self.params = dict(params)
        self._requests: dict[str, bool | str | None] = {"sample_weight": None}
        if self.takes_costs:
            self._requests["costs"] = None

    def __call__(
        self,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        costs: ArrayLike | None = None,
    ) -> float:
        """Return the score of a fitted classifier."""
        if costs is not None and not self.takes_costs:
            raise TypeError(f"{self.name} takes no costs. Leave them out, or use 'neg_reject_cost'.")
        scores = _scores_by_output(self, estimator, X, y, sample_weight=sample_weight, costs=costs)
        if scores:
            return float(_mean_of(scores))
        predict = costs is not None or self.charges_by_matrix
        profile = ConfidenceProfile.from_estimator(
            estimator, X, y, sample_weight=sample_weight, predict=predict, costs=costs
        )
        return self.of_profile(profile)

    @property
    def takes_costs(self) -> bool:
        """Whether the scorer uses costs of each sample."""
        return bool(getattr(find_metric(self.name)[0], "takes_costs", False))

    @property
    def charges_by_matrix(self) -> bool:
        """Whether the scorer uses a cost matrix for the answers, so that it needs the result of ``predict``."""
        costs = self.params.get("cost_matrix")
        return costs is not None and not isinstance(costs, str)

    def of_profile(self, profile: ConfidenceProfile) -> float:
        """Return the score of a profile.

        Parameters
        ----------
        profile : ConfidenceProfile
            The predictions. The threshold of this profile is used, unless the scorer has a threshold of its own.

        Returns
        -------
        float
        """
        metric_class, preset = find_metric(self.name)
        params = {**preset.params, **self.params}
        pos_label = params.pop("pos_label", None)
        if pos_label is not None:
            profile = profile.with_positive(pos_label)
        value = metric_class.with_params(params)(profile)
        return float(value if preset.transform is None else preset.transform(value)) + 0.0  # this turns −0 into 0

    @property
    def __name__(self) -> str:
        """The name of the scorer, for scikit-learn's displays."""
        return self.name

    def __getattr__(self, name: str) -> Any:
        if name == SCORE_FUNCTION:  # which TunedThresholdClassifierCV calls with labels alone
            raise AttributeError(
                f"{self!r} needs probabilities, but a decision threshold is tuned with a function of predicted labels. "
                "Pass a scorer of labels, such as 'balanced_accuracy'. To tune the threshold of rejection, use "
                "skconf.TunedSelectiveClassifierCV."
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def set_score_request(self, *, sample_weight: bool | str | None = None, costs: bool | str | None = None) -> Self:
        """Request sample weights, and costs of each sample, under scikit-learn's metadata routing.

        Parameters
        ----------
        sample_weight : bool, str or None, default=None
            True: the scorer requests the weights. False: it ignores them. A string: it requests them under this name,
            as in ``score(..., name=weights)``. None: passing weights raises an error.
        costs : bool, str or None, default=None
            As `sample_weight`, but for the costs of each sample. Only "neg_reject_cost" takes costs. If costs have the
            shape (n_samples, n_decisions), they are the costs of each decision under the true class of the sample. If
            they have the shape (n_samples, n_classes, n_decisions), they are the costs under every class.

        Returns
        -------
        self

        Raises
        ------
        RuntimeError
            If metadata routing is not enabled.
        TypeError
            If the scorer takes no costs.
        """
        if costs is not None and not self.takes_costs:
            raise TypeError(f"{self.name} takes no costs. Leave them out, or use 'neg_reject_cost'.")
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "set_score_request needs metadata routing: call sklearn.set_config(enable_metadata_routing=True) first."
            )
        self._requests["sample_weight"] = sample_weight
        if self.takes_costs:
            self._requests["costs"] = costs
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return the metadata that this scorer requests.

        Returns
        -------
        MetadataRequest
        """
        request = MetadataRequest(owner=self)
        for name, alias in self._requests.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def _accept_sample_weight(self) -> bool:
        # scikit-learn's searches ask this without routing, before they forward the weights given to fit.
        return True

    def __repr__(self) -> str:
        params = "".join(f", {name}={value!r}" for name, value in self.params.items())
        return f"get_scorer({self.name!r}{params})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfidenceScorer):
            return NotImplemented
        return self.name == other.name and _same(self.params, other.params)

    def __hash__(self) -> int:
        return hash((self.name, *sorted(self.params)))


def accepted_of(profile: ConfidenceProfile) -> NDArray[np.bool_] | None:
    """Return which predictions of a classifier are not its reject label; None if it has no reject label."""
    if profile.accepted is not None:
        choose_reject_label(profile.require("classes"), profile.reject_label)  # raises where it is a true class
    return profile.accepted


class SklearnScorer:
    """A scorer of scikit-learn that gets stored answers of a classifier, not the classifier itself.

    Parameters
    ----------
    scorer : scorer
        A scorer from ``sklearn.metrics.make_scorer`` or ``get_scorer``.
    name : str, default=None
        Name of the scorer in scikit-learn, if it was given by name.
    """

    def __init__(self, scorer: Any, name: str | None = None) -> None:
        function, sign, methods, _ = scorer_parts(scorer)
        if not {"predict", "predict_proba"} & set(methods):
            raise ValueError(
                f"{scorer!r} needs {' or '.join(methods)}, but only predict_proba is called. Leave this scorer "
                "out, and use it separately."
            )
        self.scorer = scorer
        self.by_name = name is not None
        self.name = name or f"{'' if sign > 0 else 'neg_'}{getattr(function, '__name__', repr(scorer))}"

    def of_profile(self, profile: ConfidenceProfile, **metadata: Any) -> float:
        """Return the score of a profile."""
        return float(self.answer(profile, **metadata))

    def answer(self, profile: ConfidenceProfile, **metadata: Any) -> Any:
        """Return the result of the scorer for predictions, which is not always a number."""
        labels, proba = profile.require("classes"), profile.proba
        if profile.decisions is not None and "predict" in scorer_parts(self.scorer).response:
            raise ValueError(
                f"{self.name} compares predicted with true classes, but the answers are decisions: "
                f"{shorten(list(profile.decisions))}. Score them by their costs, with 'neg_reject_cost'."
            )
        prediction, truth = labels[profile.predicted_class], labels[profile.true_class]
        accepted = accepted_of(profile)
        if accepted is not None:
            prediction = with_reject_label(prediction, accepted, profile.reject_label)
        if profile.sample_weight is not None:
            known = parameters_of(scorer_parts(self.scorer).function)
            if known and not {"sample_weight", "kwargs"} & set(known):
                raise ValueError(
                    f"{self.name} takes no sample_weight. Leave the weights out, or choose another metric."
                )
            metadata["sample_weight"] = profile.given_weight
        order = np.argsort(labels, kind="stable")
        if (order[1:] < order[:-1]).any():  # scikit-learn takes columns to be sorted by label
            labels, proba = labels[order], proba[:, order]
        return self.scorer(Answered(labels, proba, prediction), None, truth, **metadata)

    def set_score_request(self, **requests: Any) -> Self:
        """Request further metadata."""
        self.scorer.set_score_request(**{**self.get_metadata_routing().score.requests, **requests})
        return self

    def get_metadata_routing(self) -> Any:
        """Return the metadata that the scorer requests."""
        return self.scorer.get_metadata_routing()

    def __repr__(self) -> str:
        return repr(self.name) if self.by_name else repr(self.scorer)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SklearnScorer):
            return NotImplemented
        return all(map(_same, scorer_parts(self.scorer), scorer_parts(other.scorer)))

    def __hash__(self) -> int:
        return hash(scorer_parts(self.scorer).function)


class MultiScorer:
    """Many metrics as one scorer, made by :func:`~skconf.confidence_scoring`.

    Parameters
    ----------
    scorers : mapping of str to ConfidenceScorer or SklearnScorer
        The scorer of each key of the result.
    """

    def __init__(self, scorers: Mapping[str, ConfidenceScorer | SklearnScorer]) -> None:
        self.scorers = dict(scorers)

    def __call__(
        self,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        costs: ArrayLike | None = None,
        **metadata: Any,
    ) -> dict[str, float]:
        """Return the scores of a fitted classifier, by key."""
        scores = _scores_by_output(self, estimator, X, y, sample_weight=sample_weight, costs=costs, **metadata)
        if scores:
            return dict(_mean_of(scores))
        given = {name: value for name, value in metadata.items() if value is not None}
        raise_for_params(given, self, None)  # unless metadata routing is enabled
        given |= {
            name: value for name, value in (("sample_weight", sample_weight), ("costs", costs)) if value is not None
        }
        shares = {key: _share_of(scorer, given) for key, scorer in self.scorers.items()}
        weights = {key: share.pop("sample_weight", None) for key, share in shares.items()}
        ours = {key: scorer for key, scorer in self.scorers.items() if isinstance(scorer, ConfidenceScorer)}
        charged = {key: shares[key].pop("costs") for key in ours if "costs" in shares[key]}
        predict = bool(charged) or any(scorer.charges_by_matrix for scorer in ours.values())
        price = next(iter(charged.values()), None)
        profile = ConfidenceProfile.from_estimator(estimator, X, y, predict=predict, costs=price).with_costs(None)
        different = {id(weight): weight for weight in weights.values()}  # mostly one array for all scorers
        profiles = {key: profile.with_weight(weight) for key, weight in different.items()}
        answers = {key: profiles[id(weight)] for key, weight in weights.items()}
        answers |= {key: answers[key].with_costs(costs) for key, costs in charged.items()}
        return {key: self._score_or_nan(key, answers[key], **shares[key]) for key in self.scorers}

    def of_profile(self, profile: ConfidenceProfile) -> dict[str, float]:
        """Return the scores of a profile.

        Parameters
        ----------
        profile : ConfidenceProfile
            The predictions.

        Returns
        -------
        dict of str to float
            The scores. NaN if a metric is undefined for these predictions.
        """
        return {key: self._score_or_nan(key, profile) for key in self.scorers}

    def _score_or_nan(self, key: str, profile: ConfidenceProfile, **metadata: Any) -> float:
        try:
            return self.scorers[key].of_profile(profile, **metadata)
        except UNDEFINED as error:  # the other scores are not lost
            warn(f"{key} is undefined here and is NaN: {error}", UndefinedMetricWarning)
            return float("nan")
        except Exception as error:
            error.add_note(f"{key} raised this error.")
            raise

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Self:
        """Request sample weights for every scorer, under scikit-learn's metadata routing.

        If scorers need different requests, set the requests of each scorer before you combine the scorers.

        Parameters
        ----------
        sample_weight : bool, str or None, default=None
            True: the scorer requests the weights. False: it ignores them. A string: it requests them under this name,
            as in ``score(..., name=weights)``. None: passing weights raises an error.

        Returns
        -------
        self

        Raises
        ------
        RuntimeError
            If metadata routing is not enabled.
        """
        for scorer in self.scorers.values():
            scorer.set_score_request(sample_weight=sample_weight)
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return the metadata that the scorers request, under the requested names.

        Returns
        -------
        MetadataRequest
            The joint request of all scorers. If the request of one scorer for a parameter is None, the joint request is
            None: passing the parameter then raises an error.
        """
        wishes: dict[str, list[bool | None]] = {}
        for scorer in self.scorers.values():
            for param, alias in scorer.get_metadata_routing().score.requests.items():
                renamed = isinstance(alias, str)
                wishes.setdefault(alias if renamed else param, []).append(True if renamed else alias)
        request = MetadataRequest(owner=self)
        for name, wanted in wishes.items():
            request.score.add_request(param=name, alias=None if None in wanted else any(wanted))
        return request

    def _accept_sample_weight(self) -> bool:
        # As in ConfidenceScorer.
        return True

    def __eq__(self, other: object) -> bool:
        return self.scorers == other.scorers if isinstance(other, MultiScorer) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.scorers))

    def __repr__(self) -> str:
        written = {key: repr(scorer) for key, scorer in self.scorers.items()}
        for key, scorer in self.scorers.items():
            if isinstance(scorer, ConfidenceScorer) and not scorer.params:
                written[key] = repr(scorer.name)
        if all(key == scorer.name for key, scorer in self.scorers.items()):
            return f"confidence_scoring([{', '.join(written.values())}])"
        return f"confidence_scoring({{{', '.join(f'{key!r}: {text}' for key, text in written.items())}}})"


def _share_of(scorer: ConfidenceScorer | SklearnScorer, given: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata that is passed to a scorer; with metadata routing, only what it does not decline."""
    takes_costs = isinstance(scorer, ConfidenceScorer) and scorer.takes_costs
    if not get_config()["enable_metadata_routing"]:
        return {name: value for name, value in given.items() if name != "costs" or takes_costs}
    requests = {"sample_weight": None, **scorer.get_metadata_routing().score.requests}
    names = {
        param: alias if isinstance(alias, str) else param for param, alias in requests.items() if alias is not False
    }
    return {param: given[name] for param, name in names.items() if name in given}


def _scores_by_output(score: Callable[..., Any], estimator: Any, X: Any, y: Any, **metadata: Any) -> list[Any]:
    """Return the score of each output; an empty list for a classifier with a single output."""
    outputs = outputs_of(estimator, X)
    if not outputs:
        return []
    if metadata.get("costs") is not None:
        raise ValueError("costs belong to one output, but the classifier has several. Score each output separately.")
    truth = as_array(y.toarray() if hasattr(y, "toarray") else y, "y")
    if truth.ndim != 2 or truth.shape[1] != len(outputs):
        raise ValueError(f"y must have shape (n_samples, {len(outputs)}), a column for each output, not {truth.shape}.")
    return [score(each, given, column, **metadata) for (each, given), column in zip(outputs, truth.T, strict=True)]


def _mean_of(scores: list[Any]) -> Any:
    """Return the mean score over outputs; if the outputs have several scores by key, the mean of each."""
    if isinstance(scores[0], dict):
        return {key: float(np.mean([each[key] for each in scores])) for key in scores[0]}
    return float(np.mean(scores))


def parameters_of(function: Callable[..., Any]) -> list[str]:
    """Return the names of a function's parameters; no names if its signature is unknown."""
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _same(one: Any, other: Any) -> bool:
    """Return whether two parameters are equal. Arrays are compared by entries, and NaN equals NaN."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    both_nan = all(isinstance(value, float) and np.isnan(value) for value in (one, other))
    return one is other or both_nan or np.array_equal(one, other)
