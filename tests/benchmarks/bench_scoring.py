"""Time of scoring twenty metrics at once, as a multiple of scikit-learn's scorer of the log loss.

Run with ``python -m pytest -n 0 tests/benchmarks/bench_scoring.py``. Both sides ask the same classifier, which has its
probabilities ready, so that nothing but scoring is timed.
"""

import numpy as np
import pytest
import sklearn.metrics
from sklearn.base import BaseEstimator, ClassifierMixin

from skconf import confidence_scoring

N_SAMPLES, N_CLASSES = 100_000, 10
RANKED = ["cw_roc_auc", "confidence_roc_auc", "metric_coverage_auc_to_zero", "neg_augrc", "neg_aurc", "neg_excess_aurc"]
TWENTY = [
    *RANKED,
    *["neg_csr_deviation", "neg_overconfidence_risk", "cw_accuracy", "confidence_gain", "cw_f1_macro"],
    *["cw_matthews_corrcoef", "cf1_macro", "cwsa", "cwsa_plus", "coverage", "selective_accuracy"],
    *["neg_ecuas_0", "neg_ecuas_1", "neg_ece"],
]


class Repeats(ClassifierMixin, BaseEstimator):
    """A fitted classifier that repeats its probabilities, whatever the samples."""

    def __init__(self, classes, proba):
        self.classes_, self.proba = classes, proba

    def fit(self, X, y):  # noqa: ARG002
        return self

    def __sklearn_is_fitted__(self):
        return True

    def predict(self, X):  # noqa: ARG002
        return self.classes_[self.proba.argmax(axis=1)]

    def predict_proba(self, X):  # noqa: ARG002
        return self.proba


@pytest.fixture(scope="module", params=["numbers", "strings", "weighted"])
def task(request):
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.full(N_CLASSES, 0.5), N_SAMPLES)
    codes = (rng.random((N_SAMPLES, 1)) > proba.cumsum(axis=1)).sum(axis=1).clip(max=N_CLASSES - 1)
    classes = np.arange(N_CLASSES) if request.param != "strings" else np.array([f"class {k}" for k in range(N_CLASSES)])
    weight = {"sample_weight": rng.exponential(1, N_SAMPLES)} if request.param == "weighted" else {}
    return request.param, Repeats(classes, proba), classes[codes], weight


def test_twenty_metrics(task, ratio):
    kind, model, y, weight = task
    theirs, ours = sklearn.metrics.get_scorer("neg_log_loss"), confidence_scoring(TWENTY)
    assert len(ours.scorers) == 20
    assert np.isfinite(list(ours(model, None, y, **weight).values())).all()
    ratio(
        f"20 metrics {N_SAMPLES:,}x{N_CLASSES}, {kind}",
        "neg_log_loss",
        lambda: theirs(model, None, y, **weight),
        lambda: ours(model, None, y, **weight),
        model.proba.nbytes,
    )
