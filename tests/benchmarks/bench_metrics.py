"""Time and memory of every metric, from raw predictions to its value, as multiples of numpy's own passes.

Run with ``python -m pytest tests/benchmarks/bench_metrics.py``.
"""

from dataclasses import replace

import numpy as np
import pytest

from skconf import ConfidenceProfile, metrics

SHAPES = [(1_000_000, 2), (100_000, 100)]


@pytest.fixture(scope="module", params=SHAPES, ids=lambda shape: f"{shape[0]}x{shape[1]}")
def predictions(request):
    n_samples, n_classes = request.param
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(n_classes), n_samples)
    y = (rng.random((n_samples, 1)) > proba.cumsum(axis=1)).sum(axis=1).clip(max=n_classes - 1)
    return y, proba


@pytest.mark.parametrize("name", [name for name in metrics.__all__ if name != "get_metric"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_cost(name, predictions, ratio):
    y, proba = predictions
    params = {"average": "macro"} if name == "cf1_score" else {}
    shape = "x".join(map(str, proba.shape))
    if name == "aurc_loss":
        sure = proba.max(axis=1)
        baseline, against = (lambda: np.argsort(sure)), "argsort"
    else:
        baseline, against = (lambda: proba.argmax(axis=1)), "argmax"
    function = getattr(metrics, name)
    ratio(f"{name} {shape}", against, baseline, lambda: function(y, proba, **params), proba.nbytes)


def test_slice_of_a_profile(predictions, ratio):
    """Sums take one for each block, of 2,621 rows of 100 classes: it should cost less than they do."""
    profile = ConfidenceProfile.from_predictions(*predictions)
    shape = "x".join(map(str, profile.proba.shape))

    def copies():
        for _ in range(1000):
            replace(profile)

    def slices():
        for _ in range(1000):
            profile[:2621]

    assert ratio(f"1,000 slices of {shape}", "copies by dataclasses.replace", copies, slices, 1 << 20) < 0.9


def test_matrix_by_class(ratio):
    """Added row by row, and not for each class apart."""
    rng = np.random.default_rng(0)
    proba, y = rng.dirichlet(np.ones(100), 20_000), rng.integers(0, 100, 20_000)
    profile = ConfidenceProfile.from_predictions(y, proba)

    def call():
        return metrics.probabilistic_confusion_matrix(profile[:])

    def plain():
        return np.column_stack([np.bincount(y, weights=column, minlength=100) for column in proba.T])

    np.testing.assert_allclose(call(), plain(), rtol=1e-12)
    assert (
        ratio("probabilistic_confusion_matrix 20,000x100", "bincount of each column", plain, call, proba.nbytes) < 0.7
    )
