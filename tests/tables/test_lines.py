"""Errors name the line of a file as an editor counts lines: with the names, blank lines and breaks within cells."""

import gzip
from zipfile import ZipFile

import pandas as pd
import pytest

from skconf import accumulate
from skconf.report import ConfidenceReport
from skconf.tables._lines import line_of_row
from skconf.tables._unreadable import unreadable

#: Texts whose last row is wrong, with the row, from 0, and the line of the file.
TEXTS = {
    "plain": ("y_true,y_proba\na,0.5\nb,0.5\na,x\n", 2, 4),
    "blank lines": ("\n\ny_true,y_proba\na,0.5\n\nb,0.5\n\na,x\n", 2, 8),
    "break within a cell": ('note,y_true,y_proba\n"two\nlines",a,0.5\n"and\n\nmore",b,x\n', 1, 4),
    "windows": ("y_true,y_proba\r\na,0.5\r\nb,0.5\r\na,x\r\n", 2, 4),
    "json lines": ('{"y_true": "a", "y_proba": 0.5}\n\n{"y_true": "b", "y_proba": "x"}\n', 1, 3),
}


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("name", TEXTS)
def test_errors_name_the_line(name, compressed, tmp_path):
    text, row, line = TEXTS[name]
    path = tmp_path / ("p.jsonl" if "json" in name else "p.csv")
    if compressed:
        path = path.with_name(path.name + ".gz")
    path.write_bytes(gzip.compress(text.encode()) if compressed else text.encode())
    for read in (ConfidenceReport.from_files, lambda path, **given: accumulate(path, "accuracy", **given)):
        with pytest.raises(ValueError, match=rf"in row {row} \(line {line}\)") as caught:
            read(path, labels=["a", "b"], pos_label="b")
        assert caught.value.row == row


#: Texts that cannot be read, with the line that is wrong and what is said of it.
UNREADABLE = {
    "more cells": ("correct,confidence\n1,.5\n\n\n0,.7\n1,.5,9\n", 6, "Expected 2 columns, got 3"),
    "fewer cells": ("\ncorrect,confidence\n1,.5\n\n0\n0,.7\n", 5, "Expected 2 columns, got 1"),
    "after a break": ('\n\nt,correct,confidence\n"a\nb",1,.5\n\nc,0,.7\nd,1,.5,9\n', 8, "Expected 3 columns, got 4"),
    "open quote": ('correct,confidence,t\n1,.5,a\n\n0,.7,"b\n1,.5,c\n', 4, "a quote opens a cell and is not closed"),
    "a loose quote after an empty line": ('\ncorrect,confidence,t\n1,.5,"a"b\n', 3, "text follows the quote"),
    "two open quotes": ('correct,confidence,t\n1,.5,a\n\n0,.7,"b\n1,.5,c\n1,.5,"d\n', 4, "text follows the quote"),
}


@pytest.mark.parametrize("n_rows", [0, 300_000])  # so many are more than one piece
@pytest.mark.parametrize("name", UNREADABLE)
def test_lines_that_cannot_be_read_are_named_as_an_editor_counts(name, n_rows, tmp_path):
    pytest.importorskip("pyarrow")
    text, line, words = UNREADABLE[name]
    _, _, rest = text.partition("confidence,t\n" if "confidence,t\n" in text else "confidence\n")
    row = {"more cells": "1,0.25\n", "fewer cells": "1,0.25\n", "after a break": "x,1,0.25\n"}.get(name, "1,0.25,x\n")
    (tmp_path / "a.csv").write_text(text[: len(text) - len(rest)] + "\n" * (n_rows > 0) + row * n_rows + rest)
    told = rf"cannot read .*a\.csv: line {line + n_rows + (n_rows > 0)}: {words}"
    for read in (ConfidenceReport.from_files, lambda path: accumulate(path, "mean_confidence")):
        with pytest.raises(ValueError, match=told):
            read(tmp_path / "a.csv")


#: More of these, which pandas reads otherwise than pyarrow, or not at all.
MORE = {
    "fewer at the end": ("correct,confidence\n1,.5\n\n0", 4, "Expected 2 columns, got 1"),
    "a break at the end": ('correct,confidence,t\n1,.5,a\n1,"\n.7"\n', 3, "Expected 3 columns, got 2"),
    "a line of spaces": ("correct,confidence\n1,.5\n  \n0,.7\n", 3, "Expected 2 columns, got 1"),
    "a quote that opens the last cell": ('correct,confidence,t\n1,.5,a\n\n0,.7,"', 4, "a quote opens a cell"),
    "a long cell": (f"correct,confidence,t\n1,.5,a\n1,.5,{'a' * 200_000},b\n", 3, "Expected 3 columns, got 4"),
    "a long open cell": (f'correct,confidence,t\n1,.5,a\n1,.5,"{"a" * 200_000}\n', 3, "a quote opens a cell"),
    "names of rows": ("correct,confidence\n\na,1,.5\nb,0,.7\n", 3, "Expected 2 columns, got 3"),
}


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("name", [*UNREADABLE, *MORE])
def test_lines_are_counted_alike_where_pandas_reads(name, zipped, tmp_path, monkeypatch):
    text, line, words = (UNREADABLE | MORE)[name]
    path = tmp_path / "a.csv"
    path.write_text(text)
    file = tmp_path / "a.csv.zip" if zipped else path
    if zipped:
        with ZipFile(file, "w") as archive:
            archive.write(path, path.name)
    else:
        monkeypatch.setattr("skconf.tables._files.find_spec", lambda _: None)
    for read in (ConfidenceReport.from_files, lambda path: accumulate(path, "mean_confidence")):
        with pytest.raises(ValueError, match=rf"cannot read .*{file.name}: line {line}: {words}"):
            read(file)


def test_spaces_after_a_quote_are_no_fault_where_pandas_reads(tmp_path):
    with ZipFile(tmp_path / "a.csv.zip", "w") as archive:
        archive.writestr("a.csv", 'correct,confidence,t\n1,.5,"a" \n"0" ,.7,"a ""b"" \n\n" \n')
    assert accumulate(tmp_path / "a.csv.zip", "mean_confidence").result()["mean_confidence"] == pytest.approx(0.6)


def test_ids_stand_beside_the_line(tmp_path):
    pd.DataFrame({"id": ["p1", "p2"], "y_true": ["a", "b"], "y_proba": [0.5, 7.0]}).to_csv(
        tmp_path / "a.csv", index=False
    )
    with pytest.raises(ValueError, match=r"row 1 \(line 3, id p2\)"):
        ConfidenceReport.from_files(tmp_path / "a.csv")


def test_parquet_has_no_lines(tmp_path):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"y_true": ["a", "b"], "y_proba": [0.5, 7.0]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"in row 1\."):
        ConfidenceReport.from_files(tmp_path / "a.parquet")


def test_rows_that_are_not_there_have_no_line(tmp_path):
    (tmp_path / "a.csv").write_text("y_true,y_proba\na,0.5\n")
    assert line_of_row(tmp_path / "a.csv", 7, ",") is None
    assert line_of_row(tmp_path / "none.csv", 0, ",") is None


def test_only_numbers_of_cells_are_advised_about_cells():
    """Of what pyarrow says; other faults have no such advice."""
    cells = unreadable(ValueError("CSV parse error: Expected 2 columns, got 3: a,b,c"))
    assert (cells.kind, str(cells).endswith("(in R: row.names = FALSE).")) == ("number of cells", True)
    other = unreadable(ValueError("CSV parse error: Empty CSV file"))
    assert (other.kind, str(other)) == ("", "Empty CSV file")
    row = unreadable(ValueError("CSV parse error: Row #7: Expected 2 columns, got 3: a,b,c"))
    assert (row.kind, row.row, "each row must have a cell" in str(row)) == ("number of cells", 7, True)
