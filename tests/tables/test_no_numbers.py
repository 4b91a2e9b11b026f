"""What is no number is refused where numbers are needed, and what is written in two ways is two values."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceReport, accumulate

POSITIVE = np.array([0.2, 0.7, 0.9, 0.4])


def table(**columns):
    return pd.DataFrame({"y_true": [0, 1, 1, 0], "proba_0": 1 - POSITIVE, "proba_1": POSITIVE, **columns})


@pytest.mark.parametrize(
    "values",
    [
        pd.date_range("2024-01-01", periods=4),
        pd.date_range("2024-01-01", periods=4, tz="Europe/Berlin"),
        pd.to_timedelta([1, 2, 3, 4], unit="h"),
        pd.date_range("2024-01-01", periods=4).date,
    ],
    ids=["timestamps", "in a zone", "durations", "days"],
)
@pytest.mark.parametrize("as_frame", [False, True])
def test_days_and_durations_are_no_weights(values, as_frame, tmp_path):
    """They were nanoseconds: the first row then counted a little less than the last."""
    data = table(weight=values)
    if not as_frame:
        pytest.importorskip("pyarrow")
        data.to_parquet(tmp_path / "a.parquet")
        with pytest.raises(ValueError, match="weight") as refused:
            ConfidenceReport.from_files(tmp_path / "a.parquet", weight="weight")
    else:
        with pytest.raises(ValueError, match="weight") as refused:
            accumulate([data], ["accuracy_score"], weight="weight")
    assert (refused.value.column, refused.value.row) == ("weight", 0)


def test_folders_of_01_and_of_1_are_two_groups(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    for day in ("01", "1", "7"):
        Path(f"day={day}").mkdir()
        table().to_csv(f"day={day}/a.csv", index=False)
    report = ConfidenceReport.from_files("day=*/*.csv", groups="day", metrics=["accuracy_score"])
    assert sorted(map(str, report.frame.index)) == ["01", "1", "7"]
    assert report.frame["count"].tolist() == [4, 4, 4]
