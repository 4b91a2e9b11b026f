"""Venn–Abers calibration, checked against isotonic regressions that are refitted for every asked probability."""

import numpy as np
import pytest
from _support.calibration_tasks import binary_task, three_class_task
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from skconf.calibration import VennAbersCalibrator


def refitted(p, y, weight, asked):
    """Return p₀ and p₁ at one probability, each from a regression with one more sample."""
    found = []
    for outcome in (0, 1):
        model = IsotonicRegression().fit(np.append(p, asked), np.append(y, outcome), np.append(weight, 1.0))
        found.append(model.predict([asked])[0])
    return found


@given(seed=st.integers(0, 2**32 - 1), digits=st.sampled_from([1, 2, 9]))
@settings(max_examples=25, deadline=None)
@pytest.mark.slow
def test_bounds_are_those_of_refitted_regressions(seed, digits):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 40))
    p, y, w = rng.random(n).round(digits), rng.random(n) < 0.5, rng.integers(1, 4, n).astype(float)
    y[:2] = [True, False]
    asked = np.concatenate([p, rng.random(5), [0.0, 1.0]])
    model = VennAbersCalibrator().fit(p, y, w)
    expected = np.array([refitted(p, y, w, each) for each in asked])
    interval = model.predict_interval(asked)
    np.testing.assert_allclose(interval[:, 1], expected, atol=1e-9)
    np.testing.assert_allclose(interval[:, 0], 1 - expected[:, ::-1], atol=1e-9)
    low, high = expected.T
    np.testing.assert_allclose(model.predict_proba(asked)[:, 1], high / (1 - low + high), atol=1e-9)


def test_the_probability_lies_in_its_interval_and_the_interval_shrinks():
    widths = []
    for n in (100, 10_000):
        p, y = binary_task(n)
        model = VennAbersCalibrator().fit(p, y)
        low, high = model.predict_interval(p)[:, 1].T
        got = model.predict_proba(p)[:, 1]
        assert (low <= got).all()
        assert (got <= high).all()
        widths.append((high - low).mean())
    assert widths[1] < widths[0] / 5


def test_three_classes_have_an_interval_each_and_an_absent_one_has_none():
    proba, y = three_class_task()
    model = VennAbersCalibrator().fit(proba, y)
    interval = model.predict_interval(proba)
    for k in range(3):
        alone = VennAbersCalibrator().fit(proba[:, k], y == k)
        np.testing.assert_array_equal(interval[:, k], alone.predict_interval(proba[:, k])[:, 1])
    low, high = interval[..., 0], interval[..., 1]
    each = high / (1 - low + high)
    np.testing.assert_allclose(model.predict_proba(proba), each / each.sum(axis=1, keepdims=True), rtol=1e-12)
    with pytest.warns(UserWarning, match=r"\[1\] unchanged"):
        absent = VennAbersCalibrator().fit(proba[y != 1], y[y != 1], labels=[0, 1, 2])
    np.testing.assert_array_equal(absent.predict_interval(proba)[:, 1], np.repeat(proba[:, 1:2], 2, axis=1))


def test_bad_probabilities_are_refused_by_the_interval_too():
    model = VennAbersCalibrator().fit([0.1, 0.9], [0, 1])
    with pytest.raises(ValueError, match=r"1\.5"):
        model.predict_interval([1.5])
