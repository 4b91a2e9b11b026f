"""Measure rules that choose a threshold: `PYTHONPATH=.:tests python tests/benchmarks/measure_risk_rules.py OUT.csv`.

Every rule sees the same draws. Writes a line for each population, sample size, target, level and rule: the mean true
coverage, how often anything was chosen, and how often its true risk was above the target. `--new N` measures the rule
of the package alone, on N draws.
"""

import argparse
import csv
import sys
import time
from pathlib import Path

import numpy as np
from _support.selective.risk_populations import HARDEST, HOLES, ORDINARY, populations
from _support.selective.risk_rules import RULES, ours_untied

SIZES = (30, 60, 100, 200, 500, 1000, 5000, 50_000)
TARGETS = (0.01, 0.05, 0.1)


def repeats(n_samples, most):
    """Return how many draws of a size: fewer where they take long."""
    return int(max(min(most, most * 500 / n_samples), most / 20))


def measure(name, n_samples, target, level, n_draws, rules):
    """Yield for each rule its mean coverage, and the shares of draws in which it chose, and chose wrongly."""
    population = populations(target)[name]
    rules = dict(rules)
    if population.ties is None:
        rules["new"] = ours_untied
    rng = np.random.default_rng([(ORDINARY + HOLES + HARDEST).index(name), n_samples])
    total = {rule: np.zeros(3) for rule in rules}
    for _ in range(n_draws):
        draw = population.draw(n_samples, rng)
        for rule, choose in rules.items():
            at = choose(draw.accepted, draw.errors, target, level)
            if at >= 0:
                total[rule] += draw.coverage[at], 1, draw.risk[at] > target * (1 + 1e-9)
    for rule, (coverage, chosen, wrong) in total.items():
        yield rule, coverage / n_draws, chosen / n_draws, wrong / n_draws


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--new", type=int)
    parser.add_argument("--level", type=float, default=0.95)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--targets", type=float, nargs="+", default=TARGETS)
    parser.add_argument("--populations", nargs="+", default=ORDINARY + HOLES + HARDEST)
    given = parser.parse_args()
    rules = {"new": RULES["new"]} if given.new else RULES
    with Path(given.out).open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["population", "n", "target", "level", "draws", "rule", "coverage", "chosen", "violations"])
        for n_samples in given.sizes:
            start = time.perf_counter()
            n_draws = given.new or repeats(n_samples, given.draws)
            for target in given.targets:
                for name in given.populations:
                    for found in measure(name, n_samples, target, given.level, n_draws, rules):
                        lines.writerow([name, n_samples, target, given.level, n_draws, *found])
            file.flush()
            print(f"n = {n_samples}: {n_draws} draws, {time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
