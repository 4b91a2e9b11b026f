"""Predictions on a cluster of Dask: several processes, one of which may die."""

import os
import signal

import joblib
import numpy as np
import pytest
from _support.engine_cases import RANKS, SUMS, in_memory, predictions, same, within_bounds
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate

from skconf import MetricAccumulator, SelectiveClassifier, accumulate, confidence_scoring

pytestmark = pytest.mark.dask


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "memory_limit": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def table():
    return predictions()


def test_data_frames(client, table):
    dd = pytest.importorskip("dask.dataframe")
    frame = dd.from_pandas(table, npartitions=11)
    same(accumulate(frame, SUMS, labels=[0, 1]), in_memory(table, SUMS))
    by_shop = accumulate(frame, SUMS, labels=[0, 1], groups="shop")
    assert list(by_shop) == ["north", "web"]
    for shop, total in by_shop.items():
        same(total, in_memory(table[table["shop"] == shop], SUMS))


def test_ranks_are_within_their_bound(client, table):
    dd = pytest.importorskip("dask.dataframe")
    total = accumulate(dd.from_pandas(table, npartitions=9), MetricAccumulator(RANKS, max_levels=1024), labels=[0, 1])
    within_bounds(total, table)


def test_files_read_by_dask_and_empty_partitions(client, table, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    for number, part in enumerate((table[:3], table[3:9000], table[9000:])):
        part.to_parquet(tmp_path / f"{number}.parquet")
    frame = dd.read_parquet(tmp_path)
    same(accumulate(frame, SUMS, labels=[0, 1]), in_memory(table, SUMS))
    some = frame[frame["proba_1"] > table["proba_1"][:3].max()]  # of which the first file has none
    same(accumulate(some, SUMS, labels=[0, 1]), in_memory(table[table["proba_1"] > table["proba_1"][:3].max()], SUMS))


def test_arrays_of_other_chunks(client, table):
    da = pytest.importorskip("dask.array")
    proba = np.column_stack([1 - table["proba_1"], table["proba_1"]])
    arrays = {
        "y_true": da.from_array(table["y_true"].to_numpy(), chunks=7000),
        "y_proba": da.from_array(proba, chunks=(3000, 1)),
    }
    same(accumulate(arrays, SUMS, labels=[0, 1]), in_memory(table, SUMS))
    arrays["y_true"] = arrays["y_true"][:-1]
    with pytest.raises(ValueError, match="y_proba and y_true differ in rows or chunks"):
        accumulate(arrays, SUMS, labels=[0, 1])


def test_errors_name_part_and_row(client, table):
    dd = pytest.importorskip("dask.dataframe")
    wrong = table.copy()
    wrong.loc[15_123, "proba_1"] = 1.5
    with pytest.raises(ValueError, match=r"part 3 of the data: column 'proba_1' has 1\.5, outside .* in row 123\."):
        accumulate(dd.from_pandas(wrong, npartitions=4), SUMS, labels=[0, 1])
    with pytest.raises(ValueError, match="there is no column 'shops'"):
        accumulate(dd.from_pandas(table, npartitions=4), SUMS, labels=[0, 1], groups="shops")


def die_once(part, flag):
    """Kill the process that reads a part, the first time that it is read."""
    if part["y_true"].size and part.index[0] == 10_000:
        try:
            flag.touch(exist_ok=False)
        except FileExistsError:
            return part
        os.kill(os.getpid(), signal.SIGKILL)
    return part


def test_a_worker_that_is_killed_changes_nothing(client, table, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    before = set(client.run(os.getpid).values())
    frame = dd.from_pandas(table, npartitions=20).map_partitions(die_once, tmp_path / "died", meta=table[:0])
    same(accumulate(frame, SUMS, labels=[0, 1]), in_memory(table, SUMS))
    assert (tmp_path / "died").exists()
    client.wait_for_workers(2)
    assert set(client.run(os.getpid).values()) != before


def test_searches_and_cross_validation_on_the_cluster(client):
    X, y = make_classification(400, random_state=0)
    search = GridSearchCV(
        SelectiveClassifier(LogisticRegression()),
        {"threshold": [0.6, 0.9]},
        scoring=confidence_scoring(["selective_accuracy", "coverage"]),
        refit="selective_accuracy",
    )
    scoring = confidence_scoring(["cw_accuracy", "neg_ecuas", "neg_aurc"])
    here = search.fit(X, y).cv_results_, cross_validate(LogisticRegression(), X, y, scoring=scoring)
    with joblib.parallel_config(backend="dask"):
        there = search.fit(X, y).cv_results_, cross_validate(LogisticRegression(), X, y, scoring=scoring)
    for one, other in zip(here, there, strict=True):
        names = [name for name in one if "test_" in name]
        assert names
        for name in names:
            np.testing.assert_array_equal(one[name], other[name])
