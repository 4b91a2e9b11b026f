"""Every calibrator on predictions of real models, beside the pool: the numbers of the guide's page on calibrators.

``python -m pytest -n 0 -m slow -s tests/calibration/test_trial.py`` prints the tables. Besides what comes with
scikit-learn, or is made up, it takes the score files in the folder SKCONF_TEST_DATA and the data sets in SKCONF_DATA.
"""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skconf.calibration import make_calibrator
from skconf.datasets import fetch_uci
from skconf.metrics import calibrated_size_ratio, calibrated_size_ratio_zscore

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

SHARED = ["platt", "isotonic", "smoothed_isotonic", "temperature", "venn_abers", "matrix"]
NAMES = {2: [*SHARED, "quadratic", "beta", "spline"], 3: [*SHARED, "affine"]}
SIZES = (50, 200, 1000, 3000)
#: Number of classes, separation, share of noise, seed.
MADE_UP = [(2, 1.0, 0.1, 101), (2, 0.6, 0.02, 102), (2, 2.0, 0.02, 103), (3, 1.0, 0.1, 104), (6, 1.5, 0.02, 105)]
UCI = ("adult_income", "bank_marketing", "credit", "wine", "accelerometer", "obesity")


def data_sets():
    yield "breast_cancer", *load_breast_cancer(return_X_y=True)
    yield "digits", *load_digits(return_X_y=True)
    for n_classes, separation, noise, seed in MADE_UP:
        yield (
            f"made up {seed}",
            *make_classification(
                8000, 15, n_informative=9, n_classes=n_classes, class_sep=separation, flip_y=noise, random_state=seed
            ),
        )
    for name in UCI if "SKCONF_DATA" in os.environ else ():
        data = fetch_uci(name)
        X, y = pd.get_dummies(data.data).to_numpy(float), pd.factorize(data.target, sort=True)[0]
        some = np.random.default_rng(7).permutation(len(y))[:8000]
        yield name, X[some], y[some]


def predictions():
    """Yield a name, probabilities and true classes of samples that the model was not trained on."""
    models = [
        RandomForestClassifier(60, random_state=1),
        GaussianNB(),
        HistGradientBoostingClassifier(max_iter=60, random_state=1),
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=200)),
    ]
    for name, X, y in data_sets():
        kept = np.isin(y, np.flatnonzero(np.bincount(y) >= 8))
        X, y = X[kept], np.unique(y[kept], return_inverse=True)[1]
        X_train, X, y_train, y = train_test_split(X, y, train_size=min(1500, len(y) // 4), stratify=y, random_state=1)
        for model in models:
            yield name, model.fit(X_train, y_train).predict_proba(X), y
    if "SKCONF_TEST_DATA" in os.environ:
        for file in sorted((Path(os.environ["SKCONF_TEST_DATA"]) / "scores").glob("*.scores.npy")):
            scores = np.load(file).astype(float)
            if scores.shape[1] <= 20:
                targets = np.load(str(file).replace(".scores.", ".targets."))
                yield file.name.removesuffix(".scores.npy"), softmax(scores, axis=1), targets.astype(int)


def measured(proba, y, n):
    """Return Brier score, log loss, and the size ratio, with its z of no more samples than it was calibrated on."""
    rows, labels = np.arange(len(y)), np.arange(proba.shape[1])
    brier = np.square(proba - np.eye(proba.shape[1])[y]).sum(axis=1).mean()
    log_loss = -np.log(np.maximum(proba[rows, y], 1e-16)).mean()
    few = y[:n], proba[:n]
    tail = calibrated_size_ratio(*few, labels=labels), calibrated_size_ratio_zscore(*few, labels=labels)
    return (brier, log_loss, *tail)


@pytest.fixture(scope="module")
def runs():
    """One row for each predictions, number of calibration samples and calibrator."""
    found = []
    for number, (name, proba, y) in enumerate(predictions()):
        for n in SIZES:
            order = np.random.default_rng([number, n, 7]).permutation(len(y))
            fit, test = order[:n], order[n : n + 2000]
            if len(test) < 150 or len(np.unique(y[fit])) < 2:
                continue
            labels = np.arange(proba.shape[1])
            for calibration in ("none", *NAMES[min(proba.shape[1], 3)], "pooled"):
                got = proba[test]
                if calibration != "none":
                    model = make_calibrator(calibration).fit(proba[fit], y[fit], labels=labels)
                    got = model.predict_proba(got)
                found.append((name, number, n, proba.shape[1] > 2, calibration, *measured(got, y[test], n)))
    columns = ["data", "model", "n", "many", "calibration", "brier", "log_loss", "csr", "z"]
    return pd.DataFrame(found, columns=columns)


def table(runs):
    """Return each calibration beside the pool: how often the pool wins, how much is lost, and the tail."""
    keys = ["model", "n"]
    pool = runs.query("calibration == 'pooled'").set_index(keys)
    rows = {}
    for name, part in runs.groupby("calibration", sort=False):
        other = part.set_index(keys).loc[pool.index]
        row = {}
        for loss in ("brier", "log_loss"):
            row[f"wins, {loss}"] = (pool[loss] < other[loss]).mean() + (pool[loss] == other[loss]).mean() / 2
            row[f"mean {loss}"] = other[loss].mean()
        row["CSR > 3"], row["z > 1"], row["z > 3"] = (
            (other["csr"] > 3).mean(),
            (other["z"] > 1).mean(),
            (other["z"] > 3).mean(),
        )
        rows[name] = row
    return pd.DataFrame(rows).T


@pytest.mark.parametrize("many", [False, True], ids=["two classes", "more"])
def test_the_pool_beats_every_single_one(runs, many):
    part = runs[runs["many"] == many]
    found = table(part)
    print(f"\n{part[['model', 'n']].drop_duplicates().shape[0]} runs on {part['data'].nunique()} data sets")
    print(found.round(3).to_string())
    for n in SIZES:
        print(n, table(part[part["n"] == n])[["wins, brier", "wins, log_loss"]].round(2).T.to_string(), sep="\n")
    others = found.drop(index="pooled")
    assert (others["wins, brier"] > 0.5).all()
    assert (others["wins, log_loss"] > 0.5).all()
    assert (others["mean log_loss"] > found.loc["pooled", "mean log_loss"]).all()
    assert found.loc["pooled", "CSR > 3"] <= 0.03
    assert found.loc["pooled", "z > 3"] <= 0.06
