"""The readers of the paper's data sets: on hand-written files always, on the archives' files where they are.

Set SKCONF_DATA to a directory with one directory of raw files per data set to run the second kind.
"""

import dataclasses
import functools
import os
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.multiclass import type_of_target

from skconf.datasets import _uci
from skconf.datasets._uci import DATA_SETS, Table, fetch_uci, list_uci

DATA = os.environ.get("SKCONF_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="SKCONF_DATA, the directory of the raw files, is not set")

FILE_BASED = [name for name, data_set in DATA_SETS.items() if data_set.files]


@functools.cache
def raw(name):
    if name == "credit":
        pytest.importorskip("xlrd")
    return fetch_uci(name, DATA)


# Written out here rather than taken from the registry, which the test is to check: counted in the raw files
# with cut, sort and uniq. 45222 and 15060 are also in adult.names, the other rows on the archives' pages.
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
@pytest.mark.parametrize("name", FILE_BASED)
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
WINE_HEADER = ";".join(f'"{column}"' for column in DATA_SETS["wine"].source.columns) + "\n"
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
    """The user's own data home must not leak into the tests that write their files."""
    monkeypatch.delenv("SKCONF_DATA", raising=False)


@pytest.fixture
def small(monkeypatch):
    """Let the registry expect the small files."""
    expected = {
        "adult_income": {"classes": {"<=50K": 3, ">50K": 2}, "n_test": 2},
        "wine": {"classes": {5: 2, 6: 1}},
    }
    for name, changes in expected.items():
        monkeypatch.setitem(_uci.DATA_SETS, name, dataclasses.replace(DATA_SETS[name], **changes))


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
    entry = DATA_SETS["accelerometer"]
    path = tmp_path / entry.name / entry.files[0]
    path.parent.mkdir()
    # The archive's file has one such date among its times.
    path.write_text(",".join(entry.source.columns) + "\n1,2,3,4,5,6.5,34:22.9,1\n1,2,3,4,5,6,6/25/2022 14:05,0\n")
    monkeypatch.setitem(_uci.DATA_SETS, entry.name, dataclasses.replace(entry, classes={0: 1, 1: 1}))
    bunch = fetch_uci(entry.name, tmp_path)
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
    assert str(empty / "skconf_data" / "wine" / "winequality-red.csv") in str(error.value)

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
    for part in (str(path), DATA_SETS["adult_income"].url, "SKCONF_DATA", "--data-home", "data_home"):
        assert part in str(error.value)


@pytest.mark.parametrize(("name", "note"), [("diabetes", "no header"), ("bank_marketing", "bank-additional.zip")])
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
    assert f"originals from {DATA_SETS['wine'].url}" in message


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
    assert f"Replace it by the file of that name from {DATA_SETS[name].url}" in str(error.value)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00\xd8"], ids=["empty", "binary"])
def test_unreadable_csv(home, small, content):
    path = home / "wine" / "winequality-red.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"Cannot use .*winequality-red.csv.*Replace it"):
        fetch_uci("wine", home)


@pytest.fixture
def credit_file(tmp_path):
    path = tmp_path / "credit" / DATA_SETS["credit"].files[0]
    path.parent.mkdir()
    return path


@pytest.mark.parametrize("content", [b"", b"ID,LIMIT_BAL\n1,2\n", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600)])
def test_unreadable_xls(credit_file, content, capfd):
    pytest.importorskip("xlrd")
    credit_file.write_bytes(content)
    with pytest.raises(ValueError, match=r"Cannot use .*credit card clients.xls: it is no readable .xls file"):
        fetch_uci("credit", credit_file.parents[1])
    assert capfd.readouterr().out == ""


@pytest.fixture
def workbook(credit_file, monkeypatch):
    """The rows of a workbook: a stand-in for xlrd hands them out, as pandas cannot write .xls."""
    names = list(DATA_SETS["credit"].source.columns)
    codes = ["", *(f"X{i}" for i in range(1, 24)), "Y"]
    rows = [codes, names, [1.0, 20000.5, *[2.0] * 22, 1.0], [2.0, 120000.0, *[-1.0] * 22, 0.0]]

    def open_workbook(path, logfile=None):
        assert path == credit_file
        print("WARNING *** file size", file=logfile)  # as xlrd does; None is standard output
        sheet = SimpleNamespace(nrows=len(rows), row_values=rows.__getitem__)
        return SimpleNamespace(sheet_by_index=[sheet].__getitem__)

    credit_file.write_bytes(b"")
    monkeypatch.setitem(sys.modules, "xlrd", SimpleNamespace(open_workbook=open_workbook))
    small = dataclasses.replace(DATA_SETS["credit"], classes={0: 1, 1: 1})
    monkeypatch.setitem(_uci.DATA_SETS, "credit", small)
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
    with pytest.raises(ImportError, match=r'pip install "skconf\[experiments\]"'):
        fetch_uci("credit", credit_file.parents[1])


# --- registry -----------------------------------------------------------------------------------------------


def test_names():
    assert list_uci() == [
        "breast_cancer",
        "digits",
        "adult_income",
        "bank_marketing",
        "credit",
        "diabetes",
        "accelerometer",
        "obesity",
        "wine",
    ]
    assert set(FILE_BASED) == set(EXPECTED)


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
    assert entry.url.startswith("https://")
    assert list(entry.classes) == sorted(entry.classes)
    assert min(entry.classes.values()) > 0
    assert isinstance(entry.source, Table) == bool(entry.files)
    if not isinstance(entry.source, Table):
        return
    table = entry.source
    assert len(set(table.columns)) == len(table.columns)
    assert {table.target, *table.text, *table.drop} <= set(table.columns)
    assert table.target not in table.drop
    assert (table.target in table.text) == isinstance(next(iter(entry.classes)), str)
    assert (entry.test_file is None) == (entry.n_test == 0)
    assert entry.test_file is None or entry.test_file in entry.files


def test_description_names_the_source():
    description = fetch_uci("breast_cancer").DESCR
    assert description.startswith("Breast Cancer Wisconsin (Diagnostic)\nSource: https://archive.ics.uci.edu/")
    assert "Citation: Wolberg" in description
    assert "Licence: CC BY 4.0" in description
