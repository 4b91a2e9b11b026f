"""Time and memory of every metric, from raw predictions to its value, as multiples of numpy's own passes.

Run with ``python -m pytest tests/benchmarks/bench_metrics.py``.
"""

import numpy as np
import pytest

from skconf import metrics

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
