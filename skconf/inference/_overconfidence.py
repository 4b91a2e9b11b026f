"""Which slices are overconfident: size ratios by group, with p-values of any resolution.

The number of draws follows a rule that is fixed beforehand, because it must not depend on how close a p-value comes to
a level.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import expit

from skconf._core.checks import takes_no_estimator
from skconf._core.docstrings import documented
from skconf._core.groups import read_groups
from skconf._core.probabilities import Floats
from skconf._core.warn import warn_each
from skconf.inference._p_values import holm
from skconf.metrics._base.draws import resolution_notices
from skconf.metrics._base.registry import get_metric
from skconf.metrics._size_ratio import as_large_as, draw_error_sizes
from skconf.profile import ConfidenceProfile, as_profile

#: Level at which slices are called overconfident.
_LEVEL = 0.05
#: Drawing ends after 100 draws that are as large as the data; or after 20 times the fewest draws that could reject, but
#: after 9,999 draws at the earliest.
_ENOUGH, _TIMES, _AT_LEAST = 100, 20, 9999
_FIRST, _AT_ONCE = 256, 1 << 14


@takes_no_estimator()
@documented()
def overconfidence_by_group(
    y_true: ArrayLike | ConfidenceProfile,
    y_proba: ArrayLike | None = None,
    *,
    groups: Any,
    eps: float = 1e-8,
    method: str = "monte_carlo",
    n_resamples: int | None = None,
    random_state: Any = None,
    y_pred: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> pd.DataFrame:
    """Return the calibrated size ratio of each slice, and test whether the slice is overconfident.

    Among many slices, some ratios are large by chance, even if all confidences are calibrated. The adjusted p-values
    take this into account. Call a slice overconfident if its adjusted p-value is at most 0.05. The probability that
    this rule calls any calibrated slice overconfident is then at most 5%.

    Parameters
    ----------
    {predictions}
    groups : array-like of shape (n_samples,), DataFrame or mapping of columns
        Group of each sample. If there are several columns, each combination of values is a group, and the result has a
        MultiIndex.
    eps : float, default=1e-8
        Confidence is clipped to [eps, 1 - eps], in float64.
    method : {"monte_carlo", "normal"}, default="monte_carlo"
        As in :func:`~skconf.metrics.overconfidence_risk`. "monte_carlo" is valid for slices of any size, but takes no
        weights. "normal" is the formula of the paper; it is valid only for large slices, and takes weights.
    n_resamples : int, default=None
        Number of draws of "monte_carlo" for each slice. The smallest p-value is 1 / (n_resamples + 1). A warning
        follows if even this p-value, adjusted for the number of slices, is above 0.05. None chooses the number of draws
        for each slice by a fixed rule: see Notes.
    random_state : int, Generator or None, default=None
        Seed of "monte_carlo".
    {predicted}
    {labels}
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights. They need ``method="normal"``.

    Returns
    -------
    DataFrame
        A row for each group, in sorted order, with columns

        - `value`: calibrated size ratio, on average 1 if confidences are calibrated;
        - `count`: number of samples;
        - `risk`: overconfidence risk of the group alone, one minus the p-value;
        - `p_value`: probability of a ratio at least this large if confidences are calibrated;
        - `p_adjusted`: the p-value, corrected by Holm's method for the number of groups.

    Raises
    ------
    ValueError
        If `groups` has a missing label or a wrong length. If weights are given with "monte_carlo". If predictions are
        not valid.

    Notes
    -----
    With m slices, Holm's method finds an overconfident slice only if the smallest of the m p-values is at most 0.05/m.
    With 600 slices, about 12,000 draws for each slice are needed to show such a p-value. Without `n_resamples`, the
    number of draws follows a rule. First, Chernoff's upper bound of the p-value is computed. If it is at most as large
    as the smallest p-value that draws can show, it is used as the p-value, and there are no draws. Otherwise, drawing
    ends as soon as 100 draws have at least the observed ratio, and p is 100 divided by the number of draws [3]_.
    Drawing also ends after 400 m or 9,999 draws, whichever is more. A few hundred draws are enough for a slice that is
    not overconfident.

    References
    ----------
    .. [1] F. Martin-Maroto, N. Abderrahaman-Elena and G. G. de Polavieja, Beyond ECE: Calibrated Size Ratio, Risk
       Assessment, and Confidence-Weighted Metrics, arXiv:2605.01796, 2026, Section 2.1.
    .. [2] S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979.
    .. [3] J. Besag and P. Clifford, Sequential Monte Carlo p-values, Biometrika 78, 1991.

    Examples
    --------
    >>> import numpy as np
    >>> from skconf.inference import overconfidence_by_group
    >>> rng = np.random.default_rng(0)
    >>> y_proba, region = rng.random(600), np.repeat(["north", "south", "west"], 200)
    >>> chance = np.where(region == "west", 0.5 + 0.6 * (y_proba - 0.5), y_proba)
    >>> y_true = (rng.random(600) < chance).astype(int)
    >>> overconfidence_by_group(y_true, y_proba, groups=region, random_state=0).round(3)
           value  count   risk  p_value  p_adjusted
    group
    north  0.797    200  0.180    0.820       1.000
    south  0.827    200  0.153    0.847       1.000
    west   2.390    200  0.999    0.001       0.002
    """
    given = {"y_pred": y_pred, "labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    profile = as_profile("overconfidence_by_group()", y_true, y_proba, beside={"groups": groups}, **given)
    slices = read_groups(groups, len(profile), "groups")
    ratio = get_metric("calibrated_size_ratio", eps=eps)
    ratio.check_kind(profile)
    values, counts = ratio.by_group(profile, slices.codes, len(slices)), np.bincount(slices.codes)
    rng = np.random.default_rng(random_state)
    drawn = {} if n_resamples is None else {"n_resamples": n_resamples}
    risk = get_metric("overconfidence_risk", eps=eps, method=method, random_state=rng, **drawn)
    risk.check_kind(profile)
    if method == "monte_carlo" and n_resamples is None:
        risk.refuse_weights(profile)
        most, parts = most_draws(len(slices), _LEVEL), (profile[rows] for rows in slices.members())
        sizes = ((1 / (1 - ratio.clipped(part)), part) for part in parts)
        p_value = np.array([size_ratio_p_value(size, size[~part.correct].sum(), most, rng) for size, part in sizes])
    else:
        p_value = 1 - risk.by_group(profile, slices.codes, len(slices))
    if method == "monte_carlo" and n_resamples is not None:
        warn_each(resolution_notices("overconfidence_by_group()", len(slices), n_resamples, _LEVEL))
    columns = {"value": values, "count": counts, "risk": 1 - p_value, "p_value": p_value}
    return pd.DataFrame({**columns, "p_adjusted": holm(p_value)}, index=slices.labels)


def most_draws(n_tests: int, level: float) -> int:
    """Return so many draws that the smallest possible p-value, corrected for all tests, is far below the level."""
    return max(int(np.ceil(_TIMES * n_tests / level)), _AT_LEAST)


def size_ratio_p_value(size: Floats, observed: float, most: int, rng: np.random.Generator) -> float:
    """Return the p-value of a sum of error sizes: how often calibrated confidences give a sum at least as large.

    For each sample, `size` is 1/(1 − c); `observed` is the sum of `size` over the errors.

    If Chernoff's bound is at most 1 / (most + 1), it is the p-value, because draws could not show a smaller one.
    Otherwise, drawing follows the rule of Besag and Clifford. It ends when 100 draws have a sum of at least `observed`;
    p is then 100 divided by the number of draws. It also ends after `most` draws; if k of these draws have such a sum,
    p is (k + 1) / (most + 1).

    References
    ----------
    J. Besag and P. Clifford, Sequential Monte Carlo p-values, Biometrika 78, 1991.
    """
    bound = chernoff_bound(size, observed)
    if bound * (most + 1) <= 1:
        return bound
    drawn, as_large, batch = 0, 0, _FIRST
    while drawn < most:
        batch = min(batch, most - drawn)
        reached = as_large + np.cumsum(as_large_as(observed, draw_error_sizes(size, batch, rng)))
        if reached[-1] >= _ENOUGH:
            return _ENOUGH / (drawn + 1 + int(np.searchsorted(reached, _ENOUGH)))
        drawn, as_large, batch = drawn + batch, int(reached[-1]), min(2 * batch, _AT_ONCE)
    return (as_large + 1) / (most + 1)


def chernoff_bound(size: Floats, observed: float) -> float:
    """Return min_t exp(Σ log E exp(t s e) − t · observed), an upper bound of the p-value of a sum of error sizes.

    A size is s, and e is 1 with a probability of 1/s, else 0.
    """
    if observed <= len(size):  # their mean
        return 1.0
    chance = 1 / size
    with np.errstate(divide="ignore"):
        log_odds, log_chance, log_rest = np.log(chance) - np.log1p(-chance), np.log(chance), np.log1p(-chance)
    if observed >= size.sum() * (1 - 1e-12):
        return float(np.exp(log_chance.sum()))  # all are wrong

    def excess(t: float) -> float:
        return float(size @ expit(log_odds + t * size)) - observed

    high = 1 / observed
    while excess(high) < 0:
        high *= 2
    t = brentq(excess, 0.0, high, xtol=1e-300, rtol=1e-6)
    return float(np.exp(min(np.logaddexp(log_rest, log_chance + t * size).sum() - t * observed, 0.0)))
