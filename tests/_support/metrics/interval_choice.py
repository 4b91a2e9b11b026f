"""Whether the default interval of a metric fits what its value is said to rest on: a wrong `rests_on` fails here.

Each word is held to what the value does, and never to the word itself: whether it changes where errors are put right,
how much of its variance comes from a rare class or from answers whose errors are hardly ever seen, and how far a single
error can move it. The interval chosen by default is then compared with those of the delta method and the bootstrap.
"""

import warnings
from collections.abc import Mapping
from dataclasses import fields
from typing import Any
from unittest import mock

import numpy as np

from skconf import ConfidenceProfile
from skconf.inference import confidence_interval
from skconf.metrics import get_metric
from skconf.metrics._base.kinds import Metric, Ranked, Ratio

#: Resamples of each bootstrap: their standard error is then off by 1/√200, 7%, and by 30% once in 10,000 times.
_N_RESAMPLES, _OFF = 100, 0.3
#: A part that makes so much of the variance decides the value.
_MOST = 0.9


def check_default_interval(name: str, params: Mapping[str, Any], n_classes: int = 4, *, bounded: bool = True) -> None:
    """Fail unless the default interval of a metric, by its name, is that of what its value rests on."""
    metric = get_metric(name, **params)
    with warnings.catch_warnings(), mock.patch("skconf.inference._bayesian_bootstrap.N_DRAWS", _N_RESAMPLES):
        warnings.simplefilter("ignore")
        many = _answers(800, n_classes, floor=0.2)
        if metric.rests_on in ("classes", "order"):
            by_class = type(metric).class_shares is not Metric.class_shares
            assert by_class or (metric.rests_on == "order" and isinstance(metric, Ranked)), "nothing says which classes"
        if metric.why_resampled:
            assert _interval(metric, many).method in ("bootstrap", "none")
            return
        _check_many(metric, many)
        reads_errors = _check_few(metric, n_classes)
        if n_classes > 2 and reads_errors:
            _check_rare_class(metric)
        if reads_errors:
            _check_rare_errors(metric)
        if bounded and np.isfinite(metric.info.bounds).all():
            _check_single_error(metric)


def _check_many(metric: Any, profile: ConfidenceProfile) -> None:
    """With many errors, samples of each class and no rare sizes, all methods have about the same standard error."""
    chosen = _interval(metric, profile)
    counted = metric.counted(profile)
    if chosen.method == "exact" or (counted is not None and (~profile.correct & counted).sum() < 100):
        return  # a share, whose limits have other standard errors than its value; or few errors after all
    usual = "gamma" if metric.rests_on == "tail" and isinstance(metric, Ratio) else "delta"
    assert chosen.method == usual, f"many errors, and samples of each class: {chosen}"
    if chosen.standard_error < 1e-12:
        return  # everything is rejected, at the same cost
    assert chosen.low <= chosen.value <= chosen.high
    resampled = _interval(metric, profile, method="bootstrap")
    assert abs(resampled.standard_error / chosen.standard_error - 1) < _OFF, f"{chosen} and {resampled}"


def _check_few(metric: Any, n_classes: int) -> bool:
    """Return whether a value changes with the errors; then a few of them, or none, are not enough for the delta method.

    Else it changes nothing that they are few, and the interval is that of the delta method.
    """
    none, few = (_answers(120, n_classes, n_errors) for n_errors in (0, 6))
    reads_errors = not np.isclose(metric.value(none), metric.value(few), rtol=1e-12, atol=0)
    assert reads_errors != (metric.rests_on == "samples"), "a metric of all samples alike is one that reads no errors"
    for profile in (none, few):
        chosen = _interval(metric, profile)
        if np.isnan(chosen.value) or chosen.method == "exact" or _counts_none(metric, profile):
            continue
        delta, resampled = (_interval(metric, profile, method=method) for method in ("delta", "bootstrap"))
        if reads_errors:
            assert chosen.method != "delta", f"few errors, which it reads: {chosen}"
        else:
            assert chosen == delta, f"it reads no errors, but few of them make it {chosen} instead of {delta}"
            assert abs(resampled.standard_error / chosen.standard_error - 1) < _OFF, f"{chosen} and {resampled}"
        if chosen.method == "bayesian":  # the others are off by as much, which is why it is chosen
            errors = [interval.standard_error for interval in (chosen, delta, resampled)]
            assert errors[0] > 0.5 * max(errors), f"{chosen}, {delta} and {resampled}"
    return reads_errors


def _counts_none(metric: Any, profile: ConfidenceProfile) -> bool:
    counted = metric.counted(profile)
    return counted is not None and not counted.any()


def _check_rare_class(metric: Any) -> None:
    """Where twelve samples of a class make half of the variance, they are too few for the delta method."""
    profile = _answers(800, 4, n_rare=12, floor=0.2)
    squares = metric.influence(profile) ** 2
    if squares[profile.true_class == 3].sum() > squares.sum() / 2:
        chosen = _interval(metric, profile)
        assert chosen.method != "delta", f"it rests on a class of twelve samples: {chosen}"


def _check_rare_errors(metric: Any) -> None:
    """Where most of the variance is that of errors which a sample hardly ever has, there is no interval; else there is.

    Half of the answers have a confidence of 0.6, the others announce one error in ten thousand. If these would change
    the value so much that its announced error is a multiple of that of the delta method, it rests on them.
    """
    n, confidence = 200, (0.6, 0.9999)
    sure = np.repeat(confidence, n // 2)
    correct = np.ones(n, dtype=bool)
    correct[: n // 5] = False
    profile = _of_two_classes(correct, sure)
    value, variances = metric.value(profile), []
    for chance, row in zip(confidence, (n // 2 - 1, n - 1), strict=True):
        one_more = correct.copy()
        one_more[row] = False
        change = metric.value(_of_two_classes(one_more, sure)) - value
        variances.append(n // 2 * chance * (1 - chance) * change**2)
    chosen, delta = (_interval(metric, profile, method=method) for method in ("auto", "delta"))
    if chosen.method == "exact":
        return  # a share, whose limits hold however few the errors are
    known = delta.standard_error > 1e-12  # not the mean confidence of errors, which all have the same one here
    if known and variances[1] > max(_MOST * sum(variances), (3 * delta.standard_error) ** 2):
        assert chosen.method == "none", f"it rests on errors that a sample hardly ever has: {chosen}"
    else:
        assert chosen.method != "none", f"it rests on errors that are there: {chosen}"


def _check_single_error(metric: Any) -> None:
    """Where a single error moves the value through most of its range, by its rank alone, there is no interval."""
    n = 100
    sure = np.linspace(0.51, 0.99, n)
    least, most = (_of_two_classes(np.arange(n) != row, sure) for row in (0, n - 1))
    chosen, (low, high) = _interval(metric, most), metric.info.bounds
    if abs(metric.value(most) - metric.value(least)) > _MOST * (high - low):
        assert chosen.method == "none", f"it rests on the rank of a single error: {chosen}"
    else:
        assert chosen.method != "none", f"it does not rest on the rank of a single error: {chosen}"


def _interval(metric: Any, profile: ConfidenceProfile, method: str = "auto") -> Any:
    asked = getattr(metric, "asked", metric)  # where one of another kind computes it
    params = {field.name: getattr(asked, field.name) for field in fields(asked)}
    pair = (metric.info.name, params)
    return confidence_interval(pair, profile, method=method, n_resamples=_N_RESAMPLES, random_state=0)


def _answers(
    n: int, n_classes: int, n_errors: int | None = None, n_rare: int | None = None, floor: float = 0.0
) -> ConfidenceProfile:
    """Return calibrated answers; or with so many errors, or so many samples of the last class.

    A floor of 0.2 below the probabilities of a row makes no error rare.
    """
    rng = np.random.default_rng(0)
    proba = floor / n_classes + rng.dirichlet(np.full(n_classes, 0.3), n)
    proba /= proba.sum(axis=1, keepdims=True)
    predicted = proba.argmax(axis=1)
    true_class = (rng.random((n, 1)) > proba.cumsum(axis=1)).sum(axis=1).clip(0, n_classes - 1)
    if n_errors is not None:
        rows = proba.max(axis=1).argsort()[np.linspace(0, n - 1, n_errors, dtype=int)]
        true_class = predicted.copy()
        true_class[rows] = proba[rows].argsort(axis=1)[:, -2]
    if n_rare is not None:
        rows = np.flatnonzero(true_class == n_classes - 1)[n_rare:]
        kept = np.setdiff1d(np.arange(n), rows)
        proba, true_class = proba[kept], true_class[kept]
    return ConfidenceProfile.from_predictions(true_class, proba, labels=np.arange(n_classes))


def _of_two_classes(correct: Any, sure: Any) -> ConfidenceProfile:
    """Return answers of two classes in turn, right where `correct` says so."""
    predicted = np.arange(len(sure)) % 2
    proba = np.where(predicted[:, np.newaxis] == [0, 1], sure[:, np.newaxis], 1 - sure[:, np.newaxis])
    return ConfidenceProfile.from_predictions(np.where(correct, predicted, 1 - predicted), proba, labels=[0, 1])
