"""The distributions of the numbers of errors in all stretches of confidence, if confidences are calibrated."""

import numpy as np
from scipy.fft import next_fast_len
from scipy.special import betainc, gammainc, gammaincc, ndtr

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf.inference._error_table import BANDS, ErrorTable

#: Largest variance of a number of errors whose probabilities are all computed.
_MOST_VARIANCE = 400.0
#: Beyond this many standard deviations plus this many errors, on each side of the mean, probabilities are negligible.
_REACH, _BESIDES = 10.0, 60.0
#: Smaller sums of Fourier coefficients are rounding errors.
_ROUNDING = 1e-11
#: If the mean chance of an error is below this, a binomial number of errors counts as a Poisson number.
_RARE = 1e-6


class StretchLaws:
    """The distribution of the number of errors in every stretch, which is a run of neighbouring bands of confidence.

    Up to a variance of 400, the distribution is exact: a Poisson binomial distribution. It is computed by a Fourier
    transform of its characteristic function, the product of the characteristic functions of the bands. For larger
    variances, there are two approximations. Draws use a normal distribution that is corrected for skewness. The
    p-values of the data use a binomial distribution of the same mean and variance.

    Attributes
    ----------
    first, last : ndarray of shape (n_stretches,)
        First and last band of each stretch, by position among the bands that have answers.
    edges, ends : ndarray of shape (n_bands,)
        Lower and upper end of each band.
    count, observed, expected : ndarray of shape (n_stretches,)
        Number of answers, and observed and expected number of errors.
    """

    def __init__(self, table: ErrorTable) -> None:
        filled, band = np.unique(table.band, return_inverse=True)
        self.edges, self.ends = np.array(BANDS)[filled], np.append(BANDS[1:], np.inf)[filled]
        self._band, self._table = band, table
        chance, n_bands = table.chance, len(filled)
        self.first, self.last = np.triu_indices(n_bands)
        variance = chance * (1 - chance)
        moments = (1.0, table.wrong / table.count, chance, variance, variance * (1 - 2 * chance))
        sums: list[Floats] = [np.bincount(band, table.count * each, n_bands).astype(np.float64) for each in moments]
        self.band_errors = np.rint(sums[1])
        self.count, self.observed, self.expected, self._variance, self._third = map(self.of_bands, sums)
        self.count, self.observed = np.rint(self.count), np.rint(self.observed)
        self._exact = np.flatnonzero(self._variance <= _MOST_VARIANCE)
        self._start, self._at_most, self._at_least = self._tabulate()

    def of_bands(self, by_band: Floats) -> Floats:
        """Return the sum of the values of the bands in each stretch, along the last axis."""
        total = np.concatenate([np.zeros((*by_band.shape[:-1], 1)), np.cumsum(by_band, axis=-1)], axis=-1)
        # A difference of running totals is not exact, so the value of a single band is taken directly.
        alone = self.first == self.last
        return np.where(alone, by_band[..., self.first], total[..., self.last + 1] - total[..., self.first])

    def draw(self, n_draws: int, rng: np.random.Generator) -> Floats:
        """Draw numbers of errors from calibrated confidences, of shape (n_draws, n_stretches)."""
        by_band = np.empty((n_draws, len(self.edges)))
        row_of = dict(zip(self._exact.tolist(), range(len(self._exact)), strict=True))
        for band, stretch in enumerate(np.flatnonzero(self.first == self.last).tolist()):
            if stretch in row_of:
                row = row_of[stretch]
                at_most = self._at_most[row, 1:-1]
                place = np.searchsorted(at_most, rng.random(n_draws))
                by_band[:, band] = self._start[row] + np.minimum(place, len(at_most) - 1)
            else:
                normal, spread = rng.standard_normal(n_draws), np.sqrt(self._variance[stretch])
                skewed = normal + self._third[stretch] / spread**3 * (normal**2 - 1) / 6
                drawn = np.rint(self.expected[stretch] + spread * skewed)
                by_band[:, band] = np.clip(drawn, 0, self.count[stretch])
        return np.rint(self.of_bands(by_band))

    def two_sided(self, errors: Floats) -> Floats:
        """Return two-sided p-values of drawn numbers of errors, of shape (..., n_stretches)."""
        p_values = np.empty(errors.shape)
        smaller = np.minimum(self._at_most, self._at_least)
        p_values[..., self._exact] = smaller[self._places(errors[..., self._exact])]
        rest = np.flatnonzero(self._variance > _MOST_VARIANCE)
        if len(rest):
            spread = np.sqrt(self._variance[rest])
            above, below = ((errors[..., rest] + half - self.expected[rest]) / spread for half in (-0.5, 0.5))
            skewness = self._third[rest] / spread**3
            # The values of the normal variable that this number of errors, or one more, came from.
            above, below = (z - skewness * (z**2 - 1) / 6 for z in (above, below))
            p_values[..., rest] = ndtr(-np.maximum(above, -below))
        return np.minimum(2 * p_values, 1.0)

    def tails(self, errors: Floats) -> tuple[Floats, Floats]:
        """Return the probabilities of at most, and of at least, these numbers of errors in each stretch."""
        at_most, at_least = self._binomial_tails(errors)
        places = self._places(errors[self._exact])
        for tail, table in zip((at_most, at_least), (self._at_most, self._at_least), strict=True):
            exact = table[places]
            tail[self._exact] = np.where(exact > _ROUNDING, exact, np.minimum(tail[self._exact], _ROUNDING))
        return at_most, at_least

    def _places(self, errors: Floats) -> tuple[Codes, Codes]:
        """Return where numbers of errors stand in the tables of exact distributions: their rows and their columns."""
        column = np.clip(errors.astype(np.intp) - self._start + 1, 0, self._at_most.shape[1] - 1)
        return np.arange(len(self._exact)), column

    def _tabulate(self) -> tuple[Codes, Floats, Floats]:
        """Return the smallest tabulated number of errors of each exact distribution, and its lower and upper tails.

        The first and the last column stand for all smaller and all larger numbers of errors.
        """
        exact = self._exact
        if not len(exact):
            return np.zeros(0, dtype=np.intp), np.zeros((0, 1)), np.zeros((0, 1))
        reach = np.ceil(_REACH * np.sqrt(self._variance[exact]) + _BESIDES)
        n_values = next_fast_len(int(min(self.count[exact].max() + 1, 2 * reach.max() + 1)), real=True)
        start = np.maximum(np.floor(self.expected[exact] - n_values // 2), 0).astype(np.intp)
        spectrum = self._spectrum(n_values)
        circular = np.fft.irfft(spectrum.conj(), n_values, axis=-1)
        order = (start[:, np.newaxis] + np.arange(n_values)) % n_values
        probability = np.clip(np.take_along_axis(circular, order, axis=-1), 0.0, None)
        at_most = np.minimum(np.cumsum(np.pad(probability, ((0, 0), (1, 1))), axis=-1), 1.0)
        at_least = np.minimum(np.cumsum(probability[:, ::-1], axis=-1)[:, ::-1], 1.0)
        return start, at_most, np.pad(at_least, ((0, 0), (1, 1)), constant_values=((0, 0), (1, 0)))

    def _spectrum(self, n_values: int) -> Floats:
        """Return the characteristic functions of the exact distributions, of shape (n_exact, n_angles)."""
        turn = np.expm1(2j * np.pi * np.arange(n_values // 2 + 1) / n_values)
        by_band = np.zeros((len(self.edges), len(turn)), dtype=np.complex128)
        needed = self._variance[self.first == self.last] <= _MOST_VARIANCE
        with np.errstate(divide="ignore", invalid="ignore"):  # a chance of 1/2 at half a turn: the factor is 0
            for band in np.flatnonzero(needed):
                cells = self._band == band
                factors = np.log1p(self._table.chance[cells, np.newaxis] * turn)
                by_band[band] = self._table.count[cells] @ factors
        logarithm = np.empty((len(self.first), len(turn)), dtype=np.complex128)
        for first in range(len(self.edges)):  # sums of logarithms that may be −inf, of which no difference can be taken
            logarithm[self.first == first] = np.cumsum(by_band[first:], axis=0)
        return np.exp(logarithm[self._exact])

    def _binomial_tails(self, errors: Floats) -> tuple[Floats, Floats]:
        """Return the tails of binomial distributions of the same means and variances."""
        mean = self.expected
        chance = np.clip(1 - np.divide(self._variance, mean, out=np.ones_like(mean), where=mean > 0), _RARE, 1.0)
        size = np.maximum(mean / chance, errors)
        poisson = chance <= _RARE
        at_most = np.where(
            poisson, gammaincc(errors + 1, mean), betainc(np.maximum(size - errors, 1e-300), errors + 1, 1 - chance)
        )
        some = np.maximum(errors, 1)
        at_least = np.where(poisson, gammainc(some, mean), betainc(some, np.maximum(size - some + 1, 1e-300), chance))
        return at_most, np.where(errors > 0, at_least, 1.0)
