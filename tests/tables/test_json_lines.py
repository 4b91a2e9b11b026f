"""A file with a JSON object in each line is read as a CSV file with the same rows."""

import gzip
import io
import json
import re
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceReport, accumulate, read_log
from skconf.cli import main
from skconf.tables import _files, _json_lines
from skconf.tables._json_objects import objects_in

RNG = np.random.default_rng(0)
P = RNG.random(60).round(4)
WORDS = np.where(RNG.random(60) < P, "dog", "cat")
TABLE = pd.DataFrame({"id": range(60), "y_true": WORDS, "proba_cat": (1 - P).round(4), "proba_dog": P})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(rows, name="a.jsonl"):
    lines = rows if isinstance(rows, bytes) else "".join(json.dumps(row) + "\n" for row in rows).encode()
    with (gzip.open if name.endswith(".gz") else open)(name, "wb") as file:
        file.write(lines)
    return name


@pytest.mark.parametrize("has_pyarrow", [True, False])
@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.jsonl.gz", "a.ndjson.gz"])
def test_is_read_as_csv_is(name, has_pyarrow, monkeypatch):
    if not has_pyarrow:
        for module in (_files, _json_lines):
            monkeypatch.setattr(module, "find_spec", lambda _: None)
    TABLE.to_csv("a.csv", index=False)
    write(TABLE.to_dict("records"), name)
    for in_batches in (False, True):
        expected, found = (ConfidenceReport.from_files(file, in_batches=in_batches) for file in ("a.csv", name))
        pd.testing.assert_frame_equal(found.frame, expected.frame)


def test_lists_of_probabilities_and_missing_names_are_read():
    rows = [{"label": str(word), "y_proba": [1 - p, p]} for word, p in zip(WORDS, P, strict=True)]
    rows[3] |= {"note": "later"}
    write(rows)
    accuracy = ((P > 0.5) == (WORDS == "dog")).mean()
    options = {"target": "label", "proba": "y_proba", "labels": ["cat", "dog"]}
    assert accumulate("a.jsonl", "accuracy_score", **options).result()["accuracy_score"] == pytest.approx(accuracy)
    assert _files.open_table(_files.Path("a.jsonl")).names == ["label", "y_proba", "note"]


def test_folders_are_columns():
    pytest.importorskip("pyarrow")
    for day in ("mon", "tue"):
        _files.Path(f"day={day}").mkdir()
        write(TABLE.to_dict("records"), f"day={day}/a.jsonl")
    report = ConfidenceReport.from_files("day=*/*.jsonl", groups="day", metrics=["accuracy_score"])
    assert report.frame["count"].to_dict() == {"mon": 60, "tue": 60}


BROKEN = {
    "cut": (b'{"y_true": 1, "proba_0"', "no object", "line {} is no JSON from character"),
    "no object": (b"[1, 0.5]", "no object", "line {} holds no object"),
    "no UTF-8": (b'{"y_true": "\xff"}', "no object", "line {} is not UTF-8"),
    "too deep": (b"[" * 100_000, "no object", "line {} is not JSON that can be read"),
    "half a character": (b'{"y_true": "\\ud800"}', "not UTF-8", "line {} has half of a pair"),
    "a name twice": (b'{"a": 1, "a": 2}', "repeated column", "an object in line {} has 'a' twice"),
    "too long": (b'{"a": "' + b"b" * (1 << 23), "long row", "line {}: a row is longer"),
}


@pytest.mark.parametrize("in_batches", [False, True])
@pytest.mark.parametrize("wrong", [wrong for wrong, *_ in BROKEN.values()], ids=BROKEN)
def test_broken_lines_are_left_out_and_counted(wrong, in_batches):
    """Among them the last one, without an end, and one among the first rows, which tell the columns."""
    lines = [json.dumps(row).encode() for row in TABLE.to_dict("records")]
    write(b"\n".join(lines), "whole.jsonl")
    write(b"\n".join([lines[0], b"", wrong, *lines[1:40], wrong, *lines[40:], wrong]))
    told = r"^a\.jsonl: 3 rows are broken and left out \(line 3, line 43 and line 64\)"
    with pytest.warns(UserWarning, match=told) as warned:
        found = ConfidenceReport.from_files("a.jsonl", in_batches=in_batches)
    assert sum("broken" in str(each.message) for each in warned) == 1
    expected = ConfidenceReport.from_files("whole.jsonl", in_batches=in_batches)
    pd.testing.assert_frame_equal(found.frame, expected.frame)


@pytest.mark.parametrize(("wrong", "kind", "text"), BROKEN.values(), ids=BROKEN)
def test_where_no_line_can_be_read_the_first_is_told(wrong, kind, text):
    write(wrong + b"\n" + wrong)
    for read in (ConfidenceReport.from_files, lambda file: accumulate(file, "mean_confidence")):
        with pytest.raises(ValueError, match=re.escape(text.format(1))) as refused:
            read("a.jsonl")
        assert refused.value.kind == kind


def test_every_command_and_reader_leaves_out_the_same_lines(capsys):
    rows = [{"correct": int(word == "dog"), "confidence": p} for word, p in zip(WORDS, P, strict=True)]
    lines = [json.dumps(row).encode() for row in rows]
    write(b"\n".join([*lines[:7], *(wrong for wrong, *_ in BROKEN.values()), *lines[7:]]))
    told = "7 {} are broken and left out (line 8, line 9, line 10, line 11, line 12 and others)"
    for command in (["evaluate"], ["evaluate", "--batches"], ["threshold", "--target", "risk=0.9"]):
        assert main([command[0], "a.jsonl", *command[1:]]) == 0
        assert capsys.readouterr().err.count(told.format("rows")) == 1
    with pytest.warns(UserWarning, match=re.escape(told.format("samples"))):
        log = read_log("a.jsonl", confidence="confidence")
    assert log["confidence"].tolist() == P.tolist()


def test_a_row_is_named_by_its_line_also_after_broken_ones():
    right = b'{"correct": 1, "confidence": 0.5}\n'
    write(right + b"{\n\n" + right + b'{"correct": 1, "confidence": 2}\n' + right)
    with pytest.raises(ValueError, match=r"row 2 \(line 5\)"):
        ConfidenceReport.from_files("a.jsonl")


@pytest.mark.parametrize(
    ("wrong", "kind", "place"),
    [
        (b'{"y_true": "1", "proba_0": 0.5, "proba_1": 0.5}', "several types", "row 2"),
        (b'{"y_true": true, "proba_0": 0.5, "proba_1": 0.5}', "several types", "row 2"),
        (b'{"y_true": 1, "proba_0": "0.5", "proba_1": 0.5}', "several types", "row 2"),
        (b'{"y_true": 1, "proba_0": 0.5}', "not a number", "row 2"),
        (b'{"proba_0": 0.5, "proba_1": 0.5}', "not a label", "row 2"),
        (b'{"y_true": 1, "proba_0": [0.5], "proba_1": 0.5}', "several types", "row 2"),
        (b'{"y_true": {"a": 1}, "proba_0": 0.5, "proba_1": 0.5}', "several types", "row 2"),
    ],
)
@pytest.mark.parametrize("in_batches", [False, True])
@pytest.mark.parametrize("batch_rows", [2, 1000])
def test_what_is_wrong_is_named_with_its_line_or_row(wrong, kind, place, in_batches, batch_rows, monkeypatch):
    """Whether values of several types stand in one batch or in two, they are refused."""
    monkeypatch.setattr("skconf.accumulation._read.BATCH_ROWS", batch_rows)
    right = b'{"y_true": 0, "proba_0": 0.5, "proba_1": 0.5}\n'
    write(right + b"\n" + right.replace(b"0,", b"1,", 1) + wrong + b"\n" + right)
    with pytest.raises(ValueError, match=place) as refused:
        ConfidenceReport.from_files("a.jsonl", in_batches=in_batches)
    assert (refused.value.kind, refused.value.place) == (kind, "a.jsonl")
    if place == "row 2":
        assert refused.value.row == 2


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file():
    row = json.dumps({"y_true": 1, "proba_0": 0.25, "proba_1": 0.75, "text": "a" * 10_000}) + "\n"
    peaks = []
    for n_rows in (4_000, 12_000):
        with _files.Path("a.jsonl").open("w") as file:
            file.writelines(row for _ in range(n_rows))
        tracemalloc.start()
        assert accumulate("a.jsonl", "mean_confidence").result()["mean_confidence"] == 0.75
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


@pytest.mark.parametrize("name", ["abstained", "sample_weight", "proba_c"])
def test_a_column_that_begins_late_and_would_be_read_is_refused(name, tmp_path):
    path, rows = tmp_path / "a.jsonl", [{"correct": 1, "confidence": 0.5}] * 1500
    path.write_text("\n".join(map(json.dumps, [*rows, {**rows[0], "note": 1}])))
    assert accumulate(path, "mean_confidence").n_samples == 1501
    path.write_text("\n".join(map(json.dumps, [*rows, {**rows[0], name: 1}])))
    for read in (ConfidenceReport.from_files, lambda path: accumulate(path, "mean_confidence")):
        with pytest.raises(ValueError, match=rf"a\.jsonl: column '{name}' occurs from line 1501 on"):
            read(path)


@pytest.mark.parametrize("grades", [None, {"high": 0.9}])
def test_objects_are_no_numbers(grades, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"correct": 1, "confidence": {"p": 0.5}}\n' * 3)
    with pytest.raises(ValueError, match="column 'confidence' holds objects, where numbers are needed"):
        ConfidenceReport.from_files(tmp_path / "a.jsonl", grades=grades)


@pytest.mark.parametrize("place", [3, 1200])
@pytest.mark.parametrize("colon", [":", " :", "\t: "])
def test_an_object_that_has_a_name_twice_is_broken_wherever_it_stands(place, colon, tmp_path):
    rows = ['{"correct": 1, "confidence": 0.5, "note": "a \\": b", "more": {"correct": 0}}'] * 1500
    (tmp_path / "a.jsonl").write_text("\n".join(rows))
    assert accumulate(tmp_path / "a.jsonl", "accuracy").result()["accuracy"] == 1
    rows[place] = f'{{"correct": 1, "confidence": 0.5, "correct"{colon}0}}'
    (tmp_path / "a.jsonl").write_text("\n".join(rows))
    with pytest.warns(UserWarning, match=rf"1 row is broken and left out \(line {place + 1}\)"):
        found = accumulate(tmp_path / "a.jsonl", "accuracy")
    assert (found.n_samples, found.result()["accuracy"]) == (1499, 1)


def test_a_mark_of_the_order_of_bytes_is_no_part_of_the_first_object(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(
        b'\xef\xbb\xbf{"correct": 1, "confidence": 0.5}\n{"correct": 0, "confidence": 0.5}\n'
    )
    assert accumulate(tmp_path / "a.jsonl", "accuracy").result()["accuracy"] == 0.5


@pytest.mark.parametrize("batch_rows", [None, 5])
def test_a_file_without_objects_has_no_tables(batch_rows, tmp_path):
    (tmp_path / "a.jsonl").write_text("\n \n")
    file = _files.open_table(tmp_path / "a.jsonl")
    assert (file.names, list(file.batches([], batch_rows))) == ([], [])
    with pytest.raises(ValueError, match="there are no rows"):
        ConfidenceReport.from_files(tmp_path / "a.jsonl")


#: Lines that are objects only if they are joined, or seem to be so; each with how many objects it holds.
TOGETHER = {
    "one in two": (['{"correct": [1', "2]}"], 0),
    "two in one, one in two": (['{"correct": 1}, {"correct": 1}', '{"correct": [1', "2]}"], 0),
    "with what stands between": (['{"correct": 1}, 0, {"correct": 1}', '{"correct": [1', "2]}"], 0),
    "an open text": (['{"correct": "a', 'b"}'], 0),
    "the end of a list": (['{"correct": 1}]', '[{"correct": 1}'], 0),
    "a name twice within": (
        ['{"correct": 1, "a": {"b": 1, "b": 2}}', '{"correct": 1, "a": [{"b": 1, "b\\u0062": 2}]}'],
        1,
    ),
    "a name that ends in backslashes": (
        ['{"correct": 1, "a\\\\": 1, "a\\\\": 2}', '{"correct": 1, "a\\\\": 1, "b\\\\": "\\":"}'],
        1,
    ),
    "halves of a pair": (
        [
            '{"correct": 1, "a": "\\ud83d \\ude00"}',
            '{"correct": 1, "a": "\\ud83d\\ude00"}',
            '{"correct": 1, "a": "\\\\ud83d"}',
        ],
        2,
    ),
}


@pytest.mark.parametrize(("lines", "n_objects"), TOGETHER.values(), ids=TOGETHER)
def test_each_line_is_read_as_if_it_stood_alone(lines, n_objects, tmp_path):
    right = '{"correct": 1, "confidence": 0.5, "more": {"a:b": "c"}}'
    (tmp_path / "a.jsonl").write_text("\n".join([right, *lines, right]))
    with pytest.warns(UserWarning, match=rf"^a\.jsonl: {len(lines) - n_objects} samples? (is|are) broken"):
        assert len(read_log("a.jsonl")) == 2 + n_objects


def test_objects_are_those_of_lines_that_are_parsed_one_by_one(tmp_path):
    """Of texts with all that JSON gives a meaning, in objects within objects, and lines cut anywhere."""
    rng, parts = (
        np.random.default_rng(3),
        ['"', "\\", ":", '":', " ", "{", "}", "[", "]", ",", "é", "\U0001f600", "0", "\n"],
    )
    lines = []
    for i in range(3_000):
        texts = ["".join(rng.choice(parts, size=rng.integers(4))) for _ in range(3)]
        row = {"correct": i, texts[0] + "n": texts[1], "o": {texts[2]: {"p": [texts[0], {"q": i}]}}}
        line = json.dumps(row, ensure_ascii=bool(i % 2), separators=(", ", rng.choice([":", ": ", " : "])))
        lines.append(line[: rng.integers(len(line))] if rng.random() < 0.01 else line)
    text = "\n".join(lines).encode()
    expected = {}
    for number, line in enumerate(lines, 1):
        try:
            expected[number] = json.loads(line)
        except ValueError:
            expected[number] = None
    found = {number: row if isinstance(row, dict) else None for number, _, row in objects_in(io.BytesIO(text), 1 << 20)}
    assert found == {number: row for number, row in expected.items() if lines[number - 1].strip()}
    assert 5 < sum(row is None for row in found.values()) < 100


def test_values_within_objects_are_columns_by_their_places(capsys):
    rows = [
        {"ok": bool(word == "dog"), "sure": {"p": p, "of": {"b": [p]}}, "more": {"place": "ab"[i % 2]}}
        for i, (word, p) in enumerate(zip(WORDS, P, strict=True))
    ]
    flat = [{"ok": row["ok"], "p": row["sure"]["p"], "place": row["more"]["place"]} for row in rows]
    rows[7]["more"] = None
    flat[7]["place"] = None
    files = write(rows, "a.jsonl"), write(flat, "b.jsonl")
    found, expected = (
        ConfidenceReport.from_files(file, correct="ok", confidence=p, slices=place)
        for file, p, place in zip(files, ("sure.p", "p"), ("more.place", "place"), strict=True)
    )
    pd.testing.assert_frame_equal(found.frame, expected.frame)
    assert found.slices["n_samples"].tolist() == expected.slices["n_samples"].tolist()
    for command in (["evaluate"], ["evaluate", "--batches"], ["threshold", "--target", "risk=0.9"]):
        assert main([command[0], "a.jsonl", *command[1:], "--correct", "ok", "--confidence", "sure.p"]) == 0
    capsys.readouterr()
    with pytest.raises(ValueError, match=r"column 'sure\.of'"):
        ConfidenceReport.from_files("a.jsonl", correct="ok", confidence="sure.of")


@pytest.mark.parametrize("batch_rows", [None, 2])
def test_nan_is_no_number_beside_truth_values_wherever_it_stands(batch_rows):
    write(b'{"a": NaN}\n{"a": NaN}\n{"a": true}\n{"a": NaN}\n{"a": NaN}\n{"a": null}\n{"a": false}\n')
    parts = list(_files.open_table(_files.Path("a.jsonl")).batches(["a"], batch_rows))
    assert pd.concat(parts)["a"].astype(object).where(lambda a: a.notna(), None).tolist() == [
        None, None, True, None, None, None, False
    ]  # fmt: skip
    write(b'{"a": NaN}\n{"a": 1.5}\n{"a": true}\n')
    with pytest.raises(ValueError, match="numbers in earlier rows"):
        list(_files.open_table(_files.Path("a.jsonl")).batches(["a"], batch_rows))
