"""The experiments and the command line."""

import os

import numpy as np
import pandas as pd
import pytest

from skconf.cli import main
from skconf.datasets import fetch_uci, list_uci
from skconf.experiments import _csr, csr_experiment, format_csr_table

pytest.importorskip("xgboost")
COLUMNS = ["accuracy", "cw_accuracy", "gain", "csr", "csr_std", "risk_probability"]


@pytest.fixture(scope="module")
def cancer():
    return csr_experiment(["breast_cancer"])


@pytest.fixture
def small_uci(tmp_path, monkeypatch):
    """Real files where they are at hand; the environment must not lead the other tests to them."""
    monkeypatch.delenv("SKCONF_DATA", raising=False)
    return tmp_path


def test_a_row_for_each_calibration_with_the_printed_one_beside_it(cancer):
    assert cancer["calibration"].tolist() == ["none", "isotonic", "platt"]
    assert (cancer["n_test"] == 114).all()
    printed = _csr.paper_table().query("dataset == 'breast_cancer'")
    for column in COLUMNS:
        np.testing.assert_array_equal(cancer[f"paper_{column}"], printed[column])


def test_prediction_stays_the_uncalibrated_models(cancer):
    assert cancer["accuracy"].nunique() == 1


def test_isotonic_is_wrong_at_full_confidence_where_platt_is_not(cancer):
    ratio = cancer.set_index("calibration")["csr"]
    assert ratio["isotonic"] > 1000
    assert ratio["platt"] < 5


def test_columns_follow_from_the_outcome(cancer):
    row = cancer.iloc[0]
    assert row["accuracy"] * 114 == pytest.approx(round(row["accuracy"] * 114))
    expected_gain = (row["cw_accuracy"] - row["accuracy"]) / (1 - min(row["cw_accuracy"], row["accuracy"]))
    assert row["gain"] == pytest.approx(expected_gain)
    # An error of full confidence adds 1e8/n: the paper's own isotonic figure is three of them.
    assert cancer["csr"][1] * 114 / 1e8 == pytest.approx(round(cancer["csr"][1] * 114 / 1e8), abs=1e-4)


@pytest.mark.skipif("SKCONF_DATA" not in os.environ, reason="SKCONF_DATA does not name the folder of the raw files")
def test_isotonic_is_a_catastrophe_on_most_raw_data_sets_and_platt_is_not():
    table = csr_experiment(["diabetes", "adult_income", "credit", "obesity"], calibrations=["isotonic", "platt"])
    ratio = table.pivot(index="dataset", columns="calibration", values="csr")
    assert (ratio["isotonic"] > 1000).sum() >= 3
    assert ratio["platt"].between(0.1, 2.5).all()
    # No parameters were searched: accuracies are near the paper's, not within their sampling error.
    np.testing.assert_allclose(table["accuracy"], table["paper_accuracy"], atol=0.12)


def test_same_seed_same_numbers(cancer):
    pd.testing.assert_frame_equal(csr_experiment(["breast_cancer"]), cancer)


def test_data_set_outside_the_paper_has_no_printed_row():
    table = csr_experiment(["digits"], calibrations=["platt"])
    assert len(table) == 1
    assert table[[f"paper_{column}" for column in COLUMNS]].isna().all(axis=None)
    assert "–" in format_csr_table(table)


def test_split_keeps_classes_and_the_official_test_set():
    data = fetch_uci("breast_cancer")
    parts = _csr.split(data, seed=0)
    assert [len(y) for _, y in parts] == [341, 114, 114]
    assert sorted(index for X, _ in parts for index in X.index) == list(range(569))
    for _, y in parts:
        assert y.mean() == pytest.approx(data.target.mean(), abs=0.01)
    data.test_mask = np.arange(569) >= 500
    parts = _csr.split(data, seed=0)
    assert [len(y) for _, y in parts] == [375, 125, 69]
    assert parts[2][0].index.min() == 500


def test_command_prints_results_on_one_stream_and_progress_on_the_other(tmp_path, capsys):
    target = tmp_path / "table6.csv"
    assert main(["experiment", "csr", "--datasets", "breast_cancer", "--csv", str(target)]) == 0
    out, err = capsys.readouterr()
    assert out.count("breast_cancer") == 3
    assert "0.9737" in out  # the paper's accuracy
    assert "[1/1] breast_cancer: training XGBoost on 569 samples" in err
    written = pd.read_csv(target)
    assert written["csr"].iloc[1] > 1000
    assert len(written) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--datasets", "adult"], r"Unknown data set 'adult'. Did you mean 'adult_income'"),
        (["--datasets", "diabetes"], "pima-indians-diabetes.csv, which does not exist. Get it from https://"),
        (["--calibration", "plat"], "calibration must be one of 'none', 'isotonic', 'platt', but is 'plat'"),
        (["--csv", "no/such/folder/out.csv"], "there is no folder no/such/folder; create it"),
    ],
)
def test_mistakes_are_told_without_a_traceback(arguments, message, small_uci, capsys):
    assert main(["experiment", "csr", "--data-home", str(small_uci), *arguments]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("skconf: error: ")
    assert message in err


def test_a_missing_file_shows_before_anything_is_trained(small_uci, capsys):
    assert main(["experiment", "csr", "--data-home", str(small_uci), "--datasets", "breast_cancer", "wine"]) == 1
    assert "training" not in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--help"], ["experiment", "--help"], ["experiment", "csr", "--help"]])
def test_help_teaches(arguments, capsys):
    with pytest.raises(SystemExit, match="0"):
        main(arguments)
    assert "usage: python -m skconf" in capsys.readouterr().out


def test_every_paper_row_of_a_known_data_set_is_found():
    known = set(list_uci()) & set(_csr.paper_table()["dataset"])
    assert len(known) == 8
    assert len(_csr.paper_table()) == 45
