"""Resamples drawn as counts, and statistics of them without an array being built again."""

import warnings
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from _support.blocks import cut_into_blocks
from _support.definitions import DEFINITIONS
from _support.predictions import draw_labels
from joblib import parallel_config
from scipy import stats

from skconf import ConfidenceProfile, get_scorer, metrics
from skconf.inference._confidence_interval import read_statistics
from skconf.inference._resampling import replicate
from skconf.inference._sampling import Sampling, both_outcomes, draw_outcomes


def every_statistic():
    """Return every metric and every scorer that is a number, with parameters under which it is defined and silent."""
    found = {}
    for name, cls in sorted(DEFINITIONS.items()):
        own = cls.__dataclass_fields__
        params = ({"average": "macro"} if "average" in own else {}) | (
            {"zero_division": 0} if "zero_division" in own else {}
        )
        if cls.result is float:
            found[name] = partial(getattr(metrics, name), **params)
    found["cf1_weighted"] = partial(metrics.cf1_score, average="weighted", zero_division=0)
    found["cw_roc_auc_weighted"] = "cw_roc_auc_weighted"
    found["neg_csr_deviation"] = "neg_csr_deviation"
    found["neg_ecuas"] = get_scorer("neg_ecuas", n=2)
    found["ece_of_equal_mass"] = partial(metrics.expected_calibration_error, strategy="quantile")
    found["normalized_brier"] = partial(metrics.confidence_brier_loss, normalize=True)
    return read_statistics(found, {})[0]


STATISTICS = every_statistic()
REFUSES_WEIGHTS = [name for name, s in STATISTICS.items() if s.metric.weight_meaning.name == "REFUSED"]


def drawn_profile(n, seed=0, weighted=False, levels=None):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(3), n)
    if levels:
        proba = rng.multinomial(levels, [1 / 3] * 3, n) / levels
    y = np.r_[0, 1, 2, draw_labels(proba[3:], rng)]
    weight = np.r_[1, 1, 1, rng.integers(0, 4, n - 3)].astype(float) if weighted else None
    return ConfidenceProfile.from_predictions(y, proba, labels=[0, 1, 2], sample_weight=weight)


@pytest.mark.parametrize("weighted", [False, True], ids=["equal", "weighted"])
@pytest.mark.parametrize("levels", [None, 6], ids=["distinct", "tied"])
def test_statistics_of_counts_are_those_of_repeated_rows(weighted, levels, monkeypatch):
    """The one definition that everything here is measured by: build the resample, and ask the metric."""
    cut_into_blocks(monkeypatch, 37)
    profile = drawn_profile(90, weighted=weighted, levels=levels)
    statistics = {name: s for name, s in STATISTICS.items() if not (weighted and name in REFUSES_WEIGHTS)}
    counts = Sampling(90).draw(4, np.random.default_rng(1))
    found = replicate(lambda *_: counts, [profile], list(statistics.values()), 4)
    assert found.shape == (4, 1, len(statistics))
    for row, count in enumerate(counts):
        resample = profile[np.repeat(np.arange(90), count)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = [statistic.value(resample) for statistic in statistics.values()]
        np.testing.assert_allclose(found[row, 0], expected, rtol=1e-9, atol=1e-12, err_msg=str(list(statistics)))


RANKED = [
    "aurc_loss",
    "excess_aurc_loss",
    ("excess_aurc_loss", {"optimum": "asymptotic"}),
    "augrc_loss",
    "confidence_roc_auc_score",
    ("selective_risk_loss", {"coverage": 0.7}),
    ("selective_accuracy_score", {"coverage": 0.2}),
    "metric_coverage_auc",
    ("metric_coverage_auc", {"metric": "selective_accuracy", "normalize": "all", "to_zero": True}),
    ("metric_coverage_auc", {"phi": np.square}),
    ("metric_coverage_auc", {"similarity": [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]}),
]


@pytest.mark.parametrize("most", [1, 100, 1 << 16], ids=["each draw alone", "two draws", "all draws"])
@pytest.mark.parametrize("errors", ["none", "some", "all"])
@pytest.mark.parametrize("levels", [None, 6], ids=["distinct", "tied"])
def test_ranked_metrics_of_all_draws_are_those_of_each_draw(most, errors, levels, monkeypatch):
    """Factors multiply the weights, and may be 0. Two of the answers are beside the others."""
    monkeypatch.setattr("skconf.inference._resampling._MOST_SORTED", most)
    profile = drawn_profile(40, weighted=True, levels=levels)
    if errors != "some":
        profile = profile[profile.correct == (errors == "none")]
    rng, n = np.random.default_rng(1), len(profile)
    factors = rng.exponential(size=(5, n)) * rng.integers(0, 2, (5, n))
    factors[0, 2:] = 0
    factors += np.eye(n)[0]
    for metric in RANKED:
        (statistic,) = read_statistics([metric], {})[0].values()
        whole = replicate(lambda *_: factors, [profile], [statistic], 5)[:, 0, 0]
        parts = replicate(lambda *_: factors, [profile[:-2]], [statistic], 5, beside=profile[-2:])[:, 0, 0]
        weights = factors * profile.sample_weight
        with np.errstate(invalid="ignore", divide="ignore"):
            expected = [statistic.value(replace(profile, sample_weight=weight)) for weight in weights]
        for found in (whole, parts):
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14, err_msg=str(metric))


@pytest.mark.parametrize("levels", [None, 6], ids=["distinct", "tied"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_metrics_of_the_order_of_classes_of_all_draws_are_those_of_each_draw(n_classes, levels):
    """A class may have no weight in a draw, or all of it."""
    profile, rng = drawn_profile(40, weighted=True, levels=levels), np.random.default_rng(1)
    names = ["cw_roc_auc_score", "cw_roc_auc_weighted", "roc_auc_ovr_weighted", "average_precision"]
    if n_classes == 2:
        proba = rng.random(40) if levels is None else rng.integers(0, 4, 40) / 4
        profile = ConfidenceProfile.from_predictions(rng.random(40) < 0.5, proba, sample_weight=rng.integers(0, 3, 40))
        names[2] = "roc_auc"
    factors = rng.exponential(size=(6, 40)) * rng.integers(0, 2, (6, 40)) + 1e-3
    factors[0] *= profile.true_class != 1
    factors[1] *= profile.true_class == 1
    statistics = list(read_statistics(names, {})[0].values())
    whole = replicate(lambda *_: factors, [profile], statistics, 6)[:, 0]
    parts = replicate(lambda *_: factors, [profile[:-2]], statistics, 6, beside=profile[-2:])[:, 0]
    for row, factor in enumerate(factors):
        weighted = replace(profile, sample_weight=factor * profile.sample_weight)
        expected = [statistic.value(weighted) for statistic in statistics]
        np.testing.assert_allclose(whole[row], expected, rtol=1e-12)
        np.testing.assert_allclose(parts[row], expected, rtol=1e-12)
    assert np.isnan(whole[1, 0])
    assert not np.isnan(whole[2:]).any()


def test_ranked_metrics_of_draws_count_rows_that_abstain():
    rng = np.random.default_rng(0)
    right, confidence, abstained = (rng.random(60) < 0.9).astype(float), rng.random(60), rng.random(60) < 0.3
    right[abstained] = confidence[abstained] = np.nan
    profile = ConfidenceProfile.from_correctness(right, confidence, abstained=abstained)
    counts = Sampling(60).draw(4, rng)
    for metric in RANKED[:-1]:
        (statistic,) = read_statistics([metric], {})[0].values()
        found = replicate(lambda *_: counts, [statistic.on(profile)], [statistic], 4)[:, 0, 0]
        expected = [statistic.value(profile.of_rows(np.repeat(np.arange(60), count))) for count in counts]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14, err_msg=str(metric))


def test_score_other_than_the_confidence_is_what_ranks():
    rng = np.random.default_rng(0)
    profile = ConfidenceProfile.from_correctness(rng.random(60) < 0.7, rng.random(60), score=rng.random(60))
    statistics = read_statistics(["aurc_loss", "confidence_roc_auc", "coverage"], {})[0]
    counts = Sampling(60).draw(3, rng)
    found = replicate(lambda *_: counts, [profile], list(statistics.values()), 3)
    for row, count in enumerate(counts):
        resample = profile[np.repeat(np.arange(60), count)]
        np.testing.assert_allclose(found[row, 0], [s.value(resample) for s in statistics.values()], rtol=1e-12)


@pytest.mark.parametrize("block", [1 << 16, 3], ids=["one block", "many blocks"])
def test_counts_are_multinomial(block, monkeypatch):
    """Of ten units the count of each is binomial, and two of them have the covariance −1/n."""
    monkeypatch.setattr("skconf.inference._sampling._UNITS_AT_ONCE", block)
    n, n_draws = 10, 8_000
    counts = Sampling(n).draw(n_draws, np.random.default_rng(0)).astype(float)
    assert (counts.sum(axis=1) == n).all()
    expected = n_draws * stats.binom.pmf(np.arange(5), n, 1 / n)
    for unit in range(n):
        observed = [np.count_nonzero(counts[:, unit] == k) for k in range(5)]
        observed.append(n_draws - sum(observed))
        assert stats.chisquare(observed, [*expected, n_draws - expected.sum()]).pvalue > 1e-4
    covariance = np.cov(counts.T)
    np.testing.assert_allclose(covariance, np.eye(n) - 1 / n, atol=5 / np.sqrt(n_draws))


def test_strata_keep_their_number_of_units():
    strata = np.random.default_rng(0).permutation(np.repeat(["a", "b", "c"], [5, 20, 75]))
    counts = Sampling(100, stratify=strata).draw(50, np.random.default_rng(1))
    for label, size in (("a", 5), ("b", 20), ("c", 75)):
        assert (counts[:, strata == label].sum(axis=1) == size).all()
    assert len(np.unique(counts, axis=0)) == 50


def test_groups_are_drawn_whole():
    groups = np.random.default_rng(0).permutation(np.repeat(np.arange(20), 5))
    counts = Sampling(100, groups).draw(50, np.random.default_rng(1))
    for group in range(20):
        members = counts[:, groups == group]
        assert (members == members[:, :1]).all()
    assert (counts.sum(axis=1) == 100).all()


def test_groups_within_strata():
    groups = np.repeat(np.arange(20), 5)
    strata = np.repeat(["low", "high"], [30, 70])
    counts = Sampling(100, groups, strata).draw(50, np.random.default_rng(1))
    assert (counts[:, :30].sum(axis=1) == 30).all()
    with pytest.raises(ValueError, match="group of row 5 has samples in several strata"):
        Sampling(100, groups, np.repeat(["low", "high"], [7, 93]))


def test_swaps_take_each_sample_from_one_model_or_the_other():
    groups = np.repeat(np.arange(10), 3)
    counts = Sampling(30, groups).swap(200, np.random.default_rng(0))
    assert counts.shape == (400, 60)
    assert (counts[::2] + counts[1::2] == 1).all()  # what one is given, the other is not
    assert (counts[:, :30] + counts[:, 30:] == 1).all()
    assert (counts[:, 0] == counts[:, 2]).all()
    assert counts[::2, 0].mean() == pytest.approx(0.5, abs=0.12)


def test_outcomes_are_drawn_from_the_confidences():
    sure = np.array([0.0, 0.2, 0.7, 1.0])
    profile = ConfidenceProfile.from_correctness([1, 0, 1, 0], sure, sample_weight=[1, 2, 3, 4])
    counts = draw_outcomes(sure, 20_000, np.random.default_rng(0))
    np.testing.assert_allclose(counts[:, :4].mean(axis=0), sure, atol=5 * 0.5 / np.sqrt(20_000))
    assert (counts[:, :4] + counts[:, 4:] == 1).all()
    both = both_outcomes(profile)
    assert both.correct.tolist() == [True] * 4 + [False] * 4
    assert both.confidence.tolist() == sure.tolist() * 2
    assert both.sample_weight.tolist() == [1, 2, 3, 4] * 2


def test_same_for_any_number_of_jobs(monkeypatch):
    monkeypatch.setattr("skconf.inference._resampling._MOST_DRAWS", 8)
    profile = drawn_profile(50)
    statistics = list(read_statistics(["cw_accuracy", "aurc_loss", "smooth_calibration_error"], {})[0].values())
    with parallel_config("threading"):  # processes, which start slowly, are those of test_intervals.py
        one, two = (
            replicate(Sampling(50).draw, [profile], statistics, 30, random_state=5, n_jobs=n_jobs) for n_jobs in (1, 2)
        )
    np.testing.assert_array_equal(one, two)
    assert len(np.unique(one[:, 0, 0])) > 20


def test_generator_goes_on_and_seed_repeats():
    profile = drawn_profile(50)
    statistics = list(read_statistics("cw_accuracy", {})[0].values())
    rng = np.random.default_rng(3)
    first, second, seeded = (
        replicate(Sampling(50).draw, [profile], statistics, 10, random_state=state) for state in (rng, rng, 3)
    )
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(first, seeded)


def test_models_share_every_resample():
    profile = drawn_profile(50)
    statistics = list(read_statistics(["cw_accuracy", "aurc_loss", "smooth_calibration_error"], {})[0].values())
    found = replicate(Sampling(50).draw, [profile, profile], statistics, 10, random_state=0)
    np.testing.assert_array_equal(found[:, 0], found[:, 1])


def test_progress_counts_the_resamples(monkeypatch):
    told = []

    class Bar:
        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

        def update(self, amount):
            told.append(amount)

    def bar(title, total, *, unit, quiet):
        assert not quiet
        assert total == 100
        return Bar()

    monkeypatch.setattr("skconf.inference._resampling.progress_bar", bar)
    statistics = list(read_statistics("cw_accuracy", {})[0].values())
    replicate(Sampling(20).draw, [drawn_profile(20)], statistics, 100, progress=True)
    assert sum(told) == 100
    assert len(told) > 1
