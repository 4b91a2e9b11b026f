"""The tabular data sets of the calibrated size ratio paper, read from their archives' own files.

What is particular to a data set is an entry of `DATA_SETS`; the code below it knows no names.
"""

import importlib
import io
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.utils import Bunch

from skconf._messages import suggest

__all__ = ["fetch_uci", "list_uci"]


@dataclass(frozen=True, kw_only=True)
class Table:
    """How the files of a data set are laid out; several files share one layout."""

    columns: tuple[str, ...]  # all of them, in the order of the file
    target: str
    text: tuple[str, ...] = ()  # columns that hold words; every other column must hold numbers
    drop: tuple[str, ...] = ()
    separator: str = ","
    header: bool = True  # the first line names the columns
    skip_rows: int = 0  # lines above the header
    comment: str | None = None  # what follows it on a line is ignored
    missing: str | None = None  # the mark of a missing value; None: an empty cell is an error
    drop_incomplete: bool = False  # drop the rows with missing values
    target_suffix: str = ""  # cut from the labels


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """One data set: where it comes from, how to read it and what must come out."""

    name: str
    title: str
    classes: Mapping[int | str, int]  # rows of each class, after incomplete rows are dropped
    source: Table | Callable[..., Bunch]  # the layout of the files or, without files, scikit-learn's loader
    url: str
    citation: str
    licence: str = "CC BY 4.0"
    note: str = ""  # what a user must know to get or to use the files
    files: tuple[str, ...] = ()
    test_file: str | None = None  # the one of `files` that is the official test set
    n_test: int = 0

    @property
    def n_samples(self) -> int:
        """Number of rows used."""
        return sum(self.classes.values())


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


_ENTRIES = (
    DataSet(
        name="breast_cancer",
        title="Breast Cancer Wisconsin (Diagnostic)",
        classes={0: 212, 1: 357},
        url="https://archive.ics.uci.edu/dataset/17/breast+cancer+wisconsin+diagnostic",
        citation="Wolberg, Mangasarian, Street and Street (1993), doi:10.24432/C5DW2B",
        note="ships with scikit-learn; 0 is malignant",
        source=load_breast_cancer,
    ),
    DataSet(
        name="digits",
        title="Optical Recognition of Handwritten Digits (test part)",
        classes={0: 178, 1: 182, 2: 177, 3: 183, 4: 181, 5: 182, 6: 181, 7: 179, 8: 174, 9: 180},
        url="https://archive.ics.uci.edu/dataset/80/optical+recognition+of+handwritten+digits",
        citation="Alpaydin and Kaynak (1998), doi:10.24432/C50P49",
        note="ships with scikit-learn; not one of the paper's data sets",
        source=load_digits,
    ),
    DataSet(
        name="adult_income",
        title="Adult (Census Income)",
        classes={"<=50K": 34_014, ">50K": 11_208},
        url="https://archive.ics.uci.edu/dataset/2/adult",
        citation="Becker and Kohavi (1996), doi:10.24432/C5XW20",
        files=("adult.data", "adult.test"),
        test_file="adult.test",
        n_test=15_060,
        source=Table(
            columns=_names(
                "age, workclass, fnlwgt, education, education-num, marital-status, occupation, relationship,"
                "race, sex, capital-gain, capital-loss, hours-per-week, native-country, income"
            ),
            target="income",
            text=_names(
                "workclass, education, marital-status, occupation, relationship, race, sex, native-country,income"
            ),
            header=False,
            comment="|",
            missing="?",
            drop_incomplete=True,
            target_suffix=".",
        ),
    ),
    DataSet(
        name="bank_marketing",
        title="Bank Marketing (with social and economic context)",
        classes={"no": 36_548, "yes": 4_640},
        url="https://archive.ics.uci.edu/dataset/222/bank+marketing",
        citation="Moro, Cortez and Rita (2014), Decision Support Systems 62, doi:10.1016/j.dss.2014.03.001",
        note="the file is in bank-additional.zip, inside the archive's zip",
        files=("bank-additional-full.csv",),
        source=Table(
            columns=_names(
                "age, job, marital, education, default, housing, loan, contact, month, day_of_week, duration,"
                "campaign, pdays, previous, poutcome, emp.var.rate, cons.price.idx, cons.conf.idx, euribor3m,"
                "nr.employed, y"
            ),
            target="y",
            text=_names("job, marital, education, default, housing, loan, contact, month, day_of_week, poutcome, y"),
            separator=";",
        ),
    ),
    DataSet(
        name="credit",
        title="Default of Credit Card Clients",
        classes={0: 23_364, 1: 6_636},
        url="https://archive.ics.uci.edu/dataset/350/default+of+credit+card+clients",
        citation="Yeh and Lien (2009), Expert Systems with Applications 36(2), doi:10.24432/C55S3H",
        files=("default of credit card clients.xls",),
        source=Table(
            columns=_names(
                "ID, LIMIT_BAL, SEX, EDUCATION, MARRIAGE, AGE, PAY_0, PAY_2, PAY_3, PAY_4, PAY_5, PAY_6,"
                "BILL_AMT1, BILL_AMT2, BILL_AMT3, BILL_AMT4, BILL_AMT5, BILL_AMT6,"
                "PAY_AMT1, PAY_AMT2, PAY_AMT3, PAY_AMT4, PAY_AMT5, PAY_AMT6, default payment next month"
            ),
            target="default payment next month",
            drop=("ID",),
            skip_rows=1,
        ),
    ),
    DataSet(
        name="diabetes",
        title="Pima Indians Diabetes",
        classes={0: 500, 1: 268},
        url="https://www.openml.org/d/37",
        citation="Smith, Everhart, Dickson, Knowler and Johannes (1988), SCAMC, pp. 261-265",
        licence="public",
        note="comma-separated, no header; the last column is 1 where the source says tested_positive, else 0",
        files=("pima-indians-diabetes.csv",),
        source=Table(
            columns=_names("preg, plas, pres, skin, insu, mass, pedi, age, class"),
            target="class",
            header=False,
        ),
    ),
    DataSet(
        name="accelerometer",
        title="Accelerometer Gyro Mobile Phone",
        classes={0: 571, 1: 31_420},
        url="https://archive.ics.uci.edu/dataset/755/accelerometer+gyro+mobile+phone+dataset",
        citation="AlSahly (2022), Accelerometer Gyro Mobile Phone, UCI Machine Learning Repository",
        note="0 is standing, 1 is walking",
        files=("accelerometer_gyro_mobile_phone_dataset.csv",),
        source=Table(
            columns=_names("accX, accY, accZ, gyroX, gyroY, gyroZ, timestamp, Activity"),
            target="Activity",
            drop=("timestamp",),
        ),
    ),
    DataSet(
        name="obesity",
        title="Estimation of Obesity Levels Based On Eating Habits and Physical Condition",
        classes={
            "Insufficient_Weight": 272,
            "Normal_Weight": 287,
            "Obesity_Type_I": 351,
            "Obesity_Type_II": 297,
            "Obesity_Type_III": 324,
            "Overweight_Level_I": 290,
            "Overweight_Level_II": 290,
        },
        url="https://archive.ics.uci.edu/dataset/544/"
        "estimation+of+obesity+levels+based+on+eating+habits+and+physical+condition",
        citation="Palechor and de la Hoz Manotas (2019), Data in Brief 25, doi:10.24432/C5H31Z",
        files=("ObesityDataSet_raw_and_data_sinthetic.csv",),
        source=Table(
            columns=_names(
                "Gender, Age, Height, Weight, family_history_with_overweight, FAVC, FCVC, NCP, CAEC, SMOKE,"
                "CH2O, SCC, FAF, TUE, CALC, MTRANS, NObeyesdad"
            ),
            target="NObeyesdad",
            text=_names("Gender, family_history_with_overweight, FAVC, CAEC, SMOKE, SCC, CALC, MTRANS, NObeyesdad"),
        ),
    ),
    DataSet(
        name="wine",
        title="Wine Quality (red and white)",
        classes={3: 30, 4: 216, 5: 2_138, 6: 2_836, 7: 1_079, 8: 193, 9: 5},
        url="https://archive.ics.uci.edu/dataset/186/wine+quality",
        citation="Cortez, Cerdeira, Almeida, Matos and Reis (2009), Decision Support Systems 47(4), "
        "doi:10.24432/C56S3T",
        note="red wines first; the colour is not a feature",
        files=("winequality-red.csv", "winequality-white.csv"),
        source=Table(
            columns=_names(
                "fixed acidity, volatile acidity, citric acid, residual sugar, chlorides, "
                "free sulfur dioxide, total sulfur dioxide, density, pH, sulphates, alcohol, quality"
            ),
            target="quality",
            separator=";",
        ),
    ),
)
DATA_SETS: dict[str, DataSet] = {entry.name: entry for entry in _ENTRIES}


def list_uci() -> list[str]:
    """Name the data sets that `fetch_uci` knows.

    Returns
    -------
    list of str
        The names, in the order of the registry.

    Examples
    --------
    >>> from skconf.datasets import list_uci
    >>> "adult_income" in list_uci()
    True
    """
    return list(DATA_SETS)


def fetch_uci(name: str, data_home: str | os.PathLike[str] | None = None) -> Bunch:
    """Read one of the paper's data sets from the files of its archive.

    What was read is held against the known number of rows and of rows per class, so another version of
    a file, or a truncated one, is an error rather than another result.

    Parameters
    ----------
    name : str
        One of `list_uci()`.
    data_home : path-like, default=None
        Directory that holds one directory per data set, with the files under the names their archive
        uses: `DATA_HOME/adult_income/adult.data`. The default is the environment variable `SKCONF_DATA`
        or, where that is not set, `~/skconf_data`. Data sets that ship with scikit-learn need no files.

    Returns
    -------
    sklearn.utils.Bunch
        With the attributes

        data : pandas.DataFrame
            The features: numbers, or `category` for text. The categories are those of all rows, so
            training and test parts share them.
        target : pandas.Series
            The labels as the files give them.
        test_mask : ndarray of bool of shape (n_samples,), or None
            True in the rows of the official test set, where there is one.
        DESCR : str
            Title, source, citation and licence.
        name : str
            The name asked for.

    Raises
    ------
    FileNotFoundError
        If a file is missing; the message says where to get it and where to put it.
    ImportError
        If xlrd, which reads .xls files, is needed and not installed.
    ValueError
        If `name` is unknown, or the files are not the ones expected.

    Examples
    --------
    >>> from skconf.datasets import fetch_uci
    >>> cancer = fetch_uci("breast_cancer")
    >>> cancer.data.shape
    (569, 30)
    >>> cancer.target.value_counts().to_dict()
    {1: 357, 0: 212}
    """
    if name not in DATA_SETS:
        raise ValueError(f"Unknown data set {name!r}.{suggest(name, DATA_SETS)} Known: {', '.join(DATA_SETS)}.")
    data_set = DATA_SETS[name]
    if isinstance(data_set.source, Table):
        data, target, test_mask = _read_files(data_set, data_set.source, _data_home(data_home))
    else:
        loaded = data_set.source(as_frame=True)
        data, target, test_mask = loaded.data, loaded.target, None
        _check_counts(data_set, target, {"scikit-learn": len(target)})
    return Bunch(data=data, target=target, test_mask=test_mask, DESCR=_describe(data_set), name=name)


def _data_home(data_home: str | os.PathLike[str] | None) -> Path:
    return Path(data_home or os.environ.get("SKCONF_DATA") or "~/skconf_data").expanduser()


def _describe(data_set: DataSet) -> str:
    facts = {
        "Source": data_set.url,
        "Citation": data_set.citation,
        "Licence": data_set.licence,
        "Note": data_set.note,
    }
    return "\n".join([data_set.title, *(f"{key}: {fact}" for key, fact in facts.items() if fact)])


def _read_files(
    data_set: DataSet, table: Table, data_home: Path
) -> tuple[pd.DataFrame, pd.Series, NDArray[np.bool_] | None]:
    paths = [data_home / data_set.name / file for file in data_set.files]
    for path in paths:
        if not path.is_file():
            note = f" ({data_set.note})" if data_set.note else ""
            raise FileNotFoundError(
                f"The data set {data_set.name!r} needs the file {path}, which does not exist. Get it from "
                f"{data_set.url}{note}. To use files kept elsewhere, give the directory that holds "
                f"{data_set.name}/ as data_home (--data-home on the command line) or in the environment "
                "variable SKCONF_DATA."
            )
    frames = []
    for path in paths:
        try:
            frames.append(_read_file(path, table))
        except ValueError as error:
            raise ValueError(
                f"Cannot use {path}: {str(error).strip()}. Replace it by the file of that name from {data_set.url}."
            ) from error
    frame = pd.concat(frames, ignore_index=True)
    # Only now: categories taken file by file would differ between them.
    words = [column for column in table.text if column not in (table.target, *table.drop)]
    target = frame[table.target]
    data = frame.drop(columns=table.target).astype(dict.fromkeys(words, "category"))

    rows = {path.name: len(part) for path, part in zip(paths, frames, strict=True)}
    _check_counts(data_set, target, rows)
    if data_set.test_file is None:
        return data, target, None
    return data, target, np.repeat([file == data_set.test_file for file in rows], list(rows.values()))


def _read_file(path: Path, table: Table) -> pd.DataFrame:
    """Read one file; what is wrong with it is a ValueError that need not name the file."""
    read = _read_xls if path.suffix == ".xls" else _read_csv
    frame = read(path, table).drop(columns=list(table.drop))
    if table.drop_incomplete:
        frame = frame.dropna()
    for column in frame:
        cells = frame[column]
        if table.missing is None and cells.isna().any():
            raise ValueError(f"column {column!r} has empty cells")
        if column not in table.text and not pd.api.types.is_numeric_dtype(cells):
            frame[column] = pd.to_numeric(cells, errors="coerce")
            bad = cells[frame[column].isna() & cells.notna()]
            if len(bad):
                raise ValueError(f"column {column!r} must hold numbers, found {bad.iloc[0]!r}")
    if table.target_suffix:
        frame[table.target] = frame[table.target].str.removesuffix(table.target_suffix)
    return frame


def _read_csv(path: Path, table: Table) -> pd.DataFrame:
    options = {
        "sep": table.separator,
        "comment": table.comment,
        "skiprows": table.skip_rows,
        "skipinitialspace": True,
        "keep_default_na": False,  # words such as "None" or "NA" are categories like any other
    }
    first = pd.read_csv(path, header=None, nrows=1, dtype=str, **options).iloc[0].to_list()
    _check_columns(first, table)
    frame = pd.read_csv(
        path,
        names=list(table.columns),
        header=0 if table.header else None,
        dtype=dict.fromkeys(table.text, str),
        na_values=[table.missing or ""],
        low_memory=False,  # one dtype per column, not one per chunk
        **options,
    )
    # Where the first row is too long, pandas shifts all columns and takes the first ones for an index.
    if not isinstance(frame.index, pd.RangeIndex):
        raise ValueError(f"rows have more than {len(table.columns)} cells")
    return frame


def _read_xls(path: Path, table: Table) -> pd.DataFrame:
    # pandas reads .xls through xlrd too, but deprecates that.
    try:
        xlrd = importlib.import_module("xlrd")
    except ImportError as error:
        raise ImportError(f'Reading {path} needs the package xlrd: pip install "skconf[experiments]"') from error
    try:
        book = xlrd.open_workbook(path, logfile=io.StringIO())
        sheet = book.sheet_by_index(0)
        lines = [sheet.row_values(row) for row in range(table.skip_rows, sheet.nrows)]
    except Exception as error:  # a damaged file makes xlrd raise IndexError, struct.error and others
        raise ValueError(f"it is no readable .xls file ({error})") from error
    _check_columns(lines[0] if lines else [], table)

    def cell(value: object) -> object:
        if value in ("", table.missing):
            return None
        # The format stores whole numbers as floats.
        return int(value) if isinstance(value, float) and value.is_integer() else value

    rows = lines[1:] if table.header else lines
    return pd.DataFrame([[cell(value) for value in row] for row in rows], columns=list(table.columns))


def _check_columns(first: list[object], table: Table) -> None:
    """Check the first row of a file: its names or, where it has none, its length."""
    if not table.header:
        if len(first) != len(table.columns):
            raise ValueError(f"expected {len(table.columns)} columns without a header, found {len(first)}")
        return
    if first != list(table.columns):
        absent = [column for column in table.columns if column not in first]
        problem = f"missing columns: {absent}" if absent else "columns added, repeated or in another order"
        raise ValueError(f"{problem}; found columns: {first}; expected columns: {list(table.columns)}")


def _check_counts(data_set: DataSet, target: pd.Series, rows: Mapping[str, int]) -> None:
    counts = target.value_counts().sort_index().to_dict()
    problems = []
    if len(target) != data_set.n_samples:
        problems.append(f"{len(target):,} rows, expected {data_set.n_samples:,}")
    if data_set.test_file is not None and rows[data_set.test_file] != data_set.n_test:
        problems.append(f"{rows[data_set.test_file]:,} official test rows, expected {data_set.n_test:,}")
    if counts != data_set.classes:
        problems.append(f"rows per class {counts}, expected {dict(data_set.classes)}")
    if problems:
        per_file = ", ".join(f"{count:,} from {file}" for file, count in rows.items())
        raise ValueError(
            f"This is not the expected version of the data set {data_set.name!r}: found "
            f"{'; found '.join(problems)} (rows used: {per_file}). Replace {' and '.join(rows)} by the "
            f"originals from {data_set.url}."
        )
