"""Decisions by costs: what is answered, how sure, what it costs; against enumeration and a linear programme."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from _support.predictions import draw_classes
from _support.stored import Stored
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_validate,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import skconf
from skconf import (
    ConfidenceProfile,
    SelectiveClassifier,
    TunedSelectiveClassifierCV,
    confidence_scoring,
    get_scorer,
    metrics,
)

# Prices so high that no rejection pays are what several of these tests are about.
pytestmark = pytest.mark.filterwarnings("ignore:reject_cost=.* nothing is ever rejected:UserWarning")

FRAUD = [[0, 1], [10, 0]]


def stored(n_classes, n=300, seed=0, labels=None):
    """Return true probabilities, labels drawn from them, and a classifier that knows the truth."""
    labels = np.arange(n_classes) if labels is None else np.array(labels)
    y, proba = draw_classes(n, n_classes, seed, concentration=0.6)
    return proba, labels[y], FrozenEstimator(Stored(tuple(labels.tolist())))


def random_costs(n_classes, seed, n_decisions=None):
    rng = np.random.default_rng(seed)
    costs = rng.uniform(0.2, 5, (n_classes, n_decisions or n_classes))
    if n_decisions is None:
        np.fill_diagonal(costs, 0)
    return costs


def largest_uncertainty(costs):
    """The value of a game, from the side of the decisions: the mixture whose worst class costs least."""
    costs = np.asarray(costs, dtype=float)
    n_classes, n_decisions = costs.shape
    found = linprog(
        [*np.zeros(n_decisions), 1],
        A_ub=np.c_[costs, -np.ones(n_classes)],
        b_ub=np.zeros(n_classes),
        A_eq=[[1] * n_decisions + [0]],
        b_eq=[1],
    )
    return found.fun


def by_enumeration(proba, costs):
    """Return the cheapest decision of each row and its expected cost, from all of them."""
    found = []
    for p in proba:
        each = [sum(p[k] * costs[k][d] for k in range(len(p))) for d in range(len(costs[0]))]
        found.append((each.index(min(each)), min(each)))
    return map(np.array, zip(*found, strict=True))


def paid(answers, y, costs, reject_label, reject_cost, classes, decisions):
    """Return the mean cost of what ``predict`` said."""
    total = 0.0
    for answer, label in zip(answers.tolist(), y.tolist(), strict=True):
        rejected = answer == reject_label
        total += reject_cost if rejected else costs[classes.index(label)][decisions.index(answer)]
    return total / len(y)


EACH = [(n_classes, seed) for n_classes in (2, 4) for seed in range(5)]


@pytest.mark.parametrize(("n_classes", "seed"), EACH)
@pytest.mark.parametrize("share", [0.1, 0.4, 0.8, 1.5])
class TestRandomCosts:
    def test_the_answer_is_the_cheapest_of_all_decisions(self, n_classes, seed, share):
        proba, y, frozen = stored(n_classes, seed=seed)
        costs, gamma = random_costs(n_classes, seed), share * largest_uncertainty(random_costs(n_classes, seed))
        model = SelectiveClassifier(frozen, cost_matrix=costs, reject_cost=gamma).fit(proba, y)
        decision, uncertainty = by_enumeration(proba, costs)
        answer = model.predict_selective(proba)
        np.testing.assert_array_equal(answer.prediction, decision)
        np.testing.assert_allclose(answer.score, 1 - uncertainty / largest_uncertainty(costs), atol=1e-9)
        np.testing.assert_array_equal(answer.accepted, uncertainty <= gamma)
        assert model.threshold_ == pytest.approx(max(0, 1 - share), abs=1e-9)
        np.testing.assert_array_equal(model.predict(proba), np.where(uncertainty <= gamma, decision, -1))
        np.testing.assert_array_equal(model.predict_proba(proba), proba)

    def test_scorers_charge_what_predict_says(self, n_classes, seed, share):
        proba, y, frozen = stored(n_classes, seed=seed)
        costs, gamma = random_costs(n_classes, seed), share * largest_uncertainty(random_costs(n_classes, seed))
        scorer = get_scorer("neg_reject_cost", reject_cost=gamma, cost_matrix=costs)
        classes = list(range(n_classes))
        for model in (
            SelectiveClassifier(frozen, cost_matrix=costs, reject_cost=gamma),
            TunedSelectiveClassifierCV(frozen, objective="cost", cost_matrix=costs, reject_cost=gamma),
            SelectiveClassifier(frozen, threshold=0.6),  # of other costs, it answers none of the cheapest
            Stored(tuple(classes)),
        ):
            model.fit(proba, y)
            expected = -paid(model.predict(proba), y, costs, -1, gamma, classes, classes)
            assert scorer(model, proba, y) == pytest.approx(expected, rel=1e-12)
            assert confidence_scoring([scorer])(model, proba, y)["neg_reject_cost"] == scorer(model, proba, y)

    def test_in_expectation_no_answer_is_cheaper(self, n_classes, seed, share):
        proba, y, frozen = stored(n_classes, seed=seed)
        costs, gamma = random_costs(n_classes, seed), share * largest_uncertainty(random_costs(n_classes, seed))
        answer = (
            SelectiveClassifier(frozen, cost_matrix=costs, reject_cost=gamma).fit(proba, y).predict_selective(proba)
        )
        expected = proba @ costs
        rows = np.arange(len(y))
        ours = np.where(answer.accepted, expected[rows, answer.prediction], gamma)
        argmax = expected[rows, proba.argmax(axis=1)]
        assert (ours <= argmax * (1 + 1e-12)).all()
        assert ours.mean() <= np.where(argmax > gamma, gamma, argmax).mean()
        for level in (0.5, 0.7, 0.9):  # Chow's rule at other prices
            assert ours.mean() <= np.where(proba.max(axis=1) < level, gamma, argmax).mean()


def test_a_cost_matrix_of_errors_answers_as_without_it():
    proba, y, frozen = stored(3)
    plain = SelectiveClassifier(frozen, threshold=0.7).fit(proba, y)
    for params in ({"cost_matrix": 1 - np.eye(3)}, {}):
        model = SelectiveClassifier(frozen, reject_cost=0.3, **params).fit(proba, y)
        np.testing.assert_array_equal(model.predict(proba), plain.predict(proba))
        assert model.threshold_ == pytest.approx(1 - 0.3 / (2 / 3))
    with pytest.raises(ValueError, match="fitted without costs"):
        plain.set_params(threshold=0.0, reject_cost=0.3).predict(proba)


def test_the_answers_are_the_decisions_that_are_charged():
    """The most probable classes paid .869, and the scorer said .531, the cost of decisions nobody took."""
    X, y = make_classification(4000, n_informative=5, flip_y=0.1, weights=[0.8], random_state=0)
    X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    for gamma, before in ((2.0, 0.767), (0.5, 0.508)):
        model = TunedSelectiveClassifierCV(
            RandomForestClassifier(20, random_state=0), objective="cost", reject_cost=gamma, cost_matrix=FRAUD, cv=3
        ).fit(X, y)
        cost = paid(model.predict(X_test), y_test, FRAUD, -1, gamma, [0, 1], [0, 1])
        scorer = get_scorer("neg_reject_cost", reject_cost=gamma, cost_matrix=FRAUD)
        assert scorer(model, X_test, y_test) == pytest.approx(-cost, rel=1e-12)
        assert cost < 0.9 * before


@pytest.mark.parametrize("n_seeds", [2, pytest.param(6, marks=pytest.mark.slow)])
def test_no_dearer_than_a_tuned_decision_threshold_and_cheaper_with_abstention(n_seeds):
    scorer = get_scorer("neg_reject_cost", cost_matrix=FRAUD, reject_cost=0.5)
    charge = make_scorer(lambda y, answer: -np.array(FRAUD)[y, answer].mean())
    # A sigmoid does not fit these probabilities, which flipped labels keep off 0 and 1.
    params = {"objective": "cost", "cost_matrix": FRAUD, "calibration": "isotonic"}
    costs = []
    for seed in range(n_seeds):
        X, y = make_classification(20_000, n_informative=5, weights=[0.8], flip_y=0.05, random_state=seed)
        X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
        theirs = TunedThresholdClassifierCV(LogisticRegression(), scoring=charge).fit(X, y)
        never, abstaining = (
            TunedSelectiveClassifierCV(LogisticRegression(), reject_cost=price, **params).fit(X, y)
            for price in (10, 0.5)
        )
        assert (never.predict(X_test) != -1).all()
        costs.append([-scorer(model, X_test, y_test) for model in (theirs, never, abstaining)])
    theirs, never, abstaining = np.mean(costs, axis=0)
    # One seed differs from another by .003, and the mean of n by a √n-th of it.
    assert never < theirs + 2.5 * 0.003 / np.sqrt(n_seeds)
    assert abstaining < 0.9 * theirs


@pytest.mark.parametrize(
    ("price", "params", "warns"),
    [
        (0.5, {}, True),  # the most probable of two classes is expected to cost at most .5
        (0.4, {}, False),
        (0.91, {"cost_matrix": FRAUD}, True),  # at a probability of 1/11 both answers cost 10/11
        (0.9, {"cost_matrix": FRAUD}, False),
        (3, {"cost_matrix": lambda X: np.tile([[0, 3], [5, 0]], (len(X), 1, 1))}, True),
        (2.9, {"cost_matrix": lambda X: np.tile([[0, 3], [5, 0]], (len(X), 1, 1))}, False),
        (1, {"tuned": {}}, True),
        (0.99, {"tuned": {}}, False),
        (10, {"tuned": {"cost_matrix": FRAUD}}, True),
        (9.9, {"tuned": {"cost_matrix": FRAUD}}, False),
        (7, {"tuned": {"cost_matrix": FRAUD}, "costs": [[0, 7]]}, True),
        (6.9, {"tuned": {"cost_matrix": FRAUD}, "costs": [[0, 7]]}, False),
    ],
)
def test_a_price_at_which_nothing_is_rejected_is_named_once(price, params, warns):
    proba, y, frozen = stored(2)
    params = dict(params)
    fit = {"costs": np.tile(params.pop("costs"), (len(y), 1))} if "costs" in params else {}
    if "tuned" in params:
        model = TunedSelectiveClassifierCV(frozen, objective="cost", reject_cost=price, **params["tuned"])
    else:
        model = SelectiveClassifier(frozen, reject_cost=price, **params)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        answered = model.fit(proba, y, **fit).predict(proba)
    messages = [str(each.message) for each in found]
    assert [message.startswith(f"reject_cost={price} is not below") for message in messages] == [True] * warns
    if warns:
        assert (answered != -1).all()


# --- decisions that are not classes ---------------------------------------------------------------------------------

CALLS = pd.DataFrame([[0.0, 2.0, 1.0], [5.0, 0.5, 1.0]], index=["no", "yes"], columns=["wait", "call", "write"])


class TestOtherDecisions:
    @pytest.fixture
    def task(self):
        return stored(2, labels=["no", "yes"])

    @pytest.mark.parametrize("gamma", [0.3, 0.7, 3.0])
    @pytest.mark.parametrize("as_frame", [True, False])
    def test_predict_returns_their_names_and_scorers_charge_them(self, task, gamma, as_frame):
        proba, y, frozen = task
        costs = CALLS if as_frame else CALLS.to_numpy()
        named = {} if as_frame else {"decisions": ["wait", "call", "write"]}
        model = SelectiveClassifier(frozen, cost_matrix=costs, reject_cost=gamma, **named).fit(proba, y)
        decision, uncertainty = by_enumeration(proba, CALLS.to_numpy().tolist())
        expected = np.where(uncertainty <= gamma, CALLS.columns[decision], "reject")
        np.testing.assert_array_equal(model.predict(proba), expected)
        assert model.decisions_.tolist() == ["wait", "call", "write"]
        assert model.classes_.tolist() == ["no", "yes"]
        assert model.threshold_ == pytest.approx(max(0, 1 - gamma / largest_uncertainty(CALLS)), abs=1e-9)
        cost = paid(expected, y, CALLS.to_numpy(), "reject", gamma, ["no", "yes"], ["wait", "call", "write"])
        for given in (costs, CALLS[["call", "write", "wait"]], CALLS.loc[["yes", "no"]]):
            scorer = get_scorer("neg_reject_cost", cost_matrix=given, reject_cost=gamma)
            assert scorer(model, proba, y) == pytest.approx(-cost, rel=1e-12)

    def test_they_may_be_as_many_as_classes_and_have_any_reject_label(self, task):
        proba, y, frozen = task
        model = SelectiveClassifier(frozen, cost_matrix=[[0, 1], [3, 0]], decisions=[7, -1], threshold=0.5)
        model.fit(proba, y)
        assert model.reject_label_ == -2
        assert set(model.predict(proba).tolist()) == {7, -1, -2}
        for label, message in (("yes", "one of the classes"), (7, "one of the decisions")):
            with pytest.raises(ValueError, match=message):
                clone(model).set_params(reject_label=label).fit(proba, y)

    def test_what_counts_errors_refuses_them(self, task):
        proba, y, frozen = task
        model = SelectiveClassifier(frozen, cost_matrix=CALLS).fit(proba, y)
        with pytest.raises(ValueError, match="no decision is right or wrong"):
            model.score(proba, y)
        with pytest.raises(ValueError, match="counts errors, but the answers are decisions"):
            get_scorer("neg_reject_cost")(model, proba, y)
        with pytest.warns(UndefinedMetricWarning, match="the answers are decisions"):
            scores = confidence_scoring(["accuracy", "neg_ece", "coverage"])(model, proba, y)
        assert np.isnan(scores["accuracy"])
        assert scores["neg_ece"] == -metrics.expected_calibration_error(y, proba)
        with pytest.raises(ValueError, match="a predicted class is not a decision"):
            get_scorer("neg_reject_cost", cost_matrix=CALLS)(Stored(("no", "yes")), proba, y)

    @pytest.mark.parametrize("gamma", [0.2, 0.6, 3.0])
    def test_a_threshold_is_tuned_to_what_they_cost(self, task, gamma):
        proba, y, frozen = task
        model = TunedSelectiveClassifierCV(frozen, objective="cost", cost_matrix=CALLS, reject_cost=gamma)
        model.fit(proba, y)
        decision, uncertainty = by_enumeration(proba, CALLS.to_numpy().tolist())
        cost = CALLS.to_numpy()[(y == "yes").astype(int), decision]
        totals = [np.where(uncertainty <= most, cost, gamma).mean() for most in [-1, *uncertainty]]
        assert -np.max(model.cv_results_["objective"]) == pytest.approx(min(totals))
        assert np.isnan(model.risk_)
        assert np.isnan(model.cv_results_["risk"]).all()
        reached = paid(model.predict(proba), y, CALLS.to_numpy(), "reject", gamma, ["no", "yes"], [*CALLS.columns])
        assert reached == pytest.approx(min(totals))
        half = TunedSelectiveClassifierCV(frozen, objective="coverage", target=0.5, cost_matrix=CALLS).fit(proba, y)
        assert half.accept(proba).mean() == pytest.approx(0.5, abs=0.01)


class TestNames:
    def test_rows_follow_the_sorted_labels_and_a_table_its_names(self):
        proba, y, frozen = stored(3, labels=["a", "b", "c"])
        costs = pd.DataFrame(random_costs(3, 1), index=list("abc"), columns=list("abc"))
        expected = SelectiveClassifier(frozen, cost_matrix=costs.to_numpy()).fit(proba, y).predict_selective(proba)
        for shuffled in (costs.loc[list("cab")], costs[list("bca")], costs.loc[list("bca"), list("cba")]):
            found = SelectiveClassifier(frozen, cost_matrix=shuffled).fit(proba, y).predict_selective(proba)
            np.testing.assert_array_equal(found.prediction, expected.prediction)
            np.testing.assert_allclose(found.score, expected.score, rtol=1e-12)
        given = ["c", "a", "b"]  # of the columns of an array
        found = SelectiveClassifier(frozen, cost_matrix=costs[given].to_numpy(), decisions=given).fit(proba, y)
        np.testing.assert_array_equal(found.predict(proba), expected.prediction)
        assert found.decisions_.tolist() == ["a", "b", "c"]

    @pytest.mark.filterwarnings("ignore:Some answers have a higher expected cost")
    @pytest.mark.parametrize("normalize", [False, True])
    def test_metrics_align_a_table_too(self, normalize):
        proba, y, _ = stored(3, labels=["a", "b", "c"])
        costs = pd.DataFrame(random_costs(3, 2), index=list("abc"), columns=list("abc"))
        shuffled = costs.loc[list("cab"), list("bca")]
        for name, given in (("ecuas_loss", {}), ("reject_cost_loss", {"reject_cost": 0.5})):
            for more in ({}, {"y_pred": y[::-1]}):
                values = [
                    getattr(metrics, name)(y, proba, cost_matrix=matrix, normalize=normalize, **given, **more)
                    for matrix in (costs.to_numpy(), shuffled)
                ]
                assert values[0] == pytest.approx(values[1], rel=1e-9)

    def test_other_names_are_refused(self):
        proba, y, frozen = stored(2)
        for costs, message in (
            (pd.DataFrame(FRAUD, index=["x", "y"]), r"rows named \['x', 'y'\], but they should be \[0, 1\]"),
            (pd.DataFrame(FRAUD, columns=["x", "y"]), r"columns named \['x', 'y'\], but they should be \['u', 'v'\]"),
        ):
            with pytest.raises(ValueError, match=message):
                SelectiveClassifier(frozen, cost_matrix=costs, decisions=["u", "v"]).fit(proba, y)


# --- costs of each sample -------------------------------------------------------------------------------------------


def amounts(X):
    """Costs of a fraud by its amount, which the first feature is."""
    amount = 1 + 4 * np.asarray(X)[:, 0]
    return np.stack([np.stack([0 * amount, 0 * amount + 1], -1), np.stack([amount, 0 * amount], -1)], axis=1)


class TestCostsBySample:
    @pytest.mark.parametrize("gamma", [0.2, 0.6, 8.0])
    def test_a_function_and_costs_beside_the_samples_decide_alike(self, gamma):
        proba, y, frozen = stored(2)
        costs = amounts(proba)
        expected = np.einsum("ik,ikd->id", proba, costs)
        answers = np.where(expected.min(axis=1) <= gamma, expected.argmin(axis=1), -1)
        by_function = SelectiveClassifier(frozen, cost_matrix=amounts, reject_cost=gamma).fit(proba, y)
        beside = SelectiveClassifier(frozen, reject_cost=gamma).fit(proba, y, costs=costs)
        np.testing.assert_array_equal(by_function.predict(proba), answers)
        np.testing.assert_array_equal(beside.predict(proba, costs=costs), answers)
        np.testing.assert_array_equal(beside.predict_proba(proba), proba)
        mine = np.where(answers == -1, gamma, costs[np.arange(len(y)), y, answers])
        scorer = get_scorer("neg_reject_cost", reject_cost=gamma)
        for model in (by_function, beside):
            assert scorer(model, proba, y, costs=costs) == pytest.approx(-mine.mean(), rel=1e-12)
        given_truth = costs[np.arange(len(y)), y]
        assert scorer(by_function, proba, y, costs=given_truth) == pytest.approx(-mine.mean(), rel=1e-12)
        several = confidence_scoring([scorer, "accuracy"])(by_function, proba, y, costs=given_truth)
        assert several["neg_reject_cost"] == pytest.approx(-mine.mean(), rel=1e-12)
        assert several["accuracy"] == np.mean(answers == y)

    def test_samples_that_are_more_uncertain_than_any_of_fit_are_still_rejected_by_their_costs(self):
        proba, y, frozen = stored(2)
        dear = proba[:, 0] > 0.9
        model = SelectiveClassifier(frozen, cost_matrix=lambda X: 1e3 ** (X[:, :1, np.newaxis] > 0.9) * amounts(X))
        model.fit(proba[~dear], y[~dear])
        uncertainty = np.einsum("ik,ikd->id", proba, 1e3 ** dear[:, np.newaxis, np.newaxis] * amounts(proba)).min(
            axis=1
        )
        for gamma in (0.1, 1.5, 8.0, 30.0):
            accepted = model.set_params(reject_cost=gamma).accept(proba)
            np.testing.assert_array_equal(accepted, uncertainty <= gamma)

    def test_costs_given_the_truth_tune_what_a_matrix_decides(self):
        proba, y, frozen = stored(2)
        rng = np.random.default_rng(1)
        charged = rng.uniform(0, 0.5, (len(y), 2)) + 2.0 * (np.arange(2) != y[:, np.newaxis])
        model = TunedSelectiveClassifierCV(frozen, objective="cost", reject_cost=0.5, cost_matrix=FRAUD)
        model.fit(proba, y, costs=charged)
        decision, uncertainty = by_enumeration(proba, FRAUD)
        cost = charged[np.arange(len(y)), decision]
        totals = [np.where(uncertainty <= most, cost, 0.5).mean() for most in [-1, *uncertainty]]
        assert -np.max(model.cv_results_["objective"]) == pytest.approx(min(totals))

    def test_routing_without_metadata_needs_no_request(self):
        proba, y, _ = stored(2)
        with sklearn.config_context(enable_metadata_routing=True):
            model = SelectiveClassifier(LogisticRegression(), threshold=0.7).fit(proba, y)
        assert 0 < model.accept(proba).mean() < 1

    def test_they_are_routed_through_a_pipeline_and_cross_validation(self):
        X, y = make_classification(300, random_state=0)
        costs = np.random.default_rng(0).uniform(0, 3, (300, 2, 2))
        with sklearn.config_context(enable_metadata_routing=True):
            pipeline = make_pipeline(StandardScaler(), SelectiveClassifier(LogisticRegression(), reject_cost=0.7))
            scorer = get_scorer("neg_reject_cost", reject_cost=0.7).set_score_request(costs=True)
            found = cross_validate(
                pipeline, X, y, params={"costs": costs}, scoring=scorer, return_estimator=True, return_indices=True
            )
            for value, model, rows in zip(
                found["test_score"], found["estimator"], found["indices"]["test"], strict=True
            ):
                answers = model.predict(X[rows], costs=costs[rows])
                expected = np.where(answers == -1, 0.7, costs[rows, y[rows], answers])
                assert value == pytest.approx(-expected.mean(), rel=1e-12)
                assert 0 < np.mean(answers == -1) < 1

    @pytest.mark.parametrize(
        ("params", "costs", "message"),
        [
            ({"cost_matrix": FRAUD}, np.ones((300, 2, 2)), "exclude each other"),
            ({}, np.ones((299, 2, 2)), "costs has 299 rows, but there are 300 samples"),
            ({}, np.ones((300, 3, 2)), r"for decisions must have shape \(300, 2, 2\)"),
            ({}, np.ones((300, 2, 3)), "3 decisions for 2 classes, so the decisions need names"),
            ({}, -np.ones((300, 2, 2)), "costs must hold finite costs"),
            ({}, np.ones(300), "costs must have shape"),
            ({}, np.zeros((300, 2, 2)), "no decision is uncertain"),
            ({"cost_matrix": lambda X: np.ones((len(X), 2))}, None, "must return costs of shape"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, params, costs, message):
        proba, y, frozen = stored(2)
        with pytest.raises(ValueError, match=message):
            SelectiveClassifier(frozen, **params).fit(proba, y, costs=costs)

    def test_a_classifier_says_which_costs_it_needs(self):
        proba, y, frozen = stored(2)
        beside = SelectiveClassifier(frozen).fit(proba, y, costs=amounts(proba))
        with pytest.raises(ValueError, match="needs the costs of each new sample"):
            beside.predict(proba)
        for model in (SelectiveClassifier(frozen), SelectiveClassifier(frozen, cost_matrix=FRAUD)):
            with pytest.raises(ValueError, match="Leave them out"):
                model.fit(proba, y).predict(proba, costs=amounts(proba))
        with pytest.raises(TypeError, match="takes no costs"):
            get_scorer("neg_ece")(beside, proba, y, costs=amounts(proba))
        with pytest.raises(ValueError, match="Leave out cost_matrix"):
            get_scorer("neg_reject_cost", cost_matrix=FRAUD)(beside, proba, y, costs=amounts(proba))
        with pytest.raises(ValueError, match=r"costs has shape \(300, 3\), but should have \(300, 2\)"):
            ConfidenceProfile.from_estimator(frozen, proba, y, costs=np.ones((300, 3)))


# --- in scikit-learn ------------------------------------------------------------------------------------------------


class TestOthers:
    """Scorers charge what other classifiers answer, too."""

    @pytest.fixture
    def task(self):
        X, y = make_classification(400, n_informative=4, weights=[0.7], flip_y=0.1, random_state=0)
        return train_test_split(X, y, random_state=0)

    @pytest.mark.parametrize(
        "model",
        [
            LogisticRegression(),
            FixedThresholdClassifier(LogisticRegression(), threshold=0.2),
            TunedThresholdClassifierCV(LogisticRegression(), scoring="balanced_accuracy"),
            make_pipeline(StandardScaler(), FixedThresholdClassifier(LogisticRegression(), threshold=0.2)),
            CalibratedClassifierCV(SVC(random_state=0)),
        ],
    )
    def test_it_is_the_mean_cost_of_their_predict(self, task, model):
        X, X_test, y, y_test = task
        model = clone(model).fit(X, y)
        expected = -np.array(FRAUD)[y_test, model.predict(X_test)].mean()
        scorer = get_scorer("neg_reject_cost", cost_matrix=FRAUD, reject_cost=0.5)
        assert scorer(model, X_test, y_test) == pytest.approx(expected, rel=1e-12)

    @pytest.mark.filterwarnings("ignore:Some answers have a higher expected cost")
    def test_a_predict_that_is_not_the_most_probable_class_is_charged(self, task):
        class Contrary(LogisticRegression):
            def predict(self, X):
                return 1 - super().predict(X)

        X, X_test, y, y_test = task
        model = Contrary().fit(X, y)
        cost = np.array(FRAUD)[y_test, model.predict(X_test)].mean()
        for scorer in ({"r": ("neg_reject_cost", {})}, {"r": ("neg_reject_cost", {}), "e": ("neg_ecuas", {"n": 1})}):
            made = {key: get_scorer(name, cost_matrix=FRAUD, **params) for key, (name, params) in scorer.items()}
            scores = confidence_scoring(made)(model, X_test, y_test)
            assert scores["r"] == pytest.approx(-cost, rel=1e-12)
        given = metrics.ecuas_loss(
            y_test, model.predict_proba(X_test), y_pred=model.predict(X_test), n=1, cost_matrix=FRAUD
        )
        assert scores["e"] == pytest.approx(-given, rel=1e-12)

    def test_arrays_of_probabilities_cost_what_their_best_decision_does(self, task):
        X, X_test, y, y_test = task
        proba = LogisticRegression().fit(X, y).predict_proba(X_test)
        decision, uncertainty = by_enumeration(proba, FRAUD)
        expected = np.where(uncertainty > 0.5, 0.5, np.array(FRAUD)[y_test, decision]).mean()
        found = metrics.reject_cost_loss(y_test, proba, cost_matrix=FRAUD, reject_cost=0.5)
        assert found == pytest.approx(expected, rel=1e-12)


class TestTools:
    def test_a_search_over_costs_in_a_pipeline_a_clone_and_a_copy(self):
        X, y = make_classification(300, n_informative=4, flip_y=0.2, random_state=0)
        pipeline = make_pipeline(StandardScaler(), SelectiveClassifier(LogisticRegression(), reject_cost=0.5))
        matrices = [None, FRAUD, np.array(FRAUD) / 2]
        grid = {"selectiveclassifier__cost_matrix": matrices, "selectiveclassifier__reject_cost": [0.2, 0.5]}
        scorer = get_scorer("neg_reject_cost", cost_matrix=FRAUD, reject_cost=0.5)
        search = GridSearchCV(pipeline, grid, scoring=scorer, cv=3).fit(X, y)
        best = search.best_params_
        assert best["selectiveclassifier__cost_matrix"] is not None
        answer = skconf.predict_selective(search, X)
        copied = pickle.loads(pickle.dumps(search))
        np.testing.assert_array_equal(skconf.predict_selective(copied, X).score, answer.score)
        again = clone(search.best_estimator_).fit(X, y)
        np.testing.assert_array_equal(again.predict(X), search.predict(X))
        assert search.score(X, y) == scorer(search, X, y)

    def test_the_price_of_a_rejection_may_change_after_fit(self):
        proba, y, frozen = stored(2)
        model = SelectiveClassifier(frozen, cost_matrix=FRAUD, reject_cost=0.2).fit(proba, y)
        accepted = model.accept(proba).mean()
        assert model.set_params(reject_cost=0.5).accept(proba).mean() > accepted
        with pytest.raises(ValueError, match=r"threshold=0.3 contradicts reject_cost=0.5"):
            model.set_params(threshold=0.3).predict(proba)
        with pytest.raises(ValueError, match="contradicts reject_cost"):
            clone(model).fit(proba, y)
        assert model.set_params(reject_cost=None).threshold_ == 0.3

    def test_decisions_do_not_depend_on_the_rows_beside_them(self):
        rng = np.random.default_rng(0)
        proba = rng.integers(0, 11, (500, 4)) / 10.0 + 1e-3
        proba /= proba.sum(axis=1, keepdims=True)
        costs = rng.integers(0, 3, (4, 4)).astype(float) + np.eye(4)[::-1]
        model = SelectiveClassifier(FrozenEstimator(Stored((0, 1, 2, 3))), cost_matrix=costs)
        model.fit(proba, np.arange(500) % 4)
        alone = np.concatenate([model.predict(row[np.newaxis]) for row in proba])
        np.testing.assert_array_equal(model.predict(proba), alone)

    def test_the_confidence_level_is_about_decisions_that_are_wrong(self):
        proba, y, frozen = stored(2, n=2000)
        model = TunedSelectiveClassifierCV(frozen, target=0.2, confidence_level=0.9, cost_matrix=[[0, 1], [3, 0]])
        model.fit(proba, y)
        accepted = model.accept(proba)
        wrong = (proba[:, 1] > 1 / 4).astype(int) != y
        assert model.risk_ == pytest.approx(wrong[accepted].mean())
        assert model.risk_upper_bound_ <= 0.2
