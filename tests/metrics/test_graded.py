"""Answers that are graded or have costs of their own: each metric beside its definition, or its refusal by name."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from _support.metrics.properties import assert_influence_is_the_derivative, drawn_profile
from _support.metrics.twins import bins_of, calibration_index, halved_error, isotonic, logit_smoothed
from scipy import integrate

from skconf import ConfidenceProfile
from skconf.metrics import get_metric
from skconf.metrics._base.kinds import Additive, Ranked
from skconf.metrics._base.registry import metric_classes


def drawn(n=60, seed=0, weighted=True, ties=True):
    """Return graded answers as (confidence, correctness, weight), with tied confidences."""
    rng = np.random.default_rng(seed)
    c = rng.random(n)
    if ties:
        c = c.round(1)
    z = np.clip(c + rng.normal(0, 0.3, n), 0, 1)
    return c, z, rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)


def graded(c, z, w):
    return ConfidenceProfile.from_correctness(z, c, sample_weight=w)


def points(c, z, w):
    return list(zip(c.tolist(), z.tolist(), w.tolist(), strict=True))


def mean(values, weights):
    return sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights)


def accepted(found, threshold):
    return [(c, z, w) for c, z, w in found if c >= threshold]


def cwsa(found, threshold=0.5, punish=True, everything=False):
    kept = accepted(found, threshold)
    reward = [(c - threshold) / (1 - threshold) * (2 * z - 1 if punish else z) * w for c, z, w in kept]
    return sum(reward) / sum(w for _, _, w in (found if everything else kept))


def coverage_area(found, read, to_zero=False):
    thresholds = [t / 100 for t in range(50, 100)]
    coverage = [sum(w for _, _, w in accepted(found, t)) / sum(w for *_, w in found) for t in thresholds]
    height = [read(found, t) if share else 0.0 for t, share in zip(thresholds, coverage, strict=True)]
    steps = range(len(thresholds) - 1)
    return sum((coverage[i] - coverage[i + 1]) * (height[i] + height[i + 1]) / 2 for i in steps)


def repeated(found):
    """Each answer as often as its weight says, from the highest confidence down."""
    return sorted(((c, 1 - z) for c, z, w in found for _ in range(int(w))), key=lambda point: -point[0])


def aurc(found):
    """The mean over orders within ties is that of the mean loss of each tie."""
    answers = repeated(found)
    tied = {}
    for c, loss in answers:
        tied.setdefault(c, []).append(loss)
    total, risks = 0.0, []
    for k, (c, _) in enumerate(answers, 1):
        total += sum(tied[c]) / len(tied[c])
        risks.append(total / k)
    return sum(risks) / len(risks)


def augrc(found):
    """The trapezoids under the share that is accepted and lost, ties again in their mean."""
    answers = repeated(found)
    tied = {}
    for c, loss in answers:
        tied.setdefault(c, []).append(loss)
    n, total, area = len(answers), 0.0, 0.0
    for c, _ in answers:
        step = sum(tied[c]) / len(tied[c])
        area += (total + total + step) / 2 / n / n
        total += step
    return area


def log_loss(found, eps=1e-8):
    def ln(p):
        return math.log(max(p, eps))

    return mean([-z * ln(c) - (1 - z) * ln(1 - c) for c, z, _ in found], [w for *_, w in found])


def brier(found):
    return mean([(c - z) ** 2 for c, z, _ in found], [w for *_, w in found])


def variance(found):
    average = mean([z for _, z, _ in found], [w for *_, w in found])
    return mean([(z - average) ** 2 for _, z, _ in found], [w for *_, w in found])


def entropy(found):
    a = mean([z for _, z, _ in found], [w for *_, w in found])
    return -a * math.log(a) - (1 - a) * math.log(1 - a)


def ece(found, strategy="uniform", norm="l1"):
    gaps, shares, total = [], [], sum(w for *_, w in found)
    for members in bins_of(found, 15, strategy):
        share = sum(w for *_, w in members)
        gaps.append(abs(sum(w * (z - c) for c, z, w in members)) / share)
        shares.append(share / total)
    return max(gaps) if norm == "max" else sum(g * s for g, s in zip(gaps, shares, strict=True))


def smooth(found, sigma=0.2):
    """A sum over a fine grid, with the kernel reflected at 0 and 1."""
    t, total = (np.arange(20_000) + 0.5) / 20_000, np.zeros(20_000)
    for c, z, w in found:
        for centre in (at + k for k in range(-4, 5, 2) for at in (c, -c)):
            total += w * (c - z) * np.exp(-((t - centre) ** 2) / 2 / sigma**2) / sigma / math.sqrt(2 * math.pi)
    return np.abs(total).mean() / sum(w for *_, w in found)


def distance(found):
    fitted = isotonic(found)
    return mean([abs(c - fitted[c]) for c, _, _ in found], [w for *_, w in found])


def cumulative(found):
    total = sum(w for *_, w in found)
    return max(abs(sum(w * (z - c) for c, z, w in found if c <= t)) for t, _, _ in found) / total


def ecuas(found, n):
    def one(c, z):
        u, cost = 1 - c, 1 - z
        if n == 0:
            return u - math.log(max(u, 1e-7)) * cost
        return u ** (n + 1) + (n + 1) / n * (1 - u**n) * cost

    return mean([one(c, z) for c, z, _ in found], [w for *_, w in found])


def reject(found, gamma):
    return mean([gamma if 1 - c > gamma else 1 - z for c, z, _ in found], [w for *_, w in found])


TWINS = [
    ("cwsa_score", {"threshold": 0.5}, cwsa),
    ("cwsa_score", {"threshold": 0.7, "normalize": "all"}, lambda f: cwsa(f, 0.7, everything=True)),
    ("cwsa_plus_score", {"threshold": 0.5}, lambda f: cwsa(f, punish=False)),
    ("cwsa_curve", {"thresholds": [0.6]}, lambda f: cwsa(f, 0.6)),
    ("metric_coverage_auc", {}, lambda f: coverage_area(f, cwsa)),
    ("metric_coverage_auc", {"metric": "cwsa_plus"}, lambda f: coverage_area(f, lambda g, t: cwsa(g, t, punish=False))),
    ("selective_accuracy_score", {"threshold": 0.5}, lambda f: 1 - selective_risk(f)),
    ("selective_risk_loss", {"threshold": 0.5}, lambda f: selective_risk(f)),
    ("risk_coverage_curve", {}, lambda f: 1 - mean([z for _, z, _ in f], [w for *_, w in f])),
    ("coverage_score", {"threshold": 0.5}, lambda f: sum(w for *_, w in accepted(f, 0.5)) / sum(w for *_, w in f)),
    ("aurc_loss", {}, aurc),
    ("augrc_loss", {}, augrc),
    ("cw_accuracy_score", {}, lambda f: mean([z for _, z, _ in f], [w * c for c, _, w in f])),
    ("confidence_gap", {}, lambda f: mean([c - z for c, z, _ in f], [w for *_, w in f])),
    ("confidence_brier_loss", {}, brier),
    ("confidence_brier_loss", {"normalize": True}, lambda f: brier(f) / variance(f)),
    ("confidence_log_loss", {}, log_loss),
    ("confidence_log_loss", {"normalize": True}, lambda f: log_loss(f) / entropy(f)),
    ("ecuas_loss", {"n": 0}, lambda f: ecuas(f, 0)),
    ("ecuas_loss", {"n": 2.5}, lambda f: ecuas(f, 2.5)),
    ("reject_cost_loss", {"reject_cost": 0.3}, lambda f: reject(f, 0.3)),
    ("expected_calibration_error", {}, ece),
    ("expected_calibration_error", {"strategy": "quantile"}, lambda f: ece(f, "quantile")),
    ("maximum_calibration_error", {}, lambda f: ece(f, norm="max")),
    ("smooth_calibration_error", {"bandwidth": 0.2}, smooth),
    ("logit_smoothed_calibration_error", {"bandwidth": 0.2}, lambda f: logit_smoothed(f, 0.2)),
    ("estimated_calibration_index", {}, calibration_index),
    ("estimated_calibration_index", {"strategy": "quantile"}, lambda f: calibration_index(f, 15, "quantile")),
    ("adaptive_calibration_error", {}, halved_error),
    ("calibration_distance_error", {}, distance),
    ("cumulative_calibration_error", {}, cumulative),
]


def selective_risk(found, threshold=0.5):
    kept = accepted(found, threshold)
    return mean([1 - z for _, z, _ in kept], [w for *_, w in kept])


def number(name, value):
    """The number that a twin computes of a curve: CWSA, or the risk of all."""
    return {"cwsa_curve": lambda v: v.cwsa[0], "risk_coverage_curve": lambda v: v.risk[-1]}.get(name, float)(value)


def flat(value):
    """A number or a curve as one array."""
    return np.concatenate([np.ravel(part) for part in (value if isinstance(value, tuple) else (value,))])


@pytest.mark.parametrize(("name", "params", "twin"), TWINS)
@pytest.mark.parametrize("weighted", [True, False])
def test_it_is_its_definition(name, params, twin, weighted):
    for seed in range(3):
        sample = drawn(seed=seed, weighted=weighted)
        expected = twin(points(*sample))
        tolerance = 1e-4 if "smooth" in name else 1e-12
        assert number(name, get_metric(name, **params)(graded(*sample))) == pytest.approx(expected, rel=tolerance)


def test_every_metric_that_takes_graded_answers_has_a_twin():
    taking = {name for name, cls in metric_classes().items() if cls.takes != "right or wrong"}
    assert taking == {name for name, *_ in TWINS}


@pytest.mark.parametrize("name", sorted(metric_classes()))
def test_it_is_as_before_or_refused_by_name(name):
    """Right and wrong as 1. and 0.: the same value, or a sentence that names the metric."""
    metric = get_metric(name)
    for weighted in (False, True):
        c, z, w = drawn(n=200, seed=3, weighted=weighted)
        plain = ConfidenceProfile.from_correctness(z > 0.5, c, sample_weight=w if weighted else None)
        given = ConfidenceProfile.from_correctness((z > 0.5).astype(float), c, sample_weight=plain.sample_weight)
        assert given.kind == "right or wrong"
        as_numbers = replace(plain, correctness=plain.correctness.astype(float))
        if metric.takes == "right or wrong":
            with pytest.raises(ValueError, match=f"{name} needs answers that are right or wrong, but .* graded"):
                metric(as_numbers)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            before, after = metric(plain), metric(as_numbers)
        np.testing.assert_allclose(flat(after), flat(before), rtol=1e-12, atol=1e-15)
        if isinstance(metric, Ranked | Additive) and not metric.why_resampled:
            np.testing.assert_allclose(metric.influence(as_numbers), metric.influence(plain), rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("name", sorted(metric_classes()))
def test_costs_are_taken_by_few_and_refused_by_name(name):
    metric = get_metric(name)
    rng = np.random.default_rng(0)
    u = rng.random(50) * 4
    profile = ConfidenceProfile.from_costs(u * rng.exponential(1, 50), u, largest=4)
    if metric.takes == "costs":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert np.isfinite(flat(metric(profile))).all()
    else:
        with pytest.raises(ValueError, match=f"{name} needs answers that are .* only costs"):
            metric(profile)


def test_graded_answers_are_costs_of_1_less_correctness():
    c, z, w = drawn()
    costs = ConfidenceProfile.from_costs(1 - z, 1 - c, sample_weight=w)
    for name, cls in metric_classes().items():
        if cls.takes == "costs":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                one, other = get_metric(name)(costs), get_metric(name)(graded(c, z, w))
            np.testing.assert_allclose(flat(one), flat(other), rtol=1e-9, atol=1e-12)


def test_costs_scale_risks():
    c, z, w = drawn()
    for name in ("aurc_loss", "augrc_loss"):
        metric = get_metric(name)
        large = ConfidenceProfile.from_costs(50 * (1 - z), 50 * (1 - c), largest=50, sample_weight=w)
        assert metric(large) == pytest.approx(50 * metric(graded(c, z, w)), rel=1e-10)


def test_an_uncertainty_at_the_cost_of_rejection_is_no_rejection():
    profile = ConfidenceProfile.from_costs([0.0, 1.0], [0.3, 0.3])
    assert get_metric("reject_cost_loss", reject_cost=0.3)(profile) == 0.5


@pytest.mark.parametrize("name", ["cw_accuracy_score", "confidence_brier_loss", "ecuas_loss", "confidence_gap"])
def test_influence_of_graded_answers_is_the_derivative(name):
    assert_influence_is_the_derivative(get_metric(name), graded(*drawn(n=40, ties=False)))


@pytest.mark.parametrize("name", ["aurc_loss", "augrc_loss"])
def test_influence_of_ranks_is_the_effect_of_a_little_weight(name):
    c, z, _ = drawn(n=3000, ties=False)
    metric, profile = get_metric(name), graded(c, z, np.ones(3000))
    influence = metric.influence(profile)
    for row in (3, 500, 2900):
        w = np.ones(3000)
        w[row] += 1e-4
        change = (metric(graded(c, z, w)) - metric(profile)) / 1e-4
        assert influence[row] == pytest.approx(change, rel=0.02, abs=1e-6)


class TestSimilarity:
    """Graded by a matrix, over many thresholds at once."""

    KAPPA = np.array([[1, 0.6, 0.1, 0], [0.5, 1, 0.2, 0], [0, 0.3, 1, 0.7], [0, 0, 0.8, 1]])

    @pytest.mark.parametrize("phi", [None, np.square])
    @pytest.mark.parametrize("normalize", ["accepted", "all"])
    def test_the_curve_is_the_score_at_each_threshold(self, phi, normalize):
        profile = drawn_profile(80)
        given = {"similarity": self.KAPPA, "phi": phi, "normalize": normalize}
        thresholds = [0.3, 0.5, 0.8]
        curve = get_metric("cwsa_curve", thresholds=thresholds, **given)(profile)
        for name, values in (("cwsa_score", curve.cwsa), ("cwsa_plus_score", curve.cwsa_plus)):
            expected = [get_metric(name, threshold=t, **given)(profile) for t in thresholds]
            np.testing.assert_allclose(values, expected, rtol=1e-12)

    def test_the_area_is_that_of_the_curve(self):
        profile = drawn_profile(80, n_classes=4)
        given = {"similarity": self.KAPPA, "thresholds": [0.3, 0.5, 0.8]}
        curve = get_metric("cwsa_curve", **given)(profile)
        expected = -integrate.trapezoid(curve.cwsa, curve.coverage)
        assert get_metric("metric_coverage_auc", **given)(profile) == pytest.approx(expected, rel=1e-12)

    def test_rows_and_columns_of_a_table_are_found_by_name(self):
        profile = drawn_profile(80)
        order = [2, 0, 3, 1]
        table = pd.DataFrame(self.KAPPA, index=range(4), columns=range(4)).rename(columns=str, index=str)
        moved = table.iloc[order, order]
        for name in ("cwsa_score", "metric_coverage_auc"):
            as_array = get_metric(name, similarity=self.KAPPA)(profile)
            assert get_metric(name, similarity=moved)(profile) == as_array
        with pytest.raises(ValueError, match=r"similarity has rows .* labels are"):
            get_metric("cwsa_score", similarity=moved.rename(index={"1": "one"}))(profile)

    def test_a_profile_graded_by_it_has_the_similarity_that_is_expected(self):
        profile = drawn_profile(50)
        found = profile.with_similarity(self.KAPPA)
        for row in range(50):
            p, guess = profile.proba[row], profile.predicted_class[row]
            assert found.confidence[row] == pytest.approx(sum(p[k] * self.KAPPA[guess, k] for k in range(4)))
            assert found.correctness[row] == self.KAPPA[guess, profile.true_class[row]]
        assert found.kind == "graded"
        assert found.classes is None

    def test_calibrated_probabilities_promise_it_rightly(self):
        profile = drawn_profile(40_000, weighted=False)
        found = profile.with_similarity(self.KAPPA)
        assert abs(get_metric("confidence_gap")(found)) < 4 * found.correctness.std() / 200
        assert get_metric("confidence_gap")(replace(found, confidence=profile.confidence)) < -0.05
