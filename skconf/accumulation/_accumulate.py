"""The function accumulate: scores of predictions in files, in batches or on a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain, islice
from os import PathLike
from typing import Any

from numpy.typing import ArrayLike
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from skconf._core.columns import is_table, keys_of
from skconf._core.problems import located
from skconf._core.warn import warned_once
from skconf.accumulation._accumulator import MetricAccumulator, holding
from skconf.accumulation._read import Job, read_files
from skconf.accumulation._state import State, Totals
from skconf.tables._columns import Columns, takes_columns
from skconf.tables._entries import library_of


@takes_columns(
    groups="There is an accumulator for each group, or for each combination of groups that occurs.",
    labels="If `names` is an accumulator with labels, None means these labels.",
    pos_label="If `names` is an accumulator with a positive class, None means this positive class.",
)
def accumulate(
    data: Any,
    names: Any,
    *,
    target: Any = None,
    proba: Any = None,
    prediction: Any = None,
    correct: Any = None,
    confidence: Any = None,
    weight: Any = None,
    groups: Any = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    threshold: float | None = None,
    grades: Mapping[Any, float] | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Any:
    """Accumulate scores of predictions in files, in batches or on a cluster, without holding all of them in memory.

    Parameters
    ----------
    data : paths, table, iterable of tables, or a collection of Dask or Spark
        - a path, a pattern such as ``"day=*/*.parquet"``, a folder, or a list of these. Files are Parquet, CSV or JSON
          lines (.jsonl, .ndjson, with an object in each line), also compressed. They are read batch by batch. If
          several paths lead to the same file, it is read once. A folder, or a pattern that ends in a star, skips files
          with other endings, such as ``.csv.bak``. Cells of a CSV file are separated by commas, semicolons, tabs or
          bars, according to its first line. Labels in CSV files are strings. "1.0" and "True" are read as "1", unless
          `labels` or the names of the columns of probabilities contain "1.0" or "True". A part ``name=value`` of a path
          is read as a column.
        - a table with a row for each prediction, or an iterable of such tables. A table is a DataFrame of pandas or
          polars, a Table or RecordBatch of pyarrow, or a mapping of arrays by name (probabilities may have two
          dimensions).
        - a DataFrame of Dask or Spark, or a mapping of Dask arrays. The current scheduler, client or
          session reads each partition where it is stored, and merges the results in a tree of tasks.
    names : callable, str, scorer, pair (name, parameters), list or mapping of them, or MetricAccumulator
        Metrics, as in :class:`~skconf.MetricAccumulator`. If you want to choose the options of the accumulator, pass an
        empty accumulator with these options instead. It is not changed.
    {columns}
    n_jobs : int, default=None
        Number of threads that read files. None means 1, unless ``joblib.parallel_config`` sets another number; -1 means
        one for each core. The results are identical, bit for bit, for any number of threads. Tasks of Dask, Spark and
        joblib use one thread each.
    progress : bool, default=False
        Show on stderr how much of the files has been read.

    Returns
    -------
    MetricAccumulator, or dict of MetricAccumulator
        With `groups`, a dict with one accumulator for each group. The key is the label of the group, or a tuple of
        labels if `groups` names several columns.

    Raises
    ------
    ValueError
        If a column is missing, if a value in a table is missing or invalid, or if `labels` are needed but not given.
        The message names file, column and row. Dask and Spark wrap this error in errors of their own.
    FileNotFoundError
        If there is no such file.
    ImportError
        If a Parquet file is given, but pyarrow is not installed.
    TypeError
        If `data` is none of the above.

    See Also
    --------
    MetricAccumulator : For parts that you read yourself.

    Notes
    -----
    A cluster sends one accumulator for each partition: a few kilobytes for metrics that are functions of sums, and up
    to some megabytes for metrics that depend on the order of the confidences. skconf must be installed on its workers.

    Memory does not grow with the length of a file: each thread holds a batch of 50 to 80 MB. For a Parquet file with
    large row groups, pyarrow also holds pages of about 3 MB for each column.

    Examples
    --------
    >>> import pandas as pd
    >>> from skconf import accumulate
    >>> monday = pd.DataFrame({"y_true": [0, 1], "proba_1": [0.2, 0.9], "shop": ["web", "web"]})
    >>> tuesday = pd.DataFrame({"y_true": [1, 1], "proba_1": [0.8, 0.4], "shop": ["web", "north"]})
    >>> accumulate([monday, tuesday], "cw_accuracy", labels=[0, 1]).result()
    {'cw_accuracy': 0.806...}
    >>> by_shop = accumulate([monday, tuesday], "cw_accuracy", labels=[0, 1], groups="shop")
    >>> {shop: total.result()["cw_accuracy"] for shop, total in by_shop.items()}
    {'north': 0.0, 'web': 1.0}
    """
    empty = names if isinstance(names, MetricAccumulator) else MetricAccumulator(names)
    if empty.n_samples:
        raise ValueError(
            f"If names is an accumulator, it must be empty, but is {empty!r}. Pass an empty accumulator, and merge the "
            "result into the filled one."
        )
    labels = empty.labels if labels is None else labels
    pos_label = empty.pos_label if pos_label is None else pos_label
    columns = Columns(
        target, proba, prediction, correct, confidence, weight, groups, labels, pos_label, threshold, grades
    )
    job = Job(columns, empty._plan)  # noqa: SLF001 – of the same room
    accumulators = {group: holding(empty, state) for group, state in _read(data, job, progress, n_jobs).items()}
    return accumulators.get(None, empty) if groups is None else accumulators


def _read(data: Any, job: Job, progress: bool, n_jobs: int | None) -> dict[Any, State]:
    if _are_paths(data):
        return read_files(data, job, n_jobs=n_jobs, progress=progress)
    library = library_of(next(iter(data.values()), None) if isinstance(data, Mapping) else data)
    if library == "dask":
        from skconf.accumulation._dask import read_dask

        return read_dask(data, job)
    if library == "pyspark":
        from skconf.accumulation._spark import read_spark

        return read_spark(data, job)
    if is_table(data):
        job = replace(job, columns=job.columns.found_in(keys_of(data)))
        return job.states(job.read(data))
    if not isinstance(data, Iterable):
        raise TypeError(
            f"data must be paths, a table, an iterable of tables, or a collection of Dask or Spark, but is {data!r}."
        )
    items = iter(data)
    first = list(islice(items, 1))
    if _are_paths(first):
        return read_files([*first, *items], job, n_jobs=n_jobs, progress=progress)
    total, warned, asked = Totals(), set[str](), job.columns
    libraries = ThreadpoolController()  # limited while a table is read, as with files, and not while one is made
    for number, table in enumerate(chain(first, items)):
        place = f"table {number}"
        if number == 0:
            job = job.on_parts(keys_of(table))
        else:
            with located(place):
                job.columns.check_further(keys_of(table), asked, "table 0")
        with located(place), warned_once(place, warned), libraries.limit(limits=1, user_api="blas"):
            job.add(total, job.read(table))
    return job.states(total)


def _are_paths(data: Any) -> bool:
    items = data if isinstance(data, list | tuple) else [data]
    return bool(items) and not [item for item in items if not isinstance(item, str | PathLike)]
