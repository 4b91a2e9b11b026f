"""Several promises at once, and in slices: against brute force, and on populations where the truth is known."""

import pickle
import re
import time
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from scipy.stats import beta, binom
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skconf import ConfidenceProfile, TunedSelectiveClassifierCV, get_scorer, metrics, required_samples, tune_threshold
from skconf.inference import by_group
from skconf.selective._cells import columns_of
from skconf.selective._objective import Objective
from skconf.selective._promises import KINDS, ErrorRate, MeanCharge, RateCap
from skconf.selective._rewards import _BETS, fewest_terms
from skconf.selective._risk_control import smallest_sample
from skconf.selective._samples import Charge
from skconf.selective._sliced import _with_enough, placed

LEVEL = 0.95


def draw(n, seed=0, bias=0.0):
    """Return true classes, of which one in five is 1, and probabilities of 1."""
    rng = np.random.default_rng(seed)
    logit = rng.normal(-1.6, 2.0, n)
    y = (rng.random(n) < 1 / (1 + np.exp(-logit - bias))).astype(int)
    return y, 1 / (1 + np.exp(-logit))


def confidence_of(proba):
    profile = ConfidenceProfile.from_predictions(np.arange(len(proba)) % 2, proba)
    return profile.confidence, (proba > 0.5).astype(int)


def most_allowed(n, rate, share):
    """Return the most events that are improbable at a rate, by counting up; -1 if none are."""
    most = -1
    while most < n and binom.cdf(most + 1, n, rate) <= share:
        most += 1
    return most


def test_a_number_alone_is_as_it_was():
    y, proba = draw(3000)
    for target in (0.05, 0.1, 0.3):
        alone = tune_threshold(y, proba, target=target, confidence_level=LEVEL)
        named = tune_threshold(y, proba, target={"risk": target}, confidence_level=LEVEL)
        assert (alone.threshold, alone.coverage, alone.risk) == (named.threshold, named.coverage, named.risk)
        assert alone.guarantees is None
        assert named.guarantees["limit"][0] == alone.risk_upper_bound


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("risk", ["false_negative_rate", "false_positive_rate"])
def test_a_cap_is_the_loosest_threshold_with_few_events(risk, ties):
    y, proba = draw(2000, 1)
    proba = proba.round(2) if ties else proba
    sure, said = confidence_of(proba)
    base = y == 1 if risk == "false_negative_rate" else y != 1
    events = base & (said != y) & ((said == 1) | (risk == "false_negative_rate"))
    found = tune_threshold(y, proba, target={risk: {1: 0.05}}, confidence_level=LEVEL)
    most = most_allowed(int(base.sum()), 0.05, 0.05)
    allowed = [t for t in np.unique(sure) if (events & (sure >= t)).sum() <= most]
    assert (sure >= found.threshold).sum() == (sure >= min(allowed)).sum()
    (row,) = found.guarantees.itertuples()
    assert row.shown
    assert row.observed == pytest.approx((events & (sure >= found.threshold)).sum() / base.sum())
    assert row.observed <= row.limit <= 0.05 + 1e-12


@pytest.mark.parametrize("risk", ["coverage", "recall"])
def test_a_floor_is_kept_by_enough_events(risk):
    y, proba = draw(2000, 2)
    sure, said = confidence_of(proba)
    base = np.ones(len(y), bool) if risk == "coverage" else y == 0
    events = base if risk == "coverage" else base & (said == 0)
    target = {"coverage": 0.8} if risk == "coverage" else {"recall": {0: 0.7}}
    rate = 0.8 if risk == "coverage" else 0.7
    found = tune_threshold(y, proba, objective="coverage", target=target, confidence_level=LEVEL)
    least = next(k for k in range(len(y)) if binom.sf(k - 1, base.sum(), rate) <= 0.05)
    kept = [t for t in np.unique(sure) if (events & (sure >= t)).sum() >= least]
    assert found.threshold == max(kept)
    assert found.guarantees["limit"][0] >= rate - 1e-12


def test_mean_costs_are_shown_by_coins_of_a_seed():
    y, proba = draw(4000, 3)
    matrix = np.array([[0.0, 1.0], [4.0, 0.0]])
    sure, said = confidence_of(proba)
    options = {"target": {"cost": 0.2}, "cost_matrix": matrix, "confidence_level": LEVEL}
    found = tune_threshold(y, proba, **options, random_state=0)
    assert found.threshold == tune_threshold(y, proba, **options, random_state=0).threshold
    assert found.feasible
    accepted = sure >= found.threshold
    assert found.guarantees["observed"][0] == pytest.approx(matrix[y, said][accepted].mean())
    assert found.guarantees["observed"][0] < 0.2
    # Of costs 0 and 1 each coin shows what the errors show, at half of the share.
    plain = tune_threshold(y, proba, target={"cost": 0.05}, cost_matrix=1 - np.eye(2), confidence_level=LEVEL)
    assert plain.threshold == tune_threshold(y, proba, target=0.05, confidence_level=1 - 0.05 / 2).threshold


@pytest.mark.parametrize("target", [{"risk": 0.1, "cost": 0.15}, {"risk": 0.05, "cost": 0.3, "ecuas_1": 0.3}])
def test_the_order_of_promises_has_no_effect(target):
    y, proba = draw(3000, 4)
    options = {"cost_matrix": [[0, 1], [3, 0]], "confidence_level": LEVEL, "random_state": 0}
    found, turned = (
        tune_threshold(y, proba, target=each, **options) for each in (target, dict(reversed(target.items())))
    )
    assert found.feasible
    assert found.threshold == turned.threshold
    table, other = (each.guarantees.sort_values("risk", ignore_index=True) for each in (found, turned))
    pd.testing.assert_frame_equal(table, other)


def test_thresholds_are_looked_at_as_the_promise_that_needs_most_rows_plans_it():
    y, proba = draw(3000, 4)
    options = {"cost_matrix": 1 - np.eye(2), "confidence_level": 0.9, "random_state": 0}
    alone = tune_threshold(
        y, proba, target={"risk": 0.02}, **(options | {"cost_matrix": None, "confidence_level": 0.95})
    )
    both = tune_threshold(y, proba, target={"cost": 0.9, "risk": 0.02}, **options)
    assert alone.feasible
    assert both.threshold == alone.threshold  # what costs 0.9 at most needs a few rows only, and allows everything


def test_each_slice_has_the_threshold_of_its_share():
    y, proba = draw(6000, 4)
    region = np.random.default_rng(0).choice(["north", "south", "west"], len(y), p=[0.5, 0.3, 0.2])
    found = tune_threshold(y, proba, target=0.1, confidence_level=LEVEL, slices=region)
    for name in ("north", "south", "west"):
        rows = region == name
        own = tune_threshold(y[rows], proba[rows], target=0.1, confidence_level=LEVEL, n_candidates=3)
        assert found.thresholds[name] == own.threshold
    sure, said = confidence_of(proba)
    accepted = sure >= found.thresholds[region].to_numpy()
    assert found.coverage == pytest.approx(accepted.mean())
    assert found.risk == pytest.approx((said != y)[accepted].mean())


def test_coverage_is_the_share_of_all_rows_of_a_slice_also_of_those_that_abstain():
    rng = np.random.default_rng(2)
    confidence, region, gone = rng.random(2000) / 4 + 0.75, rng.integers(0, 2, 2000), rng.random(2000) < 0.25
    gone[region == 1] = False
    profile = ConfidenceProfile.from_correctness(rng.random(2000) < confidence, confidence, abstained=gone)
    found = tune_threshold(profile, target=0.12, confidence_level=0.9, slices=region)
    accepted = (confidence >= found.thresholds.to_numpy()[region]) & ~gone
    expected = [accepted[region == at].mean() for at in (0, 1)]
    np.testing.assert_allclose(found.guarantees["coverage"], expected)
    assert 0.1 < expected[0] < 0.8
    assert found.coverage == pytest.approx(accepted.mean())
    whole = tune_threshold(profile, target={"risk": 0.12}, confidence_level=0.9)
    assert whole.guarantees["coverage"][0] == whole.coverage == ((confidence >= whole.threshold) & ~gone).mean()


def test_small_slices_are_rejected_and_do_not_share():
    y, proba = draw(3000, 5)
    region = np.where(np.arange(3000) < 30, "tiny", "large")
    with pytest.warns(UserWarning, match=r"1 of 2 slices .*'tiny'.* 30 samples; at least 72 "):
        found = tune_threshold(y, proba, target=0.05, confidence_level=LEVEL, slices=pd.DataFrame({"region": region}))
    rows = region == "large"
    own = tune_threshold(y[rows], proba[rows], target=0.05, confidence_level=LEVEL)
    assert found.thresholds["large"] == own.threshold
    assert found.thresholds["tiny"] == np.inf
    assert required_samples(0.05, LEVEL, n_promises=2) == 72
    assert found.guarantees["shown"].tolist() == [True, False]


@pytest.mark.parametrize("n_columns", [1, 2])
@pytest.mark.parametrize("kind", ["mapping", "polars", "pyarrow"])
def test_tables_of_other_packages_make_the_same_slices(kind, n_columns):
    columns = {"region": np.array(["north", "south"])[np.arange(3000) % 2], "site": np.arange(3000) // 1500}
    columns = dict([*columns.items()][:n_columns])
    if kind == "polars":
        table = pytest.importorskip("polars").DataFrame(columns)
    else:
        table = pytest.importorskip("pyarrow").table(columns) if kind == "pyarrow" else columns
    y, proba = draw(3000, 5)
    found, expected = (
        tune_threshold(y, proba, target=0.1, confidence_level=LEVEL, slices=each)
        for each in (table, pd.DataFrame(columns))
    )
    pd.testing.assert_series_equal(found.thresholds, expected.thresholds)
    groups = [by_group("cw_accuracy", y, proba, groups=each) for each in (table, pd.DataFrame(columns))]
    pd.testing.assert_frame_equal(*groups)


def test_few_rows_show_more_where_the_strictest_test_spends_all():
    """Of 100 rows, the first 65 without an error: the strictest test accepts 59, and needs all of 0.05 for itself."""
    sure = np.linspace(1, 0.5, 100)
    right = np.arange(100) < 65
    profile = ConfidenceProfile.from_correctness(right, sure)
    with pytest.warns(UserWarning, match="rejected"):
        assert not tune_threshold(profile, confidence_level=LEVEL).feasible
    found = tune_threshold(profile, confidence_level=LEVEL, spend="first")
    assert 59 <= (sure >= found.threshold).sum() <= 65
    again = tune_threshold(profile, target={"risk": 0.05}, confidence_level=LEVEL, spend="first")
    assert again.threshold == found.threshold
    with pytest.raises(ValueError, match="spend"):
        tune_threshold(profile, spend="first")
    with pytest.raises(ValueError, match="spend"):
        tune_threshold(profile, confidence_level=LEVEL, spend="last")


def test_samples_whose_slice_is_missing_are_rejected_and_count_as_such():
    y, proba = draw(4000, 18)
    region = np.where(np.arange(4000) % 4 == 0, None, "north")
    with pytest.warns(UserWarning, match="1,000 of 4,000 samples are rejected: their slice is missing"):
        found = tune_threshold(y, proba, target=0.1, confidence_level=LEVEL, slices=region)
    there = np.arange(4000) % 4 > 0
    own = tune_threshold(y[there], proba[there], target=0.1, confidence_level=LEVEL)
    assert found.thresholds.to_dict() == {"north": own.threshold}
    assert found.n_samples == 3000
    assert found.coverage == pytest.approx(0.75 * own.coverage)
    assert found.risk == pytest.approx(own.risk)


def test_a_target_for_each_predicted_class():
    y, proba = draw(6000, 6)
    found = tune_threshold(
        y, proba, target={"risk": {0: 0.05, 1: 0.2}}, confidence_level=LEVEL, slices="predicted_class"
    )
    _, said = confidence_of(proba)
    for label, target in ((0, 0.05), (1, 0.2)):
        rows = said == label
        profile = ConfidenceProfile.from_correctness((said == y)[rows], confidence_of(proba)[0][rows])
        own = tune_threshold(profile, target=target, confidence_level=LEVEL, n_candidates=2)
        assert found.thresholds[label] == own.threshold


def test_a_slice_with_too_few_samples_counts_those_that_each_promise_is_about():
    """For one promise it has enough, for the other too few: the first row said that 100 samples are not 59."""
    y, proba = draw(1100)
    region = np.where(np.arange(1100) < 100, "small", "large")
    target = {"risk": 0.3, "false_negative_rate": {1: 0.02}}
    with pytest.warns(UserWarning, match=r"'small', false_negative_rate of class 1 0\.02: \d+ samples of class 1;"):
        found = tune_threshold(y, proba, target=target, confidence_level=LEVEL, slices=region)
    small = found.guarantees.set_index("slice").loc["small"].set_index("risk")
    assert small["n_samples"].tolist() == [100, (y[:100] == 1).sum()]
    assert small.loc["risk", "reason"] == ""
    assert small.loc["false_negative_rate", "reason"].startswith(f"{(y[:100] == 1).sum()} samples of class 1; at least")
    assert not small["shown"].any()


@pytest.mark.parametrize("seed", range(200))
def test_as_many_slices_as_possible_share_the_level(seed):
    """By trying all numbers of slices that share it."""
    rng = np.random.default_rng(seed)
    sizes = [130, 5, *rng.integers(1, 200, rng.integers(0, 8))]
    rates = [0.02, 0.3, *rng.choice([0.02, 0.05, 0.3], len(sizes) - 2)]
    promised = [[ErrorRate("risk", float(rate))] for rate in rates]
    aim = Objective(confidence_level=0.9)

    def able(count):
        share = aim.share(count)
        return {
            at for at, (size, (each,)) in enumerate(zip(sizes, promised, strict=True)) if size >= each.fewest(share)
        }

    found = set(_with_enough([np.arange(size) for size in sizes], promised, aim))
    assert len(found) == max((count for count in range(1, len(sizes) + 1) if len(able(count)) >= count), default=0)
    assert able(len(found) + 1) <= found <= able(max(len(found), 1)) or not found


def test_a_strict_target_of_one_slice_does_not_reject_another():
    """The larger slice can never show 0.5%. It was kept to the end, and the smaller one was given up for it."""
    rng = np.random.default_rng(0)
    proba = rng.uniform(0.8, 1, 500)
    y = (rng.random(500) < proba).astype(int)
    region = np.where(np.arange(500) < 300, "strict", "loose")
    target = {"risk": {"strict": 0.005, "loose": 0.4}}
    with pytest.warns(
        UserWarning, match="1 of 2 slices is rejected: slice 'strict', risk 0.005: 300 samples; at least"
    ):
        found = tune_threshold(y, proba, target=target, confidence_level=0.9, slices=region)
    alone = tune_threshold(y[300:], proba[300:], target=0.4, confidence_level=0.9)
    assert found.thresholds["loose"] == alone.threshold
    assert found.thresholds["strict"] == np.inf


@pytest.mark.parametrize("place", ["slices", "groups"])
def test_a_column_called_columns_or_column_names_is_a_column(place):
    y, proba = draw(600)
    halves = np.array(["u", "v"])[np.arange(600) % 2]
    tables = [
        pd.Series(halves, index=["columns", *range(599)]),
        pd.DataFrame({"column_names": halves}),
        pd.DataFrame({"columns": halves}),
        {"columns": halves},
    ]
    for table in tables:
        if place == "slices":
            found = tune_threshold(y, proba, target=0.1, confidence_level=LEVEL, slices=table)
            assert found.thresholds.index.tolist() == ["u", "v"]
        else:
            assert by_group("cw_accuracy", y, proba, groups=table).index.tolist() == ["u", "v"]


@pytest.mark.parametrize(
    ("slices", "message"),
    [
        ({"a": [1] * 600, "b": [1] * 599}, r"slices\['b'\] has 599 rows, but there are 600 samples"),
        ({"a": np.ones((600, 2))}, r"slices\['a'\] has shape \(600, 2\)"),
        ({"a": "u"}, r"slices\['a'\] has shape \(\)"),
        ([1] * 599, "^slices has 599 rows"),
        ("region", "slices must be 'predicted_class', but is 'region'"),
    ],
)
def test_what_is_no_slice_is_refused_by_its_name(slices, message):
    y, proba = draw(600)
    with pytest.raises(ValueError, match=message):
        tune_threshold(y, proba, target=0.1, confidence_level=LEVEL, slices=slices)


def test_promises_of_rewards_alone_may_conflict():
    """A strict threshold shows the first of them, a loose one the second. No sentence can name their coverages."""
    right = np.append(np.ones(3000), np.arange(3000) % 10 < 4)
    profile = ConfidenceProfile.from_correctness(right, np.repeat([0.95, 0.8], 3000))
    target = {"cwsa": 0.45, "cwsa_plus": 0.55}
    with pytest.warns(UserWarning, match=r"cwsa 0\.45: no threshold keeps all promises together; cwsa_plus"):
        found = tune_threshold(profile, target=target, confidence_level=LEVEL, thresholds=[0.0, 0.9])
    assert found.guarantees["reason"].tolist() == ["no threshold keeps all promises together", ""]


def test_promises_that_exclude_each_other_say_so():
    y, proba = draw(3000, 7)
    with pytest.warns(UserWarning, match="no threshold keeps all promises together"):
        found = tune_threshold(y, proba, target={"risk": 0.03, "coverage": 0.99}, confidence_level=LEVEL)
    assert found.threshold == np.inf
    assert not found.feasible
    assert not found.guarantees["shown"].any()


def test_one_row_of_each_cluster_chooses_in_each_slice():
    y, proba = draw(4000, 8)
    patient = np.repeat(np.arange(1000), 4)
    found = tune_threshold(
        y, proba, target=0.1, confidence_level=LEVEL, slices=patient % 2, groups=patient, random_state=0
    )
    assert found.guarantees["n_samples"].tolist() == [500, 500]
    with pytest.warns(UserWarning, match=r"without an error are needed \(of each cluster, one sample counts\)\. See"):
        tune_threshold(y[:80], proba[:80], target={"risk": 0.1}, confidence_level=LEVEL, groups=patient[:80])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": {"risk": 0.05}}, "confidence_level"),
        ({"slices": "predicted_class"}, "confidence_level"),
        ({"target": {"rsk": 0.05}}, "did you mean|risk, cost"),
        ({"target": {}}, "empty"),
        ({"target": {"risk": 5}}, "pass 0.05"),
        ({"target": {"risk": 0}}, "above 0"),
        ({"target": {"false_negative_rate": 0.1}}, "Name the class"),
        ({"target": {"false_negative_rate": {"fraud": 0.1}}}, "names the class 'fraud', but the classes are"),
        ({"target": {"false_negative_rate": {1: 0.1}}, "slices": "predicted_class"}, "predicted class"),
        ({"target": {"risk": {"a": 0.1}}}, "no slices"),
        ({"target": {"cost": 0.1}}, "cost_matrix"),
        ({"target": 0.1, "slices": np.arange(100.0)}, "distinct numbers"),
        ({"target": 0.1, "slices": ["a"] * 3}, "3 rows"),
        ({"target": 0.1, "slices": np.full(100, np.nan)}, "a missing value in every row"),
        ({"target": 0.1, "slices": np.zeros((100, 2))}, r"slices has shape \(100, 2\)"),
        ({"target": 0.1, "slices": pd.DataFrame(index=range(100))}, "slices is a table without columns"),
        (
            {"target": 0.1, "slices": np.ma.array(["a"] * 100, mask=[1] + [0] * 99)},
            "slices is a masked array with hidden",
        ),
        (
            {"target": 0.1, "slices": {"r": np.ma.array([1] * 100, mask=[1] + [0] * 99)}},
            r"slices\['r'\] is a masked array",
        ),
        ({"target": 0.1, "slices": pd.Series([["a"]] * 100, name="r")}, "slices has lists, sets, dicts or arrays"),
        ({"target": {"risk": {"a": 0.1}}, "slices": ["a"] * 50 + ["b"] * 50}, "no risk for the slice 'b'"),
        ({"target": {"risk": {"a": 0.1, "b": 0.1, "c": 1}}, "slices": ["a"] * 50 + ["b"] * 50}, "no such slice"),
        ({"target": {"risk": 0.1}, "objective": "cwsa"}, "objective"),
        ({"target": {"risk": 0.1}, "objective": "coverage"}, "Without such a promise, the smallest coverage is 0"),
        (
            {"target": {"risk": 0.1}, "prevalence": {1: (0.1, 0.2)}},
            "prevalence is a range, but it must be a single share",
        ),
        ({"target": {"cwsa": 1.0}}, "must lie in"),
        ({"target": {"cwsa": 0.5}, "score": np.arange(100.0)}, "only if the score is the probability of the"),
        ({"target": {"risk": 0.1}, "cost_matrix": np.eye(2)}, "no effect"),
    ],
)
def test_contradictions_are_refused(options, message):
    y, proba = draw(100, 9)
    level = None if message == "confidence_level" else LEVEL
    with pytest.raises(ValueError, match=f"(?i){message}"):
        tune_threshold(y, proba, confidence_level=level, **options)


def test_slices_may_be_a_dict_of_columns():
    y, proba = draw(2000)
    columns = {"region": np.arange(2000) % 2, "age": np.arange(2000) % 4 // 2}
    by_dict, by_frame = (
        tune_threshold(y, proba, target=0.2, confidence_level=LEVEL, slices=each)
        for each in (columns, pd.DataFrame(columns))
    )
    pd.testing.assert_series_equal(by_dict.thresholds, by_frame.thresholds)
    assert "threshold=" not in repr(by_dict)


def test_scores_keep_their_side_of_their_own_threshold():
    """However near: half of the distance from 0.3 to the number below it is rounded away beside a half."""
    threshold = np.array([0.3, 0.3, 0.9, np.inf, np.inf])
    score = np.array([0.3, np.nextafter(0.3, 0), 0.2, 1.0, np.inf])
    assert (placed(score, threshold) >= 0.5).tolist() == [True, False, False, False, True]


def test_columns_without_names_are_counted_from_zero():
    X = np.array([[0.0, 5.0], [1.0, 6.0]])
    assert columns_of(X, [0, 1]).to_numpy().tolist() == X.tolist()
    for name in (2, -1, True, "a"):
        with pytest.raises(ValueError, match="columns of X have no names"):
            columns_of(X, [name])


def test_promises_share_the_chance_of_a_mistake():
    for n in (2, 5):
        single = required_samples(0.1, confidence_level=1 - 0.05 / n, coverage=0.8, errors=2)
        assert required_samples(0.1, confidence_level=0.95, coverage=0.8, errors=2, n_promises=n) == single


def test_a_slice_of_the_fewest_rows_that_can_show_a_promise_is_judged():
    """29 right answers: 0.9²⁹ is below 5%, and 0.9²⁸ is not."""
    for n, threshold in ((29, 0.0), (28, np.inf)):
        profile = ConfidenceProfile.from_correctness(np.ones(n), np.linspace(0.6, 0.9, n))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = tune_threshold(profile, target=0.1, confidence_level=LEVEL, slices=["a"] * n)
        assert found.guarantees["threshold"].tolist() == pytest.approx([threshold])


def test_the_fewest_samples_that_show_a_mean_cost_are_those_of_its_share_of_the_largest():
    assert MeanCharge("cost", 0.2, largest=2.0).fewest(0.05) == smallest_sample(0.1, 0.975)


@pytest.mark.parametrize("floor", [0.2, 0.9])
def test_the_fewest_samples_that_show_a_floor_are_those_of_the_best_bet(floor):
    """If all are right with a confidence of 1, the chance of that is the floor to the power of their number."""
    n = fewest_terms(floor, 0.05)
    assert floor**n <= 0.05 / len(_BETS) < floor ** (n - 1)


def test_a_new_kind_of_promise_is_one_class(monkeypatch):
    class WrongOfAll(RateCap):
        """The share of all samples that is accepted with a wrong prediction."""

        def base_and_events(self, samples):
            return np.ones(len(samples), dtype=bool), ~samples.correct

    monkeypatch.setitem(KINDS, "wrong_of_all", WrongOfAll)
    correct, score = np.arange(500) % 4 > 0, np.linspace(1, 0.5, 500)
    found = tune_threshold(
        ConfidenceProfile.from_correctness(correct, score), target={"wrong_of_all": 0.1}, confidence_level=LEVEL
    )
    wrong = int((~correct & (score >= found.threshold)).sum())
    assert binom.cdf(wrong, 500, 0.1) <= 1 - LEVEL < binom.cdf(wrong + 1, 500, 0.1)
    assert found.guarantees["observed"].tolist() == [wrong / 500]
    assert found.guarantees["limit"].tolist() == pytest.approx([beta.ppf(LEVEL, wrong + 1, 500 - wrong)])


@pytest.mark.parametrize("dearest", [0.2, 0.8])
def test_the_largest_charge_of_ecuas_is_at_one_end(dearest):
    r = np.linspace(0, 1, 101)
    charge = Charge.of_ecuas(r, np.full(101, dearest), dearest)
    assert charge.largest == pytest.approx(max(r**2 + 2 * (1 - r) * dearest))


def test_a_threshold_that_was_given_stays_if_it_accepts_everything():
    profile = ConfidenceProfile.from_correctness(np.arange(400) % 20 > 0, np.linspace(0.6, 0.9, 400))
    given = {"target": {"risk": 0.2}, "confidence_level": LEVEL}
    assert tune_threshold(profile, **given).threshold == 0
    assert tune_threshold(profile, thresholds=[0.55], **given).threshold == 0.55


def test_no_floor_is_promised_where_rows_abstain():
    right, sure = np.arange(200) % 9 > 0, np.linspace(0.5, 1, 200)
    abstains = ConfidenceProfile.from_correctness(right, sure, abstained=np.arange(200) < 9)
    with pytest.raises(ValueError, match="abstains in some rows"):
        tune_threshold(abstains, target={"coverage": 0.5}, objective="coverage", confidence_level=LEVEL)
    late = np.arange(2000) >= 1100
    # Nine in ten rows of class 1 abstain, so no threshold accepts more than a tenth of them.
    abstains = ConfidenceProfile.from_predictions(np.repeat([0, 1], 1000), np.repeat([0.1, 0.9], 1000), abstained=late)
    with pytest.raises(ValueError, match=r"target\['recall'\] cannot be promised if the model abstains"):
        tune_threshold(abstains, target={"recall": {1: 0.5}}, confidence_level=LEVEL)


@pytest.mark.parametrize("at", [{"target": {"risk": 0.2}}, {"target": 0.2, "slices": np.arange(2000) % 2}])
def test_no_prevalence_where_rows_abstain_whose_class_is_unknown(at):
    late = np.arange(2000) >= 1100
    abstains = ConfidenceProfile.from_predictions(np.repeat([0, 1], 1000), np.repeat([0.1, 0.9], 1000), abstained=late)
    with pytest.raises(ValueError, match="may have none"):
        tune_threshold(abstains, confidence_level=LEVEL, prevalence={1: 0.1}, **at)


def test_a_promised_cost_needs_costs():
    X = np.random.default_rng(0).normal(size=(200, 3))
    model = TunedSelectiveClassifierCV(LogisticRegression(), target={"cost": 0.2}, confidence_level=LEVEL)
    with pytest.raises(ValueError, match="needs a cost_matrix"):
        model.fit(X, X[:, 0] > 0)


class TestClassifier:
    def data(self, n=6000, seed=0):
        rng = np.random.default_rng(seed)
        region = rng.choice(["north", "south"], n)
        X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "region": region})
        noise = np.where(region == "south", 0.7, 0.2)
        y = (X["a"] + noise * rng.normal(size=n) > 0).astype(int).to_numpy()
        return X, y

    def model(self, **options):
        inner = make_pipeline(make_column_transformer((StandardScaler(), ["a", "b"])), LogisticRegression())
        return TunedSelectiveClassifierCV(
            inner, target=0.15, confidence_level=LEVEL, slices="region", random_state=0
        ).set_params(**options)

    def test_each_slice_is_accepted_by_its_threshold(self):
        X, y = self.data()
        model = self.model().fit(X, y)
        raw = model.predict_proba(X).max(axis=1)
        own = model.thresholds_[X["region"]].to_numpy()
        accepted = raw >= own
        np.testing.assert_array_equal(model.accept(X), accepted)
        assert (model.predict(X)[~accepted] == model.reject_label_).all()
        assert model.threshold_ == 0.5
        np.testing.assert_array_equal(model.predict_confidence(X) >= 0.5, accepted)
        assert model.thresholds_["north"] < model.thresholds_["south"]
        assert model.guarantees_["shown"].all()

    def test_scorers_and_searches_need_nothing_else(self):
        X, y = self.data(3000)
        coverage = get_scorer("coverage")
        model = self.model().fit(X, y)
        assert coverage(model, X, y) == pytest.approx(model.accept(X).mean())
        found = cross_validate(self.model(), X, y, cv=3, scoring={"coverage": coverage, "risk": "accuracy"})
        assert (found["test_coverage"] > 0.2).all()
        outer = GridSearchCV(self.model(n_candidates=2), {"calibration": [None, "platt"]}, scoring=coverage, cv=2)
        assert outer.fit(X, y).best_estimator_.thresholds_.index.tolist() == ["north", "south"]

    def test_new_and_missing_slices_are_rejected_with_a_warning(self):
        X, y = self.data()
        model = clone(self.model()).fit(X, y)
        new = X[:10].assign(region=["east", None] + ["north"] * 8)
        with pytest.warns(UserWarning, match="2 of 10 samples are rejected"):
            assert not model.accept(new)[:2].any()
        with pytest.raises(ValueError, match="'region'"):
            model.accept(X.drop(columns="region"))

    def test_pickles_clones_and_frames(self):
        X, y = self.data()
        model = self.model().fit(X, y)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        pd.testing.assert_frame_equal(again.guarantees_, model.guarantees_)
        pd.testing.assert_series_equal(clone(model).fit(X, y).thresholds_, model.thresholds_)
        inside = self.model().set_params(
            estimator=make_pipeline(
                make_column_transformer((StandardScaler(), ["a", "b"])).set_output(transform="pandas"),
                LogisticRegression(),
            )
        )
        np.testing.assert_array_equal(inside.fit(X, y).predict(X), model.predict(X))
        plain = self.model(estimator=LogisticRegression())
        outside = make_pipeline(make_column_transformer((StandardScaler(), ["a", "b"])), plain)
        with pytest.raises(ValueError, match="put it inside the classifier"):
            outside.fit(X, y)

    def test_groups_and_weights_are_routed_to_where_they_are_asked_for(self):
        X, y = self.data()
        patient = np.arange(len(y)) // 3
        with sklearn.config_context(enable_metadata_routing=True):
            inner = LogisticRegression().set_fit_request(sample_weight=False)
            columns = make_column_transformer((StandardScaler(), ["a", "b"]))
            model = self.model(estimator=make_pipeline(columns, inner))
            found = cross_validate(
                model, X, y, cv=GroupKFold(2), params={"groups": patient}, return_estimator=True, error_score="raise"
            )
        for fold in found["estimator"]:  # one row of each patient and region: of 200 patients, most have rows in both
            assert fold.guarantees_["n_samples"].max() <= 200

    @pytest.mark.filterwarnings("ignore:1 of 2 slices is rejected")
    def test_a_search_over_depth_and_target_with_slices_inside(self):
        X, y = self.data()
        tree = make_pipeline(
            make_column_transformer((StandardScaler(), ["a", "b"])), DecisionTreeClassifier(random_state=0)
        )
        grid = {"decisiontreeclassifier__max_depth": [2, 4]}
        inside = self.model(estimator=GridSearchCV(tree, grid, cv=2)).fit(X, y)
        assert inside.estimator_.best_params_["decisiontreeclassifier__max_depth"] in (2, 4)
        grid = {"estimator__decisiontreeclassifier__max_depth": [2, 4], "target": [0.2, 0.3]}
        coverage = get_scorer("coverage")
        around = GridSearchCV(self.model(estimator=tree, n_candidates=4), grid, scoring=coverage, cv=2).fit(X, y)
        assert around.best_params_["target"] == 0.3
        best = around.best_estimator_
        assert best.thresholds_.index.tolist() == ["north", "south"]
        assert coverage(around, X, y) == best.accept(X).mean()

    def test_positions_and_cells_of_two_columns(self):
        rng = np.random.default_rng(1)
        X = np.column_stack([rng.normal(size=4000), rng.integers(0, 2, 4000), rng.integers(0, 2, 4000)])
        y = (X[:, 0] + rng.normal(size=4000) * 0.4 > 0).astype(int)
        model = TunedSelectiveClassifierCV(
            LogisticRegression(), target=0.1, confidence_level=LEVEL, slices=[1, 2], random_state=0
        ).fit(X, y)
        assert model.thresholds_.index.tolist() == [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]
        for other in (X.tolist(), sparse.csr_array(X)):
            np.testing.assert_array_equal(model.accept(other), model.accept(X))
        own = model.thresholds_[list(map(tuple, X[:, 1:]))].to_numpy()
        np.testing.assert_array_equal(model.accept(X), model.predict_proba(X).max(axis=1) >= own)

    def test_by_predicted_class_with_several_risks(self):
        X, y = self.data()
        model = self.model(slices="predicted_class", target={"risk": 0.15}).fit(X, y)
        assert model.thresholds_.index.tolist() == [0, 1]
        both = self.model(slices=None, target={"risk": 0.15, "false_negative_rate": {1: 0.2}}).fit(X, y)
        assert both.guarantees_["risk"].tolist() == ["risk", "false_negative_rate"]
        accepted = both.predict_proba(X).max(axis=1) >= both.threshold_
        np.testing.assert_array_equal(both.accept(X), accepted)

    def test_means_are_promised_of_what_it_decides(self):
        """By metrics of the rows that chose, which a frozen model shows."""
        X, y = self.data()
        frozen = FrozenEstimator(self.model().estimator.fit(X, y))
        options = {"confidence_level": LEVEL, "random_state": 0}
        proba = frozen.predict_proba(X)

        target = {"cwsa": 0.5, "ecuas_1": 0.6}
        model = TunedSelectiveClassifierCV(frozen, target=target, **options).fit(X, y)
        at = model.accept(X)
        earned = metrics.cwsa_score(y, proba, threshold=model.threshold_)
        charged = metrics.ecuas_loss(y[at], proba[at], n=1)
        assert model.guarantees_["observed"].tolist() == pytest.approx([earned, charged])
        assert model.guarantees_["shown"].all()

        matrix = [[0, 1], [3, 0]]
        target = {"cost": 0.4, "ecuas_1": 0.6}
        model = TunedSelectiveClassifierCV(frozen, target=target, cost_matrix=matrix, **options).fit(X, y)
        at = model.accept(X)
        said = model.predict(X)[at]
        paid = np.array(matrix)[y[at], said].mean()
        charged = metrics.ecuas_loss(y[at], proba[at], n=1, cost_matrix=matrix, y_pred=said)
        assert model.guarantees_["observed"].tolist() == pytest.approx([paid, charged])

        for bad in ({"confidence": "entropy"}, {"cost_matrix": matrix}):
            with pytest.raises(ValueError, match="only if the score is the probability of the predicted class"):
                TunedSelectiveClassifierCV(frozen, target={"cwsa": 0.5}, **options, **bad).fit(X, y)
        with pytest.raises(ValueError, match="have no upper limit"):
            model.set_params(target={"cost": 0.4}, cost_matrix=lambda X: np.tile(matrix, (len(X), 1, 1))).fit(X, y)


@pytest.mark.slow
def test_a_hundred_slices_of_a_thousand_rows_take_less_than_two_seconds():
    y, proba = draw(100_000, 17)
    shop = np.repeat([f"s{number}" for number in range(100)], 1000)
    options = {"target": 0.1, "confidence_level": LEVEL, "slices": shop}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tune_threshold(y, proba, **options)
        start = time.process_time()
        found = tune_threshold(y, proba, **options)
    assert time.process_time() - start < 2
    assert len(found.thresholds) == 100


def violated(rng, n, promises, slices):
    """Return whether any promise is false of a population at the edge: wherever one cuts, one in ten is wrong."""
    right, sure = rng.random(n) > 0.1, rng.random(n)
    group = rng.integers(0, slices, n)
    profile = ConfidenceProfile.from_correctness(right, sure)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = tune_threshold(profile, target=promises, confidence_level=0.9, slices=group, n_candidates=1)
    return bool(np.isfinite(found.thresholds).any())  # the risk of whatever is accepted is just above the target


@pytest.mark.simulation
@pytest.mark.parametrize(("sets", "n"), [(60, 600), pytest.param(3000, 1500, marks=pytest.mark.slow)])
def test_all_promises_hold_at_once_where_the_risk_is_at_the_target(sets, n):
    rng = np.random.default_rng(10)
    share = np.mean([violated(rng, n, 0.0999, 3) for _ in range(sets)])
    assert share <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / sets)


@pytest.mark.simulation
@pytest.mark.parametrize("sets", [100, pytest.param(5000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("ties", [False, True])
def test_caps_floors_hold(sets, ties):
    """Confidences are uniform: the rate of accepted errors is known at each threshold."""
    rng = np.random.default_rng(11)
    missed = reached = 0
    for _ in range(sets):
        y = np.ones(300, dtype=int)
        sure = rng.random(300).round(1) / 2 + 0.5 if ties else rng.random(300) / 2 + 0.5
        said = np.where(rng.random(300) < 0.3, 0, 1)  # 30% are wrong, wherever
        proba = np.column_stack([np.where(said == 0, sure, 1 - sure), np.where(said == 1, sure, 1 - sure)])
        profile = ConfidenceProfile.from_predictions(y, proba, y_pred=said, labels=[0, 1])
        cap = tune_threshold(profile, target={"false_negative_rate": {1: 0.15}}, confidence_level=0.9).threshold
        floor = tune_threshold(profile, target={"recall": {1: 0.35}}, objective="coverage", confidence_level=0.9)
        grid = np.arange(11) / 20 + 0.5
        weight = np.array([0.05] + [0.1] * 9 + [0.05])
        accepted = [
            weight[grid >= at - 1e-12].sum() if ties else float(np.clip((1 - at) * 2, 0, 1))
            for at in (cap, floor.threshold)
        ]
        missed += 0.3 * accepted[0] > 0.15 + 1e-9
        reached += 0.7 * accepted[1] < 0.35 - 1e-9
    assert missed / sets <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / sets)
    assert reached / sets <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / sets)


def test_what_cannot_be_kept_says_how_far_off_it_is():
    """Each number is counted here by itself."""
    y, proba = draw(3000, 7)
    sure, said = confidence_of(proba)
    wrong = (said != y)[np.argsort(-sure)]

    def reason(target):
        with pytest.warns(UserWarning, match="rejected"):
            return tune_threshold(y, proba, target=target, confidence_level=LEVEL).guarantees["reason"]

    why, other = reason({"risk": 0.03, "coverage": 0.99})
    assert other == ""  # it could be kept
    at_least = next(k for k in range(3000) if binom.sf(k - 1, 3000, 0.99) <= 0.025)
    limit = beta.ppf(0.975, wrong[:at_least].sum() + 1, at_least - wrong[:at_least].sum())
    alone = tune_threshold(y, proba, target=0.03, confidence_level=LEVEL, n_candidates=2)
    assert (
        f"risk 0.03 allows at most {alone.coverage:.1%} and coverage 0.99 needs at least {at_least / 3000:.1%}" in why
    )
    assert (
        f"{wrong[:at_least].sum()} of {at_least:,} accepted samples are wrong, and the upper limit of the risk is "
        f"{limit:.3g}" in why
    )
    # Of 1 - c rejected and all of them wrong, c * 0.03 more are wrong: the most errors that any score allows for.
    low = beta.ppf(0.025, wrong.sum(), (~wrong).sum() + 1)
    rejected = np.linspace(0, 1, 100_001)
    least = rejected[rejected + 0.03 * (1 - rejected) >= low].min()
    assert (
        "No other score could keep all promises: these samples have so many errors that, to reach a risk of 0.03, "
        f"at least {least:.1%} of the samples must be rejected, more than a coverage of 0.99 allows" in why
    )
    assert "No other score" not in reason({"risk": 0.03, "coverage": 0.8})[0]

    (why,) = reason({"recall": {0: 0.97}})
    right = (said == 0)[y == 0]
    low = beta.ppf(0.05, right.sum(), (~right).sum() + 1)
    assert f"even if everything is accepted, the rate is {right.mean():.3g}, with a lower limit of {low:.3g}" in why
    (why,) = reason({"risk": 0.003})
    assert re.search(
        r"closest threshold has [\d,]+ errors? among [\d,]+ accepted samples, so the upper limit of its risk is 0\.\d+",
        why,
    )


@pytest.mark.parametrize(
    ("target", "advice"),
    [
        ({"accuracy": 0.95}, r"Promise a risk of at most 0\.05 instead: the risk is 1 minus the accuracy\.$"),
        (
            {"precision": 0.9},
            r"Promise a risk of at most 0\.1 in each predicted class \(slices='predicted_class'\) instead: the risk is",
        ),
        ({"precision": {1: 0.9}}, r"Promise a risk in each predicted class"),
        ({"fnr": {1: 0.1}}, r"Did you mean 'false_negative_rate'\?"),
    ],
)
def test_a_promise_by_another_name_says_what_to_promise(target, advice):
    y, proba = draw(300)
    with pytest.raises(ValueError, match=advice):
        tune_threshold(y, proba, target=target, confidence_level=LEVEL)


SURE = {"confidence_level": 0.9}


@pytest.mark.parametrize("options", [{}, SURE, {"slices": np.arange(300) % 2, **SURE}], ids=["", "level", "slices"])
def test_an_accuracy_as_target_is_told_from_an_error_rate(options):
    y, proba = draw(300)
    with pytest.warns(UserWarning, match=r"target=0\.95 allows an error rate of 0\.95.* pass target=0\.05\.") as caught:
        tune_threshold(y, proba, target=0.95, **options)
    assert len(caught) == 1
    wrong = np.mean((proba > 0.5) != y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for target in (0.5, 1 - wrong * 1.01, 1.0):  # both readings accept everything
            tune_threshold(y, proba, target=target, **options)


def test_a_slice_says_how_many_samples_would_be_enough():
    y, proba = np.arange(600) % 2, np.linspace(0.01, 0.45, 600)
    y[:150] = 0
    y[[10, 30, 50, 70, 90]] = 1
    with pytest.warns(UserWarning, match="rejected") as caught:
        tune_threshold(y, proba, target=0.05, confidence_level=LEVEL, slices=np.zeros(600))
    found = re.search(
        r"(\d+) errors among (\d+) accepted .* 0\.\d+.*: with this many errors, the search for a threshold needs "
        r"([\d,]+) samples in all",
        str(caught[0].message),
    )
    errors, accepted, needed = (int(number.replace(",", "")) for number in found.groups())
    assert needed == required_samples(0.05, LEVEL, errors=errors, coverage=accepted / 600)
    y = np.arange(600) % 2
    with pytest.warns(UserWarning, match=r"limit of its risk is 0\.\d+; its observed risk is not below the target"):
        tune_threshold(y, proba, target=0.05, confidence_level=LEVEL, slices=np.zeros(600))


def test_a_limit_below_the_target_is_said_to_hold_for_a_threshold_fixed_in_advance():
    right = np.arange(600) < 59  # the first 59 are right, of the others one in two
    right[59:] = np.arange(541) % 2
    answers = ConfidenceProfile.from_correctness(right, np.linspace(0.99, 0.5, 600))
    with pytest.warns(
        UserWarning, match=r"its risk is 0\.0495, which is low enough only for a threshold fixed in advance: with"
    ):
        tune_threshold(answers, target=0.05, confidence_level=LEVEL, slices=np.zeros(600))


def evidence_by_hand(terms, mean):
    """Return the average of fourteen products of 1 + bet * (term - mean), one factor at a time."""
    total = 0.0
    for power in range(14):
        product = 1.0
        for term in terms:
            product *= 1 + 0.7**power / mean * (term - mean)
        total += product / 14
    return total


@pytest.mark.parametrize("name", ["cwsa", "cwsa_plus"])
def test_a_floor_of_cwsa_is_shown_by_bets_against_it(name):
    rng = np.random.default_rng(12)
    sure = 1 - rng.random(400) ** 2 / 2
    right = rng.random(400) < sure
    profile = ConfidenceProfile.from_correctness(right, sure)
    found = tune_threshold(profile, target={name: 0.3}, confidence_level=LEVEL)
    accepted = sure >= found.threshold
    metric = metrics.cwsa_score if name == "cwsa" else metrics.cwsa_plus_score
    (row,) = found.guarantees.itertuples()
    assert row.shown
    assert row.observed == pytest.approx(metric(profile, threshold=found.threshold))
    assert row.observed >= 0.3
    # The tests: of 14 / share samples on, each of a tenth more, and all share the level.
    mean = 0.3 if name == "cwsa_plus" else 0.65
    counts, count = [], float(np.ceil(np.log(14 / 0.05) / -np.log(mean)))
    while count < 400:
        counts.append(int(np.ceil(count)))
        count *= 1.1
    counts.append(400)
    order = np.argsort(-sure)
    shown = []
    for k in counts:
        at = sure[order[k - 1]]
        earned = [
            (sure[i] - at) / (1 - at) * (1 if right[i] else (0 if name == "cwsa_plus" else -1)) for i in order[:k]
        ]
        terms = earned if name == "cwsa_plus" else [(1 + each) / 2 for each in earned]
        if evidence_by_hand(terms, mean) >= len(counts) / 0.05:
            shown.append(k)
    assert accepted.sum() == max(shown)


def test_what_ecuas_charges_the_accepted_is_kept():
    y, proba = draw(6000, 13)
    sure, said = confidence_of(proba)
    for matrix in (None, np.array([[0.0, 1.0], [3.0, 0.0]])):
        found = tune_threshold(
            y, proba, target={"ecuas_1": 0.3}, cost_matrix=matrix, y_pred=said, confidence_level=LEVEL, random_state=0
        )
        at = sure >= found.threshold
        expected = metrics.ecuas_loss(y[at], proba[at], n=1, cost_matrix=matrix, y_pred=said[at], labels=[0, 1])
        (row,) = found.guarantees.itertuples()
        assert row.shown
        assert row.observed == pytest.approx(expected)
        assert expected < 0.3
    with pytest.warns(UserWarning, match="the largest observed value is"):
        assert not tune_threshold(y, proba, target={"cwsa": 0.95}, confidence_level=LEVEL).feasible


def test_slices_and_promises_at_a_prevalence_are_those_of_rows_drawn_to_it():
    """Of drawn rows the classes have the stated shares, in total; each slice keeps its promises about these."""
    y, proba = draw(20_000, 14)
    region = np.random.default_rng(1).choice(["north", "south"], len(y))
    target = {"risk": 0.1, "false_negative_rate": {1: 0.2}}
    options = {"target": target, "confidence_level": LEVEL, "random_state": 3}
    found = tune_threshold(y, proba, prevalence={1: 0.02}, slices=region, **options)
    table = found.guarantees.set_index(["slice", "risk"])["n_samples"].unstack()
    assert table["false_negative_rate"].sum() / table["risk"].sum() == pytest.approx(0.02, abs=0.005)
    # Of class 0 alone, some 98 of 100 are drawn: nearly all rows of it, as no class runs out.
    assert table["risk"].sum() == pytest.approx((y == 0).sum() / 0.98, rel=0.05)
    profile = ConfidenceProfile.from_predictions(y, proba).at_prevalence({1: 0.02})
    again = tune_threshold(profile, slices=region, **options)
    pd.testing.assert_frame_equal(again.guarantees, found.guarantees)
    few = tune_threshold(y, proba, prevalence={1: 0.02}, slices=region, groups=np.arange(len(y)) // 4, **options)
    assert few.guarantees["n_samples"].max() < table["risk"].max() / 3


@pytest.mark.simulation
@pytest.mark.parametrize("sets", [70, pytest.param(3000, marks=pytest.mark.slow)])
def test_noise_at_a_stated_prevalence_is_accepted_in_no_slice(sets):
    """The class that is rare here, and half of the cases there, is wrong more often: 0.1 of all there."""
    rng, accepted = np.random.default_rng(15), 0
    for seed in range(sets):
        y = np.repeat([0, 1], [800, 200])
        wrong = rng.random(1000) < np.where(y == 1, 0.15, 0.0501)
        sure, said = rng.random(1000) / 2 + 0.5, np.where(wrong, 1 - y, y)
        proba = np.where(said == 1, sure, 1 - sure)
        slices = rng.integers(0, 2, 1000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = tune_threshold(
                y, proba, target=0.1, prevalence={1: 0.5}, slices=slices, confidence_level=0.9, random_state=seed
            )
        accepted += np.isfinite(found.thresholds).any()
    assert accepted / sets <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / sets)


@pytest.mark.simulation
@pytest.mark.parametrize("sets", [70, pytest.param(3000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["cwsa", "cwsa_plus", "ecuas_1"])
def test_means_hold_where_every_threshold_is_just_short_of_them(sets, name):
    """Confidences are uniform, and four in five answers right at each: the mean reward above any threshold is known."""
    floors = {"cwsa": 0.5 * (0.8 - 0.2) + 1e-9, "cwsa_plus": 0.5 * 0.8 + 1e-9}
    bound = floors.get(name, 0.4**2 + 2 * 0.6 * 0.2 - 1e-9)
    rng, accepted = np.random.default_rng(16), 0
    for seed in range(sets):
        right, sure = rng.random(600) < 0.8, rng.random(600)
        profile = ConfidenceProfile.from_correctness(right, sure)
        if name == "ecuas_1":  # confidence 0.6 everywhere, ranked by something else: r² + 2 (1 − r) C with r = 0.4
            profile = ConfidenceProfile.from_correctness(right, np.full(600, 0.6), score=sure)
        target = {name: bound}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            accepted += tune_threshold(profile, target=target, confidence_level=0.9, random_state=seed).feasible
    assert accepted / sets <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / sets)
