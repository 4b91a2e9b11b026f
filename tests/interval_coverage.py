"""How often intervals hold the truth, and how often comparisons find what is not there: simulations.

Run with ``python tests/interval_coverage.py [n_sets]``; it prints the tables of docs/guide/intervals.md. With all cores
it takes about an hour.
"""

import sys
import warnings
from dataclasses import fields
from functools import partial

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from skconf import ConfidenceProfile, metrics
from skconf.inference import compare, confidence_interval
from skconf.metrics._registry import metric_classes

#: By how much each model overstates its log odds: 1 is a calibrated one.
MODELS = {"calibrated": 1.0, "overconfident": 1.6}
SIZES = (200, 1_000, 10_000)
#: Their value depends on the number of samples itself, or they are no number.
NO_POPULATION_VALUE = ("calibrated_size_ratio_std", "calibrated_size_ratio_zscore", "overconfidence_risk", "tce_error")


def every_metric():
    """Return every metric that has a value in a population, at one set of parameters, and some at others."""
    found = {}
    for name, cls in sorted(metric_classes().items()):
        own = {field.name for field in fields(cls)}
        params = {"average": "macro"} if "average" in own else {}
        params |= {"zero_division": 0} if "zero_division" in own else {}
        if name.endswith(("_matrix", "_test", "_curve", "_decomposition")) or name in NO_POPULATION_VALUE:
            continue
        found[name] = partial(getattr(metrics, name), **params)
    found["calibrated_size_ratio(eps=0.01)"] = partial(metrics.calibrated_size_ratio, eps=0.01)
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


def draw_labels(proba, rng):
    return (rng.random((len(proba), 1)) > proba.cumsum(axis=1)[:, :-1]).sum(axis=1)


def profile_of(y, proba, **given):
    return ConfidenceProfile.from_predictions(y, proba, labels=[0, 1, 2], **given)


def true_values(temperature, n_points=2_000_000):
    """Return the metrics of the population: every label of every point, weighted by its probability."""
    proba, true = draw(n_points, temperature, np.random.default_rng(12345))
    labels = np.repeat([0, 1, 2], n_points)
    population = profile_of(labels, np.tile(proba, (3, 1)), sample_weight=true.T.ravel())
    return {name: float(metric(population)) for name, metric in every_metric().items()}


def one_set(n_samples, temperature, seed, truth, n_resamples):
    """Return, for every metric, whether the interval of one set of samples holds the truth; and its method."""
    rng = np.random.default_rng([seed, n_samples])
    proba, true = draw(n_samples, temperature, rng)
    profile = profile_of(draw_labels(true, rng), proba)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = confidence_interval(every_metric(), profile, n_resamples=n_resamples, random_state=rng)
    return (found["low"] <= truth) & (truth <= found["high"]), found["method"]


def coverage(n_sets=1_000, sizes=SIZES, n_resamples=100, n_jobs=-1):
    """Return the share of 95 % intervals that hold the truth, by metric, model and number of samples."""
    columns = {}
    for model, temperature in MODELS.items():
        truth = pd.Series(true_values(temperature))
        if temperature == 1:  # exactly, which the points that stand for the population only come near
            truth[[name for name in truth.index if "calibration" in name]] = 0.0
        for size in sizes:
            jobs = (delayed(one_set)(size, temperature, seed, truth, n_resamples) for seed in range(n_sets))
            held, methods = zip(*Parallel(n_jobs=n_jobs)(jobs), strict=True)
            columns["method"] = methods[0]
            columns[f"{model}, {size:,}"] = pd.concat(held, axis=1).mean(axis=1)
            print(model, size, "done", file=sys.stderr, flush=True)
    return pd.DataFrame(columns)


#: How models are compared: by what metric, and how.
COMPARISONS = [
    ("cw_accuracy_score", "delta"),
    ("cf1_score", "delta"),
    ("ecuas_loss", "delta"),
    ("aurc_loss", "delta"),
    ("cw_roc_auc_score", "delta"),
    ("cw_accuracy_score", "bootstrap"),
    ("expected_calibration_error", "bootstrap"),
    ("maximum_calibration_error", "bootstrap"),
    ("cw_accuracy_score", "permutation"),
    ("aurc_loss", "permutation"),
    ("expected_calibration_error", "permutation"),
]


def one_comparison(n_samples, seed, n_resamples):
    """Return whether each comparison finds a difference at 5 % between two models that err independently alike."""
    rng = np.random.default_rng([seed, n_samples])
    odds = rng.normal(0, 2, n_samples)
    y = (rng.random(n_samples) < 1 / (1 + np.exp(-odds))).astype(int)
    models = {name: 1 / (1 + np.exp(-odds - rng.normal(0, 1, n_samples))) for name in "ab"}
    return [
        compare(metric, y, models, method=method, n_resamples=n_resamples, random_state=rng).p_value <= 0.05
        for metric, method in COMPARISONS
    ]


def false_findings(n_sets=2_000, sizes=(200, 1_000), n_resamples=199, n_jobs=-1):
    """Return the share of comparisons of equal models that find a difference at 5 %."""
    columns = {}
    for size in sizes:
        jobs = (delayed(one_comparison)(size, seed, n_resamples) for seed in range(n_sets))
        columns[f"{size:,}"] = np.mean(Parallel(n_jobs=n_jobs)(jobs), axis=0)
        print("compare", size, "done", file=sys.stderr, flush=True)
    return pd.DataFrame(columns, index=pd.MultiIndex.from_tuples(COMPARISONS, names=["metric", "method"]))


def as_markdown(frame):
    """Return a table of shares in percent."""
    cells = frame.reset_index().map(lambda cell: f"{cell:.1%}" if isinstance(cell, float) else str(cell))
    rows = [cells.columns.tolist(), ["---"] * cells.shape[1], *cells.to_numpy().tolist()]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


if __name__ == "__main__":
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    print(as_markdown(coverage(sets)), as_markdown(false_findings(2 * sets)), sep="\n\n")
