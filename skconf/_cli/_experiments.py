"""``experiment``: the papers' experiments."""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from skconf import experiments
from skconf._cli import _csr
from skconf._cli._common import add_data_home, add_output_files, one_of, whole_number, write_file
from skconf.datasets import list_uci
from skconf.experiments._render import as_texts, markdown, page, table_html

#: Tables by title.
Tables = dict[str, pd.DataFrame]

_OPTIONS: dict[str, dict[str, Any]] = {
    "folder": {"type": Path, "help": "folder with NAME.scores.npy and NAME.targets.npy"},
    "--predictions": {
        "type": Path,
        "metavar": "DIR",
        "help": "folder with NAME_predictions.csv, to sweep instead of the simulated models",
    },
    "--samples": {
        "type": whole_number(1),
        "nargs": "+",
        "default": [1000],
        "metavar": "N",
        "help": "samples of each profile (default: 1000)",
    },
    "--repetitions": {"type": whole_number(2), "default": 100, "metavar": "N", "help": "repetitions (default: 100)"},
    "--dataset": {
        "type": one_of(list_uci(), "data set"),
        "default": "digits",
        "metavar": "NAME",
        "help": "data set (default: digits, which needs no files)",
    },
    "--models": {"type": whole_number(2), "default": 100, "metavar": "N", "help": "models to compare (default: 100)"},
    "--seed": {"type": whole_number(0), "default": 0, "metavar": "S", "help": "seed (default: 0)"},
    "--jobs": {"type": whole_number(1), "default": 1, "metavar": "N", "help": "processes (default: 1)"},
}


def _csr_synthetic(options: argparse.Namespace) -> Tables:
    shared = {"n_repetitions": options.repetitions, "seed": options.seed, "n_jobs": options.jobs}
    cells = experiments.csr_synthetic_experiment(options.samples, **shared)
    areas = experiments.csr_synthetic_auc_experiment(**shared)
    return {
        "Tables 5, 8 and 9": cells,
        "Table 3": experiments.csr_risk_extremes(cells),
        "Table 11": areas.areas,
        "Table 10": areas.counts,
        "Within 1, 2 and 3 standard errors": _agreement(cells),
    }


def _cwsa(options: argparse.Namespace) -> Tables:
    if options.predictions is not None:
        cells = experiments.cwsa_predictions_experiment(options.predictions)
        return {"Section 5.2": cells, "Within 1, 2 and 3 standard errors": _agreement(cells)}
    cells = experiments.cwsa_experiment(n_repetitions=options.repetitions, seed=options.seed)
    sweep = experiments.cwsa_sweep(seed=options.seed)
    return {
        "Tables 1 to 3 and Section 5": cells,
        "Within 1, 2 and 3 standard errors": _agreement(cells),
        "Areas over coverage": sweep.summary.reset_index(),
    }


def _ecuas(options: argparse.Namespace) -> Tables:
    cells = experiments.ecuas_experiment(options.folder, seed=options.seed, n_jobs=options.jobs)
    return {
        "Table 3": cells,
        "Within 1, 2 and 3 standard errors": _agreement(cells),
        "Sampled answers": experiments.ecuas_sampling_experiment(
            options.folder, seed=options.seed, n_jobs=options.jobs
        ),
    }


def _cf1(options: argparse.Namespace) -> Tables:
    shared = {"data_home": options.data_home, "seed": options.seed}
    variance = experiments.cf1_variance_experiment(options.dataset, **shared)
    return {
        "Agreement of pairs of models": experiments.cf1_agreement_experiment(
            options.dataset, n_models=options.models, n_jobs=options.jobs, **shared
        ),
        "Variance": variance.variances,
        "Differences of models": variance.contrasts,
    }


#: Every experiment but the one on real data: what makes its tables, what it is about, and its options.
_OTHERS: dict[str, tuple[Callable[[argparse.Namespace], Tables], str, tuple[str, ...]]] = {
    "csr-synthetic": (
        _csr_synthetic,
        "ten distributions of confidence in eight calibration modes (CSR paper, Tables 3, 5, 8 to 11)",
        ("--samples", "--repetitions", "--seed", "--jobs"),
    ),
    "cwsa": (
        _cwsa,
        "five simulated models, or predictions, over thresholds (CWSA paper, Tables 1 to 3)",
        ("--predictions", "--repetitions", "--seed"),
    ),
    "ecuas": (
        _ecuas,
        "classification systems, raw and calibrated, and sampled answers (ECUAS paper, Table 3, appendix B.1)",
        ("folder", "--seed", "--jobs"),
    ),
    "cf1": (
        _cf1,
        "variance of cPrecision, cRecall and cF1, and agreement of pairs of models (cF1 paper, Section 6)",
        ("--dataset", "--models", "--seed", "--jobs"),
    ),
}


def add_commands(commands: Any) -> None:
    """Add the command and its own commands."""
    experiment = commands.add_parser(
        "experiment",
        help="rerun an experiment of the papers",
        description="Rerun an experiment of the papers, and print their figures beside ours.",
    )
    names = experiment.add_subparsers(title="experiments", required=True, metavar="NAME")
    _csr.add_command(names)
    for name, (make, about, options) in _OTHERS.items():
        parser = names.add_parser(name, help=about, description=f"Print {about}.")
        parser.set_defaults(run=partial(_run, name, make))
        for option in options:
            parser.add_argument(option, **_OPTIONS[option])
        if "--dataset" in options:
            add_data_home(parser)
        add_output_files(parser, "the first table", "a page with the tables")


def _run(name: str, make: Callable[[argparse.Namespace], Tables], options: argparse.Namespace) -> int:
    try:
        tables = make(options)
    except (OSError, ValueError) as error:
        print(f"skconf: error: {error}", file=sys.stderr)
        return 1
    shown = {title: as_texts(table) for title, table in tables.items()}
    write_file(options.csv, lambda: str(next(iter(tables.values())).to_csv(index=False)))
    write_file(options.markdown, lambda: "\n".join(f"## {title}\n\n{markdown(part)}" for title, part in shown.items()))
    parts = [(title, table_html(part)) for title, part in shown.items()]
    write_file(options.html, lambda: page(f"Experiment {name}", "", parts))
    print("\n\n".join(f"{title}\n{table.to_string(index=False)}" for title, table in shown.items()))
    return 0


def _agreement(cells: pd.DataFrame) -> pd.DataFrame:
    return experiments.count_agreement(cells).reset_index()
