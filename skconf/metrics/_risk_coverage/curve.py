"""The risk-coverage curve and the areas under it."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlog1py

from skconf._core.checks import check_option
from skconf._core.inputs import BELOW_ONE, refuse_scaled
from skconf._core.messages import short_repr
from skconf._core.probabilities import Floats
from skconf._core.ranking import Ranking
from skconf._core.warn import Notice
from skconf.metrics._base import references
from skconf.metrics._base.kinds import Ranked, divide
from skconf.metrics._base.registry import WeightMeaning
from skconf.profile import ConfidenceProfile


class RiskCoverageCurve(NamedTuple):
    """Error rate among the predictions with the highest scores, at every coverage.

    Attributes
    ----------
    coverage : ndarray of shape (n_distinct,)
        Share of predictions accepted at each threshold, ascending. The last entry is the share of rows in which the
        model does not abstain; it is 1 if the model never abstains.
    risk : ndarray of shape (n_distinct,)
        Error rate of the accepted predictions.
    thresholds : ndarray of shape (n_distinct,)
        Distinct scores, descending. Predictions with at least this score are accepted.
    """

    coverage: Floats
    risk: Floats
    thresholds: Floats

    def __repr__(self) -> str:
        return short_repr(self)


class RiskCoverage(
    Ranked,
    name="risk_coverage_curve",
    best=None,
    reference=references.SELECTIVE,
):
    """Risk-coverage curve: the error rate of accepted predictions at every threshold.

    Predictions with tied scores are accepted together.

    {predictions}

    Returns
    -------
    RiskCoverageCurve
        Arrays `coverage`, `risk` and `thresholds`, with one entry for each distinct score, from the highest down.

    {raises}

    See Also
    --------
    aurc_loss : The area under the curve.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import risk_coverage_curve
    >>> coverage, risk, thresholds = risk_coverage_curve([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6])
    >>> coverage
    array([0.5 , 0.75, 1.  ])
    >>> risk
    array([0.  , 0.  , 0.25])
    """

    result = RiskCoverageCurve
    takes = "costs"
    counts_abstained = True

    def of_ranking(self, ranking: Ranking) -> RiskCoverageCurve:
        accepted, answers = np.cumsum(ranking.weight), ranking.score > -np.inf
        curve = (accepted / accepted[-1], np.cumsum(ranking.errors) / accepted, ranking.score)
        return RiskCoverageCurve(*(column[answers] for column in curve))


risk_coverage_curve = RiskCoverage.function


class _Counted(Ranked):
    """An area for which sample weights are numbers of repetitions. So their sizes matter, and not only their ratios."""

    weight_meaning = WeightMeaning.WHOLE_COUNTS
    why_resampled = ""

    def value(self, profile: ConfidenceProfile) -> Any:
        refuse_scaled(self.info.name, profile.weight_scale)
        return super().value(profile)

    def notices(self, profile: ConfidenceProfile, value: Any) -> list[Notice]:
        """Return warnings. If all sample weights are below 1, one warning says so."""
        found, weight = super().notices(profile, value), profile.sample_weight
        if weight is None or weight.max() >= 1:
            return found
        return [*found, Notice(f"{self.info.name} {BELOW_ONE.format(weight.sum())}")]


class AURC(
    _Counted,
    name="aurc_loss",
    rests_on="errors",
    aliases=("aurc",),
    best=0.0,
    reference=references.AURC,
    scorers="aurc",
):
    """Area under the risk-coverage curve (AURC): error rate of the most confident answers, averaged over coverage.

    AURC = (1/n) Σ_k E_k / k with n samples, and E_k the number of errors (or the sum of graded errors) among the k
    predictions with the highest scores. If scores are tied, the value is exactly the mean over all orders of the tied
    predictions, so the order of rows never matters.

    {predictions}

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    excess_aurc_loss : The AURC minus the smallest AURC that is possible with the same number of errors.
    augrc_loss : The same, but with errors divided by the number of all samples. A single confident error then weighs
        less.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import aurc_loss
    >>> aurc_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6])
    0.0625
    """

    takes = "costs"
    of_losses = True

    def of_ranking(self, ranking: Ranking) -> Any:
        return ranking.mean_prefix_risk()

    def slopes(self, ranking: Ranking) -> tuple[Floats, Floats]:
        return prefix_risk_slopes(ranking)


aurc_loss = AURC.function


class ExcessAURC(
    _Counted,
    name="excess_aurc_loss",
    rests_on="errors",
    aliases=("eaurc", "e_aurc"),
    best=0.0,
    reference=references.AURC,
    scorers="excess_aurc",
):
    """Excess AURC: the AURC minus the smallest AURC that is possible with the same number of errors.

    The AURC is smallest if all errors have lower scores than all right answers. With E errors among n samples, it is
    then (1/n) Σ_j j / (n − E + j), for j = 1 to E.

    {predictions}
    optimum : {"exact", "asymptotic"}, default="exact"
        "exact" subtracts the smallest AURC. "asymptotic" subtracts the limit of the smallest AURC for many samples, err
        + (1 − err) ln(1 − err), with err the error rate.

    Returns
    -------
    float
        {facts} With "asymptotic" the value may be slightly negative.

    {raises}

    See Also
    --------
    aurc_loss : The area itself.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import excess_aurc_loss
    >>> excess_aurc_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6])
    0.0
    >>> round(excess_aurc_loss([0, 1, 1, 0], [0.1, 0.9, 0.6, 0.8]), 4)
    0.0833
    """

    optimum: str = "exact"

    def __post_init__(self) -> None:
        check_option(self.optimum, "optimum", ("exact", "asymptotic"))

    def of_ranking(self, ranking: Ranking) -> Any:
        if self.optimum == "asymptotic":
            error_rate = ranking.total_errors / ranking.total_weight
            least = error_rate + xlog1py(1 - error_rate, -error_rate)
            return ranking.mean_prefix_risk() - least
        return ranking.mean_prefix_risk() - _errors_last(ranking).mean_prefix_risk()

    def slopes(self, ranking: Ranking) -> tuple[Floats, Floats]:
        right, wrong = prefix_risk_slopes(ranking)
        least_right, least_wrong = prefix_risk_slopes(_errors_last(ranking))
        return right - least_right[0], wrong - least_wrong[1]


excess_aurc_loss = ExcessAURC.function


class AUGRC(
    Ranked,
    name="augrc_loss",
    rests_on="errors",
    aliases=("augrc",),
    bounds=(0.0, 0.5),
    best=0.0,
    reference=references.AUGRC,
    scorers="augrc",
):
    """Area under the generalised risk-coverage curve (AUGRC): share of rows accepted and wrong, averaged over coverage.

    AUGRC = (1 − AUROC) acc err + err² / 2, with acc the accuracy, err the error rate, and AUROC the probability that a
    right prediction has a higher score than a wrong one (ties count one half). The curve is the share of samples that
    are both accepted and wrong, at every coverage. Its area is computed by the trapezoidal rule from (0, 0).

    {predictions}

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    aurc_loss : The area under the error rate of the accepted predictions.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import augrc_loss
    >>> augrc_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6])
    0.03125
    """

    why_resampled = ""
    takes = "costs"
    of_losses = True

    def of_ranking(self, ranking: Ranking) -> Any:
        total, errors = ranking.total_weight, ranking.total_errors
        return (ranking.discordant_weight() + errors**2 / 2) / total**2

    def slopes(self, ranking: Ranking) -> tuple[Floats, Floats]:
        total, errors = ranking.total_weight, ranking.total_errors
        right, wrong = discordant_slopes(ranking)
        falling = 2 * self.of_ranking(ranking) / total
        return right / total**2 - falling, (wrong + errors) / total**2 - falling


augrc_loss = AUGRC.function


def prefix_risk_slopes(ranking: Ranking) -> tuple[Floats, Floats]:
    """Return the derivatives of the mean prefix risk by the weight of right and of wrong predictions at each score.

    The risk is taken in its limit for many samples, where differences of harmonic numbers become logarithms. An error
    then counts g = 1 − (b/f) ln(1 + f/b) + ln(W/(b + f)), where b is the weight at higher scores, f the weight at its
    own score, and W the total weight.
    """
    weight, total = ranking.weight, ranking.total_weight
    after = np.cumsum(weight)
    before = np.append(0.0, after[:-1])
    grown = np.log1p(divide(weight, before, 0.0))
    counted = 1 - divide(before * grown, weight, 1.0) - np.log(np.where(after > 0, after, total) / total)
    by_own = divide(before * grown, weight * weight, 0.0) - divide(1.0, weight, 0.0)
    by_before = -divide(grown, weight, 0.0)
    pushed = ranking.errors * by_before
    lower = pushed[::-1].cumsum()[::-1] - pushed  # what the errors at lower scores lose
    mean = float(ranking.errors @ counted) / total
    right = (ranking.errors * by_own + lower + ranking.errors.sum() / total - mean) / total
    return right, right + counted / total


def discordant_slopes(ranking: Ranking) -> tuple[Floats, Floats]:
    """Return the derivatives of the discordant weight by the weight of right and of wrong predictions at each score."""
    right = ranking.weight - ranking.errors
    errors_above = np.cumsum(ranking.errors) - ranking.errors
    return errors_above + ranking.errors / 2, right.sum() - np.cumsum(right) + right / 2


def _errors_last(ranking: Ranking) -> Ranking:
    """Return the best ranking with the same errors: all right predictions have a higher score than all errors."""
    total, errors = ranking.total_weight, ranking.total_errors
    weight = np.stack([total - errors, errors], axis=-1)
    return Ranking(np.array([1.0, 0.0]), weight, weight * [0.0, 1.0])
