"""Files as other tools and hands write them: read right, or refused with what to do."""

import bz2
import gzip
import lzma

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceReport, accumulate

pa = pytest.importorskip("pyarrow")

ROWS = "y_true,proba_0,proba_1\n" + "0,.9,.1\n1,.2,.8\n" * 500


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


class TestNumbers:
    HEAD = "y_true;proba_0;proba_1;sample_weight\n"

    @pytest.mark.parametrize("weights", [("1.250", "900"), ("1.250.000", "3")])
    def test_points_that_may_part_thousands_are_refused_beside_decimal_commas(self, weights, tmp_path):
        path = write(tmp_path / "a.csv", f"{self.HEAD}0;0,9;0,1;{weights[0]}\n1;0,8;0,2;{weights[1]}\n")
        told = r"'sample_weight' has '1\.250.*' in row 0 \(line 2\)(\. The point may separate thousands|, where)"
        with pytest.raises(ValueError, match=told):
            accumulate(path, "cw_accuracy")

    @pytest.mark.parametrize("decimals", [",", "."])
    def test_weights_in_either_spelling(self, decimals, tmp_path):
        text = f"{self.HEAD}0;0,9;0,1;1,5\n1;0,8;0,2;900\n".replace(",", decimals)
        found = accumulate(write(tmp_path / "a.csv", text), "cw_accuracy").result()["cw_accuracy"]
        assert found == pytest.approx(1.5 * 0.9 / (1.5 * 0.9 + 900 * 0.8), rel=1e-12)


class TestColumns:
    @pytest.mark.parametrize("name", ["y_true", "y_pred", "sample_weight", "proba_1"])
    @pytest.mark.parametrize("space", ["", " "])
    def test_a_name_that_occurs_twice_is_refused(self, name, space, tmp_path):
        names = dict.fromkeys(["y_true", "proba_0", "proba_1", name])
        text = ",".join([*names, f"{space}{name}"]) + "\n" + ",".join(["0"] * (len(names) + 1)) + "\n"
        path = write(tmp_path / "a.csv", text)
        for read in (lambda: accumulate(path, "cw_accuracy"), lambda: ConfidenceReport.from_files(path)):
            with pytest.raises(ValueError, match=f"there are 2 columns '{name}'"):
                read()

    @pytest.mark.parametrize("name", ["sample_weight", "y_pred"])
    def test_one_of_predictions_that_only_a_later_table_has_is_refused(self, name):
        first = {"y_true": [0, 1], "proba_0": [0.9, 0.2], "proba_1": [0.1, 0.8]}
        with pytest.raises(ValueError, match=rf"table 1: the columns \['{name}'\] do not occur in table 0"):
            accumulate([first, {**first, name: [0, 1]}], "cw_accuracy", labels=[0, 1])
        assert accumulate([first, {**first, "else": [0, 1]}], "cw_accuracy", labels=[0, 1]).n_samples == 4

    @pytest.mark.parametrize("proba", [["0", "1"], ["1", "0"], None])
    @pytest.mark.parametrize("labels", [[0, 1], [1, 0]])
    def test_names_that_count_are_labels_where_all_of_them_are(self, proba, labels, tmp_path):
        path = write(tmp_path / "a.csv", "label,0,1\n0,.9,.1\n1,.2,.8\n1,.6,.4\n")
        found = ConfidenceReport.from_files(
            path, target="label", proba=proba, labels=labels, metrics=["accuracy_score"]
        )
        assert found.frame.iloc[0, 0] == pytest.approx(2 / 3)

    @pytest.mark.parametrize("labels", [["yes", "no"], ["no", "yes"]])
    def test_a_single_one_that_is_called_as_a_label_is_its_probability(self, labels, tmp_path):
        path = write(tmp_path / "a.csv", "label,yes\nyes,.9\nno,.1\nno,.2\n")
        found = accumulate(path, "accuracy", target="label", proba="yes", labels=labels).result()
        assert found == {"accuracy": 1}

    def test_predicted_labels_as_texts_beside_true_ones_as_numbers(self, tmp_path):
        """A batch may hold one class only."""
        n = 1_000
        table = {"y_true": np.repeat([0, 1], n), "y_pred": np.tile(["0", "1"], n), "confidence": np.full(2 * n, 0.7)}
        pd.DataFrame(table).to_parquet(tmp_path / "a.parquet", row_group_size=n)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("skconf.accumulation._read.BATCH_ROWS", n)
            assert accumulate(tmp_path / "a.parquet", "accuracy").result() == {"accuracy": 0.5}

    def test_a_list_of_probabilities_that_is_missing_is_named(self, tmp_path):
        pq = pytest.importorskip("pyarrow.parquet")
        proba = pa.array([[0.9, 0.1], None, [0.2, 0.8]])
        pq.write_table(pa.table({"y_true": [0, 1, 1], "y_proba": proba}), tmp_path / "a.parquet")
        with pytest.raises(ValueError, match="column 'y_proba' has None in row 1, where a list of numbers is needed"):
            accumulate(tmp_path / "a.parquet", "cw_accuracy", labels=[0, 1])


class TestGroups:
    @pytest.mark.parametrize(
        ("kind", "groups"),
        [
            ("int8", [-60, 70]),
            ("int16", [-20_000, 19_999]),
            ("int64", [-(2**63), -(2**63) + 9]),
            ("uint8", [0, 255]),
            ("uint64", [2**64 - 5, 2**64 - 1]),
        ],
    )
    def test_of_any_whole_numbers(self, kind, groups, tmp_path):
        n = 60_000
        table = pd.DataFrame({"correct": np.ones(n, bool), "confidence": np.full(n, 0.5)})
        path = tmp_path / "a.parquet"
        table.assign(place=np.resize(np.array(groups, kind), n)).to_parquet(path)
        for data in (path, pd.read_parquet(path)):
            found = accumulate(data, "mean_confidence", groups="place")
            assert {group: total.n_samples for group, total in found.items()} == dict.fromkeys(groups, n // 2)

    def test_of_folders_that_are_no_numbers_throughout(self, tmp_path):
        for shop in ("1", "north"):
            write(tmp_path / f"shop={shop}" / "a.csv", ROWS)
        with pytest.raises(
            ValueError, match=r"the groups \['shop'\] mix labels .* \(int, str\), because tables or folders"
        ):
            accumulate(tmp_path, "cw_accuracy", groups="shop")
        assert accumulate(tmp_path, "cw_accuracy").n_samples == 2_000

    def test_of_a_folder_without_a_value(self, tmp_path):
        for shop in ("7", "__HIVE_DEFAULT_PARTITION__"):
            write(tmp_path / f"shop={shop}" / "seed=3.csv", ROWS.replace("y_true", "seed", 1))
        assert accumulate(tmp_path, "cw_accuracy", target="seed").n_samples == 2_000
        with pytest.raises(ValueError, match=r"shop=__HIVE.*: there is no column 'shop'"):
            accumulate(tmp_path, "cw_accuracy", target="seed", groups="shop")


class TestFiles:
    @pytest.mark.parametrize(
        ("ending", "damaged"),
        [
            (".bz2", bz2.compress(ROWS.encode())[:-30]),
            (".xz", lzma.compress(ROWS.encode())[:-30]),
            (".xz", b"\xfd7zXZ\0 and no more of it"),
            (".gz", gzip.compress(ROWS.encode(), mtime=0)[:10] + b"\xff" * 40),
            (".zip", b"PK\x03\x04 and no more of it"),
        ],
        ids=["bz2", "xz", "no xz", "gz", "zip"],
    )
    def test_damaged_ones_are_named(self, ending, damaged, tmp_path):
        path = tmp_path / f"a.csv{ending}"
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=rf"cannot read .*a\.csv\{ending}: "):
            accumulate(path, "cw_accuracy")

    def test_compressed_by_zstandard(self, tmp_path):
        with pa.output_stream(str(tmp_path / "a.csv.zst"), compression="zstd") as file:
            file.write(ROWS.encode())
        assert accumulate(tmp_path, "cw_accuracy").n_samples == 1_000

    def test_paths_in_any_iterable(self, tmp_path):
        paths = [write(tmp_path / name, ROWS) for name in ("a.csv", "b.csv")]
        for data in (paths, iter(paths), set(paths), np.array(list(map(str, paths))), tmp_path.rglob("*.csv")):
            assert accumulate(data, "cw_accuracy").n_samples == 2_000
