"""The risk-coverage curve and the areas under it."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from _support.metrics.properties import Case, properties_of
from _support.metrics.strategies import outcomes
from _support.metrics.twins import confidences, coverage_score, selective_accuracy_score
from hypothesis import given, settings

from skconf import ConfidenceProfile, metrics


def aurc_loss(y, proba, predicted, w):
    """For whole weights only: a sample of weight 2 is two, and a tie is averaged over all its orders."""
    rows = [i for i in range(len(y)) for _ in range(int(w[i]))]
    c = confidences(proba, predicted)
    total, seen, errors = 0.0, 0, 0.0
    for value in sorted({c[i] for i in rows}, reverse=True):
        tied = [i for i in rows if c[i] == value]
        wrong = sum(y[i] != predicted[i] for i in tied)
        # By symmetry the expected number of errors among the first j of a random order is j · wrong/len(tied).
        total += sum((errors + j * wrong / len(tied)) / (seen + j) for j in range(1, len(tied) + 1))
        seen, errors = seen + len(tied), errors + wrong
    return total / len(rows)


def excess_aurc_loss(y, proba, predicted, w, optimum="exact"):
    n = int(sum(w))
    errors = int(sum(w[i] for i in range(len(y)) if y[i] != predicted[i]))
    if optimum == "exact":
        least = sum(j / (n - errors + j) for j in range(1, errors + 1)) / n
    else:
        rate = errors / n
        least = rate + (1 - rate) * math.log(1 - rate) if rate < 1 else 1.0
    return aurc_loss(y, proba, predicted, w) - least


def augrc_loss(y, proba, predicted, w):
    c = confidences(proba, predicted)
    right = [(c[i], w[i]) for i in range(len(y)) if y[i] == predicted[i]]
    wrong = [(c[i], w[i]) for i in range(len(y)) if y[i] != predicted[i]]
    ordered = sum(a * b * ((r > e) + (r == e) / 2) for r, a in right for e, b in wrong)
    accuracy, error = sum(b for _, b in right) / sum(w), sum(b for _, b in wrong) / sum(w)
    pairs = sum(b for _, b in right) * sum(b for _, b in wrong)
    return (1 - ordered / pairs) * accuracy * error + error**2 / 2 if pairs else error**2 / 2


def risk_coverage_curve(y, proba, predicted, w):
    c = confidences(proba, predicted)
    thresholds = sorted({c[i] for i in range(len(y)) if w[i] > 0}, reverse=True)
    coverage = [coverage_score(y, proba, predicted, w, t) for t in thresholds]
    risk = [1 - selective_accuracy_score(y, proba, predicted, w, t) for t in thresholds]
    return np.array(coverage), np.array(risk), np.array(thresholds)


CASES = [
    Case("aurc_loss", {}, aurc_loss),
    Case("excess_aurc_loss", {}, excess_aurc_loss),
    # A limit, which finite samples may undercut.
    Case("excess_aurc_loss", {"optimum": "asymptotic"}, excess_aurc_loss, bounded=False),
    Case("augrc_loss", {}, augrc_loss),
    Case("risk_coverage_curve", {}, risk_coverage_curve),
]
TestProperties = properties_of(CASES)


REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "model_outputs_reference.json").read_text())


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


def test_all_confidences_tied_make_the_risk_of_any_order_the_error_rate():
    profile = ConfidenceProfile.from_correctness([1, 0, 0, 1, 1], [0.5] * 5)
    assert metrics.aurc_loss(profile) == pytest.approx(0.4)
