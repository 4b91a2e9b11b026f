"""A test for deployment: whether predictions in production still look like the predictions of the test."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import fisher_exact, ks_2samp

from skconf._core.arrays import as_floats
from skconf._core.checks import check_confidence_level, check_number
from skconf._core.messages import short_repr
from skconf._core.probabilities import Floats
from skconf._core.problems import DataError
from skconf.inference._p_values import holm
from skconf.profile import KNOWN, ConfidenceProfile

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


class ShiftTest(NamedTuple):
    """The result of :func:`shift_test`: whether current predictions differ from the reference, and how.

    Attributes
    ----------
    shifted : bool
        Whether any test finds a difference.
    tests : DataFrame
        A row for each test. The columns are `expected` (in the reference), `observed` (in production), `p_value`, and
        `p_adjusted`, which is corrected for the number of tests.
    quantiles : DataFrame
        Five quantiles of the scores, one in each row. The columns are `expected` (in the reference) and `observed` (in
        production).
    """

    shifted: bool
    tests: pd.DataFrame
    quantiles: pd.DataFrame

    def __repr__(self) -> str:
        return short_repr(self)


def shift_test(
    reference: ConfidenceProfile | ArrayLike,
    current: ConfidenceProfile | ArrayLike,
    *,
    threshold: float | None = None,
    confidence_level: float = 0.95,
) -> ShiftTest:
    """Test whether a model in production still gets cases like those on which it was tested.

    Two tests need no labels. The two-sample Kolmogorov-Smirnov test compares the distributions of the scores. Fisher's
    exact test compares the coverage, which is the share of scores at or above the threshold. If labels are known for
    both sets, Fisher's test also compares the accuracy of the two sets, and the accuracy of their accepted answers.
    Holm's method corrects for the number of tests.

    Parameters
    ----------
    reference : ConfidenceProfile or array-like of shape (n_reference,)
        Predictions for a test set, on which the model was not trained. Pass a profile, or the scores, such as the
        result of ``predict_confidence(X)`` of a :class:`~skconf.SelectiveClassifier`.
    current : ConfidenceProfile or array-like of shape (n_current,)
        Predictions in production. Pass a profile if labels are known, else the scores.
    threshold : float, default=None
        The lowest score that is accepted. None takes the threshold of the profile `reference`, if it has one. Without a
        threshold, coverage is not tested.
    confidence_level : float, default=0.95
        If nothing has shifted, `shifted` is False in at least this share of checks. With one check a day at 0.95, there
        is on average at most one false alarm in 20 days.

    Returns
    -------
    ShiftTest
        Named tuple (shifted, tests, quantiles). `tests` has the row `score`; with a threshold, also the row `coverage`.
        With labels for both sets, it has the row `accuracy`; with a threshold, also the row `selective_accuracy`. In
        the row `score`, `expected` and `observed` are means, but the test compares the whole distributions. With very
        many samples, even a small difference has a small p-value, so look at the size of the difference, too.

    Raises
    ------
    ValueError
        If scores are missing or not one-dimensional. If there are sample weights. If answers are graded or in clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from skconf.inference import shift_test
    >>> rng = np.random.default_rng(0)
    >>> tested, today = rng.beta(8, 2, 2000), rng.beta(8, 2, 500)
    >>> shift_test(tested, today, threshold=0.8).tests.round(3)
              expected  observed  p_value  p_adjusted
    score        0.798     0.802    0.636         1.0
    coverage     0.562     0.576    0.580         1.0
    """
    check_confidence_level(confidence_level)
    if threshold is None and isinstance(reference, ConfidenceProfile):
        threshold = reference.threshold
    if threshold is not None:
        check_number(threshold, "threshold", 0.0)
    before, after = _scores(reference, "reference"), _scores(current, "current")
    rows = {"score": (float(before.mean()), float(after.mean()), float(ks_2samp(before, after).pvalue))}
    if threshold is not None:
        rows["coverage"] = _compare_shares(before >= threshold, after >= threshold)
    if isinstance(reference, ConfidenceProfile) and isinstance(current, ConfidenceProfile):
        rows["accuracy"] = _compare_shares(reference.correct, current.correct)
        if threshold is not None:
            rows["selective_accuracy"] = _compare_shares(
                reference.correct[before >= threshold], current.correct[after >= threshold]
            )
    tests = pd.DataFrame.from_dict(rows, orient="index", columns=["expected", "observed", "p_value"])
    tests["p_adjusted"] = holm(tests["p_value"])
    quantiles = pd.DataFrame(
        {"expected": np.quantile(before, _QUANTILES), "observed": np.quantile(after, _QUANTILES)},
        index=pd.Index(_QUANTILES, name="quantile"),
    )
    return ShiftTest(bool((tests["p_adjusted"] <= 1 - confidence_level).any()), tests, quantiles)


def _scores(given: ConfidenceProfile | ArrayLike, name: str) -> Floats:
    """Return the scores that are compared with the threshold."""
    if isinstance(given, ConfidenceProfile):
        if given.sample_weight is not None:
            raise ValueError(f"{name} has sample weights, but these tests cannot use weights. Leave them out.")
        if given.kind != "right or wrong":
            raise ValueError(
                f"shift_test counts right answers, but {KNOWN[given.kind]}. Pass only the scores: {name}.score."
            )
        if given.groups is not None:
            raise ValueError(
                f"{name} has answers in clusters. Answers of one cluster depend on each other, but the tests need "
                "independent answers. Pass one answer of each cluster."
            )
        return given.score
    scores = np.asarray(as_floats(given, name), dtype=np.float64)
    if scores.ndim != 1 or len(scores) == 0:
        raise ValueError(f"{name} must be a list of scores, one for each sample, but has shape {scores.shape}.")
    if not np.isfinite(scores).all():
        row = int(np.argmin(np.isfinite(scores)))
        raise DataError(f"{name} has a score that is not finite, in ", row, ".", kind="not finite", column=name)
    return scores


def _compare_shares(before: NDArray[np.bool_], after: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Return two shares and the p-value of Fisher's exact test that they are equal; NaN if one has no samples."""
    if not (len(before) and len(after)):
        return np.nan, np.nan, np.nan
    table = [[int(part.sum()), len(part) - int(part.sum())] for part in (before, after)]
    return float(before.mean()), float(after.mean()), float(fisher_exact(table).pvalue)
