"""Predictions in files and tables, read part by part: the numbers are those of all rows in memory."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from _support.predictions import draw_labels

from skconf import MetricAccumulator, confidence_scoring
from skconf.accumulation import accumulate
from skconf.profile import ConfidenceProfile

SUMS = ["cw_accuracy", "neg_ece", "cf1_macro", "neg_ecuas", "neg_confidence_log_loss", "cw_f1_macro"]
RANKS = ["neg_aurc", "confidence_roc_auc"]
NAMES = [*SUMS, *RANKS]
FORMS = ["csv", "csv.gz", "parquet"]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr("skconf.accumulation._read.BATCH_ROWS", 150)
    monkeypatch.setattr("skconf.tables._text.PIECE_BYTES", 10_000)


@pytest.fixture(params=["pyarrow", "pandas"])
def either_reader(request, monkeypatch):
    """CSV is read by pyarrow where there is one, else by pandas."""
    if request.param == "pandas":
        monkeypatch.setattr("skconf.tables._files.find_spec", lambda _: None)
    else:
        pytest.importorskip("pyarrow")


@pytest.fixture
def table():
    """Predictions of three classes, with confidences that repeat."""
    rng = np.random.default_rng(0)
    proba = rng.integers(1, 30, (1000, 3)).astype(float)
    proba /= proba.sum(axis=1, keepdims=True)
    drawn = draw_labels(proba, rng)
    columns = {f"proba_{label}": proba[:, code] for code, label in enumerate(["10", "9", "x"])}
    return pd.DataFrame(
        {
            **columns,
            "y_true": np.array(["10", "9", "x"])[drawn],
            "shop": rng.choice(["north", "web"], 1000),
            "day": rng.integers(1, 4, 1000),
            "text": "a, b\nc",
        }
    )


def in_memory(table, names=NAMES, labels=("10", "9", "x"), columns=("proba_10", "proba_9", "proba_x")):
    y_true, proba = table["y_true"].to_numpy(), table[list(columns)].to_numpy()
    weight = table.get("sample_weight")
    profile = ConfidenceProfile.from_predictions(y_true, proba, labels=list(labels), sample_weight=weight)
    return confidence_scoring(list(names)).of_profile(profile)


def write(table, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
        table.to_parquet(path, row_group_size=170)
    else:
        table.to_csv(path, index=False)
    return path


def same(found, expected):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-12, abs=1e-14), name


class TestFiles:
    @pytest.mark.parametrize("form", FORMS)
    def test_one(self, form, table, tmp_path):
        total = accumulate(write(table, tmp_path / f"a.{form}"), NAMES)
        assert total.n_samples == 1000
        same(total.result(), in_memory(table))

    @pytest.mark.usefixtures("either_reader")
    def test_csv(self, table, tmp_path):
        same(accumulate(write(table, tmp_path / "a.csv"), NAMES).result(), in_memory(table))

    @pytest.mark.parametrize("form", ["csv", "parquet"])
    @pytest.mark.parametrize("asked", ["list", "pattern", "folder"])
    def test_several_in_any_order(self, form, asked, table, tmp_path):
        parts = [table[:1], table[1:400], table[400:]]
        paths = [write(part, tmp_path / "data" / f"sub{k % 2}" / f"{k}.{form}") for k, part in enumerate(parts)]
        (tmp_path / "data" / "_SUCCESS").touch()
        (tmp_path / "data" / "notes.txt").write_text("of no table")
        given = {"list": paths[::-1], "pattern": str(tmp_path / "data" / "*" / "*"), "folder": tmp_path / "data"}
        same(accumulate(given[asked], NAMES).result(), in_memory(table))

    @pytest.mark.parametrize("form", ["csv", "parquet"])
    def test_groups_and_parts_of_paths(self, form, table, tmp_path):
        pytest.importorskip("pyarrow")
        for day, part in table.groupby("day"):
            write(part.drop(columns="day"), tmp_path / f"day={day}" / f"part.{form}")
        found = accumulate(tmp_path, SUMS, groups=["day", "shop"])
        expected = {key: in_memory(part, SUMS) for key, part in table.groupby(["day", "shop"])}
        assert list(found) == list(expected)
        for key, total in found.items():
            same(total.result(), expected[key])

    def test_weights_that_are_zero_for_a_whole_batch(self, table, tmp_path):
        table["sample_weight"] = np.arange(1000) // 200
        same(accumulate(write(table, tmp_path / "a.csv"), SUMS).result(), in_memory(table, SUMS))

    def test_empty_ones_among_others_are_told(self, table, tmp_path):
        paths = [write(table[:0], tmp_path / "a.csv"), write(table, tmp_path / "b.csv")]
        with pytest.warns(UserWarning, match=r"1 of 2 files have no rows.*a\.csv"):
            found = accumulate(paths, SUMS)
        same(found.result(), in_memory(table, SUMS))

    def test_a_warning_for_every_batch_is_told_once(self, table, tmp_path):
        table.loc[180:, "proba_9"] *= 0.9
        path = write(table, tmp_path / "a.csv")
        with pytest.warns(UserWarning, match=r"a\.csv: .* row 180 ") as told:
            accumulate(path, SUMS, labels=["10", "9", "x"])
        assert len(told) == 1

    def test_progress(self, table, tmp_path, capsys, monkeypatch):
        monkeypatch.setattr("skconf._core.progress.FIRST", 5.0)
        monkeypatch.setattr("skconf._core.progress.time.monotonic", iter(range(0, 10_000, 6)).__next__)
        accumulate([write(table, tmp_path / "a.csv")], "cw_accuracy", progress=True)
        assert "reading predictions (" in capsys.readouterr().err
        accumulate([tmp_path / "a.csv"], "cw_accuracy")
        assert capsys.readouterr().err == ""

    def test_parquet_tells_how_it_is_had(self, monkeypatch, tmp_path):
        (tmp_path / "a.parquet").touch()
        monkeypatch.setattr("skconf.tables._files.find_spec", lambda _: None)
        with pytest.raises(ImportError, match=r"Reading .*a\.parquet needs pyarrow: pip install pyarrow"):
            accumulate(tmp_path / "a.parquet", "cw_accuracy")


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    code = "import resource, sys; from skconf import accumulate\n"
    code += "accumulate(sys.argv[1], ['cw_accuracy', 'neg_aurc'], labels=[0, 1])\n"
    code += "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    rng = np.random.default_rng(0)
    proba = rng.random(1_000_000, dtype=np.float32)
    part = pa.table({"proba_1": proba, "y_true": (rng.random(1_000_000) < proba).astype(np.int8)})
    peaks = []
    for n_parts in (3, 40):
        path = tmp_path / f"{n_parts}.parquet"
        with pq.ParquetWriter(path, part.schema) as file:
            for _ in range(n_parts):
                file.write_table(part)
        done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout))
    assert peaks[1] < 1.25 * peaks[0]


class TestLabels:
    """They mean what their type says: numbers in Parquet, texts in CSV."""

    @pytest.mark.parametrize(
        ("labels", "names"),
        [
            ([3, 10], ["3", "10"]),
            ([3.0, 10.0], ["3", "10"]),
            ([False, True], ["False", "True"]),
            ([True, False], ["true", "false"]),
            (["01", "1"], ["01", "1"]),
            (pd.Categorical(["b", "a"], categories=["c", "b", "a"]), ["b", "a"]),
            (pd.Categorical([7, 5]), ["7", "5"]),
        ],
    )
    @pytest.mark.parametrize("form", ["table", "parquet"])
    def test_in_names_are_read_in_the_type_of_the_true_ones(self, labels, names, form, tmp_path):
        y_true = pd.Series(labels).iloc[[0, 1, 1, 0, 1]].reset_index(drop=True)
        first = np.array([0.9, 0.2, 0.4, 0.3, 0.1])
        table = pd.DataFrame({"y_true": y_true, f"proba_{names[0]}": first, f"proba_{names[1]}": 1 - first})
        data = table if form == "table" else write(table, tmp_path / "a.parquet")
        assert accumulate(data, "selective_accuracy").result() == {"selective_accuracy": 0.8}

    def test_of_csv_are_texts(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("y_true,proba_01,proba_1\n01,.9,.1\n1,.2,.8\n1,.6,.4\n")
        assert accumulate(path, "selective_accuracy").result() == {"selective_accuracy": pytest.approx(2 / 3)}
        with pytest.raises(ValueError, match=r"a\.csv: the names .* do not match labels=\['001', '1'\]"):
            accumulate(path, "selective_accuracy", labels=["001", "1"])

    def test_of_a_single_column_is_the_positive_one(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("y_true,proba_no\nno,.9\nyes,.2\nno,.4\n")
        found = accumulate(path, "cprecision", labels=["no", "yes"])
        assert found.result() == {"cprecision": pytest.approx(1.3 / 1.5)}

    @pytest.mark.parametrize("names", [["0", "1"], ["0.0", "1.0"], ["False", "True"]])
    @pytest.mark.parametrize("y_true", [["0", "1", "1"], ["0.0", "1.0", "1.0"], ["False", "True", "True"]])
    @pytest.mark.parametrize("form", ["csv", "object", "number"])
    @pytest.mark.usefixtures("either_reader")
    def test_are_the_same_however_they_are_written(self, names, y_true, form, tmp_path):
        """True labels of 1.0 or True stood for other classes than those of the columns proba_0 and proba_1."""
        table = pd.DataFrame(
            {"y_true": y_true, f"proba_{names[0]}": [0.9, 0.2, 0.6], f"proba_{names[1]}": [0.1, 0.8, 0.4]}
        )
        if form == "number":
            table["y_true"] = [{"F": False, "T": True}.get(text[0], text) for text in y_true]
            table["y_true"] = table["y_true"].infer_objects() if "F" in y_true[0] else pd.to_numeric(table["y_true"])
        parts = [write(table[:2], tmp_path / "a.csv"), write(table[2:], tmp_path / "b.csv")]
        data = parts if form == "csv" else [table[:2], table[2:]]
        scores = accumulate(data, ["selective_accuracy", "cw_accuracy", "crecall"], threshold=0).result()
        same(scores, {"selective_accuracy": 2 / 3, "cw_accuracy": 1.7 / 2.3, "crecall": 1.2 / 2})
        assert accumulate(data, "selective_accuracy", threshold=0, labels=[0, 1]).n_samples == 3

    def test_of_correctness_are_the_same_however_they_are_written(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("y_true,y_pred,confidence\n1,1.0,.9\n0,1.0,.6\n2,2.0,.5\n")
        same(accumulate(path, "cw_accuracy").result(), {"cw_accuracy": 1.4 / 2})
        path.write_text("correct,confidence\nTrue,.9\nFalse,.6\nTrue,.5\n")
        same(accumulate(path, "cw_accuracy").result(), {"cw_accuracy": 1.4 / 2})

    @pytest.mark.parametrize("prefix", ["proba_", ""])
    def test_that_are_given_find_their_columns_by_name(self, prefix):
        """They were taken for names of the columns in their order, whatever the columns are called."""
        proba = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
        table = pd.DataFrame(proba, columns=[f"{prefix}{label}" for label in ["cat", "dog", "fox"]])
        table["y_true"] = ["cat", "dog", "fox"]
        columns = {} if prefix else {"proba": ["fox", "cat", "dog"]}
        for labels in (["cat", "dog", "fox"], ["fox", "cat", "dog"]):
            assert accumulate(table, "selective_accuracy", threshold=0, labels=labels, **columns).result() == {
                "selective_accuracy": 1.0
            }
        assert accumulate(table, "selective_accuracy", threshold=0, **columns).result() == {"selective_accuracy": 1.0}
        with pytest.raises(ValueError, match=r"do not match labels=.*Leave labels out, or rename the columns"):
            accumulate(table, "selective_accuracy", labels=["cat", "dog", "bird"], **columns)

    def test_names_that_only_count_say_nothing(self):
        table = pd.DataFrame({"0": [0.9, 0.2], "1": [0.1, 0.8], "y_true": [1, 2]})
        found = accumulate(table, "selective_accuracy", proba=["0", "1"], labels=[1, 2], threshold=0)
        assert found.result() == {"selective_accuracy": 1.0}

    def test_of_the_accumulator_need_not_be_given_again(self):
        mine = MetricAccumulator(["selective_accuracy", "cprecision"], labels=["yes", "no"], pos_label="yes")
        table = {"y_true": ["yes", "yes"], "p": [0.9, 0.8]}
        found = accumulate([table, table], mine, proba="p")
        same(found.result(), {"selective_accuracy": 1.0, "cprecision": 1.0})
        assert accumulate({"y_true": ["yes", "no"], "y_proba": [[0.9, 0.1], [0.2, 0.8]]}, mine).n_samples == 2

    def test_that_no_name_tells_are_asked_for(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("y_true,p\n0,.9\n1,.2\n")
        with pytest.raises(ValueError, match=r"a\.csv: cannot infer the labels of the columns \['p'\]"):
            accumulate(path, "coverage", proba="p")
        assert accumulate(path, "coverage", proba="p", labels=["0", "1"]).n_samples == 2

    def test_of_another_type_are_refused(self):
        table = pd.DataFrame({"y_true": [0, 1], "proba_cat": [0.5, 0.5], "proba_dog": [0.5, 0.5]})
        with pytest.raises(ValueError, match=r"true labels are of type integer.*\['cat', 'dog'\]. Pass labels"):
            accumulate(table, "coverage")


class TestWhichFiles:
    """Each table is read, and once."""

    def test_backups_are_none(self, table, tmp_path):
        write(table, tmp_path / "a.csv")
        for other in (
            "a.csv.bak",
            "a.csv.old",
            "a.csv.gz~",
            "a.csv.gz.1",
            "a.parquet.crc",
            "notes.txt",
            ".b.csv",
            "csv",
        ):
            (tmp_path / other).write_bytes((tmp_path / "a.csv").read_bytes())
        for asked in (tmp_path, tmp_path / "*", tmp_path / "**", tmp_path / "a.*", tmp_path / "*.csv*"):
            assert accumulate(asked, "coverage").n_samples == 1000
        # A name in full, and a pattern that says how names end, are taken at their word.
        assert accumulate(tmp_path / "a.csv.bak", "coverage").n_samples == 1000
        assert accumulate([tmp_path / "*.csv", tmp_path / "*.old"], "coverage").n_samples == 2000

    @pytest.mark.parametrize("form", ["csv.gz", "csv.bz2", "csv.xz", "csv.zip"])
    def test_compressed_ones(self, form, table, tmp_path):
        path = write(table, tmp_path / f"a.{form}")
        for asked in (path, tmp_path):
            same(accumulate(asked, SUMS).result(), in_memory(table, SUMS))

    def test_one_by_several_paths_counts_once(self, table, tmp_path, monkeypatch):
        path = write(table, tmp_path / "data" / "a.csv")
        (tmp_path / "data" / "link.csv").symlink_to(path)
        (tmp_path / "data" / "hard.csv").hardlink_to(path)
        monkeypatch.chdir(tmp_path)
        around = tmp_path / "data" / ".." / "data" / "a.csv"
        for asked in (["data/a.csv", str(around)], [path, "data/link.csv"], tmp_path / "data", ["data", "data/*.csv"]):
            assert accumulate(asked, "coverage").n_samples == 1000

    @pytest.mark.parametrize("separator", [";", "\t", "|"])
    @pytest.mark.usefixtures("either_reader")
    def test_cells_separated_by_other_than_commas(self, separator, table, tmp_path):
        table.to_csv(tmp_path / "a.csv", index=False, sep=separator)
        same(accumulate(tmp_path / "a.csv", SUMS).result(), in_memory(table, SUMS))
        table.to_csv(tmp_path / "b.csv", index=False, sep=separator, decimal=",")
        same(accumulate(tmp_path / "b.csv", SUMS).result(), in_memory(table, SUMS))


class TestTables:
    @pytest.mark.parametrize(
        ("short", "n_rows"), [("shop", 999), ("shop", 1), ("y_pred", 1), ("y_pred", 500), ("y_proba", 999)]
    )
    def test_columns_have_a_row_for_each_prediction(self, short, n_rows, table):
        """A short column of groups dropped rows, and one of predictions was broadcast."""
        arrays = {"y_true": table["y_true"].to_numpy(), "y_proba": table.iloc[:, :3].to_numpy()}
        arrays |= {"shop": table["shop"].to_numpy(), "y_pred": table["y_true"].to_numpy()}
        arrays[short] = arrays[short][:n_rows]
        with pytest.raises(ValueError, match=f"columns must be of equal length, .*{short}': {n_rows}"):
            accumulate(arrays, "coverage", labels=["10", "9", "x"], groups="shop")

    @pytest.mark.parametrize("column", ["y_true", "y_proba", "shop", "sample_weight"])
    def test_hidden_values_are_not_read(self, column, table):
        arrays = {"y_true": table["y_true"].to_numpy(), "y_proba": table.iloc[:, :3].to_numpy()}
        arrays |= {"shop": table["shop"].to_numpy(), "sample_weight": np.ones(1000)}
        assert accumulate(arrays, "coverage", labels=["10", "9", "x"]).n_samples == 1000
        hidden = np.ma.masked_array(arrays[column], mask=False)
        hidden[3] = np.ma.masked
        with pytest.raises(ValueError, match=f"column '{column}' .* hidden"):
            accumulate({**arrays, column: hidden}, "coverage", labels=["10", "9", "x"], groups="shop")

    def test_a_name_for_two_columns_is_refused(self, table):
        twice = pd.concat([table, table[["y_true"]]], axis=1)
        with pytest.raises(ValueError, match=r"there are 2 columns 'y_true'. Leave out or rename all but one."):
            accumulate(twice, "coverage")

    def test_of_any_kind(self, table):
        expected = in_memory(table)
        halves = [table[:300], table[300:]]
        same(accumulate(table, NAMES).result(), expected)
        same(accumulate(halves, NAMES).result(), expected)
        same(accumulate(iter(halves), NAMES).result(), expected)
        same(accumulate([*halves, table[:0]], NAMES).result(), expected)
        arrays = {"y_true": table["y_true"].to_numpy(), "y_proba": table.iloc[:, :3].to_numpy()}
        same(accumulate(arrays, NAMES, labels=["10", "9", "x"]).result(), expected)

    def test_of_pyarrow(self, table):
        pa = pytest.importorskip("pyarrow")
        whole = pa.Table.from_pandas(table)
        same(accumulate(whole, NAMES).result(), in_memory(table))
        same(accumulate(whole.to_batches(max_chunksize=130), NAMES).result(), in_memory(table))

    def test_of_polars(self, table):
        pl = pytest.importorskip("polars")
        frame = pl.DataFrame({name: table[name].tolist() for name in table})
        same(accumulate(frame, NAMES).result(), in_memory(table))
        same(accumulate(frame.with_columns(pl.col("y_true").cast(pl.Categorical)), NAMES).result(), in_memory(table))

    @pytest.mark.parametrize("kind", ["objects", "list", "fixed"])
    def test_with_lists_of_probabilities(self, kind, table):
        proba = table.iloc[:, :3].to_numpy()
        if kind == "objects":
            data = pd.DataFrame({"y_true": table["y_true"], "y_proba": list(proba)})
        else:
            pa = pytest.importorskip("pyarrow")
            of = pa.list_(pa.float64(), 3) if kind == "fixed" else pa.list_(pa.float64())
            data = pa.table({"y_true": pa.array(table["y_true"].tolist()), "y_proba": pa.array(list(proba), of)})
            data = data.slice(0, 1000)
        same(accumulate(data, NAMES, labels=["10", "9", "x"]).result(), in_memory(table))
        same(accumulate(data[500:], NAMES, labels=["10", "9", "x"]).result(), in_memory(table[500:]))

    def test_of_correctness(self, table):
        sure = table.iloc[:, :3].max(axis=1)
        right = np.array(["10", "9", "x"])[table.iloc[:, :3].to_numpy().argmax(axis=1)] == table["y_true"]
        expected = in_memory(table, ["cw_accuracy", "neg_ece", "neg_aurc"])
        by_number = pd.DataFrame({"correct": right, "confidence": sure})
        by_label = pd.DataFrame(
            {"y_true": table["y_true"], "y_pred": np.where(right, table["y_true"], "no"), "c": sure}
        )
        same(accumulate(by_number, list(expected)).result(), expected)
        same(accumulate([by_label[:100], by_label[100:]], list(expected), confidence="c").result(), expected)

    def test_with_a_threshold(self, table):
        found = accumulate(table, "coverage", threshold=0.6).result()["coverage"]
        assert found == (table.iloc[:, :3].max(axis=1) >= 0.6).mean()

    def test_options_of_an_accumulator(self, table):
        mine = MetricAccumulator("neg_aurc", intervals=False, max_levels=1024)
        found = accumulate(table, mine)
        assert mine.n_samples == 0
        assert found.n_samples == 1000
        with pytest.raises(ValueError, match="was made without intervals"):
            found.confidence_interval()
        with pytest.raises(ValueError, match="If names is an accumulator, it must be empty"):
            accumulate(table, found)


class TestErrors:
    """Nothing is lost in silence: messages name file, column and row."""

    @pytest.mark.usefixtures("either_reader", "small_batches")
    def test_what_the_user_wrote_is_no_row(self, tmp_path):
        """Labels may look like what errors say of rows."""
        table = pd.DataFrame(
            {"y_true": ["row 1", "row 2"] * 500, "proba_row 1": 0.5, "proba_row 2": 0.5, "id": "row 3"}
        )
        table.loc[[437, 438], "y_true"] = "row 9"
        path = write(table, tmp_path / "row 4.csv")
        with pytest.raises(ValueError, match="row 437") as caught:
            accumulate(path, "cw_accuracy")
        assert (caught.value.row, caught.value.place, caught.value.kind) == (437, str(path), "unknown label")
        assert str(caught.value) == (
            f"{path}: y_true holds ['row 9'] (first in row 437 (line 439, id row 3)), not among the labels "
            "['row 1', 'row 2']. (target='y_true', proba=['proba_row 1', 'proba_row 2'])"
        )

    def broken(self, table, column, value, row=437):
        table = table.copy()
        table[column] = table[column].astype(object)
        table.loc[row, column] = value
        return table

    @pytest.mark.parametrize(
        ("column", "value", "message"),
        [
            ("proba_9", "high", "column 'proba_9' has 'high' in row 437 (line 876), where a number is needed"),
            ("proba_9", "", "column 'proba_9' has '' in row 437 (line 876), where a number is needed"),
            ("proba_9", "NaN", "in row 437 (line 876), where a number is needed"),
            ("proba_9", "1.5", "column 'proba_9' has 1.5, outside [0, 1], in row 437 (line 876). Pass probabilities"),
            ("y_true", "", "column 'y_true' has '' in row 437 (line 876), where a label is needed"),
            ("y_true", "z", "y_true holds ['z'] (first in row 437 (line 876)), not among the labels"),
        ],
    )
    @pytest.mark.usefixtures("either_reader")
    def test_entries_of_csv(self, column, value, message, table, tmp_path):
        path = write(self.broken(table, column, value), tmp_path / "a.csv")
        with pytest.raises(ValueError, match=r"a\.csv: ") as error:
            accumulate(path, "cw_accuracy")
        assert message in str(error.value)

    @pytest.mark.parametrize(
        ("column", "value", "message"),
        [
            ("proba_9", None, "column 'proba_9' has nan in row 437, where a number is needed"),
            ("proba_9", -1.0, "column 'proba_9' has -1.0, outside [0, 1], in row 437. Pass probabilities"),
            ("y_true", None, "in row 437, where a label is needed"),
        ],
    )
    def test_entries_of_parquet(self, column, value, message, table, tmp_path):
        path = write(self.broken(table, column, value), tmp_path / "a.parquet")
        with pytest.raises(ValueError, match=r"a\.parquet: ") as error:
            accumulate(path, "cw_accuracy")
        assert message in str(error.value)

    def test_columns_that_one_of_several_files_lacks_or_has(self, table, tmp_path):
        first = write(table, tmp_path / "a.csv")
        lacking = write(table.drop(columns="proba_9"), tmp_path / "b.csv")
        weighted = write(table.assign(sample_weight=1), tmp_path / "c.csv")
        with pytest.raises(ValueError, match=r"b\.csv: there is no column 'proba_9'"):
            accumulate([first, lacking], SUMS)
        with pytest.raises(
            ValueError, match=r"c\.csv: the columns \['sample_weight'\] do not occur in the first file, .*a\.csv"
        ):
            accumulate([first, weighted], SUMS)
        other = write(table.assign(proba_z=0.0), tmp_path / "d.csv")
        with pytest.raises(ValueError, match=r"d\.csv: the columns \['proba_z'\]"):
            accumulate([first, other], SUMS)

    def test_files(self, table, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"there is no file .*none\*"):
            accumulate(tmp_path / "none*", SUMS)
        with pytest.raises(FileNotFoundError, match="there is no table file"):
            accumulate(tmp_path, SUMS)
        empty = [write(table[:0], tmp_path / f"{name}.csv") for name in "ab"]
        with pytest.raises(ValueError, match=r"there are no rows in .*a\.csv.*b\.csv"):
            accumulate(empty, SUMS)
        (tmp_path / "c.parquet").write_text("no such thing")
        pytest.importorskip("pyarrow")
        with pytest.raises(ValueError, match=r"cannot read .*c\.parquet"):
            accumulate(tmp_path / "c.parquet", SUMS)

    def test_a_column_of_the_file_and_of_its_path(self, table, tmp_path):
        pytest.importorskip("pyarrow")
        path = write(table, tmp_path / "shop=web" / "a.parquet")
        with pytest.raises(ValueError, match=r"\['shop'\] is both a column of the file and a part of its path"):
            accumulate(path, SUMS)

    def test_options(self, table):
        with pytest.raises(ValueError, match="threshold"):
            accumulate(table, SUMS, threshold=-1)
        with pytest.raises(ValueError, match=r"There is no metric or scorer 'cwa'\. Did you mean 'cw_accuracy_score'"):
            accumulate(table, "cwa")

    def test_parts(self, table):
        with pytest.raises(ValueError, match="table 1: column 'proba_9' has nan in row 37"):
            accumulate([table[:400], self.broken(table, "proba_9", np.nan)[400:]], SUMS)
        with pytest.raises(ValueError, match="table 1: there is no column 'proba_9'"):
            accumulate([table, table.drop(columns="proba_9")], SUMS)
        with pytest.raises(ValueError, match="a list of 2 numbers") as refused:
            accumulate(pd.DataFrame({"y_true": [0, 1], "y_proba": [[0.5, 0.5], [1.0]]}), "coverage")
        assert (refused.value.column, refused.value.row) == ("y_proba", 1)
        with pytest.raises(TypeError, match="data must be paths, a table"):
            accumulate(7, SUMS)


@pytest.mark.parametrize("column", ["confidence", "correct"])
def test_half_of_a_prediction_is_none(column):
    """Confidence without correctness, or correctness without confidence."""
    table = pd.DataFrame({column: [1.0, 0.0, 1.0]})
    with pytest.raises(ValueError, match=r"cannot tell which of the columns .* hold the predictions"):
        accumulate([table], ["cw_accuracy"])


def test_a_warning_names_the_row_of_its_table_from_0():
    good = pd.DataFrame({"y_true": [0, 1, 1, 0], "proba_0": [0.9, 0.2, 0.3, 0.6], "proba_1": [0.1, 0.8, 0.7, 0.4]})
    off = good.assign(proba_1=[0.1, 0.8, 0.6, 0.4])
    with pytest.warns(UserWarning, match=r"^table 1: .* row 2 "):
        accumulate([good, off], ["cw_accuracy"])
