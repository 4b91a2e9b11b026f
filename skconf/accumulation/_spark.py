"""Read a Spark data frame: one task reads each partition, and Spark chooses how many tasks merge the results."""

import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from skconf._core.problems import located
from skconf.accumulation._read import Job, merged
from skconf.accumulation._state import State, Totals
from skconf.tables._files import BATCH_ROWS
from skconf.tables._parquet import BATCH_BYTES

_SCHEMA = "part int, totals binary"


def read_spark(data: Any, job: Job) -> dict[Any, State]:
    """Return the states of a Spark data frame."""
    job = job.on_parts(data.columns)
    totals = data.select(*job.columns.needed).mapInArrow(_in_partition(job), _SCHEMA)
    # Pass no number of partitions, so that adaptive execution chooses it by the size of the results.
    totals = totals.repartition("part").mapInArrow(_merge, _SCHEMA)
    return job.states(merged(pickle.loads(row.totals) for row in totals.collect()))


def _in_partition(job: Job) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return the function that Spark runs on the batches of a partition."""

    def read(batches: Iterable[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context: Any = TaskContext.get()  # there is one in every task
        part, row = context.partitionId(), 0
        totals = Totals()
        for table in _larger(batches):
            with located(f"part {part} of the data", row):
                job.add(totals, job.read(table))
            row += len(table)
        yield _row(part, totals)

    return read


def _merge(batches: Iterable[Any]) -> Iterator[Any]:
    yield _row(0, merged(pickle.loads(totals) for batch in batches for totals in batch.column("totals").to_pylist()))


def _row(part: int, totals: Totals) -> Any:
    import pyarrow as pa

    columns = [pa.array([part], pa.int32()), pa.array([pickle.dumps(totals)], pa.binary())]
    return pa.record_batch(columns, names=["part", "totals"])


def _larger(batches: Iterable[Any]) -> Iterator[Any]:
    """Concatenate batches, because Spark sends 10,000 rows at a time, and many small batches take longer."""
    import pyarrow as pa

    held: list[Any] = []
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) >= BATCH_ROWS or sum(part.nbytes for part in held) >= BATCH_BYTES:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)
