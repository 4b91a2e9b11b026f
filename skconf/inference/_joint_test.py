"""One test of calibration: it compares the number of errors in every stretch of confidence, with one critical value."""

from bisect import bisect_left
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from skconf._core.probabilities import Floats
from skconf._core.proportions import exact_interval
from skconf.inference._assessment import Direction, Grade, Stretch
from skconf.inference._error_table import EPS, LEVELS, ErrorTable
from skconf.inference._harm import harm
from skconf.inference._stretch_laws import StretchLaws

#: Level of the verdict.
LEVEL = 0.05
#: Weight of other stretches in the test. A level has weight 1.
_WEIGHT = 0.25
#: If nothing was found, the verdict names the gap that would be found with this probability.
_POWER = 0.8
#: Numbers that agree this closely are equal.
_ROUNDING = 1e-9
#: A band at an end of a found stretch is left out of the stretch if the one-sided p-value of the band is above the
#: first number. The second number is for the upper end of an overconfident stretch, because people rely on the answers
#: there.
_NO_PART, _NO_TOP = 0.2, 0.025
#: Smaller p-values count as this one. Otherwise, a single error at a confidence of 1 would outdo all other evidence.
_STRONGEST = 1e-12
#: From this confidence on, answers are the most confident ones. They are named only if they are found by themselves.
_SUREST = 0.9


class JointTest:
    """Two-sided tests of the number of errors in all stretches, with at most 5% probability of any false alarm.

    A stretch is a run of neighbouring bands of confidence. Its test rejects if p ≤ t · w. The weight w is 1 for levels,
    and ¼ for other stretches. To find the critical value t, errors are drawn many times from the confidences. Each draw
    gives the smallest p / w of all stretches. The 5% quantile of these smallest values is t, but t is at least
    Bonferroni's critical value and at most 0.05.

    Attributes
    ----------
    laws : StretchLaws
        The stretches, with their counts and distributions.
    p_values : ndarray of shape (n_stretches,)
        Two-sided p-value of each stretch.
    found : ndarray of shape (n_stretches,)
        Whether the number of errors in a stretch differs from the expected number by more than chance. It is also False
        if the stretch has no clear direction: its interval contains the expected number, and a part of the stretch is
        off in the other direction.
    joint : float
        Joint p-value of all stretches: the share of draws whose smallest p / w is at most the smallest p / w of the
        data.
    """

    def __init__(self, table: ErrorTable, n_draws: int, random_state: int | np.random.Generator | None) -> None:
        self.laws = laws = StretchLaws(table)
        n_bands = len(laws.edges)
        self._at = np.zeros((n_bands, n_bands), dtype=np.intp)
        self._at[laws.first, laws.last] = np.arange(len(laws.first))
        #: The confidence at which each level begins, by the position of its stretch. If several levels hold the same
        #: answers, it is the highest of them, or 0 if they hold all answers.
        self.levels: dict[int, float] = {}
        for level, first in zip(LEVELS, np.searchsorted(laws.edges, LEVELS).tolist(), strict=True):
            if first < n_bands:
                self.levels[self._at[first, -1].item()] = level if first else 0.0
        self._weight = np.full(len(laws.first), _WEIGHT)
        self._weight[list(self.levels)] = 1.0
        drawn = laws.two_sided(laws.draw(n_draws, np.random.default_rng(random_state)))
        self._least = np.sort((drawn / self._weight).min(axis=1))
        place = int(LEVEL * (n_draws + 1)) - 1
        bonferroni = LEVEL / self._weight.sum()
        self._critical = float(np.clip(self._least[place] * (1 - _ROUNDING), bonferroni, LEVEL))
        self._below, self._above = laws.tails(laws.observed)
        self.p_values = np.minimum(2 * np.minimum(self._below, self._above), 1.0)
        self._low, self._high = self._clopper_pearson()
        found = self._is_found(self.p_values)
        self.found = found & ~self._is_mixed(found)
        self.joint = self._rank(float((self.p_values / self._weight).min()))

    def _is_found(self, p_values: Floats) -> NDArray[np.bool_]:
        return np.asarray(p_values <= self._critical * self._weight)

    def _rank(self, least: float) -> float:
        """Return the joint p-value, given the smallest p / w of the data.

        It is extrapolated if p / w is smaller in the data than in all draws.
        """
        n_draws = len(self._least)
        rank = 1 + int(np.searchsorted(self._least, least * (1 + _ROUNDING), side="right"))
        p_value = rank / (n_draws + 1) if rank > 1 else least * LEVEL / self._critical
        return min(p_value, LEVEL) if least <= self._critical else max(p_value, float(np.nextafter(LEVEL, 1)))

    def is_found_without(self, band: int) -> bool:
        """Return whether anything would be found if a band had one error less."""
        errors = self.laws.band_errors.copy()
        errors[band] -= 1
        below, above = self.laws.tails(np.rint(self.laws.of_bands(errors)))
        return bool(self._is_found(2 * np.minimum(below, above)).any())

    def _clopper_pearson(self) -> tuple[Floats, Floats]:
        """Return intervals of the numbers of errors, at the level of each test."""
        laws = self.laws
        level = 1 - self._critical * self._weight
        low, high = exact_interval(laws.observed, laws.count - laws.observed, level)
        return laws.count * low, laws.count * high

    def _is_mixed(self, found: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which stretches have no known direction, because a part of them is off in the other direction.

        This counts only if the interval of the stretch contains the expected number. Small p-values are not enough: if
        all confidences are 0 or 1, the total of a calibrated classifier has no variance, so any error would give it a
        direction.
        """
        laws, over = self.laws, self.laws.observed > self.laws.expected
        inside = (laws.first >= laws.first[:, np.newaxis]) & (laws.last <= laws.last[:, np.newaxis])
        other = (inside & found & (over != over[:, np.newaxis])).any(axis=1)
        return np.asarray(other & (self._low <= laws.expected) & (laws.expected <= self._high))

    @cached_property
    def ends(self) -> tuple[Floats, Floats]:
        """Intervals of the numbers of errors. Each excludes the expected number if and only if its stretch is found."""
        expected, low, high = self.laws.expected, self._low, self._high
        above = self.laws.observed > expected
        low_if_found = np.where(above, np.maximum(low, np.nextafter(expected, np.inf)), low)
        high_if_found = np.where(above, high, np.minimum(high, np.nextafter(expected, -np.inf)))
        low = np.where(self.found, low_if_found, np.minimum(low, expected))
        return low, np.where(self.found, high_if_found, np.maximum(high, expected))

    def stretch(self, at: int) -> Stretch:
        """Return a stretch with its numbers."""
        laws, low, high = self.laws, *(float(end[at]) for end in self.ends)
        first, last = laws.first[at], laws.last[at]
        count, expected, found = int(laws.count[at]), float(laws.expected[at]), bool(self.found[at])
        direction: Direction = "overconfident" if laws.observed[at] > expected else "underconfident"
        grade: Grade = harm(low / count, high / count, expected / count)[0] if found else "none shown"
        begins = self.levels.get(at, laws.edges[first] if first else 0.0)
        return Stretch(
            low=_edge(begins),
            high=_edge(laws.ends[last]) if last + 1 < len(laws.edges) else np.inf,
            count=count,
            observed=int(laws.observed[at]),
            expected=expected,
            errors_low=low,
            errors_high=high,
            p_value=float(self.p_values[at]),
            found=found,
            direction=direction if found else None,
            grade=grade,
        )

    def strongest(self, direction: Direction) -> int | None:
        """Return the stretch with the strongest evidence in a direction, without ends that add no evidence."""
        laws, found = self.laws, self._found_in(direction)
        if not found.any():
            return None
        apart = np.abs(laws.observed - laws.expected) / np.sqrt(laws.expected + 1)
        evidence = np.where(found, np.maximum(self.p_values / self._weight, _STRONGEST), np.inf)
        at = np.lexsort((-apart, evidence))[0]
        first, last = int(laws.first[at]), int(laws.last[at])
        one_sided, no_top = (self._above, _NO_TOP) if direction == "overconfident" else (self._below, _NO_PART)
        while first < last:
            ends = {first: (first + 1, last), last: (first, last - 1)}
            trimmed = [
                end
                for end, rest in ends.items()
                if one_sided[self._at[end, end]] > (no_top if end == last else _NO_PART) and found[self._at[rest]]
            ]
            if not trimmed:
                break
            first, last = ends[max(trimmed, key=lambda end: one_sided[self._at[end, end]])]
        surest = int(np.searchsorted(laws.edges, _SUREST))
        if first < surest <= last and not found[self._at[surest, last]] and found[self._at[first, surest - 1]]:
            last = surest - 1
        return int(self._at[first, last])

    def _found_in(self, direction: Direction) -> NDArray[np.bool_]:
        over = self.laws.observed > self.laws.expected
        return np.asarray(self.found & (over == (direction == "overconfident")))

    def detectable(self, direction: Direction) -> float:
        """Return the gap that the overall test finds in at least 80% of data sets; NaN if there is no such gap.

        The number of errors is treated as binomial. Among all chances of an error with the same mean, equal chances
        make it least likely that the number reaches a bound beyond its mean (Hoeffding 1956). Hence the true power is
        at least as large.
        """
        laws, overall = self.laws, int(self._at[0, -1])
        n, expected = int(laws.count[overall]), float(laws.expected[overall])

        def tail(errors: int, side: int) -> float:
            return float(laws.tails(np.full(len(laws.count), float(errors)))[side][overall])

        if direction == "overconfident":
            fewest = bisect_left(range(n + 1), True, key=lambda errors: 2 * tail(errors, 1) <= self._critical)
            return float(betaincinv(fewest, n - fewest + 1, _POWER)) - expected / n if fewest <= n else np.nan
        beyond = bisect_left(range(n + 1), True, key=lambda errors: 2 * tail(errors, 0) > self._critical)
        return expected / n - float(betaincinv(beyond, n - beyond + 1, 1 - _POWER)) if beyond else np.nan


def _edge(edge: float) -> float:
    """Return where a band begins, as users see it: 1.0 for the band of confidences of 1."""
    return 1.0 if edge == 1 - EPS else float(edge)
