"""Text that is cut into pieces: the rows are those that pyarrow finds in the whole, wherever pieces end."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skconf import accumulate
from skconf.tables import _files, _quotes, _text
from skconf.tables._unreadable import unreadable

csv = pytest.importorskip("pyarrow.csv")

CELLS = st.sampled_from(["a", "0.5", "", " b ", '"a"', '"a, b"', '"a\nb"', '"a\r\n\n"', '"say ""a"""', '"\n"""'])
ROWS = st.builds("{},{}{}".format, CELLS, CELLS, st.sampled_from(["\n", "\r\n", "\r", "\n\n"]))
#: Rows with quotes where they do not belong, with too few cells, or open until the end.
ODD = st.sampled_from(['5" a,b\n', 'a, "b"\n', 'a,5"\n', '"a" b,c\n', "a\n", "a,b,c\n", '"a,b\n', '"a"b",c\n', '" ,'])


def _found(tables):
    """Return the rows, or why there are none."""
    try:
        return [row for table in tables() for row in table.to_pylist()]
    except ValueError as error:
        return str(unreadable(error))


def _quotes_fail(text):
    """Return whether a quoted cell goes on after its closing quote, or is open; it begins where a cell does."""
    place, begins = 0, True
    while place < len(text):
        if begins and text[place] == '"':
            place += 1
            while text[place : place + 2] == '""' or text[place : place + 1] not in ('"', ""):
                place += 2 if text[place] == '"' else 1
            if place == len(text) or text[place + 1 :].lstrip(" ")[:1] not in ("", ",", "\r", "\n"):
                return True
            begins = False
        else:
            begins = text[place] in ",\r\n"
        place += 1
    return False


def _whole(path):
    import pyarrow as pa

    read = csv.ReadOptions(use_threads=False, block_size=1 << 20)
    convert = csv.ConvertOptions(column_types=dict.fromkeys("xy", pa.string()), null_values=[])
    table = csv.read_csv(path, read, csv.ParseOptions(newlines_in_values=True), convert)
    yield pa.table({name: pa.array([cell.strip() for cell in table[name].to_pylist()], pa.string()) for name in "xy"})


@given(
    header=st.sampled_from(["x,y\n", '\ufeff"x","y"\r\n', "\n\nx,y\r", 'x,"y"\n\n']),
    rows=st.lists(st.one_of(ROWS, ROWS, ROWS, ODD), max_size=12),
    size=st.integers(1, 60),
)
def test_any_text(header, rows, size, tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "a.csv"
    path.write_text(header + "".join(rows), newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_text, "PIECE_BYTES", size)
        found, expected = _found(lambda: _text.TextFile(path, ",").tables(["x", "y"])), _found(lambda: _whole(path))
    if _quotes_fail(header.removeprefix("\ufeff") + "".join(rows)):
        assert isinstance(found, str)
        assert "a closing quote is missing" in found or "is not closed, so all" in found or found == expected
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("late", "read"),
    [("0,25", "0.25"), (" 0.25\u00a0", "0.25"), ("2.5e-1", "0.25"), ('"0.25"', "0.25")],
)
def test_numbers_that_are_written_otherwise_further_down(late, read, tmp_path, monkeypatch):
    """Numbers are read as such piece by piece; a piece with one that pyarrow cannot read is read as text."""
    monkeypatch.setattr(_text, "PIECE_BYTES", 500)
    lines = ["y_true;proba_1", *["1;1", "0;0"] * 300]
    found = []
    for number in (late, read):
        lines[400] = f"1;{number}"
        (tmp_path / "a.csv").write_text("\n".join(lines), encoding="utf-8")
        found.append(accumulate(tmp_path / "a.csv", "cw_accuracy", labels=["0", "1"]).result())
    assert found[0] == found[1] != {"cw_accuracy": 1.0}


def test_numbers_that_are_grades_stay_texts(tmp_path):
    (tmp_path / "a.csv").write_text("correct,confidence\n1,1\n0,2\n")
    found = accumulate(tmp_path / "a.csv", "mean_confidence", grades={"0": 0, "1": 1, "2": 0.25})
    assert found.result() == {"mean_confidence": 0.625}


def test_groups_that_look_like_numbers_stay_texts(tmp_path):
    (tmp_path / "a.csv").write_text("correct,confidence,weight\n1,0.5,01\n0,0.5,1\n")
    assert list(accumulate(tmp_path / "a.csv", "mean_confidence", weight="weight", groups="weight")) == ["01", "1"]


def test_a_quote_that_is_left_open(tmp_path):
    (tmp_path / "a.csv").write_text('correct,confidence\n1,0.5\n"0,0.5\n' + "1,0.5\n" * 1_500_000)
    with pytest.raises(ValueError, match=r"cannot read .*a\.csv: a row is longer than 4 MB\. If a quote is not closed"):
        accumulate(tmp_path / "a.csv", "mean_confidence")


@pytest.mark.parametrize("place", [100, 9999])
@pytest.mark.parametrize("ending", ["", ".gz", ".bz2"])
def test_a_quote_left_open_takes_no_rows_with_it(place, ending, tmp_path):
    import bz2

    compress = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress}[ending]
    lines = [f"{number % 2},.5,note {number}" for number in range(10_000)]
    path = tmp_path / f"a.csv{ending}"

    def score():
        path.write_bytes(compress("\n".join(["correct,confidence,note", *lines]).encode()))
        return accumulate(path, "mean_confidence").n_samples

    lines[5] += '"'  # such as inches: no quote that opens a cell
    assert score() == 10_000
    lines[place] = f'1,.5,"note {place}'
    with pytest.raises(ValueError, match=rf"cannot read .*: line {place + 2}: a quote opens a cell and is not closed"):
        score()


@pytest.mark.parametrize("library", ["pyarrow", "pandas"])
@pytest.mark.parametrize("read_bytes", [1, 7, 1 << 20])
def test_two_quotes_left_open_take_no_rows_with_them(read_bytes, library, tmp_path, monkeypatch):
    """Also in a column that is not read: the quote of the last row would end the cell that the other opens."""
    monkeypatch.setattr(_quotes, "_READ_BYTES", read_bytes)
    if library == "pandas":
        monkeypatch.setattr(_files, "find_spec", lambda _: None)
    good = 'note,correct,confidence\n"a\n""b""",1,0.5\n"c" ,1,0.5\n5",0,0.5\n'
    (tmp_path / "a.csv").write_text(good)
    assert accumulate(tmp_path / "a.csv", "mean_confidence").n_samples == 3
    (tmp_path / "a.csv").write_text(good + '"d,1,0.5\ne,0,0.5\n"f,1,0.5\ng,1,0.5\n')
    with pytest.raises(ValueError, match="quote") as caught:
        accumulate(tmp_path / "a.csv", "mean_confidence")
    assert (caught.value.kind, caught.value.line) == ("open quote", 6)


def test_other_faults_of_the_file(tmp_path):
    """A compressed file that ends early, and bytes further down that are no UTF-8 text."""
    text = b"correct,confidence\n" + b"1,0.5\n" * 200_000
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text + np.random.default_rng(0).bytes(50_000))[:-20_000])
    (tmp_path / "b.csv").write_bytes(text + b"\xe4,0.5\n")
    with pytest.raises(ValueError, match=r"cannot read .*a\.csv\.gz: it is damaged") as refused:
        accumulate(tmp_path / "a.csv.gz", "mean_confidence")
    assert refused.value.kind == "damaged"
    with pytest.raises(ValueError, match=r"cannot read .*b\.csv: line 200002 is not UTF-8") as refused:
        accumulate(tmp_path / "b.csv", "mean_confidence", groups="correct")
    assert refused.value.kind == "not UTF-8"
