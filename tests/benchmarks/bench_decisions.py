"""Time of deciding by costs, as a share of taking the most probable class; both sides in one run.

Run with ``python -m pytest tests/benchmarks/bench_decisions.py``.
"""

import numpy as np
import pytest
from _support.stored import Stored
from sklearn.frozen import FrozenEstimator

from skconf import SelectiveClassifier, TunedSelectiveClassifierCV

N, K = 100_000, 10


@pytest.fixture(scope="module")
def stored():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.full(K, 0.3), N)
    costs = rng.uniform(0.2, 5, (K, K))
    np.fill_diagonal(costs, 0)
    return (
        FrozenEstimator(Stored(tuple(range(K)))),
        proba,
        (proba.cumsum(axis=1) > rng.random((N, 1))).argmax(axis=1),
        costs,
    )


CLASSIFIERS = {
    "given": (SelectiveClassifier, {}),
    "tuned": (TunedSelectiveClassifierCV, {"objective": "cost", "reject_cost": 0.5}),
}


@pytest.mark.parametrize("task", ["fit", "predict"])
@pytest.mark.parametrize("kind", list(CLASSIFIERS))
def test_decisions(kind, task, stored, ratio):
    frozen, proba, y, costs = stored
    made, params = CLASSIFIERS[kind]
    plain, ours = made(frozen, **params).fit(proba, y), made(frozen, cost_matrix=costs, **params).fit(proba, y)
    calls = [
        (lambda model=model: model.fit(proba, y)) if task == "fit" else (lambda model=model: model.predict(proba))
        for model in (plain, ours)
    ]
    found = ratio(f"{kind} {task} {N:,} × {K}", "without a cost matrix", *calls, proba.nbytes)
    assert found < 2
