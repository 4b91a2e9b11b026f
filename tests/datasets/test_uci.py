"""The readers of the paper's data sets: on hand-written files always, on the archives' files where they are.

Set SKCONF_DATA to a directory with one directory of raw files per data set to run the second kind.
"""

import dataclasses
import functools
import gzip
import hashlib
import math
import os
import pickle
import re
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.multiclass import type_of_target

from skconf.datasets import _download, _registry, _uci
from skconf.datasets._readers import READERS
from skconf.datasets._registry import DATA_SETS
from skconf.datasets._uci import changed_files, describe_uci, fetch_uci, list_uci

DATA = os.environ.get("SKCONF_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="SKCONF_DATA, the directory of the raw files, is not set")


@functools.cache
def raw(name):
    if name == "credit":
        pytest.importorskip("xlrd")
    return fetch_uci(name, DATA, download_if_missing=False)


# Written out here rather than taken from the registry, which the test is to check: counted in the raw files
# with cut, sort and uniq. 45222 and 15060 are also in adult.names, the other rows on the archives' pages.
# Those of MNIST: zcat LABELS | tail -c +9 | od -An -v -tu1 -w1 | sort | uniq -c.
EXPECTED = {
    # name: (rows, numeric features, categorical features, official test rows, rows per class)
    "adult_income": (45222, 6, 8, 15060, {"<=50K": 22654 + 11360, ">50K": 7508 + 3700}),
    "bank_marketing": (41188, 10, 10, None, {"no": 36548, "yes": 4640}),
    "credit": (30000, 23, 0, None, {0: 23364, 1: 6636}),
    "diabetes": (768, 8, 0, None, {0: 500, 1: 268}),
    "accelerometer": (31991, 6, 0, None, {0: 571, 1: 31420}),
    "obesity": (
        2111,
        8,
        8,
        None,
        {
            "Insufficient_Weight": 272,
            "Normal_Weight": 287,
            "Overweight_Level_I": 290,
            "Overweight_Level_II": 290,
            "Obesity_Type_I": 351,
            "Obesity_Type_II": 297,
            "Obesity_Type_III": 324,
        },
    ),
    "mnist": (
        70000,
        784,
        0,
        10000,
        dict(enumerate([6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958])),
    ),
    # red + white
    "wine": (
        1599 + 4898,
        11,
        0,
        None,
        {3: 10 + 20, 4: 53 + 163, 5: 681 + 1457, 6: 638 + 2198, 7: 199 + 880, 8: 18 + 175, 9: 5},
    ),
}


@needs_data
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in {"mnist", "credit"} else []) for name in EXPECTED]
)
def test_the_archives_files(name):
    rows, n_numeric, n_categorical, n_test, classes = EXPECTED[name]
    bunch = raw(name)
    numeric = bunch.data.select_dtypes("number").columns
    categorical = bunch.data.select_dtypes("category").columns
    assert bunch.data.shape == (rows, n_numeric + n_categorical)
    assert (len(numeric), len(categorical)) == (n_numeric, n_categorical)
    assert not bunch.data.isna().any(axis=None)
    assert np.isfinite(bunch.data[numeric].to_numpy(float)).all()

    assert isinstance(bunch.target, pd.Series)
    assert bunch.target.name not in bunch.data.columns
    assert not bunch.target.isna().any()
    assert bunch.target.value_counts().to_dict() == classes
    assert pd.api.types.is_integer_dtype(bunch.target) or isinstance(bunch.target.iloc[0], str)
    assert type_of_target(bunch.target) == ("binary" if len(classes) == 2 else "multiclass")
    pd.testing.assert_index_equal(bunch.data.index, pd.RangeIndex(rows))
    pd.testing.assert_index_equal(bunch.target.index, pd.RangeIndex(rows))

    if n_test is None:
        assert bunch.test_mask is None
    else:
        assert bunch.test_mask.dtype == bool
        assert bunch.test_mask.shape == (rows,)
        assert bunch.test_mask.sum() == n_test
    assert bunch.name == name


# Copied by hand from the files. Rows count from 0 and over the files of a data set one after the other.
ROWS = {
    ("adult_income", 0): """39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family,
        White, Male, 2174, 0, 40, United-States, <=50K""",
    # The first row of adult.test.
    ("adult_income", 30162): """25, Private, 226802, 11th, 7, Never-married, Machine-op-inspct, Own-child,
        Black, Male, 0, 0, 40, United-States, <=50K""",
    ("adult_income", 45221): """35, Self-emp-inc, 182148, Bachelors, 13, Married-civ-spouse, Exec-managerial,
        Husband, White, Male, 0, 0, 60, United-States, >50K""",
    (
        "bank_marketing",
        0,
    ): """56, housemaid, married, basic.4y, no, no, no, telephone, may, mon, 261, 1, 999, 0,
        nonexistent, 1.1, 93.994, -36.4, 4.857, 5191, no""",
    ("credit", 0): """20000, 2, 2, 1, 24, 2, 2, -1, -1, -2, -2, 3913, 3102, 689, 0, 0, 0,
        0, 689, 0, 0, 0, 0, 1""",
    ("diabetes", 0): "6, 148, 72, 35, 0, 33.6, 0.627, 50, 1",
    ("diabetes", 767): "1, 93, 70, 31, 0, 30.4, 0.315, 23, 0",
    ("accelerometer", 0): "-0.496517, 3.785628, 8.954828, -0.142849, -0.126159, -0.022539, 1",
    ("accelerometer", 31990): "0.646356, 5.273683, 10.216704, -0.142294, -0.000884, 0.04897, 1",
    ("obesity", 0): """Female, 21, 1.62, 64, yes, no, 2, 3, Sometimes, no, 2, no, 0, 1, no,
        Public_Transportation, Normal_Weight""",
    ("wine", 0): "7.4, 0.7, 0, 1.9, 0.076, 11, 34, 0.9978, 3.51, 0.56, 9.4, 5",
    # The first white wine.
    ("wine", 1599): "7, 0.27, 0.36, 20.7, 0.045, 45, 170, 1.001, 3, 0.45, 8.8, 6",
}


@needs_data
@pytest.mark.parametrize(("name", "row"), ROWS)
def test_rows_read_as_they_stand_in_the_file(name, row):
    bunch = raw(name)
    found = [*bunch.data.iloc[row], bunch.target.iloc[row]]
    cells = [cell.strip() for cell in ROWS[name, row].split(",")]
    assert found == [cell if isinstance(value, str) else float(cell) for value, cell in zip(found, cells, strict=True)]


@needs_data
def test_adult_categories_span_both_files():
    bunch = raw("adult_income")
    country = bunch.data["native-country"]
    # One Dutch row, and that in adult.data: the test part must still know the category.
    assert (country == "Holand-Netherlands").sum() == 1
    assert not (country[bunch.test_mask] == "Holand-Netherlands").any()
    assert "Holand-Netherlands" in country[bunch.test_mask].cat.categories
    assert len(country.cat.categories) == 41
    assert "Never-worked" not in bunch.data["workclass"].cat.categories  # all of them are incomplete rows


# --- hand-written files -------------------------------------------------------------------------------------

ADULT_TRAIN = """\
39, State-gov, 77516, Bachelors, 13, Never-married, Sales, Husband, White, Male, 2174, 0, 40, Cuba, <=50K
50, ?, 83311, Bachelors, 13, Married-civ-spouse, Exec-managerial, Husband, White, Male, 0, 0, 13, Cuba, <=50K
38, Private, 215646, HS-grad, 9, Divorced, Sales, Not-in-family, White, Male, 0, 0, 40, Laos, >50K
28, Private, 338409, Masters, 14, Divorced, Sales, Wife, Black, Female, 0, 0, 40, Cuba, <=50K

"""
ADULT_TEST = """\
|1x3 Cross validator
25, Local-gov, 226802, 11th, 7, Never-married, Sales, Own-child, Black, Male, 0, 0, 40, Cuba, <=50K.
38, Private, 89814, HS-grad, 9, Divorced, Farming-fishing, Husband, White, Male, 0, 0, 50, Cuba, >50K.
"""
WINE_HEADER = ";".join(f'"{column}"' for column in DATA_SETS["wine"].table.columns) + "\n"
RED = WINE_HEADER + "7.4;0.7;0;1.9;0.076;11;34;0.9978;3.51;0.56;9.4;5\n7.8;0.88;0;2.6;0.1;25;67;1;3.2;0.68;9.8;5\n"
WHITE = WINE_HEADER + "7;0.27;0.36;20.7;0.045;45;170;1.001;3;0.45;8.8;6\n"


@pytest.fixture
def home(tmp_path):
    """A data home with a small adult_income (5 complete rows, 2 of them tests) and a small wine (3 rows)."""
    files = {
        "adult_income/adult.data": ADULT_TRAIN,
        "adult_income/adult.test": ADULT_TEST,
        "wine/winequality-red.csv": RED,
        "wine/winequality-white.csv": WHITE,
    }
    for file, text in files.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    return tmp_path


@pytest.fixture(autouse=True)
def no_environment(monkeypatch):
    """Neither the user's own data home nor the archives may leak into the tests that write their files."""
    monkeypatch.delenv("SKCONF_DATA", raising=False)

    def no_network(*args, **kwargs):
        raise OSError("no network here")

    monkeypatch.setattr(_download, "urlopen", no_network)


@pytest.fixture
def small(monkeypatch):
    """Let the registry expect the small files."""
    train, test = DATA_SETS["adult_income"].files
    files = (train, dataclasses.replace(test, test_rows=2))
    expect(monkeypatch, "adult_income", rows=5, counts=(3, 2), files=files)
    expect(monkeypatch, "wine", rows=3, labels=(5, 6), counts=(2, 1))


def expect(monkeypatch, name, **changes):
    """Change what the registry says of a data set."""
    monkeypatch.setitem(DATA_SETS, name, dataclasses.replace(DATA_SETS[name], **changes))


def write_files(home, name, *contents):
    """Write the files of a data set."""
    for file, content in zip(DATA_SETS[name].files, contents, strict=True):
        path = home / name / file.name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def edit(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1, "the edit must change the file, once"
    path.write_text(text.replace(old, new))


def test_adult_rules(home, small):
    bunch = fetch_uci("adult_income", home)
    assert bunch.data["age"].to_list() == [39, 38, 28, 25, 38]  # not the row with "?"
    assert bunch.target.to_list() == ["<=50K", ">50K", "<=50K", "<=50K", ">50K"]
    assert bunch.test_mask.tolist() == [False, False, False, True, True]
    workclass = bunch.data["workclass"]
    assert list(workclass.cat.categories) == ["Local-gov", "Private", "State-gov"]
    assert workclass.cat.codes.to_list() == [2, 1, 1, 0, 1]
    assert pd.api.types.is_integer_dtype(bunch.data["fnlwgt"])


def test_xgboost_takes_the_categories(home, small):
    xgboost = pytest.importorskip("xgboost")
    bunch = fetch_uci("adult_income", home)
    train, test = bunch.data[~bunch.test_mask], bunch.data[bunch.test_mask]
    for column in bunch.data.select_dtypes("category"):
        pd.testing.assert_index_equal(train[column].cat.categories, test[column].cat.categories)
    model = xgboost.XGBClassifier(n_estimators=2, enable_categorical=True, n_jobs=1)
    model.fit(train, (bunch.target[~bunch.test_mask] == ">50K").astype(int))
    # "Local-gov" is in the test rows only; without shared categories this raises or recodes.
    assert model.predict_proba(test).shape == (2, 2)


def test_several_files_are_one_table(home, small):
    bunch = fetch_uci("wine", home)
    assert bunch.data["alcohol"].to_list() == [9.4, 9.8, 8.8]
    assert bunch.target.to_list() == [5, 5, 6]
    assert bunch.data.index.to_list() == bunch.target.index.to_list() == [0, 1, 2]
    assert bunch.test_mask is None


def test_dropped_columns_may_hold_anything(tmp_path, monkeypatch):
    header = ",".join(DATA_SETS["accelerometer"].table.columns)
    # The archive's file has one such date among its times.
    lines = f"{header}\n1,2,3,4,5,6.5,34:22.9,1\n1,2,3,4,5,6,6/25/2022 14:05,0\n"
    write_files(tmp_path, "accelerometer", lines)
    expect(monkeypatch, "accelerometer", rows=2, counts=(1, 1))
    bunch = fetch_uci("accelerometer", tmp_path)
    assert list(bunch.data.columns) == ["accX", "accY", "accZ", "gyroX", "gyroY", "gyroZ"]
    assert bunch.data["gyroZ"].to_list() == [6.5, 6]


def test_two_reads_agree(home, small):
    one, other = fetch_uci("adult_income", home), fetch_uci("adult_income", str(home))
    pd.testing.assert_frame_equal(one.data, other.data)
    pd.testing.assert_series_equal(one.target, other.target)


def test_where_the_files_are_looked_for(home, small, tmp_path_factory, monkeypatch):
    empty = tmp_path_factory.mktemp("empty")
    monkeypatch.setenv("HOME", str(empty))
    monkeypatch.setenv("USERPROFILE", str(empty))
    with pytest.raises(FileNotFoundError) as error:
        fetch_uci("wine")
    assert f"winequality-red.csv, winequality-white.csv in {empty / 'skconf_data' / 'wine'}" in str(error.value)

    monkeypatch.setenv("SKCONF_DATA", str(home))
    assert len(fetch_uci("wine").data) == 3
    with pytest.raises(FileNotFoundError):
        fetch_uci("wine", empty)  # the argument wins

    home.rename(empty / "data")
    assert len(fetch_uci("wine", "~/data").data) == 3


# --- errors -------------------------------------------------------------------------------------------------


def test_unknown_name():
    with pytest.raises(ValueError, match=r"Unknown data set 'adult'.*Did you mean 'adult_income'") as error:
        fetch_uci("adult")
    for name in list_uci():
        assert name in str(error.value)
    with pytest.raises(ValueError, match=r"Unknown data set 'qqq'. Known: breast_cancer"):
        fetch_uci("qqq")


@pytest.mark.parametrize("file", ["adult.data", "adult.test"])
def test_missing_file(home, small, file):
    path = home / "adult_income" / file
    path.unlink()
    with pytest.raises(FileNotFoundError) as error:
        fetch_uci("adult_income", home)
    folder, entry = home / "adult_income", DATA_SETS["adult_income"]
    for part in (
        f"needs {file} in {folder}",
        entry.page,
        entry.files[0].url,
        "SKCONF_DATA",
        "--data-home",
        "data_home",
    ):
        assert part in str(error.value)
    assert "no network here" in str(error.value)
    with pytest.raises(FileNotFoundError, match="downloading is switched off"):
        fetch_uci("adult_income", home, download_if_missing=False)


@pytest.mark.parametrize(
    ("name", "note"),
    [("diabetes", "no header"), ("bank_marketing", "bank-additional.zip"), ("higgs_boson", "registered users")],
)
def test_missing_file_tells_what_the_source_page_does_not(tmp_path, name, note):
    with pytest.raises(FileNotFoundError, match=note):
        fetch_uci(name, tmp_path)


def test_rows_lost(home, small):
    path = home / "wine" / "winequality-red.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(ValueError, match="not the expected version of the data set 'wine'") as error:
        fetch_uci("wine", home)
    message = str(error.value)
    assert "2 rows, expected 3" in message
    assert "rows per class {5: 1, 6: 1}, expected {5: 2, 6: 1}" in message
    assert "1 from winequality-red.csv, 1 from winequality-white.csv" in message
    assert f"originals from {DATA_SETS['wine'].page}" in message


def test_the_real_counts_are_demanded(home):
    with pytest.raises(ValueError, match="found 5 rows, expected 45,222; found 2 official test rows, expected 15,060"):
        fetch_uci("adult_income", home)


def test_labels_changed(home, small):
    edit(home / "wine" / "winequality-white.csv", "8.8;6", "8.8;7")
    with pytest.raises(ValueError, match=r"found rows per class \{5: 2, 7: 1\}, expected \{5: 2, 6: 1\}"):
        fetch_uci("wine", home)


def test_row_in_the_wrong_file(home, small):
    train, test = home / "adult_income" / "adult.data", home / "adult_income" / "adult.test"
    moved = test.read_text().splitlines()[-1]
    edit(test, moved, "")
    edit(train, "Cuba, <=50K\n\n", f"Cuba, <=50K\n{moved}\n")
    with pytest.raises(ValueError, match="'adult_income': found 1 official test rows, expected 2 "):
        fetch_uci("adult_income", home)


RED_FILE, WHITE_FILE = "wine/winequality-red.csv", "wine/winequality-white.csv"
DAMAGE = {
    "renamed column": (WHITE_FILE, '"pH"', '"acidity"', r"missing columns: \['pH'\].*'acidity'"),
    "column added": (RED_FILE, '"quality"\n', '"quality";"hue"\n', "columns added.*'hue'"),
    "other order": (RED_FILE, '"pH";"sulphates"', '"sulphates";"pH"', "in another order"),
    "other separator": (RED_FILE, WINE_HEADER, WINE_HEADER.replace(";", ","), "missing columns"),
    "header lost": (RED_FILE, WINE_HEADER, "", r"missing columns.*found columns: \['7.4'"),
    "row cut short": (WHITE_FILE, ";0.45;8.8;6", ";0.45;8.8", "column 'quality' has empty cells"),
    "rows too long": (WHITE_FILE, "8.8;6", "8.8;6;6", "rows have more than 12 cells"),
    "one row too long": (RED_FILE, "9.8;5", "9.8;5;5", "Expected 12 fields in line 3, saw 13"),
    "word for a number": (WHITE_FILE, "0.36", "low", "column 'citric acid' must hold.*'low'"),
    "undeclared marker": (WHITE_FILE, "0.36", "NA", "column 'citric acid' must hold.*'NA'"),
    "column lost": ("adult_income/adult.data", "39, State-gov,", "39,", "expected 15 columns.*found 14"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_file(home, small, damage):
    file, old, new, message = DAMAGE[damage]
    name = file.split("/")[0]
    edit(home / file, old, new)
    with pytest.raises(ValueError, match=message) as error:
        fetch_uci(name, home)
    assert str(home / file) in str(error.value)
    assert f"Replace it with the file of that name from {DATA_SETS[name].page}" in str(error.value)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00\xd8"], ids=["empty", "binary"])
def test_unreadable_csv(home, small, content):
    path = home / "wine" / "winequality-red.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"Cannot use .*winequality-red.csv.*Replace it"):
        fetch_uci("wine", home)


@pytest.fixture
def credit_file(tmp_path):
    path = tmp_path / "credit" / DATA_SETS["credit"].files[0].name
    path.parent.mkdir()
    return path


@pytest.mark.parametrize("content", [b"", b"ID,LIMIT_BAL\n1,2\n", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600)])
def test_unreadable_xls(credit_file, content, capfd):
    pytest.importorskip("xlrd")
    credit_file.write_bytes(content)
    with pytest.raises(ValueError, match=r"Cannot use .*credit card clients.xls: it is not a readable .xls file"):
        fetch_uci("credit", credit_file.parents[1])
    assert capfd.readouterr().out == ""


@pytest.fixture
def workbook(credit_file, monkeypatch):
    """The rows of a workbook: a stand-in for xlrd hands them out, as pandas cannot write .xls."""
    names = list(DATA_SETS["credit"].table.columns)
    codes = ["", *(f"X{i}" for i in range(1, 24)), "Y"]
    rows = [codes, names, [1.0, 20000.5, *[2.0] * 22, 1.0], [2.0, 120000.0, *[-1.0] * 22, 0.0]]

    def open_workbook(path, logfile=None):
        assert path == credit_file
        print("WARNING *** file size", file=logfile)  # as xlrd does; None is standard output
        sheet = SimpleNamespace(nrows=len(rows), row_values=rows.__getitem__)
        return SimpleNamespace(sheet_by_index=[sheet].__getitem__)

    credit_file.write_bytes(b"")
    monkeypatch.setitem(sys.modules, "xlrd", SimpleNamespace(open_workbook=open_workbook))
    expect(monkeypatch, "credit", rows=2, counts=(1, 1))
    return rows


def test_credit_rules(credit_file, workbook, capfd):
    workbook[3][5] = "31"  # a number that was typed as text
    bunch = fetch_uci("credit", credit_file.parents[1])
    assert bunch.data.columns[0] == "LIMIT_BAL"
    assert bunch.data["LIMIT_BAL"].to_list() == [20000.5, 120000]
    assert bunch.data["AGE"].to_list() == [2, 31]
    assert bunch.target.to_list() == [1, 0]
    # Whole numbers, though the format stores floats.
    assert pd.api.types.is_integer_dtype(bunch.target)
    assert pd.api.types.is_integer_dtype(bunch.data["PAY_AMT6"])
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("row", "column", "value", "message"),
    [
        (1, 24, "default", r"missing columns: \['default payment next month'\]; found columns.*'default'"),
        (3, 5, "", "column 'AGE' has empty cells"),
        (3, 5, "old", "column 'AGE' must hold numbers, found 'old'"),
    ],
)
def test_damaged_xls(credit_file, workbook, row, column, value, message):
    workbook[row][column] = value
    with pytest.raises(ValueError, match=message) as error:
        fetch_uci("credit", credit_file.parents[1])
    assert str(credit_file) in str(error.value)


def test_xlrd_missing(credit_file, monkeypatch):
    credit_file.write_bytes(b"")
    monkeypatch.setitem(sys.modules, "xlrd", None)
    with pytest.raises(ImportError, match="pip install xlrd"):
        fetch_uci("credit", credit_file.parents[1])


# --- other layouts --------------------------------------------------------------------------------------------


def test_missing_ratios_of_the_liver_patients_stay_missing(tmp_path, monkeypatch):
    lines = "65,Female,0.7,0.1,187,16,18,6.8,3.3,0.9,1\n62,Male,10.9,5.5,699,64,100,7.5,3.2,,2\n"
    write_files(tmp_path, "liver", lines)
    expect(monkeypatch, "liver", rows=2, counts=(1, 1))
    bunch = fetch_uci("liver", tmp_path)
    assert bunch.data["A/G"].isna().to_list() == [False, True]
    assert bunch.data["Gender"].cat.categories.to_list() == ["Female", "Male"]
    assert bunch.target.to_list() == [1, 2]


def test_arff(tmp_path, monkeypatch):
    names = DATA_SETS["phishing"].table.columns
    lines = ["@relation phishing", "", *(f"@attribute {name}  {{ -1,1 }}" for name in names), "", "@data"]
    write_files(tmp_path, "phishing", "\n".join([*lines, ",".join(["-1"] * 31), ",".join(["0"] * 30 + ["1"])]))
    expect(monkeypatch, "phishing", rows=2, counts=(1, 1))
    bunch = fetch_uci("phishing", tmp_path)
    assert bunch.data.to_numpy().tolist() == [[-1] * 30, [0] * 30]
    assert bunch.target.to_list() == [-1, 1]


def test_compressed_table(tmp_path, monkeypatch):
    line = ",".join(["7"] * 54 + ["2"]) + "\n"
    write_files(tmp_path, "covertype", gzip.compress(line.encode()))
    expect(monkeypatch, "covertype", rows=1, labels=(2,), counts=(1,))
    bunch = fetch_uci("covertype", tmp_path)
    assert bunch.data.to_numpy().tolist() == [[7] * 54]
    write_files(tmp_path, "covertype", gzip.compress(line.encode())[:-5])
    with pytest.raises(ValueError, match=r"Cannot use .*covtype.data.gz"):
        fetch_uci("covertype", tmp_path)


def test_names_may_come_from_the_header(tmp_path, monkeypatch):
    header = [f"android.permission.P{number}" for number in range(86)]
    lines = [",".join([*header, "Result"]), ",".join(["0"] * 87), ",".join(["1"] * 87)]
    write_files(tmp_path, "naticusdroid", "\n".join(lines))
    expect(monkeypatch, "naticusdroid", rows=2)
    assert fetch_uci("naticusdroid", tmp_path).data.columns.to_list() == header
    write_files(tmp_path, "naticusdroid", "\n".join([*lines[:2], lines[1]]))
    with pytest.raises(ValueError, match=r"found labels \[0\], expected \[0, 1\]"):
        fetch_uci("naticusdroid", tmp_path)
    write_files(tmp_path, "naticusdroid", "\n".join([",".join(header), *lines[1:]]))
    with pytest.raises(ValueError, match="expected 87 columns, one of them 'Result', found 86"):
        fetch_uci("naticusdroid", tmp_path)


def idx(array):
    """Write an array in the format of MNIST."""
    lengths = b"".join(length.to_bytes(4, "big") for length in array.shape)
    return gzip.compress(bytes([0, 0, 8, array.ndim]) + lengths + array.astype(np.uint8).tobytes())


@pytest.fixture
def digits(tmp_path, monkeypatch):
    """A small MNIST: three training images of 2 × 2 pixels and one test image."""
    pixels = np.arange(16).reshape(4, 2, 2)
    contents = [idx(pixels[:3]), idx(np.array([7, 2, 1])), idx(pixels[3:]), idx(np.array([7]))]
    write_files(tmp_path, "mnist", *contents)
    files = DATA_SETS["mnist"].files
    files = (*files[:2], dataclasses.replace(files[2], test_rows=1), files[3])
    expect(monkeypatch, "mnist", rows=4, labels=(1, 2, 7), counts=(1, 1, 2), files=files)
    return tmp_path


def test_mnist_format(digits):
    bunch = fetch_uci("mnist", digits)
    assert bunch.data.to_numpy().tolist() == np.arange(16).reshape(4, 4).tolist()
    assert bunch.target.to_list() == [7, 2, 1, 7]
    assert bunch.test_mask.tolist() == [False, False, False, True]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (idx(np.zeros(2)), "there are 3 images, but 2 labels"),
        (
            gzip.compress(b"\x00\x00\x08\x01\x00\x00\x00\x03\x00", mtime=0),
            r"says an array of shape \(3,\), but the file has 1 val",
        ),
        (gzip.compress(b"no idx at all", mtime=0), "not an idx file of unsigned bytes"),
        (b"not even compressed", "Not a gzipped file"),
        (idx(np.zeros(3))[:-9], "Cannot use .*ended before"),
    ],
    ids=["labels", "shape", "format", "compression", "end"],
)
def test_damaged_mnist(digits, content, message):
    (digits / "mnist" / "train-labels-idx1-ubyte.gz").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        fetch_uci("mnist", digits)


def test_checksum_is_that_of_the_content(digits, monkeypatch):
    path = digits / "mnist" / "train-labels-idx1-ubyte.gz"
    content = gzip.decompress(path.read_bytes())
    files = [dataclasses.replace(file, sha256=None) for file in DATA_SETS["mnist"].files]
    files[1] = dataclasses.replace(files[1], sha256=hashlib.sha256(content).hexdigest())
    expect(monkeypatch, "mnist", files=tuple(files))
    path.write_bytes(gzip.compress(content, compresslevel=1, mtime=5))
    assert changed_files("mnist", digits) == []
    path.write_bytes(gzip.compress(content[:-1] + b"\x02"))
    assert changed_files("mnist", digits) == [path.name]


@pytest.fixture
def images(tmp_path, monkeypatch):
    """A small CIFAR-10: two images in every batch."""
    for number, file in enumerate(DATA_SETS["cifar10"].files):
        path = tmp_path / "cifar10" / file.name
        path.parent.mkdir(exist_ok=True)
        batch = {b"data": np.full((2, 3072), number, dtype=np.uint8), b"labels": [0, 9], b"batch_label": b"x"}
        path.write_bytes(pickle.dumps(batch, protocol=3))
    files = DATA_SETS["cifar10"].files
    files = (*files[:5], dataclasses.replace(files[5], test_rows=2))
    expect(monkeypatch, "cifar10", rows=12, labels=(0, 9), counts=(6, 6), files=files)
    return tmp_path


def test_cifar_format(images):
    bunch = fetch_uci("cifar10", images)
    assert bunch.data.shape == (12, 3072)
    assert bunch.data["pixel3071"].to_list() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert bunch.target.to_list() == [0, 9] * 6
    assert bunch.test_mask.tolist() == [False] * 10 + [True] * 2


class Malice:
    def __reduce__(self):
        return exec, ("raise SystemExit('the pickle ran code')",)


@pytest.mark.parametrize(
    ("batch", "message"),
    [(Malice(), "loads builtins.exec"), ([1, 2], "not hold a dictionary"), ({b"data": 1}, "not hold a dictionary")],
)
def test_a_pickle_runs_no_code(images, batch, message):
    (images / "cifar10" / "data_batch_3").write_bytes(pickle.dumps(batch, protocol=3))
    with pytest.raises(ValueError, match=rf"Cannot use .*data_batch_3: .*{message}"):
        fetch_uci("cifar10", images)


# --- registry -----------------------------------------------------------------------------------------------


# The number of rows used and the size of the test part, as they follow from the paper's tables: 1e8/n for an error
# of full confidence, and whole numbers for accuracy times n.
USED = {
    "accelerometer": (31_991, 6_399),
    "adult_income": (45_222, 15_060),
    "bank_marketing": (41_188, 8_238),
    "breast_cancer": (569, 114),
    "cifar10": (60_000, 10_000),
    "covertype": (581_012, 116_203),
    "credit": (30_000, 6_000),
    "diabetes": (768, 154),
    "higgs_boson": (250_000, 50_000),
    "liver": (583, 117),
    "mnist": (70_000, 10_000),
    "naticusdroid": (29_332, 5_867),
    "obesity": (2_111, 423),
    "phishing": (11_055, 2_211),
    "wine": (6_497, 1_300),
}


@pytest.mark.parametrize("name", USED)
def test_rows_are_those_the_paper_used(name):
    entry = DATA_SETS[name]
    rows, n_test = USED[name]
    assert entry.rows == rows
    assert n_test == (entry.test_rows or math.ceil(rows / 5))


@pytest.mark.parametrize(("name", "shape", "first"), [("breast_cancer", (569, 30), 17.99), ("digits", (1797, 64), 0.0)])
def test_data_sets_without_files(name, shape, first):
    bunch = fetch_uci(name, "no such directory")
    assert bunch.data.shape == shape
    assert bunch.data.iloc[0, 0] == first
    assert bunch.target.shape == shape[:1]
    assert bunch.test_mask is None


@pytest.mark.parametrize("name", list_uci())
def test_entries_are_complete(name):
    entry = DATA_SETS[name]
    assert entry.name == name
    assert entry.title
    assert entry.citation
    assert entry.licence
    assert entry.page.startswith("https://")
    assert list(entry.labels) == sorted(entry.labels)
    assert not entry.counts or sum(entry.counts) == entry.rows
    assert entry.format in READERS
    assert (entry.format == "table") == (entry.table is not None)
    assert bool(entry.files) == (entry.format != "scikit-learn")
    for file in entry.files:
        assert file.url is None or file.url.startswith("https://")
        assert re.fullmatch("[0-9a-f]{64}", file.sha256) if file.sha256 else file.no_sha256
    table = entry.table
    if table is None or isinstance(table.columns, int):
        return
    assert len(set(table.columns)) == len(table.columns)
    assert {table.target, *table.text, *table.drop} <= set(table.columns)
    assert table.target not in table.drop
    assert (table.target in table.text) == isinstance(entry.labels[0], str)


def test_an_unknown_key_of_the_registry_is_an_error():
    with pytest.raises(TypeError, match="colums"):
        _registry._data_set("x", {"title": "", "table": {"target": "y", "colums": "x, y"}})


@needs_data
@pytest.mark.parametrize("name", EXPECTED)
def test_checksums_are_those_of_the_files_at_hand(name):
    assert all(file.sha256 for file in DATA_SETS[name].files)
    assert changed_files(name, DATA) == []


def test_description_names_the_source():
    description = fetch_uci("breast_cancer").DESCR
    assert description.startswith("Breast Cancer Wisconsin (Diagnostic)\nSource: https://archive.ics.uci.edu/")
    assert "Citation: Wolberg" in description
    assert "Licence: CC BY 4.0" in description


def test_whereabouts_of_files(home):
    (home / "wine" / "winequality-red.csv").unlink()
    files = describe_uci(home)["files"]
    assert files["adult_income"] == "at hand"
    assert files["wine"] == "to download"
    assert files["higgs_boson"] == "to get by hand"
    assert files["digits"] == "in scikit-learn"


def test_a_download_that_is_not_the_data_set_is_put_aside(tmp_path, small, monkeypatch):
    """It stayed where it was, so that every later call failed."""

    def sent(content):
        def download(data_set, folder):
            folder.mkdir(exist_ok=True)
            paths = [folder / file.name for file in data_set.files]
            for path in paths:
                path.write_text(content[path.name])
            return paths

        return download

    good = {"adult.data": ADULT_TRAIN, "adult.test": ADULT_TEST}
    monkeypatch.setattr(_uci, "download", sent({**good, "adult.test": "<html>Sorry</html>"}))
    with pytest.raises(ValueError, match=r"The downloaded files were renamed: .*adult\.data\.bad, .*adult\.test\.bad"):
        fetch_uci("adult_income", tmp_path)
    assert sorted(path.name for path in (tmp_path / "adult_income").iterdir()) == ["adult.data.bad", "adult.test.bad"]
    monkeypatch.setattr(_uci, "download", sent(good))
    assert len(fetch_uci("adult_income", tmp_path).target) == 5
    # What a person put there is theirs.
    (tmp_path / "adult_income" / "adult.test").write_text("mine")
    with pytest.raises(ValueError, match="adult"):
        fetch_uci("adult_income", tmp_path)
    assert (tmp_path / "adult_income" / "adult.test").read_text() == "mine"
