"""What a classifier that decides by costs would cost, at these costs."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skconf import ConfidenceProfile, ConfidenceReport, SelectiveClassifier, TunedSelectiveClassifierCV
from skconf.metrics import ecuas_loss, reject_cost_loss

MATRIX = ((0.0, 1.0), (5.0, 0.0))
RNG = np.random.default_rng(0)
X = RNG.normal(size=(800, 2))
Y = (X[:, 0] + RNG.normal(size=800) > 0).astype(int)


def fitted(**params):
    return SelectiveClassifier(LogisticRegression(), **params).fit(X[:400], Y[:400])


def paid(model, matrix=((0, 1), (1, 0)), of_rejection=0.0):
    """Return the mean cost of a case, counted answer by answer."""
    costs = [
        of_rejection if answer == model.reject_label_ else matrix[true][answer]
        for answer, true in zip(model.predict(X[400:]), Y[400:], strict=True)
    ]
    return sum(costs) / len(costs)


def report(model, **options):
    return ConfidenceReport.from_estimator(model, X[400:], Y[400:], **options)


@pytest.mark.parametrize(
    ("params", "by"),
    [
        ({"cost_matrix": MATRIX, "reject_cost": 0.3}, "cost_matrix and reject_cost=0.3, and 300 if every case were"),
        ({"cost_matrix": pd.DataFrame(MATRIX)}, "cost_matrix."),
        ({"reject_cost": 0.3}, "reject_cost=0.3, and 300 if every case were rejected."),
    ],
)
def test_the_summary_the_text_and_the_table_have_the_mean_cost(params, by):
    model = fitted(**params)
    expected = paid(model, np.asarray(params.get("cost_matrix", ((0, 1), (1, 0)))), params.get("reject_cost", 0.0))
    found = report(model)
    sentence = f"Cost: {1000 * expected:.0f} in 1,000 cases, by its own {by}"
    assert sentence in " ".join(found.summary().split())
    assert sentence in " ".join(found.text().split())
    assert found.frame.at["reject_cost_loss", "value"] == pytest.approx(expected)
    charged = "ecuas_loss and reject_cost_loss use" if "cost_matrix" in params else "reject_cost_loss uses"
    assert f"{charged} the costs by which the model decides." in " ".join(str(found).split())


def test_a_threshold_that_was_tuned_by_costs_has_a_cost():
    model = TunedSelectiveClassifierCV(LogisticRegression(), objective="cost", reject_cost=0.2, cost_matrix=MATRIX)
    model.fit(X[:400], Y[:400])
    said = re.search(r"Cost: (\d+) in 1,000", report(model).summary()).group(1)
    assert int(said) == pytest.approx(1000 * paid(model, MATRIX, 0.2), abs=0.51)


def amounts(X):
    """Return costs that differ from sample to sample."""
    costs = np.zeros((len(X), 2, 2))
    costs[:, 0, 1], costs[:, 1, 0] = 1, 5 * np.abs(X[:, 1])
    return costs


@pytest.mark.parametrize("inside", [lambda model: model, lambda model: make_pipeline(FunctionTransformer(), model)])
def test_costs_that_are_a_function_of_samples_are_charged(inside):
    model = inside(SelectiveClassifier(LogisticRegression(), cost_matrix=amounts, reject_cost=0.3))
    model.fit(X[:400], Y[:400])
    answers = zip(model.predict(X[400:]), Y[400:], amounts(X[400:]), strict=True)
    expected = np.mean([0.3 if answer == -1 else each[true, answer] for answer, true, each in answers])
    found = report(model)
    sentence = f"Cost: {1000 * expected:.0f} in 1,000 cases, by its own cost_matrix and reject_cost=0.3, and 300 if"
    assert sentence in " ".join(found.summary().split())
    assert found.frame.at["reject_cost_loss", "value"] == pytest.approx(expected)
    assert "ecuas_loss" not in found.frame.index  # its divisor differs from sample to sample


def test_nothing_is_said_of_a_label_without_costs():
    model = fitted(cost_matrix=amounts, reject_cost=0.3)
    with (
        pytest.warns(UserWarning, match="labels on which the classifier was not trained"),
        pytest.warns(UserWarning, match="'neg_reject_cost' takes the costs of each sample"),
    ):
        found = ConfidenceReport.from_estimator(model, X[400:], np.where(X[400:, 1] > 2, 2, Y[400:]))
    assert "Cost:" not in found.summary()


def test_models_of_different_costs_have_a_sentence_each_and_no_common_row():
    models = {"a": fitted(reject_cost=0.3), "b": fitted(reject_cost=0.2)}
    found = report(models)
    for name, cost in (("a", 0.3), ("b", 0.2)):
        assert f"Cost {name}: {1000 * paid(models[name], of_rejection=cost):.0f} in" in found.summary()
    assert "reject_cost_loss" not in found.frame.index


def test_a_requested_metric_that_does_not_know_the_costs_says_so_as_a_scorer_does():
    model = fitted(cost_matrix=MATRIX, reject_cost=0.3)
    with pytest.warns(UserWarning, match=r"own cost_matrix and reject_cost=0\.3, which reject_cost_loss does not know"):
        blind = report(model, metrics=["neg_reject_cost"])
    known = ("neg_reject_cost", {"cost_matrix": MATRIX, "reject_cost": 0.3})
    assert report(model, metrics=[known]).frame["value"].item() == pytest.approx(-paid(model, MATRIX, 0.3))
    assert blind.frame["value"].item() != pytest.approx(-paid(model, MATRIX, 0.3), rel=0.1)
    with pytest.warns(UserWarning, match="a rejection costs 0.1"):
        reject_cost_loss(blind.evidence.profiles["value"], cost_matrix=MATRIX)


def test_no_matrix_is_advised_for_costs_that_differ_from_sample_to_sample():
    profile = ConfidenceProfile.from_estimator(fitted(cost_matrix=amounts, reject_cost=0.3), X[400:], Y[400:])
    with pytest.warns(UserWarning, match=r"Pass the costs of each sample as costs=\.\.\., and reject_cost\."):
        reject_cost_loss(profile)
    with pytest.warns(UserWarning, match="'neg_reject_cost' takes the costs of each sample as costs="):
        ecuas_loss(profile, n=1)


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression().fit(X[:400], Y[:400]),
        fitted(threshold=0.8),
        fitted(cost_matrix=MATRIX, threshold=0.9),  # what a rejection costs is not known
    ],
)
@pytest.mark.filterwarnings("ignore:.*which ecuas_loss does not know")
def test_nothing_is_said_of_costs_that_are_not_known(model):
    assert "Cost:" not in report(model).summary()
