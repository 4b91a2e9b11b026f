"""The verdict on confidences: computed from errors by confidence, or from the gap alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from skconf._core.checks import check_whole
from skconf._core.docstrings import documented
from skconf._core.labels import Codes
from skconf._core.warn import collected
from skconf.inference._assessment import Assessment, Grade, Stretch
from skconf.inference._confidence_interval import confidence_interval
from skconf.inference._error_table import EPS, FEWEST_ERRORS, N_ERROR_SUMS, ErrorTable, GapSums, GradedSums
from skconf.inference._harm import GRADES, harm
from skconf.inference._joint_test import LEVEL, JointTest
from skconf.inference._p_values import student
from skconf.inference._wording import gap_in_words, in_words, too_few_in_words
from skconf.profile import KNOWN, ConfidenceProfile, as_profile

#: A test of the gap alone finds a gap of this many standard deviations in four of five samples.
_FOUND_ALONE = 2.8
#: Standard errors on each side of a 95% interval.
_TWO_SIDED = 1.96
#: Equal sums in another order may differ by this share.
_ROUNDING = 1e-9
#: If a sample cannot show this overconfidence in four of five cases, it is too small for a verdict.
_TOO_WIDE = 0.1
#: A stretch counts for the grade if it has at least this share of the answers.
_MANY = 0.01


@documented()
def assess_confidence(
    y_true: ArrayLike | ConfidenceProfile,
    y_proba: ArrayLike | None = None,
    *,
    n_resamples: int = 1999,
    random_state: int | np.random.Generator | None = 0,
    y_pred: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> Assessment:
    """Assess whether confidences are calibrated, in a sentence that claims no more than the data show.

    The number of errors is compared with the number that the confidences imply, Σ (1 − c). This is done at six levels:
    among all answers, and among the answers with a confidence of at least 0.5, 0.9, 0.99, 0.999 and 1.0. Confidences
    are also divided into seventeen bands, and the two numbers are compared in each range of one or more neighbouring
    bands. All tests share one critical value. At most one calibrated classifier in twenty gets a verdict of
    miscalibration, whatever the number of answers.

    Parameters
    ----------
    {predictions}
    n_resamples : int, default=1999
        Number of draws for the critical value.
    random_state : int, Generator or None, default=0
        Seed of the draws.
    {predicted}
    {labels}
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights. If weights differ, only the gap between average confidence and accuracy is tested. The
        same holds if answers are graded or come in clusters.

    Returns
    -------
    Assessment
        The sentences of the verdict, a joint p-value, a grade that says how harmful the miscalibration is, and the
        numbers behind them.

    Raises
    ------
    ValueError
        If predictions are not valid. If `n_resamples` is below 99, which is too few for a 5% quantile.
    TypeError
        If predictions are missing, or if they are given together with a profile, which already has them.

    See Also
    --------
    skconf.confidence_report : The verdict together with metrics, for several models.
    overconfidence_by_group : Which slices are overconfident.
    skconf.metrics.spiegelhalter_test : A well-known test, with limits.

    Notes
    -----
    A stretch is a range of one or more neighbouring bands. Bands begin at 0, 0.2, 0.3, …, 0.9, 0.95, 0.98, 0.99, 0.995,
    0.998, 0.999, 0.9999 and 1. The p-value of a stretch is two-sided. It comes from the distribution that the number of
    errors would have if the confidences were calibrated, a Poisson binomial distribution. Miscalibration is found if at
    least one stretch has p ≤ t · w, where w is the weight of the stretch and t a critical value. The weight is 1 for
    the stretches from 0, 0.5, 0.9, 0.99, 0.999 or 1 upwards, and ¼ for all other stretches. To find t, errors are drawn
    many times from the confidences. Each draw gives the smallest p / w of all stretches; t is the 5% quantile of these
    smallest values [1]_. The interval of the errors in a stretch is Clopper and Pearson's at the level 1 − t · w. This
    level allows for the number of stretches, so all intervals may be read together. An interval excludes the expected
    errors if and only if its test finds miscalibration.

    The verdict names at most one overconfident and one underconfident stretch: in each direction, the stretch with the
    smallest p / w. Then bands are removed from the ends of the stretch, one after another. A band is removed if
    miscalibration is also found in the rest of the stretch, and if the band itself shows little miscalibration in the
    same direction: its one-sided p-value is above 0.2. For the band at the upper end of an overconfident stretch, the
    limit is 0.025 instead. Finally, all bands from 0.9 upwards are removed if miscalibration is found in the part below
    0.9 alone, but not in the part from 0.9 upwards alone. Because the stretch was chosen for its clear gap, the true
    gap is probably smaller. The verdict therefore gives the number of errors, not the gap.

    If nothing is found, look at `detectable_over`. Overall overconfidence of this size would have been found in at
    least four of five data sets like this one, however the errors are distributed over the answers [2]_. The true
    overconfidence may still be larger; use `gap_high` as its upper bound [3]_.

    If miscalibration is found in a stretch, the stretch gets a grade. The grade is computed from one end of the
    interval of the errors: the end that is closer to the expected errors. The grade of the verdict is the worst grade
    among the six levels and the stretches that the verdict names. Levels and stretches with less than 1% of the answers
    do not count. In the following limits, numbers of errors are per 1,000 answers. Overconfidence is

    - mild if there are at least 10 errors more than expected, or twice as many as expected and at least 1 more;
    - serious if there are at least 50 more, or three times as many and at least 2 more;
    - unusable if there are at least 200 more, or ten times as many and at least 20 more.

    Underconfidence is mild if there are at least 20 errors fewer than expected, and serious if there are at least 100
    fewer.

    With weights, errors cannot be drawn from the confidences: if the probability of being sampled depends on the label,
    even a calibrated classifier has more or fewer errors in the data than its confidences imply. So the weighted gap is
    tested by a normal distribution. Two standard errors are computed, one from the confidences and one from the data.
    The larger one is used. For graded answers, the standard error comes from the data alone. If answers come in
    clusters (`groups` of a profile), the standard error comes from the differences between clusters, and the t
    distribution is used. In all these cases, the verdict is "too few to say" if there are fewer than 30 effective
    errors or effective right answers. The number of effective errors is (Σ w)² / Σ w² times the observed or the
    expected error rate, whichever is higher. Here w is the weight of an answer or of a cluster. The number of effective
    right answers is (Σ w)² / Σ w² minus the number of effective errors.

    If answers come in clusters, the interval of the accuracy is for answers of new clusters;
    :func:`confidence_interval` computes it. If miscalibration is found, the verdict also gives the interval of the gap.

    If a classifier rejects some answers, as a :class:`~skconf.SelectiveClassifier` with a threshold does, the verdict
    is about its accepted answers. If it rejects all answers, the verdict is about all of them, as if there were no
    threshold. Rows in which the model gives no answer at all (it abstains) are always left out.

    References
    ----------
    .. [1] P. H. Westfall and S. S. Young, Resampling-Based Multiple Testing, 1993.
    .. [2] W. Hoeffding, On the Distribution of the Number of Successes in Independent Trials, Annals of Mathematical
       Statistics 27, 1956.
    .. [3] J. M. Hoenig and D. M. Heisey, The Abuse of Power, The American Statistician 55, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from skconf.inference import assess_confidence
    >>> rng = np.random.default_rng(0)
    >>> y_proba = rng.random(1000)
    >>> y_true = (rng.random(1000) < 0.5 + 0.8 * (y_proba - 0.5)).astype(int)
    >>> found = assess_confidence(y_true, y_proba)
    >>> print(found)
    Overconfident: average confidence is 74.7%, but 68.8% of answers are right (95% interval 65.2–72.2). Worst at a
    confidence of 0.9 or more: 30 errors in 185 answers, where the confidences imply 9.0 errors.
    >>> found.grade
    'serious'
    """
    given = {"y_pred": y_pred, "labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    profile = as_profile("assess_confidence()", y_true, y_proba, **given)
    check_whole(n_resamples, "n_resamples", 99)
    return assess(profile, n_resamples, random_state)


def assess(profile: ConfidenceProfile, n_draws: int = 1999, random_state: Any = 0) -> Assessment:
    """Return the verdict on a profile. Equal weights are treated as no weights, and rows of weight 0 are left out."""
    if profile.kind == "costs":
        raise ValueError(f"assess_confidence needs the correctness of answers, but {KNOWN[profile.kind]}.")
    rows = profile.accepted_rows
    if rows is not None:  # rejected rows have no answer, like abstentions
        found = assess(replace(profile[rows], threshold=None), n_draws, random_state)
        if found.decisive_row is None:
            return found
        found = replace(found, decisive_row=int(rows[found.decisive_row]))
        return replace(found, text=in_words(found, len(profile)))
    if profile.groups is not None:
        return _assess_groups(profile)
    weight, unweighted = profile.sample_weight, profile
    if profile.kind == "graded":
        return assess_graded(
            len(profile) if weight is None else int(np.count_nonzero(weight)), *GradedSums().sums(profile)
        )
    frequent = _most_frequent(profile)
    if weight is not None:
        positive = weight[weight > 0]
        if not len(positive) or positive.min() < positive.max():
            return assess_gap(len(positive), *GapSums().sums(profile), most_frequent=frequent)
        unweighted = profile[weight > 0].with_weight(None)
    return assess_table(ErrorTable.of(unweighted), n_draws, random_state, profile=profile, most_frequent=frequent)


def _most_frequent(profile: ConfidenceProfile) -> float:
    """Return the share of the most frequent class; NaN if classes are not known."""
    if profile.classes is None or profile.true_class is None:
        return np.nan
    weights = np.bincount(profile.true_class, profile.given_weight)
    return float(weights.max() / weights.sum())


def _assess_groups(profile: ConfidenceProfile) -> Assessment:
    """Return the verdict on answers in groups. Only the gap is tested, with the variance of the data."""
    weight = np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight
    apart = weight * (profile.confidence - profile.correctness)
    sums = (weight.sum(), weight @ profile.confidence, weight @ profile.correctness)
    apart, size = (np.bincount(cast(Codes, profile.groups), terms) for terms in (apart, weight))
    # The variance that the confidences imply is unknown for groups.
    squares = (apart @ apart, apart @ size, size @ size)
    graded = profile.kind == "graded"
    found = assess_gap(int(np.count_nonzero(weight)), *sums, 0.0, *squares, graded=graded, in_groups=True)
    # If confidences separate right from wrong answers, the gap varies less between clusters than the accuracy. So the
    # accuracy needs an interval of its own.
    low, high = accuracy_ends(profile)
    found = replace(found, accuracy_low=low, accuracy_high=high)
    if np.isnan(found.p_value):
        return found
    return replace(found, text=gap_in_words(found, graded=graded, in_groups=True))


def accuracy_ends(profile: ConfidenceProfile, confidence_level: float = 0.95) -> tuple[float, float]:
    """Return the interval of the accuracy of answers, which may be in groups; NaN if there is none."""
    groups, weight = profile.groups, profile.sample_weight
    there = np.ones(len(profile), dtype=np.bool_) if weight is None else weight > 0
    if (np.count_nonzero(there) if groups is None else len(np.unique(groups[there]))) < 2:
        return np.nan, np.nan
    answers = replace(profile, score=np.ones(len(profile)), abstained=None)
    with collected():
        found = confidence_interval(
            "selective_accuracy_score", answers, threshold=1.0, confidence_level=confidence_level
        )
    return found.low, found.high


def assess_table(
    table: ErrorTable,
    n_draws: int = 1999,
    random_state: Any = 0,
    *,
    profile: ConfidenceProfile | None = None,
    most_frequent: float = np.nan,
) -> Assessment:
    """Return the verdict on unweighted errors by confidence. `profile` is used only to name the row of an error."""
    test = JointTest(table, n_draws, random_state)
    found = bool(test.found.any())
    levels = tuple(test.stretch(at) for at in test.levels)
    over, under = (
        None if at is None else test.stretch(at)
        for at in (test.strongest("overconfident"), test.strongest("underconfident"))
    )
    overall, n = levels[0], table.n
    accuracy, expected = 1 - overall.observed / n, overall.expected / n
    low, high = 1 - overall.errors_high / n, 1 - overall.errors_low / n
    detectable = test.detectable("overconfident")
    shown, at_most = _harm_of(levels, (over, under), n)
    if at_most == GRADES[0]:
        shown = "close to calibrated"
    elif not found:
        shown = "none shown" if detectable <= _TOO_WIDE else "too few to say"
    decisive = _decisive(table, test) if found else None
    certain = table.chance <= EPS
    assessment = Assessment(
        p_value=test.joint,
        found=found,
        grade=shown,
        grade_at_most=at_most,
        n_samples=n,
        confidence=1 - expected,
        accuracy=accuracy,
        accuracy_low=low,
        accuracy_high=high,
        gap=1 - expected - accuracy,
        gap_low=1 - expected - high,
        gap_high=1 - expected - low,
        observed_errors=overall.observed,
        expected_errors=overall.expected,
        levels=levels,
        overconfident=over,
        underconfident=under,
        detectable_over=detectable,
        detectable_under=test.detectable("underconfident"),
        most_frequent=most_frequent,
        decisive=None if decisive is None else float(1 - table.chance[decisive]),
        decisive_row=None if decisive is None or profile is None else _surest_error(profile),
        certain=round(table.count[certain].sum()),
        certain_wrong=round(table.wrong[certain].sum()),
    )
    return replace(assessment, text=in_words(assessment, None if profile is None else len(profile)))


def _harm_of(levels: tuple[Stretch, ...], named: tuple[Stretch | None, ...], n: int) -> tuple[Grade, Grade]:
    """Return the worst grade that the data show, and the worst that they allow, among stretches with enough answers."""
    many = [each for each in (*levels, *named) if each is not None and each.count >= _MANY * n]
    grades = [
        harm(each.errors_low / each.count, each.errors_high / each.count, each.expected / each.count) for each in many
    ]
    shown, at_most = (max(ends, key=GRADES.index) for ends in zip(*grades, strict=True))
    return shown, at_most


def _surest_error(profile: ConfidenceProfile) -> int:
    """Return the row of the wrong answer with the highest confidence."""
    wrong = ~profile.correct
    if profile.sample_weight is not None:
        wrong &= profile.sample_weight > 0
    return int(np.argmax(np.where(wrong, profile.confidence, -1.0)))


def _decisive(table: ErrorTable, test: JointTest) -> int | None:
    """Return the level of a single error without which nothing would be found; None if there is no such error."""
    wrong = np.flatnonzero(table.wrong > 0)
    if not len(wrong):
        return None
    surest = int(wrong[np.argmin(table.chance[wrong])])
    # Any one of many errors may make the difference. An error decides only if its size 1/(1 − c) is at least the sum of
    # the sizes of all other errors.
    if 1 / max(table.chance[surest], EPS) < 0.5 * table.sizes:
        return None
    band = int(np.searchsorted(np.unique(table.band), table.band[surest]))
    return None if test.is_found_without(band) else surest


def assess_sums(n: int, *sums: Any) -> Assessment:
    """Return the verdict on `n` answers in parts, from their `VerdictSums`. Equal weights are ignored."""
    errors, gap, of_classes = sums[:N_ERROR_SUMS], sums[N_ERROR_SUMS:-1], np.asarray(sums[-1])
    weight, squares = float(gap[0]), float(gap[-1])
    frequent = float(of_classes.max() / weight) if of_classes.any() else np.nan
    if abs(n * squares - weight**2) > _ROUNDING * weight**2:
        return assess_gap(n, *gap, most_frequent=frequent)
    return assess_table(ErrorTable.of_sums(*(total * (n / weight) for total in errors)), most_frequent=frequent)


def assess_graded(n: int, *sums: Any) -> Assessment:
    """Return the verdict on `n` graded answers from their `GradedSums`. Only the gap is tested."""
    return assess_gap(n, *sums, graded=True)


def assess_gap(
    n: int, *sums: Any, most_frequent: float = np.nan, graded: bool = False, in_groups: bool = False
) -> Assessment:
    """Return the verdict on the gap of `n` answers (graded, in groups or else weighted), from their `GapSums`."""
    weight, sure, right, *_, squares = map(float, sums)
    confidence, accuracy = sure / weight, right / weight
    gap, error = (number.item() for number in GapSums.gap_and_error(*map(float, sums)))
    rate = max(1 - confidence, 1 - accuracy)
    size, rarer = weight**2 / squares, min(rate, 1 - rate)
    enough = rarer * size >= FEWEST_ERRORS
    freedom, times, found_at = np.inf, _TWO_SIDED, _FOUND_ALONE
    if enough and in_groups:  # unequal groups stand for `size` groups of equal size
        freedom = size - 1
        error *= float(np.sqrt(1 + 1 / freedom))
        times = student(0.95, freedom)
        found_at += times - _TWO_SIDED
    away = 0.0 if abs(gap) <= _ROUNDING else abs(gap) / error if error else np.inf
    p_value = float(2 * stdtr(freedom, -away)) if enough else np.nan
    reach = times * error if enough else np.nan
    found = p_value <= LEVEL
    shown: Grade = "too few to say"
    at_most = GRADES[-1]
    if enough:
        # The interval of the gap, which is the one that agrees with the test.
        expected, seen = 1 - confidence, 1 - accuracy
        shown, at_most = harm(seen - reach, seen + reach, expected)
        shown = "close to calibrated" if at_most == GRADES[0] else shown if found else "none shown"
    assessment = Assessment(
        p_value=p_value,
        found=found,
        grade=shown,
        grade_at_most=at_most,
        n_samples=n,
        confidence=confidence,
        accuracy=accuracy,
        accuracy_low=max(accuracy - reach, 0.0),
        accuracy_high=min(accuracy + reach, 1.0),
        gap=gap,
        gap_low=gap - reach,
        gap_high=gap + reach,
        detectable_over=found_at * error if enough else np.nan,
        detectable_under=found_at * error if enough else np.nan,
        most_frequent=most_frequent,
    )
    if not enough:
        needed = FEWEST_ERRORS / rarer if rarer > 0 else np.inf
        return replace(assessment, text=too_few_in_words(size, needed, graded=graded, in_groups=in_groups))
    return replace(assessment, text=gap_in_words(assessment, graded=graded, in_groups=in_groups))
