"""Scorers and labels of every kind, and folds that lack a class."""

import functools
import warnings

import numpy as np
import pandas as pd
import pytest
from _support.scoring_cases import (
    COMPARES_CLASSES,
    MODELS,
    MULTICLASS,
    RULED,
    all_by_hand,
    by_hand,
    data,
    folds,
    one_and_many,
    one_thread,  # noqa: F401
    preprocess,
    quiet,
    said,
    task,
)
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skconf import ConfidenceProfile, ConfidenceReport, SelectiveClassifier, confidence_scoring, get_scorer, metrics

RELABELLED = {
    "strings in order": lambda codes: np.array(["a", "b", "c"])[codes],
    "strings in reverse": lambda codes: np.array(["c", "b", "a"])[codes],
    "strings of other lengths": lambda codes: np.array(["zzz", "y", "xx"])[codes],
    "objects": lambda codes: np.array(["c", "a", "b"], dtype=object)[codes],
    "negative numbers": lambda codes: np.array([5, -5, 0])[codes],
    "floats": lambda codes: np.array([5.0, -5.0, 0.0])[codes],
    "booleans": lambda codes: np.array([True, False])[codes],
    "list": lambda codes: np.array(["c", "a", "b"])[codes].tolist(),
    "Series": lambda codes: pd.Series(np.array(["c", "a", "b"])[codes], index=codes.index[::-1]),
    "string Series": lambda codes: pd.Series(np.array(["c", "a", "b"])[codes], dtype="string"),
    "categorical": lambda codes: pd.Series(pd.Categorical.from_codes(codes, ["c", "a", "b"][: codes.max() + 1])),
    "ordered categorical": lambda codes: pd.Categorical.from_codes(codes, ["c", "a", "b", "d"], ordered=True),
    "nullable": lambda codes: pd.Series(np.array([5, -5, 0])[codes], dtype="Int64"),
    "nullable floats": lambda codes: pd.Series(np.array([5.0, -5.0, 0.0])[codes], dtype="Float64"),
    "nullable booleans": lambda codes: pd.Series(np.array([True, False])[codes], dtype="boolean"),
    "polars strings": lambda codes: polars().Series(np.array(["c", "a", "b"])[codes].tolist()),
    "polars categorical": lambda codes: polars().Series(
        np.array(["c", "a", "b"])[codes].tolist(), dtype=polars().Categorical
    ),
    "polars numbers": lambda codes: polars().Series(np.array([5, -5, 0])[codes]),
    "polars booleans": lambda codes: polars().Series(np.array([True, False])[codes]),
    "masked, nothing hidden": lambda codes: np.ma.array(np.array(["c", "a", "b"])[codes]),
    "column": lambda codes: np.array(["c", "a", "b"])[codes][:, np.newaxis],
}


def polars():
    return pytest.importorskip("polars")


def rows_of(y, index):
    return np.asarray(y)[index] if isinstance(y, list) else y.iloc[index] if isinstance(y, pd.Series) else y[index]


class TestLabels:
    @pytest.mark.parametrize("model", ["logistic", "selective"])
    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize("kind", RELABELLED)
    def test_the_kind_and_order_of_labels_change_no_score_without_a_positive_class(self, kind, n_classes, model):
        if "booleans" in kind and n_classes == 3:
            pytest.skip("there are two booleans")
        _, codes = data(n_classes, n=90)
        y = RELABELLED[kind](pd.Series(codes))
        assert self.scores(y, n_classes, model) == pytest.approx(self.scores_of_codes(n_classes, model), rel=1e-5)

    @staticmethod
    def scores(y, n_classes, model):
        X = data(n_classes, n=90)[0][["age", "size"]].to_numpy()
        train, test = np.arange(0, 90, 2), np.arange(1, 90, 2)
        fitted = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-10))
        if model == "selective":
            fitted = SelectiveClassifier(fitted, threshold=0.6, calibration="platt", cv=2)
        fitted.fit(X[train], np.ravel(rows_of(y, train)))
        names = ["cw_accuracy", "neg_aurc", "neg_ece", "cf1_macro", "neg_ecuas_1", "cwsa", "neg_csr_excess"]
        return confidence_scoring(names)(fitted, X[test], rows_of(y, test))

    @staticmethod
    @functools.cache
    def scores_of_codes(n_classes, model):
        return TestLabels.scores(data(n_classes, n=90)[1], n_classes, model)

    @pytest.mark.parametrize("kind", [kind for kind in RELABELLED if kind not in ("strings in order", "column")])
    def test_cross_validate_takes_them(self, kind):
        X, codes = data(2, n=90)
        y = RELABELLED[kind](pd.Series(codes))
        given = {"cv": StratifiedKFold(3), "scoring": confidence_scoring(["cw_accuracy", "cf1"])}
        model = make_pipeline(preprocess(), LogisticRegression(tol=1e-10))
        scores = cross_validate(model, X, y, error_score="raise", **given)
        # In all of these the first number has the second label: the classes have changed places.
        expected = cross_validate(model, X, 1 - codes, **given)
        np.testing.assert_allclose(scores["test_cf1"], expected["test_cf1"], rtol=1e-6)
        np.testing.assert_allclose(scores["test_cw_accuracy"], expected["test_cw_accuracy"], rtol=1e-6)

    @one_and_many
    @pytest.mark.parametrize(
        ("y", "message"),
        [
            (np.ma.array([0, 1, 1], mask=[False, True, False]), "^y .* hidden"),
            (np.array([1j, 0, 1]), "Complex data not supported: y holds complex numbers"),
            (pd.Series([0, pd.NA, 1], dtype="Int64"), "y has a missing label in row 1"),
            ([0, None, 1], "y has a missing label in row 1"),
            ([0, 1, "1"], "y holds labels of type int, str, such as '1', but the classes are of type"),
            (pd.to_datetime(["2020", "2021", "2020"]), "y holds labels of type Timestamp.* cannot be compared"),
            (np.eye(3), r"y must be a single column of labels, but has shape \(3, 3\)"),
            ([0, 1], "y has 2 rows, but there are 3 predictions"),
            ([], "y is empty"),
        ],
        ids=["hidden", "complex", "NA", "None", "mixed", "dates", "matrix", "short", "empty"],
    )
    def test_what_are_no_labels_is_an_error_that_names_y(self, make, y, message):
        model = DummyClassifier(strategy="prior").fit(np.zeros((4, 1)), [0, 1, 1, 0])
        with pytest.raises(ValueError, match=message):
            make("cw_accuracy")(model, np.zeros((3, 1)), y)

    @pytest.mark.parametrize("name", ["y_true", "y_proba", "y_pred", "sample_weight"])
    def test_hidden_values_are_an_error_of_the_function_too(self, name):
        given = {"y_true": [0, 1, 1], "y_proba": [0.2, 0.7, 0.6], "y_pred": [0, 1, 0], "sample_weight": [1, 2, 3]}
        given[name] = np.ma.array(given[name], mask=[True, False, False])
        y_true, y_proba = given.pop("y_true"), given.pop("y_proba")
        with pytest.raises(ValueError, match=f"^{name} "):
            metrics.cw_accuracy_score(y_true, y_proba, **given)

    def test_dates_that_the_classifier_knows_are_labels(self):
        dates = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]")[[0, 1, 1, 0]]
        model = DummyClassifier(strategy="prior").fit(np.zeros((4, 1)), dates)
        assert get_scorer("cw_accuracy")(model, np.zeros((4, 1)), dates) == 0.5

    def test_the_positive_class_is_the_second_label(self):
        fitted, X, y = folds("logistic", 2)[0]
        assert fitted.classes_.tolist() == ["no", "yes"]
        soft = fitted.predict_proba(X)[:, 1]
        assert get_scorer("cf1")(fitted, X, y) == pytest.approx(
            2 * soft[y == "yes"].sum() / (soft.sum() + (y == "yes").sum())
        )


# --- folds that lack a class --------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:y holds labels on which the classifier was not trained")
class TestMissingClasses:
    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("left", [[0, 1], [0, 2], [1, 2], [0], [2]])
    def test_one_missing_from_the_test_fold_changes_nothing(self, left, model):
        fitted, X, y = folds(model, 3)[0]
        kept = np.isin(y, fitted.classes_[left])
        proba, given = said(fitted, X[kept])
        with quiet():
            expected = all_by_hand(MULTICLASS, y[kept], proba, fitted.classes_, **given)
            assert confidence_scoring(MULTICLASS)(fitted, X[kept], y[kept]) == pytest.approx(expected, nan_ok=True)
        undefined = {name for name, value in expected.items() if np.isnan(value)}
        assert undefined == (set() if len(left) > 1 else COMPARES_CLASSES)

    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("left", [0, 1])
    def test_a_binary_test_fold_of_one_class_still_has_two_columns(self, left, model):
        fitted, X, y = folds(model, 2)[0]
        kept = y == fitted.classes_[left]
        proba, given = said(fitted, X[kept])
        with quiet():
            expected = all_by_hand(RULED, y[kept], proba, fitted.classes_, **given)
            assert confidence_scoring(RULED)(fitted, X[kept], y[kept]) == pytest.approx(expected, nan_ok=True)
        assert {name for name, value in expected.items() if np.isnan(value)} == COMPARES_CLASSES

    @pytest.mark.parametrize("unseen", [0, 1, 2])
    @pytest.mark.parametrize("model", ["logistic", "selective"])
    def test_one_missing_from_training_has_probability_zero(self, model, unseen):
        X, y = task(model, 3)
        classes = np.unique(y)
        train = np.flatnonzero(y != classes[unseen])[::2]
        fitted = MODELS[model]().fit(X.iloc[train], y[train])
        test = np.setdiff1d(np.arange(len(y)), train)
        proba, given = said(fitted, X.iloc[test])
        with quiet():
            scores = confidence_scoring(MULTICLASS)(fitted, X.iloc[test], y[test])
            expected = all_by_hand(MULTICLASS, y[test], np.insert(proba, unseen, 0.0, axis=1), classes, **given)
        assert scores == pytest.approx(expected, rel=1e-12)
        assert np.isfinite(list(expected.values())).all()

    @pytest.mark.parametrize("unseen", [0, 1, 2])
    @pytest.mark.parametrize(
        ("name", "params"),
        [
            ("neg_ecuas", {"n": 1, "cost_matrix": np.array([[0, 1, 4], [3, 0, 2], [1, 5, 0]])}),
            ("cwsa", {"threshold": 0.4, "similarity": np.array([[1, 0.5, 0], [0.25, 1, 0.75], [0, 0.125, 1]])}),
        ],
        ids=["costs", "similarities"],
    )
    def test_matrices_of_classes_stay_in_the_order_of_the_labels(self, name, params, unseen):
        X, y = task("logistic", 3)
        classes = np.unique(y)
        train = np.flatnonzero(y != classes[unseen])[::2]
        fitted = MODELS["logistic"]().fit(X.iloc[train], y[train])
        proba = np.insert(fitted.predict_proba(X), unseen, 0.0, axis=1)
        with quiet():  # an answer that is not the cheapest may be less certain than any guess
            expected = by_hand(name, y, proba, classes, y_pred=classes[proba.argmax(axis=1)], **params)
            assert get_scorer(name, **params)(fitted, X, y) == pytest.approx(expected, rel=1e-12)

    def test_xgboost_without_its_last_class(self):
        X, y = task("xgboost", 3)
        train, test = np.flatnonzero(y < 2)[::2], np.arange(len(y))[1::2]
        fitted = MODELS["xgboost"]().fit(X.iloc[train], y[train])
        proba = np.c_[fitted.predict_proba(X.iloc[test]), np.zeros(len(test))]
        with quiet():
            scores = confidence_scoring(MULTICLASS)(fitted, X.iloc[test], y[test])
            assert scores == pytest.approx(all_by_hand(MULTICLASS, y[test], proba, [0, 1, 2]), rel=1e-6)
        assert np.isfinite(list(scores.values())).all()

    @pytest.mark.parametrize("trained_on", [0, 1])
    def test_a_binary_classifier_that_saw_one_class_leaves_the_positive_one_in_its_place(self, trained_on):
        X, y = np.zeros((5, 1)), np.array([0, 1, 1, 0, 1])
        fitted = DummyClassifier().fit(X, np.full(5, trained_on))
        with quiet():
            expected = all_by_hand(RULED, y, np.full(5, float(trained_on)), [0, 1])
            assert confidence_scoring(RULED)(fitted, X, y) == pytest.approx(expected, nan_ok=True)
        assert expected["cf1"] == (0.75 if trained_on else 0)  # 2 · 3 / (5 + 3)

    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize("model", MODELS)
    def test_a_fold_of_one_class_costs_what_compares_classes_and_nothing_else(self, model, n_classes):
        X, y = task(model, n_classes)
        names = RULED if n_classes == 2 else MULTICLASS
        alone = np.flatnonzero(y == y[0])[:20]
        rest = np.setdiff1d(np.arange(len(y)), alone)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            scores = cross_validate(
                MODELS[model](), X, y, cv=[(rest, alone)], scoring=confidence_scoring(names), error_score="raise"
            )
        undefined = {name for name in names if np.isnan(scores[f"test_{name}"]).any()}
        assert undefined == COMPARES_CLASSES
        assert len([w for w in caught if "cw_roc_auc_score is undefined" in str(w.message)]) == len(COMPARES_CLASSES)

    @pytest.mark.parametrize("model", MODELS)
    def test_cross_validation_of_a_rare_class_has_no_nan(self, model):
        X, y = data(2)
        y[100::9] = 2
        y = y if model == "xgboost" else np.array(["a", "b", "c"])[y]
        cv = [(np.arange(100), np.arange(100, 150)), (np.arange(50, 150), np.arange(50))]
        assert [(len(set(y[train])), len(set(y[test]))) for train, test in cv] == [(2, 3), (3, 2)]
        with quiet():
            scores = cross_validate(MODELS[model](), X, y, cv=cv, scoring=confidence_scoring(MULTICLASS))
        assert all(np.isfinite(scores[f"test_{name}"]).all() for name in MULTICLASS)


class TestUnknownLabels:
    """A label that the classifier does not know makes all answers in its rows wrong, which is said."""

    X = np.random.default_rng(0).normal(size=(200, 2))
    Y = np.where(X[:, 0] > 0, "paid", "default")

    @pytest.mark.parametrize(
        "score",
        [
            lambda model, X, y: model.score(X, y),
            get_scorer("cw_accuracy"),
            confidence_scoring(["accuracy", "neg_ece", "cf1"]),
            ConfidenceProfile.from_estimator,
            ConfidenceReport.from_estimator,
        ],
    )
    @pytest.mark.parametrize("written", ["Paid", " paid", "payed"])
    def test_one_warning_names_rows_classes_and_the_label_that_was_meant(self, score, written):
        model = SelectiveClassifier(LogisticRegression()).fit(self.X, self.Y)
        y = np.where(np.arange(200) < 50, self.Y, np.where(self.Y == "paid", written, self.Y))
        rows = np.flatnonzero(y == written)
        with warnings.catch_warnings(record=True) as issued:
            warnings.simplefilter("always")
            score(model, self.X, y)
        [text] = [str(each.message) for each in issued if "not trained" in str(each.message)]
        assert f"[{written!r}], in {len(rows)} of 200 rows, first in row {rows[0]}." in text
        assert "['default', 'paid']" in text
        assert ("Did you mean 'paid' instead of" in text) == (written != "payed")

    def test_nothing_is_said_of_labels_that_are_known(self):
        model = SelectiveClassifier(LogisticRegression()).fit(self.X, self.Y)
        assert get_scorer("cw_accuracy")(model, self.X[:5], self.Y[:5]) == pytest.approx(1, abs=0.5)
