"""Risk-coverage curve and the areas under it."""

import json
from pathlib import Path

import numpy as np
import pytest
from _support.strategies import outcomes
from hypothesis import given, settings

from skconf import ConfidenceProfile, metrics

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "model_outputs_reference.json").read_text())
SYSTEMS = [name for name in REFERENCE if not name.startswith("_")]


@settings(max_examples=50, deadline=None)
@given(outcome=outcomes())
def test_curve_is_the_selective_risk_at_every_distinct_score(outcome):
    curve = outcome.call(metrics.risk_coverage_curve)
    assert (np.diff(curve.thresholds) < 0).all()
    assert curve.coverage[-1] == pytest.approx(1)
    for coverage, risk, threshold in zip(*curve, strict=True):
        assert coverage == pytest.approx(outcome.call(metrics.coverage_score, threshold=threshold))
        assert risk == pytest.approx(outcome.call(metrics.selective_risk_loss, threshold=threshold), abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(outcome=outcomes(whole_weights=True))
def test_augrc_is_the_trapezoid_under_the_generalised_curve(outcome):
    """From (0, 0) over coverage, of the share of samples that are accepted and wrong."""
    curve = outcome.call(metrics.risk_coverage_curve)
    coverage = np.append(0.0, curve.coverage)
    generalised = np.append(0.0, curve.risk * curve.coverage)
    area = (np.diff(coverage) * (generalised[1:] + generalised[:-1]) / 2).sum()
    assert outcome.call(metrics.augrc_loss) == pytest.approx(area, abs=1e-12)


def test_nothing_is_in_excess_where_all_errors_come_last():
    for errors in (0, 1, 3, 10):
        right = np.arange(10) >= errors
        profile = ConfidenceProfile.from_correctness(right, np.linspace(0.1, 0.9, 10))
        assert metrics.excess_aurc_loss(profile) == pytest.approx(0, abs=1e-15)
        assert metrics.aurc_loss(profile) >= 0


def test_the_asymptotic_optimum_is_the_limit_of_the_exact_one():
    rng = np.random.default_rng(0)
    profile = ConfidenceProfile.from_correctness(rng.random(200_000) < 0.8, rng.random(200_000))
    exact, limit = (metrics.excess_aurc_loss(profile, optimum=optimum) for optimum in ("exact", "asymptotic"))
    assert exact == pytest.approx(limit, abs=1e-5)
    assert exact != limit


def test_a_constant_error_rate_is_its_own_area():
    """All tied: whatever the coverage, the expected risk is the error rate."""
    profile = ConfidenceProfile.from_correctness(np.arange(1000) % 4 > 0, np.full(1000, 0.75))
    assert metrics.aurc_loss(profile) == pytest.approx(0.25)
    assert metrics.augrc_loss(profile) == pytest.approx(0.125)


@pytest.mark.parametrize("name", SYSTEMS)
def test_areas_are_those_of_other_implementations(system, name):
    """fd-shifts' AUGRC is exact; its optimum integrates a linear curve, and so differs from the exact sum by O(1/n)."""
    y, proba = system(name)
    profile = ConfidenceProfile.from_predictions(y, proba, labels=np.arange(proba.shape[1]))
    expected = REFERENCE[name]
    assert metrics.augrc_loss(profile) == pytest.approx(expected["augrc_closed_form"], abs=1e-12)
    assert metrics.augrc_loss(profile) == pytest.approx(expected["augrc_fdshifts_x1"], abs=1e-8)
    assert metrics.aurc_loss(profile) == pytest.approx(expected["aurc_mean_selective_risk"], abs=1e-4)
    exact = metrics.aurc_loss(profile) - metrics.excess_aurc_loss(profile)
    assert exact == pytest.approx(expected["aurc_optimal_fdshifts_x1"], abs=2 / len(y))
