"""Intervals where strata weigh unequally: against the closed form, draws by hand, and populations."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import beta

from skconf import ConfidenceProfile
from skconf.inference import compare, confidence_interval
from skconf.inference._sampling import Sampling
from skconf.inference._strata import Statistic, draws_within_strata
from skconf.metrics import get_metric

SHARES = [0.003, 0.05, 0.2]
METRICS = ["accuracy", "confidence_brier_loss", "cw_accuracy_score", "precision", "confidence_gap"]


def rows(rng, n, share, sureness=1.5):
    """Return labels of so many rows of each class, and probabilities that are overconfident at a share."""
    y = np.repeat([0, 1], n)
    x = rng.normal(2.0 * y)
    return y, expit(sureness * (2 * (x - 1)) + np.log(share / (1 - share)))


def at(share, y, proba):
    return ConfidenceProfile.from_predictions(y, proba).at_prevalence({1: share})


def test_interval_of_the_accuracy_is_mover_of_jeffreys_limits():
    y, proba = rows(np.random.default_rng(0), (300, 40), 0.05)
    found = confidence_interval("accuracy", at(0.05, y, proba))
    right, value, below, above = (proba > 0.5) == y, 0.0, 0.0, 0.0
    for k, share in ((0, 0.95), (1, 0.05)):
        hits, n = right[y == k].sum(), (y == k).sum()
        low, high = beta.ppf([0.025, 0.975], hits + 0.5, n - hits + 0.5)
        value += share * hits / n
        below += (share * (hits / n - low)) ** 2
        above += (share * (high - hits / n)) ** 2
    assert found.method == "mover"
    assert (found.value, found.low, found.high) == pytest.approx((value, value - below**0.5, value + above**0.5))
    risks = [(share, right[y == k].mean(), (y == k).sum()) for k, share in ((0, 0.95), (1, 0.05))]
    variance = sum(share**2 * risk * (1 - risk) / n for share, risk, n in risks)
    assert found.standard_error == pytest.approx(variance**0.5)
    stated = np.where(y == 1, 0.05 / 40, 0.95 / 300)
    same = confidence_interval("accuracy", y, proba, sample_weight=stated, stratify=y)
    assert (same.low, same.high) == pytest.approx((found.low, found.high))


def test_a_class_without_errors_has_an_error_bar():
    y = np.repeat([0, 1], 100)
    proba = np.where(y == 1, 0.9, 0.1)
    for metric in ("accuracy", "confidence_brier_loss", "precision"):
        found = confidence_interval(metric, at(0.01, y, proba), random_state=0)
        assert found.high - found.low > 0.005


def test_draws_keep_the_weight_of_every_class():
    y, proba = rows(np.random.default_rng(0), (60, 40), 0.3)
    profile = at(0.1, y, proba)
    share = Statistic("share", get_metric("coverage_score", threshold=0.0))
    sampling = Sampling.of(profile)
    drawn = draws_within_strata([share], [profile], sampling, {"random_state": 0})
    np.testing.assert_allclose(drawn, 1.0)


def drawn_risks(n, wrong, share=0.1):
    """Return draws of the error rate of two classes with so many errors, of both kinds."""
    y = np.repeat([0, 1], n)
    is_wrong = np.concatenate([np.arange(size) < few for size, few in zip(n, wrong, strict=True)])
    profile = at(share, y, np.where((y == 1) != is_wrong, 0.8, 0.2))
    risk = Statistic("risk", get_metric("selective_risk_loss", threshold=0.0))
    drawn = draws_within_strata([risk], [profile], Sampling.of(profile), {"random_state": 0})[:, 0, 0]
    return drawn[::2], drawn[1::2]


@pytest.mark.parametrize(("wrong", "lighter"), [((20, 12), 1), ((0, 12), 0)])
def test_draws_of_a_share_are_dirichlet_within_each_class(wrong, lighter):
    """Of ten errors and more the phantom error has its whole weight in both kinds of draws; of none, it is in one."""
    n = (50, 30)
    for kind, some in enumerate(drawn_risks(n, wrong)):
        mean = variance = 0.0
        for size, few, share in zip(n, wrong, (0.9, 0.1), strict=True):
            phantom = 0.5 * (lighter if few < 10 and kind == 0 else 1)
            law = beta(few + phantom, size - few + 0.5) if few + phantom else None
            if law:
                mean, variance = mean + share * law.mean(), variance + share**2 * law.var()
        assert some.mean() == pytest.approx(mean, abs=4 * (variance / len(some)) ** 0.5)
        assert some.std() == pytest.approx(variance**0.5, rel=0.06)


def test_the_fewer_errors_the_lighter_is_the_phantom_in_half_of_the_draws():
    """Γ(½) times e/10, beside e errors of 50 answers: its mean, by a simulation that knows no rows."""
    rng = np.random.default_rng(1)
    for wrong in (2, 5):
        error, right = rng.gamma(wrong, size=200_000), rng.gamma(50 - wrong, size=200_000)
        added, beside = wrong / 10 * rng.gamma(0.5, size=200_000), rng.gamma(0.5, size=200_000)
        of_class = (error + added) / (error + added + right + beside)
        some, _ = drawn_risks((50, 50), (wrong, 20), share=1e-9)
        assert some.mean() == pytest.approx(of_class.mean(), abs=4 * of_class.std() / len(some) ** 0.5)
        assert np.quantile(some, 0.025) == pytest.approx(np.quantile(of_class, 0.025), rel=0.15)


def test_a_phantom_weighs_at_most_what_a_row_does(monkeypatch):
    """Of a tenth of the errors among ten, or of the right answers."""
    seen = []

    def noted(*columns):
        seen.append(columns[-1])
        raise InterruptedError

    monkeypatch.setattr("skconf.inference._strata._Draws", noted)
    for wrong in ((20, 3), (48, 29)):
        with pytest.raises(InterruptedError):
            drawn_risks((50, 30), wrong)
    np.testing.assert_allclose(seen[0], [[1, 1, 0.3, 1], [1, 1, 1, 1]])
    np.testing.assert_allclose(seen[1], [[1, 1, 1, 1], [1, 0.2, 1, 0.1]])


def test_thinned_rows_have_the_draws_of_all(monkeypatch):
    y, proba = rows(np.random.default_rng(0), (3000, 500), 0.05)
    profile = at(0.05, y, proba)
    whole = confidence_interval("confidence_brier_loss", profile, random_state=0)
    monkeypatch.setattr("skconf.inference._bayesian_bootstrap.MOST_ROWS", 1000)
    some = confidence_interval("confidence_brier_loss", profile, random_state=0)
    assert some.value == whole.value
    assert (some.low, some.high) == pytest.approx((whole.low, whole.high), abs=0.15 * (whole.high - whole.low))


def test_strata_of_equal_weights_and_groups_are_as_before():
    y, proba = rows(np.random.default_rng(0), (100, 100), 0.5)
    plain = confidence_interval("confidence_brier_loss", y, proba, stratify=y)
    profile = at(0.5, y, proba)
    assert confidence_interval("confidence_brier_loss", profile).low == pytest.approx(plain.low)
    grouped = confidence_interval("confidence_brier_loss", at(0.05, y, proba), groups=np.arange(200) % 50)
    assert grouped.method == "delta"


def test_models_are_compared_by_draws_within_classes():
    rng = np.random.default_rng(0)
    y, proba = rows(rng, (400, 400), 0.05)
    profiles = {"a": at(0.05, y, proba), "b": at(0.05, y, np.clip(proba + 0.3 * rng.random(len(y)), 0, 1))}
    found = compare("confidence_brier_loss", profiles, random_state=0)
    assert found.method == "bayesian"
    assert found.p_value < 0.01
    alike = compare("confidence_brier_loss", {"a": profiles["a"], "b": profiles["a"]}, random_state=0)
    assert alike.difference == 0
    assert alike.low < 0 < alike.high


def coverage(n_sets, n, seed=0, shares=SHARES, metrics=METRICS):
    """Return how often intervals hold the truth, by metric, on average over prevalences."""
    rng, held = np.random.default_rng(seed), []
    for share in shares:
        truth = [
            confidence_interval(metric, at(share, *rows(rng, (60_000, 60_000), share)), method="delta").value
            for metric in metrics
        ]
        for i in range(n_sets):
            found = confidence_interval(metrics, at(share, *rows(rng, n, share)), random_state=i)
            held.append((found["low"] <= truth) & (truth <= found["high"]))
    return np.mean(held, axis=0)


@pytest.fixture
def few_draws(monkeypatch):
    """The ends are then off by an eighth of a standard error, which costs less than a hundredth of the coverage."""
    monkeypatch.setattr("skconf.inference._strata.N_DRAWS", 500)


@pytest.mark.simulation
@pytest.mark.usefixtures("few_draws")
def test_intervals_cover():
    assert (coverage(12, (100, 100), metrics=METRICS[:3]) >= 0.85).all()


@pytest.mark.slow
@pytest.mark.parametrize("n", [(100, 100), (500, 500), (100, 5000), (5000, 100)])
def test_intervals_cover_in_many_sets(n):
    held = coverage(100, n)
    assert (held >= 0.92).all(), held
    # Of 100 rows with nearly all the weight, which have no error, the lower end alone can miss.
    assert (held[:-1] <= 0.995).all(), held


@pytest.mark.simulation
@pytest.mark.usefixtures("few_draws")
def test_a_gap_near_zero_is_not_missed():
    """A class of 100 rows has 99.7% of the weight and no error: phantom errors in every draw left out half."""
    rng, held = np.random.default_rng(0), []
    truth = confidence_interval("confidence_gap", at(0.003, *rows(rng, (60_000, 60_000), 0.003)), method="delta").value
    for i in range(40):
        found = confidence_interval("confidence_gap", at(0.003, *rows(rng, (100, 100), 0.003)), random_state=i)
        held.append(found.low <= truth <= found.high)
    assert np.mean(held) >= 0.9
