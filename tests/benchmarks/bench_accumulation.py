"""Scores of batches, as multiples of the scores of all samples in memory; and what small floats cost.

Run with ``python -m pytest tests/benchmarks/bench_accumulation.py``.
"""

import numpy as np
import pytest

from skconf import ConfidenceProfile, MetricAccumulator, confidence_scoring

N, BATCH = 3_000_000, 100_000
SUMS = [
    "cw_accuracy",
    "coverage",
    "selective_accuracy",
    "neg_ece",
    "cwsa",
    "neg_ecuas",
    "neg_confidence_brier",
    "neg_csr_deviation",
    "neg_confidence_log_loss",
    "neg_overconfidence_risk",
]
AREAS = ["neg_aurc", "neg_augrc", "neg_excess_aurc", "confidence_roc_auc", "cw_roc_auc"]


@pytest.fixture(scope="module")
def predictions():
    rng = np.random.default_rng(0)
    proba = rng.beta(2, 0.5, N)
    return (rng.random(N) < proba).astype(np.int8), proba


@pytest.mark.filterwarnings("ignore:There are too many distinct confidences")
@pytest.mark.parametrize("batch", [10_000, BATCH])
@pytest.mark.parametrize(
    ("names", "options"),
    [(SUMS, {"intervals": False}), (SUMS, {}), (AREAS, {})],
    ids=["ten sums", "ten sums with intervals", "five areas"],
)
def test_batches(names, options, batch, predictions, ratio, request):
    y, proba = predictions
    scoring = confidence_scoring(names)

    def in_memory():
        return scoring.of_profile(ConfidenceProfile.from_predictions(y, proba))

    def call():
        total = MetricAccumulator(names, labels=[0, 1], **options)
        for start in range(0, N, batch):
            total.update(y[start : start + batch], proba[start : start + batch])
        return total.result()

    label = f"{request.node.callspec.id}, {N:,} rows in batches of {batch:,}"
    ratio(label, "in memory", in_memory, call, proba.nbytes)


def test_merge(predictions, ratio):
    """Beside the sum of as many bytes."""
    y, proba = predictions
    names = [*SUMS, *AREAS]
    one, other = (
        MetricAccumulator(names, labels=[0, 1]).update(y[rows], proba[rows]) for rows in np.split(np.arange(N), 2)
    )
    size = sum(array.nbytes for array in one.state_dict().values())
    first, second = np.ones(size // 8), np.ones(size // 8)
    ratio(
        f"merge of 15 scores, {size / 2**20:.1f} MiB", "a + b", lambda: first + second, lambda: one.merge(other), size
    )


@pytest.mark.parametrize("names", [["cw_accuracy"], ["cf1_macro", "cw_f1_macro"]], ids=["confidence", "all classes"])
def test_float16_beside_float32(names, ratio):
    rng = np.random.default_rng(0)
    weight = rng.random((10_000, 1_000), dtype=np.float32) ** 8
    single = weight / weight.sum(axis=1, keepdims=True)
    half, y = single.astype(np.float16), rng.integers(0, 1_000, 10_000)

    def call(proba):
        return MetricAccumulator(names, labels=range(1_000), intervals=False).update(y, proba)

    label = f"{', '.join(names)} of float16, 10,000 x 1,000"
    ratio(label, "float32", lambda: call(single), lambda: call(half), half.nbytes)
