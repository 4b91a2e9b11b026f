"""What is no number is refused where numbers are needed, and what is written in two ways is two values."""

from decimal import Decimal
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


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (pd.to_timedelta([479_987_924] * 4, unit="ns"), "'0 days 00:00:00.479987924' in row 0"),
        (pd.date_range("2024-01-01", periods=4).astype("datetime64[ns]"), "'2024-01-01 00:00:00' in row 0"),
    ],
)
def test_days_and_durations_are_shown_as_such(values, shown, tmp_path):
    pytest.importorskip("pyarrow")
    table(weight=values).to_parquet(tmp_path / "a.parquet")
    for source in (tmp_path / "a.parquet", [table(weight=values)]):
        with pytest.raises(ValueError, match=f"column 'weight' has {shown}, where a number is needed"):
            accumulate(source, ["accuracy_score"], weight="weight")


LISTS = {"of decimals": [[Decimal("0.5")], [Decimal("0.7")]], "empty": [[], []], "of texts": [["a"], ["b"]]}


@pytest.mark.parametrize("values", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("column", ["confidence", "y_true"])
def test_lists_are_refused_where_one_entry_is_needed(values, column, tmp_path):
    pa = pytest.importorskip("pyarrow")
    columns = {"y_true": ["a", "b"], "y_pred": ["a", "b"], "confidence": [0.5, 0.7], "other": values, column: values}
    pa.parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    given = {"target": "y_true", "prediction": "y_pred", "confidence": "confidence"}
    for read in (ConfidenceReport.from_files, lambda file, **named: accumulate(file, "mean_confidence", **named)):
        with pytest.raises(ValueError, match=rf"a\.parquet: column '{column}' (is of type list|holds lists)"):
            read(tmp_path / "a.parquet", **given)
        with pytest.raises(ValueError, match=r"a\.parquet"):
            read(tmp_path / "a.parquet")  # whatever is guessed


def test_folders_of_01_and_of_1_are_two_groups(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    for day in ("01", "1", "7"):
        Path(f"day={day}").mkdir()
        table().to_csv(f"day={day}/a.csv", index=False)
    report = ConfidenceReport.from_files("day=*/*.csv", groups="day", metrics=["accuracy_score"])
    assert sorted(map(str, report.frame.index)) == ["01", "1", "7"]
    assert report.frame["count"].tolist() == [4, 4, 4]
