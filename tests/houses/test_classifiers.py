"""Classifiers of other libraries, each as people use it: fitted inside, tuned, with what they alone can read."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KernelDensity
from sklearn.preprocessing import StandardScaler

from skconf import ConfidenceProfile, SelectiveClassifier, TunedSelectiveClassifierCV, get_scorer
from skconf.calibration import correct_prevalence
from skconf.metrics import confidence_brier_loss

X, CODES = load_breast_cancer(return_X_y=True)
Y = np.array(["malignant", "benign"])[CODES]
FRAME = pd.DataFrame(X[:, :4], columns=["radius", "texture", "perimeter", "area"])
FRAME["size"] = pd.Categorical(np.where(X[:, 0] > 14, "large", "small"))


def answers(model, X=X, y=Y):
    """Fit on some rows; return answers to the others, and whether each is right or rejected."""
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
    said = model.fit(X_train, y_train).predict(X_test)
    return said, said == y_test, said == "reject"


def assert_works(model, X=X, y=Y):
    said, right, rejected = answers(model, X, y)
    assert {*said} <= {"malignant", "benign", "reject"}
    assert 0 < rejected.sum() < len(said) / 2
    assert right[~rejected].mean() > 0.9


def test_lightgbm_with_missing_values_and_categories():
    lightgbm = pytest.importorskip("lightgbm")
    gaps = FRAME.mask(np.random.default_rng(0).random(FRAME.shape) < 0.1)
    model = lightgbm.LGBMClassifier(n_estimators=30, verbose=-1, random_state=0)
    assert_works(SelectiveClassifier(model, threshold=0.9, calibration="platt", random_state=0), gaps)


# LightGBM 4.7 deprecates eval_set, but its eval_y must be numbers where labels are texts.
@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
def test_lightgbm_stops_early_on_rows_that_are_held_out():
    lightgbm = pytest.importorskip("lightgbm")
    inner = lightgbm.LGBMClassifier(n_estimators=500, early_stopping_round=5, verbose=-1, random_state=0)
    assert_works(SelectiveClassifier(inner, threshold=0.9, validation_fraction=0.2, random_state=0))


def test_catboost():
    catboost = pytest.importorskip("catboost")
    model = catboost.CatBoostClassifier(iterations=30, verbose=0, allow_writing_files=False, random_seed=0)
    assert_works(SelectiveClassifier(model, threshold=0.9, calibration="isotonic", random_state=0))


def test_catboost_with_categories_that_its_fit_is_told():
    catboost = pytest.importorskip("catboost")
    table = FRAME.astype({"size": str})
    model = catboost.CatBoostClassifier(iterations=30, verbose=0, allow_writing_files=False, random_seed=0)
    tuned = TunedSelectiveClassifierCV(model, target=0.1, slices=["size"], confidence_level=0.5, random_state=0)
    tuned.fit(table, Y, cat_features=["size"])
    assert {*tuned.thresholds_.index} == {"large", "small"}
    assert {*tuned.predict(table)} == {"malignant", "benign", "reject"}


def test_histogram_boosting_with_categories_and_gaps():
    gaps = FRAME.mask(np.random.default_rng(0).random(FRAME.shape) < 0.1)
    model = HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=30, random_state=0)
    tuned = TunedSelectiveClassifierCV(model, target=0.1, slices=["size"], confidence_level=0.5, random_state=0)
    with pytest.warns(UserWarning, match="of 114 samples are rejected: their slice is missing"):
        tuned.fit(gaps, Y)
    missing = gaps["size"].isna().to_numpy()
    with pytest.warns(UserWarning, match=f"{missing.sum()} of 569 samples are rejected, .*their slice is missing"):
        said = tuned.predict(gaps)
    assert (said[missing] == "reject").all()  # nothing is promised where the slice is unknown


def test_imbalanced_learn_resamples_the_training_rows_alone():
    pipeline = pytest.importorskip("imblearn.pipeline")
    over, under = pytest.importorskip("imblearn.over_sampling"), pytest.importorskip("imblearn.under_sampling")
    rare = np.flatnonzero((CODES == 1) | (np.arange(len(CODES)) % 5 == 0))
    model = pipeline.make_pipeline(over.SMOTE(random_state=0), LogisticRegression(max_iter=5000))
    said, right, rejected = answers(SelectiveClassifier(model, threshold=0.9, random_state=0), X[rare], Y[rare])
    assert right[~rejected].mean() > 0.9
    outside = pipeline.make_pipeline(
        under.RandomUnderSampler(random_state=0), SelectiveClassifier(LogisticRegression(max_iter=5000), threshold=0.9)
    )
    assert {*answers(outside, X[rare], Y[rare])[0]} <= {*said}


def test_imbalanced_learn_is_corrected_to_the_share_at_use():
    """The rows that calibrate are not resampled, and a pipeline without calibration is corrected in one line."""
    imblearn, under = pytest.importorskip("imblearn.pipeline"), pytest.importorskip("imblearn.under_sampling")
    rng = np.random.default_rng(0)
    y = (rng.random(20_000) < 0.2).astype(int)
    x, sampler = rng.normal(2.0 * y)[:, np.newaxis], under.RandomUnderSampler(random_state=0)
    pipeline = imblearn.make_pipeline(sampler, StandardScaler(), LogisticRegression()).fit(x, y)
    there = (rng.random(50_000) < 0.03).astype(int)
    at_use = rng.normal(2.0 * there)[:, np.newaxis]
    truth = 0.03 * norm.pdf(at_use[:, 0], 2) / (0.03 * norm.pdf(at_use[:, 0], 2) + 0.97 * norm.pdf(at_use[:, 0]))
    # Undersampled to one to one; a logit of two normal classes is calibrated there.
    by_factor = correct_prevalence(pipeline.predict_proba(at_use), {1: 0.5}, {1: 0.03}, labels=pipeline.classes_)
    whole = SelectiveClassifier(
        pipeline, threshold=0, calibration="platt", cv=0.3, prevalence={1: 0.03}, random_state=0
    ).fit(x, y)
    assert pipeline.predict_proba(at_use)[:, 1].mean() > 5 * there.mean()
    for proba in (by_factor, whole.predict_proba(at_use)):
        np.testing.assert_allclose(proba[:, 1], truth, atol=0.08)
        assert proba[:, 1].mean() == pytest.approx(there.mean(), rel=0.08)
    last = imblearn.make_pipeline(sampler, SelectiveClassifier(**whole.get_params(deep=False)))
    assert last.fit(x, y).predict_proba(at_use)[:, 1].mean() == pytest.approx(there.mean(), rel=0.1)


class Bare:
    """Has what is asked for, and nothing else: no fit, no base class."""

    classes_ = np.array([0, 1])

    def predict_proba(self, X):
        malignant = np.clip((np.asarray(X)[:, 0] - 8) / 14, 0, 1)
        return np.c_[malignant, 1 - malignant]


class Trained(Bare, ClassifierMixin, BaseEstimator):
    """The same as scikit-learn wants a fitted classifier."""

    def fit(self, X, y):
        raise AssertionError("a frozen classifier is not fitted")

    def __sklearn_is_fitted__(self):
        return True


def test_a_bare_object_is_evaluated():
    proba = Bare().predict_proba(X)
    profile = ConfidenceProfile.from_estimator(Bare(), X, CODES)
    expected = np.mean((proba.max(axis=1) - (proba.argmax(axis=1) == CODES)) ** 2)
    assert confidence_brier_loss(profile) == pytest.approx(expected)
    assert get_scorer("neg_confidence_brier")(Bare(), X, CODES) == pytest.approx(-expected)


def test_an_object_of_scikit_learn_abstains_once_it_is_frozen():
    said = SelectiveClassifier(FrozenEstimator(Trained()), threshold=0.7).fit(X, CODES).predict(X)
    proba = Bare().predict_proba(X)
    assert said.tolist() == np.where(proba.max(axis=1) >= 0.7, proba.argmax(axis=1), -1).tolist()


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (type("Thing", (), {"predict_proba": Bare.predict_proba})(), "has no classes_"),
        (type("Thing", (), {"classes_": Bare.classes_})(), "predict_proba"),
    ],
)
def test_what_a_bare_object_lacks_is_named(thing, words):
    with pytest.raises((TypeError, ValueError, AttributeError), match=words):
        ConfidenceProfile.from_estimator(thing, X, CODES)


def test_a_bare_object_cannot_be_fitted_and_is_told_so():
    with pytest.raises(ValueError, match="implementing 'fit' and 'predict_proba'"):
        SelectiveClassifier(Bare(), threshold=0.7).fit(X, CODES)


class InContext(ClassifierMixin, BaseEstimator):
    """Stands for models such as TabPFN: fit keeps the rows, few of them, and probabilities are single floats."""

    def fit(self, X, y):
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.known_ = KernelDensity(bandwidth=1.0), StandardScaler().fit(X), np.asarray(X, dtype=np.float32), codes
        return self

    def predict_proba(self, X):
        density, scaler, rows, codes = self.known_
        found = [density.fit(scaler.transform(rows[codes == k])).score_samples(scaler.transform(X)) for k in (0, 1)]
        return softmax(np.stack(found, axis=1), axis=1).astype(np.float32)


@pytest.mark.parametrize("calibration", [None, "pooled", "temperature"])
def test_probabilities_in_single_precision(calibration):
    assert_works(SelectiveClassifier(InContext(), threshold=0.8, calibration=calibration, random_state=0), X[:, :5])


class Net(ClassifierMixin, BaseEstimator):
    """Stands for skorch's NeuralNetClassifier where torch is not installed: it takes what tensors take.

    X is float32, and y holds the numbers of the classes in int64, as the cross-entropy of torch wants them.
    """

    def fit(self, X, y):
        self._check(X)
        assert y.dtype == np.int64
        assert set(y) == set(range(y.max() + 1))
        self.classes_ = np.unique(y)
        self.inner_ = LogisticRegression(max_iter=5000).fit(X.astype(float), y)
        return self

    def predict_proba(self, X):
        self._check(X)
        return self.inner_.predict_proba(X.astype(float)).astype(np.float32)

    @staticmethod
    def _check(X):
        assert isinstance(X, np.ndarray)
        assert X.dtype == np.float32


def skorch_net():
    """Return a small network of skorch, where it and torch are installed: the group of these tests leaves them out."""
    torch, skorch = pytest.importorskip("torch"), pytest.importorskip("skorch")
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
    options = {"criterion": torch.nn.CrossEntropyLoss, "optimizer": torch.optim.Adam, "lr": 0.02, "max_epochs": 30}
    return skorch.NeuralNetClassifier(net, train_split=None, verbose=0, **options)


@pytest.mark.parametrize("calibration", [None, "pooled"])
@pytest.mark.parametrize("network", [Net, skorch_net])
def test_a_network_gets_samples_and_labels_in_its_own_types(network, calibration):
    small = X[:, :4].astype(np.float32)
    model = SelectiveClassifier(network(), threshold=0.9, calibration=calibration, cv=3).fit(small, CODES)
    answer = model.predict_selective(small)
    assert 0 < answer.accepted.mean() < 1
    assert (answer.prediction == CODES)[answer.accepted].mean() > 0.9
    profile = ConfidenceProfile.from_estimator(network().fit(small, CODES), small, CODES)
    assert profile.confidence.max() <= 1
