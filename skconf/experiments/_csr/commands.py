"""``experiment csr`` and ``csr-synthetic``: XGBoost on real data, and known distributions of confidence."""

import argparse
import sys
from pathlib import Path
from typing import Any

from skconf._core.command_options import one_of, whole_number
from skconf._core.terminal import CommandError, say
from skconf.datasets import list_uci
from skconf.experiments._csr.experiment import CALIBRATIONS, PRESETS, csr_experiment
from skconf.experiments._csr.page import csr_report
from skconf.experiments._csr.synthetic import csr_synthetic_auc_experiment, csr_synthetic_experiment
from skconf.experiments._csr.synthetic_page import synthetic_report
from skconf.experiments._csr.tables import TABLES
from skconf.experiments._shared.commands import (
    add_data_home,
    add_experiment,
    add_output_files,
    add_own,
    add_results,
    interrupted,
    new_command,
    own_data,
    repeated,
    write_report,
)
from skconf.experiments._shared.estimators import find_estimator
from skconf.experiments._shared.kept import ResultsFolderError
from skconf.experiments._shared.report import ExperimentReport

_CSR = """\
Train XGBoost on each data set, calibrate it, and print the CSR paper's tables. The tables have our values, the paper's
values, and their difference in standard errors (s.e.). You can use your own data and classifiers, too.

Predictions of trained models are kept on disk. After an interruption, the same command continues. Further calibrations
and tables need no training.

Exit status: 0 on success; 1 if a data set failed, even if the rest ran; 2 for a mistake in the command; 130 after
Ctrl-C.
"""
_CSR_EXAMPLES = (
    "",
    "--data-home ~/uci --datasets diabetes wine adult_income --csv table6.csv",
    "--datasets all --seeds 5 --calibration none isotonic platt smoothed_isotonic",
    "--datasets credit --preset paper --tables 2 6 7 12 --html credit.html",
    "--datasets wine --save-predictions predictions",
    "--data loans.csv --target default --estimator sklearn.naive_bayes:GaussianNB mymodel:MyClassifier",
)


def add_csr(names: Any) -> None:
    """Add the command."""
    about = "XGBoost on real data: raw, isotonic, Platt (CSR paper, Tables 2, 6, 7, 12)"
    data_sets = f"data sets: {', '.join(list_uci())}\n\n"
    csr = new_command(names, "csr", about, _run, _CSR, _CSR_EXAMPLES, data_sets)
    _add_what_to_run(csr)
    _add_how_to_train(csr)
    _add_files(csr)


def _add_what_to_run(csr: argparse.ArgumentParser) -> None:
    what = csr.add_argument_group("what to run")
    what.add_argument(
        "--datasets",
        nargs="+",
        type=one_of([*list_uci(), "all"], "data set"),
        metavar="NAME",
        help="data sets, or 'all' for the fifteen of the paper (default: 'breast_cancer' and 'digits', which need no "
        "files)",
    )
    add_own(what, "classifiers to train in addition to XGBoost", several=True)
    what.add_argument(
        "--calibration",
        nargs="+",
        default=["none", "isotonic", "platt"],
        type=one_of(CALIBRATIONS, "calibration"),
        metavar="NAME",
        help=f"calibrations to compare: {', '.join(map(repr, CALIBRATIONS))} (default: 'none', 'isotonic' and 'platt')",
    )
    what.add_argument(
        "--tables",
        nargs="+",
        type=int,
        choices=sorted(TABLES),
        default=[6],
        metavar="N",
        help="the paper's tables to print: 2, 6, 7, 12. With 12, the page also has Figures 1 and 2 (default: 6)",
    )


def _add_how_to_train(csr: argparse.ArgumentParser) -> None:
    how = csr.add_argument_group("how to train")
    how.add_argument(
        "--preset",
        choices=list(PRESETS),
        default="quick",
        help="'quick' has fixed parameters; 'paper' has a TPE search of 60 trials with 5-fold cross-validation, which "
        "takes hours (default: 'quick')",
    )
    how.add_argument(
        "--trials", type=whole_number(1), metavar="N", help="trials of the search (default: set by --preset)"
    )
    how.add_argument(
        "--class-weight",
        choices=["balanced", "none"],
        default="balanced",
        help="weights of training samples. With 'balanced', values agree with the paper's (default: 'balanced')",
    )
    how.add_argument(
        "--device",
        choices=["cpu", "cuda"],
        default="cpu",
        help="device on which XGBoost trains. 'cuda' needs an NVIDIA GPU (default: 'cpu')",
    )
    how.add_argument(
        "--seed",
        nargs="+",
        type=whole_number(0),
        default=[0],
        metavar="S",
        help="seeds of splits, search and XGBoost. With several, tables show mean ± standard deviation (default: 0)",
    )
    how.add_argument("--seeds", type=whole_number(1), metavar="N", help="use N seeds, beginning with --seed")
    how.add_argument("--jobs", type=whole_number(1), metavar="N", help="cores to use (default: half of them)")


def _add_files(csr: argparse.ArgumentParser) -> None:
    files = csr.add_argument_group("files")
    add_data_home(files)
    files.add_argument("--no-download", action="store_true", help="do not download missing files")
    add_results(files, "csr", "predictions", "train again")
    files.add_argument(
        "--save-predictions",
        type=Path,
        metavar="DIR",
        help="write the test predictions of each model to DIR/DATASET/seed=S/CALIBRATION.csv. The file validation.csv "
        "gets the predictions on which calibrations are fitted. skconf evaluate reads these files. The columns are "
        "y_true, y_pred, and proba_LABEL for each class",
    )
    add_output_files(files, "the values, a row for each data set and calibration")


def _run(options: argparse.Namespace) -> int:
    if options.data is not None and options.datasets is not None:
        raise CommandError("pass --data or --datasets, not both.")
    own = own_data(options)
    estimators = _estimators(options.estimator or [])
    datasets = options.datasets or ["breast_cancer", "digits"]
    if "all" in datasets:
        datasets = [name for name in list_uci() if name != "digits"]  # the paper has all other data sets
    seeds = [options.seed[0] + number for number in range(options.seeds)] if options.seeds else options.seed
    try:
        result = csr_experiment(
            datasets if own is None else own,
            estimators=estimators,
            calibrations=options.calibration,
            preset=options.preset,
            trials=options.trials,
            class_weight=None if options.class_weight == "none" else options.class_weight,
            device=options.device,
            random_state=seeds,
            tables=options.tables,
            data_home=options.data_home,
            download_if_missing=not options.no_download,
            results=None if options.no_results else options.results,
            save_predictions=options.save_predictions,
            n_jobs=options.jobs,
            progress=True,
        )
    except KeyboardInterrupt:
        return interrupted(options)
    except ResultsFolderError as error:
        raise CommandError(str(error)) from None
    except (OSError, ValueError) as error:
        if own is not None:
            raise CommandError(str(error)) from None
        say(f"skconf: error: {error}", file=sys.stderr)
        return 1
    how = {"preset": options.preset, "class weight": options.class_weight}
    if options.trials is not None:
        how["trials"] = f"{options.trials} instead of the preset's"
    write_report(options, csr_report(result, options.tables), how)
    n_rows = (len(datasets) if own is None else 1) * len(seeds) * (1 + len(estimators)) * len(options.calibration)
    return int(len(result) < n_rows)


def _estimators(places: list[str]) -> dict[str, Any]:
    """Return the user's own classifiers by their names."""
    estimators: dict[str, Any] = {}
    for place in dict.fromkeys(places):
        try:
            name, estimator = find_estimator(place)
        except ValueError as error:
            raise CommandError(str(error)) from None
        estimators[place if name in estimators else name] = estimator
    return estimators


def add_synthetic(names: Any) -> None:
    """Add the command for distributions that are known."""
    samples = {
        "type": whole_number(1),
        "nargs": "+",
        "default": [1000],
        "metavar": "N",
        "help": "samples of each profile (default: 1000)",
    }
    add_experiment(
        names,
        "csr-synthetic",
        "ten distributions of confidence in eight calibration modes (CSR paper, Tables 1, 3, 5, 8 to 11)",
        _synthetic,
        (("--samples", samples), "--repetitions", "--seed", "--jobs"),
        ("", "--samples 100 10000 100000 --html synthetic.html"),
    )


def _synthetic(options: argparse.Namespace) -> ExperimentReport:
    shared = {
        "n_repetitions": options.repetitions,
        "random_state": options.seed,
        "n_jobs": options.jobs,
        "progress": True,
    }
    cells = csr_synthetic_experiment(options.samples, **shared)
    areas = csr_synthetic_auc_experiment(**shared)
    sizes = " and ".join(f"{n:,}" for n in options.samples)
    data = f"simulated, {sizes} samples; for areas under ROC curves, 1,000 samples"
    return synthetic_report(cells, areas, {"data": data, **repeated(options)})
