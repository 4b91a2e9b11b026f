"""Scores of a Parquet file in batches, against reading it with pyarrow: python -m pytest -n 0 thisfile."""

from csv import QUOTE_MINIMAL, QUOTE_NONNUMERIC

import numpy as np
import pandas as pd
import pytest

from skconf import MetricAccumulator, accumulate

N = 2_000_000
TEN = [
    "cw_accuracy",
    "neg_ece",
    "cf1",
    "neg_ecuas",
    "neg_confidence_brier",
    "neg_confidence_log_loss",
    "cw_f1_macro",
    "coverage",
    "selective_accuracy",
    "cwsa",
]
RANKS = ["neg_aurc", "neg_augrc", "cw_roc_auc"]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(0)
    proba = rng.random(N, dtype=np.float32)
    table = pa.table({"proba_1": proba, "y_true": (rng.random(N) < proba).astype(np.int8)})
    path = tmp_path_factory.mktemp("large") / "a.parquet"
    pq.write_table(table, path, row_group_size=500_000)
    return path


@pytest.mark.parametrize("intervals", [False, True], ids=["values", "values_and_intervals"])
@pytest.mark.parametrize("names", [["cw_accuracy"], TEN, RANKS], ids=["one", "ten", "ranks"])
def test_batches(ratio, path, names, intervals):
    from pyarrow.dataset import dataset

    def read():
        return sum(map(len, dataset(path).to_batches()))

    def score():
        return accumulate(path, MetricAccumulator(names, intervals=intervals), labels=[0, 1])

    title = f"{len(names)} metrics{', with intervals' if intervals else ''}"
    ratio(title, "reading the file", read, score, 5 * N, rounds=3)


@pytest.mark.parametrize("intervals", [False, True], ids=["values", "values_and_intervals"])
@pytest.mark.parametrize("names", [["cw_accuracy"], TEN], ids=["one", "ten"])
def test_weights(ratio, path, tmp_path, names, intervals):
    """The same rows, against no weights."""
    pq = pytest.importorskip("pyarrow.parquet")
    weighted = tmp_path / "a.parquet"
    weight = np.random.default_rng(0).exponential(1, N).astype(np.float32)
    pq.write_table(pq.read_table(path).append_column("weight", [weight]), weighted, row_group_size=500_000)

    def score(weight=None):
        return accumulate(weighted, MetricAccumulator(names, intervals=intervals), labels=[0, 1], weight=weight)

    title = f"{len(names)} metrics{', with intervals' if intervals else ''}, weighted"
    ratio(title, "without weights", score, lambda: score("weight"), 9 * N, rounds=3)


@pytest.mark.parametrize("intervals", [False, True], ids=["values", "values_and_intervals"])
@pytest.mark.parametrize("names", [["cw_accuracy"], TEN], ids=["one", "ten"])
def test_groups(ratio, path, tmp_path, names, intervals):
    """10,000 groups of the same rows, against no groups."""
    pq = pytest.importorskip("pyarrow.parquet")
    grouped = tmp_path / "a.parquet"
    group = np.random.default_rng(0).integers(0, 10_000, N)
    pq.write_table(pq.read_table(path).append_column("group", [group]), grouped, row_group_size=500_000)

    def score(groups=None):
        return accumulate(grouped, MetricAccumulator(names, intervals=intervals), labels=[0, 1], groups=groups)

    title = f"{len(names)} metrics{', with intervals' if intervals else ''}, of 10,000 groups"
    ratio(title, "without groups", score, lambda: score("group"), 13 * N, rounds=3)


@pytest.mark.parametrize("quoted", [False, True], ids=["plain", "quoted"])
def test_text(ratio, tmp_path, quoted):
    """One metric of CSV, against reading its columns with pyarrow."""
    csv = pytest.importorskip("pyarrow.csv")
    rng = np.random.default_rng(0)
    proba = rng.random(N // 2)
    table = pd.DataFrame({"proba_1": proba, "y_true": (rng.random(N // 2) < proba).astype(int).astype(str)})
    path = tmp_path / "a.csv"
    table.to_csv(path, index=False, quoting=QUOTE_NONNUMERIC if quoted else QUOTE_MINIMAL)

    def read():
        with csv.open_csv(path, csv.ReadOptions(use_threads=False)) as batches:
            return sum(map(len, batches))

    title = f"one metric of CSV{', labels in quotes' if quoted else ''}"

    def score():
        return accumulate(path, "cw_accuracy", labels=["0", "1"])

    ratio(title, "reading the file", read, score, path.stat().st_size, rounds=3)
