"""The CWSA paper's experiments on predictions in a folder: the authors', and anybody's."""

import re
from collections.abc import Sequence
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
from skconf.tables._files import guess_columns, read_rows
from skconf.tables._paths import list_files
from skconf.tables._unreadable import UnreadableError

_PREDICTIONS = re.compile(r"(?P<name>.+)_predictions\..+", re.IGNORECASE)
#: The authors' repository says mnist_metrics.csv, and cifar_10_metrics.csv beside cifar10_predictions.csv.
_SWEEP = re.compile(r"(?P<name>.+?)(_authors)?_metrics\..+", re.IGNORECASE)
_IN_PAPER = ("mnist", "cifar10")
#: What to do where other commands have options that name columns.
_REMEDY = "Rename its columns to y_true, y_pred and confidence, or to correct and confidence."
_ROUNDING = 1e-12
_TRAPEZOID_NOTE = "the authors integrate the curve by trapezoids, with tied confidences in the order of the rows"


class Predictions(NamedTuple):
    """What a folder holds.

    Attributes
    ----------
    profiles : dict of str to ConfidenceProfile
        The predictions of each file that can be read, by its name.
    truth : dict of str to ndarray or None
        Their true labels as texts, if the file has them.
    printed : pandas.DataFrame
        The figures to compare them with: of the paper, and of the sweeps that lie beside them.
    read_as : list of str
        What the columns were taken for where their names are not the usual ones.
    failed : list of str
        Which files cannot be read, why, and what to do.
    """

    profiles: dict[str, ConfidenceProfile]
    truth: dict[str, Any]
    printed: pd.DataFrame
    read_as: list[str]
    failed: list[str]


def cwsa_predictions_experiment(folder: str | PathLike[str]) -> pd.DataFrame:
    """Sweep the threshold over predictions in files, beside the CWSA paper's figures and their authors' own sweeps.

    Parameters
    ----------
    folder : path-like
        Folder with files NAME_predictions.csv, also below it, or one file of any name. They have true labels, predicted
        labels and confidences, or another layout that :meth:`~skconf.ConfidenceReport.from_files` reads. A file
        NAME_metrics.csv or NAME_authors_metrics.csv has a sweep to compare with, in columns `Threshold`,
        `SelectiveAccuracy`, `CWSA`, `CWSA+`, `Coverage`, `ECE` and `AURC`. The paper has figures of "mnist" and
        "cifar10".

    Returns
    -------
    pandas.DataFrame of shape (n_cells, 9)
        A row for each figure: its `source`, `model`, `threshold` and `quantity`, and `ours`, `paper`, `standard_error`,
        `deviation` and `note` as in :func:`csr_synthetic_experiment`. Nothing is drawn at random: the standard error is
        0, and the deviation is 0 where the figures agree as far as they are printed, and infinite elsewhere. The
        figures of :func:`cwsa_sweep` follow, of every model, with nothing to compare.

    Raises
    ------
    FileNotFoundError
        If there is no file of predictions.
    ValueError
        If no file of predictions can be read.

    Warns
    -----
    UserWarning
        If a file cannot be read; the others are.

    See Also
    --------
    cwsa_stress_experiment : Label noise, imbalance and shift of the same predictions.
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
    """Read the predictions in a folder, and what there is to compare them with; see the experiment.

    Raises
    ------
    FileNotFoundError
        If there is no file of predictions.
    ValueError
        If none of them can be read.
    """
    files, sweeps = _files_in(Path(folder))
    found = Predictions({}, {}, pd.DataFrame(), [], [])
    printed = [printed_figures()]
    printed[0] = printed[0][printed[0]["model"].isin(_IN_PAPER)]
    for name, file in files.items():
        try:
            columns, words = guess_columns([file], Columns())
            rows = read_rows(file, columns)
        except (ValueError, OSError, ImportError) as error:
            found.failed.append(_without_folder(error, file))
            continue
        if rows is None:
            found.failed.append(f"left out {file.name}: there are no rows")
            continue
        found.profiles[name], found.truth[name] = rows.profile, rows.truth
        if words:
            found.read_as.append(f"{name}: {words}")
        for sweep in _beside(file, name, sweeps):
            try:
                printed.append(_sweep_figures(sweep, name))
            except (ValueError, OSError, ImportError) as error:
                found.failed.append(_without_folder(error, sweep))
    if not found.profiles:
        raise ValueError("none of the files of predictions can be read.\n" + "\n".join(found.failed))
    figures = pd.concat(printed, ignore_index=True)
    names = {bare_name(name): name for name in found.profiles}
    return found._replace(
        printed=figures.assign(model=figures["model"].map(lambda name: names.get(bare_name(name), name)))
    )


def predictions_cells(predictions: Predictions, sweep: CWSASweep) -> pd.DataFrame:
    """Return the figures of predictions beside the printed ones, then those of the sweep, as the experiment does."""
    found = []
    for model, profile in predictions.profiles.items():
        cells = predictions.printed[predictions.printed["model"] == model]
        ours = [metric_at(cell.quantity, cell.swept)(profile) for cell in cells.itertuples()]
        found.append(cells.assign(ours=ours, spread=0.0))
    key = ["model", "threshold"]
    ours_alone = pd.concat(
        [
            sweep.curves.melt(key, var_name="quantity", value_name="ours"),
            sweep.summary.reset_index().melt("model", var_name="quantity", value_name="ours"),
        ]
    ).assign(source="sweep", paper=np.nan, spread=0.0, resolution=0.0, note="")
    compared = [cells.drop(columns="swept") for cells in found if len(cells)]
    first = ["source", *key, "quantity"]
    whole = pd.concat([*compared, ours_alone], ignore_index=True)
    return compare_with_paper(whole[[*first, *whole.columns.difference(first, sort=False)]], 1)


def _files_in(folder: Path) -> tuple[dict[str, Path], dict[Path, str]]:
    """Return the files of predictions by their names, and the names of sweeps by their files."""
    if folder.is_file():
        match = _PREDICTIONS.fullmatch(folder.name)
        return {match["name"] if match else folder.name.partition(".")[0]: folder}, _sweeps(list_files(folder.parent))
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}")
    try:
        tables = list_files(folder)
    except FileNotFoundError:
        tables = []
    named = [(match["name"], file) for file in tables if (match := _PREDICTIONS.fullmatch(file.name))]
    if not named:
        raise FileNotFoundError(f"{folder} holds no file NAME_predictions.csv.")
    names = [name for name, _ in named]
    return {
        name if names.count(name) == 1 else file.relative_to(folder).as_posix(): file for name, file in named
    }, _sweeps(tables)


def _sweeps(tables: Sequence[Path]) -> dict[Path, str]:
    return {file: match["name"] for file in tables if (match := _SWEEP.fullmatch(file.name))}


def _beside(file: Path, name: str, sweeps: dict[Path, str]) -> list[Path]:
    """Return the sweeps of a model: those in its folder, or else those elsewhere."""
    match = _PREDICTIONS.fullmatch(file.name)
    wanted = bare_name(match["name"] if match else name)
    own = [sweep for sweep, of in sweeps.items() if bare_name(of) == wanted]
    return [sweep for sweep in own if sweep.parent == file.parent] or own


def _without_folder(error: Exception, file: Path) -> str:
    """Return why a file cannot be read, on one line, without options of other commands."""
    if isinstance(error, DataError):
        error.place, error.columns = file.name if isinstance(error, UnreadableError) else "", {}
        if error.kind in ("no predictions", "several readings"):
            error.advice = _REMEDY
    return f"left out {file.name}: {' '.join(str(error).replace(str(file), file.name).split())}"


def _sweep_figures(file: Path, model: str) -> pd.DataFrame:
    """Return the figures of an authors' sweep; calibration error and AURC stand in each of its rows."""
    names = {"Threshold": "threshold", "SelectiveAccuracy": "selective_accuracy", "CWSA": "cwsa", "CWSA+": "cwsa_plus"}
    names |= {"Coverage": "coverage", "ECE": "ece", "AURC": "aurc"}
    try:
        sweep = pd.read_csv(file, usecols=list(names)).rename(columns=names).astype(float)
    except ValueError as error:
        raise ValueError(f"cannot read a sweep, which needs the columns {', '.join(names)}: {error}") from error
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
