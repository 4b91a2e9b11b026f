"""Paired comparison of models on the same samples."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from skconf._core.checks import check_option
from skconf._core.docstrings import documented
from skconf._core.messages import short_repr
from skconf._core.warn import Notice, warn_each
from skconf.inference._interval_methods import less_bias
from skconf.inference._intervals import check_confidence_level, choose_method, undefined_resamples
from skconf.inference._p_values import ROUNDING, holm, permutation_p_value, sign_flip_p_value, t_test
from skconf.inference._resampling import DRAWS, read_resampling, replicate
from skconf.inference._sampling import Sampling, joined
from skconf.metrics._base.draws import resolution_notices
from skconf.metrics._base.kinds import Ratio
from skconf.profile import ConfidenceProfile, as_profile
from skconf.scoring._names import Statistic, read_statistics

_METHODS = ("auto", "delta", "bootstrap", "permutation")


@dataclass(frozen=True)
class Comparison:
    """The difference between two models, with its confidence interval and p-value.

    Attributes
    ----------
    first, second : str
        The models.
    first_value, second_value : float
        The metric, or the score, of each.
    difference : float
        Value of the first less that of the second.
    low, high : float
        Confidence interval of the difference.
    standard_error : float
        Standard error of the difference.
    p_value : float
        Two-sided p-value of no difference.
    confidence_level : float
        Confidence level.
    method : str
        How they were found: "delta", "bootstrap", "exact" (the p-value alone; the interval is that of "delta") or
        "permutation" (the p-value alone; the interval is that of "auto").
    """

    first: Any
    second: Any
    first_value: float
    second_value: float
    difference: float
    low: float
    high: float
    standard_error: float
    p_value: float
    confidence_level: float
    method: str

    __repr__ = short_repr


@documented(draws=DRAWS)
def compare(
    metric: Any,
    y_true: ArrayLike | Mapping[Any, ConfidenceProfile],
    y_proba: Mapping[Any, ArrayLike] | None = None,
    *,
    baseline: Any = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    groups: Any = None,
    stratify: Any = None,
    n_resamples: int = 1000,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    y_pred: Mapping[Any, ArrayLike] | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    **params: Any,
) -> Comparison | pd.DataFrame:
    """Compare models on the same samples: differences with confidence intervals and p-values.

    Samples that are equally hard for both models cancel out of a paired difference, so that it needs far fewer samples
    than two separate intervals.

    Parameters
    ----------
    metric : callable, str, scorer, pair (name, parameters), or list or mapping of them
        As in :func:`confidence_interval`.
    y_true : array-like of shape (n_samples,), or mapping of model to ConfidenceProfile
        True labels; or a profile of each model, which holds its predictions already, for the same samples in one order.
    y_proba : mapping of model to array-like of shape (n_samples, n_classes) or (n_samples,)
        Probabilities of two models or more, as in ``{"a": ..., "b": ...}``.
    baseline : model, default=None
        Compare every other model with this one. None compares all pairs.
    confidence_level : float, default=0.95
        Confidence level of each interval, between 0 and 1.
    method : {"auto", "delta", "bootstrap", "permutation"}, default="auto"
        "delta": a t test of the paired influence values. "bootstrap": the same with the standard deviation of the
        difference among resamples, around the difference and around the one less its bias; that which is closer to 0 is
        tested. "permutation": the p-value among differences after the predictions of the two
        models have been swapped for a random half of the samples, exact where the models are exchangeable; the interval
        is that of "auto", which is "delta" if it is available, else "bootstrap". With "auto", means of which few
        samples differ have an exact p-value, "exact".
    groups : array-like of shape (n_samples,), DataFrame or mapping of columns, default=None
        Samples of one group are drawn, and swapped, together. None stands for the groups that profiles come with.
    stratify : array-like of shape (n_samples,), DataFrame or mapping of columns, default=None
        Strata with a fixed number of samples.
    n_resamples : int, default=1000
        Number of resamples, and of permutations; the smallest p-value of these is 1 / (n_resamples + 1), and a warning
        says if that is too large for the number of comparisons.
    {draws}
    y_pred : mapping of model to array-like of shape (n_samples,), default=None
        Predicted labels of models whose prediction is not the first maximum of the probabilities.
    {labels}
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights.
    **params
        Parameters of a single metric.

    Returns
    -------
    Comparison or DataFrame
        The difference between two models in one metric; else a row for each metric and pair, by (metric, first,
        second), with the same fields, and `p_adjusted`, corrected by the method of Holm for the number of rows.

    Raises
    ------
    ValueError
        If there are fewer than two models, their numbers of samples or true labels differ, or as in
        :func:`confidence_interval`.
    TypeError
        If the value is not a single number; or for "delta" of a metric that has no influence values, or kinks.

    See Also
    --------
    compare_scores : From the scores of a cross-validation, where training varies, too.

    Notes
    -----
    A difference rests on the samples on which the models differ. Where these are few, a t test is too sure: of six
    answers that one model has right and the other wrong, it finds p = .014 among 100. Of a mean over the same samples,
    such as accuracy, "auto" then has the share of all signs of the paired differences that lead as far from 0, here
    2/64 = .031: up to 16 samples or groups that differ, and up to 100 that differ by the same, where it is McNemar's
    exact test. The interval stays that of "delta", and may be too narrow. For other metrics, ask for "permutation",
    whose p-value holds at any number.

    The areas `roc_auc` of a binary task are compared by DeLong's test [3]_, if there are no weights, groups or strata.

    A calibration error is overestimated most where there is least. Its difference between a calibrated model and
    another is therefore underestimated, also by the interval; the p-value errs on the safe side.

    References
    ----------
    .. [1] S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979.
    .. [2] B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993, chapters 10 and 15.
    .. [3] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Comparing the areas under two or more correlated
       receiver operating characteristic curves, Biometrics 44, 1988.

    Examples
    --------
    >>> import numpy as np
    >>> from skconf.inference import compare
    >>> from skconf.metrics import confidence_brier_loss
    >>> rng = np.random.default_rng(0)
    >>> sharp = rng.random(500)
    >>> y_true = (rng.random(500) < sharp).astype(int)
    >>> found = compare(confidence_brier_loss, y_true, {"sharp": sharp, "dull": 0.7 * sharp + 0.15})
    >>> print(f"{found.difference:.4f} in [{found.low:.4f}, {found.high:.4f}], p = {found.p_value:.3f}")
    -0.0085 in [-0.0134, -0.0037], p = 0.001
    """
    statistics, single = read_statistics(metric, params)
    check_confidence_level(confidence_level)
    check_option(method, "method", _METHODS)
    resampling = read_resampling(n_resamples, random_state, n_jobs, progress)
    given = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    profiles = _read_models(y_true, y_proba, y_pred, given)
    if baseline is None:
        pairs = list(combinations(profiles, 2))
    elif baseline in profiles:
        pairs = [(model, baseline) for model in profiles if model != baseline]
    else:
        raise ValueError(f"baseline={baseline!r} is not among the models {list(profiles)}.")
    any_of_them = next(iter(profiles.values()))
    sampling = Sampling.of(any_of_them, groups, stratify)
    comparisons = _comparisons(
        list(statistics.values()), profiles, pairs, sampling, confidence_level, method, resampling
    )
    if method == "permutation":
        warn_each(resolution_notices("compare()", len(comparisons), n_resamples, 1 - confidence_level))
    if single and len(pairs) == 1:
        return comparisons[0]
    index = pd.MultiIndex.from_tuples(
        [(name, *pair) for name in statistics for pair in pairs], names=["metric", "first", "second"]
    )
    frame = pd.DataFrame([asdict(comparison) for comparison in comparisons]).drop(columns=["first", "second"])
    frame.insert(frame.columns.get_loc("p_value") + 1, "p_adjusted", holm(frame["p_value"]))
    return frame.set_index(index)


def _read_models(y_true: Any, y_proba: Any, y_pred: Any, given: Mapping[str, Any]) -> dict[Any, ConfidenceProfile]:
    """Return the predictions of every model, after checking that they are for the same samples."""
    if isinstance(y_true, Mapping):
        predictions = {model: (profile, y_proba, y_pred) for model, profile in y_true.items()}
    elif isinstance(y_proba, Mapping):
        y_pred = {} if y_pred is None else y_pred
        if not isinstance(y_pred, Mapping):
            raise TypeError("y_pred must be a mapping of models to predicted labels, such as {'a': ..., 'b': ...}.")
        unknown = [model for model in y_pred if model not in y_proba]
        if unknown:
            raise ValueError(f"y_pred has predictions of {unknown}, which y_proba does not have.")
        predictions = {model: (y_true, proba, y_pred.get(model)) for model, proba in y_proba.items()}
    else:
        raise TypeError("y_proba must be a mapping of models to probabilities, such as {'a': ..., 'b': ...}.")
    if len(predictions) < 2:
        raise ValueError(f"A comparison needs at least two models, but there are {len(predictions)}.")
    profiles = {}
    for model, (truth, proba, predicted) in predictions.items():
        try:
            profiles[model] = as_profile("compare()", truth, proba, y_pred=predicted, **given)
        except (TypeError, ValueError) as error:
            error.add_note(f"The error is in the predictions of the model {model!r}.")
            raise
    (first, reference), *others = profiles.items()
    for model, profile in others:
        if len(profile) != len(reference):
            raise ValueError(f"Model {model!r} has {len(profile)} predictions, and {first!r} has {len(reference)}.")
        for what, mine, theirs in (
            ("true labels", _truth(profile), _truth(reference)),
            ("sample weights", profile.sample_weight, reference.sample_weight),
            ("groups", profile.groups, reference.groups),
        ):
            unlabelled = what == "true labels" and (mine is None or theirs is None)  # of correctness alone
            if not unlabelled and not _alike(mine, theirs):
                raise ValueError(
                    f"Models {model!r} and {first!r} differ in their {what}. Pass predictions of the same samples."
                )
    return profiles


def _truth(profile: ConfidenceProfile) -> Any:
    return None if profile.classes is None else profile.classes[profile.require("true_class")]


def _alike(mine: Any, theirs: Any) -> bool:
    return mine is theirs if mine is None or theirs is None else np.array_equal(mine, theirs)


def _comparisons(
    statistics: Sequence[Statistic],
    profiles: Mapping[Any, ConfidenceProfile],
    pairs: Sequence[tuple[Any, Any]],
    sampling: Sampling,
    confidence_level: float,
    method: str,
    resampling: Mapping[str, Any],
) -> list[Comparison]:
    """Compare every pair of models in every statistic; all resampled ones share the resamples."""
    methods = [choose_method(statistic, "auto" if method == "permutation" else method) for statistic in statistics]
    to_resample = [statistic for statistic, how in zip(statistics, methods, strict=True) if how == "bootstrap"]
    drawn = replicate(sampling.draw, list(profiles.values()), to_resample, **resampling) if to_resample else np.empty(0)
    swapped = {}
    if method == "permutation":
        for a, b in pairs:
            both = _joined(profiles[a], profiles[b])
            swapped[a, b] = replicate(sampling.swap, [both], statistics, **resampling)[:, 0]
    comparisons: list[Comparison] = []
    notices: list[Notice] = []
    for position, (statistic, how) in enumerate(zip(statistics, methods, strict=True)):
        evaluated = {model: statistic.evaluate(profile) for model, profile in profiles.items()}
        values = {model: value for model, (value, _) in evaluated.items()}
        notices += [notice for _, several in evaluated.values() for notice in several]
        if how == "delta":
            effects = {m: statistic.influence(profile) for m, profile in profiles.items() if not np.isnan(values[m])}
        else:
            resampled = dict(zip(profiles, drawn[:, :, to_resample.index(statistic)].T, strict=True))
        for a, b in pairs:
            difference = values[a] - values[b]
            estimates, error, degrees_of_freedom = [difference], np.nan, sampling.degrees_of_freedom
            if not np.isnan(difference) and how == "delta":
                kinds = statistic.metric.kinds_of_samples(profiles[a])  # which are the same for all models
                drawn_by_kind = sampling.given_kinds(kinds)
                error = drawn_by_kind.standard_error(effects[a] - effects[b])
                degrees_of_freedom = drawn_by_kind.degrees_of_freedom
            elif not np.isnan(difference):
                differences = resampled[a] - resampled[b]
                notices += undefined_resamples(differences, statistic.name)
                corrected, error = less_bias(difference, differences[~np.isnan(differences)])
                estimates = [difference, corrected]
            scale = max(abs(values[a]), abs(values[b]))
            low, high, p_value = t_test(estimates, error, scale, confidence_level, degrees_of_freedom)
            if swapped:  # every other row has what the model before left to the other one
                either = swapped[a, b][:, position]
                p_value = permutation_p_value(difference, either[::2] - either[1::2])
            by = "permutation" if swapped else how
            if method == "auto" and how == "delta" and not np.isnan(p_value):
                exact = _exact_p_value(statistic, profiles[a], profiles[b], sampling, difference)
                by, p_value = (by, p_value) if np.isnan(exact) else ("exact", exact)
            comparisons.append(
                Comparison(a, b, values[a], values[b], difference, low, high, error, p_value, confidence_level, by)
            )
    warn_each(notices)
    return comparisons


def _joined(first: ConfidenceProfile, second: ConfidenceProfile) -> ConfidenceProfile:
    """Return the predictions of two models as those for twice as many samples."""
    for name in ("kind", "threshold", "prediction_given", "positive_class", "answered", "decisions"):
        if getattr(first, name) != getattr(second, name):
            raise ValueError(f"The models differ in {name}, so their predictions cannot be swapped. Use 'bootstrap'.")
    if not _alike(first.classes, second.classes):
        raise ValueError("The models differ in their classes, so their predictions cannot be swapped. Use 'bootstrap'.")
    return joined(first, second)


def _exact_p_value(
    statistic: Statistic, first: ConfidenceProfile, second: ConfidenceProfile, sampling: Sampling, difference: float
) -> float:
    """Return the exact p-value of a difference of means in which few units differ; NaN for any other difference."""
    metric = statistic.metric
    if not isinstance(metric, Ratio) or not _count_alike(metric, first, second):
        return float("nan")
    apart = sampling.totals(metric.contributions(first) - metric.contributions(second))
    if abs(abs(apart.sum()) - abs(difference)) > ROUNDING * np.abs(apart).sum():  # a score that is no such mean
        return float("nan")
    return sign_flip_p_value(apart)


def _count_alike(metric: Ratio, first: ConfidenceProfile, second: ConfidenceProfile) -> bool:
    """Return whether each sample counts as much for one model as for the other."""
    return np.array_equal(metric.ratio(first)[1], metric.ratio(second)[1])
