"""How often intervals of answers to repeated questions hold the truth, as of logs with epochs or `--cluster`.

Run as a program it makes a table of the guide: ``PYTHONPATH=tests python tests/_support/inference/repeat_coverage.py``.
"""

import sys
import warnings
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from skconf import ConfidenceProfile
from skconf.inference import assess_confidence, compare, confidence_interval

#: Threshold of the selective accuracy: about half of the answers are accepted.
THRESHOLD = 0.8
#: Numbers of questions of a table.
SIZES = (50, 200, 1000)
#: What intervals are of.
METRICS = {
    "accuracy": ("accuracy", {}),
    "answered": ("coverage_score", {"threshold": 0.0}),
    "coverage": ("coverage_score", {"threshold": THRESHOLD}),
    "selective accuracy": ("selective_accuracy_score", {"threshold": THRESHOLD}),
    "AURC": ("aurc_loss", {}),
}
COMPARED = {"difference of accuracies": "accuracy", "difference of AURCs": "aurc_loss"}
COMPARED_AS = {"difference of accuracies": "accuracy", "difference of AURCs": "AURC"}
#: All columns of a table; the verdict is that of a report, "When it answers, it is right in …".
COLUMNS = (*METRICS, "verdict", *COMPARED)


class Population(NamedTuple):
    """Questions that are asked again and again, of two models.

    Attributes
    ----------
    repeats : str
        How often each is asked: a number, "unequal" (1 to 20, most once or twice), "Pareto" (1 to 100, most once),
        "hard ones" (six times where an answer is probably wrong, else once) or "one in ten" (twenty times, the others
        once).
    shift : float
        Standard deviation, over questions, of what the log odds of being right are off by.
    spread : float
        Standard deviation of the log odds that the answers of one question say, beside that of their question.
    ease : float
        Mean log odds of a question.
    abstains : float
        Standard deviation, over questions, of the log odds of abstaining.
    sure_or_not : bool
        Whether confidences are 0 and 1 alone.
    """

    repeats: int | str
    shift: float
    spread: float = 0.5
    ease: float = 1.2
    abstains: float = 2.0
    sure_or_not: bool = False


POPULATIONS = {
    "2 repeats": Population(2, 1.0),
    "5 repeats": Population(5, 1.0),
    "5, no correlation": Population(5, 0.0, abstains=0.0),
    "5, all but alike": Population(5, 20.0, spread=0.05, abstains=20.0),
    "16, all but alike": Population(16, 20.0, spread=0.05, abstains=20.0),
    "1 to 20 repeats": Population("unequal", 1.0),
    "1 to 20, all but alike": Population("unequal", 20.0, spread=0.05, abstains=20.0),
    "hard ones six times": Population("hard ones", 3.0),
    "one in ten 20 times": Population("one in ten", 3.0),
    "5, one in 12 wrong": Population(5, 2.0, ease=4.5),
}
#: Further populations, on which nothing was tuned.
OTHERS = {
    "Pareto, all but alike": Population("Pareto", 20.0, spread=0.05, abstains=20.0),
    "Pareto, half wrong": Population("Pareto", 3.0, ease=0.0),
    "Pareto, one in 20 wrong": Population("Pareto", 20.0, spread=0.05, ease=33.0),
    "1 to 20, one in 20 wrong": Population("unequal", 20.0, spread=0.05, ease=33.0),
    "1 to 20, one in 100 wrong": Population("unequal", 20.0, spread=0.05, ease=46.0),
    "1 to 20, sure or not": Population("unequal", 3.0, ease=0.0, sure_or_not=True),
    "5, sure or not": Population(5, 3.0, ease=0.0, sure_or_not=True),
}


class Drawn(NamedTuple):
    """Questions, and for each answer of each model: how probably it is right, its confidence, and whether it is one."""

    question: np.ndarray
    chance: np.ndarray
    confidence: np.ndarray
    abstains: np.ndarray


def draw(population, n_questions, rng, *, repeated=True):
    """Draw answers; with `repeated` false one of each question, with the number of repeats as its weight."""
    said = rng.normal(population.ease, 1.0, n_questions)
    own, common = rng.normal(size=(2, n_questions)), rng.normal(size=n_questions)
    odds = said + population.shift * (0.8 * common + 0.6 * own)  # two models find the same questions hard
    declines = -2.0 + population.abstains * rng.normal(size=n_questions)
    times = _repeats(population.repeats, odds[0], rng)
    row = np.repeat(np.arange(n_questions), times) if repeated else np.arange(n_questions)
    noise = population.spread * rng.normal(size=(2, len(row)))
    confidence = expit(said[row] + noise)
    drawn = Drawn(
        row,
        expit(odds[:, row] + noise),
        confidence.round() if population.sure_or_not else confidence,
        rng.random((2, len(row))) < expit(declines)[row],
    )
    return drawn, times


def _repeats(how, odds, rng):
    if isinstance(how, int):
        return np.full(len(odds), how)
    if how == "unequal":
        return np.minimum(rng.zipf(1.8, len(odds)), 20)
    if how == "Pareto":
        return np.minimum(1 + rng.pareto(1.2, len(odds)), 100).astype(int)
    if how == "hard ones":
        return np.where(odds < 0.5, 6, 1)
    return np.where(rng.random(len(odds)) < 0.1, 20, 1)


def profiles_of(drawn, right, *, grouped=True):
    """Return the profile of each model."""
    groups = drawn.question if grouped else None
    return [
        ConfidenceProfile.from_correctness(right[k], drawn.confidence[k], abstained=drawn.abstains[k], groups=groups)
        for k in range(2)
    ]


def true_values(population, n_questions=1_000_000):
    """Compute the values of the population: of many questions, weighed by their repeats and graded by the chance."""
    drawn, times = draw(population, n_questions, np.random.default_rng(99), repeated=False)
    first, second = (_values(drawn.chance[k], drawn.confidence[k], ~drawn.abstains[k], times) for k in range(2))
    apart = {name: first[of] - second[of] for name, of in COMPARED_AS.items()}
    if population.repeats != "hard ones":  # the models differ by chance alone
        apart = dict.fromkeys(apart, 0.0)
    return first | apart


def _values(chance, confidence, answered, weight):
    order = np.argsort(-confidence[answered])
    weight_of_answers = weight[answered][order]
    running = np.cumsum(weight_of_answers * (1 - chance[answered][order])) / np.cumsum(weight_of_answers)
    accepted = answered & (confidence >= THRESHOLD)
    return {
        "accuracy": np.average(chance * answered, weights=weight),  # of all, what abstains is not right
        "answered": np.average(answered, weights=weight),
        "coverage": np.average(accepted, weights=weight),
        "selective accuracy": np.average(chance[accepted], weights=weight[accepted]),
        "AURC": np.average(running, weights=weight_of_answers),
        "verdict": np.average(chance[answered], weights=weight[answered]),
    }


def coverage(population, n_questions, n_sets, *, grouped=True, seed=3):
    """Return the share of 95% intervals that hold the truth, by what they are of; and that of intervals there are."""
    rng, truth = np.random.default_rng([seed, n_questions]), true_values(population)
    held, there = dict.fromkeys(COLUMNS, 0), dict.fromkeys(COLUMNS, 0)
    for _ in range(n_sets):
        drawn, _ = draw(population, n_questions, rng)
        right = rng.random(drawn.chance.shape) < drawn.chance
        first, second = profiles_of(drawn, right, grouped=grouped)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ends = {name: confidence_interval(metric, first, **given) for name, (metric, given) in METRICS.items()}
            ends |= {name: compare(metric, {"a": first, "b": second}) for name, metric in COMPARED.items()}
            verdict = assess_confidence(first)
        found = {name: (each.low, each.high) for name, each in ends.items()}
        found["verdict"] = (verdict.accuracy_low, verdict.accuracy_high)
        for name, (low, high) in found.items():
            there[name] += bool(np.isfinite(low))
            held[name] += bool(low <= truth[name] <= high)
    return {name: held[name] / max(there[name], 1) for name in COLUMNS}, {
        name: there[name] / n_sets for name in COLUMNS
    }


if __name__ == "__main__":
    n_sets = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    for size in map(int, sys.argv[2:]) if len(sys.argv) > 2 else SIZES:
        print(f"| {size} questions | {' | '.join(COLUMNS)} |")
        for name, population in (POPULATIONS | OTHERS).items():
            shares, there = coverage(population, size, n_sets)
            cells = (
                f"{100 * shares[each]:.1f}{'' if there[each] == 1 else f' ({there[each]:.2f})'}" for each in COLUMNS
            )
            print(f"| {name} | {' | '.join(cells)} |", flush=True)
