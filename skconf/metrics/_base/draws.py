"""Random sums of costs under calibrated probabilities, drawn fast at any sample size."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.probabilities import Floats, row_blocks
from skconf._core.warn import Notice

#: A sum is drawn as a whole if its skewness is at most the first number, and if the summed fourth moments of the rows,
#: divided by the squared variance of the sum, are at most the second. The quantiles are then off by less than a
#: hundredth of the standard deviation, which thousands of draws cannot show.
_SKEWNESS, _FOURTH = 0.1, 0.01
_CELLS_AT_ONCE = 1 << 21
#: With chances above this, each cell is drawn; below it, the gaps between hits are drawn.
_RARE = 0.1


def draw_sums(proba: Floats, cost: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
    """Draw Σ_i (a_i,Y − E a_i,Y), with independent labels Y drawn from the probabilities in row i.

    The sum over the many rows with the smallest effect is drawn at once, from the gamma distribution with the same
    first three moments. In the other rows, the most probable label is assumed, and only the exceptions from it are
    drawn. Both arrays have a row for each sample i and a column for each label k. `proba` holds the probability of the
    label, and `cost` its cost a_ik.
    """
    # The sums of an array that is stored by columns would differ by rounding. This would change the order of similar
    # rows, and so the draws.
    proba, cost = np.ascontiguousarray(proba), np.ascontiguousarray(cost)
    mean, *moments = _moments(proba, cost)
    second, third, fourth = (part.sum() for part in moments)
    if second > 0 and _is_smooth(second, third, fourth):
        return _by_moments(second, third, n_draws, rng)
    variance, _, fourths = moments
    uncertain = np.flatnonzero(variance > 0)
    order = uncertain[np.argsort(fourths[uncertain] / variance[uncertain])]  # the heaviest tail last
    second, third, fourth = (part[order].cumsum() for part in moments)
    smooth = np.flatnonzero(_is_smooth(second, third, fourth))
    bulk = int(smooth[-1]) + 1 if len(smooth) else 0
    total = _by_moments(second[bulk - 1], third[bulk - 1], n_draws, rng) if bulk else np.zeros(n_draws)
    single = order[bulk:]
    if not len(single):
        return total
    proba, spread = proba[single], cost[single] - mean[single, np.newaxis]
    rows = np.arange(len(single))
    top = proba.argmax(axis=1)
    usual = spread[rows, top]
    total += usual.sum()
    # Cumulative probabilities of the labels other than the most probable one.
    others = proba.copy()
    others[rows, top] = 0.0
    others = np.cumsum(others, axis=1)
    # Rows with similar chances are drawn together, so that at most half of the hits are thinned out.
    chance = others[:, -1] / proba.sum(axis=1)
    order = np.argsort(-chance)
    for block in _blocks(chance[order], n_draws):
        members = order[block]
        row, draw = _exceptions(chance[members], n_draws, rng)
        row = members[row]
        label = _labels(others, row, rng.random(len(row)) * others[row, -1])
        total += np.bincount(draw, weights=spread[row, label] - usual[row], minlength=n_draws)
    return total


def p_value_of(n_extreme: Any, n_tests: int, n_resamples: int) -> float:
    """Return the p-value of a statistic if so many draws are as extreme, multiplied by `n_tests`."""
    return min(1.0, float(n_tests * (n_extreme + 1)) / (n_resamples + 1))


def rank_at(level: float, n_tests: int, n_resamples: int) -> int:
    """Return the rank, from the most extreme draw on, of the critical value at a level; 0 if there are too few draws.

    A p-value is at most `level` if fewer draws than this rank are as extreme.
    """
    rank = int(level / n_tests * (n_resamples + 1)) + 1  # or less, by rounding too
    while rank and p_value_of(rank - 1, n_tests, n_resamples) > level:
        rank -= 1
    return rank


def resolution_notices(name: str, n_tests: int, n_resamples: int, level: float, why: str = "") -> list[Notice]:
    """Return a warning if there are too few draws for p-values as small as a level.

    `name` is the name of the function that the user called. P-values are multiplied by `n_tests`. `why` says why, if
    not because there are several tests.
    """
    least = p_value_of(0, n_tests, n_resamples)
    if least <= level:
        return []
    needed = int(np.ceil(n_tests / level)) - 1
    why = why or (f"after adjustment for {n_tests} tests" if n_tests > 1 else "")
    return [
        Notice(
            f"{name} cannot return a p-value of {level:g} or less: with n_resamples={n_resamples}, the smallest "
            f"p-value{' ' if why else ''}{why} is {least:.2g}. Use at least "
            f"n_resamples={needed}, or better {20 * (needed + 1)}."
        )
    ]


def _moments(proba: Floats, cost: Floats) -> Floats:
    """Return the mean and the second, third and fourth central moment of the cost of each row."""
    out = np.empty((4, len(proba)))
    for rows in row_blocks(*proba.shape):
        chance = proba[rows]
        out[0, rows] = np.einsum("ij,ij->i", chance, cost[rows])
        spread = cost[rows] - out[0, rows, np.newaxis]
        square = spread * spread
        out[1, rows] = np.einsum("ij,ij->i", chance, square)
        weighted = chance * square
        out[2, rows] = np.einsum("ij,ij->i", weighted, spread)
        out[3, rows] = np.einsum("ij,ij->i", weighted, square)
    return out


def _is_smooth(second: Any, third: Any, fourth: Any) -> Any:
    """Return whether the distribution of a sum is close to the one that :func:`_by_moments` draws from."""
    return (np.abs(third) <= _SKEWNESS * second**1.5) & (fourth <= _FOURTH * second**2)


def _by_moments(second: float, third: float, n_draws: int, rng: np.random.Generator) -> Floats:
    """Draw from the shifted gamma distribution with mean 0 and these moments; if the third is 0, from the normal."""
    skewness = third / second**1.5
    if abs(skewness) < 1e-6:
        return np.sqrt(second) * rng.standard_normal(n_draws)
    shape = 4 / skewness**2
    return np.sign(skewness) * np.sqrt(second / shape) * (rng.standard_gamma(shape, n_draws) - shape)


def _blocks(chance: Floats, n_draws: int) -> list[slice]:
    """Divide rows of descending chance into blocks with few hits, whose chances differ by a factor of two at most."""
    found, start = [], 0
    while start < len(chance):
        most = chance[start]
        rows = int(_CELLS_AT_ONCE / n_draws / max(most if most < _RARE else 1.0, 1 / _CELLS_AT_ONCE))
        alike = int(np.searchsorted(-chance[start : start + max(rows, 1)], -most / 2, side="right"))
        found.append(slice(start, start + alike))
        start += alike
    return found


def _exceptions(chance: Floats, n_draws: int, rng: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return row and draw of every exception.

    `chance` is the chance of an exception in each row, in descending order.
    """
    if chance[0] >= _RARE:
        hit = rng.random((len(chance), n_draws)) < chance[:, np.newaxis]
        cells = np.flatnonzero(hit)
        return cells // n_draws, cells % n_draws
    cells = _rare_cells(len(chance) * n_draws, float(chance[0]), rng)
    row = cells // n_draws
    kept = rng.random(len(row)) * chance[0] < chance[row]
    return row[kept], cells[kept] % n_draws


def _rare_cells(n_cells: int, chance: float, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the cells that are hit, each with the same small chance, by drawing the gaps between hits."""
    found, last = [], -1
    while last < n_cells:
        expected = (n_cells - last) * chance
        gaps = rng.geometric(chance, int(expected + 4 * np.sqrt(expected) + 16))
        # A gap may be as large as 2^63 − 1. It is cut, because one that leaves the cells is long enough.
        cells = last + np.cumsum(np.minimum(gaps, n_cells + 1))
        found.append(cells)
        last = int(cells[-1])
    cells = np.concatenate(found)
    return cells[cells < n_cells]


def _labels(cumulative: Floats, row: NDArray[np.intp], at: Floats) -> NDArray[np.intp]:
    """Return the first label whose cumulative probability exceeds `at`, for each entry of `row`, by bisection."""
    n_labels = cumulative.shape[1]
    below = np.zeros(len(row), dtype=np.intp)
    step = 1 << (n_labels - 1).bit_length()
    while step := step >> 1:
        probe = below + step
        inside = probe < n_labels
        further = inside & (cumulative[row, np.where(inside, probe, n_labels) - 1] <= at)
        below[further] += step
    return below
