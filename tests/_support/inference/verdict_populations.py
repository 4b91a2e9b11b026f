"""Answers with known chances of an error, on which verdicts are tried: confidences, and what is wrong with them."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from skconf import ConfidenceProfile
from skconf.inference import assess_confidence


def ordinary(rng, n):
    return expit(np.abs(rng.normal(1.5, 1.6, n)))


def sure(rng, n):
    return 1 - np.exp(rng.uniform(np.log(1e-4), np.log(0.5), n))


def ten_classes(rng, n):
    odds = np.exp(rng.normal(0, 1.8, (n, 10)))
    return odds.max(axis=1) / odds.sum(axis=1)


def uniform(rng, n):
    return rng.uniform(0.5, 1, n)


def narrow(rng, n):
    return rng.uniform(0.6, 0.8, n)


def none_above_eight_tenths(rng, n):
    return rng.uniform(0.5, 0.8, n)


def one_confidence(rng, n):
    return rng.choice([0.95], n)


def zeros_and_ones(rng, n):
    return rng.integers(0, 2, n).astype(float)


def two_clusters(rng, n):
    return rng.choice([0.55, 0.9999], n)


def tenths(rng, n):
    return rng.integers(0, 11, n) / 10


def part_at_one(rng, n):
    return np.where(rng.random(n) < 0.3, 1.0, ordinary(rng, n))


COMMON = {
    "ordinary": ordinary,
    "very confident": sure,
    "ten classes": ten_classes,
    "uniform": uniform,
    "narrow": narrow,
}
HOSTILE = {
    "all confidences are 0.95": one_confidence,
    "all confidences are 0 or 1": zeros_and_ones,
    "half are 0.55, half are 0.9999": two_clusters,
    "all confidences are whole tenths": tenths,
    "30% are 1.0, the others ordinary": part_at_one,
}


def calibrated(c):
    return 1 - c


def shifted(points):
    """Extra errors, as many at every confidence."""
    return lambda c: 1 - c + points / 100


def times(factor, share=1.0):
    """Errors that are so many times as frequent among the surest answers."""
    return lambda c: np.where(c >= np.quantile(c, 1 - share), factor * (1 - c), 1 - c)


def between(low, high, points):
    return lambda c: 1 - c + points / 100 * ((c >= low) & (c < high))


def s_shaped(points):
    """Overconfident above the median, underconfident below."""
    return lambda c: 1 - c + points / 100 * np.where(c >= np.median(c), 1, -1)


def good_top(low, middle, top, points):
    """Underconfident from `low`, overconfident from `middle`, and right from `top` on."""
    return lambda c: 1 - c + points / 100 * np.where(c >= top, 0, np.where(c >= middle, 1, np.where(c >= low, -1, 0)))


def any_answers(rng, largest=100_000):
    """Draw confidences of any population, of 1 to about `largest` answers, and how they may be off."""
    populations = [*COMMON.values(), *HOSTILE.values(), none_above_eight_tenths]
    confidences = populations[rng.integers(len(populations))](rng, round(np.exp(rng.uniform(0, np.log(largest)))))
    points = rng.choice([0.2, 1, 5, 20, 60])
    faults = (
        *(calibrated, shifted(points), shifted(-points), s_shaped(points), s_shaped(-points)),
        *(times(rng.choice([0.1, 0.5, 1.5, 4, 20])), times(20, 0.1), between(0.6, 0.9, points)),
    )
    return confidences, faults[rng.integers(len(faults))]


@dataclass(frozen=True)
class Trial:
    """A verdict on answers whose chances of an error are known."""

    sure: np.ndarray
    chance: np.ndarray
    verdict: object

    def rows(self, stretch):
        return (self.sure >= stretch.low) & (self.sure < stretch.high)

    @property
    def named(self):
        return [each for each in (self.verdict.overconfident, self.verdict.underconfident) if each is not None]

    @property
    def misses_the_truth(self):
        """Whether some interval that is told does not hold the number of errors to be expected in truth."""
        return any(not self.holds_the_truth(each) for each in (*self.verdict.levels, *self.named))

    def holds_the_truth(self, stretch):
        true = self.chance[self.rows(stretch)].sum()
        return stretch.errors_low - 1e-6 <= true <= stretch.errors_high + 1e-6

    @property
    def tells_a_wrong_direction(self):
        """Whether what is told as overconfident is calibrated or underconfident in truth, or the other way round."""
        return any(self._is_wrong(each) for each in (*self.verdict.levels, *self.named) if each.found)

    def _is_wrong(self, stretch):
        excess = (self.chance - (1 - self.sure))[self.rows(stretch)].sum()
        return excess <= 1e-9 if stretch.direction == "overconfident" else excess >= -1e-9

    def share_named_rightly(self):
        """Return the share of the named answers whose chance of an error differs as told; NaN if none are named."""
        off, right, count = self.chance - (1 - self.sure), 0, 0
        for each in self.named:
            rows = self.rows(each)
            sign = 1 if each.direction == "overconfident" else -1
            right, count = right + (sign * off[rows] > 1e-12).sum(), count + rows.sum()
        return right / count if count else np.nan

    def names_any(self, low):
        """Return whether a named stretch holds answers from a confidence up."""
        return any((self.rows(each) & (self.sure >= low)).any() for each in self.named)


def tried(rng, confidences, chance_of, **given):
    """Draw errors of some confidences, and return the verdict on them."""
    chance = np.clip(chance_of(confidences), 0, 1)
    right = rng.random(len(chance)) >= chance
    profile = ConfidenceProfile.from_correctness(right, confidences)
    return Trial(confidences, chance, assess_confidence(profile, **given))
