"""The exact distribution of the number of errors under calibrated confidences: a Poisson binomial."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.probabilities import Floats

#: Beyond this many standard deviations plus this many errors, on each side of the mean, probabilities are negligible.
_REACH, _BESIDES = 10.0, 60.0
#: From this x on, a factor exp(−x) counts as zero.
_NIL = 45.0
_CELLS_AT_ONCE = 1 << 20


class ErrorCount:
    """The number of errors among answers with given chances of an error: a Poisson binomial variable.

    Its characteristic function is Π (1 − p + p exp(it)), and the probabilities are the Fourier coefficients. They are
    exact up to rounding errors of about 1e-14. `count` is the number of answers with each chance p.
    """

    def __init__(self, chance: Floats, count: Floats) -> None:
        self.size = round(count.sum())
        self.mean = float(count @ chance)
        self.variance = float(count @ (chance * (1 - chance)))
        reach = _REACH * np.sqrt(self.variance) + _BESIDES
        self.first = max(int(self.mean - reach), 0)
        last = min(int(np.ceil(self.mean + reach)), self.size)
        probability = np.clip(self._probabilities(chance, count, last + 1 - self.first), 0.0, None)
        self._at_most = np.minimum(np.cumsum(probability), 1.0)
        self._at_least = np.minimum(np.cumsum(probability[::-1])[::-1], 1.0)

    def at_least(self, errors: Any) -> Floats:
        """Return the probability of at least this number of errors."""
        return self._look_up(self._at_least, errors, below=1.0, above=0.0)

    def at_most(self, errors: Any) -> Floats:
        """Return the probability of at most this number of errors."""
        return self._look_up(self._at_most, errors, below=0.0, above=1.0)

    def two_sided(self, errors: Any) -> Floats:
        """Return twice the smaller of the two one-sided probabilities, at most 1."""
        return np.minimum(2 * np.minimum(self.at_least(errors), self.at_most(errors)), 1.0)

    def _look_up(self, table: Floats, errors: Any, below: float, above: float) -> Floats:
        place = np.rint(errors).astype(np.intp) - self.first
        inside = table[np.clip(place, 0, len(table) - 1)]
        return np.where(place < 0, below, np.where(place >= len(table), above, inside))

    def _probabilities(self, chance: Floats, count: Floats, n_values: int) -> Floats:
        """Return the probabilities of `first` errors, of one more, and so on."""
        angle = 2 * np.pi * np.arange(n_values // 2 + 1) / n_values
        # No factor is larger than exp(−p(1 − p)(1 − cos t)).
        angle = angle[self.variance * (1 - np.cos(angle)) <= _NIL]
        turn = np.expm1(1j * angle)
        logarithm = np.zeros(len(angle), dtype=np.complex128)
        step = max(_CELLS_AT_ONCE // len(angle), 1)
        with np.errstate(divide="ignore"):  # a chance of 1/2 at half a turn: the factor is 0
            for start in range(0, len(chance), step):
                rows = slice(start, start + step)
                logarithm += count[rows] @ np.log1p(chance[rows, np.newaxis] * turn)
        spectrum = np.zeros(n_values // 2 + 1, dtype=np.complex128)
        spectrum[: len(angle)] = np.exp(logarithm - 1j * angle * self.first)
        probabilities: NDArray[Any] = np.fft.irfft(spectrum.conj(), n_values)
        return probabilities
