"""Random classification outcomes for property tests."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st


@dataclass
class Outcome:
    """Labels as column numbers, probabilities, predicted columns and weights."""

    y: np.ndarray
    proba: np.ndarray
    predicted: np.ndarray
    weight: np.ndarray

    def pick(self, rows: np.ndarray) -> None:
        """Take these rows, in this order."""
        for part in ("y", "proba", "predicted", "weight"):
            values = getattr(self, part)
            setattr(self, part, None if values is None else values[rows])

    def call(self, metric: Any, /, **params: Any) -> Any:
        """Call a public metric function with all of it."""
        return metric(
            self.y,
            self.proba,
            y_pred=self.predicted,
            labels=np.arange(self.proba.shape[1]),
            sample_weight=self.weight,
            **params,
        )


@st.composite
def outcomes(draw, max_classes=12, whole_weights=False, given_prediction=True, dtype=np.float64):
    """Draw an outcome: K from 2 up, ties, extreme probabilities, absent classes, zero weights."""
    n_classes = draw(st.integers(2, max_classes))
    n = draw(st.integers(1, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    steps = draw(st.sampled_from([1, 3, 20, 10**6]))  # few steps make ties, and probabilities of exactly 0 and 1
    counts = rng.multinomial(steps, rng.dirichlet(np.full(n_classes, 0.5), n))
    proba = (counts / steps).astype(dtype)
    y = rng.integers(0, draw(st.integers(1, n_classes)), n)  # the last classes may be absent
    predicted = proba.argmax(axis=1)
    if given_prediction and draw(st.booleans()):
        predicted = rng.integers(0, n_classes, n)
    weight = rng.integers(0, 4, n).astype(float) if whole_weights else rng.exponential(1, n).round(3)
    weight[rng.integers(0, n)] += 1  # never all zero
    return Outcome(y, proba, predicted, weight)
