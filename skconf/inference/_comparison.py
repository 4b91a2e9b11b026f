"""Paired comparison of models on the same samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from skconf._core.checks import check_confidence_level, check_option
from skconf._core.docstrings import documented
from skconf._core.messages import short_repr
from skconf._core.probabilities import Floats
from skconf._core.problems import noted
from skconf._core.warn import Notice, warn_each
from skconf.inference._intervals import choose_method, undefined_resamples
from skconf.inference._p_values import holm, permutation_p_value
from skconf.inference._paired import Estimated, Test, is_nearness, signed, why_not_alike, why_not_nearer, why_not_seen
from skconf.inference._resampling import DRAWS, read_resampling, replicate
from skconf.inference._sampling import Sampling, joined
from skconf.inference._strata import draws_within_strata
from skconf.metrics._base.draws import resolution_notices
from skconf.profile import ConfidenceProfile, as_profile
from skconf.scoring._names import Statistic, read_statistics

_METHODS = ("auto", "delta", "bootstrap", "permutation")
#: What models must share if their predictions are swapped, in words.
_FIXED = {
    "kind": "what is known of their answers",
    "threshold": "their thresholds",
    "prediction_given": "whether predicted labels were passed",
    "answered": "whether their answers come from an estimator",
    "decisions": "their decisions",
    "classes": "the order or the labels of their classes",
    "positive_class": "their positive classes",
}


@dataclass(frozen=True)
class Comparison:
    """The difference between two models, with its confidence interval and p-value.

    Attributes
    ----------
    first, second : str
        The models.
    first_value, second_value : float
        Value of the metric or scorer for each model.
    difference : float
        Value of the first model minus the value of the second.
    low, high : float
        Confidence interval of the difference.
    standard_error : float
        Standard error of the difference. NaN for scorers that are distances from a best value, such as
        `neg_csr_deviation`: see the notes of :func:`compare`.
    p_value : float
        Two-sided p-value of the hypothesis that there is no difference.
    confidence_level : float
        Confidence level.
    method : str
        How the interval and the p-value were computed: "delta", "bootstrap", "bayesian", "exact" or "permutation". It
        is "none" if neither can be computed. With "exact", only the p-value is exact; the interval is computed as for
        "delta". With "permutation", only the p-value is computed from permutations; the interval is computed as for
        "auto".
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
    """Compare models on the same samples: return differences with confidence intervals and p-values.

    Differences are paired: samples that are equally hard for both models cancel out. Such a comparison needs far fewer
    samples than two separate intervals.

    Parameters
    ----------
    metric : callable, str, scorer, pair (name, parameters), or list or mapping of them
        As in :func:`confidence_interval`.
    y_true : array-like of shape (n_samples,), or mapping of model to ConfidenceProfile
        True labels, or a profile of each model. With profiles, leave out `y_proba`, because profiles hold predictions.
        All profiles must have the same samples in the same order.
    y_proba : mapping of model to array-like of shape (n_samples, n_classes) or (n_samples,)
        Probabilities of at least two models, as in ``{"a": ..., "b": ...}``.
    baseline : model, default=None
        The model with which every other model is compared. None compares all pairs.
    confidence_level : float, default=0.95
        Confidence level of each interval, in [0.5, 1).
    method : {"auto", "delta", "bootstrap", "permutation"}, default="auto"
        "delta" is a t test of the paired influence values. "bootstrap" is a t test whose standard error is the standard
        deviation of the resampled differences. It tests the difference or the difference minus its bias: the one closer
        to 0. "permutation" repeatedly swaps the predictions of the two models for a random half of the samples. Its
        p-value is exact if the models are exchangeable, and its interval is computed as for "auto". "auto" is "delta"
        if it is available, else "bootstrap". If mean weights differ between strata, "auto" uses the Bayesian bootstrap
        ("bayesian") in place of "delta"; but if a model abstains, or if only the costs of answers are known, "auto"
        keeps "delta". If the metric is a mean and the models differ in few samples, "auto" computes an exact p-value;
        the method is then "exact".
    groups : array-like of shape (n_samples,), DataFrame or mapping of columns, default=None
        The cluster of each sample. A bootstrap draws all samples of a cluster together, and a permutation swaps the
        predictions for all of them together. None uses the clusters of the profiles, if they have any.
    stratify : array-like of shape (n_samples,), DataFrame or mapping of columns, default=None
        The stratum of each sample. Every resample then has as many samples of each stratum as the data.
    n_resamples : int, default=1000
        Number of resamples, and of permutations. The smallest p-value that permutations can give is 1 / (n_resamples +
        1). If this is too large for the number of comparisons, there is a warning.
    {draws}
    y_pred : mapping of model to array-like of shape (n_samples,), default=None
        Predicted labels of each model whose prediction is not always the class with the largest probability.
    {labels}
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights, as in :func:`confidence_interval`.
    **params
        Parameters of the metric; allowed only with a single metric.

    Returns
    -------
    Comparison or DataFrame
        With two models and one metric, a :class:`Comparison`. Else a DataFrame with a row for each metric and pair of
        models; its index is (metric, first, second). Its columns are `p_adjusted` and the fields of a
        :class:`Comparison` except `first` and `second`. `p_adjusted` is the p-value, corrected by Holm's method for the
        number of rows.

    Raises
    ------
    ValueError
        If there are fewer than two models, or if the models differ in their number of samples or in their true labels.
        In all cases in which :func:`confidence_interval` raises a ValueError.
    TypeError
        If the value of a metric is not a single number. If ``method="delta"`` is set for a metric without influence
        values, or for a metric whose formula has kinks, such as a calibration error.

    See Also
    --------
    compare_scores : Compares scores of a cross-validation, where training varies, too.

    Notes
    -----
    A difference depends on the samples on which the models differ. If there are few such samples, the p-value of a t
    test is too small. For example, if the first model is right and the second wrong in six of 100 answers, and they
    agree in the others, the p-value of a t test is 0.014. If the metric is a mean over the same samples for both
    models, such as accuracy, "auto" therefore tries all combinations of signs of the paired differences. The p-value is
    the share of all sign combinations whose mean is at least as far from 0 as the observed mean, here 2/64 = 0.031.
    "auto" does this if the models differ in up to 16 samples or clusters. If all differences have the same size, as for
    accuracy, the limit is 100, and the test is McNemar's exact test. The interval is still computed as for "delta", and
    may be too narrow. For a metric that is not a mean, use "permutation", whose p-value is valid for any number of
    samples.

    The scorers `neg_csr_deviation`, `neg_csr_zscore_deviation` and `neg_ecd_deviation` are distances from a best value.
    A distance has a kink at this value, so the test uses signed deviations. Let a and b be the signed deviations of the
    two models. Then |b| is larger than |a| if and only if b - a and b + a have the same sign. The p-value is the larger
    one of the p-values of b - a and b + a. Both b - a and b + a have an interval. Each pair of values in these two
    intervals gives a value of |b| - |a|. The interval of the comparison is the range of these values of |b| - |a|. This
    interval excludes 0 if the p-value is at most 1 - `confidence_level`. With fewer than 30 errors, `neg_ecd_deviation`
    has no p-value and no interval, and a warning says so. If you compare the metrics themselves (such as
    `calibrated_size_ratio`), the difference does not say which model is closer to the best value.

    If fewer than 3 errors are expected among the most confident 5% of the answers, "auto" and "permutation" do not
    compare size ratios, and a warning says so. Compare `capped_size_ratio` instead.

    In a binary task, `roc_auc` is compared by DeLong's test [3]_, if there are no weights, clusters or strata.

    The smaller a calibration error is, the more it is overestimated. So the difference between a calibrated model and
    another model is underestimated, and its interval is too close to 0. The p-value is then too large, not too small.

    The area under the ROC curve, the calibration error and the Brier loss of the confidence show how well a model
    assesses its own answers. If two models give different answers, these metrics do not say which model is better. A
    model with more errors may have the larger area, because its errors are easier to find. So compare the costs of the
    answers, for example with `ecuas_loss`, or compare the accuracy as well.

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
    given["beside"] = {"groups": groups, "stratify": stratify}
    profiles = _read_models(y_true, y_proba, y_pred, given)
    if baseline is None:
        pairs = list(combinations(profiles, 2))
    elif baseline in profiles:
        pairs = [(model, baseline) for model in profiles if model != baseline]
    else:
        raise ValueError(f"baseline={baseline!r} is not among the models {list(profiles)}.")
    sampling = Sampling.of(next(iter(profiles.values())).everything, groups, stratify)
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
    """Return the predictions of every model; raise if they are not for the same samples."""
    if isinstance(y_true, Mapping):
        predictions = {model: (profile, y_proba, y_pred) for model, profile in y_true.items()}
    elif isinstance(y_proba, Mapping):
        y_pred = {} if y_pred is None else y_pred
        if not isinstance(y_pred, Mapping):
            raise TypeError("y_pred must be a mapping of models to predicted labels, such as {'a': ..., 'b': ...}.")
        unknown = [model for model in y_pred if model not in y_proba]
        if unknown:
            raise ValueError(f"y_pred has predictions of {unknown}, but y_proba has no such model.")
        predictions = {model: (y_true, proba, y_pred.get(model)) for model, proba in y_proba.items()}
    else:
        raise TypeError("y_proba must be a mapping of models to probabilities, such as {'a': ..., 'b': ...}.")
    if len(predictions) < 2:
        raise ValueError(f"A comparison needs at least two models, but there are {len(predictions)}.")
    profiles = {}
    for model, (truth, proba, predicted) in predictions.items():
        with noted(model):
            profiles[model] = as_profile("compare()", truth, proba, y_pred=predicted, **given)
    (first, reference), *others = profiles.items()
    for model, profile in others:
        if profile.n_rows != reference.n_rows:
            raise ValueError(
                f"Model {model!r} has {profile.n_rows} predictions, but {first!r} has {reference.n_rows}. Pass "
                "predictions of the same samples."
            )
        for what, mine, theirs in (
            ("true labels", _truth(profile), _truth(reference)),
            ("sample weights", profile.everything.sample_weight, reference.everything.sample_weight),
            ("groups", profile.everything.groups, reference.everything.groups),
        ):
            unlabelled = what == "true labels" and (mine is None or theirs is None)  # correctness alone
            if not unlabelled and not _alike(mine, theirs):
                raise ValueError(
                    f"Models {model!r} and {first!r} differ in their {what}. Pass predictions of the same samples."
                )
    return profiles


def _truth(profile: ConfidenceProfile) -> Any:
    """Return the true labels; None if they are not known for all rows."""
    known = profile.classes is not None and profile.abstained is None
    return profile.require("classes")[profile.require("true_class")] if known else None


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
    """Compare every pair of models in every statistic. All resampled statistics share the resamples."""
    estimated = [signed(statistic) for statistic in statistics]
    methods = [choose_method(each, "auto" if method == "permutation" else method) for each in estimated]
    plain = all(profile.abstained is None and profile.kind != "costs" for profile in profiles.values())
    if method in ("auto", "permutation") and sampling.weighs_strata and plain:
        methods = ["bayesian" if how == "delta" else how for how in methods]
    drawn: dict[int, Floats] = {}
    for by, draws in (("bootstrap", _resampled), ("bayesian", draws_within_strata)):
        places = [i for i, how in enumerate(methods) if how == by]
        if places:
            columns = draws([estimated[i] for i in places], list(profiles.values()), sampling, resampling)
            drawn |= dict(zip(places, np.moveaxis(columns, 2, 0), strict=True))
    swapped = {}
    if method == "permutation":
        for a, b in pairs:
            both = _joined(profiles[a], profiles[b])
            swapped[a, b] = replicate(sampling.swap, [both], statistics, **resampling)[:, 0]
    comparisons: list[Comparison] = []
    notices: list[Notice] = []
    for position, (statistic, each, how) in enumerate(zip(statistics, estimated, methods, strict=True)):
        evaluated = {model: each.evaluate(profile) for model, profile in profiles.items()}
        values = {model: value for model, (value, _) in evaluated.items()}
        notices += [notice for _, several in evaluated.values() for notice in several]
        if how == "delta":
            varying = {m: _effects(each, profile) for m, profile in profiles.items() if not np.isnan(values[m])}
        else:
            varying = dict(zip(profiles, drawn[position].T, strict=True))
        on = {model: each.on(profile) for model, profile in profiles.items()}
        found = Estimated(each, how, on, values, varying, sampling, confidence_level)
        scores = values if each is statistic else {m: float(statistic.score(value)) for m, value in values.items()}
        refused = _refused(statistic, found, method)
        notices += refused.values()
        for a, b in pairs:
            difference = scores[a] - scores[b]
            if how != "delta" and not np.isnan(difference):
                notices += undefined_resamples(varying[a] - varying[b], statistic.name)
            unlike = "" if np.isnan(difference) else why_not_alike(statistic, profiles[a], profiles[b])
            if unlike:
                notices.append(
                    Notice(f"{statistic.name} of {a} and {b} is not compared: {unlike}.", UndefinedMetricWarning)
                )
            if unlike or a in refused or b in refused:
                test = Test(np.nan, np.nan, np.nan, np.nan, "none")
            elif is_nearness(statistic):
                test = found.nearer(a, b, exact=method == "auto")
            else:
                test = found.difference(a, b, exact=method == "auto")
            if swapped:  # every second row has the complement of the row before
                either = swapped[a, b][:, position]
                largest = max(abs(scores[a]), abs(scores[b]))
                p_value = permutation_p_value(difference, either[::2] - either[1::2], largest)
                test = test._replace(p_value=p_value, method="permutation")
            low, high, p_value, error, by = test
            comparisons.append(
                Comparison(a, b, scores[a], scores[b], difference, low, high, error, p_value, confidence_level, by)
            )
    warn_each(notices)
    return comparisons


def _resampled(
    statistics: Sequence[Statistic],
    profiles: Sequence[ConfidenceProfile],
    sampling: Sampling,
    resampling: Mapping[str, Any],
) -> Floats:
    return replicate(sampling.draw, profiles, statistics, **resampling)


def _effects(statistic: Statistic, profile: ConfidenceProfile) -> Floats:
    """Return the first-order effect of every row; 0 for a row that the statistic does not use."""
    effects, abstained = statistic.influence(profile), profile.abstained
    return effects if abstained is None or len(effects) == profile.n_rows else abstained.spread(effects, 0.0)


def _refused(statistic: Statistic, found: Estimated, method: str) -> dict[Any, Notice]:
    """Return the models that a statistic cannot compare, each with a warning that says why.

    With a method other than "auto" and "permutation", only distances from a best value are refused.
    """
    if not is_nearness(statistic) and method not in ("auto", "permutation"):
        return {}
    why = why_not_nearer if is_nearness(statistic) else why_not_seen
    reasons = {
        model: why(statistic, profile) for model, profile in found.profiles.items() if not np.isnan(found.values[model])
    }
    advice = " Compare capped_size_ratio instead." if statistic.metric.rests_on == "tail" else ""
    return {
        model: Notice(f"{statistic.name} of {model} is not compared: {reason}.{advice}", UndefinedMetricWarning)
        for model, reason in reasons.items()
        if reason
    }


def _joined(first: ConfidenceProfile, second: ConfidenceProfile) -> ConfidenceProfile:
    """Return the predictions of two models as one profile with twice as many samples."""
    if first.abstained is not None or second.abstained is not None:
        raise ValueError(
            "The models abstain in some rows, so their predictions cannot be swapped. Use method='bootstrap'."
        )
    for name, what in _FIXED.items():
        if not _alike(getattr(first, name), getattr(second, name)):
            raise ValueError(
                f"The models differ in {what}, so their predictions cannot be swapped. Use method='bootstrap'."
            )
    return joined(first, second)
