"""Intervals of the calibrated size ratio hold the truth as often as they say, on populations chosen to break them."""

import numpy as np
import pytest
from scipy import stats

from skconf import ConfidenceProfile
from skconf.inference import confidence_interval

#: Name to a function that draws confidences. "two levels" has a tail of a few answers, all of one confidence.
CONFIDENCES = {
    "even": lambda rng, n: rng.uniform(0.5, 0.97, n),
    "near the top": lambda rng, n: np.minimum(1 - 0.5 * rng.beta(0.6, 3, n), 1 - 20 / n),
    "logits": lambda rng, n: 1 / (1 + np.exp(-np.minimum(np.abs(rng.normal(0, 0.8, n)), 3))),
    "tenths": lambda rng, n: rng.choice([0.5, 0.6, 0.7, 0.8, 0.9, 0.95], n),
    "two levels": lambda rng, n: np.where(rng.random(n) < 0.1, 1 - 10 / n, rng.choice([0.5, 0.6, 0.7, 0.8], n)),
    "many at the top": lambda rng, n: np.where(rng.random(n) < 0.4, 1 - 10 / n, rng.choice([0.5, 0.6, 0.7, 0.8], n)),
}
#: Name to a function that returns the probabilities of errors, given confidences and what is the top tenth of them.
ERRORS = {
    "calibrated": lambda c, _: 1 - c,
    "overconfident": lambda c, _: 1 / (1 + (c / (1 - c)) ** (1 / 1.6)),
    "underconfident": lambda c, _: 1 / (1 + (c / (1 - c)) ** (1 / 0.6)),
    "three times the errors at the top": lambda c, top: np.where(c >= top, np.minimum(3 * (1 - c), 0.9), 1 - c),
    "none at the top": lambda c, top: np.where(c >= top, 0.0, 1 - c),
}


def coverage(confidences, errors, n_samples, n_sets, weighted=False):
    rng = np.random.default_rng(11)
    many = np.concatenate([CONFIDENCES[confidences](rng, n_samples) for _ in range(400_000 // n_samples)])
    top = np.quantile(many, 0.9)
    truth, held, given = np.mean(ERRORS[errors](many, top) / (1 - many)), 0, 0
    for _ in range(n_sets):
        sure = CONFIDENCES[confidences](rng, n_samples)
        right = rng.random(n_samples) >= ERRORS[errors](sure, top)
        weight = rng.uniform(1, 3, n_samples) if weighted else None
        interval = confidence_interval(
            "calibrated_size_ratio", ConfidenceProfile.from_correctness(right, sure, sample_weight=weight)
        )
        given += interval.method == "gamma"
        held += interval.low <= truth <= interval.high
    assert given == n_sets
    return held / n_sets


def test_ends_are_quantiles_of_gamma_distributions():
    """That of the upper end has the mean and the variance of half an error more, of the largest size."""
    rng = np.random.default_rng(0)
    sure = rng.uniform(0.5, 0.9, 300)
    right = rng.random(300) < sure
    sizes, half = np.where(right, 0, 1 / (1 - sure)), 0.5 / (1 - sure.max()) / 300
    value, variance = sizes.mean(), sizes.var(ddof=1) / 300
    found = confidence_interval("calibrated_size_ratio", ConfidenceProfile.from_correctness(right, sure))
    for end, tail, mean, v in (
        (found.low, 0.025, value, variance),
        (found.high, 0.975, value + half, variance + 2 * half**2),
    ):
        assert end == pytest.approx(stats.gamma(mean**2 / v, scale=v / mean).ppf(tail), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("errors", ERRORS)
@pytest.mark.parametrize("confidences", ["even", "two levels", "many at the top"])
def test_size_ratio_is_held(confidences, errors):
    """Three standard errors of 200 sets are 0.046; influence values held 0.63 to 0.95."""
    assert coverage(confidences, errors, 500, 200) >= 0.95 - 0.046


@pytest.mark.simulation
def test_weighted_size_ratio_is_held():
    assert coverage("two levels", "three times the errors at the top", 500, 200, weighted=True) >= 0.95 - 0.046


@pytest.mark.slow
@pytest.mark.parametrize("n_samples", [200, 1000, 3000])
@pytest.mark.parametrize("errors", ERRORS)
@pytest.mark.parametrize("confidences", CONFIDENCES)
def test_size_ratio_is_held_in_many_sets(confidences, errors, n_samples):
    assert coverage(confidences, errors, n_samples, 1500) >= 0.925
