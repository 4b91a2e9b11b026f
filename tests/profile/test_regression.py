"""Predicted numbers, right within a tolerance."""

import numpy as np
import pytest
from scipy import integrate, stats

from skconf import ConfidenceProfile
from skconf.metrics import confidence_gap

from_regression = ConfidenceProfile.from_regression


@pytest.mark.parametrize("kernel", ["within", "gaussian"])
def test_correctness_falls_with_the_error(kernel):
    y, guess = np.array([1.0, 2.0, 3.0]), np.array([1.2, 0.5, 3.5])
    profile = from_regression(y, guess, tolerance=0.5, kernel=kernel, std=np.ones(3))
    error = np.abs(y - guess)
    expected = error <= 0.5 if kernel == "within" else np.exp(-(error**2) / 2 / 0.25)
    np.testing.assert_allclose(profile.correctness, expected)
    assert profile.kind == ("right or wrong" if kernel == "within" else "graded")


def kernel_of(kernel, tolerance):
    return (
        (lambda e: float(abs(e) <= tolerance)) if kernel == "within" else lambda e: np.exp(-0.5 * (e / tolerance) ** 2)
    )


@pytest.mark.parametrize("kernel", ["within", "gaussian"])
def test_confidence_of_a_deviation_is_the_expected_correctness(kernel):
    profile = from_regression([0, 0], [0, 0], tolerance=0.7, kernel=kernel, std=[0.4, 2.0])
    correct = kernel_of(kernel, 0.7)

    def integrand(e, std):
        return correct(e) * stats.norm.pdf(e, scale=std)

    for sure, std in zip(profile.confidence, [0.4, 2.0], strict=True):
        expected = integrate.quad(integrand, -20, 20, args=(std,), points=[-0.7, 0.7], limit=200)[0]
        assert sure == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("kernel", ["within", "gaussian"])
def test_an_even_interval_is_a_deviation(kernel):
    guess, std = np.zeros(3), np.array([0.1, 1.0, 3.0])
    reach = stats.norm.ppf(0.9) * std
    by_interval = from_regression(
        guess, guess, tolerance=1, kernel=kernel, interval=(-reach, reach), interval_level=0.8
    )
    by_std = from_regression(guess, guess, tolerance=1, kernel=kernel, std=std)
    np.testing.assert_allclose(by_interval.confidence, by_std.confidence, rtol=1e-12)


def test_each_side_of_an_uneven_interval_counts_half():
    profile = from_regression([0], [0], tolerance=1, interval=([0], [1e9]))
    assert profile.confidence[0] == pytest.approx(0.5, abs=1e-6)


def test_members_of_an_ensemble_vote():
    profile = from_regression([0], [1], tolerance=0.5, ensemble=[[0.4, 0.9, 1.5, 3.0]])
    assert profile.confidence[0] == 0.5
    alone = from_regression([0, 0], [1, 1], tolerance=0.5, ensemble=[[0.9], [3.0]])
    assert alone.confidence.tolist() == [1, 0]


@pytest.mark.parametrize("kernel", ["within", "gaussian"])
def test_a_true_distribution_is_calibrated(kernel):
    rng = np.random.default_rng(0)
    std = rng.gamma(2, 1, 20_000)
    y = rng.normal(0, std)
    profile = from_regression(y, np.zeros(20_000), tolerance=1, kernel=kernel, std=std)
    assert abs(confidence_gap(profile)) < 4 * profile.correctness.std() / np.sqrt(20_000)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"std": None}, "Pass exactly one of std, interval and ensemble; got none"),
        ({"ensemble": [[1.0], [2.0]]}, "got std and ensemble"),
        ({"tolerance": 0}, "tolerance must be above 0"),
        ({"kernel": "box"}, "kernel must be one of 'within', 'gaussian'"),
        ({"std": [1, -1]}, "std is negative in row 1"),
        ({"std": None, "interval": ([0, 3], [2, 4])}, "y_pred lies outside its interval in row 1"),
        ({"std": None, "ensemble": [[1.0, 2.0]]}, r"ensemble must have shape \(2, n_members\)"),
        ({"y_true": [1.0]}, "y_true has 1 row"),
    ],
)
def test_errors_name_the_argument(changed, message):
    given = {"y_true": [1, 2], "y_pred": [1, 2], "tolerance": 1, "std": [1, 1]}
    from_regression(**given)
    with pytest.raises(ValueError, match=message):
        from_regression(**{**given, **changed})
