"""How verdicts do on answers whose chances of an error are known: writes docs/guide/verdict_trials.md.

Run it in a checkout with ``PYTHONPATH=tests python tests/_support/inference/verdict_trials.py``; 1,000 sets a row
take half an hour of one core. What contradicts itself is printed, and the time of a verdict on a million answers.
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
from _support.inference import verdict_populations as of
from _support.inference.verdict_contradictions import contradictions

from skconf import ConfidenceProfile
from skconf.inference import assess_confidence

SIZES = (4, 20, 100, 1_000, 10_000, 100_000, 1_000_000)
#: From here on confidences are drawn anew for one of so many sets only, which saves most of the time.
_LARGE, _SETS_OF_ONE = 100_000, 25
#: What is wrong with 1,000 answers of a population.
FAULTS = {
    "2 points overconfident; ordinary confidences": (of.ordinary, of.shifted(2)),
    "four times the expected errors in the 10% most confident answers; ordinary confidences": (
        of.ordinary,
        of.times(4, 0.1),
    ),
    "twenty times the expected errors in the 1% most confident answers; ordinary confidences": (
        of.ordinary,
        of.times(20, 0.01),
    ),
    "8 points overconfident between 0.7 and 0.9; ordinary confidences": (of.ordinary, of.between(0.7, 0.9, 8)),
    "4 points overconfident above the median, 4 points underconfident below it; ordinary confidences": (
        of.ordinary,
        of.s_shaped(4),
    ),
    "30% of the answers have confidence 1.0, and 0.5% of these are wrong; the confidences of the others are ordinary": (
        of.part_at_one,
        lambda c: np.where(c == 1, 0.005, 1 - c),
    ),
    "1 point overconfident; very confident": (of.sure, of.shifted(1)),
    "5 points underconfident; ten classes": (of.ten_classes, of.shifted(-5)),
    "4 points overconfident above the median, 4 points underconfident below it; narrow confidences": (
        of.narrow,
        of.s_shaped(4),
    ),
    "5 points overconfident; all confidences are 0.95": (of.one_confidence, of.shifted(5)),
    "1 in 50 answers of confidence 0 is right, 1 in 50 answers of confidence 1 is wrong": (
        of.zeros_and_ones,
        lambda c: np.where(c == 1, 0.02, 0.98),
    ),
    "where the confidence is 0.9999, it should be 0.99; half are 0.55, half are 0.9999": (
        of.two_clusters,
        lambda c: np.where(c > 0.9, 0.01, 1 - c),
    ),
    "5 points overconfident; all confidences are whole tenths": (of.tenths, of.shifted(5)),
}
#: Where something is wrong, and from where up nothing is: population, truth, top, numbers of answers.
PLACES = {
    "10 points overconfident from 0.7 to 0.9, 10 points underconfident below, calibrated above; uniform confidences": (
        *(of.uniform, of.good_top(0, 0.7, 0.9, 10), 0.9),
        (1_000, 10_000),
    ),
    "8 points overconfident from 0.7 to 0.9, calibrated elsewhere; ordinary confidences": (
        of.ordinary,
        of.between(0.7, 0.9, 8),
        0.9,
        (1_000, 10_000),
    ),
    "6 points overconfident from 0.6 to 0.7, 6 points underconfident below, calibrated above; no confidence over 0.8": (
        *(of.none_above_eight_tenths, of.good_top(0, 0.6, 0.7, 6), 0.7),
        (1_000, 5_000),
    ),
    "4 points overconfident above the median, 4 points underconfident below it; uniform confidences": (
        of.uniform,
        of.s_shaped(4),
        None,
        (300, 1_000, 10_000),
    ),
    "1 point overconfident; ordinary confidences": (of.ordinary, of.shifted(1), None, (1_000, 10_000)),
    "0.4 points overconfident; very confident": (of.sure, of.shifted(0.4), None, (1_000, 10_000)),
}
DETECTABLE = {
    "10, all of confidence 0.99": lambda _: np.full(10, 0.99),
    "100, all of confidence 0.99": lambda _: np.full(100, 0.99),
    "1,000, all of confidence 0.999": lambda _: np.full(1_000, 0.999),
    "1,000, uniform confidences": lambda rng: of.uniform(rng, 1_000),
    "1,000, very confident": lambda rng: of.sure(rng, 1_000),
    "1,000, ordinary confidences": lambda rng: of.ordinary(rng, 1_000),
    "100,000, ordinary confidences": lambda rng: of.ordinary(rng, 100_000),
}
HEAD = """\
# How often a verdict is right

**In short.** If a model is calibrated, the verdict calls it miscalibrated in at most one of twenty data sets, whatever
the number of answers. If a verdict names a range of confidences, the model is almost always miscalibrated in this
range. A verdict also gives the gap between confidence and accuracy that would be found in four of five data sets like
the given one. In our trials, gaps of this size were found about that often. The sentences of a verdict agree with its
table and its intervals.

In these simulations, errors are drawn with known probabilities, and
[`assess_confidence`](trust.md#what-the-verdict-tests-and-what-it-can-miss) gives its verdict. This page is written by
`{command}`, with {n_sets:,} sets for each number. The standard error is {error:.3f} for a share of 0.05, and
{large_error:.3f} for a share of 0.5.

The confidences, c, have these distributions. *Ordinary*: 1/(1 + exp(−|x|)), where x is normal with mean 1.5 and
standard deviation 1.6. *Very confident*: 1 − c is log-uniform between 0.0001 and 0.5. *Ten classes*: the largest
softmax value of ten normally distributed numbers with standard deviation 1.8. *Uniform*: uniform between 0.5 and 1.
*Narrow*: uniform between 0.6 and 0.8. The other distributions are hard for a test: they have many equal confidences,
hardly any errors, or only confidences of 0 and 1.
"""
COMMAND = "PYTHONPATH=tests python tests/_support/inference/verdict_trials.py"


class Trials:
    """Simulated verdicts, and how many of them contradict themselves."""

    def __init__(self, n_sets, seed=0):
        self.n_sets, self.rng = n_sets, np.random.default_rng(seed)
        self.n_verdicts, self.contradicting, self.contradictions = 0, 0, Counter()

    def sets(self, population, chance_of, n):
        """Draw sets of answers one after the other, with the verdict on each."""
        for at in range(self.n_sets):
            if n < _LARGE or at % _SETS_OF_ONE == 0:
                confidences = population(self.rng, n)
            yield self.tried(confidences, chance_of)

    def hostile_sets(self, largest=100_000):
        """Draw sets of any number of answers and any fault, for what contradicts itself."""
        for _ in range(5 * self.n_sets):
            self.tried(*of.any_answers(self.rng, largest))

    def tried(self, confidences, chance_of):
        trial = of.tried(self.rng, confidences, chance_of, random_state=self.rng)
        found = contradictions(trial.verdict)
        self.n_verdicts += 1
        self.contradicting += bool(found)
        self.contradictions.update(found)
        return trial

    # The tables of the page: headers, and rows.

    def level(self, populations, sizes):
        """How often something is found where nothing is, and some interval misses the truth."""
        yield ["calibrated", *(f"{n:,}" for n in sizes), "an interval misses (largest share)"]
        for name, population in populations.items():
            found, missed = [], []
            for n in sizes:
                trials = [
                    (trial.verdict.found, trial.misses_the_truth) for trial in self.sets(population, of.calibrated, n)
                ]
                for shares, share in zip((found, missed), np.mean(trials, axis=0), strict=True):
                    shares.append(share)
            yield [name, *map(share_of, found), share_of(max(missed))]

    def power(self, faults, n):
        """How often a fault is found, told the wrong way round, and its extent missed."""
        yield [
            "what is wrong",
            "it is found",
            "the verdict names the wrong direction",
            "an interval misses the true value",
        ]
        for name, (population, chance_of) in faults.items():
            trials = [
                (trial.verdict.found, trial.tells_a_wrong_direction, trial.misses_the_truth)
                for trial in self.sets(population, chance_of, n)
            ]
            yield [name, *map(share_of, np.mean(trials, axis=0))]

    def places(self, places):
        """Whether a verdict names the answers that are off."""
        yield [
            *("what is wrong", "answers", "overconfident part named", "underconfident part named"),
            *(
                "share of the named answers that are miscalibrated",
                "calibrated part at the top named",
                "interval of a named part covers the true value",
            ),
        ]
        for name, (population, chance_of, top, sizes) in places.items():
            for n in sizes:
                trials = list(self.sets(population, chance_of, n))
                named = [trial.share_named_rightly() for trial in trials]
                held = [trial.holds_the_truth(each) for trial in trials for each in trial.named]
                yield [
                    name,
                    f"{n:,}",
                    share_of(np.mean([trial.verdict.overconfident is not None for trial in trials])),
                    share_of(np.mean([trial.verdict.underconfident is not None for trial in trials])),
                    share_of(np.nanmean(named) if np.isfinite(named).any() else np.nan),
                    share_of(np.nan if top is None else np.mean([trial.names_any(top) for trial in trials])),
                    share_of(np.mean(held) if held else np.nan),
                ]

    def detectable(self, cases):
        """How often the gap that a verdict says would be found is found overall, however its errors are spread."""
        yield [
            "answers",
            "size that should be found",
            "found, if the same number of errors is added at every confidence",
            "found, if the error rate is multiplied by the same factor at every confidence",
            "found, if errors are added to a fifth of the answers",
            "underconfidence found",
        ]
        for name, draw in cases.items():
            confidences = draw(self.rng)
            told = self._told_on(confidences)
            over, under, n = told.detectable_over, told.detectable_under, len(confidences)
            fifth = np.zeros(n)
            fifth[self.rng.permutation(n)[: max(n // 5, 1)]] = 1
            rows = [np.full(n, over), over * (1 - confidences) / np.mean(1 - confidences), over * fifth / fifth.mean()]
            found = [self._found_overall(confidences, 1 - confidences + added, "overconfident") for added in rows]
            # Right answers are added in proportion to the errors that are expected, of which no more can vanish.
            left = (1 - confidences) * (1 - under / np.mean(1 - confidences))
            less = np.nan if np.isnan(under) else self._found_overall(confidences, left, "underconfident")
            yield [name, f"{100 * over:.2g} points", *map(share_of, found), share_of(less)]

    def _told_on(self, confidences):
        """Return a verdict that tells the gap: on some errors, whichever."""
        return of.tried(self.rng, confidences, of.calibrated, n_resamples=9999).verdict

    def _found_overall(self, confidences, chance, direction):
        if not np.all((chance >= 0) & (chance <= 1)):
            return np.nan
        trials = [self.tried(confidences, lambda _: chance) for _ in range(self.n_sets)]
        return np.mean([trial.verdict.levels[0].direction == direction for trial in trials])


def share_of(share):
    return "–" if np.isnan(share) else f"{share:.3f}" if share < 0.1 else f"{share:.2f}"


def table(rows):
    first, *others = rows
    lines = [first, ["---"] * len(first), *others]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def page(trials, sizes=SIZES):
    """Return the page."""
    n = trials.n_sets
    text = HEAD.format(command=COMMAND, n_sets=n, error=np.sqrt(0.05 * 0.95 / n), large_error=0.5 / np.sqrt(n))
    for title, about, rows in (
        (
            "Nothing is wrong",
            """\
The table has the share of data sets in which the verdict finds a fault although there is none. There is a row for each
distribution of calibrated confidences, and a column for each number of answers. The share should be at most 0.05. With
few errors the share is smaller, because the number of errors is a whole number: a share of exactly 0.05 is then seldom
possible. In at least 95% of data sets, all intervals of a verdict should cover the true value. For each number of
answers, we computed the share of data sets in which at least one interval does not cover its true value. The last
column has the largest of these shares. It should be at most 0.05, too.""",
            trials.level(of.COMMON | of.HOSTILE, sizes),
        ),
        (
            "Something is wrong",
            """\
Each data set has 1,000 answers. A row says what is wrong, and then how the confidences are distributed. The numbers
are shares of data sets. A wrong direction means: the verdict says overconfident where the model is underconfident, or
underconfident where it is overconfident.""",
            trials.power(FAULTS, 1_000),
        ),
        (
            "Where it is wrong",
            """\
A verdict names a part of the answers: all answers whose confidences lie in a range. It should not name a part in which
the model is calibrated. In the first six rows, the model is calibrated for the most confident answers. If a fault is
small, it is found only in data sets in which it happens to look large. The last column counts only
the data sets in which a part is named, so it can be below 0.95 for a small fault.""",
            trials.places(PLACES),
        ),
        (
            "What would have been found",
            """\
A verdict gives the size of an overconfidence that would be found in four of five data sets like the given one. The
second column has this size, in percentage points. The next three columns have the share of data sets in which the
overall test finds an overconfidence of this size, for three ways to spread the additional errors over the answers. The
last column has the same share for underconfidence. The critical value of the test comes from a simulation, so a share
may be off by a few hundredths. A dash means that this size is impossible: the probability of an error would be above 1
or below 0.""",
            trials.detectable(DETECTABLE),
        ),
    ):
        text += f"\n## {title}\n\n{about}\n\n{table(rows)}"
    trials.hostile_sets(max(sizes))
    return f"""{text}
## Contradictions

{trials.n_verdicts:,} verdicts were searched for contradictions: the verdicts of the tables above, and verdicts on
additional data sets of 1 to {max(sizes):,} answers. In the additional data sets, the confidences are calibrated, or
have small or large faults like those in the tables above. The number of verdicts with a contradiction between their
sentences, fields, tables and intervals is {trials.contradicting:,}. Three examples of a contradiction: the sentence
says overconfident, but its interval contains the average confidence; the verdict has a grade, but none of its ranges of
confidences has the same grade; a sentence names one range, and gives the counts of another.
"""


def seconds_for_a_million(rng):
    """Return the least time of a verdict on a million answers, and of all with the check of the input."""
    c = of.ordinary(rng, 1_000_000)
    profile = ConfidenceProfile.from_correctness(rng.random(len(c)) < c, c)
    taken = []
    for _ in range(7):
        start = time.perf_counter()
        assess_confidence(profile)
        taken.append(time.perf_counter() - start)
    return min(taken)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=1000, help="sets a row")
    parser.add_argument("--out", type=Path, default=Path("docs/guide/verdict_trials.md"))
    given = parser.parse_args()
    trials = Trials(given.sets)
    given.out.write_text(page(trials))
    print(trials.contradictions.most_common(20), file=sys.stderr)
    print(f"A million answers: {1000 * seconds_for_a_million(trials.rng):.0f} ms", file=sys.stderr)


if __name__ == "__main__":
    main()
