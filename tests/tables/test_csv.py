"""Tables of text as other tools write them, and files that are no tables."""

import csv
import re
from ast import literal_eval
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceReport
from skconf.tables import _files
from skconf.tables._csv import layout_of
from skconf.tables._paths import list_files


@pytest.fixture(params=["pyarrow", "pandas"])
def opened(request, tmp_path, monkeypatch):
    """Write a file, and read its names and all its columns: at once, and in batches."""
    if request.param == "pandas":
        monkeypatch.setattr(_files, "find_spec", lambda _: None)
    else:
        pytest.importorskip("pyarrow")

    def read(content, name="a.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        file = _files.open_table(path)
        whole, parts = (
            [row for table in file.batches(file.names, size) for row in _rows(table, file.names)] for size in (None, 1)
        )
        assert whole == parts
        return file.names, whole

    return read


def _rows(table, names):
    columns = [table[name].to_pylist() if hasattr(table, "schema") else table[name].tolist() for name in names]
    return [list(row) for row in zip(*columns, strict=True)]


PLAIN = (["label", "p"], [["cat", "0.5"], ["dog", "1"]])


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("label,p\ncat,0.5\ndog,1\n", PLAIN),
        ("label, p\ncat, 0.5\ndog , 1 \n", PLAIN),
        ("label;p\ncat;0.5\ndog;1\n", PLAIN),
        ("label\tp\r\ncat\t0.5\r\ndog\t1\r\n", PLAIN),
        ("label|p\ncat|0.5\ndog|1", PLAIN),
        ("\ufefflabel,p\ncat,0.5\ndog,1\n", PLAIN),
        ('"label","p"\n"cat","0.5"\n"dog","1"\n', PLAIN),
        ("label;p\ncat;0,5\ndog;1\n", (["label", "p"], [["cat", "0,5"], ["dog", "1"]])),
        ("P(a|b),label\n0.5,a\n0.2,b\n", (["P(a|b)", "label"], [["0.5", "a"], ["0.2", "b"]])),
        ('"a, b";p\n"x, y";1\n', (["a, b", "p"], [["x, y", "1"]])),
        (',label\n0,"a\nb"\n', (["", "label"], [["0", "a\nb"]])),
        ("label,p\n01,1e-05\n", (["label", "p"], [["01", "1e-05"]])),
        ("p\n0.5\n", (["p"], [["0.5"]])),
        ("<=50K,>50K\n0.9,0.1\n", (["<=50K", ">50K"], [["0.9", "0.1"]])),
    ],
)
def test_as_other_tools_write_them(content, expected, opened):
    assert opened(content) == expected


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_names_that_are_not_utf8_are_told_to_be_changed(ending, tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / f"a\udce9{ending}"
    try:
        path.write_text("correct,confidence\n1,0.5\n")
    except OSError:
        pytest.skip("names are UTF-8 here")
    with pytest.raises(ValueError, match="Rename it") as refused:
        _files.open_table(path)
    assert refused.value.kind == "name"
    assert refused.value.place.endswith(rf"a\udce9{ending}")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("label,p\ncat,0,5\ndog,1,0\n", "Write decimals with a point"),
        ("label,p\ncat,0.5\ndog,1,0\n", "Write decimals with a point"),
        ('"label","p"\n"1","cat",0.5\n', "leave out row names"),
        ("", "it is empty. The first line must contain the names"),
        ("\n\n", "it is empty. The first line must contain the names"),
        ("label,p\nä,.5\n".encode("latin-1"), "it is not UTF-8 text. Save it as CSV UTF-8"),
        ("label\tp\na\t.5\n".encode("utf-16"), "UTF-16 text. Save it as CSV UTF-8"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not a table of text, but a picture"),
        ('[{"label": 1}]', "JSON. Convert it"),
        ('{"label": [1]}', "JSON. Convert it"),
        (b"PK\x03\x04\x14\x00\x06\x00", "a workbook or an archive. Save the sheet as CSV UTF-8"),
        (b"PAR1\x15\x04", "Parquet. Give it a name that ends in .parquet"),
        (b"\x1f\x8b\x08\x00", "compressed by gzip. Give it a name that ends in .csv.gz"),
        (b"\x80\x04\x95", "a pickle"),
        ("\n<HTML><table>", "HTML or XML. Save the table as CSV"),
        ("<!-- a table -->", "HTML or XML. Save the table as CSV"),
        ('<?xml version="1.0"?>', "HTML or XML. Save the table as CSV"),
        ("@relation iris\n", "ARFF. Save it as CSV"),
    ],
)
def test_what_cannot_be_read_names_the_right_step(content, message, opened):
    with pytest.raises(ValueError, match=r"cannot read .*a\.csv: ") as error:
        opened(content)
    assert message in str(error.value)


@pytest.mark.parametrize("first", ["# model 3", "Predictions of March", "sep=,", "sep=;"])
def test_a_line_before_the_names_is_shown(first, tmp_path):
    (tmp_path / "a.csv").write_text(f"{first}\na,b,y\n0.2,0.8,b\n0.7,0.3,a\n")
    with pytest.raises(ValueError, match=f"its first line, '{first}', does not contain the names of the columns. "):
        _files.open_table(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text("answer\na, b, c\nb, c, d\nso\n")  # one column, with commas
    assert layout_of(tmp_path / "a.csv").names == ["answer"]


def test_folders_have_tables_of_tabs(tmp_path):
    for name in ("a.tsv", "b.csv", "README.txt", "c.tsv.gz"):
        (tmp_path / name).write_text("y_true\tproba_0\n")
    assert [path.name for path in list_files(tmp_path)] == ["a.tsv", "b.csv", "c.tsv.gz"]


def test_the_separator_is_that_by_which_lines_agree(tmp_path):
    (tmp_path / "a.csv").write_text("id;text,with,commas;p\n1;a,b;.5\n2;c;.5\n")
    assert layout_of(tmp_path / "a.csv") == (";", ["id", "text,with,commas", "p"])


@pytest.mark.parametrize("separator", ["\t", ",", " ", ";"])
@pytest.mark.parametrize("form", ["%.6f", "%.18e"])
@pytest.mark.parametrize("n_columns", [1, 3])
def test_numbers_alone_are_told_how_to_get_names(n_columns, form, separator, tmp_path):
    """As XGBoost and LightGBM write them; the advice, followed, makes a file that is read."""
    proba = np.random.default_rng(0).dirichlet(np.ones(3), 40)[:, :n_columns]
    np.savetxt(tmp_path / "a.txt", proba, fmt=form, delimiter=separator)
    with pytest.raises(ValueError, match="XGBoost and LightGBM") as refused:
        ConfidenceReport.from_files(tmp_path / "a.txt")
    assert refused.value.kind == "no predictions"
    pattern, names = re.search(r"sep=r'(.*?)', .*names=(\[.*?\])", str(refused.value)).groups()
    names = literal_eval(names.replace("…", "'proba_1'"))
    table = pd.read_csv(tmp_path / "a.txt", sep=pattern, engine="python", names=names)
    np.testing.assert_allclose(table, proba, atol=1e-6)
    table.assign(y_true=np.arange(40) % max(2, n_columns)).to_csv(tmp_path / "b.csv", index=False)
    assert ConfidenceReport.from_files(tmp_path / "b.csv", metrics=["accuracy_score"]).frame.shape[0] == 1


def test_a_file_without_names_is_told_how_to_give_it_names(tmp_path, monkeypatch):
    """The advice, followed, makes a file that is read."""
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("cat, 0.3,0.7\nnew dog,0.2,0.8\ncat,0.9,0.1\n")
    with pytest.raises(ValueError, match=r"The first line must contain the names of the columns") as refused:
        ConfidenceReport.from_files("a.csv")
    code = re.search(r"(pd\.read_csv.*index=False\)); replace … by 3 names", str(refused.value))[1]
    exec(code.replace("[…]", "['y_true', 'proba_cat', 'proba_new dog']"), {"pd": pd, "FILE": "a.csv", "NAMED": "b.csv"})
    assert ConfidenceReport.from_files("b.csv", metrics=["accuracy_score"]).frame.iloc[0]["value"] == 2 / 3


def test_a_file_without_names_of_another_kind_is_told_what_names_are_needed(tmp_path):
    pd.DataFrame(np.random.default_rng(0).random((30, 7))).to_csv(tmp_path / "a.csv", header=False, index=False)
    with pytest.raises(ValueError, match=r"names=\[…\]\).*; replace … by 7 names, such as 'y_true' and 'proba_LABEL'"):
        ConfidenceReport.from_files(tmp_path / "a.csv")


def test_a_thousand_classes_of_long_names(opened):
    """The line of names is longer than the cells that Python's csv reads, which it is between other separators."""
    names = ["label", *(f"proba_{'the class of number ' * 10}{number}" for number in range(1000))]
    assert len(",".join(names)) > csv.field_size_limit()
    cells = ["the class of number 0", *map(str, range(1000))]
    assert opened(",".join(names) + "\n" + ",".join(cells) + "\n") == (names, [cells])


@pytest.mark.parametrize(
    ("last", "kind", "row"),
    [
        ("b,0.5,1\n", "number of cells", 42),
        ('"b,0.5\nc,0.5\n', "open quote", 42),
        ("\xe9,0.5\n".encode("latin-1"), "not UTF-8", 42),
    ],
)
def test_faults_far_down_have_the_same_kind_whatever_reads_them(last, kind, row, opened):
    content = ("label,p\n" + "a,0.5\n" * 40).encode() + (last if isinstance(last, bytes) else last.encode())
    with pytest.raises(ValueError, match="cannot read") as refused:
        opened(content)
    assert refused.value.kind == kind
    assert refused.value.row in (row, None if kind == "not UTF-8" else row)
    assert "C error" not in str(refused.value)
    assert "codec" not in str(refused.value)
