"""Time of tuning a threshold on stored probabilities, as a share of scikit-learn's loop over thresholds.

That takes ten seconds, so that a tenth of its thresholds is timed. Run with
``python -m pytest tests/benchmarks/bench_tuning.py``.
"""

import numpy as np
import pytest
from _support.stored import Stored
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import TunedThresholdClassifierCV

from skconf import TunedSelectiveClassifierCV

N = 1_000_000

OBJECTIVES = {
    "risk": {"target": 0.05},
    "risk with a level": {"target": 0.05, "confidence_level": 0.95},
    "coverage": {"objective": "coverage", "target": 0.5},
    "cost": {"objective": "cost", "reject_cost": 0.1},
    "cost matrix": {"objective": "cost", "reject_cost": 0.1, "cost_matrix": [[0, 1], [5, 0]]},
    "cwsa": {"objective": "cwsa"},
}


@pytest.fixture(scope="module")
def stored():
    rng = np.random.default_rng(0)
    proba = rng.random(N)
    return FrozenEstimator(Stored()), np.column_stack([1 - proba, proba]), (rng.random(N) < proba).astype(int)


@pytest.mark.parametrize("params", list(OBJECTIVES.values()), ids=list(OBJECTIVES))
def test_tuning(params, stored, ratio, request):
    frozen, proba, y = stored
    theirs = TunedThresholdClassifierCV(frozen, cv="prefit", refit=False, thresholds=10)
    ours = TunedSelectiveClassifierCV(frozen, **params)
    found = ratio(
        f"{request.node.callspec.id} {N:,}",
        "10 of the 100 thresholds of TunedThresholdClassifierCV",
        lambda: theirs.fit(proba, y),
        lambda: ours.fit(proba, y),
        proba.nbytes,
    )
    twice = request.node.callspec.id in ("cost matrix", "cwsa")  # a second sort, and a curve of several metrics
    assert found / 10 < (1 / 25 if twice else 1 / 50)


def test_beside_mapie(stored, ratio):
    """The guarantee at its defaults: a test at each of 100 thresholds, where right answers are the positives."""
    risk_control = pytest.importorskip("mapie.risk_control")
    frozen, proba, y = stored
    score, right = proba.max(axis=1), (proba.argmax(axis=1) == y).astype(int)
    controller = risk_control.BinaryClassificationController(
        lambda score: np.column_stack([1 - score, score]), "precision", 0.95, confidence_level=0.95
    )
    ours = TunedSelectiveClassifierCV(frozen, target=0.05, confidence_level=0.95)
    ratio(
        f"risk with a level {N:,}",
        "BinaryClassificationController.calibrate",
        lambda: controller.calibrate(score, right),
        lambda: ours.fit(proba, y),
        proba.nbytes,
    )
