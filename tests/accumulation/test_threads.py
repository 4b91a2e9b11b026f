"""Files read by threads: the same bits for any number of them, the earliest error, and no thread left."""

import itertools
import os
import signal
import threading
import time
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from _support.predictions import draw_table
from joblib import Parallel, delayed
from threadpoolctl import threadpool_info, threadpool_limits

from skconf import ConfidenceReport, MetricAccumulator, accumulate
from skconf.accumulation._read import open_table
from skconf.accumulation._threads import in_order, number_of_threads

NAMES = ["cw_accuracy", "cw_f1_macro", "cf1_macro", "cwsa", "neg_ecuas", "neg_ece", "neg_csr_excess", "neg_aurc"]
N = 40_000


def draw(n=N, seed=0):
    rng = np.random.default_rng(seed)
    proba = rng.beta(2, 0.5, n)
    return pd.DataFrame(
        {
            "y_true": (rng.random(n) < proba).astype(int),
            "proba_1": proba,
            "sample_weight": rng.exponential(1, n),
            "shop": rng.integers(0, 50, n),
        }
    )


def write(table, path, row_group_size=7_000):
    pytest.importorskip("pyarrow")
    table.to_parquet(path, row_group_size=row_group_size, index=False)
    return path


@pytest.fixture
def ends_its_threads():
    before = threading.active_count()
    yield
    assert threading.active_count() == before


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr("skconf.accumulation._read.BATCH_ROWS", 1_500)
    monkeypatch.setattr("skconf.tables._text.PIECE_BYTES", 30_000)


def arrays(total):
    return {name: array.tobytes() for name, array in total.state_dict().items()}


@pytest.mark.filterwarnings("ignore:There are too many distinct confidences")
@pytest.mark.parametrize(("form", "groups"), [("parquet", None), ("csv", "shop")])
@pytest.mark.usefixtures("small_batches")
def test_any_number_gives_the_same_bits(form, groups, tmp_path):
    for number in range(3):
        table = draw(9_000, number)
        if form == "csv":
            table.to_csv(tmp_path / f"{number}.csv", index=False)
        else:
            write(table, tmp_path / f"{number}.parquet")
    empty = MetricAccumulator(NAMES if groups is None else NAMES[:-1], max_levels=1024)
    found = [accumulate(tmp_path, empty, labels=[0, 1], groups=groups, n_jobs=n) for n in (1, 2, 3, 8)]
    if groups is None:
        found = [{None: total} for total in found]
    first = {group: arrays(total) for group, total in found[0].items()}
    assert len(first) == (1 if groups is None else 50)
    for other in found[1:]:
        assert {group: arrays(total) for group, total in other.items()} == first


@pytest.mark.usefixtures("small_batches")
def test_many_columns_are_read_as_one_part_and_have_the_same_bits(tmp_path):
    """Each part that is being read holds memory for all of its columns."""
    for n_classes, n_parts in ((4, 2), (20, 1)):
        table = draw_table(14_000, range(n_classes))
        path = write(table, tmp_path / f"{n_classes}.parquet")
        assert len(list(open_table(path).streams(list(table), [], 1_500))) == n_parts
        one, *others = (arrays(accumulate(path, NAMES[:-1], n_jobs=n)) for n in (1, 2, 3))
        assert others == [one, one]


def test_neither_cuts_nor_the_order_of_files_show(tmp_path):
    """Sums have twice the digits, so that the order of many additions does not matter."""
    table = draw()
    whole = accumulate(write(table, tmp_path / "whole.parquet", N), NAMES[:-1], labels=[0, 1], n_jobs=2)
    ends = np.linspace(0, N, 8).astype(int)
    cut = [
        write(table[start:end], tmp_path / f"{start}.parquet", 700) for start, end in itertools.pairwise(ends.tolist())
    ]
    one, other = (accumulate(files, NAMES[:-1], labels=[0, 1], n_jobs=3) for files in (cut, cut[::-1]))
    assert one.result() == other.result()
    for name, value in whole.result().items():
        assert one.result()[name] == pytest.approx(value, rel=1e-13, abs=1e-15), name


def where(caught):
    error = caught.value
    return error.place, error.row, error.column, error.kind


@pytest.mark.usefixtures("small_batches", "ends_its_threads")
@pytest.mark.parametrize("n_jobs", [1, 2, 8])
class TestErrors:
    def test_the_earliest_wins(self, n_jobs, tmp_path):
        table = draw()
        table.loc[[33_001, 20_017], "proba_1"] = [np.nan, 1.5]
        path = write(table, tmp_path / "a.parquet")
        with pytest.raises(ValueError, match="outside") as caught:
            accumulate(path, NAMES, labels=[0, 1], n_jobs=n_jobs)
        assert where(caught) == (str(path), 20_017, "proba_1", "out of range")

    def test_of_text_the_earliest_wins(self, n_jobs, tmp_path):
        lines = draw()[["y_true", "proba_1"]].to_csv(index=False).splitlines()
        lines[33_001], lines[20_018] = "1,0.5,3", "1,high"
        (tmp_path / "a.csv").write_text("\n".join(lines))
        with pytest.raises(ValueError, match="high") as caught:
            accumulate(tmp_path, NAMES, labels=[0, 1], n_jobs=n_jobs)
        assert where(caught) == (str(tmp_path / "a.csv"), 20_017, "proba_1", "not a number")
        lines[18_000] = ""  # empty lines are no rows
        lines[20_018] = "1,0.5"
        (tmp_path / "a.csv").write_text("\n".join(lines))
        with pytest.raises(ValueError, match="Expected 2 columns") as caught:
            accumulate(tmp_path, NAMES, labels=[0, 1], n_jobs=n_jobs)
        assert where(caught) == (str(tmp_path / "a.csv"), 33_001, None, "number of cells")

    def test_a_null_is_named(self, n_jobs, tmp_path):
        table = draw().astype({"y_true": "Int64"})
        table.loc[31_234, "y_true"] = None
        path = write(table, tmp_path / "a.parquet")
        with pytest.raises(ValueError, match="label") as caught:
            accumulate(path, NAMES, labels=[0, 1], n_jobs=n_jobs)
        assert where(caught) == (str(path), 31_234, "y_true", "not a label")

    def test_a_damaged_row_group(self, n_jobs, tmp_path):
        write(draw(), tmp_path / "a.parquet")
        path = write(draw(), tmp_path / "b.parquet")
        whole = path.read_bytes()
        middle = len(whole) // 2
        path.write_bytes(whole[:middle] + bytes(4096) + whole[middle + 4096 :])
        with pytest.raises(ValueError, match=r"b.parquet"):
            accumulate(tmp_path, NAMES, labels=[0, 1], n_jobs=n_jobs)

    def test_a_fault_of_the_disk(self, n_jobs):
        def stream():
            yield 1
            raise OSError(28, "No space left on device")

        found = []
        with pytest.raises(OSError, match="No space left"):
            found.extend(in_order([[10, 20], stream(), [3] * 1000], lambda item: item, n_jobs))


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_results_come_in_order(n_threads):
    rng = np.random.default_rng(0)
    pauses = {(stream, item): 0.002 * rng.random() for stream in range(6) for item in range(stream)}

    def work(place):
        time.sleep(pauses[place])
        return place

    streams = [[(stream, item) for item in range(stream)] for stream in range(6)]
    assert list(in_order(streams, work, n_threads)) == list(pauses)


@pytest.mark.usefixtures("ends_its_threads")
def test_few_items_are_in_memory():
    """While the first item takes long, others wait in bounded number."""
    taken, go_on = [], threading.Event()

    def stream(number):
        for item in range(1000):
            taken.append((number, item))
            yield number, item

    def work(place):
        if place == (0, 0):
            go_on.wait(5)
        return place

    results = in_order([stream(number) for number in range(3)], work, 2)
    waiting = threading.Timer(0.3, lambda: (taken.append(len(taken)), go_on.set()))
    waiting.start()
    assert next(results) == (0, 0)
    results.close()
    waiting.join()
    assert next(number for number in taken if isinstance(number, int)) <= 20


@pytest.mark.skipif(os.name == "nt", reason="on Windows the signal ends the process")
@pytest.mark.usefixtures("ends_its_threads", "small_batches")
def test_an_interrupt_ends_with_the_batches_at_hand(tmp_path):
    path = write(pd.concat([draw()] * 10), tmp_path / "a.parquet")
    begun = []

    def phi(c):
        begun.append(len(c))
        if len(begun) == 10:
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
        return c

    slow = MetricAccumulator([("cwsa", {"phi": phi})], labels=[0, 1])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            accumulate(path, slow, n_jobs=3)
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(begun) < 30


@pytest.mark.usefixtures("small_batches")
def test_reports_are_the_same(tmp_path):
    path = write(draw(9_000).drop(columns="shop"), tmp_path / "a.parquet")
    one, other = (ConfidenceReport.from_files(path, labels=[0, 1], in_batches=True, n_jobs=n) for n in (1, 3))
    pd.testing.assert_frame_equal(one.frame, other.frame, check_exact=True)


@pytest.mark.usefixtures("small_batches")
def test_warnings_name_the_first_batch_once(tmp_path):
    table = draw(12_000)
    table["proba_1"] = np.round(table["proba_1"]).astype(int)
    path = write(table, tmp_path / "a.parquet")
    with pytest.warns(UserWarning, match="whole numbers") as found:
        accumulate(path, "cw_accuracy", labels=[0, 1], n_jobs=4)
    assert [str(warning.message).count("a.parquet") for warning in found] == [1]


def test_a_worker_has_one_thread():
    assert number_of_threads(None) == 1
    assert number_of_threads(3) == 3
    assert Parallel(n_jobs=2)(delayed(number_of_threads)(4) for _ in range(2)) == [1, 1]


class Watched(dict):
    """A table that notes how many threads linear algebra may take while it is read."""

    seen: ClassVar[list[int]] = []

    def __getitem__(self, name):
        self.seen += threads_of_blas()
        return super().__getitem__(name)


def threads_of_blas():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_tables_are_read_by_one_thread_and_made_by_as_many_as_there_were():
    made = []

    def tables():
        for _ in range(3):
            made.append(threads_of_blas())
            yield Watched(correct=np.array([1, 0]), confidence=np.array([0.5, 0.25]))

    with threadpool_limits(2, "blas"):
        before = threads_of_blas()
        assert accumulate(tables(), "mean_confidence").result()["mean_confidence"] == 0.375
        after = threads_of_blas()
    assert Watched.seen
    assert set(Watched.seen) == {1}
    assert made == [before] * 3
    assert after == before
