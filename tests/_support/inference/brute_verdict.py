"""The test behind a verdict as it is defined, answer by answer; nothing here is skconf's, nor fast.

Laws are convolved from every answer, draws are Bernoulli numbers of every answer, and intervals and powers are asked of
scipy.stats.
"""

from itertools import pairwise

import numpy as np
from scipy.stats import beta, binomtest

#: Where bands of confidence begin.
BANDS = np.array([0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9999, 1.0])
#: Where the levels begin that are tested with a weight of 1; others have a quarter.
LEVELS = (0, 0.5, 0.9, 0.99, 0.999, 1.0)
GRADES = ("negligible", "mild", "serious", "unusable")


def convolved(chance):
    """Return the probabilities of 0, 1, … errors, one answer after the other."""
    found = np.ones(1)
    for p in chance:
        found = np.append(found, 0) * (1 - p) + np.append(0, found) * p
    return found


class BruteTest:
    """All stretches of some answers, as dictionaries by the positions of their first and last filled band."""

    def __init__(self, sure, wrong):
        order = np.argsort(sure)
        self.sure, self.wrong = np.asarray(sure, dtype=float)[order], np.asarray(wrong, dtype=bool)[order]
        band = np.array([max(i for i, edge in enumerate(BANDS) if c >= edge) for c in self.sure])
        self.filled = np.unique(band)
        self.edges = np.append(BANDS[self.filled], np.inf)
        # Answers of filled band b are those from starts[b] to starts[b + 1].
        self.starts = np.append(np.searchsorted(band, self.filled), len(band))
        bands = range(len(self.filled))
        self.stretches = [(first, last) for first in bands for last in bands if first <= last]
        by_band = [convolved(1 - self.sure[low:high]) for low, high in pairwise(self.starts)]
        self.law = {}
        for first in bands:
            law = np.ones(1)
            for last in range(first, len(self.filled)):
                law = np.convolve(law, by_band[last])
                self.law[first, last] = law
        # A level begins in the first band that is not below it, so that two of them may be the same stretch.
        begins = {int(np.searchsorted(self.edges[:-1], level)) for level in LEVELS} - {len(self.filled)}
        self.levels = sorted((first, len(self.filled) - 1) for first in begins)
        self.weight = {each: 1.0 if each in self.levels else 0.25 for each in self.stretches}
        self.p_values = {each: self.two_sided(each, self.observed(each)) for each in self.stretches}
        self.least = min(self.p_values[each] / self.weight[each] for each in self.stretches)

    def rows(self, stretch):
        return slice(self.starts[stretch[0]], self.starts[stretch[1] + 1])

    def count(self, stretch):
        return len(self.sure[self.rows(stretch)])

    def observed(self, stretch):
        return int(self.wrong[self.rows(stretch)].sum())

    def expected(self, stretch):
        return float((1 - self.sure[self.rows(stretch)]).sum())

    def at_least(self, stretch, errors):
        return self.law[stretch][errors:].sum()

    def at_most(self, stretch, errors):
        return self.law[stretch][: errors + 1].sum()

    def two_sided(self, stretch, errors):
        return min(2 * min(self.at_least(stretch, errors), self.at_most(stretch, errors)), 1.0)

    def drawn_least(self, n_draws, rng):
        """Return the smallest p / w of each of many samples of calibrated answers of these confidences."""
        wrong = rng.random((n_draws, len(self.sure))) < 1 - self.sure
        total = np.concatenate([np.zeros((n_draws, 1), dtype=int), wrong.cumsum(axis=1)], axis=1)[:, self.starts]
        least = np.full(n_draws, np.inf)
        for first, last in self.stretches:
            of_count = [self.two_sided((first, last), k) for k in range(self.count((first, last)) + 1)]
            p_values = np.array(of_count)[total[:, last + 1] - total[:, first]]
            least = np.minimum(least, p_values / self.weight[first, last])
        return least

    def is_over(self, stretch):
        return self.observed(stretch) > self.expected(stretch)

    def clopper_pearson(self, stretch, critical):
        """Return the interval of the number of errors at the level of the test."""
        n, errors, level = self.count(stretch), self.observed(stretch), 1 - critical * self.weight[stretch]
        low, high = (n * end for end in binomtest(errors, n).proportion_ci(level, method="exact"))
        return low, high

    def is_found(self, stretch, critical):
        """Return whether a stretch is off; no part of it is off in the other direction, or its interval is off, too."""
        if self.p_values[stretch] > critical * self.weight[stretch]:
            return False
        low, high = self.clopper_pearson(stretch, critical)
        return not (low <= self.expected(stretch) <= high) or not any(
            self.p_values[each] <= critical * self.weight[each] and self.is_over(each) != self.is_over(stretch)
            for each in self.stretches
            if stretch[0] <= each[0] and each[1] <= stretch[1]
        )

    def interval(self, stretch, critical):
        """Return the interval of the number of errors, which leaves out the expected one exactly if it is found."""
        errors, expected = self.observed(stretch), self.expected(stretch)
        low, high = self.clopper_pearson(stretch, critical)
        if not self.is_found(stretch, critical):
            return min(low, expected), max(high, expected)
        return (max(low, expected), high) if errors > expected else (low, min(high, expected))

    def named(self, direction, critical):
        """Return the stretch of the least p / w in a direction, less what has no part in it; None if none is found.

        Raises LookupError if two have the same.
        """
        over = direction == "overconfident"
        found = {each for each in self.stretches if self.is_found(each, critical) and self.is_over(each) == over}
        if not found:
            return None
        best = sorted(found, key=lambda each: self.p_values[each] / self.weight[each])
        first_two = [self.p_values[each] / self.weight[each] for each in best[:2]]
        if len(best) > 1 and first_two[1] <= max(first_two[0] * (1 + 1e-6), 1e-12):
            raise LookupError
        first, last = best[0]
        tail = self.at_least if over else self.at_most
        while first < last:
            ends = {first: (first + 1, last), last: (first, last - 1)}
            alone = {end: tail((end, end), self.observed((end, end))) for end in ends}
            most = {first: 0.2, last: 0.025 if over else 0.2}
            idle = [end for end in ends if alone[end] > most[end] and ends[end] in found]
            if not idle:
                break
            first, last = ends[max(idle, key=alone.get)]
        top = int(np.searchsorted(self.edges[:-1], 0.9))
        if first < top <= last and (top, last) not in found and (first, top - 1) in found:
            last = top - 1
        return first, last

    def detectable(self, direction, critical):
        """Return the gap at which errors of one rate are found overall with a probability of four in five."""
        everything, n = self.levels[0], len(self.sure)
        expected = self.expected(everything)
        if direction == "overconfident":
            fewest = next((k for k in range(n + 1) if 2 * self.at_least(everything, k) <= critical), None)
            return np.nan if fewest is None else beta.ppf(0.8, fewest, n - fewest + 1) - expected / n
        most = max((k for k in range(n + 1) if 2 * self.at_most(everything, k) <= critical), default=None)
        return np.nan if most is None else expected / n - beta.ppf(0.2, most + 1, n - most)


def grade(count, expected, low, high):
    """Grade the harm that an interval of the number of errors shows, as part of the definition's table."""
    e, lo, hi = expected / count, low / count, high / count
    x, y = 1000 * (lo - e), 1000 * (e - hi)
    if x >= 200 or (lo >= 10 * e and x >= 20):
        return "unusable"
    if x >= 50 or (lo >= 3 * e and x >= 2) or y >= 100:
        return "serious"
    if x >= 10 or (lo >= 2 * e and x >= 1) or y >= 20:
        return "mild"
    return "negligible"
