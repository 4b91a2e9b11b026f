"""``experiment ecuas``: classification systems and sampled answers."""

import argparse
from pathlib import Path
from typing import Any

from skconf.experiments._ecuas.experiment import ecuas_experiment, ecuas_sampling_experiment
from skconf.experiments._ecuas.files import read_arrays
from skconf.experiments._ecuas.page import ecuas_report
from skconf.experiments._shared.commands import add_experiment
from skconf.experiments._shared.report import ExperimentReport


def add_ecuas(names: Any) -> None:
    """Add the command."""
    folder = {
        "type": Path,
        "help": "folder with NAME.scores.npy and NAME.targets.npy, or NAME/scores.npy and NAME/targets.npy, or with "
        "tables of predictions, such as the files of experiment csr --save-predictions",
    }
    add_experiment(
        names,
        "ecuas",
        "ECUAS of raw and calibrated classifiers, and of sampled answers (ECUAS paper, Table 3, appendix B.1)",
        _run,
        (("folder", folder), "--seed", "--jobs"),
        ("scores/", "scores/ --html ecuas.html", "predictions/"),
    )


def _run(options: argparse.Namespace) -> ExperimentReport:
    shared = {"random_state": options.seed, "n_jobs": options.jobs, "progress": True}
    arrays, failed = read_arrays(options.folder)
    cells = ecuas_experiment(arrays, **shared)
    sampled = ecuas_sampling_experiment(arrays, **shared)
    return ecuas_report(cells, sampled, {"seed": str(options.seed)}, failed)
