"""What helps where a model meets another share of a class: writes docs/guide/prevalence_trials.md.

Run it in a checkout with ``PYTHONPATH=tests python tests/_support/inference/prevalence_trials.py``. Raw data sets are
read from the folder that ``SKCONF_DATA`` names; QuaPy and imbalanced-learn stand in the tables if they are installed.
Pieces are kept in the folder of `--parts`, and the next run continues from there; another folder starts anew. All take
about an hour and a half of one core, or many runs of a few minutes: ``--minutes 4``.
"""

import argparse
import importlib.util
import pkgutil
import time
import warnings
from contextlib import ExitStack, contextmanager
from datetime import datetime
from functools import cache, partial
from itertools import product
from math import sqrt
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
from joblib import parallel_config
from scipy.special import expit
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBClassifier

from skconf import ConfidenceProfile, metrics, tune_threshold
from skconf.calibration import correct_prevalence, make_calibrator
from skconf.datasets import fetch_uci
from skconf.inference import confidence_interval, estimate_prevalence

SHARES = (0.003, 0.01, 0.05, 0.2)
#: The rarer class of each data set. Of digits, one against nine.
RARE = {"adult_income": ">50K", "bank_marketing": "yes", "credit": 1, "mnist": 8}
#: Data sets of the trial of rebalancing.
_REBALANCED = ("adult_income", "bank_marketing", "credit")
MODELS = {
    "logistic regression": lambda **given: make_pipeline(
        StandardScaler(), LogisticRegression(max_iter=500, class_weight="balanced" if given else None)
    ),
    "forest": lambda **given: RandomForestClassifier(100, random_state=0, class_weight="balanced" if given else None),
    "histogram boosting": lambda **given: HistGradientBoostingClassifier(
        random_state=0, class_weight="balanced" if given else None
    ),
    "XGBoost": lambda **given: XGBClassifier(n_jobs=1, random_state=0, scale_pos_weight=given.get("ratio", 1.0)),
}
#: Probabilities nearer to 0 or 1 count as this in a log loss, which a forest would have infinite.
_NEAR = 1e-6
WAYS = ("none", "undersampling", "class weights", "SMOTE")
HALF = {1: 0.5}


@cache
def read(name):
    """Return numbers for a data set's rows, and whether each is of the rarer class."""
    data = fetch_uci(name)
    if name == "mnist":
        pictures = np.asarray(data.data, dtype=float).reshape(-1, 7, 4, 7, 4)
        X = pictures.mean(axis=(2, 4)).reshape(-1, 49)
    else:
        X = pd.get_dummies(data.data, dtype=float).to_numpy()
    return X, (np.asarray(data.target) == RARE[name]).astype(int)


def made(rng, n=(26_000, 5_000)):
    """Stand for a data set in small trials."""
    y = np.repeat([0, 1], n)
    return rng.normal(0.7 * y[:, np.newaxis], 1, (len(y), 6)), y


class Rows:
    """Rows of two classes, handed out once."""

    def __init__(self, y, rng):
        self.left = [rng.permutation(np.flatnonzero(y == k)) for k in (0, 1)]

    def take(self, zeros, ones):
        taken = [each[:n] for each, n in zip(self.left, (zeros, ones), strict=True)]
        self.left = [each[n:] for each, n in zip(self.left, (zeros, ones), strict=True)]
        return np.concatenate(taken)

    def take_at(self, share, n):
        """Take rows at a share, two of the rarer class at least: a calibrator needs some."""
        ones = max(2, round(share * n))
        return self.take(n - ones, ones)


def loss_at(share, y, p):
    """Return the log loss at a share of ones over the entropy of the share: 1 is no model; and the implied share."""
    p = np.clip(p, _NEAR, 1 - _NEAR)
    cost, weights = np.where(y == 1, -np.log(p), -np.log1p(-p)), (1 - share, share)
    entropy = -np.dot(weights, np.log(weights))
    by_class = [(cost[y == k].mean(), p[y == k].mean()) for k in (0, 1)]
    loss, implied = np.array(weights) @ by_class
    return loss / entropy, implied / share


def factor(p, before, share):
    return correct_prevalence(p, {1: before}, {1: share})[:, 1]


def calibrated(name, p, y, there, share=None):
    """Return calibrated probabilities; given a share, those of a fit with weights of it in place of a factor after."""
    weight = None if share is None else 2 * np.array([1 - share, share])[y]  # of as many rows of each class
    return make_calibrator(name).fit(p, y, labels=[0, 1], sample_weight=weight).predict_proba(there)[:, 1]


class Identity(ClassifierMixin, BaseEstimator):
    """Stands for a trained classifier, of which QuaPy reads the probabilities."""

    classes_ = np.array([0, 1])

    def fit(self, _proba, _y):
        return self

    def predict_proba(self, proba):
        return proba

    def __sklearn_is_fitted__(self):
        return True


def columns(p):
    """Return probabilities of both classes, off the ends: QuaPy's calibration takes their logarithm."""
    p = np.clip(p, _NEAR, 1 - _NEAR)
    return np.column_stack([1 - p, p])


def quapy_emq(p, y):
    """Return QuaPy's EMQ with its calibration by a temperature and biases, fitted on labelled rows."""
    from quapy.method.aggregative import EMQ

    two = columns(p)
    return EMQ(Identity(), fit_classifier=False, val_split=(two, y), calib="bcts").fit(two, y), two


def by_quapy(p, y, at_use, there):
    """Return probabilities at the share that QuaPy estimates, from its own calibrated ones."""
    quantifier, _ = quapy_emq(p, y)
    share = float(np.clip(quantifier.predict(columns(at_use))[1], 1e-6, 1 - 1e-6))
    own = quantifier.calibration_function(columns(there))[:, 1]
    return factor(own, y.mean(), share)


def by_estimate(p, y, at_use, there):
    """Return probabilities at the share that is estimated here, whatever the test of label shift says."""
    share = estimate_prevalence(y, p, at_use, labels=[0, 1]).classes.loc[1, "estimate"]
    return factor(calibrated("pooled", p, y, there), y.mean(), float(np.clip(share, 1e-6, 1 - 1e-6)))


def enriched(X, y, model, rng, sizes=(2000, 250, 500, 5000, 10_000)):
    """Yield losses of one model trained on as many of each class, by method and share; and how far AUCs move."""
    n_train, n_held, n_true, n_use, n_test = sizes
    rows = Rows(y, rng)
    fit = rows.take(n_train, n_train)
    fitted = model().fit(X[fit], y[fit])
    held = rows.take(n_held, n_held)
    true = {share: rows.take_at(share, n_true) for share in SHARES}
    test = rows.take(n_test, n_test)
    p_held, p_test = (fitted.predict_proba(X[some])[:, 1] for some in (held, test))
    pooled = calibrated("pooled", p_held, y[held], p_test)
    for share in SHARES:
        # Rows at use are drawn, with replacement, from those of the test.
        ones = rng.binomial(n_use, share)
        use = [rng.choice(p_test[y[test] == k], n) for k, n in ((0, n_use - ones), (1, ones))]
        use = np.concatenate(use)
        p_true = fitted.predict_proba(X[true[share]])[:, 1]
        found = {
            "probabilities of the model, unchanged": p_test,
            "the factor alone (imbalanced-learn's proposal)": factor(p_test, 0.5, share),
            f"Platt on {n_true} rows at the true share": calibrated("platt", p_true, y[true[share]], p_test),
            f"pooled on {n_true} rows at the true share": calibrated("pooled", p_true, y[true[share]], p_test),
            f"Platt on {n_held} + {n_held} rows, then the factor": factor(
                calibrated("platt", p_held, y[held], p_test), 0.5, share
            ),
            f"pooled on {n_held} + {n_held} rows, with weights": calibrated("pooled", p_held, y[held], p_test, share),
            f"**pooled on {n_held} + {n_held} rows, then the factor**": factor(pooled, 0.5, share),
            f"the same, but the share is estimated from {n_use:,} rows without labels": by_estimate(
                p_held, y[held], use, p_test
            ),
        }
        if importlib.util.find_spec("quapy"):
            found["QuaPy (EMQ with BCTS), from the same rows without labels"] = by_quapy(p_held, y[held], use, p_test)
        area = [
            roc_auc_score(y[test], p) for p in (p_test, factor(p_test, 0.5, share), pooled, factor(pooled, 0.5, share))
        ]
        moved = max(abs(area[1] - area[0]), abs(area[3] - area[2]))
        for method, p in found.items():
            yield {"method": method, "share": share, "moved": moved} | dict(
                zip(("loss", "implied"), loss_at(share, y[test], p), strict=True)
            )


def rebalanced(X, y, model, rng, n_train=8000, n_held=250, n_test=10_000):
    """Yield losses of one model trained at the true share and rebalanced, by way, correction and share."""
    for share in SHARES:
        rows = Rows(y, rng)
        held, test = rows.take(n_held, n_held), rows.take(n_test, min(n_test, len(rows.left[1]) // 2))
        ones = max(8, min(round(share * n_train), len(rows.left[1])))
        fit = rows.take(round(ones * (1 - share) / share) if ones < share * n_train else n_train - ones, ones)
        for way in WAYS:
            some_X, some_y, given = X[fit], y[fit], {}
            if way == "undersampling":
                kept = np.append(rng.choice(fit[y[fit] == 0], ones, replace=False), fit[y[fit] == 1])
                some_X, some_y = X[kept], y[kept]
            elif way == "class weights":
                given = {"ratio": (1 - share) / share}
            elif way == "SMOTE":
                if not importlib.util.find_spec("imblearn"):
                    continue
                from imblearn.over_sampling import SMOTE

                smote = SMOTE(random_state=0, k_neighbors=min(5, ones - 1))
                some_X, some_y = smote.fit_resample(some_X, some_y)
            fitted = model(**given).fit(some_X, some_y)
            p_held, p_test = (fitted.predict_proba(X[some])[:, 1] for some in (held, test))
            pooled = factor(calibrated("pooled", p_held, y[held], p_test), 0.5, share)
            before = share if way == "none" else 0.5
            for what, p in {"raw": p_test, "factor": factor(p_test, before, share), "pooled": pooled}.items():
                yield {"method": (way, what), "share": share} | dict(
                    zip(("loss", "implied"), loss_at(share, y[test], p), strict=True)
                )


def of_pairs(trial, n_sets, tasks=None, pairs=None, **given):
    """Return what a trial yields for pairs of data and model; for all of them, by default."""
    found = []
    for (data, name), seed in product(pairs or product(RARE, MODELS), range(n_sets)):
        rng = np.random.default_rng([seed, *name.encode()])
        X, y = read(data) if tasks is None else tasks[data]
        found += [{"data": data, "model": name, **row} for row in trial(X, y, MODELS[name], rng, **given)]
    return pd.DataFrame(found)


def cells(frame, value="loss", how="mean"):
    by_pair = frame.groupby(["method", "share", "data", "model"], sort=False)[value].mean()
    return by_pair.groupby(["method", "share"], sort=False).agg(how).unstack("share")


def loss_part(frame):
    """Return the tables of models trained on as many of each class."""
    loss, implied = cells(frame), cells(frame, "implied", "median")
    rows = [
        [method, *(f"{loss.loc[method, share]:.2f} ({_ratio(implied.loc[method, share])})" for share in SHARES)]
        for method in loss.index
    ]
    mine, alone = (next(name for name in loss.index if name.startswith(start)) for start in ("**pooled", "the factor"))
    each = frame.groupby(["method", "share", "data", "model"])["loss"].mean().unstack("method")
    ahead = (each[mine] < each[alone]).groupby("share").sum()
    counts = ", ".join(f"{ahead[share]} at {_percent(share)}" for share in SHARES)
    moved = frame["moved"].max()
    changes = "does not change the area under any ROC curve"
    changes = f"changes areas under ROC curves by up to {moved:.0e}" if moved else changes
    return f"""{table([["method", *map(_percent, SHARES)], *rows])}
There are {len(each) // len(SHARES)} pairs of a data set and a model. Calibration followed by the factor is better than
the factor alone for these numbers of pairs: {counts}. The factor {changes}.
"""


def rebalanced_part(frame):
    """Return the table of models that were rebalanced: linear and trees, and each share once calibrated."""
    frame = frame.assign(kind=np.where(frame["model"] == "logistic regression", "linear", "trees"))
    names = {"raw": "uncalibrated", "factor": "factor alone", "pooled": "pooled calibration, then the factor"}
    rows = []
    for way in WAYS:
        of_way = frame[[method[0] == way for method in frame["method"]]]
        if len(of_way):
            row = [way]
            for what in names:
                some = of_way[[method[1] == what for method in of_way["method"]]]
                by_kind = some.groupby("kind")["loss"].mean()
                row.append(f"{by_kind['linear']:.2f}; {by_kind['trees']:.2f}")
            some = of_way[[method[1] == "pooled" for method in of_way["method"]]]
            rows.append([*row, *(f"{each:.2f}" for each in some.groupby("share")["loss"].mean())])
    head = ["rebalanced by", *(f"{name}: linear; trees" for name in names.values())]
    text = table([[*head, *(f"pooled calibration, then the factor: {_percent(share)}" for share in SHARES)], *rows])
    return f"{text}\nData: {', '.join(frame['data'].unique())}. Models: {', '.join(frame['model'].unique())}.\n"


# --- the share is unknown -------------------------------------------------------------------------------------------

SIZES = tuple(product((200, 1000, 5000), (200, 2000, 20_000)))


def normal(rng, y):
    return expit(2 * 1.5 * (rng.normal(1.5 * y) - 0.75))


def skewed(rng, y):
    """Draw overconfident log odds with long tails."""
    return expit(1.3 * (rng.standard_t(4, len(y)) + 2.2 * y - 1.1))


def two_kinds(rng, y):
    """Draw a rarer class of two kinds, of which one looks as the other class does."""
    return expit(2 * (rng.normal(np.where(rng.random(len(y)) < 0.7, 2.5, 0.3) * y) - 0.8))


#: QuaPy's bootstrap of so many rows takes 0.3 seconds, and of 20,000 three.
_MOST_FOR_QUAPY = 2000
POPULATIONS = {"normal": normal, "long tails": skewed, "two kinds": two_kinds}


def estimates(n_sets, sizes=SIZES, quapy_sets=0):
    """Return estimates of shares, whether intervals hold the truth, and whether label shift is refuted."""
    found = []
    for (n, m), share, (name, draw), seed in product(sizes, SHARES, POPULATIONS.items(), range(n_sets)):
        rng = np.random.default_rng([seed, n, m, round(1e6 * share), *name.encode()])
        y, at_use = np.repeat([0, 1], [n - n // 2, n // 2]), (rng.random(m) < share).astype(int)
        p, use = draw(rng, y), draw(rng, at_use)
        ours = estimate_prevalence(y, p, use)
        estimate, low, high = ours.classes.loc[1]
        row = {"n": n, "m": m, "share": share, "population": name, "error": estimate - share}
        row |= {"width": high - low, "held": np.nan if np.isnan(low) else float(low <= share <= high)}
        if seed < quapy_sets and m <= _MOST_FOR_QUAPY:
            row |= bootstrap_by_quapy(p, y, use, share)
        found.append(row)
    return pd.DataFrame(found)


def bootstrap_by_quapy(p, y, use, share):
    from quapy.method.confidence import AggregativeBootstrap

    quantifier, two = quapy_emq(p, y)
    both = AggregativeBootstrap(quantifier, n_test_samples=100, random_state=0)
    both.fit(two, y)
    with parallel_config("sequential"):
        estimate, region = both.predict_conf(columns(use))
    low, high = (np.asarray(end)[1] for end in (region.I_low, region.I_high))
    return {"quapy error": estimate[1] - share, "quapy": float(low <= share <= high)}


def estimates_part(frame):
    """Return the table of intervals by sizes, and the size of the test."""
    head = ["labelled", "not labelled", "sets", "error (root of mean square)", "interval covers the true share"]
    several = len(frame) >= 20 * len(frame.groupby(["n", "m", "population", "share"]))  # sets of each cell
    head += ["lowest share of 12 combinations"] if several else []
    head += ["width"]
    quapy = "quapy" in frame
    head += ["QuaPy: error", "QuaPy: covers"] if quapy else []
    rows = []
    for (n, m), some in frame.groupby(["n", "m"]):
        least = some.groupby(["population", "share"])["held"].mean().min()
        row = [f"{each:,}" for each in (n, m, len(some))]
        row += [_points(np.sqrt((some["error"] ** 2).mean())), f"{some['held'].mean():.2f}"]
        row += [f"{least:.2f}"] if several else []
        row += [_points(some["width"].mean())]
        if quapy:
            both = _points(np.sqrt((some["quapy error"] ** 2).mean())), share_of(some["quapy"].mean())
            row += both if some["quapy"].notna().any() else ["–", "–"]
        rows.append(row)
    text = table([head, *rows])
    text += f"\nOn average, {frame['held'].mean():.1%} of the intervals cover the true share. "
    text += f"{_by_chance(0.95, len(some))}"
    text += "Sets in which label shift is rejected have no interval, and are not counted.\n"
    if quapy:
        text += (
            "\nQuaPy's EMQ, with its calibration by BCTS and `AggregativeBootstrap`, covers the true share in "
            f"{frame['quapy'].mean():.0%} of the {frame['quapy'].count():,} sets in which it was tried.\n"
        )
    return text


def refutations(n_sets, sizes=SIZES):
    """Return whether label shift is refuted where it holds. No calibration changes the bins that the test counts."""
    found = []
    for (n, m), share, (name, draw) in product(sizes, SHARES, POPULATIONS.items()):
        rng = np.random.default_rng([1, n, m, round(1e6 * share), *name.encode()])
        for _ in range(n_sets):
            y, at_use = np.repeat([0, 1], [n - n // 2, n // 2]), (rng.random(m) < share).astype(int)
            p_value = estimate_prevalence(y, draw(rng, y), draw(rng, at_use), calibration=None).p_value
            found.append({"n": n, "m": m, "share": share, "population": name, "refuted": p_value < 0.05})
    return pd.DataFrame(found)


def refutations_part(frame):
    rows = []
    for (n, m), some in frame.groupby(["n", "m"]):
        most = some.groupby(["population", "share"])["refuted"].mean().max()
        rows.append([f"{n:,}", f"{m:,}", f"{len(some):,}", f"{some['refuted'].mean():.3f}", f"{most:.3f}"])
    return table([["labelled", "not labelled", "sets", "rejected", "rejected most often, of 12 combinations"], *rows])


# --- metrics at a share ---------------------------------------------------------------------------------------------

METRICS = {
    "accuracy": "accuracy",
    "Brier": metrics.confidence_brier_loss,
    "log loss": metrics.confidence_log_loss,
    "cw accuracy": metrics.cw_accuracy_score,
    "precision": "precision",
    "size ratio": metrics.calibrated_size_ratio,
    "capped size ratio": metrics.capped_size_ratio,
    "error rate from 0.9 up": partial(metrics.selective_risk_loss, threshold=0.9),
    "confidence gap": metrics.confidence_gap,
}
_SMALL = 1000
CLASS_SIZES = ((100, 100), (500, 500), (100, 5000), (5000, 100))
#: How far apart the classes are, and by what the log odds of the calibrated model are multiplied.
MODELS_AT = {
    "overconfident": (2, 1.5),
    "calibrated": (2, 1),
    "bad": (0.7, 1.2),
    "good": (4, 1),
    "nearly perfect": (6, 1),
}


def profile_at(share, rng, n, model="overconfident"):
    """Draw rows of each class, and the probabilities of a model at a share."""
    apart, times = MODELS_AT[model]
    y = np.repeat([0, 1], n)
    x = rng.normal(apart * y)
    p = expit(times * (apart * (x - apart / 2) + np.log(share / (1 - share))))
    return ConfidenceProfile.from_predictions(y, p).at_prevalence({1: share})


def intervals(n_sets, class_sizes=CLASS_SIZES, shares=SHARES, models=MODELS_AT, n_truth=400_000):
    """Return whether intervals of metrics at a share hold the truth, in half as many sets of thousands of rows."""
    found = []
    for model, share in product(models, shares):
        rng = np.random.default_rng([*model.encode(), round(1e6 * share)])
        everything = profile_at(share, rng, (n_truth, n_truth), model)
        truth = confidence_interval(METRICS, everything, method="delta")["value"]
        numbers = {n: n_sets if sum(n) <= _SMALL else -(-n_sets // 2) for n in class_sizes}
        for n, i in ((size, i) for size, number in numbers.items() for i in range(number)):
            one = confidence_interval(METRICS, profile_at(share, rng, n, model), random_state=i)
            held = ((one["low"] <= truth) & (truth <= one["high"])).astype(float).mask(one["low"].isna())
            found.append({"model": model, "share": share, "n": f"{n[0]:,} + {n[1]:,}", **held})
    return pd.DataFrame(found)


def _held(frame, by):
    """Return how often intervals hold the truth in groups; NaN of fewer than 20 intervals."""
    groups = frame[[*by, *METRICS]].groupby(by, sort=False)
    return groups.mean().where(groups.count() >= min(20, len(frame) // 2))


#: Numbers of errors that are expected in the rows of the common class.
_EXPECTED = {"below 0.1": 0, "0.1 to 1": 0.1, "1 to 10": 1, "10 or more": 10}


def expected_errors(model, share, n):
    """Return how many errors rows of the common class are expected to have: those beyond the threshold of Bayes."""
    apart, _ = MODELS_AT[model]
    return n * norm.sf(apart / 2 - np.log(share / (1 - share)) / apart)


def intervals_part(frame):
    common = frame["n"].str.split(" ").str[0].str.replace(",", "").astype(int)
    errors = [expected_errors(*row) for row in zip(frame["model"], frame["share"], common, strict=True)]
    frame = frame.assign(expected=np.array(list(_EXPECTED))[np.searchsorted(list(_EXPECTED.values()), errors) - 1])
    held, least, by_errors = _held(frame, ["n"]), _held(frame, ["n", "model"]).min(), _held(frame, ["expected"])
    sets = [f"{len(some):,} sets with {n} rows" for n, some in frame.groupby("n", sort=False)]
    sets[0] = sets[0].replace(" + ", " rows of the common class and ") + " of the rarer class"
    rows = [[name, *(share_of(each) for each in held[name]), share_of(least[name])] for name in METRICS]
    text = table([["metric", *held.index, "lowest share of any model and size"], *rows])
    noise = [sqrt(0.95 * 0.05 / len(some)) for _, some in frame.groupby("n", sort=False)]
    text += f"\nThere are {', '.join(sets)}. "
    text += f"So the standard error of a proportion near 0.95 is {min(noise):.3f} to {max(noise):.3f}.\n"
    text += "\nThe next table says how often the intervals cover the true value, by the number of errors that are "
    text += "expected in the rows of the common class:\n\n"
    there = [name for name in _EXPECTED if name in by_errors.index]
    more = [[name, *(share_of(by_errors.loc[errors, name]) for errors in there)] for name in METRICS]
    numbers = frame["expected"].value_counts()
    text += table([["metric", *there], *more, ["sets", *(f"{numbers[errors]:,}" for errors in there)]])
    several, none = by_errors.reindex(list(_EXPECTED)[2:]), by_errors.reindex(list(_EXPECTED)[:1])
    if several.notna().any(axis=None) and none.notna().any(axis=None):
        text += f"""
With one expected error or more, {_from_to(several)} of the intervals of a metric cover the true value.
With less than 0.1 expected errors, {_from_to(none)} of the intervals cover it, because they are wide: they contain
small error rates and large ones.
"""
    return text


def _from_to(shares):
    return f"{100 * shares.min(axis=None):.0f} to {shares.max(axis=None):.0%}"


def _by_chance(share, n_sets):
    """Say how much a share varies by chance."""
    error = sqrt(share * (1 - share) / n_sets)
    decimals = 2 if error > 0.009 else 3
    return f"With {n_sets:,} sets, the standard error of a proportion near {share:g} is {error:.{decimals}f}. "


# --- the guarantee --------------------------------------------------------------------------------------------------

#: Share of the second class, rows of each class, and the error rate that is allowed.
CELLS = ((0.003, (4000, 1000), 0.0015), (0.01, (2000, 2000), 0.005), (0.05, (5000, 100), 0.02), (0.2, (500, 500), 0.1))


def gaussians(apart, corrected=True):
    def draw(rng, n, share):
        y = np.repeat([0, 1], n)
        odds = apart * (rng.normal(apart * y) - apart / 2)
        return y, expit(odds + (np.log(share / (1 - share)) if corrected else 0))

    return draw


def hard_negatives(rng, n, share):
    y, p = gaussians(3)(rng, n, share)
    odd = (y == 0) & (rng.random(len(y)) < 0.01)
    return y, np.where(odd, rng.random(len(y)), p)


def rare_at_low_scores(rng, n, share):
    """Draw a rarer class most of whose cases look like nothing in particular."""
    y, p = gaussians(3.5)(rng, n, share)
    return y, np.where((y == 1) & (rng.random(len(y)) < 0.5), rng.uniform(0.3, 0.7, len(y)), p)


def four_classes(rng, n, share):
    """Draw four Gaussians, the last of which is the rarer class."""
    y = np.repeat(np.arange(4), [n[0] // 3, n[0] // 3, n[0] - 2 * (n[0] // 3), n[1]])
    odds = 3 * (rng.normal(size=(len(y), 4)) + 3 * np.eye(4)[y])
    raised = np.exp(odds - odds.max(axis=1, keepdims=True)) * shares_of(4, share)
    return y, raised / raised.sum(axis=1, keepdims=True)


def shares_of(n_classes, share):
    return np.append(np.full(n_classes - 1, (1 - share) / (n_classes - 1)), share)


ORDINARY = {
    "Gaussians, 2 apart": gaussians(2),
    "Gaussians, 3 apart": gaussians(3),
    "Gaussians, not corrected": gaussians(3, corrected=False),
    "1% hard negatives": hard_negatives,
    "four classes": four_classes,
    "rare cases at low scores": rare_at_low_scores,
}


def noise(bearer):
    """Return draws that are wrong with the same probability at every score, so that the error rate is the target."""

    def draw(rng, n, share):
        target = {cell[0]: cell[2] for cell in CELLS}[share] * (1 + 1e-6)
        rates = {"common": (target / (1 - share), 0), "rarer": (0, target / share), "both": (target, target)}[bearer]
        y = np.repeat([0, 1], n)
        wrong, sure = rng.random(len(y)) < np.array(rates)[y], rng.uniform(0.5, 1, len(y))
        return y, np.where((y == 1) != wrong, sure, 1 - sure)

    return draw


BEARERS = {"common": "the common class", "rarer": "the rarer class", "both": "both"}
NOISE = {f"noise of the target, borne by {of}": noise(bearer) for bearer, of in BEARERS.items()}


class Truth:
    """Coverage and error rate of every threshold, by a large sample."""

    def __init__(self, draw, share, n=500_000):
        y, p = draw(np.random.default_rng(12345), (n, n), share)
        p = np.column_stack([1 - p, p]) if p.ndim == 1 else p
        weight = (shares_of(p.shape[1], share) / np.bincount(y))[y]
        order = np.argsort(-p.max(axis=1))
        self.sure = -p.max(axis=1)[order]
        self.coverage = np.cumsum(weight[order])
        self.risk = np.cumsum((weight * (p.argmax(axis=1) != y))[order]) / self.coverage

    def at(self, threshold):
        last = np.searchsorted(self.sure, -threshold, side="right") - 1
        return (self.coverage[last], self.risk[last]) if last >= 0 else (0.0, 0.0)


@contextmanager
def _thresholds_alone():
    """Find thresholds as ever, without what takes most of the time: why there is none, and plans that sets share."""
    kept, patched = {}, {}
    for name in ("skconf.selective._mix.most_rows", "skconf.selective._risk_control._Plan.of"):
        function = pkgutil.resolve_name(name)

        def once(*given, function=function, **options):
            key = (function, *(each.tobytes() if isinstance(each, np.ndarray) else each for each in given))
            key = (*key, *options.items())
            if key not in kept:
                kept[key] = function(*given, **options)
            return kept[key]

        patched[name] = once
    patched["skconf.selective._objective.Objective._why_infeasible"] = lambda *_: "not asked"
    with ExitStack() as stack:
        for name, function in patched.items():
            stack.enter_context(mock.patch(name, function))
        yield


def promises(n_sets, populations=None, cells=CELLS, n_truth=500_000):
    """Return how often a guaranteed threshold breaks its promise, and how many cases it accepts."""
    found = []
    for (name, draw), (share, n, target) in product((populations or ORDINARY | NOISE).items(), cells):
        truth = None if name in NOISE else Truth(draw, share, n_truth)
        most = np.nan if truth is None else truth.coverage[truth.risk <= target].max(initial=0)
        rng = np.random.default_rng([*n, *name.encode()])
        with warnings.catch_warnings(), _thresholds_alone():
            warnings.filterwarnings("ignore", "Everything is rejected")
            for i in range(n_sets):
                y, p = draw(rng, n, share)
                at = dict(enumerate(shares_of(2 if p.ndim == 1 else p.shape[1], share).tolist()))
                tuned = tune_threshold(y, p, target=target, confidence_level=0.95, prevalence=at, random_state=i)
                row = {"population": name, "share": share, "most": most}
                if truth is None:
                    found.append(row | {"coverage": tuned.coverage, "violated": tuned.feasible})
                else:
                    coverage, risk = truth.at(tuned.threshold)
                    found.append(row | {"coverage": coverage, "violated": risk > target})
    return pd.DataFrame(found)


def promises_part(frame):
    head = ["population", *(f"{_percent(cell[0])}, target {cell[2]:g}" for cell in CELLS)]
    rows = []
    for name, some in frame.groupby("population", sort=False):
        by = some.groupby("share")[["violated", "coverage", "most"]].mean()
        rows.append(
            [name.replace("noise of the target, borne by", "errors at every confidence, in")]
            + [
                f"{row.violated:.3f}" + ("" if np.isnan(row.most) else f"; {row.coverage:.2f} of {row.most:.2f}")
                for row in by.itertuples()
            ]
        )
    ordinary = frame[frame["most"].notna()]
    text = table([head, *rows])
    if len(ordinary):
        answered, most = ordinary["coverage"].mean(), ordinary["most"].mean()
        text += f"\nIn the first six populations, the threshold answers {answered:.0%} of the cases on average; "
        text += f"the lowest threshold whose true error rate meets the target would answer {most:.0%}.\n"
    n_sets = len(some) // some["share"].nunique()
    limit = 0.05 + 2 * sqrt(0.05 * 0.95 / n_sets)
    return f"{text}\n{_by_chance(0.05, n_sets)}So proportions of up to {limit:.3f} can occur by chance.\n"


# --- the page -------------------------------------------------------------------------------------------------------


def share_of(share):
    return "–" if np.isnan(share) else f"{share:.2f}"


def _percent(share):
    return f"{100 * share:g}%"


def _points(share):
    return f"{100 * share:.1f}"


def _ratio(times):
    return f"{times:.0f}" if times >= 9.95 else f"{times:.1f}" if times >= 0.095 else f"{times:.2g}"


def table(rows):
    first, *others = rows
    lines = [first, ["---"] * len(first), *others]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


COMMAND = "PYTHONPATH=tests python tests/_support/inference/prevalence_trials.py"
HEAD = """\
# Trials at another prevalence

**In short.** Calibrate on rows that the model was not trained on. Then multiply the probability of each class by a
*factor*: the share of the class in production, divided by its share in these rows. This needs no labels from
production. At shares of 0.3% and 1%, calibration followed by the factor had a lower log loss than the factor alone, and
than calibration on 500 rows at the true share.

[Another page](prevalence.md) says what to do. This page has the numbers, and their dates. The command is `{command}`.
After an interruption it continues where it stopped.
"""


#: Titles of the sections, and what they are about; `n` stands for the number of sets.
ABOUT = {
    "loss": (
        "The share is known, or estimated",
        """\
The models are logistic regression, a forest, histogram boosting and XGBoost. The data are adult, bank marketing and
credit (UCI), and MNIST, where the classes are the digit 8 and all others. Each model is trained on 2,000 rows of each
class. The title of a column is the share of the rarer class in production. The test rows are weighted to this share.
The first number in a cell is the mean log loss on these rows, divided by the entropy of the class shares. A value of 1
is no better than always predicting the shares. The number in brackets is the number of positives that the
probabilities imply, divided by the true number (median). Probabilities are clipped to the range from 0.000001 to
0.999999. Number of random splits for each pair of a data set and a model: {n}.""",
    ),
    "rebalanced": (
        "Trained at the true share, and rebalanced",
        """\
The models are trained on up to 8,000 rows, in which the rarer class has the same share as in production. The classes
are balanced by one of three methods, or not at all (none). The loss is computed as for the table above. The first three
columns of losses are averages over the four shares. "Uncalibrated" means the model's own probabilities. "Factor alone"
means these probabilities, multiplied by the share of the class in production and divided by its share in the rebalanced
training rows. "Pooled calibration, then the factor" uses 250 + 250 other rows for the calibration. In each cell of
these three columns, the first loss is of logistic regression (linear), the second of XGBoost (trees). The last four
columns are for one share each, averaged over both models. Number of random splits for each pair of a data set and a
model: {n}.""",
    ),
    "estimates": (
        "The share is unknown",
        """\
The table shows how good the estimates of `estimate_prevalence` are, in three simulated populations and at shares of
0.3%, 1%, 5% and 20%. Half of the labelled rows are positive. There are {n} sets of each of the twelve combinations of a
population and a share. Errors, and widths of intervals, are in percentage points.""",
    ),
    "refutations": (
        "Label shift that holds",
        """\
`estimate_prevalence` tests whether only the shares have changed (label shift). In these simulations, only the shares
have changed, so the test should reject label shift in 5% of the sets, at p < 0.05. The table says how often the test
rejects label shift, in the same populations and at the same shares as above. The probabilities are not calibrated,
because calibration does not change the result of the test. There are {n} sets of each of the twelve combinations of a
population and a share.""",
    ),
    "intervals": (
        "Metrics at a stated share",
        """\
The table says how often 95% intervals of `at_prevalence` cover the true value. The title of a column has the number of
rows of the common class, and then of the rarer class. The first four columns of numbers are averages over five models
and shares of 0.3%, 1%, 5% and 20%. Each model separates two Gaussian classes. The distance of the classes is 2 for an
overconfident and for a calibrated model, 0.7 for a bad model, 4 for a good one, and 6 for a nearly perfect one. A dash
means fewer than 20 intervals: the size ratio depends on single errors, so it seldom has an interval. A set may have
only 100 rows of the common class, but these rows have up to 99.7% of the weight. If no answer in these rows is wrong,
the upper end of an interval is the largest error rate that is compatible with 100 rows without an error. Such intervals
are wide, and cover the true value in more than 95% of sets.""",
    ),
    "promises": (
        "The guarantee at a stated share",
        """\
The first number in a cell says how often a threshold with a guarantee of 95% breaks its promise. The second number is
the share of cases that this threshold answers, on average. The number after "of" is the share that would be answered at
the lowest threshold whose true error rate meets the target. In the last three rows, errors are equally frequent at
every confidence, and the error rate is just above the target at every threshold. So every threshold that accepts at
least one case breaks its promise. The title of a row says which class has the errors. There are {n} sets for each
cell.""",
    ),
}


def parts(sets, tasks=None, small=False):
    """Return the pieces of each section, by what makes them, and how the numbers of all pieces are written."""
    few = {"sizes": (400, 100, 100, 500, 1000)} if small else {}
    fewer = {"n_train": 800, "n_held": 100, "n_test": 1000} if small else {}
    quapy = -(-sets["estimates"] // 5) if importlib.util.find_spec("quapy") else 0
    truth = {"n_truth": 20_000} if small else {}
    sizes = SIZES[:1] if small else SIZES
    pairs = tuple(product(RARE, MODELS))
    fast = [pair for pair in pairs if pair[0] in _REBALANCED and pair[1] in ("logistic regression", "XGBoost")] or pairs
    populations = ORDINARY | NOISE

    def of_size(trial, *given):
        return {f"{n} {m}": partial(trial, *given[:1], ((n, m),), *given[1:]) for n, m in sizes}

    return {
        "loss": (
            {" ".join(pair): partial(of_pairs, enriched, sets["loss"], tasks, (pair,), **few) for pair in pairs},
            loss_part,
        ),
        "rebalanced": (
            {
                " ".join(pair): partial(of_pairs, rebalanced, sets["rebalanced"], tasks, (pair,), **fewer)
                for pair in fast
            },
            rebalanced_part,
        ),
        "estimates": (of_size(estimates, sets["estimates"], quapy), estimates_part),
        "refutations": (of_size(refutations, sets["refutations"]), refutations_part),
        "intervals": (
            {
                f"{model} {share}": partial(
                    intervals, sets["intervals"], CLASS_SIZES[: 1 if small else None], (share,), (model,), **truth
                )
                for model, share in product(MODELS_AT, SHARES)
            },
            intervals_part,
        ),
        "promises": (
            {name: partial(promises, sets["promises"], {name: draw}, **truth) for name, draw in populations.items()},
            promises_part,
        ),
    }


def section(name, sets, text, date):
    title, about = ABOUT[name]
    return f"\n## {title}\n\n{about.format(n=f'{sets:,}')} Made on {date}.\n\n{text}"


SETS = {"loss": 1, "rebalanced": 1, "estimates": 10, "refutations": 84, "intervals": 30, "promises": 2000}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", choices=SETS, default=list(SETS), help="sections to make")
    parser.add_argument("--sets", type=int, help="sets of each cell of these sections")
    parser.add_argument("--minutes", type=float, default=np.inf, help="start no piece later than this")
    parser.add_argument("--parts", type=Path, default=Path("build/prevalence_trials"), help="where pieces are kept")
    parser.add_argument("--out", type=Path, default=Path("docs/guide/prevalence_trials.md"))
    given = parser.parse_args()
    given.parts.mkdir(parents=True, exist_ok=True)
    sets = SETS if given.sets is None else SETS | dict.fromkeys(given.only, given.sets)
    page, start = HEAD.format(command=COMMAND), time.monotonic()
    _, *before = given.out.read_text().split("\n## ") if given.out.exists() else [""]
    for name, (pieces, write) in parts(sets).items():
        files = {piece: given.parts / f"{name} {sets[name]} {piece}.pkl" for piece in pieces}
        for piece, file in files.items():
            if name in given.only and not file.exists() and time.monotonic() < start + 60 * given.minutes:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    pieces[piece]().to_pickle(file)
                print(f"{time.monotonic() - start:.0f} s: {name}, {piece}", flush=True)
        missing = [piece for piece, file in files.items() if not file.exists()]
        if missing:
            print(f"{len(missing)} of {len(files)} pieces are missing, so the section stays as it was: {name}")
            page += "".join(f"\n## {each.rstrip()}\n" for each in before if each.startswith(f"{ABOUT[name][0]}\n"))
            continue
        made = datetime.fromtimestamp(max(file.stat().st_mtime for file in files.values()))
        frame = pd.concat([pd.read_pickle(file) for file in files.values()], ignore_index=True)
        page += section(name, sets[name], write(frame), f"{made:%Y-%m-%d}")
    given.out.write_text(page)


if __name__ == "__main__":
    main()
