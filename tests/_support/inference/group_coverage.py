"""How often intervals of answers in few groups, or in groups of unequal size, hold the truth.

Run as a program it makes a table of the guide: ``PYTHONPATH=tests python tests/_support/inference/group_coverage.py``.
"""

import numpy as np

from skconf import ConfidenceProfile
from skconf.inference import confidence_interval

#: Sizes of the groups: equal ones, and a few that have half of the answers or more.
SIZES = {
    "5 clusters of equal size": [40] * 5,
    "10 clusters of equal size": [40] * 10,
    "10 clusters of unequal size": [5, 8, 12, 20, 30, 40, 50, 80, 120, 200],
    "10 clusters, one has half of the answers": [20] * 9 + [180],
    "5 clusters, one has half of the answers": [20] * 4 + [80],
    "20 clusters, two of them are large": [100] * 2 + [5] * 18,
    "one cluster has 20% of the answers, every other answer is a cluster of its own": [1] * 400 + [100],
}
#: Standard deviation over the groups of the shift of their log odds, and the accuracy that belongs to it.
SHIFTS = [0.0, 0.5, 1.0]


def drawn(sizes, shift, rng):
    """Draw answers of groups whose log odds are off by a shift of their own."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    said = rng.normal(1.5, 1, len(group))
    right = rng.random(len(group)) < 1 / (1 + np.exp(-said - rng.normal(0, shift, len(sizes))[group]))
    return right, 1 / (1 + np.exp(-said)), group


def true_accuracy(shift):
    """Integrate the probability of being right over confidences and shifts of groups."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    return float(weights / weights.sum() @ (1 / (1 + np.exp(-1.5 - np.hypot(1, shift) * nodes))))


def coverage(sizes, shift, n_sets):
    rng, truth, held = np.random.default_rng(3), true_accuracy(shift), 0
    for _ in range(n_sets):
        right, confidence, group = drawn(sizes, shift, rng)
        interval = confidence_interval("accuracy", ConfidenceProfile.from_correctness(right, confidence), groups=group)
        held += interval.low <= truth <= interval.high
    return held / n_sets


if __name__ == "__main__":
    for name, sizes in SIZES.items():
        shares = " | ".join(f"{100 * coverage(sizes, shift, 3_000):.1f}" for shift in SHIFTS)
        print(f"| {name} | {shares} |", flush=True)
