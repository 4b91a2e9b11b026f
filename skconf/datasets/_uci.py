"""The data sets of the calibrated size ratio paper, read from the files of their archives."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from skconf._core.messages import suggest
from skconf.datasets._download import checksum, download
from skconf.datasets._readers import READERS
from skconf.datasets._registry import DATA_SETS, DataSet

__all__ = ["describe_uci", "fetch_uci", "list_uci"]


def list_uci() -> list[str]:
    """Return the names of the data sets that `fetch_uci` knows.

    Returns
    -------
    list of str
        The names in the order of the registry: first the two data sets of scikit-learn, then the others.

    Examples
    --------
    >>> from skconf.datasets import list_uci
    >>> list_uci()[:4]
    ['breast_cancer', 'digits', 'accelerometer', 'adult_income']
    """
    return list(DATA_SETS)


def describe_uci(data_home: str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """Describe each data set, and say whether its files are present.

    Parameters
    ----------
    data_home : path-like, default=None
        See :func:`fetch_uci`.

    Returns
    -------
    pandas.DataFrame of shape (n_data_sets, 6)
        A row for each data set, indexed by name. The columns are `rows` (number of rows that are used), `test_rows`
        (number of rows of the official test set, 0 if there is none), `classes` (number of classes), `files` ("at
        hand", "to download", "to get by hand" or "in scikit-learn"), `licence` and `page`.

    Examples
    --------
    >>> from skconf.datasets import describe_uci
    >>> describe_uci().loc["adult_income", ["rows", "test_rows", "classes"]].to_dict()
    {'rows': 45222, 'test_rows': 15060, 'classes': 2}
    """
    home = _data_home(data_home)
    rows = {
        name: {
            "rows": data_set.rows,
            "test_rows": data_set.test_rows,
            "classes": len(data_set.labels),
            "files": _whereabouts(data_set, home),
            "licence": data_set.licence,
            "page": data_set.page,
        }
        for name, data_set in DATA_SETS.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def fetch_uci(name: str, data_home: str | os.PathLike[str] | None = None, download_if_missing: bool = True) -> Bunch:
    """Load one of the CSR paper's data sets from its raw files. Missing files are downloaded.

    The numbers of rows, and of rows per class, are compared with the known numbers. So another version of a file, or a
    truncated file, raises an error instead of changing results.

    Parameters
    ----------
    name : str
        A name from `list_uci()`.
    data_home : path-like, default=None
        Directory with one directory for each data set. Files have the same names as in their archive, for example
        `DATA_HOME/adult_income/adult.data`. The default is the environment variable `SKCONF_DATA` or, if it is not set,
        `~/skconf_data`. The data sets of scikit-learn need no files.
    download_if_missing : bool, default=True
        Download missing files from their public archive, with progress on standard error, and check them. With False, a
        missing file is an error.

    Returns
    -------
    sklearn.utils.Bunch
        With the attributes

        data : pandas.DataFrame
            The features, as numbers, or as `category` for text. The categories are the values in all rows, so they are
            the same in training and test parts.
        target : pandas.Series
            The labels, as in the files.
        test_mask : ndarray of bool of shape (n_samples,), or None
            True for rows of the official test set. None if there is no official test set.
        DESCR : str
            Title, source, citation and licence.
        name : str
            The name of the data set.

    Raises
    ------
    FileNotFoundError
        If a file is missing and cannot be downloaded. The message says where to get it and where to put it.
    ImportError
        If xlrd, which reads .xls files, is needed but not installed.
    ValueError
        If `name` is unknown, or the files are not the expected ones. Files that this call downloaded are then renamed
        to end in ``.bad``.

    Examples
    --------
    >>> from skconf.datasets import fetch_uci
    >>> cancer = fetch_uci("breast_cancer")
    >>> cancer.data.shape
    (569, 30)
    >>> cancer.target.value_counts().to_dict()
    {1: 357, 0: 212}
    """
    data_set = find_data_set(name)
    folder = _data_home(data_home) / data_set.name
    paths = [folder / file.name for file in data_set.files]
    downloaded = []
    if not all(path.is_file() for path in paths):
        downloaded = _get_missing(data_set, folder, download_if_missing)
    try:
        return _read(data_set, paths)
    except ValueError as error:
        aside = _put_aside(downloaded)
        if aside:
            raise ValueError(f"{error} The downloaded files were renamed: {', '.join(map(str, aside))}.") from error
        raise


def _read(data_set: DataSet, paths: Sequence[Path]) -> Bunch:
    parts = READERS[data_set.format](data_set, paths)
    frame = pd.concat(parts.values(), ignore_index=True)
    data, target = frame.drop(columns=data_set.target), frame[data_set.target]
    # Do this last: categories taken file by file would differ between the files.
    data = data.astype(dict.fromkeys(data.select_dtypes(exclude="number"), "category"))

    rows = {file: len(part) for file, part in parts.items()}
    official = {file.name: file.test_rows for file in data_set.files if file.test_rows}
    _check_counts(data_set, target, rows, official)
    test_mask = np.repeat([file in official for file in rows], list(rows.values())) if official else None
    return Bunch(data=data, target=target, test_mask=test_mask, DESCR=_describe(data_set), name=data_set.name)


def find_data_set(name: str) -> DataSet:
    """Return a data set of the registry. If there is none of this name, raise, and suggest similar names."""
    if name not in DATA_SETS:
        raise ValueError(f"Unknown data set {name!r}.{suggest(name, DATA_SETS)} Known: {', '.join(DATA_SETS)}.")
    return DATA_SETS[name]


def changed_files(name: str, data_home: str | os.PathLike[str] | None = None) -> list[str]:
    """Return the files that are present but do not have their known checksum."""
    data_set = find_data_set(name)
    folder = _data_home(data_home) / name
    return [
        file.name
        for file in data_set.files
        if file.sha256 is not None and file.sha256 != checksum(folder / file.name, file.name)
    ]


def unchecked_files(name: str) -> dict[str, str]:
    """Return the files that have no known checksum, with the reasons."""
    return {file.name: file.no_sha256 for file in find_data_set(name).files if file.sha256 is None}


def _data_home(data_home: str | os.PathLike[str] | None) -> Path:
    return Path(data_home or os.environ.get("SKCONF_DATA") or "~/skconf_data").expanduser()


def _whereabouts(data_set: DataSet, home: Path) -> str:
    if not data_set.files:
        return "in scikit-learn"
    if all((home / data_set.name / file.name).is_file() for file in data_set.files):
        return "at hand"
    return "to download" if all(file.url for file in data_set.files) else "to get by hand"


def _put_aside(files: Sequence[Path]) -> list[Path]:
    """Rename files, so that the next call downloads them again instead of reading them."""
    return [file.replace(file.with_name(f"{file.name}.bad")) for file in files if file.is_file()]


def _get_missing(data_set: DataSet, folder: Path, download_if_missing: bool) -> list[Path]:
    """Download the files that are missing, and return them."""
    try:
        if download_if_missing:
            return download(data_set, folder)
        reason: object = "downloading is switched off"
    except OSError as error:  # also where the folder cannot be written to
        reason = error
    missing = [file.name for file in data_set.files if not (folder / file.name).is_file()]
    note = f" ({data_set.note})" if data_set.note else ""
    raise FileNotFoundError(
        f"The data set {data_set.name!r} needs {', '.join(missing)} in {folder}, but {reason}. Get it from "
        f"{data_set.page}{note}. If your files are in another place, give the directory that contains {data_set.name}/ "
        "as data_home (--data-home on the command line), or in the environment variable SKCONF_DATA."
    )


def _describe(data_set: DataSet) -> str:
    facts = {
        "Source": data_set.page,
        "Citation": data_set.citation,
        "Licence": data_set.licence,
        "Note": data_set.note,
    }
    return "\n".join([data_set.title, *(f"{key}: {fact}" for key, fact in facts.items() if fact)])


def _check_counts(data_set: DataSet, target: pd.Series, rows: Mapping[str, int], official: Mapping[str, int]) -> None:
    counts = target.value_counts().sort_index().to_dict()
    expected = dict(zip(data_set.labels, data_set.counts, strict=True)) if data_set.counts else None
    problems = []
    if len(target) != data_set.rows:
        problems.append(f"{len(target):,} rows, expected {data_set.rows:,}")
    problems += [
        f"{rows[file]:,} official test rows, expected {expected_rows:,}"
        for file, expected_rows in official.items()
        if rows[file] != expected_rows
    ]
    if expected is None:
        if tuple(counts) != data_set.labels:
            problems.append(f"labels {list(counts)}, expected {list(data_set.labels)}")
    elif counts != expected:
        problems.append(f"rows per class {counts}, expected {expected}")
    if problems:
        per_file = ", ".join(f"{count:,} from {file}" for file, count in rows.items())
        raise ValueError(
            f"This is not the expected version of the data set {data_set.name!r}: found "
            f"{'; found '.join(problems)} (rows used: {per_file}). Replace {' and '.join(rows)} with the "
            f"originals from {data_set.page}."
        )
