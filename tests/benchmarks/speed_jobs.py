"""What the page of speed measures: every metric and job, what peers offer, and the floor that none can be below."""

import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
from joblib import parallel_config

TEN = [
    "cw_accuracy",
    "cw_f1_macro",
    "cwsa",
    "cwsa_plus",
    "cf1_macro",
    "coverage",
    "selective_accuracy",
    "neg_csr_excess",
    "neg_ecuas",
    "neg_ece",
]
#: Metrics of all pairs or of every sample's own test: at most so many rows.
SLOW = {"calibration_distance_error": 10_000, "tce_error": 100_000, "t_cal_test": 100_000}


class Job(NamedTuple):
    """Something to time.

    Attributes
    ----------
    name, kind : str
        What it is called; "floor", "metric", "job", or what the peer is called.
    call : callable
        It takes no arguments.
    like : str
        The metric or job that a peer's is like.
    """

    name: str
    kind: str
    call: Callable[[], object]
    like: str = ""


def predictions(n_rows, n_classes):
    """Return labels, and probabilities that are calibrated."""
    rng = np.random.default_rng(0)
    if n_classes == 2:
        positive = rng.beta(2, 0.5, n_rows)
        return (rng.random(n_rows) < positive).astype(np.int64), np.stack([1 - positive, positive], axis=1)
    proba = rng.standard_gamma(0.3, (n_rows, n_classes)) + 1e-9
    proba /= proba.sum(axis=1, keepdims=True)
    y = (proba.cumsum(axis=1) > rng.random((n_rows, 1))).argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)[:n_rows]
    return y, proba


def jobs_in_memory(n_rows, n_classes):
    """Return the jobs on predictions in memory."""
    from skconf import ConfidenceProfile, confidence_report, metrics

    y, proba = predictions(n_rows, n_classes)
    labels = np.arange(n_classes)
    profile = ConfidenceProfile.from_predictions(y, proba, labels=labels)
    sure, right = profile.confidence, profile.correct
    found = [
        Job("one pass: the sum of a column", "floor", lambda: sure @ right),
        Job("one sort of a column", "floor", lambda: np.sort(sure)),
        Job("one read: the sum of all probabilities", "floor", lambda: proba.sum()),
        Job("profile", "job", lambda: ConfidenceProfile.from_predictions(y, proba, labels=labels)),
        Job("confidence_report", "job", lambda: confidence_report(y, proba, labels=labels)),
    ]
    for name in metrics.__all__:
        function = getattr(metrics, name)
        if n_rows > SLOW.get(name, np.inf) or name == "confidence_weighted":
            continue
        few = partial(_fresh, function, profile[:200])
        given = next((given for given in ({"average": "macro"}, {}) if _works(few, given)), None)
        if given is not None:
            found.append(Job(name, "metric", partial(_fresh, function, profile, **given)))
    return found + list(_peers(y, proba, sure, right))


def _fresh(function, profile, **given):
    """Call a metric on a profile that holds nothing from calls before."""
    return function(profile[:], **given)


def _works(call, given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call(**given)
        except (TypeError, ValueError):
            return False
    return True


def _peers(y, proba, sure, right):
    """Go through what peers that are installed offer."""
    from sklearn import metrics as theirs

    n_classes = proba.shape[1]
    guess, binary = proba.argmax(axis=1), n_classes == 2
    yield Job("f1_score", "scikit-learn", lambda: theirs.f1_score(y, guess, average="macro"), "cw_f1_score")
    yield Job("roc_auc_score", "scikit-learn", lambda: theirs.roc_auc_score(right, sure), "confidence_roc_auc_score")
    if binary:
        yield Job(
            "brier_score_loss", "scikit-learn", lambda: theirs.brier_score_loss(y, proba[:, 1]), "confidence_brier_loss"
        )
    if find_spec("torchmetrics"):
        import torch
        from torchmetrics.functional.classification import binary_calibration_error, multiclass_calibration_error

        torch.set_num_threads(1)
        p, t = torch.from_numpy(proba), torch.from_numpy(y)
        call = (
            (lambda: binary_calibration_error(p[:, 1], t, n_bins=15))
            if binary
            else (lambda: multiclass_calibration_error(p, t, n_classes, n_bins=15))
        )
        yield Job("calibration_error", "torchmetrics", call, "expected_calibration_error")
    if find_spec("netcal"):
        from netcal.metrics import ECE

        yield Job("ECE", "netcal", lambda: ECE(15).measure(sure, right), "expected_calibration_error")
    if find_spec("relplot"):
        import relplot

        yield Job("smECE", "relplot", lambda: relplot.smECE(sure, right.astype(float)), "smooth_calibration_error")
    if find_spec("mapie"):
        from mapie.metrics.calibration import top_label_ece

        yield Job("top_label_ece", "MAPIE", lambda: top_label_ece(y, proba, num_bins=15), "expected_calibration_error")


def write_files(folder, n_rows, n_classes):
    """Write predictions as a file of Parquet, and those of two classes as CSV, once."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    path = Path(folder) / f"{n_rows}x{n_classes}.parquet"
    if not path.exists():
        y, proba = predictions(n_rows, n_classes)
        columns = range(n_classes) if n_classes > 2 else [1]
        table = pa.table({"y_true": y} | {f"proba_{label}": proba[:, label] for label in columns})
        parquet.write_table(table, path, row_group_size=1_000_000)
        if n_classes == 2:
            csv.write_csv(table, path.with_suffix(".csv"))
    return path


def jobs_of_files(path, n_classes):
    """Return the jobs on a file, for which each number of threads counts alike: seconds are those of processors."""
    from pyarrow.dataset import dataset

    from skconf import MetricAccumulator, accumulate

    labels = list(range(n_classes))

    def score(file, names, intervals, labels=labels):
        def call():
            with parallel_config(n_jobs=-1):  # which older versions do not read
                return accumulate(file, MetricAccumulator(names, intervals=intervals), labels=labels).result()

        return call

    found = [
        Job("read by pyarrow", "floor", lambda: [len(batch) for batch in dataset(path).to_batches()]),
        Job("one metric", "job", score(path, TEN[:1], True)),
        Job("ten metrics", "job", score(path, TEN, False)),
        Job("ten metrics with intervals", "job", score(path, TEN, True)),
    ]
    text = path.with_suffix(".csv")
    if text.exists():
        found.append(Job("one metric of CSV", "job", score(text, TEN[:1], True, ["0", "1"])))
    if find_spec("polars"):
        import polars as pl

        names = ["y_true", *(f"proba_{label}" for label in (labels if n_classes > 2 else [1]))]
        sums = [pl.col(name).sum() for name in names[:2]] + [(pl.col(names[0]) * pl.col(names[1])).sum().alias("both")]
        found.append(Job("three sums", "polars", lambda: pl.scan_parquet(path).select(sums).collect(), "one metric"))
        if text.exists():
            csv = pl.scan_csv(text)
            found.append(Job("three sums of CSV", "polars", lambda: csv.select(sums).collect(), "one metric of CSV"))
    if find_spec("duckdb"):
        import duckdb

        query = f"select sum(y_true), sum(proba_1), sum(y_true * proba_1) from '{path}'"
        found.append(Job("three sums", "DuckDB", lambda: duckdb.sql(query).fetchall(), "one metric"))
    return found
