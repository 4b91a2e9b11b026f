"""Find thresholds with a risk of at most a target, by exact tests of error counts, from strict to loose.

Rank n samples by their scores, and let E_k be the number of errors among the first k. Let W_k be the sum of k
independent variables that are 1 with probability r, the target. Consider the thresholds whose risk is above r. W can be
drawn such that E_k is at least W_k at all these thresholds at once. With a probability of at most δ = 1 − the
confidence level, the tests below wrongly pass one or more of these thresholds.

The distribution of W is carried from test to test. A test succeeds if the number of errors is so low that W would
hardly be as low. If it does not succeed, it removes the probability of these lowest values from the distribution. All
tests together remove at most δ. A test that succeeds removes nothing, and leaves its part of δ to the tests after it (a
step-down, after Romano and Wolf, 2005).
"""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, nbinom

from skconf._core.checks import check_confidence_level, check_number, check_whole
from skconf._core.probabilities import Floats
from skconf.selective._mix import Mix, rows_by_class

#: From test to test, the number k of accepted samples grows by 1/√(r k), the relative standard deviation of the errors,
#: but by no larger share than this ...
LARGEST_STEP = 0.02

#: ... and by no smaller share than this.
SMALLEST_STEP = 0.002

#: δ is spent evenly over the logarithm of the number of accepted samples. The spending starts at the smallest number
#: that can pass, divided by this, so that the first test has a share, too. Chosen on simulated populations.
HEAD_START = 1.4

#: How δ may be spent: evenly, as above; or all at the first test, which leaves what it cannot use to the next ones.
SPEND = ("evenly", "first")

#: Probabilities below this count as zero: their sum is below the rounding error of any δ.
_NONE = 1e-25

_ROUNDING = 1e-12  # relative rounding error of sums


def smallest_sample(target: float, confidence_level: float, errors: int = 0) -> int:
    """Return the fewest accepted samples that show a risk of at most the target, if `errors` of them are wrong."""
    # Binomial(k, r) <= e where the error number e + 1 comes after trial k: a negative binomial waiting time.
    return errors + 1 + int(nbinom.ppf(confidence_level, errors + 1, target))


def planned_counts(n_samples: int, target: float, confidence_level: float) -> NDArray[np.intp]:
    """Return how many samples each test accepts, from strict to loose. Without enough samples, there is no test."""
    count = smallest_sample(target, confidence_level)
    counts = []
    while count < n_samples:
        counts.append(count)
        step = min(LARGEST_STEP, max(SMALLEST_STEP, 1 / math.sqrt(target * count)))
        count = math.ceil(count * (1 + step))
    if counts or count == n_samples:
        counts.append(n_samples)
    return np.array(counts, dtype=np.intp)


def in_control(
    errors: Floats, accepted: Floats, target: float, confidence_level: float, spend: str = "evenly"
) -> NDArray[np.bool_]:
    """Return which thresholds are shown to have a risk of at most the target, all at once, at the level.

    `errors` and `accepted` hold a whole number for each threshold, from the strictest to the loosest. There is at least
    one threshold. The plan ends at the number that the loosest threshold accepts. If several thresholds lie between two
    planned counts, the strictest one is tested. `spend` is how 1 − `confidence_level` is spent: one of `SPEND`.
    """
    return in_control_each(errors[np.newaxis], accepted, target, confidence_level, spend)[0]


def in_control_each(
    errors: Floats, accepted: Floats, target: float, confidence_level: float, spend: str = "evenly"
) -> NDArray[np.bool_]:
    """Return :func:`in_control` for each row of errors, of shape (n_rows, n_thresholds). The rows share one plan."""
    planned = planned_counts(int(accepted[-1]), target, confidence_level)
    at = np.unique(np.searchsorted(accepted, planned))
    plan = _Plan.of(accepted[at].astype(np.intp), planned, target, confidence_level, spend=spend)
    return np.array([np.isin(accepted, accepted[at[plan.successes(each[at])]]) for each in errors])


class _Plan(NamedTuple):
    """A plan of tests from strict to loose, made before any label is seen.

    Attributes
    ----------
    new_errors : list of _Masses
        For each test, the distribution of the errors among its new samples. These are the samples that this test
        accepts and the test before it rejects.
    budget : ndarray of shape (n_tests,)
        The probability that each test is the first to succeed, if the risk is the target.
    boundary : ndarray of shape (n_tests,)
        The most errors with which each test succeeds, if no test before it has succeeded. It is -1 if the test cannot
        succeed.
    most_errors : int
        The most errors with which any test succeeds.
    """

    new_errors: Sequence["_Masses"]
    budget: Floats
    boundary: NDArray[np.intp]
    most_errors: int

    @classmethod
    def of(
        cls,
        counts: NDArray[np.intp],
        planned: NDArray[np.intp],
        target: float,
        confidence_level: float,
        most_errors: int | None = None,
        spend: str = "evenly",
    ) -> "_Plan":
        """Plan tests at ascending counts. No test succeeds with more than `most_errors`; if None, it is computed."""
        if most_errors is None:
            last = counts[-1] if len(counts) else 0
            most_errors = int(binom.ppf(1 - confidence_level, last, target))
        new_errors = [_binomial(rows, target, most_errors) for rows in np.diff(counts, prepend=0).tolist()]
        budget, boundary = np.zeros(len(counts)), np.full(len(counts), -1)
        purse, walk = 0.0, _Masses(0, np.ones(1))
        for i, earned in enumerate(np.diff(_spent(counts, planned, confidence_level, spend), prepend=0.0)):
            walk = walk.plus(new_errors[i], most_errors)
            purse += earned
            taken = walk.affordable(purse)
            budget[i] = walk.mass[:taken].sum()
            walk = _Masses(walk.lowest + taken, walk.mass[taken:])
            boundary[i] = walk.lowest - 1
            purse -= budget[i]
        return cls(new_errors, budget, boundary, most_errors)

    def successes(self, errors: Floats) -> NDArray[np.bool_]:
        """Return which tests succeed, given the number of errors of each test."""
        success = np.zeros(len(errors), dtype=bool)
        if not (errors <= self.boundary).any():
            return success
        purse, walk = 0.0, _Masses(0, np.ones(1))
        for i, (new, budget) in enumerate(zip(self.new_errors, self.budget, strict=True)):
            walk = walk.plus(new, self.most_errors)
            purse += budget
            whole = walk.affordable(purse)
            success[i] = errors[i] < walk.lowest + whole
            if not success[i]:
                walk, purse = walk.without(whole, purse), 0.0
        return success


def _spent(
    counts: NDArray[np.intp], planned: NDArray[np.intp], confidence_level: float, spend: str = "evenly"
) -> Floats:
    """Return the cumulative part of δ that may be spent up to each test."""
    if not len(planned):
        return np.zeros(0)
    if spend == "first":
        return np.full(len(counts), 1 - confidence_level)
    start = planned[0] / HEAD_START
    spent = (1 - confidence_level) * np.log(planned / start) / np.log(planned[-1] / start)
    return spent[np.searchsorted(planned, counts, side="right") - 1]


class _Masses(NamedTuple):
    """Probabilities of consecutive whole numbers, from the lowest with a positive probability."""

    lowest: int
    mass: Floats

    def plus(self, other: "_Masses", highest: int) -> "_Masses":
        """Return the distribution of a sum of independent numbers, without values above the highest."""
        if not (len(self.mass) and len(other.mass)):
            return _Masses(self.lowest + other.lowest, np.zeros(0))
        lowest = self.lowest + other.lowest
        mass = np.convolve(self.mass, other.mass)[: max(highest - lowest + 1, 0)]
        if len(mass) and mass[0] > _NONE < mass[-1]:  # most of the time
            return _Masses(lowest, mass)
        some = np.flatnonzero(mass > _NONE)
        if not len(some):
            return _Masses(lowest, np.zeros(0))
        return _Masses(lowest + int(some[0]), mass[some[0] : some[-1] + 1])

    def affordable(self, purse: float) -> int:
        """Return how many of the lowest values have together a probability of at most the budget."""
        return int(self.mass.cumsum().searchsorted(purse * (1 + _ROUNDING), side="right"))

    def without(self, whole: int, purse: float) -> "_Masses":
        """Return the distribution without its `whole` lowest values; the next one loses the rest of the budget."""
        mass = self.mass[whole:].copy()
        if len(mass):
            mass[0] -= max(purse - self.mass[:whole].sum(), 0.0)
        return _Masses(self.lowest + whole, mass)


@lru_cache(maxsize=1024)  # a plan for a million samples asks for 400, and the next plan for the same ones again
def _binomial(trials: int, rate: float, highest: int) -> _Masses:
    """Return the distribution of the number of errors among `trials` samples, without values above the highest."""
    mean, deviation = trials * rate, math.sqrt(trials * rate * (1 - rate))
    lowest = max(0, math.floor(mean - 12 * deviation))
    highest = min(trials, highest, math.ceil(mean + 12 * deviation + 40))
    return _Masses(lowest, binom.pmf(np.arange(lowest, highest + 1), trials, rate))


@overload
def required_samples(
    target: float,
    confidence_level: float,
    *,
    coverage: float = 1.0,
    errors: int = 0,
    n_promises: int = 1,
    prevalence: None = None,
) -> int: ...


@overload
def required_samples(
    target: float,
    confidence_level: float,
    *,
    coverage: float = 1.0,
    errors: int = 0,
    n_promises: int = 1,
    prevalence: Mapping[Any, Any],
) -> dict[Any, int]: ...


def required_samples(
    target: float,
    confidence_level: float,
    *,
    coverage: float = 1.0,
    errors: int = 0,
    n_promises: int = 1,
    prevalence: Mapping[Any, Any] | None = None,
) -> int | dict[Any, int]:
    """Return how many labelled samples are needed to show that the risk is at most a target.

    Use it before you collect labels. Suppose that a share `coverage` of the samples will be accepted, and that `errors`
    of the accepted ones will be wrong. The function returns how many samples :func:`tune_threshold` and
    :class:`TunedSelectiveClassifierCV` then need to show that the risk is at most `target`.

    Parameters
    ----------
    target : float
        Largest tolerable risk, in (0, 1].
    confidence_level : float
        Probability with which the risk must be at most `target`, in [0.5, 1).
    coverage : float, default=1.0
        Share of the samples that is accepted, in (0, 1].
    errors : int, default=0
        Number of errors among the accepted samples.
    n_promises : int, default=1
        Number of promises that must all hold, with a probability of `confidence_level`. It is the number of risks,
        times the number of slices, times `n_candidates` of :func:`tune_threshold`.
    prevalence : mapping of label to float or pair of float, default=None
        Share of each class in the population where the threshold is used, or a range, as in :func:`tune_threshold`. The
        labelled samples may have other shares. With a `prevalence`, the function returns a number for each class.

    Returns
    -------
    int or dict of label to int
        Number of samples on which the threshold is chosen. If samples come in clusters, it is the number of clusters.
        If there are slices, it is the number in each slice. With `prevalence`, it is the number of samples of each
        class. To choose the threshold, a sample with the given shares is drawn from these samples. The probability that
        a class has too few samples for this is below 0.001.

    Raises
    ------
    ValueError
        If a parameter is out of its range.

    See Also
    --------
    tune_threshold : Finds the threshold.

    Notes
    -----
    The returned number of samples is enough if at most `errors` of the accepted samples are wrong. More samples usually
    contain more errors, so check that you would expect at most `errors` errors among the returned number of samples.
    The tests are planned anew for each number of samples. So a slightly larger number of samples may allow one
    error fewer. In rare cases, slightly fewer samples than the returned number are enough.

    Suppose that each accepted sample is wrong with probability `target`. Let k be the smallest number of accepted
    samples for which P(`errors` or fewer are wrong) is at most 1 − `confidence_level`. Any rule needs at least
    k/`coverage` samples. The rule of this package also finds the threshold, and therefore needs more than k/`coverage`.
    For targets up to 0.3 and a coverage of at least 0.01, it needs up to 1.75 times as many at a `confidence_level` of
    0.95, and up to 2.25 times as many at 0.8. At a coverage of 1, it needs up to 1.25 times as many. At lower
    confidence levels and coverages, and at higher targets, the factor can be larger: it is 4 at a `confidence_level` of
    0.5, a target of 0.5 and a coverage of 0.01 (400 samples instead of 100).

    Examples
    --------
    >>> from skconf import required_samples
    >>> required_samples(0.05, 0.95), required_samples(0.01, 0.95)
    (59, 299)
    >>> required_samples(0.05, 0.95, errors=2), required_samples(0.05, 0.95, errors=2, coverage=0.5)
    (138, 304)
    >>> required_samples(0.05, 0.95, n_promises=10)  # in each of ten slices
    104
    >>> required_samples(0.01, 0.95, prevalence={"fraud": 0.003})
    {'not fraud': 299, 'fraud': 5}
    """
    check_confidence_level(confidence_level)
    for name, value in {"target": target, "coverage": coverage}.items():
        check_number(value, name, 0.0, 1.0, positive=True)
    check_whole(errors, "errors", low=0)
    check_whole(n_promises, "n_promises")
    if prevalence is not None:
        return _of_each_class(target, confidence_level, coverage, errors, n_promises, prevalence)
    if n_promises > 1:
        confidence_level = 1 - (1 - confidence_level) / n_promises
    return _rows_needed(target, confidence_level, coverage, errors)


@lru_cache(maxsize=1024)  # a report asks the same for each of its models and sections
def _rows_needed(target: float, confidence_level: float, coverage: float, errors: int) -> int:
    """Return how many samples keep a target, if `errors` of the accepted ones (a share `coverage`) are wrong."""

    def enough(n_samples: int) -> bool:
        planned = planned_counts(n_samples, target, confidence_level)
        reached = planned[planned <= coverage * n_samples * (1 + _ROUNDING)]
        plan = _Plan.of(reached, planned, target, confidence_level, most_errors=errors)
        return bool(plan.boundary.max(initial=-1) >= errors)

    # More samples help most where they reach the next planned count: find the first planned count that is enough. The
    # answer lies between the samples for the count before it and the samples for it.
    fewest = smallest_sample(target, confidence_level, errors)
    counts = planned_counts(100 * fewest, target, confidence_level)
    counts = np.append(fewest - 1, counts[counts >= fewest])
    sizes = [math.ceil(count / coverage * (1 - _ROUNDING)) for count in counts.tolist()]
    before, size = next(pair for pair in pairwise(sizes) if enough(pair[1]))
    return bisect_left(range(size), True, lo=before + 1, key=enough)


def _of_each_class(
    target: float, confidence_level: float, coverage: float, errors: int, n_promises: int, prevalence: Mapping[Any, Any]
) -> dict[Any, int]:
    """Return how many samples of each class are needed to draw the given mix, at both ends of a range."""
    labels = list(prevalence) if isinstance(prevalence, Mapping) else []
    if len(labels) == 1:  # the other class has no name here
        only = labels[0]
        labels.insert(0, 1 - int(only) if only in (0, 1) else f"not {only}")
    classes = np.empty(len(labels), dtype=object)
    classes[:] = labels
    mix = Mix.read(prevalence, classes)
    n_samples = required_samples(
        target, confidence_level, coverage=coverage, errors=errors, n_promises=n_promises * len(mix.ends)
    )
    most = np.max([rows_by_class(n_samples, shares) for shares in mix.ends], axis=0)
    return dict(zip(labels, most.tolist(), strict=True))
