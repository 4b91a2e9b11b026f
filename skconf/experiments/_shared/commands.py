"""Parsers, options and output that the commands of several papers use."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from skconf._core.command_options import one_of, output_file, whole_number
from skconf._core.messages import capitalized
from skconf._core.terminal import CommandError, line_width, say, write_file
from skconf.datasets import list_uci
from skconf.experiments._shared.own_file import read_own_file
from skconf.experiments._shared.report import ExperimentReport

STATUS = """\
Exit status: 0 on success; 1 if a part failed and the rest ran; 2 for a mistake in the command or its files; 130 after
Ctrl-C.
"""
_COMPARED = """\
The result has our values, the paper's values, and their difference in standard errors (s.e.), if comparable.
"""
#: The data set that experiments use by default.
DATASET = "digits"
#: Options of several experiments.
OPTIONS: dict[str, dict[str, Any]] = {
    "--predictions": {
        "type": Path,
        "metavar": "DIR",
        "help": "folder with files NAME_predictions.csv of your own models, or one such file, instead of the default "
        "models. If the folder has a file NAME_metrics.csv, its metrics at several thresholds are compared with ours",
    },
    "--repetitions": {"type": whole_number(2), "default": 100, "metavar": "N", "help": "repetitions (default: 100)"},
    "--dataset": {
        "type": one_of(list_uci(), "data set"),
        "metavar": "NAME",
        "help": f"data set (default: {DATASET}, which needs no files)",
    },
    "--models": {"type": whole_number(2), "default": 100, "metavar": "N", "help": "models to compare (default: 100)"},
    "--seed": {"type": whole_number(0), "default": 0, "metavar": "S", "help": "seed (default: 0)"},
    "--jobs": {
        "type": whole_number(1),
        "default": -1,
        "metavar": "N",
        "help": "processes (default: one for each core)",
    },
}


def add_experiment(
    names: Any,
    name: str,
    about: str,
    run: Callable[[argparse.Namespace], ExperimentReport],
    options: Sequence[str | tuple[str, Mapping[str, Any]]],
    examples: Sequence[str],
    *,
    estimator: str = "",
) -> None:
    """Add the command of an experiment.

    Each of the `options` is a flag in `OPTIONS` or, for this command alone, a flag with arguments of `add_argument`.
    The help shows the command with each of the `examples` as its arguments. If the command takes the user's own data,
    `estimator` says what the user's classifier is for.
    """
    description = f"{capitalized(about)}.\n\n{_COMPARED}\n{STATUS}"
    parser = new_command(names, name, about, partial(written, run), description, examples)
    for option in options:
        flag, details = (option, OPTIONS[option]) if isinstance(option, str) else option
        parser.add_argument(flag, **details)
    if "--dataset" in options:
        add_data_home(parser)
    if estimator:
        add_own(parser, estimator, several=False)
    add_output_files(parser, "every value, a row for each")


def written(run: Callable[[argparse.Namespace], ExperimentReport], options: argparse.Namespace) -> int:
    """Run an experiment, write its report, and return the exit status."""
    try:
        report = run(options)
    except KeyboardInterrupt:
        if "results" not in options:
            raise
        return interrupted(options)
    except (OSError, ValueError) as error:
        raise CommandError(str(error)) from None
    write_report(options, report)
    for reason in report.failed:
        say(f"skconf: {reason}", file=sys.stderr)
    return int(bool(report.failed))


def new_command(
    names: Any,
    name: str,
    about: str,
    run: Callable[[argparse.Namespace], int],
    description: str,
    examples: Sequence[str],
    before: str = "",
) -> argparse.ArgumentParser:
    """Return the parser of a new subcommand; its help ends with the text `before` and examples of arguments."""
    lines = "\n".join(f"  %(prog)s {example}".rstrip() for example in examples)
    parser: argparse.ArgumentParser = names.add_parser(
        name,
        help=about,
        description=description,
        epilog=f"{before}examples:\n{lines}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def cache_folder(name: str) -> Path:
    """Return the folder where a command keeps its results, unless the user names another one."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "skconf" / name


def add_results(parser: Any, name: str, what: str, again: str) -> None:
    """Add the options for the folder of kept results."""
    parser.add_argument(
        "--results",
        type=Path,
        default=cache_folder(name),
        metavar="DIR",
        help=f"folder in which {what} are kept (default: %(default)s)",
    )
    parser.add_argument("--no-results", action="store_true", help=f"do not keep {what}, and {again}")


def add_data_home(parser: Any) -> None:
    """Add the option for the folder of the raw files."""
    parser.add_argument(
        "--data-home",
        type=Path,
        metavar="DIR",
        help="folder that holds the raw files, under DIR/NAME/ (default: $SKCONF_DATA, else ~/skconf_data)",
    )


def add_own(parser: Any, estimator: str, *, several: bool) -> None:
    """Add the options for data and classifiers of the user's own."""
    parser.add_argument("--data", metavar="FILE", help="your own data instead: CSV or Parquet with a column of labels")
    parser.add_argument("--target", metavar="COLUMN", help="column of labels in --data; all other columns are features")
    parser.add_argument(
        "--estimator",
        metavar="MODULE:CLASS",
        nargs="+" if several else None,
        help=f"{estimator}: a class, or a function that returns a classifier, in an installed module or in MODULE.py "
        "in the current folder. A pipeline gets the columns unchanged. Other classifiers get numbers "
        "scaled to unit variance, and categories as columns of 0 and 1",
    )


def own_data(options: argparse.Namespace) -> Any:
    """Return the user's own data that the options name; None if there are none."""
    if options.data is None:
        if options.target is not None:
            raise CommandError("--target names a column of --data FILE. Pass --data, too.")
        return None
    try:
        return read_own_file(options.data, options.target)
    except (OSError, ValueError) as error:
        raise CommandError(str(error)) from None


def repeated(options: argparse.Namespace) -> dict[str, str]:
    """Return the repetitions and the seed, for the page."""
    return {"repetitions": f"{options.repetitions:,}", "seed": str(options.seed)}


def add_output_files(parser: Any, table: str) -> None:
    """Add the options for files to write; `table` says what the table of values holds."""
    parser.add_argument("--csv", type=output_file, metavar="FILE", help=f"write {table}")
    parser.add_argument("--markdown", type=output_file, metavar="FILE", help="write the tables as Markdown")
    page = "write a page with the result, pictures and tables"
    parser.add_argument("--html", type=output_file, metavar="FILE", help=page)


def write_report(options: argparse.Namespace, report: ExperimentReport, run: Mapping[str, str] | None = None) -> None:
    """Write the report of an experiment to the requested files, and then to the terminal.

    `run` has facts about the run, which the page shows in addition to the command.
    """
    write_file(options.csv, report.csv)
    write_file(options.markdown, report.markdown)
    write_file(options.html, lambda: report.page(options.command, run))
    say(report.text(line_width()))  # last, because the reader of a pipe may end early


def interrupted(options: argparse.Namespace) -> int:
    """After an interruption, say how to continue a command that keeps results; return the exit status."""
    then = "nothing was kept" if options.no_results else "run the same command again to continue"
    say(f"skconf: interrupted; {then}", file=sys.stderr)
    return 130
