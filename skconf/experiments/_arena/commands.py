"""``experiment arena``: calibrators against each other."""

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from skconf._core.command_options import whole_number
from skconf._core.terminal import CommandError
from skconf.experiments._arena.experiment import arena_experiment
from skconf.experiments._arena.page import arena_report
from skconf.experiments._shared.commands import (
    OPTIONS,
    add_data_home,
    add_output_files,
    add_results,
    new_command,
    written,
)
from skconf.experiments._shared.report import ExperimentReport

_ARENA = """\
Compare calibrators on predictions of real models: calibrators of skconf and scikit-learn, and of probmetrics,
venn-abers, betacal, netcal and splinecalib, if these packages are installed.

Results are kept on disk. After an interruption, the same command continues. If you add a calibrator, only the new one
is run.

Exit status: 0 on success; 2 for a mistake in the command or its files; 130 after Ctrl-C.
"""
_DATA_SETS = "groups of data sets: 'generated', 'sklearn', 'uci', 'scores' and 'all'; 'scores' needs --scores.\n\n"
_EXAMPLES = (
    "",
    "--datasets breast_cancer digits --models forest logistic --calibrators pooled sklearn",
    "--datasets all --scores scores/ --data-home ~/uci --html arena.html",
    "--calibrators pooled platt mine:MyCalibrator",
    "--predictions mine.npz --sizes 500",
)


def add_arena(names: Any) -> None:
    """Add the command."""
    about = "comparison of calibrators, including your own"
    arena = new_command(names, "arena", about, partial(written, _run), _ARENA, _EXAMPLES, _DATA_SETS)
    what = arena.add_argument_group("what to run")
    what.add_argument(
        "--datasets",
        nargs="+",
        metavar="NAME",
        help="data sets or groups of data sets (default: 'generated' and 'sklearn', or none with --predictions)",
    )
    what.add_argument(
        "--predictions",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="your own predictions: files NAME.npz with arrays proba (or probabilities) and y (or labels)",
    )
    what.add_argument(
        "--calibrators",
        nargs="+",
        metavar="NAME",
        help="calibrators, packages, or your own as MODULE:CLASS (default: all installed calibrators)",
    )
    what.add_argument(
        "--champion",
        default="pooled",
        metavar="NAME",
        help="the calibrator that all others are compared with (default: pooled)",
    )
    what.add_argument("--models", nargs="+", metavar="NAME", help="models to train (default: all)")
    what.add_argument(
        "--sizes",
        nargs="+",
        type=whole_number(2),
        default=[50, 200, 1000, 4000],
        metavar="N",
        help="numbers of calibration samples (default: 50 200 1000 4000)",
    )
    for flag in ("--seed", "--jobs"):
        what.add_argument(flag, **OPTIONS[flag])
    files = arena.add_argument_group("files")
    add_data_home(files)
    files.add_argument("--scores", type=Path, metavar="DIR", help="folder with NAME.scores.npy and NAME.targets.npy")
    add_results(files, "arena", "results", "run everything again")
    add_output_files(files, "all losses, a row for each run and calibrator")


def _run(options: argparse.Namespace) -> ExperimentReport:
    datasets = options.datasets
    if datasets is None:
        datasets = [] if options.predictions else ["generated", "sklearn"]
    calibrators = options.calibrators
    if calibrators is not None and options.champion not in calibrators:
        calibrators = [options.champion, *calibrators]
    if calibrators is not None and set(calibrators) == {options.champion}:
        raise CommandError(f"there is nothing to compare {options.champion!r} with. Add names to --calibrators.")
    result = arena_experiment(
        datasets,
        calibrators=calibrators,
        only_models=options.models,
        sizes=options.sizes,
        predictions=options.predictions,
        scores=options.scores,
        data_home=options.data_home,
        results=None if options.no_results else options.results,
        random_state=options.seed,
        n_jobs=options.jobs,
        progress=True,
    )
    data = ", ".join([*datasets, *(path.name for path in options.predictions)])
    source = {"data": data, "seed": str(options.seed), "champion": options.champion}
    return arena_report(result, options.champion, source)
