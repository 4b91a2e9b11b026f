"""Predictions in a data frame of Spark: a local session, with processes of Python that may die."""

import os
import shutil
import signal
import sys

import pytest
from _support.engine_cases import RANKS, SUMS, in_memory, predictions, same, within_bounds

from skconf import MetricAccumulator, accumulate

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]


@pytest.fixture(scope="module")
def spark():
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark needs a Java runtime: install OpenJDK 17 or 21, see docs/install.md")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # Two tasks at a time, and a task may fail three times.
    builder = sql.SparkSession.builder.master("local[2, 4]").config("spark.ui.enabled", "false")
    # Nothing runs long enough to be worth compiling well: half of the time went into it.
    builder = builder.config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    session = builder.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def table():
    return predictions()


@pytest.fixture
def frame(spark, table, tmp_path):
    """The table in seven files, the first of which has no rows."""
    for number, start in enumerate(range(-3000, 20_000, 3000)):
        table[max(start, 0) : start + 3000].to_parquet(tmp_path / f"{number}.parquet", index=False)
    return spark.read.parquet(str(tmp_path))


def test_sums_and_groups(frame, table):
    same(accumulate(frame, SUMS, labels=[0, 1]), in_memory(table, SUMS))
    by_shop = accumulate(frame.repartition(5), SUMS, labels=[0, 1], groups="shop")
    assert list(by_shop) == ["north", "web"]
    for shop, total in by_shop.items():
        same(total, in_memory(table[table["shop"] == shop], SUMS))


def test_ranks_are_within_their_bound(frame, table):
    total = accumulate(frame, MetricAccumulator(RANKS, max_levels=1024), labels=[0, 1])
    within_bounds(total, table)


def test_probabilities_in_an_array(spark, table):
    frame = spark.createDataFrame(table).selectExpr("y_true", "array(1 - proba_1, proba_1) AS y_proba")
    same(accumulate(frame, SUMS, labels=[0, 1]), in_memory(table, SUMS))


def test_no_rows_at_all(frame):
    total = accumulate(frame.where("y_true > 1"), SUMS, labels=[0, 1])
    assert total.n_samples == 0


def test_errors_name_part_and_row(spark, table):
    wrong = table.copy()
    wrong.loc[15_123, "proba_1"] = 1.5
    frame = spark.createDataFrame(wrong).coalesce(1)
    with pytest.raises(Exception, match=r"part 0 of the data: column 'proba_1' has 1\.5, outside .* in row 15123\."):
        accumulate(frame, SUMS, labels=[0, 1])
    with pytest.raises(ValueError, match="there is no column 'shops'"):
        accumulate(frame, SUMS, labels=[0, 1], groups="shops")


def test_a_worker_that_is_killed_changes_nothing(frame, table, tmp_path):
    died = tmp_path / "died"

    def die_once(batches):
        for batch in batches:
            try:
                died.touch(exist_ok=False)
            except FileExistsError:
                yield batch
            else:
                os.kill(os.getpid(), signal.SIGKILL)

    same(accumulate(frame.mapInArrow(die_once, frame.schema), SUMS, labels=[0, 1]), in_memory(table, SUMS))
    assert died.exists()
