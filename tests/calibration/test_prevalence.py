"""Bayes' factor, checked against Bayes' rule on populations whose densities are known, in exact fractions."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skconf import SelectiveClassifier
from skconf.calibration import correct_prevalence

SHARE = st.floats(1e-6, 1 - 1e-6)


@st.composite
def shares(draw, n_classes):
    parts = np.array(draw(st.lists(st.floats(1e-3, 1), min_size=n_classes, max_size=n_classes)))
    return dict(enumerate((parts / parts.sum()).tolist()))


@st.composite
def tasks(draw):
    n_classes = draw(st.integers(2, 5))
    row = st.lists(st.floats(0, 1), min_size=n_classes, max_size=n_classes).filter(lambda row: sum(row) > 1e-3)
    proba = np.array(draw(st.lists(row, min_size=1, max_size=4)))
    return proba / proba.sum(axis=1, keepdims=True), draw(shares(n_classes)), draw(shares(n_classes))


def by_fractions(proba, before, after):
    rows = []
    for row in proba.tolist():
        joint = [Fraction(p) * Fraction(after[k]) / Fraction(before[k]) for k, p in enumerate(row)]
        rows.append([float(each / sum(joint)) for each in joint])
    return np.array(rows)


@given(tasks())
def test_is_bayes_rule_in_exact_fractions(task):
    proba, before, after = task
    got = correct_prevalence(proba, before, after)
    np.testing.assert_allclose(got, by_fractions(proba, before, after), rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(got.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert ((got == 0) >= (proba == 0)).all()


@given(tasks())
def test_there_and_back_again_is_where_it_was(task):
    proba, before, after = task
    back = correct_prevalence(correct_prevalence(proba, before, after), after, before)
    np.testing.assert_allclose(back, proba, atol=1e-9)


@given(SHARE, SHARE, st.lists(st.floats(-3, 5), min_size=1, max_size=5))
def test_posteriors_of_two_normal_classes(before, after, x):
    def posterior(share):
        one, zero = share * norm.pdf(x, 1.5), (1 - share) * norm.pdf(x)
        return one / (one + zero)

    got = correct_prevalence(posterior(before), {1: before}, {1: after})
    np.testing.assert_allclose(got[:, 1], posterior(after), rtol=1e-6)


def test_zeros_and_ones_stay():
    got = correct_prevalence([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]], {1: 0.5}, {1: 1e-9})
    assert got[:2].tolist() == [[0, 1], [1, 0]]


def test_labels_stand_for_their_shares_and_columns_are_found_by_name():
    truth = ["yes"] * 3 + ["no"]
    table = pd.DataFrame({"yes": [0.75, 0.2], "no": [0.25, 0.8]})
    by_name = correct_prevalence(table, truth, {"yes": 0.1})
    assert by_name[:, 0].tolist() == pytest.approx([0.1, 0.2 / 7.5 / (0.2 / 7.5 + 0.8 * 3.6)])
    by_place = correct_prevalence(table[["no", "yes"]].to_numpy(), truth, {"yes": 0.1})
    np.testing.assert_allclose(by_place[:, ::-1], by_name)
    single = correct_prevalence([0.75, 0.2], truth, {"yes": 0.1})
    np.testing.assert_allclose(single, by_place)


def test_a_model_of_half_and_half_counts_as_many_as_there_are():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 5000)
    model = LogisticRegression().fit(rng.normal(1.5 * y, 1)[:, None], y)
    there = (rng.random(100_000) < 0.01).astype(int)
    raw = model.predict_proba(rng.normal(1.5 * there, 1)[:, None])
    got = correct_prevalence(raw, y, {1: 0.01}, labels=model.classes_)
    assert raw[:, 1].sum() > 20 * there.sum()
    assert got[:, 1].sum() == pytest.approx(there.sum(), rel=0.1)


@pytest.mark.parametrize("output", ["default", "pandas"])
def test_one_line_corrects_a_pipeline(output):
    rng = np.random.default_rng(0)
    y = np.repeat(["honest", "fraud"], [3000, 1000])
    x = pd.DataFrame({"x": rng.normal(2.0 * (y == "fraud"))})
    pipeline = make_pipeline(StandardScaler(), LogisticRegression()).set_output(transform=output).fit(x, y)
    got = correct_prevalence(pipeline.predict_proba(x), y, {"fraud": 0.01}, labels=pipeline.classes_)
    raw = pipeline.predict_proba(x)
    fraud = raw[:, list(pipeline.classes_).index("fraud")]
    odds = fraud / (1 - fraud) * (0.01 / 0.99) / (1000 / 3000)
    np.testing.assert_allclose(got[:, 0], odds / (1 + odds), rtol=1e-12)


def test_a_classifier_at_a_share_ends_a_pipeline_that_is_cross_validated():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 1000)
    x = rng.normal(2.0 * y)[:, np.newaxis]
    at_share = SelectiveClassifier(
        LogisticRegression(), threshold=0, calibration="platt", cv=0.3, prevalence={1: 0.01}, random_state=0
    )
    proba = cross_val_predict(make_pipeline(StandardScaler(), at_share), x, y, method="predict_proba")
    density = [norm.pdf(x[:, 0], 2 * k) for k in (0, 1)]
    truth = 0.01 * density[1] / (0.01 * density[1] + 0.99 * density[0])
    np.testing.assert_allclose(proba[:, 1], truth, atol=0.12)
    assert 0.99 * proba[y == 0, 1].mean() + 0.01 * proba[y == 1, 1].mean() == pytest.approx(0.01, rel=0.2)


@pytest.mark.parametrize(
    ("before", "after", "labels", "word"),
    [
        ({"frau": 0.5}, {"fraud": 0.1}, ["fraud", "honest"], "'fraud'"),
        ({"fraud": 0.5}, {"fraud": 3}, ["fraud", "honest"], "0.03"),
        ({"fraud": 0.5}, {"fraud": 0.0}, ["fraud", "honest"], "above 0"),
        ({"fraud": 0.5}, {"fraud": 0.1, "honest": 0.8}, ["fraud", "honest"], "sum 0.9"),
        ({"fraud": 0.5}, {}, ["fraud", "honest"], "lacks"),
        ({"fraud": 0.5}, {"fraud": 0.1}, None, "labels"),
        ({"fraud": 0.5}, {"fraud": 0.1}, ["a", "b", "c"], "labels"),
        ({0: 0.5}, {2: 0.1, 0: 0.2, 1: 0.7}, None, "columns"),
        (["fraud", "fraud"], {"fraud": 0.1}, ["fraud", "honest"], "honest"),
    ],
)
def test_what_is_wrong_is_named(before, after, labels, word):
    with pytest.raises(ValueError, match=word):
        correct_prevalence([[0.5, 0.5]], before, after, labels=labels)


@pytest.mark.parametrize("after", [{1: "0.1"}, {1: True}])
def test_a_share_is_a_number(after):
    with pytest.raises(TypeError):
        correct_prevalence([[0.5, 0.5]], {1: 0.5}, after)


@pytest.mark.parametrize(("before", "after"), [(0.5, {1: 0.003}), ({1: 0.5}, 0.003)])
def test_a_share_belongs_to_a_label(before, after):
    with pytest.raises(TypeError, match="must map labels to shares"):
        correct_prevalence([0.2, 0.8], before, after)
