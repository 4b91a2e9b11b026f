"""What the page of speed sets beside the library: the metric that a peer computes by the same definition."""

from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

import numpy as np

PACKAGES = ["scikit-learn", "torchmetrics", "netcal", "relplot", "MAPIE", "polars", "DuckDB"]
#: Why a peer's value is not ours.
NOTES = {
    "multiclass_calibration_error": "computes in float32",
    "smECE": "smooths on some 200 points",
    "BinaryClassificationController": "tries 100 thresholds",
}


class Peer(NamedTuple):
    """A peer's function, and ours of the same definition.

    Attributes
    ----------
    package, name, ours : str
        Names of the package, of its function, and of ours.
    call : callable
        It takes no arguments, and begins with labels and probabilities.
    """

    package: str
    name: str
    ours: str
    call: object


def versions():
    """Return the versions of the peers that are installed, and the names of those that are not."""
    found, missing = [], []
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package.lower())}")
        except PackageNotFoundError:
            missing.append(package)
    return found, missing


def ours(name, y, proba):
    """Return a call of our metric on labels and probabilities."""
    from skconf import metrics, tune_threshold

    labels = np.arange(proba.shape[1])
    if name == "tune_threshold":
        return lambda: tune_threshold(y, proba, labels=labels, target=0.1, confidence_level=0.95).threshold
    by_class = name == "cw_f1_score" or (name == "cw_roc_auc_score" and len(labels) > 2)
    return partial(getattr(metrics, name), y, proba, labels=labels, **({"average": "macro"} if by_class else {}))


def peers_in_memory(y, proba):
    """Go through what the peers that are installed compute of labels and probabilities."""
    for group in (_scikit_learn, _torchmetrics, _netcal, _relplot, _mapie):
        try:
            yield from group(y, proba)
        except ImportError:  # its place on the page says so
            continue


def _given(call, y, proba):
    """Let a function of confidence and correctness begin with labels and probabilities."""
    return lambda: call(proba.max(axis=1), (proba.argmax(axis=1) == y).astype(int))


def _scikit_learn(y, proba):
    from sklearn import metrics as theirs

    def weighted(function, **options):
        return lambda: function(y, proba.argmax(axis=1), sample_weight=proba.max(axis=1), **options)

    score, options = (proba[:, 1], {}) if proba.shape[1] == 2 else (proba, {"multi_class": "ovr"})
    for name, our_name, call in [
        ("accuracy_score", "cw_accuracy_score", weighted(theirs.accuracy_score)),
        ("f1_score", "cw_f1_score", weighted(theirs.f1_score, average="macro")),
        ("confusion_matrix", "cw_confusion_matrix", weighted(theirs.confusion_matrix)),
        ("matthews_corrcoef", "cw_matthews_corrcoef", weighted(theirs.matthews_corrcoef)),
        (
            "roc_auc_score",
            "cw_roc_auc_score",
            lambda: theirs.roc_auc_score(y, score, sample_weight=proba.max(axis=1), **options),
        ),
        (
            "roc_auc_score",
            "confidence_roc_auc_score",
            _given(lambda sure, right: theirs.roc_auc_score(right, sure), y, proba),
        ),
        (
            "brier_score_loss",
            "confidence_brier_loss",
            _given(lambda sure, right: theirs.brier_score_loss(right, sure), y, proba),
        ),
        ("log_loss", "confidence_log_loss", _given(lambda sure, right: theirs.log_loss(right, sure), y, proba)),
    ]:
        yield Peer("scikit-learn", name, our_name, call)


def _torchmetrics(y, proba):
    import torch
    from torchmetrics.functional.classification import binary_auroc, multiclass_calibration_error

    torch.set_num_threads(1)
    labels, probabilities, n_classes = torch.from_numpy(y), torch.from_numpy(proba), proba.shape[1]

    def error(norm):
        return lambda: multiclass_calibration_error(probabilities, labels, n_classes, n_bins=15, norm=norm)

    def ranks():
        sure, guess = probabilities.max(dim=1)
        return binary_auroc(sure, (guess == labels).long())

    yield Peer("torchmetrics", "multiclass_calibration_error", "expected_calibration_error", error("l1"))
    yield Peer("torchmetrics", "multiclass_calibration_error", "maximum_calibration_error", error("max"))
    yield Peer("torchmetrics", "binary_auroc", "confidence_roc_auc_score", ranks)


def _netcal(y, proba):
    from netcal.metrics import ECE, MCE

    yield Peer("netcal", "ECE", "expected_calibration_error", _given(ECE(15).measure, y, proba))
    yield Peer("netcal", "MCE", "maximum_calibration_error", _given(MCE(15).measure, y, proba))


def _relplot(y, proba):
    import relplot

    yield Peer(
        "relplot",
        "smECE",
        "smooth_calibration_error",
        _given(lambda sure, right: relplot.smECE(sure, right.astype(float)), y, proba),
    )


def _mapie(y, proba):
    from mapie.metrics import calibration as theirs
    from mapie.risk_control import BinaryClassificationController

    def error(sure, right):
        return theirs.expected_calibration_error(right, sure, num_bins=16, split_strategy="uniform")  # as edges

    def differences(sure, right):
        return np.abs(theirs.cumulative_differences(right, sure)).max()

    def spiegelhalter(sure, right):
        return theirs.spiegelhalter_statistic(right, sure)

    def threshold(sure, right):
        both = BinaryClassificationController(
            lambda x: np.stack([1 - x, x], axis=1), "precision", 0.9, confidence_level=0.95
        )
        return both.calibrate(sure, right).best_predict_param

    for name, our_name, call in [
        ("expected_calibration_error", "expected_calibration_error", error),
        ("cumulative_differences", "cumulative_calibration_error", differences),
        ("spiegelhalter_statistic", "spiegelhalter_test", spiegelhalter),
        ("BinaryClassificationController", "tune_threshold", threshold),
    ]:
        yield Peer("MAPIE", name, our_name, _given(call, y, proba))
