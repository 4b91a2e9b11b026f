"""The share of confidences that a test refutes."""

import numpy as np
import pytest
from _support.metrics.properties import Case, properties_of
from _support.metrics.twins import bins_of, pairs
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from skconf.metrics._calibration.binomial_tests import exact_binomial_p_value


def tce_error(y, proba, predicted, w, strategy="pavabc", n_min=10, n_max=1000, n_bins=10, alpha=0.05):
    points = [(c, z) for c, z, weight in pairs(y, proba, predicted, w) for _ in range(int(weight))]
    n = len(points)
    groups = [[point for point in points if point[0] == value] for value in sorted({c for c, _ in points})]
    if strategy == "quantile":
        blocks = bins_of([(c, z, 1.0) for c, z in points], n_bins, "quantile")
        blocks = [[(c, z) for c, z, _ in block] for block in blocks]
    else:
        last = []
        while groups and len(last) < n_min:
            last = groups.pop() + last
        blocks = []
        for group in groups:
            blocks.append(group)
            while len(blocks) > 1 and may_merge(blocks[-2], blocks[-1], n_min, n_max):
                blocks[-2:] = [blocks[-2] + blocks[-1]]
        if last:
            blocks.append(last)
            if len(blocks) > 1 and 2 * n_min <= n_max:
                blocks[-2:] = [blocks[-2] + blocks[-1]]
    refuted = 0
    for block in blocks:
        right = int(sum(z for _, z in block))
        refuted += sum(binomtest(right, len(block), c).pvalue <= alpha for c, _ in block)
    return 100 * refuted / n


def may_merge(first, second, n_min, n_max):
    joint = len(first) + len(second)
    rights = [sum(z for _, z in block) for block in (first, second)]
    falling = rights[0] * len(second) >= rights[1] * len(first)
    return joint <= n_min or (joint <= n_max and falling)


CASES = [
    Case("tce_error", params, tce_error, atol=1e-9)
    for params in (
        {},
        {"n_min": 2, "n_max": 6},
        {"n_min": 0, "n_max": 4},
        {"n_min": 3, "n_max": 5},
        {"n_min": 1, "n_max": 30, "alpha": 0.4},
        {"strategy": "quantile", "n_bins": 3},
        {"strategy": "quantile", "n_bins": 7, "alpha": 0.3},
    )
]
TestProperties = properties_of(CASES)


@settings(max_examples=80, deadline=None)
@given(
    total=st.integers(1, 400),
    share=st.floats(0, 1),
    chance=st.one_of(st.floats(1e-12, 1), st.sampled_from([0.0, 1.0, 0.5, 0.25, 1 / 3, 1e-9, 1 - 1e-9])),
)
def test_exact_p_values_are_those_of_binomtest(total, share, chance):
    right = round(share * total)
    expected = binomtest(right, total, chance).pvalue
    arrays = [np.array([float(number)]) for number in (right, total, chance)]
    assert exact_binomial_p_value(*arrays)[0] == pytest.approx(expected, rel=1e-9, abs=1e-13)
    for enough in (0.05, 0.5):  # a bound that decides the same
        assert (exact_binomial_p_value(*arrays, enough=enough)[0] <= enough) == (expected <= enough)
