"""The tests of a risk by their definition, with fractions and dictionaries: a second implementation."""

import math
from fractions import Fraction


def probability_of_at_most(errors, samples, rate):
    """Return the binomial distribution function, summed term by term."""
    return sum(math.comb(samples, j) * rate**j * (1 - rate) ** (samples - j) for j in range(int(errors) + 1))


def fewest(target, delta):
    """Return the fewest samples that pass without an error."""
    samples = 1
    while (1 - target) ** samples > delta:
        samples += 1
    return samples


def looks(ends, target, delta, spend="evenly"):
    """Return how many samples each test accepts, and how much of δ may be spent up to it."""
    ends, n = sorted(set(ends)), max(ends)
    first = count = fewest(target, delta)
    plan = []
    while count < n:
        plan.append(count)
        step = min(0.02, max(0.002, 1 / math.sqrt(target * count)))
        count = math.ceil(count * (1 + step))
    if n >= first:
        plan.append(n)
    start = first / 1.4
    counts = sorted({min(end for end in ends if end >= count) for count in plan})
    if spend == "first":
        return counts, [float(delta)] * len(counts)
    before = [max(count for count in plan if count <= end) for end in counts]
    return counts, [float(delta) * math.log(count / start) / math.log(n / start) for count in before]


def _step(walk, rows, rate):
    for _ in range(rows):
        walk = {w: walk.get(w, 0) * (1 - rate) + walk.get(w - 1, 0) * rate for w in range(max(walk) + 2)}
    return walk


def budgets(counts, spent, target):
    """Pass 1: take away as many of the lowest values as the purse pays for whole."""
    walk, purse, done, before, out = {0: Fraction(1)}, Fraction(0), 0, Fraction(0), []
    for count, so_far in zip(counts, map(Fraction, spent), strict=True):
        walk, done = _step(walk, count - done, target), count
        purse, before, paid = purse + so_far - before, so_far, Fraction(0)
        for value in sorted(walk):
            if walk[value] > purse:
                break
            purse, paid = purse - walk[value], paid + walk[value]
            walk[value] = Fraction(0)
        out.append(paid)
    return out


def verdicts(counts, errors, budget, target):
    """Pass 2: whether each test succeeds; one that does keeps its purse for the next."""
    walk, purse, done, out = {0: Fraction(1)}, Fraction(0), 0, []
    for count, wrong, earned in zip(counts, errors, budget, strict=True):
        walk, done, purse = _step(walk, count - done, target), count, purse + earned
        out.append(sum(walk[value] for value in walk if value <= wrong) <= purse)
        if not out[-1]:
            for value in sorted(walk):
                paid = min(walk[value], purse)
                walk[value], purse = walk[value] - paid, purse - paid
            assert purse == 0
    return out


def in_control(ends, errors, target, delta, spend="evenly"):
    """Return the accepted counts that are shown; errors by the accepted count."""
    counts, spent = looks(ends, target, delta, spend)
    passed = verdicts(counts, [errors[count] for count in counts], budgets(counts, spent, target), target)
    return {count for count, success in zip(counts, passed, strict=True) if success}
