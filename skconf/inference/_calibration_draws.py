"""What calibrated confidences give by chance: the statistics of a verdict, drawn together."""

from dataclasses import dataclass

import numpy as np

from skconf._core.probabilities import Floats
from skconf.inference._error_table import EPS, TOPS, ErrorTable
from skconf.inference._poisson_binomial import ErrorCount

#: Bandwidth of the smooth error; beyond so many cosines its kernel is below 1e-5.
BANDWIDTH, _COSINES = 0.05, 31
_POINTS = 256
_CELLS_AT_ONCE = 1 << 21
#: Sums of the same numbers in another order differ by less.
_ROUNDING = 1e-9
#: Largest ratio that is looked for, and in how many of these draws one must be found.
_MOST_RATIO, _RATIO_DRAWS, _POWER = 100.0, 400, 0.8


@dataclass(frozen=True, eq=False)
class Evidence:
    """P-values of the data, and then of every draw, each ranked among all of them.

    Attributes
    ----------
    gap, size_ratio, tails, shape : ndarray of shape (1 + n_draws,)
        Of the number of errors, two-sided and exact; of the size ratio; of errors at the top; and of the smooth error.
    """

    gap: Floats
    size_ratio: Floats
    tails: Floats
    shape: Floats

    @property
    def top(self) -> float:
        """P-value of the top: the smaller one of size ratio and errors at the top, among those of the draws."""
        return float(ranks(-np.minimum(self.size_ratio, self.tails))[0])

    @property
    def joint(self) -> float:
        """P-value of all four: the smallest one among those of the draws, as Westfall and Young have it."""
        return float(ranks(-self._least)[0])

    @property
    def needed(self) -> float:
        """Largest p-value of one of the four at which the joint p-value is .05."""
        return float(np.quantile(self._least[1:], 0.05))

    @property
    def _least(self) -> Floats:
        return np.minimum.reduce([self.gap, self.size_ratio, self.tails, self.shape])


class CalibrationDraws:
    """The statistics of errors that are drawn from the confidences."""

    def __init__(self, table: ErrorTable, n_draws: int, random_state: int | np.random.Generator | None) -> None:
        rng = np.random.default_rng(random_state)
        self.table, self.n_draws = table, n_draws
        self.size = 1 / np.clip(table.chance, EPS, 1 - EPS)
        tops = [table.at_least(top) for top in TOPS]
        #: The exact number of errors overall, and at each of the tops that have answers.
        self.overall = ErrorCount(table.chance, table.count)
        self.tops = {
            top: ErrorCount(table.chance[rows], table.count[rows])
            for top, rows in zip(TOPS, tops, strict=True)
            if rows.any()
        }
        waves = np.pi * np.arange(1, _COSINES + 1)
        kernel = np.exp(-0.5 * (waves * BANDWIDTH) ** 2)
        points = (np.arange(_POINTS) + 0.5) / _POINTS
        self._field = np.vstack([np.ones(_POINTS), 2 * kernel[:, np.newaxis] * np.cos(np.outer(waves, points))])
        self._field /= table.n
        self._effect = np.column_stack(
            [
                self.size,
                *(rows for rows, top in zip(tops, TOPS, strict=True) if top in self.tops),
                np.ones(len(self.size)),
                np.cos(np.outer(table.confidence, waves)),
            ]
        )
        self._expected = (table.count * table.chance) @ self._effect
        self.drawn = self._draw(rng)
        self._seed = int(rng.integers(1 << 32))

    def observed(self, without: int | None = None) -> Floats:
        """Return the statistics of the data, optionally without one error at one level."""
        wrong = self.table.wrong.copy()
        if without is not None:
            wrong[without] -= 1
        return np.asarray(wrong @ self._effect)

    def evidence(self, observed: Floats) -> Evidence:
        """Return the p-values of these statistics and of the draws among them."""
        every = np.vstack([observed, self.drawn])
        n_tops = len(self.tops)
        errors = every[:, 1 + n_tops]
        counts = [null.at_least(every[:, 1 + k]) for k, null in enumerate(self.tops.values())]
        tails = ranks(-np.minimum.reduce(counts)) if counts else np.ones(len(every))
        size_ratio, shape = ranks(every[:, 0]), ranks(self.smooth_error(every))
        return Evidence(self.overall.two_sided(errors), size_ratio, tails, shape)

    def smooth_error(self, statistics: Floats) -> Floats:
        """Return the smooth error of each row of statistics: the mean size of the smoothed gap."""
        waves = slice(1 + len(self.tops), None)
        gap = (statistics[..., waves] - self._expected[waves]) @ self._field
        return np.asarray(np.abs(gap).mean(axis=-1))

    def chance_limit(self) -> float:
        """Return the size ratio that one in twenty draws exceeds."""
        return float(np.quantile(self.drawn[:, 0], 0.95)) / self.table.n

    def detectable_ratio(self, needed: float) -> float:
        """Return the factor above the expected errors that the size ratio detects in four of five samples."""
        limit, table = np.quantile(self.drawn[:, 0], 1 - needed) * (1 - _ROUNDING), self.table

        def power(ratio: float) -> float:
            rng = np.random.default_rng(self._seed)  # the same draws for every ratio
            drawn = _draw_errors(np.minimum(ratio * table.chance, 1.0), table, _RATIO_DRAWS, rng, self.size[:, None])
            return float((drawn[:, 0] > limit).mean())

        low, high = 1.0, 2.0
        while power(high) < _POWER:
            low, high = high, 2 * high
            if low > _MOST_RATIO:
                return np.inf
        while high - low > 0.02 * low:
            middle = (low + high) / 2
            low, high = (low, middle) if power(middle) >= _POWER else (middle, high)
        return high

    def _draw(self, rng: np.random.Generator) -> Floats:
        return _draw_errors(self.table.chance, self.table, self.n_draws, rng, self._effect)


def _draw_errors(chance: Floats, table: ErrorTable, n_draws: int, rng: np.random.Generator, effect: Floats) -> Floats:
    """Return the sums of effects over randomly drawn errors, a row for each draw."""
    out = np.zeros((n_draws, effect.shape[1]))
    step = max(_CELLS_AT_ONCE // n_draws, 1)
    for start in range(0, len(chance), step):
        rows = slice(start, start + step)
        pairs = zip(table.count[rows].astype(np.int64), chance[rows], strict=True)
        wrong = np.empty((n_draws, len(chance[rows])), order="F")
        for level, (count, p) in enumerate(pairs):
            wrong[:, level] = rng.binomial(count, p, n_draws)
        out += wrong @ effect[rows]
    return out


def ranks(statistics: Floats) -> Floats:
    """Return for each statistic the share of all that are at least as large: its p-value."""
    order = np.sort(statistics)
    smaller = np.searchsorted(order, statistics - _ROUNDING * np.abs(statistics), side="left")
    return (len(order) - smaller) / len(order)
