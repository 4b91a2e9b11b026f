"""The verdict on confidences: computed from errors by confidence, or from the gap alone."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from skconf._core.checks import check_whole
from skconf._core.docstrings import documented
from skconf._core.labels import Codes
from skconf._core.proportions import clopper_pearson, poisson_interval
from skconf.inference._assessment import Assessment, TopErrors
from skconf.inference._calibration_draws import CalibrationDraws
from skconf.inference._error_table import EPS, FEWEST_ERRORS, N_ERROR_SUMS, ErrorTable, GapSums, GradedSums
from skconf.inference._p_values import holm
from skconf.inference._wording import gap_in_words, in_words, one_answer
from skconf.profile import KNOWN, ConfidenceProfile, as_profile

#: Level of the verdict.
LEVEL = 0.05
#: A gap of so many standard deviations is found in four of five samples: among four statistics, and alone.
_FOUND_JOINTLY, _FOUND_ALONE = 3.08, 2.8
#: Standard errors on each side of a 95 % interval.
_TWO_SIDED = 1.96
#: Share by which equal sums differ in another order.
_ROUNDING = 1e-9


@documented()
def assess_confidence(
    y_true: ArrayLike | ConfidenceProfile,
    y_proba: ArrayLike | None = None,
    *,
    n_resamples: int = 4999,
    random_state: int | np.random.Generator | None = 0,
    y_pred: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> Assessment:
    """Assess whether confidences may be trusted: a verdict that says neither more nor less than the data show.

    Three numbers decide: the gap (mean confidence less accuracy; too sure or too modest overall), the top (the
    calibrated size ratio, and errors announced and seen at .9, .99 and .999 or more; too sure where it is surest), and
    the shape (the smooth calibration error; errors that cancel overall). All are compared with what errors drawn from
    the confidences themselves give, so that the verdict holds at any number of answers: of calibrated classifiers, no
    more than one in twenty gets a verdict of miscalibration.

    Parameters
    ----------
    {predictions}
    n_resamples : int, default=4999
        Number of draws; the smallest joint p-value is 1 / (n_resamples + 1).
    random_state : int, Generator or None, default=0
        Seed of the draws.
    {predicted}
    {labels}
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights. Unless all are alike, only the gap is tested, and the sentence says so; likewise of graded
        answers, and of answers in groups.

    Returns
    -------
    Assessment
        The sentence, a joint p-value, and all that it rests on.

    Raises
    ------
    ValueError
        If predictions are malformed, or `n_resamples` is below 99: fewer draws cannot reject at the level of .05.
    TypeError
        If predictions are missing, or given beside a profile that holds them.

    See Also
    --------
    skconf.confidence_report : The verdict beside metrics, of several models.
    overconfidence_by_group : Which slices are too sure.
    skconf.metrics.spiegelhalter_test : A check that many know, with limits.

    Notes
    -----
    The gap has the exact distribution of the number of errors. The joint p-value is that of the smallest one of four
    (gap, size ratio, errors at the top, smooth error) among those of the same draws [1]_. Where it is at most .05, a
    part is worded if its own p-value is at most .05 after Holm's adjustment for the three parts. Answers are
    drawn in cells within which the odds of an error differ by at most 5 %, a few answers each by itself: time hardly
    grows with their number.

    Where nothing is found, `detectable_gap` is 3.08 times the standard deviation of the gap, which is found in four of
    five samples; `detectable_ratio` is found by draws with that many times as many errors. Neither is a bound on what
    is there: that is the interval [2]_.

    Weights break the draws: where the chance of being sampled depends on the label, errors of a calibrated classifier
    do not follow its confidences. The weighted gap is tested by a normal distribution with the larger one of two
    standard errors, that which the confidences announce and that of the data. Fewer than 30 effective errors are too
    few to say. Of graded answers, and of answers in groups (a profile's `groups`), the standard error of the gap is
    that of the data, by group.

    References
    ----------
    .. [1] P. H. Westfall and S. S. Young, Resampling-Based Multiple Testing, 1993.
    .. [2] J. M. Hoenig and D. M. Heisey, The Abuse of Power, The American Statistician 55, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from skconf.inference import assess_confidence
    >>> rng = np.random.default_rng(0)
    >>> y_proba = rng.random(1000)
    >>> y_true = (rng.random(1000) < 0.5 + 0.8 * (y_proba - 0.5)).astype(int)
    >>> found = assess_confidence(y_true, y_proba)
    >>> print(found)
    Too sure: says 74.7 %, is right in 68.8 % [65.8, 71.7]; 312 wrong, 253 announced. More so at the top: 30 of 185
    answers at .9 or more are wrong, 9.0 announced (× 3.3 [2.2, 4.8]).
    >>> found.p_value
    0.0002
    """
    given = {"y_pred": y_pred, "labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    profile = as_profile("assess_confidence()", y_true, y_proba, **given)
    check_whole(n_resamples, "n_resamples", 99)
    return assess(profile, n_resamples, random_state)


def assess(profile: ConfidenceProfile, n_draws: int = 4999, random_state: Any = 0) -> Assessment:
    """Return the verdict on a profile; weights that are all alike, or zero, are none."""
    if profile.kind == "costs":
        raise ValueError(f"assess_confidence needs correctness, and {KNOWN[profile.kind]}.")
    if profile.groups is not None:
        return _assess_groups(profile)
    weight, unweighted = profile.sample_weight, profile
    if profile.kind == "graded":
        return assess_graded(
            len(profile) if weight is None else int(np.count_nonzero(weight)), *GradedSums().sums(profile)
        )
    if weight is not None:
        positive = weight[weight > 0]
        if not len(positive) or positive.min() < positive.max():
            return assess_gap(len(positive), "weighted", *GapSums().sums(profile))
        unweighted = profile[weight > 0].with_weight(None)
    return _with_row(assess_table(ErrorTable.of(unweighted), n_draws, random_state), profile)


def _assess_groups(profile: ConfidenceProfile) -> Assessment:
    """Return the verdict on answers in groups: on the gap alone, from the data's own variance."""
    weight = np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight
    apart = weight * (profile.confidence - profile.correctness)
    sums = (weight.sum(), weight @ profile.confidence, weight @ profile.correctness)
    apart, size = (np.bincount(cast(Codes, profile.groups), terms) for terms in (apart, weight))
    # Nothing is known of the variance that the confidences announce.
    kind = "graded" if profile.kind == "graded" else "in groups"
    return assess_gap(int(np.count_nonzero(weight)), kind, *sums, 0.0, apart @ apart, apart @ size, size @ size)


def _with_row(verdict: Assessment, profile: ConfidenceProfile) -> Assessment:
    """Return a verdict with the row of the one answer that decides, where one does."""
    if verdict.decisive is None:
        return verdict
    wrong = ~profile.correct
    if profile.sample_weight is not None:
        wrong &= profile.sample_weight > 0
    row = int(np.argmax(np.where(wrong, profile.confidence, -1.0)))
    verdict = replace(verdict, decisive_row=row)
    return replace(verdict, text=one_answer(verdict, len(profile)))


def assess_table(table: ErrorTable, n_draws: int = 4999, random_state: Any = 0) -> Assessment:
    """Return the verdict on unweighted errors by confidence."""
    draws = CalibrationDraws(table, n_draws, random_state)
    observed = draws.observed()
    evidence = draws.evidence(observed)
    n, wrong, announced = table.n, round(table.wrong.sum()), draws.overall.mean
    gap_p_value, top_p_value, shape_p_value = parts = (float(evidence.gap[0]), evidence.top, float(evidence.shape[0]))
    rejected = evidence.joint <= LEVEL
    gap_holds, top_holds, shape_holds = (bool(rejected and p <= LEVEL) for p in holm(parts))
    decisive = _decisive(table, draws) if rejected else None
    accuracy, (low, high) = 1 - wrong / n, map(float, clopper_pearson((n - wrong) / n, n, 1 - LEVEL))
    sure, certain = 1 - announced / n, table.chance <= EPS
    assessment = Assessment(
        p_value=evidence.joint,
        n_samples=n,
        confidence=sure,
        accuracy=accuracy,
        accuracy_low=low,
        accuracy_high=high,
        gap=sure - accuracy,
        gap_low=sure - high,
        gap_high=sure - low,
        wrong=wrong,
        announced=announced,
        size_ratio=table.sizes / n,
        tops=tuple(_top(table, draws, top) for top in draws.tops),
        smooth_error=float(draws.smooth_error(observed)),
        gap_p_value=gap_p_value,
        top_p_value=top_p_value,
        shape_p_value=shape_p_value,
        gap_holds=gap_holds,
        top_holds=top_holds,
        shape_holds=shape_holds,
        detectable_gap=np.nan if rejected else _FOUND_JOINTLY * np.sqrt(draws.overall.variance) / n,
        detectable_ratio=np.nan if rejected else draws.detectable_ratio(evidence.needed),
        decisive=None if decisive is None else float(1 - table.chance[decisive]),
        certain=round(table.count[certain].sum()),
        certain_wrong=round(table.wrong[certain].sum()),
    )
    return replace(assessment, text=in_words(assessment, table, draws.chance_limit()))


def assess_sums(n: int, *sums: Any) -> Assessment:
    """Return the verdict on `n` answers in parts, from their `VerdictSums`: weights that are all alike are none."""
    errors, gap = sums[:N_ERROR_SUMS], sums[N_ERROR_SUMS:]
    weight, squares = float(gap[0]), float(gap[-1])
    if abs(n * squares - weight**2) > _ROUNDING * weight**2:
        return assess_gap(n, "weighted", *gap)
    return assess_table(ErrorTable.of_sums(*(total * (n / weight) for total in errors)))


def assess_graded(n: int, *sums: Any) -> Assessment:
    """Return the verdict on `n` graded answers, which is on the gap alone, from their `GradedSums`."""
    return assess_gap(n, "graded", *sums)


def assess_gap(n: int, kind: str, *sums: Any) -> Assessment:
    """Return the verdict on the gap alone of `n` answers, "weighted", "graded" or "in groups", from their `GapSums`."""
    weight, sure, right, *_, squares = map(float, sums)
    confidence, accuracy = sure / weight, right / weight
    gap, error = (number.item() for number in GapSums.gap_and_error(*map(float, sums)))
    rate = max(1 - confidence, 1 - accuracy)
    enough = min(rate, 1 - rate) * weight**2 / squares >= FEWEST_ERRORS
    p_value = float(2 * ndtr(-abs(gap) / error)) if enough else np.nan
    reach = _TWO_SIDED * error if enough else np.nan
    rejected = p_value <= LEVEL
    assessment = Assessment(
        p_value=p_value,
        n_samples=n,
        confidence=confidence,
        accuracy=accuracy,
        accuracy_low=max(accuracy - reach, 0.0),
        accuracy_high=min(accuracy + reach, 1.0),
        gap=gap,
        gap_low=gap - reach,
        gap_high=gap + reach,
        gap_p_value=p_value,
        gap_holds=rejected,
        detectable_gap=np.nan if rejected or not enough else _FOUND_ALONE * error,
    )
    return replace(assessment, text=gap_in_words(assessment, kind))


def _top(table: ErrorTable, draws: CalibrationDraws, top: float) -> TopErrors:
    """Return expected and observed errors at or above a confidence."""
    rows, null = table.at_least(top), draws.tops[top]
    wrong = round(table.wrong[rows].sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = (float(np.divide(end, null.mean)) for end in poisson_interval(wrong, 1 - LEVEL))
    return TopErrors(top, null.size, wrong, null.mean, low, high, float(null.at_least(wrong)))


def _decisive(table: ErrorTable, draws: CalibrationDraws) -> int | None:
    """Return the level of the one error without which calibration would not be rejected; else None."""
    if not table.wrong.any():
        return None
    largest = int(np.argmax(np.where(table.wrong > 0, draws.size, 0.0)))
    if draws.size[largest] < 0.5 * table.sizes:
        return None
    return largest if draws.evidence(draws.observed(without=largest)).joint > LEVEL else None
