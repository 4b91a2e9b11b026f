"""Smooth calibration errors: the gap between confidence and accuracy, smoothed over confidence or its logit."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dct, idct
from scipy.optimize import brentq
from scipy.signal import oaconvolve
from scipy.special import expit, logit

from skconf._core.checks import check_number
from skconf._core.probabilities import Floats, row_blocks
from skconf.metrics._base.kinds import Whole
from skconf.metrics._base.references import LS_ECE, SMOOTH_ECE
from skconf.profile import ConfidenceProfile

#: Cells of the grid for one standard deviation of the kernel: the value is then off by less than 1/5000 of itself.
_CELLS_PER_SIGMA = 24
#: A normal density counts as 0 from this many standard deviations on.
_REACH = 8
#: Numbers that are held for each sample while a grid is filled. Blocks of samples are chosen so that all of them stay
#: in the processor's cache.
_COLUMNS = 8
_FEWEST_CELLS, _MOST_CELLS = 1 << 12, 1 << 20


class SmoothCalibrationError(
    Whole,
    name="smooth_calibration_error",
    rests_on="errors",
    aliases=("smece", "smooth_ece"),
    best=0.0,
    reference=SMOOTH_ECE,
    scorers="smooth_ece",
):
    """Smooth calibration error (smECE): the gap between confidence and accuracy, smoothed instead of binned.

    smECE_σ = ∫ |Σ_i w_i (c_i − z_i) K_σ(t, c_i)| dt / Σ w over t in [0, 1]. Here z = 1 for a right prediction and 0 for
    a wrong one, c is its confidence, and K is a normal density of standard deviation σ, reflected at 0 and 1. The value
    is smECE_σ at the bandwidth σ for which smECE_σ = σ. There is exactly one such bandwidth, because smECE_σ does not
    increase with σ.

    {predictions}
    bandwidth : float, default=None
        A fixed σ, at least 1e-4. None finds the σ for which smECE_σ = σ.

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    expected_calibration_error : Over bins.
    logit_smoothed_calibration_error : Smoothed over the logit of the confidence.

    Notes
    -----
    The gaps are put on a grid over [0, 1], with at least 24 points in an interval of length σ. But the grid has at most
    a million points, so if σ is below 2.3e-5, an interval of this length has fewer. A cosine transform smooths the
    gaps. So the time grows with the number of samples plus the number of points. The transform also reflects the gaps
    at 0 and 1, so confidences of exactly 0 or 1 count in full. In the authors' package relplot, such confidences count
    only half. So the values of relplot are lower for models with many such confidences.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import smooth_calibration_error
    >>> round(smooth_calibration_error([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6]), 3)
    0.149
    >>> round(smooth_calibration_error([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6], bandwidth=0.05), 3)
    0.242
    """

    takes = "graded"

    bandwidth: float | None = None

    def __post_init__(self) -> None:
        if self.bandwidth is not None:
            check_number(self.bandwidth, "bandwidth", 1e-4, np.inf, open_high=True)

    @property
    def zero_if_calibrated(self) -> bool:
        """True, because it uses only confidences and correctness."""
        return True

    def value(self, profile: ConfidenceProfile) -> float:
        gap = profile.confidence - profile.correctness
        weight = profile.sample_weight
        if weight is None:
            gap /= len(gap)
        else:
            gap *= weight / weight.sum()
        if self.bandwidth is not None:
            return _Smoother(profile.confidence, gap, _cells_for(self.bandwidth)).error(self.bandwidth)
        cells = _FEWEST_CELLS
        while True:
            smoother = _Smoother(profile.confidence, gap, cells)
            found = smoother.error_at_itself()
            if found * cells >= _CELLS_PER_SIGMA or cells == _MOST_CELLS:
                return found
            cells = min(max(8 * cells, _cells_for(found)), _MOST_CELLS)


smooth_calibration_error = SmoothCalibrationError.function


class LogitSmoothedCalibrationError(
    Whole,
    name="logit_smoothed_calibration_error",
    rests_on="errors",
    aliases=("ls_ece",),
    best=0.0,
    reference=LS_ECE,
    scorers="ls_ece",
):
    """Logit-smoothed calibration error (LS-ECE): the gap between confidence and accuracy, smoothed over log-odds.

    LS-ECE_σ = ∫ |Σ_i w_i (z_i − ρ(t)) K_σ(t − l_i)| dt / Σ w. Here z = 1 for a right prediction and 0 for a wrong one,
    l is the log-odds of its confidence, ρ is the logistic function, and K is a normal density of standard deviation σ.
    LS-ECE is the calibration error of the model after normal noise is added to its log-odds. Unlike a binned error, it
    is continuous in the confidences.

    {predictions}
    bandwidth : float, default=1/15
        The standard deviation σ, in log-odds, at least 1e-3. The authors compare LS-ECE with a binned error over 1/σ
        bins, which is 15 bins for the default.
    eps : float, default=1e-8
        Confidences are clipped to [eps, 1 - eps]. `eps` must be at least 1e-15.

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    smooth_calibration_error : Smoothed over the confidence, with a bandwidth that follows from the data.

    Notes
    -----
    The integral is computed on a grid with steps of σ/24. The authors' code draws noise at random instead; the integral
    is the mean over such draws. If few samples lie within σ of each other, the gaps of different samples hardly cancel
    out, and the value is close to the mean of |c − z|. For a calibrated model, the value falls as the number of samples
    grows; its limit is at most 0.2σ.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import logit_smoothed_calibration_error
    >>> y_true, y_proba = [0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6]
    >>> round(logit_smoothed_calibration_error(y_true, y_proba), 3)
    0.25
    >>> round(logit_smoothed_calibration_error(y_true, y_proba, bandwidth=1.0), 3)
    0.046
    """

    takes = "graded"

    bandwidth: float = 1 / 15
    eps: float = 1e-8

    def __post_init__(self) -> None:
        check_number(self.bandwidth, "bandwidth", 1e-3, np.inf, open_high=True)
        check_number(self.eps, "eps", 1e-15, 0.5)

    def value(self, profile: ConfidenceProfile) -> float:
        if profile.sample_weight is not None:  # rows without weight must not say where the grid begins
            profile = profile[profile.sample_weight > 0]
        place = logit(np.clip(profile.confidence, self.eps, 1 - self.eps))
        weight = np.ones(len(place)) if profile.sample_weight is None else profile.sample_weight
        start = place.min() - _REACH * self.bandwidth
        step = self.bandwidth / _CELLS_PER_SIGMA
        cells = int((place.max() - start) / step) + _REACH * _CELLS_PER_SIGMA + 2
        # Half a cell is added, because `_put_on_grid` divides by the centres of cells.
        on_grid = (place - start + step / 2) / (step * cells)
        mass = _put_on_grid(on_grid, weight / weight.sum(), cells)
        right = _put_on_grid(on_grid, weight / weight.sum() * profile.correctness, cells)
        offsets = np.arange(-_REACH * _CELLS_PER_SIGMA, _REACH * _CELLS_PER_SIGMA + 1) / _CELLS_PER_SIGMA
        kernel = np.exp(-0.5 * offsets**2)
        kernel /= kernel.sum()
        sure = expit(start + step * np.arange(cells))
        smoothed, smoothed_right = (oaconvolve(part, kernel, mode="same") for part in (mass, right))
        return float(np.abs(smoothed_right - sure * smoothed).sum())


logit_smoothed_calibration_error = LogitSmoothedCalibrationError.function


class _Smoother:
    """Gaps on a grid over [0, 1], which can be smoothed with any bandwidth."""

    def __init__(self, confidence: Floats, gap: Floats, cells: int) -> None:
        self.cells = cells
        self.frequencies: NDArray[Any] = np.pi * np.arange(cells)
        self.mass = _put_on_grid(confidence, gap, cells)
        self.spectrum = dct(self.mass, type=2)

    def error(self, sigma: float) -> float:
        """Return smECE at a bandwidth."""
        # The cosine transform of a normal density is at most exp(−800) from here on, which is 0.
        some = slice(int(np.searchsorted(self.frequencies, 40 / max(sigma, 1e-300))))
        kernel = np.exp(-0.5 * (self.frequencies[some] * sigma) ** 2)
        return float(np.abs(idct(self.spectrum[some] * kernel, type=2, n=self.cells)).sum())

    def error_at_itself(self) -> float:
        """Return smECE at the bandwidth that is equal to smECE."""
        unsmoothed = float(np.abs(self.mass).sum())
        if unsmoothed == 0:
            return 0.0
        # error(σ) − σ is `unsmoothed` at σ = 0, and falls. At σ = `unsmoothed` it is at most 0, because smoothing never
        # makes the error larger.
        excess = self.error(unsmoothed) - unsmoothed
        if excess >= 0:
            return unsmoothed
        sigma = brentq(lambda sigma: self.error(sigma) - sigma, 0.0, unsmoothed, xtol=1e-9, rtol=1e-9)
        return self.error(sigma)


def _cells_for(sigma: float) -> int:
    """Return the size of a grid that is fine enough for a bandwidth; it is a power of two."""
    needed = _CELLS_PER_SIGMA / max(sigma, _CELLS_PER_SIGMA / _MOST_CELLS)
    return min(max(1 << max(int(np.ceil(np.log2(needed))), 0), _FEWEST_CELLS), _MOST_CELLS)


def _put_on_grid(confidence: Floats, gap: Floats, cells: int) -> Floats:
    """Divide every gap between the two cells with the nearest centres.

    A part outside [0, 1] goes to the cell at that end.
    """
    mass = np.zeros(cells + 2)  # with a cell on each side
    for rows in row_blocks(len(gap), _COLUMNS):
        place = confidence[rows] * cells + 0.5
        lower = place.astype(np.intp)
        place -= lower
        place *= gap[rows]
        mass[1:] += np.bincount(lower, weights=place, minlength=cells + 1)
        np.subtract(gap[rows], place, out=place)
        mass[:-1] += np.bincount(lower, weights=place, minlength=cells + 1)
    mass[1] += mass[0]
    mass[-2] += mass[-1]
    return mass[1:-1]
