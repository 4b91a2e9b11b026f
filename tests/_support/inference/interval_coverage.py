"""How often intervals hold the truth, and how often comparisons find what is not there: simulations.

Run with ``python tests/_support/inference/interval_coverage.py [n_sets]``; it prints the tables of the
guide to intervals. They take an hour or two of one core.
"""

import sys
import warnings
from dataclasses import fields
from functools import cache, partial

import numpy as np
import pandas as pd
from _support.definitions import DEFINITIONS
from _support.predictions import draw_labels, draw_profile
from joblib import Parallel, delayed
from scipy.optimize import brentq
from scipy.special import expit

from skconf import ConfidenceProfile, metrics
from skconf.inference import compare, confidence_interval

#: By how much each model overstates its log odds: 1 is a calibrated one.
MODELS = {"calibrated": 1.0, "overconfident": 1.6}
SIZES = (200, 1_000, 10_000)
#: Few, for time: the standard deviation of 59 is off by 9%, which costs intervals half a point of coverage.
N_RESAMPLES = 59
#: Their value depends on the number of samples itself, or they are no number.
NO_POPULATION_VALUE = ("calibrated_size_ratio_std", "calibrated_size_ratio_zscore", "overconfidence_risk", "tce_error")


def every_metric():
    """Return every metric that has a value in a population, at one set of parameters, and some at others."""
    found = {}
    for name, cls in sorted(DEFINITIONS.items()):
        own = {field.name for field in fields(cls)}
        params = {"average": "macro"} if "average" in own else {}
        params |= {"zero_division": 0} if "zero_division" in own else {}
        if cls.result is not float or name in NO_POPULATION_VALUE:
            continue
        found[name] = partial(getattr(metrics, name), **params)
    for eps in (0.01, 0.05):
        found[f"calibrated_size_ratio(eps={eps})"] = partial(metrics.calibrated_size_ratio, eps=eps)
    found["ecuas_loss(n=1)"] = partial(metrics.ecuas_loss, n=1)
    found["selective_risk_loss(threshold=0.9)"] = partial(metrics.selective_risk_loss, threshold=0.9)
    found["expected_calibration_error(strategy='quantile')"] = partial(
        metrics.expected_calibration_error, strategy="quantile"
    )
    return found


def draw(n_samples, temperature, rng):
    """Draw log odds of three classes, what the model makes of them, and the true probabilities."""
    spread = rng.gamma(4.0, 0.6, size=(n_samples, 1))
    stated = rng.normal(size=(n_samples, 3)) * spread + np.array([0.5, 0.0, -0.5])
    return softmax(stated), softmax(stated / temperature)


def softmax(logits):
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def profile_of(y, proba, **given):
    return ConfidenceProfile.from_predictions(y, proba, labels=[0, 1, 2], **given)


@cache
def metrics_by(method):
    """Return the metrics whose intervals are found by "delta", or by "bootstrap"."""
    profile = draw_profile(2000)
    resampled = {
        name for name, metric in every_metric().items() if confidence_interval(metric, profile).method == "bootstrap"
    }
    return {name: metric for name, metric in every_metric().items() if (name in resampled) == (method == "bootstrap")}


def true_values(names, temperature, n_points=2_000_000):
    """Return metrics of the population: every label of every point, weighted by its probability."""
    proba, true = draw(n_points, temperature, np.random.default_rng(12345))
    labels = np.repeat([0, 1, 2], n_points)
    weights = true.T.ravel()
    population = profile_of(labels, np.tile(proba, (3, 1)), sample_weight=weights / weights.mean())
    truth = pd.Series({name: float(every_metric()[name](population)) for name in names})
    if temperature == 1:  # exactly, which the points that stand for the population only come near
        truth[[name for name in names if "calibration" in name]] = 0.0
    return truth


def one_set(method, n_samples, temperature, seed, truth):
    """Return, for every metric, whether the interval of one set of samples holds the truth."""
    rng = np.random.default_rng([seed, n_samples])
    proba, true = draw(n_samples, temperature, rng)
    profile = profile_of(draw_labels(true, rng), proba)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        asked = {"method": method, "n_resamples": N_RESAMPLES, "random_state": rng}
        found = confidence_interval(metrics_by(method), profile, **asked)
    return (found["low"] <= truth) & (truth <= found["high"])


def coverage(method, n_sets, sizes=SIZES, n_jobs=-1):
    """Return the share of 95% intervals that hold the truth, by metric, number of samples and model."""
    columns = {}
    for model, temperature in MODELS.items():
        truth = true_values(metrics_by(method), temperature)
        for size in sizes:
            jobs = (delayed(one_set)(method, size, temperature, seed, truth) for seed in range(n_sets))
            columns[f"{size:,}", model] = pd.concat(Parallel(n_jobs=n_jobs)(jobs), axis=1).mean(axis=1)
            print(method, model, size, "done", file=sys.stderr, flush=True)
    return pd.DataFrame(columns).sort_index(axis=1, level=0, key=lambda sizes: sizes.str.replace(",", "").astype(int))


#: Metrics whose intervals are asked for where few errors decide, of the families that have phantoms of their own.
FEW = {
    "confidence_roc_auc_score": metrics.confidence_roc_auc_score,
    "cw_roc_auc_score": metrics.cw_roc_auc_score,
    "aurc_loss": metrics.aurc_loss,
    "ecuas_loss": metrics.ecuas_loss,
    "cwsa_score": metrics.cwsa_score,
    "confidence_log_loss": metrics.confidence_log_loss,
    "selective_risk_loss": partial(metrics.selective_risk_loss, threshold=0.5),
    "crecall_score": metrics.crecall_score,
    "cw_f1_score": partial(metrics.cw_f1_score, zero_division=0),
    "capped_size_ratio": metrics.capped_size_ratio,
}
#: Populations of a binary task in which few of 100 or 1,000 answers are wrong: 3%, of the rare class 1%.
POPULATIONS = {
    "calibrated": "the log odds of being right are |N(μ, 1.6)|",
    "too sure": "the stated ones are 1.6 times as large",
    "too modest": "they are 1.6 times as small",
    "rare class": "the log odds of a class are N(μ, 1.6), and 1% of the samples are of it",
    "ties": "confidences are rounded to tenths",
    "half at 1": "half of the answers are right at a confidence of 1, and 6% of the rest wrong",
    "weights": "a tenth of the samples weigh ten times as much",
    "heavy errors": "and err three times as often",
}


@cache
def shift_of(population):
    """Return the mean μ of log odds at which as many answers are wrong, or samples are of the class, as are wanted."""
    odds = np.random.default_rng(1).normal(0, 1.6, 400_000)
    share = {"half at 1": 0.06, "rare class": 0.01}.get(population, 0.03)

    def excess(shift):
        return expit(odds - shift if population == "rare class" else -np.abs(odds + shift)).mean() - share

    return brentq(excess, 0, 15)


def draw_few(population, n_samples, rng):
    """Draw stated and true probabilities of the second class, and weights or None."""
    if population == "rare class":
        proba = expit(rng.normal(-shift_of(population), 1.6, n_samples))
        return proba, proba, None
    odds = np.abs(rng.normal(shift_of(population), 1.6, n_samples))
    wrong, sure = expit(-odds), expit({"too sure": 1.6, "too modest": 1 / 1.6}.get(population, 1.0) * odds)
    second, special = rng.random(n_samples) < 0.5, rng.random(n_samples)
    if population == "ties":
        sure = sure.round(1)
    if population == "half at 1":
        wrong, sure = np.where(special < 0.5, 0.0, wrong), np.where(special < 0.5, 1.0, sure)
    weight = np.where(special < 0.1, 10.0, 1.0) if population in ("weights", "heavy errors") else None
    if population == "heavy errors":
        wrong = np.where(special < 0.1, np.minimum(3 * wrong, 1.0), wrong)
    return np.where(second, sure, 1 - sure), np.where(second, 1 - wrong, wrong), weight


def few_profile(y, proba, weight):
    """Return a profile in which ties are called the second class."""
    given = {"labels": [0, 1], "pos_label": 1, "sample_weight": weight, "y_pred": (proba >= 0.5).astype(int)}
    return ConfidenceProfile.from_predictions(y, proba, **given)


def few_truth(population, n_points=300_000):
    """Return the metrics of a population: both labels of every point, weighted by their probability."""
    proba, true, weight = draw_few(population, n_points, np.random.default_rng(999))
    weight = np.ones(n_points) if weight is None else weight
    labels, weights = np.repeat([1, 0], n_points), np.concatenate([weight * true, weight * (1 - true)])
    profile = few_profile(labels, np.tile(proba, 2), weights / weights.mean())[weights > 0]
    return pd.Series({name: float(metric(profile)) for name, metric in FEW.items()})


def one_few(population, n_samples, seed, truth, method):
    """Return, for every metric, whether the interval of one set holds the truth; NaN where it has none."""
    rng = np.random.default_rng([seed, n_samples])
    proba, true, weight = draw_few(population, n_samples, rng)
    profile = few_profile((rng.random(n_samples) < true).astype(int), proba, weight)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = confidence_interval(FEW, profile, method=method, random_state=rng)
    held = (found["low"] <= truth) & (truth <= found["high"])
    none = found["value"].isna() | (found["method"] == "none")  # "delta" without an end misses
    return held.astype(float).mask(none)


def few_errors(n_sets, sizes=(100, 1_000), populations=tuple(POPULATIONS), methods=("delta", "auto"), n_jobs=1):
    """Return the share of 95% intervals that hold the truth where few errors decide, and of sets without one."""
    columns = {}
    for size in sizes:
        for population in populations:
            truth = few_truth(population)
            for method in methods:
                jobs = (delayed(one_few)(population, size, seed, truth, method) for seed in range(n_sets))
                held = pd.concat(Parallel(n_jobs=n_jobs)(jobs), axis=1)
                columns[f"{size:,}", population, method] = held.mean(axis=1)
                columns[f"{size:,}", population, f"{method}, none"] = held.isna().mean(axis=1)
                print("few", size, population, method, "done", file=sys.stderr, flush=True)
    return pd.DataFrame(columns)


def as_pairs(frame):
    """Return a table of shares in percent, by influence values → as chosen; "–" where there is no interval."""
    sizes, populations = (frame.columns.get_level_values(level).unique() for level in (0, 1))
    rows = [["metric", "n", *populations], ["---"] * (2 + len(populations))]
    for metric, held in frame.iterrows():
        for size in sizes:
            cells = []
            for population in populations:
                delta, chosen, none = (held[size, population, what] for what in ("delta", "auto", "auto, none"))
                cells.append(f"{100 * delta:.0f} → " + (f"{100 * chosen:.0f}" if none < 0.9 else "–"))
            rows.append([metric if size == sizes[0] else "", size, *cells])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


#: How equal models are compared: how many, by what metric, and how.
COMPARISONS = [
    (2, "cw_accuracy_score", "delta"),
    (2, "cf1_score", "delta"),
    (2, "ecuas_loss", "delta"),
    (2, "aurc_loss", "delta"),
    (2, "cw_roc_auc_score", "delta"),
    (2, "cw_accuracy_score", "bootstrap"),
    (2, "expected_calibration_error", "bootstrap"),
    (2, "maximum_calibration_error", "bootstrap"),
    (2, "cw_accuracy_score", "permutation"),
    (2, "aurc_loss", "permutation"),
    (2, "expected_calibration_error", "permutation"),
    (3, "cw_accuracy_score", "delta"),
    (3, "cw_accuracy_score", "bootstrap"),
    (3, "cw_accuracy_score", "permutation"),
]


def one_comparison(n_samples, seed, n_resamples):
    """Return whether each comparison finds a difference at 5% between models that err independently alike.

    Of three models, whether any pair differs after Holm's correction.
    """
    rng = np.random.default_rng([seed, n_samples])
    odds = rng.normal(0, 2, n_samples)
    y = (rng.random(n_samples) < 1 / (1 + np.exp(-odds))).astype(int)
    models = {name: 1 / (1 + np.exp(-odds - rng.normal(0, 1, n_samples))) for name in "abc"}
    found = []
    for n_models, metric, method in COMPARISONS:
        some = dict(list(models.items())[:n_models])
        frame = compare([metric], y, some, method=method, n_resamples=n_resamples, random_state=rng)
        found.append((frame["p_adjusted"] <= 0.05).any())
    return found


def false_findings(n_sets=2_000, sizes=(200, 1_000), n_resamples=99, n_jobs=-1):
    """Return the share of comparisons of equal models that find a difference at 5%."""
    columns = {}
    for size in sizes:
        jobs = (delayed(one_comparison)(size, seed, n_resamples) for seed in range(n_sets))
        columns[f"{size:,}"] = np.mean(Parallel(n_jobs=n_jobs)(jobs), axis=0)
        print("compare", size, "done", file=sys.stderr, flush=True)
    return pd.DataFrame(columns, index=pd.MultiIndex.from_tuples(COMPARISONS, names=["models", "metric", "method"]))


def as_markdown(frame):
    """Return a table of shares in percent; those of both models in one column."""
    cells = frame.map(lambda share: f"{100 * share:.1f}")
    if cells.columns.nlevels > 1:
        cells = cells.T.groupby(level=0, sort=False).agg(" / ".join).T
    rows = cells.reset_index().astype(str)
    lines = [rows.columns.tolist(), ["---"] * rows.shape[1], *rows.to_numpy().tolist()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    print(as_pairs(few_errors(sets, n_jobs=-1)), end="\n\n", flush=True)
    for table in (coverage("delta", 2 * sets), coverage("bootstrap", sets), false_findings(2 * sets)):
        print(as_markdown(table), end="\n\n", flush=True)
