"""Rules that choose a threshold whose risk is within a target with high probability, to compare the package's with.

Each takes how many samples ever looser thresholds accept and how many of these are wrong, and returns the position of
the threshold that it chooses; -1 for none.
"""

import math
from functools import lru_cache

import numpy as np
from scipy.stats import beta, binom

from skconf.selective import _risk_control


def last(passed):
    """Return the last position that is True, or -1."""
    return int(np.flatnonzero(passed)[-1]) if passed.any() else -1


def ours(accepted, errors, target, level):
    """The rule of the package."""
    return last(_risk_control.in_control(errors, accepted, target, level))


@lru_cache(maxsize=64)
def _plan(n_samples, target, level):
    planned = _risk_control.planned_counts(n_samples, target, level)
    return planned, _risk_control._Plan.of(planned, planned, target, level)


def ours_untied(accepted, errors, target, level):
    """The same where no scores tie: the plan is made once for all draws."""
    planned, plan = _plan(len(accepted), target, level)
    at = planned - 1
    passed = plan.successes(errors[at])
    return int(at[last(passed)]) if passed.any() else -1


# --- the rule before -------------------------------------------------------------------------------------------------


def _growing(first, end, factor):
    counts = [min(first, end)]
    while counts[-1] < end:
        counts.append(min(math.ceil(factor * counts[-1]), end))
    return counts


def fallback(accepted, errors, target, level):
    """The rule that this package had before: Wiens's (2003) fallback with several starts.

    It starts with δ/2 at the fewest samples that pass in spite of an error, or at a coverage of 1/15 if that is more;
    anew, with equal shares of the rest, at one and a half times as many, and so on; each step accepts 2% more.
    """
    n_samples = int(accepted[-1])
    enough = _risk_control.smallest_sample(target, 1 - (1 - level) / 2, 1)
    first, *later = _growing(max(enough, math.ceil(n_samples / 15)), n_samples, 1.5)
    starts = {first: 0.5} | dict.fromkeys(later, 0.5 / len(later)) if later else {first: 1.0}
    counts = np.unique([*starts, *_growing(first, n_samples, 1.02)])
    at = np.unique(np.searchsorted(accepted, counts))
    own = np.zeros(len(at))
    for count, share in starts.items():
        own[min(np.searchsorted(accepted[at], count), len(at) - 1)] += share * (1 - level)
    p_values = binom.cdf(errors[at], accepted[at], target)
    passed, purse = np.zeros(len(at), dtype=bool), 0.0
    for i in np.flatnonzero(np.cumsum(own) > 0):
        purse += own[i]
        passed[i] = p_values[i] <= purse
        purse *= passed[i]
    return int(at[last(passed)]) if passed.any() else -1


# --- published ones --------------------------------------------------------------------------------------------------


def sgr(accepted, errors, target, level):
    """Geifman and El-Yaniv (2017), Algorithm 2: a binary search, each of its steps at an equal share of the level.

    Theirs returns the last threshold it tried; this one the last that passed, or none.
    """
    low, high, found = 0, len(accepted) - 1, -1
    n_steps = max(math.ceil(math.log2(len(accepted))), 1)
    for _ in range(n_steps):
        middle = (low + high) // 2
        k, e = accepted[middle], errors[middle]
        if e < k and beta.ppf(1 - (1 - level) / n_steps, e + 1, k - e) <= target:
            found = max(found, middle)
            low = min(middle + 1, high)
        else:
            high = middle
    return found


def holm(accepted, errors, target, level):
    """Holm's (1979) step-down over a hundred evenly spaced counts, as MAPIE controls a risk by default."""
    counts = np.linspace(0.01, 1, 100) * accepted[-1]
    at = np.unique(np.searchsorted(accepted, np.maximum(counts, 1)))
    p_values = binom.cdf(errors[at], accepted[at], target)
    order = np.argsort(p_values, kind="stable")
    fails = p_values[order] > (1 - level) / np.arange(len(at), 0, -1)
    passed = order[: np.argmax(fails)] if fails.any() else order
    return int(at[passed.max()]) if len(passed) else -1


def fixed_sequence(accepted, errors, target, level):
    """Each test at the whole of δ, from the fewest samples that can pass up to the first failure."""
    planned = _risk_control.planned_counts(int(accepted[-1]), target, level)
    at = np.unique(np.searchsorted(accepted, planned))
    fails = binom.cdf(errors[at], accepted[at], target) > 1 - level
    passed = at[: np.argmax(fails)] if fails.any() else at
    return int(passed[-1]) if len(passed) else -1


def dkw(accepted, errors, target, level):
    """Massart's (1990) bound on the distribution functions of the scores of all samples, and of the wrong ones."""
    n_samples = accepted[-1]
    off = math.sqrt(math.log(2 / (1 - level)) / (2 * n_samples))
    return last(errors / n_samples + off <= target * (accepted / n_samples - off))


RULES = {
    "new": ours,
    "before": fallback,
    "fixed sequence": fixed_sequence,
    "SGR": sgr,
    "Holm": holm,
    "DKW": dkw,
}
