"""What tests of engines share: predictions, scores, and how what was accumulated is held to those in memory."""

import numpy as np
import pandas as pd
import pytest
from _support.predictions import draw_binary

from skconf import confidence_scoring
from skconf.profile import ConfidenceProfile

SUMS = ["cw_accuracy", "neg_ece", "cf1", "neg_ecuas", "neg_confidence_log_loss", "cw_f1_macro"]
RANKS = ["neg_aurc", "cw_roc_auc"]


def predictions():
    """Return a table of predictions of two classes, in two shops."""
    y, proba = draw_binary(20_000)
    shop = np.random.default_rng(1).choice(["north", "web"], 20_000)
    return pd.DataFrame({"y_true": y, "proba_1": proba, "shop": shop})


def in_memory(table, names):
    """Return the scores of a table that is not cut into parts."""
    profile = ConfidenceProfile.from_predictions(table["y_true"], table["proba_1"], labels=[0, 1])
    return confidence_scoring(names).of_profile(profile)


def same(total, expected):
    """Hold what was accumulated to scores: alike but for rounding."""
    assert total.result() == pytest.approx(expected, rel=1e-12, abs=1e-14)


def within_bounds(total, table):
    """Hold areas of rounded confidences to their bounds."""
    expected, bounds = in_memory(table, RANKS), total.error_bounds()
    with pytest.warns(UserWarning, match="too many distinct confidences"):
        found = total.result()
    for name in RANKS:
        assert 0 < abs(found[name] - expected[name]) <= bounds[name] < 0.01
