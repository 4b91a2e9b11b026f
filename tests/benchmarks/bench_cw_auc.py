"""Time and memory of cwAUC, from raw predictions to its value, as multiples of scikit-learn's area with weights.

Run with ``python -m pytest tests/benchmarks/bench_cw_auc.py``.
"""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from skconf import metrics

CASES = [(1_000_000, 2, np.float64, False), (1_000_000, 2, np.float32, True), (200_000, 100, np.float32, True)]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0]}x{case[1]}-{case[2].__name__}")
def predictions(request):
    n_samples, n_classes, dtype, weighted = request.param
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.full(n_classes, 0.5), n_samples)
    y = (rng.random((n_samples, 1)) > proba.cumsum(axis=1)).sum(axis=1).clip(max=n_classes - 1)
    return y, proba.astype(dtype), rng.exponential(1, n_samples) if weighted else None


def test_area(predictions, ratio):
    y, proba, weight = predictions
    n_classes = proba.shape[1]
    sure = proba.max(axis=1).astype(np.float64)
    sure = sure if weight is None else sure * weight

    def one_class_at_a_time():
        if n_classes == 2:
            return roc_auc_score(y, proba[:, 1], sample_weight=sure)
        found = [roc_auc_score(y == code, proba[:, code], sample_weight=sure) for code in range(n_classes)]
        return np.mean(found)

    def call():
        return metrics.cw_roc_auc_score(y, proba, sample_weight=weight)

    assert call() == pytest.approx(one_class_at_a_time(), abs=1e-9)
    shape = f"{len(y)}x{n_classes} {proba.dtype}"
    ratio(f"cw_roc_auc_score {shape}", "roc_auc_score", one_class_at_a_time, call, proba.nbytes)
