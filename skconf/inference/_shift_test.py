"""A monitor for deployment: whether these are still the predictions that the model was tested on."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import fisher_exact, ks_2samp

from skconf._core.checks import check_number
from skconf._core.messages import short_repr
from skconf._core.probabilities import Floats
from skconf._core.problems import DataError
from skconf.inference._intervals import check_confidence_level
from skconf.inference._p_values import holm
from skconf.profile import KNOWN, ConfidenceProfile

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


class ShiftTest(NamedTuple):
    """Whether predictions differ from those of the reference, and in what.

    Attributes
    ----------
    shifted : bool
        Whether any of the tests finds a difference.
    tests : DataFrame
        A row for each test, with `expected` and `observed`, `p_value`, and `p_adjusted` for the number of tests.
    quantiles : DataFrame
        The distribution of the scores, `expected` and `observed`: a row for each of five quantiles.
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
    """Test whether a model in use still gets cases like those that it was tested on.

    The scores need no labels: their distribution is compared by the two-sample Kolmogorov-Smirnov test, and the share
    at or above the threshold, the coverage, by Fisher's exact test. Where labels are known for both, so is the
    accuracy, of all and of the accepted. Holm's method corrects for the number of tests.

    Parameters
    ----------
    reference : ConfidenceProfile or array-like of shape (n_reference,)
        Predictions that the model was tested on, for samples it was not trained on: a profile; or their scores, such as
        the ``predict_confidence(X)`` of a :class:`~skconf.SelectiveClassifier`.
    current : ConfidenceProfile or array-like of shape (n_current,)
        Predictions in use: a profile where labels are known, or the scores.
    threshold : float, default=None
        The lowest score that is accepted. None stands for that of the selective classifier that the
        reference came from; without any, there is no coverage to test.
    confidence_level : float, default=0.95
        If nothing has shifted, at least this share of checks gives no alarm. One check a day at 0.95 gives a false
        alarm about every third week.

    Returns
    -------
    ShiftTest
        Named tuple (shifted, tests, quantiles). The rows of `tests` are `score` (means are shown, distributions are
        compared), `coverage`, `accuracy` and `selective_accuracy`, as far as they are known. With very many samples a
        difference may be clear but small: compare `observed` with `expected`.

    Raises
    ------
    ValueError
        If scores are missing or not one-dimensional, there are sample weights, or answers are graded or in groups.

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
    rows = {"score": (before.mean(), after.mean(), float(ks_2samp(before, after).pvalue))}
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
    """Return the scores that selection ranks by."""
    if isinstance(given, ConfidenceProfile):
        if given.sample_weight is not None:
            raise ValueError(f"{name} has sample weights, which these tests do not take. Leave them out.")
        if given.kind != "right or wrong":
            raise ValueError(f"shift_test counts right answers, but {KNOWN[given.kind]}. Pass {name}.score alone.")
        if given.groups is not None:
            raise ValueError(
                f"{name} has answers in groups, which depend on each other, and these tests do not take them. Pass one "
                "answer of each group."
            )
        return given.score
    try:
        scores = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} could not be read as scores: {error}.") from None
    if scores.ndim != 1 or len(scores) == 0:
        raise ValueError(f"{name} must hold one score for each of some samples, but has shape {scores.shape}.")
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
