"""Predictions of the models of the experiment, in files that other programs can read."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

import pandas as pd

from skconf.experiments._shared.kept import prepare_folder
from skconf.profile import ConfidenceProfile

#: The name of the file for the part that calibrations are fitted on.
VALIDATION = "validation"


class SavedPredictions:
    """A folder of predictions: DATASET/seed=SEED/CALIBRATION.csv.

    The names of the files are the names of the calibrations. Without a folder, nothing is saved.
    """

    def __init__(self, folder: str | PathLike[str] | None, calibrations: Iterable[str]) -> None:
        self.folder = None if folder is None else Path(folder).expanduser()
        if self.folder is None:
            return
        for name in calibrations:
            if Path(name).name != name or name == VALIDATION:
                raise ValueError(
                    f"calibrations contains the name {name!r}, which cannot be the name of a file. Rename it."
                )
        advice = "Choose another folder (save_predictions, or --save-predictions on the command line)."
        prepare_folder(self.folder, f"cannot save predictions in {self.folder}", advice)

    def save(self, dataset: str, seed: int, name: str, profile: ConfidenceProfile) -> None:
        """Write the labels and probabilities of a profile with all digits."""
        if self.folder is None:
            return
        folder = self.folder / dataset / f"seed={seed}"
        folder.mkdir(parents=True, exist_ok=True)
        labels = profile.require("classes")
        true_class, predicted_class = profile.require("true_class"), profile.require("predicted_class")
        table = pd.DataFrame({"y_true": labels[true_class], "y_pred": labels[predicted_class]})
        proba = pd.DataFrame(profile.proba.astype(float), columns=[f"proba_{label}" for label in labels])
        pd.concat([table, proba], axis=1).to_csv(folder / f"{name}.csv", index=False)
