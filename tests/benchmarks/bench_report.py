"""Time and memory of reports, as multiples of scikit-learn's classification_report of the same predictions.

Run with ``python -m pytest tests/benchmarks/bench_report.py``.
"""

import numpy as np
import pytest
from sklearn.metrics import classification_report

from skconf.report import confidence_report

#: A report draws for its verdict; one of two models also compares them in every row. Without both it took 1.5 at most.
LIMIT, LIMIT_OF_TWO = 2.0, 3.2
#: A page has every curve, stop and interval: 1,000,000 rows of two models took 8 seconds.
LIMIT_OF_PAGE = 40.0
CALLS = {
    "confidence_report": confidence_report,
    "confidence_report with a threshold": lambda y, proba: confidence_report(y, proba, threshold=0.3),
    "confidence_report by class": lambda y, proba: confidence_report(y, proba, by="class"),
}


@pytest.fixture(scope="module", params=[(1_000_000, 2), (100_000, 10)], ids=lambda shape: f"{shape[0]}x{shape[1]}")
def predictions(request):
    n_samples, n_classes = request.param
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(n_classes), n_samples)
    y = (rng.random((n_samples, 1)) > proba.cumsum(axis=1)).sum(axis=1).clip(max=n_classes - 1)
    return y, proba


@pytest.mark.parametrize("name", CALLS)
def test_report(name, predictions, ratio):
    y, proba = predictions
    predicted = proba.argmax(axis=1)
    found = ratio(
        f"{name} {len(y):,}x{proba.shape[1]}",
        "classification_report",
        lambda: classification_report(y, predicted),
        lambda: CALLS[name](y, proba),
        proba.nbytes,
    )
    assert found < LIMIT


def test_report_and_its_text_on_two_models(predictions, ratio):
    """Against two of scikit-learn's, which make the text, too."""
    y, proba = predictions
    predicted = proba.argmax(axis=1)
    found = ratio(
        f"text of confidence_report, two models {len(y):,}x{proba.shape[1]}",
        "two classification_reports",
        lambda: [classification_report(y, predicted) for _ in range(2)],
        lambda: repr(confidence_report(y, {"one": proba, "two": proba})),
        proba.nbytes,
    )
    assert found < LIMIT_OF_TWO


def test_page_of_two_models(predictions, ratio):
    y, proba = predictions
    predicted = proba.argmax(axis=1)
    found = ratio(
        f"page of two models {len(y):,}x{proba.shape[1]}",
        "two classification_reports",
        lambda: [classification_report(y, predicted) for _ in range(2)],
        lambda: confidence_report(y, {"one": proba, "two": proba**2 / (proba**2).sum(axis=1, keepdims=True)}).page(),
        proba.nbytes,
        rounds=1,
    )
    assert found < LIMIT_OF_PAGE
