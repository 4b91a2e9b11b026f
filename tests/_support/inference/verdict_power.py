"""How often tests of confidences find what is wrong, and accuse where nothing is: the table in docs/guide/trust.md.

Run it with ``python tests/_support/inference/verdict_power.py``; it takes a few
minutes. Its table is the one in the guide.
"""

import sys

import numpy as np
import pandas as pd
from scipy.special import expit

from skconf import ConfidenceProfile, metrics
from skconf.inference._calibration_draws import CalibrationDraws
from skconf.inference._error_table import ErrorTable

N_SAMPLES, N_SETS, N_DRAWS, LEVEL = 1000, 500, 999, 0.05


def confidences(rng):
    """Return confidences of a binary classifier with normal logits, mean .80."""
    return expit(np.abs(rng.normal(0, 2, N_SAMPLES)))


def shifted(points):
    return lambda sure, rng: (sure, np.clip(sure - points / 100, 0, 1))  # noqa: ARG005


def worse_at_the_top(sure, rng):
    return sure, np.where(sure >= np.quantile(sure, 0.9), np.clip(1 - 4 * (1 - sure), 0, 1), sure)


def diluted(sure, rng):
    certain = rng.random(N_SAMPLES) < 0.5
    return np.where(certain, 1.0, sure), np.where(certain, 1.0, sure - 0.05)


def opposite(sure, rng):
    return sure, np.clip(sure + np.where(sure >= np.median(sure), -0.04, 0.04), 0, 1)


POPULATIONS = {
    "calibrated": shifted(0),
    "5 points too sure": shifted(5),
    "5 points too modest": shifted(-5),
    "errors × 4 in the top 10 %": worse_at_the_top,
    "half at 1.0 and right, rest 5 points too sure": diluted,
    "upper half 4 points too sure, lower 4 too modest": opposite,
}


def tests_of(profile, rng):
    """Return the p-values of each test of one set of samples."""
    draws = CalibrationDraws(ErrorTable.of(profile), N_DRAWS, rng)
    evidence = draws.evidence(draws.observed())
    return {
        "gap": evidence.gap[0],
        "size ratio": evidence.size_ratio[0],
        "errors at the top": evidence.tails[0],
        "smooth error": evidence.shape[0],
        "Spiegelhalter": metrics.spiegelhalter_test(profile).p_value,
        "risk (normal)": 1 - metrics.overconfidence_risk(profile),
        "all, as the verdict": evidence.joint,
    }


def power(n_sets=N_SETS, seed=0):
    """Return the share of sets in which each test finds something at the level of .05."""
    rng, rows = np.random.default_rng(seed), {}
    for name, population in POPULATIONS.items():
        found = []
        for _ in range(n_sets):
            sure, chance = population(confidences(rng), rng)
            profile = ConfidenceProfile.from_correctness(rng.random(N_SAMPLES) < chance, sure)
            found.append(tests_of(profile, rng))
        rows[name] = (pd.DataFrame(found) <= LEVEL).mean()
    return pd.DataFrame(rows).T


if __name__ == "__main__":
    table = power(*map(int, sys.argv[1:]))
    print("| | " + " | ".join(table.columns) + " |\n|---|" + "---|" * len(table.columns))
    for name, row in table.iterrows():
        print(f"| {name} | " + " | ".join(f"{share:.2f}".replace("0.", ".", 1) for share in row) + " |")
