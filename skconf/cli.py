"""The command line: ``python -m skconf …``."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from skconf.datasets import list_uci

_EPILOG = """\
examples:
  python -m skconf experiment csr
  python -m skconf experiment csr --data-home ~/uci --datasets diabetes wine adult_income --csv table6.csv
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, default=None
        Command-line arguments; None stands for those of the process.

    Returns
    -------
    int
        Exit status: 0, or 1 after an error that the user can mend (2, from argparse, for a wrong option).
    """
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (ValueError, OSError, ImportError) as error:
        print(f"skconf: error: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m skconf",
        description="Confidence-aware evaluation and selective classification.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    experiment = commands.add_parser("experiment", help="rerun an experiment of the papers")
    experiments = experiment.add_subparsers(title="experiments", required=True, metavar="NAME")
    csr = experiments.add_parser(
        "csr",
        help="XGBoost on real data: no calibration, isotonic, Platt (CSR paper, Table 6)",
        description="Train XGBoost, calibrate it, and print the columns of the CSR paper's Table 6, the paper's "
        "figures beside ours. Results go to standard output, progress to standard error.",
        epilog=f"data sets: {', '.join(list_uci())}",
    )
    csr.add_argument(
        "--datasets",
        nargs="+",
        default=["breast_cancer", "digits"],
        metavar="NAME",
        help="data sets to run (default: %(default)s, which need no download)",
    )
    csr.add_argument(
        "--calibration",
        nargs="+",
        default=["none", "isotonic", "platt"],
        metavar="NAME",
        help="calibrations to compare (default: %(default)s)",
    )
    csr.add_argument(
        "--data-home",
        type=Path,
        metavar="DIR",
        help="folder that holds the raw files under DIR/NAME/ (default: $SKCONF_DATA, else ~/skconf_data)",
    )
    csr.add_argument("--seed", type=int, default=0, help="seed of splits and of XGBoost (default: %(default)s)")
    csr.add_argument("--csv", type=Path, metavar="FILE", help="write the results to this file, too")
    csr.set_defaults(run=_run_csr)
    return parser


def _run_csr(options: argparse.Namespace) -> None:
    from skconf.experiments import csr_experiment, format_csr_table

    if options.csv is not None and not options.csv.parent.is_dir():
        raise FileNotFoundError(f"--csv {options.csv}: there is no folder {options.csv.parent}; create it.")
    table = csr_experiment(
        options.datasets,
        calibrations=options.calibration,
        data_home=options.data_home,
        seed=options.seed,
        progress=lambda line: print(line, file=sys.stderr, flush=True),
    )
    print(format_csr_table(table))
    if options.csv is not None:
        table.to_csv(options.csv, index=False)
        print(f"wrote {options.csv}", file=sys.stderr)
