"""A page of every command.

As a script it makes some of them, of the files in a folder: ``python tests/_support/pages.py FOLDER NAME ...``.
"""

import contextlib
import io
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd

MARKUP = ("<b>ham</b>", '"><img src=x onerror=alert(1)>', "</script><script>alert(1)</script>&amp;")
LONG = "gradient_boosting-on-claims-2026-11-depth_6-learning_rate_0.05-seed_0"
EVALUATED = {
    "one model": ["one.csv"],
    "two models": ["one.csv", "two.csv"],
    "five models": [f"of-five-{number}.csv" for number in range(1, 6)],
    "all metrics": ["one.csv", "--metrics", "all"],
    "ids and threshold": ["one.csv", "shuffled.csv", "--id", "id", "--threshold", "0.8"],
    "weighted": ["weighted.csv", "--threshold", "0.7"],
    "correctness only": ["answers.csv"],
    "hard confidences": ["hard.csv"],
    "no errors": ["flawless.csv"],
    "ten classes": ["ten.csv", "ten again.csv"],
    "forty classes": ["forty.csv"],
    "groups": ["grouped.csv", "--group", "month"],
    "batches": ["one.csv", "two.csv", "--batches"],
    "markup": ["<i>a<b>.csv", "&lt;b>.csv"],
    "anonymous": ["<i>a<b>.csv", "&lt;b>.csv", "--anonymous"],
    "long names": [f"{LONG}_raw.csv", f"{LONG}_calibrated.csv"],
    "three rows": ["few.csv"],
}
EXPERIMENTS = {
    "csr": ["--datasets", "breast_cancer", "--trials", "1", "--jobs", "1", "--no-results", "--tables", "2", "6", "7"],
    "csr-synthetic": ["--samples", "50", "--repetitions", "2", "--jobs", "1"],
    "cwsa": ["--repetitions", "2"],
    "cwsa-ranking": ["--models", "3", "--jobs", "1"],
    "cwsa-stress": ["--repetitions", "2"],
    "ecuas": ["systems", "--jobs", "1"],
    "cf1": ["--models", "2", "--jobs", "1"],
    "arena": [
        *["--datasets", "breast_cancer", "digits", "--models", "forest", "--sizes", "50", "100", "--jobs", "1"],
        *["--calibrators", "pooled", "platt", "isotonic", "ets", "--no-results"],
    ],
}
PAGES = [*EVALUATED, *(f"experiment {name}" for name in EXPERIMENTS)]
#: Those that show all kinds of parts, but no seconds: they are made twice, to compare their bytes.
MADE_AGAIN = ["ids and threshold", "markup", "anonymous", "groups", "batches", *PAGES[len(EVALUATED) :]]
MADE_AGAIN.remove("experiment arena")


def write_files(folder: Path) -> None:
    """Write the predictions that the commands evaluate."""
    rng = np.random.default_rng(0)
    y, one = _binary(rng, 400)
    _write(folder / "one.csv", y, one)
    _write(folder / "two.csv", y, one**2)
    _write(folder / f"{LONG}_raw.csv", y, one)
    _write(folder / f"{LONG}_calibrated.csv", y, one**2)
    _write(folder / "shuffled.csv", y, one**2, rng.permutation(len(y)))
    weight = rng.integers(1, 4, len(y)) / 2
    _table(y, one).assign(sample_weight=weight).to_csv(folder / "weighted.csv", index=False)
    _table(y, one).assign(month=rng.choice(["May", MARKUP[0], "June"], len(y))).to_csv(
        folder / "grouped.csv", index=False
    )
    for number in range(1, 6):
        _write(folder / f"of-five-{number}.csv", y, one ** (number / 2))
    pd.DataFrame({"correct": (np.maximum(one, 1 - one) > rng.random(len(y))) * 1, "confidence": one.round(2)}).to_csv(
        folder / "answers.csv", index=False
    )
    _write_hard(folder / "hard.csv")
    pd.DataFrame({"correct": [1] * 60, "confidence": np.linspace(0.5, 1, 60)}).to_csv(
        folder / "flawless.csv", index=False
    )
    _write_classes(folder / "ten.csv", 10, 500, 3.0)
    _write_classes(folder / "ten again.csv", 10, 500, 5.0)
    _write_classes(folder / "forty.csv", 40, 900, 4.0)
    _write_classes(folder / "few.csv", 2, 3, 1.0)
    for sharpness, name in ((2.0, "<i>a<b>.csv"), (4.0, "&lt;b>.csv")):
        _write_classes(folder / name, 3, 120, sharpness, MARKUP)
    (folder / "systems").mkdir(exist_ok=True)
    scores = rng.normal(size=(300, 3))
    np.save(folder / "systems" / "mine.scores.npy", scores)
    np.save(folder / "systems" / "mine.targets.npy", (scores + rng.gumbel(size=scores.shape)).argmax(axis=1))


def _binary(rng, n):
    one = rng.beta(0.6, 0.6, n).round(4)
    return (rng.random(n) < one).astype(int), one


def _table(y, one):
    return pd.DataFrame({"id": [f"s{row}" for row in range(len(y))], "y_true": y, "proba_0": 1 - one, "proba_1": one})


def _write(file, y, one, order=slice(None)):
    _table(y, one).iloc[order].to_csv(file, index=False)


def _write_hard(file):
    """Confidences that few digits cannot tell apart, ties, and the ends of what is allowed."""
    near = [0.0, 5e-324, 1e-300, 0.1, 0.3, 0.1 + 0.2, 0.7, 0.5, np.nextafter(0.5, 1), 1 - 2**-53, 1 - 2**-52, 1.0]
    confidence = np.repeat(near, 3)
    correct = np.random.default_rng(1).random(len(confidence)) < 0.7
    pd.DataFrame({"correct": correct * 1, "confidence": confidence}).to_csv(file, index=False)


def _write_classes(file, n_classes, n_rows, sharpness, labels=None):
    """Models whose scores say more or less than they know, on the same rows."""
    rng = np.random.default_rng(n_classes)
    scores = rng.normal(size=(n_rows, n_classes))
    y = (2 * scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    proba = np.exp(sharpness * scores)
    proba /= proba.sum(axis=1, keepdims=True)
    named = np.array(labels or [f"class {number}" for number in range(n_classes)])
    table = pd.DataFrame(proba, columns=[f"proba_{name}" for name in named])
    table.insert(0, "y_true", named[y])
    table.to_csv(file, index=False)


def make(name: str) -> None:
    """Make a page of the files in the current folder, by its command."""
    from skconf.cli import main

    command = ["evaluate", *EVALUATED[name]] if name in EVALUATED else ["experiment", name.split()[1]]
    if name not in EVALUATED:
        command += EXPERIMENTS[command[1]]
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = main([*command, "--html", f"{name}.html"])
    if status:
        sys.exit(f"{name}: exit status {status}\n{said.getvalue()}")


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    for page in sys.argv[2:]:
        make(page)
