"""What a learned confidence gains on top of the pooled calibration: the numbers of the guide's page.

``python -m pytest -n 0 -m slow -s tests/selective/test_learned_trial.py`` prints the tables. Besides what comes with
scikit-learn, or is made up, it takes the data sets in the folder SKCONF_DATA.
"""

import os

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from scipy.stats import t as student
from sklearn.datasets import load_breast_cancer, load_digits, make_classification, make_hastie_10_2, make_moons
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBClassifier

from skconf import SelectiveClassifier, TunedSelectiveClassifierCV
from skconf.calibration import LearnedConfidence
from skconf.datasets import fetch_uci
from skconf.metrics import aurc_loss
from skconf.profile import ConfidenceProfile

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

SEEDS = range(3)
#: Number of classes, separation, share of noise, seed.
MADE_UP = [(2, 1.0, 0.1, 201), (2, 0.6, 0.02, 202), (4, 1.0, 0.05, 203), (6, 1.5, 0.02, 204)]
UCI = ("adult_income", "bank_marketing", "credit", "wine", "accelerometer", "obesity", "diabetes")


def data_sets():
    yield "breast_cancer", *load_breast_cancer(return_X_y=True)
    yield "digits", *load_digits(return_X_y=True)
    for n_classes, separation, noise, seed in MADE_UP:
        yield (
            f"made up {seed}",
            *make_classification(
                7000, 15, n_informative=9, n_classes=n_classes, class_sep=separation, flip_y=noise, random_state=seed
            ),
        )
    X, y = make_hastie_10_2(7000, random_state=0)
    yield "hastie", X, y > 0
    X, y = make_moons(7000, noise=0.35, random_state=0)
    yield "moons", np.column_stack([X, np.random.default_rng(0).normal(size=(7000, 3))]), y
    for name in UCI if "SKCONF_DATA" in os.environ else ():
        data = fetch_uci(name)
        X, y = pd.get_dummies(data.data).to_numpy(float), pd.factorize(data.target, sort=True)[0]
        some = np.random.default_rng(7).permutation(len(y))[:12_000]
        yield name, X[some], y[some]


def booster(**params):
    return HistGradientBoostingClassifier(random_state=1, **params)


def tuned(X, y):
    """Return the better of a small and a larger booster."""
    grid = {"max_leaf_nodes": [4, 10]}
    search = GridSearchCV(booster(max_iter=40, l2_regularization=1.0), grid, cv=2, scoring="neg_log_loss", refit=False)
    return search.fit(X, y).best_params_


def models(X, y):
    return {
        "forest": RandomForestClassifier(60, random_state=1),
        "booster": booster(),
        "xgboost": XGBClassifier(n_jobs=1),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=200)),
        "tuned booster": booster(max_iter=40, l2_regularization=1.0, **tuned(X, y)),
    }


@pytest.fixture(scope="module")
def runs():
    """One row for each data set, seed and model: the change of AURC, in percent."""
    found = []
    for name, X, y in data_sets():
        kept = np.isin(y, np.flatnonzero(np.bincount(y) >= 15))
        X, y = X[kept], np.unique(y[kept], return_inverse=True)[1]
        for seed in SEEDS:
            n = min(2000, int(0.6 * len(y)))
            X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=n, stratify=y, random_state=seed)
            X_test, y_test = X_test[:4000], y_test[:4000]
            for kind, model in models(X_train, y_train).items():
                selective = SelectiveClassifier(model, calibration="pooled", confidence=LearnedConfidence())
                answer = selective.fit(X_train, y_train).predict_selective(X_test)
                right = answer.prediction == y_test
                raw, learned = (
                    aurc_loss(ConfidenceProfile.from_correctness(right, score))
                    for score in (answer.proba.max(axis=1), answer.score)
                )
                kept = bool(selective.confidence_.weights_[1:].any())
                found.append((name, seed, y.max() > 1, kind, 100 * (learned / raw - 1), kept, int((~right).sum())))
                print(*found[-1], flush=True)
    return pd.DataFrame(found, columns=["data", "seed", "many", "model", "change", "kept", "errors"])


def by_task(runs):
    """Return the mean change over seeds of each data set and model, with its 95% interval."""
    grouped = runs.groupby(["data", "model"])["change"]
    half = student.ppf(0.975, grouped.size() - 1) * grouped.std() / np.sqrt(grouped.size())
    return pd.DataFrame({"mean": grouped.mean(), "low": grouped.mean() - half, "high": grouped.mean() + half})


def test_what_it_gains(runs):
    print(f"\n{len(runs)} runs on {runs['data'].nunique()} data sets")
    table = runs.pivot_table(index="many", columns="model", values=["change", "kept"], sort=False)
    print(table.round(2).to_string())
    print(by_task(runs).round(1).to_string())
    assert (table["change"] < -3).all(axis=None)
    assert (by_task(runs)["low"] <= 1.5).all()


class OneColumn(LogisticRegression):
    """A classifier that looks at the first column alone, so that there is something left to learn."""

    def fit(self, X, y):
        return super().fit(X[:, :1], y)

    def predict_proba(self, X):
        return super().predict_proba(X[:, :1])


def test_the_guarantee_holds_as_often_as_promised():
    """2,000 draws from a population of 5,000 samples, of which the true risk is counted."""
    X, y = make_classification(
        5000, 4, n_informative=4, n_redundant=0, n_clusters_per_class=3, flip_y=0.1, class_sep=1.2, random_state=0
    )
    frozen = FrozenEstimator(OneColumn().fit(X[:300], y[:300]))
    wrong = frozen.predict_proba(X).argmax(axis=1) != y
    n_sets, target, level, broken, coverage = 2000, 0.15, 0.9, 0, 0.0
    for seed in range(n_sets):
        rows = np.random.default_rng([1, seed]).integers(0, len(y), 400)
        model = TunedSelectiveClassifierCV(
            frozen, target=target, confidence_level=level, confidence=LearnedConfidence(cv=2), random_state=seed
        )
        accepted = model.fit(X[rows], y[rows]).accept(X)
        coverage += accepted.mean() / n_sets
        broken += accepted.any() and wrong[accepted].mean() > target
    print(f"\nbroken {broken} times in {n_sets}, mean coverage {coverage:.3f}")
    assert coverage > 0.1
    assert broken <= binom.ppf(0.999, n_sets, 1 - level)
