"""The CWSA paper's experiments on predictions in a folder: predictions of the authors, or your own."""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skconf._core.problems import DataError
from skconf._core.warn import warn
from skconf.experiments._cwsa.experiment import AT_THRESHOLD, OVERALL, CWSASweep, cwsa_sweep, metric_at, printed_figures
from skconf.experiments._shared.printed import bare_name, compare_with_paper, figures_of
from skconf.profile import ConfidenceProfile
from skconf.tables._columns import Columns
from skconf.tables._files import open_table
from skconf.tables._paths import list_files, stem
from skconf.tables._rows import guess_columns, read_rows
from skconf.tables._unreadable import UnreadableError

_PREDICTIONS = re.compile(r"(?P<name>.+)_predictions\..+", re.IGNORECASE)
#: The authors' repository has mnist_metrics.csv, but cifar_10_metrics.csv for cifar10_predictions.csv.
_SWEEP = re.compile(r"(?P<name>.+?)(_authors)?_metrics\..+", re.IGNORECASE)
_IN_PAPER = ("mnist", "cifar10")
#: The advice in place of options that name columns, which other commands have.
_REMEDY = "Rename its columns to 'y_true', 'y_pred' and 'confidence', or to 'correct' and 'confidence'."
_ROUNDING = 1e-12
_TRAPEZOID_NOTE = "the authors integrate by trapezoids, and take tied confidences in the order of the rows"


class Predictions(NamedTuple):
    """The predictions in a folder, and the printed values.

    Attributes
    ----------
    profiles : dict of str to ConfidenceProfile
        The predictions of each file that can be read, by its name.
    truth : dict of str to ndarray or None
        The true labels as texts, if the file has them.
    printed : pandas.DataFrame
        The values to compare with, from the paper and from sweeps in the folder.
    read_as : list of str
        How columns with unusual names were read.
    failed : list of str
        The files that cannot be read, with the reason and what to do.
    """

    profiles: dict[str, ConfidenceProfile]
    truth: dict[str, Any]
    printed: pd.DataFrame
    read_as: list[str]
    failed: list[str]


def cwsa_predictions_experiment(folder: str | PathLike[str]) -> pd.DataFrame:
    """Compute metrics at each threshold for predictions in files, and compare them with the CWSA paper's values.

    Parameters
    ----------
    folder : path-like
        Folder with files NAME_predictions.csv, also in subfolders, or one file of any name. The files have true labels,
        predicted labels and confidences, or other columns that :meth:`~skconf.ConfidenceReport.from_files` reads. To
        compare our values with values that were computed elsewhere, such as the authors' values at 20 thresholds, add a
        file NAME_metrics.csv or NAME_authors_metrics.csv. This file has a row for each threshold, and the columns
        `Threshold`, `SelectiveAccuracy`, `CWSA`, `CWSA+`, `Coverage`, `ECE` and `AURC`. The paper has values for
        "mnist" and "cifar10".

    Returns
    -------
    pandas.DataFrame of shape (n_cells, 9)
        A row for each value: its `source`, `model`, `threshold` and `quantity`, and `ours`, `paper`, `standard_error`,
        `deviation` and `note` as in :func:`csr_synthetic_experiment`. Nothing is drawn at random, so the standard error
        is 0. The deviation is 0 if the values agree in all printed digits, and infinite otherwise. The
        last rows are the results of :func:`cwsa_sweep` for every model. The paper prints nothing to compare them with.

    Raises
    ------
    FileNotFoundError
        If there is no file of predictions.
    ValueError
        If no file of predictions can be read.

    Warns
    -----
    UserWarning
        If a file cannot be read. The other files are read.

    See Also
    --------
    cwsa_stress_experiment : Label noise, imbalance and shift for the same predictions.
    cwsa_ranking_experiment : Whether areas under CWSA rank models.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from skconf.experiments import cwsa_predictions_experiment
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = pd.DataFrame({"y_true": [3, 8, 8], "y_pred": [3, 8, 0], "confidence": [0.9, 0.8, 0.7]})
    ...     rows.to_csv(Path(folder) / "mine_predictions.csv", index=False)
    ...     cells = cwsa_predictions_experiment(folder)
    >>> cells.query("threshold == 0.5")[["quantity", "ours"]].round(3)
                   quantity   ours
    0              coverage  1.000
    50   selective_accuracy  0.667
    100                cwsa  0.333
    150           cwsa_plus  0.467
    """
    predictions = read_predictions(folder)
    for reason in predictions.failed:
        warn(reason)
    return predictions_cells(predictions, cwsa_sweep(predictions.profiles))


def read_predictions(folder: str | PathLike[str]) -> Predictions:
    """Read the predictions in a folder, and the sweeps and printed values to compare them with."""
    files, tables = _files_in(Path(folder))
    predictions = Predictions({}, {}, printed_figures().query("model in @_IN_PAPER"), [], [])
    sweeps = []
    for name, file in files.items():
        try:
            table = open_table(file)
            columns, guessed = guess_columns([table], Columns())
            rows = read_rows(table, columns)
            if rows is None:
                raise ValueError("there are no rows")
        except (ValueError, OSError, ImportError) as error:
            predictions.failed.append(_left_out(file, error))
            continue
        predictions.profiles[name], predictions.truth[name] = rows.profile, rows.truth
        if guessed:
            predictions.read_as.append(f"{name}: {guessed}")
        for sweep in _sweeps_of(file, tables):
            try:
                sweeps.append(_sweep_figures(sweep, name))
            except (ValueError, OSError, ImportError) as error:
                predictions.failed.append(_left_out(sweep, error))
    if not predictions.profiles:
        raise ValueError("none of the files of predictions can be read.\n" + "\n".join(predictions.failed))
    # The names of the paper's models as in the files.
    spelled = {bare_name(name): name for name in predictions.profiles}
    printed = predictions.printed.assign(model=[spelled.get(name, name) for name in predictions.printed["model"]])
    return predictions._replace(printed=pd.concat([printed, *sweeps], ignore_index=True))


def predictions_cells(predictions: Predictions, sweep: CWSASweep) -> pd.DataFrame:
    """Return the values for predictions: first those that are printed somewhere, and then those of the sweep."""
    by_model = dict(list(predictions.printed.groupby("model", sort=False)))
    compared = [
        by_model[model].assign(
            ours=[metric_at(cell.quantity, cell.swept)(profile) for cell in by_model[model].itertuples()]
        )
        for model, profile in predictions.profiles.items()
        if model in by_model
    ]
    swept = pd.concat(
        [
            sweep.curves.melt(["model", "threshold"], var_name="quantity", value_name="ours"),
            sweep.summary.reset_index().melt("model", var_name="quantity", value_name="ours"),
        ]
    ).assign(source="sweep", paper=np.nan, resolution=0.0, note="")
    cells = pd.concat([*compared, swept], ignore_index=True).assign(spread=0.0)
    order = ["source", "model", "threshold", "quantity", "ours", "paper", "spread", "resolution", "note"]
    return compare_with_paper(cells[order], 1)


def _files_in(folder: Path) -> tuple[dict[str, Path], list[Path]]:
    """Return the files of predictions by their names, and all tables, which may include sweeps."""
    if folder.is_file():
        return {_name_of(folder): folder}, list_files(folder.parent)
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}")
    tables: list[Path] = []
    with suppress(FileNotFoundError):
        tables = list_files(folder)
    files = [file for file in tables if _PREDICTIONS.fullmatch(file.name)]
    if not files:
        raise FileNotFoundError(f"{folder} has no file NAME_predictions.csv.")
    count = Counter(map(_name_of, files))
    named = {
        _name_of(file) if count[_name_of(file)] == 1 else file.relative_to(folder).as_posix(): file for file in files
    }
    return named, tables


def _name_of(file: Path) -> str:
    """Return the name of a model from the name of its file of predictions."""
    match = _PREDICTIONS.fullmatch(file.name)
    return match["name"] if match else stem(file.name)


def _sweeps_of(file: Path, tables: Sequence[Path]) -> list[Path]:
    """Return the sweeps that belong to a file of predictions: those in its folder or, if there are none, others."""
    matches = [(table, _SWEEP.fullmatch(table.name)) for table in tables]
    name = bare_name(_name_of(file))
    sweeps = [table for table, match in matches if match and bare_name(match["name"]) == name]
    return [sweep for sweep in sweeps if sweep.parent == file.parent] or sweeps


def _left_out(file: Path, error: Exception) -> str:
    """Return one line that says why a file cannot be read; it names no folder and no options of other commands."""
    if isinstance(error, DataError):
        error.place, error.columns = file.name if isinstance(error, UnreadableError) else "", {}
        if error.kind in ("no predictions", "several readings"):
            error.advice = _REMEDY
        elif error.kind == "blank confidences":
            error.advice = "Leave these rows out."
        elif error.kind == "percentages":
            error.advice = "If the numbers are percentages, divide them by 100."
    elif isinstance(error, OSError):
        error.filename = error.filename and file.name
    text = f"left out {file.name}: {error}"
    return " ".join(text.split())


def _sweep_figures(file: Path, model: str) -> pd.DataFrame:
    """Return the values of an authors' sweep; take ECE and AURC once, because every row of the file repeats them."""
    names = {"Threshold": "threshold", "SelectiveAccuracy": "selective_accuracy", "CWSA": "cwsa", "CWSA+": "cwsa_plus"}
    names |= {"Coverage": "coverage", "ECE": "ece", "AURC": "aurc"}
    try:
        sweep = pd.read_csv(file, usecols=list(names)).rename(columns=names).astype(float)
    except ValueError as error:
        raise ValueError(
            f"cannot read the values to compare with. The file needs the columns {', '.join(names)}: {error}"
        ) from error
    outside = ~sweep["threshold"].between(0, 1, inclusive="left")
    if outside.any():
        row = int(outside.to_numpy().argmax())
        raise ValueError(f"Threshold must lie in [0, 1), but is {sweep['threshold'][row]} in row {row}")
    figures = pd.concat(
        [
            figures_of(sweep[["threshold", *AT_THRESHOLD]], ["threshold"]),
            figures_of(sweep[["threshold", *OVERALL]].head(1).assign(threshold=np.nan), ["threshold"]),
        ]
    )
    of_ranks = figures["quantity"] == "aurc"
    return figures.assign(
        source=file.name,
        model=model,
        swept=figures["threshold"],
        resolution=_ROUNDING,
        note=np.where(of_ranks, _TRAPEZOID_NOTE, ""),
    )
