"""Calibrated size ratio: errors compared with the errors that the confidences imply, and its variants."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from skconf._core.checks import check_number, check_option, check_whole
from skconf._core.probabilities import Floats
from skconf.metrics._base.columns import lost
from skconf.metrics._base.draws import draw_sums
from skconf.metrics._base.kinds import Additive, Metric, Ratio, Substitute, Term, Whole, divide
from skconf.metrics._base.references import CSR
from skconf.metrics._base.registry import Nearness, Preset, WeightMeaning
from skconf.metrics._base.tails import chance_of_sum
from skconf.profile import ConfidenceProfile
from skconf.profile._answers import computed_once, computed_once_of_confidence


def _excess(ratio: Any) -> Any:
    return -np.maximum(ratio - 1, 0)


def _clipped(profile: ConfidenceProfile, eps: float) -> Floats:
    # In float32 1 − 1e-8 rounds to 1; a profile's confidence is float64.
    return np.clip(profile.confidence, eps, 1 - eps)


@computed_once_of_confidence
def _odds(profile: ConfidenceProfile, eps: float) -> Floats:
    sure = _clipped(profile, eps)
    return sure / (1 - sure)


@computed_once
def _error_sizes(profile: ConfidenceProfile, eps: float) -> Floats:
    return lost(profile) / (1 - _clipped(profile, eps))


class _Clipped(Metric):
    """A metric that keeps confidences away from 0 and 1."""

    eps: float = 1e-8

    def __post_init__(self) -> None:
        check_number(self.eps, "eps", 0.0, 0.5)

    def clipped(self, profile: ConfidenceProfile) -> Floats:
        return _clipped(profile, self.eps)

    def odds(self, profile: ConfidenceProfile) -> Term:
        """Return the term whose sum is the variance, Σ w² c/(1 − c)."""
        return Term(_odds(profile, self.eps), power=2)

    def error_sizes(self, profile: ConfidenceProfile) -> NDArray[Any]:
        """Return 1/(1 − c) for errors and 0 for right answers."""
        return _error_sizes(profile, self.eps)


class CalibratedSizeRatio(
    _Clipped,
    Ratio,
    name="calibrated_size_ratio",
    rests_on="tail",
    aliases=("csr", "size_ratio"),
    bounds=(0.0, np.inf),
    reference=f"{CSR}, Definition 2",
    scorers={
        "neg_csr_deviation": Preset(transform=Nearness(1.0)),
        "neg_csr_excess": Preset(transform=_excess),
    },
):
    """Calibrated size ratio (CSR): each error counts by how unlikely it was, given its confidence.

    CSR = Σ (w e / (1 − c)) / Σ w, with e = 1 for an error and 0 for a right prediction, and c the confidence of the
    predicted class. The CSR of a calibrated classifier is 1 on average. A value far above 1 means that the classifier
    is overconfident: it makes more errors at high confidences than these confidences imply. If the ratio is 10, a
    calibrated classifier would need ten times as many samples to make such errors by chance. A value below 1 may mean
    that the classifier is underconfident. It may also be chance: confident errors are rare, and if there is none, the
    ratio is low.

    {predictions}
    eps : float, default=1e-8
        Confidences are converted to float64, and clipped to [eps, 1 - eps]. With n samples, an error with confidence 1
        adds 1/(n eps) to the ratio.

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    capped_size_ratio : The ratio with a cap on the weight of an error. It has an interval for any number of samples.
    calibrated_size_ratio_std : Its standard deviation, if the confidences are calibrated.
    overconfidence_risk : The evidence for overconfidence.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import calibrated_size_ratio
    >>> y_true = ["a", "b", "b", "b", "a"]
    >>> calibrated_size_ratio(y_true, [0.2, 0.75, 0.75, 0.75, 0.75])
    0.8
    >>> round(calibrated_size_ratio(y_true, [0.01, 0.99, 0.99, 0.99, 0.99]), 6)
    20.0
    """

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[Any], float]:
        return self.error_sizes(profile), 1.0


calibrated_size_ratio = CalibratedSizeRatio.function


class CappedSizeRatio(
    Ratio,
    name="capped_size_ratio",
    rests_on="errors",
    bounds=(0.0, np.inf),
    reference=f"{CSR}, Definition 2, with a bound on the weight of an error",
):
    """Capped size ratio: each error counts by how unlikely it was, given its confidence, up to a cap.

    The value is Σ w e h / Σ w (1 − c) h, with h = min(1/(1 − c), cap), e = 1 for an error and 0 for a right prediction,
    and c the confidence of the predicted class. It is the ratio of observed to expected errors, both weighted by h.
    With any cap, the ratio of a calibrated classifier is 1 on average. If the ratio is above 1, the classifier makes
    more errors, weighted by h, than the confidences imply: it is overconfident. Without a cap it is
    :func:`calibrated_size_ratio`, whose value may depend on a few very confident errors, which most data sets do not
    contain. With a cap, the value can be estimated from few samples.

    {predictions}
    cap : float, default=20
        The largest weight of an error, at least 1. Errors with a confidence of 1 − 1/cap or more have this weight; for
        a cap of 20, this confidence is 0.95.

    Returns
    -------
    float
        {facts} NaN, with a warning, if all confidences are 1, so that no error is expected.

    {raises}

    See Also
    --------
    calibrated_size_ratio : Without a cap.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import calibrated_size_ratio, capped_size_ratio
    >>> y_true, y_proba = [1, 1, 0, 0, 0], [0.75, 0.75, 0.25, 0.25, 0.9999]
    >>> round(calibrated_size_ratio(y_true, y_proba)), round(capped_size_ratio(y_true, y_proba), 3)
    (2000, 4.998)
    """

    undefined = "all confidences are 1, so that no error is expected"

    cap: float = 20.0

    def __post_init__(self) -> None:
        check_number(self.cap, "cap", 1.0, open_high=True)

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[Any], NDArray[Any]]:
        doubt = 1 - profile.confidence
        counted = 1 / np.maximum(doubt, 1 / self.cap)
        return lost(profile) * counted, doubt * counted


capped_size_ratio = CappedSizeRatio.function


class CalibratedSizeRatioStd(
    _Clipped,
    Additive,
    name="calibrated_size_ratio_std",
    rests_on="samples",
    bounds=(0.0, np.inf),
    best=None,
    reference=f"{CSR}, Proposition 6",
):
    """Standard deviation of the calibrated size ratio of a calibrated model with these confidences.

    σ = sqrt(Σ w² c / (1 − c)) / Σ w, with c the confidence of the predicted class. It shows how far from 1 the ratio
    may be by chance. All samples count in σ, while only errors count in the ratio.

    {predictions}
    eps : float, default=1e-8
        Confidences are converted to float64, and clipped to [eps, 1 - eps].

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    calibrated_size_ratio : The ratio.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import calibrated_size_ratio_std
    >>> y_true = ["a", "b", "b", "b", "a"]
    >>> round(calibrated_size_ratio_std(y_true, [0.2, 0.75, 0.75, 0.75, 0.75]), 3)
    0.8
    """

    draws_answers = True
    weight_meaning = WeightMeaning.IMPORTANCES

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        return self.odds(profile), Term(1.0)

    def combine(self, odds: NDArray[Any], weight: NDArray[Any]) -> Any:
        return divide(np.sqrt(odds), weight, np.nan)


calibrated_size_ratio_std = CalibratedSizeRatioStd.function


class CalibratedSizeRatioZScore(
    _Clipped,
    Additive,
    name="calibrated_size_ratio_zscore",
    rests_on="tail",
    bounds=(-np.inf, np.inf),
    best=0.0,
    reference=f"{CSR}, Section 2.1",
    scorers={"neg_csr_zscore_deviation": Preset(transform=Nearness(0.0))},
):
    """Number of standard deviations by which the calibrated size ratio is above 1, z = (CSR − 1) / σ.

    Here σ is :func:`calibrated_size_ratio_std`. If z is above 1, the paper calls the confidences risky. In its tables,
    values above 3 are marked.

    {predictions}
    eps : float, default=1e-8
        Confidences are converted to float64, and clipped to [eps, 1 - eps].

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    overconfidence_risk : The z-score on a scale from 0 to 1.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import calibrated_size_ratio_zscore
    >>> y_true = ["a", "b", "b", "b", "a"]
    >>> round(calibrated_size_ratio_zscore(y_true, [0.2, 0.75, 0.75, 0.75, 0.75]), 2)
    -0.25
    """

    draws_answers = True
    weight_meaning = WeightMeaning.IMPORTANCES

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        return Term(self.error_sizes(profile)), Term(1.0), self.odds(profile)

    def combine(self, sizes: NDArray[Any], weight: NDArray[Any], odds: NDArray[Any]) -> Any:
        return divide(sizes - weight, np.sqrt(odds), np.nan)


calibrated_size_ratio_zscore = CalibratedSizeRatioZScore.function


class OverconfidenceRisk(
    CalibratedSizeRatioZScore,
    name="overconfidence_risk",
    rests_on="errors",
    best=0.0,
    greater_is_better=False,
    reference=f"{CSR}, Section 2.1",
    scorers="overconfidence_risk",
):
    """Evidence for overconfidence, P_risk: how far the calibrated size ratio is above 1, on a scale from 0 to 1.

    P_risk = Φ((CSR − 1) / σ) if CSR > 1, and 0 otherwise, with Φ the normal distribution function, and σ the standard
    deviation of the ratio by chance (:func:`calibrated_size_ratio_std`). If P_risk is above 0.84, the ratio is more
    than one standard deviation too high; if it is above 0.9987, more than three standard deviations. This definition of
    the paper (method="normal") gives 0 for many overconfident models, because right answers with confidence 1 lower the
    ratio to 1 or less. The other methods return 1 − p with a p-value p, also if the ratio is below 1.

    {predictions} The methods "convolution" and "monte_carlo" take no weights.
    eps : float, default=1e-8
        Confidences are converted to float64, and clipped to [eps, 1 - eps].
    method : {"normal", "convolution", "monte_carlo"}, default="normal"
        "normal" is the formula of the paper. The other methods return 1 − p, with p the probability of a ratio at least
        this large if the model is calibrated. They are valid at any sample size, for any distribution of confidences,
        and also if the ratio is below 1. "convolution" computes p with an error below 0.01. "monte_carlo" estimates p
        from random draws of errors.
    n_resamples : int, default=9999
        Number of draws for "monte_carlo". The smallest possible p is 1 / (n_resamples + 1).
    random_state : int, Generator or None, default=0
        Seed for "monte_carlo".

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    calibrated_size_ratio : The ratio.
    calibrated_size_ratio_std : Its standard deviation.
    skconf.inference.assess_confidence : A verdict on all confidences, on the highest ones, and on ranges.

    Notes
    -----
    The text of the paper defines P_risk only for ratios above 1. In the tables of the paper, it is 0 for other ratios,
    as with "normal". The normal approximation is poor in the tail at every sample size: about 1% of calibrated
    classifiers are above three standard deviations, not 0.135%. The paper suggests Student's t and Edgeworth's
    expansion as corrections. The page "Trials of intervals and comparisons" of the guide compares them: neither helps,
    because the ratio depends on a few errors at confidences near 1. "convolution" needs no such approximation.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import overconfidence_risk
    >>> y_true = ["a", "b", "b", "b", "a"]
    >>> overconfidence_risk(y_true, [0.2, 0.75, 0.75, 0.75, 0.75])
    0.0
    >>> round(overconfidence_risk(y_true, [0.2, 0.25, 0.75, 0.25, 0.75]), 3)
    0.96
    >>> round(overconfidence_risk(y_true, [0.2, 0.25, 0.75, 0.25, 0.75], method="monte_carlo"), 2)
    0.91
    >>> round(overconfidence_risk(y_true, [0.2, 0.25, 0.75, 0.25, 0.75], method="convolution"), 2)
    0.91
    """

    draws_answers = True
    is_estimate = False  # it is itself a statement about the error of the ratio
    why_resampled = "the risk jumps from 0 to 0.5 as soon as the size ratio is above 1"

    method: str = "normal"
    n_resamples: int = 9999
    random_state: Any = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_option(self.method, "method", ("normal", "convolution", "monte_carlo"))
        check_whole(self.n_resamples, "n_resamples")

    def computed_by(self) -> Any:
        if self.method == "normal":
            return self
        return _ConvolvedRisk(asked=self) if self.method == "convolution" else _SimulatedRisk(asked=self)

    def combine(self, sizes: NDArray[Any], weight: NDArray[Any], odds: NDArray[Any]) -> Any:
        risk = ndtr(super().combine(sizes, weight, odds))
        # A ratio of 1 up to rounding is 1. Otherwise, the order of rows would decide between 0 and 1/2.
        return np.where(weight == 0, np.nan, np.where(sizes.real > weight.real * (1 + 1e-12), risk, 0.0))


overconfidence_risk = OverconfidenceRisk.function


class _UnweightedRisk(Substitute, Whole):
    """1 − p, where p is the p-value of the size ratio if the confidences are calibrated, without weights."""

    def refuse_weights(self, profile: ConfidenceProfile) -> None:
        """Raise if the profile has sample weights, which only the formula of the paper takes."""
        if profile.sample_weight is not None:
            raise ValueError(
                f"{self.info.name} takes no sample_weight with method={self.asked.method!r}, which assumes equal "
                "weights. Leave the weights out, or use method='normal'."
            )


class _ConvolvedRisk(_UnweightedRisk):
    """1 − p, with the p-value of the size ratio computed by convolution."""

    def value(self, profile: ConfidenceProfile) -> float:
        self.refuse_weights(profile)
        return 1 - chance_of_sum(1 / (1 - self.asked.clipped(profile)), ~profile.correct)


class _SimulatedRisk(_UnweightedRisk):
    """1 − p, with the p-value of the size ratio computed by random draws."""

    def value(self, profile: ConfidenceProfile) -> float:
        self.refuse_weights(profile)
        size = 1 / (1 - self.asked.clipped(profile))
        observed = float(size[~profile.correct].sum())
        rng = np.random.default_rng(self.asked.random_state)
        as_large = np.count_nonzero(as_large_as(observed, draw_error_sizes(size, self.asked.n_resamples, rng)))
        return float(1 - (as_large + 1) / (self.asked.n_resamples + 1))


def as_large_as(observed: float, drawn: Floats) -> NDArray[np.bool_]:
    """Return which drawn sums are at least as large as the sum of the data, up to rounding."""
    return np.asarray(drawn >= observed * (1 - 1e-9) - 1e-6)


def draw_error_sizes(size: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
    """Draw Σ s e for calibrated confidences: independent errors e of probability 1/s, with sizes s >= 1."""
    chance = 1 / size
    outcomes = np.column_stack([chance, 1 - chance])
    return len(size) + draw_sums(outcomes, np.column_stack([size, np.zeros(len(size))]), n_draws, rng)
