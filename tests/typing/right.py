"""Calls that a type checker must accept, and what it must know of their results."""

from functools import partial
from typing import assert_type

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf import ConfidenceProfile, confidence_scoring, get_scorer, metrics
from skconf.inference import Interval, confidence_interval
from skconf.metrics import confidence_weighted, cw_accuracy_score, expected_calibration_error

Floats = NDArray[np.float64]


def of_predictions(table: pd.DataFrame, average: str | None) -> None:
    y_true, y_proba = ["a", "b"], np.array([0.2, 0.9])
    profile = ConfidenceProfile.from_predictions(y_true, y_proba)
    # By position or by keyword, from a profile, and from what converts to an array.
    assert_type(cw_accuracy_score(y_true, y_proba), float)
    assert_type(cw_accuracy_score(y_true=y_true, y_proba=y_proba), float)
    assert_type(cw_accuracy_score(profile), float)
    assert_type(
        metrics.cw_accuracy_score(table["y"], table[["p", "q"]], labels=["a", "b"], sample_weight=[1, 2]), float
    )
    # Own parameters, by keyword.
    assert_type(expected_calibration_error(y_true, y_proba, n_bins=3, strategy="quantile"), float)
    assert_type(metrics.coverage_score(profile, threshold=None), float)
    assert_type(metrics.cwsa_score(profile, phi=np.sqrt, similarity=np.eye(2)), float)
    assert_type(metrics.cf1_score(profile, average="macro", zero_division=np.nan), float)
    # Numbers, arrays and named tuples.
    assert_type(metrics.cf1_score(profile), float)
    assert_type(metrics.cf1_score(profile, average=None), Floats)
    assert_type(metrics.cf1_score(profile, average=average), float | Floats)
    assert_type(metrics.cw_roc_auc_score(profile, average="weighted"), float)
    assert_type(metrics.cw_confusion_matrix(profile, normalize="true"), Floats)
    assert_type(metrics.brier_decomposition(profile).reliability, float)
    assert_type(metrics.cwsa_curve(profile).coverage, Floats)
    assert_type(metrics.cw_roc_curve(profile).fpr, Floats)
    assert_type(metrics.risk_coverage_curve(profile).risk, Floats)
    assert_type(metrics.ecd_test(profile, random_state=np.random.default_rng(0)).p_value, float)
    assert_type(metrics.t_cal_test(profile).rejected, bool)
    confidence_weighted(cw_accuracy_score)(y_true=y_true, y_proba=y_proba, beta=2)


def of_one_metric_and_of_several(profile: ConfidenceProfile) -> None:
    assert_type(confidence_interval("cw_accuracy", profile), Interval)
    assert_type(confidence_interval(cw_accuracy_score, profile, confidence_level=0.9, random_state=0).low, float)
    assert_type(confidence_interval(partial(metrics.ecuas_loss, n=1), profile), Interval)
    assert_type(confidence_interval(get_scorer("neg_ece"), profile), Interval)
    assert_type(confidence_interval(("ecuas_loss", {"n": 1}), profile), Interval)
    assert_type(confidence_interval(metrics.ecuas_loss, profile, n=1), Interval)
    assert_type(confidence_interval(["cw_accuracy", metrics.aurc_loss], profile), pd.DataFrame)
    assert_type(confidence_interval({"mine": "cw_accuracy"}, profile), pd.DataFrame)
    assert_type(confidence_interval(confidence_scoring(["cw_accuracy", "neg_ece"]), profile), pd.DataFrame)
