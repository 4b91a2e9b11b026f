"""Another system's opinion as a score, on real answers of language models: what it gains, loses and promises."""

import warnings

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceProfile, tune_threshold

SYSTEMS = ("Falcon-7b", "Llama-70b", "Mistral", "Yi-34b", "gpt-4-turbo")
N_LABELS, N_DRAWS, LEVEL = 200, 20, 0.95
#: The best system loses most, and its thresholds accept nearly all or nothing: so its mean needs more draws.
N_DRAWS_OF_BEST = 150
#: The files say who was right, and not which answer each gave: so often two systems that err give the same of four.
AGREE_IN_ERROR = 0.59


def answers(folder, task):
    """Return who was right and how sure, a row for each system."""
    tables = [pd.read_csv(folder / task / f"{name}.max_softmax.csv") for name in SYSTEMS]
    return np.array([table["grade"] == "Correct" for table in tables]), np.array([t["confidence"] for t in tables])


def opinions(right, confidence, system, rng):
    """Return what the others think of a system's answers: the share that agrees, and the best one's probability."""
    others = [other for other in range(len(SYSTEMS)) if other != system]
    by_chance = rng.random((len(others), right.shape[1])) < AGREE_IN_ERROR
    agree = np.where(right[system] | right[others], right[system] & right[others], by_chance)
    best = int(np.argmax(right[others].mean(axis=1)))
    sure = confidence[others[best]]
    return {"all": agree.mean(axis=0), "best": np.where(agree[best], sure, (1 - sure) / 3)}


def tuned(right, confidence, score, labelled, target, n_candidates):
    """Return the share of all that a threshold chosen on some rows accepts, and its error rate among all."""
    profile = ConfidenceProfile.from_correctness(right[labelled], confidence[labelled], score=score[labelled])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # often no threshold is shown
        found = tune_threshold(profile, target=target, confidence_level=LEVEL, n_candidates=n_candidates)
    accepted = score >= found.threshold
    return accepted.mean(), (1 - right[accepted].mean()) if accepted.any() else 0.0, found.coverage


@pytest.mark.slow
def test_the_better_of_both_answers_more_and_keeps_its_promise(model_outputs):
    folder = model_outputs / "answers"
    if not folder.is_dir():
        pytest.skip("there are no answers of language models")
    rng, rows = np.random.default_rng(0), []
    for task in ("arc", "truthfulqa"):
        right, confidence = answers(folder, task)
        for system, name in enumerate(SYSTEMS):
            target = max(0.05, (1 - right[system].mean()) / 2)
            for judge, opinion in opinions(right, confidence, system, rng).items():
                own, mean = confidence[system], (confidence[system] + opinion) / 2
                for _ in range(N_DRAWS_OF_BEST if name == SYSTEMS[-1] else N_DRAWS):
                    rest = (right[system], own)
                    labelled = rng.permutation(right.shape[1])[:N_LABELS]
                    alone = tuned(*rest, own, labelled, target, 1)
                    both = [tuned(*rest, score, labelled, target, 2) for score in (own, mean)]
                    better = max(both, key=lambda each: each[2])  # the better one on the labelled rows
                    rows.append((task, name, judge, alone[0], better[0], better[1] > target))
    draws = pd.DataFrame(rows, columns=["task", "system", "judge", "alone", "better", "broken"])
    cases = draws.groupby(["task", "system", "judge"])[["alone", "better", "broken"]].mean()
    shares = cases.groupby("judge").mean()
    assert (shares["better"] >= 1.8 * shares["alone"]).all(), shares
    assert (cases["better"] - cases["alone"]).min() > -0.1, cases.to_string()
    assert cases["broken"].max() <= 0.05, cases.to_string()
