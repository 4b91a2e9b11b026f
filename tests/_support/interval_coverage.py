"""How often intervals hold the truth, and how often comparisons find what is not there: simulations.

Run with ``python tests/_support/interval_coverage.py [n_sets]``; it prints the tables of docs/guide/intervals.md.
They take an hour or two of one core.
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
from skconf.inference._intervals import choose_method
from skconf.metrics._base.registry import metric_classes
from skconf.scoring._names import read_statistics

#: By how much each model overstates its log odds: 1 is a calibrated one.
MODELS = {"calibrated": 1.0, "overconfident": 1.6}
SIZES = (200, 1_000, 10_000)
#: Few, for time: the standard deviation of 59 is off by 9 %, which costs intervals half a point of coverage.
N_RESAMPLES = 59
#: Their value depends on the number of samples itself, or they are no number.
NO_POPULATION_VALUE = ("calibrated_size_ratio_std", "calibrated_size_ratio_zscore", "overconfidence_risk", "tce_error")


def every_metric():
    """Return every metric that has a value in a population, at one set of parameters, and some at others."""
    found = {}
    for name, cls in sorted(metric_classes().items()):
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


def draw_labels(proba, rng):
    return (rng.random((len(proba), 1)) > proba.cumsum(axis=1)[:, :-1]).sum(axis=1)


def profile_of(y, proba, **given):
    return ConfidenceProfile.from_predictions(y, proba, labels=[0, 1, 2], **given)


def metrics_by(method):
    """Return the metrics whose intervals are found by "delta", or by "bootstrap"."""
    statistics = read_statistics(every_metric(), {})[0]
    return {
        name: metric for name, metric in every_metric().items() if choose_method(statistics[name], "auto") == method
    }


def true_values(names, temperature, n_points=2_000_000):
    """Return metrics of the population: every label of every point, weighted by its probability."""
    proba, true = draw(n_points, temperature, np.random.default_rng(12345))
    labels = np.repeat([0, 1, 2], n_points)
    population = profile_of(labels, np.tile(proba, (3, 1)), sample_weight=true.T.ravel())
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
        found = confidence_interval(metrics_by(method), profile, n_resamples=N_RESAMPLES, random_state=rng)
    return (found["low"] <= truth) & (truth <= found["high"])


def coverage(method, n_sets, sizes=SIZES, n_jobs=-1):
    """Return the share of 95 % intervals that hold the truth, by metric, number of samples and model."""
    columns = {}
    for model, temperature in MODELS.items():
        truth = true_values(metrics_by(method), temperature)
        for size in sizes:
            jobs = (delayed(one_set)(method, size, temperature, seed, truth) for seed in range(n_sets))
            columns[f"{size:,}", model] = pd.concat(Parallel(n_jobs=n_jobs)(jobs), axis=1).mean(axis=1)
            print(method, model, size, "done", file=sys.stderr, flush=True)
    return pd.DataFrame(columns).sort_index(
        axis=1, confidence_level=0, key=lambda sizes: sizes.str.replace(",", "").astype(int)
    )


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
    """Return whether each comparison finds a difference at 5 % between models that err independently alike.

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
    """Return the share of comparisons of equal models that find a difference at 5 %."""
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
        cells = cells.T.groupby(confidence_level=0, sort=False).agg(" / ".join).T
    rows = cells.reset_index().astype(str)
    lines = [rows.columns.tolist(), ["---"] * rows.shape[1], *rows.to_numpy().tolist()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    for table in (coverage("delta", 2 * sets), coverage("bootstrap", sets), false_findings(2 * sets)):
        print(as_markdown(table), end="\n\n", flush=True)
